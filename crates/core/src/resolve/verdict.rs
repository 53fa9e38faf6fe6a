//! The conditions on an offer, and the reasons why it fails or needs checking.

crate::words! {
    /// The conditions on an offer, sorted by the time of the check.
    pub enum Stage {
        /// The accelerator's family.
        Family = "accelerator",
        /// Memory, form factor and other properties of the accelerator.
        Variant = "variant",
        /// The providers that the request names.
        Provider = "provider",
        /// MIG slices, or whole devices when the spec names no slices.
        Mig = "mig",
        /// The number of accelerators in one machine.
        Count = "count",
        /// The vCPUs and the memory of the host.
        Host = "host",
        /// The link that must join the accelerators.
        Interconnect = "interconnect",
        /// The regions that the request names.
        Region = "region",
        /// The capacity type and the price tier.
        Capacity = "capacity-type",
        /// The price limit.
        Price = "price",
        /// Stock and quotas.
        Stock = "stock",
    }
}

crate::words! {
    /// The reason why an offer does not match.
    pub enum DropCode {
        /// The accelerator has another memory size than the candidates of its family.
        OtherMemory = "other-memory",
        /// The accelerator is another variant of the family with the same memory size.
        OtherVariant = "other-variant",
        /// The request does not name the provider.
        ProviderNotAsked = "provider-not-asked",
        /// The provider does not let tenants turn on MIG.
        MigNotPermitted = "mig-not-permitted",
        /// The offer is a ready-made MIG slice, and the spec asks for whole devices.
        SliceNotWholeGpu = "slice-not-whole-gpu",
        /// The offer is a ready-made MIG slice of another profile.
        OtherSlice = "other-slice",
        /// The offer has another number of accelerators.
        CountDiffers = "count-differs",
        /// The host has fewer vCPUs or less memory than requested.
        HostTooSmall = "host-too-small",
        /// The vCPUs or the memory of the host are unknown, so they cannot be compared with the minimum.
        HostUnknown = "host-unknown",
        /// The machine does not have the required link.
        NotJoined = "not-joined",
        /// The offer is not sold in the requested regions.
        RegionNotSold = "region-not-sold",
        /// The offer is sold in reserved blocks only.
        ReservedOnly = "reserved-only",
        /// The offer is sold as spot capacity or by reservation, but not on demand.
        SpotOnly = "spot-only",
        /// The offer is not sold in the requested price tier.
        TierNotSold = "tier-not-sold",
        /// The offer has no spot price, and the request is for spot capacity.
        NoSpotPrice = "no-spot-price",
        /// The price is older than the maximum age.
        PriceTooOld = "price-too-old",
        /// The price is unknown, so it cannot be compared with the limit.
        PriceUnknown = "price-unknown",
        /// The price is above the limit.
        PriceAboveMax = "price-above-max",
        /// The machine is out of stock, or a quota of the account excludes it.
        OutOfStock = "out-of-stock",
    }
}

impl DropCode {
    /// Returns the reason as a phrase that follows the name of an offer: `has another memory size`.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::OtherMemory => "has another memory size",
            Self::OtherVariant => "is another variant of the family",
            Self::ProviderNotAsked => "its provider was not asked",
            Self::MigNotPermitted => "its provider does not let a tenant switch MIG on",
            Self::SliceNotWholeGpu => "is a ready-made MIG slice, not the whole GPU",
            Self::OtherSlice => "is a MIG slice of another profile",
            Self::CountDiffers => "has another number of accelerators",
            Self::HostTooSmall => "has fewer vCPUs or less host memory than asked for",
            Self::HostUnknown => {
                "its vCPUs or host memory are unknown, so they cannot be compared with the minimum"
            }
            Self::NotJoined => "is not joined as asked",
            Self::RegionNotSold => "is not sold in the regions asked for",
            Self::ReservedOnly => "is sold in reserved blocks only",
            Self::SpotOnly => "is not sold on demand",
            Self::TierNotSold => "is not sold in the price tier asked for",
            Self::NoSpotPrice => "has no spot price",
            Self::PriceTooOld => "its price is older than the limit",
            Self::PriceUnknown => "its price is unknown, so it cannot be compared with the limit",
            Self::PriceAboveMax => "costs more than the limit",
            Self::OutOfStock => "is out of stock, or excluded by a quota",
        }
    }

    /// Returns the condition that the offer failed.
    pub fn stage(self) -> Stage {
        match self {
            Self::OtherMemory | Self::OtherVariant => Stage::Variant,
            Self::ProviderNotAsked => Stage::Provider,
            Self::MigNotPermitted | Self::SliceNotWholeGpu | Self::OtherSlice => Stage::Mig,
            Self::CountDiffers => Stage::Count,
            Self::HostTooSmall | Self::HostUnknown => Stage::Host,
            Self::NotJoined => Stage::Interconnect,
            Self::RegionNotSold => Stage::Region,
            Self::ReservedOnly | Self::SpotOnly | Self::TierNotSold | Self::NoSpotPrice => {
                Stage::Capacity
            }
            Self::PriceTooOld | Self::PriceUnknown | Self::PriceAboveMax => Stage::Price,
            Self::OutOfStock => Stage::Stock,
        }
    }
}

crate::words! {
    /// A property of a match that a reader may have to check.
    pub enum Reason {
        /// The provider does not publish how many accelerators it sells in one machine.
        MaxCountUnknown = "max-count-unknown",
        /// The provider does not publish the regions of the offer.
        RegionUnverified = "region-unverified",
        /// The provider's name covers several accelerators.
        MayBeAnother = "may-be-another",
        /// It is unknown whether tenants may turn on MIG.
        MigUnverified = "mig-unverified",
        /// The machine has more accelerators than requested.
        Larger = "larger",
        /// The price is older than the prices of its provider are valid.
        OldPrice = "old-price",
        /// A live query did not reach the offer, so it is as the catalog has it.
        NotReached = "not-reached",
        /// No recent source confirms the price: it has no date, or it is old and has a single source.
        UnconfirmedPrice = "unconfirmed-price",
        /// The price is far below the prices of all other providers, hyperscalers aside.
        ImplausiblePrice = "implausible-price",
        /// The host has too little memory or too few vCPUs for its accelerators.
        SmallHost = "small-host",
        /// The price is for a machine of a private host, at a provider that also rents its own.
        PrivateHost = "private-host",
    }
}

impl Reason {
    /// Returns whether the reason is a property of one price, and not of the machine.
    pub fn is_of_price(self) -> bool {
        matches!(
            self,
            Self::OldPrice | Self::UnconfirmedPrice | Self::ImplausiblePrice | Self::PrivateHost
        )
    }

    /// Returns whether the price, the host or the number of accelerators is doubtful, so that ordinary machines with
    /// confirmed prices rank first.
    pub fn is_doubt(self) -> bool {
        matches!(
            self,
            Self::UnconfirmedPrice
                | Self::ImplausiblePrice
                | Self::SmallHost
                | Self::PrivateHost
                | Self::MaxCountUnknown
        )
    }
}
