//! The vendors' unmodified clients query the same stand-ins as the program, and both must get
//! the same answer. EC2's specs are compared with `moto_server`, whose data comes from EC2.
//!
//! `cargo xtask test --install` installs the clients; a test whose client is missing is skipped.

mod accounts;
mod agents;
mod google;
mod open;
mod small;

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use sky_accel_standin::{Shop, Standin};

use crate::support::tools;
use crate::support::{Sky, sky_line};

/// The list of a vendor's client, with its programs in a folder.
fn vendor(name: &str, programs: &Path, environment: &[(&str, String)], flags: &[&str]) -> Value {
    let script = format!(
        "{}/tests/vendors/{name}_list.py",
        env!("CARGO_MANIFEST_DIR")
    );
    let mut client = Command::new(programs.join("python"));
    document(client.arg(script).args(flags), environment)
}

/// The document that a client prints.
fn document(client: &mut Command, environment: &[(&str, String)]) -> Value {
    let client = client
        .env("CI", "1")
        .envs(environment.iter().map(|(name, value)| (name, value)));
    let output = client.output().expect("the client starts");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{client:?}: {stderr}");
    serde_json::from_slice(&output.stdout).expect("the client prints JSON")
}

/// The program with the same environment and no cache.
fn sky(line: &str, environment: &[(&str, String)]) -> Sky {
    environment
        .iter()
        .fold(sky_line(line), |sky, (name, value)| sky.env(name, value))
}

/// Everything that a provider sells.
fn everything(provider: &str, more: &str, environment: &[(&str, String)]) -> Vec<Value> {
    let line = format!("resolve any:1GB+:x0.1+ --live --provider {provider} {more} -o json");
    let answer = sky(&line, environment).json();
    answer["results"].as_array().expect("results").clone()
}

fn number(value: &Value) -> f64 {
    let text = value.as_str().and_then(|text| text.parse().ok());
    value.as_f64().or(text).expect("a number")
}

fn same(ours: f64, theirs: f64, what: &str) {
    assert!(
        (ours - theirs).abs() < 2e-6 * theirs.abs().max(1.0),
        "{what}: {ours} is not {theirs}"
    );
}

fn lowest(prices: impl IntoIterator<Item = f64>) -> Option<f64> {
    prices.into_iter().reduce(f64::min)
}

/// A stand-in whose data centers all take new pods: RunPod's clients ask for the best data center, even if it takes
/// none.
fn open_shop() -> Shop {
    let mut shop = Shop::default();
    let open = |row: &Value| row["listed"] == true;
    let closed: Vec<String> = shop
        .runpod
        .data_centers
        .iter()
        .filter(|row| !open(row))
        .map(|row| row["id"].as_str().expect("an id").to_owned())
        .collect();
    shop.runpod.data_centers.retain(open);
    shop.runpod.stock.retain(|stock| match &stock.place {
        sky_accel_standin::RunPodPlace::Secure(id) => !closed.contains(id),
        sky_accel_standin::RunPodPlace::Community(_) => true,
    });
    shop
}

#[test]
fn runpod_lists_the_same() {
    let Some(programs) = tools::vendor("runpod") else {
        return;
    };
    let standin = Standin::with(open_shop());
    let environment = standin.environment();
    let theirs = vendor("runpod", &programs, &environment, &[]);
    let ours = everything("runpod", "", &environment);
    let mut compared = 0;
    for row in theirs["gpus"].as_array().expect("GPU types") {
        let (id, count) = (row["id"].as_str().expect("an id"), row["count"].as_u64());
        // A price of zero, the unknown X900 and slices are left out.
        let is_other = id.contains("X900") || id.contains(" MIG ");
        if row["lowest_price"].as_f64().is_none_or(|usd| usd <= 0.0) || is_other {
            continue;
        }
        let matching: Vec<&Value> = ours
            .iter()
            .filter(|offer| offer["instance_type"] == id && offer["count"].as_u64() == count)
            .collect();
        let [offer] = matching[..] else {
            panic!("{id} x{count:?}: {matching:?}")
        };
        // Prices in stock count; without stock, the list price.
        let prices = |capacity: &str| -> Vec<f64> {
            let quoted = offer[if capacity == "spot" {
                "spot"
            } else {
                "on_demand"
            }]
            .clone();
            let others = offer["other_prices"]
                .as_array()
                .cloned()
                .unwrap_or_default();
            let others = others
                .into_iter()
                .filter(|price| price["capacity_type"] == capacity);
            let listings: Vec<Value> = std::iter::once(quoted)
                .chain(others)
                .filter(Value::is_object)
                .collect();
            let in_stock = |price: &&Value| price["availability"] != "unavailable";
            let some = listings.iter().any(|price| in_stock(&price));
            let best = listings.iter().filter(|price| !some || in_stock(price));
            best.map(|price| number(&price["usd_per_accelerator_hour"]))
                .collect()
        };
        same(
            lowest(prices("on-demand")).expect("a price"),
            number(&row["lowest_price"]),
            id,
        );
        // Without stock there is nothing to bid for.
        if !row["lowest_bid"].is_null() && offer["availability"] != "unavailable" {
            // The client reports the bid of the location with the cheapest on-demand price.
            let (bid, spot) = (number(&row["lowest_bid"]), prices("spot"));
            assert!(
                spot.iter().any(|usd| (usd - bid).abs() < 1e-6),
                "{id}: {spot:?} has no {bid}"
            );
            assert!(lowest(spot).is_some_and(|usd| usd <= bid + 1e-6), "{id}");
        }
        same(number(&offer["memory_gb"]), number(&row["memory_gb"]), id);
        compared += 1;
    }
    assert!(compared >= 12, "{compared}");
}

#[test]
fn vast_lists_the_same() {
    let Some(programs) = tools::vendor("vastai") else {
        return;
    };
    let standin = Standin::start();
    let environment = standin.environment();
    let theirs = vendor("vastai", &programs, &environment, &[]);
    for (kind, field) in [("on_demand", "on_demand"), ("bid", "spot")] {
        let capacity_type = if kind == "bid" { "spot" } else { "on-demand" };
        let flags = format!("--disk 40 --capacity-type {capacity_type}");
        let ours = everything("vastai", &flags, &environment);
        let mut cheapest: BTreeMap<(String, u64), (f64, String)> = BTreeMap::new();
        for row in theirs[kind].as_array().expect("offers") {
            let gpu = row["gpu"].as_str().unwrap_or_default().to_owned();
            // A price of zero and the unknown X900 are left out.
            let Some(price) = row["price"].as_f64().filter(|price| *price > 0.01) else {
                continue;
            };
            if gpu.contains("X900") {
                continue;
            }
            let key = (gpu, row["count"].as_u64().expect("a count"));
            let best = cheapest.entry(key).or_insert((f64::MAX, String::new()));
            if price < best.0 {
                *best = (price, row["id"].to_string());
            }
        }
        assert!(cheapest.len() >= 10, "{cheapest:?}");
        for ((gpu, count), (price, id)) in cheapest {
            let offer = ours
                .iter()
                .filter(|o| {
                    o["instance_type"] == *gpu
                        && o["count"].as_u64() == Some(count)
                        && o[field].is_object()
                })
                .min_by(|a, b| {
                    number(&a[field]["usd_per_hour"]).total_cmp(&number(&b[field]["usd_per_hour"]))
                });
            let offer = offer.unwrap_or_else(|| panic!("no {gpu} x{count} as {kind}"));
            same(
                number(&offer[field]["usd_per_hour"]),
                price,
                &format!("{gpu} x{count} as {kind}"),
            );
            assert_eq!(offer[field]["offer_id"], *id, "{gpu} x{count} as {kind}");
        }
    }
}

#[test]
fn verda_lists_the_same() {
    let Some(programs) = tools::vendor("verda") else {
        return;
    };
    let standin = Standin::with(Shop::default().plain());
    let environment = standin.environment();
    let theirs = vendor("verda", &programs, &environment, &[]);
    let ours = everything("verda", "", &environment);
    let mut compared = 0;
    for row in theirs["types"].as_array().expect("types") {
        let id = row["id"].as_str().expect("an id");
        let Some(offer) = ours.iter().find(|offer| offer["instance_type"] == id) else {
            let is_no_gpu = number(&row["count"]) == 0.0;
            assert!(is_no_gpu || id.contains("X900"), "{id} is missing");
            continue;
        };
        same(number(&offer["count"]), number(&row["count"]), id);
        same(
            number(&offer["on_demand"]["usd_per_hour"]),
            number(&row["price"]),
            id,
        );
        same(
            number(&offer["spot"]["usd_per_hour"]),
            number(&row["spot_price"]),
            id,
        );
        let places = |field: &str| row[field].as_array().expect("places").clone();
        let mut everywhere = places("locations");
        everywhere.extend(places("spot_locations"));
        let mut everywhere: Vec<String> = everywhere.iter().map(ToString::to_string).collect();
        everywhere.sort();
        everywhere.dedup();
        let mut regions: Vec<String> = offer["regions"]
            .as_array()
            .into_iter()
            .flatten()
            .map(ToString::to_string)
            .collect();
        regions.sort();
        assert_eq!(regions, everywhere, "{id}");
        let in_stock = if places("locations").is_empty() {
            "unavailable"
        } else {
            "available"
        };
        assert_eq!(offer["on_demand"]["availability"], in_stock, "{id}");
        compared += 1;
    }
    assert!(compared >= 10, "{compared}");
}

#[cfg(feature = "aws")]
mod aws {
    use std::net::{TcpListener, TcpStream};
    use std::process::{Child, Stdio};
    use std::time::Duration;

    use super::*;

    /// Region → type → row of boto3.
    fn by_region(theirs: &Value) -> BTreeMap<String, BTreeMap<String, Value>> {
        let regions = theirs["regions"].as_object().expect("regions");
        regions
            .iter()
            .map(|(region, rows)| {
                let rows = rows.as_array().map(Vec::as_slice).unwrap_or_default();
                let sold = rows
                    .iter()
                    .filter(|row| row["zones"] != serde_json::json!([]));
                let by_id =
                    sold.map(|row| (row["id"].as_str().expect("an id").to_owned(), row.clone()));
                (region.clone(), by_id.collect())
            })
            .collect()
    }

    fn specs(offer: &Value, row: &Value, what: &str) {
        same(number(&offer["vcpu"]), number(&row["vcpu"]), what);
        same(
            number(&offer["host_memory_gib"]),
            number(&row["memory_mib"]) / 1024.0,
            what,
        );
        let [_, count, share] = &row["accelerators"][0].as_array().expect("accelerators")[..]
        else {
            panic!("{row}");
        };
        same(number(&offer["count"]), number(count) * number(share), what);
    }

    #[test]
    fn ec2_lists_the_same() {
        let Some(programs) = tools::vendor("aws") else {
            return;
        };
        let standin = Standin::start();
        let environment = standin.environment();
        let theirs = vendor("aws", &programs, &environment, &[]);
        let prices: BTreeMap<(String, String), f64> = theirs["prices"]
            .as_array()
            .expect("prices")
            .iter()
            .map(|row| {
                let text = |at: usize| row[at].as_str().expect("a text").to_owned();
                ((text(0), text(1)), number(&row[2]))
            })
            .collect();
        let mut compared = 0;
        for (region, rows) in by_region(&theirs) {
            let ours = everything("aws", &format!("--region {region}"), &environment);
            for (id, row) in &rows {
                let Some(offer) = ours.iter().find(|offer| offer["instance_type"] == **id) else {
                    // Unknown types and video cards do not match "any".
                    assert!(
                        id.starts_with("p9") || id.starts_with("vt1"),
                        "{id} is missing in {region}"
                    );
                    continue;
                };
                let place = format!("{id} in {region}");
                specs(offer, row, &place);
                match prices.get(&(region.clone(), id.clone())) {
                    Some(price) => {
                        same(number(&offer["on_demand"]["usd_per_hour"]), *price, &place);
                    }
                    None => assert!(offer["on_demand"].is_null(), "{place}"),
                }
                let spot = row["spot"].as_object().expect("zones");
                match lowest(spot.values().map(number)) {
                    Some(price) => same(number(&offer["spot"]["usd_per_hour"]), price, &place),
                    None => assert!(offer["spot"].is_null(), "{place}"),
                }
                compared += 1;
            }
            assert!(
                ours.iter().all(|offer| {
                    let id = offer["instance_type"].as_str().expect("an id");
                    rows.contains_key(id)
                }),
                "{region}"
            );
        }
        assert!(compared >= 40, "{compared}");
    }

    /// A server that is stopped at the end of the test.
    struct Moto {
        server: Child,
        url: String,
    }

    impl Moto {
        fn start(programs: &Path) -> Self {
            let port = TcpListener::bind("127.0.0.1:0")
                .and_then(|listener| listener.local_addr())
                .expect("a free port")
                .port();
            let server = Command::new(programs.join("moto_server"))
                .args(["-H", "127.0.0.1", "-p", &port.to_string()])
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .expect("moto_server starts");
            while TcpStream::connect(("127.0.0.1", port)).is_err() {
                std::thread::sleep(Duration::from_millis(100));
            }
            Self {
                server,
                url: format!("http://127.0.0.1:{port}"),
            }
        }
    }

    impl Drop for Moto {
        fn drop(&mut self) {
            let _ = self.server.kill();
            let _ = self.server.wait();
        }
    }

    #[test]
    fn moto_lists_the_same() {
        let Some(programs) = tools::vendor("aws") else {
            return;
        };
        let moto = Moto::start(&programs);
        let environment: Vec<(&str, String)> = vec![
            ("AWS_ENDPOINT_URL", moto.url.clone()),
            ("AWS_ENDPOINT_URL_EC2", moto.url.clone()),
            ("AWS_ACCESS_KEY_ID", "testing".to_owned()),
            ("AWS_SECRET_ACCESS_KEY", "testing-secret".to_owned()),
            ("AWS_REGION", "us-east-1".to_owned()),
            ("AWS_DEFAULT_REGION", "us-east-1".to_owned()),
            ("AWS_EC2_METADATA_DISABLED", "true".to_owned()),
        ];
        let theirs = by_region(&vendor(
            "aws",
            &programs,
            &environment,
            &[
                "--specs-only",
                "--region",
                "us-east-1",
                "--region",
                "eu-north-1",
            ],
        ));
        let mut compared = 0;
        for region in ["us-east-1", "eu-north-1"] {
            // moto has no price list: catalog prices replace it, and the answer is partial.
            let line = format!(
                "resolve any:1GB+:x0.1+ --live --provider aws --timeout 300 --region {region} -o json"
            );
            let run = sky(&line, &environment).run().expect_code(5);
            assert!(run.stderr.contains("pricing:GetProducts"), "{}", run.stderr);
            let answer: Value = serde_json::from_str(&run.stdout).expect("JSON");
            let ours = answer["results"].as_array().expect("results");
            for (id, row) in &theirs[region] {
                let Some(offer) = ours.iter().find(|offer| offer["instance_type"] == **id) else {
                    assert!(id.starts_with("vt1"), "{id} is missing in {region}");
                    continue;
                };
                specs(offer, row, id);
                // moto's spot prices are a constant of 2006, so they are ignored.
                assert!(offer["spot"].is_null(), "{offer}");
                compared += 1;
            }
        }
        assert!(compared >= 80, "{compared}");
    }
}
