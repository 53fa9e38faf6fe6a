//! AWS: EC2 instances of a launch template.

use serde_json::{Map, Value, json};
use sky_accel_core::plan::Candidate;

use super::configuration::{Configuration, ProviderSource, arguments, literal, lose_fallback};
use crate::aws::ec2::{
    self, PROVIDER, ROOT_DEVICE, adapters, device_index, in_first_region, interface_type, tag,
};
use crate::job::{Capacity, Handover, is_spot};
use crate::{Rendered, Unsupported, write};

const SOURCE: ProviderSource = ProviderSource {
    name: PROVIDER,
    address: "hashicorp/aws",
    version: "5.100",
};

/// The instances, in the region of the first candidate.
pub(super) fn machine(
    handover: &Handover<'_, '_>,
    out: &mut Rendered,
) -> Result<Configuration, Unsupported> {
    let group = in_first_region(handover, out, "a provider block has a single region")?;
    let first = group.first;
    lose_fallback(group.candidates.len(), out);
    let job = handover.job;
    let mut configuration = Configuration::new(SOURCE);
    configuration.settings = json!({ "region": literal(group.region) });
    let mut template = launch_template(handover, first, &mut configuration, out);
    let mut instance = arguments([
        (
            "launch_template",
            json!([{ "id": "${aws_launch_template.this.id}", "version": "${aws_launch_template.this.latest_version}" }]),
        ),
        ("tags", json!({ "Name": write::terraform(&tag(handover)) })),
    ]);
    if adapters(handover, first) > 0 {
        template.extend(fabric(handover, first, &mut configuration));
        let placement = arguments([
            ("name", write::slug(&job.name, 100).into()),
            ("strategy", "cluster".into()),
        ]);
        configuration.resource("aws_placement_group", placement);
    } else {
        instance.insert(
            "subnet_id".to_owned(),
            configuration.offer(
                "subnet_id",
                "The subnet of the machines; the default one when it is left out",
            ),
        );
    }
    configuration.resource("aws_launch_template", template);
    configuration.machines("aws_instance", job.nodes, instance);
    ec2::lost(handover, out);
    Ok(configuration)
}

/// The image, type, disk and purchase option of the machines.
fn launch_template(
    handover: &Handover<'_, '_>,
    candidate: &Candidate,
    configuration: &mut Configuration,
    out: &mut Rendered,
) -> Map<String, Value> {
    let job = handover.job;
    let image = match handover.machine_image() {
        Some(image) => literal(&image.to_string()),
        None => configuration.ask(
            "image_id",
            "The machine image: an AMI id of the region, or resolve:ssm:PARAMETER",
        ),
    };
    let mut template = arguments([
        ("name_prefix", (write::slug(&job.name, 40) + "-").into()),
        ("image_id", image),
        ("instance_type", literal(handover.instance_type(candidate))),
        (
            "key_name",
            configuration.offer("key_name", "The key pair to log in with"),
        ),
        ("metadata_options", json!([{ "http_tokens": "required" }])),
    ]);
    if let Some(disk) = job.disk_gb {
        let root = configuration.default(
            "root_device_name",
            "The root volume of the machine image",
            ROOT_DEVICE,
        );
        template.insert(
            "block_device_mappings".to_owned(),
            json!([{
                "device_name": root,
                "ebs": [{ "volume_size": disk, "volume_type": "gp3", "delete_on_termination": true }],
            }]),
        );
    }
    if is_spot(candidate) {
        let mut spot = arguments([("spot_instance_type", "one-time".into())]);
        if let Some(max) = job.max_price {
            spot.insert("max_price".to_owned(), max.decimal().to_string().into());
        }
        template.insert(
            "instance_market_options".to_owned(),
            json!([{ "market_type": "spot", "spot_options": [spot] }]),
        );
    } else {
        handover.lose_price_limit("on-demand instances have no price limit", out);
    }
    let reserved = handover.capacity_or_ask(candidate, out);
    if let Some(Capacity::Reservation(id) | Capacity::Block(id)) = &reserved {
        template.insert(
            "capacity_reservation_specification".to_owned(),
            json!([{ "capacity_reservation_target": [{ "capacity_reservation_id": literal(id) }] }]),
        );
    }
    if matches!(reserved, Some(Capacity::Block(_))) {
        template.insert(
            "instance_market_options".to_owned(),
            json!([{ "market_type": "capacity-block" }]),
        );
    }
    template
}

/// Adapters for traffic between machines, one for each network card, and their placement.
fn fabric(
    handover: &Handover<'_, '_>,
    candidate: &Candidate,
    configuration: &mut Configuration,
) -> Map<String, Value> {
    let subnet = configuration.ask("subnet_id", "The subnet of the machines, in one zone");
    let group = configuration.ask(
        "security_group_id",
        "A security group that lets all traffic between its members through",
    );
    let interfaces: Vec<Value> = (0..adapters(handover, candidate))
        .map(|card| {
            json!({
                "network_card_index": card,
                "device_index": device_index(card),
                "interface_type": interface_type(card),
                "subnet_id": subnet,
                "security_groups": [group],
            })
        })
        .collect();
    arguments([
        ("network_interfaces", interfaces.into()),
        (
            "placement",
            json!([{ "group_name": "${aws_placement_group.this.name}" }]),
        ),
    ])
}
