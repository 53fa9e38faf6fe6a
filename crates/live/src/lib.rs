//! Live answers: queries providers, and replaces the catalog's offers by the answers.
//!
//! [`Session::ask`] turns bound specs into a query to each provider, waits for all providers,
//! identifies the accelerators in the answers, and merges the offers into a copy of the catalog's
//! tables. Code for a catalog works on [`Live::tables`] too.
//!
//! A [`Session`] starts one runtime and, for each HTTP version, one HTTPS client when it first needs
//! them, and keeps them.
//! Progress is reported as [`Progress`] events; this crate does not write to a terminal.

#![warn(missing_docs)]

mod answers;
mod ask;
#[cfg_attr(target_family = "wasm", path = "no_child.rs")]
mod child;
mod clock;
mod contract;
mod doctor;
mod environment;
mod identify;
mod interrupt;
mod merge;
mod plausible;
mod question;
mod request;
mod rows;
mod session;
mod skipped;
mod sources;
mod stock;

pub use answers::{Extras, Live, ProviderAnswer, QueryOutcome, Unreached, source_name};
pub use ask::{Progress, can_ask};
pub use clock::timestamp;
pub use doctor::diagnosis;
pub use identify::{Identifier, Identity};
pub use request::{DEFAULT_DISK_GB, LiveRequest};
pub use session::{Canceller, Session, SessionError};
pub use sky_accel_providers::aggregator::Aggregator;
pub use sky_accel_providers::{
    Access, Cache, CacheMode, CapacityBlock, CapacityWindow, CountQualifier, Diagnosis, ErrorKind,
    Event, FeedPrice, Hardware, HubFiles, InterruptionRisk, Interruptions, KeySource, Likelihood,
    LikelihoodBand, LikelihoodScale, Obtainability, ProviderApi, ProviderError, Quota, QuotaUnit,
    RiskKind, SpotScore, StockCount, StockPlace, StockState, StockUnit, TokenFeed, is_hub_name,
    now, public_url_variable,
};
pub use sources::{
    is_public, key_variables, providers, providers_needing_consent, public_url_variables,
    url_variables,
};
pub use stock::{WORD, best_state};
