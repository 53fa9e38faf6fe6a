//! The answer of `plan`.

use sky_accel_targets::{Rendered, Target};

use crate::contract::{CandidateOut, Envelope, PlanEcho, PlanParts};
use crate::error::Error;

/// Ranked candidates, and the files of the target.
#[derive(Debug)]
pub struct PlanAnswer<'c> {
    /// The JSON document; without candidates, it has the funnel and the nearest alternatives.
    pub envelope: Envelope<'c, PlanEcho, CandidateOut<'c>, PlanParts<'c>>,
    /// The plan in the format of the target; `None` without a target or without candidates.
    pub rendered: Option<(Target, Rendered)>,
    /// True if an offer matches the spec, even if it cannot be a candidate.
    pub has_matches: bool,
    /// The error if every price is older than `max_age`; `None` otherwise.
    pub too_old: Option<Error>,
}
