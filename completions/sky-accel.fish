# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_sky_accel_global_optspecs
    string join \n o/output= color= q/quiet v/verbose explain catalog= config= no-config offline h/help V/version
end

function __fish_sky_accel_needs_command
    # Figure out if the current invocation already has a command.
    set -l cmd (commandline -opc)
    set -e cmd[1]
    argparse -s (__fish_sky_accel_global_optspecs) -- $cmd 2>/dev/null
    or return
    if set -q argv[1]
        # Also print the command, so this can be used to figure out what it is.
        echo $argv[1]
        return 1
    end
    return 0
end

function __fish_sky_accel_using_subcommand
    set -l cmd (__fish_sky_accel_needs_command)
    test -z "$cmd"
    and return 1
    contains -- $cmd[1] $argv
end

complete -c sky-accel -n "__fish_sky_accel_needs_command" -s o -l output -d 'Form of the output [default: table]' -r -f -a "table\t'Columns that fit the terminal'
wide\t'All columns'
json\t'One JSON object'
jsonl\t'One JSON object a line, one line a result'
csv\t'Comma-separated values with a header'
names\t'The provider\'s own id, one a line, nothing else'
yaml\t'YAML'"
complete -c sky-accel -n "__fish_sky_accel_needs_command" -l color -d 'When to use colour [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_needs_command" -l catalog -d 'Overlay catalog, a folder or a file; may be repeated, the last one wins' -r -F
complete -c sky-accel -n "__fish_sky_accel_needs_command" -l config -d 'Config file instead of ./sky-accel.toml and the user\'s' -r -F
complete -c sky-accel -n "__fish_sky_accel_needs_command" -s q -l quiet -d 'Say only what went wrong, not notes and footers'
complete -c sky-accel -n "__fish_sky_accel_needs_command" -s v -l verbose -d 'Say more: where prices and figures are from'
complete -c sky-accel -n "__fish_sky_accel_needs_command" -l explain -d 'Say on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_needs_command" -l no-config -d 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_needs_command" -l offline -d 'Never touch the network: with --live, cached answers alone'
complete -c sky-accel -n "__fish_sky_accel_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_needs_command" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_needs_command" -f -a "list" -d 'Which accelerators exist'
complete -c sky-accel -n "__fish_sky_accel_needs_command" -f -a "show" -d 'All about one accelerator, instance type or provider id'
complete -c sky-accel -n "__fish_sky_accel_needs_command" -f -a "compare" -d 'The same figures side by side, with ratios against the first'
complete -c sky-accel -n "__fish_sky_accel_needs_command" -f -a "resolve" -d 'Each provider\'s own instance types, prices and regions for a spec'
complete -c sky-accel -n "__fish_sky_accel_needs_command" -f -a "recommend" -d 'What to rent for a model or a kind of work, with offers'
complete -c sky-accel -n "__fish_sky_accel_needs_command" -f -a "report" -d 'What recommend says, as one page for a browser: the sum, the chart, the offers'
complete -c sky-accel -n "__fish_sky_accel_needs_command" -f -a "fit" -d 'Whether a model fits on some hardware, term by term: exit 0 or 1'
complete -c sky-accel -n "__fish_sky_accel_needs_command" -f -a "plan" -d 'Where to try, in which order, and the plan in the words of the engine that applies it'
complete -c sky-accel -n "__fish_sky_accel_needs_command" -f -a "convert" -d 'The same hardware in the words of another tool'
complete -c sky-accel -n "__fish_sky_accel_needs_command" -f -a "mig" -d 'MIG slices: what a GPU can be cut into, where they go, how few GPUs they take'
complete -c sky-accel -n "__fish_sky_accel_needs_command" -f -a "watch" -d 'Ask the providers again and again, until an offer appears or is cheap enough'
complete -c sky-accel -n "__fish_sky_accel_needs_command" -f -a "detect" -d 'What this machine has, as a spec, and what that is at each provider'
complete -c sky-accel -n "__fish_sky_accel_needs_command" -f -a "is" -d 'Whether a name is of a kind: exit 0 or 1'
complete -c sky-accel -n "__fish_sky_accel_needs_command" -f -a "catalog" -d 'Check catalogs and see where they are'
complete -c sky-accel -n "__fish_sky_accel_needs_command" -f -a "config" -d 'Settings, and where each came from'
complete -c sky-accel -n "__fish_sky_accel_needs_command" -f -a "completions" -d 'Print a shell completion script'
complete -c sky-accel -n "__fish_sky_accel_needs_command" -f -a "help" -d 'A command, or a topic: spec, prices, mig, sizing, no-instance, out-of-memory, mig-failed'
complete -c sky-accel -n "__fish_sky_accel_needs_command" -f -a "man" -d 'Print a manual page: sky-accel man plan | man -l -'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand list" -s o -l output -d 'Form of the output [default: table]' -r -f -a "table\t'Columns that fit the terminal'
wide\t'All columns'
json\t'One JSON object'
jsonl\t'One JSON object a line, one line a result'
csv\t'Comma-separated values with a header'
names\t'The provider\'s own id, one a line, nothing else'
yaml\t'YAML'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand list" -l color -d 'When to use colour [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand list" -l catalog -d 'Overlay catalog, a folder or a file; may be repeated, the last one wins' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand list" -l config -d 'Config file instead of ./sky-accel.toml and the user\'s' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand list" -l vendor -d 'By maker: nvidia, amd, intel, google, aws, …' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand list" -l class -d 'datacenter, workstation, consumer, asic or media' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand list" -l arch -d 'By architecture: hopper, ampere, cdna3, …' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand list" -l provider -d 'Sold by this provider; may be repeated' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand list" -l min-memory -d 'At least so much memory per device; no unit means GB' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand list" -l sort -d 'Order of the rows [default: by class, the newest first]' -r -f -a "name\t''
memory\t''
bandwidth\t''
tflops\t''
tdp\t''
year\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand list" -l limit -d 'At most so many rows' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand list" -s q -l quiet -d 'Say only what went wrong, not notes and footers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand list" -s v -l verbose -d 'Say more: where prices and figures are from'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand list" -l explain -d 'Say on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand list" -l no-config -d 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand list" -l offline -d 'Never touch the network: with --live, cached answers alone'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand list" -l mig -d 'Only what can be cut into MIG slices'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand list" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand show" -s o -l output -d 'Form of the output [default: table]' -r -f -a "table\t'Columns that fit the terminal'
wide\t'All columns'
json\t'One JSON object'
jsonl\t'One JSON object a line, one line a result'
csv\t'Comma-separated values with a header'
names\t'The provider\'s own id, one a line, nothing else'
yaml\t'YAML'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand show" -l color -d 'When to use colour [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand show" -l catalog -d 'Overlay catalog, a folder or a file; may be repeated, the last one wins' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand show" -l config -d 'Config file instead of ./sky-accel.toml and the user\'s' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand show" -s q -l quiet -d 'Say only what went wrong, not notes and footers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand show" -s v -l verbose -d 'Say more: where prices and figures are from'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand show" -l explain -d 'Say on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand show" -l no-config -d 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand show" -l offline -d 'Never touch the network: with --live, cached answers alone'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand show" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand show" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -s o -l output -d 'Form of the output [default: table]' -r -f -a "table\t'Columns that fit the terminal'
wide\t'All columns'
json\t'One JSON object'
jsonl\t'One JSON object a line, one line a result'
csv\t'Comma-separated values with a header'
names\t'The provider\'s own id, one a line, nothing else'
yaml\t'YAML'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l color -d 'When to use colour [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l catalog -d 'Overlay catalog, a folder or a file; may be repeated, the last one wins' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l config -d 'Config file instead of ./sky-accel.toml and the user\'s' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -s q -l quiet -d 'Say only what went wrong, not notes and footers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -s v -l verbose -d 'Say more: where prices and figures are from'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l explain -d 'Say on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l no-config -d 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l offline -d 'Never touch the network: with --live, cached answers alone'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -s o -l output -d 'Form of the output [default: table]' -r -f -a "table\t'Columns that fit the terminal'
wide\t'All columns'
json\t'One JSON object'
jsonl\t'One JSON object a line, one line a result'
csv\t'Comma-separated values with a header'
names\t'The provider\'s own id, one a line, nothing else'
yaml\t'YAML'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l color -d 'When to use colour [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l catalog -d 'Overlay catalog, a folder or a file; may be repeated, the last one wins' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l config -d 'Config file instead of ./sky-accel.toml and the user\'s' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l provider -d 'Only this provider: aws, runpod, vastai, verda, or one of an overlay; may be repeated' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l region -d 'Only this region, pattern (eu-*) or country; may be repeated' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l capacity-type -d 'How it is bought; by default ranked on demand, with the spot price beside it' -r -f -a "on-demand\t''
spot\t''
any\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l max-price -d 'At most so many US dollars per hour for the whole machine' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l limit -d 'At most so many rows' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l sort -d 'Order of the rows [default: price]' -r -f -a "price\t''
price-per-gpu\t''
price-per-gb\t''
price-per-tflop\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l max-age -d 'Use nothing older than this: 90s, 30m, 12h, 7d; exit 7 when only older prices are known' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l timeout -d 'Seconds that a provider has for its answer' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l capacity-blocks -d 'AWS: reserved blocks of so many hours [default when given: 24]' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l disk -d 'Disk in GB that a marketplace\'s price is to include' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -s q -l quiet -d 'Say only what went wrong, not notes and footers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -s v -l verbose -d 'Say more: where prices and figures are from'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l explain -d 'Say on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l no-config -d 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l offline -d 'Never touch the network: with --live, cached answers alone'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l at-least -d 'Machines with more accelerators match too'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l map -d 'Prices by region, as a heat map; in JSON as `region_prices`'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l live -d 'Ask the providers what they sell now; needs an account with each'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l refresh -d 'Ask again even where an answer is cached'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l spot-scores -d 'AWS: how likely spot capacity is, from 1 to 10 by region'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l check-quota -d 'AWS: whether the account\'s quota allows one such machine'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -s o -l output -d 'Form of the output [default: table]' -r -f -a "table\t'Columns that fit the terminal'
wide\t'All columns'
json\t'One JSON object'
jsonl\t'One JSON object a line, one line a result'
csv\t'Comma-separated values with a header'
names\t'The provider\'s own id, one a line, nothing else'
yaml\t'YAML'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l color -d 'When to use colour [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l catalog -d 'Overlay catalog, a folder or a file; may be repeated, the last one wins' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l config -d 'Config file instead of ./sky-accel.toml and the user\'s' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l objective -d 'What to rank by [default: cost]' -r -f -a "cost\t'The price of the machine, or of all tokens where they are given'
speed\t'Tokens per second'
memory\t'Memory that is rented'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l tokens -d 'Tokens to train on, or to generate in all: 10M, 2B' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l deadline -d 'Hours that these tokens may take' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l budget -d 'US dollars that these tokens may cost' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l provider -d 'Only this provider: aws, runpod, vastai, verda, or one of an overlay; may be repeated' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l region -d 'Only this region, pattern (eu-*) or country; may be repeated' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l capacity-type -d 'How it is bought; by default ranked on demand, with the spot price beside it' -r -f -a "on-demand\t''
spot\t''
any\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l max-price -d 'At most so many US dollars per hour for the whole machine' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l limit -d 'At most so many rows' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l model -d 'A name (Llama-3.1-8B, Qwen/Qwen3-32B), a config.json, a folder with safetensors, or a GGUF file' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l model-size -d 'Parameters of a model that has no name: 7B, 13B, 350M' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l assume -d 'Model type to read a config.json as, where it has one that is not known: llama, qwen3, …' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l workload -d 'Kind of work: inference, lora, qlora, full or pretrain; recommend knows development too' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l precision -d 'Format of the weights: bf16, fp8, int8, awq, gptq-int4, nf4, mxfp4, gguf:Q4_K_M, …' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l group-size -d 'Weights of a group that share a scale' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l kv-precision -d 'Format of the KV cache' -r -f -a "bf16\t''
fp8\t''
int8\t''
q8_0\t''
q4_0\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l context -d 'Tokens of the prompt, or of a training sequence' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l generate -d 'Tokens generated after the prompt' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l batch -d 'Sequences at once, for each data-parallel rank' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l engine -d 'What runs the model' -r -f -a "none\t''
transformers\t''
vllm\t''
sglang\t''
llama.cpp\t''
tensorrt-llm\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l gpu-memory-utilization -d 'Share of the device that a serving engine may use' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l max-batched-tokens -d 'Tokens that a serving engine computes at once' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l attention -d 'Kind of attention' -r -f -a "flash\t''
sdpa\t''
eager\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l logits -d 'Positions that logits are computed for' -r -f -a "last\t''
all\t''
chunked\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l compile -d 'Training is compiled' -r -f -a "true\t''
false\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l optimizer -d 'Optimizer' -r -f -a "adamw\t''
adamw-8bit\t''
adafactor\t''
muon\t''
sgd\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l optimizer-in-backward -d 'Each step is taken while the backward pass runs' -r -f -a "true\t''
false\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l master-weights -d 'A copy of the weights that the optimizer keeps: fp32 or none' -r -f -a "fp32\t''
none\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l parameter-precision -d 'Format of trained parameters' -r -f -a "bf16\t''
fp32\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l gradient-precision -d 'Format of gradients' -r -f -a "bf16\t''
fp32\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l checkpointing -d 'Activations that are computed again' -r -f -a "none\t''
selective\t''
full\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l lora-rank -d 'Rank of the adapters' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l lora-targets -d 'Matrices with adapters' -r -f -a "qv\t''
attention\t''
all-linear\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l offload -d 'What is kept in the host\'s memory' -r -f -a "none\t''
optimizer\t''
all\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l tensor-parallel -d 'Devices that share each matrix' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l pipeline-parallel -d 'Devices that share the layers' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l data-parallel -d 'Devices that each have a batch of their own' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l context-parallel -d 'Devices that share each sequence' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l expert-parallel -d 'Devices that share the experts' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l zero-stage -d 'What data-parallel devices share: 1 optimizer, 2 gradients too, 3 weights too (FSDP)' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -s q -l quiet -d 'Say only what went wrong, not notes and footers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -s v -l verbose -d 'Say more: where prices and figures are from'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l explain -d 'Say on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l no-config -d 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l offline -d 'Never touch the network: with --live, cached answers alone'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l guide -d 'The rule-of-thumb tables, with what the strategies really save'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l chart -d 'Draw price against speed'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l live -d 'Read the configuration of --model hf:organisation/name from its hub'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -s o -l output -d 'Form of the output [default: table]' -r -f -a "table\t'Columns that fit the terminal'
wide\t'All columns'
json\t'One JSON object'
jsonl\t'One JSON object a line, one line a result'
csv\t'Comma-separated values with a header'
names\t'The provider\'s own id, one a line, nothing else'
yaml\t'YAML'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l color -d 'When to use colour [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l catalog -d 'Overlay catalog, a folder or a file; may be repeated, the last one wins' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l config -d 'Config file instead of ./sky-accel.toml and the user\'s' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l objective -d 'What to rank by [default: cost]' -r -f -a "cost\t'The price of the machine, or of all tokens where they are given'
speed\t'Tokens per second'
memory\t'Memory that is rented'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l tokens -d 'Tokens to train on, or to generate in all: 10M, 2B' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l deadline -d 'Hours that these tokens may take' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l budget -d 'US dollars that these tokens may cost' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l provider -d 'Only this provider: aws, runpod, vastai, verda, or one of an overlay; may be repeated' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l region -d 'Only this region, pattern (eu-*) or country; may be repeated' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l capacity-type -d 'How it is bought; by default ranked on demand, with the spot price beside it' -r -f -a "on-demand\t''
spot\t''
any\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l max-price -d 'At most so many US dollars per hour for the whole machine' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l limit -d 'At most so many rows' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l model -d 'A name (Llama-3.1-8B, Qwen/Qwen3-32B), a config.json, a folder with safetensors, or a GGUF file' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l model-size -d 'Parameters of a model that has no name: 7B, 13B, 350M' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l assume -d 'Model type to read a config.json as, where it has one that is not known: llama, qwen3, …' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l workload -d 'Kind of work: inference, lora, qlora, full or pretrain; recommend knows development too' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l precision -d 'Format of the weights: bf16, fp8, int8, awq, gptq-int4, nf4, mxfp4, gguf:Q4_K_M, …' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l group-size -d 'Weights of a group that share a scale' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l kv-precision -d 'Format of the KV cache' -r -f -a "bf16\t''
fp8\t''
int8\t''
q8_0\t''
q4_0\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l context -d 'Tokens of the prompt, or of a training sequence' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l generate -d 'Tokens generated after the prompt' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l batch -d 'Sequences at once, for each data-parallel rank' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l engine -d 'What runs the model' -r -f -a "none\t''
transformers\t''
vllm\t''
sglang\t''
llama.cpp\t''
tensorrt-llm\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l gpu-memory-utilization -d 'Share of the device that a serving engine may use' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l max-batched-tokens -d 'Tokens that a serving engine computes at once' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l attention -d 'Kind of attention' -r -f -a "flash\t''
sdpa\t''
eager\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l logits -d 'Positions that logits are computed for' -r -f -a "last\t''
all\t''
chunked\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l compile -d 'Training is compiled' -r -f -a "true\t''
false\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l optimizer -d 'Optimizer' -r -f -a "adamw\t''
adamw-8bit\t''
adafactor\t''
muon\t''
sgd\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l optimizer-in-backward -d 'Each step is taken while the backward pass runs' -r -f -a "true\t''
false\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l master-weights -d 'A copy of the weights that the optimizer keeps: fp32 or none' -r -f -a "fp32\t''
none\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l parameter-precision -d 'Format of trained parameters' -r -f -a "bf16\t''
fp32\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l gradient-precision -d 'Format of gradients' -r -f -a "bf16\t''
fp32\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l checkpointing -d 'Activations that are computed again' -r -f -a "none\t''
selective\t''
full\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l lora-rank -d 'Rank of the adapters' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l lora-targets -d 'Matrices with adapters' -r -f -a "qv\t''
attention\t''
all-linear\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l offload -d 'What is kept in the host\'s memory' -r -f -a "none\t''
optimizer\t''
all\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l tensor-parallel -d 'Devices that share each matrix' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l pipeline-parallel -d 'Devices that share the layers' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l data-parallel -d 'Devices that each have a batch of their own' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l context-parallel -d 'Devices that share each sequence' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l expert-parallel -d 'Devices that share the experts' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l zero-stage -d 'What data-parallel devices share: 1 optimizer, 2 gradients too, 3 weights too (FSDP)' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -s q -l quiet -d 'Say only what went wrong, not notes and footers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -s v -l verbose -d 'Say more: where prices and figures are from'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l explain -d 'Say on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l no-config -d 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l offline -d 'Never touch the network: with --live, cached answers alone'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l live -d 'Read the configuration of --model hf:organisation/name from its hub'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -s o -l output -d 'Form of the output [default: table]' -r -f -a "table\t'Columns that fit the terminal'
wide\t'All columns'
json\t'One JSON object'
jsonl\t'One JSON object a line, one line a result'
csv\t'Comma-separated values with a header'
names\t'The provider\'s own id, one a line, nothing else'
yaml\t'YAML'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l color -d 'When to use colour [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l catalog -d 'Overlay catalog, a folder or a file; may be repeated, the last one wins' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l config -d 'Config file instead of ./sky-accel.toml and the user\'s' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l from -d 'A recorded machine, as for `detect`' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l model -d 'A name (Llama-3.1-8B, Qwen/Qwen3-32B), a config.json, a folder with safetensors, or a GGUF file' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l model-size -d 'Parameters of a model that has no name: 7B, 13B, 350M' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l assume -d 'Model type to read a config.json as, where it has one that is not known: llama, qwen3, …' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l workload -d 'Kind of work: inference, lora, qlora, full or pretrain; recommend knows development too' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l precision -d 'Format of the weights: bf16, fp8, int8, awq, gptq-int4, nf4, mxfp4, gguf:Q4_K_M, …' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l group-size -d 'Weights of a group that share a scale' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l kv-precision -d 'Format of the KV cache' -r -f -a "bf16\t''
fp8\t''
int8\t''
q8_0\t''
q4_0\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l context -d 'Tokens of the prompt, or of a training sequence' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l generate -d 'Tokens generated after the prompt' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l batch -d 'Sequences at once, for each data-parallel rank' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l engine -d 'What runs the model' -r -f -a "none\t''
transformers\t''
vllm\t''
sglang\t''
llama.cpp\t''
tensorrt-llm\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l gpu-memory-utilization -d 'Share of the device that a serving engine may use' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l max-batched-tokens -d 'Tokens that a serving engine computes at once' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l attention -d 'Kind of attention' -r -f -a "flash\t''
sdpa\t''
eager\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l logits -d 'Positions that logits are computed for' -r -f -a "last\t''
all\t''
chunked\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l compile -d 'Training is compiled' -r -f -a "true\t''
false\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l optimizer -d 'Optimizer' -r -f -a "adamw\t''
adamw-8bit\t''
adafactor\t''
muon\t''
sgd\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l optimizer-in-backward -d 'Each step is taken while the backward pass runs' -r -f -a "true\t''
false\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l master-weights -d 'A copy of the weights that the optimizer keeps: fp32 or none' -r -f -a "fp32\t''
none\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l parameter-precision -d 'Format of trained parameters' -r -f -a "bf16\t''
fp32\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l gradient-precision -d 'Format of gradients' -r -f -a "bf16\t''
fp32\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l checkpointing -d 'Activations that are computed again' -r -f -a "none\t''
selective\t''
full\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l lora-rank -d 'Rank of the adapters' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l lora-targets -d 'Matrices with adapters' -r -f -a "qv\t''
attention\t''
all-linear\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l offload -d 'What is kept in the host\'s memory' -r -f -a "none\t''
optimizer\t''
all\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l tensor-parallel -d 'Devices that share each matrix' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l pipeline-parallel -d 'Devices that share the layers' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l data-parallel -d 'Devices that each have a batch of their own' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l context-parallel -d 'Devices that share each sequence' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l expert-parallel -d 'Devices that share the experts' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l zero-stage -d 'What data-parallel devices share: 1 optimizer, 2 gradients too, 3 weights too (FSDP)' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -s q -l quiet -d 'Say only what went wrong, not notes and footers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -s v -l verbose -d 'Say more: where prices and figures are from'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l explain -d 'Say on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l no-config -d 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l offline -d 'Never touch the network: with --live, cached answers alone'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l on-this-machine -d 'The hardware of this machine, as `detect` finds it'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l live -d 'Read the configuration of --model hf:organisation/name from its hub'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -s o -l output -d 'Form of the output [default: table]' -r -f -a "table\t'Columns that fit the terminal'
wide\t'All columns'
json\t'One JSON object'
jsonl\t'One JSON object a line, one line a result'
csv\t'Comma-separated values with a header'
names\t'The provider\'s own id, one a line, nothing else'
yaml\t'YAML'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l color -d 'When to use colour [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l catalog -d 'Overlay catalog, a folder or a file; may be repeated, the last one wins' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l config -d 'Config file instead of ./sky-accel.toml and the user\'s' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l provider -d 'Only this provider: aws, runpod, vastai, verda, or one of an overlay; may be repeated' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l region -d 'Only this region, pattern (eu-*) or country; may be repeated' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l capacity-type -d 'How it is bought; by default ranked on demand, with the spot price beside it' -r -f -a "on-demand\t''
spot\t''
any\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l max-price -d 'At most so many US dollars per hour for the whole machine' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l limit -d 'At most so many rows' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l distinct -d 'Take each region once for each way of buying' -r -f -a "regions\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l nodes -d 'Machines that are wanted' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l hours -d 'Hours that they are wanted for' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l budget -d 'US dollars for all machines: over --hours where it is given, else per hour' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l interconnect -d 'What the accelerators are to be joined by' -r -f -a "efa\t'Elastic Fabric Adapters between machines'
infiniband\t'InfiniBand between machines'
nvlink\t'NVLink inside a machine'
any\t'Any of them'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l cuda -d 'CUDA version of the image: devices and drivers that cannot run it are left out' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l disk -d 'GB of disk' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l name -d 'Name of the task, cluster or machine' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l image -d 'Container image; for machines of AWS also ami-… or resolve:ssm:…' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l run -d 'What a shell is to run [default: what lists the devices]' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l reservation -d 'An on-demand capacity reservation of AWS to launch into' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l capacity-block -d 'A capacity block of AWS to launch into' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l slurm-map -d 'What a Slurm site calls a GPU or a slice: 3g.40gb=TYPE; may be repeated' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l to -d 'Print the plan for this engine' -r -f -a "skypilot\t'a SkyPilot task that tries the candidates in order'
dstack\t'a dstack task'
kubernetes\t'a Job for the device plugins'
dra\t'a Job with dynamic resource allocation'
karpenter\t'a NodePool and its EC2NodeClass'
terraform\t'AWS instances as main.tf.json'
cloudformation\t'a stack with an EC2 fleet'
ec2-fleet\t'a request of CreateFleet'
aws-cli\t'a script that tries the candidates in order'
runpod\t'a pod for RunPod\'s API, version 2'
vastai\t'a script that searches and rents'
verda\t'an instance for Verda\'s API'
flyte\t'a task for the Flyte SDK'
slurm\t'a batch script'
ray\t'a cluster for the Ray launcher on AWS'
compose\t'a service for Docker Compose'
docker\t'a docker run command'
mig-parted\t'a configuration that cuts the GPUs'
nvidia-smi\t'the commands that cut the GPUs'
modal\t'a function for Modal'
skyward\t'a pool for skyward'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l out -d 'Write the engine\'s files into this folder' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l lock -d 'Write what was decided to this file' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l max-age -d 'Use nothing older than this: 90s, 30m, 12h, 7d; exit 7 when only older prices are known' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l timeout -d 'Seconds that a provider has for its answer' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l capacity-blocks -d 'AWS: reserved blocks of so many hours [default when given: 24]' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -s q -l quiet -d 'Say only what went wrong, not notes and footers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -s v -l verbose -d 'Say more: where prices and figures are from'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l explain -d 'Say on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l no-config -d 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l offline -d 'Never touch the network: with --live, cached answers alone'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l spot-first -d 'Spot wherever it is sold, on demand behind it'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l exact -d 'No larger machine, even where a provider sells no exact one'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l strict -d 'Fail when the engine cannot say all that is asked'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l locked -d 'Hold the plan against the file of --lock instead: exit 7 when anything moved'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l live -d 'Ask the providers what they sell now; needs an account with each'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l refresh -d 'Ask again even where an answer is cached'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l spot-scores -d 'AWS: how likely spot capacity is, from 1 to 10 by region'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l check-quota -d 'AWS: whether the account\'s quota allows one such machine'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -a "diff" -d 'What differs between two plans, or lock files'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and __fish_seen_subcommand_from diff" -s o -l output -d 'Form of the output [default: table]' -r -f -a "table\t'Columns that fit the terminal'
wide\t'All columns'
json\t'One JSON object'
jsonl\t'One JSON object a line, one line a result'
csv\t'Comma-separated values with a header'
names\t'The provider\'s own id, one a line, nothing else'
yaml\t'YAML'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and __fish_seen_subcommand_from diff" -l color -d 'When to use colour [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and __fish_seen_subcommand_from diff" -l catalog -d 'Overlay catalog, a folder or a file; may be repeated, the last one wins' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and __fish_seen_subcommand_from diff" -l config -d 'Config file instead of ./sky-accel.toml and the user\'s' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and __fish_seen_subcommand_from diff" -s q -l quiet -d 'Say only what went wrong, not notes and footers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and __fish_seen_subcommand_from diff" -s v -l verbose -d 'Say more: where prices and figures are from'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and __fish_seen_subcommand_from diff" -l explain -d 'Say on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and __fish_seen_subcommand_from diff" -l no-config -d 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and __fish_seen_subcommand_from diff" -l offline -d 'Never touch the network: with --live, cached answers alone'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and __fish_seen_subcommand_from diff" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and __fish_seen_subcommand_from diff" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand convert" -s o -l output -d 'Form of the output [default: table]' -r -f -a "table\t'Columns that fit the terminal'
wide\t'All columns'
json\t'One JSON object'
jsonl\t'One JSON object a line, one line a result'
csv\t'Comma-separated values with a header'
names\t'The provider\'s own id, one a line, nothing else'
yaml\t'YAML'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand convert" -l color -d 'When to use colour [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand convert" -l catalog -d 'Overlay catalog, a folder or a file; may be repeated, the last one wins' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand convert" -l config -d 'Config file instead of ./sky-accel.toml and the user\'s' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand convert" -l to -d 'The tool whose words are wanted' -r -f -a "sky-accel\t'the canonical form'
skypilot\t'`accelerators` of SkyPilot'
dstack\t'`gpu` of dstack'
skyward\t'a call of skyward\'s factory'
flyte\t'a constant of flytekit'
modal\t'`gpu` of Modal'
slurm\t'a generic resource of Slurm'
runpod\t'a GPU type id of RunPod'
vastai\t'a GPU name of Vast.ai'
aws\t'an EC2 instance type'
verda\t'an instance type of Verda'
nvidia-smi\t'the driver\'s product name'
kubernetes\t'the product label of a node'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand convert" -s q -l quiet -d 'Say only what went wrong, not notes and footers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand convert" -s v -l verbose -d 'Say more: where prices and figures are from'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand convert" -l explain -d 'Say on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand convert" -l no-config -d 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand convert" -l offline -d 'Never touch the network: with --live, cached answers alone'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand convert" -l strict -d 'Fail when the tool cannot say all that is asked'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand convert" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand convert" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and not __fish_seen_subcommand_from profiles fit pack" -s o -l output -d 'Form of the output [default: table]' -r -f -a "table\t'Columns that fit the terminal'
wide\t'All columns'
json\t'One JSON object'
jsonl\t'One JSON object a line, one line a result'
csv\t'Comma-separated values with a header'
names\t'The provider\'s own id, one a line, nothing else'
yaml\t'YAML'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and not __fish_seen_subcommand_from profiles fit pack" -l color -d 'When to use colour [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and not __fish_seen_subcommand_from profiles fit pack" -l catalog -d 'Overlay catalog, a folder or a file; may be repeated, the last one wins' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and not __fish_seen_subcommand_from profiles fit pack" -l config -d 'Config file instead of ./sky-accel.toml and the user\'s' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and not __fish_seen_subcommand_from profiles fit pack" -s q -l quiet -d 'Say only what went wrong, not notes and footers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and not __fish_seen_subcommand_from profiles fit pack" -s v -l verbose -d 'Say more: where prices and figures are from'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and not __fish_seen_subcommand_from profiles fit pack" -l explain -d 'Say on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and not __fish_seen_subcommand_from profiles fit pack" -l no-config -d 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and not __fish_seen_subcommand_from profiles fit pack" -l offline -d 'Never touch the network: with --live, cached answers alone'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and not __fish_seen_subcommand_from profiles fit pack" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and not __fish_seen_subcommand_from profiles fit pack" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and not __fish_seen_subcommand_from profiles fit pack" -f -a "profiles" -d 'The profiles of a GPU'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and not __fish_seen_subcommand_from profiles fit pack" -f -a "fit" -d 'Whether a mix of slices can be placed on one GPU, and where: exit 0 or 1'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and not __fish_seen_subcommand_from profiles fit pack" -f -a "pack" -d 'The fewest GPUs for many slices'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from profiles" -s o -l output -d 'Form of the output [default: table]' -r -f -a "table\t'Columns that fit the terminal'
wide\t'All columns'
json\t'One JSON object'
jsonl\t'One JSON object a line, one line a result'
csv\t'Comma-separated values with a header'
names\t'The provider\'s own id, one a line, nothing else'
yaml\t'YAML'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from profiles" -l color -d 'When to use colour [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from profiles" -l catalog -d 'Overlay catalog, a folder or a file; may be repeated, the last one wins' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from profiles" -l config -d 'Config file instead of ./sky-accel.toml and the user\'s' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from profiles" -s q -l quiet -d 'Say only what went wrong, not notes and footers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from profiles" -s v -l verbose -d 'Say more: where prices and figures are from'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from profiles" -l explain -d 'Say on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from profiles" -l no-config -d 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from profiles" -l offline -d 'Never touch the network: with --live, cached answers alone'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from profiles" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from profiles" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from fit" -s o -l output -d 'Form of the output [default: table]' -r -f -a "table\t'Columns that fit the terminal'
wide\t'All columns'
json\t'One JSON object'
jsonl\t'One JSON object a line, one line a result'
csv\t'Comma-separated values with a header'
names\t'The provider\'s own id, one a line, nothing else'
yaml\t'YAML'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from fit" -l color -d 'When to use colour [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from fit" -l catalog -d 'Overlay catalog, a folder or a file; may be repeated, the last one wins' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from fit" -l config -d 'Config file instead of ./sky-accel.toml and the user\'s' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from fit" -l occupied -d 'What is on the GPU already: 2g.20gb@0 1g.10gb@5' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from fit" -l to -d 'Print what makes the slices instead, for this tool' -r -f -a "nvidia-smi\t'Commands to make the slices'
nvidia-smi-undo\t'Commands to take all slices off again'
mig-parted\t'A configuration file for nvidia-mig-parted'
kubernetes\t'What containers ask for, with the device plugin\'s strategies mixed and single'
gpu-operator\t'A node label, or a configuration, for the NVIDIA GPU operator'
dra\t'Resource claim templates for the NVIDIA DRA driver'
flyte\t'Resources of the Flyte SDK'
gke\t'A node pool of Google Kubernetes Engine'
aks\t'A node pool of Azure Kubernetes Service'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from fit" -s q -l quiet -d 'Say only what went wrong, not notes and footers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from fit" -s v -l verbose -d 'Say more: where prices and figures are from'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from fit" -l explain -d 'Say on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from fit" -l no-config -d 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from fit" -l offline -d 'Never touch the network: with --live, cached answers alone'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from fit" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from fit" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from pack" -s o -l output -d 'Form of the output [default: table]' -r -f -a "table\t'Columns that fit the terminal'
wide\t'All columns'
json\t'One JSON object'
jsonl\t'One JSON object a line, one line a result'
csv\t'Comma-separated values with a header'
names\t'The provider\'s own id, one a line, nothing else'
yaml\t'YAML'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from pack" -l color -d 'When to use colour [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from pack" -l catalog -d 'Overlay catalog, a folder or a file; may be repeated, the last one wins' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from pack" -l config -d 'Config file instead of ./sky-accel.toml and the user\'s' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from pack" -l slice -d 'Slices by the memory that they must have, and compute: 10GB*20, 9.5GiB*20, 2g.10GB*20' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from pack" -l gpus -d 'GPUs that there are at most: what fits on them, and what is left' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from pack" -l onto -d 'GPUs that are there already, with what is on them: JSON, or the table of `nvidia-smi mig -lgi`; `-` is standard input' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from pack" -l to -d 'Print what makes the slices instead, for this tool' -r -f -a "nvidia-smi\t'Commands to make the slices'
nvidia-smi-undo\t'Commands to take all slices off again'
mig-parted\t'A configuration file for nvidia-mig-parted'
kubernetes\t'What containers ask for, with the device plugin\'s strategies mixed and single'
gpu-operator\t'A node label, or a configuration, for the NVIDIA GPU operator'
dra\t'Resource claim templates for the NVIDIA DRA driver'
flyte\t'Resources of the Flyte SDK'
gke\t'A node pool of Google Kubernetes Engine'
aks\t'A node pool of Azure Kubernetes Service'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from pack" -s q -l quiet -d 'Say only what went wrong, not notes and footers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from pack" -s v -l verbose -d 'Say more: where prices and figures are from'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from pack" -l explain -d 'Say on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from pack" -l no-config -d 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from pack" -l offline -d 'Never touch the network: with --live, cached answers alone'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from pack" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from pack" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand watch" -s o -l output -d 'Form of the output [default: table]' -r -f -a "table\t'Columns that fit the terminal'
wide\t'All columns'
json\t'One JSON object'
jsonl\t'One JSON object a line, one line a result'
csv\t'Comma-separated values with a header'
names\t'The provider\'s own id, one a line, nothing else'
yaml\t'YAML'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand watch" -l color -d 'When to use colour [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand watch" -l catalog -d 'Overlay catalog, a folder or a file; may be repeated, the last one wins' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand watch" -l config -d 'Config file instead of ./sky-accel.toml and the user\'s' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand watch" -l provider -d 'Only this provider: aws, runpod, vastai, verda, or one of an overlay; may be repeated' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand watch" -l region -d 'Only this region, pattern (eu-*) or country; may be repeated' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand watch" -l capacity-type -d 'How it is bought; by default ranked on demand, with the spot price beside it' -r -f -a "on-demand\t''
spot\t''
any\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand watch" -l max-price -d 'At most so many US dollars per hour for the whole machine' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand watch" -l limit -d 'At most so many rows' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand watch" -l interval -d 'How long to wait between two questions: 30s, 5m, 1h; from 5s' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand watch" -l timeout -d 'How long to go on: 30m, 12h, 7d; exit 1 when nothing was found by then' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand watch" -l exec -d 'Run this in a shell once, with the offer in SKY_ACCEL_OFFER_… variables' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand watch" -l disk -d 'Disk in GB that a marketplace\'s price is to include' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand watch" -s q -l quiet -d 'Say only what went wrong, not notes and footers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand watch" -s v -l verbose -d 'Say more: where prices and figures are from'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand watch" -l explain -d 'Say on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand watch" -l no-config -d 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand watch" -l offline -d 'Never touch the network: with --live, cached answers alone'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand watch" -l at-least -d 'Machines with more accelerators will do too'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand watch" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand watch" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand detect" -s o -l output -d 'Form of the output [default: table]' -r -f -a "table\t'Columns that fit the terminal'
wide\t'All columns'
json\t'One JSON object'
jsonl\t'One JSON object a line, one line a result'
csv\t'Comma-separated values with a header'
names\t'The provider\'s own id, one a line, nothing else'
yaml\t'YAML'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand detect" -l color -d 'When to use colour [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand detect" -l catalog -d 'Overlay catalog, a folder or a file; may be repeated, the last one wins' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand detect" -l config -d 'Config file instead of ./sky-accel.toml and the user\'s' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand detect" -l check -d 'Exit 0 when the machine has this, else 1; without a count one is enough' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand detect" -l from -d 'A recorded machine: a folder with sys, dev and what tools printed, or one such file' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand detect" -s q -l quiet -d 'Say only what went wrong, not notes and footers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand detect" -s v -l verbose -d 'Say more: where prices and figures are from'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand detect" -l explain -d 'Say on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand detect" -l no-config -d 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand detect" -l offline -d 'Never touch the network: with --live, cached answers alone'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand detect" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand detect" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand is" -s o -l output -d 'Form of the output [default: table]' -r -f -a "table\t'Columns that fit the terminal'
wide\t'All columns'
json\t'One JSON object'
jsonl\t'One JSON object a line, one line a result'
csv\t'Comma-separated values with a header'
names\t'The provider\'s own id, one a line, nothing else'
yaml\t'YAML'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand is" -l color -d 'When to use colour [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand is" -l catalog -d 'Overlay catalog, a folder or a file; may be repeated, the last one wins' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand is" -l config -d 'Config file instead of ./sky-accel.toml and the user\'s' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand is" -s q -l quiet -d 'Say only what went wrong, not notes and footers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand is" -s v -l verbose -d 'Say more: where prices and figures are from'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand is" -l explain -d 'Say on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand is" -l no-config -d 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand is" -l offline -d 'Never touch the network: with --live, cached answers alone'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand is" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand is" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and not __fish_seen_subcommand_from verify diff path update" -s o -l output -d 'Form of the output [default: table]' -r -f -a "table\t'Columns that fit the terminal'
wide\t'All columns'
json\t'One JSON object'
jsonl\t'One JSON object a line, one line a result'
csv\t'Comma-separated values with a header'
names\t'The provider\'s own id, one a line, nothing else'
yaml\t'YAML'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and not __fish_seen_subcommand_from verify diff path update" -l color -d 'When to use colour [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and not __fish_seen_subcommand_from verify diff path update" -l catalog -d 'Overlay catalog, a folder or a file; may be repeated, the last one wins' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and not __fish_seen_subcommand_from verify diff path update" -l config -d 'Config file instead of ./sky-accel.toml and the user\'s' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and not __fish_seen_subcommand_from verify diff path update" -s q -l quiet -d 'Say only what went wrong, not notes and footers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and not __fish_seen_subcommand_from verify diff path update" -s v -l verbose -d 'Say more: where prices and figures are from'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and not __fish_seen_subcommand_from verify diff path update" -l explain -d 'Say on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and not __fish_seen_subcommand_from verify diff path update" -l no-config -d 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and not __fish_seen_subcommand_from verify diff path update" -l offline -d 'Never touch the network: with --live, cached answers alone'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and not __fish_seen_subcommand_from verify diff path update" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and not __fish_seen_subcommand_from verify diff path update" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and not __fish_seen_subcommand_from verify diff path update" -f -a "verify" -d 'Check the catalog with its overlays, or with the paths given instead'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and not __fish_seen_subcommand_from verify diff path update" -f -a "diff" -d 'What differs between two catalogs, in words'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and not __fish_seen_subcommand_from verify diff path update" -f -a "path" -d 'Where the catalog and its overlays are'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and not __fish_seen_subcommand_from verify diff path update" -f -a "update" -d 'Ask the providers what they sell, and write it to your own overlay'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from verify" -s o -l output -d 'Form of the output [default: table]' -r -f -a "table\t'Columns that fit the terminal'
wide\t'All columns'
json\t'One JSON object'
jsonl\t'One JSON object a line, one line a result'
csv\t'Comma-separated values with a header'
names\t'The provider\'s own id, one a line, nothing else'
yaml\t'YAML'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from verify" -l color -d 'When to use colour [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from verify" -l catalog -d 'Overlay catalog, a folder or a file; may be repeated, the last one wins' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from verify" -l config -d 'Config file instead of ./sky-accel.toml and the user\'s' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from verify" -s q -l quiet -d 'Say only what went wrong, not notes and footers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from verify" -s v -l verbose -d 'Say more: where prices and figures are from'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from verify" -l explain -d 'Say on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from verify" -l no-config -d 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from verify" -l offline -d 'Never touch the network: with --live, cached answers alone'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from verify" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from verify" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from diff" -s o -l output -d 'Form of the output [default: table]' -r -f -a "table\t'Columns that fit the terminal'
wide\t'All columns'
json\t'One JSON object'
jsonl\t'One JSON object a line, one line a result'
csv\t'Comma-separated values with a header'
names\t'The provider\'s own id, one a line, nothing else'
yaml\t'YAML'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from diff" -l color -d 'When to use colour [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from diff" -l catalog -d 'Overlay catalog, a folder or a file; may be repeated, the last one wins' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from diff" -l config -d 'Config file instead of ./sky-accel.toml and the user\'s' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from diff" -s q -l quiet -d 'Say only what went wrong, not notes and footers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from diff" -s v -l verbose -d 'Say more: where prices and figures are from'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from diff" -l explain -d 'Say on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from diff" -l no-config -d 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from diff" -l offline -d 'Never touch the network: with --live, cached answers alone'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from diff" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from diff" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from path" -s o -l output -d 'Form of the output [default: table]' -r -f -a "table\t'Columns that fit the terminal'
wide\t'All columns'
json\t'One JSON object'
jsonl\t'One JSON object a line, one line a result'
csv\t'Comma-separated values with a header'
names\t'The provider\'s own id, one a line, nothing else'
yaml\t'YAML'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from path" -l color -d 'When to use colour [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from path" -l catalog -d 'Overlay catalog, a folder or a file; may be repeated, the last one wins' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from path" -l config -d 'Config file instead of ./sky-accel.toml and the user\'s' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from path" -s q -l quiet -d 'Say only what went wrong, not notes and footers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from path" -s v -l verbose -d 'Say more: where prices and figures are from'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from path" -l explain -d 'Say on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from path" -l no-config -d 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from path" -l offline -d 'Never touch the network: with --live, cached answers alone'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from path" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from path" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from update" -l provider -d 'Only this provider; may be repeated' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from update" -l into -d 'Folder of the overlay [default: catalog/ in the folder of your settings]' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from update" -l timeout -d 'Seconds that a provider has for its answer' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from update" -s o -l output -d 'Form of the output [default: table]' -r -f -a "table\t'Columns that fit the terminal'
wide\t'All columns'
json\t'One JSON object'
jsonl\t'One JSON object a line, one line a result'
csv\t'Comma-separated values with a header'
names\t'The provider\'s own id, one a line, nothing else'
yaml\t'YAML'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from update" -l color -d 'When to use colour [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from update" -l catalog -d 'Overlay catalog, a folder or a file; may be repeated, the last one wins' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from update" -l config -d 'Config file instead of ./sky-accel.toml and the user\'s' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from update" -l dry-run -d 'Write nothing, and tell what would change'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from update" -s q -l quiet -d 'Say only what went wrong, not notes and footers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from update" -s v -l verbose -d 'Say more: where prices and figures are from'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from update" -l explain -d 'Say on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from update" -l no-config -d 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from update" -l offline -d 'Never touch the network: with --live, cached answers alone'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from update" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from update" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and not __fish_seen_subcommand_from show" -s o -l output -d 'Form of the output [default: table]' -r -f -a "table\t'Columns that fit the terminal'
wide\t'All columns'
json\t'One JSON object'
jsonl\t'One JSON object a line, one line a result'
csv\t'Comma-separated values with a header'
names\t'The provider\'s own id, one a line, nothing else'
yaml\t'YAML'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and not __fish_seen_subcommand_from show" -l color -d 'When to use colour [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and not __fish_seen_subcommand_from show" -l catalog -d 'Overlay catalog, a folder or a file; may be repeated, the last one wins' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and not __fish_seen_subcommand_from show" -l config -d 'Config file instead of ./sky-accel.toml and the user\'s' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and not __fish_seen_subcommand_from show" -s q -l quiet -d 'Say only what went wrong, not notes and footers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and not __fish_seen_subcommand_from show" -s v -l verbose -d 'Say more: where prices and figures are from'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and not __fish_seen_subcommand_from show" -l explain -d 'Say on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and not __fish_seen_subcommand_from show" -l no-config -d 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and not __fish_seen_subcommand_from show" -l offline -d 'Never touch the network: with --live, cached answers alone'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and not __fish_seen_subcommand_from show" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and not __fish_seen_subcommand_from show" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and not __fish_seen_subcommand_from show" -f -a "show" -d 'Every setting, and the flag, variable or file that it came from'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and __fish_seen_subcommand_from show" -s o -l output -d 'Form of the output [default: table]' -r -f -a "table\t'Columns that fit the terminal'
wide\t'All columns'
json\t'One JSON object'
jsonl\t'One JSON object a line, one line a result'
csv\t'Comma-separated values with a header'
names\t'The provider\'s own id, one a line, nothing else'
yaml\t'YAML'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and __fish_seen_subcommand_from show" -l color -d 'When to use colour [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and __fish_seen_subcommand_from show" -l catalog -d 'Overlay catalog, a folder or a file; may be repeated, the last one wins' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and __fish_seen_subcommand_from show" -l config -d 'Config file instead of ./sky-accel.toml and the user\'s' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and __fish_seen_subcommand_from show" -s q -l quiet -d 'Say only what went wrong, not notes and footers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and __fish_seen_subcommand_from show" -s v -l verbose -d 'Say more: where prices and figures are from'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and __fish_seen_subcommand_from show" -l explain -d 'Say on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and __fish_seen_subcommand_from show" -l no-config -d 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and __fish_seen_subcommand_from show" -l offline -d 'Never touch the network: with --live, cached answers alone'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and __fish_seen_subcommand_from show" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand completions" -s o -l output -d 'Form of the output [default: table]' -r -f -a "table\t'Columns that fit the terminal'
wide\t'All columns'
json\t'One JSON object'
jsonl\t'One JSON object a line, one line a result'
csv\t'Comma-separated values with a header'
names\t'The provider\'s own id, one a line, nothing else'
yaml\t'YAML'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand completions" -l color -d 'When to use colour [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand completions" -l catalog -d 'Overlay catalog, a folder or a file; may be repeated, the last one wins' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand completions" -l config -d 'Config file instead of ./sky-accel.toml and the user\'s' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand completions" -s q -l quiet -d 'Say only what went wrong, not notes and footers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand completions" -s v -l verbose -d 'Say more: where prices and figures are from'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand completions" -l explain -d 'Say on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand completions" -l no-config -d 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand completions" -l offline -d 'Never touch the network: with --live, cached answers alone'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand completions" -l static -d 'A script that stands alone: it knows commands and options, and no names'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand completions" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand completions" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand help" -s o -l output -d 'Form of the output [default: table]' -r -f -a "table\t'Columns that fit the terminal'
wide\t'All columns'
json\t'One JSON object'
jsonl\t'One JSON object a line, one line a result'
csv\t'Comma-separated values with a header'
names\t'The provider\'s own id, one a line, nothing else'
yaml\t'YAML'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand help" -l color -d 'When to use colour [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand help" -l catalog -d 'Overlay catalog, a folder or a file; may be repeated, the last one wins' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand help" -l config -d 'Config file instead of ./sky-accel.toml and the user\'s' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand help" -s q -l quiet -d 'Say only what went wrong, not notes and footers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand help" -s v -l verbose -d 'Say more: where prices and figures are from'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand help" -l explain -d 'Say on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand help" -l no-config -d 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand help" -l offline -d 'Never touch the network: with --live, cached answers alone'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand help" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand man" -s o -l output -d 'Form of the output [default: table]' -r -f -a "table\t'Columns that fit the terminal'
wide\t'All columns'
json\t'One JSON object'
jsonl\t'One JSON object a line, one line a result'
csv\t'Comma-separated values with a header'
names\t'The provider\'s own id, one a line, nothing else'
yaml\t'YAML'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand man" -l color -d 'When to use colour [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand man" -l catalog -d 'Overlay catalog, a folder or a file; may be repeated, the last one wins' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand man" -l config -d 'Config file instead of ./sky-accel.toml and the user\'s' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand man" -s q -l quiet -d 'Say only what went wrong, not notes and footers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand man" -s v -l verbose -d 'Say more: where prices and figures are from'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand man" -l explain -d 'Say on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand man" -l no-config -d 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand man" -l offline -d 'Never touch the network: with --live, cached answers alone'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand man" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand man" -s V -l version -d 'Print version'
