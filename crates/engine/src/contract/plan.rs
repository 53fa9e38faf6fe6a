//! Plans: candidates in order, what was rejected, and the files that an engine takes.

use serde::Serialize;
use serde_json::Value;
use sky_accel_core::bind::Wanted;
use sky_accel_core::catalog::{CapacityType, Catalog, PriceKind, Sells, Status};
use sky_accel_core::plan::{
    Candidate, CapacityOrder, Check, CheckId, CheckState, Interconnect, Needs, Reject, Rejected,
    Request, Reserved,
};
use sky_accel_core::resolve::{Match, Reason};
use sky_accel_targets::{Loss, LossCode, Rendered, Step, Target};

use super::{MigOut, Num, PriceOut, offer};

/// The request of a plan as it was understood.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlanEcho {
    /// The spec in canonical form.
    pub spec: String,
    /// Ids of the providers to use; empty means every provider.
    pub providers: Vec<String>,
    /// The regions, patterns or countries to use; empty means every region.
    pub regions: Vec<String>,
    /// `on-demand`, `spot`, `spot-first` or `any`.
    pub capacity_type: CapacityOrder,
    /// The price tier, `secure` or `community`, for providers that have tiers. Missing where the
    /// cheapest tier is used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price_tier: Option<String>,
    /// The currency in which prices are stated too. Missing where none was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    /// The most US dollars per hour for one machine. Missing where there is no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_price: Option<Num>,
    /// The most US dollars for all machines: in total where `hours` is given, per hour otherwise.
    /// Missing where there is no budget.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<Num>,
    /// The hours that the machines are needed. Missing where they are not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hours: Option<Num>,
    /// The number of machines.
    pub nodes: u32,
    /// True if machines that are larger than the spec are excluded.
    pub exact: bool,
    /// `regions` if each region is used once for each capacity type. Missing otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distinct: Option<&'static str>,
    /// The required interconnect. Missing where none is required.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interconnect: Option<Interconnect>,
    /// The CUDA version of the image. Missing where none is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cuda: Option<String>,
    /// Disk space in decimal GB. Missing where none is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disk_gb: Option<u32>,
    /// The id of an on-demand capacity reservation. Missing where none is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reservation: Option<String>,
    /// The id of a capacity block. Missing where none is given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capacity_block: Option<String>,
    /// The most candidates to list.
    pub limit: u32,
    /// True if the providers were asked live.
    pub live: bool,
    /// The greatest age of a price, in seconds. Missing where there is no limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_age_s: Option<u64>,
}

sky_accel_core::words! {
    /// The way in which the machines of a candidate are bought.
    pub enum CandidateCapacity {
        /// Capacity at any time, until it is stopped.
        OnDemand = "on-demand",
        /// Cheaper capacity that the provider may take back at any time.
        Spot = "spot",
        /// An on-demand reservation that is already paid for.
        Reservation = "reservation",
        /// A block of capacity that is bought in advance.
        CapacityBlock = "capacity-block",
    }
}

impl From<CapacityType> for CandidateCapacity {
    fn from(capacity_type: CapacityType) -> Self {
        match capacity_type {
            CapacityType::OnDemand => Self::OnDemand,
            CapacityType::Spot => Self::Spot,
        }
    }
}

sky_accel_core::words! {
    /// How the size of a candidate compares with the spec.
    pub enum CandidateFit {
        /// The machine has what the spec asks for.
        Exact = "exact",
        /// The machine is larger, and the surplus is paid for.
        Oversized = "oversized",
    }
}

sky_accel_core::words! {
    /// A property of a candidate that deserves attention.
    pub enum CandidateWarning {
        /// The price is unknown.
        PriceUnknown = "price-unknown",
        /// The price is derived from other figures.
        PriceEstimate = "price-estimate",
        /// The price is the lowest marketplace offer of a day.
        PriceSnapshot = "price-snapshot",
        /// The capacity is paid for already.
        PaidAlready = "paid-already",
        /// The machines of a marketplace stand in different places.
        SeparateMachines = "separate-machines",
        /// The provider does not publish how many accelerators it sells in one machine.
        MaxCountUnknown = "max-count-unknown",
        /// The provider does not publish the regions of the offer.
        RegionUnverified = "region-unverified",
        /// The provider's name covers several accelerators.
        MayBeAnother = "may-be-another",
        /// Whether a tenant may switch MIG on is not known.
        MigUnverified = "mig-unverified",
    }
}

impl CandidateWarning {
    /// The warning of a match; `None` where `fit` states the same.
    fn of(reason: Reason) -> Option<Self> {
        match reason {
            Reason::MaxCountUnknown => Some(Self::MaxCountUnknown),
            Reason::RegionUnverified => Some(Self::RegionUnverified),
            Reason::MayBeAnother => Some(Self::MayBeAnother),
            Reason::MigUnverified => Some(Self::MigUnverified),
            Reason::Larger | Reason::OldPrice => None,
        }
    }
}

/// A way to get the machines.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CandidateOut<'a> {
    /// The position in the order to try, from 1.
    pub rank: u32,
    /// The choice of the spec that the candidate fulfils, in canonical form.
    pub spec: String,
    /// The id of the provider.
    pub provider: &'a str,
    /// The provider's own id: an instance type, a GPU type id, or a marketplace's GPU name.
    pub instance_type: &'a str,
    /// The catalog's id of the accelerator.
    pub accelerator: &'a str,
    /// The number of accelerators in one machine; a fraction where a part of one is sold.
    pub count: Num,
    /// Memory per device in decimal GB, as the vendor sells it; `null` when unknown.
    pub memory_gb: Option<Num>,
    /// Memory per device in MiB, as the provider or the driver reports it; `null` when unknown.
    pub memory_mib: Option<Num>,
    /// Memory of all devices of one machine in decimal GB; `null` when unknown.
    pub total_memory_gb: Option<Num>,
    /// vCPUs of one machine; `null` when unknown.
    pub vcpu: Option<Num>,
    /// Host memory of one machine in GiB; `null` when unknown.
    pub host_memory_gib: Option<Num>,
    /// The CPU architecture of the host, such as `x86_64` or `arm64`; `null` when unknown.
    pub host_arch: Option<&'a str>,
    /// The way in which the machines are bought.
    pub capacity_type: CandidateCapacity,
    /// The provider's id of the region; `null` where the provider chooses.
    pub region: Option<&'a str>,
    /// How the size of the machine compares with the spec.
    pub fit: CandidateFit,
    /// The number of machines.
    pub nodes: u32,
    /// The price of one machine; `null` when unknown.
    pub price: Option<PriceOut<'a>>,
    /// US dollars per hour for all machines; `null` when unknown.
    pub usd_per_hour: Option<Num>,
    /// US dollars for all machines over all hours. Missing where no hours are given or the price is
    /// unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd_total: Option<Num>,
    /// The MIG slices on each machine. Missing where the spec has no slices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mig: Option<MigOut>,
    /// Conditions to verify before the candidate is tried.
    pub checks: Vec<CheckOut>,
    /// Stable codes for the properties of the candidate that deserve attention; empty when there
    /// are none.
    pub warnings: Vec<CandidateWarning>,
    /// True if an overlay may have changed the offer. Not serialized.
    #[serde(skip)]
    pub(crate) may_be_overlaid: bool,
}

/// A condition to verify before a candidate is tried.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CheckOut {
    /// The condition.
    pub id: CheckId,
    /// `pass`, `fail` or `unknown`.
    pub state: CheckState,
    /// The requirement behind the condition. Missing where there is none to state.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needs: Option<NeedsOut>,
}

/// The requirement of a check.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NeedsOut {
    /// The provider's code of the quota. Present only for `quota`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The vCPUs of the quota that all machines take together. Present only for `quota`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vcpu: Option<u64>,
    /// The CUDA version of the image. Present only for `cuda`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cuda: Option<String>,
    /// The first driver version that runs this CUDA version. Missing where it is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub driver_min: Option<String>,
}

/// The top-level fields of a plan beside its candidates.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlanParts<'a> {
    /// An id of the plan. Equal requests with equal candidates have the same id.
    pub id: String,
    /// Offers that were rejected, with reasons. Of those that differ only in region, the cheapest
    /// is listed. Where thousands of offers may match, only offers that were looked at are listed.
    pub rejected: Vec<RejectedOut<'a>>,
    /// The range of costs over all candidates.
    pub totals: TotalsOut,
    /// The steps that carry out the plan, in order.
    pub steps: Vec<StepOut>,
    /// The files for an engine. Missing without `--to`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub render: Option<RenderOut>,
}

/// An offer that is not a candidate.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RejectedOut<'a> {
    /// The choice of the spec that the offer was judged by, in canonical form.
    pub spec: String,
    /// The id of the provider.
    pub provider: &'a str,
    /// The provider's own id: an instance type, a GPU type id, or a marketplace's GPU name.
    pub instance_type: &'a str,
    /// The number of accelerators. Missing where the reason does not depend on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<Num>,
    /// `on-demand` or `spot`. Missing where the reason does not depend on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capacity_type: Option<CapacityType>,
    /// The provider's id of the region. Missing where the reason does not depend on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<&'a str>,
    /// The condition that the offer fails.
    pub reason: Reject,
    /// The reason in words.
    pub detail: String,
}

/// The costs of all machines with the cheapest and with the most expensive candidate.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TotalsOut {
    /// US dollars per hour with the cheapest candidate; `null` where no price is known.
    pub usd_per_hour_min: Option<Num>,
    /// US dollars per hour with the most expensive candidate; `null` where no price is known.
    pub usd_per_hour_max: Option<Num>,
    /// US dollars over all hours with the cheapest candidate. Missing where no hours are given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd_total_min: Option<Num>,
    /// US dollars over all hours with the most expensive candidate. Missing where no hours are
    /// given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd_total_max: Option<Num>,
}

/// One step of carrying out a plan.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StepOut {
    /// The step.
    pub id: Step,
    /// The step that has to be finished before. Missing for the first step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Step>,
    /// A description of the step.
    pub what: String,
    /// The targets of `--to` that perform the step.
    pub targets: Vec<&'static str>,
    /// The commands to type; missing when there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<String>,
    /// The names of the files of `render` that perform the step; missing when there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
}

/// A plan in the format of an engine.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RenderOut {
    /// The name of the target.
    pub target: &'static str,
    /// The files. The first one is the plan itself.
    pub files: Vec<FileOut>,
    /// The parts of the plan that the engine cannot express; empty when there are none.
    pub lossy: Vec<LossOut>,
    /// Values that the user has to fill in; empty when there are none.
    pub placeholders: Vec<PlaceholderOut>,
}

/// A file for an engine.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FileOut {
    /// The suggested file name.
    pub name: String,
    /// The contents.
    pub text: String,
}

/// A part of a plan or spec that a format cannot express.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LossOut {
    /// The part that is lost.
    pub code: LossCode,
    /// The loss in words.
    pub message: String,
}

/// A value that the user has to fill in.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlaceholderOut {
    /// The placeholder as it appears in the file.
    pub name: &'static str,
    /// The meaning of the value.
    pub meaning: String,
}

/// A spec in the notation of another tool.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConvertOut {
    /// The choice of the spec, in canonical form.
    pub spec: String,
    /// The name of the tool's notation.
    pub dialect: &'static str,
    /// The text in that notation.
    pub text: String,
    /// The parts of the spec that the notation cannot express; empty when there are none.
    pub lossy: Vec<LossOut>,
}

/// A spec, and the notation to convert it to.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConvertRequest {
    /// The spec in canonical form.
    pub spec: String,
    /// The name of the notation.
    pub to: &'static str,
}

/// The contract form of losses.
pub fn losses(lossy: &[Loss]) -> Vec<LossOut> {
    let one = |loss: &Loss| LossOut {
        code: loss.code,
        message: loss.message.clone(),
    };
    lossy.iter().map(one).collect()
}

/// The contract form of a rendered plan.
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
            .map(|placeholder| PlaceholderOut {
                name: placeholder.name,
                meaning: placeholder.meaning.clone().into_owned(),
            })
            .collect(),
    }
}

/// A candidate as a match that has no other price than the candidate's.
pub fn priced(candidate: &Candidate) -> Match {
    let is_spot = candidate.capacity == CapacityType::Spot;
    let mut found = candidate.found.clone();
    found.on_demand = candidate.quote.filter(|_| !is_spot);
    found.spot = candidate.quote.filter(|_| is_spot);
    found
}

/// The contract form of a candidate, without MIG slices.
pub fn candidate<'a>(
    catalog: &Catalog<'a>,
    wanted: &[Wanted],
    candidate: &Candidate,
    rank: u32,
    request: &Request,
) -> CandidateOut<'a> {
    let nodes = request.nodes;
    let spec = &wanted[candidate.found.choice].spec;
    let row = catalog.offer(candidate.found.offer);
    let machine = offer(catalog, spec, &priced(candidate), |_| true, false);
    let mut warnings: Vec<CandidateWarning> = Vec::new();
    match candidate.quote.map(|quote| catalog.price(quote.price).kind) {
        None => warnings.push(CandidateWarning::PriceUnknown),
        Some(PriceKind::Estimate) => warnings.push(CandidateWarning::PriceEstimate),
        Some(PriceKind::Snapshot) => warnings.push(CandidateWarning::PriceSnapshot),
        Some(PriceKind::List | PriceKind::Live) => {}
    }
    if request.reserved.is_some() {
        warnings.push(CandidateWarning::PaidAlready);
    }
    if nodes > 1 && catalog.provider(row.provider).sells == Sells::Marketplace {
        warnings.push(CandidateWarning::SeparateMachines);
    }
    let reasons = candidate.found.reasons.iter();
    warnings.extend(reasons.filter_map(|reason| CandidateWarning::of(*reason)));
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
            Some(Reserved::Block) => CandidateCapacity::CapacityBlock,
            Some(Reserved::Reservation) => CandidateCapacity::Reservation,
            None if row.status == Status::ReservedOnly => CandidateCapacity::CapacityBlock,
            None => candidate.capacity.into(),
        },
        region: candidate.region.map(|region| catalog.region_id(region)),
        fit: if candidate.is_exact {
            CandidateFit::Exact
        } else {
            CandidateFit::Oversized
        },
        nodes,
        price: machine.on_demand.or(machine.spot),
        usd_per_hour: candidate.usd_per_hour.map(|usd| Num(usd.decimal())),
        usd_total: candidate.usd_total.map(|usd| Num(usd.decimal())),
        mig: None,
        checks: candidate.checks.iter().map(check).collect(),
        warnings,
        may_be_overlaid: machine.may_be_overlaid,
    }
}

fn check(check: &Check) -> CheckOut {
    let none = NeedsOut {
        code: None,
        vcpu: None,
        cuda: None,
        driver_min: None,
    };
    CheckOut {
        id: check.id,
        state: check.state,
        needs: check.needs.as_ref().map(|needs| match needs {
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

/// The contract form of a rejected offer.
pub fn rejected<'a>(
    catalog: &Catalog<'a>,
    wanted: &[Wanted],
    rejected: &Rejected,
) -> RejectedOut<'a> {
    let row = catalog.offer(rejected.offer);
    RejectedOut {
        spec: wanted[rejected.choice].spec.clone(),
        provider: catalog.provider_id(row.provider),
        instance_type: catalog.str(row.id),
        count: rejected.count.map(|count| Num(count.decimal())),
        capacity_type: rejected.capacity,
        region: rejected.region.map(|region| catalog.region_id(region)),
        reason: rejected.reason,
        detail: rejected.detail.clone(),
    }
}

/// The range of costs over all candidates.
pub fn totals(candidates: &[Candidate]) -> TotalsOut {
    let hourly = || {
        candidates
            .iter()
            .filter_map(|candidate| candidate.usd_per_hour)
    };
    let total = || {
        candidates
            .iter()
            .filter_map(|candidate| candidate.usd_total)
    };
    let num = |usd: sky_accel_core::money::Usd| Num(usd.decimal());
    TotalsOut {
        usd_per_hour_min: hourly().min().map(num),
        usd_per_hour_max: hourly().max().map(num),
        usd_total_min: total().min().map(num),
        usd_total_max: total().max().map(num),
    }
}

/// Two plans to compare.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlanDiffRequest {
    /// The name of the first file.
    pub a: String,
    /// The name of the second file.
    pub b: String,
}

sky_accel_core::words! {
    /// The part of a plan that changed.
    pub enum PlanChange {
        /// The catalog has another version or other contents.
        Catalog = "catalog",
        /// A field of the request has another value.
        Request = "request",
        /// The candidate is only in the second plan.
        Added = "added",
        /// The candidate is only in the first plan.
        Removed = "removed",
        /// The candidate has another price.
        Price = "price",
        /// The candidate has another position.
        Rank = "rank",
        /// The candidate was exact and is oversized, or the other way round.
        Fit = "fit",
        /// A check of the candidate has another result.
        Check = "check",
    }
}

/// One difference between two plans.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ChangeOut {
    /// The part of the plan that changed.
    pub change: PlanChange,
    /// The subject of the change: a candidate, `catalog`, or the field of the request.
    pub what: String,
    /// The value in the first plan; `null` where it has none.
    pub before: Value,
    /// The value in the second plan; `null` where it has none.
    pub after: Value,
    /// The change of a price in percent. Missing for other changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub percent: Option<Num>,
    /// The change as a sentence without a full stop. Its wording may change.
    pub message: String,
}
