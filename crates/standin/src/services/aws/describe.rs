//! The instance types that EC2 sells, and their regions.

use serde_json::{Value, json};

use super::call::{Ec2Answer, page};
use super::error::ec2_error;
use super::form::{Form, invalid, unknown_filter};
use crate::reply::Reply;
use crate::shop::{AwsRegion, AwsShop, RegionState};

pub(super) const REQUEST_ID: &str = "00000000-0000-0000-0000-000000000001";

pub(super) fn bad_token() -> Reply {
    ec2_error(400, "InvalidNextToken", "The nextToken is not valid")
}

pub(super) fn regions(shop: &AwsShop, form: &Form) -> Ec2Answer {
    let names = form.list("RegionName");
    let with_disabled = form.flag("AllRegions");
    let filters = form.filters();
    let mut rows = Vec::new();
    for region in &shop.regions {
        let status = match region.state {
            RegionState::NotOptedIn => "not-opted-in",
            RegionState::Refuses => "opted-in",
            RegionState::Works => "opt-in-not-required",
        };
        let mut wanted = with_disabled || region.state != RegionState::NotOptedIn;
        wanted &= names.is_empty() || names.contains(&region.name.as_str());
        for filter in &filters {
            wanted &= match filter.name.as_str() {
                "region-name" => filter.admits(&region.name),
                "opt-in-status" => filter.admits(status),
                _ => return Err(unknown_filter(filter)),
            };
        }
        if wanted {
            rows.push(json!({
                "optInStatus": status,
                "regionName": region.name,
                "regionEndpoint": format!("ec2.{}.amazonaws.com", region.name),
            }));
        }
    }
    Ok(Reply::xml(
        200,
        "DescribeRegionsResponse",
        json!({ "requestId": REQUEST_ID, "regionInfo": rows }),
    ))
}

pub(super) fn zones(region: &AwsRegion, form: &Form) -> Ec2Answer {
    let (names, ids) = (form.list("ZoneName"), form.list("ZoneId"));
    let filters = form.filters();
    let mut rows = Vec::new();
    for letter in region.zones.chars() {
        let (name, id) = (region.zone_name(letter), region.zone_id(letter));
        let mut wanted = names.is_empty() || names.contains(&name.as_str());
        wanted &= ids.is_empty() || ids.contains(&id.as_str());
        for filter in &filters {
            wanted &= match filter.name.as_str() {
                "zone-name" => filter.admits(&name),
                "zone-id" => filter.admits(&id),
                "zone-type" => filter.admits("availability-zone"),
                "state" => filter.admits("available"),
                "region-name" => filter.admits(&region.name),
                "opt-in-status" => filter.admits("opt-in-not-required"),
                _ => return Err(unknown_filter(filter)),
            };
        }
        if wanted {
            rows.push(json!({
                "optInStatus": "opt-in-not-required",
                "messageSet": [],
                "regionName": region.name,
                "zoneName": name,
                "zoneId": id,
                "groupName": region.name,
                "networkBorderGroup": region.name,
                "zoneType": "availability-zone",
                "zoneState": "available",
            }));
        }
    }
    Ok(Reply::xml(
        200,
        "DescribeAvailabilityZonesResponse",
        json!({ "requestId": REQUEST_ID, "availabilityZoneInfo": rows }),
    ))
}

/// Returns the values of an instance type for a filter of DescribeInstanceTypes.
fn filtered(row: &Value, filter: &str) -> Option<Vec<String>> {
    let path = match filter {
        "instance-type" => "/instanceType",
        "supported-usage-class" => "/supportedUsageClasses",
        "processor-info.supported-architecture" => "/processorInfo/supportedArchitectures",
        "bare-metal" => "/bareMetal",
        "current-generation" => "/currentGeneration",
        "network-info.efa-supported" => "/networkInfo/efaSupported",
        "vcpu-info.default-vcpus" => "/vCpuInfo/defaultVCpus",
        "memory-info.size-in-mib" => "/memoryInfo/sizeInMiB",
        "instance-storage-supported" => "/instanceStorageSupported",
        "hypervisor" => "/hypervisor",
        _ => return None,
    };
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    Some(match row.pointer(path) {
        Some(Value::Array(values)) => values.iter().map(text).collect(),
        Some(value) => vec![text(value)],
        None => Vec::new(),
    })
}

pub(super) fn types(shop: &AwsShop, region: &AwsRegion, form: &Form) -> Ec2Answer {
    let names = form.list("InstanceType");
    if !names.is_empty() && form.get("MaxResults").is_some() {
        return Err(ec2_error(
            400,
            "InvalidParameterCombination",
            "The parameter InstanceTypes cannot be used with the parameter MaxResults",
        ));
    }
    if names.len() > 100 {
        return Err(invalid("at most 100 instance types can be asked for"));
    }
    let everywhere = form.flag("IncludeUnsupportedInRegion");
    let here = |row: &Value| {
        region
            .offers
            .iter()
            .any(|offer| row["instanceType"] == offer.kind.as_str())
    };
    let is_known = |name: &str| {
        shop.types
            .iter()
            .any(|row| row["instanceType"] == name && (everywhere || here(row)))
    };
    let unknown: Vec<&str> = names
        .iter()
        .copied()
        .filter(|name| !is_known(name))
        .collect();
    if !unknown.is_empty() {
        return Err(ec2_error(
            400,
            "InvalidInstanceType",
            &format!(
                "The following supplied instance types do not exist: [{}]",
                unknown.join(", ")
            ),
        ));
    }
    let filters = form.filters();
    let mut rows = Vec::new();
    for row in &shop.types {
        let offered = here(row);
        let mut wanted = everywhere || offered;
        wanted &= names.is_empty() || names.iter().any(|name| row["instanceType"] == *name);
        for filter in &filters {
            let values = filtered(row, &filter.name).ok_or_else(|| unknown_filter(filter))?;
            wanted &= values.iter().any(|value| filter.admits(value));
        }
        if wanted {
            let mut row = row.clone();
            if everywhere {
                row["supportedInRegion"] = json!(offered);
            }
            rows.push(row);
        }
    }
    let size = if names.is_empty() {
        form.page_size(5, 100, shop.page_size)?
    } else {
        rows.len()
    };
    let (rows, next) = page(shop, rows, form.get("NextToken"), size, bad_token)?;
    let mut answer = json!({ "requestId": REQUEST_ID, "instanceTypeSet": rows });
    if let Some(next) = next {
        answer["nextToken"] = json!(next);
    }
    Ok(Reply::xml(200, "DescribeInstanceTypesResponse", answer))
}

pub(super) fn offerings(shop: &AwsShop, region: &AwsRegion, form: &Form) -> Ec2Answer {
    let place = form.get("LocationType").unwrap_or("region");
    let filters = form.filters();
    let mut rows = Vec::new();
    for offer in &region.offers {
        let locations: Vec<String> = match place {
            "region" => vec![region.name.clone()],
            "availability-zone" => offer
                .zones
                .chars()
                .map(|zone| region.zone_name(zone))
                .collect(),
            "availability-zone-id" => offer
                .zones
                .chars()
                .map(|zone| region.zone_id(zone))
                .collect(),
            "outpost" => Vec::new(),
            other => return Err(invalid(&format!("{other} is not a valid location type"))),
        };
        for location in locations {
            let mut wanted = true;
            for filter in &filters {
                wanted &= match filter.name.as_str() {
                    "instance-type" => filter.admits(&offer.kind),
                    "location" => filter.admits(&location),
                    _ => return Err(unknown_filter(filter)),
                };
            }
            if wanted {
                rows.push(json!({
                    "instanceType": offer.kind,
                    "locationType": place,
                    "location": location,
                }));
            }
        }
    }
    let size = form.page_size(5, 1000, shop.page_size)?;
    let (rows, next) = page(shop, rows, form.get("NextToken"), size, bad_token)?;
    let mut answer = json!({ "requestId": REQUEST_ID, "instanceTypeOfferingSet": rows });
    if let Some(next) = next {
        answer["nextToken"] = json!(next);
    }
    Ok(Reply::xml(
        200,
        "DescribeInstanceTypeOfferingsResponse",
        answer,
    ))
}
