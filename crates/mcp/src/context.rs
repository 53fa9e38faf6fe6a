//! The means of a server to answer calls.

use sky_accel_engine::asking::{Canceller, LiveRequest, Session};
use sky_accel_engine::{Engine, ModelFolders, ModelHub, OfferFilter};

/// The means to answer calls.
pub struct ServerContext<'a> {
    /// The engine with its catalog.
    pub engine: Engine<'a>,
    /// The session for live providers and hubs.
    pub session: &'a Session,
    /// Cancels the requests of the session.
    pub canceller: Canceller,
    /// The options of live requests; `None` for a server without network access.
    pub live: Option<LiveRequest>,
    /// True to read models of a hub only from the cache.
    pub offline: bool,
    /// The folders with files of models that agents may name.
    pub folders: ModelFolders,
    /// The default filter of offers.
    pub offers: OfferFilter,
}

impl ServerContext<'_> {
    /// Runs work that may download the configurations of models, or read them below the allowed folders.
    pub(crate) fn with_hub<T>(&self, work: impl FnOnce(Option<&ModelHub<'_>>) -> T) -> T {
        let hub = ModelHub {
            session: self.session,
            offline: self.offline,
            is_live: self.live.is_some(),
            folders: Some(&self.folders),
            progress: &|_| {},
        };
        work(Some(&hub))
    }
}
