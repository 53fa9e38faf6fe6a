//! Lium: machines of a marketplace, rented whole or by the GPU, in one dated document.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::Deserialize;
use sky_accel_core::catalog::{Availability, CapacityType};

use super::shared::{json, nothing_listed};
use crate::api::{ListingFuture, ProviderApi, ProviderCall};
use crate::clock::timestamp;
use crate::context::Context;
use crate::error::ProviderError;
use crate::feed::{Feed, join};
use crate::json::{Maybe, MaybeList, MaybeObject, positive};
use crate::listing::Listing;
use crate::offer::{DroppedBecause, Hardware, Offer, Price, Region, Tally};
use crate::query::{Interest, Query};
use crate::reading::DocumentAge;

const ID: &str = "lium";

/// Lium.
pub(crate) const API: ProviderApi = ProviderApi {
    published: "prices, and stock by region",
    ..ProviderApi::new(ID, &["https://lium.io"], query)
};

const OPERATION: &str = "listing machines";
/// The document is generated every minute: a day without a new one means that it is abandoned.
const MOST_DAYS: i64 = 1;
/// The document is generated at most once a minute, and 60 requests a minute are allowed.
const KEEP: std::time::Duration = std::time::Duration::from_secs(60);
/// An upper bound on the GPUs of a machine, to reject wrong counts.
const MAX_GPUS: f64 = 64.0;

#[derive(Default, Deserialize)]
#[serde(default)]
struct LiumAnswer {
    generated_at: Maybe<String>,
    nodes: MaybeList<MaybeObject<LiumNode>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct LiumNode {
    gpu_model: Maybe<String>,
    gpu_count: Maybe<f64>,
    available_gpu_count: Maybe<f64>,
    min_rentable_gpu_count: Maybe<f64>,
    gpu_memory_gb: Maybe<f64>,
    cpu_count: Maybe<f64>,
    ram_gb: Maybe<f64>,
    price_per_gpu_hour: Maybe<f64>,
    price_per_node_hour: Maybe<f64>,
    country_code: Maybe<String>,
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
        operation: OPERATION,
        url: join(base_url, "/api/public/v1/nodes"),
        question: None,
        keep: KEEP,
    };
    let mut reading = DocumentAge::default();
    let read = context.document(&feed, &mut reading, |document| {
        let answer: LiumAnswer = json(&feed, document)?;
        let stated = answer.generated_at.0.as_deref().and_then(timestamp);
        let date = document.date(ID, OPERATION, stated, MOST_DAYS)?;
        let rows = answer.nodes.0.filter(|rows| !rows.is_empty());
        let rows = rows.ok_or_else(|| nothing_listed(&feed))?;
        Ok((rows, date))
    });
    let (rows, date) = read.await?;
    let (mut offers, dropped) = offers(query, rows)?;
    for price in offers.iter_mut().flat_map(|offer| &mut offer.prices) {
        price.as_of = date;
    }
    Ok(Listing::public(offers, dropped, Vec::new(), reading))
}

/// Returns the rentable numbers of GPUs of a machine: powers of two, and all free GPUs.
fn counts(node: &LiumNode, total_gpus: f64) -> Vec<f64> {
    let free = node
        .available_gpu_count
        .0
        .unwrap_or(0.0)
        .clamp(0.0, total_gpus);
    let least = positive(node.min_rentable_gpu_count).unwrap_or(total_gpus);
    let powers = std::iter::successors(Some(1.0), |count| Some(count * 2.0));
    let mut counts: Vec<f64> = powers
        .take_while(|count| *count < free)
        .filter(|count| *count >= least)
        .collect();
    if free >= least && free > 0.0 {
        counts.push(free);
    }
    // A machine that is rented out still has a price.
    if counts.is_empty() {
        counts.push(total_gpus);
    }
    counts
}

/// Returns an offer for each model, memory size and number of GPUs, with the lowest price in each
/// country.
fn offers(
    query: &Query<'_>,
    rows: Vec<MaybeObject<LiumNode>>,
) -> Result<(Vec<Offer>, Tally), ProviderError> {
    let listed = rows.len();
    let mut dropped = Tally::default();
    let mut nodes = Vec::new();
    for row in rows {
        let node = row.0.unwrap_or_default();
        let total_gpus = positive(node.gpu_count).filter(|count| *count <= MAX_GPUS);
        match (node.gpu_model.0.clone(), total_gpus) {
            (Some(model), Some(total_gpus)) => {
                let name = model.trim_start_matches("NVIDIA ").to_owned();
                nodes.push((name, total_gpus, node));
            }
            _ => dropped.add(DroppedBecause::Unreadable),
        }
    }
    if nodes.is_empty() {
        return Err(ProviderError::unreadable(ID, listed));
    }
    let sizes = sizes(&nodes);
    let mut offers: BTreeMap<String, LiumOffer> = BTreeMap::new();
    for (name, total_gpus, node) in nodes {
        let of_node = positive(node.price_per_node_hour).map(|usd| usd / total_gpus);
        let usd = positive(node.price_per_gpu_hour).or(of_node);
        if usd.is_none() {
            dropped.add(DroppedBecause::NoPrice);
        }
        let memory_gb = positive(node.gpu_memory_gb);
        // A model with several memory sizes needs the size in its id, because the name alone is
        // ambiguous.
        let is_one_size = sizes.get(&name).is_none_or(|sizes| sizes.len() < 2);
        let size = memory_gb
            .filter(|_| !is_one_size)
            .map(|gb| format!("-{gb}GB"))
            .unwrap_or_default();
        let model = format!("{}{size}", name.replace(' ', ""));
        let hardware = Hardware {
            name,
            memory_gb,
            ..Hardware::default()
        };
        for count in counts(&node, total_gpus) {
            let id = format!("{model}_{count}x");
            if (query.interest)(&id, Some(&hardware)) == Interest::NotRequested {
                dropped.add(DroppedBecause::NotRequested);
                continue;
            }
            let share = |figure| positive(figure).map(|figure| figure * count / total_gpus);
            let host = (share(node.cpu_count), share(node.ram_gb));
            let offer = offers.entry(id.clone()).or_insert_with(|| LiumOffer {
                offer: Offer {
                    id,
                    hardware: Some(hardware.clone()),
                    count: Some(count),
                    ..Offer::default()
                },
                ..LiumOffer::default()
            });
            let availability = match node.available_gpu_count.0 {
                Some(free) if free >= count => Availability::Available,
                Some(_) => Availability::Unavailable,
                None => Availability::Unknown,
            };
            let country = node.country_code.0.as_deref().map(str::to_ascii_uppercase);
            if let Some(usd) = usd {
                let price = Price {
                    region: country,
                    availability,
                    ..Price::new(CapacityType::OnDemand, usd * count)
                };
                offer.add(query, price, host);
            }
        }
    }
    let offers = offers.into_values().map(|offer| offer.offer);
    Ok((offers.collect(), dropped))
}

/// Returns the memory sizes of each model.
fn sizes(nodes: &[(String, f64, LiumNode)]) -> BTreeMap<String, BTreeSet<u64>> {
    let mut sizes: BTreeMap<String, BTreeSet<u64>> = BTreeMap::new();
    for (name, _, node) in nodes {
        let size = positive(node.gpu_memory_gb).map(f64::to_bits);
        sizes.entry(name.clone()).or_default().extend(size);
    }
    sizes
}

/// An offer, with the place of each country's price in it.
#[derive(Default)]
struct LiumOffer {
    offer: Offer,
    by_country: HashMap<Option<String>, usize>,
    /// The best price so far.
    best: Option<(bool, u64)>,
}

impl LiumOffer {
    /// Adds the lowest price in each country: of free machines if there are any, otherwise of
    /// rented machines. The host is of the machine with the best price.
    fn add(
        &mut self,
        query: &Query<'_>,
        price: Price,
        (vcpu, host_memory_gib): (Option<f64>, Option<f64>),
    ) {
        let is_meant = query.places.is_none_or(|places| {
            let country = price.region.as_deref();
            country.is_some_and(|id| places.include(id, Some(id)))
        });
        if !is_meant {
            return;
        }
        let offer = &mut self.offer;
        if self.best.is_none_or(|best| rank(&price) < best) {
            self.best = Some(rank(&price));
            (offer.vcpu, offer.host_memory_gib) = (vcpu, host_memory_gib);
        }
        let place = self.by_country.entry(price.region.clone());
        let new = offer.prices.len();
        let existing = offer.prices.get_mut(*place.or_insert(new));
        if let Some(existing) = existing {
            if rank(&price) < rank(existing) {
                *existing = price;
            }
            return;
        }
        if let Some(id) = price.region.clone() {
            offer.regions.push(Region {
                country: Some(id.clone()),
                id,
            });
        }
        offer.prices.push(price);
    }
}

/// Orders prices: free machines first, then the lowest price.
fn rank(price: &Price) -> (bool, u64) {
    let is_free = price.availability == Availability::Available;
    // The bits of positive numbers have the same order as the numbers.
    (!is_free, price.per_hour.to_bits())
}

/// Parses a body as an answer.
pub(crate) fn parse(query: &Query<'_>, body: &[u8]) {
    if let Ok(answer) = serde_json::from_slice::<LiumAnswer>(body) {
        let _ = offers(query, answer.nodes.items());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Counts;

    #[test]
    fn lists_machines_by_the_gpu() {
        let rows = r#"[
            {"gpu_model":"H200","gpu_count":8,"available_gpu_count":6,"min_rentable_gpu_count":1,"gpu_memory_gb":141,
             "cpu_count":192,"ram_gb":1536,"price_per_gpu_hour":2.05,"country_code":"us"},
            {"gpu_model":"H200","gpu_count":8,"available_gpu_count":0,"min_rentable_gpu_count":8,"price_per_node_hour":8,"country_code":"FI"},
            {"gpu_model":"NVIDIA RTX 4090","gpu_count":1,"available_gpu_count":1,"price_per_gpu_hour":0},
            {"gpu_model":"A100","gpu_count":1,"available_gpu_count":1,"gpu_memory_gb":80,"cpu_count":24,"price_per_gpu_hour":1.5,"country_code":"US"},
            {"gpu_model":"A100","gpu_count":1,"gpu_memory_gb":40,"cpu_count":8,"price_per_gpu_hour":0.9,"country_code":"US"},
            {"gpu_count":8}]"#;
        let query = Query::everything(Counts {
            min: 1.0,
            max: None,
        });
        let (offers, dropped) = offers(&query, serde_json::from_str(rows).unwrap()).unwrap();
        let shown: Vec<_> = offers
            .iter()
            .flat_map(|offer| {
                offer.prices.iter().map(|price| {
                    (
                        &*offer.id,
                        price.per_hour,
                        price.region.as_deref(),
                        price.availability,
                    )
                })
            })
            .collect();
        let (free, rented) = (Availability::Available, Availability::Unavailable);
        assert_eq!(
            shown,
            [
                ("A100-40GB_1x", 0.9, Some("US"), Availability::Unknown),
                ("A100-80GB_1x", 1.5, Some("US"), free),
                ("H200_1x", 2.05, Some("US"), free),
                ("H200_2x", 4.1, Some("US"), free),
                ("H200_4x", 8.2, Some("US"), free),
                ("H200_6x", 2.05 * 6.0, Some("US"), free),
                ("H200_8x", 8.0, Some("FI"), rented),
            ]
        );
        assert_eq!(
            (offers[4].vcpu, offers[4].host_memory_gib),
            (Some(96.0), Some(768.0))
        );
        assert_eq!(dropped.rows(), 2);
    }

    #[test]
    fn many_countries_are_read_in_linear_time() {
        let node = |at: usize| {
            format!(
                r#"{{"gpu_model":"H200","gpu_count":1,"available_gpu_count":1,"price_per_gpu_hour":2,"country_code":"{at}"}}"#
            )
        };
        let rows: Vec<String> = (0..50_000).map(node).collect();
        let rows = format!("[{}]", rows.join(","));
        let query = Query::everything(Counts {
            min: 1.0,
            max: None,
        });
        let (offers, _) = offers(&query, serde_json::from_str(&rows).unwrap()).unwrap();
        assert_eq!((offers.len(), offers[0].regions.len()), (1, 50_000));
        assert_eq!(offers[0].prices.len(), 50_000);
    }
}
