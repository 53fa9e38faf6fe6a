//! Parses the answers. No I/O.

use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;
use sky_accel_core::catalog::{Availability, CapacityType};

use crate::error::{ErrorKind, ProviderError};
use crate::json::{Maybe, MaybeObject, positive};
use crate::obtainability::{CountQualifier, Obtainability, StockCount, StockState, StockUnit};
use crate::offer::{Hardware, Offer, Price, RegionList, Tally};
use crate::offer_list::OfferList;
use crate::query::Query;

/// The id of Mithril in the catalog.
pub(super) const ID: &str = "mithril";

const SOURCE: &str = "spot availability";

#[derive(Default, Deserialize)]
#[serde(default)]
struct TypeRow {
    fid: Maybe<String>,
    name: Maybe<String>,
    num_gpus: Maybe<f64>,
    gpu_type: Maybe<String>,
    /// Of one GPU.
    gpu_memory_gb: Maybe<f64>,
    gpu_socket: Maybe<String>,
    num_cpus: Maybe<f64>,
    ram_gb: Maybe<f64>,
}

/// An auction of the machines of a type in a region.
#[derive(Default, Deserialize)]
#[serde(default)]
struct AuctionRow {
    /// The `fid` of the type.
    instance_type: Maybe<String>,
    region: Maybe<String>,
    /// The number of free machines.
    capacity: Maybe<f64>,
    /// The present price of a machine, such as `$8.00`.
    last_instance_price: Maybe<String>,
}

/// Reads a list, which is an array without an object around it.
fn rows<T: serde::de::DeserializeOwned>(
    body: &[u8],
    list: &str,
) -> Result<Vec<MaybeObject<T>>, ProviderError> {
    serde_json::from_slice(body).map_err(|_| ProviderError::no_list(ID, list))
}

/// Returns an offer for each type with GPUs. A type without an auction has no price.
pub(super) fn offers(
    query: &Query<'_>,
    types: &[u8],
    auctions: &[u8],
) -> Result<(Vec<Offer>, Tally), ProviderError> {
    let types: Vec<MaybeObject<TypeRow>> = rows(types, "instance types")?;
    let auctions: Vec<MaybeObject<AuctionRow>> = rows(auctions, "auctions")?;
    let listed = auctions.len();
    let mut of_type: HashMap<String, BTreeMap<String, Auction>> = HashMap::new();
    for (kind, region, auction) in auctions.into_iter().filter_map(|row| read(row.0?)) {
        of_type.entry(kind).or_default().insert(region, auction);
    }
    if listed > 0 && of_type.is_empty() {
        return Err(ProviderError::unreadable(ID, listed));
    }
    if listed == 0 {
        let message = "the answer lists no auction";
        return Err(ProviderError::new(ID, ErrorKind::Protocol, message));
    }
    let mut list = OfferList::default();
    for row in types {
        let row = row.0.and_then(|row| offer(query, row, &mut of_type));
        list.add(query, row);
    }
    list.done(ID)
}

/// The state of an auction.
struct Auction {
    /// The number of free machines; `None` if not reported.
    free: Option<u32>,
    usd: Option<f64>,
}

/// Reads an auction with its type and region; `None` if one of them is missing.
fn read(row: AuctionRow) -> Option<(String, String, Auction)> {
    let is_count = |count: &f64| (0.0..=f64::from(u32::MAX)).contains(count);
    let auction = Auction {
        free: row.capacity.0.filter(is_count).map(|count| count as u32),
        usd: row.last_instance_price.0.as_deref().and_then(dollars),
    };
    Some((row.instance_type.0?, row.region.0?, auction))
}

/// Reads an amount such as `$8.00`.
fn dollars(text: &str) -> Option<f64> {
    let amount: f64 = text.trim().strip_prefix('$')?.parse().ok()?;
    (amount.is_finite() && amount > 0.0).then_some(amount)
}

/// Reads a type with its auctions; `None` if its name or its number of GPUs is missing.
fn offer(
    query: &Query<'_>,
    row: TypeRow,
    auctions: &mut HashMap<String, BTreeMap<String, Auction>>,
) -> Option<Offer> {
    let (fid, id) = (row.fid.0?, row.name.0?);
    let count = row.num_gpus.0?;
    let name = row.gpu_type.0.map(|gpu| match row.gpu_socket.0 {
        Some(socket) => format!("{gpu} {socket}"),
        None => gpu,
    });
    let mut regions = RegionList::default();
    let (mut prices, mut obtainability) = (Vec::new(), Vec::new());
    for (region, auction) in auctions.remove(&fid).unwrap_or_default() {
        regions.add(&region, None);
        let record = record(auction.free);
        if let Some(usd) = auction.usd.filter(|_| query.spot) {
            prices.push(Price {
                region: Some(region.clone()),
                availability: match record.state {
                    StockState::Available => Availability::Available,
                    StockState::Unavailable => Availability::Unavailable,
                    _ => Availability::Unknown,
                },
                ..Price::new(CapacityType::Spot, usd)
            });
        }
        obtainability.push(record.in_region(&region));
    }
    Some(Offer {
        id,
        hardware: name.map(|name| Hardware {
            name,
            memory_gb: positive(row.gpu_memory_gb),
            ..Hardware::default()
        }),
        count: Some(count),
        vcpu: positive(row.num_cpus),
        host_memory_gib: positive(row.ram_gb),
        regions: regions.done(),
        prices,
        obtainability,
        ..Offer::default()
    })
}

/// Without a free machine, only a higher bid than another user's gets one: that is not in stock.
fn record(free: Option<u32>) -> Obtainability {
    let state = match free {
        Some(0) => StockState::Unavailable,
        Some(_) => StockState::Available,
        None => StockState::Unknown,
    };
    Obtainability {
        state,
        count: free.map(|value| StockCount {
            value,
            qualifier: CountQualifier::Exact,
            unit: StockUnit::Machines,
        }),
        is_account_specific: true,
        ..Obtainability::new(CapacityType::Spot, 1, SOURCE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offer::DroppedBecause;
    use crate::query::Counts;

    const TYPES: &str = r#"[
        {"fid":"it_a","name":"h100-80gb.sxm.8x","num_gpus":8,"gpu_type":"H100","gpu_memory_gb":80,"gpu_socket":"SXM5",
         "num_cpus":168,"ram_gb":1814},
        {"fid":"it_b","name":"b200.sxm.8x","num_gpus":8,"gpu_type":"B200","gpu_memory_gb":180},
        {"fid":"it_c","name":"cpu","num_gpus":0},{"fid":"it_d"},7]"#;

    fn read_lists(types: &str, auctions: &str) -> Result<(Vec<Offer>, Tally), ProviderError> {
        let counts = Counts {
            min: 1.0,
            max: None,
        };
        let query = Query::everything(counts);
        offers(&query, types.as_bytes(), auctions.as_bytes())
    }

    #[test]
    fn an_auction_has_a_price_and_free_machines() {
        let (offers, dropped) = read_lists(
            TYPES,
            r#"[{"instance_type":"it_a","region":"us-b","capacity":0,"last_instance_price":"$9.50"},
                {"instance_type":"it_a","region":"us-a","capacity":3,"last_instance_price":"$8.00","lowest_allocated_price":"$7.50"},
                {"instance_type":"it_a","region":"us-c","capacity":-1,"last_instance_price":"8 EUR"},
                {"instance_type":"it_x","region":"us-a","capacity":3,"last_instance_price":"$1.00"},{"region":7}]"#,
        )
        .unwrap();
        let [h100, b200] = &offers[..] else {
            panic!("{offers:?}")
        };
        assert_eq!(h100.hardware.as_ref().unwrap().name, "H100 SXM5");
        let shown: Vec<_> = h100
            .obtainability
            .iter()
            .map(|record| {
                let count = record.count.map(|count| count.value);
                (record.place.region.as_deref().unwrap(), record.state, count)
            })
            .collect();
        assert_eq!(
            shown,
            [
                ("us-a", StockState::Available, Some(3)),
                ("us-b", StockState::Unavailable, Some(0)),
                ("us-c", StockState::Unknown, None)
            ]
        );
        let prices: Vec<_> = h100
            .prices
            .iter()
            .map(|price| (price.per_hour, price.capacity, price.availability))
            .collect();
        let spot = CapacityType::Spot;
        assert_eq!(
            prices,
            [
                (8.0, spot, Availability::Available),
                (9.5, spot, Availability::Unavailable)
            ]
        );
        assert!(b200.prices.is_empty() && b200.obtainability.is_empty());
        assert_eq!(dropped.because(DroppedBecause::Unreadable), 2);
    }

    #[test]
    fn amounts_are_dollars() {
        for (text, amount) in [
            ("$8.00", Some(8.0)),
            (" $0.5", Some(0.5)),
            ("8.00", None),
            ("$0.00", None),
            ("$inf", None),
            ("$", None),
            ("€8", None),
        ] {
            assert_eq!(dollars(text), amount, "{text}");
        }
    }

    #[test]
    fn answers_without_a_list_are_errors() {
        let auctions = r#"[{"instance_type":"it_a","region":"us-a"}]"#;
        for body in ["", "{}", "null", "[]", "[7]", "<html>"] {
            assert!(read_lists(body, auctions).is_err(), "{body}");
            assert!(read_lists(TYPES, body).is_err(), "{body}");
        }
    }
}
