//! Layers from an architecture search, each with a different shape: `block_configs` of Llama-Nemotron.

use serde_json::Value;
use sky_accel_core::sizing::Architecture;

use super::plan::for_each_layer;
use crate::fields::{
    ConfigError, Fields, MOST_WIDE, Result, factor, flag, list, number, object, product,
};

pub(crate) const FIELD: &str = "block_configs";
/// Widths of MLPs are rounded up to a multiple of this.
const MULTIPLE: f64 = 256.0;

/// The fields of the attention or MLP of a block.
fn part<'f>(block: &'f Value, name: &'static str) -> Result<&'f Fields> {
    let part = block.as_object().and_then(|block| object(block, name));
    part.ok_or(ConfigError::Missing(name))
}

fn is_set(fields: &Fields, name: &str) -> bool {
    flag(fields, &[name]) == Some(true)
}

/// Reads the key heads of the first layer with attention.
pub(crate) fn first_key_heads(config: &Fields, heads: u32) -> Result<Option<u32>> {
    for block in list(config, FIELD).unwrap_or_default() {
        if let Some(keys) = key_heads(part(block, "attention")?, heads)? {
            return Ok(Some(keys));
        }
    }
    Ok(None)
}

fn key_heads(attention: &Fields, heads: u32) -> Result<Option<u32>> {
    if let Some(keys) = number(attention, &["num_key_value_heads"], MOST_WIDE)? {
        return Ok(Some(keys).filter(|n| *n > 0));
    }
    let group = number(attention, &["n_heads_in_group"], MOST_WIDE)?;
    Ok(group.filter(|n| *n > 0).map(|n| (heads / n).max(1)))
}

fn width(ffn: &Fields, hidden: f64) -> Result<f64> {
    if let Some(width) = number(ffn, &["intermediate_size"], MOST_WIDE)? {
        return Ok(f64::from(width));
    }
    let factor = factor(ffn, "ffn_mult").ok_or(ConfigError::Missing("ffn_mult"))?;
    let width = (2.0 * factor * hidden / 3.0).trunc();
    Ok((width / MULTIPLE).ceil() * MULTIPLE)
}

/// The mean width of the MLPs.
pub(crate) fn mean_width(config: &Fields, hidden: u32) -> Result<Option<u32>> {
    let Some(blocks) = list(config, FIELD).filter(|blocks| !blocks.is_empty()) else {
        return Ok(None);
    };
    let mut sum = 0.0;
    for block in blocks {
        let ffn = part(block, "ffn")?;
        if !is_set(ffn, "no_op") && !is_set(ffn, "replace_with_linear") {
            sum += width(ffn, f64::from(hidden))?;
        }
    }
    let mean = (sum / blocks.len() as f64).round();
    Ok(Some(mean.min(MOST_WIDE as f64) as u32))
}

/// Counts attention layers, caches and parameters of blocks of different shapes.
pub(super) fn blocks(config: &Fields, shape: &mut Architecture) -> Result<()> {
    let Some(blocks) = list(config, FIELD) else {
        return Ok(());
    };
    let hidden = f64::from(shape.hidden);
    let (mut parameters, mut cache, mut layers, mut norms) = (0.0, 0.0, 0_u32, 0.0);
    let matrices = if shape.gated { 3.0 } else { 2.0 };
    for block in for_each_layer(blocks, FIELD, shape.layers)? {
        let (attention, ffn) = (part(block, "attention")?, part(block, "ffn")?);
        if is_set(attention, "replace_with_linear") {
            parameters += hidden * hidden;
            norms += 1.0;
        } else if !is_set(attention, "no_op") {
            let keys = key_heads(attention, shape.heads)?.unwrap_or(shape.kv_heads);
            let keys = product(keys, shape.head_dim);
            parameters += 2.0 * hidden * (shape.query_width() + keys);
            cache += 2.0 * keys;
            layers += 1;
            norms += 1.0;
        }
        if is_set(ffn, "replace_with_linear") {
            parameters += hidden * hidden;
            norms += 1.0;
        } else if !is_set(ffn, "no_op") {
            parameters += matrices * hidden * width(ffn, hidden)?;
            norms += 1.0;
        }
    }
    shape.attention_layers = Some(layers);
    if layers > 0 {
        let width = (cache / f64::from(layers)).round() as u32;
        shape.cache_width = (width != shape.cache_width().round() as u32).then_some(width);
    }
    let all = f64::from(shape.layers);
    let usual = f64::from(layers) * shape.attention_parameters()
        + all * matrices * product(shape.hidden, shape.ffn)
        + all * f64::from(shape.norms_per_layer) * hidden;
    let difference = parameters + norms * hidden - usual;
    shape.other_matrices = shape.other_matrices.saturating_add(difference as i64);
    Ok(())
}
