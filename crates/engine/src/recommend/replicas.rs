//! Replicas of a server on separate machines, which share a load without a network between them.

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::rc::Rc;

use sky_accel_core::catalog::{AcceleratorId, ProviderId};
use sky_accel_core::money::{Count, Usd};
use sky_accel_core::resolve::{Match, Setback};
use sky_accel_core::sizing::{Arrival, Layout, Load, Run};

use super::Nodes;
use super::requirements::Requirements;
use super::search::{MachineSearch, SizedMachine, devices};
use super::service::{ModelFit, Shortfall, slowly_linked, spare, under_load};
use crate::recommend_words::{Basis, Tier};
use crate::sizing::{MemorySettings, ModelRun, Sizer, has_usual_stages};

/// Bytes per second between separate machines: too slow for any layout that spans machines.
pub(super) const NO_NETWORK: f64 = 1e6;
/// The numbers of machines that are tried unless the request has some.
const UNASKED: Nodes = Nodes { least: 1, most: 32 };
/// The bounds of a search for replicas: the maximum number of machine sizes of one provider and accelerator, and of
/// different replicas that are sized, the cheapest first.
#[derive(Clone, Copy)]
struct Effort {
    sizes: usize,
    replicas: usize,
}

/// All hardware on offer.
const USUAL: Effort = Effort {
    sizes: 2,
    replicas: 24,
};
/// All hardware in several formats: the best size in one is not the best in another.
const IN_FORMATS: Effort = Effort {
    sizes: 4,
    replicas: 64,
};
/// Named hardware, which is of few kinds, so that more sizes of each are worth a look.
const NAMED: Effort = Effort {
    sizes: 8,
    replicas: 96,
};
/// The maximum number of machines whose replicas are tried in other formats.
const MOST_VARIED: usize = 12;
/// The maximum number of sizes of one accelerator among them.
const MOST_SIZES_VARIED: usize = 1;
/// Replicas above this multiple of the lowest price of replicas so far are not sized.
const NEAR_PRICE: f64 = 1.25;
/// The factors of the number of machines of a draft: the search for the minimum number stays between them.
const FEWEST: f64 = 0.5;
const MOST_ADDED: f64 = 1.5;

/// Machines that only their cost ranks: whether they are below the machines with list prices, whether it is unknown
/// that they are in a requested region, and the doubts.
pub(super) type Group = (bool, bool, Setback);

pub(super) fn group_of(choice: &SizedMachine) -> Group {
    let is_lower = choice.tier != Tier::List;
    let setback = Setback::of_reasons(&choice.machine.reasons);
    (is_lower, choice.machine.is_region_unverified(), setback)
}

/// A machine that serves a part of the load.
struct Draft {
    machine: Match,
    precision: usize,
    /// The price of one machine.
    usd: Usd,
    /// The number of machines that serve the load.
    machines: u32,
    /// The number of devices that serve the load, without whole machines.
    devices: f64,
    /// The cost that ranks them, in US dollars per hour.
    cost: f64,
}

impl MachineSearch<'_, '_> {
    /// Adds replicas of machines that meet the limits with a part of the load, where they cost less than the machines
    /// that meet them with all of it.
    pub(super) fn replicate(&mut self) {
        let requirements = self.input.requirements;
        let load = requirements.load.filter(|_| requirements.has_load);
        let Some(load) = load.filter(|_| requirements.basis == Basis::Hour) else {
            return;
        };
        let mut groups: BTreeSet<Group> = self.choices.iter().map(group_of).collect();
        let best = groups.pop_first();
        // Named hardware may be sold in no better tier.
        let others = groups.into_iter().filter(|_| self.input.on.is_some());
        let groups: Vec<Group> = best.into_iter().chain(others).collect();
        for group in groups {
            self.replicate_in(group, load);
        }
    }

    /// Adds the replicas of the machines of a group.
    fn replicate_in(&mut self, group: Group, load: Load) {
        let effort = match (self.input.on.is_some(), self.formats()) {
            (true, _) => NAMED,
            (false, 0) => USUAL,
            (false, _) => IN_FORMATS,
        };
        let of_group = self
            .choices
            .iter()
            .filter(|choice| group_of(choice) == group);
        let enough = of_group
            .clone()
            .filter(|choice| choice.shortfalls.is_empty());
        let lowest = enough.map(|choice| choice.weighed_cost(Basis::Hour));
        let lowest = lowest.min_by(f64::total_cmp);
        // Replicas are worth their effort only if they cost less than a single machine.
        let mut limit = lowest.unwrap_or(f64::INFINITY);
        let drafts = of_group.filter_map(|choice| self.draft(choice, load));
        let mut drafts: Vec<Draft> = drafts.collect();
        drafts.sort_by(|a, b| a.cost.total_cmp(&b.cost));
        let mut sizes: BTreeMap<(ProviderId, AcceleratorId), usize> = BTreeMap::new();
        drafts.retain(|draft| {
            let known = sizes.entry(self.kind_of(&draft.machine)).or_default();
            *known += 1;
            *known <= effort.sizes
        });
        self.vary_drafts(&mut drafts, load);
        self.vary_sizes(&mut drafts, group, load);
        let mut fits = Fits::new();
        for draft in drafts {
            if self.input.engine.go_on().is_err() {
                break;
            }
            if let Some(replicas) = self.fewest(&draft, limit, effort, &mut fits) {
                limit = limit.min(replicas.weighed_cost(Basis::Hour) * NEAR_PRICE);
                self.choices.push(replicas);
            }
        }
    }

    /// Sizes the fewest replicas of a machine that meet the limits; `None` if they cost more than `limit`.
    ///
    /// The number of a draft rests on the layout of a machine with all of the load. With a part of it, another layout
    /// may serve more users, or fewer.
    fn fewest(
        &self,
        draft: &Draft,
        limit: f64,
        effort: Effort,
        fits: &mut Fits,
    ) -> Option<SizedMachine> {
        let share = |factor: f64| (f64::from(draft.machines) * factor).ceil() as u32;
        let nodes = self.input.nodes.unwrap_or(UNASKED);
        let mut least = share(FEWEST).max(nodes.least).max(2);
        let mut most = share(MOST_ADDED).min(nodes.most);
        let mut machines = draft.machines;
        let mut found = None;
        while least <= machines && machines <= most && fits.len() < effort.replicas {
            let is_dear = |cost: f64| cost > limit;
            let cost = self.cost_of(&draft.machine, draft.usd, machines);
            if cost.is_none_or(is_dear) {
                most = machines - 1;
            } else if let Some(replicas) = self.replicas_of(draft, machines, fits) {
                found = Some(replicas);
                most = machines - 1;
            } else {
                least = machines + 1;
            }
            machines = least.midpoint(most);
        }
        found
    }

    /// The number of machines for a share of the load of one, such as 2.3.
    ///
    /// One machine does not meet the limits, even if it serves all users: its memory may be too full.
    fn whole_machines(&self, share: f64) -> u32 {
        let nodes = self.input.nodes.unwrap_or(UNASKED);
        (share.ceil() as u32).max(nodes.least).max(2)
    }

    /// Returns the cost that ranks a number of machines, in US dollars per hour; `None` above the limit of devices.
    fn cost_of(&self, machine: &Match, usd: Usd, machines: u32) -> Option<f64> {
        let requirements = self.input.requirements;
        let most = requirements.devices;
        let all = f64::from(machines * devices(machine));
        let usd = usd.decimal() * f64::from(machines);
        let is_allowed = most.is_none_or(|most| all <= most);
        is_allowed.then(|| usd * requirements.machines_factor(machines, usd))
    }

    /// The provider and the accelerator of a machine.
    fn kind_of(&self, machine: &Match) -> (ProviderId, AcceleratorId) {
        let provider = self.catalog.offer(machine.offer).provider;
        (provider, machine.accelerator)
    }

    /// Adds drafts of the cheapest machines in the other formats of the search.
    fn vary_drafts(&mut self, drafts: &mut Vec<Draft>, load: Load) {
        if self.formats() == 0 {
            return;
        }
        let of_draft = drafts.iter().filter(|draft| draft.precision == 0);
        let of_draft = of_draft.map(|draft| (draft.machine.clone(), draft.usd));
        let mut devices = BTreeSet::new();
        let mut sizes: BTreeMap<AcceleratorId, usize> = BTreeMap::new();
        let is_new = |(machine, _): &(Match, Usd)| {
            let is_new = devices.insert((machine.accelerator, machine.count));
            let known = sizes.entry(machine.accelerator).or_default();
            *known += usize::from(is_new);
            is_new && *known <= MOST_SIZES_VARIED
        };
        let first = of_draft.filter(is_new).take(MOST_VARIED);
        let first: Vec<(Match, Usd)> = first.collect();
        for (machine, usd) in &first {
            for format in 1..=self.formats() {
                drafts.extend(self.draft_in(machine, *usd, format, load));
            }
        }
        drafts.sort_by(|a, b| a.cost.total_cmp(&b.cost));
        // The best size of each accelerator in each format.
        let mut kinds = BTreeSet::new();
        let best = drafts
            .iter()
            .filter(|draft| kinds.insert((draft.machine.accelerator, draft.precision)));
        let best: Vec<(Match, Usd, usize)> = best
            .take(MOST_VARIED)
            .map(|draft| (draft.machine.clone(), draft.usd, draft.precision))
            .collect();
        for (machine, usd, precision) in &best {
            // The same formats with a small KV cache follow the formats.
            let small = self.formats() + 1 + precision;
            if small <= self.input.others.len() {
                drafts.extend(self.draft_in(machine, *usd, small, load));
            }
        }
        drafts.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    }

    /// The single machines of a group with their prices, each once.
    fn machines_in(&self, group: Group) -> Vec<(Match, Usd)> {
        let mut known = HashSet::new();
        let choices = self.choices.iter().filter(|choice| {
            group_of(choice) == group && choice.nodes == 1 && choice.part.is_none()
        });
        choices
            .filter(|choice| known.insert((choice.machine.offer, choice.machine.count)))
            .map(|choice| (choice.machine.clone(), choice.usd_per_hour))
            .collect()
    }

    /// Adds drafts of other machine sizes in the formats of the drafts, where they seem to cost less than every draft:
    /// the best size in one format is not the best in another.
    fn vary_sizes(&mut self, drafts: &mut Vec<Draft>, group: Group, load: Load) {
        let Some(first) = drafts.first().filter(|_| self.formats() > 0) else {
            return;
        };
        let lowest = first.cost;
        // The devices that serve the load, by accelerator and format.
        let mut needed: BTreeMap<(AcceleratorId, usize), f64> = BTreeMap::new();
        for draft in drafts.iter().filter(|draft| draft.precision > 0) {
            let key = (draft.machine.accelerator, draft.precision);
            let known = needed.entry(key).or_insert(f64::INFINITY);
            *known = known.min(draft.devices);
        }
        let machines = self.machines_in(group);
        let mut cheaper = Vec::new();
        for ((accelerator, precision), devices_needed) in needed {
            let is_same = |(machine, _): &&(Match, Usd)| machine.accelerator == accelerator;
            for (machine, usd) in machines.iter().filter(is_same) {
                let share = devices_needed / f64::from(devices(machine));
                let cost = self.cost_of(machine, *usd, self.whole_machines(share));
                let is_drafted = drafts.iter().any(|draft| {
                    let drafted = &draft.machine;
                    draft.precision == precision
                        && (drafted.offer, drafted.count) == (machine.offer, machine.count)
                });
                let cost = cost.filter(|cost| *cost < lowest * NEAR_PRICE && !is_drafted);
                cheaper.extend(cost.map(|cost| (cost, machine, *usd, precision)));
            }
        }
        cheaper.sort_by(|a, b| a.0.total_cmp(&b.0));
        for (_, machine, usd, precision) in cheaper.into_iter().take(MOST_VARIED) {
            drafts.extend(self.draft_in(machine, usd, precision, load));
        }
        drafts.sort_by(|a, b| a.cost.total_cmp(&b.cost));
    }

    /// Returns the cheapest replicas of machines in another precision below a cost; `None` without any.
    pub(super) fn cheapest_replicas(
        &mut self,
        machines: &[(&Match, Usd)],
        precision: usize,
        mut limit: f64,
    ) -> Option<SizedMachine> {
        let requirements = self.input.requirements;
        let load = requirements.load.filter(|_| requirements.has_load);
        let load = load.filter(|_| requirements.basis == Basis::Hour)?;
        let drafts = machines
            .iter()
            .filter_map(|(machine, usd)| self.draft_in(machine, *usd, precision, load));
        let mut drafts: Vec<Draft> = drafts.collect();
        drafts.sort_by(|a, b| a.cost.total_cmp(&b.cost));
        let mut fits = Fits::new();
        let mut best = None;
        for draft in drafts {
            if let Some(replicas) = self.fewest(&draft, limit, USUAL, &mut fits) {
                limit = replicas.weighed_cost(Basis::Hour);
                best = Some(replicas);
            }
        }
        best
    }

    /// Returns the replicas of a machine in another precision.
    fn draft_in(
        &mut self,
        machine: &Match,
        usd: Usd,
        precision: usize,
        load: Load,
    ) -> Option<Draft> {
        if !self
            .input
            .runs(self.catalog, precision, machine.accelerator)
        {
            return None;
        }
        let model = self.size(machine, None, 1, None, precision).ok()?;
        let choice = self.choice(machine, None, model, usd, None, precision);
        self.draft(&choice, load)
    }

    /// Returns the replicas of a machine that divide the load; `None` if more replicas do not help.
    fn draft(&self, choice: &SizedMachine, load: Load) -> Option<Draft> {
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
        let is_machine = choice.nodes == 1 && choice.part.is_none();
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
        if share > f64::from(nodes.most) {
            return None;
        }
        let mut draft = Draft {
            machine: choice.machine.clone(),
            precision: choice.precision,
            usd: choice.usd_per_hour,
            machines: self.whole_machines(share),
            devices: share * f64::from(devices(&choice.machine)),
            cost: 0.0,
        };
        draft.cost = self.cost_of(&draft.machine, draft.usd, draft.machines)?;
        Some(draft)
    }

    /// Sizes replicas; `None` if they do not meet the limits.
    fn replicas_of(&self, draft: &Draft, machines: u32, fits: &mut Fits) -> Option<SizedMachine> {
        let Draft {
            machine, precision, ..
        } = draft;
        let id = machine.accelerator;
        let key = (id, machine.count, machines, *precision);
        let fit = fits.entry(key).or_insert_with(|| {
            let work = self.input.work_in(*precision);
            let sizer = Sizer::new(self.catalog, id, work);
            let counts = (machines, devices(machine));
            replicated(work, &sizer, counts, self.input.requirements).map(Rc::new)
        });
        let model = Rc::clone(fit.as_ref()?);
        let joined = Some((machines, None));
        let replicas = self.choice(machine, None, model, draft.usd, joined, *precision);
        replicas.shortfalls.is_empty().then_some(replicas)
    }
}

/// Returns whether a result is several separate machines, each with its own server.
pub(super) fn is_replicated(choice: &SizedMachine) -> bool {
    choice.nodes > 1 && choice.interconnect.is_none()
}

/// The fits of replicas: by accelerator, devices of a machine, machines and precision.
type Fits = BTreeMap<(AcceleratorId, Count, u32, usize), Option<Rc<ModelFit>>>;

/// Sizes a server for its part of the load, and then all servers for the load; `None` if it does not fit. A server with
/// too little memory by default may have enough with other settings.
fn replicated(
    work: &ModelRun,
    sizer: &Sizer,
    counts: (u32, u32),
    requirements: &Requirements,
) -> Option<ModelFit> {
    let load = requirements.load?;
    let of_one = part_of(load, counts.0);
    let one = sizer
        .best(&with_load(work, of_one), counts.1)
        .ok()
        .filter(|one| has_usual_stages(&one.layout, 1))?;
    let settings = MemorySettings::of(work, Some(of_one)).filter(|settings| {
        spare(&one) < requirements.spare && settings.may_help(&work.run, &one, requirements.spare)
    });
    let with_settings = settings.and_then(|settings| {
        let work = settings.apply(work);
        let one = sizer.best(&with_load(&work, of_one), counts.1).ok()?;
        let is_roomy = spare(&one) >= requirements.spare && has_usual_stages(&one.layout, 1);
        is_roomy.then(|| ModelFit {
            settings: Some(settings),
            ..replicas(&work, sizer, &one.layout, counts, (load, requirements))
        })
    });
    let plain = || {
        let fits = one.fits() == Some(true);
        fits.then(|| replicas(work, sizer, &one.layout, counts, (load, requirements)))
    };
    with_settings.or_else(plain)
}

/// The part of a load that each of several equal servers gets.
fn part_of(load: Load, machines: u32) -> Load {
    let part = |number: f64| number / f64::from(machines);
    Load {
        arrival: match load.arrival {
            Arrival::Users(users) => Arrival::Users(part(users)),
            Arrival::Rate(rate) => Arrival::Rate(part(rate)),
        },
        ..load
    }
}

fn with_load(work: &ModelRun, load: Load) -> ModelRun {
    let mut work = work.clone();
    work.run.load = Some(load);
    work
}

/// Sizes equal servers with a layout each for the load of the request.
fn replicas(
    work: &ModelRun,
    sizer: &Sizer,
    layout_of_one: &Layout,
    (machines, devices): (u32, u32),
    (load, requirements): (Load, &Requirements),
) -> ModelFit {
    let layout = Layout {
        data: layout_of_one.data * machines,
        ..*layout_of_one
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
    ModelFit {
        slowly_linked: slowly_linked(sizer, layout_of_one),
        ..under_load(work, &joined, fitted, load, requirements.has_load)
    }
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
    use crate::{Engine, ModelSource, RecommendRequest, RunRequest};

    #[test]
    fn a_load_above_one_machine_is_divided_among_separate_machines() {
        let request = RecommendRequest {
            run: RunRequest {
                model: Some(ModelSource::Name("Llama-3.3-70B".to_owned())),
                concurrency: Some(500.0),
                ..RunRequest::default()
            },
            ..RecommendRequest::default()
        };
        let answer = Engine::embedded().recommend(&request, None).unwrap();
        let rows = answer.envelope.results.iter();
        let replicas: Vec<_> = rows
            .filter(|row| row.nodes.is_some() && row.interconnect.is_none())
            .collect();
        assert!(!replicas.is_empty());
        for row in replicas {
            let fit = row.fit.as_ref().unwrap();
            assert!(row.max_users.unwrap().0 >= 500.0, "{}", row.spec);
            let command = &fit.launch.as_ref().unwrap().command;
            assert!(!command.contains("MASTER_ADDR"), "{command}");
        }
        // Machines to get, to start and to watch count in the ranking.
        let weighed: Vec<f64> = answer
            .envelope
            .results
            .iter()
            .filter(|row| row.tier == Some(Tier::List))
            .map(|row| {
                let machines = f64::from(row.nodes.unwrap_or(1));
                row.usd_per_hour.unwrap().0 + 0.5 * (machines - 1.0)
            })
            .collect();
        assert!(weighed.is_sorted_by(|a, b| *a <= b * 1.001), "{weighed:?}");
    }

    #[test]
    fn more_users_of_a_named_card_never_cost_less() {
        let first = |card: &str, users: f64| {
            let request = RecommendRequest {
                run: RunRequest {
                    model: Some(ModelSource::Name("Llama-3.1-8B".to_owned())),
                    concurrency: Some(users),
                    ..RunRequest::default()
                },
                on: Some(card.to_owned()),
                ..RecommendRequest::default()
            };
            let answer = Engine::embedded().recommend(&request, None).unwrap();
            let first = &answer.envelope.results[0];
            let machines = f64::from(first.nodes.unwrap_or(1));
            let cost = first.usd_per_hour.unwrap().0 + 0.5 * (machines - 1.0);
            (cost, first.max_users.unwrap().0)
        };
        for card in ["A40", "RTX4090"] {
            let mut least = 0.0;
            for users in [50.0, 100.0, 200.0, 400.0] {
                let (cost, served) = first(card, users);
                assert!(served >= users, "{card} for {users}: {served}");
                assert!(cost >= least, "{card} for {users}: {cost} after {least}");
                least = cost;
            }
        }
    }

    #[test]
    fn replicas_are_the_minimum_number_of_a_machine() {
        let users = 400.0;
        let request = RecommendRequest {
            run: RunRequest {
                model: Some(ModelSource::Name("Llama-3.1-8B".to_owned())),
                concurrency: Some(users),
                ..RunRequest::default()
            },
            on: Some("A40".to_owned()),
            ..RecommendRequest::default()
        };
        let answer = Engine::embedded().recommend(&request, None).unwrap();
        let rows = answer.envelope.results.iter();
        let replicas: Vec<_> = rows.filter(|row| row.nodes > Some(2)).collect();
        assert!(!replicas.is_empty());
        for row in replicas {
            let machines = f64::from(row.nodes.unwrap());
            let of_fewer = row.max_users.unwrap().0 * (machines - 1.0) / machines;
            assert!(of_fewer < users, "{machines} × {}: {of_fewer}", row.spec);
        }
    }

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
