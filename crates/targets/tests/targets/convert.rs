//! Conversion of specs to other dialects and back.

use proptest::prelude::*;
use sky_accel_core::bind::{BoundChoice, interpret};
use sky_accel_embedded::TEST_CATALOG as CATALOG;
use sky_accel_targets::{Converted, Dialect, convert};

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
fn conversions_list_what_they_lose() {
    for (spec, dialect, text, lost) in [
        ("A100:40GB", "skypilot", "A100:1", Some("memory")),
        ("H100:80GB:x4+", "dstack", "H100:80GB:4..", None),
        ("H100-80GB-SXM:x4+", "modal", "H100!:4", Some("count")),
        (
            "A100:80GB:mig=3g.40gb",
            "skypilot",
            "A100-80GB:1",
            Some("mig"),
        ),
        (
            "H100-80GB-SXM:x8",
            "runpod",
            "NVIDIA H100 80GB HBM3",
            Some("count"),
        ),
        ("p4de.24xlarge", "skypilot", "A100-80GB:8", Some("form")),
        ("tpu-v5p-8", "skypilot", "tpu-v5p-8", None),
        ("tpu-v5p-8", "dstack", "google:v5p-8", None),
        ("MI300X:x8", "slurm", "gpu:mi300x:8", None),
        ("p4de.24xlarge", "dstack", "A100:80GB:8", Some("form")),
        (
            "any:24GB..80GB:vendor=nvidia",
            "dstack",
            "nvidia:24GB..80GB:1",
            None,
        ),
        ("H100-80GB-SXM", "kubernetes", "NVIDIA-H100-80GB-HBM3", None),
        (
            "A100-40GB-SXM:mig=2g.10gb",
            "flyte",
            "A100.partition_2g_10gb",
            None,
        ),
        ("Trainium2:x16", "aws", "trn2.48xlarge", None),
    ] {
        let converted = converted(spec, dialect).unwrap_or_else(|| panic!("{spec} to {dialect}"));
        assert_eq!(converted.text, text, "{spec}");
        let codes = converted.lossy.iter().map(|loss| loss.code.word());
        let codes: Vec<&str> = codes.collect();
        assert_eq!(codes.is_empty(), lost.is_none(), "{spec}: {codes:?}");
        assert!(lost.is_none_or(|lost| codes.contains(&lost)), "{codes:?}");
    }
    for (spec, dialect) in [
        ("TPU-v5p", "modal"),
        ("L4:x0.5", "dstack"),
        ("L4:x0.5", "slurm"),
        ("Trainium2:x16", "slurm"),
        ("any:>=24GB", "flyte"),
        ("any:>=24GB", "aws"),
    ] {
        assert!(converted(spec, dialect).is_none(), "{spec} to {dialect}");
    }
}

/// The first choice of a spec in a dialect, where that can express it.
fn converted(spec: &str, dialect: &str) -> Option<Converted> {
    let wanted = interpret(&CATALOG, spec).unwrap_or_else(|_| panic!("a spec: {spec}"));
    let mut dialects = Dialect::ALL.into_iter();
    let dialect = dialects.find(|other| other.name() == dialect);
    convert(&CATALOG, &wanted[0], dialect.expect("a dialect")).ok()
}
