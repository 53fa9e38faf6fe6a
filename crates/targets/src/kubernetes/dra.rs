//! A Job whose devices are claimed: dynamic resource allocation, of NVIDIA's driver.

use serde_json::{Map, Value, json};
use sky_accel_core::plan::Candidate;

use super::{container, disk, driver_major, job, lost, metadata, spread, tolerations};
use crate::job::Handover;
use crate::{CannotSay, Rendered, write};

const DRIVER: &str = "gpu.nvidia.com";

pub(crate) fn render(handover: &Handover<'_, '_>, out: &mut Rendered) -> Result<(), CannotSay> {
    let Some(first) = handover.first() else {
        return Ok(());
    };
    let products = handover.products(first);
    if products.is_empty() {
        let name = handover.catalog.accelerator_id(first.found.accelerator);
        let message = format!("no driver of dynamic resource allocation is known for {name}");
        return Err(CannotSay(message));
    }
    let slices = handover.slices();
    let mut requests = Vec::new();
    if slices.is_empty() {
        let wishes = wishes(handover, first, &products, None);
        requests.push(request(
            "gpu",
            "gpu.nvidia.com",
            Handover::count(first),
            &wishes,
        ));
    }
    for (name, n) in &slices {
        if name.contains("c.") {
            let message =
                format!("the driver hands out whole GPU instances: it has no word for {name}");
            return Err(CannotSay(message));
        }
        let wishes = wishes(handover, first, &products, Some(name));
        let request_name = format!("slice-{}", name.replace(['.', '+'], "-"));
        requests.push(request(&request_name, "mig.nvidia.com", *n, &wishes));
    }
    let mut devices = json!({ "requests": requests });
    let on_one_gpu = handover.layout.is_some_and(|layout| layout.gpus.len() == 1);
    let wanted: u32 = slices.iter().map(|(_, n)| n).sum();
    if on_one_gpu && wanted > 1 {
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
    spread(handover, &mut affinity);
    if !affinity.is_empty() {
        spec.insert("affinity".to_owned(), affinity.into());
    }
    lost(handover, out);
    out.file(
        "job.yaml",
        write::yaml_stream(&[claim, job(handover, spec, container)]),
    );
    Ok(())
}

fn request(name: &str, class: &str, count: u32, wishes: &[String]) -> Value {
    let selectors: Vec<Value> = wishes
        .iter()
        .map(|wish| json!({ "cel": { "expression": wish } }))
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

/// Expressions that a device must fulfil.
fn wishes(
    handover: &Handover<'_, '_>,
    candidate: &Candidate,
    products: &[&str],
    profile: Option<&str>,
) -> Vec<String> {
    let names: Vec<String> = products.iter().map(|name| write::cel(name)).collect();
    let mut wishes = vec![format!(
        "device.attributes['{DRIVER}'].productName in [{}]",
        names.join(", ")
    )];
    match profile {
        Some(profile) => wishes.push(format!(
            "device.attributes['{DRIVER}'].profile == {}",
            write::cel(profile)
        )),
        // Products of one name may come in several sizes. Drivers report a little less than is sold.
        None => wishes.extend(handover.accelerator(candidate).memory_gb.map(|gb| {
            let gib = (gb * 0.9).floor();
            format!("device.capacity['{DRIVER}'].memory.compareTo(quantity('{gib}Gi')) >= 0")
        })),
    }
    wishes.extend(driver_major(handover).map(|major| {
        let floor = write::cel(&format!("{major}.0.0"));
        format!("device.attributes['{DRIVER}'].driverVersion.compareTo(semver({floor})) >= 0")
    }));
    wishes
}
