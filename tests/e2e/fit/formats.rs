//! Formats of weights that an engine or a device does not support.

use serde_json::Value;

use super::{fit, fit_code, near};
use crate::support::sky_line;

#[test]
fn unsupported_formats_are_rejected_and_fallbacks_computed() {
    for (line, why) in [
        (
            "T4 --model gpt-oss-20b --engine vllm",
            "vllm runs mxfp4 from compute capability 8.0; this device has 7.5",
        ),
        (
            "V100:32GB --model gpt-oss-20b --engine vllm",
            "vllm needs compute capability 7.5; this device has 7.0; versions before 0.20 run on it (`engine_version`)",
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

#[test]
fn any_precision_names_the_precision_of_each_row() {
    let answer = sky_line("recommend Llama-3.3-70B --users 50 --precision any -o json").json();
    assert_eq!(answer["request"]["precision"], "any");
    let results = answer["results"].as_array().unwrap();
    for row in results {
        let command = row["fit"]["launch"]["command"].as_str().unwrap_or_default();
        let is_on_load = command.contains("--quantization fp8");
        assert_eq!(is_on_load, row["precision"] == "fp8", "{command}");
        let has_small_cache = command.contains("--kv-cache-dtype fp8");
        assert_eq!(has_small_cache, row["kv_precision"] == "fp8", "{command}");
        let losses = row["quality_losses"].as_array().map_or(0, Vec::len);
        let changed = [row["precision"] != "bf16", row["kv_precision"] != "bf16"];
        let changed = changed.into_iter().filter(|is_changed| *is_changed);
        assert_eq!(losses, changed.count(), "{row}");
    }
    let own = sky_line("recommend Llama-3.3-70B --users 50 -o json").json();
    let usd = |answer: &Value| {
        answer["results"][0]["usd_per_million_tokens"]
            .as_f64()
            .unwrap()
    };
    assert!(usd(&answer) < usd(&own));
    // The answer in the model's own precision mentions the format, without changing its rows.
    assert_eq!(own["cheaper_precision"]["precision"], "fp8");
    assert!(own["results"][0].get("precision").is_none());
    let table = sky_line("recommend Llama-3.3-70B --users 50").run().stderr;
    let remarks = table
        .lines()
        .filter(|line| line.contains("--precision any"));
    assert_eq!(remarks.count(), 1, "{table}");
    let given = sky_line("recommend Llama-3.3-70B --users 50 --precision bf16")
        .run()
        .stderr;
    assert!(!given.contains("--precision any"), "{given}");
}

#[test]
fn a_plan_starts_the_precision_of_the_first_row() {
    let answer = sky_line("recommend Llama-3.3-70B --users 50 --precision any -o json").json();
    let first = &answer["results"][0];
    let plan = sky_line("plan - --to kubernetes").stdin(answer.to_string());
    let plan = plan.run().expect_code(0).stdout;
    let is_small = |field: &str| first[field] == "fp8";
    assert!(is_small("precision"), "{first}");
    assert!(plan.contains("--quantization fp8"), "{plan}");
    let has_small_cache = plan.contains("--kv-cache-dtype fp8");
    assert_eq!(is_small("kv_precision"), has_small_cache, "{plan}");
}

#[test]
fn all_precisions_are_called_any() {
    let all = sky_line("recommend Llama-3.3-70B --precision all")
        .run()
        .expect_code(2);
    assert!(all.stderr.contains("did you mean any?"), "{}", all.stderr);
    let training = sky_line("recommend Llama-3.3-70B --precision any --workload lora")
        .run()
        .expect_code(2);
    assert!(
        training.stderr.contains("only to inference"),
        "{}",
        training.stderr
    );
    let fit = sky_line("fit H100 Llama-3.3-70B --precision any")
        .run()
        .expect_code(2);
    assert!(fit.stderr.contains("recommend"), "{}", fit.stderr);
}

/// The engine and the first word of the command of a model on some hardware, in the shipped catalog.
fn started(line: &str) -> (String, String) {
    let run = sky_line(&format!("fit {line} -o json"));
    let answer = run.on_shipped_catalog().json();
    let engine = answer["request"]["engine"].as_str().unwrap_or_default();
    let command = &answer["results"][0]["launch"]["command"];
    let first = command.as_str().unwrap_or_default().split(' ').next();
    (engine.to_owned(), first.unwrap_or_default().to_owned())
}

#[test]
fn engines_run_on_the_devices_of_intel() {
    for (line, engine, program) in [
        ("ArcB580 Qwen3-4B", "llama.cpp", "llama-server"),
        (
            "ArcB580 Llama-3.1-8B --engine llama.cpp --precision Q4_K_M",
            "llama.cpp",
            "llama-server",
        ),
        ("B60 Qwen3-4B", "vllm", "vllm"),
        ("A770 Qwen3-4B --engine vllm", "vllm", "vllm"),
        ("Gaudi3 Llama-3.1-8B", "vllm", "vllm"),
        ("Gaudi2 Llama-3.1-8B --users 4", "vllm", "vllm"),
    ] {
        let started = started(line);
        assert_eq!(started, (engine.to_owned(), program.to_owned()), "{line}");
    }
    let models = sky_line("models --on B580 -o json").on_shipped_catalog();
    let models = models.json();
    assert!(!models["results"].as_array().unwrap().is_empty());
}

#[test]
fn pictures_in_nvfp4_need_devices_that_multiply_in_it() {
    for (device, code) in [("RTX4090", 1), ("H100-80GB-SXM", 1), ("RTX5090", 0)] {
        let run = sky_line(&format!("fit {device} FLUX.1-dev --precision nvfp4"));
        run.on_shipped_catalog().run().expect_code(code);
    }
}
