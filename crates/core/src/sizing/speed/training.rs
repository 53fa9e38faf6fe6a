//! The time of an optimizer step, on one and on many devices.
//!
//! Training takes two operations per parameter and token in the forward pass and four in the backward pass. Added to
//! these are recomputation, the bubble of a pipeline (Narayanan et al., arXiv 2104.04473, section 2.2), and the
//! communication that is not hidden behind computing.

use super::super::architecture::Architecture;
use super::super::calibration::Calibration;
use super::super::device::{Device, Width};
use super::super::memory::adapter_parameters;
use super::super::memory::trained::frozen_weights;
use super::super::offload;
use super::super::run::{Layout, Run};
use super::super::words::Checkpointing;
use super::flops::attention_flops;
use super::rates::{Bound, Speed};

/// Tokens of a sequence beyond which efficiency decreases.
const REFERENCE_CONTEXT: f64 = 2048.0;
/// The smallest size, in billions of parameters, that is not extrapolated further: the logarithm has no lower bound.
const SMALLEST_BILLIONS: f64 = 0.01;
/// The hidden widths at which fused kernels reach the shares of the catalog, in dense models and in mixtures.
const DENSE_WIDTH: f64 = 8192.0;
const EXPERT_WIDTH: f64 = 4096.0;
/// All-reduces of a layer in both passes (four), each as a gather and a scatter.
const GATHERS: f64 = 8.0;
/// Rotations of keys and values around a ring: one forward, and twice the bytes backward.
const ROTATIONS: f64 = 3.0;
/// All-to-alls of a mixture in both passes: dispatch and combine in each.
const EXCHANGES: f64 = 4.0;
/// Bytes of a value of the hidden state, and the mean of an expert exchange: dispatch in 8 bits, combine in 16.
const HIDDEN_BYTES: f64 = 2.0;
const EXCHANGED_BYTES: f64 = 1.5;
/// Bytes of a parameter or gradient that is sent between ranks.
const SENT_BYTES: f64 = 2.0;

/// Operations per token.
struct Operations {
    forward: f64,
    backward: f64,
    /// Operations of the forward pass that the backward pass recomputes.
    again: f64,
}

impl Operations {
    fn of(model: &Architecture, run: &Run, calibration: &Calibration) -> Self {
        let active = model.active_parameters();
        let attention = attention_flops(model, run.attended() / 2.0);
        let forward = 2.0 * active + attention;
        // Frozen weights need no weight gradient, which is half of the backward pass of matrices.
        let backward = if run.adapters {
            2.0 * active + 2.0 * attention
        } else {
            2.0 * forward
        };
        let again = match run.checkpointing {
            Checkpointing::None => 0.0,
            Checkpointing::Selective => forward * calibration.recomputed_share,
            Checkpointing::Full => forward,
        };
        Self {
            forward,
            backward,
            again,
        }
    }

    fn passes(&self) -> f64 {
        self.forward + self.backward + self.again
    }
}

/// Whether the trainer has fused kernels.
///
/// This is an assumption: trainers that split matrices, layers or experts (Megatron-LM), or that multiply in 8 bits
/// without a compiler, have fused kernels. So do trainers of mixtures of experts.
fn is_fused(model: &Architecture, run: &Run, layout: &Layout, width: Width) -> bool {
    let cut = layout.tensor > 1 || layout.pipeline > 1 || layout.expert > 1;
    let narrow = matches!(width, Width::Eight | Width::Four);
    model.experts.is_some() || (!run.compile && (cut || narrow))
}

/// Seconds in which one device would compute `operations` operations of a token.
fn computing_s(
    model: &Architecture,
    run: &Run,
    layout: &Layout,
    operations: f64,
    device: &Device,
    calibration: &Calibration,
) -> Option<f64> {
    let peak = device.peak.bits_16?;
    let (_, width) = device.peak.at(run.weights.compute_bits);
    let hidden = f64::from(model.hidden);
    if is_fused(model, run, layout, width) {
        let (shares, reference, exponent) = if model.experts.is_some() {
            let exponent = calibration.train_expert_width_exponent;
            (&device.training.sparse, EXPERT_WIDTH, exponent)
        } else {
            let exponent = calibration.train_width_exponent;
            (&device.training.dense, DENSE_WIDTH, exponent)
        };
        let share = shares.of(width) * (hidden / reference).powf(exponent);
        return Some(operations / (peak * share));
    }
    // 8-bit products gain less than the ratio of the peaks; `fp8-train-gain` is measured with torchtitan.
    let gain = if matches!(width, Width::Eight | Width::Four) {
        calibration.fp8_gain
    } else {
        1.0
    };
    let fused = if run.compile {
        calibration.compiled_gain
    } else if model.biases.norm {
        1.0
    } else {
        calibration.unfused_share
    };
    // Larger matrices reach more of the peak (llm-foundry, 125M to 30B), per device and not per model.
    let billions = model.active_parameters() / f64::from(layout.tensor) / 1e9;
    let billions = billions.max(SMALLEST_BILLIONS);
    let size = 1.0 + calibration.train_size_slope * billions.log10();
    let size = size
        .max(calibration.train_size_least)
        .min(calibration.train_size_most);
    let doublings = (run.attended() / REFERENCE_CONTEXT).max(1.0).log2();
    let long =
        (1.0 - calibration.long_context_loss * doublings).max(calibration.long_context_least);
    let efficiency = device.training.eager * size * long;
    let peak = match width {
        Width::Full => device.peak.bits_32.map_or(peak, |full| full.min(peak)),
        Width::Half | Width::Eight | Width::Four => peak,
    };
    Some(operations / (peak * efficiency * gain * fused))
}

/// Bytes of the weights, or of the gradients, that a device sends.
fn sent_bytes(model: &Architecture, run: &Run, layout: &Layout) -> f64 {
    // Expert-parallel ranks hold only a part of the experts each.
    let counted = model.parameters();
    let (tensor, spread) = (layout.tensor, layout.tensor.max(layout.expert));
    let dense = (counted.total() - counted.experts) / f64::from(tensor);
    let experts = counted.experts / f64::from(spread);
    let share = (dense + experts) / f64::from(layout.pipeline);
    // Frozen weights are sent only if they are sharded.
    let sent = if run.adapters && layout.zero_stage < 3 {
        adapter_parameters(model, run) / counted.total()
    } else {
        1.0
    };
    SENT_BYTES * share * sent
}

/// Seconds of a step for collectives of data parallelism, before computing hides them.
fn sharding_s(
    model: &Architecture,
    run: &Run,
    layout: &Layout,
    device: &Device,
    calibration: &Calibration,
) -> f64 {
    let ranks = layout.sharding();
    let groups = f64::from(layout.shard_groups);
    if ranks * groups <= 1.0 {
        return 0.0;
    }
    let whole = sent_bytes(model, run, layout);
    // ZeRO 3: two gathers and a scatter per micro-batch. Other stages: a scatter and a gather per step.
    let rounds = if layout.zero_stage >= 3 {
        3.0 * run.accumulation(layout)
    } else {
        2.0
    };
    let links = &device.links;
    let machine = links.domain;
    let devices = f64::from(layout.devices());
    // Each tensor-parallel rank sends its part through this many network cards.
    let cards = (machine / f64::from(layout.tensor)).max(1.0);
    let network = links.network * calibration.network_share;
    let among = |bytes: f64, ranks: f64, devices: f64| {
        if devices <= machine {
            return bytes * (ranks - 1.0) / ranks / links.rate.max(1.0);
        }
        // Each machine receives the parts of the other machines through the cards of all its devices.
        let machines = (devices / machine).ceil();
        bytes * (machines - 1.0) / machines / (network * cards.min(ranks)).max(1.0)
    };
    // Frozen weights are gathered once, for their forward pass.
    let frozen = if layout.zero_stage >= 3 {
        run.accumulation(layout) * frozen_weights(run, layout) * layout.shards(3)
    } else {
        0.0
    };
    let within = among(rounds * whole + frozen, ranks, devices / groups);
    // Hybrid sharding: groups sum their gradients once per step, each rank its part over its own link.
    let link = if devices <= machine {
        links.rate
    } else {
        network
    };
    let added = 2.0 * whole / ranks * (groups - 1.0) / groups / link.max(1.0);
    within + added
}

/// Exposed seconds per token and device in which context parallelism sends keys and values around the ring. Attention
/// hides the rest.
fn rotated_s(model: &Architecture, layout: &Layout, device: &Device, attention_s: f64) -> f64 {
    let ranks = f64::from(layout.context);
    if ranks <= 1.0 {
        return 0.0;
    }
    // Keys and values of the other ranks, and twice their bytes in the backward pass.
    let layers = f64::from(model.layers) / f64::from(layout.pipeline);
    let bytes = model.cache_width() * layers * HIDDEN_BYTES * ROTATIONS;
    let links = &device.links;
    let rate = links.among(f64::from(layout.tensor) * ranks).max(1.0);
    let sent = bytes / f64::from(layout.tensor) * (ranks - 1.0) / rate;
    (sent - attention_s).max(0.0)
}

/// Seconds per token and device of exposed communication: all-reduces of tensor parallelism and exchanges among
/// experts. Trainers with fused kernels overlap a part of it (`train-exposed-…`, from Megatron-Bridge).
fn waited_s(
    model: &Architecture,
    run: &Run,
    layout: &Layout,
    device: &Device,
    calibration: &Calibration,
) -> f64 {
    let hidden = f64::from(model.hidden);
    let links = &device.links;
    let mut seconds = 0.0;
    if layout.tensor > 1 {
        let tensor = f64::from(layout.tensor);
        let bytes = GATHERS * f64::from(model.layers) * hidden * HIDDEN_BYTES;
        let sent = bytes * (tensor - 1.0) / tensor;
        let (_, width) = device.peak.at(run.weights.compute_bits);
        let exposed = if is_fused(model, run, layout, width) {
            calibration.exposed_sums
        } else {
            1.0
        };
        seconds += exposed * sent / links.among(tensor).max(1.0);
    }
    if let Some(experts) = model.experts.filter(|_| layout.expert > 1) {
        let ranks = f64::from(layout.expert);
        let values = f64::from(model.expert_layers()) * f64::from(experts.active) * hidden;
        let sent = EXCHANGES * values * EXCHANGED_BYTES * (ranks - 1.0) / ranks;
        let rate = if ranks > links.domain {
            links.network * calibration.network_share
        } else {
            links.collective(ranks).exchange
        };
        seconds += calibration.exposed_exchanges * sent / rate.max(1.0) / f64::from(layout.tensor);
    }
    seconds
}

/// The pipeline bubble, as a share of the computing time of a step.
fn bubble(run: &Run, layout: &Layout) -> f64 {
    let stages = f64::from(layout.pipeline);
    (stages - 1.0) / (run.virtual_pipeline * run.accumulation(layout))
}

/// Seconds per token of forward passes without training: those of a reference or a teacher, and the log-probabilities
/// of the rollouts.
fn scoring_s(
    model: &Architecture,
    run: &Run,
    layout: &Layout,
    device: &Device,
    calibration: &Calibration,
) -> Option<f64> {
    let forward = |shape: &Architecture, run: &Run| {
        let operations = Operations::of(shape, run, calibration).forward;
        computing_s(shape, run, layout, operations, device, calibration)
    };
    let mut seconds = 0.0;
    if let Some(frozen) = &run.frozen {
        let weights = frozen.weights;
        seconds += forward(&frozen.shape, &Run { weights, ..*run })?;
    }
    if run.rollouts.is_some() {
        seconds += run.workload.trained_models() * forward(model, run)?;
    }
    Some(seconds)
}

/// The share of the training speed that is left with rollouts, whose lengths are unequal.
fn rollout_share(run: &Run, calibration: &Calibration) -> f64 {
    if run.rollouts.is_some() {
        calibration.rollout_train_share
    } else {
        1.0
    }
}

pub(super) fn training(
    model: &Architecture,
    run: &Run,
    layout: &Layout,
    device: &Device,
    calibration: &Calibration,
) -> Option<Speed> {
    let (peak, _) = device.peak.at(run.weights.compute_bits);
    let peak = peak?;
    let operations = Operations::of(model, run, calibration);
    let models = run.workload.trained_models();
    let passes = operations.passes();
    let training = models * computing_s(model, run, layout, passes, device, calibration)?;
    let scoring = scoring_s(model, run, layout, device, calibration)?;
    // All tensor-parallel ranks and pipeline stages of a replica work on each token.
    let devices = f64::from(layout.tensor) * f64::from(layout.pipeline);
    let attention = 3.0 * attention_flops(model, run.attended() / 2.0);
    let attention = computing_s(model, run, layout, attention, device, calibration)? / devices;
    let waited = waited_s(model, run, layout, device, calibration) / f64::from(layout.pipeline)
        + rotated_s(model, layout, device, attention);
    let bubble = 1.0 + bubble(run, layout);
    // Tokens of one data-parallel rank in a step.
    let tokens = run.tokens().max(1.0) * run.accumulation(layout) / f64::from(layout.context);
    let scoring_share = scoring / (training + scoring);
    let computing = (training + scoring) / devices * bubble * tokens;
    let waited = models * waited * bubble * tokens;
    let sharding = models * sharding_s(model, run, layout, device, calibration);
    let sending = waited + (sharding - calibration.hidden_share * computing).max(0.0);
    let offloading = offload::seconds(model, run, layout, device, calibration);
    let step = (computing + sending) / rollout_share(run, calibration) + offloading;
    let per_device = tokens / step / devices;
    let bound = if offloading > computing.max(sending) {
        Bound::Host
    } else if sending > computing {
        Bound::Network
    } else {
        Bound::Compute
    };
    Some(Speed {
        train: Some(per_device),
        step_s: Some(step),
        scoring_s: (scoring > 0.0).then_some((step - offloading) * scoring_share),
        bound: Some(bound),
        mfu: Some(per_device * models * (operations.forward + operations.backward) / peak),
        ..Speed::default()
    })
}

#[cfg(test)]
mod tests {
    use super::super::super::device::{ByWidth, Links, Peak, TrainingShares};
    use super::super::super::format::WeightFormat;
    use super::super::super::run::Frozen;
    use super::super::super::testing::llama_3_8b;
    use super::super::super::words::Workload;
    use super::*;

    fn device() -> Device {
        Device {
            peak: Peak {
                bits_16: Some(1e15),
                ..Peak::default()
            },
            training: TrainingShares {
                eager: 0.5,
                dense: ByWidth {
                    half: 0.5,
                    ..ByWidth::default()
                },
                ..TrainingShares::default()
            },
            links: Links {
                rate: 4e11,
                domain: 8.0,
                network: 1e9,
                ..Links::default()
            },
            ..Device::default()
        }
    }

    fn calibration() -> Calibration {
        Calibration {
            unfused_share: 1.0,
            train_size_least: 1.0,
            train_size_most: 1.0,
            long_context_least: 1.0,
            network_share: 1.0,
            rollout_train_share: 1.0,
            ..Calibration::default()
        }
    }

    fn sharded(data: u32, shard_groups: u32) -> Layout {
        Layout {
            data,
            zero_stage: 3,
            shard_groups,
            ..Layout::default()
        }
    }

    fn full() -> Run {
        Run::new(Workload::Full, WeightFormat::plain(16.0))
    }

    #[test]
    fn frozen_weights_are_gathered_once() {
        let model = llama_3_8b();
        let alone = full();
        let with_teacher = Run {
            frozen: Some(Frozen {
                shape: model,
                weights: alone.weights,
                is_base: false,
            }),
            ..alone
        };
        let seconds =
            |run: &Run, layout: &Layout| sharding_s(&model, run, layout, &device(), &calibration());
        // Two gathers and a scatter of the trained weights, and a gather of the frozen ones.
        let layout = sharded(16, 1);
        let (less, more) = (seconds(&alone, &layout), seconds(&with_teacher, &layout));
        assert!((more / less - 4.0 / 3.0).abs() < 0.01, "{less} {more}");
        // With groups of one machine each, only gradients cross the network: two of three transfers.
        let hybrid = seconds(&alone, &sharded(16, 2));
        assert!((hybrid / less - 2.0 / 3.0).abs() < 0.2, "{less} {hybrid}");
    }

    #[test]
    fn attention_hides_rings_and_stages_divide_them() {
        let model = llama_3_8b();
        let layout = |context, pipeline| Layout {
            pipeline,
            context,
            ..Layout::default()
        };
        let exposed =
            |layout: &Layout, attention: f64| rotated_s(&model, layout, &device(), attention);
        assert!(exposed(&layout(1, 1), 0.0).abs() < f64::EPSILON);
        let whole = exposed(&layout(16, 1), 0.0);
        assert!(whole > 0.0 && exposed(&layout(16, 1), whole).abs() < f64::EPSILON);
        let of_stage = exposed(&layout(16, 4), 0.0);
        assert!((whole / of_stage - 4.0).abs() < 1e-6);
    }

    #[test]
    fn packing_reduces_attention_and_scoring_costs_a_forward_pass() {
        let model = llama_3_8b();
        let long = Run {
            context: 65_536.0,
            ..full()
        };
        let packed = Run {
            packed: Some(1024.0),
            ..long
        };
        let passes = |run: &Run| Operations::of(&model, run, &calibration()).passes();
        assert!(passes(&packed) < 0.7 * passes(&long));
        let scoring = |run: &Run| scoring_s(&model, run, &sharded(1, 1), &device(), &calibration());
        assert_eq!(scoring(&full()), Some(0.0));
        let reference = Run {
            frozen: Some(Frozen {
                shape: model,
                weights: full().weights,
                is_base: true,
            }),
            ..full()
        };
        let forward = Operations::of(&model, &full(), &calibration()).forward;
        let expected = forward / (1e15 * 0.5);
        let found = scoring(&reference).unwrap_or_default();
        assert!((found / expected - 1.0).abs() < 0.01);
    }
}
