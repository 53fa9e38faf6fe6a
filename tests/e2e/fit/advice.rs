//! First answers of `recommend`, compared with the choices of an experienced user.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use proptest::prelude::*;
use serde_json::Value;

use crate::support::{sky, sky_line};

/// A request, and the bounds of an acceptable first answer.
struct Case {
    line: &'static str,
    /// Devices of all machines together.
    devices: RangeInclusive<u64>,
    /// The minimum memory of all devices together, in GB.
    memory_gb: f64,
    /// The minimum compute capability, for devices that have one.
    capability: f64,
    /// True if consumer cards are acceptable.
    at_home: bool,
}

const fn case(line: &'static str, devices: RangeInclusive<u64>) -> Case {
    Case {
        line,
        devices,
        memory_gb: 0.0,
        capability: 0.0,
        at_home: false,
    }
}

/// Expert judgment, not measurements: the bounds are wide enough for prices to change.
fn cases() -> Vec<Case> {
    vec![
        case("Llama-3.1-8B --users 30", 1..=1),
        case(
            "Llama-3.3-70B --precision bf16 --users 16 --context 4096",
            1..=4,
        ),
        Case {
            capability: 8.0,
            ..case("gpt-oss-120B --precision mxfp4", 1..=2)
        },
        Case {
            capability: 8.0,
            ..case("Qwen3-30B-A3B --precision fp8 --users 32", 1..=1)
        },
        case("Qwen3-32B --users 16 --context 8192", 1..=4),
        case("Llama-3.3-70B --workload qlora", 1..=2),
        Case {
            memory_gb: 1100.0,
            ..case("Llama-3.1-70B --workload full --context 4096", 8..=64)
        },
        case(
            "Llama-3.3-70B --users 50 --context 2048 --generate 500 --max-ttft 2s --min-speed 20",
            2..=8,
        ),
        Case {
            at_home: true,
            ..case(
                "Llama-3.3-70B --precision gguf:Q4_K_M --engine llama.cpp",
                1..=3,
            )
        },
        case("DeepSeek-V3 --precision fp8 --on H100", 16..=16),
        case("Mistral-Small-24B --region EU", 1..=2),
        case("Llama-3.1-405B --on amd", 4..=8),
        case("DeepSeek-R1 --precision nvfp4 --on H200", 4..=8),
        case("Qwen3-32B --precision fp8 --on A100:80GB", 1..=2),
        case(
            "DeepSeek-R1 --context 2000 --generate 500 --request-rate 200",
            16..=1024,
        ),
        case("Mixtral-8x7B --on V100:32GB --engine-version 0.19", 4..=8),
        case("Llama-3.3-70B --objective latency", 1..=8),
        Case {
            memory_gb: 5000.0,
            ..case("Llama-3.1-405B --workload full", 16..=128)
        },
        case("bge-m3", 1..=1),
        case("FLUX.1-dev", 1..=1),
        case("Qwen3-32B --on any:x1", 1..=1),
    ]
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
}

#[test]
fn first_answers_are_sensible_choices() {
    for case in cases() {
        let line = case.line;
        let answer = sky_line(&format!("recommend {line} -o json")).json();
        let first = &answer["results"][0];
        let (fit, offer) = (&first["fit"], &first["offer"]);
        assert_eq!(first["tier"], "list", "{line}");
        let devices = fit["count"].as_u64().unwrap();
        assert!(case.devices.contains(&devices), "{line}: {devices} devices");
        let memory = &fit["per_device_gib"];
        let spare = 1.0 - number(&memory["high"]) / number(&memory["usable"]);
        assert!(spare >= 0.1, "{line}: {spare}");
        let gb = number(&offer["memory_gb"]) * devices as f64;
        assert!(gb >= case.memory_gb, "{line}: {gb} GB");
        let price = &offer["on_demand"];
        assert!(
            price["as_of"].as_str().unwrap().len() >= 7,
            "{line}: {price}"
        );
        assert_eq!(price["kind"], "list", "{line}");
        let shown = sky(["show", offer["accelerator"].as_str().unwrap(), "-o", "json"]).json();
        let shown = &shown["results"][0];
        let is_consumer = shown["class"] == "consumer";
        assert!(!is_consumer || case.at_home, "{line}: {}", shown["id"]);
        let capability = shown["compute_capability"].as_str();
        let capability = capability.and_then(|text| text.parse::<f64>().ok());
        assert!(capability.is_none_or(|is| is >= case.capability), "{line}");
        if let Some(speed) = first["tokens_per_s_per_user"].as_f64() {
            let least = if case.at_home { 5.0 } else { 20.0 };
            assert!(speed >= least, "{line}: {speed} tokens/s");
        }
        if first["nodes"].is_u64() {
            let nodes = first["nodes"].as_u64().unwrap();
            // Machines without a network are replicas.
            let is_joined = first["interconnect"]["kind"].is_string();
            let data = fit["parallelism"]["data"].as_u64().unwrap();
            assert!(is_joined || data.is_multiple_of(nodes), "{line}");
            // Tensor parallelism stays within NVLink or a similar link.
            let per_machine = devices / nodes;
            let tensor = fit["parallelism"]["tensor"].as_u64().unwrap();
            let domain = if offer["accelerator"].as_str().unwrap().starts_with("GB") {
                72
            } else {
                per_machine
            };
            assert!(tensor <= domain, "{line}: {tensor}");
        }
    }
}

#[test]
fn answers_are_in_the_requested_regions() {
    let answer = sky_line("recommend Mistral-Small-24B --region EU -o json").json();
    let regions = answer["results"][0]["offer"]["regions"].as_array().unwrap();
    assert!(!regions.is_empty());
}

#[test]
fn picks_have_labels_and_positions() {
    let answer = sky_line("recommend Llama-3.1-8B --users 30 --limit 99 -o json").json();
    let picks = answer["picks"].as_array().unwrap();
    let kinds: Vec<&Value> = picks
        .iter()
        .flat_map(|pick| {
            let also = pick["also"].as_array();
            std::iter::once(&pick["kind"]).chain(also.into_iter().flatten())
        })
        .collect();
    assert_eq!(kinds.len(), 3, "{picks:?}");
    let results = answer["results"].as_array().unwrap();
    for pick in picks {
        let rank = pick["rank"].as_u64().unwrap() as usize;
        let why = pick["why"].as_str().unwrap();
        assert!(why.contains("per hour") && !why.contains('\n'), "{why}");
        if let Some(row) = results.get(rank - 1) {
            assert_eq!(row["offer"]["instance_type"], pick["instance_type"]);
            assert_eq!(row["usd_per_hour"], pick["usd_per_hour"]);
            assert_eq!(row["tier"], results[0]["tier"]);
        }
    }
    let page = sky_line("recommend Llama-3.1-8B --users 30").run().stdout;
    assert!(
        page.contains("safest") && page.contains("cheaper, but less reliable"),
        "{page}"
    );
}

#[test]
fn each_provider_has_its_best_machine_with_an_accelerator() {
    let answer = sky_line("recommend Llama-3.1-8B --users 20 --limit 1000 -o json").json();
    let results = answer["results"].as_array().unwrap();
    let is_picked = |result: &Value| {
        let mut picks = answer["picks"].as_array().unwrap().iter();
        picks.any(|pick| pick["rank"] == result["rank"])
    };
    let mut seen = std::collections::HashSet::new();
    for result in results {
        let offer = &result["offer"];
        let machine =
            ["provider", "accelerator", "mig_profile"].map(|name| offer[name].to_string());
        let is_first = seen.insert((machine, result["tier"].to_string()));
        assert!(is_first || is_picked(result), "{result}");
    }
    assert!(results.len() > 100, "{}", results.len());
    for pick in answer["picks"].as_array().unwrap() {
        let row = &results[pick["rank"].as_u64().unwrap() as usize - 1];
        assert_eq!(
            pick["instance_type"], row["offer"]["instance_type"],
            "{pick}"
        );
        assert_eq!(
            (&pick["spec"], &pick["usd_per_hour"]),
            (&row["spec"], &row["usd_per_hour"])
        );
    }
    // Each choice has an answer, even if one choice covers another.
    let on = "recommend Llama-3.1-8B --on H100:80GB:SXM|H100:80GB:SXM:x4 --provider aws,runpod --tier any -o json";
    let counts = sky_line(on).json()["results"].to_string();
    assert!(counts.contains(r#""spec":"H100-80GB-SXM:x4""#), "{counts}");
    // Each requested count has an answer.
    let answer = sky_line(
        "recommend Llama-3.1-8B --on H100:80GB:SXM:x4|H100:80GB:SXM:x8 --provider aws,runpod --tier any -o json",
    );
    let counts: Vec<Value> = answer.json()["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|result| result["offer"]["count"].clone())
        .collect();
    assert!(
        counts.contains(&4.into()) && counts.contains(&8.into()),
        "{counts:?}"
    );
}

#[test]
fn default_limits_and_extra_costs_are_reported() {
    let notes = |line: &str| {
        let answer = sky_line(&format!("recommend {line} -o json")).run();
        let answer: Value = serde_json::from_str(&answer.stdout).unwrap();
        let notes = answer["notes"].as_array().unwrap().iter();
        let rejected = notes.filter(|note| note["code"] == "rejected");
        let texts = rejected.map(|note| note["message"].as_str().unwrap().to_owned());
        texts.collect::<Vec<_>>()
    };
    let unasked = notes("Llama-3.3-70B --users 16 --max-ttft 60s");
    assert!(
        unasked
            .iter()
            .any(|note| note.contains("below the default of 20 (--min-speed)")),
        "{unasked:?}"
    );
    let found_notes = notes("Llama-3.3-70B --users 16 --max-ttft 60s --min-speed 20");
    assert!(
        !found_notes.iter().any(|note| note.contains("--min-speed")),
        "{found_notes:?}"
    );
    // No machine within the price limit is sufficient: the notes list the cheapest sufficient machines first.
    let dear = notes("Llama-3.1-405B --max-price 10");
    let usd: Vec<f64> = dear
        .iter()
        .map(|note| {
            note.split(", $")
                .nth(1)
                .unwrap()
                .split(' ')
                .next()
                .unwrap()
                .parse()
                .unwrap()
        })
        .collect();
    assert!(
        usd.len() == 3 && usd.is_sorted() && usd[0] < 30.0,
        "{dear:?}"
    );
    assert!(
        dear[0].ends_with("this is more than --max-price 10.00"),
        "{dear:?}"
    );
    // The exceeded limit decides the order: hours for a deadline, the total for a budget.
    for (line, before) in [
        (
            "Qwen2.5-7B --workload lora --tokens 10B --nodes 1 --deadline 5",
            "it may take ",
        ),
        (
            "Qwen2.5-7B --workload lora --tokens 100M --budget 0.1",
            "it costs $",
        ),
    ] {
        let notes = notes(line);
        let figures: Vec<f64> = notes
            .iter()
            .map(|note| {
                note.split(before)
                    .nth(1)
                    .unwrap()
                    .split(' ')
                    .next()
                    .unwrap()
                    .parse()
                    .unwrap()
            })
            .collect();
        assert!(figures.len() == 3 && figures.is_sorted(), "{notes:?}");
    }
}

#[test]
fn encoders_and_media_models_need_supported_devices() {
    let answer = sky_line("recommend whisper-large-v3 --limit 1000 -o json").json();
    for result in answer["results"].as_array().unwrap() {
        let name = result["offer"]["accelerator"].as_str().unwrap();
        assert!(
            !["Inferentia", "Trainium", "TPU", "Gaudi"]
                .iter()
                .any(|kind| name.starts_with(kind)),
            "{name}"
        );
    }
}

#[test]
fn picks_include_the_fastest_with_the_speed_objective() {
    for objective in ["latency", "speed"] {
        let answer = recommend(&format!("Llama-3.3-70B --objective {objective}"));
        let first = &answer["picks"][0];
        assert_eq!(
            (first["kind"].as_str(), &first["rank"]),
            (Some("fastest"), &1.into())
        );
    }
}

#[test]
fn requests_are_distributed_over_machines() {
    let answer = recommend("Llama-3.1-8B --request-rate 1000");
    let first = &answer["results"][0];
    assert!(number(&first["nodes"]) >= 4.0, "{first}");
    assert!(number(&first["fit"]["throughput"]["goodput_per_s"]) >= 1000.0);
}

#[test]
fn two_pipeline_stages_are_preferred_to_three() {
    let line = "fit RTXPRO6000-Server:x6 Llama-3.3-70B --users 16 -o json";
    let layout = &sky_line(line).json()["results"][0]["parallelism"];
    assert!(
        matches!(layout["pipeline"].as_u64(), Some(1 | 2)),
        "{layout}"
    );
}

#[test]
fn lower_tiers_rank_below_unless_any_tier_is_requested() {
    let rows = |more: &str| -> Vec<Value> {
        let answer = sky_line(&format!("recommend 13B --limit 2000 {more} -o json")).json();
        answer["results"].as_array().unwrap().clone()
    };
    // The picks are listed in addition, and may be other machines of a provider and an accelerator.
    let kinds = |rows: &[Value]| -> BTreeSet<String> {
        let kind = |row: &Value| {
            let offer = &row["offer"];
            format!(
                "{} {} {}",
                row["tier"], offer["provider"], offer["accelerator"]
            )
        };
        rows.iter().map(kind).collect()
    };
    let listed = rows("");
    let is_list = |row: &Value| row["tier"] == "list";
    let first_lower = listed.iter().position(|row| !is_list(row)).unwrap();
    assert!(!listed[first_lower..].iter().any(is_list));
    let together = rows("--tier any");
    assert_eq!(kinds(&listed), kinds(&together));
    assert_ne!(together[0]["tier"], "list");
}

#[test]
fn unmet_limit_gets_a_reachable_value() {
    for (line, limit, words) in [
        (
            "Llama-3.1-70B --workload full --tokens 1B --budget 100",
            "budget",
            "raise --budget from 100.00 to",
        ),
        (
            "Llama-3.3-70B --users 50 --max-price 1",
            "max-price",
            "raise --max-price from 1.00 to",
        ),
        (
            "Llama-3.1-8B --min-speed 100000",
            "min-speed",
            "the best is",
        ),
        (
            "gpt-oss-20B --engine tensorrt-llm --on A100:80GB",
            "engine",
            "with --engine vllm",
        ),
        (
            "Llama-3.1-8B --provider aws --on MI300X",
            "provider",
            "without --provider",
        ),
        (
            "Llama-3.1-8B --tokens 1B --budget 10 --max-price 0.05",
            "max-price",
            "together with the other changes",
        ),
    ] {
        let run = sky_line(&format!("recommend {line} -o json")).run();
        assert_eq!(run.code, 1, "{line}");
        let answer: Value = serde_json::from_str(&run.stdout).unwrap();
        let relax = answer["relax"].as_array().unwrap();
        let found = relax.iter().find(|one| one["wish"] == limit);
        let found = found.unwrap_or_else(|| panic!("{line}: {relax:?}"));
        assert!(
            found["message"].as_str().unwrap().contains(words),
            "{line}: {found}"
        );
        assert!(run.stderr.contains(words), "{line}: {}", run.stderr);
        // No larger machine ranks above a machine that meets all limits.
        let flag = format!("--{limit}");
        if let (Some(value), true) = (found["value"].as_f64(), line.contains(&flag)) {
            let (before, after) = line.split_once(&flag).unwrap();
            let rest = after
                .trim_start()
                .split_once(' ')
                .map_or("", |(_, rest)| rest);
            let relaxed = format!("recommend {before} {rest} {flag} {value}");
            let code = sky_line(&relaxed).run().code;
            let is_alone = !words.contains("together");
            assert_eq!(code, i32::from(!is_alone), "{relaxed}");
        }
    }
}

#[test]
fn contradictory_limits_are_both_named() {
    for (line, one, other) in [
        (
            "8B --min-speed 20 --generate 0",
            "--min-speed",
            "--generate",
        ),
        (
            "8B --min-speed 20 --max-tpot 20ms",
            "--min-speed",
            "--max-tpot",
        ),
        ("8B --users 5 --batch 3", "--users", "--batch"),
        (
            "8B --engine llama.cpp --precision awq",
            "--engine",
            "--precision",
        ),
        (
            "8B --engine vllm --precision gguf:Q4_K_M",
            "--engine",
            "--precision",
        ),
        ("8B --nodes 2 --on L4:x0.5", "--nodes", "--on"),
        (
            "8B --objective latency --workload lora",
            "--objective",
            "--workload",
        ),
        ("8B --deadline 3", "--deadline", "--tokens"),
        ("FLUX.1-dev --generate 10", "FLUX.1-dev", "generate"),
    ] {
        let run = sky_line(&format!("recommend {line}")).run();
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{line}");
        let names_both = run.stderr.contains(one) && run.stderr.contains(other);
        assert!(names_both, "{line}: {}", run.stderr);
    }
}

/// A request as command-line arguments.
fn requests() -> impl Strategy<Value = String> {
    let model = prop::sample::select(vec![
        "Llama-3.1-8B",
        "Llama-3.3-70B",
        "Qwen3-32B",
        "Qwen3-30B-A3B",
        "gpt-oss-20B",
        "gpt-oss-120B",
        "Qwen3-0.6B",
        "DeepSeek-V3",
        "Mixtral-8x7B",
        "13B",
    ]);
    let load = prop::sample::select(vec![
        "",
        "--users 1",
        "--users 8",
        "--users 50",
        "--request-rate 2",
    ]);
    let context = prop::sample::select(vec![
        "",
        "--context 512",
        "--context 2048",
        "--context 8192",
    ]);
    (model, load, context).prop_map(|(model, load, context)| format!("{model} {load} {context}"))
}

fn recommend(line: &str) -> Value {
    let run = sky_line(&format!("recommend {line} -o json")).run();
    assert!(run.code < 2, "{line}: {}", run.stderr);
    serde_json::from_str(&run.stdout).unwrap()
}

/// Asserts that `fit` and `recommend` agree on the first machines; returns the recommendation.
fn assert_fit_agrees(on: &str, request: &str) -> Value {
    let answer = recommend(&format!("{on} {request}"));
    for row in answer["results"].as_array().unwrap().iter().take(3) {
        // `fit` joins machines by their network, and replicas on separate machines have none.
        if row["nodes"].is_u64() && row["interconnect"].is_null() {
            continue;
        }
        let spec = row["spec"].as_str().unwrap();
        let nodes = row["nodes"]
            .as_u64()
            .map_or_else(String::new, |n| format!("--nodes {n}"));
        // A machine may need settings of the engine.
        let setting =
            |(field, flag): (&str, &str)| Some(format!("{flag} {}", row[field].as_f64()?));
        let settings = [
            ("max_num_seqs", "--max-num-seqs"),
            ("max_batched_tokens", "--max-batched-tokens"),
            ("gpu_memory_utilization", "--gpu-memory-utilization"),
        ];
        let settings: Vec<String> = settings.into_iter().filter_map(setting).collect();
        let settings = settings.join(" ");
        let alone = sky_line(&format!("fit {spec} {request} {nodes} {settings} -o json")).json();
        let (alone, there) = (&alone["results"][0], &row["fit"]);
        assert_eq!(&alone["fits"], true);
        for field in ["per_device_gib", "parallelism", "launch"] {
            assert_eq!(&alone[field], &there[field], "{request} on {spec}");
        }
        for field in [
            "output_tokens_per_s",
            "ttft_s",
            "tpot_ms",
            "max_concurrency",
        ] {
            let (alone, there) = (&alone["throughput"][field], &there["throughput"][field]);
            assert_eq!(alone, there, "{request} on {spec}");
        }
    }
    answer
}

#[test]
fn fit_and_recommend_agree_below_default_service() {
    for (on, request) in [
        (
            "--on L4 --nodes 1",
            "gpt-oss-120B --users 9 --context 32000 --generate 200",
        ),
        (
            "--on H200 --nodes 1",
            "Kimi-K2.5 --users 40 --context 8000 --generate 200",
        ),
        (
            "--on L40S --nodes 1",
            "Llama-3.3-70B --users 9 --context 8000 --generate 200",
        ),
    ] {
        let answer = assert_fit_agrees(on, request);
        assert!(
            answer["notes"].to_string().contains("below-usual"),
            "{request}"
        );
    }
}

#[test]
fn default_limits_do_not_multiply_named_machines() {
    let line = "Gemma-3-27B --users 20 --on L40S:x2";
    let answer = recommend(line);
    let first = &answer["results"][0];
    assert!(first["nodes"].is_null(), "{first}");
    assert!(
        first["why"].to_string().contains("above the default of 2"),
        "{first}"
    );
    assert!(
        answer["notes"].to_string().contains("below-defaults"),
        "{answer}"
    );
    for pick in answer["picks"].as_array().unwrap() {
        let kinds = format!("{}{}", pick["kind"], pick["also"]);
        assert!(!kinds.contains("safest") || pick["rank"] != 1, "{pick}");
    }
    // Limits of the request hold.
    let strict = recommend(&format!("{line} --max-ttft 2s --min-speed 20"));
    assert!(strict["results"][0]["nodes"].as_u64() > Some(1), "{strict}");
}

#[test]
fn no_note_refers_to_missing_rows() {
    let run = sky_line("recommend Llama-3.1-8B --users 100000").run();
    assert_eq!((run.code, run.stdout.as_str()), (1, ""));
    assert!(!run.stderr.contains("are shown"), "{}", run.stderr);
    // At a low rate, a request takes no longer than a single request.
    let rare =
        recommend("Llama-3.1-8B --request-rate 0.5 --context 16000 --generate 3 --on L40S|A100");
    let first = &rare["results"][0];
    assert_eq!(first["fit"]["count"], 1, "{first}");
}

/// The cost that determines the rank of an answer.
fn cost(answer: &Value) -> Option<f64> {
    let first = answer["results"].get(0)?;
    first[match answer["request"]["basis"].as_str()? {
        "hour" => "usd_per_hour",
        "million-tokens" => "usd_per_million_tokens",
        _ => "usd_total",
    }]
    .as_f64()
}

/// Each case runs the program several times, which takes almost a second in debug builds.
const CASES: u32 = if cfg!(debug_assertions) { 10 } else { 40 };

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(CASES) })]

    #[test]
    fn a_price_cap_is_kept_and_never_makes_an_answer_cheaper(request in requests(), share in 0.3..1.5_f64) {
        let free = recommend(&request);
        let Some(least) = cost(&free) else { return Ok(()) };
        let first = &free["results"][0];
        let cap = (number(&first["usd_per_hour"]) * share * 100.0).round() / 100.0;
        let capped = recommend(&format!("{request} --max-price {cap}"));
        for row in capped["results"].as_array().unwrap() {
            prop_assert!(number(&row["usd_per_hour"]) <= cap);
        }
        if let Some(most) = cost(&capped)
            && capped["results"][0]["tier"] == first["tier"]
        {
            // Each further machine counts half a dollar an hour.
            let further = capped["results"][0]["nodes"].as_f64().map_or(0.0, |nodes| nodes - 1.0);
            let most = most + 0.5 * further;
            prop_assert!(most >= least * 0.999, "{request}: {least} and {most} below {cap}");
        }
    }

    #[test]
    fn a_tighter_limit_never_makes_an_answer_cheaper(
        request in requests(),
        limits in prop::sample::select(vec![("--max-ttft", 4.0, "s"), ("--max-ttft", 1.0, "s"), ("--min-speed", 0.1, ""), ("--min-speed", 0.05, "")]),
        share in 0.3..0.9_f64,
    ) {
        let (flag, limit, unit) = limits;
        let within = |limit: f64| {
            let limit = if flag == "--min-speed" { 1.0 / limit } else { limit };
            let answer = recommend(&format!("{request} {flag} {limit:.2}{unit}"));
            // Answers with several machines rank below answers with a single machine, as a lower tier does.
            let first = answer["results"].get(0)?;
            let place = (first["tier"].clone(), first["nodes"].clone());
            Some((place, cost(&answer)?)).filter(|_| first.get("shortfalls").is_none())
        };
        if let (Some((place, loose)), Some((same, tight))) = (within(limit), within(limit * share))
            && place == same
        {
            prop_assert!(tight >= loose * 0.9999, "{request} {flag} {limit}: {loose}, and {tight} with {share} of it");
        }
    }

    #[test]
    fn fit_and_recommend_agree(request in requests()) {
        assert_fit_agrees("", &request);
    }

    #[test]
    fn more_users_never_take_fewer_devices_of_a_kind(
        model in prop::sample::select(vec!["Llama-3.1-8B", "Llama-3.3-70B", "Qwen3-30B-A3B", "gpt-oss-120B"]),
        on in prop::sample::select(vec!["H100", "A100:80GB", "L40S", "H200", "MI300X", "B200"]),
        users in 1..60_u32,
    ) {
        let devices = |users: u32| {
            let answer = recommend(&format!("{model} --on {on} --users {users}"));
            let notes = answer["notes"].to_string();
            let row = answer["results"].get(0).filter(|_| !notes.contains("below-usual"))?;
            Some((row["tier"].clone(), row["nodes"].is_null(), row["fit"]["count"].as_u64()?, number(&row["usd_per_hour"])))
        };
        if let (Some((tier, is_one, few, less)), Some((same, is_one_too, many, more))) = (devices(users), devices(users * 2))
            && tier == same
        {
            // Several machines are recommended if no single machine serves the load. They may have fewer devices at a
            // higher price.
            let is_dearer = is_one != is_one_too && more > less;
            prop_assert!(many >= few || is_dearer, "{model} on {on}: {few} for {users}, {many} for twice as many");
        }
    }
}

#[test]
fn devices_without_measurements_are_answers_only_if_they_are_named() {
    let answer = |rest: &str| {
        let line = format!("recommend Llama-3.3-70B --users 16 --context 4096 {rest} -o json");
        sky_line(&line).json()
    };
    let is_neuron = |result: &Value| {
        let id = result["offer"]["accelerator"].as_str().unwrap();
        id.starts_with("Trainium") || id.starts_with("Inferentia")
    };
    let named = answer("--on any:vendor=aws:x1+");
    let first = &named["results"][0];
    assert!(is_neuron(first) && first["nodes"].is_null(), "{first}");
    // Two cores of a chip are two ranks.
    let command = first["fit"]["launch"]["command"].as_str().unwrap();
    assert!(command.starts_with("vllm serve meta-llama/Llama-3.3-70B-Instruct"));
    assert!(command.contains("--tensor-parallel-size 16"), "{command}");
    let throughput = &first["fit"]["throughput"];
    let output = |end: &Value| end["output_tokens_per_s"].as_f64().unwrap();
    assert!(
        output(&throughput["high"]) > 3.0 * output(&throughput["low"]),
        "{throughput}"
    );
    let notes = named["notes"].as_array().unwrap();
    assert!(notes.iter().any(|note| note["code"] == "unmeasured"));
    let any = answer("--provider aws --limit 200 --tier any");
    let results = any["results"].as_array().unwrap();
    assert!(!results.is_empty() && !results.iter().any(is_neuron));
}
