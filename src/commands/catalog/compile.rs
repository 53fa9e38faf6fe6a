//! `catalog compile`: the catalog with overlays as one file.

use std::path::{Path, PathBuf};

use sky_accel_engine::catalog::{to_bytes, verify};
use sky_accel_engine::contract::{CompileOut, Envelope};

use super::paths::{request, shown};
use crate::context::{Failure, Result};
use crate::exit_code::ExitCode;
use crate::files::OutputFile;
use crate::render::{Column, Page, Report, RowStyle, Table, print};
use crate::settings::{Settings, add_catalogs};
use crate::ui::Ui;

/// The maximum number of unknown accelerators in a message.
const MAX_NAMES: usize = 10;

pub(super) fn run(
    paths: Vec<PathBuf>,
    file: &Path,
    settings: &Settings,
    ui: &mut Ui,
) -> Result<ExitCode> {
    let is_of_settings = paths.is_empty();
    let overlays = if is_of_settings {
        settings.check_catalogs()?;
        settings.overlays.clone()
    } else {
        paths
    };
    let mut inputs = settings.inputs();
    add_catalogs(&mut inputs, &overlays);
    let output = OutputFile::open(file, &inputs)?;
    let (loaded, counts) = verify(&overlays, settings.today()).map_err(|error| {
        Failure::Error(if is_of_settings {
            settings.without_quotes(error)
        } else {
            error
        })
    })?;
    let bytes = to_bytes(&loaded);
    output.write(&bytes)?;
    let written = CompileOut {
        file: shown(file),
        bytes: bytes.len(),
        sha256: String::from_utf8_lossy(&bytes[..64]).into_owned(),
        offers: counts.offers,
        prices: counts.prices,
    };
    let catalog = loaded.catalog();
    let report = Report {
        envelope: Envelope::new(
            "sky-accel.catalog-compile.v1",
            &catalog,
            request(&overlays),
            vec![written],
        ),
        csv: &["file", "bytes", "sha256", "offers", "prices"],
        names: vec![shown(file)],
        page: Box::new(|rows: &[CompileOut], _| {
            let mut table = Table::new([
                Column::left("FILE", 0),
                Column::right("OFFERS", 0),
                Column::right("PRICES", 0),
                Column::right("BYTES", 0),
            ]);
            for row in rows {
                let numbers = [row.offers, row.prices, row.bytes].map(|n| n.to_string());
                let [offers, prices, bytes] = numbers;
                table.row(RowStyle::Plain, [row.file.clone(), offers, prices, bytes]);
            }
            Page::table(table)
        }),
        footer: left_out(&counts.left_out)
            .into_iter()
            .collect::<Vec<_>>()
            .into(),
        exit_code: ExitCode::Found,
    };
    Ok(print(ui, settings.output, report)?)
}

/// Returns a note on rows that were left out; `None` if all rows were read.
pub(super) fn left_out(names: &[String]) -> Option<String> {
    let (first, more) = names.split_at(names.len().min(MAX_NAMES));
    let more = match more.len() {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let line = format!(
        "skipped rows with unknown accelerators: {}{more}",
        first.join(", ")
    );
    (!names.is_empty()).then_some(line)
}
