//! The best layout of a run on devices, and its memory and speed.

use sky_accel_core::sizing::{Arrival, Indivisible, Layout, Limits, Load, Run, Served, Speed};

use super::fitted::Fitted;
use super::media_fit;
use super::run::ModelRun;
use super::sizer::Sizer;

impl Sizer {
    /// Chooses the best layout on some devices, and sizes it.
    ///
    /// # Errors
    ///
    /// The reason why the work cannot be split over the devices.
    pub fn best(&self, work: &ModelRun, devices: u32) -> Result<Fitted, Indivisible> {
        if let Some(media) = &work.model.media {
            return media_fit::fitted(work, media, self, devices);
        }
        let best = match work.run.rollouts {
            Some(rollouts) => self.best_step(work, rollouts, devices)?,
            None => self.with_longest(work, self.best_layout(work, devices)?),
        };
        Ok(match work.measured_tokens_per_s {
            Some(tokens_per_s) => self.calibrated(work, best, tokens_per_s),
            None => best,
        })
    }

    /// Removes layouts that divide a dense model for training if a layout that shards its state may fit instead.
    ///
    /// The speed of divided layouts is measured with trainers that have fused kernels, and other trainers are slower.
    /// On several machines, stage 3 of ZeRO gathers weights over the network for each micro-batch, so only lower stages
    /// count.
    pub(super) fn without_needless_cuts(
        &self,
        work: &ModelRun,
        devices: u32,
        layouts: &mut Vec<Layout>,
    ) {
        let is_open = work.given.tensor.is_none() && work.given.pipeline.is_none();
        let is_dense = work.model.shape.experts.is_none();
        if !(work.run.workload.is_training() && is_open && is_dense) {
            return;
        }
        let is_whole = |layout: &Layout| layout.tensor == 1 && layout.pipeline == 1;
        let spans_machines = f64::from(devices) > self.device.per_machine;
        let mut candidates = layouts
            .iter()
            .filter(|layout| is_whole(layout) && !(spans_machines && layout.zero_stage >= 3));
        let may_fit = candidates.any(|layout| {
            let fitted = self.batched(work, &work.run, layout);
            fitted.usable.is_none_or(|usable| fitted.low <= usable)
        });
        if may_fit {
            layouts.retain(is_whole);
        }
    }

    /// Removes pipeline stages from the layouts of a server on one machine with fast links if a layout without stages
    /// fits: replicas then serve more than stages, which wait for each other.
    pub(super) fn without_needless_stages(
        &self,
        work: &ModelRun,
        devices: u32,
        layouts: &mut Vec<Layout>,
    ) {
        let is_open = work.given.pipeline.is_none() && !work.run.workload.is_training();
        let is_joined =
            self.device.links.is_fabric && f64::from(devices) <= self.device.per_machine;
        let is_whole = |layout: &Layout| layout.pipeline == 1;
        if !(is_open && is_joined) || layouts.iter().all(is_whole) {
            return;
        }
        let run = Run {
            load: None,
            ..work.run
        };
        let mut whole = layouts.iter().filter(|layout| is_whole(layout));
        if whole.any(|layout| self.batched(work, &run, layout).fits() == Some(true)) {
            layouts.retain(is_whole);
        }
    }

    /// The fit of the longest request of a server, if that alone does not fit: engines check it when they start.
    fn with_longest(&self, work: &ModelRun, best: Fitted) -> Fitted {
        let Some(longest) = work.run.max_context else {
            return best;
        };
        let longest = work.run.of_longest(longest - work.run.generate);
        let fitted = self.batched(work, &longest, &best.layout);
        if fitted.fits() == Some(false) {
            fitted
        } else {
            best
        }
    }

    /// Scales all speeds of a run to a measured speed.
    fn calibrated(&self, work: &ModelRun, fitted: Fitted, tokens_per_s: f64) -> Fitted {
        let speed = &fitted.speed;
        let rollout_devices = fitted.step.and_then(|step| step.devices);
        let devices = f64::from(fitted.layout.devices() + rollout_devices.unwrap_or_default());
        let predicted = match fitted.served {
            Some(served) => Some(served.output),
            None => speed
                .train
                .map(|train| train * devices)
                .or(speed.output)
                .or(speed.decode),
        };
        let Some(factor) = predicted.map(|predicted| tokens_per_s / predicted) else {
            return fitted;
        };
        let faster = |rate: Option<f64>| rate.map(|rate| rate * factor);
        let sooner = |time: Option<f64>| time.map(|time| time / factor);
        // Compare in the time scale of the prediction: limits and rates are scaled, and the results are scaled back.
        let served = work.run.load.and_then(|load| {
            let scaled_limit = |limit: Option<f64>| limit.map(|limit| limit * factor);
            let arrival = match load.arrival {
                Arrival::Users(users) => Arrival::Users(users),
                Arrival::Rate(rate) => Arrival::Rate(rate / factor),
            };
            let limits = Limits {
                first_token_s: scaled_limit(load.limits.first_token_s),
                token_s: scaled_limit(load.limits.token_s),
            };
            let scaled = Load {
                arrival,
                limits,
                ..load
            };
            let one = Run {
                batch: 1.0,
                load: None,
                ..work.run
            };
            let least = self.batched(work, &one, &fitted.layout);
            let served = self.served(work, &work.run, &fitted.layout, scaled, &least)?;
            let goodput = self.goodput(work, &fitted.layout, scaled, &least);
            Some(Served {
                first_token_s: served.first_token_s / factor,
                token_s: served.token_s / factor,
                output: served.output * factor,
                requests: served.requests * factor,
                total: served.total * factor,
                per_user: served.per_user * factor,
                goodput: goodput.map(|rate| rate * factor),
                seconds: served.seconds.map(|seconds| seconds / factor),
                ..served
            })
        });
        Fitted {
            speed: Speed {
                prefill: faster(speed.prefill),
                decode: faster(speed.decode),
                output: faster(speed.output),
                first_token_s: sooner(speed.first_token_s),
                train: faster(speed.train),
                step_s: sooner(speed.step_s),
                scoring_s: sooner(speed.scoring_s),
                bound: speed.bound,
                parts: speed.parts,
                mfu: faster(speed.mfu),
            },
            served,
            step: fitted.step.map(|step| step.faster(factor)),
            ..fitted
        }
    }
}
