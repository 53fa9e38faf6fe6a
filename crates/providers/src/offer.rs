//! Offers in types that all providers share.

use std::collections::HashSet;

use serde::{Deserialize, Serialize};
use sky_accel_core::catalog::{Availability, CapacityType};

use crate::obtainability::Obtainability;
use crate::secret::Secrets;
use crate::stored::{StoredAvailability, StoredCapacityType};

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
    /// The number of machines that the offer summarizes; `None` outside of marketplaces.
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
    /// The provider's answers on stock; empty if the provider reports none, or only the
    /// availability of each price.
    #[serde(default)]
    pub obtainability: Vec<Obtainability>,
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
    /// The listing sets its date.
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

/// The interruption rate of spot machines of a type in a region.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interruptions {
    /// The provider's id of the region.
    pub region: String,
    /// The share of machines that were interrupted in the last month, such as `5-10%`.
    pub rate: String,
}

/// The spot placement score of a region: the likelihood of getting all machines, each of any of the
/// instance types.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SpotScore {
    /// The provider's id of the region.
    pub region: String,
    /// The score from 1 to 10; with 10, spot capacity is most likely.
    pub score: u8,
    /// The instance types that the score is for, sorted by id.
    pub instance_types: Vec<String>,
    /// The number of machines that the score is for.
    pub machines: u32,
    /// The time when the score was fetched, in seconds since 1970.
    #[serde(default)]
    pub as_of: i64,
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
    /// The time when the block was listed, in seconds since 1970.
    #[serde(default)]
    pub as_of: i64,
}

/// The account's limit for a pool of instance types.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Quota {
    /// The provider's id of the region; `None` if the quota holds for all regions together.
    pub region: Option<String>,
    /// The capacity type that the quota limits.
    #[serde(with = "StoredCapacityType")]
    pub capacity: CapacityType,
    /// The provider's code of the quota, such as `L-417A185B`.
    pub code: String,
    /// The provider's name of the quota; `None` if not reported.
    pub name: Option<String>,
    /// The unit of the limit.
    pub unit: QuotaUnit,
    /// The limit; `None` if the provider reports an unlimited quota.
    pub limit: Option<f64>,
    /// The amount in use, rounded by the provider; `None` if not reported.
    pub used: Option<f64>,
    /// True if the provider raises the limit on request; `None` if not reported.
    pub is_adjustable: Option<bool>,
}

sky_accel_core::words! {
    /// The unit of a quota.
    #[derive(Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum QuotaUnit {
        /// vCPUs.
        Vcpus = "vcpus",
        /// Accelerators.
        Accelerators = "accelerators",
        /// Machines.
        Machines = "machines",
    }
}

impl Quota {
    /// Returns the amount that can still be used; `None` without a limit. If the use is not
    /// reported, this is the limit.
    pub fn left(&self) -> Option<f64> {
        let limit = self.limit?;
        Some((limit - self.used.unwrap_or(0.0)).max(0.0))
    }

    /// Returns the number of machines that still fit, given the vCPUs and the accelerators of one machine; `None`
    /// without a limit, and if the size of a machine is unknown. If the use is not reported, fewer may fit.
    pub fn machines(&self, vcpu: Option<f64>, accelerators: f64) -> Option<u32> {
        let each = match self.unit {
            QuotaUnit::Vcpus => vcpu?,
            QuotaUnit::Accelerators => accelerators,
            QuotaUnit::Machines => 1.0,
        };
        let left = self.left()?;
        (each > 0.0).then(|| (left / each).floor() as u32)
    }

    /// Returns true if the quota limits a capacity type in a region; `None` means an unknown region.
    pub fn covers(&self, capacity: CapacityType, region: Option<&str>) -> bool {
        self.capacity == capacity && (self.region.is_none() || self.region.as_deref() == region)
    }
}

/// The number of rows that were left out for one reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Dropped {
    /// The reason for leaving them out.
    pub because: DroppedBecause,
    /// The number of rows.
    pub rows: u32,
    /// The line of the first of them in the provider's table; `None` for answers without a table.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
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
    /// The row is available only behind a flag.
    Flagged,
    /// The aggregator's row is wrong: the prices of a machine and its GPUs are separate rows.
    Incoherent,
    /// The price is the minimum bid, which does not win a machine.
    SmallestBid,
    /// Another row has the same id.
    Repeated,
    /// Another row has another price for the same machine in the same place.
    Contradictory,
    /// The row was read, and is not requested. Nothing is wrong with it.
    NotRequested,
}

impl DroppedBecause {
    /// Returns the reason as it follows a number of rows, as in `3 unreadable`.
    pub fn words(self) -> &'static str {
        match self {
            Self::NotRentable => "not rentable",
            Self::NoPrice => "without a price",
            Self::Unreadable => "unreadable",
            Self::Flagged => "behind flags",
            Self::Incoherent => "with separate prices for machine and GPUs",
            Self::SmallestBid => "with a minimum bid instead of a price",
            Self::Repeated => "with the id of another row",
            Self::Contradictory => "with another price than a row for the same machine",
            Self::NotRequested => "not requested",
        }
    }
}

/// The regions of an offer, each once, ordered by first addition.
#[derive(Debug, Default)]
pub(crate) struct RegionList {
    regions: Vec<Region>,
    ids: HashSet<String>,
}

impl RegionList {
    /// Adds a region unless it is there. Returns true if it is new.
    pub(crate) fn add(&mut self, id: &str, country: Option<&str>) -> bool {
        let is_new = !self.ids.contains(id);
        if is_new {
            self.ids.insert(id.to_owned());
            self.regions.push(Region {
                id: id.to_owned(),
                country: country.map(str::to_owned),
            });
        }
        is_new
    }

    pub(crate) fn done(self) -> Vec<Region> {
        self.regions
    }
}

/// Counts dropped rows by reason.
#[derive(Debug, Default)]
pub(crate) struct Tally(Vec<Dropped>);

impl Tally {
    pub(crate) fn add(&mut self, because: DroppedBecause) {
        self.add_at(because, None);
    }

    /// Adds a row in a line of a table.
    pub(crate) fn add_at(&mut self, because: DroppedBecause, line: Option<u32>) {
        match self.0.iter_mut().find(|dropped| dropped.because == because) {
            Some(dropped) => {
                dropped.rows += 1;
                dropped.line = dropped.line.min(line).or(dropped.line).or(line);
            }
            None => self.0.push(Dropped {
                because,
                rows: 1,
                line,
            }),
        }
    }

    /// Adds rows with the same reason.
    pub(crate) fn add_rows(&mut self, because: DroppedBecause, rows: usize) {
        if rows > 0 {
            let rows = u32::try_from(rows).unwrap_or(u32::MAX);
            let line = None;
            self.merge(Self(vec![Dropped {
                because,
                rows,
                line,
            }]));
        }
    }

    /// Adds a row that is not requested. A row without devices, such as a machine without GPUs, does not
    /// show that the names of devices can be read.
    pub(crate) fn add_unrequested(&mut self, hardware: Option<&Hardware>) {
        if hardware.is_some() {
            self.add(DroppedBecause::NotRequested);
        }
    }

    /// Returns true if all dropped rows have this reason.
    pub(crate) fn is_only(&self, because: DroppedBecause) -> bool {
        self.0.iter().all(|dropped| dropped.because == because)
    }

    /// Returns the number of rows dropped for this reason.
    pub(crate) fn because(&self, because: DroppedBecause) -> usize {
        let same = self.0.iter().find(|dropped| dropped.because == because);
        same.map_or(0, |dropped| dropped.rows as usize)
    }

    pub(crate) fn merge(&mut self, other: Self) {
        for dropped in other.0 {
            match self
                .0
                .iter_mut()
                .find(|existing| existing.because == dropped.because)
            {
                Some(existing) => existing.rows += dropped.rows,
                None => self.0.push(dropped),
            }
        }
    }

    /// Returns the number of dropped rows.
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

/// Redacts secrets in all texts of offers. Bodies are redacted before they are parsed, but a secret
/// may have been escaped there; here it is plain text.
pub(crate) fn redact_offers(offers: &mut [Offer], secrets: &Secrets) {
    let clean = |text: &mut String| *text = secrets.redact(text);
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
        for record in &mut offer.obtainability {
            record.redact(secrets);
        }
    }
}
