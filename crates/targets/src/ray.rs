//! A cluster for the Ray launcher on AWS: one kind of node, of which the first is the head.

use serde_json::{Map, Value, json};
use sky_accel_core::plan::Candidate;

use crate::aws::{ROOT_DEVICE, ask_root_device, in_first_region};
use crate::job::{Capacity, Handover, is_spot};
use crate::{CannotSay, LossCode, Rendered, write};

const TOOL: &str = "ray";

pub(crate) fn render(handover: &Handover<'_, '_>, out: &mut Rendered) -> Result<(), CannotSay> {
    let group = in_first_region(handover, out, "a cluster is in one region")?;
    let first = group.first;
    let job = handover.job;
    if group.candidates.len() > 1 {
        out.lose(
            LossCode::Fallback,
            "Ray starts one kind of node: it does not try the next candidate",
        );
    }
    let resources = resources(handover, first, out);
    let node = node_config(handover, first, out);
    let workers = job.nodes - 1;
    let mut cluster = Map::from_iter([
        (
            "cluster_name".to_owned(),
            Value::from(handover.name(60, out)),
        ),
        ("max_workers".to_owned(), workers.into()),
        (
            "provider".to_owned(),
            json!({ "type": "aws", "region": group.region }),
        ),
        ("auth".to_owned(), json!({ "ssh_user": "ubuntu" })),
    ]);
    if let Some(image) = handover.container_image() {
        cluster.insert(
            "docker".to_owned(),
            json!({ "image": image, "container_name": "ray" }),
        );
    }
    cluster.insert(
        "available_node_types".to_owned(),
        json!({ "gpu": {
            "resources": resources,
            "min_workers": workers,
            "max_workers": workers,
            "node_config": node,
        } }),
    );
    cluster.insert("head_node_type".to_owned(), "gpu".into());
    // What Ray installs where nothing is said is a wheel of its development branch.
    let version = handover
        .catalog
        .tool(TOOL)
        .map_or("", |tool| handover.catalog.str(tool.version));
    let wheel = write::shell(&format!("ray[default]=={version}"));
    let setup = format!("python -c 'import ray' || pip install -U {wheel}");
    cluster.insert("setup_commands".to_owned(), json!([setup]));
    lost(handover, out);
    out.file("cluster.yaml", write::yaml(&Value::Object(cluster)));
    Ok(())
}

/// The resources that Ray counts on a node.
fn resources(
    handover: &Handover<'_, '_>,
    candidate: &Candidate,
    out: &mut Rendered,
) -> Map<String, Value> {
    let count = Handover::count(candidate);
    let mut resources = Map::new();
    if let Some(vcpu) = handover.offer(candidate).vcpu {
        resources.insert("CPU".to_owned(), (vcpu as u64).into());
    }
    match handover.catalog.str(handover.accelerator(candidate).sdk) {
        "cuda" | "rocm" => {
            resources.insert("GPU".to_owned(), count.into());
        }
        "neuron" => {
            // As many as the driver shows by default.
            let mut shared = handover.catalog.sharing(candidate.found.accelerator);
            let cores = shared.find(|row| handover.catalog.str(row.kind) == "logical-cores");
            match cores.and_then(|row| row.devices) {
                Some(cores) => {
                    resources.insert(
                        "neuron_cores".to_owned(),
                        count.saturating_mul(cores as u32).into(),
                    );
                }
                None => out.lose(
                    LossCode::Count,
                    "how many NeuronCores Ray counts is not known",
                ),
            }
        }
        "xla" => {
            resources.insert("TPU".to_owned(), count.into());
        }
        _ => {}
    }
    if let Some(word) = handover.word_alone(TOOL, candidate) {
        resources.insert(format!("accelerator_type:{}", word.text), 1.into());
    }
    resources
}

/// How EC2 starts a node.
fn node_config(
    handover: &Handover<'_, '_>,
    candidate: &Candidate,
    out: &mut Rendered,
) -> Map<String, Value> {
    let job = handover.job;
    let mut node = Map::from_iter([(
        "InstanceType".to_owned(),
        Value::from(handover.instance_type(candidate)),
    )]);
    if let Some(image) = handover.machine_image() {
        node.insert("ImageId".to_owned(), image.into());
    }
    if is_spot(candidate) {
        let mut market = json!({ "MarketType": "spot" });
        if let Some(max) = job.max_price {
            market["SpotOptions"] = json!({ "MaxPrice": max.decimal().to_string() });
        }
        node.insert("InstanceMarketOptions".to_owned(), market);
    } else if job.max_price.is_some() {
        out.lose(
            LossCode::MaxPrice,
            "on-demand instances have no price limit",
        );
    }
    if let Some(disk) = job.disk_gb {
        ask_root_device(out);
        node.insert(
            "BlockDeviceMappings".to_owned(),
            json!([{ "DeviceName": ROOT_DEVICE, "Ebs": { "VolumeSize": disk, "VolumeType": "gp3" } }]),
        );
    }
    let reserved = handover.capacity_or_ask(candidate, out);
    if let Some(Capacity::Reservation(id) | Capacity::Block(id)) = &reserved {
        node.insert(
            "CapacityReservationSpecification".to_owned(),
            json!({ "CapacityReservationTarget": { "CapacityReservationId": id } }),
        );
    }
    if matches!(reserved, Some(Capacity::Block(_))) {
        node.insert(
            "InstanceMarketOptions".to_owned(),
            json!({ "MarketType": "capacity-block" }),
        );
    }
    node
}

fn lost(handover: &Handover<'_, '_>, out: &mut Rendered) {
    let job = handover.job;
    if let Some(cuda) = &job.cuda {
        out.lose(
            LossCode::CudaMin,
            format!("the driver for CUDA {cuda} is that of the machine image"),
        );
    }
    if job.command.is_some() {
        out.lose(LossCode::Command, "a cluster runs what is submitted to it");
    }
    if handover.layout.is_some() {
        out.lose(
            LossCode::Mig,
            "Ray's launcher rents whole GPUs: mig.sh cuts them once they run",
        );
    }
    if job.interconnect.is_some() {
        out.lose(
            LossCode::Interconnect,
            "Ray's launcher attaches no adapters",
        );
    }
}
