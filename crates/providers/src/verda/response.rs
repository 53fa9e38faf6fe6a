//! Verda's answers, parsed: no I/O.

use std::collections::HashMap;

use serde::Deserialize;

use crate::error::{ErrorKind, ProviderError};
use crate::json::{List, Maybe, Row, positive};
use crate::offer::{
    Availability, Capacity, Dropped, DroppedBecause, Hardware, Offer, Price, Region, Tally,
};
use crate::query::{Interest, Query};

use super::ID;

#[derive(Default, Deserialize)]
#[serde(default)]
struct TokenData {
    access_token: Maybe<String>,
}

/// The token of a login.
pub(super) fn token(body: &[u8]) -> Option<String> {
    let data: Row<TokenData> = serde_json::from_slice(body).ok()?;
    data.0?.access_token.0
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct TypeData {
    instance_type: Maybe<String>,
    model: Maybe<String>,
    name: Maybe<String>,
    manufacturer: Maybe<String>,
    currency: Maybe<String>,
    cpu: Row<Cpu>,
    gpu: Row<Gpu>,
    memory: Row<Memory>,
    gpu_memory: Row<Memory>,
    price_per_hour: Maybe<f64>,
    spot_price: Maybe<f64>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Cpu {
    number_of_cores: Maybe<f64>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Gpu {
    description: Maybe<String>,
    number_of_gpus: Maybe<f64>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct Memory {
    size_in_gigabytes: Maybe<f64>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct StockData {
    location_code: Maybe<String>,
    availabilities: List<Maybe<String>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct LocationData {
    code: Maybe<String>,
    country_code: Maybe<String>,
}

/// Instance types by location.
type Stock = HashMap<String, Vec<String>>;

/// All lists.
pub(super) struct Lists {
    types: Vec<Row<TypeData>>,
    /// `None`: not known.
    on_demand: Option<Stock>,
    spot: Option<Stock>,
    countries: HashMap<String, String>,
}

fn list<T: for<'de> Deserialize<'de>>(body: &[u8], what: &str) -> Result<Vec<T>, ProviderError> {
    let list: Option<List<T>> = serde_json::from_slice(body).ok();
    list.and_then(|list| list.0).ok_or_else(|| {
        ProviderError::new(
            ID,
            ErrorKind::Protocol,
            format!("the answer has no list of {what}"),
        )
    })
}

/// An answer that is still to be read.
type Body = Result<Vec<u8>, ProviderError>;

/// Parses the four lists. Without types there is nothing; without stock nobody knows what is
/// there; without locations only their countries are missing.
pub(super) fn lists(
    types: Body,
    on_demand: Body,
    spot: Body,
    locations: Body,
) -> Result<(Lists, Vec<ProviderError>), ProviderError> {
    let types = list(&types?, "instance types")?;
    let mut problems = Vec::new();
    let mut stock_of = |body: Body| match body.and_then(|body| stock(&body)) {
        Ok(stock) => Ok(Some(stock)),
        // A token that has expired is worth a new one.
        Err(error) if error.kind == ErrorKind::CredentialsRefused => Err(error),
        Err(error) => {
            problems.push(error);
            Ok(None)
        }
    };
    let (on_demand, spot) = (stock_of(on_demand)?, stock_of(spot)?);
    let locations = locations.and_then(|body| list::<Row<LocationData>>(&body, "locations"));
    let locations = locations.unwrap_or_else(|error| {
        problems.push(error);
        Vec::new()
    });
    let countries = locations.into_iter().filter_map(|row| {
        let row = row.0?;
        Some((row.code.0?, row.country_code.0?.to_ascii_uppercase()))
    });
    let lists = Lists {
        types,
        on_demand,
        spot,
        countries: countries.collect(),
    };
    Ok((lists, problems))
}

fn stock(body: &[u8]) -> Result<Stock, ProviderError> {
    let rows: Vec<Row<StockData>> = list(body, "availabilities")?;
    let mut stock = Stock::new();
    for row in rows.into_iter().filter_map(|row| row.0) {
        let Some(location) = row.location_code.0 else {
            continue;
        };
        for id in row.availabilities.items().into_iter().filter_map(|id| id.0) {
            stock.entry(id).or_default().push(location.clone());
        }
    }
    Ok(stock)
}

/// An offer for each instance type with GPUs.
pub(super) fn offers(
    query: &Query<'_>,
    lists: Lists,
) -> Result<(Vec<Offer>, Vec<Dropped>), ProviderError> {
    let all = lists.types.len() as u32;
    let mut offers = Vec::new();
    let mut dropped = Tally::default();
    for row in lists.types {
        let row = row.0.unwrap_or_default();
        let Some(id) = row.instance_type.0 else {
            dropped.add(DroppedBecause::Unreadable);
            continue;
        };
        let gpu = row.gpu.0.unwrap_or_default();
        // No GPU, or a count that nobody can read.
        let count = match gpu.number_of_gpus.0 {
            Some(count) if count >= 1.0 => count,
            Some(_) => continue,
            None => {
                dropped.add(DroppedBecause::Unreadable);
                continue;
            }
        };
        let total_gb = row
            .gpu_memory
            .0
            .and_then(|memory| positive(memory.size_in_gigabytes));
        let described = gpu.description.0.as_deref().and_then(described);
        let hardware = Hardware {
            name: described
                .or(row.name.0.as_deref().and_then(described_alone))
                .or(row.model.0)
                .unwrap_or_default(),
            manufacturer: row.manufacturer.0,
            memory_mib: None,
            memory_gb: total_gb.map(|gb| gb / count),
        };
        if (query.interest)(&id, Some(&hardware)) == Interest::Unwanted {
            continue;
        }
        // Another currency is no price in dollars.
        let is_usd = row
            .currency
            .0
            .as_deref()
            .is_none_or(|c| c.eq_ignore_ascii_case("usd"));
        let mut regions: Vec<Region> = Vec::new();
        let mut prices = Vec::new();
        for (capacity, usd, stock) in [
            (
                Capacity::OnDemand,
                positive(row.price_per_hour),
                &lists.on_demand,
            ),
            (Capacity::Spot, positive(row.spot_price), &lists.spot),
        ] {
            let own = stock.as_ref().and_then(|stock| stock.get(&id));
            let locations = own.map(Vec::as_slice).unwrap_or_default();
            for location in locations {
                if regions.iter().all(|region| region.id != *location) {
                    let country = lists.countries.get(location).cloned();
                    regions.push(Region {
                        id: location.clone(),
                        country,
                    });
                }
            }
            let Some(usd) = usd.filter(|_| is_usd) else {
                continue;
            };
            let price = |region: Option<&String>, availability| Price {
                capacity,
                usd,
                region: region.cloned(),
                tier: None,
                zone: None,
                listing: None,
                availability,
                as_of: 0,
            };
            prices.extend(
                locations
                    .iter()
                    .map(|l| price(Some(l), Availability::Available)),
            );
            if locations.is_empty() {
                let known = stock.is_some();
                let elsewhere = if known {
                    Availability::Unavailable
                } else {
                    Availability::Unknown
                };
                prices.push(price(None, elsewhere));
            }
        }
        if prices.is_empty() {
            dropped.add(DroppedBecause::NoPrice);
            continue;
        }
        offers.push(Offer {
            id,
            display_name: None,
            hardware: Some(hardware),
            count: Some(count),
            vcpu: row.cpu.0.and_then(|cpu| positive(cpu.number_of_cores)),
            host_memory_gib: row
                .memory
                .0
                .and_then(|memory| positive(memory.size_in_gigabytes)),
            host_arch: None,
            regions,
            prices,
            ..Offer::default()
        });
    }
    let dropped = dropped.done();
    if dropped.contains(&Dropped {
        because: DroppedBecause::Unreadable,
        rows: all,
    }) {
        return Err(ProviderError::new(
            ID,
            ErrorKind::Protocol,
            "none of the instance types can be read",
        ));
    }
    Ok((offers, dropped))
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
    use crate::query::Counts;

    fn query() -> Query<'static> {
        Query {
            ids: &[],
            accelerators: &[],
            interest: &|_, _| Interest::Wanted,
            counts: Counts {
                min: 1.0,
                max: None,
            },
            places: None,
            on_demand: true,
            spot: true,
            disk_gb: 0.0,
            spot_scores: false,
            capacity_block_hours: None,
            quota: None,
        }
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
        assert_eq!(offers.len(), 2);
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
            dropped,
            [
                Dropped {
                    because: DroppedBecause::NoPrice,
                    rows: 1
                },
                Dropped {
                    because: DroppedBecause::Unreadable,
                    rows: 1
                }
            ]
        );
    }

    fn read(
        types: &[u8],
        on_demand: &[u8],
        spot: &[u8],
        locations: &[u8],
    ) -> Result<(Lists, Vec<ProviderError>), ProviderError> {
        let [types, on_demand, spot, locations] =
            [types, on_demand, spot, locations].map(|body| Ok(body.to_vec()));
        lists(types, on_demand, spot, locations)
    }

    #[test]
    fn what_is_no_list_is_no_answer() {
        for body in ["", "{}", "null", "<html>", "\"x\""] {
            assert!(
                read(body.as_bytes(), b"[]", b"[]", b"[]").is_err(),
                "{body}"
            );
            // Without stock the types are still known, and that something is missing.
            let (lists, problems) = read(b"[]", body.as_bytes(), b"[]", b"[]").unwrap();
            assert_eq!(
                (lists.on_demand.is_none(), problems.len()),
                (true, 1),
                "{body}"
            );
        }
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
}
