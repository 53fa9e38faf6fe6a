//! The parsers of untrusted answers, for fuzzers.

use serde_json::Value;
use sky_accel_core::catalog::CapacityType;

use crate::offer::Offer;
use crate::query::{Counts, Interest, Query};
use crate::{cache, runpod, vastai, verda};

/// A question for everything.
fn everything(run: impl FnOnce(&Query<'_>)) {
    run(&Query {
        ids: &[],
        accelerators: &[],
        interest: &|_, _| Interest::Wanted,
        counts: Counts {
            min: 0.5,
            max: Some(16.0),
        },
        places: None,
        on_demand: true,
        spot: true,
        disk_gb: 32.0,
        spot_scores: false,
        capacity_block_hours: None,
        quota: None,
    });
}

/// RunPod's list of types, and the same bytes as the answer to each question that follows from it.
pub fn runpod(body: &[u8]) {
    everything(|query| runpod::parse_answers(query, body));
}

/// A page of Vast.ai.
pub fn vastai(body: &[u8]) {
    for capacity in [CapacityType::OnDemand, CapacityType::Spot] {
        vastai::parse_page(body, capacity);
    }
}

/// Each of Verda's four lists, and its token.
pub fn verda(body: &[u8]) {
    everything(|query| verda::parse_answers(query, body));
}

/// A file of the cache.
pub fn cache(file: &[u8]) {
    let _ = cache::parse_file::<Vec<Offer>>(file);
    let _ = cache::parse_file::<Value>(file);
}
