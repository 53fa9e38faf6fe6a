//! Sparse attention, whose entries an index selects, and compressed caches, whose entries represent several tokens.

use serde_json::Value;
use sky_accel_core::sizing::{Architecture, Compressed, Sparse, Window};

use super::plan::for_each_layer;
use crate::fields::{
    Fields, MOST_WIDE, Result, list, needed, number, object, out_of_bounds, product,
};

/// The maximum number of tokens per entry from which an index selects. Entries of more tokens are so few that
/// attention uses all of them.
const MOST_SELECTED: u32 = 16;

/// Adds the index of sparse attention, and compressed caches.
pub(super) fn selection(config: &Fields, shape: &mut Architecture) -> Result<()> {
    if let Some(ratios) = ratios(config, shape.layers)? {
        return compressed(config, &ratios, shape);
    }
    if let Some(fields) = object(config, "sparse_attention_config") {
        return blocks(fields, shape);
    }
    if number(config, &["index_topk_blocks"], MOST_WIDE)?.is_some() {
        return blocks(config, shape);
    }
    let Some(top_k) = number(config, &["index_topk"], MOST_WIDE)?.filter(|n| *n > 0) else {
        return Ok(());
    };
    let index_heads = needed(config, &["index_n_heads"], MOST_WIDE)?;
    let index_width = needed(config, &["index_head_dim"], MOST_WIDE)?;
    let index_layers = match list(config, "indexer_types") {
        Some(kinds) => {
            let kinds = for_each_layer(kinds, "indexer_types", shape.layers)?.iter();
            kinds.filter(|kind| kind.as_str() != Some("shared")).count() as u32
        }
        None => shape.layers,
    };
    let hidden = f64::from(shape.hidden);
    let q_rank = shape.mla.map_or(0.0, |mla| f64::from(mla.q_rank));
    let queries = if q_rank > 0.0 { q_rank } else { hidden };
    let key = f64::from(index_width);
    // The norm of keys has weights and a bias.
    let index = queries * product(index_heads, index_width)
        + hidden * (key + f64::from(index_heads))
        + 2.0 * key;
    add(shape, f64::from(index_layers) * index);
    shape.sparse = Some(Sparse {
        top_k,
        layers: shape.layers,
        index_layers,
        index_heads,
        index_width,
    });
    Ok(())
}

fn add(shape: &mut Architecture, parameters: f64) {
    shape.other_matrices = shape.other_matrices.saturating_add(parameters as i64);
}

/// Adds the index of block-sparse attention (MiniMax-M3).
fn blocks(fields: &Fields, shape: &mut Architecture) -> Result<()> {
    if fields.get("use_sparse_attention").and_then(Value::as_bool) == Some(false) {
        return Ok(());
    }
    let figure = |name, other| needed(fields, &[name, other], MOST_WIDE);
    let blocks = figure("sparse_topk_blocks", "index_topk_blocks")?;
    let size = figure("sparse_block_size", "index_block_size")?;
    let index_heads = figure("sparse_num_index_heads", "index_n_heads")?;
    let index_width = figure("sparse_index_dim", "index_head_dim")?;
    let is_sparse = |kind: &Value| {
        kind.as_u64() == Some(1) || kind.as_str().is_some_and(|word| word.ends_with("sparse"))
    };
    let listed = ["sparse_attention_freq", "layer_types"];
    let listed = listed
        .into_iter()
        .find_map(|name| Some((name, list(fields, name)?)));
    let layers = match listed {
        Some((name, kinds)) => {
            let kinds = for_each_layer(kinds, name, shape.layers)?.iter();
            kinds.filter(|kind| is_sparse(kind)).count() as u32
        }
        None => shape.layers,
    };
    let key = f64::from(index_width);
    let index = f64::from(shape.hidden) * (product(index_heads, index_width) + key) + 2.0 * key;
    add(shape, f64::from(layers) * index);
    shape.sparse = Some(Sparse {
        top_k: blocks.saturating_mul(size).min(MOST_WIDE as u32),
        layers,
        index_layers: layers,
        index_heads,
        index_width,
    });
    Ok(())
}

/// Reads the tokens per entry of each layer, 0 for a layer with only a window; `None` if caches are not compressed.
fn ratios(config: &Fields, layers: u32) -> Result<Option<Vec<u32>>> {
    const FIELD: &str = "compress_ratios";
    if let Some(ratios) = list(config, FIELD) {
        let ratios = for_each_layer(ratios, FIELD, layers)?.iter();
        return ratios
            .map(|ratio| bounded(ratio, FIELD))
            .collect::<Result<_>>()
            .map(Some);
    }
    let (Some(rates), Some(kinds)) = (
        object(config, "compress_rates"),
        list(config, "layer_types"),
    ) else {
        return Ok(None);
    };
    let kinds = for_each_layer(kinds, "layer_types", layers)?.iter();
    let ratio = |kind: &Value| {
        let rate = kind.as_str().and_then(|kind| rates.get(kind));
        rate.map_or(Ok(0), |rate| bounded(rate, "compress_rates"))
    };
    kinds.map(ratio).collect::<Result<_>>().map(Some)
}

fn bounded(value: &Value, field: &str) -> Result<u32> {
    let ratio = value.as_u64().filter(|ratio| *ratio <= MOST_WIDE);
    ratio
        .map(|ratio| ratio as u32)
        .ok_or_else(|| out_of_bounds(field, value, MOST_WIDE))
}

/// Adds the compressed caches of DeepSeek-V4: one key head that is also the value, low-rank queries and outputs, and
/// entries of several tokens.
fn compressed(config: &Fields, ratios: &[u32], shape: &mut Architecture) -> Result<()> {
    let mut found = Compressed {
        sparse_layers: 0,
        sparse_ratio: 1,
        heavy_layers: 0,
        heavy_ratio: 1,
    };
    for &ratio in ratios {
        let (layers, of_kind) = match ratio {
            0 => continue,
            ratio if ratio <= MOST_SELECTED => (&mut found.sparse_layers, &mut found.sparse_ratio),
            _ => (&mut found.heavy_layers, &mut found.heavy_ratio),
        };
        *layers += 1;
        *of_kind = ratio;
    }
    let q_rank = f64::from(needed(config, &["q_lora_rank"], MOST_WIDE)?);
    let out_rank = f64::from(needed(config, &["o_lora_rank"], MOST_WIDE)?);
    let groups = f64::from(needed(config, &["o_groups"], MOST_WIDE)?);
    let index_heads = needed(config, &["index_n_heads"], MOST_WIDE)?;
    let index_width = needed(config, &["index_head_dim"], MOST_WIDE)?;
    let (hidden, layers) = (f64::from(shape.hidden), f64::from(shape.layers));
    let (heads, head) = (f64::from(shape.heads), f64::from(shape.head_dim));
    let attention = hidden * q_rank
        + q_rank * heads * head
        + hidden * head
        + heads * head * out_rank
        + groups * out_rank * hidden;
    // Norms of compressed queries and of keys, and sinks.
    let small = q_rank + head + heads;
    // Entries from which the index selects overlap, so their compressors are twice as wide.
    let compressor = |width: f64, ratio: u32| width * (2.0 * hidden + f64::from(ratio));
    let key = f64::from(index_width);
    let index = compressor(2.0 * key, found.sparse_ratio)
        + key
        + q_rank * product(index_heads, index_width)
        + hidden * f64::from(index_heads);
    let sparse = compressor(2.0 * head, found.sparse_ratio) + head + index;
    let heavy = compressor(head, found.heavy_ratio) + head;
    let total = layers * (attention + small)
        + f64::from(found.sparse_layers) * sparse
        + f64::from(found.heavy_layers) * heavy;
    add(shape, total - layers * shape.attention_parameters());
    shape.cache_width = Some(shape.head_dim);
    shape.window = Some(Window {
        tokens: needed(config, &["sliding_window"], crate::fields::MOST)?,
        global_layers: 0,
        global_cache_width: None,
        global_kv_heads: None,
        kv_heads: None,
    });
    shape.sparse = Some(Sparse {
        top_k: needed(config, &["index_topk"], MOST_WIDE)?,
        layers: found.sparse_layers,
        index_layers: found.sparse_layers,
        index_heads,
        index_width,
    });
    shape.compressed = Some(found);
    Ok(())
}
