//! Which rows of an update the catalog accepts. A row that the compiler or the checks reject is left out. A provider
//! whose rows cannot be separated fails, and keeps its old rows; other providers are not affected.

use std::path::Path;

use super::provider_update::ProviderUpdate;
use super::{EMBEDDED, invalid};
use crate::error::Result;
use sky_accel_catalog::{Diagnostic, Layer, Source, Tables, compile, lint};

/// The number of times that rejected rows are left out. The compiler reports at most 100 errors each time, so a provider
/// with thousands of bad rows fails.
const MAX_PASSES: usize = 10;

/// Compiles a catalog with the files of an update, without the rows that it rejects. `before` are the files before the
/// update, which compile.
///
/// # Errors
///
/// Fails if the catalog is invalid without the update.
pub(super) fn accepted(
    before: &[Source],
    layer: Layer,
    updates: &mut [ProviderUpdate],
) -> Result<Tables> {
    let mut passes = 0;
    loop {
        passes += 1;
        let is_last = passes >= MAX_PASSES;
        let sources = with_updates(before, layer, updates);
        let after = match compile(&sources) {
            Ok(after) => after,
            Err(errors) => {
                if !leave_out(&errors, updates, is_last) {
                    keep_only_valid(before, layer, updates)?;
                }
                continue;
            }
        };
        // Prices that are kept become old, and are marked as old.
        let faults = lint(&sources, &after.catalog(), &EMBEDDED, &|_| None);
        // Faults of the user's own files are not faults of the update.
        if !leave_out(&faults, updates, is_last) {
            return Ok(after);
        }
    }
}

/// Leaves out the rows with errors, and returns true if there were any. The file of a provider is left out as a whole if
/// the errors are in none of its rows, and on the last pass.
fn leave_out(errors: &[Diagnostic], updates: &mut [ProviderUpdate], is_last: bool) -> bool {
    let mut has_changed = false;
    for update in updates {
        let Some((path, fresh)) = update.file.as_mut() else {
            continue;
        };
        let file = path.display().to_string();
        let of_file = errors.iter().filter(|error| error.file == file);
        let faults: Vec<(usize, &str)> = of_file
            .map(|error| (error.line, error.message.as_str()))
            .collect();
        let Some((_, first)) = faults.first() else {
            continue;
        };
        has_changed = true;
        if is_last || fresh.leave_out(&faults) == 0 {
            let message = format!("the catalog rejects its rows: {first}");
            update.keep_old_rows(&message);
        }
    }
    has_changed
}

/// Keeps the files that are valid without the others, if an error is in no file of the update.
fn keep_only_valid(before: &[Source], layer: Layer, updates: &mut [ProviderUpdate]) -> Result<()> {
    let mut has_changed = false;
    for at in 0..updates.len() {
        let alone = &updates[at..=at];
        if alone[0].file.is_none() {
            continue;
        }
        if let Err(errors) = compile(&with_updates(before, layer, alone)) {
            let first = errors.first().map_or("", |error| &error.message);
            let message = format!("the catalog rejects its rows: {first}");
            updates[at].keep_old_rows(&message);
            has_changed = true;
        }
    }
    if has_changed {
        return Ok(());
    }
    match compile(&with_updates(before, layer, updates)) {
        Ok(_) => Ok(()),
        Err(errors) => Err(invalid(&errors)),
    }
}

/// Returns files with the files of updates in place of older ones.
pub(super) fn with_updates(
    before: &[Source],
    layer: Layer,
    updates: &[ProviderUpdate],
) -> Vec<Source> {
    let mut sources = before.to_vec();
    for update in updates {
        let Some((path, fresh)) = &update.file else {
            continue;
        };
        let is_removed = |source: &Source| {
            let mut removed = update.removed.iter();
            removed.any(|path| path.display().to_string() == source.file)
        };
        sources.retain(|source| !is_removed(source));
        replace(&mut sources, layer, path, &fresh.text);
    }
    sources
}

/// Replaces the file with the same name, or inserts the file into its layer in name order.
fn replace(sources: &mut Vec<Source>, layer: Layer, path: &Path, text: &str) {
    let name = path.display().to_string();
    let source = Source::toml(layer, &name, text.to_owned());
    if let Some(known) = sources.iter_mut().find(|source| source.file == name) {
        *known = source;
        return;
    }
    let is_later = |other: &Source| (other.layer, &other.file) > (layer, &name);
    let at = sources
        .iter()
        .position(|other| other.layer >= layer && is_later(other));
    sources.insert(at.unwrap_or(sources.len()), source);
}
