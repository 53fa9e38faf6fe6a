//! Live answers: the providers are asked, and their answers replace the catalog's offers.
//!
//! [`Session::ask`] turns bound specs into a question to each provider, waits for all of them at
//! once, identifies the accelerators in their answers and puts the offers into a copy of the
//! catalog's tables. Everything that works on a catalog works on [`Live::tables`] too.
//!
//! A [`Session`] starts one runtime and one HTTPS client when it is first used, and keeps them.
//! Progress goes out as [`Progress`] events; nothing here writes to a terminal.

#![warn(missing_docs)]

mod ask;
mod child;
mod fresh;
mod identify;
mod left_out;
mod plausible;
mod question;
mod rows;
mod session;
mod sources;

pub use ask::{DEFAULT_DISK_GB, LiveRequest, Progress, can_ask};
pub use child::KEY_VARIABLES;
pub use fresh::{Answer, Extras, Live, Outcome, timestamp};
pub use identify::{Identifier, Identity};
pub use session::{Canceller, Session, SessionError};
pub use sky_accel_providers::aggregator::Aggregator;
pub use sky_accel_providers::{
    Access, Cache, CacheMode, CapacityBlock, ErrorKind, Event, Hardware, HubFiles, Interruptions,
    ProviderError, Quota, SpotScore, now, temporaries,
};
pub use sources::NEEDS_CONSENT;
