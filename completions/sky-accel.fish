# Print an optspec for argparse to handle cmd's options that are independent of any subcommand.
function __fish_sky_accel_global_optspecs
    string join \n o/output= 0/null color= q/quiet v/verbose explain catalog= config= no-config offline insecure h/help V/version
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

complete -c sky-accel -n "__fish_sky_accel_needs_command" -s o -l output -d 'Output format [default: table]' -r -f -a "table\t'A table that fits the terminal'
wide\t'A table with all columns'
json\t'One JSON object'
jsonl\t'One JSON object per line, one line per result'
csv\t'Comma-separated values with a header'
names\t'Ids only, one per line; `provider/id` if the answer has several providers'
yaml\t'YAML'
html\t'A page for browsers, with pictures, all columns and all notes'"
complete -c sky-accel -n "__fish_sky_accel_needs_command" -l color -d 'When to use color [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_needs_command" -l catalog -d 'Add an overlay catalog (folder or file); repeatable, later ones override earlier ones' -r -F
complete -c sky-accel -n "__fish_sky_accel_needs_command" -l config -d 'Read this config file instead of ./sky-accel.toml and your user config.toml' -r -F
complete -c sky-accel -n "__fish_sky_accel_needs_command" -s 0 -l null -d 'End each line of `-o names` with NUL instead of a line feed, for xargs -0'
complete -c sky-accel -n "__fish_sky_accel_needs_command" -s q -l quiet -d 'Print only data, losses and errors: no notes, no footer'
complete -c sky-accel -n "__fish_sky_accel_needs_command" -s v -l verbose -d 'Print all notes, and the sources of prices and figures'
complete -c sky-accel -n "__fish_sky_accel_needs_command" -l explain -d 'Explain on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_needs_command" -l no-config -d 'Ignore config files, your catalog and SKY_ACCEL_* variables, for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_needs_command" -l offline -d 'Do not use the network: --live uses cached answers only'
complete -c sky-accel -n "__fish_sky_accel_needs_command" -l insecure -d 'Send keys to unencrypted base URLs (http://), where others can read them'
complete -c sky-accel -n "__fish_sky_accel_needs_command" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_needs_command" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_needs_command" -f -a "list" -d 'List the accelerators in the catalog'
complete -c sky-accel -n "__fish_sky_accel_needs_command" -f -a "show" -d 'Show all facts about an accelerator, a type or a provider'
complete -c sky-accel -n "__fish_sky_accel_needs_command" -f -a "compare" -d 'Compare accelerators figure by figure, with ratios to the first'
complete -c sky-accel -n "__fish_sky_accel_needs_command" -f -a "resolve" -d 'Find each provider\'s types, prices and regions for a spec'
complete -c sky-accel -n "__fish_sky_accel_needs_command" -f -a "bill" -d 'Compute the whole bill: machine, disk, traffic, starts'
complete -c sky-accel -n "__fish_sky_accel_needs_command" -f -a "mix" -d 'Split a load into reserved, on-demand and spot machines'
complete -c sky-accel -n "__fish_sky_accel_needs_command" -f -a "prices" -d 'Show whether a price is good'
complete -c sky-accel -n "__fish_sky_accel_needs_command" -f -a "browse" -d 'Browse offers in the terminal, and print your choice'
complete -c sky-accel -n "__fish_sky_accel_needs_command" -f -a "recommend" -d 'Recommend machines to rent for a model or a kind of work'
complete -c sky-accel -n "__fish_sky_accel_needs_command" -f -a "report" -d 'Write a recommendation or an answer as a web page'
complete -c sky-accel -n "__fish_sky_accel_needs_command" -f -a "web" -d 'Write a page that answers offline, in a browser'
complete -c sky-accel -n "__fish_sky_accel_needs_command" -f -a "fit" -d 'Check whether a model fits on hardware, term by term: exit 0 or 1'
complete -c sky-accel -n "__fish_sky_accel_needs_command" -f -a "models" -d 'List the models in the catalog, or show one'
complete -c sky-accel -n "__fish_sky_accel_needs_command" -f -a "plan" -d 'Rank offers to try, and write the plan for SkyPilot, Terraform, …'
complete -c sky-accel -n "__fish_sky_accel_needs_command" -f -a "convert" -d 'Convert a spec to another tool\'s syntax'
complete -c sky-accel -n "__fish_sky_accel_needs_command" -f -a "mig" -d 'Plan MIG slices: profiles, placements, the fewest GPUs'
complete -c sky-accel -n "__fish_sky_accel_needs_command" -f -a "watch" -d 'Poll the providers until an offer is in stock or cheap enough'
complete -c sky-accel -n "__fish_sky_accel_needs_command" -f -a "quota" -d 'Check whether your accounts\' quotas admit machines: exit 0 or 1'
complete -c sky-accel -n "__fish_sky_accel_needs_command" -f -a "live" -d 'Check the credentials for live answers'
complete -c sky-accel -n "__fish_sky_accel_needs_command" -f -a "detect" -d 'Detect this machine\'s accelerators, and where to rent the same'
complete -c sky-accel -n "__fish_sky_accel_needs_command" -f -a "is" -d 'Check the vendor, class or SDK of an accelerator: exit 0 or 1'
complete -c sky-accel -n "__fish_sky_accel_needs_command" -f -a "mcp" -d 'Serve the same answers to agents (Model Context Protocol)'
complete -c sky-accel -n "__fish_sky_accel_needs_command" -f -a "catalog" -d 'Check, compare, locate and update catalogs'
complete -c sky-accel -n "__fish_sky_accel_needs_command" -f -a "config" -d 'Show the settings and where each comes from'
complete -c sky-accel -n "__fish_sky_accel_needs_command" -f -a "completions" -d 'Print a shell completion script'
complete -c sky-accel -n "__fish_sky_accel_needs_command" -f -a "help" -d 'Explain a command, or a topic such as prices'
complete -c sky-accel -n "__fish_sky_accel_needs_command" -f -a "man" -d 'Print a manual page: sky-accel man plan | man -l -'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand list" -s o -l output -d 'Output format [default: table]' -r -f -a "table\t'A table that fits the terminal'
wide\t'A table with all columns'
json\t'One JSON object'
jsonl\t'One JSON object per line, one line per result'
csv\t'Comma-separated values with a header'
names\t'Ids only, one per line; `provider/id` if the answer has several providers'
yaml\t'YAML'
html\t'A page for browsers, with pictures, all columns and all notes'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand list" -l color -d 'When to use color [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand list" -l catalog -d 'Add an overlay catalog (folder or file); repeatable, later ones override earlier ones' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand list" -l config -d 'Read this config file instead of ./sky-accel.toml and your user config.toml' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand list" -l vendor -d 'Only this vendor: nvidia, amd, intel, google, aws, …' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand list" -l class -d 'Only this class: datacenter, workstation, consumer, asic or media' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand list" -l arch -d 'Only this architecture: hopper, ampere, cdna3, …' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand list" -l provider -d 'Only accelerators that this provider sells; repeatable' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand list" -l min-memory -d 'Only devices with at least this much memory, in GB unless a unit is given' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand list" -l sort -d 'Sort rows by this key [default: class, then newest first]' -r -f -a "name\t'By id'
memory\t'By memory per device'
bandwidth\t'By memory bandwidth'
tflops\t'By peak 16-bit rate, or the FP32 rate where no 16-bit rate is published'
tdp\t'By thermal design power'
year\t'By year of release'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand list" -l limit -d 'Show at most N rows' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand list" -l max-age -d 'Only accelerators and providers with a price that is at most this old (12h, 30d); exits 7 without a result' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand list" -s 0 -l null -d 'End each line of `-o names` with NUL instead of a line feed, for xargs -0'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand list" -s q -l quiet -d 'Print only data, losses and errors: no notes, no footer'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand list" -s v -l verbose -d 'Print all notes, and the sources of prices and figures'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand list" -l explain -d 'Explain on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand list" -l no-config -d 'Ignore config files, your catalog and SKY_ACCEL_* variables, for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand list" -l offline -d 'Do not use the network: --live uses cached answers only'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand list" -l insecure -d 'Send keys to unencrypted base URLs (http://), where others can read them'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand list" -l mig -d 'Only GPUs that support MIG'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand list" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand list" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand show" -s o -l output -d 'Output format [default: table]' -r -f -a "table\t'A table that fits the terminal'
wide\t'A table with all columns'
json\t'One JSON object'
jsonl\t'One JSON object per line, one line per result'
csv\t'Comma-separated values with a header'
names\t'Ids only, one per line; `provider/id` if the answer has several providers'
yaml\t'YAML'
html\t'A page for browsers, with pictures, all columns and all notes'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand show" -l color -d 'When to use color [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand show" -l catalog -d 'Add an overlay catalog (folder or file); repeatable, later ones override earlier ones' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand show" -l config -d 'Read this config file instead of ./sky-accel.toml and your user config.toml' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand show" -l max-age -d 'Only offers with a price that is at most this old (12h, 30d); exits 7 without a result' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand show" -s 0 -l null -d 'End each line of `-o names` with NUL instead of a line feed, for xargs -0'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand show" -s q -l quiet -d 'Print only data, losses and errors: no notes, no footer'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand show" -s v -l verbose -d 'Print all notes, and the sources of prices and figures'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand show" -l explain -d 'Explain on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand show" -l no-config -d 'Ignore config files, your catalog and SKY_ACCEL_* variables, for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand show" -l offline -d 'Do not use the network: --live uses cached answers only'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand show" -l insecure -d 'Send keys to unencrypted base URLs (http://), where others can read them'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand show" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand show" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -s o -l output -d 'Output format [default: table]' -r -f -a "table\t'A table that fits the terminal'
wide\t'A table with all columns'
json\t'One JSON object'
jsonl\t'One JSON object per line, one line per result'
csv\t'Comma-separated values with a header'
names\t'Ids only, one per line; `provider/id` if the answer has several providers'
yaml\t'YAML'
html\t'A page for browsers, with pictures, all columns and all notes'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l color -d 'When to use color [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l catalog -d 'Add an overlay catalog (folder or file); repeatable, later ones override earlier ones' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l config -d 'Read this config file instead of ./sky-accel.toml and your user config.toml' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l provider -d 'Only these: aws, hyperscalers; `!aws` excludes it' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l region -d 'Only these: us-east-1, eu-*, Germany, EU' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l capacity-type -d 'Capacity type to price: on-demand, spot or any' -r -f -a "on-demand\t'On-demand capacity only, ranked by the on-demand price'
spot\t'Ranked by the spot price'
any\t'Ranked by the lower of the two prices'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l tier -d 'Price tier of providers with several tiers: secure, community or any [default: the provider\'s own machines before those of private hosts]. For `recommend`: with `list`, its default, marketplaces, consumer cards and weak prices rank below other offers; with `any`, all rank together' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l max-price -d 'Exclude machines above this price per hour' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l max-age -d 'Only prices of at most this age: 12h, 30d' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l price -d 'Price that ranks and limits machines: likely (of today, estimated) or stated (as last seen) [default: likely]' -r -f -a "likely\t'The likely price of today'
stated\t'The price as its source states it, whatever its age'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l min-vcpu -d 'Only machines with at least this many vCPUs' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l min-host-memory -d 'Only machines with at least this much host memory: 256GB, 1TB' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l interconnect -d 'Only machines with this link, in a machine or between machines' -r -f -a "efa\t'Elastic Fabric Adapters between machines'
infiniband\t'InfiniBand between machines'
nvlink\t'NVLink inside a machine'
any\t'Any of these links'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l limit -d 'Show at most N rows' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l currency -d 'Show prices in this currency, such as EUR' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l commit -d 'Rank by committed prices: 1y, 3y, 7d or any' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l upfront -d 'Upfront payment of the commitment: none, partial or all [default: the smallest available]' -r -f -a "none\t'Nothing: every month is paid as it passes'
partial\t'A part; the rest is paid by the hour'
all\t'The whole term'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l model-size -d 'Number of parameters, for a model that the catalog does not know: 7B, 13B, 350M' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l assume -d 'Read a config.json of an unknown model type as this type: llama, qwen3, …' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l group-size -d 'Weights per group of a quantized format' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l kv-precision -d 'Format of the KV cache' -r -f -a "bf16\t''
fp8\t''
int8\t''
q8_0\t''
q4_0\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l max-context -d 'Tokens of the longest request that a server must admit, prompt and answer [default: up to twice the average]' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l batch -l micro-batch -d 'Concurrent sequences or images per data-parallel rank; in training, sequences per micro-batch' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l images -d 'Total number of images, or of videos: each device then generates its own' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l audio-hours -d 'Hours of speech to write down' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l steps -d 'Denoising steps of an image or video [default: from the model card]' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l height -d 'Height of an image or video in pixels [default: from the model card]' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l width -d 'Width of an image or video in pixels [default: from the model card]' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l frames -d 'Frames of a video [default: from the model card]' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l users -d 'Requests in flight at once' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l request-rate -d 'Requests per second, with Poisson arrivals' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l requests -d 'Total number of requests: the load ends with the last answer, and tokens/s are the average until then' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l max-ttft -d 'Maximum time to first token or answer: 2s, 500ms' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l min-speed -d 'Minimum output tokens per second of each user' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l max-tpot -d 'Maximum time per output token: 50ms; instead of a minimum speed' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l prefix-cache -d 'Fraction of the prompt that is already in the cache, from 0 to 1' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l images-per-request -d 'Images of each prompt on average, beside the tokens of its text' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l image-tokens -d 'Tokens of an image [default: of 1024 × 1024 pixels]' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l speculative -d 'Speculative tokens per step, and the fraction that is accepted: 3:0.7' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l length-spread -d 'Spread S of prompt and output lengths L, which are uniform in [(1 − S) × L, L]; 0 if all are equal' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l admission-interval -d 'ServingEngine steps between scheduling new requests (SGLang, TensorRT-LLM)' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l disaggregated -d 'Prefill and decode on separate replicas; with grpo and ppo, generate and train on separate devices' -r -f -a "true\t''
false\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l engine-version -d 'Version of the serving engine; the newest by default' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l calibrate -d 'A measured speed that all speeds are scaled to: tokens_per_s=4100' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l energy -d 'Show the power of the devices, and the energy of a million tokens or of an image; JSON always has them' -r -f -a "true\t''
false\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l gpu-memory-utilization -d 'Fraction of device memory for vLLM; for SGLang and TensorRT-LLM, of the memory left after weights' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l max-batched-tokens -d 'Maximum tokens that a serving engine computes in one step' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l max-num-seqs -d 'Maximum sequences that a serving engine decodes at once' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l sampling -d 'How tokens are chosen [default: as the model\'s generation config]' -r -f -a "greedy\t''
top-p\t''
penalties\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l attention -d 'Attention implementation' -r -f -a "flash\t''
sdpa\t''
eager\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l logits -d 'Positions for which logits are computed' -r -f -a "last\t''
all\t''
chunked\t''
none\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l gpu-layers -d 'Layers that llama.cpp computes on the devices, like its -ngl; the host computes the others' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l n-cpu-moe -d 'First layers whose experts llama.cpp keeps and computes on the host, like its --n-cpu-moe' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l host-bandwidth -d 'Peak bandwidth of the host\'s memory in GB/s, for work on the host: 51.2 for two channels of DDR4-3200' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l compile -d 'Compile the training step' -r -f -a "true\t''
false\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l optimizer -d 'Optimizer' -r -f -a "adamw\t''
adamw-8bit\t''
adafactor\t''
muon\t''
sgd\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l optimizer-in-backward -d 'Run the optimizer during the backward pass, which frees each gradient early' -r -f -a "true\t''
false\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l master-weights -d 'Copy of the weights that the optimizer keeps: fp32 or none' -r -f -a "fp32\t''
none\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l parameter-precision -d 'Format of trained parameters' -r -f -a "bf16\t''
fp32\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l gradient-precision -d 'Format of gradients' -r -f -a "bf16\t''
fp32\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l checkpointing -d 'Activations to recompute in the backward pass' -r -f -a "none\t''
selective\t''
full\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l lora-rank -d 'Rank of the LoRA adapters' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l lora-targets -d 'Matrices that get LoRA adapters' -r -f -a "qv\t''
attention\t''
all-linear\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l offload -d 'Training state to keep in host memory' -r -f -a "none\t''
optimizer\t''
all\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l gradient-accumulation -d 'Micro-batches per rank in each optimizer step' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l global-batch -d 'Sequences of all ranks in each optimizer step' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l virtual-pipeline -d 'Interleaved parts of each pipeline stage, which shorten the pipeline\'s idle time' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l packed -d 'Average tokens of the examples that are packed into a training sequence' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l modules-to-save -d 'Modules that are trained in full beside adapters: embeddings, head' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l rollouts -d 'Sequences that grpo and ppo generate for a step' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l off-policy-steps -d 'Maximum age of rollouts in optimizer steps, where separate devices generate them' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l tensor-parallel -d 'Tensor parallelism: devices that share each matrix' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l pipeline-parallel -d 'Pipeline parallelism: devices that share the layers' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l data-parallel -d 'Data parallelism: groups of devices that process separate batches' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l context-parallel -d 'Context parallelism: devices that share each sequence, image or video' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l expert-parallel -d 'Expert parallelism: devices that share the experts' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l zero-stage -d 'Shard over data-parallel devices: 1 the optimizer, 2 also gradients, 3 also weights (FSDP)' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l shard-groups -d 'Groups of devices that each hold all of the sharded state: hybrid sharding' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l workload -d 'Work: inference, lora, qlora, full, …' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l context -d 'Tokens of a prompt or a sequence: 4096, 32k' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l generate -d 'Tokens generated after the prompt' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l engine -d 'vllm, sglang, llama.cpp, tensorrt-llm, …' -r -f -a "none\t''
transformers\t''
vllm\t''
sglang\t''
llama.cpp\t''
tensorrt-llm\t''
deepspeed\t''
torchtitan\t''
torchtune\t''
litgpt\t''
ms-swift\t''
unsloth\t''
axolotl\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l model -d 'Name (Llama-3.1-8B, Qwen/Qwen3-32B), a config.json, a folder with safetensors, or a GGUF file' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l precision -d 'Weights: bf16, fp8, awq, gguf:Q4_K_M, …' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l reference-model -d 'Reference model of dpo, grpo and ppo: a name, a file, or none; by default the initial model' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l teacher-model -d 'Teacher model of distill' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -s 0 -l null -d 'End each line of `-o names` with NUL instead of a line feed, for xargs -0'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -s q -l quiet -d 'Print only data, losses and errors: no notes, no footer'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -s v -l verbose -d 'Print all notes, and the sources of prices and figures'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l explain -d 'Explain on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l no-config -d 'Ignore config files, your catalog and SKY_ACCEL_* variables, for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l offline -d 'Do not use the network: --live uses cached answers only'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l insecure -d 'Send keys to unencrypted base URLs (http://), where others can read them'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -l available -d 'Leave out machines that are known to be out of stock or excluded by a quota'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand compare" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -s o -l output -d 'Output format [default: table]' -r -f -a "table\t'A table that fits the terminal'
wide\t'A table with all columns'
json\t'One JSON object'
jsonl\t'One JSON object per line, one line per result'
csv\t'Comma-separated values with a header'
names\t'Ids only, one per line; `provider/id` if the answer has several providers'
yaml\t'YAML'
html\t'A page for browsers, with pictures, all columns and all notes'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l color -d 'When to use color [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l catalog -d 'Add an overlay catalog (folder or file); repeatable, later ones override earlier ones' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l config -d 'Read this config file instead of ./sky-accel.toml and your user config.toml' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l provider -d 'Only these: aws, hyperscalers; `!aws` excludes it' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l region -d 'Only these: us-east-1, eu-*, Germany, EU' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l capacity-type -d 'Capacity type to price: on-demand, spot or any' -r -f -a "on-demand\t'On-demand capacity only, ranked by the on-demand price'
spot\t'Ranked by the spot price'
any\t'Ranked by the lower of the two prices'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l tier -d 'Price tier of providers with several tiers: secure, community or any [default: the provider\'s own machines before those of private hosts]. For `recommend`: with `list`, its default, marketplaces, consumer cards and weak prices rank below other offers; with `any`, all rank together' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l max-price -d 'Exclude machines above this price per hour' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l max-age -d 'Only prices of at most this age: 12h, 30d' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l price -d 'Price that ranks and limits machines: likely (of today, estimated) or stated (as last seen) [default: likely]' -r -f -a "likely\t'The likely price of today'
stated\t'The price as its source states it, whatever its age'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l min-vcpu -d 'Only machines with at least this many vCPUs' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l min-host-memory -d 'Only machines with at least this much host memory: 256GB, 1TB' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l interconnect -d 'Only machines with this link, in a machine or between machines' -r -f -a "efa\t'Elastic Fabric Adapters between machines'
infiniband\t'InfiniBand between machines'
nvlink\t'NVLink inside a machine'
any\t'Any of these links'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l limit -d 'Show at most N rows' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l currency -d 'Show prices in this currency, such as EUR' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l hours -d 'Add the total for this time: 100, 90m or 2d' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l commit -d 'Rank by committed prices: 1y, 3y, 7d or any' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l upfront -d 'Upfront payment of the commitment: none, partial or all [default: the smallest available]' -r -f -a "none\t'Nothing: every month is paid as it passes'
partial\t'A part; the rest is paid by the hour'
all\t'The whole term'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l sort -d 'Sort rows by this key [default: price]' -r -f -a "price\t'USD per hour for the whole machine'
price-per-gpu\t'USD per hour for one accelerator'
price-per-gb\t'USD per hour for one GB of device memory, in marketed GB'
price-per-tflop\t'USD per hour for one TFLOPS of the headline rate: dense 16-bit, or FP32 where no 16-bit rate is published'
obtainability\t'Stock first (in stock, little stock, unknown), then USD per hour for the whole machine'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l group-by -d 'Fold rows by this key' -r -f -a "accelerator\t'The accelerator'
provider\t'The provider'
region\t'The region of a provider'
count\t'The number of accelerators in one machine'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l timeout -d 'Timeout for each provider, up to 10m; a number without a unit is in seconds' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l capacity-blocks -d 'Show blocks of AWS and Google Cloud that can be reserved for this many hours [default without a value: 24]' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l nodes -d 'Ask for this many machines together: spot scores, capacity blocks and quotas' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l disk -d 'Include this much disk in marketplace prices' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -s 0 -l null -d 'End each line of `-o names` with NUL instead of a line feed, for xargs -0'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -s q -l quiet -d 'Print only data, losses and errors: no notes, no footer'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -s v -l verbose -d 'Print all notes, and the sources of prices and figures'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l explain -d 'Explain on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l no-config -d 'Ignore config files, your catalog and SKY_ACCEL_* variables, for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l offline -d 'Do not use the network: --live uses cached answers only'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l insecure -d 'Send keys to unencrypted base URLs (http://), where others can read them'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l available -d 'Leave out machines that are known to be out of stock or excluded by a quota'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l month -d 'Add the total for 730 hours'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l year -d 'Add the total for 8,760 hours'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l at-least -d 'Also match machines with more accelerators'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l map -d 'Show prices by region as a heat map'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l all -d 'Show every row, not only the ten best'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l live -d 'Query the providers for current offers, prices and stock'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l public -d 'Also query without a key where a provider\'s terms restrict automated access: RunPod, Vast.ai'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l refresh -d 'Query again even if an answer is cached'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l spot-scores -d 'Ask AWS for spot placement scores (1 to 10) too; Azure and Google Cloud always report their own scores'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -l check-quota -d 'Check whether the account\'s quotas allow the machines, where a provider reports quotas, and show what is left'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand resolve" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand bill" -s o -l output -d 'Output format [default: table]' -r -f -a "table\t'A table that fits the terminal'
wide\t'A table with all columns'
json\t'One JSON object'
jsonl\t'One JSON object per line, one line per result'
csv\t'Comma-separated values with a header'
names\t'Ids only, one per line; `provider/id` if the answer has several providers'
yaml\t'YAML'
html\t'A page for browsers, with pictures, all columns and all notes'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand bill" -l color -d 'When to use color [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand bill" -l catalog -d 'Add an overlay catalog (folder or file); repeatable, later ones override earlier ones' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand bill" -l config -d 'Read this config file instead of ./sky-accel.toml and your user config.toml' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand bill" -l hours -d 'Time of work: 100, 90m, 2d [default: 730 hours]' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand bill" -l model -d 'Download the checkpoint of this model' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand bill" -l commit -d 'Rank by committed prices: 1y, 3y, 7d or any' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand bill" -l upfront -d 'Upfront payment of the commitment: none, partial or all [default: the smallest available]' -r -f -a "none\t'Nothing: every month is paid as it passes'
partial\t'A part; the rest is paid by the hour'
all\t'The whole term'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand bill" -l provider -d 'Only these: aws, hyperscalers; `!aws` excludes it' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand bill" -l region -d 'Only these: us-east-1, eu-*, Germany, EU' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand bill" -l capacity-type -d 'Capacity type to price: on-demand, spot or any' -r -f -a "on-demand\t'On-demand capacity only, ranked by the on-demand price'
spot\t'Ranked by the spot price'
any\t'Ranked by the lower of the two prices'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand bill" -l tier -d 'Price tier of providers with several tiers: secure, community or any [default: the provider\'s own machines before those of private hosts]. For `recommend`: with `list`, its default, marketplaces, consumer cards and weak prices rank below other offers; with `any`, all rank together' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand bill" -l max-price -d 'Exclude machines above this price per hour' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand bill" -l max-age -d 'Only prices of at most this age: 12h, 30d' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand bill" -l price -d 'Price that ranks and limits machines: likely (of today, estimated) or stated (as last seen) [default: likely]' -r -f -a "likely\t'The likely price of today'
stated\t'The price as its source states it, whatever its age'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand bill" -l min-vcpu -d 'Only machines with at least this many vCPUs' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand bill" -l min-host-memory -d 'Only machines with at least this much host memory: 256GB, 1TB' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand bill" -l interconnect -d 'Only machines with this link, in a machine or between machines' -r -f -a "efa\t'Elastic Fabric Adapters between machines'
infiniband\t'InfiniBand between machines'
nvlink\t'NVLink inside a machine'
any\t'Any of these links'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand bill" -l limit -d 'Show at most N rows' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand bill" -l currency -d 'Show prices in this currency, such as EUR' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand bill" -l sessions -d 'Number of sessions in a month' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand bill" -l hours-per-session -d 'Time of work in each session: 3, 90m' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand bill" -l storage -d 'Disk that each machine keeps: 200GB, 1TB' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand bill" -l egress -d 'Traffic to the internet: 50GB, 2TB' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand bill" -l ingress -d 'Traffic from the internet, without the checkpoint: 50GB' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand bill" -l idle -d 'Idle time at the end of each session: 15m' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand bill" -l start -d 'Time of each start: 5m [default: as the catalog has it for the provider]' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand bill" -l bandwidth -d 'Bandwidth of the download in Gbit/s [default: 1]' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand bill" -l ipv4 -d 'Public IPv4 addresses of each machine [default: 1]' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand bill" -s 0 -l null -d 'End each line of `-o names` with NUL instead of a line feed, for xargs -0'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand bill" -s q -l quiet -d 'Print only data, losses and errors: no notes, no footer'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand bill" -s v -l verbose -d 'Print all notes, and the sources of prices and figures'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand bill" -l explain -d 'Explain on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand bill" -l no-config -d 'Ignore config files, your catalog and SKY_ACCEL_* variables, for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand bill" -l offline -d 'Do not use the network: --live uses cached answers only'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand bill" -l insecure -d 'Send keys to unencrypted base URLs (http://), where others can read them'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand bill" -l month -d 'Bill a whole month, with its time off'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand bill" -l live -d 'Download the configuration of --model organization/name or hf:organization/name from its hub'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand bill" -l available -d 'Leave out machines that are known to be out of stock or excluded by a quota'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand bill" -l all -d 'Show every row, not the best of each provider'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand bill" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand bill" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mix" -s o -l output -d 'Output format [default: table]' -r -f -a "table\t'A table that fits the terminal'
wide\t'A table with all columns'
json\t'One JSON object'
jsonl\t'One JSON object per line, one line per result'
csv\t'Comma-separated values with a header'
names\t'Ids only, one per line; `provider/id` if the answer has several providers'
yaml\t'YAML'
html\t'A page for browsers, with pictures, all columns and all notes'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mix" -l color -d 'When to use color [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mix" -l catalog -d 'Add an overlay catalog (folder or file); repeatable, later ones override earlier ones' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mix" -l config -d 'Read this config file instead of ./sky-accel.toml and your user config.toml' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mix" -l profile -d 'Machines that are needed in each hour of a week: weekdays:9-18=8,else=2' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mix" -l base-hours -d 'Hours of a month that each machine is needed, such as 730,730,120' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mix" -l spot -d 'Maximum number of spot machines at once, which the provider may take back' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mix" -l commit -d 'Rank by committed prices: 1y, 3y, 7d or any' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mix" -l upfront -d 'Upfront payment of the commitment: none, partial or all [default: the smallest available]' -r -f -a "none\t'Nothing: every month is paid as it passes'
partial\t'A part; the rest is paid by the hour'
all\t'The whole term'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mix" -l provider -d 'Only these: aws, hyperscalers; `!aws` excludes it' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mix" -l region -d 'Only these: us-east-1, eu-*, Germany, EU' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mix" -l capacity-type -d 'Capacity type to price: on-demand, spot or any' -r -f -a "on-demand\t'On-demand capacity only, ranked by the on-demand price'
spot\t'Ranked by the spot price'
any\t'Ranked by the lower of the two prices'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mix" -l tier -d 'Price tier of providers with several tiers: secure, community or any [default: the provider\'s own machines before those of private hosts]. For `recommend`: with `list`, its default, marketplaces, consumer cards and weak prices rank below other offers; with `any`, all rank together' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mix" -l max-price -d 'Exclude machines above this price per hour' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mix" -l max-age -d 'Only prices of at most this age: 12h, 30d' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mix" -l price -d 'Price that ranks and limits machines: likely (of today, estimated) or stated (as last seen) [default: likely]' -r -f -a "likely\t'The likely price of today'
stated\t'The price as its source states it, whatever its age'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mix" -l min-vcpu -d 'Only machines with at least this many vCPUs' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mix" -l min-host-memory -d 'Only machines with at least this much host memory: 256GB, 1TB' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mix" -l interconnect -d 'Only machines with this link, in a machine or between machines' -r -f -a "efa\t'Elastic Fabric Adapters between machines'
infiniband\t'InfiniBand between machines'
nvlink\t'NVLink inside a machine'
any\t'Any of these links'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mix" -l limit -d 'Show at most N rows' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mix" -l currency -d 'Show prices in this currency, such as EUR' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mix" -s 0 -l null -d 'End each line of `-o names` with NUL instead of a line feed, for xargs -0'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mix" -s q -l quiet -d 'Print only data, losses and errors: no notes, no footer'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mix" -s v -l verbose -d 'Print all notes, and the sources of prices and figures'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mix" -l explain -d 'Explain on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mix" -l no-config -d 'Ignore config files, your catalog and SKY_ACCEL_* variables, for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mix" -l offline -d 'Do not use the network: --live uses cached answers only'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mix" -l insecure -d 'Send keys to unencrypted base URLs (http://), where others can read them'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mix" -l available -d 'Leave out machines that are known to be out of stock or excluded by a quota'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mix" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mix" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand prices" -s o -l output -d 'Output format [default: table]' -r -f -a "table\t'A table that fits the terminal'
wide\t'A table with all columns'
json\t'One JSON object'
jsonl\t'One JSON object per line, one line per result'
csv\t'Comma-separated values with a header'
names\t'Ids only, one per line; `provider/id` if the answer has several providers'
yaml\t'YAML'
html\t'A page for browsers, with pictures, all columns and all notes'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand prices" -l color -d 'When to use color [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand prices" -l catalog -d 'Add an overlay catalog (folder or file); repeatable, later ones override earlier ones' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand prices" -l config -d 'Read this config file instead of ./sky-accel.toml and your user config.toml' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand prices" -l provider -d 'Only prices of these providers or groups (hyperscalers, marketplaces, …); `!aws` excludes one; repeatable' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand prices" -l capacity-type -d 'Only this capacity type: on-demand, spot or any [default: any]' -r -f -a "on-demand\t'On-demand capacity only, ranked by the on-demand price'
spot\t'Ranked by the spot price'
any\t'Ranked by the lower of the two prices'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand prices" -l max-age -d 'Only prices of today that are at most this old (12h, 30d); exits 7 if no price is left' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand prices" -l currency -d 'Show prices in this currency (EUR, GBP, …), at a dated rate of the catalog' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand prices" -s 0 -l null -d 'End each line of `-o names` with NUL instead of a line feed, for xargs -0'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand prices" -s q -l quiet -d 'Print only data, losses and errors: no notes, no footer'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand prices" -s v -l verbose -d 'Print all notes, and the sources of prices and figures'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand prices" -l explain -d 'Explain on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand prices" -l no-config -d 'Ignore config files, your catalog and SKY_ACCEL_* variables, for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand prices" -l offline -d 'Do not use the network: --live uses cached answers only'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand prices" -l insecure -d 'Send keys to unencrypted base URLs (http://), where others can read them'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand prices" -l history -d 'Print the dated prices of the past themselves'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand prices" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand prices" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -s o -l output -d 'Output format of the choice [default: names]' -r -f -a "names\t'The id of the machine; `provider/id` if the choices have several providers'
json\t'The JSON document of `resolve`'
spec\t'A spec, such as H100-80GB-SXM:x8'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l color -d 'When to use color [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l catalog -d 'Add an overlay catalog (folder or file); repeatable, later ones override earlier ones' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l config -d 'Read this config file instead of ./sky-accel.toml and your user config.toml' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l provider -d 'Only these: aws, hyperscalers; `!aws` excludes it' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l region -d 'Only these: us-east-1, eu-*, Germany, EU' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l capacity-type -d 'Capacity type to price: on-demand, spot or any' -r -f -a "on-demand\t'On-demand capacity only, ranked by the on-demand price'
spot\t'Ranked by the spot price'
any\t'Ranked by the lower of the two prices'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l tier -d 'Price tier of providers with several tiers: secure, community or any [default: the provider\'s own machines before those of private hosts]. For `recommend`: with `list`, its default, marketplaces, consumer cards and weak prices rank below other offers; with `any`, all rank together' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l max-price -d 'Exclude machines above this price per hour' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l max-age -d 'Only prices of at most this age: 12h, 30d' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l price -d 'Price that ranks and limits machines: likely (of today, estimated) or stated (as last seen) [default: likely]' -r -f -a "likely\t'The likely price of today'
stated\t'The price as its source states it, whatever its age'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l min-vcpu -d 'Only machines with at least this many vCPUs' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l min-host-memory -d 'Only machines with at least this much host memory: 256GB, 1TB' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l interconnect -d 'Only machines with this link, in a machine or between machines' -r -f -a "efa\t'Elastic Fabric Adapters between machines'
infiniband\t'InfiniBand between machines'
nvlink\t'NVLink inside a machine'
any\t'Any of these links'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l limit -d 'Show at most N rows' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l currency -d 'Show prices in this currency, such as EUR' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l timeout -d 'Timeout for each provider, up to 10m; a number without a unit is in seconds' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l model-size -d 'Number of parameters, for a model that the catalog does not know: 7B, 13B, 350M' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l assume -d 'Read a config.json of an unknown model type as this type: llama, qwen3, …' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l group-size -d 'Weights per group of a quantized format' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l kv-precision -d 'Format of the KV cache' -r -f -a "bf16\t''
fp8\t''
int8\t''
q8_0\t''
q4_0\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l max-context -d 'Tokens of the longest request that a server must admit, prompt and answer [default: up to twice the average]' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l batch -l micro-batch -d 'Concurrent sequences or images per data-parallel rank; in training, sequences per micro-batch' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l images -d 'Total number of images, or of videos: each device then generates its own' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l audio-hours -d 'Hours of speech to write down' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l steps -d 'Denoising steps of an image or video [default: from the model card]' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l height -d 'Height of an image or video in pixels [default: from the model card]' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l width -d 'Width of an image or video in pixels [default: from the model card]' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l frames -d 'Frames of a video [default: from the model card]' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l users -d 'Requests in flight at once' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l request-rate -d 'Requests per second, with Poisson arrivals' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l requests -d 'Total number of requests: the load ends with the last answer, and tokens/s are the average until then' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l max-ttft -d 'Maximum time to first token or answer: 2s, 500ms' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l min-speed -d 'Minimum output tokens per second of each user' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l max-tpot -d 'Maximum time per output token: 50ms; instead of a minimum speed' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l prefix-cache -d 'Fraction of the prompt that is already in the cache, from 0 to 1' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l images-per-request -d 'Images of each prompt on average, beside the tokens of its text' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l image-tokens -d 'Tokens of an image [default: of 1024 × 1024 pixels]' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l speculative -d 'Speculative tokens per step, and the fraction that is accepted: 3:0.7' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l length-spread -d 'Spread S of prompt and output lengths L, which are uniform in [(1 − S) × L, L]; 0 if all are equal' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l admission-interval -d 'ServingEngine steps between scheduling new requests (SGLang, TensorRT-LLM)' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l disaggregated -d 'Prefill and decode on separate replicas; with grpo and ppo, generate and train on separate devices' -r -f -a "true\t''
false\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l engine-version -d 'Version of the serving engine; the newest by default' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l calibrate -d 'A measured speed that all speeds are scaled to: tokens_per_s=4100' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l energy -d 'Show the power of the devices, and the energy of a million tokens or of an image; JSON always has them' -r -f -a "true\t''
false\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l gpu-memory-utilization -d 'Fraction of device memory for vLLM; for SGLang and TensorRT-LLM, of the memory left after weights' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l max-batched-tokens -d 'Maximum tokens that a serving engine computes in one step' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l max-num-seqs -d 'Maximum sequences that a serving engine decodes at once' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l sampling -d 'How tokens are chosen [default: as the model\'s generation config]' -r -f -a "greedy\t''
top-p\t''
penalties\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l attention -d 'Attention implementation' -r -f -a "flash\t''
sdpa\t''
eager\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l logits -d 'Positions for which logits are computed' -r -f -a "last\t''
all\t''
chunked\t''
none\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l gpu-layers -d 'Layers that llama.cpp computes on the devices, like its -ngl; the host computes the others' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l n-cpu-moe -d 'First layers whose experts llama.cpp keeps and computes on the host, like its --n-cpu-moe' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l host-bandwidth -d 'Peak bandwidth of the host\'s memory in GB/s, for work on the host: 51.2 for two channels of DDR4-3200' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l compile -d 'Compile the training step' -r -f -a "true\t''
false\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l optimizer -d 'Optimizer' -r -f -a "adamw\t''
adamw-8bit\t''
adafactor\t''
muon\t''
sgd\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l optimizer-in-backward -d 'Run the optimizer during the backward pass, which frees each gradient early' -r -f -a "true\t''
false\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l master-weights -d 'Copy of the weights that the optimizer keeps: fp32 or none' -r -f -a "fp32\t''
none\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l parameter-precision -d 'Format of trained parameters' -r -f -a "bf16\t''
fp32\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l gradient-precision -d 'Format of gradients' -r -f -a "bf16\t''
fp32\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l checkpointing -d 'Activations to recompute in the backward pass' -r -f -a "none\t''
selective\t''
full\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l lora-rank -d 'Rank of the LoRA adapters' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l lora-targets -d 'Matrices that get LoRA adapters' -r -f -a "qv\t''
attention\t''
all-linear\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l offload -d 'Training state to keep in host memory' -r -f -a "none\t''
optimizer\t''
all\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l gradient-accumulation -d 'Micro-batches per rank in each optimizer step' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l global-batch -d 'Sequences of all ranks in each optimizer step' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l virtual-pipeline -d 'Interleaved parts of each pipeline stage, which shorten the pipeline\'s idle time' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l packed -d 'Average tokens of the examples that are packed into a training sequence' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l modules-to-save -d 'Modules that are trained in full beside adapters: embeddings, head' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l rollouts -d 'Sequences that grpo and ppo generate for a step' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l off-policy-steps -d 'Maximum age of rollouts in optimizer steps, where separate devices generate them' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l tensor-parallel -d 'Tensor parallelism: devices that share each matrix' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l pipeline-parallel -d 'Pipeline parallelism: devices that share the layers' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l data-parallel -d 'Data parallelism: groups of devices that process separate batches' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l context-parallel -d 'Context parallelism: devices that share each sequence, image or video' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l expert-parallel -d 'Expert parallelism: devices that share the experts' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l zero-stage -d 'Shard over data-parallel devices: 1 the optimizer, 2 also gradients, 3 also weights (FSDP)' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l shard-groups -d 'Groups of devices that each hold all of the sharded state: hybrid sharding' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l workload -d 'Work: inference, lora, qlora, full, …' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l context -d 'Tokens of a prompt or a sequence: 4096, 32k' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l generate -d 'Tokens generated after the prompt' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l engine -d 'vllm, sglang, llama.cpp, tensorrt-llm, …' -r -f -a "none\t''
transformers\t''
vllm\t''
sglang\t''
llama.cpp\t''
tensorrt-llm\t''
deepspeed\t''
torchtitan\t''
torchtune\t''
litgpt\t''
ms-swift\t''
unsloth\t''
axolotl\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l model -d 'Name (Llama-3.1-8B, Qwen/Qwen3-32B), a config.json, a folder with safetensors, or a GGUF file' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l precision -d 'Weights: bf16, fp8, awq, gguf:Q4_K_M, …' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l reference-model -d 'Reference model of dpo, grpo and ppo: a name, a file, or none; by default the initial model' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l teacher-model -d 'Teacher model of distill' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -s 0 -l null -d 'End each line of `-o names` with NUL instead of a line feed, for xargs -0'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -s q -l quiet -d 'Print only data, losses and errors: no notes, no footer'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -s v -l verbose -d 'Print all notes, and the sources of prices and figures'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l explain -d 'Explain on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l no-config -d 'Ignore config files, your catalog and SKY_ACCEL_* variables, for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l offline -d 'Do not use the network: --live uses cached answers only'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l insecure -d 'Send keys to unencrypted base URLs (http://), where others can read them'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l available -d 'Leave out machines that are known to be out of stock or excluded by a quota'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l live -d 'Query the providers at start, as Ctrl-R does'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l public -d 'Also query without a key where a provider\'s terms restrict automated access: RunPod, Vast.ai'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -l refresh -d 'Query again even if an answer is cached'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand browse" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -s o -l output -d 'Output format [default: table]' -r -f -a "table\t'A table that fits the terminal'
wide\t'A table with all columns'
json\t'One JSON object'
jsonl\t'One JSON object per line, one line per result'
csv\t'Comma-separated values with a header'
names\t'Ids only, one per line; `provider/id` if the answer has several providers'
yaml\t'YAML'
html\t'A page for browsers, with pictures, all columns and all notes'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l color -d 'When to use color [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l catalog -d 'Add an overlay catalog (folder or file); repeatable, later ones override earlier ones' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l config -d 'Read this config file instead of ./sky-accel.toml and your user config.toml' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l model-size -d 'Number of parameters, for a model that the catalog does not know: 7B, 13B, 350M' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l assume -d 'Read a config.json of an unknown model type as this type: llama, qwen3, …' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l group-size -d 'Weights per group of a quantized format' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l kv-precision -d 'Format of the KV cache' -r -f -a "bf16\t''
fp8\t''
int8\t''
q8_0\t''
q4_0\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l max-context -d 'Tokens of the longest request that a server must admit, prompt and answer [default: up to twice the average]' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l batch -l micro-batch -d 'Concurrent sequences or images per data-parallel rank; in training, sequences per micro-batch' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l images -d 'Total number of images, or of videos: each device then generates its own' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l audio-hours -d 'Hours of speech to write down' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l steps -d 'Denoising steps of an image or video [default: from the model card]' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l height -d 'Height of an image or video in pixels [default: from the model card]' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l width -d 'Width of an image or video in pixels [default: from the model card]' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l frames -d 'Frames of a video [default: from the model card]' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l users -d 'Requests in flight at once' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l request-rate -d 'Requests per second, with Poisson arrivals' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l requests -d 'Total number of requests: the load ends with the last answer, and tokens/s are the average until then' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l max-ttft -d 'Maximum time to first token or answer: 2s, 500ms' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l min-speed -d 'Minimum output tokens per second of each user' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l max-tpot -d 'Maximum time per output token: 50ms; instead of a minimum speed' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l prefix-cache -d 'Fraction of the prompt that is already in the cache, from 0 to 1' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l images-per-request -d 'Images of each prompt on average, beside the tokens of its text' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l image-tokens -d 'Tokens of an image [default: of 1024 × 1024 pixels]' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l speculative -d 'Speculative tokens per step, and the fraction that is accepted: 3:0.7' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l length-spread -d 'Spread S of prompt and output lengths L, which are uniform in [(1 − S) × L, L]; 0 if all are equal' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l admission-interval -d 'ServingEngine steps between scheduling new requests (SGLang, TensorRT-LLM)' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l disaggregated -d 'Prefill and decode on separate replicas; with grpo and ppo, generate and train on separate devices' -r -f -a "true\t''
false\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l engine-version -d 'Version of the serving engine; the newest by default' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l calibrate -d 'A measured speed that all speeds are scaled to: tokens_per_s=4100' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l energy -d 'Show the power of the devices, and the energy of a million tokens or of an image; JSON always has them' -r -f -a "true\t''
false\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l gpu-memory-utilization -d 'Fraction of device memory for vLLM; for SGLang and TensorRT-LLM, of the memory left after weights' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l max-batched-tokens -d 'Maximum tokens that a serving engine computes in one step' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l max-num-seqs -d 'Maximum sequences that a serving engine decodes at once' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l sampling -d 'How tokens are chosen [default: as the model\'s generation config]' -r -f -a "greedy\t''
top-p\t''
penalties\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l attention -d 'Attention implementation' -r -f -a "flash\t''
sdpa\t''
eager\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l logits -d 'Positions for which logits are computed' -r -f -a "last\t''
all\t''
chunked\t''
none\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l gpu-layers -d 'Layers that llama.cpp computes on the devices, like its -ngl; the host computes the others' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l n-cpu-moe -d 'First layers whose experts llama.cpp keeps and computes on the host, like its --n-cpu-moe' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l host-bandwidth -d 'Peak bandwidth of the host\'s memory in GB/s, for work on the host: 51.2 for two channels of DDR4-3200' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l compile -d 'Compile the training step' -r -f -a "true\t''
false\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l optimizer -d 'Optimizer' -r -f -a "adamw\t''
adamw-8bit\t''
adafactor\t''
muon\t''
sgd\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l optimizer-in-backward -d 'Run the optimizer during the backward pass, which frees each gradient early' -r -f -a "true\t''
false\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l master-weights -d 'Copy of the weights that the optimizer keeps: fp32 or none' -r -f -a "fp32\t''
none\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l parameter-precision -d 'Format of trained parameters' -r -f -a "bf16\t''
fp32\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l gradient-precision -d 'Format of gradients' -r -f -a "bf16\t''
fp32\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l checkpointing -d 'Activations to recompute in the backward pass' -r -f -a "none\t''
selective\t''
full\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l lora-rank -d 'Rank of the LoRA adapters' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l lora-targets -d 'Matrices that get LoRA adapters' -r -f -a "qv\t''
attention\t''
all-linear\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l offload -d 'Training state to keep in host memory' -r -f -a "none\t''
optimizer\t''
all\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l gradient-accumulation -d 'Micro-batches per rank in each optimizer step' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l global-batch -d 'Sequences of all ranks in each optimizer step' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l virtual-pipeline -d 'Interleaved parts of each pipeline stage, which shorten the pipeline\'s idle time' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l packed -d 'Average tokens of the examples that are packed into a training sequence' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l modules-to-save -d 'Modules that are trained in full beside adapters: embeddings, head' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l rollouts -d 'Sequences that grpo and ppo generate for a step' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l off-policy-steps -d 'Maximum age of rollouts in optimizer steps, where separate devices generate them' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l tensor-parallel -d 'Tensor parallelism: devices that share each matrix' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l pipeline-parallel -d 'Pipeline parallelism: devices that share the layers' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l data-parallel -d 'Data parallelism: groups of devices that process separate batches' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l context-parallel -d 'Context parallelism: devices that share each sequence, image or video' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l expert-parallel -d 'Expert parallelism: devices that share the experts' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l zero-stage -d 'Shard over data-parallel devices: 1 the optimizer, 2 also gradients, 3 also weights (FSDP)' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l shard-groups -d 'Groups of devices that each hold all of the sharded state: hybrid sharding' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l workload -d 'Work: inference, lora, qlora, full, …' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l context -d 'Tokens of a prompt or a sequence: 4096, 32k' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l generate -d 'Tokens generated after the prompt' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l engine -d 'vllm, sglang, llama.cpp, tensorrt-llm, …' -r -f -a "none\t''
transformers\t''
vllm\t''
sglang\t''
llama.cpp\t''
tensorrt-llm\t''
deepspeed\t''
torchtitan\t''
torchtune\t''
litgpt\t''
ms-swift\t''
unsloth\t''
axolotl\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l model -d 'Name (Llama-3.1-8B, Qwen/Qwen3-32B), a config.json, a folder with safetensors, or a GGUF file' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l precision -d 'Weights: bf16, fp8, awq, gguf:Q4_K_M, …' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l reference-model -d 'Reference model of dpo, grpo and ppo: a name, a file, or none; by default the initial model' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l teacher-model -d 'Teacher model of distill' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l on -d 'Only this hardware: \'H100|H200\', any:x1 or amd' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l nodes -d 'Number of machines that work together, or a range such as 1..8 [default: as few as possible]' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l objective -d 'Rank by this [default: cost]' -r -f -a "cost\t'The lowest cost of the work'
speed\t'The highest total tokens per second'
latency\t'The highest tokens per second of each user'
memory\t'The lowest total memory of the devices'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l tokens -d 'Tokens to train on or generate: 10M, 2B' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l deadline -d 'Exclude machines that may need longer for --tokens or --images: hours, or a duration such as 90m or 2d' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l budget -d 'Exclude machines above this price for --tokens, --images or --hours' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l hours -d 'Add the total for this time: 100, 90m or 2d' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l provider -d 'Only these: aws, hyperscalers; `!aws` excludes it' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l region -d 'Only these: us-east-1, eu-*, Germany, EU' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l capacity-type -d 'Capacity type to price: on-demand, spot or any' -r -f -a "on-demand\t'On-demand capacity only, ranked by the on-demand price'
spot\t'Ranked by the spot price'
any\t'Ranked by the lower of the two prices'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l tier -d 'Price tier of providers with several tiers: secure, community or any [default: the provider\'s own machines before those of private hosts]. For `recommend`: with `list`, its default, marketplaces, consumer cards and weak prices rank below other offers; with `any`, all rank together' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l max-price -d 'Exclude machines above this price per hour' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l max-age -d 'Only prices of at most this age: 12h, 30d' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l price -d 'Price that ranks and limits machines: likely (of today, estimated) or stated (as last seen) [default: likely]' -r -f -a "likely\t'The likely price of today'
stated\t'The price as its source states it, whatever its age'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l min-vcpu -d 'Only machines with at least this many vCPUs' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l min-host-memory -d 'Only machines with at least this much host memory: 256GB, 1TB' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l interconnect -d 'Only machines with this link, in a machine or between machines' -r -f -a "efa\t'Elastic Fabric Adapters between machines'
infiniband\t'InfiniBand between machines'
nvlink\t'NVLink inside a machine'
any\t'Any of these links'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l limit -d 'Show at most N rows' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l currency -d 'Show prices in this currency, such as EUR' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l commit -d 'Rank by committed prices: 1y, 3y, 7d or any' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l upfront -d 'Upfront payment of the commitment: none, partial or all [default: the smallest available]' -r -f -a "none\t'Nothing: every month is paid as it passes'
partial\t'A part; the rest is paid by the hour'
all\t'The whole term'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l compare -d 'Compare the machine with APIs that sell the model by the token: break-even, and the cheaper way for this load' -r -f -a "api\t'APIs that sell the same model by the token, image or hour of audio'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l own -d 'Compare with a machine of your own: \'price=250000,years=3,kw=10.2,usd_per_kwh=0.12,utilization=0.6\'' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l sessions -d 'Number of sessions in a month' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l hours-per-session -d 'Time of work in each session: 3, 90m' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l storage -d 'Disk that each machine keeps: 200GB, 1TB' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l egress -d 'Traffic to the internet: 50GB, 2TB' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l ingress -d 'Traffic from the internet, without the checkpoint: 50GB' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l idle -d 'Idle time at the end of each session: 15m' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l start -d 'Time of each start: 5m [default: as the catalog has it for the provider]' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l bandwidth -d 'Bandwidth of the download in Gbit/s [default: 1]' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l ipv4 -d 'Public IPv4 addresses of each machine [default: 1]' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -s 0 -l null -d 'End each line of `-o names` with NUL instead of a line feed, for xargs -0'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -s q -l quiet -d 'Print only data, losses and errors: no notes, no footer'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -s v -l verbose -d 'Print all notes, and the sources of prices and figures'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l explain -d 'Explain on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l no-config -d 'Ignore config files, your catalog and SKY_ACCEL_* variables, for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l offline -d 'Do not use the network: --live uses cached answers only'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l insecure -d 'Send keys to unencrypted base URLs (http://), where others can read them'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l live -d 'Download the configuration of --model organization/name or hf:organization/name from its hub'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l month -d 'Add the total for 730 hours'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l year -d 'Add the total for 8,760 hours'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l available -d 'Leave out machines that are known to be out of stock or excluded by a quota'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l guide -d 'Show rules of thumb, and the computed savings of each strategy'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l chart -d 'Draw a chart of price against speed'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l accept-tight -d 'List machines too on which the model is a tight fit: it may run or run out of memory'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -l bill -d 'Add the whole bill: disk, traffic, starts, …'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand recommend" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -s o -l output -d 'Output format [default: table]' -r -f -a "table\t'A table that fits the terminal'
wide\t'A table with all columns'
json\t'One JSON object'
jsonl\t'One JSON object per line, one line per result'
csv\t'Comma-separated values with a header'
names\t'Ids only, one per line; `provider/id` if the answer has several providers'
yaml\t'YAML'
html\t'A page for browsers, with pictures, all columns and all notes'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l color -d 'When to use color [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l catalog -d 'Add an overlay catalog (folder or file); repeatable, later ones override earlier ones' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l config -d 'Read this config file instead of ./sky-accel.toml and your user config.toml' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l from -d 'Write the page of this document instead; `-` is standard input' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l model-size -d 'Number of parameters, for a model that the catalog does not know: 7B, 13B, 350M' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l assume -d 'Read a config.json of an unknown model type as this type: llama, qwen3, …' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l group-size -d 'Weights per group of a quantized format' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l kv-precision -d 'Format of the KV cache' -r -f -a "bf16\t''
fp8\t''
int8\t''
q8_0\t''
q4_0\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l max-context -d 'Tokens of the longest request that a server must admit, prompt and answer [default: up to twice the average]' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l batch -l micro-batch -d 'Concurrent sequences or images per data-parallel rank; in training, sequences per micro-batch' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l images -d 'Total number of images, or of videos: each device then generates its own' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l audio-hours -d 'Hours of speech to write down' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l steps -d 'Denoising steps of an image or video [default: from the model card]' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l height -d 'Height of an image or video in pixels [default: from the model card]' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l width -d 'Width of an image or video in pixels [default: from the model card]' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l frames -d 'Frames of a video [default: from the model card]' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l users -d 'Requests in flight at once' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l request-rate -d 'Requests per second, with Poisson arrivals' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l requests -d 'Total number of requests: the load ends with the last answer, and tokens/s are the average until then' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l max-ttft -d 'Maximum time to first token or answer: 2s, 500ms' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l min-speed -d 'Minimum output tokens per second of each user' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l max-tpot -d 'Maximum time per output token: 50ms; instead of a minimum speed' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l prefix-cache -d 'Fraction of the prompt that is already in the cache, from 0 to 1' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l images-per-request -d 'Images of each prompt on average, beside the tokens of its text' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l image-tokens -d 'Tokens of an image [default: of 1024 × 1024 pixels]' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l speculative -d 'Speculative tokens per step, and the fraction that is accepted: 3:0.7' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l length-spread -d 'Spread S of prompt and output lengths L, which are uniform in [(1 − S) × L, L]; 0 if all are equal' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l admission-interval -d 'ServingEngine steps between scheduling new requests (SGLang, TensorRT-LLM)' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l disaggregated -d 'Prefill and decode on separate replicas; with grpo and ppo, generate and train on separate devices' -r -f -a "true\t''
false\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l engine-version -d 'Version of the serving engine; the newest by default' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l calibrate -d 'A measured speed that all speeds are scaled to: tokens_per_s=4100' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l energy -d 'Show the power of the devices, and the energy of a million tokens or of an image; JSON always has them' -r -f -a "true\t''
false\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l gpu-memory-utilization -d 'Fraction of device memory for vLLM; for SGLang and TensorRT-LLM, of the memory left after weights' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l max-batched-tokens -d 'Maximum tokens that a serving engine computes in one step' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l max-num-seqs -d 'Maximum sequences that a serving engine decodes at once' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l sampling -d 'How tokens are chosen [default: as the model\'s generation config]' -r -f -a "greedy\t''
top-p\t''
penalties\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l attention -d 'Attention implementation' -r -f -a "flash\t''
sdpa\t''
eager\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l logits -d 'Positions for which logits are computed' -r -f -a "last\t''
all\t''
chunked\t''
none\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l gpu-layers -d 'Layers that llama.cpp computes on the devices, like its -ngl; the host computes the others' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l n-cpu-moe -d 'First layers whose experts llama.cpp keeps and computes on the host, like its --n-cpu-moe' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l host-bandwidth -d 'Peak bandwidth of the host\'s memory in GB/s, for work on the host: 51.2 for two channels of DDR4-3200' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l compile -d 'Compile the training step' -r -f -a "true\t''
false\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l optimizer -d 'Optimizer' -r -f -a "adamw\t''
adamw-8bit\t''
adafactor\t''
muon\t''
sgd\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l optimizer-in-backward -d 'Run the optimizer during the backward pass, which frees each gradient early' -r -f -a "true\t''
false\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l master-weights -d 'Copy of the weights that the optimizer keeps: fp32 or none' -r -f -a "fp32\t''
none\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l parameter-precision -d 'Format of trained parameters' -r -f -a "bf16\t''
fp32\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l gradient-precision -d 'Format of gradients' -r -f -a "bf16\t''
fp32\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l checkpointing -d 'Activations to recompute in the backward pass' -r -f -a "none\t''
selective\t''
full\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l lora-rank -d 'Rank of the LoRA adapters' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l lora-targets -d 'Matrices that get LoRA adapters' -r -f -a "qv\t''
attention\t''
all-linear\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l offload -d 'Training state to keep in host memory' -r -f -a "none\t''
optimizer\t''
all\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l gradient-accumulation -d 'Micro-batches per rank in each optimizer step' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l global-batch -d 'Sequences of all ranks in each optimizer step' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l virtual-pipeline -d 'Interleaved parts of each pipeline stage, which shorten the pipeline\'s idle time' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l packed -d 'Average tokens of the examples that are packed into a training sequence' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l modules-to-save -d 'Modules that are trained in full beside adapters: embeddings, head' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l rollouts -d 'Sequences that grpo and ppo generate for a step' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l off-policy-steps -d 'Maximum age of rollouts in optimizer steps, where separate devices generate them' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l tensor-parallel -d 'Tensor parallelism: devices that share each matrix' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l pipeline-parallel -d 'Pipeline parallelism: devices that share the layers' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l data-parallel -d 'Data parallelism: groups of devices that process separate batches' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l context-parallel -d 'Context parallelism: devices that share each sequence, image or video' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l expert-parallel -d 'Expert parallelism: devices that share the experts' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l zero-stage -d 'Shard over data-parallel devices: 1 the optimizer, 2 also gradients, 3 also weights (FSDP)' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l shard-groups -d 'Groups of devices that each hold all of the sharded state: hybrid sharding' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l workload -d 'Work: inference, lora, qlora, full, …' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l context -d 'Tokens of a prompt or a sequence: 4096, 32k' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l generate -d 'Tokens generated after the prompt' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l engine -d 'vllm, sglang, llama.cpp, tensorrt-llm, …' -r -f -a "none\t''
transformers\t''
vllm\t''
sglang\t''
llama.cpp\t''
tensorrt-llm\t''
deepspeed\t''
torchtitan\t''
torchtune\t''
litgpt\t''
ms-swift\t''
unsloth\t''
axolotl\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l model -d 'Name (Llama-3.1-8B, Qwen/Qwen3-32B), a config.json, a folder with safetensors, or a GGUF file' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l precision -d 'Weights: bf16, fp8, awq, gguf:Q4_K_M, …' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l reference-model -d 'Reference model of dpo, grpo and ppo: a name, a file, or none; by default the initial model' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l teacher-model -d 'Teacher model of distill' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l on -d 'Only this hardware: \'H100|H200\', any:x1 or amd' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l nodes -d 'Number of machines that work together, or a range such as 1..8 [default: as few as possible]' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l objective -d 'Rank by this [default: cost]' -r -f -a "cost\t'The lowest cost of the work'
speed\t'The highest total tokens per second'
latency\t'The highest tokens per second of each user'
memory\t'The lowest total memory of the devices'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l tokens -d 'Tokens to train on or generate: 10M, 2B' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l deadline -d 'Exclude machines that may need longer for --tokens or --images: hours, or a duration such as 90m or 2d' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l budget -d 'Exclude machines above this price for --tokens, --images or --hours' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l hours -d 'Add the total for this time: 100, 90m or 2d' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l provider -d 'Only these: aws, hyperscalers; `!aws` excludes it' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l region -d 'Only these: us-east-1, eu-*, Germany, EU' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l capacity-type -d 'Capacity type to price: on-demand, spot or any' -r -f -a "on-demand\t'On-demand capacity only, ranked by the on-demand price'
spot\t'Ranked by the spot price'
any\t'Ranked by the lower of the two prices'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l tier -d 'Price tier of providers with several tiers: secure, community or any [default: the provider\'s own machines before those of private hosts]. For `recommend`: with `list`, its default, marketplaces, consumer cards and weak prices rank below other offers; with `any`, all rank together' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l max-price -d 'Exclude machines above this price per hour' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l max-age -d 'Only prices of at most this age: 12h, 30d' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l price -d 'Price that ranks and limits machines: likely (of today, estimated) or stated (as last seen) [default: likely]' -r -f -a "likely\t'The likely price of today'
stated\t'The price as its source states it, whatever its age'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l min-vcpu -d 'Only machines with at least this many vCPUs' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l min-host-memory -d 'Only machines with at least this much host memory: 256GB, 1TB' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l interconnect -d 'Only machines with this link, in a machine or between machines' -r -f -a "efa\t'Elastic Fabric Adapters between machines'
infiniband\t'InfiniBand between machines'
nvlink\t'NVLink inside a machine'
any\t'Any of these links'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l limit -d 'Show at most N rows' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l currency -d 'Show prices in this currency, such as EUR' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l upfront -d 'Upfront payment of the commitment: none, partial or all [default: the smallest available]' -r -f -a "none\t'Nothing: every month is paid as it passes'
partial\t'A part; the rest is paid by the hour'
all\t'The whole term'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l commit -d 'Rank by committed prices: 1y, 3y, 7d or any' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -s 0 -l null -d 'End each line of `-o names` with NUL instead of a line feed, for xargs -0'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -s q -l quiet -d 'Print only data, losses and errors: no notes, no footer'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -s v -l verbose -d 'Print all notes, and the sources of prices and figures'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l explain -d 'Explain on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l no-config -d 'Ignore config files, your catalog and SKY_ACCEL_* variables, for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l offline -d 'Do not use the network: --live uses cached answers only'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l insecure -d 'Send keys to unencrypted base URLs (http://), where others can read them'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l live -d 'Download the configuration of --model organization/name or hf:organization/name from its hub'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l month -d 'Add the total for 730 hours'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l year -d 'Add the total for 8,760 hours'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -l available -d 'Leave out machines that are known to be out of stock or excluded by a quota'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand report" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand web" -s o -l output -d 'Output format [default: table]' -r -f -a "table\t'A table that fits the terminal'
wide\t'A table with all columns'
json\t'One JSON object'
jsonl\t'One JSON object per line, one line per result'
csv\t'Comma-separated values with a header'
names\t'Ids only, one per line; `provider/id` if the answer has several providers'
yaml\t'YAML'
html\t'A page for browsers, with pictures, all columns and all notes'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand web" -l color -d 'When to use color [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand web" -l catalog -d 'Add an overlay catalog (folder or file); repeatable, later ones override earlier ones' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand web" -l config -d 'Read this config file instead of ./sky-accel.toml and your user config.toml' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand web" -l out -d 'File to write; `-` is standard output' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand web" -l module -d 'Module of the page, as built by `cargo xtask web`; default: the module in the program' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand web" -s 0 -l null -d 'End each line of `-o names` with NUL instead of a line feed, for xargs -0'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand web" -s q -l quiet -d 'Print only data, losses and errors: no notes, no footer'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand web" -s v -l verbose -d 'Print all notes, and the sources of prices and figures'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand web" -l explain -d 'Explain on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand web" -l no-config -d 'Ignore config files, your catalog and SKY_ACCEL_* variables, for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand web" -l offline -d 'Do not use the network: --live uses cached answers only'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand web" -l insecure -d 'Send keys to unencrypted base URLs (http://), where others can read them'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand web" -l open -d 'Open the page in the browser'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand web" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand web" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -s o -l output -d 'Output format [default: table]' -r -f -a "table\t'A table that fits the terminal'
wide\t'A table with all columns'
json\t'One JSON object'
jsonl\t'One JSON object per line, one line per result'
csv\t'Comma-separated values with a header'
names\t'Ids only, one per line; `provider/id` if the answer has several providers'
yaml\t'YAML'
html\t'A page for browsers, with pictures, all columns and all notes'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l color -d 'When to use color [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l catalog -d 'Add an overlay catalog (folder or file); repeatable, later ones override earlier ones' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l config -d 'Read this config file instead of ./sky-accel.toml and your user config.toml' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l from -d 'Read a recorded machine instead, in the format of `detect --from`' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l nodes -d 'Number of machines of SPEC, connected by their network' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l price -d 'Also state the price of the hardware: likely (of today, estimated) or stated (as last seen)' -r -f -a "likely\t'The likely price of today'
stated\t'The price as its source states it, whatever its age'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l max-age -d 'Also state the price of the hardware, if at most this old: 12h, 30d; exits 7 if all are older' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l model-size -d 'Number of parameters, for a model that the catalog does not know: 7B, 13B, 350M' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l assume -d 'Read a config.json of an unknown model type as this type: llama, qwen3, …' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l group-size -d 'Weights per group of a quantized format' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l kv-precision -d 'Format of the KV cache' -r -f -a "bf16\t''
fp8\t''
int8\t''
q8_0\t''
q4_0\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l max-context -d 'Tokens of the longest request that a server must admit, prompt and answer [default: up to twice the average]' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l batch -l micro-batch -d 'Concurrent sequences or images per data-parallel rank; in training, sequences per micro-batch' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l images -d 'Total number of images, or of videos: each device then generates its own' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l audio-hours -d 'Hours of speech to write down' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l steps -d 'Denoising steps of an image or video [default: from the model card]' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l height -d 'Height of an image or video in pixels [default: from the model card]' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l width -d 'Width of an image or video in pixels [default: from the model card]' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l frames -d 'Frames of a video [default: from the model card]' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l users -d 'Requests in flight at once' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l request-rate -d 'Requests per second, with Poisson arrivals' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l requests -d 'Total number of requests: the load ends with the last answer, and tokens/s are the average until then' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l max-ttft -d 'Maximum time to first token or answer: 2s, 500ms' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l min-speed -d 'Minimum output tokens per second of each user' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l max-tpot -d 'Maximum time per output token: 50ms; instead of a minimum speed' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l prefix-cache -d 'Fraction of the prompt that is already in the cache, from 0 to 1' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l images-per-request -d 'Images of each prompt on average, beside the tokens of its text' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l image-tokens -d 'Tokens of an image [default: of 1024 × 1024 pixels]' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l speculative -d 'Speculative tokens per step, and the fraction that is accepted: 3:0.7' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l length-spread -d 'Spread S of prompt and output lengths L, which are uniform in [(1 − S) × L, L]; 0 if all are equal' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l admission-interval -d 'ServingEngine steps between scheduling new requests (SGLang, TensorRT-LLM)' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l disaggregated -d 'Prefill and decode on separate replicas; with grpo and ppo, generate and train on separate devices' -r -f -a "true\t''
false\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l engine-version -d 'Version of the serving engine; the newest by default' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l calibrate -d 'A measured speed that all speeds are scaled to: tokens_per_s=4100' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l energy -d 'Show the power of the devices, and the energy of a million tokens or of an image; JSON always has them' -r -f -a "true\t''
false\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l gpu-memory-utilization -d 'Fraction of device memory for vLLM; for SGLang and TensorRT-LLM, of the memory left after weights' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l max-batched-tokens -d 'Maximum tokens that a serving engine computes in one step' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l max-num-seqs -d 'Maximum sequences that a serving engine decodes at once' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l sampling -d 'How tokens are chosen [default: as the model\'s generation config]' -r -f -a "greedy\t''
top-p\t''
penalties\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l attention -d 'Attention implementation' -r -f -a "flash\t''
sdpa\t''
eager\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l logits -d 'Positions for which logits are computed' -r -f -a "last\t''
all\t''
chunked\t''
none\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l gpu-layers -d 'Layers that llama.cpp computes on the devices, like its -ngl; the host computes the others' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l n-cpu-moe -d 'First layers whose experts llama.cpp keeps and computes on the host, like its --n-cpu-moe' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l host-bandwidth -d 'Peak bandwidth of the host\'s memory in GB/s, for work on the host: 51.2 for two channels of DDR4-3200' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l compile -d 'Compile the training step' -r -f -a "true\t''
false\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l optimizer -d 'Optimizer' -r -f -a "adamw\t''
adamw-8bit\t''
adafactor\t''
muon\t''
sgd\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l optimizer-in-backward -d 'Run the optimizer during the backward pass, which frees each gradient early' -r -f -a "true\t''
false\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l master-weights -d 'Copy of the weights that the optimizer keeps: fp32 or none' -r -f -a "fp32\t''
none\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l parameter-precision -d 'Format of trained parameters' -r -f -a "bf16\t''
fp32\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l gradient-precision -d 'Format of gradients' -r -f -a "bf16\t''
fp32\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l checkpointing -d 'Activations to recompute in the backward pass' -r -f -a "none\t''
selective\t''
full\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l lora-rank -d 'Rank of the LoRA adapters' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l lora-targets -d 'Matrices that get LoRA adapters' -r -f -a "qv\t''
attention\t''
all-linear\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l offload -d 'Training state to keep in host memory' -r -f -a "none\t''
optimizer\t''
all\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l gradient-accumulation -d 'Micro-batches per rank in each optimizer step' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l global-batch -d 'Sequences of all ranks in each optimizer step' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l virtual-pipeline -d 'Interleaved parts of each pipeline stage, which shorten the pipeline\'s idle time' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l packed -d 'Average tokens of the examples that are packed into a training sequence' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l modules-to-save -d 'Modules that are trained in full beside adapters: embeddings, head' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l rollouts -d 'Sequences that grpo and ppo generate for a step' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l off-policy-steps -d 'Maximum age of rollouts in optimizer steps, where separate devices generate them' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l tensor-parallel -d 'Tensor parallelism: devices that share each matrix' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l pipeline-parallel -d 'Pipeline parallelism: devices that share the layers' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l data-parallel -d 'Data parallelism: groups of devices that process separate batches' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l context-parallel -d 'Context parallelism: devices that share each sequence, image or video' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l expert-parallel -d 'Expert parallelism: devices that share the experts' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l zero-stage -d 'Shard over data-parallel devices: 1 the optimizer, 2 also gradients, 3 also weights (FSDP)' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l shard-groups -d 'Groups of devices that each hold all of the sharded state: hybrid sharding' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l workload -d 'Work: inference, lora, qlora, full, …' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l context -d 'Tokens of a prompt or a sequence: 4096, 32k' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l generate -d 'Tokens generated after the prompt' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l engine -d 'vllm, sglang, llama.cpp, tensorrt-llm, …' -r -f -a "none\t''
transformers\t''
vllm\t''
sglang\t''
llama.cpp\t''
tensorrt-llm\t''
deepspeed\t''
torchtitan\t''
torchtune\t''
litgpt\t''
ms-swift\t''
unsloth\t''
axolotl\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l model -d 'Name (Llama-3.1-8B, Qwen/Qwen3-32B), a config.json, a folder with safetensors, or a GGUF file' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l precision -d 'Weights: bf16, fp8, awq, gguf:Q4_K_M, …' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l reference-model -d 'Reference model of dpo, grpo and ppo: a name, a file, or none; by default the initial model' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l teacher-model -d 'Teacher model of distill' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -s 0 -l null -d 'End each line of `-o names` with NUL instead of a line feed, for xargs -0'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -s q -l quiet -d 'Print only data, losses and errors: no notes, no footer'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -s v -l verbose -d 'Print all notes, and the sources of prices and figures'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l explain -d 'Explain on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l no-config -d 'Ignore config files, your catalog and SKY_ACCEL_* variables, for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l offline -d 'Do not use the network: --live uses cached answers only'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l insecure -d 'Send keys to unencrypted base URLs (http://), where others can read them'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l on-this-machine -d 'Use the hardware of this machine, as reported by `detect`'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l live -d 'Download the configurations of models named organization/name or hf:organization/name from their hub'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -l accept-tight -d 'Exit 0 for a tight fit too, which may run or run out of memory: the usable memory is within the uncertainty'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand fit" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand models; and not __fish_seen_subcommand_from add remove" -s o -l output -d 'Output format [default: table]' -r -f -a "table\t'A table that fits the terminal'
wide\t'A table with all columns'
json\t'One JSON object'
jsonl\t'One JSON object per line, one line per result'
csv\t'Comma-separated values with a header'
names\t'Ids only, one per line; `provider/id` if the answer has several providers'
yaml\t'YAML'
html\t'A page for browsers, with pictures, all columns and all notes'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand models; and not __fish_seen_subcommand_from add remove" -l color -d 'When to use color [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand models; and not __fish_seen_subcommand_from add remove" -l catalog -d 'Add an overlay catalog (folder or file); repeatable, later ones override earlier ones' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand models; and not __fish_seen_subcommand_from add remove" -l config -d 'Read this config file instead of ./sky-accel.toml and your user config.toml' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand models; and not __fish_seen_subcommand_from add remove" -l on -d 'Only models that run on this hardware: RTX4090, 4090:x2, \'M4 Max:64GB\', cpu:32GB, or `detect` for this machine' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand models; and not __fish_seen_subcommand_from add remove" -l users -d 'Users who wait for answers at once [default: 1]' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand models; and not __fish_seen_subcommand_from add remove" -l context -d 'Tokens of a prompt: 4096, 32k' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand models; and not __fish_seen_subcommand_from add remove" -l generate -d 'Tokens of an answer' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand models; and not __fish_seen_subcommand_from add remove" -l budget -d 'Only hardware for at most this many US dollars per hour, as many devices as it pays for: 1 or 1/h' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand models; and not __fish_seen_subcommand_from add remove" -l limit -d 'Show at most N models [default: 15]' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand models; and not __fish_seen_subcommand_from add remove" -l from -d 'Read a recorded machine for `--on detect`, in the format of `detect --from`' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand models; and not __fish_seen_subcommand_from add remove" -l price -d 'Price that ranks and limits machines: likely (of today, estimated) or stated (as last seen) [default: likely]' -r -f -a "likely\t'The likely price of today'
stated\t'The price as its source states it, whatever its age'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand models; and not __fish_seen_subcommand_from add remove" -l max-age -d 'Only prices of at most this age: 12h, 30d' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand models; and not __fish_seen_subcommand_from add remove" -s 0 -l null -d 'End each line of `-o names` with NUL instead of a line feed, for xargs -0'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand models; and not __fish_seen_subcommand_from add remove" -s q -l quiet -d 'Print only data, losses and errors: no notes, no footer'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand models; and not __fish_seen_subcommand_from add remove" -s v -l verbose -d 'Print all notes, and the sources of prices and figures'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand models; and not __fish_seen_subcommand_from add remove" -l explain -d 'Explain on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand models; and not __fish_seen_subcommand_from add remove" -l no-config -d 'Ignore config files, your catalog and SKY_ACCEL_* variables, for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand models; and not __fish_seen_subcommand_from add remove" -l offline -d 'Do not use the network: --live uses cached answers only'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand models; and not __fish_seen_subcommand_from add remove" -l insecure -d 'Send keys to unencrypted base URLs (http://), where others can read them'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand models; and not __fish_seen_subcommand_from add remove" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand models; and not __fish_seen_subcommand_from add remove" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand models; and not __fish_seen_subcommand_from add remove" -a "add" -d 'Keep a model in your catalog, from its config.json or from its hub'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand models; and not __fish_seen_subcommand_from add remove" -a "remove" -d 'Remove a model that `models add` keeps'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand models; and __fish_seen_subcommand_from add" -s o -l output -d 'Output format [default: table]' -r -f -a "table\t'A table that fits the terminal'
wide\t'A table with all columns'
json\t'One JSON object'
jsonl\t'One JSON object per line, one line per result'
csv\t'Comma-separated values with a header'
names\t'Ids only, one per line; `provider/id` if the answer has several providers'
yaml\t'YAML'
html\t'A page for browsers, with pictures, all columns and all notes'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand models; and __fish_seen_subcommand_from add" -l color -d 'When to use color [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand models; and __fish_seen_subcommand_from add" -l catalog -d 'Add an overlay catalog (folder or file); repeatable, later ones override earlier ones' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand models; and __fish_seen_subcommand_from add" -l config -d 'Read this config file instead of ./sky-accel.toml and your user config.toml' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand models; and __fish_seen_subcommand_from add" -l as -d 'Name in your catalog; default: the name that the hub has' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand models; and __fish_seen_subcommand_from add" -l assume -d 'Architecture to assume if the catalog does not know its `model_type`' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand models; and __fish_seen_subcommand_from add" -s 0 -l null -d 'End each line of `-o names` with NUL instead of a line feed, for xargs -0'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand models; and __fish_seen_subcommand_from add" -s q -l quiet -d 'Print only data, losses and errors: no notes, no footer'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand models; and __fish_seen_subcommand_from add" -s v -l verbose -d 'Print all notes, and the sources of prices and figures'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand models; and __fish_seen_subcommand_from add" -l explain -d 'Explain on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand models; and __fish_seen_subcommand_from add" -l no-config -d 'Ignore config files, your catalog and SKY_ACCEL_* variables, for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand models; and __fish_seen_subcommand_from add" -l offline -d 'Do not use the network: --live uses cached answers only'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand models; and __fish_seen_subcommand_from add" -l insecure -d 'Send keys to unencrypted base URLs (http://), where others can read them'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand models; and __fish_seen_subcommand_from add" -l live -d 'Download the configuration from the hub'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand models; and __fish_seen_subcommand_from add" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand models; and __fish_seen_subcommand_from add" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand models; and __fish_seen_subcommand_from remove" -s o -l output -d 'Output format [default: table]' -r -f -a "table\t'A table that fits the terminal'
wide\t'A table with all columns'
json\t'One JSON object'
jsonl\t'One JSON object per line, one line per result'
csv\t'Comma-separated values with a header'
names\t'Ids only, one per line; `provider/id` if the answer has several providers'
yaml\t'YAML'
html\t'A page for browsers, with pictures, all columns and all notes'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand models; and __fish_seen_subcommand_from remove" -l color -d 'When to use color [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand models; and __fish_seen_subcommand_from remove" -l catalog -d 'Add an overlay catalog (folder or file); repeatable, later ones override earlier ones' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand models; and __fish_seen_subcommand_from remove" -l config -d 'Read this config file instead of ./sky-accel.toml and your user config.toml' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand models; and __fish_seen_subcommand_from remove" -s 0 -l null -d 'End each line of `-o names` with NUL instead of a line feed, for xargs -0'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand models; and __fish_seen_subcommand_from remove" -s q -l quiet -d 'Print only data, losses and errors: no notes, no footer'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand models; and __fish_seen_subcommand_from remove" -s v -l verbose -d 'Print all notes, and the sources of prices and figures'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand models; and __fish_seen_subcommand_from remove" -l explain -d 'Explain on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand models; and __fish_seen_subcommand_from remove" -l no-config -d 'Ignore config files, your catalog and SKY_ACCEL_* variables, for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand models; and __fish_seen_subcommand_from remove" -l offline -d 'Do not use the network: --live uses cached answers only'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand models; and __fish_seen_subcommand_from remove" -l insecure -d 'Send keys to unencrypted base URLs (http://), where others can read them'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand models; and __fish_seen_subcommand_from remove" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand models; and __fish_seen_subcommand_from remove" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -s o -l output -d 'Output format [default: table]' -r -f -a "table\t'A table that fits the terminal'
wide\t'A table with all columns'
json\t'One JSON object'
jsonl\t'One JSON object per line, one line per result'
csv\t'Comma-separated values with a header'
names\t'Ids only, one per line; `provider/id` if the answer has several providers'
yaml\t'YAML'
html\t'A page for browsers, with pictures, all columns and all notes'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l color -d 'When to use color [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l catalog -d 'Add an overlay catalog (folder or file); repeatable, later ones override earlier ones' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l config -d 'Read this config file instead of ./sky-accel.toml and your user config.toml' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l provider -d 'Only these: aws, hyperscalers; `!aws` excludes it' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l region -d 'Only these: us-east-1, eu-*, Germany, EU' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l capacity-type -d 'Capacity type to price: on-demand, spot or any' -r -f -a "on-demand\t'On-demand capacity only, ranked by the on-demand price'
spot\t'Ranked by the spot price'
any\t'Ranked by the lower of the two prices'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l tier -d 'Price tier of providers with several tiers: secure, community or any [default: the provider\'s own machines before those of private hosts]. For `recommend`: with `list`, its default, marketplaces, consumer cards and weak prices rank below other offers; with `any`, all rank together' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l max-price -d 'Exclude machines above this price per hour' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l max-age -d 'Only prices of at most this age: 12h, 30d' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l price -d 'Price that ranks and limits machines: likely (of today, estimated) or stated (as last seen) [default: likely]' -r -f -a "likely\t'The likely price of today'
stated\t'The price as its source states it, whatever its age'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l min-vcpu -d 'Only machines with at least this many vCPUs' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l min-host-memory -d 'Only machines with at least this much host memory: 256GB, 1TB' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l interconnect -d 'Only machines with this link, in a machine or between machines' -r -f -a "efa\t'Elastic Fabric Adapters between machines'
infiniband\t'InfiniBand between machines'
nvlink\t'NVLink inside a machine'
any\t'Any of these links'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l limit -d 'Show at most N rows' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l currency -d 'Show prices in this currency, such as EUR' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l distinct -d 'List each region once per capacity type' -r -f -a "regions\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l objective -d 'Rank the candidates by price or by obtainability [default: price]' -r -f -a "price\t'The price; stock decides only between candidates of the same kind'
obtainability\t'The expected time and money to running machines: stock, then quota, then the start, then the price'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l nodes -d 'Number of machines [default: 1, or as recommended]' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l hours -d 'Add the total for this time: 100, 90m or 2d' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l commit -d 'Rank by committed prices: 1y, 3y, 7d or any' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l upfront -d 'Upfront payment of the commitment: none, partial or all [default: the smallest available]' -r -f -a "none\t'Nothing: every month is paid as it passes'
partial\t'A part; the rest is paid by the hour'
all\t'The whole term'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l budget -d 'Limit for all machines together: total with --hours, --month or --year, else per hour' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l cuda -d 'Leave out devices that cannot run this CUDA version' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l disk -d 'Disk size' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l sessions -d 'Number of sessions in a month' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l hours-per-session -d 'Time of work in each session: 3, 90m' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l storage -d 'Disk that each machine keeps: 200GB, 1TB' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l egress -d 'Traffic to the internet: 50GB, 2TB' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l ingress -d 'Traffic from the internet, without the checkpoint: 50GB' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l idle -d 'Idle time at the end of each session: 15m' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l start -d 'Time of each start: 5m [default: as the catalog has it for the provider]' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l bandwidth -d 'Bandwidth of the download in Gbit/s [default: 1]' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l ipv4 -d 'Public IPv4 addresses of each machine [default: 1]' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l name -d 'Name of the task, cluster or machine' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l image -d 'Container image; on AWS machines also ami-… or resolve:ssm:…' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l run -d 'Shell command to run [default: list the devices]' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l reservation -d 'Launch into this AWS on-demand capacity reservation' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l capacity-block -d 'Launch into this AWS capacity block' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l slurm-map -d 'Map a GPU or slice to the name that a Slurm site uses: 3g.40gb=TYPE; repeatable' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l to -d 'Print the plan as a file for this target' -r -f -a "skypilot\t'a SkyPilot task that tries the candidates in order'
dstack\t'a dstack task'
kubernetes\t'a Job for the device plugins'
dra\t'a Job with dynamic resource allocation'
gke\t'a Job and a node pool of Google Kubernetes Engine'
aks\t'a Job and a node pool of Azure Kubernetes Service'
karpenter\t'a NodePool and its EC2NodeClass'
terraform\t'machines of a cloud as main.tf.json'
cloudformation\t'a stack with an EC2 fleet'
ec2-fleet\t'a CreateFleet request'
aws-cli\t'a script that tries the candidates in order'
runpod\t'a pod for RunPod\'s API, version 2'
vastai\t'a script that searches and rents'
verda\t'an instance for Verda\'s API'
flyte\t'a task for the Flyte SDK'
slurm\t'a batch script'
ray\t'a cluster for the Ray launcher'
compose\t'a service for Docker Compose'
docker\t'a docker run command'
nvidia-smi\t'the commands that partition the GPUs'
mig-parted\t'a configuration that partitions the GPUs'
modal\t'a function for Modal'
skyward\t'a pool for skyward'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l out -d 'Write the target\'s files into this folder' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l lock -d 'Write the candidates and the catalog\'s hash to this lock file' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l timeout -d 'Timeout for each provider, up to 10m; a number without a unit is in seconds' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l capacity-blocks -d 'Show blocks of AWS and Google Cloud that can be reserved for this many hours [default without a value: 24]' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -s 0 -l null -d 'End each line of `-o names` with NUL instead of a line feed, for xargs -0'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -s q -l quiet -d 'Print only data, losses and errors: no notes, no footer'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -s v -l verbose -d 'Print all notes, and the sources of prices and figures'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l explain -d 'Explain on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l no-config -d 'Ignore config files, your catalog and SKY_ACCEL_* variables, for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l offline -d 'Do not use the network: --live uses cached answers only'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l insecure -d 'Send keys to unencrypted base URLs (http://), where others can read them'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l available -d 'Leave out machines that are known to be out of stock or excluded by a quota'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l spot-first -d 'Try spot first, then on-demand'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l exact -d 'Leave out larger machines, even if a provider sells no exact match'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l month -d 'Add the total for 730 hours'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l year -d 'Add the total for 8,760 hours'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l bill -d 'Add the whole bill: disk, traffic, starts, …'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l strict -d 'Fail if the target\'s format cannot express the whole request'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l locked -d 'Compare the plan with the --lock file instead: exit 7 if a candidate changed'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l live -d 'Query the providers for current offers, prices and stock'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l public -d 'Also query without a key where a provider\'s terms restrict automated access: RunPod, Vast.ai'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l refresh -d 'Query again even if an answer is cached'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l spot-scores -d 'Ask AWS for spot placement scores (1 to 10) too; Azure and Google Cloud always report their own scores'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -l check-quota -d 'Check whether the account\'s quotas allow the machines, where a provider reports quotas, and show what is left'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and not __fish_seen_subcommand_from diff" -a "diff" -d 'Describe the differences between two plans or lock files'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and __fish_seen_subcommand_from diff" -s o -l output -d 'Output format [default: table]' -r -f -a "table\t'A table that fits the terminal'
wide\t'A table with all columns'
json\t'One JSON object'
jsonl\t'One JSON object per line, one line per result'
csv\t'Comma-separated values with a header'
names\t'Ids only, one per line; `provider/id` if the answer has several providers'
yaml\t'YAML'
html\t'A page for browsers, with pictures, all columns and all notes'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and __fish_seen_subcommand_from diff" -l color -d 'When to use color [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and __fish_seen_subcommand_from diff" -l catalog -d 'Add an overlay catalog (folder or file); repeatable, later ones override earlier ones' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and __fish_seen_subcommand_from diff" -l config -d 'Read this config file instead of ./sky-accel.toml and your user config.toml' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and __fish_seen_subcommand_from diff" -s 0 -l null -d 'End each line of `-o names` with NUL instead of a line feed, for xargs -0'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and __fish_seen_subcommand_from diff" -s q -l quiet -d 'Print only data, losses and errors: no notes, no footer'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and __fish_seen_subcommand_from diff" -s v -l verbose -d 'Print all notes, and the sources of prices and figures'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and __fish_seen_subcommand_from diff" -l explain -d 'Explain on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and __fish_seen_subcommand_from diff" -l no-config -d 'Ignore config files, your catalog and SKY_ACCEL_* variables, for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and __fish_seen_subcommand_from diff" -l offline -d 'Do not use the network: --live uses cached answers only'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and __fish_seen_subcommand_from diff" -l insecure -d 'Send keys to unencrypted base URLs (http://), where others can read them'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and __fish_seen_subcommand_from diff" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand plan; and __fish_seen_subcommand_from diff" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand convert" -s o -l output -d 'Output format [default: table]' -r -f -a "table\t'A table that fits the terminal'
wide\t'A table with all columns'
json\t'One JSON object'
jsonl\t'One JSON object per line, one line per result'
csv\t'Comma-separated values with a header'
names\t'Ids only, one per line; `provider/id` if the answer has several providers'
yaml\t'YAML'
html\t'A page for browsers, with pictures, all columns and all notes'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand convert" -l color -d 'When to use color [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand convert" -l catalog -d 'Add an overlay catalog (folder or file); repeatable, later ones override earlier ones' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand convert" -l config -d 'Read this config file instead of ./sky-accel.toml and your user config.toml' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand convert" -l to -d 'Target tool or format' -r -f -a "sky-accel\t'the canonical form'
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
complete -c sky-accel -n "__fish_sky_accel_using_subcommand convert" -s 0 -l null -d 'End each line of `-o names` with NUL instead of a line feed, for xargs -0'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand convert" -s q -l quiet -d 'Print only data, losses and errors: no notes, no footer'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand convert" -s v -l verbose -d 'Print all notes, and the sources of prices and figures'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand convert" -l explain -d 'Explain on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand convert" -l no-config -d 'Ignore config files, your catalog and SKY_ACCEL_* variables, for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand convert" -l offline -d 'Do not use the network: --live uses cached answers only'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand convert" -l insecure -d 'Send keys to unencrypted base URLs (http://), where others can read them'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand convert" -l strict -d 'Fail if the tool cannot express the whole spec'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand convert" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand convert" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and not __fish_seen_subcommand_from profiles fit pack" -s o -l output -d 'Output format [default: table]' -r -f -a "table\t'A table that fits the terminal'
wide\t'A table with all columns'
json\t'One JSON object'
jsonl\t'One JSON object per line, one line per result'
csv\t'Comma-separated values with a header'
names\t'Ids only, one per line; `provider/id` if the answer has several providers'
yaml\t'YAML'
html\t'A page for browsers, with pictures, all columns and all notes'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and not __fish_seen_subcommand_from profiles fit pack" -l color -d 'When to use color [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and not __fish_seen_subcommand_from profiles fit pack" -l catalog -d 'Add an overlay catalog (folder or file); repeatable, later ones override earlier ones' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and not __fish_seen_subcommand_from profiles fit pack" -l config -d 'Read this config file instead of ./sky-accel.toml and your user config.toml' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and not __fish_seen_subcommand_from profiles fit pack" -s 0 -l null -d 'End each line of `-o names` with NUL instead of a line feed, for xargs -0'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and not __fish_seen_subcommand_from profiles fit pack" -s q -l quiet -d 'Print only data, losses and errors: no notes, no footer'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and not __fish_seen_subcommand_from profiles fit pack" -s v -l verbose -d 'Print all notes, and the sources of prices and figures'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and not __fish_seen_subcommand_from profiles fit pack" -l explain -d 'Explain on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and not __fish_seen_subcommand_from profiles fit pack" -l no-config -d 'Ignore config files, your catalog and SKY_ACCEL_* variables, for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and not __fish_seen_subcommand_from profiles fit pack" -l offline -d 'Do not use the network: --live uses cached answers only'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and not __fish_seen_subcommand_from profiles fit pack" -l insecure -d 'Send keys to unencrypted base URLs (http://), where others can read them'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and not __fish_seen_subcommand_from profiles fit pack" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and not __fish_seen_subcommand_from profiles fit pack" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and not __fish_seen_subcommand_from profiles fit pack" -f -a "profiles" -d 'List the MIG profiles of a GPU'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and not __fish_seen_subcommand_from profiles fit pack" -f -a "fit" -d 'Check whether a mix of slices fits on one GPU, and where: exit 0 or 1'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and not __fish_seen_subcommand_from profiles fit pack" -f -a "pack" -d 'Find the fewest GPUs for many slices'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from profiles" -s o -l output -d 'Output format [default: table]' -r -f -a "table\t'A table that fits the terminal'
wide\t'A table with all columns'
json\t'One JSON object'
jsonl\t'One JSON object per line, one line per result'
csv\t'Comma-separated values with a header'
names\t'Ids only, one per line; `provider/id` if the answer has several providers'
yaml\t'YAML'
html\t'A page for browsers, with pictures, all columns and all notes'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from profiles" -l color -d 'When to use color [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from profiles" -l catalog -d 'Add an overlay catalog (folder or file); repeatable, later ones override earlier ones' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from profiles" -l config -d 'Read this config file instead of ./sky-accel.toml and your user config.toml' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from profiles" -s 0 -l null -d 'End each line of `-o names` with NUL instead of a line feed, for xargs -0'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from profiles" -s q -l quiet -d 'Print only data, losses and errors: no notes, no footer'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from profiles" -s v -l verbose -d 'Print all notes, and the sources of prices and figures'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from profiles" -l explain -d 'Explain on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from profiles" -l no-config -d 'Ignore config files, your catalog and SKY_ACCEL_* variables, for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from profiles" -l offline -d 'Do not use the network: --live uses cached answers only'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from profiles" -l insecure -d 'Send keys to unencrypted base URLs (http://), where others can read them'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from profiles" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from profiles" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from fit" -s o -l output -d 'Output format [default: table]' -r -f -a "table\t'A table that fits the terminal'
wide\t'A table with all columns'
json\t'One JSON object'
jsonl\t'One JSON object per line, one line per result'
csv\t'Comma-separated values with a header'
names\t'Ids only, one per line; `provider/id` if the answer has several providers'
yaml\t'YAML'
html\t'A page for browsers, with pictures, all columns and all notes'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from fit" -l color -d 'When to use color [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from fit" -l catalog -d 'Add an overlay catalog (folder or file); repeatable, later ones override earlier ones' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from fit" -l config -d 'Read this config file instead of ./sky-accel.toml and your user config.toml' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from fit" -l occupied -d 'Slices already on the GPU: 2g.20gb@0 1g.10gb@5' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from fit" -l to -d 'Print the commands or configuration that create the slices with this tool' -r -f -a "nvidia-smi\t'`nvidia-smi` commands that create the slices'
nvidia-smi-undo\t'`nvidia-smi` commands that remove the slices again'
mig-parted\t'A configuration of NVIDIA\'s `mig-parted`'
kubernetes\t'Resource requests of containers, for the device plugin'
gpu-operator\t'A node label or a configuration of NVIDIA\'s GPU operator'
dra\t'Resource claims for the driver of dynamic resource allocation'
flyte\t'Resources of the Flyte SDK'
gke\t'A node pool of Google Kubernetes Engine'
aks\t'A node pool of Azure Kubernetes Service'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from fit" -s 0 -l null -d 'End each line of `-o names` with NUL instead of a line feed, for xargs -0'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from fit" -s q -l quiet -d 'Print only data, losses and errors: no notes, no footer'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from fit" -s v -l verbose -d 'Print all notes, and the sources of prices and figures'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from fit" -l explain -d 'Explain on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from fit" -l no-config -d 'Ignore config files, your catalog and SKY_ACCEL_* variables, for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from fit" -l offline -d 'Do not use the network: --live uses cached answers only'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from fit" -l insecure -d 'Send keys to unencrypted base URLs (http://), where others can read them'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from fit" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from fit" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from pack" -s o -l output -d 'Output format [default: table]' -r -f -a "table\t'A table that fits the terminal'
wide\t'A table with all columns'
json\t'One JSON object'
jsonl\t'One JSON object per line, one line per result'
csv\t'Comma-separated values with a header'
names\t'Ids only, one per line; `provider/id` if the answer has several providers'
yaml\t'YAML'
html\t'A page for browsers, with pictures, all columns and all notes'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from pack" -l color -d 'When to use color [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from pack" -l catalog -d 'Add an overlay catalog (folder or file); repeatable, later ones override earlier ones' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from pack" -l config -d 'Read this config file instead of ./sky-accel.toml and your user config.toml' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from pack" -l slice -d 'Slices by size instead of name: 10GB*20, 9.5GiB*20, 2g.10GB*20' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from pack" -l gpus -d 'Use at most N GPUs, and show the slices that do not fit' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from pack" -l onto -d 'Fill existing GPUs first: a JSON file or the table of `nvidia-smi mig -lgi`; `-` is standard input' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from pack" -l to -d 'Print the commands or configuration that create the slices with this tool' -r -f -a "nvidia-smi\t'`nvidia-smi` commands that create the slices'
nvidia-smi-undo\t'`nvidia-smi` commands that remove the slices again'
mig-parted\t'A configuration of NVIDIA\'s `mig-parted`'
kubernetes\t'Resource requests of containers, for the device plugin'
gpu-operator\t'A node label or a configuration of NVIDIA\'s GPU operator'
dra\t'Resource claims for the driver of dynamic resource allocation'
flyte\t'Resources of the Flyte SDK'
gke\t'A node pool of Google Kubernetes Engine'
aks\t'A node pool of Azure Kubernetes Service'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from pack" -l price -d 'Price that ranks and limits machines: likely (of today, estimated) or stated (as last seen) [default: likely]' -r -f -a "likely\t'The likely price of today'
stated\t'The price as its source states it, whatever its age'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from pack" -l max-age -d 'Only prices of at most this age: 12h, 30d' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from pack" -s 0 -l null -d 'End each line of `-o names` with NUL instead of a line feed, for xargs -0'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from pack" -s q -l quiet -d 'Print only data, losses and errors: no notes, no footer'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from pack" -s v -l verbose -d 'Print all notes, and the sources of prices and figures'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from pack" -l explain -d 'Explain on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from pack" -l no-config -d 'Ignore config files, your catalog and SKY_ACCEL_* variables, for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from pack" -l offline -d 'Do not use the network: --live uses cached answers only'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from pack" -l insecure -d 'Send keys to unencrypted base URLs (http://), where others can read them'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from pack" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mig; and __fish_seen_subcommand_from pack" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand watch" -s o -l output -d 'Output format [default: table]' -r -f -a "table\t'A table that fits the terminal'
wide\t'A table with all columns'
json\t'One JSON object'
jsonl\t'One JSON object per line, one line per result'
csv\t'Comma-separated values with a header'
names\t'Ids only, one per line; `provider/id` if the answer has several providers'
yaml\t'YAML'
html\t'A page for browsers, with pictures, all columns and all notes'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand watch" -l color -d 'When to use color [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand watch" -l catalog -d 'Add an overlay catalog (folder or file); repeatable, later ones override earlier ones' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand watch" -l config -d 'Read this config file instead of ./sky-accel.toml and your user config.toml' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand watch" -l provider -d 'Only these: aws, hyperscalers; `!aws` excludes it' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand watch" -l region -d 'Only these: us-east-1, eu-*, Germany, EU' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand watch" -l capacity-type -d 'Capacity type to price: on-demand, spot or any' -r -f -a "on-demand\t'On-demand capacity only, ranked by the on-demand price'
spot\t'Ranked by the spot price'
any\t'Ranked by the lower of the two prices'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand watch" -l tier -d 'Price tier of providers with several tiers: secure, community or any [default: the provider\'s own machines before those of private hosts]. For `recommend`: with `list`, its default, marketplaces, consumer cards and weak prices rank below other offers; with `any`, all rank together' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand watch" -l max-price -d 'Exclude machines above this price per hour' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand watch" -l max-age -d 'Only prices of at most this age: 12h, 30d' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand watch" -l price -d 'Price that ranks and limits machines: likely (of today, estimated) or stated (as last seen) [default: likely]' -r -f -a "likely\t'The likely price of today'
stated\t'The price as its source states it, whatever its age'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand watch" -l min-vcpu -d 'Only machines with at least this many vCPUs' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand watch" -l min-host-memory -d 'Only machines with at least this much host memory: 256GB, 1TB' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand watch" -l interconnect -d 'Only machines with this link, in a machine or between machines' -r -f -a "efa\t'Elastic Fabric Adapters between machines'
infiniband\t'InfiniBand between machines'
nvlink\t'NVLink inside a machine'
any\t'Any of these links'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand watch" -l limit -d 'Show at most N rows' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand watch" -l currency -d 'Show prices in this currency, such as EUR' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand watch" -l nodes -d 'The number of machines that are needed together' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand watch" -l min-score -d 'Wait until a provider\'s score is at least this, on its own scale: aws=7, gcp=high; repeatable' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand watch" -l interval -d 'Time between two polls: 30s, 5m, 1h; at least 5s' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand watch" -l timeout -d 'Stop after this time: 30m, 12h, 7d, or a number of seconds; exit 1 if nothing was found' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand watch" -l give-up -d 'Stop with exit code 4 after this time without an answer of any provider' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand watch" -l exec -d 'Run this shell command when an offer is found; SKY_ACCEL_OFFER_… variables describe the offer' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand watch" -l disk -d 'Include this much disk in marketplace prices' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand watch" -s 0 -l null -d 'End each line of `-o names` with NUL instead of a line feed, for xargs -0'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand watch" -s q -l quiet -d 'Print only data, losses and errors: no notes, no footer'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand watch" -s v -l verbose -d 'Print all notes, and the sources of prices and figures'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand watch" -l explain -d 'Explain on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand watch" -l no-config -d 'Ignore config files, your catalog and SKY_ACCEL_* variables, for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand watch" -l offline -d 'Do not use the network: --live uses cached answers only'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand watch" -l insecure -d 'Send keys to unencrypted base URLs (http://), where others can read them'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand watch" -l available -d 'Leave out machines that are known to be out of stock or excluded by a quota'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand watch" -l at-least -d 'Also accept machines with more accelerators'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand watch" -l check-quota -d 'Wait until the account\'s quotas admit the machines, where a provider reports quotas'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand watch" -l public -d 'Also query without a key where a provider\'s terms restrict automated access: RunPod, Vast.ai'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand watch" -l exec-keys -d 'Pass the providers\' keys to the --exec command in the environment'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand watch" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand watch" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand quota" -s o -l output -d 'Output format [default: table]' -r -f -a "table\t'A table that fits the terminal'
wide\t'A table with all columns'
json\t'One JSON object'
jsonl\t'One JSON object per line, one line per result'
csv\t'Comma-separated values with a header'
names\t'Ids only, one per line; `provider/id` if the answer has several providers'
yaml\t'YAML'
html\t'A page for browsers, with pictures, all columns and all notes'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand quota" -l color -d 'When to use color [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand quota" -l catalog -d 'Add an overlay catalog (folder or file); repeatable, later ones override earlier ones' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand quota" -l config -d 'Read this config file instead of ./sky-accel.toml and your user config.toml' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand quota" -l nodes -d 'The number of machines that are needed together' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand quota" -l provider -d 'Only these: aws, hyperscalers; `!aws` excludes it; repeatable' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand quota" -l region -d 'Only these: us-east-1, eu-*, Germany, EU; repeatable' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand quota" -l capacity-type -d 'Only quotas of this capacity type: on-demand, spot or any [default: any]' -r -f -a "on-demand\t'On-demand capacity only, ranked by the on-demand price'
spot\t'Ranked by the spot price'
any\t'Ranked by the lower of the two prices'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand quota" -l timeout -d 'Timeout for each provider, up to 10m; a number without a unit is in seconds' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand quota" -s 0 -l null -d 'End each line of `-o names` with NUL instead of a line feed, for xargs -0'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand quota" -s q -l quiet -d 'Print only data, losses and errors: no notes, no footer'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand quota" -s v -l verbose -d 'Print all notes, and the sources of prices and figures'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand quota" -l explain -d 'Explain on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand quota" -l no-config -d 'Ignore config files, your catalog and SKY_ACCEL_* variables, for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand quota" -l offline -d 'Do not use the network: --live uses cached answers only'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand quota" -l insecure -d 'Send keys to unencrypted base URLs (http://), where others can read them'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand quota" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand quota" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand live; and not __fish_seen_subcommand_from doctor" -s o -l output -d 'Output format [default: table]' -r -f -a "table\t'A table that fits the terminal'
wide\t'A table with all columns'
json\t'One JSON object'
jsonl\t'One JSON object per line, one line per result'
csv\t'Comma-separated values with a header'
names\t'Ids only, one per line; `provider/id` if the answer has several providers'
yaml\t'YAML'
html\t'A page for browsers, with pictures, all columns and all notes'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand live; and not __fish_seen_subcommand_from doctor" -l color -d 'When to use color [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand live; and not __fish_seen_subcommand_from doctor" -l catalog -d 'Add an overlay catalog (folder or file); repeatable, later ones override earlier ones' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand live; and not __fish_seen_subcommand_from doctor" -l config -d 'Read this config file instead of ./sky-accel.toml and your user config.toml' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand live; and not __fish_seen_subcommand_from doctor" -s 0 -l null -d 'End each line of `-o names` with NUL instead of a line feed, for xargs -0'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand live; and not __fish_seen_subcommand_from doctor" -s q -l quiet -d 'Print only data, losses and errors: no notes, no footer'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand live; and not __fish_seen_subcommand_from doctor" -s v -l verbose -d 'Print all notes, and the sources of prices and figures'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand live; and not __fish_seen_subcommand_from doctor" -l explain -d 'Explain on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand live; and not __fish_seen_subcommand_from doctor" -l no-config -d 'Ignore config files, your catalog and SKY_ACCEL_* variables, for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand live; and not __fish_seen_subcommand_from doctor" -l offline -d 'Do not use the network: --live uses cached answers only'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand live; and not __fish_seen_subcommand_from doctor" -l insecure -d 'Send keys to unencrypted base URLs (http://), where others can read them'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand live; and not __fish_seen_subcommand_from doctor" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand live; and not __fish_seen_subcommand_from doctor" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand live; and not __fish_seen_subcommand_from doctor" -f -a "doctor" -d 'Show which credentials of each provider are found, and what they lack'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand live; and __fish_seen_subcommand_from doctor" -l provider -d 'Only these: aws, hyperscalers; `!aws` excludes it; repeatable' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand live; and __fish_seen_subcommand_from doctor" -l timeout -d 'Timeout for each provider, up to 10m; a number without a unit is in seconds' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand live; and __fish_seen_subcommand_from doctor" -s o -l output -d 'Output format [default: table]' -r -f -a "table\t'A table that fits the terminal'
wide\t'A table with all columns'
json\t'One JSON object'
jsonl\t'One JSON object per line, one line per result'
csv\t'Comma-separated values with a header'
names\t'Ids only, one per line; `provider/id` if the answer has several providers'
yaml\t'YAML'
html\t'A page for browsers, with pictures, all columns and all notes'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand live; and __fish_seen_subcommand_from doctor" -l color -d 'When to use color [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand live; and __fish_seen_subcommand_from doctor" -l catalog -d 'Add an overlay catalog (folder or file); repeatable, later ones override earlier ones' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand live; and __fish_seen_subcommand_from doctor" -l config -d 'Read this config file instead of ./sky-accel.toml and your user config.toml' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand live; and __fish_seen_subcommand_from doctor" -l check -d 'Also query each provider with credentials once, and report whether it accepts them'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand live; and __fish_seen_subcommand_from doctor" -s 0 -l null -d 'End each line of `-o names` with NUL instead of a line feed, for xargs -0'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand live; and __fish_seen_subcommand_from doctor" -s q -l quiet -d 'Print only data, losses and errors: no notes, no footer'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand live; and __fish_seen_subcommand_from doctor" -s v -l verbose -d 'Print all notes, and the sources of prices and figures'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand live; and __fish_seen_subcommand_from doctor" -l explain -d 'Explain on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand live; and __fish_seen_subcommand_from doctor" -l no-config -d 'Ignore config files, your catalog and SKY_ACCEL_* variables, for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand live; and __fish_seen_subcommand_from doctor" -l offline -d 'Do not use the network: --live uses cached answers only'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand live; and __fish_seen_subcommand_from doctor" -l insecure -d 'Send keys to unencrypted base URLs (http://), where others can read them'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand live; and __fish_seen_subcommand_from doctor" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand live; and __fish_seen_subcommand_from doctor" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand detect" -s o -l output -d 'Output format [default: table]' -r -f -a "table\t'A table that fits the terminal'
wide\t'A table with all columns'
json\t'One JSON object'
jsonl\t'One JSON object per line, one line per result'
csv\t'Comma-separated values with a header'
names\t'Ids only, one per line; `provider/id` if the answer has several providers'
yaml\t'YAML'
html\t'A page for browsers, with pictures, all columns and all notes'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand detect" -l color -d 'When to use color [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand detect" -l catalog -d 'Add an overlay catalog (folder or file); repeatable, later ones override earlier ones' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand detect" -l config -d 'Read this config file instead of ./sky-accel.toml and your user config.toml' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand detect" -l check -d 'Exit 0 if the machine matches this spec, else 1; one device suffices unless the spec has a count' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand detect" -l from -d 'Read a recorded machine: a folder with sys, dev and tool output, or one file of it' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand detect" -s 0 -l null -d 'End each line of `-o names` with NUL instead of a line feed, for xargs -0'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand detect" -s q -l quiet -d 'Print only data, losses and errors: no notes, no footer'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand detect" -s v -l verbose -d 'Print all notes, and the sources of prices and figures'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand detect" -l explain -d 'Explain on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand detect" -l no-config -d 'Ignore config files, your catalog and SKY_ACCEL_* variables, for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand detect" -l offline -d 'Do not use the network: --live uses cached answers only'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand detect" -l insecure -d 'Send keys to unencrypted base URLs (http://), where others can read them'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand detect" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand detect" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand is" -s o -l output -d 'Output format [default: table]' -r -f -a "table\t'A table that fits the terminal'
wide\t'A table with all columns'
json\t'One JSON object'
jsonl\t'One JSON object per line, one line per result'
csv\t'Comma-separated values with a header'
names\t'Ids only, one per line; `provider/id` if the answer has several providers'
yaml\t'YAML'
html\t'A page for browsers, with pictures, all columns and all notes'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand is" -l color -d 'When to use color [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand is" -l catalog -d 'Add an overlay catalog (folder or file); repeatable, later ones override earlier ones' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand is" -l config -d 'Read this config file instead of ./sky-accel.toml and your user config.toml' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand is" -s 0 -l null -d 'End each line of `-o names` with NUL instead of a line feed, for xargs -0'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand is" -s q -l quiet -d 'Print only data, losses and errors: no notes, no footer'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand is" -s v -l verbose -d 'Print all notes, and the sources of prices and figures'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand is" -l explain -d 'Explain on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand is" -l no-config -d 'Ignore config files, your catalog and SKY_ACCEL_* variables, for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand is" -l offline -d 'Do not use the network: --live uses cached answers only'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand is" -l insecure -d 'Send keys to unencrypted base URLs (http://), where others can read them'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand is" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand is" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mcp" -s o -l output -d 'Output format [default: table]' -r -f -a "table\t'A table that fits the terminal'
wide\t'A table with all columns'
json\t'One JSON object'
jsonl\t'One JSON object per line, one line per result'
csv\t'Comma-separated values with a header'
names\t'Ids only, one per line; `provider/id` if the answer has several providers'
yaml\t'YAML'
html\t'A page for browsers, with pictures, all columns and all notes'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mcp" -l color -d 'When to use color [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mcp" -l catalog -d 'Add an overlay catalog (folder or file); repeatable, later ones override earlier ones' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mcp" -l config -d 'Read this config file instead of ./sky-accel.toml and your user config.toml' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mcp" -l allow -d 'Folder with models that agents may name by path; repeatable' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mcp" -l max-age -d 'Only offers whose price is at most this old (12h, 30d, 90d)' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mcp" -l timeout -d 'Timeout for each provider, up to 10m; a number without a unit is in seconds' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mcp" -l capacity-blocks -d 'Show blocks of AWS and Google Cloud that can be reserved for this many hours [default without a value: 24]' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mcp" -s 0 -l null -d 'End each line of `-o names` with NUL instead of a line feed, for xargs -0'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mcp" -s q -l quiet -d 'Print only data, losses and errors: no notes, no footer'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mcp" -s v -l verbose -d 'Print all notes, and the sources of prices and figures'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mcp" -l explain -d 'Explain on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mcp" -l no-config -d 'Ignore config files, your catalog and SKY_ACCEL_* variables, for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mcp" -l offline -d 'Do not use the network: --live uses cached answers only'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mcp" -l insecure -d 'Send keys to unencrypted base URLs (http://), where others can read them'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mcp" -l live -d 'Query the providers for current offers, prices and stock'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mcp" -l public -d 'Also query without a key where a provider\'s terms restrict automated access: RunPod, Vast.ai'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mcp" -l refresh -d 'Query again even if an answer is cached'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mcp" -l spot-scores -d 'Ask AWS for spot placement scores (1 to 10) too; Azure and Google Cloud always report their own scores'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mcp" -l check-quota -d 'Check whether the account\'s quotas allow the machines, where a provider reports quotas, and show what is left'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mcp" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand mcp" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and not __fish_seen_subcommand_from verify compile diff path update" -s o -l output -d 'Output format [default: table]' -r -f -a "table\t'A table that fits the terminal'
wide\t'A table with all columns'
json\t'One JSON object'
jsonl\t'One JSON object per line, one line per result'
csv\t'Comma-separated values with a header'
names\t'Ids only, one per line; `provider/id` if the answer has several providers'
yaml\t'YAML'
html\t'A page for browsers, with pictures, all columns and all notes'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and not __fish_seen_subcommand_from verify compile diff path update" -l color -d 'When to use color [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and not __fish_seen_subcommand_from verify compile diff path update" -l catalog -d 'Add an overlay catalog (folder or file); repeatable, later ones override earlier ones' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and not __fish_seen_subcommand_from verify compile diff path update" -l config -d 'Read this config file instead of ./sky-accel.toml and your user config.toml' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and not __fish_seen_subcommand_from verify compile diff path update" -s 0 -l null -d 'End each line of `-o names` with NUL instead of a line feed, for xargs -0'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and not __fish_seen_subcommand_from verify compile diff path update" -s q -l quiet -d 'Print only data, losses and errors: no notes, no footer'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and not __fish_seen_subcommand_from verify compile diff path update" -s v -l verbose -d 'Print all notes, and the sources of prices and figures'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and not __fish_seen_subcommand_from verify compile diff path update" -l explain -d 'Explain on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and not __fish_seen_subcommand_from verify compile diff path update" -l no-config -d 'Ignore config files, your catalog and SKY_ACCEL_* variables, for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and not __fish_seen_subcommand_from verify compile diff path update" -l offline -d 'Do not use the network: --live uses cached answers only'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and not __fish_seen_subcommand_from verify compile diff path update" -l insecure -d 'Send keys to unencrypted base URLs (http://), where others can read them'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and not __fish_seen_subcommand_from verify compile diff path update" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and not __fish_seen_subcommand_from verify compile diff path update" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and not __fish_seen_subcommand_from verify compile diff path update" -f -a "verify" -d 'Check the catalog with your overlays, or with these paths instead'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and not __fish_seen_subcommand_from verify compile diff path update" -f -a "compile" -d 'Write the catalog with your overlays, or with these paths instead, as one file for --catalog'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and not __fish_seen_subcommand_from verify compile diff path update" -f -a "diff" -d 'Describe the differences between two catalogs'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and not __fish_seen_subcommand_from verify compile diff path update" -f -a "path" -d 'Show where the catalog and its overlays are'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and not __fish_seen_subcommand_from verify compile diff path update" -f -a "update" -d 'Download current prices from the providers into your own overlay'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from verify" -s o -l output -d 'Output format [default: table]' -r -f -a "table\t'A table that fits the terminal'
wide\t'A table with all columns'
json\t'One JSON object'
jsonl\t'One JSON object per line, one line per result'
csv\t'Comma-separated values with a header'
names\t'Ids only, one per line; `provider/id` if the answer has several providers'
yaml\t'YAML'
html\t'A page for browsers, with pictures, all columns and all notes'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from verify" -l color -d 'When to use color [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from verify" -l catalog -d 'Add an overlay catalog (folder or file); repeatable, later ones override earlier ones' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from verify" -l config -d 'Read this config file instead of ./sky-accel.toml and your user config.toml' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from verify" -s 0 -l null -d 'End each line of `-o names` with NUL instead of a line feed, for xargs -0'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from verify" -s q -l quiet -d 'Print only data, losses and errors: no notes, no footer'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from verify" -s v -l verbose -d 'Print all notes, and the sources of prices and figures'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from verify" -l explain -d 'Explain on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from verify" -l no-config -d 'Ignore config files, your catalog and SKY_ACCEL_* variables, for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from verify" -l offline -d 'Do not use the network: --live uses cached answers only'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from verify" -l insecure -d 'Send keys to unencrypted base URLs (http://), where others can read them'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from verify" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from verify" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from compile" -s o -l output -d 'File to write' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from compile" -l color -d 'When to use color [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from compile" -l catalog -d 'Add an overlay catalog (folder or file); repeatable, later ones override earlier ones' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from compile" -l config -d 'Read this config file instead of ./sky-accel.toml and your user config.toml' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from compile" -s 0 -l null -d 'End each line of `-o names` with NUL instead of a line feed, for xargs -0'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from compile" -s q -l quiet -d 'Print only data, losses and errors: no notes, no footer'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from compile" -s v -l verbose -d 'Print all notes, and the sources of prices and figures'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from compile" -l explain -d 'Explain on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from compile" -l no-config -d 'Ignore config files, your catalog and SKY_ACCEL_* variables, for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from compile" -l offline -d 'Do not use the network: --live uses cached answers only'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from compile" -l insecure -d 'Send keys to unencrypted base URLs (http://), where others can read them'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from compile" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from compile" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from diff" -s o -l output -d 'Output format [default: table]' -r -f -a "table\t'A table that fits the terminal'
wide\t'A table with all columns'
json\t'One JSON object'
jsonl\t'One JSON object per line, one line per result'
csv\t'Comma-separated values with a header'
names\t'Ids only, one per line; `provider/id` if the answer has several providers'
yaml\t'YAML'
html\t'A page for browsers, with pictures, all columns and all notes'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from diff" -l color -d 'When to use color [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from diff" -l catalog -d 'Add an overlay catalog (folder or file); repeatable, later ones override earlier ones' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from diff" -l config -d 'Read this config file instead of ./sky-accel.toml and your user config.toml' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from diff" -s 0 -l null -d 'End each line of `-o names` with NUL instead of a line feed, for xargs -0'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from diff" -s q -l quiet -d 'Print only data, losses and errors: no notes, no footer'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from diff" -s v -l verbose -d 'Print all notes, and the sources of prices and figures'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from diff" -l explain -d 'Explain on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from diff" -l no-config -d 'Ignore config files, your catalog and SKY_ACCEL_* variables, for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from diff" -l offline -d 'Do not use the network: --live uses cached answers only'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from diff" -l insecure -d 'Send keys to unencrypted base URLs (http://), where others can read them'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from diff" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from diff" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from path" -s o -l output -d 'Output format [default: table]' -r -f -a "table\t'A table that fits the terminal'
wide\t'A table with all columns'
json\t'One JSON object'
jsonl\t'One JSON object per line, one line per result'
csv\t'Comma-separated values with a header'
names\t'Ids only, one per line; `provider/id` if the answer has several providers'
yaml\t'YAML'
html\t'A page for browsers, with pictures, all columns and all notes'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from path" -l color -d 'When to use color [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from path" -l catalog -d 'Add an overlay catalog (folder or file); repeatable, later ones override earlier ones' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from path" -l config -d 'Read this config file instead of ./sky-accel.toml and your user config.toml' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from path" -s 0 -l null -d 'End each line of `-o names` with NUL instead of a line feed, for xargs -0'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from path" -s q -l quiet -d 'Print only data, losses and errors: no notes, no footer'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from path" -s v -l verbose -d 'Print all notes, and the sources of prices and figures'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from path" -l explain -d 'Explain on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from path" -l no-config -d 'Ignore config files, your catalog and SKY_ACCEL_* variables, for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from path" -l offline -d 'Do not use the network: --live uses cached answers only'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from path" -l insecure -d 'Send keys to unencrypted base URLs (http://), where others can read them'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from path" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from path" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from update" -l provider -d 'Query only this provider; repeatable' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from update" -l from -d 'Source of the prices: the providers, a project that collects them, or the path or address of a file that `catalog compile` wrote; repeatable' -r -f -a "providers\t'The providers themselves'
gpuhunt\t'The gpuhunt catalogs, which are rebuilt every hour'
skypilot\t'The SkyPilot catalog, one table per cloud'
litellm\t'The list of litellm: prices of tokens, images and audio'
genai-prices\t'The list of genai-prices: prices of tokens'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from update" -l digest -d 'SHA-256 digest that the file of --from must have' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from update" -l into -d 'Write to this folder [default: catalog/ beside your config.toml]' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from update" -l timeout -d 'Timeout for each provider, up to 10m; a number without a unit is in seconds' -r
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from update" -s o -l output -d 'Output format [default: table]' -r -f -a "table\t'A table that fits the terminal'
wide\t'A table with all columns'
json\t'One JSON object'
jsonl\t'One JSON object per line, one line per result'
csv\t'Comma-separated values with a header'
names\t'Ids only, one per line; `provider/id` if the answer has several providers'
yaml\t'YAML'
html\t'A page for browsers, with pictures, all columns and all notes'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from update" -l color -d 'When to use color [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from update" -l catalog -d 'Add an overlay catalog (folder or file); repeatable, later ones override earlier ones' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from update" -l config -d 'Read this config file instead of ./sky-accel.toml and your user config.toml' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from update" -l dry-run -d 'Show the changes without writing them'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from update" -l public -d 'Also query without a key where a provider\'s terms restrict automated access: RunPod, Vast.ai'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from update" -s 0 -l null -d 'End each line of `-o names` with NUL instead of a line feed, for xargs -0'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from update" -s q -l quiet -d 'Print only data, losses and errors: no notes, no footer'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from update" -s v -l verbose -d 'Print all notes, and the sources of prices and figures'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from update" -l explain -d 'Explain on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from update" -l no-config -d 'Ignore config files, your catalog and SKY_ACCEL_* variables, for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from update" -l offline -d 'Do not use the network: --live uses cached answers only'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from update" -l insecure -d 'Send keys to unencrypted base URLs (http://), where others can read them'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from update" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand catalog; and __fish_seen_subcommand_from update" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and not __fish_seen_subcommand_from show trust" -s o -l output -d 'Output format [default: table]' -r -f -a "table\t'A table that fits the terminal'
wide\t'A table with all columns'
json\t'One JSON object'
jsonl\t'One JSON object per line, one line per result'
csv\t'Comma-separated values with a header'
names\t'Ids only, one per line; `provider/id` if the answer has several providers'
yaml\t'YAML'
html\t'A page for browsers, with pictures, all columns and all notes'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and not __fish_seen_subcommand_from show trust" -l color -d 'When to use color [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and not __fish_seen_subcommand_from show trust" -l catalog -d 'Add an overlay catalog (folder or file); repeatable, later ones override earlier ones' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and not __fish_seen_subcommand_from show trust" -l config -d 'Read this config file instead of ./sky-accel.toml and your user config.toml' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and not __fish_seen_subcommand_from show trust" -s 0 -l null -d 'End each line of `-o names` with NUL instead of a line feed, for xargs -0'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and not __fish_seen_subcommand_from show trust" -s q -l quiet -d 'Print only data, losses and errors: no notes, no footer'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and not __fish_seen_subcommand_from show trust" -s v -l verbose -d 'Print all notes, and the sources of prices and figures'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and not __fish_seen_subcommand_from show trust" -l explain -d 'Explain on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and not __fish_seen_subcommand_from show trust" -l no-config -d 'Ignore config files, your catalog and SKY_ACCEL_* variables, for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and not __fish_seen_subcommand_from show trust" -l offline -d 'Do not use the network: --live uses cached answers only'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and not __fish_seen_subcommand_from show trust" -l insecure -d 'Send keys to unencrypted base URLs (http://), where others can read them'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and not __fish_seen_subcommand_from show trust" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and not __fish_seen_subcommand_from show trust" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and not __fish_seen_subcommand_from show trust" -f -a "show" -d 'Show every setting, and the flag, variable or file that set it'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and not __fish_seen_subcommand_from show trust" -f -a "trust" -d 'Trust the current contents of the catalogs that ./sky-accel.toml names'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and __fish_seen_subcommand_from show" -s o -l output -d 'Output format [default: table]' -r -f -a "table\t'A table that fits the terminal'
wide\t'A table with all columns'
json\t'One JSON object'
jsonl\t'One JSON object per line, one line per result'
csv\t'Comma-separated values with a header'
names\t'Ids only, one per line; `provider/id` if the answer has several providers'
yaml\t'YAML'
html\t'A page for browsers, with pictures, all columns and all notes'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and __fish_seen_subcommand_from show" -l color -d 'When to use color [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and __fish_seen_subcommand_from show" -l catalog -d 'Add an overlay catalog (folder or file); repeatable, later ones override earlier ones' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and __fish_seen_subcommand_from show" -l config -d 'Read this config file instead of ./sky-accel.toml and your user config.toml' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and __fish_seen_subcommand_from show" -s 0 -l null -d 'End each line of `-o names` with NUL instead of a line feed, for xargs -0'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and __fish_seen_subcommand_from show" -s q -l quiet -d 'Print only data, losses and errors: no notes, no footer'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and __fish_seen_subcommand_from show" -s v -l verbose -d 'Print all notes, and the sources of prices and figures'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and __fish_seen_subcommand_from show" -l explain -d 'Explain on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and __fish_seen_subcommand_from show" -l no-config -d 'Ignore config files, your catalog and SKY_ACCEL_* variables, for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and __fish_seen_subcommand_from show" -l offline -d 'Do not use the network: --live uses cached answers only'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and __fish_seen_subcommand_from show" -l insecure -d 'Send keys to unencrypted base URLs (http://), where others can read them'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and __fish_seen_subcommand_from show" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and __fish_seen_subcommand_from show" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and __fish_seen_subcommand_from trust" -s o -l output -d 'Output format [default: table]' -r -f -a "table\t'A table that fits the terminal'
wide\t'A table with all columns'
json\t'One JSON object'
jsonl\t'One JSON object per line, one line per result'
csv\t'Comma-separated values with a header'
names\t'Ids only, one per line; `provider/id` if the answer has several providers'
yaml\t'YAML'
html\t'A page for browsers, with pictures, all columns and all notes'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and __fish_seen_subcommand_from trust" -l color -d 'When to use color [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and __fish_seen_subcommand_from trust" -l catalog -d 'Add an overlay catalog (folder or file); repeatable, later ones override earlier ones' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and __fish_seen_subcommand_from trust" -l config -d 'Read this config file instead of ./sky-accel.toml and your user config.toml' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and __fish_seen_subcommand_from trust" -l revoke -d 'Revoke the trust'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and __fish_seen_subcommand_from trust" -s 0 -l null -d 'End each line of `-o names` with NUL instead of a line feed, for xargs -0'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and __fish_seen_subcommand_from trust" -s q -l quiet -d 'Print only data, losses and errors: no notes, no footer'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and __fish_seen_subcommand_from trust" -s v -l verbose -d 'Print all notes, and the sources of prices and figures'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and __fish_seen_subcommand_from trust" -l explain -d 'Explain on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and __fish_seen_subcommand_from trust" -l no-config -d 'Ignore config files, your catalog and SKY_ACCEL_* variables, for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and __fish_seen_subcommand_from trust" -l offline -d 'Do not use the network: --live uses cached answers only'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and __fish_seen_subcommand_from trust" -l insecure -d 'Send keys to unencrypted base URLs (http://), where others can read them'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and __fish_seen_subcommand_from trust" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand config; and __fish_seen_subcommand_from trust" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand completions" -s o -l output -d 'Output format [default: table]' -r -f -a "table\t'A table that fits the terminal'
wide\t'A table with all columns'
json\t'One JSON object'
jsonl\t'One JSON object per line, one line per result'
csv\t'Comma-separated values with a header'
names\t'Ids only, one per line; `provider/id` if the answer has several providers'
yaml\t'YAML'
html\t'A page for browsers, with pictures, all columns and all notes'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand completions" -l color -d 'When to use color [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand completions" -l catalog -d 'Add an overlay catalog (folder or file); repeatable, later ones override earlier ones' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand completions" -l config -d 'Read this config file instead of ./sky-accel.toml and your user config.toml' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand completions" -s 0 -l null -d 'End each line of `-o names` with NUL instead of a line feed, for xargs -0'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand completions" -s q -l quiet -d 'Print only data, losses and errors: no notes, no footer'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand completions" -s v -l verbose -d 'Print all notes, and the sources of prices and figures'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand completions" -l explain -d 'Explain on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand completions" -l no-config -d 'Ignore config files, your catalog and SKY_ACCEL_* variables, for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand completions" -l offline -d 'Do not use the network: --live uses cached answers only'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand completions" -l insecure -d 'Send keys to unencrypted base URLs (http://), where others can read them'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand completions" -l static -d 'Print a script that does not call the program; it completes commands and options, but no names'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand completions" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand completions" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand help" -s o -l output -d 'Output format [default: table]' -r -f -a "table\t'A table that fits the terminal'
wide\t'A table with all columns'
json\t'One JSON object'
jsonl\t'One JSON object per line, one line per result'
csv\t'Comma-separated values with a header'
names\t'Ids only, one per line; `provider/id` if the answer has several providers'
yaml\t'YAML'
html\t'A page for browsers, with pictures, all columns and all notes'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand help" -l color -d 'When to use color [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand help" -l catalog -d 'Add an overlay catalog (folder or file); repeatable, later ones override earlier ones' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand help" -l config -d 'Read this config file instead of ./sky-accel.toml and your user config.toml' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand help" -s 0 -l null -d 'End each line of `-o names` with NUL instead of a line feed, for xargs -0'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand help" -s q -l quiet -d 'Print only data, losses and errors: no notes, no footer'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand help" -s v -l verbose -d 'Print all notes, and the sources of prices and figures'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand help" -l explain -d 'Explain on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand help" -l no-config -d 'Ignore config files, your catalog and SKY_ACCEL_* variables, for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand help" -l offline -d 'Do not use the network: --live uses cached answers only'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand help" -l insecure -d 'Send keys to unencrypted base URLs (http://), where others can read them'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand help" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand help" -s V -l version -d 'Print version'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand man" -s o -l output -d 'Output format [default: table]' -r -f -a "table\t'A table that fits the terminal'
wide\t'A table with all columns'
json\t'One JSON object'
jsonl\t'One JSON object per line, one line per result'
csv\t'Comma-separated values with a header'
names\t'Ids only, one per line; `provider/id` if the answer has several providers'
yaml\t'YAML'
html\t'A page for browsers, with pictures, all columns and all notes'"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand man" -l color -d 'When to use color [default: auto]' -r -f -a "auto\t''
always\t''
never\t''"
complete -c sky-accel -n "__fish_sky_accel_using_subcommand man" -l catalog -d 'Add an overlay catalog (folder or file); repeatable, later ones override earlier ones' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand man" -l config -d 'Read this config file instead of ./sky-accel.toml and your user config.toml' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand man" -l out -d 'Write all manual pages into this folder instead, for packages' -r -F
complete -c sky-accel -n "__fish_sky_accel_using_subcommand man" -s 0 -l null -d 'End each line of `-o names` with NUL instead of a line feed, for xargs -0'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand man" -s q -l quiet -d 'Print only data, losses and errors: no notes, no footer'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand man" -s v -l verbose -d 'Print all notes, and the sources of prices and figures'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand man" -l explain -d 'Explain on standard error why each candidate was kept or dropped (resolve, plan)'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand man" -l no-config -d 'Ignore config files, your catalog and SKY_ACCEL_* variables, for reproducible answers'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand man" -l offline -d 'Do not use the network: --live uses cached answers only'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand man" -l insecure -d 'Send keys to unencrypted base URLs (http://), where others can read them'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand man" -s h -l help -d 'Print help (see more with \'--help\')'
complete -c sky-accel -n "__fish_sky_accel_using_subcommand man" -s V -l version -d 'Print version'
