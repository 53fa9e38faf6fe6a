//! Providers that cannot be reached: their offers stay as the catalog has them, and say so.

use std::collections::BTreeSet;

use serde_json::Value;
use sky_accel_standin::{Fault, Service};

use super::Market;
use crate::support::{Sky, texts};

/// A port on which nothing listens.
const NOWHERE: &str = "http://127.0.0.1:1";

/// `sky-accel` with accounts at every provider, and without a network.
fn without_network(world: &Market, line: &str) -> Sky {
    let mut sky = world.sky(line);
    for service in Service::ALL {
        sky = sky.env(service.url_variable(), NOWHERE);
    }
    sky
}

fn sellers(answer: &Value) -> BTreeSet<&str> {
    texts(answer, "/provider").into_iter().collect()
}

fn is_unreached(row: &Value) -> bool {
    row["reasons"].to_string().contains("not-reached")
}

#[test]
fn an_answer_without_network_has_every_offer_of_the_catalog() {
    let world = Market::new();
    let offline = world.sky("resolve H100 -o json").json();
    let run = without_network(&world, "resolve H100 --live -o json").run();
    let run = run.expect_code(5);
    let live: Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(sellers(&live), sellers(&offline));
    let count = |answer: &Value| answer["results"].as_array().map(Vec::len);
    assert_eq!(count(&live), count(&offline));
    for row in live["results"].as_array().expect("results") {
        let answers = live["live"].as_array().expect("answers").iter();
        let mut failed = answers.filter(|answer| answer["source"] == "failed");
        let has_failed = failed.any(|answer| answer["provider"] == row["provider"]);
        assert_eq!(is_unreached(row), has_failed, "{row}");
    }
    assert!(world.standin.requests().is_empty());
}

#[test]
fn one_line_tells_the_common_cause() {
    let world = Market::new();
    let line = "resolve H100 --live --all";
    let run = without_network(&world, line).run().expect_code(5);
    let errors = run
        .stderr
        .lines()
        .filter(|line| line.starts_with("error: "));
    let errors: Vec<&str> = errors.collect();
    assert!(errors.len() == 1, "{}", run.stderr);
    assert!(
        errors[0].contains("providers could not be reached: Connection refused"),
        "{}",
        errors[0]
    );
    assert!(run.stdout.contains("not reached"), "{}", run.stdout);
    // Details name each provider.
    let run = without_network(&world, &format!("{line} -v")).run();
    let run = run.expect_code(5);
    for provider in ["verda", "runpod", "vastai"] {
        let begins = format!("error: {provider}: ");
        let mut lines = run.stderr.lines();
        assert!(
            lines.any(|line| line.starts_with(&begins)),
            "{}",
            run.stderr
        );
    }
}

#[test]
fn answers_before_the_network_is_cut_are_used() {
    let world = Market::new();
    // RunPod answers the first of two requests.
    let cut = Fault::Close;
    world
        .standin
        .fault_where(Service::RUNPOD, "lowestPrice", cut);
    let line = "resolve H100 --provider runpod,verda --live -o json";
    let run = world.sky(line).run().expect_code(5);
    let answer: Value = serde_json::from_str(&run.stdout).expect("JSON");
    let rows = answer["results"].as_array().expect("results");
    for row in rows {
        assert_eq!(is_unreached(row), row["provider"] == "runpod", "{row}");
    }
    let kinds = rows.iter().map(|row| &row["on_demand"]["kind"]);
    assert!(kinds.clone().any(|kind| kind == "live"), "{answer}");
    assert!(kinds.clone().any(|kind| kind != "live"), "{answer}");
}

#[test]
fn without_the_network_and_a_cache_the_catalog_answers() {
    let world = Market::new();
    let run = world.sky("resolve H100 --live --offline --all").run();
    let run = run.expect_code(0);
    assert!(
        run.stderr.contains("--offline: no answer of "),
        "{}",
        run.stderr
    );
    assert!(run.stdout.contains("not reached"), "{}", run.stdout);
    let plan = "plan H100:x8 --provider verda --live --offline -o json";
    let plan = world.sky(plan).json();
    for row in plan["results"].as_array().expect("results") {
        assert!(row["warnings"].to_string().contains("not-reached"), "{row}");
    }
    assert!(world.standin.requests().is_empty());
}

#[test]
fn a_provider_that_was_not_asked_has_no_live_answer() {
    // Azure sells no L4, so no request is sent to it.
    let run = without_network(&Market::new(), "resolve L4 --live -o json").run();
    let answer: Value = serde_json::from_str(&run.stdout).expect("JSON");
    let live = answer["live"].as_array().expect("answers");
    assert!(!live.is_empty());
    for provider in live {
        assert_ne!(provider["provider"], "azure", "{provider}");
        assert_ne!(provider["source"], "live", "{provider}");
    }
    // The note is for users who name the provider.
    let named = "resolve RTX4090 --provider azure --live -o json";
    let run = without_network(&Market::new(), named).run().expect_code(1);
    assert!(run.stdout.contains("nothing-to-query"), "{}", run.stdout);
}

#[test]
fn an_answer_about_a_model_of_the_catalog_says_that_nothing_was_downloaded() {
    let world = Market::new();
    let line = "fit H100 Llama-3.1-8B";
    let said = |line: &str| {
        without_network(&world, line)
            .run()
            .stderr
            .contains("downloaded nothing")
    };
    assert!(said(&format!("{line} --live")));
    assert!(!said(line));
}
