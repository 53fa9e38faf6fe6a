//! Whether a model fits on some devices, as the contract tells it.

use serde::Serialize;
use sky_accel_core::catalog::{AcceleratorId, Catalog};
use sky_accel_core::mig::Chip;
use sky_accel_core::sizing::{
    Calibration, Device, Engine, GIB, GivenLayout, Indivisible, Layout, Memory, Run, Speed, Word,
    cache_bytes_per_token, layouts, memory, speed,
};

use super::request::Asked;
use crate::output::Num;

/// Whether a model fits, and why.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FitOut {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub spec: Option<String>,
    pub accelerator: String,
    pub count: u32,
    /// Whether the high end of the band is within what is usable; `null` where the memory of the
    /// device is not known.
    pub fits: Option<bool>,
    pub parallelism: ParallelismOut,
    pub per_device_gib: MemoryOut,
    pub model: ModelOut,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub kv_cache: Option<CacheOut>,
    /// The most that fits, with everything else as it is.
    pub largest: LargestOut,
    pub throughput: SpeedOut,
}

/// How the work is spread.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ParallelismOut {
    pub tensor: u32,
    pub pipeline: u32,
    pub data: u32,
    #[serde(skip_serializing_if = "is_one")]
    pub context: u32,
    #[serde(skip_serializing_if = "is_one")]
    pub expert: u32,
    pub zero_stage: u8,
}

#[allow(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_one(n: &u32) -> bool {
    *n == 1
}

/// GiB on the device that holds most.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MemoryOut {
    pub weights: Num,
    pub kv_cache: Num,
    pub activations: Num,
    pub logits: Num,
    pub gradients: Num,
    pub optimizer: Num,
    pub adapters: Num,
    /// Workspaces, what the allocator holds besides, and what the driver takes.
    pub framework: Num,
    /// What stays after a step: weights, cache, state of the training.
    pub steady: Num,
    /// The peak that the allocator counts as in use.
    pub allocated: Num,
    /// What it holds at the peak.
    pub reserved: Num,
    /// What the driver shows.
    pub device: Num,
    /// The band in which eight of ten measurements were, whichever counter they read.
    pub low: Num,
    pub high: Num,
    pub usable: Option<Num>,
    pub headroom: Option<Num>,
}

/// The model.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelOut {
    pub name: String,
    pub parameters: Num,
    pub active_parameters: Num,
    /// Of all devices together, each weight once.
    pub weights_gib: Num,
    /// Of the files; `null` where they are not known.
    pub checkpoint_gib: Option<Num>,
    pub source: String,
}

/// The KV cache.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CacheOut {
    /// Over all devices, each value once.
    pub bytes_per_token: Num,
    /// That the whole group can hold.
    pub max_tokens: Option<Num>,
    /// Sequences as long as asked for that the whole group can hold.
    pub max_sequences: Option<Num>,
}

/// The most that fits.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LargestOut {
    /// Tokens of context; 0 where nothing fits, `null` where the memory of the device is not known.
    pub context: Option<Num>,
    /// Sequences for each data-parallel rank.
    pub batch: Option<Num>,
}

/// Tokens per second, and what bounds them.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SpeedOut {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prefill_tokens_per_s: Option<Num>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub decode_tokens_per_s: Option<Num>,
    /// Generated tokens over all of the time, reading the prompt included.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub output_tokens_per_s: Option<Num>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_to_first_token_s: Option<Num>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub train_tokens_per_s_per_device: Option<Num>,
    pub bound: Option<&'static str>,
    /// Useful operations as a share of the 16-bit peak.
    pub mfu: Option<Num>,
}

/// Something that fits or not, as the core tells it.
#[derive(Clone, Debug)]
pub struct Fitted {
    pub layout: Layout,
    pub memory: Memory,
    pub low: f64,
    pub high: f64,
    pub usable: Option<f64>,
    pub speed: Speed,
}

impl Fitted {
    pub fn fits(&self) -> Option<bool> {
        self.usable.map(|usable| self.high <= usable)
    }
}

/// A part of a device that is used like a device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Part {
    /// Bytes, where they are known.
    pub memory: Option<f64>,
    /// Shares of the operations and of the bandwidth.
    pub compute: f64,
    pub bandwidth: f64,
}

impl Part {
    /// A MIG slice.
    pub fn slice(chip: &Chip<'_>, kind: usize) -> Self {
        let own = chip.kinds[kind].profile;
        let compute = f64::from(own.compute_slices) / f64::from(chip.compute.max(1));
        let units = chip.units.zip(own.size);
        Self {
            memory: own.memory_mib.map(|mib| f64::from(mib) * GIB / 1024.0),
            compute,
            bandwidth: units.map_or(compute, |(all, own)| f64::from(own) / f64::from(all)),
        }
    }

    /// A fraction, with the memory that its provider reports.
    pub fn fraction(
        catalog: &Catalog<'_>,
        id: AcceleratorId,
        share: f64,
        mib: Option<f64>,
    ) -> Self {
        let whole = Device::of(catalog, id, Engine::None).memory;
        let memory = mib.map(|mib| mib * GIB / 1024.0);
        Self {
            memory: memory.or(whole.map(|whole| whole * share)),
            compute: share,
            bandwidth: share,
        }
    }
}

/// Sizing with one engine on one kind of device.
pub struct Sizer {
    pub known: Calibration,
    pub device: Device,
    low: f64,
    high: f64,
    /// Slices of one device do not reach each other: each has a model of its own.
    is_slice: bool,
}

impl Sizer {
    pub fn new(catalog: &Catalog<'_>, accelerator: AcceleratorId, run: &Run) -> Self {
        let band = |name: &str| {
            let scope = run.workload.word();
            catalog.coefficient(name, scope).unwrap_or(1.0)
        };
        Self {
            known: Calibration::of(catalog, run.workload),
            device: Device::of(catalog, accelerator, run.engine),
            low: band("band-low"),
            high: band("band-high"),
            is_slice: false,
        }
    }

    /// On a part of a device: a slice, or a fraction that is rented.
    #[must_use]
    pub fn part(self, part: &Part) -> Self {
        Self {
            device: self.device.part(part.memory, part.compute, part.bandwidth),
            is_slice: true,
            ..self
        }
    }

    /// What an engine may use of a device.
    fn usable(&self, run: &Run) -> Option<f64> {
        let serves = matches!(
            run.engine,
            Engine::Vllm | Engine::Sglang | Engine::TensorRtLlm
        );
        let memory = self.device.memory?;
        Some(if serves && !run.workload.is_training() {
            memory * run.gpu_memory_utilization
        } else {
            memory
        })
    }

    pub fn fitted(&self, asked: &Asked, run: &Run, layout: &Layout) -> Fitted {
        let shape = &asked.model.shape;
        let memory = memory(shape, run, layout, &self.known);
        let band = asked.model.size_band;
        Fitted {
            layout: *layout,
            low: memory.allocated * self.low * (1.0 - band),
            high: memory.device * self.high * (1.0 + band),
            usable: self.usable(run),
            speed: speed(shape, run, layout, &self.device, &self.known),
            memory,
        }
    }

    /// The layouts that are possible, those to prefer first.
    pub fn layouts(&self, asked: &Asked, devices: u32) -> Result<Vec<Layout>, Indivisible> {
        let given = if self.is_slice {
            GivenLayout {
                tensor: asked.given.tensor.or(Some(1)),
                pipeline: asked.given.pipeline.or(Some(1)),
                ..asked.given
            }
        } else {
            asked.given
        };
        let all = layouts(&asked.model.shape, &asked.run, &given, devices)?;
        let joined = |own: &Layout| own.tensor > 1 || own.pipeline > 1;
        if self.is_slice && all.iter().any(joined) {
            return Err(Indivisible::Devices { needed: 1, devices });
        }
        Ok(all)
    }

    /// The layout to take: of those that fit the fastest in training and the first one in
    /// inference; where none fits, the one that needs least.
    pub fn best(&self, asked: &Asked, devices: u32) -> Result<Fitted, Indivisible> {
        let all = self.layouts(asked, devices)?;
        let mut fastest: Option<Fitted> = None;
        let mut least: Option<Fitted> = None;
        for layout in &all {
            let own = self.fitted(asked, &asked.run, layout);
            if own.fits() == Some(false) {
                if least.as_ref().is_none_or(|least| own.high < least.high) {
                    least = Some(own);
                }
                continue;
            }
            if !asked.run.workload.is_training() {
                return Ok(own);
            }
            if fastest
                .as_ref()
                .is_none_or(|best| own.speed.train > best.speed.train)
            {
                fastest = Some(own);
            }
        }
        fastest.or(least).ok_or(Indivisible::Devices {
            needed: devices,
            devices,
        })
    }

    /// The most sequences that fit, up to a number.
    pub fn largest_batch(&self, asked: &Asked, layout: &Layout, most: f64) -> Option<f64> {
        let run = &asked.run;
        self.largest(asked, layout, most, |batch| Run { batch, ..*run })
    }

    /// The largest whole number that still fits.
    fn largest(
        &self,
        asked: &Asked,
        layout: &Layout,
        most: f64,
        with: impl Fn(f64) -> Run,
    ) -> Option<f64> {
        if most < 1.0 {
            return None;
        }
        let fits = |n: f64| self.fitted(asked, &with(n), layout).fits();
        if fits(1.0)? {
            let (mut low, mut high) = (1.0, most);
            if fits(high)? {
                return Some(high);
            }
            while high - low > 1.0 {
                let middle = f64::midpoint(low, high).floor();
                if fits(middle)? {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            Some(low)
        } else {
            None
        }
    }
}

/// The most that is searched for.
const MOST_TOKENS: f64 = 16_777_216.0;
const MOST_SEQUENCES: f64 = 65_536.0;

fn gib(bytes: f64) -> Num {
    Num((bytes / GIB * 1e4).round() / 1e4)
}

/// Three significant digits: more would be more than is known.
fn rate(value: f64) -> Num {
    if value <= 0.0 || !value.is_finite() {
        return Num(0.0);
    }
    let scale = 10_f64.powf(2.0 - value.log10().floor());
    Num((value * scale).round() / scale)
}

/// Whether a model fits on so many devices.
pub fn fit(
    catalog: &Catalog<'_>,
    accelerator: AcceleratorId,
    count: u32,
    part: Option<&Part>,
    asked: &Asked,
) -> Result<FitOut, Indivisible> {
    let mut sizer = Sizer::new(catalog, accelerator, &asked.run);
    if let Some(part) = part {
        sizer = sizer.part(part);
    }
    let best = sizer.best(asked, count)?;
    Ok(out(catalog, accelerator, count, asked, &sizer, &best))
}

/// As the contract tells it.
pub fn out(
    catalog: &Catalog<'_>,
    accelerator: AcceleratorId,
    count: u32,
    asked: &Asked,
    sizer: &Sizer,
    best: &Fitted,
) -> FitOut {
    let run = &asked.run;
    let shape = &asked.model.shape;
    let parameters = shape.parameters();
    let own = &best.memory;
    let layout = &best.layout;
    let trains = run.workload.is_training();
    let limit = shape.context.map_or(MOST_TOKENS, f64::from);
    let context = sizer.largest(asked, layout, limit - run.generate, |context| Run {
        context,
        ..*run
    });
    let batch = sizer.largest_batch(asked, layout, MOST_SEQUENCES);
    // What is left for the cache, in sequences as long as asked for.
    let sequences = best.usable.filter(|_| !trains).map(|usable| {
        let free = (usable - (own.device - own.kv_cache)).max(0.0);
        free / (own.kv_cache / run.batch).max(1.0) * f64::from(layout.data)
    });
    let kv_cache = (!trains).then(|| CacheOut {
        bytes_per_token: Num(cache_bytes_per_token(shape, run)),
        max_tokens: sequences.map(|n| Num((n * run.sequence()).floor())),
        max_sequences: sequences.map(|n| Num(n.floor())),
    });
    FitOut {
        spec: None,
        accelerator: catalog.accelerator_id(accelerator).to_owned(),
        count,
        fits: best.fits(),
        parallelism: ParallelismOut {
            tensor: layout.tensor,
            pipeline: layout.pipeline,
            data: layout.data,
            context: layout.context,
            expert: layout.expert,
            zero_stage: layout.zero_stage,
        },
        per_device_gib: MemoryOut {
            weights: gib(own.weights),
            kv_cache: gib(own.kv_cache),
            activations: gib(own.activations),
            logits: gib(own.logits),
            gradients: gib(own.gradients),
            optimizer: gib(own.optimizer),
            adapters: gib(own.adapters),
            framework: gib(own.framework),
            steady: gib(own.steady),
            allocated: gib(own.allocated),
            reserved: gib(own.reserved),
            device: gib(own.device),
            low: gib(best.low),
            high: gib(best.high),
            usable: best.usable.map(gib),
            headroom: best.usable.map(|usable| gib(usable - best.high)),
        },
        model: ModelOut {
            name: asked.model.name.clone(),
            parameters: Num(parameters.total()),
            active_parameters: Num(shape.active_parameters()),
            weights_gib: gib(run.weights.bytes(shape).total()),
            checkpoint_gib: asked.model.checkpoint_bytes.map(gib),
            source: asked.model.source.clone(),
        },
        kv_cache,
        largest: LargestOut {
            context: best.usable.map(|_| Num(context.unwrap_or(0.0))),
            batch: best.usable.map(|_| Num(batch.unwrap_or(0.0))),
        },
        throughput: SpeedOut {
            prefill_tokens_per_s: best.speed.prefill.map(rate),
            decode_tokens_per_s: best.speed.decode.map(rate),
            output_tokens_per_s: best.speed.output.map(rate),
            time_to_first_token_s: best.speed.first_token_s.map(rate),
            train_tokens_per_s_per_device: best.speed.train.map(rate),
            bound: best.speed.bound.map(Word::word),
            mfu: best.speed.mfu.map(rate),
        },
    }
}

/// Why an engine does not run on a device, as far as the figures here go.
pub fn unsupported(catalog: &Catalog<'_>, id: AcceleratorId, run: &Run) -> Option<String> {
    let own = catalog.accelerator(id);
    let engine = run.engine.word();
    let sdk = catalog.str(own.sdk);
    let is_known = match run.engine {
        Engine::None => true,
        Engine::TensorRtLlm => sdk == "cuda",
        _ => matches!(sdk, "cuda" | "rocm"),
    };
    if !is_known {
        return Some(format!(
            "{engine} is not computed on {sdk}: --engine none is"
        ));
    }
    if run.workload.is_training() && run.weights.bits < 32.0 && own.bf16_tflops.is_none() {
        return Some("it has no bf16 to train in".to_owned());
    }
    let least = catalog
        .coefficient("min-compute-capability", engine)
        .unwrap_or_default();
    let capability = catalog.str(own.compute_capability);
    let is_old = capability.parse().is_ok_and(|own: f64| own < least);
    (sdk == "cuda" && run.engine != Engine::None && is_old)
        .then(|| format!("{engine} needs compute capability {least:.1}, and it has {capability}"))
}
