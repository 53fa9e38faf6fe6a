//! `browse`: the offers in a terminal, filtered by what is typed.
//!
//! [`terminal`] takes the terminal and tells what happens there, and [`keys`] what each key does; [`query`] understands what was typed; [`listing`]
//! has the offers of a spec, [`sort`] their order, [`model`] how a model runs on them; [`pane`] says what is known of
//! one; [`round`] answers from one catalog, and [`draw`] puts all of it on the screen. [`Browser`] is what is left
//! when the catalog changes.

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
use sky_accel_engine::{Engine, Error, ErrorKind, OfferFilter, ResolveRequest, RunRequest};
use tui_input::Input;

use self::keys::{Step, typed};
use self::listing::Key;
use self::round::Round;
use self::sort::Sort;
use self::terminal::Screen;

pub use self::model::Model;
pub use self::terminal::give_back;

/// What happens while the browser waits.
pub enum Event {
    Terminal(TerminalEvent),
    /// The program is to stop, until it is told to go on.
    Stop,
    /// The program goes on, and the terminal may look otherwise.
    Continue,
    /// The terminal has gone, or the system ends the program.
    End,
    /// Providers that have not answered yet.
    Waiting(String),
    Answered(Box<Result<Live, Error>>),
}

/// What the browser answers with.
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
pub type Chosen<'e> = Envelope<'e, ResolveRequest, OfferOut<'e>>;

/// How a round ends.
pub enum Visit<'e> {
    /// Offers were chosen.
    Chosen(Box<Chosen<'e>>),
    /// Nothing was.
    Left,
    /// The providers answered: the next round shows that.
    Answered(Box<Live>),
    /// The providers were asked for other hardware: the next round is offline.
    Elsewhere,
}

/// What the keys act on.
enum View {
    Offers,
    /// A model is typed.
    Model(Input),
    /// The plan for the chosen offers: the place of its engine, and the lines scrolled past.
    Plan {
        target: usize,
        skipped: usize,
    },
}

/// A question that is being asked.
struct Asking {
    canceller: Canceller,
    /// The text of the spec that it is about.
    spec: String,
}

/// The state that outlives a catalog.
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
    /// The place of the selected row, of the first one on the screen, and the lines of the pane scrolled past.
    selected: usize,
    first: usize,
    skipped: usize,
    /// What the last key could not do.
    message: Option<String>,
    asking: Option<Asking>,
    /// Whether the providers are asked before any key.
    asks_at_once: bool,
    /// The spec that the providers answered for.
    live_spec: Option<String>,
}

impl<'a> Browser<'a> {
    /// Takes the terminal.
    ///
    /// # Errors
    ///
    /// Where there is none to draw on.
    pub fn open(desk: &'a Desk<'a>, query: &str, model: &str) -> io::Result<Self> {
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
            asks_at_once: false,
            live_spec: None,
        })
    }

    /// Asks the providers before any key is pressed.
    pub fn ask_at_once(&mut self) {
        self.asks_at_once = true;
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
    ) -> io::Result<Visit<'e>>
    where
        'a: 's + 'e,
    {
        let mut round = Round::new(engine, self.desk, model);
        round.follow(self);
        if mem::take(&mut self.asks_at_once) {
            self.ask(&round, scope);
        }
        loop {
            round.follow(self);
            if engine.live().is_some() && self.live_spec.as_deref() != Some(round.spec()) {
                self.live_spec = None;
                return Ok(Visit::Elsewhere);
            }
            self.draw(&mut round)?;
            // What has been typed meanwhile is shown at once.
            let mut next = self.events.recv();
            loop {
                match self.happen(next, &mut round, scope)? {
                    Some(Visit::Left) => {
                        if let Some(asking) = self.asking.take() {
                            asking.canceller.cancel();
                        }
                        return Ok(Visit::Left);
                    }
                    Some(visit) => return Ok(visit),
                    None => {}
                }
                match self.events.try_recv() {
                    Ok(event) => {
                        round.follow(self);
                        next = Ok(event);
                    }
                    Err(_) => break,
                }
            }
        }
    }

    fn happen<'e, 's>(
        &mut self,
        event: Result<Event, RecvError>,
        round: &mut Round<'e>,
        scope: &'s Scope<'s, '_>,
    ) -> io::Result<Option<Visit<'e>>>
    where
        'a: 's,
    {
        let step = match event {
            Ok(Event::Terminal(event)) => self.terminal_event(&event, round),
            Ok(Event::Stop) => Step::Stop,
            Ok(Event::Continue) => {
                self.screen.take_again()?;
                Step::Stay
            }
            Ok(Event::End) | Err(_) => Step::Leave,
            Ok(Event::Waiting(providers)) => {
                if self.asking.is_some() {
                    self.message = Some(format!("asking {providers} … Esc ends that"));
                }
                Step::Stay
            }
            Ok(Event::Answered(answer)) => {
                if let Some(live) = self.answered(*answer) {
                    return Ok(Some(Visit::Answered(live)));
                }
                Step::Stay
            }
        };
        match step {
            Step::Stay => {}
            Step::Choose => {
                let chosen = round.chosen(&self.marked, self.selected);
                return Ok(chosen.map(|chosen| Visit::Chosen(Box::new(chosen))));
            }
            Step::Leave => return Ok(Some(Visit::Left)),
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
                self.live_spec = asking.map(|asking| asking.spec);
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
        let spec = round.spec().to_owned();
        let text = if spec.is_empty() { "any" } else { &spec };
        let Ok(wanted) = desk.engine.read_hardware(text) else {
            return;
        };
        let mut offers = desk.offers.clone();
        if !round.providers().is_empty() {
            offers.providers = round.providers().to_vec();
        }
        let canceller = Canceller::default();
        self.asking = Some(Asking {
            canceller: canceller.clone(),
            spec,
        });
        self.message = Some("asking the providers … Esc ends that".to_owned());
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

    fn draw(&mut self, round: &mut Round<'_>) -> io::Result<()> {
        let size = self.screen.size()?;
        let scene = round.scene(self, size);
        self.screen.draw(|frame| scene.draw(frame))
    }
}
