//! The command that starts the workload of a recommendation, its servers and their image.

use sky_accel_core::bind::BoundChoice;
use sky_accel_core::catalog::Catalog;
use sky_accel_core::note::Note;
use sky_accel_core::plan::{Candidate, Plan};
use sky_accel_core::sizing::{Experts, Layout, ServingEngine};
use sky_accel_targets::launch::Command;
use sky_accel_targets::{Endpoint, Servers, Serving, Target};

use super::recommended::PlannedWork;
use super::request::PlanRequest;
use super::work::Image;
use crate::bill::checkpoint_of;
use crate::launch::launch;
use crate::sizing::{self, ModelRun, ModelSource, Sizer};

/// The folder of the program in the image of llama.cpp, which is not in its search path.
const LLAMA_CPP_PATH: &str = "export PATH=\"$PATH:/app\"\n";
/// The disk space of a downloaded model as a share of its files, some of which are metadata and temporary parts.
const FILES_SHARE: f64 = 1.1;
/// The disk space of an operating system and the image of a serving engine, in decimal GB.
const IMAGE_GB: f64 = 60.0;
/// Disks are multiples of this size, in decimal GB.
const DISK_STEP_GB: f64 = 50.0;

/// A command, and the servers that it starts.
pub(super) struct Start {
    pub command: Command,
    pub server: Option<Servers>,
    /// Whether one server shares its experts among devices that were recommended as replicas.
    pub shares_experts: bool,
    /// The disk space that the model and the image take, in decimal GB; `None` for training, whose checkpoints decide
    /// it.
    pub disk_gb: Option<u32>,
}

/// Returns the disk space for a model and the image of an engine, in decimal GB.
fn disk_gb(work: &ModelRun) -> Option<u32> {
    let bytes = checkpoint_of(work);
    let steps = (bytes * FILES_SHARE / 1e9 + IMAGE_GB) / DISK_STEP_GB;
    let is_served = !work.run.workload.is_training();
    is_served.then_some((steps.ceil() * DISK_STEP_GB) as u32)
}

/// Returns the command that starts the workload on the machines of a candidate, or a note without such a command.
pub(super) fn start(
    catalog: &Catalog<'_>,
    work: &PlannedWork,
    first: &Candidate,
    nodes: u32,
    target: Option<Target>,
    is_engine_image: bool,
) -> Result<Option<Start>, Note> {
    let mut read = sizing::read(catalog, &work.run, None).map_err(|error| {
        let message = format!("the plan has no command: {error}");
        Note::new("no-command", message)
    })?;
    read.is_offline = work.is_offline;
    let accelerator = first.found.accelerator;
    let run = &read.run;
    // Plans do not have the memory of a partial device, which SGLang's memory fraction needs.
    if first.found.count.whole_devices() == 0 && run.engine == ServingEngine::Sglang {
        return Ok(None);
    }
    let target = target.map(Target::descriptor);
    let sizer = Sizer::new(catalog, accelerator, &read);
    let command = launch(catalog, &read, accelerator, &sizer, &work.layout, nodes);
    if let Some(command) = command.filter(|command| command.ends) {
        let command = command.met_by(target.and_then(|target| target.rendezvous));
        return Ok(Some(Start {
            command,
            server: None,
            shares_experts: false,
            disk_gb: disk_gb(&read),
        }));
    }
    let serving = target.and_then(|target| target.serving);
    let endpoint = Endpoint::of(run.engine).filter(|_| !run.workload.is_training());
    let is_mixture = read.model.shape.experts.is_some();
    let split = serving.zip(endpoint).map(|(serving, endpoint)| {
        Servers::split(endpoint, &work.layout, nodes, serving, is_mixture)
    });
    let (server, mut layout) = match split {
        Some((server, layout)) => (Some(server), layout),
        None => (None, work.layout),
    };
    let shared = serving
        .filter(|serving| !matches!(serving, Serving::Pods(_)) && run.engine == ServingEngine::Vllm)
        .and_then(|_| with_shared_experts(&layout, read.model.shape.experts.as_ref()));
    layout = shared.unwrap_or(layout);
    let machines = server.as_ref().map_or(nodes, |server| server.machines);
    let devices = layout.devices() / machines.max(1);
    // Such a command starts one server, and the target numbers all machines.
    if layout.data > 1 && layout.tensor * layout.pipeline > devices && is_mixture {
        return Ok(None);
    }
    let command = launch(catalog, &read, accelerator, &sizer, &layout, machines);
    Ok(command.map(|mut command| {
        if let Some(server) = server
            .as_ref()
            .filter(|server| !server.endpoint.listen.is_empty())
        {
            command.text = format!("{} {}", command.text, server.endpoint.listen);
        }
        let rendezvous = target.and_then(|target| match (target.serving, &server) {
            (Some(Serving::Pods(rendezvous)), Some(_)) => Some(rendezvous),
            _ => target.rendezvous,
        });
        let mut command = command.met_by(rendezvous);
        if is_engine_image && run.engine == ServingEngine::LlamaCpp {
            command.text.insert_str(0, LLAMA_CPP_PATH);
        }
        Start {
            command,
            server,
            shares_experts: shared.is_some(),
            disk_gb: disk_gb(&read),
        }
    }))
}

/// Returns the layout of one server instead of separate servers with all experts each, which would listen on several
/// ports of the machine; `None` if there is one server, or if the experts cannot be divided.
fn with_shared_experts(layout: &Layout, experts: Option<&Experts>) -> Option<Layout> {
    let experts = experts?.count;
    let ranks = layout.tensor * layout.data;
    let are_servers = layout.data > 1 && layout.expert <= layout.tensor && layout.pipeline == 1;
    (are_servers && experts.is_multiple_of(ranks)).then_some(Layout {
        expert: ranks,
        ..*layout
    })
}

/// Returns a command that stops with a message unless the user sets it, for a workload without a known command. Without
/// it, a job would only list its devices.
pub(super) fn unknown_command(work: &PlannedWork) -> Start {
    let model = match &work.run.model {
        Some(ModelSource::Name(name)) => name.as_str(),
        _ => "the model",
    };
    Start {
        command: Command::unknown(&format!("the command that runs {model}")),
        server: None,
        shares_experts: false,
        disk_gb: None,
    }
}

/// The public image of a serving engine.
pub(super) struct EngineImage<'c> {
    pub image: Image,
    /// The program that its entry point starts; empty if it runs any command.
    pub entry_point: &'c str,
}

/// Returns the public image of the serving engine of a recommendation, for a target that can run servers in it and a
/// request without an image and a command.
pub(super) fn engine_image<'c>(
    catalog: &Catalog<'c>,
    request: &PlanRequest,
    wanted: &[BoundChoice],
) -> Option<EngineImage<'c>> {
    let work = request.recommended.work.as_ref()?;
    request.target?.descriptor().serving?;
    if request.work.image.is_some() || request.work.command.is_some() {
        return None;
    }
    let read = sizing::read(catalog, &work.run, None).ok()?;
    if read.run.workload.is_training() {
        return None;
    }
    let vendor = vendor(catalog, wanted)?;
    let version = read.engine_version.as_deref();
    let (image, entry_point) = catalog.engine_image(read.run.engine, vendor, version)?;
    Some(EngineImage {
        image: image.parse().ok()?,
        entry_point,
    })
}

/// Leaves out the machines with devices of another vendor than the first choice, because the image and the command do
/// not run on them, unless there are no others.
pub(super) fn keep_vendor(catalog: &Catalog<'_>, wanted: &[BoundChoice], plan: &mut Plan) {
    let of = |way: &Candidate| catalog.accelerator(way.found.accelerator).vendor;
    let vendor = vendor(catalog, wanted);
    let is_same = |way: &Candidate| Some(catalog.str(of(way))) == vendor;
    if plan.candidates.iter().any(is_same) {
        plan.candidates.retain(is_same);
    }
}

/// The vendor of the devices of the first choice.
fn vendor<'c>(catalog: &Catalog<'c>, wanted: &[BoundChoice]) -> Option<&'c str> {
    let first = wanted.first()?.candidates.first()?;
    Some(catalog.str(catalog.accelerator(first.accelerator).vendor))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Engine;
    use crate::sizing::RunRequest;
    use sky_accel_core::sizing::Workload;

    #[test]
    fn the_disk_holds_the_files_of_the_model_and_the_image() {
        let catalog = Engine::embedded().catalog();
        let disk = |model: &str, workload: Option<Workload>| {
            let run = RunRequest {
                model: Some(ModelSource::Name(model.to_owned())),
                workload: workload.map(Into::into),
                ..RunRequest::default()
            };
            disk_gb(&sizing::read(&catalog, &run, None).unwrap())
        };
        // 16 GB of files.
        assert_eq!(disk("Llama-3.1-8B", None), Some(100));
        // 812 GB of files.
        assert_eq!(disk("Llama-3.1-405B", None), Some(1000));
        assert_eq!(disk("Llama-3.1-8B", Some(Workload::Full)), None);
    }
}
