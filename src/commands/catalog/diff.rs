//! `catalog diff`: the differences between two catalogs.

use std::path::{Path, PathBuf};

use sky_accel_engine::catalog::{EMBEDDED, changes, sentences};
use sky_accel_engine::contract::{CatalogDiffRequest, DifferenceOut, Envelope};

use crate::context::Result;
use crate::exit_code::ExitCode;
use crate::render::{Block, Page, Report, print};
use crate::settings::{Settings, compiled_folder};
use crate::ui::Ui;

pub(super) fn run(
    before: Option<PathBuf>,
    after: Option<PathBuf>,
    settings: &Settings,
    ui: &mut Ui,
) -> Result<ExitCode> {
    let is_of_settings = before.is_none() && after.is_none();
    if is_of_settings {
        settings.check_catalogs()?;
    }
    let side = |path: Option<PathBuf>, otherwise: &[PathBuf]| match path {
        Some(path) if path == Path::new("embedded") => Vec::new(),
        Some(path) => vec![path],
        None => otherwise.to_vec(),
    };
    // A single path is compared with the embedded catalog.
    let (before, after) = match (before, after) {
        (Some(only), None) => (None, Some(only)),
        both => both,
    };
    let (before, after) = (side(before, &[]), side(after, &settings.overlays));
    let changes = changes(&before, &after, compiled_folder().as_deref());
    let changes = changes.map_err(|error| {
        if is_of_settings {
            settings.without_quotes(error)
        } else {
            error
        }
    })?;
    let named = |paths: &[PathBuf]| {
        if paths.is_empty() {
            vec!["embedded".to_owned()]
        } else {
            paths.iter().map(|path| super::paths::shown(path)).collect()
        }
    };
    let request = CatalogDiffRequest {
        before: named(&before),
        after: named(&after),
    };
    let lines = sentences(&changes);
    let footer = if changes.is_empty() {
        vec!["no differences".to_owned()]
    } else {
        Vec::new()
    };
    let report = Report {
        envelope: Envelope::new(
            "sky-accel.catalog-diff.v1",
            &EMBEDDED,
            request,
            changes.iter().map(DifferenceOut::from).collect(),
        ),
        csv: &[
            "change",
            "provider",
            "what",
            "accelerator",
            "field",
            "region",
            "before",
            "after",
            "percent",
        ],
        names: Vec::new(),
        page: Box::new(move |_, _| Page {
            blocks: lines.into_iter().map(Block::Text).collect(),
        }),
        footer: footer.into(),
        exit_code: ExitCode::Found,
    };
    Ok(print(ui, settings.output, report)?)
}
