//! Spot prices of all regions in one document, and the interruption rates of spot machines.

use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;
use sky_accel_core::catalog::CapacityType;

use super::feeds::{FeedData, Hosts, ID, Rates, RegionPrices, feed, is_wanted};
use crate::context::Context;
use crate::error::ProviderError;
use crate::feed::join;
use crate::json::{Maybe, MaybeList, MaybeMap, MaybeObject, positive};
use crate::offer::{DroppedBecause, Tally};
use crate::public::shared::{check_readable, json, nothing_listed};
use crate::query::Query;
use crate::reading::DocumentAge;

const OPERATION: &str = "listing spot prices";
/// The document is generated every few minutes.
const MOST_DAYS: i64 = 2;

/// The regions with other names in the document than in AWS's API.
const OLD_NAMES: [(&str, &str); 7] = [
    ("us-east", "us-east-1"),
    ("us-west", "us-west-1"),
    ("eu-ireland", "eu-west-1"),
    ("apac-sin", "ap-southeast-1"),
    ("apac-syd", "ap-southeast-2"),
    ("apac-tokyo", "ap-northeast-1"),
    ("us-west-2-lax-1a", "us-west-2-lax-1"),
];

#[derive(Default, Deserialize)]
#[serde(default)]
struct SpotAnswer {
    config: MaybeObject<SpotConfig>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct SpotConfig {
    rate: Maybe<String>,
    regions: MaybeList<MaybeObject<RegionRow>>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct RegionRow {
    region: Maybe<String>,
    instance_types: MaybeList<MaybeObject<SpotFamily>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct SpotFamily {
    sizes: MaybeList<MaybeObject<SpotSize>>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct SpotSize {
    size: Maybe<String>,
    value_columns: MaybeList<MaybeObject<SpotColumn>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct SpotColumn {
    name: Maybe<String>,
    prices: MaybeObject<SpotAmounts>,
}

/// The price as text; `N/A*` without a price.
#[derive(Default, Deserialize)]
#[serde(default)]
struct SpotAmounts {
    #[serde(rename = "USD")]
    usd: Maybe<f64>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct SpotAdvice {
    ranges: MaybeList<MaybeObject<RateRange>>,
    /// The rates by region, operating system and instance type.
    spot_advisor: MaybeMap<MaybeMap<MaybeMap<MaybeObject<TypeRisk>>>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct RateRange {
    index: Maybe<f64>,
    label: Maybe<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct TypeRisk {
    /// The index of a range.
    r: Maybe<f64>,
}

pub(super) async fn read(
    hosts: &Hosts,
    query: &Query<'_>,
    context: &Context<'_>,
) -> Result<FeedData, ProviderError> {
    let mut part = FeedData::new(CapacityType::Spot);
    let prices_feed = feed(OPERATION, join(&hosts.spot, "/spot.json"));
    let risk_feed = feed(
        "listing interruption rates",
        join(&hosts.advisor, "/spot-advisor-data.json"),
    );
    let (mut of_prices, mut of_rates) = (DocumentAge::default(), DocumentAge::default());
    let answer = context.document(&prices_feed, &mut of_prices, |document| {
        let date = document.date(ID, OPERATION, document.modified, MOST_DAYS)?;
        let answer: SpotAnswer = json(&prices_feed, document)?;
        let config = answer.config.0.unwrap_or_default();
        if config.rate.0.is_some_and(|rate| rate != "perhr") {
            return Err(prices_feed.unreadable("not by the hour"));
        }
        let regions = config.regions.0.filter(|regions| !regions.is_empty());
        let regions = regions.ok_or_else(|| nothing_listed(&prices_feed))?;
        prices(query, regions, date)
    });
    let rates = context.document(&risk_feed, &mut of_rates, |document| {
        let advice: SpotAdvice = json(&risk_feed, document)?;
        Ok(rates(query, advice))
    });
    let (answer, rates) = futures_util::future::join(answer, rates).await;
    (part.prices, part.dropped) = answer?;
    part.reading.merge(of_prices);
    // Rates are optional: without them, the prices are still valid.
    match rates {
        Ok(rates) => part.interruptions = rates,
        Err(error) => {
            let remark = format!(
                "interruption rates of spot machines are missing: {}",
                error.message
            );
            part.remarks.push(remark);
        }
    }
    Ok(part)
}

/// Returns the prices of requested types by region.
fn prices(
    query: &Query<'_>,
    regions: Vec<MaybeObject<RegionRow>>,
    date: i64,
) -> Result<(BTreeMap<String, RegionPrices>, Tally), ProviderError> {
    let mut dropped = Tally::default();
    let mut prices = BTreeMap::new();
    let rows = regions.len();
    let mut listed = 0;
    for row in regions {
        let row = row.0.unwrap_or_default();
        let Some(name) = row.region.0 else {
            listed += 1;
            dropped.add(DroppedBecause::Unreadable);
            continue;
        };
        let modern = OLD_NAMES.iter().find(|(old, _)| *old == name);
        let region = modern.map_or(&name[..], |(_, modern)| modern);
        let is_known = query.regions.iter().any(|listed| listed == region);
        let is_meant = query
            .places
            .is_none_or(|places| places.include(region, None));
        let mut by_type = HashMap::new();
        let families = row.instance_types.items().into_iter();
        let sizes = families
            .filter_map(|family| family.0)
            .flat_map(|family| family.sizes.items());
        for size in sizes {
            listed += 1;
            let size = size.0.unwrap_or_default();
            let columns = size
                .value_columns
                .items()
                .into_iter()
                .filter_map(|column| column.0);
            let linux = columns
                .filter(|column| column.name.0.as_deref() == Some("linux"))
                .find_map(|column| column.prices.0);
            let (Some(id), Some(linux)) = (size.size.0, linux) else {
                dropped.add(DroppedBecause::Unreadable);
                continue;
            };
            // An absent price and a price of zero are unknown.
            match positive(linux.usd).filter(|_| is_wanted(query, &id)) {
                Some(usd) => {
                    by_type.insert(id, usd);
                }
                None => dropped.add(DroppedBecause::NotRequested),
            }
        }
        if is_known && is_meant && !by_type.is_empty() {
            prices.insert(region.to_owned(), RegionPrices { by_type, date });
        }
    }
    if listed == 0 {
        return Err(ProviderError::unreadable(ID, rows));
    }
    check_readable(ID, listed, &dropped)?;
    Ok((prices, dropped))
}

/// Returns the interruption rates of requested types by region.
fn rates(query: &Query<'_>, advice: SpotAdvice) -> Rates {
    let ranges = advice.ranges.items().into_iter().filter_map(|row| {
        let row = row.0?;
        Some((row.index.0? as i64, row.label.0?))
    });
    let ranges: HashMap<i64, String> = ranges.collect();
    let regions = advice.spot_advisor.0.unwrap_or_default().into_iter();
    let regions = regions.filter_map(|(region, systems)| {
        let mut systems = systems.0?;
        let types = systems.remove("Linux")?.0?.into_iter();
        let rates = types.filter_map(|(id, risk)| {
            let label = ranges.get(&(risk.0?.r.0? as i64))?;
            is_wanted(query, &id).then(|| (id, label.clone()))
        });
        Some((region, rates.collect()))
    });
    regions.collect()
}

/// Parses a body as spot prices and as interruption rates.
pub(crate) fn parse(query: &Query<'_>, body: &[u8]) {
    let answer = serde_json::from_slice::<SpotAnswer>(body).unwrap_or_default();
    let config = answer.config.0.unwrap_or_default();
    let _ = prices(query, config.regions.items(), 0);
    let _ = serde_json::from_slice::<SpotAdvice>(body).map(|advice| rates(query, advice));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Counts;

    #[test]
    fn maps_old_region_names_and_skips_missing_prices() {
        let regions = r#"[{"region":"us-east","instanceTypes":[{"type":"gpuInstances","sizes":[
            {"size":"p5.48xlarge","valueColumns":[{"name":"linux","prices":{"USD":"21.3371"}},{"name":"mswin","prices":{"USD":"N/A*"}}]},
            {"size":"p4d.24xlarge","valueColumns":[{"name":"linux","prices":{"USD":"N/A*"}}]},
            {"size":"g5.xlarge","valueColumns":[{"name":"linux","prices":{"USD":"0"}}]},{"size":3}]}]},
            {"region":"mars-1","instanceTypes":[]}]"#;
        let listed = ["us-east-1".to_owned()];
        let query = Query {
            regions: &listed,
            ..Query::everything(Counts {
                min: 1.0,
                max: None,
            })
        };
        let (found, dropped) = prices(&query, serde_json::from_str(regions).unwrap(), 7).unwrap();
        let by_type = HashMap::from([("p5.48xlarge".to_owned(), 21.3371)]);
        assert_eq!(
            found,
            BTreeMap::from([("us-east-1".to_owned(), RegionPrices { by_type, date: 7 })])
        );
        assert_eq!(dropped.because(DroppedBecause::Unreadable), 1);
        assert!(prices(&query, serde_json::from_str("[3]").unwrap(), 7).is_err());
        let empty = r#"[{"region":"us-east","instanceTypes":[]}]"#;
        assert!(prices(&query, serde_json::from_str(empty).unwrap(), 7).is_err());
    }

    #[test]
    fn rates_are_the_labels_of_ranges() {
        let advice = r#"{"ranges":[{"index":0,"label":"<5%"},{"index":4,"label":">20%"}],
            "spot_advisor":{"us-east-1":{"Linux":{"p5.48xlarge":{"s":61,"r":4},"g5.xlarge":{"s":1,"r":9}},"Windows":{}}}}"#;
        let query = Query::everything(Counts {
            min: 1.0,
            max: None,
        });
        let rates = rates(&query, serde_json::from_str(advice).unwrap());
        assert_eq!(
            rates["us-east-1"],
            HashMap::from([("p5.48xlarge".to_owned(), ">20%".to_owned())])
        );
    }
}
