//! Parses the answers. No I/O.

use std::collections::BTreeMap;

use serde::Deserialize;
use sky_accel_core::catalog::{Availability, CapacityType};

use crate::error::{ErrorKind, ProviderError};
use crate::json::{self, Maybe, MaybeList, positive};
use crate::offer::{Dropped, DroppedBecause, Hardware, Offer, Price, Region, Tally};

use super::request::{ID, LIMIT};

#[derive(Deserialize)]
struct SearchAnswer {
    #[serde(default)]
    offers: MaybeList<json::MaybeObject<VastOfferRow>>,
    #[serde(default)]
    truncated: Maybe<bool>,
}

/// The numbers of rows at which answers are truncated, even without `truncated`: 64 for some
/// accounts, 512 for others.
const CAPS: [usize; 2] = [64, 512];

/// A page of a search.
pub(super) struct SearchPage {
    pub rows: Vec<VastOfferRow>,
    truncated: bool,
}

impl SearchPage {
    /// Parses an answer. Rows that are not objects have no fields.
    ///
    /// # Errors
    ///
    /// Fails with [`ErrorKind::Protocol`] without a list of offers.
    pub(super) fn parse(body: &[u8]) -> Result<Self, ProviderError> {
        let answer: Option<SearchAnswer> = serde_json::from_slice(body).ok();
        let no_list =
            || ProviderError::new(ID, ErrorKind::Protocol, "the answer has no list of offers");
        let answer = answer.ok_or_else(no_list)?;
        let rows = answer.offers.0.ok_or_else(no_list)?;
        Ok(Self {
            rows: rows
                .into_iter()
                .map(|row| row.0.unwrap_or_default())
                .collect(),
            truncated: answer.truncated.0.unwrap_or(false),
        })
    }

    /// Returns true if more rows may match. A complete answer with exactly 64 or 512 rows cannot be
    /// distinguished: it costs one more search.
    pub(super) fn is_cut(&self) -> bool {
        let rows = self.rows.len();
        self.truncated || CAPS.contains(&rows) || rows >= LIMIT
    }
}

#[derive(Default, Deserialize)]
#[serde(default)]
pub(super) struct VastOfferRow {
    id: Maybe<f64>,
    ask_contract_id: Maybe<f64>,
    gpu_name: Maybe<String>,
    gpu_arch: Maybe<String>,
    num_gpus: Maybe<f64>,
    gpu_ram: Maybe<f64>,
    cpu_cores: Maybe<f64>,
    cpu_cores_effective: Maybe<f64>,
    cpu_ram: Maybe<f64>,
    cpu_arch: Maybe<String>,
    dph_base: Maybe<f64>,
    dph_total: Maybe<f64>,
    min_bid: Maybe<f64>,
    storage_cost: Maybe<f64>,
    storage_total_cost: Maybe<f64>,
    rentable: Maybe<bool>,
    rented: Maybe<bool>,
    geolocation: Maybe<String>,
}

impl VastOfferRow {
    /// Returns the id with which the machine is rented.
    pub(super) fn id(&self) -> Option<f64> {
        self.id.0.or(self.ask_contract_id.0)
    }

    /// Returns the price that rows are sorted by, in US dollars per hour with the disk.
    pub(super) fn price(&self) -> Option<f64> {
        self.dph_total.0
    }

    /// Returns true if any price is present, even zero.
    fn is_priced(&self) -> bool {
        [self.dph_total, self.dph_base, self.min_bid]
            .iter()
            .any(|usd| usd.0.is_some())
    }
}

/// A machine.
pub(super) struct VastMachine {
    id: Option<String>,
    gpu_name: String,
    manufacturer: Option<String>,
    count: u32,
    memory_mb: f64,
    vcpu: Option<f64>,
    host_memory_gib: Option<f64>,
    host_arch: Option<String>,
    usd: f64,
    country: Option<String>,
}

/// The machines of a search.
pub(super) struct VastSearchResult {
    pub capacity: CapacityType,
    pub machines: Vec<VastMachine>,
    pub dropped: Tally,
}

/// Returns the machine of a row, or the reason why the row has none. A name without a memory size
/// is ambiguous.
pub(super) fn machine(
    row: VastOfferRow,
    capacity: CapacityType,
    disk_gb: f64,
) -> Result<VastMachine, DroppedBecause> {
    let id = row.id();
    let is_priced = row.is_priced();
    let count = positive(row.num_gpus).filter(|n| n.fract() == 0.0 && *n <= 1024.0);
    let (Some(gpu_name), Some(count), Some(memory_mb), true) =
        (row.gpu_name.0, count, positive(row.gpu_ram), is_priced)
    else {
        return Err(DroppedBecause::Unreadable);
    };
    if row.rentable.0 == Some(false) || row.rented.0 == Some(true) {
        return Err(DroppedBecause::NotRentable);
    }
    // If only the disk has a price, the machine has none.
    let is_free = row.dph_base.0.is_some_and(|usd| usd <= 0.0);
    let total = positive(row.dph_total).filter(|_| !is_free);
    // The price of the requested disk: as stated, as the difference of two prices, or from the
    // price per GB and month.
    let storage = row
        .storage_total_cost
        .0
        .or_else(|| Some(total? - positive(row.dph_base)?))
        .or_else(|| Some(row.storage_cost.0? * disk_gb / 30.0 / 24.0))
        .filter(|usd| *usd >= 0.0)
        .unwrap_or(0.0);
    let usd = match capacity {
        CapacityType::OnDemand => total.or_else(|| Some(positive(row.dph_base)? + storage)),
        // The minimum bid excludes the disk.
        CapacityType::Spot => positive(row.min_bid).map(|bid| bid + storage),
    };
    let Some(usd) = usd else {
        return Err(DroppedBecause::NoPrice);
    };
    // The part of the host that comes with the offer.
    let effective = positive(row.cpu_cores_effective);
    let share = match (effective, positive(row.cpu_cores)) {
        (Some(effective), Some(cores)) => Some((effective / cores).min(1.0)),
        _ => None,
    };
    Ok(VastMachine {
        id: id.map(|id| format!("{id:.0}")),
        gpu_name,
        manufacturer: row.gpu_arch.0,
        count: count as u32,
        memory_mb,
        vcpu: effective,
        host_memory_gib: positive(row.cpu_ram)
            .zip(share)
            .map(|(mb, share)| (mb * share / 1024.0 * 10.0).round() / 10.0),
        host_arch: row.cpu_arch.0.map(|arch| match arch.as_str() {
            "amd64" => "x86_64".to_owned(),
            _ => arch,
        }),
        usd,
        country: row.geolocation.0.as_deref().and_then(country),
    })
}

/// Returns the country code of a location, `SE` of `Stockholm, SE`; `None` if it has none.
fn country(geolocation: &str) -> Option<String> {
    let code = geolocation.rsplit(',').next()?.trim();
    (code.len() == 2 && code.bytes().all(|b| b.is_ascii_alphabetic()))
        .then(|| code.to_ascii_uppercase())
}

/// The machines of one GPU name, memory size and count. The cheapest machine of each country and
/// capacity type has the price.
#[derive(Default)]
struct MachineGroup {
    /// The cheapest machine.
    best: Option<VastMachine>,
    machines: u32,
    cheapest: BTreeMap<(bool, Option<String>), (f64, Option<String>)>,
}

/// Returns an offer for each GPU name, memory size and count.
pub(super) fn offers(
    found: impl IntoIterator<Item = VastSearchResult>,
) -> (Vec<Offer>, Vec<Dropped>) {
    let mut groups: BTreeMap<(String, u64, u32), MachineGroup> = BTreeMap::new();
    let mut dropped = Tally::default();
    for found in found {
        dropped.merge(found.dropped);
        let spot = found.capacity == CapacityType::Spot;
        let mut counted: BTreeMap<(String, u64, u32), u32> = BTreeMap::new();
        for machine in found.machines {
            let memory = machine.memory_mb as u64;
            let key = (machine.gpu_name.clone(), memory, machine.count);
            *counted.entry(key.clone()).or_default() += 1;
            let group = groups.entry(key).or_default();
            let place = (spot, machine.country.clone());
            let cheapest = group.cheapest.get(&place);
            if cheapest.is_none_or(|(usd, _)| machine.usd < *usd) {
                group
                    .cheapest
                    .insert(place, (machine.usd, machine.id.clone()));
            }
            if group
                .best
                .as_ref()
                .is_none_or(|best| !spot && machine.usd < best.usd)
            {
                group.best = Some(machine);
            }
        }
        // Both searches may have found the same machine.
        for (key, machines) in counted {
            if let Some(group) = groups.get_mut(&key) {
                group.machines = group.machines.max(machines);
            }
        }
    }
    let offers = groups
        .into_iter()
        .filter_map(|((gpu_name, _, count), group)| {
            let best = group.best?;
            let mut regions: Vec<Region> = Vec::new();
            let mut prices = Vec::new();
            for ((spot, country), (usd, listing)) in group.cheapest {
                if let Some(id) = country.clone()
                    && regions.iter().all(|region| region.id != id)
                {
                    regions.push(Region {
                        country: Some(id.clone()),
                        id,
                    });
                }
                let capacity = if spot {
                    CapacityType::Spot
                } else {
                    CapacityType::OnDemand
                };
                prices.push(Price {
                    region: country,
                    listing,
                    // Searches return only available machines.
                    availability: Availability::Available,
                    ..Price::new(capacity, usd)
                });
            }
            Some(Offer {
                hardware: Some(Hardware {
                    name: gpu_name.clone(),
                    manufacturer: best.manufacturer,
                    memory_mib: Some(best.memory_mb),
                    memory_gb: None,
                }),
                id: gpu_name,
                count: Some(f64::from(count)),
                vcpu: best.vcpu,
                host_memory_gib: best.host_memory_gib,
                host_arch: best.host_arch,
                regions,
                prices,
                machines: Some(group.machines),
                ..Offer::default()
            })
        });
    (offers.collect(), dropped.done())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(capacity: CapacityType, rows: &str) -> VastSearchResult {
        let page = SearchPage::parse(format!("{{\"offers\":[{rows}]}}").as_bytes()).unwrap();
        let mut found = VastSearchResult {
            capacity,
            machines: Vec::new(),
            dropped: Tally::default(),
        };
        for row in page.rows {
            match machine(row, capacity, 10.0) {
                Ok(machine) => found.machines.push(machine),
                Err(because) => found.dropped.add(because),
            }
        }
        found
    }

    #[test]
    fn offers_are_the_cheapest_of_each_name_memory_and_count() {
        let rows = r#"
            {"id":1,"gpu_name":"A100 SXM4","num_gpus":2,"gpu_ram":81920,"dph_total":3.0,"geolocation":"Oslo, NO","cpu_cores":64,"cpu_cores_effective":16.0,"cpu_ram":524288},
            {"id":2,"gpu_name":"A100 SXM4","num_gpus":2,"gpu_ram":81920,"dph_total":2.5,"geolocation":"Sweden, SE"},
            {"id":3,"gpu_name":"A100 SXM4","num_gpus":2,"gpu_ram":40960,"dph_total":1.5,"geolocation":null},
            {"id":4,"gpu_name":"A100 SXM4","num_gpus":1,"gpu_ram":81920,"dph_total":1.0,"geolocation":"SE","rentable":false},
            {"id":5,"gpu_name":"A100 SXM4","num_gpus":1,"gpu_ram":81920,"dph_total":0},
            {"id":6,"gpu_name":null,"num_gpus":1}, null, "row",
            {"id":7,"gpu_name":"A100 SXM4","num_gpus":2,"gpu_ram":81920,"dph_total":0.5,"rented":true}"#;
        let (offers, dropped) = offers([found(CapacityType::OnDemand, rows)]);
        assert_eq!(offers.len(), 2);
        let large = offers.iter().find(|o| o.machines == Some(2)).unwrap();
        assert_eq!(large.prices.len(), 2);
        let best = large
            .prices
            .iter()
            .min_by(|a, b| a.per_hour.total_cmp(&b.per_hour))
            .unwrap();
        assert_eq!(
            (best.listing.as_deref(), best.region.as_deref()),
            (Some("2"), Some("SE"))
        );
        let rows = |because| {
            dropped
                .iter()
                .find(|d| d.because == because)
                .map(|d| d.rows)
        };
        assert_eq!(rows(DroppedBecause::NotRentable), Some(2));
        assert_eq!(rows(DroppedBecause::NoPrice), Some(1));
        assert_eq!(rows(DroppedBecause::Unreadable), Some(3));
    }

    #[test]
    fn prices_include_the_requested_disk() {
        let row = r#"{"id":1,"gpu_name":"X","num_gpus":1,"gpu_ram":8192,"dph_base":1.0,"dph_total":1.2,"min_bid":0.5}"#;
        assert!((found(CapacityType::OnDemand, row).machines[0].usd - 1.2).abs() < 1e-9);
        assert!((found(CapacityType::Spot, row).machines[0].usd - 0.7).abs() < 1e-9);
        let row = r#"{"id":1,"gpu_name":"X","num_gpus":1,"gpu_ram":8192,"storage_cost":7.2,"min_bid":0.5}"#;
        assert!((found(CapacityType::Spot, row).machines[0].usd - 0.6).abs() < 1e-9);
    }

    #[test]
    fn a_free_machine_has_no_price() {
        let row = r#"{"id":1,"gpu_name":"X","num_gpus":1,"gpu_ram":8192,"dph_base":0.0,"dph_total":0.02,"min_bid":0}"#;
        for capacity in [CapacityType::OnDemand, CapacityType::Spot] {
            assert!(found(capacity, row).machines.is_empty());
        }
    }

    #[test]
    fn an_answer_without_a_list_is_an_error() {
        for body in [
            "",
            "<html>",
            "{}",
            "{\"offers\":null}",
            "{\"offers\":\"x\"}",
            "[]",
        ] {
            let Err(error) = SearchPage::parse(body.as_bytes()) else {
                panic!("{body}");
            };
            assert_eq!(error.kind, ErrorKind::Protocol, "{body}");
        }
        assert!(SearchPage::parse(b"{\"offers\":[]}").is_ok());
    }

    #[test]
    fn rows_without_required_fields_are_unreadable() {
        let complete_row =
            r#"{"id":1,"gpu_name":"A100 SXM4","num_gpus":2,"gpu_ram":81920,"dph_total":3.0}"#;
        assert_eq!(
            found(CapacityType::OnDemand, complete_row).machines.len(),
            1
        );
        for (part, other) in [
            ("\"gpu_ram\":81920", "\"gpu_ram\":null"),
            ("\"gpu_ram\":81920", "\"gpu_ram\":{}"),
            ("\"gpu_ram\":81920", "\"gpu_ram\":0"),
            ("\"gpu_name\"", "\"name\""),
            ("\"num_gpus\":2", "\"num_gpus\":2.5"),
            ("\"dph_total\"", "\"price\""),
        ] {
            let row = complete_row.replace(part, other);
            assert_ne!(row, complete_row);
            let found = found(CapacityType::OnDemand, &row);
            assert!(found.machines.is_empty(), "{row}");
            assert!(found.dropped.is_only(DroppedBecause::Unreadable), "{row}");
            assert!(!found.dropped.is_empty(), "{row}");
        }
    }

    #[test]
    fn answers_of_64_and_512_rows_count_as_truncated() {
        let is_cut = |rows: usize, truncated: &str| {
            let rows = vec!["{}"; rows].join(",");
            let body = format!("{{\"offers\":[{rows}]{truncated}}}");
            SearchPage::parse(body.as_bytes()).unwrap().is_cut()
        };
        for rows in [64, 512, LIMIT] {
            assert!(is_cut(rows, ""), "{rows}");
            assert!(is_cut(rows, ",\"truncated\":false"), "{rows}");
            assert!(!is_cut(rows - 1, ""), "{rows}");
        }
        assert!(is_cut(100, ",\"truncated\":true"));
        assert!(!is_cut(100, ",\"truncated\":\"perhaps\""));
    }
}
