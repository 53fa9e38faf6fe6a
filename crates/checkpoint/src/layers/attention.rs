//! Models whose attention layers differ: layers with a window may have other heads, widths or caches.

use serde_json::Value;
use sky_accel_core::catalog::Family;
use sky_accel_core::sizing::{Architecture, QkNorm};

use super::plan::{LayerModules, Reach};
use crate::fields::{
    ConfigError, Fields, MOST_LAYERS, MOST_WIDE, Result, flag, number, object, product,
};

/// The heads of a kind of layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct LayerHeads {
    queries: u32,
    keys: u32,
    key_width: u32,
    value_width: u32,
    /// Whether values equal keys, and so have no separate matrix.
    shares_matrix: bool,
}

impl LayerHeads {
    /// Parameters of the matrices of queries and of the output.
    fn query_parameters(&self, hidden: f64) -> f64 {
        hidden * (product(self.queries, self.key_width) + product(self.queries, self.value_width))
    }

    fn key_parameters(&self, hidden: f64) -> f64 {
        let values = if self.shares_matrix {
            0.0
        } else {
            product(self.keys, self.value_width)
        };
        hidden * (product(self.keys, self.key_width) + values)
    }

    fn cache(&self) -> f64 {
        product(self.keys, self.key_width) + product(self.keys, self.value_width)
    }
}

/// Sums over the layers with attention.
#[derive(Clone, Copy, Debug, Default)]
struct AttentionSums {
    parameters: f64,
    global: f64,
    global_cache: f64,
    local: f64,
    local_cache: f64,
}

/// Reads the heads of global layers, and of layers with a window.
fn heads(config: &Fields, shape: &Architecture) -> Result<(LayerHeads, LayerHeads)> {
    let value_width = number(config, &["v_head_dim"], MOST_WIDE)?.filter(|n| *n > 0);
    let usual = LayerHeads {
        queries: shape.heads,
        keys: shape.kv_heads,
        key_width: shape.head_dim,
        value_width: value_width.unwrap_or(shape.head_dim),
        shares_matrix: false,
    };
    let figure = |fields: &Fields, names: &[&str], usual: u32| {
        let found = number(fields, names, MOST_WIDE)?.filter(|n| *n > 0);
        Ok(found.unwrap_or(usual))
    };
    let key_width = figure(config, &["global_head_dim"], usual.key_width)?;
    let shares_matrix = flag(config, &["attention_k_eq_v"]) == Some(true);
    let global = LayerHeads {
        keys: if shares_matrix {
            figure(config, &["num_global_key_value_heads"], usual.keys)?
        } else {
            usual.keys
        },
        key_width,
        value_width: if key_width == usual.key_width {
            usual.value_width
        } else {
            key_width
        },
        shares_matrix,
        ..usual
    };
    let other = object(config, "attention_other_setting").unwrap_or(config);
    let is_other = |name: &'static str, alone: &'static str| {
        if std::ptr::eq(other, config) {
            alone
        } else {
            name
        }
    };
    let names = [
        is_other("num_attention_heads", "swa_num_attention_heads"),
        "num_sliding_attention_heads",
    ];
    let local = LayerHeads {
        queries: figure(other, &names, usual.queries)?,
        keys: figure(
            other,
            &[is_other("num_attention_groups", "swa_num_key_value_heads")],
            usual.keys,
        )?,
        key_width: figure(
            other,
            &[is_other("head_dim", "swa_head_dim")],
            usual.key_width,
        )?,
        value_width: figure(
            other,
            &[is_other("head_dim", "swa_v_head_dim")],
            usual.value_width,
        )?,
        shares_matrix: false,
    };
    Ok((global, local))
}

/// Corrects the parameters and caches of a model whose attention layers differ.
pub(super) fn differing_heads(
    config: &Fields,
    family: &Family,
    plan: &[LayerModules],
    shape: &mut Architecture,
) -> Result<()> {
    if shape.mla.is_some() {
        return Ok(());
    }
    let hidden = f64::from(shape.hidden);
    let (global, local) = heads(config, shape)?;
    // The last layers use the caches of previous layers.
    let sharing = number(config, &["num_kv_shared_layers"], MOST_LAYERS)?.unwrap_or(0);
    if sharing > 0 && sharing as usize >= plan.len() {
        let layers = plan.len();
        return Err(ConfigError::Contradiction(format!(
            "`num_kv_shared_layers` is {sharing}, but the model has {layers} layers"
        )));
    }
    let first_sharing = plan.len().saturating_sub(sharing as usize);
    let mut sums = AttentionSums::default();
    let mut sinks = 0.0;
    for (at, layer) in plan.iter().enumerate() {
        let Some(reach) = layer.attention else {
            continue;
        };
        let heads = match reach {
            Reach::Everything => global,
            Reach::Window => local,
        };
        let keeps = at < first_sharing;
        sums.parameters += heads.query_parameters(hidden);
        let norms = if keeps { 2.0 } else { 1.0 };
        if shape.qk_norm == Some(QkNorm::Head) {
            sums.parameters += norms * f64::from(heads.key_width);
        }
        if family.head_gates {
            sums.parameters += hidden * f64::from(heads.queries);
        }
        let cache = if keeps {
            sums.parameters += heads.key_parameters(hidden);
            heads.cache()
        } else {
            0.0
        };
        let sink = match reach {
            Reach::Everything => {
                sums.global += 1.0;
                sums.global_cache += cache;
                "add_full_attention_sink_bias"
            }
            Reach::Window => {
                sums.local += 1.0;
                sums.local_cache += cache;
                "add_swa_attention_sink_bias"
            }
        };
        if config.get(sink).and_then(Value::as_bool) == Some(true) {
            sinks += f64::from(heads.queries);
        }
    }
    let mut usual = shape.attention_parameters();
    if shape.qk_norm == Some(QkNorm::Head) {
        usual += 2.0 * f64::from(shape.head_dim);
    }
    let layers = sums.global + sums.local;
    shape.other_matrices = shape
        .other_matrices
        .saturating_add((sums.parameters - layers * usual) as i64);
    shape.extra_parameters = shape.extra_parameters.saturating_add(sinks as i64);
    set_caches(&sums, shape);
    let model_keys = shape.kv_heads;
    if let Some(window) = &mut shape.window {
        let differing = |heads: LayerHeads| Some(heads.keys).filter(|keys| *keys != model_keys);
        window.global_kv_heads = differing(global);
        window.kv_heads = differing(local);
    }
    Ok(())
}

/// Sets the cache width of a layer if it does not follow from the heads. If layers share caches, it is an average.
fn set_caches(sums: &AttentionSums, shape: &mut Architecture) {
    let average = |sum: f64, layers: f64| (layers > 0.0).then(|| (sum / layers).round() as u32);
    let global = average(sums.global_cache, sums.global);
    let local = average(sums.local_cache, sums.local);
    let Some(width) = local.filter(|_| shape.window.is_some()).or(global) else {
        return;
    };
    if width != shape.cache_width().round() as u32 {
        shape.cache_width = Some(width);
    }
    if let (Some(window), Some(global)) = (&mut shape.window, global.filter(|n| *n != width)) {
        window.global_cache_width = Some(global);
    }
}
