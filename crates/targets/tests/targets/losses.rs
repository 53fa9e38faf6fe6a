//! Every part of a plan is in a target's files or in its list of losses.

use std::collections::BTreeSet;

use sky_accel_core::catalog::CapacityType;
use sky_accel_core::money::Usd;
use sky_accel_core::plan::{Candidate, CapacityOrder, Interconnect};
use sky_accel_embedded::TEST_CATALOG as CATALOG;
use sky_accel_targets::{Fallback, Rendered, Step, Target};

use super::planned::Planned;

/// The texts with which targets request spot machines.
const SPOT: [&str; 19] = [
    "use_spot: true",
    "spot_policy: spot",
    "spot_policy: auto",
    "interruptible=True",
    "allocation=\"spot\"",
    "allocation=\"cheapest\"",
    "        - spot\n",
    "MarketType: spot",
    "\"MarketType\":\"spot\"",
    "\"market_type\": \"spot\"",
    "\"DefaultTargetCapacityType\": \"spot\"",
    "DefaultTargetCapacityType: spot",
    "\"is_spot\": true",
    "\"provisioning_model\": \"SPOT\"",
    "\"priority\": \"Spot\"",
    "\"spot\": true",
    "preemptible",
    "priority: Spot",
    "' bid ",
];

/// A plan in which every setting has a value that is easy to find in the files.
fn planned(target: Target, provider: &str, several: bool) -> Planned {
    let is_cut = target.step() == Step::Partition;
    let (spec, regions) = match (provider, is_cut) {
        ("aws", true) => ("H100:mig=3g.40gb*2", &["us-east-1", "us-west-2"][..]),
        ("aws", false) => ("H100:x8|A100:80GB:x8", &["us-east-1", "us-west-2"][..]),
        ("verda", _) => ("H100:x8|A100:80GB:x8", &[][..]),
        ("runpod" | "vastai", _) => ("RTX4090|L4", &[][..]),
        _ => (
            "H100:x8|A100:x8|L40S|L4|A10|A40|V100|RTXA4000|RTX4000-Ada",
            &[][..],
        ),
    };
    let capacity_order = if several {
        CapacityOrder::Any
    } else {
        CapacityOrder::Spot
    };
    let mut planned = Planned::new(spec, &[provider], regions, capacity_order);
    if planned.candidates.is_empty() {
        // Some clouds have no spot capacity.
        planned = Planned::new(spec, &[provider], regions, CapacityOrder::OnDemand);
    }
    if !several {
        planned.candidates.truncate(1);
    }
    assert!(
        !planned.candidates.is_empty(),
        "{} {provider}",
        target.name()
    );
    let job = &mut planned.job;
    job.name = String::from("work-name");
    job.image = Some("im/age:1".to_owned());
    job.command = Some("echo run-me".to_owned());
    job.disk_gb = Some(777);
    job.nodes = 3;
    job.max_price = Some(Usd(12_340_000));
    job.interconnect = Some(Interconnect::Any);
    job.cuda = Some("12.8".to_owned());
    planned
}

fn check(target: Target, provider: &str, several: bool, missing: &mut Vec<String>) {
    let planned = planned(target, provider, several);
    let rendered = planned.render(target).expect("it can be said");
    let files = rendered.files.iter();
    let parts: Vec<&str> = files
        .filter(|file| file.step != Step::Partition || target.step() == Step::Partition)
        .flat_map(|file| [&file.name[..], "\n", &file.text[..], "\n"])
        .collect();
    let text = parts.concat();
    let is_lost = |codes: &[&str]| {
        rendered
            .lossy
            .iter()
            .any(|loss| codes.contains(&loss.code.word()))
    };
    let mut expect = |field: &str, needles: &[&str], codes: &[&str]| {
        if !needles.iter().any(|needle| text.contains(needle)) && !is_lost(codes) {
            let number = if several { "several" } else { "one" };
            missing.push(format!(
                "{} of {number} at {provider}: {field}",
                target.name()
            ));
        }
    };
    expect("name", &["work-name"], &["name"]);
    expect("image", &["im/age:1"], &["image"]);
    expect("command", &["echo run-me"], &["command"]);
    // Modal counts in MiB and Nebius in GiB.
    expect("disk", &["777", "741005", ": 724"], &["disk"]);
    let nodes = [
        "nodes: 3",
        "nodes=3",
        "completions: 3",
        "replicas=3",
        "size=3",
        "--count 3",
        "count\": 3",
        "Capacity\": 3",
        "Capacity: 3",
        "max_workers: 2",
        "seq 3",
    ];
    expect("nodes", &nodes, &["nodes"]);
    // The limit of a fleet is for all machines.
    let mut limits = vec!["12.34", "37.02"];
    let mut capacities = planned.candidates.iter().map(|one| one.capacity);
    if capacities.all(|capacity| capacity == CapacityType::OnDemand) {
        // A machine type at its list price holds the limit.
        let offer = CATALOG.offer(planned.candidates[0].found.offer);
        limits.push(CATALOG.str(offer.id));
    }
    expect("max price", &limits, &["max_price"]);
    let joined = ["efa-only", "network_tier: best", "rdma=True"];
    expect("interconnect", &joined, &["interconnect"]);
    expect("cuda", &["12.8", "'569'", "\"569\"", "570"], &["cuda_min"]);
    let mut capacities = planned.candidates.iter().map(|one| one.capacity);
    if capacities.any(|capacity| capacity == CapacityType::Spot) {
        let codes: &[&str] = if several {
            &["spot", "fallback"]
        } else {
            &["spot"]
        };
        expect("capacity type", &SPOT, codes);
    }
    let places = |say: &dyn Fn(&Candidate) -> Option<&'static str>| -> BTreeSet<&'static str> {
        planned.candidates.iter().filter_map(say).collect()
    };
    let seller = |candidate: &Candidate| {
        let offer = CATALOG.offer(candidate.found.offer);
        Some(CATALOG.provider_id(offer.provider))
    };
    for id in places(&seller) {
        let needles = [
            format!("- {id}"),
            format!("{id}/"),
            format!("sky.{}", id.to_uppercase()),
            // The machine type determines the provider.
            "node.kubernetes.io/instance-type".to_owned(),
        ];
        let needles: Vec<&str> = needles.iter().map(String::as_str).collect();
        // The files of these targets are in the terms of a single provider, without its id.
        let writes_for_one_cloud =
            target.tool().is_some() && target.descriptor().fallback == Fallback::First;
        if target.provider().is_none() && !writes_for_one_cloud {
            expect(&format!("provider {id}"), &needles, &["provider"]);
        }
    }
    let region = |candidate: &Candidate| candidate.region.map(|id| CATALOG.region_id(id));
    let first = region(&planned.candidates[0]);
    for id in places(&region) {
        let codes: &[&str] = if first == Some(id) {
            &["region"]
        } else {
            &["region", "fallback"]
        };
        expect(&format!("region {id}"), &[id], codes);
    }
    if several {
        order(target, &planned, &rendered, missing);
    }
}

/// Checks that the target tries the candidates in order, or reports the order as lost.
fn order(target: Target, planned: &Planned, rendered: &Rendered, missing: &mut Vec<String>) {
    let tries_in_order = target.descriptor().fallback == Fallback::InOrder;
    let codes = ["fallback", "order"];
    let is_lost = rendered
        .lossy
        .iter()
        .any(|loss| codes.contains(&loss.code.word()));
    if planned.candidates.len() > 1 && !tries_in_order && !is_lost {
        missing.push(format!("{}: order", target.name()));
    }
}

#[test]
fn every_field_is_written_or_listed_as_lost() {
    let mut missing = Vec::new();
    for target in Target::ALL {
        let provider = target.provider().unwrap_or("aws");
        for several in [false, true] {
            check(target, provider, several, &mut missing);
        }
    }
    for target in Target::ALL {
        let Some(tool) = target.tool().and_then(|tool| CATALOG.tool(tool)) else {
            continue;
        };
        if target.descriptor().fallback != Fallback::First {
            continue;
        }
        for row in CATALOG.tool_providers.run(tool.providers) {
            let provider = CATALOG.provider_id(row.provider);
            for several in [false, true] {
                check(target, provider, several, &mut missing);
            }
        }
    }
    assert!(missing.is_empty(), "silent:\n{}", missing.join("\n"));
}

#[test]
fn fleet_requests_report_the_lost_order() {
    let planned = Planned::new(
        "L4:x4",
        &["aws"],
        &["us-east-1", "us-west-2"],
        CapacityOrder::OnDemand,
    );
    let rendered = planned.render(Target::Ec2Fleet).expect("fleets");
    assert!(rendered.files.len() > 2);
    assert!(
        rendered
            .lossy
            .iter()
            .any(|loss| loss.code.word() == "order"),
        "{:?}",
        rendered.lossy
    );
}

/// The text of every loss of these plans.
#[test]
fn losses_are_explained() {
    let mut lines = BTreeSet::new();
    for target in Target::ALL {
        let provider = target.provider().unwrap_or("aws");
        let mut plans = vec![
            planned(target, provider, false),
            planned(target, provider, true),
        ];
        for spec in ["H100:mig=3g.40gb*2", "H100:mig=1g.10gb*2+3g.40gb:x2"] {
            let cut = Planned::new(spec, &[provider], &[], CapacityOrder::OnDemand);
            plans.extend((!cut.candidates.is_empty()).then_some(cut));
        }
        for plan in plans {
            let name = target.name();
            match plan.render(target) {
                Ok(rendered) => {
                    let said = rendered.lossy.iter();
                    lines.extend(
                        said.map(|loss| format!("{name}: {}: {}", loss.code, loss.message)),
                    );
                }
                Err(why) => {
                    lines.insert(format!("{name}: {why}"));
                }
            }
        }
    }
    let lines: Vec<String> = lines.into_iter().collect();
    insta::with_settings!({
        snapshot_path => "snapshots",
        prepend_module_to_snapshot => false,
        omit_expression => true,
    }, { insta::assert_snapshot!("losses", lines.join("\n")) });
}
