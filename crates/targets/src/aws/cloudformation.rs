//! A CloudFormation stack: a launch template and a fleet in one region.

use serde_json::{Map, Value, json};
use sky_accel_core::plan::Candidate;

use super::ec2::{
    PROVIDER, ROOT_DEVICE, adapters, fleet_request, in_first_region, lost, tag, template_data,
};
use crate::job::Handover;
use crate::target::Descriptor;
use crate::{LossCode, Rendered, Unsupported, write};

/// A CloudFormation stack with an EC2 fleet.
pub(crate) const TARGET: Descriptor = Descriptor {
    provider: Some(PROVIDER),
    ..Descriptor::new("cloudformation", "a stack with an EC2 fleet", render)
};

pub(crate) fn render(handover: &Handover<'_, '_>, out: &mut Rendered) -> Result<(), Unsupported> {
    let group = in_first_region(handover, out, "a stack has a single region")?;
    let first = group.first;
    let same = |candidate: &&&Candidate| candidate.capacity == first.capacity;
    let candidates: Vec<&Candidate> = group.candidates.iter().filter(same).copied().collect();
    if candidates.len() < group.candidates.len() {
        out.lose(
            LossCode::Fallback,
            "a stack's fleet has a single capacity type: spot or on-demand",
        );
    }
    let mut parameters = Map::new();
    let image = match handover.machine_image() {
        Some(image) => Value::from(image.to_string()),
        None => parameter(
            &mut parameters,
            "ImageId",
            json!({ "Type": "AWS::EC2::Image::Id", "Description": "The machine image" }),
        ),
    };
    let cards = adapters(handover, first);
    let (mut subnet, mut security_group) = (Value::Null, Value::Null);
    if cards > 0 {
        subnet = parameter(
            &mut parameters,
            "SubnetId",
            json!({ "Type": "AWS::EC2::Subnet::Id", "Description": "The subnet of the machines, in one zone" }),
        );
        security_group = parameter(
            &mut parameters,
            "SecurityGroupId",
            json!({ "Type": "AWS::EC2::SecurityGroup::Id", "Description": "A security group that lets all traffic between its members through" }),
        );
    }
    let mut root = Value::from(ROOT_DEVICE);
    if handover.job.disk_gb.is_some() {
        root = parameter(
            &mut parameters,
            "RootDeviceName",
            json!({ "Type": "String", "Default": ROOT_DEVICE, "Description": "The root volume of the machine image" }),
        );
    }
    let reserved = handover.capacity_or_ask(first, out);
    let mut data = template_data(
        handover,
        first,
        &image,
        &subnet,
        &security_group,
        &root,
        reserved.as_ref(),
    );
    data.insert(
        "TagSpecifications".to_owned(),
        json!([{ "ResourceType": "instance", "Tags": [{ "Key": "Name", "Value": text(&tag(handover)) }] }]),
    );
    let mut resources = Map::new();
    if cards > 0 {
        resources.insert(
            "PlacementGroup".to_owned(),
            json!({ "Type": "AWS::EC2::PlacementGroup", "Properties": { "Strategy": "cluster" } }),
        );
        data.insert(
            "Placement".to_owned(),
            json!({ "GroupName": { "Ref": "PlacementGroup" } }),
        );
    }
    resources.insert(
        "LaunchTemplate".to_owned(),
        json!({ "Type": "AWS::EC2::LaunchTemplate", "Properties": { "LaunchTemplateData": data } }),
    );
    let template = json!({
        "LaunchTemplateId": { "Ref": "LaunchTemplate" },
        "Version": { "Fn::GetAtt": ["LaunchTemplate", "LatestVersionNumber"] },
    });
    resources.insert(
        "Fleet".to_owned(),
        json!({ "Type": "AWS::EC2::EC2Fleet", "Properties": fleet_request(handover, &template, &candidates, reserved.as_ref(), out) }),
    );
    let mut stack = Map::from_iter([
        ("AWSTemplateFormatVersion".to_owned(), "2010-09-09".into()),
        (
            "Metadata".to_owned(),
            json!({ "SkyAccel": { "Region": group.region } }),
        ),
    ]);
    if !parameters.is_empty() {
        stack.insert("Parameters".to_owned(), parameters.into());
    }
    stack.insert("Resources".to_owned(), resources.into());
    lost(handover, out);
    out.file("template.yaml", write::yaml(&Value::Object(stack)));
    Ok(())
}

/// Returns text unchanged. CloudFormation resolves `{{…}}` within a string, so such text is joined
/// from parts.
fn text(text: &str) -> Value {
    if !text.contains("{{") {
        return text.into();
    }
    let parts: Vec<&str> = text.split_inclusive('{').collect();
    json!({ "Fn::Join": ["", parts] })
}

/// Adds a parameter to the stack and returns a reference to it.
fn parameter(parameters: &mut Map<String, Value>, name: &str, description: Value) -> Value {
    parameters.insert(name.to_owned(), description);
    json!({ "Ref": name })
}
