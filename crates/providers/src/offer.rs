//! The answer of a provider, in types that all providers share.

use std::time::SystemTime;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sky_accel_core::catalog::{Availability, CapacityType};

use crate::cache::Fetched;
use crate::error::ProviderError;
use crate::feed::Document;
use crate::secret::Secrets;
use crate::stored::{StoredAvailability, StoredCapacityType};

/// The answer of one provider.
#[derive(Debug, Default)]
pub struct Listing {
    /// The readable offers, in arbitrary order.
    pub offers: Vec<Offer>,
    /// The numbers of rows that were left out, by reason.
    pub dropped: Vec<Dropped>,
    /// The errors of parts of the answer; empty if the listing is complete.
    pub problems: Vec<ProviderError>,
    /// Remarks about the answer, for people.
    pub remarks: Vec<String>,
    /// The time when the oldest price was fetched, in seconds since 1970.
    pub fetched_at: i64,
    /// True if any price is from the cache.
    pub cached: bool,
    /// The time when the oldest list of types and regions was fetched, in seconds since 1970;
    /// `None` if such lists are not cached separately.
    pub types_at: Option<i64>,
    /// True if on-demand prices were requested but are missing.
    pub lacks_on_demand: bool,
    /// Whether the provider was asked with a key.
    pub access: Access,
    /// The edition of an aggregator's data that the answer is from; `None` for the provider itself.
    pub edition: Option<Edition>,
}

/// How a provider was asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Access {
    /// With a key, for everything that the account may see.
    #[default]
    Key,
    /// Without any key, for what the provider tells everybody.
    Public,
}

/// The version of an aggregator's data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edition {
    /// The name of the aggregator: `gpuhunt` or `skypilot`.
    pub name: &'static str,
    /// The version or the date of its data.
    pub version: String,
}

/// Offers and what was left out, as they are kept in the cache.
pub(crate) type Found = (Vec<Offer>, Vec<Dropped>);

impl Listing {
    /// Returns whether it is what the provider tells everybody.
    pub fn is_feed(&self) -> bool {
        self.access == Access::Public && self.edition.is_none()
    }

    /// Returns whether nothing of the answer is missing: each part was answered, and each row could be
    /// read and has a price.
    pub fn is_whole(&self) -> bool {
        let is_fault = |dropped: &Dropped| {
            matches!(
                dropped.because,
                DroppedBecause::NoPrice | DroppedBecause::Unreadable
            )
        };
        self.problems.is_empty() && !self.dropped.iter().any(is_fault)
    }

    /// The answer of a provider that was asked without a key, out of documents that were read.
    pub(crate) fn public(
        mut offers: Vec<Offer>,
        dropped: Tally,
        problems: Vec<ProviderError>,
        read: Reading,
    ) -> Self {
        let at = read.oldest.unwrap_or_else(now);
        for price in offers.iter_mut().flat_map(|offer| &mut offer.prices) {
            if price.as_of == 0 {
                price.as_of = at;
            }
        }
        Self {
            offers,
            dropped: dropped.done(),
            problems,
            fetched_at: at,
            cached: read.any_cached,
            access: Access::Public,
            ..Self::default()
        }
    }

    /// The answer of a provider that answers as a whole.
    pub(crate) fn of(fetched: Fetched<Found>) -> Self {
        let (mut offers, dropped) = fetched.value;
        for price in offers.iter_mut().flat_map(|offer| &mut offer.prices) {
            price.as_of = fetched.at;
        }
        Self {
            offers,
            dropped,
            problems: fetched.problems,
            fetched_at: fetched.at,
            cached: fetched.cached,
            ..Self::default()
        }
    }
}

/// The age of documents that were read.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Reading {
    oldest: Option<i64>,
    any_cached: bool,
}

impl Reading {
    pub(crate) fn note(&mut self, document: &Document) {
        self.merge(Self {
            oldest: Some(document.at),
            any_cached: document.cached,
        });
    }

    pub(crate) fn merge(&mut self, other: Self) {
        self.oldest = self.oldest.into_iter().chain(other.oldest).min();
        self.any_cached |= other.any_cached;
    }
}

/// A machine with a fixed number of devices, as a provider describes it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Offer {
    /// The instance type, GPU type id or marketplace GPU name.
    pub id: String,
    /// The name for people; `None` if the provider has only the id.
    pub display_name: Option<String>,
    /// The devices of the machine; `None` if the provider does not describe them.
    pub hardware: Option<Hardware>,
    /// The number of devices, a fraction if a part of one is sold; `None` if not reported.
    pub count: Option<f64>,
    /// The marketed memory of all devices together in GB; `None` if not reported, or reported per
    /// device.
    #[serde(default)]
    pub total_memory_gb: Option<f64>,
    /// The number of vCPUs of the whole machine; `None` if not reported.
    pub vcpu: Option<f64>,
    /// The host memory of the whole machine in GiB; `None` if not reported.
    pub host_memory_gib: Option<f64>,
    /// The CPU architecture, such as `x86_64` or `arm64`; `None` if not reported.
    pub host_arch: Option<String>,
    /// True if the offer is sold only in reserved blocks.
    pub reserved_only: bool,
    /// The regions where the offer is sold, in stock or not; empty if unknown.
    pub regions: Vec<Region>,
    /// The prices, one for each capacity type, region and tier.
    pub prices: Vec<Price>,
    /// The number of machines behind the offer; `None` if the provider is no marketplace.
    pub machines: Option<u32>,
    /// The spot placement scores by region; empty if not requested.
    pub spot_scores: Vec<SpotScore>,
    /// The interruption rates of spot machines by region; empty if not reported.
    #[serde(default)]
    pub interruptions: Vec<Interruptions>,
    /// The capacity blocks for sale; empty if not requested.
    pub capacity_blocks: Vec<CapacityBlock>,
    /// The account's quotas that the offer counts against; empty if not requested.
    pub quotas: Vec<Quota>,
}

/// A device, as the provider describes it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Hardware {
    /// The provider's name of the device, such as `H100 SXM`; empty if it has none.
    pub name: String,
    /// The maker in the provider's spelling, such as `NVIDIA` or `nvidia`; `None` if not reported.
    pub manufacturer: Option<String>,
    /// The memory per device in MiB, as a driver reports it; `None` if not reported.
    pub memory_mib: Option<f64>,
    /// The marketed memory per device in GB; `None` if not reported.
    pub memory_gb: Option<f64>,
}

/// A region, location or data center, or a country if the provider reports no more.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Region {
    /// The provider's id, or the country code.
    pub id: String,
    /// The ISO 3166-1 alpha-2 code of the country in upper case; `None` if not known.
    pub country: Option<String>,
}

/// A current price.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Price {
    /// The capacity type of the price.
    #[serde(with = "StoredCapacityType")]
    pub capacity: CapacityType,
    /// The amount per hour for the whole machine.
    pub per_hour: f64,
    /// The ISO 4217 code of the currency of the amount; `None` for US dollars.
    pub currency: Option<String>,
    /// The id of the region; `None` if the price holds everywhere or the region is unknown.
    pub region: Option<String>,
    /// The price tier as in the catalog, such as `secure`; `None` if the provider has no tiers.
    pub tier: Option<String>,
    /// The availability zone of a spot price; `None` if not reported.
    pub zone: Option<String>,
    /// The id with which this machine can be rented; `None` if the provider has no such ids.
    pub listing: Option<String>,
    /// The availability of the machine at this price.
    #[serde(with = "StoredAvailability")]
    pub availability: Availability,
    /// The time when the price was fetched, in seconds since 1970.
    pub as_of: i64,
}

impl Price {
    /// Creates a price in US dollars that holds everywhere, for a machine of unknown availability.
    /// Its date is that of the listing.
    pub fn new(capacity: CapacityType, per_hour: f64) -> Self {
        Self {
            capacity,
            per_hour,
            currency: None,
            region: None,
            tier: None,
            zone: None,
            listing: None,
            availability: Availability::Unknown,
            as_of: 0,
        }
    }
}

/// How often spot machines of a type were interrupted in a region.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interruptions {
    /// The provider's id of the region.
    pub region: String,
    /// The share of machines that were interrupted in the last month, such as `5-10%`.
    pub rate: String,
}

/// The spot placement score of a region.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpotScore {
    /// The provider's id of the region.
    pub region: String,
    /// The score from 1 to 10; with 10, spot capacity is most likely.
    pub score: u8,
}

/// A reserved block of capacity that can be bought.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CapacityBlock {
    /// The provider's id of the region.
    pub region: String,
    /// The availability zone; `None` if not reported.
    pub zone: Option<String>,
    /// The start of the block in RFC 3339 form; `None` if not reported.
    pub starts_at: Option<String>,
    /// The duration of the block in hours.
    pub hours: u32,
    /// The number of machines in the block.
    pub machines: u32,
    /// The price in USD for all machines and hours, paid in advance.
    pub upfront_usd: f64,
}

/// The account's limit for a pool of instance types.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quota {
    /// The provider's id of the region.
    pub region: String,
    /// The capacity type that the quota limits.
    #[serde(with = "StoredCapacityType")]
    pub capacity: CapacityType,
    /// The provider's code of the quota, such as `L-417A185B`.
    pub code: String,
    /// The provider's name of the quota; `None` if not reported.
    pub name: Option<String>,
    /// The limit in vCPUs.
    pub limit: f64,
}

/// The number of rows that were left out for one reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dropped {
    /// The reason for leaving them out.
    pub because: DroppedBecause,
    /// The number of rows.
    pub rows: u32,
}

/// The reason why a row of an answer is not an offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DroppedBecause {
    /// The machine cannot be rented now.
    NotRentable,
    /// The price is zero or missing.
    NoPrice,
    /// A required field is missing or of the wrong type.
    Unreadable,
    /// The row is only for those who ask for it by a flag.
    Flagged,
    /// The aggregator is known to be wrong about it: a machine whose GPUs are priced apart.
    Incoherent,
    /// Its price is the smallest that may be bid, for which nobody gets the machine.
    SmallestBid,
}

impl DroppedBecause {
    /// Returns the reason in words that follow a number of rows, as in `3 unreadable`.
    pub fn words(self) -> &'static str {
        match self {
            Self::NotRentable => "not rentable",
            Self::NoPrice => "without a price",
            Self::Unreadable => "unreadable",
            Self::Flagged => "behind flags",
            Self::Incoherent => "with machines and GPUs priced apart",
            Self::SmallestBid => "with the smallest bid in place of a price",
        }
    }
}

/// Counts rows that are left out.
#[derive(Debug, Default)]
pub(crate) struct Tally(Vec<Dropped>);

impl Tally {
    pub(crate) fn add(&mut self, because: DroppedBecause) {
        match self.0.iter_mut().find(|dropped| dropped.because == because) {
            Some(dropped) => dropped.rows += 1,
            None => self.0.push(Dropped { because, rows: 1 }),
        }
    }

    /// Whether every row was left out for this reason.
    pub(crate) fn is_only(&self, because: DroppedBecause) -> bool {
        self.0.iter().all(|dropped| dropped.because == because)
    }

    /// Rows that were left out for this reason.
    pub(crate) fn because(&self, because: DroppedBecause) -> usize {
        let same = self.0.iter().find(|dropped| dropped.because == because);
        same.map_or(0, |dropped| dropped.rows as usize)
    }

    pub(crate) fn merge(&mut self, other: Self) {
        for dropped in other.0 {
            match self
                .0
                .iter_mut()
                .find(|known| known.because == dropped.because)
            {
                Some(known) => known.rows += dropped.rows,
                None => self.0.push(dropped),
            }
        }
    }

    /// Rows that were left out, for any reason.
    pub(crate) fn rows(&self) -> usize {
        self.0.iter().map(|dropped| dropped.rows as usize).sum()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(crate) fn done(self) -> Vec<Dropped> {
        self.0
    }
}

/// Returns the current time in seconds since 1970.
pub fn now() -> i64 {
    let now = Timestamp::try_from(SystemTime::now());
    now.unwrap_or(Timestamp::MAX).as_second()
}

/// Strikes secrets out of everything that a provider calls something: however it was escaped on
/// the way, it is plain text here.
pub(crate) fn strike(offers: &mut [Offer], secrets: &Secrets) {
    let clean = |text: &mut String| *text = secrets.strike(text);
    for offer in offers {
        clean(&mut offer.id);
        offer.display_name.as_mut().map(clean);
        offer.host_arch.as_mut().map(clean);
        if let Some(hardware) = &mut offer.hardware {
            clean(&mut hardware.name);
            hardware.manufacturer.as_mut().map(clean);
        }
        for region in &mut offer.regions {
            clean(&mut region.id);
            region.country.as_mut().map(clean);
        }
        for price in &mut offer.prices {
            for text in [&mut price.region, &mut price.zone, &mut price.listing]
                .into_iter()
                .flatten()
            {
                clean(text);
            }
        }
    }
}
