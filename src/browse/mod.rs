//! `browse`: offers in the terminal, filtered as the user types.
//!
//! [`terminal`] enters and leaves raw mode and reads events, and [`keys`] handles keys. [`query`] parses the input,
//! [`listing`] has the offers of a spec, [`sort`] their order, [`model`] how a model runs on them, and [`pane`] the
//! details of an offer. A [`view`] shows one catalog, and [`draw`] draws it; a [`Browser`] is the state that survives a
//! change of the catalog.

mod draw;
mod event;
mod keys;
mod listing;
mod model;
mod pane;
mod query;
mod sort;
mod state;
mod terminal;
mod view;

use std::sync::mpsc::{RecvError, channel};
use std::thread::Scope;
use std::{io, mem};

use sky_accel_engine::asking::{Canceller, Live, Progress, Session};
use sky_accel_engine::{Engine, Error, ErrorKind};
use tui_input::Input;

use self::event::Event;
use self::keys::{KeyEffect, typed};
use self::sort::Sort;
use self::state::{Asking, View};
use self::terminal::Screen;
use self::view::CatalogView;

pub use self::model::SizedModel;
pub use self::state::{BrowseContext, Browser, Chosen};
pub use self::terminal::give_back;

/// Reason why a view ended.
pub enum ViewOutcome<'e> {
    /// The user chose offers.
    Chosen(Box<Chosen<'e>>),
    /// The user quit without a choice.
    Left,
    /// The providers answered: show the new catalog.
    Answered(Box<Live>),
    /// The live answer covers other hardware: show the offline catalog.
    Elsewhere,
}

impl<'a> Browser<'a> {
    /// Enters raw mode and, if requested, queries the providers.
    ///
    /// # Errors
    ///
    /// If the program has no terminal.
    pub fn open(
        context: &'a BrowseContext<'a>,
        query: &str,
        model: &str,
        asks_at_once: bool,
    ) -> io::Result<Self> {
        let screen = Screen::take(context.color)?;
        let (sender, events) = channel();
        terminal::listen(sender.clone())?;
        Ok(Self {
            context,
            screen,
            events,
            sender,
            input: Input::new(typed(query)),
            sort: Sort::default(),
            marked: Vec::new(),
            view: View::Offers,
            model: model.to_owned(),
            selected: 0,
            first: 0,
            skipped: 0,
            message: None,
            asking: None,
            asks_at_once,
            answered: None,
            kept: None,
        })
    }

    /// Shows offers until the user chooses, quits, or the catalog changes. Reuses a model that is already sized.
    ///
    /// # Errors
    ///
    /// If drawing on the terminal fails.
    pub fn visit<'e, 's>(
        &mut self,
        engine: &Engine<'e>,
        model: Option<SizedModel<'e>>,
        scope: &'s Scope<'s, '_>,
    ) -> io::Result<ViewOutcome<'e>>
    where
        'a: 's + 'e,
    {
        let mut view = CatalogView::new(engine, self.context, model);
        view.follow(self);
        // The input may have changed during the query.
        if let Some(outcome) = self.elsewhere(&view) {
            return Ok(outcome);
        }
        if let Some(key) = self.kept.take() {
            self.selected = view.place(&key).unwrap_or(0);
        }
        if mem::take(&mut self.asks_at_once) {
            self.ask(&view, scope);
        }
        self.draw(&mut view)?;
        let mut next = self.events.recv();
        loop {
            let outcome = self.handle(next, &mut view, scope)?;
            view.follow(self);
            if let Some(outcome) = outcome.or_else(|| self.elsewhere(&view)) {
                self.kept = view.key(self.selected);
                return Ok(outcome);
            }
            // Show pending input immediately.
            next = if let Ok(event) = self.events.try_recv() {
                Ok(event)
            } else {
                self.draw(&mut view)?;
                self.events.recv()
            };
        }
    }

    /// Leaves live answers that do not cover the current input.
    fn elsewhere<'e>(&mut self, view: &CatalogView<'e>) -> Option<ViewOutcome<'e>> {
        let answered = self.answered.as_ref()?;
        if answered.covers(&view.question()) {
            return None;
        }
        self.answered = None;
        Some(ViewOutcome::Elsewhere)
    }

    fn handle<'e, 's>(
        &mut self,
        event: Result<Event, RecvError>,
        view: &mut CatalogView<'e>,
        scope: &'s Scope<'s, '_>,
    ) -> io::Result<Option<ViewOutcome<'e>>>
    where
        'a: 's,
    {
        let step = match event {
            Ok(Event::Terminal(event)) => self.terminal_event(&event, view),
            Ok(Event::Continue) => {
                self.screen.take_again()?;
                KeyEffect::Stay
            }
            Ok(Event::End) | Err(_) => KeyEffect::Leave,
            Ok(Event::Waiting(providers)) => {
                if self.asking.is_some() {
                    self.message = Some(format!("querying {providers} … Esc cancels"));
                }
                KeyEffect::Stay
            }
            Ok(Event::Answered(answer)) => {
                if let Some(live) = self.answered(*answer) {
                    return Ok(Some(ViewOutcome::Answered(live)));
                }
                KeyEffect::Stay
            }
        };
        match step {
            KeyEffect::Stay => {}
            KeyEffect::Choose => match view.chosen(&self.marked, self.selected) {
                Ok(chosen) => return Ok(Some(ViewOutcome::Chosen(Box::new(chosen)))),
                Err(message) => self.message = Some(message),
            },
            KeyEffect::Size(model) => self.size(model, view)?,
            KeyEffect::Leave => return Ok(Some(ViewOutcome::Left)),
            KeyEffect::Stop => self.screen.stop()?,
            KeyEffect::Ask => self.ask(view, scope),
        }
        Ok(None)
    }

    /// Handles the answer of the providers.
    fn answered(&mut self, answer: Result<Live, Error>) -> Option<Box<Live>> {
        let asking = self.asking.take();
        self.message = None;
        match answer {
            Ok(live) => {
                self.answered = asking.map(|asking| asking.question.clone());
                Some(Box::new(live))
            }
            Err(error) if error.kind == ErrorKind::Interrupted => None,
            Err(error) => {
                self.message = Some(error.to_string());
                None
            }
        }
    }

    /// Starts a thread that queries the providers for the current input.
    fn ask<'s>(&mut self, view: &CatalogView<'_>, scope: &'s Scope<'s, '_>)
    where
        'a: 's,
    {
        if self.asking.is_some() {
            return;
        }
        let context = self.context;
        let question = view.question();
        let text = match &question.spec[..] {
            "" => "any",
            spec => spec,
        };
        let wanted = context.engine.read_hardware(text);
        let (wanted, offers) = match wanted.and_then(|wanted| Ok((wanted, view.asked()?))) {
            Ok(asked) => asked,
            Err(error) => {
                self.message = Some(error.to_string());
                return;
            }
        };
        let canceller = Canceller::default();
        self.asking = Some(Asking {
            canceller: canceller.clone(),
            question,
        });
        self.message = Some("querying the providers … Esc cancels".to_owned());
        let sender = self.sender.clone();
        scope.spawn(move || {
            let tell = |progress: Progress<'_>| {
                if let Progress::Waiting(providers @ [_, ..]) = progress {
                    let _ = sender.send(Event::Waiting(providers.join(", ")));
                }
            };
            let session = Session::new()
                .allowing_plain_http(context.insecure)
                .canceled_by(&canceller);
            let answer = context
                .engine
                .ask(&session, &[wanted], &offers, &context.live, &tell);
            let _ = sender.send(Event::Answered(Box::new(answer)));
        });
    }

    /// Sizes a model on every machine. Shows a message first, since many machines take a while.
    fn size(&mut self, model: String, view: &mut CatalogView<'_>) -> io::Result<()> {
        if !model.is_empty() {
            self.message = Some(format!("sizing {model} …"));
            self.draw(view)?;
        }
        self.message = view.size(&model).err().map(|error| error.to_string());
        if self.message.is_none() {
            if model.is_empty() {
                self.sort = self.sort.without_model();
            }
            self.model = model;
            self.view = View::Offers;
            self.selected = 0;
        }
        Ok(())
    }

    fn draw(&mut self, view: &mut CatalogView<'_>) -> io::Result<()> {
        let area = self.screen.area()?;
        let scene = view.scene(self, area);
        self.screen.draw(|frame| scene.draw(frame))
    }
}
