//! MIG profiles and instances.

use serde::Serialize;
use sky_accel_core::catalog::{Catalog, Geometry, Profile};
use sky_accel_core::mig::{Chip, Gpu, Slice};

/// A MIG instance in its place.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlacementOut {
    pub gpu_index: u32,
    pub profile: String,
    pub profile_id: Option<u16>,
    /// `null` where starts are not published.
    pub start: Option<u8>,
    pub size: Option<u8>,
    pub memory_mib: Option<u32>,
    /// Those that the instance is cut into, where it is.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub compute_instances: Vec<String>,
}

/// Every slice that is placed, GPU after GPU.
pub fn placements(chip: &Chip<'_>, gpus: &[Gpu]) -> Vec<PlacementOut> {
    let placement = |gpu: &Gpu, slice: &Slice| {
        let kind = &chip.kinds[slice.instance.kind];
        let part = |compute: &u8| format!("{compute}c.{}", kind.name);
        PlacementOut {
            gpu_index: gpu.index,
            profile: kind.name.to_owned(),
            profile_id: kind.profile.id,
            start: slice.instance.start,
            size: kind.size(),
            memory_mib: kind.profile.memory_mib,
            compute_instances: slice.parts.iter().map(part).collect(),
        }
    };
    gpus.iter()
        .flat_map(|gpu| gpu.slices.iter().map(move |slice| placement(gpu, slice)))
        .collect()
}

/// A MIG profile.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProfileOut<'a> {
    pub profile: &'a str,
    pub profile_id: Option<u16>,
    pub max_instances: u8,
    pub memory_mib: Option<u32>,
    pub compute_slices: u8,
    /// Placement units.
    pub memory_slices: Option<u8>,
    pub size: Option<u8>,
    pub starts: Vec<u8>,
    pub sm: Option<u16>,
    /// Missing where none are published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engines: Option<EnginesOut>,
    pub source: &'a str,
}

/// Fixed-function engines of an instance; `null` is not published.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EnginesOut {
    pub copy: Option<u8>,
    pub decode: Option<u8>,
    pub encode: Option<u8>,
    pub jpeg: Option<u8>,
    pub optical_flow: Option<u8>,
}

/// A profile as it is printed.
pub fn profile<'a>(catalog: &Catalog<'a>, geometry: &Geometry, row: &Profile) -> ProfileOut<'a> {
    ProfileOut {
        profile: catalog.str(row.name),
        profile_id: row.id,
        max_instances: row.max,
        memory_mib: row.memory_mib,
        compute_slices: row.compute_slices,
        memory_slices: row.size,
        size: row.size,
        starts: catalog.starts(row).to_vec(),
        sm: row.sm,
        engines: row.engines.map(|engines| EnginesOut {
            copy: engines.copy,
            decode: engines.decode,
            encode: engines.encode,
            jpeg: engines.jpeg,
            optical_flow: engines.optical_flow,
        }),
        source: catalog.str(geometry.source),
    }
}
