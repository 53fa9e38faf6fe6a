//! A model on devices with one layout: its memory and its speed.

use sky_accel_core::sizing::{Arrival, Layout, Memory, Run, Served, Speed};
use sky_accel_core::text::number;

use super::rounded::rate;
use super::run::ModelRun;
use crate::text::figure;

/// The memory and the speed of a model on some devices with one layout.
///
/// `low`, `high` and `usable` are bytes on each device; `usable` is `None` where the memory of the
/// device is unknown.
#[derive(Clone, Debug)]
pub struct Fitted {
    pub layout: Layout,
    pub memory: Memory,
    pub low: f64,
    pub high: f64,
    pub usable: Option<f64>,
    pub speed: Speed,
    /// Set where the run has a load and the speed of the device is known.
    pub served: Option<Served>,
    /// Set where training generates what it is trained on and the speed of the device is known.
    pub step: Option<RolloutStep>,
}

impl Fitted {
    /// Bytes of cache that a sequence takes at its end, on one device.
    pub fn cache_of_sequence(&self, work: &ModelRun) -> f64 {
        let taken = self.memory.kv_cache / self.sequences(&work.run);
        match self.served {
            Some(_) => taken * growth(work, &work.run),
            None => taken,
        }
    }

    /// Sequences of each data-parallel rank: those of the run, or those that its load makes.
    pub fn sequences(&self, run: &Run) -> f64 {
        self.served.map_or(run.batch, |served| served.sequences)
    }

    /// The sequences that the cache of a rank holds on average, where this is a run of one sequence.
    pub(super) fn room(&self, work: &ModelRun, run: &Run) -> Option<f64> {
        let memory = &self.memory;
        let free = self.usable? - (memory.device - memory.kv_cache);
        let each = (memory.kv_cache / growth(work, run)).max(1.0);
        let room = free / each;
        // Engines try out the logits of so many sequences; more of them take from the cache.
        let logits = memory.logits / work.measured.coefficients.profiled_sequences.max(1.0);
        let passing = memory.passing();
        Some(if room * logits > passing {
            (free + passing) / (each + logits)
        } else {
            room
        })
    }

    /// Why the load of the run is not served within its limits; `None` where it is.
    pub fn overload(&self, run: &Run) -> Option<String> {
        let load = run.load?;
        let Some(served) = self.served else {
            return Some(
                "its speed is not known, so neither is whether it serves the load".to_owned(),
            );
        };
        // What does not fit is said elsewhere.
        if served.is_met || self.fits() == Some(false) {
            return None;
        }
        let (asked, most, unit) = match load.arrival {
            Arrival::Users(users) => (users, served.most_users, "users"),
            Arrival::Rate(rate) => (rate, served.goodput, "requests/s"),
        };
        let limits = [
            load.limits
                .first_token_s
                .map(|most| format!("a first token within {} s", figure(most))),
            load.limits
                .token_s
                .map(|most| format!("{} tokens/s each", figure(1.0 / most))),
        ];
        let limits: Vec<String> = limits.into_iter().flatten().collect();
        let limits = if limits.is_empty() {
            String::new()
        } else {
            format!(" with {}", limits.join(" and "))
        };
        // One replica that serves none is no better as several.
        let replicas = (most >= 1e-3).then(|| (asked / most).ceil());
        Some(match replicas {
            None => format!("it serves no user{limits}, however many replicas there are"),
            Some(replicas) => format!(
                "{} {unit} are more than it serves{limits}: about {}; {} such replicas would do",
                number(asked),
                number(rate(most).0),
                number(replicas.max(2.0))
            ),
        })
    }

    pub fn fits(&self) -> Option<bool> {
        let generates = self.step.is_none_or(|step| step.generation_fits);
        self.usable.map(|usable| self.high <= usable && generates)
    }
}

/// How much more cache a sequence takes at its end than on average while it is generated, as a factor.
fn growth(work: &ModelRun, run: &Run) -> f64 {
    let reserved = run.context + run.generate * work.measured.coefficients.reserved_answer;
    let kept = |tokens: f64| {
        work.model
            .shape
            .kept_bytes(tokens, run.cache.bytes())
            .max(1.0)
    };
    kept(run.sequence()) / kept(reserved)
}

/// The phases of a step that generates what it is trained on. Times are in seconds.
#[derive(Clone, Copy, Debug)]
pub struct RolloutStep {
    /// Devices that share each matrix while answers are generated.
    pub tensor: u32,
    /// The devices that generate while the others train; `None` where all devices do both.
    pub devices: Option<u32>,
    /// Sequences that are generated, and their tokens with those of prompts.
    pub sequences: f64,
    pub tokens: f64,
    pub generating_s: f64,
    pub scoring_s: f64,
    pub training_s: f64,
    pub refit_s: f64,
    /// Of the whole step.
    pub seconds: f64,
    /// The least bytes of a device while it generates, and whether the engine has as many.
    pub peak: f64,
    pub generation_fits: bool,
}

impl RolloutStep {
    /// The same step, with all times divided by a factor.
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
