//! A task environment for the Flyte SDK, version 2.

use std::fmt::Write as _;

use sky_accel_core::mig::targets::{Layout, names};
use sky_accel_core::plan::Candidate;

use crate::job::{Handover, is_spot};
use crate::{CannotSay, LossCode, Rendered, write};

const TOOL: &str = "flyte";

pub(crate) fn render(handover: &Handover<'_, '_>, out: &mut Rendered) -> Result<(), CannotSay> {
    // The first one that it has a word for.
    let said = |candidate: &&Candidate| handover.word_alone(TOOL, candidate).is_some();
    let Some(first) = handover.candidates.iter().find(said).or(handover.first()) else {
        return Ok(());
    };
    let job = handover.job;
    let name = handover.name(60, out);
    // One environment for each kind of slice.
    let environments: Vec<(String, String)> = match &handover.layout {
        Some(layout) => slices(handover, layout, &name)?,
        None => vec![(name, gpu(handover, first, out)?)],
    };
    if environments.len() > 1 {
        out.lose(
            LossCode::Mig,
            "each kind of slice is a task of its own, which runs all of the command",
        );
    }
    let clustered = job.nodes > 1;
    let mut text = String::from("import subprocess\n\nimport flyte\n");
    if clustered {
        text.push_str("from flyte.clustered import ClusteredTaskEnvironment\n");
    }
    let image = handover.image_or_ask(out);
    let _ = write!(text, "\nIMAGE = {}\n", write::python(&image));
    for (at, (name, gpu)) in environments.iter().enumerate() {
        let variable = if at == 0 {
            "env".to_owned()
        } else {
            format!("env_{}", at + 1)
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
    for at in 0..environments.len() {
        let suffix = if at == 0 {
            String::new()
        } else {
            format!("_{}", at + 1)
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

/// The `gpu` of the resources.
fn gpu(
    handover: &Handover<'_, '_>,
    candidate: &Candidate,
    out: &mut Rendered,
) -> Result<String, CannotSay> {
    let count = Handover::count(candidate);
    let word = handover.word(TOOL, candidate, out).ok_or_else(|| {
        let name = handover.catalog.accelerator_id(candidate.found.accelerator);
        CannotSay(format!("Flyte has no word for {count} x {name}"))
    })?;
    if let Some(slice) = handover.pod_slice(candidate) {
        let topology = handover.catalog.str(slice.topology);
        if !word.topologies.is_empty() && !word.topologies.contains(&topology) {
            let known = word.topologies.join(", ");
            let text = word.text;
            return Err(CannotSay(format!(
                "Flyte has no slice {topology} of {text}; it knows {known}"
            )));
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

/// A name and the `gpu` of each kind of slice.
fn slices(
    handover: &Handover<'_, '_>,
    layout: &Layout<'_, '_>,
    name: &str,
) -> Result<Vec<(String, String)>, CannotSay> {
    let mut environments = Vec::new();
    for (profile, n) in handover.slices() {
        let kind = layout.chip.kinds.iter().find(|kind| kind.name == profile);
        let said = kind
            .and_then(|kind| names(&handover.catalog, &layout.chip.geometry, &kind.profile).flyte);
        let Some((gpu, partition)) = said else {
            let gpu = handover.catalog.str(layout.chip.geometry.title);
            return Err(CannotSay(format!(
                "Flyte has no word for {profile} of {gpu}"
            )));
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

fn lost(handover: &Handover<'_, '_>, out: &mut Rendered) {
    if handover.candidates.len() > 1 {
        out.lose(
            LossCode::Fallback,
            "the cluster places the task, so the order of the candidates is lost",
        );
    }
    handover.lose_place("a task", out);
    if handover.job.max_price.is_some() {
        out.lose(LossCode::MaxPrice, "a task has no price limit");
    }
    if let Some(cuda) = &handover.job.cuda {
        out.lose(
            LossCode::CudaMin,
            format!("the driver for CUDA {cuda} is that of the nodes"),
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
            "how nodes are joined is the cluster's",
        );
    }
    if handover.job.capacity.is_some() {
        out.lose(LossCode::Capacity, "the reservation is EC2's");
    }
}
