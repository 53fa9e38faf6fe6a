//! Converts a plan request to the core's request and the job for the target.

use std::time::Duration;

use sky_accel_core::bind::Wanted;
use sky_accel_core::catalog::{Catalog, ProviderId};
use sky_accel_core::money::Usd;
use sky_accel_core::note::Note;
use sky_accel_core::plan::{CapacityOrder, Interconnect, Request, Reserved};
use sky_accel_core::resolve::CapacityFilter;
use sky_accel_core::text::{list_and, some_of};
use sky_accel_targets::{Capacity, Job, Target};

use super::input::PlanInput;
use super::recommended::Recommended;
use super::work::{CudaVersion, Image, SlurmType, Work};
use crate::code::ErrorCode;
use crate::contract::{Num, PlanEcho};
use crate::error::{Error, Result};
use crate::filter::OfferFilter;
use crate::specs::{Spec, canonical};

/// The default number of candidates.
const LIMIT: u32 = 15;
/// The maximum number of machines of one plan.
pub const MAX_NODES: u32 = 10_000;

/// Machines to plan for, the workload, and the plan target.
#[derive(Clone, Debug)]
pub struct PlanRequest {
    /// `H100:x8`; alternatives are tried in order.
    pub spec: Spec,
    /// The filters; `max_price` applies to one machine.
    pub offers: OfferFilter,
    /// True to try spot first where it is sold, and on-demand afterwards.
    pub spot_first: bool,
    /// True to use each region once per capacity type.
    pub distinct_regions: bool,
    /// True to exclude larger machines even if a provider sells no exact match.
    pub exact: bool,
    /// The number of machines.
    pub nodes: u32,
    /// The hours that the machines are needed; `None` if unknown.
    pub hours: Option<f64>,
    /// The maximum cost of all machines in US dollars: the total if `hours` is given, per hour otherwise.
    pub budget_usd: Option<f64>,
    /// The required interconnect; `None` if any will do.
    pub interconnect: Option<Interconnect>,
    /// The CUDA version of the image.
    pub cuda: Option<CudaVersion>,
    /// Disk space in decimal GB.
    pub disk_gb: Option<u32>,
    /// The workload.
    pub work: Work,
    /// The target that the plan is written for.
    pub target: Option<Target>,
    /// True to treat losses of the target as errors.
    pub strict: bool,
    /// The maximum age of a catalog price.
    pub max_age: Option<Duration>,
    /// Recommended machines, which rank first, and their workload.
    pub recommended: Recommended,
}

impl PlanRequest {
    /// Creates a request for one machine, with all options at their defaults.
    pub fn new(spec: impl Into<Spec>) -> Self {
        Self {
            spec: spec.into(),
            offers: OfferFilter::default(),
            spot_first: false,
            distinct_regions: false,
            exact: false,
            nodes: 1,
            hours: None,
            budget_usd: None,
            interconnect: None,
            cuda: None,
            disk_gb: None,
            work: Work::default(),
            target: None,
            strict: false,
            max_age: None,
            recommended: Recommended::default(),
        }
    }

    /// Completes the request with the specs, filters and recommended machines of `input`. Options of the request
    /// have precedence, and `nodes` over the number of machines of a recommendation.
    #[must_use]
    pub fn with_input(mut self, input: PlanInput, nodes: Option<u32>) -> Self {
        let mut defaults = input.offers;
        self.nodes = nodes.or(input.recommended.nodes).unwrap_or(1);
        if input.recommended.nodes.is_some() {
            // The price limit of a recommendation is for all its machines together.
            let share = |Num(usd)| Num(usd / f64::from(self.nodes));
            defaults.max_price = defaults.max_price.map(share);
            // The layout requires this exact number of devices.
            self.exact |= input.recommended.work.is_some();
        }
        self.spec = input.spec.into();
        self.offers = self.offers.or(&defaults);
        self.recommended = input.recommended;
        self
    }

    /// The filter for live queries: wide enough for the target and for spot.
    pub fn live_offers(&self, catalog: &Catalog<'_>) -> OfferFilter {
        let mut offers = self.offers.clone();
        if self.spot_first {
            offers.capacity_type = CapacityFilter::Any;
        }
        if !offers.providers.is_empty() {
            return offers;
        }
        // Do not query a provider that the target does not support.
        let reached = self.target.map(|target| reached(catalog, target));
        let reached = reached.into_iter().flatten().map(str::to_owned);
        offers.providers.extend(reached);
        offers
    }
}

/// The ids of the providers that a target supports; empty if it does not rent machines, or if it supports
/// all.
fn reached<'a>(catalog: &Catalog<'a>, target: Target) -> Vec<&'a str> {
    if let Some(provider) = target.provider() {
        return catalog
            .provider_named(provider)
            .map(|id| catalog.provider_id(id))
            .into_iter()
            .collect();
    }
    let tool = target.tool().and_then(|tool| catalog.tool(tool));
    let rows = tool.map(|tool| catalog.tool_providers.run(tool.providers));
    let rows = rows.into_iter().flat_map(|rows| rows.iter());
    rows.map(|row| catalog.provider_id(row.provider)).collect()
}

/// The targets that support any of the providers with these ids, and the targets that do not rent machines.
pub(super) fn targets_for(catalog: &Catalog<'_>, providers: &[&str]) -> Vec<Target> {
    let reaches = |target: &Target| {
        let reached = reached(catalog, *target);
        reached.is_empty() || reached.iter().any(|id| providers.contains(id))
    };
    Target::ALL.into_iter().filter(reaches).collect()
}

/// A validated request.
pub(super) struct ParsedRequest {
    pub request: Request,
    pub understood: PlanEcho,
    pub job: Job,
    /// The note on providers that the target excludes.
    pub note: Option<Note>,
}

/// The maximum price per machine and hour, from the machine limit and its share of the budget.
fn limit_of_one(
    max_price: Option<Usd>,
    budget: Option<f64>,
    hours: Option<f64>,
    nodes: u32,
) -> Option<Usd> {
    let share = budget.map(|budget| budget / hours.unwrap_or(1.0) / f64::from(nodes));
    // Rounded down to a cent, so that no machine within the limit exceeds the budget.
    let share = share.and_then(|usd| Usd::from_decimal((usd * 100.0).floor() / 100.0));
    match (max_price, share) {
        (Some(max), Some(share)) => Some(max.min(share)),
        (max, share) => max.or(share),
    }
}

/// The features that a target must support at a provider.
fn needs(request: &PlanRequest) -> Vec<&'static str> {
    let is_machine = |image: &Image| {
        let image = image.as_str();
        image.starts_with("ami-") || image.starts_with("resolve:ssm:")
    };
    let is_container = request
        .work
        .image
        .as_ref()
        .is_some_and(|image| !is_machine(image));
    let is_fabric = request
        .interconnect
        .is_some_and(|kind| kind != Interconnect::Nvlink);
    let needs = [
        ("image", is_container),
        ("nodes", request.nodes > 1),
        ("interconnect", is_fabric),
    ];
    let needed = needs.into_iter().filter(|(_, is_needed)| *is_needed);
    needed.map(|(need, _)| need).collect()
}

fn capacity_order(request: &PlanRequest) -> CapacityOrder {
    if request.spot_first {
        return CapacityOrder::SpotFirst;
    }
    match request.offers.capacity_type {
        CapacityFilter::Unspecified | CapacityFilter::OnDemand => CapacityOrder::OnDemand,
        CapacityFilter::Spot => CapacityOrder::Spot,
        CapacityFilter::Any => CapacityOrder::Any,
    }
}

fn positive(name: &str, figure: Option<f64>) -> Result<Option<f64>> {
    match figure {
        Some(figure) if !(figure.is_finite() && figure > 0.0 && figure < 1e9) => {
            let message = format!("`{name}` must be a number above 0, not {figure}");
            Err(Error::new(ErrorCode::BadValue, message))
        }
        figure => Ok(figure),
    }
}

/// The providers that the target and reserved capacity allow, and the providers where the target does not
/// support a required feature.
fn providers(
    catalog: &Catalog<'_>,
    request: &PlanRequest,
    named: &[ProviderId],
    is_reserved: bool,
) -> Result<(Vec<ProviderId>, Vec<ProviderId>)> {
    let mut providers = named.to_vec();
    let mut left_out = Vec::new();
    if let Some((target, provider)) = request.target.and_then(|t| Some((t, t.provider()?))) {
        let bound: Vec<_> = catalog.provider_named(provider).into_iter().collect();
        if !providers.is_empty() && !bound.iter().any(|id| providers.contains(id)) {
            let message = format!(
                "target `{}` only uses provider {provider}, which `providers` excludes",
                target.name()
            );
            return Err(Error::new(ErrorCode::TargetProvider, message));
        }
        providers = bound;
    }
    if let Some(tool) = request
        .target
        .and_then(Target::tool)
        .and_then(|id| catalog.tool(id))
    {
        // An unsupported provider must not displace a supported one, so filter before ranking.
        let needs = needs(request);
        let usable = |id: &ProviderId| {
            let is_reached = tool.providers.len == 0 || catalog.tool_provider(&tool, *id).is_some();
            is_reached && needs.iter().all(|need| catalog.tool_can(&tool, *id, need))
        };
        let every = (0..catalog.providers.len() as u16).map(ProviderId);
        let asked = |id: &ProviderId| providers.is_empty() || providers.contains(id);
        let (known, unusable): (Vec<_>, Vec<_>) = every.filter(asked).partition(usable);
        if !known.is_empty() {
            left_out = unusable;
            providers = known;
        }
    }
    // Reserved capacity is already paid for, so price limits do not apply.
    if is_reserved {
        let every = (0..catalog.providers.len() as u16).map(ProviderId);
        let mut reserving: Vec<ProviderId> = every
            .filter(|id| catalog.provider(*id).sells_reservations)
            .collect();
        if !providers.is_empty() {
            let ids: Vec<&str> = reserving
                .iter()
                .map(|id| catalog.provider_id(*id))
                .collect();
            reserving.retain(|id| providers.contains(id));
            if reserving.is_empty() {
                let ids = list_and(&ids);
                let message = format!(
                    "reserved capacity is sold by {ids}, which `providers` or `to` excludes"
                );
                return Err(Error::new(ErrorCode::Capacity, message));
            }
        }
        providers = reserving;
    }
    Ok((providers, left_out))
}

/// Validates a request.
pub(super) fn read(
    catalog: &Catalog<'_>,
    request: &PlanRequest,
    wanted: &[Wanted],
    is_live: bool,
) -> Result<ParsedRequest> {
    let mut offers = request.offers.request(catalog)?;
    let capacity_order = capacity_order(request);
    let capacity = match (&request.work.reservation, &request.work.capacity_block) {
        (Some(id), _) => Some(Capacity::Reservation(id.to_string())),
        (None, Some(id)) => Some(Capacity::Block(id.to_string())),
        (None, None) => None,
    };
    let (providers, left_out) = providers(catalog, request, &offers.providers, capacity.is_some())?;
    offers.providers = providers;
    if capacity.is_some() && capacity_order != CapacityOrder::OnDemand {
        let message = "reserved capacity can only be used on demand, not as spot";
        return Err(Error::new(ErrorCode::Capacity, message));
    }
    if !(1..=MAX_NODES).contains(&request.nodes) {
        let nodes = request.nodes;
        let message = format!("a plan needs 1 to {MAX_NODES} machines, not {nodes}");
        return Err(Error::new(ErrorCode::BadValue, message));
    }
    let hours = positive("hours", request.hours)?;
    let budget = positive("budget", request.budget_usd)?;
    let limit = request.offers.limit.unwrap_or(LIMIT);
    let ids = offers.providers.iter();
    let work = &request.work;
    let cuda = request.cuda.as_ref().map(ToString::to_string);
    let understood = PlanEcho {
        spec: canonical(wanted),
        providers: ids.map(|id| catalog.provider_id(*id).to_owned()).collect(),
        regions: request.offers.regions.clone(),
        capacity_type: capacity_order,
        price_tier: request.offers.price_tier.clone(),
        currency: request
            .offers
            .currency
            .as_deref()
            .map(str::to_ascii_uppercase),
        max_price: request.offers.max_price,
        budget: budget.map(Num),
        hours: hours.map(Num),
        nodes: request.nodes,
        exact: request.exact,
        distinct: request.distinct_regions.then_some("regions"),
        interconnect: request.interconnect,
        cuda: cuda.clone(),
        disk_gb: request.disk_gb,
        reservation: work.reservation.as_ref().map(ToString::to_string),
        capacity_block: work.capacity_block.as_ref().map(ToString::to_string),
        limit,
        live: is_live,
        max_age_s: request.max_age.map(|age| age.as_secs()),
    };
    let job = Job {
        name: work.name.clone(),
        image: work.image.as_ref().map(ToString::to_string),
        command: work.command.clone(),
        variables: Vec::new(),
        disk_gb: request.disk_gb,
        nodes: request.nodes,
        capacity_order,
        max_price: limit_of_one(offers.max_price, budget, hours, request.nodes),
        interconnect: request.interconnect,
        cuda: cuda.clone(),
        capacity: capacity.clone(),
        slurm_types: work
            .slurm_types
            .iter()
            .map(|SlurmType { name, site }| (name.clone(), site.clone()))
            .collect(),
    };
    let request_of_core = Request {
        offers,
        capacity_order,
        exact: request.exact,
        distinct_regions: request.distinct_regions,
        nodes: request.nodes,
        hours,
        budget: budget.and_then(Usd::from_decimal),
        interconnect: request.interconnect,
        cuda,
        reserved: capacity.as_ref().map(|capacity| match capacity {
            Capacity::Reservation(_) => Reserved::Reservation,
            Capacity::Block(_) => Reserved::Block,
        }),
        limit: limit as usize,
    };
    Ok(ParsedRequest {
        request: request_of_core,
        understood,
        job,
        note: left_out_note(catalog, request.target, &left_out),
    })
}

fn left_out_note(
    catalog: &Catalog<'_>,
    target: Option<Target>,
    left_out: &[ProviderId],
) -> Option<Note> {
    let target = target.filter(|_| !left_out.is_empty())?;
    let ids: Vec<&str> = left_out.iter().map(|id| catalog.provider_id(*id)).collect();
    let message = format!(
        "{} does not support the requested features at {}",
        target.name(),
        some_of(&ids)
    );
    Some(Note::new("target-cannot", message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::EMBEDDED;

    #[test]
    fn queries_only_providers_that_the_target_supports() {
        let asked = |target: Option<Target>, named: &[&str]| {
            let mut request = PlanRequest::new("H100");
            request.target = target;
            request.offers.providers = named.iter().map(|id| (*id).to_owned()).collect();
            request.live_offers(&EMBEDDED).providers
        };
        assert!(asked(None, &[]).is_empty());
        assert_eq!(asked(Some(Target::Karpenter), &[]), ["aws"]);
        let terraform = asked(Some(Target::Terraform), &[]);
        assert!(terraform.contains(&"aws".to_owned()));
        assert!(!terraform.contains(&"runpod".to_owned()));
        assert_eq!(asked(Some(Target::Terraform), &["verda"]), ["verda"]);
    }
}
