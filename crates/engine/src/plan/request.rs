//! Converts a plan request to the core's request and the job for the target.

use jiff::civil::Date;
use sky_accel_core::bind::BoundChoice;
use sky_accel_core::catalog::{Catalog, ProviderId};
use sky_accel_core::money::Usd;
use sky_accel_core::note::Note;
use sky_accel_core::plan::{CapacityOrder, Interconnect, PlanObjective, Request, Reserved};
use sky_accel_core::resolve::CapacityFilter;
use sky_accel_core::text::{list_and, some_of};
use sky_accel_targets::{Capacity, HostLimits, Job, MachineImage, Target};

use super::input::PlanInput;
use super::recommended::Recommended;
use super::work::{CudaVersion, SlurmType, Work};
use crate::bill::BillUse;
use crate::code::ErrorCode;
use crate::commitments;
use crate::contract::{Num, PlanEcho};
use crate::error::{Error, Result};
use crate::filter::{MAX_NODES, OfferFilter, needs_live, positive};
use crate::specs::{Spec, canonical};

/// The default number of candidates.
const LIMIT: u32 = 15;

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
    /// The criterion that ranks the candidates.
    pub objective: PlanObjective,
    /// True to exclude larger machines even if a provider sells no exact match.
    pub exact: bool,
    /// The number of machines.
    pub nodes: u32,
    /// The maximum cost of all machines in US dollars: the total if `offers.hours` is given, per hour otherwise.
    pub budget_usd: Option<f64>,
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
    /// Recommended machines, which rank first, and their workload.
    pub recommended: Recommended,
    /// The use that each candidate gets its whole bill for; `None` without bills.
    pub bill: Option<BillUse>,
}

impl PlanRequest {
    /// Creates a request for one machine, with all options at their defaults.
    pub fn new(spec: impl Into<Spec>) -> Self {
        Self {
            spec: spec.into(),
            offers: OfferFilter::default(),
            spot_first: false,
            distinct_regions: false,
            objective: PlanObjective::Price,
            exact: false,
            nodes: 1,
            budget_usd: None,
            cuda: None,
            disk_gb: None,
            work: Work::default(),
            target: None,
            strict: false,
            recommended: Recommended::default(),
            bill: None,
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
pub(super) fn reached<'a>(catalog: &Catalog<'a>, target: Target) -> Vec<&'a str> {
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
    /// Whether the request names providers.
    pub names_providers: bool,
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
    let image = request.work.image.as_ref();
    let is_container = image.is_some_and(|image| MachineImage::parse(image.as_str()).is_none());
    let interconnect = request.offers.interconnect;
    let is_fabric = interconnect.is_some_and(Interconnect::is_fabric);
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

/// The providers that the target and reserved capacity allow, and the providers where the target does not
/// support a required feature.
fn providers(
    catalog: &Catalog<'_>,
    request: &PlanRequest,
    named: &[ProviderId],
    is_reserved: bool,
) -> Result<(Vec<ProviderId>, Vec<ProviderId>)> {
    let mut providers = named.to_vec();
    let mut excluded = Vec::new();
    if let Some((target, provider)) = request.target.and_then(|t| Some((t, t.provider()?))) {
        let bound: Vec<_> = catalog.provider_named(provider).into_iter().collect();
        if !providers.is_empty() && !bound.iter().any(|id| providers.contains(id)) {
            let message = format!(
                "`to` {} uses only provider {provider}, which `providers` excludes",
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
        let is_requested = |id: &ProviderId| providers.is_empty() || providers.contains(id);
        let (supported, unusable): (Vec<_>, Vec<_>) = every.filter(is_requested).partition(usable);
        if !supported.is_empty() {
            excluded = unusable;
            providers = supported;
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
    Ok((providers, excluded))
}

/// Validates a request.
pub(super) fn read(
    catalog: &Catalog<'_>,
    request: &PlanRequest,
    choices: &[BoundChoice],
    today: Date,
    is_live: bool,
) -> Result<ParsedRequest> {
    commitments::check_amounts(catalog, &[], request.bill.as_ref())?;
    request.offers.check_live(is_live)?;
    if request.objective == PlanObjective::Obtainability && !is_live {
        return Err(needs_live("`objective` obtainability"));
    }
    let mut offers = request.offers.request(catalog, today)?;
    let capacity_order = capacity_order(request);
    let capacity = match (&request.work.reservation, &request.work.capacity_block) {
        (Some(id), _) => Some(Capacity::Reservation(id.to_string())),
        (None, Some(id)) => Some(Capacity::Block(id.to_string())),
        (None, None) => None,
    };
    let (providers, excluded) = providers(catalog, request, &offers.providers, capacity.is_some())?;
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
    let hours = request.offers.hours()?;
    let budget = positive("budget_usd", request.budget_usd.map(Num))?;
    let cuda = request.cuda.as_ref().map(ToString::to_string);
    let ids = offers.providers.iter();
    let ids = ids.map(|id| catalog.provider_id(*id).to_owned()).collect();
    let job = Job {
        max_price: limit_of_one(offers.max_price, budget, hours, request.nodes),
        ..job(request, capacity_order, capacity.clone())
    };
    let request_of_core = Request {
        offers,
        capacity_order,
        objective: request.objective,
        exact: request.exact,
        distinct_regions: request.distinct_regions,
        nodes: request.nodes,
        hours,
        budget: budget.and_then(Usd::from_decimal),
        cuda,
        reserved: capacity.as_ref().map(|capacity| match capacity {
            Capacity::Reservation(_) => Reserved::Reservation,
            Capacity::Block(_) => Reserved::Block,
        }),
        limit: request.offers.limit.unwrap_or(LIMIT) as usize,
    };
    Ok(ParsedRequest {
        request: request_of_core,
        understood: echo(request, canonical(choices), ids, is_live),
        job,
        names_providers: !request.offers.providers.is_empty(),
        note: excluded_note(catalog, request.target, &excluded),
    })
}

/// The request as it was understood, for a spec in canonical form and the ids of providers.
fn echo(request: &PlanRequest, spec: String, providers: Vec<String>, is_live: bool) -> PlanEcho {
    let work = &request.work;
    PlanEcho {
        spec,
        providers,
        regions: request.offers.regions.clone(),
        capacity_type: capacity_order(request),
        price_tier: request.offers.price_tier.clone(),
        currency: request
            .offers
            .currency
            .as_deref()
            .map(str::to_ascii_uppercase),
        max_price: request.offers.max_price,
        budget: request.budget_usd.map(Num),
        hours: request.offers.hours,
        nodes: request.nodes,
        objective: request.objective,
        available: request.offers.available,
        min_vcpu: request.offers.min_vcpu,
        min_host_memory_gib: request.offers.min_host_memory_gib,
        exact: request.exact,
        distinct: request.distinct_regions.then_some("regions"),
        interconnect: request.offers.interconnect,
        cuda: request.cuda.as_ref().map(ToString::to_string),
        disk_gb: request.disk_gb,
        reservation: work.reservation.as_ref().map(ToString::to_string),
        capacity_block: work.capacity_block.as_ref().map(ToString::to_string),
        limit: request.offers.limit.unwrap_or(LIMIT),
        live: is_live,
        max_age_s: request.offers.max_age_s,
    }
}

/// The smallest host of a request; `None` for any.
fn host_limits(offers: &OfferFilter) -> Option<HostLimits> {
    let limits = HostLimits {
        vcpu: offers.min_vcpu.map(|figure| figure.0),
        memory_gib: offers.min_host_memory_gib.map(|figure| figure.0),
    };
    (limits != HostLimits::default()).then_some(limits)
}

/// The job for the target, without a price limit.
fn job(request: &PlanRequest, capacity_order: CapacityOrder, capacity: Option<Capacity>) -> Job {
    let work = &request.work;
    Job {
        name: work.name.clone(),
        image: work.image.as_ref().map(ToString::to_string),
        entry_arguments: None,
        command: work.command.clone(),
        server: None,
        variables: Vec::new(),
        disk_gb: request.disk_gb,
        is_disk_of_model: false,
        nodes: request.nodes,
        capacity_order,
        max_price: None,
        interconnect: request.offers.interconnect,
        host: host_limits(&request.offers),
        cuda: request.cuda.as_ref().map(ToString::to_string),
        capacity,
        slurm_types: work
            .slurm_types
            .iter()
            .map(|SlurmType { name, site }| (name.clone(), site.clone()))
            .collect(),
    }
}

fn excluded_note(
    catalog: &Catalog<'_>,
    target: Option<Target>,
    excluded: &[ProviderId],
) -> Option<Note> {
    let target = target.filter(|_| !excluded.is_empty())?;
    let ids: Vec<&str> = excluded.iter().map(|id| catalog.provider_id(*id)).collect();
    let message = format!("{} cannot rent this at {}", target.name(), some_of(&ids));
    Some(Note::new("target-cannot", message))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::EMBEDDED;

    #[test]
    fn queries_only_providers_that_the_target_supports() {
        let queried = |target: Option<Target>, named: &[&str]| {
            let mut request = PlanRequest::new("H100");
            request.target = target;
            request.offers.providers = named.iter().map(|id| (*id).to_owned()).collect();
            request.live_offers(&EMBEDDED).providers
        };
        assert!(queried(None, &[]).is_empty());
        assert_eq!(queried(Some(Target::Karpenter), &[]), ["aws"]);
        let terraform = queried(Some(Target::Terraform), &[]);
        assert!(terraform.contains(&"aws".to_owned()));
        assert!(!terraform.contains(&"runpod".to_owned()));
        assert_eq!(queried(Some(Target::Terraform), &["verda"]), ["verda"]);
    }

    use crate::engine::Engine;

    fn code(change: impl FnOnce(&mut PlanRequest)) -> Option<ErrorCode> {
        let mut request = PlanRequest::new("H100:x8");
        change(&mut request);
        let answer = Engine::embedded().plan(&request);
        answer.err().map(|error| error.problems[0].code)
    }

    #[test]
    fn rejects_contradictory_requests() {
        assert_eq!(code(|_| {}), None);
        assert_eq!(code(|request| request.nodes = 0), Some(ErrorCode::BadValue));
        assert_eq!(
            code(|request| request.offers.hours = Some(Num(0.0))),
            Some(ErrorCode::BadValue)
        );
        let budget = |request: &mut PlanRequest| request.budget_usd = Some(f64::NAN);
        assert_eq!(code(budget), Some(ErrorCode::BadValue));
        let spot_reservation = |request: &mut PlanRequest| {
            request.spot_first = true;
            request.work.reservation = "cr-0123456789abcdef0".parse().ok();
        };
        assert_eq!(code(spot_reservation), Some(ErrorCode::Capacity));
        let other_provider = |request: &mut PlanRequest| {
            request.target = Some(Target::Verda);
            request.offers.providers = vec!["aws".to_owned()];
        };
        assert_eq!(code(other_provider), Some(ErrorCode::TargetProvider));
    }

    #[test]
    fn the_price_limit_is_the_lower_of_limit_and_budget_share() {
        let usd = Usd::from_decimal;
        assert_eq!(limit_of_one(None, None, None, 2), None);
        assert_eq!(limit_of_one(usd(5.0), None, None, 2), usd(5.0));
        assert_eq!(limit_of_one(usd(5.0), Some(8.0), None, 2), usd(4.0));
        assert_eq!(
            limit_of_one(usd(5.0), Some(100.0), Some(10.0), 3),
            usd(3.33)
        );
    }

    #[test]
    fn machine_images_do_not_need_containers() {
        let needs_container = |image: &str| {
            let mut request = PlanRequest::new("H100");
            request.work.image = image.parse().ok();
            needs(&request).contains(&"image")
        };
        assert!(needs_container("python:3.12"));
        assert!(!needs_container("ami-0123456789abcdef0"));
        assert!(!needs_container("resolve:ssm:/aws/service/ami"));
    }

    #[test]
    fn input_completes_a_request_without_overriding_it() {
        let input = || PlanInput {
            spec: "L4".to_owned(),
            offers: OfferFilter {
                providers: vec!["gcp".to_owned()],
                max_price: Some(Num(9.0)),
                ..OfferFilter::default()
            },
            recommended: Recommended {
                nodes: Some(3),
                ..Recommended::default()
            },
            ..PlanInput::default()
        };
        let completed = PlanRequest::new("H100").with_input(input(), None);
        assert_eq!(completed.nodes, 3);
        assert_eq!(completed.offers.max_price, Some(Num(3.0)));
        assert_eq!(completed.offers.providers, ["gcp"]);
        let mut request = PlanRequest::new("H100");
        request.offers.providers = vec!["aws".to_owned()];
        let completed = request.with_input(input(), Some(9));
        assert_eq!(completed.nodes, 9);
        assert_eq!(completed.offers.max_price, Some(Num(1.0)));
        assert_eq!(completed.offers.providers, ["aws"]);
    }

    #[test]
    fn a_plan_says_when_it_leaves_the_provider_of_the_instance_type() {
        let is_noted = |providers: &[&str]| {
            let mut request = PlanRequest::new("p5.48xlarge");
            let providers = providers.iter().map(|id| (*id).to_owned());
            request.offers.providers = providers.collect();
            let answer = crate::Engine::embedded().plan(&request).unwrap();
            let mut notes = answer.envelope.notes.iter();
            notes.any(|note| note.code == "elsewhere")
        };
        assert!(is_noted(&[]));
        assert!(!is_noted(&["aws"]));
    }
}
