//! Providers with small APIs that answer only with a key: keys in files, refusals, pages and currencies.

use std::fs;
use std::net::TcpListener;

use serde_json::{Value, json};
use sky_accel_engine::asking;
use sky_accel_standin::{Fault, Service, Shop, credential};

use super::{Market, h100, has_frozen_offers};
use crate::support::texts;

const SMALL: &[(&str, Service)] = &[
    ("digitalocean", Service::DIGITALOCEAN),
    ("hyperstack", Service::HYPERSTACK),
    ("jarvislabs", Service::JARVISLABS),
    ("lambda", Service::LAMBDA),
    ("latitude", Service::LATITUDE),
    ("mithril", Service::MITHRIL),
    ("nebius", Service::NEBIUS),
    ("primeintellect", Service::PRIMEINTELLECT),
    ("sfcompute", Service::SFCOMPUTE),
];

fn answer(code: u16, content_type: &str, body: String) -> Fault {
    Fault::Status {
        code,
        body,
        content_type: content_type.to_owned(),
        headers: Vec::new(),
    }
}

/// The rows of everything that a provider sells.
fn everything(world: &Market, provider: &str) -> Value {
    let line = format!("resolve any:1GB+ --at-least --all --live -o json --provider {provider}");
    world.sky(&line).json()
}

#[test]
fn a_refusal_by_a_server_in_front_does_not_blame_the_key() {
    for &(provider, service) in SMALL {
        let world = Market::new();
        let page = "<!DOCTYPE html><html>error code: 1010</html>";
        world
            .standin
            .fault(service, answer(403, "text/html", page.to_owned()));
        let line = format!("resolve {} --provider {provider} --live", h100(provider));
        let run = world.sky(&line).run().expect_code(4);
        assert!(
            run.stderr.contains("refused the request, not the key"),
            "{}",
            run.stderr
        );
        assert!(!run.stderr.contains("1010"), "{}", run.stderr);
        // The stock is unknown, and the offers of the catalog remain.
        let remains = run.stdout.contains("not reached");
        assert_eq!(remains, has_frozen_offers(provider), "{}", run.stdout);
    }
}

#[test]
fn without_a_key_nothing_is_sent() {
    for &(provider, service) in SMALL {
        let world = Market::new();
        let mut sky = world.sky(&format!("resolve H100 --provider {provider} --live"));
        for variable in asking::key_variables() {
            sky = sky.env(variable, "");
        }
        let run = sky.run().expect_code(3);
        assert!(run.stderr.contains("no API key: set "), "{}", run.stderr);
        assert!(!run.stderr.contains("--public"), "{}", run.stderr);
        assert_eq!(world.asked(service), 0, "{provider}");
    }
}

#[test]
fn keys_in_files_of_well_known_tools_are_read() {
    let home = tempfile::tempdir().unwrap();
    let key = credential("PRIME_API_KEY");
    for (path, text) in [
        (
            ".lambda_cloud/lambda_keys",
            format!("api_key = {}\n", credential("LAMBDA_API_KEY")),
        ),
        (
            ".hyperstack/api_key",
            format!("{}\n", credential("HYPERSTACK_API_KEY")),
        ),
        (
            ".config/doctl/config.yaml",
            format!(
                "access-token: {}\ncontext: default\n",
                credential("DIGITALOCEAN_ACCESS_TOKEN")
            ),
        ),
        (
            ".config/jl/config.toml",
            format!("[auth]\ntoken = \"{}\"\n", credential("JL_API_KEY")),
        ),
        (".prime/config.json", json!({ "api_key": key }).to_string()),
        (
            ".sfcompute/config",
            json!({ "auth_token": credential("SF_API_KEY") }).to_string(),
        ),
        (
            ".config/mithril/config.yaml",
            format!(
                "current_profile: work\nprofiles:\n  work:\n    api_key: {}\n",
                credential("MITHRIL_API_KEY")
            ),
        ),
        (
            ".nebius/NEBIUS_IAM_TOKEN.txt",
            format!("{}\n", credential("NEBIUS_IAM_TOKEN")),
        ),
    ] {
        let path = home.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let world = Market::new();
    let has_file =
        |id: &&str| asking::providers().any(|api| api.id == *id && !api.key_files.is_empty());
    let providers: Vec<&str> = SMALL.iter().map(|(id, _)| *id).filter(has_file).collect();
    let count = providers.len();
    let providers = providers.join(",");
    let line = format!("resolve H100 --live -o json --provider {providers}");
    let sky = world.sky(&line).env("HOME", home.path());
    let mut sky = sky.remove_env("XDG_CONFIG_HOME");
    for variable in asking::key_variables() {
        sky = sky.remove_env(variable);
    }
    let answer = sky.json();
    let answers = answer["live"].as_array().unwrap();
    assert_eq!(answers.len(), count);
    for one in answers {
        assert_eq!(
            (&one["source"], &one["access"]),
            (&json!("live"), &json!("key")),
            "{one}"
        );
    }
}

#[test]
fn all_pages_are_read() {
    let mut shop = Shop::default();
    shop.digitalocean.page_size = 3;
    shop.primeintellect.page_size = 3;
    let paged = Market::with(shop);
    for (provider, service) in [
        ("digitalocean", Service::DIGITALOCEAN),
        ("primeintellect", Service::PRIMEINTELLECT),
    ] {
        let world = Market::new();
        let whole = everything(&world, provider);
        assert_eq!(world.asked(service), 1, "{provider}");
        let of_pages = everything(&paged, provider);
        assert_eq!(paged.asked(service), 4, "{provider}");
        let ids = texts(&whole, "/instance_type");
        assert!(ids.len() >= 6, "{ids:?}");
        assert_eq!(ids, texts(&of_pages, "/instance_type"));
        assert_eq!(of_pages["live"][0]["complete"], true);
    }
}

#[test]
fn a_list_that_ends_early_is_incomplete() {
    let empty = json!({ "items": [], "totalCount": 10 }).to_string();
    for fault in [
        Fault::ServerError,
        answer(200, "application/json", empty.clone()),
    ] {
        let mut shop = Shop::default();
        shop.primeintellect.page_size = 4;
        let world = Market::with(shop);
        world
            .standin
            .fault_where(Service::PRIMEINTELLECT, "page=2", fault);
        let line = "resolve H100 --at-least --live -o json --provider primeintellect";
        let run = world.sky(line).run().expect_code(5);
        let answer: Value = serde_json::from_str(&run.stdout).expect("JSON");
        assert_eq!(answer["live"][0]["complete"], false);
        assert!(run.stdout.contains("nebius__8xH100"), "{}", run.stdout);
    }
    // The last page has no link to another one, but fewer rows than the list has.
    let mut shop = Shop::default();
    shop.digitalocean.page_size = 3;
    let world = Market::with(shop.clone());
    let last =
        json!({ "sizes": shop.digitalocean.sizes[3..4], "links": {}, "meta": { "total": 100 } });
    let fault = answer(200, "application/json", last.to_string());
    world.standin.fault(Service::DIGITALOCEAN, fault);
    let line = "resolve any:1GB+ --at-least --live --provider digitalocean";
    let run = world.sky(line).run().expect_code(5);
    let message = "its list ends after 1 of 100 rows";
    assert!(run.stderr.contains(message), "{}", run.stderr);
    // An empty list does not mean that nothing is in stock.
    let world = Market::new();
    let nothing = json!({ "items": [], "totalCount": 0 }).to_string();
    world.standin.fault(
        Service::PRIMEINTELLECT,
        answer(200, "application/json", nothing),
    );
    let line = "resolve H100 --at-least --live --provider primeintellect";
    let run = world.sky(line).run().expect_code(4);
    assert!(run.stdout.contains("not reached"), "{}", run.stdout);
}

#[test]
fn a_page_on_another_server_gets_no_key() {
    let stranger = TcpListener::bind("127.0.0.1:0").unwrap();
    stranger.set_nonblocking(true).unwrap();
    let next = format!("http://{}/v2/sizes?page=2", stranger.local_addr().unwrap());
    let sizes = Shop::default().digitalocean.sizes;
    let body = json!({ "sizes": sizes, "links": { "pages": { "next": next } } });
    let world = Market::new();
    world.standin.fault(
        Service::DIGITALOCEAN,
        answer(200, "application/json", body.to_string()),
    );
    let line = "resolve H100 --at-least --live --provider digitalocean";
    let run = world.sky(line).run().expect_code(5);
    assert!(run.stderr.contains("on another server"), "{}", run.stderr);
    assert!(run.stdout.contains("gpu-h100x8-640gb"), "{}", run.stdout);
    assert!(stranger.accept().is_err(), "the stranger got a request");
}

#[test]
fn amounts_are_in_the_currency_of_the_account() {
    let mut shop = Shop::default();
    shop.jarvislabs.charges_rupees = true;
    for row in &mut shop.jarvislabs.gpus {
        row["price_per_hour"] = json!(row["price_per_hour"].as_f64().unwrap() * 85.0);
    }
    let line = "resolve H100:x8 --live -o json --provider jarvislabs";
    let answer = Market::with(shop).sky(line).json();
    let price = &answer["results"][0]["on_demand"];
    assert_eq!(price["currency"]["code"], "INR", "{answer}");
    let usd = price["usd_per_hour"].as_f64().expect("an amount");
    assert!((8.0..60.0).contains(&usd), "{usd} is in rupees");
    // Without the currency, an amount means nothing.
    let world = Market::new();
    let (service, needle) = (Service::JARVISLABS, "/misc/");
    world
        .standin
        .fault_where(service, needle, Fault::ServerError);
    let run = world.sky(line).run().expect_code(4);
    assert!(!run.stdout.contains("\"kind\": \"live\""), "{}", run.stdout);
}

#[test]
fn machines_of_latitude_are_counted_by_site() {
    let world = Market::new();
    let answer = |nodes: u32| {
        let line = format!("resolve H100:x8 --live -o json --provider latitude --nodes {nodes}");
        world.sky(&line).json()["results"][0].clone()
    };
    let offer = answer(3);
    assert_eq!(offer["instance_type"], "g4.h100.large", "{offer}");
    assert_eq!(offer["availability"], "available");
    assert_eq!(offer["on_demand"]["usd_per_hour"], 18.5);
    assert_eq!(offer["regions"], json!(["DAL", "NYC", "FRA"]));
    let records = offer["obtainability"].as_array().unwrap();
    let stock = |region: &str| {
        let mut records = records.iter();
        let record = records.find(|record| record["place"]["region"] == region);
        let record = record.unwrap();
        (
            record["state_for_request"].clone(),
            record["count"]["value"].clone(),
        )
    };
    assert_eq!(stock("DAL"), (json!("available"), json!(3)));
    assert_eq!(stock("FRA"), (json!("unavailable"), Value::Null));
    // Three machines in stock are not four.
    assert_eq!(answer(4)["availability"], "unavailable");
    let line = "resolve H100:x8 --live --provider latitude --nodes 4 -o wide";
    let table = world.sky(line).run().stdout;
    assert!(table.contains("too few"), "{table}");
    assert!(table.contains("only 3"), "{table}");
    // An amount in a currency without a known rate is left out.
    let line = "resolve L40S:x4 --live -o json --provider latitude";
    let answer = world.sky(line).json();
    assert!(answer["results"][0]["on_demand"].is_null(), "{answer}");
    assert!(answer["notes"].to_string().contains("currency"), "{answer}");
}

#[test]
fn auctions_of_mithril_have_a_spot_price_and_free_machines() {
    let world = Market::new();
    let line = "resolve H100:x8 --capacity-type spot --live -o json --provider mithril";
    let offer = world.sky(line).json()["results"][0].clone();
    assert_eq!(offer["instance_type"], "h100-80gb.sxm.8x", "{offer}");
    assert_eq!(offer["availability"], "available");
    let spot = &offer["spot"];
    assert_eq!(
        (&spot["usd_per_hour"], &spot["kind"]),
        (&json!(16), &json!("live"))
    );
    let sold_out = "resolve A100:80GB:x8 --capacity-type spot --live -o json --provider mithril";
    let offer = world.sky(sold_out).json()["results"][0].clone();
    assert_eq!(offer["availability"], "unavailable", "{offer}");
    let line =
        "watch A100:80GB:x8 --capacity-type spot --provider mithril --interval 5s --timeout 1s";
    let _ = world.sky(line).run().expect_code(1);
    // Auctions are of spot machines.
    let line = "watch A100:80GB:x8 --provider mithril --interval 5s --timeout 5s";
    let run = world.sky(line).run().expect_code(2);
    let message = "mithril does not report the stock of on-demand machines";
    assert!(run.stderr.contains(message), "{}", run.stderr);
}

#[test]
fn quotas_of_mithril_are_those_of_a_project() {
    let world = Market::new();
    let rows = |line: &str, code: i32| -> Value {
        let line = format!("quota {line} --capacity-type spot --provider mithril -o json");
        let run = world.sky(&line).run().expect_code(code);
        let answer: Value = serde_json::from_str(&run.stdout).expect("JSON");
        answer["results"].clone()
    };
    let h100 = rows("H100:x8", 0);
    let spot = &h100[0];
    assert_eq!(
        (&spot["capacity_type"], &spot["limit"], &spot["used"]),
        (&json!("spot"), &json!(4), &json!(1)),
        "{h100}"
    );
    assert_eq!(
        (&spot["machines_left"], &spot["admits"]),
        (&json!(3), &json!(true))
    );
    let a100 = rows("A100:80GB:x8", 1);
    let page = a100[0]["raise"]["url"].as_str().expect("a page");
    assert!(page.starts_with("https://docs.mithril.ai/"), "{a100}");
    // Prices and stock do not depend on the quotas.
    let line = "resolve H100:x8 --capacity-type spot --check-quota --live --provider mithril";
    let run = world.sky(line).remove_env("MITHRIL_PROJECT").run();
    let run = run.expect_code(0);
    assert!(
        run.stderr.contains("set MITHRIL_PROJECT, or `project_id`"),
        "{}",
        run.stderr
    );
    let fault = Fault::ServerError;
    world
        .standin
        .fault_where(Service::MITHRIL, "/v2/quotas", fault);
    let run = world.sky(&format!("{line} --refresh")).run();
    let run = run.expect_code(5);
    assert!(run.stdout.contains("16.00"), "{}", run.stdout);
}

#[test]
fn unplaced_rows_are_counted_and_never_shown() {
    let mut shop = Shop::default();
    shop.latitude.plans.push(json!({
        "slug": "g9", "name": "g9.large",
        "specs": {"gpu": {"count": 8, "type": null, "vram_per_gpu": 80}},
        "regions": [{"locations": {"available": ["DAL"]}, "pricing": {"USD": {"hour": 9}}}],
    }));
    shop.mithril.auctions.push(json!({
        "fid": "auc_9", "instance_type": "it_unlisted", "region": "us-central9-a", "capacity": 9,
        "last_instance_price": "$9.00",
    }));
    let world = Market::with(shop);
    for (provider, raw) in [("latitude", "g9.large"), ("mithril", "us-central9-a")] {
        let answer = everything(&world, provider);
        let results = answer["results"].to_string();
        assert!(!results.contains(raw), "{results}");
        let notes = answer["notes"].to_string();
        assert!(notes.contains("1 unreadable"), "{notes}");
        // The GPU that the catalog does not know is named in a note.
        assert!(!results.contains("X900"), "{results}");
        assert!(notes.contains("X900"), "{notes}");
    }
}

#[test]
fn stock_is_that_of_the_listed_regions() {
    let world = Market::new();
    let answer = everything(&world, "lambda,hyperstack,digitalocean");
    let rows = answer["results"].as_array().unwrap();
    let stock = |id: &str| {
        let mut rows = rows.iter();
        let row = rows.find(|row| row["instance_type"] == id);
        let row = row.unwrap_or_else(|| panic!("no {id}"));
        (row["availability"].clone(), row["regions"].clone())
    };
    let (yes, no) = (json!("available"), json!("unavailable"));
    assert_eq!(
        stock("gpu_8x_h100_sxm5"),
        (yes.clone(), json!(["us-east-1", "us-south-2"]))
    );
    assert_eq!(stock("gpu_1x_h100_sxm5").0, no);
    assert_eq!(stock("gpu-h100x8-640gb"), (yes.clone(), json!(["nyc2"])));
    assert_eq!(stock("gpu-h200x1-141gb").0, no);
    assert_eq!(stock("gpu-l40sx1-48gb").0, no);
    assert_eq!(stock("n3-H100-SXM5x8").0, yes);
    assert_eq!(stock("n3-H100x8").0, no);
}
