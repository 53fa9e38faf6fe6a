//! Folds of cross-validation: the runs of one model shape, or of one release of a serving engine.

use std::collections::{BTreeMap, BTreeSet};

use sky_accel_core::catalog::compare_versions;
use sky_accel_engine::catalog::EMBEDDED;

use crate::measurements::Measurement;

/// The fold of each measurement; `None` for measurements without a fold.
pub type Folds = Vec<Option<usize>>;

/// One fold per model shape. Models that only differ in their training share a fold.
pub fn by_model(measurements: &[Measurement]) -> Folds {
    numbered(measurements.iter().map(|measurement| {
        let name = measurement.request["model"].as_str().unwrap_or_default();
        Some(shape(name).unwrap_or_else(|| name.to_owned()))
    }))
}

fn shape(name: &str) -> Option<String> {
    let shape = EMBEDDED.model(name)?.shape;
    let experts = shape.experts.map(|experts| experts.count);
    Some(format!(
        "{} {} {} {} {} {experts:?}",
        shape.hidden, shape.layers, shape.heads, shape.kv_heads, shape.ffn
    ))
}

/// One fold per release of a serving engine that shares its coefficients with other measured releases.
pub fn by_release(measurements: &[Measurement]) -> Folds {
    let release = |measurement: &Measurement| {
        let (name, version) = release(&measurement.engine);
        (generation(&name, &version), version)
    };
    let mut releases: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (generation, version) in measurements.iter().map(release) {
        releases.entry(generation).or_default().insert(version);
    }
    numbered(measurements.iter().map(|measurement| {
        let (generation, version) = release(measurement);
        (releases[&generation].len() > 1).then(|| format!("{generation} {version}"))
    }))
}

/// Coefficients that change with the version of an engine, but not the speed of most of its runs: the oldest device
/// that it supports, its memory, and costs of sampling, of many sequences, and of split experts.
const NOT_OF_SPEED: [&str; 16] = [
    "min-compute-capability",
    "profiled-sequences",
    "profiled-tokens",
    "profiled-context-ki",
    "window-cache-factor",
    "cache-log-by-groups",
    "expert-input-multiple",
    "split-products",
    "top-p-us-per-sequence",
    "top-p-us-per-further-sequence",
    "penalties-us-per-step",
    "penalties-us-per-sequence",
    "penalties-us-per-further-sequence",
    "penalties-ns-per-token",
    "eager-us-per-layer",
    "launch-us-per-split-expert-layer",
];

/// The releases of an engine that share coefficients: its name, and the version limits above them.
fn generation(name: &str, version: &str) -> String {
    let catalog = &*EMBEDDED;
    let of_engine = catalog.coefficients.iter().filter(|row| {
        catalog.str(row.scope) == name && !NOT_OF_SPEED.contains(&catalog.str(row.name))
    });
    let limits: BTreeSet<&str> = of_engine
        .map(|row| catalog.str(row.before))
        .filter(|limit| !limit.is_empty() && !version.is_empty())
        .filter(|limit| compare_versions(version, limit).is_lt())
        .collect();
    format!("{name} {limits:?}")
}

/// The name of an engine and its version, which is empty if it is unknown.
fn release(engine: &str) -> (String, String) {
    let mut words = engine.split_whitespace();
    let name = words.next().unwrap_or_default().to_owned();
    let version = words.find(|word| word.starts_with(|first: char| first.is_ascii_digit()));
    (name, version.unwrap_or_default().to_owned())
}

fn numbered(keys: impl Iterator<Item = Option<String>>) -> Folds {
    let mut numbers: BTreeMap<String, usize> = BTreeMap::new();
    keys.map(|key| {
        let next = numbers.len();
        key.map(|key| *numbers.entry(key).or_insert(next))
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(model: &str, engine: &str) -> Measurement {
        Measurement {
            id: String::new(),
            engine: engine.to_owned(),
            request: serde_json::json!({ "model": model }),
            figures: Vec::new(),
        }
    }

    #[test]
    fn models_of_one_shape_are_one_fold() {
        let runs = ["DeepSeek-R1", "Qwen3-32B", "DeepSeek-V3", "DeepSeek-V3.2"];
        let runs = runs.map(|model| run(model, "vllm 0.11.2"));
        assert_eq!(by_model(&runs), [Some(0), Some(1), Some(0), Some(0)]);
    }

    #[test]
    fn a_release_that_shares_no_coefficients_has_no_fold() {
        let engines = [
            "vllm 0.11.2",
            "vllm rocm 0.7.3",
            "vllm",
            "litgpt eager",
            "vllm 0.11.2",
            "vllm 0.6.3",
        ];
        let runs = engines.map(|engine| run("Qwen3-32B", engine));
        // vLLM before 0.7 has separate coefficients.
        let folds = [Some(0), Some(1), Some(2), None, Some(0), None];
        assert_eq!(by_release(&runs), folds);
    }
}
