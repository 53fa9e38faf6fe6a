
use builtin;
use str;

set edit:completion:arg-completer[sky-accel] = {|@words|
    fn spaces {|n|
        builtin:repeat $n ' ' | str:join ''
    }
    fn cand {|text desc|
        edit:complex-candidate $text &display=$text' '(spaces (- 14 (wcswidth $text)))$desc
    }
    var command = 'sky-accel'
    for word $words[1..-1] {
        if (str:has-prefix $word '-') {
            break
        }
        set command = $command';'$word
    }
    var completions = [
        &'sky-accel'= {
            cand -o 'Form of the output [default: table]'
            cand --output 'Form of the output [default: table]'
            cand --color 'When to use colour [default: auto]'
            cand --catalog 'Overlay catalog, a folder or a file; may be repeated, the last one wins'
            cand --config 'Config file instead of ./sky-accel.toml and the user''s'
            cand -q 'Say only what went wrong, not notes and footers'
            cand --quiet 'Say only what went wrong, not notes and footers'
            cand -v 'Say more: where prices and figures are from'
            cand --verbose 'Say more: where prices and figures are from'
            cand --explain 'Say on standard error why each candidate was kept or dropped (resolve, plan)'
            cand --no-config 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers'
            cand --offline 'Never touch the network: with --live, cached answers alone'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
            cand list 'Which accelerators exist'
            cand show 'All about one accelerator, instance type or provider id'
            cand compare 'The same figures side by side, with ratios against the first'
            cand resolve 'Each provider''s own instance types, prices and regions for a spec'
            cand recommend 'What to rent for a model or a kind of work, with offers'
            cand fit 'Whether a model fits on some hardware, term by term: exit 0 or 1'
            cand plan 'Where to try, in which order, and the plan in the words of the engine that applies it'
            cand convert 'The same hardware in the words of another tool'
            cand mig 'MIG slices: what a GPU can be cut into, where they go, how few GPUs they take'
            cand is 'Whether a name is of a kind: exit 0 or 1'
            cand catalog 'Check catalogs and see where they are'
            cand config 'Settings, and where each came from'
            cand completions 'Print a shell completion script'
            cand man 'Print a manual page: sky-accel man plan | man -l -'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'sky-accel;list'= {
            cand -o 'Form of the output [default: table]'
            cand --output 'Form of the output [default: table]'
            cand --color 'When to use colour [default: auto]'
            cand --catalog 'Overlay catalog, a folder or a file; may be repeated, the last one wins'
            cand --config 'Config file instead of ./sky-accel.toml and the user''s'
            cand --vendor 'By maker: nvidia, amd, intel, google, aws, …'
            cand --class 'datacenter, workstation, consumer, asic or media'
            cand --arch 'By architecture: hopper, ampere, cdna3, …'
            cand --provider 'Sold by this provider; may be repeated'
            cand --min-memory 'At least so much memory per device; no unit means GB'
            cand --sort 'Order of the rows [default: by class, the newest first]'
            cand --limit 'At most so many rows'
            cand -q 'Say only what went wrong, not notes and footers'
            cand --quiet 'Say only what went wrong, not notes and footers'
            cand -v 'Say more: where prices and figures are from'
            cand --verbose 'Say more: where prices and figures are from'
            cand --explain 'Say on standard error why each candidate was kept or dropped (resolve, plan)'
            cand --no-config 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers'
            cand --offline 'Never touch the network: with --live, cached answers alone'
            cand --mig 'Only what can be cut into MIG slices'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'sky-accel;show'= {
            cand -o 'Form of the output [default: table]'
            cand --output 'Form of the output [default: table]'
            cand --color 'When to use colour [default: auto]'
            cand --catalog 'Overlay catalog, a folder or a file; may be repeated, the last one wins'
            cand --config 'Config file instead of ./sky-accel.toml and the user''s'
            cand -q 'Say only what went wrong, not notes and footers'
            cand --quiet 'Say only what went wrong, not notes and footers'
            cand -v 'Say more: where prices and figures are from'
            cand --verbose 'Say more: where prices and figures are from'
            cand --explain 'Say on standard error why each candidate was kept or dropped (resolve, plan)'
            cand --no-config 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers'
            cand --offline 'Never touch the network: with --live, cached answers alone'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'sky-accel;compare'= {
            cand -o 'Form of the output [default: table]'
            cand --output 'Form of the output [default: table]'
            cand --color 'When to use colour [default: auto]'
            cand --catalog 'Overlay catalog, a folder or a file; may be repeated, the last one wins'
            cand --config 'Config file instead of ./sky-accel.toml and the user''s'
            cand -q 'Say only what went wrong, not notes and footers'
            cand --quiet 'Say only what went wrong, not notes and footers'
            cand -v 'Say more: where prices and figures are from'
            cand --verbose 'Say more: where prices and figures are from'
            cand --explain 'Say on standard error why each candidate was kept or dropped (resolve, plan)'
            cand --no-config 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers'
            cand --offline 'Never touch the network: with --live, cached answers alone'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'sky-accel;resolve'= {
            cand -o 'Form of the output [default: table]'
            cand --output 'Form of the output [default: table]'
            cand --color 'When to use colour [default: auto]'
            cand --catalog 'Overlay catalog, a folder or a file; may be repeated, the last one wins'
            cand --config 'Config file instead of ./sky-accel.toml and the user''s'
            cand --provider 'Only this provider: aws, runpod, vastai, verda, or one of an overlay; may be repeated'
            cand --region 'Only this region, pattern (eu-*) or country; may be repeated'
            cand --capacity-type 'How it is bought; by default ranked on demand, with the spot price beside it'
            cand --max-price 'At most so many US dollars per hour for the whole machine'
            cand --limit 'At most so many rows'
            cand --sort 'Order of the rows [default: price]'
            cand --max-age 'Use nothing older than this: 90s, 30m, 12h, 7d; exit 7 when only older prices are known'
            cand --timeout 'Seconds that a provider has for its answer'
            cand --capacity-blocks 'AWS: reserved blocks of so many hours [default when given: 24]'
            cand --disk 'Disk in GB that a marketplace''s price is to include'
            cand -q 'Say only what went wrong, not notes and footers'
            cand --quiet 'Say only what went wrong, not notes and footers'
            cand -v 'Say more: where prices and figures are from'
            cand --verbose 'Say more: where prices and figures are from'
            cand --explain 'Say on standard error why each candidate was kept or dropped (resolve, plan)'
            cand --no-config 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers'
            cand --offline 'Never touch the network: with --live, cached answers alone'
            cand --at-least 'Machines with more accelerators match too'
            cand --live 'Ask the providers what they sell now; needs an account with each'
            cand --refresh 'Ask again even where an answer is cached'
            cand --spot-scores 'AWS: how likely spot capacity is, from 1 to 10 by region'
            cand --check-quota 'AWS: whether the account''s quota allows one such machine'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'sky-accel;recommend'= {
            cand -o 'Form of the output [default: table]'
            cand --output 'Form of the output [default: table]'
            cand --color 'When to use colour [default: auto]'
            cand --catalog 'Overlay catalog, a folder or a file; may be repeated, the last one wins'
            cand --config 'Config file instead of ./sky-accel.toml and the user''s'
            cand --objective 'What to rank by [default: cost]'
            cand --tokens 'Tokens to train on, or to generate in all: 10M, 2B'
            cand --deadline 'Hours that these tokens may take'
            cand --budget 'US dollars that these tokens may cost'
            cand --provider 'Only this provider: aws, runpod, vastai, verda, or one of an overlay; may be repeated'
            cand --region 'Only this region, pattern (eu-*) or country; may be repeated'
            cand --capacity-type 'How it is bought; by default ranked on demand, with the spot price beside it'
            cand --max-price 'At most so many US dollars per hour for the whole machine'
            cand --limit 'At most so many rows'
            cand --model 'A name (Llama-3.1-8B, Qwen/Qwen3-32B), a config.json, a folder with safetensors, or a GGUF file'
            cand --model-size 'Parameters of a model that has no name: 7B, 13B, 350M'
            cand --assume 'Model type to read a config.json as, where it has one that is not known: llama, qwen3, …'
            cand --workload 'Kind of work: inference, lora, qlora, full or pretrain; recommend knows development too'
            cand --precision 'Format of the weights: bf16, fp8, int8, awq, gptq-int4, nf4, mxfp4, gguf:Q4_K_M, …'
            cand --group-size 'Weights of a group that share a scale'
            cand --kv-precision 'Format of the KV cache'
            cand --context 'Tokens of the prompt, or of a training sequence'
            cand --generate 'Tokens generated after the prompt'
            cand --batch 'Sequences at once, for each data-parallel rank'
            cand --engine 'What runs the model'
            cand --gpu-memory-utilization 'Share of the device that a serving engine may use'
            cand --max-batched-tokens 'Tokens that a serving engine computes at once'
            cand --attention 'Kind of attention'
            cand --logits 'Positions that logits are computed for'
            cand --compile 'Training is compiled'
            cand --optimizer 'Optimizer'
            cand --optimizer-in-backward 'Each step is taken while the backward pass runs'
            cand --master-weights 'A copy of the weights that the optimizer keeps: fp32 or none'
            cand --parameter-precision 'Format of trained parameters'
            cand --gradient-precision 'Format of gradients'
            cand --checkpointing 'Activations that are computed again'
            cand --lora-rank 'Rank of the adapters'
            cand --lora-targets 'Matrices with adapters'
            cand --offload 'What is kept in the host''s memory'
            cand --tensor-parallel 'Devices that share each matrix'
            cand --pipeline-parallel 'Devices that share the layers'
            cand --data-parallel 'Devices that each have a batch of their own'
            cand --context-parallel 'Devices that share each sequence'
            cand --expert-parallel 'Devices that share the experts'
            cand --zero-stage 'What data-parallel devices share: 1 optimizer, 2 gradients too, 3 weights too (FSDP)'
            cand -q 'Say only what went wrong, not notes and footers'
            cand --quiet 'Say only what went wrong, not notes and footers'
            cand -v 'Say more: where prices and figures are from'
            cand --verbose 'Say more: where prices and figures are from'
            cand --explain 'Say on standard error why each candidate was kept or dropped (resolve, plan)'
            cand --no-config 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers'
            cand --offline 'Never touch the network: with --live, cached answers alone'
            cand --guide 'The rule-of-thumb tables, with what the strategies really save'
            cand --chart 'Draw price against speed'
            cand --live 'Read the configuration of --model hf:organisation/name from its hub'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'sky-accel;fit'= {
            cand -o 'Form of the output [default: table]'
            cand --output 'Form of the output [default: table]'
            cand --color 'When to use colour [default: auto]'
            cand --catalog 'Overlay catalog, a folder or a file; may be repeated, the last one wins'
            cand --config 'Config file instead of ./sky-accel.toml and the user''s'
            cand --model 'A name (Llama-3.1-8B, Qwen/Qwen3-32B), a config.json, a folder with safetensors, or a GGUF file'
            cand --model-size 'Parameters of a model that has no name: 7B, 13B, 350M'
            cand --assume 'Model type to read a config.json as, where it has one that is not known: llama, qwen3, …'
            cand --workload 'Kind of work: inference, lora, qlora, full or pretrain; recommend knows development too'
            cand --precision 'Format of the weights: bf16, fp8, int8, awq, gptq-int4, nf4, mxfp4, gguf:Q4_K_M, …'
            cand --group-size 'Weights of a group that share a scale'
            cand --kv-precision 'Format of the KV cache'
            cand --context 'Tokens of the prompt, or of a training sequence'
            cand --generate 'Tokens generated after the prompt'
            cand --batch 'Sequences at once, for each data-parallel rank'
            cand --engine 'What runs the model'
            cand --gpu-memory-utilization 'Share of the device that a serving engine may use'
            cand --max-batched-tokens 'Tokens that a serving engine computes at once'
            cand --attention 'Kind of attention'
            cand --logits 'Positions that logits are computed for'
            cand --compile 'Training is compiled'
            cand --optimizer 'Optimizer'
            cand --optimizer-in-backward 'Each step is taken while the backward pass runs'
            cand --master-weights 'A copy of the weights that the optimizer keeps: fp32 or none'
            cand --parameter-precision 'Format of trained parameters'
            cand --gradient-precision 'Format of gradients'
            cand --checkpointing 'Activations that are computed again'
            cand --lora-rank 'Rank of the adapters'
            cand --lora-targets 'Matrices with adapters'
            cand --offload 'What is kept in the host''s memory'
            cand --tensor-parallel 'Devices that share each matrix'
            cand --pipeline-parallel 'Devices that share the layers'
            cand --data-parallel 'Devices that each have a batch of their own'
            cand --context-parallel 'Devices that share each sequence'
            cand --expert-parallel 'Devices that share the experts'
            cand --zero-stage 'What data-parallel devices share: 1 optimizer, 2 gradients too, 3 weights too (FSDP)'
            cand -q 'Say only what went wrong, not notes and footers'
            cand --quiet 'Say only what went wrong, not notes and footers'
            cand -v 'Say more: where prices and figures are from'
            cand --verbose 'Say more: where prices and figures are from'
            cand --explain 'Say on standard error why each candidate was kept or dropped (resolve, plan)'
            cand --no-config 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers'
            cand --offline 'Never touch the network: with --live, cached answers alone'
            cand --live 'Read the configuration of --model hf:organisation/name from its hub'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'sky-accel;plan'= {
            cand -o 'Form of the output [default: table]'
            cand --output 'Form of the output [default: table]'
            cand --color 'When to use colour [default: auto]'
            cand --catalog 'Overlay catalog, a folder or a file; may be repeated, the last one wins'
            cand --config 'Config file instead of ./sky-accel.toml and the user''s'
            cand --provider 'Only this provider: aws, runpod, vastai, verda, or one of an overlay; may be repeated'
            cand --region 'Only this region, pattern (eu-*) or country; may be repeated'
            cand --capacity-type 'How it is bought; by default ranked on demand, with the spot price beside it'
            cand --max-price 'At most so many US dollars per hour for the whole machine'
            cand --limit 'At most so many rows'
            cand --distinct 'Take each region once for each way of buying'
            cand --nodes 'Machines that are wanted'
            cand --hours 'Hours that they are wanted for'
            cand --budget 'US dollars for all machines: over --hours where it is given, else per hour'
            cand --interconnect 'What the accelerators are to be joined by'
            cand --cuda 'CUDA version of the image: devices and drivers that cannot run it are left out'
            cand --disk 'GB of disk'
            cand --name 'Name of the task, cluster or machine'
            cand --image 'Container image; for machines of AWS also ami-… or resolve:ssm:…'
            cand --run 'What a shell is to run [default: what lists the devices]'
            cand --reservation 'An on-demand capacity reservation of AWS to launch into'
            cand --capacity-block 'A capacity block of AWS to launch into'
            cand --slurm-map 'What a Slurm site calls a GPU or a slice: 3g.40gb=TYPE; may be repeated'
            cand --to 'Print the plan for this engine'
            cand --out 'Write the engine''s files into this folder'
            cand --lock 'Write what was decided to this file'
            cand --max-age 'Use nothing older than this: 90s, 30m, 12h, 7d; exit 7 when only older prices are known'
            cand --timeout 'Seconds that a provider has for its answer'
            cand --capacity-blocks 'AWS: reserved blocks of so many hours [default when given: 24]'
            cand -q 'Say only what went wrong, not notes and footers'
            cand --quiet 'Say only what went wrong, not notes and footers'
            cand -v 'Say more: where prices and figures are from'
            cand --verbose 'Say more: where prices and figures are from'
            cand --explain 'Say on standard error why each candidate was kept or dropped (resolve, plan)'
            cand --no-config 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers'
            cand --offline 'Never touch the network: with --live, cached answers alone'
            cand --spot-first 'Spot wherever it is sold, on demand behind it'
            cand --exact 'No larger machine, even where a provider sells no exact one'
            cand --strict 'Fail when the engine cannot say all that is asked'
            cand --locked 'Hold the plan against the file of --lock instead: exit 7 when anything moved'
            cand --live 'Ask the providers what they sell now; needs an account with each'
            cand --refresh 'Ask again even where an answer is cached'
            cand --spot-scores 'AWS: how likely spot capacity is, from 1 to 10 by region'
            cand --check-quota 'AWS: whether the account''s quota allows one such machine'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
            cand diff 'What differs between two plans, or lock files'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'sky-accel;plan;diff'= {
            cand -o 'Form of the output [default: table]'
            cand --output 'Form of the output [default: table]'
            cand --color 'When to use colour [default: auto]'
            cand --catalog 'Overlay catalog, a folder or a file; may be repeated, the last one wins'
            cand --config 'Config file instead of ./sky-accel.toml and the user''s'
            cand -q 'Say only what went wrong, not notes and footers'
            cand --quiet 'Say only what went wrong, not notes and footers'
            cand -v 'Say more: where prices and figures are from'
            cand --verbose 'Say more: where prices and figures are from'
            cand --explain 'Say on standard error why each candidate was kept or dropped (resolve, plan)'
            cand --no-config 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers'
            cand --offline 'Never touch the network: with --live, cached answers alone'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'sky-accel;plan;help'= {
            cand diff 'What differs between two plans, or lock files'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'sky-accel;plan;help;diff'= {
        }
        &'sky-accel;plan;help;help'= {
        }
        &'sky-accel;convert'= {
            cand -o 'Form of the output [default: table]'
            cand --output 'Form of the output [default: table]'
            cand --color 'When to use colour [default: auto]'
            cand --catalog 'Overlay catalog, a folder or a file; may be repeated, the last one wins'
            cand --config 'Config file instead of ./sky-accel.toml and the user''s'
            cand --to 'The tool whose words are wanted'
            cand -q 'Say only what went wrong, not notes and footers'
            cand --quiet 'Say only what went wrong, not notes and footers'
            cand -v 'Say more: where prices and figures are from'
            cand --verbose 'Say more: where prices and figures are from'
            cand --explain 'Say on standard error why each candidate was kept or dropped (resolve, plan)'
            cand --no-config 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers'
            cand --offline 'Never touch the network: with --live, cached answers alone'
            cand --strict 'Fail when the tool cannot say all that is asked'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'sky-accel;mig'= {
            cand -o 'Form of the output [default: table]'
            cand --output 'Form of the output [default: table]'
            cand --color 'When to use colour [default: auto]'
            cand --catalog 'Overlay catalog, a folder or a file; may be repeated, the last one wins'
            cand --config 'Config file instead of ./sky-accel.toml and the user''s'
            cand -q 'Say only what went wrong, not notes and footers'
            cand --quiet 'Say only what went wrong, not notes and footers'
            cand -v 'Say more: where prices and figures are from'
            cand --verbose 'Say more: where prices and figures are from'
            cand --explain 'Say on standard error why each candidate was kept or dropped (resolve, plan)'
            cand --no-config 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers'
            cand --offline 'Never touch the network: with --live, cached answers alone'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
            cand profiles 'The profiles of a GPU'
            cand fit 'Whether a mix of slices can be placed on one GPU, and where: exit 0 or 1'
            cand pack 'The fewest GPUs for many slices'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'sky-accel;mig;profiles'= {
            cand -o 'Form of the output [default: table]'
            cand --output 'Form of the output [default: table]'
            cand --color 'When to use colour [default: auto]'
            cand --catalog 'Overlay catalog, a folder or a file; may be repeated, the last one wins'
            cand --config 'Config file instead of ./sky-accel.toml and the user''s'
            cand -q 'Say only what went wrong, not notes and footers'
            cand --quiet 'Say only what went wrong, not notes and footers'
            cand -v 'Say more: where prices and figures are from'
            cand --verbose 'Say more: where prices and figures are from'
            cand --explain 'Say on standard error why each candidate was kept or dropped (resolve, plan)'
            cand --no-config 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers'
            cand --offline 'Never touch the network: with --live, cached answers alone'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'sky-accel;mig;fit'= {
            cand -o 'Form of the output [default: table]'
            cand --output 'Form of the output [default: table]'
            cand --color 'When to use colour [default: auto]'
            cand --catalog 'Overlay catalog, a folder or a file; may be repeated, the last one wins'
            cand --config 'Config file instead of ./sky-accel.toml and the user''s'
            cand --occupied 'What is on the GPU already: 2g.20gb@0 1g.10gb@5'
            cand --to 'Print what makes the slices instead, for this tool'
            cand -q 'Say only what went wrong, not notes and footers'
            cand --quiet 'Say only what went wrong, not notes and footers'
            cand -v 'Say more: where prices and figures are from'
            cand --verbose 'Say more: where prices and figures are from'
            cand --explain 'Say on standard error why each candidate was kept or dropped (resolve, plan)'
            cand --no-config 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers'
            cand --offline 'Never touch the network: with --live, cached answers alone'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'sky-accel;mig;pack'= {
            cand -o 'Form of the output [default: table]'
            cand --output 'Form of the output [default: table]'
            cand --color 'When to use colour [default: auto]'
            cand --catalog 'Overlay catalog, a folder or a file; may be repeated, the last one wins'
            cand --config 'Config file instead of ./sky-accel.toml and the user''s'
            cand --slice 'Slices by the memory that they must have, and compute: 10GB*20, 9.5GiB*20, 2g.10GB*20'
            cand --gpus 'GPUs that there are at most: what fits on them, and what is left'
            cand --onto 'GPUs that are there already, with what is on them: JSON, or the table of `nvidia-smi mig -lgi`; `-` is standard input'
            cand --to 'Print what makes the slices instead, for this tool'
            cand -q 'Say only what went wrong, not notes and footers'
            cand --quiet 'Say only what went wrong, not notes and footers'
            cand -v 'Say more: where prices and figures are from'
            cand --verbose 'Say more: where prices and figures are from'
            cand --explain 'Say on standard error why each candidate was kept or dropped (resolve, plan)'
            cand --no-config 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers'
            cand --offline 'Never touch the network: with --live, cached answers alone'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'sky-accel;mig;help'= {
            cand profiles 'The profiles of a GPU'
            cand fit 'Whether a mix of slices can be placed on one GPU, and where: exit 0 or 1'
            cand pack 'The fewest GPUs for many slices'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'sky-accel;mig;help;profiles'= {
        }
        &'sky-accel;mig;help;fit'= {
        }
        &'sky-accel;mig;help;pack'= {
        }
        &'sky-accel;mig;help;help'= {
        }
        &'sky-accel;is'= {
            cand -o 'Form of the output [default: table]'
            cand --output 'Form of the output [default: table]'
            cand --color 'When to use colour [default: auto]'
            cand --catalog 'Overlay catalog, a folder or a file; may be repeated, the last one wins'
            cand --config 'Config file instead of ./sky-accel.toml and the user''s'
            cand -q 'Say only what went wrong, not notes and footers'
            cand --quiet 'Say only what went wrong, not notes and footers'
            cand -v 'Say more: where prices and figures are from'
            cand --verbose 'Say more: where prices and figures are from'
            cand --explain 'Say on standard error why each candidate was kept or dropped (resolve, plan)'
            cand --no-config 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers'
            cand --offline 'Never touch the network: with --live, cached answers alone'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'sky-accel;catalog'= {
            cand -o 'Form of the output [default: table]'
            cand --output 'Form of the output [default: table]'
            cand --color 'When to use colour [default: auto]'
            cand --catalog 'Overlay catalog, a folder or a file; may be repeated, the last one wins'
            cand --config 'Config file instead of ./sky-accel.toml and the user''s'
            cand -q 'Say only what went wrong, not notes and footers'
            cand --quiet 'Say only what went wrong, not notes and footers'
            cand -v 'Say more: where prices and figures are from'
            cand --verbose 'Say more: where prices and figures are from'
            cand --explain 'Say on standard error why each candidate was kept or dropped (resolve, plan)'
            cand --no-config 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers'
            cand --offline 'Never touch the network: with --live, cached answers alone'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
            cand verify 'Check the catalog with its overlays, or with the paths given instead'
            cand path 'Where the catalog and its overlays are'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'sky-accel;catalog;verify'= {
            cand -o 'Form of the output [default: table]'
            cand --output 'Form of the output [default: table]'
            cand --color 'When to use colour [default: auto]'
            cand --catalog 'Overlay catalog, a folder or a file; may be repeated, the last one wins'
            cand --config 'Config file instead of ./sky-accel.toml and the user''s'
            cand -q 'Say only what went wrong, not notes and footers'
            cand --quiet 'Say only what went wrong, not notes and footers'
            cand -v 'Say more: where prices and figures are from'
            cand --verbose 'Say more: where prices and figures are from'
            cand --explain 'Say on standard error why each candidate was kept or dropped (resolve, plan)'
            cand --no-config 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers'
            cand --offline 'Never touch the network: with --live, cached answers alone'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'sky-accel;catalog;path'= {
            cand -o 'Form of the output [default: table]'
            cand --output 'Form of the output [default: table]'
            cand --color 'When to use colour [default: auto]'
            cand --catalog 'Overlay catalog, a folder or a file; may be repeated, the last one wins'
            cand --config 'Config file instead of ./sky-accel.toml and the user''s'
            cand -q 'Say only what went wrong, not notes and footers'
            cand --quiet 'Say only what went wrong, not notes and footers'
            cand -v 'Say more: where prices and figures are from'
            cand --verbose 'Say more: where prices and figures are from'
            cand --explain 'Say on standard error why each candidate was kept or dropped (resolve, plan)'
            cand --no-config 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers'
            cand --offline 'Never touch the network: with --live, cached answers alone'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'sky-accel;catalog;help'= {
            cand verify 'Check the catalog with its overlays, or with the paths given instead'
            cand path 'Where the catalog and its overlays are'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'sky-accel;catalog;help;verify'= {
        }
        &'sky-accel;catalog;help;path'= {
        }
        &'sky-accel;catalog;help;help'= {
        }
        &'sky-accel;config'= {
            cand -o 'Form of the output [default: table]'
            cand --output 'Form of the output [default: table]'
            cand --color 'When to use colour [default: auto]'
            cand --catalog 'Overlay catalog, a folder or a file; may be repeated, the last one wins'
            cand --config 'Config file instead of ./sky-accel.toml and the user''s'
            cand -q 'Say only what went wrong, not notes and footers'
            cand --quiet 'Say only what went wrong, not notes and footers'
            cand -v 'Say more: where prices and figures are from'
            cand --verbose 'Say more: where prices and figures are from'
            cand --explain 'Say on standard error why each candidate was kept or dropped (resolve, plan)'
            cand --no-config 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers'
            cand --offline 'Never touch the network: with --live, cached answers alone'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
            cand show 'Every setting, and the flag, variable or file that it came from'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'sky-accel;config;show'= {
            cand -o 'Form of the output [default: table]'
            cand --output 'Form of the output [default: table]'
            cand --color 'When to use colour [default: auto]'
            cand --catalog 'Overlay catalog, a folder or a file; may be repeated, the last one wins'
            cand --config 'Config file instead of ./sky-accel.toml and the user''s'
            cand -q 'Say only what went wrong, not notes and footers'
            cand --quiet 'Say only what went wrong, not notes and footers'
            cand -v 'Say more: where prices and figures are from'
            cand --verbose 'Say more: where prices and figures are from'
            cand --explain 'Say on standard error why each candidate was kept or dropped (resolve, plan)'
            cand --no-config 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers'
            cand --offline 'Never touch the network: with --live, cached answers alone'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'sky-accel;config;help'= {
            cand show 'Every setting, and the flag, variable or file that it came from'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'sky-accel;config;help;show'= {
        }
        &'sky-accel;config;help;help'= {
        }
        &'sky-accel;completions'= {
            cand -o 'Form of the output [default: table]'
            cand --output 'Form of the output [default: table]'
            cand --color 'When to use colour [default: auto]'
            cand --catalog 'Overlay catalog, a folder or a file; may be repeated, the last one wins'
            cand --config 'Config file instead of ./sky-accel.toml and the user''s'
            cand -q 'Say only what went wrong, not notes and footers'
            cand --quiet 'Say only what went wrong, not notes and footers'
            cand -v 'Say more: where prices and figures are from'
            cand --verbose 'Say more: where prices and figures are from'
            cand --explain 'Say on standard error why each candidate was kept or dropped (resolve, plan)'
            cand --no-config 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers'
            cand --offline 'Never touch the network: with --live, cached answers alone'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'sky-accel;man'= {
            cand -o 'Form of the output [default: table]'
            cand --output 'Form of the output [default: table]'
            cand --color 'When to use colour [default: auto]'
            cand --catalog 'Overlay catalog, a folder or a file; may be repeated, the last one wins'
            cand --config 'Config file instead of ./sky-accel.toml and the user''s'
            cand -q 'Say only what went wrong, not notes and footers'
            cand --quiet 'Say only what went wrong, not notes and footers'
            cand -v 'Say more: where prices and figures are from'
            cand --verbose 'Say more: where prices and figures are from'
            cand --explain 'Say on standard error why each candidate was kept or dropped (resolve, plan)'
            cand --no-config 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers'
            cand --offline 'Never touch the network: with --live, cached answers alone'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'sky-accel;help'= {
            cand list 'Which accelerators exist'
            cand show 'All about one accelerator, instance type or provider id'
            cand compare 'The same figures side by side, with ratios against the first'
            cand resolve 'Each provider''s own instance types, prices and regions for a spec'
            cand recommend 'What to rent for a model or a kind of work, with offers'
            cand fit 'Whether a model fits on some hardware, term by term: exit 0 or 1'
            cand plan 'Where to try, in which order, and the plan in the words of the engine that applies it'
            cand convert 'The same hardware in the words of another tool'
            cand mig 'MIG slices: what a GPU can be cut into, where they go, how few GPUs they take'
            cand is 'Whether a name is of a kind: exit 0 or 1'
            cand catalog 'Check catalogs and see where they are'
            cand config 'Settings, and where each came from'
            cand completions 'Print a shell completion script'
            cand man 'Print a manual page: sky-accel man plan | man -l -'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'sky-accel;help;list'= {
        }
        &'sky-accel;help;show'= {
        }
        &'sky-accel;help;compare'= {
        }
        &'sky-accel;help;resolve'= {
        }
        &'sky-accel;help;recommend'= {
        }
        &'sky-accel;help;fit'= {
        }
        &'sky-accel;help;plan'= {
        }
        &'sky-accel;help;convert'= {
        }
        &'sky-accel;help;mig'= {
            cand profiles 'The profiles of a GPU'
            cand fit 'Whether a mix of slices can be placed on one GPU, and where: exit 0 or 1'
            cand pack 'The fewest GPUs for many slices'
        }
        &'sky-accel;help;mig;profiles'= {
        }
        &'sky-accel;help;mig;fit'= {
        }
        &'sky-accel;help;mig;pack'= {
        }
        &'sky-accel;help;is'= {
        }
        &'sky-accel;help;catalog'= {
            cand verify 'Check the catalog with its overlays, or with the paths given instead'
            cand path 'Where the catalog and its overlays are'
        }
        &'sky-accel;help;catalog;verify'= {
        }
        &'sky-accel;help;catalog;path'= {
        }
        &'sky-accel;help;config'= {
            cand show 'Every setting, and the flag, variable or file that it came from'
        }
        &'sky-accel;help;config;show'= {
        }
        &'sky-accel;help;completions'= {
        }
        &'sky-accel;help;man'= {
        }
        &'sky-accel;help;help'= {
        }
    ]
    $completions[$command]
}
