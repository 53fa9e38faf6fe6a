//! Parses the answers. No I/O.

use serde::Deserialize;
use sky_accel_core::catalog::{Availability, CapacityType};

use crate::error::{ErrorKind, ProviderError};
use crate::json::{Maybe, MaybeList, MaybeObject, document, positive};
use crate::obtainability::{CountQualifier, Obtainability, StockCount, StockState, StockUnit};
use crate::offer::{Hardware, Offer, Price, Region, Tally};
use crate::offer_list::OfferList;
use crate::query::Query;

/// The id of JarvisLabs in the catalog.
pub(super) const ID: &str = "jarvislabs";

const SOURCE: &str = "server_meta";
/// The numbers of GPUs of a machine.
const SIZES: [u32; 4] = [1, 2, 4, 8];
/// The region where a machine has one GPU only.
const SINGLE_GPU_REGION: &str = "europe-01";

#[derive(Default, Deserialize)]
#[serde(default)]
struct ListDocument {
    server_meta: MaybeList<MaybeObject<GpuRow>>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct AccountDocument {
    success: Maybe<bool>,
    /// The spelling of some versions of the service.
    sucess: Maybe<bool>,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct GpuRow {
    gpu_type: Maybe<String>,
    region: Maybe<String>,
    num_free_devices: Maybe<f64>,
    effective_num_free_devices: Maybe<f64>,
    spot_num_free_devices: Maybe<f64>,
    /// Per GPU.
    price_per_hour: Maybe<f64>,
    spot_price: Maybe<f64>,
    /// In GB.
    vram: Maybe<f64>,
    cpus_per_gpu: Maybe<f64>,
    /// In GB.
    ram_per_gpu: Maybe<f64>,
    /// The highest number of GPUs of a machine.
    num_gpus: Maybe<f64>,
}

/// Returns the currency of an account; `None` for US dollars.
///
/// # Errors
///
/// Fails with [`ErrorKind::Protocol`] if the answer does not say which one: the amounts of rupees
/// and dollars differ by a factor of 80.
pub(super) fn currency(body: &[u8]) -> Result<Option<&'static str>, ProviderError> {
    let document: AccountDocument = document(ID, body)?;
    match document.success.0.or(document.sucess.0) {
        Some(true) => Ok(Some("INR")),
        Some(false) => Ok(None),
        None => {
            let message = "the answer does not say the currency of the account";
            Err(ProviderError::new(ID, ErrorKind::Protocol, message))
        }
    }
}

/// The readable rows of the list, and the number of the others.
pub(super) struct DeviceList {
    devices: Vec<Devices>,
    unreadable: usize,
}

/// Parses the list.
///
/// # Errors
///
/// Fails with [`ErrorKind::Protocol`] if it has rows but none can be read.
pub(super) fn list(body: &[u8]) -> Result<DeviceList, ProviderError> {
    let document: ListDocument = document(ID, body)?;
    let rows = document.server_meta.0;
    let rows = rows.ok_or_else(|| ProviderError::no_list(ID, "GPUs"))?;
    let listed = rows.len();
    let rows = rows.into_iter().filter_map(|row| row.0.and_then(devices));
    let devices: Vec<Devices> = rows.collect();
    if listed > 0 && devices.is_empty() {
        return Err(ProviderError::unreadable(ID, listed));
    }
    Ok(DeviceList {
        unreadable: listed - devices.len(),
        devices,
    })
}

impl DeviceList {
    /// Returns an offer for each number of GPUs of each type, with prices in a currency; `None` for
    /// US dollars.
    pub(super) fn offers(
        &self,
        query: &Query<'_>,
        currency: Option<&str>,
    ) -> Result<(Vec<Offer>, Tally), ProviderError> {
        let mut list = OfferList::default();
        for devices in &self.devices {
            for size in SIZES.into_iter().filter(|size| *size <= devices.most) {
                list.add(query, Some(devices.offer(query, size, currency)));
            }
        }
        for _ in 0..self.unreadable {
            list.add(query, None);
        }
        list.done(ID)
    }
}

/// The GPUs of a type in a region.
struct Devices {
    name: String,
    region: String,
    memory_gb: Option<f64>,
    vcpu: Option<f64>,
    host_memory_gib: Option<f64>,
    on_demand: Option<f64>,
    spot: Option<f64>,
    /// The numbers of free GPUs; `None` if not reported.
    free: Option<u32>,
    free_for_spot: Option<u32>,
    /// The highest number of GPUs of a machine.
    most: u32,
}

/// Reads a row; `None` if its type, its region, its price or the size of its machines is missing.
fn devices(row: GpuRow) -> Option<Devices> {
    let whole = |figure: Maybe<f64>| figure.0.filter(|n| *n >= 0.0).map(|n| n as u32);
    let region = row.region.0?;
    row.price_per_hour.0?;
    let most = whole(row.num_gpus).filter(|most| *most > 0)?;
    let free = whole(row.effective_num_free_devices).or(whole(row.num_free_devices));
    Some(Devices {
        name: row.gpu_type.0?,
        most: if region == SINGLE_GPU_REGION { 1 } else { most },
        region,
        memory_gb: positive(row.vram),
        vcpu: positive(row.cpus_per_gpu),
        host_memory_gib: positive(row.ram_per_gpu),
        on_demand: positive(row.price_per_hour),
        spot: positive(row.spot_price),
        free,
        free_for_spot: whole(row.spot_num_free_devices).or(free),
    })
}

impl Devices {
    fn offer(&self, query: &Query<'_>, size: u32, currency: Option<&str>) -> Offer {
        let gpus = f64::from(size);
        let of_machine = |per_gpu: Option<f64>| per_gpu.map(|amount| amount * gpus);
        let (vcpu, memory) = (of_machine(self.vcpu), of_machine(self.host_memory_gib));
        let number = |amount: Option<f64>, unit: &str| {
            amount.map_or(String::new(), |amount| format!("_{amount:.0}{unit}"))
        };
        let gpu = type_name(&self.name);
        let id = format!("{size}x_{gpu}{}{}", number(vcpu, "V"), number(memory, "G"));
        let mut prices = Vec::new();
        let mut obtainability = Vec::new();
        for (capacity, amount, free) in [
            (CapacityType::OnDemand, self.on_demand, self.free),
            (CapacityType::Spot, self.spot, self.free_for_spot),
        ] {
            let Some(amount) = amount else { continue };
            let record = record(query, capacity, free.map(|free| free / size));
            let availability = match record.state {
                StockState::Available => Availability::Available,
                StockState::Limited => Availability::Limited,
                StockState::Unavailable => Availability::Unavailable,
                _ => Availability::Unknown,
            };
            prices.push(Price {
                currency: currency.map(str::to_owned),
                region: Some(self.region.clone()),
                availability,
                ..Price::new(capacity, amount * gpus)
            });
            obtainability.push(record.in_region(&self.region));
        }
        Offer {
            id,
            hardware: Some(Hardware {
                name: self.name.clone(),
                memory_gb: self.memory_gb,
                ..Hardware::default()
            }),
            count: Some(gpus),
            vcpu,
            host_memory_gib: memory,
            regions: vec![Region {
                id: self.region.clone(),
                country: None,
            }],
            prices,
            obtainability,
            ..Offer::default()
        }
    }
}

/// Returns the name of a GPU in the catalog's ids: `RTXPRO6000` for `RTX-PRO6000`, but `A100-80GB`.
fn type_name(gpu: &str) -> String {
    let words = gpu.split([' ', '-']);
    words.fold(String::new(), |name, word| {
        let is_size = word.ends_with("GB") && !name.is_empty();
        format!("{name}{}{word}", if is_size { "-" } else { "" })
    })
}

/// Returns the answer for the requested number of machines.
fn record(query: &Query<'_>, capacity: CapacityType, machines: Option<u32>) -> Obtainability {
    let state = match machines {
        None => StockState::Unknown,
        Some(0) => StockState::Unavailable,
        Some(machines) if machines < query.machines => StockState::Limited,
        Some(_) => StockState::Available,
    };
    let count = machines.map(|value| StockCount {
        value,
        // The GPUs may be in different servers, which one machine cannot span.
        qualifier: CountQualifier::AtMost,
        unit: StockUnit::Machines,
    });
    Obtainability {
        state,
        count,
        ..Obtainability::new(capacity, query.machines, SOURCE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offer::DroppedBecause;
    use crate::query::Counts;

    const ROWS: &str = r#"{"server_meta":[
        {"gpu_type":"H100","region":"IN2","num_free_devices":"9","effective_num_free_devices":3,"price_per_hour":2.99,
         "spot_price":null,"vram":"80","cpus_per_gpu":24,"ram_per_gpu":200,"num_gpus":8,"workload_type":"vm"},
        {"gpu_type":"H200","region":"europe-01","effective_num_free_devices":0,"spot_num_free_devices":2,"price_per_hour":3.8,
         "spot_price":1.9,"vram":"141","cpus_per_gpu":16,"ram_per_gpu":200,"num_gpus":8},
        {"gpu_type":"L4","region":"IN2","price_per_hour":0.44,"num_gpus":1},
        {"gpu_type":"A5000","region":"IN2","price_per_hour":0.49,"num_gpus":""}]}"#;

    fn read(machines: u32, currency: Option<&str>) -> (Vec<Offer>, Tally) {
        let counts = Counts {
            min: 1.0,
            max: None,
        };
        let query = Query {
            machines,
            ..Query::everything(counts)
        };
        let list = list(ROWS.as_bytes()).unwrap();
        list.offers(&query, currency).unwrap()
    }

    #[test]
    fn free_gpus_are_shared_by_machines_of_several_sizes() {
        let (offers, dropped) = read(2, None);
        let records: Vec<_> = offers
            .iter()
            .flat_map(|offer| {
                offer
                    .obtainability
                    .iter()
                    .map(|record| (&*offer.id, record))
            })
            .map(|(id, record)| (id, record.state, record.count.map(|count| count.value)))
            .collect();
        let (yes, limited, no) = (
            StockState::Available,
            StockState::Limited,
            StockState::Unavailable,
        );
        assert_eq!(
            records,
            [
                ("1x_H100_24V_200G", yes, Some(3)),
                ("2x_H100_48V_400G", limited, Some(1)),
                ("4x_H100_96V_800G", no, Some(0)),
                ("8x_H100_192V_1600G", no, Some(0)),
                // A machine in this region has one GPU only.
                ("1x_H200_16V_200G", no, Some(0)),
                ("1x_H200_16V_200G", yes, Some(2)),
                ("1x_L4", StockState::Unknown, None),
            ]
        );
        assert!((offers[1].prices[0].per_hour - 5.98).abs() < 1e-9);
        assert_eq!(dropped.because(DroppedBecause::Unreadable), 1);
    }

    #[test]
    fn ids_are_those_of_the_catalog() {
        assert_eq!(type_name("RTX-PRO6000"), "RTXPRO6000");
        assert_eq!(type_name("A100-80GB"), "A100-80GB");
        assert_eq!(type_name("H100"), "H100");
    }

    #[test]
    fn amounts_are_in_the_currency_of_the_account() {
        let of_account = |text: &str| currency(text.as_bytes());
        assert_eq!(of_account(r#"{"success":true}"#), Ok(Some("INR")));
        assert_eq!(of_account(r#"{"success":false}"#), Ok(None));
        assert_eq!(of_account(r#"{"sucess":"True"}"#), Ok(Some("INR")));
        for text in ["{}", r#"{"success":"x"}"#, "<html>"] {
            assert!(of_account(text).is_err(), "{text}");
        }
        let (offers, _) = read(1, Some("INR"));
        let prices = offers.iter().flat_map(|offer| &offer.prices);
        assert!(prices.clone().count() > 5);
        for price in prices {
            assert_eq!(price.currency.as_deref(), Some("INR"));
        }
    }
}
