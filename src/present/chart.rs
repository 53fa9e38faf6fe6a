//! Text chart of price against speed.

use anstyle::{AnsiColor, Style};

use sky_accel_engine::Point;

use crate::render::Line;
use crate::ui::DIM;

/// Width of the plot on wide and narrow terminals, in columns.
const WIDTHS: [usize; 2] = [60, 40];
/// Minimum terminal width for the wide plot, in columns.
const ROOM: usize = 80;
const HEIGHT: usize = 14;

/// Draws both axes on logarithmic scales, since offers differ by a factor of a hundred. Ranks 1 to 9 are digits;
/// offers that are not in the table are dots.
pub fn draw(points: &[Point], listed: usize, by_total: bool, terminal: Option<usize>) -> Vec<Line> {
    let width = WIDTHS[usize::from(terminal.is_some_and(|columns| columns < ROOM))];
    let range = |of: fn(&Point) -> f64| {
        let logs = points.iter().map(|point| of(point).max(1e-9).log10());
        logs.fold((f64::MAX, f64::MIN), |(low, high), log| {
            (low.min(log), high.max(log))
        })
    };
    let (x, y) = (range(|point| point.usd), range(|point| point.tokens_per_s));
    if points.is_empty() {
        return Vec::new();
    }
    let place = |value: f64, (low, high): (f64, f64), cells: usize| {
        let extent = (high - low).max(1e-9);
        let share = (value.max(1e-9).log10() - low) / extent;
        ((share * (cells - 1) as f64).round() as usize).min(cells - 1)
    };
    let mut grid = vec![vec![' '; width]; HEIGHT];
    // Draw the best ranks last, so that they are on top.
    for (at, point) in points.iter().enumerate().rev() {
        let symbol = match at {
            0..9 if at < listed => char::from(b'1' + at as u8),
            _ => '.',
        };
        let row = HEIGHT - 1 - place(point.tokens_per_s, y, HEIGHT);
        grid[row][place(point.usd, x, width)] = symbol;
    }
    let mut lines: Vec<Line> = Vec::new();
    let axis = if by_total {
        "US dollars in total"
    } else {
        "US dollars per hour"
    };
    let label = |at: usize| match at {
        0 => short(10_f64.powf(y.1)),
        at if at == HEIGHT - 1 => short(10_f64.powf(y.0)),
        _ => String::new(),
    };
    for (at, row) in grid.iter().enumerate() {
        let text: String = row.iter().collect();
        lines.push(vec![
            (DIM, format!("{:>7} |", label(at))),
            (AnsiColor::Cyan.on_default(), text.trim_end().to_owned()),
        ]);
    }
    lines.push(vec![(DIM, format!("{:>7} +{}", "", "-".repeat(width)))]);
    let (left, right) = (short(10_f64.powf(x.0)), short(10_f64.powf(x.1)));
    let gap = width.saturating_sub(left.len() + right.len());
    lines.push(vec![(
        DIM,
        format!("{:>7}  {left}{}{right}", "", " ".repeat(gap)),
    )]);
    for text in [
        format!("tokens/s against {axis}"),
        "numbers are ranks; dots are other offers".to_owned(),
    ] {
        lines.push(vec![(Style::new(), format!("         {text}"))]);
    }
    lines
}

/// Formats a number with at most three digits and a unit prefix.
fn short(value: f64) -> String {
    for (power, unit) in [(1e9, "G"), (1e6, "M"), (1e3, "k")] {
        if value >= power {
            return format!("{:.3}", value / power)
                .chars()
                .take(4)
                .collect::<String>()
                .trim_end_matches('.')
                .to_owned()
                + unit;
        }
    }
    format!("{value:.4}")
        .chars()
        .take(4)
        .collect::<String>()
        .trim_end_matches('.')
        .to_owned()
}

#[cfg(test)]
mod tests {
    use sky_accel_core::catalog::{AcceleratorId, OfferId};
    use sky_accel_core::money::Count;
    use sky_accel_engine::Point;

    use super::{draw, short};

    fn point(usd: f64, tokens_per_s: f64) -> Point {
        Point {
            usd,
            is_estimated: false,
            tokens_per_s,
            is_pareto: false,
            offer: OfferId(0),
            accelerator: AcceleratorId(0),
            count: Count::ONE,
        }
    }

    #[test]
    fn ranks_stand_where_they_belong() {
        let lines = draw(&[point(1.0, 10.0), point(100.0, 1000.0)], 2, false, None);
        let text = |at: usize| {
            lines[at]
                .iter()
                .map(|(_, text)| text.as_str())
                .collect::<String>()
        };
        assert!(
            text(0).ends_with('2') && text(0).contains("1.00k"),
            "{}",
            text(0)
        );
        assert!(text(13).trim_end().ends_with("|1"), "{}", text(13));
        assert!(draw(&[], 0, false, Some(60)).is_empty());
        // A single point has no extent.
        assert!(!draw(&[point(1.0, 1.0)], 1, true, None).is_empty());
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(short(1234.0), "1.23k");
        assert_eq!(short(0.5), "0.50");
        assert_eq!(short(123.4), "123");
    }
}
