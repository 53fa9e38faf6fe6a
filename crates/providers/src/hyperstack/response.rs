//! Parses the answers. No I/O.

use std::collections::HashMap;

use serde::Deserialize;
use sky_accel_core::catalog::{Availability, CapacityType};

use crate::error::{ErrorKind, ProviderError};
use crate::json::{Maybe, MaybeList, MaybeMap, MaybeObject, document, positive};
use crate::obtainability::{CountQualifier, Obtainability, StockCount, StockState, StockUnit};
use crate::offer::{Hardware, Offer, Price, Region, Tally};
use crate::offer_list::OfferList;
use crate::query::Query;

/// The id of Hyperstack in the catalog.
pub(super) const ID: &str = "hyperstack";

const SOURCE: &str = "GPU stocks";
/// The end of the names of GPUs and flavors that are sold as spot machines.
const SPOT: &str = "-spot";

#[derive(Default, Deserialize)]
#[serde(default)]
struct FlavorsDocument {
    data: MaybeList<MaybeObject<FlavorGroup>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct FlavorGroup {
    region_name: Maybe<String>,
    flavors: MaybeList<MaybeObject<FlavorData>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct FlavorData {
    name: Maybe<String>,
    region_name: Maybe<String>,
    cpu: Maybe<f64>,
    /// In GB.
    ram: Maybe<f64>,
    gpu: Maybe<String>,
    gpu_count: Maybe<f64>,
    stock_available: Maybe<bool>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct StocksDocument {
    stocks: MaybeList<MaybeObject<RegionStock>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct RegionStock {
    region: Maybe<String>,
    models: MaybeList<MaybeObject<ModelStock>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct ModelStock {
    model: Maybe<String>,
    /// A number of GPUs, such as `3`, or a lower bound, such as `10+`.
    available: Maybe<String>,
    /// The number of machines that can be created, by the number of GPUs, such as `8x`.
    configurations: MaybeMap<Maybe<f64>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct PriceRow {
    name: Maybe<String>,
    /// US dollars per hour and unit.
    value: Maybe<f64>,
}

/// The free GPUs of a model in a region.
#[derive(Default)]
struct FreeDevices {
    devices: Option<StockCount>,
    machines: HashMap<String, u32>,
}

/// The stock by region and model; `None` if unknown.
type Stocks = Option<HashMap<(String, String), FreeDevices>>;

/// The outcome of a request, not parsed yet.
type ListBody = Result<Vec<u8>, ProviderError>;

/// The offers, the dropped rows, and the errors of parts of the answer.
type ReadOffers = ((Vec<Offer>, Tally), Vec<ProviderError>);

/// Returns an offer for each flavor with GPUs. Without flavors, the whole answer fails; without
/// stock, stock is unknown; without the price book, prices are missing.
pub(super) fn offers(
    query: &Query<'_>,
    flavors: ListBody,
    stock: ListBody,
    prices: ListBody,
) -> Result<ReadOffers, ProviderError> {
    let document: FlavorsDocument = document(ID, &flavors?)?;
    let groups = document.data.0;
    let groups = groups.ok_or_else(|| ProviderError::no_list(ID, "flavors"))?;
    let mut problems = Vec::new();
    let mut unread = 0;
    let stock = stock.and_then(|body| stocks(&body, &mut unread));
    let stock = part(stock, &mut problems)?;
    let prices = part(prices.and_then(|body| price_book(&body)), &mut problems)?;
    let prices = prices.unwrap_or_default();
    if unread > 0 {
        let message = format!("{unread} rows of its stock cannot be read");
        problems.push(ProviderError::new(ID, ErrorKind::Protocol, message));
    }
    let mut list = OfferList::default();
    for group in groups {
        let Some(group) = group.0 else {
            list.add(query, None);
            continue;
        };
        let place = group.region_name.0;
        for flavor in group.flavors.items() {
            let flavor = flavor.0.and_then(|flavor| {
                let region = flavor.region_name.0.clone().or_else(|| place.clone());
                offer(query, flavor, region, &stock, &prices)
            });
            list.add(query, flavor);
        }
    }
    Ok((list.done(ID)?, problems))
}

/// Adds the error of a part to the problems. A refused key is refused for all parts.
fn part<T>(
    part: Result<T, ProviderError>,
    problems: &mut Vec<ProviderError>,
) -> Result<Option<T>, ProviderError> {
    match part {
        Ok(part) => Ok(Some(part)),
        Err(error) if error.kind == ErrorKind::CredentialsRefused => Err(error),
        Err(error) => {
            problems.push(error);
            Ok(None)
        }
    }
}

fn stocks(
    body: &[u8],
    unread: &mut usize,
) -> Result<HashMap<(String, String), FreeDevices>, ProviderError> {
    const WHAT: &str = "stocks";
    let document: StocksDocument = document(ID, body)?;
    let regions = document.stocks.0;
    let regions = regions.ok_or_else(|| ProviderError::no_list(ID, WHAT))?;
    let mut stock = HashMap::new();
    let mut listed = 0;
    for region in regions {
        let (place, models) = match region.0 {
            Some(region) => (region.region.0, region.models.items()),
            None => (None, Vec::new()),
        };
        let Some(place) = place else {
            listed += 1;
            *unread += 1;
            continue;
        };
        for model in models {
            listed += 1;
            let row = model.0.and_then(free_devices);
            match row {
                Some((model, free)) => {
                    stock.entry((place.clone(), model)).or_insert(free);
                }
                None => *unread += 1,
            }
        }
    }
    if listed > 0 && *unread == listed {
        *unread = 0;
        let mut error = ProviderError::unreadable(ID, listed);
        error.message = format!("{} ({WHAT})", error.message);
        return Err(error);
    }
    Ok(stock)
}

/// Reads a row; `None` if the model is missing or the number is invalid.
fn free_devices(row: ModelStock) -> Option<(String, FreeDevices)> {
    let devices = row.available.0.as_deref().map(count);
    let devices = match devices {
        Some(None) => return None,
        Some(count) => count,
        None => None,
    };
    let machines = row.configurations.0.unwrap_or_default().into_iter();
    let machines = machines.filter_map(|(size, count)| Some((size, whole(count.0?)?)));
    let free = FreeDevices {
        devices,
        machines: machines.collect(),
    };
    Some((row.model.0?, free))
}

/// Returns a whole number; `None` for a fraction, a negative number or a huge number.
fn whole(number: f64) -> Option<u32> {
    let is_whole = number.fract() == 0.0 && (0.0..=f64::from(u32::MAX)).contains(&number);
    is_whole.then_some(number as u32)
}

/// `10+` is at least 10, and `3` is exactly 3.
fn count(text: &str) -> Option<StockCount> {
    let (digits, qualifier) = match text.strip_suffix('+') {
        Some(digits) => (digits, CountQualifier::AtLeast),
        None => (text, CountQualifier::Exact),
    };
    Some(StockCount {
        value: digits.trim().parse().ok()?,
        qualifier,
        unit: StockUnit::Accelerators,
    })
}

/// Returns the price per GPU and hour, by model.
fn price_book(body: &[u8]) -> Result<HashMap<String, f64>, ProviderError> {
    const WHAT: &str = "prices";
    let rows: MaybeList<MaybeObject<PriceRow>> = document(ID, body)?;
    let rows = rows.0.ok_or_else(|| ProviderError::no_list(ID, WHAT))?;
    let listed = rows.len();
    let rows = rows.into_iter().filter_map(|row| row.0);
    let prices = rows.filter_map(|row| Some((row.name.0?, positive(row.value)?)));
    let prices: HashMap<_, _> = prices.collect();
    if prices.is_empty() {
        let mut error = ProviderError::unreadable(ID, listed);
        error.message = format!("{} ({WHAT})", error.message);
        return Err(error);
    }
    Ok(prices)
}

/// Reads a flavor; `None` if its name or its number of GPUs is missing.
fn offer(
    query: &Query<'_>,
    flavor: FlavorData,
    region: Option<String>,
    stock: &Stocks,
    prices: &HashMap<String, f64>,
) -> Option<Offer> {
    let id = flavor.name.0?;
    let gpus = flavor.gpu_count.0?;
    let gpu = flavor.gpu.0.unwrap_or_default();
    let (model, capacity) = match gpu.strip_suffix(SPOT) {
        Some(model) => (model, CapacityType::Spot),
        None => (&*gpu, CapacityType::OnDemand),
    };
    // The catalog has one offer for both capacity types.
    let id = match id.strip_suffix(SPOT) {
        Some(id) => id.to_owned(),
        None => id,
    };
    let free = stock
        .as_ref()
        .zip(region.as_ref())
        .and_then(|(stock, region)| {
            let row = |name: &str| stock.get(&(region.clone(), name.to_owned()));
            row(&gpu).or_else(|| row(model))
        });
    let mut record = record(query, free, gpus, capacity, flavor.stock_available.0);
    let availability = match record.state {
        StockState::Available => Availability::Available,
        StockState::Limited => Availability::Limited,
        StockState::Unavailable => Availability::Unavailable,
        _ => Availability::Unknown,
    };
    record.place.region.clone_from(&region);
    let price = prices.get(&gpu).map(|usd| Price {
        region: region.clone(),
        availability,
        ..Price::new(capacity, usd * gpus)
    });
    Some(Offer {
        id,
        hardware: (!model.is_empty()).then(|| hardware(model)),
        count: Some(gpus),
        vcpu: positive(flavor.cpu),
        host_memory_gib: positive(flavor.ram),
        regions: region
            .map(|id| Region { id, country: None })
            .into_iter()
            .collect(),
        prices: price.into_iter().collect(),
        obtainability: vec![record],
        ..Offer::default()
    })
}

/// Returns the answer for the requested number of machines.
fn record(
    query: &Query<'_>,
    free: Option<&FreeDevices>,
    gpus: f64,
    capacity: CapacityType,
    is_in_stock: Option<bool>,
) -> Obtainability {
    let record = Obtainability::new(capacity, query.machines, SOURCE);
    let machines = free.and_then(|free| free.machines.get(&format!("{gpus:.0}x")));
    let count = match machines {
        Some(value) => Some(StockCount {
            value: *value,
            qualifier: CountQualifier::Exact,
            unit: StockUnit::Machines,
        }),
        None => free.and_then(|free| free.devices),
    };
    let state = match count {
        Some(count) => {
            let machines = match count.unit {
                StockUnit::Machines => f64::from(count.value),
                StockUnit::Accelerators => (f64::from(count.value) / gpus).floor(),
            };
            let is_bound = count.qualifier == CountQualifier::AtLeast;
            if machines >= f64::from(query.machines) {
                StockState::Available
            } else if machines >= 1.0 {
                StockState::Limited
            } else if is_bound {
                StockState::Unknown
            } else {
                StockState::Unavailable
            }
        }
        // The flag of the flavor is for one machine.
        None => match (is_in_stock, query.machines) {
            (Some(true), 1) => StockState::Available,
            (Some(true), _) => StockState::Limited,
            (Some(false), _) => StockState::Unavailable,
            (None, _) => StockState::Unknown,
        },
    };
    Obtainability {
        state,
        count,
        ..record
    }
}

/// `H100-80G-PCIe-NVLink` is an `H100 PCIe` with 80 GB and bridges.
fn hardware(model: &str) -> Hardware {
    let memory_of = |word: &str| word.strip_suffix('G')?.parse::<u16>().ok();
    let words = model.split('-');
    let name: Vec<&str> = words
        .clone()
        .filter(|word| memory_of(word).is_none() && *word != "NVLink")
        .collect();
    Hardware {
        name: name.join(" "),
        memory_gb: words.clone().find_map(memory_of).map(f64::from),
        ..Hardware::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Counts;

    const FLAVORS: &str = r#"{"data":[{"gpu":"H100-80G-PCIe","region_name":"CANADA-1","flavors":[
        {"name":"n3-H100x1","region_name":"CANADA-1","cpu":28,"ram":180.0,"gpu":"H100-80G-PCIe","gpu_count":1,"stock_available":true},
        {"name":"n3-H100x8","region_name":"CANADA-1","gpu":"H100-80G-PCIe","gpu_count":8,"stock_available":true}]},
        {"gpu":"H100-80G-PCIe-spot","region_name":"CANADA-1","flavors":[
        {"name":"n3-H100x1-spot","gpu":"H100-80G-PCIe-spot","gpu_count":1}]},
        {"gpu":"","region_name":"NORWAY-1","flavors":[{"name":"n1-cpu-small","gpu":"","gpu_count":0}]}]}"#;
    const PRICES: &str =
        r#"[{"name":"H100-80G-PCIe","value":"1.9"},{"name":"H100-80G-PCIe-spot","value":1.52}]"#;

    fn stocks_of(available: &str, configurations: &str) -> String {
        format!(
            r#"{{"stocks":[{{"region":"CANADA-1","stock-type":"GPU","models":[
            {{"model":"L40","available":"0"}},
            {{"model":"H100-80G-PCIe","available":{available},"configurations":{configurations}}}]}}]}}"#
        )
    }

    fn read(machines: u32, stocks: &str, prices: &str) -> ReadOffers {
        let counts = Counts {
            min: 1.0,
            max: None,
        };
        let query = Query {
            machines,
            ..Query::everything(counts)
        };
        let body = |text: &str| Ok(text.as_bytes().to_vec());
        offers(&query, body(FLAVORS), body(stocks), body(prices)).unwrap()
    }

    #[test]
    fn flavors_are_priced_per_gpu_and_counted_by_machines() {
        let stocks = stocks_of("\"10+\"", r#"{"1x":12,"8x":1}"#);
        let ((offers, _), problems) = read(1, &stocks, PRICES);
        assert!(problems.is_empty());
        let prices: Vec<_> = offers
            .iter()
            .flat_map(|offer| &offer.prices)
            .map(|price| (price.capacity, price.per_hour, price.availability))
            .collect();
        let (on_demand, spot) = (CapacityType::OnDemand, CapacityType::Spot);
        let yes = Availability::Available;
        // Spot machines are another flavor of the provider, and one offer of the catalog.
        assert_eq!(
            prices,
            [
                (on_demand, 1.9, yes),
                (spot, 1.52, yes),
                (on_demand, 15.2, yes)
            ]
        );
        let hardware = offers[0].hardware.as_ref().unwrap();
        assert_eq!(
            (&*hardware.name, hardware.memory_gb),
            ("H100 PCIe", Some(80.0))
        );
        let counts = |machines| {
            let ((offers, _), _) = read(machines, &stocks, PRICES);
            let record = offers[1].obtainability[0].clone();
            (record.machines, record.state, record.count.unwrap().value)
        };
        assert_eq!(counts(1), (1, StockState::Available, 1));
        // One machine in stock does not answer a request for four.
        assert_eq!(counts(4), (4, StockState::Limited, 1));
    }

    #[test]
    fn bounds_are_no_exact_numbers() {
        let states = |available: &str, machines| {
            let ((offers, _), problems) = read(machines, &stocks_of(available, "null"), PRICES);
            let state = |offer: &Offer| offer.obtainability[0].state;
            let count = offers[0].obtainability[0].count;
            let count = count.map(|count| (count.value, count.qualifier));
            (state(&offers[0]), state(&offers[1]), count, problems.len())
        };
        let (yes, limited) = (StockState::Available, StockState::Limited);
        let at_least = |value| Some((value, CountQualifier::AtLeast));
        assert_eq!(states("\"10+\"", 1), (yes, yes, at_least(10), 0));
        assert_eq!(states("\"200+\"", 30), (yes, limited, at_least(200), 0));
        let three = Some((3, CountQualifier::Exact));
        assert_eq!(states("\"3\"", 1), (yes, StockState::Unavailable, three, 0));
        // Without a number, the flag of the flavor is for one machine; text instead of a number
        // makes the row unreadable.
        assert_eq!(states("null", 1), (yes, yes, None, 0));
        assert_eq!(states("null", 2), (limited, limited, None, 0));
        assert_eq!(states("\"abc\"", 1), (yes, yes, None, 1));
    }

    #[test]
    fn parts_may_be_missing() {
        let stocks = stocks_of("\"0\"", r#"{"1x":0}"#);
        let ((offers, _), problems) = read(1, &stocks, "<html>");
        assert_eq!((offers[0].prices.len(), problems.len()), (0, 1));
        assert_eq!(offers[0].obtainability[0].state, StockState::Unavailable);
        let ((offers, _), problems) = read(1, "{}", PRICES);
        assert_eq!((offers[0].prices.len(), problems.len()), (2, 1));
        // A list of which no region can be read is an error of the list, beside a readable one it is a gap.
        let nameless = r#"{"stocks":[{"models":[]}]}"#;
        let both = stocks.replace("[{\"region\"", "[{\"models\":[]},{\"region\"");
        for (stocks, is_list) in [(nameless, true), (&both, false)] {
            let (_, problems) = read(1, stocks, PRICES);
            assert_eq!(problems.len(), 1);
            let message = &problems[0].message;
            assert_eq!(message.ends_with("(stocks)"), is_list, "{message}");
        }
        // An answer without stock is not "no stock".
        assert_eq!(offers[0].obtainability[1].state, StockState::Unknown);
    }
}
