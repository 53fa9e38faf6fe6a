//! Public price lists, as the vendors' clients and gpuhunt read them from the same stand-in.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use sky_accel_standin::Standin;
use tempfile::TempDir;

use super::{document, everything, lowest, number, open_shop, same, sky, vendor};
use crate::support::tools;

/// The price of an offer in its own currency.
fn charged(price: &Value) -> Option<f64> {
    let currency = &price["currency"];
    let amount = if currency.is_object() {
        &currency["per_hour"]
    } else {
        &price["usd_per_hour"]
    };
    amount.as_f64()
}

/// The lowest price of each id.
type Lowest = BTreeMap<String, f64>;

/// The program's list for a provider: the lowest price of each instance type.
fn ours(provider: &str, capacity: &str, environment: &[(&str, String)]) -> Lowest {
    let mut found = Lowest::new();
    for offer in everything(provider, "", environment) {
        let id = offer["instance_type"].as_str().expect("an id").to_owned();
        // Where a list has no price, the price of the catalog is used.
        let is_live = offer[capacity]["kind"] == "live";
        if let Some(price) = charged(&offer[capacity]).filter(|_| is_live) {
            let lowest = found.entry(id).or_insert(price);
            *lowest = lowest.min(price);
        }
    }
    found
}

/// The lowest price of each id in rows of a client.
fn theirs<'v>(rows: impl Iterator<Item = &'v Value>, price: &str) -> Lowest {
    let mut found = Lowest::new();
    for row in rows {
        let id = row["id"].as_str().expect("an id");
        let id = id.strip_suffix(".consumption").unwrap_or(id).to_owned();
        // A price of zero is left out.
        let price = number(&row[price]);
        if price > 0.0 {
            let lowest = found.entry(id).or_insert(price);
            *lowest = lowest.min(price);
        }
    }
    found
}

/// Asserts that our prices equal the client's prices, except for the named prices, which we leave out.
fn compare(provider: &str, ours: &Lowest, theirs: &Lowest, missing: &[&str]) {
    assert!(!ours.is_empty(), "nothing of {provider}");
    for (id, price) in ours {
        let other = theirs.get(id);
        let other = other.unwrap_or_else(|| panic!("{provider} {id}: they have none"));
        same(*price, *other, &format!("{provider} {id}"));
    }
    for id in theirs.keys().filter(|id| !ours.contains_key(*id)) {
        let is_named = missing.iter().any(|part| id.contains(part));
        assert!(is_named, "{provider} {id}: we have none");
    }
}

fn rows(document: &Value) -> impl Iterator<Item = &Value> {
    document.as_array().expect("rows").iter()
}

#[test]
fn gpuhunt_lists_the_same() {
    let Some(programs) = tools::vendor("gpuhunt") else {
        return;
    };
    let standin = Standin::start();
    let environment = standin.urls();
    let lists = vendor("gpuhunt", &programs, &environment, &[]);
    let is_machine = |row: &&Value| {
        let product = row["product"].as_str().unwrap_or_default();
        let is_windows = product.contains("Windows") || product.ends_with(" Win");
        row["primary"] == true && !is_windows && !product.contains("Cloud Services")
    };
    for (capacity, is_spot) in [("on_demand", false), ("spot", true)] {
        let meters = rows(&lists["azure"]).filter(is_machine);
        let meters = meters.filter(|row| row["spot"] == is_spot);
        let mut of_azure = theirs(meters, "price");
        let ours = ours("azure", capacity, &environment);
        of_azure.retain(|id, _| ours.contains_key(id));
        compare("azure", &ours, &of_azure, &[]);
    }
    let of_cloudrift = theirs(rows(&lists["cloudrift"]), "price");
    let ours_there = ours("cloudrift", "on_demand", &environment);
    for (id, price) in &of_cloudrift {
        same(ours_there[id], *price, id);
    }
    let sold = rows(&lists["oci"]).filter(|row| row["active"] == true && row["hidden"] == false);
    let of_oci = theirs(sold.filter(|row| row["count"].as_u64() > Some(0)), "price");
    compare(
        "oci",
        &ours("oci", "on_demand", &environment),
        &of_oci,
        &["X900", "("],
    );
    let machines = rows(&lists["vultr"]).filter(|row| row["spot"] == false);
    let of_vultr = theirs(machines.filter(|row| row["gpu"].is_string()), "price");
    let ours_there = ours("vultr", "on_demand", &environment);
    // A twentieth of a GPU is below the requested memory.
    for (id, price) in of_vultr.iter().filter(|(id, _)| !id.ends_with("-4vram")) {
        let our_price = ours_there.get(id);
        same(*our_price.unwrap_or_else(|| panic!("no {id}")), *price, id);
    }
}

#[test]
fn gpuhunt_finds_the_same_machines_without_names() {
    let Some(programs) = tools::vendor("gpuhunt") else {
        return;
    };
    let standin = Standin::start();
    let environment = standin.urls();
    let lists = vendor("gpuhunt", &programs, &environment, &[]);
    // Lium's machines have no types: by family and count, the lowest price is the same.
    let offers = everything("lium", "", &environment);
    let mut compared = 0;
    for gpu in ["H100", "H200", "B200", "RTX4090"] {
        for count in [1, 8] {
            let of_them =
                rows(&lists["lium"]).filter(|row| row["gpu"] == gpu && row["count"] == count);
            let Some(price) = lowest(of_them.map(|row| number(&row["price"]))) else {
                continue;
            };
            let of_us = offers.iter().filter(|offer| {
                let accelerator = offer["accelerator"].as_str().expect("an accelerator");
                accelerator.split('-').next() == Some(gpu) && offer["count"] == count
            });
            let of_us = lowest(of_us.filter_map(|offer| charged(&offer["on_demand"])));
            same(of_us.expect("an offer"), price, gpu);
            compared += 1;
        }
    }
    assert!(compared >= 3, "{compared}");
    // RunPod without a key lists only types in stock.
    let in_tier = |tier| everything("runpod", &format!("--public --tier {tier}"), &environment);
    let offers: Vec<Value> = ["secure", "community"]
        .into_iter()
        .flat_map(in_tier)
        .collect();
    let mut compared = 0;
    // Clusters consist of several pods.
    let is_pod = |row: &&Value| row["spot"] == false && row["flags"] == Value::Array(Vec::new());
    for row in rows(&lists["runpod"]).filter(is_pod) {
        let of_us = offers
            .iter()
            .filter(|offer| row["id"] == offer["instance_type"] && row["count"] == offer["count"]);
        let prices: Vec<f64> = of_us
            .filter_map(|offer| charged(&offer["on_demand"]))
            .collect();
        // Slices and the unknown X900 are left out.
        let Some(best) = lowest(prices) else {
            continue;
        };
        // The client reports list prices of types in stock; a data center may charge less.
        let price = number(&row["price"]);
        assert!(best <= price + 1e-6, "{row}: {best}");
        compared += u32::from((best - price).abs() < 1e-6);
    }
    assert!(compared >= 5, "{compared}");
}

#[test]
fn runpod_mcp_server_lists_the_same_without_a_key() {
    let (Some(home), Some(node)) = (tools::node_client("runpod-mcp"), tools::program(&["node"]))
    else {
        return;
    };
    let standin = Standin::with(open_shop());
    let environment = standin.urls();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/vendors/runpod_mcp_list.mjs");
    let list = document(Command::new(node).arg(script).arg(home), &environment);
    let offers = everything("runpod", "--public --tier secure", &environment);
    let mut compared = 0;
    for row in rows(&list) {
        let mut same_machine = offers
            .iter()
            .filter(|offer| row["id"] == offer["instance_type"] && row["count"] == offer["count"]);
        // Slices and the unknown X900 are left out.
        let Some(offer) = same_machine.next() else {
            continue;
        };
        let stock = match row["stock"].as_str() {
            Some("High" | "Medium") => "available",
            Some("Low") => "limited",
            _ => "unavailable",
        };
        assert_eq!(offer["availability"], stock, "{row} {offer}");
        if stock != "unavailable" {
            let price = number(&row["price"]) * number(&row["count"]);
            let ours = charged(&offer["on_demand"]).expect("a price");
            same(ours, price, &row.to_string());
            compared += 1;
        }
    }
    assert!(compared >= 8, "{compared}");
}

#[test]
fn gpuhunt_catalog_equals_the_written_overlay() {
    let Some(programs) = tools::vendor("gpuhunt") else {
        return;
    };
    let standin = Standin::start();
    let environment = standin.urls();
    let lists = vendor("gpuhunt", &programs, &environment, &[]);
    let folder = tempfile::tempdir().expect("a folder");
    let run = sky("catalog update --from gpuhunt --into", &environment);
    // Live prices have the date of the request.
    let run = run.arg(folder.path()).remove_env("SKY_ACCEL_TODAY");
    let _ = run.run().expect_code(0);
    let mut compared = 0;
    for file in fs::read_dir(folder.path()).expect("files").flatten() {
        let name = file.file_name().to_string_lossy().into_owned();
        let Some(provider) = name.strip_prefix("via-gpuhunt-") else {
            continue;
        };
        let provider = provider
            .trim_end_matches(".toml")
            .replace("lambda", "lambdalabs");
        let text = fs::read_to_string(file.path()).expect("a file");
        let table: Value = toml::from_str(&text).expect("TOML");
        for price in table.get("price").map(rows).into_iter().flatten() {
            let is_spot = price["capacity_type"] == "spot";
            let of_type = rows(&lists["catalog"]).filter(|row| {
                row["provider"] == *provider
                    && row["id"] == price["offer"]
                    && row["spot"] == is_spot
            });
            let their_prices: Vec<f64> = of_type
                .map(|row| {
                    let is_per_accelerator = price.get("usd_per_accelerator_hour").is_some();
                    number(&row["price"])
                        / if is_per_accelerator {
                            number(&row["count"])
                        } else {
                            1.0
                        }
                })
                .collect();
            let amounts = price
                .get("usd_per_hour")
                .or(price.get("usd_per_accelerator_hour"));
            let amounts = amounts.expect("an amount");
            let written: Vec<f64> = match amounts.as_object() {
                Some(by_region) => by_region.values().map(number).collect(),
                None => vec![number(amounts)],
            };
            for amount in written {
                let is_theirs = their_prices.iter().any(|usd| (usd - amount).abs() < 1e-6);
                assert!(
                    is_theirs,
                    "{provider} {}: {amount} is not in {their_prices:?}",
                    price["offer"]
                );
                compared += 1;
            }
        }
    }
    assert!(compared >= 8, "{compared}");
}

#[test]
fn scaleway_lists_the_same() {
    let Some(programs) = tools::vendor("scaleway") else {
        return;
    };
    let standin = Standin::start();
    let environment = standin.urls();
    let list = vendor("scaleway", &programs, &environment, &[]);
    let machines = || rows(&list["types"]).filter(|row| row["count"].as_u64() > Some(0));
    let of_them = theirs(machines(), "price_eur");
    compare(
        "scaleway",
        &ours("scaleway", "on_demand", &environment),
        &of_them,
        &["X900"],
    );
    // The stock of a region is the best stock of its zones.
    let offers = everything("scaleway", "", &environment);
    let is_live = |offer: &&Value| offer["on_demand"]["kind"] == "live";
    for offer in offers.iter().filter(is_live) {
        let region = offer["on_demand"]["region"]
            .as_str()
            .expect("a region")
            .to_owned();
        let mut zones = machines().filter(|row| {
            let zone = row["zone"].as_str().unwrap_or_default();
            row["id"] == offer["instance_type"] && zone.starts_with(&region)
        });
        let is_available = zones.any(|row| row["stock"] == "available");
        assert_eq!(
            offer["availability"] == "available",
            is_available,
            "{offer}"
        );
    }
}

#[test]
fn ovhcloud_lists_the_same() {
    let Some(programs) = tools::vendor("ovh") else {
        return;
    };
    let standin = Standin::start();
    let environment = standin.urls();
    let list = vendor("ovh", &programs, &environment, &[]);
    assert_eq!(list["FR"]["currency"], "EUR");
    let is_machine = |row: &&Value| {
        let tags = row["tags"].to_string();
        row["os"] == "linux" && !tags.contains("coming_soon")
    };
    let of_them = theirs(rows(&list["FR"]["addons"]).filter(is_machine), "price");
    compare(
        "ovhcloud",
        &ours("ovhcloud", "on_demand", &environment),
        &of_them,
        &["x900"],
    );
}

#[test]
fn linode_lists_the_same() {
    let Some(programs) = tools::vendor("linode") else {
        return;
    };
    let standin = Standin::start();
    let environment = standin.urls();
    let list = vendor("linode", &programs, &environment, &[]);
    let mut compared = 0;
    for offer in everything("linode", "", &environment) {
        let mut types = rows(&list["types"]);
        let kind = types
            .find(|row| row["id"] == offer["instance_type"])
            .expect("a type");
        let price = &offer["on_demand"];
        let region = price["region"].as_str().unwrap_or_default();
        let special = &kind["region_prices"][region];
        let expected = if special.is_null() {
            &kind["price"]
        } else {
            special
        };
        same(
            charged(price).expect("a price"),
            number(expected),
            &offer["instance_type"].to_string(),
        );
        let regions = kind["regions"].as_array().expect("regions");
        let is_there = offer["availability"] != "unavailable";
        assert_eq!(is_there, !regions.is_empty(), "{offer} {kind}");
        compared += 1;
    }
    assert!(compared >= 6, "{compared}");
}

/// The prices that `catalog update` took from an aggregator: the lowest of each instance type.
fn updated(provider: &str, capacity: &str, folder: &Path) -> Lowest {
    let line = format!("resolve any:1GB+:x0.1+ --provider {provider} --all -o json --catalog");
    let answer = sky(&line, &[])
        .arg(folder)
        .remove_env("SKY_ACCEL_TODAY")
        .json();
    let offers = rows(&answer["results"]).filter(|offer| {
        let source = &offer[capacity]["source"];
        source
            .as_str()
            .is_some_and(|text| text.starts_with("skypilot 20"))
    });
    let price = |offer: &Value| {
        let id = offer["instance_type"].as_str().expect("an id").to_owned();
        (id, charged(&offer[capacity]).expect("a price"))
    };
    offers.map(price).collect()
}

#[test]
fn skypilot_reads_the_same() {
    let Some(programs) = tools::vendor("skypilot") else {
        return;
    };
    let standin = Standin::start();
    let environment = standin.urls();
    let list = vendor("skypilot", &programs, &environment, &[]);
    let folder = TempDir::new().expect("a folder");
    let clouds = [
        ("aws", "aws"),
        ("azure", "azure"),
        ("do", "digitalocean"),
        ("lambda", "lambda"),
        ("nebius", "nebius"),
        ("oci", "oci"),
        ("verda", "verda"),
    ];
    let providers = clouds.map(|(_, provider)| provider).join(",");
    let line = format!("catalog update --from skypilot --provider {providers} --into");
    // Live prices have the date of the request.
    let run = sky(&line, &environment).remove_env("SKY_ACCEL_TODAY");
    run.arg(folder.path()).run().expect_code(0);
    let mut compared = 0;
    for (cloud, provider) in clouds {
        for capacity in ["on_demand", "spot"] {
            let of_cloud = rows(&list)
                .filter(|row| row["cloud"] == cloud && row[capacity].as_f64() > Some(0.0));
            let of_them = theirs(of_cloud, capacity);
            for (id, price) in updated(provider, capacity, folder.path()) {
                let other = of_them.get(&id);
                let other = other.unwrap_or_else(|| panic!("{provider} {id}: they have none"));
                same(price, *other, &format!("{provider} {id} {capacity}"));
                compared += 1;
            }
        }
    }
    assert!(compared >= 25, "{compared}");
}
