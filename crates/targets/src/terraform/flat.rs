//! Clouds whose machine is a single resource: their arguments differ only in the names.

use serde_json::json;
use sky_accel_core::plan::Candidate;

use super::configuration::{
    Configuration, ProviderSource, arguments, literal, lose_max_price, lose_spot, machine_name,
    region, zone,
};
use crate::job::Handover;
use crate::{LossCode, Rendered};

/// The argument for the location of a machine.
enum LocationArgument {
    /// The region of the candidate.
    Region(&'static str),
    /// A zone, which the user sets.
    Zone(&'static str),
}

/// The argument for the size of the boot disk, in GB.
enum DiskArgument {
    /// The instance type decides the size.
    Fixed,
    /// A required argument, with our default.
    Needed(&'static str, u32),
    /// An optional argument in a block: the names of the block and the argument.
    In(&'static str, &'static str),
}

/// A resource, and its names for the arguments of a machine.
struct MachineResource {
    source: ProviderSource,
    kind: &'static str,
    /// The prefix of the instance types for which this resource is used; empty for all.
    types: &'static str,
    name: &'static str,
    instance_type: &'static str,
    place: LocationArgument,
    /// The argument for the image, and a description of its value.
    image: (&'static str, &'static str),
    /// The argument for the list of SSH keys, and a description of its values.
    keys: Option<(&'static str, &'static str)>,
    disk: DiskArgument,
}

/// A virtual machine of Vultr. Bare metal is another resource with the same arguments.
const VULTR: MachineResource = MachineResource {
    source: ProviderSource {
        name: "vultr",
        address: "vultr/vultr",
        version: "2.20",
    },
    kind: "vultr_instance",
    types: "",
    name: "label",
    instance_type: "plan",
    place: LocationArgument::Region("region"),
    image: (
        "snapshot_id",
        "The id of the snapshot that the machine starts from",
    ),
    keys: Some(("ssh_key_ids", "The ids of the keys to log in with")),
    disk: DiskArgument::Fixed,
};

/// All resources. The first match for a provider and an instance type is used.
const RESOURCES: &[MachineResource] = &[
    MachineResource {
        source: ProviderSource {
            name: "digitalocean",
            address: "digitalocean/digitalocean",
            version: "2.40",
        },
        kind: "digitalocean_droplet",
        types: "",
        name: "name",
        instance_type: "size",
        place: LocationArgument::Region("region"),
        image: ("image", "The slug or the id of the machine image"),
        keys: Some((
            "ssh_keys",
            "The ids or fingerprints of the keys to log in with",
        )),
        disk: DiskArgument::Fixed,
    },
    MachineResource {
        source: ProviderSource {
            name: "linode",
            address: "linode/linode",
            version: "2.0",
        },
        kind: "linode_instance",
        types: "",
        name: "label",
        instance_type: "type",
        place: LocationArgument::Region("region"),
        image: ("image", "The machine image, such as linode/ubuntu24.04"),
        keys: Some(("authorized_keys", "The public keys to log in with")),
        disk: DiskArgument::Fixed,
    },
    MachineResource {
        kind: "vultr_bare_metal_server",
        types: "vbm-",
        ..VULTR
    },
    VULTR,
    MachineResource {
        source: ProviderSource {
            name: "scaleway",
            address: "scaleway/scaleway",
            version: "2.40",
        },
        kind: "scaleway_instance_server",
        types: "",
        name: "name",
        instance_type: "type",
        place: LocationArgument::Zone("zone"),
        image: ("image", "The label or the id of the machine image"),
        keys: None,
        disk: DiskArgument::In("root_volume", "size_in_gb"),
    },
    MachineResource {
        source: ProviderSource {
            name: "exoscale",
            address: "exoscale/exoscale",
            version: "0.60",
        },
        kind: "exoscale_compute_instance",
        types: "",
        name: "name",
        instance_type: "type",
        place: LocationArgument::Region("zone"),
        image: ("template_id", "The id of the template of the machines"),
        keys: Some(("ssh_keys", "The names of the keys to log in with")),
        disk: DiskArgument::Needed("disk_size", 100),
    },
];

/// Writes the machines of a provider, given Terraform's name for it; `None` if no resource is known.
pub(super) fn machine(
    name: &str,
    handover: &Handover<'_, '_>,
    candidate: &Candidate,
    out: &mut Rendered,
) -> Option<Configuration> {
    let instance_type = handover.instance_type(candidate);
    let mut resources = RESOURCES
        .iter()
        .filter(|resource| resource.source.name == name);
    let resource = resources.find(|resource| instance_type.starts_with(resource.types))?;
    let mut configuration = Configuration::new(resource.source);
    lose_max_price(handover, out);
    lose_spot(candidate, out);
    let (place, value) = match resource.place {
        LocationArgument::Region(argument) => (
            argument,
            region(handover, candidate, &mut configuration, out),
        ),
        LocationArgument::Zone(argument) => {
            (argument, zone(handover, candidate, &mut configuration))
        }
    };
    let (image, meaning) = resource.image;
    let mut machine = arguments([
        (resource.name, machine_name(handover, 50, out).into()),
        (resource.instance_type, literal(instance_type)),
        (place, value),
        (image, configuration.ask("image", meaning)),
    ]);
    if let Some((argument, meaning)) = resource.keys {
        machine.insert(argument.to_owned(), configuration.list("ssh_keys", meaning));
    }
    let disk = handover.job.disk_gb;
    match resource.disk {
        DiskArgument::Fixed => out.lose_given(
            LossCode::Disk,
            handover.job.asks_disk(),
            "the instance type decides the size of the disk",
        ),
        DiskArgument::Needed(argument, default) => {
            machine.insert(argument.to_owned(), disk.unwrap_or(default).into());
        }
        DiskArgument::In(block, argument) => {
            if let Some(disk) = disk {
                machine.insert(block.to_owned(), json!([{ argument: disk }]));
            }
        }
    }
    configuration.machines(resource.kind, handover.job.nodes, machine);
    Some(configuration)
}
