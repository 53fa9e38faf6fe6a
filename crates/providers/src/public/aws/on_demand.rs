//! On-demand prices: one document per region, at an address with the region's display name.

use std::collections::{BTreeMap, HashMap};

use futures_util::StreamExt as _;
use futures_util::stream::iter;
use serde::Deserialize;
use sky_accel_core::catalog::CapacityType;

use super::feeds::{FeedData, Hosts, ID, RegionPrices, feed, is_wanted};
use crate::clock::timestamp;
use crate::context::Context;
use crate::error::ProviderError;
use crate::feed::{Feed, join};
use crate::json::{Maybe, MaybeMap, MaybeObject, positive};
use crate::offer::{DroppedBecause, Tally};
use crate::public::shared::{CONCURRENT, check_readable, json, nothing_listed, parts};
use crate::query::Query;
use crate::reading::DocumentAge;

const LOCATIONS: &str = "/locations/1.0/aws/current/locations.json";
const PAGES: &str = "/pricing/2.0/meteredUnitMaps/ec2/USD/current/ec2-ondemand-without-sec-sel";
/// Every page is published again within days, even if its prices do not change.
const MOST_DAYS: i64 = 30;

#[derive(Default, Deserialize)]
#[serde(default)]
struct AwsLocation {
    code: Maybe<String>,
    #[serde(rename = "type")]
    kind: Maybe<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct PricePage {
    manifest: MaybeObject<PageManifest>,
    /// The rows by the name of the region, then by a key that repeats the fields of the row.
    regions: MaybeMap<MaybeMap<MaybeObject<PricedMachine>>>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct PageManifest {
    hawk_file_publication_date: Maybe<String>,
    currency_code: Maybe<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct PricedMachine {
    #[serde(rename = "Instance Type")]
    id: Maybe<String>,
    price: Maybe<f64>,
    #[serde(rename = "Operating System")]
    system: Maybe<String>,
}

/// The prices of a region, its dropped rows, and the age of the documents.
type RegionAnswer = (RegionPrices, Tally, DocumentAge);

pub(super) async fn read(
    hosts: &Hosts,
    query: &Query<'_>,
    context: &Context<'_>,
) -> Result<FeedData, ProviderError> {
    let mut part = FeedData::new(CapacityType::OnDemand);
    let locations = feed("listing regions", join(&hosts.pages, LOCATIONS));
    let mut reading = DocumentAge::default();
    let places = context.document(&locations, &mut reading, |document| {
        let places: MaybeMap<MaybeObject<AwsLocation>> = json(&locations, document)?;
        let places = places_of(query, places);
        if places.is_empty() {
            return Err(locations.unreadable("without any known region"));
        }
        Ok(places)
    });
    let places = places.await?;
    part.reading.merge(reading);
    let reads = places.iter().map(async |(code, names)| {
        let region = region(hosts, names, query, context).await?;
        Ok(region.map(|region| (code.clone(), region)))
    });
    let answers: Vec<_> = iter(reads).buffered(CONCURRENT).collect().await;
    let (regions, problems) = parts(answers)?;
    part.problems = one_of(problems);
    for (code, (prices, dropped, reading)) in regions.into_iter().flatten() {
        part.prices.insert(code, prices);
        part.dropped.merge(dropped);
        part.reading.merge(reading);
    }
    if part.prices.is_empty() {
        let failed = part.problems.into_iter().next();
        return Err(failed.unwrap_or_else(|| locations.unreadable("without prices of any region")));
    }
    Ok(part)
}

/// Returns the display names of the requested regions by region code. A region may have had several
/// names.
fn places_of(
    query: &Query<'_>,
    places: MaybeMap<MaybeObject<AwsLocation>>,
) -> BTreeMap<String, Vec<String>> {
    let mut regions: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, row) in places.0.unwrap_or_default() {
        let row = row.0.unwrap_or_default();
        let Some(code) = row.code.0 else { continue };
        let is_region = row.kind.0.is_none_or(|kind| kind == "AWS Region");
        let is_known = query.regions.contains(&code);
        let is_meant = query
            .places
            .is_none_or(|places| places.include(&code, None));
        if is_region && is_known && is_meant {
            regions.entry(code).or_default().push(name);
        }
    }
    for names in regions.values_mut() {
        names.sort_unstable();
    }
    regions
}

/// Merges equal errors of several regions.
fn one_of(mut problems: Vec<ProviderError>) -> Vec<ProviderError> {
    let others = problems.len().saturating_sub(1);
    problems.truncate(1);
    if others > 0
        && let Some(first) = problems.first_mut()
    {
        first.message = format!("{} (and {others} more regions)", first.message);
    }
    problems
}

/// Reads the prices of a region; `None` if no page exists under any of its names.
async fn region(
    hosts: &Hosts,
    names: &[String],
    query: &Query<'_>,
    context: &Context<'_>,
) -> Result<Option<RegionAnswer>, ProviderError> {
    for name in names {
        match page(hosts, name, query, context).await {
            Err(error) if error.is_absent => {}
            answer => return answer.map(Some),
        }
    }
    Ok(None)
}

/// Reads the prices on the page of a region.
async fn page(
    hosts: &Hosts,
    place: &str,
    query: &Query<'_>,
    context: &Context<'_>,
) -> Result<RegionAnswer, ProviderError> {
    let operation = format!("listing prices in {place}");
    let url = join(&hosts.pages, PAGES);
    let feed = feed(&operation, address(url, place));
    let mut reading = DocumentAge::default();
    let read = context.document(&feed, &mut reading, |document| {
        let page: PricePage = json(&feed, document)?;
        let manifest = page.manifest.0.unwrap_or_default();
        let published = manifest.hawk_file_publication_date.0;
        let published = published.as_deref().and_then(timestamp);
        let stated = published.or(document.modified);
        let date = document.date(ID, &operation, stated, MOST_DAYS)?;
        if manifest.currency_code.0.is_some_and(|code| code != "USD") {
            return Err(feed.unreadable("in another currency"));
        }
        let regions = page.regions.0.unwrap_or_default();
        let rows = regions.into_values().filter_map(|rows| rows.0);
        let rows = rows.flat_map(HashMap::into_values).collect();
        let (by_type, dropped) = prices(&feed, query, rows)?;
        Ok((RegionPrices { by_type, date }, dropped))
    });
    let (prices, dropped) = read.await?;
    Ok((prices, dropped, reading))
}

/// Returns the address of a page. Names of regions have spaces and parentheses.
fn address(base: String, place: &str) -> String {
    let Ok(mut url) = url::Url::parse(&base) else {
        return base;
    };
    if let Ok(mut path) = url.path_segments_mut() {
        path.extend([place, "Linux", "index.json"]);
    }
    url.into()
}

/// Returns the prices of requested types on a page; zero for a type that is listed without a price.
fn prices(
    feed: &Feed<'_>,
    query: &Query<'_>,
    rows: Vec<MaybeObject<PricedMachine>>,
) -> Result<(HashMap<String, f64>, Tally), ProviderError> {
    if rows.is_empty() {
        return Err(nothing_listed(feed));
    }
    let listed = rows.len();
    let mut dropped = Tally::default();
    let mut by_type: HashMap<String, f64> = HashMap::new();
    for row in rows {
        let row = row.0.unwrap_or_default();
        let (Some(id), Some(usd)) = (row.id.0, row.price.0) else {
            dropped.add(DroppedBecause::Unreadable);
            continue;
        };
        let is_linux = row.system.0.is_none_or(|system| system == "Linux");
        if !is_linux || !is_wanted(query, &id) {
            dropped.add(DroppedBecause::NotRequested);
            continue;
        }
        let usd = positive(Maybe(Some(usd))).unwrap_or_default();
        if usd == 0.0 {
            dropped.add(DroppedBecause::NoPrice);
        }
        let lowest = by_type.entry(id).or_insert(usd);
        if *lowest == 0.0 || usd > 0.0 && usd < *lowest {
            *lowest = usd;
        }
    }
    check_readable(ID, listed, &dropped)?;
    Ok((by_type, dropped))
}

/// Parses a body as the list of regions and as a page of prices.
pub(crate) fn parse(query: &Query<'_>, body: &[u8]) {
    let places = serde_json::from_slice::<MaybeMap<MaybeObject<AwsLocation>>>(body);
    let _ = places.map(|places| places_of(query, places));
    let page = serde_json::from_slice::<PricePage>(body).unwrap_or_default();
    let regions = page.regions.0.unwrap_or_default();
    let rows = regions.into_values().filter_map(|rows| rows.0);
    let rows = rows.flat_map(HashMap::into_values).collect();
    let _ = prices(&feed("parsing", String::new()), query, rows);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Counts;

    #[test]
    fn page_addresses_have_encoded_region_names() {
        let base = join("https://b0.p.awsstatic.com", PAGES);
        assert_eq!(
            address(base, "US East (N. Virginia)"),
            "https://b0.p.awsstatic.com/pricing/2.0/meteredUnitMaps/ec2/USD/current/ec2-ondemand-without-sec-sel/US%20East%20(N.%20Virginia)/Linux/index.json"
        );
    }

    #[test]
    fn reads_prices_by_type() {
        let rows = r#"[{"Instance Type":"p5.48xlarge","price":"55.0400000000","Operating System":"Linux"},
            {"Instance Type":"p5.48xlarge","price":"99","Operating System":"Windows"},
            {"Instance Type":"p4d.24xlarge","price":"0.0000000000"},{"price":"1"}]"#;
        let query = Query::everything(Counts {
            min: 1.0,
            max: None,
        });
        let feed = feed("testing", String::new());
        let rows = serde_json::from_str(rows).unwrap();
        let (prices, dropped) = prices(&feed, &query, rows).unwrap();
        // A price of zero means that the type is listed without a price.
        let listed = [("p5.48xlarge", 55.04), ("p4d.24xlarge", 0.0)];
        let listed = listed.map(|(id, usd)| (id.to_owned(), usd));
        assert_eq!(prices, HashMap::from(listed));
        // The price with Windows is not requested.
        assert_eq!(dropped.rows(), 3);
        assert_eq!(dropped.because(DroppedBecause::NotRequested), 1);
        assert!(super::prices(&feed, &query, Vec::new()).is_err());
    }

    #[test]
    fn merges_equal_errors_of_regions() {
        let error = |text: &str| ProviderError::new(ID, crate::ErrorKind::Server, text);
        let one = one_of(vec![
            error("HTTP 500"),
            error("HTTP 500"),
            error("HTTP 500"),
        ]);
        assert_eq!(one.len(), 1);
        assert_eq!(one[0].message, "HTTP 500 (and 2 more regions)");
        assert!(one_of(Vec::new()).is_empty());
    }
}
