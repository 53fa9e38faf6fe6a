//! On-demand and spot retail prices of the sizes in the catalog.
//!
//! The price list names sizes but no GPUs, so only sizes of the catalog are requested.

use std::collections::BTreeMap;

use futures_util::StreamExt as _;
use futures_util::stream::iter;
use serde::Deserialize;
use sky_accel_core::catalog::CapacityType;

use super::answers::ID;
use crate::clock::now;
use crate::clock::timestamp;
use crate::context::Context;
use crate::error::ProviderError;
use crate::feed::{Feed, join};
use crate::json::{LongText, Maybe, MaybeList, MaybeObject, positive};
use crate::listing::Listing;
use crate::offer::{DroppedBecause, Offer, Price, RegionList, Tally};
use crate::public::shared::{
    CONCURRENT, KEEP_PRICES, MAX_PAGES, check_machines, check_readable, cut, further_page, json,
    nothing_listed, parts,
};
use crate::query::{Interest, Query};
use crate::reading::DocumentAge;

/// The number of sizes per request: longer addresses than 2,000 characters may be refused.
const SIZES: usize = 12;
/// The numbers of rows on a full page, in this version of the API and in older versions.
const FULL: [usize; 2] = [1000, 100];

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "PascalCase")]
struct AzurePricePage {
    items: MaybeList<MaybeObject<AzurePrice>>,
    next_page_link: Maybe<LongText>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct AzurePrice {
    currency_code: Maybe<String>,
    tier_minimum_units: Maybe<f64>,
    retail_price: Maybe<f64>,
    arm_region_name: Maybe<String>,
    arm_sku_name: Maybe<String>,
    effective_start_date: Maybe<String>,
    product_name: Maybe<String>,
    sku_name: Maybe<String>,
    meter_name: Maybe<String>,
    unit_of_measure: Maybe<String>,
    #[serde(rename = "type")]
    kind: Maybe<String>,
    is_primary_meter_region: Maybe<bool>,
}

/// The price of a machine with Linux.
#[derive(Debug, PartialEq)]
struct LinuxPrice {
    size: String,
    region: String,
    capacity: CapacityType,
    /// The start of the price's validity: the latest price counts.
    begins: i64,
    usd: f64,
}

/// Returns the sizes with their prices.
pub(super) async fn listing(
    base_url: &str,
    query: &Query<'_>,
    context: &Context<'_>,
) -> Result<Listing, ProviderError> {
    if query.ids.is_empty() {
        return Ok(Listing {
            asked_nothing: true,
            ..Listing::default()
        });
    }
    let chunks = query.ids.chunks(SIZES);
    let reads = chunks.map(|sizes| rows(base_url, sizes, context));
    let answers: Vec<_> = iter(reads).buffered(CONCURRENT).collect().await;
    let mut silent: Vec<&String> = Vec::new();
    for (answer, sizes) in answers.iter().zip(query.ids.chunks(SIZES)) {
        let is_silent = |(rows, problem, _): &AzureRows| rows.is_empty() && problem.is_none();
        if answer.as_ref().is_ok_and(is_silent) {
            silent.extend(sizes);
        }
    }
    let (chunks, mut problems) = parts(answers)?;
    let mut reading = DocumentAge::default();
    let mut items = Vec::new();
    for (of_chunk, problem, read) in chunks {
        items.extend(of_chunk);
        problems.extend(problem);
        reading.merge(read);
    }
    if items.is_empty() {
        return Err(nothing_listed(&feed(base_url.to_owned())));
    }
    let (mut offers, dropped) = offers(query, items)?;
    let mut remarks = Vec::new();
    if !silent.is_empty() {
        remarks.push(format!("its list has no price of {} sizes", silent.len()));
    }
    // An empty answer does not prove that the sizes are not sold.
    offers.extend(silent.into_iter().map(|id| Offer {
        id: id.clone(),
        ..Offer::default()
    }));
    Ok(Listing {
        remarks,
        ..Listing::public(offers, dropped, problems, reading)
    })
}

fn feed(url: String) -> Feed<'static> {
    Feed {
        provider: ID,
        operation: "listing retail prices",
        url,
        question: None,
        keep: KEEP_PRICES,
    }
}

/// Returns the address of the first page of prices of some sizes.
fn address(base_url: &str, sizes: &[String]) -> String {
    let sizes = sizes.iter().map(|size| {
        let size = size.replace('\'', "''");
        format!("armSkuName eq '{size}'")
    });
    let sizes = sizes.collect::<Vec<_>>().join(" or ");
    let filter =
        format!("serviceName eq 'Virtual Machines' and priceType eq 'Consumption' and ({sizes})");
    let url = join(base_url, "/api/retail/prices");
    let Ok(mut url) = url::Url::parse(&url) else {
        return url;
    };
    url.query_pairs_mut()
        .append_pair("api-version", "2023-01-01-preview")
        .append_pair("currencyCode", "USD")
        .append_pair("$filter", &filter);
    // OData does not decode a plus as a space.
    String::from(url).replace('+', "%20")
}

/// The rows of a list, the error of its last page, and the age of the documents.
type AzureRows = (
    Vec<MaybeObject<AzurePrice>>,
    Option<ProviderError>,
    DocumentAge,
);

/// Reads all pages of prices of some sizes.
async fn rows(
    base_url: &str,
    sizes: &[String],
    context: &Context<'_>,
) -> Result<AzureRows, ProviderError> {
    let first = address(base_url, sizes);
    let mut url = first.clone();
    let mut reading = DocumentAge::default();
    let mut rows = Vec::new();
    for _ in 0..MAX_PAGES {
        let feed = feed(url.clone());
        let page = context.document(&feed, &mut reading, |document| {
            let page: AzurePricePage = json(&feed, document)?;
            let page_rows = page.items.0;
            let page_rows =
                page_rows.ok_or_else(|| feed.unreadable("without the list of prices"))?;
            Ok((page_rows, page.next_page_link.0))
        });
        let (page_rows, next) = match page.await {
            Ok(page) => page,
            Err(error) if rows.is_empty() => return Err(error),
            Err(error) => return Ok((rows, Some(error), reading)),
        };
        let is_full = FULL.contains(&page_rows.len());
        rows.extend(page_rows);
        url = if let Some(link) = next {
            let Some(further) = further_page(&first, &link.0) else {
                let error = feed.unreadable("continued on another server");
                return Ok((rows, Some(error), reading));
            };
            further
        } else if is_full {
            // The list has had full pages without a link before its end.
            format!("{first}&$skip={}", rows.len())
        } else {
            return Ok((rows, None, reading));
        };
    }
    let error = cut(&feed(url));
    Ok((rows, Some(error), reading))
}

/// Returns an offer for each size, with its prices by region.
fn offers(
    query: &Query<'_>,
    rows: Vec<MaybeObject<AzurePrice>>,
) -> Result<(Vec<Offer>, Tally), ProviderError> {
    let listed = rows.len();
    let mut dropped = Tally::default();
    let mut prices: BTreeMap<(String, CapacityType, String), (i64, f64)> = BTreeMap::new();
    let mut machines = 0;
    for row in rows {
        let price = linux_price(row);
        machines += usize::from(!matches!(price, Ok(None)));
        match price {
            Ok(Some(price)) if (query.interest)(&price.size, None) == Interest::Requested => {
                let key = (price.size, price.capacity, price.region);
                let this = (price.begins, price.usd);
                let existing = prices.entry(key).or_insert(this);
                if this.0 > existing.0 {
                    *existing = this;
                }
            }
            Ok(_) => dropped.add(DroppedBecause::NotRequested),
            Err(because) => dropped.add(because),
        }
    }
    check_readable(ID, listed, &dropped)?;
    check_machines(ID, listed, machines)?;
    let mut offers: BTreeMap<String, (Offer, RegionList)> = BTreeMap::new();
    for ((size, capacity, region), (_, usd)) in prices {
        let is_asked = match capacity {
            CapacityType::OnDemand => query.on_demand,
            CapacityType::Spot => query.spot,
        };
        let is_meant = query
            .places
            .is_none_or(|places| places.include(&region, None));
        if !is_asked || !is_meant {
            continue;
        }
        let (offer, regions) = offers.entry(size).or_default();
        regions.add(&region, None);
        offer.prices.push(Price {
            region: Some(region),
            ..Price::new(capacity, usd)
        });
    }
    let offers = offers.into_iter().map(|(id, (offer, regions))| Offer {
        id,
        regions: regions.done(),
        ..offer
    });
    Ok((offers.collect(), dropped))
}

/// Reads a row; `None` unless it is an hourly price of a machine with Linux.
fn linux_price(row: MaybeObject<AzurePrice>) -> Result<Option<LinuxPrice>, DroppedBecause> {
    let unreadable = DroppedBecause::Unreadable;
    let row = row.0.ok_or(unreadable)?;
    let size = row.arm_sku_name.0.ok_or(unreadable)?;
    let amount = row.retail_price.0.ok_or(unreadable)?;
    let kind = row.kind.0.ok_or(unreadable)?;
    let unit = row.unit_of_measure.0.ok_or(unreadable)?;
    let [product, sku, meter] =
        [row.product_name, row.sku_name, row.meter_name].map(|text| text.0.unwrap_or_default());
    let names = |word: &str| sku.contains(word) || meter.contains(word);
    let is_windows = product.contains("Windows") || product.ends_with(" Win");
    let is_other_service = ["Cloud Services", "CloudServices", "Dedicated Host"]
        .iter()
        .any(|word| product.contains(word));
    let begins = row.effective_start_date.0.as_deref().and_then(timestamp);
    let is_meant = kind == "Consumption"
        && unit == "1 Hour"
        && row.currency_code.0.is_none_or(|code| code == "USD")
        && row.tier_minimum_units.0.is_none_or(|units| units <= 0.0)
        && row.is_primary_meter_region.0 != Some(false)
        && !names("Low Priority")
        && !is_windows
        && !is_other_service
        && begins.is_none_or(|begins| begins <= now());
    if !is_meant {
        return Ok(None);
    }
    let region = row.arm_region_name.0.ok_or(unreadable)?;
    let usd = positive(Maybe(Some(amount))).ok_or(DroppedBecause::NoPrice)?;
    Ok(Some(LinuxPrice {
        size,
        region,
        capacity: if names("Spot") {
            CapacityType::Spot
        } else {
            CapacityType::OnDemand
        },
        begins: begins.unwrap_or_default(),
        usd,
    }))
}

/// Parses a body as an answer.
pub(super) fn parse(query: &Query<'_>, body: &[u8]) {
    if let Ok(page) = serde_json::from_slice::<AzurePricePage>(body) {
        let _ = offers(query, page.items.items());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::query::Counts;

    fn row(change: &[(&str, Value)]) -> Value {
        let mut row = json!({
            "currencyCode": "USD", "tierMinimumUnits": 0.0, "retailPrice": 98.32,
            "armRegionName": "eastus", "armSkuName": "Standard_ND96isr_H100_v5",
            "effectiveStartDate": "2026-03-01T00:00:00Z", "meterName": "ND96isr H100 v5",
            "productName": "Virtual Machines NDsr H100 v5 Series",
            "skuName": "Standard_ND96isr_H100_v5", "unitOfMeasure": "1 Hour",
            "type": "Consumption", "isPrimaryMeterRegion": true,
        });
        for (field, value) in change {
            row[*field] = value.clone();
        }
        row
    }

    fn read(row: &Value) -> Result<Option<LinuxPrice>, DroppedBecause> {
        linux_price(serde_json::from_value(row.clone()).unwrap())
    }

    #[test]
    fn reads_only_hourly_prices_of_linux_machines() {
        let price = read(&row(&[])).unwrap().unwrap();
        assert_eq!((price.capacity, price.usd), (CapacityType::OnDemand, 98.32));
        let spot = read(&row(&[("skuName", json!("ND96isr H100 v5 Spot"))]));
        assert_eq!(spot.unwrap().unwrap().capacity, CapacityType::Spot);
        for (field, value) in [
            (
                "productName",
                json!("Virtual Machines NDsr H100 v5 Series Windows"),
            ),
            ("productName", json!("NDsr H100 v5 Win")),
            ("productName", json!("NDsr H100 v5 Series Cloud Services")),
            ("skuName", json!("ND96isr H100 v5 Low Priority")),
            ("type", json!("Reservation")),
            ("unitOfMeasure", json!("1 Month")),
            ("currencyCode", json!("EUR")),
            ("isPrimaryMeterRegion", json!(false)),
            ("effectiveStartDate", json!("2999-01-01T00:00:00Z")),
        ] {
            assert_eq!(read(&row(&[(field, value)])), Ok(None), "{field}");
        }
        assert_eq!(
            read(&row(&[("retailPrice", json!(0))])),
            Err(DroppedBecause::NoPrice)
        );
        assert_eq!(
            read(&row(&[("armSkuName", json!(3.5))])),
            Err(DroppedBecause::Unreadable)
        );
    }

    #[test]
    fn the_latest_price_applies() {
        let rows = [
            row(&[
                ("retailPrice", json!(90)),
                ("effectiveStartDate", json!("2026-05-01T00:00:00Z")),
            ]),
            row(&[]),
            row(&[
                ("retailPrice", json!(80)),
                ("effectiveStartDate", json!("2025-05-01T00:00:00Z")),
            ]),
        ];
        let rows = rows.map(|row| serde_json::from_value(row).unwrap());
        let counts = Counts {
            min: 1.0,
            max: None,
        };
        let (offers, _) = offers(&Query::everything(counts), rows.into()).unwrap();
        assert!((offers[0].prices[0].per_hour - 90.0).abs() < 1e-9);
    }

    #[test]
    fn quotes_sizes_and_encodes_spaces() {
        let url = address("http://127.0.0.1:1/azure", &["A'B".to_owned()]);
        assert!(url.starts_with("http://127.0.0.1:1/azure/api/retail/prices?api-version="));
        assert!(url.contains("armSkuName%20eq%20%27A%27%27B%27"), "{url}");
    }

    #[test]
    fn many_regions_are_read_in_linear_time() {
        let rows = (0..50_000).map(|at| row(&[("armRegionName", json!(format!("r{at}")))]));
        let rows = rows.map(|row| serde_json::from_value(row).unwrap());
        let counts = Counts {
            min: 1.0,
            max: None,
        };
        let (offers, _) = offers(&Query::everything(counts), rows.collect()).unwrap();
        assert_eq!((offers.len(), offers[0].regions.len()), (1, 50_000));
    }
}
