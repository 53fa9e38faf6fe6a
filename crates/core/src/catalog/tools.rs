//! Tools that plans are written for, what they call accelerators and providers, and what a plan is
//! checked against.

#[cfg(doc)]
use super::Catalog;
use super::{ProviderId, Rows, Str};

/// A tool that takes a plan or a spec.
#[derive(Clone, Copy, Debug)]
pub struct Tool {
    pub id: Str,
    pub name: Str,
    /// The one that its words were checked with.
    pub version: Str,
    /// A run of [`Catalog::tool_words`].
    pub words: Rows,
    /// A run of [`Catalog::tool_providers`].
    pub providers: Rows,
    pub source: Str,
    pub as_of: Str,
}

/// The word of a tool for some accelerators: who asks for it may get any of them.
#[derive(Clone, Copy, Debug)]
pub struct ToolWord {
    pub word: Str,
    /// The word of the tool for their maker, where it has to be said.
    pub vendor: Str,
    /// A run of [`Catalog::accelerator_lists`].
    pub accelerators: Rows,
    /// The provider for whose offers alone it is the word.
    pub provider: Option<ProviderId>,
    /// Numbers of devices that the tool takes: a run of [`Catalog::tool_counts`]; empty is any.
    pub counts: Rows,
}

/// The word of a tool for a provider, and the features that it lacks there.
#[derive(Clone, Copy, Debug)]
pub struct ToolProvider {
    pub provider: ProviderId,
    pub word: Str,
    /// Strings: `image`, `nodes`, `interconnect`.
    pub lacks: Rows,
}

/// How programs reach devices.
#[derive(Clone, Copy, Debug)]
pub struct Sdk {
    pub id: Str,
    /// The Kubernetes resource of one device.
    pub kubernetes: Str,
    /// The command that lists the devices of a machine.
    pub list_command: Str,
    /// The options of `docker run` that hand all devices to a container, where they are not `--gpus`.
    pub docker: Rows,
    pub source: Str,
    pub as_of: Str,
}

/// An account's limit that some instance types count against.
#[derive(Clone, Copy, Debug)]
pub struct QuotaPool {
    pub provider: ProviderId,
    /// Strings: what instance types of the pool begin with, up to the first digit or through it.
    pub families: Rows,
    pub on_demand: Str,
    pub spot: Str,
    pub source: Str,
    pub as_of: Str,
}

/// A CUDA toolkit.
#[derive(Clone, Copy, Debug)]
pub struct CudaRelease {
    pub version: Str,
    /// The first driver that comes with it.
    pub driver_min: Str,
    pub source: Str,
    pub as_of: Str,
}
