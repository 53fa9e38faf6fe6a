//! `OVHcloud`: instance types with GPUs from the public order catalog, in euros and without VAT.

use serde::Deserialize;
use sky_accel_core::catalog::CapacityType;

use super::{KEEP_PRICES, check_machines, check_readable, json, nothing_listed};
use crate::context::Context;
use crate::error::ProviderError;
use crate::feed::{Feed, join};
use crate::json::{List, Maybe, Row, positive};
use crate::offer::{DroppedBecause, Hardware, Listing, Offer, Price, Reading, Tally};
use crate::query::{Interest, Query};

pub(super) const ID: &str = "ovhcloud";
pub(super) const BASE_URL: &str = "https://api.ovh.com";
/// The subsidiary with the most GPUs; that of the US sells a part of them on a server of its own.
const PATH: &str = "/1.0/order/catalog/public/cloud?ovhSubsidiary=FR";
/// The end of the name of a plan that is paid by the hour.
const HOURLY: &str = ".consumption";
/// Amounts are whole numbers of this part of the currency.
const UNIT: f64 = 1e-8;

#[derive(Default, Deserialize)]
#[serde(default)]
struct OrderCatalog {
    locale: Row<Locale>,
    addons: List<Row<Addon>>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Locale {
    currency_code: Maybe<String>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct Addon {
    plan_code: Maybe<String>,
    pricings: List<Row<Pricing>>,
    blobs: Row<Machine>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Pricing {
    price: Maybe<f64>,
}

/// The description of a machine with GPUs. That of anything else, which most of the catalog is, is not kept.
#[derive(Default, Deserialize)]
#[serde(from = "Blobs")]
struct Machine(Option<Box<Blobs>>);

impl From<Blobs> for Machine {
    fn from(blobs: Blobs) -> Self {
        let technical = blobs.technical.0.as_ref();
        let has_gpus = technical.is_some_and(|technical| technical.gpu.0.is_some());
        Self(has_gpus.then(|| Box::new(blobs)))
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Blobs {
    commercial: Row<Commercial>,
    technical: Row<Technical>,
    tags: List<Maybe<String>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Commercial {
    brick: Maybe<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Technical {
    gpu: Row<Gpu>,
    cpu: Row<Cpu>,
    memory: Row<Memory>,
    os: Row<System>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Gpu {
    model: Maybe<String>,
    number: Maybe<f64>,
    memory: Row<Memory>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Cpu {
    cores: Maybe<f64>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Memory {
    size: Maybe<f64>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct System {
    family: Maybe<String>,
}

pub(super) async fn listing(
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
    let mut reading = Reading::default();
    let read = context.document(&feed, &mut reading, |document| {
        let catalog: OrderCatalog = json(&feed, document)?;
        let rows = catalog.addons.0.filter(|rows| !rows.is_empty());
        let rows = rows.ok_or_else(|| nothing_listed(&feed))?;
        let currency = catalog.locale.0.and_then(|locale| locale.currency_code.0);
        // An amount of an unknown currency is no price.
        let currency = currency.ok_or_else(|| feed.unreadable("without its currency"))?;
        Ok((rows, currency))
    });
    let (rows, currency) = read.await?;
    let (offers, dropped) = offers(query, rows, &currency)?;
    Ok(Listing::public(offers, dropped, Vec::new(), reading))
}

/// An offer for each type with GPUs that is paid by the hour and runs Linux.
fn offers(
    query: &Query<'_>,
    rows: Vec<Row<Addon>>,
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
        if (query.interest)(id, Some(&hardware)) == Interest::Unwanted {
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

/// The GPUs of a machine that can be rented by the hour and runs Linux; `None` of any other plan.
fn gpu(id: &str, blobs: &Blobs) -> Option<(Hardware, f64)> {
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
    // Jobs and notebooks are paid by the minute, whatever the catalog says of the unit.
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

/// Parses one body as an answer.
pub(super) fn parse(query: &Query<'_>, body: &[u8]) {
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
    fn hourly_machines_with_linux_are_offers() {
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
