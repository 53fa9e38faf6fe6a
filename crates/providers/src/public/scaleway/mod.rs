//! Scaleway: types of each zone with prices in euros, and their stock; with a key the quotas of an organization.

mod quotas;

use std::collections::{BTreeMap, HashMap};

use futures_util::StreamExt as _;
use futures_util::stream::iter;
use serde::Deserialize;
use serde::de::DeserializeOwned;
use sky_accel_core::catalog::{Availability, CapacityType};
use sky_accel_core::sizing::GIB;

use super::account::with_account;
use super::shared::{
    CONCURRENT, KEEP_STOCK, MAX_PAGES, check_machines, check_readable, cut, json, nothing_listed,
    parts,
};
use crate::api::{ListingFuture, ProviderApi, ProviderCall};
use crate::bearer::KeyHeader;
use crate::client::ApiClient;
use crate::context::Context;
use crate::credentials::{Environment, yaml_value};
use crate::error::ProviderError;
use crate::feed::{Feed, join};
use crate::json::{Maybe, MaybeMap, MaybeObject, positive};
use crate::listing::Listing;
use crate::offer::{DroppedBecause, Hardware, Offer, Price, Region, Tally};
use crate::query::{Interest, Query};
use crate::raise::RaiseHelp;
use crate::reading::DocumentAge;

use quotas::ID;

const ORGANIZATION_VARIABLE: &str = "SCW_DEFAULT_ORGANIZATION_ID";

/// Scaleway.
pub(crate) const API: ProviderApi = ProviderApi {
    published: "prices in euros, and stock by region",
    unpublished: "the quotas of an organization, which need an API key",
    secret_variables: &["SCW_SECRET_KEY"],
    account_variables: &[ORGANIZATION_VARIABLE],
    key_files: &["~/.config/scw/config.yaml"],
    key_hint: "run `scw init`, or create a key at IAM > API keys in the Scaleway console",
    key_rights: "reading the quotas of the organization",
    raise: Some(RaiseHelp::UNKNOWN),
    ..ProviderApi::new(ID, &["https://api.scaleway.com"], query)
};

/// The maximum number of zones of a region: `fr-par-1` to `fr-par-3`.
const ZONES: u32 = 3;
/// The number of types per page.
const PER_PAGE: usize = 100;
const CURRENCY: &str = "EUR";

/// A page of a list, keyed by the names of types.
#[derive(Deserialize)]
#[serde(bound(deserialize = "T: Deserialize<'de>"))]
struct ScalewayPage<T> {
    #[serde(default)]
    servers: MaybeMap<MaybeObject<T>>,
}

#[derive(Clone, Default, Deserialize)]
#[serde(default)]
struct ScalewayType {
    gpu: Maybe<f64>,
    ncpus: Maybe<f64>,
    /// In bytes.
    ram: Maybe<f64>,
    hourly_price: Maybe<f64>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ScalewayStock {
    availability: Maybe<String>,
}

/// The offers of a zone.
struct ZoneOffers {
    region: String,
    products: HashMap<String, MaybeObject<ScalewayType>>,
    stock: HashMap<String, MaybeObject<ScalewayStock>>,
    problems: Vec<ProviderError>,
    reading: DocumentAge,
}

fn query(call: ProviderCall<'_>) -> ListingFuture<'_> {
    Box::pin(async move {
        let (query, context) = (call.query, call.context);
        let base_url = API.base_url(call.environment)?;
        let client = ApiClient::with_key(&API, &call, |environment| {
            in_file("secret_key", environment)
        })?;
        let client = client.map(|client| client.with_key_in(KeyHeader::Plain("x-auth-token")));
        let organization = organization(call.environment);
        if let (Some(client), Some(organization)) = (&client, &organization)
            && query.checks_credentials(context.cache.mode)
        {
            quotas::check(client, organization, context).await?;
            return Ok(Listing::accepted());
        }
        let mut listing = listing(&base_url, query, context).await.map_err(|error| {
            if client.is_some() {
                error
            } else {
                error.keyless()
            }
        })?;
        let Some(client) = client.filter(|_| query.quota.is_some()) else {
            return Ok(listing);
        };
        let Some(organization) = organization else {
            listing.remarks.push(format!(
                "quotas need an organization: set {ORGANIZATION_VARIABLE}, or `default_organization_id` in {}",
                API.key_files[0]
            ));
            return Ok(listing);
        };
        let answer = quotas::answer(&client, &organization, &listing.offers, context).await;
        Ok(with_account(query, listing, answer))
    })
}

/// Returns a value of the default profile in the configuration file of Scaleway's tools.
fn in_file(name: &str, environment: &Environment<'_>) -> Option<String> {
    let text = API.key_file_texts(environment).next()?;
    yaml_value(&text, name)
}

/// Returns the id of the organization, which becomes a part of addresses.
fn organization(environment: &Environment<'_>) -> Option<String> {
    let variable = environment.get(ORGANIZATION_VARIABLE);
    let id = variable.or_else(|| in_file("default_organization_id", environment))?;
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    let id = id.trim();
    (!id.is_empty() && id.bytes().all(is_part)).then(|| id.to_owned())
}

async fn listing(
    base_url: &str,
    query: &Query<'_>,
    context: &Context<'_>,
) -> Result<Listing, ProviderError> {
    let is_meant = |region: &&String| {
        query
            .places
            .is_none_or(|places| places.include(region, None))
    };
    let regions = query.regions.iter().filter(is_meant);
    let reads = regions.flat_map(|region| (1..=ZONES).map(move |zone| (region, zone)));
    let reads = reads.map(|(region, zone)| read_zone(base_url, region, zone, context));
    let answers: Vec<_> = iter(reads).buffered(CONCURRENT).collect().await;
    let is_asked = !answers.is_empty();
    let (zones, mut problems) = parts(answers)?;
    let mut zones: Vec<ZoneOffers> = zones.into_iter().flatten().collect();
    if zones.is_empty() && is_asked {
        let failed = problems.into_iter().next();
        return Err(failed.unwrap_or_else(|| nothing_listed(&feed(String::new()))));
    }
    let mut reading = DocumentAge::default();
    for zone in &mut zones {
        problems.append(&mut zone.problems);
        reading.merge(zone.reading);
    }
    let (offers, dropped) = offers(query, &zones)?;
    Ok(Listing::public(offers, dropped, problems, reading))
}

fn feed(url: String) -> Feed<'static> {
    Feed {
        provider: ID,
        operation: "listing instance types",
        url,
        question: None,
        keep: KEEP_STOCK,
    }
}

/// Reads the offers of a zone; `None` if the zone does not exist.
async fn read_zone(
    base_url: &str,
    region: &str,
    number: u32,
    context: &Context<'_>,
) -> Result<Option<ZoneOffers>, ProviderError> {
    let path = format!("/instance/v1/zones/{region}-{number}/products/servers");
    let types_url = join(base_url, &path);
    let stock_url = format!("{types_url}/availability");
    let (types, stock) = futures_util::future::join(
        every_page("listing instance types", &types_url, context),
        every_page("requesting stock", &stock_url, context),
    )
    .await;
    let (products, mut reading) = match types {
        Ok(found) => found,
        Err(error) if error.is_absent => return Ok(None),
        Err(error) => return Err(error),
    };
    let (stock, problems) = match stock {
        Ok((stock, read)) => {
            reading.merge(read);
            (stock, Vec::new())
        }
        Err(error) => (HashMap::new(), vec![error]),
    };
    Ok(Some(ZoneOffers {
        region: region.to_owned(),
        products,
        stock,
        problems,
        reading,
    }))
}

/// Reads the rows of all pages, keyed by the names of types. The page after the last one is empty;
/// a server that ignores the page number repeats a page.
async fn every_page<T: DeserializeOwned>(
    operation: &'static str,
    url: &str,
    context: &Context<'_>,
) -> Result<(HashMap<String, MaybeObject<T>>, DocumentAge), ProviderError> {
    let mut rows: HashMap<String, MaybeObject<T>> = HashMap::new();
    let mut reading = DocumentAge::default();
    for page in 1..=MAX_PAGES {
        let feed = Feed {
            operation,
            ..feed(format!("{url}?per_page={PER_PAGE}&page={page}"))
        };
        let page_rows = context.document(&feed, &mut reading, |document| {
            let list: ScalewayPage<T> = json(&feed, document)?;
            let page_rows = list.servers.0;
            let page_rows = page_rows.ok_or_else(|| feed.unreadable("without a list of types"))?;
            if page_rows.is_empty() && page == 1 {
                return Err(nothing_listed(&feed));
            }
            Ok(page_rows)
        });
        let count_before = rows.len();
        rows.extend(page_rows.await?);
        if rows.len() == count_before {
            return Ok((rows, reading));
        }
    }
    Err(cut(&feed(url.to_owned())))
}

/// Returns the name of the GPU and its memory in GB from the name of a type such as
/// `H100-SXM-2-80G`.
fn hardware_in_name(id: &str) -> Option<Hardware> {
    let (rest, memory) = id.rsplit_once('-')?;
    let (name, count) = rest.rsplit_once('-')?;
    let memory: f64 = memory.strip_suffix('G')?.parse().ok()?;
    count.parse::<u32>().ok()?;
    Some(Hardware {
        name: name.replace('-', " "),
        memory_gb: Some(memory),
        ..Hardware::default()
    })
}

fn offers(query: &Query<'_>, zones: &[ZoneOffers]) -> Result<(Vec<Offer>, Tally), ProviderError> {
    let mut dropped = Tally::default();
    let mut offers: BTreeMap<&str, Offer> = BTreeMap::new();
    let (mut listed, mut machines) = (0, 0);
    let mut rows: Vec<(&ZoneOffers, &String, &MaybeObject<ScalewayType>)> = zones
        .iter()
        .flat_map(|zone| zone.products.iter().map(move |(id, row)| (zone, id, row)))
        .collect();
    rows.sort_by_key(|(zone, id, _)| (&zone.region, *id));
    for (zone, id, row) in rows {
        listed += 1;
        let gpus = row.0.as_ref().and_then(|row| Some((row, row.gpu.0?)));
        let Some((row, count)) = gpus.filter(|(row, _)| row.hourly_price.0.is_some()) else {
            dropped.add(DroppedBecause::Unreadable);
            continue;
        };
        if count < 1.0 {
            continue;
        }
        machines += 1;
        let hardware = hardware_in_name(id);
        if (query.interest)(id, hardware.as_ref()) == Interest::NotRequested {
            dropped.add_unrequested(hardware.as_ref());
            continue;
        }
        let amount = positive(row.hourly_price);
        if amount.is_none() {
            dropped.add(DroppedBecause::NoPrice);
        }
        let offer = offers.entry(id).or_insert_with(|| Offer {
            id: id.clone(),
            hardware,
            count: Some(count),
            vcpu: positive(row.ncpus),
            host_memory_gib: positive(row.ram).map(|bytes| bytes / GIB),
            ..Offer::default()
        });
        let stock = zone.stock.get(id).and_then(|row| row.0.as_ref());
        let stock = availability(stock.and_then(|stock| stock.availability.0.as_deref()));
        if let Some(amount) = amount {
            add(offer, zone, amount, stock);
        }
    }
    check_readable(ID, listed, &dropped)?;
    check_machines(ID, listed, machines)?;
    Ok((offers.into_values().collect(), dropped))
}

/// Adds the price in a zone. A region has one price, the lowest, and the stock of its best zone.
fn add(offer: &mut Offer, zone: &ZoneOffers, amount: f64, availability: Availability) {
    let of_region = |price: &&mut Price| price.region.as_deref() == Some(&zone.region);
    if let Some(price) = offer.prices.iter_mut().find(of_region) {
        price.per_hour = price.per_hour.min(amount);
        if rank(availability) < rank(price.availability) {
            price.availability = availability;
        }
        return;
    }
    offer.regions.push(Region {
        id: zone.region.clone(),
        country: None,
    });
    offer.prices.push(Price {
        currency: Some(CURRENCY.to_owned()),
        region: Some(zone.region.clone()),
        availability,
        ..Price::new(CapacityType::OnDemand, amount)
    });
}

fn availability(word: Option<&str>) -> Availability {
    match word {
        Some("available") => Availability::Available,
        Some("scarce") => Availability::Limited,
        Some("shortage") => Availability::Unavailable,
        _ => Availability::Unknown,
    }
}

/// Orders stock from the best to the worst.
fn rank(availability: Availability) -> u8 {
    match availability {
        Availability::Available => 0,
        Availability::Limited => 1,
        Availability::Unknown => 2,
        Availability::Unavailable => 3,
    }
}

/// Parses a body as each of the three answers.
pub(crate) fn parse(query: &Query<'_>, body: &[u8]) {
    quotas::parse(body);
    let types = serde_json::from_slice::<ScalewayPage<ScalewayType>>(body).ok();
    let stock = serde_json::from_slice::<ScalewayPage<ScalewayStock>>(body).ok();
    let zone = ZoneOffers {
        region: "fr-par".to_owned(),
        products: types.and_then(|page| page.servers.0).unwrap_or_default(),
        stock: stock.and_then(|page| page.servers.0).unwrap_or_default(),
        problems: Vec::new(),
        reading: DocumentAge::default(),
    };
    let _ = offers(query, &[zone]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Counts;

    fn zone(region: &str, products: &str, stock: &str) -> ZoneOffers {
        ZoneOffers {
            region: region.to_owned(),
            products: serde_json::from_str(products).unwrap(),
            stock: serde_json::from_str(stock).unwrap(),
            problems: Vec::new(),
            reading: DocumentAge::default(),
        }
    }

    fn everything() -> Query<'static> {
        Query::everything(Counts {
            min: 1.0,
            max: None,
        })
    }

    #[test]
    fn reads_the_gpu_from_names_of_types() {
        let named = |id| hardware_in_name(id).map(|hardware| (hardware.name, hardware.memory_gb));
        assert_eq!(
            named("H100-SXM-2-80G"),
            Some(("H100 SXM".to_owned(), Some(80.0)))
        );
        assert_eq!(named("L4-1-24G"), Some(("L4".to_owned(), Some(24.0))));
        assert_eq!(named("RENDER-S"), None);
        assert_eq!(named("GPU-3070-S"), None);
    }

    #[test]
    fn unknown_stock_is_better_than_none() {
        let best_to_worst = ["available", "scarce", "new word", "shortage"];
        let ranks = best_to_worst.map(|word| rank(availability(Some(word))));
        assert!(
            ranks.is_sorted_by(|better, worse| better < worse),
            "{ranks:?}"
        );
    }

    #[test]
    fn a_region_has_the_lowest_price_and_best_stock_of_its_zones() {
        let types = |euros: f64| {
            format!(
                r#"{{"L4-1-24G":{{"gpu":1,"ncpus":8,"ram":51539607552,"hourly_price":{euros}}},"DEV1-S":{{"gpu":0,"hourly_price":0.01}}}}"#
            )
        };
        let zones = [
            zone(
                "fr-par",
                &types(0.8),
                r#"{"L4-1-24G":{"availability":"shortage"}}"#,
            ),
            zone(
                "fr-par",
                &types(0.75),
                r#"{"L4-1-24G":{"availability":"scarce"}}"#,
            ),
            zone("pl-waw", &types(0.8), "{}"),
        ];
        let (offers, _) = offers(&everything(), &zones).unwrap();
        let [l4] = &offers[..] else {
            panic!("{offers:?}")
        };
        assert_eq!((l4.vcpu, l4.host_memory_gib), (Some(8.0), Some(48.0)));
        let prices: Vec<_> = l4
            .prices
            .iter()
            .map(|price| {
                (
                    price.region.as_deref().unwrap(),
                    price.per_hour,
                    price.availability,
                )
            })
            .collect();
        assert_eq!(
            prices,
            [
                ("fr-par", 0.75, Availability::Limited),
                ("pl-waw", 0.8, Availability::Unknown)
            ]
        );
        assert_eq!(l4.prices[0].currency.as_deref(), Some("EUR"));
    }

    #[test]
    fn types_without_a_readable_row_are_a_failure() {
        let zones = [zone("fr-par", r#"{"L4-1-24G":{"gpu":"one"},"X":3}"#, "{}")];
        assert!(offers(&everything(), &zones).is_err());
    }
}
