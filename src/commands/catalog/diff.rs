//! `catalog diff`: two catalogs, and in words what is not the same.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde::Serialize;
use sky_accel_catalog::{Change, ChangeKind, diff};
use sky_accel_engine::catalog::{EMBEDDED, Loaded};
use sky_accel_engine::contract::{Envelope, Num};

use super::super::Result;
use crate::exit_code::ExitCode;
use crate::render::{Block, Page, Report, print};
use crate::settings::Settings;
use crate::ui::Ui;

/// The two catalogs to compare.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CatalogDiffRequest {
    /// `embedded`, or overlays over it.
    pub before: Vec<String>,
    pub after: Vec<String>,
}

/// One thing that changed.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct DifferenceOut {
    #[cfg_attr(feature = "schema", schemars(extend("enum" = ["accelerator-added", "accelerator-removed", "figure-changed", "provider-added", "provider-removed", "type-added", "type-removed", "type-changed", "region-added", "region-gone", "price-added", "price-moved", "price-gone"])))]
    pub change: &'static str,
    /// Missing for accelerators.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub provider: String,
    /// The accelerator, or the provider's own id.
    pub what: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    pub accelerator: String,
    /// The figure; of a price how it is bought, with its tier and its count.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub field: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub region: Option<String>,
    pub before: Option<String>,
    pub after: Option<String>,
    /// Of a price.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub percent: Option<Num>,
    pub message: String,
}

impl DifferenceOut {
    pub(super) fn list(changes: &[Change]) -> Vec<Self> {
        let one = |change: &Change| Self {
            change: change.kind.word(),
            provider: change.provider.clone(),
            what: change.what.clone(),
            accelerator: change.accelerator.clone(),
            field: change.field.clone(),
            region: change.region.clone(),
            before: change.before.clone(),
            after: change.after.clone(),
            percent: change.percent.map(Num),
            message: change.sentence(),
        };
        changes.iter().map(one).collect()
    }
}

pub(super) fn run(
    before: Option<PathBuf>,
    after: Option<PathBuf>,
    settings: &Settings,
    ui: &mut Ui,
) -> Result<ExitCode> {
    let side = |path: Option<PathBuf>, otherwise: &[PathBuf]| match path {
        Some(path) if path == Path::new("embedded") => Vec::new(),
        Some(path) => vec![path],
        None => otherwise.to_vec(),
    };
    // One alone is held against the program's own.
    let (before, after) = match (before, after) {
        (Some(only), None) => (None, Some(only)),
        both => both,
    };
    let (before, after) = (side(before, &[]), side(after, &settings.overlays));
    let (old, new) = (Loaded::load(&before)?, Loaded::load(&after)?);
    let changes = diff(&old.catalog(), &new.catalog());
    let named = |paths: &[PathBuf]| {
        if paths.is_empty() {
            vec!["embedded".to_owned()]
        } else {
            paths.iter().map(|path| super::shown(path)).collect()
        }
    };
    let request = CatalogDiffRequest {
        before: named(&before),
        after: named(&after),
    };
    let lines = sentences(&changes);
    let footer = if changes.is_empty() {
        vec!["nothing differs".to_owned()]
    } else {
        Vec::new()
    };
    let report = Report {
        envelope: Envelope::new(
            "sky-accel.catalog-diff.v1",
            &EMBEDDED,
            request,
            DifferenceOut::list(&changes),
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
        footer,
        exit_code: ExitCode::Found,
    };
    Ok(print(ui, settings.output, report)?)
}

/// Changes of so many regions are told in one line.
const SEVERAL: usize = 3;

/// One line for each change; the same change in many regions is one.
pub(super) fn sentences(changes: &[Change]) -> Vec<String> {
    let mut groups: BTreeMap<(ChangeKind, &str, &str, &str, &str), Vec<&Change>> = BTreeMap::new();
    for change in changes {
        let Change {
            kind,
            provider,
            what,
            accelerator,
            field,
            ..
        } = change;
        let key = (
            *kind,
            &provider[..],
            &what[..],
            &accelerator[..],
            &field[..],
        );
        groups.entry(key).or_default().push(change);
    }
    let mut lines = Vec::new();
    for ((kind, provider, what, _, field), group) in groups {
        if group.len() <= SEVERAL {
            lines.extend(group.iter().map(|change| change.sentence()));
            continue;
        }
        let subject = format!("{provider} {what}");
        let regions = format!("{} regions", group.len());
        let percents = || group.iter().filter_map(|change| change.percent);
        let (low, high) = (
            percents().fold(f64::INFINITY, f64::min),
            percents().fold(f64::NEG_INFINITY, f64::max),
        );
        lines.push(match kind {
            ChangeKind::PriceMoved => {
                format!("{subject}: {field} moved in {regions}, by {low:+.1}% to {high:+.1}%")
            }
            ChangeKind::PriceAdded => format!("{subject}: {field} is known in {regions} more"),
            ChangeKind::PriceGone => {
                format!("{subject}: {field} is not known any more in {regions}")
            }
            ChangeKind::RegionAdded => format!("{subject}: now in {regions} more"),
            _ => format!("{subject}: no longer in {regions}"),
        });
    }
    lines
}
