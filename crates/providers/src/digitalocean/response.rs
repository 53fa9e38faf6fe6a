//! Parses the answers. No I/O.

use serde::Deserialize;
use sky_accel_core::catalog::{Availability, CapacityType};

use crate::error::ProviderError;
use crate::json::{LongText, Maybe, MaybeList, MaybeObject, document, positive};
use crate::obtainability::{Obtainability, StockState};
use crate::offer::{Hardware, Offer, Price, Quota, QuotaUnit, RegionList, Tally};
use crate::offer_list::OfferList;
use crate::query::Query;

/// The id of DigitalOcean in the catalog.
pub(super) const ID: &str = "digitalocean";

const SOURCE: &str = "sizes";
const MIB_PER_GIB: f64 = 1024.0;

#[derive(Default, Deserialize)]
#[serde(default)]
struct SizesDocument {
    sizes: MaybeList<MaybeObject<SizeData>>,
    links: MaybeObject<PageLinks>,
    meta: MaybeObject<PageMeta>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct PageMeta {
    total: Maybe<f64>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct PageLinks {
    pages: MaybeObject<PageNames>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct PageNames {
    next: Maybe<LongText>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct SizeData {
    slug: Maybe<String>,
    /// In MiB.
    memory: Maybe<f64>,
    vcpus: Maybe<f64>,
    /// For the whole machine.
    price_hourly: Maybe<f64>,
    regions: MaybeList<Maybe<String>>,
    available: Maybe<bool>,
    gpu_info: MaybeObject<SizeGpus>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct SizeGpus {
    count: Maybe<f64>,
    model: Maybe<String>,
    /// The memory of all GPUs together.
    vram: MaybeObject<AmountData>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct AmountData {
    amount: Maybe<f64>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct AccountDocument {
    account: MaybeObject<AccountData>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct AccountData {
    droplet_limit: Maybe<f64>,
}

/// A row of the list, not checked yet.
pub(super) type SizeRow = MaybeObject<SizeData>;

/// A page of the list.
pub(super) struct SizesPage {
    pub rows: Vec<SizeRow>,
    /// The number of rows on all pages; `None` if it is not reported.
    pub total: Option<f64>,
    /// The address of the next page.
    pub next: Option<String>,
}

pub(super) fn page(body: &[u8]) -> Result<SizesPage, ProviderError> {
    let document: SizesDocument = document(ID, body)?;
    let rows = document.sizes.0;
    let pages = document.links.0.and_then(|links| links.pages.0);
    Ok(SizesPage {
        total: document.meta.0.and_then(|meta| meta.total.0),
        rows: rows.ok_or_else(|| ProviderError::no_list(ID, "sizes"))?,
        next: pages.and_then(|pages| pages.next.0).map(|next| next.0),
    })
}

/// Returns the account's limit of machines; `None` if it is not reported.
pub(super) fn droplet_limit(body: &[u8]) -> Result<Option<f64>, ProviderError> {
    let document: AccountDocument = document(ID, body)?;
    let limit = document.account.0.and_then(|data| data.droplet_limit.0);
    Ok(limit.filter(|limit| *limit >= 0.0))
}

/// Returns an offer for each size with GPUs.
pub(super) fn offers(
    query: &Query<'_>,
    rows: Vec<SizeRow>,
    droplet_limit: Option<&f64>,
) -> Result<(Vec<Offer>, Tally), ProviderError> {
    let mut list = OfferList::default();
    for row in rows {
        let row = row.0.and_then(|row| offer(row, droplet_limit.copied()));
        list.add(query, row);
    }
    list.done(ID)
}

/// Reads a size; `None` if its id or its price is missing.
fn offer(row: SizeData, droplet_limit: Option<f64>) -> Option<Offer> {
    let id = row.slug.0?;
    row.price_hourly.0?;
    let gpu = row.gpu_info.0.unwrap_or_default();
    // A size without GPUs has no such object.
    let count = match &gpu.model.0 {
        Some(_) => gpu.count.0?,
        None => gpu.count.0.unwrap_or(0.0),
    };
    let is_on_sale = row.available.0 != Some(false);
    let is_told = row.regions.0.is_some() || !is_on_sale;
    let mut regions = RegionList::default();
    for region in row.regions.items().into_iter().filter_map(|id| id.0) {
        regions.add(&region, None);
    }
    let regions = if is_on_sale {
        regions.done()
    } else {
        Vec::new()
    };
    let capacity = if id.ends_with("-spot") {
        CapacityType::Spot
    } else {
        CapacityType::OnDemand
    };
    let (state, availability) = match (regions.is_empty(), is_told) {
        (false, _) => (StockState::Available, Availability::Available),
        (true, true) => (StockState::Unavailable, Availability::Unavailable),
        (true, false) => (StockState::Unknown, Availability::Unknown),
    };
    let record = Obtainability {
        state,
        is_account_specific: true,
        ..Obtainability::new(capacity, 1, SOURCE)
    };
    let places: Vec<Option<String>> = if regions.is_empty() {
        vec![None]
    } else {
        regions
            .iter()
            .map(|region| Some(region.id.clone()))
            .collect()
    };
    let obtainability = places.iter().map(|region| {
        let mut record = record.clone();
        record.place.region.clone_from(region);
        record
    });
    let price = positive(row.price_hourly).map(|usd| Price {
        availability,
        ..Price::new(capacity, usd)
    });
    let prices = price.iter().flat_map(|price| {
        places.iter().map(|region| Price {
            region: region.clone(),
            ..price.clone()
        })
    });
    let quota = droplet_limit.map(|limit| Quota {
        region: None,
        capacity,
        code: "droplet_limit".to_owned(),
        name: Some("Droplets".to_owned()),
        unit: QuotaUnit::Machines,
        limit: Some(limit),
        used: None,
        is_adjustable: Some(true),
    });
    let total_memory_gb = gpu.vram.0.and_then(|vram| positive(vram.amount));
    Some(Offer {
        hardware: gpu
            .model
            .0
            .as_deref()
            .map(|model| hardware(model, total_memory_gb.map(|total| total / count.max(1.0)))),
        count: Some(count),
        total_memory_gb,
        vcpu: positive(row.vcpus),
        host_memory_gib: positive(row.memory).map(|mib| mib / MIB_PER_GIB),
        obtainability: obtainability.collect(),
        prices: prices.collect(),
        quotas: quota.into_iter().collect(),
        regions,
        id,
        ..Offer::default()
    })
}

/// `nvidia_rtx6000_ada` is an `rtx6000 ada` of `nvidia`.
fn hardware(model: &str, memory_gb: Option<f64>) -> Hardware {
    let (maker, name) = match model.split_once('_') {
        Some((maker, name)) => (Some(maker.to_owned()), name),
        None => (None, model),
    };
    Hardware {
        name: name.replace('_', " "),
        manufacturer: maker,
        memory_gb,
        ..Hardware::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::query::Counts;

    fn read(rows: &str, limit: Option<f64>) -> Result<(Vec<Offer>, Tally), ProviderError> {
        let counts = Counts {
            min: 1.0,
            max: None,
        };
        let page = page(format!(r#"{{"sizes":{rows}}}"#).as_bytes())?;
        offers(&Query::everything(counts), page.rows, limit.as_ref())
    }

    #[test]
    fn sizes_are_in_stock_in_their_regions() {
        let (offers, dropped) = read(
            r#"[{"slug":"s-1vcpu-1gb","memory":1024,"vcpus":1,"price_hourly":0.009,"regions":["nyc1"],"available":true},
             {"slug":"gpu-h100x8-640gb","memory":1966080,"vcpus":160,"price_hourly":23.92,"regions":["nyc2","tor1"],"available":true,
              "gpu_info":{"count":8,"model":"nvidia_h100","vram":{"amount":640,"unit":"gib"}}},
             {"slug":"gpu-l40sx1-48gb","price_hourly":1.57,"regions":[],"available":true,
              "gpu_info":{"count":1,"model":"nvidia_l40s","vram":{"amount":48}}},
             {"slug":"gpu-mi300x1-192gb","price_hourly":1.99,"regions":["nyc1"],"available":false,
              "gpu_info":{"count":1,"model":"amd_mi300x"}},
             {"slug":"gpu-mi355x1-288gb-spot","price_hourly":2.97,
              "gpu_info":{"count":1,"model":"amd_mi355x"}},
             {"memory":1}]"#,
            Some(3.0),
        )
        .unwrap();
        let shown: Vec<_> = offers
            .iter()
            .map(|offer| {
                let price = &offer.prices[0];
                let states: Vec<_> = offer.obtainability.iter().map(|one| one.state).collect();
                (&*offer.id, price.capacity, price.availability, states)
            })
            .collect();
        let (on_demand, spot) = (CapacityType::OnDemand, CapacityType::Spot);
        let (yes, no) = (StockState::Available, StockState::Unavailable);
        assert_eq!(
            shown,
            [
                (
                    "gpu-h100x8-640gb",
                    on_demand,
                    Availability::Available,
                    vec![yes, yes]
                ),
                (
                    "gpu-l40sx1-48gb",
                    on_demand,
                    Availability::Unavailable,
                    vec![no]
                ),
                (
                    "gpu-mi300x1-192gb",
                    on_demand,
                    Availability::Unavailable,
                    vec![no]
                ),
                (
                    "gpu-mi355x1-288gb-spot",
                    spot,
                    Availability::Unknown,
                    vec![StockState::Unknown]
                ),
            ]
        );
        let h100 = offers[0].hardware.as_ref().unwrap();
        // The size has the memory of all GPUs.
        assert_eq!((&*h100.name, h100.memory_gb), ("h100", Some(80.0)));
        assert_eq!(h100.manufacturer.as_deref(), Some("nvidia"));
        assert_eq!(offers[0].host_memory_gib, Some(1920.0));
        assert_eq!(offers[0].quotas[0].left(), Some(3.0));
        assert_eq!(dropped.rows(), 1);
    }

    #[test]
    fn answers_without_sizes_are_errors() {
        for rows in ["null", "[]", "{}", "[{}]"] {
            let error = read(rows, None).unwrap_err();
            assert_eq!(error.kind, ErrorKind::Protocol, "{rows}");
        }
        assert!(page(b"<html>").is_err());
    }

    #[test]
    fn limits_may_be_missing() {
        let limit = |text: &str| droplet_limit(text.as_bytes()).unwrap();
        assert_eq!(limit(r#"{"account":{"droplet_limit":25}}"#), Some(25.0));
        assert_eq!(limit(r#"{"account":{}}"#), None);
    }
}
