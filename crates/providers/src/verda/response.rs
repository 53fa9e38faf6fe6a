//! Parses the answers. No I/O.

use std::collections::{BTreeSet, HashMap, HashSet};

use serde::Deserialize;
use sky_accel_core::catalog::{Availability, CapacityType};

use crate::error::{ErrorKind, ProviderError};
use crate::json::{LongText, Maybe, MaybeList, MaybeObject, positive};
use crate::offer::{DroppedBecause, Hardware, Offer, Price, RegionList, Tally};
use crate::query::{Interest, Query};

/// The id of Verda in the catalog.
pub(super) const ID: &str = "verda";

#[derive(Default, Deserialize)]
#[serde(default)]
struct TokenData {
    /// A signed token may have thousands of bytes.
    access_token: Maybe<LongText>,
}

/// Returns the token of a login.
pub(super) fn token(body: &[u8]) -> Option<String> {
    let data: MaybeObject<TokenData> = serde_json::from_slice(body).ok()?;
    data.0?.access_token.0.map(|token| token.0)
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct TypeData {
    instance_type: Maybe<String>,
    model: Maybe<String>,
    name: Maybe<String>,
    manufacturer: Maybe<String>,
    currency: Maybe<String>,
    cpu: MaybeObject<CpuData>,
    gpu: MaybeObject<GpuData>,
    memory: MaybeObject<MemoryData>,
    gpu_memory: MaybeObject<MemoryData>,
    price_per_hour: Maybe<f64>,
    spot_price: Maybe<f64>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct CpuData {
    number_of_cores: Maybe<f64>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct GpuData {
    description: Maybe<String>,
    number_of_gpus: Maybe<f64>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct MemoryData {
    size_in_gigabytes: Maybe<f64>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct StockData {
    location_code: Maybe<String>,
    availabilities: MaybeList<Maybe<String>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct LocationData {
    code: Maybe<String>,
    country_code: Maybe<String>,
}

/// Instance types by location.
type TypesByLocation = HashMap<String, Vec<String>>;

/// The four lists.
pub(super) struct VerdaLists {
    types: Vec<MaybeObject<TypeData>>,
    /// The types in stock by location; `None` if unknown.
    on_demand: Option<TypesByLocation>,
    spot: Option<TypesByLocation>,
    countries: HashMap<String, String>,
}

fn list<T: for<'de> Deserialize<'de>>(
    body: &[u8],
    list_name: &str,
) -> Result<Vec<T>, ProviderError> {
    let list: Option<MaybeList<T>> = serde_json::from_slice(body).ok();
    list.and_then(|list| list.0)
        .ok_or_else(|| ProviderError::no_list(ID, list_name))
}

/// The maximum number of locations, more than any provider has.
const MAX_LOCATIONS: usize = 1000;

/// The outcome of a request, not parsed yet.
type Body = Result<Vec<u8>, ProviderError>;

/// Parses the four lists. Without types, the whole answer fails; without stock, stock is unknown;
/// without locations, only their countries are missing.
pub(super) fn lists(
    types: Body,
    on_demand: Body,
    spot: Body,
    locations: Body,
) -> Result<(VerdaLists, Vec<ProviderError>), ProviderError> {
    let types = list(&types?, "instance types")?;
    let mut problems = Vec::new();
    let mut stock_of = |body: Body| match body.and_then(|body| stock(&body)) {
        Ok(stock) => Ok(Some(stock)),
        // An expired token can be renewed, so this error goes to the caller.
        Err(error) if error.kind == ErrorKind::CredentialsRefused => Err(error),
        Err(error) => {
            problems.push(error);
            Ok(None)
        }
    };
    let (on_demand, spot) = (stock_of(on_demand)?, stock_of(spot)?);
    let countries = locations.and_then(|body| countries(&body));
    let countries = countries.unwrap_or_else(|error| {
        problems.push(error);
        HashMap::new()
    });
    let lists = VerdaLists {
        types,
        on_demand,
        spot,
        countries,
    };
    Ok((lists, problems))
}

/// Parses the public list of types, without stock and locations.
pub(super) fn types_alone(body: &[u8]) -> Result<VerdaLists, ProviderError> {
    let types = list(body, "instance types")?;
    if types.is_empty() {
        let message = "the answer lists no instance types";
        return Err(ProviderError::new(ID, ErrorKind::Protocol, message));
    }
    Ok(VerdaLists {
        types,
        on_demand: None,
        spot: None,
        countries: HashMap::new(),
    })
}

/// Returns the error of a list without readable rows, if the list of types can be read.
fn unreadable(rows: usize, list_name: &str) -> ProviderError {
    let mut error = ProviderError::unreadable(ID, rows);
    error.message = format!("{} ({list_name})", error.message);
    error
}

fn stock(body: &[u8]) -> Result<TypesByLocation, ProviderError> {
    const WHAT: &str = "availabilities";
    let rows: Vec<MaybeObject<StockData>> = list(body, WHAT)?;
    let listed = rows.len();
    let locations: Vec<(String, Vec<Maybe<String>>)> = rows
        .into_iter()
        .filter_map(|row| {
            let row = row.0?;
            Some((row.location_code.0?, row.availabilities.0?))
        })
        .collect();
    // An empty stock is a list of locations without types.
    if locations.is_empty() && listed > 0 {
        return Err(unreadable(listed, WHAT));
    }
    let mut stock = TypesByLocation::new();
    for (location, types) in locations.into_iter().take(MAX_LOCATIONS) {
        for id in types.into_iter().filter_map(|id| id.0) {
            stock.entry(id).or_default().push(location.clone());
        }
    }
    Ok(stock)
}

/// Returns the country of each location.
fn countries(body: &[u8]) -> Result<HashMap<String, String>, ProviderError> {
    const WHAT: &str = "locations";
    let rows: Vec<MaybeObject<LocationData>> = list(body, WHAT)?;
    let listed = rows.len();
    let mut is_readable = listed == 0;
    let mut countries = HashMap::new();
    for row in rows.into_iter().filter_map(|row| row.0) {
        let Some(code) = row.code.0 else { continue };
        is_readable = true;
        if let Some(country) = row.country_code.0 {
            countries.insert(code, country.to_ascii_uppercase());
        }
    }
    if is_readable {
        Ok(countries)
    } else {
        Err(unreadable(listed, WHAT))
    }
}

/// A row of the list of types, with all required fields.
struct InstanceType {
    id: String,
    hardware: Hardware,
    /// The number of GPUs; 0 for a machine without GPUs.
    count: f64,
    vcpu: Option<f64>,
    host_memory_gib: Option<f64>,
    /// The on-demand and the spot price in US dollars per hour.
    on_demand: Option<f64>,
    spot: Option<f64>,
}

/// Reads a row; `None` if its id, its number of GPUs or every price is missing.
fn instance_type(row: MaybeObject<TypeData>) -> Option<InstanceType> {
    let row = row.0?;
    let id = row.instance_type.0?;
    let gpu = row.gpu.0?;
    let count = gpu.number_of_gpus.0?;
    row.price_per_hour.0.or(row.spot_price.0)?;
    // A price in another currency is dropped.
    let currency = row.currency.0.as_deref();
    let is_usd = currency.is_none_or(|code| code.eq_ignore_ascii_case("usd"));
    let usd = |price| positive(price).filter(|_| is_usd);
    let gigabytes = |memory: MaybeObject<MemoryData>| positive(memory.0?.size_in_gigabytes);
    let name = gpu.description.0.as_deref().and_then(described);
    let name = name.or_else(|| described_alone(row.name.0.as_deref()?));
    Some(InstanceType {
        id,
        hardware: Hardware {
            name: name.or(row.model.0).unwrap_or_default(),
            manufacturer: row.manufacturer.0,
            memory_mib: None,
            memory_gb: gigabytes(row.gpu_memory).map(|total| total / count),
        },
        count,
        vcpu: row.cpu.0.and_then(|cpu| positive(cpu.number_of_cores)),
        host_memory_gib: gigabytes(row.memory),
        on_demand: usd(row.price_per_hour),
        spot: usd(row.spot_price),
    })
}

/// Returns an offer for each instance type with GPUs.
///
/// # Errors
///
/// Fails with [`ErrorKind::Protocol`] if there are types but none can be read.
pub(super) fn offers(
    query: &Query<'_>,
    mut lists: VerdaLists,
) -> Result<(Vec<Offer>, Tally), ProviderError> {
    let rows = std::mem::take(&mut lists.types);
    let listed = rows.len();
    let mut unreadable = 0;
    let mut seen = HashSet::new();
    let mut offers = Vec::new();
    let mut dropped = Tally::default();
    for row in rows {
        let Some(machine) = instance_type(row) else {
            unreadable += 1;
            dropped.add(DroppedBecause::Unreadable);
            continue;
        };
        if machine.count < 1.0 {
            continue;
        }
        match (query.interest)(&machine.id, Some(&machine.hardware)) {
            Interest::NotRequested => {
                dropped.add(DroppedBecause::NotRequested);
                continue;
            }
            // Without a known id and without a GPU name, the type cannot be identified.
            Interest::Unknown if machine.hardware.name.is_empty() => {
                unreadable += 1;
                dropped.add(DroppedBecause::Unreadable);
                continue;
            }
            Interest::Requested | Interest::Unknown => {}
        }
        // A type that is listed many times would multiply the locations that sell it.
        if !seen.insert(machine.id.clone()) {
            dropped.add(DroppedBecause::Repeated);
            continue;
        }
        let offer = offer(machine, &lists);
        if offer.prices.is_empty() {
            dropped.add(DroppedBecause::NoPrice);
        }
        offers.push(offer);
    }
    if listed > 0 && unreadable == listed {
        return Err(ProviderError::unreadable(ID, listed));
    }
    Ok((offers, dropped))
}

/// Returns the offer of a type, with its prices by location.
fn offer(machine: InstanceType, lists: &VerdaLists) -> Offer {
    let mut regions = RegionList::default();
    let mut prices = Vec::new();
    for (capacity, usd, stock) in [
        (CapacityType::OnDemand, machine.on_demand, &lists.on_demand),
        (CapacityType::Spot, machine.spot, &lists.spot),
    ] {
        let locations = stock.as_ref().and_then(|stock| stock.get(&machine.id));
        let locations: BTreeSet<&String> = locations.into_iter().flatten().collect();
        for location in &locations {
            let country = lists.countries.get(*location).map(String::as_str);
            regions.add(location, country);
        }
        let Some(usd) = usd else { continue };
        let price = |region: Option<&String>, availability| Price {
            region: region.cloned(),
            availability,
            ..Price::new(capacity, usd)
        };
        let available = locations.iter().map(|location| Some(*location));
        prices.extend(available.map(|location| price(location, Availability::Available)));
        if locations.is_empty() {
            let elsewhere = match stock {
                Some(_) => Availability::Unavailable,
                None => Availability::Unknown,
            };
            prices.push(price(None, elsewhere));
        }
    }
    Offer {
        id: machine.id,
        hardware: Some(machine.hardware),
        count: Some(machine.count),
        vcpu: machine.vcpu,
        host_memory_gib: machine.host_memory_gib,
        regions: regions.done(),
        prices,
        ..Offer::default()
    }
}

/// `8x H100 SXM5 80GB` describes `H100 SXM5`.
fn described(description: &str) -> Option<String> {
    let (count, rest) = description.split_once("x ")?;
    (!count.is_empty() && count.bytes().all(|b| b.is_ascii_digit())).then(|| without_size(rest))
}

/// `H100 SXM5 80GB` describes `H100 SXM5`.
fn described_alone(name: &str) -> Option<String> {
    let name = without_size(name);
    (!name.is_empty()).then_some(name)
}

fn without_size(text: &str) -> String {
    let is_size = |word: &str| {
        word.strip_suffix("GB")
            .is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
    };
    let words = text.split_whitespace().filter(|word| !is_size(word));
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offer::{Dropped, Region};
    use crate::query::Counts;

    fn query() -> Query<'static> {
        Query::everything(Counts {
            min: 1.0,
            max: None,
        })
    }

    #[test]
    fn descriptions_name_the_gpu() {
        assert_eq!(described("8x H100 SXM5 80GB").as_deref(), Some("H100 SXM5"));
        assert_eq!(
            described("1x B200 SXM6 180GB").as_deref(),
            Some("B200 SXM6")
        );
        assert_eq!(described("AMD 7900XTX"), None);
        assert_eq!(
            described_alone("RTX PRO 6000 96GB").as_deref(),
            Some("RTX PRO 6000")
        );
    }

    #[test]
    fn types_are_priced_and_in_stock_by_location() {
        let types = br#"[
            {"instance_type":"8H100.80S.176V","currency":"usd","gpu":{"description":"8x H100 SXM5 80GB","number_of_gpus":8},
             "gpu_memory":{"size_in_gigabytes":640},"cpu":{"number_of_cores":176},"memory":{"size_in_gigabytes":1480},
             "price_per_hour":"18.32","spot_price":"6.41"},
            {"instance_type":"1V100.6V","gpu":{"number_of_gpus":1,"description":"1x Tesla V100 16GB"},"price_per_hour":0.14,"spot_price":null},
            {"instance_type":"1L40S.20V","currency":"eur","gpu":{"number_of_gpus":1,"description":"1x L40S 48GB"},"price_per_hour":"0.9"},
            {"instance_type":"CPU.4V.16G","gpu":{"number_of_gpus":0},"price_per_hour":"0.03"}, null]"#;
        let stock = br#"[{"location_code":"ICE-01","availabilities":["8H100.80S.176V"]},{"location_code":"FIN-01","availabilities":[]}]"#;
        let locations = br#"[{"code":"ICE-01","country_code":"IS"}]"#;
        let (lists, problems) = read(types, stock, b"[]", locations).unwrap();
        assert!(problems.is_empty());
        let (offers, dropped) = offers(&query(), lists).unwrap();
        assert_eq!(offers.len(), 3);
        // A price in euros is dropped, but the type is still sold.
        assert!(offers[2].prices.is_empty());
        let h100 = &offers[0];
        assert_eq!(h100.hardware.as_ref().unwrap().memory_gb, Some(80.0));
        assert_eq!(
            h100.regions,
            [Region {
                id: "ICE-01".to_owned(),
                country: Some("IS".to_owned())
            }]
        );
        assert_eq!(h100.prices[0].availability, Availability::Available);
        assert_eq!(h100.prices[1].availability, Availability::Unavailable);
        assert_eq!(offers[1].prices.len(), 1);
        assert_eq!(
            dropped.done(),
            [
                Dropped {
                    because: DroppedBecause::NoPrice,
                    rows: 1,
                    line: None
                },
                Dropped {
                    because: DroppedBecause::Unreadable,
                    rows: 1,
                    line: None
                }
            ]
        );
    }

    fn read(
        types: &[u8],
        on_demand: &[u8],
        spot: &[u8],
        locations: &[u8],
    ) -> Result<(VerdaLists, Vec<ProviderError>), ProviderError> {
        let [types, on_demand, spot, locations] =
            [types, on_demand, spot, locations].map(|body| Ok(body.to_vec()));
        lists(types, on_demand, spot, locations)
    }

    #[test]
    fn answers_that_are_not_lists_are_errors() {
        for body in ["", "{}", "null", "<html>", "\"x\""] {
            assert!(
                read(body.as_bytes(), b"[]", b"[]", b"[]").is_err(),
                "{body}"
            );
            // Without stock, the types are still listed, with a problem.
            let (lists, problems) = read(b"[]", body.as_bytes(), b"[]", b"[]").unwrap();
            assert_eq!(
                (lists.on_demand.is_none(), problems.len()),
                (true, 1),
                "{body}"
            );
        }
    }

    #[test]
    fn unreadable_types_are_a_failure() {
        let offers_of = |rows: &str, interest: &dyn Fn(&str, Option<&Hardware>) -> Interest| {
            let (lists, _) = read(rows.as_bytes(), b"[]", b"[]", b"[]").unwrap();
            offers(
                &Query {
                    interest,
                    ..query()
                },
                lists,
            )
        };
        let requested = |_: &str, _: Option<&Hardware>| Interest::Requested;
        let unknown = |_: &str, _: Option<&Hardware>| Interest::Unknown;
        let not_requested = |_: &str, _: Option<&Hardware>| Interest::NotRequested;
        let complete_row = r#"{"instance_type":"1X","gpu":{"description":"1x X 1GB","number_of_gpus":1},"price_per_hour":"1"}"#;
        let nameless = r#"{"instance_type":"1X","gpu":{"number_of_gpus":1},"price_per_hour":"1"}"#;
        let unpriced = r#"{"instance_type":"1X","gpu":{"description":"1x X 1GB","number_of_gpus":1},"price":"1"}"#;
        let uncounted =
            r#"{"instance_type":"1X","gpu":{"description":"1x X 1GB"},"price_per_hour":"1"}"#;
        let rows = format!("[null,{unpriced},{uncounted}]");
        let error = offers_of(&rows, &requested).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Protocol);
        assert_eq!(
            error.message,
            "none of the 3 rows of its answer can be read"
        );
        // A known id is enough; a type without id and name is dropped.
        assert!(offers_of(&format!("[{nameless}]"), &unknown).is_err());
        assert_eq!(
            offers_of(&format!("[{nameless}]"), &requested)
                .unwrap()
                .0
                .len(),
            1
        );
        // One readable row is enough, even if its type is not requested.
        assert!(offers_of(&format!("[null,{complete_row}]"), &requested).is_ok());
        assert!(offers_of(&format!("[null,{complete_row}]"), &not_requested).is_ok());
        assert!(offers_of("[]", &requested).is_ok());
    }

    #[test]
    fn stock_of_which_no_row_can_be_read_is_unknown() {
        for rows in [
            r#"[{"location":"FIN-01","availabilities":["1X"]}]"#,
            r#"[{"location_code":"FIN-01","availabilities":"1X"},null]"#,
        ] {
            let (lists, problems) = read(b"[]", rows.as_bytes(), b"[]", b"[]").unwrap();
            assert!(lists.on_demand.is_none(), "{rows}");
            assert_eq!(problems.len(), 1, "{rows}");
            assert!(problems[0].message.ends_with("(availabilities)"), "{rows}");
        }
        let (_, problems) = read(b"[]", b"[]", b"[]", b"[{\"name\":\"X\"}]").unwrap();
        assert_eq!(problems.len(), 1);
    }

    #[test]
    fn unknown_stock_is_not_no_stock() {
        let types = br#"[{"instance_type":"1X","gpu":{"description":"1x X 1GB","number_of_gpus":1},"price_per_hour":"1"}]"#;
        let stock = |body: &[u8]| {
            let (lists, _) = read(types, body, b"[]", b"[]").unwrap();
            offers(&query(), lists).unwrap().0[0].prices[0].availability
        };
        assert_eq!(stock(b"[]"), Availability::Unavailable);
        assert_eq!(stock(b"<html>"), Availability::Unknown);
    }

    #[test]
    fn repeated_types_and_locations_count_once() {
        let row = r#"{"instance_type":"1X","gpu":{"description":"1x X 1GB","number_of_gpus":1},"price_per_hour":"1"}"#;
        let types = format!("[{}]", vec![row; 1000].join(","));
        let here = r#"{"location_code":"FIN-01","availabilities":["1X","1X"]}"#;
        let stock = format!("[{}]", vec![here; 900].join(","));
        let (lists, _) = read(types.as_bytes(), stock.as_bytes(), b"[]", b"[]").unwrap();
        let (offers, dropped) = offers(&query(), lists).unwrap();
        let [offer] = &offers[..] else {
            panic!("{} offers", offers.len());
        };
        assert_eq!((offer.regions.len(), offer.prices.len()), (1, 1));
        assert_eq!(dropped.because(DroppedBecause::Repeated), 999);
    }
}
