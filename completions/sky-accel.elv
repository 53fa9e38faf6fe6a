
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
            cand --explain 'Say on standard error why each candidate was kept or dropped (resolve)'
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
            cand recommend 'Accelerators for a model or a kind of work, with offers'
            cand mig 'MIG slices: what a GPU can be cut into, where they go, how few GPUs they take'
            cand is 'Whether a name is of a kind: exit 0 or 1'
            cand catalog 'Check catalogs and see where they are'
            cand completions 'Print a shell completion script'
            cand help 'Print this message or the help of the given subcommand(s)'
        }
        &'sky-accel;list'= {
            cand --vendor 'By maker: nvidia, amd, intel, google, aws, …'
            cand --class 'datacenter, workstation, consumer, asic or media'
            cand --arch 'By architecture: hopper, ampere, cdna3, …'
            cand --provider 'Sold by this provider; may be repeated'
            cand --min-memory 'At least so much memory per device; no unit means GB'
            cand --sort 'Order of the rows [default: by class, the newest first]'
            cand --limit 'At most so many rows'
            cand -o 'Form of the output [default: table]'
            cand --output 'Form of the output [default: table]'
            cand --color 'When to use colour [default: auto]'
            cand --catalog 'Overlay catalog, a folder or a file; may be repeated, the last one wins'
            cand --config 'Config file instead of ./sky-accel.toml and the user''s'
            cand --mig 'Only what can be cut into MIG slices'
            cand -q 'Say only what went wrong, not notes and footers'
            cand --quiet 'Say only what went wrong, not notes and footers'
            cand -v 'Say more: where prices and figures are from'
            cand --verbose 'Say more: where prices and figures are from'
            cand --explain 'Say on standard error why each candidate was kept or dropped (resolve)'
            cand --no-config 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers'
            cand --offline 'Never touch the network: with --live, cached answers alone'
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
            cand --explain 'Say on standard error why each candidate was kept or dropped (resolve)'
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
            cand --explain 'Say on standard error why each candidate was kept or dropped (resolve)'
            cand --no-config 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers'
            cand --offline 'Never touch the network: with --live, cached answers alone'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'sky-accel;resolve'= {
            cand --provider 'Only this provider: aws, runpod, vastai, verda, or one of an overlay; may be repeated'
            cand --region 'Only this region, pattern (eu-*) or country; may be repeated'
            cand --capacity-type 'How it is bought; by default ranked on demand, with the spot price beside it'
            cand --max-price 'At most so many US dollars per hour for the whole machine'
            cand --limit 'At most so many rows'
            cand --sort 'Order of the rows [default: price]'
            cand --max-age 'Use nothing older than this: 90s, 30m, 12h, 7d; exit 7 when only older prices are known'
            cand --timeout 'Seconds that a provider has for its answer'
            cand --disk 'Disk in GB that a marketplace''s price is to include'
            cand --capacity-blocks 'AWS: reserved blocks of so many hours [default when given: 24]'
            cand -o 'Form of the output [default: table]'
            cand --output 'Form of the output [default: table]'
            cand --color 'When to use colour [default: auto]'
            cand --catalog 'Overlay catalog, a folder or a file; may be repeated, the last one wins'
            cand --config 'Config file instead of ./sky-accel.toml and the user''s'
            cand --at-least 'Machines with more accelerators match too'
            cand --live 'Ask the providers what they sell now; needs an account with each'
            cand --refresh 'Ask again even where an answer is cached'
            cand --spot-scores 'AWS: how likely spot capacity is, from 1 to 10 by region'
            cand --check-quota 'AWS: whether the account''s quota allows one such machine'
            cand -q 'Say only what went wrong, not notes and footers'
            cand --quiet 'Say only what went wrong, not notes and footers'
            cand -v 'Say more: where prices and figures are from'
            cand --verbose 'Say more: where prices and figures are from'
            cand --explain 'Say on standard error why each candidate was kept or dropped (resolve)'
            cand --no-config 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers'
            cand --offline 'Never touch the network: with --live, cached answers alone'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'sky-accel;recommend'= {
            cand --model-size 'Parameters of the model: 7B, 13B, 350M'
            cand --workload 'Kind of work: inference, lora, qlora, full, pretrain or development'
            cand --provider 'Only this provider: aws, runpod, vastai, verda, or one of an overlay; may be repeated'
            cand --region 'Only this region, pattern (eu-*) or country; may be repeated'
            cand --capacity-type 'How it is bought; by default ranked on demand, with the spot price beside it'
            cand --max-price 'At most so many US dollars per hour for the whole machine'
            cand --limit 'At most so many rows'
            cand -o 'Form of the output [default: table]'
            cand --output 'Form of the output [default: table]'
            cand --color 'When to use colour [default: auto]'
            cand --catalog 'Overlay catalog, a folder or a file; may be repeated, the last one wins'
            cand --config 'Config file instead of ./sky-accel.toml and the user''s'
            cand --guide 'The rule-of-thumb tables, with what the strategies really save'
            cand -q 'Say only what went wrong, not notes and footers'
            cand --quiet 'Say only what went wrong, not notes and footers'
            cand -v 'Say more: where prices and figures are from'
            cand --verbose 'Say more: where prices and figures are from'
            cand --explain 'Say on standard error why each candidate was kept or dropped (resolve)'
            cand --no-config 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers'
            cand --offline 'Never touch the network: with --live, cached answers alone'
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
            cand --explain 'Say on standard error why each candidate was kept or dropped (resolve)'
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
            cand --explain 'Say on standard error why each candidate was kept or dropped (resolve)'
            cand --no-config 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers'
            cand --offline 'Never touch the network: with --live, cached answers alone'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'sky-accel;mig;fit'= {
            cand --occupied 'What is on the GPU already: 2g.20gb@0 1g.10gb@5'
            cand --to 'Print what makes the slices instead, for this tool'
            cand -o 'Form of the output [default: table]'
            cand --output 'Form of the output [default: table]'
            cand --color 'When to use colour [default: auto]'
            cand --catalog 'Overlay catalog, a folder or a file; may be repeated, the last one wins'
            cand --config 'Config file instead of ./sky-accel.toml and the user''s'
            cand -q 'Say only what went wrong, not notes and footers'
            cand --quiet 'Say only what went wrong, not notes and footers'
            cand -v 'Say more: where prices and figures are from'
            cand --verbose 'Say more: where prices and figures are from'
            cand --explain 'Say on standard error why each candidate was kept or dropped (resolve)'
            cand --no-config 'Read no config file, no user catalog and no SKY_ACCEL_* variable: for reproducible answers'
            cand --offline 'Never touch the network: with --live, cached answers alone'
            cand -h 'Print help (see more with ''--help'')'
            cand --help 'Print help (see more with ''--help'')'
            cand -V 'Print version'
            cand --version 'Print version'
        }
        &'sky-accel;mig;pack'= {
            cand --slice 'Slices by the memory that they must have, and compute: 10GB*20, 9.5GiB*20, 2g.10GB*20'
            cand --gpus 'GPUs that there are at most: what fits on them, and what is left'
            cand --onto 'GPUs that are there already, with what is on them: JSON, or the table of `nvidia-smi mig -lgi`; `-` is standard input'
            cand --to 'Print what makes the slices instead, for this tool'
            cand -o 'Form of the output [default: table]'
            cand --output 'Form of the output [default: table]'
            cand --color 'When to use colour [default: auto]'
            cand --catalog 'Overlay catalog, a folder or a file; may be repeated, the last one wins'
            cand --config 'Config file instead of ./sky-accel.toml and the user''s'
            cand -q 'Say only what went wrong, not notes and footers'
            cand --quiet 'Say only what went wrong, not notes and footers'
            cand -v 'Say more: where prices and figures are from'
            cand --verbose 'Say more: where prices and figures are from'
            cand --explain 'Say on standard error why each candidate was kept or dropped (resolve)'
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
            cand --explain 'Say on standard error why each candidate was kept or dropped (resolve)'
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
            cand --explain 'Say on standard error why each candidate was kept or dropped (resolve)'
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
            cand --explain 'Say on standard error why each candidate was kept or dropped (resolve)'
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
            cand --explain 'Say on standard error why each candidate was kept or dropped (resolve)'
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
            cand --explain 'Say on standard error why each candidate was kept or dropped (resolve)'
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
            cand recommend 'Accelerators for a model or a kind of work, with offers'
            cand mig 'MIG slices: what a GPU can be cut into, where they go, how few GPUs they take'
            cand is 'Whether a name is of a kind: exit 0 or 1'
            cand catalog 'Check catalogs and see where they are'
            cand completions 'Print a shell completion script'
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
        &'sky-accel;help;completions'= {
        }
        &'sky-accel;help;help'= {
        }
    ]
    $completions[$command]
}
