//! Parses the answers. No I/O.

use serde::Deserialize;
use sky_accel_core::catalog::{Availability, CapacityType};

use crate::error::ProviderError;
use crate::json::{Maybe, MaybeList, MaybeObject, document, positive};
use crate::obtainability::{Likelihood, LikelihoodScale, Obtainability, StockPlace, StockState};
use crate::offer::{Hardware, Offer, Price, Region, Tally};
use crate::offer_list::OfferList;
use crate::query::Query;

/// The id of Prime Intellect in the catalog.
pub(super) const ID: &str = "primeintellect";

const SOURCE: &str = "GPU availability";

#[derive(Default, Deserialize)]
#[serde(default)]
struct PrimeConfigFile {
    api_key: Maybe<String>,
}

/// Returns the key in the configuration of the vendor's tool.
pub(super) fn key(text: &str) -> Option<String> {
    let file: PrimeConfigFile = serde_json::from_str(text).ok()?;
    file.api_key.0
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct PageDocument {
    items: MaybeList<MaybeObject<MachineData>>,
    total_count: Maybe<f64>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub(super) struct MachineData {
    provider: Maybe<String>,
    data_center: Maybe<String>,
    country: Maybe<String>,
    gpu_type: Maybe<String>,
    gpu_count: Maybe<f64>,
    /// In GB per GPU.
    gpu_memory: Maybe<f64>,
    socket: Maybe<String>,
    stock_status: Maybe<String>,
    is_spot: Maybe<bool>,
    prices: MaybeObject<PriceData>,
    vcpu: MaybeObject<AmountData>,
    /// In GB.
    memory: MaybeObject<AmountData>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct PriceData {
    /// For the whole machine.
    on_demand: Maybe<f64>,
    community_price: Maybe<f64>,
    currency: Maybe<String>,
}

#[derive(Default, Deserialize)]
#[serde(default, rename_all = "camelCase")]
struct AmountData {
    default_count: Maybe<f64>,
    min_count: Maybe<f64>,
}

/// A row of the list, not checked yet.
pub(super) type MachineRow = MaybeObject<MachineData>;

/// A page of the list.
pub(super) struct MachinePage {
    pub rows: Vec<MachineRow>,
    /// The number of rows of all pages.
    pub total: Option<usize>,
}

pub(super) fn page(body: &[u8]) -> Result<MachinePage, ProviderError> {
    let document: PageDocument = document(ID, body)?;
    let rows = document.items.0;
    let total = document.total_count.0.filter(|total| *total >= 0.0);
    Ok(MachinePage {
        rows: rows.ok_or_else(|| ProviderError::no_list(ID, "machines"))?,
        total: total.map(|total| total as usize),
    })
}

/// Returns an offer for each kind of machine of each cloud. An empty list is an error: it does not
/// mean that nothing is in stock.
pub(super) fn offers(
    query: &Query<'_>,
    rows: Vec<MachineRow>,
) -> Result<(Vec<Offer>, Tally), ProviderError> {
    let mut list = OfferList::default();
    for row in rows {
        list.add(query, row.0.and_then(offer));
    }
    list.done(ID)
}

/// Reads a row; `None` if its cloud, its GPU, the number of GPUs or every price is missing.
fn offer(row: MachineData) -> Option<Offer> {
    let (cloud, gpu) = (row.provider.0?, row.gpu_type.0?);
    let count = row.gpu_count.0?;
    let prices = row.prices.0?;
    let usd = prices.community_price.0.or(prices.on_demand.0)?;
    // The endpoint lists machines without GPUs under this name.
    let count = if gpu.starts_with("CPU") { 0.0 } else { count };
    let amount = |data: MaybeObject<AmountData>| {
        let data = data.0?;
        positive(data.default_count).or(positive(data.min_count))
    };
    let (vcpu, memory) = (amount(row.vcpu), amount(row.memory));
    let number = |amount: Option<f64>| amount.map_or(String::new(), |n| format!("__{n:.0}"));
    let id = format!(
        "{cloud}__{count:.0}x{gpu}{}{}",
        number(vcpu),
        number(memory)
    );
    let capacity = if row.is_spot.0 == Some(true) {
        CapacityType::Spot
    } else {
        CapacityType::OnDemand
    };
    let (state, availability) = match row.stock_status.0.as_deref() {
        Some("High" | "Medium" | "Available") => (StockState::Available, Availability::Available),
        Some("Low") => (StockState::Limited, Availability::Limited),
        _ => (StockState::Unknown, Availability::Unknown),
    };
    let country = row.country.0.map(|code| code.to_ascii_uppercase());
    let likelihood = row.stock_status.0.map(|value| Likelihood {
        value,
        scale: LikelihoodScale::StockClass,
        band: None,
    });
    let record = Obtainability {
        place: StockPlace {
            region: country.clone(),
            zone: None,
            site: row.data_center.0.clone(),
        },
        state,
        likelihood,
        ..Obtainability::new(capacity, 1, SOURCE)
    };
    let currency = prices.currency.0.map(|code| code.to_ascii_uppercase());
    let price = positive(Maybe(Some(usd))).map(|amount| Price {
        currency: currency.filter(|code| code != "USD"),
        region: country.clone(),
        zone: row.data_center.0.clone(),
        availability,
        ..Price::new(capacity, amount)
    });
    let socket = row.socket.0;
    Some(Offer {
        hardware: Some(hardware(&gpu, socket.as_deref(), positive(row.gpu_memory))),
        count: Some(count),
        vcpu,
        host_memory_gib: memory,
        regions: country
            .map(|code| Region {
                id: code.clone(),
                country: Some(code),
            })
            .into_iter()
            .collect(),
        prices: price.into_iter().collect(),
        obtainability: vec![record],
        id,
        ..Offer::default()
    })
}

/// `H100_80GB` in a socket `SXM5` is an `H100 SXM5`.
fn hardware(gpu: &str, socket: Option<&str>, memory_gb: Option<f64>) -> Hardware {
    let is_size = |word: &str| {
        let digits = word.strip_suffix("GB").unwrap_or_default();
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    };
    let words = gpu.split('_').filter(|word| !is_size(word));
    // The name of a card on PCIe is the name of the GPU.
    let socket = socket.filter(|socket| socket.starts_with("SXM"));
    let words: Vec<&str> = words.chain(socket).collect();
    Hardware {
        name: words.join(" "),
        memory_gb,
        ..Hardware::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::ErrorKind;
    use crate::offer::DroppedBecause;
    use crate::query::Counts;

    fn read(rows: &str) -> Result<(Vec<Offer>, Tally), ProviderError> {
        let counts = Counts {
            min: 1.0,
            max: None,
        };
        let page = page(format!(r#"{{"items":{rows},"totalCount":9}}"#).as_bytes())?;
        assert_eq!(page.total, Some(9));
        offers(&Query::everything(counts), page.rows)
    }

    #[test]
    fn machines_have_ids_of_their_cloud_and_a_class_of_stock() {
        let (offers, dropped) = read(
            r#"[{"cloudId":"8xH100","provider":"nebius","dataCenter":"eu-north1","country":"FI","gpuType":"H100_80GB","gpuCount":8,
              "gpuMemory":80,"socket":"SXM5","stockStatus":"Low","isSpot":null,"prices":{"onDemand":23.6,"communityPrice":null,"currency":"USD"},
              "vcpu":{"defaultCount":128},"memory":{"defaultCount":1600}},
             {"provider":"nebius","dataCenter":"us-central1","country":"US","gpuType":"H100_80GB","gpuCount":8,"gpuMemory":80,"socket":"SXM5",
              "stockStatus":"High","isSpot":true,"prices":{"onDemand":12.0},"vcpu":{"defaultCount":128},"memory":{"defaultCount":1600}},
             {"provider":"hyperstack","country":"ca","gpuType":"L40_48GB","gpuCount":1,"gpuMemory":48,"socket":"PCIe","stockStatus":"Soon",
              "prices":{"onDemand":1.0,"currency":"EUR"}},
             {"provider":"crusoecloud","gpuType":"CPU_NODE","gpuCount":1,"prices":{"onDemand":0.1}},
             {"provider":"crusoecloud","gpuType":"L40S_48GB","gpuCount":1,"prices":{"onDemand":null}}]"#,
        )
        .unwrap();
        let prices: Vec<_> = offers
            .iter()
            .flat_map(|offer| offer.prices.iter().map(|price| (&*offer.id, price)))
            .map(|(id, price)| (id, price.capacity, price.per_hour, price.availability))
            .collect();
        let nebius = "nebius__8xH100_80GB__128__1600";
        let (on_demand, spot) = (CapacityType::OnDemand, CapacityType::Spot);
        assert_eq!(
            prices,
            [
                (nebius, on_demand, 23.6, Availability::Limited),
                (nebius, spot, 12.0, Availability::Available),
                (
                    "hyperstack__1xL40_48GB",
                    on_demand,
                    1.0,
                    Availability::Unknown
                ),
            ]
        );
        let h100 = offers[0].hardware.as_ref().unwrap();
        assert_eq!((&*h100.name, h100.memory_gb), ("H100 SXM5", Some(80.0)));
        let record = &offers[0].obtainability[0];
        assert_eq!(record.place.site.as_deref(), Some("eu-north1"));
        assert_eq!(record.likelihood.as_ref().unwrap().value, "Low");
        // The cloud's word is kept, and its meaning is unknown.
        assert_eq!(offers[1].obtainability[0].state, StockState::Unknown);
        assert_eq!(offers[1].prices[0].currency.as_deref(), Some("EUR"));
        assert_eq!(dropped.because(DroppedBecause::Unreadable), 1);
    }

    #[test]
    fn an_empty_list_is_not_no_stock() {
        assert_eq!(read("[]").unwrap_err().kind, ErrorKind::Protocol);
        assert!(read("null").is_err());
        assert!(read(r#"[{"gpuCount":"x"}]"#).is_err());
    }

    #[test]
    fn the_key_is_in_the_file_of_the_vendors_tool() {
        assert_eq!(
            key(r#"{"api_key":"pit_x","team_id":null}"#).as_deref(),
            Some("pit_x")
        );
        assert_eq!(key(r#"{"api_key":""}"#), None);
        assert_eq!(key("api_key = x"), None);
    }
}
