//! The time of an optimizer step, on one and on many devices.
//!
//! Training counts two operations for a parameter and token in the forward pass and four in the
//! backward pass. To that comes what is computed again, the bubble of a pipeline (Narayanan et al.,
//! arXiv 2104.04473, section 2.2), and the communication that computing does not hide.

use super::super::architecture::Architecture;
use super::super::calibration::Calibration;
use super::super::device::{Device, Width};
use super::super::memory::adapter_parameters;
use super::super::offload;
use super::super::run::{Layout, Run};
use super::super::train_memory::frozen_weights;
use super::super::words::Checkpointing;
use super::{Bound, Speed, attention_flops};

/// Tokens of a sequence up to which no efficiency is lost.
const REFERENCE_CONTEXT: f64 = 2048.0;
/// Models below this size, in billions of parameters, are taken to have it.
const SMALLEST_BILLIONS: f64 = 0.01;
/// The widths at which fused kernels reach the share that the catalog has.
const DENSE_WIDTH: f64 = 8192.0;
const EXPERT_WIDTH: f64 = 4096.0;
/// Sums of a layer in both passes, each as a gather and a scatter.
const GATHERS: f64 = 8.0;
/// Times that keys and values go around: forward, and twice as much backward.
const ROTATIONS: f64 = 3.0;
/// Exchanges of a mixture in both passes, there and back.
const EXCHANGES: f64 = 4.0;
/// Bytes of a value of the hidden state, and of one that experts exchange: 8 bits there, 16 back.
const HIDDEN_BYTES: f64 = 2.0;
const EXCHANGED_BYTES: f64 = 1.5;
/// Bytes of a parameter or gradient that is sent.
const SENT_BYTES: f64 = 2.0;

/// Operations for one token.
struct Operations {
    forward: f64,
    backward: f64,
    /// Those of the forward pass that are computed again.
    again: f64,
}

impl Operations {
    fn of(model: &Architecture, run: &Run, known: &Calibration) -> Self {
        let active = model.active_parameters();
        let attention = attention_flops(model, run.attended() / 2.0);
        let forward = 2.0 * active + attention;
        // Frozen weights have no gradient of their own.
        let backward = if run.adapters {
            2.0 * active + 2.0 * attention
        } else {
            2.0 * forward
        };
        let again = match run.checkpointing {
            Checkpointing::None => 0.0,
            Checkpointing::Selective => forward * known.recomputed_share,
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

/// Whether the engine is one with fused kernels: engines that cut matrices, layers or experts have
/// them, and those that multiply in 8 bits. Trainers of mixtures are taken to have them in any case.
fn is_fused(model: &Architecture, run: &Run, layout: &Layout, width: Width) -> bool {
    let cut = layout.tensor > 1 || layout.pipeline > 1 || layout.expert > 1;
    let narrow = matches!(width, Width::Eight | Width::Four);
    model.experts.is_some() || (!run.compile && (cut || narrow))
}

/// Seconds that one device would take for so many operations on a token.
fn computing_s(
    model: &Architecture,
    run: &Run,
    layout: &Layout,
    operations: f64,
    device: &Device,
    known: &Calibration,
) -> Option<f64> {
    let peak = device.peak.bits_16?;
    let (_, width) = device.peak.at(run.weights.compute_bits);
    let hidden = f64::from(model.hidden);
    if is_fused(model, run, layout, width) {
        let (shares, reference, exponent) = if model.experts.is_some() {
            let exponent = known.train_expert_width_exponent;
            (&device.training.sparse, EXPERT_WIDTH, exponent)
        } else {
            let exponent = known.train_width_exponent;
            (&device.training.dense, DENSE_WIDTH, exponent)
        };
        let share = shares.of(width) * (hidden / reference).powf(exponent);
        return Some(operations / (peak * share));
    }
    // 8-bit products gain less than their peak.
    let gain = if matches!(width, Width::Eight | Width::Four) {
        known.fp8_gain
    } else {
        1.0
    };
    let fused = if run.compile {
        known.compiled_gain
    } else if model.biases.norm {
        1.0
    } else {
        known.unfused_share
    };
    // What counts is the size of the matrices that one device multiplies.
    let billions = model.active_parameters() / f64::from(layout.tensor) / 1e9;
    let billions = billions.max(SMALLEST_BILLIONS);
    let size = 1.0 + known.train_size_slope * billions.log10();
    let size = size.max(known.train_size_least).min(known.train_size_most);
    let doublings = (run.attended() / REFERENCE_CONTEXT).max(1.0).log2();
    let long = (1.0 - known.long_context_loss * doublings).max(known.long_context_least);
    let efficiency = device.training.eager * size * long;
    let peak = match width {
        Width::Full => device.peak.bits_32.map_or(peak, |full| full.min(peak)),
        Width::Half | Width::Eight | Width::Four => peak,
    };
    Some(operations / (peak * efficiency * gain * fused))
}

/// Bytes of the parameters of one device that are sent when its weights or gradients are.
fn sent_bytes(model: &Architecture, run: &Run, layout: &Layout) -> f64 {
    // Ranks that share the experts have each a part of them.
    let counted = model.parameters();
    let (tensor, spread) = (layout.tensor, layout.tensor.max(layout.expert));
    let dense = (counted.total() - counted.experts) / f64::from(tensor);
    let experts = counted.experts / f64::from(spread);
    let share = (dense + experts) / f64::from(layout.pipeline);
    // Weights that do not change are sent only where they are sharded.
    let sent = if run.adapters && layout.zero_stage < 3 {
        adapter_parameters(model, run) / counted.total()
    } else {
        1.0
    };
    SENT_BYTES * share * sent
}

/// Seconds of a step that sharding sends, before computing hides them.
fn sharding_s(
    model: &Architecture,
    run: &Run,
    layout: &Layout,
    device: &Device,
    known: &Calibration,
) -> f64 {
    let ranks = layout.sharding();
    let groups = f64::from(layout.shard_groups);
    if ranks * groups <= 1.0 {
        return 0.0;
    }
    let whole = sent_bytes(model, run, layout);
    // Two gathers and a scatter of each micro-batch, or a scatter and a gather of each step.
    let rounds = if layout.zero_stage >= 3 {
        3.0 * run.accumulation(layout)
    } else {
        2.0
    };
    let links = &device.links;
    let machine = links.domain;
    let devices = f64::from(layout.devices());
    // Tensor-parallel ranks send a part each: a part has so many cards.
    let cards = (machine / f64::from(layout.tensor)).max(1.0);
    let network = links.network * known.network_share;
    let among = |bytes: f64, ranks: f64, devices: f64| {
        if devices <= machine {
            return bytes * (ranks - 1.0) / ranks / links.rate.max(1.0);
        }
        // Each machine receives what it lacks through the cards of all of its devices.
        let machines = (devices / machine).ceil();
        bytes * (machines - 1.0) / machines / (network * cards.min(ranks)).max(1.0)
    };
    // Weights that are not trained are gathered for their one pass.
    let frozen = if layout.zero_stage >= 3 {
        run.accumulation(layout) * frozen_weights(run, layout) * layout.shards(3)
    } else {
        0.0
    };
    let within = among(rounds * whole + frozen, ranks, devices / groups);
    // Groups add up their gradients once a step: each rank sends its part of them over its own link.
    let link = if devices <= machine {
        links.rate
    } else {
        network
    };
    let added = 2.0 * whole / ranks * (groups - 1.0) / groups / link.max(1.0);
    within + added
}

/// Seconds for one token that context parallelism sends keys and values around, and attention does not
/// hide, on one device.
fn rotated_s(model: &Architecture, layout: &Layout, device: &Device, attention_s: f64) -> f64 {
    let ranks = f64::from(layout.context);
    if ranks <= 1.0 {
        return 0.0;
    }
    // Keys and values of the other ranks, and twice as much on the way back.
    let layers = f64::from(model.layers) / f64::from(layout.pipeline);
    let bytes = model.cache_width() * layers * HIDDEN_BYTES * ROTATIONS;
    let links = &device.links;
    let rate = links.among(f64::from(layout.tensor) * ranks).max(1.0);
    let sent = bytes / f64::from(layout.tensor) * (ranks - 1.0) / rate;
    (sent - attention_s).max(0.0)
}

/// Seconds for one token of a replica that sums of tensor parallelism and exchanges among experts
/// take, and nothing hides, on one device.
fn waited_s(
    model: &Architecture,
    run: &Run,
    layout: &Layout,
    device: &Device,
    known: &Calibration,
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
            known.exposed_sums
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
            links.network * known.network_share
        } else {
            links.collective(ranks).exchange
        };
        seconds += known.exposed_exchanges * sent / rate.max(1.0) / f64::from(layout.tensor);
    }
    seconds
}

/// The share by which a pipeline makes a step longer: the time that stages wait for others.
fn bubble(run: &Run, layout: &Layout) -> f64 {
    let stages = f64::from(layout.pipeline);
    (stages - 1.0) / (run.virtual_pipeline * run.accumulation(layout))
}

/// Seconds for one token that the forward passes of models take which this step does not train: a
/// reference or a teacher, and the log-probabilities of what the model itself has generated.
fn scoring_s(
    model: &Architecture,
    run: &Run,
    layout: &Layout,
    device: &Device,
    known: &Calibration,
) -> Option<f64> {
    let forward = |shape: &Architecture, run: &Run| {
        let operations = Operations::of(shape, run, known).forward;
        computing_s(shape, run, layout, operations, device, known)
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

/// The share of the speed that is left where a model is trained on what it generates.
fn rollout_share(run: &Run, known: &Calibration) -> f64 {
    if run.rollouts.is_some() {
        known.rollout_train_share
    } else {
        1.0
    }
}

pub(super) fn training(
    model: &Architecture,
    run: &Run,
    layout: &Layout,
    device: &Device,
    known: &Calibration,
) -> Option<Speed> {
    let (peak, _) = device.peak.at(run.weights.compute_bits);
    let peak = peak?;
    let operations = Operations::of(model, run, known);
    let models = run.workload.trained_models();
    let passes = operations.passes();
    let training = models * computing_s(model, run, layout, passes, device, known)?;
    let scoring = scoring_s(model, run, layout, device, known)?;
    // Of one device: all tensor ranks and stages of a replica work on a token.
    let devices = f64::from(layout.tensor) * f64::from(layout.pipeline);
    let attention = 3.0 * attention_flops(model, run.attended() / 2.0);
    let attention = computing_s(model, run, layout, attention, device, known)? / devices;
    let waited = waited_s(model, run, layout, device, known) / f64::from(layout.pipeline)
        + rotated_s(model, layout, device, attention);
    let bubble = 1.0 + bubble(run, layout);
    // Tokens of one rank in a step.
    let tokens = run.tokens().max(1.0) * run.accumulation(layout) / f64::from(layout.context);
    let scoring_share = scoring / (training + scoring);
    let computing = (training + scoring) / devices * bubble * tokens;
    let waited = models * waited * bubble * tokens;
    let sharding = models * sharding_s(model, run, layout, device, known);
    let sending = waited + (sharding - known.hidden_share * computing).max(0.0);
    let offloading = offload::seconds(model, run, layout, device, known);
    let step = (computing + sending) / rollout_share(run, known) + offloading;
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

    fn known() -> Calibration {
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
    fn weights_that_are_not_trained_are_gathered_once() {
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
            |run: &Run, layout: &Layout| sharding_s(&model, run, layout, &device(), &known());
        // Two gathers and a scatter of the trained weights, and a gather of the others.
        let layout = sharded(16, 1);
        let (less, more) = (seconds(&alone, &layout), seconds(&with_teacher, &layout));
        assert!((more / less - 4.0 / 3.0).abs() < 0.01, "{less} {more}");
        // In groups of one machine each, only gradients cross the network: two thirds of that.
        let hybrid = seconds(&alone, &sharded(16, 2));
        assert!((hybrid / less - 2.0 / 3.0).abs() < 0.2, "{less} {hybrid}");
    }

    #[test]
    fn rings_are_hidden_by_attention_and_cut_by_stages() {
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
    fn packed_examples_attend_to_less_and_scoring_costs_a_forward_pass() {
        let model = llama_3_8b();
        let long = Run {
            context: 65_536.0,
            ..full()
        };
        let packed = Run {
            packed: Some(1024.0),
            ..long
        };
        let passes = |run: &Run| Operations::of(&model, run, &known()).passes();
        assert!(passes(&packed) < 0.7 * passes(&long));
        let scoring = |run: &Run| scoring_s(&model, run, &sharded(1, 1), &device(), &known());
        assert_eq!(scoring(&full()), Some(0.0));
        let reference = Run {
            frozen: Some(Frozen {
                shape: model,
                weights: full().weights,
                is_base: true,
            }),
            ..full()
        };
        let forward = Operations::of(&model, &full(), &known()).forward;
        let expected = forward / (1e15 * 0.5);
        let found = scoring(&reference).unwrap_or_default();
        assert!((found / expected - 1.0).abs() < 0.01);
    }
}
