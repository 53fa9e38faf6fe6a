//! Projects that collect the offers of many clouds: read at the user's request, and believed less
//! than the clouds themselves.

mod gpuhunt;
mod skypilot;

use std::collections::BTreeMap;

use csv::{ReaderBuilder, StringRecord};
use sky_accel_core::catalog::CapacityType;

use crate::context::Context;
use crate::credentials::Environment;
use crate::error::{ErrorKind, ProviderError};
use crate::offer::{DroppedBecause, Edition, Hardware, Listing, Offer, Price, Reading, Tally};
use crate::query::{Interest, Query};

/// The most rows of a table that are read.
const MAX_ROWS: usize = 1_000_000;
/// Providers whose prices are wrong at either project. Google's machines and their GPUs are separate rows, or
/// their sums are wrong; Mithril holds auctions.
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

/// A row of a table, in words that both projects share.
#[derive(Clone, Debug, Default, PartialEq)]
struct TableRow {
    id: String,
    accelerator: String,
    count: f64,
    /// Per accelerator.
    memory_gb: Option<f64>,
    vcpu: Option<f64>,
    host_memory_gib: Option<f64>,
    region: Option<String>,
    /// The price tier, where the provider has several.
    tier: Option<&'static str>,
    on_demand: Option<f64>,
    spot: Option<f64>,
}

impl Aggregator {
    /// The name of the project, as prices cite it.
    pub fn name(self) -> &'static str {
        match self {
            Self::GpuHunt => gpuhunt::NAME,
            Self::SkyPilot => skypilot::NAME,
        }
    }

    /// The project's word for a provider; `None` if it does not collect the provider's offers.
    /// `skypilot` is `SkyPilot`'s own word in the catalog.
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
    /// As [`PublicProvider::listing`](crate::public::PublicProvider::listing).
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
        let rows = match self {
            Self::GpuHunt => gpuhunt::rows(&table, provider),
            Self::SkyPilot => skypilot::rows(&table),
        };
        let unreadable = |_| {
            let message = format!("its table of {word} is not the documented CSV");
            ProviderError::new(self.name(), ErrorKind::Protocol, message)
        };
        let (rows, tally) = rows.map_err(unreadable)?;
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

/// The text of a table, the version and the date of what it says, and when it was read.
type Table = (Vec<u8>, String, i64, Reading);

/// Reads the rows of a table by the names of its columns. `read` turns a record into a row, or into nothing
/// if it has no accelerators.
fn rows_of(
    table: &[u8],
    read: impl Fn(&Cells<'_>) -> Result<Option<TableRow>, DroppedBecause>,
) -> Result<(Vec<TableRow>, Tally), csv::Error> {
    let mut reader = ReaderBuilder::new().flexible(true).from_reader(table);
    let names = reader.headers()?.clone();
    let mut record = StringRecord::new();
    let mut rows = Vec::new();
    let mut dropped = Tally::default();
    let mut count = 0;
    while count < MAX_ROWS && reader.read_record(&mut record)? {
        count += 1;
        let cells = Cells {
            names: &names,
            record: &record,
        };
        match read(&cells) {
            Ok(row) => rows.extend(row),
            Err(because) => dropped.add(because),
        }
    }
    Ok((rows, dropped))
}

/// The values of a row by the names of their columns.
struct Cells<'c> {
    names: &'c StringRecord,
    record: &'c StringRecord,
}

impl Cells<'_> {
    /// A value; empty where there is none.
    fn text(&self, name: &str) -> &str {
        let at = self.names.iter().position(|known| known == name);
        at.and_then(|at| self.record.get(at))
            .unwrap_or_default()
            .trim()
    }

    /// A number above zero.
    fn number(&self, name: &str) -> Option<f64> {
        let number: f64 = self.text(name).parse().ok()?;
        (number.is_finite() && number > 0.0).then_some(number)
    }
}

/// An offer for each type with its lowest price in each region.
fn offers(
    provider: &str,
    query: &Query<'_>,
    rows: Vec<TableRow>,
    mut dropped: Tally,
) -> (Vec<Offer>, Tally) {
    type Place = (CapacityType, Option<&'static str>, Option<String>);
    type Lowest = BTreeMap<Place, f64>;
    // Rows of one id that disagree about its hardware are several offers, of which one may be right.
    let mut types: BTreeMap<_, (Offer, Lowest)> = BTreeMap::new();
    let unbelieved = UNBELIEVED.iter().find(|(id, _)| *id == provider);
    for row in rows {
        if let Some((_, because)) = unbelieved {
            dropped.add(*because);
            continue;
        }
        let hardware = Hardware {
            name: row.accelerator,
            memory_gb: row.memory_gb,
            ..Hardware::default()
        };
        if (query.interest)(&row.id, Some(&hardware)) == Interest::Unwanted {
            continue;
        }
        if row.on_demand.or(row.spot).is_none() {
            dropped.add(DroppedBecause::NoPrice);
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
            let known = lowest
                .entry((capacity, row.tier, row.region.clone()))
                .or_insert(amount);
            *known = known.min(amount);
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

/// Parses one body as every table, and as an archive of one.
pub(crate) fn parse_tables(query: &Query<'_>, body: &[u8]) {
    let table = gpuhunt::unpacked(body, "aws");
    let table = table.as_deref().unwrap_or(body);
    let tables = [gpuhunt::rows(table, "aws"), skypilot::rows(table)];
    for (rows, dropped) in tables.into_iter().flatten() {
        let _ = offers("aws", query, rows, dropped);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::Counts;

    #[test]
    fn the_lowest_price_of_several_zones_counts() {
        let row = |region: &str, usd: f64| TableRow {
            id: "p5.48xlarge".to_owned(),
            accelerator: "H100".to_owned(),
            count: 8.0,
            region: Some(region.to_owned()),
            on_demand: Some(usd),
            ..TableRow::default()
        };
        let rows = vec![
            row("a", 3.0),
            row("a", 2.0),
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
}
