//! Differences from an older catalog, such as the changes that overlays make.

use super::Str;

crate::words! {
    /// The kind of a change.
    pub enum ChangeKind {
        /// An accelerator is only in the newer catalog.
        AcceleratorAdded = "accelerator-added",
        /// An accelerator is only in the older catalog.
        AcceleratorRemoved = "accelerator-removed",
        /// A field of an accelerator has another value.
        FigureChanged = "figure-changed",
        /// Another fact, such as a model or a quota, is only in the newer catalog.
        FactAdded = "fact-added",
        /// Another fact is only in the older catalog.
        FactRemoved = "fact-removed",
        /// A field of another fact has another value.
        FactChanged = "fact-changed",
        /// A provider is only in the newer catalog.
        ProviderAdded = "provider-added",
        /// A provider is only in the older catalog.
        ProviderRemoved = "provider-removed",
        /// An offer is only in the newer catalog.
        TypeAdded = "type-added",
        /// An offer is only in the older catalog.
        TypeRemoved = "type-removed",
        /// A field of an offer has another value.
        TypeChanged = "type-changed",
        /// An offer is sold in an additional region.
        RegionAdded = "region-added",
        /// An offer is no longer sold in a region.
        RegionGone = "region-gone",
        /// A price is only in the newer catalog.
        PriceAdded = "price-added",
        /// A price has another amount.
        PriceMoved = "price-moved",
        /// A price is only in the older catalog.
        PriceGone = "price-gone",
    }
}

crate::words! {
    /// The kind of a fact that the sizing of models depends on.
    pub enum FactKind {
        /// A coefficient of the sizing model.
        Coefficient = "coefficient",
        /// A number format.
        Format = "format",
        /// A family of model architectures.
        Family = "family",
        /// A model.
        Model = "model",
    }
}

impl ChangeKind {
    /// Returns whether the change adds a fact without changing any other.
    pub fn is_addition(self) -> bool {
        matches!(
            self,
            Self::AcceleratorAdded
                | Self::FactAdded
                | Self::ProviderAdded
                | Self::TypeAdded
                | Self::RegionAdded
                | Self::PriceAdded
        )
    }
}

crate::rows! {
    /// A fact that overlays changed, added or removed.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Override {
        /// The kind of the change.
        pub kind: ChangeKind,
        /// The kind of a fact that sizing depends on; `None` for other facts.
        pub fact: Option<FactKind>,
        /// The id of the provider; empty for other facts.
        pub provider: Str,
        /// The id of the accelerator or provider; for another fact its kind and name.
        pub what: Str,
        /// The id of the accelerator; empty for other facts.
        pub accelerator: Str,
        /// The name of the changed field; empty if all of the fact was added or removed.
        pub field: Str,
        /// The old value; empty if unknown.
        pub before: Str,
        /// The new value; empty if unknown.
        pub after: Str,
    }
}
