//! Kubernetes: Jobs for device plugins and for dynamic allocation, and node pools of Karpenter, GKE and
//! AKS.

pub(crate) mod aks;
pub(crate) mod dra;
pub(crate) mod gke;
pub(crate) mod job;
pub(crate) mod karpenter;
mod managed;

use serde_json::{Map, Value, json};
use sky_accel_core::plan::Candidate;

use crate::job::Handover;
use crate::{LossCode, Rendered, write};

/// Where the name stands that a resource's own name cannot carry.
const NAME_ANNOTATION: &str = "sky-accel/name";

/// A resource's name, and the name as it was given.
fn metadata(name: &str) -> Value {
    let slug = write::slug(name, 50);
    if slug == name {
        return json!({ "name": slug });
    }
    json!({ "name": slug, "annotations": { NAME_ANNOTATION: name } })
}

/// The number of machines: a slice of a pod of TPUs may have several.
fn machines(handover: &Handover<'_, '_>) -> u32 {
    let first = handover.first();
    let hosts = first.map_or(1, |first| handover.offer(first).hosts.max(1));
    handover.job.nodes.saturating_mul(hosts.into())
}

/// A Job: one pod on each machine.
fn job(
    handover: &Handover<'_, '_>,
    mut spec: Map<String, Value>,
    container: Map<String, Value>,
) -> Value {
    let nodes = machines(handover);
    spec.insert("restartPolicy".to_owned(), "Never".into());
    // Processes that share a machine exchange data there; the default is 64 MiB.
    spec.insert(
        "volumes".to_owned(),
        json!([{ "name": "shm", "emptyDir": { "medium": "Memory" } }]),
    );
    spec.insert(
        "containers".to_owned(),
        Value::from(vec![Value::from(container)]),
    );
    let mut job = json!({ "backoffLimit": 0, "template": { "spec": spec } });
    if nodes > 1 {
        job = json!({
            "completionMode": "Indexed",
            "completions": nodes,
            "parallelism": nodes,
            "backoffLimit": 0,
            "template": {
                "metadata": { "labels": { "app": write::slug(&handover.job.name, 50) } },
                "spec": spec,
            },
        });
    }
    json!({
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": metadata(&handover.job.name),
        "spec": job,
    })
}

/// Name, image and command of the container.
fn container(
    handover: &Handover<'_, '_>,
    candidate: &Candidate,
    out: &mut Rendered,
) -> Map<String, Value> {
    let image = handover.image_or_ask(out);
    if handover.machine_image().is_some() {
        out.lose(
            LossCode::Image,
            "a pod runs a container image, not a machine image",
        );
    }
    let command = handover.command(candidate);
    Map::from_iter([
        ("name".to_owned(), "main".into()),
        ("image".to_owned(), image.into()),
        ("command".to_owned(), json!(["sh", "-c", command])),
        (
            "volumeMounts".to_owned(),
            json!([{ "name": "shm", "mountPath": "/dev/shm" }]),
        ),
    ])
}

/// Nodes with devices keep other pods away.
fn tolerations(resource: &str) -> Value {
    json!([{ "key": resource, "operator": "Exists", "effect": "NoSchedule" }])
}

/// Requests and limits besides devices.
fn disk(handover: &Handover<'_, '_>, resources: &mut Map<String, Value>) {
    if let Some(disk) = handover.job.disk_gb {
        resources.insert(
            "requests".to_owned(),
            json!({ "ephemeral-storage": format!("{disk}G") }),
        );
    }
}

/// Pods of a Job on machines of their own.
fn spread(handover: &Handover<'_, '_>, affinity: &mut Map<String, Value>) {
    if machines(handover) > 1 {
        affinity.insert(
            "podAntiAffinity".to_owned(),
            json!({ "requiredDuringSchedulingIgnoredDuringExecution": [{
                "labelSelector": { "matchLabels": { "app": write::slug(&handover.job.name, 50) } },
                "topologyKey": "kubernetes.io/hostname",
            }] }),
        );
    }
}

/// Adds the losses: choices that a cluster makes, whatever the plan says.
fn lost(handover: &Handover<'_, '_>, out: &mut Rendered) {
    if handover.candidates.len() > 1 {
        out.lose(
            LossCode::Fallback,
            "the cluster places the pod, so the order of the candidates is lost",
        );
    }
    handover.lose_place("a pod", out);
    if handover.candidates.iter().any(crate::job::is_spot) {
        out.lose(
            LossCode::Spot,
            "Kubernetes itself has no word for spot machines: --to karpenter has",
        );
    }
    if handover.job.max_price.is_some() {
        out.lose(LossCode::MaxPrice, "a pod has no price limit");
    }
    if handover.job.capacity.is_some() {
        out.lose(
            LossCode::Capacity,
            "a pod asks for no reservation: --to karpenter does",
        );
    }
    if handover.job.interconnect.is_some() {
        out.lose(
            LossCode::Interconnect,
            "how machines are joined is the node pool's matter",
        );
    }
    if let Some(cuda) = &handover.job.cuda
        && driver_major(handover).is_none()
    {
        out.lose(
            LossCode::CudaMin,
            format!("which driver CUDA {cuda} takes is not known"),
        );
    }
}

/// The first number of the driver that CUDA needs.
fn driver_major<'a>(handover: &Handover<'_, 'a>) -> Option<&'a str> {
    let release = handover
        .catalog
        .cuda_release(handover.job.cuda.as_deref()?)?;
    handover.catalog.str(release.driver_min).split('.').next()
}
