//! Operations of attention.

use super::super::architecture::Architecture;

/// Operations of attention for one token per cache entry that it attends to.
fn entry_flops(model: &Architecture) -> f64 {
    // Scores are as wide as keys, and weighted sums as wide as values. The two widths differ in latent attention. With
    // an index, attention works on the selected entries in their latent form, without unpacking them.
    let width = model.mla.map_or(model.query_width(), |mla| {
        let widths = if model.sparse.is_some() {
            2 * mla.kv_rank + mla.rope_dim
        } else {
            mla.nope_dim + mla.rope_dim + mla.value_dim
        };
        f64::from(model.heads) * f64::from(widths) / 2.0
    });
    4.0 * width
}

/// Operations of attention for one token in a forward pass, with `before` tokens before it.
pub(super) fn attention_flops(model: &Architecture, before: f64) -> f64 {
    entry_flops(model) * model.attended_entries(before) + model.index_flops(before)
}

/// Operations of attention for one token to `entries` entries in each layer, ignoring windows.
pub(super) fn unwindowed_flops(model: &Architecture, entries: f64) -> f64 {
    let layers = model.attention_layers.unwrap_or(model.layers);
    entry_flops(model) * entries * f64::from(layers)
}
