//! Offers with their prices, and the account of how an answer found them.

use serde::Serialize;
use sky_accel_core::bind::Wanted;
use sky_accel_core::catalog::{
    Availability, CapacityType, Catalog, Fabric, OfferKind, Price, PriceKind, Quality, Sells,
    Statistic, Status, Table,
};
use sky_accel_core::mig::{ProfileRef, find_profile, parse_profile};
use sky_accel_core::money::Usd;
use sky_accel_core::resolve::{
    Answer, CapacityFilter, DropCode, FunnelStep, Match, Nearest, Quote, Reason, Relation, Stage,
    total_price,
};
use sky_accel_core::text::number;

use super::{Num, PlacementOut};
use crate::group::GroupOut;

/// The price of an offer in one region.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RegionPriceOut<'a> {
    /// The provider's id of the region. Missing where the price holds in every region.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<&'a str>,
    /// US dollars per hour for the whole offer.
    pub usd_per_hour: Num,
}

/// The network between machines of one type.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NetworkOut<'a> {
    /// What it is: `efa`, `infiniband`, `roce` or `gpudirect-tcpx`.
    pub kind: Fabric,
    /// The rate of a whole machine in Gbit/s, in one direction.
    pub gbit_per_s: Num,
    /// The source of the facts.
    pub source: &'a str,
    /// The date of the facts: a day, a month or a year.
    pub as_of: &'a str,
}

/// A machine, or a number of devices, that a provider rents out.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OfferOut<'a> {
    /// The choice of the spec that the offer fulfils, in canonical form.
    pub spec: String,
    /// The id of the provider.
    pub provider: &'a str,
    /// The provider's own id: an instance type, a GPU type id, or a marketplace's GPU name.
    pub instance_type: &'a str,
    /// The thing that is rented: `machine`, `attached` (accelerators for a host with a price of its own),
    /// `container`, `slice` (of a pod) or `share` (of an accelerator).
    pub sells: OfferKind,
    /// The id of the provider if it is a broker, which resells what others own: its offers are no
    /// further supply. Missing otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broker: Option<&'a str>,
    /// The provider whose machine it is, where another one sells it. Missing otherwise, and where a
    /// broker does not say.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upstream: Option<&'a str>,
    /// The number of hosts of a slice of a pod. Missing for anything else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hosts: Option<u16>,
    /// The topology of a slice of a pod, such as `2x2x1`. Missing for anything else.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topology: Option<&'a str>,
    /// The network that joins several of these machines. Missing where none is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<NetworkOut<'a>>,
    /// The provider's display name. Missing where it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_name: Option<&'a str>,
    /// The catalog's id of the accelerator.
    pub accelerator: &'a str,
    /// The number of accelerators; a fraction where a part of one is sold.
    pub count: Num,
    /// Memory per device in decimal GB, as the vendor sells it; `null` when unknown.
    pub memory_gb: Option<Num>,
    /// Memory per device in MiB, as the provider or the driver reports it; `null` when unknown.
    pub memory_mib: Option<Num>,
    /// Memory of all devices together in decimal GB; `null` when unknown.
    pub total_memory_gb: Option<Num>,
    /// vCPUs of the whole offer; `null` when unknown.
    pub vcpu: Option<Num>,
    /// Host memory of the whole offer in GiB; `null` when unknown.
    pub host_memory_gib: Option<Num>,
    /// The CPU architecture of the host, such as `x86_64` or `arm64`; `null` when unknown.
    pub host_arch: Option<&'a str>,
    /// The machine that the accelerators are attached to, which has a price of its own: of the usual
    /// family the smallest size with four vCPUs for each accelerator, as far as that is allowed. Missing
    /// unless `sells` is `attached`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub host: Option<HostOut<'a>>,
    /// The regions where the offer is sold, limited to those of the request; `null` when they are
    /// not known.
    pub regions: Option<Vec<&'a str>>,
    /// The on-demand price; `null` when the offer is not sold on demand or the price is unknown.
    pub on_demand: Option<PriceOut<'a>>,
    /// The spot price; `null` when the offer is not sold as spot or the price is unknown.
    pub spot: Option<PriceOut<'a>>,
    /// The currency of the on-demand price or, without one, of the spot price. Missing where that is
    /// in US dollars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub currency: Option<CurrencyOut<'a>>,
    /// Prices of the provider's other tiers; missing when there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub other_prices: Vec<PriceOut<'a>>,
    /// `available`, `limited`, `unavailable` or `unknown`. Offline answers are always `unknown`.
    pub availability: Availability,
    /// `offered`, `spot-only` (not sold on demand), `reserved-only`, `preview`, `unlisted` (priced, but
    /// not documented by the provider), `stale` (from an old list) or `retired`.
    pub status: Status,
    /// A remark on the status. Missing where there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status_note: Option<&'a str>,
    /// The MIG profile, where the provider sells a ready-made slice as a device. Missing otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mig_profile: Option<&'a str>,
    /// The MIG slices of the spec on this machine. Missing where the spec has no slices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mig: Option<MigOut>,
    /// Stable codes for the properties of the match that deserve attention; missing when there are
    /// none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<Reason>,
    /// The number of marketplace machines behind the offer. Only live answers of marketplaces have
    /// it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub machines: Option<u32>,
    /// With `--map`: the price in each region, the cheapest first. Missing otherwise.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub region_prices: Vec<RegionPriceOut<'a>>,
    /// With `--spot-scores`: the spot placement score of each region. Missing otherwise.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub spot_placement_scores: Vec<SpotScoreOut>,
    /// With `--capacity-blocks`: the capacity blocks on sale, the cheapest first. Missing
    /// otherwise.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub capacity_blocks: Vec<CapacityBlockOut>,
    /// With `--check-quota`: the limits of the account that apply. Missing otherwise.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub quotas: Vec<QuotaOut>,
    /// With `group_by`: the offers that this one, the best of them, stands for. Missing otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub group: Option<GroupOut>,
    /// The source of the instance type's own facts; each price has its own source.
    pub source: &'a str,
    /// The date of the instance type's own facts.
    pub as_of: &'a str,
    /// True if an overlay may have changed the offer. Not serialized.
    #[serde(skip)]
    pub(crate) may_be_overlaid: bool,
}

/// The likelihood that a provider can fulfil a spot request in a region.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SpotScoreOut {
    /// The provider's id of the region.
    pub region: String,
    /// The provider's score, from 1 (unlikely) to 10 (likely).
    pub score: u8,
}

/// A block of capacity that can be reserved in advance.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CapacityBlockOut {
    /// The provider's id of the region.
    pub region: String,
    /// The availability zone; `null` when the provider does not name one.
    pub zone: Option<String>,
    /// The start of the block, as the provider writes it; `null` when it is not given.
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

/// The account's limit for the pool that an instance type belongs to.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct QuotaOut {
    /// The provider's id of the region.
    pub region: String,
    /// `on-demand` or `spot`.
    pub capacity_type: CapacityType,
    /// The provider's code of the quota.
    pub code: String,
    /// The provider's name of the quota; `null` when it has none.
    pub name: Option<String>,
    /// The limit in vCPUs for the whole pool.
    pub limit_vcpu: Num,
    /// The vCPUs that one machine takes; `null` when unknown.
    pub needed_vcpu: Option<Num>,
    /// True if the limit admits one machine while nothing else of the pool runs; `null` when the
    /// vCPUs of the machine are unknown.
    pub allows: Option<bool>,
}

/// MIG slices on a machine.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MigOut {
    /// The number of GPUs that the slices take.
    pub gpus_needed: u32,
    /// The position of each slice; empty where the placement is not known.
    pub placements: Vec<PlacementOut>,
}

/// A machine that accelerators are attached to.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct HostOut<'a> {
    /// The provider's own id, such as `n1-standard-4`.
    pub instance_type: String,
    /// The vCPUs.
    pub vcpu: Num,
    /// The memory in GiB.
    pub host_memory_gib: Num,
    /// The most vCPUs that so many accelerators may be attached to; `null` when it is unknown.
    pub max_vcpu: Option<Num>,
    /// The most memory in GB that they may be attached to; `null` when it is unknown.
    pub max_host_memory_gb: Option<Num>,
    /// The region of the prices: that of the offer's price, or the cheapest where that names none. `null`
    /// where no price is known.
    pub region: Option<&'a str>,
    /// US dollars per hour for the host, on demand; `null` when the price is unknown.
    pub usd_per_hour: Option<Num>,
    /// US dollars per hour for the host as spot; `null` when the price is unknown.
    pub spot_usd_per_hour: Option<Num>,
    /// The source of the host's prices.
    pub source: &'a str,
    /// The date of the host's prices: a day, a month or a year.
    pub as_of: &'a str,
}

/// The currency that a provider charges, where it is not the US dollar.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CurrencyOut<'a> {
    /// The ISO 4217 code, such as `EUR`.
    pub code: &'a str,
    /// The price per hour for the whole offer in this currency.
    pub per_hour: Num,
    /// The US dollars for one unit, by which `usd_per_hour` was computed.
    pub usd_rate: Num,
    /// The date of the rate.
    pub rate_as_of: &'a str,
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
    /// The provider's id of the region. Missing where the price holds in every region.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<&'a str>,
    /// The availability zone of a live spot price. Missing otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<&'a str>,
    /// The id under which a marketplace rents exactly this machine. It is valid until the machine
    /// is rented.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offer_id: Option<&'a str>,
    /// The availability at this price. Missing where it is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub availability: Option<Availability>,
    /// The provider's name of the price tier. Missing where the provider has no tiers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tier: Option<&'a str>,
    /// `list`, `live`, `snapshot` or `estimate`.
    pub kind: PriceKind,
    /// How good the price is: `provider` (its own list or answer), `aggregator` (a list that somebody
    /// else keeps), `documentation` (the figure of a documentation or an article) or `pattern` (it
    /// follows from others).
    pub quality: Quality,
    /// The amount that the provider charges, where that is not US dollars. Missing otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub currency: Option<CurrencyOut<'a>>,
    /// The zones that the price stands for: `lowest-zone` or `median-zone`. Missing where prices do
    /// not differ between zones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statistic: Option<Statistic>,
    /// The published rate at which spot capacity is reclaimed. Missing where it is not a spot price
    /// or no rate is published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interruption_rate: Option<&'a str>,
    /// The date of the price. Catalog prices have a day, a month or a year, as precisely as it is
    /// known; live prices have a second in UTC.
    pub as_of: &'a str,
    /// The source of the price, usually an address.
    pub source: &'a str,
}

/// One step of the funnel: a condition, and the number of offers that remain after it.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FunnelOut {
    /// The choice of the spec that the step belongs to, in canonical form.
    pub spec: String,
    /// The condition.
    pub stage: Stage,
    /// The condition in words.
    pub label: String,
    /// The number of offers that fulfil this condition and all earlier ones.
    pub remaining: usize,
}

/// An alternative: an offer that fulfils the spec except for one relaxed condition.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NearestOut<'a> {
    /// The difference from the request.
    pub relation: Relation,
    /// The number of machines that are needed together. Present only for `multi-node`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u32>,
    /// The offer itself.
    #[serde(flatten)]
    pub offer: OfferOut<'a>,
}

/// The verdict on one offer that was considered.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplainOut<'a> {
    /// The choice of the spec that the offer was judged by, in canonical form.
    pub spec: String,
    /// The id of the provider.
    pub provider: &'a str,
    /// The provider's own id: an instance type, a GPU type id, or a marketplace's GPU name.
    pub instance_type: &'a str,
    /// The catalog's id of the accelerator.
    pub accelerator: &'a str,
    /// The number of accelerators; `null` where any number can be rented.
    pub count: Option<Num>,
    /// True if the offer matches.
    pub kept: bool,
    /// `exact`, or the stable code of the condition that failed first.
    pub code: &'static str,
    /// The meaning of the code.
    pub message: &'static str,
}

impl<'a> OfferOut<'a> {
    /// The price that ranks the offer: the better one of what the filter admits, one that can be
    /// had before one that is out of stock. `None` when it has no such price.
    pub fn leading(&self, capacity_filter: CapacityFilter) -> Option<&PriceOut<'a>> {
        let (on_demand, spot) = (self.on_demand.as_ref(), self.spot.as_ref());
        capacity_filter.leading(on_demand, spot, |price| {
            let is_out = price.availability == Some(Availability::Unavailable);
            (is_out, price.usd_per_hour)
        })
    }

    /// Whether it can be rented as far as is known: it is neither retired nor out of stock.
    pub fn can_be_rented(&self) -> bool {
        self.status != Status::Retired && self.availability != Availability::Unavailable
    }

    /// A spec that stands for the hardware of this offer alone, such as `A100-80GB-SXM:x8`.
    pub fn exact_spec(&self) -> String {
        match self.mig_profile {
            Some(profile) => format!("{}:mig={profile}", self.accelerator),
            None => format!("{}:x{}", self.accelerator, number(self.count.0)),
        }
    }

    /// Whether it is unknown if the provider sells this in a region that was asked for.
    pub fn is_region_unverified(&self) -> bool {
        self.reasons.contains(&Reason::RegionUnverified)
    }
}

/// The contract form of a match.
///
/// `spec` is the canonical form of the choice that it fulfils, `is_asked` selects the regions to
/// list, and `mig` adds the number of GPUs that the spec's MIG slices take.
pub fn offer<'a>(
    catalog: &Catalog<'a>,
    spec: &str,
    found: &Match,
    is_asked: impl Fn(sky_accel_core::catalog::RegionId) -> bool,
    mig: bool,
) -> OfferOut<'a> {
    let row = catalog.offer(found.offer);
    let accelerator = catalog.accelerator(found.accelerator);
    let count = found.count.decimal();
    let vcpu_factor = if row.vcpu_per_accelerator { count } else { 1.0 };
    let provider = catalog.provider(row.provider);
    // Of a marketplace, the regions where the price was seen.
    let seen = || Some(catalog.price(found.on_demand?.price).seen_in);
    let regions = Some(row.regions)
        .filter(|regions| regions.len > 0)
        .or_else(|| seen().filter(|seen| seen.len > 0));
    let regions = match regions {
        Some(regions) => Some(catalog.regions(regions)),
        None => (row.status == Status::Retired).then(Table::default),
    };
    let slice = slice_memory(catalog, found);
    let memory_gb = slice.map_or(accelerator.memory_gb, |(gb, _)| Some(gb));
    let reported = row
        .memory_mib
        .or(accelerator.memory_mib)
        .or(accelerator.memory_mib_ec2);
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
        accelerator: catalog.str(accelerator.id),
        count: Num(count),
        memory_gb: memory_gb.map(Num),
        memory_mib: slice.map_or(reported, |(_, mib)| mib).map(Num),
        total_memory_gb: memory_gb.map(|gb| Num(gb * count)),
        vcpu: row.vcpu.map(|n| Num(n * vcpu_factor)),
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
        on_demand: found.on_demand.map(|quote| price(catalog, found, quote)),
        spot: found.spot.map(|quote| price(catalog, found, quote)),
        other_prices: other_prices(catalog, found),
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
        group: None,
        source: catalog.str(row.source),
        as_of: catalog.str(row.as_of),
        may_be_overlaid: catalog.may_be_overlaid(found.offer),
    }
}

/// The host of accelerators that are attached to one, with its prices where theirs is.
fn host<'a>(catalog: &Catalog<'a>, found: &Match) -> Option<HostOut<'a>> {
    let row = catalog.offer(found.offer);
    let host = catalog.host_of(&row, found.accelerator, found.count)?;
    let vcpu = f64::from(host.vcpu);
    let region = found
        .on_demand
        .or(found.spot)
        .and_then(|quote| quote.region);
    let mut prices = catalog.host_prices.run(host.family.prices).iter();
    let price = match region {
        Some(id) => prices.find(|price| price.region == id),
        None => prices.min_by_key(|price| price.usd_per_vcpu),
    };
    let region = region.or(price.map(|price| price.region));
    // Rounded as prices are: to a millionth of a dollar.
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

/// The memory of a ready-made MIG slice: as its name says, and as listed in MiB.
fn slice_memory(catalog: &Catalog<'_>, found: &Match) -> Option<(f64, Option<f64>)> {
    let name = parse_profile(catalog.text(catalog.offer(found.offer).mig_profile)?)?;
    let geometry = catalog.geometry(&catalog.accelerator(found.accelerator));
    let profile = geometry.and_then(|g| find_profile(catalog, &g, ProfileRef::Name(name)));
    let mib = profile
        .and_then(|(profile, _)| profile.memory_mib)
        .map(f64::from);
    Some((f64::from(name.gb), mib))
}

fn price<'a>(catalog: &Catalog<'a>, found: &Match, quote: Quote) -> PriceOut<'a> {
    let row = catalog.price(quote.price);
    let offer = catalog.offer(found.offer);
    let mut tiers = catalog.strings(catalog.provider(offer.provider).tiers);
    PriceOut {
        capacity_type: None,
        usd_per_hour: Num(quote.usd.decimal()),
        usd_per_accelerator_hour: Num(quote.usd.per(found.count).decimal()),
        region: quote.region.map(|region| catalog.region_id(region)),
        zone: catalog.text(row.zone),
        offer_id: catalog.text(row.listing),
        availability: (row.availability != Availability::Unknown).then_some(row.availability),
        tier: tiers.nth(row.tier as usize),
        kind: row.kind,
        quality: row.quality,
        currency: currency(catalog, found, quote),
        statistic: row.statistic,
        interruption_rate: catalog
            .text(offer.interruption_rate)
            .filter(|_| row.capacity == CapacityType::Spot),
        as_of: catalog.str(row.as_of),
        source: catalog.str(row.source),
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
        per_hour: Num(total_price(&charged, found.count).decimal()),
        usd_rate: Num(currency.usd),
        rate_as_of: catalog.str(currency.as_of),
    })
}

/// The prices of the tiers that are not quoted.
fn other_prices<'a>(catalog: &Catalog<'a>, found: &Match) -> Vec<PriceOut<'a>> {
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
            !quoted.contains(&Some(*at)) && row.count.is_none_or(|count| count == found.count)
        })
        .map(|(at, row)| {
            let quote = Quote {
                price: at,
                usd: total_price(&row, found.count),
                region: row.region,
                availability: row.availability,
            };
            PriceOut {
                capacity_type: Some(row.capacity),
                ..price(catalog, found, quote)
            }
        })
        .collect()
}

/// The contract form of an alternative.
pub fn nearest<'a>(catalog: &Catalog<'a>, wanted: &[Wanted], nearest: &Nearest) -> NearestOut<'a> {
    let spec = spec_of(wanted, nearest.found.choice);
    let is_multi_node = nearest.relation == Relation::MultiNode;
    NearestOut {
        relation: nearest.relation,
        nodes: is_multi_node.then_some(nearest.nodes),
        offer: offer(catalog, &spec, &nearest.found, |_| true, false),
    }
}

/// The contract form of an answer's funnel.
pub fn funnel(wanted: &[Wanted], answer: &Answer) -> Vec<FunnelOut> {
    let step = |step: &FunnelStep| FunnelOut {
        spec: spec_of(wanted, step.choice),
        stage: step.stage,
        label: step.label.clone(),
        remaining: step.remaining,
    };
    answer.funnel.iter().map(step).collect()
}

fn spec_of(wanted: &[Wanted], choice: usize) -> String {
    wanted
        .get(choice)
        .map(|w| w.spec.clone())
        .unwrap_or_default()
}

/// The contract form of an answer's verdicts.
pub fn explain<'a>(
    catalog: &Catalog<'a>,
    wanted: &[Wanted],
    answer: &Answer,
) -> Vec<ExplainOut<'a>> {
    let verdict = |considered: &sky_accel_core::resolve::Considered| {
        let row = catalog.offer(considered.offer);
        ExplainOut {
            spec: spec_of(wanted, considered.choice),
            provider: catalog.provider_id(row.provider),
            instance_type: catalog.str(row.id),
            accelerator: catalog.accelerator_id(considered.accelerator),
            count: considered.count.map(|count| Num(count.decimal())),
            kept: considered.dropped.is_none(),
            code: considered.dropped.map_or("exact", DropCode::word),
            message: considered.dropped.map_or("matches", |code| code.meaning()),
        }
    };
    answer.considered.iter().map(verdict).collect()
}
