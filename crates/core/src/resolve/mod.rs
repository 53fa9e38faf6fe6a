//! Resolving: from bound specs to the offers of providers.
//!
//! `judge::Judge` alone decides whether an offer matches. The matches are the offers that it
//! accepts; an explanation lists all its verdicts; the funnel counts them; the nearest alternatives
//! are the offers that it accepts when one condition is relaxed.

mod answer;
mod best;
mod commitment;
mod drift;
mod host;
mod interconnect;
mod judge;
mod likely;
mod machines;
mod nearest;
mod quote;
mod rank;
mod region;
mod request;
mod search;
mod setback;
mod stock;
mod tier;
mod verdict;

pub use answer::{Considered, FunnelStep, Match, Nearest, Quote, Relation, Resolution};
pub(crate) use best::{Leaders, best_first};
pub use commitment::{
    CommittedPrice, PricedMachine, applies_in, committed_prices, ranking_commitments,
};
pub use host::has_small_host;
pub use interconnect::Interconnect;
pub(crate) use judge::Judge;
pub use judge::price_doubts;
pub use likely::{LikelyPrice, LikelyPrices, PriceBasis};
pub use machines::{Machines, cheapest_to_cut, is_to_cut};
pub use quote::{in_region, offer_at, quote, uncommitted, ways};
pub use rank::{rank_before_price, sorted_figure};
pub use region::{RegionFilter, UnknownRegion, glob};
pub use request::{CapacityFilter, Request, Sort};
pub(crate) use search::{is_many, judges};
pub use search::{matches, matches_among, matches_of_rows, resolve, verdicts};
pub use setback::Setback;
pub use stock::StockClass;
pub use tier::{PriceTier, UnknownTier};
pub use verdict::{DropCode, Reason, Stage};
