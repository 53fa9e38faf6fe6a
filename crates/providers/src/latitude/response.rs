//! Parses the answer. No I/O.

use std::collections::BTreeMap;

use serde::Deserialize;
use sky_accel_core::catalog::{Availability, CapacityType};

use crate::error::ProviderError;
use crate::json::{FromScalar, Maybe, MaybeList, MaybeMap, MaybeObject, document, positive};
use crate::obtainability::{
    CountQualifier, Likelihood, LikelihoodScale, Obtainability, StockCount, StockState, StockUnit,
};
use crate::offer::{Hardware, Offer, Price, RegionList, Tally};
use crate::offer_list::OfferList;
use crate::query::Query;

/// The id of Latitude.sh in the catalog.
pub(super) const ID: &str = "latitude";

const SOURCE: &str = "plans";
const USD: &str = "USD";

#[derive(Default, Deserialize)]
#[serde(default)]
struct PlansDocument {
    data: MaybeList<MaybeObject<PlanRow>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct PlanRow {
    attributes: MaybeObject<PlanData>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct PlanData {
    slug: Maybe<String>,
    name: Maybe<String>,
    specs: MaybeObject<SpecsData>,
    regions: MaybeList<MaybeObject<RegionData>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct SpecsData {
    memory: MaybeObject<MemoryData>,
    gpu: MaybeObject<GpuData>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct MemoryData {
    /// In GiB: modules of memory have such sizes, although the API calls them GB.
    total: Maybe<f64>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct GpuData {
    count: Maybe<f64>,
    #[serde(rename = "type")]
    name: Maybe<String>,
    /// In GB.
    vram_per_gpu: Maybe<f64>,
}

/// The sites of a country or an area, which have the same prices.
#[derive(Default, Deserialize)]
#[serde(default)]
struct RegionData {
    locations: MaybeObject<LocationsData>,
    stock_level: Maybe<String>,
    /// By currency.
    pricing: MaybeMap<MaybeObject<PricingData>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct LocationsData {
    available: MaybeList<Maybe<String>>,
    in_stock: MaybeList<Maybe<String>>,
    /// Only sites with stock are present.
    in_stock_count: MaybeMap<Maybe<f64>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct PricingData {
    hour: Maybe<f64>,
}

/// The stock of a site.
#[derive(Clone, Copy, Debug, PartialEq)]
struct SiteStock {
    state: StockState,
    count: Option<u32>,
}

/// Returns an offer for each plan with GPUs.
pub(super) fn offers(query: &Query<'_>, body: &[u8]) -> Result<(Vec<Offer>, Tally), ProviderError> {
    let document: PlansDocument = document(ID, body)?;
    let plans = document.data.0;
    let plans = plans.ok_or_else(|| ProviderError::no_list(ID, "plans"))?;
    let mut list = OfferList::default();
    for plan in plans {
        let plan = plan.0.and_then(|row| row.attributes.0);
        list.add(query, plan.and_then(offer));
    }
    list.done(ID)
}

/// Reads a plan; `None` if its name or its number of GPUs is missing. The list leaves out GPUs without a name.
fn offer(plan: PlanData) -> Option<Offer> {
    let specs = plan.specs.0?;
    let id = plan.name.0.or(plan.slug.0)?;
    let gpu = specs.gpu.0?;
    let count = gpu.count.0?;
    let mut regions = RegionList::default();
    let (mut prices, mut obtainability) = (Vec::new(), Vec::new());
    for region in plan.regions.items().into_iter().filter_map(|row| row.0) {
        let level = region.stock_level.0.as_deref();
        let price = price(&region.pricing);
        for (site, stock) in sites(region.locations, level) {
            regions.add(&site, None);
            if let Some((per_hour, currency)) = &price {
                prices.push(Price {
                    region: Some(site.clone()),
                    currency: currency.clone(),
                    availability: availability(stock.state),
                    ..Price::new(CapacityType::OnDemand, *per_hour)
                });
            }
            obtainability.push(record(&site, stock, level));
        }
    }
    Some(Offer {
        id,
        hardware: Some(Hardware {
            name: gpu.name.0.unwrap_or_default(),
            memory_gb: positive(gpu.vram_per_gpu),
            ..Hardware::default()
        }),
        count: Some(count),
        host_memory_gib: specs.memory.0.and_then(|memory| positive(memory.total)),
        regions: regions.done(),
        prices,
        obtainability,
        ..Offer::default()
    })
}

/// Returns the price for an hour and its currency; `None` for US dollars, which take precedence.
fn price(pricing: &MaybeMap<MaybeObject<PricingData>>) -> Option<(f64, Option<String>)> {
    let pricing: BTreeMap<&String, &MaybeObject<PricingData>> =
        pricing.0.iter().flatten().collect();
    let amount = |data: &MaybeObject<PricingData>| positive(data.0.as_ref()?.hour);
    let in_usd = pricing
        .iter()
        .find(|(currency, _)| currency.as_str() == USD)
        .and_then(|(_, data)| Some((amount(data)?, None)));
    in_usd.or_else(|| {
        let mut others = pricing.iter();
        others
            .find_map(|(currency, data)| Some((amount(data)?, Some(String::from_text(currency)?))))
    })
}

/// Returns the sites that sell a plan, with their stock. A site that is missing from the list of sites in stock has
/// none; without that list, the level of the region decides.
fn sites(
    locations: MaybeObject<LocationsData>,
    level: Option<&str>,
) -> BTreeMap<String, SiteStock> {
    let locations = locations.0.unwrap_or_default();
    let names = |list: MaybeList<Maybe<String>>| list.items().into_iter().filter_map(|site| site.0);
    let is_told = locations.in_stock.0.is_some() || locations.in_stock_count.0.is_some();
    let absent = if is_told {
        StockState::Unavailable
    } else {
        level_state(level)
    };
    let stock = |state, count| SiteStock { state, count };
    let sold = names(locations.available);
    let mut sites: BTreeMap<String, SiteStock> =
        sold.map(|site| (site, stock(absent, None))).collect();
    let present = match level_state(level) {
        StockState::Limited => StockState::Limited,
        _ => StockState::Available,
    };
    for site in names(locations.in_stock) {
        sites.insert(site, stock(present, None));
    }
    for (site, count) in locations.in_stock_count.0.into_iter().flatten() {
        let is_count = |count: &f64| (0.0..=f64::from(u32::MAX)).contains(count);
        // Keys have the bounds of all names.
        let (Some(site), Some(count)) = (String::from_text(&site), count.0.filter(is_count)) else {
            continue;
        };
        let state = if count < 1.0 {
            StockState::Unavailable
        } else {
            present
        };
        sites.insert(site, stock(state, Some(count as u32)));
    }
    sites
}

fn level_state(level: Option<&str>) -> StockState {
    match level {
        Some("high" | "medium") => StockState::Available,
        Some("low") => StockState::Limited,
        Some("unavailable") => StockState::Unavailable,
        _ => StockState::Unknown,
    }
}

fn availability(state: StockState) -> Availability {
    match state {
        StockState::Available => Availability::Available,
        StockState::Limited => Availability::Limited,
        StockState::Unavailable => Availability::Unavailable,
        _ => Availability::Unknown,
    }
}

fn record(site: &str, stock: SiteStock, level: Option<&str>) -> Obtainability {
    let count = stock.count.map(|value| StockCount {
        value,
        qualifier: CountQualifier::Exact,
        unit: StockUnit::Machines,
    });
    // The level is for all sites of the region together. Only known words are shown.
    let is_known = level_state(level) != StockState::Unknown;
    let level = level.filter(|_| is_known && stock.state != StockState::Unavailable);
    Obtainability {
        state: stock.state,
        count,
        likelihood: level.map(|level| Likelihood {
            value: level.to_owned(),
            scale: LikelihoodScale::StockClass,
            band: None,
        }),
        is_account_specific: true,
        ..Obtainability::new(CapacityType::OnDemand, 1, SOURCE).in_region(site)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::offer::DroppedBecause;
    use crate::query::{Counts, Interest};

    const ONE: Counts = Counts {
        min: 1.0,
        max: None,
    };

    fn read(body: &str) -> Result<(Vec<Offer>, Tally), ProviderError> {
        offers(&Query::everything(ONE), body.as_bytes())
    }

    /// A plan with these regions.
    fn plan(regions: &str) -> Offer {
        let body = format!(
            r#"{{"data":[{{"id":"plan_1","type":"plans","attributes":{{"slug":"g4-h100-large","name":"g4.h100.large",
            "specs":{{"cpu":{{"cores":32,"count":2}},"memory":{{"total":1536}},
              "gpu":{{"count":8,"type":"NVIDIA H100","vram_per_gpu":80,"interconnect":"NVLink"}}}},"regions":{regions}}}}}]}}"#
        );
        let (mut offers, _) = read(&body).unwrap();
        offers.remove(0)
    }

    #[test]
    fn stock_is_counted_by_site() {
        use StockState::{Available, Unavailable};
        let offer = plan(
            r#"[{"name":"United States","stock_level":"high","pricing":{"BRL":{"hour":90},"USD":{"hour":18.5,"month":9000}},
                "locations":{"available":["DAL","NYC","LAX"],"in_stock":["DAL","NYC"],"in_stock_count":{"DAL":3,"NYC":0.0}}}]"#,
        );
        assert_eq!((&*offer.id, offer.count), ("g4.h100.large", Some(8.0)));
        assert_eq!(offer.host_memory_gib, Some(1536.0));
        let hardware = offer.hardware.as_ref().unwrap();
        assert_eq!(
            (&*hardware.name, hardware.memory_gb),
            ("NVIDIA H100", Some(80.0))
        );
        let stock: Vec<_> = offer
            .obtainability
            .iter()
            .map(|record| {
                let count = record.count.map(|count| count.value);
                (record.place.region.as_deref().unwrap(), record.state, count)
            })
            .collect();
        assert_eq!(
            stock,
            [
                ("DAL", Available, Some(3)),
                ("LAX", Unavailable, None),
                ("NYC", Unavailable, Some(0))
            ]
        );
        let price = &offer.prices[0];
        assert_eq!((price.per_hour, price.currency.as_deref()), (18.5, None));
        assert_eq!(price.availability, Availability::Available);
        // Three machines in stock are not four.
        let record = &offer.obtainability[0];
        assert_eq!(record.state_for(3, 8.0), StockState::Available);
        assert_eq!(record.state_for(4, 8.0), StockState::Unavailable);
    }

    #[test]
    fn without_a_list_of_sites_in_stock_the_level_decides() {
        use StockState::{Available, Limited, Unavailable, Unknown};
        for (level, state) in [
            (r#""high""#, Available),
            (r#""medium""#, Available),
            (r#""low""#, Limited),
            (r#""unavailable""#, Unavailable),
            (r#""unique""#, Unknown),
            ("null", Unknown),
            ("7", Unknown),
        ] {
            let offer = plan(&format!(
                r#"[{{"stock_level":{level},"pricing":{{"BRL":{{"hour":90}}}},"locations":{{"available":["SAO"]}}}}]"#
            ));
            assert_eq!(offer.obtainability[0].state, state, "{level}");
            let price = &offer.prices[0];
            assert_eq!(
                (price.per_hour, price.currency.as_deref()),
                (90.0, Some("BRL"))
            );
        }
        let offer = plan(
            r#"[{"stock_level":"low","locations":{"in_stock":["SAO"]},"pricing":{"USD":{"hour":null}}}]"#,
        );
        assert_eq!(offer.obtainability[0].state, Limited);
        assert!(offer.prices.is_empty());
    }

    #[test]
    fn plans_without_gpus_are_left_out_and_broken_ones_are_counted() {
        let (offers, dropped) = read(
            r#"{"data":[
            {"attributes":{"slug":"g3","specs":{"gpu":{"count":1,"type":"NVIDIA L40S"}},"regions":[]}},
            {"attributes":{"slug":"c2","specs":{"gpu":{"count":0}}}},
            {"attributes":{"slug":"c3","specs":{}}},7]}"#,
        )
        .unwrap();
        assert_eq!(offers.len(), 1);
        assert_eq!(dropped.because(DroppedBecause::Unreadable), 2);
    }

    #[test]
    fn gpus_without_a_name_cannot_be_identified() {
        let body = r#"{"data":[
            {"attributes":{"slug":"g3","specs":{"gpu":{"count":1,"vram_per_gpu":48}},"regions":[]}},
            {"attributes":{"slug":"g4","specs":{"gpu":{"count":1,"type":"NVIDIA X900"}},"regions":[]}}]}"#;
        let query = Query {
            interest: &|_, _| Interest::Unknown,
            ..Query::everything(ONE)
        };
        let (offers, dropped) = offers(&query, body.as_bytes()).unwrap();
        // A name that the catalog does not know is counted with its name later.
        assert_eq!((offers.len(), &*offers[0].id), (1, "g4"));
        assert_eq!(dropped.because(DroppedBecause::Unreadable), 1);
    }

    #[test]
    fn keys_are_bounded_like_other_names() {
        let long = "N".repeat(600);
        let offer = plan(&format!(
            r#"[{{"pricing":{{"{long}":{{"hour":9}}}},"locations":{{"in_stock_count":{{"{long}":3," DAL ":2}}}}}}]"#
        ));
        let sites: Vec<&str> = offer.regions.iter().map(|region| &*region.id).collect();
        assert_eq!(sites, ["DAL"]);
        assert!(offer.prices.is_empty());
    }

    #[test]
    fn answers_without_plans_are_errors() {
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
