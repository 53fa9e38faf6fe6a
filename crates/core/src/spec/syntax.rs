//! The syntax of a spec, once read.

use super::error::Span;
use super::op::Op;
use super::quantity::{CountRange, MemoryRange};
use crate::mig::SliceList;

/// The longest spec, in bytes.
pub const MAX_SPEC_LEN: usize = 512;
/// The most choices that one spec may give.
pub const MAX_CHOICES: usize = 16;

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
