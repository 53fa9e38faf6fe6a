//! Planning: the machines to try, in order.
//!
//! Every way to buy a match is a candidate: an offer in a region, on demand or spot. Unusable
//! candidates are rejected with a reason from a closed list; the others are ranked by a total
//! order, so that equal inputs give equal plans.

mod candidate;
mod check;
mod outlook;
mod planner;
mod rank;
mod reject;
mod request;
mod search;
mod world;

use std::collections::BTreeMap;

use crate::bind::BoundChoice;
use crate::catalog::Catalog;
use crate::resolve;
use planner::Planner;

pub use crate::resolve::Interconnect;
pub use candidate::{Candidate, Check, CheckId, CheckState, Needs};
pub use check::CudaMismatch;
pub use outlook::Outlook;
pub use reject::{Reject, Rejected};
pub use request::{CapacityOrder, PlanObjective, Request, Reserved};
pub use world::{Offline, World};

/// The candidates to try, and the rejected offers.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The candidates, best first.
    pub candidates: Vec<Candidate>,
    /// The number of candidates beyond the limit, or in regions that another candidate takes. With
    /// thousands of offers, it includes offers that were not judged because they cannot be among
    /// the best.
    pub left_off: usize,
    /// The rejected offers with their reasons. With thousands of offers, only offers that could be
    /// among the best.
    pub rejected: Vec<Rejected>,
}

/// Makes a plan: finds every way to buy a matching offer, rejects the ways that a condition
/// excludes, and ranks the rest.
pub fn plan(
    catalog: &Catalog<'_>,
    wanted: &[BoundChoice],
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
    // The planner applies the price limit to each capacity type separately, so matching must not
    // apply it.
    let offers = resolve::Request {
        at_least: true,
        max_price: None,
        // A machine that is out of stock in one place may be in stock in another: the planner judges the places.
        available: false,
        limit: None,
        explain: false,
        capacity_filter: resolve::CapacityFilter::Unspecified,
        // The spot price may be older than the price on demand, so ages are judged for each of them.
        likely: request
            .offers
            .likely
            .clone()
            .map(|likely| likely.not_older_than(None)),
        ..request.offers.clone()
    };
    // Candidates of earlier choices claim regions from later choices, so all of them must be known.
    let needs_all = request.distinct_regions && wanted.len() > 1;
    let unseen = if !needs_all && resolve::is_many(catalog, wanted) {
        search::search(&mut planner, &offers)
    } else {
        resolve::verdicts(catalog, wanted, &offers, &mut |choice, offer, verdict| {
            planner.judged(choice, offer, verdict);
        });
        0
    };
    planner.leave_out_unpriced_spot();
    planner.leave_out_larger();
    let Planner {
        mut candidates,
        rejected,
        ..
    } = planner;
    rank::sort(catalog, &mut candidates, request);
    let left_off = rank::cut(catalog, &mut candidates, request);
    Plan {
        candidates,
        left_off: unseen + left_off,
        rejected: reject::settled(rejected),
    }
}
