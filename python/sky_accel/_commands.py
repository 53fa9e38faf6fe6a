"""The commands of sky-accel as functions. `cargo xtask generate` writes this file.

Each parameter is an argument or an option of the command. An option that is None is not given.
"""

# mypy: disable-error-code="empty-body"
# pyright: reportReturnType=false

from __future__ import annotations

from typing import TYPE_CHECKING

from ._call import command

if TYPE_CHECKING:
    from typing import Literal

    from . import answers
    from ._values import (
        Answer,
        Day,
        Duration,
        File,
        Flag,
        FlagOr,
        Many,
        Number,
        Spec,
        Switch,
        Text,
        Time,
        Whole,
    )

__all__ = [
    "bill",
    "catalog_diff",
    "catalog_path",
    "catalog_update",
    "catalog_verify",
    "compare",
    "convert",
    "detect",
    "fit",
    "guide",
    "is_",
    "list_accelerators",
    "live_doctor",
    "mig_fit",
    "mig_pack",
    "mig_profiles",
    "mix",
    "models",
    "plan",
    "plan_diff",
    "price_history",
    "prices",
    "quota",
    "recommend",
    "report",
    "resolve",
    "show",
    "web",
]


@command("bill")
def bill(
    *specs: Spec | Answer,
    hours: Time | None = None,
    month: Flag | None = None,
    model: Text | None = None,
    live: Flag | None = None,
    commit: Text | None = None,
    upfront: Literal["none", "partial", "all"] | None = None,
    provider: Many[Text] | None = None,
    region: Many[Text] | None = None,
    capacity_type: Literal["on-demand", "spot", "any"] | None = None,
    tier: Text | None = None,
    max_price: Number | None = None,
    max_age: Duration | None = None,
    price: Literal["likely", "stated"] | None = None,
    min_vcpu: Number | None = None,
    min_host_memory: Number | None = None,
    interconnect: Literal["efa", "infiniband", "nvlink", "any"] | None = None,
    available: Flag | None = None,
    limit: Whole | None = None,
    currency: Text | None = None,
    all: Flag | None = None,
    sessions: Whole | None = None,
    hours_per_session: Time | None = None,
    storage: Number | None = None,
    egress: Number | None = None,
    ingress: Number | None = None,
    idle: Time | None = None,
    start: Time | None = None,
    bandwidth: Number | None = None,
    ipv4: Whole | None = None,
    explain: Flag | None = None,
    catalog: Many[File] | None = None,
    config: File | None = None,
    offline: Flag | None = None,
    insecure: Flag | None = None,
    today: Day | None = None,
) -> answers.BillAnswer:
    """Compute the whole bill: machine, disk, traffic, starts.

    specs: Specs such as H100:x8 or any:24GB
    hours: Time of work: 100, 90m, 2d [default: 730 hours]
    month: Bill a whole month, with its time off
    model: Download the checkpoint of this model
    live: Download the configuration of model organization/name or hf:organization/name from its hub
    commit: Rank by committed prices: 1y, 3y, 7d or any
    upfront: Upfront payment of the commitment: none, partial or all [default: the smallest available]
    provider: Only these: aws, hyperscalers; `!aws` excludes it
    region: Only these: us-east-1, eu-*, Germany, EU
    capacity_type: Capacity type to price: on-demand, spot or any
    tier: Price tier of providers with several tiers: secure, community or any [default: the provider's own machines before those of private hosts]. For `recommend`: with `list`, its default, marketplaces, consumer cards and weak prices rank below other offers; with `any`, all rank together
    max_price: Exclude machines above this price per hour
    max_age: Only prices of at most this age: 12h, 30d
    price: Price that ranks and limits machines: likely (of today, estimated) or stated (as last seen) [default: likely]
    min_vcpu: Only machines with at least this many vCPUs
    min_host_memory: Only machines with at least this much host memory: 256GB, 1TB
    interconnect: Only machines with this link, in a machine or between machines
    available: Leave out machines that are known to be out of stock or excluded by a quota
    limit: Show at most N rows
    currency: Show prices in this currency, such as EUR
    all: Show every row, not the best of each provider
    sessions: Number of sessions in a month
    hours_per_session: Time of work in each session: 3, 90m
    storage: Disk that each machine keeps: 200GB, 1TB
    egress: Traffic to the internet: 50GB, 2TB
    ingress: Traffic from the internet, without the checkpoint: 50GB
    idle: Idle time at the end of each session: 15m
    start: Time of each start: 5m [default: as the catalog has it for the provider]
    bandwidth: Bandwidth of the download in Gbit/s [default: 1]
    ipv4: Public IPv4 addresses of each machine [default: 1]
    explain: Explain on standard error why each candidate was kept or dropped (resolve, plan)
    catalog: Add an overlay catalog (folder or file); repeatable, later ones override earlier ones
    config: Read this config file instead of ./sky-accel.toml and your user config.toml
    offline: Do not use the network: live uses cached answers only
    insecure: Send keys to unencrypted base URLs (http://), where others can read them
    today: The day from which ages of prices count, instead of today
    """


@command("catalog", "diff")
def catalog_diff(
    before: File | None = None,
    after: File | None = None,
    *,
    explain: Flag | None = None,
    catalog: Many[File] | None = None,
    config: File | None = None,
    offline: Flag | None = None,
    insecure: Flag | None = None,
    today: Day | None = None,
) -> answers.CatalogDiffAnswer:
    """Describe the differences between two catalogs.

    before: Overlay folder or file, or `embedded`; without B, compared with the embedded catalog
    after: Second catalog; without A and B, compares your overlays with the embedded catalog
    explain: Explain on standard error why each candidate was kept or dropped (resolve, plan)
    catalog: Add an overlay catalog (folder or file); repeatable, later ones override earlier ones
    config: Read this config file instead of ./sky-accel.toml and your user config.toml
    offline: Do not use the network: live uses cached answers only
    insecure: Send keys to unencrypted base URLs (http://), where others can read them
    today: The day from which ages of prices count, instead of today
    """


@command("catalog", "path")
def catalog_path(
    *,
    explain: Flag | None = None,
    catalog: Many[File] | None = None,
    config: File | None = None,
    offline: Flag | None = None,
    insecure: Flag | None = None,
    today: Day | None = None,
) -> answers.CatalogPathAnswer:
    """Show where the catalog and its overlays are.

    explain: Explain on standard error why each candidate was kept or dropped (resolve, plan)
    catalog: Add an overlay catalog (folder or file); repeatable, later ones override earlier ones
    config: Read this config file instead of ./sky-accel.toml and your user config.toml
    offline: Do not use the network: live uses cached answers only
    insecure: Send keys to unencrypted base URLs (http://), where others can read them
    today: The day from which ages of prices count, instead of today
    """


@command("catalog", "update", from_="--from")
def catalog_update(
    *,
    provider: Many[Text] | None = None,
    from_: Many[Text] | None = None,
    digest: Text | None = None,
    into: File | None = None,
    dry_run: Flag | None = None,
    public: Flag | None = None,
    timeout: Duration | None = None,
    explain: Flag | None = None,
    catalog: Many[File] | None = None,
    config: File | None = None,
    offline: Flag | None = None,
    insecure: Flag | None = None,
    today: Day | None = None,
) -> answers.CatalogUpdateAnswer:
    """Download current prices from the providers into your own overlay.

    provider: Query only this provider; repeatable
    from_: Source of the prices: the providers, a project that collects them, or the path or address of a file that `catalog compile` wrote; repeatable [default: providers]
    digest: SHA-256 digest that the file of from_ must have
    into: Write to this folder [default: catalog/ beside your config.toml]
    dry_run: Show the changes without writing them
    public: Also query without a key where a provider's terms restrict automated access: RunPod, Vast.ai
    timeout: Timeout for each provider, up to 10m; a number without a unit is in seconds [default: 2m]
    explain: Explain on standard error why each candidate was kept or dropped (resolve, plan)
    catalog: Add an overlay catalog (folder or file); repeatable, later ones override earlier ones
    config: Read this config file instead of ./sky-accel.toml and your user config.toml
    offline: Do not use the network: live uses cached answers only
    insecure: Send keys to unencrypted base URLs (http://), where others can read them
    today: The day from which ages of prices count, instead of today
    """


@command("catalog", "verify")
def catalog_verify(
    *paths: File,
    explain: Flag | None = None,
    catalog: Many[File] | None = None,
    config: File | None = None,
    offline: Flag | None = None,
    insecure: Flag | None = None,
    today: Day | None = None,
) -> answers.CatalogVerifyAnswer:
    """Check the catalog with your overlays, or with these paths instead.

    paths: Overlay folders or files
    explain: Explain on standard error why each candidate was kept or dropped (resolve, plan)
    catalog: Add an overlay catalog (folder or file); repeatable, later ones override earlier ones
    config: Read this config file instead of ./sky-accel.toml and your user config.toml
    offline: Do not use the network: live uses cached answers only
    insecure: Send keys to unencrypted base URLs (http://), where others can read them
    today: The day from which ages of prices count, instead of today
    """


@command("compare")
def compare(
    *names: Spec,
    provider: Many[Text] | None = None,
    region: Many[Text] | None = None,
    capacity_type: Literal["on-demand", "spot", "any"] | None = None,
    tier: Text | None = None,
    max_price: Number | None = None,
    max_age: Duration | None = None,
    price: Literal["likely", "stated"] | None = None,
    min_vcpu: Number | None = None,
    min_host_memory: Number | None = None,
    interconnect: Literal["efa", "infiniband", "nvlink", "any"] | None = None,
    available: Flag | None = None,
    limit: Whole | None = None,
    currency: Text | None = None,
    commit: Text | None = None,
    upfront: Literal["none", "partial", "all"] | None = None,
    model_size: Number | None = None,
    assume: Text | None = None,
    group_size: Number | None = None,
    kv_precision: Literal["bf16", "fp8", "int8", "q8_0", "q4_0"] | None = None,
    max_context: Number | None = None,
    batch: Number | None = None,
    micro_batch: Number | None = None,
    images: Number | None = None,
    audio_hours: Time | None = None,
    steps: Number | None = None,
    height: Number | None = None,
    width: Number | None = None,
    frames: Number | None = None,
    users: Number | None = None,
    concurrency: Number | None = None,
    request_rate: Number | None = None,
    rate: Number | None = None,
    requests: Number | None = None,
    max_ttft: Time | None = None,
    min_speed: Number | None = None,
    max_tpot: Time | None = None,
    prefix_cache: Number | None = None,
    images_per_request: Number | None = None,
    image_tokens: Number | None = None,
    speculative: Text | None = None,
    length_spread: Number | None = None,
    admission_interval: Number | None = None,
    disaggregated: Switch | None = None,
    engine_version: Text | None = None,
    calibrate: Number | None = None,
    energy: Switch | None = None,
    gpu_memory_utilization: Number | None = None,
    max_batched_tokens: Number | None = None,
    max_num_batched_tokens: Number | None = None,
    max_num_seqs: Number | None = None,
    sampling: Literal["greedy", "top-p", "penalties"] | None = None,
    attention: Literal["flash", "sdpa", "eager"] | None = None,
    logits: Literal["last", "all", "chunked", "none"] | None = None,
    gpu_layers: Whole | None = None,
    n_cpu_moe: Whole | None = None,
    host_bandwidth: Number | None = None,
    compile: Switch | None = None,
    optimizer: Literal["adamw", "adamw-8bit", "adafactor", "muon", "sgd"] | None = None,
    optimizer_in_backward: Switch | None = None,
    master_weights: Literal["fp32", "none"] | None = None,
    parameter_precision: Literal["bf16", "fp32"] | None = None,
    gradient_precision: Literal["bf16", "fp32"] | None = None,
    checkpointing: Literal["none", "selective", "full"] | None = None,
    lora_rank: Number | None = None,
    lora_targets: Literal["qv", "attention", "all-linear"] | None = None,
    offload: Literal["none", "optimizer", "all"] | None = None,
    gradient_accumulation: Number | None = None,
    global_batch: Number | None = None,
    virtual_pipeline: Number | None = None,
    packed: Number | None = None,
    modules_to_save: Many[Text] | None = None,
    rollouts: Number | None = None,
    off_policy_steps: Number | None = None,
    tensor_parallel: Whole | None = None,
    pipeline_parallel: Whole | None = None,
    data_parallel: Whole | None = None,
    context_parallel: Whole | None = None,
    expert_parallel: Whole | None = None,
    zero_stage: Whole | None = None,
    shard_groups: Whole | None = None,
    workload: Text | None = None,
    context: Number | None = None,
    generate: Number | None = None,
    engine: Literal["none", "transformers", "vllm", "sglang", "llama.cpp", "tensorrt-llm", "deepspeed", "torchtitan", "torchtune", "litgpt", "ms-swift", "unsloth", "axolotl"] | None = None,
    model: Text | None = None,
    precision: Text | None = None,
    reference_model: Text | None = None,
    teacher_model: Text | None = None,
    explain: Flag | None = None,
    catalog: Many[File] | None = None,
    config: File | None = None,
    offline: Flag | None = None,
    insecure: Flag | None = None,
    today: Day | None = None,
) -> answers.CompareAnswer:
    """Compare accelerators figure by figure, with ratios to the first.

    names: Two or more accelerators; ratios are to the first
    provider: Only these: aws, hyperscalers; `!aws` excludes it
    region: Only these: us-east-1, eu-*, Germany, EU
    capacity_type: Capacity type to price: on-demand, spot or any
    tier: Price tier of providers with several tiers: secure, community or any [default: the provider's own machines before those of private hosts]. For `recommend`: with `list`, its default, marketplaces, consumer cards and weak prices rank below other offers; with `any`, all rank together
    max_price: Exclude machines above this price per hour
    max_age: Only prices of at most this age: 12h, 30d
    price: Price that ranks and limits machines: likely (of today, estimated) or stated (as last seen) [default: likely]
    min_vcpu: Only machines with at least this many vCPUs
    min_host_memory: Only machines with at least this much host memory: 256GB, 1TB
    interconnect: Only machines with this link, in a machine or between machines
    available: Leave out machines that are known to be out of stock or excluded by a quota
    limit: Show at most N rows
    currency: Show prices in this currency, such as EUR
    commit: Rank by committed prices: 1y, 3y, 7d or any
    upfront: Upfront payment of the commitment: none, partial or all [default: the smallest available]
    model_size: Number of parameters, for a model that the catalog does not know: 7B, 13B, 350M
    assume: Read a config.json of an unknown model type as this type: llama, qwen3, …
    group_size: Weights per group of a quantized format
    kv_precision: Format of the KV cache
    max_context: Tokens of the longest request that a server must admit, prompt and answer [default: up to twice the average]
    batch: Concurrent sequences or images per data-parallel rank; in training, sequences per micro-batch
    micro_batch: The same as batch
    images: Total number of images, or of videos: each device then generates its own
    audio_hours: Hours of speech to write down
    steps: Denoising steps of an image or video [default: from the model card]
    height: Height of an image or video in pixels [default: from the model card]
    width: Width of an image or video in pixels [default: from the model card]
    frames: Frames of a video [default: from the model card]
    users: Requests in flight at once
    concurrency: The same as users
    request_rate: Requests per second, with Poisson arrivals
    rate: The same as request_rate
    requests: Total number of requests: the load ends with the last answer, and tokens/s are the average until then
    max_ttft: Maximum time to first token or answer: 2s, 500ms
    min_speed: Minimum output tokens per second of each user
    max_tpot: Maximum time per output token: 50ms; instead of a minimum speed
    prefix_cache: Fraction of the prompt that is already in the cache, from 0 to 1
    images_per_request: Images of each prompt on average, beside the tokens of its text
    image_tokens: Tokens of an image [default: of 1024 × 1024 pixels]
    speculative: Speculative tokens per step, and the fraction that is accepted: 3:0.7
    length_spread: Spread S of prompt and output lengths L, which are uniform in [(1 − S) × L, L]; 0 if all are equal
    admission_interval: ServingEngine steps between scheduling new requests (SGLang, TensorRT-LLM)
    disaggregated: Prefill and decode on separate replicas; with grpo and ppo, generate and train on separate devices
    engine_version: Version of the serving engine; the newest by default
    calibrate: A measured speed that all speeds are scaled to: tokens_per_s=4100
    energy: Show the power of the devices, and the energy of a million tokens or of an image; JSON always has them
    gpu_memory_utilization: Fraction of device memory for vLLM; for SGLang and TensorRT-LLM, of the memory left after weights
    max_batched_tokens: Maximum tokens that a serving engine computes in one step
    max_num_batched_tokens: The same as max_batched_tokens
    max_num_seqs: Maximum sequences that a serving engine decodes at once
    sampling: How tokens are chosen [default: as the model's generation config]
    attention: Attention implementation
    logits: Positions for which logits are computed
    gpu_layers: Layers that llama.cpp computes on the devices, like its -ngl; the host computes the others
    n_cpu_moe: First layers whose experts llama.cpp keeps and computes on the host, like its n_cpu_moe
    host_bandwidth: Peak bandwidth of the host's memory in GB/s, for work on the host: 51.2 for two channels of DDR4-3200
    compile: Compile the training step
    optimizer: Optimizer
    optimizer_in_backward: Run the optimizer during the backward pass, which frees each gradient early
    master_weights: Copy of the weights that the optimizer keeps: fp32 or none
    parameter_precision: Format of trained parameters
    gradient_precision: Format of gradients
    checkpointing: Activations to recompute in the backward pass
    lora_rank: Rank of the LoRA adapters
    lora_targets: Matrices that get LoRA adapters
    offload: Training state to keep in host memory
    gradient_accumulation: Micro-batches per rank in each optimizer step
    global_batch: Sequences of all ranks in each optimizer step
    virtual_pipeline: Interleaved parts of each pipeline stage, which shorten the pipeline's idle time
    packed: Average tokens of the examples that are packed into a training sequence
    modules_to_save: Modules that are trained in full beside adapters: embeddings, head
    rollouts: Sequences that grpo and ppo generate for a step
    off_policy_steps: Maximum age of rollouts in optimizer steps, where separate devices generate them
    tensor_parallel: Tensor parallelism: devices that share each matrix
    pipeline_parallel: Pipeline parallelism: devices that share the layers
    data_parallel: Data parallelism: groups of devices that process separate batches
    context_parallel: Context parallelism: devices that share each sequence, image or video
    expert_parallel: Expert parallelism: devices that share the experts
    zero_stage: Shard over data-parallel devices: 1 the optimizer, 2 also gradients, 3 also weights (FSDP)
    shard_groups: Groups of devices that each hold all of the sharded state: hybrid sharding
    workload: Work: inference, lora, qlora, full, …
    context: Tokens of a prompt or a sequence: 4096, 32k
    generate: Tokens generated after the prompt
    engine: vllm, sglang, llama.cpp, tensorrt-llm, …
    model: Name (Llama-3.1-8B, Qwen/Qwen3-32B), a config.json, a folder with safetensors, or a GGUF file
    precision: Weights: bf16, fp8, awq, gguf:Q4_K_M, …
    reference_model: Reference model of dpo, grpo and ppo: a name, a file, or none; by default the initial model
    teacher_model: Teacher model of distill
    explain: Explain on standard error why each candidate was kept or dropped (resolve, plan)
    catalog: Add an overlay catalog (folder or file); repeatable, later ones override earlier ones
    config: Read this config file instead of ./sky-accel.toml and your user config.toml
    offline: Do not use the network: live uses cached answers only
    insecure: Send keys to unencrypted base URLs (http://), where others can read them
    today: The day from which ages of prices count, instead of today
    """


@command("convert")
def convert(
    spec: Spec,
    *,
    to: Literal["sky-accel", "skypilot", "dstack", "skyward", "flyte", "modal", "slurm", "runpod", "vastai", "aws", "verda", "nvidia-smi", "kubernetes"],
    strict: Flag | None = None,
    explain: Flag | None = None,
    catalog: Many[File] | None = None,
    config: File | None = None,
    offline: Flag | None = None,
    insecure: Flag | None = None,
    today: Day | None = None,
) -> answers.ConvertAnswer:
    """Convert a spec to another tool's syntax.

    spec: A spec such as A100:80GB:x8
    to: Target tool or format
    strict: Fail if the tool cannot express the whole spec
    explain: Explain on standard error why each candidate was kept or dropped (resolve, plan)
    catalog: Add an overlay catalog (folder or file); repeatable, later ones override earlier ones
    config: Read this config file instead of ./sky-accel.toml and your user config.toml
    offline: Do not use the network: live uses cached answers only
    insecure: Send keys to unencrypted base URLs (http://), where others can read them
    today: The day from which ages of prices count, instead of today
    """


@command("detect", from_="--from")
def detect(
    *,
    check: Spec | None = None,
    from_: File | None = None,
    explain: Flag | None = None,
    catalog: Many[File] | None = None,
    config: File | None = None,
    offline: Flag | None = None,
    insecure: Flag | None = None,
    today: Day | None = None,
) -> answers.DetectAnswer:
    """Detect this machine's accelerators, and where to rent the same.

    check: Exit 0 if the machine matches this spec, else 1; one device suffices unless the spec has a count
    from_: Read a recorded machine: a folder with sys, dev and tool output, or one file of it
    explain: Explain on standard error why each candidate was kept or dropped (resolve, plan)
    catalog: Add an overlay catalog (folder or file); repeatable, later ones override earlier ones
    config: Read this config file instead of ./sky-accel.toml and your user config.toml
    offline: Do not use the network: live uses cached answers only
    insecure: Send keys to unencrypted base URLs (http://), where others can read them
    today: The day from which ages of prices count, instead of today
    """


@command("fit", from_="--from")
def fit(
    spec: Spec | None = None,
    model: Text | None = None,
    *,
    on_this_machine: Flag | None = None,
    from_: File | None = None,
    nodes: Whole | None = None,
    live: Flag | None = None,
    accept_tight: Flag | None = None,
    price: Literal["likely", "stated"] | None = None,
    max_age: Duration | None = None,
    model_size: Number | None = None,
    assume: Text | None = None,
    group_size: Number | None = None,
    kv_precision: Literal["bf16", "fp8", "int8", "q8_0", "q4_0"] | None = None,
    max_context: Number | None = None,
    batch: Number | None = None,
    micro_batch: Number | None = None,
    images: Number | None = None,
    audio_hours: Time | None = None,
    steps: Number | None = None,
    height: Number | None = None,
    width: Number | None = None,
    frames: Number | None = None,
    users: Number | None = None,
    concurrency: Number | None = None,
    request_rate: Number | None = None,
    rate: Number | None = None,
    requests: Number | None = None,
    max_ttft: Time | None = None,
    min_speed: Number | None = None,
    max_tpot: Time | None = None,
    prefix_cache: Number | None = None,
    images_per_request: Number | None = None,
    image_tokens: Number | None = None,
    speculative: Text | None = None,
    length_spread: Number | None = None,
    admission_interval: Number | None = None,
    disaggregated: Switch | None = None,
    engine_version: Text | None = None,
    calibrate: Number | None = None,
    energy: Switch | None = None,
    gpu_memory_utilization: Number | None = None,
    max_batched_tokens: Number | None = None,
    max_num_batched_tokens: Number | None = None,
    max_num_seqs: Number | None = None,
    sampling: Literal["greedy", "top-p", "penalties"] | None = None,
    attention: Literal["flash", "sdpa", "eager"] | None = None,
    logits: Literal["last", "all", "chunked", "none"] | None = None,
    gpu_layers: Whole | None = None,
    n_cpu_moe: Whole | None = None,
    host_bandwidth: Number | None = None,
    compile: Switch | None = None,
    optimizer: Literal["adamw", "adamw-8bit", "adafactor", "muon", "sgd"] | None = None,
    optimizer_in_backward: Switch | None = None,
    master_weights: Literal["fp32", "none"] | None = None,
    parameter_precision: Literal["bf16", "fp32"] | None = None,
    gradient_precision: Literal["bf16", "fp32"] | None = None,
    checkpointing: Literal["none", "selective", "full"] | None = None,
    lora_rank: Number | None = None,
    lora_targets: Literal["qv", "attention", "all-linear"] | None = None,
    offload: Literal["none", "optimizer", "all"] | None = None,
    gradient_accumulation: Number | None = None,
    global_batch: Number | None = None,
    virtual_pipeline: Number | None = None,
    packed: Number | None = None,
    modules_to_save: Many[Text] | None = None,
    rollouts: Number | None = None,
    off_policy_steps: Number | None = None,
    tensor_parallel: Whole | None = None,
    pipeline_parallel: Whole | None = None,
    data_parallel: Whole | None = None,
    context_parallel: Whole | None = None,
    expert_parallel: Whole | None = None,
    zero_stage: Whole | None = None,
    shard_groups: Whole | None = None,
    workload: Text | None = None,
    context: Number | None = None,
    generate: Number | None = None,
    engine: Literal["none", "transformers", "vllm", "sglang", "llama.cpp", "tensorrt-llm", "deepspeed", "torchtitan", "torchtune", "litgpt", "ms-swift", "unsloth", "axolotl"] | None = None,
    precision: Text | None = None,
    reference_model: Text | None = None,
    teacher_model: Text | None = None,
    explain: Flag | None = None,
    catalog: Many[File] | None = None,
    config: File | None = None,
    offline: Flag | None = None,
    insecure: Flag | None = None,
    today: Day | None = None,
) -> answers.FitAnswer:
    """Check whether a model fits on hardware, term by term: exit 0 or 1.

    spec: Hardware such as A100:80GB:x2, or cpu:64GB; omitted with on_this_machine
    model: A model as for model, or a size such as 13B
    on_this_machine: Use the hardware of this machine, as reported by `detect`
    from_: Read a recorded machine instead, in the format of `detect from_`
    nodes: Number of machines of SPEC, connected by their network
    live: Download the configurations of models named organization/name or hf:organization/name from their hub
    accept_tight: Exit 0 for a tight fit too, which may run or run out of memory: the usable memory is within the uncertainty
    price: Also state the price of the hardware: likely (of today, estimated) or stated (as last seen)
    max_age: Also state the price of the hardware, if at most this old: 12h, 30d; exits 7 if all are older
    model_size: Number of parameters, for a model that the catalog does not know: 7B, 13B, 350M
    assume: Read a config.json of an unknown model type as this type: llama, qwen3, …
    group_size: Weights per group of a quantized format
    kv_precision: Format of the KV cache
    max_context: Tokens of the longest request that a server must admit, prompt and answer [default: up to twice the average]
    batch: Concurrent sequences or images per data-parallel rank; in training, sequences per micro-batch
    micro_batch: The same as batch
    images: Total number of images, or of videos: each device then generates its own
    audio_hours: Hours of speech to write down
    steps: Denoising steps of an image or video [default: from the model card]
    height: Height of an image or video in pixels [default: from the model card]
    width: Width of an image or video in pixels [default: from the model card]
    frames: Frames of a video [default: from the model card]
    users: Requests in flight at once
    concurrency: The same as users
    request_rate: Requests per second, with Poisson arrivals
    rate: The same as request_rate
    requests: Total number of requests: the load ends with the last answer, and tokens/s are the average until then
    max_ttft: Maximum time to first token or answer: 2s, 500ms
    min_speed: Minimum output tokens per second of each user
    max_tpot: Maximum time per output token: 50ms; instead of a minimum speed
    prefix_cache: Fraction of the prompt that is already in the cache, from 0 to 1
    images_per_request: Images of each prompt on average, beside the tokens of its text
    image_tokens: Tokens of an image [default: of 1024 × 1024 pixels]
    speculative: Speculative tokens per step, and the fraction that is accepted: 3:0.7
    length_spread: Spread S of prompt and output lengths L, which are uniform in [(1 − S) × L, L]; 0 if all are equal
    admission_interval: ServingEngine steps between scheduling new requests (SGLang, TensorRT-LLM)
    disaggregated: Prefill and decode on separate replicas; with grpo and ppo, generate and train on separate devices
    engine_version: Version of the serving engine; the newest by default
    calibrate: A measured speed that all speeds are scaled to: tokens_per_s=4100
    energy: Show the power of the devices, and the energy of a million tokens or of an image; JSON always has them
    gpu_memory_utilization: Fraction of device memory for vLLM; for SGLang and TensorRT-LLM, of the memory left after weights
    max_batched_tokens: Maximum tokens that a serving engine computes in one step
    max_num_batched_tokens: The same as max_batched_tokens
    max_num_seqs: Maximum sequences that a serving engine decodes at once
    sampling: How tokens are chosen [default: as the model's generation config]
    attention: Attention implementation
    logits: Positions for which logits are computed
    gpu_layers: Layers that llama.cpp computes on the devices, like its -ngl; the host computes the others
    n_cpu_moe: First layers whose experts llama.cpp keeps and computes on the host, like its n_cpu_moe
    host_bandwidth: Peak bandwidth of the host's memory in GB/s, for work on the host: 51.2 for two channels of DDR4-3200
    compile: Compile the training step
    optimizer: Optimizer
    optimizer_in_backward: Run the optimizer during the backward pass, which frees each gradient early
    master_weights: Copy of the weights that the optimizer keeps: fp32 or none
    parameter_precision: Format of trained parameters
    gradient_precision: Format of gradients
    checkpointing: Activations to recompute in the backward pass
    lora_rank: Rank of the LoRA adapters
    lora_targets: Matrices that get LoRA adapters
    offload: Training state to keep in host memory
    gradient_accumulation: Micro-batches per rank in each optimizer step
    global_batch: Sequences of all ranks in each optimizer step
    virtual_pipeline: Interleaved parts of each pipeline stage, which shorten the pipeline's idle time
    packed: Average tokens of the examples that are packed into a training sequence
    modules_to_save: Modules that are trained in full beside adapters: embeddings, head
    rollouts: Sequences that grpo and ppo generate for a step
    off_policy_steps: Maximum age of rollouts in optimizer steps, where separate devices generate them
    tensor_parallel: Tensor parallelism: devices that share each matrix
    pipeline_parallel: Pipeline parallelism: devices that share the layers
    data_parallel: Data parallelism: groups of devices that process separate batches
    context_parallel: Context parallelism: devices that share each sequence, image or video
    expert_parallel: Expert parallelism: devices that share the experts
    zero_stage: Shard over data-parallel devices: 1 the optimizer, 2 also gradients, 3 also weights (FSDP)
    shard_groups: Groups of devices that each hold all of the sharded state: hybrid sharding
    workload: Work: inference, lora, qlora, full, …
    context: Tokens of a prompt or a sequence: 4096, 32k
    generate: Tokens generated after the prompt
    engine: vllm, sglang, llama.cpp, tensorrt-llm, …
    precision: Weights: bf16, fp8, awq, gguf:Q4_K_M, …
    reference_model: Reference model of dpo, grpo and ppo: a name, a file, or none; by default the initial model
    teacher_model: Teacher model of distill
    explain: Explain on standard error why each candidate was kept or dropped (resolve, plan)
    catalog: Add an overlay catalog (folder or file); repeatable, later ones override earlier ones
    config: Read this config file instead of ./sky-accel.toml and your user config.toml
    offline: Do not use the network: live uses cached answers only
    insecure: Send keys to unencrypted base URLs (http://), where others can read them
    today: The day from which ages of prices count, instead of today
    """


@command("recommend", "--guide")
def guide(
    *,
    assume: Text | None = None,
    group_size: Number | None = None,
    kv_precision: Literal["bf16", "fp8", "int8", "q8_0", "q4_0"] | None = None,
    max_context: Number | None = None,
    batch: Number | None = None,
    micro_batch: Number | None = None,
    images: Number | None = None,
    audio_hours: Time | None = None,
    steps: Number | None = None,
    height: Number | None = None,
    width: Number | None = None,
    frames: Number | None = None,
    users: Number | None = None,
    concurrency: Number | None = None,
    request_rate: Number | None = None,
    rate: Number | None = None,
    requests: Number | None = None,
    max_ttft: Time | None = None,
    min_speed: Number | None = None,
    max_tpot: Time | None = None,
    prefix_cache: Number | None = None,
    images_per_request: Number | None = None,
    image_tokens: Number | None = None,
    speculative: Text | None = None,
    length_spread: Number | None = None,
    admission_interval: Number | None = None,
    disaggregated: Switch | None = None,
    engine_version: Text | None = None,
    calibrate: Number | None = None,
    energy: Switch | None = None,
    gpu_memory_utilization: Number | None = None,
    max_batched_tokens: Number | None = None,
    max_num_batched_tokens: Number | None = None,
    max_num_seqs: Number | None = None,
    sampling: Literal["greedy", "top-p", "penalties"] | None = None,
    attention: Literal["flash", "sdpa", "eager"] | None = None,
    logits: Literal["last", "all", "chunked", "none"] | None = None,
    gpu_layers: Whole | None = None,
    n_cpu_moe: Whole | None = None,
    host_bandwidth: Number | None = None,
    compile: Switch | None = None,
    optimizer: Literal["adamw", "adamw-8bit", "adafactor", "muon", "sgd"] | None = None,
    optimizer_in_backward: Switch | None = None,
    master_weights: Literal["fp32", "none"] | None = None,
    parameter_precision: Literal["bf16", "fp32"] | None = None,
    gradient_precision: Literal["bf16", "fp32"] | None = None,
    checkpointing: Literal["none", "selective", "full"] | None = None,
    lora_rank: Number | None = None,
    lora_targets: Literal["qv", "attention", "all-linear"] | None = None,
    offload: Literal["none", "optimizer", "all"] | None = None,
    gradient_accumulation: Number | None = None,
    global_batch: Number | None = None,
    virtual_pipeline: Number | None = None,
    packed: Number | None = None,
    modules_to_save: Many[Text] | None = None,
    rollouts: Number | None = None,
    off_policy_steps: Number | None = None,
    tensor_parallel: Whole | None = None,
    pipeline_parallel: Whole | None = None,
    data_parallel: Whole | None = None,
    context_parallel: Whole | None = None,
    expert_parallel: Whole | None = None,
    zero_stage: Whole | None = None,
    shard_groups: Whole | None = None,
    context: Number | None = None,
    generate: Number | None = None,
    engine: Literal["none", "transformers", "vllm", "sglang", "llama.cpp", "tensorrt-llm", "deepspeed", "torchtitan", "torchtune", "litgpt", "ms-swift", "unsloth", "axolotl"] | None = None,
    precision: Text | None = None,
    reference_model: Text | None = None,
    teacher_model: Text | None = None,
    on: Spec | None = None,
    nodes: Text | None = None,
    objective: Literal["cost", "speed", "latency", "memory"] | None = None,
    tokens: Number | None = None,
    deadline: Time | None = None,
    budget: Number | None = None,
    live: Flag | None = None,
    hours: Time | None = None,
    month: Flag | None = None,
    year: Flag | None = None,
    provider: Many[Text] | None = None,
    region: Many[Text] | None = None,
    capacity_type: Literal["on-demand", "spot", "any"] | None = None,
    tier: Text | None = None,
    max_price: Number | None = None,
    max_age: Duration | None = None,
    price: Literal["likely", "stated"] | None = None,
    min_vcpu: Number | None = None,
    min_host_memory: Number | None = None,
    interconnect: Literal["efa", "infiniband", "nvlink", "any"] | None = None,
    available: Flag | None = None,
    limit: Whole | None = None,
    currency: Text | None = None,
    commit: Text | None = None,
    upfront: Literal["none", "partial", "all"] | None = None,
    chart: Flag | None = None,
    bill: Flag | None = None,
    sessions: Whole | None = None,
    hours_per_session: Time | None = None,
    storage: Number | None = None,
    egress: Number | None = None,
    ingress: Number | None = None,
    idle: Time | None = None,
    start: Time | None = None,
    bandwidth: Number | None = None,
    ipv4: Whole | None = None,
    explain: Flag | None = None,
    catalog: Many[File] | None = None,
    config: File | None = None,
    offline: Flag | None = None,
    insecure: Flag | None = None,
    today: Day | None = None,
) -> answers.GuideAnswer:
    """Show rules of thumb, and the computed savings of each strategy.

    assume: Read a config.json of an unknown model type as this type: llama, qwen3, …
    group_size: Weights per group of a quantized format
    kv_precision: Format of the KV cache
    max_context: Tokens of the longest request that a server must admit, prompt and answer [default: up to twice the average]
    batch: Concurrent sequences or images per data-parallel rank; in training, sequences per micro-batch
    micro_batch: The same as batch
    images: Total number of images, or of videos: each device then generates its own
    audio_hours: Hours of speech to write down
    steps: Denoising steps of an image or video [default: from the model card]
    height: Height of an image or video in pixels [default: from the model card]
    width: Width of an image or video in pixels [default: from the model card]
    frames: Frames of a video [default: from the model card]
    users: Requests in flight at once
    concurrency: The same as users
    request_rate: Requests per second, with Poisson arrivals
    rate: The same as request_rate
    requests: Total number of requests: the load ends with the last answer, and tokens/s are the average until then
    max_ttft: Maximum time to first token or answer: 2s, 500ms
    min_speed: Minimum output tokens per second of each user
    max_tpot: Maximum time per output token: 50ms; instead of a minimum speed
    prefix_cache: Fraction of the prompt that is already in the cache, from 0 to 1
    images_per_request: Images of each prompt on average, beside the tokens of its text
    image_tokens: Tokens of an image [default: of 1024 × 1024 pixels]
    speculative: Speculative tokens per step, and the fraction that is accepted: 3:0.7
    length_spread: Spread S of prompt and output lengths L, which are uniform in [(1 − S) × L, L]; 0 if all are equal
    admission_interval: ServingEngine steps between scheduling new requests (SGLang, TensorRT-LLM)
    disaggregated: Prefill and decode on separate replicas; with grpo and ppo, generate and train on separate devices
    engine_version: Version of the serving engine; the newest by default
    calibrate: A measured speed that all speeds are scaled to: tokens_per_s=4100
    energy: Show the power of the devices, and the energy of a million tokens or of an image; JSON always has them
    gpu_memory_utilization: Fraction of device memory for vLLM; for SGLang and TensorRT-LLM, of the memory left after weights
    max_batched_tokens: Maximum tokens that a serving engine computes in one step
    max_num_batched_tokens: The same as max_batched_tokens
    max_num_seqs: Maximum sequences that a serving engine decodes at once
    sampling: How tokens are chosen [default: as the model's generation config]
    attention: Attention implementation
    logits: Positions for which logits are computed
    gpu_layers: Layers that llama.cpp computes on the devices, like its -ngl; the host computes the others
    n_cpu_moe: First layers whose experts llama.cpp keeps and computes on the host, like its n_cpu_moe
    host_bandwidth: Peak bandwidth of the host's memory in GB/s, for work on the host: 51.2 for two channels of DDR4-3200
    compile: Compile the training step
    optimizer: Optimizer
    optimizer_in_backward: Run the optimizer during the backward pass, which frees each gradient early
    master_weights: Copy of the weights that the optimizer keeps: fp32 or none
    parameter_precision: Format of trained parameters
    gradient_precision: Format of gradients
    checkpointing: Activations to recompute in the backward pass
    lora_rank: Rank of the LoRA adapters
    lora_targets: Matrices that get LoRA adapters
    offload: Training state to keep in host memory
    gradient_accumulation: Micro-batches per rank in each optimizer step
    global_batch: Sequences of all ranks in each optimizer step
    virtual_pipeline: Interleaved parts of each pipeline stage, which shorten the pipeline's idle time
    packed: Average tokens of the examples that are packed into a training sequence
    modules_to_save: Modules that are trained in full beside adapters: embeddings, head
    rollouts: Sequences that grpo and ppo generate for a step
    off_policy_steps: Maximum age of rollouts in optimizer steps, where separate devices generate them
    tensor_parallel: Tensor parallelism: devices that share each matrix
    pipeline_parallel: Pipeline parallelism: devices that share the layers
    data_parallel: Data parallelism: groups of devices that process separate batches
    context_parallel: Context parallelism: devices that share each sequence, image or video
    expert_parallel: Expert parallelism: devices that share the experts
    zero_stage: Shard over data-parallel devices: 1 the optimizer, 2 also gradients, 3 also weights (FSDP)
    shard_groups: Groups of devices that each hold all of the sharded state: hybrid sharding
    context: Tokens of a prompt or a sequence: 4096, 32k
    generate: Tokens generated after the prompt
    engine: vllm, sglang, llama.cpp, tensorrt-llm, …
    precision: Weights: bf16, fp8, awq, gguf:Q4_K_M, …
    reference_model: Reference model of dpo, grpo and ppo: a name, a file, or none; by default the initial model
    teacher_model: Teacher model of distill
    on: Only this hardware: 'H100|H200', any:x1 or amd
    nodes: Number of machines that work together, or a range such as 1..8 [default: as few as possible]
    objective: Rank by this [default: cost]
    tokens: Tokens to train on or generate: 10M, 2B
    deadline: Exclude machines that may need longer for tokens or images: hours, or a duration such as 90m or 2d
    budget: Exclude machines above this price for tokens, images or hours
    live: Download the configuration of model organization/name or hf:organization/name from its hub
    hours: Add the total for this time: 100, 90m or 2d
    month: Add the total for 730 hours
    year: Add the total for 8,760 hours
    provider: Only these: aws, hyperscalers; `!aws` excludes it
    region: Only these: us-east-1, eu-*, Germany, EU
    capacity_type: Capacity type to price: on-demand, spot or any
    tier: Price tier of providers with several tiers: secure, community or any [default: the provider's own machines before those of private hosts]. For `recommend`: with `list`, its default, marketplaces, consumer cards and weak prices rank below other offers; with `any`, all rank together
    max_price: Exclude machines above this price per hour
    max_age: Only prices of at most this age: 12h, 30d
    price: Price that ranks and limits machines: likely (of today, estimated) or stated (as last seen) [default: likely]
    min_vcpu: Only machines with at least this many vCPUs
    min_host_memory: Only machines with at least this much host memory: 256GB, 1TB
    interconnect: Only machines with this link, in a machine or between machines
    available: Leave out machines that are known to be out of stock or excluded by a quota
    limit: Show at most N rows
    currency: Show prices in this currency, such as EUR
    commit: Rank by committed prices: 1y, 3y, 7d or any
    upfront: Upfront payment of the commitment: none, partial or all [default: the smallest available]
    chart: Draw a chart of price against speed
    bill: Add the whole bill: disk, traffic, starts, …
    sessions: Number of sessions in a month
    hours_per_session: Time of work in each session: 3, 90m
    storage: Disk that each machine keeps: 200GB, 1TB
    egress: Traffic to the internet: 50GB, 2TB
    ingress: Traffic from the internet, without the checkpoint: 50GB
    idle: Idle time at the end of each session: 15m
    start: Time of each start: 5m [default: as the catalog has it for the provider]
    bandwidth: Bandwidth of the download in Gbit/s [default: 1]
    ipv4: Public IPv4 addresses of each machine [default: 1]
    explain: Explain on standard error why each candidate was kept or dropped (resolve, plan)
    catalog: Add an overlay catalog (folder or file); repeatable, later ones override earlier ones
    config: Read this config file instead of ./sky-accel.toml and your user config.toml
    offline: Do not use the network: live uses cached answers only
    insecure: Send keys to unencrypted base URLs (http://), where others can read them
    today: The day from which ages of prices count, instead of today
    """


@command("is")
def is_(
    kind: Text,
    name: Spec,
    *,
    explain: Flag | None = None,
    catalog: Many[File] | None = None,
    config: File | None = None,
    offline: Flag | None = None,
    insecure: Flag | None = None,
    today: Day | None = None,
) -> answers.IsAnswer:
    """Check the vendor, class or SDK of an accelerator: exit 0 or 1.

    kind: Vendor, product line, class, architecture or SDK: nvidia, trainium, tpu, asic, hopper, cuda; or `gpu` or `mig`
    name: An accelerator in any dialect
    explain: Explain on standard error why each candidate was kept or dropped (resolve, plan)
    catalog: Add an overlay catalog (folder or file); repeatable, later ones override earlier ones
    config: Read this config file instead of ./sky-accel.toml and your user config.toml
    offline: Do not use the network: live uses cached answers only
    insecure: Send keys to unencrypted base URLs (http://), where others can read them
    today: The day from which ages of prices count, instead of today
    """


@command("list", class_="--class")
def list_accelerators(
    *filters: Spec,
    vendor: Spec | None = None,
    class_: Spec | None = None,
    arch: Spec | None = None,
    provider: Many[Text] | None = None,
    min_memory: Number | None = None,
    mig: Flag | None = None,
    sort: Literal["name", "memory", "bandwidth", "tflops", "tdp", "year"] | None = None,
    limit: Whole | None = None,
    max_age: Duration | None = None,
    explain: Flag | None = None,
    catalog: Many[File] | None = None,
    config: File | None = None,
    offline: Flag | None = None,
    insecure: Flag | None = None,
    today: Day | None = None,
) -> answers.ListAnswer:
    """List the accelerators in the catalog.

    filters: Only accelerators that match all of these names or spec parts: `hopper`, `A100`, `40GB+`, `SXM`, `cc>=8.9`
    vendor: Only this vendor: nvidia, amd, intel, google, aws, …
    class_: Only this class: datacenter, workstation, consumer, asic or media
    arch: Only this architecture: hopper, ampere, cdna3, …
    provider: Only accelerators that this provider sells; repeatable
    min_memory: Only devices with at least this much memory, in GB unless a unit is given
    mig: Only GPUs that support MIG
    sort: Sort rows by this key [default: class, then newest first]
    limit: Show at most N rows
    max_age: Only accelerators and providers with a price that is at most this old (12h, 30d); exits 7 without a result
    explain: Explain on standard error why each candidate was kept or dropped (resolve, plan)
    catalog: Add an overlay catalog (folder or file); repeatable, later ones override earlier ones
    config: Read this config file instead of ./sky-accel.toml and your user config.toml
    offline: Do not use the network: live uses cached answers only
    insecure: Send keys to unencrypted base URLs (http://), where others can read them
    today: The day from which ages of prices count, instead of today
    """


@command("live", "doctor")
def live_doctor(
    *,
    provider: Many[Text] | None = None,
    check: Flag | None = None,
    timeout: Duration | None = None,
    explain: Flag | None = None,
    catalog: Many[File] | None = None,
    config: File | None = None,
    offline: Flag | None = None,
    insecure: Flag | None = None,
    today: Day | None = None,
) -> answers.LiveDoctorAnswer:
    """Show which credentials of each provider are found, and what they lack.

    provider: Only these: aws, hyperscalers; `!aws` excludes it; repeatable
    check: Also query each provider with credentials once, and report whether it accepts them
    timeout: Timeout for each provider, up to 10m; a number without a unit is in seconds [default: 10s]
    explain: Explain on standard error why each candidate was kept or dropped (resolve, plan)
    catalog: Add an overlay catalog (folder or file); repeatable, later ones override earlier ones
    config: Read this config file instead of ./sky-accel.toml and your user config.toml
    offline: Do not use the network: live uses cached answers only
    insecure: Send keys to unencrypted base URLs (http://), where others can read them
    today: The day from which ages of prices count, instead of today
    """


@command("mig", "fit")
def mig_fit(
    gpu: Spec,
    *profiles: Text,
    occupied: Many[Text] | None = None,
    to: Literal["nvidia-smi", "nvidia-smi-undo", "mig-parted", "kubernetes", "gpu-operator", "dra", "flyte", "gke", "aks"] | None = None,
    explain: Flag | None = None,
    catalog: Many[File] | None = None,
    config: File | None = None,
    offline: Flag | None = None,
    insecure: Flag | None = None,
    today: Day | None = None,
) -> answers.MigFitAnswer:
    """Check whether a mix of slices fits on one GPU, and where: exit 0 or 1.

    gpu: A GPU: H100, A100:40GB, A30
    profiles: Slices: 3g.40gb 1g.10gb+me 1g.10gb*2, or a model
    occupied: Slices already on the GPU: 2g.20gb@0 1g.10gb@5
    to: Print the commands or configuration that create the slices with this tool
    explain: Explain on standard error why each candidate was kept or dropped (resolve, plan)
    catalog: Add an overlay catalog (folder or file); repeatable, later ones override earlier ones
    config: Read this config file instead of ./sky-accel.toml and your user config.toml
    offline: Do not use the network: live uses cached answers only
    insecure: Send keys to unencrypted base URLs (http://), where others can read them
    today: The day from which ages of prices count, instead of today
    """


@command("mig", "pack")
def mig_pack(
    gpu: Spec,
    *slices: Text,
    slice: Many[Text] | None = None,
    gpus: Whole | None = None,
    onto: Text | None = None,
    to: Literal["nvidia-smi", "nvidia-smi-undo", "mig-parted", "kubernetes", "gpu-operator", "dra", "flyte", "gke", "aks"] | None = None,
    price: Literal["likely", "stated"] | None = None,
    max_age: Duration | None = None,
    explain: Flag | None = None,
    catalog: Many[File] | None = None,
    config: File | None = None,
    offline: Flag | None = None,
    insecure: Flag | None = None,
    today: Day | None = None,
) -> answers.MigPackAnswer:
    """Find the fewest GPUs for many slices.

    gpu: A GPU: H100, A100:40GB, A30; `any` compares all GPUs that tenants may partition
    slices: Slices with counts: 3g.40gb=10 1g.10gb=20
    slice: Slices by size instead of name: 10GB*20, 9.5GiB*20, 2g.10GB*20
    gpus: Use at most N GPUs, and show the slices that do not fit
    onto: Fill existing GPUs first: a JSON file or the table of `nvidia-smi mig -lgi`
    to: Print the commands or configuration that create the slices with this tool
    price: Price that ranks and limits machines: likely (of today, estimated) or stated (as last seen) [default: likely]
    max_age: Only prices of at most this age: 12h, 30d
    explain: Explain on standard error why each candidate was kept or dropped (resolve, plan)
    catalog: Add an overlay catalog (folder or file); repeatable, later ones override earlier ones
    config: Read this config file instead of ./sky-accel.toml and your user config.toml
    offline: Do not use the network: live uses cached answers only
    insecure: Send keys to unencrypted base URLs (http://), where others can read them
    today: The day from which ages of prices count, instead of today
    """


@command("mig", "profiles")
def mig_profiles(
    gpu: Spec,
    *,
    explain: Flag | None = None,
    catalog: Many[File] | None = None,
    config: File | None = None,
    offline: Flag | None = None,
    insecure: Flag | None = None,
    today: Day | None = None,
) -> answers.MigProfilesAnswer:
    """List the MIG profiles of a GPU.

    gpu: A GPU: H100, A100:40GB, A30
    explain: Explain on standard error why each candidate was kept or dropped (resolve, plan)
    catalog: Add an overlay catalog (folder or file); repeatable, later ones override earlier ones
    config: Read this config file instead of ./sky-accel.toml and your user config.toml
    offline: Do not use the network: live uses cached answers only
    insecure: Send keys to unencrypted base URLs (http://), where others can read them
    today: The day from which ages of prices count, instead of today
    """


@command("mix")
def mix(
    spec: Spec,
    *,
    profile: Text | None = None,
    base_hours: Many[Number] | None = None,
    spot: Whole | None = None,
    commit: Text | None = None,
    upfront: Literal["none", "partial", "all"] | None = None,
    provider: Many[Text] | None = None,
    region: Many[Text] | None = None,
    capacity_type: Literal["on-demand", "spot", "any"] | None = None,
    tier: Text | None = None,
    max_price: Number | None = None,
    max_age: Duration | None = None,
    price: Literal["likely", "stated"] | None = None,
    min_vcpu: Number | None = None,
    min_host_memory: Number | None = None,
    interconnect: Literal["efa", "infiniband", "nvlink", "any"] | None = None,
    available: Flag | None = None,
    limit: Whole | None = None,
    currency: Text | None = None,
    explain: Flag | None = None,
    catalog: Many[File] | None = None,
    config: File | None = None,
    offline: Flag | None = None,
    insecure: Flag | None = None,
    today: Day | None = None,
) -> answers.MixAnswer:
    """Split a load into reserved, on-demand and spot machines.

    spec: The machine, as a spec such as H100:x8
    profile: Machines that are needed in each hour of a week: weekdays:9-18=8,else=2
    base_hours: Hours of a month that each machine is needed, such as 730,730,120
    spot: Maximum number of spot machines at once, which the provider may take back [default: 0]
    commit: Rank by committed prices: 1y, 3y, 7d or any
    upfront: Upfront payment of the commitment: none, partial or all [default: the smallest available]
    provider: Only these: aws, hyperscalers; `!aws` excludes it
    region: Only these: us-east-1, eu-*, Germany, EU
    capacity_type: Capacity type to price: on-demand, spot or any
    tier: Price tier of providers with several tiers: secure, community or any [default: the provider's own machines before those of private hosts]. For `recommend`: with `list`, its default, marketplaces, consumer cards and weak prices rank below other offers; with `any`, all rank together
    max_price: Exclude machines above this price per hour
    max_age: Only prices of at most this age: 12h, 30d
    price: Price that ranks and limits machines: likely (of today, estimated) or stated (as last seen) [default: likely]
    min_vcpu: Only machines with at least this many vCPUs
    min_host_memory: Only machines with at least this much host memory: 256GB, 1TB
    interconnect: Only machines with this link, in a machine or between machines
    available: Leave out machines that are known to be out of stock or excluded by a quota
    limit: Show at most N rows
    currency: Show prices in this currency, such as EUR
    explain: Explain on standard error why each candidate was kept or dropped (resolve, plan)
    catalog: Add an overlay catalog (folder or file); repeatable, later ones override earlier ones
    config: Read this config file instead of ./sky-accel.toml and your user config.toml
    offline: Do not use the network: live uses cached answers only
    insecure: Send keys to unencrypted base URLs (http://), where others can read them
    today: The day from which ages of prices count, instead of today
    """


@command("models", from_="--from")
def models(
    filter: Spec | None = None,
    *,
    on: Spec | None = None,
    users: Whole | None = None,
    context: Number | None = None,
    generate: Number | None = None,
    budget: Number | None = None,
    limit: Whole | None = None,
    from_: File | None = None,
    price: Literal["likely", "stated"] | None = None,
    max_age: Duration | None = None,
    explain: Flag | None = None,
    catalog: Many[File] | None = None,
    config: File | None = None,
    offline: Flag | None = None,
    insecure: Flag | None = None,
    today: Day | None = None,
) -> answers.ModelsAnswer:
    """List the models in the catalog, or show one.

    filter: A name, part of a name such as qwen3, or a kind: text, encoder, image, video, speech
    on: Only models that run on this hardware: RTX4090, 4090:x2, 'M4 Max:64GB', cpu:32GB, or `detect` for this machine
    users: Users who wait for answers at once [default: 1]
    context: Tokens of a prompt: 4096, 32k
    generate: Tokens of an answer
    budget: Only hardware for at most this many US dollars per hour, as many devices as it pays for: 1 or 1/h
    limit: Show at most N models [default: 15]
    from_: Read a recorded machine for `on detect`, in the format of `detect from_`
    price: Price that ranks and limits machines: likely (of today, estimated) or stated (as last seen) [default: likely]
    max_age: Only prices of at most this age: 12h, 30d
    explain: Explain on standard error why each candidate was kept or dropped (resolve, plan)
    catalog: Add an overlay catalog (folder or file); repeatable, later ones override earlier ones
    config: Read this config file instead of ./sky-accel.toml and your user config.toml
    offline: Do not use the network: live uses cached answers only
    insecure: Send keys to unencrypted base URLs (http://), where others can read them
    today: The day from which ages of prices count, instead of today
    """


@command("plan")
def plan(
    spec: Spec | Answer,
    *,
    provider: Many[Text] | None = None,
    region: Many[Text] | None = None,
    capacity_type: Literal["on-demand", "spot", "any"] | None = None,
    tier: Text | None = None,
    max_price: Number | None = None,
    max_age: Duration | None = None,
    price: Literal["likely", "stated"] | None = None,
    min_vcpu: Number | None = None,
    min_host_memory: Number | None = None,
    interconnect: Literal["efa", "infiniband", "nvlink", "any"] | None = None,
    available: Flag | None = None,
    limit: Whole | None = None,
    currency: Text | None = None,
    spot_first: Flag | None = None,
    distinct: Literal["regions"] | None = None,
    objective: Literal["price", "obtainability"] | None = None,
    exact: Flag | None = None,
    nodes: Whole | None = None,
    hours: Time | None = None,
    month: Flag | None = None,
    year: Flag | None = None,
    commit: Text | None = None,
    upfront: Literal["none", "partial", "all"] | None = None,
    budget: Number | None = None,
    cuda: Text | None = None,
    disk: Whole | None = None,
    bill: Flag | None = None,
    sessions: Whole | None = None,
    hours_per_session: Time | None = None,
    storage: Number | None = None,
    egress: Number | None = None,
    ingress: Number | None = None,
    idle: Time | None = None,
    start: Time | None = None,
    bandwidth: Number | None = None,
    ipv4: Whole | None = None,
    name: Spec | Answer | None = None,
    image: Text | None = None,
    run: Text | None = None,
    reservation: Text | None = None,
    capacity_block: Text | None = None,
    slurm_map: Many[Text] | None = None,
    slurm_types: Many[Text] | None = None,
    to: Literal["skypilot", "dstack", "kubernetes", "dra", "gke", "aks", "karpenter", "terraform", "cloudformation", "ec2-fleet", "aws-cli", "runpod", "vastai", "verda", "flyte", "slurm", "ray", "compose", "docker", "nvidia-smi", "mig-parted", "modal", "skyward"] | None = None,
    out: File | None = None,
    strict: Flag | None = None,
    lock: File | None = None,
    locked: Flag | None = None,
    live: Flag | None = None,
    public: Flag | None = None,
    refresh: Flag | None = None,
    timeout: Duration | None = None,
    spot_scores: Flag | None = None,
    capacity_blocks: FlagOr[Whole] | None = None,
    check_quota: Flag | None = None,
    explain: Flag | None = None,
    catalog: Many[File] | None = None,
    config: File | None = None,
    offline: Flag | None = None,
    insecure: Flag | None = None,
    today: Day | None = None,
) -> answers.PlanAnswer:
    """Rank offers to try, and write the plan for SkyPilot, Terraform, ….

    spec: A spec such as H100:x8
    provider: Only these: aws, hyperscalers; `!aws` excludes it
    region: Only these: us-east-1, eu-*, Germany, EU
    capacity_type: Capacity type to price: on-demand, spot or any
    tier: Price tier of providers with several tiers: secure, community or any [default: the provider's own machines before those of private hosts]. For `recommend`: with `list`, its default, marketplaces, consumer cards and weak prices rank below other offers; with `any`, all rank together
    max_price: Exclude machines above this price per hour
    max_age: Only prices of at most this age: 12h, 30d
    price: Price that ranks and limits machines: likely (of today, estimated) or stated (as last seen) [default: likely]
    min_vcpu: Only machines with at least this many vCPUs
    min_host_memory: Only machines with at least this much host memory: 256GB, 1TB
    interconnect: Only machines with this link, in a machine or between machines
    available: Leave out machines that are known to be out of stock or excluded by a quota
    limit: Show at most N rows
    currency: Show prices in this currency, such as EUR
    spot_first: Try spot first, then on-demand
    distinct: List each region once per capacity type
    objective: Rank the candidates by price or by obtainability [default: price]
    exact: Leave out larger machines, even if a provider sells no exact match
    nodes: Number of machines [default: 1, or as recommended]
    hours: Add the total for this time: 100, 90m or 2d
    month: Add the total for 730 hours
    year: Add the total for 8,760 hours
    commit: Rank by committed prices: 1y, 3y, 7d or any
    upfront: Upfront payment of the commitment: none, partial or all [default: the smallest available]
    budget: Limit for all machines together: total with hours, month or year, else per hour
    cuda: Leave out devices that cannot run this CUDA version
    disk: Disk size
    bill: Add the whole bill: disk, traffic, starts, …
    sessions: Number of sessions in a month
    hours_per_session: Time of work in each session: 3, 90m
    storage: Disk that each machine keeps: 200GB, 1TB
    egress: Traffic to the internet: 50GB, 2TB
    ingress: Traffic from the internet, without the checkpoint: 50GB
    idle: Idle time at the end of each session: 15m
    start: Time of each start: 5m [default: as the catalog has it for the provider]
    bandwidth: Bandwidth of the download in Gbit/s [default: 1]
    ipv4: Public IPv4 addresses of each machine [default: 1]
    name: Name of the task, cluster or machine [default: sky-accel]
    image: Container image; on AWS machines also ami-… or resolve:ssm:…
    run: Shell command to run [default: list the devices]
    reservation: Launch into this AWS on-demand capacity reservation
    capacity_block: Launch into this AWS capacity block
    slurm_map: Map a GPU or slice to the name that a Slurm site uses: 3g.40gb=TYPE; repeatable
    slurm_types: The same as slurm_map
    to: Print the plan as a file for this target
    out: Write the target's files into this folder
    strict: Fail if the target's format cannot express the whole request
    lock: Write the candidates and the catalog's hash to this lock file
    locked: Compare the plan with the lock file instead: exit 7 if a candidate changed
    live: Query the providers for current offers, prices and stock
    public: Also query without a key where a provider's terms restrict automated access: RunPod, Vast.ai
    refresh: Query again even if an answer is cached
    timeout: Timeout for each provider, up to 10m; a number without a unit is in seconds [default: 30s]
    spot_scores: Ask AWS for spot placement scores (1 to 10) too; Azure and Google Cloud always report their own scores
    capacity_blocks: Show blocks of AWS and Google Cloud that can be reserved for this many hours [default without a value: 24]
    check_quota: Check whether the account's quotas allow the machines, where a provider reports quotas, and show what is left
    explain: Explain on standard error why each candidate was kept or dropped (resolve, plan)
    catalog: Add an overlay catalog (folder or file); repeatable, later ones override earlier ones
    config: Read this config file instead of ./sky-accel.toml and your user config.toml
    offline: Do not use the network: live uses cached answers only
    insecure: Send keys to unencrypted base URLs (http://), where others can read them
    today: The day from which ages of prices count, instead of today
    """


@command("plan", "diff")
def plan_diff(
    a: Text,
    b: Text,
    *,
    explain: Flag | None = None,
    catalog: Many[File] | None = None,
    config: File | None = None,
    offline: Flag | None = None,
    insecure: Flag | None = None,
    today: Day | None = None,
) -> answers.PlanDiffAnswer:
    """Describe the differences between two plans or lock files.

    a: Output of `plan -o json`, or a lock file
    b: Later plan or lock file
    explain: Explain on standard error why each candidate was kept or dropped (resolve, plan)
    catalog: Add an overlay catalog (folder or file); repeatable, later ones override earlier ones
    config: Read this config file instead of ./sky-accel.toml and your user config.toml
    offline: Do not use the network: live uses cached answers only
    insecure: Send keys to unencrypted base URLs (http://), where others can read them
    today: The day from which ages of prices count, instead of today
    """


@command("prices", "--history")
def price_history(
    *specs: Spec,
    provider: Many[Text] | None = None,
    capacity_type: Literal["on-demand", "spot", "any"] | None = None,
    currency: Text | None = None,
    explain: Flag | None = None,
    catalog: Many[File] | None = None,
    config: File | None = None,
    offline: Flag | None = None,
    insecure: Flag | None = None,
    today: Day | None = None,
) -> answers.PriceHistoryAnswer:
    """Print the dated prices of the past themselves.

    specs: Specs such as H100 or 'A100:80GB|L40S'; prices are for one accelerator, whatever the count
    provider: Only prices of these providers or groups (hyperscalers, marketplaces, …); `!aws` excludes one; repeatable
    capacity_type: Only this capacity type: on-demand, spot or any [default: any]
    currency: Show prices in this currency (EUR, GBP, …), at a dated rate of the catalog
    explain: Explain on standard error why each candidate was kept or dropped (resolve, plan)
    catalog: Add an overlay catalog (folder or file); repeatable, later ones override earlier ones
    config: Read this config file instead of ./sky-accel.toml and your user config.toml
    offline: Do not use the network: live uses cached answers only
    insecure: Send keys to unencrypted base URLs (http://), where others can read them
    today: The day from which ages of prices count, instead of today
    """


@command("prices")
def prices(
    *specs: Spec,
    provider: Many[Text] | None = None,
    capacity_type: Literal["on-demand", "spot", "any"] | None = None,
    max_age: Duration | None = None,
    currency: Text | None = None,
    explain: Flag | None = None,
    catalog: Many[File] | None = None,
    config: File | None = None,
    offline: Flag | None = None,
    insecure: Flag | None = None,
    today: Day | None = None,
) -> answers.PricesAnswer:
    """Show whether a price is good.

    specs: Specs such as H100 or 'A100:80GB|L40S'; prices are for one accelerator, whatever the count
    provider: Only prices of these providers or groups (hyperscalers, marketplaces, …); `!aws` excludes one; repeatable
    capacity_type: Only this capacity type: on-demand, spot or any [default: any]
    max_age: Only prices of today that are at most this old (12h, 30d); exits 7 if no price is left
    currency: Show prices in this currency (EUR, GBP, …), at a dated rate of the catalog
    explain: Explain on standard error why each candidate was kept or dropped (resolve, plan)
    catalog: Add an overlay catalog (folder or file); repeatable, later ones override earlier ones
    config: Read this config file instead of ./sky-accel.toml and your user config.toml
    offline: Do not use the network: live uses cached answers only
    insecure: Send keys to unencrypted base URLs (http://), where others can read them
    today: The day from which ages of prices count, instead of today
    """


@command("quota")
def quota(
    spec: Spec,
    *,
    nodes: Whole | None = None,
    provider: Many[Text] | None = None,
    region: Many[Text] | None = None,
    capacity_type: Literal["on-demand", "spot", "any"] | None = None,
    timeout: Duration | None = None,
    explain: Flag | None = None,
    catalog: Many[File] | None = None,
    config: File | None = None,
    offline: Flag | None = None,
    insecure: Flag | None = None,
    today: Day | None = None,
) -> answers.QuotaAnswer:
    """Check whether your accounts' quotas admit machines: exit 0 or 1.

    spec: A spec such as H100:x8
    nodes: The number of machines that are needed together [default: 1]
    provider: Only these: aws, hyperscalers; `!aws` excludes it; repeatable
    region: Only these: us-east-1, eu-*, Germany, EU; repeatable
    capacity_type: Only quotas of this capacity type: on-demand, spot or any [default: any]
    timeout: Timeout for each provider, up to 10m; a number without a unit is in seconds [default: 30s]
    explain: Explain on standard error why each candidate was kept or dropped (resolve, plan)
    catalog: Add an overlay catalog (folder or file); repeatable, later ones override earlier ones
    config: Read this config file instead of ./sky-accel.toml and your user config.toml
    offline: Do not use the network: live uses cached answers only
    insecure: Send keys to unencrypted base URLs (http://), where others can read them
    today: The day from which ages of prices count, instead of today
    """


@command("recommend")
def recommend(
    model: Text | None = None,
    *,
    model_size: Number | None = None,
    assume: Text | None = None,
    group_size: Number | None = None,
    kv_precision: Literal["bf16", "fp8", "int8", "q8_0", "q4_0"] | None = None,
    max_context: Number | None = None,
    batch: Number | None = None,
    micro_batch: Number | None = None,
    images: Number | None = None,
    audio_hours: Time | None = None,
    steps: Number | None = None,
    height: Number | None = None,
    width: Number | None = None,
    frames: Number | None = None,
    users: Number | None = None,
    concurrency: Number | None = None,
    request_rate: Number | None = None,
    rate: Number | None = None,
    requests: Number | None = None,
    max_ttft: Time | None = None,
    min_speed: Number | None = None,
    max_tpot: Time | None = None,
    prefix_cache: Number | None = None,
    images_per_request: Number | None = None,
    image_tokens: Number | None = None,
    speculative: Text | None = None,
    length_spread: Number | None = None,
    admission_interval: Number | None = None,
    disaggregated: Switch | None = None,
    engine_version: Text | None = None,
    calibrate: Number | None = None,
    energy: Switch | None = None,
    gpu_memory_utilization: Number | None = None,
    max_batched_tokens: Number | None = None,
    max_num_batched_tokens: Number | None = None,
    max_num_seqs: Number | None = None,
    sampling: Literal["greedy", "top-p", "penalties"] | None = None,
    attention: Literal["flash", "sdpa", "eager"] | None = None,
    logits: Literal["last", "all", "chunked", "none"] | None = None,
    gpu_layers: Whole | None = None,
    n_cpu_moe: Whole | None = None,
    host_bandwidth: Number | None = None,
    compile: Switch | None = None,
    optimizer: Literal["adamw", "adamw-8bit", "adafactor", "muon", "sgd"] | None = None,
    optimizer_in_backward: Switch | None = None,
    master_weights: Literal["fp32", "none"] | None = None,
    parameter_precision: Literal["bf16", "fp32"] | None = None,
    gradient_precision: Literal["bf16", "fp32"] | None = None,
    checkpointing: Literal["none", "selective", "full"] | None = None,
    lora_rank: Number | None = None,
    lora_targets: Literal["qv", "attention", "all-linear"] | None = None,
    offload: Literal["none", "optimizer", "all"] | None = None,
    gradient_accumulation: Number | None = None,
    global_batch: Number | None = None,
    virtual_pipeline: Number | None = None,
    packed: Number | None = None,
    modules_to_save: Many[Text] | None = None,
    rollouts: Number | None = None,
    off_policy_steps: Number | None = None,
    tensor_parallel: Whole | None = None,
    pipeline_parallel: Whole | None = None,
    data_parallel: Whole | None = None,
    context_parallel: Whole | None = None,
    expert_parallel: Whole | None = None,
    zero_stage: Whole | None = None,
    shard_groups: Whole | None = None,
    workload: Text | None = None,
    context: Number | None = None,
    generate: Number | None = None,
    engine: Literal["none", "transformers", "vllm", "sglang", "llama.cpp", "tensorrt-llm", "deepspeed", "torchtitan", "torchtune", "litgpt", "ms-swift", "unsloth", "axolotl"] | None = None,
    precision: Text | None = None,
    reference_model: Text | None = None,
    teacher_model: Text | None = None,
    on: Spec | None = None,
    nodes: Text | None = None,
    objective: Literal["cost", "speed", "latency", "memory"] | None = None,
    tokens: Number | None = None,
    deadline: Time | None = None,
    budget: Number | None = None,
    live: Flag | None = None,
    hours: Time | None = None,
    month: Flag | None = None,
    year: Flag | None = None,
    provider: Many[Text] | None = None,
    region: Many[Text] | None = None,
    capacity_type: Literal["on-demand", "spot", "any"] | None = None,
    tier: Text | None = None,
    max_price: Number | None = None,
    max_age: Duration | None = None,
    price: Literal["likely", "stated"] | None = None,
    min_vcpu: Number | None = None,
    min_host_memory: Number | None = None,
    interconnect: Literal["efa", "infiniband", "nvlink", "any"] | None = None,
    available: Flag | None = None,
    limit: Whole | None = None,
    currency: Text | None = None,
    commit: Text | None = None,
    upfront: Literal["none", "partial", "all"] | None = None,
    chart: Flag | None = None,
    accept_tight: Flag | None = None,
    compare: Literal["api"] | None = None,
    own: Text | None = None,
    bill: Flag | None = None,
    sessions: Whole | None = None,
    hours_per_session: Time | None = None,
    storage: Number | None = None,
    egress: Number | None = None,
    ingress: Number | None = None,
    idle: Time | None = None,
    start: Time | None = None,
    bandwidth: Number | None = None,
    ipv4: Whole | None = None,
    explain: Flag | None = None,
    catalog: Many[File] | None = None,
    config: File | None = None,
    offline: Flag | None = None,
    insecure: Flag | None = None,
    today: Day | None = None,
) -> answers.RecommendAnswer:
    """Recommend machines to rent for a model or a kind of work.

    model: A model as for model, or a size such as 13B
    model_size: Number of parameters, for a model that the catalog does not know: 7B, 13B, 350M
    assume: Read a config.json of an unknown model type as this type: llama, qwen3, …
    group_size: Weights per group of a quantized format
    kv_precision: Format of the KV cache
    max_context: Tokens of the longest request that a server must admit, prompt and answer [default: up to twice the average]
    batch: Concurrent sequences or images per data-parallel rank; in training, sequences per micro-batch
    micro_batch: The same as batch
    images: Total number of images, or of videos: each device then generates its own
    audio_hours: Hours of speech to write down
    steps: Denoising steps of an image or video [default: from the model card]
    height: Height of an image or video in pixels [default: from the model card]
    width: Width of an image or video in pixels [default: from the model card]
    frames: Frames of a video [default: from the model card]
    users: Requests in flight at once
    concurrency: The same as users
    request_rate: Requests per second, with Poisson arrivals
    rate: The same as request_rate
    requests: Total number of requests: the load ends with the last answer, and tokens/s are the average until then
    max_ttft: Maximum time to first token or answer: 2s, 500ms
    min_speed: Minimum output tokens per second of each user
    max_tpot: Maximum time per output token: 50ms; instead of a minimum speed
    prefix_cache: Fraction of the prompt that is already in the cache, from 0 to 1
    images_per_request: Images of each prompt on average, beside the tokens of its text
    image_tokens: Tokens of an image [default: of 1024 × 1024 pixels]
    speculative: Speculative tokens per step, and the fraction that is accepted: 3:0.7
    length_spread: Spread S of prompt and output lengths L, which are uniform in [(1 − S) × L, L]; 0 if all are equal
    admission_interval: ServingEngine steps between scheduling new requests (SGLang, TensorRT-LLM)
    disaggregated: Prefill and decode on separate replicas; with grpo and ppo, generate and train on separate devices
    engine_version: Version of the serving engine; the newest by default
    calibrate: A measured speed that all speeds are scaled to: tokens_per_s=4100
    energy: Show the power of the devices, and the energy of a million tokens or of an image; JSON always has them
    gpu_memory_utilization: Fraction of device memory for vLLM; for SGLang and TensorRT-LLM, of the memory left after weights
    max_batched_tokens: Maximum tokens that a serving engine computes in one step
    max_num_batched_tokens: The same as max_batched_tokens
    max_num_seqs: Maximum sequences that a serving engine decodes at once
    sampling: How tokens are chosen [default: as the model's generation config]
    attention: Attention implementation
    logits: Positions for which logits are computed
    gpu_layers: Layers that llama.cpp computes on the devices, like its -ngl; the host computes the others
    n_cpu_moe: First layers whose experts llama.cpp keeps and computes on the host, like its n_cpu_moe
    host_bandwidth: Peak bandwidth of the host's memory in GB/s, for work on the host: 51.2 for two channels of DDR4-3200
    compile: Compile the training step
    optimizer: Optimizer
    optimizer_in_backward: Run the optimizer during the backward pass, which frees each gradient early
    master_weights: Copy of the weights that the optimizer keeps: fp32 or none
    parameter_precision: Format of trained parameters
    gradient_precision: Format of gradients
    checkpointing: Activations to recompute in the backward pass
    lora_rank: Rank of the LoRA adapters
    lora_targets: Matrices that get LoRA adapters
    offload: Training state to keep in host memory
    gradient_accumulation: Micro-batches per rank in each optimizer step
    global_batch: Sequences of all ranks in each optimizer step
    virtual_pipeline: Interleaved parts of each pipeline stage, which shorten the pipeline's idle time
    packed: Average tokens of the examples that are packed into a training sequence
    modules_to_save: Modules that are trained in full beside adapters: embeddings, head
    rollouts: Sequences that grpo and ppo generate for a step
    off_policy_steps: Maximum age of rollouts in optimizer steps, where separate devices generate them
    tensor_parallel: Tensor parallelism: devices that share each matrix
    pipeline_parallel: Pipeline parallelism: devices that share the layers
    data_parallel: Data parallelism: groups of devices that process separate batches
    context_parallel: Context parallelism: devices that share each sequence, image or video
    expert_parallel: Expert parallelism: devices that share the experts
    zero_stage: Shard over data-parallel devices: 1 the optimizer, 2 also gradients, 3 also weights (FSDP)
    shard_groups: Groups of devices that each hold all of the sharded state: hybrid sharding
    workload: Work: inference, lora, qlora, full, …
    context: Tokens of a prompt or a sequence: 4096, 32k
    generate: Tokens generated after the prompt
    engine: vllm, sglang, llama.cpp, tensorrt-llm, …
    precision: Weights: bf16, fp8, awq, gguf:Q4_K_M, …
    reference_model: Reference model of dpo, grpo and ppo: a name, a file, or none; by default the initial model
    teacher_model: Teacher model of distill
    on: Only this hardware: 'H100|H200', any:x1 or amd
    nodes: Number of machines that work together, or a range such as 1..8 [default: as few as possible]
    objective: Rank by this [default: cost]
    tokens: Tokens to train on or generate: 10M, 2B
    deadline: Exclude machines that may need longer for tokens or images: hours, or a duration such as 90m or 2d
    budget: Exclude machines above this price for tokens, images or hours
    live: Download the configuration of model organization/name or hf:organization/name from its hub
    hours: Add the total for this time: 100, 90m or 2d
    month: Add the total for 730 hours
    year: Add the total for 8,760 hours
    provider: Only these: aws, hyperscalers; `!aws` excludes it
    region: Only these: us-east-1, eu-*, Germany, EU
    capacity_type: Capacity type to price: on-demand, spot or any
    tier: Price tier of providers with several tiers: secure, community or any [default: the provider's own machines before those of private hosts]. For `recommend`: with `list`, its default, marketplaces, consumer cards and weak prices rank below other offers; with `any`, all rank together
    max_price: Exclude machines above this price per hour
    max_age: Only prices of at most this age: 12h, 30d
    price: Price that ranks and limits machines: likely (of today, estimated) or stated (as last seen) [default: likely]
    min_vcpu: Only machines with at least this many vCPUs
    min_host_memory: Only machines with at least this much host memory: 256GB, 1TB
    interconnect: Only machines with this link, in a machine or between machines
    available: Leave out machines that are known to be out of stock or excluded by a quota
    limit: Show at most N rows
    currency: Show prices in this currency, such as EUR
    commit: Rank by committed prices: 1y, 3y, 7d or any
    upfront: Upfront payment of the commitment: none, partial or all [default: the smallest available]
    chart: Draw a chart of price against speed
    accept_tight: List machines too on which the model is a tight fit: it may run or run out of memory
    compare: Compare the machine with APIs that sell the model by the token: break-even, and the cheaper way for this load
    own: Compare with a machine of your own: 'price=250000,years=3,kw=10.2,usd_per_kwh=0.12,utilization=0.6'
    bill: Add the whole bill: disk, traffic, starts, …
    sessions: Number of sessions in a month
    hours_per_session: Time of work in each session: 3, 90m
    storage: Disk that each machine keeps: 200GB, 1TB
    egress: Traffic to the internet: 50GB, 2TB
    ingress: Traffic from the internet, without the checkpoint: 50GB
    idle: Idle time at the end of each session: 15m
    start: Time of each start: 5m [default: as the catalog has it for the provider]
    bandwidth: Bandwidth of the download in Gbit/s [default: 1]
    ipv4: Public IPv4 addresses of each machine [default: 1]
    explain: Explain on standard error why each candidate was kept or dropped (resolve, plan)
    catalog: Add an overlay catalog (folder or file); repeatable, later ones override earlier ones
    config: Read this config file instead of ./sky-accel.toml and your user config.toml
    offline: Do not use the network: live uses cached answers only
    insecure: Send keys to unencrypted base URLs (http://), where others can read them
    today: The day from which ages of prices count, instead of today
    """


@command("report", from_="--from")
def report(
    file: File,
    model: Text | None = None,
    *,
    from_: File | None = None,
    model_size: Number | None = None,
    assume: Text | None = None,
    group_size: Number | None = None,
    kv_precision: Literal["bf16", "fp8", "int8", "q8_0", "q4_0"] | None = None,
    max_context: Number | None = None,
    batch: Number | None = None,
    micro_batch: Number | None = None,
    images: Number | None = None,
    audio_hours: Time | None = None,
    steps: Number | None = None,
    height: Number | None = None,
    width: Number | None = None,
    frames: Number | None = None,
    users: Number | None = None,
    concurrency: Number | None = None,
    request_rate: Number | None = None,
    rate: Number | None = None,
    requests: Number | None = None,
    max_ttft: Time | None = None,
    min_speed: Number | None = None,
    max_tpot: Time | None = None,
    prefix_cache: Number | None = None,
    images_per_request: Number | None = None,
    image_tokens: Number | None = None,
    speculative: Text | None = None,
    length_spread: Number | None = None,
    admission_interval: Number | None = None,
    disaggregated: Switch | None = None,
    engine_version: Text | None = None,
    calibrate: Number | None = None,
    energy: Switch | None = None,
    gpu_memory_utilization: Number | None = None,
    max_batched_tokens: Number | None = None,
    max_num_batched_tokens: Number | None = None,
    max_num_seqs: Number | None = None,
    sampling: Literal["greedy", "top-p", "penalties"] | None = None,
    attention: Literal["flash", "sdpa", "eager"] | None = None,
    logits: Literal["last", "all", "chunked", "none"] | None = None,
    gpu_layers: Whole | None = None,
    n_cpu_moe: Whole | None = None,
    host_bandwidth: Number | None = None,
    compile: Switch | None = None,
    optimizer: Literal["adamw", "adamw-8bit", "adafactor", "muon", "sgd"] | None = None,
    optimizer_in_backward: Switch | None = None,
    master_weights: Literal["fp32", "none"] | None = None,
    parameter_precision: Literal["bf16", "fp32"] | None = None,
    gradient_precision: Literal["bf16", "fp32"] | None = None,
    checkpointing: Literal["none", "selective", "full"] | None = None,
    lora_rank: Number | None = None,
    lora_targets: Literal["qv", "attention", "all-linear"] | None = None,
    offload: Literal["none", "optimizer", "all"] | None = None,
    gradient_accumulation: Number | None = None,
    global_batch: Number | None = None,
    virtual_pipeline: Number | None = None,
    packed: Number | None = None,
    modules_to_save: Many[Text] | None = None,
    rollouts: Number | None = None,
    off_policy_steps: Number | None = None,
    tensor_parallel: Whole | None = None,
    pipeline_parallel: Whole | None = None,
    data_parallel: Whole | None = None,
    context_parallel: Whole | None = None,
    expert_parallel: Whole | None = None,
    zero_stage: Whole | None = None,
    shard_groups: Whole | None = None,
    workload: Text | None = None,
    context: Number | None = None,
    generate: Number | None = None,
    engine: Literal["none", "transformers", "vllm", "sglang", "llama.cpp", "tensorrt-llm", "deepspeed", "torchtitan", "torchtune", "litgpt", "ms-swift", "unsloth", "axolotl"] | None = None,
    precision: Text | None = None,
    reference_model: Text | None = None,
    teacher_model: Text | None = None,
    on: Spec | None = None,
    nodes: Text | None = None,
    objective: Literal["cost", "speed", "latency", "memory"] | None = None,
    tokens: Number | None = None,
    deadline: Time | None = None,
    budget: Number | None = None,
    live: Flag | None = None,
    hours: Time | None = None,
    month: Flag | None = None,
    year: Flag | None = None,
    provider: Many[Text] | None = None,
    region: Many[Text] | None = None,
    capacity_type: Literal["on-demand", "spot", "any"] | None = None,
    tier: Text | None = None,
    max_price: Number | None = None,
    max_age: Duration | None = None,
    price: Literal["likely", "stated"] | None = None,
    min_vcpu: Number | None = None,
    min_host_memory: Number | None = None,
    interconnect: Literal["efa", "infiniband", "nvlink", "any"] | None = None,
    available: Flag | None = None,
    limit: Whole | None = None,
    currency: Text | None = None,
    upfront: Literal["none", "partial", "all"] | None = None,
    commit: Text | None = None,
    explain: Flag | None = None,
    catalog: Many[File] | None = None,
    config: File | None = None,
    offline: Flag | None = None,
    insecure: Flag | None = None,
    today: Day | None = None,
) -> answers.ReportAnswer:
    """Write a recommendation or an answer as a web page.

    file: File to write
    model: A model as for model, or a size such as 13B
    from_: Write the page of this document instead
    model_size: Number of parameters, for a model that the catalog does not know: 7B, 13B, 350M
    assume: Read a config.json of an unknown model type as this type: llama, qwen3, …
    group_size: Weights per group of a quantized format
    kv_precision: Format of the KV cache
    max_context: Tokens of the longest request that a server must admit, prompt and answer [default: up to twice the average]
    batch: Concurrent sequences or images per data-parallel rank; in training, sequences per micro-batch
    micro_batch: The same as batch
    images: Total number of images, or of videos: each device then generates its own
    audio_hours: Hours of speech to write down
    steps: Denoising steps of an image or video [default: from the model card]
    height: Height of an image or video in pixels [default: from the model card]
    width: Width of an image or video in pixels [default: from the model card]
    frames: Frames of a video [default: from the model card]
    users: Requests in flight at once
    concurrency: The same as users
    request_rate: Requests per second, with Poisson arrivals
    rate: The same as request_rate
    requests: Total number of requests: the load ends with the last answer, and tokens/s are the average until then
    max_ttft: Maximum time to first token or answer: 2s, 500ms
    min_speed: Minimum output tokens per second of each user
    max_tpot: Maximum time per output token: 50ms; instead of a minimum speed
    prefix_cache: Fraction of the prompt that is already in the cache, from 0 to 1
    images_per_request: Images of each prompt on average, beside the tokens of its text
    image_tokens: Tokens of an image [default: of 1024 × 1024 pixels]
    speculative: Speculative tokens per step, and the fraction that is accepted: 3:0.7
    length_spread: Spread S of prompt and output lengths L, which are uniform in [(1 − S) × L, L]; 0 if all are equal
    admission_interval: ServingEngine steps between scheduling new requests (SGLang, TensorRT-LLM)
    disaggregated: Prefill and decode on separate replicas; with grpo and ppo, generate and train on separate devices
    engine_version: Version of the serving engine; the newest by default
    calibrate: A measured speed that all speeds are scaled to: tokens_per_s=4100
    energy: Show the power of the devices, and the energy of a million tokens or of an image; JSON always has them
    gpu_memory_utilization: Fraction of device memory for vLLM; for SGLang and TensorRT-LLM, of the memory left after weights
    max_batched_tokens: Maximum tokens that a serving engine computes in one step
    max_num_batched_tokens: The same as max_batched_tokens
    max_num_seqs: Maximum sequences that a serving engine decodes at once
    sampling: How tokens are chosen [default: as the model's generation config]
    attention: Attention implementation
    logits: Positions for which logits are computed
    gpu_layers: Layers that llama.cpp computes on the devices, like its -ngl; the host computes the others
    n_cpu_moe: First layers whose experts llama.cpp keeps and computes on the host, like its n_cpu_moe
    host_bandwidth: Peak bandwidth of the host's memory in GB/s, for work on the host: 51.2 for two channels of DDR4-3200
    compile: Compile the training step
    optimizer: Optimizer
    optimizer_in_backward: Run the optimizer during the backward pass, which frees each gradient early
    master_weights: Copy of the weights that the optimizer keeps: fp32 or none
    parameter_precision: Format of trained parameters
    gradient_precision: Format of gradients
    checkpointing: Activations to recompute in the backward pass
    lora_rank: Rank of the LoRA adapters
    lora_targets: Matrices that get LoRA adapters
    offload: Training state to keep in host memory
    gradient_accumulation: Micro-batches per rank in each optimizer step
    global_batch: Sequences of all ranks in each optimizer step
    virtual_pipeline: Interleaved parts of each pipeline stage, which shorten the pipeline's idle time
    packed: Average tokens of the examples that are packed into a training sequence
    modules_to_save: Modules that are trained in full beside adapters: embeddings, head
    rollouts: Sequences that grpo and ppo generate for a step
    off_policy_steps: Maximum age of rollouts in optimizer steps, where separate devices generate them
    tensor_parallel: Tensor parallelism: devices that share each matrix
    pipeline_parallel: Pipeline parallelism: devices that share the layers
    data_parallel: Data parallelism: groups of devices that process separate batches
    context_parallel: Context parallelism: devices that share each sequence, image or video
    expert_parallel: Expert parallelism: devices that share the experts
    zero_stage: Shard over data-parallel devices: 1 the optimizer, 2 also gradients, 3 also weights (FSDP)
    shard_groups: Groups of devices that each hold all of the sharded state: hybrid sharding
    workload: Work: inference, lora, qlora, full, …
    context: Tokens of a prompt or a sequence: 4096, 32k
    generate: Tokens generated after the prompt
    engine: vllm, sglang, llama.cpp, tensorrt-llm, …
    precision: Weights: bf16, fp8, awq, gguf:Q4_K_M, …
    reference_model: Reference model of dpo, grpo and ppo: a name, a file, or none; by default the initial model
    teacher_model: Teacher model of distill
    on: Only this hardware: 'H100|H200', any:x1 or amd
    nodes: Number of machines that work together, or a range such as 1..8 [default: as few as possible]
    objective: Rank by this [default: cost]
    tokens: Tokens to train on or generate: 10M, 2B
    deadline: Exclude machines that may need longer for tokens or images: hours, or a duration such as 90m or 2d
    budget: Exclude machines above this price for tokens, images or hours
    live: Download the configuration of model organization/name or hf:organization/name from its hub
    hours: Add the total for this time: 100, 90m or 2d
    month: Add the total for 730 hours
    year: Add the total for 8,760 hours
    provider: Only these: aws, hyperscalers; `!aws` excludes it
    region: Only these: us-east-1, eu-*, Germany, EU
    capacity_type: Capacity type to price: on-demand, spot or any
    tier: Price tier of providers with several tiers: secure, community or any [default: the provider's own machines before those of private hosts]. For `recommend`: with `list`, its default, marketplaces, consumer cards and weak prices rank below other offers; with `any`, all rank together
    max_price: Exclude machines above this price per hour
    max_age: Only prices of at most this age: 12h, 30d
    price: Price that ranks and limits machines: likely (of today, estimated) or stated (as last seen) [default: likely]
    min_vcpu: Only machines with at least this many vCPUs
    min_host_memory: Only machines with at least this much host memory: 256GB, 1TB
    interconnect: Only machines with this link, in a machine or between machines
    available: Leave out machines that are known to be out of stock or excluded by a quota
    limit: Show at most N rows
    currency: Show prices in this currency, such as EUR
    upfront: Upfront payment of the commitment: none, partial or all [default: the smallest available]
    commit: Rank by committed prices: 1y, 3y, 7d or any
    explain: Explain on standard error why each candidate was kept or dropped (resolve, plan)
    catalog: Add an overlay catalog (folder or file); repeatable, later ones override earlier ones
    config: Read this config file instead of ./sky-accel.toml and your user config.toml
    offline: Do not use the network: live uses cached answers only
    insecure: Send keys to unencrypted base URLs (http://), where others can read them
    today: The day from which ages of prices count, instead of today
    """


@command("resolve")
def resolve(
    *specs: Spec,
    provider: Many[Text] | None = None,
    region: Many[Text] | None = None,
    capacity_type: Literal["on-demand", "spot", "any"] | None = None,
    tier: Text | None = None,
    max_price: Number | None = None,
    max_age: Duration | None = None,
    price: Literal["likely", "stated"] | None = None,
    min_vcpu: Number | None = None,
    min_host_memory: Number | None = None,
    interconnect: Literal["efa", "infiniband", "nvlink", "any"] | None = None,
    available: Flag | None = None,
    limit: Whole | None = None,
    currency: Text | None = None,
    hours: Time | None = None,
    month: Flag | None = None,
    year: Flag | None = None,
    commit: Text | None = None,
    upfront: Literal["none", "partial", "all"] | None = None,
    at_least: Flag | None = None,
    sort: Literal["price", "price-per-gpu", "price-per-gb", "price-per-tflop", "obtainability"] | None = None,
    map: Flag | None = None,
    group_by: Literal["accelerator", "provider", "region", "count"] | None = None,
    all: Flag | None = None,
    live: Flag | None = None,
    public: Flag | None = None,
    refresh: Flag | None = None,
    timeout: Duration | None = None,
    spot_scores: Flag | None = None,
    capacity_blocks: FlagOr[Whole] | None = None,
    check_quota: Flag | None = None,
    nodes: Whole | None = None,
    disk: Whole | None = None,
    explain: Flag | None = None,
    catalog: Many[File] | None = None,
    config: File | None = None,
    offline: Flag | None = None,
    insecure: Flag | None = None,
    today: Day | None = None,
) -> answers.ResolveAnswer:
    """Find each provider's types, prices and regions for a spec.

    specs: Specs such as H100:x8 or any:24GB
    provider: Only these: aws, hyperscalers; `!aws` excludes it
    region: Only these: us-east-1, eu-*, Germany, EU
    capacity_type: Capacity type to price: on-demand, spot or any
    tier: Price tier of providers with several tiers: secure, community or any [default: the provider's own machines before those of private hosts]. For `recommend`: with `list`, its default, marketplaces, consumer cards and weak prices rank below other offers; with `any`, all rank together
    max_price: Exclude machines above this price per hour
    max_age: Only prices of at most this age: 12h, 30d
    price: Price that ranks and limits machines: likely (of today, estimated) or stated (as last seen) [default: likely]
    min_vcpu: Only machines with at least this many vCPUs
    min_host_memory: Only machines with at least this much host memory: 256GB, 1TB
    interconnect: Only machines with this link, in a machine or between machines
    available: Leave out machines that are known to be out of stock or excluded by a quota
    limit: Show at most N rows
    currency: Show prices in this currency, such as EUR
    hours: Add the total for this time: 100, 90m or 2d
    month: Add the total for 730 hours
    year: Add the total for 8,760 hours
    commit: Rank by committed prices: 1y, 3y, 7d or any
    upfront: Upfront payment of the commitment: none, partial or all [default: the smallest available]
    at_least: Also match machines with more accelerators
    sort: Sort rows by this key [default: price]
    map: Show prices by region as a heat map
    group_by: Fold rows by this key
    all: Show every row, not only the ten best
    live: Query the providers for current offers, prices and stock
    public: Also query without a key where a provider's terms restrict automated access: RunPod, Vast.ai
    refresh: Query again even if an answer is cached
    timeout: Timeout for each provider, up to 10m; a number without a unit is in seconds [default: 30s]
    spot_scores: Ask AWS for spot placement scores (1 to 10) too; Azure and Google Cloud always report their own scores
    capacity_blocks: Show blocks of AWS and Google Cloud that can be reserved for this many hours [default without a value: 24]
    check_quota: Check whether the account's quotas allow the machines, where a provider reports quotas, and show what is left
    nodes: Ask for this many machines together: spot scores, capacity blocks and quotas [default: 1]
    disk: Include this much disk in marketplace prices [default: 10]
    explain: Explain on standard error why each candidate was kept or dropped (resolve, plan)
    catalog: Add an overlay catalog (folder or file); repeatable, later ones override earlier ones
    config: Read this config file instead of ./sky-accel.toml and your user config.toml
    offline: Do not use the network: live uses cached answers only
    insecure: Send keys to unencrypted base URLs (http://), where others can read them
    today: The day from which ages of prices count, instead of today
    """


@command("show")
def show(
    *names: Spec,
    max_age: Duration | None = None,
    explain: Flag | None = None,
    catalog: Many[File] | None = None,
    config: File | None = None,
    offline: Flag | None = None,
    insecure: Flag | None = None,
    today: Day | None = None,
) -> answers.ShowAnswer:
    """Show all facts about an accelerator, a type or a provider.

    names: An accelerator in any dialect, an instance type, or a provider's id
    max_age: Only offers with a price that is at most this old (12h, 30d); exits 7 without a result
    explain: Explain on standard error why each candidate was kept or dropped (resolve, plan)
    catalog: Add an overlay catalog (folder or file); repeatable, later ones override earlier ones
    config: Read this config file instead of ./sky-accel.toml and your user config.toml
    offline: Do not use the network: live uses cached answers only
    insecure: Send keys to unencrypted base URLs (http://), where others can read them
    today: The day from which ages of prices count, instead of today
    """


@command("web")
def web(
    *,
    out: File | None = None,
    open: Flag | None = None,
    module: File | None = None,
    explain: Flag | None = None,
    catalog: Many[File] | None = None,
    config: File | None = None,
    offline: Flag | None = None,
    insecure: Flag | None = None,
    today: Day | None = None,
) -> answers.WebAnswer:
    """Write a page that answers offline, in a browser.

    out: File to write
    open: Open the page in the browser
    module: Module of the page, as built by `cargo xtask web`; default: the module in the program
    explain: Explain on standard error why each candidate was kept or dropped (resolve, plan)
    catalog: Add an overlay catalog (folder or file); repeatable, later ones override earlier ones
    config: Read this config file instead of ./sky-accel.toml and your user config.toml
    offline: Do not use the network: live uses cached answers only
    insecure: Send keys to unencrypted base URLs (http://), where others can read them
    today: The day from which ages of prices count, instead of today
    """
