//! An answer as a page for browsers, or as the sections of a page.

use maud::{Markup, html};
use serde_json::Value;
use sky_accel_core::text::{grouped, is_web_address, printable};

use super::table::{Align, RowStyle, Table};
use super::{Block, Page};
use crate::html::{DocumentFrame, field_in_words, in_words, linked, title_in_words};

/// Columns up to this priority come first on a page: they fit a narrow screen.
const FIRST: u8 = 1;

/// The titles of the answers of commands.
const TITLES: [(&str, &str); 10] = [
    ("bill", "Bills"),
    ("catalog-diff", "Changes of the catalog"),
    ("compare", "Accelerators side by side"),
    ("convert", "Spec in other words"),
    ("list", "Accelerators"),
    ("models", "Models"),
    ("quota", "Quotas"),
    ("resolve", "Offers"),
    ("show", "Details"),
    ("watch", "Offers"),
];

/// Fields of a request that name what was asked, the most specific first.
const SUBJECTS: [&str; 6] = ["model", "specs", "spec", "names", "gpu", "filter"];

/// An answer with its source and notes.
pub struct HtmlAnswer {
    /// The request with its defaults.
    pub request: Value,
    pub schema: &'static str,
    pub page: Page,
    /// The number of results that a limit left off.
    pub left_off: usize,
    /// The messages of the command beside its results.
    pub said: Vec<String>,
    /// The catalog and its overlays.
    pub source: Vec<String>,
    /// Ages of prices, sources, and notes.
    pub notes: Vec<String>,
}

impl HtmlAnswer {
    /// Returns the answer that a page shows, of which only the source and the notes are known.
    pub fn of_page(page: Page, source: String, notes: Vec<String>) -> Self {
        Self {
            request: Value::Null,
            schema: "",
            page,
            left_off: 0,
            said: Vec::new(),
            source: vec![source],
            notes,
        }
    }

    /// Renders the whole page. The first heading is its title.
    pub fn document(mut self, today: &str) -> String {
        let title = match self.page.blocks.first_mut() {
            Some(Block::Heading(heading)) => std::mem::take(heading),
            _ => self.subject(),
        };
        if matches!(self.page.blocks.first(), Some(Block::Heading(_))) {
            self.page.blocks.remove(0);
        }
        let source = self.source.join("; ");
        let request = request(&self.request);
        let frame = DocumentFrame {
            title: &title,
            today,
            source: &source,
        };
        let sections = html! {
            (self.sections())
            (request)
        };
        frame.document(&sections)
    }

    /// Renders the sections alone.
    pub fn fragment(self) -> String {
        self.sections().into_string()
    }

    /// Names the answer: `Offers for H100:x8`.
    fn subject(&self) -> String {
        let words = self.schema.split('.').nth(1).unwrap_or_default();
        let title = TITLES.iter().find(|(command, _)| *command == words);
        let title = title.map_or_else(|| words.replace('-', " "), |(_, title)| (*title).to_owned());
        let named = SUBJECTS
            .iter()
            .find_map(|field| text(self.request.get(field)?));
        match named {
            Some(named) => format!("{title}: {named}"),
            None => title,
        }
    }

    fn sections(self) -> Markup {
        let mut parts: Vec<(Option<String>, Vec<Block>)> = Vec::new();
        for block in self.page.blocks {
            match block {
                Block::Heading(text) => parts.push((Some(text), Vec::new())),
                block => match parts.last_mut() {
                    Some((_, blocks)) => blocks.push(block),
                    None => parts.push((None, vec![block])),
                },
            }
        }
        html! {
            @if !self.said.is_empty() {
                section class="part said" aria-label="Messages" { (lines(&self.said)) }
            }
            @for (number, (heading, blocks)) in (1..).zip(parts) { (part(number, heading.as_deref(), blocks)) }
            @if self.left_off > 0 {
                p class="more" { (grouped(self.left_off as f64)) " more match." }
            }
            section class="part about" aria-labelledby="about" {
                h2 id="about" { "About this answer" }
                p class="source" { (printable(&self.source.join("; "))) }
                @if !self.notes.is_empty() {
                    ul class="notes" { @for note in &self.notes { li { (in_words(note)) } } }
                }
            }
        }
    }
}

/// Renders a heading with the blocks below it.
fn part(number: usize, heading: Option<&str>, blocks: Vec<Block>) -> Markup {
    let id = format!("part-{number}");
    let labelled = heading.map(|_| id.as_str());
    html! {
        section class="part" aria-labelledby=[labelled] aria-label=[heading.is_none().then_some("Answer")] {
            @if let Some(heading) = heading { h2 id=(id) { (in_words(heading)) } }
            @for (at, block) in blocks.into_iter().enumerate() {
                @match block {
                    Block::Heading(_) => {},
                    Block::Text(text) => p { (in_words(&text)) },
                    Block::Command { label, command } => {
                        p { (in_words(&label)) ":" }
                        pre class="command" { code { (printable(&command)) } }
                    },
                    Block::Items(items) => (definitions(&items)),
                    Block::Picture(lines) => {
                        @let lines: Vec<String> = lines.iter().map(|line| line.iter().map(|(_, text)| text.as_str()).collect()).collect();
                        div class="scroll" role="region" aria-label="Picture in letters" tabindex="0" { pre { (printable_lines(&lines)) } }
                    },
                    Block::Drawing(drawing) => (drawing),
                    Block::Table(table) => (framed(&table, &format!("{id}-{at}"), heading)),
                }
            }
        }
    }
}

fn printable_lines(lines: &[String]) -> String {
    let lines: Vec<String> = lines.iter().map(|line| printable(line)).collect();
    lines.join("\n")
}

/// Renders lines. Indented lines are a list below the line before.
fn lines(lines: &[String]) -> Markup {
    let groups = lines.chunk_by(|_, next| next.starts_with(' '));
    html! {
        @for group in groups {
            @if let [first, below @ ..] = group {
                p { (in_words(first.trim())) }
                @if !below.is_empty() { ul { @for line in below { li { (in_words(line.trim())) } } } }
            }
        }
    }
}

fn definitions(items: &[(String, String)]) -> Markup {
    html! {
        dl class="items" {
            @for (label, text) in items {
                dt { (in_words(label)) }
                dd { (in_words(text)) }
            }
        }
    }
}

/// Renders a table in an area that scrolls, so that no column is cut.
fn framed(table: &Table, id: &str, heading: Option<&str>) -> Markup {
    let (caption, label) = match &table.caption {
        Some(_) => (Some(id), None),
        None => (
            None,
            Some(heading.map_or_else(
                || "Table".to_owned(),
                |heading| format!("Table: {}", printable(heading)),
            )),
        ),
    };
    html! {
        div class="scroll" role="region" aria-labelledby=[caption] aria-label=[label.as_deref()] tabindex="0" {
            (drawn(table, id, label.as_deref()))
        }
    }
}

/// The most columns of a table that stays a table on a narrow screen. In others, each row becomes a list.
const MOST_NARROW: usize = 5;

/// Renders a table, which its caption or a label names.
fn drawn(table: &Table, id: &str, label: Option<&str>) -> Markup {
    let shown = columns(table);
    let name = row_name(table, &shown);
    let mut links = table.links.iter().peekable();
    let class = |at: usize| (table.columns[at].align == Align::Right).then_some("n");
    let titles = table.columns.iter();
    let titles: Vec<String> = titles
        .map(|column| printable(&title_in_words(&column.title)))
        .collect();
    html! {
        table class=(if shown.len() > MOST_NARROW { "sortable stacked" } else { "sortable" }) aria-label=[label] {
            @if let Some(caption) = &table.caption { caption id=(id) { (printable(caption)) } }
            thead { tr {
                @for at in &shown {
                    @let title = &titles[*at];
                    @if title.is_empty() { td {} } @else { th scope="col" class=[class(*at)] { (title) } }
                }
            } }
            tbody {
                @for (number, style) in (0..).zip(table.cells.styles()) {
                    @let of_row = links_of_row(&mut links, number);
                    tr id=[table.has_row_ids.then(|| format!("row-{}", number + 1))] class=[class_of_row(*style)] {
                        @for at in &shown {
                            @let text = table.text(number, *at);
                            @let url = of_row.iter().find(|(cell, _)| *cell == table.columns[*at].cell).map(|(_, url)| *url);
                            @let class = class_of_cell(table.columns[*at].align, text);
                            @if name == Some(*at) { th scope="row" class=[class] { (cell(text, url)) } }
                            @else {
                                td class=[class] data-title=[Some(&titles[*at]).filter(|title| !title.is_empty())] { (cell(text, url)) }
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Returns the links of a row; rows come in order.
fn links_of_row<'t>(
    links: &mut std::iter::Peekable<std::slice::Iter<'t, (usize, usize, String)>>,
    row: usize,
) -> Vec<(usize, &'t str)> {
    let mut found = Vec::new();
    while let Some((_, cell, url)) = links.next_if(|(of_row, _, _)| *of_row == row) {
        found.push((*cell, url.as_str()));
    }
    found
}

/// Renders a cell. Its text is already printable.
fn cell(text: &str, url: Option<&str>) -> Markup {
    let url = url.or_else(|| is_web_address(text).then_some(text));
    if url.is_none() && text.contains('`') {
        return in_words(text);
    }
    linked(text, url)
}

/// Cells with more characters are wrapped.
const LONG_CELL: usize = 28;

/// The class of a cell: numbers are aligned, and long texts get several lines.
fn class_of_cell(align: Align, text: &str) -> Option<&'static str> {
    match align {
        Align::Right => Some("n"),
        Align::Left => (text.chars().count() > LONG_CELL).then_some("long"),
    }
}

fn class_of_row(style: RowStyle) -> Option<&'static str> {
    match style {
        RowStyle::Plain => None,
        RowStyle::Best => Some("best"),
        RowStyle::Dim => Some("dim"),
    }
}

/// Returns the columns that have content, the important ones first.
fn columns(table: &Table) -> Vec<usize> {
    let has_content = |at: &usize| {
        let column = &table.columns[*at];
        !column.is_picture
            && (!table.is_empty(*at) || (column.priority == 0 && !column.title.is_empty()))
    };
    let shown: Vec<usize> = (0..table.columns.len()).filter(has_content).collect();
    let (mut first, others): (Vec<usize>, Vec<usize>) = shown
        .into_iter()
        .partition(|at| table.columns[*at].priority <= FIRST);
    first.extend(others);
    first
}

/// Returns the column that names the rows: the first one of texts with a title.
fn row_name(table: &Table, shown: &[usize]) -> Option<usize> {
    let mut shown = shown.iter().copied();
    shown.find(|at| {
        let column = &table.columns[*at];
        column.align == Align::Left && !column.title.is_empty()
    })
}

/// Renders the request with its defaults.
fn request(request: &Value) -> Markup {
    let Some(fields) = request.as_object().filter(|fields| !fields.is_empty()) else {
        return html! {};
    };
    html! {
        section class="part" aria-labelledby="request" {
            h2 id="request" { "What was computed" }
            dl class="items" {
                @for (name, value) in fields {
                    @if let Some(text) = text(value) { dt { (printable(&field_in_words(name))) } dd { (text) } }
                }
            }
        }
    }
}

/// Returns the text of a value; `None` without content.
fn text(value: &Value) -> Option<String> {
    let text = match value {
        Value::Null => return None,
        Value::String(text) => printable(text),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().filter_map(text_of_item).collect();
            items.join(", ")
        }
        Value::Object(_) => text_of_item(value)?,
        other => other.to_string(),
    };
    (!text.is_empty()).then_some(text)
}

fn text_of_item(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::String(text) => Some(printable(text)),
        Value::Object(fields) => {
            let fields = fields.iter().filter_map(|(name, value)| {
                Some(format!(
                    "{}: {}",
                    name.replace('_', " "),
                    text_of_item(value)?
                ))
            });
            let fields: Vec<String> = fields.collect();
            Some(printable(&fields.join(", ")))
        }
        other => Some(printable(&other.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::render::Column;

    fn answer(blocks: Vec<Block>) -> HtmlAnswer {
        HtmlAnswer {
            request: serde_json::json!({ "specs": ["<i>"], "limit": 3, "nothing": null, "list": [] }),
            schema: "sky-accel.resolve.v1",
            page: Page { blocks },
            left_off: 1234,
            said: vec!["nothing matches <b>".to_owned(), "  5 offers".to_owned()],
            source: vec!["catalog 1".to_owned()],
            notes: vec!["raise `max_age`".to_owned()],
        }
    }

    fn table() -> Table {
        let mut table = Table::new([
            Column::left("", 0),
            Column::left("PROVIDER", 0),
            Column::left("WHERE", 4),
            Column::right("USD/H", 0),
            Column::left("EMPTY", 1),
            Column::picture("BAR", 0),
        ])
        .with_caption("Best <first>")
        .with_row_ids();
        let evil = "<script>alert(1)</script>\"'\u{1b}[31m";
        table.row(
            RowStyle::Best,
            ["*", evil, "eu", "1.50", "", "███"].map(str::to_owned),
        );
        table.link(&["PROVIDER"], Some("https://example.com/\"><script>"));
        table.row(
            RowStyle::Plain,
            ["", "aws", "us", "2.00", "", "█"].map(str::to_owned),
        );
        table.link(&["PROVIDER"], Some("https://example.com/?a&b"));
        table.row(
            RowStyle::Dim,
            ["", "x", "https://example.org/", "?", "", ""].map(str::to_owned),
        );
        table.link(&["PROVIDER"], Some("javascript:alert(1)"));
        table
    }

    #[test]
    fn tables_have_heads_and_every_column() {
        let shown = answer(vec![Block::Table(table())]).fragment();
        assert!(shown.contains("<th scope=\"col\">Provider</th><th scope=\"col\" class=\"n\">USD/h</th><th scope=\"col\">Where</th>"), "{shown}");
        assert!(!shown.contains("Empty") && !shown.contains("Bar") && !shown.contains('█'));
        assert!(shown.contains("<caption id=\"part-1-0\">Best &lt;first&gt;</caption>"));
        assert!(
            shown.contains("aria-labelledby=\"part-1-0\" tabindex=\"0\"")
                || shown.contains("aria-labelledby=\"part-1-0\"")
        );
        assert!(
            shown.contains("<tr id=\"row-1\" class=\"best\">")
                && shown.contains("id=\"row-3\" class=\"dim\"")
        );
        assert!(shown.contains("<td class=\"n\" data-title=\"USD/h\">1.50</td>"));
        assert!(shown.contains("<th scope=\"row\"><a href=\"https://example.com/?a&amp;b\" rel=\"noopener noreferrer\">aws</a></th>"));
        assert!(shown.contains("<a href=\"https://example.org/\""));
    }

    #[test]
    fn nothing_hostile_survives() {
        let blocks = vec![
            Block::Heading("</h2><script>".to_owned()),
            Block::Text("a\u{7}b <img src=x onerror=alert(1)>".to_owned()),
            Block::Items(vec![("<dt>".to_owned(), "\"quoted\" <b>".to_owned())]),
            Block::Table(table()),
        ];
        let shown = answer(blocks).fragment();
        for bad in [
            "<script",
            "<img",
            "<b>",
            "<dt><",
            "javascript:",
            "\u{1b}",
            "\u{7}",
            "style=",
        ] {
            assert!(!shown.contains(bad), "{bad}: {shown}");
        }
        assert!(shown.contains("&lt;script&gt;alert(1)&lt;/script&gt;&quot;'\\u{1b}[31m"));
        let page = answer(vec![Block::Text("x".to_owned())]).document("2026-11-20");
        assert!(page.contains("<h1>Offers: &lt;i&gt;</h1>"), "{page}");
        assert!(page.contains("<dt>limit</dt><dd>3</dd>") && !page.contains("<dt>nothing"));
    }

    #[test]
    fn messages_and_notes_are_always_there() {
        let shown = answer(Vec::new()).fragment();
        assert!(shown.contains("<p>nothing matches &lt;b&gt;</p><ul><li>5 offers</li></ul>"));
        assert!(shown.contains("<li>raise <em>maximum age of prices</em></li>"));
        assert!(shown.contains("catalog 1"));
        assert!(shown.contains("<p class=\"more\">1,234 more match.</p>"));
    }

    /// A page answers each key press.
    #[test]
    fn many_rows_take_little_time() {
        let mut table = Table::new((0..25).map(|at| Column::left(format!("C{at}"), 0)));
        for row in 0..1500 {
            table.row(
                RowStyle::Plain,
                (0..25).map(|at| format!("cell {row} <{at}>")),
            );
            table.link(&["C1"], Some("https://example.com/"));
        }
        let start = std::time::Instant::now();
        let shown = answer(vec![Block::Table(table)]).fragment();
        assert!(shown.len() > 1_000_000);
        assert!(start.elapsed().as_millis() < 1000, "{:?}", start.elapsed());
    }
}
