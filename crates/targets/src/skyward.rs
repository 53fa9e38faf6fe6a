//! A pool for skyward: specs are tried in order.

use std::fmt::Write as _;

use sky_accel_core::plan::{Candidate, CapacityOrder};
use sky_accel_core::text::number;

use crate::job::Handover;
use crate::{CannotSay, LossCode, Rendered, write};

const TOOL: &str = "skyward";
const ONLY_VAST: &str = "skyward can require a driver only on Vast.ai";

pub(crate) fn render(handover: &Handover<'_, '_>, out: &mut Rendered) -> Result<(), CannotSay> {
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
            format!("{left_out} candidates are left out: skyward has no word for them"),
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
            "skyward cuts all GPUs into one profile: mig.sh makes the mix",
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
            "skyward builds its own environment: sky.Image(pip=...)",
        );
    }
    if job.interconnect.is_some() {
        out.lose(
            LossCode::Interconnect,
            "skyward has no word for how machines are joined",
        );
    }
    if job.capacity.is_some() {
        out.lose(LossCode::Capacity, "skyward takes no reservation");
    }
    out.file("pool.py", text);
    Ok(())
}

/// A provider with its own account, since two of one name would be one, and what is asked of it.
fn spec(handover: &Handover<'_, '_>, candidate: &Candidate, out: &mut Rendered) -> Option<String> {
    let job = handover.job;
    // It counts whole devices.
    if !candidate.found.count.is_whole() || !handover.keeps_fraction(candidate) {
        return None;
    }
    let provider = handover.provider_word(TOOL, candidate);
    let provider = provider.and_then(write::python_name)?;
    let word = handover.word(TOOL, candidate, out)?;
    let accelerator = write::python_name(word.text)?;
    let mut settings = Vec::new();
    let mut wishes = Vec::new();
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
            lose_unsaid_region(candidate, centers.is_empty(), out);
            out.lose_given(LossCode::CudaMin, job.cuda.is_some(), ONLY_VAST);
        }
        "vastai" => {
            let asked = handover.asked_regions(candidate);
            if let [one] = &asked[..] {
                settings.push(format!("geolocation={}", write::python(one)));
            }
            out.lose_given(
                LossCode::Region,
                asked.len() > 1,
                "skyward takes one place of Vast.ai: none of several is said",
            );
            lose_unsaid_region(candidate, asked.is_empty(), out);
            settings.extend(disk.map(|disk| format!("disk_gb={disk}")));
            settings.extend(job.cuda.as_ref().map(|cuda| format!("min_cuda={cuda}")));
        }
        id => {
            if let Some(region) = region {
                let account = write::python(&format!("{id}-{region}"));
                let region = write::python(region);
                settings.push(format!("name={account}"));
                settings.push(format!("region={region}"));
                wishes.push(format!("region={region}"));
            }
            if disk.is_some() {
                out.lose(
                    LossCode::Disk,
                    format!("skyward cannot request a disk size from {id}"),
                );
            }
            out.lose_given(LossCode::CudaMin, job.cuda.is_some(), ONLY_VAST);
        }
    }
    wishes.extend(
        job.max_price
            .map(|max| format!("max_hourly_cost={}", number(max.decimal()))),
    );
    let asked: Vec<String> = std::iter::once(word_call(accelerator, Handover::count(candidate)))
        .chain(wishes)
        .collect();
    Some(format!(
        "sky.Spec(sky.{provider}({}), {})",
        settings.join(", "),
        asked.join(", ")
    ))
}

/// Tells that the region which a price is of is not asked for.
fn lose_unsaid_region(candidate: &Candidate, is_unsaid: bool, out: &mut Rendered) {
    out.lose_given(
        LossCode::Region,
        is_unsaid && candidate.region.is_some(),
        "no region was asked for, so none of RunPod or Vast.ai is said",
    );
}

fn word_call(word: &str, count: u32) -> String {
    format!("sky.accelerators.{word}(count={count})")
}
