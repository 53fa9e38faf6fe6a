//! A small catalog and configurations for tests.

use std::path::Path;

use sky_accel_catalog::{Layer, Source};

use crate::folder::ConfigFiles;
use crate::known::KnownModels;

/// A model that the catalog of the tests has, with a later release and a checkpoint in another format.
const MODELS: &str = r#"
[[model]]
id = "Tiny-1B"
names = ["acme/Tiny-1B"]
layers = 2
hidden = 64
heads = 4
kv_heads = 2
head_dim = 16
ffn = 128
vocab = 1000
context = 4096
checkpoints = [{ id = "acme/Tiny-1B-FP8", stored_as = "fp8", min_vllm = "0.10.0" }]
source = "config.json of acme/Tiny-1B"

[[model_release]]
id = "Tiny-1.1-1B"
like = "Tiny-1B"
names = ["acme/Tiny-1.1-1B"]
context = 8192
source = "config.json of acme/Tiny-1.1-1B"
"#;

/// The catalog of the tests.
pub fn known() -> KnownModels {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../catalog");
    let files = ["catalog.toml", "families.toml", "formats.toml"].iter();
    let mut sources: Vec<Source> = files
        .map(|name| {
            let text = std::fs::read_to_string(folder.join(name)).unwrap();
            Source::toml(Layer::EMBEDDED, name, text)
        })
        .collect();
    sources.push(Source::toml(Layer::EMBEDDED, "models.toml", MODELS));
    KnownModels::of_sources(sources).unwrap()
}

/// A configuration of the model of the tests, with some fields replaced.
pub fn config(id: &str, fields: &str) -> ConfigFiles {
    let mut config = serde_json::json!({
        "model_type": "llama", "num_hidden_layers": 2, "hidden_size": 64, "num_attention_heads": 4,
        "num_key_value_heads": 2, "intermediate_size": 128, "vocab_size": 1000,
        "max_position_embeddings": 4096, "tie_word_embeddings": false,
    });
    let fields: serde_json::Value = serde_json::from_str(fields).unwrap();
    for (name, value) in fields.as_object().unwrap() {
        config[name] = value.clone();
    }
    ConfigFiles {
        id: id.to_owned(),
        path: format!("{id}/config.json"),
        config: config.to_string().into_bytes(),
        quantization: None,
    }
}
