//! How the weights of a checkpoint are quantized: `quantization_config` in config.json, and
//! hf_quant_config.json, which NVIDIA ModelOpt writes beside it.
//!
//! Methods and algorithms are words; the formats that they stand for are in the catalog.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};
use sky_accel_core::catalog::{Catalog, NamedFormat};
use sky_accel_core::sizing::{CacheFormat, WeightFormat};
use sky_accel_core::word::Word as _;

type Fields = Map<String, Value>;

/// The method of hf_quant_config.json.
const MODELOPT: &str = "modelopt";
/// ModelOpt's words for no quantization, and for one of its own for each layer.
const NO_QUANT: &str = "NO_QUANT";
const MIXED: &str = "MIXED_PRECISION";
/// The longest word that an error or a note repeats.
const MAX_WORD: usize = 60;

/// The quantization of a checkpoint.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Quantization<'a> {
    /// The catalog's name of the format.
    pub stored_as: Option<&'a str>,
    /// The format where modules that stay in 16 bits make it another one than the catalog's.
    pub format: Option<WeightFormat>,
    /// The format that the cache is meant to have.
    pub kv_cache: Option<CacheFormat>,
    /// The words of a quantization for which the catalog has no format.
    pub unknown: Option<String>,
}

/// Reads the quantization of a model with so many layers. What `config` says goes before what
/// `beside` says, the fields of hf_quant_config.json.
pub(crate) fn read<'a>(
    catalog: &Catalog<'a>,
    config: &Fields,
    beside: Option<&Fields>,
    layers: u32,
) -> Quantization<'a> {
    let within = ["quantization_config", "compression_config"]
        .iter()
        .find_map(|name| config.get(*name)?.as_object());
    let beside = beside.map(|fields| {
        let inner = fields.get("quantization").and_then(Value::as_object);
        inner.unwrap_or(fields)
    });
    let found = within.map_or_else(Quantization::default, |fields| {
        one(catalog, fields, "", layers)
    });
    if found.stored_as.is_some() {
        return found;
    }
    match beside {
        Some(fields) => one(catalog, fields, MODELOPT, layers),
        None => found,
    }
}

fn text<'f>(fields: &'f Fields, name: &str) -> Option<&'f str> {
    fields.get(name).and_then(Value::as_str)
}

fn one<'a>(
    catalog: &Catalog<'a>,
    fields: &Fields,
    default_method: &str,
    layers: u32,
) -> Quantization<'a> {
    let method = text(fields, "quant_method").unwrap_or(default_method);
    // Some name the algorithm here too: `modelopt_fp4`.
    let method = if method.starts_with(MODELOPT) {
        MODELOPT
    } else {
        method
    };
    let details = details(fields);
    let is_plain = details.iter().any(|detail| detail == NO_QUANT)
        || (method == MODELOPT && details.is_empty())
        || method.is_empty();
    if is_plain {
        return Quantization::default();
    }
    let row = details
        .iter()
        .find_map(|detail| catalog.format_quantized_as(&format!("{method}:{detail}")))
        .or_else(|| catalog.format_quantized_as(method));
    let Some(row) = row else {
        let words = std::iter::once(method).chain(details.first().map(String::as_str));
        let words: Vec<&str> = words.collect();
        return Quantization {
            unknown: Some(words.join(" ").chars().take(MAX_WORD).collect()),
            ..Quantization::default()
        };
    };
    Quantization {
        stored_as: Some(catalog.str(row.name)),
        format: keeps_attention(fields, layers).then(|| with_wide_attention(&row, fields)),
        kv_cache: cache_format(fields),
        unknown: None,
    }
}

/// Words that tell the algorithms of one method apart, those that tell most first.
fn details(fields: &Fields) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    match text(fields, "quant_algo") {
        Some(MIXED) => words.extend(most_common_algorithm(fields)),
        algorithm => words.extend(algorithm.map(str::to_owned)),
    }
    words.extend(text(fields, "format").map(str::to_owned));
    let groups = fields.get("config_groups").and_then(Value::as_object);
    let groups = || groups.into_iter().flat_map(|groups| groups.values());
    let formats = groups().filter_map(|group| group.get("format")?.as_str());
    words.extend(formats.map(str::to_owned));
    let bits = groups().filter_map(|group| group.pointer("/weights/num_bits")?.as_u64());
    words.extend(bits.map(|bits| bits.to_string()));
    let bits = fields.get("bits").and_then(Value::as_u64);
    words.extend(bits.map(|bits| bits.to_string()));
    let is_set = |name: &str| fields.get(name).and_then(Value::as_bool) == Some(true);
    if is_set("load_in_8bit") {
        words.push("8".to_owned());
    } else if is_set("bnb_4bit_use_double_quant") {
        words.push("double-quant".to_owned());
    }
    words
}

/// The algorithm of most layers, where each has its own.
fn most_common_algorithm(fields: &Fields) -> Option<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for layer in fields.get("quantized_layers")?.as_object()?.values() {
        if let Some(algorithm) = layer.get("quant_algo").and_then(Value::as_str) {
            *counts.entry(algorithm).or_default() += 1;
        }
    }
    let most = counts.into_iter().max_by_key(|(_, count)| *count);
    most.map(|(algorithm, _)| algorithm.to_owned())
}

/// The format of the cache: a word such as `FP8`, or a scheme of bits and a type.
fn cache_format(fields: &Fields) -> Option<CacheFormat> {
    if let Some(word) = text(fields, "kv_cache_quant_algo") {
        return CacheFormat::from_word(&word.to_ascii_lowercase());
    }
    let scheme = fields.get("kv_cache_scheme")?.as_object()?;
    let bits = scheme.get("num_bits")?.as_u64()?;
    let kind = match text(scheme, "type") {
        Some("float") => "fp",
        _ => "int",
    };
    CacheFormat::from_word(&format!("{kind}{bits}"))
}

/// Whether the attention of most layers is among the modules that stay as they were.
fn keeps_attention(fields: &Fields, layers: u32) -> bool {
    let lists = ["exclude_modules", "ignore"];
    let patterns = lists
        .iter()
        .filter_map(|name| fields.get(*name)?.as_array())
        .flatten()
        .filter_map(Value::as_str);
    let mut kept: BTreeSet<&str> = BTreeSet::new();
    for pattern in patterns {
        let Some((before, after)) = pattern.split_once("self_attn") else {
            continue;
        };
        // The whole of it, or the matrix that all kinds of attention have.
        let part = after.trim_matches(['.', '*', '$']);
        if !part.is_empty() && part != "o_proj" {
            continue;
        }
        let layer = before.trim_end_matches('.').rsplit('.').next();
        match layer.filter(|layer| layer.parse::<u32>().is_ok()) {
            Some(layer) => _ = kept.insert(layer),
            None => return true,
        }
    }
    kept.len() * 2 > layers as usize
}

/// A format whose attention stays in 16 bits.
fn with_wide_attention(row: &NamedFormat, fields: &Fields) -> WeightFormat {
    let mut format = row.format;
    if let Some((bits, size)) = row.group {
        let stored = fields.get("group_size").and_then(Value::as_f64);
        format.bits += bits / stored.filter(|size| *size >= 1.0).unwrap_or(size);
    }
    format.attention_bits = format.attention_bits.max(16.0);
    format
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::testing::catalog;
    use crate::{Description, describe_checkpoint};
    use sky_accel_core::sizing::CacheFormat;

    /// A model with these fields besides, and with this hf_quant_config.json.
    fn with<T>(more: &Value, beside: Option<&Value>, look: impl Fn(&Description<'_>) -> T) -> T {
        let mut config = json!({"model_type": "llama", "hidden_size": 2048, "num_hidden_layers": 4,
            "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 8192, "vocab_size": 128_256});
        let fields = config.as_object_mut().unwrap();
        fields.extend(more.as_object().unwrap().clone());
        let tables = catalog();
        let beside = beside.map(|value| value.as_object().unwrap());
        let found = describe_checkpoint(&tables.catalog(), fields, beside, None).unwrap();
        look(&found)
    }

    fn stored(more: &Value, beside: Option<&Value>) -> Option<String> {
        with(more, beside, |found| found.stored_as.map(str::to_owned))
    }

    #[test]
    fn model_optimizer_files_beside_the_configuration_are_read() {
        for (algorithm, format) in [
            ("NVFP4", "nvfp4"),
            ("NVFP4_AWQ", "nvfp4"),
            ("FP8", "fp8"),
            ("W4A8_AWQ", "awq"),
            ("W4A16_AWQ", "awq"),
            ("INT8_SQ", "int8"),
            ("W4A8_MXFP4_FP8", "mxfp4"),
        ] {
            let file = json!({"producer": {"name": "modelopt"}, "quantization": {"quant_algo": algorithm,
                "kv_cache_quant_algo": "FP8", "group_size": 16, "exclude_modules": ["lm_head"]}});
            let found = with(&json!({}), Some(&file), |found| {
                (
                    found.stored_as.map(str::to_owned),
                    found.kv_cache,
                    found.format,
                )
            });
            let expected = (Some(format.to_owned()), Some(CacheFormat::Fp8), None);
            assert_eq!(found, expected, "{algorithm}");
            let config = json!({"quantization_config": {"quant_method": "modelopt", "quant_algo": algorithm}});
            assert_eq!(
                stored(&config, None).as_deref(),
                Some(format),
                "{algorithm}"
            );
        }
        for plain in [
            json!({}),
            json!({"quantization": {"quant_algo": null}}),
            json!({"quant_algo": "NO_QUANT"}),
        ] {
            assert_eq!(stored(&json!({}), Some(&plain)), None, "{plain}");
        }
        // The configuration goes first, and groups tell the bits without an algorithm.
        let config = json!({"quantization_config": {"quant_method": "modelopt",
            "config_groups": {"group_0": {"weights": {"num_bits": 4, "type": "float"}}},
            "kv_cache_scheme": {"num_bits": 8, "type": "float"}}});
        let file = json!({"quantization": {"quant_algo": "FP8"}});
        let found = with(&config, Some(&file), |found| {
            (found.stored_as.map(str::to_owned), found.kv_cache)
        });
        assert_eq!(found, (Some("nvfp4".to_owned()), Some(CacheFormat::Fp8)));
        // Each layer its own: that of most.
        let mixed = json!({"quantization": {"quant_algo": "MIXED_PRECISION", "quantized_layers": {
            "a": {"quant_algo": "FP8"}, "b": {"quant_algo": "W4A8_AWQ"}, "c": {"quant_algo": "W4A8_AWQ"}}}});
        assert_eq!(stored(&json!({}), Some(&mixed)).as_deref(), Some("awq"));
    }

    #[test]
    fn attention_that_stays_as_it_was_has_its_bits() {
        let bits = |excluded: Value| {
            let file =
                json!({"quantization": {"quant_algo": "NVFP4", "exclude_modules": excluded}});
            with(&json!({}), Some(&file), |found| {
                found
                    .format
                    .map(|format| (format.bits, format.attention_bits))
            })
        };
        assert_eq!(bits(json!(["lm_head", "*self_attn*"])), Some((4.5, 16.0)));
        let each = json!([
            "model.layers.0.self_attn*",
            "model.layers.1.self_attn.o_proj",
            "model.layers.2.self_attn"
        ]);
        assert_eq!(bits(each), Some((4.5, 16.0)));
        assert_eq!(
            bits(json!([
                "model.layers.0.self_attn*",
                "*self_attn.kv_b_proj*",
                "lm_head"
            ])),
            None
        );
        // Half of the layers are not most of them.
        let half = json!(["model.layers.0.self_attn*", "model.layers.1.self_attn*"]);
        assert_eq!(bits(half), None);
        // Groups of another size take other bits; `ignore` is the word of other tools.
        let config = json!({"quantization_config": {"quant_method": "gptq", "bits": 4, "group_size": 64,
            "ignore": ["*self_attn*"]}});
        let found = with(&config, None, |found| found.format.unwrap());
        assert!((found.bits - (4.0 + 20.0 / 64.0)).abs() < 1e-9, "{found:?}");
        assert!((found.attention_bits - 16.0).abs() < 1e-9, "{found:?}");
        let cache = json!({"quantization_config": {"quant_method": "fp8", "kv_cache_scheme": {"num_bits": 8, "type": "int"}}});
        let found = with(&cache, None, |found| found.kv_cache);
        assert_eq!(found, Some(CacheFormat::Int8));
    }

    #[test]
    fn other_methods_keep_their_formats_and_unknown_ones_are_told() {
        for (config, format) in [
            (json!({"quant_method": "gptq", "bits": 8}), "gptq-int8"),
            (json!({"quant_method": "gptq", "bits": 4}), "gptq-int4"),
            (json!({"quant_method": "awq", "bits": 4}), "awq"),
            (json!({"quant_method": "fp8", "fmt": "e4m3"}), "fp8"),
            (json!({"quant_method": "mxfp4"}), "mxfp4"),
            (
                json!({"quant_method": "bitsandbytes", "load_in_8bit": true}),
                "int8",
            ),
            (
                json!({"quant_method": "bitsandbytes", "load_in_4bit": true}),
                "nf4",
            ),
            (
                json!({"quant_method": "bitsandbytes", "bnb_4bit_use_double_quant": true}),
                "nf4-dq",
            ),
            (
                json!({"quant_method": "compressed-tensors", "format": "float-quantized"}),
                "fp8",
            ),
            (
                json!({"quant_method": "compressed-tensors", "format": "nvfp4-pack-quantized"}),
                "nvfp4",
            ),
            (
                json!({"quant_method": "compressed-tensors", "format": "pack-quantized",
                "config_groups": {"group_0": {"weights": {"num_bits": 4}, "input_activations": {"num_bits": 8}}}}),
                "gptq-int4",
            ),
            (
                json!({"quant_method": "compressed-tensors", "format": "int-quantized",
                "config_groups": {"group_0": {"weights": {"num_bits": 8}}}}),
                "int8",
            ),
        ] {
            let found = stored(&json!({"quantization_config": config}), None);
            assert_eq!(found.as_deref(), Some(format), "{config}");
        }
        let unknown = |config: Value| {
            with(&json!({"quantization_config": config}), None, |found| {
                (
                    found.stored_as.is_some(),
                    found.unknown_quantization.clone(),
                )
            })
        };
        assert_eq!(
            unknown(json!({"quant_method": "aqlm"})),
            (false, Some("aqlm".to_owned()))
        );
        let other = json!({"quant_method": "modelopt", "quant_algo": "W2A2"});
        assert_eq!(unknown(other), (false, Some("modelopt W2A2".to_owned())));
    }
}
