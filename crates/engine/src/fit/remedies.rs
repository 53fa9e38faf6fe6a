//! Remedies: the smallest change of each kind that makes a model fit.

use std::fmt::Write as _;

use sky_accel_core::catalog::{AcceleratorClass, Catalog, Computed, Execution, NamedFormat};
use sky_accel_core::sizing::{
    Arrival, CacheFormat, GIB, Offload, Run, ServingEngine, Support, Workload, supports,
    supports_format,
};
use sky_accel_core::text::{counted, grouped, number};

use super::hardware::{MAX_NODES, SHARED_MEMORY, SizedHardware};
use crate::contract::{FitOut, Num, RemedyOut};
use crate::sizing::{
    self, Fitted, LARGEST_MEMORY_SHARE, MemorySettings, ModelRun, Sizer, WeightSource, rate,
};

/// The maximum devices per machine to try if the catalog does not know it.
const DEFAULT_MAX_DEVICES: f64 = 16.0;
/// Form factors of devices that machines have only one of.
const BUILT_IN: [&str; 2] = ["Laptop", "SoC"];
/// The numbers of machines to try.
const MACHINES: [u32; 9] = [2, 3, 4, 6, 8, 12, 16, 32, 64];
/// The minimum useful context, and the step of contexts.
pub(super) const MIN_CONTEXT: f64 = 256.0;
/// The usual formats of weights with 8 and with 4 bits, by engine.
const USUAL_FORMATS: [&str; 3] = ["fp8", "awq", sizing::USUAL_GGUF];
/// The formats that pipelines of media models quantize weights to at load time (bitsandbytes and torchao in diffusers).
const MEDIA_FORMATS: [&str; 3] = ["fp8", "int8", "nf4"];
/// The bits of a format that is worth the change, relative to the bits of the work.
const FEWER_BITS: f64 = 0.9;
/// The share of the usable memory above which a change does not help: it would often fail.
const FULL: f64 = 0.985;
/// The share of the usable memory that a change may take: programs vary, and other programs take memory too.
const ROOMY: f64 = 0.95;

sky_accel_core::words! {
    /// The kind of change that makes a model fit.
    pub enum RemedyKind {
        /// The format of the weights.
        Precision = "precision",
        /// The format of the KV cache.
        KvPrecision = "kv-precision",
        /// The length of the prompt, or of a training sequence.
        Context = "context",
        /// The share of the memory that the serving engine may take.
        GpuMemoryUtilization = "gpu-memory-utilization",
        /// The maximum number of sequences at once, for which the serving engine sets memory aside.
        MaxSequences = "max-num-seqs",
        /// The share of the memory of the serving engine, and the sequences and tokens of a pass.
        Settings = "memory-settings",
        /// The number of devices.
        Devices = "devices",
        /// The number of machines.
        Nodes = "nodes",
        /// The memory of a host without accelerators.
        HostMemory = "host-memory",
        /// The number of layers that the devices compute.
        GpuLayers = "gpu-layers",
        /// The number of layers whose experts the host computes.
        CpuExperts = "n-cpu-moe",
        /// The training state in host memory.
        Offload = "offload",
        /// The kind of training.
        Workload = "workload",
        /// The engine, where it does not run the work on the device.
        Engine = "engine",
    }
}

/// Work that does not fit on some hardware.
pub(super) struct Unfit<'m, 'c> {
    pub engine: &'m crate::Engine<'c>,
    pub catalog: &'m Catalog<'c>,
    pub hardware: &'m SizedHardware,
    pub machines: u32,
    pub work: &'m ModelRun,
}

/// A change, as a phrase and as flags.
pub(super) struct Remedy {
    pub kind: RemedyKind,
    pub lead: String,
    pub flags: String,
}

/// True if the high end leaves some of the usable memory free.
pub(super) fn is_roomy(fitted: &Fitted) -> bool {
    fitted
        .usable
        .is_none_or(|usable| fitted.high <= usable * ROOMY)
}

/// The first of several changes that leaves memory to spare, or else the first that fits at all.
pub(super) fn first<T>(changes: impl Iterator<Item = (T, Fitted)>) -> Option<(T, Fitted)> {
    let mut tight = None;
    for (change, fitted) in changes {
        if is_roomy(&fitted) {
            return Some((change, fitted));
        }
        tight = tight.or(Some((change, fitted)));
    }
    tight
}

/// A change with its effect on machines with `per_machine` devices.
pub(super) fn remedy_out(
    change: Remedy,
    work: &ModelRun,
    fitted: &Fitted,
    per_machine: u32,
) -> RemedyOut {
    let devices = fitted.layout.devices();
    let trains = work.run.workload.is_training();
    let speed = &fitted.speed;
    let tokens_per_s = if trains {
        speed.train.map(|each| each * f64::from(devices))
    } else {
        let served = fitted.served.map(|served| served.output);
        served.or(speed.decode)
    };
    let usable = fitted.usable.unwrap_or_default();
    let host = fitted.memory.host * f64::from(devices.min(per_machine.max(1)));
    let per_device = if devices > 1 { " on each device" } else { "" };
    let mut message = format!(
        "{}: up to {:.1} GiB{per_device} of {:.1}",
        change.lead,
        fitted.high / GIB,
        usable / GIB
    );
    if host > 0.0 {
        let gib = (host / GIB).ceil();
        let _ = write!(message, ", {gib:.0} GiB of host memory");
    }
    if let Some(tokens_per_s) = tokens_per_s {
        let rate = grouped(rate(tokens_per_s).0);
        let verb = if trains { "trains on" } else { "generates" };
        let _ = write!(message, ", {verb} about {rate} tokens/s");
    }
    if !is_roomy(fitted) {
        message.push_str("; little memory to spare");
    }
    let gib = |bytes: f64| Num((bytes / GIB * 1e4).round() / 1e4);
    RemedyOut {
        change: change.kind,
        flags: change.flags,
        high_gib: gib(fitted.high),
        usable_gib: gib(usable),
        host_gib: (host > 0.0).then(|| gib(host)),
        tokens_per_s: tokens_per_s.map(rate),
        message,
    }
}

impl Unfit<'_, '_> {
    /// The smallest change of each kind that makes the model fit.
    pub fn remedies(&self, result: &FitOut) -> Vec<RemedyOut> {
        let mut remedies = self.precisions();
        remedies.extend(self.on_consumer_card());
        remedies.extend(self.kv_precision());
        let alone = [self.utilization(), self.max_sequences()];
        let are_roomy = |remedy: &RemedyOut| remedy.high_gib.0 <= remedy.usable_gib.0 * ROOMY;
        let is_enough = alone.iter().flatten().any(are_roomy);
        remedies.extend(alone.into_iter().flatten());
        remedies.extend(if is_enough { None } else { self.settings() });
        remedies.extend(self.context(result));
        let on_host = self.on_host(self.work);
        // Few personal computers have room for a second card.
        if self.is_consumer() {
            remedies.extend(on_host);
            remedies.extend(self.devices());
        } else {
            remedies.extend(self.devices());
            remedies.extend(on_host);
        }
        remedies.extend(self.offload());
        remedies.extend(self.qlora());
        remedies
    }

    /// True for cards for personal computers, where llama.cpp is the usual engine.
    fn is_consumer(&self) -> bool {
        let accelerator = self.catalog.accelerator(self.hardware.accelerator);
        self.catalog.class(&accelerator) == Some(AcceleratorClass::Consumer)
    }

    fn sizer(&self, work: &ModelRun, count: u32, machines: u32) -> Sizer {
        let sizer = Sizer::new(self.catalog, self.hardware.accelerator, work);
        let sizer = sizer.machines(machines, count);
        match &self.hardware.part {
            Some(part) => sizer.part(part),
            None => sizer,
        }
    }

    /// Sizes some work; `None` if it does not fit, or the answer is no longer needed.
    fn fitted(&self, work: &ModelRun, count: u32, machines: u32) -> Option<Fitted> {
        self.engine.go_on().ok()?;
        let sizer = self.sizer(work, count, machines);
        let fitted = sizer.best(work, count.saturating_mul(machines)).ok()?;
        let stages = fitted.layout.pipeline.div_ceil(machines);
        // Servers support only powers of two as numbers of pipeline stages.
        let is_usual = stages.is_power_of_two() || !work.run.engine.serves();
        let is_full = fitted
            .usable
            .is_some_and(|usable| fitted.high > usable * FULL);
        (fitted.fits() == Some(true) && is_usual && !is_full).then_some(fitted)
    }

    pub(super) fn here(&self, work: &ModelRun) -> Option<Fitted> {
        self.fitted(work, self.hardware.count, self.machines)
    }

    /// The largest number from `low` to `high` that lets some work fit, with memory to spare if any number leaves it. A
    /// greater number must take more memory.
    fn most(
        &self,
        low: u32,
        high: u32,
        with: impl Fn(u32) -> ModelRun,
    ) -> Option<(u32, ModelRun, Fitted)> {
        let at = |n: u32| {
            let work = with(n);
            let fitted = self.here(&work)?;
            Some((n, work, fitted))
        };
        let least = at(low)?;
        let roomy = is_roomy(&least.2);
        let (mut best, mut too_many) = (least, high + 1);
        while too_many - best.0 > 1 {
            let middle = u32::midpoint(best.0, too_many);
            match at(middle).filter(|(_, _, fitted)| !roomy || is_roomy(fitted)) {
                Some(found) => best = found,
                None => too_many = middle,
            }
        }
        Some(best)
    }

    pub(super) fn out(&self, change: Remedy, work: &ModelRun, fitted: &Fitted) -> RemedyOut {
        remedy_out(change, work, fitted, self.hardware.count)
    }

    /// The largest smaller weight format that the engine runs on the device, and the usual ones below it.
    fn precisions(&self) -> Vec<RemedyOut> {
        if self.work.run.workload.is_training() {
            return Vec::new();
        }
        let smaller = self.smaller(self.work, self.work.run.weights.bits * FEWER_BITS);
        let remedies = smaller.iter().map(|(work, fitted)| {
            let accelerator = Some(self.hardware.accelerator);
            let files = match sizing::weight_source(self.catalog, work, accelerator) {
                Some(WeightSource::Checkpoint(id)) => format!(" ({id})"),
                _ => String::new(),
            };
            let change = Remedy {
                kind: RemedyKind::Precision,
                lead: format!("in {}{files}", work.precision),
                flags: format!("--precision {}", work.precision),
            };
            self.out(change, work, fitted)
        });
        remedies.collect()
    }

    /// On a consumer card: formats of llama.cpp that fit and, if they have fewer bits than the usual format, the usual
    /// format with a part of the model on the host.
    fn on_consumer_card(&self) -> Vec<RemedyOut> {
        let run = &self.work.run;
        let is_media = self.work.model.media.is_some();
        let is_other_work = run.engine == ServingEngine::LlamaCpp || run.workload.is_training();
        let (catalog, accelerator) = (self.catalog, self.hardware.accelerator);
        let runs = sizing::runs_on(catalog, accelerator, ServingEngine::LlamaCpp, None);
        if !self.is_consumer() || is_media || is_other_work || !runs {
            return Vec::new();
        }
        let mut work = self
            .work
            .with_open_engine(catalog, accelerator, ServingEngine::LlamaCpp);
        work.run.load = None;
        let mut usual = work.with_precision(catalog, sizing::USUAL_GGUF);
        // Files of llama.cpp with as few bits need no conversion.
        let usual_bits = usual.as_ref().map(|usual| usual.run.weights.bits);
        let row = catalog.weight_format(&work.precision);
        let is_gguf =
            row.is_some_and(|row| catalog.engine_of(&row) == Some(ServingEngine::LlamaCpp));
        if is_gguf && usual_bits.is_none_or(|bits| work.run.weights.bits <= bits) {
            usual = Some(work.clone());
        }
        let smaller = self.smaller(&work, work.run.weights.bits.min(16.0));
        let is_narrow = smaller.first().is_none_or(|(best, fitted)| {
            let usual = usual.as_ref().map(|usual| usual.run.weights.bits);
            usual.is_some_and(|bits| best.run.weights.bits < bits) || !is_roomy(fitted)
        });
        let on_host = usual
            .filter(|_| is_narrow)
            .and_then(|usual| self.on_host(&usual));
        let formats = smaller.iter().map(|(work, fitted)| {
            let change = Remedy {
                kind: RemedyKind::Precision,
                lead: format!("in {} with {}", work.precision, work.run.engine),
                flags: self.changed(work),
            };
            self.out(change, work, fitted)
        });
        let formats: Vec<RemedyOut> = formats.collect();
        // Experts on the host keep the quality of the usual format, at a speed that people accept.
        on_host.into_iter().chain(formats).collect()
    }

    /// The flags of the engine and the format, where they differ from those of the work.
    pub(super) fn changed(&self, work: &ModelRun) -> String {
        let mut flags = Vec::new();
        if work.run.engine != self.work.run.engine {
            flags.push(format!("--engine {}", work.run.engine));
        }
        if work.precision != self.work.precision {
            flags.push(format!("--precision {}", work.precision));
        }
        flags.join(" ")
    }

    /// The work in common formats with fewer bits than `bits`: the largest that fits, and the usual ones below it.
    pub(super) fn smaller(&self, work: &ModelRun, bits: f64) -> Vec<(ModelRun, Fitted)> {
        let catalog = self.catalog;
        let engine = work.run.engine;
        let mut formats: Vec<(NamedFormat, bool)> = catalog
            .weight_formats
            .iter()
            .filter(|row| {
                let is_usual = match work.model.media {
                    Some(_) => MEDIA_FORMATS.contains(&catalog.str(row.name)),
                    None => row.is_common,
                };
                is_usual && row.format.bits < bits
            })
            .filter(|row| {
                let made_for = catalog.engine_of(row);
                made_for == (engine == ServingEngine::LlamaCpp).then_some(engine)
            })
            .filter_map(|row| Some((row, self.runs(work, &row)?)))
            .collect();
        formats.sort_by(|(a, a_native), (b, b_native)| {
            let by_bits = b.format.bits.total_cmp(&a.format.bits);
            by_bits.then(b_native.cmp(a_native))
        });
        let sized = |row: &NamedFormat| {
            let work = work.with_precision(catalog, catalog.str(row.name))?;
            let fitted = self.here(&work)?;
            Some((work, fitted))
        };
        let all = formats.iter().filter_map(|(row, _)| sized(row));
        let Some(largest) = first(all) else {
            return Vec::new();
        };
        let below = largest.0.run.weights.bits;
        let usual = formats
            .iter()
            .filter(|(row, _)| USUAL_FORMATS.contains(&catalog.str(row.name)))
            .filter_map(|(row, _)| sized(row))
            .filter(|(work, _)| work.run.weights.bits < below);
        let usual: Vec<_> = usual.collect();
        std::iter::once(largest).chain(usual).collect()
    }

    /// Whether the engine computes in a format on the device without unpacking; `None` if it does not run the format.
    fn runs(&self, work: &ModelRun, row: &NamedFormat) -> Option<bool> {
        let (catalog, id) = (self.catalog, self.hardware.accelerator);
        let lacks = supports_format(catalog, id, row) == Support::No;
        let work = work.with_precision(catalog, catalog.str(row.name))?;
        match sizing::execution(catalog, id, &work) {
            // Formats of 4 bits for units that a device lacks are no smaller than those made for unpacking.
            Execution::Runs(Computed::Unpacked) if lacks && row.format.bits < 8.0 => None,
            Execution::Runs(how) => Some(how == Computed::Native),
            Execution::Unknown if !work.run.engine.serves() && !lacks => Some(false),
            Execution::Unknown | Execution::Refused(_) => None,
        }
    }

    fn with(&self, run: &Run) -> ModelRun {
        ModelRun {
            run: *run,
            ..self.work.clone()
        }
    }

    /// An 8-bit KV cache, on devices that support fp8.
    fn kv_precision(&self) -> Option<RemedyOut> {
        let run = self.work.run;
        let is_possible = matches!(run.engine, ServingEngine::Vllm | ServingEngine::Sglang)
            && run.cache == CacheFormat::Bf16
            && !run.workload.is_training()
            && supports(self.catalog, self.hardware.accelerator, "fp8") == Support::Yes;
        if !is_possible {
            return None;
        }
        let work = self.with(&Run {
            cache: CacheFormat::Fp8,
            ..run
        });
        let fitted = self.here(&work)?;
        let change = Remedy {
            kind: RemedyKind::KvPrecision,
            lead: "with the KV cache in fp8".to_owned(),
            flags: "--kv-precision fp8".to_owned(),
        };
        Some(self.out(change, &work, &fitted))
    }

    /// The largest share of the memory with which a serving engine still starts reliably.
    fn utilization(&self) -> Option<RemedyOut> {
        let run = self.work.run;
        let serves = run.engine.serves() && !run.workload.is_training();
        if !serves || run.gpu_memory_utilization >= LARGEST_MEMORY_SHARE {
            return None;
        }
        let work = self.with(&Run {
            gpu_memory_utilization: LARGEST_MEMORY_SHARE,
            ..run
        });
        let fitted = self.here(&work)?;
        let change = Remedy {
            kind: RemedyKind::GpuMemoryUtilization,
            lead: format!(
                "with {}% of the memory for {}",
                LARGEST_MEMORY_SHARE * 100.0,
                run.engine
            ),
            flags: format!("--gpu-memory-utilization {LARGEST_MEMORY_SHARE}"),
        };
        Some(self.out(change, &work, &fitted))
    }

    /// No more sequences at once than the load has.
    fn max_sequences(&self) -> Option<RemedyOut> {
        let run = self.work.run;
        let serves = run.engine.serves() && !run.workload.is_training();
        let Some(Arrival::Users(users)) = run.load.map(|load| load.arrival) else {
            return None;
        };
        let most = users.ceil().max(1.0);
        if !serves || run.max_sequences.is_some_and(|given| given <= most) {
            return None;
        }
        let work = self.with(&Run {
            max_sequences: Some(most),
            ..run
        });
        let fitted = self.here(&work)?;
        let change = Remedy {
            kind: RemedyKind::MaxSequences,
            lead: format!(
                "with memory for {} at once",
                counted(number(most), "sequence")
            ),
            flags: format!("--max-num-seqs {}", number(most)),
        };
        Some(self.out(change, &work, &fitted))
    }

    /// The settings of the serving engine that leave the most memory to the model.
    fn settings(&self) -> Option<RemedyOut> {
        let settings = MemorySettings::of(self.work, self.work.run.load)?;
        let work = settings.apply(self.work);
        let fitted = self.here(&work)?;
        let change = Remedy {
            kind: RemedyKind::Settings,
            lead: format!("with {}", settings.words()),
            flags: settings.flags(),
        };
        Some(self.out(change, &work, &fitted))
    }

    /// The longest context that fits.
    fn context(&self, result: &FitOut) -> Option<RemedyOut> {
        let run = self.work.run;
        let largest = result.largest.context?.0;
        if largest < MIN_CONTEXT || largest >= run.text_tokens() {
            return None;
        }
        let steps = (largest / MIN_CONTEXT) as u32;
        let (steps, work, fitted) = self.most(1, steps, |steps| {
            let context = f64::from(steps) * MIN_CONTEXT;
            self.with(&run.with_text(context))
        })?;
        let context = f64::from(steps) * MIN_CONTEXT;
        let noun = if run.workload.is_training() {
            "sequences"
        } else {
            "prompts"
        };
        let change = Remedy {
            kind: RemedyKind::Context,
            lead: format!("with {noun} of {} tokens", grouped(context)),
            flags: format!("--context {}", number(context)),
        };
        Some(self.out(change, &work, &fitted))
    }

    /// The minimum number of devices or machines.
    fn devices(&self) -> Option<RemedyOut> {
        if self.hardware.part.is_some() {
            return None;
        }
        let count = self.hardware.count;
        let accelerator = self.catalog.accelerator(self.hardware.accelerator);
        let form_factor = self.catalog.str(accelerator.form_factor);
        if BUILT_IN.contains(&form_factor) {
            return None;
        }
        let name = self.catalog.accelerator_id(self.hardware.accelerator);
        if self.machines == 1 {
            let max = accelerator.max_per_node.unwrap_or(DEFAULT_MAX_DEVICES) as u32;
            // Rented machines with other numbers of devices are rare, but computers at home have any.
            let is_any = self.work.run.engine == ServingEngine::LlamaCpp;
            let more = (count + 1..=max)
                .filter(|n| is_any || n.is_power_of_two() || *n == max)
                .filter_map(|count| Some((count, self.fitted(self.work, count, 1)?)));
            if let Some((count, fitted)) = first(more) {
                let change = Remedy {
                    kind: RemedyKind::Devices,
                    lead: format!("on {count} × {name}"),
                    flags: format!("{name}:x{count}"),
                };
                return Some(self.out(change, self.work, &fitted));
            }
        }
        // Consumer cards are not clustered over networks.
        let machines: &[u32] = if self.is_consumer() { &[] } else { &MACHINES };
        let more = machines
            .iter()
            .copied()
            .filter(|n| *n > self.machines && *n <= MAX_NODES);
        let more = more.filter_map(|n| Some((n, self.fitted(self.work, count, n)?)));
        let (machines, fitted) = first(more)?;
        let change = Remedy {
            kind: RemedyKind::Nodes,
            lead: format!("on {machines} machines with {count} × {name}"),
            flags: format!("--nodes {machines}"),
        };
        Some(self.out(change, self.work, &fitted))
    }

    /// A part of the model on the host, with llama.cpp: experts of as few layers as possible, or else whole layers.
    fn on_host(&self, work: &ModelRun) -> Option<RemedyOut> {
        let run = &work.run;
        let accelerator = self.catalog.accelerator(self.hardware.accelerator);
        // A system on a chip shares its memory with the processors.
        let is_shared = self.catalog.str(accelerator.form_factor) == SHARED_MEMORY;
        if run.engine != ServingEngine::LlamaCpp || run.uses_host() || is_shared {
            return None;
        }
        self.experts(work).or_else(|| self.layers(work))
    }

    /// The minimum number of layers whose experts are on the host.
    fn experts(&self, work: &ModelRun) -> Option<RemedyOut> {
        work.model.shape.experts?;
        let layers = work.model.shape.layers;
        let (kept, work, fitted) = self.most(0, layers, |kept| ModelRun {
            run: Run {
                cpu_expert_layers: Some(layers - kept),
                ..work.run
            },
            ..work.clone()
        })?;
        let n = layers - kept;
        let lead = format!("with the experts of {n} of {layers} layers on the host");
        Some(self.divided(
            RemedyKind::CpuExperts,
            &lead,
            &format!("--n-cpu-moe {n}"),
            &work,
            &fitted,
        ))
    }

    /// The maximum number of layers that llama.cpp can compute on the devices, with the others on the host.
    fn layers(&self, work: &ModelRun) -> Option<RemedyOut> {
        let layers = work.model.shape.layers;
        let (n, work, fitted) = self.most(0, layers, |n| ModelRun {
            run: Run {
                gpu_layers: Some(n),
                ..work.run
            },
            ..work.clone()
        })?;
        let whole = ModelRun {
            run: Run {
                gpu_layers: None,
                ..work.run
            },
            ..work.clone()
        };
        if n == layers
            && let Some(fitted) = self.here(&whole)
        {
            let change = Remedy {
                kind: RemedyKind::Precision,
                lead: format!("in {} with {}", whole.precision, whole.run.engine),
                flags: self.changed(&whole),
            };
            return (!change.flags.is_empty()).then(|| self.out(change, &whole, &fitted));
        }
        let lead = format!("with {n} of {layers} layers on the GPU, the others on the host");
        Some(self.divided(
            RemedyKind::GpuLayers,
            &lead,
            &format!("--gpu-layers {n}"),
            &work,
            &fitted,
        ))
    }

    /// A division of the model between the devices and the host, as a remedy.
    fn divided(
        &self,
        kind: RemedyKind,
        lead: &str,
        flags: &str,
        work: &ModelRun,
        fitted: &Fitted,
    ) -> RemedyOut {
        let changed = self.changed(work);
        let (lead, flags) = if changed.is_empty() {
            (lead.to_owned(), flags.to_owned())
        } else {
            let (engine, precision) = (work.run.engine, &work.precision);
            (
                format!("in {precision} with {engine}, {lead}"),
                format!("{changed} {flags}"),
            )
        };
        self.out(Remedy { kind, lead, flags }, work, fitted)
    }

    /// Training with state in host memory.
    fn offload(&self) -> Option<RemedyOut> {
        let run = self.work.run;
        if !run.workload.is_training() || run.rollouts.is_some() {
            return None;
        }
        let more = [Offload::Optimizer, Offload::All];
        let more = more.into_iter().filter(|offload| *offload != run.offload);
        more.into_iter().find_map(|offload| {
            let work = self.with(&Run { offload, ..run });
            let fitted = self.here(&work)?;
            let flag = offload.word();
            let state = match offload {
                Offload::All => "weights and optimizer",
                Offload::Optimizer | Offload::None => "the optimizer",
            };
            let change = Remedy {
                kind: RemedyKind::Offload,
                lead: format!("with {state} in host memory"),
                flags: format!("--offload {flag}"),
            };
            Some(self.out(change, &work, &fitted))
        })
    }

    /// QLoRA instead of LoRA.
    fn qlora(&self) -> Option<RemedyOut> {
        if self.work.run.workload != Workload::Lora {
            return None;
        }
        let mut work = self.work.with_precision(self.catalog, sizing::QLORA)?;
        work.run.workload = Workload::Qlora;
        let fitted = self.here(&work)?;
        let change = Remedy {
            kind: RemedyKind::Workload,
            lead: format!("as {}, with weights in {}", Workload::Qlora, sizing::QLORA),
            flags: format!("--workload {}", Workload::Qlora),
        };
        Some(self.out(change, &work, &fitted))
    }
}

#[cfg(test)]
mod tests;
