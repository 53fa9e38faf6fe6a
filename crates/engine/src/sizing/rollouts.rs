//! Training on what the model itself generates: the phases of a step, on the same devices or apart.
//!
//! On the same devices, the phases follow each other, and the state of training sleeps in the host's
//! memory while answers are generated. Apart, the next answers are generated while the last ones are
//! trained on, so that the slower of both decides.

use sky_accel_core::sizing::{
    Bound, Indivisible, Layout, Rollouts, Speed, divides, refit_s, rollouts_s,
};

use super::request::ModelRun;
use super::sizer::{Fitted, Sizer};

/// Parts of the devices that may generate where they do nothing else.
const PARTS: u32 = 8;

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
    /// The least bytes of a device while it generates.
    pub peak: f64,
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

/// How an engine generates on some devices.
#[derive(Clone, Copy, Debug)]
struct Generation {
    layout: Layout,
    seconds: Option<f64>,
    device: f64,
    low: f64,
    high: f64,
    fits: bool,
}

impl Sizer {
    /// The fastest way to generate the answers of a step on some devices; where none fits, the one that
    /// needs least.
    fn generation(&self, work: &ModelRun, rollouts: Rollouts, devices: u32) -> Option<Generation> {
        let run = work.run.generating();
        let shape = &work.model.shape;
        let known = &work.measured.coefficients;
        let ways = (1..=devices).filter(|tensor| devices.is_multiple_of(*tensor));
        let ways = ways.filter(|tensor| f64::from(*tensor) <= self.device.links.domain);
        ways.filter_map(|tensor| {
            let layout = Layout {
                tensor,
                data: devices / tensor,
                ..Layout::default()
            };
            divides(shape, &layout).ok()?;
            let one = self.batched(work, &run, &layout);
            let room = self.room(work, &run, &one);
            let seconds = room.and_then(|room| {
                let n = rollouts.sequences;
                rollouts_s(shape, &run, &layout, &self.device, known, n, room)
            });
            Some(Generation {
                layout,
                seconds,
                device: one.memory.device,
                low: one.low,
                high: one.high,
                fits: one.fits() != Some(false),
            })
        })
        .min_by(|a, b| {
            let time = |way: &Generation| way.seconds.unwrap_or(f64::INFINITY);
            let by_time = || time(a).total_cmp(&time(b));
            match (a.fits, b.fits) {
                (true, true) => by_time(),
                (false, false) => a.high.total_cmp(&b.high),
                (fits, _) => fits.cmp(&true).reverse(),
            }
        })
    }

    /// The layouts to train and to generate with, and the time of both together.
    pub(super) fn best_step(
        &self,
        work: &ModelRun,
        rollouts: Rollouts,
        devices: u32,
    ) -> Result<Fitted, Indivisible> {
        if !rollouts.is_apart {
            let trained = self.best_layout(work, devices)?;
            return Ok(match self.generation(work, rollouts, devices) {
                Some(generation) => self.joined(work, rollouts, trained, &generation, devices),
                None => trained,
            });
        }
        // Eighths of the devices, and what leaves a power of two of them to training.
        let eighths = (1..PARTS).map(|part| devices * part / PARTS);
        let training = (0..u32::BITS).map(|exponent| 1 << exponent);
        let powers = training.map_while(|n: u32| devices.checked_sub(n));
        let mut generating: Vec<u32> = eighths.chain(powers).collect();
        generating.sort_unstable();
        generating.dedup();
        let mut best: Option<Fitted> = None;
        let mut why = Indivisible::Devices { needed: 2, devices };
        for n in generating.into_iter().filter(|n| (1..devices).contains(n)) {
            let trained = match self.best_layout(work, devices - n) {
                Ok(trained) => trained,
                Err(error) => {
                    why = error;
                    continue;
                }
            };
            let Some(generation) = self.generation(work, rollouts, n) else {
                continue;
            };
            let step = self.joined(work, rollouts, trained, &generation, n);
            let rank = |fitted: &Fitted| (fitted.fits() != Some(false), fitted.speed.train);
            if best.as_ref().is_none_or(|best| rank(&step) > rank(best)) {
                best = Some(step);
            }
        }
        best.ok_or(why)
    }

    /// Training and generating as one step.
    fn joined(
        &self,
        work: &ModelRun,
        rollouts: Rollouts,
        trained: Fitted,
        generation: &Generation,
        generating: u32,
    ) -> Fitted {
        let run = &work.run;
        let layout = &trained.layout;
        let kept = if rollouts.is_apart {
            0.0
        } else {
            trained.memory.steady
        };
        let mut memory = trained.memory;
        memory.device = memory.device.max(generation.device);
        memory.host += kept;
        let speed = trained.speed;
        let step = generation
            .seconds
            .zip(speed.step_s)
            .map(|(generating_s, step_s)| {
                let at_once = run.batch * f64::from(layout.data) * run.accumulation(layout);
                let each = run.prompt() + run.output();
                // Answers are as long as they are on average, and there may be several optimizer steps.
                let steps = rollouts.sequences / at_once * each / run.sequence();
                let scoring_s = speed.scoring_s.unwrap_or_default() * steps;
                let training_s = step_s * steps - scoring_s;
                let known = &work.measured.coefficients;
                let all = f64::from(layout.devices().max(generating));
                let refit = refit_s(
                    &work.model.shape,
                    run,
                    &generation.layout,
                    &self.device,
                    known,
                    all,
                );
                let refit_s = refit + 2.0 * kept / self.device.host_link;
                let seconds = if rollouts.is_apart {
                    generating_s.max(scoring_s + training_s) + refit_s
                } else {
                    generating_s + scoring_s + training_s + refit_s
                };
                RolloutStep {
                    tensor: generation.layout.tensor,
                    devices: rollouts.is_apart.then_some(generating),
                    sequences: rollouts.sequences,
                    tokens: rollouts.sequences * each,
                    generating_s,
                    scoring_s,
                    training_s,
                    refit_s,
                    seconds,
                    peak: generation.device,
                }
            });
        let apart = if rollouts.is_apart { generating } else { 0 };
        let devices = f64::from(layout.devices() + apart);
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
            ..trained
        }
    }
}
