//! `OVHcloud`: instance types with GPUs from the public order catalog, in euros and without VAT.

use serde::Deserialize;
use sky_accel_core::catalog::CapacityType;

use super::shared::{KEEP_PRICES, check_machines, check_readable, json, nothing_listed};
use crate::api::{ListingFuture, ProviderApi, ProviderCall};
use crate::context::Context;
use crate::error::ProviderError;
use crate::feed::{Feed, join};
use crate::json::{Maybe, MaybeList, MaybeObject, positive};
use crate::listing::Listing;
use crate::offer::{DroppedBecause, Hardware, Offer, Price, Tally};
use crate::query::{Interest, Query};
use crate::reading::DocumentAge;

const ID: &str = "ovhcloud";

/// OVHcloud, from its order catalog.
pub(crate) const API: ProviderApi = ProviderApi {
    published: "prices in euros",
    unpublished: "stock, regions",
    ..ProviderApi::new(ID, &["https://api.ovh.com"], query)
};

/// The subsidiary with the most GPUs. The US subsidiary has a separate server and sells only some
/// of them.
const PATH: &str = "/1.0/order/catalog/public/cloud?ovhSubsidiary=FR";
/// The suffix of plans with hourly billing.
const HOURLY: &str = ".consumption";
/// The fraction of the currency in which amounts are given as whole numbers.
const UNIT: f64 = 1e-8;

#[derive(Default, Deserialize)]
#[serde(default)]
struct OrderCatalog {
    locale: MaybeObject<CatalogLocale>,
    addons: MaybeList<MaybeObject<PlanAddon>>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct CatalogLocale {
    currency_code: Maybe<String>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct PlanAddon {
    plan_code: Maybe<String>,
    pricings: MaybeList<MaybeObject<PlanPricing>>,
    blobs: MaybeObject<OvhMachine>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct PlanPricing {
    price: Maybe<f64>,
}

/// The description of a machine with GPUs. Other entries, which are most of the catalog, are
/// dropped while parsing.
#[derive(Default, Deserialize)]
#[serde(from = "PlanBlobs")]
struct OvhMachine(Option<Box<PlanBlobs>>);

impl From<PlanBlobs> for OvhMachine {
    fn from(blobs: PlanBlobs) -> Self {
        let technical = blobs.technical.0.as_ref();
        let has_gpus = technical.is_some_and(|technical| technical.gpu.0.is_some());
        Self(has_gpus.then(|| Box::new(blobs)))
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct PlanBlobs {
    commercial: MaybeObject<CommercialBlob>,
    technical: MaybeObject<TechnicalBlob>,
    tags: MaybeList<Maybe<String>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct CommercialBlob {
    brick: Maybe<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct TechnicalBlob {
    gpu: MaybeObject<OvhGpu>,
    cpu: MaybeObject<OvhCpu>,
    memory: MaybeObject<OvhMemory>,
    os: MaybeObject<OvhSystem>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct OvhGpu {
    model: Maybe<String>,
    number: Maybe<f64>,
    memory: MaybeObject<OvhMemory>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct OvhCpu {
    cores: Maybe<f64>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct OvhMemory {
    size: Maybe<f64>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct OvhSystem {
    family: Maybe<String>,
}

fn query(call: ProviderCall<'_>) -> ListingFuture<'_> {
    Box::pin(async move {
        let base_url = API.base_url(call.environment)?;
        listing(&base_url, call.query, call.context).await
    })
}

async fn listing(
    base_url: &str,
    query: &Query<'_>,
    context: &Context<'_>,
) -> Result<Listing, ProviderError> {
    let feed = Feed {
        provider: ID,
        operation: "reading the order catalog",
        url: join(base_url, PATH),
        question: None,
        keep: KEEP_PRICES,
    };
    let mut reading = DocumentAge::default();
    let read = context.document(&feed, &mut reading, |document| {
        let catalog: OrderCatalog = json(&feed, document)?;
        let rows = catalog.addons.0.filter(|rows| !rows.is_empty());
        let rows = rows.ok_or_else(|| nothing_listed(&feed))?;
        let currency = catalog.locale.0.and_then(|locale| locale.currency_code.0);
        // Without its currency, no price of the list can be used.
        let currency = currency.ok_or_else(|| feed.unreadable("without its currency"))?;
        Ok((rows, currency))
    });
    let (rows, currency) = read.await?;
    let (offers, dropped) = offers(query, rows, &currency)?;
    Ok(Listing::public(offers, dropped, Vec::new(), reading))
}

/// Returns an offer for each type with GPUs, hourly billing and Linux.
fn offers(
    query: &Query<'_>,
    rows: Vec<MaybeObject<PlanAddon>>,
    currency: &str,
) -> Result<(Vec<Offer>, Tally), ProviderError> {
    let listed = rows.len();
    let mut dropped = Tally::default();
    let mut machines = 0;
    let mut offers = Vec::new();
    for row in rows {
        let addon = row.0.unwrap_or_default();
        let Some(plan) = addon.plan_code.0 else {
            dropped.add(DroppedBecause::Unreadable);
            continue;
        };
        let Some(id) = plan.strip_suffix(HOURLY) else {
            continue;
        };
        let Some(blobs) = addon.blobs.0.and_then(|machine| machine.0) else {
            continue;
        };
        let Some((hardware, count)) = gpu(id, &blobs) else {
            continue;
        };
        machines += 1;
        if (query.interest)(id, Some(&hardware)) == Interest::NotRequested {
            dropped.add(DroppedBecause::NotRequested);
            continue;
        }
        let amount = addon.pricings.items().into_iter().find_map(|row| row.0);
        let amount = amount.and_then(|pricing| positive(pricing.price));
        if amount.is_none() {
            dropped.add(DroppedBecause::NoPrice);
        }
        let price = amount.map(|amount| Price {
            currency: Some(currency.to_owned()).filter(|code| code != "USD"),
            ..Price::new(CapacityType::OnDemand, amount * UNIT)
        });
        let technical = blobs.technical.0.unwrap_or_default();
        offers.push(Offer {
            id: id.to_owned(),
            hardware: Some(hardware),
            count: Some(count),
            vcpu: technical.cpu.0.and_then(|cpu| positive(cpu.cores)),
            host_memory_gib: technical.memory.0.and_then(|memory| positive(memory.size)),
            prices: price.into_iter().collect(),
            ..Offer::default()
        });
    }
    check_readable(ID, listed, &dropped)?;
    check_machines(ID, listed, machines)?;
    Ok((offers, dropped))
}

/// Returns the GPUs of a machine with hourly billing and Linux; `None` for other plans.
fn gpu(id: &str, blobs: &PlanBlobs) -> Option<(Hardware, f64)> {
    let technical = blobs.technical.0.as_ref()?;
    let gpu = technical.gpu.0.as_ref()?;
    let count = positive(gpu.number)?;
    let brick = blobs.commercial.0.as_ref()?.brick.0.as_deref();
    let family = technical
        .os
        .0
        .as_ref()
        .and_then(|os| os.family.0.as_deref());
    let is_announced = blobs.tags.0.iter().flatten().any(|tag| {
        let tag = tag.0.as_deref().unwrap_or_default();
        tag == "coming_soon"
    });
    // Jobs and notebooks are billed by the minute, whatever unit the catalog states.
    let is_other = id.starts_with("win-") || id.starts_with("ai-") || family == Some("windows");
    if brick != Some("gpu") || is_announced || is_other {
        return None;
    }
    let memory = gpu
        .memory
        .0
        .as_ref()
        .and_then(|memory| positive(memory.size));
    let hardware = Hardware {
        name: gpu.model.0.clone().unwrap_or_default().replace('-', " "),
        memory_gb: memory,
        ..Hardware::default()
    };
    Some((hardware, count))
}

/// Parses a body as an answer.
pub(crate) fn parse(query: &Query<'_>, body: &[u8]) {
    if let Ok(catalog) = serde_json::from_slice::<OrderCatalog>(body) {
        let _ = offers(query, catalog.addons.items(), "EUR");
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::query::Counts;

    fn addon(plan: &str, price: i64, brick: &str, os: &str, tags: &[&str]) -> Value {
        json!({"planCode": plan, "pricings": [{"price": price, "intervalUnit": "none"}], "blobs": {
            "commercial": {"brick": brick}, "tags": tags,
            "technical": {"gpu": {"model": "H100", "number": 1}, "cpu": {"cores": 30}, "memory": {"size": 380}, "os": {"family": os}}}})
    }

    #[test]
    fn lists_hourly_machines_with_linux() {
        let rows = json!([
            addon(
                "h100-380.consumption",
                280_000_000,
                "gpu",
                "linux",
                &["active"]
            ),
            addon(
                "h100-380.monthly.postpaid",
                180_000_000_000,
                "gpu",
                "linux",
                &[]
            ),
            addon(
                "win-h100-380.consumption",
                300_000_000,
                "gpu",
                "windows",
                &[]
            ),
            addon("ai-h100.consumption", 5_000_000, "gpu", "linux", &[]),
            addon(
                "b200-380.consumption",
                280_000_000,
                "gpu",
                "linux",
                &["coming_soon"]
            ),
            addon("b3-8.consumption", 5_000_000, "compute", "linux", &[]),
            addon("h100-760.consumption", 0, "gpu", "linux", &[]),
        ]);
        let query = Query::everything(Counts {
            min: 1.0,
            max: None,
        });
        let (offers, dropped) =
            offers(&query, serde_json::from_value(rows).unwrap(), "EUR").unwrap();
        let [offer, unpriced] = &offers[..] else {
            panic!("{offers:?}")
        };
        assert_eq!((&*unpriced.id, unpriced.prices.len()), ("h100-760", 0));
        let price = &offer.prices[0];
        assert_eq!(
            (&*offer.id, price.currency.as_deref()),
            ("h100-380", Some("EUR"))
        );
        assert!((price.per_hour - 2.8).abs() < 1e-9);
        assert_eq!(
            (offer.vcpu, offer.host_memory_gib),
            (Some(30.0), Some(380.0))
        );
        assert_eq!(dropped.rows(), 1);
    }
}
