
using namespace System.Management.Automation
using namespace System.Management.Automation.Language

Register-ArgumentCompleter -Native -CommandName 'sky-accel' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)

    $commandElements = $commandAst.CommandElements
    $command = @(
        'sky-accel'
        for ($i = 1; $i -lt $commandElements.Count; $i++) {
            $element = $commandElements[$i]
            if ($element -isnot [StringConstantExpressionAst] -or
                $element.StringConstantType -ne [StringConstantType]::BareWord -or
                $element.Value.StartsWith('-') -or
                $element.Value -eq $wordToComplete) {
                break
        }
        $element.Value
    }) -join ';'

    $completions = @(switch ($command) {
        'sky-accel' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Form of the output [default: table]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Form of the output [default: table]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour [default: auto]')
            [CompletionResult]::new('--catalog', '--catalog', [CompletionResultType]::ParameterName, 'Overlay catalog, a folder or a file; may be repeated, the last one wins')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Config file instead of ./sky-accel.toml and the user''s')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say only what went wrong, not notes and footers')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say only what went wrong, not notes and footers')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: where prices and figures are from')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: where prices and figures are from')
            [CompletionResult]::new('--explain', '--explain', [CompletionResultType]::ParameterName, 'Say on standard error why each candidate was kept or dropped (resolve, plan)')
            [CompletionResult]::new('--no-config', '--no-config', [CompletionResultType]::ParameterName, 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Never touch the network: with --live, cached answers alone')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'Which accelerators exist')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'All about one accelerator, instance type or provider id')
            [CompletionResult]::new('compare', 'compare', [CompletionResultType]::ParameterValue, 'The same figures side by side, with ratios against the first')
            [CompletionResult]::new('resolve', 'resolve', [CompletionResultType]::ParameterValue, 'Each provider''s own instance types, prices and regions for a spec')
            [CompletionResult]::new('recommend', 'recommend', [CompletionResultType]::ParameterValue, 'What to rent for a model or a kind of work, with offers')
            [CompletionResult]::new('fit', 'fit', [CompletionResultType]::ParameterValue, 'Whether a model fits on some hardware, term by term: exit 0 or 1')
            [CompletionResult]::new('plan', 'plan', [CompletionResultType]::ParameterValue, 'Where to try, in which order, and the plan in the words of the engine that applies it')
            [CompletionResult]::new('convert', 'convert', [CompletionResultType]::ParameterValue, 'The same hardware in the words of another tool')
            [CompletionResult]::new('mig', 'mig', [CompletionResultType]::ParameterValue, 'MIG slices: what a GPU can be cut into, where they go, how few GPUs they take')
            [CompletionResult]::new('is', 'is', [CompletionResultType]::ParameterValue, 'Whether a name is of a kind: exit 0 or 1')
            [CompletionResult]::new('catalog', 'catalog', [CompletionResultType]::ParameterValue, 'Check catalogs and see where they are')
            [CompletionResult]::new('config', 'config', [CompletionResultType]::ParameterValue, 'Settings, and where each came from')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print a shell completion script')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Print a manual page: sky-accel man plan | man -l -')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'sky-accel;list' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Form of the output [default: table]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Form of the output [default: table]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour [default: auto]')
            [CompletionResult]::new('--catalog', '--catalog', [CompletionResultType]::ParameterName, 'Overlay catalog, a folder or a file; may be repeated, the last one wins')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Config file instead of ./sky-accel.toml and the user''s')
            [CompletionResult]::new('--vendor', '--vendor', [CompletionResultType]::ParameterName, 'By maker: nvidia, amd, intel, google, aws, …')
            [CompletionResult]::new('--class', '--class', [CompletionResultType]::ParameterName, 'datacenter, workstation, consumer, asic or media')
            [CompletionResult]::new('--arch', '--arch', [CompletionResultType]::ParameterName, 'By architecture: hopper, ampere, cdna3, …')
            [CompletionResult]::new('--provider', '--provider', [CompletionResultType]::ParameterName, 'Sold by this provider; may be repeated')
            [CompletionResult]::new('--min-memory', '--min-memory', [CompletionResultType]::ParameterName, 'At least so much memory per device; no unit means GB')
            [CompletionResult]::new('--sort', '--sort', [CompletionResultType]::ParameterName, 'Order of the rows [default: by class, the newest first]')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'At most so many rows')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say only what went wrong, not notes and footers')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say only what went wrong, not notes and footers')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: where prices and figures are from')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: where prices and figures are from')
            [CompletionResult]::new('--explain', '--explain', [CompletionResultType]::ParameterName, 'Say on standard error why each candidate was kept or dropped (resolve, plan)')
            [CompletionResult]::new('--no-config', '--no-config', [CompletionResultType]::ParameterName, 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Never touch the network: with --live, cached answers alone')
            [CompletionResult]::new('--mig', '--mig', [CompletionResultType]::ParameterName, 'Only what can be cut into MIG slices')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'sky-accel;show' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Form of the output [default: table]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Form of the output [default: table]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour [default: auto]')
            [CompletionResult]::new('--catalog', '--catalog', [CompletionResultType]::ParameterName, 'Overlay catalog, a folder or a file; may be repeated, the last one wins')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Config file instead of ./sky-accel.toml and the user''s')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say only what went wrong, not notes and footers')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say only what went wrong, not notes and footers')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: where prices and figures are from')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: where prices and figures are from')
            [CompletionResult]::new('--explain', '--explain', [CompletionResultType]::ParameterName, 'Say on standard error why each candidate was kept or dropped (resolve, plan)')
            [CompletionResult]::new('--no-config', '--no-config', [CompletionResultType]::ParameterName, 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Never touch the network: with --live, cached answers alone')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'sky-accel;compare' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Form of the output [default: table]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Form of the output [default: table]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour [default: auto]')
            [CompletionResult]::new('--catalog', '--catalog', [CompletionResultType]::ParameterName, 'Overlay catalog, a folder or a file; may be repeated, the last one wins')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Config file instead of ./sky-accel.toml and the user''s')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say only what went wrong, not notes and footers')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say only what went wrong, not notes and footers')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: where prices and figures are from')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: where prices and figures are from')
            [CompletionResult]::new('--explain', '--explain', [CompletionResultType]::ParameterName, 'Say on standard error why each candidate was kept or dropped (resolve, plan)')
            [CompletionResult]::new('--no-config', '--no-config', [CompletionResultType]::ParameterName, 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Never touch the network: with --live, cached answers alone')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'sky-accel;resolve' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Form of the output [default: table]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Form of the output [default: table]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour [default: auto]')
            [CompletionResult]::new('--catalog', '--catalog', [CompletionResultType]::ParameterName, 'Overlay catalog, a folder or a file; may be repeated, the last one wins')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Config file instead of ./sky-accel.toml and the user''s')
            [CompletionResult]::new('--provider', '--provider', [CompletionResultType]::ParameterName, 'Only this provider: aws, runpod, vastai, verda, or one of an overlay; may be repeated')
            [CompletionResult]::new('--region', '--region', [CompletionResultType]::ParameterName, 'Only this region, pattern (eu-*) or country; may be repeated')
            [CompletionResult]::new('--capacity-type', '--capacity-type', [CompletionResultType]::ParameterName, 'How it is bought; by default ranked on demand, with the spot price beside it')
            [CompletionResult]::new('--max-price', '--max-price', [CompletionResultType]::ParameterName, 'At most so many US dollars per hour for the whole machine')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'At most so many rows')
            [CompletionResult]::new('--sort', '--sort', [CompletionResultType]::ParameterName, 'Order of the rows [default: price]')
            [CompletionResult]::new('--max-age', '--max-age', [CompletionResultType]::ParameterName, 'Use nothing older than this: 90s, 30m, 12h, 7d; exit 7 when only older prices are known')
            [CompletionResult]::new('--timeout', '--timeout', [CompletionResultType]::ParameterName, 'Seconds that a provider has for its answer')
            [CompletionResult]::new('--capacity-blocks', '--capacity-blocks', [CompletionResultType]::ParameterName, 'AWS: reserved blocks of so many hours [default when given: 24]')
            [CompletionResult]::new('--disk', '--disk', [CompletionResultType]::ParameterName, 'Disk in GB that a marketplace''s price is to include')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say only what went wrong, not notes and footers')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say only what went wrong, not notes and footers')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: where prices and figures are from')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: where prices and figures are from')
            [CompletionResult]::new('--explain', '--explain', [CompletionResultType]::ParameterName, 'Say on standard error why each candidate was kept or dropped (resolve, plan)')
            [CompletionResult]::new('--no-config', '--no-config', [CompletionResultType]::ParameterName, 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Never touch the network: with --live, cached answers alone')
            [CompletionResult]::new('--at-least', '--at-least', [CompletionResultType]::ParameterName, 'Machines with more accelerators match too')
            [CompletionResult]::new('--live', '--live', [CompletionResultType]::ParameterName, 'Ask the providers what they sell now; needs an account with each')
            [CompletionResult]::new('--refresh', '--refresh', [CompletionResultType]::ParameterName, 'Ask again even where an answer is cached')
            [CompletionResult]::new('--spot-scores', '--spot-scores', [CompletionResultType]::ParameterName, 'AWS: how likely spot capacity is, from 1 to 10 by region')
            [CompletionResult]::new('--check-quota', '--check-quota', [CompletionResultType]::ParameterName, 'AWS: whether the account''s quota allows one such machine')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'sky-accel;recommend' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Form of the output [default: table]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Form of the output [default: table]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour [default: auto]')
            [CompletionResult]::new('--catalog', '--catalog', [CompletionResultType]::ParameterName, 'Overlay catalog, a folder or a file; may be repeated, the last one wins')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Config file instead of ./sky-accel.toml and the user''s')
            [CompletionResult]::new('--objective', '--objective', [CompletionResultType]::ParameterName, 'What to rank by [default: cost]')
            [CompletionResult]::new('--tokens', '--tokens', [CompletionResultType]::ParameterName, 'Tokens to train on, or to generate in all: 10M, 2B')
            [CompletionResult]::new('--deadline', '--deadline', [CompletionResultType]::ParameterName, 'Hours that these tokens may take')
            [CompletionResult]::new('--budget', '--budget', [CompletionResultType]::ParameterName, 'US dollars that these tokens may cost')
            [CompletionResult]::new('--provider', '--provider', [CompletionResultType]::ParameterName, 'Only this provider: aws, runpod, vastai, verda, or one of an overlay; may be repeated')
            [CompletionResult]::new('--region', '--region', [CompletionResultType]::ParameterName, 'Only this region, pattern (eu-*) or country; may be repeated')
            [CompletionResult]::new('--capacity-type', '--capacity-type', [CompletionResultType]::ParameterName, 'How it is bought; by default ranked on demand, with the spot price beside it')
            [CompletionResult]::new('--max-price', '--max-price', [CompletionResultType]::ParameterName, 'At most so many US dollars per hour for the whole machine')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'At most so many rows')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'A name (Llama-3.1-8B, Qwen/Qwen3-32B), a config.json, a folder with safetensors, or a GGUF file')
            [CompletionResult]::new('--model-size', '--model-size', [CompletionResultType]::ParameterName, 'Parameters of a model that has no name: 7B, 13B, 350M')
            [CompletionResult]::new('--assume', '--assume', [CompletionResultType]::ParameterName, 'Model type to read a config.json as, where it has one that is not known: llama, qwen3, …')
            [CompletionResult]::new('--workload', '--workload', [CompletionResultType]::ParameterName, 'Kind of work: inference, lora, qlora, full or pretrain; recommend knows development too')
            [CompletionResult]::new('--precision', '--precision', [CompletionResultType]::ParameterName, 'Format of the weights: bf16, fp8, int8, awq, gptq-int4, nf4, mxfp4, gguf:Q4_K_M, …')
            [CompletionResult]::new('--group-size', '--group-size', [CompletionResultType]::ParameterName, 'Weights of a group that share a scale')
            [CompletionResult]::new('--kv-precision', '--kv-precision', [CompletionResultType]::ParameterName, 'Format of the KV cache')
            [CompletionResult]::new('--context', '--context', [CompletionResultType]::ParameterName, 'Tokens of the prompt, or of a training sequence')
            [CompletionResult]::new('--generate', '--generate', [CompletionResultType]::ParameterName, 'Tokens generated after the prompt')
            [CompletionResult]::new('--batch', '--batch', [CompletionResultType]::ParameterName, 'Sequences at once, for each data-parallel rank')
            [CompletionResult]::new('--engine', '--engine', [CompletionResultType]::ParameterName, 'What runs the model')
            [CompletionResult]::new('--gpu-memory-utilization', '--gpu-memory-utilization', [CompletionResultType]::ParameterName, 'Share of the device that a serving engine may use')
            [CompletionResult]::new('--max-batched-tokens', '--max-batched-tokens', [CompletionResultType]::ParameterName, 'Tokens that a serving engine computes at once')
            [CompletionResult]::new('--attention', '--attention', [CompletionResultType]::ParameterName, 'Kind of attention')
            [CompletionResult]::new('--logits', '--logits', [CompletionResultType]::ParameterName, 'Positions that logits are computed for')
            [CompletionResult]::new('--compile', '--compile', [CompletionResultType]::ParameterName, 'Training is compiled')
            [CompletionResult]::new('--optimizer', '--optimizer', [CompletionResultType]::ParameterName, 'Optimizer')
            [CompletionResult]::new('--optimizer-in-backward', '--optimizer-in-backward', [CompletionResultType]::ParameterName, 'Each step is taken while the backward pass runs')
            [CompletionResult]::new('--master-weights', '--master-weights', [CompletionResultType]::ParameterName, 'A copy of the weights that the optimizer keeps: fp32 or none')
            [CompletionResult]::new('--parameter-precision', '--parameter-precision', [CompletionResultType]::ParameterName, 'Format of trained parameters')
            [CompletionResult]::new('--gradient-precision', '--gradient-precision', [CompletionResultType]::ParameterName, 'Format of gradients')
            [CompletionResult]::new('--checkpointing', '--checkpointing', [CompletionResultType]::ParameterName, 'Activations that are computed again')
            [CompletionResult]::new('--lora-rank', '--lora-rank', [CompletionResultType]::ParameterName, 'Rank of the adapters')
            [CompletionResult]::new('--lora-targets', '--lora-targets', [CompletionResultType]::ParameterName, 'Matrices with adapters')
            [CompletionResult]::new('--offload', '--offload', [CompletionResultType]::ParameterName, 'What is kept in the host''s memory')
            [CompletionResult]::new('--tensor-parallel', '--tensor-parallel', [CompletionResultType]::ParameterName, 'Devices that share each matrix')
            [CompletionResult]::new('--pipeline-parallel', '--pipeline-parallel', [CompletionResultType]::ParameterName, 'Devices that share the layers')
            [CompletionResult]::new('--data-parallel', '--data-parallel', [CompletionResultType]::ParameterName, 'Devices that each have a batch of their own')
            [CompletionResult]::new('--context-parallel', '--context-parallel', [CompletionResultType]::ParameterName, 'Devices that share each sequence')
            [CompletionResult]::new('--expert-parallel', '--expert-parallel', [CompletionResultType]::ParameterName, 'Devices that share the experts')
            [CompletionResult]::new('--zero-stage', '--zero-stage', [CompletionResultType]::ParameterName, 'What data-parallel devices share: 1 optimizer, 2 gradients too, 3 weights too (FSDP)')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say only what went wrong, not notes and footers')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say only what went wrong, not notes and footers')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: where prices and figures are from')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: where prices and figures are from')
            [CompletionResult]::new('--explain', '--explain', [CompletionResultType]::ParameterName, 'Say on standard error why each candidate was kept or dropped (resolve, plan)')
            [CompletionResult]::new('--no-config', '--no-config', [CompletionResultType]::ParameterName, 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Never touch the network: with --live, cached answers alone')
            [CompletionResult]::new('--guide', '--guide', [CompletionResultType]::ParameterName, 'The rule-of-thumb tables, with what the strategies really save')
            [CompletionResult]::new('--chart', '--chart', [CompletionResultType]::ParameterName, 'Draw price against speed')
            [CompletionResult]::new('--live', '--live', [CompletionResultType]::ParameterName, 'Read the configuration of --model hf:organisation/name from its hub')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'sky-accel;fit' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Form of the output [default: table]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Form of the output [default: table]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour [default: auto]')
            [CompletionResult]::new('--catalog', '--catalog', [CompletionResultType]::ParameterName, 'Overlay catalog, a folder or a file; may be repeated, the last one wins')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Config file instead of ./sky-accel.toml and the user''s')
            [CompletionResult]::new('--model', '--model', [CompletionResultType]::ParameterName, 'A name (Llama-3.1-8B, Qwen/Qwen3-32B), a config.json, a folder with safetensors, or a GGUF file')
            [CompletionResult]::new('--model-size', '--model-size', [CompletionResultType]::ParameterName, 'Parameters of a model that has no name: 7B, 13B, 350M')
            [CompletionResult]::new('--assume', '--assume', [CompletionResultType]::ParameterName, 'Model type to read a config.json as, where it has one that is not known: llama, qwen3, …')
            [CompletionResult]::new('--workload', '--workload', [CompletionResultType]::ParameterName, 'Kind of work: inference, lora, qlora, full or pretrain; recommend knows development too')
            [CompletionResult]::new('--precision', '--precision', [CompletionResultType]::ParameterName, 'Format of the weights: bf16, fp8, int8, awq, gptq-int4, nf4, mxfp4, gguf:Q4_K_M, …')
            [CompletionResult]::new('--group-size', '--group-size', [CompletionResultType]::ParameterName, 'Weights of a group that share a scale')
            [CompletionResult]::new('--kv-precision', '--kv-precision', [CompletionResultType]::ParameterName, 'Format of the KV cache')
            [CompletionResult]::new('--context', '--context', [CompletionResultType]::ParameterName, 'Tokens of the prompt, or of a training sequence')
            [CompletionResult]::new('--generate', '--generate', [CompletionResultType]::ParameterName, 'Tokens generated after the prompt')
            [CompletionResult]::new('--batch', '--batch', [CompletionResultType]::ParameterName, 'Sequences at once, for each data-parallel rank')
            [CompletionResult]::new('--engine', '--engine', [CompletionResultType]::ParameterName, 'What runs the model')
            [CompletionResult]::new('--gpu-memory-utilization', '--gpu-memory-utilization', [CompletionResultType]::ParameterName, 'Share of the device that a serving engine may use')
            [CompletionResult]::new('--max-batched-tokens', '--max-batched-tokens', [CompletionResultType]::ParameterName, 'Tokens that a serving engine computes at once')
            [CompletionResult]::new('--attention', '--attention', [CompletionResultType]::ParameterName, 'Kind of attention')
            [CompletionResult]::new('--logits', '--logits', [CompletionResultType]::ParameterName, 'Positions that logits are computed for')
            [CompletionResult]::new('--compile', '--compile', [CompletionResultType]::ParameterName, 'Training is compiled')
            [CompletionResult]::new('--optimizer', '--optimizer', [CompletionResultType]::ParameterName, 'Optimizer')
            [CompletionResult]::new('--optimizer-in-backward', '--optimizer-in-backward', [CompletionResultType]::ParameterName, 'Each step is taken while the backward pass runs')
            [CompletionResult]::new('--master-weights', '--master-weights', [CompletionResultType]::ParameterName, 'A copy of the weights that the optimizer keeps: fp32 or none')
            [CompletionResult]::new('--parameter-precision', '--parameter-precision', [CompletionResultType]::ParameterName, 'Format of trained parameters')
            [CompletionResult]::new('--gradient-precision', '--gradient-precision', [CompletionResultType]::ParameterName, 'Format of gradients')
            [CompletionResult]::new('--checkpointing', '--checkpointing', [CompletionResultType]::ParameterName, 'Activations that are computed again')
            [CompletionResult]::new('--lora-rank', '--lora-rank', [CompletionResultType]::ParameterName, 'Rank of the adapters')
            [CompletionResult]::new('--lora-targets', '--lora-targets', [CompletionResultType]::ParameterName, 'Matrices with adapters')
            [CompletionResult]::new('--offload', '--offload', [CompletionResultType]::ParameterName, 'What is kept in the host''s memory')
            [CompletionResult]::new('--tensor-parallel', '--tensor-parallel', [CompletionResultType]::ParameterName, 'Devices that share each matrix')
            [CompletionResult]::new('--pipeline-parallel', '--pipeline-parallel', [CompletionResultType]::ParameterName, 'Devices that share the layers')
            [CompletionResult]::new('--data-parallel', '--data-parallel', [CompletionResultType]::ParameterName, 'Devices that each have a batch of their own')
            [CompletionResult]::new('--context-parallel', '--context-parallel', [CompletionResultType]::ParameterName, 'Devices that share each sequence')
            [CompletionResult]::new('--expert-parallel', '--expert-parallel', [CompletionResultType]::ParameterName, 'Devices that share the experts')
            [CompletionResult]::new('--zero-stage', '--zero-stage', [CompletionResultType]::ParameterName, 'What data-parallel devices share: 1 optimizer, 2 gradients too, 3 weights too (FSDP)')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say only what went wrong, not notes and footers')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say only what went wrong, not notes and footers')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: where prices and figures are from')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: where prices and figures are from')
            [CompletionResult]::new('--explain', '--explain', [CompletionResultType]::ParameterName, 'Say on standard error why each candidate was kept or dropped (resolve, plan)')
            [CompletionResult]::new('--no-config', '--no-config', [CompletionResultType]::ParameterName, 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Never touch the network: with --live, cached answers alone')
            [CompletionResult]::new('--live', '--live', [CompletionResultType]::ParameterName, 'Read the configuration of --model hf:organisation/name from its hub')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'sky-accel;plan' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Form of the output [default: table]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Form of the output [default: table]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour [default: auto]')
            [CompletionResult]::new('--catalog', '--catalog', [CompletionResultType]::ParameterName, 'Overlay catalog, a folder or a file; may be repeated, the last one wins')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Config file instead of ./sky-accel.toml and the user''s')
            [CompletionResult]::new('--provider', '--provider', [CompletionResultType]::ParameterName, 'Only this provider: aws, runpod, vastai, verda, or one of an overlay; may be repeated')
            [CompletionResult]::new('--region', '--region', [CompletionResultType]::ParameterName, 'Only this region, pattern (eu-*) or country; may be repeated')
            [CompletionResult]::new('--capacity-type', '--capacity-type', [CompletionResultType]::ParameterName, 'How it is bought; by default ranked on demand, with the spot price beside it')
            [CompletionResult]::new('--max-price', '--max-price', [CompletionResultType]::ParameterName, 'At most so many US dollars per hour for the whole machine')
            [CompletionResult]::new('--limit', '--limit', [CompletionResultType]::ParameterName, 'At most so many rows')
            [CompletionResult]::new('--distinct', '--distinct', [CompletionResultType]::ParameterName, 'Take each region once for each way of buying')
            [CompletionResult]::new('--nodes', '--nodes', [CompletionResultType]::ParameterName, 'Machines that are wanted')
            [CompletionResult]::new('--hours', '--hours', [CompletionResultType]::ParameterName, 'Hours that they are wanted for')
            [CompletionResult]::new('--budget', '--budget', [CompletionResultType]::ParameterName, 'US dollars for all machines: over --hours where it is given, else per hour')
            [CompletionResult]::new('--interconnect', '--interconnect', [CompletionResultType]::ParameterName, 'What the accelerators are to be joined by')
            [CompletionResult]::new('--cuda', '--cuda', [CompletionResultType]::ParameterName, 'CUDA version of the image: devices and drivers that cannot run it are left out')
            [CompletionResult]::new('--disk', '--disk', [CompletionResultType]::ParameterName, 'GB of disk')
            [CompletionResult]::new('--name', '--name', [CompletionResultType]::ParameterName, 'Name of the task, cluster or machine')
            [CompletionResult]::new('--image', '--image', [CompletionResultType]::ParameterName, 'Container image; for machines of AWS also ami-… or resolve:ssm:…')
            [CompletionResult]::new('--run', '--run', [CompletionResultType]::ParameterName, 'What a shell is to run [default: what lists the devices]')
            [CompletionResult]::new('--reservation', '--reservation', [CompletionResultType]::ParameterName, 'An on-demand capacity reservation of AWS to launch into')
            [CompletionResult]::new('--capacity-block', '--capacity-block', [CompletionResultType]::ParameterName, 'A capacity block of AWS to launch into')
            [CompletionResult]::new('--slurm-map', '--slurm-map', [CompletionResultType]::ParameterName, 'What a Slurm site calls a GPU or a slice: 3g.40gb=TYPE; may be repeated')
            [CompletionResult]::new('--to', '--to', [CompletionResultType]::ParameterName, 'Print the plan for this engine')
            [CompletionResult]::new('--out', '--out', [CompletionResultType]::ParameterName, 'Write the engine''s files into this folder')
            [CompletionResult]::new('--lock', '--lock', [CompletionResultType]::ParameterName, 'Write what was decided to this file')
            [CompletionResult]::new('--max-age', '--max-age', [CompletionResultType]::ParameterName, 'Use nothing older than this: 90s, 30m, 12h, 7d; exit 7 when only older prices are known')
            [CompletionResult]::new('--timeout', '--timeout', [CompletionResultType]::ParameterName, 'Seconds that a provider has for its answer')
            [CompletionResult]::new('--capacity-blocks', '--capacity-blocks', [CompletionResultType]::ParameterName, 'AWS: reserved blocks of so many hours [default when given: 24]')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say only what went wrong, not notes and footers')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say only what went wrong, not notes and footers')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: where prices and figures are from')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: where prices and figures are from')
            [CompletionResult]::new('--explain', '--explain', [CompletionResultType]::ParameterName, 'Say on standard error why each candidate was kept or dropped (resolve, plan)')
            [CompletionResult]::new('--no-config', '--no-config', [CompletionResultType]::ParameterName, 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Never touch the network: with --live, cached answers alone')
            [CompletionResult]::new('--spot-first', '--spot-first', [CompletionResultType]::ParameterName, 'Spot wherever it is sold, on demand behind it')
            [CompletionResult]::new('--exact', '--exact', [CompletionResultType]::ParameterName, 'No larger machine, even where a provider sells no exact one')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Fail when the engine cannot say all that is asked')
            [CompletionResult]::new('--locked', '--locked', [CompletionResultType]::ParameterName, 'Hold the plan against the file of --lock instead: exit 7 when anything moved')
            [CompletionResult]::new('--live', '--live', [CompletionResultType]::ParameterName, 'Ask the providers what they sell now; needs an account with each')
            [CompletionResult]::new('--refresh', '--refresh', [CompletionResultType]::ParameterName, 'Ask again even where an answer is cached')
            [CompletionResult]::new('--spot-scores', '--spot-scores', [CompletionResultType]::ParameterName, 'AWS: how likely spot capacity is, from 1 to 10 by region')
            [CompletionResult]::new('--check-quota', '--check-quota', [CompletionResultType]::ParameterName, 'AWS: whether the account''s quota allows one such machine')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('diff', 'diff', [CompletionResultType]::ParameterValue, 'What differs between two plans, or lock files')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'sky-accel;plan;diff' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Form of the output [default: table]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Form of the output [default: table]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour [default: auto]')
            [CompletionResult]::new('--catalog', '--catalog', [CompletionResultType]::ParameterName, 'Overlay catalog, a folder or a file; may be repeated, the last one wins')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Config file instead of ./sky-accel.toml and the user''s')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say only what went wrong, not notes and footers')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say only what went wrong, not notes and footers')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: where prices and figures are from')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: where prices and figures are from')
            [CompletionResult]::new('--explain', '--explain', [CompletionResultType]::ParameterName, 'Say on standard error why each candidate was kept or dropped (resolve, plan)')
            [CompletionResult]::new('--no-config', '--no-config', [CompletionResultType]::ParameterName, 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Never touch the network: with --live, cached answers alone')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'sky-accel;plan;help' {
            [CompletionResult]::new('diff', 'diff', [CompletionResultType]::ParameterValue, 'What differs between two plans, or lock files')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'sky-accel;plan;help;diff' {
            break
        }
        'sky-accel;plan;help;help' {
            break
        }
        'sky-accel;convert' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Form of the output [default: table]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Form of the output [default: table]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour [default: auto]')
            [CompletionResult]::new('--catalog', '--catalog', [CompletionResultType]::ParameterName, 'Overlay catalog, a folder or a file; may be repeated, the last one wins')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Config file instead of ./sky-accel.toml and the user''s')
            [CompletionResult]::new('--to', '--to', [CompletionResultType]::ParameterName, 'The tool whose words are wanted')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say only what went wrong, not notes and footers')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say only what went wrong, not notes and footers')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: where prices and figures are from')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: where prices and figures are from')
            [CompletionResult]::new('--explain', '--explain', [CompletionResultType]::ParameterName, 'Say on standard error why each candidate was kept or dropped (resolve, plan)')
            [CompletionResult]::new('--no-config', '--no-config', [CompletionResultType]::ParameterName, 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Never touch the network: with --live, cached answers alone')
            [CompletionResult]::new('--strict', '--strict', [CompletionResultType]::ParameterName, 'Fail when the tool cannot say all that is asked')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'sky-accel;mig' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Form of the output [default: table]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Form of the output [default: table]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour [default: auto]')
            [CompletionResult]::new('--catalog', '--catalog', [CompletionResultType]::ParameterName, 'Overlay catalog, a folder or a file; may be repeated, the last one wins')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Config file instead of ./sky-accel.toml and the user''s')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say only what went wrong, not notes and footers')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say only what went wrong, not notes and footers')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: where prices and figures are from')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: where prices and figures are from')
            [CompletionResult]::new('--explain', '--explain', [CompletionResultType]::ParameterName, 'Say on standard error why each candidate was kept or dropped (resolve, plan)')
            [CompletionResult]::new('--no-config', '--no-config', [CompletionResultType]::ParameterName, 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Never touch the network: with --live, cached answers alone')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('profiles', 'profiles', [CompletionResultType]::ParameterValue, 'The profiles of a GPU')
            [CompletionResult]::new('fit', 'fit', [CompletionResultType]::ParameterValue, 'Whether a mix of slices can be placed on one GPU, and where: exit 0 or 1')
            [CompletionResult]::new('pack', 'pack', [CompletionResultType]::ParameterValue, 'The fewest GPUs for many slices')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'sky-accel;mig;profiles' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Form of the output [default: table]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Form of the output [default: table]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour [default: auto]')
            [CompletionResult]::new('--catalog', '--catalog', [CompletionResultType]::ParameterName, 'Overlay catalog, a folder or a file; may be repeated, the last one wins')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Config file instead of ./sky-accel.toml and the user''s')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say only what went wrong, not notes and footers')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say only what went wrong, not notes and footers')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: where prices and figures are from')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: where prices and figures are from')
            [CompletionResult]::new('--explain', '--explain', [CompletionResultType]::ParameterName, 'Say on standard error why each candidate was kept or dropped (resolve, plan)')
            [CompletionResult]::new('--no-config', '--no-config', [CompletionResultType]::ParameterName, 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Never touch the network: with --live, cached answers alone')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'sky-accel;mig;fit' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Form of the output [default: table]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Form of the output [default: table]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour [default: auto]')
            [CompletionResult]::new('--catalog', '--catalog', [CompletionResultType]::ParameterName, 'Overlay catalog, a folder or a file; may be repeated, the last one wins')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Config file instead of ./sky-accel.toml and the user''s')
            [CompletionResult]::new('--occupied', '--occupied', [CompletionResultType]::ParameterName, 'What is on the GPU already: 2g.20gb@0 1g.10gb@5')
            [CompletionResult]::new('--to', '--to', [CompletionResultType]::ParameterName, 'Print what makes the slices instead, for this tool')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say only what went wrong, not notes and footers')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say only what went wrong, not notes and footers')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: where prices and figures are from')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: where prices and figures are from')
            [CompletionResult]::new('--explain', '--explain', [CompletionResultType]::ParameterName, 'Say on standard error why each candidate was kept or dropped (resolve, plan)')
            [CompletionResult]::new('--no-config', '--no-config', [CompletionResultType]::ParameterName, 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Never touch the network: with --live, cached answers alone')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'sky-accel;mig;pack' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Form of the output [default: table]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Form of the output [default: table]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour [default: auto]')
            [CompletionResult]::new('--catalog', '--catalog', [CompletionResultType]::ParameterName, 'Overlay catalog, a folder or a file; may be repeated, the last one wins')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Config file instead of ./sky-accel.toml and the user''s')
            [CompletionResult]::new('--slice', '--slice', [CompletionResultType]::ParameterName, 'Slices by the memory that they must have, and compute: 10GB*20, 9.5GiB*20, 2g.10GB*20')
            [CompletionResult]::new('--gpus', '--gpus', [CompletionResultType]::ParameterName, 'GPUs that there are at most: what fits on them, and what is left')
            [CompletionResult]::new('--onto', '--onto', [CompletionResultType]::ParameterName, 'GPUs that are there already, with what is on them: JSON, or the table of `nvidia-smi mig -lgi`; `-` is standard input')
            [CompletionResult]::new('--to', '--to', [CompletionResultType]::ParameterName, 'Print what makes the slices instead, for this tool')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say only what went wrong, not notes and footers')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say only what went wrong, not notes and footers')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: where prices and figures are from')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: where prices and figures are from')
            [CompletionResult]::new('--explain', '--explain', [CompletionResultType]::ParameterName, 'Say on standard error why each candidate was kept or dropped (resolve, plan)')
            [CompletionResult]::new('--no-config', '--no-config', [CompletionResultType]::ParameterName, 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Never touch the network: with --live, cached answers alone')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'sky-accel;mig;help' {
            [CompletionResult]::new('profiles', 'profiles', [CompletionResultType]::ParameterValue, 'The profiles of a GPU')
            [CompletionResult]::new('fit', 'fit', [CompletionResultType]::ParameterValue, 'Whether a mix of slices can be placed on one GPU, and where: exit 0 or 1')
            [CompletionResult]::new('pack', 'pack', [CompletionResultType]::ParameterValue, 'The fewest GPUs for many slices')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'sky-accel;mig;help;profiles' {
            break
        }
        'sky-accel;mig;help;fit' {
            break
        }
        'sky-accel;mig;help;pack' {
            break
        }
        'sky-accel;mig;help;help' {
            break
        }
        'sky-accel;is' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Form of the output [default: table]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Form of the output [default: table]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour [default: auto]')
            [CompletionResult]::new('--catalog', '--catalog', [CompletionResultType]::ParameterName, 'Overlay catalog, a folder or a file; may be repeated, the last one wins')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Config file instead of ./sky-accel.toml and the user''s')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say only what went wrong, not notes and footers')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say only what went wrong, not notes and footers')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: where prices and figures are from')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: where prices and figures are from')
            [CompletionResult]::new('--explain', '--explain', [CompletionResultType]::ParameterName, 'Say on standard error why each candidate was kept or dropped (resolve, plan)')
            [CompletionResult]::new('--no-config', '--no-config', [CompletionResultType]::ParameterName, 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Never touch the network: with --live, cached answers alone')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'sky-accel;catalog' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Form of the output [default: table]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Form of the output [default: table]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour [default: auto]')
            [CompletionResult]::new('--catalog', '--catalog', [CompletionResultType]::ParameterName, 'Overlay catalog, a folder or a file; may be repeated, the last one wins')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Config file instead of ./sky-accel.toml and the user''s')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say only what went wrong, not notes and footers')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say only what went wrong, not notes and footers')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: where prices and figures are from')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: where prices and figures are from')
            [CompletionResult]::new('--explain', '--explain', [CompletionResultType]::ParameterName, 'Say on standard error why each candidate was kept or dropped (resolve, plan)')
            [CompletionResult]::new('--no-config', '--no-config', [CompletionResultType]::ParameterName, 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Never touch the network: with --live, cached answers alone')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('verify', 'verify', [CompletionResultType]::ParameterValue, 'Check the catalog with its overlays, or with the paths given instead')
            [CompletionResult]::new('path', 'path', [CompletionResultType]::ParameterValue, 'Where the catalog and its overlays are')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'sky-accel;catalog;verify' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Form of the output [default: table]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Form of the output [default: table]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour [default: auto]')
            [CompletionResult]::new('--catalog', '--catalog', [CompletionResultType]::ParameterName, 'Overlay catalog, a folder or a file; may be repeated, the last one wins')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Config file instead of ./sky-accel.toml and the user''s')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say only what went wrong, not notes and footers')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say only what went wrong, not notes and footers')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: where prices and figures are from')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: where prices and figures are from')
            [CompletionResult]::new('--explain', '--explain', [CompletionResultType]::ParameterName, 'Say on standard error why each candidate was kept or dropped (resolve, plan)')
            [CompletionResult]::new('--no-config', '--no-config', [CompletionResultType]::ParameterName, 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Never touch the network: with --live, cached answers alone')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'sky-accel;catalog;path' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Form of the output [default: table]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Form of the output [default: table]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour [default: auto]')
            [CompletionResult]::new('--catalog', '--catalog', [CompletionResultType]::ParameterName, 'Overlay catalog, a folder or a file; may be repeated, the last one wins')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Config file instead of ./sky-accel.toml and the user''s')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say only what went wrong, not notes and footers')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say only what went wrong, not notes and footers')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: where prices and figures are from')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: where prices and figures are from')
            [CompletionResult]::new('--explain', '--explain', [CompletionResultType]::ParameterName, 'Say on standard error why each candidate was kept or dropped (resolve, plan)')
            [CompletionResult]::new('--no-config', '--no-config', [CompletionResultType]::ParameterName, 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Never touch the network: with --live, cached answers alone')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'sky-accel;catalog;help' {
            [CompletionResult]::new('verify', 'verify', [CompletionResultType]::ParameterValue, 'Check the catalog with its overlays, or with the paths given instead')
            [CompletionResult]::new('path', 'path', [CompletionResultType]::ParameterValue, 'Where the catalog and its overlays are')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'sky-accel;catalog;help;verify' {
            break
        }
        'sky-accel;catalog;help;path' {
            break
        }
        'sky-accel;catalog;help;help' {
            break
        }
        'sky-accel;config' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Form of the output [default: table]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Form of the output [default: table]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour [default: auto]')
            [CompletionResult]::new('--catalog', '--catalog', [CompletionResultType]::ParameterName, 'Overlay catalog, a folder or a file; may be repeated, the last one wins')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Config file instead of ./sky-accel.toml and the user''s')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say only what went wrong, not notes and footers')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say only what went wrong, not notes and footers')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: where prices and figures are from')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: where prices and figures are from')
            [CompletionResult]::new('--explain', '--explain', [CompletionResultType]::ParameterName, 'Say on standard error why each candidate was kept or dropped (resolve, plan)')
            [CompletionResult]::new('--no-config', '--no-config', [CompletionResultType]::ParameterName, 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Never touch the network: with --live, cached answers alone')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Every setting, and the flag, variable or file that it came from')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'sky-accel;config;show' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Form of the output [default: table]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Form of the output [default: table]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour [default: auto]')
            [CompletionResult]::new('--catalog', '--catalog', [CompletionResultType]::ParameterName, 'Overlay catalog, a folder or a file; may be repeated, the last one wins')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Config file instead of ./sky-accel.toml and the user''s')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say only what went wrong, not notes and footers')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say only what went wrong, not notes and footers')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: where prices and figures are from')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: where prices and figures are from')
            [CompletionResult]::new('--explain', '--explain', [CompletionResultType]::ParameterName, 'Say on standard error why each candidate was kept or dropped (resolve, plan)')
            [CompletionResult]::new('--no-config', '--no-config', [CompletionResultType]::ParameterName, 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Never touch the network: with --live, cached answers alone')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'sky-accel;config;help' {
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Every setting, and the flag, variable or file that it came from')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'sky-accel;config;help;show' {
            break
        }
        'sky-accel;config;help;help' {
            break
        }
        'sky-accel;completions' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Form of the output [default: table]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Form of the output [default: table]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour [default: auto]')
            [CompletionResult]::new('--catalog', '--catalog', [CompletionResultType]::ParameterName, 'Overlay catalog, a folder or a file; may be repeated, the last one wins')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Config file instead of ./sky-accel.toml and the user''s')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say only what went wrong, not notes and footers')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say only what went wrong, not notes and footers')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: where prices and figures are from')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: where prices and figures are from')
            [CompletionResult]::new('--explain', '--explain', [CompletionResultType]::ParameterName, 'Say on standard error why each candidate was kept or dropped (resolve, plan)')
            [CompletionResult]::new('--no-config', '--no-config', [CompletionResultType]::ParameterName, 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Never touch the network: with --live, cached answers alone')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'sky-accel;man' {
            [CompletionResult]::new('-o', '-o', [CompletionResultType]::ParameterName, 'Form of the output [default: table]')
            [CompletionResult]::new('--output', '--output', [CompletionResultType]::ParameterName, 'Form of the output [default: table]')
            [CompletionResult]::new('--color', '--color', [CompletionResultType]::ParameterName, 'When to use colour [default: auto]')
            [CompletionResult]::new('--catalog', '--catalog', [CompletionResultType]::ParameterName, 'Overlay catalog, a folder or a file; may be repeated, the last one wins')
            [CompletionResult]::new('--config', '--config', [CompletionResultType]::ParameterName, 'Config file instead of ./sky-accel.toml and the user''s')
            [CompletionResult]::new('-q', '-q', [CompletionResultType]::ParameterName, 'Say only what went wrong, not notes and footers')
            [CompletionResult]::new('--quiet', '--quiet', [CompletionResultType]::ParameterName, 'Say only what went wrong, not notes and footers')
            [CompletionResult]::new('-v', '-v', [CompletionResultType]::ParameterName, 'Say more: where prices and figures are from')
            [CompletionResult]::new('--verbose', '--verbose', [CompletionResultType]::ParameterName, 'Say more: where prices and figures are from')
            [CompletionResult]::new('--explain', '--explain', [CompletionResultType]::ParameterName, 'Say on standard error why each candidate was kept or dropped (resolve, plan)')
            [CompletionResult]::new('--no-config', '--no-config', [CompletionResultType]::ParameterName, 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers')
            [CompletionResult]::new('--offline', '--offline', [CompletionResultType]::ParameterName, 'Never touch the network: with --live, cached answers alone')
            [CompletionResult]::new('-h', '-h', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('--help', '--help', [CompletionResultType]::ParameterName, 'Print help (see more with ''--help'')')
            [CompletionResult]::new('-V', '-V ', [CompletionResultType]::ParameterName, 'Print version')
            [CompletionResult]::new('--version', '--version', [CompletionResultType]::ParameterName, 'Print version')
            break
        }
        'sky-accel;help' {
            [CompletionResult]::new('list', 'list', [CompletionResultType]::ParameterValue, 'Which accelerators exist')
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'All about one accelerator, instance type or provider id')
            [CompletionResult]::new('compare', 'compare', [CompletionResultType]::ParameterValue, 'The same figures side by side, with ratios against the first')
            [CompletionResult]::new('resolve', 'resolve', [CompletionResultType]::ParameterValue, 'Each provider''s own instance types, prices and regions for a spec')
            [CompletionResult]::new('recommend', 'recommend', [CompletionResultType]::ParameterValue, 'What to rent for a model or a kind of work, with offers')
            [CompletionResult]::new('fit', 'fit', [CompletionResultType]::ParameterValue, 'Whether a model fits on some hardware, term by term: exit 0 or 1')
            [CompletionResult]::new('plan', 'plan', [CompletionResultType]::ParameterValue, 'Where to try, in which order, and the plan in the words of the engine that applies it')
            [CompletionResult]::new('convert', 'convert', [CompletionResultType]::ParameterValue, 'The same hardware in the words of another tool')
            [CompletionResult]::new('mig', 'mig', [CompletionResultType]::ParameterValue, 'MIG slices: what a GPU can be cut into, where they go, how few GPUs they take')
            [CompletionResult]::new('is', 'is', [CompletionResultType]::ParameterValue, 'Whether a name is of a kind: exit 0 or 1')
            [CompletionResult]::new('catalog', 'catalog', [CompletionResultType]::ParameterValue, 'Check catalogs and see where they are')
            [CompletionResult]::new('config', 'config', [CompletionResultType]::ParameterValue, 'Settings, and where each came from')
            [CompletionResult]::new('completions', 'completions', [CompletionResultType]::ParameterValue, 'Print a shell completion script')
            [CompletionResult]::new('man', 'man', [CompletionResultType]::ParameterValue, 'Print a manual page: sky-accel man plan | man -l -')
            [CompletionResult]::new('help', 'help', [CompletionResultType]::ParameterValue, 'Print this message or the help of the given subcommand(s)')
            break
        }
        'sky-accel;help;list' {
            break
        }
        'sky-accel;help;show' {
            break
        }
        'sky-accel;help;compare' {
            break
        }
        'sky-accel;help;resolve' {
            break
        }
        'sky-accel;help;recommend' {
            break
        }
        'sky-accel;help;fit' {
            break
        }
        'sky-accel;help;plan' {
            break
        }
        'sky-accel;help;convert' {
            break
        }
        'sky-accel;help;mig' {
            [CompletionResult]::new('profiles', 'profiles', [CompletionResultType]::ParameterValue, 'The profiles of a GPU')
            [CompletionResult]::new('fit', 'fit', [CompletionResultType]::ParameterValue, 'Whether a mix of slices can be placed on one GPU, and where: exit 0 or 1')
            [CompletionResult]::new('pack', 'pack', [CompletionResultType]::ParameterValue, 'The fewest GPUs for many slices')
            break
        }
        'sky-accel;help;mig;profiles' {
            break
        }
        'sky-accel;help;mig;fit' {
            break
        }
        'sky-accel;help;mig;pack' {
            break
        }
        'sky-accel;help;is' {
            break
        }
        'sky-accel;help;catalog' {
            [CompletionResult]::new('verify', 'verify', [CompletionResultType]::ParameterValue, 'Check the catalog with its overlays, or with the paths given instead')
            [CompletionResult]::new('path', 'path', [CompletionResultType]::ParameterValue, 'Where the catalog and its overlays are')
            break
        }
        'sky-accel;help;catalog;verify' {
            break
        }
        'sky-accel;help;catalog;path' {
            break
        }
        'sky-accel;help;config' {
            [CompletionResult]::new('show', 'show', [CompletionResultType]::ParameterValue, 'Every setting, and the flag, variable or file that it came from')
            break
        }
        'sky-accel;help;config;show' {
            break
        }
        'sky-accel;help;completions' {
            break
        }
        'sky-accel;help;man' {
            break
        }
        'sky-accel;help;help' {
            break
        }
    })

    $completions.Where{ $_.CompletionText -like "$wordToComplete*" } |
        Sort-Object -Property ListItemText
}
