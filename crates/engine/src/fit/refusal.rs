//! Alternatives to work that its engine refuses on a device.

use sky_accel_core::catalog::Execution;
use sky_accel_core::sizing::ServingEngine;

use super::remedies::{Remedy, RemedyKind, Unfit};
use crate::contract::RemedyOut;
use crate::sizing::{self, ModelRun};

/// Formats of as many bits may differ by this factor, since their scales do.
const AS_MANY_BITS: f64 = 1.05;

impl Unfit<'_, '_> {
    /// The other engines that run the work on the device, and the formats that its own engine runs there. None for
    /// training, which no other trainer runs on such a device, and for media models, which have no choice of engines.
    pub fn alternatives(&self) -> Vec<RemedyOut> {
        let work = self.work;
        let run = &work.run;
        if run.workload.is_training() || work.model.media.is_some() {
            return Vec::new();
        }
        let (catalog, id) = (self.catalog, self.hardware.accelerator);
        let is_other = |engine: &ServingEngine| {
            *engine != run.engine && run.load.is_none_or(|_| engine.answers())
        };
        let engines = sizing::engines_on(catalog, id).filter(is_other);
        let others: Vec<ModelRun> = engines
            .map(|engine| work.with_open_engine(catalog, id, engine))
            .collect();
        let of_engines = others.iter().filter_map(|other| self.alternative(other));
        let mut found: Vec<RemedyOut> = of_engines.collect();
        let speed = |remedy: &RemedyOut| remedy.tokens_per_s.map_or(0.0, |rate| rate.0);
        found.sort_by(|a, b| speed(b).total_cmp(&speed(a)));
        // Formats of the engine itself, and of the others where none of them runs the work unchanged.
        let mut open = vec![work];
        if found.is_empty() {
            open.extend(&others);
        }
        let bits = run.weights.bits * AS_MANY_BITS;
        for other in open {
            let smaller = self.smaller(other, bits);
            let runs = smaller.iter().filter(|(work, _)| self.is_run(work));
            found.extend(runs.take(1).map(|(work, fitted)| {
                let change = Remedy {
                    kind: RemedyKind::Precision,
                    lead: format!("in {} with {}", work.precision, work.run.engine.name()),
                    flags: self.changed(work),
                };
                self.out(change, work, fitted)
            }));
        }
        found
    }

    /// The work with another engine; `None` if that refuses it too, or if it does not fit.
    fn alternative(&self, other: &ModelRun) -> Option<RemedyOut> {
        let fitted = self.is_run(other).then(|| self.here(other)).flatten()?;
        let change = Remedy {
            kind: RemedyKind::Engine,
            lead: format!("with {}", other.run.engine.name()),
            flags: self.changed(other),
        };
        Some(self.out(change, other, &fitted))
    }

    /// True if the engine of some work runs it on the device.
    fn is_run(&self, work: &ModelRun) -> bool {
        let (catalog, id) = (self.catalog, self.hardware.accelerator);
        let is_refused = matches!(sizing::execution(catalog, id, work), Execution::Refused(_));
        !is_refused
            && sizing::runs_on(catalog, id, work.run.engine, work.engine_version.as_deref())
            && sizing::unsupported(catalog, id, work).is_none()
    }
}

#[cfg(test)]
mod tests {
    use crate::contract::RemedyOut;
    use crate::sizing::{ModelSource, RunRequest};
    use crate::{Engine, FitHardware, FitRequest};

    use super::RemedyKind;

    /// The alternatives to work that is refused on some hardware.
    fn alternatives(spec: &str, model: &str) -> Vec<RemedyOut> {
        let request = FitRequest {
            hardware: FitHardware::Spec(spec.to_owned()),
            nodes: 1,
            run: RunRequest {
                model: Some(ModelSource::read(model)),
                ..RunRequest::default()
            },
            prices: None,
        };
        let answer = Engine::embedded().fit(&request, None).unwrap();
        let result = answer.envelope.results.into_iter().next().unwrap();
        assert!(result.refused.is_some(), "{spec} {model}");
        result.would_fit
    }

    #[test]
    fn refused_work_names_the_engines_that_run_it() {
        let found = alternatives("T4", "gpt-oss-20b");
        assert!(
            found
                .iter()
                .any(|change| change.change == RemedyKind::Engine
                    && change.flags.starts_with("--engine llama.cpp"))
        );
        assert!(alternatives("TPUv3", "Llama-3.2-3B").is_empty());
    }
}
