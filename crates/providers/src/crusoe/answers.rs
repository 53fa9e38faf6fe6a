//! Parses the answers. No I/O.

use std::collections::{BTreeMap, HashMap};

use serde::Deserialize;
use sky_accel_core::catalog::CapacityType;

use crate::error::{ErrorKind, ProviderError};
use crate::json::{Maybe, MaybeList, MaybeObject, positive};
use crate::obtainability::{CountQualifier, Obtainability, StockCount, StockState, StockUnit};
use crate::offer::{DroppedBecause, Hardware, Offer, Quota, QuotaUnit, RegionList, Tally};
use crate::query::{Interest, Query};

/// The id of Crusoe in the catalog.
pub(super) const ID: &str = "crusoe";

#[derive(Default, Deserialize)]
#[serde(default)]
struct CapacityData {
    #[serde(rename = "type")]
    kind: Maybe<String>,
    location: Maybe<String>,
    quantity: Maybe<f64>,
    num_slices: Maybe<f64>,
    quota_type: Maybe<String>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct CrusoeType {
    product_name: Maybe<String>,
    num_gpu: Maybe<f64>,
    gpu_type: Maybe<String>,
    cpu_cores: Maybe<f64>,
    memory_gb: Maybe<f64>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct QuotaData {
    #[serde(rename = "type")]
    kind: Maybe<String>,
    max: Maybe<f64>,
    used: Maybe<f64>,
    available: Maybe<f64>,
}

/// A list below a name: `items`, or `quotas`.
#[derive(Deserialize)]
#[serde(bound = "T: serde::de::DeserializeOwned")]
struct CrusoePage<T> {
    #[serde(default, alias = "quotas")]
    items: MaybeList<MaybeObject<T>>,
}

/// The stock of a type.
#[derive(Debug, Default, PartialEq)]
struct TypeStock {
    /// The machines by location.
    machines: BTreeMap<String, u32>,
    slices: Option<f64>,
    quota: Option<String>,
}

/// The three lists.
pub(super) struct CrusoeLists {
    stock: BTreeMap<String, TypeStock>,
    /// The types by name; `None` if they are unknown.
    types: Option<HashMap<String, CrusoeType>>,
    /// The quotas by type.
    quotas: HashMap<String, QuotaData>,
    unread: usize,
}

/// The outcome of a request, not parsed yet.
type ListBody = Result<Vec<u8>, ProviderError>;

fn unreadable(list: &str) -> ProviderError {
    let message = format!("the answer has no readable list of {list}");
    ProviderError::new(ID, ErrorKind::Protocol, message)
}

/// Returns the readable rows of a list, and the number of others.
fn rows<T: serde::de::DeserializeOwned, R>(
    body: &[u8],
    list: &str,
    read: impl Fn(T) -> Option<R>,
) -> Result<(Vec<R>, usize), ProviderError> {
    let page: MaybeObject<CrusoePage<T>> =
        serde_json::from_slice(body).map_err(|_| unreadable(list))?;
    let rows = page.0.and_then(|page| page.items.0);
    let rows = rows.ok_or_else(|| unreadable(list))?;
    let listed = rows.len();
    let rows: Vec<R> = rows.into_iter().filter_map(|row| read(row.0?)).collect();
    if listed > 0 && rows.is_empty() {
        return Err(ProviderError::unreadable(ID, listed));
    }
    let unread = listed - rows.len();
    Ok((rows, unread))
}

impl CrusoeLists {
    /// Parses the lists. Without stock or with a refused key, the whole answer fails; without the other
    /// lists, their facts are missing.
    pub(super) fn parse(
        capacities: ListBody,
        types: Result<Option<Vec<u8>>, ProviderError>,
        quotas: Result<Option<Vec<u8>>, ProviderError>,
    ) -> Result<(Self, Vec<ProviderError>), ProviderError> {
        let (stock, unread) = stock(&capacities?)?;
        let mut problems = Vec::new();
        let types = types.and_then(|body| body.map(|body| self::types(&body)).transpose());
        let mut part = |error: ProviderError| {
            if error.kind == ErrorKind::CredentialsRefused {
                return Err(error);
            }
            problems.push(error);
            Ok(())
        };
        let types = match types {
            Ok(types) => types,
            Err(error) => part(error).map(|()| None)?,
        };
        let quotas = quotas.and_then(|body| body.map(|body| self::quotas(&body)).transpose());
        let quotas = match quotas {
            Ok(quotas) => quotas,
            Err(error) => part(error).map(|()| None)?,
        };
        let lists = Self {
            stock,
            types,
            quotas: quotas.unwrap_or_default(),
            unread,
        };
        Ok((lists, problems))
    }
}

/// Returns the stock by type. A type may have several rows for a location, of which the largest
/// applies.
fn stock(body: &[u8]) -> Result<(BTreeMap<String, TypeStock>, usize), ProviderError> {
    const LIST: &str = "capacities";
    let (rows, unread) = rows(body, LIST, |row: CapacityData| {
        let is_count = |count: &f64| (0.0..=f64::from(u32::MAX)).contains(count);
        let quantity = row.quantity.0.filter(is_count)? as u32;
        let slices = positive(row.num_slices);
        Some((
            row.kind.0?,
            row.location.0?,
            quantity,
            slices,
            row.quota_type.0,
        ))
    })?;
    let mut stock: BTreeMap<String, TypeStock> = BTreeMap::new();
    for (kind, location, quantity, slices, quota) in rows {
        let of_type = stock.entry(kind).or_default();
        let machines = of_type.machines.entry(location).or_default();
        *machines = quantity.max(*machines);
        of_type.slices = of_type.slices.or(slices);
        of_type.quota = of_type.quota.take().or(quota);
    }
    Ok((stock, unread))
}

fn types(body: &[u8]) -> Result<HashMap<String, CrusoeType>, ProviderError> {
    let (rows, _) = rows(body, "types", |mut row: CrusoeType| {
        Some((row.product_name.0.take()?, row))
    })?;
    Ok(rows.into_iter().collect())
}

fn quotas(body: &[u8]) -> Result<HashMap<String, QuotaData>, ProviderError> {
    let (rows, _) = rows(body, "quotas", |mut row: QuotaData| {
        Some((row.kind.0.take()?, row))
    })?;
    Ok(rows.into_iter().collect())
}

/// Returns an offer for each type of machines with GPUs.
pub(super) fn offers(query: &Query<'_>, lists: &CrusoeLists) -> (Vec<Offer>, Tally) {
    let mut dropped = Tally::default();
    for _ in 0..lists.unread {
        dropped.add(DroppedBecause::Unreadable);
    }
    let (mut known, mut unknown) = (0, 0);
    let mut offers = Vec::new();
    for (id, stock) in &lists.stock {
        let of_type = lists.types.as_ref().and_then(|types| types.get(id));
        let gpus = of_type.and_then(|row| positive(row.num_gpu));
        let is_known = query.ids.is_empty() || query.ids.contains(id);
        // Without the list of types, only ids of the catalog are known to be machines with GPUs.
        if gpus.is_none() && (of_type.is_some() || !is_known) {
            continue;
        }
        let hardware = of_type.map(|row| Hardware {
            name: row.gpu_type.0.clone().unwrap_or_default(),
            ..Hardware::default()
        });
        match (query.interest)(id, hardware.as_ref()) {
            Interest::Requested => known += 1,
            Interest::Unknown => unknown += 1,
            Interest::NotRequested => {
                dropped.add_unrequested(hardware.as_ref());
                continue;
            }
        }
        let mut regions = RegionList::default();
        for location in stock.machines.keys() {
            regions.add(location, None);
        }
        let quota = stock.quota.as_ref();
        let quota = quota.and_then(|kind| Some((kind, lists.quotas.get(kind)?)));
        let left = quota.and_then(|(_, row)| row.available.0.filter(|left| *left >= 0.0));
        let needed = stock
            .slices
            .map(|slices| slices * f64::from(query.machines));
        let is_blocked = left.zip(needed).is_some_and(|(left, needed)| left < needed);
        let records = stock.machines.iter().map(|(location, machines)| {
            let record = record(*machines, is_blocked, query.machines);
            Obtainability {
                is_account_specific: quota.is_some(),
                ..record.in_region(location)
            }
        });
        let unit = gpus
            .zip(stock.slices)
            .and_then(|(gpus, slices)| unit(gpus, slices));
        let quotas = quota.zip(unit).and_then(|((kind, row), unit)| {
            let is_amount = |amount: &f64| *amount >= 0.0;
            Some(Quota {
                region: None,
                capacity: CapacityType::OnDemand,
                code: kind.clone(),
                name: None,
                unit,
                limit: Some(row.max.0.filter(is_amount)?),
                used: row.used.0.filter(is_amount),
                is_adjustable: None,
            })
        });
        offers.push(Offer {
            id: id.clone(),
            hardware,
            count: gpus,
            vcpu: of_type.and_then(|row| positive(row.cpu_cores)),
            host_memory_gib: of_type.and_then(|row| positive(row.memory_gb)),
            regions: regions.done(),
            obtainability: records.collect(),
            quotas: quotas.into_iter().collect(),
            ..Offer::default()
        });
    }
    // A type that is missing from the list of stock may still be sold. If no name is known, the list is
    // not of these types.
    let is_readable = known > 0 || unknown == 0;
    let missing = query
        .ids
        .iter()
        .filter(|id| is_readable && !lists.stock.contains_key(*id));
    offers.extend(missing.map(|id| Offer {
        id: id.clone(),
        ..Offer::default()
    }));
    (offers, dropped)
}

/// Returns the unit of a quota of slices; `None` if slices are neither GPUs nor machines.
fn unit(gpus: f64, slices: f64) -> Option<QuotaUnit> {
    let is_same = |a: f64, b: f64| (a - b).abs() < 1e-9;
    if is_same(gpus, slices) {
        Some(QuotaUnit::Accelerators)
    } else {
        is_same(slices, 1.0).then_some(QuotaUnit::Machines)
    }
}

fn record(in_stock: u32, is_blocked: bool, machines: u32) -> Obtainability {
    let state = match in_stock {
        _ if is_blocked => StockState::Blocked,
        0 => StockState::Unavailable,
        count if count < machines => StockState::Limited,
        _ => StockState::Available,
    };
    Obtainability {
        state,
        count: Some(StockCount {
            value: in_stock,
            qualifier: CountQualifier::Exact,
            unit: StockUnit::Machines,
        }),
        ..Obtainability::new(CapacityType::OnDemand, machines, "capacities")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Counts;

    const STOCK: &str = r#"{"items":[
        {"type":"h100-80gb-sxm-ib.8x","location":"us-east1-a","quantity":3,"num_slices":8,"quota_type":"H100"},
        {"type":"h100-80gb-sxm-ib.8x","location":"us-east1-a","quantity":5},
        {"type":"h100-80gb-sxm-ib.8x","location":"us-east1-a","quantity":4},
        {"type":"h100-80gb-sxm-ib.8x","location":"eu-iceland1-a","quantity":0},
        {"type":"c1a.2x","location":"us-east1-a","quantity":100},
        {"type":"x","location":"us-east1-a","quantity":"many"}]}"#;
    const TYPES: &str = r#"{"items":[
        {"product_name":"h100-80gb-sxm-ib.8x","num_gpu":8,"gpu_type":"H100-SXM-80GB","cpu_cores":176,"memory_gb":960},
        {"product_name":"c1a.2x","num_gpu":0,"cpu_cores":2,"memory_gb":8}]}"#;

    fn body(text: &str) -> Vec<u8> {
        text.as_bytes().to_vec()
    }

    fn read(machines: u32, quotas: &str) -> (Vec<Offer>, Tally) {
        let quotas = Ok(Some(body(quotas)));
        let lists = CrusoeLists::parse(Ok(body(STOCK)), Ok(Some(body(TYPES))), quotas);
        let counts = Counts {
            min: 1.0,
            max: None,
        };
        let query = Query {
            machines,
            ..Query::everything(counts)
        };
        offers(&query, &lists.unwrap().0)
    }

    fn states(machines: u32, quotas: &str) -> Vec<(StockState, u32)> {
        let (offers, _) = read(machines, quotas);
        let records = offers[0].obtainability.iter();
        let states = records.map(|record| (record.state, record.count.unwrap().value));
        states.collect()
    }

    #[test]
    fn the_largest_row_of_a_location_applies() {
        use StockState::{Available, Limited, Unavailable};
        let none = r#"{"quotas":[]}"#;
        assert_eq!(states(5, none), [(Unavailable, 0), (Available, 5)]);
        assert_eq!(states(6, none), [(Unavailable, 0), (Limited, 5)]);
        let (offers, dropped) = read(1, none);
        assert_eq!((offers.len(), dropped.rows()), (1, 1));
        assert_eq!(offers[0].regions.len(), 2);
        assert!(offers[0].prices.is_empty());
    }

    #[test]
    fn a_quota_without_room_blocks() {
        let quota = r#"{"quotas":[{"type":"H100","max":32,"used":8,"available":24}]}"#;
        assert_eq!(states(3, quota)[1], (StockState::Available, 5));
        assert_eq!(states(4, quota)[1], (StockState::Blocked, 5));
        let (offers, _) = read(1, quota);
        let quota = &offers[0].quotas[0];
        assert_eq!(
            (quota.unit, quota.left()),
            (QuotaUnit::Accelerators, Some(24.0))
        );
    }

    #[test]
    fn only_a_missing_list_of_stock_is_a_failure() {
        let failed = || Err(ProviderError::new(ID, ErrorKind::Server, "HTTP 500"));
        assert!(CrusoeLists::parse(Err(unreadable("x")), Ok(None), Ok(None)).is_err());
        for text in ["{}", "[]", "<html>", r#"{"items":[7]}"#] {
            assert!(
                CrusoeLists::parse(Ok(body(text)), Ok(None), Ok(None)).is_err(),
                "{text}"
            );
        }
        let (_, problems) = CrusoeLists::parse(Ok(body(STOCK)), failed(), failed()).unwrap();
        assert_eq!(problems.len(), 2);
    }
}
