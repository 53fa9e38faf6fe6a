//! Tables that fit the terminal: the least important columns are hidden first, then long texts are truncated.

use std::borrow::Cow;

use anstyle::Style;
use sky_accel_core::text::printable;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use super::line::Line;
use crate::ui::{BEST, BOLD, DIM};

/// Space between two columns.
const GAP: usize = 2;
/// Blanks to copy.
const BLANKS: &str = "                                ";
/// Minimum width of a truncated text, in columns.
const MIN_TEXT: usize = 8;
/// Width to which long texts are truncated before an essential column is hidden. Instance types that people type are
/// shorter; longer ids name single machines of resellers.
const LONG_TEXT: usize = 28;
/// Width to which they are truncated before an essential column is hidden, if that is enough.
const SHORT_TEXT: usize = 13;
/// The width of the reasons for marks before an essential column is hidden, if that is enough: one reason.
const ONE_MARK: usize = "unconfirmed".len();
/// The width of a usual terminal. In a narrower one, names are worth more than columns that yield.
const STANDARD_WIDTH: usize = 80;
/// The highest priority of essential columns.
const ESSENTIAL: u8 = 1;
/// The priority of columns that are worth truncating long texts, but not shorter ones.
const USEFUL: u8 = 2;
/// The priority of columns that only a wide page has.
const LEAST_IMPORTANT: u8 = 8;
/// Width to which texts are truncated before a useful column is hidden, if that is enough.
const USEFUL_TEXT: usize = 24;

/// Alignment of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    Left,
    /// For numbers.
    Right,
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
        }
    }

    /// Truncates texts to the space that the other columns leave, if that is enough for a few words.
    #[must_use]
    pub fn filling(self) -> Self {
        Self {
            fills: true,
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
            ..Self::left("REMARK", 0)
        }
    }

    /// The width of the column if its texts are cut to a width.
    fn cut_to(&self, most: usize) -> usize {
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
            title: title.into(),
            align: Align::Right,
            priority,
            yields: false,
            kept_width: 0,
            is_picture: false,
            fills: false,
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

/// Maximum length of a cell in characters. Legitimate names and sources are shorter; the bound limits untrusted
/// text.
const MAX_CELL: usize = 250;

/// Returns the printable text of a cell.
fn shown(text: String) -> String {
    let is_plain = text.bytes().all(|byte| matches!(byte, b' '..=b'~'));
    if is_plain && text.len() <= MAX_CELL {
        return text;
    }
    match text.char_indices().nth(MAX_CELL) {
        Some((end, _)) => printable(&text[..end]) + "…",
        None => printable(&text),
    }
}

/// A table: columns and rows.
#[derive(Debug, Default)]
pub struct Table {
    pub(super) columns: Vec<Column>,
    pub(super) rows: Vec<(RowStyle, Vec<String>)>,
    /// Addresses of cells on a page: row, column, address.
    pub(super) links: Vec<(usize, usize, String)>,
    /// The caption on a page.
    pub(super) caption: Option<Cow<'static, str>>,
    /// Whether dots of a drawing lead to the rows.
    pub(super) has_row_ids: bool,
}

impl Table {
    pub fn new(columns: impl IntoIterator<Item = Column>) -> Self {
        Self {
            columns: columns.into_iter().collect(),
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
        let (Some(url), Some(row)) = (url, self.rows.len().checked_sub(1)) else {
            return;
        };
        for (at, column) in self.columns.iter().enumerate() {
            if titles.contains(&&*column.title) {
                self.links.push((row, at, url.to_owned()));
            }
        }
    }

    /// Adds a last column with the address to which each row links, if any row links.
    #[must_use]
    pub fn with_link_column(mut self) -> Self {
        if self.links.is_empty() {
            return self;
        }
        let (width, rows) = (self.columns.len(), self.rows.len());
        self.columns.push(Column::left("LINK", LEAST_IMPORTANT));
        let mut addresses = vec![String::new(); rows];
        for (row, _, url) in &self.links {
            addresses[*row].clone_from(url);
        }
        for ((_, cells), address) in self.rows.iter_mut().zip(addresses) {
            cells.resize(width, String::new());
            cells.push(shown(address));
        }
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
        for (_, cells) in &mut self.rows {
            if from < cells.len() {
                cells[to..=from].rotate_right(1);
            }
        }
        for (_, column, _) in &mut self.links {
            *column += usize::from((to..from).contains(column));
        }
    }

    pub fn row(&mut self, style: RowStyle, cells: impl IntoIterator<Item = String>) {
        self.rows
            .push((style, cells.into_iter().map(shown).collect()));
    }

    /// Returns the header and rows for a width, and the titles of hidden columns.
    pub fn styled_lines(mut self, width: Option<usize>) -> (Vec<Line>, Vec<Cow<'static, str>>) {
        let hidden = self.lay_out(width);
        let styles = self.rows.iter().map(|(style, _)| style.of_text());
        let lines = self
            .lines()
            .into_iter()
            .zip(std::iter::once(BOLD).chain(styles));
        let lines = lines.map(|(line, style)| vec![(style, line)]);
        (lines.collect(), hidden)
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
        let is_text: Vec<bool> = self
            .columns
            .iter()
            .map(|column| column.align == Align::Left)
            .collect();
        for (_, cells) in &mut self.rows {
            for (cell, _) in cells
                .iter_mut()
                .zip(&is_text)
                .filter(|(_, is_text)| **is_text)
            {
                if cell.len() > most {
                    *cell = cut(cell, most);
                }
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
            let shown: Vec<usize> = (0..keys).chain(group).collect();
            let of_row = |(style, cells): &(RowStyle, Vec<String>)| {
                let cells = shown
                    .iter()
                    .map(|at| cells.get(*at).cloned().unwrap_or_default());
                (*style, cells.collect())
            };
            Self {
                columns: shown.iter().map(|at| self.columns[*at].clone()).collect(),
                rows: self.rows.iter().map(of_row).collect(),
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
            widths: self.widths(),
            table: self,
        }
    }

    /// Returns the header and the rows, one line each.
    pub fn lines(&self) -> Vec<String> {
        let widths = self.widths();
        let header = self.header(&widths);
        let rows = self.rows.iter().map(|(_, cells)| self.line(&widths, cells));
        std::iter::once(header).chain(rows).collect()
    }

    /// Returns the line of titles.
    fn header(&self, widths: &[usize]) -> String {
        self.line(widths, self.columns.iter().map(|column| &column.title))
    }

    /// Returns the texts of a row in columns of these widths.
    fn line(&self, widths: &[usize], texts: impl IntoIterator<Item = impl AsRef<str>>) -> String {
        let mut line = String::with_capacity(total(widths));
        for ((text, column), width) in texts.into_iter().zip(&self.columns).zip(widths) {
            let text = text.as_ref();
            let blanks = width.saturating_sub(width_of(text));
            match column.align {
                Align::Left => {
                    line.push_str(text);
                    push_blanks(&mut line, blanks + GAP);
                }
                Align::Right => {
                    push_blanks(&mut line, blanks);
                    line.push_str(text);
                    push_blanks(&mut line, GAP);
                }
            }
        }
        line.truncate(line.trim_end().len());
        line
    }

    fn widths(&self) -> Vec<usize> {
        (0..self.columns.len()).map(|at| self.width(at)).collect()
    }

    /// Returns the width of the widest text in a column.
    fn width(&self, at: usize) -> usize {
        let cells = self.rows.iter().filter_map(|(_, cells)| cells.get(at));
        let widest = cells.map(|cell| width_of(cell)).max().unwrap_or(0);
        widest.max(width_of(&self.columns[at].title))
    }

    /// The widths of the columns if texts are cut.
    fn widths_cut_to(&self, most: usize) -> Vec<usize> {
        let widths = self.widths().into_iter().zip(&self.columns);
        let cut = widths.map(|(width, column)| match column.align {
            Align::Left => width.min(column.cut_to(most)),
            Align::Right => width,
        });
        cut.collect()
    }

    fn remove(&mut self, at: usize) -> Column {
        for (_, cells) in &mut self.rows {
            if at < cells.len() {
                cells.remove(at);
            }
        }
        self.columns.remove(at)
    }

    /// Whether a column is empty in every row.
    fn drop_empty_columns(&mut self) {
        let mut at = 0;
        while at < self.columns.len() {
            let empty = self.columns[at].priority > 0
                && self
                    .rows
                    .iter()
                    .all(|(_, cells)| cells.get(at).is_none_or(String::is_empty));
            if empty {
                self.remove(at);
            } else {
                at += 1;
            }
        }
    }

    fn fit(&mut self, width: usize) -> Vec<Cow<'static, str>> {
        let mut widths = self.widths();
        for (of_column, column) in widths.iter_mut().zip(&self.columns) {
            if column.fills {
                *of_column = (*of_column).min(SHORT_TEXT);
            }
        }
        let mut hidden = Vec::new();
        let mut cuts = [LONG_TEXT, SHORT_TEXT].into_iter().peekable();
        let mut is_last_cut = false;
        while total(&widths) > width {
            let least = self
                .columns
                .iter()
                .enumerate()
                .max_by_key(|(at, column)| (column.priority, column.yields, *at));
            let Some((at, column)) = least.filter(|(_, column)| column.priority > 0) else {
                break;
            };
            let is_useful = column.priority == USEFUL && cuts.len() == 2;
            if is_useful && total(&self.widths_cut_to(USEFUL_TEXT)) <= width {
                self.cut_widest(&mut widths, width, USEFUL_TEXT);
                continue;
            }
            let is_worth_cuts = !column.yields || width >= STANDARD_WIDTH;
            if column.priority <= ESSENTIAL && is_worth_cuts {
                // Shorter texts are less of a loss than an essential column, if they are enough.
                let is_first = cuts.len() == 2;
                let is_enough = |least: &usize| total(&self.widths_cut_to(*least)) <= width;
                if let Some(least) = cuts.next_if(|least| is_first || is_enough(least)) {
                    self.cut_widest(&mut widths, width, least);
                    continue;
                }
                let can_be_shorter = !column.yields;
                let is_enough = |table: &mut Self| {
                    table.keeps_one_mark(width, SHORT_TEXT)
                        || can_be_shorter
                            && (total(&table.widths_cut_to(MIN_TEXT)) <= width
                                || table.keeps_one_mark(width, MIN_TEXT))
                };
                if !is_last_cut && is_enough(self) {
                    is_last_cut = true;
                    cuts = [SHORT_TEXT, MIN_TEXT].into_iter().peekable();
                    continue;
                }
            }
            hidden.push(self.remove(at).title);
            widths.remove(at);
        }
        self.fill(&mut widths, width);
        // One reason for a mark says more than a few letters of a machine's name.
        self.cut_widest(&mut widths, width, SHORT_TEXT);
        let mut columns = self.columns.iter_mut();
        if total(&widths) > width
            && let Some(marks) = columns.find(|column| column.kept_width > ONE_MARK)
        {
            marks.kept_width = ONE_MARK;
            self.cut_widest(&mut widths, width, SHORT_TEXT);
        }
        self.cut_widest(&mut widths, width, MIN_TEXT);
        if let Some(at) = self.columns.iter().position(|column| column.kept_width > 0) {
            self.columns[at].kept_width = 0;
            self.cut_widest(&mut widths, width, MIN_TEXT);
            // The marks of rows stay.
            if total(&widths) > width {
                hidden.push(self.remove(at).title);
            }
        }
        hidden.reverse();
        hidden
    }

    /// Truncates the texts of the column that fills the space to what the others leave.
    fn fill(&mut self, widths: &mut [usize], width: usize) {
        let Some(at) = self.columns.iter().position(|column| column.fills) else {
            return;
        };
        let space = width.saturating_sub(total(widths)) + widths[at];
        for (_, cells) in &mut self.rows {
            if let Some(cell) = cells.get_mut(at) {
                *cell = cut(cell, space);
            }
        }
        widths[at] = self.width(at);
    }

    /// Lets the reasons for marks shrink to one of them; false if the table would still be too wide with other texts of
    /// a width of `least`.
    fn keeps_one_mark(&mut self, width: usize, least: usize) -> bool {
        let mut columns = self.columns.iter_mut();
        let Some(marks) = columns.find(|column| column.kept_width > ONE_MARK) else {
            return false;
        };
        let before = std::mem::replace(&mut marks.kept_width, ONE_MARK);
        let is_enough = total(&self.widths_cut_to(least)) <= width;
        if !is_enough
            && let Some(marks) = self.columns.iter_mut().find(|column| column.kept_width > 0)
        {
            marks.kept_width = before;
        }
        is_enough
    }

    /// Truncates the widest texts until the table fits, or they have a width of `least`.
    fn cut_widest(&mut self, widths: &mut [usize], width: usize, least: usize) {
        while total(widths) > width {
            let excess = total(widths) - width;
            let widest = (0..widths.len())
                .filter(|at| self.columns[*at].align == Align::Left)
                .filter(|at| widths[*at] > self.columns[*at].cut_to(least))
                .max_by_key(|at| widths[*at]);
            let Some(at) = widest else { break };
            let least = self.columns[at].cut_to(least);
            let target = widths[at].saturating_sub(excess).max(least);
            for (_, cells) in &mut self.rows {
                if let Some(cell) = cells.get_mut(at) {
                    *cell = cut(cell, target);
                }
            }
            let before = std::mem::replace(&mut widths[at], self.width(at));
            if widths[at] == before {
                break;
            }
        }
    }
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
    widths: Vec<usize>,
}

#[cfg(not(target_family = "wasm"))]
impl LaidOut {
    /// Returns the line of titles.
    pub fn header(&self) -> String {
        self.table.header(&self.widths)
    }

    /// Returns the line of a row and its style; `None` past the end.
    pub fn row(&self, at: usize) -> Option<(Style, String)> {
        let (style, cells) = self.table.rows.get(at)?;
        Some((style.of_text(), self.table.line(&self.widths, cells)))
    }
}

/// Returns the width of a printable text in columns. Most texts are ASCII, whose letters take one column each.
fn width_of(text: &str) -> usize {
    if text.is_ascii() {
        text.len()
    } else {
        text.width()
    }
}

/// Appends blanks, many at once: a table has more of them than letters.
fn push_blanks(line: &mut String, mut count: usize) {
    while count > 0 {
        let part = &BLANKS[..count.min(BLANKS.len())];
        line.push_str(part);
        count -= part.len();
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

#[cfg(test)]
mod tests {
    use super::*;

    fn table() -> Table {
        let mut table = Table::new([
            Column::left("NAME", 0),
            Column::right("PRICE", 0),
            Column::left("WHERE", 2),
            Column::left("WHY", 1),
        ]);
        table.row(
            RowStyle::Plain,
            [
                "a-rather-long-instance-type",
                "12.50",
                "us-east-1",
                "cheapest",
            ]
            .map(str::to_owned),
        );
        table
    }

    #[test]
    fn the_least_important_column_goes_first() {
        let mut fitted = table();
        assert_eq!(fitted.fit(50), ["WHERE"]);
        assert!(total(&fitted.widths()) <= 50);
        let mut narrow = table();
        assert_eq!(narrow.fit(24), ["WHY", "WHERE"]);
        assert_eq!(total(&narrow.widths()), 24);
        assert!(narrow.rows[0].1[0].ends_with('…'));
        assert!(table().fit(200).is_empty());
    }

    #[test]
    fn a_column_that_fills_takes_the_space_that_others_leave() {
        let fitted = |width| {
            let mut table = Table::new([
                Column::left("NAME", 0),
                Column::left("REMARK", 4).filling(),
                Column::left("WHERE", 2),
            ]);
            let row = ["a-name", "secure; community 15.92", "us-east-1"];
            table.row(RowStyle::Plain, row.map(str::to_owned));
            let hidden = table.fit(width);
            assert!(total(&table.widths()) <= width);
            (hidden, table.rows[0].1.clone())
        };
        assert_eq!(fitted(42).1[1], "secure; community 15.92");
        assert_eq!(fitted(38).1[1], "secure; community …");
        assert_eq!(fitted(32).1[1], "secure; comm…");
        // A few words are the least.
        assert_eq!(fitted(31).0, ["REMARK"]);
    }

    #[test]
    fn wide_tables_are_divided_and_repeat_their_first_columns() {
        let table = || {
            let titles = ["KEY", "AAAA", "BBBB", "CCCC"];
            let mut table = Table::new(titles.map(|title| Column::left(title, 0)));
            table.row(RowStyle::Plain, ["k", "a", "b", "c"].map(str::to_owned));
            table
        };
        let lines = |width| -> Vec<String> {
            let parts = table().divided(1, width);
            parts.iter().flat_map(Table::lines).collect()
        };
        assert_eq!(lines(21), ["KEY  AAAA  BBBB  CCCC", "k    a     b     c"]);
        assert_eq!(
            lines(20),
            ["KEY  AAAA  BBBB", "k    a     b", "KEY  CCCC", "k    c"]
        );
        // A column that is too wide alone is not left out.
        assert_eq!(lines(3).len(), 6);
    }

    #[test]
    fn long_texts_are_truncated_before_an_essential_column_is_hidden() {
        let mut table = Table::new([
            Column::left("NAME", 0),
            Column::left("AGE", 1),
            Column::left("WHERE", 2),
        ]);
        let name = "x".repeat(60);
        table.row(RowStyle::Plain, [&name, "9d list", "us"].map(str::to_owned));
        // A useful column is worth a text of 24.
        assert_eq!(table.fit(40), [""; 0]);
        assert_eq!(total(&table.widths()), 40);
        // An essential column is worth a text of 8, and a useful column is not.
        assert_eq!(table.fit(22), ["WHERE"]);
        assert_eq!(table.fit(17), [""; 0]);
        assert_eq!(table.fit(16), ["AGE"]);
    }

    #[test]
    fn marks_stay_readable_before_names() {
        let fitted = |width| {
            let mut table = Table::new([
                Column::left("NAME", 0),
                Column::left("AGE", 1),
                Column::of_marks(),
            ]);
            let row = [
                "a-name-of-twenty-chars",
                "9d list",
                "too cheap, unconfirmed",
            ];
            table.row(RowStyle::Plain, row.map(str::to_owned));
            let hidden = table.fit(width);
            assert!(total(&table.widths()) <= width);
            (hidden, table.rows[0].1.clone())
        };
        let (hidden, row) = fitted(48);
        assert_eq!(hidden, [""; 0]);
        assert_eq!(row[2], "too cheap, unconfirmed");
        // One reason is enough for a column that a reader needs.
        let (hidden, row) = fitted(38);
        assert_eq!(hidden, [""; 0]);
        assert_eq!(row[1..], ["9d list", "too cheap, u…"]);
        // Such a column is worth a few letters of names.
        let (hidden, row) = fitted(32);
        assert_eq!(hidden, [""; 0]);
        assert_eq!(row, ["a-name-of…", "9d list", "too cheap,…"]);
        let (hidden, row) = fitted(20);
        assert_eq!(hidden, ["AGE"]);
        assert!(row[1].starts_with("too che"), "{row:?}");
    }

    #[test]
    fn titles_bound_the_width_of_texts() {
        let mut table = Table::new([
            Column::left("A TITLE OF TWENTY", 0),
            Column::left("AGE", 1),
            Column::of_marks(),
        ]);
        let row = [
            "x".repeat(30),
            "9d list".to_owned(),
            "unconfirmed".to_owned(),
        ];
        table.row(RowStyle::Plain, row);
        // No text can be shorter than its title: a column has to go.
        assert_eq!(table.fit(30), ["AGE"]);
    }

    #[test]
    fn rows_drawn_one_by_one_look_as_in_the_table() {
        for width in [30, 50, 200] {
            let (lines, _) = table().styled_lines(Some(width));
            let laid_out = table().laid_out(width);
            assert_eq!(laid_out.header(), lines[0][0].1);
            assert_eq!(laid_out.row(0).unwrap(), lines[1][0]);
            assert!(laid_out.row(1).is_none());
        }
    }

    #[test]
    fn columns_without_content_are_left_out() {
        let mut table = Table::new([Column::left("NAME", 0), Column::left("EMPTY", 1)]);
        table.row(RowStyle::Plain, ["x".to_owned(), String::new()]);
        table.drop_empty_columns();
        assert_eq!(table.columns.len(), 1);
    }

    #[test]
    fn rows_link_in_a_last_column() {
        let mut table = Table::new([Column::left("PROVIDER", 0), Column::left("AGE", 0)]);
        for (provider, url) in [("aws", Some("https://aws.example/p5")), ("own", None)] {
            table.row(RowStyle::Plain, [provider.to_owned(), "9d".to_owned()]);
            table.link(&["PROVIDER", "AGE"], url);
        }
        let lines = table.with_link_column().lines();
        assert_eq!(
            lines,
            [
                "PROVIDER  AGE  LINK",
                "aws       9d   https://aws.example/p5",
                "own       9d"
            ]
        );
    }

    #[test]
    fn names_of_machines_outlast_a_second_reason_for_a_mark() {
        let mut table = Table::new([
            Column::left("INSTANCE TYPE", 0),
            Column::right("USD/H", 0),
            Column::of_marks(),
        ]);
        let cells = ["g2-standard-4", "0.707", "too cheap, unconfirmed"];
        table.row(RowStyle::Plain, cells.map(str::to_owned));
        table.fit("g2-standard-4  0.707  unconfirmed".len());
        assert_eq!(table.lines()[1], "g2-standard-4  0.707  too cheap,…");
    }
}
