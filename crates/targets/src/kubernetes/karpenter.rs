//! A NodePool of Karpenter on AWS, and its EC2NodeClass.

use serde_json::{Map, Value, json};
use sky_accel_core::catalog::CapacityType;
use sky_accel_core::plan::Candidate;

use super::names::metadata;
use super::pins::REGION;
use crate::aws::ec2 as aws;
use crate::image::MachineImage;
use crate::job::{Capacity, Handover};
use crate::target::{Descriptor, Fallback};
use crate::{LossCode, Rendered, Unsupported, write};

/// A Karpenter NodePool and its EC2NodeClass.
pub(crate) const TARGET: Descriptor = Descriptor {
    provider: Some(aws::PROVIDER),
    fallback: Fallback::External,
    ..Descriptor::new("karpenter", "a NodePool and its EC2NodeClass", render)
};

pub(crate) fn render(handover: &Handover<'_, '_>, out: &mut Rendered) -> Result<(), Unsupported> {
    let group = aws::in_first_region(handover, out, "a cluster has a single region")?;
    let first = group.first;
    let mut types: Vec<&str> = Vec::new();
    for candidate in &group.candidates {
        let name = handover.instance_type(candidate);
        if !types.contains(&name) {
            types.push(name);
        }
    }
    let has = |capacity| {
        let mut candidates = group.candidates.iter();
        candidates.any(|candidate| candidate.capacity == capacity)
    };
    let mut capacity_types = Vec::new();
    let reserved = handover.capacity(first);
    if reserved.is_some() {
        capacity_types.push("reserved");
    } else {
        if has(CapacityType::Spot) {
            capacity_types.push("spot");
        }
        if has(CapacityType::OnDemand) {
            capacity_types.push("on-demand");
        }
    }
    let resource = handover.resource(first)?;
    let name = write::slug(&handover.job.name, 50);
    let mut requirements = vec![
        requirement("karpenter.sh/capacity-type", &capacity_types),
        requirement("node.kubernetes.io/instance-type", &types),
        requirement("kubernetes.io/os", &["linux"]),
    ];
    if let Some(arch) = handover.catalog.text(handover.offer(first).host_arch) {
        let arch = if arch == "x86_64" { "amd64" } else { arch };
        requirements.push(requirement("kubernetes.io/arch", &[arch]));
    }
    if handover.regions.is_some() {
        // In a cluster elsewhere, Karpenter starts no node.
        requirements.push(requirement(REGION, &[group.region]));
    }
    let pool = json!({
        "apiVersion": "karpenter.sh/v1",
        "kind": "NodePool",
        "metadata": metadata(&handover.job.name),
        "spec": {
            "template": { "spec": {
                "nodeClassRef": { "group": "karpenter.k8s.aws", "kind": "EC2NodeClass", "name": name },
                "requirements": requirements,
                "taints": [{ "key": resource, "effect": "NoSchedule" }],
            } },
            "limits": { resource: Handover::count(first) * handover.job.nodes },
            "disruption": { "consolidationPolicy": "WhenEmpty", "consolidateAfter": "5m" },
        },
    });
    out.ask("CLUSTER", "the name of the cluster, in the discovery tags");
    out.ask("NODE_ROLE", "the IAM role of the nodes");
    let discovery = json!([{ "tags": { "karpenter.sh/discovery": "CLUSTER" } }]);
    let mut class = Map::from_iter([
        ("role".to_owned(), "NODE_ROLE".into()),
        ("amiSelectorTerms".to_owned(), images(handover, out)),
        ("subnetSelectorTerms".to_owned(), discovery.clone()),
        ("securityGroupSelectorTerms".to_owned(), discovery),
    ]);
    if handover.machine_image().is_some() {
        class.insert("amiFamily".to_owned(), "AL2023".into());
    }
    if let Some(disk) = handover.job.disk_gb {
        class.insert(
            "blockDeviceMappings".to_owned(),
            json!([{
                "deviceName": "/dev/xvda",
                "ebs": { "volumeSize": format!("{disk}G"), "volumeType": "gp3", "encrypted": true, "deleteOnTermination": true },
            }]),
        );
    }
    if reserved.is_some() {
        // Without an id, Karpenter discovers the reservation by the same tag as the subnets.
        let term = match &handover.job.capacity {
            Some(Capacity::Reservation(id) | Capacity::Block(id)) => json!({ "id": id }),
            None => json!({ "tags": { "karpenter.sh/discovery": "CLUSTER" } }),
        };
        class.insert("capacityReservationSelectorTerms".to_owned(), json!([term]));
    }
    let class = json!({
        "apiVersion": "karpenter.k8s.aws/v1",
        "kind": "EC2NodeClass",
        "metadata": metadata(&handover.job.name),
        "spec": class,
    });
    lost(handover, first, out);
    out.file("nodepool.yaml", write::yaml_stream(&[pool, class]));
    Ok(())
}

fn requirement(key: &str, values: &[&str]) -> Value {
    json!({ "key": key, "operator": "In", "values": values })
}

/// Returns the terms that select the machine image.
fn images(handover: &Handover<'_, '_>, out: &mut Rendered) -> Value {
    match handover.machine_image() {
        Some(MachineImage::Ami(id)) => json!([{ "id": id }]),
        Some(MachineImage::SsmParameter(name)) => json!([{ "ssmParameter": name }]),
        None => {
            if handover.container_image().is_some() {
                out.lose(
                    LossCode::Image,
                    "nodes start machine images; the pod sets the container image",
                );
            }
            json!([{ "alias": "al2023@latest" }])
        }
    }
}

/// Adds the losses: settings that Karpenter cannot express.
fn lost(handover: &Handover<'_, '_>, first: &Candidate, out: &mut Rendered) {
    if handover.layout.is_some() {
        out.lose(
            LossCode::Mig,
            "Karpenter does not support slices: the GPU operator partitions the nodes, and a NodeOverlay declares the slices to Karpenter",
        );
    }
    out.lose_given(
        LossCode::CudaMin,
        handover.job.cuda.is_some(),
        "the machine image decides the driver",
    );
    out.lose_given(
        LossCode::Command,
        handover.job.command.is_some(),
        "nodes run pods: use the target kubernetes for the command",
    );
    if handover.regions.is_none() {
        handover.lose_region("the nodes are in the region of their cluster", out);
    }
    if handover.candidates.len() > 1 {
        out.lose(
            LossCode::Order,
            "Karpenter launches the cheapest available type, regardless of the order here",
        );
    }
    handover.lose_price_limit("a NodePool has no price limit", out);
    if handover.job.nodes > 1 {
        out.lose(
            LossCode::Nodes,
            "Karpenter adds nodes when pods need them, so the number of nodes becomes an upper limit",
        );
    }
    if aws::adapters(handover, first) > 0 {
        out.lose(
            LossCode::Interconnect,
            "EC2 attaches adapters when pods request vpc.amazonaws.com/efa",
        );
    }
}
