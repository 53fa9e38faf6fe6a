//! The AWS APIs for instance types, prices and quotas.

#![allow(
    clippy::result_large_err,
    reason = "an error is a response, and a run has a few hundred responses"
)]

mod call;
mod describe;
mod form;
mod prices;
mod pricing;
mod quotas;

use crate::error::ec2_error;
use crate::reply::Reply;
use crate::shop::RegionState;
use crate::state::{Recorded, State};
use call::{AwsResult, signed};
use form::Form;

pub(crate) use pricing::pricing;
pub(crate) use quotas::quotas;

pub(crate) fn ec2(state: &State, request: &Recorded) -> Reply {
    call(state, request).unwrap_or_else(|error| error)
}

fn call(state: &State, request: &Recorded) -> AwsResult {
    let name = signed(request)?;
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
