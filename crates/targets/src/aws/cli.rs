//! A script for the AWS CLI that tries the candidates in order.

use std::fmt::Write as _;

use serde_json::json;
use sky_accel_core::plan::Candidate;

use super::ec2::{
    NO_MACHINE, PROVIDER, ROOT_DEVICE, SECURITY_GROUP, adapters, device_index, in_first_region,
    interface_type, launchable, lost, tag,
};
use crate::job::{Capacity, Handover, is_spot};
use crate::target::{Descriptor, Fallback};
use crate::{Rendered, Unsupported, write};

/// A shell script for the AWS command line that tries the candidates in order.
pub(crate) const TARGET: Descriptor = Descriptor {
    provider: Some(PROVIDER),
    fallback: Fallback::InOrder,
    ..Descriptor::new(
        "aws-cli",
        "a script that tries the candidates in order",
        render,
    )
};

pub(crate) fn render(handover: &Handover<'_, '_>, out: &mut Rendered) -> Result<(), Unsupported> {
    let job = handover.job;
    let fabric = handover
        .first()
        .is_some_and(|first| adapters(handover, first) > 0);
    let candidates: Vec<&Candidate> = if fabric {
        in_first_region(
            handover,
            out,
            "machines with a fast interconnect share a subnet",
        )?
        .candidates
    } else {
        launchable(handover, out)
    };
    if candidates.is_empty() {
        return Err(NO_MACHINE);
    }
    let mut text = String::from("#!/usr/bin/env bash\nset -euo pipefail\n\n");
    let image = if let Some(image) = handover.machine_image() {
        write::shell(&image.to_string())
    } else {
        out.ask(
            "IMAGE_ID",
            "the machine image: an AMI id, or resolve:ssm:PARAMETER, which holds in every region",
        );
        "${IMAGE_ID:?the machine image: an AMI id, or resolve:ssm:PARAMETER}".to_owned()
    };
    let _ = writeln!(text, "image={image}");
    if fabric {
        out.ask("SUBNET_ID", "the subnet of the machines, in one zone");
        out.ask("SECURITY_GROUP_ID", SECURITY_GROUP);
        out.ask(
            "PLACEMENT_GROUP",
            "a placement group of the strategy cluster",
        );
        let _ = write!(
            text,
            "subnet=${{SUBNET_ID:?the subnet of the machines, in one zone}}\n\
             group=${{SECURITY_GROUP_ID:?{SECURITY_GROUP}}}\n\
             placement=${{PLACEMENT_GROUP:?a placement group of the strategy cluster}}\n",
        );
    }
    let reserved: Vec<Option<Capacity>> = candidates
        .iter()
        .map(|candidate| handover.capacity_or_ask(candidate, out))
        .collect();
    if let Some(Capacity::Reservation(id) | Capacity::Block(id)) = reserved.iter().flatten().next()
    {
        let value = match job.capacity {
            Some(_) => write::shell(id),
            None => "${CAPACITY_BLOCK_ID:?the capacity block that was bought}".to_owned(),
        };
        let _ = writeln!(text, "reserved={value}");
    }
    let tags = json!([{ "ResourceType": "instance", "Tags": [{ "Key": "Name", "Value": tag(handover) }] }]);
    let mut common = vec![
        "--image-id \"$image\"".to_owned(),
        format!("--count {}", job.nodes),
        format!("--tag-specifications {}", write::shell(&tags.to_string())),
        "--metadata-options HttpTokens=required".to_owned(),
    ];
    if let Some(disk) = job.disk_gb {
        let _ = writeln!(text, "root=${{ROOT_DEVICE_NAME:-{ROOT_DEVICE}}}");
        common.push(format!(
            "--block-device-mappings \"DeviceName=$root,Ebs={{VolumeSize={disk},VolumeType=gp3,DeleteOnTermination=true}}\""
        ));
    }
    if fabric {
        common.push("--placement GroupName=\"$placement\"".to_owned());
    }
    text.push_str(
        "\nlaunch() { # REGION INSTANCE_TYPE [OPTION...]\n  local region=$1 type=$2\n  shift 2\n",
    );
    text.push_str("  aws ec2 run-instances --region \"$region\" --instance-type \"$type\"");
    for option in &common {
        let _ = write!(text, " \\\n    {option}");
    }
    text.push_str(" \\\n    ${KEY_NAME:+--key-name \"$KEY_NAME\"} \"$@\"\n}\n\n");
    for (candidate, reserved) in candidates.iter().zip(&reserved) {
        text.push_str(&launch(handover, candidate, reserved.as_ref()));
    }
    text.push_str("{ echo 'no candidate could be launched' >&2; exit 1; }\n");
    lost(handover, out);
    out.file("launch.sh", text);
    Ok(())
}

/// Writes the command that tries a candidate.
fn launch(
    handover: &Handover<'_, '_>,
    candidate: &Candidate,
    reserved: Option<&Capacity>,
) -> String {
    let mut text = String::new();
    let region = handover.region(candidate).unwrap_or_default();
    let _ = write!(
        text,
        "launch {} {}",
        write::shell(region),
        write::shell(handover.instance_type(candidate))
    );
    if is_spot(candidate) {
        let mut spot = json!({ "SpotInstanceType": "one-time" });
        if let Some(max) = handover.job.max_price {
            spot["MaxPrice"] = max.decimal().to_string().into();
        }
        let market = json!({ "MarketType": "spot", "SpotOptions": spot }).to_string();
        let _ = write!(text, " --instance-market-options {}", write::shell(&market));
    }
    if reserved.is_some() {
        text.push_str(
            " \\\n  --capacity-reservation-specification \"CapacityReservationTarget={CapacityReservationId=$reserved}\"",
        );
    }
    if matches!(reserved, Some(Capacity::Block(_))) {
        text.push_str(" --instance-market-options MarketType=capacity-block");
    }
    for card in 0..adapters(handover, candidate) {
        if card == 0 {
            text.push_str(" --network-interfaces");
        }
        let _ = write!(
            text,
            " \\\n  \"NetworkCardIndex={card},DeviceIndex={},InterfaceType={},SubnetId=$subnet,Groups=$group\"",
            device_index(card),
            interface_type(card)
        );
    }
    text.push_str(" ||\n  ");
    text
}
