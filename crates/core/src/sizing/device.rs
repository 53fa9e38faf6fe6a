//! The figures of an accelerator that decide whether a model fits and how fast it runs.

pub use super::links::Links;
use super::peak::{Peak, Width};
use super::units::GIB;
use super::words::ServingEngine;
use crate::catalog::{Accelerator, AcceleratorClass, AcceleratorId, Catalog, compare_versions};

/// Devices of the largest machine, if the catalog does not say.
const DEVICES_OF_A_MACHINE: f64 = 8.0;
/// The maximum devices of one machine. Offers of more are slices of pods, which have many machines.
pub const MOST_DEVICES_OF_A_MACHINE: u32 = 16;
/// The first compute capability with matrix units.
const FIRST_WITH_MATRIX_UNITS: &str = "7.0";

/// Returns the devices of the largest machine: its usual maximum, or more where a GPU is sold so.
fn devices_of_a_machine(
    catalog: &Catalog<'_>,
    id: AcceleratorId,
    accelerator: &Accelerator,
) -> f64 {
    let usual = accelerator.max_per_node.unwrap_or(DEVICES_OF_A_MACHINE);
    // Larger offers of other chips, such as TPUs, are several machines.
    let is_gpu = catalog.class(accelerator) != Some(AcceleratorClass::Asic);
    let counts = catalog.sold(id).iter().filter(|_| is_gpu);
    let counts = counts.filter_map(|sold| Some(sold.count?.whole_devices()));
    let sold = counts.filter(|count| *count <= MOST_DEVICES_OF_A_MACHINE);
    usual.max(f64::from(sold.max().unwrap_or(1)))
}

/// One device, with the efficiencies that were measured on devices of its kind.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Device {
    /// Bytes of memory that the driver reports, or an estimate if that is unknown.
    pub memory: Option<f64>,
    /// Memory bandwidth in bytes per second.
    pub bandwidth: Option<f64>,
    /// Dense operations per second.
    pub peak: Peak,
    /// Shares of the bandwidth and of the peaks that inference reaches.
    pub shares: Shares,
    /// Shares of the 16-bit peak that training reaches; zeros for inference.
    pub training: TrainingShares,
    /// The links to other devices.
    pub links: Links,
    /// Bytes per second to the host, in one direction.
    pub host_link: f64,
    /// Devices of the largest machine.
    pub per_machine: f64,
    /// The fixed costs of the serving engine.
    pub engine: EngineCosts,
}

/// The costs of a serving engine in addition to reading and computing.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct EngineCosts {
    /// Seconds per layer in a step.
    pub layer: f64,
    /// Additional seconds per layer with experts.
    pub expert_layer: f64,
    /// Additional seconds per layer whose dense products are in 8 bits or fewer: their inputs are quantized first.
    pub quantized_layer: f64,
    /// Additional seconds per layer with a latent cache, which has more projections.
    pub latent_layer: f64,
    /// Additional seconds per layer with an index.
    pub index_layer: f64,
    /// Link latencies per all-reduce: norms and barriers come with it.
    pub sum_latencies: f64,
    /// Seconds per step.
    pub step: f64,
    /// Seconds per sequence in a step.
    pub sequence: f64,
    /// Additional costs of requests with top-p or top-k.
    pub top_p: SamplerCosts,
    /// Additional costs of requests with penalties, besides those of top-p.
    pub penalties: SamplerCosts,
    /// Seconds that the host takes to count one token of the answers so far for penalties, while the device computes.
    pub counted_token: f64,
    /// The maximum sequences of a step that the engine launches as one graph.
    pub graph_sequences: f64,
    /// Seconds that the host takes to launch a layer, or the experts of a layer, without a graph.
    pub eager_layer: f64,
    /// Additional seconds per layer with experts that are distributed over ranks.
    pub split_expert_layer: f64,
    /// The share of a pass that pipeline stages wait for each other, for each doubling of their number.
    pub pipeline_wait: f64,
    /// Seconds from a request to the beginning of its prefill.
    pub first_token: f64,
    /// Steps of other requests that a request waits for before its prefill begins, if the engine schedules new requests
    /// at every step.
    pub awaited_steps: f64,
    /// The share of the admission interval that a request waits for; `None` if the engine has no such setting.
    pub admission_share: Option<f64>,
    /// The maximum number of sequences that are decoded at once.
    pub most_sequences: f64,
    /// The maximum number of requests that are accepted in a second.
    pub most_requests: f64,
}

/// The costs of sampling in a step, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SamplerCosts {
    /// For each step.
    pub step: f64,
    /// For each of the first [`SamplerCosts::FIRST`] sequences, with a vocabulary of [`SamplerCosts::VOCABULARY`].
    pub first: f64,
    /// For each further sequence.
    pub further: f64,
}

impl SamplerCosts {
    /// Sequences beyond which another sequence costs less.
    const FIRST: f64 = 128.0;
    /// The vocabulary of the measured costs. Costs of a sequence grow with its logits.
    const VOCABULARY: f64 = 131_072.0;

    fn of([step, first, further]: [f64; 3]) -> Self {
        Self {
            step,
            first,
            further,
        }
    }

    /// The costs of both.
    #[must_use]
    pub(super) fn with(self, other: Self) -> Self {
        Self {
            step: self.step + other.step,
            first: self.first + other.first,
            further: self.further + other.further,
        }
    }

    /// The same for the logits of a vocabulary.
    #[must_use]
    pub(super) fn for_vocabulary(self, tokens: f64) -> Self {
        let factor = tokens / Self::VOCABULARY;
        Self {
            step: self.step,
            first: self.first * factor,
            further: self.further * factor,
        }
    }

    /// Seconds of a step with a number of sequences.
    pub(super) fn seconds(&self, sequences: f64) -> f64 {
        let first = sequences.min(Self::FIRST);
        self.step + first * self.first + (sequences - first) * self.further
    }
}

impl EngineCosts {
    pub(super) fn of(
        catalog: &Catalog<'_>,
        accelerator: &Accelerator,
        engine: ServingEngine,
        version: Option<&str>,
    ) -> Self {
        let on_memory = engine_on(catalog, accelerator, engine);
        let on_architecture = engine_on_architecture(catalog, accelerator, engine);
        let scopes = [on_memory.as_str(), &on_architecture, engine.word()];
        let coefficient = |name: &str| catalog.coefficient_among(name, &scopes, version);
        let micro = |name: &str| coefficient(name).unwrap_or_default() * 1e-6;
        Self {
            layer: micro("launch-us-per-layer"),
            expert_layer: micro("launch-us-per-expert-layer"),
            quantized_layer: micro("launch-us-per-quantized-layer"),
            latent_layer: micro("launch-us-per-latent-layer"),
            index_layer: micro("launch-us-per-index-layer"),
            sum_latencies: coefficient("sum-latency-factor").unwrap_or_default(),
            step: micro("launch-us-per-step"),
            sequence: micro("launch-us-per-sequence"),
            top_p: SamplerCosts::of(
                [
                    "top-p-us-per-step",
                    "top-p-us-per-sequence",
                    "top-p-us-per-further-sequence",
                ]
                .map(micro),
            ),
            penalties: SamplerCosts::of(
                [
                    "penalties-us-per-step",
                    "penalties-us-per-sequence",
                    "penalties-us-per-further-sequence",
                ]
                .map(micro),
            ),
            counted_token: coefficient("penalties-ns-per-token").unwrap_or_default() * 1e-9,
            graph_sequences: coefficient("graph-sequences").unwrap_or(f64::INFINITY),
            eager_layer: micro("eager-us-per-layer"),
            split_expert_layer: micro("launch-us-per-split-expert-layer"),
            pipeline_wait: coefficient("pipeline-wait-share").unwrap_or_default(),
            first_token: coefficient("first-token-ms").unwrap_or_default() * 1e-3,
            awaited_steps: coefficient("awaited-steps").unwrap_or_default(),
            admission_share: coefficient("admission-share"),
            most_sequences: coefficient("most-sequences").unwrap_or(f64::INFINITY),
            most_requests: coefficient("most-requests-per-s").unwrap_or(f64::INFINITY),
        }
    }
}

/// A figure for each width of products.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ByWidth {
    /// For 16 bits and more.
    pub half: f64,
    /// For 8 bits.
    pub eight: f64,
    /// For 4 bits.
    pub four: f64,
}

impl ByWidth {
    /// The figure for products in some bits relative to the figure for products in others; at least 1.
    pub fn gain(&self, from_bits: f64, to_bits: f64) -> f64 {
        let at = |bits: f64| match bits {
            bits if bits >= 16.0 => self.half,
            bits if bits >= 8.0 => self.eight,
            _ => self.four,
        };
        let gain = at(to_bits) / at(from_bits);
        if gain.is_finite() { gain.max(1.0) } else { 1.0 }
    }

    pub(super) fn of(&self, width: Width) -> f64 {
        match width {
            Width::Full | Width::Half => self.half,
            Width::Eight => self.eight,
            Width::Four => self.four,
        }
    }
}

/// The efficiency of grouped products of experts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct GroupedProducts {
    /// The share of the peak with very wide experts.
    pub most: f64,
    /// The columns of an expert on one rank that reach half of that share.
    pub half_columns: f64,
    /// The minimum time of the products of a layer, in seconds.
    pub launch: f64,
}

impl GroupedProducts {
    /// The share of the peak with `columns` columns.
    pub(super) fn share(&self, columns: f64) -> f64 {
        self.most * columns / (columns + self.half_columns)
    }
}

/// The efficiency of products of experts, by format.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ExpertProducts {
    /// For 16 bits and more.
    pub half: GroupedProducts,
    /// For 8 bits.
    pub eight: GroupedProducts,
    /// For 4 bits.
    pub four: GroupedProducts,
    /// For 8 bits, with weights of fewer bits.
    pub mixed: GroupedProducts,
    /// For 16 bits, with weights that are unpacked.
    pub unpacked: GroupedProducts,
}

impl ExpertProducts {
    /// The efficiency for products of a width with weights of `bits` bits.
    pub(super) fn of(&self, width: Width, bits: f64) -> GroupedProducts {
        match width {
            Width::Full | Width::Half if bits < 16.0 => self.unpacked,
            Width::Full | Width::Half => self.half,
            Width::Eight if bits < 8.0 => self.mixed,
            Width::Eight => self.eight,
            Width::Four => self.four,
        }
    }
}

/// The shares of the peaks that inference reaches, between 0 and 1 unless the catalog explains a larger value.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Shares {
    /// The share of the bandwidth for dense weights.
    pub weights: f64,
    /// The factor on that share for products in 4 bits.
    pub four_bit_weights: f64,
    /// The share of the bandwidth for the experts that tokens would touch if they chose evenly.
    pub experts: f64,
    /// The shares in attention to a cache.
    pub cache: CacheShares,
    /// The shares in attention to a cache in fp8, which kernels convert while they read it.
    pub fp8_cache: CacheShares,
    /// The share of the peak in dense matrices.
    pub dense: ByWidth,
    /// The efficiency of experts.
    pub sparse: ExpertProducts,
    /// The columns of an expert on one rank that reach half of `experts`.
    pub expert_read_columns: f64,
    /// The share of the 16-bit peak in the attention of very long prompts.
    pub attention: f64,
    /// Tokens of a prompt that reach half of that share: queries, keys and values are read and written, too.
    pub attention_half_tokens: f64,
    /// The same if keys and values are unpacked from a latent cache.
    pub latent_half_tokens: f64,
}

/// The shares of the peaks that attention to a cache reaches in a decode step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CacheShares {
    /// The share of the bandwidth for keys and values.
    pub heads: f64,
    /// The share of the bandwidth for a latent cache.
    pub latent: f64,
    /// The share of the 16-bit peak with a latent cache, with which every head multiplies.
    pub latent_compute: f64,
}

/// The shares of the 16-bit peak that training reaches.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TrainingShares {
    /// With the separate kernels of eager PyTorch.
    pub eager: f64,
    /// With fused kernels, in dense models.
    pub dense: ByWidth,
    /// With fused kernels, in mixtures of experts.
    pub sparse: ByWidth,
    /// The largest shares of the peak of each width that a matrix product reaches. No training is faster.
    pub products: ByWidth,
}

impl Device {
    /// The same device with the shares that training reaches, which inference does not need.
    #[must_use]
    pub fn for_training(self, catalog: &Catalog<'_>, id: AcceleratorId) -> Self {
        let training = TrainingShares::of(catalog, id, &catalog.accelerator(id));
        Self { training, ..self }
    }

    /// The device for an accelerator with these costs, without shares of training.
    pub(super) fn of(
        catalog: &Catalog<'_>,
        id: AcceleratorId,
        accelerator: &Accelerator,
        (shares, engine): (Shares, EngineCosts),
    ) -> Self {
        let coefficient =
            |name: &str, scope: &str| catalog.coefficient(name, scope).unwrap_or_default();
        let per_machine = devices_of_a_machine(catalog, id, accelerator);
        Self {
            memory: Self::memory_of(catalog, accelerator),
            bandwidth: accelerator.memory_bandwidth_gb_s.map(|rate| rate * 1e9),
            peak: Peak::of(catalog, accelerator),
            shares,
            training: TrainingShares::default(),
            links: Links::of(catalog, accelerator, per_machine),
            host_link: coefficient("pcie-gb-s", "") * 1e9,
            per_machine,
            engine,
        }
    }

    /// The rate of 16-bit products in TFLOPS. Old NVIDIA devices multiply in their 32-bit vector units. Other devices
    /// have matrix units, so without a published 16-bit rate theirs is unknown.
    pub(super) fn half_tflops(catalog: &Catalog<'_>, accelerator: &Accelerator) -> Option<f64> {
        let capability = catalog.text(accelerator.compute_capability);
        let has_no_matrix_units = capability
            .is_some_and(|version| compare_versions(version, FIRST_WITH_MATRIX_UNITS).is_lt());
        let vector = accelerator.fp32_tflops.filter(|_| has_no_matrix_units);
        // Models are published in bf16, which runs at half of the fp16 rate on CDNA.
        let half = accelerator.bf16_tflops.or(accelerator.fp16_tflops);
        half.or(vector)
    }

    /// The processors of a host, with the usable bytes of its memory and the peak bandwidth of that memory.
    ///
    /// They reach the same share of the bandwidth whatever they read, and compute at the rate of measured prompts.
    pub fn host(catalog: &Catalog<'_>, memory: f64, bandwidth: f64) -> Self {
        let coefficient = |name: &str| catalog.coefficient(name, "").unwrap_or_default();
        let share = coefficient("host-bandwidth-share");
        let products = GroupedProducts {
            most: 1.0,
            ..GroupedProducts::default()
        };
        let cache = CacheShares {
            heads: share,
            latent: share,
            latent_compute: 1.0,
        };
        let all = ByWidth {
            half: 1.0,
            eight: 1.0,
            four: 1.0,
        };
        let rate = coefficient("host-compute-tflops") * 1e12;
        Self {
            memory: Some(memory),
            bandwidth: Some(bandwidth),
            peak: Peak {
                bits_32: Some(rate),
                bits_16: Some(rate),
                ..Peak::default()
            },
            shares: Shares {
                weights: share,
                four_bit_weights: 1.0,
                experts: share,
                cache,
                fp8_cache: cache,
                dense: all,
                sparse: ExpertProducts {
                    half: products,
                    eight: products,
                    four: products,
                    mixed: products,
                    unpacked: products,
                },
                attention: 1.0,
                ..Shares::default()
            },
            per_machine: 1.0,
            engine: EngineCosts {
                most_sequences: f64::INFINITY,
                most_requests: f64::INFINITY,
                ..EngineCosts::default()
            },
            ..Self::default()
        }
    }

    /// The usable bytes of memory of an accelerator: the size that its driver reports, or else the nominal size times
    /// the share that drivers of its architecture usually report. `None` if neither size is known.
    pub fn memory_of(catalog: &Catalog<'_>, accelerator: &Accelerator) -> Option<f64> {
        if let Some(mib) = accelerator.memory_mib {
            return Some(mib * GIB / 1024.0);
        }
        let gb = accelerator.memory_gb?;
        let share = |name: &str| catalog.coefficient(name, catalog.str(accelerator.architecture));
        // macOS gives the GPU a larger share of a large unified memory.
        let is_large = share("large-memory-gb").is_some_and(|least| gb >= least);
        let large = is_large.then(|| share("large-reported-memory-share"));
        let share = large.flatten().or_else(|| share("reported-memory-share"));
        Some(gb * GIB * share.unwrap_or_default())
    }

    /// A slice of the device that is used like a separate device, with its own memory and a share of the operations and
    /// of the bandwidth.
    #[must_use]
    pub fn part(self, memory: Option<f64>, compute: f64, bandwidth: f64) -> Self {
        Self {
            memory,
            bandwidth: self.bandwidth.map(|rate| rate * bandwidth),
            peak: self.peak.scaled(compute),
            ..self
        }
    }
}

/// The scope of coefficients for an engine on a kind of memory.
fn engine_on(catalog: &Catalog<'_>, accelerator: &Accelerator, engine: ServingEngine) -> String {
    let memory = catalog.str(accelerator.memory_type);
    let memory = if memory.starts_with("HBM") {
        "HBM"
    } else {
        memory
    };
    format!("{} on {memory}", engine.word())
}

/// The scope of coefficients for an engine on an architecture.
fn engine_on_architecture(
    catalog: &Catalog<'_>,
    accelerator: &Accelerator,
    engine: ServingEngine,
) -> String {
    let architecture = catalog.str(accelerator.architecture);
    format!("{} on {architecture}", engine.word())
}

/// The scopes of the shares of a device, the most specific first: an engine on a kind of device, the engine, then the
/// device.
fn share_scopes(
    catalog: &Catalog<'_>,
    accelerator: &Accelerator,
    engine: ServingEngine,
) -> [String; 7] {
    let class = catalog.str(accelerator.class);
    let architecture = catalog.str(accelerator.architecture);
    [
        format!("{} on {class} {architecture}", engine.word()),
        engine_on(catalog, accelerator, engine),
        format!("{} on {class} cards", engine.word()),
        engine_on_architecture(catalog, accelerator, engine),
        engine.word().to_owned(),
        format!(
            "compute capability {}",
            catalog.str(accelerator.compute_capability)
        ),
        architecture.to_owned(),
    ]
}

impl Shares {
    /// The shares of the peak in dense matrices, without the other shares.
    pub fn dense_of(
        catalog: &Catalog<'_>,
        accelerator: &Accelerator,
        engine: ServingEngine,
        version: Option<&str>,
    ) -> ByWidth {
        let scopes = share_scopes(catalog, accelerator, engine);
        let scopes = scopes.each_ref().map(String::as_str);
        let share = |name: &str| {
            let share = catalog.coefficient_among(name, &scopes, version);
            share.unwrap_or_default()
        };
        ByWidth {
            half: share("dense-compute-share-16"),
            eight: share("dense-compute-share-8"),
            four: share("dense-compute-share-4"),
        }
    }

    /// The share of the bandwidth for dense weights that are multiplied in a width.
    pub(super) fn dense_weights(&self, width: Width) -> f64 {
        match width {
            Width::Four => self.weights * self.four_bit_weights,
            _ => self.weights,
        }
    }

    pub(super) fn of(
        catalog: &Catalog<'_>,
        accelerator: &Accelerator,
        engine: ServingEngine,
        version: Option<&str>,
    ) -> Self {
        let scopes = share_scopes(catalog, accelerator, engine);
        let scopes = scopes.each_ref().map(String::as_str);
        let share = |name: &str| {
            catalog
                .coefficient_among(name, &scopes, version)
                .unwrap_or_default()
        };
        let grouped = |[most, half_columns, launch_us]: [&str; 3]| GroupedProducts {
            most: share(most),
            half_columns: share(half_columns),
            launch: share(launch_us) * 1e-6,
        };
        Self {
            weights: share("weight-bandwidth-share"),
            four_bit_weights: share("four-bit-weight-bandwidth-factor"),
            experts: share("expert-bandwidth-share"),
            cache: CacheShares {
                heads: share("cache-bandwidth-share"),
                latent: share("latent-cache-bandwidth-share"),
                latent_compute: share("latent-compute-share"),
            },
            fp8_cache: CacheShares {
                heads: share("fp8-cache-bandwidth-share"),
                latent: share("fp8-latent-cache-bandwidth-share"),
                latent_compute: share("fp8-latent-compute-share"),
            },
            dense: ByWidth {
                half: share("dense-compute-share-16"),
                eight: share("dense-compute-share-8"),
                four: share("dense-compute-share-4"),
            },
            sparse: ExpertProducts {
                half: grouped([
                    "expert-compute-share-16",
                    "expert-half-columns-16",
                    "expert-launch-us-16",
                ]),
                eight: grouped([
                    "expert-compute-share-8",
                    "expert-half-columns-8",
                    "expert-launch-us-8",
                ]),
                four: grouped([
                    "expert-compute-share-4",
                    "expert-half-columns-4",
                    "expert-launch-us-4",
                ]),
                mixed: grouped([
                    "expert-compute-share-mixed",
                    "expert-half-columns-mixed",
                    "expert-launch-us-mixed",
                ]),
                unpacked: grouped([
                    "expert-compute-share-unpacked",
                    "expert-half-columns-unpacked",
                    "expert-launch-us-unpacked",
                ]),
            },
            expert_read_columns: share("expert-read-half-columns"),
            attention: share("attention-compute-share"),
            attention_half_tokens: share("attention-half-tokens"),
            latent_half_tokens: share("latent-attention-half-tokens"),
        }
    }
}

impl TrainingShares {
    fn of(catalog: &Catalog<'_>, id: AcceleratorId, accelerator: &Accelerator) -> Self {
        let architecture = catalog.str(accelerator.architecture);
        // Consumer cards of an architecture reach more of their lower peak.
        let of_class = format!("{architecture} {}", catalog.str(accelerator.class));
        let scopes = [catalog.accelerator_id(id), &of_class, architecture];
        let coefficient = |name: &str| {
            catalog
                .coefficient_among(name, &scopes, None)
                .unwrap_or_default()
        };
        // Shares of devices without measured training are scaled by the speed of their matrix products.
        let factor = coefficient("train-unmeasured-factor");
        let share = |name: &str| factor * coefficient(name);
        let narrow = coefficient("matmul-share-8");
        Self {
            eager: share("train-efficiency"),
            dense: ByWidth {
                half: share("train-dense-share-16"),
                eight: share("train-dense-share-8"),
                four: share("train-dense-share-4"),
            },
            sparse: ByWidth {
                half: share("train-expert-share-16"),
                eight: share("train-expert-share-8"),
                four: share("train-expert-share-4"),
            },
            products: ByWidth {
                half: coefficient("matmul-share-16"),
                eight: narrow,
                four: narrow,
            },
        }
    }
}
