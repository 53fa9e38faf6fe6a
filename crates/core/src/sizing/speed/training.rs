//! The time of an optimizer step, on one and on many devices.
//!
//! Training takes two operations per parameter and token in the forward pass and four in the backward pass. Added to
//! these are recomputation, the bubble of a pipeline (Narayanan et al., arXiv 2104.04473, section 2.2), and the
//! communication that does not overlap with computing.

use super::super::architecture::Architecture;
use super::super::calibration::Calibration;
use super::super::device::Device;
use super::super::memory::adapter_parameters;
use super::super::memory::trained::frozen_weights;
use super::super::offload;
use super::super::peak::Width;
use super::super::run::{Layout, Run};
use super::super::words::Checkpointing;
use super::eager::{copying_s, launching_s};
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
        let active = model.active_with_embedding();
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

/// Seconds that one device would take to compute `operations` operations of a token.
///
/// Efficiencies are measured with some models and extrapolated to others, so the fastest matrix product of the device
/// bounds them.
fn computing_s(
    model: &Architecture,
    run: &Run,
    layout: &Layout,
    operations: f64,
    device: &Device,
    calibration: &Calibration,
) -> Option<f64> {
    let (peak, width) = device.peak.at(run.weights.compute_bits);
    let fastest = peak? * device.training.products.of(width);
    let rate = operations_per_s(model, run, layout, device, calibration)?;
    Some(operations / rate.min(fastest))
}

/// The operations per second of one device, before the bound.
fn operations_per_s(
    model: &Architecture,
    run: &Run,
    layout: &Layout,
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
        return Some(peak * share);
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
    let billions = model.active_with_embedding() / f64::from(layout.tensor) / 1e9;
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
    Some(peak * efficiency * gain * fused)
}

/// Bytes of the weights, or of the gradients, that a device sends.
fn sent_bytes(model: &Architecture, run: &Run, layout: &Layout) -> f64 {
    // Expert-parallel ranks hold only a part of the experts each.
    let counted = model.parameters();
    let (tensor, spread) = (layout.tensor, layout.tensor.max(layout.expert));
    let dense = (counted.total() - counted.experts) / f64::from(tensor);
    let experts = counted.experts / f64::from(spread);
    let share = (dense + experts) / f64::from(layout.pipeline);
    // Frozen weights are sent only if they are sharded, and then in their stored format.
    let sent = match (run.adapters, layout.zero_stage) {
        (true, 0..=2) => adapter_parameters(model, run) / counted.total(),
        (true, _) => (run.weights.bits / 8.0 / SENT_BYTES).min(1.0),
        (false, _) => 1.0,
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
    let total_bytes = sent_bytes(model, run, layout);
    // ZeRO 3: two gathers and a scatter per micro-batch, where frozen weights have no gradient to scatter. Other
    // stages: a scatter and a gather per step.
    let rounds = match (layout.zero_stage, run.adapters) {
        (0..=2, _) => 2.0,
        (_, true) => 2.0 * run.accumulation(layout),
        (_, false) => 3.0 * run.accumulation(layout),
    };
    let links = &device.links;
    let machine = links.domain;
    let devices = f64::from(layout.devices());
    // Each tensor-parallel rank sends its part through this many network cards.
    let cards = (machine / f64::from(layout.tensor)).max(1.0);
    let network = links.network * calibration.network_share;
    let among = |bytes: f64, ranks: f64, devices: f64| {
        if devices <= machine {
            return links.gather_s(bytes, ranks, devices);
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
    let within = among(rounds * total_bytes + frozen, ranks, devices / groups);
    // Hybrid sharding: groups sum their gradients once per step, each rank its part over its own link.
    let link = if devices <= machine {
        links.among(devices)
    } else {
        network
    };
    let added = 2.0 * total_bytes / ranks * (groups - 1.0) / groups / link.max(1.0);
    within + added
}

/// Exposed seconds per token and device that context parallelism takes to send keys and values around the ring.
/// Attention hides the rest.
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
        let (_, width) = device.peak.at(run.weights.compute_bits);
        let exposed = if is_fused(model, run, layout, width) {
            calibration.exposed_sums
        } else {
            1.0
        };
        seconds += exposed * links.gather_s(bytes, tensor, tensor);
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
    let products = computing_s(model, run, layout, passes, device, calibration)?;
    let (_, width) = device.peak.at(run.weights.compute_bits);
    let (copying, launching) = if is_fused(model, run, layout, width) {
        (0.0, 0.0)
    } else {
        let launching = models * launching_s(model, run, layout, device, calibration);
        (copying_s(model, run, device, calibration), launching)
    };
    let training = models * (products + copying);
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
    // The share was measured with NVLink. No measurement shows that computing hides gathers of weights over PCI
    // Express.
    let hidden_share = match layout.zero_stage {
        3.. if !device.links.is_fabric => 0.0,
        _ => calibration.hidden_share,
    };
    let sending = waited + (sharding - hidden_share * computing).max(0.0);
    let offloading = offload::seconds(model, run, layout, device, calibration);
    let passing = (computing + sending).max(launching);
    let step = passing / rollout_share(run, calibration) + offloading;
    let per_device = tokens / step / devices;
    let bound = if offloading > computing.max(sending) {
        Bound::Host
    } else if launching > computing + sending {
        Bound::Launch
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
    use super::super::super::device::{ByWidth, Links, TrainingShares};
    use super::super::super::format::WeightFormat;
    use super::super::super::peak::Peak;
    use super::super::super::run::{Frozen, StepSize};
    use super::super::super::testing::{assert_near, llama_3_8b, tiny, tiny_mixture};
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
                products: ByWidth {
                    half: 1.0,
                    eight: 1.0,
                    four: 1.0,
                },
                ..TrainingShares::default()
            },
            links: Links {
                rate: 4e11,
                domain: 8.0,
                is_fabric: true,
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
    fn computing_hides_transfers_over_fabrics_only() {
        let lora = Run::new(Workload::Lora, WeightFormat::plain(16.0));
        let calibration = Calibration {
            hidden_share: 1.0,
            ..calibration()
        };
        let step_s = |is_fabric| {
            let mut device = device();
            device.links.is_fabric = is_fabric;
            let speed = training(&llama_3_8b(), &lora, &sharded(2, 1), &device, &calibration);
            speed.unwrap().step_s.unwrap()
        };
        // Two gathers of the frozen weights, of which each device sends half.
        let sent = 2.0 * SENT_BYTES * llama_3_8b().parameters().total() / 2.0 / device().links.rate;
        assert_near(step_s(false) - step_s(true), sent);
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
        let all_exposed = exposed(&layout(16, 1), 0.0);
        assert!(all_exposed > 0.0 && exposed(&layout(16, 1), all_exposed).abs() < f64::EPSILON);
        let of_stage = exposed(&layout(16, 4), 0.0);
        assert!((all_exposed / of_stage - 4.0).abs() < 1e-6);
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

    #[test]
    fn a_token_takes_two_operations_per_parameter_and_pass() {
        let operations = |change: &dyn Fn(&mut Run)| {
            let mut run = Run {
                context: 10.0,
                ..full()
            };
            change(&mut run);
            let calibration = Calibration {
                recomputed_share: 0.25,
                ..calibration()
            };
            let operations = Operations::of(&tiny(), &run, &calibration);
            [operations.forward, operations.backward, operations.again]
        };
        // Attention to half of the sequence: four layers, 32 operations per entry.
        let attention = 5.0 * 4.0 * 32.0;
        let forward = 2.0 * 2888.0 + attention;
        let near = |found: [f64; 3], expected: [f64; 3]| {
            for (found, expected) in found.into_iter().zip(expected) {
                assert_near(found, expected);
            }
        };
        near(operations(&|_| ()), [forward, 2.0 * forward, forward]);
        let selective = operations(&|run| run.checkpointing = Checkpointing::Selective);
        near(selective, [forward, 2.0 * forward, 0.25 * forward]);
        let adapters = operations(&|run| {
            run.adapters = true;
            run.checkpointing = Checkpointing::None;
        });
        near(adapters, [forward, forward + attention, 0.0]);
    }

    #[test]
    fn eager_training_reaches_less_of_the_peak_with_small_models_and_long_sequences() {
        let model = Architecture {
            extra_parameters: 0,
            ..llama_3_8b()
        };
        let calibration = Calibration {
            train_size_slope: 0.5,
            train_size_least: 0.1,
            train_size_most: 2.0,
            long_context_loss: 0.125,
            long_context_least: 0.5,
            unfused_share: 0.75,
            compiled_gain: 1.25,
            fp8_gain: 1.5,
            ..calibration()
        };
        let rate = |change: &dyn Fn(&mut Run, &mut Layout, &mut Device)| {
            let (mut run, mut layout, mut device) = (full(), Layout::default(), device());
            change(&mut run, &mut layout, &mut device);
            1e15 / computing_s(&model, &run, &layout, 1e15, &device, &calibration)
                .unwrap_or_default()
        };
        let size = 1.0 + 0.5 * (model.active_with_embedding() / 1e9).log10();
        let base = 1e15 * 0.5 * size * 0.75;
        let near = |found: f64, factor: f64| assert_near(found / base, factor);
        near(rate(&|_, _, _| ()), 1.0);
        near(rate(&|run, _, _| run.context = 8192.0), 0.75);
        near(rate(&|run, _, _| run.context = 2048.0 * 64.0), 0.5);
        near(rate(&|run, _, _| run.context = 100.0), 1.0);
        near(rate(&|run, _, _| run.compile = true), 1.25 / 0.75);
        let eight = |run: &mut Run, device: &mut Device| {
            run.weights = WeightFormat::plain(8.0);
            run.compile = true;
            device.peak.bits_8 = Some(2e15);
        };
        near(
            rate(&|run, _, device| eight(run, device)),
            1.5 * 1.25 / 0.75,
        );
        let full = |run: &mut Run, device: &mut Device| {
            run.weights = WeightFormat::plain(32.0);
            device.peak.bits_32 = Some(1e14);
        };
        near(rate(&|run, _, device| full(run, device)), 0.1);
        // Fused kernels have their own share, which grows with the width.
        let fused = |run: &mut Run, layout: &mut Layout| {
            run.compile = false;
            layout.tensor = 2;
        };
        near(
            rate(&|run, layout, _| fused(run, layout)),
            1e15 * 0.5 / base,
        );
    }

    #[test]
    fn no_training_is_faster_than_matrix_products() {
        let mut device = device();
        device.training.products.half = 0.25;
        let rate = |run: &Run, layout: &Layout| {
            1e15 / computing_s(&tiny(), run, layout, 1e15, &device, &calibration())
                .unwrap_or_default()
        };
        assert_near(rate(&full(), &Layout::default()) / 1e15, 0.25);
        let fused = Layout {
            tensor: 2,
            ..Layout::default()
        };
        let wide = Architecture {
            hidden: 8192,
            ..tiny()
        };
        let calibration = calibration();
        let seconds = computing_s(&wide, &full(), &fused, 1e15, &device, &calibration);
        assert_near(1.0 / seconds.unwrap_or_default(), 0.25);
        assert_eq!(
            computing_s(
                &tiny(),
                &full(),
                &fused,
                1e15,
                &Device::default(),
                &calibration
            ),
            None
        );
    }

    #[test]
    fn a_step_divides_work_among_stages_and_adds_the_bubble() {
        let run = Run {
            context: 10.0,
            batch: 2.0,
            step: StepSize::MicroBatches(4.0),
            ..full()
        };
        let calibration = calibration();
        let step = |layout: &Layout, virtual_pipeline| {
            let run = Run {
                virtual_pipeline,
                ..run
            };
            training(&tiny(), &run, layout, &device(), &calibration).unwrap_or_default()
        };
        let passes = Operations::of(&tiny(), &run, &calibration).passes();
        let one = step(&Layout::default(), 1.0);
        let rate = |layout: &Layout| {
            let seconds = computing_s(&tiny(), &run, layout, passes, &device(), &calibration);
            seconds.unwrap_or_default()
        };
        let seconds = 80.0 * rate(&Layout::default());
        assert_near(one.step_s.unwrap_or_default() / seconds, 1.0);
        assert_near(one.train.unwrap_or_default() * seconds / 80.0, 1.0);
        assert_eq!(one.bound, Some(Bound::Compute));
        let stages = Layout {
            pipeline: 2,
            ..Layout::default()
        };
        let half = 80.0 * rate(&stages) / 2.0;
        assert_near(step(&stages, 1.0).step_s.unwrap_or_default() / half, 1.25);
        assert_near(step(&stages, 2.0).step_s.unwrap_or_default() / half, 1.125);
    }

    #[test]
    fn exposed_communication_is_sums_and_exchanges() {
        let mut device = device();
        device.links.sums[0].exchange = 1e9;
        device.links.sums[1].exchange = 1e9;
        let calibration = Calibration {
            exposed_sums: 0.5,
            exposed_exchanges: 0.25,
            ..calibration()
        };
        let seconds = |model: &Architecture, tensor, expert| {
            let layout = Layout {
                tensor,
                data: 2,
                expert,
                ..Layout::default()
            };
            waited_s(model, &full(), &layout, &device, &calibration) * 1e9
        };
        assert_near(seconds(&tiny(), 1, 1), 0.0);
        // Eight gathers of 4 layers with 8 values of 2 bytes, half of them from the other rank.
        assert_near(
            seconds(&tiny(), 2, 1),
            0.5 * 8.0 * 4.0 * 8.0 * 2.0 / 2.0 / 400.0,
        );
        // Four exchanges of 3 layers with 2 experts, 8 values of 1.5 bytes, half of them on the other rank.
        assert_near(
            seconds(&tiny_mixture(), 1, 2),
            0.25 * 4.0 * 3.0 * 2.0 * 8.0 * 1.5 / 2.0,
        );
    }

    #[test]
    fn a_device_sends_its_part_of_the_weights() {
        let bytes =
            |model: &Architecture, run: &Run, layout: Layout| sent_bytes(model, run, &layout);
        let base = Layout::default();
        assert_near(bytes(&tiny(), &full(), base), 2.0 * 2888.0);
        let split = Layout {
            tensor: 2,
            pipeline: 2,
            ..base
        };
        assert_near(bytes(&tiny(), &full(), split), 2.0 * 2888.0 / 4.0);
        let expert = Layout {
            data: 2,
            expert: 2,
            ..base
        };
        let dense = tiny_mixture().parameters().total() - 1152.0;
        assert_near(
            bytes(&tiny_mixture(), &full(), expert),
            2.0 * (dense + 576.0),
        );
        let adapters = Run {
            adapters: true,
            ..full()
        };
        let parameters = adapter_parameters(&tiny(), &adapters);
        assert_near(bytes(&tiny(), &adapters, base), 2.0 * parameters);
        let sharded = Layout {
            zero_stage: 3,
            ..base
        };
        assert_near(bytes(&tiny(), &adapters, sharded), 2.0 * 2888.0);
    }

    #[test]
    fn sharding_sends_rounds_of_weights() {
        let run = Run {
            step: StepSize::MicroBatches(4.0),
            ..full()
        };
        let seconds = |data, zero_stage, shard_groups| {
            let layout = Layout {
                data,
                zero_stage,
                shard_groups,
                ..Layout::default()
            };
            sharding_s(&tiny(), &run, &layout, &device(), &calibration()) * 1e9 / 5776.0
        };
        assert_near(seconds(1, 3, 1), 0.0);
        // Within a machine at 400 GB/s: each rank lacks half of the weights.
        assert_near(seconds(2, 0, 1), 2.0 / 2.0 / 400.0);
        assert_near(seconds(2, 3, 1), 12.0 / 2.0 / 400.0);
        // Two machines at 8 cards of 1 GB/s.
        assert_near(seconds(16, 2, 1), 2.0 / 2.0 / 8.0);
        // Two groups of one machine: 1/8 of the gradients crosses the network per rank.
        assert_near(seconds(16, 2, 2), 2.0 * 7.0 / 8.0 / 400.0 + 2.0 / 8.0 / 2.0);
    }

    #[test]
    fn only_pairs_use_the_rate_of_a_bridge() {
        let mut bridged = device();
        bridged.links.beyond_pair = Some(1e11);
        let seconds = |data, device: &Device| {
            let layout = Layout {
                data,
                ..Layout::default()
            };
            sharding_s(&tiny(), &full(), &layout, device, &calibration())
        };
        assert_near(seconds(2, &bridged) / seconds(2, &device()), 1.0);
        assert_near(seconds(4, &bridged) / seconds(4, &device()), 4.0);
        // Other machines are behind the network, bridge or not.
        assert_near(seconds(16, &bridged) / seconds(16, &device()), 1.0);
    }
}
