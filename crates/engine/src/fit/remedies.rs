//! Remedies: the smallest change of each kind with which a model fits.

use std::fmt::Write as _;

use sky_accel_core::catalog::{AcceleratorClass, Catalog, Computed, Execution, NamedFormat};
use sky_accel_core::sizing::{CacheFormat, Engine, GIB, Offload, Run, Support, Workload, supports};
use sky_accel_core::text::{grouped, number};

use super::hardware::{MAX_NODES, SizedHardware};
use crate::contract::{FitOut, Num, RemedyOut};
use crate::sizing::{self, Fitted, ModelRun, Sizer, rate};

/// The maximum devices per machine to try if the catalog does not know it.
const DEFAULT_MAX_DEVICES: f64 = 16.0;
/// Form factors of devices that machines have only one of.
const BUILT_IN: [&str; 2] = ["Laptop", "SoC"];
/// The numbers of machines to try.
const MACHINES: [u32; 9] = [2, 3, 4, 6, 8, 12, 16, 32, 64];
/// The minimum useful context.
const MIN_CONTEXT: f64 = 256.0;

sky_accel_core::words! {
    /// The kind of change with which a model fits.
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
        /// The number of layers that the devices compute.
        GpuLayers = "gpu-layers",
        /// The training state in host memory.
        Offload = "offload",
        /// The kind of training.
        Workload = "workload",
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
struct Remedy {
    kind: RemedyKind,
    lead: String,
    flags: String,
}

impl Unfit<'_, '_> {
    /// The smallest change of each kind with which the model fits.
    pub fn remedies(&self, result: &FitOut) -> Vec<RemedyOut> {
        let [format, layers] = self.on_consumer_card();
        let remedies = [
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
        remedies.into_iter().flatten().collect()
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
        (fitted.fits() == Some(true) && is_usual).then_some(fitted)
    }

    fn here(&self, work: &ModelRun) -> Option<Fitted> {
        self.fitted(work, self.hardware.count, self.machines)
    }

    fn out(&self, change: Remedy, work: &ModelRun, fitted: &Fitted) -> RemedyOut {
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

    /// The next smaller weight format that the engine runs on the device.
    fn precision(&self) -> Option<RemedyOut> {
        if self.work.run.workload.is_training() {
            return None;
        }
        let engine = self.work.run.engine;
        let (work, fitted) = self.smaller(self.work, engine, self.work.run.weights.bits)?;
        let change = Remedy {
            kind: RemedyKind::Precision,
            lead: format!("in {}", work.precision),
            flags: format!("--precision {}", work.precision),
        };
        Some(self.out(change, &work, &fitted))
    }

    /// On a consumer card: the best format of llama.cpp that fits and, if that has fewer bits than the usual format, the
    /// usual format with some layers on the host.
    fn on_consumer_card(&self) -> [Option<RemedyOut>; 2] {
        let run = &self.work.run;
        let is_media = self.work.model.media.is_some();
        let is_other_work = run.engine == Engine::LlamaCpp || run.workload.is_training();
        if !self.is_consumer() || is_media || is_other_work {
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
            let change = Remedy {
                kind: RemedyKind::Precision,
                lead: format!("in {precision} with {engine}"),
                flags: format!("--engine {engine} --precision {precision}"),
            };
            self.out(change, &work, &fitted)
        });
        [format, layers]
    }

    /// The work in the common format of an engine that fits with the most bits below `bits`.
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

    /// An 8-bit KV cache, on devices that support fp8.
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
        let change = Remedy {
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
        if context < MIN_CONTEXT || context >= run.context {
            return None;
        }
        let work = self.with(&Run { context, ..run });
        let fitted = self.here(&work)?;
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
            // Machines with other numbers of devices are rare.
            let more = (count + 1..=max)
                .filter(|n| n.is_power_of_two() || *n == max)
                .find_map(|count| Some((count, self.fitted(self.work, count, 1)?)));
            if let Some((count, fitted)) = more {
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
        let (machines, fitted) = more
            .into_iter()
            .find_map(|n| Some((n, self.fitted(self.work, count, n)?)))?;
        let change = Remedy {
            kind: RemedyKind::Nodes,
            lead: format!("on {machines} machines with {count} × {name}"),
            flags: format!("--nodes {machines}"),
        };
        Some(self.out(change, self.work, &fitted))
    }

    /// The maximum number of layers that llama.cpp can compute on the devices, with the others on the host.
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
        // A binary search: more layers never take less device memory.
        let (mut best, mut too_many) = (with(0)?, layers + 1);
        while too_many - best.0 > 1 {
            let middle = u32::midpoint(best.0, too_many);
            match with(middle) {
                Some(found) => best = found,
                None => too_many = middle,
            }
        }
        let (n, work, fitted) = best;
        let lead = format!("with {n} of {layers} layers on the GPU, the others on the host");
        let (lead, format) = if self.work.precision == work.precision {
            (lead, String::new())
        } else {
            let (engine, precision) = (work.run.engine, &work.precision);
            let flags = format!("--engine {engine} --precision {precision} ");
            (format!("in {precision} with {engine}, {lead}"), flags)
        };
        let change = Remedy {
            kind: RemedyKind::GpuLayers,
            lead,
            flags: format!("{format}--gpu-layers {n}"),
        };
        Some(self.out(change, &work, &fitted))
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

    /// QLoRA in place of LoRA.
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
mod tests {
    use super::RemedyKind;
    use crate::contract::RemedyOut;
    use crate::sizing::{ModelSource, RunRequest};
    use crate::{Engine, FitHardware, FitRequest};
    use sky_accel_core::sizing::Workload;

    fn remedies(spec: &str, model: &str, workload: Workload) -> Vec<RemedyOut> {
        let request = FitRequest {
            hardware: FitHardware::Spec(spec.to_owned()),
            nodes: 1,
            run: RunRequest {
                model: Some(ModelSource::read(model)),
                workload: Some(workload.into()),
                ..RunRequest::default()
            },
        };
        let answer = Engine::embedded().fit(&request, None).unwrap();
        assert!(!answer.fits);
        let remedies = answer.envelope.results[0].would_fit.clone();
        for remedy in &remedies {
            assert!(remedy.high_gib <= remedy.usable_gib, "{remedy:?}");
        }
        remedies
    }

    fn flags(remedies: &[RemedyOut], kind: RemedyKind) -> Option<&str> {
        let mut remedies = remedies.iter();
        let remedy = remedies.find(|remedy| remedy.change == kind)?;
        Some(&remedy.flags)
    }

    #[test]
    fn inference_that_does_not_fit_takes_fewer_bits_or_more_devices() {
        let remedies = remedies("H100:x1", "Llama-3.1-70B", Workload::Inference);
        let precision = flags(&remedies, RemedyKind::Precision).unwrap();
        assert!(precision.starts_with("--precision "), "{precision}");
        let devices = flags(&remedies, RemedyKind::Devices).unwrap();
        assert!(
            devices.ends_with(":x4") || devices.ends_with(":x2"),
            "{devices}"
        );
        assert_eq!(flags(&remedies, RemedyKind::Offload), None);
    }

    #[test]
    fn lora_that_does_not_fit_becomes_qlora() {
        let remedies = remedies("H100:x1", "Llama-3.1-70B", Workload::Lora);
        let qlora = flags(&remedies, RemedyKind::Workload);
        assert_eq!(qlora, Some("--workload qlora"));
        assert_eq!(flags(&remedies, RemedyKind::Precision), None);
    }

    #[test]
    fn consumer_cards_run_gguf_formats() {
        let remedies = remedies("RTX4090:x1", "Qwen2.5-32B", Workload::Inference);
        let gguf = remedies
            .iter()
            .find(|remedy| remedy.flags.contains("--engine llama.cpp"));
        assert!(gguf.is_some_and(|remedy| remedy.flags.contains("--precision gguf:")));
    }
}
