//! Drawing of the browser's screen.

use anstyle::{AnsiColor, Color as StyleColor, Effects};
use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Position, Rect};
use ratatui::style::{Color, Modifier, Style};
use ratatui::text::{Line, Span, Text};
use sky_accel_core::text::printable;
use tui_input::Input;
use unicode_width::UnicodeWidthStr as _;

use crate::render::Line as StyledLine;
use crate::ui::{BOLD, DIM};

/// Minimum screen width, in columns, for the pane next to the rows.
const WIDE: u16 = 150;
/// Minimum height of a pane, in lines.
const LEAST_PANE: u16 = 4;

/// A styled row.
pub struct ScreenRow {
    pub line: StyledLine,
    pub is_marked: bool,
}

/// Content of the screen.
pub struct Scene<'s> {
    /// The label before the input.
    pub prompt: &'s str,
    pub input: Input,
    /// The status line.
    pub state: StyledLine,
    pub titles: String,
    /// The visible rows.
    pub rows: Vec<ScreenRow>,
    /// Number of rows, visible or not.
    pub count: usize,
    /// Index of the selected row in `rows`.
    pub selected: usize,
    /// Lines of the pane.
    pub pane: &'s [StyledLine],
    /// Number of pane lines scrolled out of view.
    pub skipped: usize,
    /// Whether the pane replaces the rows.
    pub is_page: bool,
    /// Keys that scroll the pane, after a colon.
    pub scrolled_by: &'static str,
    /// Keys with an effect, most useful first.
    pub keys: &'s [(&'s str, &'s str)],
    pub color: bool,
}

/// Areas of the screen.
#[derive(Clone, Copy, Debug)]
pub struct Areas {
    input: Rect,
    state: Rect,
    titles: Rect,
    pub rows: Rect,
    pub pane: Rect,
    keys: Rect,
}

impl Areas {
    /// Splits a screen into areas for `rows` rows. A pane below the rows gets the remaining lines.
    pub fn of(screen: Rect, rows: usize, is_page: bool) -> Self {
        let line = Constraint::Length(1);
        let [input, state, body, keys] =
            Layout::vertical([line, line, Constraint::Min(0), line]).areas(screen);
        if is_page {
            let none = Rect::default();
            return Self {
                input,
                state,
                titles: none,
                rows: none,
                pane: body,
                keys,
            };
        }
        let (list, pane) = if screen.width >= WIDE {
            let columns = [
                Constraint::Percentage(60),
                Constraint::Length(1),
                Constraint::Fill(1),
            ];
            let [list, _, pane] = Layout::horizontal(columns).areas(body);
            (list, pane)
        } else {
            let least = (body.height * 2 / 5).max(LEAST_PANE);
            let most = body.height.saturating_sub(least + 1);
            let list = u16::try_from(rows + 1).unwrap_or(u16::MAX).min(most);
            let lines = [Constraint::Length(list), line, Constraint::Fill(1)];
            let [list, _, pane] = Layout::vertical(lines).areas(body);
            (list, pane)
        };
        let [titles, rows] = Layout::vertical([line, Constraint::Min(0)]).areas(list);
        Self {
            input,
            state,
            titles,
            rows,
            pane,
            keys,
        }
    }
}

/// Columns before a row: the selection marker and the mark.
pub const GUTTER: u16 = 2;

impl Scene<'_> {
    pub fn draw(&self, frame: &mut Frame<'_>) {
        let areas = Areas::of(frame.area(), self.count, self.is_page);
        self.draw_input(frame, areas.input);
        frame.render_widget(self.line(&self.state), areas.state);
        if !self.is_page {
            let titles = format!("{:width$}{}", "", self.titles, width = usize::from(GUTTER));
            frame.render_widget(self.line(&[(BOLD, titles)]), areas.titles);
            let rows = self.rows.iter().enumerate();
            let rows: Vec<Line<'_>> = rows.map(|(at, row)| self.row(at, row)).collect();
            frame.render_widget(Text::from(rows), areas.rows);
            self.draw_border(frame, areas);
        }
        let pane = self.pane.iter().skip(self.skipped);
        let pane = pane.take(usize::from(areas.pane.height));
        let mut pane: Vec<Line<'_>> = pane.map(|line| self.line(line)).collect();
        let below = self.pane.len().saturating_sub(self.skipped + pane.len());
        if below > 0
            && let Some(last) = pane.last_mut()
        {
            let more = format!("… {} more lines{}", below + 1, self.scrolled_by);
            *last = self.line(&[(DIM, more)]);
        }
        frame.render_widget(Text::from(pane), areas.pane);
        frame.render_widget(self.line(&[(DIM, self.keys(areas.keys.width))]), areas.keys);
    }

    fn draw_input(&self, frame: &mut Frame<'_>, area: Rect) {
        let prompt = format!("{}> ", self.prompt);
        let room = usize::from(area.width).saturating_sub(prompt.width() + 1);
        let scrolled = self.input.visual_scroll(room);
        let mut shown = String::new();
        let mut passed = 0;
        for c in self.input.value().chars() {
            if passed >= scrolled {
                shown.push(c);
            }
            passed += printable(c.encode_utf8(&mut [0; 4])).width();
        }
        let column = prompt.width() + self.input.visual_cursor().saturating_sub(scrolled);
        let column = u16::try_from(column).unwrap_or(u16::MAX);
        let column = column.min(area.width.saturating_sub(1));
        let line = vec![(BOLD, prompt), (anstyle::Style::new(), printable(&shown))];
        frame.render_widget(self.line(&line), area);
        frame.set_cursor_position(Position::new(area.x + column, area.y));
    }

    /// Draws the line between the rows and the pane.
    fn draw_border(&self, frame: &mut Frame<'_>, areas: Areas) {
        let is_beside = areas.pane.x > areas.rows.x;
        let (border, bar) = if is_beside {
            let x = areas.pane.x.saturating_sub(1);
            (
                Rect {
                    x,
                    width: 1,
                    ..areas.pane
                },
                "│\n".repeat(areas.pane.height.into()),
            )
        } else {
            let y = areas.pane.y.saturating_sub(1);
            (
                Rect {
                    y,
                    height: 1,
                    ..areas.pane
                },
                "─".repeat(areas.pane.width.into()),
            )
        };
        let bar = bar.lines().map(|line| self.line(&[(DIM, line.to_owned())]));
        frame.render_widget(bar.collect::<Text<'_>>(), border);
    }

    fn row<'l>(&self, at: usize, row: &'l ScreenRow) -> Line<'l> {
        let is_selected = at == self.selected;
        let gutter = match (is_selected, row.is_marked) {
            (true, true) => ">+",
            (true, false) => "> ",
            (false, true) => " +",
            (false, false) => "  ",
        };
        let mut line = self.line(&row.line);
        line.spans.insert(0, Span::raw(gutter));
        if is_selected {
            line = line.style(Style::new().add_modifier(Modifier::BOLD | Modifier::REVERSED));
        }
        line
    }

    /// Draws the keys that fit the width.
    fn keys(&self, width: u16) -> String {
        let mut shown = String::new();
        for (key, what) in self.keys {
            let gap = if shown.is_empty() { "" } else { "  " };
            let next = format!("{gap}{key} {what}");
            if shown.width() + next.width() > usize::from(width) {
                break;
            }
            shown.push_str(&next);
        }
        shown
    }

    fn line<'l>(&self, pieces: &[(anstyle::Style, String)]) -> Line<'l> {
        let pieces = pieces.iter();
        let spans = pieces.map(|(style, text)| Span::styled(text.clone(), self.style(*style)));
        spans.collect()
    }

    /// Converts a table style to a screen style.
    fn style(&self, style: anstyle::Style) -> Style {
        let mut drawn = Style::new();
        for (effect, modifier) in [
            (Effects::BOLD, Modifier::BOLD),
            (Effects::DIMMED, Modifier::DIM),
        ] {
            if style.get_effects().contains(effect) {
                drawn = drawn.add_modifier(modifier);
            }
        }
        match style.get_fg_color() {
            Some(StyleColor::Ansi(color)) if self.color => drawn.fg(drawn_color(color)),
            _ => drawn,
        }
    }
}

fn drawn_color(color: AnsiColor) -> Color {
    match color {
        AnsiColor::Green => Color::Green,
        AnsiColor::Yellow => Color::Yellow,
        AnsiColor::Red => Color::Red,
        AnsiColor::Cyan => Color::Cyan,
        _ => Color::Reset,
    }
}
