//! San Francisco Compute: an order book, and machines for sale over time.

use serde_json::{Value, json};
use sky_accel_standin::{Fault, Service, Shop};

use super::Market;
use crate::support::texts;

fn answer(world: &Market, line: &str) -> Value {
    let line = format!("resolve {line} --provider sfcompute --live -o json");
    world.sky(&line).json()
}

fn find<'a>(answer: &'a Value, id: &str) -> &'a Value {
    let mut rows = answer["results"].as_array().expect("rows").iter();
    let row = rows.find(|row| row["instance_type"] == id);
    row.unwrap_or_else(|| panic!("no {id}: {answer}"))
}

#[test]
fn schedules_are_stock_now_and_dates_later() {
    let world = Market::new();
    let all = answer(&world, "H100:x8 --all");
    let richmond = find(&all, "isku_k3R-richmond");
    let price = &richmond["on_demand"];
    // The lowest of two asks.
    assert_eq!(
        (&price["usd_per_hour"], &price["kind"]),
        (&json!(18.4), &json!("live"))
    );
    assert_eq!(richmond["availability"], "available");
    let record = &richmond["obtainability"][0];
    assert_eq!(record["count"]["value"], 3, "{record}");
    assert_eq!(
        record["place"],
        json!({"region": "us-west1", "zone": "us-west1-a"})
    );
    // From tomorrow there are twelve.
    assert_eq!(record["windows"][0]["machines"], 12, "{record}");
    let landsend = find(&all, "isku_b7W-landsend");
    assert_eq!(
        landsend["obtainability"][0]["state"], "unavailable",
        "{landsend}"
    );
    assert_eq!(landsend["obtainability"][0]["windows"][0]["machines"], 5);
    let four = answer(&world, "H100:x8 --all --nodes 4");
    let state = |answer: &Value, id: &str| {
        let record = &find(answer, id)["obtainability"][0];
        let windows = record["windows"].as_array().map_or(0, Vec::len);
        (
            record["state_for_request"]
                .as_str()
                .unwrap_or_default()
                .to_owned(),
            windows,
        )
    };
    assert_eq!(
        state(&four, "isku_k3R-richmond"),
        ("unavailable".to_owned(), 1)
    );
    let six = answer(&world, "H100:x8 --all --nodes 6");
    assert_eq!(
        state(&six, "isku_b7W-landsend"),
        ("unavailable".to_owned(), 0)
    );
    let table = world
        .sky("resolve H100:x8 --all --provider sfcompute --live --nodes 5")
        .run();
    assert!(table.stdout.contains("from 20"), "{}", table.stdout);
    // A schedule in the past does not count as stock.
    let h200 = answer(&world, "H200:x8");
    assert_eq!(
        h200["results"][0]["obtainability"][0]["state"], "unavailable",
        "{h200}"
    );
}

#[test]
fn a_missing_part_is_said_and_the_rest_stays() {
    for (path, part) in [
        ("/availability", "reading availability"),
        ("/orderbook", "reading the order book"),
    ] {
        let world = Market::new();
        world
            .standin
            .fault_where(Service::SFCOMPUTE, path, Fault::ServerError);
        let line = "resolve H100:x8 --all --provider sfcompute --live -o json";
        let run = world.sky(line).run().expect_code(5);
        assert!(run.stderr.contains(part), "{}", run.stderr);
        let answer: Value = serde_json::from_str(&run.stdout).expect("JSON");
        assert_eq!(answer["live"][0]["complete"], false, "{answer}");
        assert!(
            texts(&answer, "/instance_type").contains(&"isku_k3R-richmond"),
            "{answer}"
        );
    }
}

#[test]
fn all_pages_of_the_lists_are_read() {
    let mut shop = Shop::default();
    shop.sfcompute.page_size = 1;
    let world = Market::with(shop);
    let all = answer(&world, "H100:x8 --all");
    assert_eq!(
        find(&all, "isku_b7W-landsend")["obtainability"][0]["state"],
        "unavailable"
    );
    assert_eq!(world.asked(Service::SFCOMPUTE), 5 + 4 + 1);
}

#[test]
fn a_page_without_its_cursor_is_incomplete() {
    let world = Market::new();
    let types = Shop::default().sfcompute.types;
    let body = json!({ "data": types, "has_more": true }).to_string();
    let fault = Fault::Status {
        code: 200,
        body,
        content_type: "application/json".to_owned(),
        headers: Vec::new(),
    };
    world
        .standin
        .fault_where(Service::SFCOMPUTE, "instance_skus?", fault);
    let line = "resolve H100:x8 --all --provider sfcompute --live -o json";
    let run = world.sky(line).run().expect_code(5);
    let message = "a page has no cursor of the next page (listing instance SKUs)";
    assert!(run.stderr.contains(message), "{}", run.stderr);
    let answer: Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(answer["live"][0]["complete"], false, "{answer}");
    let types = texts(&answer, "/instance_type");
    assert!(types.contains(&"isku_k3R-richmond"), "{answer}");
}
