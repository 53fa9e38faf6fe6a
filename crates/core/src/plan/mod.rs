//! Planning: which machines to try, in which order.
//!
//! Every way to buy every match is a candidate: an offer, in a region, on demand or spot. What
//! cannot be used is rejected for one of a closed list of reasons; the rest is ranked by a total
//! order, so that equal inputs give equal plans.

mod check;
mod rank;
mod reject;
mod search;

use std::collections::BTreeMap;

use crate::bind::Wanted;
use crate::catalog::{
    AcceleratorId, CapacityType, Catalog, Fabric, Offer, OfferId, RegionId, Sells, Status,
};
use crate::money::{Count, Usd};
use crate::resolve::{self, DropCode, Match, Quote};
use crate::text::number;

pub use check::{Check, CheckId, CheckState, CudaMismatch, Needs};
pub use reject::{Reject, Rejected};

crate::words! {
    /// The capacity types that a plan tries, and their order.
    #[derive(Default)]
    pub enum CapacityOrder {
        /// On-demand machines only.
        #[default]
        OnDemand = "on-demand",
        /// Spot machines only.
        Spot = "spot",
        /// Spot wherever it is sold, then on-demand.
        SpotFirst = "spot-first",
        /// Both, the cheaper one first.
        Any = "any",
    }
}

impl CapacityOrder {
    /// Returns the capacity type whose price ranks alternatives.
    pub fn filter(self) -> resolve::CapacityFilter {
        match self {
            Self::OnDemand => resolve::CapacityFilter::OnDemand,
            Self::Spot => resolve::CapacityFilter::Spot,
            Self::SpotFirst | Self::Any => resolve::CapacityFilter::Any,
        }
    }

    fn capacities(self) -> &'static [CapacityType] {
        match self {
            Self::OnDemand => &[CapacityType::OnDemand],
            Self::Spot => &[CapacityType::Spot],
            Self::SpotFirst | Self::Any => &[CapacityType::Spot, CapacityType::OnDemand],
        }
    }
}

crate::words! {
    /// The link that must join the accelerators.
    pub enum Interconnect {
        /// Elastic Fabric Adapters between machines.
        Efa = "efa",
        /// InfiniBand between machines.
        Infiniband = "infiniband",
        /// NVLink inside a machine.
        Nvlink = "nvlink",
        /// Any of them.
        Any = "any",
    }
}

/// Capacity that is already paid for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reserved {
    /// An on-demand reservation, kept for its owner.
    Reservation,
    /// A capacity block, bought in advance.
    Block,
}

/// The conditions of a plan beside the spec.
#[derive(Clone, Debug)]
pub struct Request {
    /// Providers, regions, and the price limit for one machine and hour.
    pub offers: resolve::Request,
    /// The capacity types to try, and their order.
    pub capacity_order: CapacityOrder,
    /// Whether larger machines are left out where a provider sells no exact one.
    pub exact: bool,
    /// Whether each region is taken once for each capacity type.
    pub distinct_regions: bool,
    /// The number of machines.
    pub nodes: u32,
    /// The duration in hours; `None` when it is not given.
    pub hours: Option<f64>,
    /// The most to spend on all machines, in USD: for all hours where `hours` is given, else per
    /// hour. `None` without a budget.
    pub budget: Option<Usd>,
    /// The required link; `None` when any will do.
    pub interconnect: Option<Interconnect>,
    /// The CUDA version of the image; `None` when it is not given.
    pub cuda: Option<String>,
    /// The capacity that is already paid for: no price limit or budget excludes it. `None` when
    /// there is none.
    pub reserved: Option<Reserved>,
    /// The most candidates of the plan.
    pub limit: usize,
}

impl Request {
    /// The cost of all machines in so many hours at a price for one; `None` when it is more than can be counted.
    fn usd_total(&self, usd: Usd, hours: f64) -> Option<Usd> {
        let usd = usd.times(Count::whole(self.nodes));
        Usd::from_decimal(usd.decimal() * hours)
    }
}

/// Facts at the moment of planning that no catalog has.
pub trait World {
    /// Returns whether a price of that date is older than allowed; `None` stands for an unknown
    /// price.
    fn is_stale(&self, as_of: Option<&str>) -> bool;

    /// Returns whether the account's quota admits the machines; `None` when that is unknown.
    fn quota_allows(
        &self,
        offer: OfferId,
        region: Option<RegionId>,
        capacity: CapacityType,
    ) -> Option<bool>;
}

/// A [`World`] in which nothing is known.
pub struct Offline;

impl World for Offline {
    fn is_stale(&self, _: Option<&str>) -> bool {
        false
    }

    fn quota_allows(&self, _: OfferId, _: Option<RegionId>, _: CapacityType) -> Option<bool> {
        None
    }
}

/// One way to get the machines.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The match that it buys.
    pub found: Match,
    /// The capacity type.
    pub capacity: CapacityType,
    /// The region; `None` where the provider chooses it or the price names none.
    pub region: Option<RegionId>,
    /// The price of one machine; `None` when it is unknown.
    pub quote: Option<Quote>,
    /// Whether the machine has exactly the requested number of accelerators.
    pub is_exact: bool,
    /// USD per hour for all machines; `None` when the price is unknown.
    pub usd_per_hour: Option<Usd>,
    /// USD for all machines and hours; `None` when the price or the duration is unknown.
    pub usd_total: Option<Usd>,
    /// The checks before the candidate is tried.
    pub checks: Vec<Check>,
}

impl Candidate {
    /// Whether one of the checks fails.
    pub fn fails(&self) -> bool {
        self.checks
            .iter()
            .any(|check| check.state == CheckState::Fail)
    }
}

/// The candidates to try, and the rejected offers.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The candidates, best first.
    pub candidates: Vec<Candidate>,
    /// The number of candidates cut off by the limit, or by the request for distinct regions. Of
    /// thousands of offers, those are counted too that were not looked at, since they could not be
    /// among the best.
    pub left_off: usize,
    /// The offers that are no candidates, each with its reason. Of thousands of offers, only those that
    /// could be among the best.
    pub rejected: Vec<Rejected>,
}

/// Makes a plan: finds every way to buy a matching offer, rejects those that a condition excludes,
/// and ranks the rest.
pub fn plan(
    catalog: &Catalog<'_>,
    wanted: &[Wanted],
    request: &Request,
    world: &dyn World,
) -> Plan {
    let mut planner = Planner {
        catalog,
        wanted,
        request,
        world,
        candidates: Vec::new(),
        first_choices: BTreeMap::new(),
        rejected: Vec::new(),
    };
    // Prices are held against the limits here, each capacity type by itself.
    let offers = resolve::Request {
        at_least: true,
        max_price: None,
        limit: None,
        explain: false,
        capacity_filter: resolve::CapacityFilter::Unspecified,
        ..request.offers.clone()
    };
    // A place that an earlier choice takes is none for a later one: this needs all of them.
    let needs_all = request.distinct_regions && wanted.len() > 1;
    let unseen = if !needs_all && resolve::is_many(catalog, wanted) {
        search::search(&mut planner, &offers)
    } else {
        resolve::verdicts(catalog, wanted, &offers, &mut |choice, offer, verdict| {
            planner.judged(choice, offer, verdict);
        });
        0
    };
    planner.leave_out_larger();
    let Planner {
        mut candidates,
        rejected,
        ..
    } = planner;
    rank::sort(catalog, &mut candidates, request.capacity_order);
    let left_off = rank::cut(catalog, &mut candidates, request);
    Plan {
        candidates,
        left_off: unseen + left_off,
        rejected: reject::settled(rejected),
    }
}

struct Planner<'p, 'a> {
    catalog: &'p Catalog<'a>,
    wanted: &'p [Wanted],
    request: &'p Request,
    world: &'p dyn World,
    candidates: Vec<Candidate>,
    /// The first choice that each machine is a candidate of.
    first_choices: BTreeMap<(OfferId, Count), usize>,
    rejected: Vec<Rejected>,
}

impl Planner<'_, '_> {
    fn judged(&mut self, choice: usize, offer: OfferId, verdict: Result<Match, DropCode>) {
        match verdict {
            Ok(found) => self.found(&found),
            Err(DropCode::ProviderNotAsked) => {}
            Err(code) => self.dropped(choice, offer, code),
        }
    }

    fn dropped(&mut self, choice: usize, offer: OfferId, code: DropCode) {
        let row = self.catalog.offer(offer);
        self.rejected.push(Rejected {
            choice,
            offer,
            count: row.count,
            capacity: None,
            region: None,
            reason: Reject::of(code),
            detail: code.meaning().to_owned(),
            usd: None,
        });
    }

    fn reject(&mut self, candidate: &Candidate, reason: Reject, detail: impl Into<String>) {
        self.rejected.push(Rejected {
            choice: candidate.found.choice,
            offer: candidate.found.offer,
            count: Some(candidate.found.count),
            capacity: Some(candidate.capacity),
            region: candidate.region,
            reason,
            detail: detail.into(),
            usd: candidate.usd_per_hour,
        });
    }

    /// All ways to buy a match.
    fn found(&mut self, found: &Match) {
        // A later choice adds nothing to what an earlier one has.
        let machine = (found.offer, found.count);
        let first_choice = self.first_choices.get(&machine);
        if first_choice.is_some_and(|first| *first < found.choice) {
            return;
        }
        let offer = self.catalog.offer(found.offer);
        let wanted = &self.wanted[found.choice];
        let is_slice = offer.mig_profile.len > 0;
        let is_exact = is_slice || is_exact(wanted, found.accelerator, found.count);
        for &capacity in self.request.capacity_order.capacities() {
            let ways = resolve::ways(self.catalog, found, capacity, &self.request.offers);
            let nodes = Count::whole(self.request.nodes);
            let hours = self.request.hours;
            let hours = hours.map(|hours| self.catalog.billed_hours(&offer, hours));
            let candidates: Vec<Candidate> = ways
                .into_iter()
                .map(|(region, quote)| Candidate {
                    found: found.clone(),
                    capacity,
                    region,
                    quote,
                    is_exact,
                    usd_per_hour: quote.map(|quote| quote.usd.times(nodes)),
                    usd_total: quote
                        .zip(hours)
                        .and_then(|(quote, hours)| self.request.usd_total(quote.usd, hours)),
                    checks: Vec::new(),
                })
                .collect();
            for mut candidate in candidates {
                if let Some((reason, detail)) = self.refusal(&candidate) {
                    self.reject(&candidate, reason, detail);
                    continue;
                }
                candidate.checks =
                    check::checks(self.catalog, self.request, self.world, &candidate);
                self.candidates.push(candidate);
                self.first_choices.entry(machine).or_insert(found.choice);
            }
        }
    }

    /// Why a candidate cannot be used.
    fn refusal(&self, candidate: &Candidate) -> Option<(Reject, String)> {
        let (catalog, request) = (self.catalog, self.request);
        let offer = catalog.offer(candidate.found.offer);
        let accelerator = catalog.accelerator(candidate.found.accelerator);
        if offer.status == Status::Retired {
            return Some((Reject::NotOffered, "is retired".to_owned()));
        }
        if offer.status == Status::Stale {
            return Some((Reject::NotOffered, "is on an old list only".to_owned()));
        }
        // What is paid for already is of one type, whatever else has the same hardware.
        let named = self.wanted[candidate.found.choice].instance_type.as_deref();
        if let Some(named) = named
            && request.reserved.is_some()
            && named != catalog.str(offer.id)
        {
            let why = format!("what is paid for already is of the type {named}");
            return Some((Reject::Name, why));
        }
        if let Some(dropped) = self.other_capacity(candidate, &offer) {
            return Some((Reject::Market, dropped.meaning().to_owned()));
        }
        let of_capacity = |price: crate::catalog::Price| price.capacity == candidate.capacity;
        // Of a marketplace every machine can be bid for.
        let is_market = catalog.provider(offer.provider).sells == Sells::Marketplace;
        if candidate.capacity == CapacityType::Spot
            && !is_market
            && !catalog.prices(&offer).iter().any(of_capacity)
        {
            return Some((Reject::Market, "is not known to be sold as spot".to_owned()));
        }
        if !candidate.is_exact && request.exact {
            return Some((Reject::Count, DropCode::CountDiffers.meaning().to_owned()));
        }
        if let Some(wish) = request.interconnect
            && !has_interconnect(catalog, candidate, wish)
        {
            return Some((Reject::NoInterconnect, "is not joined as asked".to_owned()));
        }
        if let Some(cuda) = &request.cuda
            && let Err(why) = check::cuda_runs(catalog, &accelerator, cuda)
        {
            return Some((Reject::CudaFloor, why.to_string()));
        }
        let priced = candidate.quote.map(|quote| catalog.price(quote.price));
        let as_of = priced.map(|price| catalog.str(price.as_of));
        if self.world.is_stale(as_of) {
            let why = as_of.map_or_else(
                || "its price is unknown".to_owned(),
                |as_of| format!("its price is of {as_of}"),
            );
            return Some((Reject::Stale, why));
        }
        if request.reserved.is_some() {
            return None;
        }
        let why = self.above_max_price(candidate);
        let why = why.or_else(|| self.above_budget(candidate));
        why.map(|why| (Reject::OverBudget, why))
    }

    /// Why an offer is not sold with the capacity type of a candidate, if so.
    fn other_capacity(&self, candidate: &Candidate, offer: &Offer) -> Option<DropCode> {
        let request = self.request;
        let is_spot = candidate.capacity == CapacityType::Spot;
        match offer.status {
            Status::ReservedOnly => {
                // Without blocks that can be bought it is a matter of contracts.
                let has_blocks = self.catalog.provider(offer.provider).sells_reservations;
                let on_demand_alone =
                    request.offers.capacity_filter == resolve::CapacityFilter::OnDemand;
                let is_block = request.reserved == Some(Reserved::Block);
                let is_dropped = !has_blocks || !is_block && (on_demand_alone || is_spot);
                is_dropped.then_some(DropCode::ReservedOnly)
            }
            Status::SpotOnly if !is_spot && request.reserved.is_none() => Some(DropCode::SpotOnly),
            _ => None,
        }
    }

    /// Why a machine may cost more than one may, if it may.
    fn above_max_price(&self, candidate: &Candidate) -> Option<String> {
        let max = self.request.offers.max_price?;
        match candidate.quote {
            None => Some(DropCode::PriceUnknown.meaning().to_owned()),
            Some(quote) => (quote.usd > max).then(|| {
                let (usd, max) = (number(quote.usd.decimal()), number(max.decimal()));
                format!("costs ${usd} an hour, more than ${max}")
            }),
        }
    }

    /// Why the machines may cost more than the budget, if they may.
    fn above_budget(&self, candidate: &Candidate) -> Option<String> {
        let budget = self.request.budget?;
        let (cost, of) = match self.request.hours {
            Some(hours) => (candidate.usd_total, format!("for {} hours", number(hours))),
            None => (candidate.usd_per_hour, "an hour".to_owned()),
        };
        match cost {
            None => Some(DropCode::PriceUnknown.meaning().to_owned()),
            Some(usd) => (usd > budget).then(|| {
                let (usd, budget) = (number(usd.decimal()), number(budget.decimal()));
                format!("costs ${usd} {of}, more than ${budget}")
            }),
        }
    }

    /// Where a provider sells what is asked, its larger machines are no candidates; where it does
    /// not, its smallest are.
    fn leave_out_larger(&mut self) {
        let catalog = self.catalog;
        let candidates = std::mem::take(&mut self.candidates);
        let seller = |candidate: &Candidate| {
            let offer = catalog.offer(candidate.found.offer);
            (candidate.found.choice, offer.provider)
        };
        // Of each seller, the smallest exact machine or else the smallest one.
        let mut smallest: BTreeMap<_, (bool, Count)> = BTreeMap::new();
        for candidate in &candidates {
            let this = (!candidate.is_exact, candidate.found.count);
            let known = smallest.entry(seller(candidate)).or_insert(this);
            *known = this.min(*known);
        }
        for candidate in candidates {
            let keep = candidate.is_exact
                || smallest.get(&seller(&candidate)) == Some(&(true, candidate.found.count));
            if keep {
                self.candidates.push(candidate);
            } else {
                let why = "has more accelerators than asked for";
                self.reject(&candidate, Reject::Count, why);
            }
        }
    }
}

/// Whether a machine has as many devices as are asked for, or as the slices need.
fn is_exact(wanted: &Wanted, accelerator: AcceleratorId, count: Count) -> bool {
    if wanted.mig.is_none() {
        return wanted.count.contains(count);
    }
    let mut candidates = wanted.candidates.iter();
    let needed = candidates.find(|candidate| candidate.accelerator == accelerator);
    needed.is_none_or(|needed| count <= wanted.count_for(*needed).min)
}

fn has_interconnect(catalog: &Catalog<'_>, candidate: &Candidate, wish: Interconnect) -> bool {
    let offer = catalog.offer(candidate.found.offer);
    let accelerator = catalog.accelerator(candidate.found.accelerator);
    let fabric = catalog.network(&offer).map(|network| network.fabric);
    let efa = offer.efa_interfaces.is_some() || fabric == Some(Fabric::Efa);
    let nvlink =
        is_linked(catalog.str(accelerator.interconnect)) && candidate.found.count > Count::ONE;
    match wish {
        Interconnect::Efa => efa,
        Interconnect::Infiniband => fabric == Some(Fabric::Infiniband),
        Interconnect::Nvlink => nvlink,
        Interconnect::Any => efa || fabric.is_some() || nvlink,
    }
}

/// Whether the accelerators of every machine are joined: a bridge may be there or not.
fn is_linked(interconnect: &str) -> bool {
    interconnect.starts_with("NVLink") && !interconnect.contains("bridge")
}
