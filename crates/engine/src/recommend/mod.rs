//! Recommendations: machines for a model, computed, or for a kind of work, by rule of thumb.

mod bills;
mod by_api;
mod capacity;
mod evidence;
mod for_model;
mod for_work;
mod hardware;
mod improvement;
mod interconnect;
mod margins;
mod named;
mod no_fit;
mod own_machine;
mod picks;
mod precision_choice;
mod precisions;
mod rank;
mod relax;
mod remarks;
mod replicas;
mod requirements;
mod rows;
mod search;
#[cfg(test)]
mod search_tests;
mod sentences;
mod service;
mod shortlist;
mod specs;
mod tier;

use sky_accel_core::catalog::{AcceleratorId, Catalog, OfferId};
use sky_accel_core::money::Count;

use self::search::spec_of_offer;
use crate::bill::BillUse;
use crate::contract::{Envelope, RecommendEcho, RecommendOut, RecommendParts};
use crate::filter::OfferFilter;
use crate::recommend_words::{Basis, ComparedWith, Objective, TierOrder};
use crate::sizing::RunRequest;

pub(crate) use self::by_api::BATCH;
pub use self::named::NAMED;

/// A model, the work, and limits to what it may cost.
#[derive(Clone, Debug, Default)]
pub struct RecommendRequest {
    /// The model and the work. The model is required.
    pub run: RunRequest,
    /// The figure to rank by.
    pub objective: Objective,
    /// The total number of tokens to train on or to generate; `None` if unknown.
    pub tokens: Option<f64>,
    /// The maximum hours for the job, at the slow end of the band of the speed; `None` means unlimited.
    pub deadline_hours: Option<f64>,
    /// The maximum US dollars for the tokens; `None` means unlimited.
    pub budget_usd: Option<f64>,
    /// A spec of the hardware to consider, such as `H100|H200` or `any:x1`; `None` is any. A choice without a count
    /// allows any count.
    pub on: Option<String>,
    /// Numbers of machines; `None` for one, or several if one is not enough.
    pub nodes: Option<Nodes>,
    /// True to list machines on which the model is a tight fit, or leaves less memory free than usual.
    pub accept_tight: bool,
    /// The rank of machines of lower tiers.
    pub tier_order: TierOrder,
    /// True to list every machine with every number of devices; false to list the best machine of each provider and
    /// accelerator, and the picks.
    pub every_machine: bool,
    /// The alternatives to renting a machine; `None` for no comparison.
    pub compared_with: Option<ComparedWith>,
    /// The user's machine to compare with, such as
    /// `price=250000,years=3,kw=10.2,usd_per_kwh=0.12,utilization=0.6`; `None` for none.
    pub own: Option<String>,
    /// Limits to the offers.
    pub offers: OfferFilter,
    /// The use that each listed machine gets its whole bill for; `None` without bills.
    pub bill: Option<BillUse>,
}

/// A kind of work of the rule-of-thumb guide, and limits to the offers.
#[derive(Clone, Debug, Default)]
pub struct WorkRequest {
    /// A word of the guide: `development`, `inference`, `training`.
    pub work: String,
    /// Limits to the offers.
    pub offers: OfferFilter,
}

/// Numbers of machines that work together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Nodes {
    /// The minimum, at least 1.
    pub least: u32,
    /// The maximum, at most [`Nodes::MOST`].
    pub most: u32,
}

impl Nodes {
    /// The maximum number of machines of a cluster.
    pub const MOST: u32 = 1024;
    /// The default if one machine is not enough.
    const UNASKED: Self = Self { least: 1, most: 16 };
    /// The default if one machine is not enough for a request rate, which machines share without a fast network.
    const UNASKED_FOR_RATE: Self = Self { least: 1, most: 64 };

    /// Reads `4` or `1..8`; `None` for other text, and for numbers out of bounds.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let (least, most) = text.split_once("..").unwrap_or((text, text));
        let nodes = Self {
            least: least.trim().parse().ok()?,
            most: most.trim().parse().ok()?,
        };
        let is_range = (1..=nodes.most).contains(&nodes.least) && nodes.most <= Self::MOST;
        is_range.then_some(nodes)
    }

    /// The numbers from 2 to try: both ends, and the products of 2 and 3 between them. Layers and heads of models
    /// divide by these.
    fn several(self) -> impl Iterator<Item = u32> {
        let divides = |mut n: u32| {
            for factor in [2, 3] {
                while n.is_multiple_of(factor) {
                    n /= factor;
                }
            }
            n == 1
        };
        (self.least.max(2)..=self.most)
            .filter(move |n| *n == self.least || *n == self.most || divides(*n))
    }
}

impl std::fmt::Display for Nodes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.least == self.most {
            write!(f, "{}", self.least)
        } else {
            write!(f, "{}..{}", self.least, self.most)
        }
    }
}

/// Ranked machines, the best first.
#[derive(Debug)]
pub struct Recommendation<'c> {
    /// The JSON document.
    pub envelope: Envelope<'c, RecommendEcho, RecommendOut<'c>, RecommendParts>,
    /// A summary of the request; `None` without results.
    pub summary: Option<String>,
    /// The limits of service within which each machine serves its most users; `None` without limits.
    pub service: Option<String>,
    /// For each lower tier, the first machine that is cheaper than the first result: the tier and a sentence.
    pub below: Vec<(String, String)>,
    /// The cost and speed of every machine: first the results in their order, then the others.
    pub points: Vec<Point>,
    /// The unit of the cost of `points`.
    pub basis: Basis,
    /// The number of machines that were considered.
    pub considered: usize,
    /// The number of different fits on devices that hold the model: nearly all of the work.
    pub sized: usize,
    /// A spec with twice the devices of the largest machine that was considered, such as `B300:x16`, for
    /// [`Engine::fit`](crate::Engine::fit). `None` without a model, or if no machine with whole devices was considered.
    pub two_machines: Option<String>,
    /// True if some machine is verified to be in a requested region. Machines in unknown regions alone do not count as
    /// a match.
    pub has_verified: bool,
}

/// A machine in a chart of cost and speed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Point {
    /// US dollars: for all tokens if [`Recommendation::basis`] is a job, else per hour.
    pub usd: f64,
    /// True if the cost follows from a likely price that differs from the stated price.
    pub is_estimated: bool,
    /// Tokens per second of the whole machine.
    pub tokens_per_s: f64,
    /// True if no other machine is both cheaper and faster.
    pub is_pareto: bool,
    /// The machine.
    pub offer: OfferId,
    /// Its accelerator.
    pub accelerator: AcceleratorId,
    /// The number of its accelerators.
    pub count: Count,
}

impl Point {
    /// The spec of the machine, such as `RTX4090:x2`. A page alone shows it: an answer may have ten thousand points.
    pub fn spec(&self, catalog: &Catalog<'_>) -> String {
        spec_of_offer(catalog, self.offer, self.accelerator, self.count)
    }

    /// The provider's name.
    pub fn provider<'c>(&self, catalog: &Catalog<'c>) -> &'c str {
        let provider = catalog.provider(catalog.offer(self.offer).provider);
        catalog.str(provider.name)
    }
}

#[cfg(test)]
mod tests {
    use super::Nodes;

    #[test]
    fn nodes_are_a_number_or_a_range() {
        assert_eq!(Nodes::parse("4"), Some(Nodes { least: 4, most: 4 }));
        assert_eq!(Nodes::parse("1..8"), Some(Nodes { least: 1, most: 8 }));
        for bad in [
            "", "0", "0..4", "8..1", "1..", "..8", "a", "1..2..3", "1..1025", "-1..2",
        ] {
            assert_eq!(Nodes::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn tries_products_of_two_and_three() {
        let tried = |least, most| Nodes { least, most }.several().collect::<Vec<_>>();
        assert_eq!(tried(1, 8), [2, 3, 4, 6, 8]);
        assert_eq!(tried(5, 7), [5, 6, 7]);
        assert!(tried(1, 1).is_empty());
    }
}
