//! Facts at the time of planning, which are not in the catalog.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use jiff::Timestamp;
use sky_accel_core::catalog::{Availability, OfferId, Status};
use sky_accel_core::money::Count;
use sky_accel_core::plan::{Candidate, Outlook, World};
use sky_accel_core::resolve::StockClass;
use sky_accel_live::{StockState, now};

use super::request::PlanRequest;
use crate::age;
use crate::contract::{CandidateCapacity, ObtainabilityOut, StockPlaceOut, best_state};
use crate::engine::Engine;
use crate::obtainability;

/// The providers' answers for an offer with a number of accelerators.
type OfferAnswers = Rc<Vec<ObtainabilityOut>>;

/// The age of prices, stock, and the account's quotas.
pub(super) struct Moment<'n, 'a> {
    engine: &'n Engine<'a>,
    nodes: u32,
    /// The maximum age of a price in seconds.
    max_age_s: Option<u64>,
    /// The previous answers, because an offer has many candidates.
    answers: RefCell<HashMap<(OfferId, Count), OfferAnswers>>,
}

impl World for Moment<'_, '_> {
    fn is_stale(&self, as_of: Option<&str>) -> bool {
        let Some(max) = self.max_age_s else {
            return false;
        };
        let Some(as_of) = as_of else {
            return true;
        };
        age::days(self.engine.today(), as_of).is_some_and(|days| days > age::whole_days(max))
    }

    fn outlook(&self, candidate: &Candidate) -> Outlook {
        let answers = self.of_candidate(candidate);
        let state = best_state(&answers);
        let fit = answers.iter().filter_map(|answer| answer.quota.as_ref());
        let fit = fit.filter_map(|quota| match quota.machines {
            _ if quota.unlimited => Some(true),
            machines => machines.map(|machines| machines >= self.nodes),
        });
        let quota = match state {
            StockState::Blocked => Some(false),
            _ => fit.min(),
        };
        let of_price = candidate.quote.map(|quote| quote.availability);
        let stock = match state {
            // Machines that a quota excludes may be in stock.
            StockState::Blocked => StockClass::Unknown,
            _ if of_price == Some(Availability::Unavailable) => StockClass::Out,
            StockState::Available => StockClass::Available,
            StockState::Limited => StockClass::Limited,
            StockState::Unavailable | StockState::NotOffered => StockClass::Out,
            StockState::Offered | StockState::Unknown => StockClass::Unknown,
        };
        Outlook {
            stock,
            quota,
            wait_s: answers.iter().filter_map(wait).min(),
        }
    }

    fn has_outlook(&self) -> bool {
        self.engine.live().is_some()
    }

    fn is_stopped(&self) -> bool {
        self.engine.go_on().is_err()
    }
}

impl<'n, 'a> Moment<'n, 'a> {
    pub(super) fn new(engine: &'n Engine<'a>, request: &PlanRequest) -> Self {
        Self {
            engine,
            nodes: request.nodes,
            max_age_s: request.offers.max_age_s,
            answers: RefCell::default(),
        }
    }

    /// The providers' answers for the place and the capacity type of a candidate; empty offline.
    pub(super) fn of_candidate(&self, candidate: &Candidate) -> Vec<ObtainabilityOut> {
        let Some(live) = self.engine.live() else {
            return Vec::new();
        };
        let catalog = self.engine.catalog();
        let found = &candidate.found;
        let offer = catalog.offer(found.offer);
        let key = (found.offer, found.count);
        let known = self.answers.borrow().get(&key).cloned();
        let answers = known.unwrap_or_else(|| {
            let vcpu = found.vcpu(&catalog);
            let answers = obtainability::of_offer(live, &catalog, &offer, found.count, vcpu);
            let answers = Rc::new(answers);
            self.answers.borrow_mut().insert(key, Rc::clone(&answers));
            answers
        });
        let capacity = match offer.status {
            Status::ReservedOnly => CandidateCapacity::CapacityBlock,
            _ => candidate.capacity.into(),
        };
        let region = candidate.region.map(|region| catalog.region_id(region));
        let zone = candidate.quote.and_then(|quote| {
            let price = catalog.price(quote.price);
            catalog.text(price.zone)
        });
        let is_there = |answer: &&ObtainabilityOut| {
            answer.capacity_type == capacity && is_at(&answer.place, region, zone)
        };
        answers.iter().filter(is_there).cloned().collect()
    }
}

/// True if an answer for a place may hold at a region and a zone. A price without a region is the price of every
/// region, so the machines can be had wherever they are.
fn is_at(place: &StockPlaceOut, region: Option<&str>, zone: Option<&str>) -> bool {
    let is_same = |of: Option<&str>, at: Option<&str>| of.is_none() || at.is_none() || of == at;
    is_same(place.region.as_deref(), region) && is_same(place.zone.as_deref(), zone)
}

/// The time until the machines of an answer run, in seconds: until the first period with a reservation, and
/// until they have started. `None` if neither is known.
fn wait(answer: &ObtainabilityOut) -> Option<u64> {
    let starts = answer.windows.iter().filter_map(|window| {
        let start: Timestamp = window.starts_at.parse().ok()?;
        Some(u64::try_from(start.as_second() - now()).unwrap_or(0))
    });
    match (starts.min(), answer.ready_s) {
        (None, None) => None,
        (start, ready) => Some(start.unwrap_or(0) + ready.unwrap_or(0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_of_every_place_hold_for_a_price_without_a_region() {
        let place = |region: Option<&str>, zone: Option<&str>| StockPlaceOut {
            region: region.map(str::to_owned),
            zone: zone.map(str::to_owned),
            site: None,
        };
        let east = place(Some("east"), Some("east-1"));
        assert!(is_at(&east, None, None));
        assert!(is_at(&east, Some("east"), None));
        assert!(is_at(&east, Some("east"), Some("east-1")));
        assert!(!is_at(&east, Some("east"), Some("east-2")));
        assert!(!is_at(&east, Some("west"), None));
        assert!(is_at(&place(None, None), Some("west"), Some("west-1")));
    }
}
