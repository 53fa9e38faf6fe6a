//! Training on what the model itself generates: the phases of a step, on the same devices or apart.
//!
//! On the same devices, the phases follow each other, and the state of training sleeps in the host's
//! memory while answers are generated. Apart, the next answers are generated while the last ones are
//! trained on, so that the slower of both decides.

use sky_accel_core::sizing::{
    Bound, GivenLayout, Indivisible, Layout, Rollouts, Speed, layouts, refit_s, rollouts_s,
};

use super::fitted::{Fitted, RolloutStep};
use super::run::ModelRun;
use super::sizer::Sizer;

/// Parts of the devices that may generate where they do nothing else.
const PARTS: u32 = 8;
/// How much faster a step has to be to count as faster, as a factor.
const FASTER: f64 = 1.001;

/// How an engine generates on some devices.
#[derive(Clone, Copy, Debug)]
struct Generation {
    layout: Layout,
    seconds: Option<f64>,
    /// Seconds until the engine has the weights that were trained.
    refit_s: f64,
    device: f64,
    low: f64,
    high: f64,
    fits: bool,
}

impl Generation {
    /// Whether this way is to be preferred to another: of those that fit the faster one, else the one
    /// that needs less.
    fn is_better(&self, other: &Self) -> bool {
        let time = |way: &Self| {
            way.seconds
                .map_or(f64::INFINITY, |seconds| seconds + way.refit_s)
        };
        match (self.fits, other.fits) {
            (true, true) => time(self) < time(other),
            (false, false) => self.high < other.high,
            (fits, _) => fits,
        }
    }
}

/// Whether one step is to be preferred to another: of those that fit the faster one, of equally fast ones
/// the one that moves less to the host, and of those that do not fit the one that needs least.
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
    /// The best way to generate the answers of a step on `generating` of the `devices` that train or generate.
    fn generation(
        &self,
        work: &ModelRun,
        rollouts: Rollouts,
        (generating, devices): (u32, u32),
    ) -> Option<Generation> {
        let run = work.run.generating();
        let shape = &work.model.shape;
        let known = &work.measured.coefficients;
        let devices = f64::from(devices);
        // Parts of devices do not reach each other.
        let one = self.is_part.then_some(1);
        let given = GivenLayout {
            tensor: one,
            pipeline: one,
            ..GivenLayout::default()
        };
        let mut best: Option<Generation> = None;
        for layout in layouts(shape, &run, &given, generating).ok()? {
            let one = self.batched(work, &run, &layout);
            let room = one.room(work, &run);
            let seconds = room.and_then(|room| {
                rollouts_s(shape, &run, &layout, &self.device, known, rollouts, room)
            });
            let high = one.memory.device * self.generating_high;
            let way = Generation {
                layout,
                seconds,
                refit_s: refit_s(shape, &work.run, &layout, &self.device, known, devices),
                device: one.memory.device,
                low: one.low,
                high,
                fits: one.usable.is_none_or(|usable| high <= usable),
            };
            if best.as_ref().is_none_or(|best| way.is_better(best)) {
                best = Some(way);
            }
        }
        best
    }

    /// The numbers of devices that may generate, where they do nothing else: as many as a given layout
    /// leaves, else eighths of all, and what leaves a power of two to training.
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

    /// The layouts to train and to generate with, and the time of both together.
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
                Ok(layouts) => layouts,
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

    /// Training and generating as one step.
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
                let refit_s = generation.refit_s + 2.0 * kept / self.device.host_link;
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
                    generation_fits: generation.fits,
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
            ..trained.clone()
        }
    }
}
