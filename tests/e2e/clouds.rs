//! Providers: their names for accelerators, currencies, the quality of prices, and
//! the length of tables.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;

use serde_json::Value;

use crate::support::{Run, sky, sky_line};

/// The offers of an answer.
fn offers(line: &str) -> Vec<Value> {
    let answer = sky_line(line).args(["-o", "json"]).json();
    answer["results"].as_array().unwrap().clone()
}

/// The offers of an answer with an overlay.
fn with_overlay(toml: &str, line: &str) -> Vec<Value> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("own.toml");
    fs::write(&file, toml).unwrap();
    let answer = sky_line(line)
        .arg("--catalog")
        .arg(&file)
        .args(["-o", "json"])
        .json();
    answer["results"].as_array().unwrap().clone()
}

fn types(offers: &[Value]) -> Vec<&str> {
    let types = offers.iter();
    types
        .map(|offer| offer["instance_type"].as_str().unwrap())
        .collect()
}

fn providers(offers: &[Value]) -> BTreeSet<&str> {
    let providers = offers.iter();
    providers
        .map(|offer| offer["provider"].as_str().unwrap())
        .collect()
}

#[test]
fn every_provider_has_its_own_name() {
    for (spec, provider, name) in [
        ("H100:x8", "gcp", "a3-highgpu-8g"),
        ("H100:x8", "google", "a3-highgpu-8g"),
        ("H100:x8", "az", "Standard_ND96isr_H100_v5"),
        ("H100:x8", "lambda", "gpu_8x_h100_sxm5"),
        ("H100:x8", "oracle", "BM.GPU.H100.8"),
        ("H100:x8", "nebius", "gpu-h100-sxm_8gpu-128vcpu-1600gb"),
        ("Gaudi3:x8", "ibm", "gx3d-160x1792x8gaudi3"),
        ("MI300X:x8", "azure", "Standard_ND96isr_MI300X_v5"),
        ("GB200:x4", "coreweave", "gb200-4x"),
        ("TPUv5p:x4", "gcp", "v5p-8"),
        ("RTXPRO6000:x0.5", "gcp", "g4-standard-24"),
    ] {
        let found = offers(&format!("resolve {spec} --provider {provider}"));
        assert!(
            types(&found).contains(&name),
            "{spec} {provider}: {:?}",
            types(&found)
        );
        let same = offers(&format!("resolve {name} --provider {provider}"));
        assert!(types(&same).contains(&name), "{name}: {:?}", types(&same));
    }
    // A common name that is also an instance type matches all providers.
    assert!(providers(&offers("resolve H100x8")).len() > 30);
    let run = sky_line("resolve H100 --provider gpc").run().expect_code(2);
    assert!(run.stderr.contains("gcp"), "{}", run.stderr);
}

#[test]
fn every_offer_has_its_kind() {
    let one = |line: &str, name: &str| {
        let found = offers(line);
        let offer = found.iter().find(|offer| offer["instance_type"] == name);
        offer
            .unwrap_or_else(|| panic!("{name}: {:?}", types(&found)))
            .clone()
    };
    let slice = one("resolve TPUv5p:x8 --provider gcp", "v5p-16");
    assert_eq!(
        (&slice["sells"], &slice["hosts"], &slice["topology"]),
        (&"slice".into(), &2.into(), &"2x2x2".into())
    );
    assert_eq!(slice["on_demand"]["usd_per_hour"], 33.6);
    assert_eq!(slice["on_demand"]["usd_per_accelerator_hour"], 4.2);
    let share = one("resolve RTXPRO6000:x0.125 --provider gcp", "g4-standard-6");
    assert_eq!(
        (&share["sells"], &share["count"]),
        (&"share".into(), &0.125.into())
    );
    assert_eq!(
        one("resolve H100 --provider modal", "H100")["sells"],
        "container"
    );
    assert_eq!(
        one("resolve L40 --provider outscale", "nvidia-l40")["sells"],
        "attached"
    );
    let resold = one(
        "resolve H100:x8 --provider primeintellect",
        "lambdalabs__8xH100_80GB__208__1800",
    );
    assert_eq!(
        (&resold["broker"], &resold["upstream"]),
        (&"primeintellect".into(), &"lambda".into())
    );
    assert_eq!(
        one("resolve H100:x8 --provider aws", "p5.48xlarge")["sells"],
        "machine"
    );
}

#[test]
fn restricted_offers_have_a_status_and_never_come_first() {
    let found = offers("resolve H200:x8");
    assert_eq!(found[0]["status"], "offered");
    let reserved = found
        .iter()
        .find(|offer| offer["instance_type"] == "a3-ultragpu-8g");
    let reserved = reserved.unwrap();
    assert_eq!(reserved["status"], "spot-only");
    assert!(
        reserved["status_note"]
            .as_str()
            .unwrap()
            .contains("flex-start")
    );
    let on_demand = offers("resolve H200:x8 --capacity-type on-demand");
    assert!(!types(&on_demand).contains(&"a3-ultragpu-8g"));
    for spec in ["RTXPRO6000:x1", "V100:x1", "A100:x1", "K80:x1"] {
        let found = offers(&format!("resolve {spec}"));
        let ranks = found.iter().map(|offer| {
            let order = [
                "offered",
                "spot-only",
                "reserved-only",
                "preview",
                "unlisted",
                "stale",
                "retired",
            ];
            order
                .iter()
                .position(|word| offer["status"] == *word)
                .unwrap()
        });
        let ranks: Vec<usize> = ranks.collect();
        assert!(ranks.is_sorted(), "{spec}: {ranks:?}");
    }
}

#[test]
fn only_sold_counts_match() {
    let found = offers("resolve T4:x2 --provider gcp");
    assert_eq!(types(&found), ["nvidia-tesla-t4"]);
    sky_line("resolve T4:x3 --provider gcp")
        .run()
        .expect_code(1);
    let counts: Vec<Value> = offers("resolve T4:x1..8 --provider gcp")
        .iter()
        .map(|offer| offer["count"].clone())
        .collect();
    assert_eq!(counts, [1, 2, 4]);
}

#[test]
fn plans_reject_offers_that_cannot_be_rented() {
    for (line, reason, words) in [
        (
            "plan V100:32GB:x8 --provider scp",
            "not-offered",
            "old list",
        ),
        ("plan H100:x8 --provider fluidstack", "market", "reserved"),
        (
            "plan H200:x8 --provider gcp --capacity-type on-demand",
            "market",
            "not sold on demand",
        ),
    ] {
        let run = sky_line(line).args(["-o", "json"]).run().expect_code(1);
        let plan: Value = serde_json::from_str(&run.stdout).expect("JSON");
        assert!(plan["results"].as_array().unwrap().is_empty(), "{line}");
        let rejected = plan["rejected"].as_array().unwrap();
        let is_it = |row: &Value| {
            row["reason"] == reason
                && row["detail"]
                    .as_str()
                    .is_some_and(|text| text.contains(words))
        };
        assert!(rejected.iter().any(is_it), "{line}: {rejected:?}");
    }
}

#[test]
fn plan_has_only_providers_of_its_target() {
    for (engine, unreached) in [
        ("skypilot", ["vultr", "hotaisle", "coreweave"]),
        ("dstack", ["cudo", "primeintellect", "coreweave"]),
        ("terraform", ["runpod", "lambda", "coreweave"]),
    ] {
        let run = sky_line(&format!("plan H100:x8 --to {engine} --limit 40 -o json"))
            .run()
            .expect_code(0);
        let plan: Value = serde_json::from_str(&run.stdout).expect("JSON");
        let found = plan["results"].as_array().unwrap();
        assert_eq!(found.len(), 40, "{engine}");
        for provider in providers(found) {
            assert!(!unreached.contains(&provider), "{engine}: {provider}");
        }
    }
}

#[test]
fn other_currencies_are_shown_in_dollars_by_a_dated_rate() {
    let seeweb = "resolve L4:x1 --provider seeweb";
    let found = offers(seeweb);
    let price = &found[0]["on_demand"];
    assert_eq!(price["currency"]["code"], "EUR");
    let (euros, rate) = (
        &price["currency"]["per_hour"],
        &price["currency"]["usd_rate"],
    );
    let usd = euros.as_f64().unwrap() * rate.as_f64().unwrap();
    assert!(
        (price["usd_per_hour"].as_f64().unwrap() - usd).abs() < 1e-5,
        "{price}"
    );
    assert!(
        price["currency"]["rate_as_of"]
            .as_str()
            .unwrap()
            .starts_with("2026-")
    );
    assert_eq!(found[0]["currency"], price["currency"]);
    assert!(
        offers("resolve L4:x1 --provider aws")[0]
            .get("currency")
            .is_none()
    );

    let rate =
        "[[currency]]\ncode = \"EUR\"\nusd = 2.0\nsource = \"our bank\"\nas_of = \"2026-11-01\"\n";
    let twice = with_overlay(rate, seeweb);
    let price = &twice[0]["on_demand"];
    assert_eq!(price["currency"]["usd_rate"], 2);
    let euros = price["currency"]["per_hour"].as_f64().unwrap();
    assert!((price["usd_per_hour"].as_f64().unwrap() - euros * 2.0).abs() < 1e-9);
    // Without a rate the price in dollars is unknown.
    let francs = "[[price]]\nprovider = \"aws\"\noffer = \"g6.xlarge\"\ncurrency = \"CHF\"\nper_hour = 1.0\n\
                  source = \"x\"\nas_of = \"2026-11-01\"\n";
    let same = with_overlay(francs, "resolve g6.xlarge --provider aws");
    assert_eq!(
        same[0]["on_demand"]["usd_per_hour"],
        offers("resolve g6.xlarge --provider aws")[0]["on_demand"]["usd_per_hour"]
    );
    let run = sky_line("resolve L4:x1 --provider seeweb")
        .run()
        .expect_code(0);
    assert!(run.stdout.contains("EUR"), "{}", run.stdout);
}

#[test]
fn weak_prices_rank_after_strong_prices_and_are_marked() {
    let cheap = |quality: &str| {
        format!(
            "[[price]]\nprovider = \"coreweave\"\noffer = \"gd-8xh100ib-i128\"\nusd_per_hour = 8.0\n\
             quality = \"{quality}\"\nsource = \"x\"\nas_of = \"2026-11-01\"\n"
        )
    };
    let first = |quality: &str| {
        let found = with_overlay(&cheap(quality), "resolve H100:x8");
        found[0]["provider"].as_str().unwrap().to_owned()
    };
    for good in ["provider", "aggregator"] {
        assert_eq!(first(good), "coreweave", "{good}");
    }
    for weak in ["documentation", "pattern"] {
        assert_ne!(first(weak), "coreweave", "{weak}");
    }
    let found = offers("resolve TPUv7x:x4 --provider gcp");
    assert_eq!(found[0]["on_demand"]["quality"], "pattern");
    let run = sky_line("resolve TPUv7x:x4 --provider gcp")
        .run()
        .expect_code(0);
    assert!(run.stdout.contains("~48.00"), "{}", run.stdout);
    assert!(run.stderr.contains("~ an estimate"), "{}", run.stderr);
}

#[test]
fn providers_come_in_groups_and_can_be_left_out() {
    let selected = |filter: &str| {
        let found = offers(&format!("resolve H100:x8 --provider {filter}"));
        providers(&found)
            .into_iter()
            .map(str::to_owned)
            .collect::<BTreeSet<_>>()
    };
    assert_eq!(
        selected("hyperscalers").into_iter().collect::<Vec<_>>(),
        ["aws", "azure", "gcp", "oci"]
    );
    assert_eq!(
        selected("aws,gcp").into_iter().collect::<Vec<_>>(),
        ["aws", "gcp"]
    );
    assert_eq!(
        selected("hyperscalers,!aws,!oci")
            .into_iter()
            .collect::<Vec<_>>(),
        ["azure", "gcp"]
    );
    let (all, others) = (
        providers(&offers("resolve H100:x8")).len(),
        selected("!marketplaces"),
    );
    assert!(others.len() < all && !others.contains("vastai") && others.contains("aws"));
    assert!(selected("brokers").contains("shadeform"));
    assert!(selected("eu").contains("scaleway") && !selected("eu").contains("aws"));
    let run = sky_line("resolve H100 --provider aws,!aws")
        .run()
        .expect_code(2);
    assert!(
        run.stderr.contains("excludes every provider"),
        "{}",
        run.stderr
    );
}

#[test]
fn groups_of_countries_filter_regions() {
    let regions = |filter: &str, provider: &str| {
        let line =
            format!("resolve any:>=16GB:x1 --provider {provider} --region {filter} --limit 400");
        let found = offers(&line);
        let regions = found.iter().flat_map(|offer| {
            let regions = offer["regions"].as_array().cloned().unwrap_or_default();
            regions
                .into_iter()
                .map(|region| region.as_str().unwrap().to_owned())
        });
        regions.collect::<BTreeSet<_>>()
    };
    let eu = regions("EU", "gcp");
    assert!(
        eu.contains("europe-west4") && !eu.contains("europe-west2"),
        "{eu:?}"
    );
    assert!(!eu.contains("europe-west6"), "Zurich: {eu:?}");
    let europe = regions("europe", "gcp");
    assert!(
        europe.contains("europe-west2") && !europe.contains("us-central1"),
        "{europe:?}"
    );
    assert!(regions("EU", "verda").contains("FIN-01"));
    let by_name = regions("eu-*", "aws");
    assert!(by_name.contains("eu-west-2"), "{by_name:?}");
    assert!(!regions("EU", "aws").contains("eu-west-2"));
    assert!(regions("US", "azure").contains("eastus"));
    let run = sky_line("resolve L4 --provider gcp --region us-central9")
        .run()
        .expect_code(2);
    assert!(run.stderr.contains("us-central1"), "{}", run.stderr);
}

/// The rows of a table.
fn rows(run: &Run) -> Vec<&str> {
    run.stdout.lines().skip(1).collect()
}

#[test]
fn a_long_answer_begins_with_the_best_of_each_provider() {
    let run = sky_line("resolve H100:x8").run().expect_code(0);
    let first = rows(&run);
    assert_eq!(first.len(), 10, "{}", run.stdout);
    let sellers = first.iter().map(|row| row.trim_start_matches(['*', ' ']));
    let sellers: BTreeSet<&str> = sellers
        .filter_map(|row| row.split_whitespace().next())
        .collect();
    assert_eq!(sellers.len(), 10, "{}", run.stdout);
    let all = sky_line("resolve H100:x8 --all").run().expect_code(0);
    let more = rows(&all).len() - 10;
    assert!(
        run.stderr.starts_with(&format!("{more} more: --all; ")),
        "{}",
        run.stderr
    );
    assert!(!all.stderr.contains("--all"), "{}", all.stderr);
    let verbose = sky_line("resolve H100:x8 -v").run().expect_code(0);
    let with_others = format!("{more} more, with ");
    assert!(verbose.stderr.contains(&with_others), "{}", verbose.stderr);
    let json = offers("resolve H100:x8");
    assert_eq!(json.len(), rows(&all).len());
    let names = sky_line("resolve H100:x8 -o names").run().expect_code(0);
    assert!(names.stdout.lines().count() > 40);
    // `--limit` shows more rows than the default.
    assert_eq!(
        rows(&sky_line("resolve H100:x8 --limit 20").run()).len(),
        20
    );
    // Each spec has up to ten rows.
    let two = sky_line("resolve H100:x8 A100:x8").run().expect_code(0);
    assert_eq!(rows(&two).len(), 20, "{}", two.stdout);
    // Short tables are complete, even with several rows per provider.
    let few = sky_line("resolve A100:x8 --provider aws")
        .run()
        .expect_code(0);
    assert_eq!(
        rows(&few).len(),
        offers("resolve A100:x8 --provider aws").len()
    );
}

#[test]
fn group_by_keeps_one_row_per_key() {
    let all = offers("resolve H100:x8 --region EU");
    for by in ["provider", "accelerator", "count"] {
        let line = format!("resolve H100:x8 --region EU --group-by {by}");
        let folded = offers(&line);
        let keys = folded
            .iter()
            .map(|offer| offer["group"]["key"].as_str().unwrap());
        let keys: BTreeSet<&str> = keys.collect();
        assert_eq!(keys.len(), folded.len(), "{by}: each key once");
        let members: u64 = folded
            .iter()
            .map(|offer| offer["group"]["offers"].as_u64().unwrap())
            .sum();
        assert_eq!(members, all.len() as u64, "{by}");
        for offer in &folded {
            let group = &offer["group"];
            assert_eq!(group["by"], by);
            let price = offer["on_demand"]["likely_usd_per_hour"].as_f64();
            let (min, max) = (
                group["usd_per_hour_min"].as_f64(),
                group["usd_per_hour_max"].as_f64(),
            );
            assert!(min <= price && price <= max, "{offer}");
        }
        let first = sky_line(&line).run().expect_code(0);
        assert_eq!(rows(&first).len(), folded.len(), "{}", first.stdout);
    }
    // Each group has the prices of its region.
    let folded = offers("resolve a3-highgpu-8g --provider gcp --group-by region");
    let eemshaven = folded
        .iter()
        .find(|offer| offer["group"]["key"] == "gcp/europe-west4");
    let there = offers("resolve a3-highgpu-8g --provider gcp --region europe-west4");
    let eemshaven = eemshaven.expect("a region of the Netherlands");
    assert_eq!(
        eemshaven["on_demand"]["usd_per_hour"],
        there[0]["on_demand"]["usd_per_hour"]
    );
    assert!(folded.len() > 10);
    let prices = folded.iter().map(|offer| {
        offer["on_demand"]["usd_per_hour"]
            .as_f64()
            .unwrap_or(f64::MAX)
    });
    assert!(prices.is_sorted());
    let csv = sky_line("resolve H100:x8 --group-by provider -o csv")
        .run()
        .expect_code(0);
    assert!(
        csv.stdout.starts_with("group.key,group.offers,"),
        "{}",
        csv.stdout
    );
    let cut = offers("resolve H100:x8 --group-by provider --limit 3");
    assert_eq!(cut.len(), 3);
}

/// Runs `catalog verify` on an overlay.
fn verify(toml: &str) -> Run {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("own.toml");
    fs::write(&file, toml).unwrap();
    sky(["catalog", "verify"]).arg(&file).run()
}

#[test]
fn verify_finds_known_defects_of_other_lists() {
    let price = |provider: &str, offer: &str, rest: &str| {
        format!(
            "[[price]]\nprovider = \"{provider}\"\noffer = \"{offer}\"\nsource = \"x\"\nas_of = \"2026-11-10\"\n{rest}\n"
        )
    };
    for (trap, words) in [
        // Linux plus 0.046 for each of 24 vCPUs.
        (
            price(
                "azure",
                "Standard_NC24ads_A100_v4",
                "usd_per_hour = { eastus = 4.777 }",
            ),
            "price with Windows",
        ),
        // The amount of the list price in euros.
        (
            price("scaleway", "L4-1-24G", "usd_per_hour = 0.7875"),
            "is the amount in EUR",
        ),
        // A placeholder price.
        (
            price("gcp", "v6e-8", "usd_per_hour = { us-east1 = 700.0 }"),
            "placeholder",
        ),
        // The price of another billing meter with the same name.
        (
            price(
                "gcp",
                "a3-highgpu-8g",
                "usd_per_hour = { us-central1 = 33.6064 }",
            ),
            "us-central1",
        ),
        (
            price(
                "gcp",
                "a3-highgpu-8g",
                "capacity_type = \"spot\"\nusd_per_hour = { us-central1 = 99.0 }",
            ),
            "above on-demand",
        ),
        // The bid of an auction.
        (
            price("mithril", "h100-80gb.sxm.8x", "usd_per_hour = 8.0"),
            "a bid is not a list price",
        ),
        // The price of one device instead of eight.
        (
            price("lambda", "gpu_8x_h100_sxm5", "usd_per_hour = 3.99"),
            "is the price of one device",
        ),
        // A currency without a rate.
        (
            price("aws", "g6.xlarge", "currency = \"CHF\"\nper_hour = 1.0"),
            "no [[currency]] has a rate for CHF",
        ),
    ] {
        let run = verify(&trap);
        assert_eq!(run.code, 6, "{trap}: {}", run.stderr);
        assert!(run.stderr.contains(words), "{words}: {}", run.stderr);
    }
    // A default currency does not affect an amount in dollars.
    let euros = format!(
        "sold_by = \"scaleway\"\n[defaults]\ncurrency = \"EUR\"\n{}",
        price("scaleway", "L4-1-24G", "usd_per_hour = 0.7875")
    );
    let run = verify(&euros);
    assert!(
        run.stderr.contains("is the amount in EUR"),
        "{}",
        run.stderr
    );
    for fine in [
        price(
            "azure",
            "Standard_NC24ads_A100_v4",
            "usd_per_hour = { eastus = 3.5 }",
        ),
        price("scaleway", "L4-1-24G", "currency = \"EUR\"\nper_hour = 0.8"),
        price(
            "mithril",
            "h100-80gb.sxm.8x",
            "kind = \"snapshot\"\nusd_per_hour = 20.0",
        ),
    ] {
        let run = verify(&fine);
        assert_eq!(run.code, 0, "{fine}: {}", run.stderr);
    }
}

#[test]
fn wrong_currency_or_group_has_a_location() {
    for (wrong, words) in [
        (
            "[[currency]]\ncode = \"euro\"\nusd = 1.1\nsource = \"x\"\nas_of = \"2026\"\n",
            "ISO 4217",
        ),
        (
            "[[currency]]\ncode = \"EUR\"\nusd = 0\nsource = \"x\"\nas_of = \"2026\"\n",
            "US dollars",
        ),
        (
            "[[region_group]]\nname = \"X\"\ncountries = [\"Germany\"]\nsource = \"x\"\nas_of = \"2026\"\n",
            "ISO 3166-1",
        ),
        (
            "[[price]]\nprovider = \"aws\"\noffer = \"g6.xlarge\"\nper_hour = 1.0\nsource = \"x\"\nas_of = \"2026\"\n",
            "set the `currency`",
        ),
        (
            "[[price]]\nprovider = \"aws\"\noffers = []\nusd_per_hour = 1.0\nsource = \"x\"\nas_of = \"2026\"\n",
            "either `offer` or `offers`",
        ),
        (
            "[[price]]\nprovider = \"aws\"\noffer = \"g6.xlarge\"\noffers = [\"g6.2xlarge\"]\nusd_per_hour = 1.0\nsource = \"x\"\nas_of = \"2026\"\n",
            "either `offer` or `offers`",
        ),
    ] {
        let run = verify(wrong);
        assert_eq!(run.code, 6, "{wrong}: {}", run.stderr);
        assert!(run.stderr.contains(words), "{words}: {}", run.stderr);
    }
}

#[test]
fn a_list_of_offers_by_a_list_of_regions_is_bounded() {
    let mut toml = "sold_by = \"cloud\"\n[[provider]]\nid = \"cloud\"\n".to_owned();
    let ids: Vec<String> = (0..2000).map(|at| format!("\"t{at}\"")).collect();
    for id in &ids {
        let _ = writeln!(
            toml,
            "[[offer]]\nid = {id}\naccelerator = \"L4\"\ncount = 1\nsource = \"x\"\nas_of = \"2026\""
        );
    }
    let regions: Vec<String> = (0..600).map(|at| format!("r{at} = 1.0")).collect();
    let _ = writeln!(
        toml,
        "[[price]]\noffers = [{}]\nsource = \"x\"\nas_of = \"2026\"\nusd_per_hour = {{ {} }}",
        ids.join(", "),
        regions.join(", ")
    );
    let run = verify(&toml);
    assert_eq!(run.code, 6, "{}", run.stderr);
    assert!(
        run.stderr.contains("more than 1000000 prices"),
        "{}",
        run.stderr
    );
}

#[test]
fn prices_are_shown_in_another_currency_by_a_dated_rate() {
    let run = sky_line("resolve H100:x8 --provider scaleway,aws --currency eur -o json")
        .run()
        .expect_code(0);
    let answer: Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert_eq!(answer["request"]["currency"], "EUR");
    let results = answer["results"].as_array().unwrap();
    assert_eq!(providers(results).len(), 2);
    for offer in results {
        let Some(usd) = offer["on_demand"]["usd_per_hour"].as_f64() else {
            continue;
        };
        let currency = &offer["on_demand"]["currency"];
        assert_eq!(currency["code"], "EUR", "{offer}");
        assert_eq!(currency["rate_as_of"].as_str().map(str::len), Some(10));
        let (euros, rate) = (&currency["per_hour"], &currency["usd_rate"]);
        let usd_of_euros = euros.as_f64().unwrap() * rate.as_f64().unwrap();
        assert!((usd_of_euros / usd - 1.0).abs() < 1e-4, "{offer}");
    }
    for command in [
        "resolve H100:x8",
        "resolve H100 --group-by provider",
        "recommend --model-size 8B",
        "plan H100:x8",
    ] {
        let run = sky_line(&format!("{command} --currency GBP"))
            .run()
            .expect_code(0);
        let head = run.stdout.lines().find(|line| line.contains("PROVIDER"));
        let head = head.unwrap_or_default();
        assert!(head.contains("GBP/H") && !head.contains("USD"), "{head}");
        assert!(run.stderr.contains("1 GBP is $"), "{}", run.stderr);
    }
    let run = sky_line("resolve H100 --currency EURO")
        .run()
        .expect_code(2);
    assert!(run.stderr.contains("did you mean EUR?"), "{}", run.stderr);
    assert!(run.stdout.is_empty());
}

#[test]
fn attached_accelerators_name_a_host_with_its_price_and_its_limit() {
    for (spec, host, most) in [
        ("T4", "n1-standard-4", 48),
        ("V100:x8", "n1-standard-32", 96),
        ("P100:x2", "n1-standard-8", 32),
    ] {
        let run = sky_line(&format!(
            "resolve {spec} --provider gcp --region us-central1 -o json"
        ))
        .run()
        .expect_code(0);
        let answer: Value = serde_json::from_str(&run.stdout).expect("JSON");
        let results = answer["results"].as_array().unwrap();
        let attached = results.iter().find(|offer| offer["sells"] == "attached");
        let found = &attached.expect("an attached one")["host"];
        assert_eq!(found["instance_type"], host);
        assert_eq!(found["max_vcpu"], most);
        // us-central1: 0.0475 for a vCPU.
        let usd = found["usd_per_hour"].as_f64().unwrap();
        let vcpu = found["vcpu"].as_f64().unwrap();
        assert!((usd / vcpu - 0.0475).abs() < 1e-4, "{found}");
        assert!(found["spot_usd_per_hour"].as_f64().unwrap() < usd);
    }
    let run = sky_line("resolve a2-highgpu-1g -o json")
        .run()
        .expect_code(0);
    assert!(!run.stdout.contains("\"host\":"), "{}", run.stdout);
}

#[test]
fn an_overlay_describes_hosts_and_is_checked() {
    let good = "[[provider]]\nid = \"cloud\"\nname = \"Cloud\"\nsells = \"instance-types\"\n\
        data_centers = [{ id = \"here\" }]\n\
        [[offer]]\nprovider = \"cloud\"\nid = \"gpu\"\naccelerator = \"T4\"\nkind = \"attached\"\ncounts = [1, 2]\nregions = [\"here\"]\nsource = \"x\"\nas_of = \"2026-11-01\"\n\
        [[price]]\nprovider = \"cloud\"\noffer = \"gpu\"\nusd_per_accelerator_hour = 0.3\nsource = \"x\"\nas_of = \"2026-11-01\"\n\
        [[host]]\nprovider = \"cloud\"\nfamily = \"big\"\nvcpus = [2, 6]\ngib_per_vcpu = 4.0\nsource = \"x\"\nas_of = \"2026-11-01\"\n\
        usd_per_vcpu_hour = { here = 0.05 }\n";
    let found = with_overlay(good, "resolve T4 --provider cloud");
    let host = &found[0]["host"];
    assert_eq!(host["instance_type"], "big-6");
    assert_eq!(host["usd_per_hour"], 0.3);
    assert_eq!(host["max_vcpu"], Value::Null);
    let limit = "[[host_limit]]\nprovider = \"cloud\"\naccelerator = \"T4\"\ncount = 1\nvcpu = 4\nmemory_gb = 20\n";
    let found = with_overlay(&format!("{good}{limit}"), "resolve T4 --provider cloud");
    assert_eq!(found[0]["host"]["instance_type"], "big-2");
    assert_eq!(found[0]["host"]["max_host_memory_gb"], 20);
    let folder = tempfile::tempdir().unwrap();
    for (right, wrong, message) in [
        ("here = 0.05", "there = 0.05", "no such region"),
        ("vcpus = [2, 6]", "vcpus = [6, 2]", "in ascending order"),
        ("gib_per_vcpu = 4.0", "gib_per_vcpu = -4.0", "GiB"),
        (
            "usd_per_vcpu_hour = { here = 0.05 }",
            "usd_per_vcpu_hour = { here = 0.05 }\nspot_usd_per_vcpu_hour = { there = 0.01 }",
            "no price for this region",
        ),
    ] {
        let file = folder.path().join("wrong.toml");
        fs::write(&file, good.replace(right, wrong)).unwrap();
        let run = sky_line("resolve T4 --catalog").arg(&file).run();
        let run = run.expect_code(6);
        assert!(run.stderr.contains(message), "{}", run.stderr);
    }
}
