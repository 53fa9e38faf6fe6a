//! Widths of MLPs, and mixtures of experts.

use serde_json::Value;
use sky_accel_core::catalog::{Arrangement, Family};
use sky_accel_core::sizing::Experts;

use crate::fields::{
    ConfigError, Fields, MOST_LAYERS, MOST_WIDE, Result, factor, flag, list, needed, number,
};
use crate::layers::{blocks, recurrence};
use crate::widths::mean_width;

/// Reads the width of dense MLPs.
pub(crate) fn ffn(
    config: &Fields,
    family: &Family,
    hidden: u32,
    experts: Option<&Experts>,
) -> Result<u32> {
    let nested = config.get("ffn_config").and_then(Value::as_object);
    if let Some(width) = nested
        .map(|nested| number(nested, &["ffn_hidden_size"], MOST_WIDE))
        .transpose()?
        .flatten()
    {
        return Ok(width);
    }
    // A separate field has the width of the dense layers of a mixture if they are wider than an expert.
    let names = ["intermediate_size_mlp", "dense_intermediate_size"];
    if experts.is_some()
        && let Some(width) = number(config, &names, MOST_WIDE)?
    {
        return Ok(width);
    }
    if let Some(width) = differing_widths(config, hidden)? {
        return Ok(width);
    }
    // In a mixture without routed experts, only the shared expert is left.
    if experts.is_none()
        && let Some(width) =
            number(config, &["shared_intermediate_size"], MOST_WIDE)?.filter(|n| *n > 0)
    {
        return Ok(width);
    }
    let names = [
        "block_ff_dim",
        "intermediate_size",
        "n_inner",
        "ffn_hidden_size",
        "d_ff",
        "ffn_dim",
        "d_inner",
        "mlp_hidden_size",
    ];
    if let Some(width) = number(config, &names, MOST_WIDE)?.filter(|n| *n > 0) {
        return Ok(match flag(config, &["block_auto_adjust_ff_dim"]) {
            Some(true) => adjusted(config, width)?,
            _ if family.both_halves => width / 2,
            _ => width,
        });
    }
    if let Some(ratio) = number(config, &["expansion_ratio", "mlp_ratio"], 64)? {
        return Ok(ratio * hidden);
    }
    if family.arrangement == Arrangement::RecurrenceOnly {
        // No layer has an MLP; intermediate values are as wide as the recurrence.
        let recurrent = recurrence::recurrence(config, family, hidden)?.unwrap_or_default();
        return Ok(recurrent.inner.min(MOST_WIDE as f64) as u32);
    }
    if family.gated && experts.is_none() {
        return Err(ConfigError::Missing("intermediate_size"));
    }
    Ok(hidden.saturating_mul(4))
}

/// Two thirds of a width times a factor, rounded up to a multiple (LFM2).
fn adjusted(config: &Fields, width: u32) -> Result<u32> {
    let factor = factor(config, "block_ffn_dim_multiplier").unwrap_or(1.0);
    let narrowed = (f64::from(width / 3 * 2 + width % 3 * 2 / 3) * factor).trunc();
    let multiple = number(config, &["block_multiple_of"], MOST_WIDE)?.filter(|n| *n > 0);
    let multiple = f64::from(multiple.unwrap_or(1));
    let width = (narrowed / multiple).ceil() * multiple;
    Ok(width.min(MOST_WIDE as f64) as u32)
}

/// The mean width of MLPs of different widths, rounded.
fn differing_widths(config: &Fields, hidden: u32) -> Result<Option<u32>> {
    if let Some(mean) = blocks::mean_width(config, hidden)? {
        return Ok(Some(mean));
    }
    let mean = mean_width(config)?;
    Ok(mean.map(|mean| mean.round() as u32))
}

/// The width of the shared experts; `width` is the width of a routed expert.
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
            "share_expert_dim",
        ],
        MOST_WIDE,
    )?;
    Ok(match (shared_size, shared_count) {
        (Some(size), _) => size,
        (None, Some(n)) => n.saturating_mul(width),
        (None, None) => 0,
    })
}

/// Reads the mixture of experts; `None` for a dense model.
pub(crate) fn experts(config: &Fields, layers: u32) -> Result<Option<Experts>> {
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
    if flag(config, &["enable_moe_block"]) == Some(false) {
        return Ok(None);
    }
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
        "num_experts_per_topk",
        "top_k_experts",
        "top_k",
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
    let width = number(config_of("moe_num_experts"), &width_names, MOST_WIDE)?;
    let width = width
        .filter(|n| *n > 0)
        .ok_or(ConfigError::Missing("moe_intermediate_size"))?;
    let shared_width = shared_width(config, width)?;
    let (dense_first, every) = mixture_layers(config, layers)?;
    // Llama 4 has a shared expert of the same width, which no field mentions.
    let is_llama_4 = config.contains_key("interleave_moe_layer_step");
    let beside = flag(config, &["enable_moe_block"]) == Some(true);
    let shared_width = if is_llama_4 {
        width
    } else if beside {
        // Every token also passes through the dense MLP of such a layer.
        needed(config, &["intermediate_size"], MOST_WIDE)?
    } else {
        shared_width
    };
    let names = ["moe_latent_size", "routed_expert_hidden_size"];
    Ok(Some(Experts {
        count,
        active,
        width,
        shared_width,
        dense_first,
        every,
        latent_width: number(config, &names, MOST_WIDE)?.unwrap_or(0),
        image_width: 0,
    }))
}

/// The number of dense layers, and the interval between mixtures among the others.
fn mixture_layers(config: &Fields, layers: u32) -> Result<(u32, u32)> {
    if let Some(dense) = listed_dense(config, layers)? {
        return Ok((dense, 1));
    }
    let names = [
        "first_k_dense_replace",
        "moe_layer_start_index",
        "num_dense_layers",
        "first_last_k_dense_replace",
    ];
    let dense_first = number(config, &names, MOST_LAYERS)?;
    if let Some(dense) = dense_first.filter(|dense| *dense > layers) {
        let stated = names.iter().find(|name| config.contains_key(**name));
        return Err(ConfigError::Contradiction(format!(
            "{} is {dense}, but the model has {layers} layers",
            stated.unwrap_or(&names[0])
        )));
    }
    let only = list(config, "mlp_only_layers").map(<[Value]>::len);
    let dense_first = dense_first.or(only.map(|n| n as u32)).unwrap_or(0);
    let names = [
        "moe_layer_freq",
        "decoder_sparse_step",
        "interleave_moe_layer_step",
        "moe_layer_interval",
        "moe_every_n_layers",
    ];
    let every = number(config, &names, MOST_LAYERS);
    let every = every.ok().flatten().filter(|n| *n > 0).unwrap_or(1);
    Ok((dense_first.min(layers), every))
}

/// The number of dense layers, if each layer is listed.
fn listed_dense(config: &Fields, layers: u32) -> Result<Option<u32>> {
    let first = |items: &'_ [Value]| items.len().min(layers as usize);
    if let Some(flags) = list(config, "moe_layer_freq") {
        let flags = flags[..first(flags)].iter();
        let dense = flags.filter(|flag| flag.as_u64() == Some(0)).count();
        return Ok(Some(dense as u32));
    }
    if let Some(kinds) = list(config, "mlp_layer_types") {
        let kinds = kinds[..first(kinds)].iter();
        let dense = kinds.filter(|kind| kind.as_str() == Some("dense")).count();
        return Ok(Some(dense as u32));
    }
    if let Some(period) = number(config, &["expert_layer_period"], MOST_LAYERS)?.filter(|n| *n > 0)
    {
        let offset = number(config, &["expert_layer_offset"], MOST_LAYERS)?.unwrap_or(0) % period;
        let mixtures = layers.saturating_sub(offset).div_ceil(period);
        return Ok(Some(layers - mixtures));
    }
    // A comma-separated list of the layers with a mixture.
    let listed = config.get("moe_layers_enum").and_then(Value::as_str);
    Ok(listed.map(|numbers| {
        let numbers = numbers
            .split(',')
            .filter_map(|n| n.trim().parse::<u32>().ok());
        let mixtures = numbers
            .filter(|n| *n < layers)
            .take(layers as usize)
            .count();
        layers.saturating_sub(mixtures as u32)
    }))
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::testing::fields;
    use crate::widths::width_remainder;

    fn dense_and_interval(config: &Value) -> Result<(u32, u32)> {
        mixture_layers(&fields(config), 10)
    }

    #[test]
    fn mixtures_begin_after_dense_layers_and_repeat() {
        for (config, expected) in [
            (json!({}), (0, 1)),
            (json!({ "first_k_dense_replace": 3 }), (3, 1)),
            (json!({ "first_k_dense_replace": 10 }), (10, 1)),
            (json!({ "mlp_only_layers": [0, 5] }), (2, 1)),
            (json!({ "decoder_sparse_step": 2 }), (0, 2)),
            (
                json!({ "num_dense_layers": 1, "moe_layer_freq": 0 }),
                (1, 1),
            ),
            (
                json!({ "moe_layer_freq": [0, 0, 1, 1, 1, 1, 1, 1, 1, 1, 0] }),
                (2, 1),
            ),
            (
                json!({ "mlp_layer_types": ["dense", "sparse", "sparse"] }),
                (1, 1),
            ),
            (
                json!({ "expert_layer_period": 2, "expert_layer_offset": 1 }),
                (5, 1),
            ),
            (
                json!({ "expert_layer_period": 4, "expert_layer_offset": 3 }),
                (8, 1),
            ),
            (json!({ "moe_layers_enum": "3, 4,9,10" }), (7, 1)),
        ] {
            assert_eq!(dense_and_interval(&config), Ok(expected), "{config}");
        }
    }

    #[test]
    fn a_model_has_at_most_all_of_its_layers_dense() {
        for name in ["first_k_dense_replace", "num_dense_layers"] {
            let error = dense_and_interval(&json!({ name: 11 })).unwrap_err();
            let expected = format!("{name} is 11, but the model has 10 layers");
            assert!(error.to_string().contains(&expected), "{error}");
        }
    }

    #[test]
    fn shared_experts_have_a_width_or_a_number() {
        let width = |config: Value| shared_width(&fields(&config), 100);
        assert_eq!(width(json!({})), Ok(0));
        assert_eq!(width(json!({ "n_shared_experts": 2 })), Ok(200));
        let both = json!({ "n_shared_experts": 2, "shared_expert_intermediate_size": 50 });
        assert_eq!(width(both), Ok(50));
    }

    #[test]
    fn widths_are_adjusted_as_in_lfm2() {
        let width = |config: Value| adjusted(&fields(&config), 9000);
        assert_eq!(width(json!({})), Ok(6000));
        assert_eq!(width(json!({ "block_ffn_dim_multiplier": 0.5 })), Ok(3000));
        assert_eq!(width(json!({ "block_multiple_of": 256 })), Ok(6144));
    }

    #[test]
    fn widths_of_different_layers_are_averaged() {
        let mean = |config: Value| mean_width(&fields(&config));
        assert_eq!(
            mean(json!({ "intermediate_size": [2, 3, 5, 5] })),
            Ok(Some(3.75))
        );
        assert_eq!(mean(json!({ "intermediate_size": 4 })), Ok(None));
        let double = json!({
            "intermediate_size": 4, "use_double_wide_mlp": true, "num_kv_shared_layers": 5,
            "num_hidden_layers": 20
        });
        assert_eq!(mean(double), Ok(Some(5.0)));
        let remainder = width_remainder(&fields(&json!({ "intermediate_size": [2, 3, 5, 5] })));
        assert_eq!(remainder, Ok(-0.25));
        assert!(mean(json!({ "intermediate_size": [MOST_WIDE + 1] })).is_err());
    }
}
