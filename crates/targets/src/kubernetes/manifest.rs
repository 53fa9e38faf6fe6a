//! The parts that Jobs for all Kubernetes targets share.

use serde_json::{Map, Value, json};
use sky_accel_core::plan::Candidate;

use super::names::metadata;
use super::pins::Pins;
use super::server;
use crate::job::Handover;
use crate::serving::Rendezvous;
use crate::{LossCode, Rendered, write};

/// An indexed Job numbers its pods, which are named for the Job and their number. They find each other by these names
/// through a headless Service with the name of the Job.
pub(super) const INDEXED_JOB: Rendezvous = Rendezvous {
    rank: "\"$JOB_COMPLETION_INDEX\"",
    address: Some("\"${HOSTNAME%-*}-0.${HOSTNAME%-*}\""),
};

/// Returns the number of machines. A slice of a TPU pod may have several hosts per node of the plan.
pub(super) fn machines(handover: &Handover<'_, '_>) -> u32 {
    let first = handover.first();
    let hosts = first.map_or(1, |first| handover.offer(first).hosts.max(1));
    handover.job.nodes.saturating_mul(hosts.into())
}

/// Adds the file of the workload: servers with their Service, or a Job. `before` are resources that it needs.
pub(super) fn add_workload(
    handover: &Handover<'_, '_>,
    before: &[Value],
    mut spec: Map<String, Value>,
    container: Map<String, Value>,
    out: &mut Rendered,
) {
    // NCCL and data loaders exchange data in /dev/shm, whose default size of 64 MiB is too small.
    spec.insert(
        "volumes".to_owned(),
        json!([{ "name": "shm", "emptyDir": { "medium": "Memory" } }]),
    );
    let mut documents = before.to_vec();
    let file = if let Some(server) = &handover.job.server {
        documents.extend(server::documents(handover, server, spec, container));
        server::FILE
    } else {
        if machines(handover) > 1 {
            documents.push(headless_service(&handover.job.name));
        }
        documents.push(job(handover, spec, container));
        "job.yaml"
    };
    out.file(file, write::yaml_stream(&documents));
}

/// Writes a Job with one pod on each machine.
fn job(
    handover: &Handover<'_, '_>,
    mut spec: Map<String, Value>,
    container: Map<String, Value>,
) -> Value {
    let nodes = machines(handover);
    spec.insert("restartPolicy".to_owned(), "Never".into());
    spec.insert(
        "containers".to_owned(),
        Value::from(vec![Value::from(container)]),
    );
    let app = write::slug(&handover.job.name, 50);
    if nodes > 1 {
        spec.insert("subdomain".to_owned(), app.as_str().into());
    }
    let mut job = json!({ "backoffLimit": 0, "template": { "spec": spec } });
    if nodes > 1 {
        job = json!({
            "completionMode": "Indexed",
            "completions": nodes,
            "parallelism": nodes,
            "backoffLimit": 0,
            "template": {
                "metadata": { "labels": { "app": app } },
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

/// Writes the Service that gives the pods of a Job their names, before they are ready too.
fn headless_service(name: &str) -> Value {
    json!({
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": metadata(name),
        "spec": {
            "clusterIP": "None",
            "publishNotReadyAddresses": true,
            "selector": { "app": write::slug(name, 50) },
        },
    })
}

/// Writes the name, the image and the command of the container.
pub(super) fn container(
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

/// Returns the tolerations for nodes that repel pods without a request for devices.
pub(super) fn tolerations(resource: &str) -> Value {
    json!([{ "key": resource, "operator": "Exists", "effect": "NoSchedule" }])
}

/// Adds the request for disk space.
pub(super) fn disk(handover: &Handover<'_, '_>, resources: &mut Map<String, Value>) {
    if let Some(disk) = handover.job.disk_gb {
        resources.insert(
            "requests".to_owned(),
            json!({ "ephemeral-storage": format!("{disk}G") }),
        );
    }
}

/// Adds the rule that each pod of the Job runs on a separate machine.
pub(super) fn spread(handover: &Handover<'_, '_>, affinity: &mut Map<String, Value>) {
    // Pods of servers that need one machine each are separated by their devices.
    let server = handover.job.server.as_ref();
    if server.map_or_else(|| machines(handover), |server| server.machines) > 1 {
        affinity.insert(
            "podAntiAffinity".to_owned(),
            json!({ "requiredDuringSchedulingIgnoredDuringExecution": [{
                "labelSelector": { "matchLabels": { "app": write::slug(&handover.job.name, 50) } },
                "topologyKey": "kubernetes.io/hostname",
            }] }),
        );
    }
}

/// Adds the expressions that a node must satisfy, if there are any.
pub(super) fn require(expressions: &[Value], affinity: &mut Map<String, Value>) {
    if !expressions.is_empty() {
        affinity.insert(
            "nodeAffinity".to_owned(),
            json!({ "requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [{ "matchExpressions": expressions }],
            } }),
        );
    }
}

/// Adds the losses: choices that the cluster makes.
pub(super) fn lost(handover: &Handover<'_, '_>, out: &mut Rendered) {
    if handover.candidates.len() > 1 {
        out.lose(
            LossCode::Fallback,
            "the cluster places the pod, so the plan's candidates are not tried in order",
        );
    }
    let pins = Pins::of(handover);
    if !pins.holds_providers {
        out.lose(
            LossCode::Provider,
            "a pod runs on the machines of its cluster, so the plan cannot choose the provider",
        );
    }
    if !pins.holds_regions {
        handover.lose_region("a pod runs in the region of its cluster", out);
    }
    if handover.candidates.iter().any(crate::job::is_spot) {
        out.lose(
            LossCode::Spot,
            "a Job cannot request spot machines: the target karpenter can",
        );
    }
    if handover.job.max_price.is_some() && !pins.holds_price {
        out.lose(LossCode::MaxPrice, "a pod has no price limit");
    }
    if handover.job.capacity.is_some() {
        out.lose(
            LossCode::Capacity,
            "a pod cannot request a reservation: the target karpenter can",
        );
    }
    if handover.job.host.is_some() && !pins.holds_host {
        out.lose(LossCode::Host, "the cluster decides the hosts of its nodes");
    }
    if handover.job.interconnect.is_some() {
        out.lose(
            LossCode::Interconnect,
            "the node pool decides how machines are linked",
        );
    }
    if let Some(cuda) = &handover.job.cuda
        && driver_major(handover).is_none()
    {
        out.lose(
            LossCode::CudaMin,
            format!("the driver that CUDA {cuda} needs is not known"),
        );
    }
}

/// Returns the major version of the driver that the CUDA version of the job needs.
pub(super) fn driver_major<'a>(handover: &Handover<'_, 'a>) -> Option<&'a str> {
    let release = handover
        .catalog
        .cuda_release(handover.job.cuda.as_deref()?)?;
    handover.catalog.str(release.driver_min).split('.').next()
}
