//! The time of one step of generating, and of reading prompts.
//!
//! A step reads weights and cache and computes, and pays for each layer, each step and each
//! sequence. Reading and computing overlap in part: the measured times of matrix products lie on the
//! norm with exponent 3 of both, which is near their maximum and a quarter above it where they are
//! equal.

use super::super::architecture::{Architecture, QkNorm};
use super::super::calibration::Calibration;
use super::super::device::{CacheShares, Device, Shares, Width};
use super::super::memory::cache_share;
use super::super::run::{Layout, Run};
use super::super::words::{CacheFormat, Engine};
use super::experts::RankExperts;
use super::{Bound, attention_flops, unwindowed_flops};

/// Bytes that the exchange among experts sends for each value: one there, two back.
const EXCHANGED_BYTES: f64 = 3.0;
/// The third term of the series of a cubic root near 1 is below 1e-10 up to here.
const NEGLIGIBLE: f64 = 1e-3;
/// Bytes of a value of the hidden state.
const HIDDEN_BYTES: f64 = 2.0;

/// The time of reading and computing together.
fn overlapped(reading: f64, computing: f64) -> f64 {
    let (more, less) = if reading > computing {
        (reading, computing)
    } else {
        (computing, reading)
    };
    let cube = (less / more.max(f64::MIN_POSITIVE)).powi(3);
    // Where one is much longer, the first terms of the series are as exact, and most steps are such.
    if cube < NEGLIGIBLE {
        more * (1.0 + cube / 3.0 - cube * cube / 9.0)
    } else {
        more * (1.0 + cube).cbrt()
    }
}

/// Operations for one token that attends to so many in a latent cache: each head multiplies with all of
/// it, so that many heads on one rank compute longer than they read.
fn latent_operations(model: &Architecture, tokens: f64) -> f64 {
    let Some(mla) = model.mla else {
        return 0.0;
    };
    let widths = 2.0 * f64::from(mla.kv_rank) + f64::from(mla.rope_dim);
    2.0 * f64::from(model.heads) * widths * model.attended_entries(tokens)
}

/// Bytes of the cache of one sequence that a rank reads in a step.
fn cache_bytes(model: &Architecture, run: &Run, layout: &Layout) -> f64 {
    // One device after another reads its layers; latent caches and key heads are on every rank.
    let held = cache_share(model, layout) * f64::from(layout.pipeline);
    let tokens = run.in_flight();
    model.attended_bytes(tokens, run.cache.bytes()) * held + model.index_bytes(tokens)
}

/// The shares of the peaks that attention to the cache of a run reaches.
fn cache_shares(run: &Run, shares: &Shares) -> CacheShares {
    match run.cache {
        CacheFormat::Fp8 => shares.fp8_cache,
        _ => shares.cache,
    }
}

/// Seconds that a rank computes the attention of one sequence to a latent cache in a step.
fn attended(model: &Architecture, run: &Run, layout: &Layout, device: &Device) -> f64 {
    let peak = device.peak.bits_16.filter(|_| model.mla.is_some());
    peak.map_or(0.0, |peak| {
        let operations = latent_operations(model, run.in_flight());
        let ranks = f64::from(layout.tensor) * f64::from(layout.context);
        operations / ranks / (peak * cache_shares(run, &device.shares).latent_compute)
    })
}

/// The times of one replica of a model, which are functions of the sequences in flight.
pub(super) struct Pace<'p> {
    model: &'p Architecture,
    run: &'p Run,
    device: &'p Device,
    known: &'p Calibration,
    bandwidth: Option<f64>,
    /// Devices that share each matrix.
    tensor: f64,
    /// Stages that the layers are cut into.
    stages: f64,
    /// Replicas that share their experts.
    sharing: f64,
    layers: f64,
    expert_layers: f64,
    hidden: f64,
    /// The experts of a rank.
    experts: RankExperts<'p>,
    /// Seconds that reading the dense weights of a rank takes.
    dense_read: f64,
    /// Seconds that a rank computes in the layers for one token of its own; `None` where no peak is
    /// known.
    computed: Option<f64>,
    /// Seconds that it computes in the head.
    head: f64,
    /// Seconds that a rank reads the cache of one sequence, and attends to it.
    cache_read: f64,
    /// Tokens that a step generates for each sequence, and tokens that it computes for them.
    generated: f64,
    tried: f64,
    /// Whether prompts are unpacked to be computed.
    unpacks: bool,
    /// Layers where what goes into matrices that every token needs is quantized first.
    quantized_layers: f64,
    /// Bytes of weights that stay on the host, and seconds that its processors read them, and the cache
    /// of one sequence in their layers.
    host_bytes: f64,
    host_read: f64,
    host_cache_read: f64,
}

/// The time of a step, by what it is spent on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Step {
    pub seconds: f64,
    reading: f64,
    computing: f64,
    sending: f64,
    launching: f64,
    on_host: f64,
}

impl Step {
    /// The part that takes most of the time.
    pub fn bound(&self) -> Option<Bound> {
        [
            (self.reading, Bound::Memory),
            (self.computing, Bound::Compute),
            (self.launching, Bound::Launch),
            (self.sending, Bound::Network),
            (self.on_host, Bound::Host),
        ]
        .into_iter()
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, bound)| bound)
    }
}

/// The time of prompts that are read together.
#[derive(Clone, Copy, Debug)]
pub(super) struct Prompts {
    pub seconds: f64,
    /// The share of the peak that useful operations take.
    pub mfu: Option<f64>,
}

impl<'p> Pace<'p> {
    pub fn new(
        model: &'p Architecture,
        run: &'p Run,
        layout: &Layout,
        device: &'p Device,
        known: &'p Calibration,
    ) -> Self {
        let tensor = f64::from(layout.tensor);
        let expert_ranks = f64::from(layout.expert.max(layout.tensor));
        let sharing = expert_ranks / tensor;
        let bytes = run.weights.bytes(model);
        let shares = &device.shares;
        let seconds = |bytes: f64, share: f64| {
            device
                .bandwidth
                .map_or(0.0, |bandwidth| bytes / (bandwidth * share))
        };
        let head_bytes = if bytes.head > 0.0 {
            bytes.head
        } else {
            bytes.embedding
        };
        let counted = model.parameters();
        let dense_bits = run
            .weights
            .compute_bits
            .max(run.weights.dense_compute_bits());
        let (dense_peak, dense_width) = device.peak.at(dense_bits);
        let (_, sparse_width) = device.peak.at(run.weights.compute_bits);
        let unpacks = run.weights.is_quantized() && sparse_width == Width::Half;
        let experts = RankExperts::new(model, run, layout, device, known);
        let per_token = |parameters: f64, peak: f64| {
            2.0 * parameters / tensor / (peak * shares.dense.of(dense_width))
        };
        let computed = dense_peak
            .zip(experts.computed)
            .map(|(peak, experts)| per_token(counted.attention + counted.mlp, peak) + experts);
        let head = dense_peak.map_or(0.0, |peak| {
            per_token(counted.head.max(counted.embedding), peak)
        });
        let (generated, tried) = run.speculation.map_or((1.0, 1.0), |speculation| {
            (speculation.generated(), speculation.tokens + 1.0)
        });
        let cache_bytes = cache_bytes(model, run, layout);
        let of_cache = cache_shares(run, shares);
        let cache_bandwidth = match model.mla {
            Some(_) => of_cache.latent,
            None => of_cache.heads,
        };
        let attending = attended(model, run, layout, device);
        let share = run.device_share(model);
        let host_seconds = |bytes: f64| bytes / (known.host_read_gb_s * 1e9).max(1.0);
        let layer_bytes = bytes.dense + bytes.small;
        let read = model.active_share(run.batch.max(1.0));
        let (host_bytes, host_read) = if run.gpu_layers.is_some() {
            let ends = if run.has_ends(model) { 0.0 } else { head_bytes };
            let rest = (1.0 - share) * layer_bytes + ends;
            let experts = (1.0 - share) * bytes.experts;
            (rest + experts, host_seconds(rest + experts * read))
        } else {
            (0.0, 0.0)
        };
        let head_on_device = if run.has_ends(model) { head_bytes } else { 0.0 };
        Self {
            host_bytes,
            host_read,
            host_cache_read: host_seconds((1.0 - share) * cache_bytes),
            model,
            run,
            device,
            known,
            bandwidth: device.bandwidth,
            tensor,
            stages: f64::from(layout.pipeline),
            sharing,
            experts,
            layers: model.paired_layers(),
            expert_layers: f64::from(model.expert_layers()),
            hidden: f64::from(model.hidden),
            dense_read: seconds(
                (head_on_device + share * layer_bytes) / tensor,
                shares.dense_weights(dense_width),
            ),
            computed,
            head,
            cache_read: overlapped(seconds(share * cache_bytes, cache_bandwidth), attending),
            generated,
            tried,
            unpacks,
            quantized_layers: match dense_width {
                Width::Full | Width::Half => 0.0,
                Width::Eight | Width::Four => model.paired_layers(),
            },
        }
    }

    /// Tokens that one step generates for each sequence.
    pub fn tokens_of_step(&self) -> f64 {
        self.generated
    }

    /// How much more launching costs with quantized weights where kernels are not fused, as a factor.
    fn launch_factor(&self) -> f64 {
        if self.run.engine == Engine::Transformers && self.run.weights.is_quantized() {
            self.known.unfused_launch_factor
        } else {
            1.0
        }
    }

    /// Seconds that the layers cost beside their work.
    fn launched(&self) -> f64 {
        let costs = &self.device.engine;
        let latent = match self.model.mla {
            Some(_) => self.model.attention_layers.unwrap_or(self.model.layers),
            None => 0,
        };
        let indexed = self.model.sparse.map_or(0, |sparse| sparse.index_layers);
        let layers = self.layers * costs.layer
            + self.expert_layers * (costs.expert_layer + self.experts.launch)
            + f64::from(latent) * costs.latent_layer
            + f64::from(indexed) * costs.index_layer
            + self.quantized_layers * costs.quantized_layer;
        layers * self.launch_factor() + costs.step
    }

    /// Seconds of the two sums of each layer over so many tokens, and of a third one of few bytes where norms are of
    /// all heads together.
    fn summed(&self, tokens: f64, factor: f64) -> f64 {
        if self.tensor <= 1.0 {
            return 0.0;
        }
        let among = self.device.links.collective(self.tensor);
        let bytes = tokens * self.hidden * HIDDEN_BYTES;
        let latency = self.device.engine.sum_latencies * among.latency;
        let norms = if self.model.qk_norm == Some(QkNorm::Joint) {
            latency
        } else {
            0.0
        };
        self.layers * (2.0 * (latency + factor * bytes / among.sum.max(1.0)) + norms)
    }

    /// Seconds of the exchanges among experts over so many tokens of a rank.
    fn exchanged(&self, tokens: f64) -> f64 {
        let (Some(experts), true) = (self.model.experts, self.sharing > 1.0) else {
            return 0.0;
        };
        let ranks = self.tensor * self.sharing;
        let rate = self.device.links.collective(ranks).exchange.max(1.0);
        let width = f64::from(self.model.expert_input());
        // A token goes once to each of the other ranks that have an expert of its choice.
        let copies = (ranks - 1.0) * (1.0 - (1.0 - 1.0 / ranks).powf(f64::from(experts.active)));
        let sent = tokens * copies * width * EXCHANGED_BYTES / rate;
        self.expert_layers * (self.known.exchange_factor * sent + self.known.exchange_us * 1e-6)
    }

    /// One step of so many sequences on each rank; `None` where the bandwidth is not known.
    ///
    /// Stages of a pipeline work on different sequences, so that each step has its share of them.
    pub fn step(&self, sequences: f64) -> Option<Step> {
        self.bandwidth?;
        let sequences = (sequences / self.stages).max(1.0);
        let tokens = sequences * self.tried;
        let experts = self.experts.read(tokens * self.sharing);
        // Drafts are written by one more layer.
        let drafts =
            (self.tried - 1.0) * (self.dense_read + experts + self.launched()) / self.layers;
        let weights = self.dense_read + experts;
        let cache = sequences * self.cache_read;
        let computing = tokens * (self.computed.unwrap_or_default() + self.head);
        let hops = (self.stages - 1.0) * self.hop(sequences);
        let sending = self.summed(tokens, 1.0) + self.exchanged(tokens) + hops;
        let launching = self.launched() + sequences * self.device.engine.sequence + drafts;
        let on_host = self.host_read + sequences * self.host_cache_read;
        Some(Step {
            seconds: overlapped(weights, computing) + cache + sending + launching + on_host,
            on_host,
            reading: weights + cache,
            computing,
            sending,
            launching,
        })
    }

    /// Seconds from one stage of a pipeline to the next.
    fn hop(&self, tokens: f64) -> f64 {
        let links = &self.device.links;
        let bytes = tokens * self.hidden * HIDDEN_BYTES;
        let devices = self.tensor * self.stages;
        links.collective(devices).latency + bytes / links.among(devices).max(1.0)
    }

    /// Seconds that a rank computes for one prompt: what it costs others who wait for it.
    pub fn prompt_work(&self) -> Option<f64> {
        let run = self.run;
        let fresh = run.prompt() * (1.0 - run.prefix_cached);
        let before = run.prompt() * run.prefix_cached + fresh / 2.0;
        let (peak, _) = self.device.peak.at(16.0);
        let gain = if run.cache == CacheFormat::Fp8 && self.model.mla.is_none() {
            self.known.fp8_attention_gain
        } else {
            1.0
        };
        let shares = &self.device.shares;
        let half_tokens = match self.model.mla {
            Some(_) => shares.latent_half_tokens,
            None => shares.attention_half_tokens,
        };
        let attention = peak.map(|peak| {
            let flops = attention_flops(self.model, before) / gain
                // On average, a token attends to half of its prompt.
                + unwindowed_flops(self.model, half_tokens / 2.0);
            fresh * flops / self.tensor / (peak * shares.attention)
        })?;
        let slower = match self.run.engine {
            engine if engine.serves() || !self.unpacks => 1.0,
            _ => self.known.dequantizing_share,
        };
        let computing = fresh * self.computed? / slower + attention;
        Some(computing + self.summed_prompt(fresh) + self.exchanged_prompt(fresh))
    }

    fn summed_prompt(&self, tokens: f64) -> f64 {
        self.summed(tokens, self.known.prompt_sum_factor)
    }

    fn exchanged_prompt(&self, tokens: f64) -> f64 {
        self.exchanged(tokens) + self.experts.waited(tokens)
    }

    /// Prompts of so many sequences of a rank, alone on its devices.
    pub fn prompts(&self, sequences: f64) -> Option<Prompts> {
        let work = sequences * self.prompt_work()?;
        let run = self.run;
        let tokens = sequences * run.prompt() * (1.0 - run.prefix_cached);
        let chunks = if run.engine.serves() {
            (tokens / run.max_batched_tokens).ceil().max(1.0)
        } else {
            1.0
        };
        let reading = self.dense_read + self.experts.read(tokens.max(1.0));
        // Layers of the host are sent to the device for each batch of a prompt, which computes them.
        let batches = (tokens / self.known.llama_cpp_batch.max(1.0)).ceil();
        let sent = if self.host_bytes > 0.0 {
            batches * self.host_bytes / self.device.host_link.max(1.0)
        } else {
            0.0
        };
        let seconds = overlapped(work, reading) + chunks * self.launched() + sent;
        let (peak, _) = self.device.peak.at(run.weights.compute_bits);
        let useful = 2.0 * (self.model.active_parameters() - self.model.parameters().embedding)
            + attention_flops(self.model, run.prompt() / 2.0);
        Some(Prompts {
            seconds,
            mfu: peak.map(|peak| tokens * useful / self.tensor / seconds / peak),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::architecture::{Experts, Mla, Window};
    use super::super::super::cache::Sparse;
    use super::super::super::device::{Collective, EngineCosts, Peak, Shares};
    use super::super::super::format::WeightFormat;
    use super::super::super::testing::llama_3_8b;
    use super::super::super::words::Workload;
    use super::*;

    /// Caches at the whole bandwidth, with no time for computing.
    fn read_in_full() -> CacheShares {
        CacheShares {
            heads: 1.0,
            latent: 1.0,
            latent_compute: f64::INFINITY,
        }
    }

    fn device() -> Device {
        Device {
            bandwidth: Some(1e12),
            peak: Peak {
                bits_16: Some(1e14),
                ..Peak::default()
            },
            shares: Shares {
                weights: 1.0,
                experts: 1.0,
                cache: read_in_full(),
                fp8_cache: read_in_full(),
                ..Shares::default()
            },
            engine: EngineCosts {
                index_layer: 1e-3,
                ..EngineCosts::default()
            },
            ..Device::default()
        }
    }

    fn latent() -> Architecture {
        Architecture {
            heads: 128,
            kv_heads: 128,
            mla: Some(Mla {
                kv_rank: 512,
                q_rank: 1536,
                nope_dim: 128,
                rope_dim: 64,
                value_dim: 128,
            }),
            ..llama_3_8b()
        }
    }

    fn cache_read(model: &Architecture, tensor: u32, latent_compute: f64) -> f64 {
        let mut device = device();
        device.shares.cache.latent_compute = latent_compute;
        let run = Run::new(Workload::Inference, WeightFormat::plain(16.0));
        let layout = Layout {
            tensor,
            ..Layout::default()
        };
        Pace::new(model, &run, &layout, &device, &Calibration::default()).cache_read
    }

    #[test]
    fn many_heads_on_one_rank_compute_longer_than_they_read_a_latent_cache() {
        let model = latent();
        let read = cache_read(&model, 1, f64::INFINITY);
        // 128 heads multiply twice with each of 1,088 values: far above the ratio of this device.
        assert!(cache_read(&model, 1, 0.7) > 2.0 * read);
        // One head on each rank reads as much, and computes little.
        assert!((cache_read(&model, 128, 0.7) / read - 1.0).abs() < 0.01);
        // Without a latent cache, nothing of it is computed.
        let plain = llama_3_8b();
        let difference = cache_read(&plain, 1, 0.7) / cache_read(&plain, 1, f64::INFINITY);
        assert!((difference - 1.0).abs() < 1e-9);
    }

    #[test]
    fn a_cache_in_fp8_is_read_at_its_own_share_of_the_bandwidth() {
        let read = |cache: CacheFormat, fp8_cache: f64| {
            let mut device = device();
            device.shares.fp8_cache.heads = fp8_cache;
            let run = Run {
                cache,
                context: 1000.0,
                ..Run::new(Workload::Inference, WeightFormat::plain(16.0))
            };
            let known = Calibration::default();
            let layout = Layout::default();
            Pace::new(&llama_3_8b(), &run, &layout, &device, &known).cache_read
        };
        let whole = read(CacheFormat::Bf16, 0.5);
        assert!((read(CacheFormat::Fp8, 1.0) / whole - 0.5).abs() < 1e-9);
        assert!((read(CacheFormat::Fp8, 0.5) / whole - 1.0).abs() < 1e-9);
        assert!((read(CacheFormat::Int8, 0.5) / whole - 0.5).abs() < 1e-9);
    }

    #[test]
    fn attention_in_fp8_speeds_up_long_prompts_without_a_latent_cache() {
        let prompt = |model: &Architecture, cache: CacheFormat, fp8_attention_gain: f64| {
            let mut device = device();
            device.shares.dense.half = 0.5;
            device.shares.attention = 0.5;
            let run = Run {
                cache,
                context: 32_000.0,
                ..Run::new(Workload::Inference, WeightFormat::plain(16.0))
            };
            let known = Calibration {
                fp8_attention_gain,
                ..Calibration::default()
            };
            let layout = Layout::default();
            Pace::new(model, &run, &layout, &device, &known)
                .prompt_work()
                .unwrap()
        };
        let plain = llama_3_8b();
        let whole = prompt(&plain, CacheFormat::Fp8, 1.0);
        // Attention is a part of the work, which takes half as long.
        let faster = prompt(&plain, CacheFormat::Fp8, 2.0);
        assert!(
            0.5 * whole < faster && faster < 0.9 * whole,
            "{whole} {faster}"
        );
        assert!((prompt(&plain, CacheFormat::Bf16, 2.0) / whole - 1.0).abs() < 1e-9);
        let latent = latent();
        let apart = prompt(&latent, CacheFormat::Fp8, 2.0) / prompt(&latent, CacheFormat::Fp8, 1.0);
        assert!((apart - 1.0).abs() < 1e-9);
    }

    #[test]
    fn a_latent_cache_is_read_at_its_own_share_of_the_bandwidth() {
        let read = |model: &Architecture, cache: CacheFormat| {
            let mut device = device();
            device.shares.cache.latent = 0.5;
            device.shares.fp8_cache.latent = 0.25;
            let run = Run {
                cache,
                context: 1000.0,
                ..Run::new(Workload::Inference, WeightFormat::plain(16.0))
            };
            let layout = Layout::default();
            Pace::new(model, &run, &layout, &device, &Calibration::default()).cache_read
        };
        let (latent, plain) = (latent(), llama_3_8b());
        let bytes = |model: &Architecture| model.attended_bytes(1256.0, 2.0) / 1e12;
        assert!((read(&plain, CacheFormat::Bf16) / bytes(&plain) - 1.0).abs() < 0.01);
        assert!((read(&latent, CacheFormat::Bf16) / bytes(&latent) - 2.0).abs() < 0.02);
        // Half of the bytes, at a quarter of the bandwidth.
        assert!((read(&latent, CacheFormat::Fp8) / bytes(&latent) - 2.0).abs() < 0.02);
    }

    #[test]
    fn attention_of_short_prompts_reaches_less_of_the_peak() {
        let attention = |model: &Architecture, context: f64, half_tokens: f64| {
            let mut device = device();
            device.shares.attention = 0.5;
            device.shares.dense.half = f64::INFINITY;
            device.shares.sparse.half.most = f64::INFINITY;
            device.shares.attention_half_tokens = half_tokens;
            device.shares.latent_half_tokens = 2.0 * half_tokens;
            let run = Run {
                context,
                ..Run::new(Workload::Inference, WeightFormat::plain(16.0))
            };
            let layout = Layout::default();
            let known = Calibration::default();
            let pace = Pace::new(model, &run, &layout, &device, &known);
            pace.prompt_work().unwrap()
        };
        let near = |ratio: f64, expected: f64| assert!((ratio - expected).abs() < 1e-6, "{ratio}");
        let plain = llama_3_8b();
        near(
            attention(&plain, 1000.0, 1000.0) / attention(&plain, 1000.0, 0.0),
            2.0,
        );
        near(
            attention(&plain, 4000.0, 1000.0) / attention(&plain, 4000.0, 0.0),
            1.25,
        );
        let latent = latent();
        near(
            attention(&latent, 1000.0, 1000.0) / attention(&latent, 1000.0, 0.0),
            3.0,
        );
        // Windows save none of it.
        let windowed = Architecture {
            window: Some(Window {
                tokens: 100,
                global_layers: 0,
                global_cache_width: None,
            }),
            ..llama_3_8b()
        };
        let more =
            |model: &Architecture| attention(model, 1000.0, 1000.0) - attention(model, 1000.0, 0.0);
        near(more(&windowed) / more(&plain), 1.0);
    }

    #[test]
    fn norms_of_all_heads_together_take_a_third_sum_of_each_layer() {
        let summed = |qk_norm: Option<QkNorm>, tensor: u32| {
            let model = Architecture {
                qk_norm,
                ..llama_3_8b()
            };
            let mut device = device();
            device.links.domain = 8.0;
            device.links.sums[0].latency = 1e-5;
            device.links.sums[0].sum = 1e18;
            device.engine.sum_latencies = 2.0;
            let known = Calibration::default();
            let run = Run::new(Workload::Inference, WeightFormat::plain(16.0));
            let layout = Layout {
                tensor,
                ..Layout::default()
            };
            Pace::new(&model, &run, &layout, &device, &known).summed(1.0, 1.0)
        };
        let layer = summed(Some(QkNorm::Full), 2) / 32.0;
        assert!((layer / 4e-5 - 1.0).abs() < 1e-3, "{layer}");
        assert!((summed(Some(QkNorm::Joint), 2) / 32.0 / layer - 1.5).abs() < 1e-3);
        assert!(summed(Some(QkNorm::Joint), 1).abs() < 1e-12);
    }

    #[test]
    fn layers_whose_inputs_are_quantized_cost_more_to_launch() {
        let launched = |weights: WeightFormat, bits_8: Option<f64>| {
            let mut device = device();
            device.peak.bits_8 = bits_8;
            device.engine.quantized_layer = 1e-3;
            let run = Run {
                weights,
                ..Run::new(Workload::Inference, weights)
            };
            let known = Calibration::default();
            Pace::new(&llama_3_8b(), &run, &Layout::default(), &device, &known).launched()
        };
        let eight = WeightFormat::plain(8.0);
        assert!((launched(eight, Some(2e14)) - 32e-3).abs() < 1e-9);
        // Weights that are unpacked are multiplied with inputs as they are, and so is attention that stays in 16 bits.
        assert!(launched(eight, None).abs() < 1e-9);
        let attention = WeightFormat {
            attention_bits: 16.0,
            ..eight
        };
        assert!(launched(attention, Some(2e14)).abs() < 1e-9);
    }

    #[test]
    fn attention_to_a_latent_cache_costs_more_to_launch() {
        let launched = |model: &Architecture| {
            let mut device = device();
            device.engine.latent_layer = 1e-3;
            let run = Run::new(Workload::Inference, WeightFormat::plain(16.0));
            let known = Calibration::default();
            Pace::new(model, &run, &Layout::default(), &device, &known).launched()
        };
        assert!((launched(&latent()) - launched(&llama_3_8b()) - 32e-3).abs() < 1e-9);
        // Where other layers are recurrent, only those with attention count.
        let some = Architecture {
            attention_layers: Some(8),
            ..latent()
        };
        assert!((launched(&some) - launched(&llama_3_8b()) - 8e-3).abs() < 1e-9);
    }

    #[test]
    fn layers_of_experts_take_at_least_what_their_products_do() {
        let launched = |launch: f64| {
            let model = Architecture {
                experts: Some(Experts {
                    count: 64,
                    active: 4,
                    width: 1024,
                    shared_width: 0,
                    dense_first: 2,
                    every: 1,
                    latent_width: 0,
                }),
                ..llama_3_8b()
            };
            let mut device = device();
            device.shares.sparse.half.launch = launch;
            let run = Run::new(Workload::Inference, WeightFormat::plain(16.0));
            let known = Calibration::default();
            Pace::new(&model, &run, &Layout::default(), &device, &known).launched()
        };
        assert!((launched(1e-3) - launched(0.0) - 30e-3).abs() < 1e-9);
    }

    #[test]
    fn a_token_goes_once_to_each_rank_that_has_an_expert_of_its_choice() {
        let exchanged = |ranks: u32, active: u32| {
            let model = Architecture {
                experts: Some(Experts {
                    count: 64,
                    active,
                    width: 1024,
                    shared_width: 0,
                    dense_first: 0,
                    every: 1,
                    latent_width: 0,
                }),
                ..llama_3_8b()
            };
            let mut device = device();
            device.links.domain = 64.0;
            device.links.sums = [Collective {
                exchange: 1e11,
                ..Collective::default()
            }; 3];
            let known = Calibration {
                exchange_factor: 1.0,
                ..Calibration::default()
            };
            let run = Run::new(Workload::Inference, WeightFormat::plain(16.0));
            let layout = Layout {
                data: ranks,
                expert: ranks,
                ..Layout::default()
            };
            Pace::new(&model, &run, &layout, &device, &known).exchanged(1000.0)
        };
        // One expert is on another rank in half of the cases, and of eight nearly always one is.
        let one = exchanged(2, 1);
        assert!((one / (32.0 * 1000.0 * 0.5 * 4096.0 * 3.0 / 1e11) - 1.0).abs() < 1e-9);
        assert!((exchanged(2, 8) / one - 2.0 * (1.0 - 0.5_f64.powi(8))).abs() < 1e-9);
        assert!(exchanged(8, 8) < 8.0 * exchanged(8, 1));
    }

    #[test]
    fn dense_weights_in_four_bits_are_read_at_less_of_the_bandwidth() {
        let read = |bits_4: Option<f64>| {
            let mut device = device();
            device.peak.bits_4 = bits_4;
            device.shares.four_bit_weights = 0.5;
            let run = Run::new(Workload::Inference, WeightFormat::plain(4.0));
            let known = Calibration::default();
            Pace::new(&llama_3_8b(), &run, &Layout::default(), &device, &known).dense_read
        };
        assert!((read(Some(4e14)) / read(None) - 2.0).abs() < 1e-9);
    }

    #[test]
    fn each_index_costs_its_kernels() {
        let launched = |index_layers: u32| {
            let model = Architecture {
                sparse: Some(Sparse {
                    top_k: 2048,
                    layers: 32,
                    index_layers,
                    index_heads: 64,
                    index_width: 128,
                }),
                ..latent()
            };
            let run = Run::new(Workload::Inference, WeightFormat::plain(16.0));
            let (device, known) = (device(), Calibration::default());
            Pace::new(&model, &run, &Layout::default(), &device, &known).launched()
        };
        assert!((launched(32) - launched(8) - 24e-3).abs() < 1e-9);
    }
}
