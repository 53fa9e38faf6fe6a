//! AWS: EC2 instances in one region.

use serde_json::{Map, Value, json};
use sky_accel_core::plan::Candidate;

use super::launcher::Launcher;
use crate::aws::ec2::{ROOT_DEVICE, ask_root_device, in_first_region};
use crate::job::{Capacity, Handover, is_spot};
use crate::{Rendered, Unsupported};

/// Returns the settings, and the candidate that they start.
pub(super) fn launcher<'h, 'a: 'h>(
    handover: &'h Handover<'_, 'a>,
    out: &mut Rendered,
) -> Result<(Launcher, &'h Candidate), Unsupported> {
    let group = in_first_region(handover, out, "a cluster has a single region")?;
    let launcher = Launcher {
        provider: json!({ "type": "aws", "region": group.region }),
        auth: json!({ "ssh_user": "ubuntu" }),
        node: node_config(handover, group.first, out),
    };
    Ok((launcher, group.first))
}

/// Writes the configuration of a node in the form of the EC2 API.
fn node_config(
    handover: &Handover<'_, '_>,
    candidate: &Candidate,
    out: &mut Rendered,
) -> Map<String, Value> {
    let job = handover.job;
    let mut node = Map::from_iter([(
        "InstanceType".to_owned(),
        Value::from(handover.instance_type(candidate)),
    )]);
    if let Some(image) = handover.machine_image() {
        node.insert("ImageId".to_owned(), image.to_string().into());
    }
    if is_spot(candidate) {
        let mut market = json!({ "MarketType": "spot" });
        if let Some(max) = job.max_price {
            market["SpotOptions"] = json!({ "MaxPrice": max.decimal().to_string() });
        }
        node.insert("InstanceMarketOptions".to_owned(), market);
    } else {
        handover.lose_price_limit("on-demand instances have no price limit", out);
    }
    if let Some(disk) = job.disk_gb {
        ask_root_device(out);
        node.insert(
            "BlockDeviceMappings".to_owned(),
            json!([{ "DeviceName": ROOT_DEVICE, "Ebs": { "VolumeSize": disk, "VolumeType": "gp3" } }]),
        );
    }
    let reserved = handover.capacity_or_ask(candidate, out);
    if let Some(Capacity::Reservation(id) | Capacity::Block(id)) = &reserved {
        node.insert(
            "CapacityReservationSpecification".to_owned(),
            json!({ "CapacityReservationTarget": { "CapacityReservationId": id } }),
        );
    }
    if matches!(reserved, Some(Capacity::Block(_))) {
        node.insert(
            "InstanceMarketOptions".to_owned(),
            json!({ "MarketType": "capacity-block" }),
        );
    }
    node
}
