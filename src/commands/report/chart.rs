//! Price against speed, as a drawing: both axes in powers of ten, each point a link to its row.

use std::collections::HashSet;

use maud::{Markup, html};

use sky_accel_engine::Point;
use sky_accel_engine::contract::{Num, RecommendOut};
use sky_accel_engine::text::dollars;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 16.0;
const BOTTOM: f64 = 56.0;

/// An axis from a power of ten to another.
#[derive(Clone, Copy)]
struct Axis {
    low: f64,
    high: f64,
    start: f64,
    end: f64,
}

impl Axis {
    fn over(values: impl Iterator<Item = f64>, start: f64, end: f64) -> Self {
        let (low, high) = values.fold((f64::MAX, f64::MIN), |(low, high), value| {
            let log = value.max(1e-9).log10();
            (low.min(log), high.max(log))
        });
        // A little room at both ends, and some where all are equal.
        let room = ((high - low) * 0.06).max(0.05);
        Self {
            low: low - room,
            high: high + room,
            start,
            end,
        }
    }

    fn at(self, value: f64) -> f64 {
        let share = (value.max(1e-9).log10() - self.low) / (self.high - self.low);
        self.start + share * (self.end - self.start)
    }

    /// 1, 2 and 5 of each power of ten.
    fn ticks(self) -> Vec<f64> {
        let powers = self.low.floor() as i32..=self.high.ceil() as i32;
        let ticks = powers.flat_map(|power| [1.0, 2.0, 5.0].map(|n| n * 10_f64.powi(power)));
        ticks
            .filter(|tick| (self.low..=self.high).contains(&tick.log10()))
            .collect()
    }
}

/// `0.05`, `2`, `1.5k`
fn short(value: f64) -> String {
    if value >= 1000.0 {
        format!("{}k", sky_accel_core::text::number(value / 1000.0))
    } else {
        sky_accel_core::text::number((value * 1000.0).round() / 1000.0)
    }
}

/// A place in the drawing.
type Place = (f64, f64);

/// The distance that two numbered circles keep.
const APART: f64 = 23.0;

/// Moves circles that overlap upwards, one after another, until each can be read.
fn apart(places: Vec<Place>) -> Vec<Place> {
    let mut set: Vec<Place> = Vec::new();
    for (x, mut y) in places {
        let is_close = |y: f64, other: &Place| (x - other.0).hypot(y - other.1) < APART;
        // Each step clears one circle at least: there are no more steps than circles.
        for _ in 0..set.len() {
            let Some(other) = set.iter().find(|other| is_close(y, other)) else {
                break;
            };
            let lift = (APART * APART - (x - other.0).powi(2)).max(0.0).sqrt();
            y = other.1 - lift - 0.1;
        }
        set.push((x, y.max(TOP)));
    }
    set
}

/// The side of the squares of which each has one dot at most.
const DOT: f64 = 10.0;

/// The dots that can be told from each other: of those in one place, the first.
fn dots<T>(points: impl Iterator<Item = (T, Place)>) -> Vec<(T, Place)> {
    let mut taken = HashSet::new();
    let square = |(x, y): Place| ((x / DOT) as i32, (y / DOT) as i32);
    points.filter(|(_, at)| taken.insert(square(*at))).collect()
}

/// `RTX4090:x2 on Vast.ai: $0.61, 118 tokens/s`.
fn title(point: &Point) -> String {
    format!(
        "{} on {}: {}, {} tokens/s",
        point.spec,
        point.provider,
        dollars(Num(point.usd)),
        short(point.tokens_per_s)
    )
}

/// The results are the first of the points.
pub(super) fn drawing(points: &[Point], rows: &[RecommendOut<'_>], by_total: bool) -> Markup {
    let x = Axis::over(points.iter().map(|point| point.usd), LEFT, WIDTH - RIGHT);
    let y = Axis::over(
        points.iter().map(|point| point.tokens_per_s),
        HEIGHT - BOTTOM,
        TOP,
    );
    let mut front: Vec<&Point> = points.iter().filter(|point| point.is_pareto).collect();
    front.sort_by(|a, b| a.usd.total_cmp(&b.usd));
    let line: Vec<String> = front
        .iter()
        .map(|point| format!("{:.1},{:.1}", x.at(point.usd), y.at(point.tokens_per_s)))
        .collect();
    let cost = if by_total {
        "US dollars in total"
    } else {
        "US dollars per hour"
    };
    let listed = rows.iter().filter(|row| row.tokens_per_s.is_some());
    let place = |point: &Point| (x.at(point.usd), y.at(point.tokens_per_s));
    let places = apart(points.iter().take(rows.len()).map(place).collect());
    let numbered: Vec<(&RecommendOut<'_>, Place)> = listed.zip(places).collect();
    html! {
        svg class="chart" viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="group" aria-labelledby="chart-title chart-text" {
            title id="chart-title" { "Price against speed" }
            desc id="chart-text" {
                (points.len()) " machines by what they cost and how fast they are. The line joins those that nothing beats in both. The first "
                (rows.len()) " are links to their rows in the table of offers."
            }
            g class="axis" aria-hidden="true" {
                @for tick in x.ticks() {
                    line x1=(x.at(tick)) x2=(x.at(tick)) y1=(TOP) y2=(HEIGHT - BOTTOM) {}
                    text x=(x.at(tick)) y=(HEIGHT - BOTTOM + 20.0) text-anchor="middle" { (short(tick)) }
                }
                @for tick in y.ticks() {
                    line x1=(LEFT) x2=(WIDTH - RIGHT) y1=(y.at(tick)) y2=(y.at(tick)) {}
                    text x=(LEFT - 8.0) y=(y.at(tick) + 4.0) text-anchor="end" { (short(tick)) }
                }
                text x=((LEFT + WIDTH - RIGHT) / 2.0) y=(HEIGHT - 8.0) text-anchor="middle" { (cost) }
                text transform=(format!("translate(16 {}) rotate(-90)", (TOP + HEIGHT - BOTTOM) / 2.0)) text-anchor="middle" { "tokens per second" }
            }
            polyline class="front" points=(line.join(" ")) aria-hidden="true" {}
            @for (point, at) in dots(points.iter().skip(rows.len()).map(|point| (point, place(point)))) {
                circle class="other" cx=(at.0) cy=(at.1) r="3.5" aria-hidden="true" { title { (title(point)) } }
            }
            // The best ranks are drawn last: they are on top.
            g aria-hidden="true" {
                @for (row, at) in numbered.iter().rev() {
                    circle class=(if row.pareto == Some(true) { "point best" } else { "point" }) cx=(at.0) cy=(at.1) r="11" {}
                    text class="rank" x=(at.0) y=(at.1 + 4.5) text-anchor="middle" { (row.rank) }
                }
            }
            // And reached in their order.
            @for ((row, at), point) in numbered.iter().zip(points) {
                a href=(format!("#offer-{}", row.rank)) aria-label=(format!("{}: {}", row.rank, title(point))) {
                    circle class="ring" cx=(at.0) cy=(at.1) r="13" { title { (title(point)) } }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{APART, apart};

    #[test]
    fn circles_do_not_overlap() {
        let places = apart(vec![
            (100.0, 200.0),
            (104.0, 201.0),
            (100.0, 200.0),
            (300.0, 200.0),
        ]);
        for (at, a) in places.iter().enumerate() {
            for b in &places[..at] {
                let distance = (a.0 - b.0).hypot(a.1 - b.1);
                assert!(distance >= APART, "{places:?}");
            }
        }
        assert_eq!(places[0], (100.0, 200.0));
        assert_eq!(places[3], (300.0, 200.0));
    }
}
