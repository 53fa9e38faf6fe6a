//! The planner: from matches to candidates and rejected offers.

use std::collections::BTreeMap;

use super::candidate::Candidate;
use super::check;
use super::outlook::Outlook;
use super::reject::{Reject, Rejected};
use super::request::{Request, Reserved};
use super::world::World;
use crate::bind::BoundChoice;
use crate::catalog::{
    AcceleratorId, CapacityType, Catalog, Offer, OfferId, PriceKind, Sells, Status,
};
use crate::money::Count;
use crate::resolve::{self, DropCode, Match, Quote, StockClass};
use crate::text::grouped;

pub(super) struct Planner<'p, 'a> {
    pub(super) catalog: &'p Catalog<'a>,
    pub(super) wanted: &'p [BoundChoice],
    pub(super) request: &'p Request,
    pub(super) world: &'p dyn World,
    pub(super) candidates: Vec<Candidate>,
    /// The first choice that has a machine as a candidate.
    pub(super) first_choices: BTreeMap<(OfferId, Count), usize>,
    pub(super) rejected: Vec<Rejected>,
}

impl Planner<'_, '_> {
    pub(super) fn judged(
        &mut self,
        choice: usize,
        offer: OfferId,
        verdict: Result<Match, DropCode>,
    ) {
        if self.world.is_stopped() {
            return;
        }
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

    /// Adds every way to buy a match to the candidates or the rejected offers.
    fn found(&mut self, found: &Match) {
        // A machine of an earlier choice is not listed again.
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
                    found: self.with_doubts_of(found, &offer, quote),
                    capacity,
                    region,
                    quote,
                    is_exact,
                    usd_per_hour: quote.map(|quote| quote.likely.usd.times(nodes)),
                    usd_total: quote
                        .zip(hours)
                        .and_then(|(quote, hours)| self.request.usd_total(quote.likely.usd, hours)),
                    outlook: Outlook::default(),
                    checks: Vec::new(),
                })
                .collect();
            for mut candidate in candidates {
                candidate.outlook = self.world.outlook(&candidate);
                let refusal = self.refusal(&candidate);
                if let Some((reason, detail)) = refusal.or_else(|| self.unobtainable(&candidate)) {
                    self.reject(&candidate, reason, detail);
                    continue;
                }
                candidate.checks = check::checks(self.catalog, self.request, &candidate);
                self.candidates.push(candidate);
                self.first_choices.entry(machine).or_insert(found.choice);
            }
        }
    }

    /// Returns a match with the doubts of the price of a way to buy it.
    fn with_doubts_of(&self, found: &Match, offer: &Offer, quote: Option<Quote>) -> Match {
        let (catalog, request) = (self.catalog, &self.request.offers);
        let of_machine = found.reasons.iter().filter(|reason| !reason.is_of_price());
        let of_price = quote
            .map(|quote| resolve::price_doubts(catalog, request, offer, found.count, quote))
            .unwrap_or_default();
        Match {
            reasons: of_machine.copied().chain(of_price).collect(),
            ..found.clone()
        }
    }

    /// Returns the reason why a candidate cannot be used. Only the first reason is reported, so
    /// lasting properties of the offer come before the limits of the request.
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
        // Reserved capacity is of one instance type; other types with the same hardware do not use
        // it.
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
        let has_capacity = |price: crate::catalog::Price| price.capacity == candidate.capacity;
        // Every machine on a marketplace accepts bids.
        let is_market = catalog.provider(offer.provider).sells == Sells::Marketplace;
        if candidate.capacity == CapacityType::Spot
            && !is_market
            && !catalog.prices(&offer).iter().any(has_capacity)
        {
            return Some((Reject::Market, "is not known to be sold as spot".to_owned()));
        }
        if !candidate.is_exact && request.exact {
            return Some((Reject::Count, DropCode::CountDiffers.meaning().to_owned()));
        }
        if let Some(cuda) = &request.cuda
            && let Err(why) = check::cuda_runs(catalog, &accelerator, cuda)
        {
            return Some((Reject::CudaFloor, why.to_string()));
        }
        let priced = candidate.quote.map(|quote| catalog.price(quote.price));
        let as_of = priced.map(|price| catalog.str(price.as_of));
        // A contract holds until the user changes it.
        let is_contract = priced.is_some_and(|price| price.kind == PriceKind::Contract);
        if !is_contract && self.world.is_stale(as_of) {
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

    /// Returns the reason why the machines are unobtainable, if the request is for obtainable machines only. Unknown
    /// stock does not exclude machines.
    fn unobtainable(&self, candidate: &Candidate) -> Option<(Reject, String)> {
        if !self.request.offers.available || self.request.reserved.is_some() {
            return None;
        }
        let Outlook { stock, quota, .. } = candidate.outlook;
        if quota == Some(false) {
            let why = "is excluded by a quota or a permission of the account";
            return Some((Reject::Blocked, why.to_owned()));
        }
        (stock == StockClass::Out).then(|| {
            let why = DropCode::OutOfStock.meaning();
            (Reject::OutOfStock, why.to_owned())
        })
    }

    /// Returns the reason why an offer is not sold with the capacity type of a candidate.
    fn other_capacity(&self, candidate: &Candidate, offer: &Offer) -> Option<DropCode> {
        let request = self.request;
        let is_spot = candidate.capacity == CapacityType::Spot;
        match offer.status {
            Status::ReservedOnly => {
                // Without capacity blocks, reserved capacity needs a contract, which no plan can
                // start.
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

    /// Returns the reason when the price of one machine may exceed the price limit.
    fn above_max_price(&self, candidate: &Candidate) -> Option<String> {
        let max = self.request.offers.max_price?;
        match candidate.quote {
            None => Some(DropCode::PriceUnknown.meaning().to_owned()),
            Some(quote) => (quote.likely.usd > max).then(|| {
                let usd = grouped(quote.likely.usd.decimal());
                let max = grouped(max.decimal());
                format!("costs ${usd} an hour, more than ${max}")
            }),
        }
    }

    /// Returns the reason when the cost of all machines may exceed the budget.
    fn above_budget(&self, candidate: &Candidate) -> Option<String> {
        let budget = self.request.budget?;
        let (cost, of) = match self.request.hours {
            Some(hours) => (candidate.usd_total, format!("for {} hours", grouped(hours))),
            None => (candidate.usd_per_hour, "an hour".to_owned()),
        };
        match cost {
            None => Some(DropCode::PriceUnknown.meaning().to_owned()),
            Some(usd) => (usd > budget).then(|| {
                let (usd, budget) = (grouped(usd.decimal()), grouped(budget.decimal()));
                format!("costs ${usd} {of}, more than ${budget}")
            }),
        }
    }

    /// Rejects spot candidates without a price if others have one. Without any, a marketplace still accepts bids.
    pub(super) fn leave_out_unpriced_spot(&mut self) {
        let is_spot = |candidate: &Candidate| candidate.capacity == CapacityType::Spot;
        let is_priced = |candidate: &Candidate| is_spot(candidate) && candidate.quote.is_some();
        if self.request.reserved.is_some() || !self.candidates.iter().any(is_priced) {
            return;
        }
        for candidate in std::mem::take(&mut self.candidates) {
            if is_spot(&candidate) && candidate.quote.is_none() {
                self.reject(&candidate, Reject::Market, "has no known spot price");
            } else {
                self.candidates.push(candidate);
            }
        }
    }

    /// Rejects larger machines of providers with an exact machine, and all but the smallest
    /// machines of other providers.
    pub(super) fn leave_out_larger(&mut self) {
        let catalog = self.catalog;
        let candidates = std::mem::take(&mut self.candidates);
        let seller = |candidate: &Candidate| {
            let offer = catalog.offer(candidate.found.offer);
            (candidate.found.choice, offer.provider)
        };
        // For each provider: the smallest exact machine or, without one, the smallest machine.
        let mut smallest: BTreeMap<_, (bool, Count)> = BTreeMap::new();
        for candidate in &candidates {
            let this = (!candidate.is_exact, candidate.found.count);
            let entry = smallest.entry(seller(candidate)).or_insert(this);
            *entry = this.min(*entry);
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

/// Returns whether a machine has the requested number of devices, or the number that the slices
/// need.
pub(super) fn is_exact(wanted: &BoundChoice, accelerator: AcceleratorId, count: Count) -> bool {
    if wanted.mig.is_none() {
        return wanted.count.contains(count);
    }
    let mut candidates = wanted.candidates.iter();
    let needed = candidates.find(|candidate| candidate.accelerator == accelerator);
    needed.is_none_or(|needed| count <= wanted.count_for(*needed).min)
}
