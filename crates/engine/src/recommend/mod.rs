//! Machines for a model, computed, or for a kind of work, by rule of thumb.

mod for_model;
mod for_work;
mod rank;
mod search;

use serde::Serialize;

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
    /// Tokens to train on, or to generate in total.
    pub tokens: Option<f64>,
    /// The most hours that the tokens may take.
    pub deadline_hours: Option<f64>,
    /// The most US dollars that the tokens may cost.
    pub budget_usd: Option<f64>,
    pub offers: OfferFilter,
}

/// A kind of work of the guide, and limits to the offers.
#[derive(Clone, Debug, Default)]
pub struct WorkRequest {
    /// A word of the guide: `development`, `inference`, `training`.
    pub work: String,
    pub offers: OfferFilter,
}

/// The figure that recommendations are ranked by.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub enum Objective {
    /// The price of the machine, or of all tokens where their number is given.
    #[default]
    Cost,
    /// Tokens per second.
    Speed,
    /// Memory that is rented.
    Memory,
}

/// Machines in order, the best first.
#[derive(Debug)]
pub struct Recommendation<'c> {
    /// The JSON document.
    pub envelope: Envelope<'c, RecommendEcho, RecommendOut<'c>>,
    /// The first result in a sentence; missing where nothing fits.
    pub summary: Option<String>,
    /// Cost and speed of every choice: those of the results in their order, then the others.
    pub points: Vec<Point>,
    /// Whether costs are those of all tokens, in US dollars; else they are per hour.
    pub by_total: bool,
    /// Machines that were looked at.
    pub considered: usize,
    /// Whether a machine is known to be sold where it is asked for. Machines whose region is not
    /// known are no answer by themselves.
    pub has_verified: bool,
}

/// A choice in a chart of cost and speed.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// US dollars, for all tokens or per hour.
    pub usd: f64,
    pub tokens_per_s: f64,
    /// Whether no other choice is both cheaper and faster.
    pub is_pareto: bool,
    /// `RTX4090:x2`.
    pub spec: String,
    /// The provider's name.
    pub provider: String,
}
