//! A sortable table, with a chart of two of its figures.

use std::borrow::Cow;

use maud::{Markup, html};
use sky_accel_core::text::grouped_to;

use super::chart::{Chart, Dot};
use super::page::{chart, linked};

/// A cell: its text, smaller text below, and the address that the text leads to.
#[derive(Default)]
pub(super) struct Cell {
    pub text: String,
    pub below: String,
    pub url: Option<String>,
}

impl Cell {
    pub fn text(text: impl Into<String>) -> Self {
        Self {
            text: text.into(),
            ..Self::default()
        }
    }

    /// Formats a figure with the given number of decimals.
    pub fn figure(figure: Option<f64>, digits: usize) -> Self {
        Self::text(figure.map_or("?".to_owned(), |figure| grouped_to(figure, digits)))
    }
}

/// Title of a column, and whether its cells are numbers.
pub(super) type Title = (Cow<'static, str>, bool);

/// A row, with its position in the chart.
pub(super) struct Row {
    pub cells: Vec<Cell>,
    pub dot: Option<(f64, f64)>,
    /// Name of the row's dot.
    pub title: String,
}

/// A page with one table.
pub(super) struct Sheet {
    pub heading: String,
    pub titles: Vec<Title>,
    pub rows: Vec<Row>,
    /// Number of rows beyond the maximum.
    pub left_off: usize,
    pub caption: &'static str,
    /// Axes and title of the chart.
    pub axes: (String, &'static str),
    pub chart: &'static str,
    pub remark: String,
}

/// Number of rows with numbered dots.
const NUMBERED: usize = 10;

impl Sheet {
    pub fn sections(&self) -> Markup {
        html! {
            (self.chart())
            (self.table())
        }
    }

    fn chart(&self) -> Markup {
        let placed = (1..).zip(&self.rows);
        let dots = placed.filter_map(|(number, row)| {
            let (x, y) = row.dot?;
            Some(Dot {
                x,
                y,
                title: row.title.clone(),
                row: Some(format!("row-{number}")),
                number: (number <= NUMBERED).then_some(number),
                is_best: number == 1,
            })
        });
        let dots: Vec<Dot> = dots.collect();
        if dots.len() < 2 {
            return html! {};
        }
        let description = format!(
            "{} rows of the table below; each dot links to its row.",
            dots.len()
        );
        let drawn = Chart {
            title: self.chart,
            description: &description,
            x: &self.axes.0,
            y: self.axes.1,
            dots,
            has_line: false,
        };
        let text = "Each number and each dot is a row of the table below.";
        chart(self.chart, text, &drawn.drawing())
    }

    fn table(&self) -> Markup {
        html! {
            section aria-labelledby="rows" {
                h2 id="rows" tabindex="-1" { "Table" }
                div class="scroll" role="region" aria-labelledby="rows" tabindex="0" {
                    table class="sortable" {
                        caption { (self.caption) "; select a title to sort by it" }
                        thead { tr {
                            th scope="col" class="n" { "No." }
                            @for (title, is_number) in &self.titles { th scope="col" class=[is_number.then_some("n")] { (title) } }
                        } }
                        tbody {
                            @for (number, row) in (1..).zip(&self.rows) {
                                tr id=(format!("row-{number}")) {
                                    th scope="row" class="n" { (number) }
                                    @for (cell, (_, is_number)) in row.cells.iter().zip(&self.titles) {
                                        td class=[is_number.then_some("n")] { (linked(&cell.text, cell.url.as_deref())) @if !cell.below.is_empty() { br; span class="soft" { (cell.below) } } }
                                    }
                                }
                            }
                        }
                    }
                }
                @if self.left_off > 0 { p class="soft" { (self.left_off) " more rows are not shown." } }
            }
        }
    }
}
