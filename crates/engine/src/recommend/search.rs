//! Every machine that is sold, sized for a model.

use std::collections::{BTreeSet, HashMap};

use sky_accel_core::bind::{Candidate, Wanted};
use sky_accel_core::catalog::{
    AcceleratorId, Catalog, Execution, MAX_PER_MACHINE, OfferId, ProviderId, Status,
};
use sky_accel_core::mig::{Chip, ProfileRef, parse_profile};
use sky_accel_core::money::{Count, Usd};
use sky_accel_core::resolve::{Match, PriceTier, Request, matches};
use sky_accel_core::sizing::Arrival;
use sky_accel_core::spec::CountRange;

use super::interconnect::Interconnect;
use super::misfit::Misfit;
use super::on::On;
use super::service::{JobHours, ModelFit, Shortfall, shortfalls, size, total};
use super::tier::{Tier, tier_of};
use super::wishes::Wishes;
use super::{Basis, Nodes};
use crate::sizing::{ModelRun, Part, Sizer, execution, unsupported};

/// The share of the machines that seem to be needed from which on they are tried.
const NEAR_ENOUGH: f64 = 0.8;
/// The class of devices that are made for data centers.
const DATA_CENTER: &str = "datacenter";
/// More devices than in any machine: slices of pods have thousands.
pub(super) const MOST_IN_MACHINE: f64 = 16.0;
/// Costs that agree in so many digits after the first are equal.
const SAME_DIGITS: f64 = 6.0;

/// A question: the work, what is asked of machines, and which of them count.
#[derive(Clone, Copy)]
pub(super) struct Question<'q> {
    pub work: &'q ModelRun,
    pub wishes: &'q Wishes,
    /// Without its limit on the price, which is a wish.
    pub offers: &'q Request,
    pub on: Option<&'q On>,
    /// Numbers of machines; `None` for several only where one will not do.
    pub nodes: Option<Nodes>,
    /// Whether consumer cards are what is asked for.
    pub at_home: bool,
    /// Prices before this day are too old to rely on.
    pub first_day: &'q str,
}

/// A machine on which the model fits, or several of one kind.
pub(super) struct Choice {
    pub machine: Match,
    /// Set where its device is a part of one.
    pub part: Option<Part>,
    /// The number of machines.
    pub nodes: u32,
    /// The network between them; `None` for one machine.
    pub interconnect: Option<Interconnect>,
    pub model: ModelFit,
    /// Of all machines.
    pub usd_per_hour: Usd,
    /// For all tokens of the request.
    pub hours: Option<JobHours>,
    pub tier: Tier,
    /// Why it is not of a better tier; empty for the first one.
    pub tier_reason: &'static str,
    /// False for devices of data centers where those of people's own computers are asked for.
    pub suits: bool,
    /// The wishes that it does not meet.
    pub shortfalls: Vec<Shortfall>,
}

impl Choice {
    /// The price of all tokens of the request.
    pub fn usd_total(&self) -> Option<Usd> {
        self.hours
            .map(|hours| total(self.usd_per_hour, hours.billed))
    }

    /// US dollars for a million tokens; `None` where the speed is not known.
    pub fn usd_per_million(&self) -> Option<f64> {
        let rate = self.model.tokens_per_s.filter(|rate| *rate > 0.0)?;
        Some(self.usd_per_hour.decimal() / rate / 3600.0 * 1e6)
    }

    /// The money that choices are ranked by, in US dollars; one that is unknown comes last.
    pub fn cost(&self, basis: Basis) -> f64 {
        match basis {
            Basis::Hour => Some(self.usd_per_hour.decimal()),
            Basis::MillionTokens => self.usd_per_million(),
            Basis::Job => self.usd_total().map(Usd::decimal),
        }
        .unwrap_or(f64::INFINITY)
    }

    /// The same without the last digits, in which equal costs may differ.
    pub fn ranked_cost(&self, basis: Basis) -> f64 {
        let cost = self.cost(basis);
        if cost > 0.0 && cost.is_finite() {
            let scale = 10_f64.powf(SAME_DIGITS - cost.log10().floor());
            (cost * scale).round() / scale
        } else {
            cost
        }
    }

    /// Whether more money, or more time, is all that is missing.
    pub fn is_for_more(&self) -> bool {
        !self.shortfalls.is_empty() && self.shortfalls.iter().all(Shortfall::is_of_money)
    }

    /// Devices of all machines.
    pub fn devices(&self) -> u32 {
        devices(&self.machine) * self.nodes
    }
}

/// Devices of one machine; parts and slices count as one.
pub(super) fn devices(machine: &Match) -> u32 {
    machine.count.whole_devices().max(1)
}

/// The result of a search.
pub(super) struct Found {
    pub choices: Vec<Choice>,
    /// Machines on which the model does not fit, the dearest first, each with its reason.
    pub rejected: Vec<Rejected>,
    pub considered: usize,
    /// The whole devices of the machine with the most memory.
    pub largest: Option<(AcceleratorId, Count)>,
}

/// A machine that was left out.
pub(super) struct Rejected {
    pub offer: OfferId,
    pub accelerator: AcceleratorId,
    pub count: Count,
    pub usd: Usd,
    pub why: Misfit,
}

/// Sizes the model on every machine that is sold within the limits to offers.
pub(super) fn search(catalog: &Catalog<'_>, question: &Question<'_>) -> Found {
    let mut search = Search {
        catalog,
        question,
        sizers: HashMap::new(),
        fits: HashMap::new(),
        joinable: Vec::new(),
        choices: Vec::new(),
        rejected: Vec::new(),
        considered: 0,
        largest: None,
    };
    let of_their_own = of_their_own(catalog, question.offers);
    for (wanted, is_fixed) in wanted(catalog, question) {
        let wanted = [wanted];
        let is_meant = |machine: &Match| catalog.offer(machine.offer).count.is_some() == is_fixed;
        let found = matches(catalog, &wanted, question.offers);
        for request in &of_their_own {
            for machine in matches(catalog, &wanted, request) {
                // The cheapest tier may be the provider's own.
                let is_known = found.iter().any(|known| search.is_same(known, &machine));
                if is_meant(&machine) && !is_known {
                    search.add(&machine, None);
                }
            }
        }
        for machine in found.iter().filter(|machine| is_meant(machine)) {
            search.add(machine, None);
        }
    }
    search.add_slices();
    search.join();
    search.found()
}

/// The machines to look for: those with a number of devices of their own, all at once, and for each number of devices
/// that machines have, in order, the accelerators of which any number is sold. The flag tells the first kind.
fn wanted(catalog: &Catalog<'_>, question: &Question<'_>) -> Vec<(Wanted, bool)> {
    let request = question.offers;
    let any = Wanted::any_with_memory(catalog, CountRange::exactly(Count::ONE));
    let is_asked = |id| request.providers.is_empty() || request.providers.contains(&id);
    let mut counts: BTreeSet<Count> = [1, 2, 4, 8].map(Count::whole).into();
    let (mut fixed, mut flexible) = (Vec::new(), Vec::new());
    for candidate in &any.candidates {
        let (mut has_fixed, mut has_flexible) = (false, false);
        for row in catalog.sold(candidate.accelerator) {
            let is_of_machine = |count: &Count| count.is_whole() && *count <= MAX_PER_MACHINE;
            counts.extend(row.count.filter(is_of_machine));
            has_fixed |= row.count.is_some() && is_asked(row.provider);
            has_flexible |= row.count.is_none() && is_asked(row.provider);
        }
        fixed.extend(has_fixed.then_some(*candidate));
        flexible.extend(has_flexible.then_some(*candidate));
    }
    let in_any_number = CountRange {
        min: Count(1),
        max: None,
    };
    let of_fixed = Wanted {
        candidates: fixed,
        count: in_any_number,
        ..any.clone()
    };
    let with_count = |count: Count| {
        let is_wanted = |candidate: &Candidate| {
            let on = question.on;
            on.is_none_or(|on| on.allows(candidate.accelerator, count))
        };
        let candidates = flexible
            .iter()
            .copied()
            .filter(|candidate| is_wanted(candidate));
        let wanted = Wanted {
            candidates: candidates.collect(),
            count: CountRange::exactly(count),
            ..any.clone()
        };
        (wanted, false)
    };
    let wanted = std::iter::once((of_fixed, true)).chain(counts.into_iter().map(with_count));
    wanted
        .filter(|(wanted, _)| !wanted.candidates.is_empty())
        .collect()
}

/// The same request for the machines that providers of several price tiers own themselves: they are
/// dearer than those of others, but stand above them.
fn of_their_own(catalog: &Catalog<'_>, request: &Request) -> Vec<Request> {
    if request.price_tier.is_some() {
        return Vec::new();
    }
    let rows = catalog.providers.iter().zip((0..).map(ProviderId));
    let tiered = rows.filter(|(row, id)| {
        let is_asked = request.providers.is_empty() || request.providers.contains(id);
        row.marketplace_tiers.len > 0 && is_asked
    });
    let own = tiered.filter_map(|(row, id)| {
        let is_own = |tier: &&str| !catalog.strings(row.marketplace_tiers).any(|of| of == *tier);
        let tier = catalog.strings(row.tiers).find(is_own)?;
        Some(Request {
            providers: vec![id],
            price_tier: PriceTier::parse(catalog, tier).ok()?,
            ..request.clone()
        })
    });
    own.collect()
}

/// Sizing on an accelerator, or why it is not computed there.
fn sizer(catalog: &Catalog<'_>, id: AcceleratorId, work: &ModelRun) -> Result<Sizer, Misfit> {
    if let Execution::Refused(why) = execution(catalog, id, work) {
        return Err(Misfit::Unsupported(why));
    }
    match unsupported(catalog, id, work) {
        Some(why) => Err(Misfit::Unsupported(why)),
        None => Ok(Sizer::new(catalog, id, work)),
    }
}

/// The devices of a machine, as far as the fit of a model depends on them: the accelerator, how
/// many thousandths of it, the profile where they are slices, the memory of a part in MiB, the number of
/// machines and the bytes per second between them.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Devices<'c> {
    accelerator: AcceleratorId,
    count: u32,
    profile: &'c str,
    memory: Option<u64>,
    nodes: u32,
    network: Option<u64>,
}

/// A search, and what it has found so far.
struct Search<'s, 'c> {
    catalog: &'s Catalog<'c>,
    question: &'s Question<'s>,
    /// The accelerators looked at so far: their coefficients are read once for all counts.
    sizers: HashMap<AcceleratorId, Result<Sizer, Misfit>>,
    /// The fits that were computed so far.
    fits: HashMap<Devices<'c>, Result<ModelFit, Misfit>>,
    /// Machines that can be joined to others.
    joinable: Vec<(Match, Interconnect)>,
    choices: Vec<Choice>,
    rejected: Vec<Rejected>,
    considered: usize,
    largest: Option<(f64, AcceleratorId, Count)>,
}

impl Search<'_, '_> {
    /// Adds the MIG slices that are sold ready-made: those are asked for by name.
    fn add_slices(&mut self) {
        let catalog = self.catalog;
        let question = self.question;
        let sliced = catalog.offers.iter().enumerate().filter(|(_, offer)| {
            let on = question.on;
            offer.mig_profile.len > 0 && on.is_none_or(|on| on.allows_slice(catalog, offer))
        });
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
            for machine in matches(catalog, &wanted, question.offers) {
                if machine.offer.index() == at {
                    self.add(&machine, Some(Part::slice(&chip, kind)));
                }
            }
        }
    }

    /// Whether two machines are one at one price.
    fn is_same(&self, one: &Match, other: &Match) -> bool {
        let filter = self.question.offers.capacity_filter;
        let price = |machine: &Match| machine.leading(filter).map(|quote| quote.price);
        (one.offer, one.accelerator) == (other.offer, other.accelerator)
            && price(one) == price(other)
    }

    /// Looks at a machine that is sold; `slice` is set where its devices are slices.
    fn add(&mut self, machine: &Match, slice: Option<Part>) {
        let catalog = self.catalog;
        let offer = catalog.offer(machine.offer);
        let is_slice = offer.mig_profile.len > 0;
        let Some(usd) = machine.ruling(self.question.offers.capacity_filter) else {
            return;
        };
        if offer.status != Status::Offered || is_slice != slice.is_some() {
            return;
        }
        let is_other = |on: &On| !is_slice && !on.allows(machine.accelerator, machine.count);
        if self.question.on.is_some_and(is_other) {
            return;
        }
        let is_too_many = |most: f64| machine.count.decimal() > most;
        let is_unasked = self.question.on.is_none();
        if offer.is_part(machine.count)
            || is_unasked && self.question.wishes.devices.is_some_and(is_too_many)
        {
            return;
        }
        self.considered += 1;
        let id = machine.accelerator;
        let gb = catalog.accelerator(id).memory_gb.unwrap_or_default() * machine.count.decimal();
        let is_machine = machine.count.decimal() <= MOST_IN_MACHINE;
        if !is_slice && is_machine && self.largest.is_none_or(|(most, ..)| gb > most) {
            self.largest = Some((gb, id, machine.count));
        }
        let is_fraction = !machine.count.is_whole();
        if !is_slice
            && !is_fraction
            && let Some(interconnect) = Interconnect::of(catalog, machine)
        {
            self.joinable.push((machine.clone(), interconnect));
        }
        if self.question.nodes.is_some_and(|nodes| nodes.least > 1) {
            return;
        }
        let part = slice.or_else(|| {
            let share = machine.count.decimal();
            is_fraction.then(|| Part::fraction(catalog, id, share, offer.memory_mib))
        });
        let outcome = self.size(machine, part.as_ref(), 1, None);
        match outcome {
            Ok(model) => {
                let choice = self.choice(machine, part, model, usd, None);
                self.choices.push(choice);
            }
            Err(why) => self.rejected.push(Rejected {
                offer: machine.offer,
                accelerator: id,
                count: machine.count,
                usd,
                why,
            }),
        }
    }

    /// The fit on so many machines.
    fn size(
        &mut self,
        machine: &Match,
        part: Option<&Part>,
        nodes: u32,
        interconnect: Option<&Interconnect>,
    ) -> Result<ModelFit, Misfit> {
        let (catalog, work) = (self.catalog, self.question.work);
        let wishes = self.question.wishes;
        let id = machine.accelerator;
        let offer = catalog.offer(machine.offer);
        let network = interconnect.map(|joined| joined.bytes_per_s);
        let key = Devices {
            accelerator: id,
            count: machine.count.0,
            profile: catalog.str(offer.mig_profile),
            memory: part.and(offer.memory_mib).map(f64::to_bits),
            nodes,
            network: network.map(f64::to_bits),
        };
        let sizers = &mut self.sizers;
        let fit = self.fits.entry(key).or_insert_with(|| {
            let sizer = sizers.entry(id).or_insert_with(|| sizer(catalog, id, work));
            let sizer = sizer.as_ref().map_err(Clone::clone)?;
            let each = devices(machine);
            match (part, network) {
                (Some(part), _) => size(work, &sizer.clone().part(part), (1, each), wishes),
                (None, Some(network)) => {
                    let joined = sizer.clone().machines(nodes, each).network(network);
                    size(work, &joined, (nodes, each * nodes), wishes)
                }
                (None, None) => size(work, sizer, (1, each), wishes),
            }
        });
        match fit {
            Ok(model) if !model.has_host_memory(machine, catalog) => Err(Misfit::HostMemory {
                needed: model.host_gib(machine),
                has: machine.host_memory_gib(catalog).unwrap_or_default(),
            }),
            Ok(model) => Ok(model.clone()),
            Err(why) => Err(why.clone()),
        }
    }

    /// A choice, with the wishes that it leaves open. `usd` is the price of one machine.
    fn choice(
        &self,
        machine: &Match,
        part: Option<Part>,
        model: ModelFit,
        usd: Usd,
        joined: Option<(u32, Interconnect)>,
    ) -> Choice {
        let question = self.question;
        let (nodes, interconnect) = joined.unzip();
        let nodes = nodes.unwrap_or(1);
        let usd_per_hour = Usd(usd.0.saturating_mul(nodes.into()));
        let tokens = question.wishes.tokens.zip(model.tokens_per_s);
        let offer = self.catalog.offer(machine.offer);
        let hours = tokens.map(|(tokens, rate)| {
            let taken = tokens / rate / 3600.0;
            let billed = self.catalog.billed_hours(&offer, taken);
            JobHours { taken, billed }
        });
        let (tier, tier_reason) = tier_of(
            self.catalog,
            machine,
            question.offers.capacity_filter,
            question.first_day,
            question.at_home,
        );
        let accelerator = self.catalog.accelerator(machine.accelerator);
        let is_of_data_centers = self.catalog.str(accelerator.class) == DATA_CENTER;
        Choice {
            suits: !(question.at_home && is_of_data_centers),
            machine: machine.clone(),
            part,
            nodes,
            interconnect,
            usd_per_hour,
            hours,
            tier,
            tier_reason,
            shortfalls: shortfalls(&model, usd_per_hour, hours, question.wishes),
            model,
        }
    }

    /// Joins machines where one will not do, where there is a deadline, or where several are asked for. Of
    /// each kind, the fewest are kept that will do, or a few more as long as each does the work for less money. Where
    /// none will do, the most are kept.
    fn join(&mut self) {
        let question = self.question;
        let will_do = |choice: &Choice| choice.shortfalls.is_empty();
        let is_needed =
            question.wishes.deadline_hours.is_some() || !self.choices.iter().any(will_do);
        let asked_rate = question.wishes.load.and_then(|load| match load.arrival {
            Arrival::Rate(rate) => Some(rate),
            Arrival::Users(_) => None,
        });
        let unasked = match asked_rate {
            Some(_) => Nodes::UNASKED_FOR_RATE,
            None => Nodes::UNASKED,
        };
        let Some(nodes) = question.nodes.or(is_needed.then_some(unasked)) else {
            return;
        };
        for (machine, interconnect) in std::mem::take(&mut self.joinable) {
            let Some(usd) = machine.ruling(question.offers.capacity_filter) else {
                continue;
            };
            let mut best: Option<Choice> = None;
            let mut least = 0.0;
            for n in nodes.several() {
                // Machines serve about as many times as much as there are of them.
                if f64::from(n) < least && n < nodes.most {
                    continue;
                }
                let Ok(model) = self.size(&machine, None, n, Some(&interconnect)) else {
                    continue;
                };
                let joined = Some((n, interconnect.clone()));
                let choice = self.choice(&machine, None, model, usd, joined);
                let basis = question.wishes.basis;
                if best.as_ref().is_some_and(|fewer| {
                    let is_cheaper = choice.ranked_cost(basis) < fewer.ranked_cost(basis);
                    will_do(fewer) && !(will_do(&choice) && is_cheaper)
                }) {
                    break;
                }
                if let (Some(rate), [Shortfall::Rate(Some(taken))]) =
                    (asked_rate, &choice.shortfalls[..])
                {
                    least = f64::from(n) * rate / taken.max(1e-3) * NEAR_ENOUGH;
                }
                best = Some(choice);
            }
            self.choices.extend(best);
        }
    }

    fn found(self) -> Found {
        Found {
            choices: self.choices,
            rejected: self.rejected,
            considered: self.considered,
            largest: self.largest.map(|(_, id, count)| (id, count)),
        }
    }
}

/// The spec of a machine, by which `resolve` finds it.
pub(super) fn spec_of(catalog: &Catalog<'_>, machine: &Match) -> String {
    spec_of_offer(catalog, machine.offer, machine.accelerator, machine.count)
}

/// The same for so many devices of an offer.
pub(super) fn spec_of_offer(
    catalog: &Catalog<'_>,
    offer: OfferId,
    accelerator: AcceleratorId,
    count: Count,
) -> String {
    let name = catalog.accelerator_id(accelerator);
    match catalog.text(catalog.offer(offer).mig_profile) {
        Some(profile) => format!("{name}:mig={profile}"),
        None if count == Count::ONE => name.to_owned(),
        None => format!("{name}:x{count}"),
    }
}
