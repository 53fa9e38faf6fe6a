//! The memory of a model on one device: a bar, and its terms.

use anstyle::{AnsiColor, Style};
use sky_accel_engine::contract::{FitOut, MemoryOut, Num};

use super::terms::terms;
use crate::html::memory_bar;
use crate::render::{Block, Column, Line, RowStyle, Table};
use crate::ui::DIM;

/// The width of the bar.
const BAR: usize = 56;
/// The colors of the terms.
const COLORS: [AnsiColor; 9] = [
    AnsiColor::Cyan,
    AnsiColor::Green,
    AnsiColor::Blue,
    AnsiColor::Magenta,
    AnsiColor::Blue,
    AnsiColor::Yellow,
    AnsiColor::White,
    AnsiColor::BrightBlack,
    AnsiColor::BrightMagenta,
];

/// Returns the bar, as a drawing on a page, and the table of the terms. With `shows_measures`, the table has each
/// measure of the peak.
pub fn blocks(result: &FitOut, shows_measures: bool, is_html: bool) -> Vec<Block> {
    let memory = &result.per_device_gib;
    let picture = match memory.usable {
        _ if is_html => Some(Block::Drawing(drawing(result))),
        Some(usable) => Some(Block::Picture(bar(memory, usable.0))),
        None => None,
    };
    let table = Block::Table(table(result, shows_measures));
    picture.into_iter().chain([table]).collect()
}

/// Returns the bar as a drawing.
fn drawing(result: &FitOut) -> maud::Markup {
    let memory = &result.per_device_gib;
    let letters = ('a'..).zip(terms(memory));
    let terms: Vec<(char, &str, f64)> = letters
        .map(|(letter, (name, size))| (letter, name, size.0))
        .collect();
    memory_bar(
        &format!("Memory of one {}", result.accelerator),
        &terms,
        memory.usable.map(|usable| usable.0),
        (memory.low.0, memory.high.0),
    )
}

/// The terms of memory and, if `is_verbose`, each measure of their peak.
fn table(result: &FitOut, is_verbose: bool) -> Table {
    let memory = &result.per_device_gib;
    let mut table = Table::new([
        Column::left("GIB PER DEVICE", 0),
        Column::right("", 0),
        Column::left("", 0),
    ]);
    let gib = |n: Num| format!("{:.2}", n.0);
    for (letter, (name, size)) in ('a'..).zip(terms(memory)) {
        if size.0 > 0.0 {
            let remark = format!("{letter} in the bar");
            table.row(RowStyle::Plain, [name.to_owned(), gib(size), remark]);
        }
    }
    let measures = [
        ("steady", memory.steady, "remains after a step"),
        (
            "peak, in use",
            memory.allocated,
            "counted by the allocator; the terms peak at different times",
        ),
        ("peak, held", memory.reserved, "with the allocator's slack"),
        ("peak, device", memory.device, "reported by the driver"),
        ("low", memory.low, "10% of measured peaks were lower"),
        (
            "high",
            memory.high,
            "10% were higher; the model fits if this is at most `usable`",
        ),
    ];
    for (name, size, remark) in measures.into_iter().filter(|_| is_verbose) {
        let row = [name.to_owned(), gib(size), remark.to_owned()];
        table.row(RowStyle::Dim, row);
    }
    if let Some(host) = result.host_gib {
        let sum = host.0 * f64::from(result.count);
        let remark = format!("on the host, per device; {sum:.1} for all");
        let row = ["host memory".to_owned(), gib(host), remark];
        table.row(RowStyle::Plain, row);
    }
    if let Some(usable) = memory.usable {
        let row = ["usable".to_owned(), gib(usable), String::new()];
        table.row(RowStyle::Plain, row);
    }
    table
}

/// A bar of the terms, with a mark at the usable memory.
fn bar(memory: &MemoryOut, usable: f64) -> Vec<Line> {
    let sum: f64 = terms(memory).iter().map(|(_, size)| size.0).sum();
    let width_gib = usable.max(sum).max(memory.high.0);
    let cells = |gib: f64| (gib / width_gib * BAR as f64).round() as usize;
    let mut line: Line = vec![(Style::new(), "|".to_owned())];
    let mut drawn = 0;
    let mut upto = 0.0;
    for ((letter, (_, size)), color) in ('a'..).zip(terms(memory)).zip(COLORS) {
        upto += size.0;
        let end = cells(upto).min(BAR);
        if end > drawn {
            let text: String = std::iter::repeat_n(letter, end - drawn).collect();
            line.push((AnsiColor::Black.on(color), text));
            drawn = end;
        }
    }
    line.push((DIM, "-".repeat(BAR - drawn)));
    line.push((Style::new(), "|".to_owned()));
    // The bar starts in the second column.
    let column = 1 + cells(usable).min(BAR);
    let mark = if column > 8 {
        format!("{:>column$}", "usable ^")
    } else {
        format!("{:>column$} usable", "^")
    };
    vec![line, vec![(DIM, mark)]]
}
