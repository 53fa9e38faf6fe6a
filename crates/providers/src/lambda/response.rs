//! Parses the answer. No I/O.

use serde::Deserialize;
use sky_accel_core::catalog::{Availability, CapacityType};

use crate::error::ProviderError;
use crate::json::{Maybe, MaybeList, MaybeMap, MaybeObject, document, positive};
use crate::obtainability::{Obtainability, StockState};
use crate::offer::{Hardware, Offer, Price, RegionList, Tally};
use crate::offer_list::OfferList;
use crate::query::Query;

/// The id of Lambda in the catalog.
pub(super) const ID: &str = "lambda";

const SOURCE: &str = "instance types";
const CENTS: f64 = 100.0;

#[derive(Default, Deserialize)]
#[serde(default)]
struct TypesDocument {
    data: MaybeMap<MaybeObject<TypeEntry>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct TypeEntry {
    instance_type: MaybeObject<LambdaType>,
    regions_with_capacity_available: MaybeList<MaybeObject<RegionData>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct LambdaType {
    name: Maybe<String>,
    gpu_description: Maybe<String>,
    /// For the whole machine.
    price_cents_per_hour: Maybe<f64>,
    specs: MaybeObject<SpecsData>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct SpecsData {
    vcpus: Maybe<f64>,
    memory_gib: Maybe<f64>,
    gpus: Maybe<f64>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct RegionData {
    name: Maybe<String>,
}

/// Returns an offer for each instance type with GPUs.
pub(super) fn offers(query: &Query<'_>, body: &[u8]) -> Result<(Vec<Offer>, Tally), ProviderError> {
    let document: TypesDocument = document(ID, body)?;
    let types = document.data.0;
    let types = types.ok_or_else(|| ProviderError::no_list(ID, "instance types"))?;
    let mut types: Vec<_> = types.into_iter().collect();
    types.sort_unstable_by(|(a, _), (b, _)| a.cmp(b));
    let mut list = OfferList::default();
    for (_, entry) in types {
        list.add(query, entry.0.and_then(offer));
    }
    list.done(ID)
}

/// Reads a type; `None` if its id or its number of GPUs is missing, or a number is invalid.
fn offer(entry: TypeEntry) -> Option<Offer> {
    let data = entry.instance_type.0?;
    let specs = data.specs.0?;
    let id = data.name.0?;
    let count = specs.gpus.0?;
    data.price_cents_per_hour.0?;
    let mut regions = RegionList::default();
    // Without the list, stock is unknown.
    let is_told = entry.regions_with_capacity_available.0.is_some();
    for region in entry.regions_with_capacity_available.items() {
        if let Some(name) = region.0.and_then(|region| region.name.0) {
            regions.add(&name, None);
        }
    }
    let regions = regions.done();
    let record = |state| Obtainability {
        state,
        is_account_specific: true,
        ..Obtainability::new(CapacityType::OnDemand, 1, SOURCE)
    };
    let mut obtainability: Vec<Obtainability> = regions
        .iter()
        .map(|region| record(StockState::Available).in_region(&region.id))
        .collect();
    if regions.is_empty() && is_told {
        obtainability.push(record(StockState::Unavailable));
    }
    let mut prices = Vec::new();
    if let Some(cents) = positive(data.price_cents_per_hour) {
        let price = |region: Option<String>, availability| Price {
            region,
            availability,
            ..Price::new(CapacityType::OnDemand, cents / CENTS)
        };
        prices.extend(
            regions
                .iter()
                .map(|region| price(Some(region.id.clone()), Availability::Available)),
        );
        if regions.is_empty() {
            let availability = if is_told {
                Availability::Unavailable
            } else {
                Availability::Unknown
            };
            prices.push(price(None, availability));
        }
    }
    Some(Offer {
        id,
        hardware: data.gpu_description.0.as_deref().map(hardware),
        count: Some(count),
        vcpu: positive(specs.vcpus),
        host_memory_gib: positive(specs.memory_gib),
        regions,
        prices,
        obtainability,
        ..Offer::default()
    })
}

/// `H100 (80 GB SXM5)` is an `H100 SXM5` with 80 GB.
fn hardware(description: &str) -> Hardware {
    let (name, details) = description
        .strip_suffix(')')
        .and_then(|text| text.split_once('('))
        .unwrap_or((description, ""));
    let words: Vec<&str> = details.split_whitespace().collect();
    let (memory_gb, form) = match words.as_slice() {
        [number, "GB", form @ ..] => (number.parse().ok(), form),
        form => (None, form),
    };
    let name: Vec<&str> = name
        .split_whitespace()
        .chain(form.iter().copied())
        .collect();
    Hardware {
        name: name.join(" "),
        memory_gb: memory_gb.filter(|gb: &f64| gb.is_finite() && *gb > 0.0),
        ..Hardware::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::offer::DroppedBecause;
    use crate::query::Counts;

    fn read(body: &str) -> Result<(Vec<Offer>, Tally), ProviderError> {
        let counts = Counts {
            min: 1.0,
            max: None,
        };
        offers(&Query::everything(counts), body.as_bytes())
    }

    #[test]
    fn descriptions_name_the_gpu_and_its_memory() {
        let of = |text| {
            let hardware = hardware(text);
            (hardware.name, hardware.memory_gb)
        };
        assert_eq!(
            of("H100 (80 GB SXM5)"),
            ("H100 SXM5".to_owned(), Some(80.0))
        );
        assert_eq!(of("GH200 (96 GB)"), ("GH200".to_owned(), Some(96.0)));
        assert_eq!(of("A10"), ("A10".to_owned(), None));
        assert_eq!(of("N/A"), ("N/A".to_owned(), None));
        assert_eq!(of("X (inf GB)"), ("X".to_owned(), None));
    }

    #[test]
    fn types_are_in_stock_in_the_listed_regions() {
        let (offers, dropped) = read(
            r#"{"data":{
            "gpu_8x_h100_sxm5":{"instance_type":{"name":"gpu_8x_h100_sxm5","gpu_description":"H100 (80 GB SXM5)",
              "price_cents_per_hour":2392,"specs":{"vcpus":208,"memory_gib":1800,"gpus":8}},
              "regions_with_capacity_available":[{"name":"us-east-1"},{"name":"us-east-1"},{"name":"us-west-2"}]},
            "gpu_1x_a10":{"instance_type":{"name":"gpu_1x_a10","gpu_description":"A10 (24 GB PCIe)",
              "price_cents_per_hour":75,"specs":{"gpus":1}},"regions_with_capacity_available":[]},
            "gpu_1x_gh200":{"instance_type":{"name":"gpu_1x_gh200","gpu_description":"GH200 (96 GB)",
              "price_cents_per_hour":149,"specs":{"gpus":1}}},
            "cpu_4x_general":{"instance_type":{"name":"cpu_4x_general","gpu_description":"N/A",
              "price_cents_per_hour":20,"specs":{"gpus":0}},"regions_with_capacity_available":[]},
            "broken":{"instance_type":{"name":"broken"}}}}"#,
        )
        .unwrap();
        let shown: Vec<_> = offers
            .iter()
            .map(|offer| {
                let price = &offer.prices[0];
                let states: Vec<_> = offer.obtainability.iter().map(|one| one.state).collect();
                (&*offer.id, price.per_hour, price.availability, states)
            })
            .collect();
        let yes = StockState::Available;
        assert_eq!(
            shown,
            [
                // An empty list means zero stock; a missing list leaves the stock unknown.
                (
                    "gpu_1x_a10",
                    0.75,
                    Availability::Unavailable,
                    vec![StockState::Unavailable]
                ),
                ("gpu_1x_gh200", 1.49, Availability::Unknown, vec![]),
                (
                    "gpu_8x_h100_sxm5",
                    23.92,
                    Availability::Available,
                    vec![yes, yes]
                ),
            ]
        );
        let record = &offers[2].obtainability[1];
        assert_eq!(record.place.region.as_deref(), Some("us-west-2"));
        assert_eq!((record.machines, record.is_account_specific), (1, true));
        assert_eq!(dropped.because(DroppedBecause::Unreadable), 1);
    }

    #[test]
    fn answers_without_types_are_errors() {
        for body in [
            "",
            "[]",
            "{}",
            "null",
            "<html>",
            r#"{"data":[]}"#,
            r#"{"data":{}}"#,
        ] {
            let error = read(body).unwrap_err();
            assert_eq!(error.kind, ErrorKind::Protocol, "{body}");
        }
    }
}
