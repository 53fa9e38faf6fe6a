//! The fault table: every kind of wrong answer, for every provider.

use std::collections::BTreeMap;
use std::thread;

use serde_json::Value;
use sky_accel_standin::{Fault, Service, Shop};

use super::{Market, PROVIDERS, STOCK_ONLY, h100, has_frozen_offers, providers};
use crate::support::{Run, texts};

/// The expected outcome of a fault.
enum Expect {
    /// The exit code, and a part of the error.
    Fails(i32, String),
    /// Results, as without the fault.
    Answers,
}
use Expect::Answers;

/// Returns a failure with an exit code and a part of its error.
fn fails(code: i32, error: &str) -> Expect {
    Expect::Fails(code, error.to_owned())
}

/// Returns the faults and their expected outcomes for a provider.
fn table(provider: &str) -> Vec<(Fault, Expect)> {
    let redirect = Fault::Redirect("http://127.0.0.1:9/elsewhere".to_owned());
    let too_many = |retry_after| {
        (
            Fault::TooMany { retry_after },
            fails(4, "too many requests"),
        )
    };
    let mut table = vec![
        (Fault::Unauthorized, fails(3, "refused")),
        (Fault::Forbidden, fails(3, "lacks permission")),
        too_many(None),
        too_many(Some(1)),
        (Fault::DailyQuota, fails(4, "too many requests")),
        (Fault::ServerError, fails(4, "HTTP 500")),
        (Fault::Html, fails(4, "answer")),
        (Fault::Empty, fails(4, "answer")),
        (Fault::Truncated, fails(4, "did not finish")),
        (Fault::WrongTypes, fails(4, "can be read")),
        (Fault::Nulls, fails(4, "can be read")),
        (Fault::Endless, fails(4, "larger than")),
        (Fault::Trickle, fails(4, "no complete answer")),
        (Fault::Silence, fails(4, "no complete answer")),
        (Fault::Close, fails(4, "connection closed")),
        (redirect, fails(4, "redirect, which is not followed")),
        (Fault::ExpiredToken, fails(3, "refused")),
        (Fault::UnknownValues, Answers),
        (
            Fault::EchoSecrets,
            fails(4, &format!("{provider}: HTTP 400")),
        ),
    ];
    for (fault, expect) in exceptions(provider) {
        let row = table.iter_mut().find(|(other, _)| *other == fault);
        row.expect("a fault of the table").1 = expect;
    }
    table
}

/// Returns the outcomes that differ from the common ones.
fn exceptions(provider: &str) -> Vec<(Fault, Expect)> {
    match provider {
        // The errors are those of the SDK.
        "aws" => vec![
            (Fault::Forbidden, fails(3, "may not call")),
            (Fault::Html, fails(4, "not what AWS documents")),
            (Fault::Empty, fails(4, "not what AWS documents")),
            (Fault::Truncated, fails(4, "cannot be read")),
            (Fault::WrongTypes, fails(4, "not what AWS documents")),
            (Fault::Nulls, fails(4, "no list of regions")),
            (Fault::Endless, fails(4, "cannot be read")),
        ],
        "gcp" => vec![(Fault::Forbidden, fails(3, "may not do this"))],
        // A connection of HTTP/2 outlives a failed request.
        "nebius" => vec![(Fault::Close, fails(4, "stream error"))],
        // These report a daily quota.
        "runpod" | "vastai" => vec![
            (Fault::DailyQuota, fails(4, "daily limit of")),
            (Fault::Forbidden, fails(3, "the API key is refused")),
        ],
        // The fault is in the login: a token is renewed, and any error is a refusal.
        "verda" => vec![
            (Fault::ExpiredToken, Answers),
            (Fault::Forbidden, fails(3, "the API key is refused")),
            (
                Fault::EchoSecrets,
                fails(3, "verda: the API key is refused"),
            ),
        ],
        _ => Vec::new(),
    }
}

/// Asserts that the table has only offers of the catalog, and says so. A provider without offers in the catalog has
/// an empty table.
fn expect_unreached(run: &Run, providers: &[&str], label: &str) {
    let rows: Vec<&str> = run.stdout.lines().skip(1).collect();
    let is_listed = providers.iter().any(|provider| has_frozen_offers(provider));
    let is_marked =
        rows.is_empty() != is_listed && rows.iter().all(|row| row.contains("not reached"));
    assert!(is_marked, "{label}: {}", run.stdout);
}

/// Asserts that output shows no credentials.
fn expect_no_secrets(run: &Run, label: &str) {
    for secret in super::credentials::SECRETS.iter() {
        let shown = format!("{}{}", run.stdout, run.stderr);
        assert!(!shown.contains(secret), "{label} shows {secret}: {shown}");
    }
    for word in ["uthorization", "Bearer", "AWS4-HMAC"] {
        assert!(!run.stderr.contains(word), "{label}: {}", run.stderr);
    }
}

#[test]
fn every_fault_of_every_provider_is_reported() {
    let with_prices = PROVIDERS.iter().map(|cell| (cell, h100(cell.0)));
    let cells = with_prices.chain(STOCK_ONLY.iter().map(|cell| (cell, "L40S")));
    let cells: Vec<_> = cells
        .map(|((provider, service), accelerator)| {
            thread::spawn(move || {
                for (fault, expect) in table(provider) {
                    let world = Market::new();
                    world.standin.fault(*service, fault.clone());
                    let slow = matches!(fault, Fault::Trickle | Fault::Silence);
                    let seconds = if slow { 2 } else { 20 };
                    let line = format!(
                        "resolve {accelerator} --provider {provider} --live --timeout {seconds} -v"
                    );
                    // An endless answer must not fill the memory.
                    let run = world.sky(&line).memory_limit_mib(2048).run();
                    let label = format!("{provider} {fault:?}");
                    match expect {
                        Expect::Fails(exit_code, error) => {
                            assert_eq!(
                                run.code, exit_code,
                                "{label}: {}{}",
                                run.stdout, run.stderr
                            );
                            expect_unreached(&run, &[*provider], &label);
                            assert!(
                                run.stderr.contains(&format!("error: {provider}: ")),
                                "{label}: {}",
                                run.stderr
                            );
                            assert!(run.stderr.contains(&error), "{label}: {}", run.stderr);
                        }
                        Answers => {
                            assert_eq!(run.code, 0, "{label}: {}", run.stderr);
                            let name = accelerator.split(':').next().unwrap_or(accelerator);
                            assert!(run.stdout.contains(name), "{label}: {}", run.stdout);
                        }
                    }
                    expect_no_secrets(&run, &label);
                }
            })
        })
        .collect();
    for cell in cells {
        cell.join().expect("every cell holds");
    }
}

/// Returns the highest number of requests to one path of a service. `--live` reads several lists of some
/// providers at once.
fn most_of_a_path(world: &Market, service: Service) -> usize {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for request in world.standin.requests() {
        if request.service == service {
            *counts.entry(request.path).or_default() += 1;
        }
    }
    counts.into_values().max().unwrap_or(0)
}

#[test]
fn requests_are_retried_only_after_temporary_failures() {
    for (provider, service) in PROVIDERS.iter().filter(|(id, _)| *id != "aws") {
        let requests = |fault: Fault| {
            let world = Market::new();
            world.standin.fault(*service, fault);
            let line =
                format!("resolve H100 --provider {provider} --capacity-type on-demand --live");
            let _ = world.sky(&line).run();
            most_of_a_path(&world, *service)
        };
        assert_eq!(requests(Fault::ServerError), 3, "{provider}");
        assert_eq!(requests(Fault::Close), 3, "{provider}");
        // The requested wait exceeds the deadline.
        let retry_after = Some(1000);
        assert_eq!(requests(Fault::TooMany { retry_after }), 1, "{provider}");
        assert_eq!(requests(Fault::DailyQuota), 1, "{provider}");
        assert_eq!(requests(Fault::Unauthorized), 1, "{provider}");
        assert_eq!(requests(Fault::Html), 1, "{provider}");
    }
}

#[test]
fn a_temporary_failure_is_retried() {
    for (provider, service) in PROVIDERS.iter() {
        for fault in [
            Fault::TooMany {
                retry_after: Some(1),
            },
            Fault::ServerError,
            Fault::Close,
            Fault::Truncated,
        ] {
            let world = Market::new();
            world.standin.fault_times(*service, fault.clone(), 1);
            let run = world
                .sky(&format!(
                    "resolve {} --provider {provider} --live",
                    h100(provider)
                ))
                .run();
            assert_eq!(run.code, 0, "{provider} {fault:?}: {}", run.stderr);
        }
    }
}

#[test]
fn a_failing_provider_does_not_affect_others() {
    let world = Market::new();
    world.standin.fault(Service::VERDA, Fault::ServerError);
    let run = world
        .sky("resolve H100:x1+ --live --all -o json")
        .run()
        .expect_code(5);
    let answer: Value = serde_json::from_str(&run.stdout).expect("JSON");
    let providers = texts(&answer, "/provider");
    for (provider, _) in PROVIDERS.iter() {
        assert!(providers.contains(provider), "{provider}");
    }
    let error: Value = serde_json::from_str(&run.stderr).expect("JSON on stderr");
    assert_eq!(error["schema"], "sky-accel.error.v1");
    assert_eq!(error["error"]["provider"], "verda");
    assert_eq!(error["error"]["code"], "provider.server");
    let verda = answer["live"]
        .as_array()
        .expect("answers")
        .iter()
        .find(|a| a["provider"] == "verda");
    let verda = verda.expect("an entry for verda");
    assert_eq!(verda["source"], "failed");
    assert_eq!(verda["errors"][0]["code"], "provider.server");

    let run = world
        .sky("resolve H100 --live --refresh --all")
        .run()
        .expect_code(5);
    assert!(
        run.stderr.contains("error: verda: HTTP 500"),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("verda failed"), "{}", run.stderr);
    // Prices of the catalog do not pass for live prices.
    let verda = run.stdout.lines().filter(|line| line.contains(" verda "));
    let mut verda = verda.peekable();
    assert!(verda.peek().is_some(), "{}", run.stdout);
    assert!(
        verda.all(|line| line.contains("not reached")),
        "{}",
        run.stdout
    );
}

#[test]
fn exit_code_distinguishes_refused_keys_from_failures() {
    let world = Market::new();
    for (_, service) in PROVIDERS.iter() {
        world.standin.fault(*service, Fault::Unauthorized);
    }
    let line = format!("resolve H100 --live --provider {}", providers());
    let _ = world.sky(&line).run().expect_code(3);
    world.standin.fault(Service::VAST, Fault::ServerError);
    let run = world.sky(&line).run().expect_code(4);
    let ids: Vec<&str> = PROVIDERS.iter().map(|(id, _)| *id).collect();
    expect_unreached(&run, &ids, "all");
    for (provider, _) in PROVIDERS.iter() {
        assert!(
            run.stderr.contains(&format!("error: {provider}: ")),
            "{}",
            run.stderr
        );
    }
}

/// Returns a shop in which the rows of one provider lack a required field.
fn unreadable(provider: &str) -> Shop {
    let mut shop = Shop::default();
    match provider {
        "vastai" => {
            for row in &mut shop.vast.offers {
                row["gpu_ram"] = Value::Null;
            }
        }
        "verda" => {
            for row in &mut shop.verda.types {
                for price in ["price_per_hour", "spot_price"] {
                    row[price] = Value::Null;
                }
            }
        }
        other => panic!("no shop for {other}"),
    }
    shop
}

fn expect_unreadable(run: &Run, provider: &str) {
    let begins = format!("error: {provider}: none of the ");
    let line = run.stderr.lines().find(|line| line.starts_with(&begins));
    let line = line.unwrap_or_else(|| panic!("{}", run.stderr));
    assert!(line.ends_with(" rows of its answer can be read"), "{line}");
}

#[test]
fn an_answer_without_readable_rows_is_a_failure() {
    for provider in ["verda", "vastai"] {
        let world = Market::with(unreadable(provider));
        let alone = format!("resolve H100 --provider {provider} --live");
        let run = world.sky(&alone).run().expect_code(4);
        expect_unreached(&run, &[provider], provider);
        expect_unreadable(&run, provider);
        let beside = format!("resolve H100 --provider {provider},runpod --live");
        let run = world.sky(&beside).run().expect_code(5);
        assert!(run.stdout.contains("runpod"), "{}", run.stdout);
        expect_unreadable(&run, provider);
    }
}

#[test]
fn an_answer_without_readable_prices_is_a_failure() {
    // The types of RunPod can be read, but none of the prices of the second request.
    for fault in [
        Fault::WrongTypes,
        Fault::Status {
            code: 200,
            body: "{\"data\":{}}".to_owned(),
            content_type: "application/json".to_owned(),
            headers: Vec::new(),
        },
    ] {
        let world = Market::new();
        world
            .standin
            .fault_where(Service::RUNPOD, "lowestPrice", fault);
        let run = world
            .sky("resolve H100 --provider runpod --live")
            .run()
            .expect_code(4);
        expect_unreadable(&run, "runpod");
        let run = world
            .sky("resolve H100 --provider runpod,verda --live")
            .run()
            .expect_code(5);
        expect_unreadable(&run, "runpod");
    }
}

#[test]
fn one_readable_row_is_an_answer() {
    let mut shop = unreadable("vastai");
    let readable = shop.vast.offers.iter_mut().find(|row| row["id"] == 1004);
    readable.expect("an H100")["gpu_ram"] = Value::from(81_559);
    let world = Market::with(shop);
    let answer = world
        .sky("resolve H100 --provider vastai --live -o json")
        .json();
    assert_eq!(texts(&answer, "/instance_type"), ["H100 SXM"]);
    let notes = answer["notes"].to_string();
    assert!(notes.contains("rows-left-out"), "{notes}");
    assert!(notes.contains("unreadable"), "{notes}");
    // A row that is skipped because its GPU is not requested was readable.
    let mut shop = unreadable("verda");
    let v100 = shop.verda.types.iter_mut();
    for row in v100.filter(|row| row["instance_type"] == "1V100.6V") {
        row["price_per_hour"] = Value::from("0.14");
    }
    let world = Market::with(shop);
    let _ = world
        .sky("resolve H100 --provider verda --live")
        .run()
        .expect_code(1);
}

#[cfg(feature = "aws")]
#[test]
fn a_failing_region_does_not_affect_others() {
    let world = Market::new();
    world
        .standin
        .fault_where(Service::EC2, "region=us-west-2", Fault::ServerError);
    let run = world
        .sky("resolve H100:x8 --provider aws --live -o json")
        .run()
        .expect_code(5);
    let answer: Value = serde_json::from_str(&run.stdout).expect("JSON");
    let regions = answer["results"][0]["regions"].to_string();
    assert!(
        regions.contains("us-east-1") && !regions.contains("us-west-2"),
        "{regions}"
    );
    assert_eq!(answer["live"][0]["complete"], false);
}

#[cfg(feature = "aws")]
#[test]
fn missing_price_list_is_replaced_by_catalog_prices() {
    let world = Market::new();
    world.standin.fault(Service::PRICING, Fault::Forbidden);
    let run = world
        .sky("resolve H100:x8 --provider aws --live -o json")
        .run()
        .expect_code(5);
    assert!(run.stderr.contains("pricing:GetProducts"), "{}", run.stderr);
    let answer: Value = serde_json::from_str(&run.stdout).expect("JSON");
    let price = &answer["results"][0]["on_demand"];
    assert_eq!(price["kind"], "list");
    assert_eq!(
        price["as_of"].as_str().map(str::len),
        Some("2026-07-20".len())
    );
    assert_eq!(answer["results"][0]["spot"]["kind"], "live");
    assert!(answer["notes"].to_string().contains("catalog-prices"));
}

#[test]
fn no_request_changes_anything() {
    let world = Market::new();
    let _ = world
        .sky("resolve any:24GB+ --live --at-least")
        .run()
        .expect_code(0);
    assert_eq!(world.standin.attempted_writes(), 0);
}

#[test]
fn redirects_are_not_followed() {
    let elsewhere = Market::new();
    for (provider, service) in PROVIDERS.iter() {
        let world = Market::new();
        world
            .standin
            .fault(*service, Fault::Redirect(elsewhere.standin.url(*service)));
        let _ = world
            .sky(&format!("resolve H100 --provider {provider} --live"))
            .run()
            .expect_code(4);
    }
    assert!(elsewhere.standin.requests().is_empty());
}

#[cfg(feature = "aws")]
#[test]
fn endless_pages_are_a_partial_answer() {
    use sky_accel_standin::AwsPages;

    for pages in [AwsPages::Cyclic, AwsPages::Endless] {
        let mut shop = Shop::default();
        shop.aws.pages = pages;
        let world = Market::with(shop);
        // Rows before the loop are listed, and the answer is reported as incomplete.
        let run = world
            .sky("resolve H100:x8 --provider aws --region us-east-1 --live -o json")
            .run()
            .expect_code(5);
        let answer: Value = serde_json::from_str(&run.stdout).unwrap();
        assert!(
            !answer["results"].as_array().unwrap().is_empty(),
            "{pages:?}"
        );
        assert_eq!(answer["live"][0]["complete"], false, "{pages:?}");
        assert!(
            run.stderr.contains("endless pages"),
            "{pages:?}: {}",
            run.stderr
        );
        // Without a match, the answer is incomplete too.
        let run = world
            .sky("resolve MI300X --provider aws --region us-east-1 --live")
            .run();
        assert_eq!(run.code, 5, "{pages:?}: {}", run.stderr);
        let requests = world.asked(Service::EC2);
        assert!(requests < 1000, "{pages:?}: {requests} requests");
    }
}
