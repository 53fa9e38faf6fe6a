//! Tools that plans are written for, their names for accelerators and providers, software stacks, quotas and CUDA
//! releases.

#[cfg(doc)]
use super::Catalog;
use super::{ProviderId, Rows, Str};

crate::rows! {
    /// A tool that takes plans or specs.
    #[derive(Clone, Copy, Debug)]
    pub struct Tool {
        /// The id, such as `skypilot`.
        pub id: Str,
        /// The name for people.
        pub name: Str,
        /// The version that its words were checked with.
        pub version: Str,
        /// Its words for accelerators: a run of [`field@Catalog::tool_words`].
        pub words: Rows,
        /// Its words for providers: a run of [`Catalog::tool_providers`].
        pub providers: Rows,
        /// The source of the facts.
        pub source: Str,
        /// The date of the facts: a day, a month or a year.
        pub as_of: Str,
    }

    /// A tool's word for some accelerators. A request with the word may get any of them.
    #[derive(Clone, Copy, Debug)]
    pub struct ToolWord {
        /// The word.
        pub word: Str,
        /// The tool's word for their vendor; empty if it is not needed.
        pub vendor: Str,
        /// A run of [`Catalog::accelerator_lists`].
        pub accelerators: Rows,
        /// The only provider for whose offers the word holds; `None` if it holds for all of them.
        pub provider: Option<ProviderId>,
        /// The numbers of devices that the tool accepts: a run of [`Catalog::tool_counts`], empty for
        /// any.
        pub counts: Rows,
        /// The topologies of slices of a pod that the tool accepts: a run of
        /// [`field@Catalog::strings`], empty for any.
        pub topologies: Rows,
    }

    /// A tool's word for a provider, and the features that it lacks there.
    #[derive(Clone, Copy, Debug)]
    pub struct ToolProvider {
        /// The provider.
        pub provider: ProviderId,
        /// The word.
        pub word: Str,
        /// The missing features, such as `image`, `nodes` or `interconnect`: a run of
        /// [`field@Catalog::strings`].
        pub lacks: Rows,
        /// True if the tool takes the provider's own instance types.
        pub takes_types: bool,
        /// The tool's words that are valid there: a run of [`field@Catalog::strings`], empty where
        /// every word holds.
        pub sells: Rows,
    }

    /// A software stack through which programs reach devices.
    #[derive(Clone, Copy, Debug)]
    pub struct Sdk {
        /// The id, such as `cuda`.
        pub id: Str,
        /// The Kubernetes resource of one device, or empty.
        pub kubernetes: Str,
        /// The command that lists the devices of a machine, or empty.
        pub list_command: Str,
        /// The options of `docker run` that hand all devices to a container, where they are not
        /// `--gpus`: a run of [`field@Catalog::strings`].
        pub docker: Rows,
        /// The words of the [engines](crate::sizing::ServingEngine) that are modeled on it: a run of
        /// [`field@Catalog::strings`].
        pub engines: Rows,
        /// The words of other engines that run on it, of which no measurement calibrates the speed: a run of
        /// [`field@Catalog::strings`].
        pub unmeasured: Rows,
        /// The source of the facts.
        pub source: Str,
        /// The date of the facts: a day, a month or a year.
        pub as_of: Str,
    }

    /// An account's limit in vCPUs that some instance types count against.
    #[derive(Clone, Copy, Debug)]
    pub struct QuotaPool {
        /// The provider.
        pub provider: ProviderId,
        /// The beginnings of instance types in the pool, up to the first digit or through it: a run of
        /// [`field@Catalog::strings`].
        pub families: Rows,
        /// The provider's code of the on-demand quota.
        pub on_demand: Str,
        /// The provider's code of the spot quota.
        pub spot: Str,
        /// The source of the facts.
        pub source: Str,
        /// The date of the facts: a day, a month or a year.
        pub as_of: Str,
    }

    /// A release of the CUDA toolkit.
    #[derive(Clone, Copy, Debug)]
    pub struct CudaRelease {
        /// The version, such as `12.4`.
        pub version: Str,
        /// The first Linux driver of the release.
        pub driver_min: Str,
        /// The source of the facts.
        pub source: Str,
        /// The date of the facts: a day, a month or a year.
        pub as_of: Str,
    }
}
