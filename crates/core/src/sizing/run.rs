//! The work that is asked of a model, and how it is done.

use thiserror::Error;

use super::architecture::Architecture;
use super::format::WeightFormat;
use super::speed::Load;
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
    /// Layers on the host where the engine has no such choice.
    #[error(
        "gpu_layers is for inference with llama.cpp, which computes the other layers on the host"
    )]
    GpuLayers,
}

/// A run of a model, with every choice made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    /// The kind of work.
    pub workload: Workload,
    /// Whether adapters are trained, and the weights stay as they are.
    pub adapters: bool,
    /// A model that a training step runs without training it.
    pub frozen: Option<Frozen>,
    /// Answers that the trained model generates in each step.
    pub rollouts: Option<Rollouts>,
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
    /// Tokens of the examples that are packed into a training sequence, on average.
    pub packed: Option<f64>,
    /// Modules that are trained whole beside adapters.
    pub saved: SavedModules,
    /// The rank of adapters.
    pub lora_rank: f64,
    /// Matrices with adapters.
    pub lora_targets: LoraTargets,
    /// Training state in the host's memory.
    pub offload: Offload,
    /// Layers that llama.cpp computes on the device, the head counted as one more; the others, with their
    /// cache, stay with the host's processors. `None` for all.
    pub gpu_layers: Option<u32>,
    /// The micro-batches of an optimizer step.
    pub step: StepSize,
    /// Parts of each stage of a pipeline that take turns; 1 where a stage is one run of layers.
    pub virtual_pipeline: f64,
    /// The share of a prompt that is in the cache already, between 0 and 1.
    pub prefix_cached: f64,
    /// Lengths are spread evenly between one less this share and one of the given ones; `None` where they are the given
    /// ones on average, and nothing more is known.
    pub length_spread: Option<f64>,
    /// Tokens that are guessed ahead.
    pub speculation: Option<Speculation>,
    /// Steps of the engine from one look for requests to the next; `None` where it looks at every step.
    pub admission_interval: Option<f64>,
    /// The load of a server; without it, `batch` sequences begin and end together.
    pub load: Option<Load>,
}

/// A model that training runs forward and does not train: the reference of a policy, or a teacher.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frozen {
    /// Its shape.
    pub shape: Architecture,
    /// The format of its weights.
    pub weights: WeightFormat,
    /// Whether it is the trained model without its adapters, whose weights are there already.
    pub is_base: bool,
}

/// Answers that the trained model generates in each step, and is then trained on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rollouts {
    /// Sequences of all devices.
    pub sequences: f64,
    /// Whether they are generated on devices of their own, while the last ones are trained on.
    pub is_apart: bool,
    /// Steps by which generating may run ahead of training, where it is apart: at least 1.
    pub off_policy_steps: f64,
}

/// Modules that are trained whole beside adapters, as `modules_to_save` of PEFT says.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SavedModules {
    /// The embedding.
    pub embeddings: bool,
    /// The head.
    pub head: bool,
}

/// How large an optimizer step is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StepSize {
    /// So many micro-batches of each data-parallel rank.
    MicroBatches(f64),
    /// So many sequences of all ranks.
    Sequences(f64),
}

/// Tokens that a small model guesses and the large one checks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speculation {
    /// Tokens that are guessed at once.
    pub tokens: f64,
    /// The share of guesses that hold, between 0 and 1.
    pub acceptance: f64,
}

impl Speculation {
    /// Tokens that a step generates on average (Leviathan et al., arXiv 2211.17192, section 2.2).
    pub fn generated(&self) -> f64 {
        if self.acceptance >= 1.0 {
            return self.tokens + 1.0;
        }
        (1.0 - self.acceptance.powf(self.tokens + 1.0)) / (1.0 - self.acceptance)
    }
}

impl Run {
    /// A run with the defaults of its kind of work.
    pub fn new(workload: Workload, weights: WeightFormat) -> Self {
        let trains = workload.is_training();
        let wide = workload == Workload::Pretrain || weights.bits >= 32.0;
        let float = if wide { Float::Fp32 } else { Float::Bf16 };
        Self {
            workload,
            adapters: matches!(workload, Workload::Lora | Workload::Qlora),
            frozen: None,
            rollouts: None,
            engine: if trains && !workload.has_rollouts() {
                Engine::Transformers
            } else {
                Engine::Vllm
            },
            weights,
            cache: CacheFormat::Bf16,
            context: match workload {
                Workload::Inference => 4096.0,
                Workload::Grpo | Workload::Ppo => 512.0,
                _ => 2048.0,
            },
            generate: match workload {
                Workload::Inference => 512.0,
                Workload::Grpo | Workload::Ppo => 1024.0,
                _ => 0.0,
            },
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
            packed: None,
            saved: SavedModules::default(),
            lora_rank: 16.0,
            lora_targets: LoraTargets::AllLinear,
            offload: Offload::None,
            gpu_layers: None,
            step: StepSize::MicroBatches(1.0),
            virtual_pipeline: 1.0,
            prefix_cached: 0.0,
            length_spread: None,
            speculation: None,
            admission_interval: None,
            load: None,
        }
    }

    /// The kind of work whose memory was measured: training with more than one model is measured as
    /// what it trains.
    pub fn measured_as(&self) -> Workload {
        match self.workload {
            Workload::Dpo | Workload::Grpo | Workload::Ppo | Workload::Distill => {
                match (self.adapters, self.weights.is_quantized()) {
                    (false, _) => Workload::Full,
                    (true, false) => Workload::Lora,
                    (true, true) => Workload::Qlora,
                }
            }
            workload => workload,
        }
    }

    /// Whether the run is one that is computed.
    ///
    /// # Errors
    ///
    /// [`RunError::OffloadedInference`] for inference that keeps anything on the host by `offload`, and
    /// [`RunError::GpuLayers`] for layers on the host with another engine than llama.cpp.
    pub fn check(&self) -> Result<(), RunError> {
        let splits = self.engine == Engine::LlamaCpp && !self.workload.is_training();
        if self.gpu_layers.is_some() && !splits {
            return Err(RunError::GpuLayers);
        }
        if self.offload != Offload::None && !self.workload.is_training() {
            return Err(RunError::OffloadedInference(self.offload));
        }
        Ok(())
    }

    /// Whether the optimizer keeps a copy of the weights in 32 bits: as it was chosen, else where
    /// all weights are trained in 16 bits and its state is sharded or offloaded.
    pub fn has_master_weights(&self, layout: &Layout) -> bool {
        let narrow = self.parameters == Float::Bf16 && !self.adapters;
        let is_apart = layout.shards(1) > 1.0 || self.offload != Offload::None;
        match self.master_weights {
            Some(choice) => choice == MasterWeights::Fp32,
            None => narrow && is_apart,
        }
    }

    /// The share of a model's layers that the device computes, between 0 and 1.
    pub fn device_share(&self, model: &Architecture) -> f64 {
        let layers = f64::from(model.layers.max(1));
        let computed = self.gpu_layers.map_or(layers, f64::from);
        (computed / layers).min(1.0)
    }

    /// Whether the device has embedding and head too: they come after the layers.
    pub fn has_ends(&self, model: &Architecture) -> bool {
        self.gpu_layers.is_none_or(|n| n > model.layers)
    }

    /// The share that lengths are spread over, as far as it is known.
    pub fn spread(&self) -> f64 {
        self.length_spread.unwrap_or_default()
    }

    /// Tokens of a prompt, on average.
    pub fn prompt(&self) -> f64 {
        self.context * (1.0 - self.spread() / 2.0)
    }

    /// Tokens that are generated for a request, on average.
    pub fn output(&self) -> f64 {
        self.generate * (1.0 - self.spread() / 2.0)
    }

    /// Tokens of a sequence in flight, on average: long ones are in flight longer.
    pub fn in_flight(&self) -> f64 {
        let spread = self.spread();
        let square = 1.0 - spread + spread * spread / 3.0;
        let weighted = square / (1.0 - spread / 2.0);
        self.prompt() + self.generate * weighted / 2.0
    }

    /// Micro-batches of each rank in an optimizer step.
    pub fn accumulation(&self, layout: &Layout) -> f64 {
        match self.step {
            StepSize::MicroBatches(n) => n,
            StepSize::Sequences(n) => (n / self.batch / f64::from(layout.data)).max(1.0),
        }
    }

    /// Tokens of all prompts of a rank, or of all sequences that it is trained on at once.
    pub fn tokens(&self) -> f64 {
        if self.workload.is_training() {
            self.batch * self.workload.sequences_of_example() * self.sequence()
        } else {
            self.batch * self.context
        }
    }

    /// Tokens of a training sequence that attend to each other: a packed one consists of several.
    pub fn attended(&self) -> f64 {
        self.packed.unwrap_or(f64::INFINITY).min(self.sequence())
    }

    /// Tokens of one sequence at its end.
    pub fn sequence(&self) -> f64 {
        self.context + self.generate
    }

    /// The run that generates the answers of a training step: one sequence, by an engine that serves.
    #[must_use]
    pub fn generating(&self) -> Self {
        Self {
            workload: Workload::Inference,
            adapters: false,
            frozen: None,
            rollouts: None,
            batch: 1.0,
            logits: Logits::Last,
            offload: Offload::None,
            ..*self
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
    /// Groups of ranks that each hold all of what is sharded: hybrid sharding where there are several.
    pub shard_groups: u32,
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
            shard_groups: 1,
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
        f64::from(self.data) * f64::from(self.context) / f64::from(self.shard_groups)
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
