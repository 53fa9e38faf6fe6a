//! The schema of catalog files. Every file may have any section; `catalog/README.md` describes
//! them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

mod engines;
mod guide;
mod models;
mod offers;
mod spanned;

pub(crate) use engines::{EngineFormat, EngineLack};
pub(crate) use guide::Guide;
pub(crate) use models::{Coefficient, Family, Link, MediaModel, Model, WeightFormat};
pub(crate) use offers::{
    Amount, Currency, Defaults, Host, HostLimit, Network, Offer, Price, Provider, RegionGroup,
    Stated,
};
pub(crate) use spanned::Spanned;

/// The layer of the catalog that a file belongs to: 0 for the embedded catalog, higher numbers for
/// overlays. A later layer may override an earlier one. In one layer, only prices may be repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Layer(pub usize);

impl Layer {
    /// The layer of the catalog that is part of the program.
    pub const EMBEDDED: Self = Self(0);
}

/// The values that a table counts as: it has room for all its fields, whether or not they are given.
const TABLE: usize = 5;

/// Counts about how many values a TOML text has, without parsing it.
pub(crate) fn count_values(text: &str) -> usize {
    // Comments and strings are few: what stands in them counts too.
    let mut before = 0;
    let values = text.bytes().map(|byte| {
        let is_table = byte == b'{' || byte == b'[' && before == b'[';
        before = byte;
        match byte {
            _ if is_table => TABLE,
            b'=' | b',' | b'[' | b'.' => 1,
            _ => 0,
        }
    });
    values.sum()
}

pub(crate) type Text = Spanned<String>;

/// The sections of a catalog file.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Content {
    /// The `[catalog]` section: version and date.
    pub catalog: Option<Header>,
    /// The provider of the offers and prices of this file.
    pub sold_by: Option<Text>,
    /// Defaults for the offers and prices of this file.
    pub defaults: Option<Defaults>,
    /// The `[[currency]]` entries: rates of currencies other than the dollar.
    #[serde(default)]
    pub currency: Vec<Currency>,
    /// The `[[host]]` entries: families of machines that accelerators are attached to.
    #[serde(default)]
    pub host: Vec<Host>,
    /// The `[[host_limit]]` entries: the largest host of so many accelerators.
    #[serde(default)]
    pub host_limit: Vec<HostLimit>,
    /// The `[[network]]` entries: networks between machines.
    #[serde(default)]
    pub network: Vec<Network>,
    /// The `[[media_model]]` entries: models of images, video and speech.
    #[serde(default)]
    pub media_model: Vec<MediaModel>,
    /// The `[[vendor]]` entries: makers of accelerators.
    #[serde(default)]
    pub vendor: Vec<Vendor>,
    /// The `[[accelerator]]` entries.
    #[serde(default)]
    pub accelerator: Vec<Accelerator>,
    /// The `[[name]]` entries: names with several meanings, with counts, or of no product.
    #[serde(default)]
    pub name: Vec<Name>,
    /// The `[[geometry]]` entries: MIG profiles and placements.
    #[serde(default)]
    pub geometry: Vec<Geometry>,
    /// The `compute_instance` rows: the divisions of a GPU instance.
    #[serde(default)]
    pub compute_instance: Vec<Spanned<ComputeInstance>>,
    /// The `[[sharing]]` entries: ways to share an accelerator other than MIG.
    #[serde(default)]
    pub sharing: Vec<Sharing>,
    /// The `[[sdk]]` entries: the way in which containers get devices.
    #[serde(default)]
    pub sdk: Vec<Sdk>,
    /// The `[[tool]]` entries: tools and their words.
    #[serde(default)]
    pub tool: Vec<Tool>,
    /// The `[[quota]]` entries: pools of instance types with a common limit.
    #[serde(default)]
    pub quota: Vec<Quota>,
    /// The `[[cuda_release]]` entries.
    #[serde(default)]
    pub cuda_release: Vec<CudaRelease>,
    /// The `[[provider]]` entries.
    #[serde(default)]
    pub provider: Vec<Provider>,
    /// The `[[region_group]]` entries: places that several countries make up.
    #[serde(default)]
    pub region_group: Vec<RegionGroup>,
    /// The `[[offer]]` entries.
    #[serde(default)]
    pub offer: Vec<Offer>,
    /// The `[[price]]` entries.
    #[serde(default)]
    pub price: Vec<Price>,
    /// The `[[model]]` entries: shapes of language models.
    #[serde(default)]
    pub model: Vec<Model>,
    /// The `[[family]]` entries: values that a `config.json` leaves out.
    #[serde(default)]
    pub family: Vec<Family>,
    /// The `[[weight_format]]` entries.
    #[serde(default)]
    pub weight_format: Vec<WeightFormat>,
    /// The `[[coefficient]]` entries: measured figures for sizing.
    #[serde(default)]
    pub coefficient: Vec<Coefficient>,
    /// The `[[link]]` entries: measured speeds of links between devices.
    #[serde(default)]
    pub link: Vec<Link>,
    /// The `[[engine_format]]` entries: which engine runs which format on which devices.
    #[serde(default)]
    pub engine_format: Vec<EngineFormat>,
    /// The `[[engine_lack]]` entries: ways to spread a model that engines do not support.
    #[serde(default)]
    pub engine_lack: Vec<EngineLack>,
    /// The `[guide]` section: rules of thumb.
    pub guide: Option<Guide>,
}

/// The version and date of a catalog.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Header {
    /// The version of the catalog.
    pub version: Text,
    /// The date of the catalog.
    pub as_of: Text,
}

/// A maker of accelerators.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Vendor {
    /// The name of the maker.
    pub name: Text,
    /// Other spellings of the name.
    #[serde(default)]
    pub aliases: Vec<Text>,
}

/// Spellings of a name, by the tool that uses them.
pub(crate) type Names = BTreeMap<String, Vec<Text>>;

/// A product variant. In an overlay, a field that is `None` keeps its value.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Accelerator {
    /// The id, which is also a name: `H100-80GB-SXM`.
    pub id: Text,
    /// The name that variants of one product share; by default the id.
    pub family: Option<Text>,
    /// The name of a `[[vendor]]`.
    pub vendor: Option<Text>,
    /// The product line, such as `GeForce`.
    pub line: Option<Text>,
    /// The architecture, such as `Hopper`.
    pub architecture: Option<Text>,
    /// The class: `datacenter`, `workstation`, `consumer`, `asic` or `media`.
    pub class: Option<Text>,
    /// The form factor, such as `SXM5`.
    pub form_factor: Option<Text>,
    /// The id of an `[[sdk]]`.
    pub sdk: Option<Text>,
    /// The memory per device in GB, as the vendor prints it.
    pub memory_gb: Option<Spanned<f64>>,
    /// The memory per device in MiB, as the driver reports it.
    pub memory_mib: Option<Spanned<f64>>,
    /// The memory per device in MiB, as the EC2 API lists it.
    pub memory_mib_ec2: Option<Spanned<f64>>,
    /// The type of memory, such as `HBM3`.
    pub memory_type: Option<Text>,
    /// The memory bandwidth in GB/s.
    pub memory_bandwidth_gb_s: Option<Spanned<f64>>,
    /// The dense FP64 rate in TFLOPS.
    pub fp64_tflops: Option<Spanned<f64>>,
    /// The dense FP32 rate in TFLOPS.
    pub fp32_tflops: Option<Spanned<f64>>,
    /// The dense TF32 rate in TFLOPS.
    pub tf32_tflops: Option<Spanned<f64>>,
    /// The dense FP16 rate in TFLOPS.
    pub fp16_tflops: Option<Spanned<f64>>,
    /// The dense BF16 rate in TFLOPS.
    pub bf16_tflops: Option<Spanned<f64>>,
    /// The dense FP8 rate in TFLOPS.
    pub fp8_tflops: Option<Spanned<f64>>,
    /// The dense FP4 rate in TFLOPS.
    pub fp4_tflops: Option<Spanned<f64>>,
    /// The dense INT8 rate in TOPS.
    pub int8_tops: Option<Spanned<f64>>,
    /// The thermal design power in watts.
    pub tdp_w: Option<Spanned<f64>>,
    /// The link between devices, such as `NVLink4`.
    pub interconnect: Option<Text>,
    /// The bandwidth of that link in GB/s, both directions together.
    pub interconnect_gb_s: Option<Spanned<f64>>,
    /// The most devices that the link joins, where those are several machines.
    pub link_domain: Option<Spanned<f64>>,
    /// The PCIe generation.
    pub pcie_gen: Option<Spanned<f64>>,
    /// The CUDA compute capability, such as `9.0`.
    pub compute_capability: Option<Text>,
    /// The first CUDA toolkit that supports the device.
    pub cuda_min: Option<Text>,
    /// The last CUDA toolkit that supports the device, if support was dropped.
    pub cuda_last: Option<Text>,
    /// The LLVM target of an AMD GPU, such as `gfx942`.
    pub rocm_gfx: Option<Text>,
    /// Whether the device supports MIG.
    pub mig: Option<Spanned<bool>>,
    /// The id of a `[[geometry]]`.
    pub mig_geometry: Option<Text>,
    /// The year of release.
    pub release_year: Option<Spanned<f64>>,
    /// The most devices in one machine.
    pub max_per_node: Option<Spanned<f64>>,
    /// A remark that users must know, on one line.
    pub note: Option<Text>,
    /// The sources of the figures.
    pub sources: Option<Vec<Text>>,
    /// The way in which the basic figures were checked: `read`, `derived`, `peer` or `cited`.
    pub check: Option<Text>,
    /// The way in which the matrix rates were checked, with the same values.
    pub tensor_check: Option<Text>,
    /// Memory sizes that people write although they are not the marketed one.
    #[serde(default)]
    pub quoted_memory: Vec<QuotedMemory>,
    /// Figures of other documents that are not used.
    #[serde(default)]
    pub disputed: Vec<Disputed>,
    /// Spellings of the name, by the tool that uses them.
    #[serde(default)]
    pub names: Names,
}

/// A memory size that people write although it is not the marketed one.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct QuotedMemory {
    /// The size in GB.
    pub gb: Spanned<f64>,
    /// The number of devices that have this memory together; one if left out.
    pub count: Option<Spanned<f64>>,
    /// The explanation for users.
    pub note: Text,
}

/// A figure of another document, and the reason why it is not used.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Disputed {
    /// The field of the accelerator.
    pub field: Text,
    /// The other figure.
    pub also: Text,
    /// The reason why it is not used.
    pub why: Text,
    /// The other document.
    pub source: Text,
    /// The date of that document.
    pub as_of: Text,
}

/// A name with several meanings, a name with a count, or a name of no product.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Name {
    /// The accelerator that is shown first; left out for a rejected name.
    pub default: Option<Text>,
    /// The accelerators that the name can mean; empty for only the default.
    #[serde(default)]
    pub any_of: Vec<Text>,
    /// `memory` if the candidates differ only in memory; otherwise left out.
    pub ask: Option<Text>,
    /// The number of devices that the name includes.
    pub count: Option<Spanned<f64>>,
    /// The MIG profile that the name includes.
    pub mig: Option<Text>,
    /// A remark that is shown if the rest of the spec does not decide.
    pub note: Option<Text>,
    /// The reason why there is no such product.
    pub rejected: Option<Text>,
    /// Accelerators to suggest in place of a rejected name.
    #[serde(default)]
    pub suggest: Vec<Text>,
    /// The spellings, by the tool that uses them.
    #[serde(default)]
    pub names: Names,
}

/// The MIG profiles and placements of a set of GPUs.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Geometry {
    /// The id, to which accelerators refer.
    pub id: Text,
    /// The name for people.
    pub title: Text,
    /// The first driver version that supports the profiles.
    pub driver_min: Option<Text>,
    /// The placement units per GPU; left out if starts are not published.
    pub units: Option<Spanned<u8>>,
    /// The most instances without graphics on one GPU, if limited.
    pub max_compute: Option<u8>,
    /// The most instances with graphics on one GPU, if limited.
    pub max_graphics: Option<u8>,
    /// A remark for users.
    pub note: Option<Text>,
    /// The source of the figures.
    pub source: Text,
    /// The date of the source.
    pub as_of: Text,
    /// Tools that know only some of the profiles.
    #[serde(default)]
    pub said_by: Vec<SaidBy>,
    /// The profiles of the GPU.
    pub profiles: Vec<Profile>,
}

/// A tool that knows only some profiles of a GPU.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SaidBy {
    /// The id of the tool, such as `gke`.
    pub tool: Text,
    /// The tool's name of the GPU, or of its configuration of mixed slices.
    pub name: Option<Text>,
    /// The profiles that the tool knows.
    pub profiles: Vec<Text>,
}

/// A division of GPU instances into compute instances.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ComputeInstance {
    /// The compute slices of the GPU instance.
    pub of: u8,
    /// The compute slices of the compute instance.
    pub compute: u8,
    /// The driver's id of the compute instance profile.
    pub id: u8,
    /// The most such compute instances in one GPU instance.
    pub max: u8,
}

/// The way in which containers get devices.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Sdk {
    /// The id, to which accelerators refer.
    pub id: Text,
    /// The Kubernetes resource of a device, such as `nvidia.com/gpu`.
    pub kubernetes: Option<Text>,
    /// The command that lists the devices.
    pub list_command: Option<Text>,
    /// Options of `docker run`, with `{n}` for the number of a device; none if `--gpus` is enough.
    pub docker: Option<Vec<Text>>,
    /// The inference and training engines that are modelled on it.
    pub engines: Option<Vec<Text>>,
    /// The source of the facts.
    pub source: Text,
    /// The date of the source.
    pub as_of: Text,
}

/// A tool for which plans and specs are written. A later layer replaces the whole tool.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tool {
    /// The id of the tool.
    pub id: Text,
    /// The name for people.
    pub name: Text,
    /// The version of the tool with which the words were checked.
    pub version: Text,
    /// The tool's names of providers, by provider id; it cannot use other providers.
    #[serde(default)]
    pub providers: BTreeMap<Text, Text>,
    /// The features that the tool lacks, by provider id: `image`, `nodes`, `interconnect`, `spot`.
    #[serde(default)]
    pub lacks: BTreeMap<String, Vec<Text>>,
    /// The ids of the providers whose own instance types the tool takes.
    #[serde(default)]
    pub types: Vec<Text>,
    /// The words that the tool's own lists have at a provider, by its id, where not all words hold there.
    #[serde(default)]
    pub sells: BTreeMap<Text, Vec<Text>>,
    /// The tool's words for accelerators.
    #[serde(default)]
    pub words: Vec<ToolWord>,
    /// The source of the facts.
    pub source: Text,
    /// The date of the source.
    pub as_of: Text,
}

/// A tool's word for one or more accelerators.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ToolWord {
    /// The word as it is written.
    pub word: Text,
    /// The ids of all accelerators that the word covers.
    pub accelerators: Vec<Text>,
    /// The tool's word for the maker, if it must be written too.
    pub vendor: Option<Text>,
    /// The only provider for which the word holds.
    pub provider: Option<Text>,
    /// The numbers of devices that the tool accepts; empty for any number.
    #[serde(default)]
    pub counts: Vec<u8>,
    /// The topologies of slices of a pod that the tool accepts; empty for any.
    #[serde(default)]
    pub topologies: Vec<Text>,
}

/// A pool of instance types that count against one limit of an account.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Quota {
    /// The id of the provider; by default the one in `sold_by`.
    pub provider: Option<Text>,
    /// Prefixes of type names: letters, or letters and generation.
    pub families: Vec<Text>,
    /// The code of the on-demand quota.
    pub on_demand: Text,
    /// The code of the spot quota.
    pub spot: Text,
    /// The source of the codes.
    pub source: Text,
    /// The date of the source.
    pub as_of: Text,
}

/// A CUDA release and the driver that it needs.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CudaRelease {
    /// The CUDA version, such as `12.8`.
    pub version: Text,
    /// The oldest driver version that runs it.
    pub driver_min: Text,
    /// The source of the versions.
    pub source: Text,
    /// The date of the source.
    pub as_of: Text,
}

/// A way to share accelerators other than MIG, or a slice of several accelerators.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Sharing {
    /// The ids of the accelerators.
    pub accelerators: Vec<Text>,
    /// The kind: `partition-mode`, `vgpu`, `logical-cores` or `pod-slice`.
    pub kind: Text,
    /// The name of the mode or slice.
    pub name: Text,
    /// The number of devices that one accelerator shows.
    pub devices: Option<Spanned<f64>>,
    /// The number of accelerators that one slice needs.
    pub accelerators_needed: Option<Spanned<f64>>,
    /// The topology of a pod slice, such as `2x2x1`.
    pub topology: Option<Text>,
    /// The cores of each device.
    pub cores: Option<Spanned<f64>>,
    /// The memory of each device in GB.
    pub memory_gb: Option<Spanned<f64>>,
    /// The memory of each device in MiB.
    pub memory_mib: Option<Spanned<f64>>,
    /// The command that sets the mode.
    pub set_by: Option<Text>,
    /// A remark for users.
    pub note: Option<Text>,
    /// The source of the facts.
    pub source: Text,
    /// The date of the source.
    pub as_of: Text,
}

/// A MIG profile of a GPU. Figures that are not known are left out.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Profile {
    /// The name, such as `3g.40gb`.
    pub name: Text,
    /// The driver's id of the profile.
    pub id: Option<u16>,
    /// The most instances of the profile on one GPU.
    pub max: Spanned<u8>,
    /// The number of compute slices: the number before `g`.
    pub compute_slices: u8,
    /// The memory of an instance in MiB, as the driver reports it.
    pub memory_mib: Option<u32>,
    /// The number of streaming multiprocessors.
    pub sm: Option<u16>,
    /// The fixed-function engines of an instance.
    pub engines: Option<Engines>,
    /// The size of an instance in placement units.
    pub size: Option<Spanned<u8>>,
    /// The placement units at which an instance can start.
    #[serde(default)]
    pub starts: Vec<Spanned<u8>>,
    /// Names of the profile in other driver versions.
    #[serde(default)]
    pub aliases: Vec<Text>,
    /// The first driver version with the profile, if later than that of the geometry.
    pub driver_min: Option<Text>,
}

/// The numbers of fixed-function engines of a MIG instance.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Engines {
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
