//! Reads an optimizer step from a request: its size, its rollouts, and the frozen models that it runs.

use sky_accel_core::catalog::Catalog;
use sky_accel_core::note::Note;
use sky_accel_core::sizing::{Frozen, Rollouts, Run, SavedModules, StepSize, Workload};
use sky_accel_core::suggest;

use super::bounds::{MAX_BATCH, MAX_TOKENS, integer, wrong};
use super::formats::precision;
use super::hub::ModelHub;
use super::model::read_model;
use super::model_facts::ModelFacts;
use super::model_source::ModelSource;
use super::options::RunRequest;
use crate::error::Result;

/// The default number of rollouts of a step.
const ROLLOUTS: f64 = 512.0;
/// The maximum value of `off_policy_steps`.
const MAX_OFF_POLICY_STEPS: f64 = 1000.0;
/// The name that means no reference model.
const NO_MODEL: &str = "none";
/// The modules that can be trained in full in addition to adapters.
const MODULES: [&str; 2] = ["embeddings", "head"];

/// Reads the size of an optimizer step, and its rollouts.
pub(super) fn read_step(run: &mut Run, step: &RunRequest) -> Result<()> {
    if !run.workload.is_training() {
        return Ok(());
    }
    let accumulation = integer(
        "gradient_accumulation",
        step.gradient_accumulation,
        MAX_TOKENS,
    )?;
    let sequences = integer("global_batch", step.global_batch, MAX_TOKENS)?;
    let parts = integer("virtual_pipeline", step.virtual_pipeline, MAX_TOKENS)?;
    run.virtual_pipeline = parts.unwrap_or(run.virtual_pipeline);
    run.packed = integer("packed", step.packed, run.sequence())?;
    run.saved = saved_modules(step.modules_to_save.as_deref().unwrap_or_default())?;
    run.step = match (accumulation, sequences) {
        (Some(_), Some(_)) => {
            return Err(wrong(
                "`gradient_accumulation` follows from `global_batch`: give only one of them",
            ));
        }
        (None, Some(sequences)) => {
            if sequences % run.batch != 0.0 {
                return Err(wrong(format!(
                    "`global_batch` {sequences} is not a multiple of the micro-batch of {}",
                    run.batch
                )));
            }
            StepSize::Sequences(sequences)
        }
        (Some(steps), None) => StepSize::MicroBatches(steps),
        (None, None) => run.step,
    };
    read_rollouts(run, step)
}

/// Reads the rollouts of a step.
fn read_rollouts(run: &mut Run, step: &RunRequest) -> Result<()> {
    let is_apart = step.disaggregated == Some(true);
    if !run.workload.has_rollouts() {
        return Ok(());
    }
    if run.generate < 1.0 {
        return Err(wrong(format!(
            "{} trains on generated sequences: `generate` must be at least 1",
            run.workload.word()
        )));
    }
    if step.off_policy_steps.is_some() && !is_apart {
        return Err(wrong(
            "`off_policy_steps` needs separate devices for rollouts: give `disaggregated` too",
        ));
    }
    let steps_ahead = integer(
        "off_policy_steps",
        step.off_policy_steps,
        MAX_OFF_POLICY_STEPS,
    )?;
    let sequences = integer("rollouts", step.rollouts, MAX_BATCH)?.unwrap_or(ROLLOUTS);
    match run.step {
        StepSize::Sequences(batch) if sequences % batch != 0.0 => {
            return Err(wrong(format!(
                "`rollouts` {sequences} is not a multiple of the `global_batch` of {batch}"
            )));
        }
        StepSize::MicroBatches(_) if step.gradient_accumulation.is_none() => {
            run.step = StepSize::Sequences(sequences);
        }
        _ => {}
    }
    run.rollouts = Some(Rollouts {
        sequences,
        is_apart,
        off_policy_steps: steps_ahead.unwrap_or(1.0),
    });
    Ok(())
}

fn saved_modules(modules: &[String]) -> Result<SavedModules> {
    let mut saved = SavedModules::default();
    for module in modules {
        match module.as_str() {
            "embeddings" => saved.embeddings = true,
            "head" => saved.head = true,
            other => {
                let message = format!(
                    "unknown module '{other}': `modules_to_save` accepts embeddings and head"
                );
                return Err(wrong(message).hint(suggest::closest(other, MODULES)));
            }
        }
    }
    Ok(saved)
}

/// Reads the frozen model of training: the reference of a policy, or a teacher.
pub(super) fn read_frozen(
    catalog: &Catalog<'_>,
    request: &RunRequest,
    model: &ModelFacts,
    run: &Run,
    hub: Option<&ModelHub<'_>>,
    notes: &mut Vec<Note>,
) -> Result<Option<Frozen>> {
    let (reference, teacher) = (
        request.reference_model.as_deref(),
        request.teacher_model.as_deref(),
    );
    let compares = matches!(run.workload, Workload::Dpo | Workload::Grpo | Workload::Ppo);
    let distills = run.workload == Workload::Distill;
    if reference.is_some() && !compares {
        return Err(wrong("`reference_model` applies only to dpo, grpo and ppo"));
    }
    if teacher.is_some() && !distills {
        return Err(wrong("`teacher_model` applies only to distill"));
    }
    let name = match (reference, teacher) {
        (Some(NO_MODEL), _) => return Ok(None),
        (Some(name), _) | (_, Some(name)) => name,
        (None, None) if distills => {
            return Err(wrong("distill needs a teacher: give `teacher_model`"));
        }
        (None, None) => {
            return Ok(compares.then_some(Frozen {
                shape: model.shape,
                weights: run.weights,
                is_base: run.adapters,
            }));
        }
    };
    let named = RunRequest {
        model: Some(ModelSource::Name(name.to_owned())),
        ..RunRequest::default()
    };
    let frozen = read_model(catalog, &named, hub, notes)?;
    if frozen.shape.vocab != model.shape.vocab {
        let message = format!(
            "{} has a vocabulary of {} tokens, and {} has {}: their probabilities are comparable only for the same tokenizer",
            frozen.name, frozen.shape.vocab, model.name, model.shape.vocab
        );
        notes.push(Note::new("vocabularies-differ", message));
    }
    let stored_as = frozen.stored_as.as_deref().unwrap_or("bf16");
    let (_, weights) = precision(catalog, stored_as, None)?;
    Ok(Some(Frozen {
        shape: frozen.shape,
        weights: frozen.format.unwrap_or(weights),
        is_base: false,
    }))
}
