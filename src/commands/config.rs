//! `config show`: every setting, and where it came from.

use std::path::PathBuf;

use serde::Serialize;
use sky_accel_core::text::number;
use sky_accel_engine::catalog::EMBEDDED;
use sky_accel_engine::contract::Envelope;

use super::Result;
use crate::cli::{ConfigCommand, word_of};
use crate::exit_code::ExitCode;
use crate::render::{Column, Page, Report, RowStyle, Table, print};
use crate::settings::{Settings, cache_folder};
use crate::ui::Ui;

/// Nothing is asked.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ConfigRequest {}

/// A setting.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct SettingOut {
    /// As in a config file.
    pub name: &'static str,
    /// `null` when nothing is set; lists are separated by commas.
    pub value: Option<String>,
    /// A flag, a variable, a file, or `default`.
    pub from: String,
}

pub fn run(command: ConfigCommand, settings: &Settings, ui: &mut Ui) -> Result<ExitCode> {
    let ConfigCommand::Show = command;
    let listed = |items: &[String]| (!items.is_empty()).then(|| items.join(","));
    let paths = |paths: &[PathBuf]| {
        let shown: Vec<String> = paths
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        listed(&shown)
    };
    let offers = &settings.offers;
    let cache = cache_folder().map(|folder| folder.display().to_string());
    let values = [
        ("output", Some(word_of(settings.output))),
        ("color", Some(settings.color.to_string())),
        ("catalog", paths(&settings.overlays)),
        ("provider", listed(&offers.provider)),
        ("region", listed(&offers.region)),
        ("capacity_type", offers.capacity_type.map(word_of)),
        ("max_price", offers.max_price.map(number)),
        ("limit", offers.limit.map(|limit| limit.to_string())),
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
        footer: Vec::new(),
        exit_code: ExitCode::Found,
    };
    Ok(print(ui, settings.output, report)?)
}
