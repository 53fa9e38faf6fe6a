//! The JSON contract as types: each answer of the engine is one of these, and so is each document
//! that the command line prints.
//!
//! They are not the core's types: renaming something inside must not change what scripts read.
//! A field that does not apply is missing; one that is not known is `null`. Memory in `_gb` is
//! decimal, as vendors sell it; in `_mib` it is binary, as drivers report it. Prices are US
//! dollars per hour for the whole offer unless the name says otherwise.

mod accelerators;
mod detect;
mod mig;
mod offers;
mod plan;
mod recommend;
mod sizing;

use serde::{Serialize, Serializer};
use sky_accel_core::catalog::Catalog;
use sky_accel_core::note::Note;
use sky_accel_core::text::printable;

pub use self::accelerators::*;
pub use self::detect::*;
pub use self::mig::*;
pub use self::offers::*;
pub use self::plan::*;
pub use self::recommend::*;
pub use self::sizing::*;

/// A figure: whole ones print without a fraction.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
#[cfg_attr(
    feature = "schema",
    derive(schemars::JsonSchema),
    schemars(transparent)
)]
pub struct Num(pub f64);

impl Serialize for Num {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if self.0.fract() == 0.0 && self.0.abs() < 1e15 {
            serializer.serialize_i64(self.0 as i64)
        } else {
            serializer.serialize_f64((self.0 * 1e6).round() / 1e6)
        }
    }
}

/// The one object on standard output.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Envelope<'c, Req, Res, More = Nothing> {
    /// `sky-accel.<command>.v1`.
    pub schema: &'static str,
    pub catalog: CatalogInfo<'c>,
    /// With `--live`: how each provider answered.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub live: Vec<AnswerOut>,
    /// The request as it was understood.
    pub request: Req,
    pub results: Vec<Res>,
    /// Matches that a limit cut off.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_off: Option<usize>,
    /// When nothing matches: how many offers each wish left.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub funnel: Vec<FunnelOut>,
    /// When nothing matches: what is near.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nearest: Vec<NearestOut<'c>>,
    /// With `--explain`: every candidate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub explain: Option<Vec<ExplainOut<'c>>>,
    /// What one command says besides.
    #[serde(flatten)]
    pub more: More,
    pub notes: Vec<NoteOut>,
}

/// Most commands say nothing besides.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Nothing {}

impl<'c, Req, Res> Envelope<'c, Req, Res> {
    pub fn new(
        schema: &'static str,
        catalog: &Catalog<'c>,
        request: Req,
        results: Vec<Res>,
    ) -> Self {
        Self {
            schema,
            catalog: CatalogInfo {
                version: catalog.version,
                as_of: catalog.as_of,
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

    /// With what a command says besides.
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
    /// Adds notes, each once.
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

/// Which catalog answered.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CatalogInfo<'c> {
    pub version: &'c str,
    /// Day of the newest fact.
    pub as_of: &'c str,
}

/// Where the answer of a provider is from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(inline))]
pub enum AnswerSource {
    Live,
    Cache,
    /// The provider has no API that is known here.
    Catalog,
    Failed,
}

/// How a provider answered.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct AnswerOut {
    pub provider: String,
    /// `live`, `cache`, `catalog` (it has no known API) or `failed`.
    pub source: AnswerSource,
    /// When the oldest price of the answer was fetched, in UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub as_of: Option<String>,
    /// Seconds since then.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub age_s: Option<i64>,
    /// When the oldest list of instance types and regions was fetched, where those are kept for
    /// longer than prices.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub types_as_of: Option<String>,
    /// Whether every part of it was answered.
    pub complete: bool,
    /// What went wrong.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<NoteOut>,
}

/// A remark.
#[derive(Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct NoteOut {
    pub code: String,
    pub message: String,
    /// Whether a face may hide it from people who did not ask for more.
    #[serde(skip)]
    pub is_detail: bool,
}

/// A failure, on standard error.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ErrorEnvelope {
    /// `sky-accel.error.v1`.
    pub schema: &'static str,
    /// The first thing that is wrong.
    pub error: ErrorOut,
    /// The others, when several things are.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub more: Vec<ErrorOut>,
}

/// One thing that is wrong.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ErrorOut {
    /// Stable, dotted.
    pub code: String,
    pub message: String,
    /// What could have been meant, or what to do.
    pub hints: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub span: Option<SpanOut>,
    /// `file:line:column`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
}

/// Where in the text it is, in bytes from 0; `end` is behind the last one.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SpanOut {
    pub start: usize,
    pub end: usize,
}
