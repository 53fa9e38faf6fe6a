//! MIG profiles and instances.

use serde::Serialize;
use sky_accel_core::catalog::{Catalog, Geometry, PriceKind, Profile, Quality};
use sky_accel_core::mig::targets::ProfileNames;
use sky_accel_core::mig::{Chip, Gpu, Slice};
use sky_accel_core::resolve::Reason;

use super::{NoteOut, Num};
use crate::price_policy::PricePolicy;

/// A MIG instance and its position on a GPU.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PlacementOut {
    /// The index of the GPU, counted from 0.
    pub gpu_index: u32,
    /// The name of the profile, such as `3g.40gb`.
    pub profile: String,
    /// NVIDIA's profile id; `null` if not published.
    pub profile_id: Option<u16>,
    /// The first placement unit of the instance; `null` if starts are not published.
    pub start: Option<u8>,
    /// The number of placement units; `null` if not published.
    pub size: Option<u8>,
    /// Memory of the instance in MiB; `null` if not published.
    pub memory_mib: Option<u32>,
    /// The compute instances within the instance. Omitted if it is not divided.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub compute_instances: Vec<String>,
}

/// The positions of all slices, ordered by GPU.
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
    /// The name of the profile, such as `3g.40gb`.
    pub profile: &'a str,
    /// NVIDIA's profile id; `null` if not published.
    pub profile_id: Option<u16>,
    /// The maximum number of instances of the profile on one GPU.
    pub max_instances: u8,
    /// Memory of an instance in MiB; `null` if not published.
    pub memory_mib: Option<u32>,
    /// The number of compute slices of an instance.
    pub compute_slices: u8,
    /// The number of memory slices (placement units) of an instance; `null` if not published.
    pub memory_slices: Option<u8>,
    /// The same number as `memory_slices`, under the name used by placements.
    pub size: Option<u8>,
    /// The placement units where an instance can start; empty if not published.
    pub starts: Vec<u8>,
    /// The number of streaming multiprocessors of an instance; `null` if not published.
    pub sm: Option<u16>,
    /// The fixed-function engines of an instance. Omitted if not published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub engines: Option<EnginesOut>,
    /// The source of the profile, usually a URL.
    pub source: &'a str,
}

/// The fixed-function engines of a MIG instance. A number is `null` if not published.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct EnginesOut {
    /// The number of copy engines.
    pub copy: Option<u8>,
    /// The number of video decoders.
    pub decode: Option<u8>,
    /// The number of video encoders.
    pub encode: Option<u8>,
    /// The number of JPEG decoders.
    pub jpeg: Option<u8>,
    /// The number of optical flow engines.
    pub optical_flow: Option<u8>,
}

/// Converts a MIG profile to its contract form.
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

/// A GPU, and slices to place on it. An answer repeats the request in canonical form.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MigFitRequest {
    /// The name of the GPU.
    pub gpu: String,
    /// The slices to place, such as `3g.40gb+1g.10gb*2`, or a model, which gets the smallest slice that holds it.
    pub profiles: String,
    /// Existing instances, such as `2g.20gb@0`.
    pub occupied: Vec<String>,
}

/// The placement of slices on a GPU.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MigFitOut {
    /// The catalog's id of the GPU.
    pub gpu: String,
    /// True if one GPU holds all of the slices.
    pub fits: bool,
    /// The number of empty GPUs that the slices need; `null` if instances already exist and the slices do
    /// not fit next to them.
    pub gpus_needed: Option<u32>,
    /// The position of each slice; empty if the slices do not fit.
    pub placements: Vec<PlacementOut>,
    /// The existing instances; omitted if empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub existing: Vec<PlacementOut>,
    /// The reason why the slices do not fit. Omitted if they do.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<NoteOut>,
    /// Profiles that still fit next to the slices, largest first.
    pub free: Vec<FreeOut>,
}

/// The positions where one more instance of a profile fits.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FreeOut {
    /// The index of the GPU, counted from 0.
    pub gpu_index: u32,
    /// The name of the profile.
    pub profile: String,
    /// The placement units where the instance can start.
    pub starts: Vec<u8>,
}

/// Slices, and the kind of GPU to pack them onto. An answer repeats the request in canonical form.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PackRequest {
    /// The name of the GPU; `any` compares the GPUs that can be rented and partitioned.
    pub gpu: String,
    /// The slices to pack, such as `3g.40gb*10+1g.10gb*20`.
    pub slices: String,
    /// The maximum number of GPUs. Omitted without a limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gpus: Option<u32>,
    /// The name of the file that lists existing GPUs. Omitted if all GPUs are new.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub onto: Option<String>,
    /// The content of the file: JSON, or the table that `nvidia-smi mig -lgi` prints. Not serialized.
    #[serde(skip)]
    pub existing: Option<String>,
    /// Slices given by required memory instead of by profile, such as `10GB*20`. Replaces `slices`. Not
    /// serialized.
    #[serde(skip)]
    pub sizes: Vec<String>,
    /// The prices of machines that count.
    #[serde(flatten)]
    pub prices: PricePolicy,
}

/// Slices packed onto a minimum number of GPUs.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PackOut {
    /// The catalog's id of the GPU.
    pub gpu: String,
    /// The slices, by the profile names of this GPU.
    pub slices: String,
    /// True if all slices are placed.
    pub fits: bool,
    /// The number of GPUs that all slices need, existing and new.
    pub gpus_needed: u32,
    /// The number of new GPUs. Omitted if no existing GPUs are given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub gpus_new: Option<u32>,
    /// A proven lower bound of `gpus_needed`. With `onto`, new GPUs are minimized first and existing GPUs
    /// second; the bound applies to that order.
    pub gpus_at_least: u32,
    /// True if `gpus_needed` is proved to be the minimum.
    pub proved: bool,
    /// The number of GPUs that are used: `gpus_needed`, or the limit of the request if it is lower.
    pub gpus: u32,
    /// The layouts of the GPUs. GPUs with the same layout are grouped, ordered by index.
    pub layouts: Vec<LayoutOut>,
    /// The position of each slice.
    pub placements: Vec<PlacementOut>,
    /// The existing instances on the GPUs of `onto`; omitted if empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub existing: Vec<PlacementOut>,
    /// Slices that could not be placed because of the limit on GPUs; omitted if empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<UnplacedOut>,
    /// Why slices could not be placed. Omitted if all were placed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<NoteOut>,
    /// Profiles that still fit on the GPUs of each layout.
    pub free: Vec<FreeOut>,
    /// The unused part of the GPUs.
    pub waste: WasteOut,
    /// The cheapest machines for the new GPUs, on demand; `null` if no GPU is new, no provider is known to
    /// allow MIG, or no price is known that is new enough.
    pub cheapest: Option<CostOut>,
}

/// The on-demand cost of the GPUs.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CostOut {
    /// The id of the provider.
    pub provider: String,
    /// The provider's id of the machine.
    pub instance_type: String,
    /// The number of machines.
    pub machines: u32,
    /// The number of GPUs in these machines; more than needed if machines only come with more GPUs.
    pub gpus: u32,
    /// The price of all machines as it was last stated, in US dollars per hour.
    pub usd_per_hour: Num,
    /// The likely price of today of all machines; the stated price if the request asks for stated prices.
    pub likely_usd_per_hour: Num,
    /// The lower end of the band that holds four of five likely prices, of all machines.
    pub low: Num,
    /// The upper end of the band.
    pub high: Num,
    /// The same as `usd_per_hour`.
    pub stated_usd_per_hour: Num,
    /// The age of the stated price in days; `null` if unknown.
    pub age_days: Option<i32>,
    /// The provider's page with the machine or its prices. Omitted if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// US dollars per hour for one slice: the likely price of all machines divided by the number of slices.
    pub usd_per_slice_hour: Num,
    /// US dollars per hour at the likely price if each slice used a whole GPU of these machines.
    pub whole_gpus_usd_per_hour: Num,
    /// The saving of slices compared with whole GPUs, in percent.
    pub saving_percent: Num,
    /// The region of the price; `null` if the price applies to all regions.
    pub region: Option<String>,
    /// `list`, `live`, `snapshot`, `estimate` or `contract`.
    pub kind: PriceKind,
    /// The reliability of the price.
    pub quality: Quality,
    /// The number of sources that have stated a price of the machine.
    pub sources: u8,
    /// The date of the stated price.
    pub as_of: String,
    /// The source of the price, usually a URL.
    pub source: String,
    /// The reasons to doubt the price or the host. Omitted without any.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub doubts: Vec<Reason>,
}

/// GPUs with the same layout.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LayoutOut {
    /// The indexes of the GPUs, counted from 0.
    pub gpu_indexes: Vec<u32>,
    /// The number of GPUs.
    pub count: u32,
    /// The existing instances, as `profile@start`; omitted if empty.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub existing: Vec<String>,
    /// The instances to create, as `profile@start`.
    pub layout: Vec<String>,
}

/// Unplaced slices of one profile.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct UnplacedOut {
    /// The name of the profile.
    pub profile: String,
    /// The number of slices.
    pub count: u32,
}

/// The unused part of the GPUs in use.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct WasteOut {
    /// The number of unused compute slices.
    pub compute_slices: u32,
    /// Unused compute slices in percent of the total.
    pub compute_percent: Num,
    /// The number of unused memory slices (placement units); `null` if not published.
    pub memory_slices: Option<u32>,
    /// Unused memory slices in percent of the total; `null` if not published.
    pub memory_percent: Option<Num>,
}

/// A GPU whose MIG profiles are listed.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProfilesRequest {
    /// The name of the GPU.
    pub gpu: String,
}

/// A MIG profile of a GPU, with its names in other tools.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProfileRow<'a> {
    /// The group of GPUs that share the profile.
    pub gpu: &'a str,
    /// The first driver version that supports MIG on them; `null` if unknown.
    pub driver_min: Option<&'a str>,
    /// The profile.
    #[serde(flatten)]
    pub profile: ProfileOut<'a>,
    /// The names of the profile in other driver versions.
    pub aliases: Vec<&'a str>,
    /// The names of the profile in other tools.
    pub names: ProfileNamesOut,
}

/// The names of a profile in other tools; `null` if a tool has no name for it.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ProfileNamesOut {
    /// The Kubernetes resource under the device plugin's `mixed` strategy.
    pub kubernetes_mixed: String,
    /// The Kubernetes resource under the device plugin's `single` strategy.
    pub kubernetes_single: &'static str,
    /// The GPU operator configuration that partitions every GPU of a node into this profile.
    pub gpu_operator: String,
    /// The partition size of a GKE node pool.
    pub gke: Option<String>,
    /// The GPU instance profile of an AKS node pool.
    pub aks: Option<String>,
    /// The GPU and the partition in the Flyte SDK.
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
