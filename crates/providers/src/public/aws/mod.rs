//! Amazon EC2 without an account: the feeds behind its price pages.
//!
//! On-demand prices are one document for each region, spot prices and interruption rates one for
//! all. They name instance types and no GPUs, so only types of the catalog are read. None of them
//! tells stock.

pub(super) mod on_demand;
pub(super) mod spot;

use std::collections::{BTreeMap, HashMap};

use futures_util::future::{OptionFuture, join};
use sky_accel_core::catalog::CapacityType;

use super::{KEEP_PRICES, parts};
use crate::context::Context;
use crate::credentials::Environment;
use crate::error::ProviderError;
use crate::feed::Feed;
use crate::offer::{Interruptions, Listing, Offer, Price, Reading, Region, Tally};
use crate::query::{Interest, Query};

pub(super) const ID: &str = "aws";
const PAGES_URL: &str = "https://b0.p.awsstatic.com";
const SPOT_URL: &str = "https://website.spot.ec2.aws.a2z.com";
const ADVISOR_URL: &str = "https://spot-bid-advisor.s3.amazonaws.com";

/// The servers of the feeds.
pub(super) struct Hosts {
    pages: String,
    spot: String,
    advisor: String,
}

/// The contents of a feed.
struct Part {
    capacity: CapacityType,
    /// The prices in USD by region and instance type.
    prices: BTreeMap<String, RegionPrices>,
    /// The interruption rates by region and instance type.
    interruptions: Rates,
    dropped: Tally,
    problems: Vec<ProviderError>,
    remarks: Vec<String>,
    reading: Reading,
}

/// Interruption rates by region and instance type.
type Rates = HashMap<String, HashMap<String, String>>;

/// The prices of instance types in a region, and the date of their feed.
#[derive(Debug, PartialEq)]
struct RegionPrices {
    by_type: HashMap<String, f64>,
    date: i64,
}

impl Hosts {
    pub(super) fn from_environment(environment: &Environment<'_>) -> Result<Self, ProviderError> {
        Ok(Self {
            pages: environment.public_url(ID, PAGES_URL)?,
            spot: environment.public_url(ID, SPOT_URL)?,
            advisor: environment.public_url(ID, ADVISOR_URL)?,
        })
    }
}

impl Part {
    fn of(capacity: CapacityType) -> Self {
        Self {
            capacity,
            prices: BTreeMap::new(),
            interruptions: HashMap::new(),
            dropped: Tally::default(),
            problems: Vec::new(),
            remarks: Vec::new(),
            reading: Reading::default(),
        }
    }
}

fn feed(operation: &str, url: String) -> Feed<'_> {
    Feed {
        provider: ID,
        operation,
        url,
        question: None,
        keep: KEEP_PRICES,
    }
}

/// Whether anything is asked about an instance type.
fn is_wanted(query: &Query<'_>, id: &str) -> bool {
    (query.interest)(id, None) == Interest::Wanted
}

pub(super) async fn listing(
    hosts: &Hosts,
    query: &Query<'_>,
    context: &Context<'_>,
) -> Result<Listing, ProviderError> {
    // Nothing in the feeds is anything that the catalog does not know.
    let is_known = !query.ids.is_empty();
    let on_demand = OptionFuture::from(
        (is_known && query.on_demand).then(|| on_demand::read(hosts, query, context)),
    );
    let spot =
        OptionFuture::from((is_known && query.spot).then(|| spot::read(hosts, query, context)));
    let (on_demand, spot) = join(on_demand, spot).await;
    let lacks_on_demand = matches!(on_demand, Some(Err(_)));
    let (feeds, mut problems) = parts([on_demand, spot].into_iter().flatten().collect())?;
    let mut offers: BTreeMap<String, Offer> = BTreeMap::new();
    let mut dropped = Tally::default();
    let mut remarks = Vec::new();
    let mut reading = Reading::default();
    for part in feeds {
        add(&mut offers, &part);
        dropped.merge(part.dropped);
        problems.extend(part.problems);
        remarks.extend(part.remarks);
        reading.merge(part.reading);
    }
    let offers = offers.into_values().collect();
    Ok(Listing {
        remarks,
        lacks_on_demand,
        ..Listing::public(offers, dropped, problems, reading)
    })
}

/// Adds the prices of a feed to the offers of their types.
fn add(offers: &mut BTreeMap<String, Offer>, part: &Part) {
    for (region, prices) in &part.prices {
        for (id, usd) in &prices.by_type {
            let offer = offers.entry(id.clone()).or_insert_with(|| Offer {
                id: id.clone(),
                ..Offer::default()
            });
            if offer.regions.iter().all(|known| known.id != *region) {
                offer.regions.push(Region {
                    id: region.clone(),
                    country: None,
                });
            }
            offer.prices.push(Price {
                region: Some(region.clone()),
                as_of: prices.date,
                ..Price::new(part.capacity, *usd)
            });
            let rate = part.interruptions.get(region);
            if let Some(rate) = rate.and_then(|rates| rates.get(id)) {
                offer.interruptions.push(Interruptions {
                    region: region.clone(),
                    rate: rate.clone(),
                });
            }
        }
    }
}
