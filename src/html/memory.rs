//! The memory of one device as a bar: its terms, the usable memory, and the range of measured peaks.

use maud::{Markup, html};

use super::axis::{Axis, short};
use super::picture;

const WIDTH: f64 = 720.0;
const HEIGHT: f64 = 150.0;
const LEFT: f64 = 14.0;
const RIGHT: f64 = 14.0;
/// Top and height of the bar.
const TOP: f64 = 34.0;
const BAR: f64 = 44.0;
/// The line of the axis.
const AXIS: f64 = 104.0;
/// Minimum width of a term with its letter.
const LETTER: f64 = 22.0;

/// Draws terms of memory with their letters, in GiB, against the usable memory and the low and high peak.
pub fn memory_bar(
    label: &str,
    terms: &[(char, &str, f64)],
    usable: Option<f64>,
    (low, high): (f64, f64),
) -> Markup {
    let sum: f64 = terms.iter().map(|(_, _, gib)| gib).sum();
    let most = sum.max(high).max(usable.unwrap_or(0.0));
    let axis = Axis::from_zero(most, LEFT, WIDTH - RIGHT);
    let mut upto = 0.0;
    let parts: Vec<(usize, char, String, f64, f64)> = terms
        .iter()
        .enumerate()
        .filter(|(_, (_, _, gib))| *gib > 0.0)
        .map(|(at, (letter, name, gib))| {
            let start = axis.at(upto);
            upto += gib;
            let title = format!("{name}: {gib:.2} GiB");
            (at, *letter, title, start, axis.at(upto) - start)
        })
        .collect();
    let range = format!("peak {low:.1} to {high:.1} GiB");
    let room = usable.map(|usable| format!(", {usable:.1} GiB usable"));
    let room = room.unwrap_or_default();
    let texts: Vec<&str> = parts
        .iter()
        .map(|(_, _, title, _, _)| title.as_str())
        .collect();
    let description = format!("{}; {range}{room}", texts.join(", "));
    let caption = format!(
        "GiB per device. Letters: the table below. Brackets: the {range}, which held eight of ten measurements{}.",
        if usable.is_some() {
            "; the dashed line: usable memory"
        } else {
            ""
        }
    );
    let drawing = html! {
        svg class="chart memory" viewBox=(format!("0 0 {WIDTH} {HEIGHT}")) role="img" aria-label=(format!("{label}: {description}")) {
            title { (label) }
            desc { (description) }
            g class="axis" {
                line x1=(LEFT) x2=(WIDTH - RIGHT) y1=(AXIS) y2=(AXIS) {}
                @for tick in axis.ticks() {
                    line x1=(round(axis.at(tick))) x2=(round(axis.at(tick))) y1=(AXIS - 5.0) y2=(AXIS + 5.0) {}
                    text x=(round(axis.at(tick))) y=(AXIS + 24.0) text-anchor=(if tick == 0.0 { "start" } else { "middle" }) { (short(tick)) }
                }
                text class="name" x=(WIDTH - RIGHT) y=(HEIGHT - 4.0) text-anchor="end" { "GiB per device" }
            }
            @for (at, letter, title, start, width) in &parts {
                rect class=(format!("term t{at}")) x=(round(*start)) y=(TOP) width=(round(*width)) height=(BAR) { title { (title) } }
                @if *width >= LETTER {
                    text class="inside" x=(round(start + width / 2.0)) y=(TOP + BAR / 2.0) text-anchor="middle" dominant-baseline="central" { (letter) }
                }
            }
            path class="range" d=(bracket(axis.at(low), axis.at(high))) {}
            @if let Some(usable) = usable {
                @let at = round(axis.at(usable));
                line class="usable" x1=(at) x2=(at) y1="24" y2=(AXIS) {}
                text class="name" x=(at) y="18" text-anchor=(if at > WIDTH / 2.0 { "end" } else { "start" }) { "usable " (format!("{usable:.1}")) }
            }
        }
    };
    picture(label, &caption, &drawing)
}

fn round(coordinate: f64) -> f64 {
    (coordinate * 10.0).round() / 10.0
}

/// The outline of the range below the bar.
fn bracket(low: f64, high: f64) -> String {
    let (top, bottom) = (TOP + BAR + 4.0, TOP + BAR + 14.0);
    format!("M{low:.1} {top} V{bottom} H{high:.1} V{top}")
}

#[cfg(test)]
mod tests {
    use super::memory_bar;

    #[test]
    fn the_bar_has_its_terms_and_limits() {
        let terms = [
            ('a', "weights", 60.0),
            ('b', "KV cache", 0.0),
            ('f', "framework <1>", 0.5),
        ];
        let drawn =
            memory_bar("Memory of one H100", &terms, Some(71.68), (58.0, 64.0)).into_string();
        assert!(drawn.contains("class=\"term t0\"") && !drawn.contains("term t1"));
        assert!(drawn.contains("term t2") && drawn.contains("framework &lt;1&gt;: 0.50 GiB"));
        assert!(drawn.contains("usable 71.7") && drawn.contains("peak 58.0 to 64.0 GiB"));
        assert!(drawn.contains("role=\"img\"") && !drawn.contains("style="));
        // Only wide terms have room for a letter.
        assert_eq!(drawn.matches("class=\"inside\"").count(), 1);
        let unknown = memory_bar("x", &[], None, (0.0, 0.0)).into_string();
        assert!(!unknown.contains("NaN") && !unknown.contains("class=\"usable\""));
    }
}
