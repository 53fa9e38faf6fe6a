//! GPUs as their slices, with one column per placement unit.

use maud::{Markup, html};

use super::picture;

const WIDTH: f64 = 720.0;
const LABEL: f64 = 96.0;
const RULER: f64 = 30.0;
const ROW: f64 = 66.0;
const GAP: f64 = 10.0;
/// Number of colors of kinds of slices.
const COLORS: usize = 6;

/// A slice of a GPU.
pub struct DrawnSlice {
    pub name: String,
    /// Index of its kind, which selects the color.
    pub kind: usize,
    /// First placement unit, and number of units.
    pub start: usize,
    pub size: usize,
    pub exists: bool,
}

/// A GPU with a label, such as `GPU 0` or `3 x`.
pub struct DrawnGpu {
    pub label: String,
    pub slices: Vec<DrawnSlice>,
}

/// Draws GPUs that have `units` placement units.
pub fn gpus(label: &str, units: usize, gpus: &[DrawnGpu]) -> Markup {
    let step = (WIDTH - LABEL - 4.0) / units.max(1) as f64;
    let height = RULER + (ROW + GAP) * gpus.len() as f64;
    let x = |unit: usize| round(LABEL + step * unit as f64);
    let texts: Vec<String> = gpus.iter().map(in_words).collect();
    let drawing = html! {
        svg class="chart slices" viewBox=(format!("0 0 {WIDTH} {height}")) role="img" aria-label=(format!("{label}: {}", texts.join("; "))) {
            title { (label) }
            desc { (texts.join("; ")) }
            g class="axis" {
                text x="0" y="20" { "start" }
                @for unit in 0..units { text x=(x(unit) + 4.0) y="20" { (unit) } }
            }
            @for (row, gpu) in gpus.iter().enumerate() {
                @let y = RULER + (ROW + GAP) * row as f64;
                text class="name" x="0" y=(y + ROW / 2.0) dominant-baseline="central" { (gpu.label) }
                @for unit in 0..units { rect class="free" x=(x(unit)) y=(y) width=(round(step - 2.0)) height=(ROW) {} }
                @for slice in &gpu.slices {
                    rect class=(class(slice)) x=(x(slice.start)) y=(y) width=(round(step * slice.size as f64 - 2.0)) height=(ROW) { title { (name(slice)) } }
                    @for (line, part) in parts(&slice.name).iter().enumerate() {
                        text class=(if slice.exists { "name" } else { "inside" }) x=(x(slice.start) + 6.0) y=(y + 20.0 + 19.0 * line as f64) { (part) }
                    }
                }
            }
        }
    };
    let has_existing = gpus
        .iter()
        .any(|gpu| gpu.slices.iter().any(|slice| slice.exists));
    let caption = if has_existing {
        "Columns: placement units. Dashed: slices that exist. Empty: free."
    } else {
        "Columns: placement units. Empty: free."
    };
    picture(label, caption, &drawing)
}

fn round(coordinate: f64) -> f64 {
    (coordinate * 10.0).round() / 10.0
}

fn class(slice: &DrawnSlice) -> String {
    if slice.exists {
        "exists".to_owned()
    } else {
        format!("slice t{}", slice.kind % COLORS)
    }
}

/// `3g.40gb at 4`
fn name(slice: &DrawnSlice) -> String {
    let exists = if slice.exists { " (exists)" } else { "" };
    format!("{} at {}{exists}", slice.name, slice.start)
}

fn in_words(gpu: &DrawnGpu) -> String {
    let names: Vec<String> = gpu.slices.iter().map(name).collect();
    if names.is_empty() {
        format!("{}: free", gpu.label)
    } else {
        format!("{}: {}", gpu.label, names.join(", "))
    }
}

/// The parts of a profile's name, one for each line: `1g`, `10gb`, `+me`.
fn parts(name: &str) -> Vec<&str> {
    let (slices, rest) = name.split_once('.').unwrap_or((name, ""));
    let at = rest.find(['+', '-']).unwrap_or(rest.len());
    let (memory, attribute) = rest.split_at(at);
    [slices, memory, attribute]
        .into_iter()
        .filter(|part| !part.is_empty())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slices_take_their_units() {
        let slice = |name: &str, start, size, exists| DrawnSlice {
            name: name.to_owned(),
            kind: 7,
            start,
            size,
            exists,
        };
        let gpu = DrawnGpu {
            label: "GPU <0>".to_owned(),
            slices: vec![
                slice("1g.10gb+me", 0, 1, true),
                slice("3g.40gb", 4, 4, false),
            ],
        };
        let drawn = gpus("Slices", 8, &[gpu]).into_string();
        assert_eq!(drawn.matches("class=\"free\"").count(), 8);
        assert!(drawn.contains("class=\"slice t1\"") && drawn.contains("class=\"exists\""));
        assert!(drawn.contains("GPU &lt;0&gt;: 1g.10gb+me at 0 (exists), 3g.40gb at 4"));
        assert!(drawn.contains("Dashed") && !drawn.contains("style="));
    }

    #[test]
    fn names_break_into_lines() {
        assert_eq!(parts("1g.10gb+me"), ["1g", "10gb", "+me"]);
        assert_eq!(parts("1g.24gb-me.all"), ["1g", "24gb", "-me.all"]);
        assert_eq!(parts("odd"), ["odd"]);
    }
}
