//! Formats of weights, and the devices and engines that support them.

use sky_accel_core::catalog::AcceleratorId;
use sky_accel_core::sizing::{Engine, Support, supports};
use sky_accel_embedded::TEST_CATALOG as CATALOG;

use super::{fit, fit_code, near};
use crate::support::sky_line;

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
        let engine = name.starts_with("gguf:").then_some(Engine::LlamaCpp);
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
fn unsupported_formats_are_rejected_and_fallbacks_computed() {
    for (line, why) in [
        (
            "V100:32GB --model gpt-oss-20b",
            "vllm runs mxfp4 from compute capability 8.0; this device has 7.0",
        ),
        (
            "H100:80GB --model gpt-oss-20b --engine-version 0.9",
            "vllm runs mxfp4 since 0.10.1, not in 0.9",
        ),
        (
            "MI300X --model Llama-3.3-70B --precision nvfp4",
            "vllm does not run nvfp4 on this device",
        ),
        (
            "B200:180GB --model Llama-3.3-70B --precision int8",
            "vllm runs int8 only below compute capability 10.0; this device has 10.0",
        ),
        (
            "A100:80GB --model Qwen3-8B --precision fp8 --engine tensorrt-llm",
            "tensorrt-llm runs fp8 from compute capability 8.9; this device has 8.0",
        ),
    ] {
        let result = fit(line);
        assert_eq!(result["fits"], false, "{line}");
        assert_eq!(result["refused"], why, "{line}");
        assert_eq!(fit_code(line), 1, "{line}");
    }
    // Formats without an entry in the catalog are computed.
    let unknown = fit("Gaudi3 --model Llama-3.1-8B --engine none --precision fp8");
    assert!(unknown["refused"].is_null());
    assert_eq!(unknown["fits"], true);
    // 4-bit weights on Hopper save memory but no computation.
    let rate = |precision: &str| {
        let line = format!("H100:80GB:x2 --model Llama-3.3-70B --precision {precision} --batch 1");
        fit(&line)["throughput"]["prefill_tokens_per_s"]
            .as_f64()
            .unwrap()
    };
    near(rate("nvfp4"), rate("awq"), 5.0);
    assert!(rate("fp8") > 1.3 * rate("nvfp4"));
    // Two serving engines on one device: one unpacks the format, and the other computes in it.
    let on_workstation = |engine: &str| {
        let line = format!("RTX-PRO-6000 --model gpt-oss-20b --engine {engine}");
        fit(&line)["throughput"]["prefill_tokens_per_s"]
            .as_f64()
            .unwrap()
    };
    assert!(on_workstation("sglang") > 1.1 * on_workstation("vllm"));
    // Machines that cannot run the format are not recommended.
    let recommended = sky_line("recommend --model gpt-oss-120b --limit 200 -o json").json();
    let results = recommended["results"].as_array().unwrap();
    assert!(results.iter().all(|result| {
        let id = result["offer"]["accelerator"].as_str().unwrap();
        !id.starts_with("V100") && !id.starts_with("T4") && !id.starts_with("P100")
    }));
}
