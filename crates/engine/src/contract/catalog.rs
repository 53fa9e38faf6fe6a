//! Catalogs: their checks, their differences and their updates.

use serde::Serialize;
use sky_accel_catalog::Change;
use sky_accel_core::catalog::ChangeKind;

use super::{NoteOut, Num};

/// The catalog in question.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CatalogRequest {
    /// The overlays over the embedded catalog; the last one wins.
    pub overlays: Vec<String>,
}

/// The sizes of a catalog that has no fault.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct VerifyOut {
    /// Always true: a fault is an error.
    pub valid: bool,
    /// The number of accelerators.
    pub accelerators: usize,
    /// The number of names by which accelerators are found.
    pub names: usize,
    /// The number of providers.
    pub providers: usize,
    /// The number of offers.
    pub offers: usize,
    /// The number of models.
    pub models: usize,
    /// The number of prices.
    pub prices: usize,
    /// The accelerators in tables of gpuhunt or SkyPilot that no accelerator of the catalog has as a
    /// name. Their rows were left out. Missing when there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// Every fact of the embedded catalog that the overlays change or remove, as a sentence each:
    /// `aws p5.48xlarge: status was offered, is retired`.
    pub overrides: Vec<String>,
}

/// A compiled catalog that was written.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CompileOut {
    /// The file.
    pub file: String,
    /// The size of the file in bytes.
    pub bytes: usize,
    /// The SHA-256 of the tables, with which the file begins, in hexadecimal digits.
    pub sha256: String,
    /// The number of offers.
    pub offers: usize,
    /// The number of prices.
    pub prices: usize,
}

/// The two catalogs to compare.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CatalogDiffRequest {
    /// The older catalog: `embedded`, or the overlays over it.
    pub before: Vec<String>,
    /// The newer catalog: `embedded`, or the overlays over it.
    pub after: Vec<String>,
}

/// One difference between two catalogs.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DifferenceOut {
    /// The kind of the difference.
    pub change: ChangeKind,
    /// The id of the provider. Missing for accelerators.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub provider: String,
    /// The accelerator, or the provider's own id.
    pub what: String,
    /// The catalog's id of the accelerator. Missing for providers.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub accelerator: String,
    /// The field that changed; for a price, its capacity type, tier and count. Missing where the
    /// whole entry is new or gone.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub field: String,
    /// The provider's id of the region. Missing where the difference does not depend on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// The value in the older catalog; `null` where it has none.
    pub before: Option<String>,
    /// The value in the newer catalog; `null` where it has none.
    pub after: Option<String>,
    /// The change of a price in percent. Missing for other differences.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub percent: Option<Num>,
    /// The difference as a sentence without a full stop. Its wording may change.
    pub message: String,
}

impl From<&Change> for DifferenceOut {
    fn from(change: &Change) -> Self {
        Self {
            change: change.kind,
            provider: change.provider.clone(),
            what: change.what.clone(),
            accelerator: change.accelerator.clone(),
            field: change.field.clone(),
            region: change.region.clone(),
            before: change.before.clone(),
            after: change.after.clone(),
            percent: change.percent.map(Num),
            message: change.sentence(),
        }
    }
}

/// The request of an update as it was understood.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UpdateRequest {
    /// The ids of the providers to ask.
    pub providers: Vec<String>,
    /// The folder of the overlay.
    pub into: String,
    /// The sources that are asked.
    pub from: Vec<UpdateFrom>,
    /// True if nothing is written.
    pub dry_run: bool,
}

sky_accel_core::words! {
    /// A source of updates.
    pub enum UpdateFrom {
        /// The providers themselves.
        Providers = "providers",
        /// The catalogs of gpuhunt, which are made anew every hour.
        Gpuhunt = "gpuhunt",
        /// The catalog of SkyPilot, a table for each cloud.
        Skypilot = "skypilot",
    }
}

sky_accel_core::words! {
    /// The outcome of an update for one provider.
    pub enum UpdateStatus {
        /// The provider answered every question.
        Updated = "updated",
        /// The provider answered some questions; facts without an answer stand as they were.
        Partial = "partial",
        /// The provider did not answer: its facts stand as they were, with their dates.
        Failed = "failed",
        /// The provider was not asked, because there is no key for it.
        NotAsked = "not-asked",
        /// The provider has no known API.
        NoLiveSource = "no-live-source",
    }
}

/// The outcome of an update for one provider.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UpdateOut {
    /// The id of the provider.
    pub provider: String,
    /// The source that was asked.
    pub from: UpdateFrom,
    /// The outcome.
    pub status: UpdateStatus,
    /// The overlay's file. Missing where it was not written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The number of offers in the answer.
    pub types: usize,
    /// The number of prices in the answer.
    pub prices: usize,
    /// The number of prices that an earlier update found and this one did not ask for again; they
    /// keep their dates.
    pub kept: usize,
    /// The number of an aggregator's prices that were left out, because the provider itself, or
    /// an aggregator that is believed more, said them lately. Missing for the providers' own answers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superseded: Option<usize>,
    /// The errors of the provider; empty when there are none.
    pub errors: Vec<NoteOut>,
    /// The differences from the catalog before the update.
    pub changes: Vec<DifferenceOut>,
}
