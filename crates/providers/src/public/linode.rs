//! Akamai Cloud (Linode): types with prices by region, and the regions where each is available.

use std::collections::{HashMap, HashSet};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use sky_accel_core::catalog::{Availability, CapacityType};

use super::shared::{
    KEEP_STOCK, MAX_PAGES, check_machines, check_readable, cut, json, nothing_listed,
};
use crate::api::{ListingFuture, ProviderApi, ProviderCall};
use crate::context::Context;
use crate::error::ProviderError;
use crate::feed::{Feed, join};
use crate::json::{Maybe, MaybeList, MaybeObject, positive};
use crate::listing::Listing;
use crate::offer::{DroppedBecause, Hardware, Offer, Price, Region, Tally};
use crate::query::{Interest, Query};
use crate::reading::DocumentAge;

const ID: &str = "linode";

/// Akamai Cloud (Linode).
pub(crate) const API: ProviderApi = ProviderApi {
    published: "prices, and stock by region",
    ..ProviderApi::new(ID, &["https://api.linode.com"], query)
};

/// The number of rows per page; the API allows 500.
const PER_PAGE: usize = 500;
const MIB_PER_GIB: f64 = 1024.0;

#[derive(Deserialize)]
#[serde(bound(deserialize = "T: Deserialize<'de>"))]
struct LinodePage<T> {
    #[serde(default)]
    data: MaybeList<MaybeObject<T>>,
    #[serde(default)]
    pages: Maybe<f64>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct TypeRow {
    id: Maybe<String>,
    label: Maybe<String>,
    class: Maybe<String>,
    gpus: Maybe<f64>,
    vcpus: Maybe<f64>,
    /// In MB.
    memory: Maybe<f64>,
    price: MaybeObject<RegionAmount>,
    region_prices: MaybeList<MaybeObject<RegionAmount>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct RegionAmount {
    id: Maybe<String>,
    hourly: Maybe<f64>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct StockRow {
    region: Maybe<String>,
    plan: Maybe<String>,
    available: Maybe<bool>,
}

/// The regions that sell each type, and whether it is available there.
type RegionsByType = HashMap<String, Vec<(String, bool)>>;

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
    let types_url = join(base_url, &format!("/v4/linode/types?page_size={PER_PAGE}"));
    let stock_url = join(
        base_url,
        &format!("/v4/regions/availability?page_size={PER_PAGE}"),
    );
    let (types, stock) = futures_util::future::join(
        rows::<TypeRow>("listing types", types_url, context),
        rows::<StockRow>("requesting stock", stock_url, context),
    )
    .await;
    let (types, mut reading) = types?;
    let stock = match stock {
        Ok((rows, read)) => {
            reading.merge(read);
            by_type(rows)
        }
        Err(error) => Err(error),
    };
    let (stock, problems) = match stock {
        Ok(stock) => (Some(stock), Vec::new()),
        Err(error) => (None, vec![error]),
    };
    let (offers, dropped) = offers(query, types, stock.as_ref())?;
    Ok(Listing::public(offers, dropped, problems, reading))
}

/// Reads the rows of all pages of a list.
async fn rows<T: DeserializeOwned>(
    operation: &'static str,
    first: String,
    context: &Context<'_>,
) -> Result<(Vec<MaybeObject<T>>, DocumentAge), ProviderError> {
    let mut reading = DocumentAge::default();
    let mut rows = Vec::new();
    for number in 1..=MAX_PAGES {
        let feed = Feed {
            provider: ID,
            operation,
            url: format!("{first}&page={number}"),
            question: None,
            keep: KEEP_STOCK,
        };
        let page = context.document(&feed, &mut reading, |document| {
            let mut page: LinodePage<T> = json(&feed, document)?;
            let page_rows = page.data.0.take();
            let page_rows = page_rows.ok_or_else(|| feed.unreadable("without a list"))?;
            if page_rows.is_empty() && number == 1 {
                return Err(nothing_listed(&feed));
            }
            Ok((page, page_rows))
        });
        let (page, page_rows) = page.await?;
        rows.extend(page_rows);
        if page.pages.0.is_none_or(|pages| number as f64 >= pages) {
            return Ok((rows, reading));
        }
    }
    Err(cut(&Feed {
        provider: ID,
        operation,
        url: first,
        question: None,
        keep: KEEP_STOCK,
    }))
}

/// Returns the regions that sell each type. A list without a readable row is an error.
fn by_type(rows: Vec<MaybeObject<StockRow>>) -> Result<RegionsByType, ProviderError> {
    let listed = rows.len();
    let mut stock = RegionsByType::new();
    for row in rows.into_iter().filter_map(|row| row.0) {
        let (Some(region), Some(plan), Some(is_available)) =
            (row.region.0, row.plan.0, row.available.0)
        else {
            continue;
        };
        stock.entry(plan).or_default().push((region, is_available));
    }
    if stock.is_empty() {
        return Err(ProviderError::unreadable(ID, listed));
    }
    Ok(stock)
}

/// Returns the name of the GPU in a label such as `RTX4000 Ada x1 Small`.
fn described(label: &str) -> Option<String> {
    let words: Vec<&str> = label.split(' ').collect();
    let count = words.iter().position(|word| {
        let digits = word.strip_prefix('x').unwrap_or_default();
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    })?;
    Some(words[..count].join(" "))
}

/// Returns an offer for each type with GPUs.
fn offers(
    query: &Query<'_>,
    rows: Vec<MaybeObject<TypeRow>>,
    stock: Option<&RegionsByType>,
) -> Result<(Vec<Offer>, Tally), ProviderError> {
    let listed = rows.len();
    let mut dropped = Tally::default();
    let mut machines = 0;
    let mut seen = HashSet::new();
    let mut offers = Vec::new();
    for row in rows {
        let row = row.0.unwrap_or_default();
        let (Some(id), Some(gpus), Some(class)) = (row.id.0, row.gpus.0, row.class.0) else {
            dropped.add(DroppedBecause::Unreadable);
            continue;
        };
        // Video cards are accelerators too, but are not counted as GPUs.
        let is_machine = class == "gpu" && gpus >= 1.0 || class == "accelerated";
        if !is_machine {
            continue;
        }
        machines += 1;
        // A type that is listed many times would multiply the regions that sell it.
        if !seen.insert(id.clone()) {
            dropped.add(DroppedBecause::Repeated);
            continue;
        }
        let count = (gpus >= 1.0).then_some(gpus);
        let hardware = row.label.0.as_deref().and_then(described);
        let hardware = hardware.map(|name| Hardware {
            name,
            ..Hardware::default()
        });
        if (query.interest)(&id, hardware.as_ref()) == Interest::NotRequested {
            dropped.add_unrequested(hardware.as_ref());
            continue;
        }
        let everywhere = row.price.0.and_then(|price| positive(price.hourly));
        let by_region: HashMap<String, f64> = row
            .region_prices
            .items()
            .into_iter()
            .filter_map(|row| {
                let row = row.0?;
                Some((row.id.0?, positive(row.hourly)?))
            })
            .collect();
        let places = stock.map(|stock| stock.get(&id).map(Vec::as_slice).unwrap_or_default());
        let prices = prices(query, everywhere, &by_region, places);
        if everywhere.is_none() && by_region.is_empty() {
            dropped.add(DroppedBecause::NoPrice);
        }
        let sold_in = prices.iter().filter_map(|price| price.region.clone());
        offers.push(Offer {
            id,
            hardware,
            count,
            vcpu: positive(row.vcpus),
            host_memory_gib: positive(row.memory).map(|mib| mib / MIB_PER_GIB),
            regions: sold_in.map(|id| Region { id, country: None }).collect(),
            prices,
            ..Offer::default()
        });
    }
    check_readable(ID, listed, &dropped)?;
    check_machines(ID, listed, machines)?;
    Ok((offers, dropped))
}

/// Returns the price in each region that sells the type, or one price if the regions are unknown.
fn prices(
    query: &Query<'_>,
    everywhere: Option<f64>,
    by_region: &HashMap<String, f64>,
    places: Option<&[(String, bool)]>,
) -> Vec<Price> {
    let price = |amount| Price::new(CapacityType::OnDemand, amount);
    let Some(places) = places.filter(|places| !places.is_empty()) else {
        // A type without regions exists but is not available.
        let availability = match places {
            Some(_) => Availability::Unavailable,
            None => Availability::Unknown,
        };
        let one = everywhere.map(|amount| Price {
            availability,
            ..price(amount)
        });
        return one.into_iter().collect();
    };
    let is_meant = |(region, _): &&(String, bool)| {
        query
            .places
            .is_none_or(|places| places.include(region, None))
    };
    let priced = places
        .iter()
        .filter(is_meant)
        .filter_map(|(region, is_available)| {
            let amount = by_region.get(region).copied().or(everywhere)?;
            Some(Price {
                region: Some(region.clone()),
                availability: if *is_available {
                    Availability::Available
                } else {
                    Availability::Unavailable
                },
                ..price(amount)
            })
        });
    priced.collect()
}

/// Parses a body as each of the two answers.
pub(crate) fn parse(query: &Query<'_>, body: &[u8]) {
    let stock = serde_json::from_slice::<LinodePage<StockRow>>(body).ok();
    let stock = stock.and_then(|page| by_type(page.data.items()).ok());
    if let Ok(page) = serde_json::from_slice::<LinodePage<TypeRow>>(body) {
        let _ = offers(query, page.data.items(), stock.as_ref());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Counts;

    #[test]
    fn reads_the_gpu_from_labels() {
        assert_eq!(
            described("RTX4000 Ada x1 Small").as_deref(),
            Some("RTX4000 Ada")
        );
        assert_eq!(
            described("RTX PRO 6000 Blackwell x4").as_deref(),
            Some("RTX PRO 6000 Blackwell")
        );
        assert_eq!(described("Dedicated 8GB"), None);
        assert_eq!(described("xlarge x"), None);
    }

    #[test]
    fn lists_prices_of_the_regions_that_sell_a_type() {
        let rows = r#"[{"id":"g2-gpu-rtx4000a1-s","label":"RTX4000 Ada x1 Small","class":"gpu","gpus":1,"vcpus":4,
            "memory":16384,"price":{"hourly":0.52},"region_prices":[{"id":"id-cgk","hourly":0.62}]},
            {"id":"g6-nanode-1","label":"Nanode","class":"nanode","gpus":0,"price":{"hourly":0.0075}}]"#;
        let stock = r#"[{"region":"us-ord","plan":"g2-gpu-rtx4000a1-s","available":true},
            {"region":"id-cgk","plan":"g2-gpu-rtx4000a1-s","available":false},{"region":3}]"#;
        let query = Query::everything(Counts {
            min: 1.0,
            max: None,
        });
        let stock = by_type(serde_json::from_str(stock).unwrap()).unwrap();
        let shown = |stock: Option<&RegionsByType>| -> Vec<_> {
            let (offers, _) = offers(&query, serde_json::from_str(rows).unwrap(), stock).unwrap();
            let prices = offers.into_iter().flat_map(|offer| offer.prices);
            prices
                .map(|price| (price.region, price.per_hour, price.availability))
                .collect()
        };
        assert_eq!(
            shown(Some(&stock)),
            [
                (Some("us-ord".to_owned()), 0.52, Availability::Available),
                (Some("id-cgk".to_owned()), 0.62, Availability::Unavailable),
            ]
        );
        assert_eq!(shown(None), [(None, 0.52, Availability::Unknown)]);
        let unreadable = r#"[{"region":"us-ord","plan":"x","available":"yes"}]"#;
        assert!(by_type(serde_json::from_str(unreadable).unwrap()).is_err());
        assert_eq!(
            shown(Some(&RegionsByType::new())),
            [(None, 0.52, Availability::Unavailable)]
        );
    }

    #[test]
    fn repeated_types_do_not_multiply_their_regions() {
        let row = r#"{"id":"g","label":"X x1","class":"gpu","gpus":1,"price":{"hourly":0.52}}"#;
        let rows = format!("[{}]", vec![row; 1000].join(","));
        let stock = (0..1000).map(|at| (format!("r{at}"), true)).collect();
        let stock = RegionsByType::from([("g".to_owned(), stock)]);
        let query = Query::everything(Counts {
            min: 1.0,
            max: None,
        });
        let rows = serde_json::from_str(&rows).unwrap();
        let (offers, dropped) = offers(&query, rows, Some(&stock)).unwrap();
        assert_eq!((offers.len(), offers[0].prices.len()), (1, 1000));
        assert_eq!(dropped.because(DroppedBecause::Repeated), 999);
    }
}
