//! Parses the answers. No I/O.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;
use sky_accel_core::catalog::{Availability, CapacityType};

use crate::error::{ErrorKind, ProviderError};
use crate::json::{Maybe, MaybeList, MaybeObject, document, positive};
use crate::obtainability::{CountQualifier, Obtainability, StockCount, StockState, StockUnit};
use crate::offer::{DroppedBecause, Hardware, Offer, Price, Quota, QuotaUnit, RegionList, Tally};
use crate::offer_list::OfferList;
use crate::query::Query;

/// The id of Mithril in the catalog.
pub(super) const ID: &str = "mithril";

const SOURCE: &str = "spot availability";

#[derive(Default, Deserialize)]
#[serde(default)]
struct InstanceTypeRow {
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

/// A quota of a project.
#[derive(Default, Deserialize)]
#[serde(default)]
struct QuotaRow {
    fid: Maybe<String>,
    /// The `fid` of the type.
    instance_type: Maybe<String>,
    /// `Spot`, `Reservations` or `Storage`.
    product_type: Maybe<String>,
    /// The limit.
    total_quantity: Maybe<f64>,
    used_quantity: Maybe<f64>,
    /// `instances` for the number of machines at a time.
    units: Maybe<String>,
    name: Maybe<String>,
}

/// The rows of a list, which is an array without an object around it.
fn rows<T: for<'de> Deserialize<'de>>(
    body: &[u8],
    list_name: &str,
) -> Result<Vec<MaybeObject<T>>, ProviderError> {
    let rows: MaybeList<MaybeObject<T>> = document(ID, body)?;
    let rows = rows
        .0
        .ok_or_else(|| ProviderError::no_list(ID, list_name))?;
    if rows.is_empty() {
        // Types that are sold out are listed too, so an empty list is an error.
        let message = format!("the answer lists no {list_name}");
        return Err(ProviderError::new(ID, ErrorKind::Protocol, message));
    }
    Ok(rows)
}

/// The quotas of a project, by the `fid` of the type.
pub(super) type QuotasByType = HashMap<String, Quota>;

/// Reads the quotas of spot machines, which count the machines of a type in all regions together.
pub(super) fn quotas(body: &[u8]) -> Result<QuotasByType, ProviderError> {
    let rows: MaybeList<MaybeObject<QuotaRow>> = document(ID, body)?;
    let rows = rows.0.ok_or_else(|| ProviderError::no_list(ID, "quotas"))?;
    let listed = rows.len();
    let rows: Vec<QuotaRow> = rows.into_iter().filter_map(|row| row.0).collect();
    let is_readable = |row: &QuotaRow| row.product_type.0.is_some() && row.units.0.is_some();
    if listed > 0 && !rows.iter().any(is_readable) {
        return Err(ProviderError::unreadable(ID, listed));
    }
    Ok(rows.into_iter().filter_map(quota).collect())
}

/// Reads a quota of spot machines with the `fid` of its type; `None` for another quota.
fn quota(row: QuotaRow) -> Option<(String, Quota)> {
    let is =
        |word: Maybe<String>, of: &str| word.0.is_some_and(|word| word.eq_ignore_ascii_case(of));
    if !is(row.product_type, "spot") || !is(row.units, "instances") {
        return None;
    }
    let amount = |figure: Maybe<f64>| figure.0.filter(|amount| *amount >= 0.0);
    let quota = Quota {
        region: None,
        capacity: CapacityType::Spot,
        code: row.fid.0.unwrap_or_default(),
        name: row.name.0,
        unit: QuotaUnit::Machines,
        limit: Some(amount(row.total_quantity)?),
        used: amount(row.used_quantity),
        is_adjustable: None,
    };
    Some((row.instance_type.0?, quota))
}

/// Returns an offer for each type with GPUs. A type without an auction has no price.
pub(super) fn offers(
    query: &Query<'_>,
    types: &[u8],
    auctions: &[u8],
    quotas: &QuotasByType,
) -> Result<(Vec<Offer>, Tally), ProviderError> {
    let types: Vec<MaybeObject<InstanceTypeRow>> = rows(types, "instance types")?;
    let (mut auctions, mut dropped) = Auctions::read(rows(auctions, "auctions")?)?;
    let mut list = OfferList::default();
    for row in types {
        let offer = row.0.and_then(|row| offer(row, &mut auctions, quotas));
        if let Some(offer) = offer.as_ref().filter(|offer| !offer.prices.is_empty()) {
            // The list counts only types without any price.
            let unpriced = offer.obtainability.len() - offer.prices.len();
            dropped.add_rows(DroppedBecause::NoPrice, unpriced);
        }
        list.add(query, offer);
    }
    // Nothing says what the other auctions sell.
    let unplaced: usize = auctions.of_type.values().map(BTreeMap::len).sum();
    dropped.add_rows(DroppedBecause::Unreadable, unplaced);
    let (offers, of_types) = list.done(ID)?;
    dropped.merge(of_types);
    Ok((offers, dropped))
}

/// The auctions by the `fid` of their type, and by region.
struct Auctions {
    of_type: HashMap<String, BTreeMap<String, Auction>>,
}

/// The state of an auction.
struct Auction {
    /// The number of free machines; `None` if not reported.
    free: Option<u32>,
    /// The price of a machine; `None` if not readable.
    usd: Option<f64>,
}

impl Auctions {
    /// Reads the rows, and counts those without a type or a region.
    fn read(rows: Vec<MaybeObject<AuctionRow>>) -> Result<(Self, Tally), ProviderError> {
        let listed = rows.len();
        let mut of_type: HashMap<String, BTreeMap<String, Auction>> = HashMap::new();
        let mut dropped = Tally::default();
        for row in rows {
            let Some((kind, region, auction)) = row.0.and_then(auction) else {
                dropped.add(DroppedBecause::Unreadable);
                continue;
            };
            match of_type.entry(kind).or_default().entry(region) {
                Entry::Occupied(_) => dropped.add(DroppedBecause::Repeated),
                Entry::Vacant(place) => {
                    place.insert(auction);
                }
            }
        }
        if of_type.is_empty() {
            return Err(ProviderError::unreadable(ID, listed));
        }
        Ok((Self { of_type }, dropped))
    }
}

/// Reads an auction with its type and region; `None` if one of them is missing.
fn auction(row: AuctionRow) -> Option<(String, String, Auction)> {
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
fn offer(row: InstanceTypeRow, auctions: &mut Auctions, quotas: &QuotasByType) -> Option<Offer> {
    // The auctions of a type that cannot be read are not left over.
    let (fid, id) = (row.fid.0?, row.name.0);
    let auctions = auctions.of_type.remove(&fid).unwrap_or_default();
    let (id, count) = (id?, row.num_gpus.0?);
    let name = row.gpu_type.0.map(|gpu| match row.gpu_socket.0 {
        Some(socket) => format!("{gpu} {socket}"),
        None => gpu,
    });
    let mut regions = RegionList::default();
    let (mut prices, mut obtainability) = (Vec::new(), Vec::new());
    for (region, auction) in auctions {
        regions.add(&region, None);
        let record = record(auction.free);
        if let Some(usd) = auction.usd {
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
        hardware: Some(Hardware {
            name: name.unwrap_or_default(),
            memory_gb: positive(row.gpu_memory_gb),
            ..Hardware::default()
        }),
        count: Some(count),
        vcpu: positive(row.num_cpus),
        host_memory_gib: positive(row.ram_gb),
        regions: regions.done(),
        prices,
        quotas: quotas.get(&fid).cloned().into_iter().collect(),
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
    use crate::budget::MAX_LIST_ROWS;
    use crate::query::{Counts, Interest};

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
        let quotas = QuotasByType::new();
        offers(&query, types.as_bytes(), auctions.as_bytes(), &quotas)
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
        // A type without a name, two rows that are no rows, and an auction of a type that is not listed.
        assert_eq!(dropped.because(DroppedBecause::Unreadable), 4);
        // An auction in euros, and a type without an auction.
        assert_eq!(dropped.because(DroppedBecause::NoPrice), 2);
    }

    #[test]
    fn the_first_auction_of_a_place_counts() {
        let (offers, dropped) = read_lists(
            TYPES,
            r#"[{"instance_type":"it_a","region":"us-a","capacity":3,"last_instance_price":"$8.00"},
                {"instance_type":"it_a","region":"us-a","capacity":9,"last_instance_price":"$1.00"}]"#,
        )
        .unwrap();
        assert_eq!(
            (offers[0].prices.len(), offers[0].prices[0].per_hour),
            (1, 8.0)
        );
        assert_eq!(dropped.because(DroppedBecause::Repeated), 1);
    }

    #[test]
    fn gpus_without_a_name_cannot_be_identified() {
        let query = Query {
            interest: &|_, _| Interest::Unknown,
            ..Query::everything(Counts {
                min: 1.0,
                max: None,
            })
        };
        let types = br#"[{"fid":"it_a","name":"new.8x","num_gpus":8},
            {"fid":"it_b","name":"x900.8x","num_gpus":8,"gpu_type":"X900"}]"#;
        let auctions =
            br#"[{"instance_type":"it_b","region":"us-a","last_instance_price":"$8.00"}]"#;
        let (offers, dropped) = offers(&query, types, auctions, &QuotasByType::new()).unwrap();
        assert_eq!((offers.len(), &*offers[0].id), (1, "x900.8x"));
        assert_eq!(dropped.because(DroppedBecause::Unreadable), 1);
    }

    #[test]
    fn quotas_of_spot_machines_count_machines_of_a_type() {
        let body = br#"[
            {"fid":"quota_1","project":"proj_1","instance_type":"it_a","product_type":"Spot","total_quantity":4,"used_quantity":1,
             "units":"instances","name":"8x H100 spot"},
            {"fid":"quota_2","instance_type":"it_a","product_type":"Reservations","total_quantity":72,"units":"instances"},
            {"fid":"quota_3","product_type":"Storage","total_quantity":1000,"used_quantity":0,"units":"GB"},
            {"fid":"quota_4","instance_type":"it_b","product_type":"Spot","total_quantity":-1,"units":"instances"},
            {"fid":"quota_5","instance_type":"it_c","product_type":"Spot","total_quantity":9,"units":"hours"},7]"#;
        let of_type = quotas(body).unwrap();
        assert_eq!(of_type.len(), 1);
        let quota = &of_type["it_a"];
        assert_eq!(
            (&*quota.code, quota.limit, quota.left()),
            ("quota_1", Some(4.0), Some(3.0))
        );
        assert_eq!((quota.capacity, &quota.region), (CapacityType::Spot, &None));
        let auctions =
            br#"[{"instance_type":"it_a","region":"us-a","last_instance_price":"$8.00"}]"#;
        let query = Query::everything(Counts {
            min: 1.0,
            max: None,
        });
        let (offers, _) = offers(&query, TYPES.as_bytes(), auctions, &of_type).unwrap();
        assert_eq!((offers[0].quotas.len(), offers[1].quotas.len()), (1, 0));
        // A project without quotas is not an error, and a missing list is.
        assert!(quotas(b"[]").unwrap().is_empty());
        for body in ["", "{}", "null", "[7]", "[{}]", "<html>"] {
            assert!(quotas(body.as_bytes()).is_err(), "{body}");
        }
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
        let empty = format!("[{}0]", "0,".repeat(MAX_LIST_ROWS));
        for body in ["", "{}", "null", "[]", "[7]", "<html>", &empty] {
            for error in [read_lists(body, auctions), read_lists(TYPES, body)] {
                let error = error.unwrap_err();
                assert_eq!(error.kind, ErrorKind::Protocol, "{}", error.message);
            }
        }
        for body in ["{}", "null"] {
            let error = read_lists(body, auctions).unwrap_err();
            assert_eq!(error.message, "the answer has no list of instance types");
            let error = read_lists(TYPES, body).unwrap_err();
            assert_eq!(error.message, "the answer has no list of auctions");
        }
    }
}
