//! Effects of keys.

use std::mem;

use crossterm::event::{Event as TerminalEvent, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use sky_accel_core::text::is_unprintable;
use tui_input::backend::crossterm::EventHandler as _;
use tui_input::{Input, InputRequest};

use super::state::{Browser, View};
use super::view::CatalogView;

/// Maximum length of the input, in bytes.
const MAX_TYPED: usize = 500;
/// Lines of the pane that a key scrolls.
const SCROLLED: usize = 3;
/// Lines of a plan that a key scrolls.
const PAGE_OF_PLAN: usize = 10;

/// Next step after a key.
pub enum KeyEffect {
    Stay,
    Choose,
    Leave,
    Ask,
    Stop,
    /// Size this model; an empty name removes the model.
    Size(String),
}

impl Browser<'_> {
    /// Handles an event of the terminal.
    pub(super) fn terminal_event(
        &mut self,
        event: &TerminalEvent,
        view: &mut CatalogView<'_>,
    ) -> KeyEffect {
        match event {
            TerminalEvent::Key(key) if key.kind != KeyEventKind::Release => self.key(*key, view),
            TerminalEvent::Paste(text) => {
                for c in typed(text).chars() {
                    self.edit(InputRequest::InsertChar(c));
                }
                KeyEffect::Stay
            }
            _ => KeyEffect::Stay,
        }
    }

    fn key(&mut self, key: KeyEvent, view: &mut CatalogView<'_>) -> KeyEffect {
        if self.asking.is_none() {
            self.message = None;
        }
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Char('c') if is_control => return KeyEffect::Leave,
            KeyCode::Char('z') if is_control => return KeyEffect::Stop,
            KeyCode::Esc => return self.escape(),
            _ => {}
        }
        match self.view {
            View::Offers => self.key_of_offers(key, view),
            View::Model { .. } => self.key_of_model(key, view),
            View::Plan { .. } => self.key_of_plan(key, view),
        }
    }

    /// Goes back one level: from a live query, a plan or a model to the offers, and from the offers out.
    fn escape(&mut self) -> KeyEffect {
        if let Some(asking) = &self.asking {
            asking.canceller.cancel();
            return KeyEffect::Stay;
        }
        match mem::replace(&mut self.view, View::Offers) {
            View::Offers => KeyEffect::Leave,
            View::Model { .. } | View::Plan { .. } => KeyEffect::Stay,
        }
    }

    fn key_of_offers(&mut self, key: KeyEvent, view: &mut CatalogView<'_>) -> KeyEffect {
        let is_control = key.modifiers.contains(KeyModifiers::CONTROL);
        let is_shift = key.modifiers.contains(KeyModifiers::SHIFT);
        let page = view.page();
        match key.code {
            KeyCode::Enter => return KeyEffect::Choose,
            KeyCode::Down if is_shift => self.skipped += SCROLLED,
            KeyCode::Up if is_shift => self.skipped = self.skipped.saturating_sub(SCROLLED),
            KeyCode::Down => self.select(self.selected + 1),
            KeyCode::Up => self.select(self.selected.saturating_sub(1)),
            KeyCode::PageDown => self.select(self.selected + page),
            KeyCode::PageUp => self.select(self.selected.saturating_sub(page)),
            KeyCode::Tab => self.mark(view),
            KeyCode::Char('f') if is_control => {
                self.view = View::Model {
                    input: Input::new(self.model.clone()),
                    selected: 0,
                };
            }
            KeyCode::Char('p') if is_control => {
                if view.key(self.selected).is_some() {
                    self.view = View::Plan {
                        target: 0,
                        skipped: 0,
                    };
                }
            }
            KeyCode::Char('r') if is_control => return KeyEffect::Ask,
            KeyCode::Char('s') if is_control => {
                self.sort = self.sort.next(!self.model.is_empty());
                self.select(0);
            }
            KeyCode::Char('o') if is_control => {
                self.sort = self.sort.reversed();
                self.select(0);
            }
            KeyCode::Char('l') if is_control => return KeyEffect::Stay,
            _ => self.edit_by(key),
        }
        KeyEffect::Stay
    }

    fn key_of_model(&mut self, key: KeyEvent, view: &CatalogView<'_>) -> KeyEffect {
        let View::Model { input, selected } = &mut self.view else {
            return KeyEffect::Stay;
        };
        let models = view.models(input.value());
        match key.code {
            KeyCode::Enter => return KeyEffect::Size(input.value().trim().to_owned()),
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
        KeyEffect::Stay
    }

    fn key_of_plan(&mut self, key: KeyEvent, view: &CatalogView<'_>) -> KeyEffect {
        let engines = view.targets(&self.marked, self.selected).len().max(1);
        let View::Plan { target, skipped } = &mut self.view else {
            return KeyEffect::Stay;
        };
        match key.code {
            KeyCode::Enter => return KeyEffect::Choose,
            KeyCode::Right | KeyCode::Tab => (*target, *skipped) = ((*target + 1) % engines, 0),
            KeyCode::Left => (*target, *skipped) = ((*target + engines - 1) % engines, 0),
            KeyCode::Down => *skipped += 1,
            KeyCode::Up => *skipped = skipped.saturating_sub(1),
            KeyCode::PageDown => *skipped += PAGE_OF_PLAN,
            KeyCode::PageUp => *skipped = skipped.saturating_sub(PAGE_OF_PLAN),
            _ => {}
        }
        KeyEffect::Stay
    }

    fn select(&mut self, at: usize) {
        self.selected = at;
        self.skipped = 0;
    }

    /// Toggles the mark of the selected row and selects the next row.
    fn mark(&mut self, view: &CatalogView<'_>) {
        let Some(key) = view.key(self.selected) else {
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

    /// Edits the input; ignores keys that would exceed the maximum length.
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

/// Returns a text without characters that cannot be typed.
pub fn typed(text: &str) -> String {
    let plain = text
        .chars()
        .map(|c| if c.is_whitespace() { ' ' } else { c });
    plain
        .filter(|c| !is_unprintable(*c))
        .take(MAX_TYPED)
        .collect()
}
