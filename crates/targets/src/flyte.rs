//! A task environment for the Flyte SDK, version 2.

use std::fmt::Write as _;

use sky_accel_core::mig::targets::{Layout, names};
use sky_accel_core::plan::Candidate;

use crate::job::{Handover, is_spot};
use crate::target::{Descriptor, Fallback};
use crate::{LossCode, Rendered, Step, Unsupported, write};

const TOOL: &str = "flyte";

/// A task for the Flyte SDK, in Python.
pub(crate) const TARGET: Descriptor = Descriptor {
    step: Step::Schedule,
    counts_whole_devices: true,
    fallback: Fallback::External,
    ..Descriptor::new("flyte", "a task for the Flyte SDK", render)
};

pub(crate) fn render(handover: &Handover<'_, '_>, out: &mut Rendered) -> Result<(), Unsupported> {
    // The first candidate that Flyte supports; without one, the error is about the first candidate.
    let is_supported = |candidate: &&Candidate| handover.word_alone(TOOL, candidate).is_some();
    let Some(first) = handover
        .candidates
        .iter()
        .find(is_supported)
        .or(handover.first())
    else {
        return Ok(());
    };
    let job = handover.job;
    let name = handover.name(60, out);
    // A task environment requests slices of a single profile.
    let environments: Vec<(String, String)> = match &handover.layout {
        Some(layout) => slices(handover, layout, &name)?,
        None => vec![(name, gpu(handover, first, out)?)],
    };
    if environments.len() > 1 {
        out.lose(
            LossCode::Mig,
            "each MIG profile is a separate task, and each task runs the whole command",
        );
    }
    let clustered = job.nodes > 1;
    let mut text = String::from("import subprocess\n\nimport flyte\n");
    if clustered {
        text.push_str("from flyte.clustered import ClusteredTaskEnvironment\n");
    }
    let image = handover.image_or_ask(out);
    let _ = write!(text, "\nIMAGE = {}\n", write::python(&image));
    for (index, (name, gpu)) in environments.iter().enumerate() {
        let variable = if index == 0 {
            "env".to_owned()
        } else {
            format!("env_{}", index + 1)
        };
        let kind = if clustered {
            "ClusteredTaskEnvironment"
        } else {
            "flyte.TaskEnvironment"
        };
        let disk = job
            .disk_gb
            .map(|disk| format!(", disk=\"{disk}G\""))
            .unwrap_or_default();
        let _ = write!(
            text,
            "\n{variable} = {kind}(\n    name={},\n    image=IMAGE,\n    resources=flyte.Resources(gpu={gpu}{disk}, shm=\"auto\"),\n",
            write::python(name)
        );
        if is_spot(first) {
            text.push_str("    interruptible=True,\n");
        }
        if clustered {
            let devices = Handover::count(first);
            let _ = writeln!(
                text,
                "    replicas={},\n    nproc_per_node={devices},",
                job.nodes
            );
        }
        text.push_str(")\n");
    }
    for index in 0..environments.len() {
        let suffix = if index == 0 {
            String::new()
        } else {
            format!("_{}", index + 1)
        };
        let retries = if is_spot(first) { "(retries=3)" } else { "" };
        let command = write::python(&handover.command(first));
        let _ = write!(
            text,
            "\n\n@env{suffix}.task{retries}\ndef main{suffix}() -> None:\n    subprocess.run([\"sh\", \"-c\", {command}], check=True)\n"
        );
    }
    lost(handover, out);
    out.file("task.py", text);
    Ok(())
}

/// Returns the `gpu` argument of the resources.
fn gpu(
    handover: &Handover<'_, '_>,
    candidate: &Candidate,
    out: &mut Rendered,
) -> Result<String, Unsupported> {
    let count = Handover::count(candidate);
    let word = handover.word(TOOL, candidate, out).ok_or_else(|| {
        let name = handover.catalog.accelerator_id(candidate.found.accelerator);
        Unsupported::Unknown {
            kind: "Flyte name",
            product: format!("{count} x {name}"),
        }
    })?;
    if let Some(slice) = handover.pod_slice(candidate) {
        let topology = handover.catalog.str(slice.topology);
        if !word.topologies.is_empty() && !word.topologies.contains(&topology) {
            return Err(Unsupported::Topology {
                accelerator: word.text.to_owned(),
                topology: topology.to_owned(),
                supported: word.topologies.join(", "),
            });
        }
        let (name, topology) = (write::python(word.text), write::python(topology));
        return Ok(format!("flyte.TPU({name}, {topology})"));
    }
    Ok(match word.vendor {
        Some(class) => {
            let (class, name) = (write::python(class), write::python(word.text));
            format!("flyte.Device({count}, {class}, {name})")
        }
        None => write::python(&format!("{}:{count}", word.text)),
    })
}

/// Returns the name of the environment and the `gpu` argument for each MIG profile.
fn slices(
    handover: &Handover<'_, '_>,
    layout: &Layout<'_, '_>,
    name: &str,
) -> Result<Vec<(String, String)>, Unsupported> {
    let mut environments = Vec::new();
    for (profile, n) in handover.slices() {
        let kind = layout.chip.kinds.iter().find(|kind| kind.name == profile);
        let flyte_names = kind
            .and_then(|kind| names(&handover.catalog, &layout.chip.geometry, &kind.profile).flyte);
        let Some((gpu, partition)) = flyte_names else {
            let gpu = handover.catalog.str(layout.chip.geometry.title);
            return Err(Unsupported::Unknown {
                kind: "Flyte name",
                product: format!("{profile} of {gpu}"),
            });
        };
        let suffix = write::slug(&format!("mig-{profile}"), 20);
        let (gpu, partition) = (write::python(gpu), write::python(partition));
        environments.push((
            format!("{name}-{suffix}"),
            format!("flyte.GPU({gpu}, {n}, partition={partition})"),
        ));
    }
    Ok(environments)
}

/// Adds the losses: settings that Flyte cannot express.
fn lost(handover: &Handover<'_, '_>, out: &mut Rendered) {
    if handover.candidates.len() > 1 {
        out.lose(
            LossCode::Fallback,
            "the cluster places the task, so the plan's candidates are not tried in order",
        );
    }
    handover.lose_place("a task", out);
    if handover.job.max_price.is_some() {
        out.lose(LossCode::MaxPrice, "a task has no price limit");
    }
    if let Some(cuda) = &handover.job.cuda {
        out.lose(
            LossCode::CudaMin,
            format!("the nodes decide the driver, which must support CUDA {cuda}"),
        );
    }
    if handover.machine_image().is_some() {
        out.lose(
            LossCode::Image,
            "a task runs a container image, not a machine image",
        );
    }
    if handover.job.interconnect.is_some() {
        out.lose(
            LossCode::Interconnect,
            "the cluster decides how its nodes are linked",
        );
    }
    if handover.job.host.is_some() {
        out.lose(LossCode::Host, "the cluster decides the hosts of its nodes");
    }
    if handover.job.capacity.is_some() {
        out.lose(LossCode::Capacity, "the reservation is for EC2");
    }
}
