//! The times of one replica: a decode step, and a prefill.
//!
//! A decode step reads weights and cache, computes, communicates, and pays a fixed cost for each layer, step and
//! sequence. `docs/sizing.md` has the formulas. The coefficients are in `catalog/sizing.toml`: shares of the peaks
//! come from measured kernels (aiconfigurator), costs of serving engines from measured runs (InferenceX).

mod communication;
#[cfg(test)]
mod costs_tests;
mod images;
mod prefill;
#[cfg(test)]
mod tests;

use super::super::architecture::Architecture;
use super::super::calibration::Calibration;
use super::super::device::{Device, SamplerCosts};
use super::super::format::WeightBytes;
use super::super::peak::Width;
use super::super::run::{Layout, Run};
use super::super::words::{Sampling, ServingEngine};
use super::cache_reads::{cache_bytes, cache_read_s};
use super::experts::RankExperts;
use super::overlap::overlapped;
use super::parts::TimeParts;
use super::rates::Bound;

/// Bytes of a value of the hidden state between layers: 16 bits in every format of weights.
const HIDDEN_BYTES: f64 = 2.0;

/// The times of one replica of a model, as functions of the number of sequences in flight.
pub(super) struct ReplicaTimes<'p> {
    model: &'p Architecture,
    run: &'p Run,
    device: &'p Device,
    calibration: &'p Calibration,
    /// Devices that share each matrix.
    tensor: f64,
    /// Pipeline stages.
    stages: f64,
    /// Data-parallel ranks that share the experts.
    sharing: f64,
    layers: f64,
    expert_layers: f64,
    hidden: f64,
    /// The experts of a rank.
    experts: RankExperts<'p>,
    /// Seconds that a rank takes to read its dense weights.
    dense_read: f64,
    /// Seconds that a rank takes for the 16-bit copies of its dense weights, if a product has several tokens.
    dense_copied: f64,
    /// Seconds that the layers of a rank compute for one token; `None` if no peak is known.
    computed: Option<f64>,
    /// Seconds that a rank computes the head for one token.
    head: f64,
    /// Seconds that a rank takes to attend to the cache of one sequence.
    cache_read: f64,
    /// Tokens that a step generates per sequence; above 1 with speculation.
    generated: f64,
    /// Tokens that a step computes per sequence: the generated one and all guesses.
    tried: f64,
    /// Parameters that a token of a prompt is multiplied with.
    multiplied: f64,
    /// Whether a prefill unpacks weights to 16 bits before it multiplies them.
    unpacks: bool,
    /// Layers whose inputs are quantized before they are multiplied with dense weights.
    quantized_layers: f64,
    /// The costs of sampling.
    sampler: SamplerCosts,
    /// Seconds that the host takes to count the tokens of a sequence for its penalties.
    counted: f64,
    host: HostLayers,
}

/// Layers and experts that the host computes (llama.cpp); all zeros if the device has everything.
struct HostLayers {
    /// Bytes of weights in the host's memory.
    bytes: f64,
    /// Seconds that the host takes to read the weights of a step.
    read: f64,
    /// Seconds that the host takes to read the cache of one sequence.
    cache_read: f64,
}

impl HostLayers {
    /// `head_bytes` and `cache_bytes` are those of the whole model.
    ///
    /// Generating on a host is bound by its memory: `host-read-gb-per-s` is measured with two channels of DDR4, and
    /// `host-bandwidth-share` relates it to the peak of such memory.
    fn of(
        model: &Architecture,
        run: &Run,
        calibration: &Calibration,
        bytes: &WeightBytes,
        head_bytes: f64,
        cache_bytes: f64,
    ) -> Self {
        let share = 1.0 - run.device_share(model);
        let rate = run
            .host_bandwidth
            .map_or(calibration.host_read_gb_s * 1e9, |peak| {
                peak * calibration.host_bandwidth_share
            });
        let seconds = |bytes: f64| bytes / rate.max(1.0);
        let cache_read = seconds(share * cache_bytes);
        if !run.uses_host() {
            return Self {
                bytes: 0.0,
                read: 0.0,
                cache_read,
            };
        }
        let ends = if run.has_ends(model) { 0.0 } else { head_bytes };
        let dense = share * (bytes.dense + bytes.small) + ends;
        // Either layers or experts are on the host, not both.
        let experts = share.max(1.0 - run.device_expert_share(model)) * bytes.experts;
        // A step reads only the experts that its tokens choose.
        let active = model.active_share(run.batch.max(1.0));
        Self {
            bytes: dense + experts,
            read: seconds(dense + experts * active),
            cache_read,
        }
    }
}

/// The time of a decode step, by cause.
#[derive(Clone, Copy, Debug)]
pub(super) struct StepTime {
    pub seconds: f64,
    /// Seconds of reading weights and of computing, which overlap.
    weights: f64,
    computing: f64,
    cache: f64,
    sending: f64,
    launching: f64,
    sampling: f64,
    /// Seconds of the engine's own work between two steps.
    between: f64,
    on_host: f64,
}

impl StepTime {
    /// The parts of the step.
    pub fn parts(&self) -> TimeParts {
        let products = overlapped(self.weights, self.computing);
        let parts = TimeParts::overlapping(self.weights, self.computing, products);
        TimeParts {
            reading: parts.reading + self.cache,
            sending: self.sending,
            launching: self.launching,
            sampling: self.sampling,
            waiting: self.between + self.on_host,
            ..parts
        }
    }

    /// The largest part of the step.
    pub fn bound(&self) -> Option<Bound> {
        Bound::of_largest([
            (self.weights + self.cache, Bound::Memory),
            (self.computing, Bound::Compute),
            (self.launching + self.sampling + self.between, Bound::Launch),
            (self.sending, Bound::Network),
            (self.on_host, Bound::Host),
        ])
    }
}

impl<'p> ReplicaTimes<'p> {
    pub fn new(
        model: &'p Architecture,
        run: &'p Run,
        layout: &Layout,
        device: &'p Device,
        calibration: &'p Calibration,
    ) -> Self {
        let tensor = f64::from(layout.tensor);
        let expert_ranks = f64::from(layout.expert.max(layout.tensor));
        let counted = model.parameters();
        let bytes = run.weights.bytes_of(&counted);
        let shares = &device.shares;
        // Every step reads the head once; a tied head is the embedding.
        let head_bytes = if bytes.head > 0.0 {
            bytes.head
        } else {
            bytes.embedding
        };
        // Dense matrices are multiplied in the wider of both formats: checkpoints often keep attention in 16 bits.
        let bits = device.peak.bits_of(&run.weights);
        let dense_bits = bits.max(run.weights.dense_compute_bits());
        let (dense_peak, dense_width) = device.peak.at(dense_bits);
        let (_, sparse_width) = device.peak.at(bits);
        let experts = RankExperts::new(model, run, layout, device, calibration, &counted);
        // Two operations, a multiplication and an addition, per parameter and token.
        let per_token = |parameters: f64, peak: f64| {
            2.0 * parameters / tensor / (peak * shares.dense.of(dense_width))
        };
        let (generated, tried) = run.speculation.map_or((1.0, 1.0), |speculation| {
            (speculation.generated(), speculation.tokens + 1.0)
        });
        let device_share = run.device_share(model);
        let device_head = if run.has_ends(model) { head_bytes } else { 0.0 };
        let device_bytes = device_head + device_share * (bytes.dense + bytes.small);
        let dense_share = shares.dense_weights(dense_width);
        let seconds = |bytes: f64| {
            device
                .bandwidth
                .map_or(0.0, |bandwidth| bytes / tensor / (bandwidth * dense_share))
        };
        let copied = run.weights.copied_bytes(counted.attention + counted.mlp);
        // Long answers vary less: chats more than reasoning.
        let half_tokens = calibration.answer_half_tokens;
        let variation =
            calibration.answer_variation * half_tokens / (half_tokens + run.generate).max(1.0);
        let tokens = run.in_flight(variation);
        let cache_bytes = cache_bytes(model, run, layout, tokens);
        let engine = &device.engine;
        let sampler = match run.sampling {
            Sampling::Greedy => SamplerCosts::default(),
            Sampling::TopP => engine.top_p,
            Sampling::Penalties => engine.top_p.with(engine.penalties),
        };
        Self {
            sampler: sampler.for_vocabulary(f64::from(model.vocab)),
            counted: match run.sampling {
                Sampling::Penalties => (tokens - run.prompt()) * engine.counted_token,
                Sampling::Greedy | Sampling::TopP => 0.0,
            },
            host: HostLayers::of(model, run, calibration, &bytes, head_bytes, cache_bytes),
            model,
            run,
            device,
            calibration,
            tensor,
            stages: f64::from(layout.pipeline),
            sharing: expert_ranks / tensor,
            layers: model.paired_layers(),
            expert_layers: f64::from(model.expert_layers()),
            multiplied: model.active_of(&counted) - counted.embedding,
            hidden: f64::from(model.hidden),
            dense_read: seconds(device_bytes),
            dense_copied: seconds(device_share * copied),
            computed: dense_peak
                .zip(experts.computed)
                .map(|(peak, experts)| per_token(counted.attention + counted.mlp, peak) + experts),
            head: dense_peak.map_or(0.0, |peak| {
                per_token(counted.head.max(counted.embedding), peak)
            }),
            experts,
            cache_read: cache_read_s(model, run, layout, device, device_share, tokens),
            generated,
            tried,
            unpacks: run.weights.is_quantized() && sparse_width == Width::Half,
            quantized_layers: match dense_width {
                Width::Full | Width::Half => 0.0,
                Width::Eight | Width::Four => model.paired_layers(),
            },
        }
    }

    /// Tokens that a step generates per sequence.
    pub fn tokens_of_step(&self) -> f64 {
        self.generated
    }

    /// The factor on the launch cost of unfused kernels for quantized weights.
    ///
    /// transformers unpacks each matrix with a separate kernel. The factor is the ratio of nf4 to bf16 in litgpt.
    fn launch_factor(&self) -> f64 {
        if self.run.engine == ServingEngine::Transformers && self.run.weights.is_quantized() {
            self.calibration.unfused_launch_factor
        } else {
            1.0
        }
    }

    /// Seconds of a step in addition to reading and computing: kernel launches, norms, and
    /// kernels so small that they take a fixed time.
    ///
    /// Kinds of layers add their additional kernels.
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
        layers * self.launch_factor()
    }

    /// Seconds of the engine's own work between two steps with `sequences` sequences, of which the device computes for
    /// `busy` seconds.
    ///
    /// `launch-us-per-step` does not grow with the layers. The host counts tokens and launches layers without a graph
    /// while the device computes, so only the time beyond that counts.
    fn between(&self, sequences: f64, busy: f64) -> f64 {
        let costs = &self.device.engine;
        let counting = sequences * self.counted;
        let launching = if sequences > costs.graph_sequences {
            (self.layers + self.expert_layers) * costs.eager_layer
        } else {
            0.0
        };
        costs.step + (counting + launching - busy).max(0.0)
    }

    /// The share of a pass that pipeline stages wait for each other, for `sequences` sequences per stage: their
    /// micro-batches are not equal, and the engine schedules them one after another (`pipeline-wait-share`). A single
    /// sequence passes through the stages without waiting.
    pub(super) fn pipeline_waits(&self, sequences: f64) -> f64 {
        if self.stages <= 1.0 {
            return 0.0;
        }
        self.device.engine.pipeline_wait * self.stages.log2() * (1.0 - 1.0 / sequences)
    }

    /// Seconds that a rank takes to read the weights for a product with `tokens` tokens per rank.
    fn read(&self, tokens: f64) -> f64 {
        // The kernels for a single token multiply without a copy.
        let copied = if tokens > 1.0 { self.dense_copied } else { 0.0 };
        // Ranks that share experts read the experts that the tokens of all these ranks choose.
        self.dense_read + copied + self.experts.read(tokens * self.sharing)
    }

    /// The time of one decode step with `sequences` sequences per rank; `None` if the bandwidth is unknown.
    ///
    /// Pipeline stages work on different sequences, so each step has its share of them, and at least one.
    pub fn step(&self, sequences: f64) -> Option<StepTime> {
        self.device.bandwidth?;
        let sequences = (sequences / self.stages).max(1.0);
        let tokens = sequences * self.tried;
        let costs = &self.device.engine;
        let weights = self.read(tokens);
        // One additional layer generates the guesses of speculation, one after another.
        let drafts = (self.tried - 1.0) * (weights + self.launched() + costs.step) / self.layers;
        let cache = sequences * self.cache_read;
        let computing = tokens * (self.computed.unwrap_or_default() + self.head);
        let hops = (self.stages - 1.0) * self.hop(sequences);
        let sending = self.summed(tokens, 1.0) + self.exchanged(tokens) + hops;
        let split = self.expert_layers * self.experts.split(tokens * self.sharing);
        let launching = self.launched() + split + drafts;
        let sampling = sequences * costs.sequence + self.sampler.seconds(sequences);
        let on_host = self.host.read + sequences * self.host.cache_read;
        // Only matrix products overlap reading and computing. Attention, collectives and the host follow each other.
        let busy = overlapped(weights, computing) + cache + sending + launching;
        let between = self.between(sequences, busy) + self.pipeline_waits(sequences) * busy;
        Some(StepTime {
            seconds: busy + sampling + between + on_host,
            weights,
            computing,
            cache,
            sending,
            launching,
            sampling,
            between,
            on_host,
        })
    }
}
