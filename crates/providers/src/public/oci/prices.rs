//! Shapes from the cost estimator, prices from the public price list.
//!
//! A GPU costs the same in every commercial region, and preemptible machines cost half.

use std::collections::HashMap;

use serde::Deserialize;
use sky_accel_core::catalog::CapacityType;

use super::answers::ID;
use crate::clock::timestamp;
use crate::context::Context;
use crate::error::ProviderError;
use crate::feed::{Feed, join};
use crate::json::{LongText, Maybe, MaybeList, MaybeObject, positive};
use crate::listing::Listing;
use crate::offer::{DroppedBecause, Hardware, Offer, Price, Tally};
use crate::public::shared::{
    KEEP_PRICES, MAX_PAGES, check_machines, check_readable, cut, further_page, json, nothing_listed,
};
use crate::query::{Interest, Query};
use crate::reading::DocumentAge;

const PRICES: &str = "/pls/apex/cetools/api/v1/products/?currencyCode=USD";
const SHAPES: &str = "/a/ocom/docs/cloudestimator2/data/shapes.json";
/// Oracle changes a price every few weeks: a list without changes for 90 days is abandoned.
const MOST_DAYS: i64 = 90;
/// The price of a preemptible machine as a fraction of the on-demand price.
const PREEMPTIBLE: f64 = 0.5;

/// The servers of the two lists.
pub(super) struct PriceHosts {
    pub prices: String,
    pub shapes: String,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct PriceList {
    items: MaybeList<MaybeObject<OciProduct>>,
    last_updated: Maybe<String>,
    links: MaybeList<MaybeObject<PriceListLink>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct PriceListLink {
    rel: Maybe<String>,
    href: Maybe<LongText>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct OciProduct {
    part_number: Maybe<String>,
    display_name: Maybe<String>,
    /// The prices, in one of two shapes.
    prices: MaybeList<MaybeObject<OciAmount>>,
    currency_code_localizations: MaybeList<MaybeObject<InCurrency>>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct InCurrency {
    currency_code: Maybe<String>,
    prices: MaybeList<MaybeObject<OciAmount>>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct OciAmount {
    currency_code: Maybe<String>,
    model: Maybe<String>,
    value: Maybe<f64>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ShapeList {
    items: MaybeList<MaybeObject<OciShape>>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct OciShape {
    name: Maybe<String>,
    hidden: Maybe<bool>,
    status: Maybe<String>,
    allow_preemptible: Maybe<bool>,
    gpu_qty: Maybe<f64>,
    products: MaybeList<MaybeObject<ShapeProduct>>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct ShapeProduct {
    #[serde(rename = "type")]
    kind: MaybeObject<ProductType>,
    part_number: Maybe<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ProductType {
    value: Maybe<String>,
}

/// The price of a GPU per hour, and its name.
struct GpuPrice {
    usd: f64,
    name: String,
}

/// Returns the shapes with their prices.
pub(super) async fn listing(
    hosts: &PriceHosts,
    query: &Query<'_>,
    context: &Context<'_>,
) -> Result<Listing, ProviderError> {
    let shapes_feed = feed("listing shapes", join(&hosts.shapes, SHAPES));
    let mut reading = DocumentAge::default();
    let shapes = context.document(&shapes_feed, &mut reading, |document| {
        let list: ShapeList = json(&shapes_feed, document)?;
        let rows = list.items.0.filter(|rows| !rows.is_empty());
        rows.ok_or_else(|| nothing_listed(&shapes_feed))
    });
    let prices = gpus(join(&hosts.prices, PRICES), context);
    let (rows, prices) = futures_util::future::join(shapes, prices).await;
    let (rows, (gpus, date, read, problem)) = (rows?, prices?);
    reading.merge(read);
    let (mut offers, dropped) = offers(query, rows, &gpus)?;
    for price in offers.iter_mut().flat_map(|offer| &mut offer.prices) {
        price.as_of = date;
    }
    let problems = problem.into_iter().collect();
    Ok(Listing::public(offers, dropped, problems, reading))
}

fn feed(operation: &'static str, url: String) -> Feed<'static> {
    Feed {
        provider: ID,
        operation,
        url,
        question: None,
        keep: KEEP_PRICES,
    }
}

/// Returns the prices of GPUs by part number, the date of the list, and the error of its last page.
async fn gpus(
    first: String,
    context: &Context<'_>,
) -> Result<
    (
        HashMap<String, GpuPrice>,
        i64,
        DocumentAge,
        Option<ProviderError>,
    ),
    ProviderError,
> {
    const OPERATION: &str = "listing prices";
    let mut gpus = HashMap::new();
    let mut reading = DocumentAge::default();
    let mut date = i64::MAX;
    let mut url = first.clone();
    for page in 0..MAX_PAGES {
        let feed = feed(OPERATION, url);
        let (list, rows, of_page) = context
            .document(&feed, &mut reading, |document| {
                let mut list: PriceList = json(&feed, document)?;
                let rows = list.items.0.take();
                let rows = rows.filter(|rows| !rows.is_empty() || page > 0);
                let rows = rows.ok_or_else(|| nothing_listed(&feed))?;
                let stated = list.last_updated.0.as_deref().and_then(timestamp);
                let date = document.date(ID, OPERATION, stated, MOST_DAYS)?;
                Ok((list, rows, date))
            })
            .await?;
        date = date.min(of_page);
        gpus.extend(rows.into_iter().filter_map(gpu));
        let next = list.links.items().into_iter().find_map(|link| {
            let link = link.0?;
            (link.rel.0? == "next").then_some(link.href.0?.0)
        });
        let Some(next) = next else {
            return Ok((gpus, date, reading, None));
        };
        let Some(further) = further_page(&first, &next) else {
            let error = feed.unreadable("continued on another server");
            return Ok((gpus, date, reading, Some(error)));
        };
        url = further;
    }
    Ok((gpus, date, reading, Some(cut(&feed(OPERATION, url)))))
}

/// Returns the pay-as-you-go price in dollars of a product; `None` if it has none.
fn gpu(row: MaybeObject<OciProduct>) -> Option<(String, GpuPrice)> {
    let row = row.0?;
    let part = row.part_number.0?;
    let is_usd = |code: &Maybe<String>| code.0.as_deref().is_none_or(|code| code == "USD");
    let localized = row.currency_code_localizations.items().into_iter();
    let localized = localized
        .filter_map(|block| block.0)
        .filter(|block| is_usd(&block.currency_code))
        .flat_map(|block| block.prices.items());
    let usd = row
        .prices
        .items()
        .into_iter()
        .chain(localized)
        .filter_map(|amount| amount.0)
        .filter(|amount| is_usd(&amount.currency_code))
        .find(|amount| amount.model.0.as_deref() == Some("PAY_AS_YOU_GO"))
        .and_then(|amount| positive(amount.value))?;
    let name = row.display_name.0.unwrap_or_default();
    let name = name.rsplit(" - ").next().unwrap_or_default().trim();
    let name = name.to_owned();
    Some((part, GpuPrice { usd, name }))
}

/// Returns an offer for each shape with GPUs.
fn offers(
    query: &Query<'_>,
    rows: Vec<MaybeObject<OciShape>>,
    gpus: &HashMap<String, GpuPrice>,
) -> Result<(Vec<Offer>, Tally), ProviderError> {
    let listed = rows.len();
    let mut machines = 0;
    let mut dropped = Tally::default();
    let mut offers = Vec::new();
    for row in rows {
        let Some((shape, name)) = row.0.and_then(|mut shape| {
            let name = shape.name.0.take()?;
            Some((shape, name))
        }) else {
            dropped.add(DroppedBecause::Unreadable);
            continue;
        };
        machines += usize::from(positive(shape.gpu_qty).is_some());
        let is_sold = shape.hidden.0 != Some(true)
            && shape
                .status
                .0
                .as_deref()
                .is_none_or(|status| status == "ACTIVE");
        let Some(count) = positive(shape.gpu_qty).filter(|_| is_sold) else {
            continue;
        };
        // A name such as `BM.GPU.GB200.4 (NVL72)` is not the name of a shape that can be launched.
        let id = name.split(" (").next().unwrap_or(&name).to_owned();
        let parts = shape.products.items().into_iter().filter_map(|part| part.0);
        let gpu = parts
            .filter(|part| {
                let kind = part.kind.0.as_ref();
                kind.and_then(|kind| kind.value.0.as_deref()) == Some("ocpu")
            })
            .find_map(|part| gpus.get(&part.part_number.0?));
        let hardware = Hardware {
            name: gpu.map(|gpu| gpu.name.clone()).unwrap_or_default(),
            ..Hardware::default()
        };
        if (query.interest)(&id, Some(&hardware)) == Interest::NotRequested {
            dropped.add(DroppedBecause::NotRequested);
            continue;
        }
        let mut prices = Vec::new();
        match gpu.map(|gpu| gpu.usd * count) {
            Some(usd) => {
                prices.push(Price::new(CapacityType::OnDemand, usd));
                if shape.allow_preemptible.0 == Some(true) {
                    prices.push(Price::new(CapacityType::Spot, usd * PREEMPTIBLE));
                }
            }
            None => dropped.add(DroppedBecause::NoPrice),
        }
        offers.push(Offer {
            id,
            hardware: Some(hardware),
            count: Some(count),
            prices,
            ..Offer::default()
        });
    }
    check_readable(ID, listed, &dropped)?;
    check_machines(ID, listed, machines)?;
    Ok((offers, dropped))
}

/// Parses a body as each of the two answers.
pub(super) fn parse(query: &Query<'_>, body: &[u8]) {
    let prices = serde_json::from_slice::<PriceList>(body).unwrap_or_default();
    let gpus = prices.items.items().into_iter().filter_map(gpu).collect();
    if let Ok(shapes) = serde_json::from_slice::<ShapeList>(body) {
        let _ = offers(query, shapes.items.items(), &gpus);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::query::Counts;

    #[test]
    fn a_shape_costs_the_sum_of_its_gpus() {
        let product = |prices| {
            let row = json!({"partNumber": "B98415", "displayName": "OCI - Compute - GPU - H100"});
            let mut row = row.as_object().unwrap().clone();
            row.extend(serde_json::Map::clone(
                serde_json::Value::as_object(&prices).unwrap(),
            ));
            gpu(serde_json::from_value(row.into()).unwrap())
        };
        let pay = |value: f64| json!([{"model": "PAY_AS_YOU_GO", "value": value}]);
        let (_, plain) = product(json!({"prices": pay(10.0)})).unwrap();
        assert_eq!((plain.usd, &*plain.name), (10.0, "H100"));
        let blocks = json!([{"currencyCode": "EUR", "prices": pay(9.0)}, {"currencyCode": "USD", "prices": pay(10.0)}]);
        let (part, gpu) = product(json!({"currencyCodeLocalizations": blocks})).unwrap();
        assert!((gpu.usd - 10.0).abs() < 1e-9);
        assert!(product(json!({"prices": pay(0.0)})).is_none());
        let shape = |name: &str, more: serde_json::Value| {
            let mut row = json!({"name": name, "hidden": false, "status": "ACTIVE", "gpuQty": 8,
                "allowPreemptible": true, "products": [{"type": {"value": "ocpu"}, "partNumber": "B98415", "qty": 112}]});
            for (field, value) in more.as_object().unwrap() {
                row[field] = value.clone();
            }
            serde_json::from_value(row).unwrap()
        };
        let rows = vec![
            shape("BM.GPU.H100.8", json!({})),
            shape(
                "BM.GPU.H100.4 (NVL72)",
                json!({"gpuQty": 4, "allowPreemptible": false}),
            ),
            shape("BM.Hidden", json!({"hidden": true})),
            shape("VM.Standard3", json!({"gpuQty": 0})),
            shape("BM.GPU.X", json!({"products": []})),
        ];
        let gpus = HashMap::from([(part, gpu)]);
        let counts = Counts {
            min: 1.0,
            max: None,
        };
        let (offers, dropped) = offers(&Query::everything(counts), rows, &gpus).unwrap();
        let prices =
            |at: usize| -> Vec<f64> { offers[at].prices.iter().map(|p| p.per_hour).collect() };
        assert_eq!(
            (&*offers[0].id, prices(0)),
            ("BM.GPU.H100.8", vec![80.0, 40.0])
        );
        assert_eq!((&*offers[1].id, prices(1)), ("BM.GPU.H100.4", vec![40.0]));
        // A shape without a price is still sold.
        assert_eq!((&*offers[2].id, prices(2)), ("BM.GPU.X", vec![]));
        assert_eq!((offers.len(), dropped.rows()), (3, 1));
    }
}
