//! Azure: virtual machines, each with a network interface.

use serde_json::{Map, Value, json};
use sky_accel_core::plan::Candidate;

use super::configuration::{
    Configuration, ProviderSource, arguments, literal, lose_max_price, machine_name, region,
};
use crate::Rendered;
use crate::job::{Handover, is_spot};

pub(crate) const PROVIDER: &str = "azure";

pub(crate) const SOURCE: ProviderSource = ProviderSource {
    name: "azurerm",
    address: "hashicorp/azurerm",
    version: "4.0",
};

/// The name of the administrator.
const USER: &str = "azureuser";

pub(super) fn machine(
    handover: &Handover<'_, '_>,
    candidate: &Candidate,
    out: &mut Rendered,
) -> Configuration {
    let mut configuration = Configuration::new(SOURCE);
    configuration.settings = json!({ "features": [{}] });
    let location = region(handover, candidate, &mut configuration, out);
    let group = configuration.ask("resource_group_name", "The resource group of the machines");
    let subnet = configuration.ask("subnet_id", "The id of the subnet of the machines");
    let name = machine_name(handover, 50, out);
    let nodes = handover.job.nodes;
    let address = arguments([
        ("name", "internal".into()),
        ("subnet_id", subnet),
        ("private_ip_address_allocation", "Dynamic".into()),
    ]);
    let interface = arguments([
        ("count", nodes.into()),
        ("name", name.as_str().into()),
        ("location", location.clone()),
        ("resource_group_name", group.clone()),
        ("ip_configuration", json!([address])),
    ]);
    configuration.resource("azurerm_network_interface", interface);
    let mut disk = arguments([
        ("caching", "ReadWrite".into()),
        ("storage_account_type", "Premium_LRS".into()),
    ]);
    if let Some(gb) = handover.job.disk_gb {
        disk.insert("disk_size_gb".to_owned(), gb.into());
    }
    let key = configuration.ask("ssh_public_key", "The public key to log in with");
    let image = configuration.ask(
        "image_id",
        "The id of the machine image, in a gallery or in the resource group",
    );
    let mut machine = arguments([
        ("name", name.into()),
        ("location", location),
        ("resource_group_name", group),
        ("size", literal(handover.instance_type(candidate))),
        ("admin_username", USER.into()),
        (
            "admin_ssh_key",
            json!([{ "username": USER, "public_key": key }]),
        ),
        (
            "network_interface_ids",
            json!(["${azurerm_network_interface.this[count.index].id}"]),
        ),
        ("os_disk", json!([disk])),
        ("source_image_id", image),
    ]);
    machine.extend(spot(handover, candidate, out));
    configuration.machines("azurerm_linux_virtual_machine", nodes, machine);
    configuration
}

/// Returns the arguments for the capacity type and the price limit.
fn spot(
    handover: &Handover<'_, '_>,
    candidate: &Candidate,
    out: &mut Rendered,
) -> Map<String, Value> {
    if !is_spot(candidate) {
        lose_max_price(handover, out);
        return Map::new();
    }
    let mut spot = arguments([
        ("priority", "Spot".into()),
        ("eviction_policy", "Delete".into()),
    ]);
    if let Some(max) = handover.job.max_price {
        spot.insert("max_bid_price".to_owned(), max.decimal().into());
    }
    spot
}
