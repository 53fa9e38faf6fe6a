//! Figures that are measured, not derived: where they are from is in the catalog.

use super::words::{Word as _, Workload};
use crate::catalog::Catalog;

macro_rules! coefficients {
    ($($(#[$doc:meta])* $field:ident = $name:literal,)+) => {
        /// What the arithmetic cannot know.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub struct Calibration {
            $($(#[$doc])* pub $field: f64,)+
        }

        impl Calibration {
            /// All names that a catalog has to have.
            pub const NAMES: &'static [&'static str] = &[$($name,)+];

            /// As a catalog has it for a kind of work; what it does not have is 0.
            pub fn of(catalog: &Catalog<'_>, workload: Workload) -> Self {
                let scope = workload.word();
                Self {
                    $($field: catalog.coefficient($name, scope).unwrap_or_default(),)+
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
    /// What the allocator and the math libraries hold from the beginning, GiB.
    workspace_gib = "workspace-gib",
    /// Communication buffers of a process that is one of several, GiB.
    communication_gib = "communication-gib",
    /// Bytes for each value of the hidden state of a token, while a layer runs.
    prefill_hidden_bytes = "prefill-hidden-bytes",
    /// Bytes for each value of the inner state of an MLP.
    prefill_ffn_bytes = "prefill-ffn-bytes",
    /// Bytes for each pair of tokens and head that eager attention scores.
    eager_score_bytes = "eager-score-bytes",
    /// Bytes for a logit that a token is chosen from.
    logit_bytes = "logit-bytes",
    /// And where all logits are kept to score a text.
    scored_logit_bytes = "scored-logit-bytes",
    /// Sequences that serving engines try out when they start.
    profiled_sequences = "profiled-sequences",
    /// Bytes for a logit while they do.
    sampler_logit_bytes = "sampler-logit-bytes",
    /// Tokens that llama.cpp computes at once.
    llama_cpp_batch = "llama-cpp-batch",
    /// Bytes that training keeps for each value of the hidden state, token and layer.
    train_hidden_bytes = "train-hidden-bytes",
    /// The same where norms are one operation.
    train_hidden_fused_bytes = "train-hidden-fused-norm-bytes",
    /// For each value of queries, keys and values.
    train_attention_bytes = "train-attention-bytes",
    /// For each inner value of an MLP with a gate.
    train_gated_ffn_bytes = "train-gated-ffn-bytes",
    /// For each inner value of one without.
    train_plain_ffn_bytes = "train-plain-ffn-bytes",
    /// For each logit.
    train_logit_bytes = "train-logit-bytes",
    train_chunked_logit_bytes = "train-chunked-logit-bytes",
    /// What 32-bit computing takes of these.
    fp32_activation_factor = "fp32-activation-factor",
    /// What a compiler leaves of them.
    compiled_activation_factor = "compiled-activation-factor",
    /// What quantized weights make of them.
    quantized_activation_factor = "quantized-activation-factor",
    /// The share that selective checkpointing keeps.
    selective_share = "selective-checkpointing-share",
    /// Bytes that unsharded weights and gradients take while a layer is in use.
    gathered_bytes = "gathered-parameter-bytes",
    /// The share of the forward pass that selective checkpointing computes again.
    recomputed_share = "recomputed-share",
    /// How much faster training is with 8-bit products, and when it is compiled.
    fp8_gain = "fp8-train-gain",
    compiled_gain = "compiled-train-gain",
    /// The share of the speed that is left where norms and gates are separate operations.
    unfused_share = "unfused-train-share",
    /// How much more of the peak ten times as many parameters reach in training.
    train_size_slope = "train-size-slope",
    /// The share that is lost each time that a sequence is twice as long.
    long_context_loss = "long-context-loss",
    /// The share of the speed that is left where prompts are read with weights that have to be
    /// unpacked.
    dequantizing_share = "dequantizing-share",
    /// How much more a layer costs to launch with such weights, without fused kernels.
    unfused_launch_factor = "unfused-launch-factor",
    /// How much more the allocator holds than what comes and goes, for serving, for sequences of
    /// varying and of equal length.
    slack_inference = "slack-inference",
    slack_varied = "slack-varied-lengths",
    slack_equal = "slack-equal-lengths",
    /// And whatever their length, GiB.
    slack_gib = "slack-varied-gib",
    /// Bytes for each value of the hidden state that adapters keep for their dropout.
    adapter_dropout_bytes = "adapter-dropout-bytes",
);
