//! Clouds whose machines are one resource with a few arguments of their own names.

use serde_json::json;
use sky_accel_core::plan::Candidate;

use super::{
    Configuration, Source, arguments, literal, lose_max_price, lose_spot, machine_name, region,
    zone,
};
use crate::job::Handover;
use crate::{LossCode, Rendered};

/// Where a machine is: in a region, or in a zone that the user names.
enum Place {
    Region(&'static str),
    Zone(&'static str),
}

/// The size of the boot disk in GB.
enum Disk {
    /// That of the type.
    Fixed,
    /// An argument that has to be there, with its default.
    Needed(&'static str, u32),
    /// An argument of a block.
    In(&'static str, &'static str),
}

/// A resource, and what it calls the parts of a machine.
struct Resource {
    source: Source,
    kind: &'static str,
    /// The beginning of the types' names.
    types: &'static str,
    name: &'static str,
    instance_type: &'static str,
    place: Place,
    /// The argument, and what is put there.
    image: (&'static str, &'static str),
    /// The argument with the list of keys to log in with, and what identifies one.
    keys: Option<(&'static str, &'static str)>,
    disk: Disk,
}

/// A machine of Vultr; bare metal is another resource with the same arguments.
const VULTR: Resource = Resource {
    source: Source {
        name: "vultr",
        address: "vultr/vultr",
        version: "2.20",
    },
    kind: "vultr_instance",
    types: "",
    name: "label",
    instance_type: "plan",
    place: Place::Region("region"),
    image: (
        "snapshot_id",
        "The id of the snapshot that the machine starts from",
    ),
    keys: Some(("ssh_key_ids", "The ids of the keys to log in with")),
    disk: Disk::Fixed,
};

/// The first that takes a type is the one.
const RESOURCES: &[Resource] = &[
    Resource {
        source: Source {
            name: "digitalocean",
            address: "digitalocean/digitalocean",
            version: "2.40",
        },
        kind: "digitalocean_droplet",
        types: "",
        name: "name",
        instance_type: "size",
        place: Place::Region("region"),
        image: ("image", "The slug or the id of the machine image"),
        keys: Some((
            "ssh_keys",
            "The ids or fingerprints of the keys to log in with",
        )),
        disk: Disk::Fixed,
    },
    Resource {
        source: Source {
            name: "linode",
            address: "linode/linode",
            version: "2.0",
        },
        kind: "linode_instance",
        types: "",
        name: "label",
        instance_type: "type",
        place: Place::Region("region"),
        image: ("image", "The machine image, such as linode/ubuntu24.04"),
        keys: Some(("authorized_keys", "The public keys to log in with")),
        disk: Disk::Fixed,
    },
    Resource {
        kind: "vultr_bare_metal_server",
        types: "vbm-",
        ..VULTR
    },
    VULTR,
    Resource {
        source: Source {
            name: "scaleway",
            address: "scaleway/scaleway",
            version: "2.40",
        },
        kind: "scaleway_instance_server",
        types: "",
        name: "name",
        instance_type: "type",
        place: Place::Zone("zone"),
        image: ("image", "The label or the id of the machine image"),
        keys: None,
        disk: Disk::In("root_volume", "size_in_gb"),
    },
    Resource {
        source: Source {
            name: "exoscale",
            address: "exoscale/exoscale",
            version: "0.60",
        },
        kind: "exoscale_compute_instance",
        types: "",
        name: "name",
        instance_type: "type",
        place: Place::Region("zone"),
        image: ("template_id", "The id of the template of the machines"),
        keys: Some(("ssh_keys", "The names of the keys to log in with")),
        disk: Disk::Needed("disk_size", 100),
    },
];

/// A machine of the provider that Terraform calls so; `None` where no resource is known.
pub(super) fn machine(
    name: &str,
    handover: &Handover<'_, '_>,
    candidate: &Candidate,
    out: &mut Rendered,
) -> Option<Configuration> {
    let instance_type = handover.instance_type(candidate);
    let mut resources = RESOURCES.iter().filter(|one| one.source.name == name);
    let resource = resources.find(|one| instance_type.starts_with(one.types))?;
    let mut configuration = Configuration::new(resource.source);
    lose_max_price(handover, out);
    lose_spot(candidate, out);
    let (place, value) = match resource.place {
        Place::Region(argument) => (argument, region(handover, candidate, &mut configuration)),
        Place::Zone(argument) => (argument, zone(handover, candidate, &mut configuration)),
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
        Disk::Fixed => out.lose_given(
            LossCode::Disk,
            disk.is_some(),
            "the disk of a machine is that of its type",
        ),
        Disk::Needed(argument, least) => {
            machine.insert(argument.to_owned(), disk.unwrap_or(least).into());
        }
        Disk::In(block, argument) => {
            if let Some(disk) = disk {
                machine.insert(block.to_owned(), json!([{ argument: disk }]));
            }
        }
    }
    configuration.machines(resource.kind, handover.job.nodes, machine);
    Some(configuration)
}
