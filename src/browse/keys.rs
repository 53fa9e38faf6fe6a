//! The effect of each key.

use std::mem;

use crossterm::event::{Event as TerminalEvent, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use sky_accel_core::text::is_unprintable;
use tui_input::backend::crossterm::EventHandler as _;
use tui_input::{Input, InputRequest};

use super::round::Round;
use super::{Browser, View};

/// The longest text that can be typed.
const MAX_TYPED: usize = 500;
/// Lines of the pane that one key scrolls.
const SCROLLED: usize = 3;
/// Lines of a plan that one key scrolls.
const PAGE_OF_PLAN: usize = 10;

/// The next step after a key.
pub enum Step {
    Stay,
    Choose,
    Leave,
    Ask,
    Stop,
    /// A model is to be sized; an empty name takes it away.
    Size(String),
}

impl Browser<'_> {
    /// Handles an event of the terminal.
    pub(super) fn terminal_event(&mut self, event: &TerminalEvent, round: &mut Round<'_>) -> Step {
        match event {
            TerminalEvent::Key(key) if key.kind != KeyEventKind::Release => self.key(*key, round),
            TerminalEvent::Paste(text) => {
                for c in typed(text).chars() {
                    self.edit(InputRequest::InsertChar(c));
                }
                Step::Stay
            }
            _ => Step::Stay,
        }
    }

    fn key(&mut self, key: KeyEvent, round: &mut Round<'_>) -> Step {
        if self.asking.is_none() {
            self.message = None;
        }
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Char('c') if is_control => return Step::Leave,
            KeyCode::Char('z') if is_control => return Step::Stop,
            KeyCode::Esc => return self.escape(),
            _ => {}
        }
        match self.view {
            View::Offers => self.key_of_offers(key, round),
            View::Model { .. } => self.key_of_model(key, round),
            View::Plan { .. } => self.key_of_plan(key, round),
        }
    }

    /// Back by one: from a question, a plan or a model to the offers, and from there out.
    fn escape(&mut self) -> Step {
        if let Some(asking) = &self.asking {
            asking.canceller.cancel();
            return Step::Stay;
        }
        match mem::replace(&mut self.view, View::Offers) {
            View::Offers => Step::Leave,
            View::Model { .. } | View::Plan { .. } => Step::Stay,
        }
    }

    fn key_of_offers(&mut self, key: KeyEvent, round: &mut Round<'_>) -> Step {
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        let is_shift = key.modifiers.contains(KeyModifiers::SHIFT);
        let page = round.page();
        match key.code {
            KeyCode::Enter => return Step::Choose,
            KeyCode::Down if is_shift => self.skipped += SCROLLED,
            KeyCode::Up if is_shift => self.skipped = self.skipped.saturating_sub(SCROLLED),
            KeyCode::Down => self.select(self.selected + 1),
            KeyCode::Up => self.select(self.selected.saturating_sub(1)),
            KeyCode::PageDown => self.select(self.selected + page),
            KeyCode::PageUp => self.select(self.selected.saturating_sub(page)),
            KeyCode::Tab => self.mark(round),
            KeyCode::Char('f') if is_control => {
                self.view = View::Model {
                    input: Input::new(self.model.clone()),
                    selected: 0,
                };
            }
            KeyCode::Char('p') if is_control => {
                if round.key(self.selected).is_some() {
                    self.view = View::Plan {
                        target: 0,
                        skipped: 0,
                    };
                }
            }
            KeyCode::Char('r') if is_control => return Step::Ask,
            KeyCode::Char('s') if is_control => {
                self.sort = self.sort.next(!self.model.is_empty());
                self.select(0);
            }
            KeyCode::Char('o') if is_control => {
                self.sort = self.sort.reversed();
                self.select(0);
            }
            KeyCode::Char('l') if is_control => return Step::Stay,
            _ => self.edit_by(key),
        }
        Step::Stay
    }

    fn key_of_model(&mut self, key: KeyEvent, round: &Round<'_>) -> Step {
        let View::Model { input, selected } = &mut self.view else {
            return Step::Stay;
        };
        let models = round.models(input.value());
        match key.code {
            KeyCode::Enter => return Step::Size(input.value().trim().to_owned()),
            KeyCode::Tab => {
                if let Some(model) = models.into_iter().nth(*selected) {
                    self.view = View::Model {
                        input: Input::new(model),
                        selected: 0,
                    };
                }
            }
            KeyCode::Down => *selected = (*selected + 1).min(models.len().saturating_sub(1)),
            KeyCode::Up => *selected = selected.saturating_sub(1),
            _ => self.edit_by(key),
        }
        Step::Stay
    }

    fn key_of_plan(&mut self, key: KeyEvent, round: &Round<'_>) -> Step {
        let engines = round.targets(&self.marked, self.selected).len().max(1);
        let View::Plan { target, skipped } = &mut self.view else {
            return Step::Stay;
        };
        match key.code {
            KeyCode::Enter => return Step::Choose,
            KeyCode::Right | KeyCode::Tab => (*target, *skipped) = ((*target + 1) % engines, 0),
            KeyCode::Left => (*target, *skipped) = ((*target + engines - 1) % engines, 0),
            KeyCode::Down => *skipped += 1,
            KeyCode::Up => *skipped = skipped.saturating_sub(1),
            KeyCode::PageDown => *skipped += PAGE_OF_PLAN,
            KeyCode::PageUp => *skipped = skipped.saturating_sub(PAGE_OF_PLAN),
            _ => {}
        }
        Step::Stay
    }

    fn select(&mut self, at: usize) {
        self.selected = at;
        self.skipped = 0;
    }

    /// Marks the selected row, or unmarks it, and goes on to the next one.
    fn mark(&mut self, round: &Round<'_>) {
        let Some(key) = round.key(self.selected) else {
            return;
        };
        match self.marked.iter().position(|marked| *marked == key) {
            Some(at) => drop(self.marked.remove(at)),
            None => self.marked.push(key),
        }
        self.select(self.selected + 1);
    }

    fn edit_by(&mut self, key: KeyEvent) {
        let is_text = matches!(key.code, KeyCode::Char(c) if is_unprintable(c));
        if is_text {
            return;
        }
        let event = TerminalEvent::Key(key);
        self.edit_with(|input| {
            input
                .handle_event(&event)
                .is_some_and(|changed| changed.value)
        });
    }

    fn edit(&mut self, request: InputRequest) {
        self.edit_with(|input| input.handle(request).is_some_and(|changed| changed.value));
    }

    /// Edits what is typed; a text that is too long does not become longer.
    fn edit_with(&mut self, edit: impl FnOnce(&mut Input) -> bool) {
        let is_query = matches!(self.view, View::Offers);
        let input = match &mut self.view {
            View::Offers => &mut self.input,
            View::Model { input, selected } => {
                *selected = 0;
                input
            }
            View::Plan { .. } => return,
        };
        let before = input.clone();
        let is_changed = edit(input);
        let len = |input: &Input| input.value().chars().count();
        if len(input) > MAX_TYPED.max(len(&before)) {
            *input = before;
        } else if is_changed && is_query {
            self.select(0);
        }
    }
}

/// A text as it can be typed.
pub fn typed(text: &str) -> String {
    let plain = text
        .chars()
        .map(|c| if c.is_whitespace() { ' ' } else { c });
    plain
        .filter(|c| !is_unprintable(*c))
        .take(MAX_TYPED)
        .collect()
}
