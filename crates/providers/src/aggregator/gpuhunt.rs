//! gpuhunt's catalogs: one for each of nine clouds, with a new version every hour.

use std::time::Duration;

use jiff::civil::Date;
use jiff::tz::TimeZone;

use super::archive::unpacked;
use super::table::{AggregatorTable, Cells, TableRow, rows_of};
use crate::budget::Resource;
use crate::context::Context;
use crate::credentials::Environment;
use crate::error::ProviderError;
use crate::feed::Feed;
use crate::offer::{DroppedBecause, Tally};
use crate::reading::DocumentAge;

pub(super) const NAME: &str = "gpuhunt";
pub(super) const BASE_URL: &str = "https://dstack-gpu-pricing.s3.eu-west-1.amazonaws.com/v3";
/// The project's names for providers.
const PROVIDERS: [(&str, &str); 9] = [
    ("aws", "aws"),
    ("azure", "azure"),
    ("cloudrift", "cloudrift"),
    ("gcp", "gcp"),
    ("lambda", "lambdalabs"),
    ("nebius", "nebius"),
    ("oci", "oci"),
    ("runpod", "runpod"),
    ("verda", "verda"),
];
/// A new version appears every hour: three days without one mean that the project is abandoned.
const MOST_DAYS: i64 = 3;
const KEEP: Duration = Duration::from_secs(900);
/// The provider whose prices have tiers.
const TIERED: &str = "runpod";

pub(super) fn word(provider: &str) -> Option<&'static str> {
    let row = PROVIDERS.iter().find(|(id, _)| *id == provider);
    row.map(|(_, word)| *word)
}

pub(super) async fn table(
    word: &str,
    environment: &Environment<'_>,
    context: &Context<'_>,
) -> Result<AggregatorTable, ProviderError> {
    let base = environment.public_url(NAME, BASE_URL)?;
    let operation = format!("reading the catalog of {word}");
    let feed = |path: &str| Feed {
        provider: NAME,
        operation: &operation,
        url: format!("{base}/{word}/{path}"),
        question: None,
        keep: KEEP,
    };
    let mut reading = DocumentAge::default();
    let version_feed = feed("version");
    let version = context.document(&version_feed, &mut reading, |document| {
        let version = std::str::from_utf8(&document.body).map(str::trim);
        let version = version
            .ok()
            .and_then(|version| Some((version.to_owned(), day(version)?)));
        let (version, date) =
            version.ok_or_else(|| version_feed.unreadable("no version such as 20261120-1234"))?;
        let date = document.date(NAME, &operation, Some(date), MOST_DAYS)?;
        Ok((version, date))
    });
    let (version, date) = version.await?;
    let archive = feed(&format!("{version}/catalog.zip"));
    let table = context.document(&archive, &mut reading, |document| {
        unpacked(&document.body, word).map_err(|why| archive.unreadable(&why))
    });
    let table = table.await?;
    let unpacked_bytes = table.len() as u64;
    context.budget.take(Resource::Bytes, unpacked_bytes)?;
    Ok((table, version, date, reading))
}

/// Returns the day of a version in seconds since 1970. `20261120-1234` has the day and the number
/// of the run.
fn day(version: &str) -> Option<i64> {
    let (day, run) = version.split_once('-')?;
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if day.len() != 8 || !is_number(day) || !is_number(run) || run.len() > 12 {
        return None;
    }
    let number = |range: std::ops::Range<usize>| day.get(range)?.parse().ok();
    let date = Date::new(number(0..4)?, number(4..6)? as i8, number(6..8)? as i8).ok()?;
    let at = date.to_zoned(TimeZone::UTC).ok()?;
    Some(at.timestamp().as_second())
}

/// The columns that are read.
const COLUMNS: [&str; 11] = [
    "instance_name",
    "location",
    "price",
    "cpu",
    "memory",
    "gpu_count",
    "gpu_name",
    "gpu_memory",
    "spot",
    "disk_size",
    "flags",
];

pub(super) fn rows(table: &[u8], provider: &str) -> Result<(Vec<TableRow>, Tally), csv::Error> {
    rows_of(table, COLUMNS, |cells| row(cells, provider))
}

fn row(
    cells: &Cells<'_, { COLUMNS.len() }>,
    provider: &str,
) -> Result<Option<TableRow>, DroppedBecause> {
    let (id, accelerator) = (cells.text("instance_name"), cells.text("gpu_name"));
    if id.is_empty() {
        return Err(DroppedBecause::Unreadable);
    }
    let count = cells.number("gpu_count");
    let (Some(count), false) = (count, accelerator.is_empty()) else {
        // An explicit zero means a machine without GPUs; any other text is unreadable.
        let is_number = |name: &str| cells.text(name).parse::<f64>().is_ok();
        return if is_number("gpu_count")
            || cells.text("gpu_count").is_empty() && accelerator.is_empty()
        {
            Ok(None)
        } else {
            Err(DroppedBecause::Unreadable)
        };
    };
    if !cells.text("flags").is_empty() {
        return Err(DroppedBecause::Flagged);
    }
    if cells.text("price").is_empty() {
        return Err(DroppedBecause::Unreadable);
    }
    let price = cells.price("price")?;
    let is_spot = cells.text("spot").eq_ignore_ascii_case("true");
    let region = cells.text("location");
    Ok(Some(TableRow {
        id: id.to_owned(),
        accelerator: accelerator.to_owned(),
        count,
        memory_gb: cells.number("gpu_memory"),
        vcpu: cells.number("cpu"),
        host_memory_gib: cells.number("memory"),
        region: (!region.is_empty()).then(|| region.to_owned()),
        tier: (provider == TIERED).then(|| tier(region)),
        on_demand: price.filter(|_| !is_spot),
        spot: price.filter(|_| is_spot),
        variant: cells.text("disk_size").to_owned(),
        line: 0,
    }))
}

/// Returns the tier of RunPod for a location: machines of the community cloud are listed by
/// country.
fn tier(place: &str) -> &'static str {
    if place.len() == 2 {
        "community"
    } else {
        "secure"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_have_a_day() {
        assert_eq!(day("19700102-17"), Some(86_400));
        for wrong in [
            "",
            "20261120",
            "2026-11-20",
            "20261340-1",
            "20261120-",
            "20261120-../../x",
            "<html>",
        ] {
            assert_eq!(day(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn lists_machines_with_gpus_and_prices() {
        let table = "instance_name,location,price,cpu,memory,gpu_count,gpu_name,gpu_memory,spot,disk_size,gpu_vendor,flags,cpu_arch,provider_data\n\
            p5.48xlarge,us-east-1,55.04,192,2048.0,8,H100,80.0,False,,nvidia,,x86,{}\n\
            p5.48xlarge,us-east-1,21.3,192,2048.0,8,H100,80.0,True,,nvidia,,x86,{}\n\
            m5.large,us-east-1,0.1,2,8,0,,,False,,,,x86,{}\n\
            a3-ultragpu-8g,us-east4,40,1,1,8,H200,141,False,,nvidia,gcp-dws-calendar-mode,x86,{}\n\
            p9.48xlarge,us-east-1,0,192,2048.0,8,H100,80.0,False,,nvidia,,x86,{}\n\
            broken,us-east-1,x,192,2048.0,8,H100,80.0,False,,nvidia,,x86,{}\n";
        let (rows, dropped) = rows(table.as_bytes(), "aws").unwrap();
        let shown: Vec<_> = rows
            .iter()
            .map(|row| (&*row.id, row.on_demand, row.spot))
            .collect();
        assert_eq!(
            shown,
            [
                ("p5.48xlarge", Some(55.04), None),
                ("p5.48xlarge", None, Some(21.3)),
                ("p9.48xlarge", None, None),
            ]
        );
        assert_eq!(dropped.rows(), 2);
    }

    #[test]
    fn rejects_invalid_archives() {
        for damaged in [&b"<html>"[..], b"PK\x05\x06"] {
            let why = unpacked(damaged, "aws").unwrap_err();
            assert_eq!(why, "no archive with a table");
        }
    }
}
