//! `resolve` on the shipped catalog: each provider's own names, prices and regions.

use serde_json::{Value, json};

use crate::support::{column, sky, sky_line, texts};

fn resolve(line: &str) -> Value {
    sky(["resolve", "-o", "json"]
        .into_iter()
        .chain(line.split_whitespace()))
    .json()
}

#[track_caller]
fn expect_types(line: &str, mut types: Vec<&str>) {
    let answer = resolve(line);
    let mut found = texts(&answer, "/instance_type");
    found.sort_unstable();
    types.sort_unstable();
    assert_eq!(found, types, "{line}");
}

#[test]
fn one_spec_in_each_providers_own_names() {
    expect_types("H100 --provider aws", vec!["p5.4xlarge"]);
    expect_types("H100:x8 --provider aws", vec!["p5.48xlarge"]);
    expect_types(
        "A100:x8 --provider aws",
        vec!["p4d.24xlarge", "p4de.24xlarge"],
    );
    expect_types("A100:80GB:x8 --provider aws", vec!["p4de.24xlarge"]);
    expect_types("A100:40GB:8 --provider verda", vec!["8A100.40S.176V"]);
    expect_types("8xA100-80GB --provider datacrunch", vec!["8A100.176V"]);
    expect_types(
        "H100 --provider runpod",
        vec![
            "NVIDIA H100 80GB HBM3",
            "NVIDIA H100 PCIe",
            "NVIDIA H100 NVL",
        ],
    );
    expect_types(
        "H100:SXM:x8 --provider runpod",
        vec!["NVIDIA H100 80GB HBM3"],
    );
    expect_types("H100:94GB --provider vast", vec!["H100 NVL"]);
    expect_types(
        "L4:x0.5 --provider aws",
        vec!["g6f.4xlarge", "gr6f.4xlarge"],
    );
    expect_types("L4:x0.125 --provider aws", vec!["g6f.large", "g6f.xlarge"]);
    expect_types("Trainium2:x16 --provider aws", vec!["trn2.48xlarge"]);
    expect_types("Inferentia2:x12 --provider aws", vec!["inf2.48xlarge"]);
    expect_types(
        "MI300X:x8 --provider runpod",
        vec!["AMD Instinct MI300X OAM"],
    );
    expect_types("T4G:x2 --provider aws", vec!["g5g.16xlarge", "g5g.metal"]);
    expect_types("B300:x8 --provider aws", vec!["p6-b300.48xlarge"]);
    expect_types("GB200:x4 --provider aws", vec!["p6e-gb200.36xlarge"]);
    expect_types("K80:x16 --provider aws", vec!["p2.16xlarge"]);
}

#[test]
fn every_dialect_finds_the_same_machine() {
    for spec in [
        "A100:80GB:SXM:x8",
        "a100-80gb-sxm x8",
        "8xA100-80GB-SXM",
        "A100-80GB:8:SXM4",
        "NVIDIA A100-SXM4-80GB:x8",
        "NVIDIA-A100-SXM4-80GB:8",
        "gpu:a100-80gb-sxm:8",
        "p4de.24xlarge",
        "8A100.176V",
        "10de:20b2:x8",
        "nvidia-a100-80gb:8",
        "sky.accelerators.A100(memory=\"80GB\", count=8, form_factor=\"SXM\")",
        "A100(count=8)",
        "gpu_8x_a100_80gb_sxm4",
        "A100-80GB-640GB",
    ] {
        let answer = sky(["resolve", spec, "--provider", "aws", "-o", "json"]).json();
        assert_eq!(
            texts(&answer, "/instance_type"),
            ["p4de.24xlarge"],
            "{spec}"
        );
    }
    for (spec, types) in [
        ("NVIDIA.H100:8", "p5.48xlarge"),
        ("nvidia:141GB:x8:cc>=9.0", "p5en.48xlarge"),
        ("AWS.Trainium(version=1)", "trn1.2xlarge"),
        ("nvidia-tesla-t4:x4", "g4dn.12xlarge"),
    ] {
        let answer = sky(["resolve", spec, "--provider", "aws", "-o", "json"]).json();
        assert!(
            texts(&answer, "/instance_type").contains(&types),
            "{spec}: {answer}"
        );
    }
    let answer = sky([
        "resolve",
        "A100.partition_2g_10gb",
        "--provider",
        "aws",
        "-o",
        "json",
    ])
    .json();
    assert_eq!(texts(&answer, "/instance_type"), ["p4d.24xlarge"]);
    assert_eq!(
        answer["results"][0]["mig"],
        json!({"gpus_needed": 1, "placements": [
            {"gpu_index": 0, "profile": "2g.10gb", "profile_id": 14, "start": 4, "size": 2, "memory_mib": 9856}
        ]})
    );
}

#[test]
fn prices_carry_region_kind_source_and_date() {
    let answer = resolve("H100:x8 --provider aws");
    let result = &answer["results"][0];
    assert_eq!(result["spec"], "H100:x8");
    assert_eq!(result["accelerator"], "H100-80GB-SXM");
    assert_eq!(result["count"], 8);
    assert_eq!(
        (&result["memory_gb"], &result["memory_mib"]),
        (&json!(80), &json!(81920))
    );
    assert_eq!(
        (&result["total_memory_gb"], &result["vcpu"]),
        (&json!(640), &json!(192))
    );
    assert_eq!(
        (&result["host_memory_gib"], &result["host_arch"]),
        (&json!(2048), &json!("x86_64"))
    );
    assert_eq!(
        result["on_demand"],
        json!({
            "usd_per_hour": 55.04, "usd_per_accelerator_hour": 6.88, "likely_usd_per_hour": 55.04, "low": 54.89,
            "high": 55.19, "age_days": 123, "sources": 2, "region": "us-east-1",
            "kind": "list", "quality": "provider", "as_of": "2026-07-20", "source": "aws/karpenter-provider-aws price table",
        })
    );
    assert_eq!(
        (&result["availability"], &result["status"]),
        (&json!("unknown"), &json!("offered"))
    );
    assert!(
        result["regions"]
            .as_array()
            .is_some_and(|regions| regions.len() == 14)
    );
}

#[test]
fn prices_by_provider() {
    for (line, usd, kind) in [
        ("p4d.24xlarge --provider aws", 21.957_642, "list"),
        (
            "p4d.24xlarge --provider aws --region eu-west-1",
            23.71569,
            "list",
        ),
        (
            "p5.48xlarge --provider aws --region sa-east-1",
            92.4672,
            "list",
        ),
        ("g6f.large --provider aws", 0.202, "list"),
        ("H100:SXM:x3 --provider runpod", 9.87, "list"),
        ("A30 --provider runpod", 0.22, "list"),
        ("1A100.22V --provider verda", 1.29, "list"),
        ("2B200.60V --provider verda", 7.58, "list"),
        ("RTX5090:x8 --provider vast", 4.05, "snapshot"),
        ("RTX5090:x16 --provider vast", 6.83, "snapshot"),
        ("RTX4090:48GB --provider vast", 0.40, "snapshot"),
    ] {
        let answer = resolve(line);
        let price = &answer["results"][0]["on_demand"];
        assert_eq!(
            (&price["usd_per_hour"], &price["kind"]),
            (&json!(usd), &json!(kind)),
            "{line}"
        );
    }
    let answer = resolve("L4 --provider aws --limit 3");
    assert_eq!(answer["results"][0]["spot"]["kind"], "estimate");
    assert_eq!(answer["left_off"], 4);
}

#[test]
fn machines_of_the_provider_set_the_price_and_those_of_hosts_are_listed() {
    let answer = resolve("H100:SXM --provider runpod");
    let result = &answer["results"][0];
    assert_eq!(
        (
            &result["on_demand"]["usd_per_hour"],
            &result["on_demand"]["tier"]
        ),
        (&json!(3.29), &json!("secure"))
    );
    let community = &result["other_prices"][0];
    assert_eq!(
        (&community["capacity_type"], &community["tier"]),
        (&json!("on-demand"), &json!("community"))
    );
    assert_eq!(community["usd_per_hour"], 2.69);
    // A limit never reveals a price that is hidden without it.
    let card = resolve("RTX4090 --provider runpod");
    let limited = resolve("RTX4090 --provider runpod --max-price 0.9");
    assert_eq!(card["results"], limited["results"]);
}

#[test]
fn marketplace_names_match_with_or_without_a_price() {
    let answer = resolve("A100:x8 --provider vast");
    assert_eq!(answer["results"].as_array().map(Vec::len), Some(5));
    assert!(
        column(&answer, "/on_demand")
            .iter()
            .all(|price| price.is_null())
    );
    assert!(
        texts(&answer, "/availability")
            .iter()
            .all(|availability| *availability == "unknown")
    );
    // The answer has no larger machines with an unknown count.
    assert_eq!(sky_line("resolve H100:x64 --provider vast").run().code, 1);
}

#[test]
fn unavailable_offers_come_last_with_their_status() {
    let answer = resolve("V100:x8 --provider aws");
    assert_eq!(
        texts(&answer, "/instance_type"),
        ["p3dn.24xlarge", "p3.16xlarge"]
    );
    assert_eq!(texts(&answer, "/status"), ["offered", "retired"]);
    let answer = resolve("H200:x8 --provider aws");
    assert_eq!(
        texts(&answer, "/instance_type"),
        ["p5en.48xlarge", "p5e.48xlarge"]
    );
    assert_eq!(texts(&answer, "/status"), ["offered", "reserved-only"]);
    assert!(answer["results"][1]["on_demand"].is_null());
    // Offers in capacity blocks only are not on-demand offers, and names never include retired types.
    expect_types(
        "H200:x8 --provider aws --capacity-type on-demand",
        vec!["p5en.48xlarge"],
    );
    let run = sky_line("resolve V100:x8 --provider aws -o names")
        .run()
        .expect_code(0);
    assert_eq!(run.stdout, "p3dn.24xlarge\n");
    let run = sky_line("resolve M60 --provider aws -o names")
        .run()
        .expect_code(1);
    assert_eq!(run.stdout, "");
    assert!(run.stderr.contains("retired"), "{}", run.stderr);
}

#[test]
fn price_and_hardware_limits_hold() {
    for line in [
        "H100:x8 --max-price 20",
        "any:24GB --max-price 0.5",
        "any:80GB:x8 --max-price 30 --capacity-type spot",
    ] {
        let answer = resolve(line);
        let spot = line.contains("spot");
        let path = if spot {
            "/spot/usd_per_hour"
        } else {
            "/on_demand/usd_per_hour"
        };
        let limit: f64 = line
            .split_whitespace()
            .nth(2)
            .and_then(|n| n.parse().ok())
            .expect("a limit");
        let prices = column(&answer, path);
        assert!(
            !prices.is_empty()
                && prices
                    .iter()
                    .all(|usd| usd.as_f64().is_some_and(|usd| usd <= limit)),
            "{line}"
        );
    }
    let answer = resolve("any:vendor=amd:memory>=100GB");
    assert!(
        texts(&answer, "/accelerator")
            .iter()
            .all(|id| id.starts_with("MI"))
    );
    let answer = resolve("any:24GB --region eu-* --provider aws,runpod");
    // RunPod has data centers there too, and does not publish which GPU is in which.
    let unverified = |at: usize| {
        let reasons = answer["results"][at]["reasons"].as_array();
        reasons.is_some_and(|reasons| reasons.contains(&json!("region-unverified")))
    };
    let providers = texts(&answer, "/provider");
    let first = providers
        .iter()
        .position(|provider| *provider == "runpod")
        .expect("RunPod");
    assert!(providers.iter().enumerate().all(|(at, p)| if at < first {
        *p == "aws"
    } else {
        *p == "runpod" && unverified(at)
    }));
    let answer = resolve("RTX5090 --provider vast --region US");
    assert_eq!(answer["results"][0]["regions"], json!(["US"]));
}

#[test]
fn a_region_may_be_a_country() {
    expect_types(
        "A100:x1 --provider verda --region FI",
        vec!["1A100.22V", "1A100.40S.22V"],
    );
    let answer = resolve("H100:x8 --provider aws --region US");
    let regions = answer["results"][0]["regions"]
        .as_array()
        .expect("regions in the US");
    assert!(
        regions.len() > 1
            && regions
                .iter()
                .all(|r| r.as_str().is_some_and(|r| r.starts_with("us-"))),
        "{regions:?}"
    );
    // RunPod has data centers in Sweden, and does not publish which GPU is in which.
    let run = sky_line("resolve H100 --provider runpod --region SE -o names").run();
    assert_eq!((run.code, run.stdout.as_str()), (1, ""), "{}", run.stderr);
    assert!(
        run.stderr.contains("is known in the requested regions"),
        "{}",
        run.stderr
    );
    // The data centers in India accept no new machines.
    let run = sky_line("resolve H100 --provider runpod --region IN").run();
    assert_eq!((run.code, run.stdout.as_str()), (1, ""));
}

#[test]
fn instance_type_shows_its_hardware() {
    let shown = sky_line("show p5.48xlarge -o json").json();
    let result = &shown["results"][0];
    assert_eq!(
        [
            &result["id"],
            &result["instance_types"][0]["instance_type"],
            &result["instance_types"][0]["vcpu"],
            &result["mig_driver_min"],
            &result["pcie_gen"],
        ],
        [
            &json!("H100-80GB-SXM"),
            &json!("p5.48xlarge"),
            &json!(192),
            &json!("525.85.12"),
            &json!(5),
        ]
    );
    let shown = sky_line("show H100-80GB-SXM -o json").json();
    assert_eq!(shown["results"][0].get("instance_types"), None);
    // Two machines with the same accelerator.
    let shown = sky_line("show p5.4xlarge p5.48xlarge -o json").json();
    let both = shown["results"][0]["instance_types"].as_array();
    assert_eq!(both.map(Vec::len), Some(2));
}

#[test]
fn vendor_matches_its_gpus_and_no_other_products() {
    let ids = |line: &str| -> Vec<String> {
        let answer = resolve(line);
        texts(&answer, "/accelerator")
            .into_iter()
            .map(str::to_owned)
            .collect()
    };
    let of_vendor = ids("any:vendor=amd");
    assert!(of_vendor.iter().any(|id| id == "MI300X"), "{of_vendor:?}");
    assert!(
        !of_vendor.iter().any(|id| id == "AlveoU30"),
        "{of_vendor:?}"
    );
    assert!(ids("AlveoU30").iter().all(|id| id == "AlveoU30"));
}

#[test]
fn driver_names_are_specs() {
    for (line, id) in [
        ("any:45776MiB --provider aws", "L40S"),
        ("H100:81559MiB --provider aws", "H100-80GB-SXM"),
    ] {
        let answer = resolve(line);
        let found = texts(&answer, "/accelerator");
        assert!(
            !found.is_empty() && found.iter().all(|other| *other == id),
            "{line}: {found:?}"
        );
    }
}

#[test]
fn cheapest_of_on_demand_and_spot_counts() {
    // The on-demand price is above the limit; the spot price is not.
    let limits = "H100:x8 --provider aws --max-price 30";
    assert_eq!(
        sky_line(&format!("resolve {limits} --capacity-type on-demand"))
            .run()
            .code,
        1
    );
    for capacity_type in ["spot", "any"] {
        expect_types(
            &format!("{limits} --capacity-type {capacity_type}"),
            vec!["p5.48xlarge"],
        );
    }
}

#[test]
fn ambiguous_name_gets_a_note() {
    let unsure = |line: &str| -> Vec<Value> {
        let answer = resolve(line);
        let results = answer["results"].as_array().expect("results").clone();
        let unsure = results
            .into_iter()
            .filter(|r| r["reasons"][0] == "may-be-another");
        unsure.map(|r| r["instance_type"].clone()).collect()
    };
    // Vast.ai sells three cards under one name; the note appears only if the spec distinguishes them.
    assert_eq!(
        unsure("RTXPRO6000-WS --provider vastai"),
        [json!("RTX PRO 6000")]
    );
    assert!(unsure("RTX-PRO-6000 --provider vastai").is_empty());
}

#[test]
fn results_are_sorted_and_preference_comes_first() {
    let answer = resolve("H100:x8|A100:x8 --provider aws");
    assert_eq!(texts(&answer, "/spec"), ["H100:x8", "A100:x8", "A100:x8"]);
    for (sort, is_of_one) in [("price", false), ("price-per-gpu", true)] {
        let answer = resolve(&format!("L40S:x1..8 --sort {sort}"));
        let results = answer["results"].as_array().expect("results");
        let doubts = ["unconfirmed-price", "implausible-price"];
        let is_doubtful = |offer: &&Value| {
            let reasons = offer["reasons"].to_string();
            doubts.iter().any(|doubt| reasons.contains(doubt)) || offer["sells"] == "endpoint"
        };
        let confirmed = results.iter().take_while(|offer| !is_doubtful(offer));
        let prices: Vec<f64> = confirmed
            .filter_map(|offer| {
                let usd = offer["on_demand"]["likely_usd_per_hour"].as_f64()?;
                let count = offer["count"].as_f64()?;
                Some(if is_of_one { usd / count } else { usd })
            })
            .collect();
        assert!(
            prices.len() > 10 && prices.is_sorted(),
            "{sort}: {prices:?}"
        );
    }
}

#[test]
fn at_least_matches_larger_machines() {
    assert_eq!(sky_line("resolve H100:x4 --provider aws").run().code, 1);
    expect_types("H100:x4 --provider aws --at-least", vec!["p5.48xlarge"]);
    let answer = resolve("H100:x4 --provider aws --at-least");
    assert_eq!(answer["results"][0]["reasons"][0], "larger");
}

#[test]
fn empty_answer_explains_filters_and_nearest_offers() {
    let answer = resolve("H100:x4 --provider aws");
    assert_eq!(answer["results"], json!([]));
    let stages: Vec<_> = answer["funnel"]
        .as_array()
        .expect("a funnel")
        .iter()
        .map(|step| &step["stage"])
        .collect();
    assert_eq!(stages, ["accelerator", "provider", "count"]);
    let remaining = answer["funnel"]
        .as_array()
        .and_then(|steps| steps.last())
        .map(|step| &step["remaining"]);
    assert_eq!(remaining, Some(&json!(0)));
    let near: Vec<(&str, &str)> = answer["nearest"]
        .as_array()
        .expect("alternatives")
        .iter()
        .map(|n| {
            (
                n["relation"].as_str().unwrap_or_default(),
                n["instance_type"].as_str().unwrap_or_default(),
            )
        })
        .collect();
    assert!(near.contains(&("larger", "p5.48xlarge")), "{near:?}");
    assert!(near.contains(&("smaller", "p5.4xlarge")), "{near:?}");
    assert!(near.contains(&("multi-node", "p5.4xlarge")), "{near:?}");
    assert!(
        near.iter()
            .any(|(relation, _)| *relation == "other-provider"),
        "{near:?}"
    );

    let relation = |line: &str| resolve(line)["nearest"][0]["relation"].clone();
    assert_eq!(
        relation("p4de.24xlarge --provider aws --region eu-west-3"),
        "other-region"
    );
    assert_eq!(relation("H100:x8 --max-price 1"), "higher-price");
    assert_eq!(relation("A100:64GB"), "other-memory");
    assert_eq!(relation("MI350P"), "other-accelerator");
    // Graphics cards cannot run programs for TPUs, so they are never alternatives.
    for spec in ["TPUv8t", "TPUv8i", "Gaudi2", "BowIPU"] {
        let answer = resolve(spec);
        let near = answer["nearest"].as_array().expect("alternatives");
        let named = |id: &str| {
            near.iter()
                .any(|n| n["accelerator"].as_str().is_some_and(|a| a.starts_with(id)))
        };
        assert!(!named("RTX") && !named("GTX"), "{spec}: {near:?}");
    }
    let like_a_tpu = resolve("TPUv8t");
    assert_eq!(like_a_tpu["nearest"][0]["relation"], "other-accelerator");
    // Both the provider and the price filter exclude the offer.
    assert_eq!(
        relation("H100:x3 --provider verda --max-price 0.1"),
        "other-provider"
    );

    // Both the region and the price filter exclude the offer.
    assert_eq!(
        relation("p4de.24xlarge --provider aws --region eu-west-3 --max-price 1"),
        "higher-price"
    );

    let run = sky_line("resolve H100:x4 --provider aws")
        .run()
        .expect_code(1);
    assert_eq!(run.stdout, "");
    assert!(
        run.stderr
            .contains(" H100 offers → 2 from aws → 0 with exactly 4 of them"),
        "{}",
        run.stderr
    );
}

#[test]
fn explain_gives_every_candidate_a_verdict() {
    let answer = resolve("H100:80GB:x8 --provider aws --explain");
    let verdicts = answer["explain"].as_array().expect("verdicts");
    let codes: Vec<&str> = verdicts.iter().filter_map(|v| v["code"].as_str()).collect();
    for code in [
        "exact",
        "count-differs",
        "provider-not-asked",
        "other-memory",
    ] {
        assert!(codes.contains(&code), "{code}: {codes:?}");
    }
    assert_eq!(codes.iter().filter(|code| **code == "exact").count(), 1);
    let run = sky_line("resolve H100:80GB:x8 --provider aws --explain")
        .run()
        .expect_code(0);
    assert!(
        run.stderr
            .contains("count-differs: has another number of accelerators"),
        "{}",
        run.stderr
    );
}

#[test]
fn slices_match_machines_with_enough_gpus() {
    expect_types(
        "H100:mig=3g.40gb --provider aws",
        vec!["p5.4xlarge", "p5.48xlarge"],
    );
    // Three 3g slices do not fit one GPU.
    expect_types("H100:mig=3g.40gb*3 --provider aws", vec!["p5.48xlarge"]);
    expect_types("A100:mig=1g.5gb*7:x8 --provider aws", vec!["p4d.24xlarge"]);
    let answer = resolve("H100:mig=3g.40gb*3 --provider aws");
    let mig = &answer["results"][0]["mig"];
    assert_eq!(mig["gpus_needed"], 2);
    let places = mig["placements"].as_array().expect("placements").iter();
    let places: Vec<_> = places
        .map(|instance| (instance["gpu_index"].clone(), instance["start"].clone()))
        .collect();
    assert_eq!(
        places,
        [
            (json!(0), json!(0)),
            (json!(0), json!(4)),
            (json!(1), json!(4))
        ]
    );
    // A ready-made slice matches only the slice, never the whole card.
    let runpod = resolve("RTXPRO6000:mig=1g.24gb --provider runpod");
    assert_eq!(
        texts(&runpod, "/instance_type"),
        ["NVIDIA RTX PRO 6000 Blackwell Server Edition MIG 1g.24gb"]
    );
    let cards = resolve("RTXPRO6000 --provider runpod");
    assert!(
        texts(&cards, "/instance_type")
            .iter()
            .all(|id| !id.contains("MIG"))
    );
    // A container cannot partition a GPU.
    let run = sky_line("resolve H100:mig=3g.40gb --provider runpod")
        .run()
        .expect_code(1);
    assert!(
        run.stderr.contains("do not let tenants enable MIG: RunPod"),
        "{}",
        run.stderr
    );
}

#[test]
fn notes_say_how_a_name_was_read() {
    for (spec, code, part) in [
        ("A100", "name", "40 GB in SkyPilot and Flyte"),
        ("A100", "several-sizes", "40, 64 and 80 GB"),
        ("B200:192GB", "quoted-memory", "launch figure"),
        ("Trainium2:64GB", "quoted-memory", "96 GiB"),
        ("TPUv5p_8", "name", "4 chips"),
        ("RTX6000", "name", "RTX6000-Ada"),
        ("GB200", "accelerator", "counted per GPU"),
        ("T4G", "accelerator", "arm64"),
        ("p4d.24xlarge", "name", "40 GB"),
        (
            "p4d.24xlarge",
            "instance-type",
            "8 x A100-40GB-SXM on AWS EC2",
        ),
        ("L4:22888MiB", "memory-read-as", "24 GB"),
        ("H100:mig=1g.10gb*8", "mig-gpus", "2 GPUs"),
        ("A100:80GB:mig=7g.79gb", "mig-alias", "7g.80gb"),
    ] {
        let answer = sky(["resolve", spec, "-o", "json"]).json();
        let notes = answer["notes"].as_array().expect("notes");
        let found = notes
            .iter()
            .any(|n| n["code"] == code && n["message"].as_str().is_some_and(|m| m.contains(part)));
        assert!(found, "{spec}: {notes:?}");
    }
    let settled = sky(["resolve", "A100:80GB", "-o", "json"]).json();
    assert_eq!(settled["notes"], json!([]));
    assert_eq!(
        sky(["resolve", "GB200:384GB", "-o", "json"]).json()["funnel"][0]["label"],
        "GB200 offers"
    );
}

#[test]
fn several_specs_share_one_envelope() {
    let answer = sky([
        "resolve",
        "-",
        "A100:80GB:x8",
        "--provider",
        "aws",
        "-o",
        "json",
    ])
    .stdin("H100:x8\nL4 # one L4\n")
    .json();
    let specs = texts(&answer, "/spec");
    assert_eq!(
        (specs[0], specs[1], specs[specs.len() - 1]),
        ("H100:x8", "L4", "A100:80GB:x8")
    );
    assert_eq!(
        answer["request"]["specs"],
        json!(["H100:x8", "L4", "A100:80GB:x8"])
    );
}

#[test]
fn one_of_several_specs_may_match_nothing() {
    let run = sky_line("resolve H100:x3 L4 --provider aws -o json")
        .run()
        .expect_code(0);
    let answer: Value = serde_json::from_str(&run.stdout).expect("JSON");
    assert!(texts(&answer, "/spec").iter().all(|spec| *spec == "L4"));
    let near = answer["nearest"].as_array().expect("alternatives");
    assert!(!near.is_empty() && near.iter().all(|n| n["spec"] == "H100:x3"));
    let run = sky_line("resolve H100:x3 L4 --provider aws")
        .run()
        .expect_code(0);
    assert!(
        run.stderr.contains("nothing matches H100:x3") && !run.stdout.contains("H100"),
        "{}",
        run.stderr
    );
}

#[test]
fn groups_with_a_doubtful_price_come_last() {
    let run = sky_line("resolve H100:x8 --group-by region")
        .run()
        .expect_code(0);
    // The first group is of unknown regions, and groups without a price follow the others.
    let lines = run.stdout.lines().skip(2);
    let priced = lines.take_while(|line| !line.contains(" ? "));
    let marks: Vec<bool> = priced.map(|line| line.starts_with('!')).collect();
    assert!(marks.contains(&true) && marks.is_sorted(), "{}", run.stdout);
}
