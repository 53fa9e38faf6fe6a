//! Answers that are too large, too cheap or not about known devices: only their provider fails, within its budget.

use std::fs;
use std::process::Stdio;

use jiff::{Timestamp, ToSpan as _};
use serde_json::{Value, json};
use sky_accel_standin::{Fault, Service, Shop};
use tempfile::TempDir;

use super::Market;
use super::PROVIDERS;
use super::public::{PUBLIC, without_keys};
use crate::support::Run;

/// Every provider with its service, and something that it sells. AWS is queried by its public pages only.
fn every_provider() -> impl Iterator<Item = (&'static str, Service, &'static str)> {
    let keyed = PROVIDERS.iter().filter(|(id, _)| *id != "aws");
    let keyed = keyed.map(|(id, service)| (*id, *service, "H100"));
    PUBLIC.iter().copied().chain(keyed)
}

fn run(world: &Market, provider: &str, line: &str) -> Run {
    let is_keyed = PROVIDERS
        .iter()
        .any(|(id, _)| *id == provider && *id != "aws");
    let sky = if is_keyed {
        world.sky(line)
    } else {
        without_keys(world, line)
    };
    sky.memory_limit_mib(2048).run()
}

/// Returns the prices of an answer, in US dollars per hour.
fn prices(answer: &Value) -> Vec<f64> {
    let results = answer["results"].as_array().into_iter().flatten();
    let prices = results.flat_map(|result| [&result["on_demand"], &result["spot"]]);
    prices
        .filter_map(|price| price["usd_per_hour"].as_f64())
        .collect()
}

#[test]
fn implausibly_low_prices_are_dropped() {
    for (provider, service, accelerator) in every_provider() {
        let world = Market::new();
        world.standin.fault(service, Fault::TinyPrices);
        let line = format!("resolve {accelerator} --at-least --provider {provider} --live -o json");
        let run = run(&world, provider, &line);
        let context = format!("{provider}: {}{}", run.stdout, run.stderr);
        assert!([0, 1, 4].contains(&run.code), "{context}");
        let answer: Value = serde_json::from_str(&run.stdout).unwrap_or_default();
        assert!(prices(&answer).iter().all(|usd| *usd > 0.01), "{context}");
        let is_said = answer["notes"].to_string().contains("implausible-prices")
            || run.stderr.contains("implausible prices")
            || run.stderr.contains("without a price");
        assert!(is_said, "{context}");
    }
}

#[test]
fn a_tiny_price_starts_no_command() {
    let world = Market::new();
    world.standin.fault(Service::VERDA, Fault::TinyPrices);
    let folder = TempDir::new().unwrap();
    let started = folder.path().join("started");
    let line = "watch H100:x8 --provider verda --max-price 1 --interval 5s --timeout 3s --exec";
    let command = format!("touch {}", started.display());
    let run = world.sky(line).arg(command).run();
    assert_ne!(run.code, 0, "{}", run.stderr);
    assert!(!started.exists());
    assert!(
        run.stderr.contains("far from the usual prices"),
        "{}",
        run.stderr
    );
}

/// A tenth of the known price of a machine is wrong, even if the price is usual for some machines of its device.
#[test]
fn a_price_far_below_the_known_one_starts_no_command() {
    let mut shop = Shop::default();
    for row in &mut shop.verda.types {
        for field in [
            "price_per_hour",
            "spot_price",
            "dynamic_price",
            "max_dynamic_price",
        ] {
            let price = row[field]
                .as_str()
                .and_then(|price| price.parse::<f64>().ok());
            if let Some(price) = price {
                row[field] = Value::from(format!("{:.4}", price * 0.1));
            }
        }
    }
    let world = Market::with(shop);
    let folder = TempDir::new().unwrap();
    let started = folder.path().join("started");
    let line = "watch H100:x8 --provider verda --max-price 10 --interval 5s --timeout 3s --exec";
    let command = format!("touch {}", started.display());
    let run = world.sky(line).arg(command).run();
    assert_ne!(run.code, 0, "{}", run.stderr);
    assert!(!started.exists());
}

#[test]
fn a_list_with_too_many_rows_fails_its_provider() {
    // The lists of AWS and Scaleway are objects; a unit test covers them.
    let listed = every_provider().filter(|(id, ..)| !["aws", "scaleway"].contains(id));
    for (provider, service, accelerator) in listed {
        let world = Market::new();
        world.standin.fault(service, Fault::ManyRows);
        let line = format!("resolve {accelerator} --at-least --provider {provider} --live");
        let run = run(&world, provider, &line).expect_code(4);
        assert!(
            run.stderr.contains("more than 50000 rows"),
            "{provider}: {}",
            run.stderr
        );
    }
}

/// Returns a page with many empty rows, which names a next page.
fn endless_page(provider: &str) -> String {
    let rows = vec!["{}"; 49_999].join(",");
    match provider {
        "azure" => format!(r#"{{"Items":[{rows}],"NextPageLink":"?next"}}"#),
        "linode" => format!(r#"{{"data":[{rows}],"pages":1000000000}}"#),
        "oci" => format!(r#"{{"items":[{rows}],"links":[{{"rel":"next","href":"?next"}}]}}"#),
        "vultr" => format!(
            r#"{{"plans":[{rows}],"plans_metal":[{rows}],"meta":{{"links":{{"next":"x"}}}}}}"#
        ),
        _ => unreachable!("{provider} has one page"),
    }
}

fn body(text: String, headers: &[(&str, &str)]) -> Fault {
    let headers = headers.iter();
    Fault::Status {
        code: 200,
        body: text,
        content_type: "application/json".to_owned(),
        headers: headers
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect(),
    }
}

#[test]
fn endless_pages_exceed_the_budget() {
    let paged = PUBLIC
        .iter()
        .filter(|(id, ..)| ["azure", "linode", "oci", "vultr"].contains(id));
    for (provider, service, accelerator) in paged {
        let world = Market::new();
        world
            .standin
            .fault(*service, body(endless_page(provider), &[]));
        let line =
            format!("resolve {accelerator} --at-least --provider {provider} --live --timeout 200");
        let run = without_keys(&world, &line).memory_limit_mib(1024).run();
        let run = run.expect_code(4);
        assert!(
            run.stderr.contains("have more than 500000 rows"),
            "{provider}: {}",
            run.stderr
        );
        // Two lists at once.
        assert!(world.asked(*service) <= 24, "{}", world.asked(*service));
    }
}

/// Small answers that unpack to half a gigabyte: the error says so, and little memory is used.
#[test]
fn compressed_bombs_are_not_unpacked() {
    let is_public = |provider: &str| PUBLIC.iter().any(|(id, ..)| *id == provider);
    for (provider, service, accelerator) in every_provider() {
        let world = Market::new();
        world.standin.fault(service, Fault::Bomb);
        let line = format!("resolve {accelerator} --at-least --provider {provider} --live");
        let sky = if is_public(provider) {
            without_keys(&world, &line)
        } else {
            world.sky(&line)
        };
        let run = sky.memory_limit_mib(512).run();
        let context = format!("{provider}: {}{}", run.stdout, run.stderr);
        assert_eq!(run.code, 4, "{context}");
        assert!(run.stderr.contains("error: "), "{context}");
        // Requests with keys ask for no compression.
        let is_clear = !is_public(provider) || run.stderr.contains("larger than 24 MB");
        assert!(is_clear, "{context}");
    }
    for (project, service) in [
        ("gpuhunt", Service::GPUHUNT),
        ("skypilot", Service::SKYPILOT),
    ] {
        let (world, folder) = (Market::new(), TempDir::new().unwrap());
        if project == "gpuhunt" {
            world
                .standin
                .fault_where(service, "catalog.zip", Fault::Bomb);
        } else {
            world.standin.fault(service, Fault::Bomb);
        }
        let line = format!("catalog update --from {project} --provider lambda --into");
        let run = without_keys(&world, &line).arg(folder.path());
        let run = run.memory_limit_mib(512).run().expect_code(4);
        assert!(
            run.stderr.contains("larger than"),
            "{project}: {}",
            run.stderr
        );
    }
}

/// Ctrl-C ends the program while it reads a list as long as the bounds allow, and no answer is printed or written.
#[cfg(unix)]
#[test]
fn an_interrupt_ends_the_reading_of_long_lists() {
    let row = |at: usize| {
        json!({"id": format!("vcg-l40s-{at}"), "hourly_cost": 1.6, "gpu_type": "NVIDIA_L40S",
            "gpu_count": 1, "locations": ["ewr"]})
    };
    let mut shop = Shop::default();
    shop.vultr.plans = (0..49_000).map(row).collect();
    let (world, folder) = (Market::with(shop), TempDir::new().unwrap());
    // Whenever the signal arrives, the program still waits for this provider.
    world.standin.fault(Service::LINODE, Fault::Silence);
    let line = "catalog update --provider vultr,linode --timeout 600 -o json --into";
    let mut command = without_keys(&world, line).arg(folder.path()).command();
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("the binary starts");
    while world.asked(Service::VULTR) == 0 || world.asked(Service::LINODE) == 0 {
        assert!(child.try_wait().unwrap().is_none(), "the program waits");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let killed = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(killed.unwrap().success());
    let output = child.wait_with_output().expect("the binary ends");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{stderr}");
    assert!(output.stdout.is_empty(), "{stderr}");
    // Only the lock of the folder may be left.
    for entry in fs::read_dir(folder.path()).unwrap().flatten() {
        assert_eq!(entry.metadata().unwrap().len(), 0, "{entry:?}");
    }
}

#[test]
fn lists_from_the_future_are_refused() {
    let ahead = |days: i64| Timestamp::now() + (24 * days).hours();
    for (provider, service, accelerator) in PUBLIC {
        let world = Market::new();
        let modified = [("Last-Modified", "Wed, 02 Jan 2999 00:00:00 GMT")];
        world
            .standin
            .fault(*service, body("{}".to_owned(), &modified));
        let line = format!("resolve {accelerator} --at-least --provider {provider} --live");
        let run = without_keys(&world, &line).run().expect_code(4);
        let stderr = &run.stderr;
        assert!(
            stderr.contains("is in the future: 2999-01-02"),
            "{provider}: {stderr}"
        );
    }
    for (provider, date) in [
        (
            "lium",
            (|shop, at| shop.lium.generated_at = at) as fn(&mut Shop, Timestamp),
        ),
        ("oci", |shop, at| shop.oci.last_updated = at),
        ("aws", |shop, at| {
            shop.awsfeed.published = at;
            shop.awsfeed.spot_modified = at;
        }),
    ] {
        for (days, code) in [(0, 0), (3, 4)] {
            let mut shop = Shop::default();
            date(&mut shop, ahead(days));
            let world = Market::with(shop);
            let line = format!("resolve H200|H100 --at-least --provider {provider} --live");
            let run = without_keys(&world, &line).run().expect_code(code);
            assert_eq!(
                run.stderr.contains("in the future"),
                code == 4,
                "{provider}"
            );
        }
    }
}

#[test]
fn unknown_devices_alone_are_a_failure() {
    // The lists of AWS and Azure have no devices: their unknown types are types that are not requested. In the lists of
    // Scaleway, names are keys.
    let named = every_provider().filter(|(id, ..)| !["aws", "azure", "scaleway"].contains(id));
    for (provider, service, accelerator) in named {
        let world = Market::new();
        world.standin.fault(service, Fault::UnknownDevices);
        let line = format!("resolve {accelerator} --at-least --provider {provider} --live");
        let run = run(&world, provider, &line).expect_code(4);
        let stderr = &run.stderr;
        assert!(
            stderr.contains(&format!("error: {provider}: ")),
            "{provider}: {stderr}"
        );
        assert!(!stderr.contains("add --live"), "{provider}: {stderr}");
    }
}

fn update(world: &Market, folder: &TempDir, code: i32) -> (Value, Run) {
    let line = "catalog update --provider vultr,linode,lium -o json --into";
    let run = without_keys(world, line).arg(folder.path()).run();
    let run = run.expect_code(code);
    let answer = serde_json::from_str(&run.stdout).expect("JSON");
    (answer, run)
}

fn status<'v>(answer: &'v Value, provider: &str) -> &'v Value {
    let results = answer["results"].as_array().unwrap();
    let of_provider = results.iter().find(|row| row["provider"] == provider);
    &of_provider.unwrap()["status"]
}

#[test]
fn a_row_that_cannot_be_placed_is_left_out_of_an_update() {
    let mut shop = Shop::default();
    // The name is of two memory sizes, so the price is of either.
    shop.vultr.plans.push(json!({
        "id": "vcg-a100-new", "vcpu_count": 12, "ram": 122_880, "hourly_cost": 2.4,
        "gpu_type": "NVIDIA_A100", "gpu_count": 1, "locations": ["ewr"],
    }));
    let (world, folder) = (Market::with(shop), TempDir::new().unwrap());
    let (answer, _) = update(&world, &folder, 0);
    for provider in ["vultr", "linode", "lium"] {
        assert_eq!(status(&answer, provider), "updated", "{answer}");
    }
    let notes = answer["notes"].to_string();
    assert!(
        notes.contains("vultr: 1 rows left out: 1 offers whose device has several memory sizes"),
        "{notes}"
    );
    // The table prints the reason too.
    let line = "catalog update --provider vultr,linode,lium --into";
    let run = without_keys(&world, line).arg(folder.path()).run();
    assert!(
        run.stderr.contains("several memory sizes"),
        "{}",
        run.stderr
    );
    let written = fs::read_to_string(folder.path().join("live-vultr.toml")).unwrap();
    assert!(written.contains("vcg-a100-12c-120g-80vram"), "{written}");
}

#[test]
fn a_provider_that_lists_too_much_keeps_its_old_rows() {
    let world = Market::new();
    let folder = TempDir::new().unwrap();
    let _ = update(&world, &folder, 0);
    let file = |provider: &str| {
        let path = folder.path().join(format!("live-{provider}.toml"));
        fs::read_to_string(path).unwrap()
    };
    let before = file("vultr");
    let plan = |at: usize, place: String| {
        json!({"id": format!("vcg-l40s-{at}"), "hourly_cost": 1.6, "gpu_type": "NVIDIA_L40S",
            "gpu_count": 1, "locations": [place]})
    };
    let many_types = (0..20_001).map(|at| plan(at, "ewr".to_owned()));
    let many_places = (0..2_001).map(|at| plan(at % 10, format!("p{at}")));
    for (plans, why) in [
        (
            many_types.collect::<Vec<_>>(),
            "offers, more than the 20000",
        ),
        (many_places.collect(), "regions, more than the 2000"),
    ] {
        let mut shop = Shop::default();
        shop.vultr.plans = plans;
        let (answer, run) = update(&Market::with(shop), &folder, 5);
        assert_eq!(status(&answer, "vultr"), "failed", "{answer}");
        assert_eq!(status(&answer, "linode"), "updated", "{answer}");
        assert!(
            run.stderr.contains("vultr: ") && run.stderr.contains(why),
            "{}",
            run.stderr
        );
        assert_eq!(file("vultr"), before);
    }
}

#[test]
fn one_id_with_two_counts_has_no_price() {
    let mut shop = Shop::default();
    let plan = |count: u32, usd: f64| {
        json!({"id": "vcg-l40s-new", "hourly_cost": usd, "gpu_type": "NVIDIA_L40S",
            "gpu_count": count, "locations": ["ewr"]})
    };
    shop.vultr.plans.extend([plan(1, 1.6), plan(8, 12.8)]);
    // A known type with another count.
    shop.vultr.plans.push(
        json!({"id": "vcg-l40s-16c-180g-48vram", "hourly_cost": 12.0,
        "gpu_type": "NVIDIA_L40S", "gpu_count": 8, "locations": ["ewr"]}),
    );
    let world = Market::with(shop);
    let line = "resolve L40S --at-least --provider vultr --live -o json";
    let answer = without_keys(&world, line).json();
    let results = answer["results"].as_array().unwrap();
    assert!(!results.is_empty());
    for result in results {
        assert_ne!(result["instance_type"], "vcg-l40s-new", "{result}");
        if result["instance_type"] == "vcg-l40s-16c-180g-48vram" {
            assert_eq!(
                (&result["count"], &result["on_demand"]["usd_per_hour"]),
                (&json!(1), &json!(1.5596))
            );
        }
    }
    let notes = answer["notes"].to_string();
    assert!(
        notes.contains("rows left out: 3 with another count"),
        "{notes}"
    );
}

#[test]
fn live_answers_and_updates_identify_the_same_device() {
    let mut shop = Shop::default();
    for node in &mut shop.lium.nodes {
        node["gpu_model"] = json!("H100");
        node["gpu_memory_gb"] = json!(80);
    }
    let (world, folder) = (Market::with(shop), TempDir::new().unwrap());
    let line = "resolve H100 --at-least --provider lium -o json";
    let answer = without_keys(&world, &format!("{line} --live")).json();
    let _ = update(&world, &folder, 0);
    let updated = without_keys(&world, &format!("{line} --catalog"));
    let updated = updated.arg(folder.path()).json();
    let devices = |document: &Value| {
        let results = document["results"].as_array().unwrap().iter();
        let mut devices: Vec<_> = results
            .map(|result| result["accelerator"].to_string())
            .collect();
        devices.sort_unstable();
        devices.dedup();
        devices
    };
    assert!(!devices(&answer).is_empty());
    assert_eq!(devices(&answer), devices(&updated));
}
