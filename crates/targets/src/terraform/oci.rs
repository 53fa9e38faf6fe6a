//! Oracle Cloud Infrastructure: instances of a shape.

use serde_json::json;
use sky_accel_core::plan::Candidate;

use super::configuration::{
    Configuration, ProviderSource, arguments, literal, lose_max_price, machine_name, region,
};
use crate::Rendered;
use crate::job::{Handover, is_spot};

const SOURCE: ProviderSource = ProviderSource {
    name: "oci",
    address: "oracle/oci",
    version: "6.0",
};

pub(super) fn machine(
    handover: &Handover<'_, '_>,
    candidate: &Candidate,
    out: &mut Rendered,
) -> Configuration {
    let mut configuration = Configuration::new(SOURCE);
    let region = region(handover, candidate, &mut configuration, out);
    configuration.settings = json!({ "region": region });
    lose_max_price(handover, out);
    let domain = configuration.ask(
        "availability_domain",
        &format!(
            "An availability domain that has {}",
            handover.instance_type(candidate)
        ),
    );
    let image = configuration.ask("image_id", "The OCID of the machine image");
    let mut source = arguments([("source_type", "image".into()), ("source_id", image)]);
    if let Some(gb) = handover.job.disk_gb {
        source.insert("boot_volume_size_in_gbs".to_owned(), gb.to_string().into());
    }
    let subnet = configuration.ask("subnet_id", "The OCID of the subnet of the machines");
    let key = configuration.ask("ssh_public_key", "The public key to log in with");
    let compartment = configuration.ask("compartment_id", "The OCID of the compartment");
    let mut instance = arguments([
        ("display_name", machine_name(handover, 50, out).into()),
        ("availability_domain", domain),
        ("compartment_id", compartment),
        ("shape", literal(handover.instance_type(candidate))),
        ("source_details", json!([source])),
        ("create_vnic_details", json!([{ "subnet_id": subnet }])),
        ("metadata", json!({ "ssh_authorized_keys": key })),
    ]);
    if is_spot(candidate) {
        instance.insert(
            "preemptible_instance_config".to_owned(),
            json!([{ "preemption_action": [{ "type": "TERMINATE" }] }]),
        );
    }
    configuration.machines("oci_core_instance", handover.job.nodes, instance);
    configuration
}
