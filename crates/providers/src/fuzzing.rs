//! Entry points for fuzzing the parsers of untrusted answers.

use serde_json::Value;
use sky_accel_core::catalog::CapacityType;

use crate::offer::Offer;
use crate::query::{Counts, Query};
use crate::{aggregator, cache, feed, public, runpod, vastai, verda};

/// The number of devices that a machine may have.
const COUNTS: Counts = Counts {
    min: 0.5,
    max: Some(16.0),
};

/// Parses RunPod's list of types, and the same bytes as the answer to each follow-up request.
pub fn runpod(body: &[u8]) {
    runpod::parse_answers(&Query::everything(COUNTS), body);
}

/// Parses a page of Vast.ai.
pub fn vastai(body: &[u8]) {
    for capacity in [CapacityType::OnDemand, CapacityType::Spot] {
        vastai::parse_page(body, capacity);
    }
}

/// Parses each of Verda's four lists, and the token.
pub fn verda(body: &[u8]) {
    verda::parse_answers(&Query::everything(COUNTS), body);
}

/// Parses the answers of public providers.
pub fn public(body: &[u8]) {
    public::parse_answers(&Query::everything(COUNTS), body);
}

/// Parses the tables of aggregators.
pub fn aggregators(body: &[u8]) {
    aggregator::parse_tables(&Query::everything(COUNTS), body);
}

/// Parses a file of the cache.
pub fn cache(file: &[u8]) {
    let _ = cache::parse_file::<Vec<Offer>>(file);
    let _ = cache::parse_file::<Value>(file);
    feed::parse_file(file);
}
