//! The AWS APIs for instance types, prices and quotas.

#![allow(
    clippy::result_large_err,
    reason = "an error is a response, and a run has a few hundred responses"
)]

mod call;
mod describe;
mod error;
mod form;
mod prices;
mod pricing;
mod quotas;

use crate::service::{Recorded, Service, ServiceDeclaration};
use crate::shop::RegionState;
use crate::state::State;
use call::{ACCESS_KEY_ID, Ec2Answer, signed};
use error::{ec2_error, ec2_problem};
use form::Form;

impl Service {
    /// The API of EC2.
    pub const EC2: Self = Self(&ServiceDeclaration {
        credentials: &[
            ("AWS_ACCESS_KEY_ID", ACCESS_KEY_ID),
            ("AWS_SECRET_ACCESS_KEY", "standin0secret0aws"),
        ],
        settings: &[
            ("AWS_REGION", "us-east-1"),
            ("AWS_EC2_METADATA_DISABLED", "true"),
        ],
        document: ("text/xml;charset=UTF-8", "<Response><requestId>"),
        ..ServiceDeclaration::api(
            "ec2",
            "AWS_ENDPOINT_URL_EC2",
            |state, request, _| Ok(ec2(state, request).unwrap_or_else(|error| error)),
            ec2_problem,
        )
    });
}

fn ec2(state: &State, request: &Recorded) -> Ec2Answer {
    let name = signed(request).map_err(|(kind, message)| ec2_problem(kind, &message))?;
    let shop = &state.shop.aws;
    let form = Form::parse(&request.body);
    let action = form.get("Action").unwrap_or_default();
    let region = shop
        .regions
        .iter()
        .find(|region| region.name == name)
        .ok_or_else(|| ec2_error(401, "AuthFailure", "no such region for this account"))?;
    match region.state {
        RegionState::Works => {}
        RegionState::NotOptedIn => {
            return Err(ec2_error(
                401,
                "OptInRequired",
                "You are not subscribed to this service. Please go to http://aws.amazon.com to subscribe.",
            ));
        }
        RegionState::Refuses => {
            return Err(ec2_error(
                401,
                "AuthFailure",
                "AWS was not able to validate the provided access credentials",
            ));
        }
    }
    match action {
        "DescribeRegions" => describe::regions(shop, &form),
        "DescribeAvailabilityZones" => describe::zones(region, &form),
        "DescribeInstanceTypes" => describe::types(shop, region, &form),
        "DescribeInstanceTypeOfferings" => describe::offerings(shop, region, &form),
        "DescribeSpotPriceHistory" => prices::spot_history(shop, region, &form),
        "GetSpotPlacementScores" => prices::placement_scores(shop, region, &form),
        "DescribeCapacityBlockOfferings" => prices::capacity_blocks(shop, region, &form),
        other => {
            if !other.starts_with("Describe") && !other.starts_with("Get") {
                state.count_write();
            }
            Err(ec2_error(
                400,
                "InvalidAction",
                &format!("The action {other} is not valid for this web service."),
            ))
        }
    }
}
