//! Memory of one device, term by term.

use super::architecture::Architecture;
use super::calibration::Calibration;
use super::run::{Layout, Run};
use super::words::{
    Attention, Checkpointing, Engine, Float, Logits, LoraTargets, Offload, Optimizer, Workload,
};

pub const GIB: f64 = 1_073_741_824.0;

/// Bytes on the device that holds most. What comes and goes is at its own peak, and not all of it
/// is there at once: `allocated` is less than the sum.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Memory {
    pub weights: f64,
    pub kv_cache: f64,
    pub activations: f64,
    pub logits: f64,
    pub gradients: f64,
    pub optimizer: f64,
    pub adapters: f64,
    /// What nobody asked for: workspaces, slack of the allocator, the driver's own.
    pub framework: f64,
    /// What stays after a step.
    pub steady: f64,
    /// At the peak, as the allocator counts what is in use.
    pub allocated: f64,
    /// As it counts what it holds.
    pub reserved: f64,
    /// As the driver counts.
    pub device: f64,
}

/// The memory of a run.
pub fn memory(model: &Architecture, run: &Run, layout: &Layout, known: &Calibration) -> Memory {
    if run.workload.is_training() {
        training(model, run, layout, known)
    } else {
        inference(model, run, layout, known)
    }
}

/// Bytes of weights on the device that holds most of them.
pub fn weights(model: &Architecture, run: &Run, layout: &Layout) -> f64 {
    let tensor = f64::from(layout.tensor);
    let bytes = run.weights.bytes(model);
    let stage = stage_share(model, layout);
    // The first stage has the embedding, the last one the head.
    let ends = if layout.pipeline > 1 {
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
fn stage_share(model: &Architecture, layout: &Layout) -> f64 {
    let layers = model.layers.max(1);
    f64::from(layers.div_ceil(layout.pipeline)) / f64::from(layers)
}

/// A key head cannot be cut: with more ranks than heads there are copies.
fn replicated_keys(model: &Architecture, run: &Run, layout: &Layout) -> f64 {
    if model.mla.is_some() || layout.tensor <= model.kv_heads {
        return 0.0;
    }
    let own = 2.0 * f64::from(model.layers * model.hidden) * f64::from(model.head_dim);
    let even = own * f64::from(model.kv_heads) / f64::from(layout.tensor);
    (own - even) * run.weights.attention_bits / 8.0
}

/// Bytes that one token adds to the cache, over all devices, while no window is full.
pub fn cache_bytes_per_token(model: &Architecture, run: &Run) -> f64 {
    (model.cache_values(1.0) - model.state_values as f64) * run.cache.bytes()
}

/// The share of a cache that one device holds.
pub fn cache_share(model: &Architecture, layout: &Layout) -> f64 {
    let heads = if model.mla.is_some() {
        1
    } else {
        layout.tensor.min(model.kv_heads.max(1))
    };
    stage_share(model, layout) / f64::from(heads) / f64::from(layout.context)
}

/// Bytes of the cache of sequences with so many tokens each.
fn cache(model: &Architecture, run: &Run, layout: &Layout, tokens: f64) -> f64 {
    // Serving engines hand out blocks of 16 tokens.
    let tokens = match run.engine {
        Engine::Vllm | Engine::Sglang | Engine::TensorRtLlm => (tokens / 16.0).ceil() * 16.0,
        Engine::None | Engine::Transformers | Engine::LlamaCpp => tokens,
    };
    run.batch * model.cache_values(tokens) * run.cache.bytes() * cache_share(model, layout)
}

/// The width of the MLPs that a token goes through in a layer.
fn active_ffn(model: &Architecture) -> f64 {
    let dense = f64::from(model.ffn);
    model.experts.map_or(dense, |experts| {
        f64::from(experts.active * experts.width + experts.shared_width).max(
            if experts.dense_first > 0 || experts.every > 1 {
                dense
            } else {
                0.0
            },
        )
    })
}

/// Tokens that an engine computes at once.
fn forward_tokens(run: &Run, known: &Calibration) -> f64 {
    match run.engine {
        Engine::None | Engine::Transformers => run.tokens(),
        Engine::LlamaCpp => run.tokens().min(known.llama_cpp_batch),
        Engine::Vllm | Engine::Sglang | Engine::TensorRtLlm => run.max_batched_tokens,
    }
}

fn communication(layout: &Layout, known: &Calibration) -> f64 {
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
    let all_logits = run.logits != Logits::Last;
    if all_logits && model.tied && run.engine == Engine::Transformers && !run.weights.unties {
        // Versions that compute all logits load a tied head a second time.
        weights += vocabulary * f64::from(model.hidden) * run.weights.head_bits / 8.0 / tensor;
    }
    let mut activations = tokens
        * (known.prefill_hidden_bytes * f64::from(model.hidden)
            + known.prefill_ffn_bytes * active_ffn(model) / tensor);
    if run.attention == Attention::Eager {
        let pairs = run.batch * run.context * run.context * f64::from(model.heads) / tensor;
        let scores = pairs * known.eager_score_bytes;
        activations =
            activations.max(scores + tokens * known.prefill_hidden_bytes * f64::from(model.hidden));
    }
    let serves = matches!(
        run.engine,
        Engine::Vllm | Engine::Sglang | Engine::TensorRtLlm
    );
    let logits = if all_logits {
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
    let kv_cache = cache(model, run, layout, run.sequence());
    let passing = activations.max(logits);
    // A cache that grows is small while the prompt is computed.
    let grows = matches!(run.engine, Engine::None | Engine::Transformers);
    let peak = if grows {
        (cache(model, run, layout, run.context) + passing).max(kv_cache)
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
    Memory {
        weights,
        kv_cache,
        activations,
        logits,
        framework: device - allocated + workspace,
        steady: weights + kv_cache + workspace / 2.0,
        allocated,
        reserved,
        device,
        ..Memory::default()
    }
}

/// Parameters of the adapters.
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
            let experts = model.experts.map_or(0.0, |own| {
                f64::from(own.count) * one(own.width) + one(own.shared_width)
            });
            let expert_layers = f64::from(model.expert_layers());
            let dense = f64::from(model.layers) - expert_layers;
            dense * one(model.ffn) + expert_layers * experts
        }
        LoraTargets::Qv | LoraTargets::Attention => 0.0,
    };
    run.lora_rank * (f64::from(model.layers) * layer + mlp)
}

/// Bytes that a layer keeps for the backward pass, for one token.
fn kept_by_layer(model: &Architecture, run: &Run, known: &Calibration) -> f64 {
    let hidden = f64::from(model.hidden);
    let ffn = active_ffn(model);
    let attention = model.query_width() + model.key_width();
    let full_precision = run.weights.bits >= 32.0;
    let norms = if model.biases.norm {
        known.train_hidden_fused_bytes
    } else {
        known.train_hidden_bytes
    };
    let mut hidden_bytes = norms * hidden;
    let mut ffn_bytes = if model.gated {
        known.train_gated_ffn_bytes
    } else {
        known.train_plain_ffn_bytes
    } * ffn;
    if run.workload.has_adapters() {
        // Frozen norms need no input for their own gradient, frozen matrices none for theirs.
        hidden_bytes -= 4.0 * hidden;
        if run.lora_targets != LoraTargets::AllLinear {
            hidden_bytes -= 2.0 * hidden;
            ffn_bytes -= 2.0 * ffn;
        }
        // Their input is dropped out, and kept once more.
        hidden_bytes += known.adapter_dropout_bytes * hidden;
    }
    let mut bytes = hidden_bytes + known.train_attention_bytes * attention + ffn_bytes;
    if model.qk_norm.is_some() {
        bytes += 8.0 * attention;
    }
    if run.attention == Attention::Eager {
        let scores = run.context * f64::from(model.heads);
        bytes += scores * known.eager_score_bytes / 2.0;
    }
    if full_precision {
        bytes *= known.fp32_activation_factor;
    }
    if run.compile {
        bytes *= known.compiled_activation_factor;
    } else if run.weights.is_quantized() && run.workload.has_adapters() {
        bytes *= known.quantized_activation_factor;
    }
    bytes
}

/// Bytes of state that the optimizer keeps for one parameter.
fn state_bytes(run: &Run, layout: &Layout) -> f64 {
    let wide = run.has_master_weights(layout) || run.parameters == Float::Fp32;
    let one = if wide { 4.0 } else { 2.0 };
    match run.optimizer {
        Optimizer::AdamW => 2.0 * one,
        Optimizer::AdamW8Bit => 2.03,
        Optimizer::Adafactor => 0.02,
        Optimizer::Muon => one,
        Optimizer::Sgd => 0.0,
    }
}

fn training(model: &Architecture, run: &Run, layout: &Layout, known: &Calibration) -> Memory {
    let tensor = f64::from(layout.tensor);
    let stored = weights(model, run, layout);
    // Parameters of this device's share of the model.
    let share = model.parameters().total() / run.weights.bytes(model).total() * stored;
    let shards = layout.sharding().max(1.0);
    let over = |stage: u8| {
        if layout.zero_stage >= stage {
            shards
        } else {
            1.0
        }
    };
    let adapters_only = run.workload.has_adapters();
    let trained = if adapters_only {
        adapter_parameters(model, run) / tensor * stage_share(model, layout)
    } else {
        share
    };
    let full_weights = if adapters_only {
        stored
    } else {
        share * run.parameters.bytes()
    };
    let off_optimizer = run.offload != Offload::None;
    let weights = if run.offload == Offload::All {
        0.0
    } else {
        full_weights / over(3)
    };
    let gradient = trained * run.gradients.bytes();
    let unit = largest_unit(model, layout);
    let (adapters, gradients, optimizer) = if adapters_only {
        // Adapters are kept, and trained, in 32 bits.
        let own = trained * (8.0 + 2.0 * state_bytes(run, layout).min(4.0));
        (own / over(3), 0.0, 0.0)
    } else {
        let master = if run.has_master_weights(layout) {
            4.0
        } else {
            0.0
        };
        let optimizer = if off_optimizer {
            0.0
        } else {
            trained * (state_bytes(run, layout) + master) / over(1)
        };
        let gradients = if run.optimizer_in_backward {
            unit * run.gradients.bytes()
        } else {
            gradient
        };
        (0.0, gradients / over(2), optimizer)
    };
    let tokens = run.tokens() / f64::from(layout.context) / tensor;
    let layer = tokens * kept_by_layer(model, run, known);
    // The first pipeline stage has as many micro-batches in flight as there are stages.
    let layers = f64::from(model.layers);
    let hidden = f64::from(model.hidden);
    let input = tokens * 2.0 * hidden * if run.weights.bits >= 32.0 { 2.0 } else { 1.0 };
    let activations = match run.checkpointing {
        Checkpointing::None => layers * layer,
        Checkpointing::Selective => layers * (layer * known.selective_share).max(input),
        Checkpointing::Full => layers * input + layer,
    };
    let per_logit = match run.logits {
        Logits::Last | Logits::All => known.train_logit_bytes,
        Logits::Chunked => known.train_chunked_logit_bytes,
    };
    let logits = tokens * f64::from(model.vocab) * per_logit;
    let gathered = if layout.zero_stage >= 3 && shards > 1.0 {
        let bytes = if adapters_only {
            run.weights.bits / 8.0
        } else {
            known.gathered_bytes
        };
        unit * bytes
    } else {
        0.0
    };
    let kept = weights + adapters + optimizer;
    // The backward pass begins with all activations and no gradients, and ends the other way
    // round; then the optimizer works on one tensor after the other.
    let begins = activations + logits + gathered;
    let ends = gradients + gathered + layer.min(activations);
    let largest = f64::from(model.vocab) * hidden / tensor;
    let steps = gradients + 2.0 * largest.min(trained) * run.parameters.bytes();
    let steps = if adapters_only { 0.0 } else { steps };
    let passing = begins.max(ends).max(steps);
    let workspace = known.workspace_gib * GIB;
    let allocated = kept + passing + workspace;
    let is_varied = run.workload != Workload::Pretrain && layout.zero_stage == 0;
    let slack = if is_varied {
        known.slack_varied
    } else {
        known.slack_equal
    };
    // What comes and goes in changing sizes leaves gaps, and an optimizer that takes all tensors
    // at once makes a copy of them.
    let gaps = if is_varied {
        known.slack_gib * GIB
    } else {
        0.0
    };
    let copies = if adapters_only || run.optimizer_in_backward {
        0.0
    } else {
        gradients + trained * run.parameters.bytes() / over(1)
    };
    let reserved = (kept + workspace + (begins * slack + gaps).max(copies)).max(allocated);
    let device = reserved + known.context_gib * GIB + communication(layout, known);
    Memory {
        weights,
        kv_cache: 0.0,
        activations,
        logits,
        gradients,
        optimizer,
        adapters,
        framework: device - allocated + workspace,
        steady: kept,
        allocated,
        reserved,
        device,
    }
}

/// Parameters that are whole on a device while they are used: the embedding or the head, and two
/// layers.
fn largest_unit(model: &Architecture, layout: &Layout) -> f64 {
    let all = model.parameters();
    let layer = all.layers() / f64::from(model.layers.max(1));
    (all.embedding + 2.0 * layer) / f64::from(layout.tensor)
}
