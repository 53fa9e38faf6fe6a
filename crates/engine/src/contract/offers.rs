//! Offers with their prices, and how an answer selected them.

use std::borrow::Cow;

use serde::Serialize;
use sky_accel_core::bind::BoundChoice;
use sky_accel_core::catalog::{
    AcceleratorId, Availability, CapacityType, Catalog, Fabric, Offer, OfferKind, Price, PriceKind,
    Quality, RegionId, Sells, Statistic, Status, Table,
};
use sky_accel_core::mig::{ProfileRef, find_profile, parse_profile};
use sky_accel_core::money::Usd;
use sky_accel_core::resolve::{
    CapacityFilter, LikelyPrices, Match, Nearest, Quote, Reason, Relation, Request, quote,
    uncommitted,
};
use sky_accel_core::text::number;

use super::commitments::{self, CommitmentOut};
use super::explained::spec_of;
use super::{CurrencyOut, Num, ObtainabilityOut, PlacementOut, link};
use crate::group::GroupOut;

/// The price of an offer in one region.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RegionPriceOut<'a> {
    /// The provider's region id. Omitted if the price applies to all regions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<&'a str>,
    /// The stated price in US dollars per hour for the whole offer.
    pub usd_per_hour: Num,
    /// The likely price of today, which sorts the regions.
    pub likely_usd_per_hour: Num,
}

/// The network between machines of one type.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NetworkOut<'a> {
    /// The kind of network: `efa`, `infiniband`, `roce` or `gpudirect-tcpx`.
    pub kind: Fabric,
    /// The bandwidth of one machine in Gbit/s, in one direction.
    pub gbit_per_s: Num,
    /// The source of these facts.
    pub source: &'a str,
    /// The date of these facts: a day, a month or a year.
    pub as_of: &'a str,
}

/// A machine, or a number of devices, for rent from a provider.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OfferOut<'a> {
    /// The alternative of the spec that the offer matches, in canonical form.
    pub spec: String,
    /// The id of the provider.
    pub provider: &'a str,
    /// The provider's id: an instance type, a GPU type id, or a marketplace's GPU name.
    pub instance_type: &'a str,
    /// The kind of offer: `machine`, `attached` (accelerators attached to a host that is priced separately),
    /// `container`, `slice` (of a pod) or `share` (of an accelerator).
    pub sells: OfferKind,
    /// The id of the provider if it is a broker that resells other providers' machines, so that its offers
    /// add no supply. Omitted otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broker: Option<&'a str>,
    /// The provider that owns the machine, if another provider resells it. Omitted otherwise, and if a
    /// broker does not name the owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upstream: Option<&'a str>,
    /// The number of hosts of a pod slice. Omitted for other offers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hosts: Option<u16>,
    /// The topology of a pod slice, such as `2x2x1`. Omitted for other offers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topology: Option<&'a str>,
    /// The network between several of these machines. Omitted if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<NetworkOut<'a>>,
    /// The provider's display name. Omitted if it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_name: Option<&'a str>,
    /// The address of the provider's page for the offer, or of its prices. Omitted if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<Cow<'a, str>>,
    /// The catalog's id of the accelerator.
    pub accelerator: &'a str,
    /// The number of accelerators; a fraction if part of an accelerator is sold.
    pub count: Num,
    /// Memory per device in decimal GB, as the vendor sells it; `null` if unknown.
    pub memory_gb: Option<Num>,
    /// Memory per device in MiB, as the provider or the driver reports it; `null` if unknown.
    pub memory_mib: Option<Num>,
    /// Total memory of all devices in decimal GB; `null` if unknown.
    pub total_memory_gb: Option<Num>,
    /// vCPUs of the whole offer; `null` if unknown.
    pub vcpu: Option<Num>,
    /// Host memory of the whole offer in GiB; `null` if unknown.
    pub host_memory_gib: Option<Num>,
    /// The CPU architecture of the host, such as `x86_64` or `arm64`; `null` if unknown.
    pub host_arch: Option<&'a str>,
    /// The separately priced machine that the accelerators are attached to: the smallest size of the usual
    /// family with four vCPUs per accelerator, if the provider allows it. Omitted unless `sells` is
    /// `attached`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<HostOut<'a>>,
    /// The regions where the offer is sold, limited to the requested regions; `null` if unknown.
    pub regions: Option<Vec<&'a str>>,
    /// The on-demand price; `null` if the offer is not sold on demand or the price is unknown.
    pub on_demand: Option<PriceOut<'a>>,
    /// The effective price of the commitment that ranks the offer, with `commit`. Omitted otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub committed: Option<PriceOut<'a>>,
    /// The prices under the requested commitments, the lowest first. Omitted without `commit`, and if no commitment is
    /// sold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub commitments: Vec<CommitmentOut<'a>>,
    /// The spot price; `null` if the offer is not sold as spot or the price is unknown.
    pub spot: Option<PriceOut<'a>>,
    /// The currency of the on-demand price or else of the spot price. Omitted for US dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub currency: Option<CurrencyOut<'a>>,
    /// Prices of the provider's other tiers; omitted if empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub other_prices: Vec<PriceOut<'a>>,
    /// The hours of the request. Omitted without `hours` in the request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hours: Option<Num>,
    /// The hours that the provider bills for them: rounded up to its billing unit, and at least its minimum. Omitted
    /// where `hours` is omitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub billed_hours: Option<Num>,
    /// US dollars for `billed_hours` at the likely price that ranks the offer; not a committed price. Omitted where
    /// `hours` is omitted, and if the price is unknown. For an alternative of several machines, it is the total of all
    /// of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd_total: Option<Num>,
    /// `available`, `limited`, `unavailable` or `unknown`. Offline answers are always `unknown`.
    pub availability: Availability,
    /// `offered`, `spot-only` (not sold on demand), `reserved-only`, `preview`, `unlisted` (priced but not
    /// documented by the provider), `stale` (from an outdated list) or `retired`.
    pub status: Status,
    /// A remark on the status. Omitted if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status_note: Option<&'a str>,
    /// The MIG profile, if the provider sells a ready-made slice as a device. Omitted otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mig_profile: Option<&'a str>,
    /// The placement of the spec's MIG slices on this machine. Omitted if the spec has no slices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mig: Option<MigOut>,
    /// Stable codes for unusual properties of the match; omitted if empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<Reason>,
    /// The number of marketplace machines that the offer summarizes. Present only in live answers of marketplaces.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub machines: Option<u32>,
    /// The price in each region, cheapest first, if `map` was requested. Omitted otherwise.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub region_prices: Vec<RegionPriceOut<'a>>,
    /// The spot placement score of each region, if spot scores were requested. Omitted otherwise.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub spot_placement_scores: Vec<SpotScoreOut>,
    /// The capacity blocks on sale, cheapest first, if capacity blocks were requested. Omitted otherwise.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub capacity_blocks: Vec<CapacityBlockOut>,
    /// The account quotas that apply, if a quota check was requested. Omitted otherwise.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub quotas: Vec<QuotaOut>,
    /// The answers of the provider on whether the machines can be had, by place and capacity type; omitted if empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub obtainability: Vec<ObtainabilityOut>,
    /// The group that this offer is the best of, with `group_by`. Omitted otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<GroupOut>,
    /// The source of the instance type's facts; each price has a separate source.
    pub source: &'a str,
    /// The date of the instance type's facts.
    pub as_of: &'a str,
    /// True if committed prices rank offers. Not serialized.
    #[serde(skip)]
    pub is_by_commitment: bool,
    /// The row of the accelerator. Not serialized.
    #[serde(skip)]
    pub accelerator_id: AcceleratorId,
    /// True if an overlay may have changed the offer. Not serialized.
    #[serde(skip)]
    pub(crate) may_be_overlaid: bool,
}

/// The likelihood that a provider can fulfill a spot request in a region, as the provider states it. The
/// score is for a set of instance types, and says nothing about a single type or another number of machines.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SpotScoreOut {
    /// The provider's id of the region.
    pub region: String,
    /// The provider's score, from 1 (unlikely) to 10 (likely).
    pub score: u8,
    /// The instance types of the set. Each machine may have any of these types.
    pub instance_types: Vec<String>,
    /// The number of machines that the score is for.
    pub machines: u32,
}

/// A block of capacity that can be reserved in advance.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CapacityBlockOut {
    /// The provider's id of the region.
    pub region: String,
    /// The availability zone; `null` if the provider does not name one.
    pub zone: Option<String>,
    /// The start of the block, as the provider writes it; `null` if not given.
    pub starts_at: Option<String>,
    /// The length of the block in hours.
    pub hours: u32,
    /// The number of machines in the block.
    pub machines: u32,
    /// US dollars for all machines and hours of the block, paid in advance.
    pub upfront_usd: Num,
    /// US dollars per hour for all machines of the block: the upfront price divided by the hours.
    pub usd_per_hour: Num,
}

/// The account's quota for the pool that an instance type belongs to.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct QuotaOut {
    /// The provider's id of the region.
    pub region: String,
    /// `on-demand` or `spot`.
    pub capacity_type: CapacityType,
    /// The provider's quota code.
    pub code: String,
    /// The provider's quota name; `null` if it has none.
    pub name: Option<String>,
    /// The quota in vCPUs for the whole pool.
    pub limit_vcpu: Num,
    /// The vCPUs of the pool in use, rounded by the provider; `null` if unknown.
    pub used_vcpu: Option<Num>,
    /// The vCPUs of the pool that are left; `null` if unknown.
    pub left_vcpu: Option<Num>,
    /// The vCPUs of one machine; `null` if unknown.
    pub needed_vcpu: Option<Num>,
    /// The number of machines that the query was for.
    pub machines_asked: u32,
    /// True if the quota admits these machines; `null` if the vCPUs of a machine are unknown. If `left_vcpu`
    /// is unknown, the pool counts as unused.
    pub allows: Option<bool>,
}

/// The MIG slices on a machine.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MigOut {
    /// The number of GPUs that the slices need.
    pub gpus_needed: u32,
    /// The position of each slice; empty if unknown.
    pub placements: Vec<PlacementOut>,
}

/// A machine that accelerators are attached to.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HostOut<'a> {
    /// The provider's id, such as `n1-standard-4`.
    pub instance_type: String,
    /// The vCPUs.
    pub vcpu: Num,
    /// The memory in GiB.
    pub host_memory_gib: Num,
    /// The maximum number of vCPUs for this number of accelerators; `null` if unknown.
    pub max_vcpu: Option<Num>,
    /// The maximum memory in GB for this number of accelerators; `null` if unknown.
    pub max_host_memory_gb: Option<Num>,
    /// The region of the prices: the region of the offer's price, or the cheapest region if that price
    /// names none. `null` if no price is known.
    pub region: Option<&'a str>,
    /// US dollars per hour for the host on demand; `null` if unknown.
    pub usd_per_hour: Option<Num>,
    /// US dollars per hour for the host as spot; `null` if unknown.
    pub spot_usd_per_hour: Option<Num>,
    /// The source of the host's prices.
    pub source: &'a str,
    /// The date of the host's prices: a day, a month or a year.
    pub as_of: &'a str,
}

/// A price in US dollars.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PriceOut<'a> {
    /// `on-demand` or `spot`. Present only in `other_prices`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capacity_type: Option<CapacityType>,
    /// US dollars per hour for the whole offer.
    pub usd_per_hour: Num,
    /// US dollars per hour for one accelerator: the price of the offer divided by its count.
    pub usd_per_accelerator_hour: Num,
    /// The likely price of today in US dollars per hour for the whole offer: the stated price, moved toward the median
    /// of recent prices of the same accelerator as it gets older.
    pub likely_usd_per_hour: Num,
    /// The lower end of the band that holds four of five likely prices.
    pub low: Num,
    /// The upper end of the band.
    pub high: Num,
    /// The age of the stated price in days; a month or a year without a day counts from its first day. `null` if
    /// unknown.
    pub age_days: Option<i32>,
    /// The number of sources that have stated a price of this offer with this capacity type and tier.
    pub sources: u8,
    /// The provider's region id. Omitted if the price applies to all regions.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<&'a str>,
    /// The availability zone of a live spot price. Omitted otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<&'a str>,
    /// The marketplace's id for this particular machine. It is valid until the machine is rented.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offer_id: Option<&'a str>,
    /// The availability at this price. Omitted if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub availability: Option<Availability>,
    /// The provider's name of the price tier. Omitted if the provider has no tiers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tier: Option<&'a str>,
    /// `list`, `live`, `snapshot`, `estimate` or `contract` (agreed on with the provider, from an overlay).
    pub kind: PriceKind,
    /// The reliability of the price: `provider` (from the provider), `aggregator` (from a list that a third
    /// party maintains), `documentation` (from documentation or an article) or `pattern` (derived from
    /// other prices).
    pub quality: Quality,
    /// The amount that the provider charges, if not in US dollars. Omitted otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub currency: Option<CurrencyOut<'a>>,
    /// How one price represents several zones: `lowest-zone` or `median-zone`. Omitted if prices do not
    /// differ between zones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statistic: Option<Statistic>,
    /// The published rate at which spot capacity is reclaimed. Omitted for other prices, and if no rate is
    /// published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interruption_rate: Option<&'a str>,
    /// The date of the price. Catalog prices have a day, a month or a year, depending on the source; live
    /// prices have a time in UTC, to the second.
    pub as_of: &'a str,
    /// The source of the price, usually a URL.
    pub source: &'a str,
    /// The reasons to doubt the price itself: `unconfirmed-price` or `implausible-price`. Omitted without any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<Reason>,
}

/// An alternative: an offer that meets the spec except for one relaxed condition.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NearestOut<'a> {
    /// The difference from the request.
    pub relation: Relation,
    /// The number of machines that are needed together. Present only for `multi-node`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u32>,
    /// The offer.
    #[serde(flatten)]
    pub offer: OfferOut<'a>,
}

impl<'a> OfferOut<'a> {
    /// The price that ranks the offer: the better of the prices that the filter admits; prices in stock
    /// rank before prices out of stock. `None` if there is no such price.
    pub fn ranking_quote(&self, capacity_filter: CapacityFilter) -> Option<&PriceOut<'a>> {
        if self.is_by_commitment {
            return self.committed.as_ref();
        }
        let (on_demand, spot) = (self.on_demand.as_ref(), self.spot.as_ref());
        capacity_filter.ranking_quote(on_demand, spot, |price| {
            let is_out = price.availability == Some(Availability::Unavailable);
            (is_out, price.likely_usd_per_hour)
        })
    }

    /// Adds the total for a number of hours of a match.
    pub(crate) fn add_total(
        &mut self,
        catalog: &Catalog<'_>,
        found: &Match,
        capacity_filter: CapacityFilter,
        hours: Option<Num>,
    ) {
        let Some(Num(hours)) = hours else { return };
        let billed = catalog.billed_hours(&catalog.offer(found.offer), hours);
        let usd = found.ranking_price(capacity_filter);
        self.hours = Some(Num(hours));
        self.billed_hours = Some(Num(billed));
        self.usd_total = usd
            .and_then(|usd| usd.for_hours(billed))
            .map(|usd| Num(usd.decimal()));
    }

    /// Returns true unless the offer is known to be retired or out of stock.
    pub fn can_be_rented(&self) -> bool {
        self.status != Status::Retired && self.availability != Availability::Unavailable
    }

    /// A spec for the hardware of this offer alone, such as `A100-80GB-SXM:x8`.
    pub fn exact_spec(&self) -> String {
        match self.mig_profile {
            Some(profile) => format!("{}:mig={profile}", self.accelerator),
            None => format!("{}:x{}", self.accelerator, number(self.count.0)),
        }
    }

    /// Returns true if it is unknown whether the provider sells the offer in a requested region.
    pub fn is_region_unverified(&self) -> bool {
        self.reasons.contains(&Reason::RegionUnverified)
    }
}

/// Converts a match to its contract form.
///
/// `spec` is the canonical form of the matching alternative, `is_asked` selects the regions to list, and
/// `mig` adds the number of GPUs that the spec's MIG slices need.
pub fn offer<'a>(
    catalog: &Catalog<'a>,
    likely: Option<&LikelyPrices>,
    spec: &str,
    found: &Match,
    is_asked: impl Fn(RegionId) -> bool,
    mig: bool,
) -> OfferOut<'a> {
    let row = catalog.offer(found.offer);
    let accelerator = catalog.accelerator(found.accelerator);
    let count = found.count.decimal();
    let provider = catalog.provider(row.provider);
    let regions = regions_of(catalog, &row, found);
    let quote = found.on_demand.or(found.spot);
    let region = quote.and_then(|quote| quote.region);
    let region = region.or_else(|| regions.as_ref().and_then(|ids| ids.iter().next()));
    let region = region.map(|id| catalog.region_id(id));
    let slice = slice_memory(catalog, found);
    let memory_gb = slice.map_or(accelerator.memory_gb, |(gb, _)| Some(gb));
    let reported = row
        .memory_mib
        .or(accelerator.memory_mib)
        .or(accelerator.memory_mib_ec2);
    let filter = catalog.commitment_filter();
    let on_demand = match filter {
        Some(_) => uncommitted(catalog, likely, found),
        None => found.on_demand,
    };
    OfferOut {
        spec: spec.to_owned(),
        provider: catalog.str(provider.id),
        instance_type: catalog.str(row.id),
        sells: row.kind,
        broker: provider.is_broker.then(|| catalog.str(provider.id)),
        upstream: catalog.text(row.upstream),
        hosts: (row.kind == OfferKind::Slice && row.hosts > 0).then_some(row.hosts),
        topology: catalog.text(row.topology),
        network: catalog.network(&row).map(|network| NetworkOut {
            kind: network.fabric,
            gbit_per_s: Num(network.gbit_per_s),
            source: catalog.str(network.source),
            as_of: catalog.str(network.as_of),
        }),
        display_name: catalog.text(row.display_name),
        url: link::of_offer(catalog.str(provider.link), catalog.str(row.id), region),
        accelerator: catalog.str(accelerator.id),
        accelerator_id: found.accelerator,
        count: Num(count),
        memory_gb: memory_gb.map(Num),
        memory_mib: slice.map_or(reported, |(_, mib)| mib).map(Num),
        total_memory_gb: memory_gb.map(|gb| Num(gb * count)),
        vcpu: found.vcpu(catalog).map(Num),
        host_memory_gib: found.host_memory_gib(catalog).map(Num),
        host_arch: catalog.text(row.host_arch),
        host: host(catalog, found),
        regions: regions.map(|ids| {
            ids.iter()
                .filter(|id| is_asked(*id))
                .map(|id| catalog.region_id(id))
                .collect()
        }),
        currency: found
            .on_demand
            .or(found.spot)
            .and_then(|quote| currency(catalog, found, quote)),
        on_demand: on_demand.map(|quote| price(catalog, likely, found, quote)),
        committed: filter
            .and(found.on_demand)
            .map(|quote| price(catalog, likely, found, quote)),
        commitments: filter.map_or(Vec::new(), |filter| {
            commitments::commitments(catalog, likely, filter, found)
        }),
        is_by_commitment: filter.is_some(),
        spot: found.spot.map(|quote| price(catalog, likely, found, quote)),
        other_prices: other_prices(catalog, likely, found),
        hours: None,
        billed_hours: None,
        usd_total: None,
        availability: found.availability(CapacityFilter::default()),
        status: row.status,
        status_note: catalog.text(row.status_note),
        mig_profile: catalog.text(row.mig_profile),
        mig: (mig && row.mig_profile.len == 0).then_some(MigOut {
            gpus_needed: found.gpus_needed,
            placements: Vec::new(),
        }),
        reasons: found.reasons.clone(),
        machines: None,
        region_prices: Vec::new(),
        spot_placement_scores: Vec::new(),
        capacity_blocks: Vec::new(),
        quotas: Vec::new(),
        obtainability: Vec::new(),
        group: None,
        source: catalog.str(row.source),
        as_of: catalog.str(row.as_of),
        may_be_overlaid: catalog.may_be_overlaid(found.offer),
    }
}

/// The regions that sell an offer, for a marketplace those where the price was observed; `None` if they are unknown.
fn regions_of<'a>(
    catalog: &Catalog<'a>,
    row: &Offer,
    found: &Match,
) -> Option<Table<'a, RegionId>> {
    let seen = || Some(catalog.price(found.on_demand?.price).seen_in);
    let regions = Some(row.regions)
        .filter(|regions| regions.len > 0)
        .or_else(|| seen().filter(|seen| seen.len > 0));
    match regions {
        Some(regions) => Some(catalog.regions(regions)),
        None => (row.status == Status::Retired).then(Table::default),
    }
}

/// The host of attached accelerators, with its prices in the region of the offer's price.
fn host<'a>(catalog: &Catalog<'a>, found: &Match) -> Option<HostOut<'a>> {
    let row = catalog.offer(found.offer);
    let host = catalog.host_of(&row, found.accelerator, found.count)?;
    let vcpu = f64::from(host.vcpu);
    let region = found
        .on_demand
        .or(found.spot)
        .and_then(|quote| quote.region);
    let price = host.price(catalog, region);
    let region = region.or(price.map(|price| price.region));
    // Prices are rounded to a millionth of a dollar.
    let usd = |each: Usd| Num((each.decimal() * vcpu * 1e6).round() / 1e6);
    Some(HostOut {
        instance_type: host.id(catalog),
        vcpu: Num(vcpu),
        host_memory_gib: Num(host.family.gib_per_vcpu * vcpu),
        max_vcpu: host.limit.map(|limit| Num(limit.vcpu.into())),
        max_host_memory_gb: host.limit.map(|limit| Num(limit.memory_gb)),
        region: region.map(|id| catalog.region_id(id)),
        usd_per_hour: price.map(|price| usd(price.usd_per_vcpu)),
        spot_usd_per_hour: price.and_then(|price| price.spot_usd_per_vcpu.map(usd)),
        source: catalog.str(host.family.source),
        as_of: catalog.str(host.family.as_of),
    })
}

/// The memory of a ready-made MIG slice in decimal GB, from its name, and in MiB, as listed.
fn slice_memory(catalog: &Catalog<'_>, found: &Match) -> Option<(f64, Option<f64>)> {
    let name = parse_profile(catalog.text(catalog.offer(found.offer).mig_profile)?)?;
    let geometry = catalog.geometry(&catalog.accelerator(found.accelerator));
    let profile = geometry.and_then(|g| find_profile(catalog, &g, ProfileRef::Name(name)));
    let mib = profile
        .and_then(|(profile, _)| profile.memory_mib)
        .map(f64::from);
    Some((f64::from(name.gb), mib))
}

/// Converts a price of a match to its contract form.
pub(crate) fn price<'a>(
    catalog: &Catalog<'a>,
    likely: Option<&LikelyPrices>,
    found: &Match,
    quote: Quote,
) -> PriceOut<'a> {
    let row = catalog.price(quote.price);
    let offer = catalog.offer(found.offer);
    let reasons = likely.map(|likely| likely.doubts(catalog, &offer, &row, found.count, quote.usd));
    let doubts = reasons
        .into_iter()
        .flatten()
        .filter(|reason| reason.is_doubt());
    PriceOut {
        capacity_type: None,
        usd_per_hour: Num(quote.usd.decimal()),
        usd_per_accelerator_hour: Num(quote.usd.per(found.count).decimal()),
        likely_usd_per_hour: Num(quote.likely.usd.decimal()),
        low: Num(quote.likely.low().decimal()),
        high: Num(quote.likely.high().decimal()),
        age_days: quote.age_days,
        sources: row.sources,
        region: quote.region.map(|region| catalog.region_id(region)),
        zone: catalog.text(row.zone),
        offer_id: catalog.text(row.listing),
        availability: (row.availability != Availability::Unknown).then_some(row.availability),
        tier: catalog.tier(&offer, &row),
        kind: row.kind,
        quality: row.quality,
        currency: currency(catalog, found, quote),
        statistic: row.statistic,
        interruption_rate: catalog
            .text(offer.interruption_rate)
            .filter(|_| row.capacity == CapacityType::Spot),
        as_of: catalog.str(row.as_of),
        source: catalog.str(row.source),
        doubts: doubts.collect(),
    }
}

/// The currency of a price; `None` for US dollars.
fn currency<'a>(catalog: &Catalog<'a>, found: &Match, quote: Quote) -> Option<CurrencyOut<'a>> {
    let row = catalog.price(quote.price);
    let currency = catalog.currency(catalog.text(row.currency)?)?;
    let charged = Price {
        usd: Usd(row.charged),
        ..row
    };
    Some(CurrencyOut {
        code: catalog.str(currency.code),
        per_hour: Num(charged.of_machine(found.count).decimal()),
        usd_rate: Num(currency.usd),
        rate_as_of: catalog.str(currency.as_of),
    })
}

/// The prices of the tiers that are not quoted.
fn other_prices<'a>(
    catalog: &Catalog<'a>,
    likely: Option<&LikelyPrices>,
    found: &Match,
) -> Vec<PriceOut<'a>> {
    let offer = catalog.offer(found.offer);
    if catalog.provider(offer.provider).sells == Sells::InstanceTypes {
        return Vec::new();
    }
    let quoted = [found.on_demand, found.spot].map(|quote| quote.map(|q| q.price));
    let prices = catalog
        .prices(&offer)
        .iter()
        .enumerate()
        .map(|(at, row)| (offer.prices.start + at as u32, row));
    prices
        .filter(|(at, row)| {
            !quoted.contains(&Some(*at))
                && row.count.is_none_or(|count| count == found.count)
                && likely.is_none_or(|likely| !likely.is_too_old(catalog, row))
        })
        .map(|(at, row)| PriceOut {
            capacity_type: Some(row.capacity),
            ..price(
                catalog,
                likely,
                found,
                quote(catalog, likely, &offer, &row, at, found.count),
            )
        })
        .collect()
}

/// Converts an alternative to its contract form, with the total of all its machines for a number of hours.
pub fn nearest<'a>(
    catalog: &Catalog<'a>,
    request: &Request,
    hours: Option<Num>,
    wanted: &[BoundChoice],
    nearest: &Nearest,
) -> NearestOut<'a> {
    let spec = spec_of(wanted, nearest.found.choice);
    let found = &nearest.found;
    let likely = request.likely.as_ref();
    let mut offer = offer(catalog, likely, &spec, found, |_| true, false);
    offer.add_total(catalog, found, request.capacity_filter, hours);
    let machines = f64::from(nearest.nodes);
    offer.usd_total = offer
        .usd_total
        .and_then(|usd| Usd::from_decimal(usd.0 * machines))
        .map(|usd| Num(usd.decimal()));
    NearestOut {
        relation: nearest.relation,
        nodes: (nearest.relation == Relation::MultiNode).then_some(nearest.nodes),
        offer,
    }
}

#[cfg(test)]
mod tests {
    use sky_accel_core::catalog::{Availability, Status};
    use sky_accel_core::resolve::CapacityFilter;

    use crate::{Engine, OfferFilter, ResolveRequest};

    fn offers(spec: &str, provider: &str) -> Vec<super::OfferOut<'static>> {
        let request = ResolveRequest {
            specs: vec![spec.into()],
            offers: OfferFilter {
                providers: vec![provider.to_owned()],
                ..OfferFilter::default()
            },
            ..ResolveRequest::default()
        };
        Engine::embedded()
            .resolve(&request)
            .unwrap()
            .envelope
            .results
    }

    #[test]
    fn the_exact_spec_of_an_offer_finds_the_offer_again() {
        let offer = &offers("H100:x8", "aws")[0];
        let found = offers(&offer.exact_spec(), "aws");
        assert!(
            found
                .iter()
                .any(|other| other.instance_type == offer.instance_type)
        );
    }

    #[test]
    fn no_price_is_older_than_the_maximum_age() {
        let ages = |max_age_s| {
            let request = ResolveRequest {
                specs: vec!["nvidia".into()],
                offers: OfferFilter {
                    max_age_s,
                    ..OfferFilter::default()
                },
                ..ResolveRequest::default()
            };
            let answer = Engine::embedded().resolve(&request).unwrap();
            let offers = answer.envelope.results.into_iter();
            let prices = offers.flat_map(|offer| offer.other_prices);
            prices
                .filter_map(|price| price.age_days)
                .collect::<Vec<_>>()
        };
        let all = ages(None);
        let middle = (all.iter().min().unwrap() + all.iter().max().unwrap()) / 2;
        let young = ages(u64::try_from(middle).ok().map(|days| days * 86_400));
        assert!(
            !young.is_empty() && young.iter().all(|days| *days <= middle),
            "{middle}"
        );
    }

    #[test]
    fn retired_and_sold_out_offers_cannot_be_rented() {
        let mut offer = offers("H100:x8", "aws").swap_remove(0);
        offer.status = Status::Offered;
        assert!(offer.can_be_rented());
        offer.availability = Availability::Unavailable;
        assert!(!offer.can_be_rented());
        offer.availability = Availability::Unknown;
        offer.status = Status::Retired;
        assert!(!offer.can_be_rented());
    }

    #[test]
    fn the_leading_price_follows_the_capacity_type() {
        let mut offer = offers("H100:x8", "aws").swap_remove(0);
        let price = offer.on_demand.clone().or(offer.spot.clone()).unwrap();
        let priced = |usd: f64| {
            let mut price = price.clone();
            (price.usd_per_hour, price.likely_usd_per_hour) = (super::Num(usd), super::Num(usd));
            Some(price)
        };
        (offer.on_demand, offer.spot) = (priced(9.0), priced(3.0));
        let leading = |filter| {
            offer
                .ranking_quote(filter)
                .map(|price| price.usd_per_hour.0)
        };
        assert_eq!(leading(CapacityFilter::OnDemand), Some(9.0));
        assert_eq!(leading(CapacityFilter::Spot), Some(3.0));
        assert_eq!(leading(CapacityFilter::Any), Some(3.0));
    }
}
