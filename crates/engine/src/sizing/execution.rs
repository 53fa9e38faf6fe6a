//! Devices that the software of a run works on.

use sky_accel_core::catalog::{AcceleratorId, Catalog, Computed, Execution};
use sky_accel_core::note::Note;
use sky_accel_core::sizing::{Layout, Peak, Run, ServingEngine, Support, supports};
use sky_accel_core::word::Word as _;

use super::run::ModelRun;

/// The engine that trains while a serving engine generates rollouts.
pub(super) const TRAINER: ServingEngine = ServingEngine::Transformers;

/// A version before every version that coefficients name.
const FIRST_VERSION: &str = "0";

/// How the engine of a run computes on a device, or the reason why it does not run there.
pub fn execution(catalog: &Catalog<'_>, id: AcceleratorId, work: &ModelRun) -> Execution {
    let run = &work.run;
    let version = work.engine_version.as_deref();
    if let Some(why) = too_old(catalog, id, run.engine.platform(), version) {
        return Execution::Refused(why);
    }
    if let Some(why) = without_fp16(catalog, id, work) {
        return Execution::Refused(why);
    }
    let precision = &work.precision;
    if run.rollouts.is_none() {
        let trains = run.workload.is_training();
        // Pipelines of media models compute as transformers does.
        let is_pipeline = work.model.media.is_some() && run.engine == ServingEngine::None;
        let engine = if is_pipeline {
            ServingEngine::Transformers
        } else {
            run.engine.platform()
        };
        return catalog.execution(id, engine, precision, version, trains);
    }
    // Rollouts need both the training engine and the serving engine.
    match catalog.execution(id, TRAINER, precision, None, true) {
        refused @ Execution::Refused(_) => refused,
        _ => catalog.execution(id, run.engine, precision, version, false),
    }
}

/// The rate of formats in integers.
const INTEGERS: &str = "int8";

/// True if some devices multiply the weights of some work as integers: serving engines quantize the activations too.
pub(crate) fn may_multiply_integers(catalog: &Catalog<'_>, work: &ModelRun) -> bool {
    let run = &work.run;
    let format = catalog.weight_format(&work.precision);
    run.engine.serves()
        && !run.workload.is_training()
        && format.is_some_and(|format| catalog.str(format.rate) == INTEGERS)
}

/// The peaks of a device for the weights of some work: `peak`, or the peaks of an engine that multiplies them as
/// integers.
pub(crate) fn peak_on(
    catalog: &Catalog<'_>,
    id: AcceleratorId,
    work: &ModelRun,
    peak: Peak,
) -> Peak {
    let multiplies = may_multiply_integers(catalog, work)
        && execution(catalog, id, work) == Execution::Runs(Computed::Native);
    if multiplies {
        peak.of_integers(&catalog.accelerator(id))
    } else {
        peak
    }
}

/// The reason why vLLM does not compute a model on a device without bf16: it refuses fp16 for the model.
pub(crate) fn without_fp16(
    catalog: &Catalog<'_>,
    id: AcceleratorId,
    work: &ModelRun,
) -> Option<String> {
    let run = &work.run;
    let is_served = !run.workload.is_training() || run.rollouts.is_some();
    let is_refused = work.model.no_fp16
        && is_served
        && run.engine == ServingEngine::Vllm
        && run.weights.bits < 32.0
        && supports(catalog, id, "bf16") == Support::No;
    is_refused.then(|| {
        let model = &work.model.name;
        format!("vllm refuses fp16 for {model}, which overflows, and the device has no bf16: use another `engine`, or fp32 as `precision`")
    })
}

/// The reason why a device is too old for a version of an engine, without one for the newest; `None` if it is not.
fn too_old(
    catalog: &Catalog<'_>,
    id: AcceleratorId,
    engine: ServingEngine,
    version: Option<&str>,
) -> Option<String> {
    let engine = engine.word();
    let capability = catalog.str(catalog.accelerator(id).compute_capability);
    let has: f64 = capability.parse().ok()?;
    let needed = |version: Option<&str>| {
        catalog.coefficient_among("min-compute-capability", &[engine], version)
    };
    let least = needed(version).filter(|least| has < *least)?;
    let why = format!("{engine} needs compute capability {least:.1}; this device has {capability}");
    // Older versions of an engine run on older devices.
    let end = catalog.version_before("min-compute-capability", engine);
    let runs_older = needed(Some(FIRST_VERSION)).is_some_and(|least| has >= least);
    Some(match end.filter(|_| version.is_none() && runs_older) {
        Some(end) => format!("{why}; versions before {end} run on it (`engine_version`)"),
        None => why,
    })
}

/// The engines that run on devices of the same software, the measured engines first.
pub(crate) fn engines_on<'c>(
    catalog: &'c Catalog<'_>,
    id: AcceleratorId,
) -> impl Iterator<Item = ServingEngine> + 'c {
    let sdk = catalog.sdk(&catalog.accelerator(id));
    let names = sdk.map(|sdk| {
        let measured = catalog.strings(sdk.engines);
        measured.chain(catalog.strings(sdk.unmeasured))
    });
    names
        .into_iter()
        .flatten()
        .filter_map(ServingEngine::from_word)
}

/// True if a version of an engine, without one the newest, runs on a device in some format.
pub(crate) fn runs_on(
    catalog: &Catalog<'_>,
    id: AcceleratorId,
    engine: ServingEngine,
    version: Option<&str>,
) -> bool {
    let is_listed = engines_on(catalog, id).any(|other| other == engine);
    is_listed && too_old(catalog, id, engine, version).is_none()
}

/// False if an engine runs on a device, but no measurement calibrates its speed on devices of the same software.
pub(crate) fn is_measured(catalog: &Catalog<'_>, id: AcceleratorId, engine: ServingEngine) -> bool {
    let sdk = catalog.sdk(&catalog.accelerator(id));
    sdk.is_none_or(|sdk| {
        let mut names = catalog.strings(sdk.unmeasured);
        names.all(|name| name != engine.word())
    })
}

/// The note that no measurement calibrates the speed of the engine of some work on a device.
pub(crate) fn unmeasured(
    catalog: &Catalog<'_>,
    id: AcceleratorId,
    work: &ModelRun,
) -> Option<Note> {
    let engine = work.run.engine;
    let is_known = work.run.workload.is_training() || is_measured(catalog, id, engine);
    (!is_known).then(|| {
        let device = catalog.accelerator_id(id);
        let message = format!(
            "no measurement calibrates the speed of {engine} on {device}: its band is wide"
        );
        Note::new("unmeasured", message)
    })
}

/// The reason why the work is not supported on a device; `None` if it is.
pub fn unsupported(catalog: &Catalog<'_>, id: AcceleratorId, work: &ModelRun) -> Option<String> {
    let run = &work.run;
    let device = catalog.accelerator(id);
    let sdk = catalog.str(device.sdk);
    let is_supported = |engine: ServingEngine| engines_on(catalog, id).any(|other| other == engine);
    // Pipelines of media models are written for devices of transformers.
    if work.model.media.is_some() && !is_supported(ServingEngine::Transformers) {
        let kind = work.model.kind;
        let message = format!("{kind} models are supported only on devices that run transformers");
        return Some(message);
    }
    if run.engine != ServingEngine::None && !is_supported(run.engine.platform()) {
        let engine = run.engine;
        let trains = run.workload.is_training();
        let others = engines_on(catalog, id).filter(|other| !trains && other.answers());
        let others: Vec<&str> = others.map(ServingEngine::word).collect();
        let advice = if others.is_empty() {
            "and no other engine that could do this work is modeled there".to_owned()
        } else {
            format!("where these engines run: {}", others.join(", "))
        };
        return Some(format!("{engine} does not run on {sdk}, {advice}"));
    }
    let lacks = |format: &str| supports(catalog, id, format) == Support::No;
    // Mixed precision works in half precision, too, with a scaled loss.
    let is_named_bf16 = work.has_precision && work.precision == "bf16";
    let lacks_half = lacks("bf16") && (is_named_bf16 || lacks("fp16"));
    let is_refused = run.workload.is_training() && run.weights.bits < 32.0 && lacks_half;
    is_refused.then(|| {
        let advice = if lacks("fp16") { "" } else { ": use fp16" };
        format!("training needs bf16, which it does not support{advice}")
    })
}

/// True if a device without bfloat16 trains in half precision.
fn trains_in_half(catalog: &Catalog<'_>, id: AcceleratorId, run: &Run) -> bool {
    run.workload.is_training()
        && run.weights.bits < 32.0
        && supports(catalog, id, "bf16") == Support::No
}

/// True if a device trains a model in half precision that was made in bfloat16, and the request does not say so.
pub(crate) fn narrows_range(catalog: &Catalog<'_>, id: AcceleratorId, work: &ModelRun) -> bool {
    let is_fp16 = |name: &str| name == "fp16";
    let is_meant = is_fp16(&work.precision) || work.model.stored_as.as_deref().is_some_and(is_fp16);
    !is_meant && trains_in_half(catalog, id, &work.run)
}

/// The note on training in half precision, on a device without bfloat16.
pub(crate) fn scaled_loss(
    catalog: &Catalog<'_>,
    id: AcceleratorId,
    work: &ModelRun,
) -> Option<Note> {
    let run = &work.run;
    trains_in_half(catalog, id, run).then(|| {
        let device = catalog.accelerator_id(id);
        let has_copy = !run.adapters && run.master_weights.is_none();
        let copy = if has_copy { " and a copy of the weights in fp32" } else { "" };
        let message = format!(
            "{device} has no bf16: it trains in fp16 with a scaled loss{copy}, which may diverge where bf16 does not"
        );
        Note::new("half-precision", message)
    })
}

/// The note that a layout of transformers needs another trainer.
pub(crate) fn other_trainer(work: &ModelRun, layout: &Layout) -> Option<Note> {
    let run = &work.run;
    let trains = run.engine == ServingEngine::Transformers && run.workload.is_training();
    let axis = match (layout.expert > 1, layout.pipeline > 1) {
        (true, _) => "expert parallelism",
        (_, true) => "pipeline parallelism",
        _ => return None,
    };
    trains.then(|| {
        let message = format!(
            "transformers has no {axis}: the start command is of Megatron-LM, whose memory may differ"
        );
        Note::new("trainer", message)
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use sky_accel_core::catalog::Execution;
    use sky_accel_core::sizing::Layout;

    use super::{execution, other_trainer, scaled_loss, unmeasured, unsupported};
    use crate::sizing::{read, run_from_json};

    #[test]
    fn models_that_overflow_in_fp16_need_bf16() {
        let catalog = crate::Engine::embedded().catalog();
        let refusal = |device: &str, model: &str, options: serde_json::Value| {
            let mut fields = options.as_object().unwrap().clone();
            fields.insert("model".to_owned(), model.into());
            let work = read(&catalog, &run_from_json(fields).unwrap(), None).unwrap();
            let mut ids = catalog.accelerator_ids();
            let id = ids
                .find(|id| catalog.accelerator_id(*id) == device)
                .unwrap();
            matches!(execution(&catalog, id, &work), Execution::Refused(_))
        };
        assert!(refusal("T4", "Gemma-3-4B", json!({})));
        assert!(!refusal("T4", "Gemma-3-4B", json!({"precision": "fp32"})));
        assert!(!refusal("T4", "Gemma-3-4B", json!({"engine": "sglang"})));
        assert!(!refusal("L4", "Gemma-3-4B", json!({})));
        assert!(!refusal("T4", "Qwen3-4B", json!({})));
    }

    #[test]
    fn only_servers_on_devices_without_measurements_have_a_note() {
        let catalog = crate::Engine::embedded().catalog();
        let noted = |options: serde_json::Value| -> Vec<&str> {
            let fields = options.as_object().unwrap().clone();
            let work = read(&catalog, &run_from_json(fields).unwrap(), None).unwrap();
            let ids = catalog.accelerator_ids();
            let noted = ids.filter(|id| unmeasured(&catalog, *id, &work).is_some());
            noted.map(|id| catalog.accelerator_id(id)).collect()
        };
        let served = noted(json!({"model": "Qwen3-4B"}));
        assert!(served.contains(&"TPUv6e"), "{served:?}");
        assert!(!served.contains(&"H100-80GB-SXM"), "{served:?}");
        assert!(noted(json!({"model": "Qwen3-4B", "workload": "lora"})).is_empty());
    }

    #[test]
    fn devices_without_bf16_train_in_half_precision() {
        let catalog = crate::Engine::embedded().catalog();
        let answer = |device: &str, fields: serde_json::Value| {
            let serde_json::Value::Object(fields) = fields else {
                unreachable!("the request is an object");
            };
            let work = read(&catalog, &run_from_json(fields).unwrap(), None).unwrap();
            let mut ids = catalog.accelerator_ids();
            let id = ids.find(|id| catalog.accelerator_id(*id) == device);
            let note = scaled_loss(&catalog, id.unwrap(), &work);
            (unsupported(&catalog, id.unwrap(), &work), note.is_some())
        };
        let lora = json!({ "model": "Llama-3.1-8B", "workload": "lora" });
        assert_eq!(answer("V100-32GB-SXM2", lora.clone()), (None, true));
        assert_eq!(answer("A100-80GB-SXM", lora), (None, false));
        let qlora = json!({ "model": "Llama-3.1-8B", "workload": "qlora", "engine": "unsloth" });
        assert_eq!(answer("T4", qlora), (None, true));
        let named = json!({ "model": "Llama-3.1-8B", "workload": "lora", "precision": "bf16" });
        let (why, _) = answer("V100-32GB-SXM2", named);
        assert!(why.unwrap().ends_with("use fp16"));
    }

    #[test]
    fn layouts_that_transformers_does_not_have_name_the_trainer() {
        let catalog = crate::Engine::embedded().catalog();
        let note = |workload: &str, layout: &Layout| {
            let serde_json::Value::Object(fields) =
                json!({ "model": "Qwen3-30B-A3B", "workload": workload })
            else {
                unreachable!("the request is an object");
            };
            let work = read(&catalog, &run_from_json(fields).unwrap(), None).unwrap();
            other_trainer(&work, layout).map(|note| note.message)
        };
        let experts = Layout {
            data: 8,
            expert: 8,
            ..Layout::default()
        };
        assert!(
            note("full", &experts)
                .unwrap()
                .contains("no expert parallelism")
        );
        assert_eq!(note("inference", &experts), None);
        let sharded = Layout {
            expert: 1,
            zero_stage: 3,
            ..experts
        };
        assert_eq!(note("full", &sharded), None);
    }

    /// The reason why vLLM does not run on a V100.
    fn refusal(version: Option<&str>) -> Option<String> {
        let catalog = crate::Engine::embedded().catalog();
        let serde_json::Value::Object(fields) =
            json!({ "model": "Llama-3.1-8B", "engine_version": version })
        else {
            unreachable!("the request is an object");
        };
        let work = read(&catalog, &run_from_json(fields).unwrap(), None).unwrap();
        let mut ids = catalog.accelerator_ids();
        let id = ids.find(|id| catalog.accelerator_id(*id) == "V100-32GB-SXM2");
        match execution(&catalog, id.unwrap(), &work) {
            Execution::Refused(why) => Some(why),
            Execution::Runs(_) | Execution::Unknown => None,
        }
    }

    #[test]
    fn older_versions_of_an_engine_run_on_older_devices() {
        assert_eq!(refusal(Some("0.19.1")), None);
        let why = refusal(Some("0.20.0")).unwrap();
        assert!(why.ends_with("needs compute capability 7.5; this device has 7.0"));
        let why = refusal(None).unwrap();
        assert!(why.contains("versions before 0.20 run on it"), "{why}");
    }
}
