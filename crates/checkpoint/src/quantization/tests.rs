use serde_json::{Value, json};

use crate::testing::catalog;
use crate::{Description, describe_checkpoint};
use sky_accel_core::sizing::CacheFormat;

/// Reads a model with additional fields, and with `beside` as its hf_quant_config.json.
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
fn reads_model_optimizer_files() {
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
            "kv_cache_quant_algo": "FP8", "exclude_modules": ["lm_head"]}});
        let found = with(&json!({}), Some(&file), |found| {
            (
                found.stored_as.map(str::to_owned),
                found.kv_cache,
                found.format,
            )
        });
        let expected = (Some(format.to_owned()), Some(CacheFormat::Fp8), None);
        assert_eq!(found, expected, "{algorithm}");
        let config =
            json!({"quantization_config": {"quant_method": "modelopt", "quant_algo": algorithm}});
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
    // The configuration takes precedence, and groups state the bits without an algorithm.
    let config = json!({"quantization_config": {"quant_method": "modelopt",
        "config_groups": {"group_0": {"weights": {"num_bits": 4, "type": "float"}}},
        "kv_cache_scheme": {"num_bits": 8, "type": "float"}}});
    let file = json!({"quantization": {"quant_algo": "FP8"}});
    let found = with(&config, Some(&file), |found| {
        (found.stored_as.map(str::to_owned), found.kv_cache)
    });
    assert_eq!(found, (Some("nvfp4".to_owned()), Some(CacheFormat::Fp8)));
    // If layers have different algorithms, the most common one decides.
    let mixed = json!({"quantization": {"quant_algo": "MIXED_PRECISION", "quantized_layers": {
        "a": {"quant_algo": "FP8"}, "b": {"quant_algo": "W4A8_AWQ"}, "c": {"quant_algo": "W4A8_AWQ"}}}});
    assert_eq!(stored(&json!({}), Some(&mixed)).as_deref(), Some("awq"));
}

#[test]
fn unquantized_attention_keeps_16_bits() {
    let bits = |excluded: Value| {
        let file = json!({"quantization": {"quant_algo": "NVFP4", "exclude_modules": excluded}});
        with(&json!({}), Some(&file), |found| {
            found
                .format
                .map(|format| (format.bits, format.attention_bits))
        })
    };
    assert_eq!(bits(json!(["lm_head", "*self_attn*"])), Some((4.5, 16.0)));
    // Two of four layers, and the output matrix of a third. Queries and output are 4 of 10 parts each.
    let each = json!([
        "model.layers.0.self_attn*",
        "model.layers.1.self_attn.o_proj",
        "model.layers.2.self_attn",
        "model.layers.7.self_attn"
    ]);
    let (all, attention) = bits(each).unwrap();
    assert!((all - 4.5).abs() < 1e-9);
    assert!(
        (attention - (4.5 + 11.5 * 2.4 / 4.0)).abs() < 1e-9,
        "{attention}"
    );
    // This attention has no matrix with that name, and norms are never quantized.
    let none = json!([
        "*self_attn.kv_b_proj*",
        "*.post_attention_layernorm",
        "lm_head"
    ]);
    assert_eq!(bits(none), None);
    // Other group sizes change the bits; `ignore` is the field of other tools.
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
fn reports_unknown_methods() {
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
        (
            json!({"quant_method": "compressed-tensors", "format": "pack-quantized",
            "config_groups": {"group_0": {"weights": {"num_bits": 8}}}}),
            "gptq-int8",
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

/// A mixture with other widths of attention.
fn mixture(more: &Value, beside: Option<&Value>) -> Option<(String, [f64; 4])> {
    let mut config = json!({"model_type": "qwen3_moe", "num_experts": 16, "num_experts_per_tok": 2,
        "moe_intermediate_size": 512});
    config
        .as_object_mut()
        .unwrap()
        .extend(more.as_object().unwrap().clone());
    with(&config, beside, |found| {
        let format = found.format?;
        let bits = [
            format.bits,
            format.attention_bits,
            format.mlp_bits,
            format.head_bits,
        ];
        Some((found.stored_as?.to_owned(), bits))
    })
}

#[test]
fn each_part_of_a_mixture_has_its_format() {
    let layers = |module: &str, algorithm: &str| {
        (0..4)
            .map(|at| {
                (
                    format!("model.layers.{at}.{module}"),
                    json!({"quant_algo": algorithm}),
                )
            })
            .collect::<Vec<_>>()
    };
    let modules: serde_json::Map<String, Value> = [
        layers("mlp.experts", "NVFP4"),
        layers("mlp.shared_experts.up_proj", "FP8"),
        layers("mlp.shared_experts.gate_proj", "FP8"),
        layers("mlp.shared_experts.down_proj", "FP8"),
        layers("self_attn.q_proj", "MXFP8"),
        layers("self_attn.o_proj", "MXFP8"),
        vec![("lm_head".to_owned(), json!({"quant_algo": "W4A16_NVFP4"}))],
    ]
    .concat()
    .into_iter()
    .collect();
    let file =
        json!({"quantization": {"quant_algo": "MIXED_PRECISION", "quantized_layers": modules}});
    let (name, bits) = mixture(&json!({}), Some(&file)).unwrap();
    assert_eq!(name, "nvfp4");
    // Keys and values stay in 16 bits. With a fourth of the heads, they are a fifth of the matrices.
    let attention = 0.8 * 8.25 + 0.2 * 16.0;
    for (found, expected) in bits.into_iter().zip([4.5, attention, 8.0, 4.5]) {
        assert!((found - expected).abs() < 1e-6, "{bits:?}");
    }
    // The method of the rest differs, and experts have a type.
    let config = json!({"expert_dtype": "fp4", "quantization_config": {"quant_method": "fp8"}});
    let found = mixture(&config, None).unwrap();
    assert_eq!(found, ("mxfp4".to_owned(), [4.25, 8.0, 8.0, 16.0]));
    // Groups have patterns of names.
    let groups = json!({"quantization_config": {"quant_method": "compressed-tensors", "config_groups": {
        "group_0": {"targets": ["re:.*self_attn.*"], "weights": {"num_bits": 8, "type": "float"}},
        "group_1": {"targets": ["re:.*mlp.experts.*"], "weights": {"num_bits": 4, "type": "float"}}}}});
    let found = mixture(&groups, None).unwrap();
    assert_eq!(found, ("nvfp4".to_owned(), [4.5, 8.0, 16.0, 16.0]));
    // Shared experts and attention stay in 16 bits.
    let file = json!({"quantization": {"quant_algo": "NVFP4", "exclude_modules": ["lm_head", "*self_attn*",
        "*.mlp.shared_experts*", "*.mlp.gate", "*.post_attention_layernorm"]}});
    let found = mixture(&json!({}), Some(&file)).unwrap();
    assert_eq!(found, ("nvfp4".to_owned(), [4.5, 16.0, 16.0, 16.0]));
}

#[test]
fn the_cache_format_falls_back_to_hf_quant_config() {
    let config =
        json!({"quantization_config": {"quant_method": "modelopt", "quant_algo": "NVFP4"}});
    let file = json!({"quantization": {"quant_algo": "NVFP4", "kv_cache_quant_algo": "FP8"}});
    let found = with(&config, Some(&file), |found| found.kv_cache);
    assert_eq!(found, Some(CacheFormat::Fp8));
}

#[test]
fn reads_group_sizes_and_bits_of_the_file() {
    let bits = |more: &Value| with(more, None, |found| found.format.map(|format| format.bits));
    let gptq = |size: u64| json!({"quantization_config": {"quant_method": "gptq", "bits": 4, "group_size": size}});
    // The default size gives the catalog's format.
    assert_eq!(bits(&gptq(128)), None);
    let of_32 = bits(&gptq(32)).unwrap();
    let of_64 = bits(&gptq(64)).unwrap();
    assert!((of_32 - 4.0 - 2.0 * (of_64 - 4.0)).abs() < 1e-9);
    // An implausible size is ignored.
    assert_eq!(bits(&gptq(1)), None);
    // Bits without a format of their method are unknown, and so are methods without a name.
    for quantization in [
        json!({"quant_method": "gptq", "bits": 2}),
        json!({"quant_method": "awq", "bits": 3}),
        json!({"quant_method": "gptq", "bits": 7}),
        json!({"quant_method": "awq", "bits": 16}),
        json!({"group_size": 64, "bits": 4}),
    ] {
        let config = json!({ "quantization_config": quantization });
        let unknown = with(&config, None, |found| found.unknown_quantization.clone());
        assert!(unknown.is_some(), "{config}");
    }
}

#[test]
fn bits_that_no_weight_has_are_refused() {
    let check = |quantization: Value| {
        let config = json!({ "quantization_config": quantization });
        super::check(config.as_object().unwrap())
    };
    for bits in [json!(0), json!(-4), json!(3000), json!(4.5), json!("four")] {
        assert!(check(json!({"quant_method": "awq", "bits": bits})).is_err());
        let weights = json!({"num_bits": bits});
        let groups = json!({"group_0": {"weights": weights}});
        assert!(check(json!({"config_groups": groups})).is_err());
    }
    assert_eq!(check(json!({"quant_method": "awq", "bits": 4})), Ok(()));
    assert_eq!(check(json!({"quant_method": "fp8"})), Ok(()));
}
