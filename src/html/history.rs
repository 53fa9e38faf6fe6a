//! Prices by quarter: the middle half of the prices as a box, and their median as a line.

use maud::{Markup, html};

use super::axis::{Axis, short};
use super::picture;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 300.0;
const LEFT: f64 = 92.0;
const RIGHT: f64 = 14.0;
/// Room for the unit, which is too long for the height on a narrow screen.
const TOP: f64 = 44.0;
const BOTTOM: f64 = 54.0;
/// The most quarters with their name below.
const NAMED: usize = 5;

/// Prices in a quarter, in the currency of the page.
pub struct PricedQuarter {
    /// `2026-Q1`
    pub name: String,
    pub sources: usize,
    pub p25: f64,
    pub median: f64,
    pub p75: f64,
}

/// Draws the prices of one kind. `unit` names the currency and what it buys.
pub fn price_history(label: &str, quarters: &[PricedQuarter], unit: &str) -> Markup {
    if quarters.len() < 2 {
        return html! {};
    }
    let most = quarters.iter().map(|quarter| quarter.p75);
    let y = Axis::from_zero(most.fold(0.0, f64::max), HEIGHT - BOTTOM, TOP);
    let places = places(quarters);
    let step = (WIDTH - LEFT - RIGHT) / (places[places.len() - 1] + 1) as f64;
    let center = |at: usize| LEFT + step * (places[at] as f64 + 0.5);
    let width = (step * 0.6).min(40.0);
    let every = quarters.len().div_ceil(NAMED);
    // A line across quarters without prices would show prices without a source.
    let lines: Vec<Vec<String>> = (0..quarters.len())
        .collect::<Vec<usize>>()
        .chunk_by(|at, next| places[*next] == places[*at] + 1)
        .map(|run| {
            let point =
                |at: &usize| format!("{:.1},{:.1}", center(*at), y.at(quarters[*at].median));
            run.iter().map(point).collect()
        })
        .collect();
    let title = |quarter: &PricedQuarter| {
        format!(
            "{}: median {:.2}, middle half {:.2} to {:.2} ({} sources)",
            quarter.name, quarter.median, quarter.p25, quarter.p75, quarter.sources
        )
    };
    let (first, last) = (&quarters[0], &quarters[quarters.len() - 1]);
    let description = format!(
        "median {:.2} {unit} in {}, {:.2} in {}; the table below has every quarter",
        first.median, first.name, last.median, last.name
    );
    let drawing = html! {
        svg class="chart history" viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="img" aria-label=(format!("{label}: {description}")) {
            title { (label) }
            desc { (description) }
            g class="axis" {
                @for tick in y.ticks() {
                    line x1=(LEFT) x2=(WIDTH - RIGHT) y1=(round(y.at(tick))) y2=(round(y.at(tick))) {}
                    text x=(LEFT - 8.0) y=(round(y.at(tick)) + 5.0) text-anchor="end" { (short(tick)) }
                }
                @for (at, quarter) in quarters.iter().enumerate().step_by(every) {
                    text x=(round(center(at))) y=(HEIGHT - BOTTOM + 23.0) text-anchor="middle" { (quarter.name) }
                }
                text class="name" x="0" y="22" { (unit) }
            }
            @for (at, quarter) in quarters.iter().enumerate() {
                rect class="half" x=(round(center(at) - width / 2.0)) y=(round(y.at(quarter.p75))) width=(round(width))
                    height=(round(y.at(quarter.p25) - y.at(quarter.p75)).max(1.0)) { title { (title(quarter)) } }
            }
            @for line in &lines {
                polyline class="median" points=(line.join(" ")) {}
            }
            @for (at, quarter) in quarters.iter().enumerate() {
                circle class="place" cx=(round(center(at))) cy=(round(y.at(quarter.median))) r="4" { title { (title(quarter)) } }
            }
        }
    };
    picture(
        label,
        "Boxes: the middle half of the prices; line: their median.",
        &drawing,
    )
}

/// Returns the number of quarters from the first quarter to each. Quarters without prices take their place too.
fn places(quarters: &[PricedQuarter]) -> Vec<usize> {
    let number = |name: &str| -> Option<usize> {
        let (year, quarter) = name.split_once("-Q")?;
        Some(year.parse::<usize>().ok()? * 4 + quarter.parse::<usize>().ok()?)
    };
    let numbers: Option<Vec<usize>> = quarters.iter().map(|q| number(&q.name)).collect();
    let numbers = numbers.filter(|numbers| numbers.is_sorted_by(|a, b| a < b));
    match numbers.as_deref() {
        Some(numbers @ [first, ..]) => numbers.iter().map(|number| number - first).collect(),
        _ => (0..quarters.len()).collect(),
    }
}

fn round(coordinate: f64) -> f64 {
    (coordinate * 10.0).round() / 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn quarter(name: &str, p25: f64, median: f64, p75: f64) -> PricedQuarter {
        PricedQuarter {
            name: name.to_owned(),
            sources: 3,
            p25,
            median,
            p75,
        }
    }

    #[test]
    fn quarters_have_boxes_and_a_line() {
        let quarters = [
            quarter("2026-Q1", 1.0, 2.0, 3.0),
            quarter("2026-Q2", 2.0, 2.0, 2.0),
        ];
        let drawn = price_history("list prices", &quarters, "USD/h").into_string();
        assert_eq!(drawn.matches("class=\"half\"").count(), 2);
        assert!(drawn.contains("2026-Q1: median 2.00, middle half 1.00 to 3.00 (3 sources)"));
        assert!(drawn.contains("USD/h") && drawn.contains("role=\"img\""));
        assert!(!drawn.contains("NaN") && !drawn.contains("style="));
        // A year without prices is a gap in the line.
        let apart = [
            quarter("2024-Q4", 1.0, 2.0, 3.0),
            quarter("2025-Q1", 1.0, 2.0, 3.0),
            quarter("2026-Q1", 2.0, 2.0, 2.0),
        ];
        assert_eq!(places(&apart), [0, 1, 5]);
        let drawn = price_history("list prices", &apart, "USD/h").into_string();
        assert_eq!(drawn.matches("class=\"median\"").count(), 2);
        // One quarter shows no movement.
        assert!(
            price_history("x", &quarters[..1], "USD/h")
                .into_string()
                .is_empty()
        );
    }
}
