//! The cells of a table: one text for all of them, and the place and width of each.

use sky_accel_core::text::{Rounded, printable, push_grouped};
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::{RowStyle, Truncation};

/// Maximum length of a cell in characters. Legitimate names and sources are shorter; the bound limits untrusted
/// text.
const MAX_CELL: usize = 250;

/// The text of a cell without a figure. Many cells have it, so the text of a table begins with it for all of them.
const DASH: &str = "—";

/// The cells of all rows, with as many in each row as the table has columns. All texts are in one string, so that a
/// table of thousands of cells takes few allocations, and each width is measured once.
#[derive(Clone, Debug)]
pub(in crate::render) struct Cells {
    text: String,
    grid: Vec<Cell>,
    styles: Vec<RowStyle>,
    per_row: usize,
}

/// A printable part of the text, and its width in columns.
#[derive(Clone, Copy, Debug, Default)]
struct Cell {
    start: usize,
    end: usize,
    width: usize,
}

impl Default for Cells {
    fn default() -> Self {
        Self::new(0)
    }
}

impl Cells {
    pub(super) fn new(per_row: usize) -> Self {
        Self {
            text: DASH.to_owned(),
            grid: Vec::new(),
            styles: Vec::new(),
            per_row,
        }
    }

    /// The number of cells of all rows.
    fn end(&self) -> usize {
        self.styles.len() * self.per_row
    }

    /// The number of rows.
    pub(super) fn rows(&self) -> usize {
        self.styles.len()
    }

    /// Adds a row, whose cells are filled one by one.
    pub(super) fn add_row(&mut self, style: RowStyle) -> NewRow<'_> {
        self.styles.push(style);
        NewRow { of: self }
    }

    /// The styles of all rows.
    pub(in crate::render) fn styles(&self) -> &[RowStyle] {
        &self.styles
    }

    /// The text of a cell.
    pub(in crate::render) fn text(&self, row: usize, at: usize) -> &str {
        let cell = self.grid.get(row * self.per_row + at);
        cell.map_or("", |cell| &self.text[cell.start..cell.end])
    }

    /// The cells of a row.
    pub(super) fn row(&self, row: usize) -> Row<'_> {
        let start = row * self.per_row;
        let cells = self.grid.get(start..start + self.per_row);
        Row {
            text: self.text.as_bytes(),
            cells: cells.unwrap_or_default(),
        }
    }

    /// The cells of a column.
    fn column(&self, at: usize) -> impl Iterator<Item = &Cell> {
        self.grid.iter().skip(at).step_by(self.per_row.max(1))
    }

    /// The width of the widest text of a column.
    pub(super) fn width(&self, at: usize) -> usize {
        self.column(at).map(|cell| cell.width).max().unwrap_or(0)
    }

    /// The width of the widest text of each column.
    pub(super) fn widths(&self) -> Vec<usize> {
        let mut widths = vec![0; self.per_row];
        for row in self.grid.chunks_exact(self.per_row.max(1)) {
            for (widest, cell) in widths.iter_mut().zip(row) {
                *widest = cell.width.max(*widest);
            }
        }
        widths
    }

    /// Whether a column is empty in every row.
    pub(in crate::render) fn is_empty(&self, at: usize) -> bool {
        self.column(at).all(|cell| cell.start == cell.end)
    }

    /// Truncates the texts of a column to a width.
    pub(super) fn cut(&mut self, at: usize, width: usize, truncation: Truncation) {
        let column = self.grid.iter_mut().skip(at);
        for cell in column.step_by(self.per_row.max(1)) {
            if cell.width > width {
                let text = &self.text[cell.start..cell.end];
                let text = match truncation {
                    Truncation::Reasons => cut_reasons(text, width),
                    Truncation::Letters | Truncation::Never => cut(text, width),
                };
                *cell = measured(&mut self.text, &text);
            }
        }
    }

    /// Adds a last cell to each row, and returns its place.
    pub(super) fn add_column(&mut self, texts: &[&str]) -> usize {
        let mut rows = std::mem::take(&mut self.grid).into_iter();
        for text in texts {
            self.grid.extend(rows.by_ref().take(self.per_row));
            self.grid.push(appended(&mut self.text, text));
        }
        self.per_row += 1;
        self.per_row - 1
    }
}

/// The cells of a row.
pub(super) struct Row<'t> {
    text: &'t [u8],
    cells: &'t [Cell],
}

impl<'t> Row<'t> {
    /// The text of a cell in bytes, and its width; empty past the end.
    pub(super) fn text(&self, at: usize) -> (&'t [u8], usize) {
        let cell = self.cells.get(at).copied().unwrap_or_default();
        (&self.text[cell.start..cell.end], cell.width)
    }
}

/// A row whose cells are filled from left to right. Cells beyond the last column are left out, and cells that are not
/// filled are empty.
#[derive(Debug)]
pub struct NewRow<'t> {
    of: &'t mut Cells,
}

impl NewRow<'_> {
    /// Fills the next cell with a text.
    pub fn text(&mut self, text: &str) {
        let cell = appended(&mut self.of.text, text);
        self.fill(cell);
    }

    /// Fills the next cell with a number; `None` is a dash.
    pub fn number(&mut self, number: Option<Rounded>) {
        self.figure(number, |text, number| number.push_to(text));
    }

    /// Fills the next cell with a number whose digits are in groups of three; `None` is a dash.
    pub fn grouped(&mut self, number: Option<f64>) {
        self.figure(number, push_grouped);
    }

    /// Writes a figure to its place, without a string between.
    fn figure<T>(&mut self, figure: Option<T>, push: impl Fn(&mut String, T)) {
        let cell = figure.map_or(Cell::DASH, |figure| {
            let text = &mut self.of.text;
            let start = text.len();
            push(text, figure);
            Cell::plain(start, text.len())
        });
        self.fill(cell);
    }

    fn fill(&mut self, cell: Cell) {
        if self.of.grid.len() < self.of.end() {
            self.of.grid.push(cell);
        }
    }
}

impl Drop for NewRow<'_> {
    fn drop(&mut self) {
        let end = self.of.end();
        self.of.grid.resize(end, Cell::default());
    }
}

impl Cell {
    const DASH: Self = Self {
        start: 0,
        end: DASH.len(),
        width: 1,
    };

    /// The cell of a plain text, whose characters take one byte and one column each.
    fn plain(start: usize, end: usize) -> Self {
        Self {
            start,
            end,
            width: end - start,
        }
    }
}

/// Whether a text is short and has only characters that are printed unchanged, with one byte and one column each.
fn is_plain(text: &str) -> bool {
    text.len() <= MAX_CELL && text.bytes().all(|byte| matches!(byte, b' '..=b'~'))
}

/// Appends the printable form of a text.
#[inline]
fn appended(all: &mut String, text: &str) -> Cell {
    if !is_plain(text) {
        return escaped(all, text);
    }
    let start = all.len();
    all.push_str(text);
    Cell::plain(start, all.len())
}

/// Appends the printable form of a text that is long or has other characters than printable ASCII.
fn escaped(all: &mut String, text: &str) -> Cell {
    if text == DASH {
        return Cell::DASH;
    }
    match text.char_indices().nth(MAX_CELL) {
        Some((end, _)) => measured(all, &(printable(&text[..end]) + "…")),
        None => measured(all, &printable(text)),
    }
}

/// Appends a text that is printable.
fn measured(all: &mut String, text: &str) -> Cell {
    let start = all.len();
    all.push_str(text);
    Cell {
        start,
        end: all.len(),
        width: width_of(text),
    }
}

/// Returns the width of a printable text in columns. Most texts are ASCII, whose letters take one column each.
pub(super) fn width_of(text: &str) -> usize {
    if text.is_ascii() {
        text.len()
    } else {
        text.width()
    }
}

/// Truncates a text to `width` columns, with an ellipsis.
pub fn cut(text: &str, width: usize) -> String {
    if width_of(text) <= width {
        return text.to_owned();
    }
    let mut out = String::new();
    let mut used = 1;
    for c in text.chars() {
        used += c.width().unwrap_or(0);
        if used > width {
            break;
        }
        out.push(c);
    }
    out.push('…');
    out
}

/// Truncates a list of reasons to `width` columns after one of them, or after a letter if the first is wider.
fn cut_reasons(text: &str, width: usize) -> String {
    let marks = text.match_indices([',', ';']);
    let ends = marks.filter(|(end, _)| text[end + 1..].starts_with(' '));
    let lists = ends.map(|(end, _)| &text[..end]);
    let whole = lists
        .take_while(|reasons| width_of(reasons) <= width)
        .last();
    let Some(whole) = whole else {
        return cut(text, width);
    };
    let more = if width_of(whole) < width { "…" } else { "" };
    format!("{whole}{more}")
}

#[cfg(test)]
mod tests {
    use super::cut_reasons;

    #[test]
    fn reasons_stay_readable() {
        let text = "unconfirmed, private host, too cheap";
        assert_eq!(cut_reasons(text, 30), "unconfirmed, private host…");
        assert_eq!(cut_reasons(text, 25), "unconfirmed, private host");
        assert_eq!(cut_reasons(text, 24), "unconfirmed…");
        assert_eq!(cut_reasons(text, 11), "unconfirmed");
        assert_eq!(cut_reasons(text, 10), "unconfirm…");
        assert_eq!(cut_reasons("secure; community ~1,300.20", 20), "secure…");
    }
}
