//! Nebius: instances of a preset on a platform.

use serde_json::{Map, Value, json};
use sky_accel_core::plan::Candidate;

use super::configuration::{
    Configuration, ProviderSource, arguments, literal, lose_max_price, machine_name,
};
use crate::job::{Handover, is_spot};
use crate::{Rendered, Unsupported};

const SOURCE: ProviderSource = ProviderSource {
    name: "nebius",
    address: "nebius/nebius",
    version: "0.6",
};

/// The default size of the boot disk in GiB, which fits an image with CUDA.
const DISK_GIB: u32 = 100;

pub(super) fn machine(
    handover: &Handover<'_, '_>,
    candidate: &Candidate,
    out: &mut Rendered,
) -> Result<Configuration, Unsupported> {
    let id = handover.instance_type(candidate);
    let (platform, preset) = id.split_once('_').ok_or_else(|| Unsupported::Unknown {
        kind: "Nebius platform and preset",
        product: id.to_owned(),
    })?;
    let mut configuration = Configuration::new(SOURCE);
    lose_max_price(handover, out);
    let region = handover.region(candidate).unwrap_or("the region");
    let project = configuration.ask(
        "project_id",
        &format!("The id of the project, which is in {region}"),
    );
    let name = machine_name(handover, 50, out);
    let disk = disk(handover, &name, &mut configuration);
    let subnet = configuration.ask("subnet_id", "The id of the subnet of the machines");
    let mut instance = arguments([
        ("name", name.into()),
        ("parent_id", project),
        (
            "resources",
            json!({ "platform": literal(platform), "preset": literal(preset) }),
        ),
        (
            "boot_disk",
            json!({ "attach_mode": "READ_WRITE", "managed_disk": disk }),
        ),
        (
            "network_interfaces",
            json!([{ "name": "eth0", "subnet_id": subnet, "ip_address": {} }]),
        ),
        (
            "cloud_init_user_data",
            configuration.offer(
                "user_data",
                "Settings of cloud-init, with the users and their keys",
            ),
        ),
    ]);
    if is_spot(candidate) {
        instance.insert("preemptible".to_owned(), json!({ "on_preemption": "STOP" }));
    }
    configuration.machines("nebius_compute_v1_instance", handover.job.nodes, instance);
    Ok(configuration)
}

/// Writes the managed boot disk.
fn disk(
    handover: &Handover<'_, '_>,
    name: &str,
    configuration: &mut Configuration,
) -> Map<String, Value> {
    let family = configuration.ask(
        "image_family",
        "The family of the machine image, such as ubuntu24.04-cuda12",
    );
    // The job has decimal GB and Nebius GiB: round up, so that the disk has at least this size.
    let gib = handover.job.disk_gb.map_or(DISK_GIB, |gb| {
        (u64::from(gb) * 1_000_000_000).div_ceil(1 << 30) as u32
    });
    arguments([
        ("name", format!("{name}-boot").into()),
        (
            "spec",
            json!({
                "type": "NETWORK_SSD",
                "size_gibibytes": gib,
                "source_image_family": { "image_family": family },
            }),
        ),
    ])
}
