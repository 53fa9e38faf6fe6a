//! The spec language: one line of text that describes hardware.
//!
//! [`parse()`] handles syntax only: it reads every dialect into the same types and reports all
//! errors at once. [`crate::bind`] looks up the words in a catalog. The formal grammar is in
//! `docs/grammar.md`.

mod code;
mod error;
mod keys;
mod op;
mod parse;
mod quantity;
mod slices;
mod syntax;

pub use code::SpecErrorCode;
pub(crate) use error::UnplacedError;
pub use error::{Span, SpecError, SpecErrors};
pub use keys::{KEYS, KeyKind, SpecKey, find_key};
pub use op::Op;
pub use parse::parse;
pub(crate) use parse::{is_count, parse_parts};
pub use quantity::{CountRange, MemoryRange};
pub(crate) use quantity::{count_range, memory_bound, memory_range};
pub use slices::parse_slices;
pub use syntax::{MAX_CHOICES, MAX_SPEC_LEN, PartKind, Spec, SpecChoice, SpecName, SpecPart};
