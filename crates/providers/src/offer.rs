//! The answer of a provider, in one shape for all of them.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use sky_accel_core::catalog::{Availability, CapacityType};

use crate::cache::Fetched;
use crate::error::ProviderError;
use crate::secret::Secrets;
use crate::stored::{StoredAvailability, StoredCapacityType};

/// The answer of one provider.
#[derive(Debug, Default)]
pub struct Listing {
    /// The offers that can be read, in no order that means anything.
    pub offers: Vec<Offer>,
    /// Rows that are no offers, counted by reason.
    pub dropped: Vec<Dropped>,
    /// Parts that failed while others answered: the listing is not complete.
    pub problems: Vec<ProviderError>,
    /// Remarks about the answer.
    pub remarks: Vec<String>,
    /// When the oldest price was fetched, in seconds since 1970.
    pub fetched_at: i64,
    /// Whether any price is from the cache.
    pub cached: bool,
    /// When the oldest list of types and regions was fetched, where that is kept for longer.
    pub types_at: Option<i64>,
    /// Whether on-demand prices were asked for and are not there.
    pub lacks_on_demand: bool,
}

/// Offers and what was left out, as they are kept in the cache.
pub(crate) type Found = (Vec<Offer>, Vec<Dropped>);

impl Listing {
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

/// A machine with a fixed number of devices.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Offer {
    /// Instance type, GPU type id or marketplace GPU name.
    pub id: String,
    /// A name for people, where the provider has one beside the id.
    pub display_name: Option<String>,
    /// `None` where the provider says nothing about it.
    pub hardware: Option<Hardware>,
    /// Devices; a fraction where part of one is sold. `None` where the provider does not say.
    pub count: Option<f64>,
    /// Virtual CPUs of the whole machine.
    pub vcpu: Option<f64>,
    /// Memory of the whole machine, without that of its devices, in GiB.
    pub host_memory_gib: Option<f64>,
    /// As Linux calls it: `x86_64`, `arm64`.
    pub host_arch: Option<String>,
    /// Sold in reserved blocks only.
    pub reserved_only: bool,
    /// Where it is sold, whether or not it is in stock there; empty when unknown.
    pub regions: Vec<Region>,
    /// One for each capacity type, region and tier that has a price.
    pub prices: Vec<Price>,
    /// Machines of a marketplace that are behind this offer.
    pub machines: Option<u32>,
    /// By region, where they were asked for.
    pub spot_scores: Vec<SpotScore>,
    /// Those that can be bought, where they were asked for.
    pub capacity_blocks: Vec<CapacityBlock>,
    /// The account's limits that it counts against, where they were asked for.
    pub quotas: Vec<Quota>,
}

/// A device as the provider describes it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Hardware {
    /// The provider's name for it: `H100 SXM`; empty where it has none.
    pub name: String,
    /// Its maker, in the provider's spelling: `NVIDIA`, `nvidia`, `AWS`.
    pub manufacturer: Option<String>,
    /// Per device, as a driver reports it, in MiB.
    pub memory_mib: Option<f64>,
    /// Per device, as marketed, in GB.
    pub memory_gb: Option<f64>,
}

/// A region, location or data center; a country where that is all there is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Region {
    /// The provider's id, or the country code.
    pub id: String,
    /// ISO 3166-1 alpha-2, in capitals; `None` where it is not known.
    pub country: Option<String>,
}

/// A price now, in US dollars per hour for the whole machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Price {
    /// How it is bought.
    #[serde(with = "StoredCapacityType")]
    pub capacity: CapacityType,
    /// US dollars per hour for the whole machine.
    pub usd: f64,
    /// `None` is everywhere, or nobody knows.
    pub region: Option<String>,
    /// As in the catalog: `secure`, `community`.
    pub tier: Option<String>,
    /// The availability zone of a spot price.
    pub zone: Option<String>,
    /// The id under which exactly this machine is rented.
    pub listing: Option<String>,
    /// Whether it can be rented at this price.
    #[serde(with = "StoredAvailability")]
    pub availability: Availability,
    /// When it was fetched, in seconds since 1970.
    pub as_of: i64,
}

/// How likely spot capacity is, from 1 to 10.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpotScore {
    /// The provider's id of the region.
    pub region: String,
    /// From 1 to 10; 10 is the most likely.
    pub score: u8,
}

/// A reserved block of capacity that can be bought.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct CapacityBlock {
    /// The provider's id of the region.
    pub region: String,
    /// Its availability zone, where the provider says it.
    pub zone: Option<String>,
    /// RFC 3339.
    pub starts_at: Option<String>,
    /// How long it lasts, in hours.
    pub hours: u32,
    /// Machines in it.
    pub machines: u32,
    /// US dollars for all machines and hours.
    pub upfront_usd: f64,
}

/// The account's limit for a pool of instance types.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quota {
    /// The provider's id of the region.
    pub region: String,
    /// The capacity type that it limits.
    #[serde(with = "StoredCapacityType")]
    pub capacity: CapacityType,
    /// The provider's code of the limit: `L-417A185B`.
    pub code: String,
    /// The provider's name of the limit.
    pub name: Option<String>,
    /// In virtual CPUs.
    pub limit: f64,
}

/// Rows that were left out, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dropped {
    /// The reason that they share.
    pub because: DroppedBecause,
    /// How many there are.
    pub rows: u32,
}

/// Why a row is no offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DroppedBecause {
    /// It cannot be rented now.
    NotRentable,
    /// Its price is zero or missing.
    NoPrice,
    /// A field without which it cannot be understood is missing or of a wrong type.
    Unreadable,
}

impl DroppedBecause {
    /// The reason in words for people, to follow a number of rows: `3 unreadable`.
    pub fn words(self) -> &'static str {
        match self {
            Self::NotRentable => "not rentable",
            Self::NoPrice => "without a price",
            Self::Unreadable => "unreadable",
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

/// Seconds since 1970.
pub fn now() -> i64 {
    Timestamp::now().as_second()
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
