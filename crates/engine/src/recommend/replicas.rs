//! Replicas of a server on separate machines, which share a load without a network between them.

use std::collections::BTreeMap;
use std::rc::Rc;

use sky_accel_core::catalog::AcceleratorId;
use sky_accel_core::money::Count;
use sky_accel_core::sizing::{Arrival, Layout, Load, Run};

use super::requirements::Requirements;
use super::search::{MachineSearch, SizedMachine, devices};
use super::service::{ModelFit, Shortfall, under_load};
use super::tier::Tier;
use super::{Basis, Nodes};
use crate::sizing::{ModelRun, Sizer, has_usual_stages};

/// Bytes per second between separate machines: too slow for any layout that spans machines.
pub(super) const NO_NETWORK: f64 = 1e6;
/// The numbers of machines that are tried unless the request has some: people balance a load between a few machines.
const UNASKED: Nodes = Nodes { least: 1, most: 8 };
/// The maximum number of different replicas that are sized, the cheapest first.
const MOST: usize = 24;
/// Replicas above this multiple of the lowest price so far are not sized.
const NEAR_PRICE: f64 = 1.25;

/// A machine that serves a part of the load.
struct Draft {
    /// The index of the machine among the choices.
    at: usize,
    /// The number of machines that serve the load.
    machines: u32,
    /// The price of all of them, in US dollars per hour.
    usd: f64,
}

impl MachineSearch<'_, '_> {
    /// Adds replicas of machines that meet the limits with a part of the load, where they cost about as little as the
    /// machines that meet them with all of it.
    pub(super) fn replicate(&mut self) {
        let requirements = self.input.requirements;
        let load = requirements.load.filter(|_| requirements.has_load);
        let Some(load) = load.filter(|_| requirements.basis == Basis::Hour) else {
            return;
        };
        let is_enough =
            |choice: &&SizedMachine| choice.shortfalls.is_empty() && choice.tier == Tier::List;
        let enough = self.choices.iter().filter(is_enough);
        let lowest = enough
            .map(|choice| choice.usd_per_hour.decimal())
            .min_by(f64::total_cmp);
        let mut limit = lowest.unwrap_or(f64::INFINITY) * NEAR_PRICE;
        let drafts = self.choices.iter().enumerate();
        let mut drafts: Vec<Draft> = drafts
            .filter_map(|(at, choice)| self.draft(at, choice, load))
            .filter(|draft| draft.usd <= limit)
            .collect();
        drafts.sort_by(|a, b| a.usd.total_cmp(&b.usd).then(a.at.cmp(&b.at)));
        let mut fits = Fits::new();
        for draft in drafts {
            if draft.usd > limit || fits.len() >= MOST || self.input.engine.go_on().is_err() {
                break;
            }
            if let Some(replicas) = self.replicas_of(&draft, &mut fits) {
                limit = limit.min(replicas.usd_per_hour.decimal() * NEAR_PRICE);
                self.choices.push(replicas);
            }
        }
    }

    /// Returns the replicas of a machine that divide the load; `None` if more replicas do not help.
    fn draft(&self, at: usize, choice: &SizedMachine, load: Load) -> Option<Draft> {
        let is_of_load = |unmet: &Shortfall| {
            matches!(
                unmet,
                Shortfall::FirstToken(_)
                    | Shortfall::Speed(_)
                    | Shortfall::SlowLinks(_)
                    | Shortfall::Spare(_)
                    | Shortfall::Rate(_)
            )
        };
        let is_machine = choice.nodes == 1 && choice.part.is_none() && choice.tier == Tier::List;
        let is_overloaded =
            !choice.shortfalls.is_empty() && choice.shortfalls.iter().all(is_of_load);
        let served = choice
            .model
            .served
            .filter(|_| is_machine && is_overloaded)?;
        let share = match load.arrival {
            Arrival::Users(users) => users / served.most_users,
            Arrival::Rate(rate) => rate / served.goodput?,
        };
        let nodes = self.input.nodes.unwrap_or(UNASKED);
        if !(share > 1.0 && share <= f64::from(nodes.most)) {
            return None;
        }
        let machines = (share.ceil() as u32).max(nodes.least);
        let most = self.input.requirements.devices;
        let all = f64::from(machines * devices(&choice.machine));
        most.is_none_or(|most| all <= most).then(|| Draft {
            at,
            machines,
            usd: choice.usd_per_hour.decimal() * f64::from(machines),
        })
    }

    /// Sizes replicas; `None` if they do not meet the limits.
    fn replicas_of(&self, draft: &Draft, fits: &mut Fits) -> Option<SizedMachine> {
        let choice = &self.choices[draft.at];
        let (machine, precision, machines) = (&choice.machine, choice.precision, draft.machines);
        let id = machine.accelerator;
        let key = (id, machine.count, machines, precision);
        let fit = fits.entry(key).or_insert_with(|| {
            let work = self.input.work_in(precision);
            let sizer = Sizer::new(self.catalog, id, work);
            replicated(
                work,
                &sizer,
                (machines, devices(machine)),
                self.input.requirements,
            )
            .map(Rc::new)
        });
        let model = Rc::clone(fit.as_ref()?);
        let usd = choice.usd_per_hour;
        let replicas = self.choice(machine, None, model, usd, Some((machines, None)), precision);
        replicas.shortfalls.is_empty().then_some(replicas)
    }
}

/// The fits of replicas: by accelerator, devices of a machine, machines and precision.
type Fits = BTreeMap<(AcceleratorId, Count, u32, usize), Option<Rc<ModelFit>>>;

/// Sizes a server for its part of the load, and then all servers for the load; `None` if it does not fit.
fn replicated(
    work: &ModelRun,
    sizer: &Sizer,
    (machines, devices): (u32, u32),
    requirements: &Requirements,
) -> Option<ModelFit> {
    let load = requirements.load?;
    let part = |number: f64| number / f64::from(machines);
    let mut of_one = work.clone();
    of_one.run.load = Some(Load {
        arrival: match load.arrival {
            Arrival::Users(users) => Arrival::Users(part(users)),
            Arrival::Rate(rate) => Arrival::Rate(part(rate)),
        },
        ..load
    });
    let one = sizer.best(&of_one, devices).ok()?;
    if one.fits() != Some(true) || !has_usual_stages(&one.layout, 1) {
        return None;
    }
    let layout = Layout {
        data: one.layout.data * machines,
        ..one.layout
    };
    let joined = sizer
        .clone()
        .machines(machines, devices)
        .network(NO_NETWORK);
    let run = Run {
        load: Some(load),
        ..work.run
    };
    let fitted = joined.fitted(work, &run, &layout);
    Some(under_load(
        work,
        &joined,
        fitted,
        load,
        requirements.has_load,
    ))
}

/// Returns the layout of the replicas on one of several separate machines.
pub(super) fn layout_of_one(layout: &Layout, machines: u32) -> Layout {
    Layout {
        data: layout.data / machines.max(1),
        ..*layout
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_machine_has_its_part_of_the_replicas() {
        let layout = |tensor, data| Layout {
            tensor,
            data,
            ..Layout::default()
        };
        assert_eq!(layout_of_one(&layout(4, 6), 3), layout(4, 2));
    }
}
