//! The computations of sky-accel: the spec language, the catalog's tables, matching,
//! ranking and the guide.
//!
//! Everything is a function of its arguments: the crate uses no I/O, no clock, no environment
//! and no async: the catalog comes in as tables, the request as a plain struct, and the answer
//! goes out as data that the caller renders.
//!
//! The flow is [`spec::parse`] (text to syntax) → [`bind::bind`] (syntax to accelerators of a
//! catalog) → [`resolve::resolve`] (accelerators to offers with prices), or [`plan::plan`] (offers
//! to an ordered list of candidates to try).

pub mod bill;
pub mod bind;
pub mod catalog;
pub mod duration;
pub mod guide;
pub mod load;
pub mod market;
pub mod memory;
pub mod mig;
pub mod money;
pub mod note;
pub mod plan;
pub mod resolve;
pub mod sizing;
pub mod spec;
pub mod suggest;
pub mod text;
pub mod word;
