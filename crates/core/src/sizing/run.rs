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
    /// Whether the optimizer keeps a copy of the weights in 32 bits; when nothing is said, where
    /// optimizers are sharded and weights have 16 bits.
    pub master_weights: Option<bool>,
    pub parameters: Float,
    pub gradients: Float,
    pub checkpointing: Checkpointing,
    pub lora_rank: f64,
    pub lora_targets: LoraTargets,
    pub offload: Offload,
}

impl Run {
    /// A run in which nothing else is said.
    pub fn new(workload: Workload, weights: WeightFormat) -> Self {
        let trains = workload.is_training();
        let wide = workload == Workload::Pretrain || weights.bits >= 32.0;
        let float = if wide { Float::Fp32 } else { Float::Bf16 };
        Self {
            workload,
            engine: if trains {
                Engine::Transformers
            } else {
                Engine::Vllm
            },
            weights,
            cache: CacheFormat::Bf16,
            context: if trains { 2048.0 } else { 4096.0 },
            generate: if trains { 0.0 } else { 512.0 },
            batch: 1.0,
            gpu_memory_utilization: 0.9,
            max_batched_tokens: 2048.0,
            attention: Attention::Flash,
            logits: if trains { Logits::All } else { Logits::Last },
            compile: false,
            optimizer: Optimizer::AdamW,
            optimizer_in_backward: false,
            master_weights: None,
            parameters: float,
            gradients: float,
            checkpointing: if trains {
                Checkpointing::Full
            } else {
                Checkpointing::None
            },
            lora_rank: 16.0,
            lora_targets: LoraTargets::AllLinear,
            offload: Offload::None,
        }
    }

    /// Whether the optimizer keeps a copy of the weights in 32 bits.
    pub fn has_master_weights(&self, layout: &Layout) -> bool {
        let narrow = self.parameters == Float::Bf16 && !self.workload.has_adapters();
        self.master_weights
            .unwrap_or(narrow && layout.zero_stage >= 1 && layout.sharding() > 1.0)
    }

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
