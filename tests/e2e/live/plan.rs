//! Plans from live answers.

use serde_json::Value;
use sky_accel_standin::{Service, Shop};

use super::Market;

fn states<'a>(candidate: &'a Value, id: &str) -> Option<&'a str> {
    let mut checks = candidate["checks"].as_array()?.iter();
    checks.find(|check| check["id"] == id)?["state"].as_str()
}

#[test]
fn live_plans_are_written_for_engines() {
    let world = Market::new();
    for target in ["skypilot", "kubernetes", "dstack", "verda"] {
        let line = format!("plan H100:x8 --provider verda --live --to {target} -o json");
        let plan = world.sky(&line).json();
        let files = plan["render"]["files"].as_array().expect("files");
        assert!(!files.is_empty(), "{target}");
        assert_eq!(plan["results"][0]["price"]["kind"], "live", "{target}");
    }
    let plan = world
        .sky("plan H100:x8 --provider verda --live --cuda 12.8 -o json")
        .json();
    let needs = &plan["results"][0]["checks"];
    assert!(needs.to_string().contains("driver_min"), "{needs}");
}

#[test]
fn stock_is_a_check_and_sold_out_comes_last() {
    let world = Market::new();
    let plan = world
        .sky("plan H100|B200|A40 --live --limit 200 -o json")
        .json();
    let results = plan["results"].as_array().expect("results");
    assert!(
        results
            .iter()
            .any(|result| states(result, "stock") == Some("pass"))
    );
    for choice in ["H100", "B200", "A40"] {
        let of_it: Vec<bool> = results
            .iter()
            .filter(|result| result["spec"] == choice)
            .map(|result| ["stock", "quota"].map(|check| states(result, check)))
            .map(|checks| checks.contains(&Some("fail")))
            .collect();
        assert!(of_it.is_sorted(), "{choice}: {of_it:?}");
    }
    let gone = results
        .iter()
        .find(|result| result["instance_type"] == "NVIDIA A40")
        .expect("A40");
    assert_eq!(states(gone, "stock"), Some("fail"));
    assert!(!plan["live"].as_array().expect("answers").is_empty());
}

#[test]
fn marketplace_candidates_have_offer_ids() {
    let world = Market::new();
    let plan = world
        .sky("plan RTX4090 --provider vastai --capacity-type any --live -o json")
        .json();
    let results = plan["results"].as_array().expect("results");
    assert!(!results.is_empty());
    for result in results {
        assert!(result["price"]["offer_id"].is_string(), "{result}");
        assert_eq!(result["price"]["kind"], "live");
    }
}

#[cfg(feature = "aws")]
#[test]
fn a_quota_that_is_too_small_is_tried_last() {
    let world = Market::new();
    let line = "plan H100:x8|L4:x4 --provider aws --region us-east-1 --capacity-type any --live --check-quota --limit 50 -o json";
    let plan = world.sky(line).json();
    let results = plan["results"].as_array().expect("results");
    let quota = |capacity: &str, spec: &str| {
        let mut rows = results.iter();
        let result =
            rows.find(|result| result["spec"] == spec && result["capacity_type"] == capacity);
        result.and_then(|result| states(result, "quota"))
    };
    // The quota is 192 vCPUs of on-demand P instances, and no spot instances.
    assert_eq!(quota("on-demand", "H100:x8"), Some("pass"));
    assert_eq!(quota("spot", "H100:x8"), Some("fail"));
    assert_eq!(results[0]["capacity_type"], "on-demand");
    // Candidates that fail a check come last, regardless of preferences.
    let two = world
        .sky(&line.replace("--limit", "--nodes 2 --limit"))
        .json();
    let two = two["results"].as_array().expect("results");
    let fails: Vec<bool> = two
        .iter()
        .map(|result| states(result, "quota") == Some("fail"))
        .collect();
    assert!(fails.is_sorted() && fails.contains(&true), "{fails:?}");
}

#[test]
fn providers_that_fail_leave_a_partial_plan() {
    let world = Market::with(Shop::default());
    let run = world
        .sky("plan H100:x8 --provider runpod,verda --live -o json")
        .env("VERDA_CLIENT_SECRET", "wrong")
        .run();
    assert_eq!(run.code, 5, "{}", run.stderr);
    let plan: Value = serde_json::from_str(&run.stdout).expect("JSON");
    let results = plan["results"].as_array().expect("results");
    let is_live = |result: &Value| result["price"]["kind"] == "live";
    assert!(results.iter().any(is_live));
    for result in results {
        let is_unreached = result["warnings"].to_string().contains("not-reached");
        assert_eq!(is_unreached, result["provider"] == "verda", "{result}");
    }
    assert!(!run.stderr.contains("wrong"), "{}", run.stderr);
    assert!(world.asked(Service::RUNPOD) > 0);
}
