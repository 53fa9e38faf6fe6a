//! Plans: ranked candidates, rejected offers, and the files of a plan target.

use std::borrow::Cow;

use serde::Serialize;
use serde_json::Value;
use sky_accel_core::bind::BoundChoice;
use sky_accel_core::catalog::{CapacityType, Catalog, OfferKind, PriceKind, Sells, Status};
use sky_accel_core::plan::{
    Candidate, CapacityOrder, Check, CheckId, CheckState, Interconnect, Needs, PlanObjective,
    Reject, Rejected, Request, Reserved,
};
use sky_accel_core::resolve::{Match, Reason};
use sky_accel_core::word::Word as _;
use sky_accel_targets::{Loss, LossCode, Rendered, Step, Target};

use super::{BillOut, CommitmentOut, MigOut, Num, ObtainabilityOut, PlanId, PriceOut, offer};

/// The request of a plan as it was understood.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlanEcho {
    /// The spec in canonical form.
    pub spec: String,
    /// Ids of the providers to use; empty for all providers.
    pub providers: Vec<String>,
    /// The regions, patterns or countries to use; empty for all regions.
    pub regions: Vec<String>,
    /// `on-demand`, `spot`, `spot-first` or `any`.
    pub capacity_type: CapacityOrder,
    /// The price tier, `secure` or `community`, for providers with tiers. Omitted if none was
    /// requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price_tier: Option<String>,
    /// The additional currency for prices. Omitted if none was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    /// The maximum price of one machine in US dollars per hour. Omitted without a limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_price: Option<Num>,
    /// The maximum cost of all machines in US dollars: the total if `hours` is given, per hour otherwise.
    /// Omitted without a budget.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget: Option<Num>,
    /// The number of hours that the machines are needed. Omitted if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hours: Option<Num>,
    /// The number of machines.
    pub nodes: u32,
    /// The criterion that ranks the candidates. Omitted for the price.
    #[serde(skip_serializing_if = "is_by_price")]
    pub objective: PlanObjective,
    /// True if candidates that are known to be unobtainable are left out. Omitted otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub available: bool,
    /// True if machines larger than the spec are excluded.
    pub exact: bool,
    /// `regions` if each region is used once per capacity type. Omitted otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub distinct: Option<&'static str>,
    /// The minimum number of vCPUs of one machine. Omitted without a minimum.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_vcpu: Option<Num>,
    /// The minimum host memory of one machine in GiB. Omitted without a minimum.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_host_memory_gib: Option<Num>,
    /// The required interconnect. Omitted if any will do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interconnect: Option<Interconnect>,
    /// The CUDA version of the image. Omitted if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cuda: Option<String>,
    /// Disk space in decimal GB. Omitted if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disk_gb: Option<u32>,
    /// The id of an on-demand capacity reservation. Omitted if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reservation: Option<String>,
    /// The id of a capacity block. Omitted if not given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capacity_block: Option<String>,
    /// The maximum number of candidates.
    pub limit: u32,
    /// True if providers were queried live.
    pub live: bool,
    /// The maximum age of a price, in seconds. Omitted without a limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_age_s: Option<u64>,
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_by_price(objective: &PlanObjective) -> bool {
    *objective == PlanObjective::Price
}

sky_accel_core::words! {
    /// How the machines of a candidate are bought.
    pub enum CandidateCapacity {
        /// Capacity without interruption, until it is stopped.
        OnDemand = "on-demand",
        /// Cheaper capacity that the provider may reclaim at any time.
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
        /// The machine has exactly the size of the spec.
        Exact = "exact",
        /// The machine is larger, and the surplus is paid for.
        Oversized = "oversized",
    }
}

sky_accel_core::words! {
    /// An unusual property of a candidate.
    pub enum CandidateWarning {
        /// The price is unknown.
        PriceUnknown = "price-unknown",
        /// The price is derived from other figures.
        PriceEstimate = "price-estimate",
        /// The price is the lowest marketplace offer of one day.
        PriceSnapshot = "price-snapshot",
        /// The capacity is paid for already.
        PaidAlready = "paid-already",
        /// The marketplace machines are in different locations.
        SeparateMachines = "separate-machines",
        /// The provider does not publish how many accelerators one machine has.
        MaxCountUnknown = "max-count-unknown",
        /// The provider does not publish the regions of the offer.
        RegionUnverified = "region-unverified",
        /// The provider's name covers several accelerators.
        MayBeAnother = "may-be-another",
        /// It is unknown whether a tenant may enable MIG.
        MigUnverified = "mig-unverified",
        /// No recent source confirms the price: it has no date, or it is old and has a single source.
        UnconfirmedPrice = "unconfirmed-price",
        /// The price is far below the prices of all other providers, hyperscalers aside.
        ImplausiblePrice = "implausible-price",
        /// The host has too little memory or too few vCPUs for its accelerators.
        SmallHost = "small-host",
        /// The price is for a machine of a private host, at a provider that also rents its own.
        PrivateHost = "private-host",
        /// A service that runs models, not a machine.
        ManagedService = "managed-service",
        /// A share of a device.
        Share = "share",
        /// Devices without the machine that they are attached to.
        WithoutHost = "without-host",
        /// A live query did not reach the offer, so it is as the catalog has it.
        NotReached = "not-reached",
    }
}

impl CandidateWarning {
    /// Returns whether candidates without the property rank first.
    pub fn is_doubt(self) -> bool {
        let is_other_product =
            matches!(self, Self::ManagedService | Self::Share | Self::WithoutHost);
        is_other_product || self.reason().is_some_and(Reason::is_doubt)
    }

    /// Returns the reason of a match that the warning states; `None` for warnings of plans alone.
    pub fn reason(self) -> Option<Reason> {
        let mut reasons = Reason::ALL.iter().map(|(_, reason)| *reason);
        reasons.find(|reason| Self::of(*reason) == Some(self))
    }

    /// Converts a flag of a match; `None` if `fit` already states it.
    fn of(reason: Reason) -> Option<Self> {
        match reason {
            Reason::MaxCountUnknown => Some(Self::MaxCountUnknown),
            Reason::RegionUnverified => Some(Self::RegionUnverified),
            Reason::MayBeAnother => Some(Self::MayBeAnother),
            Reason::MigUnverified => Some(Self::MigUnverified),
            Reason::UnconfirmedPrice => Some(Self::UnconfirmedPrice),
            Reason::ImplausiblePrice => Some(Self::ImplausiblePrice),
            Reason::SmallHost => Some(Self::SmallHost),
            Reason::PrivateHost => Some(Self::PrivateHost),
            Reason::Larger | Reason::OldPrice => None,
            Reason::NotReached => Some(Self::NotReached),
        }
    }
}

/// A way to rent the machines.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CandidateOut<'a> {
    /// The rank of the candidate, from 1.
    pub rank: u32,
    /// The alternative of the spec that the candidate matches, in canonical form.
    pub spec: String,
    /// The id of the provider.
    pub provider: &'a str,
    /// The provider's id: an instance type, a GPU type id, or a marketplace's GPU name.
    pub instance_type: &'a str,
    /// The id of the provider if it is a broker that resells machines of other providers. Omitted otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub broker: Option<&'a str>,
    /// The owner of the machine, if the provider resells it. Omitted otherwise, and if the broker does not name the
    /// owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upstream: Option<&'a str>,
    /// The provider's page with the machine or its prices. Omitted if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<Cow<'a, str>>,
    /// The catalog's id of the accelerator.
    pub accelerator: &'a str,
    /// The number of accelerators in one machine; a fraction if part of an accelerator is sold.
    pub count: Num,
    /// Memory per device in decimal GB, as the vendor sells it; `null` if unknown.
    pub memory_gb: Option<Num>,
    /// Memory per device in MiB, as the provider or the driver reports it; `null` if unknown.
    pub memory_mib: Option<Num>,
    /// Total memory of the devices of one machine in decimal GB; `null` if unknown.
    pub total_memory_gb: Option<Num>,
    /// vCPUs of one machine; `null` if unknown.
    pub vcpu: Option<Num>,
    /// Host memory of one machine in GiB; `null` if unknown.
    pub host_memory_gib: Option<Num>,
    /// The CPU architecture of the host, such as `x86_64` or `arm64`; `null` if unknown.
    pub host_arch: Option<&'a str>,
    /// How the machines are bought.
    pub capacity_type: CandidateCapacity,
    /// The provider's region id; `null` if the provider chooses.
    pub region: Option<&'a str>,
    /// How the size of the machine compares with the spec.
    pub fit: CandidateFit,
    /// The number of machines.
    pub nodes: u32,
    /// The price of one machine; `null` if unknown.
    pub price: Option<PriceOut<'a>>,
    /// The prices under the requested commitments, the lowest first, with `commit`. Omitted otherwise.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub commitments: Vec<CommitmentOut<'a>>,
    /// US dollars per hour for all machines, at the figure that ranks the candidate: the likely price of today, or the
    /// stated price if the request says so; `null` if unknown. `price` has both.
    pub usd_per_hour: Option<Num>,
    /// US dollars for all machines and all hours, at the same price. Omitted if no hours are given or the price is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd_total: Option<Num>,
    /// The whole bill of all machines, if it was requested. Omitted otherwise, and if the price is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bill: Option<Box<BillOut<'a>>>,
    /// The MIG slices on each machine. Omitted if the spec has no slices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mig: Option<MigOut>,
    /// The provider's reports on the obtainability of the machines at this place; omitted if empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub obtainability: Vec<ObtainabilityOut>,
    /// Conditions to verify before the candidate is tried.
    pub checks: Vec<CheckOut>,
    /// Stable codes for unusual properties of the candidate; may be empty.
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
    /// The requirement that the condition checks. Omitted if it cannot be stated.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub needs: Option<NeedsOut>,
}

/// The requirement of a check.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NeedsOut {
    /// The provider's quota code. Present only for `quota`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<String>,
    /// The vCPUs that all machines together need from the quota. Present only for `quota`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub vcpu: Option<u64>,
    /// The CUDA version of the image. Present only for `cuda`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cuda: Option<String>,
    /// The first driver version that supports this CUDA version. Omitted if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub driver_min: Option<String>,
}

/// The top-level fields of a plan besides its candidates.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlanParts<'a> {
    /// The id of the plan. Equal requests with equal candidates have the same id.
    #[cfg_attr(feature = "schema", schemars(with = "String"))]
    pub id: PlanId,
    /// Rejected offers, with reasons. Of offers that differ only in region, the cheapest is listed. For
    /// very large catalogs, only the offers that were checked are listed.
    pub rejected: Vec<RejectedOut<'a>>,
    /// The range of costs of all candidates.
    pub totals: TotalsOut,
    /// The steps that carry out the plan, in order.
    pub steps: Vec<StepOut>,
    /// The files for a plan target. Omitted if no target was given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub render: Option<RenderOut>,
}

/// An offer that is not a candidate.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RejectedOut<'a> {
    /// The alternative of the spec that the offer was checked against, in canonical form.
    pub spec: String,
    /// The id of the provider.
    pub provider: &'a str,
    /// The provider's id: an instance type, a GPU type id, or a marketplace's GPU name.
    pub instance_type: &'a str,
    /// The number of accelerators. Omitted if the reason does not depend on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<Num>,
    /// `on-demand` or `spot`. Omitted if the reason does not depend on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capacity_type: Option<CapacityType>,
    /// The provider's region id. Omitted if the reason does not depend on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<&'a str>,
    /// The condition that the offer does not meet.
    pub reason: Reject,
    /// A description of the reason.
    pub detail: String,
}

/// The costs of all machines with the cheapest and with the most expensive candidate, at the prices that rank them.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TotalsOut {
    /// US dollars per hour with the cheapest candidate; `null` if no price is known.
    pub usd_per_hour_min: Option<Num>,
    /// US dollars per hour with the most expensive candidate; `null` if no price is known.
    pub usd_per_hour_max: Option<Num>,
    /// US dollars for all hours with the cheapest candidate. Omitted if no hours are given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd_total_min: Option<Num>,
    /// US dollars for all hours with the most expensive candidate. Omitted if no hours are given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usd_total_max: Option<Num>,
}

/// One step of a plan's execution.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct StepOut {
    /// The step.
    pub id: Step,
    /// The step that has to finish first. Omitted for the first step.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<Step>,
    /// A description of the step.
    pub what: String,
    /// The plan targets that perform the step.
    pub targets: Vec<&'static str>,
    /// The commands to run; omitted if empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<String>,
    /// The names of the files of `render` that perform the step; omitted if empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
}

/// A plan in the format of a plan target.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RenderOut {
    /// The name of the target.
    pub target: &'static str,
    /// The files. The first file is the main document of the plan.
    pub files: Vec<FileOut>,
    /// The parts of the plan that the target cannot express; may be empty.
    pub lossy: Vec<LossOut>,
    /// Placeholders that the user has to fill in; may be empty.
    pub placeholders: Vec<PlaceholderOut>,
}

/// A file for a plan target.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FileOut {
    /// The suggested file name.
    pub name: String,
    /// The content.
    pub text: String,
}

/// A part of a plan or spec that a format cannot express.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LossOut {
    /// The part that is lost.
    pub code: LossCode,
    /// A description of the loss.
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
    /// The alternative of the spec, in canonical form.
    pub spec: String,
    /// The name of the tool's notation.
    pub dialect: &'static str,
    /// The text in that notation.
    pub text: String,
    /// The parts of the spec that the notation cannot express; may be empty.
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

/// Converts losses to their contract form.
pub fn losses(lossy: &[Loss]) -> Vec<LossOut> {
    let loss_out = |loss: &Loss| LossOut {
        code: loss.code,
        message: loss.message.clone(),
    };
    lossy.iter().map(loss_out).collect()
}

/// Converts a rendered plan to its contract form.
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

/// A candidate as a match with the candidate's price alone.
pub fn priced(candidate: &Candidate) -> Match {
    let is_spot = candidate.capacity == CapacityType::Spot;
    let mut found = candidate.found.clone();
    found.on_demand = candidate.quote.filter(|_| !is_spot);
    found.spot = candidate.quote.filter(|_| is_spot);
    found
}

/// Converts a candidate to its contract form, without MIG slices.
pub fn candidate<'a>(
    catalog: &Catalog<'a>,
    wanted: &[BoundChoice],
    candidate: &Candidate,
    rank: u32,
    request: &Request,
) -> CandidateOut<'a> {
    let nodes = request.nodes;
    let spec = &wanted[candidate.found.choice].spec;
    let row = catalog.offer(candidate.found.offer);
    let likely = request.offers.likely.as_ref();
    let machine = offer(catalog, likely, spec, &priced(candidate), |_| true, false);
    let mut warnings: Vec<CandidateWarning> = Vec::new();
    match candidate.quote.map(|quote| catalog.price(quote.price).kind) {
        None => warnings.push(CandidateWarning::PriceUnknown),
        Some(PriceKind::Estimate) => warnings.push(CandidateWarning::PriceEstimate),
        Some(PriceKind::Snapshot) => warnings.push(CandidateWarning::PriceSnapshot),
        Some(PriceKind::List | PriceKind::Live | PriceKind::Contract | PriceKind::Committed) => {}
    }
    if request.reserved.is_some() {
        warnings.push(CandidateWarning::PaidAlready);
    }
    if nodes > 1 && catalog.provider(row.provider).sells == Sells::Marketplace {
        warnings.push(CandidateWarning::SeparateMachines);
    }
    if row.kind == OfferKind::Endpoint {
        warnings.push(CandidateWarning::ManagedService);
    } else if row.kind == OfferKind::Attached {
        warnings.push(CandidateWarning::WithoutHost);
    } else if row.is_part(candidate.found.count) {
        warnings.push(CandidateWarning::Share);
    }
    let reasons = candidate.found.reasons.iter();
    warnings.extend(reasons.filter_map(|reason| CandidateWarning::of(*reason)));
    CandidateOut {
        rank,
        spec: spec.clone(),
        provider: machine.provider,
        instance_type: machine.instance_type,
        broker: machine.broker,
        upstream: machine.upstream,
        url: machine.url,
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
        price: if machine.is_by_commitment {
            machine.committed.or(machine.spot)
        } else {
            machine.on_demand.or(machine.spot)
        },
        commitments: machine.commitments,
        usd_per_hour: candidate.usd_per_hour.map(|usd| Num(usd.decimal())),
        usd_total: candidate.usd_total.map(|usd| Num(usd.decimal())),
        bill: None,
        mig: None,
        obtainability: Vec::new(),
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

/// Converts a rejected offer to its contract form.
pub fn rejected<'a>(
    catalog: &Catalog<'a>,
    wanted: &[BoundChoice],
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

/// The range of costs of all candidates.
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
        /// The catalog has a different version or different contents.
        Catalog = "catalog",
        /// A field of the request has a different value.
        Request = "request",
        /// The candidate is only in the second plan.
        Added = "added",
        /// The candidate is only in the first plan.
        Removed = "removed",
        /// The candidate has a different price.
        Price = "price",
        /// The candidate has a different position.
        Rank = "rank",
        /// The candidate changed from exact to oversized, or the reverse.
        Fit = "fit",
        /// A check of the candidate has a different result.
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
    /// The value in the first plan; `null` if it has none.
    pub before: Value,
    /// The value in the second plan; `null` if it has none.
    pub after: Value,
    /// The change of a price in percent. Omitted for other changes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub percent: Option<Num>,
    /// The change as a sentence without a final period. The wording may change.
    pub message: String,
}
