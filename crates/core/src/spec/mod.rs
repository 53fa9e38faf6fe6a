//! The spec language: one line of text that says which hardware is wanted.
//!
//! [`parse()`] knows syntax only. It reads every dialect into the same few shapes and reports all
//! that is wrong at once; what the words mean is settled against a catalog by
//! [`crate::bind`]. The formal grammar is in `docs/grammar.md`.

mod code;
mod error;
mod keys;
mod op;
mod parse;
mod quantity;
mod syntax;

pub use code::SpecErrorCode;
pub(crate) use error::UnplacedError;
pub use error::{Span, SpecError, SpecErrors};
pub use keys::{KEYS, Key, KeyKind, find_key};
pub use op::Op;
pub use parse::parse;
pub(crate) use parse::{is_count, parse_parts};
pub use quantity::{CountRange, MemoryRange};
pub(crate) use quantity::{count_range, memory_bound, memory_range};
pub use syntax::{Choice, MAX_CHOICES, MAX_SPEC_LEN, Name, Part, PartKind, Spec};
