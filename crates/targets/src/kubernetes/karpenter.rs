//! A NodePool of Karpenter on AWS, and its EC2NodeClass.

use serde_json::{Map, Value, json};
use sky_accel_core::catalog::CapacityType;
use sky_accel_core::plan::Candidate;

use super::metadata;
use crate::aws;
use crate::job::{Capacity, Handover};
use crate::{CannotSay, LossCode, Rendered, write};

pub(crate) fn render(handover: &Handover<'_, '_>, out: &mut Rendered) -> Result<(), CannotSay> {
    let group = aws::in_first_region(handover, out, "a cluster is in one region")?;
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
        // Without an id they are found like subnets are.
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

fn images(handover: &Handover<'_, '_>, out: &mut Rendered) -> Value {
    match handover.machine_image() {
        Some(id) if id.starts_with("ami-") => json!([{ "id": id }]),
        Some(parameter) => {
            let parameter = parameter.trim_start_matches("resolve:ssm:");
            json!([{ "ssmParameter": parameter }])
        }
        None => {
            if handover.container_image().is_some() {
                out.lose(
                    LossCode::Image,
                    "nodes start machine images: the container's image stands in the pod",
                );
            }
            json!([{ "alias": "al2023@latest" }])
        }
    }
}

fn lost(handover: &Handover<'_, '_>, first: &Candidate, out: &mut Rendered) {
    if handover.layout.is_some() {
        out.lose(
            LossCode::Mig,
            "Karpenter does not know slices: the GPU operator cuts the nodes, and a NodeOverlay tells Karpenter",
        );
    }
    out.lose_given(
        LossCode::CudaMin,
        handover.job.cuda.is_some(),
        "the driver is that of the machine image",
    );
    out.lose_given(
        LossCode::Command,
        handover.job.command.is_some(),
        "nodes run what is scheduled on them: --to kubernetes has the command",
    );
    handover.lose_region("the nodes are in the region of their cluster", out);
    if handover.candidates.len() > 1 {
        out.lose(
            LossCode::Order,
            "Karpenter launches the cheapest type that can be had, whatever their order is here",
        );
    }
    if handover.job.max_price.is_some() {
        out.lose(LossCode::MaxPrice, "a NodePool has no price limit");
    }
    if handover.job.nodes > 1 {
        out.lose(
            LossCode::Nodes,
            "Karpenter adds nodes as pods ask for them: the number of nodes becomes an upper limit",
        );
    }
    if aws::adapters(handover, first) > 0 {
        out.lose(
            LossCode::Interconnect,
            "adapters are attached when pods ask for vpc.amazonaws.com/efa",
        );
    }
}
