//! Fits a table to a width: hides the least important columns, and truncates long texts.

use std::borrow::Cow;

use super::{Align, ESSENTIAL, Table, total};

/// Minimum width of a truncated text, in columns.
const MIN_TEXT: usize = 8;
/// Width to which long texts are truncated before an essential column is hidden. Instance types that people type are
/// shorter; longer ids name single machines of resellers.
const LONG_TEXT: usize = 28;
/// Width to which they are truncated before an essential column is hidden, if that is enough.
const SHORT_TEXT: usize = 13;
/// The width of the reasons for marks before an essential column is hidden, if that is enough: one reason.
const ONE_MARK: usize = "private host".len();
/// The width of a usual terminal. In a narrower one, names are worth more than columns that yield.
const STANDARD_WIDTH: usize = 80;
/// The priority of columns that are worth truncating long texts, but not shorter ones.
const USEFUL: u8 = 2;
/// Width to which texts are truncated before a useful column is hidden, if that is enough.
const USEFUL_TEXT: usize = 24;

impl Table {
    /// The widths of the columns if texts are cut.
    fn widths_cut_to(&self, most: usize) -> Vec<usize> {
        let widths = self.widths().into_iter().zip(&self.columns);
        let cut = widths.map(|(width, column)| match column.align {
            Align::Left => width.min(column.cut_to(most)),
            Align::Right => width,
        });
        cut.collect()
    }

    /// Hides columns and truncates texts until the table has this width; returns the titles of hidden columns.
    pub(super) fn fit(&mut self, width: usize) -> Vec<Cow<'static, str>> {
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
            hidden.push(self.columns.remove(at).title);
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
                hidden.push(self.columns.remove(at).title);
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
        let column = &self.columns[at];
        self.cells.cut(column.cell, space, column.truncation);
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
            let column = &self.columns[at];
            self.cells.cut(column.cell, target, column.truncation);
            let before = std::mem::replace(&mut widths[at], self.width(at));
            if widths[at] == before {
                break;
            }
        }
    }
}
