//! `CloudRift`: instance types with prices in cents, and the number of free machines.

use std::collections::HashMap;

use serde::Deserialize;
use serde_json::json;
use sky_accel_core::catalog::{Availability, CapacityType};
use sky_accel_core::sizing::GIB;

use super::shared::{KEEP_STOCK, check_machines, check_readable, nothing_listed};
use crate::api::{ListingFuture, ProviderApi, ProviderCall};
use crate::context::Context;
use crate::error::ProviderError;
use crate::feed::{Feed, join};
use crate::json::{Maybe, MaybeList, MaybeMap, MaybeObject, positive};
use crate::listing::Listing;
use crate::offer::{DroppedBecause, Hardware, Offer, Price, Region, Tally};
use crate::query::{Interest, Places, Query};
use crate::reading::DocumentAge;

const ID: &str = "cloudrift";

/// CloudRift.
pub(crate) const API: ProviderApi = ProviderApi {
    published: "prices, and stock by region",
    ..ProviderApi::new(ID, &["https://api.cloudrift.ai"], query)
};

/// The version of the API whose answers this module reads.
const VERSION: &str = "2025-03-21";
const MIB: f64 = (1u64 << 20) as f64;
const CENTS: f64 = 100.0;

#[derive(Default, Deserialize)]
#[serde(default)]
struct CloudRiftAnswer {
    data: MaybeObject<CloudRiftData>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct CloudRiftData {
    instance_types: MaybeList<MaybeObject<TypeRow>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct TypeRow {
    name: Maybe<String>,
    brand_short: Maybe<String>,
    variants: MaybeList<MaybeObject<TypeVariant>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct TypeVariant {
    name: Maybe<String>,
    /// In US cents.
    cost_per_hour: Maybe<f64>,
    cpu_count: Maybe<f64>,
    /// Host memory in bytes.
    dram: Maybe<f64>,
    /// The memory of one GPU in bytes.
    vram: Maybe<f64>,
    gpu_count: Maybe<f64>,
    /// The number of free machines in each data center.
    nodes_per_dc: MaybeMap<Maybe<f64>>,
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
    let services = json!({ "ByServiceAndLocation": { "services": ["vm"] } });
    let feed = Feed {
        provider: ID,
        operation: "listing instance types",
        url: join(base_url, "/api/v1/instance-types/list"),
        question: Some(json!({ "version": VERSION, "data": { "selector": services } })),
        keep: KEEP_STOCK,
    };
    let mut reading = DocumentAge::default();
    let rows = context.document(&feed, &mut reading, |document| {
        let answer: CloudRiftAnswer = super::shared::json(&feed, document)?;
        let rows = answer.data.0.and_then(|data| data.instance_types.0);
        let rows = rows.filter(|rows| !rows.is_empty());
        rows.ok_or_else(|| nothing_listed(&feed))
    });
    let (offers, dropped) = offers(query, rows.await?)?;
    Ok(Listing::public(offers, dropped, Vec::new(), reading))
}

/// Returns an offer for each variant with GPUs.
fn offers(
    query: &Query<'_>,
    rows: Vec<MaybeObject<TypeRow>>,
) -> Result<(Vec<Offer>, Tally), ProviderError> {
    let mut dropped = Tally::default();
    let mut offers = Vec::new();
    let (mut listed, mut machines) = (0, 0);
    for row in rows {
        let kind = row.0.unwrap_or_default();
        let name = kind.brand_short.0.or(kind.name.0).unwrap_or_default();
        let variants = kind.variants.items();
        // A type without readable variants counts as an unreadable row.
        listed += variants.len().max(1);
        if variants.is_empty() {
            dropped.add(DroppedBecause::Unreadable);
        }
        for variant in variants {
            let variant = variant.0.unwrap_or_default();
            let (Some(id), Some(count)) = (variant.name.0.clone(), variant.gpu_count.0) else {
                dropped.add(DroppedBecause::Unreadable);
                continue;
            };
            if count < 1.0 {
                continue;
            }
            machines += 1;
            let hardware = Hardware {
                name: name.clone(),
                memory_mib: positive(variant.vram).map(|bytes| bytes / MIB),
                ..Hardware::default()
            };
            if (query.interest)(&id, Some(&hardware)) == Interest::NotRequested {
                dropped.add(DroppedBecause::NotRequested);
                continue;
            }
            if positive(variant.cost_per_hour).is_none() {
                dropped.add(DroppedBecause::NoPrice);
            }
            offers.push(offer(query, id, count, hardware, &variant));
        }
    }
    check_readable(ID, listed, &dropped)?;
    check_machines(ID, listed, machines)?;
    Ok((offers, dropped))
}

/// Returns the offer of a variant. Its price holds in each listed data center, or everywhere without a
/// list.
fn offer(
    query: &Query<'_>,
    id: String,
    count: f64,
    hardware: Hardware,
    variant: &TypeVariant,
) -> Offer {
    let usd = positive(variant.cost_per_hour).map(|cents| cents / CENTS);
    let nodes_by_center = variant.nodes_per_dc.0.as_ref();
    let is_meant = |center: &str| {
        let is_included = |places: &Places| places.include(center, None);
        query.places.is_none_or(is_included)
    };
    let mut centers: Vec<(&String, Availability)> = nodes_by_center
        .into_iter()
        .flatten()
        .filter(|(center, _)| is_meant(center))
        .map(|(center, nodes)| {
            let availability = match nodes.0 {
                Some(nodes) if nodes > 0.0 => Availability::Available,
                Some(_) => Availability::Unavailable,
                None => Availability::Unknown,
            };
            (center, availability)
        })
        .collect();
    centers.sort_by_key(|(center, _)| *center);
    let price = |usd| Price::new(CapacityType::OnDemand, usd);
    let prices = match (usd, nodes_by_center.map(HashMap::is_empty)) {
        (None, _) => Vec::new(),
        (Some(usd), None) => vec![price(usd)],
        (Some(usd), Some(true)) => vec![Price {
            availability: Availability::Unavailable,
            ..price(usd)
        }],
        (Some(usd), Some(false)) => centers
            .iter()
            .map(|(center, availability)| Price {
                region: Some((*center).clone()),
                availability: *availability,
                ..price(usd)
            })
            .collect(),
    };
    let regions = centers.iter().map(|(center, _)| Region {
        id: (*center).clone(),
        country: None,
    });
    Offer {
        id,
        hardware: Some(hardware),
        count: Some(count),
        vcpu: positive(variant.cpu_count),
        host_memory_gib: positive(variant.dram).map(|bytes| bytes / GIB),
        regions: regions.collect(),
        prices,
        ..Offer::default()
    }
}

/// Parses a body as an answer.
pub(crate) fn parse(query: &Query<'_>, body: &[u8]) {
    if let Ok(answer) = serde_json::from_slice::<CloudRiftAnswer>(body) {
        let rows = answer.data.0.unwrap_or_default().instance_types;
        let _ = offers(query, rows.items());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Counts;

    #[test]
    fn converts_cents_and_reads_stock_by_data_center() {
        let rows = r#"[{"name":"rtx49","brand_short":"RTX 4090","variants":[
            {"name":"rtx49-7c-kn.1","cost_per_hour":39,"cpu_count":7,"logical_cpu_count":14,"dram":53687091200,
             "vram":25757220864,"gpu_count":1,"nodes_per_dc":{"us-east-nc-nr-1":3,"ap-east-tw-kn-1":0}},
            {"name":"cpu","cost_per_hour":1,"gpu_count":0},
            {"name":"free","cost_per_hour":0,"gpu_count":1}]}]"#;
        let query = Query::everything(Counts {
            min: 1.0,
            max: None,
        });
        let (offers, dropped) = offers(&query, serde_json::from_str(rows).unwrap()).unwrap();
        let [offer, unpriced] = &offers[..] else {
            panic!("{offers:?}")
        };
        assert_eq!((&*unpriced.id, unpriced.prices.len()), ("free", 0));
        assert_eq!((offer.vcpu, offer.host_memory_gib), (Some(7.0), Some(50.0)));
        let shown: Vec<_> = offer
            .prices
            .iter()
            .map(|price| {
                (
                    price.per_hour,
                    price.region.as_deref().unwrap(),
                    price.availability,
                )
            })
            .collect();
        assert_eq!(
            shown,
            [
                (0.39, "ap-east-tw-kn-1", Availability::Unavailable),
                (0.39, "us-east-nc-nr-1", Availability::Available),
            ]
        );
        let memory = offer
            .hardware
            .as_ref()
            .and_then(|hardware| hardware.memory_mib);
        assert_eq!(memory, Some(24_564.0));
        assert_eq!(dropped.rows(), 1);
    }
}
