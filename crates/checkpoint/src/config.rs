//! Reads `config.json` of transformers.
//!
//! Architectures have different names for the same figure. The families of the catalog define defaults for missing
//! fields, and which modules have biases and norms.

use serde_json::Value;
use sky_accel_core::catalog::{Arrangement, Catalog, Family};
use sky_accel_core::sizing::{Architecture, CacheFormat, Mla, WeightFormat, Window};

use crate::fields::{
    ConfigError, Fields, MOST, MOST_LAYERS, MOST_WIDE, Result, all_of, factor, flag, list, needed,
    number, object, out_of_bounds,
};
use crate::layers::{blocks, differing_layers, for_each_layer, listed_layers, recurrence};
use crate::mlp::{experts, ffn};
use crate::parts::{extra, parts};
use crate::quantization;
use crate::vision::{tower, vision_parameters};

/// A model as described by its configuration. Formats have the names of the catalog.
#[derive(Clone, Debug, PartialEq)]
pub struct Description<'a> {
    /// The model type that was applied.
    pub model_type: String,
    /// Whether this is an encoder, which generates no text.
    pub is_encoder: bool,
    /// The shape of its layers.
    pub shape: Architecture,
    /// The format of the stored weights; `None` if they are not quantized.
    pub stored_as: Option<&'a str>,
    /// The exact bits of that format, including the scales of groups, if they differ from the catalog's format: some
    /// modules may stay in 16 bits.
    pub format: Option<WeightFormat>,
    /// The width of the blocks of weights that share a scale in FP8 files; `None` without such blocks.
    pub fp8_block: Option<u32>,
    /// The format of the KV cache that the checkpoint recommends.
    pub kv_cache: Option<CacheFormat>,
    /// The words for a quantization that is not in the catalog. The weights are then smaller than `stored_as` implies.
    pub unknown_quantization: Option<String>,
}

/// Channels per head that are assumed for a recurrence without heads, which devices divide like heads.
const CHANNELS_OF_A_HEAD: u32 = 64;

/// Describes the model of a `config.json`. If `assume` is given, it replaces the model type of the file.
///
/// # Errors
///
/// [`ConfigError`] if the model type is missing or unknown, if fields are missing or out of bounds, or if the figures
/// cannot be the shape of a model.
pub fn describe<'a>(
    catalog: &Catalog<'a>,
    config: &Fields,
    assume: Option<&str>,
) -> Result<Description<'a>> {
    describe_checkpoint(catalog, config, None, assume)
}

/// The maximum depth of nested decoders. The thinker of an omni model is nested twice.
const MOST_NESTED: usize = 3;
/// The maximum width of a head.
const MOST_HEAD_WIDTH: u64 = 1 << 13;
/// The maximum factor of a longer context.
const MOST_STRETCH: u64 = 4096;
/// The maximum length of a word in an error, in characters.
const MOST_OF_A_WORD: usize = 60;
/// PyTorch's names of the data types of weights, apart from the variants of `float8`.
const DTYPES: [&str; 10] = [
    "auto", "bfloat16", "float16", "float32", "float64", "half", "float", "double", "int8", "uint8",
];

/// Describes the model of a `config.json` and the `hf_quant_config.json` that NVIDIA ModelOpt writes next to it. A
/// quantization in `config.json` takes precedence.
///
/// # Errors
///
/// The same as for [`describe`]. An unknown quantization is not an error.
pub fn describe_checkpoint<'a>(
    catalog: &Catalog<'a>,
    config: &Fields,
    hf_quant_config: Option<&Fields>,
    assume: Option<&str>,
) -> Result<Description<'a>> {
    describe_decoder(catalog, config, hf_quant_config, assume, MOST_NESTED)
}

/// Describes a decoder that may be nested in other configurations, at most `nested` times.
fn describe_decoder<'a>(
    catalog: &Catalog<'a>,
    config: &Fields,
    hf_quant_config: Option<&Fields>,
    assume: Option<&str>,
    nested: usize,
) -> Result<Description<'a>> {
    let deeper = nested.checked_sub(1);
    let outer_type = config.get("model_type").and_then(Value::as_str);
    // A multimodal model nests the figures of its decoder.
    let nested = [
        "text_config",
        "language_config",
        "llm_config",
        "thinker_config",
    ]
    .iter()
    .find_map(|name| config.get(*name).and_then(Value::as_object))
    .filter(|inner| inner.contains_key("hidden_size") || inner.contains_key("model_type"));
    if let Some(inner) = nested {
        let Some(deeper) = deeper else {
            let message = format!("decoders are nested more than {MOST_NESTED} times");
            return Err(ConfigError::Contradiction(message));
        };
        let mut text = inner.clone();
        // Fields that the inner configuration lacks may be in the outer one.
        for name in [
            "tie_word_embeddings",
            "vocab_size",
            "quantization_config",
            "compression_config",
        ] {
            if let (None, Some(value)) = (text.get(name), config.get(name)) {
                text.insert(name.to_owned(), value.clone());
            }
        }
        if !text.contains_key("model_type")
            && let Some(outer) = outer_type
        {
            text.insert("model_type".to_owned(), Value::from(outer));
        }
        let mut found = describe_decoder(catalog, &text, hf_quant_config, assume, deeper)?;
        if let Some(vision) = config.get("vision_config").and_then(Value::as_object) {
            add_vision(vision, config, &mut found.shape)?;
        }
        return Ok(found);
    }
    let model_type = assume.or(outer_type).ok_or(ConfigError::NoModelType)?;
    let family = catalog
        .family_of(model_type)
        .ok_or_else(|| ConfigError::UnknownModelType(model_type.chars().take(60).collect()))?;
    let mut completed = config.clone();
    for (field, value) in catalog.defaults(&family) {
        let field = catalog.str(field);
        if !completed.contains_key(field) {
            completed.insert(field.to_owned(), Value::from(value));
        }
    }
    let mut shape = shape(&completed, &family)?;
    if family.encoder {
        // All tokens of a text are processed at once, so nothing is cached for later tokens.
        shape.cache_width = Some(0);
    }
    match config.get("vision_config").and_then(Value::as_object) {
        Some(vision) => add_vision(vision, config, &mut shape)?,
        None => check(&shape)?,
    }
    check_dtype(config)?;
    quantization::check(config)?;
    let quantization = quantization::read(catalog, config, hf_quant_config, &shape);
    Ok(Description {
        model_type: model_type.to_owned(),
        is_encoder: family.encoder,
        shape,
        stored_as: quantization.stored_as,
        format: quantization.format,
        fp8_block: quantization.fp8_block,
        kv_cache: quantization.kv_cache,
        unknown_quantization: quantization.unknown,
    })
}

/// Adds a vision tower. `config` is the configuration that `vision` is a part of.
fn add_vision(vision: &Fields, config: &Fields, shape: &mut Architecture) -> Result<()> {
    let parameters = vision_parameters(vision, shape.hidden);
    shape.extra_parameters = shape.extra_parameters.saturating_add(parameters);
    shape.vision = tower(vision, config, parameters);
    check(shape)
}

/// Checks the name of the data type of the weights.
fn check_dtype(config: &Fields) -> Result<()> {
    for field in ["torch_dtype", "dtype"] {
        let Some(word) = config.get(field).and_then(Value::as_str) else {
            continue;
        };
        let name = word.strip_prefix("torch.").unwrap_or(word);
        if !DTYPES.contains(&name) && !name.starts_with("float8_") {
            let name: String = word.chars().take(MOST_OF_A_WORD).collect();
            let message = format!("`{field}` is '{name}', not a data type such as bfloat16");
            return Err(ConfigError::Contradiction(message));
        }
    }
    Ok(())
}

fn check(shape: &Architecture) -> Result<()> {
    let checked = shape.check();
    checked.map_err(|why| ConfigError::Contradiction(why.to_owned()))
}

fn shape(config: &Fields, family: &Family) -> Result<Architecture> {
    let hidden = hidden_width(config);
    let layers = layers(config);
    let vocab = needed(config, &["vocab_size", "padded_vocab_size"], MOST_WIDE);
    let padded = number(config, &["padded_vocab_size"], MOST_WIDE);
    let heads = hidden
        .clone()
        .and_then(|hidden| heads(config, family, hidden));
    let mla = mla(config);
    all_of([
        hidden.clone().err(),
        layers.clone().err(),
        // The same error twice would be confusing.
        heads.as_ref().err().filter(|_| hidden.is_ok()).cloned(),
        vocab.clone().err(),
        padded.clone().err().filter(|_| vocab.is_ok()),
        mla.clone().err(),
    ])?;
    let (hidden, layers, heads, mla) = (hidden?, layers?, heads?, mla?);
    let vocab = padded?.map_or(vocab, Ok)?;
    let attention = config.get("attn_config").and_then(Value::as_object);
    let kv_heads = kv_heads(config, attention, family, heads.count)?;
    let experts = experts(config, layers)?;
    let ffn = ffn(config, family, hidden, experts.as_ref())?;
    let (biases, qk_norm) = parts(config, family);
    let positions = match family.positions {
        Some(offset) => {
            let names = [
                "max_position_embeddings",
                "n_positions",
                "n_ctx",
                "max_seq_len",
            ];
            number(config, &names, MOST_WIDE)?
                .unwrap_or(0)
                .saturating_add(offset)
        }
        None => 0,
    };
    let mut built = Architecture {
        hidden,
        layers,
        heads: heads.count,
        kv_heads: if mla.is_some() { heads.count } else { kv_heads },
        head_dim: heads.width,
        ffn,
        vocab,
        tied: flag(config, &["tie_word_embeddings", "tie_embeddings"]).unwrap_or(family.tied),
        gated: family.gated,
        biases,
        qk_norm,
        norms_per_layer: family.norms_per_layer,
        positions,
        window: window(config, family, layers)?,
        experts,
        mla,
        context: context(config)?,
        ..Architecture::default()
    };
    if family.parallel
        && flag(config, &["new_decoder_architecture"]) != Some(true)
        && flag(config, &["parallel_attn"]).unwrap_or(true)
    {
        built.norms_per_layer = 1;
    }
    differing_layers(config, family, &mut built)?;
    // The number of mixtures is known only after `differing_layers`.
    let small = extra(config, family, &built);
    built.extra_parameters = built.extra_parameters.saturating_add(small);
    Ok(built)
}

/// Reads the width of the hidden state.
fn hidden_width(config: &Fields) -> Result<u32> {
    let names = [
        "hidden_size",
        "n_embd",
        "n_embed",
        "d_model",
        "model_dim",
        "dim",
    ];
    needed(config, &names, MOST_WIDE)
}

/// Reads the number of layers.
fn layers(config: &Fields) -> Result<u32> {
    let names = ["num_hidden_layers", "n_layer", "n_layers", "num_layers"];
    if number(config, &names, MOST_LAYERS)?.is_some() {
        let layers = needed(config, &names, MOST_LAYERS)?;
        // A list for fewer layers is a fault, whether the family reads it or not.
        for field in ["layer_types", "hybrid_layer_pattern"] {
            if let Some(items) = list(config, field) {
                for_each_layer(items, field, layers)?;
            }
        }
        return Ok(layers);
    }
    listed_layers(config)
        .filter(|n| (1..=MOST_LAYERS as u32).contains(n))
        .ok_or(ConfigError::Missing("num_hidden_layers"))
}

/// Reads the maximum context, including an extension by YaRN.
fn context(config: &Fields) -> Result<Option<u32>> {
    const POSITIONS: &str = "max_position_embeddings";
    if number(config, &[POSITIONS], MOST)? == Some(0) {
        needed(config, &[POSITIONS], MOST)?;
    }
    let names = [
        POSITIONS,
        "n_positions",
        "seq_length",
        "max_sequence_length",
        "max_seq_len",
        "model_max_length",
        "n_ctx",
    ];
    let written = number(config, &names, MOST)?.filter(|tokens| *tokens > 0);
    let rotations = ["rope_parameters", "rope_scaling"];
    let mut rotations = rotations
        .into_iter()
        .filter_map(|name| object(config, name));
    for rotation in rotations.clone() {
        let stated = rotation.get("factor").filter(|value| !value.is_null());
        if let (Some(value), None) = (stated, factor(rotation, "factor")) {
            return Err(out_of_bounds("factor", value, MOST_STRETCH));
        }
    }
    let stretched = rotations.find_map(|rotation| {
        let is_yarn = |name: &str| rotation.get(name).and_then(Value::as_str) == Some("yarn");
        if !is_yarn("rope_type") && !is_yarn("type") {
            return None;
        }
        let original = number(rotation, &["original_max_position_embeddings"], MOST).ok()?;
        let original = original.or(written)?;
        let tokens = f64::from(original) * factor(rotation, "factor")?;
        (tokens <= MOST as f64).then_some(tokens as u32)
    });
    Ok(written.max(stretched))
}

/// Query heads and their width.
#[derive(Clone, Copy)]
struct QueryHeads {
    count: u32,
    width: u32,
}

/// Reads the query heads. Without attention, they are the heads of the recurrence, which devices divide instead.
fn heads(config: &Fields, family: &Family, hidden: u32) -> Result<QueryHeads> {
    if family.arrangement == Arrangement::RecurrenceOnly {
        let recurrent = recurrence::recurrence(config, family, hidden)?.unwrap_or_default();
        let width = recurrent.head_width.unwrap_or(CHANNELS_OF_A_HEAD);
        let count = (recurrent.inner / f64::from(width)).clamp(1.0, MOST_WIDE as f64) as u32;
        return Ok(QueryHeads { count, width });
    }
    let names = ["num_attention_heads", "n_head", "n_heads", "num_heads"];
    let count = needed(config, &names, MOST_WIDE)?;
    let names = ["head_dim", "kv_channels", "attention_head_dim"];
    let latent = number(config, &["kv_lora_rank"], MOST_WIDE)?.filter(|rank| *rank > 0);
    let mut stated = number(config, &names, MOST_HEAD_WIDTH)?;
    if stated == Some(0) && latent.is_none() {
        // An error: a width that is left out follows from the hidden size, and a width of 0 is impossible.
        stated = Some(needed(config, &names, MOST_HEAD_WIDTH)?);
    }
    match stated.filter(|width| *width > 0) {
        Some(width) => Ok(QueryHeads { count, width }),
        // Latent attention does not use this width.
        None if latent.is_some() => Ok(QueryHeads {
            count,
            width: hidden.div_ceil(count),
        }),
        None if hidden.is_multiple_of(count) => Ok(QueryHeads {
            count,
            width: hidden / count,
        }),
        None => Err(ConfigError::Contradiction(format!(
            "hidden_size {hidden} is not a multiple of {count} heads, and head_dim is missing"
        ))),
    }
}

/// The types of layers whose attention is limited to a window or a chunk.
pub(crate) const LOCAL_ATTENTION: [&str; 2] = ["sliding_attention", "chunked_attention"];

fn window(config: &Fields, family: &Family, layers: u32) -> Result<Option<Window>> {
    let tokens = number(
        config,
        &[
            "sliding_window",
            "attention_window_size",
            "sliding_window_size",
            "attention_chunk_size",
        ],
        MOST,
    )?;
    let Some(tokens) = tokens.filter(|n| *n > 0) else {
        return Ok(None);
    };
    if flag(config, &["use_sliding_window"]) == Some(false) {
        return Ok(None);
    }
    let of_layers = |field| {
        let kinds = list(config, field);
        kinds
            .map(|kinds| for_each_layer(kinds, field, layers))
            .transpose()
    };
    let words = of_layers("layer_types")?.map(|kinds| {
        let kinds = kinds.iter().filter_map(Value::as_str);
        kinds.filter(|kind| LOCAL_ATTENTION.contains(kind)).count() as u32
    });
    let flags = of_layers("hybrid_layer_pattern")?.map(|flags| {
        let local = flags.iter().filter(|flag| flag.as_u64() == Some(1));
        local.count() as u32
    });
    if let Some(local) = words.or(flags) {
        return Ok((local > 0).then(|| Window {
            tokens,
            global_layers: layers.saturating_sub(local),
            global_cache_width: None,
            global_kv_heads: None,
            kv_heads: None,
        }));
    }
    let pattern = number(
        config,
        &[
            "sliding_window_pattern",
            "_sliding_window_pattern",
            "no_rope_layer_interval",
        ],
        4096,
    )?;
    let pattern = pattern.or(family.window_pattern);
    // Qwen has windows only in layers from `max_window_layers` on, which is usually the number of layers.
    if config.contains_key("max_window_layers") && config.get("use_sliding_window").is_some() {
        let from = number(config, &["max_window_layers"], MOST)?.unwrap_or(layers);
        return Ok((from < layers).then_some(Window {
            tokens,
            global_layers: from,
            global_cache_width: None,
            global_kv_heads: None,
            kv_heads: None,
        }));
    }
    Ok(Some(Window {
        tokens,
        global_layers: match pattern {
            None | Some(0 | 1) => 0,
            Some(every) => layers / every,
        },
        global_cache_width: None,
        global_kv_heads: None,
        kv_heads: None,
    }))
}

fn kv_heads(
    config: &Fields,
    attention: Option<&Fields>,
    family: &Family,
    heads: u32,
) -> Result<u32> {
    if family.arrangement == Arrangement::RecurrenceOnly {
        return Ok(heads);
    }
    if let Some(keys) = blocks::first_key_heads(config, heads)? {
        return Ok(keys);
    }
    if let Some(n) = attention
        .map(|nested| number(nested, &["kv_n_heads"], MOST_WIDE))
        .transpose()?
        .flatten()
    {
        return Ok(n);
    }
    // Older configurations have key heads only if `multi_query` or a newer architecture is switched on.
    if let Some(multi_query) = flag(config, &["multi_query", "multi_query_attention"]) {
        let modern = flag(config, &["new_decoder_architecture"]) == Some(true);
        if multi_query && !modern {
            return Ok(number(config, &["multi_query_group_num"], MOST_WIDE)?.unwrap_or(1));
        }
        if !modern && !multi_query {
            return Ok(heads);
        }
    }
    let names = [
        "num_key_value_heads",
        "num_kv_heads",
        "n_head_kv",
        "n_kv_heads",
        "num_query_groups",
        "num_attention_groups",
    ];
    Ok(number(config, &names, MOST_WIDE)?
        .filter(|n| *n > 0)
        .unwrap_or(heads))
}

fn mla(config: &Fields) -> Result<Option<Mla>> {
    let max_width = 1 << 20;
    let Some(kv_rank) = number(config, &["kv_lora_rank"], max_width)?.filter(|n| *n > 0) else {
        return Ok(None);
    };
    Ok(Some(Mla {
        kv_rank,
        q_rank: number(config, &["q_lora_rank"], max_width)?.unwrap_or(0),
        nope_dim: needed(config, &["qk_nope_head_dim"], max_width)?,
        rope_dim: needed(config, &["qk_rope_head_dim"], max_width)?,
        value_dim: needed(config, &["v_head_dim"], max_width)?,
    }))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::testing::{catalog, fields};

    #[test]
    fn a_head_has_a_width() {
        let tables = catalog();
        let family = tables.catalog().family_of("llama").unwrap();
        let width = |stated: serde_json::Value| {
            let config = json!({ "num_attention_heads": 4, "head_dim": stated });
            heads(&fields(&config), &family, 512).map(|heads| heads.width)
        };
        assert_eq!(width(json!(64)).unwrap(), 64);
        assert_eq!(width(json!(null)).unwrap(), 128);
        let error = width(json!(0)).unwrap_err().to_string();
        assert!(error.contains("`head_dim` is 0"), "{error}");
    }

    #[test]
    fn impossible_data_types_and_factors_are_refused() {
        let dtype = |word: &str| check_dtype(&fields(&json!({ "torch_dtype": word })));
        for word in [
            "bfloat16",
            "float32",
            "torch.float16",
            "float8_e4m3fn",
            "auto",
        ] {
            assert_eq!(dtype(word), Ok(()), "{word}");
        }
        assert!(dtype("float77").is_err());
        let stretched = |factor: f64| {
            let scaling = json!({ "type": "yarn", "factor": factor });
            context(&fields(&json!({ "n_ctx": 4096, "rope_scaling": scaling })))
        };
        assert_eq!(stretched(2.0), Ok(Some(8192)));
        assert!(stretched(-4.0).is_err() && stretched(1e6).is_err());
    }

    #[test]
    fn zero_positions_are_impossible_and_other_contexts_of_zero_are_unknown() {
        let read = |field: &str, tokens: i32| context(&fields(&json!({ field: tokens })));
        let error = read("max_position_embeddings", 0).unwrap_err().to_string();
        assert!(
            error.starts_with("`max_position_embeddings` is 0, not"),
            "{error}"
        );
        assert_eq!(read("max_position_embeddings", 1).unwrap(), Some(1));
        assert_eq!(read("model_max_length", 0).unwrap(), None);
    }

    #[test]
    fn a_list_of_fewer_layers_is_an_error_without_windows_too() {
        let read = |kinds: usize| {
            let kinds = vec!["full_attention"; kinds];
            layers(&fields(
                &json!({ "num_hidden_layers": 4, "layer_types": kinds }),
            ))
        };
        let error = read(3).unwrap_err().to_string();
        assert_eq!(error, "`layer_types` lists 3 layers, but the model has 4");
        // Layers of multi-token prediction follow.
        assert_eq!((read(4).unwrap(), read(5).unwrap()), (4, 4));
    }
}
