//! Memory of one device, term by term.
//!
//! Weights and cache are counted from the shape of the model. A forward pass adds the larger of
//! the activations of one layer and of the logits, as in `docs/sizing.md`; their bytes for each
//! value are coefficients of the catalog.

use super::architecture::Architecture;
use super::calibration::Calibration;
use super::run::{Layout, Run};
use super::train_memory::training;
use super::words::{Attention, Engine, Logits, LoraTargets};

/// Bytes of a GiB.
pub const GIB: f64 = 1_073_741_824.0;

/// Bytes on the device that holds most. Terms that come and go are at their own peaks, which are
/// not at the same moment: `allocated` is less than their sum.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Memory {
    /// Weights as they are stored, or as they are trained.
    pub weights: f64,
    /// Weights of a model that training runs and does not train.
    pub frozen: f64,
    /// The cache of all sequences at their ends.
    pub kv_cache: f64,
    /// Activations of a forward pass, or those that training keeps for the backward pass.
    pub activations: f64,
    /// Logits of the positions that are computed.
    pub logits: f64,
    /// Gradients of trained parameters.
    pub gradients: f64,
    /// State of the optimizer, with its copy of the parameters.
    pub optimizer: f64,
    /// Adapters with their gradients and the state of their optimizer.
    pub adapters: f64,
    /// Workspaces, slack of the allocator, the driver's own.
    pub framework: f64,
    /// Everything that stays after a step.
    pub steady: f64,
    /// The peak that the allocator counts as in use.
    pub allocated: f64,
    /// The peak that the allocator holds.
    pub reserved: f64,
    /// The peak that the driver shows.
    pub device: f64,
    /// Bytes of the host's memory that offloaded state of this device takes; 0 where nothing is
    /// offloaded. A machine needs as much for each of its devices.
    pub host: f64,
}

impl Memory {
    /// What comes and goes in a step of inference.
    pub fn passing(&self) -> f64 {
        self.activations.max(self.logits)
    }
}

/// The memory of a run on the device that holds most, in bytes.
///
/// The run has to pass [`Run::check`]: what that refuses is not counted here.
pub fn memory(model: &Architecture, run: &Run, layout: &Layout, known: &Calibration) -> Memory {
    if run.workload.is_training() {
        training(model, run, layout, known)
    } else {
        inference(model, run, layout, known)
    }
}

/// Bytes of weights, as they are stored, on the device that holds most of them.
///
/// Tensor parallelism divides all matrices, pipeline parallelism the layers, expert parallelism
/// the experts; norms and routers are on every rank.
pub fn weights(model: &Architecture, run: &Run, layout: &Layout) -> f64 {
    let tensor = f64::from(layout.tensor);
    let bytes = run.weights.bytes(model);
    let stage = stage_share(model, layout) * run.device_share(model);
    // The first stage has the embedding, the last one the head.
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

/// A key head cannot be cut: with more ranks than heads there are copies.
fn replicated_keys(model: &Architecture, run: &Run, layout: &Layout) -> f64 {
    if model.mla.is_some() || layout.tensor <= model.kv_heads {
        return 0.0;
    }
    let layers = model.attention_layers.unwrap_or(model.layers);
    let one_head = 2.0 * f64::from(layers) * f64::from(model.hidden) * f64::from(model.head_dim);
    let even = one_head * f64::from(model.kv_heads) / f64::from(layout.tensor);
    (one_head - even) * run.weights.attention_bits / 8.0
}

/// Bytes that one token adds to the cache, over all devices, while no window is full.
pub fn cache_bytes_per_token(model: &Architecture, run: &Run) -> f64 {
    (model.cache_values(1.0) - model.state_values as f64) * run.cache.bytes()
        + model.index_bytes(1.0)
}

/// The share of a cache that one device holds, between 0 and 1.
///
/// Key heads are cut by tensor parallelism as far as there are any; a latent cache is on every
/// rank.
pub fn cache_share(model: &Architecture, layout: &Layout) -> f64 {
    let heads = if model.mla.is_some() {
        1
    } else {
        layout.tensor.min(model.kv_heads.max(1))
    };
    stage_share(model, layout) / f64::from(heads) / f64::from(layout.context)
}

/// Bytes of the cache of sequences with so many tokens each.
fn cache(
    model: &Architecture,
    run: &Run,
    layout: &Layout,
    known: &Calibration,
    tokens: f64,
) -> f64 {
    // Serving engines hand out whole blocks.
    let tokens = if run.engine.serves() && known.cache_block > 0.0 {
        (tokens / known.cache_block).ceil() * known.cache_block
    } else {
        tokens
    };
    let kept = |model: &Architecture| model.kept_bytes(tokens, run.cache.bytes());
    let ended = kept(model);
    let whole = Architecture {
        window: None,
        ..*model
    };
    let beyond = match (model.window, model.compressed) {
        (Some(_), None) => (kept(&whole) - ended).max(0.0),
        _ => 0.0,
    };
    let kept = ended + (known.window_cache_factor - 1.0).max(0.0) * beyond;
    // The index has one key head, which is on every rank.
    let index = model.index_bytes(tokens) * stage_share(model, layout) / f64::from(layout.context);
    run.batch * (kept * cache_share(model, layout) + index) * run.device_share(model)
}

/// The width of the MLPs that a token goes through in a layer.
pub(super) fn active_ffn(model: &Architecture) -> f64 {
    let dense = f64::from(model.ffn);
    model.experts.map_or(dense, |experts| {
        let routed = f64::from(experts.active) * f64::from(experts.width);
        let has_dense = experts.dense_first > 0 || experts.every > 1;
        let width = routed + f64::from(experts.shared_width);
        if has_dense { width.max(dense) } else { width }
    })
}

/// Tokens that an engine computes at once.
fn forward_tokens(run: &Run, known: &Calibration) -> f64 {
    match run.engine {
        Engine::LlamaCpp => run.tokens().min(known.llama_cpp_batch),
        engine if engine.serves() => run.max_batched_tokens,
        _ => run.tokens(),
    }
}

/// Bytes of communication buffers.
pub(super) fn communication(layout: &Layout, known: &Calibration) -> f64 {
    if layout.devices() > 1 {
        known.communication_gib * GIB
    } else {
        0.0
    }
}

fn inference(model: &Architecture, run: &Run, layout: &Layout, known: &Calibration) -> Memory {
    let tensor = f64::from(layout.tensor);
    let vocabulary = f64::from(model.vocab);
    let tokens = forward_tokens(run, known) / f64::from(layout.context);
    let mut weights = weights(model, run, layout);
    let every_logit = matches!(run.logits, Logits::All | Logits::Chunked);
    if every_logit && model.tied && run.engine == Engine::Transformers && !run.weights.unties {
        // Versions that compute all logits load a tied head a second time.
        weights += vocabulary * f64::from(model.hidden) * run.weights.head_bits / 8.0 / tensor;
    }
    let mut activations = tokens
        * (known.prefill_hidden_bytes * f64::from(model.hidden)
            + known.prefill_ffn_bytes * active_ffn(model) / tensor);
    if run.attention == Attention::Eager && model.attention_layers != Some(0) {
        let pairs = run.batch * run.context * run.context * f64::from(model.heads) / tensor;
        let scores = pairs * known.eager_score_bytes;
        activations =
            activations.max(scores + tokens * known.prefill_hidden_bytes * f64::from(model.hidden));
    }
    let serves = run.engine.serves();
    let logits = if run.logits == Logits::None {
        0.0
    } else if every_logit {
        let scores = run.generate < 1.0;
        let bytes = if scores {
            known.scored_logit_bytes
        } else {
            known.logit_bytes
        };
        tokens * vocabulary * bytes
    } else if serves {
        known.profiled_sequences.max(run.batch) * vocabulary * known.sampler_logit_bytes
    } else {
        run.batch * vocabulary * known.logit_bytes
    };
    let kv_cache = cache(model, run, layout, known, run.sequence());
    let passing = activations.max(logits);
    // A cache that grows is small while the prompt is computed.
    let grows = matches!(run.engine, Engine::None | Engine::Transformers);
    let peak = if grows {
        (cache(model, run, layout, known, run.context) + passing).max(kv_cache)
    } else {
        kv_cache + passing
    };
    let workspace = known.workspace_gib * GIB;
    let allocated = weights + peak + workspace;
    // Serving engines try out the most that they compute: there are no gaps to come.
    let (slack, context) = if serves {
        (0.0, known.serving_context_gib)
    } else {
        (passing * (known.slack_inference - 1.0), known.context_gib)
    };
    let reserved = allocated + slack;
    let device = reserved + context * GIB + communication(layout, known);
    let host = if run.gpu_layers.is_some() {
        host_part(model, run, layout, known)
    } else {
        0.0
    };
    Memory {
        host,
        weights,
        kv_cache,
        activations,
        logits,
        framework: device - allocated + workspace,
        steady: weights + kv_cache + known.steady_workspace_gib * GIB,
        allocated,
        reserved,
        device,
        ..Memory::default()
    }
}

/// Bytes of the layers that stay on the host and of their cache, for each device.
fn host_part(model: &Architecture, run: &Run, layout: &Layout, known: &Calibration) -> f64 {
    let whole = Run {
        gpu_layers: None,
        ..*run
    };
    let tokens = run.sequence();
    let all = weights(model, &whole, layout) + cache(model, &whole, layout, known, tokens);
    let on_device = weights(model, run, layout) + cache(model, run, layout, known, tokens);
    (all - on_device).max(0.0)
}

/// Parameters of the adapters on the matrices that a run names: for each, its rank times the sum
/// of both widths of the matrix (Hu et al., arXiv 2106.09685, section 4.1).
pub fn adapter_parameters(model: &Architecture, run: &Run) -> f64 {
    let hidden = f64::from(model.hidden);
    let (query, key) = (model.query_width(), model.key_width());
    // In and out of each matrix that has them.
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
    // A module that is trained whole stands beside the frozen one.
    let saved = [run.saved.embeddings, run.saved.head];
    let saved = saved.into_iter().filter(|is_saved| *is_saved).count();
    let whole = if model.tied { saved.min(1) } else { saved } as f64;
    run.lora_rank * (f64::from(model.layers) * layer + mlp)
        + whole * f64::from(model.vocab) * hidden
}

#[cfg(test)]
mod tests {
    use super::super::architecture::Window;
    use super::super::format::WeightFormat;
    use super::super::testing::llama_3_8b;
    use super::super::words::Workload;
    use super::*;

    #[test]
    fn an_engine_may_keep_what_windows_have_passed() {
        let whole = llama_3_8b();
        let windowed = Architecture {
            window: Some(Window {
                tokens: 128,
                global_layers: 8,
                global_cache_width: None,
            }),
            ..whole
        };
        let run = Run::new(Workload::Inference, WeightFormat::plain(16.0));
        let kept = |model: &Architecture, window_cache_factor: f64| {
            let known = Calibration {
                window_cache_factor,
                ..Calibration::default()
            };
            cache(model, &run, &Layout::default(), &known, 8192.0)
        };
        let all = kept(&whole, 1.0);
        let share = (8.0 + 24.0 * 128.0 / 8192.0) / 32.0;
        assert!((kept(&windowed, 1.0) / all - share).abs() < 1e-9);
        assert!((kept(&windowed, 2.0) / all - 1.0).abs() < 1e-9);
    }
}
