//! Truncated answers of Vast.ai: the search continues to the end, or is reported as incomplete.

use serde_json::{Value, json};
use sky_accel_standin::{Fault, Service, Shop, TruncatedField};

use super::Market;
use crate::support::column;

const ON_DEMAND: &str =
    "resolve any:16GB+ --at-least --provider vastai --live --capacity-type on-demand --limit 1000";

/// A field that only further requests of a continued search have.
const FURTHER: &str = "\"dph_total\":{";

/// Instance type, count, price and number of machines of each result.
fn results(answer: &Value) -> Vec<Value> {
    let fields = [
        "instance_type",
        "count",
        "on_demand/usd_per_hour",
        "machines",
    ];
    let rows = answer["results"].as_array().expect("results").iter();
    rows.map(|row| {
        let fields = fields.map(|field| row.pointer(&format!("/{field}")).cloned());
        json!(fields)
    })
    .collect()
}

fn machines(answer: &Value) -> u64 {
    let machines = column(answer, "/machines");
    machines.iter().filter_map(|count| count.as_u64()).sum()
}

#[test]
fn truncated_answer_is_continued_to_the_end() {
    for (offers, cap, field, questions) in [
        (170, 64, TruncatedField::Absent, 3),
        (170, 64, TruncatedField::AlwaysFalse, 3),
        (700, 512, TruncatedField::AlwaysFalse, 2),
        // An unknown cap: only the field reports it.
        (170, 100, TruncatedField::Honest, 2),
    ] {
        let line = format!("{ON_DEMAND} -o json");
        let shop = Shop::default().with_vast_offers(offers);
        let complete = Market::with(shop.clone());
        let expected = complete.sky(&line).json();
        assert_eq!(complete.asked(Service::VAST), 1);
        let cut = Market::with(shop.with_vast_cap(cap, field));
        let answer = cut.sky(&line).json();
        assert!(machines(&expected) > cap as u64);
        assert_eq!(results(&answer), results(&expected), "{cap} {field:?}");
        assert_eq!(cut.asked(Service::VAST), questions, "{cap} {field:?}");
        assert_eq!(answer["live"][0]["complete"], true);
        assert!(!answer["notes"].to_string().contains("provider-remark"));
    }
}

#[test]
fn full_page_costs_one_more_request() {
    // 64 of 75 generated offers are verified.
    let mut shop = Shop::default().with_vast_offers(75);
    shop.vast
        .offers
        .retain(|offer| offer["verification"] == "verified");
    assert_eq!(shop.vast.offers.len(), 64);
    let world = Market::with(shop);
    let answer = world.sky(&format!("{ON_DEMAND} -o json")).json();
    assert_eq!(world.asked(Service::VAST), 2);
    assert_eq!(machines(&answer), 64);
    assert_eq!(answer["live"][0]["complete"], true);
}

/// Expects exit code 5, the cheapest machines, a note and an error.
fn expect_cut(world: &Market, line: &str) -> Value {
    let run = world.sky(line).run().expect_code(5);
    let answer: Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert!(machines(&answer) >= 64, "{}", run.stdout);
    let vastai = &answer["live"][0];
    assert_eq!(vastai["complete"], false);
    assert_eq!(vastai["errors"][0]["code"], "provider.incomplete");
    let notes = answer["notes"].to_string();
    assert!(notes.contains("provider-remark"), "{notes}");
    assert!(notes.contains("cheapest"), "{notes}");
    vastai["errors"][0].clone()
}

#[test]
fn search_that_ends_early_is_a_partial_answer() {
    // More pages than two seconds allow.
    let shop = Shop::default()
        .with_vast_offers(2_000)
        .with_vast_cap(64, TruncatedField::Absent);
    let world = Market::with(shop);
    let line = format!("{ON_DEMAND} -o json --timeout 2");
    let error = expect_cut(&world, &line);
    let message = error["message"].as_str().expect("a message");
    assert!(message.contains("on-demand"), "{message}");
    // An incomplete answer is not cached.
    let requests = world.asked(Service::VAST);
    let _ = expect_cut(&world, &line);
    assert_eq!(world.asked(Service::VAST), 2 * requests);
}

#[test]
fn failed_page_loses_only_later_rows() {
    let shop = Shop::default()
        .with_vast_offers(170)
        .with_vast_cap(64, TruncatedField::Absent);
    let world = Market::with(shop.clone());
    world
        .standin
        .fault_where(Service::VAST, FURTHER, Fault::DailyQuota);
    let error = expect_cut(&world, &format!("{ON_DEMAND} -o json"));
    let message = error["message"].as_str().expect("a message");
    assert!(message.contains("is used up"), "{message}");
    // If the key is refused during the search, the whole answer is refused.
    let world = Market::with(shop);
    world
        .standin
        .fault_where(Service::VAST, FURTHER, Fault::Unauthorized);
    let _ = world.sky(ON_DEMAND).run().expect_code(3);
}

#[test]
fn many_machines_at_one_price_are_skipped() {
    let mut shop = Shop::default()
        .with_vast_offers(300)
        .with_vast_cap(64, TruncatedField::Absent);
    for (index, offer) in shop.vast.offers.iter_mut().enumerate() {
        let usd = if index < 150 { 1.0 } else { 2.0 + index as f64 };
        offer["verification"] = json!("verified");
        offer["dph_base"] = json!(usd);
    }
    let world = Market::with(shop);
    let error = expect_cut(&world, &format!("{ON_DEMAND} -o json"));
    let message = error["message"].as_str().expect("a message");
    assert!(message.contains("at the same price"), "{message}");
}
