//! How a GPU may be cut.

#[cfg(doc)]
use super::Catalog;
use super::{Rows, Str};

/// How a set of GPUs can be cut into MIG slices.
#[derive(Clone, Copy, Debug)]
pub struct Geometry {
    pub id: Str,
    pub title: Str,
    pub driver_min: Str,
    /// Placement units of one GPU, where published.
    pub units: Option<u8>,
    /// The most instances without graphics, and with it, where that is limited.
    pub max_compute: Option<u8>,
    pub max_graphics: Option<u8>,
    pub note: Str,
    pub source: Str,
    pub as_of: Str,
    pub profiles: Rows,
    /// A run of [`Catalog::said_by`].
    pub said_by: Rows,
}

/// A tool that knows only some profiles of a set of GPUs.
#[derive(Clone, Copy, Debug)]
pub struct SaidBy {
    pub tool: Str,
    /// Its word for the GPU; empty where it does not name it.
    pub name: Str,
    /// Strings.
    pub profiles: Rows,
}

/// A compute instance that a GPU instance can be cut into.
#[derive(Clone, Copy, Debug)]
pub struct ComputeInstance {
    /// Compute slices of the GPU instance.
    pub of: u8,
    /// Its own.
    pub compute: u8,
    pub id: u8,
    /// How often it fits.
    pub max: u8,
}

/// Fixed-function engines of a MIG instance. What is missing is not published.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Engines {
    pub copy: Option<u8>,
    pub decode: Option<u8>,
    pub encode: Option<u8>,
    pub jpeg: Option<u8>,
    pub optical_flow: Option<u8>,
}

/// An engine by its name.
type Engine = (&'static str, fn(&Engines) -> Option<u8>);

impl Engines {
    /// Those that all instances of a GPU share: more of them than the GPU has cannot be given out.
    pub const SHARED: [Engine; 4] = [
        ("decoders", |engines| engines.decode),
        ("encoders", |engines| engines.encode),
        ("JPEG engines", |engines| engines.jpeg),
        ("optical-flow units", |engines| engines.optical_flow),
    ];
}

/// One MIG profile of a geometry.
#[derive(Clone, Copy, Debug)]
pub struct Profile {
    pub name: Str,
    pub id: Option<u16>,
    /// Most instances on one GPU.
    pub max: u8,
    pub compute_slices: u8,
    pub memory_mib: Option<u32>,
    pub sm: Option<u16>,
    pub engines: Option<Engines>,
    /// Placement units that it takes, and where it may start.
    pub size: Option<u8>,
    pub starts: Rows,
    /// Strings: names that other drivers give it.
    pub aliases: Rows,
    /// Where it is later than that of the geometry.
    pub driver_min: Str,
}
