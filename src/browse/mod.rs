//! `browse`: the offers in a terminal, filtered by what is typed.
//!
//! [`terminal`] takes the terminal and tells what happens there, and [`keys`] handles each key. [`query`] understands
//! the typed text, [`listing`] has the offers of a spec, [`sort`] their order, [`model`] how a model runs on them, and
//! [`pane`] what is known of one. A [`round`] answers from one catalog, and [`draw`] puts it on the screen; a [`Browser`]
//! is what stays when another catalog answers.

mod draw;
mod keys;
mod listing;
mod model;
mod pane;
mod query;
mod round;
mod sort;
mod terminal;

use std::sync::mpsc::{Receiver, RecvError, Sender, channel};
use std::thread::Scope;
use std::{io, mem};

use crossterm::event::Event as TerminalEvent;
use sky_accel_engine::asking::{Canceller, Live, LiveRequest, Progress, Session};
use sky_accel_engine::contract::{Envelope, OfferOut};
use sky_accel_engine::{Engine, Error, ErrorKind, OfferFilter, ResolveEcho, RunRequest};
use tui_input::Input;

use self::keys::{Step, typed};
use self::listing::Key;
use self::round::Round;
use self::sort::Sort;
use self::terminal::Screen;

pub use self::model::Model;
pub use self::terminal::give_back;

/// An event that the browser waits for.
pub enum Event {
    Terminal(TerminalEvent),
    /// The program goes on, and the terminal may look otherwise.
    #[cfg_attr(not(unix), expect(dead_code, reason = "no signals tell it there"))]
    Continue,
    /// The terminal has gone, or the system ends the program.
    End,
    /// Providers that have not answered yet.
    Waiting(String),
    Answered(Box<Result<Live, Error>>),
}

/// The means to answer, and the options of the command line.
pub struct Desk<'a> {
    /// Answers from the catalog.
    pub engine: Engine<'a>,
    pub offers: OfferFilter,
    pub run: RunRequest,
    pub live: LiveRequest,
    /// Whether keys may be sent without encryption.
    pub insecure: bool,
    pub colour: bool,
}

/// The document of what was chosen.
pub type Chosen<'e> = Envelope<'e, ResolveEcho, OfferOut<'e>>;

/// How a round ends.
pub enum Outcome<'e> {
    /// Offers were chosen.
    Chosen(Box<Chosen<'e>>),
    /// Nothing was.
    Left,
    /// The providers answered: the next round shows that.
    Answered(Box<Live>),
    /// The providers were asked for other hardware: the next round is offline.
    Elsewhere,
}

/// The view that the keys act on.
enum View {
    Offers,
    /// A model is typed: the text, and which of the models that it may mean is selected.
    Model {
        input: Input,
        selected: usize,
    },
    /// The plan for the choice: the place of its engine among those that can rent it, and the first line shown.
    Plan {
        target: usize,
        skipped: usize,
    },
}

/// A question for providers: the text of the spec, and the ids of the providers; none means all of them.
#[derive(Clone, PartialEq, Eq)]
struct Question {
    spec: String,
    providers: Vec<String>,
}

impl Question {
    /// Whether the answer to this question has all that is asked for by the other.
    fn covers(&self, other: &Self) -> bool {
        let has = |provider| self.providers.contains(provider);
        let is_narrower = !other.providers.is_empty() && other.providers.iter().all(has);
        self.spec == other.spec && (self.providers.is_empty() || is_narrower)
    }
}

/// A question that is being asked; it is cancelled when nobody waits for it any more.
struct Asking {
    canceller: Canceller,
    question: Question,
}

impl Drop for Asking {
    fn drop(&mut self) {
        self.canceller.cancel();
    }
}

/// The state that stays when another catalog answers.
pub struct Browser<'a> {
    desk: &'a Desk<'a>,
    screen: Screen,
    events: Receiver<Event>,
    sender: Sender<Event>,
    input: Input,
    sort: Sort,
    marked: Vec<Key>,
    view: View,
    /// The model that offers are sized for; empty for none.
    model: String,
    /// The place of the selected row, and of the first one on the screen, and the first line shown of the pane.
    selected: usize,
    first: usize,
    skipped: usize,
    /// The failure of the last key, or the progress of a question.
    message: Option<String>,
    asking: Option<Asking>,
    /// Whether the providers are asked before any key.
    asks_at_once: bool,
    /// The question that the shown live answers belong to.
    answered: Option<Question>,
    /// The offer that is selected again when another catalog answers.
    kept: Option<Key>,
}

impl<'a> Browser<'a> {
    /// Takes the terminal. The providers may be asked before any key is pressed.
    ///
    /// # Errors
    ///
    /// Where there is none to draw on.
    pub fn open(
        desk: &'a Desk<'a>,
        query: &str,
        model: &str,
        asks_at_once: bool,
    ) -> io::Result<Self> {
        let screen = Screen::take(desk.colour)?;
        let (sender, events) = channel();
        terminal::listen(sender.clone())?;
        Ok(Self {
            desk,
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

    /// Shows offers until something is chosen or another catalog has to answer. A model that is sized already need
    /// not be sized again.
    ///
    /// # Errors
    ///
    /// When the terminal cannot be drawn on.
    pub fn visit<'e, 's>(
        &mut self,
        engine: &Engine<'e>,
        model: Option<Model<'e>>,
        scope: &'s Scope<'s, '_>,
    ) -> io::Result<Outcome<'e>>
    where
        'a: 's + 'e,
    {
        let mut round = Round::new(engine, self.desk, model);
        round.follow(self);
        // Something else may have been typed while the providers were asked.
        if let Some(outcome) = self.elsewhere(&round) {
            return Ok(outcome);
        }
        if let Some(key) = self.kept.take() {
            self.selected = round.place(&key).unwrap_or(0);
        }
        if mem::take(&mut self.asks_at_once) {
            self.ask(&round, scope);
        }
        self.draw(&mut round)?;
        let mut next = self.events.recv();
        loop {
            let outcome = self.handle(next, &mut round, scope)?;
            round.follow(self);
            if let Some(outcome) = outcome.or_else(|| self.elsewhere(&round)) {
                self.kept = round.key(self.selected);
                return Ok(outcome);
            }
            // What has been typed meanwhile is shown at once.
            next = if let Ok(event) = self.events.try_recv() {
                Ok(event)
            } else {
                self.draw(&mut round)?;
                self.events.recv()
            };
        }
    }

    /// Leaves a round of live answers that were not asked for what is shown now.
    fn elsewhere<'e>(&mut self, round: &Round<'e>) -> Option<Outcome<'e>> {
        let answered = self.answered.as_ref()?;
        if answered.covers(&round.question()) {
            return None;
        }
        self.answered = None;
        Some(Outcome::Elsewhere)
    }

    fn handle<'e, 's>(
        &mut self,
        event: Result<Event, RecvError>,
        round: &mut Round<'e>,
        scope: &'s Scope<'s, '_>,
    ) -> io::Result<Option<Outcome<'e>>>
    where
        'a: 's,
    {
        let step = match event {
            Ok(Event::Terminal(event)) => self.terminal_event(&event, round),
            Ok(Event::Continue) => {
                self.screen.take_again()?;
                Step::Stay
            }
            Ok(Event::End) | Err(_) => Step::Leave,
            Ok(Event::Waiting(providers)) => {
                if self.asking.is_some() {
                    self.message = Some(format!("asking {providers} … Esc cancels"));
                }
                Step::Stay
            }
            Ok(Event::Answered(answer)) => {
                if let Some(live) = self.answered(*answer) {
                    return Ok(Some(Outcome::Answered(live)));
                }
                Step::Stay
            }
        };
        match step {
            Step::Stay => {}
            Step::Choose => match round.chosen(&self.marked, self.selected) {
                Ok(chosen) => return Ok(Some(Outcome::Chosen(Box::new(chosen)))),
                Err(message) => self.message = Some(message),
            },
            Step::Size(model) => self.size(model, round)?,
            Step::Leave => return Ok(Some(Outcome::Left)),
            Step::Stop => self.screen.stop()?,
            Step::Ask => self.ask(round, scope),
        }
        Ok(None)
    }

    /// Takes the answer of the providers.
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

    /// Asks the providers for what is shown, in another thread.
    fn ask<'s>(&mut self, round: &Round<'_>, scope: &'s Scope<'s, '_>)
    where
        'a: 's,
    {
        if self.asking.is_some() {
            return;
        }
        let desk = self.desk;
        let question = round.question();
        let text = match &question.spec[..] {
            "" => "any",
            spec => spec,
        };
        let wanted = desk.engine.read_hardware(text);
        let (wanted, offers) = match wanted.and_then(|wanted| Ok((wanted, round.asked()?))) {
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
        self.message = Some("asking the providers … Esc cancels".to_owned());
        let sender = self.sender.clone();
        scope.spawn(move || {
            let tell = |progress: Progress<'_>| {
                if let Progress::Waiting(providers @ [_, ..]) = progress {
                    let _ = sender.send(Event::Waiting(providers.join(", ")));
                }
            };
            let session = Session::new()
                .allowing_plain_http(desk.insecure)
                .cancelled_by(&canceller);
            let answer = desk
                .engine
                .ask(&session, &[wanted], &offers, &desk.live, &tell);
            let _ = sender.send(Event::Answered(Box::new(answer)));
        });
    }

    /// Sizes a model on every machine, which takes a while where there are very many.
    fn size(&mut self, model: String, round: &mut Round<'_>) -> io::Result<()> {
        if !model.is_empty() {
            self.message = Some(format!("sizing {model} …"));
            self.draw(round)?;
        }
        self.message = round.size(&model).err().map(|error| error.to_string());
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

    fn draw(&mut self, round: &mut Round<'_>) -> io::Result<()> {
        let area = self.screen.area()?;
        let scene = round.scene(self, area);
        self.screen.draw(|frame| scene.draw(frame))
    }
}
