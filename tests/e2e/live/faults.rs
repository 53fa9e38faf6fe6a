//! The fault table: every way to answer wrongly, for every provider.

use std::thread;

use serde_json::Value;
use sky_accel_standin::{Fault, Service, Shop};

use super::{PROVIDERS, World, providers};
use crate::support::{Run, texts};

/// The expected outcome of a fault.
enum Expect {
    /// An exit code, and a word of the error.
    Fails(i32, &'static str),
    /// Results, as if nothing had happened.
    Answers,
}
use Expect::{Answers, Fails};

fn table(provider: &str) -> Vec<(Fault, Expect)> {
    let is = |name: &str| provider == name;
    // AWS's client has its own words for an answer that cannot be read.
    let unreadable = |aws, others| Fails(4, if is("aws") { aws } else { others });
    let redirect = Fault::Redirect("http://127.0.0.1:9/elsewhere".to_owned());
    vec![
        (Fault::Unauthorized, Fails(3, "refused")),
        (
            Fault::Forbidden,
            Fails(3, if is("aws") { "may not call" } else { "refused" }),
        ),
        (
            Fault::TooMany { retry_after: None },
            Fails(4, "too many requests"),
        ),
        (
            Fault::TooMany {
                retry_after: Some(1),
            },
            Fails(4, "too many requests"),
        ),
        (
            Fault::DailyQuota,
            Fails(
                4,
                if is("runpod") || is("vastai") {
                    "of this day are used up"
                } else {
                    "too many requests"
                },
            ),
        ),
        (Fault::ServerError, Fails(4, "HTTP 500")),
        (Fault::Html, unreadable("not what AWS documents", "answer")),
        (Fault::Empty, unreadable("not what AWS documents", "answer")),
        (
            Fault::Truncated,
            unreadable("cannot be read", "did not finish"),
        ),
        (
            Fault::WrongTypes,
            unreadable("not what AWS documents", "can be read"),
        ),
        (
            Fault::Nulls,
            unreadable("no list of regions", "can be read"),
        ),
        (Fault::Endless, unreadable("cannot be read", "larger than")),
        (Fault::Trickle, Fails(4, "no complete answer")),
        (Fault::Silence, Fails(4, "no complete answer")),
        (Fault::Close, Fails(4, "connection closed")),
        (redirect, Fails(4, "redirect, which is not followed")),
        (
            Fault::ExpiredToken,
            if is("verda") {
                Answers
            } else {
                Fails(3, "refused")
            },
        ),
        (Fault::UnknownValues, Answers),
        (
            Fault::EchoSecrets,
            Fails(if is("verda") { 3 } else { 4 }, provider_word(provider)),
        ),
    ]
}

fn provider_word(provider: &str) -> &'static str {
    match provider {
        "aws" => "aws: HTTP 400",
        "runpod" => "runpod: HTTP 400",
        "vastai" => "vastai: HTTP 400",
        _ => "verda: the credentials are refused",
    }
}

/// Nothing that was sent to prove who we are may come back out.
fn expect_no_secrets(run: &Run, what: &str) {
    for secret in super::credentials::SECRETS {
        let shown = format!("{}{}", run.stdout, run.stderr);
        assert!(!shown.contains(secret), "{what} tells {secret}: {shown}");
    }
    for word in ["uthorization", "Bearer", "AWS4-HMAC"] {
        assert!(!run.stderr.contains(word), "{what}: {}", run.stderr);
    }
}

#[test]
fn every_fault_of_every_provider_is_reported_and_isolated() {
    let cells: Vec<_> = PROVIDERS
        .iter()
        .map(|(provider, service)| {
            thread::spawn(move || {
                for (fault, expect) in table(provider) {
                    let world = World::new();
                    world.standin.fault(*service, fault.clone());
                    let slow = matches!(fault, Fault::Trickle | Fault::Silence);
                    let seconds = if slow { 2 } else { 20 };
                    let line =
                        format!("resolve H100 --provider {provider} --live --timeout {seconds} -v");
                    // An endless answer must not be kept: a process with little memory survives.
                    let run = world.sky(&line).memory_limit_mib(2048).run();
                    let what = format!("{provider} {fault:?}");
                    match expect {
                        Fails(exit_code, said) => {
                            assert_eq!(run.code, exit_code, "{what}: {}{}", run.stdout, run.stderr);
                            assert_eq!(run.stdout, "", "{what}");
                            assert!(
                                run.stderr.contains(&format!("error: {provider}: ")),
                                "{what}: {}",
                                run.stderr
                            );
                            assert!(run.stderr.contains(said), "{what}: {}", run.stderr);
                        }
                        Answers => {
                            assert_eq!(run.code, 0, "{what}: {}", run.stderr);
                            assert!(run.stdout.contains("H100"), "{what}: {}", run.stdout);
                        }
                    }
                    expect_no_secrets(&run, &what);
                }
            })
        })
        .collect();
    for cell in cells {
        cell.join().expect("every cell holds");
    }
}

#[test]
fn retries_happen_only_where_they_may_help() {
    for (provider, service) in PROVIDERS.iter().filter(|(id, _)| *id != "aws") {
        let requests = |fault: Fault| {
            let world = World::new();
            world.standin.fault(*service, fault);
            let line =
                format!("resolve H100 --provider {provider} --capacity-type on-demand --live");
            let _ = world.sky(&line).run();
            world.asked(*service)
        };
        assert_eq!(requests(Fault::ServerError), 3, "{provider}");
        assert_eq!(requests(Fault::Close), 3, "{provider}");
        // It asks for more time than there is.
        let retry_after = Some(1000);
        assert_eq!(requests(Fault::TooMany { retry_after }), 1, "{provider}");
        assert_eq!(requests(Fault::DailyQuota), 1, "{provider}");
        assert_eq!(requests(Fault::Unauthorized), 1, "{provider}");
        assert_eq!(requests(Fault::Html), 1, "{provider}");
    }
}

#[test]
fn transient_failure_is_retried() {
    for (provider, service) in PROVIDERS {
        for fault in [
            Fault::TooMany {
                retry_after: Some(1),
            },
            Fault::ServerError,
            Fault::Close,
            Fault::Truncated,
        ] {
            let world = World::new();
            world.standin.fault_times(*service, fault.clone(), 1);
            let run = world
                .sky(&format!("resolve H100 --provider {provider} --live"))
                .run();
            assert_eq!(run.code, 0, "{provider} {fault:?}: {}", run.stderr);
        }
    }
}

#[test]
fn failed_provider_affects_only_itself() {
    let world = World::new();
    world.standin.fault(Service::Verda, Fault::ServerError);
    let run = world
        .sky("resolve H100 --live -o json")
        .run()
        .expect_code(5);
    let answer: Value = serde_json::from_str(&run.stdout).expect("JSON");
    let providers = texts(&answer, "/provider");
    for (provider, _) in PROVIDERS {
        assert_eq!(
            providers.contains(provider),
            *provider != "verda",
            "{provider}"
        );
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
    let verda = verda.expect("verda is in the answer");
    assert_eq!(verda["source"], "failed");
    assert_eq!(verda["errors"][0]["code"], "provider.server");

    let run = world
        .sky("resolve H100 --live --refresh")
        .run()
        .expect_code(5);
    assert!(
        run.stderr.contains("error: verda: HTTP 500"),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("verda failed"), "{}", run.stderr);
    // Prices of the catalog are old: they are not mixed with live prices.
    assert!(!run.stdout.contains("verda"), "{}", run.stdout);
}

#[test]
fn exit_code_distinguishes_keys_from_failures() {
    let world = World::new();
    for (_, service) in PROVIDERS {
        world.standin.fault(*service, Fault::Unauthorized);
    }
    let line = format!("resolve H100 --live --provider {}", providers());
    let _ = world.sky(&line).run().expect_code(3);
    world.standin.fault(Service::Vast, Fault::ServerError);
    let run = world.sky(&line).run().expect_code(4);
    assert_eq!(run.stdout, "");
    for (provider, _) in PROVIDERS {
        assert!(
            run.stderr.contains(&format!("error: {provider}: ")),
            "{}",
            run.stderr
        );
    }
}

/// A stand-in whose rows at one provider lack a required field.
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
fn unreadable_rows_are_a_failure_and_not_an_empty_answer() {
    for provider in ["verda", "vastai"] {
        let world = World::with(unreadable(provider));
        let alone = format!("resolve H100 --provider {provider} --live");
        let run = world.sky(&alone).run().expect_code(4);
        assert_eq!(run.stdout, "");
        expect_unreadable(&run, provider);
        let beside = format!("resolve H100 --provider {provider},runpod --live");
        let run = world.sky(&beside).run().expect_code(5);
        assert!(run.stdout.contains("runpod"), "{}", run.stdout);
        expect_unreadable(&run, provider);
    }
}

#[test]
fn unreadable_prices_are_a_failure() {
    // RunPod's instance types can be read, but none of their prices.
    for fault in [
        Fault::WrongTypes,
        Fault::Status {
            code: 200,
            body: "{\"data\":{}}".to_owned(),
            content_type: "application/json".to_owned(),
            headers: Vec::new(),
        },
    ] {
        let world = World::new();
        world
            .standin
            .fault_where(Service::RunPod, "lowestPrice", fault);
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
    let world = World::with(shop);
    let answer = world
        .sky("resolve H100 --provider vastai --live -o json")
        .json();
    assert_eq!(texts(&answer, "/instance_type"), ["H100 SXM"]);
    let notes = answer["notes"].to_string();
    assert!(notes.contains("rows-left-out"), "{notes}");
    assert!(notes.contains("unreadable"), "{notes}");
    // Rows that the filters left out were read.
    let mut shop = unreadable("verda");
    let v100 = shop.verda.types.iter_mut();
    for row in v100.filter(|row| row["instance_type"] == "1V100.6V") {
        row["price_per_hour"] = Value::from("0.14");
    }
    let world = World::with(shop);
    let _ = world
        .sky("resolve H100 --provider verda --live")
        .run()
        .expect_code(1);
}

#[cfg(feature = "aws")]
#[test]
fn failed_region_affects_only_itself() {
    let world = World::new();
    world
        .standin
        .fault_where(Service::Ec2, "region=us-west-2", Fault::ServerError);
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
fn catalog_prices_replace_a_missing_price_list() {
    let world = World::new();
    world.standin.fault(Service::Pricing, Fault::Forbidden);
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
fn nothing_is_ever_written_to_a_provider() {
    let world = World::new();
    let _ = world
        .sky("resolve any:24GB+ --live --at-least")
        .run()
        .expect_code(0);
    assert_eq!(world.standin.attempted_writes(), 0);
}

#[test]
fn credentials_do_not_follow_a_redirect() {
    let elsewhere = World::new();
    for (provider, service) in PROVIDERS {
        let world = World::new();
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
        let world = World::with(shop);
        // Pages before the cycle are in the answer, and a note says that it is incomplete.
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
            run.stderr.contains("have no end"),
            "{pages:?}: {}",
            run.stderr
        );
        // Nor is it complete where nothing matches.
        let run = world
            .sky("resolve MI300X --provider aws --region us-east-1 --live")
            .run();
        assert_eq!(run.code, 5, "{pages:?}: {}", run.stderr);
        let asked = world.asked(Service::Ec2);
        assert!(asked < 1000, "{pages:?}: {asked} requests");
    }
}
