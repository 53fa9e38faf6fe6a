//! The schema of catalog files. Every file may have any section; `catalog/README.md` describes
//! them.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Copies every field that one entry sets over the same field of another.
macro_rules! lay_over {
    ($under:expr, $over:expr; $($field:ident),* $(,)?) => {
        $(if $over.$field.is_some() { $under.$field.clone_from(&$over.$field); })*
    };
}

mod accelerators;
mod charges;
mod commitments;
mod engines;
mod guide;
mod history;
mod models;
mod offers;
mod spanned;
mod token_prices;

pub(crate) use accelerators::{AcceleratorEntry, NameEntry, SpellingsByDialect, VendorEntry};
pub(crate) use charges::ChargeEntry;
pub(crate) use commitments::{CommitmentEntry, CommitmentProgramEntry, DerivedPaymentEntry};
pub(crate) use engines::{
    EngineFormatEntry, EngineImageEntry, QualityLossEntry, RecipeEntry, UnsupportedParallelismEntry,
};
pub(crate) use guide::GuideSection;
pub(crate) use history::{HistoryEntry, PastPriceEntry};
pub(crate) use models::{
    CheckpointBits, CheckpointEntry, CoefficientEntry, DiffusionEntry, FamilyEntry,
    LeaderboardEntry, LinkEntry, MediaModelEntry, ModelEntry, ModelReleaseEntry, TranscriberEntry,
    WeightFormatEntry,
};
pub(crate) use offers::{
    CurrencyEntry, HostEntry, HostLimitEntry, HourlyAmount, NetworkEntry, OfferDefaults,
    OfferEntry, PriceEntry, ProviderEntry, RegionGroupEntry, StatedAmount,
};
pub(crate) use spanned::{Spanned, SpannedText};
pub(crate) use token_prices::{TokenPriceEntry, TokenSellerEntry};

/// The layer of a file. A later layer overrides earlier ones. In one layer, only prices may be repeated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Layer(usize);

impl Layer {
    /// The layer of the catalog that is part of the program.
    pub const EMBEDDED: Self = Self(0);
    /// The layer of its updates, which are part of the program too.
    pub const UPDATES: Self = Self(1);

    /// Returns the layer of an overlay. Overlays count from 0.
    pub const fn overlay(at: usize) -> Self {
        Self(at + 2)
    }

    /// Returns whether the files of the layer are part of the program.
    pub fn is_embedded(self) -> bool {
        self <= Self::UPDATES
    }

    /// Returns a number that differs for each layer.
    pub fn number(self) -> usize {
        self.0
    }
}

/// The number of values that a table counts as. In memory it has room for all its fields, given or not.
const TABLE: usize = 5;

/// Estimates the number of values in a TOML text without parsing it.
pub(crate) fn count_values(text: &str) -> usize {
    // Punctuation in comments and strings counts too, because there is little of it.
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

/// The sections of a catalog file.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct FileContent {
    /// The `[catalog]` section: version and date.
    pub catalog: Option<CatalogSection>,
    /// The provider of the offers and prices of this file.
    pub sold_by: Option<SpannedText>,
    /// Defaults for the offers and prices of this file.
    pub defaults: Option<OfferDefaults>,
    /// The `[[currency]]` entries: rates of currencies other than the dollar.
    #[serde(default)]
    pub currency: Vec<CurrencyEntry>,
    /// The `[[host]]` entries: families of machines that accelerators are attached to.
    #[serde(default)]
    pub host: Vec<HostEntry>,
    /// The `[[host_limit]]` entries: the largest host for each number of accelerators.
    #[serde(default)]
    pub host_limit: Vec<HostLimitEntry>,
    /// The `[[network]]` entries: networks between machines.
    #[serde(default)]
    pub network: Vec<NetworkEntry>,
    /// The `[[charge]]` entries: what providers bill besides machines.
    #[serde(default)]
    pub charge: Vec<ChargeEntry>,
    /// The `[[model_release]]` entries: models with the shape of another model.
    #[serde(default)]
    pub model_release: Vec<ModelReleaseEntry>,
    /// The `[[media_model]]` entries: models of images, video and speech.
    #[serde(default)]
    pub media_model: Vec<MediaModelEntry>,
    /// The `[[vendor]]` entries: makers of accelerators.
    #[serde(default)]
    pub vendor: Vec<VendorEntry>,
    /// The `[[accelerator]]` entries.
    #[serde(default)]
    pub accelerator: Vec<AcceleratorEntry>,
    /// The `[[name]]` entries: names with several meanings, with counts, or of products that do not exist.
    #[serde(default)]
    pub name: Vec<NameEntry>,
    /// The `[[geometry]]` entries: MIG profiles and placements.
    #[serde(default)]
    pub geometry: Vec<GeometryEntry>,
    /// The `compute_instance` rows: how GPU instances are partitioned into compute instances.
    #[serde(default)]
    pub compute_instance: Vec<Spanned<ComputeInstanceEntry>>,
    /// The `[[sharing]]` entries: ways to share an accelerator other than MIG.
    #[serde(default)]
    pub sharing: Vec<SharingEntry>,
    /// The `[[sdk]]` entries: how containers get devices.
    #[serde(default)]
    pub sdk: Vec<SdkEntry>,
    /// The `[[tool]]` entries: tools and their words.
    #[serde(default)]
    pub tool: Vec<ToolEntry>,
    /// The `[[quota]]` entries: pools of instance types with a common limit.
    #[serde(default)]
    pub quota: Vec<QuotaEntry>,
    /// The `[[cuda_release]]` entries.
    #[serde(default)]
    pub cuda_release: Vec<CudaReleaseEntry>,
    /// The `[[provider]]` entries.
    #[serde(default)]
    pub provider: Vec<ProviderEntry>,
    /// The `[[region_group]]` entries: groups of countries.
    #[serde(default)]
    pub region_group: Vec<RegionGroupEntry>,
    /// The `[[offer]]` entries.
    #[serde(default)]
    pub offer: Vec<OfferEntry>,
    /// The `[[price]]` entries.
    #[serde(default)]
    pub price: Vec<PriceEntry>,
    /// The `[[history]]` entries: prices of the past.
    #[serde(default)]
    pub history: Vec<HistoryEntry>,
    /// The `[[commitment_program]]` entries: kinds of commitments.
    #[serde(default)]
    pub commitment_program: Vec<CommitmentProgramEntry>,
    /// The `[[commitment]]` entries: prices under commitments.
    #[serde(default)]
    pub commitment: Vec<CommitmentEntry>,
    /// The `[[model]]` entries: shapes of language models.
    #[serde(default)]
    pub model: Vec<ModelEntry>,
    /// The `[[leaderboard]]` entry: the quality of models.
    #[serde(default)]
    pub leaderboard: Vec<LeaderboardEntry>,
    /// The `[[token_seller]]` entries: sellers of models behind APIs.
    #[serde(default)]
    pub token_seller: Vec<TokenSellerEntry>,
    /// The `[[token_price]]` entries: their prices.
    #[serde(default)]
    pub token_price: Vec<TokenPriceEntry>,
    /// The `[[family]]` entries: values that a `config.json` leaves out.
    #[serde(default)]
    pub family: Vec<FamilyEntry>,
    /// The `[[weight_format]]` entries.
    #[serde(default)]
    pub weight_format: Vec<WeightFormatEntry>,
    /// The `[[quality_loss]]` entries: measured losses of quality of formats.
    #[serde(default)]
    pub quality_loss: Vec<QualityLossEntry>,
    /// The `[[coefficient]]` entries: measured figures for sizing.
    #[serde(default)]
    pub coefficient: Vec<CoefficientEntry>,
    /// The `[[link]]` entries: measured speeds of links between devices.
    #[serde(default)]
    pub link: Vec<LinkEntry>,
    /// The `[[engine_format]]` entries: which engine runs which format on which devices.
    #[serde(default)]
    pub engine_format: Vec<EngineFormatEntry>,
    /// The `[[engine_lack]]` entries: kinds of parallelism that serving engines do not support.
    #[serde(default)]
    pub engine_lack: Vec<UnsupportedParallelismEntry>,
    /// The `[[engine_image]]` entries: container images of serving engines.
    #[serde(default)]
    pub engine_image: Vec<EngineImageEntry>,
    /// The `[[recipe]]` entries: what the commands that start some models need.
    #[serde(default)]
    pub recipe: Vec<RecipeEntry>,
    /// The `[guide]` section: rules of thumb.
    pub guide: Option<GuideSection>,
}

impl FileContent {
    /// Fills the fields that offers and prices leave out. The regions of an overlay are those of its prices too:
    /// otherwise a price for one region would replace those of all others.
    pub fn complete(&mut self, defaults: &OfferDefaults, is_overlay: bool) {
        let OfferDefaults {
            source,
            as_of,
            regions,
            host_arch,
            kind,
            quality,
            currency,
        } = defaults;
        for offer in &mut self.offer {
            fill(&mut offer.source, source.as_ref());
            fill(&mut offer.as_of, as_of.as_ref());
            fill(&mut offer.regions, regions.as_ref());
            fill(&mut offer.host_arch, host_arch.as_ref());
            fill(&mut offer.kind, kind.as_ref());
        }
        for price in &mut self.price {
            fill(&mut price.source, source.as_ref());
            fill(&mut price.as_of, as_of.as_ref());
            fill(&mut price.quality, quality.as_ref());
            // An amount in dollars has no other currency, unless its entry says so: then `stated` reports it.
            if !price.is_in_dollars() {
                fill(&mut price.currency, currency.as_ref());
            }
            if is_overlay && !price.is_by_region() {
                fill(&mut price.regions, regions.as_ref());
            }
        }
    }
}

fn fill<T: Clone>(field: &mut Option<T>, default: Option<&T>) {
    if field.is_none() {
        *field = default.cloned();
    }
}

/// The version and date of a catalog.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CatalogSection {
    /// The version of the catalog.
    pub version: SpannedText,
    /// The date of the catalog.
    pub as_of: SpannedText,
}

/// The MIG profiles and placements of a set of GPUs.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct GeometryEntry {
    /// The id, to which accelerators refer.
    pub id: SpannedText,
    /// The name for people.
    pub title: SpannedText,
    /// The first driver version that supports the profiles.
    pub driver_min: Option<SpannedText>,
    /// The placement units per GPU; left out if starts are not published.
    pub units: Option<Spanned<u8>>,
    /// The maximum number of instances without graphics on one GPU, if limited.
    pub max_compute: Option<u8>,
    /// The maximum number of instances with graphics on one GPU, if limited.
    pub max_graphics: Option<u8>,
    /// A remark for users.
    pub note: Option<SpannedText>,
    /// The source of the figures.
    pub source: SpannedText,
    /// The date of the source.
    pub as_of: SpannedText,
    /// Tools that know only some of the profiles.
    #[serde(default)]
    pub said_by: Vec<SaidByEntry>,
    /// The profiles of the GPU.
    pub profiles: Vec<ProfileEntry>,
}

/// A tool that knows only some profiles of a GPU.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SaidByEntry {
    /// The id of the tool, such as `gke`.
    pub tool: SpannedText,
    /// The tool's name of the GPU, or of its configuration of mixed slices.
    pub name: Option<SpannedText>,
    /// The profiles that the tool knows.
    pub profiles: Vec<SpannedText>,
}

/// A compute instance that a GPU instance can be partitioned into.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ComputeInstanceEntry {
    /// The compute slices of the GPU instance.
    pub of: u8,
    /// The compute slices of the compute instance.
    pub compute: u8,
    /// The driver's id of the compute instance profile.
    pub id: u8,
    /// The maximum number of such compute instances in one GPU instance.
    pub max: u8,
}

/// The way in which containers get devices.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SdkEntry {
    /// The id, to which accelerators refer.
    pub id: SpannedText,
    /// The Kubernetes resource of a device, such as `nvidia.com/gpu`.
    pub kubernetes: Option<SpannedText>,
    /// The command that lists the devices.
    pub list_command: Option<SpannedText>,
    /// Options of `docker run`, with `{n}` for the number of a device; none if `--gpus` is enough.
    pub docker: Option<Vec<SpannedText>>,
    /// The inference and training engines that are modeled on it.
    pub engines: Option<Vec<SpannedText>>,
    /// Other engines that run on it, of which no measurement calibrates the speed.
    pub unmeasured: Option<Vec<SpannedText>>,
    /// The source of the facts.
    pub source: SpannedText,
    /// The date of the source.
    pub as_of: SpannedText,
}

impl SdkEntry {
    /// Lays the fields that another entry sets over this entry.
    pub fn lay_over(&mut self, over: &Self) {
        lay_over!(self, over; kubernetes, list_command, docker, engines, unmeasured);
        self.source.clone_from(&over.source);
        self.as_of.clone_from(&over.as_of);
    }
}

/// A tool for which plans and specs are written. A later layer replaces the whole tool.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ToolEntry {
    /// The id of the tool.
    pub id: SpannedText,
    /// The name for people.
    pub name: SpannedText,
    /// The version of the tool with which the words were checked.
    pub version: SpannedText,
    /// The tool's names of providers, by provider id; it cannot use other providers.
    #[serde(default)]
    pub providers: BTreeMap<SpannedText, SpannedText>,
    /// The features that the tool lacks, by provider id: `image`, `nodes`, `interconnect`, `spot`.
    #[serde(default)]
    pub lacks: BTreeMap<String, Vec<SpannedText>>,
    /// The ids of the providers whose own instance types the tool takes.
    #[serde(default)]
    pub types: Vec<SpannedText>,
    /// The words that are valid at a provider, by its id, if the tool lists only some there.
    #[serde(default)]
    pub sells: BTreeMap<SpannedText, Vec<SpannedText>>,
    /// The tool's words for accelerators.
    #[serde(default)]
    pub words: Vec<ToolWordEntry>,
    /// The source of the facts.
    pub source: SpannedText,
    /// The date of the source.
    pub as_of: SpannedText,
}

/// A tool's word for one or more accelerators.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ToolWordEntry {
    /// The word.
    pub word: SpannedText,
    /// The ids of all accelerators that the word covers.
    pub accelerators: Vec<SpannedText>,
    /// The tool's word for the maker, if it must be written too.
    pub vendor: Option<SpannedText>,
    /// The only provider for which the word holds.
    pub provider: Option<SpannedText>,
    /// The numbers of devices that the tool accepts; empty for any number.
    #[serde(default)]
    pub counts: Vec<u8>,
    /// The topologies of slices of a pod that the tool accepts; empty for any.
    #[serde(default)]
    pub topologies: Vec<SpannedText>,
}

/// A pool of instance types that count against one limit of an account.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct QuotaEntry {
    /// The id of the provider; by default the provider in `sold_by`.
    pub provider: Option<SpannedText>,
    /// Prefixes of type names: letters, or letters and generation.
    pub families: Vec<SpannedText>,
    /// The code of the on-demand quota.
    pub on_demand: SpannedText,
    /// The code of the spot quota.
    pub spot: SpannedText,
    /// The source of the codes.
    pub source: SpannedText,
    /// The date of the source.
    pub as_of: SpannedText,
}

/// A CUDA release and the driver that it needs.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct CudaReleaseEntry {
    /// The CUDA version, such as `12.8`.
    pub version: SpannedText,
    /// The oldest driver version that runs it.
    pub driver_min: SpannedText,
    /// The source of the versions.
    pub source: SpannedText,
    /// The date of the source.
    pub as_of: SpannedText,
}

/// A way to share accelerators other than MIG, or a slice of several accelerators.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct SharingEntry {
    /// The ids of the accelerators.
    pub accelerators: Vec<SpannedText>,
    /// The kind: `partition-mode`, `vgpu`, `logical-cores` or `pod-slice`.
    pub kind: SpannedText,
    /// The name of the mode or slice.
    pub name: SpannedText,
    /// The number of devices that one accelerator shows.
    pub devices: Option<Spanned<f64>>,
    /// The number of accelerators that one slice needs.
    pub accelerators_needed: Option<Spanned<f64>>,
    /// The topology of a pod slice, such as `2x2x1`.
    pub topology: Option<SpannedText>,
    /// The cores of each device.
    pub cores: Option<Spanned<f64>>,
    /// The memory of each device in GB.
    pub memory_gb: Option<Spanned<f64>>,
    /// The memory of each device in MiB.
    pub memory_mib: Option<Spanned<f64>>,
    /// The command that sets the mode.
    pub set_by: Option<SpannedText>,
    /// A remark for users.
    pub note: Option<SpannedText>,
    /// The source of the facts.
    pub source: SpannedText,
    /// The date of the source.
    pub as_of: SpannedText,
}

/// A MIG profile of a GPU. Figures that are not known are left out.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ProfileEntry {
    /// The name, such as `3g.40gb`.
    pub name: SpannedText,
    /// The driver's id of the profile.
    pub id: Option<u16>,
    /// The maximum number of instances of the profile on one GPU.
    pub max: Spanned<u8>,
    /// The number of compute slices: the number before `g`.
    pub compute_slices: u8,
    /// The memory of an instance in MiB, as the driver reports it.
    pub memory_mib: Option<u32>,
    /// The number of streaming multiprocessors.
    pub sm: Option<u16>,
    /// The fixed-function engines of an instance.
    pub engines: Option<EnginesEntry>,
    /// The size of an instance in placement units.
    pub size: Option<Spanned<u8>>,
    /// The placement units at which an instance can start.
    #[serde(default)]
    pub starts: Vec<Spanned<u8>>,
    /// Names of the profile in other driver versions.
    #[serde(default)]
    pub aliases: Vec<SpannedText>,
    /// The first driver version with the profile, if it is later than the version of the geometry.
    pub driver_min: Option<SpannedText>,
}

/// The numbers of fixed-function engines of a MIG instance.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct EnginesEntry {
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
