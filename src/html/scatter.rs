//! Scatter plot. Each dot has a name and is reachable by pointer and keyboard.

use std::collections::HashSet;

use maud::{Markup, html};

use super::axis::{Axis, short};
use super::picture;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 420.0;
/// Room for ticks in the larger letters of a narrow screen.
const LEFT: f64 = 92.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 16.0;
const BOTTOM: f64 = 66.0;

/// A position in the drawing.
type DrawingPoint = (f64, f64);

/// Minimum distance between two numbered circles. Circles are larger on narrow screens.
const APART: f64 = 29.0;

/// The directions in which an overlapping circle may move.
const DIRECTIONS: u32 = 16;
/// The step in which its distance grows.
const STEP: f64 = 6.0;
/// The greatest distance: a circle farther away from its dot belongs to no dot for the eye.
const FARTHEST: f64 = 120.0;

/// Moves overlapping circles as little as possible, until all are legible.
fn apart(places: Vec<DrawingPoint>) -> Vec<DrawingPoint> {
    let mut set: Vec<DrawingPoint> = Vec::new();
    for place in places {
        let is_free = |(x, y): &DrawingPoint| {
            let inside = (LEFT..=WIDTH - RIGHT).contains(x) && (TOP..=HEIGHT - BOTTOM).contains(y);
            inside
                && set
                    .iter()
                    .all(|other| (x - other.0).hypot(y - other.1) >= APART)
        };
        let distances = (1..).map(|step| f64::from(step) * STEP);
        let around = distances
            .take_while(|distance| *distance <= FARTHEST)
            .flat_map(|distance| {
                // Up comes first.
                (0..DIRECTIONS).map(move |at| {
                    let angle = f64::from(at) / f64::from(DIRECTIONS) * std::f64::consts::TAU;
                    (
                        place.0 + distance * angle.sin(),
                        place.1 - distance * angle.cos(),
                    )
                })
            });
        let free = std::iter::once(place).chain(around).find(is_free);
        set.push(free.unwrap_or(place));
    }
    set
}

/// Side of the grid cells that hold at most one dot each.
const CELL: f64 = 10.0;

/// Returns the distinguishable dots: the first dot of each grid cell.
fn dots<T>(points: impl Iterator<Item = (T, DrawingPoint)>) -> Vec<(T, DrawingPoint)> {
    let mut taken = HashSet::new();
    let square = |(x, y): DrawingPoint| ((x / CELL) as i32, (y / CELL) as i32);
    points.filter(|(_, at)| taken.insert(square(*at))).collect()
}

/// A dot in a plot.
pub struct Dot {
    pub x: f64,
    pub y: f64,
    /// Name for tooltips and screen readers.
    pub title: String,
    /// Number of the dot's table row, shown in the dot; `None` for a plain dot without a row.
    pub number: Option<usize>,
    /// Whether the dot is Pareto-optimal.
    pub is_best: bool,
}

/// A scatter plot with two logarithmic axes.
pub struct Scatter<'c> {
    pub title: &'c str,
    /// Description for screen readers.
    pub description: &'c str,
    /// Explanation below the plot.
    pub caption: &'c str,
    /// Titles of the axes with their units.
    pub x: &'c str,
    pub y: &'c str,
    /// Numbered dots in order, then the other dots.
    pub dots: Vec<Dot>,
    /// Whether a line connects the Pareto-optimal dots.
    pub has_line: bool,
}

/// Number of dots with a number in them; the others are plain.
const NUMBERED: usize = 10;

impl Scatter<'_> {
    /// Renders the plot with its caption; nothing for fewer than two dots.
    pub fn figure(&self) -> Markup {
        if self.dots.len() < 2 {
            return html! {};
        }
        picture(self.title, self.caption, &self.drawing())
    }

    fn drawing(&self) -> Markup {
        let x = Axis::logarithmic(self.dots.iter().map(|dot| dot.x), LEFT, WIDTH - RIGHT);
        let y = Axis::logarithmic(self.dots.iter().map(|dot| dot.y), HEIGHT - BOTTOM, TOP);
        let place = |dot: &Dot| (x.at(dot.x), y.at(dot.y));
        let mut best: Vec<&Dot> = self.dots.iter().filter(|dot| dot.is_best).collect();
        best.sort_by(|a, b| a.x.total_cmp(&b.x));
        let line = best.into_iter().map(place);
        let line: Vec<String> = line.map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
        let (numbered, plain): (Vec<&Dot>, Vec<&Dot>) = self
            .dots
            .iter()
            .partition(|dot| dot.number.is_some_and(|number| number <= NUMBERED));
        let places = apart(numbered.iter().map(|dot| place(dot)).collect());
        let numbered: Vec<(&Dot, DrawingPoint)> = numbered.into_iter().zip(places).collect();
        let mut plain = dots(plain.into_iter().map(|dot| (dot, place(dot))));
        // Keyboard order is from left to right.
        plain.sort_by(|(_, a), (_, b)| a.0.total_cmp(&b.0).then(a.1.total_cmp(&b.1)));
        html! {
            svg class="chart scatter" viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="group" aria-labelledby="scatter-title scatter-text" {
                title id="scatter-title" { (self.title) }
                desc id="scatter-text" { (self.description) }
                (axes(x, y, (self.x, self.y)))
                @if self.has_line { polyline class="front" points=(line.join(" ")) aria-hidden="true" {} }
                g class="plain" {
                    @for (dot, at) in &plain { (plain_dot(dot, *at)) }
                }
                // Draw the lowest numbers last, so that they are on top.
                g aria-hidden="true" {
                    @for (dot, at) in numbered.iter().rev() { (numbered_dot(dot, place(dot), *at)) }
                }
                // Links follow by number.
                @for (dot, at) in &numbered {
                    a class="dot" href=[dot.number.map(row)] aria-label=(format!("{}: {}", dot.number.unwrap_or_default(), dot.title)) {
                        circle class="ring" cx=(rounded(at.0)) cy=(rounded(at.1)) r="14" { title { (dot.title) } }
                        (label(dot, *at))
                    }
                }
            }
        }
    }
}

/// Returns the address of a row of the table.
fn row(number: usize) -> String {
    format!("#row-{number}")
}

/// Rounds a coordinate, which keeps pages small.
fn rounded(coordinate: f64) -> f64 {
    (coordinate * 10.0).round() / 10.0
}

fn axes(x: Axis, y: Axis, (x_title, y_title): (&str, &str)) -> Markup {
    html! {
        g class="axis" aria-hidden="true" {
            @for tick in x.ticks() {
                @let at = rounded(x.at(tick));
                line x1=(at) x2=(at) y1=(TOP) y2=(HEIGHT - BOTTOM) {}
                text x=(at) y=(HEIGHT - BOTTOM + 23.0) text-anchor="middle" { (short(tick)) }
            }
            @for tick in y.ticks() {
                @let at = rounded(y.at(tick));
                line x1=(LEFT) x2=(WIDTH - RIGHT) y1=(at) y2=(at) {}
                text x=(LEFT - 8.0) y=(at + 5.0) text-anchor="end" { (short(tick)) }
            }
            text class="name" x=((LEFT + WIDTH - RIGHT) / 2.0) y=(HEIGHT - 10.0) text-anchor="middle" { (x_title) }
            text class="name" transform=(format!("translate(22 {}) rotate(-90)", (TOP + HEIGHT - BOTTOM) / 2.0)) text-anchor="middle" { (y_title) }
        }
    }
}

/// Draws a circle with its number, and a line to its place if it moved.
fn numbered_dot(dot: &Dot, (x, y): DrawingPoint, at: DrawingPoint) -> Markup {
    let has_moved = (x - at.0).hypot(y - at.1) > 1.0;
    html! {
        @if has_moved {
            line class="leader" x1=(rounded(x)) x2=(rounded(at.0)) y1=(rounded(y)) y2=(rounded(at.1)) {}
            circle class="place" cx=(rounded(x)) cy=(rounded(y)) r="3" {}
        }
        circle class=(if dot.is_best { "point best" } else { "point" }) cx=(rounded(at.0)) cy=(rounded(at.1)) r="12" {}
        text class="rank" x=(rounded(at.0)) y=(rounded(at.1)) text-anchor="middle" dominant-baseline="central" {
            @if let Some(number) = dot.number { (number) }
        }
    }
}

/// Draws a dot without a number: a link if it has a row, else an image with a name.
fn plain_dot(dot: &Dot, at: DrawingPoint) -> Markup {
    let circle = html! {
        circle class="other" cx=(rounded(at.0)) cy=(rounded(at.1)) r="3.5" { title { (dot.title) } }
        (label(dot, at))
    };
    html! {
        @match dot.number {
            Some(number) => a class="dot" href=(row(number)) aria-label=(dot.title) { (circle) },
            None => g class="dot" tabindex="0" role="img" aria-label=(dot.title) { (circle) },
        }
    }
}

/// Draws the name of a dot, visible on hover and focus.
fn label(dot: &Dot, (x, y): DrawingPoint) -> Markup {
    let (anchor, x) = if x < WIDTH / 2.0 {
        ("start", x + 16.0)
    } else {
        ("end", x - 16.0)
    };
    html! {
        text class="label" x=(rounded(x)) y=(rounded((y - 14.0).max(TOP + 6.0))) text-anchor=(anchor) aria-hidden="true" { (dot.title) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plot(count: usize) -> String {
        let dots = (1..=count).map(|number| Dot {
            x: number as f64,
            y: 10.0 * number as f64,
            title: format!("<b>{number}</b>"),
            number: (number < 12).then_some(number),
            is_best: number < 3,
        });
        let plot = Scatter {
            title: "Price against speed",
            description: "dots",
            caption: "what <it> is",
            x: "US dollars per hour",
            y: "tokens per second",
            dots: dots.collect(),
            has_line: true,
        };
        plot.figure().into_string()
    }

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

    #[test]
    fn dots_have_escaped_names_and_lead_to_their_rows() {
        let drawn = plot(13);
        assert!(!drawn.contains("<b>") && drawn.contains("&lt;b&gt;1&lt;/b&gt;"));
        assert_eq!(drawn.matches("class=\"point").count(), 10);
        assert!(drawn.contains("href=\"#row-11\"") && !drawn.contains("#row-12"));
        assert_eq!(drawn.matches("role=\"img\"").count(), 2);
        assert!(drawn.contains("role=\"group\"") && drawn.contains("what &lt;it&gt; is"));
        assert!(!drawn.contains("style="));
    }

    #[test]
    fn a_single_dot_is_no_picture() {
        assert!(plot(1).is_empty());
        assert!(!plot(2).is_empty());
    }
}
