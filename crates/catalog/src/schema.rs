//! The schema of a catalog file. Every file may hold any of the sections; `catalog/README.md`
//! describes them for people.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

use crate::Diagnostic;

/// Which layer of the catalog a file belongs to: a later layer may override an earlier one,
/// within a layer nothing may be said twice.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Layer(pub usize);

impl Layer {
    /// The catalog that comes with the program.
    pub const EMBEDDED: Self = Self(0);
}

/// One file.
#[derive(Clone, Debug)]
pub struct Document {
    pub layer: Layer,
    pub file: String,
    pub text: String,
    pub(crate) content: Content,
}

/// Reads a file. Only its form is checked here.
///
/// # Errors
///
/// A [`Diagnostic`] where the text is no TOML, or has fields that the schema does not know or
/// values of wrong types.
pub fn parse(layer: Layer, file: &str, text: &str) -> Result<Document, Diagnostic> {
    let content = toml::from_str(text).map_err(|error| {
        let span = error.span().unwrap_or(0..0);
        Diagnostic::new(file, text, span, error.message().trim().replace('\n', "; "))
    })?;
    Ok(Document {
        layer,
        file: file.to_owned(),
        text: text.to_owned(),
        content,
    })
}

type Text = Spanned<String>;

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Content {
    pub catalog: Option<Header>,
    /// The provider of the offers and prices of this file.
    pub sold_by: Option<Text>,
    #[serde(default)]
    pub vendor: Vec<Vendor>,
    #[serde(default)]
    pub accelerator: Vec<Accelerator>,
    #[serde(default)]
    pub name: Vec<Name>,
    #[serde(default)]
    pub geometry: Vec<Geometry>,
    #[serde(default)]
    pub compute_instance: Vec<Spanned<ComputeInstance>>,
    #[serde(default)]
    pub sharing: Vec<Sharing>,
    #[serde(default)]
    pub sdk: Vec<Sdk>,
    #[serde(default)]
    pub tool: Vec<Tool>,
    #[serde(default)]
    pub quota: Vec<Quota>,
    #[serde(default)]
    pub cuda_release: Vec<CudaRelease>,
    #[serde(default)]
    pub provider: Vec<Provider>,
    #[serde(default)]
    pub offer: Vec<Offer>,
    #[serde(default)]
    pub price: Vec<Price>,
    #[serde(default)]
    pub model: Vec<Model>,
    #[serde(default)]
    pub family: Vec<Family>,
    #[serde(default)]
    pub weight_format: Vec<WeightFormat>,
    #[serde(default)]
    pub coefficient: Vec<Coefficient>,
    pub guide: Option<Guide>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Header {
    pub version: Text,
    pub as_of: Text,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Vendor {
    pub name: Text,
    #[serde(default)]
    pub aliases: Vec<Text>,
}

/// Spellings by who writes them.
pub(crate) type Names = BTreeMap<String, Vec<Text>>;

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Accelerator {
    pub id: Text,
    pub family: Option<Text>,
    pub vendor: Option<Text>,
    pub line: Option<Text>,
    pub architecture: Option<Text>,
    pub class: Option<Text>,
    pub form_factor: Option<Text>,
    pub sdk: Option<Text>,
    pub memory_gb: Option<Spanned<f64>>,
    pub memory_mib: Option<Spanned<f64>>,
    pub memory_mib_ec2: Option<Spanned<f64>>,
    pub memory_type: Option<Text>,
    pub memory_bandwidth_gb_s: Option<Spanned<f64>>,
    pub fp64_tflops: Option<Spanned<f64>>,
    pub fp32_tflops: Option<Spanned<f64>>,
    pub tf32_tflops: Option<Spanned<f64>>,
    pub fp16_tflops: Option<Spanned<f64>>,
    pub bf16_tflops: Option<Spanned<f64>>,
    pub fp8_tflops: Option<Spanned<f64>>,
    pub fp4_tflops: Option<Spanned<f64>>,
    pub int8_tops: Option<Spanned<f64>>,
    pub tdp_w: Option<Spanned<f64>>,
    pub interconnect: Option<Text>,
    pub interconnect_gb_s: Option<Spanned<f64>>,
    pub pcie_gen: Option<Spanned<f64>>,
    pub compute_capability: Option<Text>,
    pub cuda_min: Option<Text>,
    pub cuda_last: Option<Text>,
    pub rocm_gfx: Option<Text>,
    pub mig: Option<Spanned<bool>>,
    pub mig_geometry: Option<Text>,
    pub release_year: Option<Spanned<f64>>,
    pub max_per_node: Option<Spanned<f64>>,
    pub note: Option<Text>,
    pub sources: Option<Vec<Text>>,
    /// How the basic figures and the matrix rates were checked: `read`, `derived`, `peer`, `cited`.
    pub check: Option<Text>,
    pub tensor_check: Option<Text>,
    #[serde(default)]
    pub quoted_memory: Vec<QuotedMemory>,
    #[serde(default)]
    pub disputed: Vec<Disputed>,
    #[serde(default)]
    pub names: Names,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct QuotedMemory {
    pub gb: Spanned<f64>,
    pub count: Option<Spanned<f64>>,
    pub note: Text,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Disputed {
    pub field: Text,
    pub also: Text,
    pub why: Text,
    pub source: Text,
    pub as_of: Text,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Name {
    pub default: Option<Text>,
    #[serde(default)]
    pub any_of: Vec<Text>,
    /// `memory`: only the memory tells the candidates apart.
    pub ask: Option<Text>,
    pub count: Option<Spanned<f64>>,
    pub mig: Option<Text>,
    pub note: Option<Text>,
    pub rejected: Option<Text>,
    #[serde(default)]
    pub suggest: Vec<Text>,
    #[serde(default)]
    pub names: Names,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Geometry {
    pub id: Text,
    pub title: Text,
    pub driver_min: Option<Text>,
    pub units: Option<Spanned<u8>>,
    pub max_compute: Option<u8>,
    pub max_graphics: Option<u8>,
    pub note: Option<Text>,
    pub source: Text,
    pub as_of: Text,
    #[serde(default)]
    pub said_by: Vec<SaidBy>,
    pub profiles: Vec<Profile>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SaidBy {
    pub tool: Text,
    pub name: Option<Text>,
    pub profiles: Vec<Text>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ComputeInstance {
    pub of: u8,
    pub compute: u8,
    pub id: u8,
    pub max: u8,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Sdk {
    pub id: Text,
    pub kubernetes: Option<Text>,
    pub list_command: Option<Text>,
    #[serde(default)]
    pub docker: Vec<Text>,
    pub source: Text,
    pub as_of: Text,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tool {
    pub id: Text,
    pub name: Text,
    pub version: Text,
    #[serde(default)]
    pub providers: BTreeMap<Text, Text>,
    #[serde(default)]
    pub lacks: BTreeMap<String, Vec<Text>>,
    #[serde(default)]
    pub words: Vec<ToolWord>,
    pub source: Text,
    pub as_of: Text,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ToolWord {
    pub word: Text,
    pub accelerators: Vec<Text>,
    pub vendor: Option<Text>,
    pub provider: Option<Text>,
    #[serde(default)]
    pub counts: Vec<u8>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Quota {
    pub provider: Option<Text>,
    pub families: Vec<Text>,
    pub on_demand: Text,
    pub spot: Text,
    pub source: Text,
    pub as_of: Text,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CudaRelease {
    pub version: Text,
    pub driver_min: Text,
    pub source: Text,
    pub as_of: Text,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Sharing {
    pub accelerators: Vec<Text>,
    pub kind: Text,
    pub name: Text,
    pub devices: Option<Spanned<f64>>,
    pub accelerators_needed: Option<Spanned<f64>>,
    pub topology: Option<Text>,
    pub cores: Option<Spanned<f64>>,
    pub memory_gb: Option<Spanned<f64>>,
    pub memory_mib: Option<Spanned<f64>>,
    pub set_by: Option<Text>,
    pub note: Option<Text>,
    pub source: Text,
    pub as_of: Text,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Profile {
    pub name: Text,
    pub id: Option<u16>,
    pub max: Spanned<u8>,
    pub compute_slices: u8,
    pub memory_mib: Option<u32>,
    pub sm: Option<u16>,
    pub engines: Option<Engines>,
    pub size: Option<Spanned<u8>>,
    #[serde(default)]
    pub starts: Vec<Spanned<u8>>,
    #[serde(default)]
    pub aliases: Vec<Text>,
    /// Where it is later than that of the whole set.
    pub driver_min: Option<Text>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Engines {
    pub copy: Option<u8>,
    pub decode: Option<u8>,
    pub encode: Option<u8>,
    pub jpeg: Option<u8>,
    pub optical_flow: Option<u8>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Provider {
    pub id: Text,
    pub name: Option<Text>,
    pub aliases: Option<Vec<Text>>,
    pub sells: Option<Text>,
    pub default_region: Option<Text>,
    pub tiers: Option<Vec<Text>>,
    pub tenant_mig: Option<Spanned<bool>>,
    pub tenant_mig_note: Option<Text>,
    pub sells_reservations: Option<Spanned<bool>>,
    pub tells_stock: Option<Spanned<bool>>,
    pub price_max_age_days: Option<Spanned<u16>>,
    pub data_centers: Option<Vec<DataCenter>>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct DataCenter {
    pub id: Text,
    pub country: Option<Text>,
    pub open: Option<bool>,
    #[serde(default)]
    pub separate: bool,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Offer {
    pub id: Text,
    pub provider: Option<Text>,
    pub display_name: Option<Text>,
    pub accelerator: Option<Text>,
    pub any_of: Option<Vec<Text>>,
    pub count: Option<Spanned<f64>>,
    pub max_count: Option<Spanned<f64>>,
    pub mig_profile: Option<Text>,
    pub memory_mib: Option<Spanned<f64>>,
    pub vcpu: Option<Spanned<f64>>,
    pub host_memory_gib: Option<Spanned<f64>>,
    pub vcpu_per_accelerator: Option<Spanned<f64>>,
    pub host_memory_gib_per_accelerator: Option<Spanned<f64>>,
    pub host_arch: Option<Text>,
    pub efa_interfaces: Option<Spanned<f64>>,
    pub status: Option<Text>,
    pub status_note: Option<Text>,
    pub note: Option<Text>,
    pub interruption_rate: Option<Text>,
    pub regions: Option<Vec<Text>>,
    pub source: Option<Text>,
    pub as_of: Option<Text>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Price {
    pub offer: Text,
    pub provider: Option<Text>,
    /// Which size is meant, where the offer's name covers several.
    pub memory_gb: Option<Spanned<f64>>,
    /// How many accelerators it is for, where the offer does not say.
    pub count: Option<Spanned<f64>>,
    pub capacity_type: Text,
    pub kind: Option<Text>,
    pub tier: Option<Text>,
    pub statistic: Option<Text>,
    pub regions: Option<Vec<Text>>,
    pub source: Option<Text>,
    pub as_of: Text,
    pub usd_per_hour: Option<Spanned<Amount>>,
    pub usd_per_accelerator_hour: Option<Spanned<Amount>>,
}

/// One amount, or one for each region.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Amount {
    Everywhere(f64),
    ByRegion(BTreeMap<String, f64>),
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Model {
    pub id: Text,
    #[serde(default)]
    pub names: Vec<Text>,
    pub hidden: u32,
    pub layers: u32,
    pub heads: u32,
    pub kv_heads: Option<u32>,
    pub head_dim: u32,
    pub ffn: u32,
    pub vocab: u32,
    #[serde(default)]
    pub tied: bool,
    pub gated: Option<bool>,
    #[serde(default)]
    pub biases: Vec<Text>,
    pub qk_norm: Option<Text>,
    pub norms_per_layer: Option<u32>,
    #[serde(default)]
    pub positions: u32,
    pub window: Option<Window>,
    pub experts: Option<Experts>,
    pub mla: Option<Mla>,
    pub attention_layers: Option<u32>,
    #[serde(default)]
    pub state_values: u64,
    #[serde(default)]
    pub other_matrices: i64,
    #[serde(default)]
    pub extra_parameters: i64,
    pub context: Option<u32>,
    /// As published: the shape must have as many.
    pub parameters: Option<Spanned<f64>>,
    pub checkpoint_parameters: Option<Spanned<f64>>,
    /// The format of the published files, where it is not bf16.
    pub stored_as: Option<Text>,
    pub source: Text,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Window {
    pub tokens: u32,
    #[serde(default)]
    pub local_per_global: u32,
    pub global_cache_width: Option<u32>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Experts {
    pub count: u32,
    pub active: u32,
    pub width: u32,
    #[serde(default)]
    pub shared_width: u32,
    #[serde(default)]
    pub dense_first: u32,
    pub every: Option<u32>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Mla {
    pub kv_rank: u32,
    #[serde(default)]
    pub q_rank: u32,
    pub nope_dim: u32,
    pub rope_dim: u32,
    pub value_dim: u32,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Family {
    pub model_types: Vec<Text>,
    pub gated: Option<bool>,
    #[serde(default)]
    pub tied: bool,
    pub norms_per_layer: Option<u32>,
    #[serde(default)]
    pub biases: Vec<Text>,
    #[serde(default)]
    pub attention_bias: Vec<Text>,
    #[serde(default)]
    pub one_bias: bool,
    pub qk_norm: Option<Text>,
    pub qk_norm_by_default: Option<bool>,
    pub positions: Option<u32>,
    pub window_pattern: Option<u32>,
    #[serde(default)]
    pub embedding_norm: bool,
    #[serde(default)]
    pub expert_biases: bool,
    #[serde(default)]
    pub router_bias: bool,
    #[serde(default)]
    pub shared_gate: bool,
    #[serde(default)]
    pub sinks: bool,
    #[serde(default)]
    pub defaults: BTreeMap<String, u32>,
}

/// Bits that are not said are those of the format; what is small has 16.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WeightFormat {
    pub name: Text,
    #[serde(default)]
    pub aliases: Vec<Text>,
    pub bits: Spanned<f64>,
    pub attention_bits: Option<f64>,
    pub embedding_bits: Option<f64>,
    pub head_bits: Option<f64>,
    pub small_bits: Option<f64>,
    #[serde(default)]
    pub unties: bool,
    pub compute_bits: Option<f64>,
    /// Bits of a group besides those of its weights, and its size.
    pub group_bits: Option<f64>,
    pub group_size: Option<f64>,
    /// The only engine of files in this format.
    pub engine: Option<Text>,
    /// `general.file_type` of GGUF files in this format.
    pub file_type: Option<u32>,
    /// Words of quantized checkpoints for it: a method, or `method:algorithm`.
    #[serde(default)]
    pub quantized_as: Vec<Text>,
    /// The published rate of products in this format: a key of specs such as `fp8`.
    pub rate: Option<Text>,
    /// The least compute capability of devices that multiply in it.
    pub min_compute_capability: Option<Text>,
    /// Architectures without a compute capability that multiply in it, and that do not.
    #[serde(default)]
    pub computed_on: Vec<Text>,
    #[serde(default)]
    pub not_computed_on: Vec<Text>,
    pub source: Text,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Coefficient {
    pub name: Text,
    pub scope: Option<Text>,
    pub value: f64,
    pub source: Text,
    pub as_of: Text,
}

#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Guide {
    pub source: Option<Text>,
    pub as_of: Option<Text>,
    #[serde(default)]
    pub workload: Vec<GuideWorkload>,
    #[serde(default)]
    pub size: Vec<GuideSize>,
    #[serde(default)]
    pub strategy: Vec<GuideStrategy>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GuideWorkload {
    pub workload: Text,
    pub title: Text,
    #[serde(default)]
    pub flags: Vec<Text>,
    pub pick: Vec<Text>,
    pub because: Text,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GuideSize {
    pub title: Text,
    pub below: Option<f64>,
    pub up_to: Option<f64>,
    pub minimum: Text,
    pub recommended: Text,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GuideStrategy {
    pub strategy: Text,
    pub title: Text,
    pub claimed_percent: [f64; 2],
    pub good_for: Text,
    pub compare: Text,
    pub cheap: Option<Text>,
    pub dear: Option<Text>,
}
