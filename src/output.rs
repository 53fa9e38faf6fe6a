//! The JSON contract: what every command prints, as types.
//!
//! These are not the core's types: renaming something inside must not change what scripts read.
//! A field that does not apply is missing; one that is not known is `null`.

use std::collections::BTreeMap;

use serde::{Serialize, Serializer};
use sky_accel_core::bind::Wanted;
use sky_accel_core::catalog::{
    Accelerator, AcceleratorId, Availability, CapacityType, Catalog, Geometry, PriceKind, Profile,
    Sells, Sharing, Statistic, Status, Str,
};
use sky_accel_core::mig::{Chip, Gpu, ProfileRef, Slice, find_profile, parse_profile};
use sky_accel_core::note::Note;
use sky_accel_core::resolve::{
    Answer, Buying, FunnelStep, Match, Nearest, Quote, Relation, total_price,
};
use sky_accel_core::text::printable;

/// A figure: whole ones print without a fraction.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(transparent)
)]
pub struct Num(pub f64);

impl Serialize for Num {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.fract() == 0.0 && self.0.abs() < 1e15 {
            serializer.serialize_i64(self.0 as i64)
        } else {
            serializer.serialize_f64((self.0 * 1e6).round() / 1e6)
        }
    }
}

/// The one object on standard output.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Envelope<'c, Req, Res> {
    /// `sky-accel.<command>.v1`.
    pub schema: &'static str,
    pub catalog: CatalogInfo<'c>,
    /// With `--live`: how each provider answered.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub live: Vec<AnswerOut>,
    /// The request as it was understood.
    pub request: Req,
    pub results: Vec<Res>,
    /// Matches that a limit cut off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_off: Option<usize>,
    /// When nothing matches: how many offers each wish left.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub funnel: Vec<FunnelOut>,
    /// When nothing matches: what is near.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nearest: Vec<NearestOut<'c>>,
    /// With `--explain`: every candidate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explain: Option<Vec<ExplainOut<'c>>>,
    pub notes: Vec<NoteOut>,
}

impl<'c, Req, Res> Envelope<'c, Req, Res> {
    pub fn new(
        schema: &'static str,
        catalog: &Catalog<'c>,
        request: Req,
        results: Vec<Res>,
    ) -> Self {
        Self {
            schema,
            catalog: CatalogInfo {
                version: catalog.version,
                as_of: catalog.as_of,
            },
            live: Vec::new(),
            request,
            results,
            left_off: None,
            funnel: Vec::new(),
            nearest: Vec::new(),
            explain: None,
            notes: Vec::new(),
        }
    }

    #[must_use]
    pub fn with_notes(mut self, notes: impl IntoIterator<Item = Note>) -> Self {
        for note in notes {
            let note = NoteOut {
                code: note.code.to_owned(),
                message: printable(&note.message),
            };
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
        self
    }
}

/// Which catalog answered.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CatalogInfo<'c> {
    pub version: &'c str,
    /// Day of the newest fact.
    pub as_of: &'c str,
}

/// How a provider answered.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AnswerOut {
    pub provider: String,
    /// `live`, `cache`, `catalog` (it has no known API) or `failed`.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["live", "cache", "catalog", "failed"])))]
    pub source: &'static str,
    /// When the oldest price of the answer was fetched, in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub as_of: Option<String>,
    /// Seconds since then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub age_s: Option<i64>,
    /// When the oldest list of instance types and regions was fetched, where those are kept for
    /// longer than prices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub types_as_of: Option<String>,
    /// Whether every part of it was answered.
    pub complete: bool,
    /// What went wrong.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<NoteOut>,
}

/// A remark.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NoteOut {
    pub code: String,
    pub message: String,
}

/// A failure, on standard error.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ErrorEnvelope {
    /// `sky-accel.error.v1`.
    pub schema: &'static str,
    /// The first thing that is wrong.
    pub error: ErrorOut,
    /// The others, when several things are.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub more: Vec<ErrorOut>,
}

/// One thing that is wrong.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ErrorOut {
    /// Stable, dotted.
    pub code: String,
    pub message: String,
    /// What could have been meant, or what to do.
    pub hints: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<SpanOut>,
    /// `file:line:column`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
}

/// Where in the text it is, in bytes from 0; `end` is behind the last one.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SpanOut {
    pub start: usize,
    pub end: usize,
}

/// What is asked of offers.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ResolveRequest {
    /// Canonical form.
    pub specs: Vec<String>,
    #[serde(flatten)]
    pub offers: OfferRequest,
    pub at_least: bool,
    /// `price`, `price-per-gpu`, `price-per-gb` or `price-per-tflop`.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["price", "price-per-gpu", "price-per-gb", "price-per-tflop"])))]
    pub sort: String,
    pub live: bool,
    /// GB of disk in a marketplace's prices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disk_gb: Option<u32>,
    /// Nothing older than so many seconds is used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_age_s: Option<u64>,
}

/// What narrows offers.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct OfferRequest {
    /// Empty is all.
    pub providers: Vec<String>,
    /// Empty is all.
    pub regions: Vec<String>,
    /// `on-demand`, `spot` or `any`; missing: ranked on demand, nothing left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capacity_type: Option<String>,
    /// US dollars per hour for the whole machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_price: Option<Num>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
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
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["available", "limited", "unavailable", "unknown"])))]
    pub availability: &'static str,
    /// `offered`, `reserved-only` or `retired`.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["offered", "reserved-only", "retired"])))]
    pub status: &'static str,
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
    pub capacity_type: &'static str,
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

/// A MIG instance in its place.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlacementOut {
    pub gpu_index: u32,
    pub profile: String,
    pub profile_id: Option<u16>,
    /// `null` where starts are not published.
    pub start: Option<u8>,
    pub size: Option<u8>,
    pub memory_mib: Option<u32>,
    /// Those that the instance is cut into, where it is.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub compute_instances: Vec<String>,
}

/// Every slice that is placed, GPU after GPU.
pub fn placements(chip: &Chip<'_>, gpus: &[Gpu]) -> Vec<PlacementOut> {
    let placement = |gpu: &Gpu, slice: &Slice| {
        let kind = &chip.kinds[slice.instance.kind];
        let part = |compute: &u8| format!("{compute}c.{}", kind.name);
        PlacementOut {
            gpu_index: gpu.index,
            profile: kind.name.to_owned(),
            profile_id: kind.profile.id,
            start: slice.instance.start,
            size: kind.size(),
            memory_mib: kind.profile.memory_mib,
            compute_instances: slice.parts.iter().map(part).collect(),
        }
    };
    gpus.iter()
        .flat_map(|gpu| gpu.slices.iter().map(move |slice| placement(gpu, slice)))
        .collect()
}

/// A price in US dollars.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PriceOut<'a> {
    /// Only among `other_prices`: `on-demand` or `spot`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capacity_type: Option<&'static str>,
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
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["available", "limited", "unavailable"])))]
    pub availability: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tier: Option<&'a str>,
    /// `list`, `live`, `snapshot` or `estimate`.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["list", "live", "snapshot", "estimate"])))]
    pub kind: &'static str,
    /// Of which zones: `lowest-zone` or `median-zone`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statistic: Option<&'a str>,
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

/// An accelerator, per device; rates are dense.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AcceleratorOut<'a> {
    pub id: &'a str,
    pub family: &'a str,
    pub vendor: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<&'a str>,
    pub architecture: Option<&'a str>,
    /// `datacenter`, `workstation`, `consumer`, `asic` or `media`.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["datacenter", "workstation", "consumer", "asic", "media"])))]
    pub class: &'a str,
    pub form_factor: &'a str,
    /// As the vendor sells it.
    pub memory_gb: Option<Num>,
    /// As the driver reports it.
    pub memory_mib: Option<Num>,
    pub memory_type: Option<&'a str>,
    pub memory_bandwidth_gb_s: Option<Num>,
    pub fp64_tflops: Option<Num>,
    pub fp32_tflops: Option<Num>,
    pub tf32_tflops: Option<Num>,
    pub fp16_tflops: Option<Num>,
    pub bf16_tflops: Option<Num>,
    pub fp8_tflops: Option<Num>,
    pub fp4_tflops: Option<Num>,
    pub int8_tops: Option<Num>,
    pub tdp_w: Option<Num>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compute_capability: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cuda_min: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cuda_last: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rocm_gfx: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interconnect: Option<&'a str>,
    /// Both directions together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interconnect_gb_s: Option<Num>,
    /// Whether it can be cut into MIG slices.
    pub mig: Option<bool>,
    pub release_year: Option<Num>,
    pub sdk: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_per_node: Option<Num>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<&'a str>,
    /// Who rents it out.
    pub providers: Vec<&'a str>,
    /// Names that mean only this accelerator.
    pub aliases: Vec<&'a str>,
    pub sources: Vec<&'a str>,
}

/// Everything about an accelerator.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ShowOut<'a> {
    #[serde(flatten)]
    pub accelerator: AcceleratorOut<'a>,
    /// The machines that were asked about, where a name is that of an instance type.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub instance_types: Vec<OfferOut<'a>>,
    /// Spellings by who writes them.
    pub names: BTreeMap<&'a str, Vec<&'a str>>,
    /// Figures on which documents disagree.
    pub disputed: Vec<DisputedOut<'a>>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub mig_profiles: Vec<ProfileOut<'a>>,
    /// The first driver that can cut it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mig_driver_min: Option<&'a str>,
    /// How it is shared, or joined with others, otherwise than by MIG.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sharing: Vec<SharingOut<'a>>,
    /// Generation of its PCI Express connection.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pcie_gen: Option<Num>,
    /// Who sells it: instance types as they are, any-count types for one device.
    pub offers: Vec<OfferOut<'a>>,
    /// On demand, per accelerator and hour, over what is offered.
    pub price_range: Option<PriceRangeOut>,
}

/// A way other than MIG in which an accelerator is shared, or joined with others.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SharingOut<'a> {
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["partition-mode", "vgpu", "pod-slice", "logical-cores"])))]
    pub kind: &'a str,
    pub name: &'a str,
    /// Devices that one accelerator shows as.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub devices: Option<Num>,
    /// Accelerators that it takes, where it takes several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accelerators_needed: Option<Num>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub topology: Option<&'a str>,
    /// Compute units of each device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cores: Option<Num>,
    /// Of each device.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_gb: Option<Num>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub memory_mib: Option<Num>,
    /// What switches it on, or what it is rented as.
    pub set_by: Option<&'a str>,
    pub note: Option<&'a str>,
    pub source: &'a str,
    pub as_of: &'a str,
}

/// How an accelerator is shared.
pub fn sharing<'a>(catalog: &Catalog<'a>, row: &Sharing) -> SharingOut<'a> {
    SharingOut {
        kind: catalog.str(row.kind),
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

/// A disputed figure.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DisputedOut<'a> {
    pub field: &'a str,
    /// What others print.
    pub also: &'a str,
    pub why: &'a str,
    pub source: &'a str,
    pub as_of: &'a str,
}

/// A MIG profile.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProfileOut<'a> {
    pub profile: &'a str,
    pub profile_id: Option<u16>,
    pub max_instances: u8,
    pub memory_mib: Option<u32>,
    pub compute_slices: u8,
    /// Placement units.
    pub memory_slices: Option<u8>,
    pub size: Option<u8>,
    pub starts: Vec<u8>,
    pub sm: Option<u16>,
    /// Missing where none are published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engines: Option<EnginesOut>,
    pub source: &'a str,
}

/// Fixed-function engines of an instance; `null` is not published.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EnginesOut {
    pub copy: Option<u8>,
    pub decode: Option<u8>,
    pub encode: Option<u8>,
    pub jpeg: Option<u8>,
    pub optical_flow: Option<u8>,
}

/// A profile as it is printed.
pub fn profile<'a>(catalog: &Catalog<'a>, geometry: &Geometry, row: &Profile) -> ProfileOut<'a> {
    ProfileOut {
        profile: catalog.str(row.name),
        profile_id: row.id,
        max_instances: row.max,
        memory_mib: row.memory_mib,
        compute_slices: row.compute_slices,
        memory_slices: row.size,
        size: row.size,
        starts: catalog.starts(row).to_vec(),
        sm: row.sm,
        engines: row.engines.map(|engines| EnginesOut {
            copy: engines.copy,
            decode: engines.decode,
            encode: engines.encode,
            jpeg: engines.jpeg,
            optical_flow: engines.optical_flow,
        }),
        source: catalog.str(geometry.source),
    }
}

/// A range of prices per accelerator and hour.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PriceRangeOut {
    pub low_usd_per_accelerator_hour: Num,
    pub high_usd_per_accelerator_hour: Num,
}

pub fn status(status: Status) -> &'static str {
    match status {
        Status::Offered => "offered",
        Status::ReservedOnly => "reserved-only",
        Status::Retired => "retired",
    }
}

pub fn kind(kind: PriceKind) -> &'static str {
    match kind {
        PriceKind::List => "list",
        PriceKind::Live => "live",
        PriceKind::Snapshot => "snapshot",
        PriceKind::Estimate => "estimate",
    }
}

pub fn availability(availability: Availability) -> &'static str {
    match availability {
        Availability::Unknown => "unknown",
        Availability::Available => "available",
        Availability::Limited => "limited",
        Availability::Unavailable => "unavailable",
    }
}

pub fn statistic(statistic: Statistic) -> &'static str {
    match statistic {
        Statistic::LowestZone => "lowest-zone",
        Statistic::MedianZone => "median-zone",
    }
}

pub fn capacity_type(capacity: CapacityType) -> &'static str {
    match capacity {
        CapacityType::OnDemand => "on-demand",
        CapacityType::Spot => "spot",
    }
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
        availability: availability(found.availability(Buying::default())),
        status: status(row.status),
        status_note: catalog.text(row.status_note),
        mig_profile: catalog.text(row.mig_profile),
        mig: (mig && row.mig_profile.len == 0).then_some(MigOut {
            gpus_needed: found.gpus_needed,
            placements: Vec::new(),
        }),
        reasons: found.reasons.iter().map(|reason| reason.code()).collect(),
        machines: None,
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
        availability: (row.availability != Availability::Unknown)
            .then(|| availability(row.availability)),
        tier: tiers.nth(row.tier as usize),
        kind: kind(row.kind),
        statistic: row.statistic.map(statistic),
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
                capacity_type: Some(capacity_type(row.capacity)),
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

/// An accelerator as it is printed.
pub fn accelerator<'a>(catalog: &Catalog<'a>, id: AcceleratorId) -> AcceleratorOut<'a> {
    let row: &Accelerator = catalog.accelerator(id);
    let own_id = catalog.str(row.id);
    // The pool holds every text once: equal texts have equal places.
    let mut aliases: Vec<Str> = Vec::new();
    for spelling in catalog
        .spellings_of(id)
        .iter()
        .filter(|spelling| spelling.exact)
    {
        if spelling.text != row.id && !aliases.contains(&spelling.text) {
            aliases.push(spelling.text);
        }
    }
    let num = |figure: Option<f64>| figure.map(Num);
    AcceleratorOut {
        id: own_id,
        family: catalog.str(row.family),
        vendor: catalog.str(row.vendor),
        line: catalog.text(row.line),
        architecture: catalog.text(row.architecture),
        class: catalog.str(row.class),
        form_factor: catalog.str(row.form_factor),
        memory_gb: num(row.memory_gb),
        memory_mib: num(row.memory_mib),
        memory_type: catalog.text(row.memory_type),
        memory_bandwidth_gb_s: num(row.memory_bandwidth_gb_s),
        fp64_tflops: num(row.fp64_tflops),
        fp32_tflops: num(row.fp32_tflops),
        tf32_tflops: num(row.tf32_tflops),
        fp16_tflops: num(row.fp16_tflops),
        bf16_tflops: num(row.bf16_tflops),
        fp8_tflops: num(row.fp8_tflops),
        fp4_tflops: num(row.fp4_tflops),
        int8_tops: num(row.int8_tops),
        tdp_w: num(row.tdp_w),
        compute_capability: catalog.text(row.compute_capability),
        cuda_min: catalog.text(row.cuda_min),
        cuda_last: catalog.text(row.cuda_last),
        rocm_gfx: catalog.text(row.rocm_gfx),
        interconnect: catalog.text(row.interconnect),
        interconnect_gb_s: num(row.interconnect_gb_s),
        mig: row.mig,
        release_year: num(row.release_year),
        sdk: catalog.text(row.sdk),
        max_per_node: num(row.max_per_node),
        note: catalog.text(row.note),
        providers: providers(catalog, id),
        aliases: aliases.into_iter().map(|text| catalog.str(text)).collect(),
        sources: catalog.strings(row.sources).collect(),
    }
}

/// Who rents an accelerator out.
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
