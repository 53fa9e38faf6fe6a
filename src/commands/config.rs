//! `config`: shows every setting with its origin, and manages trust in a project's catalogs.

use std::path::PathBuf;

use serde::Serialize;
use sky_accel_core::text::{list_and, number, printable};
use sky_accel_engine::catalog::EMBEDDED;
use sky_accel_engine::contract::Envelope;

use crate::cli::{ConfigCommand, word_of};
use crate::context::Result;
use crate::exit_code::ExitCode;
use crate::render::{Block, Column, Footer, Page, Report, RowStyle, Table, print};
use crate::settings::{Settings, cache_folder, project_file, revoke};
use crate::ui::Ui;

/// Request without fields.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConfigRequest {}

/// A setting with its origin.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SettingOut {
    /// Key of the setting in a config file.
    pub name: &'static str,
    /// Value; `null` if unset. Lists are comma-separated.
    pub value: Option<String>,
    /// Origin: a flag, a variable, a file, or `default`.
    pub from: String,
}

/// Catalogs of a project, and whether they are used.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct TrustOut {
    /// Project file that names the catalogs.
    pub file: String,
    /// Catalogs that the project file names.
    pub catalogs: Vec<String>,
    /// SHA-256 of the project file and all files of the catalogs; `null` after the trust is revoked.
    pub sha256: Option<String>,
    /// True if the catalogs are trusted until one of the files changes.
    pub trusted: bool,
}

pub fn run(command: ConfigCommand, settings: &Settings, ui: &mut Ui) -> Result<ExitCode> {
    match command {
        ConfigCommand::Show => show(settings, ui),
        ConfigCommand::Trust { revoke } => trust(!revoke, settings, ui),
    }
}

fn trust(is_trusted: bool, settings: &Settings, ui: &mut Ui) -> Result<ExitCode> {
    let shown = |path: &PathBuf| printable(&path.display().to_string());
    let catalogs = settings.project_catalogs.as_ref();
    let overlays = catalogs.map(|project| project.overlays.iter().map(shown).collect());
    let (file, sha256) = match catalogs {
        Some(project) if is_trusted => (project.file.clone(), Some(project.trust()?)),
        None if is_trusted => {
            let why = settings.ignored_project.as_deref();
            let nothing = "no ./sky-accel.toml names catalogs; nothing to trust";
            ui.stderr_line(why.unwrap_or(nothing))?;
            return Ok(ExitCode::NothingMatches);
        }
        _ => (revoke(&project_file())?, None),
    };
    let result = TrustOut {
        file: shown(&file),
        catalogs: overlays.unwrap_or_default(),
        sha256,
        trusted: is_trusted,
    };
    let report = Report {
        envelope: Envelope::new(
            "sky-accel.config-trust.v1",
            &EMBEDDED,
            ConfigRequest {},
            vec![result],
        ),
        csv: &["file", "catalogs", "sha256", "trusted"],
        names: Vec::new(),
        page: Box::new(|results: &[TrustOut], _| Page {
            blocks: results.iter().map(sentence).map(Block::Text).collect(),
        }),
        footer: Footer::default(),
        exit_code: ExitCode::Found,
    };
    Ok(print(ui, settings.output, report)?)
}

fn sentence(result: &TrustOut) -> String {
    let catalogs: Vec<&str> = result.catalogs.iter().map(String::as_str).collect();
    let catalogs = list_and(&catalogs);
    if result.trusted {
        let file = &result.file;
        format!("{file} may use {catalogs}, until one of these files changes")
    } else {
        format!("{} may no longer use catalogs", result.file)
    }
}

fn show(settings: &Settings, ui: &mut Ui) -> Result<ExitCode> {
    let listed = |items: &[String]| (!items.is_empty()).then(|| items.join(","));
    let paths = |paths: &[PathBuf]| {
        let shown: Vec<String> = paths
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        listed(&shown)
    };
    let untrusted = settings.check_catalogs().err();
    let untrusted = untrusted.and_then(|error| error.problems.into_iter().next());
    let remarks = settings.ignored_project.iter().cloned();
    let remarks: Vec<String> = remarks
        .chain(untrusted.map(|problem| problem.message))
        .collect();
    let offers = &settings.offers;
    let cache = cache_folder().map(|folder| folder.display().to_string());
    let values = [
        ("output", Some(word_of(settings.output))),
        ("color", Some(settings.color.to_string())),
        ("catalog", paths(&settings.overlays)),
        ("provider", listed(&offers.provider)),
        ("region", listed(&offers.region)),
        (
            "capacity_type",
            offers.capacity_type.map(|filter| filter.word().to_owned()),
        ),
        ("max_price", offers.max_price.map(number)),
        ("limit", offers.limit.map(|limit| limit.to_string())),
        ("live.public", listed(&settings.public)),
        ("offline", Some(settings.offline.to_string())),
        ("width", settings.width.map(|width| width.to_string())),
        ("today", settings.today.map(|day| day.to_string())),
        ("cache", cache),
    ];
    let results = values.map(|(name, value)| SettingOut {
        name,
        value,
        from: settings.origin(name).unwrap_or("default").to_owned(),
    });
    let names = results
        .iter()
        .map(|setting| setting.name.to_owned())
        .collect();
    let report = Report {
        envelope: Envelope::new(
            "sky-accel.config.v1",
            &EMBEDDED,
            ConfigRequest {},
            results.into(),
        ),
        csv: &["name", "value", "from"],
        names,
        page: Box::new(|results: &[SettingOut], _| {
            let mut table = Table::new([
                Column::left("SETTING", 0),
                Column::left("VALUE", 0),
                Column::left("FROM", 0),
            ]);
            for setting in results {
                let value = setting.value.clone().unwrap_or_else(|| "—".to_owned());
                let cells = [setting.name.to_owned(), value, setting.from.clone()];
                table.row(RowStyle::Plain, cells);
            }
            Page::table(table)
        }),
        footer: remarks.into(),
        exit_code: ExitCode::Found,
    };
    Ok(print(ui, settings.output, report)?)
}
