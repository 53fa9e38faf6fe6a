//! `aws ec2 create-fleet --cli-input-json`: one request for each region and capacity type, and the
//! launch template that they share.

use serde_json::{Value, json};
use sky_accel_core::catalog::CapacityType;
use sky_accel_core::plan::Candidate;

use super::ec2::{
    NO_MACHINE, PROVIDER, ROOT_DEVICE, SECURITY_GROUP, adapters, ask_root_device, fleet_request,
    image_id, launchable, lost, template_data,
};
use crate::job::Handover;
use crate::target::{Descriptor, Fallback};
use crate::{LossCode, Rendered, Unsupported, write};

/// A request of the EC2 action `CreateFleet`, in JSON.
pub(crate) const TARGET: Descriptor = Descriptor {
    provider: Some(PROVIDER),
    fallback: Fallback::External,
    ..Descriptor::new("ec2-fleet", "a CreateFleet request", render)
};

pub(crate) fn render(handover: &Handover<'_, '_>, out: &mut Rendered) -> Result<(), Unsupported> {
    let mut groups: Vec<(&str, CapacityType, Vec<&Candidate>)> = Vec::new();
    for candidate in launchable(handover, out) {
        let Some(region) = handover.region(candidate) else {
            continue;
        };
        let key = (region, candidate.capacity);
        match groups
            .iter_mut()
            .find(|(region, capacity, _)| (*region, *capacity) == key)
        {
            Some((_, _, group)) => group.push(candidate),
            None => groups.push((region, candidate.capacity, vec![candidate])),
        }
    }
    let Some((_, _, first)) = groups.first() else {
        return Err(NO_MACHINE);
    };
    let first = first[0];
    let name = write::slug(&handover.job.name, 100);
    let template = json!({ "LaunchTemplateName": name, "Version": "$Default" });
    let reserved = handover.capacity_or_ask(first, out);
    for (index, (region, capacity, candidates)) in groups.iter().enumerate() {
        let is_second = groups[..index].iter().any(|(other, _, _)| other == region);
        let file = match (is_second, capacity) {
            (false, _) => format!("fleet-{region}.json"),
            (true, CapacityType::OnDemand) => format!("fleet-{region}.on-demand.json"),
            (true, CapacityType::Spot) => format!("fleet-{region}.spot.json"),
        };
        let request = fleet_request(handover, &template, candidates, reserved.as_ref(), out);
        out.file(&file, write::json(&request));
    }
    out.lose_given(
        LossCode::Order,
        groups.len() > 1,
        "each region and capacity type has a separate request, and the files do not say which to send first",
    );
    let (mut subnet, mut group) = (Value::Null, Value::Null);
    if adapters(handover, first) > 0 {
        out.ask("SUBNET_ID", "the subnet of the machines, in one zone");
        out.ask("SECURITY_GROUP_ID", SECURITY_GROUP);
        (subnet, group) = ("SUBNET_ID".into(), "SECURITY_GROUP_ID".into());
    }
    let image = image_id(handover, out).into();
    let root = ROOT_DEVICE.into();
    if handover.job.disk_gb.is_some() {
        ask_root_device(out);
    }
    let mut data = template_data(
        handover,
        first,
        &image,
        &subnet,
        &group,
        &root,
        reserved.as_ref(),
    );
    if adapters(handover, first) > 0 {
        out.ask(
            "PLACEMENT_GROUP",
            "a placement group of the strategy cluster",
        );
        data.insert(
            "Placement".to_owned(),
            json!({ "GroupName": "PLACEMENT_GROUP" }),
        );
    }
    let launch_template = json!({ "LaunchTemplateName": name, "LaunchTemplateData": data });
    out.file("launch-template.json", write::json(&launch_template));
    lost(handover, out);
    Ok(())
}
