//! Overlays.

use std::sync::LazyLock;

use sky_accel_catalog::{
    Diagnostic, Document, Layer, MAX_VALUES, compile, count_values, diff, lint, parse,
};
use sky_accel_embedded::{CATALOG, SOURCES};

use crate::text;

/// The files of the embedded catalog, which are compiled together with an overlay.
static EMBEDDED: LazyLock<Vec<Document>> = LazyLock::new(|| {
    let files = SOURCES.iter();
    files
        .filter_map(|(name, text)| parse(Layer::EMBEDDED, name, text).ok())
        .collect()
});

fn parsed(bytes: &[u8]) -> Option<Result<Document, Diagnostic>> {
    let text = text(bytes).filter(|text| count_values(text) <= MAX_VALUES)?;
    Some(parse(Layer(1), "overlay.toml", text))
}

/// The form of an overlay.
pub(crate) fn toml(bytes: &[u8]) {
    if let Some(Err(error)) = parsed(bytes) {
        // An error is shown with a part of the file.
        let _ = error.to_string();
    }
}

/// An overlay from text to tables, its checks, and what it changes.
pub(crate) fn overlay(bytes: &[u8]) {
    let Some(Ok(document)) = parsed(bytes) else {
        return;
    };
    let mut documents = EMBEDDED.clone();
    documents.push(document);
    let Ok(tables) = compile(&documents) else {
        return;
    };
    let catalog = tables.catalog();
    let _ = lint(&documents, &catalog, &CATALOG, &|_| Some(1));
    for change in diff(&CATALOG, &catalog) {
        let _ = change.sentence();
    }
}
