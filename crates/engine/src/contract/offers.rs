//! What is rented: offers with their prices, and how an answer came to them.

use serde::Serialize;
use sky_accel_core::bind::Wanted;
use sky_accel_core::catalog::{
    Availability, CapacityType, Catalog, PriceKind, Sells, Statistic, Status,
};
use sky_accel_core::mig::{ProfileRef, find_profile, parse_profile};
use sky_accel_core::resolve::{
    Answer, CapacityFilter, FunnelStep, Match, Nearest, Quote, Relation, total_price,
};

use super::{Num, PlacementOut};

/// A price of a region.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RegionPriceOut<'a> {
    /// Missing where the price holds anywhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<&'a str>,
    pub usd_per_hour: Num,
}

/// A machine of a provider.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OfferOut<'a> {
    /// The choice that it fulfils, in canonical form.
    pub spec: String,
    pub provider: &'a str,
    /// The provider's own id: instance type, GPU type id, or marketplace GPU name.
    pub instance_type: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub display_name: Option<&'a str>,
    pub accelerator: &'a str,
    /// Devices; a fraction where part of one is sold.
    pub count: Num,
    /// Per device, as the vendor sells it.
    pub memory_gb: Option<Num>,
    /// Per device, as the provider or the driver reports it.
    pub memory_mib: Option<Num>,
    pub total_memory_gb: Option<Num>,
    pub vcpu: Option<Num>,
    pub host_memory_gib: Option<Num>,
    pub host_arch: Option<&'a str>,
    /// Where it is sold; only those asked for, when a region was asked for.
    pub regions: Option<Vec<&'a str>>,
    pub on_demand: Option<PriceOut<'a>>,
    pub spot: Option<PriceOut<'a>>,
    /// Prices of the provider's other tiers.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub other_prices: Vec<PriceOut<'a>>,
    /// `available`, `limited`, `unavailable` or `unknown`; only live answers know.
    pub availability: Availability,
    /// `offered`, `reserved-only` or `retired`.
    pub status: Status,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status_note: Option<&'a str>,
    /// The slice, where the provider sells a ready-made MIG slice as a device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mig_profile: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mig: Option<MigOut>,
    /// What to know about it: stable codes.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<&'static str>,
    /// Machines of a marketplace behind the offer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub machines: Option<u32>,
    /// With `--map`: what it costs in each region, the cheapest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub region_prices: Vec<RegionPriceOut<'a>>,
    /// With `--spot-scores`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub spot_placement_scores: Vec<SpotScoreOut>,
    /// With `--capacity-blocks`, cheapest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub capacity_blocks: Vec<CapacityBlockOut>,
    /// With `--check-quota`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub quotas: Vec<QuotaOut>,
    /// Source and date of the type itself.
    pub source: &'a str,
    pub as_of: &'a str,
}

/// How likely spot capacity is.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SpotScoreOut {
    pub region: String,
    /// From 1 to 10.
    pub score: u8,
}

/// A reserved block of capacity.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CapacityBlockOut {
    pub region: String,
    pub zone: Option<String>,
    pub starts_at: Option<String>,
    pub hours: u32,
    pub machines: u32,
    /// For all machines and hours, paid at once.
    pub upfront_usd: Num,
    pub usd_per_hour: Num,
}

/// The account's limit for the pool of an instance type.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct QuotaOut {
    pub region: String,
    /// `on-demand` or `spot`.
    pub capacity_type: CapacityType,
    pub code: String,
    pub name: Option<String>,
    pub limit_vcpu: Num,
    pub needed_vcpu: Option<Num>,
    /// Whether one machine is within the limit, when nothing else of the pool runs.
    pub allows: Option<bool>,
}

/// MIG slices on this machine.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MigOut {
    /// GPUs that the slices take.
    pub gpus_needed: u32,
    /// Where each slice goes.
    pub placements: Vec<PlacementOut>,
}

/// A price in US dollars.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PriceOut<'a> {
    /// Only among `other_prices`: `on-demand` or `spot`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capacity_type: Option<CapacityType>,
    /// For the whole machine.
    pub usd_per_hour: Num,
    pub usd_per_accelerator_hour: Num,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<&'a str>,
    /// The availability zone of a live spot price.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub zone: Option<&'a str>,
    /// The id under which a marketplace rents exactly this machine; it lives until it is rented.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offer_id: Option<&'a str>,
    /// Whether it can be had at this price now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub availability: Option<Availability>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tier: Option<&'a str>,
    /// `list`, `live`, `snapshot` or `estimate`.
    pub kind: PriceKind,
    /// Of which zones: `lowest-zone` or `median-zone`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statistic: Option<Statistic>,
    /// How often spot capacity is taken back, as published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interruption_rate: Option<&'a str>,
    /// A day, a month or a year, as exactly as it is known; a second in UTC when it is live.
    pub as_of: &'a str,
    pub source: &'a str,
}

/// One step of the funnel.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FunnelOut {
    /// The choice that it is of, in canonical form.
    pub spec: String,
    pub stage: &'static str,
    pub label: String,
    pub remaining: usize,
}

/// An alternative.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NearestOut<'a> {
    /// `larger`, `smaller`, `other-region`, `other-memory`, `multi-node`, `other-variant`,
    /// `other-provider`, `other-capacity-type`, `higher-price` or `other-accelerator`.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["larger", "smaller", "other-region", "other-memory", "multi-node", "other-variant", "other-provider", "other-capacity-type", "higher-price", "other-accelerator"])))]
    pub relation: &'static str,
    /// Machines that it takes together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u32>,
    #[serde(flatten)]
    pub offer: OfferOut<'a>,
}

/// A verdict.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplainOut<'a> {
    /// The choice that it is of, in canonical form.
    pub spec: String,
    pub provider: &'a str,
    pub instance_type: &'a str,
    pub accelerator: &'a str,
    pub count: Option<Num>,
    pub kept: bool,
    /// `exact`, or why it was dropped.
    pub code: &'static str,
    pub message: &'static str,
}

/// A match as it is printed. `regions` says which of its regions were asked for.
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
    let times = |per_accelerator: bool| if per_accelerator { count } else { 1.0 };
    let provider = catalog.provider(row.provider);
    let regions = catalog.regions(row.regions);
    let seen = found
        .on_demand
        .map(|quote| catalog.regions(catalog.prices[quote.price as usize].seen_in));
    let known = match (regions, seen) {
        ([], Some([]) | None) if row.status == Status::Retired => Some(Vec::new()),
        ([], Some([]) | None) => None,
        ([], Some(seen)) => Some(seen.to_vec()),
        (regions, _) => Some(regions.to_vec()),
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
        display_name: catalog.text(row.display_name),
        accelerator: catalog.str(accelerator.id),
        count: Num(count),
        memory_gb: memory_gb.map(Num),
        memory_mib: slice.map_or(reported, |(_, mib)| mib).map(Num),
        total_memory_gb: memory_gb.map(|gb| Num(gb * count)),
        vcpu: row.vcpu.map(|n| Num(n * times(row.vcpu_per_accelerator))),
        host_memory_gib: row
            .host_memory_gib
            .map(|n| Num(n * times(row.host_memory_per_accelerator))),
        host_arch: catalog.text(row.host_arch),
        regions: known.map(|ids| {
            ids.into_iter()
                .filter(|id| is_asked(*id))
                .map(|id| catalog.region_id(id))
                .collect()
        }),
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
        reasons: found.reasons.iter().map(|reason| reason.code()).collect(),
        machines: None,
        region_prices: Vec::new(),
        spot_placement_scores: Vec::new(),
        capacity_blocks: Vec::new(),
        quotas: Vec::new(),
        source: catalog.str(row.source),
        as_of: catalog.str(row.as_of),
    }
}

/// The memory of a ready-made MIG slice: as its name says, and as listed in MiB.
fn slice_memory(catalog: &Catalog<'_>, found: &Match) -> Option<(f64, Option<f64>)> {
    let name = parse_profile(catalog.text(catalog.offer(found.offer).mig_profile)?)?;
    let geometry = catalog.geometry(catalog.accelerator(found.accelerator));
    let profile = geometry.and_then(|g| find_profile(catalog, g, ProfileRef::Name(name)));
    let mib = profile
        .and_then(|(profile, _)| profile.memory_mib)
        .map(f64::from);
    Some((f64::from(name.gb), mib))
}

fn price<'a>(catalog: &Catalog<'a>, found: &Match, quote: Quote) -> PriceOut<'a> {
    let row = &catalog.prices[quote.price as usize];
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
        statistic: row.statistic,
        interruption_rate: catalog
            .text(offer.interruption_rate)
            .filter(|_| row.capacity == CapacityType::Spot),
        as_of: catalog.str(row.as_of),
        source: catalog.str(row.source),
    }
}

/// The prices of the tiers that are not quoted.
fn other_prices<'a>(catalog: &Catalog<'a>, found: &Match) -> Vec<PriceOut<'a>> {
    let offer = catalog.offer(found.offer);
    if catalog.provider(offer.provider).sells == Sells::InstanceTypes {
        return Vec::new();
    }
    let quoted = [found.on_demand, found.spot].map(|quote| quote.map(|q| q.price));
    let prices = catalog
        .prices(offer)
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
                usd: total_price(row, found.count),
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

/// An alternative as it is printed.
pub fn nearest<'a>(catalog: &Catalog<'a>, wanted: &[Wanted], nearest: &Nearest) -> NearestOut<'a> {
    let spec = spec_of(wanted, nearest.found.choice);
    let nodes = match nearest.relation {
        Relation::MultiNode { nodes } => Some(nodes),
        _ => None,
    };
    NearestOut {
        relation: nearest.relation.code(),
        nodes,
        offer: offer(catalog, &spec, &nearest.found, |_| true, false),
    }
}

/// The funnel of an answer as it is printed.
pub fn funnel(wanted: &[Wanted], answer: &Answer) -> Vec<FunnelOut> {
    let step = |step: &FunnelStep| FunnelOut {
        spec: spec_of(wanted, step.choice),
        stage: step.stage.code(),
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

/// The verdicts of an answer as they are printed.
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
            code: considered.dropped.map_or("exact", |code| code.code()),
            message: considered.dropped.map_or("matches", |code| code.meaning()),
        }
    };
    answer.considered.iter().map(verdict).collect()
}
