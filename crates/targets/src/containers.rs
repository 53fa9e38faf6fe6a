//! A container on a machine that is there: Docker and Compose.

use serde_json::{Map, Value, json};
use sky_accel_core::plan::Candidate;

use crate::job::Handover;
use crate::{CannotSay, LossCode, Rendered, write};

/// How a container gets at the devices.
enum Devices {
    /// NVIDIA's runtime: so many GPUs.
    Count(u32),
    /// NVIDIA's runtime: GPU and slice, both from 0.
    Slices(Vec<String>),
    /// Options of `docker run`.
    Options(Vec<String>),
}

pub(crate) fn docker(handover: &Handover<'_, '_>, out: &mut Rendered) -> Result<(), CannotSay> {
    let Some(first) = handover.first() else {
        return Ok(());
    };
    let devices = match devices(handover, first)? {
        Devices::Count(n) => vec![format!("--gpus {n}")],
        // The list is one value of a list: it has quotes of its own.
        Devices::Slices(ids) => vec![format!("--gpus '\"device={}\"'", ids.join(","))],
        Devices::Options(options) => options.iter().map(|option| write::shell(option)).collect(),
    };
    let image = handover.shell_image(out);
    let text = format!(
        "#!/usr/bin/env bash\nset -euo pipefail\n\nexec docker run --rm --name {} {} --ipc=host \\\n  {image} sh -c {}\n",
        handover.name(60, out),
        devices.join(" "),
        write::shell(&handover.command(first))
    );
    lost(handover, out);
    out.file("run.sh", text);
    Ok(())
}

pub(crate) fn compose(handover: &Handover<'_, '_>, out: &mut Rendered) -> Result<(), CannotSay> {
    let Some(first) = handover.first() else {
        return Ok(());
    };
    let image = handover.container_image().map_or_else(
        || {
            out.ask("IMAGE", "the container image");
            "${IMAGE:?the container image}".to_owned()
        },
        write::compose,
    );
    let mut service = Map::from_iter([
        ("image".to_owned(), Value::from(image)),
        (
            "command".to_owned(),
            json!(["sh", "-c", write::compose(&handover.command(first))]),
        ),
        ("ipc".to_owned(), "host".into()),
    ]);
    let reserved =
        |device: Value| json!({ "resources": { "reservations": { "devices": [device] } } });
    match devices(handover, first)? {
        Devices::Count(n) => {
            let device = json!({ "driver": "nvidia", "count": n, "capabilities": ["gpu"] });
            service.insert("deploy".to_owned(), reserved(device));
        }
        Devices::Slices(ids) => {
            let device = json!({ "driver": "nvidia", "device_ids": ids, "capabilities": ["gpu"] });
            service.insert("deploy".to_owned(), reserved(device));
        }
        Devices::Options(options) => {
            for option in &options {
                let (key, value) = option.split_once('=').unwrap_or((option, ""));
                let mut push = |key: &str, value: &str| {
                    let list = service.entry(key).or_insert_with(|| json!([]));
                    if let Value::Array(list) = list {
                        list.push(value.into());
                    }
                };
                match key {
                    "--device" => push("devices", &format!("{value}:{value}")),
                    "--group-add" => push("group_add", value),
                    "--security-opt" => push("security_opt", &value.replace('=', ":")),
                    "--cap-add" => push("cap_add", value),
                    "--env" => push("environment", &write::compose(value)),
                    "--net" => drop(service.insert("network_mode".to_owned(), value.into())),
                    "--runtime" => drop(service.insert("runtime".to_owned(), value.into())),
                    "--privileged" => drop(service.insert("privileged".to_owned(), true.into())),
                    _ => {}
                }
            }
        }
    }
    let name = handover.name(60, out);
    let file = json!({ "name": name, "services": { "main": service } });
    lost(handover, out);
    out.file("compose.yaml", write::yaml(&file));
    Ok(())
}

fn devices(handover: &Handover<'_, '_>, candidate: &Candidate) -> Result<Devices, CannotSay> {
    if let Some(layout) = handover.layout {
        let slices = layout.gpus.iter().flat_map(|gpu| {
            let parts: usize = gpu
                .slices
                .iter()
                .map(|slice| slice.parts.len().max(1))
                .sum();
            (0..parts).map(move |slice| format!("{}:{slice}", gpu.index))
        });
        return Ok(Devices::Slices(slices.collect()));
    }
    let name = handover.catalog.accelerator_id(candidate.found.accelerator);
    let sdk = handover
        .catalog
        .sdk(&handover.accelerator(candidate))
        .ok_or_else(|| CannotSay(format!("how a container gets at {name} is not known")))?;
    let count = Handover::count(candidate);
    let options = handover.catalog.strings(sdk.docker);
    if options.len() == 0 {
        return Ok(Devices::Count(count));
    }
    let each = |option: &str| -> Vec<String> {
        if option.contains("{n}") {
            (0..count)
                .map(|n| option.replace("{n}", &n.to_string()))
                .collect()
        } else {
            vec![option.to_owned()]
        }
    };
    Ok(Devices::Options(options.flat_map(each).collect()))
}

fn lost(handover: &Handover<'_, '_>, out: &mut Rendered) {
    out.lose(
        LossCode::Provider,
        "it runs on an existing machine, so the provider cannot be chosen",
    );
    handover.lose_region("it runs where the machine is", out);
    handover.lose_market("a container", out);
    if handover.candidates.len() > 1 {
        out.lose(
            LossCode::Fallback,
            "it runs on an existing machine, so there is no next candidate to try",
        );
    }
    if handover.job.interconnect.is_some() {
        out.lose(
            LossCode::Interconnect,
            "the machine decides how its GPUs are joined",
        );
    }
    if handover.layout.is_some() {
        out.lose(
            LossCode::Mig,
            "it needs slices that exist already: mig.sh makes them",
        );
    } else {
        out.lose(LossCode::Accelerator, "any GPU of the machine will do");
    }
    if handover.job.nodes > 1 {
        out.lose(
            LossCode::Nodes,
            format!(
                "it is for one machine: run it on each of the {}",
                handover.job.nodes
            ),
        );
    }
    if let Some(cuda) = &handover.job.cuda {
        out.lose(
            LossCode::CudaMin,
            format!("the driver for CUDA {cuda} is that of the machine"),
        );
    }
    if handover.job.disk_gb.is_some() {
        out.lose(LossCode::Disk, "the disk is the machine's");
    }
    if handover.machine_image().is_some() {
        out.lose(
            LossCode::Image,
            "a container runs a container image, not a machine image",
        );
    }
}
