//! Bounds of numbers in requests.

use crate::code::ErrorCode;
use crate::error::{Error, Result};

/// The maximum number of tokens of a run.
pub(super) const MAX_TOKENS: f64 = 1e9;
/// The maximum number of concurrent sequences or requests of a run.
pub(super) const MAX_BATCH: f64 = 1e6;

/// Returns the error for a value that a run cannot have.
pub(super) fn wrong(message: impl Into<String>) -> Error {
    Error::new(ErrorCode::BadValue, message)
}

/// Checks a number against its bounds.
pub(super) fn number(
    field: &str,
    value: Option<f64>,
    bounds: std::ops::RangeInclusive<f64>,
) -> Result<Option<f64>> {
    match value {
        Some(value) if !bounds.contains(&value) => {
            let (low, high) = (bounds.start(), bounds.end());
            // Numbers of up to 300 digits would make the message unreadable.
            let value = if value.abs() < 1e15 {
                value.to_string()
            } else {
                format!("{value:e}")
            };
            Err(wrong(format!(
                "`{field}` must be between {low} and {high}, not {value}"
            )))
        }
        value => Ok(value),
    }
}

/// Checks an integer of at least 1.
pub(super) fn integer(field: &str, value: Option<f64>, max: f64) -> Result<Option<f64>> {
    match number(field, value, 1.0..=max)? {
        Some(value) if value.fract() != 0.0 => {
            Err(wrong(format!("`{field}` must be an integer, not {value}")))
        }
        value => Ok(value),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use crate::Engine;
    use crate::sizing::{read, run_from_json};

    /// The message of the error of a run in which one field has a value, or nothing.
    fn refusal(fields: &Value, field: &str, value: f64) -> Option<String> {
        let mut fields = fields.as_object().unwrap().clone();
        fields
            .entry("model")
            .or_insert_with(|| "Llama-3.1-8B".into());
        fields.insert(field.to_owned(), value.into());
        let run =
            run_from_json(fields).and_then(|run| read(&Engine::embedded().catalog(), &run, None));
        run.err().map(|error| error.to_string())
    }

    #[test]
    fn each_number_has_its_bounds_and_both_are_possible() {
        let plain = json!({});
        let served = json!({ "engine": "vllm", "concurrency": 4 });
        let trained = json!({ "workload": "full" });
        let adapted = json!({ "workload": "lora" });
        let stepped = json!({ "workload": "full", "batch": 1 });
        let rolled = json!({ "workload": "grpo" });
        let apart = json!({ "workload": "grpo", "disaggregated": true });
        let pictures = json!({ "model": "FLUX.1-dev" });
        let video = json!({ "model": "Wan2.1-T2V-1.3B" });
        let quantized = json!({ "precision": "gptq-int4" });
        for (fields, field, low, high) in [
            (&quantized, "group_size", 8.0_f64, 65_536.0_f64),
            (&plain, "context", 1.0, 1e9),
            (&plain, "generate", 0.0, 1e9),
            (&plain, "batch", 1.0, 1e6),
            (&served, "max_context", 1.0, 1e9),
            (&plain, "gpu_memory_utilization", 0.1, 1.0),
            (&served, "max_batched_tokens", 1.0, 1e9),
            (&served, "max_num_seqs", 1.0, 1e6),
            (&adapted, "lora_rank", 1.0, 65_536.0),
            (&plain, "tensor_parallel", 1.0, 65_536.0),
            (&plain, "pipeline_parallel", 1.0, 65_536.0),
            (&plain, "data_parallel", 1.0, 65_536.0),
            (&trained, "context_parallel", 1.0, 65_536.0),
            (&plain, "expert_parallel", 1.0, 65_536.0),
            (&trained, "shard_groups", 1.0, 65_536.0),
            (&served, "length_spread", 0.0, 1.0),
            (&served, "prefix_cache", 0.0, 0.999),
            (&plain, "concurrency", 1.0, 1e6),
            (&plain, "request_rate", 1e-6, 1e6),
            (&served, "requests", 1.0, 1e9),
            (&served, "max_ttft", 1e-3, 1e6),
            (&served, "min_speed", 1e-3, 1e6),
            (&served, "max_tpot", 1e-6, 1e3),
            (&stepped, "gradient_accumulation", 1.0, 1e9),
            (&stepped, "global_batch", 1.0, 1e9),
            (&stepped, "virtual_pipeline", 1.0, 1e9),
            (&rolled, "rollouts", 1.0, 1e6),
            (&apart, "off_policy_steps", 1.0, 1000.0),
            (&pictures, "images", 1.0, 1e12),
            (&pictures, "steps", 1.0, 1000.0),
            (&pictures, "batch", 1.0, 1e6),
            (&video, "frames", 1.0, 10_000.0),
        ] {
            let below = if low >= 1.0 { low - 1.0 } else { low - 0.5 };
            let above = if high >= 3.0 { high + 1.0 } else { high + 0.5 };
            for (bound, beyond) in [(low, below), (high, above)] {
                let within = refusal(fields, field, bound).unwrap_or_default();
                assert!(
                    !within.contains("must be between"),
                    "{field} {bound}: {within}"
                );
                let message = refusal(fields, field, beyond).unwrap_or_default();
                let wanted = format!("`{field}` must be between {low} and {high}, not ");
                assert!(message.contains(&wanted), "{field} {beyond}: {message}");
            }
        }
        let stage = refusal(&trained, "zero_stage", 4.0).unwrap();
        assert_eq!(stage, "`zero_stage` must be between 0 and 3, not 4");
        assert_eq!(refusal(&trained, "zero_stage", 3.0), None);
    }
}
