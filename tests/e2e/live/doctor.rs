//! `live doctor`: credentials by name, and what they lack.

use std::fs;

use serde_json::Value;
use sky_accel_standin::{Fault, Service, credential};

use super::Market;
use super::credentials::SECRETS;
use crate::support::{Run, sky_line, validate};

/// The row of a provider in an answer.
fn row<'a>(answer: &'a Value, provider: &str) -> &'a Value {
    let rows = answer["results"].as_array().unwrap();
    let row = rows.iter().find(|row| row["provider"] == provider);
    row.unwrap_or_else(|| panic!("{provider}: {answer}"))
}

fn document(run: &Run) -> Value {
    for secret in SECRETS.iter() {
        assert!(!run.stdout.contains(secret) && !run.stderr.contains(secret));
    }
    let answer = serde_json::from_str(&run.stdout).unwrap();
    validate("live-doctor", &answer);
    answer
}

#[test]
fn names_the_sources_of_keys_without_a_request() {
    let world = Market::new();
    let run = world.sky("live doctor -o json").run().expect_code(0);
    let answer = document(&run);
    let verda = row(&answer, "verda");
    assert_eq!(verda["state"], "ready");
    let names: Vec<_> = verda["sources"].as_array().unwrap().iter().collect();
    assert_eq!(names[0]["name"], "VERDA_CLIENT_ID", "{verda}");
    assert_eq!(verda["overrides"][0], Service::VERDA.url_variable());
    assert_eq!(verda["check"], Value::Null);
    assert_eq!(row(&answer, "linode")["state"], "not-needed");
    assert_eq!(answer["request"]["check"], false);
    assert!(world.standin.requests().is_empty());
    let table = world.sky("live doctor -o wide").run().expect_code(0);
    for text in ["VERDA_CLIENT_ID", "reading instance types", "with --public"] {
        assert!(table.stdout.contains(text), "{text}: {}", table.stdout);
    }
}

#[test]
fn names_are_the_providers_that_can_be_queried() {
    let run = sky_line("live doctor -o names").run().expect_code(0);
    let names: Vec<&str> = run.stdout.lines().collect();
    assert!(
        names.contains(&"linode") && !names.contains(&"verda"),
        "{names:?}"
    );
}

#[test]
fn a_named_provider_without_a_key_and_malformed_keys_fail() {
    let run = sky_line("live doctor -o json").run().expect_code(0);
    assert_eq!(row(&document(&run), "verda")["state"], "missing");
    let run = sky_line("live doctor --provider verda")
        .run()
        .expect_code(3);
    assert!(run.stdout.contains("VERDA_CLIENT_SECRET"), "{}", run.stdout);
    let home = tempfile::tempdir().unwrap();
    fs::create_dir(home.path().join(".runpod")).unwrap();
    let file = home.path().join(".runpod/config.toml");
    for (text, fault) in [("", ""), ("apiKey = ", "no API key")] {
        fs::write(&file, text).unwrap();
        let run = sky_line("live doctor --provider runpod -o json");
        let run = run.env("HOME", home.path()).run().expect_code(3);
        let answer = document(&run);
        let faults = row(&answer, "runpod")["faults"].to_string();
        assert!(faults.contains(fault), "{faults}");
    }
    let run = sky_line("live doctor --provider verda -o json");
    let run = run.env("VERDA_CLIENT_SECRET", "a\nb").run().expect_code(3);
    let answer = document(&run);
    assert_eq!(row(&answer, "verda")["state"], "faulty", "{answer}");
}

#[test]
fn a_profile_that_lacks_a_part_is_a_fault() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join(".oci");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("key.pem"), "-----BEGIN PRIVATE KEY-----\n").unwrap();
    let profile = "[DEFAULT]\nuser=ocid1.user.a\nfingerprint=aa:bb\ntenancy=ocid1.tenancy.a\nkey_file=~/.oci/key.pem\n";
    let faults = |profile: &str| {
        fs::write(folder.join("config"), profile).unwrap();
        let sky = sky_line("live doctor --provider oci -o json").env("HOME", home.path());
        row(&document(&sky.run()), "oci")["faults"].clone()
    };
    let text = faults(profile).to_string();
    assert!(
        text.contains("OCI_CLI_REGION is neither set nor in the profile"),
        "{text}"
    );
    let whole = faults(&format!("{profile}region=us-ashburn-1\n"));
    assert_eq!(whole, serde_json::json!([]));
}

#[test]
fn a_check_of_a_large_api_is_one_read() {
    for (provider, service) in [
        #[cfg(feature = "aws")]
        ("aws", Service::EC2),
        ("azure", Service::AZURE),
        ("oci", Service::OCI),
        ("scaleway", Service::SCALEWAY),
        ("vultr", Service::VULTR),
    ] {
        let world = Market::new();
        let line = format!("live doctor --provider {provider} --check -o json");
        let answer = document(&world.sky(&line).run().expect_code(0));
        let outcome = &row(&answer, provider)["check"]["outcome"];
        assert_eq!(outcome, "accepted", "{answer}");
        let requests = world.standin.requests();
        assert_eq!(requests.len(), 1, "{requests:?}");
        assert_eq!(requests[0].service, service);
        world.standin.fault(service, Fault::Unauthorized);
        let answer = document(&world.sky(&line).run().expect_code(3));
        assert_eq!(row(&answer, provider)["check"]["outcome"], "refused");
    }
}

#[test]
fn a_check_reports_accepted_refused_and_unreachable() {
    let outcome = |world: &Market, code: i32| {
        let line = "live doctor --provider runpod,verda --check -o json";
        let run = world.sky(line).run().expect_code(code);
        let answer = document(&run);
        ["runpod", "verda"].map(|id| row(&answer, id)["check"]["outcome"].clone())
    };
    let world = Market::new();
    assert_eq!(outcome(&world, 0), ["accepted", "accepted"]);
    assert!(world.asked(Service::RUNPOD) > 0);
    world.standin.fault(Service::VERDA, Fault::Unauthorized);
    assert_eq!(outcome(&world, 3), ["accepted", "refused"]);
    world.standin.fault(Service::VERDA, Fault::ServerError);
    assert_eq!(outcome(&world, 5), ["accepted", "failed"]);
    let line = "live doctor --provider verda --check -o json";
    let run = world
        .sky(line)
        .env(Service::VERDA.url_variable(), "http://127.0.0.1:1");
    let answer = document(&run.run().expect_code(4));
    assert_eq!(row(&answer, "verda")["check"]["outcome"], "unreachable");
    // Credentials that are not usable are not sent.
    let asked = world.standin.requests().len();
    let run = world
        .sky("live doctor --check -o json")
        .env("VERDA_CLIENT_ID", "");
    let answer = document(
        &run.env("VERDA_CLIENT_SECRET", credential("VERDA_CLIENT_SECRET"))
            .run(),
    );
    assert_eq!(row(&answer, "verda")["check"], Value::Null);
    assert!(world.standin.requests().len() > asked);
}
