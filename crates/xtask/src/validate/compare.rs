//! Compares a plan with the same plan as parsed by the target's own code.

use anyhow::{Result, bail, ensure};
use serde_json::Value;
use sky_accel_core::bind::interpret;
use sky_accel_embedded::CATALOG;
use sky_accel_targets::{Fallback, Target};

use super::cases::ValidationCase;

/// Checks that every candidate that the target read is a candidate of the plan.
pub fn candidates(target: Target, plan: &Value, parsed: &Value, lossy: &[String]) -> Result<()> {
    let rows = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let (planned, parsed_rows) = (rows(&plan["results"]), rows(&parsed["candidates"]));
    ensure!(!parsed_rows.is_empty(), "the answer has no candidates");
    // A scheduler or fleet reports candidates in any order.
    let keeps_order = target.descriptor().fallback != Fallback::External;
    let mut last = 0;
    for candidate in &parsed_rows {
        if candidate["mig_enabled"] == false {
            continue;
        }
        let found = planned
            .iter()
            .enumerate()
            .skip(if keeps_order { last } else { 0 })
            .find(|(_, planned)| is_same(planned, candidate, lossy));
        let Some((index, _)) = found else {
            bail!("the plan has no candidate {candidate}");
        };
        last = index;
    }
    Ok(())
}

fn is_same(planned: &Value, understood: &Value, lossy: &[String]) -> bool {
    let loses = |code: &str| lossy.iter().any(|loss| loss == code);
    let words = |value: &Value| -> Vec<String> {
        match value {
            Value::String(text) => vec![text.clone()],
            Value::Array(items) => items
                .iter()
                .filter_map(|item| item.as_str().map(str::to_owned))
                .collect(),
            _ => Vec::new(),
        }
    };
    let number = |value: &Value| -> Option<f64> {
        let first = value
            .as_array()
            .and_then(|items| items.first())
            .unwrap_or(value);
        let text = first.as_str().and_then(|text| text.parse().ok());
        first.as_f64().or(text)
    };
    let types = words(&understood["instance_type"]);
    if !types.is_empty() && !types.iter().any(|name| *name == planned["instance_type"]) {
        return false;
    }
    let regions = words(&understood["region"]);
    if let Some(region) = planned["region"].as_str()
        && !regions.is_empty()
        && !regions.iter().any(|name| name == region)
    {
        return false;
    }
    let spot = understood["spot"]
        .as_bool()
        .or_else(|| match understood["spot"].as_str() {
            Some("spot") => Some(true),
            Some("on-demand") => Some(false),
            _ => None,
        });
    if let Some(spot) = spot
        && !loses("spot")
        && spot != (planned["capacity_type"] == "spot")
    {
        return false;
    }
    let slices = planned["mig"]["placements"].as_array().map(Vec::len);
    // The API counts a slice of a TPU pod as one device.
    let is_pod = understood["device_class"] == "GOOGLE_TPU" || understood["vendor"] == "google";
    let pod = is_pod.then_some(1.0);
    // The Job has one pod per host of the slice, and each pod requests the chips of its host.
    let of_hosts = number(&understood["count"]).zip(number(&understood["nodes"]));
    let nodes = number(&planned["nodes"]).unwrap_or(1.0);
    let is_slice = of_hosts.is_some_and(|(count, hosts)| {
        hosts > nodes && planned["count"].as_f64() == Some(count * hosts / nodes)
    });
    let counts = [
        is_slice.then(|| number(&understood["count"])).flatten(),
        pod,
        planned["count"].as_f64(),
        slices.map(|n| n as f64),
        planned["mig"]["gpus_needed"].as_f64(),
    ];
    // Ray counts NeuronCores instead of devices.
    let counts_cores = !understood["resources"]["neuron_cores"].is_null();
    if let Some(count) = number(&understood["count"]).filter(|_| !counts_cores)
        && !counts.contains(&Some(count))
    {
        return false;
    }
    let memory = [&understood["memory_gb"], &planned["memory_gb"]].map(number);
    if memory[0].is_some() && memory[0] != memory[1] {
        return false;
    }
    let nodes = [&understood["nodes"], &planned["nodes"]].map(number);
    if nodes[0].is_some() && !loses("nodes") && !is_slice && nodes[0] != nodes[1] {
        return false;
    }
    let names = words(&understood["accelerator"]);
    let id = planned["accelerator"].as_str().unwrap_or_default();
    // Modal marks a GPU without automatic upgrades by `!`, which is not part of the name.
    let means = |name: &String| {
        interpret(&CATALOG, name.trim_end_matches('!')).is_ok_and(|read| {
            let mut candidates = read.iter().flat_map(|wanted| &wanted.candidates);
            candidates.any(|candidate| CATALOG.accelerator_id(candidate.accelerator) == id)
        })
    };
    names.is_empty() || loses("accelerator") || names.iter().any(means) || is_family(id, &names)
}

/// Returns whether a name that no spec accepts, such as `Trn2` or a Slurm site's type, contains the
/// family or is a tool's name of the accelerator.
fn is_family(id: &str, names: &[String]) -> bool {
    let family = CATALOG
        .accelerator_ids()
        .find(|accelerator| CATALOG.accelerator_id(*accelerator) == id);
    let family = family.map(|accelerator| {
        CATALOG
            .str(CATALOG.accelerator(accelerator).family)
            .to_ascii_lowercase()
    });
    let family = family.unwrap_or_default();
    let plain = |name: &String| name.to_ascii_lowercase().replace(['-', '_', ' '], "");
    let words = CATALOG
        .tools
        .iter()
        .flat_map(|tool| CATALOG.tool_words(&tool))
        .filter(|word| {
            let mut meant = CATALOG.accelerators(word.accelerators).iter();
            meant.any(|accelerator| CATALOG.accelerator_id(accelerator) == id)
        });
    let names_of_tools: Vec<&str> = words.map(|word| CATALOG.str(word.word)).collect();
    names.iter().any(|name| {
        plain(name).contains(&family)
            || names_of_tools
                .iter()
                .any(|word| word.eq_ignore_ascii_case(name))
    })
}

/// Checks that the name, the image and the command come back unchanged.
pub fn strings(case: &ValidationCase, parsed: &Value, lossy: &[String]) -> Result<()> {
    let loses_image = lossy.iter().any(|loss| loss == "image");
    let given = |flag: &str| {
        let mut rest = case.args.iter().skip_while(|arg| *arg != flag);
        rest.nth(1).map(String::as_str)
    };
    let first = &parsed["candidates"][0];
    let name = given("--name").unwrap_or("sky-accel");
    if let Some(read) = parsed["name"].as_str() {
        let is_lost = lossy.iter().any(|loss| loss == "name");
        ensure!(
            read == name || is_lost,
            "the name {name:?} came back as {read:?}"
        );
    }
    if let (Some(image), Some(read)) = (
        given("--image"),
        first["image"].as_str().or(parsed["image"].as_str()),
    ) {
        // A machine starts a machine image; Modal reports the line of a Dockerfile.
        let is_machine = read.starts_with("ami-") || read.contains("Image(");
        ensure!(
            is_machine || loses_image || read == image || read.contains('\\'),
            "the image {image:?} came back as {read:?}"
        );
    }
    let command = &first["command"];
    let read = command
        .as_array()
        .and_then(|words| words.last())
        .or(Some(command));
    let read = read
        .and_then(Value::as_str)
        .or(parsed["run"].as_str())
        .or(parsed["commands"][0].as_str());
    if let (Some(command), Some(read)) = (given("--run"), read) {
        ensure!(
            read == command,
            "the command {command:?} came back as {read:?}"
        );
    }
    Ok(())
}
