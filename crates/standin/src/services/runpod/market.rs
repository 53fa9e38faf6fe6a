//! The values of RunPod's fields, computed from the stock.

use serde_json::{Map, Value, json};

use crate::shop::{RunPodPlace, RunPodShop, RunPodStock};

pub(super) fn resolve(
    shop: &RunPodShop,
    parent: &str,
    field: &str,
    arguments: &Map<String, Value>,
    source: &Value,
) -> Value {
    let input = arguments.get("input").unwrap_or(&Value::Null);
    match (parent, field) {
        ("Query", "gpuTypes") => shop
            .gpus
            .iter()
            .filter(|gpu| input["id"].is_null() || gpu["id"] == input["id"])
            .filter(|gpu| input["cluster"] != true || !nodes(shop, gpu).is_empty())
            .cloned()
            .collect(),
        ("Query", "dataCenters") => shop.data_centers.iter().cloned().collect(),
        ("Query", "countryCodes") => json!(shop.country_codes),
        ("Query", "cpuFlavors") => json!([]),
        ("Query", "myself") => json!({ "id": "user_standin", "email": "standin@example.com" }),
        ("GpuType", "nodeGroupDatacenters") => nodes(shop, source).into_iter().cloned().collect(),
        ("GpuType", "lowestPrice") => lowest_price(shop, source, input),
        ("DataCenter", "gpuAvailability") => availability(shop, source),
        _ => source[field].clone(),
    }
}

/// Returns the data centers with whole nodes of a type.
fn nodes<'a>(shop: &'a RunPodShop, gpu: &Value) -> Vec<&'a Value> {
    shop.data_centers
        .iter()
        .filter(|center| {
            shop.stock.iter().any(|row| {
                gpu["id"] == row.gpu.as_str()
                    && row.counts.contains(&8)
                    && matches!(&row.place, RunPodPlace::Secure(id) if center["id"] == id.as_str())
            })
        })
        .collect()
}

fn availability(shop: &RunPodShop, center: &Value) -> Value {
    shop.gpus
        .iter()
        .map(|gpu| {
            let status = shop
                .stock
                .iter()
                .filter(|row| gpu["id"] == row.gpu.as_str())
                .find(|row| {
                    matches!(&row.place, RunPodPlace::Secure(id) if center["id"] == id.as_str())
                })
                .and_then(|row| row.status.clone());
            json!({
                "gpuTypeId": gpu["id"],
                "displayName": gpu["displayName"],
                "stockStatus": status,
            })
        })
        .collect()
}

fn lowest_price(shop: &RunPodShop, gpu: &Value, input: &Value) -> Value {
    let count = input["gpuCount"].as_u64().unwrap_or(1) as u32;
    let rows: Vec<&RunPodStock> = shop
        .stock
        .iter()
        .filter(|row| gpu["id"] == row.gpu.as_str() && in_place(shop, row, input))
        .collect();
    let least = |name: &str| input[name].as_u64().unwrap_or(0) as u32;
    let free: Vec<&RunPodStock> = rows
        .iter()
        .copied()
        .filter(|row| row.counts.contains(&count) && row.status.is_some())
        .filter(|row| row.vcpu * count >= least("minVcpuCount"))
        .filter(|row| row.memory * count >= least("minMemoryInGb"))
        .collect();
    let price = |row: &&&RunPodStock| (row.price.unwrap_or(f64::MAX) * 10_000.0) as u64;
    let best = free.iter().min_by_key(price);
    // A price without stock is normal.
    let Some(row) = best.or_else(|| rows.iter().min_by_key(price)) else {
        return json!({ "gpuName": gpu["displayName"], "gpuTypeId": gpu["id"] });
    };
    let rank = |status: &str| {
        ["Low", "Medium", "High"]
            .iter()
            .position(|&known| known == status)
    };
    let status = free
        .iter()
        .filter_map(|row| row.status.as_deref())
        .max_by_key(|status| rank(status));
    let counts: Vec<u32> = free
        .iter()
        .flat_map(|row| row.counts.iter().copied())
        .collect::<std::collections::BTreeSet<u32>>()
        .into_iter()
        .collect();
    let availability = if free.is_empty() {
        "UNAVAILABLE"
    } else {
        "AVAILABLE"
    };
    let cuda = ["12.8", "13.0"]
        .map(|version| json!({ "cudaVersion": version, "availability": availability }));
    json!({
        "gpuName": gpu["displayName"],
        "gpuTypeId": gpu["id"],
        "uninterruptablePrice": row.price,
        "minimumBidPrice": row.spot,
        "stockStatus": status,
        "minVcpu": best.map(|row| row.vcpu * count),
        "minMemory": best.map(|row| row.memory * count),
        "maxUnreservedGpuCount": counts.last().copied().unwrap_or(0),
        "maxGpuCount": counts.last().copied().unwrap_or(0),
        "availableGpuCounts": counts,
        "totalCount": 0,
        "rentedCount": 0,
        "rentalPercentage": null,
        "gpuTypeCudaVersions": cuda,
        "supportPublicIp": matches!(row.place, RunPodPlace::Secure(_)),
        "countryCode": match &row.place {
            RunPodPlace::Community(country) => Value::from(country.as_str()),
            RunPodPlace::Secure(_) => Value::Null,
        },
    })
}

fn in_place(shop: &RunPodShop, row: &RunPodStock, input: &Value) -> bool {
    let (center, country) = (&input["dataCenterId"], &input["countryCode"]);
    match &row.place {
        RunPodPlace::Secure(id) => {
            input["secureCloud"] != false
                && (center.is_null() || *center == id.as_str())
                && (country.is_null() || in_country(shop, id, country))
        }
        RunPodPlace::Community(code) => {
            input["secureCloud"] != true
                && center.is_null()
                && (country.is_null() || *country == code.as_str())
        }
    }
}

/// Returns the country of a data center, which is the middle of its id: EU-RO-1, US-KS-2.
fn in_country(shop: &RunPodShop, id: &str, country: &Value) -> bool {
    let Some(country) = country.as_str() else {
        return true;
    };
    let is_known = shop.data_centers.iter().any(|center| center["id"] == id);
    is_known
        && match id.split('-').next() {
            Some("EU" | "EUR" | "AP" | "OC") => id.split('-').nth(1) == Some(country),
            area => area == Some(country),
        }
}
