//! What each key does.

use std::mem;

use crossterm::event::{Event as TerminalEvent, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use sky_accel_core::text::is_unprintable;
use sky_accel_engine::Target;
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

/// What a key leads to.
pub enum Step {
    Stay,
    Choose,
    Leave,
    Ask,
    Stop,
}

impl Browser<'_> {
    /// What follows from what the terminal tells.
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
            View::Model(_) => self.key_of_model(key, round),
            View::Plan { .. } => self.key_of_plan(key),
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
            View::Model(_) | View::Plan { .. } => Step::Stay,
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
                self.view = View::Model(Input::new(self.model.clone()));
            }
            KeyCode::Char('p') if is_control => {
                self.view = View::Plan {
                    target: 0,
                    skipped: 0,
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

    fn key_of_model(&mut self, key: KeyEvent, round: &mut Round<'_>) -> Step {
        let View::Model(input) = &self.view else {
            return Step::Stay;
        };
        match key.code {
            KeyCode::Enter => {
                let model = input.value().trim().to_owned();
                match round.size(&model) {
                    Ok(()) => {
                        self.model = model;
                        self.view = View::Offers;
                        self.select(0);
                    }
                    Err(error) => self.message = Some(error.to_string()),
                }
            }
            KeyCode::Tab => {
                if let Some(model) = round.models(input.value()).into_iter().next() {
                    self.view = View::Model(Input::new(model));
                }
            }
            _ => self.edit_by(key),
        }
        Step::Stay
    }

    fn key_of_plan(&mut self, key: KeyEvent) -> Step {
        let View::Plan { target, skipped } = &mut self.view else {
            return Step::Stay;
        };
        let engines = Target::ALL.len();
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

    /// Edits what is typed; a text that would become too long stays as it is.
    fn edit_with(&mut self, edit: impl FnOnce(&mut Input) -> bool) {
        let input = match &mut self.view {
            View::Offers => &mut self.input,
            View::Model(input) => input,
            View::Plan { .. } => return,
        };
        let before = input.clone();
        let is_changed = edit(input);
        if input.value().len() > MAX_TYPED {
            *input = before;
        } else if is_changed && matches!(self.view, View::Offers) {
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
