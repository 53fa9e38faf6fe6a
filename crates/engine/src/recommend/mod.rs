//! Machines for a model, computed, or for a kind of work, by rule of thumb.

mod for_model;
mod for_work;
mod misfit;
mod rank;
mod search;

use crate::contract::{Envelope, RecommendEcho, RecommendOut};
use crate::filter::OfferFilter;
use crate::sizing::RunRequest;

/// A model, the work, and limits to what it may cost.
#[derive(Clone, Debug, Default)]
pub struct RecommendRequest {
    /// The model and the work. The model is required.
    pub run: RunRequest,
    /// The figure to rank by.
    pub objective: Objective,
    /// The total number of tokens to train on or to generate; `None` ranks by the hourly price.
    pub tokens: Option<f64>,
    /// The most hours that the tokens may take; `None` is no limit.
    pub deadline_hours: Option<f64>,
    /// The most US dollars that the tokens may cost; `None` is no limit.
    pub budget_usd: Option<f64>,
    /// Limits to the offers.
    pub offers: OfferFilter,
}

/// A kind of work of the guide, and limits to the offers.
#[derive(Clone, Debug, Default)]
pub struct WorkRequest {
    /// A word of the guide: `development`, `inference`, `training`.
    pub work: String,
    /// Limits to the offers.
    pub offers: OfferFilter,
}

sky_accel_core::words! {
    /// The figure that recommendations are ranked by.
    #[derive(Default)]
    pub enum Objective {
        /// The price of the machine per hour, or of all tokens where their number is given.
        #[default]
        Cost = "cost",
        /// Tokens per second.
        Speed = "speed",
        /// The total memory of the machine.
        Memory = "memory",
    }
}

/// Machines in order, the best first.
#[derive(Debug)]
pub struct Recommendation<'c> {
    /// The JSON document.
    pub envelope: Envelope<'c, RecommendEcho, RecommendOut<'c>>,
    /// The first result in a sentence; `None` where nothing fits.
    pub summary: Option<String>,
    /// The cost and the speed of every choice: first those of the results in their order, then the
    /// others.
    pub points: Vec<Point>,
    /// True if costs are in US dollars for all tokens; otherwise they are in US dollars per hour.
    pub by_total: bool,
    /// The number of machines that were considered.
    pub considered: usize,
    /// A spec of twice the devices of the largest machine that was considered, such as
    /// `B300:x16`, for [`Engine::fit`](crate::Engine::fit); `None` without a model, or where no
    /// machine with whole devices was considered.
    pub two_machines: Option<String>,
    /// True if a machine is known to be sold in a requested region. Machines in unknown regions do
    /// not count as an answer by themselves.
    pub has_verified: bool,
}

/// A choice in a chart of cost and speed.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// US dollars, for all tokens or per hour as [`Recommendation::by_total`] tells.
    pub usd: f64,
    /// Tokens per second of the whole machine.
    pub tokens_per_s: f64,
    /// True if no other choice is both cheaper and faster.
    pub is_pareto: bool,
    /// The spec of the machine, such as `RTX4090:x2`.
    pub spec: String,
    /// The provider's name.
    pub provider: String,
}
