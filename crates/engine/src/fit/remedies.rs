//! Changes with which a model would fit, each computed.

use std::fmt::Write as _;

use sky_accel_core::catalog::{Catalog, Computed, Execution, NamedFormat};
use sky_accel_core::sizing::{CacheFormat, Engine, GIB, Offload, Run, Support, Workload, supports};
use sky_accel_core::text::number;

use super::{Hardware, MAX_NODES};
use crate::contract::{FitOut, Num, RemedyOut};
use crate::sizing::{self, Fitted, ModelRun, Sizer, rate};

/// Cards for people's own computers, on which llama.cpp is the usual engine.
const CONSUMER: &str = "consumer";
/// The most devices of one machine that are tried where it is not known how many machines have.
const MOST_DEVICES: f64 = 16.0;
/// Forms of devices of which a machine has one.
const BUILT_IN: [&str; 2] = ["Laptop", "SoC"];
/// The numbers of machines that are tried.
const MACHINES: [u32; 9] = [2, 3, 4, 6, 8, 12, 16, 32, 64];
/// A context that is shorter is of no use.
const LEAST_CONTEXT: f64 = 256.0;

sky_accel_core::words! {
    /// What is changed so that a model fits.
    pub enum RemedyKind {
        /// The format of the weights.
        Precision = "precision",
        /// The format of the KV cache.
        KvPrecision = "kv-precision",
        /// The length of the prompt, or of a training sequence.
        Context = "context",
        /// The number of devices.
        Devices = "devices",
        /// The number of machines.
        Nodes = "nodes",
        /// The layers that the devices compute.
        GpuLayers = "gpu-layers",
        /// Training state that goes to the host.
        Offload = "offload",
        /// The kind of training.
        Workload = "workload",
    }
}

/// The hardware, and the work that does not fit on it.
pub(super) struct Misfit<'m, 'c> {
    pub catalog: &'m Catalog<'c>,
    pub hardware: &'m Hardware,
    pub machines: u32,
    pub work: &'m ModelRun,
}

/// A change, in words and as flags.
struct Change {
    kind: RemedyKind,
    lead: String,
    flags: String,
}

impl Misfit<'_, '_> {
    /// The least change of each kind with which the model fits.
    pub fn remedies(&self, result: &FitOut) -> Vec<RemedyOut> {
        let [format, layers] = self.at_home();
        let found = [
            self.precision(),
            format,
            layers,
            self.kv_precision(),
            self.context(result),
            self.devices(),
            self.layers(self.work),
            self.offload(),
            self.qlora(),
        ];
        found.into_iter().flatten().collect()
    }

    fn is_consumer(&self) -> bool {
        let accelerator = self.catalog.accelerator(self.hardware.accelerator);
        self.catalog.str(accelerator.class) == CONSUMER
    }

    fn sizer(&self, work: &ModelRun, count: u32, machines: u32) -> Sizer {
        let sizer = Sizer::new(self.catalog, self.hardware.accelerator, work);
        let sizer = sizer.machines(machines, count);
        match &self.hardware.part {
            Some(part) => sizer.part(part),
            None => sizer,
        }
    }

    /// The fit of some work, if it fits and the engine runs it.
    fn fitted(&self, work: &ModelRun, count: u32, machines: u32) -> Option<Fitted> {
        let sizer = self.sizer(work, count, machines);
        let fitted = sizer.best(work, count.saturating_mul(machines)).ok()?;
        let stages = fitted.layout.pipeline.div_ceil(machines);
        // Servers cut layers into 2, 4 or 8 stages.
        let is_usual = stages.is_power_of_two() || !work.run.engine.serves();
        (fitted.fits() == Some(true) && is_usual).then_some(fitted)
    }

    fn here(&self, work: &ModelRun) -> Option<Fitted> {
        self.fitted(work, self.hardware.count, self.machines)
    }

    fn out(&self, change: Change, work: &ModelRun, fitted: &Fitted) -> RemedyOut {
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
        let host = fitted.memory.host * f64::from(devices.min(self.hardware.count.max(1)));
        let each = if devices > 1 { " on each device" } else { "" };
        let mut message = format!(
            "{}: up to {:.1} GiB{each} of {:.1}",
            change.lead,
            fitted.high / GIB,
            usable / GIB
        );
        if host > 0.0 {
            let gib = (host / GIB).ceil();
            let _ = write!(message, ", {gib:.0} GiB of host memory");
        }
        if let Some(tokens_per_s) = tokens_per_s {
            let rate = number(rate(tokens_per_s).0);
            let verb = if trains { "trains on" } else { "generates" };
            let _ = write!(message, ", {verb} about {rate} tokens/s");
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

    /// The next smaller format of weights that the engine runs here.
    fn precision(&self) -> Option<RemedyOut> {
        if self.work.run.workload.is_training() {
            return None;
        }
        let engine = self.work.run.engine;
        let (work, fitted) = self.smaller(self.work, engine, self.work.run.weights.bits)?;
        let change = Change {
            kind: RemedyKind::Precision,
            lead: format!("in {}", work.precision),
            flags: format!("--precision {}", work.precision),
        };
        Some(self.out(change, &work, &fitted))
    }

    /// On a card of somebody's own computer: the best format that llama.cpp runs there, and where that is narrow, the
    /// usual one with layers on the host.
    fn at_home(&self) -> [Option<RemedyOut>; 2] {
        let run = &self.work.run;
        let is_media = self.work.model.media.is_some();
        let is_elsewhere = run.engine == Engine::LlamaCpp || run.workload.is_training();
        if !self.is_consumer() || is_media || is_elsewhere {
            return [None, None];
        }
        let mut work = self.work.with_engine(self.catalog, Engine::LlamaCpp);
        work.run.load = None;
        if sizing::unsupported(self.catalog, self.hardware.accelerator, &work).is_some() {
            return [None, None];
        }
        let usual = work.with_precision(self.catalog, sizing::USUAL_GGUF);
        let best = self.smaller(&work, Engine::LlamaCpp, 16.0);
        let is_narrow = best
            .as_ref()
            .zip(usual.as_ref())
            .is_none_or(|((best, _), usual)| best.run.weights.bits < usual.run.weights.bits);
        let layers = usual
            .filter(|_| is_narrow)
            .and_then(|usual| self.layers(&usual));
        let format = best.map(|(work, fitted)| {
            let (engine, precision) = (work.run.engine, &work.precision);
            let change = Change {
                kind: RemedyKind::Precision,
                lead: format!("in {precision} with {engine}"),
                flags: format!("--engine {engine} --precision {precision}"),
            };
            self.out(change, &work, &fitted)
        });
        [format, layers]
    }

    /// The work in the widest common format of an engine below so many bits that fits.
    fn smaller(&self, work: &ModelRun, engine: Engine, bits: f64) -> Option<(ModelRun, Fitted)> {
        let catalog = self.catalog;
        let mut formats: Vec<(NamedFormat, bool)> = catalog
            .weight_formats
            .iter()
            .filter(|row| row.is_common && row.format.bits < bits)
            .filter(|row| {
                let made_for = catalog.engine_of(row);
                made_for == (engine == Engine::LlamaCpp).then_some(engine)
            })
            .filter_map(|row| {
                let work = work.with_precision(catalog, catalog.str(row.name))?;
                match sizing::execution(catalog, self.hardware.accelerator, &work) {
                    Execution::Runs(how) => Some((row, how == Computed::Native)),
                    Execution::Unknown if !engine.serves() => Some((row, false)),
                    Execution::Unknown | Execution::Refused(_) => None,
                }
            })
            .collect();
        formats.sort_by(|(a, a_native), (b, b_native)| {
            let by_bits = b.format.bits.total_cmp(&a.format.bits);
            by_bits.then(b_native.cmp(a_native))
        });
        formats.iter().find_map(|(row, _)| {
            let work = work.with_precision(catalog, catalog.str(row.name))?;
            let fitted = self.here(&work)?;
            Some((work, fitted))
        })
    }

    fn with(&self, run: &Run) -> ModelRun {
        ModelRun {
            run: *run,
            ..self.work.clone()
        }
    }

    /// A KV cache of 8 bits, on devices that compute with them.
    fn kv_precision(&self) -> Option<RemedyOut> {
        let run = self.work.run;
        let is_possible = matches!(run.engine, Engine::Vllm | Engine::Sglang)
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
        let change = Change {
            kind: RemedyKind::KvPrecision,
            lead: "with the KV cache in fp8".to_owned(),
            flags: "--kv-precision fp8".to_owned(),
        };
        Some(self.out(change, &work, &fitted))
    }

    /// The longest context that fits.
    fn context(&self, result: &FitOut) -> Option<RemedyOut> {
        let run = self.work.run;
        let context = result.largest.context?.0;
        if context < LEAST_CONTEXT || context >= run.context {
            return None;
        }
        let work = self.with(&Run { context, ..run });
        let fitted = self.here(&work)?;
        let what = if run.workload.is_training() {
            "sequences"
        } else {
            "prompts"
        };
        let change = Change {
            kind: RemedyKind::Context,
            lead: format!("with {what} of {} tokens", number(context)),
            flags: format!("--context {}", number(context)),
        };
        Some(self.out(change, &work, &fitted))
    }

    /// The fewest devices, or machines of such devices.
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
            let most = accelerator.max_per_node.unwrap_or(MOST_DEVICES) as u32;
            // Machines with other numbers of devices are rare.
            let more = (count + 1..=most)
                .filter(|n| n.is_power_of_two() || *n == most)
                .find_map(|count| Some((count, self.fitted(self.work, count, 1)?)));
            if let Some((count, fitted)) = more {
                let change = Change {
                    kind: RemedyKind::Devices,
                    lead: format!("on {count} × {name}"),
                    flags: format!("{name}:x{count}"),
                };
                return Some(self.out(change, self.work, &fitted));
            }
        }
        // Cards of people's own computers are not joined over networks.
        let machines: &[u32] = if self.is_consumer() { &[] } else { &MACHINES };
        let more = machines
            .iter()
            .copied()
            .filter(|n| *n > self.machines && *n <= MAX_NODES);
        let (machines, fitted) = more
            .into_iter()
            .find_map(|n| Some((n, self.fitted(self.work, count, n)?)))?;
        let change = Change {
            kind: RemedyKind::Nodes,
            lead: format!("on {machines} machines with {count} × {name}"),
            flags: format!("--nodes {machines}"),
        };
        Some(self.out(change, self.work, &fitted))
    }

    /// The most layers that llama.cpp computes on the devices, with the others on the host.
    fn layers(&self, work: &ModelRun) -> Option<RemedyOut> {
        let run = work.run;
        if run.engine != Engine::LlamaCpp || run.gpu_layers.is_some() {
            return None;
        }
        let layers = work.model.shape.layers;
        let with = |n: u32| {
            let work = ModelRun {
                run: Run {
                    gpu_layers: Some(n),
                    ..run
                },
                ..work.clone()
            };
            self.here(&work).map(|fitted| (n, work, fitted))
        };
        // More layers on the devices never take less of them.
        let (mut most, mut beyond) = (with(0)?, layers + 1);
        while beyond - most.0 > 1 {
            let middle = u32::midpoint(most.0, beyond);
            match with(middle) {
                Some(found) => most = found,
                None => beyond = middle,
            }
        }
        let (n, work, fitted) = most;
        let lead = format!("with {n} of {layers} layers on the GPU, the others on the host");
        let (lead, format) = if self.work.precision == work.precision {
            (lead, String::new())
        } else {
            let (engine, precision) = (work.run.engine, &work.precision);
            let flags = format!("--engine {engine} --precision {precision} ");
            (format!("in {precision} with {engine}, {lead}"), flags)
        };
        let change = Change {
            kind: RemedyKind::GpuLayers,
            lead,
            flags: format!("{format}--gpu-layers {n}"),
        };
        Some(self.out(change, &work, &fitted))
    }

    /// Training with its state on the host.
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
            let change = Change {
                kind: RemedyKind::Offload,
                lead: format!("with {state} on the host"),
                flags: format!("--offload {flag}"),
            };
            Some(self.out(change, &work, &fitted))
        })
    }

    /// Adapters on weights in four bits, where they are trained on 16.
    fn qlora(&self) -> Option<RemedyOut> {
        if self.work.run.workload != Workload::Lora {
            return None;
        }
        let mut work = self.work.with_precision(self.catalog, sizing::QLORA)?;
        work.run.workload = Workload::Qlora;
        let fitted = self.here(&work)?;
        let change = Change {
            kind: RemedyKind::Workload,
            lead: format!("as {}, with weights in {}", Workload::Qlora, sizing::QLORA),
            flags: format!("--workload {}", Workload::Qlora),
        };
        Some(self.out(change, &work, &fitted))
    }
}
