//! Options of a run that are a choice of words, as in flags, requests and results.

crate::words! {
    /// The work that the model does.
    pub enum Workload {
        /// Generating text.
        Inference = "inference" | "serve" | "serving" | "chat",
        /// Training low-rank adapters on frozen weights.
        Lora = "lora",
        /// Training low-rank adapters on frozen quantized weights.
        Qlora = "qlora",
        /// Fine-tuning of all parameters.
        Full = "full" | "finetune" | "fine-tuning" | "sft" | "training",
        /// Training from scratch.
        Pretrain = "pretrain" | "pretraining",
        /// Direct preference optimization: pairs of answers, compared with a reference model.
        Dpo = "dpo",
        /// Group relative policy optimization: answers are generated, scored and trained on.
        Grpo = "grpo",
        /// Proximal policy optimization: the same with a critic, which is also trained.
        Ppo = "ppo",
        /// Distillation: learning the output of a larger model.
        Distill = "distill" | "distillation",
    }
}

impl Workload {
    /// Whether parameters are trained: everything but inference.
    pub fn is_training(self) -> bool {
        self != Self::Inference
    }

    /// Whether the model is trained on answers that it generates in the same step.
    pub fn has_rollouts(self) -> bool {
        matches!(self, Self::Grpo | Self::Ppo)
    }

    /// Sequences of one example: a preference is a pair of answers.
    pub fn sequences_of_example(self) -> f64 {
        if self == Self::Dpo { 2.0 } else { 1.0 }
    }

    /// Models of this shape that are trained together. A critic has the shape of its policy.
    pub fn trained_models(self) -> f64 {
        if self == Self::Ppo { 2.0 } else { 1.0 }
    }
}

crate::words! {
    /// The product of a model.
    #[derive(Default)]
    pub enum ModelKind {
        /// Text, a token at a time.
        #[default]
        Text = "text",
        /// Vectors or scores of input text: embeddings and rerankers.
        Encoder = "encoder",
        /// Images.
        Image = "image",
        /// Video.
        Video = "video",
        /// Transcripts of speech, or speech.
        Speech = "speech",
    }
}

crate::words! {
    /// The engine that runs the model.
    pub enum ServingEngine {
        /// None in particular.
        None = "none",
        /// Hugging Face transformers (eager PyTorch).
        Transformers = "transformers",
        /// vLLM.
        Vllm = "vllm",
        /// SGLang.
        Sglang = "sglang",
        /// llama.cpp, the engine of GGUF files.
        LlamaCpp = "llama.cpp",
        /// TensorRT-LLM.
        TensorRtLlm = "tensorrt-llm",
        /// DeepSpeed, which trains with a copy of the weights in 32 bits.
        DeepSpeed = "deepspeed",
        /// torchtitan, which trains with PyTorch's FSDP.
        Torchtitan = "torchtitan" | "fsdp",
        /// torchtune, which trains in pure bfloat16.
        Torchtune = "torchtune",
        /// LitGPT, which trains in pure bfloat16.
        Litgpt = "litgpt" | "lit-gpt",
        /// ms-swift, a trainer on transformers.
        MsSwift = "ms-swift" | "swift",
        /// Unsloth, which trains adapters with fused losses.
        Unsloth = "unsloth",
        /// Axolotl, a trainer on transformers that packs examples.
        Axolotl = "axolotl",
    }
}

impl ServingEngine {
    /// The display name.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "no engine in particular",
            Self::Transformers => "transformers",
            Self::Vllm => "vLLM",
            Self::Sglang => "SGLang",
            Self::LlamaCpp => "llama.cpp",
            Self::TensorRtLlm => "TensorRT-LLM",
            Self::DeepSpeed => "DeepSpeed",
            Self::Torchtitan => "torchtitan",
            Self::Torchtune => "torchtune",
            Self::Litgpt => "LitGPT",
            Self::MsSwift => "ms-swift",
            Self::Unsloth => "Unsloth",
            Self::Axolotl => "Axolotl",
        }
    }

    /// Whether this is a server that reserves a share of the device at startup, fills the rest with cache blocks, and
    /// batches requests continuously.
    pub fn serves(self) -> bool {
        matches!(self, Self::Vllm | Self::Sglang | Self::TensorRtLlm)
    }

    /// Whether it answers requests: a server, or llama.cpp.
    pub fn answers(self) -> bool {
        self.serves() || self == Self::LlamaCpp
    }

    /// Whether it starts only if every device has whole blocks of FP8 weights that share a scale.
    pub fn needs_whole_blocks(self) -> bool {
        matches!(self, Self::Vllm | Self::Sglang)
    }

    /// Whether it has an option for the format of the KV cache. Software that answers no requests is sized in any
    /// format.
    pub fn has_cache(self, format: CacheFormat) -> bool {
        match format {
            _ if !self.answers() => true,
            CacheFormat::Bf16 => true,
            CacheFormat::Fp8 => self.serves(),
            CacheFormat::Q8_0 | CacheFormat::Q4_0 => self == Self::LlamaCpp,
            CacheFormat::Int8 => false,
        }
    }

    /// Whether this software only trains.
    pub fn only_trains(self) -> bool {
        matches!(
            self,
            Self::DeepSpeed
                | Self::Torchtitan
                | Self::Torchtune
                | Self::Litgpt
                | Self::MsSwift
                | Self::Unsloth
                | Self::Axolotl
        )
    }

    /// The software whose facts about devices and formats apply: trainers run where eager PyTorch does.
    #[must_use]
    pub fn platform(self) -> Self {
        if self.only_trains() {
            Self::Transformers
        } else {
            self
        }
    }

    /// Whether its memory fraction applies to the memory left after weights, and not to all memory.
    pub fn memory_fraction_excludes_weights(self) -> bool {
        matches!(self, Self::Sglang | Self::TensorRtLlm)
    }
}

crate::words! {
    /// How a serving engine chooses the next token of each sequence.
    #[derive(Default)]
    pub enum Sampling {
        /// The likeliest token, or a random one of all tokens: no logits are sorted.
        #[default]
        Greedy = "greedy",
        /// A random one of the likeliest tokens: top-p or top-k.
        TopP = "top-p" | "top-k",
        /// Top-p or top-k with repetition penalties.
        Penalties = "penalties",
    }
}

crate::words! {
    /// How attention is computed.
    pub enum Attention {
        /// FlashAttention, which keeps no scores.
        Flash = "flash",
        /// PyTorch's scaled dot product attention, which keeps no scores either.
        Sdpa = "sdpa",
        /// Eager attention, which keeps the scores of all pairs of tokens.
        Eager = "eager",
    }
}

crate::words! {
    /// Positions that logits are computed for.
    pub enum Logits {
        /// The last position of each sequence.
        Last = "last",
        /// Every position.
        All = "all",
        /// Every position, in chunks.
        Chunked = "chunked",
        /// No position: the model generates no text.
        None = "none",
    }
}

crate::words! {
    /// The optimizer that updates the parameters.
    pub enum Optimizer {
        /// Two moments for each parameter.
        AdamW = "adamw",
        /// Two moments in 8 bits, with a scale for each block.
        AdamW8Bit = "adamw-8bit",
        /// Factored second moments, no first one.
        Adafactor = "adafactor",
        /// One momentum for each parameter.
        Muon = "muon",
        /// No state.
        Sgd = "sgd",
    }
}

crate::words! {
    /// Activations that are recomputed instead of kept.
    pub enum Checkpointing {
        /// Everything is kept.
        None = "none",
        /// Activations of attention, or of every second layer, are recomputed.
        Selective = "selective",
        /// Everything but the inputs of the layers is recomputed.
        Full = "full",
    }
}

crate::words! {
    /// Matrices with adapters.
    pub enum LoraTargets {
        /// Queries and values.
        Qv = "qv",
        /// Queries, keys, values and output.
        Attention = "attention",
        /// All matrices of attention and of the MLPs.
        AllLinear = "all-linear",
    }
}

crate::words! {
    /// Training state that is kept in host memory.
    pub enum Offload {
        /// Nothing.
        None = "none",
        /// The optimizer state; the optimizer then runs on the host.
        Optimizer = "optimizer",
        /// The optimizer state and the parameters.
        All = "all",
    }
}

crate::words! {
    /// The copy of the weights that the optimizer keeps.
    pub enum MasterWeights {
        /// A copy in single precision.
        Fp32 = "fp32",
        /// No copy.
        None = "none",
    }
}

crate::words! {
    /// A number format of training.
    pub enum Float {
        /// bfloat16.
        Bf16 = "bf16",
        /// Single precision.
        Fp32 = "fp32",
    }
}

impl Float {
    /// Bytes of one value.
    pub fn bytes(self) -> f64 {
        match self {
            Self::Bf16 => 2.0,
            Self::Fp32 => 4.0,
        }
    }
}

crate::words! {
    /// A format of the cache.
    pub enum CacheFormat {
        /// 16 bits: bfloat16, or half precision where a device has no bfloat16.
        Bf16 = "bf16",
        /// 8-bit floating point.
        Fp8 = "fp8",
        /// 8-bit integers.
        Int8 = "int8",
        /// Blocks of 32 values in 8 bits with a 16-bit scale (llama.cpp).
        Q8_0 = "q8_0",
        /// Blocks of 32 values in 4 bits with a 16-bit scale (llama.cpp).
        Q4_0 = "q4_0",
    }
}

impl CacheFormat {
    /// Bytes of one value.
    pub fn bytes(self) -> f64 {
        match self {
            Self::Bf16 => 2.0,
            Self::Fp8 | Self::Int8 => 1.0,
            Self::Q8_0 => 1.0625,
            Self::Q4_0 => 0.5625,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::ServingEngine;
    use crate::word::Word as _;

    #[test]
    fn lists_serving_engines() {
        let serving: Vec<&str> = ServingEngine::ALL
            .iter()
            .filter(|(_, engine)| engine.serves())
            .map(|(word, _)| *word)
            .collect();
        assert_eq!(serving, ["vllm", "sglang", "tensorrt-llm"]);
    }

    #[test]
    fn trainers_run_where_transformers_does() {
        let trainers = ServingEngine::ALL
            .iter()
            .filter(|(_, one)| one.only_trains());
        let mut platforms = trainers.map(|(_, one)| one.platform());
        assert!(platforms.all(|one| one == ServingEngine::Transformers));
        assert_eq!(
            ServingEngine::Unsloth.platform(),
            ServingEngine::Transformers
        );
        assert_eq!(ServingEngine::Vllm.platform(), ServingEngine::Vllm);
    }
}
