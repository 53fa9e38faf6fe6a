//! The id of a plan.

use serde::{Serialize, Serializer};

use super::{CandidateOut, PlanEcho};
use crate::digest::sha256;

/// The id of a plan: a digest of the request and the candidates. It is computed when it is written, since most
/// documents for a plan target do not contain it.
#[derive(Debug)]
pub struct PlanId {
    /// The request and the candidates as JSON.
    text: Vec<u8>,
}

impl PlanId {
    /// The id of a plan with these candidates: equal plans have equal ids.
    pub(crate) fn of(request: &PlanEcho, candidates: &[CandidateOut<'_>]) -> Self {
        Self {
            text: serde_json::to_vec(&(request, candidates)).unwrap_or_default(),
        }
    }
}

impl Serialize for PlanId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let digest = sha256([&self.text[..]]);
        serializer.collect_str(&format_args!("pl_{}", &digest[..16]))
    }
}
