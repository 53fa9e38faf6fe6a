//! Providers that answer only with a key, as their own clients and gpuhunt read them from the same stand-in.

use std::collections::BTreeSet;

use serde_json::Value;
use sky_accel_standin::Standin;

use super::{everything, number, same, vendor};
use crate::support::tools;

/// The rows of a list.
fn rows(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().expect("rows").iter()
}

fn offer<'o>(offers: &'o [Value], id: &str) -> Option<&'o Value> {
    offers.iter().find(|offer| offer["instance_type"] == id)
}

#[test]
fn gpuhunt_lists_the_same_with_keys() {
    let Some(programs) = tools::vendor("gpuhunt") else {
        return;
    };
    let standin = Standin::start();
    let environment = standin.environment();
    let lists = vendor("gpuhunt", &programs, &environment, &["--keyed"]);
    for (provider, at_least) in [("lambda", 6), ("digitalocean", 4)] {
        let offers = everything(provider, "", &environment);
        let mut compared = BTreeSet::new();
        for row in rows(&lists[provider]).filter(|row| number(&row["count"]) > 0.0) {
            let id = row["id"].as_str().expect("an id");
            let Some(offer) = offer(&offers, id) else {
                assert!(id.contains("x900"), "{id} is missing");
                continue;
            };
            same(number(&offer["count"]), number(&row["count"]), id);
            let capacity = if id.ends_with("-spot") {
                "spot"
            } else {
                "on_demand"
            };
            let price = number(&offer[capacity]["usd_per_hour"]);
            same(price, number(&row["price"]), id);
            // gpuhunt lists the types of Lambda in every region, whatever the stock, and sizes of
            // DigitalOcean that are not available.
            let place = &row["place"];
            let mut regions = offer["regions"].as_array().into_iter().flatten();
            let is_in_stock = offer["availability"] == "available";
            let is_there = !is_in_stock || regions.any(|region| region == place);
            assert!(is_there || provider == "lambda", "{id} in {place}");
            compared.insert(id);
        }
        assert!(compared.len() >= at_least, "{provider}: {compared:?}");
    }
    // gpuhunt names machines of JarvisLabs otherwise, and lists each number of GPUs.
    let offers = everything("jarvislabs", "", &environment);
    let mut compared = 0;
    for row in rows(&lists["jarvislabs"]) {
        let (gpu, count) = (row["gpu"].as_str().unwrap_or_default(), &row["count"]);
        let begins = format!("{count}x_{gpu}_");
        let is_same = |offer: &&Value| {
            let id = offer["instance_type"].as_str().unwrap_or_default();
            id.starts_with(&begins) && offer["on_demand"]["region"] == row["place"]
        };
        let Some(offer) = offers.iter().find(is_same) else {
            continue;
        };
        let price = number(&offer["on_demand"]["usd_per_hour"]);
        same(price, number(&row["price"]), &begins);
        compared += 1;
    }
    assert!(compared >= 4, "{compared}");
}

#[test]
fn hyperstack_lists_the_same() {
    let Some(programs) = tools::vendor("hyperstack") else {
        return;
    };
    let standin = Standin::start();
    let environment = standin.environment();
    let lists = vendor("hyperstack", &programs, &environment, &[]);
    let offers = everything("hyperstack", "", &environment);
    let find = |list: &str, field: &str, wanted: &Value| -> Vec<Value> {
        let found = rows(&lists[list]).filter(|row| row[field] == *wanted);
        found.cloned().collect()
    };
    let mut compared = 0;
    for flavor in rows(&lists["flavors"]).filter(|row| number(&row["count"]) > 0.0) {
        let id = flavor["id"].as_str().expect("an id");
        let (id, capacity) = match id.strip_suffix("-spot") {
            Some(id) => (id, "spot"),
            None => (id, "on_demand"),
        };
        let Some(offer) = offer(&offers, id) else {
            assert!(id.contains("X900"), "{id} is missing");
            continue;
        };
        let price = &find("prices", "gpu", &flavor["gpu"])[0]["price"];
        let price = number(price) * number(&flavor["count"]);
        same(number(&offer[capacity]["usd_per_hour"]), price, id);
        let is_there = rows(&offer["regions"]).any(|region| *region == flavor["region"]);
        assert!(is_there, "{id} in {}", flavor["region"]);
        compared += 1;
    }
    assert!(compared >= 7, "{compared}");
    let machines = find("stocks", "gpu", &Value::from("H100-80G-SXM5"));
    assert_eq!(machines[0]["machines"]["8x"], 3, "{machines:?}");
}

#[test]
fn latitude_lists_the_same() {
    let Some(programs) = tools::vendor("latitude") else {
        return;
    };
    let standin = Standin::start();
    let environment = standin.environment();
    let lists = vendor("latitude", &programs, &environment, &[]);
    let offers = everything("latitude", "", &environment);
    let mut compared = 0;
    for row in rows(&lists["plans"]) {
        let (id, site) = (row["id"].as_str().expect("an id"), &row["site"]);
        let Some(offer) = offer(&offers, id).filter(|_| !row["price"].is_null()) else {
            assert!(
                id.contains("x900") || row["price"].is_null(),
                "{id} is missing"
            );
            continue;
        };
        same(number(&offer["count"]), number(&row["count"]), id);
        let is_there = rows(&offer["regions"]).any(|region| region == site);
        assert!(is_there, "{id} in {site}");
        let mut records = rows(&offer["obtainability"]);
        let record = records.find(|record| record["place"]["region"] == *site);
        let count = &record.expect("the stock of the site")["count"]["value"];
        assert_eq!(
            count.as_u64().unwrap_or(0),
            row["machines"],
            "{id} in {site}"
        );
        compared += 1;
    }
    assert!(compared >= 4, "{compared}");
}

#[test]
fn nebius_lists_the_same() {
    let Some(programs) = tools::vendor("nebius") else {
        return;
    };
    let standin = Standin::start();
    let environment = standin.environment();
    let lists = vendor("nebius", &programs, &environment, &[]);
    let offers = everything("nebius", "", &environment);
    let mut compared = 0;
    for row in rows(&lists["capacity"]) {
        let id = row["id"].as_str().expect("an id");
        let Some(offer) = offer(&offers, id) else {
            assert!(id.contains("x900"), "{id} is missing");
            continue;
        };
        same(number(&offer["count"]), number(&row["gpus"]), id);
        for (way, there) in row["ways"].as_object().expect("ways") {
            let mut records = rows(&offer["obtainability"]);
            let record = records.find(|record| {
                let site = record["place"]["site"].as_str().unwrap_or_default();
                record["capacity_type"] == **way && row["fabric"] == *site
            });
            let record = record.unwrap_or_else(|| panic!("{id}: no {way} in {}", row["fabric"]));
            let machines = record["count"]["value"].as_u64().unwrap_or(0);
            assert_eq!(there["available"], machines, "{id}: {way}");
            compared += 1;
        }
    }
    assert!(compared >= 9, "{compared}");
    let h100 =
        offer(&offers, "gpu-h100-sxm_8gpu-128vcpu-1600gb").expect("the machine of the price");
    same(
        number(&h100["on_demand"]["usd_per_hour"]),
        number(&lists["price"]),
        "the price of the account",
    );
    let quota = serde_json::json!(["compute.instance.gpu.h100", "eu-north1", 32, 11]);
    assert!(rows(&lists["quotas"]).any(|row| *row == quota));
}

#[test]
fn scaleway_lists_the_same_quotas() {
    let Some(programs) = tools::vendor("scaleway") else {
        return;
    };
    let standin = Standin::start();
    let environment = standin.environment();
    let lists = vendor("scaleway", &programs, &environment, &[]);
    let quotas: Vec<&Value> = rows(&lists["quotas"]).collect();
    assert!(quotas.len() >= 4, "{quotas:?}");
    let name = "cp_servers_type_H100_1_80G";
    let quota = quotas.iter().find(|quota| quota["name"] == name);
    let limits = &quota.expect("the quota of H100-1-80G")["limits"];
    let limit = rows(limits).find(|limit| limit["zone"] == "fr-par-2");
    assert_eq!(limit.expect("the limit of the zone")["limit"], 4);
}
