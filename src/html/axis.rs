//! Axes of pictures: positions, and ticks that do not collide.

use sky_accel_core::text::number;

/// The number of ticks that an axis should have; more would collide on a narrow screen.
const FEWEST: usize = 4;
const MOST: usize = 7;

/// An axis from `start` to `end` in the units of the drawing.
#[derive(Clone, Copy)]
pub(super) struct Axis {
    low: f64,
    high: f64,
    start: f64,
    end: f64,
    is_log: bool,
}

impl Axis {
    /// Returns a logarithmic axis over positive values, with a margin at both ends.
    pub fn logarithmic(values: impl Iterator<Item = f64>, start: f64, end: f64) -> Self {
        let (low, high) = values.fold((f64::MAX, f64::MIN), |(low, high), value| {
            let log = value.max(1e-9).log10();
            (low.min(log), high.max(log))
        });
        // Equal values have a range too.
        let room = ((high - low) * 0.06).max(0.05);
        Self {
            low: low - room,
            high: high + room,
            start,
            end,
            is_log: true,
        }
    }

    /// Returns a linear axis from zero to a little above the largest value.
    pub fn from_zero(most: f64, start: f64, end: f64) -> Self {
        Self {
            low: 0.0,
            high: most.max(1e-9) * 1.04,
            start,
            end,
            is_log: false,
        }
    }

    /// Returns the position of a value.
    pub fn at(self, value: f64) -> f64 {
        let value = if self.is_log {
            value.max(1e-9).log10()
        } else {
            value
        };
        self.start + (value - self.low) / (self.high - self.low) * (self.end - self.start)
    }

    /// Returns at most [`MOST`] ticks at round values.
    pub fn ticks(self) -> Vec<f64> {
        if !self.is_log {
            return linear(self.low, self.high);
        }
        let decades = self.low.floor() as i32..=self.high.ceil() as i32;
        let of_decades = |digits: &[f64]| -> Vec<f64> {
            let ticks = decades
                .clone()
                .flat_map(|decade| digits.iter().map(move |digit| digit * 10_f64.powi(decade)));
            ticks
                .filter(|tick| (self.low..=self.high).contains(&tick.log10()))
                .collect()
        };
        let sets: [&[f64]; 4] = [
            &[1.0],
            &[1.0, 3.0],
            &[1.0, 2.0, 5.0],
            &[1.0, 1.5, 2.0, 3.0, 4.0, 5.0, 7.0],
        ];
        let sets = sets.into_iter().map(of_decades);
        sets.into_iter()
            .find(|ticks| (FEWEST..=MOST).contains(&ticks.len()))
            .unwrap_or_else(|| {
                let (low, high) = (10_f64.powf(self.low), 10_f64.powf(self.high));
                let is_wide = self.high - self.low > 1.0;
                if is_wide {
                    every_nth(of_decades(&[1.0]))
                } else {
                    linear(low, high)
                }
            })
    }
}

/// Returns ticks at multiples of 1, 2 or 5 times a power of ten.
fn linear(low: f64, high: f64) -> Vec<f64> {
    let least = (high - low).max(1e-9) / MOST as f64;
    let power = 10_f64.powf(least.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].map(|digit| digit * power);
    let step = step
        .into_iter()
        .find(|step| *step >= least)
        .unwrap_or(10.0 * power);
    let first = (low / step).ceil();
    (0..MOST)
        .map(|at| (first + at as f64) * step)
        .take_while(|tick| *tick <= high)
        .collect()
}

/// Returns evenly spaced ticks, at most [`MOST`].
fn every_nth(ticks: Vec<f64>) -> Vec<f64> {
    let step = ticks.len().div_ceil(MOST).max(1);
    ticks.into_iter().step_by(step).collect()
}

/// Formats a number with at most three significant digits: `0.05`, `2`, `1.52k`, `3M`.
pub(super) fn short(value: f64) -> String {
    for (unit, letter) in [(1e9, "G"), (1e6, "M"), (1e3, "k")] {
        if value >= unit {
            return format!("{}{letter}", number((value / unit * 100.0).round() / 100.0));
        }
    }
    number((value * 1000.0).round() / 1000.0)
}

#[cfg(test)]
mod tests {
    use super::{Axis, MOST, short};

    #[test]
    fn every_range_has_some_ticks_and_not_too_many() {
        for (low, high) in [
            (1.0, 1.0),
            (2.39, 3.8),
            (0.01, 0.02),
            (0.05, 98.0),
            (20.0, 40_000.0),
            (1e-9, 1e12),
        ] {
            let axis = Axis::logarithmic([low, high].into_iter(), 0.0, 700.0);
            let ticks = axis.ticks();
            assert!((2..=MOST).contains(&ticks.len()), "{low} {high}: {ticks:?}");
            assert!(ticks.is_sorted());
            let places: Vec<f64> = ticks.iter().map(|tick| axis.at(*tick)).collect();
            assert!(
                places.iter().all(|place| (0.0..=700.0).contains(place)),
                "{places:?}"
            );
        }
        assert_eq!(
            Axis::from_zero(71.7, 0.0, 1.0).ticks(),
            [0.0, 20.0, 40.0, 60.0]
        );
        assert_eq!(
            Axis::from_zero(3.0, 0.0, 1.0).ticks(),
            [0.0, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0]
        );
    }

    #[test]
    fn ticks_are_the_fewest_round_values_that_suffice() {
        for (low, high, wanted) in [
            (1.0, 1e4, &[1.0, 10.0, 100.0, 1000.0, 1e4][..]),
            (10.0, 1000.0, &[10.0, 30.0, 100.0, 300.0, 1000.0]),
            (1.0, 10.0, &[1.0, 2.0, 5.0, 10.0]),
            (1.0, 4.0, &[1.0, 1.5, 2.0, 3.0, 4.0]),
            (2.39, 3.8, &[2.5, 3.0, 3.5, 4.0]),
            (1e-9, 1e12, &[1e-10, 1e-6, 1e-2, 1e2, 1e6, 1e10]),
        ] {
            let ticks = Axis::logarithmic([low, high].into_iter(), 0.0, 1.0).ticks();
            let is_near = |(tick, wanted): (&f64, &f64)| (tick / wanted - 1.0).abs() < 1e-9;
            let is_same = ticks.len() == wanted.len() && ticks.iter().zip(wanted).all(is_near);
            assert!(is_same, "{low} {high}: {ticks:?}");
        }
    }

    #[test]
    fn positions_keep_a_margin_at_both_ends() {
        let is_near = |place: f64, wanted: f64| (place - wanted).abs() < 1e-9;
        let wide = Axis::logarithmic([10.0, 1000.0].into_iter(), 100.0, 324.0);
        for (value, wanted) in [
            (10.0, 112.0),
            (100.0, 212.0),
            (1000.0, 312.0),
            (0.0, -888.0),
        ] {
            assert!(
                is_near(wide.at(value), wanted),
                "{value}: {}",
                wide.at(value)
            );
        }
        // One value has a twentieth of a decade on each side.
        let one = Axis::logarithmic([100.0].into_iter(), 0.0, 100.0);
        assert!(is_near(one.at(100.0), 50.0) && is_near(one.at(10_f64.powf(2.05)), 100.0));
        let linear = Axis::from_zero(50.0, 20.0, 124.0);
        assert!(is_near(linear.at(0.0), 20.0) && is_near(linear.at(50.0), 120.0));
    }

    #[test]
    fn numbers_are_short() {
        for (value, text) in [
            (0.0004, "0"),
            (0.0005, "0.001"),
            (0.05, "0.05"),
            (2.0, "2"),
            (999.0, "999"),
            (1000.0, "1k"),
            (1523.0, "1.52k"),
            (3e6, "3M"),
            (1e9, "1G"),
        ] {
            assert_eq!(short(value), text);
        }
    }
}
