//! `catalog update --from gpuhunt` and `--from skypilot`: read without a key, trusted less than
//! providers, and rejected row by row if known to be wrong.

use std::fs;
use std::path::Path;

use jiff::{Timestamp, ToSpan as _};
use serde_json::{Value, json};
use sky_accel_standin::{Fault, Service, Shop};
use tempfile::TempDir;

use super::Market;
use super::public::without_keys;
use crate::support::{Run, sky, validate};

fn update(world: &Market, folder: &Path, options: &str) -> Run {
    let line = format!("catalog update {options} -o json --into");
    let run = without_keys(world, &line).arg(folder);
    // Live prices have the date of the request.
    run.remove_env("SKY_ACCEL_TODAY").run()
}

fn parsed(run: &Run) -> Value {
    let answer: Value = serde_json::from_str(&run.stdout).expect("JSON");
    validate("catalog update", &answer);
    answer
}

fn verified(folder: &Path) {
    let run = sky(["catalog", "verify"])
        .arg(folder)
        .remove_env("SKY_ACCEL_TODAY");
    let run = run.run().expect_code(0);
    assert!(run.stderr.contains("no errors found"), "{}", run.stderr);
}

/// The names and contents of all files, without the history of prices.
fn files(folder: &Path) -> Vec<(String, String)> {
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .flatten()
        .filter(|file| file.path().extension().is_some_and(|end| end == "toml"))
        .filter(|file| file.file_name() != "seen-prices.toml")
        .map(|file| {
            let name = file.file_name().to_string_lossy().into_owned();
            (name, fs::read_to_string(file.path()).unwrap())
        })
        .collect();
    files.sort();
    files
}

fn resolved(folder: &Path, line: &str) -> Value {
    sky(line.split_whitespace())
        .arg("--catalog")
        .arg(folder)
        .remove_env("SKY_ACCEL_TODAY")
        .json()
}

#[test]
fn aggregator_prices_are_marked_and_pass_the_checks() {
    let (world, folder) = (Market::new(), TempDir::new().unwrap());
    let folder = folder.path();
    let run = update(&world, folder, "--from gpuhunt").expect_code(0);
    let answer = parsed(&run);
    assert_eq!(answer["request"]["from"], json!(["gpuhunt"]));
    verified(folder);
    let lambda = resolved(folder, "resolve H100:x8 --provider lambda -o json");
    let price = &lambda["results"][0]["on_demand"];
    assert_eq!(price["quality"], "aggregator", "{price}");
    assert!(
        price["source"].as_str().unwrap().starts_with("gpuhunt 20"),
        "{price}"
    );
    // The facts of the catalog stay; only the price comes from the feed.
    let embedded = sky("resolve H100:x8 --provider lambda -o json".split(' ')).json();
    for field in ["vcpu", "host_memory_gib", "accelerator", "regions"] {
        assert_eq!(
            lambda["results"][0][field], embedded["results"][0][field],
            "{field}"
        );
    }
    // A second update changes no byte.
    let first = files(folder);
    let again = update(&world, folder, "--from gpuhunt").expect_code(0);
    assert_eq!(files(folder), first);
    assert!(
        parsed(&again)["results"]
            .as_array()
            .unwrap()
            .iter()
            .all(|row| row["changes"] == json!([]))
    );
    // They need no key, and the program sends no key.
    assert!(
        world
            .standin
            .requests()
            .iter()
            .all(|request| request.header("authorization").is_none())
    );
}

/// A table of which no row can be used proves nothing: the provider fails, and keeps its old rows.
#[test]
fn tables_without_a_usable_row_fail_their_provider() {
    let row = |price: &str, count: &str| {
        json!({"instance_name": "p5.48xlarge", "location": "us-east-1", "price": price, "cpu": "192",
            "memory": "2048", "gpu_count": count, "gpu_name": "H100", "gpu_memory": "80.0", "spot": "False",
            "disk_size": "", "gpu_vendor": "nvidia", "flags": "", "cpu_arch": "x86", "provider_data": "{}"})
    };
    let mut shop = Shop::default();
    let mut catalogs = shop.gpuhunt.catalogs.iter_mut();
    let of_aws = catalogs.find(|catalog| catalog.provider == "aws").unwrap();
    of_aws.rows = vec![row("nan", "8"), row("inf", "8")];
    let world = Market::with(shop);
    let folder = TempDir::new().unwrap();
    let run = update(&world, folder.path(), "--from gpuhunt --provider aws").expect_code(4);
    assert!(run.stderr.contains("can be used"), "{}", run.stderr);
    let run = update(
        &world,
        folder.path(),
        "--from gpuhunt --provider aws,lambda",
    );
    let answer = parsed(&run.expect_code(5));
    let results = answer["results"].as_array().unwrap();
    let of_aws = results.iter().find(|row| row["provider"] == "aws").unwrap();
    assert_eq!(of_aws["status"], "failed");
    let names: Vec<_> = files(folder.path())
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(names, ["via-gpuhunt-lambda.toml"]);
}

#[test]
fn known_defects_of_aggregators_are_rejected_and_counted() {
    let mut shop = Shop::default();
    let gpuhunt = |shop: &mut Shop, provider: &str, row: Value| {
        let catalog = shop
            .gpuhunt
            .catalogs
            .iter_mut()
            .find(|catalog| catalog.provider == provider);
        catalog.unwrap().rows.push(row);
    };
    let row = |id: &str, price: &str, count: &str, gpu: &str, memory: &str, flags: &str| {
        json!({"instance_name": id, "location": "us-east-1", "price": price, "cpu": "8", "memory": "64",
            "gpu_count": count, "gpu_name": gpu, "gpu_memory": memory, "spot": "False", "disk_size": "",
            "gpu_vendor": "nvidia", "flags": flags, "cpu_arch": "x86", "provider_data": "{}"})
    };
    gpuhunt(
        &mut shop,
        "aws",
        row("p4d.24xlarge", "30", "8", "A100", "80.0", ""),
    );
    gpuhunt(
        &mut shop,
        "aws",
        row("p3.2xlarge", "3.06", "4", "V100", "16.0", ""),
    );
    gpuhunt(
        &mut shop,
        "aws",
        row("g9.48xlarge", "9", "8", "H100", "80.0", ""),
    );
    gpuhunt(
        &mut shop,
        "aws",
        row("g4dn.xlarge", "9.9", "1", "T4", "16.0", ""),
    );
    gpuhunt(
        &mut shop,
        "aws",
        row("g5.2xlarge", "0", "1", "A10G", "24.0", ""),
    );
    gpuhunt(
        &mut shop,
        "aws",
        row("g6.2xlarge", "1", "1", "L4", "24.0", "some-program"),
    );
    // A bad row after a good row of the same type.
    let mut elsewhere = row("p5.48xlarge", "54", "8", "H100", "40.0", "");
    elsewhere["location"] = json!("eu-west-9");
    gpuhunt(&mut shop, "aws", elsewhere);
    let world = Market::with(shop);
    let folder = TempDir::new().unwrap();
    let run = update(&world, folder.path(), "--from gpuhunt --provider aws,gcp");
    let answer = parsed(&run.expect_code(0));
    let notes = answer["notes"].to_string();
    for words in [
        "with another count or memory than the catalog's type",
        "of types with an unknown form factor or tier",
        "several times above or below the known price",
        "behind flags",
        "without a price",
        "gcp: rows left out: ",
        "with separate prices for machine and GPUs",
    ] {
        assert!(notes.contains(words), "{words}: {notes}");
    }
    let written = files(folder.path());
    assert!(
        written.iter().all(|(name, _)| !name.contains("gcp")),
        "{written:?}"
    );
    for id in [
        "p3.2xlarge",
        "g9.48xlarge",
        "g4dn.xlarge",
        "g5.2xlarge",
        "g6.2xlarge",
        "eu-west-9",
    ] {
        assert!(written.iter().all(|(_, text)| !text.contains(id)), "{id}");
    }
    verified_if_any(folder.path());
}

#[test]
fn ambiguous_skypilot_names_are_rejected_and_counted() {
    let world = Market::new();
    let folder = TempDir::new().unwrap();
    // Seeweb charges euros, although the table has dollars.
    let run = update(
        &world,
        folder.path(),
        "--from skypilot --provider seeweb,gcp",
    );
    let notes = parsed(&run.expect_code(0))["notes"].to_string();
    assert!(
        notes.contains("seeweb: rows left out: 2 of a provider that charges in another currency"),
        "{notes}"
    );
    // A PCIe A100-80GB is not confused with an SXM module, although the name of the row fits both.
    let run = update(
        &world,
        folder.path(),
        "--from skypilot --provider fluidstack",
    );
    let notes = parsed(&run.expect_code(0))["notes"].to_string();
    let lost = "fluidstack: rows left out: 1 of types with an unknown form factor or tier";
    assert!(notes.contains(lost), "{notes}");
    let written = files(folder.path());
    assert!(written.iter().all(|(_, text)| !text.contains("PCIE")));
    assert!(
        written
            .iter()
            .any(|(_, text)| text.contains("H100_SXM5_80GB::8"))
    );
    verified_if_any(folder.path());
}

#[test]
fn every_skypilot_table_is_read_and_bids_are_not_prices() {
    let (world, folder) = (Market::new(), TempDir::new().unwrap());
    let run = update(&world, folder.path(), "--from skypilot");
    let answer = parsed(&run.expect_code(0));
    let notes = answer["notes"].to_string();
    let bids = "mithril: rows left out: 3 with a minimum bid instead of a price";
    assert!(notes.contains(bids), "{notes}");
    let rows = answer["results"].as_array().unwrap();
    let prices = |provider: &str| {
        let row = rows.iter().find(|row| row["provider"] == provider);
        row.unwrap()["prices"].as_u64()
    };
    assert_eq!((prices("mithril"), prices("yotta")), (Some(0), Some(2)));
    verified(folder.path());
}

fn verified_if_any(folder: &Path) {
    if !files(folder).is_empty() {
        verified(folder);
    }
}

#[test]
fn prices_of_the_provider_take_precedence() {
    let (world, folder) = (Market::new(), TempDir::new().unwrap());
    let folder = folder.path();
    let run = update(
        &world,
        folder,
        "--from skypilot,gpuhunt,providers --provider verda,lambda,azure,nebius",
    );
    // Lambda itself answers only with a key; the aggregators have its prices.
    let answer = parsed(&run.expect_code(5));
    let own_prices = |answer: &Value| {
        let rows = answer["results"].as_array().unwrap().iter();
        rows.filter_map(|row| row["superseded"].as_u64())
            .sum::<u64>()
    };
    assert!(own_prices(&answer) > 0, "{answer}");
    verified(folder);
    let verda = resolved(folder, "resolve H100:x8 --provider verda -o json");
    assert_eq!(verda["results"][0]["on_demand"]["quality"], "provider");
    // gpuhunt is fresher than SkyPilot, in any order of requests.
    let lambda = resolved(folder, "resolve H100:x8 --provider lambda -o json");
    let source = lambda["results"][0]["on_demand"]["source"]
        .as_str()
        .unwrap();
    assert!(source.starts_with("gpuhunt "), "{source}");
    let _ = update(&world, folder, "--provider verda").expect_code(0);
    let verda = resolved(folder, "resolve H100:x8 --provider verda -o json");
    assert_eq!(verda["results"][0]["on_demand"]["quality"], "provider");
}

#[test]
fn aggregator_prices_replace_old_provider_prices() {
    let (world, folder) = (Market::new(), TempDir::new().unwrap());
    let folder = folder.path();
    let _ = update(&world, folder, "--provider aws").expect_code(0);
    let own_file = folder.join("live-aws.toml");
    let text = fs::read_to_string(&own_file).unwrap();
    let today = Timestamp::now().to_string()[..10].to_owned();
    let old = text.replace(&today, "2026-01-02").replace("55.04", "99.0");
    assert_ne!(old, text);
    fs::write(&own_file, old).unwrap();
    let _ = update(&world, folder, "--from gpuhunt --provider aws").expect_code(0);
    let line = "resolve H100:x8 --provider aws --region us-east-1 -o json";
    let price = &resolved(folder, line)["results"][0]["on_demand"];
    assert_eq!(
        (&price["usd_per_hour"], &price["quality"]),
        (&json!(55.04), &json!("aggregator"))
    );
    // The provider's next answer replaces all other prices.
    let _ = update(&world, folder, "--provider aws").expect_code(0);
    assert_eq!(files(folder).len(), 1);
    let price = &resolved(folder, line)["results"][0]["on_demand"];
    assert_eq!(price["quality"], "provider");
}

#[test]
fn empty_answer_deletes_nothing() {
    let (world, folder) = (Market::new(), TempDir::new().unwrap());
    let folder = folder.path();
    let _ = update(&world, folder, "--provider ovhcloud,lium").expect_code(0);
    let before = files(folder);
    // All prices are zero, so the previous prices stay.
    let mut shop = Shop::default();
    for addon in &mut shop.ovhcloud.euro {
        addon["pricings"][0]["price"] = json!(0);
    }
    let _ = update(&Market::with(shop), folder, "--provider ovhcloud,lium").expect_code(0);
    let prices = |files: &[(String, String)]| -> usize {
        files
            .iter()
            .map(|(_, text)| text.matches("[[price]]").count())
            .sum()
    };
    assert_eq!(prices(&files(folder)), prices(&before));
}

#[test]
fn failed_or_frozen_feeds_keep_old_prices() {
    let (world, folder) = (Market::new(), TempDir::new().unwrap());
    let folder = folder.path();
    let _ = update(&world, folder, "--from gpuhunt --provider lambda").expect_code(0);
    let before = files(folder);
    assert_eq!(before.len(), 1);
    for (fault, said) in [
        (Fault::Html, "no version"),
        (Fault::Empty, "no version"),
        (Fault::ServerError, "HTTP 50"),
        (Fault::Forbidden, "although this needs no key"),
        (Fault::Close, "connection closed"),
        (Fault::Truncated, ""),
        (Fault::Endless, "larger than"),
    ] {
        let fault_name = format!("{fault:?}");
        world.standin.fault(Service::GPUHUNT, fault);
        let run = update(&world, folder, "--from gpuhunt --provider lambda").expect_code(4);
        assert!(run.stdout.is_empty(), "{fault_name}");
        assert!(run.stderr.contains(said), "{fault_name}: {}", run.stderr);
        assert_eq!(files(folder), before, "{fault_name}");
    }
    for fault in [
        Fault::Html,
        Fault::Empty,
        Fault::Truncated,
        Fault::Nulls,
        Fault::WrongTypes,
    ] {
        let fault_name = format!("{fault:?}");
        let world = Market::new();
        world
            .standin
            .fault_where(Service::GPUHUNT, "catalog.zip", fault);
        let run = update(&world, folder, "--from gpuhunt --provider lambda").expect_code(4);
        assert!(run.stdout.is_empty(), "{fault_name}");
        assert_eq!(files(folder), before, "{fault_name}");
    }
    let mut shop = Shop::default();
    shop.gpuhunt = shop.gpuhunt.published(Timestamp::now() - (24 * 30).hours());
    shop.skypilot.modified = Some(Timestamp::now() - (24 * 400).hours());
    let world = Market::with(shop);
    for from in ["gpuhunt", "skypilot"] {
        let options = format!("--from {from} --provider lambda");
        let run = update(&world, folder, &options).expect_code(4);
        assert!(
            run.stderr.contains("has not been updated since"),
            "{}",
            run.stderr
        );
        assert_eq!(files(folder), before);
    }
    // One of two sources is enough for an answer.
    let world = Market::new();
    world.standin.fault(Service::SKYPILOT, Fault::ServerError);
    let run = update(&world, folder, "--from gpuhunt,skypilot --provider lambda").expect_code(5);
    assert_eq!(parsed(&run)["results"][1]["status"], "failed");
}

#[test]
fn hostile_text_does_not_break_tables() {
    for from in [Service::GPUHUNT, Service::SKYPILOT] {
        let (world, folder) = (Market::new(), TempDir::new().unwrap());
        world.standin.fault(from, Fault::Hostile);
        let options = format!("--from {} --provider lambda,nebius", from.name());
        let run = update(&world, folder.path(), &options);
        assert!(
            !run.stderr.contains('\u{1b}') && !run.stdout.contains('\u{1b}'),
            "{}",
            run.stderr
        );
        for (name, text) in files(folder.path()) {
            assert!(toml::from_str::<toml::Table>(&text).is_ok(), "{name}");
            assert!(!text.contains('\u{1b}'), "{name}");
        }
        verified_if_any(folder.path());
    }
}
