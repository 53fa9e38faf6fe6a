// The questions of the page. Each field is a flag of the command line, or an argument if it has no `flag`; the order of the
// arguments is that of the fields. The table is JSON, so that tests of the program compare it with the options of its commands.
//
// kind:    text (default), words (several arguments), list (values joined by commas), choice, switch
// suggest: names of the catalog (accelerators, models, providers), or words
// more:    the field is below the line "More conditions"
// start:   the words of the example that a question starts with
export const QUESTIONS = [
  {
    "command": ["recommend"],
    "title": "Rent for a model",
    "about": "Which machines serve or train a model, how fast, and at what price.",
    "start": ["Llama-3.3-70B", "--users", "50"],
    "fields": [
      { "name": "model", "label": "Model", "suggest": "models", "example": "Llama-3.3-70B", "hint": "A name, or a size such as 13B" },
      { "name": "users", "label": "Users at once", "flag": "--users", "example": "50" },
      { "name": "context", "label": "Prompt, in tokens", "flag": "--context", "example": "4096" },
      { "name": "generate", "label": "Answer, in tokens", "flag": "--generate", "example": "512" },
      { "name": "precision", "label": "Precision of the weights", "flag": "--precision", "suggest": ["bf16", "fp8", "awq", "gptq", "nf4", "nvfp4", "gguf:Q4_K_M", "any"], "example": "fp8" },
      { "name": "workload", "label": "Work", "flag": "--workload", "kind": "choice", "choices": ["inference", "lora", "qlora", "full", "pretrain", "dpo", "grpo", "ppo", "distill"] },
      { "name": "objective", "label": "Best by", "flag": "--objective", "kind": "choice", "choices": ["cost", "speed", "latency", "memory"] },
      { "name": "max-ttft", "label": "Maximum time to first token", "flag": "--max-ttft", "example": "2s" },
      { "name": "provider", "label": "Providers", "flag": "--provider", "kind": "list", "suggest": "providers", "example": "aws,gcp", "hint": "Ids or groups such as hyperscalers; !aws excludes one" },
      { "name": "region", "label": "Regions", "flag": "--region", "kind": "list", "example": "EU", "hint": "Ids, patterns, countries or groups of countries" },
      { "name": "capacity", "label": "Capacity type", "flag": "--capacity-type", "kind": "choice", "choices": ["on-demand", "spot", "any"] },
      { "name": "max-price", "label": "Maximum price per hour", "flag": "--max-price", "example": "25", "unit": "USD" },
      { "name": "on", "label": "Only this hardware", "flag": "--on", "suggest": "accelerators", "example": "H100|H200", "more": true },
      { "name": "nodes", "label": "Machines together", "flag": "--nodes", "example": "1..4", "more": true },
      { "name": "engine", "label": "Engine", "flag": "--engine", "kind": "choice", "choices": ["vllm", "sglang", "llama.cpp", "tensorrt-llm", "transformers", "deepspeed", "torchtitan", "torchtune", "litgpt", "ms-swift", "unsloth", "axolotl", "none"], "more": true },
      { "name": "kv-precision", "label": "Precision of the KV cache", "flag": "--kv-precision", "kind": "choice", "choices": ["bf16", "fp8", "int8", "q8_0", "q4_0"], "more": true },
      { "name": "tokens", "label": "Tokens in total", "flag": "--tokens", "example": "100M", "more": true },
      { "name": "deadline", "label": "Deadline", "flag": "--deadline", "example": "2d", "more": true },
      { "name": "budget", "label": "Budget in total", "flag": "--budget", "example": "500", "unit": "USD", "more": true },
      { "name": "compare", "label": "Compare with", "flag": "--compare", "kind": "choice", "choices": ["api"], "more": true },
      { "name": "commit", "label": "Commitment", "flag": "--commit", "example": "1y", "more": true, "hint": "1y, 3y, 7d or any" },
      { "name": "price", "label": "Price that ranks", "flag": "--price", "kind": "choice", "choices": ["likely", "stated"], "more": true },
      { "name": "max-age", "label": "Maximum age of prices", "flag": "--max-age", "example": "90d", "more": true },
      { "name": "interconnect", "label": "Link", "flag": "--interconnect", "kind": "choice", "choices": ["nvlink", "infiniband", "efa", "any"], "more": true },
      { "name": "currency", "label": "Currency", "flag": "--currency", "example": "EUR", "more": true },
      { "name": "limit", "label": "Maximum rows", "flag": "--limit", "example": "20", "more": true }
    ]
  },
  {
    "command": ["resolve"],
    "title": "Find a GPU",
    "about": "What each provider calls some hardware, and what it costs.",
    "start": ["H100:x8"],
    "fields": [
      { "name": "spec", "label": "Hardware", "suggest": "accelerators", "example": "A100:80GB:x8", "hint": "A name, and memory, count or form factor after colons" },
      { "name": "provider", "label": "Providers", "flag": "--provider", "kind": "list", "suggest": "providers", "example": "aws,gcp", "hint": "Ids or groups such as hyperscalers; !aws excludes one" },
      { "name": "region", "label": "Regions", "flag": "--region", "kind": "list", "example": "EU", "hint": "Ids, patterns, countries or groups of countries" },
      { "name": "capacity", "label": "Capacity type", "flag": "--capacity-type", "kind": "choice", "choices": ["on-demand", "spot", "any"] },
      { "name": "max-price", "label": "Maximum price per hour", "flag": "--max-price", "example": "25", "unit": "USD" },
      { "name": "sort", "label": "Sort by", "flag": "--sort", "kind": "choice", "choices": ["price", "price-per-gpu", "price-per-gb", "price-per-tflop"] },
      { "name": "at-least", "label": "Also machines with more devices", "flag": "--at-least", "kind": "switch" },
      { "name": "all", "label": "All rows, not only the first 20", "flag": "--all", "kind": "switch" },
      { "name": "hours", "label": "Total for", "flag": "--hours", "example": "100", "unit": "hours", "more": true },
      { "name": "min-vcpu", "label": "Minimum vCPUs", "flag": "--min-vcpu", "example": "32", "more": true },
      { "name": "min-host-memory", "label": "Minimum host memory", "flag": "--min-host-memory", "example": "256GB", "more": true },
      { "name": "commit", "label": "Commitment", "flag": "--commit", "example": "1y", "more": true, "hint": "1y, 3y, 7d or any" },
      { "name": "price", "label": "Price that ranks", "flag": "--price", "kind": "choice", "choices": ["likely", "stated"], "more": true },
      { "name": "max-age", "label": "Maximum age of prices", "flag": "--max-age", "example": "90d", "more": true },
      { "name": "interconnect", "label": "Link", "flag": "--interconnect", "kind": "choice", "choices": ["nvlink", "infiniband", "efa", "any"], "more": true },
      { "name": "currency", "label": "Currency", "flag": "--currency", "example": "EUR", "more": true },
      { "name": "limit", "label": "Maximum rows", "flag": "--limit", "example": "20", "more": true }
    ]
  },
  {
    "command": ["fit"],
    "title": "Check a model",
    "about": "Whether a model fits on some hardware, and what uses its memory.",
    "start": ["L4", "Llama-3.1-8B", "--precision", "awq"],
    "fields": [
      { "name": "spec", "label": "Hardware", "suggest": "accelerators", "example": "A100:80GB:x2" },
      { "name": "model", "label": "Model", "suggest": "models", "example": "Llama-3.3-70B", "hint": "A name, or a size such as 13B" },
      { "name": "precision", "label": "Precision of the weights", "flag": "--precision", "suggest": ["bf16", "fp8", "awq", "gptq", "nf4", "nvfp4", "gguf:Q4_K_M", "any"], "example": "fp8" },
      { "name": "workload", "label": "Work", "flag": "--workload", "kind": "choice", "choices": ["inference", "lora", "qlora", "full", "pretrain", "dpo", "grpo", "ppo", "distill"] },
      { "name": "context", "label": "Prompt, in tokens", "flag": "--context", "example": "4096" },
      { "name": "generate", "label": "Answer, in tokens", "flag": "--generate", "example": "512" },
      { "name": "users", "label": "Users at once", "flag": "--users", "example": "50" },
      { "name": "batch", "label": "Sequences at once", "flag": "--batch", "example": "8", "hint": "Instead of users" },
      { "name": "engine", "label": "Engine", "flag": "--engine", "kind": "choice", "choices": ["vllm", "sglang", "llama.cpp", "tensorrt-llm", "transformers", "deepspeed", "torchtitan", "torchtune", "litgpt", "ms-swift", "unsloth", "axolotl", "none"], "more": true },
      { "name": "kv-precision", "label": "Precision of the KV cache", "flag": "--kv-precision", "kind": "choice", "choices": ["bf16", "fp8", "int8", "q8_0", "q4_0"], "more": true },
      { "name": "nodes", "label": "Machines together", "flag": "--nodes", "example": "2", "more": true },
      { "name": "zero-stage", "label": "ZeRO stage", "flag": "--zero-stage", "kind": "choice", "choices": ["0", "1", "2", "3"], "more": true },
      { "name": "lora-rank", "label": "Rank of LoRA", "flag": "--lora-rank", "example": "16", "more": true },
      { "name": "optimizer", "label": "Optimizer", "flag": "--optimizer", "kind": "choice", "choices": ["adamw", "adamw-8bit", "adafactor", "muon", "sgd"], "more": true },
      { "name": "checkpointing", "label": "Recomputed activations", "flag": "--checkpointing", "kind": "choice", "choices": ["none", "selective", "full"], "more": true },
      { "name": "tensor-parallel", "label": "Tensor parallelism", "flag": "--tensor-parallel", "example": "2", "more": true }
    ]
  },
  {
    "command": ["models"],
    "title": "Models for a GPU",
    "about": "Which models run on some hardware, how fast, and with how long a prompt.",
    "start": ["--on", "RTX4090"],
    "fields": [
      { "name": "on", "label": "Hardware", "flag": "--on", "suggest": "accelerators", "example": "RTX4090" },
      { "name": "filter", "label": "Name or kind", "suggest": "models", "example": "qwen3" },
      { "name": "users", "label": "Users at once", "flag": "--users", "example": "50" },
      { "name": "context", "label": "Prompt, in tokens", "flag": "--context", "example": "4096" },
      { "name": "generate", "label": "Answer, in tokens", "flag": "--generate", "example": "512" },
      { "name": "budget", "label": "Budget per hour", "flag": "--budget", "example": "2", "unit": "USD" },
      { "name": "limit", "label": "Maximum rows", "flag": "--limit", "example": "20", "more": true }
    ]
  },
  {
    "command": ["compare"],
    "title": "Compare GPUs",
    "about": "Figures side by side, with ratios to the first.",
    "start": ["H100", "MI300X"],
    "fields": [
      { "name": "names", "label": "Accelerators", "kind": "words", "suggest": "accelerators", "example": "H100 MI300X", "hint": "Two or more, separated by spaces" },
      { "name": "model", "label": "Model", "flag": "--model", "suggest": "models", "example": "Llama-3.3-70B", "hint": "A name, or a size such as 13B" },
      { "name": "users", "label": "Users at once", "flag": "--users", "example": "50" },
      { "name": "context", "label": "Prompt, in tokens", "flag": "--context", "example": "4096" },
      { "name": "generate", "label": "Answer, in tokens", "flag": "--generate", "example": "512" },
      { "name": "precision", "label": "Precision of the weights", "flag": "--precision", "suggest": ["bf16", "fp8", "awq", "gptq", "nf4", "nvfp4", "gguf:Q4_K_M", "any"], "example": "fp8" },
      { "name": "provider", "label": "Providers", "flag": "--provider", "kind": "list", "suggest": "providers", "example": "aws,gcp", "hint": "Ids or groups such as hyperscalers; !aws excludes one" },
      { "name": "region", "label": "Regions", "flag": "--region", "kind": "list", "example": "EU", "hint": "Ids, patterns, countries or groups of countries" },
      { "name": "capacity", "label": "Capacity type", "flag": "--capacity-type", "kind": "choice", "choices": ["on-demand", "spot", "any"] },
      { "name": "max-price", "label": "Maximum price per hour", "flag": "--max-price", "example": "25", "unit": "USD" },
      { "name": "currency", "label": "Currency", "flag": "--currency", "example": "EUR", "more": true }
    ]
  },
  {
    "command": ["prices"],
    "title": "Judge a price",
    "about": "Whether a price is good: today, and in the past.",
    "start": ["H100"],
    "fields": [
      { "name": "specs", "label": "Hardware", "kind": "words", "suggest": "accelerators", "example": "H100" },
      { "name": "provider", "label": "Providers", "flag": "--provider", "kind": "list", "suggest": "providers", "example": "aws,gcp", "hint": "Ids or groups such as hyperscalers; !aws excludes one" },
      { "name": "capacity", "label": "Capacity type", "flag": "--capacity-type", "kind": "choice", "choices": ["on-demand", "spot", "any"] },
      { "name": "history", "label": "The dated prices themselves", "flag": "--history", "kind": "switch" },
      { "name": "max-age", "label": "Maximum age of prices", "flag": "--max-age", "example": "90d" },
      { "name": "currency", "label": "Currency", "flag": "--currency", "example": "EUR" }
    ]
  },
  {
    "command": ["mig", "fit"],
    "title": "Slice one GPU",
    "about": "Whether MIG slices fit on one GPU, and where.",
    "start": ["H100", "3g.40gb", "1g.10gb*2"],
    "fields": [
      { "name": "gpu", "label": "GPU", "suggest": "accelerators", "example": "H100" },
      { "name": "profiles", "label": "Slices, or a model", "kind": "words", "example": "3g.40gb 1g.10gb*2" },
      { "name": "occupied", "label": "Slices already there", "flag": "--occupied", "kind": "list", "example": "2g.20gb@0" }
    ]
  },
  {
    "command": ["mig", "pack"],
    "title": "Slice many GPUs",
    "about": "The fewest GPUs for many MIG slices.",
    "start": ["H100", "3g.40gb=10", "1g.10gb=20"],
    "fields": [
      { "name": "gpu", "label": "GPU", "suggest": "accelerators", "example": "H100", "hint": "any compares all GPUs" },
      { "name": "profiles", "label": "Slices with counts", "kind": "words", "example": "3g.40gb=10 1g.10gb=20" },
      { "name": "slice", "label": "Slices by size", "flag": "--slice", "kind": "list", "example": "10GB*20" },
      { "name": "gpus", "label": "Maximum GPUs", "flag": "--gpus", "example": "4" }
    ]
  }
];
