//! `catalog update --from litellm` and `--from genai-prices`: prices of tokens from public lists.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};
use sky_accel_standin::{Fault, Service, Shop};
use tempfile::TempDir;

use super::Market;
use super::public::without_keys;
use crate::support::{Run, sky};

fn update(world: &Market, folder: &Path, options: &str) -> Run {
    let line = format!("catalog update {options} --into");
    without_keys(world, &line).arg(folder).run()
}

fn text(folder: &Path) -> String {
    fs::read_to_string(folder.join("token-prices.csv")).unwrap()
}

/// The row of a seller's model.
fn row<'t>(text: &'t str, seller: &str, id: &str) -> Option<&'t str> {
    let part = format!(",{seller},{id},");
    text.lines().find(|line| line.contains(&part))
}

/// The prices of a model in an answer with the folder as an overlay: the seller and US dollars of input.
fn offers(folder: &Path) -> Vec<(String, f64)> {
    let answer = sky("recommend Llama-3.3-70B --compare api -o json --catalog".split(' '))
        .arg(folder)
        .json();
    let offers = answer["comparison"]["offers"].as_array().unwrap();
    offers
        .iter()
        .map(|offer| {
            let seller = offer["seller"].as_str().unwrap().to_owned();
            (seller, offer["input_usd"].as_f64().unwrap())
        })
        .collect()
}

#[test]
fn prices_of_a_list_replace_those_of_the_catalog() {
    let (world, folder) = (Market::new(), TempDir::new().unwrap());
    let folder = folder.path();
    let run = update(&world, folder, "--from litellm").expect_code(0);
    assert!(run.stdout.contains("litellm"), "{}", run.stdout);
    // A price in another unit, and a model of a seller that the catalog does not know.
    let said = format!("{}{}", run.stdout, run.stderr);
    assert!(
        said.contains(
            "1 changed by more than 4 times (oci meta.llama-3.3-70b-instruct-fp8-dynamic)"
        ),
        "{said}"
    );
    assert!(said.contains("models of 1 sellers without"), "{said}");
    let text = text(folder);
    let fireworks = row(&text, "fireworks", "llama-v3p3-70b-instruct").unwrap();
    assert_eq!(
        fireworks,
        "Llama-3.3-70B,fireworks,llama-v3p3-70b-instruct,,,tokens,0.8,0.8,0.4,131072,2026-11-20,2026-11-20,,\"litellm, read by sky-accel catalog update\""
    );
    // A new model of a known seller, an image, and nothing of closed models.
    assert!(row(&text, "groq", "meta-llama/Llama-3.3-70B-Instruct").is_some());
    assert!(
        row(&text, "fireworks", "flux-1-dev")
            .unwrap()
            .contains("image,,0.02")
    );
    assert!(!text.contains("gpt-9"));
    // An answer uses them; the seller that retired the model is gone.
    let found = offers(folder);
    assert!(found.contains(&("fireworks".to_owned(), 0.8)), "{found:?}");
    assert!(
        !found.iter().any(|(seller, _)| seller == "nscale"),
        "{found:?}"
    );
    let run = sky(["catalog", "verify"]).arg(folder).run().expect_code(0);
    assert!(run.stderr.contains("no errors found"), "{}", run.stderr);
    // The second list adds to the first.
    update(&world, folder, "--from genai-prices").expect_code(0);
    let both = offers(folder);
    assert!(both.contains(&("groq".to_owned(), 0.55)), "{both:?}");
    assert!(both.contains(&("fireworks".to_owned(), 0.8)), "{both:?}");
    update(&world, folder, "--from litellm,genai-prices").expect_code(0);
}

#[test]
fn a_dry_run_writes_nothing() {
    let (world, folder) = (Market::new(), TempDir::new().unwrap());
    let run = update(&world, folder.path(), "--from litellm --dry-run -o json").expect_code(0);
    let answer: Value = serde_json::from_str(&run.stdout).unwrap();
    assert_eq!(answer["request"]["from"], json!(["litellm"]));
    assert_eq!(answer["results"][0]["prices"], 5);
    assert!(!folder.path().join("token-prices.csv").exists());
}

#[test]
fn a_list_with_another_unit_is_refused_whole() {
    let mut shop = Shop::default();
    let list = shop.token_lists.litellm.as_object_mut().unwrap();
    for model in list.values_mut() {
        if model["input_cost_per_token"].is_number() {
            model["input_cost_per_token"] = json!(0.6);
            model["output_cost_per_token"] = json!(0.6);
        }
    }
    let (world, folder) = (Market::with(shop), TempDir::new().unwrap());
    let run = update(&world, folder.path(), "--from litellm").expect_code(4);
    let said = format!("{}{}", run.stdout, run.stderr);
    assert!(said.contains("existing prices are kept"), "{said}");
    assert!(!folder.path().join("token-prices.csv").exists());
}

#[test]
fn faults_of_a_list_change_nothing() {
    for fault in [
        Fault::ServerError,
        Fault::Html,
        Fault::Empty,
        Fault::Truncated,
        Fault::Endless,
        Fault::Close,
        Fault::Nulls,
        Fault::WrongTypes,
    ] {
        for (name, service) in [
            ("litellm", Service::LITELLM),
            ("genai-prices", Service::GENAI_PRICES),
        ] {
            let (world, folder) = (Market::new(), TempDir::new().unwrap());
            world.standin.fault(service, fault.clone());
            let run = update(&world, folder.path(), &format!("--from {name}"));
            assert_ne!(run.code, 0, "{fault:?} {}", run.stdout);
            assert!(
                !folder.path().join("token-prices.csv").exists(),
                "{fault:?}"
            );
            let said = format!("{}{}", run.stdout, run.stderr);
            assert!(said.contains(name), "{fault:?}: {said}");
        }
    }
}

#[test]
fn hostile_names_do_not_reach_the_file() {
    let (world, folder) = (Market::new(), TempDir::new().unwrap());
    world.standin.fault(Service::GENAI_PRICES, Fault::Hostile);
    update(&world, folder.path(), "--from genai-prices");
    let file = folder.path().join("token-prices.csv");
    let text = fs::read_to_string(file).unwrap_or_default();
    assert!(!text.contains('\u{1b}') && text.len() < 10_000);
}

#[test]
fn lists_and_offers_are_updated_one_after_another() {
    let (world, folder) = (Market::new(), TempDir::new().unwrap());
    let run = update(&world, folder.path(), "--from gpuhunt,litellm").expect_code(2);
    assert!(
        run.stderr.contains("update them one after another"),
        "{}",
        run.stderr
    );
}
