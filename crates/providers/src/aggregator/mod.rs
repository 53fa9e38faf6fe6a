//! Aggregators: projects that collect the offers of many clouds. They are read on request, and rank
//! after the clouds' own answers.

#[cfg_attr(target_family = "wasm", path = "no_archive.rs")]
mod archive;
mod gpuhunt;
mod skypilot;
mod table;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::Hash;

use sky_accel_core::catalog::CapacityType;

use crate::context::Context;
use crate::credentials::Environment;
use crate::error::{ErrorKind, ProviderError};
use crate::listing::{Edition, Listing};
use crate::offer::{DroppedBecause, Hardware, Offer, Price, Tally};
use crate::query::{Interest, Query};

use table::TableRow;

/// Providers whose prices are wrong in both projects. The GPUs of Google's machines are separate
/// rows or wrong sums; Mithril's prices are the results of auctions.
const UNBELIEVED: [(&str, DroppedBecause); 2] = [
    ("gcp", DroppedBecause::Incoherent),
    ("mithril", DroppedBecause::SmallestBid),
];

/// A project that collects the offers of many clouds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Aggregator {
    /// gpuhunt, of dstack.
    GpuHunt,
    /// The catalog of `SkyPilot`.
    SkyPilot,
}

impl Aggregator {
    /// Every aggregator.
    pub const ALL: [Self; 2] = [Self::GpuHunt, Self::SkyPilot];

    /// Returns the name of the project, as prices cite it.
    pub fn name(self) -> &'static str {
        match self {
            Self::GpuHunt => gpuhunt::NAME,
            Self::SkyPilot => skypilot::NAME,
        }
    }

    /// Returns the base URL of the project's files.
    pub fn base_url(self) -> &'static str {
        match self {
            Self::GpuHunt => gpuhunt::BASE_URL,
            Self::SkyPilot => skypilot::BASE_URL,
        }
    }

    /// Returns the project's name for a provider; `None` if it does not collect the provider's
    /// offers. `skypilot` is SkyPilot's name in the catalog.
    pub fn word(self, provider: &str, skypilot: Option<&str>) -> Option<String> {
        match self {
            Self::GpuHunt => gpuhunt::word(provider).map(str::to_owned),
            Self::SkyPilot => skypilot.map(str::to_owned),
        }
    }

    /// Returns the offers of a provider, which the project calls `word`.
    ///
    /// # Errors
    ///
    /// Same as [`ProviderApi::query`](crate::ProviderApi::query).
    pub async fn listing(
        self,
        provider: &str,
        word: &str,
        environment: &Environment<'_>,
        query: &Query<'_>,
        context: &Context<'_>,
    ) -> Result<Listing, ProviderError> {
        let (table, version, date, reading) = match self {
            Self::GpuHunt => gpuhunt::table(word, environment, context).await?,
            Self::SkyPilot => skypilot::table(word, environment, context).await?,
        };
        let unreadable = |_| {
            let message = format!("its table of {word} is not the documented CSV");
            ProviderError::new(self.name(), ErrorKind::Protocol, message)
        };
        let operation = format!("reading the table of {word}");
        let (rows, tally) = context.parsed(&operation, || {
            let rows = match self {
                Self::GpuHunt => gpuhunt::rows(&table, provider),
                Self::SkyPilot => skypilot::rows(&table),
            };
            rows.map_err(unreadable)
        })?;
        if rows.is_empty() {
            let message = format!("no row of its table of {word} can be read");
            return Err(ProviderError::new(
                self.name(),
                ErrorKind::Protocol,
                message,
            ));
        }
        let (mut offers, dropped) = offers(provider, query, rows, tally);
        for price in offers.iter_mut().flat_map(|offer| &mut offer.prices) {
            price.as_of = date;
        }
        let listing = Listing::public(offers, dropped, Vec::new(), reading);
        Ok(Listing {
            edition: Some(Edition {
                name: self.name(),
                version,
            }),
            ..listing
        })
    }
}

/// Returns an offer for each type, with its lowest price in each region.
fn offers(
    provider: &str,
    query: &Query<'_>,
    rows: Vec<TableRow>,
    mut dropped: Tally,
) -> (Vec<Offer>, Tally) {
    type PriceSlot = (CapacityType, Option<&'static str>, Option<String>);
    type Lowest = BTreeMap<PriceSlot, f64>;
    // Rows with the same id but different hardware become separate offers: the catalog shows which
    // one is right.
    let mut types: BTreeMap<_, (Offer, Lowest)> = BTreeMap::new();
    let unbelieved = UNBELIEVED.iter().find(|(id, _)| *id == provider);
    let contradictory = contradictory_lines(&rows);
    for row in rows {
        if contradictory.contains(&row.line) {
            dropped.add_at(DroppedBecause::Contradictory, Some(row.line));
            continue;
        }
        if let Some((_, because)) = unbelieved {
            dropped.add(*because);
            continue;
        }
        let hardware = Hardware {
            name: row.accelerator,
            memory_gb: row.memory_gb,
            ..Hardware::default()
        };
        if (query.interest)(&row.id, Some(&hardware)) == Interest::NotRequested {
            dropped.add(DroppedBecause::NotRequested);
            continue;
        }
        if row.on_demand.or(row.spot).is_none() {
            dropped.add_at(DroppedBecause::NoPrice, Some(row.line));
            continue;
        }
        let key = (
            row.id.clone(),
            row.count.to_bits(),
            hardware.name.clone(),
            hardware.memory_gb.map(f64::to_bits),
        );
        let (_, lowest) = types.entry(key).or_insert_with(|| {
            let offer = Offer {
                id: row.id,
                hardware: Some(hardware),
                count: Some(row.count),
                vcpu: row.vcpu,
                host_memory_gib: row.host_memory_gib,
                ..Offer::default()
            };
            (offer, Lowest::new())
        });
        for (capacity, amount) in [
            (CapacityType::OnDemand, row.on_demand),
            (CapacityType::Spot, row.spot),
        ] {
            let Some(amount) = amount else { continue };
            let lowest_amount = lowest
                .entry((capacity, row.tier, row.region.clone()))
                .or_insert(amount);
            *lowest_amount = lowest_amount.min(amount);
        }
    }
    let offers = types.into_values().map(|(offer, lowest)| Offer {
        prices: lowest
            .into_iter()
            .map(|((capacity, tier, region), amount)| Price {
                region,
                tier: tier.map(str::to_owned),
                ..Price::new(capacity, amount)
            })
            .collect(),
        ..offer
    });
    (offers.collect(), dropped)
}

/// Returns the lines of rows that state different prices on demand for the same machine in the same place. Which of
/// the prices is right is unknown.
fn contradictory_lines(rows: &[TableRow]) -> HashSet<u32> {
    let mut machines: HashMap<_, (Option<f64>, bool)> = HashMap::with_capacity(rows.len());
    let priced = || {
        let rows = rows.iter().filter(|row| row.on_demand.is_some());
        rows.map(|row| (machine(row), row))
    };
    for (machine, row) in priced() {
        let known = machines.entry(machine);
        let (price, is_contradictory) = known.or_insert((row.on_demand, false));
        *is_contradictory |= *price != row.on_demand;
    }
    let mut lines = HashSet::new();
    for (machine, row) in priced() {
        let is_contradictory = machines.get(&machine).is_some_and(|known| known.1);
        lines.extend(is_contradictory.then_some(row.line));
    }
    lines
}

/// The machine of a row, and the place where it is sold.
fn machine(row: &TableRow) -> impl Hash + Eq {
    let sizes = [row.memory_gb, row.vcpu, row.host_memory_gib];
    (
        (&row.id, &row.accelerator, row.count.to_bits(), row.tier),
        sizes.map(|size| size.map(f64::to_bits)),
        (&row.region, &row.variant),
    )
}

/// Parses a table of an aggregator for fuzzing.
pub(crate) fn parse_table(from: Aggregator, provider: &str, query: &Query<'_>, table: &[u8]) {
    let rows = match from {
        Aggregator::GpuHunt => gpuhunt::rows(table, provider),
        Aggregator::SkyPilot => skypilot::rows(table),
    };
    let _ = rows.map(|(rows, dropped)| offers(provider, query, rows, dropped));
}

/// Parses the table in an archive of gpuhunt for fuzzing.
pub(crate) fn parse_archive(query: &Query<'_>, archive: &[u8]) {
    if let Ok(table) = archive::unpacked(archive, "aws") {
        parse_table(Aggregator::GpuHunt, "aws", query, &table);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Counts;

    #[test]
    fn a_region_has_the_lowest_price_of_its_zones() {
        let row = |region: &str, usd: f64| TableRow {
            id: "p5.48xlarge".to_owned(),
            accelerator: "H100".to_owned(),
            count: 8.0,
            region: Some(region.to_owned()),
            on_demand: Some(usd),
            ..TableRow::default()
        };
        let zone = |variant: &str, row: TableRow| TableRow {
            variant: variant.to_owned(),
            ..row
        };
        let rows = vec![
            zone("a1", row("a", 3.0)),
            zone("a2", row("a", 2.0)),
            row("b", 4.0),
            TableRow {
                on_demand: None,
                ..row("c", 0.0)
            },
        ];
        let query = Query::everything(Counts {
            min: 1.0,
            max: None,
        });
        let (offers, dropped) = offers("aws", &query, rows.clone(), Tally::default());
        let prices: Vec<f64> = offers[0]
            .prices
            .iter()
            .map(|price| price.per_hour)
            .collect();
        assert_eq!((prices, dropped.rows()), (vec![2.0, 4.0], 1));
        for (provider, _) in UNBELIEVED {
            let (offers, dropped) = super::offers(provider, &query, rows.clone(), Tally::default());
            assert_eq!((offers.len(), dropped.rows()), (0, 4));
        }
    }

    #[test]
    fn rows_that_contradict_each_other_are_left_out() {
        let row = |line: u32, usd: f64| TableRow {
            id: "gpu_1x_a10".to_owned(),
            accelerator: "A10".to_owned(),
            count: 1.0,
            on_demand: Some(usd),
            line,
            ..TableRow::default()
        };
        let everything = Query::everything(Counts {
            min: 1.0,
            max: None,
        });
        let read = |rows: Vec<TableRow>| {
            let (offers, dropped) = offers("lambda", &everything, rows, Tally::default());
            (offers.len(), dropped.done())
        };
        let (kept, dropped) = read(vec![row(2, 1.29), row(3, 1.29), row(4, 3.5)]);
        assert_eq!((kept, dropped.len()), (0, 1));
        assert_eq!((dropped[0].rows, dropped[0].line), (3, Some(2)));
        assert_eq!(read(vec![row(2, 1.29), row(3, 1.29)]), (1, Vec::new()));
    }

    #[test]
    fn wide_and_long_tables_are_read_in_linear_time() {
        let columns = ",x".repeat(200_000);
        let rows = "a\n".repeat(200_000);
        for name in ["instance_name", "InstanceType"] {
            let table = format!("{name}{columns}\n{rows}");
            for read in [
                gpuhunt::rows(table.as_bytes(), "aws"),
                skypilot::rows(table.as_bytes()),
            ] {
                let (rows, _) = read.unwrap();
                assert!(rows.is_empty());
            }
        }
    }
}
