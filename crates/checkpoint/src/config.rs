//! `config.json`, as transformers writes it.
//!
//! Architectures have different names for the same figure. The catalog's families say which figures
//! they leave out, and which of their parts have biases and norms.

use serde_json::{Map, Value};
use sky_accel_core::catalog::{Catalog, Family};
use sky_accel_core::sizing::{
    Architecture, Biases, CacheFormat, Experts, Mla, QkNorm, WeightFormat, Window,
};
use thiserror::Error;

use crate::quantization;

/// A fault of a configuration. Texts may hold characters of the file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ConfigError {
    /// More bytes or values than are read.
    #[error("it has {n} {what}, and at most {most} are read: too large to be a configuration")]
    TooLarge {
        /// The unit of both numbers.
        what: &'static str,
        /// The number in the file.
        n: u64,
        /// The bound.
        most: u64,
    },
    /// No JSON object, with the parser's reason.
    #[error("no JSON object: {0}")]
    Json(String),
    /// Neither the file nor the caller names an architecture.
    #[error("it has no `model_type`")]
    NoModelType,
    /// An architecture that the catalog does not have.
    #[error("unknown model_type '{0}'")]
    UnknownModelType(String),
    /// A field without which there is no shape.
    #[error("`{0}` is missing")]
    Missing(&'static str),
    /// A field that is no whole number within its bounds.
    #[error("`{field}` is {value}, not a number between {low} and {high}")]
    OutOfBounds {
        /// The name that the file uses.
        field: String,
        /// Its value, cut off where it is long.
        value: String,
        /// The least that it may be.
        low: u64,
        /// The most that it may be.
        high: u64,
    },
    /// Fields that cannot be true together.
    #[error("{0}")]
    Contradiction(String),
}

/// A model as its configuration describes it. Names of formats are those of the catalog.
#[derive(Clone, Debug, PartialEq)]
pub struct Description<'a> {
    /// The architecture that it was read as.
    pub model_type: String,
    /// The shape of its layers.
    pub shape: Architecture,
    /// The format that the weights are stored in; `None` for weights that are not quantized.
    pub stored_as: Option<&'a str>,
    /// That format exactly, where modules that stay in 16 bits make it another one than the
    /// catalog's: groups are counted in.
    pub format: Option<WeightFormat>,
    /// The format that the checkpoint means its KV cache to have.
    pub kv_cache: Option<CacheFormat>,
    /// The words of a quantization that the catalog has no format for: the weights are smaller
    /// than `stored_as` tells.
    pub unknown_quantization: Option<String>,
}

type Fields = Map<String, Value>;
type Result<T> = std::result::Result<T, ConfigError>;

/// The most that any field may be.
const MOST: u64 = 1 << 31;

/// Describes the model of a `config.json`. It is read as the model type `assume` where that is
/// given, whatever type it names.
///
/// # Errors
///
/// [`ConfigError`] for a model type that is missing or unknown, for fields that are missing or out
/// of bounds, and for figures that cannot be the shape of a model.
pub fn describe<'a>(
    catalog: &Catalog<'a>,
    config: &Fields,
    assume: Option<&str>,
) -> Result<Description<'a>> {
    describe_checkpoint(catalog, config, None, assume)
}

/// Describes the model of a `config.json` with the `hf_quant_config.json` beside it, which NVIDIA
/// ModelOpt writes. A quantization that `config.json` tells goes before it.
///
/// # Errors
///
/// As for [`describe`]: a quantization that is not known is no error.
pub fn describe_checkpoint<'a>(
    catalog: &Catalog<'a>,
    config: &Fields,
    hf_quant_config: Option<&Fields>,
    assume: Option<&str>,
) -> Result<Description<'a>> {
    let outer_type = config.get("model_type").and_then(Value::as_str);
    // A model with other towers has the decoder's figures inside.
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
        let mut text = inner.clone();
        // What the inner one leaves out may be said outside.
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
        let mut found = describe_checkpoint(catalog, &text, hf_quant_config, assume)?;
        if let Some(vision) = config.get("vision_config").and_then(Value::as_object) {
            add_vision(vision, &mut found.shape)?;
        }
        return Ok(found);
    }
    let model_type = assume.or(outer_type).ok_or(ConfigError::NoModelType)?;
    let family = catalog
        .family_of(model_type)
        .ok_or_else(|| ConfigError::UnknownModelType(model_type.chars().take(60).collect()))?;
    let mut whole = config.clone();
    for (field, value) in catalog.defaults(&family) {
        let field = catalog.str(field);
        if !whole.contains_key(field) {
            whole.insert(field.to_owned(), Value::from(value));
        }
    }
    let mut shape = shape(&whole, &family)?;
    match config.get("vision_config").and_then(Value::as_object) {
        Some(vision) => add_vision(vision, &mut shape)?,
        None => check(&shape)?,
    }
    let quantization = quantization::read(catalog, config, hf_quant_config, shape.layers);
    Ok(Description {
        model_type: model_type.to_owned(),
        shape,
        stored_as: quantization.stored_as,
        format: quantization.format,
        kv_cache: quantization.kv_cache,
        unknown_quantization: quantization.unknown,
    })
}

/// Adds the parameters of a vision tower.
fn add_vision(vision: &Fields, shape: &mut Architecture) -> Result<()> {
    let tower = vision_parameters(vision, shape.hidden);
    shape.extra_parameters = shape.extra_parameters.saturating_add(tower);
    check(shape)
}

fn check(shape: &Architecture) -> Result<()> {
    let checked = shape.check();
    checked.map_err(|why| ConfigError::Contradiction(why.to_owned()))
}

/// A whole number under one of its names.
fn number(config: &Fields, names: &[&str], high: u64) -> Result<Option<u32>> {
    let found = names.iter().find_map(|name| {
        config
            .get(*name)
            .filter(|value| !value.is_null())
            .map(|value| (*name, value))
    });
    let Some((name, value)) = found else {
        return Ok(None);
    };
    let whole = value.as_u64().or_else(|| {
        let number = value.as_f64()?;
        (number >= 0.0 && number.fract() == 0.0 && number < MOST as f64).then_some(number as u64)
    });
    match whole.filter(|n| *n <= high) {
        Some(n) => Ok(Some(n as u32)),
        None => Err(ConfigError::OutOfBounds {
            field: name.to_owned(),
            value: value.to_string().chars().take(40).collect(),
            low: 0,
            high,
        }),
    }
}

fn needed(config: &Fields, names: &[&'static str], high: u64) -> Result<u32> {
    number(config, names, high)?
        .filter(|n| *n > 0)
        .ok_or(ConfigError::Missing(names[0]))
}

fn flag(config: &Fields, names: &[&str]) -> Option<bool> {
    names
        .iter()
        .find_map(|name| config.get(*name).and_then(Value::as_bool))
}

fn shape(config: &Fields, family: &Family) -> Result<Architecture> {
    let small = 1 << 22;
    let hidden = needed(
        config,
        &[
            "hidden_size",
            "n_embd",
            "n_embed",
            "d_model",
            "model_dim",
            "dim",
        ],
        small,
    )?;
    let layers = needed(
        config,
        &["num_hidden_layers", "n_layer", "n_layers", "num_layers"],
        4096,
    )?;
    let heads = needed(
        config,
        &["num_attention_heads", "n_head", "n_heads", "num_heads"],
        small,
    )?;
    let vocab = needed(config, &["vocab_size", "padded_vocab_size"], small)?;
    let vocab = number(config, &["padded_vocab_size"], small)?.unwrap_or(vocab);
    let attention = config.get("attn_config").and_then(Value::as_object);
    let kv_heads = kv_heads(config, attention, heads)?;
    let head_dim = match number(
        config,
        &["head_dim", "kv_channels", "attention_head_dim"],
        small,
    )? {
        Some(dim) if dim > 0 => dim,
        _ if hidden.is_multiple_of(heads) => hidden / heads,
        _ => {
            return Err(ConfigError::Contradiction(format!(
                "hidden_size {hidden} cannot be shared out to {heads} heads, and there is no head_dim"
            )));
        }
    };
    let experts = experts(config, layers)?;
    let ffn = ffn(config, family, hidden, experts.as_ref())?;
    let mla = mla(config)?;
    let (biases, qk_norm) = parts(config, family);
    let positions = match family.positions {
        Some(offset) => {
            let names = [
                "max_position_embeddings",
                "n_positions",
                "n_ctx",
                "max_seq_len",
            ];
            number(config, &names, small)?
                .unwrap_or(0)
                .saturating_add(offset)
        }
        None => 0,
    };
    let mut built = Architecture {
        hidden,
        layers,
        heads,
        kv_heads: if mla.is_some() { heads } else { kv_heads },
        head_dim,
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
        context: number(
            config,
            &[
                "max_position_embeddings",
                "n_positions",
                "seq_length",
                "max_sequence_length",
                "max_seq_len",
                "model_max_length",
                "n_ctx",
            ],
            MOST,
        )?
        .filter(|n| *n > 0),
        ..Architecture::default()
    };
    if family.parallel
        && flag(config, &["new_decoder_architecture"]) != Some(true)
        && flag(config, &["parallel_attn"]).unwrap_or(true)
    {
        built.norms_per_layer = 1;
    }
    built.extra_parameters = extra(config, family, &built);
    linear_attention(config, &mut built)?;
    Ok(built)
}

/// Layers with linear attention among the others: they keep a state instead of a cache.
fn linear_attention(config: &Fields, shape: &mut Architecture) -> Result<()> {
    let most = 1 << 16;
    let Some(value_heads) = number(config, &["linear_num_value_heads"], most)? else {
        return Ok(());
    };
    let keys = needed(config, &["linear_num_key_heads"], most)?;
    let key_dim = needed(config, &["linear_key_head_dim"], most)?;
    let value_dim = needed(config, &["linear_value_head_dim"], most)?;
    let kernel = needed(config, &["linear_conv_kernel_dim"], 64)?;
    let listed = config.get("layer_types").and_then(Value::as_array);
    let full = match listed {
        Some(kinds) => {
            let full = kinds
                .iter()
                .filter(|kind| kind.as_str() == Some("full_attention"));
            full.count() as u32
        }
        None => shape.layers / needed(config, &["full_attention_interval"], 4096)?,
    };
    let full = full.min(shape.layers);
    // As floats: products of what a stranger wrote do not overflow.
    let of = |a: u32, b: u32| f64::from(a) * f64::from(b);
    let (hidden, key, value) = (
        f64::from(shape.hidden),
        of(keys, key_dim),
        of(value_heads, value_dim),
    );
    let convolved = 2.0 * key + value;
    let layer = hidden * (2.0 * key + 2.0 * value)
        + 2.0 * hidden * f64::from(value_heads)
        + convolved * f64::from(kernel)
        + 2.0 * f64::from(value_heads)
        + f64::from(value_dim)
        + value * hidden;
    let kept = kernel.saturating_sub(1);
    let state = of(value_heads, key_dim) * f64::from(value_dim) + convolved * f64::from(kept);
    let linear = f64::from(shape.layers - full);
    // Queries come with a gate for what attention puts out.
    let gates = if flag(config, &["attn_output_gate"]).unwrap_or(true) {
        f64::from(full) * hidden * of(shape.heads, shape.head_dim)
    } else {
        0.0
    };
    shape.attention_layers = Some(full);
    shape.state_values = (linear * state) as u64;
    shape.other_matrices = (linear * layer + gates) as i64;
    Ok(())
}

fn kv_heads(config: &Fields, attention: Option<&Fields>, heads: u32) -> Result<u32> {
    let most = 1 << 22;
    if let Some(n) = attention
        .map(|nested| number(nested, &["kv_n_heads"], most))
        .transpose()?
        .flatten()
    {
        return Ok(n);
    }
    // Of two ways to say it, one has to be switched on.
    if let Some(multi_query) = flag(config, &["multi_query", "multi_query_attention"]) {
        let modern = flag(config, &["new_decoder_architecture"]) == Some(true);
        if multi_query && !modern {
            return Ok(number(config, &["multi_query_group_num"], most)?.unwrap_or(1));
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
    ];
    Ok(number(config, &names, most)?
        .filter(|n| *n > 0)
        .unwrap_or(heads))
}

fn ffn(config: &Fields, family: &Family, hidden: u32, experts: Option<&Experts>) -> Result<u32> {
    let most = 1 << 22;
    let nested = config.get("ffn_config").and_then(Value::as_object);
    if let Some(width) = nested
        .map(|nested| number(nested, &["ffn_hidden_size"], most))
        .transpose()?
        .flatten()
    {
        return Ok(width);
    }
    // Where the dense layers of a mixture are wider than an expert, that has a name of its own.
    if experts.is_some()
        && let Some(width) = number(config, &["intermediate_size_mlp"], most)?
    {
        return Ok(width);
    }
    let names = [
        "intermediate_size",
        "n_inner",
        "ffn_hidden_size",
        "d_ff",
        "ffn_dim",
        "d_inner",
        "mlp_hidden_size",
    ];
    if let Some(width) = number(config, &names, most)?.filter(|n| *n > 0) {
        return Ok(if family.both_halves { width / 2 } else { width });
    }
    if let Some(ratio) = number(config, &["expansion_ratio", "mlp_ratio"], 64)? {
        return Ok(ratio * hidden);
    }
    if family.gated && experts.is_none() {
        return Err(ConfigError::Missing("intermediate_size"));
    }
    Ok(hidden.saturating_mul(4))
}

/// Width of the experts that all tokens go through, where a routed one is so wide.
fn shared_width(config: &Fields, width: u32) -> Result<u32> {
    let shared_count = number(
        config,
        &[
            "n_shared_experts",
            "num_shared_experts",
            "moe_num_shared_experts",
            "num_shared_expert",
        ],
        64,
    )?;
    let shared_size = number(
        config,
        &[
            "shared_expert_intermediate_size",
            "shared_intermediate_size",
            "moe_shared_expert_intermediate_size",
        ],
        1 << 22,
    )?;
    Ok(match (shared_size, shared_count) {
        (Some(size), _) => size,
        (None, Some(n)) => n.saturating_mul(width),
        (None, None) => 0,
    })
}

fn experts(config: &Fields, layers: u32) -> Result<Option<Experts>> {
    let most = 1 << 22;
    let nested = config.get("ffn_config").and_then(Value::as_object);
    let config_of = |name: &str| {
        nested
            .filter(|nested| nested.contains_key(name))
            .unwrap_or(config)
    };
    let count_names = [
        "n_routed_experts",
        "num_local_experts",
        "num_experts",
        "moe_num_experts",
        "num_routed_experts",
    ];
    let count = number(config_of("moe_num_experts"), &count_names, 4096)?.unwrap_or(0);
    if count < 2 {
        return Ok(None);
    }
    let active_names = [
        "num_experts_per_tok",
        "num_experts_per_token",
        "moe_k",
        "moe_topk",
        "moe_top_k",
        "top_k",
        "num_experts_per_topk",
    ];
    let active = number(config_of("moe_top_k"), &active_names, 4096)?;
    let active = active
        .filter(|n| *n > 0)
        .ok_or(ConfigError::Missing("num_experts_per_tok"))?;
    let width_names = [
        "moe_intermediate_size",
        "expert_ffn_hidden_size",
        "expert_intermediate_size",
        "intermediate_size",
        "ffn_hidden_size",
    ];
    let width = number(config_of("moe_num_experts"), &width_names, most)?;
    let width = width
        .filter(|n| *n > 0)
        .ok_or(ConfigError::Missing("moe_intermediate_size"))?;
    let shared_width = shared_width(config, width)?;
    let dense_first = number(
        config,
        &[
            "first_k_dense_replace",
            "moe_layer_start_index",
            "num_dense_layers",
            "first_last_k_dense_replace",
        ],
        4096,
    )?;
    let only = config
        .get("mlp_only_layers")
        .and_then(Value::as_array)
        .map(Vec::len);
    let dense_first = dense_first.or(only.map(|n| n as u32)).unwrap_or(0);
    let every = number(
        config,
        &[
            "moe_layer_freq",
            "decoder_sparse_step",
            "interleave_moe_layer_step",
            "moe_layer_interval",
            "moe_every_n_layers",
        ],
        4096,
    );
    // Some list a flag for each layer instead.
    let every = every.ok().flatten().filter(|n| *n > 0).unwrap_or(1);
    let listed = config.get("moe_layer_freq").and_then(Value::as_array);
    let dense_listed =
        listed.map(|flags| flags.iter().filter(|flag| flag.as_u64() == Some(0)).count());
    // Llama 4 has a shared expert as wide as the others, and says so nowhere.
    let is_llama_4 = config.contains_key("interleave_moe_layer_step");
    Ok(Some(Experts {
        count,
        active,
        width,
        shared_width: if is_llama_4 { width } else { shared_width },
        dense_first: dense_listed.map_or(dense_first, |n| n as u32).min(layers),
        every,
    }))
}

fn mla(config: &Fields) -> Result<Option<Mla>> {
    let most = 1 << 20;
    let Some(kv_rank) = number(config, &["kv_lora_rank"], most)?.filter(|n| *n > 0) else {
        return Ok(None);
    };
    Ok(Some(Mla {
        kv_rank,
        q_rank: number(config, &["q_lora_rank"], most)?.unwrap_or(0),
        nope_dim: needed(config, &["qk_nope_head_dim"], most)?,
        rope_dim: needed(config, &["qk_rope_head_dim"], most)?,
        value_dim: needed(config, &["v_head_dim"], most)?,
    }))
}

/// Which parts have biases, and norms of queries and keys.
fn parts(config: &Fields, family: &Family) -> (Biases, Option<QkNorm>) {
    let mut biases = family.biases;
    if let Some(has) = flag(
        config,
        &[
            "attention_bias",
            "add_qkv_bias",
            "use_qkv_bias",
            "qkv_bias",
            "attn_bias",
            "attention_in_bias",
        ],
    ) {
        biases.qkv = has && (family.attention_bias.qkv || family.biases.qkv);
        biases.out = if family.attention_bias.out {
            has
        } else {
            family.biases.out
        };
    }
    if let Some(has) = flag(config, &["mlp_bias"]) {
        biases.mlp = has;
    }
    if let Some(has) = flag(config, &["use_bias", "bias", "add_bias_linear"])
        && family.one_bias
    {
        biases.qkv = has;
        biases.out = has;
        biases.mlp = has;
    }
    if flag(config, &["no_bias"]) == Some(true) {
        biases = Biases::default();
    }
    if let Some(has) = flag(config, &["lm_head_bias"]) {
        biases.head = has;
    }
    let asked = flag(config, &["use_qk_norm", "qk_layernorm", "use_qk_layernorm"]);
    let qk_norm = asked
        .unwrap_or(family.qk_norm_by_default)
        .then(|| family.qk_norm.unwrap_or(QkNorm::Head));
    (biases, qk_norm)
}

fn window(config: &Fields, family: &Family, layers: u32) -> Result<Option<Window>> {
    let tokens = number(
        config,
        &[
            "sliding_window",
            "attention_window_size",
            "sliding_window_size",
        ],
        MOST,
    )?;
    let Some(tokens) = tokens.filter(|n| *n > 0) else {
        return Ok(None);
    };
    if flag(config, &["use_sliding_window"]) == Some(false) {
        return Ok(None);
    }
    let listed = config.get("layer_types").and_then(Value::as_array);
    if let Some(kinds) = listed {
        let local = kinds
            .iter()
            .filter(|kind| kind.as_str() == Some("sliding_attention"))
            .count() as u32;
        return Ok((local > 0).then(|| Window {
            tokens,
            global_layers: layers.saturating_sub(local),
            global_cache_width: None,
        }));
    }
    let pattern = number(
        config,
        &["sliding_window_pattern", "_sliding_window_pattern"],
        4096,
    )?;
    let pattern = pattern.or(family.window_pattern);
    // Qwen windows only layers above a limit, which is all of them: no layer.
    if config.contains_key("max_window_layers") && config.get("use_sliding_window").is_some() {
        let from = number(config, &["max_window_layers"], MOST)?.unwrap_or(layers);
        return Ok((from < layers).then_some(Window {
            tokens,
            global_layers: from,
            global_cache_width: None,
        }));
    }
    Ok(Some(Window {
        tokens,
        global_layers: match pattern {
            None | Some(0 | 1) => 0,
            Some(every) => layers / every,
        },
        global_cache_width: None,
    }))
}

/// Biases of experts and routers, sinks of attention, a norm of the embedding.
fn extra(config: &Fields, family: &Family, shape: &Architecture) -> i64 {
    let mut parameters: i64 = 0;
    let layers = i64::from(shape.layers);
    if family.sinks {
        parameters += layers * i64::from(shape.heads);
    }
    if family.embedding_norm {
        let norm = if shape.biases.norm { 2 } else { 1 };
        parameters += norm * i64::from(shape.hidden);
    }
    if let Some(experts) = shape.experts {
        let moe = i64::from(shape.expert_layers());
        if family.expert_biases {
            let inner = if shape.gated { 2 } else { 1 } * i64::from(experts.width);
            parameters += moe * i64::from(experts.count) * (inner + i64::from(shape.hidden) + 1);
        }
        let correction = config.get("topk_method").and_then(Value::as_str) == Some("noaux_tc")
            || family.router_bias;
        if correction {
            parameters += moe * i64::from(experts.count);
        }
        if family.shared_gate && experts.shared_width > 0 {
            parameters += moe * i64::from(shape.hidden);
        }
    }
    parameters
}

/// A vision tower of the usual kind, with its projection: near enough, for it is small.
fn vision_parameters(vision: &Fields, hidden: u32) -> i64 {
    let get = |names: &[&str]| {
        let figure = number(vision, names, 1 << 20).ok().flatten();
        figure.filter(|n| *n > 0).map(f64::from)
    };
    let Some(width) = get(&["hidden_size", "embed_dim", "width"]) else {
        return 0;
    };
    let layers = get(&["num_hidden_layers", "depth", "layers"])
        .unwrap_or(24.0)
        .min(4096.0);
    let inner = get(&["intermediate_size"]).unwrap_or(width * get(&["mlp_ratio"]).unwrap_or(4.0));
    let patch = get(&["patch_size"]).unwrap_or(14.0);
    let block = 4.0 * width * width + 2.0 * width * inner + 9.0 * width + inner;
    let patches = get(&["image_size"]).map_or(0.0, |side| (side / patch).powi(2) * width);
    // Some merge neighbouring patches before the projection, and project inner layers too.
    let merged = get(&["spatial_merge_size"]).unwrap_or(1.0).powi(2) * width;
    let out = get(&["out_hidden_size"]).unwrap_or(f64::from(hidden));
    let inner_layers = vision
        .get("deepstack_visual_indexes")
        .and_then(Value::as_array);
    let projections = 1.0 + inner_layers.map_or(0.0, |layers| layers.len() as f64);
    let joint = if merged > width { merged * merged } else { 0.0 };
    let projection = projections * (joint + merged * out);
    (layers * block + 3.0 * patch * patch * width + patches + projection) as i64
}
