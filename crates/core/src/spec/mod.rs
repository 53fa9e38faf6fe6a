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
    pub choices: Vec<Choice<'t>>,
}

/// `name { ":" part }`.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice<'t> {
    pub span: Span,
    pub name: Name<'t>,
    pub parts: Vec<Part<'t>>,
}

/// The name in front of the parts.
#[derive(Clone, Debug, PartialEq)]
pub struct Name<'t> {
    /// As written, without the arguments of a call.
    pub text: &'t str,
    pub span: Span,
    /// A call of a Python factory, `A100(memory="40GB")`: the whole of it.
    pub call: Option<&'t str>,
    /// `version=` of such a call: part of the name.
    pub version: Option<&'t str>,
    /// The text before a count was read off its front, `8xH100`, and the span of that count: it
    /// may be a name after all, as `7900XTX` is.
    pub counted: Option<(&'t str, Span)>,
}

/// Something that narrows the name.
#[derive(Clone, Debug, PartialEq)]
pub struct Part<'t> {
    pub span: Span,
    pub kind: PartKind<'t>,
}

/// The kinds of part.
#[derive(Clone, Debug, PartialEq)]
pub enum PartKind<'t> {
    Memory(MemoryRange),
    Count(CountRange),
    Mig(SliceList),
    /// `key op value`.
    Compare {
        key: &'t str,
        op: Op,
        value: &'t str,
        value_span: Span,
    },
    /// A bare word: a form factor or a kind of memory.
    Word(&'t str),
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    Equal,
    NotEqual,
    AtLeast,
    MoreThan,
    AtMost,
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

    /// How it is written.
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

    /// Whether an ordering satisfies the comparison.
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
