//! Weights and adapters of one device.

use super::super::architecture::Architecture;
use super::super::run::{Layout, Run};
use super::super::words::LoraTargets;

/// Bytes of stored weights on the device that holds most of them.
///
/// Tensor parallelism divides all matrices, pipeline parallelism the layers, and expert parallelism the experts.
/// Norms and routers are replicated on every rank.
pub fn weights(model: &Architecture, run: &Run, layout: &Layout) -> f64 {
    let tensor = f64::from(layout.tensor);
    let bytes = run.weights.bytes(model);
    let stage = stage_share(model, layout) * run.device_share(model);
    // The first stage has the embedding and the last stage the head; the larger one decides.
    let ends = if !run.has_ends(model) {
        0.0
    } else if layout.pipeline > 1 {
        bytes.embedding.max(bytes.head)
    } else {
        bytes.embedding + bytes.head
    };
    let spread = f64::from(layout.tensor.max(layout.expert));
    ends / tensor
        + stage
            * (bytes.dense / tensor
                + replicated_keys(model, run, layout)
                + bytes.experts / spread
                + bytes.small)
        + bytes.extra
}

/// The share of the layers on the fullest pipeline stage.
pub(super) fn stage_share(model: &Architecture, layout: &Layout) -> f64 {
    let layers = model.layers.max(1);
    f64::from(layers.div_ceil(layout.pipeline)) / f64::from(layers)
}

/// Bytes of key and value matrices that are copied: with more ranks than key heads, several ranks hold the same head.
fn replicated_keys(model: &Architecture, run: &Run, layout: &Layout) -> f64 {
    if model.mla.is_some() || layout.tensor <= model.kv_heads {
        return 0.0;
    }
    let layers = model.attention_layers.unwrap_or(model.layers);
    let one_head = 2.0 * f64::from(layers) * f64::from(model.hidden) * f64::from(model.head_dim);
    let even = one_head * f64::from(model.kv_heads) / f64::from(layout.tensor);
    (one_head - even) * run.weights.attention_bits / 8.0
}

/// The width of the MLPs that a token passes through in a layer, which decides the size of activations.
pub(super) fn active_ffn(model: &Architecture) -> f64 {
    let dense = f64::from(model.ffn);
    model.experts.map_or(dense, |experts| {
        let routed = f64::from(experts.active) * f64::from(experts.width);
        let has_dense = experts.dense_first > 0 || experts.every > 1;
        let width = routed + f64::from(experts.shared_width);
        if has_dense { width.max(dense) } else { width }
    })
}

/// Parameters of the adapters of a run: the rank times the sum of both widths of each adapted matrix (Hu et al.,
/// arXiv 2106.09685, section 4.1), and modules that are trained whole.
pub fn adapter_parameters(model: &Architecture, run: &Run) -> f64 {
    let hidden = f64::from(model.hidden);
    let (query, key) = (model.query_width(), model.key_width());
    // Input and output widths of each adapted matrix.
    let layer = match run.lora_targets {
        LoraTargets::Qv => (hidden + query) + (hidden + key),
        LoraTargets::Attention | LoraTargets::AllLinear => {
            2.0 * (hidden + query) + 2.0 * (hidden + key)
        }
    };
    let matrices = if model.gated { 3.0 } else { 2.0 };
    let mlp = match run.lora_targets {
        LoraTargets::AllLinear => {
            let one = |width: u32| matrices * (hidden + f64::from(width));
            let experts = model.experts.map_or(0.0, |experts| {
                let input = f64::from(model.expert_input());
                let routed = matrices * (input + f64::from(experts.width));
                f64::from(experts.count) * routed + one(experts.shared_width)
            });
            let expert_layers = f64::from(model.expert_layers());
            let dense = f64::from(model.mlp_layers.unwrap_or(model.layers)) - expert_layers;
            dense * one(model.ffn) + expert_layers * experts
        }
        LoraTargets::Qv | LoraTargets::Attention => 0.0,
    };
    // A module that is trained whole is a copy of the frozen one; a tied head is the same module as the embedding.
    let saved = [run.saved.embeddings, run.saved.head];
    let saved = saved.into_iter().filter(|is_saved| *is_saved).count();
    let whole = if model.tied { saved.min(1) } else { saved } as f64;
    run.lora_rank * (f64::from(model.layers) * layer + mlp)
        + whole * f64::from(model.vocab) * hidden
}
