//! Conversion of specs to other tools and back.

use proptest::prelude::*;
use sky_accel_core::bind::{BoundChoice, interpret};
use sky_accel_embedded::TEST_CATALOG as CATALOG;
use sky_accel_targets::{Dialect, convert};

use crate::support::sky_line;

/// The meaning of a spec.
fn meaning(wanted: &BoundChoice) -> (Vec<u16>, String, Option<String>) {
    let mut ids: Vec<u16> = wanted
        .candidates
        .iter()
        .map(|candidate| candidate.accelerator.0)
        .collect();
    ids.sort_unstable();
    (
        ids,
        format!("{:?}", wanted.count),
        wanted.mig.as_ref().map(ToString::to_string),
    )
}

#[test]
fn lossless_conversions_keep_the_meaning() {
    let mut kept = [0_usize; Dialect::ALL.len()];
    for id in CATALOG.accelerator_ids() {
        for count in ["", ":x2", ":x4", ":x8", ":x16", ":x4+"] {
            let spec = format!("{}{count}", CATALOG.accelerator_id(id));
            let wanted = interpret(&CATALOG, &spec).expect("a spec");
            for (dialect, kept) in Dialect::ALL.into_iter().zip(&mut kept) {
                let Ok(converted) = convert(&CATALOG, &wanted[0], dialect) else {
                    continue;
                };
                if converted.lossy.is_empty() {
                    let back = interpret(&CATALOG, &converted.text).expect("it reads back");
                    assert_eq!(
                        meaning(&back[0]),
                        meaning(&wanted[0]),
                        "{spec}: {}",
                        converted.text
                    );
                    *kept += 1;
                }
            }
        }
    }
    // Every dialect converts at least this many specs without loss.
    let floors = [
        (Dialect::SkyAccel, 1700),
        (Dialect::SkyPilot, 200),
        (Dialect::Dstack, 300),
        (Dialect::Skyward, 300),
        (Dialect::Flyte, 8),
        (Dialect::Modal, 10),
        (Dialect::Slurm, 200),
        (Dialect::RunPod, 15),
        (Dialect::VastAi, 60),
        (Dialect::Aws, 30),
        (Dialect::Verda, 10),
        (Dialect::NvidiaSmi, 100),
        (Dialect::Kubernetes, 100),
    ];
    for ((dialect, floor), kept) in floors.into_iter().zip(kept) {
        assert!(kept >= floor, "{}: {kept}", dialect.name());
    }
}

proptest! {
    #[test]
    fn conversion_never_panics(spec in "[A-Za-z0-9:=+*.|x -]{1,40}") {
        if let Ok(wanted) = interpret(&CATALOG, &spec) {
            for choice in &wanted {
                for dialect in Dialect::ALL {
                    if let Ok(converted) = convert(&CATALOG, choice, dialect) {
                        prop_assert!(!converted.text.is_empty());
                    }
                }
            }
        }
    }
}

#[test]
fn losses_are_reported() {
    for (line, text, lost) in [
        (
            "convert A100:40GB --to skypilot",
            "A100:1",
            "lost: memory: ",
        ),
        ("convert H100:80GB:x4+ --to dstack", "H100:80GB:4..", ""),
        (
            "convert H100-80GB-SXM:x4+ --to modal",
            "H100!:4",
            "lost: count: ",
        ),
        (
            "convert A100:80GB:mig=3g.40gb --to skypilot",
            "A100-80GB:1",
            "lost: mig: ",
        ),
        (
            "convert H100-80GB-SXM:x8 --to runpod",
            "NVIDIA H100 80GB HBM3",
            "lost: count: ",
        ),
        (
            "convert p4de.24xlarge --to skypilot",
            "A100-80GB:8",
            "lost: form: ",
        ),
        ("convert tpu-v5p-8 --to skypilot", "tpu-v5p-8", ""),
        ("convert tpu-v5p-8 --to dstack", "google:v5p-8", ""),
        ("convert MI300X:x8 --to slurm", "gpu:mi300x:8", ""),
        (
            "convert p4de.24xlarge --to dstack",
            "A100:80GB:8",
            "lost: form: ",
        ),
        (
            "convert any:24GB..80GB:vendor=nvidia --to dstack",
            "nvidia:24GB..80GB:1",
            "",
        ),
        (
            "convert H100-80GB-SXM --to kubernetes",
            "NVIDIA-H100-80GB-HBM3",
            "",
        ),
        (
            "convert A100-40GB-SXM:mig=2g.10gb --to flyte",
            "A100.partition_2g_10gb",
            "",
        ),
        ("convert Trainium2:x16 --to aws", "trn2.48xlarge", ""),
    ] {
        let run = sky_line(line).run();
        assert_eq!(run.code, 0, "{line}: {}", run.stderr);
        assert_eq!(run.stdout.trim_end(), text, "{line}: {}", run.stderr);
        let losses = run
            .stderr
            .lines()
            .filter(|line| line.starts_with("lost: "))
            .count();
        assert_eq!(losses > 0, !lost.is_empty(), "{line}: {}", run.stderr);
        assert!(run.stderr.contains(lost), "{line}: {}", run.stderr);
        let strict = sky_line(&format!("{line} --strict")).run();
        assert_eq!(strict.code, if lost.is_empty() { 0 } else { 2 }, "{line}");
    }
    for line in [
        "convert TPU-v5p --to modal",
        "convert L4:x0.5 --to dstack",
        "convert L4:x0.5 --to slurm",
        "convert Trainium2:x16 --to slurm",
        "convert any:>=24GB --to flyte",
        "convert any:>=24GB --to aws",
    ] {
        let none = sky_line(line).run();
        assert_eq!((none.code, none.stdout.as_str()), (2, ""), "{line}");
    }
    let choices = sky_line("convert H100:x8|A100 --to sky-accel").run();
    assert_eq!(choices.stdout.trim_end(), "H100:x8|A100");
}
