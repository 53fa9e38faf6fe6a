//! `mcp`: the engine as a server of the Model Context Protocol, for agents.
//!
//! [`server`] speaks the protocol; [`tools`] lists the tools and answers their calls; [`arguments`] has the types of
//! what is asked, from which the input schemas follow; [`pages`] cuts answers that are too long.

mod arguments;
mod pages;
mod schema;
mod server;
mod tools;

use sky_accel_engine::asking::Session;
use sky_accel_engine::{Engine, ModelHub};

use crate::cli::LiveArgs;
use crate::settings::Settings;

pub use server::serve;

/// The means to answer calls.
pub struct Desk<'a> {
    pub engine: Engine<'a>,
    /// Asks providers and hubs, where the server was started with `--live`.
    pub session: &'a Session,
    pub settings: &'a Settings,
    pub live: &'a LiveArgs,
}

impl Desk<'_> {
    /// Runs work that may read models of a hub.
    fn with_hub<T>(&self, work: impl FnOnce(Option<&ModelHub<'_>>) -> T) -> T {
        if !self.live.live {
            return work(None);
        }
        work(Some(&ModelHub {
            session: self.session,
            offline: self.settings.offline,
            progress: &|_| {},
        }))
    }
}
