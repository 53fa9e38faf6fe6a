//! `SkyPilot`'s catalog: one table per cloud, without dates.

use std::time::Duration;

use super::table::{AggregatorTable, Cells, TableRow, rows_of};
use crate::context::Context;
use crate::credentials::Environment;
use crate::error::{ErrorKind, ProviderError};
use crate::feed::Feed;
use crate::offer::{DroppedBecause, Tally};
use crate::reading::DocumentAge;

pub(super) const NAME: &str = "skypilot";
pub(super) const BASE_URL: &str =
    "https://raw.githubusercontent.com/skypilot-org/skypilot-catalog/master/catalogs/v8";
/// The mirror that is used after too many requests to the first address.
const MIRROR_URL: &str = "https://skypilot-catalog.s3.us-east-1.amazonaws.com/catalogs/v8";
/// Some tables are updated manually, weeks apart.
const MOST_DAYS: i64 = 90;
const KEEP: Duration = Duration::from_secs(3600);

pub(super) async fn table(
    word: &str,
    environment: &Environment<'_>,
    context: &Context<'_>,
) -> Result<AggregatorTable, ProviderError> {
    let base = environment.public_url(NAME, BASE_URL)?;
    let operation = format!("reading the catalog of {word}");
    let feed = |base: &str| Feed {
        provider: NAME,
        operation: &operation,
        url: format!("{base}/{word}/vms.csv"),
        question: None,
        keep: KEEP,
    };
    let mut reading = DocumentAge::default();
    let read = async |feed: Feed<'_>, reading: &mut DocumentAge| {
        let table = context.document(&feed, reading, |document| {
            let date = document.date(NAME, &operation, document.modified, MOST_DAYS)?;
            if !has_column(&document.body) {
                return Err(feed.unreadable("no table of instance types"));
            }
            let version = match document.modified {
                Some(_) => day(date),
                None => format!("undated, read {}", day(date)),
            };
            Ok((document.body.clone(), version, date))
        });
        table.await
    };
    let answer = match read(feed(&base), &mut reading).await {
        Err(error) if error.kind == ErrorKind::RateLimited && base == BASE_URL => {
            read(feed(MIRROR_URL), &mut reading).await
        }
        answer => answer,
    };
    let (table, version, date) = answer?;
    Ok((table, version, date, reading))
}

/// Returns the day of a time in seconds since 1970.
fn day(at: i64) -> String {
    let at = jiff::Timestamp::from_second(at).map(|at| at.to_string());
    at.unwrap_or_default().chars().take(10).collect()
}

/// Returns true if the header has the column of instance types.
fn has_column(table: &[u8]) -> bool {
    let line = table
        .split(|byte| *byte == b'\n')
        .next()
        .unwrap_or_default();
    let line = String::from_utf8_lossy(line);
    line.split(',').any(|name| name.trim() == "InstanceType")
}

/// The columns that are read.
const COLUMNS: [&str; 9] = [
    "InstanceType",
    "AcceleratorName",
    "AcceleratorCount",
    "vCPUs",
    "MemoryGiB",
    "Region",
    "AvailabilityZone",
    "Price",
    "SpotPrice",
];

pub(super) fn rows(table: &[u8]) -> Result<(Vec<TableRow>, Tally), csv::Error> {
    rows_of(table, COLUMNS, row)
}

fn row(cells: &Cells<'_, { COLUMNS.len() }>) -> Result<Option<TableRow>, DroppedBecause> {
    let (id, accelerator) = (cells.text("InstanceType"), cells.text("AcceleratorName"));
    if accelerator.is_empty() {
        return Ok(None);
    }
    if id.is_empty() {
        // The row is a GPU that is attached to a machine of another row.
        return Err(DroppedBecause::Incoherent);
    }
    let count = cells
        .number("AcceleratorCount")
        .ok_or(DroppedBecause::Unreadable)?;
    let region = cells.text("Region");
    Ok(Some(TableRow {
        id: id.to_owned(),
        accelerator: accelerator.to_owned(),
        count,
        memory_gb: None,
        vcpu: cells.number("vCPUs"),
        host_memory_gib: cells.number("MemoryGiB"),
        region: (!region.is_empty()).then(|| region.to_owned()),
        tier: None,
        // A price of zero is unknown.
        on_demand: cells.price("Price")?,
        spot: cells.price("SpotPrice")?,
        variant: cells.text("AvailabilityZone").to_owned(),
        line: 0,
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn finds_columns_by_name() {
        let table = "AcceleratorName,InstanceType,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region,AvailabilityZone\n\
            H100,p5.48xlarge,8.0,192.0,2048.0,\"{'Gpus': [{'Name': 'H100'}]}\",55.04,21.3,us-east-1,use1-az6\n\
            ,m5.large,,2,8,,0.1,0.05,us-east-1,use1-az6\n\
            A100,,1.0,,,,2.9,,us-central1,us-central1-a\n\
            H100,Standard_ND96isr_H100_v5,8.0,96,1900,,0.0,,eastus,\n\
            A10,gpu_1x_a10,1.0,,,,1.29 EUR,,us-east-1,\n\
            A10,gpu_1x_a10,1.0,,,,1.29,-0.5,us-east-1,\n";
        assert!(has_column(table.as_bytes()));
        let (rows, dropped) = rows(table.as_bytes()).unwrap();
        assert_eq!(
            (&*rows[0].id, rows[0].on_demand, rows[0].spot),
            ("p5.48xlarge", Some(55.04), Some(21.3))
        );
        assert_eq!((rows[1].on_demand, rows[1].spot), (None, None));
        assert_eq!((rows.len(), dropped.rows()), (2, 3));
        let unreadable = dropped.done()[1];
        assert_eq!((unreadable.rows, unreadable.line), (2, Some(6)));
        assert!(!has_column(b"<!DOCTYPE html>"));
    }
}
