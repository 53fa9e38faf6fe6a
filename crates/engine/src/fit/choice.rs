//! A model on the hardware of one choice of a spec.

use std::borrow::Cow;

use sky_accel_core::catalog::{AcceleratorClass, AcceleratorId, Catalog, Computed, Execution};
use sky_accel_core::note::Note;
use sky_accel_core::sizing::{Indivisible, Layout, ServingEngine};
use sky_accel_core::text::counted;

use super::hardware::SizedHardware;
use super::remedies::Unfit;
use crate::code::ErrorCode;
use crate::contract::FitOut;
use crate::error::{Error, Result};
use crate::launch::launch;
use crate::sizing::{self, ModelRun, Sizer};

/// Hardware to size work on.
pub(super) struct SizedChoice<'m, 'c> {
    pub engine: &'m crate::Engine<'c>,
    pub catalog: &'m Catalog<'c>,
    pub hardware: &'m SizedHardware,
    pub machines: u32,
}

impl SizedChoice<'_, '_> {
    /// Sizes some work. The result has the work, with the engine of the device.
    pub fn size<'w>(
        &self,
        work: &'w ModelRun,
        notes: &mut Vec<Note>,
    ) -> Result<(FitOut, Cow<'w, ModelRun>)> {
        let work = self.usual(work, notes);
        notes.extend(work.ignored());
        let (catalog, accelerator) = (self.catalog, self.hardware.accelerator);
        let sizer = self.sizer(&work);
        let count = self.hardware.count.saturating_mul(self.machines);
        let (mut result, overload) = sizing::fit(catalog, accelerator, count, &sizer, &work)
            .map_err(|why| cannot(&work, count, why))?;
        result.nodes = (self.machines > 1).then_some(self.machines);
        if let Some(why) = overload {
            let message = format!("{} × {}: {why}", result.count, result.accelerator);
            notes.push(Note::new("overload", message));
        }
        notes.extend(self.refuse(&work, &mut result));
        if result.fits == Some(false) {
            let unfit = Unfit {
                engine: self.engine,
                catalog,
                hardware: self.hardware,
                machines: self.machines,
                work: &work,
            };
            result.would_fit = match result.refused {
                Some(_) => unfit.alternatives(),
                None => unfit.remedies(&result),
            };
            self.engine.go_on()?;
            let is_new = !work.run.workload.is_training() && !work.run.uses_host();
            let mut remedies = result.would_fit.iter();
            if is_new && remedies.any(|remedy| remedy.host_gib.is_some()) {
                notes.push(sizing::host_memory(catalog, work.run.host_bandwidth));
            }
        }
        if result.fits == Some(true) {
            let layout = Layout::from(&result.parallelism);
            result.launch =
                launch(catalog, &work, accelerator, &sizer, &layout, self.machines).map(Into::into);
        }
        if result.fits.is_none() {
            let message = format!("the memory of {} is unknown", result.accelerator);
            notes.push(Note::new("unknown-memory", message));
        }
        Ok((result, work))
    }

    fn sizer(&self, work: &ModelRun) -> Sizer {
        let sizer = Sizer::new(self.catalog, self.hardware.accelerator, work);
        let sizer = sizer.machines(self.machines, self.hardware.count);
        match &self.hardware.part {
            Some(part) => sizer.part(part),
            None => sizer,
        }
    }

    /// The work with the usual engine of the device. On cards for personal computers without a load, that is llama.cpp,
    /// unless the model fits only with the usual engine of servers, or the files have a quantization that llama.cpp
    /// does not run.
    fn usual<'w>(&self, work: &'w ModelRun, notes: &mut Vec<Note>) -> Cow<'w, ModelRun> {
        let (catalog, accelerator) = (self.catalog, self.hardware.accelerator);
        let usual = work.on(catalog, accelerator);
        if let Cow::Owned(usual) = &usual {
            notes.extend(usual.notes.iter().cloned());
        }
        let run = &usual.run;
        let is_open = !work.has_engine && run.engine.serves() && run.load.is_none();
        let device = catalog.accelerator(accelerator);
        let is_consumer = catalog.class(&device) == Some(AcceleratorClass::Consumer);
        if !is_open || !is_consumer || work.model.media.is_some() {
            return usual;
        }
        let count = self.hardware.count.saturating_mul(self.machines);
        let fits = |work: &ModelRun| {
            let fitted = self.sizer(work).best(work, count).ok();
            fitted.is_some_and(|fitted| fitted.fits() == Some(true))
        };
        if !sizing::runs_on(catalog, accelerator, ServingEngine::LlamaCpp, None) {
            return usual;
        }
        let other = work.with_open_engine(catalog, accelerator, ServingEngine::LlamaCpp);
        let runs = !matches!(
            sizing::execution(catalog, accelerator, &other),
            Execution::Refused(_)
        );
        // A format with fewer bits is a change of the work, which remedies name.
        let is_other_work = other.run.weights.bits < work.run.weights.bits;
        // Files that are quantized for servers were named for them. A GGUF file with the same bits has the same
        // weights.
        let (bits, other_bits) = (work.run.weights.bits, other.run.weights.bits);
        let is_converted = work.run.weights.is_quantized()
            && other.precision != work.precision
            && other_bits.total_cmp(&bits).is_ne();
        let is_run = !matches!(
            sizing::execution(catalog, accelerator, &usual),
            Execution::Refused(_)
        );
        let is_for_servers = is_converted && is_run;
        if is_other_work || !runs || is_for_servers || fits(&usual) && !fits(&other) {
            return usual;
        }
        let message = format!(
            "{} is used on cards for personal computers: for a server, name the `engine` {} or a load",
            other.run.engine, usual.run.engine
        );
        notes.push(Note::new("engine", message));
        Cow::Owned(other)
    }

    /// Marks a result as refused if the engine does not run the work on the device, and returns the notes on how it
    /// runs.
    fn refuse(&self, work: &ModelRun, result: &mut FitOut) -> Option<Note> {
        let (catalog, accelerator) = (self.catalog, self.hardware.accelerator);
        let unsupported = sizing::unsupported(catalog, accelerator, work);
        if let Some(why) = unsupported {
            let message = format!("{}: {why}", result.accelerator);
            result.refuse(why);
            return Some(Note::new("unsupported", message));
        }
        match sizing::execution(catalog, accelerator, work) {
            Execution::Refused(why) => {
                let message = format!("{}: {why}", result.accelerator);
                result.refuse(why);
                Some(Note::new("refused", message))
            }
            Execution::Runs(how @ (Computed::Unpacked | Computed::Half)) => {
                falls_back(catalog, accelerator, work, how)
            }
            Execution::Runs(_) | Execution::Unknown => {
                sizing::unmeasured(catalog, accelerator, work)
                    .or_else(|| sizing::scaled_loss(catalog, accelerator, work))
            }
        }
    }
}

/// The note that a serving engine computes in a format other than the format of the weights.
fn falls_back(
    catalog: &Catalog<'_>,
    id: AcceleratorId,
    work: &ModelRun,
    how: Computed,
) -> Option<Note> {
    let (engine, format) = (work.run.engine, &work.precision);
    let name = catalog.accelerator_id(id);
    let is_narrow = work.run.weights.compute_bits < 16.0;
    let message = match how {
        Computed::Half => format!("{engine} computes {format} in fp16 on {name}"),
        Computed::Unpacked if is_narrow => format!(
            "{engine} unpacks {format} to 16 bits on {name}: this saves memory and bandwidth, but computes no faster"
        ),
        _ => return None,
    };
    Some(Note::new("falls-back", message))
}

/// The error for a model that cannot be split over `count` devices.
fn cannot(work: &ModelRun, count: u32, why: Indivisible) -> Error {
    let name = &work.model.name;
    let message = match why {
        Indivisible::Heads { heads, tensor } => {
            let (heads, devices) = (counted(heads, "head"), counted(tensor, "device"));
            format!("{name} has {heads}, which cannot be split evenly over {devices}")
        }
        Indivisible::Layers { layers, pipeline } => {
            let (layers, stages) = (counted(layers, "layer"), counted(pipeline, "stage"));
            format!("{name} has {layers}, which cannot be split over {stages}")
        }
        Indivisible::Experts {
            experts,
            expert,
            among,
        } => {
            if experts <= 1 {
                let devices = counted(expert, "device");
                format!("{name} has no experts that {devices} could share")
            } else if experts.is_multiple_of(expert) {
                format!(
                    "{expert} devices cannot share the experts of {name}: the layers are on {}, which is not a multiple of {expert}",
                    counted(among, "device")
                )
            } else {
                format!(
                    "the {experts} experts of {name} cannot be split evenly over {expert} devices"
                )
            }
        }
        Indivisible::Blocks {
            width,
            shared,
            block,
        } => {
            let engine = work.run.engine.name();
            format!(
                "{engine} cannot split the FP8 files of {name} over {shared} devices: each would have {} columns of a matrix, which is not a multiple of the {block} that share a scale; use a smaller `tensor_parallel`, or another `precision`",
                f64::from(width) / f64::from(shared)
            )
        }
        Indivisible::GlobalBatch { sequences, at_once } => {
            format!(
                "`global_batch` {sequences} is not a multiple of the {} that all ranks process at once",
                counted(at_once, "sequence")
            )
        }
        Indivisible::AttentionGroup { tensor, expert } => {
            let engine = work.run.engine;
            format!(
                "{engine} does not split attention over {tensor} devices where {expert} share the experts: use `tensor_parallel` 1, or `expert_parallel` of at most {tensor}"
            )
        }
        Indivisible::Lacks(axis) => {
            let (engine, format) = (work.run.engine, &work.precision);
            format!(
                "{engine} does not support {axis} parallelism with {format}: leave out `{axis}_parallel`"
            )
        }
        Indivisible::ShardGroups { ranks, groups } => {
            format!(
                "data and context parallelism have {}, which cannot be divided into {groups} `shard_groups`",
                counted(ranks, "rank")
            )
        }
        Indivisible::Unsharded { stage, devices } => {
            format!(
                "`zero_stage` {stage} shards over data-parallel devices, but a layout of {} has none: use more devices or a smaller `tensor_parallel`, or leave out `zero_stage`",
                counted(devices, "device")
            )
        }
        Indivisible::Parts { layers, parts } => {
            format!(
                "{name} has {}, which cannot be split into {} of pipeline stages",
                counted(layers, "layer"),
                counted(parts, "part")
            )
        }
        Indivisible::Devices { needed, .. } => {
            format!(
                "tensor, pipeline, data and context parallelism need {}, but the hardware has {count}",
                counted(needed, "device")
            )
        }
    };
    Error::new(ErrorCode::Layout, message)
}

#[cfg(test)]
mod tests {
    use sky_accel_core::sizing::{ServingEngine, Workload};

    use crate::contract::FitOut;
    use crate::sizing::{ModelSource, RunRequest, WorkKind};
    use crate::{Engine, FitAnswer, FitHardware, FitRequest};

    fn fit(spec: &str, model: &str, run: RunRequest) -> FitAnswer<'static> {
        let request = FitRequest {
            hardware: FitHardware::Spec(spec.to_owned()),
            nodes: 1,
            run: RunRequest {
                model: Some(ModelSource::read(model)),
                ..run
            },
            prices: None,
        };
        Engine::embedded().fit(&request, None).unwrap()
    }

    fn command(result: &FitOut) -> &str {
        result.launch.as_ref().map_or("", |launch| &launch.command)
    }

    #[test]
    fn dense_models_are_not_divided_for_training_where_sharding_is_enough() {
        let layout = |spec: &str, model: &str, run: RunRequest| {
            let answer = fit(spec, model, run);
            let layout = answer.envelope.results[0].parallelism.clone();
            (layout.tensor, layout.pipeline)
        };
        let of = |workload| RunRequest {
            workload: Some(WorkKind::Computed(workload)),
            context: Some(8192.0),
            ..RunRequest::default()
        };
        for (spec, model) in [
            ("H100:SXM:x8", "Mistral-7B"),
            ("H100:SXM:x2", "Llama-3.1-8B"),
            ("H100:PCIe:x4", "Llama-3.2-3B"),
        ] {
            for workload in [Workload::Lora, Workload::Full] {
                assert_eq!(layout(spec, model, of(workload)), (1, 1), "{spec} {model}");
            }
        }
        // A layout that the request names is kept.
        let given = RunRequest {
            tensor_parallel: Some(2),
            ..of(Workload::Lora)
        };
        assert_eq!(layout("H100:SXM:x2", "Llama-3.1-8B", given).0, 2);
    }

    #[test]
    fn training_without_bf16_starts_in_fp16() {
        let run = |workload| RunRequest {
            workload: Some(WorkKind::Computed(workload)),
            ..RunRequest::default()
        };
        for (spec, precision) in [("T4", "fp16"), ("L4", "bf16")] {
            let answer = fit(spec, "Mistral-7B", run(Workload::Qlora));
            let text = command(&answer.envelope.results[0]);
            let option = format!("--mixed_precision {precision}");
            assert!(text.contains(&option), "{spec}: {text}");
        }
    }

    #[test]
    fn devices_have_an_engine_that_runs_on_them() {
        for (spec, engine) in [
            ("Apple-M4-Max", ServingEngine::LlamaCpp),
            ("P100", ServingEngine::LlamaCpp),
            ("RTX4090", ServingEngine::LlamaCpp),
            ("L4", ServingEngine::Vllm),
            ("Trainium1:x16", ServingEngine::Vllm),
            ("TPUv6e", ServingEngine::Vllm),
            ("Gaudi3", ServingEngine::None),
        ] {
            let answer = fit(spec, "Qwen3-4B", RunRequest::default());
            assert!(answer.fits, "{spec}");
            assert_eq!(answer.envelope.request.run.engine, engine, "{spec}");
            let is_vllm = command(&answer.envelope.results[0]).starts_with("vllm");
            assert_eq!(is_vllm, engine == ServingEngine::Vllm, "{spec}");
        }
    }

    #[test]
    fn files_with_the_bits_of_a_gguf_file_do_not_name_an_engine() {
        for (spec, model) in [
            ("RTX4090", "gpt-oss-20B"),
            ("RTX4090", "gpt-oss-120B"),
            ("RyzenAIMax395", "gpt-oss-120B"),
        ] {
            let run = fit(spec, model, RunRequest::default()).envelope.request.run;
            assert_eq!(run.engine, ServingEngine::LlamaCpp, "{spec} {model}");
            assert_eq!(run.precision, "gguf:MXFP4_MOE", "{spec} {model}");
        }
        // A load is for a server.
        let load = RunRequest {
            concurrency: Some(4.0),
            ..RunRequest::default()
        };
        let run = fit("RTX4090", "gpt-oss-20B", load).envelope.request.run;
        assert_eq!(run.engine, ServingEngine::Vllm);
        let fp8 = fit("RTX4090", "Qwen3-4B-FP8", RunRequest::default());
        assert_eq!(fp8.envelope.request.run.engine, ServingEngine::Vllm);
    }

    #[test]
    fn each_choice_of_a_spec_has_its_engine() {
        let answer = fit("H100 | Apple-M4-Max", "Qwen3-4B", RunRequest::default());
        assert_eq!(answer.envelope.request.run.engine, ServingEngine::Vllm);
        let [first, second] = &answer.envelope.results[..] else {
            panic!("two choices");
        };
        assert_eq!(first.engine, None);
        assert_eq!(second.engine, Some(ServingEngine::LlamaCpp));
        assert!(command(second).starts_with("llama-server"));
    }

    #[test]
    fn an_engine_that_does_not_run_on_a_device_is_refused() {
        let run = RunRequest {
            engine: Some(ServingEngine::Vllm),
            ..RunRequest::default()
        };
        let answer = fit("Apple-M4-Max", "Qwen3-4B", run);
        assert!(!answer.fits);
        let refused = answer.envelope.results[0].refused.as_deref().unwrap();
        assert!(
            refused.ends_with("these engines run: llama.cpp"),
            "{refused}"
        );
    }

    #[test]
    fn devices_that_no_trainer_runs_on_are_refused() {
        let run = RunRequest {
            workload: Some(WorkKind::Computed(Workload::Lora)),
            ..RunRequest::default()
        };
        for device in ["TPUv5e:x8", "Trainium2"] {
            let answer = fit(device, "Qwen3-4B", run.clone());
            assert!(!answer.fits, "{device}");
            let refused = answer.envelope.results[0].refused.as_deref().unwrap();
            assert!(refused.contains("transformers does not run"), "{refused}");
        }
    }

    #[test]
    fn replicas_come_before_stages_inside_a_machine() {
        // Its 10 heads of the KV cache divide by 2, not by 4.
        let run = RunRequest {
            concurrency: Some(2.0),
            ..RunRequest::default()
        };
        let answer = fit("A100-40GB-SXM:x8", "Phi-4", run);
        let layout = &answer.envelope.results[0].parallelism;
        assert_eq!((layout.pipeline, layout.tensor, layout.data), (1, 2, 4));
    }

    #[test]
    fn vllm_names_the_file_of_a_gguf_repository() {
        let run = RunRequest {
            engine: Some(ServingEngine::Vllm),
            precision: Some("gguf:MXFP4_MOE".to_owned()),
            ..RunRequest::default()
        };
        let answer = fit("H100-80GB-SXM", "gpt-oss-20B", run);
        let command = command(&answer.envelope.results[0]);
        assert!(command.contains("gpt-oss-20b-GGUF:MXFP4_MOE "), "{command}");
    }

    #[test]
    fn a_number_after_a_vendor_is_no_product() {
        for spec in ["nvidia:4090", "amd:4090"] {
            let request = FitRequest {
                hardware: FitHardware::Spec(spec.to_owned()),
                nodes: 1,
                run: RunRequest {
                    model: Some(ModelSource::read("Qwen3-4B")),
                    ..RunRequest::default()
                },
                prices: None,
            };
            let error = Engine::embedded().fit(&request, None).unwrap_err();
            let problem = &error.problems[0];
            assert!(
                problem.message.contains("a number of devices"),
                "{problem:?}"
            );
            assert_eq!(problem.hints, ["RTX4090"], "{problem:?}");
        }
    }

    #[test]
    fn llama_cpp_loads_gguf_files() {
        let apple = fit("Apple-M4-Max", "gpt-oss-20B", RunRequest::default());
        let result = &apple.envelope.results[0];
        assert_eq!(apple.envelope.request.run.precision, "gguf:MXFP4_MOE");
        let command_of_20b = command(result);
        assert!(
            command_of_20b.contains("-hf ggml-org/gpt-oss-20b-GGUF -ngl"),
            "{command_of_20b}"
        );
        // The checkpoint of transformers is not a GGUF file.
        let plain = fit("Apple-M4-Max", "Qwen3-4B", RunRequest::default());
        let command_of_4b = command(&plain.envelope.results[0]);
        assert!(
            command_of_4b.contains("a GGUF file of Qwen3-4B in bf16"),
            "{command_of_4b}"
        );
        // It has no fp8.
        let fp8 = fit("Apple-M4-Max", "Qwen3-8B-FP8", RunRequest::default());
        assert_eq!(fp8.envelope.request.run.precision, "gguf:Q8_0");
    }

    #[test]
    fn slots_of_llama_cpp_hold_the_longest_request() {
        let run = |max_context, concurrency| RunRequest {
            engine: Some(ServingEngine::LlamaCpp),
            precision: Some("gguf:Q4_K_M".to_owned()),
            max_context,
            concurrency,
            ..RunRequest::default()
        };
        for (max_context, concurrency, option) in [
            (None, None, "-c 9216"),
            (Some(16_384.0), None, "-c 16384"),
            (Some(8192.0), Some(2.0), "-c 16384 -np 2"),
        ] {
            let answer = fit("RTX4090", "Llama-3.1-8B", run(max_context, concurrency));
            let command = command(&answer.envelope.results[0]);
            assert!(command.contains(option), "{option}: {command}");
        }
        // Four slots of this length do not fit.
        let answer = fit("RTX4090", "Llama-3.1-8B", run(Some(65_536.0), Some(4.0)));
        assert!(!answer.fits);
    }

    #[test]
    fn llama_cpp_divides_layers_between_devices_by_default() {
        let run = |tensor_parallel| RunRequest {
            precision: Some("gguf:Q4_K_M".to_owned()),
            tensor_parallel,
            ..RunRequest::default()
        };
        let speed = |answer: &FitAnswer<'_>| {
            let speed = &answer.envelope.results[0].throughput;
            speed.decode_tokens_per_s.unwrap().0
        };
        for (spec, published) in [("RTX3090:x2", 16.3), ("RTX4090:x2", 19.1)] {
            let layers = fit(spec, "Llama-3.3-70B", run(None));
            let command_of_layers = command(&layers.envelope.results[0]);
            assert!(!command_of_layers.contains("-sm"), "{command_of_layers}");
            assert!(
                (speed(&layers) / published - 1.0).abs() < 0.15,
                "{}",
                speed(&layers)
            );
            let rows = fit(spec, "Llama-3.3-70B", run(Some(2)));
            assert!(command(&rows.envelope.results[0]).ends_with("-sm row"));
        }
        // Three cards divide layers too.
        assert!(fit("RTX3090:x3", "Llama-3.3-70B", run(None)).fits);
    }

    #[test]
    fn chips_of_several_cores_are_several_ranks() {
        let answer = fit("Trainium2:x16", "Llama-3.3-70B", RunRequest::default());
        let command = command(&answer.envelope.results[0]);
        assert!(command.contains("--tensor-parallel-size 64"), "{command}");
        let notes = &answer.envelope.notes;
        assert!(notes.iter().any(|note| note.code == "unmeasured"));
    }

    #[test]
    fn experts_on_the_host_are_read_at_its_bandwidth() {
        let run = |host_bandwidth| RunRequest {
            n_cpu_moe: Some(36),
            host_bandwidth,
            ..RunRequest::default()
        };
        let speed = |host_bandwidth| {
            let answer = fit("RTX3090", "gpt-oss-120B", run(host_bandwidth));
            let result = &answer.envelope.results[0];
            assert!(
                command(result).ends_with("--n-cpu-moe 36"),
                "{}",
                command(result)
            );
            let notes = &answer.envelope.notes;
            assert!(notes.iter().any(|note| note.code == "host-memory"));
            result.throughput.decode_tokens_per_s.unwrap().0
        };
        // Published for this model with all experts on hosts with two channels of DDR5: 18 to 26 tokens/s.
        let (usual, fast) = (speed(None), speed(Some(89.6)));
        assert!(
            (12.0..20.0).contains(&usual) && (18.0..32.0).contains(&fast),
            "{usual} {fast}"
        );
    }
}
