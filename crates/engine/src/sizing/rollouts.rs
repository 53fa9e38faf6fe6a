//! Training with rollouts: the phases of a step, on the same devices or on separate ones.
//!
//! On the same devices, the phases follow each other, and training state moves to host memory during generation. On
//! separate devices, generation and training overlap, so that the slower of both decides.

use sky_accel_core::sizing::{
    Bound, GivenLayout, Indivisible, Layout, Rollouts, Speed, layouts, refit_s, rollouts_s,
};

use super::fitted::{Fitted, RolloutStep};
use super::run::ModelRun;
use super::sizer::Sizer;

/// Splits of the devices into generation and training are tried in this many steps.
const PARTS: u32 = 8;
/// A step counts as faster if it exceeds another by this factor: noise must not decide.
const FASTER: f64 = 1.001;

/// Generation on some devices.
#[derive(Clone, Copy, Debug)]
struct Generation {
    layout: Layout,
    seconds: Option<f64>,
    /// Seconds to move the trained weights to the serving engine.
    refit_s: f64,
    device: f64,
    low: f64,
    high: f64,
    fits: bool,
}

impl Generation {
    /// Prefers generation that fits, then faster generation or, if it does not fit, generation that needs less memory.
    fn is_better(&self, other: &Self) -> bool {
        let time = |generation: &Self| {
            let seconds = generation.seconds;
            seconds.map_or(f64::INFINITY, |seconds| seconds + generation.refit_s)
        };
        match (self.fits, other.fits) {
            (true, true) => time(self) < time(other),
            (false, false) => self.high < other.high,
            (fits, _) => fits,
        }
    }
}

/// Prefers steps that fit, then faster steps, then steps that move less to the host. Of steps that do not fit, prefers
/// the step that needs less memory.
fn is_better(step: &Fitted, other: &Fitted) -> bool {
    let fits = |step: &Fitted| step.fits() != Some(false);
    let rate = |step: &Fitted| step.speed.train.unwrap_or_default();
    match (fits(step), fits(other)) {
        (true, true) => {
            rate(step) > rate(other) * FASTER
                || (rate(step) * FASTER >= rate(other) && step.memory.host < other.memory.host)
        }
        (false, false) => step.high < other.high,
        (fits, _) => fits,
    }
}

impl Sizer {
    /// The best layout to generate the rollouts of a step on `generating` of all `devices`.
    fn generation(
        &self,
        work: &ModelRun,
        rollouts: Rollouts,
        (generating, devices): (u32, u32),
    ) -> Option<Generation> {
        let run = work.run.generating();
        let shape = &work.model.shape;
        let calibration = &self.calibration;
        let devices = f64::from(devices);
        // Parts of a device cannot communicate.
        let single = self.is_part.then_some(1);
        let given = GivenLayout {
            tensor: single,
            pipeline: single,
            ..GivenLayout::default()
        };
        let mut best: Option<Generation> = None;
        for layout in layouts(shape, &run, &given, generating).ok()? {
            let one = self.batched(work, &run, &layout);
            let capacity = one.sequence_capacity(work, &run, calibration);
            let seconds = capacity.and_then(|capacity| {
                rollouts_s(
                    shape,
                    &run,
                    &layout,
                    &self.device,
                    calibration,
                    rollouts,
                    capacity,
                )
            });
            let high = one.memory.device * self.generating_high;
            let generation = Generation {
                layout,
                seconds,
                refit_s: refit_s(
                    shape,
                    &work.run,
                    &layout,
                    &self.device,
                    calibration,
                    devices,
                ),
                device: one.memory.device,
                low: one.low,
                high,
                fits: one.usable.is_none_or(|usable| high <= usable),
            };
            if best.as_ref().is_none_or(|best| generation.is_better(best)) {
                best = Some(generation);
            }
        }
        best
    }

    /// The numbers of separate devices for generation to try: the remainder of a given layout, else eighths of all
    /// devices, and the numbers that leave a power of two to training.
    fn splits(work: &ModelRun, devices: u32) -> Vec<u32> {
        let given = &work.given;
        if let (Some(tensor), Some(pipeline), Some(data)) =
            (given.tensor, given.pipeline, given.data)
        {
            let axes = [tensor, pipeline, data, given.context.unwrap_or(1)];
            let training = axes.into_iter().fold(1, u32::saturating_mul);
            return devices.checked_sub(training).into_iter().collect();
        }
        let eighths = (1..PARTS).map(|part| devices * part / PARTS);
        let powers = (0..u32::BITS).map_while(|exponent| devices.checked_sub(1 << exponent));
        let mut splits: Vec<u32> = eighths.chain(powers).collect();
        splits.sort_unstable();
        splits.dedup();
        splits
    }

    /// The best layouts for training and generation, with the time of both together.
    pub(super) fn best_step(
        &self,
        work: &ModelRun,
        rollouts: Rollouts,
        devices: u32,
    ) -> Result<Fitted, Indivisible> {
        let splits = if rollouts.is_apart {
            let mut splits = Self::splits(work, devices);
            splits.retain(|n| (1..devices).contains(n));
            splits.into_iter().map(|n| (devices - n, n)).collect()
        } else {
            vec![(devices, devices)]
        };
        let mut best: Option<Fitted> = None;
        let mut why = Indivisible::Devices { needed: 2, devices };
        for (training, generating) in splits {
            let layouts = match self.layouts(work, training) {
                Ok(mut layouts) => {
                    self.without_needless_cuts(work, training, &mut layouts);
                    layouts
                }
                Err(error) => {
                    why = error;
                    continue;
                }
            };
            let Some(generation) = self.generation(work, rollouts, (generating, devices)) else {
                continue;
            };
            for layout in &layouts {
                let trained = self.batched(work, &work.run, layout);
                let step = self.joined(work, rollouts, &trained, &generation, generating);
                if best.as_ref().is_none_or(|best| is_better(&step, best)) {
                    best = Some(step);
                }
            }
        }
        best.ok_or(why)
    }

    /// Combines training and generation into one step.
    fn joined(
        &self,
        work: &ModelRun,
        rollouts: Rollouts,
        trained: &Fitted,
        generation: &Generation,
        generating: u32,
    ) -> Fitted {
        let run = &work.run;
        let layout = &trained.layout;
        let offloaded = if rollouts.is_apart {
            0.0
        } else {
            trained.memory.steady
        };
        let mut memory = trained.memory;
        memory.device = memory.device.max(generation.device);
        memory.host += offloaded;
        let speed = trained.speed;
        let step = generation
            .seconds
            .zip(speed.step_s)
            .map(|(generating_s, step_s)| {
                let parallel_sequences =
                    run.batch * f64::from(layout.data) * run.accumulation(layout);
                let tokens_per_sequence = run.prompt() + run.output();
                // Rollouts have their average length, and may take several optimizer steps.
                let steps =
                    rollouts.sequences / parallel_sequences * tokens_per_sequence / run.sequence();
                let scoring_s = speed.scoring_s.unwrap_or_default() * steps;
                let training_s = step_s * steps - scoring_s;
                let refit_s = generation.refit_s + 2.0 * offloaded / self.device.host_link;
                let seconds = if rollouts.is_apart {
                    generating_s.max(scoring_s + training_s) + refit_s
                } else {
                    generating_s + scoring_s + training_s + refit_s
                };
                RolloutStep {
                    tensor: generation.layout.tensor,
                    devices: rollouts.is_apart.then_some(generating),
                    sequences: rollouts.sequences,
                    tokens: rollouts.sequences * tokens_per_sequence,
                    generating_s,
                    scoring_s,
                    training_s,
                    refit_s,
                    seconds,
                    peak: generation.device,
                    generation_fits: generation.fits,
                }
            });
        let separate = if rollouts.is_apart { generating } else { 0 };
        let devices = f64::from(layout.devices() + separate);
        let rate = step.map(|step| step.tokens / step.seconds / devices);
        let slower = rate
            .zip(speed.train)
            .map_or(1.0, |(rate, alone)| rate / alone);
        let generates =
            step.is_some_and(|step| step.generating_s > step.training_s + step.scoring_s);
        Fitted {
            low: trained.low.max(generation.low),
            high: trained.high.max(generation.high),
            memory,
            speed: Speed {
                train: rate,
                step_s: step.map(|step| step.seconds),
                mfu: speed.mfu.map(|mfu| mfu * slower),
                bound: if generates {
                    Some(Bound::Memory)
                } else {
                    speed.bound
                },
                ..speed
            },
            step,
            ..trained.clone()
        }
    }
}
