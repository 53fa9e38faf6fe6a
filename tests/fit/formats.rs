//! Formats of weights, and the devices and engines that support them.

use sky_accel_core::catalog::AcceleratorId;
use sky_accel_core::sizing::{Engine, Support, supports};
use sky_accel_engine::catalog::EMBEDDED;

fn device(id: &str) -> AcceleratorId {
    let mut accelerators = EMBEDDED.accelerator_ids();
    accelerators
        .find(|other| EMBEDDED.accelerator_id(*other) == id)
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
        let found =
            ["bf16", "fp16", "fp8", "fp4"].map(|name| supports(&EMBEDDED, device(id), name));
        assert_eq!(found, [bf16, fp16, fp8, fp4], "{id}");
    }
    assert_eq!(supports(&EMBEDDED, device("T4"), "int3"), Unknown);
    // Without a published rate, as some workstation cards are.
    let mut unrated = 0;
    for id in EMBEDDED.accelerator_ids() {
        let accelerator = EMBEDDED.accelerator(id);
        let is_new = EMBEDDED.str(accelerator.architecture) == "Blackwell";
        if is_new && accelerator.bf16_tflops.is_none() {
            unrated += 1;
            assert_eq!(
                supports(&EMBEDDED, id, "bf16"),
                Yes,
                "{}",
                EMBEDDED.accelerator_id(id)
            );
        }
    }
    assert!(unrated > 0);
    // A published rate is not denied, but for units that no framework multiplies with.
    for id in EMBEDDED.accelerator_ids() {
        let accelerator = EMBEDDED.accelerator(id);
        for (name, rate) in [
            ("bf16", accelerator.bf16_tflops),
            ("fp8", accelerator.fp8_tflops),
        ] {
            if rate.is_some() {
                let found = supports(&EMBEDDED, id, name);
                assert_eq!(found, Yes, "{name} on {}", EMBEDDED.accelerator_id(id));
            }
        }
    }
}

#[test]
fn architectures_that_formats_name_are_those_of_accelerators() {
    for format in EMBEDDED.weight_formats {
        let named = EMBEDDED.strings(format.computed_on);
        for name in named.chain(EMBEDDED.strings(format.not_computed_on)) {
            let mut accelerators = EMBEDDED.accelerators.iter();
            let is_known = accelerators.any(|row| EMBEDDED.str(row.architecture) == name);
            assert!(is_known, "{}: {name}", EMBEDDED.str(format.name));
        }
    }
}

#[test]
fn gguf_means_one_engine_and_has_a_format_for_each_file_type() {
    for format in EMBEDDED.weight_formats {
        let name = EMBEDDED.str(format.name);
        let engine = name.starts_with("gguf:").then_some(Engine::LlamaCpp);
        assert_eq!(EMBEDDED.engine_of(&format), engine, "{name}");
        assert_eq!(format.file_type.is_some(), engine.is_some(), "{name}");
    }
    let named = |number: u32| {
        let format = EMBEDDED.format_of_file_type(number);
        format.map(|format| EMBEDDED.str(format.name))
    };
    assert_eq!(named(15), Some("gguf:Q4_K_M"));
    assert_eq!(named(1024 + 15), Some("gguf:Q4_K_M"));
    assert_eq!(named(32), Some("gguf:BF16"));
    // Numbers of types that were removed.
    assert_eq!(named(33), None);
}
