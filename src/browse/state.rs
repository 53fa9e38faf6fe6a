//! State of the browser.

use std::sync::mpsc::{Receiver, Sender};

use sky_accel_engine::asking::{Canceller, LiveRequest};
use sky_accel_engine::contract::{Envelope, OfferOut};
use sky_accel_engine::{Engine, OfferFilter, ResolveEcho, RunRequest};
use tui_input::Input;

use super::event::Event;
use super::listing::RowKey;
use super::sort::Sort;
use super::terminal::Screen;

/// Engine and command-line options of the browser.
pub struct BrowseContext<'a> {
    /// Engine for offline answers.
    pub engine: Engine<'a>,
    pub offers: OfferFilter,
    pub run: RunRequest,
    pub live: LiveRequest,
    /// Whether keys may be sent over unencrypted connections.
    pub insecure: bool,
    pub color: bool,
}

/// Document of the chosen offers.
pub type Chosen<'e> = Envelope<'e, ResolveEcho, OfferOut<'e>>;

/// Mode of the browser, on which keys act.
pub enum View {
    Offers,
    /// The user types a model: the text, and the index of the selected suggestion.
    Model {
        input: Input,
        selected: usize,
    },
    /// The plan for the choice: the index of its target among the suitable targets, and the first visible line.
    Plan {
        target: usize,
        skipped: usize,
    },
}

/// A live query: the text of the spec, and provider ids; an empty list means all providers.
#[derive(Clone, PartialEq, Eq)]
pub struct LiveQuery {
    pub spec: String,
    pub providers: Vec<String>,
}

impl LiveQuery {
    /// Whether the answer to this query includes the answer to `other`.
    pub fn covers(&self, other: &Self) -> bool {
        let has = |provider| self.providers.contains(provider);
        let is_narrower = !other.providers.is_empty() && other.providers.iter().all(has);
        self.spec == other.spec && (self.providers.is_empty() || is_narrower)
    }
}

/// A query in progress. Dropping it cancels the query.
pub struct Asking {
    pub canceller: Canceller,
    pub question: LiveQuery,
}

impl Drop for Asking {
    fn drop(&mut self) {
        self.canceller.cancel();
    }
}

/// State that survives a change of the catalog.
pub struct Browser<'a> {
    pub context: &'a BrowseContext<'a>,
    pub screen: Screen,
    pub events: Receiver<Event>,
    pub sender: Sender<Event>,
    pub input: Input,
    pub sort: Sort,
    pub marked: Vec<RowKey>,
    pub view: View,
    /// Model for which offers are sized; empty for none.
    pub model: String,
    /// Index of the selected row, index of the first visible row, and first visible line of the pane.
    pub selected: usize,
    pub first: usize,
    pub skipped: usize,
    /// Failure of the last key, or progress of a query.
    pub message: Option<String>,
    pub asking: Option<Asking>,
    /// Whether to query the providers at start.
    pub asks_at_once: bool,
    /// Query of the live answers on the screen.
    pub answered: Option<LiveQuery>,
    /// Offer to select again after a change of the catalog.
    pub kept: Option<RowKey>,
}
