//! Catalogs: checks, differences and updates.

use serde::Serialize;
use sky_accel_catalog::{Change, Warning};
use sky_accel_core::catalog::ChangeKind;

use super::{NoteOut, Num};

/// The catalog to check or compile.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CatalogRequest {
    /// The overlays on top of the embedded catalog; the last overlay has precedence.
    pub overlays: Vec<String>,
}

/// The sizes of a valid catalog.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct VerifyOut {
    /// Always true: an invalid catalog is an error.
    pub valid: bool,
    /// The number of accelerators.
    pub accelerators: usize,
    /// The number of names that identify accelerators.
    pub names: usize,
    /// The number of providers.
    pub providers: usize,
    /// The number of offers.
    pub offers: usize,
    /// The number of models.
    pub models: usize,
    /// The number of prices.
    pub prices: usize,
    /// The accelerators in gpuhunt or SkyPilot tables that the catalog does not know. Their rows were
    /// skipped. Omitted if empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// The ids of the providers without a `link`, so that their offers have no `url`. Omitted if empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub providers_without_link: Vec<String>,
    /// The facts of the embedded catalog that the overlays change or remove, one sentence each: `aws
    /// p5.48xlarge: status was offered, is retired`.
    pub overrides: Vec<String>,
    /// Signs of wrong or missing data that may be right. With overlays, only the signs that the embedded catalog does
    /// not have. Omitted if empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<WarningOut>,
}

/// A sign of wrong or missing data, which is not an error.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WarningOut {
    /// The kind: `old-prices` for a provider whose prices are all months older than those of its siblings, `low-price`
    /// for a price far below every other provider's, `copied-regions` for one list of regions at all types of a
    /// provider, `missing-type` for a type that another list of the catalog names, `missing-rate` for a device whose
    /// speed is unknown, `mixed-currency` for a price in dollars of a provider that charges in another currency.
    pub kind: &'static str,
    /// The id of the provider. Empty for a device of an overlay that no provider sells.
    pub provider: String,
    /// The sentence.
    pub message: String,
}

impl From<Warning> for WarningOut {
    fn from(warning: Warning) -> Self {
        Self {
            kind: warning.kind.word(),
            provider: warning.provider,
            message: warning.message,
        }
    }
}

/// A compiled catalog that was written.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CompileOut {
    /// The file.
    pub file: String,
    /// The size of the file in bytes.
    pub bytes: usize,
    /// The SHA-256 digest at the start of the file, over the tables, as hexadecimal digits.
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
    /// The older catalog: `embedded`, or the overlays on top of it.
    pub before: Vec<String>,
    /// The newer catalog: `embedded`, or the overlays on top of it.
    pub after: Vec<String>,
}

/// One difference between two catalogs.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DifferenceOut {
    /// The kind of the difference.
    pub change: ChangeKind,
    /// The id of the provider. Omitted for accelerators.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub provider: String,
    /// The accelerator, or the provider's id.
    pub what: String,
    /// The catalog's id of the accelerator. Omitted for providers.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub accelerator: String,
    /// The field that changed; for a price, its capacity type, tier and count. Omitted if the whole entry
    /// is new or gone.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub field: String,
    /// The provider's region id. Omitted if the difference does not depend on it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    /// The value in the older catalog; `null` if it has none.
    pub before: Option<String>,
    /// The value in the newer catalog; `null` if it has none.
    pub after: Option<String>,
    /// The change of a price in percent. Omitted for other differences.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub percent: Option<Num>,
    /// The difference as a sentence without a final period. The wording may change.
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
    /// The ids of the providers to query.
    pub providers: Vec<String>,
    /// The overlay folder.
    pub into: String,
    /// The sources to query.
    pub from: Vec<UpdateFrom>,
    /// The path or address of the published catalog. Omitted for other sources.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub published: Option<String>,
    /// True if nothing is written.
    pub dry_run: bool,
}

sky_accel_core::words! {
    /// A source of updates.
    pub enum UpdateFrom {
        /// The providers themselves.
        Providers = "providers",
        /// The gpuhunt catalogs, which are rebuilt every hour.
        Gpuhunt = "gpuhunt",
        /// The SkyPilot catalog, one table per cloud.
        Skypilot = "skypilot",
        /// The list of litellm: prices of tokens, images and audio.
        Litellm = "litellm",
        /// The list of genai-prices: prices of tokens.
        GenaiPrices = "genai-prices",
        /// A published catalog, which is a compiled catalog in a file or at an address.
        Published = "published",
    }
}

sky_accel_core::words! {
    /// The outcome of an update for one provider.
    pub enum UpdateStatus {
        /// The provider answered every query.
        Updated = "updated",
        /// The provider answered some queries; facts without an answer stay unchanged.
        Partial = "partial",
        /// The provider did not answer: its facts stay unchanged, with their dates.
        Failed = "failed",
        /// The provider was not queried, because no key is configured.
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
    /// The source that was queried.
    pub from: UpdateFrom,
    /// The outcome.
    pub status: UpdateStatus,
    /// The overlay file. Omitted if it was not written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    /// The number of offers in the answer.
    pub types: usize,
    /// The number of prices in the answer.
    pub prices: usize,
    /// The number of prices from an earlier update that this update did not query again; they keep their
    /// dates.
    pub kept: usize,
    /// The number of aggregator prices that were skipped, because the provider or a more reliable
    /// aggregator published the price recently. Omitted for answers of providers.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub superseded: Option<usize>,
    /// The provider's errors; may be empty.
    pub errors: Vec<NoteOut>,
    /// The differences from the catalog before the update.
    pub changes: Vec<DifferenceOut>,
}
