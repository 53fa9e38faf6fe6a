//! Azure Kubernetes Service: a Job for the nodes of a machine type, and their node pool.

use serde_json::json;

use super::job::limits;
use super::managed::{add_job, add_pool, first_of, lost};
use super::manifest::{INDEXED_JOB, machines};
use super::pins::REGION;
use super::server::PODS;
use crate::job::{Handover, is_spot};
use crate::mig::commands::aks_profile;
use crate::target::{Descriptor, Validation};
use crate::terraform::azure::{PROVIDER, SOURCE};
use crate::terraform::configuration::{Configuration, arguments, literal, lose_max_price};
use crate::{LossCode, Rendered, Step, Unsupported};

/// The label and taint of nodes that are spot machines.
const SPOT: (&str, &str) = ("kubernetes.azure.com/scalesetpriority", "spot");
/// The maximum length of a pool's name, which has only letters and digits.
const NAME_LEN: usize = 12;

/// A Kubernetes Job and its node pool of Azure Kubernetes Service.
pub(crate) const TARGET: Descriptor = Descriptor {
    step: Step::Schedule,
    provider: Some(PROVIDER),
    rendezvous: Some(INDEXED_JOB),
    serving: Some(PODS),
    counts_whole_devices: true,
    validation: Validation::OnRequest,
    ..Descriptor::new(
        "aks",
        "a Job and a node pool of Azure Kubernetes Service",
        render,
    )
};

pub(crate) fn render(handover: &Handover<'_, '_>, out: &mut Rendered) -> Result<(), Unsupported> {
    let candidate = first_of(handover, PROVIDER, "a machine of Azure", out)?;
    let size = handover.instance_type(candidate);
    let profile = handover.layout.as_ref().map(aks_profile).transpose()?;
    let mut labels = arguments([("node.kubernetes.io/instance-type", size.into())]);
    let is_spot = is_spot(candidate);
    let taint = is_spot.then(
        || json!({ "key": SPOT.0, "operator": "Equal", "value": SPOT.1, "effect": "NoSchedule" }),
    );
    if is_spot {
        labels.insert(SPOT.0.to_owned(), SPOT.1.into());
    }
    let region = handover
        .region(candidate)
        .filter(|_| handover.regions.is_some());
    if let Some(region) = region {
        // In a cluster elsewhere, the pods stay pending.
        labels.insert(REGION.to_owned(), region.into());
    }
    let limits = limits(handover, candidate)?;
    add_job(handover, candidate, labels, limits, taint, out)?;

    let mut pool = Configuration::new(SOURCE);
    pool.settings = json!({ "features": [{}] });
    let name = pool_name(handover, out);
    let cluster = pool.ask("kubernetes_cluster_id", "The id of the cluster");
    let mut arguments = arguments([
        ("name", name.into()),
        ("kubernetes_cluster_id", cluster),
        ("vm_size", literal(size)),
        ("node_count", machines(handover).into()),
    ]);
    if let Some(profile) = profile {
        arguments.insert("gpu_instance".to_owned(), profile.into());
    }
    if is_spot {
        // Azure reads -1 as a limit at the on-demand price.
        let max = handover
            .job
            .max_price
            .map_or(json!(-1), |max| json!(max.decimal()));
        arguments.extend(crate::terraform::configuration::arguments([
            ("priority", "Spot".into()),
            ("eviction_policy", "Delete".into()),
            ("spot_max_price", max),
            ("node_labels", json!({ SPOT.0: SPOT.1 })),
            (
                "node_taints",
                json!([format!("{}={}:NoSchedule", SPOT.0, SPOT.1)]),
            ),
        ]));
    } else {
        lose_max_price(handover, out);
    }
    if let Some(disk) = handover.job.disk_gb {
        arguments.insert("os_disk_size_gb".to_owned(), disk.into());
    }
    pool.resource("azurerm_kubernetes_cluster_node_pool", arguments);
    add_pool(pool, out);
    if region.is_none() {
        handover.lose_region("a node pool is in the region of its cluster", out);
    }
    lost(handover, out);
    Ok(())
}

/// Returns the name of the pool, which must start with a letter.
fn pool_name(handover: &Handover<'_, '_>, out: &mut Rendered) -> String {
    let letters = handover.job.name.to_ascii_lowercase();
    let letters = letters.replace(|c: char| !c.is_ascii_alphanumeric(), "");
    let name = letters.trim_start_matches(|c: char| c.is_ascii_digit());
    let name: String = name.chars().take(NAME_LEN).collect();
    let name = if name.is_empty() {
        "gpu".to_owned()
    } else {
        name
    };
    out.lose_given(
        LossCode::Name,
        name != letters,
        format!(
            "the name of the node pool is written as {name}: at most {NAME_LEN} letters and digits are allowed"
        ),
    );
    name
}
