//! The rule-of-thumb guide.

use serde::{Deserialize, Serialize};

use super::SpannedText;

/// The rules of thumb. The last guide replaces all others.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GuideSection {
    /// The source of the rules.
    pub source: Option<SpannedText>,
    /// The date of the source.
    pub as_of: Option<SpannedText>,
    /// The rules by kind of work.
    #[serde(default)]
    pub workload: Vec<GuideWorkloadEntry>,
    /// The rules by size of model, in ascending order.
    #[serde(default)]
    pub size: Vec<GuideSizeEntry>,
    /// The savings of strategies.
    #[serde(default)]
    pub strategy: Vec<GuideStrategyEntry>,
}

/// A rule of thumb: the accelerators for a kind of work.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GuideWorkloadEntry {
    /// The id of the kind of work.
    pub workload: SpannedText,
    /// The title of the kind of work.
    pub title: SpannedText,
    /// The values of `--workload` that the rule answers.
    #[serde(default)]
    pub flags: Vec<SpannedText>,
    /// The recommended specs.
    pub pick: Vec<SpannedText>,
    /// The reason for the recommendation.
    pub because: SpannedText,
}

/// A rule of thumb: the accelerators for a number of parameters.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GuideSizeEntry {
    /// The title of the range of sizes.
    pub title: SpannedText,
    /// The exclusive upper bound in billions of parameters.
    pub below: Option<f64>,
    /// The inclusive upper bound in billions of parameters.
    pub up_to: Option<f64>,
    /// The spec of the smallest hardware.
    pub minimum: SpannedText,
    /// The spec of the recommended hardware.
    pub recommended: SpannedText,
}

/// A rule of thumb: the saving of a strategy.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GuideStrategyEntry {
    /// The id of the strategy.
    pub strategy: SpannedText,
    /// The title of the strategy.
    pub title: SpannedText,
    /// The range of the claimed saving in percent.
    pub claimed_percent: [f64; 2],
    /// The work that it suits.
    pub good_for: SpannedText,
    /// The way in which the real saving is computed.
    pub compare: SpannedText,
    /// The cheaper spec, if two specs are compared.
    pub cheap: Option<SpannedText>,
    /// The more expensive spec, if two specs are compared.
    pub dear: Option<SpannedText>,
}
