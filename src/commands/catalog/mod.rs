//! `catalog`: verifies, compiles, compares and updates catalogs.

mod compile;
mod diff;
mod options;
pub mod own_folder;
mod paths;
mod published;
mod token_prices;
mod update;
mod update_report;

use std::path::PathBuf;

use serde::Serialize;
use sky_accel_core::text::{counted, some_of};
use sky_accel_engine::catalog::{self as engine_catalog, EMBEDDED};
use sky_accel_engine::contract::{Envelope, VerifyOut, WarningOut};

use self::options::UpdateOptions;
use self::paths::{request, shown};
use crate::cli::{CatalogCommand, Output};
use crate::context::{Failure, Result};
use crate::exit_code::ExitCode;
use crate::render::{Block, Column, Footer, Page, Report, RowStyle, Table, print};
use crate::settings::Settings;
use crate::ui::Ui;

/// A source of facts.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PathOut {
    /// `embedded` or `overlay`.
    pub layer: &'static str,
    /// Missing for the embedded catalog.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exists: Option<bool>,
}

pub fn run(command: CatalogCommand, settings: &Settings, ui: &mut Ui) -> Result<ExitCode> {
    match command {
        CatalogCommand::Verify { paths } if paths.is_empty() => {
            settings.check_catalogs()?;
            verify(&settings.overlays, settings, ui).map_err(|failure| match failure {
                // Without overlays, every fault is in the embedded catalog, whose text is public.
                Failure::Error(error) if !settings.overlays.is_empty() => {
                    settings.without_quotes(error).into()
                }
                other => other,
            })
        }
        CatalogCommand::Verify { paths } => verify(&paths, settings, ui),
        CatalogCommand::Compile { paths, output } => match output {
            Output::File(file) => compile::run(paths, &file, settings, ui),
            Output::Format(_) | Output::Choice(_) => Ok(ExitCode::Usage),
        },
        CatalogCommand::Diff { before, after } => diff::run(before, after, settings, ui),
        CatalogCommand::Path => path(settings, ui),
        CatalogCommand::Update {
            provider,
            from,
            digest,
            into,
            dry_run,
            public,
            timeout,
        } => update::run(
            &UpdateOptions {
                providers: provider,
                from,
                digest,
                into,
                dry_run,
                public: settings.public(public),
                timeout,
            },
            settings,
            ui,
        ),
    }
}

fn verify(overlays: &[PathBuf], settings: &Settings, ui: &mut Ui) -> Result<ExitCode> {
    let (loaded, counts) = engine_catalog::verify(overlays, settings.today())?;
    let left_out = compile::left_out(&counts.left_out);
    let names: Vec<&str> = counts
        .providers_without_link
        .iter()
        .map(String::as_str)
        .collect();
    let without_link =
        (!names.is_empty()).then(|| format!("no `link` is known of {}", some_of(&names)));
    let warned = match counts.warnings.len() {
        0 => String::new(),
        many => format!(", {}", counted(many, "warning")),
    };
    let catalog = loaded.catalog();
    let report = Report {
        envelope: Envelope::new(
            "sky-accel.catalog-verify.v1",
            &catalog,
            request(overlays),
            vec![counts],
        ),
        csv: &[
            "valid",
            "accelerators",
            "names",
            "providers",
            "offers",
            "prices",
            "models",
        ],
        names: Vec::new(),
        page: Box::new(|rows: &[VerifyOut], _| {
            let mut table = Table::new([
                Column::right("ACCELERATORS", 0),
                Column::right("NAMES", 0),
                Column::right("PROVIDERS", 0),
                Column::right("OFFERS", 0),
                Column::right("PRICES", 0),
                Column::right("MODELS", 0),
            ]);
            for row in rows {
                let counts = [
                    row.accelerators,
                    row.names,
                    row.providers,
                    row.offers,
                    row.prices,
                    row.models,
                ];
                table.row(RowStyle::Plain, counts.map(|n| n.to_string()));
            }
            let mut page = Page::table(table);
            let overrides = rows.iter().flat_map(|row| &row.overrides);
            page.blocks.extend(overrides.cloned().map(Block::Text));
            let warnings = rows.iter().flat_map(|row| &row.warnings);
            let warnings = warnings.map(
                |WarningOut {
                     provider, message, ..
                 }| match &provider[..] {
                    "" => format!("warning: {message}"),
                    _ => format!("warning: {provider}: {message}"),
                },
            );
            page.blocks.extend(warnings.map(Block::Text));
            page
        }),
        footer: [format!(
            "catalog {} with {}: no errors found{warned}",
            catalog.version(),
            counted(overlays.len(), "overlay")
        )]
        .into_iter()
        .chain(left_out)
        .chain(without_link)
        .collect::<Vec<_>>()
        .into(),
        exit_code: ExitCode::Found,
    };
    Ok(print(ui, settings.output, report)?)
}

fn path(settings: &Settings, ui: &mut Ui) -> Result<ExitCode> {
    let embedded = PathOut {
        layer: "embedded",
        path: None,
        exists: None,
    };
    let overlays = settings.overlays.iter().map(|path| PathOut {
        layer: "overlay",
        path: Some(shown(path)),
        exists: Some(path.exists()),
    });
    let results: Vec<PathOut> = std::iter::once(embedded).chain(overlays).collect();
    let report = Report {
        envelope: Envelope::new(
            "sky-accel.catalog-path.v1",
            &EMBEDDED,
            request(&settings.overlays),
            results,
        ),
        csv: &["layer", "path", "exists"],
        names: settings.overlays.iter().map(|path| shown(path)).collect(),
        page: Box::new(|rows: &[PathOut], _| {
            let mut table = Table::new([
                Column::left("LAYER", 0),
                Column::left("PATH", 0),
                Column::left("STATUS", 0),
            ]);
            for row in rows {
                let status = match row.exists {
                    None => format!(
                        "version {}, facts to {}",
                        EMBEDDED.version(),
                        EMBEDDED.as_of()
                    ),
                    Some(true) => "there".to_owned(),
                    Some(false) => "not there".to_owned(),
                };
                table.row(
                    RowStyle::Plain,
                    [
                        row.layer.to_owned(),
                        row.path
                            .clone()
                            .unwrap_or_else(|| "in the program".to_owned()),
                        status,
                    ],
                );
            }
            Page::table(table)
        }),
        footer: Footer::default(),
        exit_code: ExitCode::Found,
    };
    Ok(print(ui, settings.output, report)?)
}
