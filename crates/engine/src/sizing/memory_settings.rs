//! Settings of a server that leave more of a device to the model.

use sky_accel_core::sizing::{Arrival, Load, ModelKind, Run, ServingEngine};
use sky_accel_core::text::{grouped, number};

use super::fitted::Fitted;
use super::run::ModelRun;

/// The largest share of the memory for a serving engine: the driver and other processes need the rest.
pub const LARGEST_MEMORY_SHARE: f64 = 0.95;
/// Tokens per forward pass. Smaller passes do not raise throughput on server GPUs.
const BATCHED_TOKENS: f64 = 2048.0;
/// Minimum sequences at once: a server should take a peak of its load.
const MIN_SEQUENCES: f64 = 64.0;
/// Maximum sequences at once; above this, the engine's default applies.
const MAX_SEQUENCES: f64 = 256.0;

/// An upper bound on the high end of an estimate of memory over its sum.
const MAX_HIGH_RATIO: f64 = 1.2;

/// Settings of vLLM. By default it sets memory aside for the logits of up to 1,024 sequences, which are gigabytes for a
/// large vocabulary, and for passes of thousands of tokens, and leaves a tenth of a device to other programs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MemorySettings {
    /// The maximum number of sequences at once.
    pub max_sequences: f64,
    /// The maximum number of tokens of a pass.
    pub max_batched_tokens: f64,
    /// The share of the memory that the engine may take.
    pub memory_share: f64,
}

impl MemorySettings {
    /// Returns the settings for a load, or for a batch without one; `None` for other engines and work, settings of the
    /// request, and large loads.
    pub fn of(work: &ModelRun, load: Option<Load>) -> Option<Self> {
        let run = &work.run;
        let is_server = run.engine == ServingEngine::Vllm && !run.workload.is_training();
        // vLLM does not divide the prompts of encoders, so a pass must take the longest.
        let is_encoder = work.model.kind == ModelKind::Encoder;
        if !is_server || is_encoder || work.has_memory_settings || work.is_batch_job {
            return None;
        }
        let users = match load.map(|load| load.arrival) {
            Some(Arrival::Users(users)) => users.ceil(),
            // The number of sequences in flight follows from the speed.
            Some(Arrival::Rate(_)) => MAX_SEQUENCES,
            None => run.batch,
        };
        (users <= MAX_SEQUENCES).then(|| Self {
            max_sequences: f64::from((users as u32).next_power_of_two()).max(MIN_SEQUENCES),
            max_batched_tokens: BATCHED_TOKENS,
            memory_share: LARGEST_MEMORY_SHARE,
        })
    }

    /// Returns whether work may leave a share of the usable memory free with the settings: a quick bound, without a
    /// second search.
    pub fn may_help(self, run: &Run, fitted: &Fitted, spare: f64) -> bool {
        fitted.high - Self::most_saved(fitted) <= self.usable(run, fitted) * (1.0 - spare)
    }

    /// Returns the most bytes of a device that the settings save.
    pub fn most_saved(fitted: &Fitted) -> f64 {
        (fitted.memory.logits + fitted.memory.activations) * MAX_HIGH_RATIO
    }

    /// Returns the bytes of a device that the engine may use with the settings.
    pub fn usable(self, run: &Run, fitted: &Fitted) -> f64 {
        fitted.usable.unwrap_or_default() / run.gpu_memory_utilization * self.memory_share
    }

    /// Returns the work with the settings.
    pub fn apply(self, work: &ModelRun) -> ModelRun {
        let mut work = work.clone();
        work.run.max_sequences = Some(self.max_sequences);
        work.run.max_batched_tokens = Some(self.max_batched_tokens);
        work.run.gpu_memory_utilization = self.memory_share;
        work.has_memory_settings = true;
        work
    }

    /// Returns the flags of `fit` for the settings.
    pub fn flags(self) -> String {
        format!(
            "--max-num-seqs {} --max-batched-tokens {} --gpu-memory-utilization {}",
            self.max_sequences, self.max_batched_tokens, self.memory_share
        )
    }

    /// Describes the settings: `at most 64 sequences at once, passes of 2,048 tokens and 95% of the memory`.
    pub fn words(self) -> String {
        format!(
            "at most {} sequences at once, passes of {} tokens and {}% of the memory",
            number(self.max_sequences),
            grouped(self.max_batched_tokens),
            number(self.memory_share * 100.0),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::super::{ModelSource, RunRequest, read};
    use super::*;
    use crate::catalog::EMBEDDED;

    fn settings(request: RunRequest) -> Option<MemorySettings> {
        let model = ModelSource::Name("Qwen3-8B".to_owned());
        let request = RunRequest {
            model: Some(model),
            ..request
        };
        let work = read(&EMBEDDED, &request, None).unwrap();
        MemorySettings::of(&work, work.run.load)
    }

    #[test]
    fn settings_hold_the_load_and_a_peak() {
        for (users, sequences) in [(1.0, 64.0), (65.0, 128.0), (256.0, 256.0)] {
            let settings = settings(RunRequest {
                concurrency: Some(users),
                ..RunRequest::default()
            });
            assert_eq!(
                settings.map(|of| of.max_sequences as u32),
                Some(sequences as u32)
            );
        }
        let of_rate = settings(RunRequest {
            request_rate: Some(2.0),
            ..RunRequest::default()
        });
        assert_eq!(of_rate.map(|of| of.max_sequences as u32), Some(256));
    }

    #[test]
    fn encoders_get_no_memory_settings() {
        let encoder = RunRequest {
            model: Some(ModelSource::Name("bge-m3".to_owned())),
            ..RunRequest::default()
        };
        let work = read(&EMBEDDED, &encoder, None).unwrap();
        assert_eq!(MemorySettings::of(&work, None), None);
    }

    #[test]
    fn batch_jobs_get_no_memory_settings() {
        let request = RunRequest {
            model: Some(ModelSource::Name("Qwen3-8B".to_owned())),
            ..RunRequest::default()
        };
        let mut work = read(&EMBEDDED, &request, None).unwrap();
        assert!(MemorySettings::of(&work, None).is_some());
        work.is_batch_job = true;
        assert_eq!(MemorySettings::of(&work, None), None);
    }

    #[test]
    fn settings_of_the_request_and_large_loads_have_none() {
        let requests = [
            RunRequest {
                concurrency: Some(257.0),
                ..RunRequest::default()
            },
            RunRequest {
                gpu_memory_utilization: Some(0.9),
                ..RunRequest::default()
            },
            RunRequest {
                max_num_seqs: Some(512.0),
                ..RunRequest::default()
            },
            RunRequest {
                engine: Some(ServingEngine::Sglang),
                ..RunRequest::default()
            },
        ];
        for request in requests {
            let words = format!("{request:?}");
            assert_eq!(settings(request), None, "{words}");
        }
    }
}
