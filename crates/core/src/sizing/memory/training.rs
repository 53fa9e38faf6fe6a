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
            let adapter_bytes = trained.parameters * (ADAPTER_BYTES + state);
            let adapters = models * adapter_bytes / trained.shards(layout, 3);
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

#[cfg(test)]
mod tests {
    use super::super::super::architecture::QkNorm;
    use super::super::super::format::WeightFormat;
    use super::super::super::run::{Frozen, StepSize};
    use super::super::super::testing::{assert_near, tiny};
    use super::super::super::words::Float::{Bf16, Fp32};
    use super::super::super::words::Optimizer;
    use super::*;

    fn calibration() -> Calibration {
        Calibration {
            train_hidden_bytes: 20.0,
            train_hidden_fused_bytes: 16.0,
            train_attention_bytes: 4.0,
            train_gated_ffn_bytes: 8.0,
            train_plain_ffn_bytes: 5.0,
            qk_norm_bytes: 3.0,
            frozen_norm_bytes: 6.0,
            frozen_matrix_bytes: 2.0,
            adapter_dropout_bytes: 1.0,
            eager_score_bytes: 12.0,
            eager_kept_share: 0.25,
            fp32_activation_factor: 1.5,
            compiled_activation_factor: 0.5,
            quantized_activation_factor: 1.25,
            selective_share: 0.5,
            train_logit_bytes: 12.0,
            train_chunked_logit_bytes: 2.0,
            gathered_bytes: 6.0,
            adamw_8bit_bytes: 2.5,
            adafactor_bytes: 0.5,
            slack_varied: 1.5,
            slack_equal: 1.25,
            ..Calibration::default()
        }
    }

    /// Ten tokens.
    fn full() -> Run {
        Run {
            context: 10.0,
            ..Run::new(Workload::Full, WeightFormat::plain(16.0))
        }
    }

    fn kept(model: &Architecture, change: impl Fn(&mut Run)) -> f64 {
        let mut run = full();
        change(&mut run);
        kept_by_layer(model, &run, &calibration())
    }

    /// Bytes per token that a layer keeps: 20 per hidden value, 4 per value of queries and keys, 8 per inner value.
    const LAYER: f64 = 160.0 + 48.0 + 128.0;

    #[test]
    fn a_layer_keeps_bytes_per_value() {
        assert_near(kept(&tiny(), |_| ()), LAYER);
        let mut model = tiny();
        model.gated = false;
        assert_near(kept(&model, |_| ()), 160.0 + 48.0 + 80.0);
        model = tiny();
        model.biases.norm = true;
        assert_near(kept(&model, |_| ()), 128.0 + 48.0 + 128.0);
        model = tiny();
        model.qk_norm = Some(QkNorm::Head);
        assert_near(kept(&model, |_| ()), LAYER + 36.0);
        let eager = kept(&tiny(), |run| run.attention = Attention::Eager);
        assert_near(eager, LAYER + 10.0 * 4.0 * 12.0 * 0.25);
    }

    #[test]
    fn formats_and_compilers_scale_activations() {
        assert_near(kept(&tiny(), |run| run.compile = true), 0.5 * LAYER);
        let wide = kept(&tiny(), |run| run.weights = WeightFormat::plain(32.0));
        assert_near(wide, 1.5 * LAYER);
    }

    #[test]
    fn adapters_keep_less_for_frozen_weights() {
        let adapted = |lora_targets, bits| {
            kept(&tiny(), |run| {
                run.adapters = true;
                run.lora_targets = lora_targets;
                run.weights = WeightFormat::plain(bits);
            })
        };
        let all = LAYER - 6.0 * 8.0 + 8.0;
        assert_near(adapted(LoraTargets::AllLinear, 16.0), all);
        assert_near(adapted(LoraTargets::Qv, 16.0), all - 2.0 * (8.0 + 16.0));
        assert_near(adapted(LoraTargets::AllLinear, 4.0), 1.25 * all);
    }

    fn memory(run: &Run, layout: &Layout) -> Memory {
        training(&tiny(), run, layout, &calibration())
    }

    #[test]
    fn checkpointing_keeps_inputs_and_one_layer() {
        let activations = |checkpointing| {
            let run = Run {
                checkpointing,
                ..full()
            };
            memory(&run, &Layout::default()).activations
        };
        let layer = 10.0 * LAYER;
        assert_near(activations(Checkpointing::None), 4.0 * layer);
        assert_near(
            activations(Checkpointing::Selective),
            4.5 * 0.5 * layer + 0.25 * layer,
        );
        assert_near(activations(Checkpointing::Full), 4.0 * 160.0 + layer);
    }

    #[test]
    fn pipelines_keep_micro_batches_in_flight() {
        let activations = |micro_batches, virtual_pipeline| {
            let run = Run {
                checkpointing: Checkpointing::None,
                step: StepSize::MicroBatches(micro_batches),
                virtual_pipeline,
                ..full()
            };
            let layout = Layout {
                pipeline: 2,
                ..Layout::default()
            };
            memory(&run, &layout).activations / (10.0 * LAYER)
        };
        assert_near(activations(1.0, 1.0), 2.0);
        assert_near(activations(8.0, 1.0), 4.0);
        // Two chunks per stage: 1 + 1 / (2 * 2) more.
        assert_near(activations(8.0, 2.0), 5.0);
    }

    #[test]
    fn the_peak_is_the_largest_moment_of_a_step() {
        let memory = memory(&full(), &Layout::default());
        assert_near(memory.weights, 2.0 * 2888.0);
        assert_near(memory.gradients, 2.0 * 2888.0);
        assert_near(memory.optimizer, 4.0 * 2888.0);
        assert_near(memory.logits, 10.0 * 32.0 * 12.0);
        let kept = 6.0 * 2888.0;
        assert_near(memory.steady, kept);
        // The end of the backward pass: all gradients and one layer.
        assert_near(memory.allocated, kept + 2.0 * 2888.0 + 10.0 * LAYER);
        let begins = 4.0 * 160.0 + 10.0 * LAYER + 3840.0;
        assert_near(memory.reserved, kept + 1.5 * begins);
        // With a tiny batch of short sequences, the optimizer step is the peak.
        let short = Run {
            context: 1.0,
            ..full()
        };
        let memory = super::training(&tiny(), &short, &Layout::default(), &calibration());
        assert_near(memory.allocated, kept + 2.0 * 2888.0 + 2.0 * 256.0 * 2.0);
        assert_near(memory.reserved, kept + 2.0 * 2888.0 + 2.0 * 2888.0);
    }

    #[test]
    fn zero_stages_shard_state() {
        let memory = |zero_stage| {
            let layout = Layout {
                data: 2,
                zero_stage,
                ..Layout::default()
            };
            memory(&full(), &layout)
        };
        let terms = |memory: &Memory| [memory.weights, memory.gradients, memory.optimizer];
        let near = |found: [f64; 3], expected: [f64; 3]| {
            for (found, expected) in found.into_iter().zip(expected) {
                assert_near(found, expected * 2888.0);
            }
        };
        near(terms(&memory(0)), [2.0, 2.0, 4.0]);
        // Sharded optimizers keep 32-bit moments and master weights.
        near(terms(&memory(1)), [2.0, 2.0, 6.0]);
        near(terms(&memory(2)), [2.0, 1.0, 6.0]);
        near(terms(&memory(3)), [1.0, 1.0, 6.0]);
        // One gathered unit: the embedding and two layers, with 6 bytes per parameter.
        let begins = 4.0 * 160.0 + 10.0 * LAYER + 3840.0 + 6.0 * (256.0 + 2.0 * 576.0);
        assert_near(memory(3).allocated, 7.0 * 2888.0 + begins);
    }

    #[test]
    fn optimizers_keep_their_moments() {
        let bytes = |optimizer, parameters| {
            let run = Run {
                optimizer,
                parameters,
                ..full()
            };
            state_bytes(&run, &Layout::default(), &calibration())
        };
        assert_near(bytes(Optimizer::AdamW, Bf16), 4.0);
        assert_near(bytes(Optimizer::AdamW, Fp32), 8.0);
        assert_near(bytes(Optimizer::AdamW8Bit, Fp32), 2.5);
        assert_near(bytes(Optimizer::Adafactor, Fp32), 0.5);
        assert_near(bytes(Optimizer::Muon, Bf16), 2.0);
        assert_near(bytes(Optimizer::Muon, Fp32), 4.0);
        assert_near(bytes(Optimizer::Sgd, Fp32), 0.0);
    }

    #[test]
    fn teachers_and_references_add_frozen_weights() {
        let frozen = Frozen {
            shape: Architecture {
                vocab: 64,
                ..tiny()
            },
            weights: WeightFormat::plain(8.0),
            is_base: false,
        };
        let run = Run {
            frozen: Some(frozen),
            workload: Workload::Distill,
            ..full()
        };
        let memory = |run: &Run| training(&tiny(), run, &Layout::default(), &calibration());
        // 64 tokens of vocabulary add 512 parameters to embedding and head.
        assert_near(memory(&run).frozen, 2888.0 + 512.0);
        assert_near(memory(&run).logits, 10.0 * (32.0 * 12.0 + 64.0 * 4.0));
        let base = Run {
            frozen: Some(Frozen {
                is_base: true,
                ..frozen
            }),
            workload: Workload::Dpo,
            ..full()
        };
        assert_near(memory(&base).frozen, 0.0);
        assert_near(memory(&base).logits, 2.0 * 10.0 * 32.0 * 12.0);
    }

    #[test]
    fn adapters_have_32_bit_weights_gradients_and_moments() {
        let run = Run {
            lora_rank: 2.0,
            adapters: true,
            ..full()
        };
        let parameters = super::super::weights::adapter_parameters(&tiny(), &run);
        let memory = memory(&run, &Layout::default());
        assert_near(memory.adapters, parameters * (8.0 + 2.0 * 4.0));
        assert_near(memory.gradients + memory.optimizer, 0.0);
        assert_near(memory.weights, 5776.0);
    }
}
