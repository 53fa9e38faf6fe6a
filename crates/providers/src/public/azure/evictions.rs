//! The eviction rates of spot machines: the question to Azure Resource Graph, and its answer. No I/O.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::{Value, json};

use super::answers::{normalized, unreadable};
use super::places::AzurePlace;
use crate::error::ProviderError;
use crate::json::{Maybe, MaybeList, MaybeObject};
use crate::obtainability::{InterruptionRisk, RiskKind};

/// The number of days that a rate covers.
const WINDOW_DAYS: u32 = 28;
/// The maximum length of a rate, such as `10-15`.
const MAX_RATE: usize = 12;

#[derive(Default, Deserialize)]
#[serde(default)]
struct EvictionData {
    data: MaybeList<MaybeObject<EvictionRow>>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct EvictionRow {
    sku_name: Maybe<String>,
    location: Maybe<String>,
    spot_eviction_rate: Maybe<String>,
}

/// Rates by the normalized region and the normalized name of the size.
pub(super) type EvictionsByPlace = HashMap<(String, String), String>;

/// Returns the question for the rates of sizes in regions; `None` without a size or a region.
pub(super) fn question(subscription: &str, places: &[AzurePlace]) -> Option<Value> {
    let regions = places.iter().map(|place| place.region.as_str());
    let sizes = places.iter().flat_map(|place| &place.sizes);
    let (regions, sizes) = (list(regions)?, list(sizes.map(String::as_str))?);
    let query = format!(
        "SpotResources \
         | where type =~ 'microsoft.compute/skuspotevictionrate/location' \
         | where sku.name in~ ({sizes}) \
         | where location in~ ({regions}) \
         | project skuName = tostring(sku.name), location, spotEvictionRate = tostring(properties.evictionRate)"
    );
    let options = json!({ "resultFormat": "objectArray", "$top": 1000 });
    Some(json!({ "subscriptions": [subscription], "query": query, "options": options }))
}

/// Returns names as a list of strings of the query language; `None` without a name. Names with other characters are
/// left out: they would need escapes, and no size has them.
fn list<'a>(names: impl Iterator<Item = &'a str>) -> Option<String> {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    let names = names.filter(|name| !name.is_empty() && name.bytes().all(is_part));
    let mut names: Vec<String> = names.map(|name| format!("'{name}'")).collect();
    names.sort_unstable();
    names.dedup();
    (!names.is_empty()).then(|| names.join(", "))
}

/// Returns the rates. Places without a rate are missing in the answer.
pub(super) fn evictions(body: &[u8]) -> Result<EvictionsByPlace, ProviderError> {
    const LIST: &str = "eviction rates";
    let data: EvictionData = serde_json::from_slice(body).map_err(|_| unreadable(LIST))?;
    let rows = data.data.0.ok_or_else(|| unreadable(LIST))?;
    let listed = rows.len();
    let of_place = |row: MaybeObject<EvictionRow>| {
        let row = row.0?;
        let place = (normalized(&row.location.0?), normalized(&row.sku_name.0?));
        Some((place, rate(&row.spot_eviction_rate.0?)?))
    };
    let read: EvictionsByPlace = rows.into_iter().filter_map(of_place).collect();
    if listed > 0 && read.is_empty() {
        return Err(unreadable(LIST));
    }
    Ok(read)
}

/// Returns a range of percentages such as `0-5%` for `0-5`; `None` for another text.
fn rate(text: &str) -> Option<String> {
    let text = text.trim().trim_end_matches('%').trim_end();
    let is_part = |byte: u8| byte.is_ascii_digit() || matches!(byte, b'-' | b'+' | b'.');
    let is_rate = text.len() <= MAX_RATE
        && text.bytes().all(is_part)
        && text.bytes().any(|byte| byte.is_ascii_digit());
    is_rate.then(|| format!("{text}%"))
}

/// Returns a rate as the risk of an interruption.
pub(super) fn risk(rate: &str) -> InterruptionRisk {
    InterruptionRisk {
        rate: rate.to_owned(),
        highest: None,
        kind: RiskKind::AzureEvicted,
        window_days: WINDOW_DAYS,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_cannot_change_the_query() {
        let places = [AzurePlace {
            region: "eastus".to_owned(),
            sizes: ["Standard_ND96isr_H100_v5", "x') | union ('", ""]
                .map(str::to_owned)
                .to_vec(),
        }];
        assert_eq!(super::question("sub", &[]), None);
        let question = question("sub", &places).unwrap();
        let query = question["query"].as_str().unwrap();
        assert!(
            query.contains("sku.name in~ ('Standard_ND96isr_H100_v5') |"),
            "{query}"
        );
        assert!(query.contains("location in~ ('eastus') |"), "{query}");
        assert_eq!(question["subscriptions"], json!(["sub"]));
    }

    #[test]
    fn rates_are_ranges_of_percentages() {
        for (text, expected) in [
            ("0-5", Some("0-5%")),
            ("20+", Some("20+%")),
            (" 5-10% ", Some("5-10%")),
            ("", None),
            ("+", None),
            ("low", None),
            ("0-5\u{1b}[2J", None),
            ("0000000000000-5", None),
        ] {
            assert_eq!(rate(text).as_deref(), expected, "{text:?}");
        }
    }

    #[test]
    fn an_empty_answer_has_no_rates_and_a_foreign_one_is_an_error() {
        let body = br#"{"totalRecords":2,"data":[
            {"skuName":"standard_nd96isr_h100_v5","location":"eastus","spotEvictionRate":"5-10"},{"skuName":7}]}"#;
        let place = ("eastus".to_owned(), normalized("Standard_ND96isr_H100_v5"));
        assert_eq!(
            evictions(body).unwrap(),
            HashMap::from([(place, "5-10%".to_owned())])
        );
        assert!(evictions(br#"{"data":[]}"#).unwrap().is_empty());
        for body in [
            "",
            "{}",
            "[]",
            r#"{"data":[7]}"#,
            r#"{"data":{}}"#,
            "<html>",
        ] {
            assert!(evictions(body.as_bytes()).is_err(), "{body}");
        }
    }
}
