//! Measured coefficients. The catalog has their values and sources.

use super::words::{Engine, Workload};
use crate::catalog::Catalog;

macro_rules! coefficients {
    ($($(#[$doc:meta])* $field:ident = $name:literal,)+) => {
        /// Measured coefficients for one kind of work. The fields state their units; the catalog has their sources.
        #[derive(Clone, Copy, Debug, Default, PartialEq)]
        pub struct Calibration {
            $($(#[$doc])* pub $field: f64,)+
        }

        impl Calibration {
            /// The names that every catalog with coefficients has to define.
            pub const NAMES: &'static [&'static str] = &[$($name,)+];

            /// The coefficients of a catalog for a kind of work and an engine. A coefficient of the engine takes
            /// precedence over one of the work, and both over the general one; a missing coefficient is 0.
            pub fn of(catalog: &Catalog<'_>, workload: Workload, engine: Engine) -> Self {
                let scopes = [engine.word(), workload.word()];
                let value = |name: &str| catalog.coefficient_among(name, &scopes, None);
                Self {
                    $($field: value($name).unwrap_or_default(),)+
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
    /// Tokens of a cache block, the unit in which serving engines allocate.
    cache_block = "cache-block-tokens",
    /// The average share of an answer whose cache is allocated while it is generated.
    reserved_answer = "reserved-answer-share",
    /// 1 if the cache of a layer with a window ends at the window, and 2 if it keeps all tokens.
    window_cache_factor = "window-cache-factor",
    /// Memory of the workspaces that stays allocated after generating, GiB.
    steady_workspace_gib = "steady-workspace-gib",
    /// Sequences whose logits serving engines profile when they start: their default maximum.
    profiled_sequences = "profiled-sequences",
    /// Bytes per logit in that profile.
    sampler_logit_bytes = "sampler-logit-bytes",
    /// Tokens that llama.cpp computes in one batch.
    llama_cpp_batch = "llama-cpp-batch",
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
    /// Bytes that the dropout of an adapter keeps per value of its input; 0 without dropout.
    adapter_dropout_bytes = "adapter-dropout-bytes",
    /// Bytes of an adapter's parameter. Its gradient and each moment of its optimizer have as many.
    adapter_parameter_bytes = "adapter-parameter-bytes",
    /// Bytes per parameter that are added to embedding and head of a model that is quantized as it is loaded.
    upcast_bytes = "upcast-parameter-bytes",
    /// Copies of the whole model that each rank holds while the model is loaded and sharded.
    load_copies = "unsharded-load-copies",
    /// 1 if gradients stay on the device while the optimizer runs on the host, and 0 if they move as they are computed.
    kept_gradients = "offload-kept-gradients",
    /// The factor on offloaded state in host memory: buffers that transfers need.
    host_buffers = "host-buffer-factor",
    /// Billions of parameters that the processors of a host update in a second.
    host_update_billions_s = "host-update-billions-per-s",
    /// GB (10⁹ bytes) of weights and cache that the processors of a host read in a second while decoding.
    host_read_gb_s = "host-read-gb-per-s",
    /// The share of the peak bandwidth of their memory that they reach.
    host_bandwidth_share = "host-bandwidth-share",
);
