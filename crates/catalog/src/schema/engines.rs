//! The sections about engines.

use serde::{Deserialize, Serialize};

use super::Spanned;

type Text = Spanned<String>;

/// How an engine runs formats of weights on some devices.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EngineFormat {
    /// The engine: an entry has one, with formats, work and devices.
    pub engine: Text,
    /// The formats of weights.
    pub formats: Vec<Text>,
    /// `inference` or `training`; inference where it is left out.
    pub work: Option<Text>,
    /// The least compute capability of the devices.
    pub from: Option<Text>,
    /// The compute capability that they are below.
    pub below: Option<Text>,
    /// The architectures of devices without a compute capability.
    #[serde(default)]
    pub architectures: Vec<Text>,
    /// How it computes: `native`, `unpacked`, `half` or `none`.
    pub computed: Text,
    /// The first version of the engine that does it.
    pub since: Option<Text>,
    /// The source of the facts.
    pub source: Text,
    /// The date of the facts.
    pub as_of: Text,
}

/// Ways to spread a model over devices that an engine does not support.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EngineLack {
    /// The engine: an entry has one, with work and formats.
    pub engine: Text,
    /// The ways: `tensor`, `pipeline`, `context`, `expert`.
    pub axes: Vec<Text>,
    /// The formats of weights that it holds for; all where it is left out.
    #[serde(default)]
    pub formats: Vec<Text>,
    /// `inference` or `training`; inference where it is left out.
    pub work: Option<Text>,
    /// The source of the facts.
    pub source: Text,
    /// The date of the facts.
    pub as_of: Text,
}
