//! A model on devices with one layout: its memory and speed.

use sky_accel_core::sizing::{Arrival, Calibration, Layout, Memory, Run, Served, Speed};
use sky_accel_core::text::number;

use super::media_items::ItemSpeed;
use super::rounded::rate;
use super::run::ModelRun;
use crate::text::figure;

sky_accel_core::words! {
    /// Whether a model fits, with the uncertainty of the estimate.
    pub enum FitVerdict {
        /// The high end of the estimate is within the usable memory.
        Fits = "fits",
        /// The usable memory is between the low and the high end of the estimate: the model may run or fail.
        Tight = "tight",
        /// The low end of the estimate exceeds the usable memory, or the engine does not run the model.
        DoesNotFit = "does-not-fit",
    }
}

/// The memory and the speed of a model on some devices with one layout.
///
/// `low`, `high` and `usable` are bytes per device; `usable` is `None` if the memory of the device is unknown.
#[derive(Clone, Debug)]
pub struct Fitted {
    pub layout: Layout,
    pub memory: Memory,
    pub low: f64,
    pub high: f64,
    pub usable: Option<f64>,
    pub speed: Speed,
    /// The service; `None` without a load, or if the speed of the device is unknown.
    pub served: Option<Served>,
    /// The step with rollouts; `None` for other work, or if the speed of the device is unknown.
    pub step: Option<RolloutStep>,
    /// The speed of images and videos; `None` for other work, or if it is unknown.
    pub items: Option<ItemSpeed>,
}

impl Fitted {
    /// Bytes of KV cache of a complete sequence, on one device.
    pub fn cache_of_sequence(&self, work: &ModelRun) -> f64 {
        let average = self.memory.kv_cache / self.sequences(&work.run);
        match self.served {
            Some(_) => average * cache_growth(work, &work.run),
            None => average,
        }
    }

    /// Concurrent sequences of each data-parallel rank: the batch of the run, or the average under its load.
    pub fn sequences(&self, run: &Run) -> f64 {
        self.served.map_or(run.batch, |served| served.sequences)
    }

    /// The average number of sequences that the KV cache of a rank can hold, if `self` is a run of one sequence.
    pub(super) fn sequence_capacity(
        &self,
        work: &ModelRun,
        run: &Run,
        calibration: &Calibration,
    ) -> Option<f64> {
        let memory = &self.memory;
        let free = self.usable? - (memory.device - memory.kv_cache);
        let per_sequence = (memory.kv_cache / cache_growth(work, run)).max(1.0);
        let capacity = free / per_sequence;
        // Engines profile logits for this many sequences; logits of further sequences reduce the cache.
        let logits = memory.logits / calibration.profiled_sequences.max(1.0);
        let transient = memory.passing();
        Some(if capacity * logits > transient {
            (free + transient) / (per_sequence + logits)
        } else {
            capacity
        })
    }

    /// The reason why the load of the run is not served within its limits; `None` if it is.
    pub fn overload(&self, run: &Run) -> Option<String> {
        let load = run.load?;
        let Some(served) = self.served else {
            return Some("its speed is unknown, so the load may not be served".to_owned());
        };
        // A model that does not fit is reported separately.
        if served.is_met || self.fits() == Some(false) {
            return None;
        }
        let (requested, capacity, unit) = match load.arrival {
            Arrival::Users(users) => (users, served.most_users, "users"),
            Arrival::Rate(rate) => (rate, served.goodput.unwrap_or_default(), "requests/s"),
        };
        let first = if run.generate < 1.0 {
            "an answer"
        } else {
            "a first token"
        };
        let limits = [
            load.limits
                .first_token_s
                .map(|seconds| format!("{first} within {} s", figure(seconds))),
            load.limits
                .token_s
                .map(|seconds| format!("{} tokens/s each", figure(1.0 / seconds))),
        ];
        let limits: Vec<String> = limits.into_iter().flatten().collect();
        let limits = if limits.is_empty() {
            String::new()
        } else {
            format!(" with {}", limits.join(" and "))
        };
        // If one replica serves nothing, more replicas do not help.
        let replicas = (capacity >= 1e-3).then(|| (requested / capacity).ceil());
        Some(match replicas {
            None => format!("it serves no user{limits}, with any number of replicas"),
            Some(replicas) => format!(
                "{} {unit} exceed its capacity{limits}: about {}; {} such replicas are enough",
                number(requested),
                number(rate(capacity).0),
                number(replicas.max(2.0))
            ),
        })
    }

    /// True if the high end of the estimate is usable; `None` if the memory of the device is unknown.
    pub fn fits(&self) -> Option<bool> {
        let generates = self.step.is_none_or(|step| step.generation_fits);
        self.usable.map(|usable| self.high <= usable && generates)
    }

    /// Whether the model fits, may fit or does not fit; `None` if the memory of the device is unknown.
    pub fn verdict(&self) -> Option<FitVerdict> {
        let usable = self.usable?;
        Some(if self.fits()? {
            FitVerdict::Fits
        } else if self.low <= usable {
            FitVerdict::Tight
        } else {
            FitVerdict::DoesNotFit
        })
    }
}

/// The KV cache of a complete sequence, relative to its average during generation.
fn cache_growth(work: &ModelRun, run: &Run) -> f64 {
    let reserved = run.context + run.generate * work.measured.coefficients.reserved_answer;
    let bytes = |tokens: f64| {
        work.model
            .shape
            .kept_bytes(tokens, run.cache.bytes())
            .max(1.0)
    };
    bytes(run.sequence()) / bytes(reserved)
}

/// The phases of a training step with rollouts. Times are in seconds.
#[derive(Clone, Copy, Debug)]
pub struct RolloutStep {
    /// Tensor parallelism of the rollouts.
    pub tensor: u32,
    /// The devices that generate while the others train; `None` if all devices do both.
    pub devices: Option<u32>,
    /// Generated sequences, and their tokens including prompts.
    pub sequences: f64,
    pub tokens: f64,
    pub generating_s: f64,
    pub scoring_s: f64,
    pub training_s: f64,
    pub refit_s: f64,
    /// The time of the step.
    pub seconds: f64,
    /// The memory of a device during generation in bytes, and whether it fits.
    pub peak: f64,
    pub generation_fits: bool,
}

impl RolloutStep {
    /// Divides all times by a factor.
    #[must_use]
    pub fn faster(self, factor: f64) -> Self {
        Self {
            generating_s: self.generating_s / factor,
            scoring_s: self.scoring_s / factor,
            training_s: self.training_s / factor,
            refit_s: self.refit_s / factor,
            seconds: self.seconds / factor,
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::RolloutStep;

    #[test]
    fn a_faster_step_has_shorter_phases_and_the_same_work() {
        let step = RolloutStep {
            tensor: 2,
            devices: Some(4),
            sequences: 64.0,
            tokens: 1024.0,
            generating_s: 8.0,
            scoring_s: 4.0,
            training_s: 16.0,
            refit_s: 2.0,
            seconds: 32.0,
            peak: 1e9,
            generation_fits: true,
        };
        let faster = format!("{:?}", step.faster(2.0));
        let expected = RolloutStep {
            generating_s: 4.0,
            scoring_s: 2.0,
            training_s: 8.0,
            refit_s: 1.0,
            seconds: 16.0,
            ..step
        };
        assert_eq!(faster, format!("{expected:?}"));
    }
}
