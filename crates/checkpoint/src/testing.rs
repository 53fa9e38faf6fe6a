//! The catalog of this repository, as far as checkpoints need it.

use std::path::Path;

use sky_accel_catalog::{Document, Layer, Tables, compile, parse};

/// Families and formats.
pub fn catalog() -> Tables {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../catalog");
    let documents: Vec<Document> = ["catalog.toml", "families.toml", "formats.toml"]
        .iter()
        .map(|name| {
            let text = std::fs::read_to_string(root.join(name)).unwrap();
            parse(Layer::EMBEDDED, name, &text).unwrap()
        })
        .collect();
    compile(&documents).unwrap()
}
