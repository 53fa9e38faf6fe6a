//! A model on a machine, or on several: whether it fits, how it serves, and which wishes it leaves open.

use sky_accel_core::catalog::Catalog;
use sky_accel_core::money::Usd;
use sky_accel_core::resolve::Match;
use sky_accel_core::sizing::{Arrival, GIB, Load, Run, Served};

use super::misfit::Misfit;
use super::wishes::{Wish, Wishes};
use crate::sizing::{Fitted, ModelRun, Sizer, has_usual_stages};

/// A rate that is at least this share of the one that is asked for is met: it is found by bisection.
const NEARLY: f64 = 0.999;

/// The fit of a model on the devices of a machine, or of several.
#[derive(Clone)]
pub(super) struct ModelFit {
    pub fitted: Fitted,
    /// How it serves the load that it is judged by; `None` for what is no server.
    pub served: Option<Served>,
    /// Sequences in flight at `tokens_per_s`.
    pub sequences: f64,
    /// Tokens per second of all devices: at the load that is asked for; where none is, with as many users
    /// as the limits of service allow.
    pub tokens_per_s: Option<f64>,
    /// Seconds to the first token, and output tokens per second of one user, at the load that is asked
    /// for.
    pub first_token_s: Option<f64>,
    pub speed: Option<f64>,
    /// Whether requests come faster than they are taken.
    pub is_overloaded: bool,
}

impl ModelFit {
    /// Memory that offloading takes of the host of a machine, for all of its devices, in GiB.
    pub fn host_gib(&self, machine: &Match) -> f64 {
        self.fitted.memory.host / GIB * f64::from(machine.count.whole_devices().max(1))
    }

    /// Whether the host has that much; true where its memory is unknown.
    pub fn has_host_memory(&self, machine: &Match, catalog: &Catalog<'_>) -> bool {
        let has = machine.host_memory_gib(catalog);
        has.is_none_or(|gib| self.host_gib(machine) <= gib)
    }

    /// The share of the usable memory that stays free at the high end of the estimate.
    pub fn spare(&self) -> f64 {
        let usable = self.fitted.usable.unwrap_or_default();
        if usable > 0.0 {
            1.0 - self.fitted.high / usable
        } else {
            0.0
        }
    }
}

/// A wish that a machine does not meet, and what it has instead; `None` where that is not known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Shortfall {
    /// Seconds to the first token.
    FirstToken(Option<f64>),
    /// Output tokens per second of one user.
    Speed(Option<f64>),
    /// The share of memory that stays free.
    Spare(f64),
    /// Requests come faster than they are taken: it takes so many per second; `None` where its speed is not
    /// known, and with it whether it serves a load at all.
    Rate(Option<f64>),
    /// US dollars per hour.
    Price(Usd),
    /// Hours for all tokens.
    Deadline(Option<f64>),
    /// US dollars for all tokens.
    Budget(Option<Usd>),
}

impl Shortfall {
    /// Whether the user asked for what is not met; the others are what people usually expect.
    pub fn is_asked(&self, wishes: &Wishes) -> bool {
        let is_given = |wish: Option<Wish>| wish.is_some_and(|wish| wish.is_given);
        match self {
            Self::FirstToken(_) => is_given(wishes.first_token_s),
            Self::Speed(_) => is_given(wishes.speed),
            Self::Spare(_) => false,
            Self::Rate(_) | Self::Price(_) | Self::Deadline(_) | Self::Budget(_) => true,
        }
    }
}

impl Shortfall {
    /// Whether more money, or more time, is all that is missing.
    pub fn is_of_money(&self) -> bool {
        matches!(self, Self::Price(_) | Self::Deadline(_) | Self::Budget(_))
    }

    /// How many times as much money or time it takes as the wish allows; infinite where that is not known, and for
    /// service.
    pub fn excess(&self, wishes: &Wishes) -> f64 {
        let of_money = |is: Option<Usd>, most: Option<Usd>| {
            let (is, most) = (is?.decimal(), most?.decimal());
            Some(is / most)
        };
        let times = match self {
            Self::Price(usd) => of_money(Some(*usd), wishes.price),
            Self::Budget(usd) => of_money(*usd, wishes.budget),
            Self::Deadline(hours) => hours.zip(wishes.deadline_hours).map(|(is, most)| is / most),
            Self::FirstToken(_) | Self::Speed(_) | Self::Spare(_) | Self::Rate(_) => None,
        };
        times.unwrap_or(f64::INFINITY)
    }
}

/// The hours of a job.
#[derive(Clone, Copy)]
pub(super) struct JobHours {
    /// Those that the work takes.
    pub taken: f64,
    /// Those that are billed.
    pub billed: f64,
}

/// The wishes that a machine leaves open. `usd_per_hour` and `hours` are of all machines together.
pub(super) fn shortfalls(
    model: &ModelFit,
    usd_per_hour: Usd,
    hours: Option<JobHours>,
    wishes: &Wishes,
) -> Vec<Shortfall> {
    let mut open = Vec::new();
    if let Some(wish) = wishes.first_token_s
        && model.first_token_s.is_none_or(|is| is > wish.value)
    {
        open.push(Shortfall::FirstToken(model.first_token_s));
    }
    if let Some(wish) = wishes.speed
        && model.speed.is_none_or(|is| is < wish.value)
    {
        open.push(Shortfall::Speed(model.speed));
    }
    if model.spare() < wishes.spare {
        open.push(Shortfall::Spare(model.spare()));
    }
    let is_unknown = wishes.has_load && wishes.load.is_some() && model.served.is_none();
    if model.is_overloaded || is_unknown {
        open.push(Shortfall::Rate(model.served.map(|served| served.goodput)));
    }
    if wishes.price.is_some_and(|most| usd_per_hour > most) {
        open.push(Shortfall::Price(usd_per_hour));
    }
    if wishes
        .deadline_hours
        .is_some_and(|most| hours.is_none_or(|hours| hours.taken > most))
    {
        open.push(Shortfall::Deadline(hours.map(|hours| hours.taken)));
    }
    let usd = hours.map(|hours| total(usd_per_hour, hours.billed));
    if wishes
        .budget
        .is_some_and(|most| usd.is_none_or(|usd| usd > most))
    {
        open.push(Shortfall::Budget(usd));
    }
    open
}

/// The price of so many hours.
pub(super) fn total(usd_per_hour: Usd, hours: f64) -> Usd {
    Usd((usd_per_hour.0 as f64 * hours).round() as u64)
}

/// The fit of the model on so many devices of so many machines, or the reason why it does not fit.
pub(super) fn size(
    work: &ModelRun,
    sizer: &Sizer,
    (nodes, count): (u32, u32),
    wishes: &Wishes,
) -> Result<ModelFit, Misfit> {
    let fitted = sizer.best(work, count).map_err(|_| Misfit::Indivisible {
        model: work.model.name.clone(),
        devices: count,
    })?;
    match fitted.fits() {
        Some(true) => {}
        Some(false) => {
            return Err(Misfit::Memory {
                needed: fitted.high,
                usable: fitted.usable.unwrap_or_default(),
            });
        }
        None => return Err(Misfit::MemoryUnknown),
    }
    if wishes.load.is_some() && !has_usual_stages(&fitted.layout, nodes) {
        return Err(Misfit::Stages(fitted.layout.pipeline));
    }
    Ok(if work.run.workload.is_training() {
        let rate = fitted.speed.train.map(|rate| rate * f64::from(count));
        ModelFit {
            served: None,
            sequences: work.run.batch,
            tokens_per_s: rate,
            first_token_s: None,
            speed: None,
            is_overloaded: false,
            fitted,
        }
    } else if let Some(load) = wishes.load {
        under_load(work, sizer, fitted, load, wishes.has_load)
    } else {
        in_batches(work, fitted)
    })
}

/// A server of many users. Where nobody asked for a load, the speed of all devices is that with as many users as
/// they serve.
fn under_load(
    work: &ModelRun,
    sizer: &Sizer,
    fitted: Fitted,
    load: Load,
    has_load: bool,
) -> ModelFit {
    let run = &work.run;
    let at = |load: Load| {
        let load = Some(load);
        let run = Run { load, ..*run };
        sizer.fitted(work, &run, &fitted.layout).served
    };
    let served = at(load);
    let is_overloaded = served.is_some_and(|served| match load.arrival {
        Arrival::Rate(rate) => {
            !served.is_met || served.output < rate * run.output().max(1.0) * NEARLY
        }
        Arrival::Users(_) => false,
    });
    let full = served
        .filter(|served| !has_load && served.most_users > 1.0)
        .and_then(|served| {
            at(Load {
                arrival: Arrival::Users(served.most_users),
                ..load
            })
        });
    let counted = full.or(served);
    ModelFit {
        sequences: counted.map_or(1.0, |served| served.concurrency),
        tokens_per_s: counted.map(|served| served.output),
        first_token_s: served.map(|served| served.first_token_s),
        speed: served.map(|served| served.per_user),
        is_overloaded,
        served,
        fitted,
    }
}

/// Sequences that begin and end together.
fn in_batches(work: &ModelRun, fitted: Fitted) -> ModelFit {
    let sequences = work.run.batch * f64::from(fitted.layout.data);
    let speed = &fitted.speed;
    ModelFit {
        served: None,
        sequences,
        // Models that write nothing read.
        tokens_per_s: speed.output.or(speed.decode).or(speed.prefill),
        first_token_s: speed.first_token_s,
        speed: speed.decode.map(|rate| rate / sequences),
        is_overloaded: false,
        fitted,
    }
}
