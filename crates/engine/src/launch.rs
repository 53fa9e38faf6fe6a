//! The command that starts the serving engine with the computed layout.

use std::path::Path;

use sky_accel_core::catalog::{AcceleratorId, Catalog};
use sky_accel_core::sizing::{Layout, ModelKind, ServingEngine, Support, supports};
use sky_accel_targets::launch::{
    Checkpoint, Command, Launch, PassLimits, Recipe, Stretch, command,
};

use crate::contract::{LaunchOut, Num, VariableOut};
use crate::sizing::{
    ModelRun, Sizer, WeightSource, published_checkpoint, published_gguf, weight_source,
};

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
    // Some devices are several ranks for an engine, such as a chip with two cores.
    let architecture = catalog.str(catalog.accelerator(accelerator).architecture);
    let ranks = catalog.coefficient("ranks-per-device", architecture);
    let ranked = Layout {
        tensor: layout.tensor * ranks.unwrap_or(1.0) as u32,
        ..*layout
    };
    let support = |format: &str| supports(catalog, accelerator, format);
    // Trainers compute in 16 bits, in whichever format they keep the frozen weights.
    let is_half = (work.precision == "bf16" || work.run.workload.is_training())
        && support("bf16") == Support::No
        && support("fp16") == Support::Yes;
    let static_share = sizer.static_share(work, layout);
    let devices = Ranks {
        device: Some(accelerator),
        layout: &ranked,
        nodes,
        longest: longest(catalog, work, sizer, layout),
        is_half,
        static_share,
        limits: sizer.pass_limits(work),
    };
    start(catalog, work, &devices)
}

/// The command of llama.cpp on the processors of a host.
pub fn launch_on_host(catalog: &Catalog<'_>, work: &ModelRun) -> Option<Command> {
    let mut work = work.clone();
    work.run.gpu_layers = Some(0);
    let host = Ranks {
        device: None,
        layout: &Layout::default(),
        nodes: 1,
        longest: work.run.longest(),
        is_half: false,
        static_share: None,
        limits: None,
    };
    start(catalog, &work, &host)
}

/// Tokens of the longest request that a server admits. Without a spread, the given lengths are averages, so the default
/// is a multiple of them, if the model and the memory hold them.
fn longest(catalog: &Catalog<'_>, work: &ModelRun, sizer: &Sizer, layout: &Layout) -> f64 {
    let run = &work.run;
    let is_server = run.engine.answers() && !run.workload.is_training();
    if let Some(tokens) = run.max_context.filter(|_| is_server) {
        return tokens;
    }
    let average = run.sequence();
    if !is_server || run.length_spread.is_some() {
        return average;
    }
    let shape = &work.model.shape;
    let native = shape.yarn.map(|yarn| yarn.native_context);
    let most = native.or(shape.context).map_or(f64::MAX, f64::from);
    let factor = catalog.coefficient("longest-request", "").unwrap_or(1.0);
    let wanted = (average * factor).min(most);
    let context = sizer.largest(work, layout, wanted - run.generate, |context| {
        run.of_longest(context)
    });
    context.map_or(average, |context| average.max(context + run.generate))
}

/// The ranks of an engine.
struct Ranks<'l> {
    /// The kind of device; `None` for the processors of a host.
    device: Option<AcceleratorId>,
    layout: &'l Layout,
    nodes: u32,
    /// Tokens of the longest request.
    longest: f64,
    /// True if the devices compute in fp16 instead of bf16.
    is_half: bool,
    static_share: Option<f64>,
    /// The defaults of a server on the devices; `None` without such limits.
    limits: Option<PassLimits>,
}

/// The command for some ranks.
fn start(catalog: &Catalog<'_>, work: &ModelRun, ranks: &Ranks<'_>) -> Option<Command> {
    let shape = &work.model.shape;
    let tokens = ranks.longest;
    if !work.run.workload.is_training() && shape.context.is_some_and(|most| tokens > most.into()) {
        // Serving engines reject or truncate sequences beyond the model's maximum.
        return None;
    }
    let stretched = shape
        .yarn
        .filter(|yarn| tokens > yarn.native_context.into());
    // vLLM renamed this option: the name here is from the newest known version.
    if stretched.is_some()
        && work.run.engine == ServingEngine::Vllm
        && work.engine_version.is_some()
    {
        return None;
    }
    let yarn = stretched.zip(shape.context).map(|(yarn, most)| Stretch {
        factor: f64::from(most) / f64::from(yarn.original_context),
        original_context: yarn.original_context,
        rope_theta: yarn.rope_theta,
    });
    // Its server of generated text does not load models that only read.
    if work.model.kind == ModelKind::Encoder && work.run.engine == ServingEngine::TensorRtLlm {
        return None;
    }
    let (checkpoint, quantize) = weights(catalog, work, ranks.device);
    command(&Launch {
        run: &work.run,
        layout: ranks.layout,
        nodes: ranks.nodes,
        longest: tokens as u64,
        // Older versions have fewer options for jobs than for servers.
        batch_job: ranks
            .limits
            .filter(|_| work.is_offline && work.engine_version.is_none()),
        checkpoint,
        quantize,
        static_share: ranks.static_share,
        is_mixture: shape.experts.is_some(),
        yarn,
        is_half: ranks.is_half,
        recipe: recipe(catalog, work, ranks.device),
    })
}

/// The options that the serving engine needs to start the model on the devices, as the catalog knows it.
fn recipe<'c>(catalog: &Catalog<'c>, work: &ModelRun, device: Option<AcceleratorId>) -> Recipe<'c> {
    let mut recipe = Recipe::default();
    if work.run.workload.is_training() {
        return recipe;
    }
    let (vendor, architecture) = device.map_or(("", ""), |id| {
        let row = catalog.accelerator(id);
        (catalog.str(row.vendor), catalog.str(row.architecture))
    });
    let checkpoint = work.model.checkpoint.as_deref();
    let model = [work.model.name.as_str(), checkpoint.unwrap_or_default()];
    for row in catalog.recipes(work.run.engine, model, vendor, architecture) {
        recipe.arguments.extend(catalog.strings(row.arguments));
        recipe.variables.extend(catalog.strings(row.variables));
    }
    // Not every checkpoint of an embedding model says that it is one. Older versions have other names for the option of
    // vLLM.
    if work.model.kind == ModelKind::Encoder {
        recipe.arguments.extend(match work.run.engine {
            ServingEngine::Vllm if work.engine_version.is_none() => {
                ["--runner", "pooling"].as_slice()
            }
            ServingEngine::Sglang => ["--is-embedding"].as_slice(),
            _ => [].as_slice(),
        });
    }
    recipe
}

impl From<Command> for LaunchOut {
    fn from(command: Command) -> Self {
        let variables = command.variables.into_iter();
        Self {
            command: command.text,
            max_tokens: command.longest.map(|tokens| Num(tokens as f64)),
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
    device: Option<AcceleratorId>,
) -> (Checkpoint, Option<&'w str>) {
    let (model, precision) = (&work.model, work.precision.as_str());
    let only_gguf = work.run.engine == ServingEngine::LlamaCpp;
    let missing = || {
        let model = model.shape_of.as_ref().unwrap_or(&model.name);
        let weights = match precision.strip_prefix(GGUF) {
            Some(kind) => format!("a GGUF file of {model} in {kind}"),
            None if only_gguf => format!("a GGUF file of {model} in {precision}"),
            None => format!("a checkpoint of {model} in {precision}"),
        };
        (Checkpoint::Missing(weights), None)
    };
    if model.shape_of.is_some() {
        return missing();
    }
    if only_gguf {
        let published = published_gguf(catalog, &model.name);
        if let Some((id, _)) = published.filter(|(_, format)| *format == precision) {
            return (Checkpoint::Named(id.to_owned()), None);
        }
        if !precision.starts_with(GGUF) {
            return missing();
        }
    }
    // A name that begins with a dash would be parsed as an option.
    let named = model.checkpoint.as_ref();
    let Some(name) = named.filter(|name| !name.starts_with('-')) else {
        let published =
            published_checkpoint(catalog, work, device).filter(|_| named.is_none() && !only_gguf);
        return published.map_or_else(missing, |id| (Checkpoint::Named(id.to_owned()), None));
    };
    match weight_source(catalog, work, device) {
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
        Some(WeightSource::Checkpoint(id)) => {
            // A repository of GGUF files has several formats.
            let name = match precision.strip_prefix(GGUF) {
                Some(kind) => format!("{id}:{kind}"),
                None => id.to_owned(),
            };
            (Checkpoint::Named(name), None)
        }
        Some(WeightSource::OnLoad) => (Checkpoint::Named(name.clone()), Some(precision)),
        None => missing(),
    }
}
