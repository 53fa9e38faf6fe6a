//! A Job that claims devices by dynamic resource allocation (DRA), for NVIDIA's driver.

use serde_json::{Map, Value, json};
use sky_accel_core::plan::Candidate;

use super::manifest::{
    INDEXED_JOB, add_workload, container, disk, driver_major, lost, require, spread, tolerations,
};
use super::names::metadata;
use super::pins::Pins;
use super::server::PODS;
use crate::job::Handover;
use crate::target::{Descriptor, Fallback};
use crate::{Rendered, Step, Unsupported, write};

const DRIVER: &str = "gpu.nvidia.com";

/// A Kubernetes Job that claims devices by dynamic resource allocation (DRA).
pub(crate) const TARGET: Descriptor = Descriptor {
    step: Step::Schedule,
    rendezvous: Some(INDEXED_JOB),
    serving: Some(PODS),
    counts_whole_devices: true,
    fallback: Fallback::External,
    ..Descriptor::new("dra", "a Job with dynamic resource allocation", render)
};

pub(crate) fn render(handover: &Handover<'_, '_>, out: &mut Rendered) -> Result<(), Unsupported> {
    let Some(first) = handover.first() else {
        return Ok(());
    };
    let products = handover.products(first);
    if products.is_empty() {
        let product = handover.catalog.accelerator_id(first.found.accelerator);
        return Err(Unsupported::Unknown {
            kind: "driver for dynamic resource allocation",
            product: product.to_owned(),
        });
    }
    let slices = handover.slices();
    let mut requests = Vec::new();
    if slices.is_empty() {
        let expressions = expressions(handover, first, &products, None);
        requests.push(request(
            "gpu",
            "gpu.nvidia.com",
            handover.container_devices(first),
            &expressions,
        ));
    }
    for (name, n) in &slices {
        if name.contains("c.") {
            return Err(Unsupported::ComputeInstance {
                tool: "the DRA driver".to_owned(),
                slice: name.clone(),
            });
        }
        let expressions = expressions(handover, first, &products, Some(name));
        let request_name = format!("slice-{}", name.replace(['.', '+'], "-"));
        requests.push(request(&request_name, "mig.nvidia.com", *n, &expressions));
    }
    let mut devices = json!({ "requests": requests });
    let on_one_gpu = handover.layout.is_some_and(|layout| layout.gpus.len() == 1);
    let slice_count: u32 = slices.iter().map(|(_, n)| n).sum();
    if on_one_gpu && slice_count > 1 {
        let names: Vec<&Value> = requests.iter().map(|request| &request["name"]).collect();
        devices["constraints"] = json!([{
            "requests": names,
            "matchAttribute": format!("{DRIVER}/parentUUID"),
        }]);
    }
    let name = write::slug(&handover.job.name, 50);
    let claim = json!({
        "apiVersion": "resource.k8s.io/v1",
        "kind": "ResourceClaimTemplate",
        "metadata": metadata(&handover.job.name),
        "spec": { "spec": { "devices": devices } },
    });
    let mut resources = Map::from_iter([("claims".to_owned(), json!([{ "name": "gpus" }]))]);
    disk(handover, &mut resources);
    let mut container = container(handover, first, out);
    container.insert("resources".to_owned(), resources.into());
    let mut spec = Map::from_iter([(
        "resourceClaims".to_owned(),
        json!([{ "name": "gpus", "resourceClaimTemplateName": name }]),
    )]);
    spec.insert(
        "tolerations".to_owned(),
        tolerations(handover.resource(first)?),
    );
    let mut affinity = Map::new();
    require(&Pins::of(handover).expressions, &mut affinity);
    spread(handover, &mut affinity);
    if !affinity.is_empty() {
        spec.insert("affinity".to_owned(), affinity.into());
    }
    lost(handover, out);
    add_workload(handover, &[claim], spec, container, out);
    Ok(())
}

/// Writes a request for `count` devices of a device class.
fn request(name: &str, class: &str, count: u32, expressions: &[String]) -> Value {
    let selectors: Vec<Value> = expressions
        .iter()
        .map(|expression| json!({ "cel": { "expression": expression } }))
        .collect();
    json!({
        "name": name,
        "exactly": {
            "deviceClassName": class,
            "allocationMode": "ExactCount",
            "count": count,
            "selectors": selectors,
        },
    })
}

/// Returns the CEL expressions that a device must satisfy.
fn expressions(
    handover: &Handover<'_, '_>,
    candidate: &Candidate,
    products: &[&str],
    profile: Option<&str>,
) -> Vec<String> {
    let names: Vec<String> = products.iter().map(|name| write::cel(name)).collect();
    let mut expressions = vec![format!(
        "device.attributes['{DRIVER}'].productName in [{}]",
        names.join(", ")
    )];
    match profile {
        Some(profile) => expressions.push(format!(
            "device.attributes['{DRIVER}'].profile == {}",
            write::cel(profile)
        )),
        // Products of the same name may have several sizes, and drivers report slightly less than the
        // marketed size.
        None => expressions.extend(handover.accelerator(candidate).memory_gb.map(|gb| {
            let gib = (gb * 0.9).floor();
            format!("device.capacity['{DRIVER}'].memory.compareTo(quantity('{gib}Gi')) >= 0")
        })),
    }
    expressions.extend(driver_major(handover).map(|major| {
        let floor = write::cel(&format!("{major}.0.0"));
        format!("device.attributes['{DRIVER}'].driverVersion.compareTo(semver({floor})) >= 0")
    }));
    expressions
}
