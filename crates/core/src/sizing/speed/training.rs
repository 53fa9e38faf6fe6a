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
        let attention = attention_flops(model, run.context / 2.0);
        let forward = 2.0 * active + attention;
        // Frozen weights have no gradient of their own.
        let backward = if run.workload.has_adapters() {
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
/// them, and those that multiply in 8 bits.
fn is_fused(run: &Run, layout: &Layout, width: Width) -> bool {
    let cut = layout.tensor > 1 || layout.pipeline > 1 || layout.expert > 1;
    let narrow = matches!(width, Width::Eight | Width::Four);
    !run.compile && (cut || narrow)
}

/// Seconds that the devices of one replica compute for one token, on one device.
fn computing_s(
    model: &Architecture,
    run: &Run,
    layout: &Layout,
    operations: &Operations,
    device: &Device,
    known: &Calibration,
) -> Option<f64> {
    let peak = device.peak.bits_16?;
    let (_, width) = device.peak.at(run.weights.compute_bits);
    let hidden = f64::from(model.hidden);
    if is_fused(run, layout, width) {
        let (shares, reference, exponent) = if model.experts.is_some() {
            let exponent = known.train_expert_width_exponent;
            (&device.training.sparse, EXPERT_WIDTH, exponent)
        } else {
            let exponent = known.train_width_exponent;
            (&device.training.dense, DENSE_WIDTH, exponent)
        };
        let share = shares.of(width) * (hidden / reference).powf(exponent);
        return Some(operations.passes() / (peak * share));
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
    let doublings = (run.context / REFERENCE_CONTEXT).max(1.0).log2();
    let long = (1.0 - known.long_context_loss * doublings).max(known.long_context_least);
    let efficiency = device.training.eager * size * long;
    let peak = match width {
        Width::Full => device.peak.bits_32.map_or(peak, |full| full.min(peak)),
        Width::Half | Width::Eight | Width::Four => peak,
    };
    Some(operations.passes() / (peak * efficiency * gain * fused))
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
    if ranks <= 1.0 {
        return 0.0;
    }
    // Ranks that share the experts have each a part of them.
    let counted = model.parameters();
    let (tensor, spread) = (layout.tensor, layout.tensor.max(layout.expert));
    let dense = (counted.total() - counted.experts) / f64::from(tensor);
    let experts = counted.experts / f64::from(spread);
    let share = (dense + experts) / f64::from(layout.pipeline);
    // Weights that do not change are sent only where they are sharded.
    let sent = if run.workload.has_adapters() && layout.zero_stage < 3 {
        adapter_parameters(model, run) / model.parameters().total()
    } else {
        1.0
    };
    // Two gathers and a scatter of each micro-batch, or a scatter and a gather of each step.
    let rounds = if layout.zero_stage >= 3 {
        3.0 * run.accumulation(layout)
    } else {
        2.0
    };
    let bytes = rounds * SENT_BYTES * share * sent;
    let links = &device.links;
    let devices = f64::from(layout.devices());
    let machine = links.domain;
    if devices <= machine {
        return bytes * (ranks - 1.0) / ranks / links.rate.max(1.0);
    }
    // Each machine receives what it lacks through the cards of all of its devices.
    let machines = (devices / machine).ceil();
    // Tensor-parallel ranks send a part each: a part has so many cards.
    let cards = (machine / f64::from(tensor)).max(1.0).min(ranks);
    let network = links.network * known.network_share * cards;
    bytes * (machines - 1.0) / machines / network.max(1.0)
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
        let exposed = if is_fused(run, layout, width) {
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
    let computing = computing_s(model, run, layout, &operations, device, known)?;
    // Of one device: all tensor ranks and stages of a replica work on a token.
    let devices = f64::from(layout.tensor) * f64::from(layout.pipeline);
    let waited = waited_s(model, run, layout, device, known) / f64::from(layout.pipeline);
    let bubble = 1.0 + bubble(run, layout);
    // Tokens of one rank in a step.
    let tokens = run.tokens().max(1.0) * run.accumulation(layout) / f64::from(layout.context);
    let computing = computing / devices * bubble * tokens;
    let waited = waited * bubble * tokens;
    let sharding = sharding_s(model, run, layout, device, known);
    let sending = waited + (sharding - known.hidden_share * computing).max(0.0);
    let offloading = offload::seconds(model, run, layout, device, known);
    let step = computing + sending + offloading;
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
        bound: Some(bound),
        mfu: Some(per_device * (3.0 * operations.forward) / peak),
        ..Speed::default()
    })
}
