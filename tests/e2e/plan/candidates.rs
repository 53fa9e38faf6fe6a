//! The candidates of a plan, their order, and the reasons for rejected offers.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::{sky, sky_line};

fn plan(line: &str) -> Value {
    sky_line(&format!("plan {line} -o json")).json()
}

fn results(plan: &Value) -> &Vec<Value> {
    plan["results"].as_array().expect("results")
}

fn reasons(plan: &Value) -> BTreeSet<&str> {
    let rejected = plan["rejected"].as_array().expect("rejected");
    rejected
        .iter()
        .map(|row| row["reason"].as_str().expect("a reason"))
        .collect()
}

#[test]
fn candidates_rank_by_total_cost() {
    let plan = plan("H100:80GB:SXM:x8 --nodes 2 --hours 10 --limit 100");
    let mut last = 0.0;
    let mut highest: f64 = 0.0;
    for (at, candidate) in results(&plan).iter().enumerate() {
        assert_eq!(candidate["rank"], at + 1);
        let usd = candidate["price"]["likely_usd_per_hour"]
            .as_f64()
            .expect("a price");
        let usd_of_both = candidate["usd_per_hour"]
            .as_f64()
            .expect("the price of both machines");
        assert!((usd_of_both - 2.0 * usd).abs() < 1e-6);
        highest = highest.max(usd_of_both);
        assert!(
            (candidate["usd_total"].as_f64().expect("a total") - 10.0 * usd_of_both).abs() < 1e-5
        );
        let warnings = candidate["warnings"].to_string();
        if warnings.contains("unconfirmed-price") || warnings.contains("implausible-price") {
            // Doubtful prices rank after all others.
            last = 0.0;
            continue;
        }
        assert!(last > 0.0 || at == 0, "{candidate}");
        // Prices within a hundredth of a cent are equal.
        assert!(usd_of_both >= last - 1e-3, "{candidate}");
        assert!(
            candidate["price"]["as_of"].is_string() && candidate["price"]["source"].is_string()
        );
        last = usd_of_both;
    }
    let first = &results(&plan)[0]["usd_per_hour"];
    assert_eq!(&plan["totals"]["usd_per_hour_min"], first);
    let max = plan["totals"]["usd_per_hour_max"]
        .as_f64()
        .expect("a maximum");
    assert!((max - highest).abs() < 1e-3);
}

#[test]
fn equal_requests_give_equal_bytes() {
    let run = || sky_line("plan A100:80GB:x8|H100:x8 --spot-first --limit 40 -o json").run();
    let (a, b) = (run(), run());
    assert_eq!(a.code, 0, "{}", a.stderr);
    assert_eq!(a.stdout, b.stdout);
    let other = sky_line("plan A100:80GB:x8 -o json").json();
    let first: Value = serde_json::from_str(&a.stdout).expect("JSON");
    assert_ne!(first["id"], other["id"]);
}

#[test]
fn larger_machines_need_a_provider_without_an_exact_match() {
    let plan = plan("A100:40GB --provider aws,vastai,verda --limit 100");
    for candidate in results(&plan) {
        let oversized = candidate["provider"] == "aws";
        assert_eq!(
            candidate["fit"],
            if oversized { "oversized" } else { "exact" },
            "{candidate}"
        );
        assert_eq!(candidate["count"], if oversized { 8 } else { 1 });
    }
    let exact =
        sky_line("plan A100:40GB --exact --provider aws,vastai,verda --limit 100 -o json").json();
    assert!(
        results(&exact)
            .iter()
            .all(|candidate| candidate["fit"] == "exact")
    );
    assert!(reasons(&exact).contains("count"));
    // The price is for the whole machine.
    let aws = results(&plan)
        .iter()
        .find(|candidate| candidate["provider"] == "aws")
        .expect("one");
    assert!(aws["price"]["usd_per_hour"].as_f64() > Some(20.0));
    // AWS sells a machine with a single H100, so larger machines are not candidates.
    let h100 = sky_line("plan H100 --provider aws --limit 100 -o json").json();
    assert!(
        results(&h100)
            .iter()
            .all(|candidate| candidate["instance_type"] == "p5.4xlarge")
    );
}

#[test]
fn spot_first_keeps_on_demand_as_a_fallback() {
    let plan = plan("L4:x4 --spot-first --limit 9");
    let capacity: Vec<&str> = results(&plan)
        .iter()
        .map(|candidate| candidate["capacity_type"].as_str().expect("one"))
        .collect();
    assert_eq!(capacity, [&["spot"; 6][..], &["on-demand"; 3][..]].concat());
    assert!(plan["left_off"].as_u64() > Some(0));
    let any = sky_line("plan L4:x4 --capacity-type any --limit 100 -o json").json();
    // Doubtful prices come last.
    let confirmed = results(&any).iter().take_while(|candidate| {
        let warnings = candidate["warnings"].as_array();
        warnings.is_none_or(|warnings| !warnings.contains(&json!("unconfirmed-price")))
    });
    let prices: Vec<f64> = confirmed
        .filter_map(|candidate| candidate["usd_per_hour"].as_f64())
        .collect();
    assert!(prices.is_sorted() && prices.len() > 5, "{prices:?}");
}

#[test]
fn distinct_regions_on_request() {
    let plan = plan("L4 --distinct regions --limit 100");
    let mut seen = BTreeSet::new();
    for candidate in results(&plan) {
        let key = format!("{} {}", candidate["provider"], candidate["region"]);
        assert!(seen.insert(key), "{candidate}");
    }
    let anywhere = sky_line("plan L4 --limit 100 -o json").json();
    assert!(results(&anywhere).len() > results(&plan).len());
}

#[test]
fn govcloud_needs_an_explicit_request() {
    let gov = |line: &str| {
        let plan = sky_line(&format!("plan {line} --limit 500 -o json")).json();
        let rows = results(&plan).clone();
        rows.iter()
            .filter(|candidate| {
                candidate["region"]
                    .as_str()
                    .is_some_and(|r| r.starts_with("us-gov"))
            })
            .count()
    };
    assert_eq!(gov("A100:40GB --provider aws"), 0);
    assert_eq!(gov("A100:40GB --provider aws --region us-*"), 0);
    assert_eq!(gov("A100:40GB --provider aws --region US"), 0);
    assert!(gov("A100:40GB --provider aws --region us-gov-*") > 0);
    assert!(gov("A100:40GB --provider aws --region us-gov-west-1") > 0);
}

#[test]
fn every_rejected_offer_has_a_reason() {
    for (line, reason) in [
        ("H100:80GB:x8", "memory-mismatch"),
        ("H100:SXM:x8", "name"),
        ("H100:x8", "count"),
        ("H100:x8 --region us-east-1", "region"),
        ("Trainium2:x16 --capacity-type spot", "market"),
        ("H100:x8 --max-price 20", "over-budget"),
        ("H100:x8 --nodes 4 --budget 100", "over-budget"),
        ("H100:x8 --hours 100 --budget 2000", "over-budget"),
        ("H100|V100 --cuda 13.0", "cuda-floor"),
        ("H100:mig=3g.40gb", "no-mig"),
        ("H100:x8 --interconnect efa", "no-interconnect"),
        ("H100:x8 --max-age 200d", "stale"),
        ("V100:x8 --limit 100", "not-offered"),
    ] {
        let plan = plan(line);
        assert!(
            reasons(&plan).contains(reason),
            "{line}: {:?}",
            reasons(&plan)
        );
        for rejected in plan["rejected"].as_array().expect("rejected") {
            assert!(
                rejected["detail"]
                    .as_str()
                    .is_some_and(|detail| !detail.is_empty()),
                "{rejected}"
            );
        }
    }
}

#[test]
fn interconnects_filter_machines() {
    let efa = plan("H100:x8 --interconnect efa");
    assert!(
        results(&efa)
            .iter()
            .all(|candidate| candidate["provider"] == "aws")
    );
    let nvlink = plan("H100:x8 --interconnect nvlink --limit 100");
    assert!(
        results(&nvlink)
            .iter()
            .any(|candidate| candidate["provider"] == "verda")
    );
    let none = sky_line("plan L4:x4 --interconnect nvlink -o json").run();
    assert_eq!(none.code, 1);
    let infiniband = plan("H100:x8 --interconnect infiniband --limit 100");
    let ids: Vec<&str> = results(&infiniband)
        .iter()
        .filter_map(|candidate| candidate["instance_type"].as_str())
        .collect();
    assert!(ids.contains(&"gd-8xh100ib-i128"), "{ids:?}");
    // The same machine without InfiniBand, and machines with an unknown network.
    assert!(!ids.contains(&"p5.48xlarge"), "{ids:?}");
    let none = sky_line("plan L4:x4 --interconnect infiniband").run();
    assert_eq!((none.code, none.stdout.as_str()), (1, ""));
    assert!(
        none.stderr.contains("0 joined by infiniband"),
        "{}",
        none.stderr
    );
}

#[test]
fn checks_include_their_requirements() {
    let plan = plan("H100:SXM:x8 --provider aws --nodes 2 --cuda 12.8 --limit 1");
    let checks = &results(&plan)[0]["checks"];
    assert_eq!(checks[0]["id"], "quota");
    assert_eq!(checks[0]["state"], "unknown");
    assert_eq!(checks[0]["needs"]["code"], "L-417A185B");
    assert_eq!(checks[0]["needs"]["vcpu"], 384);
    assert_eq!(checks[1]["needs"]["driver_min"], "570.26");
    assert_eq!(checks[2]["id"], "stock");
    let spot = sky_line("plan L4 --provider aws --capacity-type spot --limit 1 -o json").json();
    assert_eq!(
        results(&spot)[0]["checks"][0]["needs"]["code"],
        "L-3819A6DF"
    );
}

#[test]
fn capacity_blocks_are_marked() {
    let plan = plan("Trainium2:x16");
    assert!(
        results(&plan)
            .iter()
            .all(|candidate| candidate["capacity_type"] == "capacity-block")
    );
    let on_demand = sky_line("plan Trainium2:x16 --capacity-type on-demand -o json").run();
    assert_eq!(on_demand.code, 1);
}

#[test]
fn slices_need_whole_gpus() {
    let plan = plan("H100:mig=3g.40gb*2");
    let first = &results(&plan)[0];
    assert_eq!(first["mig"]["gpus_needed"], 1);
    assert_eq!(first["mig"]["placements"].as_array().map(Vec::len), Some(2));
    let steps: Vec<&str> = plan["steps"]
        .as_array()
        .expect("steps")
        .iter()
        .map(|candidate| candidate["id"].as_str().expect("an id"))
        .collect();
    assert_eq!(steps, ["provision", "partition", "schedule"]);
    assert!(
        plan["steps"][1]["commands"]
            .as_array()
            .is_some_and(|commands| !commands.is_empty())
    );
}

#[test]
fn filters_of_a_recommendation_are_kept() {
    let line = "recommend --model Llama-3.1-8B --provider aws --region us-* --max-price 3 --capacity-type spot -o json";
    let recommended = sky_line(line).run().expect_code(0);
    let plan = sky_line("plan - -o json")
        .stdin(recommended.stdout.clone())
        .json();
    let request = &plan["request"];
    assert_eq!(request["providers"], serde_json::json!(["aws"]));
    assert_eq!(request["regions"], serde_json::json!(["us-*"]));
    assert_eq!(request["capacity_type"], "spot");
    assert_eq!(request["max_price"], 3);
    // A flag of `plan` overrides a filter of the recommendation.
    let plan = sky_line("plan - --region eu-* -o json")
        .stdin(recommended.stdout)
        .json();
    assert_eq!(plan["request"]["regions"], serde_json::json!(["eu-*"]));
}

#[test]
fn a_plan_uses_the_first_layout_that_the_target_can_start() {
    let line = "recommend Llama-3.3-70B --users 50 -o json";
    let recommended = sky_line(line).run().expect_code(0);
    let first: Value = serde_json::from_str(&recommended.stdout).expect("JSON");
    let tensor = |result: &Value| result["fit"]["parallelism"]["tensor"].as_u64();
    let run = sky_line("plan - --to gke")
        .stdin(recommended.stdout.clone())
        .run()
        .expect_code(0);
    let results = first["results"].as_array().expect("results");
    let mut layouts = results.iter().filter_map(tensor);
    let is_written = |tensor: u64| {
        let option = format!("--tensor-parallel-size {tensor}");
        run.stdout.contains(&option)
    };
    assert!(!is_written(layouts.next().expect("a layout")));
    assert!(layouts.any(is_written), "{}", run.stdout);
    assert!(
        run.stderr.contains("gke cannot start the recommended"),
        "{}",
        run.stderr
    );
    // Without a machine that the target can start, the note says where to look.
    let line = "recommend Llama-3.3-70B --users 50 --provider runpod -o json";
    let of_runpod = sky_line(line).run().expect_code(0);
    let mut without_filter: Value = serde_json::from_str(&of_runpod.stdout).expect("JSON");
    without_filter["request"]["providers"] = serde_json::json!([]);
    for result in without_filter["results"].as_array_mut().expect("results") {
        result["spec"] = "MI300X:x8".into();
    }
    let run = sky_line("plan - --to gke")
        .stdin(without_filter.to_string())
        .run()
        .expect_code(1);
    assert!(run.stderr.contains("--provider gcp"), "{}", run.stderr);
}

#[test]
fn plans_for_a_recommendation() {
    let recommended = sky_line("recommend --model Llama-3.1-8B --limit 4 -o json").run();
    let lines = sky_line("recommend --model Llama-3.1-8B --limit 4 -o jsonl").run();
    let first: Value = serde_json::from_str(&recommended.stdout).expect("JSON");
    for input in [
        recommended.stdout,
        lines.stdout,
        "H100:x8 # eight\nA100:80GB:x8\n".to_owned(),
    ] {
        let of_results = input.starts_with('{');
        let plan = sky(["plan", "-", "-o", "json"]).stdin(input).json();
        let spec = &results(&plan)[0]["spec"];
        let wanted = if of_results {
            first["results"][0]["spec"].clone()
        } else {
            "H100:x8".into()
        };
        assert_eq!(*spec, wanted);
    }
    for (input, word) in [
        ("{\"schema\":\"x\"}", "schema"),
        ("{", "recommend"),
        (
            "{\"schema\":\"sky-accel.recommend.v1\",\"results\":[]}",
            "spec",
        ),
        ("", "no spec"),
    ] {
        let run = sky(["plan", "-"]).stdin(input).run();
        assert_eq!((run.code, run.stdout.as_str()), (2, ""), "{input}");
        assert!(run.stderr.contains(word), "{input}: {}", run.stderr);
    }
}

#[test]
fn empty_plans_explain_themselves() {
    let run = sky_line("plan TPUv8t").run();
    assert_eq!((run.code, run.stdout.as_str()), (1, ""));
    assert!(
        run.stderr.contains("nothing matches TPUv8t"),
        "{}",
        run.stderr
    );
    let json = sky_line("plan H100:x3 --provider aws --exact -o json").run();
    assert_eq!(json.code, 1);
    let plan: Value = serde_json::from_str(&json.stdout).expect("JSON");
    assert!(!plan["funnel"].as_array().expect("a funnel").is_empty());
    assert!(!plan["nearest"].as_array().expect("what is near").is_empty());
    let old = sky_line("plan H100:x8 --max-age 1d").run();
    assert_eq!((old.code, old.stdout.as_str()), (7, ""));
}

#[test]
fn contradictory_options_are_errors() {
    for line in [
        "H100:x8 --spot-first --capacity-type spot",
        "H100:x8 --spot-first --reservation cr-1",
        "H100:x8 --capacity-type spot --capacity-block cr-1",
        "H100:x8 --reservation cr-1 --capacity-block cr-1",
        "H100:x8 --to runpod --provider aws",
        "H100:x8 --to skypilot -o csv",
        "H100:x8 --strict",
        "H100:x8 --out somewhere",
        "H100:x8 --locked",
        "H100:x8 --hours 0",
        "H100:x8 --budget -1",
        "H100:x8 --nodes 0",
        "H100:x8 --cuda twelve",
        "H100:x8 --cuda 12",
        "H100:x8 --slurm-map x",
        "H100:x8 --to slurm --slurm-map H100=a,b",
        "H100:x8 --region nowhere",
        "H10:x8",
    ] {
        let run = sky_line(&format!("plan {line}")).run();
        assert_eq!(
            (run.code, run.stdout.as_str()),
            (2, ""),
            "{line}: {}",
            run.stderr
        );
        assert!(run.stderr.starts_with("error: "), "{line}: {}", run.stderr);
    }
    let unknown = sky_line("plan H100 --to terrafrm").run();
    assert_eq!(unknown.code, 2);
    assert!(unknown.stderr.contains("terraform"), "{}", unknown.stderr);
}

#[test]
fn later_choices_get_some_places() {
    let plan = plan("H100:x8|A100:80GB:x8|L40S:x4 --limit 12 --spot-first");
    let count = |test: &dyn Fn(&Value) -> bool| {
        results(&plan)
            .iter()
            .filter(|candidate| test(candidate))
            .count()
    };
    assert_eq!(results(&plan).len(), 12);
    for spec in ["A100:80GB:x8", "L40S:x4"] {
        assert!(count(&|candidate| candidate["spec"] == spec) >= 2, "{spec}");
    }
    assert!(count(&|candidate| candidate["capacity_type"] == "on-demand") >= 4);
    let ranks: Vec<u64> = results(&plan)
        .iter()
        .filter_map(|candidate| candidate["rank"].as_u64())
        .collect();
    assert!(ranks.iter().copied().eq(1..=12));
}

#[test]
fn price_limits_ignore_paid_capacity() {
    let plan =
        plan("p5.48xlarge --reservation cr-0123456789abcdef0 --region us-east-1 --budget 10");
    let first = &results(&plan)[0];
    assert_eq!(first["capacity_type"], "reservation");
    assert!(first["warnings"].to_string().contains("paid-already"));
    let block = sky_line("plan p5en.48xlarge --capacity-block cr-0 -o json").json();
    for candidate in results(&block) {
        assert_eq!(
            (&candidate["provider"], &candidate["capacity_type"]),
            (&"aws".into(), &"capacity-block".into())
        );
    }
    for line in [
        "plan p5.48xlarge --reservation cr-1 --provider runpod",
        "plan p5.48xlarge --reservation cr-1 --to verda",
        "plan p5.48xlarge --reservation reserved",
        "plan p5.48xlarge --capacity-block cr-",
        "plan H100 --image=--volume=/:/host",
    ] {
        let run = sky_line(line).run();
        assert_eq!(
            (run.code, run.stdout.as_str()),
            (2, ""),
            "{line}: {}",
            run.stderr
        );
    }
    assert_eq!(sky(["plan", "H100", "--image", ""]).run().code, 2);
}

#[test]
fn suggestions_without_prices() {
    let run = sky_line("plan H100:x16").run();
    assert_eq!(run.code, 0);
    assert!(
        run.stderr.contains("no price is known for H100:x16"),
        "{}",
        run.stderr
    );
    assert!(run.stderr.contains("multi-node"), "{}", run.stderr);
    assert!(
        !plan("H100:x16")["nearest"]
            .as_array()
            .expect("near")
            .is_empty()
    );
}

#[test]
fn optional_nvlink_bridges_are_unknown() {
    let plan = plan("H100:x8 --interconnect nvlink --limit 100");
    assert!(
        results(&plan)
            .iter()
            .all(|candidate| candidate["accelerator"] != "H100-80GB-PCIe")
    );
}

#[test]
fn a_reservation_holds_one_type() {
    for (named, flag) in [
        ("g6.24xlarge", "--reservation"),
        ("p5e.48xlarge", "--capacity-block"),
        ("p5en.48xlarge", "--capacity-block"),
    ] {
        let plan = plan(&format!("{named} {flag} cr-1 --limit 100"));
        assert!(!results(&plan).is_empty(), "{named}");
        for candidate in results(&plan) {
            assert_eq!(candidate["instance_type"], named, "{candidate}");
        }
        assert!(reasons(&plan).contains("name"), "{named}");
    }
    // Without a reservation, an instance type means its hardware; with a reservation, hardware means
    // any instance type that has it.
    for line in [
        "g6.24xlarge --limit 100",
        "L4:x4 --reservation cr-1 --limit 100",
    ] {
        let plan = plan(line);
        let types: BTreeSet<&str> = results(&plan)
            .iter()
            .filter_map(|candidate| candidate["instance_type"].as_str())
            .collect();
        assert!(types.len() > 1, "{line}: {types:?}");
    }
}

#[test]
fn the_smallest_machine_is_first_without_prices() {
    let plan = plan("T4 --region us-gov-west-1 --capacity-type spot");
    let types: Vec<&str> = results(&plan)
        .iter()
        .filter_map(|candidate| candidate["instance_type"].as_str())
        .collect();
    assert_eq!(
        types,
        [
            "g4dn.xlarge",
            "g4dn.2xlarge",
            "g4dn.4xlarge",
            "g4dn.8xlarge",
            "g4dn.16xlarge"
        ]
    );
}

#[test]
fn a_doubtful_spot_price_never_leads_a_confirmed_one() {
    let is_doubt = |code: &Value| {
        let doubts = [
            "unconfirmed-price",
            "implausible-price",
            "private-host",
            "small-host",
        ];
        code.as_str().is_some_and(|code| doubts.contains(&code))
    };
    let has_doubt = |codes: &Value| {
        codes
            .as_array()
            .is_some_and(|codes| codes.iter().any(is_doubt))
    };
    let mut confirmed = 0;
    for spec in [
        "H100",
        "H100:x8",
        "B200:x8",
        "H200:x8",
        "A100:80GB:x8",
        "L4",
    ] {
        let line = format!("resolve {spec} --capacity-type spot --limit 1 -o json");
        let resolved = sky_line(&line).json();
        let line = format!("{spec} --capacity-type spot --limit 1");
        let planned = plan(&line);
        if !has_doubt(&resolved["results"][0]["reasons"]) {
            confirmed += 1;
            let first = &results(&planned)[0];
            assert!(!has_doubt(&first["warnings"]), "{spec}: {first}");
        }
    }
    assert!(confirmed > 2, "{confirmed}");
}

#[test]
fn other_products_are_marked() {
    let answer = plan("T4 --provider gcp --limit 3");
    for candidate in results(&answer) {
        assert_eq!(candidate["warnings"][0], "without-host", "{candidate}");
    }
    let page = sky_line("plan T4 --provider gcp --limit 3").run();
    assert!(page.stdout.contains("without its host"), "{}", page.stdout);
    let answer = plan("A100:80GB --provider thundercompute");
    let is_share = |candidate: &Value| candidate["warnings"][0] == "share";
    assert!(results(&answer).iter().any(is_share), "{answer}");
    // Whole devices come first, even with a small host.
    assert!(!is_share(&results(&answer)[0]), "{answer}");
}
