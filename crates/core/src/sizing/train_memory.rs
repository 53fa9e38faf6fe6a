//! Memory of one device in training.
//!
//! State: bytes for each trained parameter, shared out by ZeRO (Rajbhandari et al., arXiv
//! 1910.02054, section 5). Activations: what autograd keeps of each layer, which full
//! checkpointing reduces to the inputs of the layers (Korthikanti et al., arXiv 2205.05198,
//! section 4), with coefficients for gated blocks in place of that paper's.

use super::architecture::Architecture;
use super::calibration::Calibration;
use super::format::WeightFormat;
use super::memory::{
    GIB, Memory, active_ffn, adapter_parameters, communication, stage_share, weights,
};
use super::offload::host_state;
use super::run::{Layout, Run};
use super::words::{
    Attention, Checkpointing, Float, Logits, LoraTargets, Offload, Optimizer, Workload,
};

/// Bytes of an adapter's weight and gradient, both in 32 bits.
const ADAPTER_BYTES: f64 = 8.0;
/// Bytes of a teacher's logit, in 32 bits.
const TAUGHT_LOGIT_BYTES: f64 = 4.0;

/// The parameters of one device, before ZeRO shards them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Trained {
    /// Parameters that are trained.
    pub parameters: f64,
    /// Bytes of all weights, trained or not, as they are in training.
    pub weight_bytes: f64,
    /// Parameters that are whole while they are used: the embedding or the head, and two layers.
    pub largest_unit: f64,
    /// The share of the trained parameters that is in experts, between 0 and 1.
    experts: f64,
}

impl Trained {
    pub fn of(model: &Architecture, run: &Run, layout: &Layout) -> Self {
        // Formats differ by module: what is trained is counted in one byte each.
        let counting = Run {
            weights: WeightFormat::plain(8.0),
            ..*run
        };
        let share = weights(model, &counting, layout);
        let counted = model.parameters();
        let tensor = f64::from(layout.tensor);
        let spread = f64::from(layout.tensor.max(layout.expert));
        let layers = (counted.layers() - counted.experts) / tensor + counted.experts / spread;
        let layer = layers / f64::from(model.layers.max(1));
        let largest_unit = counted.embedding / tensor + 2.0 * layer;
        let (parameters, weight_bytes) = if run.adapters {
            let adapters = adapter_parameters(model, run);
            let stored = weights(model, run, layout);
            (adapters / tensor * stage_share(model, layout), stored)
        } else {
            (share, share * run.parameters.bytes())
        };
        let experts = counted.experts / spread * stage_share(model, layout);
        let experts = if run.adapters {
            0.0
        } else {
            (experts / share).min(1.0)
        };
        Self {
            parameters,
            weight_bytes,
            largest_unit,
            experts,
        }
    }

    /// Ranks that share out the state of a ZeRO stage. Ranks that share the experts have each a part of
    /// them already, so that fewer ranks are left to share out its state.
    pub fn shards(&self, layout: &Layout, stage: u8) -> f64 {
        let dense = layout.shards(stage);
        let parts = f64::from(layout.expert) / f64::from(layout.tensor);
        let of_experts = (dense / parts.max(1.0)).max(1.0);
        1.0 / ((1.0 - self.experts) / dense + self.experts / of_experts)
    }
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
    if run.adapters {
        // Frozen norms need no input for their own gradient, frozen matrices none for theirs.
        hidden_bytes -= known.frozen_norm_bytes * hidden;
        if run.lora_targets != LoraTargets::AllLinear {
            hidden_bytes -= known.frozen_matrix_bytes * hidden;
            ffn_bytes -= known.frozen_matrix_bytes * ffn;
        }
        // Their input is dropped out, and kept once more.
        hidden_bytes += known.adapter_dropout_bytes * hidden;
    }
    let mut bytes = hidden_bytes + known.train_attention_bytes * attention + ffn_bytes;
    if model.qk_norm.is_some() {
        bytes += known.qk_norm_bytes * attention;
    }
    if run.attention == Attention::Eager {
        let scores = run.sequence() * f64::from(model.heads);
        bytes += scores * known.eager_score_bytes * known.eager_kept_share;
    }
    if full_precision {
        bytes *= known.fp32_activation_factor;
    }
    if run.compile {
        bytes *= known.compiled_activation_factor;
    } else if run.weights.is_quantized() && run.adapters {
        bytes *= known.quantized_activation_factor;
    }
    bytes
}

/// Bytes of state that the optimizer keeps for one parameter.
pub(super) fn state_bytes(run: &Run, layout: &Layout, known: &Calibration) -> f64 {
    let wide = run.has_master_weights(layout) || run.parameters == Float::Fp32;
    let moment = if wide { 4.0 } else { 2.0 };
    match run.optimizer {
        Optimizer::AdamW => 2.0 * moment,
        Optimizer::AdamW8Bit => known.adamw_8bit_bytes,
        Optimizer::Adafactor => known.adafactor_bytes,
        Optimizer::Muon => moment,
        Optimizer::Sgd => 0.0,
    }
}

/// Bytes of state that the optimizer keeps for one parameter of an adapter.
pub(super) fn adapter_state_bytes(run: &Run, layout: &Layout, known: &Calibration) -> f64 {
    // Adapters are trained in 32 bits, whatever the weights have.
    2.0 * state_bytes(run, layout, known).min(4.0)
}

/// Bytes of the weights of a model that is run and not trained, sharded as the trained ones are.
pub(super) fn frozen_weights(run: &Run, layout: &Layout) -> f64 {
    let Some(frozen) = run.frozen.filter(|frozen| !frozen.is_base) else {
        return 0.0;
    };
    let run = Run {
        weights: frozen.weights,
        ..*run
    };
    weights(&frozen.shape, &run, layout) / layout.shards(3)
}

/// Bytes of the model's state, sharded and with offloaded parts left out.
struct State {
    weights: f64,
    gradients: f64,
    optimizer: f64,
    adapters: f64,
}

impl State {
    fn of(trained: &Trained, run: &Run, layout: &Layout, known: &Calibration) -> Self {
        let models = run.workload.trained_models();
        let weights = if run.offload == Offload::All {
            0.0
        } else {
            models * trained.weight_bytes / trained.shards(layout, 3)
        };
        let on_device = run.offload == Offload::None;
        if run.adapters {
            let state = if on_device {
                adapter_state_bytes(run, layout, known)
            } else {
                0.0
            };
            let each = trained.parameters * (ADAPTER_BYTES + state);
            let adapters = models * each / trained.shards(layout, 3);
            return Self {
                weights,
                gradients: 0.0,
                optimizer: 0.0,
                adapters,
            };
        }
        let master = if run.has_master_weights(layout) {
            4.0
        } else {
            0.0
        };
        let optimizer = if on_device {
            models * trained.parameters * (state_bytes(run, layout, known) + master)
                / trained.shards(layout, 1)
        } else {
            0.0
        };
        let gradients = if run.optimizer_in_backward {
            trained.largest_unit * run.gradients.bytes()
        } else {
            trained.parameters * run.gradients.bytes()
        };
        Self {
            weights,
            gradients: gradients / trained.shards(layout, 2),
            optimizer,
            adapters: 0.0,
        }
    }
}

/// Bytes that come and go in a step, at their own peaks.
struct Passing {
    activations: f64,
    logits: f64,
    /// Weights and gradients of the unit in use, where no device has all of them.
    gathered: f64,
    /// Activations of one layer.
    layer: f64,
}

impl Passing {
    fn of(
        model: &Architecture,
        trained: &Trained,
        run: &Run,
        layout: &Layout,
        known: &Calibration,
    ) -> Self {
        let tokens = run.tokens() / f64::from(layout.context) / f64::from(layout.tensor);
        let layer = tokens * kept_by_layer(model, run, known);
        // The first stage has as many micro-batches in flight as there are stages, if there are as many,
        // and some more where its parts take turns (Narayanan et al., arXiv 2104.04473, section 2.2).
        let stages = f64::from(layout.pipeline);
        let turns = if run.virtual_pipeline > 1.0 {
            1.0 + (stages - 1.0) / (stages * run.virtual_pipeline)
        } else {
            1.0
        };
        let in_flight = (stages * turns).min(run.accumulation(layout));
        let layers = f64::from(model.layers) / stages * in_flight;
        let wide = if run.weights.bits >= 32.0 { 2.0 } else { 1.0 };
        let input = tokens * 2.0 * f64::from(model.hidden) * wide;
        let activations = match run.checkpointing {
            Checkpointing::None => layers * layer,
            // The rest of one layer at a time is computed again.
            Checkpointing::Selective => {
                let kept = (layer * known.selective_share).max(input);
                layers * kept + (layer - kept).max(0.0)
            }
            Checkpointing::Full => layers * input + layer,
        };
        let per_logit = match run.logits {
            Logits::Last | Logits::All | Logits::None => known.train_logit_bytes,
            Logits::Chunked => known.train_chunked_logit_bytes,
        };
        // A teacher's logits are kept for the loss.
        let taught = match (run.workload, run.frozen) {
            (Workload::Distill, Some(teacher)) => {
                f64::from(teacher.shape.vocab) * TAUGHT_LOGIT_BYTES.min(per_logit)
            }
            _ => 0.0,
        };
        let logits = tokens * (f64::from(model.vocab) * per_logit + taught);
        // Sharded and offloaded weights are fetched a unit at a time.
        let fetches = layout.shards(3) > 1.0 || run.offload == Offload::All;
        let gathered = match (fetches, run.adapters) {
            (false, _) => 0.0,
            (true, true) => trained.largest_unit * (run.weights.bits / 8.0),
            (true, false) => trained.largest_unit * known.gathered_bytes,
        };
        Self {
            activations,
            logits,
            gathered,
            layer,
        }
    }
}

/// The memory of a training step.
pub(super) fn training(
    model: &Architecture,
    run: &Run,
    layout: &Layout,
    known: &Calibration,
) -> Memory {
    let trained = Trained::of(model, run, layout);
    let state = State::of(&trained, run, layout, known);
    let passing = Passing::of(model, &trained, run, layout, known);
    let frozen = frozen_weights(run, layout);
    let kept = state.weights + state.adapters + state.optimizer + frozen;
    // The backward pass begins with all activations and no gradients, and ends the other way
    // round; then the optimizer works on one tensor after the other.
    let begins = passing.activations + passing.logits + passing.gathered;
    let ends = state.gradients + passing.gathered + passing.layer.min(passing.activations);
    let parameter = run.parameters.bytes();
    // Nothing of an optimizer is on the device when only adapters are trained, or when it runs
    // on the host.
    let is_small = run.adapters || run.offload != Offload::None;
    let steps = if is_small {
        0.0
    } else {
        let largest = f64::from(model.vocab) * f64::from(model.hidden) / f64::from(layout.tensor);
        state.gradients + 2.0 * largest.min(trained.parameters) * parameter
    };
    let workspace = known.workspace_gib * GIB;
    let allocated = kept + begins.max(ends).max(steps) + workspace;
    let is_varied = run.workload != Workload::Pretrain && layout.zero_stage == 0;
    // What comes and goes in changing sizes leaves gaps, and an optimizer that takes all tensors
    // at once makes a copy of them.
    let (slack, gaps) = if is_varied {
        (known.slack_varied, known.slack_gib * GIB)
    } else {
        (known.slack_equal, 0.0)
    };
    let copies = if is_small || run.optimizer_in_backward {
        0.0
    } else {
        state.gradients + trained.parameters * parameter / trained.shards(layout, 1)
    };
    let reserved = (kept + workspace + (begins * slack + gaps).max(copies)).max(allocated);
    let device = reserved + known.context_gib * GIB + communication(layout, known);
    Memory {
        weights: state.weights,
        frozen,
        kv_cache: 0.0,
        activations: passing.activations,
        logits: passing.logits,
        gradients: state.gradients,
        optimizer: state.optimizer,
        adapters: state.adapters,
        framework: device - allocated + workspace,
        steady: kept,
        allocated,
        reserved,
        device,
        host: host_state(model, run, layout, known).bytes,
    }
}
