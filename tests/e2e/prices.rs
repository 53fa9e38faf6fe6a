//! `prices`: today's range, quarters of the past, and the history itself.

use crate::support::snapshots::{assert_golden, titled_run};
use crate::support::{folder, sky, sky_line, texts};

#[test]
fn pages_of_prices() {
    let mut text = String::new();
    for line in [
        "prices H100:SXM",
        "prices H100:SXM --capacity-type spot --provider gcp --currency EUR",
        "prices H100:SXM --history",
        "prices H100:SXM --history -o csv",
        "prices H100:SXM -o csv",
    ] {
        text.push_str(&titled_run(line, &sky_line(line).run()));
    }
    assert_golden!("pages/prices", text);
}

#[test]
fn prices_are_of_one_accelerator_of_each_kind_of_market() {
    let answer = sky_line("prices H100:SXM:x8 -o json").json();
    let kinds = texts(&answer, "/kind");
    assert!(
        kinds.contains(&"list") && kinds.contains(&"hyperscaler-spot"),
        "{kinds:?}"
    );
    let results = answer["results"].as_array().unwrap();
    let list = results
        .iter()
        .find(|market| market["kind"] == "list")
        .unwrap();
    let quarters = list["quarters"].as_array().unwrap();
    let first = &quarters[0];
    assert_eq!(first["quarter"], "2023-Q2");
    // The price of May 2023 fell in June.
    assert_eq!(first["low_usd_per_accelerator_hour"], 1.99);
    let of_2024 = quarters
        .iter()
        .find(|quarter| quarter["quarter"] == "2024-Q3")
        .unwrap();
    assert_eq!(of_2024["sources"], 2);
    assert_eq!(of_2024["median_usd_per_accelerator_hour"], 2.58);
    let comparison = &list["cheapest"]["comparison"];
    assert!(comparison["sources"].as_u64().unwrap() >= 3, "{comparison}");
    let lines = sky_line("prices H100:SXM -o jsonl")
        .run()
        .expect_code(0)
        .json_lines();
    assert_eq!(lines.len(), results.len());
}

#[test]
fn the_cheapest_offer_is_at_the_same_provider_in_every_answer() {
    for id in [
        "L4",
        "L40S",
        "T4",
        "A10",
        "A100-80GB-SXM",
        "H100-80GB-SXM",
        "H200-141GB-SXM",
        "RTX3090",
        "RTX4090",
        "MI300X",
    ] {
        let shown = sky(["show", id, "-o", "json"]).json();
        let summary = shown["results"][0]["price_summary"].as_str().unwrap();
        let provider = summary.split(" at ").nth(1).unwrap();
        let provider = provider.split([':', ',']).next().unwrap();
        let page = sky(["prices", id]).run();
        let sentence = page.stdout.replace('\n', " ");
        let is_named = [", ", " is "].iter().any(|before| {
            sentence.contains(&format!("The cheapest on-demand offer{before}{provider} "))
        });
        assert!(is_named, "{id}: {summary}; {}", page.stdout);
    }
}

#[test]
fn faults_of_requests_for_prices_are_told_apart() {
    sky_line("prices H1000").run().expect_code(2);
    sky_line("prices H100 --max-age 30").run().expect_code(2);
    let old = sky_line("prices H100 --max-age 1s")
        .env("SKY_ACCEL_TODAY", "2030-01-01")
        .run();
    let old = old.expect_code(7).stderr;
    let said = "every price is older than --max-age allows: the newest, of ";
    assert!(old.contains(said), "{old}");
    let nothing = sky_line("prices H100 --history --provider lambda --capacity-type spot").run();
    assert!(nothing.expect_code(1).stderr.contains("no dated price"));
}

#[test]
fn overlays_add_past_prices_and_faults_point_at_the_row() {
    let history = |days: &str| {
        format!(
            "[[history]]\nprovider = \"lambda\"\nsource = \"us\"\nprices = [\n  {{ accelerator = \"H100-80GB-SXM\", {days}, usd = 2.0 }},\n  {{ accelerator = \"H100-80GB-SXM\", from = \"2025-08-01\", usd = 2.1 }},\n]\n"
        )
    };
    let run = |days: &str| {
        let overlay = folder(&[("history.toml", &history(days))]);
        sky(["prices", "H100:SXM", "--history", "-o", "csv", "--catalog"])
            .arg(overlay.path())
            .run()
    };
    let good = run("from = \"2025-07-01\"").expect_code(0);
    assert!(
        good.stdout.contains("lambda,2025-07-01,2025-07-01,2"),
        "{}",
        good.stdout
    );
    let twice = run("from = \"2025-07-01\", until = \"2025-09-01\"").expect_code(6);
    assert!(twice.stderr.contains("history.toml:6:"), "{}", twice.stderr);
    let future = run("from = \"2025-09-01\", until = \"2030-01-01\"").expect_code(6);
    assert_eq!(future.stdout, "");
    let said = "H100-80GB-SXM at lambda has a price of 2030-01-01, which is in the future";
    assert!(future.stderr.contains(said), "{}", future.stderr);
}
