//! The APIs of AWS that describe what is for sale.

#![allow(
    clippy::result_large_err,
    reason = "a refusal is an answer, and answers are made a few hundred times a run"
)]

mod describe;
mod form;
mod prices;
mod pricing;
mod quotas;

use crate::credentials::AWS_ACCESS_KEY_ID;
use crate::reply::{Problem, Reply, ec2_error, problem};
use crate::shop::{AwsPages, AwsShop, RegionState};
use crate::state::{Recorded, State};
use form::Form;

pub(crate) use pricing::pricing;
pub(crate) use quotas::quotas;

type Answer = Result<Reply, Reply>;

pub(crate) fn ec2(state: &State, request: &Recorded) -> Reply {
    call(state, request).unwrap_or_else(|error| error)
}

fn call(state: &State, request: &Recorded) -> Answer {
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

/// The region of a signature by the known key; signatures themselves are not checked.
fn signed(request: &Recorded) -> Result<&str, Reply> {
    match request.aws_scope() {
        Some((AWS_ACCESS_KEY_ID, region)) => Ok(region),
        _ => Err(problem(
            request.service,
            Problem::Unauthorized,
            "AWS was not able to validate the provided access credentials",
        )),
    }
}

/// One page of rows and the token of the next page.
fn page<T>(
    shop: &AwsShop,
    rows: Vec<T>,
    token: Option<&str>,
    size: usize,
    invalid: impl Fn() -> Reply,
) -> Result<(Vec<T>, Option<String>), Reply> {
    let is_endless = shop.pages == AwsPages::Endless;
    let start = match token {
        None | Some("") => 0,
        Some(token) => token
            .strip_prefix("page-from-")
            .and_then(|start| start.parse().ok())
            .filter(|start| *start < rows.len() || is_endless)
            .ok_or_else(invalid)?,
    };
    let size = size.max(1);
    let next = match shop.pages {
        _ if start + size < rows.len() => Some(start + size),
        AwsPages::Finite => None,
        AwsPages::Cyclic => Some(0),
        AwsPages::Endless => Some(start + size),
    };
    let next = next.map(|start| format!("page-from-{start}"));
    Ok((rows.into_iter().skip(start).take(size).collect(), next))
}
