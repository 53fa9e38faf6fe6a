//! Overlays.

use sky_accel_catalog::{Layer, Source, compile, diff, lint};
use sky_accel_embedded::{CATALOG, files};

use crate::input::text;

/// Returns the files of the embedded catalog and an overlay.
fn sources(name: &str, text: &str) -> Vec<Source> {
    let embedded = files().iter().map(|file| Source {
        parsed: file.parsed,
        ..Source::toml(Layer::EMBEDDED, file.path, file.text)
    });
    let mut overlay = Source::toml(Layer(1), name, text.to_owned());
    "2026-11-20".clone_into(&mut overlay.day);
    embedded.chain([overlay]).collect()
}

/// Compiles an overlay alone, so that its references are missing.
pub(crate) fn toml(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    let overlay = Source::toml(Layer(1), "overlay.toml", text.to_owned());
    for error in compile(&[overlay]).err().into_iter().flatten() {
        // The message quotes a part of the file.
        let _ = error.to_string();
    }
}

/// Compiles an overlay, checks it, and lists its changes.
fn checked(name: &str, text: &str) {
    let sources = sources(name, text);
    let Ok(tables) = compile(&sources) else {
        return;
    };
    let catalog = tables.catalog();
    let _ = lint(&sources, &catalog, &CATALOG, &|_| Some(1));
    for change in diff(&CATALOG, &catalog) {
        let _ = change.sentence();
    }
}

pub(crate) fn overlay(bytes: &[u8]) {
    if let Some(text) = text(bytes) {
        checked("overlay.toml", text);
    }
}

/// Compiles a table, whose first line names the columns.
pub(crate) fn table(bytes: &[u8]) {
    if let Some(text) = text(bytes) {
        checked("aws.csv", text);
    }
}
