//! `mig profiles`: the MIG profiles of a GPU.

use sky_accel_core::catalog::{Catalog, Geometry};
use sky_accel_engine::contract::{EnginesOut, ProfileRow, ProfilesRequest};

use crate::cli::MigProfilesArgs;
use crate::context::{Context, Result};
use crate::exit_code::ExitCode;
use crate::render::{Column, Page, Report, RowStyle, Table, print};

const CSV: &[&str] = &[
    "gpu",
    "profile",
    "profile_id",
    "max_instances",
    "memory_mib",
    "compute_slices",
    "memory_slices",
    "size",
    "starts",
    "sm",
    "source",
];

pub fn run(context: &mut Context<'_>, args: &MigProfilesArgs) -> Result<ExitCode> {
    let catalog = context.engine.catalog();
    let envelope = context.engine.mig_profiles(&ProfilesRequest {
        gpu: args.gpu.clone(),
    })?;
    let titles = envelope.results.iter().map(|row| row.gpu);
    let mut footer: Vec<String> = titles
        .filter_map(|title| {
            let mut geometries = catalog.geometries.iter();
            geometries.find(|geometry| catalog.str(geometry.title) == title)
        })
        .map(|geometry| source(&catalog, &geometry))
        .collect();
    footer.dedup();
    let report = Report {
        names: envelope
            .results
            .iter()
            .map(|row| row.profile.profile.to_owned())
            .collect(),
        envelope,
        csv: CSV,
        page: Box::new(|rows, _| Page::table(table(rows))),
        footer: footer.into(),
        exit_code: ExitCode::Found,
    };
    Ok(print(context.ui, context.settings.output, report)?)
}

/// `H100 80GB: driver 525.53 or newer; source`.
fn source(catalog: &Catalog<'_>, geometry: &Geometry) -> String {
    let driver = catalog.text(geometry.driver_min).unwrap_or("?");
    let later = catalog.profiles(geometry).iter().filter_map(|row| {
        let driver = catalog.text(row.driver_min)?;
        Some(format!("{} {driver}", catalog.str(row.name)))
    });
    let later: Vec<String> = later.collect();
    let later = match &later[..] {
        [] => String::new(),
        later => format!(" ({})", later.join(", ")),
    };
    format!(
        "{}: driver {driver} or newer{later}; {}",
        catalog.str(geometry.title),
        catalog.str(geometry.source)
    )
}

fn table(rows: &[ProfileRow<'_>]) -> Table {
    let mut table = Table::new([
        Column::left("GPU", 0),
        Column::left("PROFILE", 0),
        Column::right("ID", 1),
        Column::right("MAX", 0),
        Column::right("MEM MIB", 0),
        Column::right("SM", 2),
        Column::right("COMPUTE", 1),
        Column::right("SIZE", 0),
        Column::left("STARTS", 0),
        Column::left("ENGINES", 3),
    ]);
    let or_unknown = |figure: Option<String>| figure.unwrap_or_else(|| "?".to_owned());
    for row in rows {
        let profile = &row.profile;
        let starts: Vec<String> = profile.starts.iter().map(ToString::to_string).collect();
        table.row(
            RowStyle::Plain,
            [
                row.gpu.to_owned(),
                profile.profile.to_owned(),
                or_unknown(profile.profile_id.map(|id| id.to_string())),
                profile.max_instances.to_string(),
                or_unknown(profile.memory_mib.map(|mib| mib.to_string())),
                or_unknown(profile.sm.map(|sm| sm.to_string())),
                profile.compute_slices.to_string(),
                or_unknown(profile.size.map(|size| size.to_string())),
                if starts.is_empty() {
                    "?".to_owned()
                } else {
                    starts.join(" ")
                },
                profile
                    .engines
                    .as_ref()
                    .map_or_else(|| "?".to_owned(), engines),
            ],
        );
    }
    table
}

/// `1 copy, 2 decode`: the engines of a profile.
fn engines(engines: &EnginesOut) -> String {
    let counts = [
        ("copy", engines.copy),
        ("decode", engines.decode),
        ("encode", engines.encode),
        ("jpeg", engines.jpeg),
        ("ofa", engines.optical_flow),
    ];
    let present = counts.into_iter().filter(|(_, n)| *n != Some(0));
    let words = present.map(|(name, n)| match n {
        Some(n) => format!("{n} {name}"),
        None => format!("? {name}"),
    });
    words.collect::<Vec<_>>().join(", ")
}
