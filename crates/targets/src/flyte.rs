//! A task environment for the Flyte SDK, version 2.

use std::fmt::Write as _;

use sky_accel_core::mig::targets::{Layout, names};
use sky_accel_core::plan::Candidate;

use crate::job::{Handover, is_spot};
use crate::{CannotSay, Rendered, write};

const TOOL: &str = "flyte";

pub(crate) fn render(own: &Handover<'_, '_>, out: &mut Rendered) -> Result<(), CannotSay> {
    // The first one that it has a word for.
    let said = |candidate: &&Candidate| own.word_alone(TOOL, candidate).is_some();
    let Some(first) = own.candidates.iter().find(said).or(own.first()) else {
        return Ok(());
    };
    let job = own.job;
    let name = own.name(60, out);
    // One environment for each kind of slice.
    let environments: Vec<(String, String)> = match &own.layout {
        Some(layout) => slices(own, layout, &name)?,
        None => vec![(name, gpu(own, first, out)?)],
    };
    if environments.len() > 1 {
        out.lose(
            "mig",
            "each kind of slice is a task of its own, which runs all of the command",
        );
    }
    let clustered = job.nodes > 1;
    let mut text = String::from("import subprocess\n\nimport flyte\n");
    if clustered {
        text.push_str("from flyte.clustered import ClusteredTaskEnvironment\n");
    }
    let image = own.image_or_ask(out);
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
        let command = write::python(&own.command(first));
        let _ = write!(
            text,
            "\n\n@env{suffix}.task{retries}\ndef main{suffix}() -> None:\n    subprocess.run([\"sh\", \"-c\", {command}], check=True)\n"
        );
    }
    lost(own, out);
    out.file("task.py", text);
    Ok(())
}

/// The `gpu` of the resources.
fn gpu(
    own: &Handover<'_, '_>,
    candidate: &Candidate,
    out: &mut Rendered,
) -> Result<String, CannotSay> {
    let count = Handover::count(candidate);
    let word = own.word(TOOL, candidate, out).ok_or_else(|| {
        let name = own.catalog.accelerator_id(candidate.found.accelerator);
        CannotSay(format!("Flyte has no word for {count} x {name}"))
    })?;
    if let Some(slice) = own.pod_slice(candidate) {
        let topology = own.catalog.str(slice.topology);
        return Ok(format!("flyte.TPU(\"{}\", \"{topology}\")", word.text));
    }
    Ok(match word.vendor {
        Some(class) => format!("flyte.Device({count}, \"{class}\", \"{}\")", word.text),
        None => format!("\"{}:{count}\"", word.text),
    })
}

/// A name and the `gpu` of each kind of slice.
fn slices(
    own: &Handover<'_, '_>,
    layout: &Layout<'_, '_>,
    name: &str,
) -> Result<Vec<(String, String)>, CannotSay> {
    let mut all = Vec::new();
    for (profile, n) in own.slices() {
        let kind = layout.chip.kinds.iter().find(|kind| kind.name == profile);
        let said =
            kind.and_then(|kind| names(&own.catalog, layout.chip.geometry, kind.profile).flyte);
        let Some((gpu, partition)) = said else {
            let gpu = own.catalog.str(layout.chip.geometry.title);
            return Err(CannotSay(format!(
                "Flyte has no word for {profile} of {gpu}"
            )));
        };
        let suffix = write::slug(&format!("mig-{profile}"), 20);
        all.push((
            format!("{name}-{suffix}"),
            format!("flyte.GPU(\"{gpu}\", {n}, partition=\"{partition}\")"),
        ));
    }
    Ok(all)
}

fn lost(own: &Handover<'_, '_>, out: &mut Rendered) {
    if own.candidates.len() > 1 {
        out.lose("fallback", "a task runs where the cluster has room: providers, regions and their order are the cluster's");
    }
    if own.job.max_price.is_some() {
        out.lose("max_price", "a task has no price limit");
    }
    if let Some(cuda) = &own.job.cuda {
        out.lose(
            "cuda_min",
            format!("the driver for CUDA {cuda} is that of the nodes"),
        );
    }
    if own.machine_image().is_some() {
        out.lose(
            "image",
            "a task runs a container image, not a machine image",
        );
    }
    if own.job.interconnect.is_some() {
        out.lose("interconnect", "how nodes are joined is the cluster's");
    }
    if own.job.capacity.is_some() {
        out.lose("capacity", "the reservation is EC2's");
    }
}
