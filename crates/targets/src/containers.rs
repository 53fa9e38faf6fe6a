//! A container on an existing machine: Docker and Compose.

use serde_json::{Map, Value, json};
use sky_accel_core::plan::Candidate;

use crate::job::Handover;
use crate::serving::{MODEL_TOKEN, Serving};
use crate::target::{Descriptor, Fallback, Validation};
use crate::{LossCode, Rendered, Step, Unsupported, write};

/// The options that give a container access to devices.
enum DeviceAccess {
    /// The number of GPUs, for NVIDIA's runtime.
    Count(u32),
    /// The MIG slices as `GPU:SLICE`, both from 0, for NVIDIA's runtime.
    Slices(Vec<String>),
    /// Options of `docker run`, for other vendors.
    Options(Vec<String>),
}

/// The option of `docker run` for the network of the host, where all ports are published.
const HOST_NETWORK: &str = "--net=host";

/// A `docker run` command.
pub(crate) const DOCKER: Descriptor = Descriptor {
    step: Step::Schedule,
    serving: Some(Serving::Machines),
    counts_whole_devices: true,
    fallback: Fallback::External,
    validation: Validation::OnRequest,
    ..Descriptor::new("docker", "a docker run command", docker)
};

pub(crate) fn docker(handover: &Handover<'_, '_>, out: &mut Rendered) -> Result<(), Unsupported> {
    let Some(first) = handover.first() else {
        return Ok(());
    };
    let mut options = match device_access(handover, first)? {
        DeviceAccess::Count(n) => vec![format!("--gpus {n}")],
        // The value of `--gpus` is itself a comma-separated list, so the list of ids needs inner quotes.
        DeviceAccess::Slices(ids) => vec![format!("--gpus '\"device={}\"'", ids.join(","))],
        DeviceAccess::Options(options) => {
            options.iter().map(|option| write::shell(option)).collect()
        }
    };
    options.push("--ipc=host".to_owned());
    if let Some(server) = &handover.job.server {
        let port = server.endpoint.port;
        if !options.iter().any(|option| option == HOST_NETWORK) {
            options.push(format!("--publish {port}:{port}"));
        }
        options.push(format!("--env {MODEL_TOKEN}"));
    }
    let image = handover.shell_image(out);
    // The images of serving engines have their program as the entry point.
    let text = format!(
        "#!/usr/bin/env bash\nset -euo pipefail\n\nexec docker run --rm --name {} {} --entrypoint sh \\\n  {image} -c {}\n",
        handover.name(60, out),
        options.join(" "),
        write::shell(&handover.command(first))
    );
    lost(handover, out);
    out.file("run.sh", text);
    Ok(())
}

/// A service for Docker Compose.
pub(crate) const COMPOSE: Descriptor = Descriptor {
    step: Step::Schedule,
    serving: Some(Serving::Machines),
    counts_whole_devices: true,
    fallback: Fallback::External,
    ..Descriptor::new("compose", "a service for Docker Compose", compose)
};

pub(crate) fn compose(handover: &Handover<'_, '_>, out: &mut Rendered) -> Result<(), Unsupported> {
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
        // The images of serving engines have their program as the entry point.
        ("entrypoint".to_owned(), json!(["sh", "-c"])),
        (
            "command".to_owned(),
            json!([write::compose(&handover.command(first))]),
        ),
        ("ipc".to_owned(), "host".into()),
    ]);
    let reserved =
        |device: Value| json!({ "resources": { "reservations": { "devices": [device] } } });
    match device_access(handover, first)? {
        DeviceAccess::Count(n) => {
            let device = json!({ "driver": "nvidia", "count": n, "capabilities": ["gpu"] });
            service.insert("deploy".to_owned(), reserved(device));
        }
        DeviceAccess::Slices(ids) => {
            let device = json!({ "driver": "nvidia", "device_ids": ids, "capabilities": ["gpu"] });
            service.insert("deploy".to_owned(), reserved(device));
        }
        DeviceAccess::Options(options) => {
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
    if let Some(server) = &handover.job.server {
        let port = server.endpoint.port;
        // Compose rejects published ports on the network of the host.
        if !service.contains_key("network_mode") {
            service.insert("ports".to_owned(), json!([format!("{port}:{port}")]));
        }
        let variables = service.entry("environment").or_insert_with(|| json!([]));
        if let Value::Array(variables) = variables {
            variables.push(MODEL_TOKEN.into());
        }
    }
    let name = handover.name(60, out);
    let file = json!({ "name": name, "services": { "main": service } });
    lost(handover, out);
    out.file("compose.yaml", write::yaml(&file));
    Ok(())
}

/// Returns the options that give a container access to the devices of a candidate.
fn device_access(
    handover: &Handover<'_, '_>,
    candidate: &Candidate,
) -> Result<DeviceAccess, Unsupported> {
    if let Some(layout) = handover.layout {
        let slices = layout.gpus.iter().flat_map(|gpu| {
            let parts: usize = gpu
                .slices
                .iter()
                .map(|slice| slice.parts.len().max(1))
                .sum();
            (0..parts).map(move |slice| format!("{}:{slice}", gpu.index))
        });
        return Ok(DeviceAccess::Slices(slices.collect()));
    }
    let sdk = handover
        .catalog
        .sdk(&handover.accelerator(candidate))
        .ok_or_else(|| Unsupported::Unknown {
            kind: "container runtime option",
            product: handover
                .catalog
                .accelerator_id(candidate.found.accelerator)
                .to_owned(),
        })?;
    let count = Handover::count(candidate);
    let options = handover.catalog.strings(sdk.docker);
    if options.len() == 0 {
        return Ok(DeviceAccess::Count(count));
    }
    let per_device = |option: &str| -> Vec<String> {
        if option.contains("{n}") {
            (0..count)
                .map(|n| option.replace("{n}", &n.to_string()))
                .collect()
        } else {
            vec![option.to_owned()]
        }
    };
    Ok(DeviceAccess::Options(
        options.flat_map(per_device).collect(),
    ))
}

fn lost(handover: &Handover<'_, '_>, out: &mut Rendered) {
    out.lose(
        LossCode::Provider,
        "the container runs on an existing machine, so the plan cannot choose the provider",
    );
    handover.lose_region("the container runs in the region of its machine", out);
    handover.lose_market("a container", out);
    if handover.candidates.len() > 1 {
        out.lose(
            LossCode::Fallback,
            "the container runs on an existing machine, so no other candidate is tried",
        );
    }
    if handover.job.interconnect.is_some() {
        out.lose(
            LossCode::Interconnect,
            "the machine decides how its GPUs are linked",
        );
    }
    if handover.layout.is_some() {
        out.lose(
            LossCode::Mig,
            "the slices must exist: run mig.sh to create them",
        );
    } else {
        out.lose(
            LossCode::Accelerator,
            "the container takes any GPU of the machine",
        );
    }
    if handover.job.nodes > 1 {
        out.lose(
            LossCode::Nodes,
            format!(
                "the file is for one machine: run it on each of the {}",
                handover.job.nodes
            ),
        );
    }
    if let Some(cuda) = &handover.job.cuda {
        out.lose(
            LossCode::CudaMin,
            format!("the machine decides the driver, which must support CUDA {cuda}"),
        );
    }
    if handover.job.asks_disk() {
        out.lose(LossCode::Disk, "the container uses the disk of the machine");
    }
    if handover.machine_image().is_some() {
        out.lose(
            LossCode::Image,
            "a container runs a container image, not a machine image",
        );
    }
}
