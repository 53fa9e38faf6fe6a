//! MIG profiles and instances.

use serde::Serialize;
use sky_accel_core::catalog::{Catalog, Geometry, PriceKind, Profile};
use sky_accel_core::mig::targets::ProfileNames;
use sky_accel_core::mig::{Chip, Gpu, Slice};

use super::{NoteOut, Num};

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

/// A GPU, and slices to place on it. In an answer the same, in canonical form.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MigFitRequest {
    pub gpu: String,
    /// `3g.40gb+1g.10gb*2`.
    pub profiles: String,
    /// Instances that exist already: `2g.20gb@0`.
    pub occupied: Vec<String>,
}

/// Whether and where.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MigFitOut {
    pub gpu: String,
    /// Whether one GPU holds all of it.
    pub fits: bool,
    /// GPUs that it takes when they are empty; `null` with `--occupied` when it does not fit.
    pub gpus_needed: Option<u32>,
    pub placements: Vec<PlacementOut>,
    /// What is there already.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub existing: Vec<PlacementOut>,
    /// Why it does not fit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<NoteOut>,
    /// What could be placed besides, the largest first.
    pub free: Vec<FreeOut>,
}

/// Where one more of a profile could go.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FreeOut {
    pub gpu_index: u32,
    pub profile: String,
    pub starts: Vec<u8>,
}

/// Slices, and the kind of GPU to pack them onto. In an answer the same, in canonical form.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PackRequest {
    /// A GPU; `any` compares those that are rented out to be cut.
    pub gpu: String,
    /// `3g.40gb*10+1g.10gb*20`.
    pub slices: String,
    /// GPUs that there are at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gpus: Option<u32>,
    /// The name of the file that lists GPUs which exist already.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub onto: Option<String>,
    /// The text of that file: JSON, or the table of `nvidia-smi mig -lgi`.
    #[serde(skip)]
    pub existing: Option<String>,
    /// In the place of `slices`: slices by the memory that they must have, `10GB*20`.
    #[serde(skip)]
    pub sizes: Vec<String>,
}

/// How many GPUs, and how each is cut.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PackOut {
    pub gpu: String,
    /// In the names of this GPU.
    pub slices: String,
    /// Whether all slices are placed.
    pub fits: bool,
    /// GPUs that all slices take: of those that are there, and new ones.
    pub gpus_needed: u32,
    /// Those of them that are not there yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gpus_new: Option<u32>,
    /// No packing takes fewer than this; with `onto` none takes fewer new ones, and then fewer of
    /// the others.
    pub gpus_at_least: u32,
    /// Whether `gpus_needed` is proved to be the least.
    pub proved: bool,
    /// GPUs that are used: `gpus_needed`, or what `--gpus` allows.
    pub gpus: u32,
    /// How they are cut, those that are cut alike together, in the order of their index.
    pub layouts: Vec<LayoutOut>,
    pub placements: Vec<PlacementOut>,
    /// What is on the GPUs of `onto` already.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub existing: Vec<PlacementOut>,
    /// Slices that `--gpus` leaves no room for.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<LeftOut>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<NoteOut>,
    /// What could be placed besides on the GPUs of each layout.
    pub free: Vec<FreeOut>,
    pub waste: WasteOut,
    /// The cheapest machines for the new GPUs; `null` where there is none, or nobody is known to
    /// rent them out to be cut, or at what price.
    pub cheapest: Option<CostOut>,
}

/// What the GPUs cost, on demand.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CostOut {
    pub provider: String,
    pub instance_type: String,
    pub machines: u32,
    /// In all machines, more than are needed where machines are larger.
    pub gpus: u32,
    pub usd_per_hour: Num,
    pub usd_per_slice_hour: Num,
    /// What a whole GPU of these machines for each slice would cost.
    pub whole_gpus_usd_per_hour: Num,
    pub saving_percent: Num,
    pub region: Option<String>,
    pub kind: PriceKind,
    pub as_of: String,
    pub source: String,
}

/// GPUs that are cut alike.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LayoutOut {
    pub gpu_indexes: Vec<u32>,
    /// How many GPUs.
    pub count: u32,
    /// `profile@start` of what is there already.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub existing: Vec<String>,
    /// `profile@start`.
    pub layout: Vec<String>,
}

/// Slices without a place.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LeftOut {
    pub profile: String,
    pub count: u32,
}

/// What is used of the GPUs that are used.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WasteOut {
    pub compute_slices: u32,
    pub compute_percent: Num,
    /// `null` where placement units are not published.
    pub memory_slices: Option<u32>,
    pub memory_percent: Option<Num>,
}

/// A GPU.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProfilesRequest {
    pub gpu: String,
}

/// A profile of a GPU.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProfileRow<'a> {
    /// The set of GPUs that it is of.
    pub gpu: &'a str,
    /// The first driver that can cut them.
    pub driver_min: Option<&'a str>,
    #[serde(flatten)]
    pub profile: ProfileOut<'a>,
    /// What other drivers call it.
    pub aliases: Vec<&'a str>,
    /// What other tools call it.
    pub names: ProfileNamesOut,
}

/// What other tools call a profile; `null` where one has no word for it.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProfileNamesOut {
    /// The Kubernetes resource with the device plugin's strategy `mixed`.
    pub kubernetes_mixed: String,
    /// The one with the strategy `single`.
    pub kubernetes_single: &'static str,
    /// The GPU operator's configuration that cuts every GPU of a node like that.
    pub gpu_operator: String,
    /// The partition size of a GKE node pool.
    pub gke: Option<String>,
    /// The GPU instance profile of an AKS node pool.
    pub aks: Option<String>,
    /// The GPU and the partition of the Flyte SDK.
    pub flyte: Option<[String; 2]>,
}

impl From<ProfileNames<'_>> for ProfileNamesOut {
    fn from(names: ProfileNames<'_>) -> Self {
        Self {
            kubernetes_mixed: names.kubernetes,
            kubernetes_single: "nvidia.com/gpu",
            gpu_operator: names.gpu_operator,
            gke: names.gke.map(str::to_owned),
            aks: names.aks,
            flyte: names
                .flyte
                .map(|(gpu, partition)| [gpu.to_owned(), partition.to_owned()]),
        }
    }
}
