//! A batch script. Types of gres are the site's own words.

use std::fmt::Write as _;

use sky_accel_core::plan::Candidate;

use crate::job::{Handover, is_spot};
use crate::{CannotSay, LossCode, Rendered, write};

pub(crate) fn render(handover: &Handover<'_, '_>, out: &mut Rendered) -> Result<(), CannotSay> {
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
            "how a job gets its container is the site's choice: pyxis, Apptainer, OCI bundles",
        );
    }
    if handover.candidates.len() > 1 {
        out.lose(
            LossCode::Fallback,
            "the cluster places the job, so the order of the candidates is lost",
        );
    }
    handover.lose_place("a job", out);
    if handover.candidates.iter().any(is_spot) {
        out.lose(
            LossCode::Spot,
            "each site decides which partition has spot machines",
        );
    }
    if job.max_price.is_some() {
        out.lose(LossCode::MaxPrice, "a job has no price limit");
    }
    if let Some(cuda) = &job.cuda {
        out.lose(
            LossCode::CudaMin,
            format!("the driver for CUDA {cuda} is that of the nodes"),
        );
    }
    if job.interconnect.is_some() {
        out.lose(
            LossCode::Interconnect,
            "how nodes are joined is the site's: ask it for the partition",
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
) -> Result<Vec<String>, CannotSay> {
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
            handover.catalog.str(accelerator.sdk),
        ) {
            (Some(site), _) => gres.push(format!("gpu:{site}:{count}")),
            // Where GPUs are typed at all, they are by family.
            (None, "cuda" | "rocm") => {
                gres.push(format!(
                    "gpu:{}:{count}",
                    family.to_ascii_lowercase().replace(' ', "_")
                ));
                out.ask(
                    "gpu type",
                    "the site's name for the GPU, if it differs: --slurm-map GPU=TYPE",
                );
            }
            _ => {
                let message = format!(
                    "each site has its own name for {family}: give it with --slurm-map {family}=TYPE"
                );
                return Err(CannotSay(message));
            }
        }
    }
    for (name, n) in &slices {
        let Some(site) = named(name) else {
            let message = format!(
                "each site has its own name for {name}: give it with --slurm-map {name}=TYPE"
            );
            return Err(CannotSay(message));
        };
        gres.push(format!("gpu:{site}:{n}"));
    }
    Ok(gres)
}
