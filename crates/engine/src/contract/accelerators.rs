//! Accelerators, as the catalog describes them.

use std::collections::BTreeMap;

use serde::Serialize;
use sky_accel_core::catalog::{AcceleratorId, Catalog, Sharing, SharingKind, Status, Str};
#[cfg(feature = "schema")]
use sky_accel_core::word::Word as _;

use super::{MarketOut, Num, OfferOut, ProfileOut};

/// A value with its label and unit, for tables.
pub type Labeled<T> = (&'static str, Option<T>, &'static str);

/// Declares a struct with a field for each plain column: the fields before, the columns one by one, and the fields
/// after. Each rule turns the first column that is left into a field.
macro_rules! columns_out {
    ([$($struct:tt)*] [$($fields:tt)*] [$($after:tt)*] $(#[$doc:meta])*
        $name:ident: Class, required $(, [$label:literal, $unit:literal])?; $($rest:tt)*
    ) => {
        columns_out! { [$($struct)*] [$($fields)* $(#[$doc])*
            #[cfg_attr(feature = "schema", schemars(extend("enum" = ["datacenter", "workstation", "consumer", "asic", "media"])))]
            pub $name: &'a str,] [$($after)*] $($rest)* }
    };
    ([$($struct:tt)*] [$($fields:tt)*] [$($after:tt)*] $(#[$doc:meta])*
        $name:ident: Text, required $(, [$label:literal, $unit:literal])?; $($rest:tt)*
    ) => {
        columns_out! { [$($struct)*] [$($fields)* $(#[$doc])* pub $name: &'a str,] [$($after)*] $($rest)* }
    };
    ([$($struct:tt)*] [$($fields:tt)*] [$($after:tt)*] $(#[$doc:meta])*
        $name:ident: Text, nullable $(, [$label:literal, $unit:literal])?; $($rest:tt)*
    ) => {
        columns_out! { [$($struct)*] [$($fields)* $(#[$doc])*
            /// `null` if it is unknown.
            pub $name: Option<&'a str>,] [$($after)*] $($rest)* }
    };
    ([$($struct:tt)*] [$($fields:tt)*] [$($after:tt)*] $(#[$doc:meta])*
        $name:ident: Text, optional $(, [$label:literal, $unit:literal])?; $($rest:tt)*
    ) => {
        columns_out! { [$($struct)*] [$($fields)* $(#[$doc])*
            /// Missing if it is unknown or does not apply.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub $name: Option<&'a str>,] [$($after)*] $($rest)* }
    };
    ([$($struct:tt)*] [$($fields:tt)*] [$($after:tt)*] $(#[$doc:meta])*
        $name:ident: Figure($bounds:ident), nullable $(, [$label:literal, $unit:literal])?; $($rest:tt)*
    ) => {
        columns_out! { [$($struct)*] [$($fields)* $(#[$doc])*
            /// `null` if it is unknown.
            pub $name: Option<Num>,] [$($after)*] $($rest)* }
    };
    ([$($struct:tt)*] [$($fields:tt)*] [$($after:tt)*] $(#[$doc:meta])*
        $name:ident: Figure($bounds:ident), optional $(, [$label:literal, $unit:literal])?; $($rest:tt)*
    ) => {
        columns_out! { [$($struct)*] [$($fields)* $(#[$doc])*
            /// Missing if it is unknown or does not apply.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub $name: Option<Num>,] [$($after)*] $($rest)* }
    };
    ([$($struct:tt)*] [$($fields:tt)*] [$($after:tt)*] $(#[$doc:meta])*
        $name:ident: Flag, nullable $(, [$label:literal, $unit:literal])?; $($rest:tt)*
    ) => {
        columns_out! { [$($struct)*] [$($fields)* $(#[$doc])*
            /// `null` if it is unknown.
            pub $name: Option<bool>,] [$($after)*] $($rest)* }
    };
    ([$($struct:tt)*] [$($fields:tt)*] [$($after:tt)*] $(#[$doc:meta])*
        $name:ident: Flag, optional $(, [$label:literal, $unit:literal])?; $($rest:tt)*
    ) => {
        columns_out! { [$($struct)*] [$($fields)* $(#[$doc])*
            /// Missing if it is unknown or does not apply.
            #[serde(skip_serializing_if = "Option::is_none")]
            pub $name: Option<bool>,] [$($after)*] $($rest)* }
    };
    ([$(#[$meta:meta])* $type:ident { $($before:tt)* }] [$($fields:tt)*] [$($after:tt)*]) => {
        $(#[$meta])*
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        pub struct $type<'a> {
            $($before)*
            $($fields)*
            $($after)*
        }
    };
}

/// The value of a field by the kind of its column.
macro_rules! column_out {
    ($catalog:ident, $value:expr, Class, required) => {
        $catalog.str($value)
    };
    ($catalog:ident, $value:expr, Text, required) => {
        $catalog.str($value)
    };
    ($catalog:ident, $value:expr, Text, $presence:ident) => {
        $catalog.text($value)
    };
    ($catalog:ident, $value:expr, Figure, $presence:ident) => {
        $value.map(Num)
    };
    ($catalog:ident, $value:expr, Flag, $presence:ident) => {
        $value
    };
}

/// Adds a column to the rows of a table if it has a label and the kind that the table has.
macro_rules! push_labeled {
    (figures, $rows:ident, $value:expr, Figure, $presence:ident, $label:literal, $unit:literal) => {
        $rows.push(($label, $value, $unit));
    };
    (texts, $rows:ident, $value:expr, Text, required, $label:literal, $unit:literal) => {
        $rows.push(($label, Some($value), $unit));
    };
    (texts, $rows:ident, $value:expr, Text, $presence:ident, $label:literal, $unit:literal) => {
        $rows.push(($label, $value, $unit));
    };
    ($($other:tt)*) => {};
}

/// Implements the methods that list the labeled columns of a struct, in their order.
macro_rules! labeled_columns {
    ($type:ident: $(
        $(#[$doc:meta])*
        $name:ident: $kind:ident $(($bounds:ident))?, $presence:ident $(, [$label:literal, $unit:literal])?;
    )+) => {
        impl<'a> $type<'a> {
            /// Returns the figures that have a label, each with its unit. A figure without a unit is not compared
            /// by ratio.
            #[allow(clippy::vec_init_then_push, reason = "a column adds a row only if it has a label")]
            pub fn labeled_figures(&self) -> Vec<Labeled<Num>> {
                let mut rows: Vec<Labeled<Num>> = Vec::new();
                $($(push_labeled!(figures, rows, self.$name, $kind, $presence, $label, $unit);)?)+
                rows
            }

            /// Returns the texts that have a label.
            #[allow(clippy::vec_init_then_push, reason = "a column adds a row only if it has a label")]
            pub fn labeled_texts(&self) -> Vec<Labeled<&'a str>> {
                #[allow(unused_mut, reason = "a group may have no text with a label")]
                let mut rows: Vec<Labeled<&'a str>> = Vec::new();
                $($(push_labeled!(texts, rows, self.$name, $kind, $presence, $label, $unit);)?)+
                rows
            }
        }
    };
}

macro_rules! field_names {
    ($($(#[$doc:meta])*
        $name:ident: $kind:ident $(($bounds:ident))?, $presence:ident $(, [$label:literal, $unit:literal])?;
    )+) => {
        /// The fields of an accelerator that CSV output has.
        pub const ACCELERATOR_CSV: &[&str] =
            &["id", "family", "vendor", $(stringify!($name),)+ "providers", "aliases", "sources"];
    };
}

/// Defines how a row becomes the fields of the contract.
macro_rules! define_accelerator {
    ($(
        $(#[$doc:meta])*
        $name:ident: $kind:ident $(($bounds:ident))?, $presence:ident $(, [$label:literal, $unit:literal])?;
    )+) => {
        /// Returns the contract form of an accelerator.
        pub fn accelerator<'a>(catalog: &Catalog<'a>, id: AcceleratorId) -> AcceleratorOut<'a> {
            let row = catalog.accelerator(id);
            AcceleratorOut {
                id: catalog.str(row.id),
                family: catalog.str(row.family),
                vendor: catalog.str(row.vendor),
                $($name: column_out!(catalog, row.$name, $kind, $presence),)+
                providers: providers(catalog, id),
                aliases: aliases(catalog, id),
                sources: catalog.strings(row.sources).collect(),
            }
        }
    };
}

/// Defines how a row becomes the columns that only `show` outputs.
macro_rules! define_shown {
    ($(
        $(#[$doc:meta])*
        $name:ident: $kind:ident $(($bounds:ident))?, $presence:ident $(, [$label:literal, $unit:literal])?;
    )+) => {
        impl<'a> ShowOut<'a> {
            /// Returns the figures of an accelerator. The engine adds offers, names and ways of sharing.
            pub fn new(catalog: &Catalog<'a>, id: AcceleratorId) -> Self {
                let row = catalog.accelerator(id);
                Self {
                    accelerator: accelerator(catalog, id),
                    instance_types: Vec::new(),
                    names: BTreeMap::new(),
                    disputed: Vec::new(),
                    mig_profiles: Vec::new(),
                    mig_driver_min: None,
                    sharing: Vec::new(),
                    $($name: column_out!(catalog, row.$name, $kind, $presence),)+
                    offers: Vec::new(),
                    sellers: Vec::new(),
                    price_range: None,
                    price_summary: None,
                    markets: Vec::new(),
                }
            }
        }
    };
}

macro_rules! declare_contract {
    (
        tabular { $($tabular:tt)* }
        listed { $($listed:tt)* }
        shown { $($shown:tt)* }
        internal { $($internal:tt)* }
    ) => {
        columns_out! {
            [
                /// An accelerator of the catalog. Figures are per device, and peak rates are for dense
                /// arithmetic, without sparsity.
                #[derive(Clone, Debug, Serialize)]
                AcceleratorOut {
                    /// The catalog's id, such as `H100-80GB-SXM`.
                    pub id: &'a str,
                    /// The family, such as `H100`.
                    pub family: &'a str,
                    /// The vendor.
                    pub vendor: &'a str,
                }
            ]
            []
            [
                /// The ids of the providers that rent it out.
                pub providers: Vec<&'a str>,
                /// Names that mean only this accelerator.
                pub aliases: Vec<&'a str>,
                /// The sources of the figures, usually addresses.
                pub sources: Vec<&'a str>,
            ]
            $($tabular)* $($listed)*
        }

        columns_out! {
            [
                /// Everything that the catalog has on an accelerator.
                #[derive(Debug, Serialize)]
                ShowOut {
                    /// The figures of the accelerator.
                    #[serde(flatten)]
                    pub accelerator: AcceleratorOut<'a>,
                    /// The requested machines, if a name is the name of an instance type. Missing otherwise.
                    #[serde(skip_serializing_if = "Vec::is_empty")]
                    pub instance_types: Vec<OfferOut<'a>>,
                    /// The spellings of its name, grouped by the provider or tool that uses them.
                    pub names: BTreeMap<&'a str, Vec<&'a str>>,
                    /// Figures on which documents disagree; or an empty list.
                    pub disputed: Vec<DisputedOut<'a>>,
                    /// The MIG profiles. Missing if the device has no MIG or its profiles are not published.
                    #[serde(skip_serializing_if = "Vec::is_empty")]
                    pub mig_profiles: Vec<ProfileOut<'a>>,
                    /// The first driver version that supports MIG on this device. Missing if it is unknown or
                    /// does not apply.
                    #[serde(skip_serializing_if = "Option::is_none")]
                    pub mig_driver_min: Option<&'a str>,
                    /// Ways other than MIG to share the device or to join it with others. Missing if there are
                    /// none.
                    #[serde(skip_serializing_if = "Vec::is_empty")]
                    pub sharing: Vec<SharingOut<'a>>,
                }
            ]
            []
            [
                /// The offers: instance types with a fixed number of devices, and types with any number of devices
                /// priced for one device.
                pub offers: Vec<OfferOut<'a>>,
                /// The providers of the offers, each once.
                pub sellers: Vec<SellerOut<'a>>,
                /// The range of likely on-demand prices of current offers, without doubtful prices if there are others; `null`
                /// if no price is known.
                pub price_range: Option<PriceRangeOut>,
                /// The cheapest likely price on demand, compared with recent prices, as a sentence without a final
                /// period; omitted without a price. The wording may change.
                #[serde(skip_serializing_if = "Option::is_none")]
                pub price_summary: Option<String>,
                /// The range of today's prices and of each quarter since 2023 for one device, by kind of market, as in
                /// `prices`; omitted without prices.
                #[serde(skip_serializing_if = "Vec::is_empty")]
                pub markets: Vec<MarketOut<'a>>,
            ]
            $($shown)*
        }

        field_names! { $($tabular)* }
        labeled_columns! { AcceleratorOut: $($tabular)* $($listed)* }
        labeled_columns! { ShowOut: $($shown)* }
        define_accelerator! { $($tabular)* $($listed)* }
        define_shown! { $($shown)* }
    };
}

sky_accel_core::accelerator_columns!(declare_contract);

/// The names that mean only one accelerator, each once and without its id.
fn aliases<'a>(catalog: &Catalog<'a>, id: AcceleratorId) -> Vec<&'a str> {
    let own_id = catalog.accelerator(id).id;
    // The pool holds every text once: equal texts have equal places.
    let mut aliases: Vec<Str> = Vec::new();
    let spellings = catalog.spellings_of(id).iter();
    for spelling in spellings.filter(|spelling| spelling.exact) {
        if spelling.text != own_id && !aliases.contains(&spelling.text) {
            aliases.push(spelling.text);
        }
    }
    aliases.into_iter().map(|text| catalog.str(text)).collect()
}

/// A provider that sells an accelerator.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SellerOut<'a> {
    /// The id of the provider.
    pub id: &'a str,
    /// The name for people.
    pub name: &'a str,
    /// How use is billed, such as `per second, 1 minute minimum`; `null` if it is unknown.
    pub billing: Option<&'a str>,
    /// The address of its documentation; `null` if it is unknown.
    pub docs: Option<&'a str>,
}

/// A way other than MIG to share an accelerator, or to join it with others.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SharingOut<'a> {
    /// The kind of sharing.
    #[cfg_attr(feature = "schema", schemars(with = "String", extend("enum" = SharingKind::ALL.iter().map(|(word, _)| *word).collect::<Vec<_>>())))]
    pub kind: SharingKind,
    /// The name of the mode.
    pub name: &'a str,
    /// The number of devices that one accelerator appears as. Missing if it does not apply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub devices: Option<Num>,
    /// The number of accelerators that the mode joins. Missing if it takes only one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accelerators_needed: Option<Num>,
    /// The arrangement of joined accelerators, such as `4x4`. Missing if it does not apply.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topology: Option<&'a str>,
    /// Compute units of each resulting device. Missing if it is not published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cores: Option<Num>,
    /// Memory of each resulting device in decimal GB. Missing if it is not published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_gb: Option<Num>,
    /// Memory of each resulting device in MiB. Missing if it is not published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_mib: Option<Num>,
    /// The command that enables the mode, or the name under which it is rented; `null` if it
    /// is unknown.
    pub set_by: Option<&'a str>,
    /// A remark, or `null`.
    pub note: Option<&'a str>,
    /// The source, usually an address.
    pub source: &'a str,
    /// The date of the source.
    pub as_of: &'a str,
}

/// Returns the contract form of a way to share an accelerator.
pub fn sharing<'a>(catalog: &Catalog<'a>, row: &Sharing) -> SharingOut<'a> {
    SharingOut {
        kind: row.kind,
        name: catalog.str(row.name),
        devices: row.devices.map(Num),
        accelerators_needed: row.accelerators_needed.map(Num),
        topology: catalog.text(row.topology),
        cores: row.cores.map(Num),
        memory_gb: row.memory_gb.map(Num),
        memory_mib: row.memory_mib.map(Num),
        set_by: catalog.text(row.set_by),
        note: catalog.text(row.note),
        source: catalog.str(row.source),
        as_of: catalog.str(row.as_of),
    }
}

/// A figure on which documents disagree.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DisputedOut<'a> {
    /// The name of the field.
    pub field: &'a str,
    /// The figure in the other document.
    pub also: &'a str,
    /// The reason for the figure that the catalog uses.
    pub why: &'a str,
    /// The source of the other figure.
    pub source: &'a str,
    /// The date of that source.
    pub as_of: &'a str,
}

/// A range of prices.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PriceRangeOut {
    /// The lowest price, in US dollars per accelerator and hour.
    pub low_usd_per_accelerator_hour: Num,
    /// The highest price, in US dollars per accelerator and hour.
    pub high_usd_per_accelerator_hour: Num,
}

/// Returns the ids of the providers that rent an accelerator out, each once; retired offers do not count.
pub fn providers<'a>(catalog: &Catalog<'a>, id: AcceleratorId) -> Vec<&'a str> {
    let mut providers: Vec<&str> = Vec::new();
    for offer in catalog.offers_of(id).map(|offer| catalog.offer(offer)) {
        let provider = catalog.provider_id(offer.provider);
        if offer.status != Status::Retired && !providers.contains(&provider) {
            providers.push(provider);
        }
    }
    providers
}
