//! How fast a model runs: a roofline with the efficiencies that were measured.
//!
//! A step takes the longer of reading its bytes and computing its operations, each at the share
//! of the peak that was measured, plus a cost for each layer that is launched. Training counts
//! two operations for a parameter and token in the forward pass and four in the backward pass.

use super::architecture::Architecture;
use super::calibration::Calibration;
use super::device::Device;
use super::memory::{adapter_parameters, cache_share};
use super::offload;
use super::run::{Layout, Run};
use super::words::{Checkpointing, Engine};

crate::words! {
    /// The part of a step that takes most of its time.
    pub enum Bound {
        /// Reading weights and cache from the device's memory.
        Memory = "memory",
        /// Computing.
        Compute = "compute",
        /// Sending data between devices.
        Network = "network",
        /// Starting kernels takes longer than running them.
        Launch = "launch",
        /// Transfers to the host's memory, and the optimizer that runs there.
        Host = "host",
    }
}

/// Tokens of a sequence up to which no efficiency is lost.
const REFERENCE_CONTEXT: f64 = 2048.0;
/// Models below this size, in billions of parameters, are taken to have it.
const SMALLEST_BILLIONS: f64 = 0.01;

/// Tokens per second. A rate is missing where a figure of the device is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Speed {
    /// Of all devices, reading prompts.
    pub prefill: Option<f64>,
    /// Of all devices, generating.
    pub decode: Option<f64>,
    /// Of all devices, generating, the time to read the prompts included.
    pub output: Option<f64>,
    /// Seconds until a prompt is read and its first token is there.
    pub first_token_s: Option<f64>,
    /// Of one device, training.
    pub train: Option<f64>,
    /// The part of a step that takes most of its time.
    pub bound: Option<Bound>,
    /// The share of the 16-bit peak that useful operations take, between 0 and 1.
    pub mfu: Option<f64>,
}

/// The speed of a run, which has to pass [`Run::check`].
pub fn speed(
    model: &Architecture,
    run: &Run,
    layout: &Layout,
    device: &Device,
    known: &Calibration,
) -> Speed {
    if run.workload.is_training() {
        training(model, run, layout, device, known).unwrap_or_default()
    } else {
        inference(model, run, layout, device, known)
    }
}

/// Operations of attention for one token in one pass, with so many tokens before it.
fn attention_flops(model: &Architecture, before: f64) -> f64 {
    let layers = model.attention_layers.unwrap_or(model.layers);
    let (global, local) = model.cache_layers();
    let near = model
        .window
        .map_or(before, |window| before.min(f64::from(window.tokens)));
    let seen = (global * before + local * near) / f64::from(layers.max(1));
    4.0 * f64::from(layers) * model.query_width() * seen
}

fn inference(
    model: &Architecture,
    run: &Run,
    layout: &Layout,
    device: &Device,
    known: &Calibration,
) -> Speed {
    let tensor = f64::from(layout.tensor);
    let replicas = f64::from(layout.data);
    let layers = f64::from(model.layers);
    let active = model.active_parameters() - model.parameters().embedding;
    let communication = |tokens: f64| {
        if layout.tensor == 1 {
            return 0.0;
        }
        // Two sums over all ranks in each layer.
        let bytes = tokens * f64::from(model.hidden) * 2.0;
        let share = 2.0 * (tensor - 1.0) / tensor;
        2.0 * layers * (bytes * share / device.link_among(tensor))
    };
    let launch = layers * device.launch * known.launch_share(run);
    // Generating: everything that is active is read for one token of each sequence.
    let middle = run.context + run.generate / 2.0;
    // One device after another reads its layers; latent caches and key heads are on every rank.
    let cached = run.batch * model.cache_values(middle) * run.cache.bytes();
    let cached = cached * cache_share(model, layout) * f64::from(layout.pipeline);
    let read = run.weights.bytes(model).read(model, run.batch) / tensor + cached;
    let peak = device.flops(run.weights.compute_bits);
    let decode = device.bandwidth.map(|bandwidth| {
        let reading = read / (bandwidth * device.decode_efficiency);
        let flops = run.batch * (2.0 * active + attention_flops(model, middle));
        let computing = peak.map_or(0.0, |peak| {
            flops / tensor / (peak * device.prefill_efficiency)
        });
        let sending = communication(run.batch);
        let step = reading.max(computing) + launch + sending;
        let bound = [
            (reading, Bound::Memory),
            (computing, Bound::Compute),
            (launch, Bound::Launch),
            (sending, Bound::Network),
        ]
        .into_iter()
        .max_by(|a, b| a.0.total_cmp(&b.0));
        (step, bound.map(|(_, bound)| bound))
    });
    // Reading prompts: attention sees half of the prompt on average.
    let per_token = 2.0 * active + attention_flops(model, run.context / 2.0);
    let prefill = peak.map(|peak| {
        let slower = if run.weights.is_quantized() && run.weights.compute_bits >= 16.0 {
            known.dequantizing_share
        } else {
            1.0
        };
        let tokens = run.tokens().max(1.0);
        let computing = tokens * per_token / tensor / (peak * device.prefill_efficiency * slower);
        computing + launch + communication(tokens)
    });
    Speed {
        prefill: prefill.map(|seconds| replicas * run.tokens().max(1.0) / seconds),
        decode: decode.map(|(step, _)| replicas * run.batch / step),
        output: prefill
            .zip(decode)
            .filter(|_| run.generate >= 1.0)
            .map(|(prefill, (step, _))| {
                replicas * run.batch * run.generate / (prefill + run.generate * step)
            }),
        first_token_s: prefill
            .zip(decode)
            .map(|(prefill, (step, _))| prefill + step),
        train: None,
        bound: decode.and_then(|(_, bound)| bound),
        mfu: prefill
            .zip(peak)
            .map(|(seconds, peak)| run.tokens() * per_token / tensor / seconds / peak),
    }
}

/// Operations for one token in training.
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
}

/// Seconds that one device computes for one token.
fn computing_s(
    model: &Architecture,
    run: &Run,
    operations: &Operations,
    device: &Device,
    known: &Calibration,
) -> Option<f64> {
    let bits = if run.weights.is_quantized() && run.weights.compute_bits >= 16.0 {
        16.0
    } else {
        run.weights.compute_bits
    };
    let peak_16 = device.flops_16?;
    // 8-bit products gain less than their peak.
    let has_8 = device.flops(8.0) > device.flops_16;
    let gain = if bits <= 8.0 && has_8 {
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
    let billions = (model.active_parameters() / 1e9).max(SMALLEST_BILLIONS);
    let size = 1.0 + known.train_size_slope * billions.log10();
    let size = size.max(known.train_size_least).min(known.train_size_most);
    let doublings = (run.context / REFERENCE_CONTEXT).max(1.0).log2();
    let long = (1.0 - known.long_context_loss * doublings).max(known.long_context_least);
    let efficiency = device.train_efficiency * size * long;
    let peak = peak_16.min(device.flops(bits).unwrap_or(peak_16));
    let all_passes = operations.forward + operations.backward + operations.again;
    Some(all_passes / (peak * efficiency * gain * fused))
}

/// Seconds that sharding sends for one token of a rank: gradients, and weights where they are
/// sharded, cross the slowest link once a step.
fn sharding_s(
    model: &Architecture,
    run: &Run,
    layout: &Layout,
    device: &Device,
    tokens: f64,
) -> f64 {
    let ranks = layout.sharding();
    if ranks <= 1.0 {
        return 0.0;
    }
    let share = model.parameters().total() / f64::from(layout.tensor * layout.pipeline);
    let rounds = if layout.zero_stage >= 3 { 3.0 } else { 2.0 };
    // Weights that do not change are sent only where they are sharded.
    let sent = if run.workload.has_adapters() && layout.zero_stage < 3 {
        adapter_parameters(model, run) / model.parameters().total()
    } else {
        1.0
    };
    let bytes = rounds * 2.0 * share * sent;
    bytes * (ranks - 1.0) / ranks / device.link_among(f64::from(layout.devices())) / tokens
}

fn training(
    model: &Architecture,
    run: &Run,
    layout: &Layout,
    device: &Device,
    known: &Calibration,
) -> Option<Speed> {
    let peak_16 = device.flops_16?;
    let operations = Operations::of(model, run, known);
    let computing = computing_s(model, run, &operations, device, known)?;
    let tokens = run.tokens().max(1.0) / f64::from(layout.context);
    let sending = sharding_s(model, run, layout, device, tokens);
    // Tokens are of a rank, and a rank is so many devices.
    let devices = f64::from(layout.tensor) * f64::from(layout.pipeline);
    let reduce = if layout.tensor > 1 {
        let tensor = f64::from(layout.tensor);
        let bytes = 16.0 * f64::from(model.layers) * f64::from(model.hidden);
        bytes * (tensor - 1.0) / tensor / device.link_among(tensor)
    } else {
        0.0
    };
    let offloading = offload::seconds(model, run, layout, device, known) / tokens;
    // Computing hides what is sent for sharding; what a layer waits for, nothing hides.
    let computing = computing / devices;
    let token = computing.max(sending) + reduce + offloading;
    let per_device = 1.0 / token / devices;
    let bound = if offloading > computing.max(sending).max(reduce) {
        Bound::Host
    } else if sending.max(reduce) > computing {
        Bound::Network
    } else {
        Bound::Compute
    };
    Some(Speed {
        train: Some(per_device),
        bound: Some(bound),
        mfu: Some(per_device * (3.0 * operations.forward) / peak_16),
        ..Speed::default()
    })
}

impl Calibration {
    /// How much more launching costs with quantized weights where kernels are not fused, as a factor.
    fn launch_share(&self, run: &Run) -> f64 {
        let unfused = matches!(run.engine, Engine::Transformers);
        if unfused && run.weights.is_quantized() {
            self.unfused_launch_factor
        } else {
            1.0
        }
    }
}
