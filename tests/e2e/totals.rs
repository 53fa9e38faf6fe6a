//! Totals for hours, hosts, links, and the last line of answers.

use serde_json::Value;

use crate::support::{sky, sky_line};

fn results(line: &str) -> Vec<Value> {
    let answer = sky_line(&format!("{line} -o json")).json();
    answer["results"].as_array().cloned().unwrap_or_default()
}

fn figure(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value}"))
}

#[test]
fn totals_are_the_likely_price_for_the_billed_hours() {
    for (flag, hours) in [("--hours 2d", 48.0), ("--month", 730.0), ("--year", 8760.0)] {
        for result in results(&format!("resolve H100:x8 --provider aws,gcp,azure {flag}")) {
            assert!((figure(&result["hours"]) - hours).abs() < 1e-9);
            let billed = figure(&result["billed_hours"]);
            assert!(billed >= hours);
            let Some(total) = result["usd_total"].as_f64() else {
                assert!(result["on_demand"].is_null(), "{result}");
                continue;
            };
            let price = figure(&result["on_demand"]["likely_usd_per_hour"]);
            assert!((total - price * billed).abs() < 0.01, "{total} {price}");
        }
    }
    let recommended = results("recommend Llama-3.1-8B --month --limit 3");
    for result in &recommended {
        let total = figure(&result["usd_per_hour"]) * figure(&result["billed_hours"]);
        assert!((figure(&result["usd_total"]) - total).abs() < 0.01);
    }
    assert_eq!(recommended.len(), 3);
    assert!(
        results("resolve L4 --limit 1")[0]
            .get("usd_total")
            .is_none()
    );
}

#[test]
fn alternatives_have_the_total_of_all_their_machines() {
    let answer = sky_line("resolve H100:x64 --interconnect infiniband --month -o json").json();
    let nearest = answer["nearest"].as_array().unwrap();
    assert!(!nearest.is_empty());
    for near in nearest {
        let price = figure(&near["on_demand"]["likely_usd_per_hour"]);
        let machines = figure(&near["nodes"]);
        let total = price * machines * figure(&near["billed_hours"]);
        assert!(
            (figure(&near["usd_total"]) / total - 1.0).abs() < 1e-3,
            "{near}"
        );
    }
    let run = sky_line("resolve H100:x64 --interconnect infiniband --month").run();
    assert!(run.stderr.contains(" for 730 h"), "{}", run.stderr);
    let plain = sky_line("resolve H100:x64 --interconnect infiniband").run();
    assert!(!plain.stderr.contains(" h ("), "{}", plain.stderr);
}

#[test]
fn a_budget_limits_the_total_of_the_hours() {
    let line = "recommend Llama-3.1-8B --users 10 --hours 100 --limit 1000";
    let all = results(line);
    let totals = |results: &[Value]| -> Vec<f64> {
        results
            .iter()
            .map(|result| figure(&result["usd_total"]))
            .collect()
    };
    let least = totals(&all).into_iter().fold(f64::INFINITY, f64::min);
    let budget = (least * 3.0).round();
    let within = results(&format!("{line} --budget {budget}"));
    assert!(!within.is_empty() && within.len() < all.len());
    assert!(
        totals(&within).iter().all(|total| *total <= budget),
        "{budget}"
    );
    // Less than the cheapest machine costs: the answer says what it would cost.
    let none = sky_line(&format!("{line} --budget 1")).run().expect_code(1);
    assert!(none.stderr.contains("--budget"), "{}", none.stderr);
    let open = sky_line("recommend Llama-3.1-8B --budget 100")
        .run()
        .expect_code(2);
    assert!(open.stderr.contains("--hours"), "{}", open.stderr);
}

#[test]
fn totals_have_hours_in_the_title_and_the_capacity_type_in_the_footer() {
    for line in [
        "resolve H100:x8 --month",
        "recommend Llama-3.1-8B --month",
        "plan H100:x8 --month",
        "resolve H100:x8 --hours 730 --group-by provider",
    ] {
        let run = sky_line(line).run().expect_code(0);
        assert!(run.stdout.contains("USD/730 H"), "{line}: {}", run.stdout);
        assert!(
            run.stderr.contains("730 h on demand, not committed"),
            "{line}"
        );
        let lines = run.stderr.lines();
        let lines = lines.filter(|line| !line.ends_with("--precision any"));
        assert_eq!(lines.count(), 1, "{line}: {}", run.stderr);
    }
    let run = sky_line("resolve p5.48xlarge --provider aws --year").run();
    assert!(run.stdout.contains("USD/8,760 H"), "{}", run.stdout);
    let run = sky_line("resolve A100 --capacity-type spot --month").run();
    assert!(
        run.stderr.contains("730 h as spot, not committed"),
        "{}",
        run.stderr
    );
}

#[test]
fn times_exclude_each_other_and_a_job_has_its_own() {
    for line in [
        "resolve H100 --month --year",
        "plan H100 --month --hours 5",
        "recommend Llama-3.1-8B --workload lora --tokens 5M --month",
        "resolve H100 --month --map",
    ] {
        sky_line(line).run().expect_code(2);
    }
    for hours in ["0", "-1", "nan"] {
        sky(["resolve", "H100", "--hours", hours])
            .run()
            .expect_code(2);
    }
}

#[test]
fn money_has_groups_of_digits_for_people_only() {
    let run = sky_line("plan p5.48xlarge --provider aws --year --limit 1").run();
    let total = results("plan p5.48xlarge --provider aws --year --limit 1");
    let total = figure(&total[0]["usd_total"]);
    assert!(total > 100_000.0);
    let thousands = format!("{},", (total / 1000.0) as u64);
    assert!(run.stdout.contains(&thousands), "{}", run.stdout);
    let csv = sky_line("plan p5.48xlarge --provider aws --year --limit 1 -o csv").run();
    assert!(csv.stdout.contains(&format!(",{total},")), "{}", csv.stdout);
}

#[test]
fn hosts_have_at_least_what_is_asked() {
    let all = results("resolve A100:80GB:x1");
    let large = results("resolve A100:80GB:x1 --min-vcpu 20 --min-host-memory 128GiB");
    assert!(!large.is_empty() && large.len() < all.len());
    for result in &large {
        assert!(figure(&result["vcpu"]) >= 20.0, "{result}");
        assert!(figure(&result["host_memory_gib"]) >= 128.0, "{result}");
    }
    let run = sky_line("resolve A100:80GB:x1 --min-vcpu 100000")
        .run()
        .expect_code(1);
    assert!(
        run.stderr.contains("with at least 100000 vCPUs"),
        "{}",
        run.stderr
    );
    for line in [
        "resolve H100 --min-host-memory 12parsecs",
        "resolve H100 --min-vcpu 0",
    ] {
        sky_line(line).run().expect_code(2);
    }
}

#[test]
fn a_link_is_required_wherever_hardware_is_chosen() {
    for result in results("resolve H100:x8 --interconnect infiniband") {
        assert_eq!(result["network"]["kind"], "infiniband", "{result}");
    }
    for result in results("recommend Llama-3.1-405B --interconnect infiniband --nodes 2") {
        assert_eq!(result["interconnect"]["kind"], "infiniband", "{result}");
    }
    let answer = sky_line("resolve H100:x64 --interconnect infiniband -o json").json();
    let nearest = answer["nearest"].as_array().unwrap();
    assert!(nearest.len() > 1, "{nearest:?}");
    let mut sellers: Vec<&str> = Vec::new();
    for near in nearest {
        assert_eq!(near["relation"], "multi-node", "{near}");
        let devices = near["nodes"].as_u64().zip(near["count"].as_u64());
        assert_eq!(devices.map(|(nodes, count)| nodes * count), Some(64));
        assert_eq!(near["network"]["kind"], "infiniband", "{near}");
        sellers.push(near["provider"].as_str().unwrap());
    }
    sellers.dedup();
    assert_eq!(sellers.len(), nearest.len());
}

#[test]
fn hard_wishes_survive_the_hand_over() {
    let line = "recommend Llama-3.1-8B --min-vcpu 16 --min-host-memory 64GiB --interconnect any --month -o json";
    let recommended = sky_line(line).run().expect_code(0).stdout;
    let plan = sky_line("plan - -o json").stdin(recommended).json();
    let request = &plan["request"];
    assert_eq!(request["min_vcpu"], 16);
    assert_eq!(request["min_host_memory_gib"], 64);
    assert_eq!(request["interconnect"], "any");
    assert_eq!(request["hours"], 730);
    for result in plan["results"].as_array().unwrap() {
        assert!(figure(&result["vcpu"]) >= 16.0, "{result}");
    }
}

#[test]
fn machines_with_a_small_host_rank_after_others_and_say_so() {
    let answer = results("resolve any:80GB");
    let is_small = |result: &Value| {
        let reasons = result["reasons"].as_array();
        reasons.is_some_and(|reasons| reasons.iter().any(|reason| reason == "small-host"))
    };
    let small: Vec<&Value> = answer.iter().filter(|result| is_small(result)).collect();
    assert!(!small.is_empty() && !is_small(&answer[0]));
    for result in small {
        let count = figure(&result["count"]);
        let memory = result["host_memory_gib"].as_f64().unwrap_or(f64::MAX);
        let vcpu = result["vcpu"].as_f64().unwrap_or(f64::MAX);
        assert!(memory < 40.0 * count || vcpu < 4.0 * count, "{result}");
    }
    let run = sky_line("resolve any:80GB --all").run();
    assert!(run.stdout.contains("small host"), "{}", run.stdout);
    assert!(run.stderr.contains("small host"), "{}", run.stderr);
}

#[test]
fn csv_has_the_source_the_age_and_the_currency_of_prices() {
    let run = sky_line("resolve H100:x8 --provider aws -o csv --currency EUR").run();
    let mut lines = run.stdout.lines();
    let header: Vec<&str> = lines.next().unwrap().split(',').collect();
    for column in [
        "on_demand.source",
        "on_demand.quality",
        "on_demand.age_days",
        "on_demand.currency.code",
        "on_demand.currency.per_hour",
        "usd_total",
    ] {
        assert!(header.contains(&column), "{column}");
    }
    assert!(lines.all(|line| line.contains("EUR")), "{}", run.stdout);
}

#[test]
fn every_offer_is_data() {
    let run = sky_line("resolve any -o jsonl").run().expect_code(0);
    let all = run.stdout.lines().count();
    let some = sky_line("resolve any:24GB+ -o jsonl")
        .run()
        .stdout
        .lines()
        .count();
    assert!(all > 500 && all > some, "{all} {some}");
    assert!(sky_line("plan any").run().code == 2);
}

#[test]
fn a_city_leads_to_its_regions_and_its_country() {
    let run = sky_line("resolve H100 --region Frankfurt")
        .run()
        .expect_code(2);
    assert!(run.stderr.contains("eu-frankfurt-1"), "{}", run.stderr);
}

#[test]
fn a_narrow_terminal_keeps_doubts_and_drops_hints() {
    let line = "resolve A100 --capacity-type spot";
    let run = sky_line(line).run().expect_code(0);
    assert!(run.stderr.contains("! "), "{}", run.stderr);
    assert!(run.stderr.contains("-v: more"), "{}", run.stderr);
    let verbose = sky_line(&format!("{line} -v")).run().expect_code(0);
    assert!(verbose.stderr.contains("prices: "), "{}", verbose.stderr);
    assert!(!verbose.stderr.contains("-v: more"), "{}", verbose.stderr);
}
