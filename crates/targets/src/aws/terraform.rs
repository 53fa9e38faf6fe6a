//! Terraform: EC2 instances of a launch template.

use serde_json::{Map, Value, json};
use sky_accel_core::plan::Candidate;

use super::{ROOT_DEVICE, adapters, device_index, in_first_region, interface_type, lost, tag};
use crate::job::{Capacity, Handover, is_spot};
use crate::terraform::{Source, literal, variable};
use crate::{CannotSay, LossCode, Rendered, write};

const SOURCE: Source = Source {
    name: super::PROVIDER,
    address: "hashicorp/aws",
    version: "5.100",
};

pub(crate) fn render(handover: &Handover<'_, '_>, out: &mut Rendered) -> Result<(), CannotSay> {
    let group = in_first_region(
        handover,
        out,
        "machines of one provider block are in one region",
    )?;
    let first = group.first;
    if group.candidates.len() > 1 {
        out.lose(
            LossCode::Fallback,
            "Terraform creates one candidate and does not try the next",
        );
    }
    let job = handover.job;
    let mut variables = Map::new();
    let mut template = launch_template(handover, first, &mut variables, out);
    let mut resources = Map::new();
    let mut instance = Map::from_iter([
        ("count".to_owned(), Value::from(job.nodes)),
        (
            "launch_template".to_owned(),
            json!([{ "id": "${aws_launch_template.this.id}", "version": "${aws_launch_template.this.latest_version}" }]),
        ),
        (
            "tags".to_owned(),
            json!({ "Name": write::terraform(&tag(handover)) }),
        ),
    ]);
    if adapters(handover, first) > 0 {
        template.extend(fabric(handover, first, &mut variables));
        resources.insert(
            "aws_placement_group".to_owned(),
            json!({ "this": { "name": write::slug(&job.name, 100), "strategy": "cluster" } }),
        );
    } else {
        instance.insert(
            "subnet_id".to_owned(),
            variable(
                &mut variables,
                "subnet_id",
                "string",
                "The subnet of the machines; the default one when it is left out",
                Some(Value::Null),
            ),
        );
    }
    resources.insert(
        "aws_launch_template".to_owned(),
        json!({ "this": template }),
    );
    resources.insert("aws_instance".to_owned(), json!({ "this": instance }));
    let mut document = Map::from_iter([
        ("terraform".to_owned(), SOURCE.required()),
        (
            "provider".to_owned(),
            json!({ "aws": { "region": literal(group.region) } }),
        ),
    ]);
    document.insert("variable".to_owned(), variables.into());
    document.insert("resource".to_owned(), resources.into());
    document.insert(
        "output".to_owned(),
        json!({ "instance_ids": { "value": "${aws_instance.this[*].id}" } }),
    );
    lost(handover, out);
    out.file("main.tf.json", write::json(&Value::Object(document)));
    Ok(())
}

/// How a machine is started, and how it is bought.
fn launch_template(
    handover: &Handover<'_, '_>,
    candidate: &Candidate,
    variables: &mut Map<String, Value>,
    out: &mut Rendered,
) -> Map<String, Value> {
    let job = handover.job;
    let image = handover.machine_image().map_or_else(
        || {
            variable(
                variables,
                "image_id",
                "string",
                "The machine image: an AMI id of the region, or resolve:ssm:PARAMETER",
                None,
            )
        },
        |image| write::terraform(image).into(),
    );
    let mut template = Map::from_iter([
        (
            "name_prefix".to_owned(),
            Value::from(write::slug(&job.name, 40) + "-"),
        ),
        ("image_id".to_owned(), image),
        (
            "instance_type".to_owned(),
            literal(handover.instance_type(candidate)),
        ),
        (
            "key_name".to_owned(),
            variable(
                variables,
                "key_name",
                "string",
                "The key pair to log in with",
                Some(Value::Null),
            ),
        ),
        (
            "metadata_options".to_owned(),
            json!([{ "http_tokens": "required" }]),
        ),
    ]);
    if let Some(disk) = job.disk_gb {
        let root = variable(
            variables,
            "root_device_name",
            "string",
            "The root volume of the machine image",
            Some(ROOT_DEVICE.into()),
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
        let mut spot = Map::from_iter([("spot_instance_type".to_owned(), Value::from("one-time"))]);
        if let Some(max) = job.max_price {
            spot.insert("max_price".to_owned(), max.decimal().to_string().into());
        }
        template.insert(
            "instance_market_options".to_owned(),
            json!([{ "market_type": "spot", "spot_options": [spot] }]),
        );
    } else if job.max_price.is_some() {
        out.lose(
            LossCode::MaxPrice,
            "on-demand instances have no price limit",
        );
    }
    let reserved = handover.capacity_or_ask(candidate, out);
    if let Some(Capacity::Reservation(id) | Capacity::Block(id)) = &reserved {
        template.insert(
            "capacity_reservation_specification".to_owned(),
            json!([{ "capacity_reservation_target": [{ "capacity_reservation_id": write::terraform(id) }] }]),
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

/// Adapters for the traffic between machines, one for each network card.
fn fabric(
    handover: &Handover<'_, '_>,
    candidate: &Candidate,
    variables: &mut Map<String, Value>,
) -> [(String, Value); 2] {
    let subnet = variable(
        variables,
        "subnet_id",
        "string",
        "The subnet of the machines, in one zone",
        None,
    );
    let group = variable(
        variables,
        "security_group_id",
        "string",
        "A security group that lets all of its own traffic through",
        None,
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
    let placement = json!([{ "group_name": "${aws_placement_group.this.name}" }]);
    [
        ("network_interfaces".to_owned(), interfaces.into()),
        ("placement".to_owned(), placement),
    ]
}
