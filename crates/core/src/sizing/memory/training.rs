//! Memory of one device in training.
//!
//! State: bytes per trained parameter, sharded by ZeRO (Rajbhandari et al., arXiv 1910.02054, section 5).
//! Activations: the tensors that autograd keeps of each layer, which full checkpointing reduces to the inputs of the
//! layers (Korthikanti et al., arXiv 2205.05198, section 4). The coefficients of that paper are for blocks without
//! gates; those of the catalog replace them.

use super::super::architecture::Architecture;
use super::super::calibration::Calibration;
use super::super::offload::host_state;
use super::super::run::{Layout, Run};
use super::super::units::GIB;
use super::super::words::{Attention, Checkpointing, Logits, LoraTargets, Offload, Workload};
use super::terms::{Memory, communication};
use super::trained::{Trained, adapter_state_bytes, frozen_weights, state_bytes};
use super::weights::active_ffn;

/// Bytes of an adapter's weight and gradient, both in 32 bits.
const ADAPTER_BYTES: f64 = 8.0;
/// Bytes of a teacher's logit, in 32 bits.
const TAUGHT_LOGIT_BYTES: f64 = 4.0;

/// Bytes per token that a layer keeps for the backward pass.
fn kept_by_layer(model: &Architecture, run: &Run, calibration: &Calibration) -> f64 {
    let hidden = f64::from(model.hidden);
    let ffn = active_ffn(model);
    let attention = model.query_width() + model.key_width();
    let full_precision = run.weights.bits >= 32.0;
    let norms = if model.biases.norm {
        calibration.train_hidden_fused_bytes
    } else {
        calibration.train_hidden_bytes
    };
    let mut hidden_bytes = norms * hidden;
    let mut ffn_bytes = if model.gated {
        calibration.train_gated_ffn_bytes
    } else {
        calibration.train_plain_ffn_bytes
    } * ffn;
    if run.adapters {
        // Frozen norms and matrices have no weight gradient, so their inputs are not kept for one.
        hidden_bytes -= calibration.frozen_norm_bytes * hidden;
        if run.lora_targets != LoraTargets::AllLinear {
            hidden_bytes -= calibration.frozen_matrix_bytes * hidden;
            ffn_bytes -= calibration.frozen_matrix_bytes * ffn;
        }
        // The dropout of adapters keeps a second copy of their input.
        hidden_bytes += calibration.adapter_dropout_bytes * hidden;
    }
    let mut bytes = hidden_bytes + calibration.train_attention_bytes * attention + ffn_bytes;
    if model.qk_norm.is_some() {
        bytes += calibration.qk_norm_bytes * attention;
    }
    if run.attention == Attention::Eager {
        let scores = run.sequence() * f64::from(model.heads);
        bytes += scores * calibration.eager_score_bytes * calibration.eager_kept_share;
    }
    if full_precision {
        bytes *= calibration.fp32_activation_factor;
    }
    if run.compile {
        bytes *= calibration.compiled_activation_factor;
    } else if run.weights.is_quantized() && run.adapters {
        bytes *= calibration.quantized_activation_factor;
    }
    bytes
}

/// Bytes of model state on the device: sharded, without offloaded parts.
struct State {
    weights: f64,
    gradients: f64,
    optimizer: f64,
    adapters: f64,
}

impl State {
    fn of(trained: &Trained, run: &Run, layout: &Layout, calibration: &Calibration) -> Self {
        let models = run.workload.trained_models();
        let weights = if run.offload == Offload::All {
            0.0
        } else {
            models * trained.weight_bytes / trained.shards(layout, 3)
        };
        let on_device = run.offload == Offload::None;
        if run.adapters {
            let state = if on_device {
                adapter_state_bytes(run, layout, calibration)
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
            models * trained.parameters * (state_bytes(run, layout, calibration) + master)
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

/// Temporary memory of a step, in bytes, each term at its own peak.
struct Passing {
    activations: f64,
    logits: f64,
    /// Gathered weights and gradients of the unit in use; 0 if the device has all weights.
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
        calibration: &Calibration,
    ) -> Self {
        let tokens = run.tokens() / f64::from(layout.context) / f64::from(layout.tensor);
        let layer = tokens * kept_by_layer(model, run, calibration);
        // The first stage has as many micro-batches in flight as there are stages, or all of them if there are fewer.
        // An interleaved schedule has some more in flight (Narayanan et al., arXiv 2104.04473, section 2.2).
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
            // The backward pass recomputes the rest, one layer at a time.
            Checkpointing::Selective => {
                let kept = (layer * calibration.selective_share).max(input);
                layers * kept + (layer - kept).max(0.0)
            }
            Checkpointing::Full => layers * input + layer,
        };
        let per_logit = match run.logits {
            Logits::Last | Logits::All | Logits::None => calibration.train_logit_bytes,
            Logits::Chunked => calibration.train_chunked_logit_bytes,
        };
        // The loss of distillation needs the teacher's logits, too.
        let taught = match (run.workload, run.frozen) {
            (Workload::Distill, Some(teacher)) => {
                f64::from(teacher.shape.vocab) * TAUGHT_LOGIT_BYTES.min(per_logit)
            }
            _ => 0.0,
        };
        let logits = tokens * (f64::from(model.vocab) * per_logit + taught);
        // Sharded and offloaded weights are fetched one unit at a time.
        let fetches = layout.shards(3) > 1.0 || run.offload == Offload::All;
        let gathered = match (fetches, run.adapters) {
            (false, _) => 0.0,
            (true, true) => trained.largest_unit * (run.weights.bits / 8.0),
            (true, false) => trained.largest_unit * calibration.gathered_bytes,
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
    calibration: &Calibration,
) -> Memory {
    let trained = Trained::of(model, run, layout);
    let state = State::of(&trained, run, layout, calibration);
    let passing = Passing::of(model, &trained, run, layout, calibration);
    let frozen = frozen_weights(run, layout);
    let kept = state.weights + state.adapters + state.optimizer + frozen;
    // There are three candidates for the peak. The backward pass begins with all activations and no gradients, and
    // ends with all gradients and no activations. Then the optimizer updates one tensor after another.
    let begins = passing.activations + passing.logits + passing.gathered;
    let ends = state.gradients + passing.gathered + passing.layer.min(passing.activations);
    let parameter = run.parameters.bytes();
    // The optimizer needs next to no device memory if only adapters are trained, or if it runs on the host.
    let is_small = run.adapters || run.offload != Offload::None;
    let steps = if is_small {
        0.0
    } else {
        let largest = f64::from(model.vocab) * f64::from(model.hidden) / f64::from(layout.tensor);
        state.gradients + 2.0 * largest.min(trained.parameters) * parameter
    };
    let workspace = calibration.workspace_gib * GIB;
    let allocated = kept + begins.max(ends).max(steps) + workspace;
    let is_varied = run.workload != Workload::Pretrain && layout.zero_stage == 0;
    // Temporary tensors of varying sizes leave gaps in the allocator, and a fused optimizer step over all tensors
    // copies them. Both were fitted to reserved peaks in published training logs.
    let (slack, gaps) = if is_varied {
        (calibration.slack_varied, calibration.slack_gib * GIB)
    } else {
        (calibration.slack_equal, 0.0)
    };
    let copies = if is_small || run.optimizer_in_backward {
        0.0
    } else {
        state.gradients + trained.parameters * parameter / trained.shards(layout, 1)
    };
    let reserved = (kept + workspace + (begins * slack + gaps).max(copies)).max(allocated);
    let device = reserved + calibration.context_gib * GIB + communication(layout, calibration);
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
        host: host_state(model, run, layout, calibration).bytes,
    }
}
