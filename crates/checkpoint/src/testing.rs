//! The catalog of this repository, as far as checkpoints need it.

use std::path::Path;

use sky_accel_catalog::{Layer, Source, Tables, compile};

/// Families and formats.
pub fn catalog() -> Tables {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../catalog");
    let files = ["catalog.toml", "families.toml", "formats.toml"].iter();
    let sources: Vec<Source> = files
        .map(|name| {
            let text = std::fs::read_to_string(root.join(name)).unwrap();
            Source::toml(Layer::EMBEDDED, name, text)
        })
        .collect();
    compile(&sources).unwrap()
}
