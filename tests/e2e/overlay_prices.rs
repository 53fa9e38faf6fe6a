//! Prices in overlays: by region, of a contract, and old ones.

use std::collections::BTreeMap;

use serde_json::Value;
use tempfile::TempDir;

use crate::support::{folder, sky, sky_line, texts};

fn path(folder: &TempDir) -> &str {
    folder.path().to_str().expect("UTF-8")
}

#[test]
fn a_price_with_regions_is_the_price_of_these_regions() {
    let contract = |more: &str| {
        format!(
            "[[price]]\nprovider = \"aws\"\noffer = \"p5.48xlarge\"\nsource = \"our contract\"\nas_of = \"2025-01-01\"\n{more}\n"
        )
    };
    let by_region = |overlay: &TempDir| -> BTreeMap<String, f64> {
        let line = "resolve p5.48xlarge --provider aws --map -o json --catalog";
        let answer = sky_line(line).arg(overlay.path()).json();
        let prices = answer["results"][0]["region_prices"].as_array().unwrap();
        let price = |price: &Value| {
            let region = price["region"].as_str().unwrap().to_owned();
            (region, price["usd_per_hour"].as_f64().unwrap())
        };
        prices.iter().map(price).collect()
    };
    let listed = by_region(&folder(&[("a.toml", "")]));
    assert!(listed.len() > 2, "{listed:?}");
    let mut expected = listed.clone();
    expected.insert("us-east-1".to_owned(), 4.0);
    for amount in [
        "kind = \"contract\"\nusd_per_hour = 4.0\nregions = [\"us-east-1\"]",
        "usd_per_accelerator_hour = 0.5\nregions = [\"us-east-1\"]",
        "currency = \"USD\"\nper_hour = 4.0\nregions = [\"us-east-1\"]",
        "usd_per_hour = { us-east-1 = 4.0 }",
    ] {
        let overlay = folder(&[("a.toml", &contract(amount))]);
        assert_eq!(by_region(&overlay), expected, "{amount}");
    }
    let both = contract("usd_per_hour = { us-east-1 = 4.0 }\nregions = [\"us-east-1\"]");
    let overlay = folder(&[("a.toml", &both)]);
    let run = sky(["resolve", "L4", "--catalog", path(&overlay)]).run();
    let run = run.expect_code(6);
    let message = "a price with an amount for each region has no `regions`";
    assert!(run.stderr.contains(message), "{}", run.stderr);
}

#[test]
fn a_price_of_a_contract_is_believed() {
    let contract = "[[price]]\nprovider = \"aws\"\noffer = \"p5.48xlarge\"\nkind = \"contract\"\nsource = \"our contract\"\n\
         as_of = \"2025-01-01\"\nusd_per_hour = 0.9\n";
    // A later list price in the same folder does not replace it.
    let listed = contract.replace("contract\"\nsource", "list\"\nsource");
    let listed = listed.replace("0.9", "60.0").replace("2025", "2026");
    let overlay = folder(&[("a.toml", contract), ("b.toml", &listed)]);
    let line = "resolve p5.48xlarge --provider aws";
    let ask = |more: &str| sky_line(&format!("{line} {more} --catalog"));
    let answer = ask("-o json").arg(overlay.path()).json();
    let price = &answer["results"][0]["on_demand"];
    assert_eq!(price["usd_per_hour"], 0.9);
    assert_eq!(price["kind"], "contract");
    let run = ask("").arg(overlay.path()).run().expect_code(0);
    assert!(run.stdout.contains("your price"), "{}", run.stdout);
    // It has no age.
    let run = ask("--max-age 1d").arg(overlay.path()).run().expect_code(0);
    assert!(run.stdout.contains("your price"), "{}", run.stdout);
    let only = folder(&[("a.toml", contract)]);
    for line in [
        "plan H100:x8 --max-age 1d --catalog",
        "prices H100 --max-age 1d --catalog",
    ] {
        let run = sky_line(line).arg(only.path()).run().expect_code(0);
        assert!(run.stdout.contains("p5.48xlarge"), "{line}: {}", run.stdout);
    }
    // It comes before an equal list price of a provider that is first in the alphabet.
    let azure = "provider = \"azure\"\noffer = \"Standard_ND96isr_H100_v5\"";
    let equal = contract.replace("provider = \"aws\"\noffer = \"p5.48xlarge\"", azure);
    let equal = format!("{equal}\n{listed}").replace("0.9", "60.0");
    let equal = folder(&[("a.toml", &equal)]);
    for verb in ["resolve", "plan"] {
        let line = format!("{verb} H100:x8 --provider aws,azure -o json --catalog");
        let answer = sky_line(&line).arg(equal.path()).json();
        let first = &answer["results"][0];
        assert_eq!(first["provider"], "azure", "{verb}: {first}");
    }
    // Other users have to reserve such a machine.
    let reserved = contract
        .replace("aws", "digitalocean")
        .replace("p5.48xlarge", "gpu-b300x8-2304gb");
    let reserved = folder(&[("a.toml", &reserved)]);
    let answer = sky_line("resolve B300:x8 -o json --catalog")
        .arg(reserved.path())
        .json();
    assert_eq!(answer["results"][0]["provider"], "digitalocean", "{answer}");
    let only = folder(&[("a.toml", contract)]);
    let verify = sky(["catalog", "verify", path(&only)]).run();
    let _ = verify.expect_code(0);
    // Two regions may have prices of the same day.
    let [east, west] =
        ["us-east-1", "us-west-2"].map(|region| format!("{contract}regions = [\"{region}\"]\n"));
    let regional = folder(&[("a.toml", &format!("{east}{west}"))]);
    let verify = sky(["catalog", "verify", path(&regional)]).run();
    let _ = verify.expect_code(0);
    // The same amount as a list price is doubted.
    let list = folder(&[(
        "a.toml",
        &contract.replace("\"contract\"\nsource", "\"list\"\nsource"),
    )]);
    let _ = sky(["catalog", "verify", path(&list)]).run().expect_code(6);
}

#[test]
fn old_prices_count_with_their_likely_price() {
    let machine = |id: &str, accelerator: &str, usd: f64, as_of: &str| {
        format!(
            "[[offer]]\nid = \"{id}\"\naccelerator = \"{accelerator}\"\ncount = 8\nsource = \"a list\"\nas_of = \"{as_of}\"\n\
             [[price]]\noffer = \"{id}\"\ncapacity_type = \"on-demand\"\nusd_per_hour = {usd}\nsource = \"a list\"\nas_of = \"{as_of}\"\n"
        )
    };
    let sxm = "H100-80GB-SXM";
    let text = [
        "sold_by = \"acme\"\n[[provider]]\nid = \"acme\"\nname = \"Acme\"\nsells = \"instance-types\"\nprice_max_age_days = 30\n".to_owned(),
        machine("old", sxm, 20.0, "2026-01-05"),
        machine("fresh", sxm, 23.0, "2026-11-15"),
        machine("dear", sxm, 25.0, "2026-11-15"),
        machine("vague", sxm, 19.0, "2026"),
        machine("other-old", "H100-80GB-PCIe", 21.0, "2026-01-05"),
    ];
    let overlay = folder(&[("acme.toml", &text.concat())]);
    let listed = |more: &str| {
        let line = format!("resolve H100:x8 --provider acme -o json {more}");
        let answer = sky_line(&line).arg("--catalog").arg(overlay.path()).json();
        let ids = texts(&answer, "/instance_type");
        let ids: Vec<String> = ids.into_iter().map(str::to_owned).collect();
        let moved: Vec<String> = answer["results"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|offer| {
                let price = &offer["on_demand"];
                price["likely_usd_per_hour"] != price["usd_per_hour"]
            })
            .map(|offer| offer["instance_type"].as_str().unwrap().to_owned())
            .collect();
        (ids, moved)
    };
    let (ids, moved) = listed("");
    // A price of an unknown month comes last, however low.
    assert_eq!(ids, ["other-old", "old", "fresh", "dear", "vague"]);
    assert_eq!(moved, ["other-old", "old", "vague"]);
    let (ids, moved) = listed("--price stated");
    assert_eq!(ids, ["old", "other-old", "fresh", "dear", "vague"]);
    assert!(moved.is_empty(), "{moved:?}");
}

#[test]
fn a_contract_with_a_marketplace_leads_every_summary() {
    let contract = "[[price]]\nprovider = \"vastai\"\noffer = \"H100 SXM\"\nkind = \"contract\"\nsource = \"our contract\"\n\
                    as_of = \"2026-07-01\"\nusd_per_accelerator_hour = 0.4\n";
    let overlay = folder(&[("a.toml", contract)]);
    let run = |line: &str| {
        let words = shlex::split(line).unwrap();
        sky(words).arg("--catalog").arg(overlay.path())
    };
    let prices = run("prices H100:SXM --capacity-type on-demand -o json").json();
    let markets = prices["results"].as_array().unwrap();
    let market = markets
        .iter()
        .find(|market| market["kind"] == "marketplace");
    assert_eq!(market.unwrap()["cheapest"]["kind"], "contract");
    let page = run("show H100:SXM").run().expect_code(0).stdout;
    let first = "The cheapest likely price is $0.400 per hour for one, at vastai";
    assert!(page.contains(first), "{page}");
}

#[test]
fn a_recommended_machine_of_a_private_host_is_marked_without_another_doubt() {
    let price = "[[price]]\nprovider = \"runpod\"\noffer = \"NVIDIA RTX A5000\"\ncapacity_type = \"on-demand\"\n\
                 tier = \"community\"\nkind = \"list\"\nsource = \"runpod.io\"\nas_of = \"2026-11-19\"\n\
                 usd_per_accelerator_hour = 0.25\n";
    let overlay = folder(&[("a.toml", price)]);
    let line = "recommend 8B --on RTXA5000 --provider runpod --tier any --capacity-type on-demand --limit 1 --catalog";
    let run = || sky_line(line).arg(overlay.path());
    let answer = run().arg("-o").arg("json").json();
    let first = &answer["results"][0];
    assert_eq!(first["tier"], "marketplace", "{first}");
    assert!(first["offer"].get("reasons").is_none(), "{first}");
    let run = run().run().expect_code(0);
    let mut rows = run.stdout.lines().filter(|row| row.contains(" runpod "));
    assert!(
        rows.next().is_some_and(|row| row.starts_with("! ")),
        "{}",
        run.stdout
    );
    assert!(run.stderr.contains("; ! private host"), "{}", run.stderr);
}
