//! The means of a server to answer calls.

use std::time::Duration;

use sky_accel_engine::asking::{LiveRequest, Session};
use sky_accel_engine::{Engine, ModelHub, OfferFilter};

/// The means to answer calls.
pub struct ServerContext<'a> {
    /// The engine with its catalog.
    pub engine: Engine<'a>,
    /// The session for live providers and hubs.
    pub session: &'a Session,
    /// The options of live requests; `None` for a server without network access.
    pub live: Option<LiveRequest>,
    /// The maximum age of prices; `None` for any age.
    pub max_age: Option<Duration>,
    /// True to read models of a hub only from the cache.
    pub offline: bool,
    /// The default filter of offers.
    pub offers: OfferFilter,
}

impl ServerContext<'_> {
    /// Runs work that may download the configurations of models.
    pub(crate) fn with_hub<T>(&self, work: impl FnOnce(Option<&ModelHub<'_>>) -> T) -> T {
        let hub = ModelHub {
            session: self.session,
            offline: self.offline,
            progress: &|_| {},
        };
        work(self.live.is_some().then_some(&hub))
    }
}
