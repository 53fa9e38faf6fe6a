//! Tables that fit the terminal: the least important columns are hidden first, then long texts are truncated.

mod cells;
mod fit;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::convert::Infallible;

use anstyle::Style;

use self::cells::{Cells, width_of};
pub use self::cells::{NewRow, cut};
use super::line::Line;
use crate::ui::{BEST, BOLD, DIM};

/// Space between two columns.
const GAP: usize = 2;
/// The highest priority of essential columns.
const ESSENTIAL: u8 = 1;
/// The priority of columns that only a wide page has.
const LEAST_IMPORTANT: u8 = 8;

/// Alignment of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    Left,
    /// For numbers.
    Right,
}

/// Where the texts of a column are truncated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Truncation {
    /// After any letter.
    Letters,
    /// After a reason of a list of reasons, if there is space for one.
    Reasons,
    Never,
}

/// A table column.
#[derive(Clone, Debug)]
pub struct Column {
    pub title: Cow<'static, str>,
    pub align: Align,
    /// 0 is never hidden; the highest value is hidden first.
    pub priority: u8,
    /// Whether the column is hidden before others of its priority.
    pub yields: bool,
    /// The width that texts keep while other texts can be truncated; 0 for other columns.
    pub kept_width: usize,
    /// Whether the column is a picture of letters, in whose place a page has a drawing.
    pub is_picture: bool,
    /// Whether the texts of the column are truncated to the space that the other columns leave.
    pub fills: bool,
    /// Where the texts of the column are truncated.
    pub(super) truncation: Truncation,
    /// The place of its cell in each row: columns are moved and hidden, and cells stay.
    pub(super) cell: usize,
}

impl Column {
    pub fn left(title: impl Into<Cow<'static, str>>, priority: u8) -> Self {
        Self {
            title: title.into(),
            align: Align::Left,
            priority,
            yields: false,
            kept_width: 0,
            is_picture: false,
            fills: false,
            truncation: Truncation::Letters,
            cell: 0,
        }
    }

    /// Truncates the reasons in the column to the space that the other columns leave, if that is enough for a few words.
    #[must_use]
    pub fn filling(self) -> Self {
        Self {
            fills: true,
            truncation: Truncation::Reasons,
            ..self
        }
    }

    /// Hides the column before others of its priority.
    #[must_use]
    pub fn yielding(self) -> Self {
        Self {
            yields: true,
            ..self
        }
    }

    /// The reasons why rows are marked: the most common two words stay readable.
    pub fn of_marks() -> Self {
        Self {
            kept_width: "too cheap, unconfirmed".len(),
            truncation: Truncation::Reasons,
            ..Self::left("REMARK", 0)
        }
    }

    /// The ages of prices, with the marks of their kinds: half of a mark could be of another kind.
    pub fn of_ages(priority: u8) -> Self {
        Self {
            truncation: Truncation::Never,
            ..Self::left("AGE", priority)
        }
    }

    /// The width of the column if its texts are cut to a width.
    fn cut_to(&self, most: usize) -> usize {
        if self.truncation == Truncation::Never {
            return usize::MAX;
        }
        most.max(self.kept_width).max(width_of(&self.title))
    }

    /// A picture of letters, in whose place a page has a drawing.
    pub fn picture(title: impl Into<Cow<'static, str>>, priority: u8) -> Self {
        Self {
            is_picture: true,
            ..Self::left(title, priority)
        }
    }

    pub fn right(title: impl Into<Cow<'static, str>>, priority: u8) -> Self {
        Self {
            align: Align::Right,
            ..Self::left(title, priority)
        }
    }
}

/// Style of a row. Color never carries information that the text lacks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum RowStyle {
    #[default]
    Plain,
    Best,
    Dim,
}

impl RowStyle {
    fn of_text(self) -> Style {
        match self {
            Self::Plain => Style::new(),
            Self::Best => BEST,
            Self::Dim => DIM,
        }
    }
}

/// A table: columns and rows.
#[derive(Debug, Default)]
pub struct Table {
    pub(super) columns: Vec<Column>,
    pub(super) cells: Cells,
    /// Addresses of cells on a page: row, cell of the row, address.
    pub(super) links: Vec<(usize, usize, String)>,
    /// The caption on a page.
    pub(super) caption: Option<Cow<'static, str>>,
    /// Whether dots of a drawing lead to the rows.
    pub(super) has_row_ids: bool,
}

impl Table {
    pub fn new(columns: impl IntoIterator<Item = Column>) -> Self {
        let columns = columns.into_iter().zip(0..);
        let columns = columns.map(|(column, cell)| Column { cell, ..column });
        let columns: Vec<Column> = columns.collect();
        Self {
            cells: Cells::new(columns.len()),
            columns,
            ..Self::default()
        }
    }

    /// Sets the caption on a page.
    #[must_use]
    pub fn with_caption(mut self, caption: impl Into<Cow<'static, str>>) -> Self {
        self.caption = Some(caption.into());
        self
    }

    /// Gives each row an id on a page, to which the dots of a drawing lead.
    #[must_use]
    pub fn with_row_ids(mut self) -> Self {
        self.has_row_ids = true;
        self
    }

    /// Links the cells of some columns of the last row to a page of the web.
    pub fn link(&mut self, titles: &[&str], url: Option<&str>) {
        let (Some(url), Some(row)) = (url, self.cells.rows().checked_sub(1)) else {
            return;
        };
        for column in &self.columns {
            if titles.contains(&&*column.title) {
                self.links.push((row, column.cell, url.to_owned()));
            }
        }
    }

    /// Adds a last column with the address to which each row links, if any row links.
    #[must_use]
    pub fn with_link_column(mut self) -> Self {
        if self.links.is_empty() {
            return self;
        }
        let mut addresses = vec![""; self.cells.rows()];
        for (row, _, url) in &self.links {
            addresses[*row] = url;
        }
        let cell = self.cells.add_column(&addresses);
        self.columns.push(Column {
            cell,
            ..Column::left("LINK", LEAST_IMPORTANT)
        });
        self
    }

    /// Moves a column before another, and never hides it. The other column yields to the columns beside it.
    pub fn lead_with(&mut self, title: &str, before: &str) {
        let place = |title: &str| self.columns.iter().position(|column| column.title == title);
        let (Some(from), Some(to)) = (place(title), place(before)) else {
            return;
        };
        if to > from {
            return;
        }
        self.columns[to..=from].rotate_right(1);
        self.columns[to].priority = 0;
        let other = &mut self.columns[to + 1];
        (other.priority, other.yields) = (ESSENTIAL, true);
    }

    /// Adds a row.
    pub fn row(&mut self, style: RowStyle, cells: impl IntoIterator<Item = impl AsRef<str>>) {
        let mut row = self.start_row(style);
        for cell in cells {
            row.text(cell.as_ref());
        }
    }

    /// Adds a row whose cells are filled one by one.
    pub fn start_row(&mut self, style: RowStyle) -> NewRow<'_> {
        self.cells.add_row(style)
    }

    /// The text of a cell of a column.
    pub(super) fn text(&self, row: usize, at: usize) -> &str {
        self.cells.text(row, self.columns[at].cell)
    }

    /// Whether a column is empty in every row.
    pub(super) fn is_empty(&self, at: usize) -> bool {
        self.cells.is_empty(self.columns[at].cell)
    }

    /// Returns the header and rows for a width, and the titles of hidden columns.
    pub fn styled_lines(self, width: Option<usize>) -> (Vec<Line>, Vec<Cow<'static, str>>) {
        let mut lines = Vec::with_capacity(1 + self.cells.rows());
        let Ok(hidden) = self.each_line(width, |style, line| {
            lines.push(vec![(style, text_of(line))]);
            Ok::<_, Infallible>(())
        });
        (lines, hidden)
    }

    /// Calls a function with each line for a width, the header first, and returns the titles of hidden columns.
    ///
    /// # Errors
    ///
    /// The first error of the function.
    pub fn each_line<E>(
        mut self,
        width: Option<usize>,
        show: impl FnMut(Style, &[u8]) -> Result<(), E>,
    ) -> Result<Vec<Cow<'static, str>>, E> {
        let hidden = self.lay_out(width);
        self.draw(show)?;
        Ok(hidden)
    }

    /// Returns the header and the rows, one line each, with every column.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::with_capacity(1 + self.cells.rows());
        let Ok(()) = self.draw(|_, line| {
            lines.push(text_of(line));
            Ok::<_, Infallible>(())
        });
        lines
    }

    /// Calls a function with the header and each row. One buffer holds all lines, one after another.
    fn draw<E>(&self, mut show: impl FnMut(Style, &[u8]) -> Result<(), E>) -> Result<(), E> {
        let places = self.places();
        let mut line = Vec::new();
        self.write_header(&mut line, &places);
        show(BOLD, &line)?;
        for (row, style) in self.cells.styles().iter().enumerate() {
            self.write_row(&mut line, &places, row);
            show(style.of_text(), &line)?;
        }
        Ok(())
    }

    /// Removes empty columns and hides columns that do not fit; returns the titles of the hidden ones.
    fn lay_out(&mut self, width: Option<usize>) -> Vec<Cow<'static, str>> {
        self.drop_empty_columns();
        width.map(|width| self.fit(width)).unwrap_or_default()
    }

    /// Truncates texts to a maximum width.
    #[cfg(not(target_family = "wasm"))]
    #[must_use]
    pub fn with_texts_cut(mut self, most: usize) -> Self {
        for column in &self.columns {
            if column.align == Align::Left {
                self.cells.cut(column.cell, most, column.truncation);
            }
        }
        self
    }

    /// Divides a table that is wider than `width` into tables that fit, each with the first `keys` columns and some of
    /// the others. Cells have no links.
    #[must_use]
    pub fn divided(self, keys: usize, width: usize) -> Vec<Self> {
        let widths = self.widths();
        let mut groups: Vec<Vec<usize>> = Vec::new();
        for at in keys..widths.len() {
            let fits = |group: &&mut Vec<usize>| {
                let shown = (0..keys).chain(group.iter().copied()).chain([at]);
                total(&shown.map(|at| widths[at]).collect::<Vec<_>>()) <= width
            };
            match groups.last_mut().filter(fits) {
                Some(group) => group.push(at),
                None => groups.push(vec![at]),
            }
        }
        if groups.len() < 2 {
            return vec![self];
        }
        let part = |group: Vec<usize>| {
            let shown = (0..keys).chain(group);
            Self {
                columns: shown.map(|at| self.columns[at].clone()).collect(),
                cells: self.cells.clone(),
                ..Self::default()
            }
        };
        groups.into_iter().map(part).collect()
    }

    /// Lays the table out for a width, for drawing single rows.
    #[cfg(not(target_family = "wasm"))]
    pub fn laid_out(mut self, width: usize) -> LaidOut {
        self.lay_out(Some(width));
        LaidOut {
            places: self.places(),
            table: self,
        }
    }

    /// The places of the columns in a line.
    fn places(&self) -> Vec<Place> {
        let mut start = 0;
        let columns = self.columns.iter().zip(self.widths());
        let places = columns.map(|(column, width)| {
            let place = Place {
                cell: column.cell,
                align: column.align,
                start,
                width,
            };
            start += width + GAP;
            place
        });
        places.collect()
    }

    /// Writes the line of titles.
    fn write_header(&self, line: &mut Vec<u8>, places: &[Place]) {
        let titles = self.columns.iter().map(|column| &*column.title);
        let titles = titles.map(|title| (title.as_bytes(), width_of(title)));
        write_line(line, places, titles);
    }

    /// Writes the line of a row.
    fn write_row(&self, line: &mut Vec<u8>, places: &[Place], row: usize) {
        let row = self.cells.row(row);
        let texts = places.iter().map(|place| row.text(place.cell));
        write_line(line, places, texts);
    }

    fn widths(&self) -> Vec<usize> {
        let widest = self.cells.widths();
        let columns = self.columns.iter();
        let widths = columns.map(|column| widest[column.cell].max(width_of(&column.title)));
        widths.collect()
    }

    /// Returns the width of the widest text in a column.
    fn width(&self, at: usize) -> usize {
        let column = &self.columns[at];
        self.cells.width(column.cell).max(width_of(&column.title))
    }

    /// Removes columns that have a text in no row.
    fn drop_empty_columns(&mut self) {
        let cells = &self.cells;
        self.columns
            .retain(|column| column.priority == 0 || !cells.is_empty(column.cell));
    }
}

/// The place of a column in a line.
#[derive(Debug)]
struct Place {
    /// The place of its cell in a row.
    cell: usize,
    align: Align,
    /// The first letter.
    start: usize,
    width: usize,
}

/// Writes texts, each with its width, to their places among the blanks of a line.
fn write_line<'t>(
    line: &mut Vec<u8>,
    places: &[Place],
    texts: impl Iterator<Item = (&'t [u8], usize)>,
) {
    line.clear();
    let end = places.last().map_or(0, |place| place.start + place.width);
    line.resize(end, b' ');
    // The bytes that the texts so far have in addition to letters: the rest of the line is as many bytes later.
    let mut later = 0;
    for (place, (text, width)) in places.iter().zip(texts) {
        let more = text.len().saturating_sub(width);
        if more > 0 {
            line.resize(line.len() + more, b' ');
        }
        let lead = match place.align {
            Align::Left => 0,
            Align::Right => place.width.saturating_sub(width),
        };
        let start = place.start + later + lead;
        if let Some(blanks) = line.get_mut(start..start + text.len()) {
            blanks.copy_from_slice(text);
        }
        later += more;
    }
    line.truncate(line.trim_ascii_end().len());
}

/// Returns a line, which consists of whole texts.
fn text_of(line: &[u8]) -> String {
    String::from_utf8_lossy(line).into_owned()
}

/// Returns the width of a whole line.
fn total(widths: &[usize]) -> usize {
    widths.iter().sum::<usize>() + GAP * widths.len().saturating_sub(1)
}

/// A table with computed column widths.
#[cfg(not(target_family = "wasm"))]
#[derive(Debug, Default)]
pub struct LaidOut {
    table: Table,
    places: Vec<Place>,
}

#[cfg(not(target_family = "wasm"))]
impl LaidOut {
    /// Returns the line of titles.
    pub fn header(&self) -> String {
        let mut line = Vec::new();
        self.table.write_header(&mut line, &self.places);
        text_of(&line)
    }

    /// Returns the line of a row and its style; `None` past the end.
    pub fn row(&self, at: usize) -> Option<(Style, String)> {
        let style = self.table.cells.styles().get(at)?;
        let mut line = Vec::new();
        self.table.write_row(&mut line, &self.places, at);
        Some((style.of_text(), text_of(&line)))
    }
}
