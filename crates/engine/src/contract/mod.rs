//! The JSON contract as types: the documents that the engine returns and the command line prints.
//!
//! The contract types are separate from the core types, so that a rename inside the program does not
//! change what scripts read. A field that does not apply is omitted. An unknown value is `null`, unless
//! the field's documentation says that it is omitted. Memory in `_gb` is decimal, as vendors sell it; in
//! `_mib` it is binary, as drivers report it. Prices are US dollars per hour for the whole offer unless
//! the name says otherwise.

mod accelerators;
mod api_prices;
mod bill;
mod catalog;
mod commitments;
mod credentials;
mod currency;
mod detect;
mod error;
mod explained;
mod link;
mod mig;
mod obtainability;
mod offers;
mod plan;
mod plan_id;
mod prices;
mod providers;
mod quota;
mod recommend;
mod sizing;
mod watch;

use serde::Serialize;
use sky_accel_core::catalog::Catalog;
use sky_accel_core::note::Note;
use sky_accel_core::text::printable;

pub use self::accelerators::*;
pub use self::api_prices::*;
pub use self::bill::*;
pub use self::catalog::*;
pub use self::commitments::CommitmentOut;
pub(crate) use self::commitments::commitments as commitments_of;
pub(crate) use self::commitments::{commitment_of, ranking_commitment};
pub use self::credentials::*;
pub use self::currency::CurrencyOut;
pub use self::detect::*;
pub use self::error::*;
pub use self::explained::*;
pub(crate) use self::link::link_of;
pub use self::mig::*;
pub use self::obtainability::*;
pub use self::offers::*;
pub use self::plan::*;
pub use self::plan_id::PlanId;
pub use self::prices::*;
pub use self::providers::*;
pub use self::quota::*;
pub use self::recommend::*;
pub use self::sizing::*;
pub use self::watch::*;
pub use crate::num::Num;

/// The JSON document of an answer: the request, the results, and where they come from.
///
/// `Req` is the request as it was understood, `Res` one result, and `More` the additional top-level fields
/// of some documents ([`Nothing`] for most).
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Envelope<'c, Req, Res, More = Nothing> {
    /// The name and version of the document: `sky-accel.<command>.v1`.
    pub schema: &'static str,
    /// The catalog that the answer is based on.
    pub catalog: CatalogInfo<'c>,
    /// One entry per provider if providers were queried live; omitted otherwise.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub live: Vec<AnswerOut>,
    /// The request as it was understood, with names and specs in canonical form.
    pub request: Req,
    /// The results, best first if the answer is ranked; empty if nothing matches.
    pub results: Vec<Res>,
    /// The number of matches beyond the limit; omitted if the answer has no limit. For very large catalogs,
    /// it includes offers that were skipped because they could not rank among the best.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_off: Option<usize>,
    /// If nothing matches: the number of offers that remain after each condition of the spec and the
    /// filters. Omitted otherwise.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub funnel: Vec<FunnelOut>,
    /// If nothing matches: the closest offers, each with its difference from the request. Omitted
    /// otherwise.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nearest: Vec<NearestOut<'c>>,
    /// The verdict on every offer that was considered, if `explain` was requested. Omitted otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explain: Option<Vec<ExplainOut<'c>>>,
    /// Additional top-level fields of this document.
    #[serde(flatten)]
    pub more: More,
    /// Notes on the answer, without duplicates; may be empty.
    pub notes: Vec<NoteOut>,
}

/// No additional fields: the `more` of most documents.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Nothing {}

impl<'c, Req, Res> Envelope<'c, Req, Res> {
    /// Creates an envelope without live answers, funnel, alternatives or notes.
    pub fn new(
        schema: &'static str,
        catalog: &Catalog<'c>,
        request: Req,
        results: Vec<Res>,
    ) -> Self {
        Self {
            schema,
            catalog: CatalogInfo {
                version: catalog.version(),
                as_of: catalog.as_of(),
                overlays: catalog
                    .overlays
                    .iter()
                    .map(|file| printable(catalog.str(file)))
                    .collect(),
                overridden: Vec::new(),
            },
            live: Vec::new(),
            request,
            results,
            left_off: None,
            funnel: Vec::new(),
            nearest: Vec::new(),
            explain: None,
            more: Nothing {},
            notes: Vec::new(),
        }
    }

    /// Adds top-level fields to the envelope.
    pub fn with_more<More>(self, more: More) -> Envelope<'c, Req, Res, More> {
        Envelope {
            schema: self.schema,
            catalog: self.catalog,
            live: self.live,
            request: self.request,
            results: self.results,
            left_off: self.left_off,
            funnel: self.funnel,
            nearest: self.nearest,
            explain: self.explain,
            more,
            notes: self.notes,
        }
    }
}

impl<Req, Res, More> Envelope<'_, Req, Res, More> {
    /// Adds notes, skipping duplicates.
    #[must_use]
    pub fn with_notes(mut self, notes: impl IntoIterator<Item = Note>) -> Self {
        for note in notes {
            let note = NoteOut {
                code: note.code.to_owned(),
                message: printable(&note.message),
                quoted: None,
                is_detail: note.is_detail(),
            };
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
        self
    }
}

/// The catalog that the answer is based on.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CatalogInfo<'c> {
    /// The version of the catalog.
    pub version: &'c str,
    /// The date of the newest fact in the catalog, as `YYYY-MM-DD`.
    pub as_of: &'c str,
    /// The overlay files on top of the embedded catalog, highest precedence last. Omitted without overlays.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub overlays: Vec<String>,
    /// The facts that overlays changed and that affect the results, one sentence each. The wording may
    /// change. Omitted if empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub overridden: Vec<String>,
}

sky_accel_core::words! {
    /// Where a provider's prices come from.
    pub enum AnswerSource {
        /// The provider answered this query.
        Live = "live",
        /// The answer comes from the cache.
        Cache = "cache",
        /// The provider was not queried, because it has no known API or no key is configured; the catalog's
        /// prices are used.
        Catalog = "catalog",
        /// The query failed; the provider contributes no offers.
        Failed = "failed",
    }
}

sky_accel_core::words! {
    /// How a provider was queried.
    pub enum AnswerAccess {
        /// With a key, for all data that the account may see.
        Key = "key",
        /// Without a key, for public data.
        Public = "public",
    }
}

/// One provider's answer to a live query.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AnswerOut {
    /// The id of the provider.
    pub provider: String,
    /// Where the prices come from: `live`, `cache`, `catalog` (the provider has no known API, or no key is
    /// configured) or `failed`.
    pub source: AnswerSource,
    /// How the provider was queried: with a `key` or without one (`public`). Omitted if it did not answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access: Option<AnswerAccess>,
    /// The time when the oldest price was fetched, in UTC. Omitted if nothing was fetched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub as_of: Option<String>,
    /// The age of the oldest price in seconds. Omitted if nothing was fetched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub age_s: Option<i64>,
    /// The time when the oldest list of instance types and regions was fetched, in UTC. Omitted if the
    /// provider has no such list, or the list is not cached longer than prices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub types_as_of: Option<String>,
    /// True if every part of the query succeeded.
    pub complete: bool,
    /// The provider's errors; omitted if empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<NoteOut>,
}

/// A note on the answer, or an error of one provider.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NoteOut {
    /// A stable code that scripts may rely on.
    pub code: String,
    /// The note as a sentence without a final period. The wording may change.
    pub message: String,
    /// The words of a provider in the message: untrusted data. Omitted if the message has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quoted: Option<String>,
    /// True if user interfaces may hide the note unless details are requested. Not serialized.
    #[serde(skip)]
    pub is_detail: bool,
}
