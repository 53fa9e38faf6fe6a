//! The work of a model, and its layout on devices.

use thiserror::Error;

use super::architecture::Architecture;
use super::format::WeightFormat;
use super::load::{Arrival, Load};
use super::vision::Images;
use super::words::{
    Attention, CacheFormat, Checkpointing, Float, Logits, LoraTargets, MasterWeights, Offload,
    Optimizer, Sampling, ServingEngine, Workload,
};

/// The maximum tokens of one pass by default: vLLM's on most devices.
const USUAL_BATCHED_TOKENS: f64 = 2048.0;

/// The reason why a run is not modeled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum RunError {
    /// Inference with weights or cache in host memory. Some serving engines support it, but neither its memory nor its
    /// speed is modeled.
    #[error(
        "`offload` '{}' applies only to training: for inference, `n_cpu_moe` or `gpu_layers` leaves experts or layers in host memory",
        .0.word()
    )]
    OffloadedInference(Offload),
    /// Layers on the host, with an engine that does not support them.
    #[error(
        "`gpu_layers` applies only to inference with llama.cpp, which computes the other layers on the host"
    )]
    GpuLayers,
    /// Experts on the host, with an engine that does not support them.
    #[error(
        "`n_cpu_moe` applies only to inference with llama.cpp, which computes these experts on the host"
    )]
    CpuExperts,
    /// Two ways to divide layers between the devices and the host.
    #[error(
        "`gpu_layers` and `n_cpu_moe` both divide the layers between the devices and the host: give one of them"
    )]
    TwoDivisions,
}

/// A run of a model, with all options set.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Run {
    /// The kind of work.
    pub workload: Workload,
    /// Whether adapters are trained on frozen weights.
    pub adapters: bool,
    /// A model that a training step runs without updating it.
    pub frozen: Option<Frozen>,
    /// The answers that the model generates in each training step.
    pub rollouts: Option<Rollouts>,
    /// The serving engine or trainer.
    pub engine: ServingEngine,
    /// The format of the weights.
    pub weights: WeightFormat,
    /// Whether weights are quantized while they are loaded (bitsandbytes), and not stored in their format.
    pub quantizes_on_load: bool,
    /// The format of the cache.
    pub cache: CacheFormat,
    /// Tokens of a prompt with its images, or of a training sequence.
    pub context: f64,
    /// The images of a prompt.
    pub images: Images,
    /// Tokens that are generated after the prompt.
    pub generate: f64,
    /// Tokens of the longest request that a server must admit, with its answer; `None` if it may be shorter.
    pub max_context: Option<f64>,
    /// Sequences for each data-parallel rank.
    pub batch: f64,
    /// The share of device memory that a serving engine uses, above 0 and up to 1.
    pub gpu_memory_utilization: f64,
    /// The maximum number of tokens that a serving engine computes in one pass; `None` for the engine's default, which
    /// depends on the device.
    pub max_batched_tokens: Option<f64>,
    /// The maximum number of sequences that a serving engine decodes at once; `None` for its default.
    pub max_sequences: Option<f64>,
    /// How a serving engine chooses the next token.
    pub sampling: Sampling,
    /// How attention is computed.
    pub attention: Attention,
    /// Positions that logits are computed for.
    pub logits: Logits,
    /// Whether training is compiled.
    pub compile: bool,
    /// The optimizer of training.
    pub optimizer: Optimizer,
    /// Whether the optimizer uses and frees each gradient within the backward pass.
    pub optimizer_in_backward: bool,
    /// The copy of the weights that the optimizer keeps. By default it keeps one if weights have 16 bits and its state
    /// is sharded or offloaded.
    pub master_weights: Option<MasterWeights>,
    /// The format of trained parameters.
    pub parameters: Float,
    /// The format of gradients.
    pub gradients: Float,
    /// Activations that are recomputed in the backward pass.
    pub checkpointing: Checkpointing,
    /// Average tokens of the examples that are packed into a training sequence.
    pub packed: Option<f64>,
    /// Modules that are trained whole, in addition to adapters.
    pub saved: SavedModules,
    /// The rank of adapters.
    pub lora_rank: f64,
    /// Matrices with adapters.
    pub lora_targets: LoraTargets,
    /// Training state in host memory.
    pub offload: Offload,
    /// Layers that llama.cpp computes on the device, counting the head as one more layer. The host computes the others
    /// and keeps their cache. `None` means all.
    pub gpu_layers: Option<u32>,
    /// The first layers whose routed experts the host keeps and computes (`--n-cpu-moe` of llama.cpp); the devices have
    /// everything else. `None` means none.
    pub cpu_expert_layers: Option<u32>,
    /// The peak bandwidth of the host's memory in bytes per second; `None` for the catalog's usual host.
    pub host_bandwidth: Option<f64>,
    /// The micro-batches of an optimizer step.
    pub step: StepSize,
    /// Model chunks per pipeline stage in an interleaved schedule; 1 without one.
    pub virtual_pipeline: f64,
    /// The share of a prompt that is already in the cache, between 0 and 1.
    pub prefix_cached: f64,
    /// The spread `s` of lengths, which are uniform between `1 - s` and 1 times the given ones. `None` if the given
    /// lengths are averages and their spread is unknown.
    pub length_spread: Option<f64>,
    /// Speculative decoding.
    pub speculation: Option<Speculation>,
    /// Engine steps between scheduling new requests; `None` if every step schedules them.
    pub admission_interval: Option<f64>,
    /// The load of a server. Without a load, `batch` sequences begin and end together.
    pub load: Option<Load>,
}

/// A model that training runs without updating it: the reference of a policy, or a teacher.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frozen {
    /// The shape of the model.
    pub shape: Architecture,
    /// The format of the weights.
    pub weights: WeightFormat,
    /// Whether this is the trained model without its adapters, which needs no additional weights.
    pub is_base: bool,
}

/// Answers that the model generates in each step, and is then trained on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rollouts {
    /// Sequences on all devices.
    pub sequences: f64,
    /// Whether separate devices generate them, while the other devices train on the previous ones.
    pub is_apart: bool,
    /// The maximum lead of generating over training on separate devices, in steps; at least 1.
    pub off_policy_steps: f64,
}

/// Modules that are trained whole in addition to adapters (`modules_to_save` of PEFT).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SavedModules {
    /// The embedding.
    pub embeddings: bool,
    /// The head.
    pub head: bool,
}

/// The size of an optimizer step.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StepSize {
    /// Micro-batches of each data-parallel rank.
    MicroBatches(f64),
    /// Sequences of all ranks together (the global batch).
    Sequences(f64),
}

/// Speculative decoding: a small model guesses tokens, and the large model verifies them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Speculation {
    /// Tokens that are guessed at once.
    pub tokens: f64,
    /// The share of guesses that are accepted, between 0 and 1.
    pub acceptance: f64,
}

impl Speculation {
    /// The average number of tokens that a step generates (Leviathan et al., arXiv 2211.17192, section 2.2).
    pub fn generated(&self) -> f64 {
        if self.acceptance >= 1.0 {
            return self.tokens + 1.0;
        }
        (1.0 - self.acceptance.powf(self.tokens + 1.0)) / (1.0 - self.acceptance)
    }
}

impl Run {
    /// Creates a run with the defaults of its kind of work.
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
                ServingEngine::Transformers
            } else {
                ServingEngine::Vllm
            },
            weights,
            quantizes_on_load: false,
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
            images: Images::default(),
            max_context: None,
            batch: 1.0,
            gpu_memory_utilization: 0.9,
            max_batched_tokens: None,
            max_sequences: None,
            sampling: Sampling::Greedy,
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
            cpu_expert_layers: None,
            host_bandwidth: None,
            step: StepSize::MicroBatches(1.0),
            virtual_pipeline: 1.0,
            prefix_cached: 0.0,
            length_spread: None,
            speculation: None,
            admission_interval: None,
            load: None,
        }
    }

    /// The kind of work whose accuracy applies. Training with more than one model was not measured separately; it
    /// counts as training of its trained parameters.
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

    /// Checks that the run is modeled.
    ///
    /// # Errors
    ///
    /// [`RunError::OffloadedInference`] for inference with `offload`, [`RunError::GpuLayers`] and
    /// [`RunError::CpuExperts`] for layers and experts on the host with an engine other than llama.cpp, and
    /// [`RunError::TwoDivisions`] for both.
    pub fn check(&self) -> Result<(), RunError> {
        let splits = self.engine == ServingEngine::LlamaCpp && !self.workload.is_training();
        if self.gpu_layers.is_some() && !splits {
            return Err(RunError::GpuLayers);
        }
        if self.cpu_expert_layers.is_some() && !splits {
            return Err(RunError::CpuExperts);
        }
        if self.gpu_layers.is_some() && self.cpu_expert_layers.is_some() {
            return Err(RunError::TwoDivisions);
        }
        if self.offload != Offload::None && !self.workload.is_training() {
            return Err(RunError::OffloadedInference(self.offload));
        }
        Ok(())
    }

    /// Whether the optimizer keeps a copy of the weights in 32 bits. By default it does if all weights are trained in
    /// 16 bits and the model or its state is divided or offloaded: FSDP, DeepSpeed and Megatron-LM update such a copy.
    pub fn has_master_weights(&self, layout: &Layout) -> bool {
        let narrow = self.parameters == Float::Bf16 && !self.adapters;
        let is_divided = layout.tensor * layout.pipeline * layout.context * layout.expert > 1;
        let is_apart = is_divided || layout.shards(1) > 1.0 || self.offload != Offload::None;
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

    /// The share of the routed experts that the devices keep, between 0 and 1, apart from layers on the host.
    pub fn device_expert_share(&self, model: &Architecture) -> f64 {
        let first = self.cpu_expert_layers.unwrap_or_default();
        let moved = f64::from(model.expert_layers_among(first));
        1.0 - moved / f64::from(model.expert_layers().max(1))
    }

    /// Whether the host keeps weights that every step reads.
    pub fn uses_host(&self) -> bool {
        self.gpu_layers.is_some() || self.cpu_expert_layers.is_some_and(|layers| layers > 0)
    }

    /// Whether the device has the embedding and the head, which llama.cpp moves to the device last.
    pub fn has_ends(&self, model: &Architecture) -> bool {
        self.gpu_layers.is_none_or(|n| n > model.layers)
    }

    /// Whether requests have the text of people. Benchmarks with random tokens and answers of one length decode
    /// greedily; requests that sample are taken as text.
    pub fn is_text(&self) -> bool {
        self.sampling != Sampling::Greedy
    }

    /// The spread of lengths, or 0 if it is unknown.
    pub fn spread(&self) -> f64 {
        self.length_spread.unwrap_or_default()
    }

    /// Tokens of the text of a prompt, beside its images.
    pub fn text_tokens(&self) -> f64 {
        self.context - self.images.prompt_tokens()
    }

    /// The same run with prompts of another length of text.
    #[must_use]
    pub fn with_text(&self, tokens: f64) -> Self {
        Self {
            context: tokens + self.images.prompt_tokens(),
            ..*self
        }
    }

    /// Average tokens of a prompt.
    pub fn prompt(&self) -> f64 {
        self.context * (1.0 - self.spread() / 2.0)
    }

    /// Average output tokens of a request.
    pub fn output(&self) -> f64 {
        self.generate * (1.0 - self.spread() / 2.0)
    }

    /// Average tokens of a sequence in flight.
    ///
    /// Long answers are in flight longer, so their average is weighted by length: `E[L²] / E[L]` of a uniform
    /// distribution. On average, half of an answer is generated. `variation` is the coefficient of variation of answers
    /// to people, for requests whose spread of lengths is unknown.
    pub fn in_flight(&self, variation: f64) -> f64 {
        if self.length_spread.is_none() && self.is_text() {
            return self.prompt() + self.generate * (1.0 + variation * variation) / 2.0;
        }
        let spread = self.spread();
        let square = 1.0 - spread + spread * spread / 3.0;
        let weighted = square / (1.0 - spread / 2.0);
        self.prompt() + self.generate * weighted / 2.0
    }

    /// Micro-batches per rank in an optimizer step.
    pub fn accumulation(&self, layout: &Layout) -> f64 {
        match self.step {
            StepSize::MicroBatches(n) => n,
            StepSize::Sequences(n) => (n / self.batch / f64::from(layout.data)).max(1.0),
        }
    }

    /// Tokens of all prompts of a rank, or of all sequences of a micro-batch in training.
    pub fn tokens(&self) -> f64 {
        if self.workload.is_training() {
            self.batch * self.workload.sequences_of_example() * self.sequence()
        } else {
            self.batch * self.context
        }
    }

    /// Tokens of a training sequence that attend to each other. A packed sequence consists of several examples.
    pub fn attended(&self) -> f64 {
        self.packed.unwrap_or(f64::INFINITY).min(self.sequence())
    }

    /// The maximum number of tokens of one pass, with the usual default of serving engines.
    pub fn batched_tokens(&self) -> f64 {
        self.max_batched_tokens.unwrap_or(USUAL_BATCHED_TOKENS)
    }

    /// Sequences that llama.cpp holds at a time, each in its slot.
    pub fn slots(&self) -> f64 {
        let users = self.load.map_or(1.0, |load| match load.arrival {
            Arrival::Users(users) => users.ceil(),
            Arrival::Rate(_) => 1.0,
        });
        self.batch.max(users).max(1.0)
    }

    /// The run of as many of the longest requests, with `context` tokens of prompt, as an engine must hold: servers
    /// one, since they divide the cache as they need it, and llama.cpp one in each slot.
    #[must_use]
    pub fn of_longest(&self, context: f64) -> Self {
        let batch = match self.engine {
            ServingEngine::LlamaCpp => self.slots(),
            _ => 1.0,
        };
        Self {
            context,
            batch,
            load: None,
            ..*self
        }
    }

    /// Tokens of the longest sequence that a server admits.
    pub fn longest(&self) -> f64 {
        self.max_context.unwrap_or_else(|| self.sequence())
    }

    /// Tokens of a sequence at its end.
    pub fn sequence(&self) -> f64 {
        self.context + self.generate
    }

    /// The inference run that generates the answers of a training step, for one sequence.
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

/// The layout of the work on devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Devices that share each matrix.
    pub tensor: u32,
    /// Pipeline stages.
    pub pipeline: u32,
    /// Data-parallel ranks, each with different sequences.
    pub data: u32,
    /// Devices that share each sequence.
    pub context: u32,
    /// Devices among which experts are distributed; they are also data-parallel or tensor-parallel ranks.
    pub expert: u32,
    /// The ZeRO stage: 1 shards the optimizer state, 2 also gradients, and 3 also weights; 0 shards nothing.
    pub zero_stage: u8,
    /// Groups of ranks that each hold all sharded state; several for hybrid sharding.
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
    /// The total number of devices.
    pub fn devices(&self) -> u32 {
        [self.tensor, self.pipeline, self.data, self.context]
            .into_iter()
            .fold(1, u32::saturating_mul)
    }

    /// Ranks that ZeRO shards over.
    pub fn sharding(&self) -> f64 {
        f64::from(self.data) * f64::from(self.context) / f64::from(self.shard_groups)
    }

    /// Ranks that shard the state of a ZeRO stage; 1 if this layout does not shard it.
    pub fn shards(&self, stage: u8) -> f64 {
        if self.zero_stage >= stage {
            self.sharding().max(1.0)
        } else {
            1.0
        }
    }
}
