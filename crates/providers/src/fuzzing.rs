//! Entry points for fuzzing the parsers of untrusted answers.

use serde_json::Value;
use sky_accel_core::catalog::CapacityType;

use crate::aggregator::Aggregator;
use crate::offer::Offer;
use crate::query::{Counts, Query};
use crate::token_feed::{self, TokenFeed};
use crate::{
    aggregator, cache, crusoe, digitalocean, feed, gcp, hyperstack, jarvislabs, lambda, latitude,
    mithril, nebius, primeintellect, public, runpod, sfcompute, vastai, verda,
};

/// The number of devices that a machine may have.
const COUNTS: Counts = Counts {
    min: 0.5,
    max: Some(16.0),
};

/// Declares an entry point for the answers of each provider.
macro_rules! answers {
    ($($(#[$doc:meta])* $name:ident => $parse:path;)*) => {$(
        $(#[$doc])*
        pub fn $name(body: &[u8]) {
            $parse(&Query::everything(COUNTS), body);
        }
    )*};
}

answers! {
    /// Parses RunPod's list of types, and the same bytes as the answer to each follow-up request.
    runpod => runpod::parse_answers;
    /// Parses a page of DigitalOcean's sizes.
    digitalocean => digitalocean::parse_answers;
    /// Parses each of Hyperstack's three lists.
    hyperstack => hyperstack::parse_answers;
    /// Parses JarvisLabs' list of GPUs, and the account's currency.
    jarvislabs => jarvislabs::parse_answers;
    /// Parses a page of Prime Intellect's machines.
    primeintellect => primeintellect::parse_answers;
    /// Parses Lambda's list of types.
    lambda => lambda::parse_answers;
    /// Parses Latitude.sh's list of plans.
    latitude => latitude::parse_answers;
    /// Parses each of Mithril's three lists.
    mithril => mithril::parse_answers;
    /// Parses each of Nebius' messages.
    nebius => nebius::parse_answers;
    /// Parses each of San Francisco Compute's lists.
    sfcompute => sfcompute::parse_answers;
    /// Parses each of Verda's four lists, and the token.
    verda => verda::parse_answers;
    /// Parses a page of Azure's price list, and each answer of an account.
    azure => public::azure::parse;
    /// Parses CloudRift's list of types.
    cloudrift => public::cloudrift::parse;
    /// Parses each of Crusoe's three lists.
    crusoe => crusoe::parse;
    /// Parses each answer of Google Cloud.
    gcp => gcp::parse;
    /// Parses Linode's list of types and its stock.
    linode => public::linode::parse;
    /// Parses Lium's list of nodes.
    lium => public::lium::parse;
    /// Parses Oracle's price list, its list of shapes, and each answer of a tenancy.
    oci => public::oci::parse;
    /// Parses OVHcloud's order catalog.
    ovhcloud => public::ovhcloud::parse;
    /// Parses the list of types of a zone of Scaleway, and its stock.
    scaleway => public::scaleway::parse;
    /// Parses a page of Vultr's plans.
    vultr => public::vultr::parse;
    /// Parses the table in an archive of gpuhunt.
    gpuhunt_archive => aggregator::parse_archive;
}

/// Parses a page of Vast.ai.
pub fn vastai(body: &[u8]) {
    for capacity in [CapacityType::OnDemand, CapacityType::Spot] {
        vastai::parse_page(body, capacity);
    }
}

/// Runs `parse` with a query for types and regions of AWS, whose feeds list all machines.
fn with_types(body: &[u8], parse: fn(&Query<'_>, &[u8])) {
    let ids = ["p5.48xlarge", "p4d.24xlarge", "g5.xlarge"].map(str::to_owned);
    let regions = ["us-east-1", "eu-west-1"].map(str::to_owned);
    let query = Query {
        ids: &ids,
        regions: &regions,
        ..Query::everything(COUNTS)
    };
    parse(&query, body);
}

/// Parses AWS's list of regions and a page of its prices.
pub fn aws_on_demand(body: &[u8]) {
    with_types(body, public::aws::on_demand::parse);
}

/// Parses AWS's spot prices and interruption rates.
pub fn aws_spot(body: &[u8]) {
    with_types(body, public::aws::spot::parse);
}

/// Parses a table of gpuhunt for providers with and without tiers.
pub fn gpuhunt(table: &[u8]) {
    for provider in ["aws", "runpod", "gcp"] {
        let query = Query::everything(COUNTS);
        aggregator::parse_table(Aggregator::GpuHunt, provider, &query, table);
    }
}

/// Parses a table of SkyPilot.
pub fn skypilot(table: &[u8]) {
    let query = Query::everything(COUNTS);
    aggregator::parse_table(Aggregator::SkyPilot, "aws", &query, table);
}

/// Parses a public list of prices of tokens.
pub fn token_prices(body: &[u8]) {
    for feed in TokenFeed::ALL {
        token_feed::parse(feed, body);
    }
}

/// Parses a file of the cache.
pub fn cache(file: &[u8]) {
    let _ = cache::parse_file::<Vec<Offer>>(file);
    let _ = cache::parse_file::<Value>(file);
    feed::parse_file(file);
}
