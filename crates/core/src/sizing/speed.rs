//! How fast a model runs: a roofline with the efficiencies that were measured.

use super::architecture::Architecture;
use super::calibration::Calibration;
use super::device::Device;
use super::memory::{adapter_parameters, cache_share};
use super::run::{Layout, Run};
use super::words::{Checkpointing, Engine, Word};

words!(
    /// What keeps it from being faster.
    Bound {
        Memory = "memory",
        Compute = "compute",
        Network = "network",
        /// Starting kernels takes longer than running them.
        Launch = "launch",
    }
);

/// Tokens per second. A missing rate is one for which a figure of the device is not known.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Speed {
    /// Of all devices, reading prompts.
    pub prefill: Option<f64>,
    /// Of all devices, generating.
    pub decode: Option<f64>,
    /// Of all devices, generating, the time to read the prompts included.
    pub output: Option<f64>,
    /// Until a prompt is read.
    pub first_token_s: Option<f64>,
    /// Of one device.
    pub train: Option<f64>,
    pub bound: Option<Bound>,
    /// The share of the peak operations that does useful work.
    pub mfu: Option<f64>,
}

/// The speed of a run.
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

fn training(
    model: &Architecture,
    run: &Run,
    layout: &Layout,
    device: &Device,
    known: &Calibration,
) -> Option<Speed> {
    let bits = if run.weights.is_quantized() && run.weights.compute_bits >= 16.0 {
        16.0
    } else {
        run.weights.compute_bits
    };
    let peak_16 = device.flops_16?;
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
    let billions = (active / 1e9).max(0.01);
    let size = 1.0 + known.train_size_slope * billions.log10();
    let long = 1.0 - known.long_context_loss * (run.context / 2048.0).max(1.0).log2();
    let efficiency = device.train_efficiency * size.clamp(0.3, 1.5) * long.max(0.4);
    let peak = peak_16.min(device.flops(bits).unwrap_or(peak_16));
    let computing = (forward + backward + again) / (peak * efficiency * gain * fused);
    // Gradients, and weights where they are sharded, cross the slowest link once a step.
    let ranks = layout.sharding();
    let tokens = run.tokens().max(1.0) / f64::from(layout.context);
    let sending = if ranks > 1.0 {
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
    } else {
        0.0
    };
    // Tokens are of a rank, and a rank is so many devices.
    let devices = f64::from(layout.tensor) * f64::from(layout.pipeline);
    let reduce = if layout.tensor > 1 {
        let tensor = f64::from(layout.tensor);
        let bytes = 16.0 * f64::from(model.layers) * f64::from(model.hidden);
        bytes * (tensor - 1.0) / tensor / device.link_among(tensor)
    } else {
        0.0
    };
    // Computing hides what is sent for sharding; what a layer waits for, nothing hides.
    let computing = computing / devices;
    let token = computing.max(sending) + reduce;
    let per_device = 1.0 / token / devices;
    let bound = if sending.max(reduce) > computing {
        Bound::Network
    } else {
        Bound::Compute
    };
    Some(Speed {
        train: Some(per_device),
        bound: Some(bound),
        mfu: Some(per_device * (3.0 * forward) / peak_16),
        ..Speed::default()
    })
}

impl Calibration {
    /// What launching costs with quantized weights, where kernels are not fused.
    fn launch_share(&self, run: &Run) -> f64 {
        let unfused = matches!(run.engine, Engine::Transformers);
        if unfused && run.weights.is_quantized() {
            self.unfused_launch_factor
        } else {
            1.0
        }
    }
}
