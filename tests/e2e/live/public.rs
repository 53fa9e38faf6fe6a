//! Requests without keys: which providers answer, their notes, and that no unnecessary key is sent.

use std::fs;
use std::thread;

use jiff::{Timestamp, ToSpan as _};
use serde_json::{Value, json};
use sky_accel_standin::{Fault, Recorded, Service, Shop, Standin, credential};
use tempfile::TempDir;

use super::Market;
use super::credentials::SECRETS;
use crate::support::{Run, Sky, sky_line, texts};

/// Providers that need no key, with the service that gets their first request, and something
/// that each of them sells.
pub const PUBLIC: &[(&str, Service, &str)] = &[
    ("aws", Service::AWS_FEED, "H100"),
    ("azure", Service::AZURE, "H100"),
    ("cloudrift", Service::CLOUDRIFT, "RTX4090"),
    ("linode", Service::LINODE, "RTX4000-Ada"),
    ("lium", Service::LIUM, "H200"),
    ("oci", Service::OCI, "H100"),
    ("ovhcloud", Service::OVHCLOUD, "H100"),
    ("scaleway", Service::SCALEWAY, "H100"),
    ("vultr", Service::VULTR, "A100"),
];

/// `sky-accel` for a user without accounts.
pub fn without_keys(world: &Market, line: &str) -> Sky {
    let sky = sky_line(line).env("XDG_CACHE_HOME", world.cache.path());
    let urls = world.standin.urls().into_iter();
    let sky = urls.fold(sky, |sky, (name, value)| sky.env(name, value));
    sky.env("AWS_EC2_METADATA_DISABLED", "true")
}

fn answers(answer: &Value) -> Vec<&Value> {
    answer["live"].as_array().expect("answers").iter().collect()
}

/// The answer of a provider.
fn of<'a>(answer: &'a Value, provider: &str) -> &'a Value {
    let answers = answers(answer);
    let one = answers.iter().find(|one| one["provider"] == provider);
    one.unwrap_or_else(|| panic!("{provider} has no note"))
}

#[test]
fn current_prices_need_no_account() {
    let world = Market::new();
    let run = without_keys(&world, "resolve H100 --at-least --live -o json")
        .run()
        .expect_code(0);
    assert_eq!(run.stderr, "");
    let answer: Value = serde_json::from_str(&run.stdout).expect("JSON");
    for (provider, ..) in PUBLIC.iter().chain(&[("verda", Service::VERDA, "H100")]) {
        let one = of(&answer, provider);
        assert_eq!(
            (&one["source"], &one["access"]),
            (&json!("live"), &json!("public")),
            "{one}"
        );
        assert_eq!(one["complete"], true, "{one}");
    }
    for provider in ["azure", "oci", "ovhcloud", "scaleway", "verda", "aws"] {
        let mut results = answer["results"].as_array().expect("results").iter();
        let offer = results.find(|offer| offer["provider"] == provider);
        let offer = offer.unwrap_or_else(|| panic!("nothing of {provider}"));
        let price = [&offer["on_demand"], &offer["spot"]]
            .into_iter()
            .find(|price| !price.is_null());
        assert_eq!(price.expect("a price")["kind"], "live", "{offer}");
    }
    // Providers with unclear terms get no request; prices of the catalog replace live prices, with their dates.
    for provider in ["runpod", "vastai"] {
        let one = of(&answer, provider);
        assert_eq!(one["source"], "catalog");
        assert_eq!(one["errors"][0]["code"], "provider.credentials-missing");
    }
    assert_eq!(world.asked(Service::RUNPOD) + world.asked(Service::VAST), 0);
    let notes = answer["notes"].to_string();
    assert!(
        notes.contains("stock and locations need a key: set VERDA_CLIENT_ID"),
        "{notes}"
    );
    assert_eq!(world.standin.attempted_writes(), 0);
}

#[test]
fn stock_regions_and_currencies_match_the_provider() {
    let world = Market::new();
    let answer = without_keys(&world, "resolve H100 --provider scaleway --live -o json").json();
    let offer = &answer["results"][0];
    assert_eq!(offer["on_demand"]["currency"]["code"], "EUR", "{offer}");
    assert_ne!(offer["availability"], "unknown", "{offer}");
    let answer = without_keys(&world, "resolve A100:40GB --provider verda --live -o json").json();
    assert!(
        answer["results"]
            .as_array()
            .unwrap()
            .iter()
            .all(|offer| offer["availability"] == "unknown")
    );
    // The answer has no regions, so the regions of the catalog are used.
    let regions = |offer: &Value| offer["regions"].to_string();
    assert!(
        answer["results"]
            .as_array()
            .unwrap()
            .iter()
            .any(|offer| regions(offer).contains("FIN-03"))
    );
    let line =
        "resolve H100:x8 --provider aws --capacity-type spot --region us-east-1 --live -o json";
    let answer = without_keys(&world, line).json();
    let spot = &answer["results"][0]["spot"];
    assert_eq!(
        (&spot["kind"], &spot["region"]),
        (&json!("live"), &json!("us-east-1")),
        "{spot}"
    );
    assert!(spot["interruption_rate"].is_string(), "{spot}");
}

fn table() -> Vec<(Fault, Option<&'static str>)> {
    let redirect = Fault::Redirect("http://127.0.0.1:9/elsewhere".to_owned());
    vec![
        (Fault::Unauthorized, Some("although this needs no key")),
        (Fault::Forbidden, Some("although this needs no key")),
        (Fault::ServerError, Some("HTTP 50")),
        (Fault::Html, Some("the answer")),
        (Fault::Empty, Some("the answer")),
        (Fault::Truncated, Some("did not finish")),
        (Fault::WrongTypes, Some("answer")),
        (Fault::Nulls, Some("answer")),
        (Fault::Endless, Some("larger than")),
        (Fault::Trickle, Some("no complete answer")),
        (Fault::Silence, Some("no complete answer")),
        (Fault::Close, Some("connection closed")),
        (redirect, Some("redirect, which is not followed")),
        (Fault::TooMany { retry_after: None }, Some("")),
        (Fault::UnknownValues, None),
        (Fault::Hostile, None),
        (Fault::EchoSecrets, Some("HTTP 400")),
    ]
}

#[test]
fn faults_are_reported_and_never_read_as_sold_out() {
    let cells: Vec<_> = PUBLIC
        .iter()
        .map(|(provider, service, accelerator)| {
            thread::spawn(move || {
                for (fault, said) in table() {
                    let world = Market::new();
                    world.standin.fault(*service, fault.clone());
                    let slow = matches!(fault, Fault::Trickle | Fault::Silence);
                    let seconds = if slow { 2 } else { 20 };
                    let line = format!("resolve {accelerator} --at-least --provider {provider} --live --timeout {seconds} -v");
                    let run = without_keys(&world, &line).memory_limit_mib(2048).run();
                    let context = format!("{provider} {fault:?}: {}{}", run.stdout, run.stderr);
                    let Some(said) = said else {
                        assert_eq!(run.code, 0, "{context}");
                        assert!(!run.stdout.contains('\u{1b}'), "{context}");
                        continue;
                    };
                    assert_eq!(run.code, 4, "{context}");
                    let mut rows = run.stdout.lines().skip(1);
                    assert!(rows.all(|row| row.contains("not reached")), "{context}");
                    let begins = format!("error: {provider}: ");
                    let line = run.stderr.lines().find(|line| line.starts_with(&begins));
                    assert!(line.is_some_and(|line| line.contains(said)), "{context}");
                }
            })
        })
        .collect();
    for cell in cells {
        cell.join().expect("every cell holds");
    }
}

#[test]
fn retry_after_is_respected() {
    for (provider, service, accelerator) in PUBLIC {
        for fault in [
            Fault::TooMany {
                retry_after: Some(1),
            },
            Fault::ServerError,
            Fault::Close,
        ] {
            let world = Market::new();
            world.standin.fault_times(*service, fault.clone(), 1);
            let line = format!("resolve {accelerator} --at-least --provider {provider} --live");
            let run = without_keys(&world, &line).run();
            assert_eq!(run.code, 0, "{provider} {fault:?}: {}", run.stderr);
        }
    }
}

/// Returns true for a request to the API of an account of a provider with public prices.
fn is_of_account(request: &Recorded) -> bool {
    let starts = [
        "/subscriptions/",
        "/standin-azure-tenant/oauth2/",
        "/providers/Microsoft.ResourceGraph/",
        "/v2/regions/",
        "/iam/",
        "/2016",
        "/2019",
    ];
    starts.iter().any(|start| request.path.starts_with(start))
}

#[test]
fn no_key_is_sent_where_none_is_needed() {
    let world = Market::new();
    // Every variable is set, and every file.
    let home = TempDir::new().unwrap();
    for (path, text) in [
        (
            ".runpod/config.toml",
            format!("apiKey = '{}'\n", credential("RUNPOD_API_KEY")),
        ),
        (".vast_api_key", credential("VAST_API_KEY").to_owned()),
        (
            ".netrc",
            format!("default login a password {}\n", credential("VAST_API_KEY")),
        ),
        (
            ".config/scw/config.yaml",
            format!("secret_key: {}\n", credential("VAST_API_KEY")),
        ),
        (
            ".aws/credentials",
            format!(
                "[default]\naws_access_key_id = {}\naws_secret_access_key = {}\n",
                credential("AWS_ACCESS_KEY_ID"),
                credential("AWS_SECRET_ACCESS_KEY")
            ),
        ),
    ] {
        let path = home.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    let mut sky = world
        .sky("resolve H100 --live --public")
        .env("HOME", home.path());
    for variable in ["SCW_SECRET_KEY", "LINODE_TOKEN", "HF_TOKEN"] {
        sky = sky.env(variable, credential("VAST_API_KEY"));
    }
    let _ = sky.run().expect_code(0);
    let requests = world.standin.requests();
    let services: Vec<Service> = PUBLIC.iter().map(|(_, service, _)| *service).collect();
    let public: Vec<_> = requests
        .iter()
        .filter(|request| services.contains(&request.service) && !is_of_account(request))
        .collect();
    assert!(public.len() > services.len(), "{}", public.len());
    for request in public {
        let mut sent = vec![request.path.clone(), request.body.clone()];
        for (name, value) in &request.headers {
            assert!(
                !["authorization", "cookie", "x-api-key", "x-auth-token"].contains(&&**name),
                "{name}: {value}"
            );
            sent.push(value.clone());
        }
        for secret in SECRETS.iter() {
            assert!(
                sent.iter().all(|text| !text.contains(secret)),
                "{request:?}"
            );
        }
        assert!(
            request
                .header("user-agent")
                .is_some_and(|agent| agent.starts_with("sky-accel/"))
        );
    }
}

#[test]
fn unchanged_answers_are_not_downloaded_again() {
    let world = Market::new();
    let line = "resolve H100 --provider azure,oci,scaleway --live -o json";
    let first = without_keys(&world, line).json();
    let first_requests = world.standin.requests().len();
    // A repeated query within minutes sends no request.
    let again = without_keys(&world, line).json();
    assert_eq!(world.standin.requests().len(), first_requests);
    assert_eq!(of(&again, "azure")["source"], "cache");
    let fresh = without_keys(&world, &format!("{line} --refresh")).json();
    let requests = world.standin.requests();
    assert_eq!(requests.len(), 2 * first_requests);
    for request in &requests[first_requests..] {
        assert!(request.header("if-none-match").is_some(), "{request:?}");
    }
    assert_eq!(
        fresh["results"].as_array().map(Vec::len),
        first["results"].as_array().map(Vec::len)
    );
    assert_eq!(of(&fresh, "azure")["source"], "live");
    // A truncated cache file is fetched again.
    for file in fs::read_dir(world.cache.path().join("sky-accel"))
        .unwrap()
        .flatten()
    {
        let bytes = fs::read(file.path()).unwrap();
        fs::write(file.path(), &bytes[..bytes.len() / 2]).unwrap();
    }
    let _ = without_keys(&world, line).run().expect_code(0);
    assert!(world.standin.requests().len() > 2 * first_requests);
}

#[test]
fn unreadable_answers_are_not_cached() {
    let world = Market::new();
    let line = "resolve H200 --provider lium --live";
    world.standin.fault_times(Service::LIUM, Fault::Html, 1);
    let _ = without_keys(&world, line).run().expect_code(4);
    let _ = without_keys(&world, line).run().expect_code(0);
    // The last good answer stays for offline use.
    world.standin.fault(Service::LIUM, Fault::Html);
    let refreshed = format!("{line} --refresh");
    let _ = without_keys(&world, &refreshed).run().expect_code(4);
    let offline = format!("{line} --offline");
    let _ = without_keys(&world, &offline).run().expect_code(0);
}

#[test]
fn price_of_zero_is_unknown_and_not_an_end_of_sale() {
    let mut shop = Shop::default();
    for addon in &mut shop.ovhcloud.euro {
        addon["pricings"][0]["price"] = json!(0);
    }
    let world = Market::with(shop);
    let line = "resolve A100 --provider ovhcloud --live -o json";
    let answer = without_keys(&world, line).json();
    let offer = &answer["results"][0];
    assert_eq!(offer["on_demand"]["kind"], "list", "{answer}");
    let notes = answer["notes"].to_string();
    assert!(notes.contains("the catalog's prices are shown"), "{notes}");
}

#[test]
fn answer_without_a_valid_row_is_a_failure() {
    let mut shop = Shop::default();
    for addon in &mut shop.ovhcloud.euro {
        addon["blobs"]["commercial"]["brick"] = json!("compute");
    }
    for plan in shop.vultr.plans.iter_mut().chain(&mut shop.vultr.metal) {
        plan["gpu_type"] = Value::Null;
    }
    for kind in &mut shop.linode.types {
        kind["class"] = json!("dedicated");
    }
    for kind in &mut shop.cloudrift.instance_types {
        for variant in kind["variants"].as_array_mut().expect("variants") {
            variant["gpu_count"] = json!(0);
        }
    }
    for (_, kind) in &mut shop.scaleway.types {
        kind["gpu"] = json!(0);
    }
    let world = Market::with(shop);
    for provider in ["ovhcloud", "vultr", "linode", "cloudrift", "scaleway"] {
        let line = format!("resolve any:1GB+ --provider {provider} --live");
        let run = without_keys(&world, &line).run().expect_code(4);
        assert!(
            run.stderr.contains("is a machine with GPUs"),
            "{}",
            run.stderr
        );
    }
}

#[test]
fn lists_of_many_pages_are_read_to_their_end() {
    let unpaged = without_keys(
        &Market::new(),
        "resolve H100|A100 --provider azure,linode,oci --at-least --live -o json",
    )
    .json();
    let mut shop = Shop::default();
    shop.azure.page_size = 3;
    shop.oci.page_size = Some(2);
    let world = Market::with(shop);
    let paged = without_keys(
        &world,
        "resolve H100|A100 --provider azure,linode,oci --at-least --live -o json",
    )
    .json();
    let ids = |answer: &Value| {
        let mut ids: Vec<String> = texts(answer, "/instance_type")
            .into_iter()
            .map(str::to_owned)
            .collect();
        ids.sort();
        ids
    };
    assert!(!ids(&unpaged).is_empty());
    assert_eq!(ids(&paged), ids(&unpaged));
    assert!(
        world.asked(Service::AZURE) > 3,
        "{}",
        world.asked(Service::AZURE)
    );
}

fn days_ago(days: i64) -> Timestamp {
    Timestamp::now() - (days * 24).hours()
}

#[test]
fn frozen_feed_is_rejected() {
    for (provider, freeze) in [
        (
            "lium",
            (|shop| shop.lium.generated_at = days_ago(3)) as fn(&mut Shop),
        ),
        ("oci", |shop| shop.oci.last_updated = days_ago(400)),
        ("aws", |shop| {
            shop.awsfeed.published = days_ago(200);
            shop.awsfeed.spot_modified = days_ago(560);
        }),
    ] {
        let mut shop = Shop::default();
        freeze(&mut shop);
        let world = Market::with(shop);
        let run = without_keys(
            &world,
            &format!("resolve H200|H100 --provider {provider} --live"),
        )
        .run();
        let run = run.expect_code(4);
        assert!(
            run.stderr.contains("has not been updated since 202"),
            "{provider}: {}",
            run.stderr
        );
    }
    // One of two feeds may be current.
    let mut shop = Shop::default();
    shop.awsfeed.spot_modified = days_ago(3);
    let world = Market::with(shop);
    let run = without_keys(&world, "resolve H100:x8 --provider aws --live -o json")
        .run()
        .expect_code(5);
    let answer: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(of(&answer, "aws")["errors"][0]["code"], "provider.frozen");
    assert_eq!(answer["results"][0]["on_demand"]["kind"], "live");
}

#[test]
fn a_price_far_from_the_known_one_is_left_out() {
    let mut shop = Shop::default();
    for row in &mut shop.azure.meters {
        if row["armSkuName"] == "Standard_ND96isr_H100_v5" {
            row["retailPrice"] = json!(9.83);
        }
    }
    let world = Market::with(shop);
    let answer = without_keys(&world, "resolve H100:x8 --provider azure --live -o json").json();
    let notes = answer["notes"].to_string();
    assert!(
        notes.contains("several times above or below the known price"),
        "{notes}"
    );
    // The offer remains, with the price of the catalog.
    let offer = &answer["results"][0];
    assert_eq!(offer["on_demand"]["kind"], "list", "{offer}");
    assert!(offer["on_demand"]["usd_per_hour"].as_f64().unwrap() > 50.0);
}

#[test]
fn unclear_terms_need_the_consent_of_the_user() {
    for (provider, service) in [("runpod", Service::RUNPOD), ("vastai", Service::VAST)] {
        let mut shop = Shop::default();
        shop.vast.anonymous_reads = true;
        let world = Market::with(shop);
        let line = format!("resolve H100 --provider {provider} --live");
        let run = without_keys(&world, &line).run().expect_code(3);
        assert!(run.stderr.contains("terms"), "{}", run.stderr);
        let answer = without_keys(&world, &format!("{line} --public -o json")).json();
        assert_eq!(of(&answer, provider)["access"], "public");
        assert!(!answer["results"].as_array().unwrap().is_empty());
        for request in world
            .standin
            .requests()
            .iter()
            .filter(|request| request.service == service)
        {
            assert!(request.header("authorization").is_none());
        }
        // The consent can also be in the config file.
        let config = world.cache.path().join("config.toml");
        fs::write(&config, format!("[live]\npublic = [\"{provider}\"]\n")).unwrap();
        let run = without_keys(&world, &line)
            .env("SKY_ACCEL_CONFIG", &config)
            .run();
        let _ = run.expect_code(0);
        // A key takes precedence.
        let keyed = world
            .sky(&format!("{line} --public --refresh -o json"))
            .json();
        assert_eq!(of(&keyed, provider)["access"], "key");
    }
}

#[test]
fn runpod_stock_by_region_follows_from_prices() {
    for told in [false, true] {
        let mut shop = Shop::default();
        shop.runpod.anonymous_availability = told;
        let world = Market::with(shop);
        let line = "resolve H100:x8 --provider runpod --live --public -o json";
        let public = without_keys(&world, line).json();
        let keyed = world
            .sky("resolve H100:x8 --provider runpod --live --refresh -o json")
            .json();
        assert_eq!(
            texts(&public, "/instance_type"),
            texts(&keyed, "/instance_type"),
            "{told}"
        );
        for (a, b) in public["results"]
            .as_array()
            .unwrap()
            .iter()
            .zip(keyed["results"].as_array().unwrap())
        {
            assert_eq!(a["availability"], b["availability"], "{told}: {a} {b}");
            assert_eq!(
                a["on_demand"]["usd_per_hour"],
                b["on_demand"]["usd_per_hour"]
            );
        }
    }
}

#[test]
fn consent_comes_only_from_the_user() {
    let world = Market::new();
    let folder = TempDir::new().unwrap();
    let project = folder.path().join("sky-accel.toml");
    let run = |text: &str| -> Run {
        fs::write(&project, text).unwrap();
        let line = "resolve H100 --provider runpod --live";
        without_keys(&world, line).folder(folder.path()).run()
    };
    let refused = run("[live]\npublic = [\"runpod\"]\n").expect_code(6);
    assert!(
        refused.stderr.contains("only in your own config file"),
        "{}",
        refused.stderr
    );
    assert!(world.standin.requests().is_empty());
    let config = folder.path().join("config.toml");
    fs::write(&config, "[live]\npublic = [\"runpodd\"]\n").unwrap();
    let run = without_keys(&world, "resolve H100")
        .env("SKY_ACCEL_CONFIG", &config)
        .run()
        .expect_code(6);
    assert!(
        run.stderr.contains("config.toml:2:") && run.stderr.contains("runpod, vastai"),
        "{}",
        run.stderr
    );
}

#[test]
fn plans_need_no_keys() {
    let world = Market::new();
    let line = "plan H100:x8 --to skypilot --live -o json";
    let run = without_keys(&world, line).run().expect_code(0);
    let answer: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(of(&answer, "aws")["access"], "public");
    assert_eq!(of(&answer, "runpod")["source"], "catalog");
    // A group names no single provider.
    let line = "resolve H100 --provider neoclouds --live -o json";
    let _ = without_keys(&world, line).run().expect_code(0);
}

#[test]
fn failed_source_affects_only_itself() {
    let standin = Standin::start();
    standin.fault(Service::AZURE, Fault::Html);
    let world = Market {
        standin,
        cache: TempDir::new().unwrap(),
    };
    let run = without_keys(&world, "resolve H100 --live -o json")
        .run()
        .expect_code(5);
    let answer: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(of(&answer, "azure")["source"], "failed");
    assert_eq!(of(&answer, "oci")["source"], "live");
    let rows = answer["results"].as_array().unwrap().iter();
    let mut rows = rows.filter(|row| row["provider"] == "azure").peekable();
    assert!(rows.peek().is_some());
    assert!(rows.all(|row| row["reasons"].to_string().contains("not-reached")));
}

#[test]
fn offers_of_a_failed_part_stay() {
    let world = Market::new();
    let fault = Fault::Forbidden;
    world
        .standin
        .fault_where(Service::VULTR, "plans-metal", fault);
    let line = "resolve any:1GB+:x8 --provider vultr --live --all -o json";
    let answer = without_keys(&world, line).run().expect_code(5);
    let answer: Value = serde_json::from_str(&answer.stdout).expect("JSON");
    let rows = answer["results"].as_array().expect("results");
    let metal = |row: &&Value| {
        let id = row["instance_type"].as_str().unwrap_or_default();
        id.starts_with("vbm-")
    };
    let metal = rows.iter().find(metal).expect("what the catalog has");
    assert_eq!(metal["on_demand"]["kind"], "list", "{metal}");
}

#[test]
fn type_without_a_price_keeps_the_catalog_price() {
    let mut shop = Shop::default();
    for row in &mut shop.verda.types {
        row["price_per_hour"] = json!("0");
        row["spot_price"] = json!("0");
    }
    let world = Market::with(shop);
    let line = "resolve H100:x8 --provider verda --live -o json";
    let answer = without_keys(&world, line).json();
    let price = &answer["results"][0]["on_demand"];
    assert_eq!(price["kind"], "list", "{price}");
}

#[test]
fn impossible_figures_do_not_break_an_update() {
    let mut shop = Shop::default();
    shop.linode.types.iter_mut().for_each(|row| {
        row["vcpus"] = json!(0.05);
        row["memory"] = json!(1e308);
    });
    let (world, folder) = (Market::with(shop), TempDir::new().unwrap());
    let run = without_keys(&world, "catalog update --provider linode,vultr --into");
    let run = run.remove_env("SKY_ACCEL_TODAY").arg(folder.path());
    run.run().expect_code(0);
    for file in ["live-linode.toml", "live-vultr.toml"] {
        assert!(folder.path().join(file).exists(), "{file}");
    }
    let verify = sky_line("catalog verify").arg(folder.path());
    verify.remove_env("SKY_ACCEL_TODAY").run().expect_code(0);
}
