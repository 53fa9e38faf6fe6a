//! How a model's tokens are chosen by default.

use sky_accel_core::catalog::Catalog;
use sky_accel_core::sizing::{Sampling, ServingEngine};

/// How requests that say nothing about it are sampled: as the generation config of the model asks.
///
/// Serving engines read that file, and those of most instruct models ask for top-p or top-k. The catalog has the
/// families that ask for a penalty on repetition. Other engines were measured with greedy decoding only.
pub(super) fn default_sampling(
    catalog: &Catalog<'_>,
    engine: ServingEngine,
    model: &str,
) -> Sampling {
    if !engine.serves() {
        return Sampling::Greedy;
    }
    let name = model.rsplit('/').next().unwrap_or(model);
    let ends = name.match_indices('-').map(|(at, _)| at);
    let families: Vec<&str> = ends.map(|end| &name[..end]).collect();
    match catalog.coefficient_among("default-repetition-penalty", &families, None) {
        Some(_) => Sampling::Penalties,
        None => Sampling::TopP,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::EMBEDDED;

    #[test]
    fn requests_are_sampled_as_the_generation_config_asks() {
        let of = |engine, model| default_sampling(&EMBEDDED, engine, model);
        assert_eq!(of(ServingEngine::Vllm, "Llama-3.1-8B"), Sampling::TopP);
        assert_eq!(of(ServingEngine::Vllm, "Qwen3-32B"), Sampling::TopP);
        let penalized = "Qwen/Qwen2.5-7B-Instruct";
        assert_eq!(of(ServingEngine::Vllm, penalized), Sampling::Penalties);
        assert_eq!(of(ServingEngine::LlamaCpp, penalized), Sampling::Greedy);
    }
}
