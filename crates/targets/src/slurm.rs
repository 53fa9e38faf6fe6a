//! A Slurm batch script. Each site chooses its names for types of generic resources (gres).

use std::fmt::Write as _;

use sky_accel_core::plan::Candidate;

use crate::job::{Handover, is_spot};
use crate::serving::Rendezvous;
use crate::target::{Descriptor, Fallback, Validation};
use crate::{LossCode, Rendered, Step, Unsupported, write};

/// The number of devices from which a job takes the whole machine.
const ALL_DEVICES: u32 = 8;

/// A Slurm batch script.
pub(crate) const TARGET: Descriptor = Descriptor {
    step: Step::Schedule,
    rendezvous: Some(Rendezvous {
        rank: "\"$SLURM_NODEID\"",
        address: Some("\"$(scontrol show hostnames \"$SLURM_JOB_NODELIST\" | head -n 1)\""),
    }),
    counts_whole_devices: true,
    fallback: Fallback::External,
    validation: Validation::OnRequest,
    ..Descriptor::new("slurm", "a batch script", render)
};

pub(crate) fn render(handover: &Handover<'_, '_>, out: &mut Rendered) -> Result<(), Unsupported> {
    let Some(first) = handover.first() else {
        return Ok(());
    };
    let job = handover.job;
    let gres = gres(handover, first, out)?;
    let mut text = String::from("#!/bin/bash\n");
    let _ = writeln!(text, "#SBATCH --job-name={}", handover.name(60, out));
    let _ = writeln!(text, "#SBATCH --nodes={}", job.nodes);
    text.push_str("#SBATCH --ntasks-per-node=1\n");
    let _ = writeln!(text, "#SBATCH --gres={}", gres.join(","));
    if handover.layout.is_none() && (job.nodes > 1 || Handover::count(first) >= ALL_DEVICES) {
        // Without it, many sites give a task one processor.
        text.push_str("#SBATCH --exclusive\n");
    }
    if let Some(disk) = job.disk_gb {
        let _ = writeln!(text, "#SBATCH --tmp={disk}G");
    }
    let _ = write!(
        text,
        "\nset -euo pipefail\n\nsrun bash -c {}\n",
        write::shell(&handover.command(first))
    );
    if job.image.is_some() {
        out.lose(
            LossCode::Image,
            "each site decides how jobs run containers: pyxis, Apptainer or OCI bundles",
        );
    }
    if handover.candidates.len() > 1 {
        out.lose(
            LossCode::Fallback,
            "the cluster places the job, so the plan's candidates are not tried in order",
        );
    }
    handover.lose_place("a job", out);
    if handover.candidates.iter().any(is_spot) {
        out.lose(
            LossCode::Spot,
            "each site decides which of its partitions has spot machines",
        );
    }
    if job.max_price.is_some() {
        out.lose(LossCode::MaxPrice, "a job has no price limit");
    }
    if let Some(cuda) = &job.cuda {
        out.lose(
            LossCode::CudaMin,
            format!("the nodes decide the driver, which must support CUDA {cuda}"),
        );
    }
    if job.interconnect.is_some() {
        out.lose(
            LossCode::Interconnect,
            "the site decides how nodes are linked: ask the site for the right partition",
        );
    }
    if job.host.is_some() {
        out.lose(
            LossCode::Host,
            "the site decides the hosts of its nodes: ask the site for the right partition",
        );
    }
    if job.capacity.is_some() {
        out.lose(LossCode::Capacity, "the reservation is EC2's");
    }
    out.file("job.sh", text);
    Ok(())
}

/// The generic resources: devices or slices.
fn gres(
    handover: &Handover<'_, '_>,
    candidate: &Candidate,
    out: &mut Rendered,
) -> Result<Vec<String>, Unsupported> {
    let named = |key: &str| {
        let mut types = handover.job.slurm_types.iter();
        types
            .find(|(name, _)| name.eq_ignore_ascii_case(key))
            .map(|(_, site)| site.as_str())
    };
    let accelerator = handover.accelerator(candidate);
    let slices = handover.slices();
    let mut gres = Vec::new();
    if slices.is_empty() {
        let family = handover.catalog.str(accelerator.family);
        let id = handover.catalog.str(accelerator.id);
        let count = Handover::count(candidate);
        match (
            named(id).or_else(|| named(family)),
            handover.catalog.sdk_kind(&accelerator),
        ) {
            (Some(site), _) => gres.push(format!("gpu:{site}:{count}")),
            // Most sites use the family in lower case, if they define types at all.
            (None, Some(sdk)) if sdk.is_of_gpus() => {
                gres.push(format!(
                    "gpu:{}:{count}",
                    family.to_ascii_lowercase().replace(' ', "_")
                ));
                out.ask(
                    "gpu type",
                    "the site's name for the GPU, if it differs: `slurm_types` GPU=TYPE",
                );
            }
            _ => {
                return Err(Unsupported::SiteName(family.to_owned()));
            }
        }
    }
    for (name, n) in &slices {
        let Some(site) = named(name) else {
            return Err(Unsupported::SiteName(name.clone()));
        };
        gres.push(format!("gpu:{site}:{n}"));
    }
    Ok(gres)
}
