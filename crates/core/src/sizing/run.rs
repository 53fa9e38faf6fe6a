//! The work that is asked of a model, and how it is done.

use thiserror::Error;

use super::format::WeightFormat;
use super::words::{
    Attention, CacheFormat, Checkpointing, Engine, Float, Logits, LoraTargets, MasterWeights,
    Offload, Optimizer, Workload,
};

/// Why a run is not computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum RunError {
    /// Inference with weights or cache in the host's memory. Some engines can do it; neither its
    /// memory nor its speed is modelled.
    #[error(
        "offload '{}' is computed for training only: inference from the host's memory is not modelled",
        .0.word()
    )]
    OffloadedInference(Offload),
}

/// A run of a model, with every choice made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    /// The kind of work.
    pub workload: Workload,
    /// The program that does it.
    pub engine: Engine,
    /// The format of the weights.
    pub weights: WeightFormat,
    /// The format of the cache.
    pub cache: CacheFormat,
    /// Tokens of a prompt, or of a training sequence.
    pub context: f64,
    /// Tokens that are generated after it.
    pub generate: f64,
    /// Sequences for each data-parallel rank.
    pub batch: f64,
    /// The share of a device's memory that a serving engine takes, above 0 and up to 1.
    pub gpu_memory_utilization: f64,
    /// The most tokens that a serving engine computes in one pass.
    pub max_batched_tokens: f64,
    /// How attention is computed.
    pub attention: Attention,
    /// Positions that logits are computed for.
    pub logits: Logits,
    /// Whether training is compiled.
    pub compile: bool,
    /// The optimizer of training.
    pub optimizer: Optimizer,
    /// Whether each gradient is used and freed within the backward pass.
    pub optimizer_in_backward: bool,
    /// The copy of the weights that the optimizer keeps. Without a choice it keeps one where
    /// weights have 16 bits and its state is sharded or offloaded.
    pub master_weights: Option<MasterWeights>,
    /// The format of trained parameters.
    pub parameters: Float,
    /// The format of gradients.
    pub gradients: Float,
    /// Activations that are computed again.
    pub checkpointing: Checkpointing,
    /// The rank of adapters.
    pub lora_rank: f64,
    /// Matrices with adapters.
    pub lora_targets: LoraTargets,
    /// Training state in the host's memory.
    pub offload: Offload,
}

impl Run {
    /// A run with the defaults of its kind of work.
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

    /// Whether the run is one that is computed.
    ///
    /// # Errors
    ///
    /// [`RunError::OffloadedInference`] for inference that keeps anything on the host.
    pub fn check(&self) -> Result<(), RunError> {
        if self.offload != Offload::None && !self.workload.is_training() {
            return Err(RunError::OffloadedInference(self.offload));
        }
        Ok(())
    }

    /// Whether the optimizer keeps a copy of the weights in 32 bits: as it was chosen, else where
    /// all weights are trained in 16 bits and its state is sharded or offloaded.
    pub fn has_master_weights(&self, layout: &Layout) -> bool {
        let narrow = self.parameters == Float::Bf16 && !self.workload.has_adapters();
        let is_apart = layout.shards(1) > 1.0 || self.offload != Offload::None;
        match self.master_weights {
            Some(choice) => choice == MasterWeights::Fp32,
            None => narrow && is_apart,
        }
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
    /// Devices that share each matrix.
    pub tensor: u32,
    /// Stages that the layers are cut into.
    pub pipeline: u32,
    /// Ranks with sequences of their own.
    pub data: u32,
    /// Devices that share each sequence.
    pub context: u32,
    /// Devices that share the experts: of the data-parallel ones.
    pub expert: u32,
    /// State that data-parallel ranks share out: 1 that of the optimizer, 2 gradients too, 3
    /// weights too; 0 for none.
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
    /// Devices of all ranks.
    pub fn devices(&self) -> u32 {
        [self.tensor, self.pipeline, self.data, self.context]
            .into_iter()
            .fold(1, u32::saturating_mul)
    }

    /// Ranks that ZeRO shards over.
    pub fn sharding(&self) -> f64 {
        f64::from(self.data) * f64::from(self.context)
    }

    /// Ranks that share out the state of a ZeRO stage: 1 where this layout does not shard it.
    pub fn shards(&self, stage: u8) -> f64 {
        if self.zero_stage >= stage {
            self.sharding().max(1.0)
        } else {
            1.0
        }
    }
}
