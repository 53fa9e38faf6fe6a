//! The choices of a run, as they are written in flags, requests and answers.

crate::words! {
    /// The work that the model does.
    pub enum Workload {
        /// Generating text.
        Inference = "inference" | "serve" | "serving" | "chat",
        /// Training low-rank adapters on frozen weights.
        Lora = "lora",
        /// The same, on quantized weights.
        Qlora = "qlora",
        /// Fine-tuning of all parameters.
        Full = "full" | "finetune" | "fine-tuning" | "sft" | "training",
        /// Training from the beginning.
        Pretrain = "pretrain" | "pretraining",
        /// Direct preference optimization: pairs of answers, held against a reference model.
        Dpo = "dpo",
        /// Group relative policy optimization: answers are generated, scored and trained on.
        Grpo = "grpo",
        /// Proximal policy optimization: the same with a critic, which is trained too.
        Ppo = "ppo",
        /// Learning what a larger model says.
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

    /// Models of this shape that are trained together: a critic has the shape of its policy.
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
        /// Vectors or scores of the text that it reads: embeddings and rerankers.
        Encoder = "encoder",
        /// Images.
        Image = "image",
        /// Video.
        Video = "video",
        /// The words of speech, or speech.
        Speech = "speech",
    }
}

crate::words! {
    /// The engine that runs the model.
    pub enum Engine {
        /// None in particular.
        None = "none",
        /// transformers, eager PyTorch.
        Transformers = "transformers",
        /// vLLM.
        Vllm = "vllm",
        /// SGLang.
        Sglang = "sglang",
        /// llama.cpp, the engine of GGUF files.
        LlamaCpp = "llama.cpp",
        /// TensorRT-LLM.
        TensorRtLlm = "tensorrt-llm",
    }
}

impl Engine {
    /// Its name, as its makers write it.
    pub fn name(self) -> &'static str {
        match self {
            Self::None => "no engine in particular",
            Self::Transformers => "transformers",
            Self::Vllm => "vLLM",
            Self::Sglang => "SGLang",
            Self::LlamaCpp => "llama.cpp",
            Self::TensorRtLlm => "TensorRT-LLM",
        }
    }

    /// Whether it is a server that takes a share of the device when it starts, fills what is left
    /// with cache in blocks, and batches requests as they come.
    pub fn serves(self) -> bool {
        matches!(self, Self::Vllm | Self::Sglang | Self::TensorRtLlm)
    }

    /// Whether its share of the device is one of the memory that weights leave, and not of all.
    pub fn shares_what_is_left(self) -> bool {
        matches!(self, Self::Sglang | Self::TensorRtLlm)
    }
}

crate::words! {
    /// How attention is computed.
    pub enum Attention {
        /// FlashAttention: no scores are kept.
        Flash = "flash",
        /// PyTorch's scaled dot product attention, which does the same.
        Sdpa = "sdpa",
        /// Scores of all pairs of tokens are kept.
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
        /// Every position, a part at a time.
        Chunked = "chunked",
        /// None: the model writes no text.
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
    /// Activations that are computed again instead of kept.
    pub enum Checkpointing {
        /// Everything is kept.
        None = "none",
        /// Those of attention, or of every second layer.
        Selective = "selective",
        /// Everything but the inputs of the layers.
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
        /// Those of attention and of the MLPs.
        AllLinear = "all-linear",
    }
}

crate::words! {
    /// Parts of the training state that are kept in the host's memory.
    pub enum Offload {
        /// Nothing.
        None = "none",
        /// The state of the optimizer, which then runs on the host.
        Optimizer = "optimizer",
        /// The optimizer and the parameters.
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
        /// Blocks of 32 in 8 bits with a 16-bit scale, as llama.cpp has them.
        Q8_0 = "q8_0",
        /// Blocks of 32 in 4 bits with a 16-bit scale.
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
    use super::Engine;
    use crate::word::Word as _;

    #[test]
    fn servers_are_told_from_libraries() {
        let serving: Vec<&str> = Engine::ALL
            .iter()
            .filter(|(_, engine)| engine.serves())
            .map(|(word, _)| *word)
            .collect();
        assert_eq!(serving, ["vllm", "sglang", "tensorrt-llm"]);
    }
}
