//! A Job for the device plugins, with the labels of GPU feature discovery.

use serde_json::{Map, Value, json};
use sky_accel_core::plan::Candidate;

use super::{container, disk, driver_major, job, lost, spread, tolerations};
use crate::job::Handover;
use crate::{CannotSay, Rendered, write};

pub(crate) fn render(own: &Handover<'_, '_>, out: &mut Rendered) -> Result<(), CannotSay> {
    let Some(first) = own.first() else {
        return Ok(());
    };
    let resource = own.resource(first)?;
    let slices = own.slices();
    let mut limits = Map::new();
    if slices.is_empty() {
        // GKE counts chips of one host, of which a slice may have several.
        limits.insert(resource.to_owned(), Handover::count(first).into());
    }
    for (name, n) in &slices {
        if name.contains("c.") {
            let message = format!(
                "the device plugin hands out whole GPU instances: it has no word for {name}"
            );
            return Err(CannotSay(message));
        }
        let resource = format!("nvidia.com/mig-{}", name.replace('+', "."));
        limits.insert(resource, (*n).into());
    }
    let mut resources = Map::from_iter([("limits".to_owned(), Value::from(limits))]);
    disk(own, &mut resources);
    let mut container = container(own, first, out);
    container.insert("resources".to_owned(), resources.into());

    let mut spec = Map::new();
    let mut affinity = Map::new();
    place(own, first, &mut spec, &mut affinity, out);
    spread(own, &mut affinity);
    if !affinity.is_empty() {
        spec.insert("affinity".to_owned(), affinity.into());
    }
    if own.pod_slice(first).is_none() {
        spec.insert("tolerations".to_owned(), tolerations(resource));
    }
    lost(own, out);
    out.file("job.yaml", write::yaml(&job(own, spec, container)));
    Ok(())
}

/// Which nodes will do.
fn place(
    own: &Handover<'_, '_>,
    candidate: &Candidate,
    spec: &mut Map<String, Value>,
    affinity: &mut Map<String, Value>,
    out: &mut Rendered,
) {
    if let Some(slice) = own.pod_slice(candidate) {
        let gke = own.catalog.spellings_of(candidate.found.accelerator).iter();
        let label = gke
            .map(|spelling| {
                (
                    own.catalog.str(spelling.dialect),
                    own.catalog.str(spelling.text),
                )
            })
            .find(|(dialect, text)| *dialect == "gcp" && text.ends_with("slice"));
        if let Some((_, label)) = label {
            spec.insert(
                "nodeSelector".to_owned(),
                json!({
                    "cloud.google.com/gke-tpu-accelerator": label,
                    "cloud.google.com/gke-tpu-topology": own.catalog.str(slice.topology),
                }),
            );
            return;
        }
    }
    let labels: Vec<String> = own
        .products(candidate)
        .iter()
        .map(|product| product.replace(' ', "-"))
        .collect();
    let mut expressions = Vec::new();
    match &labels[..] {
        [] => {
            let name = own.catalog.accelerator_id(candidate.found.accelerator);
            out.lose(
                "accelerator",
                format!("nodes have no label that is known to tell {name} from others: any node with the resource will do"),
            );
        }
        [label] => {
            spec.insert(
                "nodeSelector".to_owned(),
                json!({ "nvidia.com/gpu.product": label }),
            );
        }
        labels => expressions.push(json!({
            "key": "nvidia.com/gpu.product",
            "operator": "In",
            "values": labels,
        })),
    }
    if let Some(major) = driver_major(own).and_then(|major| major.parse::<u32>().ok()) {
        expressions.push(json!({
            "key": "nvidia.com/cuda.driver-version.major",
            "operator": "Gt",
            "values": [(major - 1).to_string()],
        }));
    }
    if !expressions.is_empty() {
        affinity.insert(
            "nodeAffinity".to_owned(),
            json!({ "requiredDuringSchedulingIgnoredDuringExecution": {
                "nodeSelectorTerms": [{ "matchExpressions": expressions }],
            } }),
        );
    }
}
