//! The examples at the start of the help of each command.

pub(super) const LIST: &str = "\
Examples:
  sky-accel list hopper                            accelerators of an architecture
  sky-accel list --vendor amd --min-memory 64      AMD GPUs with 64 GB or more
  sky-accel list 'cc>=8.9' 24GB -o names           names of devices with FP8 and 24 GB";

pub(super) const SHOW: &str = "\
Examples:
  sky-accel show H100                              all facts about a family
  sky-accel show p4de.24xlarge                     an instance type with its prices by region
  sky-accel show aws                               a provider";

pub(super) const COMPARE: &str = "\
Examples:
  sky-accel compare H100 H200 MI300X               figures side by side, with ratios to the first
  sky-accel compare 4090 5090 L40S -o csv
  sky-accel compare H100 H200 MI300X --model Llama-3.3-70B --users 20";

pub(super) const RESOLVE: &str = "\
Examples:
  sky-accel resolve H100:x8                        the price at each provider
  sky-accel resolve any:24GB --max-price 0.5       anything with 24 GB for 50 cents an hour
  sky-accel resolve A100 --capacity-type spot --map
  sky-accel resolve H100:x8 --provider aws,gcp --commit 3y --currency EUR";

pub(super) const MIX: &str = "\
Examples:
  sky-accel mix L4:x1 --profile weekdays:9-18=8,else=2        reserve, on demand and spot for a load
  sky-accel mix H100:x8 --base-hours 730,730,120 --commit 3y  two machines all month, one for 120 hours
  sky-accel mix A100-80GB:x1 --profile daily:8-20=6 --spot 2  at most 2 spot machines";

pub(super) const BILL: &str = "\
Examples:
  sky-accel bill H100 --month --storage 200GB --egress 50GB
  sky-accel bill H100 --sessions 20 --hours-per-session 3 --storage 200GB --model Llama-3.3-70B
  sky-accel bill H100:x8 --hours 100 --provider aws,gcp -o wide
  sky-accel resolve L4 --region EU -o json | sky-accel bill - --hours 10";

pub(super) const PRICES: &str = "\
Examples:
  sky-accel prices H100                            prices of today, and the range of each quarter
  sky-accel prices A100:80GB --capacity-type spot --max-age 30d
  sky-accel prices H100 --history -o csv           the dated prices, each with its provider and source";

pub(super) const BROWSE: &str = "\
Examples:
  sky-accel browse                                 every offer; type to filter
  sky-accel browse H100:x8 aws gcp                 offers of two providers
  sky-accel plan \"$(sky-accel browse -o spec)\"     plan the choice";

pub(super) const RECOMMEND: &str = "\
Examples:
  sky-accel recommend Qwen3-32B --users 20         machines for a server of 20 users
  sky-accel recommend Llama-3.3-70B --precision fp8 --on 'H100|H200|MI300X'
  sky-accel recommend Llama-3.1-8B --workload lora --tokens 50M --budget 100
  sky-accel recommend ./my-model --region EU --provider '!marketplaces'";

pub(super) const REPORT: &str = "\
Examples:
  sky-accel report page.html Qwen3-32B --users 20 --currency EUR
  sky-accel resolve H100:x8 -o json | sky-accel report page.html --from -";

pub(super) const WEB: &str = "\
Examples:
  sky-accel web --open                             write sky-accel.html, and open it
  sky-accel web --out mine.html --catalog mine.toml";

pub(super) const FIT: &str = "\
Examples:
  sky-accel fit L4 Llama-3.1-8B                    whether the model fits, term by term
  sky-accel fit H100:x2 Llama-3.3-70B --precision fp8 --context 32k --users 8
  sky-accel fit 4090 Qwen3-32B --precision gguf:Q4_K_M --engine llama.cpp
  sky-accel fit A100:80GB:x8 Llama-3.1-8B --workload full --zero-stage 3";

pub(super) const MODELS: &str = "\
Examples:
  sky-accel models qwen3                           models with this part of a name
  sky-accel models Llama-3.1-8B                    one model
  sky-accel models --on RTX4090                    models that run there: precision, speed, context
  sky-accel models coder --on H100 --users 4 --context 32k";

pub(super) const PLAN: &str = "\
Examples:
  sky-accel plan H100:x8 --to skypilot             offers to try, as a SkyPilot task file
  sky-accel plan H100:x8 --nodes 8 --interconnect infiniband --region EU
  sky-accel plan L4 --hours 730 --budget 500       prices in total
  sky-accel recommend Llama-3.1-8B -o json | sky-accel plan - --to kubernetes";

pub(super) const CONVERT: &str = "\
Examples:
  sky-accel convert A100:80GB:x8 --to skypilot
  sky-accel convert p5.48xlarge --to dstack
  sky-accel convert H100:SXM:80GB:mig=3g.40gb --to kubernetes";

pub(super) const MIG: &str = "\
Examples:
  sky-accel mig profiles H100                      the profiles of a GPU
  sky-accel mig fit H100 3g.40gb 2g.20gb           whether slices fit on one GPU, and where
  sky-accel mig pack H100 3g.40gb=10 1g.10gb=20    the fewest GPUs for many slices";

pub(super) const MIG_PROFILES: &str = "\
Examples:
  sky-accel mig profiles H100
  sky-accel mig profiles A100:40GB -o csv";

pub(super) const MIG_FIT: &str = "\
Examples:
  sky-accel mig fit H100 3g.40gb 1g.10gb*2
  sky-accel mig fit H100 Qwen3-8B                  the smallest slice that holds a model
  sky-accel mig fit H100:SXM:80GB 4g.40gb --occupied 3g.40gb@4
  sky-accel mig fit H100:SXM:80GB 3g.40gb 2g.20gb --to nvidia-smi";

pub(super) const MIG_PACK: &str = "\
Examples:
  sky-accel mig pack H100 3g.40gb=10 1g.10gb=20
  sky-accel mig pack any --slice 10GB*20           compare all GPUs";

pub(super) const WATCH: &str = "\
Examples:
  sky-accel watch H100:x8 --max-price 20           wait for an offer in stock at this price
  sky-accel watch RTX4090 --provider vastai --timeout 12h --exec 'echo $SKY_ACCEL_OFFER_ID'";

pub(super) const QUOTA: &str = "\
Examples:
  sky-accel quota H100:x8 --nodes 4                limit, use and how to raise it, by region
  sky-accel quota L4 --provider aws --region 'eu-*' --capacity-type spot";

pub(super) const DOCTOR: &str = "\
Examples:
  sky-accel live doctor                            which credentials are found, without a request
  sky-accel live doctor --provider aws --check     whether the provider accepts them";

pub(super) const DETECT: &str = "\
Examples:
  sky-accel detect                                 this machine's accelerators, and where to rent the same
  sky-accel detect -o json";

pub(super) const IS: &str = "\
Examples:
  sky-accel is nvidia H100                         exit 0: the kind comes first
  sky-accel is mig L40S                            exit 1";

pub(super) const MCP: &str = "\
Examples:
  sky-accel mcp                                    serve agents on standard input and output
  sky-accel mcp --allow ./models --max-age 90d";

pub(super) const CATALOG: &str = "\
Examples:
  sky-accel catalog verify                         check the catalog with your overlays
  sky-accel catalog update                         download current prices into your overlay
  sky-accel catalog path";

pub(super) const CONFIG: &str = "\
Examples:
  sky-accel config show                            each setting, and what set it
  sky-accel config show -o json";

pub(super) const COMPLETIONS: &str = "\
Examples:
  sky-accel completions bash > ~/.local/share/bash-completion/completions/sky-accel
  sky-accel completions fish > ~/.config/fish/completions/sky-accel.fish";

pub(super) const HELP: &str = "\
Examples:
  sky-accel help recommend
  sky-accel help prices                            the topic";

pub(super) const MAN: &str = "\
Examples:
  sky-accel man plan | man -l -
  sky-accel man mig fit";

pub(super) const CATALOG_VERIFY: &str = "\
Examples:
  sky-accel catalog verify                         the catalog with your overlays
  sky-accel catalog verify ./prices                these files, before you use them";

pub(super) const CATALOG_COMPILE: &str = "\
Examples:
  sky-accel catalog compile -o ./all.catalog
  sky-accel catalog compile ./prices -o team.catalog";

pub(super) const CATALOG_DIFF: &str = "\
Examples:
  sky-accel catalog diff                           what your overlays change
  sky-accel catalog diff ./prices                  what these files change";

pub(super) const CATALOG_PATH: &str = "\
Examples:
  sky-accel catalog path
  sky-accel catalog path -o json";

pub(super) const CATALOG_UPDATE: &str = "\
Examples:
  sky-accel catalog update --dry-run               the changes, without writing them
  sky-accel catalog update --provider aws,gcp
  sky-accel catalog update --from skypilot --provider lambda";

pub(super) const CONFIG_SHOW: &str = "\
Examples:
  sky-accel config show
  sky-accel config show -o json";

pub(super) const CONFIG_TRUST: &str = "\
Examples:
  sky-accel config trust                           use the catalogs that ./sky-accel.toml names
  sky-accel config trust --revoke";

pub(super) const MODELS_ADD: &str = "\
Examples:
  sky-accel models add ./my-model --as mine        from its config.json
  sky-accel models add organization/name --live    from Hugging Face";

pub(super) const MODELS_REMOVE: &str = "\
Examples:
  sky-accel models remove mine
  sky-accel models remove organization/name";

pub(super) const PLAN_DIFF: &str = "\
Examples:
  sky-accel plan diff ./old.json ./new.json        what changed between two answers of `plan -o json`
  sky-accel plan diff ./plan.lock ./new.json";
