//! The part of this repository's catalog that checkpoints need.

use std::path::Path;

use sky_accel_catalog::{Layer, Source, Tables, compile};

/// Compiles families and formats.
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

/// The fields of a JSON object.
pub fn fields(value: &serde_json::Value) -> crate::fields::Fields {
    value.as_object().unwrap().clone()
}
