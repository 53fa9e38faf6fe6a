//! The differences between two catalogs.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use sky_accel_catalog::{Change, diff};
use sky_accel_core::catalog::ChangeKind;
use sky_accel_core::text::{printable, shortened};

use super::Loaded;
use crate::error::Result;

/// The changes from one catalog to another, each given by its overlays over the embedded catalog.
///
/// # Errors
///
/// As [`Loaded::load`].
pub fn changes(
    before: &[PathBuf],
    after: &[PathBuf],
    compiled: Option<&Path>,
) -> Result<Vec<Change>> {
    let (before, after) = (
        Loaded::load(before, compiled)?,
        Loaded::load(after, compiled)?,
    );
    Ok(diff(&before.catalog(), &after.catalog()))
}

/// The most regions whose changes have a line each.
const SEVERAL: usize = 3;

/// The most characters of such a line: an overlay may give a device a hundred thousand names.
const MAX_SENTENCE: usize = 300;

/// One line for each change, cut where it is too long; the same change in many regions is one.
pub fn sentences(changes: &[Change]) -> Vec<String> {
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
            let sentence = |change: &&Change| {
                shortened(&printable(&change.sentence()), MAX_SENTENCE).into_owned()
            };
            lines.extend(group.iter().map(sentence));
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
