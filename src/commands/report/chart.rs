//! SVG scatter plot. Each dot has a name and is reachable by pointer and keyboard.

use std::collections::HashSet;

use maud::{Markup, html};

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 420.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = 20.0;
const TOP: f64 = 16.0;
const BOTTOM: f64 = 56.0;

/// A logarithmic axis.
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
        // Add a margin at both ends, and a range if all values are equal.
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

    /// Returns the ticks: 1, 2 and 5 in each decade.
    fn ticks(self) -> Vec<f64> {
        let powers = self.low.floor() as i32..=self.high.ceil() as i32;
        let ticks = powers.flat_map(|power| [1.0, 2.0, 5.0].map(|n| n * 10_f64.powi(power)));
        ticks
            .filter(|tick| (self.low..=self.high).contains(&tick.log10()))
            .collect()
    }
}

/// `0.05`, `2`, `1.52k`
pub(super) fn short(value: f64) -> String {
    if value >= 1000.0 {
        let thousands = (value / 10.0).round() / 100.0;
        format!("{}k", sky_accel_core::text::number(thousands))
    } else {
        sky_accel_core::text::number((value * 1000.0).round() / 1000.0)
    }
}

/// A position in the drawing.
type Place = (f64, f64);

/// Minimum distance between two numbered circles.
const APART: f64 = 23.0;

/// Moves overlapping circles up until all are legible.
fn apart(places: Vec<Place>) -> Vec<Place> {
    let mut set: Vec<Place> = Vec::new();
    for (x, mut y) in places {
        let is_close = |y: f64, other: &Place| (x - other.0).hypot(y - other.1) < APART;
        // Each step resolves at least one overlap, so there are at most as many steps as circles.
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

/// Side of the grid cells that hold at most one dot each.
const DOT: f64 = 10.0;

/// Returns the distinguishable dots: the first dot of each grid cell.
fn dots<T>(points: impl Iterator<Item = (T, Place)>) -> Vec<(T, Place)> {
    let mut taken = HashSet::new();
    let square = |(x, y): Place| ((x / DOT) as i32, (y / DOT) as i32);
    points.filter(|(_, at)| taken.insert(square(*at))).collect()
}

/// A dot in a chart.
pub(super) struct Dot {
    pub x: f64,
    pub y: f64,
    /// Name for tooltips and screen readers.
    pub title: String,
    /// Id of the dot's table row, if any.
    pub row: Option<String>,
    /// Number shown in the dot; `None` for a plain dot.
    pub number: Option<usize>,
    /// Whether the dot is Pareto-optimal.
    pub is_best: bool,
}

/// A scatter plot with two logarithmic axes.
pub(super) struct Chart<'c> {
    pub title: &'c str,
    /// Description for screen readers.
    pub description: &'c str,
    pub x: &'c str,
    pub y: &'c str,
    /// Numbered dots in order, then the other dots.
    pub dots: Vec<Dot>,
    /// Whether a line connects the Pareto-optimal dots.
    pub has_line: bool,
}

impl Chart<'_> {
    pub fn drawing(&self) -> Markup {
        let x = Axis::over(self.dots.iter().map(|dot| dot.x), LEFT, WIDTH - RIGHT);
        let y = Axis::over(self.dots.iter().map(|dot| dot.y), HEIGHT - BOTTOM, TOP);
        let place = |dot: &Dot| (x.at(dot.x), y.at(dot.y));
        let mut best: Vec<&Dot> = self.dots.iter().filter(|dot| dot.is_best).collect();
        best.sort_by(|a, b| a.x.total_cmp(&b.x));
        let line = best.into_iter().map(place);
        let line: Vec<String> = line.map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let (numbered, plain): (Vec<&Dot>, Vec<&Dot>) =
            self.dots.iter().partition(|dot| dot.number.is_some());
        let places = apart(numbered.iter().map(|dot| place(dot)).collect());
        let numbered: Vec<(&Dot, Place)> = numbered.into_iter().zip(places).collect();
        let mut plain = dots(plain.into_iter().map(|dot| (dot, place(dot))));
        // Keyboard order is from left to right.
        plain.sort_by(|(_, a), (_, b)| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        html! {
            svg class="chart" viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="group" aria-labelledby="chart-title chart-text" {
                title id="chart-title" { (self.title) }
                desc id="chart-text" { (self.description) }
                (axes(x, y, (self.x, self.y)))
                @if self.has_line { polyline class="front" points=(line.join(" ")) aria-hidden="true" {} }
                g class="plain" {
                    @for (dot, at) in &plain { (plain_dot(dot, *at)) }
                }
                // Draw the lowest numbers last, so that they are on top.
                g aria-hidden="true" {
                    @for (dot, at) in numbered.iter().rev() {
                        circle class=(if dot.is_best { "point best" } else { "point" }) cx=(at.0) cy=(at.1) r="11" {}
                        text class="rank" x=(at.0) y=(at.1 + 4.5) text-anchor="middle" { @if let Some(number) = dot.number { (number) } }
                    }
                }
                // Links follow by number.
                @for (dot, at) in &numbered {
                    a class="dot" href=[dot.row.as_ref().map(|row| format!("#{row}"))] aria-label=(format!("{}: {}", dot.number.unwrap_or_default(), dot.title)) {
                        circle class="ring" cx=(at.0) cy=(at.1) r="13" { title { (dot.title) } }
                        (label(dot, *at))
                    }
                }
            }
        }
    }
}

fn axes(x: Axis, y: Axis, (x_title, y_title): (&str, &str)) -> Markup {
    html! {
        g class="axis" aria-hidden="true" {
            @for tick in x.ticks() {
                line x1=(x.at(tick)) x2=(x.at(tick)) y1=(TOP) y2=(HEIGHT - BOTTOM) {}
                text x=(x.at(tick)) y=(HEIGHT - BOTTOM + 20.0) text-anchor="middle" { (short(tick)) }
            }
            @for tick in y.ticks() {
                line x1=(LEFT) x2=(WIDTH - RIGHT) y1=(y.at(tick)) y2=(y.at(tick)) {}
                text x=(LEFT - 8.0) y=(y.at(tick) + 4.0) text-anchor="end" { (short(tick)) }
            }
            text x=((LEFT + WIDTH - RIGHT) / 2.0) y=(HEIGHT - 8.0) text-anchor="middle" { (x_title) }
            text transform=(format!("translate(16 {}) rotate(-90)", (TOP + HEIGHT - BOTTOM) / 2.0)) text-anchor="middle" { (y_title) }
        }
    }
}

/// Draws a dot without a number: a link if it has a row, else an image with a name.
fn plain_dot(dot: &Dot, at: Place) -> Markup {
    let circle = html! {
        circle class="other" cx=(at.0) cy=(at.1) r="3.5" { title { (dot.title) } }
        (label(dot, at))
    };
    html! {
        @match &dot.row {
            Some(row) => a class="dot" href=(format!("#{row}")) aria-label=(dot.title) { (circle) },
            None => g class="dot" tabindex="0" role="img" aria-label=(dot.title) { (circle) },
        }
    }
}

/// Draws the name of a dot, visible on hover and focus.
fn label(dot: &Dot, (x, y): Place) -> Markup {
    let (anchor, x) = if x < WIDTH / 2.0 {
        ("start", x + 14.0)
    } else {
        ("end", x - 14.0)
    };
    html! {
        text class="label" x=(x) y=((y - 12.0).max(TOP)) text-anchor=(anchor) aria-hidden="true" { (dot.title) }
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
