//! Prices of commitments, and the mix of reserved machines, machines on demand and spot machines for a load.

use serde_json::Value;

use crate::support::{folder, sky, sky_line};

fn figure(value: &Value) -> f64 {
    value.as_f64().unwrap_or_else(|| panic!("{value}"))
}

fn find<'a>(answer: &'a Value, instance_type: &str) -> &'a Value {
    let results = answer["results"].as_array().unwrap();
    results
        .iter()
        .find(|row| row["instance_type"] == instance_type)
        .unwrap_or_else(|| panic!("no {instance_type} in {answer:#}"))
}

fn note<'a>(answer: &'a Value, code: &str) -> &'a str {
    let notes = answer["notes"].as_array().unwrap();
    let found = notes.iter().find(|note| note["code"] == code);
    found.unwrap_or_else(|| panic!("{answer:#}"))["message"]
        .as_str()
        .unwrap()
}

#[test]
fn offers_rank_by_the_price_of_their_commitment() {
    let answer = sky_line("resolve L4:x1 --commit 1y -o json").json();
    assert_eq!(answer["request"]["commit"], "1y");
    let g2 = find(&answer, "g2-standard-4");
    let committed = figure(&g2["committed"]["usd_per_hour"]);
    assert!((committed - 0.4453).abs() < 1e-9);
    assert_eq!(g2["committed"]["kind"], "committed");
    let on_demand = figure(&g2["on_demand"]["usd_per_hour"]);
    assert!(on_demand > committed);
    let row = &g2["commitments"][0];
    assert_eq!(row["ranks"], true);
    assert_eq!(row["program"], "gcp-cud");
    assert_eq!(row["term"], "1y");
    assert_eq!(row["upfront"], "none");
    let ratio = committed / on_demand;
    assert!((figure(&row["break_even_utilization"]) - ratio).abs() < 1e-4);
    assert!((figure(&row["discount"]) - (1.0 - ratio)).abs() < 1e-4);
    assert!((figure(&row["term_usd"]) - committed * 8760.0).abs() < 0.01);
    assert!(figure(&row["upfront_usd"]).abs() < 1e-9);
    assert!(row["at_end"].as_str().unwrap().contains("on demand"));
    let prices: Vec<f64> = answer["results"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| figure(&row["committed"]["usd_per_hour"]))
        .collect();
    assert!(prices.is_sorted(), "{prices:?}");
    assert!(note(&answer, "committed-prices").contains("1y"));
    assert!(note(&answer, "commitment-unknown").contains("no committed price is known"));
}

#[test]
fn answers_without_the_flag_have_no_field_of_commitments() {
    let answer = sky_line("resolve L4:x1 -o json").run();
    assert!(!answer.stdout.contains("commit"), "{}", answer.stdout);
}

#[test]
fn upfront_payments_follow_from_the_price_without_them() {
    let of = |upfront: &str| {
        let line =
            format!("resolve A100-40GB:x8 --provider aws --commit 1y --upfront {upfront} -o json");
        let answer = sky_line(&line).json();
        find(&answer, "p4d.24xlarge").clone()
    };
    let none = figure(&of("none")["committed"]["usd_per_hour"]);
    let partial = of("partial");
    let all = of("all");
    assert!((figure(&partial["committed"]["usd_per_hour"]) - none * 0.9524).abs() < 1e-5);
    assert!((figure(&all["committed"]["usd_per_hour"]) - none * 0.9333).abs() < 1e-5);
    let row = &all["commitments"][0];
    assert_eq!(row["quality"], "pattern");
    assert_eq!(row["upfront_usd"], row["term_usd"]);
    assert!(partial["commitments"][0]["upfront_usd"].is_null());
}

#[test]
fn prices_that_are_not_of_the_whole_machine_do_not_rank() {
    let answer = sky_line("resolve H100:x8 --provider gcp,coreweave --commit 7d -o json").json();
    assert!(answer["results"].as_array().unwrap().is_empty());
    let message = note(&answer, "commitment-unknown");
    assert!(message.contains("gcp (flex-start)"), "{message}");
    let answer = sky_line("resolve H100:x8 --provider coreweave --commit 1y -o json").json();
    let message = note(&answer, "commitment-unknown");
    assert!(
        message.contains("coreweave (reserved cluster, up to 60% off)"),
        "{message}"
    );
}

#[test]
fn recommendations_plans_and_comparisons_take_commitments() {
    let answer = sky_line("recommend Llama-3.1-8B --on L4 --commit 1y -o json").json();
    let first = &answer["results"][0];
    let committed = figure(&first["offer"]["committed"]["usd_per_hour"]);
    let machines = first["nodes"].as_f64().unwrap_or(1.0);
    assert!(
        (figure(&first["usd_per_hour"]) - committed * machines).abs() < 1e-3,
        "{first:#}"
    );
    let answer = sky_line("plan L4:x1 --provider gcp --commit 1y -o json").json();
    assert!((figure(&answer["results"][0]["price"]["usd_per_hour"]) - 0.4453).abs() < 1e-6);
    let answer = sky_line("compare L4 A100-40GB --provider gcp --commit 1y -o json").json();
    assert!((figure(&answer["results"][0]["price"]["usd_per_hour"]) - 0.4453).abs() < 1e-3);
}

#[test]
fn contradictions_name_both_flags_and_unknown_terms_list_the_known_terms() {
    for (line, words) in [
        (
            "resolve L4 --commit 1y --capacity-type spot",
            ["--commit", "--capacity-type"],
        ),
        ("resolve L4 --commit 1y --month", ["--commit", "--month"]),
        ("resolve L4 --commit 1y --live", ["--commit", "--live"]),
        (
            "recommend Llama-3.1-8B --commit 1y --sessions 20 --hours-per-session 3",
            ["--commit", "--sessions"],
        ),
        (
            "recommend Llama-3.1-8B --commit 1y --tokens 10M",
            ["--commit", "--tokens"],
        ),
        ("plan L4 --commit 1y --bill", ["--commit", "--bill"]),
        ("resolve L4 --commit 5y", ["--commit 5y", "3y"]),
        ("resolve L4 --commit soon", ["'soon'", "1y"]),
        ("resolve L4 --upfront all", ["--upfront", "--commit"]),
        (
            "mix L4:x1 --profile else=1 --base-hours 3",
            ["--profile", "--base-hours"],
        ),
        ("mix L4:x1", ["--profile", "--base-hours"]),
        ("plan L4 --commit 1y --year", ["--commit", "--year"]),
        ("recommend 8B --commit 1y --month", ["--commit", "--month"]),
        ("resolve L4 --available", ["--available", "--live"]),
        ("plan L4 --available", ["--available", "--live"]),
        ("resolve L4 --sort obtainability", ["--sort", "--live"]),
        (
            "plan L4 --objective obtainability",
            ["--objective", "--live"],
        ),
        (
            "recommend --workload development --compare api",
            ["--compare", "model"],
        ),
        (
            "recommend --workload development --users 5",
            ["--users", "model"],
        ),
        ("mix L4:x1 --base-hours 800", ["--base-hours", "730"]),
        (
            "mix L4:x1 --profile weekdays:18-9=1",
            ["weekdays:18-9=1", "^^^^"],
        ),
        (
            "mix L4:x1 --profile daily=2,mon:3-4=5",
            ["'daily=2'", "'mon:3-4=5'"],
        ),
    ] {
        let run = sky_line(line).run();
        assert_eq!(run.code, 2, "{line}: {}", run.stderr);
        for word in words {
            assert!(run.stderr.contains(word), "{line}: {word}: {}", run.stderr);
        }
    }
}

/// A machine whose price on demand is old, so that the likely price of today is lower, and its commitment.
const OLD_PRICE: &str = r#"
[[provider]]
id = "acme"
tiers = ["secure", "community"]
[[offer]]
provider = "acme"
id = "a-h100"
accelerator = "H100-80GB-SXM"
count = 8
source = "us"
as_of = "2026-11-01"
[[price]]
provider = "acme"
offer = "a-h100"
tier = "secure"
usd_per_hour = 40.0
source = "us"
as_of = "2025-06-01"
[[price]]
provider = "acme"
offer = "a-h100"
tier = "community"
usd_per_hour = 50.0
source = "us"
as_of = "2025-06-01"
[[commitment_program]]
id = "acme-reserved"
provider = "acme"
name = "reserved"
source = "us"
as_of = "2026-11-01"
[[commitment]]
program = "acme-reserved"
terms = ["1y"]
upfront = "none"
share_of_on_demand = 0.5
source = "us"
as_of = "2026-11-01"
"#;

#[test]
fn a_mix_decides_and_states_the_break_even_by_one_price() {
    let overlay = folder(&[("old.toml", OLD_PRICE)]);
    let answer = |line: &str| {
        let words = line.split(' ');
        sky(words).arg("--catalog").arg(overlay.path()).json()
    };
    let line = "mix H100:x8 --provider acme --base-hours 730,350 -o json";
    let likely = answer(line);
    let stated = answer(&format!("{line} --price stated"));
    let mut prices = Vec::new();
    for answer in [&likely, &stated] {
        let row = find(answer, "a-h100");
        let on_demand = figure(&row["on_demand_usd_per_hour"]);
        // A share of the price on demand is a share of the price that decides.
        assert!(
            (figure(&row["reserved_usd_per_hour"]) - on_demand * 0.5).abs() < 1e-5,
            "{row:#}"
        );
        assert_eq!(row["break_even_utilization"], 0.5);
        // 350 of 730 hours are less than the break-even.
        assert_eq!(row["reserved"]["machines"], 1);
        prices.push(on_demand);
    }
    assert!(
        prices[0] < prices[1] && (prices[1] - 40.0).abs() < 1e-9,
        "{prices:?}"
    );
    let page = sky([
        "mix",
        "H100:x8",
        "--provider",
        "acme",
        "--base-hours",
        "730,350",
        "--catalog",
    ]);
    let page = page.arg(overlay.path()).run().expect_code(0);
    let first = page.stdout.lines().next().unwrap();
    assert!(
        first.starts_with("acme a-h100: reserve 1 machine for 1y and rent up to 1 on demand, for "),
        "{first}"
    );
    assert!(
        page.stderr.contains("likely price of today"),
        "{}",
        page.stderr
    );
    assert!(
        page.stderr.contains("at most 2 machines at once"),
        "{}",
        page.stderr
    );
}

#[test]
fn each_price_tier_has_its_commitments() {
    let overlay = folder(&[("old.toml", OLD_PRICE)]);
    let words = "resolve H100:x8 --provider acme --commit 1y -o json".split(' ');
    let answer = sky(words).arg("--catalog").arg(overlay.path()).json();
    let row = find(&answer, "a-h100");
    let commitments = row["commitments"].as_array().unwrap();
    let tiers: Vec<(&str, f64, f64, bool)> = commitments
        .iter()
        .map(|row| {
            let tier = row["price_tier"].as_str().unwrap();
            let (usd, list) = (&row["usd_per_hour"], &row["on_demand_usd_per_hour"]);
            (tier, figure(usd), figure(list), row["ranks"] == true)
        })
        .collect();
    assert_eq!(
        tiers,
        [
            ("secure", 20.0, 40.0, true),
            ("community", 25.0, 50.0, false)
        ]
    );
}

#[test]
fn names_of_a_mix_have_their_provider() {
    let names = sky_line("mix L4:x1 --provider aws,gcp --base-hours 730 -o names").run();
    let names: Vec<&str> = names.stdout.lines().collect();
    assert!(names.contains(&"gcp/g2-standard-4"), "{names:?}");
    let one = sky_line("mix L4:x1 --provider gcp --base-hours 730 -o names").run();
    assert!(one.stdout.starts_with("g2-standard-4\n"), "{}", one.stdout);
}

#[test]
fn open_terms_rank_in_a_mix_of_any_term() {
    let open = r#"
sold_by = "hyperstack"
[[commitment_program]]
id = "open"
name = "reserved"
source = "us"
as_of = "2026-11-01"
[[commitment]]
program = "open"
offers = ["n3-H100x8"]
terms = ["1mo+"]
usd_per_hour = 10.0
source = "us"
as_of = "2026-11-01"
"#;
    let overlay = folder(&[("open.toml", open)]);
    let line = "mix H100:x8 --base-hours 730,730,120 --provider hyperstack --commit";
    let any = sky_line(&format!("{line} any --catalog"));
    let run = any.arg(overlay.path()).run().expect_code(0);
    assert!(
        run.stdout.contains("reserve 2 machines for 1mo+"),
        "{}",
        run.stdout
    );
    assert!(
        run.stderr.contains("(hyperstack): not known"),
        "{}",
        run.stderr
    );
    let short = sky_line(&format!("{line} 7d")).run().expect_code(2);
    assert!(short.stderr.contains("--commit"), "{}", short.stderr);
}

#[test]
fn committed_prices_are_not_called_list_prices() {
    let page = sky_line("recommend Llama-3.1-8B --on L4 --commit 1y").run();
    assert!(
        page.stdout.contains("the lowest committed price per hour"),
        "{}",
        page.stdout
    );
    assert!(!page.stdout.contains("list price"), "{}", page.stdout);
}

#[test]
fn a_mix_reserves_the_machines_above_the_break_even() {
    let line = "mix L4:x1 --provider gcp --profile weekdays:9-18=8,else=2 -o json";
    let answer = sky_line(line).json();
    let row = find(&answer, "g2-standard-4");
    // Two machines run all the time, six for 45 of 168 hours: less than the break-even.
    assert_eq!(row["reserved"]["machines"], 2);
    assert_eq!(row["on_demand_machines"]["machines"], 6);
    let on_demand = figure(&row["on_demand"]["likely_usd_per_hour"]);
    let expected = 730.0 * (2.0 * 0.4453 + 6.0 * 45.0 / 168.0 * on_demand);
    assert!((figure(&row["usd_per_month"]) - expected).abs() < 0.02);
    assert!(figure(&row["usd_per_month"]) < figure(&row["usd_per_month_on_demand"]));
    assert!(figure(&row["usd_per_month"]) < figure(&row["usd_per_month_reserved"]));
    let hours = "mix L4:x1 --provider gcp --base-hours 730,730,10 -o json";
    let answer = sky_line(hours).json();
    let row = find(&answer, "g2-standard-4");
    assert_eq!(row["reserved"]["machines"], 2);
    let with_spot = sky_line(&format!("{hours} --spot 3")).json();
    let row = find(&with_spot, "g2-standard-4");
    let spot = figure(&row["spot_machines"]["machines"]);
    let most = figure(&answer["results"][0]["usd_per_month"]);
    assert!(spot > 0.0 && figure(&with_spot["results"][0]["usd_per_month"]) <= most);
}
