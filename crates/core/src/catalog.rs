//! The catalog as tables: rows of integers and figures that point into one string pool.
//!
//! The embedded catalog is a `static` of exactly these types, made at build time; an overlay is
//! read at run time into vectors of the same types. Starting up therefore parses nothing, and
//! everything else in the crate sees one [`Catalog`].
//!
//! `Debug` of a row prints a valid Rust expression: that is how the build step writes them.

use std::cmp::Ordering;

use crate::money::{Count, Usd};
use crate::sizing::{Architecture, Biases, QkNorm, WeightFormat};
use crate::text::NameKey;

/// A string: a place in [`Catalog::pool`]. The empty string means "nothing known".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Str {
    pub start: u32,
    pub len: u32,
}

/// A run of rows in another table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rows {
    pub start: u32,
    pub len: u32,
}

macro_rules! id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(pub u16);
    };
}

id!(
    /// A row of [`Catalog::accelerators`].
    AcceleratorId
);
id!(
    /// A row of [`Catalog::providers`].
    ProviderId
);
id!(
    /// A row of [`Catalog::regions`].
    RegionId
);
id!(
    /// A row of [`Catalog::offers`].
    OfferId
);
id!(
    /// A row of [`Catalog::geometries`].
    GeometryId
);

/// The class of what cannot compute.
pub const MEDIA_CLASS: &str = "media";

/// All facts.
#[derive(Clone, Copy, Debug)]
pub struct Catalog<'a> {
    pub version: &'a str,
    /// The day of the newest fact.
    pub as_of: &'a str,
    pub pool: &'a str,
    pub strings: &'a [Str],
    pub accelerators: &'a [Accelerator],
    pub disputed: &'a [Disputed],
    pub quoted_memory: &'a [QuotedMemory],
    /// Sorted by key, one row for each key.
    pub names: &'a [Name],
    /// Every spelling of every name, sorted by the accelerator it displays.
    pub spellings: &'a [Spelling],
    pub accelerator_lists: &'a [AcceleratorId],
    pub vendors: &'a [Vendor],
    pub providers: &'a [Provider],
    pub regions: &'a [Region],
    pub region_lists: &'a [RegionId],
    /// Sorted by provider, then as listed.
    pub offers: &'a [Offer],
    /// (accelerator, offer) pairs, sorted.
    pub offers_by_accelerator: &'a [(AcceleratorId, OfferId)],
    /// Sorted by offer.
    pub prices: &'a [Price],
    pub geometries: &'a [Geometry],
    pub profiles: &'a [Profile],
    pub starts: &'a [u8],
    pub compute_instances: &'a [ComputeInstance],
    pub said_by: &'a [SaidBy],
    pub sharing: &'a [Sharing],
    pub models: &'a [Model],
    /// Sorted by key.
    pub model_names: &'a [ModelName],
    pub families: &'a [Family],
    pub family_defaults: &'a [(Str, u32)],
    pub weight_formats: &'a [NamedFormat],
    pub coefficients: &'a [Coefficient],
    pub guide_source: &'a str,
    pub guide_as_of: &'a str,
    pub guide_workloads: &'a [GuideWorkload],
    pub guide_sizes: &'a [GuideSize],
    pub guide_strategies: &'a [GuideStrategy],
}

/// One device as clouds and drivers count it. Rates are dense; a missing figure is unknown.
#[derive(Clone, Copy, Debug)]
pub struct Accelerator {
    pub id: Str,
    pub family: Str,
    pub vendor: Str,
    /// Product line, where people name one: GeForce, Instinct, Trainium.
    pub line: Str,
    pub architecture: Str,
    pub class: Str,
    pub form_factor: Str,
    pub sdk: Str,
    /// As the vendor sells it.
    pub memory_gb: Option<f64>,
    /// As the driver reports it.
    pub memory_mib: Option<f64>,
    /// As the EC2 API lists it.
    pub memory_mib_ec2: Option<f64>,
    pub memory_type: Str,
    pub memory_bandwidth_gb_s: Option<f64>,
    pub fp64_tflops: Option<f64>,
    pub fp32_tflops: Option<f64>,
    pub tf32_tflops: Option<f64>,
    pub fp16_tflops: Option<f64>,
    pub bf16_tflops: Option<f64>,
    pub fp8_tflops: Option<f64>,
    pub fp4_tflops: Option<f64>,
    pub int8_tops: Option<f64>,
    pub tdp_w: Option<f64>,
    pub interconnect: Str,
    /// Total of both directions, per device.
    pub interconnect_gb_s: Option<f64>,
    pub pcie_gen: Option<f64>,
    pub compute_capability: Str,
    pub cuda_min: Str,
    pub cuda_last: Str,
    pub rocm_gfx: Str,
    pub mig: Option<bool>,
    pub mig_geometry: Option<GeometryId>,
    pub release_year: Option<f64>,
    pub max_per_node: Option<f64>,
    pub note: Str,
    /// Strings.
    pub sources: Rows,
    pub disputed: Rows,
    pub quoted_memory: Rows,
}

/// A figure on which published documents disagree.
#[derive(Clone, Copy, Debug)]
pub struct Disputed {
    pub field: Str,
    pub also: Str,
    pub why: Str,
    pub source: Str,
    pub as_of: Str,
}

/// A memory size that people write for an accelerator that has another one.
#[derive(Clone, Copy, Debug)]
pub struct QuotedMemory {
    pub gb: f64,
    /// How many devices the size is of.
    pub count: Count,
    pub note: Str,
}

/// What a name means.
#[derive(Clone, Copy, Debug)]
pub struct Name {
    pub key: Str,
    /// How the name is written back.
    pub display: Str,
    pub meaning: Meaning,
    /// Said whenever the name is used and nothing in the spec settles it.
    pub note: Str,
}

/// The kinds of meaning.
#[derive(Clone, Copy, Debug)]
pub enum Meaning {
    /// Exactly one accelerator.
    Exact(AcceleratorId),
    /// Several; the first one is displayed. A run of [`Catalog::accelerator_lists`].
    AnyOf(Rows),
    /// A name with a number of devices and perhaps MIG slices in it.
    Sized {
        accelerators: Rows,
        count: Option<Count>,
        mig: Str,
    },
    /// A provider's own instance type: the hardware in it.
    InstanceType(OfferId),
    /// Looks like a product and is none. `suggest` is a run of [`Catalog::accelerator_lists`].
    Rejected { why: Str, suggest: Rows },
}

/// One way to write a name.
#[derive(Clone, Copy, Debug)]
pub struct Spelling {
    pub text: Str,
    /// Who writes it so: a provider, a tool, `common`.
    pub dialect: Str,
    pub accelerator: AcceleratorId,
    /// Whether the name means only this accelerator.
    pub exact: bool,
}

/// A maker of accelerators.
#[derive(Clone, Copy, Debug)]
pub struct Vendor {
    pub name: Str,
    /// Strings: lower-case words that stand for it.
    pub aliases: Rows,
}

/// How a provider sells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sells {
    /// Machines with a fixed number of accelerators.
    InstanceTypes,
    /// A type of accelerator, any whole number up to a maximum.
    AnyCount,
    /// Single machines of others, found by search.
    Marketplace,
}

/// A seller.
#[derive(Clone, Copy, Debug)]
pub struct Provider {
    pub id: Str,
    pub name: Str,
    /// Strings.
    pub aliases: Rows,
    pub sells: Sells,
    pub default_region: Option<RegionId>,
    /// Strings: names of price tiers, the one to quote first.
    pub tiers: Rows,
    /// Whether a tenant may cut a GPU into MIG slices.
    pub tenant_mig: Option<bool>,
    pub tenant_mig_note: Str,
    /// From when on a price of this provider counts as old.
    pub price_max_age_days: u16,
    /// A run of [`Catalog::regions`].
    pub regions: Rows,
}

/// A region, location or data center of one provider; a country where that is all there is.
#[derive(Clone, Copy, Debug)]
pub struct Region {
    pub provider: ProviderId,
    pub id: Str,
    pub country: Str,
    /// Whether it takes new machines, where that is known.
    pub open: Option<bool>,
}

/// Whether an offer can be rented.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Status {
    Offered,
    ReservedOnly,
    Retired,
}

/// Something that a provider sells: an instance type, a GPU type, a marketplace name.
#[derive(Clone, Copy, Debug)]
pub struct Offer {
    pub provider: ProviderId,
    /// The provider's own id.
    pub id: Str,
    pub display_name: Str,
    /// The one that is displayed.
    pub accelerator: AcceleratorId,
    /// All that it may be: more than one where the provider's name does not tell.
    pub accelerators: Rows,
    /// Fixed number of accelerators.
    pub count: Option<Count>,
    /// Largest number, where any number is sold.
    pub max_count: Option<Count>,
    /// A ready-made MIG slice that is sold as a device.
    pub mig_profile: Str,
    /// Per device, as the provider's API reports it.
    pub memory_mib: Option<f64>,
    pub vcpu: Option<f64>,
    pub host_memory_gib: Option<f64>,
    /// Whether the two above are for one accelerator.
    pub vcpu_per_accelerator: bool,
    pub host_memory_per_accelerator: bool,
    pub host_arch: Str,
    pub status: Status,
    pub status_note: Str,
    pub note: Str,
    pub interruption_rate: Str,
    /// A run of [`Catalog::region_lists`]; empty when unknown.
    pub regions: Rows,
    pub source: Str,
    pub as_of: Str,
    pub prices: Rows,
}

/// How capacity is bought.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum CapacityType {
    OnDemand,
    Spot,
}

/// What a price is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PriceKind {
    /// Published by the provider.
    List,
    /// Asked from the provider now.
    Live,
    /// The lowest marketplace offer seen on a date.
    Snapshot,
    /// Derived from other figures.
    Estimate,
}

/// Which price of a region's zones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Statistic {
    LowestZone,
    MedianZone,
}

/// Whether something can be rented at this moment: only live answers know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Availability {
    #[default]
    Unknown,
    Available,
    /// Little of it is left.
    Limited,
    Unavailable,
}

/// One price.
#[derive(Clone, Copy, Debug)]
pub struct Price {
    pub capacity: CapacityType,
    pub kind: PriceKind,
    /// Place among the provider's tiers, 0 where it has none.
    pub tier: u8,
    /// Which of them it is, where the zones of a region differ.
    pub statistic: Option<Statistic>,
    /// The number of accelerators that it is for, where it is not for all.
    pub count: Option<Count>,
    pub region: Option<RegionId>,
    /// A run of [`Catalog::region_lists`]: where marketplace machines at this price were seen.
    pub seen_in: Rows,
    pub usd: Usd,
    /// Whether `usd` is for one accelerator.
    pub per_accelerator: bool,
    pub source: Str,
    /// A day, a month or a year, as exactly as it is known; a second when it is live.
    pub as_of: Str,
    pub availability: Availability,
    /// The availability zone of a spot price.
    pub zone: Str,
    /// The id under which a marketplace rents exactly this machine.
    pub listing: Str,
}

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
    /// What it calls the GPU; empty where it does not name it.
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

/// A way other than MIG in which an accelerator is shared, or joined with others.
#[derive(Clone, Copy, Debug)]
pub struct Sharing {
    /// A run of [`Catalog::accelerator_lists`].
    pub accelerators: Rows,
    /// `partition-mode`, `vgpu`, `pod-slice` or `logical-cores`.
    pub kind: Str,
    pub name: Str,
    /// Devices that one accelerator shows as.
    pub devices: Option<f64>,
    /// Accelerators that it takes, where it takes several.
    pub accelerators_needed: Option<f64>,
    pub topology: Str,
    /// Compute units or cores of each device.
    pub cores: Option<f64>,
    /// Memory of each device, as it is sold and as it is reported.
    pub memory_gb: Option<f64>,
    pub memory_mib: Option<f64>,
    /// What switches it on.
    pub set_by: Str,
    pub note: Str,
    pub source: Str,
    pub as_of: Str,
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

/// A language model.
#[derive(Clone, Copy, Debug)]
pub struct Model {
    pub id: Str,
    pub shape: Architecture,
    /// Parameters of the files, where they hold more or less than the model.
    pub checkpoint_parameters: Option<f64>,
    /// A format of the catalog; empty for 16 bits.
    pub stored_as: Str,
    pub source: Str,
}

/// One way to write the name of a model.
#[derive(Clone, Copy, Debug)]
pub struct ModelName {
    pub key: Str,
    /// A row of [`Catalog::models`].
    pub model: u16,
}

/// Model types of `config.json` whose models are built alike: what their configurations leave out.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// Strings.
    pub model_types: Rows,
    pub gated: bool,
    pub tied: bool,
    pub norms_per_layer: u32,
    /// Parts that have biases when nothing is said, and those that `attention_bias` is about.
    pub biases: Biases,
    pub attention_bias: Biases,
    /// Whether one flag is about all biases.
    pub one_bias: bool,
    pub qk_norm: Option<QkNorm>,
    pub qk_norm_by_default: bool,
    /// Learned positions: how many rows more than tokens.
    pub positions: Option<u32>,
    /// Every so many layers has no window.
    pub window_pattern: Option<u32>,
    pub embedding_norm: bool,
    pub expert_biases: bool,
    pub router_bias: bool,
    pub shared_gate: bool,
    pub sinks: bool,
    /// A run of [`Catalog::family_defaults`]: fields that may be left out.
    pub defaults: Rows,
}

/// A format of weights.
#[derive(Clone, Copy, Debug)]
pub struct NamedFormat {
    pub name: Str,
    /// Strings.
    pub aliases: Rows,
    pub format: WeightFormat,
    /// Bits that a group of weights has besides, and how many are in it by default.
    pub group: Option<(f64, f64)>,
    pub source: Str,
}

/// A figure that is measured, not derived.
#[derive(Clone, Copy, Debug)]
pub struct Coefficient {
    pub name: Str,
    /// What it is for, where it differs: an engine, an architecture.
    pub scope: Str,
    pub value: f64,
    pub source: Str,
    pub as_of: Str,
}

/// Rule of thumb: what to pick for a kind of work.
#[derive(Clone, Copy, Debug)]
pub struct GuideWorkload {
    pub workload: Str,
    pub title: Str,
    /// Strings: values of `--workload` that it answers.
    pub flags: Rows,
    /// Strings: specs.
    pub pick: Rows,
    pub because: Str,
}

/// Rule of thumb: what to pick for a number of parameters.
#[derive(Clone, Copy, Debug)]
pub struct GuideSize {
    pub title: Str,
    /// Billions of parameters; the bound belongs to the row when `inclusive`.
    pub up_to: Option<f64>,
    pub inclusive: bool,
    pub minimum: Str,
    pub recommended: Str,
}

/// Rule of thumb: what a strategy saves.
#[derive(Clone, Copy, Debug)]
pub struct GuideStrategy {
    pub strategy: Str,
    pub title: Str,
    pub claimed_low_percent: f64,
    pub claimed_high_percent: f64,
    pub good_for: Str,
    pub compare: Comparison,
    /// Specs, for [`Comparison::SpecPrices`].
    pub cheap: Str,
    pub dear: Str,
}

/// How the real saving of a strategy is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Comparison {
    /// Spot against on-demand, over every offer with both prices.
    SpotDiscount,
    /// One MIG slice against the whole GPU.
    SliceShare,
    /// The lowest price of one spec against that of another.
    SpecPrices,
}

impl<'a> Catalog<'a> {
    /// The text of a string.
    pub fn str(&self, s: Str) -> &'a str {
        self.pool
            .get(s.start as usize..(s.start + s.len) as usize)
            .unwrap_or_default()
    }

    /// The text of a string, `None` when it is empty.
    pub fn text(&self, s: Str) -> Option<&'a str> {
        (s.len > 0).then(|| self.str(s))
    }

    /// A list of strings.
    pub fn strings(&self, rows: Rows) -> impl ExactSizeIterator<Item = &'a str> + use<'a> {
        let catalog = *self;
        run(self.strings, rows).iter().map(move |s| catalog.str(*s))
    }

    pub fn accelerator(&self, id: AcceleratorId) -> &'a Accelerator {
        &self.accelerators[id.0 as usize]
    }

    pub fn accelerator_id(&self, id: AcceleratorId) -> &'a str {
        self.str(self.accelerator(id).id)
    }

    /// Every accelerator, in catalog order.
    pub fn accelerator_ids(&self) -> impl Iterator<Item = AcceleratorId> + use<> {
        (0..self.accelerators.len() as u16).map(AcceleratorId)
    }

    pub fn provider(&self, id: ProviderId) -> &'a Provider {
        &self.providers[id.0 as usize]
    }

    pub fn provider_id(&self, id: ProviderId) -> &'a str {
        self.str(self.provider(id).id)
    }

    pub fn offer(&self, id: OfferId) -> &'a Offer {
        &self.offers[id.0 as usize]
    }

    pub fn region(&self, id: RegionId) -> &'a Region {
        &self.regions[id.0 as usize]
    }

    pub fn region_id(&self, id: RegionId) -> &'a str {
        self.str(self.region(id).id)
    }

    /// A list of regions.
    pub fn regions(&self, rows: Rows) -> &'a [RegionId] {
        run(self.region_lists, rows)
    }

    /// A list of accelerators.
    pub fn accelerators(&self, rows: Rows) -> &'a [AcceleratorId] {
        run(self.accelerator_lists, rows)
    }

    pub fn prices(&self, offer: &Offer) -> &'a [Price] {
        run(self.prices, offer.prices)
    }

    pub fn disputed(&self, accelerator: &Accelerator) -> &'a [Disputed] {
        run(self.disputed, accelerator.disputed)
    }

    pub fn quoted_memory(&self, accelerator: &Accelerator) -> &'a [QuotedMemory] {
        run(self.quoted_memory, accelerator.quoted_memory)
    }

    pub fn geometry(&self, accelerator: &Accelerator) -> Option<&'a Geometry> {
        accelerator
            .mig_geometry
            .map(|id| &self.geometries[id.0 as usize])
    }

    pub fn profiles(&self, geometry: &Geometry) -> &'a [Profile] {
        run(self.profiles, geometry.profiles)
    }

    pub fn starts(&self, profile: &Profile) -> &'a [u8] {
        run(self.starts, profile.starts)
    }

    /// What a GPU instance with so many compute slices can be cut into.
    pub fn compute_instances(&self, of: u8) -> impl Iterator<Item = &'a ComputeInstance> + use<'a> {
        self.compute_instances
            .iter()
            .filter(move |own| own.of == of)
    }

    /// What a tool knows of a set of GPUs.
    pub fn said_by(&self, geometry: &Geometry, tool: &str) -> Option<&'a SaidBy> {
        let mut all = run(self.said_by, geometry.said_by).iter();
        all.find(|own| self.str(own.tool) == tool)
    }

    /// How an accelerator is shared otherwise than by MIG.
    pub fn sharing(&self, accelerator: AcceleratorId) -> impl Iterator<Item = &'a Sharing> {
        let lists = self.accelerator_lists;
        self.sharing
            .iter()
            .filter(move |own| run(lists, own.accelerators).contains(&accelerator))
    }

    /// What a name means: the whole name, ignoring case, spaces, `-` and `_`.
    pub fn name(&self, text: &str) -> Option<&'a Name> {
        let key = NameKey::new(text)?;
        let key = key.as_bytes();
        let found = self
            .names
            .binary_search_by(|row| self.str(row.key).as_bytes().cmp(key))
            .ok()?;
        Some(&self.names[found])
    }

    /// The model that a name stands for, ignoring case, spaces, `-` and `_`.
    pub fn model(&self, name: &str) -> Option<&'a Model> {
        let key = NameKey::new(name)?;
        let key = key.as_bytes();
        let found = self
            .model_names
            .binary_search_by(|row| self.str(row.key).as_bytes().cmp(key))
            .ok()?;
        self.models.get(self.model_names[found].model as usize)
    }

    /// The fields that configurations of a family may leave out.
    pub fn defaults(&self, family: &Family) -> &'a [(Str, u32)] {
        run(self.family_defaults, family.defaults)
    }

    /// The models that a model type of `config.json` is of.
    pub fn family_of(&self, model_type: &str) -> Option<&'a Family> {
        let mut all = self.families.iter();
        all.find(|own| self.strings(own.model_types).any(|name| name == model_type))
    }

    /// A format of weights by one of its names.
    pub fn weight_format(&self, name: &str) -> Option<&'a NamedFormat> {
        self.weight_formats.iter().find(|row| {
            let mut names = self.strings(row.aliases);
            self.str(row.name).eq_ignore_ascii_case(name)
                || names.any(|alias| alias.eq_ignore_ascii_case(name))
        })
    }

    /// A measured figure, for a scope or in general.
    pub fn coefficient(&self, name: &str, scope: &str) -> Option<f64> {
        let of = |scope: &str| {
            self.coefficients
                .iter()
                .find(|row| self.str(row.name) == name && self.str(row.scope) == scope)
        };
        of(scope).or_else(|| of("")).map(|row| row.value)
    }

    /// The vendor that a word stands for.
    pub fn vendor(&self, word: &str) -> Option<&'a Vendor> {
        self.vendors.iter().find(|vendor| {
            word.eq_ignore_ascii_case(self.str(vendor.name))
                || self
                    .strings(vendor.aliases)
                    .any(|alias| word.eq_ignore_ascii_case(alias))
        })
    }

    /// The provider that a word stands for.
    pub fn provider_named(&self, word: &str) -> Option<ProviderId> {
        self.providers
            .iter()
            .position(|provider| {
                word.eq_ignore_ascii_case(self.str(provider.id))
                    || self
                        .strings(provider.aliases)
                        .any(|a| word.eq_ignore_ascii_case(a))
            })
            .map(|index| ProviderId(index as u16))
    }

    /// The offers that may carry an accelerator.
    pub fn offers_of(&self, accelerator: AcceleratorId) -> impl Iterator<Item = OfferId> + use<'a> {
        let pairs = self.offers_by_accelerator;
        let from = pairs.partition_point(|(a, _)| *a < accelerator);
        pairs[from..]
            .iter()
            .take_while(move |(a, _)| *a == accelerator)
            .map(|(_, offer)| *offer)
    }

    /// The spellings under which an accelerator is displayed.
    pub fn spellings_of(&self, accelerator: AcceleratorId) -> &'a [Spelling] {
        let from = self
            .spellings
            .partition_point(|s| s.accelerator < accelerator);
        let len = self.spellings[from..].partition_point(|s| s.accelerator == accelerator);
        &self.spellings[from..from + len]
    }

    /// Whether an accelerator is meant only when it is named: a video transcoder has memory too,
    /// and is no answer to "anything with 24 GB".
    pub fn only_by_name(&self, id: AcceleratorId) -> bool {
        self.str(self.accelerator(id).class) == MEDIA_CLASS
    }

    /// Whether any provider rents this accelerator out today.
    pub fn is_sold(&self, accelerator: AcceleratorId) -> bool {
        self.offers_of(accelerator)
            .any(|offer| self.offer(offer).status != Status::Retired)
    }

    /// The members of an accelerator's family, in catalog order.
    pub fn family(&self, family: Str) -> impl Iterator<Item = AcceleratorId> + use<'a> {
        let catalog = *self;
        let name = self.str(family);
        self.accelerator_ids()
            .filter(move |id| catalog.str(catalog.accelerator(*id).family) == name)
    }
}

fn run<T>(table: &[T], rows: Rows) -> &[T] {
    table
        .get(rows.start as usize..(rows.start + rows.len) as usize)
        .unwrap_or_default()
}

impl Accelerator {
    /// The highest dense half-precision rate, else the single-precision one: what a price per
    /// TFLOPS is measured with.
    pub fn headline_tflops(&self) -> Option<f64> {
        let half = match (self.bf16_tflops, self.fp16_tflops) {
            (Some(b), Some(f)) => Some(b.max(f)),
            (b, f) => b.or(f),
        };
        half.or(self.fp32_tflops)
    }
}

/// Compares dotted versions number by number: `8.9` is less than `8.10`.
pub fn compare_versions(a: &str, b: &str) -> Ordering {
    let numbers = |text: &str| -> Vec<u32> {
        text.split('.')
            .map(|part| part.parse().unwrap_or(0))
            .collect()
    };
    let (mut a, mut b) = (numbers(a), numbers(b));
    let len = a.len().max(b.len());
    a.resize(len, 0);
    b.resize(len, 0);
    a.cmp(&b)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_compare_by_number() {
        assert_eq!(compare_versions("8.9", "8.10"), Ordering::Less);
        assert_eq!(compare_versions("12", "12.0"), Ordering::Equal);
        assert_eq!(compare_versions("9.0", "8.9"), Ordering::Greater);
    }
}
