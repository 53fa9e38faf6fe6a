//! Nebius: capacity by fabric, quotas and prices of an account, over gRPC.

use serde_json::{Value, json};
use sky_accel_standin::{Fault, Service, Shop};

use super::Market;

const H100: &str = "gpu-h100-sxm_8gpu-128vcpu-1600gb";

/// The first offer of an answer.
fn first(world: &Market, line: &str) -> Value {
    let line = format!("resolve {line} --provider nebius --live -o json");
    world.sky(&line).json()["results"][0].clone()
}

/// The states of an offer for a capacity type, by fabric.
fn states(offer: &Value, way: &str) -> Vec<(String, String)> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let records = offer["obtainability"].as_array().expect("answers");
    let of_way = records
        .iter()
        .filter(|record| record["capacity_type"] == way);
    let states = of_way.map(|record| {
        let site = text(&record["place"]["site"]);
        (site, text(&record["state_for_request"]))
    });
    states.collect()
}

fn pairs(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    let owned = |(site, state): &(&str, &str)| ((*site).to_owned(), (*state).to_owned());
    pairs.iter().map(owned).collect()
}

#[test]
fn capacity_is_told_by_fabric_and_capacity_type() {
    let world = Market::new();
    let one = first(&world, "H100:x8");
    assert_eq!(one["instance_type"], H100, "{one}");
    let on_demand = [("fabric-2", "available"), ("fabric-3", "unavailable")];
    assert_eq!(states(&one, "on-demand"), pairs(&on_demand));
    let spot = [("fabric-2", "available"), ("fabric-3", "unknown")];
    assert_eq!(states(&one, "spot"), pairs(&spot));
    let record = &one["obtainability"][0];
    let count = json!({"value": 2, "qualifier": "capped-by-quota", "unit": "machines"});
    assert_eq!(record["count"], count, "{record}");
    assert_eq!(record["likelihood"]["value"], "medium");
    assert_eq!(record["measured_at"], "2026-11-01T11:58:00Z");
    // Two machines with the quota of today are neither four nor a refusal of four.
    let four = first(&world, "H100:x8 --nodes 4");
    assert_eq!(states(&four, "on-demand")[0].1, "unknown", "{four}");
    assert_eq!(states(&four, "spot")[0].1, "available", "{four}");
    // An old measurement keeps its value and its time.
    let h200 = first(&world, "H200:x8 --nodes 16");
    assert_eq!(h200["availability"], "available", "{h200}");
    assert_eq!(states(&h200, "spot"), pairs(&[("fabric-7", "not-offered")]));
    assert_eq!(
        h200["obtainability"][0]["measured_at"],
        "2026-11-01T10:00:00Z"
    );
}

#[test]
fn a_quota_that_is_used_up_blocks() {
    let world = Market::new();
    let b200 = first(&world, "B200:x8");
    let place = json!({"region": "us-central1", "zone": "us-central1-b", "site": "us-central1-b"});
    assert_eq!(b200["obtainability"][0]["place"], place, "{b200}");
    assert_eq!(b200["obtainability"][0]["state"], "blocked");
    let line = "resolve B200:x8 --provider nebius --live --check-quota";
    let table = world.sky(line).run().stdout;
    assert!(table.contains("blocked") && !table.contains('*'), "{table}");
    let quotas = |spec: &str, code: i32| -> Value {
        let line = format!("quota {spec} --provider nebius -o json");
        let run = world.sky(&line).run().expect_code(code);
        serde_json::from_str::<Value>(&run.stdout).expect("JSON")["results"].clone()
    };
    let h100 = quotas("H100:x8 --nodes 2", 0);
    let rows = h100.as_array().expect("quotas").iter();
    let of_gpus = rows
        .clone()
        .find(|row| row["code"] == "compute.instance.gpu.h100");
    let of_gpus = of_gpus.expect("the quota of the GPUs");
    assert_eq!(
        (&of_gpus["left"], &of_gpus["machines_left"]),
        (&json!(21), &json!(2))
    );
    let of_spot = rows.filter(|row| row["capacity_type"] == "spot");
    let codes: Vec<_> = of_spot
        .map(|row| row["code"].as_str().unwrap_or_default())
        .collect();
    let expected = [
        "compute.instance.count",
        "compute.instance.preemptible.count",
    ];
    assert_eq!(codes, expected, "{h100}");
    let _ = quotas("H100:x8 --nodes 3 --capacity-type on-demand", 1);
}

#[test]
fn prices_are_those_of_the_account_and_need_a_project() {
    let world = Market::new();
    let offer = first(&world, "H100:x8");
    let price = |offer: &Value, way: &str| {
        let price = &offer[way];
        (
            price["usd_per_hour"].as_f64(),
            price["kind"].as_str().map(str::to_owned),
        )
    };
    assert_eq!(
        price(&offer, "on_demand"),
        (Some(30.8), Some("live".to_owned()))
    );
    assert_eq!(price(&offer, "spot"), (Some(17.2), Some("live".to_owned())));
    let line = "resolve H100:x8 --provider nebius --live -o json --refresh";
    let sky = || world.sky(line).remove_env("NEBIUS_PROJECT_ID");
    let offer = sky().json()["results"][0].clone();
    assert_eq!(
        price(&offer, "on_demand"),
        (Some(36.0), Some("list".to_owned()))
    );
    assert_eq!(states(&offer, "on-demand").len(), 2, "{offer}");
    let table = line.replace("-o json", "");
    let run = world.sky(&table).remove_env("NEBIUS_PROJECT_ID").run();
    assert!(
        run.stderr.contains("set NEBIUS_PROJECT_ID, or `parent-id`"),
        "{}",
        run.stderr
    );
    // Without prices, the stock is complete, and the answer says that it lacks them.
    let fault = Fault::ServerError;
    world
        .standin
        .fault_where(Service::NEBIUS, "CalculatorService", fault);
    let run = world.sky(line).run().expect_code(5);
    assert!(run.stderr.contains("reading prices"), "{}", run.stderr);
    let answer: Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(
        price(&answer["results"][0], "on_demand").1.as_deref(),
        Some("list")
    );
}

#[test]
fn the_only_tenant_of_a_user_needs_no_setting() {
    let world = Market::new();
    let line = "resolve H100:x8 --provider nebius --live";
    let run = world.sky(line).remove_env("NEBIUS_TENANT_ID").run();
    assert!(run.expect_code(0).stdout.contains(H100));
    let mut shop = Shop::default();
    shop.nebius.tenants.push("tenant-e00other".to_owned());
    let world = Market::with(shop);
    let run = world
        .sky(line)
        .remove_env("NEBIUS_TENANT_ID")
        .run()
        .expect_code(3);
    assert!(
        run.stderr.contains("set NEBIUS_TENANT_ID, or `tenant-id`"),
        "{}",
        run.stderr
    );
    // The answer for another tenant would be wrong.
    let world = Market::new();
    let run = world.sky(line).env("NEBIUS_TENANT_ID", "tenant/x").run();
    let message = "NEBIUS_TENANT_ID or the profile's `tenant-id` is not an id";
    assert!(run.expect_code(3).stderr.contains(message));
    assert_eq!(world.asked(Service::NEBIUS), 0);
}

#[test]
fn pages_are_read_until_one_fails() {
    let mut shop = Shop::default();
    shop.nebius.page_size = 2;
    let world = Market::with(shop);
    let line = "resolve any:1GB+:x1+ --provider nebius --live --all -o json";
    let all = world.sky(line).json()["results"]
        .as_array()
        .expect("rows")
        .len();
    assert!(all >= 5, "{all}");
    // The request of the second page has the token of the first answer.
    let fault = Fault::Forbidden;
    world
        .standin
        .fault_where(Service::NEBIUS, "\u{1a}\u{1}2", fault);
    let run = world.sky(&format!("{line} --refresh")).run().expect_code(5);
    let answer: Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(answer["live"][0]["complete"], false, "{answer}");
    let rows = answer["results"].as_array().expect("rows").iter();
    let with_stock = rows.filter(|row| row["obtainability"].is_array());
    assert_eq!(with_stock.count(), 1, "{answer}");
}

/// The status of a call is in the headers if the answer has no message.
fn failed(code: u16) -> Fault {
    Fault::Status {
        code: 200,
        body: String::new(),
        content_type: "application/grpc".to_owned(),
        headers: vec![
            ("grpc-status".to_owned(), code.to_string()),
            ("grpc-message".to_owned(), "not%20now%1b[31m".to_owned()),
        ],
    }
}

#[test]
fn codes_of_grpc_are_errors_with_exit_codes() {
    for (code, exit_code, error) in [
        (16, 3, "provider.credentials-refused"),
        (7, 3, "provider.permission"),
        (8, 4, "provider.rate-limited"),
        (14, 4, "provider.network"),
        (13, 4, "provider.server"),
        (5, 4, "provider.protocol"),
    ] {
        let world = Market::new();
        world.standin.fault(Service::NEBIUS, failed(code));
        let line = "resolve H100:x8 --provider nebius --live -o json";
        let run = world.sky(line).run().expect_code(exit_code);
        let stderr: Value = serde_json::from_str(&run.stderr).expect("JSON");
        assert_eq!(stderr["error"]["code"], error, "{code}: {stderr}");
        let text = stderr["error"]["message"].to_string();
        assert!(!text.contains('\u{1b}'), "{text}");
    }
}
