//! Machines to rent for a model.

use serde_json::Value;

use super::{fit, near};
use crate::support::{folder, sky, sky_line};

/// Cheap machines of unknown region rank last, and must not decide what is sized.
#[test]
fn machines_of_unknown_region_do_not_hide_replicas_in_a_region() {
    let cheap = "[[offer]]\nprovider = \"scaleway\"\nid = \"cheap\"\naccelerator = \"B200-180GB-SXM\"\ncount = 8\nvcpu = 128\n\
         host_memory_gib = 1800\nsource = \"x\"\nas_of = \"2026-11-01\"\n\
         [[price]]\nprovider = \"scaleway\"\noffer = \"cheap\"\nkind = \"list\"\nquality = \"provider\"\nusd_per_hour = 30\n\
         source = \"x\"\nas_of = \"2026-11-19\"\n";
    let known = |overlay: &str| -> Vec<String> {
        let overlay = folder(&[("cheap.toml", overlay)]);
        let line = "recommend DeepSeek-V3 --users 500 --region EU -o json --catalog";
        let answer = sky_line(line).arg(overlay.path()).json();
        let rows = answer["results"].as_array().unwrap().iter();
        let is_known = |row: &&Value| {
            let reasons = row["offer"]["reasons"].to_string();
            row["tier"] == "list" && !reasons.contains("region-unverified")
        };
        let machine = |row: &Value| format!("{} × {}", row["nodes"], row["offer"]["instance_type"]);
        rows.filter(is_known).map(machine).take(2).collect()
    };
    let without = known("");
    assert_eq!(without.len(), 2, "{without:?}");
    assert_eq!(known(cheap), without);
}

#[test]
fn recommendations_fit_are_ranked_and_feed_resolve() {
    let answer =
        sky_line("recommend --model Qwen2.5-32B --precision fp8 --provider aws,verda -o json")
            .json();
    let results = answer["results"].as_array().unwrap();
    let listed = results.iter().filter(|result| result["tier"] == "list");
    let prices: Vec<f64> = listed
        .map(|result| result["usd_per_hour"].as_f64().unwrap())
        .collect();
    assert!(prices.len() > 3 && prices.is_sorted(), "{prices:?}");
    for result in results {
        assert_eq!(result["fit"]["fits"], true);
        let memory = &result["fit"]["per_device_gib"];
        assert!(memory["high"].as_f64() <= memory["usable"].as_f64());
    }
    let best = &results[0];
    let spec = best["spec"].as_str().unwrap();
    let resolved = sky(["resolve", spec, "-o", "json"]).json();
    let offers = resolved["results"].as_array().unwrap();
    assert!(
        offers
            .iter()
            .any(|result| result["instance_type"] == best["offer"]["instance_type"])
    );
    // `fit` gives the same figures for the same spec and layout.
    let layout = &best["fit"]["parallelism"];
    let alone = fit(&format!(
        "{spec} --model Qwen2.5-32B --precision fp8 --tensor-parallel {} --pipeline-parallel {}",
        layout["tensor"], layout["pipeline"]
    ));
    assert_eq!(alone["per_device_gib"], best["fit"]["per_device_gib"]);
    let notes: Vec<&str> = answer["notes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|note| note["code"].as_str().unwrap())
        .collect();
    assert!(
        notes.contains(&"guide") && notes.contains(&"rejected"),
        "{notes:?}"
    );

    let figures = |objective: &str, of: fn(&Value) -> f64| -> Vec<f64> {
        let line = "recommend --model Qwen2.5-32B --precision fp8 --limit 99 -o json --objective";
        let answer = sky_line(&format!("{line} {objective}")).json();
        answer["results"]
            .as_array()
            .unwrap()
            .iter()
            .map(of)
            .collect()
    };
    let rates = figures("speed", |result| result["tokens_per_s"].as_f64().unwrap());
    assert!(rates.windows(2).all(|pair| pair[0] >= pair[1]), "{rates:?}");
    assert!(rates.first() > rates.last(), "{rates:?}");
    // The minimum memory over all devices.
    let memory = figures("memory", |result| {
        let layout = &result["fit"]["parallelism"];
        let ranks = ["tensor", "pipeline", "data"].map(|axis| layout[axis].as_f64().unwrap());
        let devices: f64 = ranks.iter().product();
        result["fit"]["per_device_gib"]["usable"].as_f64().unwrap() * devices
    });
    // The output is rounded.
    assert!(
        memory.windows(2).all(|pair| pair[0] <= pair[1] + 0.01),
        "{memory:?}"
    );
    assert!(memory.first() < memory.last(), "{memory:?}");
}

#[test]
fn offloading_needs_memory_of_the_host() {
    let line = "recommend --model Llama-3.1-70B --workload full --offload all --provider aws";
    let answer = sky_line(&format!("{line} --limit 99 -o json")).json();
    let results = answer["results"].as_array().unwrap();
    assert!(!results.is_empty());
    for result in results {
        let (offer, host) = (&result["offer"], &result["fit"]["host_gib"]);
        let devices = offer["count"].as_f64().unwrap();
        let needed = host.as_f64().unwrap() * devices;
        let has = offer["host_memory_gib"].as_f64().unwrap();
        assert!(
            needed > 500.0 && needed <= has,
            "{needed} of {has}: {offer}"
        );
        let why = result["why"].to_string();
        assert!(why.contains("GiB of host memory"), "{why}");
    }
    let smaller = "recommend --model Llama-3.1-8B --workload full --offload all --provider aws -v";
    let run = sky_line(smaller).run();
    let reason = "needs 179 GiB of host memory, but has 32";
    assert!(run.stderr.contains(reason), "{}", run.stderr);
}

#[test]
fn jobs_cost_billed_hours() {
    let job = |provider: &str| {
        let line = format!(
            "recommend Llama-3.1-8B --workload qlora --tokens 100M --provider {provider} --on MI300X:x8|H100:x8 -o json"
        );
        sky_line(&line).json()["results"][0].clone()
    };
    // Billing: at least eight hours, whole hours, and per second.
    let figure = |result: &Value, name: &str| result[name].as_f64().unwrap();
    for (provider, billed) in [
        ("hotaisle", Some(8.0)),
        ("voltagepark", Some(1.0)),
        ("nebius", None),
    ] {
        let result = job(provider);
        let taken = figure(&result, "hours");
        assert!(taken < 1.0, "{result}");
        near(
            figure(&result, "billed_hours"),
            billed.unwrap_or(taken),
            1.0,
        );
        let usd = figure(&result, "usd_per_hour") * figure(&result, "billed_hours");
        near(figure(&result, "usd_total"), usd, 0.1);
    }
    let run = sky_line(
        "recommend Llama-3.1-8B --workload qlora --tokens 100M --provider hotaisle --on MI300X:x8",
    )
    .run();
    assert!(
        run.stdout.contains(" for 8 billed hours (0."),
        "{}",
        run.stdout
    );
    let line = "plan MI300X:x8 --provider hotaisle --hours 2 --price stated -o json";
    let plan = sky_line(line).json();
    near(
        plan["results"][0]["usd_total"].as_f64().unwrap(),
        8.0 * 15.94,
        0.01,
    );
    let plan = sky_line("plan MI300X:x8 --provider hotaisle --hours 2 --budget 100").run();
    assert_eq!(plan.code, 1, "{}", plan.stdout);
}

#[test]
fn budgets_and_deadlines_hold() {
    let line = "recommend --model Qwen2.5-7B --workload lora --tokens 1B --deadline 24 --budget 100 -o json";
    let in_days = line.replace("24", "1d");
    assert_eq!(sky_line(line).run().stdout, sky_line(&in_days).run().stdout);
    for wrong in ["soon", "5M", "1ns", "200years"] {
        let run = sky_line(&line.replace("24", wrong)).run().expect_code(2);
        assert!(run.stderr.contains("90m, 12h or 2d"), "{}", run.stderr);
    }
    let answer = sky_line(line).json();
    let results = answer["results"].as_array().unwrap();
    assert!(!results.is_empty());
    for result in results {
        let (hours, usd) = (
            result["hours"].as_f64().unwrap(),
            result["usd_total"].as_f64().unwrap(),
        );
        assert!(hours <= 24.0 && usd <= 100.0, "{hours} {usd}");
        let billed = result["billed_hours"].as_f64().unwrap();
        assert!(billed >= hours, "{result}");
        near(usd, billed * result["usd_per_hour"].as_f64().unwrap(), 0.1);
    }
    let none = sky_line("recommend --model Llama-3.1-405B --workload pretrain --nodes 1").run();
    assert_eq!((none.code, none.stdout.as_str()), (1, ""));
    assert!(none.stderr.contains("without --nodes: "), "{}", none.stderr);
    let chart = sky_line("recommend --model-size 13B --chart")
        .run()
        .expect_code(0);
    assert!(
        chart
            .stdout
            .contains("tokens/s against US dollars per hour")
    );
}

#[test]
fn a_maximum_age_below_the_age_of_all_prices_has_its_exit_code() {
    let run = sky_line("recommend --model-size 7B --max-age 1h")
        .run()
        .expect_code(7);
    assert!(run.stderr.contains("without --max-age"), "{}", run.stderr);
    let _ = sky_line("recommend --model-size 7B --max-age 400d")
        .run()
        .expect_code(0);
}

#[test]
fn recommends_sold_slices_where_the_model_fits() {
    let overlay = folder(&[(
        "a.toml",
        r#"
sold_by = "cutter"
[[provider]]
id = "cutter"
sells = "instance-types"
[[offer]]
id = "eighth"
accelerator = "H100-80GB-SXM"
mig_profile = "1g.10gb"
count = 1
source = "x"
as_of = "2026-11-01"
[[price]]
offer = "eighth"
capacity_type = "on-demand"
source = "x"
as_of = "2026-11-01"
usd_per_hour = 0.05
"#,
    )]);
    let recommend = |size: &str| {
        let overlay = overlay.path().to_str().unwrap();
        let line = [
            "recommend",
            "--model-size",
            size,
            "-o",
            "json",
            "--catalog",
            overlay,
        ];
        sky(line).json()["results"][0].clone()
    };
    let small = recommend("0.5B");
    assert_eq!(small["offer"]["instance_type"], "eighth");
    assert_eq!(small["spec"], "H100-80GB-SXM:mig=1g.10gb");
    assert_eq!(small["usd_per_hour"], 0.05);
    // The memory of the slice counts, not the memory of the GPU.
    assert_eq!(small["offer"]["total_memory_gb"], 10);
    assert!(
        small["fit"]["per_device_gib"]["usable"].as_f64() < Some(10.0),
        "{}",
        small["fit"]
    );
    // A model that does not fit into a slice is never placed there, even if the slice is cheapest.
    assert_ne!(recommend("8B")["offer"]["provider"], "cutter");
}

#[test]
fn jobs_of_nearly_the_same_price_take_few_devices() {
    for line in [
        "recommend Llama-3.1-8B --workload lora --tokens 100M",
        "recommend gpt-oss-20B --tokens 2B --context 1024 --generate 1024",
    ] {
        let answer = sky_line(&format!("{line} --limit 1000 -o json")).json();
        let rows = answer["results"].as_array().unwrap();
        let rows: Vec<&Value> = rows.iter().filter(|row| row["tier"] == "list").collect();
        let number = |row: &Value, field: &str| row[field].as_f64().unwrap();
        let weighed = |row: &Value| {
            let devices = row["offer"]["count"].as_f64().unwrap();
            let nodes = row["nodes"].as_f64().unwrap_or(1.0);
            number(row, "usd_total") * (1.0 + 0.15 * (devices * nodes).log2())
        };
        // A machine precedes machines that take longer and cost 30% more, or 10% more if that is more than eight hours.
        let is_better = |row: &Value, other: &Value| {
            let factor = number(other, "usd_total") / number(row, "usd_total");
            let hours = number(other, "hours");
            hours >= number(row, "hours") && (factor >= 1.3 || factor >= 1.1 && hours > 8.0)
        };
        assert!(rows.len() > 5, "{line}");
        for at in 0..9.min(rows.len() - 1) {
            let (row, next) = (rows[at], rows[at + 1]);
            let is_promoted = rows[at + 1..].iter().any(|other| is_better(row, other));
            assert!(
                is_promoted || weighed(row) <= weighed(next) * 1.01,
                "{line}: {row}"
            );
            assert!(!is_better(next, row), "{line}: {row}");
        }
        let text = sky_line(&format!("{line} --limit 1")).run();
        assert!(
            text.stdout.contains("for each doubling of the devices"),
            "{}",
            text.stdout
        );
        // The pick is still the lowest total.
        let pick = &answer["picks"][0];
        assert_eq!(pick["kind"], "cheapest");
    }
    // Users are served for an hourly price.
    let served = sky_line("recommend Llama-3.1-8B --users 10").run();
    assert!(
        !served.stdout.contains("doubling of the devices"),
        "{}",
        served.stdout
    );
}

#[test]
fn a_report_names_the_precision_of_each_machine() {
    let open = sky_line("report - Llama-3.3-70B --users 10 --precision any").run();
    assert!(open.stdout.contains(">Precision<"), "{}", open.stdout.len());
    let own = sky_line("report - Llama-3.3-70B --users 10").run();
    assert!(!own.stdout.contains(">Precision<"));
}
