//! Snapshots of every target's files, losses and placeholders, and the completeness of what each
//! target needs outside this crate.
//!
//! `INSTA_UPDATE=always cargo test -p sky-accel-targets` writes the snapshots again.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use sky_accel_core::bind::interpret;
use sky_accel_core::mig::targets::Layout;
use sky_accel_core::mig::{Chip, cut_gpus};
use sky_accel_core::money::Usd;
use sky_accel_core::plan::{CapacityOrder, Interconnect};
use sky_accel_core::word::Word as _;
use sky_accel_embedded::TEST_CATALOG as CATALOG;
use sky_accel_targets::mig::MigTool;
use sky_accel_targets::{Capacity, Dialect, Fallback, HostLimits, Job, Step, Target, convert};

use super::planned::{Planned, plain_job};

/// A plan to render.
struct Scenario {
    spec: &'static str,
    providers: Vec<&'static str>,
    regions: &'static [&'static str],
    job: Job,
}

/// A job with every setting, and with text that needs quoting in all formats.
fn full_job(capacity_order: CapacityOrder) -> Job {
    Job {
        name: "It's ${a} job".to_owned(),
        image: Some("im/age:1$x".to_owned()),
        entry_arguments: None,
        command: Some("echo \"a b\" '$HOME' ${{ x }}".to_owned()),
        server: None,
        variables: vec![("MODEL", "the model".to_owned())],
        disk_gb: Some(777),
        is_disk_of_model: false,
        nodes: 3,
        capacity_order,
        max_price: Some(Usd(12_340_000)),
        interconnect: Some(Interconnect::Any),
        host: Some(HostLimits {
            vcpu: Some(9.0),
            memory_gib: Some(65.5),
        }),
        cuda: Some("12.8".to_owned()),
        capacity: None,
        slurm_types: vec![
            ("3g.40gb".to_owned(), "site_slice".to_owned()),
            ("L4".to_owned(), "site_l4".to_owned()),
        ],
    }
}

/// Plans for a target: a full job, slices, a job with no setting, and a job in reserved capacity.
fn scenarios(target: Target) -> Vec<(&'static str, Scenario)> {
    let (full, providers, regions): (_, &[_], &[_]) = match target.provider() {
        Some("gcp") => ("A100:40GB:x8", &["gcp"], &["us-central1"]),
        Some("azure") => ("A100:80GB:x4", &["azure"], &["eastus"]),
        Some("runpod") => ("RTX4090:x2", &["runpod"], &["US"]),
        Some("vastai") => ("RTX4090:x2", &["vastai"], &["US", "SE"]),
        Some("verda") => ("H100:x8", &["verda"], &["FIN-03"]),
        _ => ("L4:x4|p5.48xlarge", &["aws"], &["us-east-1"]),
    };
    let scenario = |spec, job| Scenario {
        spec,
        providers: providers.to_vec(),
        regions,
        job,
    };
    let slices = "H100:mig=3g.40gb*2";
    let mut scenarios = vec![(
        "slices",
        scenario(slices, full_job(CapacityOrder::OnDemand)),
    )];
    if target.step() == Step::Partition {
        return scenarios;
    }
    scenarios.push(("full job", scenario(full, full_job(CapacityOrder::Any))));
    scenarios.push(("plain job", scenario(full, plain_job())));
    if providers == ["aws"] {
        let job = Job {
            image: Some("resolve:ssm:/an/image".to_owned()),
            capacity: Some(Capacity::Block("cr-0123".to_owned())),
            interconnect: Some(Interconnect::Efa),
            ..plain_job()
        };
        // A machine with few network adapters, since each one is an entry of the files.
        scenarios.push(("capacity block", scenario("p4d.24xlarge", job)));
        let job = Job {
            image: Some("ami-0123".to_owned()),
            capacity: Some(Capacity::Reservation("cr-0456".to_owned())),
            ..plain_job()
        };
        scenarios.push(("reservation", scenario("g6.12xlarge", job)));
    }
    scenarios.extend(other_clouds(target));
    scenarios
}

/// Plans for other clouds and accelerators, for a target that is not limited to one provider.
fn other_clouds(target: Target) -> Vec<(&'static str, Scenario)> {
    let scenario = |spec, providers, job| Scenario {
        spec,
        providers,
        regions: &[],
        job,
    };
    if target.provider().is_some() {
        return Vec::new();
    }
    if target.step() == Step::Schedule {
        return vec![
            ("AMD", scenario("MI300X:x8", vec![], plain_job())),
            ("TPU", scenario("v5p-8", vec!["gcp"], plain_job())),
            ("Trainium", scenario("Trainium1", vec![], plain_job())),
            ("fraction", scenario("L4:x0.5", vec![], plain_job())),
        ];
    }
    let tool = target.tool().and_then(|tool| CATALOG.tool(tool));
    let rows = tool
        .into_iter()
        .flat_map(|tool| CATALOG.tool_providers.run(tool.providers));
    let supported = rows.map(|row| CATALOG.provider_id(row.provider));
    // The files of Terraform and Ray depend on the cloud; the others differ for these clouds only. `scenarios` has AWS.
    let depends_on_cloud = target.descriptor().fallback == Fallback::First;
    let clouds = supported.filter(|id| {
        let is_different = depends_on_cloud || ["gcp", "runpod", "vastai"].contains(id);
        is_different && *id != "aws"
    });
    let spec = "H100:x8|A100:x8|L40S|L4|A10|A40|V100|RTX4090|RTXA4000|RTX4000-Ada";
    let spot_first = Job {
        capacity_order: CapacityOrder::SpotFirst,
        ..plain_job()
    };
    let mut scenarios = vec![
        (
            "Trainium",
            scenario("Trainium2:x16", vec!["aws"], plain_job()),
        ),
        ("spot first", scenario("L40S", vec!["aws"], spot_first)),
    ];
    for id in clouds {
        scenarios.push((id, scenario(spec, vec![id], full_job(CapacityOrder::Any))));
    }
    if depends_on_cloud {
        let spot = Job {
            name: "sky-accel".to_owned(),
            ..full_job(CapacityOrder::Spot)
        };
        scenarios.extend([
            ("attached GPUs", scenario("T4:x2", vec!["gcp"], plain_job())),
            ("TPU", scenario("v5p-32", vec!["gcp"], plain_job())),
            ("spot", scenario("T4", vec!["azure"], spot)),
            (
                "cloud instances",
                scenario("L40S", vec!["vultr"], plain_job()),
            ),
        ]);
    }
    scenarios
}

/// Renders a scenario and formats the result.
fn rendered(target: Target, scenario: &Scenario) -> String {
    let Scenario {
        spec,
        providers,
        regions,
        job,
    } = scenario;
    let limit = if regions.is_empty() { 1 } else { 3 };
    let planned = Planned::with_limit(limit, spec, providers, regions, job.clone());
    if planned.candidates.is_empty() {
        return "no candidate\n".to_owned();
    }
    let mut text = String::new();
    match planned.render(target) {
        Ok(rendered) => {
            for file in &rendered.files {
                let _ = writeln!(text, "--- {} ({})\n{}", file.name, file.step, file.text);
            }
            for loss in &rendered.lossy {
                let _ = writeln!(text, "lost: {}: {}", loss.code, loss.message);
            }
            for placeholder in &rendered.placeholders {
                let _ = writeln!(
                    text,
                    "fill in: {}: {}",
                    placeholder.name, placeholder.meaning
                );
            }
        }
        Err(error) => {
            let _ = writeln!(text, "error: {error}");
        }
    }
    text
}

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Compares a text with the snapshot of that name in a folder of `snapshots`.
fn assert_snapshot(folder: &str, name: &str, text: &str) {
    insta::with_settings!({
        snapshot_path => Path::new("snapshots").join(folder),
        prepend_module_to_snapshot => false,
        omit_expression => true,
    }, { insta::assert_snapshot!(name, text) });
}

#[test]
fn renders_every_target_as_in_its_snapshot() {
    for target in Target::ALL {
        let mut text = String::new();
        for (title, scenario) in scenarios(target) {
            let _ = writeln!(text, "=== {title}: {}", scenario.spec);
            text.push_str(&rendered(target, &scenario));
        }
        assert_snapshot("", target.name(), &text);
    }
}

#[test]
fn every_target_has_a_check_and_an_entry_in_the_guide() {
    let root = repository();
    let guide = fs::read_to_string(root.join("docs/plans.md")).unwrap();
    for target in Target::ALL {
        let name = target.name();
        let check = root.join("tests/engines").join(name);
        for file in [
            "check.py",
            "requirements.in",
            "requirements.txt",
            "good",
            "broken",
        ] {
            assert!(
                check.join(file).exists(),
                "{name} has no {file} in tests/engines"
            );
        }
        assert!(
            guide.contains(&format!("`{name}`")),
            "docs/plans.md has no {name}"
        );
    }
}

#[test]
fn converts_specs_as_in_the_snapshot_of_each_dialect() {
    for dialect in Dialect::ALL {
        let mut text = String::new();
        for spec in [
            "H100",
            "H100:x8",
            "A100:40GB:x4",
            "any:24GB..80GB",
            "L4:0.5",
            "MI300X:x8",
            "TPUv5p:x8",
            "Trainium2:x16",
            "H100:mig=3g.40gb",
            "RTX4090:x2..4",
            "any:16GB:arch=pascal",
            "A10G",
            "K80:x16",
            "TPUv5p:x4",
            "Gaudi2:x8",
        ] {
            let wanted = interpret(&CATALOG, spec).unwrap();
            match convert(&CATALOG, &wanted[0], dialect) {
                Ok(converted) => {
                    let _ = writeln!(text, "{spec}: {}", converted.text);
                    for loss in &converted.lossy {
                        let _ = writeln!(text, "    lost: {}: {}", loss.code, loss.message);
                    }
                }
                Err(error) => {
                    let _ = writeln!(text, "{spec}: error: {error}");
                }
            }
        }
        assert_snapshot("convert", dialect.name(), &text);
    }
}

#[test]
fn writes_slices_as_in_the_snapshot_of_each_tool() {
    for (name, tool) in MigTool::ALL {
        let mut text = String::new();
        for (spec, gpus) in [
            ("H100-80GB-SXM:mig=3g.40gb*2", None),
            ("H100-80GB-SXM:mig=3g.40gb+2g.20gb+1g.10gb+me", None),
            ("H100-80GB-SXM:mig=1c.3g.40gb*3", None),
            ("A100-40GB-SXM:mig=1g.5gb*7", Some(2)),
            ("A30:mig=2g.12gb", Some(2)),
            ("B200-180GB-SXM:mig=1g.23gb*9", None),
            ("RTXPRO6000:mig=1g.24gb-me", None),
            ("A100-40GB-SXM:mig=7g.40gb", None),
            ("H100-80GB-SXM:mig=1g.10gb+me", None),
            ("H100-80GB-SXM:mig=4g.40gb", None),
        ] {
            let Ok(wanted) = interpret(&CATALOG, spec) else {
                panic!("{spec} is not a spec");
            };
            let accelerators = [wanted[0].candidates[0].accelerator];
            let geometry = CATALOG.geometry(&CATALOG.accelerator(accelerators[0]));
            let chip = Chip::new(&CATALOG, geometry.expect("a GPU with MIG"));
            let slices = wanted[0].mig.as_ref().expect("slices");
            let gpus = cut_gpus(&chip, slices, gpus).expect("a placement");
            let layout = Layout {
                chip: &chip,
                accelerators: &accelerators,
                gpus: &gpus,
            };
            let written = tool.write(&layout);
            let written = written.unwrap_or_else(|error| format!("error: {error}\n"));
            let _ = write!(text, "=== {spec}\n{written}");
        }
        assert_snapshot("mig", name, &text);
    }
}

#[test]
fn names_of_targets_are_unique_and_known() {
    for target in Target::ALL {
        assert_eq!(Target::named(target.name()), Some(target));
        if let Some(tool) = target.tool() {
            assert!(CATALOG.tool(tool).is_some(), "{tool}");
        }
        if let Some(provider) = target.provider() {
            assert!(CATALOG.provider_named(provider).is_some(), "{provider}");
        }
    }
    assert_eq!(Target::named("docker "), None);
}
