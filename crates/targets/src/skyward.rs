//! A pool for skyward: specs are tried in order.

use std::fmt::Write as _;

use sky_accel_core::plan::{Candidate, Market};
use sky_accel_core::text::number;

use crate::job::Handover;
use crate::{CannotSay, Rendered, write};

const TOOL: &str = "skyward";

pub(crate) fn render(own: &Handover<'_, '_>, out: &mut Rendered) -> Result<(), CannotSay> {
    let job = own.job;
    let mut specs: Vec<String> = Vec::new();
    for candidate in own.candidates {
        if let Some(spec) = spec(own, candidate, out)
            && !specs.contains(&spec)
        {
            specs.push(spec);
        }
    }
    let (Some(first), false) = (own.first(), specs.is_empty()) else {
        return Err(CannotSay(
            "skyward has no word for any of the candidates".to_owned(),
        ));
    };
    let allocation = match job.market {
        Market::OnDemand => "on_demand",
        Market::Spot => "spot",
        Market::SpotFirst => "spot_if_available",
        Market::Any => "cheapest",
    };
    let command = write::python(&own.command(first));
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
        write::python(&own.name(60, out)),
        job.nodes
    );
    let slices = own.slices();
    match &slices[..] {
        [] => {}
        [(profile, n)] => {
            let _ = write!(
                text,
                "        plugins=[sky.plugins.Mig(profile=\"{profile}\")],\n        executor=sky.Executor(type=\"process\", concurrency={n}),\n"
            );
        }
        _ => out.lose(
            "mig",
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
            "image",
            "skyward builds its own environment: sky.Image(pip=...)",
        );
    }
    if job.interconnect.is_some() {
        out.lose(
            "interconnect",
            "skyward has no word for how machines are joined",
        );
    }
    if job.capacity.is_some() {
        out.lose("capacity", "skyward takes no reservation");
    }
    out.file("pool.py", text);
    Ok(())
}

/// A provider with its own account, since two of one name would be one, and what is asked of it.
fn spec(own: &Handover<'_, '_>, candidate: &Candidate, out: &mut Rendered) -> Option<String> {
    let job = own.job;
    let tool = own.catalog.tool(TOOL)?;
    let provider = own
        .catalog
        .tool_provider(tool, own.offer(candidate).provider)?;
    let word = own.word(TOOL, candidate, out)?;
    let mut settings = Vec::new();
    let mut wishes = Vec::new();
    let disk = job.disk_gb;
    let region = own.region(candidate);
    match own.provider(candidate) {
        "runpod" => {
            let centers: Vec<String> = own
                .asked_regions(candidate)
                .iter()
                .map(|own| write::python(own))
                .collect();
            if !centers.is_empty() {
                settings.push(format!("data_center_ids=({},)", centers.join(", ")));
            }
            settings.extend(disk.map(|disk| format!("container_disk_gb={disk}")));
        }
        "vastai" => {
            if let [one] = &own.asked_regions(candidate)[..] {
                settings.push(format!("geolocation={}", write::python(one)));
            }
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
                    "disk",
                    format!("skyward's offers of {id} have no disk to ask for"),
                );
            }
            if job.cuda.is_some() {
                out.lose("cuda_min", "skyward takes a driver floor of Vast.ai alone");
            }
        }
    }
    wishes.extend(
        job.max_price
            .map(|max| format!("max_hourly_cost={}", number(max.decimal()))),
    );
    let asked: Vec<String> = std::iter::once(word_call(word.text, Handover::count(candidate)))
        .chain(wishes)
        .collect();
    Some(format!(
        "sky.Spec(sky.{provider}({}), {})",
        settings.join(", "),
        asked.join(", ")
    ))
}

fn word_call(word: &str, count: u32) -> String {
    format!("sky.accelerators.{word}(count={count})")
}
