//! Every machine that is sold, sized for a model.

use std::collections::{BTreeSet, HashMap};

use sky_accel_core::bind::{Candidate, Wanted};
use sky_accel_core::catalog::{AcceleratorId, Catalog, Execution, Status};
use sky_accel_core::mig::{Chip, ProfileRef, parse_profile};
use sky_accel_core::money::{Count, Usd};
use sky_accel_core::resolve::{Match, Request, matches};
use sky_accel_core::sizing::{GIB, Run};
use sky_accel_core::spec::CountRange;

use super::misfit::Misfit;
use crate::contract::Num;
use crate::sizing::{Fitted, ModelRun, Part, Sizer, execution, unsupported};
use crate::text::dollars;

/// Limits to what the tokens of a request may take.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Limits {
    pub tokens: Option<f64>,
    pub deadline_hours: Option<f64>,
    pub budget: Option<Usd>,
}

/// A machine on which the model fits.
pub(super) struct Choice {
    pub machine: Match,
    /// Set where its device is a part of one.
    pub part: Option<Part>,
    pub model: ModelFit,
    /// Of the whole machine.
    pub usd_per_hour: Usd,
    /// For all tokens of the request.
    pub hours: Option<f64>,
}

impl Choice {
    /// The price of all tokens of the request.
    pub fn usd_total(&self) -> Option<Usd> {
        self.hours.map(|hours| total(self.usd_per_hour, hours))
    }

    /// The money that choices are ranked by; a total that is unknown comes last.
    pub fn cost(&self, by_total: bool) -> Usd {
        if by_total {
            self.usd_total().unwrap_or(Usd(u64::MAX))
        } else {
            self.usd_per_hour
        }
    }
}

fn total(usd_per_hour: Usd, hours: f64) -> Usd {
    Usd((usd_per_hour.0 as f64 * hours).round() as u64)
}

/// The fit of a model on a machine: the concurrent sequences, and the speed with them.
#[derive(Clone)]
pub(super) struct ModelFit {
    pub fitted: Fitted,
    pub sequences: f64,
    pub tokens_per_s: Option<f64>,
}

impl ModelFit {
    /// Memory that offloading takes of the host of a machine, for all of its devices, in GiB.
    pub fn host_gib(&self, machine: &Match) -> f64 {
        self.fitted.memory.host / GIB * f64::from(machine.count.whole_devices().max(1))
    }

    /// Whether the host has that much; true where its memory is unknown.
    fn has_host_memory(&self, machine: &Match, catalog: &Catalog<'_>) -> bool {
        let has = machine.host_memory_gib(catalog);
        has.is_none_or(|gib| self.host_gib(machine) <= gib)
    }
}

/// The result of a search.
pub(super) struct Found {
    pub choices: Vec<Choice>,
    /// The cheapest machines that were left out, each with its reason, one for each spec.
    pub rejected: Vec<String>,
    pub considered: usize,
    /// The whole devices of the machine with the most memory.
    pub largest: Option<(AcceleratorId, Count)>,
}

/// A machine that was left out.
struct Rejected {
    spec: String,
    usd: Usd,
    line: String,
}

/// Sizes the model on every machine that is sold within the limits.
pub(super) fn search(
    catalog: &Catalog<'_>,
    work: &ModelRun,
    limits: Limits,
    request: &Request,
) -> Found {
    let request = Request {
        limit: None,
        ..request.clone()
    };
    let mut search = Search {
        catalog,
        work,
        limits,
        request: &request,
        sizers: HashMap::new(),
        fits: HashMap::new(),
        choices: Vec::new(),
        rejected: Vec::new(),
        considered: 0,
        largest: None,
    };
    for wanted in wanted(catalog, &request) {
        for machine in matches(catalog, &[wanted], &request) {
            search.add(&machine, None);
        }
    }
    search.add_slices();
    search.found()
}

/// The request to the providers: for each count of devices that machines have, in order, the
/// accelerators that they sell in that count.
fn wanted(catalog: &Catalog<'_>, request: &Request) -> Vec<Wanted> {
    let any = Wanted::any_with_memory(catalog, CountRange::exactly(Count::ONE));
    let is_asked = |id| request.providers.is_empty() || request.providers.contains(&id);
    let mut counts: BTreeSet<Count> = [1, 2, 4, 8].map(Count::whole).into();
    let mut sold: Vec<(Candidate, Option<Count>)> = Vec::new();
    for candidate in &any.candidates {
        let mut asked = BTreeSet::new();
        for row in catalog.sold(candidate.accelerator) {
            counts.extend(row.count);
            if is_asked(row.provider) {
                asked.insert(row.count);
            }
        }
        sold.extend(asked.into_iter().map(|count| (*candidate, count)));
    }
    let with_count = |count: Count| {
        // What has no fixed count is sold in any.
        let has_count = |of: &Option<Count>| of.is_none_or(|of| of == count);
        let in_count = sold.iter().filter(|(_, of)| has_count(of));
        let mut candidates: Vec<Candidate> = in_count.map(|(candidate, _)| *candidate).collect();
        candidates.dedup();
        Wanted {
            candidates,
            count: CountRange::exactly(count),
            ..any.clone()
        }
    };
    counts.into_iter().map(with_count).collect()
}

/// Sizing on an accelerator, or why it is not computed there.
fn sizer(catalog: &Catalog<'_>, id: AcceleratorId, work: &ModelRun) -> Result<Sizer, Misfit> {
    if let Execution::Refused(why) = execution(catalog, id, work) {
        return Err(Misfit::Unsupported(why));
    }
    match unsupported(catalog, id, &work.run) {
        Some(why) => Err(Misfit::Unsupported(why)),
        None => Ok(Sizer::new(catalog, id, work)),
    }
}

/// The devices of a machine, as far as the fit of a model depends on them: the accelerator, how
/// many thousandths of it, the profile where they are slices, and the memory of a part in MiB.
type Devices<'c> = (AcceleratorId, u32, &'c str, Option<u64>);

/// A search, and what it has found so far.
struct Search<'s, 'c> {
    catalog: &'s Catalog<'c>,
    work: &'s ModelRun,
    limits: Limits,
    request: &'s Request,
    /// The accelerators looked at so far: their coefficients are read once for all counts.
    sizers: HashMap<AcceleratorId, Result<Sizer, Misfit>>,
    /// The fits that were computed so far.
    fits: HashMap<Devices<'c>, Result<ModelFit, Misfit>>,
    choices: Vec<Choice>,
    rejected: Vec<Rejected>,
    considered: usize,
    largest: Option<(f64, AcceleratorId, Count)>,
}

impl Search<'_, '_> {
    /// Adds the MIG slices that are sold ready-made: those are asked for by name.
    fn add_slices(&mut self) {
        let catalog = self.catalog;
        let sliced = catalog
            .offers
            .iter()
            .enumerate()
            .filter(|(_, offer)| offer.mig_profile.len > 0);
        for (at, offer) in sliced {
            let id = offer.accelerator;
            let profile = catalog.str(offer.mig_profile);
            let Some(geometry) = catalog.geometry(&catalog.accelerator(id)) else {
                continue;
            };
            let chip = Chip::new(catalog, geometry);
            let Some(kind) = chip.kinds.iter().position(|kind| kind.name == profile) else {
                continue;
            };
            let Some(name) = parse_profile(profile) else {
                continue;
            };
            let Ok(wanted) = Wanted::slice(catalog, id, ProfileRef::Name(name)) else {
                continue;
            };
            let wanted = [wanted];
            for machine in matches(catalog, &wanted, self.request) {
                if machine.offer.index() == at {
                    self.add(&machine, Some(Part::slice(&chip, kind)));
                }
            }
        }
    }

    /// Looks at a machine that is sold; `slice` is set where its devices are slices.
    fn add(&mut self, machine: &Match, slice: Option<Part>) {
        let catalog = self.catalog;
        let offer = catalog.offer(machine.offer);
        let is_slice = offer.mig_profile.len > 0;
        let Some(usd) = machine.ruling(self.request.capacity_filter) else {
            return;
        };
        if offer.status != Status::Offered || is_slice != slice.is_some() {
            return;
        }
        if offer.is_part(machine.count) {
            return;
        }
        self.considered += 1;
        let id = machine.accelerator;
        let gb = catalog.accelerator(id).memory_gb.unwrap_or_default() * machine.count.decimal();
        if !is_slice && self.largest.is_none_or(|(most, ..)| gb > most) {
            self.largest = Some((gb, id, machine.count));
        }
        let part = slice.or_else(|| {
            let is_fraction = !machine.count.is_whole();
            let share = machine.count.decimal();
            is_fraction.then(|| Part::fraction(catalog, id, share, offer.memory_mib))
        });
        let work = self.work;
        let profile = catalog.str(offer.mig_profile);
        let memory = part.as_ref().and(offer.memory_mib).map(f64::to_bits);
        let devices = (id, machine.count.0, profile, memory);
        let sizers = &mut self.sizers;
        let fit = self.fits.entry(devices).or_insert_with(|| {
            let sizer = sizers.entry(id).or_insert_with(|| sizer(catalog, id, work));
            let sizer = sizer.as_ref().map_err(Clone::clone)?;
            let count = machine.count.whole_devices().max(1);
            match &part {
                Some(part) => size(work, &sizer.clone().part(part), count),
                None => size(work, sizer, count),
            }
        });
        let outcome = match fit {
            Ok(model) if !model.has_host_memory(machine, catalog) => Err(Misfit::HostMemory {
                needed: model.host_gib(machine),
                has: machine.host_memory_gib(catalog).unwrap_or_default(),
            }),
            Ok(model) => {
                let tokens = self.limits.tokens.zip(model.tokens_per_s);
                let hours = tokens.map(|(tokens, rate)| tokens / rate / 3600.0);
                self.limits.check(usd, hours).map(|()| Choice {
                    machine: machine.clone(),
                    part,
                    model: model.clone(),
                    usd_per_hour: usd,
                    hours,
                })
            }
            Err(why) => Err(why.clone()),
        };
        match outcome {
            Ok(choice) => self.choices.push(choice),
            Err(why) => {
                let spec = spec_of(catalog, machine);
                let seller = catalog.str(catalog.provider(offer.provider).name);
                let price = dollars(Num(usd.decimal()));
                let line = format!("{spec} on {seller}, {price} per hour: {why}");
                self.rejected.push(Rejected { spec, usd, line });
            }
        }
    }

    fn found(mut self) -> Found {
        self.rejected
            .sort_by(|a, b| b.usd.cmp(&a.usd).then_with(|| a.line.cmp(&b.line)));
        let cheapest = self.choices.iter().map(|choice| choice.usd_per_hour).min();
        // A machine that is dearer than an answer is no loss. One line is enough for a spec.
        let mut specs: Vec<String> = Vec::new();
        let mut lines = Vec::new();
        for rejected in self.rejected {
            let is_loss = cheapest.is_none_or(|cheapest| rejected.usd < cheapest);
            if is_loss && !specs.contains(&rejected.spec) {
                specs.push(rejected.spec);
                lines.push(rejected.line);
            }
        }
        Found {
            choices: self.choices,
            rejected: lines,
            considered: self.considered,
            largest: self.largest.map(|(_, id, count)| (id, count)),
        }
    }
}

impl Limits {
    /// Holds a machine against the limits: the error says which of them it exceeds.
    fn check(&self, usd_per_hour: Usd, hours: Option<f64>) -> Result<(), Misfit> {
        if let Some(most) = self.deadline_hours
            && hours.is_none_or(|hours| hours > most)
        {
            return Err(Misfit::Deadline { hours, most });
        }
        let usd = hours.map(|hours| total(usd_per_hour, hours));
        if let Some(most) = self.budget
            && usd.is_none_or(|usd| usd > most)
        {
            return Err(Misfit::Budget { usd, most });
        }
        Ok(())
    }
}

/// The spec of a machine, by which `resolve` finds it.
pub(super) fn spec_of(catalog: &Catalog<'_>, machine: &Match) -> String {
    let name = catalog.accelerator_id(machine.accelerator);
    match catalog.text(catalog.offer(machine.offer).mig_profile) {
        Some(profile) => format!("{name}:mig={profile}"),
        None if machine.count == Count::ONE => name.to_owned(),
        None => format!("{name}:x{}", machine.count),
    }
}

/// The fit of the model on so many devices, or the reason why it does not fit.
fn size(work: &ModelRun, sizer: &Sizer, count: u32) -> Result<ModelFit, Misfit> {
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
    if work.run.workload.is_training() {
        let rate = fitted.speed.train.map(|rate| rate * f64::from(count));
        return Ok(ModelFit {
            fitted,
            sequences: work.run.batch,
            tokens_per_s: rate,
        });
    }
    if let Some(why) = fitted.overload(&work.run) {
        return Err(Misfit::Load(why));
    }
    if let Some(load) = fitted.served {
        return Ok(ModelFit {
            fitted,
            sequences: load.concurrency,
            tokens_per_s: Some(load.output),
        });
    }
    served(work, sizer, count, &fitted).ok_or(Misfit::NoLayout)
}

/// The layout that serves the most tokens, with as many sequences as its cache has room for.
fn served(work: &ModelRun, sizer: &Sizer, count: u32, smallest: &Fitted) -> Option<ModelFit> {
    let run = &work.run;
    let mut best: Option<ModelFit> = None;
    for layout in sizer.layouts(work, count).unwrap_or_default() {
        let fitted = sizer.fitted(work, run, &layout);
        let is_needed = layout.pipeline <= smallest.layout.pipeline;
        if fitted.fits() != Some(true) || !is_needed {
            continue;
        }
        let room =
            sizer.largest_batch(work, &layout, work.measured.coefficients.profiled_sequences);
        let many = Run {
            batch: room.unwrap_or(run.batch).max(run.batch),
            ..*run
        };
        let speed = sizer.fitted(work, &many, &layout).speed;
        let rate = speed.output.or(speed.decode);
        if best.as_ref().is_none_or(|best| rate > best.tokens_per_s) {
            best = Some(ModelFit {
                fitted,
                sequences: many.batch * f64::from(layout.data),
                tokens_per_s: rate,
            });
        }
    }
    best
}
