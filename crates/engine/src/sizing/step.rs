//! The step of an optimizer: its size, and the models and answers that are part of it. As it is asked,
//! and as the sizing computes it.

use sky_accel_core::catalog::Catalog;
use sky_accel_core::note::Note;
use sky_accel_core::sizing::{Frozen, Rollouts, Run, SavedModules, StepSize, Workload};
use sky_accel_core::suggest;

use super::hub::ModelHub;
use super::model::{ModelFacts, read_model};
use super::request::{MAX_BATCH, MAX_TOKENS, ModelSource, RunRequest, number, precision, wrong};
use crate::error::Result;

/// Sequences that are generated for a step where nothing is said.
const ROLLOUTS: f64 = 512.0;
/// The most steps by which generating runs ahead of training.
const MAX_OFF_POLICY_STEPS: f64 = 1000.0;
/// Stands for no reference model.
const NO_MODEL: &str = "none";
/// The modules that can be trained whole beside adapters.
const MODULES: [&str; 2] = ["embeddings", "head"];

/// The size of an optimizer step, as far as it is given.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StepRequest {
    /// Micro-batches of each data-parallel rank in a step.
    pub gradient_accumulation: Option<f64>,
    /// Sequences of all ranks in a step.
    pub global_batch: Option<f64>,
    /// Parts of each pipeline stage that take turns.
    pub virtual_pipeline: Option<f64>,
    /// Tokens of the examples that are packed into a training sequence, on average.
    pub packed: Option<f64>,
    /// Modules that are trained whole beside adapters: `embeddings`, `head`.
    pub modules_to_save: Vec<String>,
    /// Sequences that are generated for a step of GRPO or PPO.
    pub rollouts: Option<f64>,
    /// Steps by which the answers of GRPO or PPO may be older than the weights that are trained, where other
    /// devices generate them.
    pub off_policy_steps: Option<f64>,
    /// The model that DPO, GRPO and PPO hold the trained one against: a name, a file, or `none`. The
    /// trained model itself, as it was before, where it is not given.
    pub reference_model: Option<String>,
    /// The model that distillation learns from.
    pub teacher_model: Option<String>,
}

/// A whole number of at least one.
fn whole(field: &str, value: Option<f64>, most: f64) -> Result<Option<f64>> {
    match number(field, value, 1.0..=most)? {
        Some(value) if value.fract() != 0.0 => {
            Err(wrong(format!("{field} is a whole number, not {value}")))
        }
        value => Ok(value),
    }
}

/// Nothing of a training step may be given for other work.
fn refuse_training(step: &StepRequest) -> Result<()> {
    let given = [
        (
            "gradient_accumulation",
            step.gradient_accumulation.is_some(),
        ),
        ("global_batch", step.global_batch.is_some()),
        ("virtual_pipeline", step.virtual_pipeline.is_some()),
        ("packed", step.packed.is_some()),
        ("modules_to_save", !step.modules_to_save.is_empty()),
        ("rollouts", step.rollouts.is_some()),
        ("off_policy_steps", step.off_policy_steps.is_some()),
        ("reference_model", step.reference_model.is_some()),
        ("teacher_model", step.teacher_model.is_some()),
    ];
    match given.into_iter().find(|(_, is_given)| *is_given) {
        Some((field, _)) => Err(wrong(format!("{field} is for training"))),
        None => Ok(()),
    }
}

/// The size of an optimizer step.
pub(super) fn read_step(run: &mut Run, step: &StepRequest, is_apart: bool) -> Result<()> {
    if !run.workload.is_training() {
        return refuse_training(step);
    }
    let accumulation = whole(
        "gradient_accumulation",
        step.gradient_accumulation,
        MAX_TOKENS,
    )?;
    let sequences = whole("global_batch", step.global_batch, MAX_TOKENS)?;
    let parts = whole("virtual_pipeline", step.virtual_pipeline, MAX_TOKENS)?;
    run.virtual_pipeline = parts.unwrap_or(run.virtual_pipeline);
    run.packed = whole("packed", step.packed, run.sequence())?;
    run.saved = saved_modules(run, &step.modules_to_save)?;
    run.step = match (accumulation, sequences) {
        (Some(_), Some(_)) => {
            return Err(wrong(
                "gradient_accumulation follows from global_batch: give one of them".to_owned(),
            ));
        }
        (None, Some(sequences)) => {
            if sequences % run.batch != 0.0 {
                return Err(wrong(format!(
                    "a global batch of {sequences} sequences is no whole number of micro-batches of {}",
                    run.batch
                )));
            }
            StepSize::Sequences(sequences)
        }
        (Some(steps), None) => StepSize::MicroBatches(steps),
        (None, None) => run.step,
    };
    read_rollouts(run, step, is_apart)
}

/// The answers that are generated for a step.
fn read_rollouts(run: &mut Run, step: &StepRequest, is_apart: bool) -> Result<()> {
    if !run.workload.has_rollouts() {
        let given = [
            ("rollouts", step.rollouts),
            ("off_policy_steps", step.off_policy_steps),
        ];
        if let Some((field, _)) = given.iter().find(|(_, given)| given.is_some()) {
            return Err(wrong(format!(
                "{field} is for grpo and ppo: {} generates nothing",
                run.workload.word()
            )));
        }
        return Ok(());
    }
    if run.generate < 1.0 {
        return Err(wrong(format!(
            "{} is trained on what it generates: generate is at least 1",
            run.workload.word()
        )));
    }
    if step.off_policy_steps.is_some() && !is_apart {
        return Err(wrong(
            "off_policy_steps is for answers of other devices: give disaggregated too".to_owned(),
        ));
    }
    let ahead = whole(
        "off_policy_steps",
        step.off_policy_steps,
        MAX_OFF_POLICY_STEPS,
    )?;
    let sequences = whole("rollouts", step.rollouts, MAX_BATCH)?.unwrap_or(ROLLOUTS);
    match run.step {
        StepSize::Sequences(batch) if sequences % batch != 0.0 => {
            return Err(wrong(format!(
                "{sequences} rollouts are no multiple of the global batch of {batch}"
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
        off_policy_steps: ahead.unwrap_or(1.0),
    });
    Ok(())
}

fn saved_modules(run: &Run, modules: &[String]) -> Result<SavedModules> {
    if !modules.is_empty() && !run.adapters {
        return Err(wrong(
            "modules_to_save are trained beside adapters: without adapters, everything is trained"
                .to_owned(),
        ));
    }
    let mut saved = SavedModules::default();
    for module in modules {
        match module.as_str() {
            "embeddings" => saved.embeddings = true,
            "head" => saved.head = true,
            other => {
                let message =
                    format!("unknown module '{other}': modules_to_save are embeddings and head");
                return Err(wrong(message).hint(suggest::closest(other, MODULES)));
            }
        }
    }
    Ok(saved)
}

/// The model that training runs without training it: the reference of a policy, or a teacher.
pub(super) fn read_frozen(
    catalog: &Catalog<'_>,
    request: &RunRequest,
    model: &ModelFacts,
    run: &Run,
    hub: Option<&ModelHub<'_>>,
    notes: &mut Vec<Note>,
) -> Result<Option<Frozen>> {
    let step = &request.step;
    let (reference, teacher) = (
        step.reference_model.as_deref(),
        step.teacher_model.as_deref(),
    );
    let compares = matches!(run.workload, Workload::Dpo | Workload::Grpo | Workload::Ppo);
    let distills = run.workload == Workload::Distill;
    if reference.is_some() && !compares {
        return Err(wrong("reference_model is for dpo, grpo and ppo".to_owned()));
    }
    if teacher.is_some() && !distills {
        return Err(wrong("teacher_model is for distill".to_owned()));
    }
    let name = match (reference, teacher) {
        (Some(NO_MODEL), _) => return Ok(None),
        (Some(name), _) | (_, Some(name)) => name,
        (None, None) if distills => {
            return Err(wrong(
                "distill learns from a teacher: give teacher_model".to_owned(),
            ));
        }
        (None, None) => {
            return Ok(compares.then_some(Frozen {
                shape: model.shape,
                weights: run.weights,
                is_base: run.adapters,
            }));
        }
    };
    let asked = RunRequest {
        model: Some(ModelSource::Name(name.to_owned())),
        ..RunRequest::default()
    };
    let found = read_model(catalog, &asked, hub, notes)?;
    if found.shape.vocab != model.shape.vocab {
        let message = format!(
            "{} has a vocabulary of {} tokens, and {} one of {}: their probabilities compare only where tokens are the same",
            found.name, found.shape.vocab, model.name, model.shape.vocab
        );
        notes.push(Note::new("vocabularies-differ", message));
    }
    let stored_as = found.stored_as.as_deref().unwrap_or("bf16");
    let (_, weights) = precision(catalog, stored_as, None)?;
    Ok(Some(Frozen {
        shape: found.shape,
        weights: found.format.unwrap_or(weights),
        is_base: false,
    }))
}
