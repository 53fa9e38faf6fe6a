//! Devices on which the software of a run works.

use sky_accel_core::catalog::{AcceleratorId, Catalog, Execution};
use sky_accel_core::sizing::{Engine, Support, supports};

use super::run::ModelRun;

/// The engine that trains where another one generates.
pub(super) const TRAINER: Engine = Engine::Transformers;

/// How the engine of a run computes on a device, and the reason where it does not run there.
pub fn execution(catalog: &Catalog<'_>, id: AcceleratorId, work: &ModelRun) -> Execution {
    let run = &work.run;
    let version = work.engine_version.as_deref();
    let engine = run.engine.word();
    let least = catalog
        .coefficient("min-compute-capability", engine)
        .unwrap_or_default();
    let capability = catalog.str(catalog.accelerator(id).compute_capability);
    let is_old = capability.parse().is_ok_and(|version: f64| version < least);
    if is_old {
        return Execution::Refused(format!(
            "{engine} needs compute capability {least:.1}; this device has {capability}"
        ));
    }
    let precision = &work.precision;
    if run.rollouts.is_none() {
        let trains = run.workload.is_training();
        return catalog.execution(id, run.engine, precision, version, trains);
    }
    // Where answers are generated, training is with another engine.
    match catalog.execution(id, TRAINER, precision, None, true) {
        refused @ Execution::Refused(_) => refused,
        _ => catalog.execution(id, run.engine, precision, version, false),
    }
}

/// The reason why work is not computed on a device; `None` where it is.
pub fn unsupported(catalog: &Catalog<'_>, id: AcceleratorId, work: &ModelRun) -> Option<String> {
    let run = &work.run;
    let device = catalog.accelerator(id);
    let sdk = catalog.str(device.sdk);
    let modelled = catalog.sdk(&device).map(|sdk| sdk.engines);
    let is_modelled = |engine: Engine| {
        let engine = engine.word();
        modelled.is_some_and(|rows| catalog.strings(rows).any(|known| known == engine))
    };
    // Their pipelines are written for the devices of transformers.
    if work.model.media.is_some() && !is_modelled(Engine::Transformers) {
        let kind = work.model.kind;
        let message = format!("{kind} models are computed only for devices that run transformers");
        return Some(message);
    }
    if run.engine != Engine::None && !is_modelled(run.engine) {
        let engine = run.engine;
        let advice = if run.rollouts.is_some() {
            ""
        } else {
            ": use --engine none"
        };
        return Some(format!("{engine} is not modelled on {sdk}{advice}"));
    }
    let lacks_bf16 = run.workload.is_training()
        && run.weights.bits < 32.0
        && supports(catalog, id, "bf16") == Support::No;
    lacks_bf16.then(|| "it has no bf16 to train in".to_owned())
}
