//! The syntax of a spec, once read.

use super::error::Span;
use super::op::Op;
use super::quantity::{CountRange, MemoryRange};
use crate::mig::SliceList;

/// The longest spec, in bytes.
pub const MAX_SPEC_LEN: usize = 512;
/// The maximum number of choices in a spec.
pub const MAX_CHOICES: usize = 16;

/// `choice { "|" choice }`, in order of preference.
#[derive(Clone, Debug, PartialEq)]
pub struct Spec<'t> {
    /// The choices, the preferred one first.
    pub choices: Vec<SpecChoice<'t>>,
}

/// `name { ":" part }`.
#[derive(Clone, Debug, PartialEq)]
pub struct SpecChoice<'t> {
    /// The location of the choice in the spec.
    pub span: Span,
    /// The name in front of the parts.
    pub name: SpecName<'t>,
    /// The parts, as ordered in the text.
    pub parts: Vec<SpecPart<'t>>,
}

impl<'t> SpecChoice<'t> {
    /// Adds a condition that the text does not have. Errors about it point at the choice.
    pub fn add(&mut self, kind: PartKind<'t>) {
        let span = self.span.clone();
        self.parts.push(SpecPart { span, kind });
    }
}

/// The name in front of the parts.
#[derive(Clone, Debug, PartialEq)]
pub struct SpecName<'t> {
    /// The name as written, without the arguments of a call.
    pub text: &'t str,
    /// The location of the name in the spec.
    pub span: Span,
    /// The whole call of a Python factory, such as `A100(memory="40GB")`; `None` for a plain name.
    pub call: Option<&'t str>,
    /// The value of `version=` in a call, which is part of the name; `None` when absent.
    pub version: Option<&'t str>,
    /// The text including a leading count, as in `8xH100`, and the span of the count. The whole
    /// text may be a name after all, such as `7900XTX`. `None` without a leading count.
    pub counted: Option<(&'t str, Span)>,
    /// The vendor in front of the name, as in `amd:MI300X`, and its location. Binding moves it here from the place of
    /// the name; `None` without a vendor.
    pub vendor: Option<(&'t str, Span)>,
}

impl SpecName<'_> {
    /// Returns whether the name means every accelerator.
    pub fn is_any(&self) -> bool {
        self.text == "*" || self.text.eq_ignore_ascii_case("any")
    }
}

/// A condition that narrows the name.
#[derive(Clone, Debug, PartialEq)]
pub struct SpecPart<'t> {
    /// The location of the part in the spec.
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
        /// The location of the value in the spec.
        value_span: Span,
    },
    /// A bare word: a form factor or a memory type.
    Word(&'t str),
}
