//! The rule-of-thumb guide.

use serde::{Deserialize, Serialize};

use super::Text;

/// The rules of thumb. The last guide replaces all others.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Guide {
    /// The source of the rules.
    pub source: Option<Text>,
    /// The date of the source.
    pub as_of: Option<Text>,
    /// The rules by kind of work.
    #[serde(default)]
    pub workload: Vec<GuideWorkload>,
    /// The rules by size of model, in ascending order.
    #[serde(default)]
    pub size: Vec<GuideSize>,
    /// The savings of strategies.
    #[serde(default)]
    pub strategy: Vec<GuideStrategy>,
}

/// A rule of thumb: the accelerators for a kind of work.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GuideWorkload {
    /// The id of the kind of work.
    pub workload: Text,
    /// The kind of work in words.
    pub title: Text,
    /// The values of `--workload` that the rule answers.
    #[serde(default)]
    pub flags: Vec<Text>,
    /// The recommended specs.
    pub pick: Vec<Text>,
    /// The reason in words.
    pub because: Text,
}

/// A rule of thumb: the accelerators for a number of parameters.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GuideSize {
    /// The range of sizes in words.
    pub title: Text,
    /// The exclusive upper bound in billions of parameters.
    pub below: Option<f64>,
    /// The inclusive upper bound in billions of parameters.
    pub up_to: Option<f64>,
    /// The spec of the smallest hardware.
    pub minimum: Text,
    /// The spec of the recommended hardware.
    pub recommended: Text,
}

/// A rule of thumb: the saving of a strategy.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GuideStrategy {
    /// The id of the strategy.
    pub strategy: Text,
    /// The strategy in words.
    pub title: Text,
    /// The range of the claimed saving in percent.
    pub claimed_percent: [f64; 2],
    /// The work that it suits.
    pub good_for: Text,
    /// The way in which the real saving is computed.
    pub compare: Text,
    /// The cheaper spec, if two specs are compared.
    pub cheap: Option<Text>,
    /// The more expensive spec, if two specs are compared.
    pub dear: Option<Text>,
}
