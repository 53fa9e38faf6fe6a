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
use super::super::words::{Checkpointing, Float, Logits, Offload, Optimizer, Workload};
use super::kept::{Casting, kept_by_layer};
use super::reserved::{Moments, copied, has_small_step, reserved};
use super::terms::{Memory, communication};
use super::trained::{Trained, adapter_state_bytes, frozen_weights, optimizer_bytes};

/// Bytes of a teacher's logit, in 32 bits.
const TAUGHT_LOGIT_BYTES: f64 = 4.0;
/// Bytes of a value of a 16-bit copy.
const HALF_BYTES: f64 = 2.0;

/// Bytes of model state on the device: sharded, without offloaded parts.
struct State {
    weights: f64,
    gradients: f64,
    optimizer: f64,
    adapters: f64,
}

impl State {
    fn of(
        model: &Architecture,
        trained: &Trained,
        run: &Run,
        layout: &Layout,
        calibration: &Calibration,
    ) -> Self {
        let models = run.workload.trained_models();
        let upcast = if Casting::is_upcast(run, layout, calibration) {
            let counted = model.parameters();
            calibration.upcast_bytes * (counted.embedding + counted.head) / f64::from(layout.tensor)
        } else {
            0.0
        };
        let weights = if run.offload == Offload::All {
            0.0
        } else {
            models * (trained.weight_bytes + upcast) / trained.shards(layout, 3)
        };
        let on_device = run.offload == Offload::None;
        if run.adapters {
            let state = if on_device {
                adapter_state_bytes(run, calibration)
            } else {
                0.0
            };
            // A weight and its gradient.
            let parameter = 2.0 * calibration.adapter_parameter_bytes;
            let adapter_bytes = trained.parameters * (parameter + state);
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
            let state = optimizer_bytes(model, trained, run, layout, calibration);
            models * (state + trained.parameters * master) / trained.shards(layout, 1)
        } else {
            0.0
        };
        // An optimizer on the host gets each gradient when it is computed, unless the engine sums gradients first.
        let moves = !on_device && calibration.kept_gradients < 0.5 && layout.zero_stage != 1;
        let gradients = if run.optimizer_in_backward || moves {
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
        let casting = Casting::of(run, layout, calibration);
        let matrices = match casting {
            Casting::Parameters => layer_parameters(model, layout) * HALF_BYTES,
            Casting::None | Casting::Frozen => 0.0,
        };
        let layer = tokens * kept_by_layer(model, run, casting, calibration) + matrices;
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
        let is_wide = run.weights.bits >= 32.0 || casting != Casting::None;
        let hidden_bytes = if is_wide { Float::Fp32 } else { Float::Bf16 }.bytes();
        let input = tokens * f64::from(model.hidden) * hidden_bytes;
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
        // The product of the logits reads a 16-bit copy of a head in 32 bits.
        let head = match casting {
            Casting::None => 0.0,
            Casting::Frozen | Casting::Parameters => head_parameters(model, layout) * HALF_BYTES,
        };
        let logits = tokens * (f64::from(model.vocab) * per_logit + taught) + head;
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

/// The parameters of the head on a device.
fn head_parameters(model: &Architecture, layout: &Layout) -> f64 {
    f64::from(model.vocab) * f64::from(model.hidden) / f64::from(layout.tensor)
}

/// The parameters of a layer on a device.
fn layer_parameters(model: &Architecture, layout: &Layout) -> f64 {
    model.parameters().layers() / f64::from(model.layers.max(1)) / f64::from(layout.tensor)
}

impl Passing {
    /// The temporary memory as the backward pass begins.
    ///
    /// With full checkpointing, the first layer is recomputed after the logits are freed, so only the larger of both
    /// counts.
    fn begins(&self, run: &Run) -> f64 {
        let at_once = match run.checkpointing {
            Checkpointing::Full => self.activations + (self.logits - self.layer).max(0.0),
            Checkpointing::None | Checkpointing::Selective => self.activations + self.logits,
        };
        at_once + self.gathered
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
    let state = State::of(model, &trained, run, layout, calibration);
    let passing = Passing::of(model, &trained, run, layout, calibration);
    let frozen = frozen_weights(run, layout);
    let kept = state.weights + state.adapters + state.optimizer + frozen;
    // There are three candidates for the peak. The backward pass begins with all activations and no gradients, and
    // ends with all gradients and no activations. Then the optimizer updates one tensor after another.
    // Gradients of earlier micro-batches of a step are there, too.
    let summed = if run.accumulation(layout) > 1.0 && !run.optimizer_in_backward {
        state.gradients
    } else {
        0.0
    };
    let head = head_parameters(model, layout).min(trained.parameters);
    // A loss in chunks sums the gradient of the head while all activations are there.
    let of_head = if run.logits == Logits::Chunked && !run.adapters && summed <= 0.0 {
        head * run.gradients.bytes() / trained.shards(layout, 2)
    } else {
        0.0
    };
    let begins = passing.begins(run) + summed + of_head;
    let ends = state.gradients + passing.gathered + passing.layer.min(passing.activations);
    let is_small = has_small_step(run);
    let steps = if is_small {
        0.0
    } else {
        state.gradients + step_bytes(model, run, head, calibration)
    };
    let workspace = calibration.workspace_gib * GIB;
    let allocated = kept + begins.max(ends).max(steps) + workspace;
    // Some engines load the whole model on each rank before they shard it.
    let loading = if trained.shards(layout, 3) > 1.0 {
        trained.weight_bytes * calibration.load_copies + state.weights + workspace
    } else {
        0.0
    };
    let allocated = allocated.max(loading);
    let moments = Moments {
        kept: kept + workspace,
        begins,
        allocated,
        gradients: state.gradients,
        logits: passing.logits,
        layer: passing.layer,
    };
    let copied = copied(&trained, state.gradients, run, layout, calibration);
    let reserved = reserved(&moments, run, layout, calibration).max(kept + workspace + copied);
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

/// Temporary bytes of the optimizer and of the end of the backward pass, beside the gradients.
fn step_bytes(model: &Architecture, run: &Run, head: f64, calibration: &Calibration) -> f64 {
    // The gradients of a tied embedding from both of its uses are there at once. They are summed in 32 bits.
    let summed = if model.tied {
        head * Float::Fp32.bytes()
    } else {
        0.0
    };
    // Adafactor computes the update of a tensor from copies in 32 bits, and the embedding is the largest tensor.
    let updated = match run.optimizer {
        Optimizer::Adafactor => head * calibration.adafactor_step_bytes,
        Optimizer::AdamW | Optimizer::AdamW8Bit | Optimizer::Muon | Optimizer::Sgd => 0.0,
    };
    summed.max(updated)
}

#[cfg(test)]
mod tests {
    use super::super::super::format::WeightFormat;
    use super::super::super::run::{Frozen, StepSize};
    use super::super::super::testing::{assert_near, tiny};
    use super::super::super::words::Float::Fp32;
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
            adapter_parameter_bytes: 4.0,
            host_buffers: 1.0,
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

    /// Bytes per token that a layer keeps: 20 per hidden value, 4 per value of queries and keys, 8 per inner value.
    const LAYER: f64 = 160.0 + 48.0 + 128.0;

    fn memory(run: &Run, layout: &Layout) -> Memory {
        training(&tiny(), run, layout, &calibration())
    }

    #[test]
    fn divided_training_keeps_a_copy_of_the_weights() {
        let has = |layout: &Layout| full().has_master_weights(layout);
        assert!(!has(&Layout::default()));
        let tensor = Layout {
            tensor: 2,
            ..Layout::default()
        };
        let zero = Layout {
            data: 2,
            zero_stage: 1,
            ..Layout::default()
        };
        assert!(has(&tensor) && has(&zero));
        // Replicas of whole models divide nothing.
        let replicas = Layout {
            zero_stage: 0,
            ..zero
        };
        assert!(!has(&replicas));
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
    fn the_layer_is_recomputed_after_the_logits() {
        let peak = |train_logit_bytes, checkpointing| {
            let calibration = Calibration {
                train_logit_bytes,
                ..calibration()
            };
            let run = Run {
                checkpointing,
                adapters: true,
                ..full()
            };
            let memory = training(&tiny(), &run, &Layout::default(), &calibration);
            memory.allocated - memory.steady
        };
        let layer = 10.0 * (LAYER - 48.0);
        let inputs = 4.0 * 160.0;
        assert_near(peak(12.0, Checkpointing::Full), inputs + 3840.0);
        assert_near(peak(1.0, Checkpointing::Full), inputs + layer);
        assert_near(peak(12.0, Checkpointing::None), 4.0 * layer + 3840.0);
    }

    #[test]
    fn later_micro_batches_begin_with_gradients() {
        let peak = |micro_batches| {
            let run = Run {
                checkpointing: Checkpointing::None,
                step: StepSize::MicroBatches(micro_batches),
                ..full()
            };
            memory(&run, &Layout::default()).allocated - 6.0 * 2888.0
        };
        let begins = 4.0 * 10.0 * LAYER + 3840.0;
        assert_near(peak(1.0), begins);
        assert_near(peak(2.0), begins + 2.0 * 2888.0);
    }

    #[test]
    fn a_loss_in_chunks_begins_with_the_gradient_of_the_head() {
        let peak = |logits, adapters| {
            let run = Run {
                checkpointing: Checkpointing::None,
                logits,
                adapters,
                ..full()
            };
            let memory = memory(&run, &Layout::default());
            memory.allocated - memory.steady - memory.logits - memory.activations
        };
        let model = tiny();
        let head = f64::from(model.vocab) * f64::from(model.hidden) * 2.0;
        assert_near(peak(Logits::Chunked, false), head);
        assert_near(peak(Logits::All, false), 0.0);
        assert_near(peak(Logits::Chunked, true), 0.0);
    }

    #[test]
    fn packed_sequences_have_equal_lengths() {
        let reserved = |packed| {
            let run = Run {
                packed,
                context: 40.0,
                ..full()
            };
            memory(&run, &Layout::default()).reserved
        };
        let (varied, equal) = (reserved(None), reserved(Some(2.0)));
        assert_near((varied - 6.0 * 2888.0) / (equal - 6.0 * 2888.0), 1.5 / 1.25);
    }

    #[test]
    fn engines_keep_copies_of_adapter_inputs_and_upcast_what_they_do_not_quantize() {
        let memory = |change: &dyn Fn(&mut Run, &mut Calibration), layout: &Layout| {
            let mut run = Run {
                adapters: true,
                weights: WeightFormat::plain(4.0),
                ..full()
            };
            let mut calibration = calibration();
            change(&mut run, &mut calibration);
            training(&tiny(), &run, layout, &calibration)
        };
        let one = Layout::default();
        let base = memory(&|_, _| (), &one);
        let dropout = memory(&|_, of| of.adapter_input_bytes = 3.0, &one);
        // Five inputs of the hidden width, one of the queries' and one of the inner width, instead of three.
        let added = 3.0 * (5.0 * 8.0 + 8.0 + 16.0) - 2.0 * (2.0 * 8.0 + 16.0);
        assert_near(dropout.activations - base.activations, 10.0 * 1.25 * added);
        let cast = |of: &mut Calibration| of.upcast_bytes = 2.0;
        let stored = memory(&|_, of| cast(of), &one);
        assert_near(stored.weights, base.weights);
        let on_load = |run: &mut Run, of: &mut Calibration| {
            run.quantizes_on_load = true;
            cast(of);
        };
        // Embedding and head of 256 parameters each.
        assert_near(memory(&on_load, &one).weights - base.weights, 1024.0);
        let sharded = Layout {
            data: 2,
            zero_stage: 3,
            ..one
        };
        let copies = |of: &mut Calibration| of.load_copies = 100.0;
        let loading = memory(&|_, of| copies(of), &sharded);
        assert_near(loading.allocated, 100.5 * base.weights);
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
        let run = Run {
            context: 20.0,
            ..full()
        };
        let memory = memory(&run, &Layout::default());
        assert_near(memory.weights, 2.0 * 2888.0);
        assert_near(memory.gradients, 2.0 * 2888.0);
        assert_near(memory.optimizer, 4.0 * 2888.0);
        assert_near(memory.logits, 20.0 * 32.0 * 12.0);
        let kept = 6.0 * 2888.0;
        assert_near(memory.steady, kept);
        // The end of the backward pass: all gradients and one layer.
        assert_near(memory.allocated, kept + 2.0 * 2888.0 + 20.0 * LAYER);
        let begins = 4.0 * 320.0 + 7680.0;
        assert_near(memory.reserved, kept + 1.5 * begins);
        // With a tiny batch of short sequences, the optimizer step is the peak.
        let short = Run {
            context: 1.0,
            ..full()
        };
        let memory = super::training(&tiny(), &short, &Layout::default(), &calibration());
        assert_near(memory.allocated, kept + 2.0 * 2888.0 + LAYER);
        assert_near(memory.reserved, kept + 2.0 * 2888.0 + 2.0 * 2888.0);
    }

    /// The peak of one token, in addition to what stays and to gradients.
    fn stepping(tied: bool, optimizer: Optimizer) -> f64 {
        let model = Architecture { tied, ..tiny() };
        let run = Run {
            context: 1.0,
            optimizer,
            ..full()
        };
        let calibration = Calibration {
            adafactor_step_bytes: 16.0,
            ..calibration()
        };
        let memory = training(&model, &run, &Layout::default(), &calibration);
        memory.allocated - memory.steady - memory.gradients
    }

    #[test]
    fn steps_hold_both_gradients_of_a_tied_embedding_and_copies_of_adafactor() {
        assert_near(stepping(false, Optimizer::AdamW), LAYER);
        assert_near(stepping(true, Optimizer::AdamW), 4.0 * 256.0);
        assert_near(stepping(false, Optimizer::Adafactor), 16.0 * 256.0);
    }

    #[test]
    fn fused_steps_copy_nothing_unless_they_are_sharded() {
        let held = |fused_optimizer, zero_stage| {
            let run = Run {
                context: 1.0,
                packed: Some(1.0),
                ..full()
            };
            let layout = Layout {
                data: 2,
                zero_stage,
                ..Layout::default()
            };
            let calibration = Calibration {
                fused_optimizer,
                ..calibration()
            };
            let memory = training(&tiny(), &run, &layout, &calibration);
            (memory.reserved, memory.allocated, memory.steady)
        };
        let (reserved, allocated, _) = held(1.0, 0);
        assert_near(reserved, allocated);
        let (reserved, _, steady) = held(0.0, 0);
        assert_near(reserved, steady + 4.0 * 2888.0);
        let (reserved, _, steady) = held(1.0, 1);
        assert_near(reserved, steady + 3.0 * 2888.0);
    }

    #[test]
    fn wide_parameters_add_16_bit_copies() {
        let calibration = Calibration {
            autocast: 1.0,
            upcast_bytes: 2.0,
            ..calibration()
        };
        let memory = |change: &dyn Fn(&mut Run), layout: &Layout| {
            let mut run = Run {
                checkpointing: Checkpointing::None,
                ..full()
            };
            change(&mut run);
            training(&tiny(), &run, layout, &calibration)
        };
        let one = Layout::default();
        let half = memory(&|_| (), &one);
        let wide = memory(&|run| run.parameters = Fp32, &one);
        // Copies of the matrices of four layers, and ten more bytes per hidden value.
        let layers = tiny().parameters().layers();
        let added = 2.0 * layers + 4.0 * 10.0 * 10.0 * 8.0;
        assert_near(wide.activations - half.activations, added);
        assert_near(wide.logits - half.logits, 2.0 * 256.0);
        let sharded = Layout {
            data: 2,
            zero_stage: 3,
            ..one
        };
        let gathered = memory(&|run| run.parameters = Fp32, &sharded);
        assert_near(gathered.activations, half.activations);
        // Frozen parameters that are quantized need no copies of matrices.
        let adapted = |is_cast: bool, layout: &Layout| {
            let change = |run: &mut Run| {
                run.adapters = true;
                run.weights = WeightFormat::plain(4.0);
                run.quantizes_on_load = is_cast;
                run.checkpointing = Checkpointing::Full;
            };
            memory(&change, layout)
        };
        let (cast, plain) = (adapted(true, &one), adapted(false, &one));
        assert_near(cast.logits - plain.logits, 2.0 * 256.0);
        let layer = 10.0 * (LAYER - 48.0);
        // The hidden state takes 4 bytes, and the inner values 6 more each instead of a quarter.
        let added = 4.0 * 10.0 * 8.0 * 2.0 + 10.0 * 6.0 * 16.0 - 0.25 * layer;
        assert_near(cast.activations - plain.activations, added);
        assert_near(adapted(true, &sharded).logits, plain.logits);
        // Weights are kept in 32 bits with a loss in chunks, too.
        let chunked = |quantizes_on_load| {
            let change = |run: &mut Run| {
                run.adapters = true;
                run.weights = WeightFormat::plain(4.0);
                run.quantizes_on_load = quantizes_on_load;
                run.logits = Logits::Chunked;
            };
            memory(&change, &one)
        };
        let (cast, plain) = (chunked(true), chunked(false));
        assert_near(cast.weights - plain.weights, 2.0 * 512.0);
        assert_near(cast.logits, plain.logits);
    }

    #[test]
    fn gaps_of_equal_sequences_follow_from_logits_and_gradients() {
        let calibration = Calibration {
            fused_optimizer: 1.0,
            logit_gap_share: 0.25,
            gradient_gap_share: 0.5,
            ..calibration()
        };
        let gaps = |adapters, checkpointing| {
            let run = Run {
                adapters,
                checkpointing,
                packed: Some(100.0),
                context: 100.0,
                ..full()
            };
            let memory = training(&tiny(), &run, &Layout::default(), &calibration);
            (memory.reserved - memory.allocated, memory)
        };
        let (of_full, memory) = gaps(false, Checkpointing::Full);
        assert_near(of_full, 0.5 * memory.gradients);
        let (of_full, memory) = gaps(false, Checkpointing::None);
        assert_near(of_full, 0.25 * memory.gradients);
        let (of_adapters, memory) = gaps(true, Checkpointing::None);
        assert_near(of_adapters, 0.25 * memory.logits);
        let layer = 100.0 * (LAYER - 48.0);
        let (of_adapters, memory) = gaps(true, Checkpointing::Full);
        assert_near(of_adapters, 0.25 * (memory.logits + layer));
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
        let ends = 2888.0 + 6.0 * (256.0 + 2.0 * 576.0) + 10.0 * LAYER;
        assert_near(memory(3).allocated, 7.0 * 2888.0 + ends);
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
