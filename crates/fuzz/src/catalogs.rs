//! Overlays.

use std::sync::LazyLock;

use sky_accel_catalog::{Layer, Source, Tables, compile, diff, lint};

use crate::input::text;

/// The catalog under the overlays.
const BASE: &str = include_str!("base.toml");

/// The base catalog as parsed bytes, since its text would be parsed again for each overlay.
static PARSED: LazyLock<&[u8]> = LazyLock::new(|| {
    let parsed = Source::toml(Layer::EMBEDDED, "base.toml", BASE).parse();
    parsed.unwrap_or_default().leak()
});

static BASE_TABLES: LazyLock<Tables> = LazyLock::new(|| compile(&[base()]).unwrap_or_default());

fn base() -> Source {
    Source {
        parsed: &PARSED,
        ..Source::toml(Layer::EMBEDDED, "base.toml", BASE)
    }
}

/// Returns the base catalog and an overlay.
fn sources(name: &str, text: &str) -> [Source; 2] {
    let mut overlay = Source::toml(Layer::overlay(0), name, text.to_owned());
    "2026-11-20".clone_into(&mut overlay.day);
    [base(), overlay]
}

/// Compiles an overlay alone, so that its references are missing.
pub(crate) fn toml(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    let overlay = Source::toml(Layer::overlay(0), "overlay.toml", text.to_owned());
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
    let (before, after) = (BASE_TABLES.catalog(), tables.catalog());
    let _ = lint(&sources, &after, &before, &|_| Some(1));
    for change in diff(&before, &after) {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A base with an error would end each input before its overlay is compiled.
    #[test]
    fn the_base_catalog_compiles() {
        let errors = compile(&[base()]).map(|_| ()).err().unwrap_or_default();
        let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
        assert!(errors.is_empty(), "{errors:?}");
        assert!(!PARSED.is_empty() && !BASE_TABLES.catalog().prices.is_empty());
    }
}
