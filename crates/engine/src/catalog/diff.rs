//! Describes the differences between two catalogs.

use std::collections::BTreeMap;

use sky_accel_catalog::Change;
use sky_accel_core::catalog::ChangeKind;
use sky_accel_core::text::{printable, shortened};

/// Regions that are listed individually; more are summarized.
const SEVERAL: usize = 3;

/// Characters per line: an overlay may give a device a hundred thousand names.
const MAX_SENTENCE: usize = 300;

/// Describes each change in one line, truncated if too long; the same change in many regions is one line.
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
