//! The engine as a server of the Model Context Protocol, for agents: [`serve`] answers on standard input and output from
//! what is on a [`Desk`].
//!
//! `server` speaks the protocol; `tools` lists the tools and answers their calls; `arguments` has the types of what is
//! asked, from which the input schemas follow; `pages` cuts answers that are too long.
#![warn(missing_docs)]

mod arguments;
mod pages;
mod schema;
mod server;
mod tools;

use std::time::Duration;

use sky_accel_engine::asking::{LiveRequest, Session};
use sky_accel_engine::{Engine, ModelHub, OfferFilter};

pub use server::serve;

/// The means to answer calls.
pub struct Desk<'a> {
    /// Answers from the catalog.
    pub engine: Engine<'a>,
    /// Asks providers and hubs.
    pub session: &'a Session,
    /// The options of questions to providers; `None` for a server that answers from the catalog and its files alone.
    pub live: Option<LiveRequest>,
    /// The greatest age of a price; `None` for any.
    pub max_age: Option<Duration>,
    /// Whether models of a hub are read from the cache alone.
    pub offline: bool,
    /// Limits to offers, for calls that leave them open.
    pub offers: OfferFilter,
}

impl Desk<'_> {
    /// Runs work that may read models of a hub.
    fn with_hub<T>(&self, work: impl FnOnce(Option<&ModelHub<'_>>) -> T) -> T {
        let hub = ModelHub {
            session: self.session,
            offline: self.offline,
            progress: &|_| {},
        };
        work(self.live.is_some().then_some(&hub))
    }
}
