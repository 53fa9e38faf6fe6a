//! A Job for the device plugins, with the labels of GPU feature discovery and of AMD's node labeller.

use serde_json::{Map, Value, json};
use sky_accel_core::plan::Candidate;

use super::manifest::{
    INDEXED_JOB, add_workload, container, disk, driver_major, lost, require, spread, tolerations,
};
use super::pins::Pins;
use super::server::PODS;
use crate::job::Handover;
use crate::target::{Descriptor, Fallback};
use crate::{LossCode, Rendered, Step, Unsupported};

/// The vendor of AMD's devices in PCI ids.
const AMD: &str = "1002:";
/// A Kubernetes Job that requests devices from the device plugins.
pub(crate) const TARGET: Descriptor = Descriptor {
    step: Step::Schedule,
    rendezvous: Some(INDEXED_JOB),
    serving: Some(PODS),
    counts_whole_devices: true,
    fallback: Fallback::External,
    ..Descriptor::new("kubernetes", "a Job for the device plugins", render)
};

pub(crate) fn render(handover: &Handover<'_, '_>, out: &mut Rendered) -> Result<(), Unsupported> {
    let Some(first) = handover.first() else {
        return Ok(());
    };
    let resource = handover.resource(first)?;
    let limits = limits(handover, first)?;
    let mut resources = Map::from_iter([("limits".to_owned(), Value::from(limits))]);
    disk(handover, &mut resources);
    let mut container = container(handover, first, out);
    container.insert("resources".to_owned(), resources.into());

    let mut spec = Map::new();
    let mut affinity = Map::new();
    place(handover, first, &mut spec, &mut affinity, out);
    spread(handover, &mut affinity);
    if !affinity.is_empty() {
        spec.insert("affinity".to_owned(), affinity.into());
    }
    if handover.pod_slice(first).is_none() {
        spec.insert("tolerations".to_owned(), tolerations(resource));
    }
    lost(handover, out);
    add_workload(handover, &[], spec, container, out);
    Ok(())
}

/// Returns the devices that the container requests.
pub(super) fn limits(
    handover: &Handover<'_, '_>,
    candidate: &Candidate,
) -> Result<Map<String, Value>, Unsupported> {
    let slices = handover.slices();
    let mut limits = Map::new();
    if slices.is_empty() {
        let resource = handover.resource(candidate)?.to_owned();
        // A slice of a TPU pod may have several hosts, and GKE counts the chips of one host.
        let hosts = u32::from(handover.offer(candidate).hosts).max(1);
        limits.insert(
            resource,
            (handover.container_devices(candidate) / hosts)
                .max(1)
                .into(),
        );
    }
    for (name, n) in &slices {
        if name.contains("c.") {
            return Err(Unsupported::ComputeInstance {
                tool: "the device plugin".to_owned(),
                slice: name.clone(),
            });
        }
        let resource = format!("nvidia.com/mig-{}", name.replace('+', "."));
        limits.insert(resource, (*n).into());
    }
    Ok(limits)
}

/// Returns the labels of GKE nodes for a slice of a TPU pod; `None` for other accelerators.
pub(super) fn tpu_labels(
    handover: &Handover<'_, '_>,
    candidate: &Candidate,
) -> Option<Map<String, Value>> {
    let slice = handover.pod_slice(candidate)?;
    let catalog = &handover.catalog;
    let mut spellings = catalog.spellings_of(candidate.found.accelerator).iter();
    let label = spellings.find_map(|spelling| {
        let text = catalog.str(spelling.text);
        let is_label = catalog.str(spelling.dialect) == "gcp" && text.ends_with("slice");
        is_label.then_some(text)
    })?;
    let topology = catalog.str(slice.topology);
    Some(Map::from_iter([
        (
            "cloud.google.com/gke-tpu-accelerator".to_owned(),
            label.into(),
        ),
        (
            "cloud.google.com/gke-tpu-topology".to_owned(),
            topology.into(),
        ),
    ]))
}

/// The node label that names the accelerator, and its values: the product name of GPU feature discovery, or the PCI id
/// of AMD's node labeller, which names its products differently from release to release.
fn product_label(
    handover: &Handover<'_, '_>,
    candidate: &Candidate,
) -> (&'static str, Vec<String>) {
    let products = handover.products(candidate);
    if !products.is_empty() {
        let labels = products.iter().map(|product| product.replace(' ', "-"));
        return ("nvidia.com/gpu.product", labels.collect());
    }
    let ids = handover.names_in("pci-id", candidate);
    let of_amd = ids.iter().filter_map(|id| id.strip_prefix(AMD));
    ("amd.com/gpu.device-id", of_amd.map(str::to_owned).collect())
}

/// Writes the node selector and the node affinity of the pod.
fn place(
    handover: &Handover<'_, '_>,
    candidate: &Candidate,
    spec: &mut Map<String, Value>,
    affinity: &mut Map<String, Value>,
    out: &mut Rendered,
) {
    let mut expressions = Pins::of(handover).expressions;
    if let Some(labels) = tpu_labels(handover, candidate) {
        spec.insert("nodeSelector".to_owned(), labels.into());
        require(&expressions, affinity);
        return;
    }
    let (label, values) = product_label(handover, candidate);
    match &values[..] {
        [] => {
            let name = handover.catalog.accelerator_id(candidate.found.accelerator);
            out.lose(
                LossCode::Accelerator,
                format!("no node label is known for {name}, so the pod may run on any node with the resource"),
            );
        }
        [value] => {
            spec.insert("nodeSelector".to_owned(), json!({ label: value }));
        }
        values => expressions.push(json!({
            "key": label,
            "operator": "In",
            "values": values,
        })),
    }
    if let Some(major) = driver_major(handover).and_then(|major| major.parse::<u32>().ok()) {
        expressions.push(json!({
            "key": "nvidia.com/cuda.driver-version.major",
            "operator": "Gt",
            "values": [major.saturating_sub(1).to_string()],
        }));
    }
    require(&expressions, affinity);
}
