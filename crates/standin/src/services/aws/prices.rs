//! The prices that EC2 itself reports: spot history, placement scores, capacity blocks.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Value, json};

use super::call::{Ec2Answer, page};
use super::describe::{REQUEST_ID, bad_token};
use super::error::ec2_error;
use super::form::{Form, invalid, unknown_filter};
use crate::reply::Reply;
use crate::shop::{AwsRegion, AwsShop, RegionState};

/// The times of price changes in hours before now, each with its factor of the current price.
const CHANGES: &[(i64, f64)] = &[(2, 1.0), (30, 1.08), (75, 0.93)];

/// Products, each with its price relative to Linux.
const PRODUCTS: &[(&str, f64)] = &[
    ("Linux/UNIX", 1.0),
    ("Red Hat Enterprise Linux", 1.1),
    ("Windows", 1.45),
];

fn time(form: &Form, name: &str) -> Result<Option<Timestamp>, Reply> {
    form.get(name)
        .map(|text| {
            text.parse()
                .map_err(|_| invalid(&format!("Invalid value '{text}' for {name}")))
        })
        .transpose()
}

fn stamp(time: Timestamp) -> String {
    time.strftime("%Y-%m-%dT%H:%M:%S.000Z").to_string()
}

pub(super) fn spot_history(shop: &AwsShop, region: &AwsRegion, form: &Form) -> Ec2Answer {
    let now = Timestamp::now();
    let start = time(form, "StartTime")?.unwrap_or(now - SignedDuration::from_hours(90 * 24));
    let end = time(form, "EndTime")?.unwrap_or(now);
    let (types, products) = (form.list("InstanceType"), form.list("ProductDescription"));
    let filters = form.filters();
    let mut rows = Vec::new();
    for offer in &region.offers {
        let Some(price) = offer.spot else { continue };
        if !types.is_empty() && !types.contains(&offer.kind.as_str()) {
            continue;
        }
        for (index, letter) in offer.zones.chars().enumerate() {
            let zone = region.zone_name(letter);
            if form
                .get("AvailabilityZone")
                .is_some_and(|only| only != zone)
            {
                continue;
            }
            for (product, factor) in PRODUCTS {
                let mut wanted = products.is_empty() || products.contains(product);
                for filter in &filters {
                    wanted &= match filter.name.as_str() {
                        "availability-zone" => filter.admits(&zone),
                        "instance-type" => filter.admits(&offer.kind),
                        "product-description" => filter.admits(product),
                        _ => return Err(unknown_filter(filter)),
                    };
                }
                if !wanted {
                    continue;
                }
                for (hours, change) in CHANGES {
                    let at = now - SignedDuration::from_hours(*hours);
                    if at <= end {
                        let price = price * factor * change * (1.0 + 0.03 * index as f64);
                        rows.push(json!({
                            "instanceType": offer.kind,
                            "productDescription": product,
                            "spotPrice": format!("{price:.6}"),
                            "timestamp": stamp(at),
                            "availabilityZone": zone,
                            "availabilityZoneId": region.zone_id(letter),
                        }));
                    }
                    // The response includes the price in effect at the start, and no older price.
                    if at <= start {
                        break;
                    }
                }
            }
        }
    }
    let size = form.page_size(1, 1000, shop.spot_page_size)?;
    let (rows, next) = page(shop, rows, form.get("NextToken"), size, bad_token)?;
    Ok(Reply::xml(
        200,
        "DescribeSpotPriceHistoryResponse",
        // The last page of this call has an empty token.
        json!({
            "requestId": REQUEST_ID,
            "spotPriceHistorySet": rows,
            "nextToken": next.unwrap_or_default(),
        }),
    ))
}

pub(super) fn placement_scores(shop: &AwsShop, region: &AwsRegion, form: &Form) -> Ec2Answer {
    let types = form.list("InstanceType");
    if types.is_empty() {
        return Err(ec2_error(
            400,
            "MissingParameter",
            "instance types are missing",
        ));
    }
    if form
        .number("TargetCapacity")?
        .is_none_or(|target| target == 0)
    {
        return Err(ec2_error(
            400,
            "MissingParameter",
            "TargetCapacity is missing",
        ));
    }
    let names = form.list("RegionName");
    if names.len() > 10 {
        return Err(invalid("at most 10 values for RegionName"));
    }
    // With one or two types, the score is always low.
    let is_low = types.len() < 3;
    let by_zone = form.flag("SingleAvailabilityZone");
    let mut rows: Vec<(u8, Value)> = Vec::new();
    for other in &shop.regions {
        let wanted = if names.is_empty() {
            other.name == region.name
        } else {
            names.contains(&other.name.as_str())
        };
        if !wanted || other.state != RegionState::Works {
            continue;
        }
        let offers = other
            .offers
            .iter()
            .filter(|offer| types.contains(&offer.kind.as_str()));
        let Some(best) = offers.max_by_key(|offer| offer.score) else {
            continue;
        };
        let score = if is_low { 1 } else { best.score };
        if by_zone {
            rows.extend(best.zones.chars().map(|zone| {
                let row = json!({
                    "region": other.name,
                    "availabilityZoneId": other.zone_id(zone),
                    "score": score,
                });
                (score, row)
            }));
        } else {
            rows.push((score, json!({ "region": other.name, "score": score })));
        }
    }
    rows.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
    let rows: Vec<Value> = rows.into_iter().map(|(_, row)| row).collect();
    let size = form.page_size(10, 1000, 10)?;
    let (rows, next) = page(shop, rows, form.get("NextToken"), size, bad_token)?;
    let mut answer = json!({ "requestId": REQUEST_ID, "spotPlacementScoreSet": rows });
    if let Some(next) = next {
        answer["nextToken"] = json!(next);
    }
    Ok(Reply::xml(200, "GetSpotPlacementScoresResponse", answer))
}

pub(super) fn capacity_blocks(shop: &AwsShop, region: &AwsRegion, form: &Form) -> Ec2Answer {
    let Some(hours) = form.number("CapacityDurationHours")? else {
        return Err(ec2_error(
            400,
            "MissingParameter",
            "CapacityDurationHours is missing",
        ));
    };
    let count = form.number("InstanceCount")?.unwrap_or(1);
    let start = Timestamp::now() + SignedDuration::from_hours(24);
    let rows: Vec<Value> = shop
        .blocks
        .iter()
        .enumerate()
        .filter(|(_, block)| block.region == region.name)
        .filter(|(_, block)| {
            form.get("InstanceType")
                .is_none_or(|kind| kind == block.kind)
        })
        .filter(|(_, block)| block.hours as usize >= hours && block.count as usize >= count)
        .map(|(index, block)| {
            let end = start + SignedDuration::from_hours(i64::from(block.hours));
            json!({
                "capacityBlockOfferingId": format!("cbo-{index:017x}"),
                "instanceType": block.kind,
                "availabilityZone": region.zone_name(block.zone),
                "instanceCount": block.count,
                "startDate": stamp(start),
                "endDate": stamp(end),
                "capacityBlockDurationHours": block.hours,
                "upfrontFee": block.fee,
                "currencyCode": "USD",
                "tenancy": "default",
            })
        })
        .collect();
    let size = form.page_size(1, 1000, shop.page_size)?;
    let (rows, next) = page(shop, rows, form.get("NextToken"), size, bad_token)?;
    let mut answer = json!({ "requestId": REQUEST_ID, "capacityBlockOfferingSet": rows });
    if let Some(next) = next {
        answer["nextToken"] = json!(next);
    }
    Ok(Reply::xml(
        200,
        "DescribeCapacityBlockOfferingsResponse",
        answer,
    ))
}
