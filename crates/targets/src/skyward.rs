//! A pool for skyward, which tries the specs in order.

use std::fmt::Write as _;

use sky_accel_core::plan::{Candidate, CapacityOrder};
use sky_accel_core::text::number;

use crate::job::Handover;
use crate::target::{Descriptor, Fallback, Validation};
use crate::{LossCode, Rendered, Unsupported, write};

const TOOL: &str = "skyward";
/// The loss of the CUDA version at other providers.
const ONLY_VAST: &str = "skyward can require a driver on Vast.ai only";

/// A pool for skyward, in Python.
pub(crate) const TARGET: Descriptor = Descriptor {
    tool: Some(TOOL),
    counts_whole_devices: true,
    fallback: Fallback::InOrder,
    validation: Validation::OnRequest,
    ..Descriptor::new(TOOL, "a pool for skyward", render)
};

pub(crate) fn render(handover: &Handover<'_, '_>, out: &mut Rendered) -> Result<(), Unsupported> {
    let job = handover.job;
    let mut specs: Vec<String> = Vec::new();
    let mut left_out = 0;
    for candidate in handover.candidates {
        match spec(handover, candidate, out) {
            Some(spec) if !specs.contains(&spec) => specs.push(spec),
            Some(_) => {}
            None => left_out += 1,
        }
    }
    if left_out > 0 {
        out.lose(
            LossCode::Fallback,
            format!("candidates left out: {left_out}, which skyward does not support"),
        );
    }
    let (Some(first), false) = (handover.first(), specs.is_empty()) else {
        return Err(handover.no_word(TOOL));
    };
    let allocation = match job.capacity_order {
        CapacityOrder::OnDemand => "on_demand",
        CapacityOrder::Spot => "spot",
        CapacityOrder::SpotFirst => "spot_if_available",
        CapacityOrder::Any => "cheapest",
    };
    let command = write::python(&handover.command(first));
    let mut text = format!(
        "import subprocess\n\nimport skyward as sky\n\n\n@sky.function\ndef main() -> None:\n    subprocess.run([\"sh\", \"-c\", {command}], check=True)\n\n\n\
         if __name__ == \"__main__\":\n    with sky.Compute(\n"
    );
    for spec in &specs {
        let _ = writeln!(text, "        {spec},");
    }
    let _ = write!(
        text,
        "        name={},\n        nodes={},\n        allocation=\"{allocation}\",\n        selection=\"first\",\n",
        write::python(&handover.name(60, out)),
        job.nodes
    );
    let slices = handover.slices();
    match &slices[..] {
        [] => {}
        [(profile, n)] => {
            let _ = write!(
                text,
                "        plugins=[sky.plugins.Mig(profile=\"{profile}\")],\n        executor=sky.Executor(type=\"process\", concurrency={n}),\n"
            );
        }
        _ => out.lose(
            LossCode::Mig,
            "skyward partitions all GPUs into the same profile: run mig.sh to create the mix",
        ),
    }
    let call = if job.nodes > 1 {
        "main() @ pool"
    } else {
        "main() >> pool"
    };
    let _ = write!(text, "    ) as pool:\n        {call}\n");
    if job.image.is_some() {
        out.lose(
            LossCode::Image,
            "skyward builds its own environment: use sky.Image(pip=...)",
        );
    }
    if job.interconnect.is_some() {
        out.lose(
            LossCode::Interconnect,
            "skyward cannot request an interconnect",
        );
    }
    if job.host.is_some() {
        out.lose(
            LossCode::Host,
            "skyward chooses the host of the accelerators",
        );
    }
    if job.capacity.is_some() {
        out.lose(LossCode::Capacity, "skyward does not support reservations");
    }
    out.file("pool.py", text);
    Ok(())
}

/// Writes a `sky.Spec` for a candidate; `None` if skyward does not support it.
///
/// The settings of a provider are arguments of its class in the Python library, so this function has a
/// case for each class. Accounts get distinct names, because skyward merges accounts of the same name.
fn spec(handover: &Handover<'_, '_>, candidate: &Candidate, out: &mut Rendered) -> Option<String> {
    let job = handover.job;
    // skyward counts whole devices.
    if !candidate.found.count.is_whole() || !handover.keeps_fraction(candidate) {
        return None;
    }
    let provider = handover.provider_word(TOOL, candidate);
    let provider = provider.and_then(write::python_name)?;
    let word = handover.word(TOOL, candidate, out)?;
    let accelerator = write::python_name(word.text)?;
    let mut settings = Vec::new();
    let mut requirements = Vec::new();
    let disk = job.disk_gb;
    let region = handover.region(candidate);
    match handover.provider(candidate) {
        "runpod" => {
            let centers: Vec<String> = handover
                .asked_regions(candidate)
                .iter()
                .map(|center| write::python(center))
                .collect();
            if !centers.is_empty() {
                settings.push(format!("data_center_ids=({},)", centers.join(", ")));
            }
            settings.extend(disk.map(|disk| format!("container_disk_gb={disk}")));
            lose_missing_region(candidate, centers.is_empty(), out);
            out.lose_given(LossCode::CudaMin, job.cuda.is_some(), ONLY_VAST);
        }
        "vastai" => {
            let regions = handover.asked_regions(candidate);
            if let [region] = &regions[..] {
                settings.push(format!("geolocation={}", write::python(region)));
            }
            out.lose_given(
                LossCode::Region,
                regions.len() > 1,
                "skyward takes a single region of Vast.ai, so none of the requested regions is included",
            );
            lose_missing_region(candidate, regions.is_empty(), out);
            settings.extend(disk.map(|disk| format!("disk_gb={disk}")));
            settings.extend(job.cuda.as_ref().map(|cuda| format!("min_cuda={cuda}")));
        }
        id => {
            if let Some(region) = region {
                let account = write::python(&format!("{id}-{region}"));
                let region = write::python(region);
                settings.push(format!("name={account}"));
                settings.push(format!("region={region}"));
                requirements.push(format!("region={region}"));
            }
            if job.asks_disk() {
                out.lose(
                    LossCode::Disk,
                    format!("skyward cannot request a disk size from {id}"),
                );
            }
            out.lose_given(LossCode::CudaMin, job.cuda.is_some(), ONLY_VAST);
        }
    }
    requirements.extend(
        job.max_price
            .map(|max| format!("max_hourly_cost={}", number(max.decimal()))),
    );
    let arguments: Vec<String> =
        std::iter::once(word_call(accelerator, Handover::count(candidate)))
            .chain(requirements)
            .collect();
    Some(format!(
        "sky.Spec(sky.{provider}({}), {})",
        settings.join(", "),
        arguments.join(", ")
    ))
}

/// Adds the loss of the region if the candidate has one but the file does not include it.
fn lose_missing_region(candidate: &Candidate, is_missing: bool, out: &mut Rendered) {
    out.lose_given(
        LossCode::Region,
        is_missing && candidate.region.is_some(),
        "no region was requested, so the file names none for RunPod and Vast.ai",
    );
}

/// Writes a call of the function for an accelerator.
fn word_call(word: &str, count: u32) -> String {
    format!("sky.accelerators.{word}(count={count})")
}
