//! Providers, offers and prices.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sky_accel_core::catalog::CapacityType;

use super::spanned::{Spanned, SpannedText, kind};

/// Defaults for the offers and prices of a file.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct OfferDefaults {
    /// The source of offers and prices.
    pub source: Option<SpannedText>,
    /// The date of the source.
    pub as_of: Option<SpannedText>,
    /// The regions where offers are sold; in an overlay, also those of its prices.
    pub regions: Option<Vec<SpannedText>>,
    /// The CPU architecture of hosts.
    pub host_arch: Option<SpannedText>,
    /// The thing that is rented: a word of [`Offer::kind`].
    pub kind: Option<SpannedText>,
    /// The quality of prices: a word of [`Price::quality`].
    pub quality: Option<SpannedText>,
    /// The currency of `per_hour` and `per_accelerator_hour`.
    pub currency: Option<SpannedText>,
}

impl OfferDefaults {
    /// Returns the defaults for another part of the file, without positions.
    pub fn elsewhere(&self) -> Self {
        let text = |text: &Option<SpannedText>| text.as_ref().map(Spanned::elsewhere);
        let regions = self.regions.as_ref();
        Self {
            source: text(&self.source),
            as_of: text(&self.as_of),
            regions: regions.map(|regions| regions.iter().map(Spanned::elsewhere).collect()),
            host_arch: text(&self.host_arch),
            kind: text(&self.kind),
            quality: text(&self.quality),
            currency: text(&self.currency),
        }
    }
}

/// A group of countries. A later layer replaces the whole group.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct RegionGroupEntry {
    /// The name, such as `EU`.
    pub name: SpannedText,
    /// Other names.
    #[serde(default)]
    pub aliases: Vec<SpannedText>,
    /// The ISO 3166-1 alpha-2 codes of its countries.
    pub countries: Vec<SpannedText>,
    /// The source of the list.
    pub source: SpannedText,
    /// The date of the source.
    pub as_of: SpannedText,
}

/// A currency other than the dollar. A later layer replaces its rate.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CurrencyEntry {
    /// The ISO 4217 code, such as `EUR`.
    pub code: SpannedText,
    /// The US dollars for one unit.
    pub usd: Spanned<f64>,
    /// The source of the rate.
    pub source: SpannedText,
    /// The date of the rate.
    pub as_of: SpannedText,
}

/// A family of machines that accelerators are attached to. A later layer replaces it.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HostEntry {
    /// The id of the provider; `sold_by` of the file if it is `None`.
    pub provider: Option<SpannedText>,
    /// The name without the size, such as `n1-standard`.
    pub family: SpannedText,
    /// The vCPUs of the sizes, the smallest first.
    pub vcpus: Vec<u16>,
    /// The memory for each vCPU in GiB.
    pub gib_per_vcpu: Spanned<f64>,
    /// US dollars per hour for one vCPU, by region.
    pub usd_per_vcpu_hour: BTreeMap<SpannedText, Spanned<f64>>,
    /// US dollars per hour for one vCPU of a spot host, by region.
    #[serde(default)]
    pub spot_usd_per_vcpu_hour: BTreeMap<SpannedText, Spanned<f64>>,
    /// The source of the facts.
    pub source: SpannedText,
    /// The date of the source.
    pub as_of: SpannedText,
}

/// The largest host that a number of accelerators may be attached to.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct HostLimitEntry {
    /// The id of the provider; `sold_by` of the file if it is `None`.
    pub provider: Option<SpannedText>,
    /// The id of the accelerator.
    pub accelerator: SpannedText,
    /// The number of accelerators.
    pub count: u8,
    /// The maximum number of vCPUs.
    pub vcpu: u16,
    /// The maximum memory in GB.
    pub memory_gb: Spanned<f64>,
}

/// The network between machines of some types. A later layer replaces it type by type.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct NetworkEntry {
    /// The id of the provider; `sold_by` of the file if it is `None`.
    pub provider: Option<SpannedText>,
    /// The provider's ids of the machines.
    pub instance_types: Vec<SpannedText>,
    /// The kind of network: `efa`, `infiniband`, `roce` or `gpudirect-tcpx`.
    pub fabric: SpannedText,
    /// The rate of a whole machine in Gbit/s, in one direction.
    pub gbit_per_s: Spanned<f64>,
    /// The source of the facts.
    pub source: SpannedText,
    /// The date of the source.
    pub as_of: SpannedText,
}

/// Declares an entry whose optional fields keep their values if an overlay leaves them out.
macro_rules! overlaid {
    ($(#[$meta:meta])* pub(crate) struct $name:ident {
        $(#[$id_doc:meta])* pub id: SpannedText,
        $($(#[$doc:meta])* pub $field:ident: Option<$value:ty>,)+
    }) => {
        $(#[$meta])*
        pub(crate) struct $name {
            $(#[$id_doc])* pub id: SpannedText,
            $($(#[$doc])* pub $field: Option<$value>,)+
        }

        impl $name {
            /// Lays the fields that another entry sets over this entry.
            pub fn lay_over(&mut self, over: &Self) {
                lay_over!(self, over; $($field),+);
            }
        }
    };
}

overlaid! {
    /// A provider. In an overlay, a field that is `None` keeps its value.
    #[derive(Clone, Debug, Deserialize, Serialize)]
    #[serde(deny_unknown_fields)]
    pub(crate) struct ProviderEntry {
        /// The id of the provider.
        pub id: SpannedText,
        /// The name for people.
        pub name: Option<SpannedText>,
        /// Other names of the provider.
        pub aliases: Option<Vec<SpannedText>>,
        /// The kind of its offers: `instance-types`, `any-count` or `marketplace`.
        pub sells: Option<SpannedText>,
        /// True if it resells machines of other providers.
        pub broker: Option<Spanned<bool>>,
        /// The groups that it belongs to, such as `hyperscalers`.
        pub groups: Option<Vec<SpannedText>>,
        /// True if its prices are bids: an auction or an order book.
        pub auction: Option<Spanned<bool>>,
        /// True if every region has every type, so that equal lists of regions are right.
        pub all_types_everywhere: Option<Spanned<bool>>,
        /// The US dollars per vCPU and hour that Windows adds to its prices.
        pub windows_usd_per_vcpu: Option<Spanned<f64>>,
        /// The billing, such as `per second`.
        pub billing: Option<SpannedText>,
        /// The billing unit in seconds: 3600 for started hours.
        pub billing_unit_s: Option<Spanned<u32>>,
        /// Minimum billed seconds per start.
        pub billing_minimum_s: Option<Spanned<u32>>,
        /// The source of the billing unit and minimum.
        pub billing_source: Option<SpannedText>,
        /// The date of that source.
        pub billing_as_of: Option<SpannedText>,
        /// The address of its documentation.
        pub docs: Option<SpannedText>,
        /// The address of the page where its offers are priced or rented; `{instance_type}` and `{region}` stand
        /// for an offer.
        pub link: Option<SpannedText>,
        /// The region of prices if no region is requested.
        pub default_region: Option<SpannedText>,
        /// The names of its price tiers.
        pub tiers: Option<Vec<SpannedText>>,
        /// The price tiers in which it sells machines of other owners.
        pub marketplace_tiers: Option<Vec<SpannedText>>,
        /// True if a tenant may turn on MIG.
        pub tenant_mig: Option<Spanned<bool>>,
        /// A remark on `tenant_mig`.
        pub tenant_mig_note: Option<SpannedText>,
        /// True if it sells reserved capacity.
        pub sells_reservations: Option<Spanned<bool>>,
        /// True if its API reports availability.
        pub tells_stock: Option<Spanned<bool>>,
        /// The maximum age in days of a current price.
        pub price_max_age_days: Option<Spanned<u16>>,
        /// Its regions and their countries.
        pub data_centers: Option<Vec<DataCenterEntry>>,
    }
}

/// A region of a provider.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DataCenterEntry {
    /// The provider's id of the region.
    pub id: SpannedText,
    /// The ISO 3166-1 alpha-2 code of the country.
    pub country: Option<SpannedText>,
    /// True if the region takes new machines; left out if not known.
    pub open: Option<bool>,
    /// True if the region needs an account of a separate kind.
    #[serde(default)]
    pub separate: bool,
}

macro_rules! declare_offer {
    ($($(#[$doc:meta])* $name:ident: $kind:ident $(($bounds:ident))?;)+) => {
        /// An offer of a provider. In an overlay, a field that is `None` keeps its value.
        #[derive(Clone, Debug, Default, Deserialize, Serialize)]
        #[serde(deny_unknown_fields)]
        pub(crate) struct OfferEntry {
            /// The provider's id of the offer, exactly.
            pub id: SpannedText,
            /// The id of the provider; by default the provider in `sold_by`.
            pub provider: Option<SpannedText>,
            /// The thing that is rented: `machine`, `attached`, `container`, `slice` or `share`. By default a share if
            /// `count` is below 1, a slice with `topology`, a container if the provider sells any count, and
            /// otherwise a machine.
            pub kind: Option<SpannedText>,
            /// The number of hosts of a slice; by default 1.
            pub hosts: Option<Spanned<u16>>,
            /// The id of the accelerator, in a CSV file any of its names; left out with `any_of`.
            pub accelerator: Option<SpannedText>,
            /// In a CSV file, the marketed memory per device in GB, if the name covers several sizes.
            #[serde(skip)]
            pub memory_gb: Option<Spanned<f64>>,
            /// The ids of the accelerators that the offer can have, if there are several.
            pub any_of: Option<Vec<SpannedText>>,
            /// The number of devices, a fraction if a part of a GPU is sold.
            pub count: Option<Spanned<f64>>,
            /// The maximum number of devices, if any number is sold.
            pub max_count: Option<Spanned<f64>>,
            /// The numbers of devices, if only some are sold; in place of `max_count`.
            pub counts: Option<Vec<Spanned<u8>>>,
            /// The vCPUs of the whole machine.
            pub vcpu: Option<Spanned<f64>>,
            /// The host memory of the whole machine in GiB.
            pub host_memory_gib: Option<Spanned<f64>>,
            /// The vCPUs for each device, if any number of devices is sold.
            pub vcpu_per_accelerator: Option<Spanned<f64>>,
            /// The host memory in GiB for each device, if any number is sold.
            pub host_memory_gib_per_accelerator: Option<Spanned<f64>>,
            /// The status: `offered`, `spot-only`, `reserved-only`, `preview`, `unlisted`, `stale` or `retired`.
            pub status: Option<SpannedText>,
            /// The regions where the offer is sold.
            pub regions: Option<Vec<SpannedText>>,
            /// The source of the facts.
            pub source: Option<SpannedText>,
            /// The date of the source.
            pub as_of: Option<SpannedText>,
            $($(#[$doc])* pub $name: Option<Spanned<kind::$kind>>,)+
        }

        impl OfferEntry {
            /// Returns an entry with only an id.
            pub fn new(id: SpannedText) -> Self {
                Self {
                    id,
                    ..Self::default()
                }
            }
        }
    };
}

sky_accel_core::offer_columns!(declare_offer);

/// Prices of an offer, for one region or several.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct PriceEntry {
    /// The id of the offer.
    pub offer: Option<SpannedText>,
    /// The ids of several offers with the same price, in place of `offer`.
    #[serde(default)]
    pub offers: Vec<SpannedText>,
    /// The id of the provider; by default the provider in `sold_by`.
    pub provider: Option<SpannedText>,
    /// The marketed memory per device in GB, if the offer's name covers several sizes.
    pub memory_gb: Option<Spanned<f64>>,
    /// The number of devices that the price is for, if the offer has no fixed count.
    pub count: Option<Spanned<f64>>,
    /// The capacity type: `on-demand`, which is the default, or `spot`.
    #[serde(default = "on_demand")]
    pub capacity_type: SpannedText,
    /// The price kind: `list`, `snapshot`, `estimate` or, in overlays, `contract`.
    pub kind: Option<SpannedText>,
    /// The price tier, if the provider has several.
    pub tier: Option<SpannedText>,
    /// The statistic over availability zones: `lowest-zone` or `median-zone`.
    pub statistic: Option<SpannedText>,
    /// The regions of the price, or those where machines of a marketplace were seen.
    pub regions: Option<Vec<SpannedText>>,
    /// The source of the price.
    pub source: Option<SpannedText>,
    /// The date of the price.
    pub as_of: Option<SpannedText>,
    /// The quality of the price: `provider`, which is the default, `aggregator`, `documentation` or
    /// `pattern`.
    pub quality: Option<SpannedText>,
    /// The ISO 4217 code of the currency of `per_hour` and `per_accelerator_hour`.
    pub currency: Option<SpannedText>,
    /// The price in `currency` per hour for the whole offer.
    pub per_hour: Option<Spanned<HourlyAmount>>,
    /// The price in `currency` per hour for one device.
    pub per_accelerator_hour: Option<Spanned<HourlyAmount>>,
    /// The price in USD per hour for the whole offer.
    pub usd_per_hour: Option<Spanned<HourlyAmount>>,
    /// The price in USD per hour for one device.
    pub usd_per_accelerator_hour: Option<Spanned<HourlyAmount>>,
}

impl PriceEntry {
    /// Returns an entry with only an offer and a capacity type.
    pub fn new(offer: SpannedText, capacity_type: SpannedText) -> Self {
        Self {
            offer: Some(offer),
            capacity_type,
            ..Self::default()
        }
    }
}

fn on_demand() -> SpannedText {
    Spanned::new(0..0, CapacityType::OnDemand.word().to_owned())
}

/// An amount that is stated for an hour.
#[derive(Clone, Copy)]
pub(crate) struct StatedAmount<'p> {
    pub amount: &'p Spanned<HourlyAmount>,
    /// True if it is for one device.
    pub is_each: bool,
    /// The currency; `None` for US dollars.
    pub currency: Option<&'p SpannedText>,
}

impl PriceEntry {
    /// Returns the ids of the offers that the price is for.
    pub fn offer_ids(&self) -> impl Iterator<Item = &SpannedText> {
        self.offer.iter().chain(&self.offers)
    }

    /// Returns whether the amount is stated for each region.
    pub fn is_by_region(&self) -> bool {
        let stated = self.stated();
        stated.is_ok_and(|stated| matches!(stated.amount.get_ref(), HourlyAmount::ByRegion(_)))
    }

    /// Returns whether a field in dollars states the amount.
    pub fn is_in_dollars(&self) -> bool {
        self.usd_per_hour.is_some() || self.usd_per_accelerator_hour.is_some()
    }

    /// Returns the amount, which exactly one field states.
    pub fn stated(&self) -> Result<StatedAmount<'_>, &'static str> {
        let ways = [
            (&self.usd_per_hour, false, false),
            (&self.usd_per_accelerator_hour, true, false),
            (&self.per_hour, false, true),
            (&self.per_accelerator_hour, true, true),
        ];
        let mut stated = ways
            .into_iter()
            .filter_map(|(amount, is_each, is_foreign)| {
                Some((amount.as_ref()?, is_each, is_foreign))
            });
        let (Some((amount, is_each, is_foreign)), None) = (stated.next(), stated.next()) else {
            return Err(
                "a price needs exactly one of `usd_per_hour`, `usd_per_accelerator_hour`, `per_hour` and `per_accelerator_hour`",
            );
        };
        let is_dollar = |code: &&SpannedText| code.get_ref() == "USD";
        if !is_foreign && !self.currency.iter().all(|code| is_dollar(&code)) {
            return Err(
                "`usd_per_hour` and `usd_per_accelerator_hour` are dollars: state an amount in the `currency` as `per_hour` or `per_accelerator_hour`",
            );
        }
        let currency = self.currency.as_ref().filter(|_| is_foreign);
        if is_foreign && currency.is_none() {
            return Err("set the `currency` of this price, or use `usd_per_hour` for dollars");
        }
        Ok(StatedAmount {
            amount,
            is_each,
            currency,
        })
    }

    /// Returns the number of regions that the price names.
    pub fn places(&self) -> usize {
        let amounts = self
            .stated()
            .map_or(1, |stated| match stated.amount.get_ref() {
                HourlyAmount::Everywhere(_) => 1,
                HourlyAmount::ByRegion(by_region) => by_region.len(),
            });
        amounts + self.regions.as_ref().map_or(0, Vec::len)
    }

    /// Returns the date of the price, or an empty text.
    pub fn date(&self) -> &str {
        self.as_of.as_ref().map_or("", |date| date.get_ref())
    }
}

/// An amount per hour, or one for each region.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(untagged)]
pub(crate) enum HourlyAmount {
    /// One amount for every region.
    Everywhere(f64),
    /// An amount for each region, by its id.
    ByRegion(BTreeMap<String, f64>),
}
