//! Statements of a command line hold in the answer, or the command fails.

use crate::support::{folder, sky_line};

#[test]
fn swapped_arguments_of_is_are_an_error() {
    let run = sky_line("is H100 nvidia").run().expect_code(2);
    assert!(run.stdout.is_empty(), "{}", run.stdout);
    assert!(run.stderr.contains("is nvidia H100"), "{}", run.stderr);
    sky_line("is nvidia H100").run().expect_code(0);
    sky_line("is amd H100").run().expect_code(1);
}

#[test]
fn a_wrong_vendor_is_an_error_for_every_command() {
    for line in [
        "resolve amd:H100",
        "list intel:H100",
        "fit nvidia:MI300X Llama-3.1-8B",
        "recommend Llama-3.1-8B --on amd:H100",
        "plan amd:H100",
        "convert amd:H100 --to dstack",
        "show AMD.H100",
    ] {
        let run = sky_line(line).run().expect_code(2);
        assert!(run.stdout.is_empty(), "{line}: {}", run.stdout);
        assert!(run.stderr.contains("makes"), "{line}: {}", run.stderr);
    }
}

#[test]
fn a_report_has_the_stated_currency() {
    let page = sky_line("report - Llama-3.1-8B --limit 3 --currency EUR")
        .run()
        .expect_code(0)
        .stdout;
    assert!(
        page.contains("EUR per hour") && page.contains("EUR/h"),
        "{page}"
    );
    // The rate is the only amount in dollars.
    let dollars: Vec<&str> = page
        .match_indices('$')
        .map(|(at, _)| &page[at - 10..at + 10])
        .collect();
    assert!(
        dollars.iter().all(|around| around.contains("EUR is")),
        "{dollars:?}"
    );
    assert!(!page.contains("US dollars"), "{page}");
}

#[test]
fn a_report_of_an_answer_has_its_currency_and_capacity_type() {
    let line = "resolve L4:x1 --provider aws --currency EUR --capacity-type spot -o json";
    let answer = sky_line(line).json();
    let spot = &answer["results"][0]["spot"];
    let rate = spot["currency"]["usd_rate"].as_f64().unwrap();
    let euros = spot["likely_usd_per_hour"].as_f64().unwrap() / rate;
    let files = folder(&[("answer.json", &answer.to_string())]);
    let page = sky_line("report - --from answer.json")
        .folder(files.path())
        .run()
        .expect_code(0)
        .stdout;
    let first = format!("{euros:.3} EUR per hour");
    assert!(page.contains(&first), "{first}: {page}");
    assert!(
        page.contains("EUR/h") && page.contains("On demand"),
        "{page}"
    );
    assert!(!page.contains("US dollars"), "{page}");
}

#[test]
fn spot_prices_are_in_the_column_of_the_price() {
    let line = "resolve L4:x1 --provider aws --capacity-type spot --limit 1";
    let answer = sky_line(&format!("{line} -o json")).json();
    let row = &answer["results"][0];
    let price = |kind: &str| row[kind]["likely_usd_per_hour"].as_f64().unwrap();
    let (spot, on_demand) = (price("spot"), price("on_demand"));
    assert!(spot < on_demand);
    let run = sky_line(&format!("{line} -o wide")).run().expect_code(0);
    let mut lines = run.stdout.lines();
    let titles = lines.next().unwrap();
    let row = lines.next().unwrap();
    let cell = |title: &str| {
        let end = titles.find(title).unwrap() + title.len();
        row[..end]
            .split_whitespace()
            .last()
            .unwrap()
            .trim_start_matches('~')
            .parse::<f64>()
            .unwrap()
    };
    assert!((cell("USD/H") - spot).abs() < 0.001, "{}", run.stdout);
    assert!(
        (cell("ON-DEMAND") - on_demand).abs() < 0.001,
        "{}",
        run.stdout
    );
}

#[test]
fn a_fixed_zero_stage_acts_or_fails() {
    let run = sky_line("fit H100:x1 Llama-3.1-8B --workload full --zero-stage 3")
        .run()
        .expect_code(2);
    assert!(run.stderr.contains("--zero-stage"), "{}", run.stderr);
    let line = "recommend Llama-3.1-8B --workload full --zero-stage 3 --limit 20 -o json";
    for row in sky_line(line).json()["results"].as_array().unwrap() {
        let layout = &row["fit"]["parallelism"];
        assert_eq!(layout["zero_stage"], 3, "{row}");
        assert!(layout["data"].as_u64().unwrap() > 1, "{row}");
    }
}

#[test]
fn numbers_of_tokens_have_units() {
    let line = "fit H100 Llama-3.1-8B --context 32k --generate 1k -o json";
    let answer = sky_line(line).json();
    assert_eq!(answer["request"]["context"], 32_000);
    assert_eq!(answer["request"]["generate"], 1000);
    for flag in ["--users", "--batch", "--max-batched-tokens", "--requests"] {
        let users = if flag == "--requests" {
            "--users 8"
        } else {
            ""
        };
        let line = format!("fit H100 Llama-3.1-8B {users} {flag} 1k");
        let run = sky_line(&line).run();
        assert!(matches!(run.code, 0 | 1), "{line}: {}", run.stderr);
    }
    sky_line("fit H100 Llama-3.1-8B --context 32kb")
        .run()
        .expect_code(2);
}

#[test]
fn a_label_of_a_node_has_the_slice() {
    let run = sky_line("convert H100:SXM:80GB:mig=3g.40gb --to kubernetes")
        .run()
        .expect_code(0);
    assert_eq!(run.stdout.trim(), "NVIDIA-H100-80GB-HBM3-MIG-3g.40gb");
    assert!(!run.stderr.contains("lost"), "{}", run.stderr);
}

#[test]
fn hardware_and_models_need_no_command() {
    for (short, long) in [
        (
            "H100:x8 --limit 2 -o names",
            "resolve H100:x8 --limit 2 -o names",
        ),
        ("-o names p5.48xlarge", "-o names resolve p5.48xlarge"),
        (
            "Llama-3.1-8B --limit 2 -o csv",
            "recommend Llama-3.1-8B --limit 2 -o csv",
        ),
    ] {
        let (short, long) = (sky_line(short).run(), sky_line(long).run());
        assert_eq!((short.code, short.stdout), (long.code, long.stdout));
    }
    // A message names the flags of the implied command.
    let run = sky_line("H100:x8 --max-age 1h").run().expect_code(7);
    assert!(run.stderr.contains("--max-age"), "{}", run.stderr);
    let run = sky_line("H10O").run().expect_code(2);
    assert!(run.stderr.contains("'H100'"), "{}", run.stderr);
    let run = sky_line("H100 --quant fp8 -o json").run().expect_code(2);
    assert!(run.stdout.contains("--precision") || run.stderr.contains("--precision"));
}

#[test]
fn confirmed_prices_of_private_hosts_rank_before_unconfirmed_prices() {
    let order = |line: &str| -> Vec<u32> {
        let answer = sky_line(line).json();
        let rows = answer["results"].as_array().unwrap();
        let grade = |row: &serde_json::Value| {
            let has = |code: &str| {
                let mut reasons = row["reasons"].as_array().into_iter().flatten();
                reasons.any(|reason| reason == code)
            };
            let others = ["endpoint", "share", "attached"];
            let is_machine = !others.iter().any(|other| row["sells"] == *other);
            match () {
                () if has("implausible-price") || !is_machine => 3,
                () if has("unconfirmed-price") => 2,
                () if has("private-host") || has("small-host") => 1,
                () => 0,
            }
        };
        let priced = rows.iter().filter(|row| row["on_demand"].is_object());
        let offered = priced.filter(|row| row["status"] == "offered");
        offered.map(grade).collect()
    };
    for spec in ["RTX4090", "RTX3090", "RTXA5000", "H100", "L40S"] {
        let grades = order(&format!("resolve {spec}:x1 -o json"));
        assert!(grades.len() > 3 && grades.is_sorted(), "{spec}: {grades:?}");
    }
}

#[test]
fn shown_machines_and_providers_respect_the_age_of_prices() {
    for (line, newest) in [
        ("show p5.48xlarge --max-age 1d", "the newest, of aws"),
        ("show runpod --max-age 1d", "the newest, of runpod"),
    ] {
        let run = sky_line(line).run().expect_code(7);
        assert!(
            run.stderr.contains("older than --max-age allows"),
            "{line}: {}",
            run.stderr
        );
        assert!(run.stderr.contains(newest), "{line}: {}", run.stderr);
        let _ = sky_line(&line.replace("1d", "9y")).run().expect_code(0);
    }
    // Other machines with the accelerator have newer prices.
    let run = sky_line("show p5.48xlarge --max-age 60d")
        .run()
        .expect_code(0);
    let left_out = "the price of p5.48xlarge is older than --max-age allows";
    assert!(run.stderr.contains(left_out), "{}", run.stderr);
}

#[test]
fn an_option_without_effect_is_named() {
    for (line, option) in [
        (
            "fit H100 Llama-3.1-8B --host-bandwidth 100",
            "--host-bandwidth has no effect with vllm",
        ),
        (
            "fit H100 Llama-3.1-8B --attention eager",
            "--attention has no effect with vllm",
        ),
    ] {
        let run = sky_line(line).run().expect_code(0);
        assert!(run.stderr.contains(option), "{line}: {}", run.stderr);
    }
    let run = sky_line("models --on TPUv5e").run().expect_code(0);
    assert!(run.stdout.starts_with("MODEL "), "{}", run.stdout);
}
