//! The spec language: one line of text that says which hardware is wanted.
//!
//! [`parse()`] knows syntax only. It reads every dialect into the same few shapes and reports all
//! that is wrong at once; what the words mean is settled against a catalog by
//! [`crate::bind`]. The formal grammar is in `docs/grammar.md`.

mod code;
mod error;
mod keys;
mod parse;
mod quantity;

use std::ops::Range;

pub use code::SpecErrorCode;
pub(crate) use error::UnplacedError;
pub use error::{SpecError, SpecErrors};
pub use keys::{KEYS, Key, KeyKind, find_key};
pub use parse::parse;
pub(crate) use parse::{is_count, parse_parts};
pub use quantity::{CountRange, MemoryRange};
pub(crate) use quantity::{count_range, memory_bound, memory_range};

use crate::mig::SliceList;

/// The longest spec, in bytes.
pub const MAX_SPEC_LEN: usize = 512;
/// The most choices that one spec may give.
pub const MAX_CHOICES: usize = 16;

/// A place in the spec's text, in bytes.
pub type Span = Range<usize>;

/// `choice { "|" choice }`, in order of preference.
#[derive(Clone, Debug, PartialEq)]
pub struct Spec<'t> {
    /// The choices, the preferred one first.
    pub choices: Vec<Choice<'t>>,
}

/// `name { ":" part }`.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice<'t> {
    /// The place of the choice in the spec.
    pub span: Span,
    /// The name in front of the parts.
    pub name: Name<'t>,
    /// The parts, in the order of the text.
    pub parts: Vec<Part<'t>>,
}

/// The name in front of the parts.
#[derive(Clone, Debug, PartialEq)]
pub struct Name<'t> {
    /// The name as written, without the arguments of a call.
    pub text: &'t str,
    /// The place of the name in the spec.
    pub span: Span,
    /// The whole call of a Python factory, such as `A100(memory="40GB")`; `None` for a plain name.
    pub call: Option<&'t str>,
    /// The value of `version=` in such a call, which is part of the name; `None` when it is not
    /// given.
    pub version: Option<&'t str>,
    /// The text with the count that was read off its front, as in `8xH100`, and the span of that
    /// count: it may be a name after all, as `7900XTX` is. `None` when there is no such count.
    pub counted: Option<(&'t str, Span)>,
}

/// A condition that narrows the name.
#[derive(Clone, Debug, PartialEq)]
pub struct Part<'t> {
    /// The place of the part in the spec.
    pub span: Span,
    /// The condition.
    pub kind: PartKind<'t>,
}

/// The kinds of part.
#[derive(Clone, Debug, PartialEq)]
pub enum PartKind<'t> {
    /// The memory of one device.
    Memory(MemoryRange),
    /// The number of devices.
    Count(CountRange),
    /// MIG slices.
    Mig(SliceList),
    /// `key op value`.
    Compare {
        /// The key, as written.
        key: &'t str,
        /// The comparison.
        op: Op,
        /// The value, as written.
        value: &'t str,
        /// The place of the value in the spec.
        value_span: Span,
    },
    /// A bare word: a form factor or a memory type.
    Word(&'t str),
}

/// A comparison operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// `=` or `==`.
    Equal,
    /// `!=`.
    NotEqual,
    /// `>=`.
    AtLeast,
    /// `>`.
    MoreThan,
    /// `<=`.
    AtMost,
    /// `<`.
    LessThan,
}

impl Op {
    /// Longest first, so that `>=` is not read as `>`.
    const SPELLINGS: [(&'static str, Self); 7] = [
        (">=", Self::AtLeast),
        ("<=", Self::AtMost),
        ("!=", Self::NotEqual),
        ("==", Self::Equal),
        ("=", Self::Equal),
        (">", Self::MoreThan),
        ("<", Self::LessThan),
    ];

    /// The operator at the start of a text, and what follows it.
    fn strip(text: &str) -> Option<(Self, &str)> {
        Self::SPELLINGS
            .into_iter()
            .find_map(|(spelling, op)| text.strip_prefix(spelling).map(|rest| (op, rest)))
    }

    /// Returns the canonical spelling.
    pub fn spelling(self) -> &'static str {
        match self {
            Self::Equal => "=",
            Self::NotEqual => "!=",
            Self::AtLeast => ">=",
            Self::MoreThan => ">",
            Self::AtMost => "<=",
            Self::LessThan => "<",
        }
    }

    /// Returns whether an ordering satisfies the comparison.
    pub fn holds(self, ordering: std::cmp::Ordering) -> bool {
        match self {
            Self::Equal => ordering.is_eq(),
            Self::NotEqual => ordering.is_ne(),
            Self::AtLeast => ordering.is_ge(),
            Self::MoreThan => ordering.is_gt(),
            Self::AtMost => ordering.is_le(),
            Self::LessThan => ordering.is_lt(),
        }
    }
}
