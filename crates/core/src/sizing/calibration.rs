//! Measured coefficients. The catalog has their values and sources.

use super::units::GIB;
use super::words::{ServingEngine, Workload};
use crate::catalog::{Accelerator, Catalog};

macro_rules! coefficients {
    ($($(#[$doc:meta])* $field:ident = $name:literal,)+; $($(#[$rare_doc:meta])* $rare:ident = $rare_name:literal,)+) => {
        /// Measured coefficients for one kind of work. The fields state their units; the catalog has their sources.
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        pub struct Calibration {
            $($(#[$doc])* pub $field: f64,)+
            $($(#[$rare_doc])* pub $rare: f64,)+
        }

        impl Calibration {
            /// The names that every catalog with coefficients has to define. The others are 0 for most engines.
            pub const NAMES: &'static [&'static str] = &[$($name,)+];

            /// The coefficients of a catalog for a kind of work and an engine. A coefficient of the engine takes
            /// precedence over one of the work, and both over the general one; a missing coefficient is 0.
            pub fn of(catalog: &Catalog<'_>, workload: Workload, engine: ServingEngine) -> Self {
                let scopes = [engine.word(), workload.word()];
                let value = |name: &str| catalog.coefficient_among(name, &scopes, None);
                Self {
                    $($field: value($name).unwrap_or_default(),)+
                    $($rare: value($rare_name).unwrap_or_default(),)+
                }
            }
        }
    };
}

coefficients!(
    /// Memory of the driver for one process, GiB.
    context_gib = "device-context-gib",
    /// The same for engines that launch kernels from CUDA graphs, GiB.
    serving_context_gib = "serving-context-gib",
    /// Memory that the allocator and the math libraries hold from the start, GiB.
    workspace_gib = "workspace-gib",
    /// Communication buffers of each process of a run on several devices, GiB.
    communication_gib = "communication-gib",
    /// Bytes per value of the hidden state of a token while a layer runs.
    prefill_hidden_bytes = "prefill-hidden-bytes",
    /// Bytes per inner value of an MLP while a layer runs.
    prefill_ffn_bytes = "prefill-ffn-bytes",
    /// Bytes per score (pair of tokens and head) of eager attention.
    eager_score_bytes = "eager-score-bytes",
    /// The share of the bytes of scores that training keeps.
    eager_kept_share = "eager-score-kept-share",
    /// Bytes per logit from which a token is sampled.
    logit_bytes = "logit-bytes",
    /// Bytes per logit if a text is scored, which needs all logits.
    scored_logit_bytes = "scored-logit-bytes",
    /// Tokens of a cache block, the unit of allocation of serving engines.
    cache_block = "cache-block-tokens",
    /// The average share of an answer whose cache is allocated while it is generated.
    reserved_answer = "reserved-answer-share",
    /// 1 if the cache of a layer with a window ends at the window, and 2 if it keeps all tokens.
    window_cache_factor = "window-cache-factor",
    /// Blocks of the cache that hold the recurrent states of a sequence, for each group of layers.
    state_blocks = "state-blocks",
    /// Bytes of a value of a recurrent state in the cache of a serving engine.
    state_value_bytes = "state-value-bytes",
    /// The engine pads the input of routed experts to a multiple of this width.
    expert_input_multiple = "expert-input-multiple",
    /// Memory of the workspaces that stays allocated after generating, GiB.
    steady_workspace_gib = "steady-workspace-gib",
    /// Sequences whose logits serving engines profile when they start: their default maximum.
    profiled_sequences = "profiled-sequences",
    /// Tokens of the pass in that profile, if the request does not limit them.
    profiled_tokens = "profiled-tokens",
    /// Bytes per logit in that profile.
    sampler_logit_bytes = "sampler-logit-bytes",
    /// Tokens that llama.cpp computes in one batch.
    llama_cpp_batch = "llama-cpp-batch",
    /// Copies of the attention mask that llama.cpp keeps if several devices compute different batches at once.
    llama_cpp_copies = "llama-cpp-copies",
    /// Bytes that training keeps per value of the hidden state, token and layer.
    train_hidden_bytes = "train-hidden-bytes",
    /// The same with fused norms.
    train_hidden_fused_bytes = "train-hidden-fused-norm-bytes",
    /// Bytes that training keeps per value of queries, keys and values.
    train_attention_bytes = "train-attention-bytes",
    /// Bytes that training keeps per inner value of an MLP with a gate.
    train_gated_ffn_bytes = "train-gated-ffn-bytes",
    /// Bytes that training keeps per inner value of an MLP without a gate.
    train_plain_ffn_bytes = "train-plain-ffn-bytes",
    /// Bytes that training keeps per value of normalized queries and keys.
    qk_norm_bytes = "train-qk-norm-bytes",
    /// Bytes per value of the hidden state that frozen norms do not keep.
    frozen_norm_bytes = "frozen-norm-bytes",
    /// Bytes per input value of a frozen matrix without an adapter, which is not kept.
    frozen_matrix_bytes = "frozen-matrix-bytes",
    /// Bytes of state per parameter of 8-bit AdamW, including the scales of its blocks.
    adamw_8bit_bytes = "adamw-8bit-state-bytes",
    /// Bytes of state per parameter of Adafactor.
    adafactor_bytes = "adafactor-state-bytes",
    /// Bytes per logit in training.
    train_logit_bytes = "train-logit-bytes",
    /// Bytes per logit in training if logits are computed in chunks.
    train_chunked_logit_bytes = "train-chunked-logit-bytes",
    /// The factor on activations in 32 bits.
    fp32_activation_factor = "fp32-activation-factor",
    /// The factor on activations of compiled training.
    compiled_activation_factor = "compiled-activation-factor",
    /// The factor on activations with quantized weights.
    quantized_activation_factor = "quantized-activation-factor",
    /// The share of the activations that selective checkpointing keeps.
    selective_share = "selective-checkpointing-share",
    /// Bytes per parameter of gathered weights and gradients while a layer is in use.
    gathered_bytes = "gathered-parameter-bytes",
    /// The share of the forward pass that selective checkpointing recomputes.
    recomputed_share = "recomputed-share",
    /// The speedup of training with 8-bit products.
    fp8_gain = "fp8-train-gain",
    /// The speedup of compiled training.
    compiled_gain = "compiled-train-gain",
    /// The factor on the training speed if norms and gates are separate kernels.
    unfused_share = "unfused-train-share",
    /// The gain in the share of the peak for ten times as many parameters.
    train_size_slope = "train-size-slope",
    /// The minimum factor of the size of a model on the training speed.
    train_size_least = "train-size-factor-least",
    /// The maximum value of that factor.
    train_size_most = "train-size-factor-most",
    /// The share of the training speed that is lost with each doubling of the sequence length.
    long_context_loss = "long-context-loss",
    /// The minimum share that is left.
    long_context_least = "long-context-share-least",
    /// The shape of the gamma distribution of how often experts are chosen; infinite if they are chosen evenly.
    expert_choice_shape = "expert-choice-shape",
    /// The same for the text of people, whose tokens choose more independently than random ones.
    text_choice_shape = "text-expert-choice-shape",
    /// The coefficient of variation of the lengths of short answers to people.
    answer_variation = "answer-length-variation",
    /// The average length of answers with half of that variation, in tokens.
    answer_half_tokens = "answer-variation-half-tokens",
    /// The factor on the bytes of all-reduces in a prefill.
    prompt_sum_factor = "prompt-sum-factor",
    /// The factor on the bytes of exchanges among experts.
    exchange_factor = "exchange-factor",
    /// The minimum time of the exchange of a layer, in microseconds.
    exchange_us = "exchange-us-per-layer",
    /// The factor on the computing time of experts if ranks wait for the busiest rank.
    expert_imbalance = "expert-imbalance",
    /// The speedup of attention in a prefill with a cache in fp8; latent caches have none.
    fp8_attention_gain = "fp8-attention-gain",
    /// The share of other requests' prompts that decoding waits for.
    stall_share = "stall-share",
    /// The share of the time spent on prefill that a new prompt waits for.
    queue_share = "queue-share",
    /// The share of the first wave of prompts that a request waits for on average.
    wave_share = "first-wave-share",
    /// Users of a replica whose requests stay in step if all lengths are equal.
    users_in_step = "users-in-step",
    /// The exposed share of all-reduces in tensor-parallel training.
    exposed_sums = "train-exposed-sum-share",
    /// The exposed share of exchanges among experts in training.
    exposed_exchanges = "train-exposed-exchange-share",
    /// The share of computing that can hide transfers of sharded weights.
    hidden_share = "train-hidden-share",
    /// The factor on the training speed with rollouts.
    rollout_train_share = "rollout-train-share",
    /// The factor on the time of rollouts that waiting for the longest answers adds.
    rollout_tail = "rollout-tail-factor",
    /// Seconds until a serving engine works with new weights, in addition to their transfer.
    refit_s = "refit-seconds",
    /// The share of a link that the transfer of trained weights reaches.
    refit_share = "refit-link-share",
    /// The share of the network that collectives of training reach.
    network_share = "train-network-share",
    /// The exponent of the hidden width in the training speed of a dense model.
    train_width_exponent = "train-width-exponent",
    /// The same for mixtures of experts.
    train_expert_width_exponent = "train-expert-width-exponent",
    /// The factor on the speed of a prefill whose weights have to be unpacked.
    dequantizing_share = "dequantizing-share",
    /// The factor on the launch cost of a layer with such weights, without fused kernels.
    unfused_launch_factor = "unfused-launch-factor",
    /// The ratio of reserved to temporary memory in inference.
    slack_inference = "slack-inference",
    /// The same in training on sequences of varying length.
    slack_varied = "slack-varied-lengths",
    /// The same in training on sequences of equal length.
    slack_equal = "slack-equal-lengths",
    /// Memory in gaps that the allocator cannot use for small tensors in fine-tuning, GiB.
    slack_gib = "slack-varied-gib",
    /// Bytes that an adapter keeps per value of its input: a copy in its format, and the mask of its dropout; 0 if it
    /// shares the input of its matrix.
    adapter_input_bytes = "adapter-input-bytes",
    /// Bytes of an adapter's parameter. Its gradient and each moment of its optimizer have as many.
    adapter_parameter_bytes = "adapter-parameter-bytes",
    /// Bytes per parameter that are added to embedding and head of a model that is quantized while it is loaded.
    upcast_bytes = "upcast-parameter-bytes",
    /// Copies of the whole model that each rank holds while the model is loaded and sharded.
    load_copies = "unsharded-load-copies",
    /// 1 if gradients stay on the device while the optimizer runs on the host, and 0 if they move while they are
    /// computed.
    kept_gradients = "offload-kept-gradients",
    /// The factor on offloaded state in host memory: buffers that transfers need.
    host_buffers = "host-buffer-factor",
    /// Billions of parameters that the processors of a host update in a second.
    host_update_billions_s = "host-update-billions-per-s",
    /// GB (10⁹ bytes) of weights and cache that the processors of a host read in a second while decoding.
    host_read_gb_s = "host-read-gb-per-s",
    /// The share of the peak bandwidth of their memory that they reach.
    host_bandwidth_share = "host-bandwidth-share",
    ;
    /// The longest context, in units of 1,024 tokens, that the profile reads in one pass; 0 if prompts are read in
    /// chunks.
    profiled_context_ki = "profiled-context-ki",
    /// 1 if the engine reports the size of its cache for sequences whose layers all keep all tokens, even with windows.
    cache_log_by_groups = "cache-log-by-groups",
    /// The maximum number of sequences in the profile of a model that reads images; 0 without a limit.
    image_profiled_sequences = "image-profiled-sequences",
    /// Nanoseconds that a serving engine takes to move a value of the pixels of an image to its devices, while no step
    /// runs.
    image_ns_per_value = "image-ns-per-value",
    /// 1 if 32-bit parameters are trained with automatic mixed precision, which copies them for each product.
    autocast = "autocast",
    /// Bytes of state per parameter of embeddings with 8-bit AdamW; 0 if they are like the others.
    adamw_8bit_embedding_bytes = "adamw-8bit-embedding-bytes",
    /// Temporary bytes per value of the largest tensor in a step of Adafactor.
    adafactor_step_bytes = "adafactor-step-bytes",
    /// 1 if the step of the optimizer is a fused kernel without copies.
    fused_optimizer = "fused-optimizer",
    /// The share of logits, and of a recomputed layer, that gaps add in training on sequences of equal length; without
    /// recomputation, of gradients.
    logit_gap_share = "logit-gap-share",
    /// The same for gradients, or for all temporary memory if it is smaller.
    gradient_gap_share = "gradient-gap-share",
    /// Launches of both passes of a layer in eager training, in those of a layer of a decoding step; 0 if unknown.
    train_launches = "train-launches",
    /// The additional share of launches for each matrix of a layer with an adapter.
    adapter_launch_share = "adapter-launch-share",
    /// The factor on launches if the weights of adapters are quantized.
    quantized_launch_factor = "quantized-launch-factor",
    /// Bytes that an adapter moves per value of its input and of its output, and token.
    adapter_traffic_bytes = "adapter-traffic-bytes",
    /// Partial sums of each 4-bit product that the engine keeps at once in 16 bits; 0 if it adds them up in place.
    split_products = "split-products",
);

/// The pass that a serving engine computes by default when it starts, to measure the memory that the cache may take.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Profile {
    sequences: f64,
    tokens: f64,
}

/// The profiles of a serving engine on a device, and on a part of it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Profiles {
    large: Profile,
    other: Profile,
    /// Bytes from which a device is large.
    least_large: f64,
}

impl Profiles {
    /// The profile on a device, or on a part of it, with this number of bytes.
    pub fn of(&self, memory: Option<f64>) -> Profile {
        if memory.is_some_and(|bytes| bytes >= self.least_large) {
            self.large
        } else {
            self.other
        }
    }
}

impl Calibration {
    /// The coefficients of a version of a serving engine with a weight format, and its profiled pass on an accelerator.
    #[must_use]
    pub fn served_on(
        self,
        catalog: &Catalog<'_>,
        accelerator: &Accelerator,
        (engine, version): (ServingEngine, Option<&str>),
        precision: &str,
    ) -> (Self, Profiles) {
        let usual = Profile {
            sequences: self.profiled_sequences,
            tokens: self.profiled_tokens,
        };
        if !engine.serves() {
            let profiles = Profiles {
                large: usual,
                other: usual,
                least_large: f64::INFINITY,
            };
            return (self, profiles);
        }
        let word = engine.word();
        let least_large = catalog.coefficient_among("large-device-gib", &[word], version);
        let least_large = least_large.unwrap_or(f64::INFINITY);
        let of_family = format!("{word} on {}", catalog.str(accelerator.family));
        let on_large = format!("{word} on large devices");
        let with_format = format!("{word} with {precision}");
        let profile = |scopes: &[&str]| Profile {
            sequences: catalog
                .coefficient_among("profiled-sequences", scopes, version)
                .unwrap_or(usual.sequences),
            tokens: catalog
                .coefficient_among("profiled-tokens", scopes, version)
                .unwrap_or(usual.tokens),
        };
        let profiles = Profiles {
            large: profile(&[&of_family, &on_large, word]),
            other: profile(&[word]),
            least_large: least_large * GIB,
        };
        let value = |name: &str, known: f64| {
            catalog
                .coefficient_among(name, &[&with_format, word], version)
                .unwrap_or(known)
        };
        let served = Self {
            profiled_context_ki: value("profiled-context-ki", self.profiled_context_ki),
            window_cache_factor: value("window-cache-factor", self.window_cache_factor),
            cache_log_by_groups: value("cache-log-by-groups", self.cache_log_by_groups),
            expert_input_multiple: value("expert-input-multiple", self.expert_input_multiple),
            split_products: value("split-products", self.split_products),
            ..self
        };
        (served, profiles)
    }

    /// The same with another profile.
    #[must_use]
    pub fn profiled(self, profile: Profile) -> Self {
        Self {
            profiled_sequences: profile.sequences,
            profiled_tokens: profile.tokens,
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_devices_and_large_parts_have_their_own_profile() {
        let profile = |sequences, tokens| Profile { sequences, tokens };
        let profiles = Profiles {
            large: profile(1024.0, 8192.0),
            other: profile(256.0, 2048.0),
            least_large: 70.0 * GIB,
        };
        let of = |gib: f64| profiles.of(Some(gib * GIB));
        assert_eq!(of(79.6), profiles.large);
        assert_eq!(of(70.0), profiles.large);
        assert_eq!(of(44.5), profiles.other);
        assert_eq!(profiles.of(None), profiles.other);
        let adapted = Calibration::default().profiled(of(79.6));
        assert_eq!(adapted.profiled_sequences.to_bits(), 1024_f64.to_bits());
        assert_eq!(adapted.profiled_tokens.to_bits(), 8192_f64.to_bits());
    }
}
