//! Formats of weights with the devices that compute in them, and pools of quotas, on the catalog of `tests/catalog`.

use sky_accel_core::catalog::AcceleratorId;
use sky_accel_core::sizing::{ServingEngine, Support, supports};
use sky_accel_embedded::TEST_CATALOG as CATALOG;

fn device(id: &str) -> AcceleratorId {
    let mut accelerators = CATALOG.accelerator_ids();
    accelerators
        .find(|other| CATALOG.accelerator_id(*other) == id)
        .unwrap_or_else(|| panic!("no {id}"))
}

#[test]
fn devices_support_formats_by_their_generation_and_not_by_published_rates() {
    use Support::{No, Unknown, Yes};
    for (id, bf16, fp16, fp8, fp4) in [
        ("GTX1080", No, Yes, No, No),
        ("T4", No, Yes, No, No),
        ("A100-80GB-SXM", Yes, Yes, No, No),
        ("L4", Yes, Yes, Yes, No),
        ("H100-80GB-SXM", Yes, Yes, Yes, No),
        ("B200-180GB-SXM", Yes, Yes, Yes, Yes),
        ("MI50-32GB", No, Yes, No, No),
        ("MI100", Yes, Yes, No, No),
        ("MI300X", Yes, Yes, Yes, No),
        ("MI355X", Yes, Yes, Yes, Yes),
        ("RX7900XTX", Yes, Yes, No, No),
        ("Gaudi", Yes, Unknown, No, No),
        ("Apple-M4-Max", Unknown, Yes, Unknown, Unknown),
    ] {
        let found = ["bf16", "fp16", "fp8", "fp4"].map(|name| supports(&CATALOG, device(id), name));
        assert_eq!(found, [bf16, fp16, fp8, fp4], "{id}");
    }
    assert_eq!(supports(&CATALOG, device("T4"), "int3"), Unknown);
    // Some workstation cards have no published rate.
    let mut unrated = 0;
    for id in CATALOG.accelerator_ids() {
        let accelerator = CATALOG.accelerator(id);
        let is_new = CATALOG.str(accelerator.architecture) == "Blackwell";
        if is_new && accelerator.bf16_tflops.is_none() {
            unrated += 1;
            assert_eq!(
                supports(&CATALOG, id, "bf16"),
                Yes,
                "{}",
                CATALOG.accelerator_id(id)
            );
        }
    }
    assert!(unrated > 0);
    // A published rate means support, except for units that no framework uses.
    for id in CATALOG.accelerator_ids() {
        let accelerator = CATALOG.accelerator(id);
        for (name, rate) in [
            ("bf16", accelerator.bf16_tflops),
            ("fp8", accelerator.fp8_tflops),
        ] {
            if rate.is_some() {
                let found = supports(&CATALOG, id, name);
                assert_eq!(found, Yes, "{name} on {}", CATALOG.accelerator_id(id));
            }
        }
    }
}

#[test]
fn formats_name_architectures_of_accelerators() {
    for format in CATALOG.weight_formats {
        let named = CATALOG.strings(format.computed_on);
        for name in named.chain(CATALOG.strings(format.not_computed_on)) {
            let mut accelerators = CATALOG.accelerators.iter();
            let is_known = accelerators.any(|row| CATALOG.str(row.architecture) == name);
            assert!(is_known, "{}: {name}", CATALOG.str(format.name));
        }
    }
}

#[test]
fn gguf_means_one_engine_and_has_a_format_for_each_file_type() {
    for format in CATALOG.weight_formats {
        let name = CATALOG.str(format.name);
        let engine = name.starts_with("gguf:").then_some(ServingEngine::LlamaCpp);
        assert_eq!(CATALOG.engine_of(&format), engine, "{name}");
        assert_eq!(format.file_type.is_some(), engine.is_some(), "{name}");
    }
    let named = |number: u32| {
        let format = CATALOG.format_of_file_type(number);
        format.map(|format| CATALOG.str(format.name))
    };
    assert_eq!(named(15), Some("gguf:Q4_K_M"));
    assert_eq!(named(1024 + 15), Some("gguf:Q4_K_M"));
    assert_eq!(named(32), Some("gguf:BF16"));
    // Numbers of removed GGUF types.
    assert_eq!(named(33), None);
}

#[test]
fn quotas_are_per_pool() {
    let code = |id: &str, spot: bool| {
        let aws = CATALOG.provider_named("aws").expect("AWS");
        let pool = CATALOG.quota_of(aws, id)?;
        Some(CATALOG.str(if spot { pool.spot } else { pool.on_demand }))
    };
    for (id, spot) in [
        ("p5en.48xlarge", "L-C4BD4855"),
        ("p6-b200.48xlarge", "L-C4BD4855"),
        ("p4d.24xlarge", "L-7212CCBC"),
        ("gr6f.4xlarge", "L-3819A6DF"),
        ("g6e.xlarge", "L-3819A6DF"),
        ("trn2u.48xlarge", "L-6B0D517C"),
        ("inf2.48xlarge", "L-B5D1601B"),
        ("dl2q.24xlarge", "L-85EED4F7"),
    ] {
        assert_eq!(code(id, true), Some(spot), "{id}");
    }
    assert_eq!(code("p4d.24xlarge", false), Some("L-417A185B"));
    for id in ["m7i.large", "", "p", "é5.x", "x"] {
        assert_eq!(code(id, true), None, "{id}");
    }
}
