//! Plans: candidates in order, what was rejected, and the files that an engine takes.

use serde::Serialize;
use serde_json::Value;
use sky_accel_core::bind::Wanted;
use sky_accel_core::catalog::{Catalog, PriceKind, Sells, Status};
use sky_accel_core::plan::{
    Candidate, CapacityOrder, Check, CheckState, Needs, Rejected, Request, Reserved,
};
use sky_accel_core::resolve::Match;
use sky_accel_targets::{Loss, Rendered, Target};

use super::{MigOut, Num, PriceOut, offer};

/// The request of a plan, as it was understood.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlanEcho {
    /// Canonical form.
    pub spec: String,
    /// Empty is all.
    pub providers: Vec<String>,
    /// Empty is all.
    pub regions: Vec<String>,
    /// `on-demand`, `spot`, `spot-first` or `any`.
    pub capacity_type: CapacityOrder,
    /// `secure` or `community`, of providers that have such tiers; missing: the cheapest.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price_tier: Option<String>,
    /// US dollars per hour for one machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_price: Option<Num>,
    /// US dollars for all machines: over all hours, or per hour where none are given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<Num>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hours: Option<Num>,
    pub nodes: u32,
    pub exact: bool,
    /// `regions`, or missing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distinct: Option<&'static str>,
    /// `efa`, `infiniband`, `nvlink` or `any`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interconnect: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cuda: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disk_gb: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reservation: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capacity_block: Option<String>,
    pub limit: u32,
    pub live: bool,
    /// Nothing older than so many seconds is used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_age_s: Option<u64>,
}

/// A way to get the machines.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CandidateOut<'a> {
    /// From 1.
    pub rank: u32,
    /// The choice that it fulfils, in canonical form.
    pub spec: String,
    pub provider: &'a str,
    /// The provider's own id: instance type, GPU type id, or marketplace GPU name.
    pub instance_type: &'a str,
    pub accelerator: &'a str,
    /// Devices of one machine.
    pub count: Num,
    /// Per device, as the vendor sells it.
    pub memory_gb: Option<Num>,
    /// Per device, as the provider or the driver reports it.
    pub memory_mib: Option<Num>,
    pub total_memory_gb: Option<Num>,
    pub vcpu: Option<Num>,
    pub host_memory_gib: Option<Num>,
    pub host_arch: Option<&'a str>,
    /// `on-demand`, `spot`, `reservation`, or `capacity-block`, which is bought in advance.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["on-demand", "spot", "reservation", "capacity-block"])))]
    pub capacity_type: &'static str,
    /// `null` where the provider chooses.
    pub region: Option<&'a str>,
    /// `exact`, or `oversized`: more than is asked is rented, and paid.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["exact", "oversized"])))]
    pub fit: &'static str,
    pub nodes: u32,
    /// Of one machine; `null` when it is unknown.
    pub price: Option<PriceOut<'a>>,
    /// Of all machines.
    pub usd_per_hour: Option<Num>,
    /// Of all machines, over all hours.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd_total: Option<Num>,
    /// How the GPUs of each machine are cut.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mig: Option<MigOut>,
    pub checks: Vec<CheckOut>,
    /// What to know about it: stable codes.
    pub warnings: Vec<&'static str>,
}

/// What is to be known before a candidate is tried.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CheckOut {
    /// `quota`, `cuda` or `stock`.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["quota", "cuda", "stock"])))]
    pub id: &'static str,
    /// `pass`, `fail` or `unknown`.
    pub state: CheckState,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needs: Option<NeedsOut>,
}

/// What would make a check pass.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NeedsOut {
    /// The code of the quota.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// vCPUs of it, for all machines.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vcpu: Option<u64>,
    /// The CUDA version of the image.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cuda: Option<String>,
    /// The first driver that it runs on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub driver_min: Option<String>,
}

/// What a plan says beside its candidates.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlanParts<'a> {
    /// The same for equal requests and candidates.
    pub id: String,
    /// What is no candidate, and why; of those that differ in their region alone the cheapest.
    pub rejected: Vec<RejectedOut<'a>>,
    pub totals: TotalsOut,
    pub steps: Vec<StepOut>,
    /// With `--to`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub render: Option<RenderOut>,
}

/// What is no candidate.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RejectedOut<'a> {
    pub spec: String,
    pub provider: &'a str,
    pub instance_type: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<Num>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capacity_type: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<&'a str>,
    /// `name`, `memory-mismatch`, `count`, `region`, `market`, `over-budget`, `cuda-floor`,
    /// `no-mig`, `no-interconnect`, `stale` or `not-offered`.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["name", "memory-mismatch", "count", "region", "market", "over-budget", "cuda-floor", "no-mig", "no-interconnect", "stale", "not-offered"])))]
    pub reason: &'static str,
    pub detail: String,
}

/// What all machines cost, by the cheapest and the dearest candidate.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TotalsOut {
    pub usd_per_hour_min: Option<Num>,
    pub usd_per_hour_max: Option<Num>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd_total_min: Option<Num>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd_total_max: Option<Num>,
}

/// Something to do, one after another.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StepOut {
    /// `provision`, `partition` or `schedule`.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["provision", "partition", "schedule"])))]
    pub id: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<&'static str>,
    pub what: String,
    /// Targets of `--to` that do it.
    pub targets: Vec<&'static str>,
    /// What to type.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<String>,
    /// Files of `render` that do it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
}

/// The plan as an engine takes it.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RenderOut {
    pub target: &'static str,
    /// The one that is the plan first.
    pub files: Vec<FileOut>,
    /// What the engine cannot say.
    pub lossy: Vec<LossOut>,
    /// What is to be filled in.
    pub placeholders: Vec<PlaceholderOut>,
}

/// A file for an engine.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FileOut {
    pub name: String,
    pub text: String,
}

/// Something that cannot be said.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LossOut {
    pub code: &'static str,
    pub message: String,
}

/// Something to fill in.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlaceholderOut {
    /// As it stands in the file.
    pub name: &'static str,
    pub meaning: &'static str,
}

/// A spec in another tool's words.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConvertOut {
    /// The choice, in canonical form.
    pub spec: String,
    pub dialect: &'static str,
    pub text: String,
    /// What the words do not say.
    pub lossy: Vec<LossOut>,
}

/// What is to be converted.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConvertRequest {
    /// In canonical form.
    pub spec: String,
    pub to: &'static str,
}

/// Losses as they are printed.
pub fn losses(lossy: &[Loss]) -> Vec<LossOut> {
    let one = |loss: &Loss| LossOut {
        code: loss.code,
        message: loss.message.clone(),
    };
    lossy.iter().map(one).collect()
}

/// A rendered plan as it is printed.
pub fn render(target: Target, rendered: &Rendered) -> RenderOut {
    RenderOut {
        target: target.name(),
        files: rendered
            .files
            .iter()
            .map(|file| FileOut {
                name: file.name.clone(),
                text: file.text.clone(),
            })
            .collect(),
        lossy: losses(&rendered.lossy),
        placeholders: rendered
            .placeholders
            .iter()
            .map(|own| PlaceholderOut {
                name: own.name,
                meaning: own.meaning,
            })
            .collect(),
    }
}

/// A candidate as a match that has its price alone.
pub fn priced(candidate: &Candidate) -> Match {
    let is_spot = candidate.capacity == sky_accel_core::catalog::CapacityType::Spot;
    let mut found = candidate.found.clone();
    found.on_demand = candidate.quote.filter(|_| !is_spot);
    found.spot = candidate.quote.filter(|_| is_spot);
    found
}

/// A candidate as it is printed, without its slices.
pub fn candidate<'a>(
    catalog: &Catalog<'a>,
    wanted: &[Wanted],
    own: &Candidate,
    rank: u32,
    request: &Request,
) -> CandidateOut<'a> {
    let nodes = request.nodes;
    let spec = &wanted[own.found.choice].spec;
    let row = catalog.offer(own.found.offer);
    let machine = offer(catalog, spec, &priced(own), |_| true, false);
    let mut warnings: Vec<&'static str> = Vec::new();
    match own
        .quote
        .map(|quote| catalog.prices[quote.price as usize].kind)
    {
        None => warnings.push("price-unknown"),
        Some(PriceKind::Estimate) => warnings.push("price-estimate"),
        Some(PriceKind::Snapshot) => warnings.push("price-snapshot"),
        Some(PriceKind::List | PriceKind::Live) => {}
    }
    if request.reserved.is_some() {
        warnings.push("paid-already");
    }
    if nodes > 1 && catalog.provider(row.provider).sells == Sells::Marketplace {
        warnings.push("separate-machines");
    }
    let larger = sky_accel_core::resolve::Reason::Larger;
    warnings.extend(
        own.found
            .reasons
            .iter()
            .filter(|reason| **reason != larger)
            .map(|reason| reason.code()),
    );
    CandidateOut {
        rank,
        spec: spec.clone(),
        provider: machine.provider,
        instance_type: machine.instance_type,
        accelerator: machine.accelerator,
        count: machine.count,
        memory_gb: machine.memory_gb,
        memory_mib: machine.memory_mib,
        total_memory_gb: machine.total_memory_gb,
        vcpu: machine.vcpu,
        host_memory_gib: machine.host_memory_gib,
        host_arch: machine.host_arch,
        capacity_type: match request.reserved {
            Some(Reserved::Block) => "capacity-block",
            Some(Reserved::Reservation) => "reservation",
            None if row.status == Status::ReservedOnly => "capacity-block",
            None => own.capacity.word(),
        },
        region: own.region.map(|region| catalog.region_id(region)),
        fit: if own.is_exact { "exact" } else { "oversized" },
        nodes,
        price: machine.on_demand.or(machine.spot),
        usd_per_hour: own.usd_per_hour.map(|usd| Num(usd.decimal())),
        usd_total: own.usd_total.map(|usd| Num(usd.decimal())),
        mig: None,
        checks: own.checks.iter().map(check).collect(),
        warnings,
    }
}

fn check(own: &Check) -> CheckOut {
    let none = NeedsOut {
        code: None,
        vcpu: None,
        cuda: None,
        driver_min: None,
    };
    CheckOut {
        id: own.id.code(),
        state: own.state,
        needs: own.needs.as_ref().map(|needs| match needs {
            Needs::Quota { code, vcpu } => NeedsOut {
                code: Some(code.clone()),
                vcpu: Some(*vcpu),
                ..none
            },
            Needs::Driver { cuda, driver_min } => NeedsOut {
                cuda: Some(cuda.clone()),
                driver_min: driver_min.clone(),
                ..none
            },
        }),
    }
}

/// What was rejected as it is printed.
pub fn rejected<'a>(catalog: &Catalog<'a>, wanted: &[Wanted], own: &Rejected) -> RejectedOut<'a> {
    let row = catalog.offer(own.offer);
    RejectedOut {
        spec: wanted[own.choice].spec.clone(),
        provider: catalog.provider_id(row.provider),
        instance_type: catalog.str(row.id),
        count: own.count.map(|count| Num(count.decimal())),
        capacity_type: own
            .capacity
            .map(sky_accel_core::catalog::CapacityType::word),
        region: own.region.map(|region| catalog.region_id(region)),
        reason: own.reason.code(),
        detail: own.detail.clone(),
    }
}

/// What all candidates cost.
pub fn totals(candidates: &[Candidate]) -> TotalsOut {
    let hourly = || candidates.iter().filter_map(|own| own.usd_per_hour);
    let total = || candidates.iter().filter_map(|own| own.usd_total);
    let num = |usd: sky_accel_core::money::Usd| Num(usd.decimal());
    TotalsOut {
        usd_per_hour_min: hourly().min().map(num),
        usd_per_hour_max: hourly().max().map(num),
        usd_total_min: total().min().map(num),
        usd_total_max: total().max().map(num),
    }
}

/// What is compared.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlanDiffRequest {
    pub a: String,
    pub b: String,
}

/// Something that moved.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChangeOut {
    /// `catalog`, `request`, `added`, `removed`, `price`, `rank`, `fit` or `check`.
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["catalog", "request", "added", "removed", "price", "rank", "fit", "check"])))]
    pub change: &'static str,
    /// What it is of; for `request` the field.
    pub what: String,
    pub before: Value,
    pub after: Value,
    /// Of a price.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub percent: Option<Num>,
    pub message: String,
}
