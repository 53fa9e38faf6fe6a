//! The command that starts the serving engine with the computed layout.

use std::path::Path;

use sky_accel_core::catalog::{AcceleratorId, Catalog};
use sky_accel_core::sizing::{Engine, Layout, Support, supports};
use sky_accel_targets::launch::{Checkpoint, Command, Launch, Recipe, Stretch, command};

use crate::contract::{LaunchOut, VariableOut};
use crate::sizing::{ModelRun, Sizer, WeightSource, weight_source};

/// The prefix of GGUF format names.
const GGUF: &str = "gguf:";

/// The command for some devices in a layout; `None` if the serving engine has none.
pub fn launch(
    catalog: &Catalog<'_>,
    work: &ModelRun,
    accelerator: AcceleratorId,
    sizer: &Sizer,
    layout: &Layout,
    nodes: u32,
) -> Option<Command> {
    // A process uses one logical part of a device, so partitioned devices need a command per part.
    if sizer.is_part && layout.devices() > 1 {
        return None;
    }
    let shape = &work.model.shape;
    let tokens = work.run.sequence();
    if !work.run.workload.is_training() && shape.context.is_some_and(|most| tokens > most.into()) {
        // Serving engines reject or truncate sequences beyond the model's maximum.
        return None;
    }
    let stretched = shape
        .yarn
        .filter(|yarn| tokens > yarn.native_context.into());
    // vLLM renamed this option: the name here is from the newest known version.
    if stretched.is_some() && work.run.engine == Engine::Vllm && work.engine_version.is_some() {
        return None;
    }
    let yarn = stretched.zip(shape.context).map(|(yarn, most)| Stretch {
        factor: f64::from(most) / f64::from(yarn.original_context),
        original_context: yarn.original_context,
        rope_theta: yarn.rope_theta,
    });
    let (checkpoint, quantize) = weights(catalog, work, accelerator);
    let support = |format: &str| supports(catalog, accelerator, format);
    let is_half = work.precision == "bf16"
        && support("bf16") == Support::No
        && support("fp16") == Support::Yes;
    command(&Launch {
        run: &work.run,
        layout,
        nodes,
        checkpoint,
        quantize,
        static_share: sizer.static_share(work, layout),
        is_mixture: shape.experts.is_some(),
        yarn,
        is_half,
        recipe: recipe(catalog, work, accelerator),
    })
}

/// What the serving engine needs to start the model on the devices, as the catalog knows it.
fn recipe<'c>(catalog: &Catalog<'c>, work: &ModelRun, accelerator: AcceleratorId) -> Recipe<'c> {
    let mut recipe = Recipe::default();
    if work.run.workload.is_training() {
        return recipe;
    }
    let vendor = catalog.str(catalog.accelerator(accelerator).vendor);
    for row in catalog.recipes(work.run.engine, &work.model.name, vendor) {
        recipe.arguments.extend(catalog.strings(row.arguments));
        recipe.variables.extend(catalog.strings(row.variables));
    }
    recipe
}

impl From<Command> for LaunchOut {
    fn from(command: Command) -> Self {
        let variables = command.variables.into_iter();
        Self {
            command: command.text,
            variables: variables
                .map(|(name, meaning)| VariableOut {
                    name: name.to_owned(),
                    meaning,
                })
                .collect(),
        }
    }
}

/// The weights to load, and the format to quantize them to while loading.
fn weights<'w>(
    catalog: &Catalog<'_>,
    work: &'w ModelRun,
    accelerator: AcceleratorId,
) -> (Checkpoint, Option<&'w str>) {
    let (model, precision) = (&work.model, work.precision.as_str());
    let missing = || {
        let weights = match precision.strip_prefix(GGUF) {
            Some(kind) => format!("a GGUF file of {} in {kind}", model.name),
            None => format!("a checkpoint of {} in {precision}", model.name),
        };
        (Checkpoint::Missing(weights), None)
    };
    // A name that begins with a dash would be parsed as an option.
    let named = model.checkpoint.as_ref();
    let Some(name) = named.filter(|name| !name.starts_with('-')) else {
        return missing();
    };
    match weight_source(catalog, work, accelerator) {
        Some(WeightSource::Files) => {
            let is_file = Path::new(name)
                .extension()
                .is_some_and(|end| end.eq_ignore_ascii_case("gguf"));
            let checkpoint = match precision.strip_prefix(GGUF) {
                Some(_) if is_file => Checkpoint::GgufFile(name.clone()),
                // A GGUF repository has files of several formats.
                Some(kind) => Checkpoint::Named(format!("{name}:{kind}")),
                None => Checkpoint::Named(name.clone()),
            };
            (checkpoint, None)
        }
        Some(WeightSource::Checkpoint(id)) => (Checkpoint::Named(id.to_owned()), None),
        Some(WeightSource::OnLoad) => (Checkpoint::Named(name.clone()), Some(precision)),
        None => missing(),
    }
}
