//! Facts at the moment of planning, such as stock and quotas.

use super::candidate::Candidate;
use super::outlook::Outlook;

/// Facts at the moment of planning that the catalog does not have.
pub trait World {
    /// Returns whether a price of that date is older than allowed; `None` means an unknown price.
    fn is_stale(&self, as_of: Option<&str>) -> bool;

    /// Returns the known facts about getting the machines of a candidate.
    fn outlook(&self, candidate: &Candidate) -> Outlook;

    /// Returns whether any outlook may differ from the default. If not, a search can rely on it.
    fn has_outlook(&self) -> bool;

    /// Returns whether the plan is no longer needed, so that the planner may return an incomplete
    /// plan.
    fn is_stopped(&self) -> bool {
        false
    }
}

/// A [`World`] without any facts.
pub struct Offline;

impl World for Offline {
    fn is_stale(&self, _: Option<&str>) -> bool {
        false
    }

    fn outlook(&self, _: &Candidate) -> Outlook {
        Outlook::default()
    }

    fn has_outlook(&self) -> bool {
        false
    }
}
