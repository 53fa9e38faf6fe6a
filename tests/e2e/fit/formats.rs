//! Formats of weights that an engine or a device does not support.

use super::{fit, fit_code, near};
use crate::support::sky_line;

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
