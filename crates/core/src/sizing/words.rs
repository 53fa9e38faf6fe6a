//! Choices that are written as words, in flags, in requests and in answers alike.

/// A choice among words.
pub trait Word: Copy + Sized + 'static {
    /// All choices with their words.
    const ALL: &'static [(&'static str, Self)];

    fn word(self) -> &'static str;

    fn from_word(word: &str) -> Option<Self> {
        let found = Self::ALL.iter().find(|(known, _)| *known == word);
        found.map(|(_, choice)| *choice)
    }
}

macro_rules! words {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $name {
            $($(#[$variant_doc])* $variant,)+
        }

        impl Word for $name {
            const ALL: &'static [(&'static str, Self)] = &[$(($word, Self::$variant),)+];

            fn word(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)+
                }
            }
        }
    };
}

words!(
    /// What is done with the model.
    Workload {
        Inference = "inference",
        Lora = "lora",
        Qlora = "qlora",
        /// Fine-tuning of all parameters.
        Full = "full",
        Pretrain = "pretrain",
    }
);

impl Workload {
    pub fn is_training(self) -> bool {
        self != Self::Inference
    }

    /// Whether the weights stay as they are and adapters are trained.
    pub fn has_adapters(self) -> bool {
        matches!(self, Self::Lora | Self::Qlora)
    }
}

words!(
    /// What runs the model.
    Engine {
        /// None in particular.
        None = "none",
        Transformers = "transformers",
        Vllm = "vllm",
        Sglang = "sglang",
        LlamaCpp = "llama.cpp",
        TensorRtLlm = "tensorrt-llm",
    }
);

words!(
    Attention {
        Flash = "flash",
        Sdpa = "sdpa",
        /// Scores of all pairs of tokens are kept.
        Eager = "eager",
    }
);

words!(
    /// Positions that logits are computed for.
    Logits {
        Last = "last",
        All = "all",
        /// All, a part at a time.
        Chunked = "chunked",
    }
);

words!(
    Optimizer {
        AdamW = "adamw",
        AdamW8Bit = "adamw-8bit",
        Adafactor = "adafactor",
        Muon = "muon",
        Sgd = "sgd",
    }
);

words!(
    /// Activations that are computed again instead of kept.
    Checkpointing {
        None = "none",
        /// Those of attention, or of every second layer.
        Selective = "selective",
        Full = "full",
    }
);

words!(
    /// Matrices with adapters.
    LoraTargets {
        /// Queries and values.
        Qv = "qv",
        Attention = "attention",
        AllLinear = "all-linear",
    }
);

words!(
    /// What is kept in the host's memory.
    Offload {
        None = "none",
        Optimizer = "optimizer",
        /// Optimizer and parameters.
        All = "all",
    }
);

words!(
    /// A number format of training.
    Float {
        Bf16 = "bf16",
        Fp32 = "fp32",
    }
);

impl Float {
    pub fn bytes(self) -> f64 {
        match self {
            Self::Bf16 => 2.0,
            Self::Fp32 => 4.0,
        }
    }
}

words!(
    /// A format of the cache.
    CacheFormat {
        Bf16 = "bf16",
        Fp8 = "fp8",
        Int8 = "int8",
        Q8_0 = "q8_0",
        Q4_0 = "q4_0",
    }
);

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
