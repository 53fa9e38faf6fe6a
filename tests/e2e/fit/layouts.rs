//! The layouts that a run gets if the request leaves them open.

use serde_json::Value;

use super::fit;
use crate::support::sky_line;

/// Tensor, pipeline, data and expert parallelism.
fn degrees(result: &Value) -> [u64; 4] {
    let degrees = &result["parallelism"];
    assert!(degrees["tensor"].is_u64(), "{result}");
    ["tensor", "pipeline", "data", "expert"].map(|axis| degrees[axis].as_u64().unwrap_or(1))
}

#[test]
fn training_does_not_divide_small_models() {
    for model in ["Qwen2.5-1.5B", "Qwen3-4B", "Llama-3.1-8B"] {
        for workload in ["full", "lora"] {
            for card in ["H100:80GB:SXM", "A100:80GB:SXM"] {
                let line = format!("{card}:x8 {model} --workload {workload}");
                assert_eq!(degrees(&fit(&line)), [1, 1, 8, 1], "{line}");
            }
        }
    }
    // A model that does not fit otherwise is divided.
    let large = degrees(&fit("A100:40GB:SXM:x8 Qwen2.5-32B --workload full"));
    assert!(large[2] < 8, "{large:?}");
    // A given layout stays.
    let given = fit("H100:80GB:SXM:x8 Llama-3.1-8B --workload lora --tensor-parallel 2");
    assert_eq!(degrees(&given), [2, 1, 4, 1]);
}

#[test]
fn blocks_of_fp8_files_stay_whole() {
    // The width of an expert, 1,536, is 12 blocks, which 8 devices cannot share: each gets whole experts instead.
    for model in ["Qwen3-235B-A22B", "MiniMax-M2"] {
        let whole = fit(&format!("H200:x8 {model} --precision fp8"));
        assert_eq!(degrees(&whole), [8, 1, 1, 8], "{model}");
        let half = fit(&format!("H200:x4 {model} --precision fp8"));
        assert_eq!(degrees(&half), [4, 1, 1, 1], "{model}");
    }
    let command = sky_line("fit H200:x8 Qwen3-235B-A22B --precision fp8 -o json").json();
    let command = command["results"][0]["launch"]["command"].to_string();
    assert!(command.contains("--enable-expert-parallel"), "{command}");
    // Other formats have no such blocks, and other engines do not need whole blocks.
    let plain = fit("H200:x8 Qwen3-235B-A22B --precision bf16");
    assert_eq!(degrees(&plain), [8, 1, 1, 1]);
    // 8 devices can share the blocks of DeepSeek's experts, which are wider.
    let wide = fit("H200:x8 DeepSeek-V3");
    assert_eq!(degrees(&wide), [8, 1, 1, 1]);
    // Shared experts and dense layers cannot be distributed, so fewer devices share each matrix.
    let shared = fit("H100:80GB:SXM:x8 Qwen3-Next-80B-A3B --precision fp8");
    assert_eq!(degrees(&shared)[0], 4);
    // Experts of all ranks together fit where they do not fit twice.
    let spread = fit("H100:80GB:SXM:x4 Step-3.5-Flash --precision fp8");
    assert_eq!(spread["fits"], true, "{spread}");
    let [tensor, _, data, expert] = degrees(&spread);
    assert!(tensor <= 2 && expert == tensor * data, "{spread}");
    let dense = fit("L4:x8 Qwen3-4B --precision fp8");
    assert_eq!(degrees(&dense)[0], 4);
}

#[test]
fn layouts_that_cut_blocks_are_refused() {
    for line in [
        "fit H200:x8 Qwen3-235B-A22B --precision fp8 --tensor-parallel 8 --expert-parallel 1",
        "fit L4:x8 Qwen3-4B --precision fp8 --tensor-parallel 8",
        "fit H100:80GB:SXM:x8 Qwen3-Next-80B-A3B --precision fp8 --tensor-parallel 8 --engine sglang",
    ] {
        let run = sky_line(line).run();
        assert_eq!(run.code, 2, "{line}: {}", run.stderr);
        assert!(
            run.stderr.contains("not a multiple of the 128"),
            "{line}: {}",
            run.stderr
        );
    }
    let open = "fit L4:x8 Qwen3-4B --precision fp8 --tensor-parallel 8 --engine tensorrt-llm";
    assert_eq!(sky_line(open).run().code, 0);
}

#[test]
fn recommendations_keep_blocks_whole() {
    let answer = sky_line("recommend MiniMax-M2 --users 20 --on H200|H100 -o json").json();
    let results = answer["results"].as_array().unwrap();
    assert!(!results.is_empty());
    for row in results {
        let [tensor, _, _, expert] = degrees(&row["fit"]);
        assert!(tensor < 8 || expert >= 8, "{row}");
    }
}
