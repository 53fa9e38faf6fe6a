//! Accelerators and their names.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::spanned::{Spanned, SpannedText, kind};

/// A maker of accelerators.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct VendorEntry {
    /// The name of the maker.
    pub name: SpannedText,
    /// Other spellings of the name.
    #[serde(default)]
    pub aliases: Vec<SpannedText>,
}

/// Spellings of a name, by the tool that uses them.
pub(crate) type SpellingsByDialect = BTreeMap<String, Vec<SpannedText>>;

macro_rules! declare_accelerator {
    ($($group:ident { $(
        $(#[$doc:meta])*
        $name:ident: $kind:ident $(($bounds:ident))?, $presence:ident $(, [$label:literal, $unit:literal])?;
    )+ })+) => {
        /// A product variant. In an overlay, a field that is `None` keeps its value.
        #[derive(Clone, Debug, Deserialize, Serialize)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct AcceleratorEntry {
            /// The id, which is also a name: `H100-80GB-SXM`.
            pub id: SpannedText,
            /// The name that variants of one product share; by default the id.
            pub family: Option<SpannedText>,
            /// The name of a `[[vendor]]`.
            pub vendor: Option<SpannedText>,
            $($($(#[$doc])* pub $name: Option<Spanned<kind::$kind>>,)+)+
            /// The id of a `[[geometry]]`.
            pub mig_geometry: Option<SpannedText>,
            /// The sources of the figures.
            pub sources: Option<Vec<SpannedText>>,
            /// The verification of the basic figures: `read`, `derived`, `peer` or `cited`.
            pub check: Option<SpannedText>,
            /// The verification of the matrix rates, with the same values.
            pub tensor_check: Option<SpannedText>,
            /// Memory sizes that people write instead of the marketed size.
            #[serde(default)]
            pub quoted_memory: Vec<QuotedMemoryEntry>,
            /// Figures of other documents that are not used.
            #[serde(default)]
            pub disputed: Vec<DisputedEntry>,
            /// Spellings of the name, by the tool that uses them.
            #[serde(default)]
            pub names: SpellingsByDialect,
        }

        impl AcceleratorEntry {
            /// Lays the fields that another entry sets over this entry. Names add up: the compiler of names
            /// collects them from all layers.
            pub fn lay_over(&mut self, over: &Self) {
                self.id = over.id.clone();
                lay_over!(self, over; family, vendor, mig_geometry, sources, check, tensor_check, $($($name),+),+);
                if !over.quoted_memory.is_empty() {
                    self.quoted_memory.clone_from(&over.quoted_memory);
                }
                self.disputed.extend(over.disputed.iter().cloned());
            }
        }
    };
}

sky_accel_core::accelerator_columns!(declare_accelerator);

/// A memory size that people write instead of the marketed size.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct QuotedMemoryEntry {
    /// The size in GB.
    pub gb: Spanned<f64>,
    /// The number of devices that have this memory together; one if left out.
    pub count: Option<Spanned<f64>>,
    /// The explanation for users.
    pub note: SpannedText,
}

/// A figure of another document, and the reason why it is not used.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DisputedEntry {
    /// The field of the accelerator.
    pub field: SpannedText,
    /// The other figure.
    pub also: SpannedText,
    /// The reason why it is not used.
    pub why: SpannedText,
    /// The other document.
    pub source: SpannedText,
    /// The date of that document.
    pub as_of: SpannedText,
}

/// A name with several meanings, a name with a count, or the name of a product that does not exist.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NameEntry {
    /// The accelerator that is shown first; left out for a rejected name.
    pub default: Option<SpannedText>,
    /// The accelerators that the name can mean; empty for only the default.
    #[serde(default)]
    pub any_of: Vec<SpannedText>,
    /// `memory` if the candidates differ only in memory; otherwise left out.
    pub ask: Option<SpannedText>,
    /// The number of devices that the name includes.
    pub count: Option<Spanned<f64>>,
    /// The MIG profile that the name includes.
    pub mig: Option<SpannedText>,
    /// A remark that is shown if the rest of the spec does not decide.
    pub note: Option<SpannedText>,
    /// The reason why the product does not exist.
    pub rejected: Option<SpannedText>,
    /// Accelerators to suggest in place of a rejected name.
    #[serde(default)]
    pub suggest: Vec<SpannedText>,
    /// The spellings, by the tool that uses them.
    #[serde(default)]
    pub names: SpellingsByDialect,
}
