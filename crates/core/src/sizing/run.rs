//! What is asked of a model: the work, and how it is done.

use super::format::WeightFormat;
use super::words::{
    Attention, CacheFormat, Checkpointing, Engine, Float, Logits, LoraTargets, Offload, Optimizer,
    Workload,
};

/// A run of a model, with every choice made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    pub workload: Workload,
    pub engine: Engine,
    pub weights: WeightFormat,
    pub cache: CacheFormat,
    /// Tokens of a prompt, or of a training sequence.
    pub context: f64,
    /// Tokens that are generated after it.
    pub generate: f64,
    /// Sequences for each data-parallel rank.
    pub batch: f64,
    pub gpu_memory_utilization: f64,
    pub max_batched_tokens: f64,
    pub attention: Attention,
    pub logits: Logits,
    pub compile: bool,
    pub optimizer: Optimizer,
    pub optimizer_in_backward: bool,
    /// Whether the optimizer keeps a copy of the weights in 32 bits.
    pub master_weights: bool,
    pub parameters: Float,
    pub gradients: Float,
    pub checkpointing: Checkpointing,
    pub lora_rank: f64,
    pub lora_targets: LoraTargets,
    pub offload: Offload,
}

impl Run {
    /// Tokens of all sequences of a rank.
    pub fn tokens(&self) -> f64 {
        self.batch * self.context
    }

    /// Tokens of one sequence at its end.
    pub fn sequence(&self) -> f64 {
        if self.workload.is_training() {
            self.context
        } else {
            self.context + self.generate
        }
    }
}

/// How the work is spread over devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    pub tensor: u32,
    pub pipeline: u32,
    pub data: u32,
    pub context: u32,
    /// Devices that share the experts: of the data-parallel ones.
    pub expert: u32,
    /// What data-parallel ranks share: 1 optimizer, 2 gradients too, 3 weights too.
    pub zero_stage: u8,
}

impl Default for Layout {
    fn default() -> Self {
        Self {
            tensor: 1,
            pipeline: 1,
            data: 1,
            context: 1,
            expert: 1,
            zero_stage: 0,
        }
    }
}

impl Layout {
    pub fn devices(&self) -> u32 {
        [self.tensor, self.pipeline, self.data, self.context]
            .into_iter()
            .fold(1, u32::saturating_mul)
    }

    /// Ranks that what ZeRO shards is spread over.
    pub fn sharding(&self) -> f64 {
        f64::from(self.data) * f64::from(self.context)
    }
}
