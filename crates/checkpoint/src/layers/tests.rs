use serde_json::{Value, json};
use sky_accel_core::sizing::{Architecture, Compressed, Sparse};

use crate::testing::catalog;
use crate::{ConfigError, describe};

fn read(config: &Value) -> Result<Architecture, ConfigError> {
    let tables = catalog();
    let fields = config.as_object().unwrap();
    describe(&tables.catalog(), fields, None).map(|found| found.shape)
}

/// Adds fields to a configuration.
fn with(config: &Value, more: &Value) -> Value {
    let mut config = config.clone();
    let fields = config.as_object_mut().unwrap();
    fields.extend(more.as_object().unwrap().clone());
    config
}

fn nemotron(pattern: &str) -> Value {
    json!({"model_type": "nemotron_h", "hidden_size": 1024, "num_hidden_layers": 6, "num_attention_heads": 8,
        "num_key_value_heads": 2, "head_dim": 128, "intermediate_size": 2048, "vocab_size": 1000,
        "mamba_num_heads": 32, "mamba_head_dim": 64, "n_groups": 8, "ssm_state_size": 128, "conv_kernel": 4,
        "n_routed_experts": 16, "num_experts_per_tok": 4, "moe_intermediate_size": 512, "moe_latent_size": 256,
        "moe_shared_expert_intermediate_size": 1024, "hybrid_override_pattern": pattern})
}

/// Parameters, state and cache of configurations of real models. The parameters are counted with transformers, plus
/// the correction biases of routers, which the files also have.
#[test]
fn counts_every_parameter_of_real_architectures() {
    let lines = include_str!("../../../../tests/data/configs.jsonl");
    let mut exact = 0;
    for line in lines.lines() {
        let line: Value = serde_json::from_str(line).unwrap();
        let Some(state) = line["state_values"].as_u64() else {
            continue;
        };
        let shape = read(&line["config"]).unwrap();
        let name = &line["model"];
        let parameters = line["parameters"].as_f64().unwrap();
        assert!(
            (shape.parameters().total() - parameters).abs() < 0.5,
            "{name}: {} and not {parameters}",
            shape.parameters().total()
        );
        assert_eq!(shape.state_values, state, "{name}");
        let cache = shape.cache_values(1.0) - state as f64;
        let expected = line["cache_values"].as_f64().unwrap();
        assert!((cache - expected).abs() < 1.0, "{name}: {cache}");
        exact += 1;
    }
    assert!(exact >= 30, "{exact}");
}

#[test]
fn letters_or_words_list_layers_of_one_module() {
    let shape = read(&nemotron("ME*-ME")).unwrap();
    assert_eq!(shape.attention_layers, Some(1));
    assert_eq!(shape.mlp_layers, Some(3));
    assert_eq!(shape.expert_layers(), 2);
    assert!((shape.paired_layers() - 3.0).abs() < 1e-9);
    // Experts have the latent width as input, and two matrices project to it and back.
    let counted = shape.parameters();
    assert!((counted.experts - 2.0 * 16.0 * 2.0 * 256.0 * 512.0).abs() < 0.5);
    let shared = 2.0 * 1024.0 * 1024.0 + 2.0 * 1024.0 * 256.0;
    assert!((counted.mlp - (2.0 * shared + 2.0 * 1024.0 * 2048.0)).abs() < 0.5);

    let words = json!({"hybrid_override_pattern": null,
        "layers_block_type": ["mamba", "moe", "attention", "mlp", "mamba", "moe"]});
    let mut same = with(&nemotron(""), &words);
    assert_eq!(read(&same).unwrap(), shape);
    // The length of the list is the number of layers.
    same.as_object_mut().unwrap().remove("num_hidden_layers");
    assert_eq!(read(&same).unwrap(), shape);
}

#[test]
fn rejects_impossible_lists_and_patterns() {
    let base = nemotron("ME*-ME");
    let listed = |words: Value| {
        with(
            &base,
            &json!({"layers_block_type": words, "hybrid_override_pattern": null}),
        )
    };
    assert_eq!(
        read(&nemotron("ME*-M?")),
        Err(ConfigError::UnknownLayer {
            field: "hybrid_override_pattern",
            word: "?".to_owned()
        })
    );
    for (config, told) in [
        (nemotron("ME*"), 3),
        (nemotron(&"M".repeat(100_000)), 100_000),
        (listed(json!(["mamba"])), 1),
    ] {
        assert!(
            matches!(read(&config), Err(ConfigError::LayerCount { listed, layers: 6, .. }) if listed == told),
            "{told}"
        );
    }
    let strange = "x".repeat(1000);
    for words in [json!([1, 2, 3, 4, 5, 6]), json!(vec![strange; 6])] {
        assert!(matches!(
            read(&listed(words)),
            Err(ConfigError::UnknownLayer { word, .. }) if word.len() <= 40
        ));
    }
    for more in [
        json!({"mamba_num_heads": -1}),
        json!({"mamba_num_heads": 1_u64 << 40}),
        json!({"ssm_state_size": "many"}),
        json!({"conv_kernel": 1000}),
        json!({"moe_latent_size": u64::MAX}),
        json!({"n_groups": [1]}),
    ] {
        let refused = read(&with(&base, &more));
        assert!(
            matches!(refused, Err(ConfigError::OutOfBounds { .. })),
            "{more}"
        );
    }
    // These figures are large but within their bounds; floats hold the products.
    let huge = json!({"mamba_num_heads": 65_536, "mamba_head_dim": 65_536, "ssm_state_size": 65_536,
        "n_groups": 65_536, "hidden_size": 1 << 22});
    let shape = read(&with(&base, &huge)).unwrap();
    assert!(shape.parameters().total() > 1e15);
}

#[test]
fn a_model_without_attention_needs_no_heads() {
    let mamba = json!({"model_type": "mamba", "hidden_size": 1024, "num_hidden_layers": 4, "vocab_size": 1000,
        "state_size": 16, "conv_kernel": 4, "time_step_rank": "auto"});
    let shape = read(&mamba).unwrap();
    assert_eq!(
        (shape.attention_layers, shape.mlp_layers),
        (Some(0), Some(0))
    );
    assert!((shape.cache_values(1e6) - shape.state_values as f64).abs() < 0.5);
    assert_eq!(shape.state_values, 4 * (2048 * 16 + 2048 * 3));
    assert_eq!(shape.heads, 32);
}

#[test]
fn compressed_caches_have_a_ratio_for_each_layer() {
    let config = json!({"model_type": "deepseek_v4", "hidden_size": 512, "num_hidden_layers": 4, "vocab_size": 1000,
        "num_attention_heads": 8, "num_key_value_heads": 1, "head_dim": 64, "q_lora_rank": 128, "o_lora_rank": 64,
        "o_groups": 2, "index_topk": 32, "index_n_heads": 4, "index_head_dim": 16, "sliding_window": 128,
        "n_routed_experts": 8, "num_experts_per_tok": 2, "n_shared_experts": 1, "moe_intermediate_size": 128,
        "compress_ratios": [0, 4, 128, 4, 0]});
    let shape = read(&config).unwrap();
    assert_eq!(
        shape.compressed,
        Some(Compressed {
            sparse_layers: 2,
            sparse_ratio: 4,
            heavy_layers: 1,
            heavy_ratio: 128
        })
    );
    let tokens = 64.0 * (4.0 * 128.0 + 2.0 * 4096.0 / 4.0 + 4096.0 / 128.0);
    assert!((shape.cache_values(4096.0) - tokens).abs() < 0.5);
    for ratios in [
        json!([0, 4]),
        json!([0, 4, -1, 4]),
        json!([0, 4, "x", 4]),
        json!([0, 4, u64::MAX, 4]),
    ] {
        assert!(
            read(&with(&config, &json!({"compress_ratios": ratios}))).is_err(),
            "{ratios}"
        );
    }
}

#[test]
fn words_may_list_compressed_caches() {
    let config = json!({"model_type": "deepseek_v4", "hidden_size": 512, "num_hidden_layers": 3, "vocab_size": 1000,
        "num_attention_heads": 8, "num_key_value_heads": 1, "head_dim": 64, "q_lora_rank": 128, "o_lora_rank": 64,
        "o_groups": 2, "index_topk": 32, "index_n_heads": 4, "index_head_dim": 16, "sliding_window": 128,
        "n_routed_experts": 8, "num_experts_per_tok": 2, "moe_intermediate_size": 128});
    let numbers = with(&config, &json!({"compress_ratios": [0, 4, 128]}));
    let kinds = [
        "sliding_attention",
        "compressed_sparse_attention",
        "heavily_compressed_attention",
    ];
    let words = with(
        &config,
        &json!({"layer_types": kinds,
        "compress_rates": {"compressed_sparse_attention": 4, "heavily_compressed_attention": 128}}),
    );
    assert_eq!(read(&words).unwrap(), read(&numbers).unwrap());
    let strange = with(
        &words,
        &json!({"compress_rates": {"heavily_compressed_attention": -4}}),
    );
    assert!(matches!(
        read(&strange),
        Err(ConfigError::OutOfBounds { .. })
    ));
}

#[test]
fn blocks_of_tokens_are_selected_in_some_layers() {
    let config = json!({"model_type": "minimax_m3", "hidden_size": 512, "num_hidden_layers": 3, "vocab_size": 1000,
        "num_attention_heads": 8, "num_key_value_heads": 2, "head_dim": 64, "intermediate_size": 1024});
    let nested = json!({"sparse_attention_config": {"sparse_topk_blocks": 16, "sparse_block_size": 128,
        "sparse_num_index_heads": 4, "sparse_index_dim": 128, "sparse_attention_freq": [0, 1, 1]}});
    let flat = json!({"index_topk_blocks": 16, "index_block_size": 128, "index_n_heads": 4, "index_head_dim": 128,
        "layer_types": ["full_attention", "minimax_m3_sparse", "minimax_m3_sparse"]});
    let shape = read(&with(&config, &nested)).unwrap();
    assert_eq!(shape, read(&with(&config, &flat)).unwrap());
    let sparse = shape.sparse.unwrap();
    assert_eq!((sparse.top_k, sparse.layers), (2048, 2));
    // The first layer has global attention.
    assert!((shape.attended_entries(8192.0) - (8192.0 + 2.0 * 2048.0)).abs() < 0.5);
}

#[test]
fn an_index_may_serve_several_layers() {
    let config = json!({"model_type": "glm_moe_dsa", "hidden_size": 512, "num_hidden_layers": 4, "vocab_size": 1000,
        "num_attention_heads": 8, "num_key_value_heads": 8, "intermediate_size": 1024, "kv_lora_rank": 64,
        "q_lora_rank": 128, "qk_nope_head_dim": 32, "qk_rope_head_dim": 16, "v_head_dim": 32,
        "index_topk": 64, "index_n_heads": 4, "index_head_dim": 32,
        "indexer_types": ["full", "full", "shared", "shared"]});
    let sparse = Sparse {
        top_k: 64,
        layers: 4,
        index_layers: 2,
        index_heads: 4,
        index_width: 32,
    };
    assert_eq!(read(&config).unwrap().sparse, Some(sparse));
    let short = with(&config, &json!({"indexer_types": ["full"]}));
    assert!(matches!(read(&short), Err(ConfigError::LayerCount { .. })));
    let none = with(&config, &json!({"index_topk": null}));
    assert_eq!(read(&none).unwrap().sparse, None);
}

#[test]
fn searched_blocks_have_separate_heads_and_widths() {
    let block = |no_op: bool, factor: f64| json!({"attention": {"no_op": no_op, "n_heads_in_group": 4}, "ffn": {"no_op": false, "ffn_mult": factor}});
    let config = json!({"model_type": "nemotron-nas", "hidden_size": 1024, "num_hidden_layers": 3, "vocab_size": 1000,
        "num_attention_heads": 16, "num_key_value_heads": null, "intermediate_size": null,
        "block_configs": [block(false, 2.625), block(true, 1.0), block(false, 5.25)]});
    let shape = read(&config).unwrap();
    assert_eq!((shape.attention_layers, shape.kv_heads), (Some(2), 4));
    // Widths are 2/3 of the factor times the hidden width, rounded up to multiples of 256.
    let widths = f64::from(1792 + 768 + 3584);
    let expected = 2.0 * 1000.0 * 1024.0
        + 2.0 * 2.0 * 1024.0 * (1024.0 + 256.0)
        + 3.0 * 1024.0 * widths
        + (2.0 + 3.0 + 1.0) * 1024.0;
    assert!((shape.parameters().total() - expected).abs() < 0.5);
    for blocks in [
        json!([block(false, 1.0)]),
        json!([{}, {}, {}]),
        json!([1, 2, 3]),
        json!([block(false, -1.0), block(false, 1.0), block(false, 1.0)]),
        json!([block(false, 1e300), block(false, 1.0), block(false, 1.0)]),
    ] {
        assert!(
            read(&with(&config, &json!({"block_configs": blocks}))).is_err(),
            "{blocks}"
        );
    }
}

#[test]
fn windowed_layers_may_have_other_heads() {
    let config = json!({"model_type": "mimo_v2_flash", "hidden_size": 512, "num_hidden_layers": 4, "vocab_size": 1000,
        "num_attention_heads": 8, "num_key_value_heads": 2, "head_dim": 48, "v_head_dim": 32,
        "intermediate_size": 1024, "swa_num_attention_heads": 8, "swa_num_key_value_heads": 4, "swa_head_dim": 48,
        "swa_v_head_dim": 32, "sliding_window": 128, "hybrid_layer_pattern": [0, 1, 1, 0]});
    let shape = read(&config).unwrap();
    let window = shape.window.unwrap();
    assert_eq!(window.global_layers, 2);
    assert_eq!(
        (shape.cache_width, window.global_cache_width),
        (Some(320), Some(160))
    );
    assert_eq!(
        (shape.kv_heads, window.kv_heads, window.global_kv_heads),
        (2, Some(4), None)
    );
    let tokens = 2.0 * 160.0 * 4096.0 + 2.0 * 320.0 * 128.0;
    assert!((shape.cache_values(4096.0) - tokens).abs() < 0.5);
}

#[test]
fn chunks_of_attention_are_windows() {
    let config = json!({"model_type": "llama4_text", "num_hidden_layers": 8, "hidden_size": 64, "num_attention_heads": 4,
        "intermediate_size": 128, "vocab_size": 1000, "attention_chunk_size": 8192});
    let window = |more: &Value| read(&with(&config, more)).unwrap().window.unwrap();
    // Each fourth layer attends to everything.
    let usual = window(&json!({}));
    assert_eq!((usual.tokens, usual.global_layers), (8192, 2));
    let kinds = ["chunked_attention", "full_attention"].repeat(4);
    assert_eq!(window(&json!({ "layer_types": kinds })).global_layers, 4);
    let error = read(&with(&config, &json!({ "layer_types": kinds[..2] }))).unwrap_err();
    assert!(error.to_string().contains("layer_types"), "{error}");
}
