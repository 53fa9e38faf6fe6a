//! Candidates of a plan, and their checks.

use super::outlook::Outlook;
use crate::catalog::{CapacityType, RegionId};
use crate::money::Usd;
use crate::resolve::{Match, Quote};

crate::words! {
    /// The kinds of checks.
    pub enum CheckId {
        /// The account's quota must admit the machines.
        Quota = "quota",
        /// The machine must run images of the CUDA version.
        Cuda = "cuda",
        /// The machine must be in stock.
        Stock = "stock",
    }
}

crate::words! {
    /// The result of a check.
    pub enum CheckState {
        /// The check passes.
        Pass = "pass",
        /// The check fails.
        Fail = "fail",
        /// The result is unknown.
        Unknown = "unknown",
    }
}

/// A requirement for a check to pass.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Needs {
    /// A quota: the provider's `code`, and the vCPUs that all machines count against it.
    Quota {
        /// The provider's code of the quota.
        code: String,
        /// The vCPUs of all machines.
        vcpu: u64,
    },
    /// A driver that supports the CUDA version.
    Driver {
        /// The CUDA version of the image.
        cuda: String,
        /// The first driver that comes with the CUDA release; `None` when it is unknown.
        driver_min: Option<String>,
    },
}

/// One check of a candidate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Check {
    /// The kind of check.
    pub id: CheckId,
    /// The result.
    pub state: CheckState,
    /// The requirement for the check to pass; `None` when it is unknown.
    pub needs: Option<Needs>,
}

/// One way to rent the machines.
#[derive(Clone, Debug)]
pub struct Candidate {
    /// The match that it buys.
    pub found: Match,
    /// The capacity type.
    pub capacity: CapacityType,
    /// The region; `None` when the provider chooses it or the price names no region.
    pub region: Option<RegionId>,
    /// The price of one machine; `None` when it is unknown.
    pub quote: Option<Quote>,
    /// Whether the machine has exactly the requested number of accelerators.
    pub is_exact: bool,
    /// USD per hour for all machines; `None` when the price is unknown.
    pub usd_per_hour: Option<Usd>,
    /// USD for all machines and hours; `None` when the price or the duration is unknown.
    pub usd_total: Option<Usd>,
    /// The known obtainability of the machines.
    pub outlook: Outlook,
    /// The checks to pass before the candidate is tried.
    pub checks: Vec<Check>,
}

impl Candidate {
    /// Returns whether a check fails.
    pub fn fails(&self) -> bool {
        self.checks
            .iter()
            .any(|check| check.state == CheckState::Fail)
    }
}
