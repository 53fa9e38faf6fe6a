//! Google Cloud: machines with GPUs and slices of TPU pods.

use serde_json::{Map, Value, json};
use sky_accel_core::catalog::OfferKind;
use sky_accel_core::plan::Candidate;

use super::configuration::{
    Configuration, ProviderSource, arguments, literal, lose_max_price, machine_name, region, zone,
};
use crate::job::{Handover, is_spot};
use crate::{LossCode, Rendered};

pub(crate) const PROVIDER: &str = "gcp";

pub(crate) const SOURCE: ProviderSource = ProviderSource {
    name: "google",
    address: "hashicorp/google",
    version: "6.0",
};

/// The provider with resources for TPUs.
const BETA: ProviderSource = ProviderSource {
    name: "google-beta",
    address: "hashicorp/google-beta",
    version: "6.0",
};

pub(super) fn machine(
    handover: &Handover<'_, '_>,
    candidate: &Candidate,
    out: &mut Rendered,
) -> Configuration {
    let is_slice = handover.offer(candidate).kind == OfferKind::Slice;
    let source = if is_slice { BETA } else { SOURCE };
    let mut configuration = Configuration::new(source);
    let region = region(handover, candidate, &mut configuration, out);
    let project = configuration.ask("project", "The project to bill");
    configuration.settings = json!({ "project": project, "region": region });
    lose_max_price(handover, out);
    let nodes = handover.job.nodes;
    if is_slice {
        let slice = slice(handover, candidate, &mut configuration, out);
        configuration.machines("google_tpu_v2_vm", nodes, slice);
    } else {
        let instance = instance(handover, candidate, &mut configuration, out);
        configuration.machines("google_compute_instance", nodes, instance);
    }
    configuration
}

/// Writes the arguments of a `google_compute_instance`.
fn instance(
    handover: &Handover<'_, '_>,
    candidate: &Candidate,
    configuration: &mut Configuration,
    out: &mut Rendered,
) -> Map<String, Value> {
    let is_attached = handover.offer(candidate).kind == OfferKind::Attached;
    let machine_type = if is_attached {
        host(handover, candidate, configuration)
    } else {
        literal(handover.instance_type(candidate))
    };
    let image = configuration.ask(
        "image",
        "The machine image with a GPU driver: project/family, or a whole link",
    );
    let mut disk = arguments([("image", image)]);
    if let Some(gb) = handover.job.disk_gb {
        disk.insert("size".to_owned(), gb.into());
    }
    let network = configuration.default("network", "The network of the machines", "default");
    let mut instance = arguments([
        ("name", machine_name(handover, 50, out).into()),
        ("machine_type", machine_type),
        ("zone", zone(handover, candidate, configuration)),
        ("boot_disk", json!([{ "initialize_params": [disk] }])),
        ("network_interface", json!([{ "network": network }])),
        // Google Cloud cannot live-migrate a machine with GPUs.
        ("scheduling", json!([scheduling(candidate)])),
    ]);
    if is_attached {
        let gpus = arguments([
            ("type", literal(handover.instance_type(candidate))),
            ("count", Handover::count(candidate).into()),
        ]);
        instance.insert("guest_accelerator".to_owned(), json!([gpus]));
    }
    instance
}

/// Returns the machine type to which GPUs are attached, as a variable with a default: several types
/// are possible.
pub(crate) fn host(
    handover: &Handover<'_, '_>,
    candidate: &Candidate,
    configuration: &mut Configuration,
) -> Value {
    let description = "The machine that the GPUs are attached to; more vCPUs may need more GPUs";
    match handover.host(candidate) {
        Some(host) => configuration.default("machine_type", description, &host),
        None => configuration.ask("machine_type", description),
    }
}

/// Returns the scheduling arguments, which include the capacity type.
fn scheduling(candidate: &Candidate) -> Map<String, Value> {
    let mut scheduling = arguments([("on_host_maintenance", "TERMINATE".into())]);
    if is_spot(candidate) {
        scheduling.extend(arguments([
            ("provisioning_model", "SPOT".into()),
            ("preemptible", true.into()),
            ("automatic_restart", false.into()),
            ("instance_termination_action", "DELETE".into()),
        ]));
    }
    scheduling
}

/// Writes the arguments of a `google_tpu_v2_vm`.
fn slice(
    handover: &Handover<'_, '_>,
    candidate: &Candidate,
    configuration: &mut Configuration,
    out: &mut Rendered,
) -> Map<String, Value> {
    out.lose_given(
        LossCode::Disk,
        handover.job.asks_disk(),
        "the disk size of TPU hosts is fixed",
    );
    let runtime = configuration.ask(
        "runtime_version",
        "The software of the TPU machines, such as v2-alpha-tpuv5 or v2-alpha-tpuv6e",
    );
    let name = handover.pod_slice(candidate).map_or_else(
        || handover.instance_type(candidate).to_owned(),
        |slice| handover.catalog.str(slice.name).to_owned(),
    );
    let mut slice = arguments([
        // Terraform would infer the provider `google` from the name of the resource type.
        ("provider", BETA.name.into()),
        ("name", machine_name(handover, 50, out).into()),
        ("zone", zone(handover, candidate, configuration)),
        ("accelerator_type", literal(&name)),
        ("runtime_version", runtime),
    ]);
    if is_spot(candidate) {
        slice.insert("scheduling_config".to_owned(), json!([{ "spot": true }]));
    }
    slice
}
