//! Google's own client reads the same advice, prices and quotas as the program.

use serde_json::Value;
use sky_accel_standin::Standin;

use super::{everything, number, same, vendor};
use crate::support::tools;

#[test]
fn gcp_reads_the_same() {
    let Some(programs) = tools::vendor("gcp") else {
        return;
    };
    let standin = Standin::start();
    let environment = standin.environment();
    let theirs = vendor("gcp", &programs, &environment, &[]);
    let rows = |name: &str| theirs[name].as_array().expect("rows");
    let ours = everything("gcp", "--nodes 4 --check-quota", &environment);
    let of = |id: &str| {
        let mut offers = ours.iter();
        offers.find(|offer| offer["instance_type"] == id)
    };
    let known: Vec<&Value> = rows("types")
        .iter()
        .filter(|row| !row["gpu"].to_string().contains("x900"))
        .collect();
    assert!(known.len() > 10, "{}", known.len());
    for row in known {
        let id = row["id"].as_str().expect("an id");
        let offer = of(id).unwrap_or_else(|| panic!("nothing of {id}"));
        same(number(&offer["count"]), number(&row["count"]), id);
        same(number(&offer["vcpu"]), number(&row["vcpu"]), id);
        let zone = row["zone"].as_str().expect("a zone");
        let region = zone.rsplit_once('-').expect("a region").0;
        assert!(offer["regions"].to_string().contains(region), "{offer}");
    }
    let machine = of("a3-highgpu-8g").expect("the machine");
    let prices = rows("history").iter().map(|row| number(&row["usd"]));
    let lowest = super::lowest(prices).expect("a price");
    same(
        number(&machine["spot"]["usd_per_hour"]),
        lowest,
        "a3-highgpu-8g",
    );
    for row in rows("history") {
        assert_eq!(row["rates"].as_array().expect("rates").len(), 30, "{row}");
    }
    let scores: Vec<&Value> = rows("advice")
        .iter()
        .map(|row| &row["obtainability"])
        .collect();
    // A score of zero counts as a score; a missing score stays null.
    assert!(scores.contains(&&serde_json::json!(0.0)), "{scores:?}");
    assert!(scores.contains(&&Value::Null), "{scores:?}");
    assert!(rows("advice").iter().all(|row| row["machines"] == 4));
    assert_eq!(rows("windows")[0]["zone"], "us-central1-a");
    let mut quotas = rows("quotas").iter();
    let cards = quotas.find(|row| row["metric"] == "NVIDIA_A100_GPUS");
    assert_eq!(cards.expect("a quota")["used"], 4.0);
}
