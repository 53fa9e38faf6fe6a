//! MIG geometries: how GPUs can be partitioned.

#[cfg(doc)]
use super::Catalog;
use super::{Rows, Str};

crate::rows! {
    /// How a set of GPUs can be partitioned into MIG slices.
    #[derive(Clone, Copy, Debug)]
    pub struct Geometry {
        /// The catalog's id, such as `h100-80gb-sxm`.
        pub id: Str,
        /// The title for people.
        pub title: Str,
        /// The first driver version that supports MIG on them; empty if unknown.
        pub driver_min: Str,
        /// The placement units of one GPU; `None` if they are not published.
        pub units: Option<u8>,
        /// The maximum number of instances without graphics on one GPU; `None` without a limit.
        pub max_compute: Option<u8>,
        /// The maximum number of instances with graphics on one GPU; `None` without a limit.
        pub max_graphics: Option<u8>,
        /// A remark, or empty.
        pub note: Str,
        /// The source of the facts.
        pub source: Str,
        /// The date of the facts: a day, a month or a year.
        pub as_of: Str,
        /// The profiles: a run of [`field@Catalog::profiles`].
        pub profiles: Rows,
        /// The tools that know only some of the profiles: a run of [`field@Catalog::said_by`].
        pub said_by: Rows,
    }

    /// A tool that knows only some profiles of a set of GPUs.
    #[derive(Clone, Copy, Debug)]
    pub struct SaidBy {
        /// The id of the tool, such as `gke`.
        pub tool: Str,
        /// The tool's name of the GPU; empty if it has none.
        pub name: Str,
        /// The names of the profiles that it knows: a run of [`field@Catalog::strings`].
        pub profiles: Rows,
    }

    /// A compute instance that a GPU instance can be partitioned into.
    #[derive(Clone, Copy, Debug)]
    pub struct ComputeInstance {
        /// The compute slices of the GPU instance.
        pub of: u8,
        /// The compute slices of the compute instance.
        pub compute: u8,
        /// The driver's id of the compute instance profile.
        pub id: u8,
        /// The maximum number of such compute instances in one GPU instance.
        pub max: u8,
    }

    /// The numbers of fixed-function engines of a MIG instance; `None` if a number is not published.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Engines {
        /// Copy engines.
        pub copy: Option<u8>,
        /// Video decoders.
        pub decode: Option<u8>,
        /// Video encoders.
        pub encode: Option<u8>,
        /// JPEG engines.
        pub jpeg: Option<u8>,
        /// Optical-flow units.
        pub optical_flow: Option<u8>,
    }
}

/// A kind of fixed-function engine: its name, and its number in a MIG instance.
type FixedFunctionEngine = (&'static str, fn(&Engines) -> Option<u8>);

impl Engines {
    /// The fixed-function engines that all instances of a GPU share, each with its name in the plural. The instances
    /// together cannot have more of them than the GPU.
    pub const SHARED: [FixedFunctionEngine; 4] = [
        ("decoders", |engines| engines.decode),
        ("encoders", |engines| engines.encode),
        ("JPEG engines", |engines| engines.jpeg),
        ("optical-flow units", |engines| engines.optical_flow),
    ];
}

crate::rows! {
    /// One MIG profile of a geometry.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Profile {
        /// The name, such as `3g.40gb`.
        pub name: Str,
        /// The driver's id of the profile; `None` if it is not published.
        pub id: Option<u16>,
        /// The maximum number of instances on one GPU.
        pub max: u8,
        /// The compute slices: the number before `g`.
        pub compute_slices: u8,
        /// Memory of one instance in MiB; `None` if it is not published.
        pub memory_mib: Option<u32>,
        /// The number of streaming multiprocessors; `None` if it is not published.
        pub sm: Option<u16>,
        /// The fixed-function engines of one instance; `None` if they are not published.
        pub engines: Option<Engines>,
        /// The placement units of one instance; `None` if they are not published.
        pub size: Option<u8>,
        /// The valid starts in placement units: a run of [`field@Catalog::starts`].
        pub starts: Rows,
        /// The names that other drivers use: a run of [`field@Catalog::strings`].
        pub aliases: Rows,
        /// The first driver version with the profile, if it is later than the version of the geometry; empty otherwise.
        pub driver_min: Str,
    }
}
