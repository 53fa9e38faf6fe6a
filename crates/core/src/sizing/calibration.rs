//! Figures that are measured, not derived: where they are from is in the catalog.

use super::words::{Engine, Workload};
use crate::catalog::Catalog;

macro_rules! coefficients {
    ($($(#[$doc:meta])* $field:ident = $name:literal,)+) => {
        /// Coefficients for what the arithmetic cannot know, for one kind of work. Their units
        /// are with the fields, their sources in the catalog.
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        pub struct Calibration {
            $($(#[$doc])* pub $field: f64,)+
        }

        impl Calibration {
            /// The names that a catalog with coefficients has to have.
            pub const NAMES: &'static [&'static str] = &[$($name,)+];

            /// The coefficients of a catalog for a kind of work and an engine: those of such a
            /// scope, else the general ones, else 0.
            pub fn of(catalog: &Catalog<'_>, workload: Workload, engine: Engine) -> Self {
                let scopes = [workload.word(), engine.word()];
                let known = |name: &str| catalog.coefficient_among(name, &scopes, None);
                Self {
                    $($field: known($name).unwrap_or_default(),)+
                }
            }
        }
    };
}

coefficients!(
    /// Memory of the driver for one process, GiB.
    context_gib = "device-context-gib",
    /// The same for engines that start kernels from graphs, GiB.
    serving_context_gib = "serving-context-gib",
    /// GiB that the allocator and the math libraries hold from the beginning.
    workspace_gib = "workspace-gib",
    /// Communication buffers of a process that is one of several, GiB.
    communication_gib = "communication-gib",
    /// Bytes for each value of the hidden state of a token, while a layer runs.
    prefill_hidden_bytes = "prefill-hidden-bytes",
    /// Bytes for each value of the inner state of an MLP, while a layer runs.
    prefill_ffn_bytes = "prefill-ffn-bytes",
    /// Bytes for each pair of tokens and head that eager attention scores.
    eager_score_bytes = "eager-score-bytes",
    /// The share of those bytes that training keeps.
    eager_kept_share = "eager-score-kept-share",
    /// Bytes for a logit that a token is chosen from.
    logit_bytes = "logit-bytes",
    /// Bytes for a logit where all of them are kept to score a text.
    scored_logit_bytes = "scored-logit-bytes",
    /// Tokens of a block of cache that serving engines hand out.
    cache_block = "cache-block-tokens",
    /// The share of an answer whose cache is taken, on average, while it is generated.
    reserved_answer = "reserved-answer-share",
    /// 1 where the cache of a layer with a window ends there, and 2 where it keeps all tokens.
    window_cache_factor = "window-cache-factor",
    /// Memory of the workspaces that is left when generating has ended, GiB.
    steady_workspace_gib = "steady-workspace-gib",
    /// The most sequences that serving engines are set up for, which they try out when they start.
    profiled_sequences = "profiled-sequences",
    /// Bytes for a logit while they do.
    sampler_logit_bytes = "sampler-logit-bytes",
    /// Tokens that llama.cpp computes at once.
    llama_cpp_batch = "llama-cpp-batch",
    /// Bytes that training keeps for each value of the hidden state, token and layer.
    train_hidden_bytes = "train-hidden-bytes",
    /// The same where norms are one operation.
    train_hidden_fused_bytes = "train-hidden-fused-norm-bytes",
    /// Bytes that training keeps for each value of queries, keys and values.
    train_attention_bytes = "train-attention-bytes",
    /// Bytes that training keeps for each inner value of an MLP with a gate.
    train_gated_ffn_bytes = "train-gated-ffn-bytes",
    /// Bytes that training keeps for each inner value of an MLP without a gate.
    train_plain_ffn_bytes = "train-plain-ffn-bytes",
    /// Bytes that training keeps for each value of queries and keys that are normalized.
    qk_norm_bytes = "train-qk-norm-bytes",
    /// Bytes for each value of the hidden state that frozen norms do not keep.
    frozen_norm_bytes = "frozen-norm-bytes",
    /// Bytes for each value that goes into a frozen matrix without an adapter, and is not kept.
    frozen_matrix_bytes = "frozen-matrix-bytes",
    /// Bytes of state that AdamW keeps for a parameter in 8 bits, with the scales of its blocks.
    adamw_8bit_bytes = "adamw-8bit-state-bytes",
    /// Bytes of state that Adafactor keeps for a parameter.
    adafactor_bytes = "adafactor-state-bytes",
    /// Bytes that training takes for a logit.
    train_logit_bytes = "train-logit-bytes",
    /// Bytes that training takes for a logit where they are computed a part at a time.
    train_chunked_logit_bytes = "train-chunked-logit-bytes",
    /// How much more activations take in 32 bits, as a factor.
    fp32_activation_factor = "fp32-activation-factor",
    /// The share of the activations that a compiler leaves.
    compiled_activation_factor = "compiled-activation-factor",
    /// How much more activations take over quantized weights, as a factor.
    quantized_activation_factor = "quantized-activation-factor",
    /// The share of the activations that selective checkpointing keeps.
    selective_share = "selective-checkpointing-share",
    /// Bytes for each parameter that unsharded weights and gradients take while a layer is in use.
    gathered_bytes = "gathered-parameter-bytes",
    /// The share of the forward pass that selective checkpointing computes again.
    recomputed_share = "recomputed-share",
    /// How much faster training is with 8-bit products.
    fp8_gain = "fp8-train-gain",
    /// How much faster compiled training is.
    compiled_gain = "compiled-train-gain",
    /// The share of the speed that is left where norms and gates are separate operations.
    unfused_share = "unfused-train-share",
    /// How much more of the peak ten times as many parameters reach in training.
    train_size_slope = "train-size-slope",
    /// The least that the size of a model makes of the training speed, as a factor.
    train_size_least = "train-size-factor-least",
    /// The most that it makes of it.
    train_size_most = "train-size-factor-most",
    /// The share that is lost each time that a sequence is twice as long.
    long_context_loss = "long-context-loss",
    /// The share that is left however long it is.
    long_context_least = "long-context-share-least",
    /// The shape of the gamma distribution of how often experts are chosen.
    expert_choice_shape = "expert-choice-shape",
    /// How much longer sums of prompts take than their bytes, as a factor.
    prompt_sum_factor = "prompt-sum-factor",
    /// How much longer the exchange of tokens among experts takes than its bytes, as a factor.
    exchange_factor = "exchange-factor",
    /// Microseconds that the exchange of a layer takes at least.
    exchange_us = "exchange-us-per-layer",
    /// How much longer experts take where ranks wait for the busiest one, as a factor.
    expert_imbalance = "expert-imbalance",
    /// How much faster the attention of prompts is where the cache is in fp8, as a factor, without a latent cache.
    fp8_attention_gain = "fp8-attention-gain",
    /// The share of the others' prompts that generating waits for.
    stall_share = "stall-share",
    /// The share of the time spent on prompts that a new prompt waits behind.
    queue_share = "queue-share",
    /// The share of a first wave of prompts that a request waits for on average.
    wave_share = "first-wave-share",
    /// Users of a replica who stay in step where all lengths are the same.
    users_in_step = "users-in-step",
    /// The share of the sums of tensor parallel training that nothing hides.
    exposed_sums = "train-exposed-sum-share",
    /// The share of the exchanges among experts in training that nothing hides.
    exposed_exchanges = "train-exposed-exchange-share",
    /// The share of the computing behind which sharded weights are sent.
    hidden_share = "train-hidden-share",
    /// The share of the speed that is left where a model is trained on answers that it generates.
    rollout_train_share = "rollout-train-share",
    /// How much longer generating answers takes than steps of all of them, as a factor.
    rollout_tail = "rollout-tail-factor",
    /// Seconds until an engine works with trained weights, beside their transfer.
    refit_s = "refit-seconds",
    /// The share of a link that the transfer of trained weights reaches.
    refit_share = "refit-link-share",
    /// The share of the network that collectives of training reach.
    network_share = "train-network-share",
    /// The exponent of the width of a dense model in the speed of its training.
    train_width_exponent = "train-width-exponent",
    /// The same for mixtures of experts.
    train_expert_width_exponent = "train-expert-width-exponent",
    /// The share of the speed that is left where prompts are read with weights that have to be
    /// unpacked.
    dequantizing_share = "dequantizing-share",
    /// How much more a layer costs to launch with such weights, without fused kernels.
    unfused_launch_factor = "unfused-launch-factor",
    /// How much more the allocator holds than what comes and goes, in inference, as a factor.
    slack_inference = "slack-inference",
    /// The same in training on sequences of varying length.
    slack_varied = "slack-varied-lengths",
    /// The same in training on sequences of equal length.
    slack_equal = "slack-equal-lengths",
    /// Memory that the allocator holds besides for sequences of varying length, GiB.
    slack_gib = "slack-varied-gib",
    /// Bytes for each value of the hidden state that adapters keep for their dropout.
    adapter_dropout_bytes = "adapter-dropout-bytes",
    /// Parameters, in thousands of millions, that the processors of a host update in a second.
    host_update_billions_s = "host-update-billions-per-s",
    /// GB (10⁹ bytes) of weights and cache that the processors of a host read in a second while they generate.
    host_read_gb_s = "host-read-gb-per-s",
);
