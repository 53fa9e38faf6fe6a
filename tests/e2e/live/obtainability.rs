//! Stock, likelihood and quotas of live answers.

use serde_json::Value;

use super::Market;

fn results(answer: &Value) -> &[Value] {
    answer["results"].as_array().expect("results")
}

#[test]
fn stock_beside_prices_is_for_one_machine_of_a_place() {
    let world = Market::new();
    let line = "resolve H100:x2 --provider verda --live -o json";
    let answer = world.sky(line).json();
    let records = results(&answer)[0]["obtainability"]
        .as_array()
        .expect("records");
    for record in records {
        assert_eq!(record["machines_asked"], 1, "{record}");
        assert_eq!(record["state"], record["state_for_request"], "{record}");
        let is_in_stock = record["state"] == "available";
        assert!(
            !is_in_stock || record["place"]["region"].is_string(),
            "{record}"
        );
        assert_eq!(record["confidential"], false);
        assert!(
            record["fetched_at"].as_str().unwrap().ends_with('Z'),
            "{record}"
        );
    }
    let spot = records
        .iter()
        .filter(|record| record["capacity_type"] == "spot");
    assert!(spot.clone().any(|record| record["state"] == "available"));
    // Four machines are another question.
    let four = world
        .sky(&line.replace("--live", "--live --nodes 4"))
        .json();
    for record in results(&four)[0]["obtainability"].as_array().unwrap() {
        let expected = match record["state"].as_str().unwrap() {
            "available" | "limited" => "unknown",
            other => other,
        };
        assert_eq!(record["state_for_request"], expected, "{record}");
    }
}

#[test]
fn tables_show_stock_with_its_time_once_and_fit_a_terminal() {
    let world = Market::new();
    let run = world
        .sky("resolve H100 B200 --provider verda,runpod --live")
        .env("COLUMNS", "80")
        .run()
        .expect_code(0);
    assert!(run.stdout.contains("STOCK"), "{}", run.stdout);
    let shown = format!("{}{}", run.stdout, run.stderr);
    assert_eq!(shown.matches("stock as of ").count(), 1, "{shown}");
    let offline = world.sky("resolve H100 --provider verda").run();
    assert!(!offline.stdout.contains("STOCK"), "{}", offline.stdout);
}

#[test]
fn only_what_is_known_to_be_unobtainable_is_left_out() {
    let world = Market::new();
    let states = |line: &str| -> Vec<String> {
        let answer = world.sky(line).json();
        let state = |result: &Value| result["availability"].as_str().unwrap().to_owned();
        results(&answer).iter().map(state).collect()
    };
    let line = "resolve H100|B200|A40 --live -o json";
    let all = states(line);
    let available = states(&line.replace("--live", "--live --available"));
    let gone = all.iter().filter(|state| *state == "unavailable").count();
    assert!(gone > 0, "{all:?}");
    assert!(available.iter().all(|state| state != "unavailable"));
    assert!(
        available.iter().any(|state| state == "unknown"),
        "{available:?}"
    );

    let sorted = world
        .sky("resolve H100 --live --sort obtainability -o json")
        .json();
    let words = ["available", "limited", "unknown", "unavailable"];
    let order: Vec<_> = results(&sorted)
        .iter()
        .filter(|result| result["status"] == "offered")
        .map(|result| {
            words
                .iter()
                .position(|word| result["availability"] == *word)
        })
        .collect();
    assert!(order.is_sorted() && order.contains(&Some(0)), "{order:?}");

    let plan = world
        .sky("plan A40 --provider runpod --live --available -o json")
        .run();
    let plan: Value = serde_json::from_str(&plan.stdout).expect("JSON");
    assert!(results(&plan).is_empty());
    let rejected = plan["rejected"].as_array().unwrap();
    assert!(
        rejected.iter().any(|row| row["reason"] == "out-of-stock"),
        "{plan}"
    );
}

#[test]
fn a_plan_tries_known_stock_first_and_states_its_age() {
    let world = Market::new();
    for objective in ["price", "obtainability"] {
        let line = format!("plan H100 --live --limit 200 --objective {objective} -o json");
        let plan = world.sky(&line).json();
        let stock = |result: &Value| {
            let mut checks = result["checks"].as_array().unwrap().iter();
            let check = checks.find(|check| check["id"] == "stock").unwrap();
            ["pass", "unknown", "fail"]
                .iter()
                .position(|state| check["state"] == *state)
        };
        let order: Vec<_> = results(&plan).iter().map(stock).collect();
        assert!(
            order.contains(&Some(0)) && order.contains(&Some(1)),
            "{order:?}"
        );
        let first = &results(&plan)[0];
        assert_eq!(stock(first), Some(0), "{objective}: {first}");
        let record = &first["obtainability"][0];
        assert!(record["fetched_at"].is_string(), "{first}");
        if objective == "obtainability" {
            assert!(order.is_sorted(), "{order:?}");
        }
    }
    // Stock for one machine does not pass the check of four.
    let four = world
        .sky("plan H100 --provider verda --live --nodes 4 -o json")
        .json();
    let checks = &results(&four)[0]["checks"];
    let checks = checks.as_array().unwrap().iter();
    let stock = checks.filter(|check| check["id"] == "stock");
    assert!(
        stock.clone().all(|check| check["state"] != "pass"),
        "{four}"
    );
}

#[cfg(feature = "aws")]
#[test]
fn the_smallest_quota_decides_and_blocks() {
    let world = Market::new();
    let line = "resolve H100:x8 --provider aws --region us-east-1 --live --check-quota -o json";
    let record = |nodes: u32| {
        let answer = world.sky(&format!("{line} --nodes {nodes}")).json();
        let records = results(&answer)[0]["obtainability"]
            .as_array()
            .expect("records");
        let mut on_demand = records.iter().filter(|record| {
            record["capacity_type"] == "on-demand" && record["place"]["region"] == "us-east-1"
        });
        on_demand.next().expect("record").clone()
    };
    // The quota is 192 vCPUs, which is one machine.
    let one = record(1);
    assert_eq!(one["state"], "offered", "{one}");
    assert_eq!(one["quota"]["machines"], 1, "{one}");
    assert_eq!(one["quota"]["scope"], "region");
    let four = record(4);
    assert_eq!(four["state"], "blocked", "{four}");
    assert_eq!(four["machines_asked"], 4);
}
