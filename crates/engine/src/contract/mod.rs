//! The JSON contract as types: each answer of the engine is one of these, and so is each document
//! that the command line prints.
//!
//! They are not the core's types: renaming something inside must not change what scripts read.
//! A field that does not apply is missing. One that is not known is `null`, or missing where its
//! documentation says so. Memory in `_gb` is
//! decimal, as vendors sell it; in `_mib` it is binary, as drivers report it. Prices are US
//! dollars per hour for the whole offer unless the name says otherwise.

mod accelerators;
mod catalog;
mod cites;
mod detect;
mod mig;
mod offers;
mod plan;
mod recommend;
mod sizing;
mod watch;

use serde::{Serialize, Serializer};
use sky_accel_catalog::{Change, diff_offers, overrides};
use sky_accel_core::catalog::Catalog;
use sky_accel_core::note::Note;
use sky_accel_core::text::printable;

use crate::catalog::{EMBEDDED, sentences};

pub use self::accelerators::*;
pub use self::catalog::*;
use self::cites::Cited;
pub(crate) use self::cites::Cites;
pub use self::detect::*;
pub use self::mig::*;
pub use self::offers::*;
pub use self::plan::*;
pub use self::recommend::*;
pub use self::sizing::*;
pub use self::watch::*;

/// The most changes of overlays that a note repeats, and that a document lists.
const MAX_TOLD: usize = 2;
const MAX_OVERRIDDEN: usize = 100;

/// A number of the contract. A whole number is serialized without a fraction, any other one rounded
/// to six decimal places.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(transparent)
)]
pub struct Num(pub f64);

impl Serialize for Num {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let whole = self.0 as i64;
        #[allow(clippy::float_cmp, reason = "whether it is that number, not near it")]
        if whole as f64 == self.0 && self.0.abs() < 1e15 {
            serializer.serialize_i64(whole)
        } else {
            serializer.serialize_f64((self.0 * 1e6).round() / 1e6)
        }
    }
}

/// The JSON document of an answer: the request, the results, and an account of where they come
/// from.
///
/// `Req` is the request as it was understood, `Res` one result, and `More` the additional top-level
/// fields that some documents have ([`Nothing`] for most).
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Envelope<'c, Req, Res, More = Nothing> {
    /// The name and version of the document: `sky-accel.<command>.v1`.
    pub schema: &'static str,
    /// The catalog that answered.
    pub catalog: CatalogInfo<'c>,
    /// One entry for each provider, when the providers were asked live; missing otherwise.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub live: Vec<AnswerOut>,
    /// The request as it was understood, with names and specs in canonical form.
    pub request: Req,
    /// The results in order, the best first where the answer ranks them; empty when nothing
    /// matches.
    pub results: Vec<Res>,
    /// The number of matches that a limit cut off; missing where the answer has no limit. Where
    /// thousands of offers may match, those are counted too that were not looked at, since they could
    /// not be among the best.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_off: Option<usize>,
    /// When nothing matches: the number of offers that remain after each condition of the spec and
    /// the filters. Missing otherwise.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub funnel: Vec<FunnelOut>,
    /// When nothing matches: offers that come close, each with its relation to the request. Missing
    /// otherwise.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nearest: Vec<NearestOut<'c>>,
    /// With `--explain`: the verdict on every offer that was considered. Missing otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explain: Option<Vec<ExplainOut<'c>>>,
    /// Additional top-level fields of this document.
    #[serde(flatten)]
    pub more: More,
    /// Remarks on the answer, each listed once; empty when there are none.
    pub notes: Vec<NoteOut>,
}

/// No additional fields: the `more` of most documents.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Nothing {}

impl<'c, Req, Res> Envelope<'c, Req, Res> {
    /// An envelope with results, and without live answers, funnel, alternatives and notes.
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

    /// The same envelope with additional top-level fields.
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

impl<Req, Res: Cites, More> Envelope<'_, Req, Res, More> {
    /// States which of the changes that overlays made the results rest on: in the `catalog` block,
    /// and in a note. All results rest on the facts of `model`, where there is one.
    #[must_use]
    pub(crate) fn with_overridden(
        mut self,
        overlaid: Option<&Catalog<'_>>,
        model: Option<&str>,
    ) -> Self {
        let Some(overlaid) = overlaid else {
            return self;
        };
        let mut cited = Cited::default();
        for result in &self.results {
            result.cite(&mut cited);
        }
        // Which of the figures and rules a size rests on is not told apart.
        let of_sizing = |what: &str| {
            let mut kinds = ["coefficient ", "format ", "family "].into_iter();
            kinds.any(|kind| what.starts_with(kind))
        };
        let of_model = model.map(|name| format!("model {name}"));
        let is_touched = |what: &str| {
            of_model
                .as_ref()
                .is_some_and(|model| what == *model || of_sizing(what))
                || cited.accelerators.contains(what)
        };
        let mut touched: Vec<Change> = overrides(overlaid, is_touched).collect();
        touched.extend(diff_offers(&EMBEDDED, overlaid, cited.offers));
        let mut sentences = sentences(&touched);
        if sentences.is_empty() {
            return self;
        }
        let more = match sentences.len().saturating_sub(MAX_TOLD) {
            0 => String::new(),
            more => format!("; and {more} more"),
        };
        let told = sentences[..sentences.len().min(MAX_TOLD)].join("; ");
        sentences.truncate(MAX_OVERRIDDEN);
        self.catalog.overridden = sentences;
        let message = format!("overlays changed what the results rest on: {told}{more}");
        self.with_notes([Note::new("overlay", message)])
    }
}

impl<Req, Res, More> Envelope<'_, Req, Res, More> {
    /// Adds notes to the envelope, each once.
    #[must_use]
    pub fn with_notes(mut self, notes: impl IntoIterator<Item = Note>) -> Self {
        for note in notes {
            let note = NoteOut {
                code: note.code.to_owned(),
                message: printable(&note.message),
                is_detail: note.is_detail(),
            };
            if !self.notes.contains(&note) {
                self.notes.push(note);
            }
        }
        self
    }
}

/// The catalog that answered.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CatalogInfo<'c> {
    /// The version of the catalog.
    pub version: &'c str,
    /// The day of the newest fact in the catalog, as `YYYY-MM-DD`.
    pub as_of: &'c str,
    /// The files of the overlays over the embedded catalog, the strongest last. Missing without
    /// overlays.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub overlays: Vec<String>,
    /// The facts of the embedded catalog that the overlays changed and that the results rest on, as
    /// sentences whose wording may change. Missing when there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub overridden: Vec<String>,
}

sky_accel_core::words! {
    /// The origin of a provider's prices.
    pub enum AnswerSource {
        /// The provider answered now.
        Live = "live",
        /// The answer was taken from the cache.
        Cache = "cache",
        /// The provider was not asked, because it has no known API or there is no key for it; the
        /// catalog's prices stand.
        Catalog = "catalog",
        /// The provider was asked and failed; it contributes no offers.
        Failed = "failed",
    }
}

sky_accel_core::words! {
    /// How a provider was asked.
    pub enum AnswerAccess {
        /// With a key, for everything that the account may see.
        Key = "key",
        /// Without a key, for what the provider tells everybody.
        Public = "public",
    }
}

/// The answer of one provider to a live question.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AnswerOut {
    /// The id of the provider.
    pub provider: String,
    /// The origin of the prices: `live`, `cache`, `catalog` (the provider has no known API, or
    /// there is no key for it) or `failed`.
    pub source: AnswerSource,
    /// How the provider was asked: with a `key`, or as everybody can (`public`). Missing where it
    /// did not answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub access: Option<AnswerAccess>,
    /// The time at which the oldest price of the answer was fetched, in UTC. Missing where nothing
    /// was fetched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub as_of: Option<String>,
    /// The age of the oldest price in seconds. Missing where nothing was fetched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub age_s: Option<i64>,
    /// The time at which the oldest list of instance types and regions was fetched, in UTC. Missing
    /// where the provider has no such list that is kept for longer than prices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub types_as_of: Option<String>,
    /// True if every part of the question was answered.
    pub complete: bool,
    /// The errors of the provider; missing when there are none.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<NoteOut>,
}

/// A remark on the answer, or one of its errors.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NoteOut {
    /// A stable code that scripts may rely on.
    pub code: String,
    /// The remark as a sentence without a full stop. Its wording may change.
    pub message: String,
    /// True if a user interface may hide the remark unless details are asked for. Not serialized.
    #[serde(skip)]
    pub is_detail: bool,
}

/// The JSON document of a failure: printed on standard error, or in the place of the answer to a line of
/// standard input.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ErrorEnvelope {
    /// Always `sky-accel.error.v1`.
    pub schema: &'static str,
    /// The first error.
    pub error: ErrorOut,
    /// The remaining errors; missing when there is only one.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub more: Vec<ErrorOut>,
}

/// One error.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ErrorOut {
    /// A stable, dotted code that scripts may rely on, such as `usage.unknown-provider`.
    pub code: String,
    /// The error as a sentence without a full stop. Its wording may change.
    pub message: String,
    /// Likely corrections or ways out; empty when there are none.
    pub hints: Vec<String>,
    /// The position of the error in the text. Missing where the error is not about a text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<SpanOut>,
    /// The position in a file, as `file:line:column`. Missing where the error is not in a file.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    /// The id of the provider that failed. Missing where no provider is concerned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
}

/// A range of bytes in a text.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SpanOut {
    /// The first byte, counted from 0.
    pub start: usize,
    /// The byte after the last one.
    pub end: usize,
}
