//! The search: every machine on offer, sized for a model.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::rc::Rc;

use sky_accel_core::bind::BoundChoice;
use sky_accel_core::catalog::{
    AcceleratorClass, AcceleratorId, Catalog, Execution, OfferId, SoldAccelerator, Status,
};
use sky_accel_core::mig::{Chip, ProfileRef, parse_profile};
use sky_accel_core::money::{Count, Usd};
use sky_accel_core::resolve::{
    LikelyPrice, Match, Request, matches, matches_among, matches_of_rows,
};
use sky_accel_core::sizing::{Arrival, Device, DeviceReader, MOST_DEVICES_OF_A_MACHINE};

use super::Nodes;
use super::capacity::CapacityEstimates;
use super::hardware::HardwareFilter;
use super::interconnect::Interconnect;
use super::no_fit::NoFitReason;
use super::requirements::Requirements;
use super::service::{JobHours, ModelFit, Shortfall, shortfalls, size, total};
use super::shortlist::{MANY, Rest, Shortlist};
use super::specs::{FirstParty, bound_specs_to_search, first_party_requests, may_be_sized};
use crate::bill::BillTotal;
use crate::contract::HourlyPriceOut;
use crate::engine::Engine;
use crate::recommend_words::{Basis, Objective, Tier};
use crate::sizing::{DevicePart, ModelRun, Precision, Sizer, execution, is_measured, unsupported};

/// Cluster sizes below this fraction of the estimated need are skipped.
const NEAR_ENOUGH: f64 = 0.8;
/// Prices that agree in this many digits after the first are equal: rounding must not decide a rank.
const SAME_PRICE_DIGITS: f64 = 6.0;
/// The same for the cost of work, which rests on a computed speed: among equal costs, the smaller machine is better.
const SAME_WORK_DIGITS: f64 = 2.0;

/// The input of a search: the work, its requirements, and the machines to consider.
#[derive(Clone, Copy)]
pub(super) struct SearchInput<'q> {
    pub work: &'q ModelRun,
    /// The same work in other precisions to search.
    pub others: &'q [Precision<'q>],
    pub requirements: &'q Requirements,
    /// The figure that ranks machines.
    pub objective: Objective,
    /// The filter of offers, without its price limit, which is a requirement.
    pub offers: &'q Request,
    pub on: Option<&'q HardwareFilter>,
    /// Numbers of machines; `None` for several only if one is not enough.
    pub nodes: Option<Nodes>,
    /// The number of rows of the answer, if other machines are not needed; `None` to size all machines.
    pub rows: Option<usize>,
    /// True if consumer cards are preferred, as for serving engines of personal computers.
    pub prefers_consumer_cards: bool,
    /// The engine, which can be stopped: then the result is incomplete, and not used.
    pub engine: Engine<'q>,
}

impl<'q> SearchInput<'q> {
    /// The work in a precision: 0 is the precision of the request, and the others follow.
    pub fn work_in(&self, precision: usize) -> &'q ModelRun {
        let other = precision.checked_sub(1);
        other
            .and_then(|at| self.others.get(at))
            .map_or(self.work, |other| &other.work)
    }

    /// The work of a machine: in its precision, with the settings of its engine.
    pub fn work_of(&self, choice: &SizedMachine) -> Cow<'q, ModelRun> {
        let work = self.work_in(choice.precision);
        match choice.model.settings {
            Some(settings) => Cow::Owned(settings.apply(work)),
            None => Cow::Borrowed(work),
        }
    }

    /// The precision of the request with the KV cache in fp8; `None` if the request does not leave it open.
    pub fn with_small_cache(&self) -> Option<usize> {
        let own = self.work.run.cache;
        let mut others = self.others.iter();
        let at = others.position(|other| other.work.run.cache != own)?;
        Some(at + 1)
    }

    /// True if the work in a precision may run on a device.
    pub fn runs(&self, catalog: &Catalog<'_>, precision: usize, device: AcceleratorId) -> bool {
        let other = precision.checked_sub(1).and_then(|at| self.others.get(at));
        other.is_none_or(|other| other.runs(catalog, device))
    }
}

/// A machine on which the model fits, or a cluster of equal machines.
pub(super) struct SizedMachine {
    pub machine: Match,
    /// The precision of the model: an index for [`SearchInput::work_in`].
    pub precision: usize,
    /// The part of a device that is rented; `None` for whole devices.
    pub part: Option<DevicePart>,
    /// The number of machines.
    pub nodes: u32,
    /// The network between them; `None` for one machine, and for separate machines with replicas.
    pub interconnect: Option<Interconnect>,
    /// Shared by the machines with the same devices.
    pub model: Rc<ModelFit>,
    /// The factor of the number of devices, and of a long time, on the cost of tokens in the ranking.
    pub ranking_factor: f64,
    /// The cost that ranked the machine over its own cost; 1 if another figure ranked it.
    pub ranked_share: f64,
    /// The price of one machine.
    pub price: LikelyPrice,
    /// The total price of all machines.
    pub usd_per_hour: Usd,
    /// The hours for all tokens of the request.
    pub hours: Option<JobHours>,
    /// The whole bill, if it ranks machines and is computed.
    pub bill: Option<BillTotal>,
    pub tier: Tier,
    /// The reason why it is not of a better tier; empty for the first tier.
    pub tier_reason: &'static str,
    /// False for data-center devices if consumer cards are preferred.
    pub matches_device_class: bool,
    /// The requirements that it does not meet.
    pub shortfalls: Vec<Shortfall>,
}

impl SizedMachine {
    /// The price of all machines, with its band.
    pub fn hourly_price(&self) -> HourlyPriceOut {
        HourlyPriceOut::of(self.price, self.nodes)
    }

    /// The price of all tokens of the request.
    pub fn usd_total(&self) -> Option<Usd> {
        self.hours
            .map(|hours| total(self.usd_per_hour, hours.billed))
    }

    /// US dollars per image or video; `None` for other models, or if the speed is unknown.
    pub fn usd_per_item(&self) -> Option<f64> {
        let rate = self.model.items_per_s?;
        Some(self.usd_per_hour.decimal() / rate / 3600.0)
    }

    /// US dollars per million tokens; `None` if the speed is unknown.
    pub fn usd_per_million(&self) -> Option<f64> {
        let rate = self.model.tokens_per_s.filter(|rate| *rate > 0.0)?;
        Some(self.usd_per_hour.decimal() / rate / 3600.0 * 1e6)
    }

    /// The cost that ranks machines, in US dollars; infinite if unknown.
    pub fn cost(&self, basis: Basis) -> f64 {
        match basis {
            Basis::Hour => Some(self.usd_per_hour.decimal()),
            Basis::MillionTokens => self.usd_per_million(),
            Basis::Job => self.usd_total().map(Usd::decimal),
        }
        .unwrap_or(f64::INFINITY)
    }

    /// The cost without the last digits, which may differ between equal costs.
    pub fn ranked_cost(&self, basis: Basis) -> f64 {
        let cost = self.cost(basis);
        if cost > 0.0 && cost.is_finite() {
            let digits = match basis {
                Basis::Hour => SAME_PRICE_DIGITS,
                Basis::MillionTokens | Basis::Job => SAME_WORK_DIGITS,
            };
            let scale = 10_f64.powf(digits - cost.log10().floor());
            (cost * scale).round() / scale
        } else {
            cost
        }
    }

    /// The cost that ranks machines: of tokens, with a margin for many devices and a long time.
    pub fn weighed_cost(&self, basis: Basis) -> f64 {
        self.ranked_cost(basis) * self.ranking_factor
    }

    /// True if more money or more time would be enough.
    pub fn exceeds_only_money_or_time(&self) -> bool {
        !self.shortfalls.is_empty() && self.shortfalls.iter().all(Shortfall::is_of_money)
    }

    /// The provider and the id of the machine.
    pub fn name(&self, catalog: &Catalog<'_>) -> String {
        let offer = catalog.offer(self.machine.offer);
        let provider = catalog.provider_id(offer.provider);
        format!("{provider} {}", catalog.str(offer.id))
    }

    /// The number of devices of all machines.
    pub fn devices(&self) -> u32 {
        devices(&self.machine) * self.nodes
    }
}

/// The number of devices of one machine; parts and slices count as one.
pub(super) fn devices(machine: &Match) -> u32 {
    machine.count.whole_devices().max(1)
}

/// The result of a search.
pub(super) struct SearchResult {
    pub choices: Vec<SizedMachine>,
    /// Machines on which the model does not fit, each with its reason.
    pub rejected: Vec<Rejected>,
    pub considered: usize,
    /// The machines that were not sized, since others of their kind are cheaper.
    pub rest: Rest,
    /// The number of different fits of the model on devices that hold it.
    pub sized: usize,
    /// The whole devices of the machine with the most memory.
    pub largest: Option<(AcceleratorId, Count)>,
}

/// A machine on which the model does not fit.
pub(super) struct Rejected {
    pub machine: Match,
    /// The part of a device that is rented; `None` for whole devices.
    pub part: Option<DevicePart>,
    pub usd: Usd,
    pub why: NoFitReason,
}

/// Sizes the model on every machine that the offer filter allows and, of very many, on machines that can be among the
/// answers.
pub(super) fn search(catalog: &Catalog<'_>, input: &SearchInput<'_>) -> SearchResult {
    let mut search = MachineSearch::new(catalog, input);
    let first_party = first_party_requests(catalog, input.offers);
    let (specs, rows) = bound_specs_to_search(catalog, input);
    for (wanted, is_fixed) in specs {
        let may_be_many = is_fixed || rows.without_count > MANY;
        let shortlist = |rows| Shortlist::of(catalog, (input.offers, rows), &wanted, is_fixed);
        let mut shortlist = input.rows.filter(|_| may_be_many).and_then(shortlist);
        let is_meant = |machine: &Match| catalog.offer(machine.offer).count.is_some() == is_fixed;
        let may_be_meant = |sold: &SoldAccelerator| {
            sold.count.is_some() == is_fixed && may_be_sized(catalog, input.offers, sold)
        };
        let matches_in = |list: Option<&Shortlist>| {
            let rows = if is_fixed {
                rows.fixed.iter()
            } else {
                rows.in_any_number.iter()
            };
            let count = wanted.count.min;
            let is_allowed = |id| is_fixed || input.on.is_none_or(|on| on.allows(id, count));
            let rows = rows.filter(|(candidate, sold)| {
                is_allowed(candidate.accelerator) && list.is_none_or(|list| list.has(sold))
            });
            matches_of_rows(catalog, &wanted, input.offers, rows.copied())
        };
        let found = matches_in(shortlist.as_ref());
        for FirstParty { request, sells } in &first_party {
            let candidates = wanted.candidates.iter();
            let candidates = candidates.filter(|candidate| sells.contains(&candidate.accelerator));
            let wanted = BoundChoice {
                candidates: candidates.copied().collect(),
                ..wanted.clone()
            };
            // The cheapest price tier may be the first-party tier already.
            let of_provider = found.iter().filter(|machine| {
                let provider = catalog.offer(machine.offer).provider;
                request.providers.contains(&provider)
            });
            let known: Vec<&Match> = of_provider.collect();
            for machine in matches_among(catalog, &[wanted], request, &may_be_meant) {
                let is_found = known.iter().any(|other| search.is_same(other, &machine));
                if is_meant(&machine) && !is_found {
                    search.add(&machine, None);
                }
            }
        }
        for machine in found.iter().filter(|machine| is_meant(machine)) {
            search.add_of(machine, shortlist.as_mut());
        }
        if let Some(mut list) = shortlist {
            let rest = list.rest(catalog, input.requirements.price);
            if rest.open > 0 {
                for machine in matches_in(Some(&list)) {
                    search.add(&machine, None);
                }
            }
            search.rest.add(rest);
        }
    }
    search.add_slices();
    search.vary_machines();
    search.join();
    search.replicate();
    search.finish()
}

/// Creates the sizer of an accelerator, if the work runs on it.
///
/// `figures` has the figures of the device. `is_named` is true if the request names hardware. Devices of which no
/// measurement calibrates the speed are answers only then.
fn sizer(
    catalog: &Catalog<'_>,
    id: AcceleratorId,
    work: &ModelRun,
    is_named: bool,
    figures: impl FnOnce() -> Device,
) -> Result<Sizer, NoFitReason> {
    if let Execution::Refused(why) = execution(catalog, id, work) {
        return Err(NoFitReason::Unsupported(why));
    }
    match unsupported(catalog, id, work) {
        Some(why) => Err(NoFitReason::Unsupported(why)),
        None if is_named || is_measured(catalog, id, work.run.engine) => {
            Ok(Sizer::on(catalog, id, &figures(), work))
        }
        None => {
            let engine = work.run.engine;
            let why = format!("the speed of {engine} there is not measured: name it with `on`");
            Err(NoFitReason::Unsupported(why))
        }
    }
}

/// The properties of a machine that the fit of a model depends on. `count` is in thousandths of a device, `profile` is
/// the place of the name in the pool, which holds each text once, `memory` is the memory of a part in MiB, and `network`
/// is in bytes per second; both are bits of floating-point numbers, which have an order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct FitKey {
    accelerator: AcceleratorId,
    count: u32,
    profile: (u32, u32),
    memory: Option<u64>,
    nodes: u32,
    network: Option<u64>,
    precision: usize,
}

/// A search in progress.
pub(super) struct MachineSearch<'s, 'c> {
    pub catalog: &'s Catalog<'c>,
    pub input: &'s SearchInput<'s>,
    /// The figures of the accelerators so far: coefficients are read once for all precisions.
    devices: BTreeMap<AcceleratorId, Device>,
    device_reader: DeviceReader,
    /// The sizers of the accelerators and precisions so far.
    sizers: BTreeMap<(AcceleratorId, usize), Result<Sizer, NoFitReason>>,
    /// The fits so far: many offers have the same devices.
    fits: BTreeMap<FitKey, Result<Rc<ModelFit>, NoFitReason>>,
    /// Machines that can form clusters.
    joinable: Vec<(Match, Interconnect)>,
    pub choices: Vec<SizedMachine>,
    pub rejected: Vec<Rejected>,
    considered: usize,
    rest: Rest,
    largest: Option<(f64, AcceleratorId, Count)>,
}

impl<'s, 'c> MachineSearch<'s, 'c> {
    /// A search that has not begun.
    pub fn new(catalog: &'s Catalog<'c>, input: &'s SearchInput<'s>) -> Self {
        Self {
            catalog,
            input,
            devices: BTreeMap::new(),
            device_reader: Sizer::devices(input.work),
            sizers: BTreeMap::new(),
            fits: BTreeMap::new(),
            joinable: Vec::new(),
            choices: Vec::new(),
            rejected: Vec::new(),
            considered: 0,
            rest: Rest::default(),
            largest: None,
        }
    }

    /// The number of different fits that were computed.
    pub fn tried(&self) -> usize {
        self.fits.len()
    }

    /// The number of different fits of the model on devices that hold it.
    pub fn sized(&self) -> usize {
        self.fits.values().filter(|fit| fit.is_ok()).count()
    }

    /// Adds the MIG slices that are sold separately.
    fn add_slices(&mut self) {
        let catalog = self.catalog;
        let input = self.input;
        let sliced = catalog.offers.iter().enumerate().filter(|(_, offer)| {
            let on = input.on;
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
            let Ok(wanted) = BoundChoice::slice(catalog, id, ProfileRef::Name(name)) else {
                continue;
            };
            let wanted = [wanted];
            for machine in matches(catalog, &wanted, input.offers) {
                if machine.offer.index() == at {
                    self.add(&machine, Some(DevicePart::slice(&chip, kind)));
                }
            }
        }
    }

    /// True for the same machine at the same price.
    fn is_same(&self, machine: &Match, other: &Match) -> bool {
        let filter = self.input.offers.capacity_filter;
        let price = |machine: &Match| machine.ranking_quote(filter).map(|quote| quote.price);
        (machine.offer, machine.accelerator) == (other.offer, other.accelerator)
            && price(machine) == price(other)
    }

    /// Sizes the model on a machine on offer, and settles it in a shortlist if its price alone decides whether another
    /// machine of its kind is better.
    fn add_of(&mut self, machine: &Match, shortlist: Option<&mut Shortlist>) {
        let (choices, rejected) = (self.choices.len(), self.rejected.len());
        self.add(machine, None);
        let Some(shortlist) = shortlist else { return };
        let is_enough = |unmet: &Shortfall| unmet.is_of_money();
        // More expensive consumer cards of a kind are consumer cards too, and no better.
        let is_sound = |tier: Tier| matches!(tier, Tier::List | Tier::Consumer);
        let settled = match (self.choices.get(choices), self.rejected.get(rejected)) {
            (Some(choice), _) => (is_sound(choice.tier) && !machine.is_region_unverified())
                .then(|| (choice.usd_per_hour, choice.shortfalls.iter().all(is_enough))),
            (None, Some(rejected)) => {
                let is_of_host = matches!(rejected.why, NoFitReason::HostMemory { .. });
                (!is_of_host).then_some((rejected.usd, false))
            }
            (None, None) => None,
        };
        if let Some((usd, serves)) = settled {
            shortlist.settle(self.catalog, machine.offer, usd, serves);
        }
    }

    /// Sizes the model on a machine on offer; `slice` is set if its devices are MIG slices.
    fn add(&mut self, machine: &Match, slice: Option<DevicePart>) {
        let catalog = self.catalog;
        let offer = catalog.offer(machine.offer);
        let is_slice = offer.mig_profile.len > 0;
        let Some(usd) = machine.ranking_price(self.input.offers.capacity_filter) else {
            return;
        };
        if self.input.engine.go_on().is_err() {
            return;
        }
        if offer.status != Status::Offered || is_slice != slice.is_some() {
            return;
        }
        let is_other =
            |on: &HardwareFilter| !is_slice && !on.allows(machine.accelerator, machine.count);
        if self.input.on.is_some_and(is_other) {
            return;
        }
        let exceeds = |max: f64| machine.count.decimal() > max;
        let is_any_hardware = self.input.on.is_none();
        if offer.is_part(machine.count)
            || is_any_hardware && self.input.requirements.devices.is_some_and(exceeds)
        {
            return;
        }
        self.considered += 1;
        let id = machine.accelerator;
        let gb = catalog.accelerator(id).memory_gb.unwrap_or_default() * machine.count.decimal();
        let is_machine = machine.count <= Count::whole(MOST_DEVICES_OF_A_MACHINE);
        if !is_slice && is_machine && self.largest.is_none_or(|(largest, ..)| gb > largest) {
            self.largest = Some((gb, id, machine.count));
        }
        let is_fraction = !machine.count.is_whole();
        if !is_slice
            && !is_fraction
            && let Some(interconnect) = Interconnect::of(catalog, machine)
        {
            self.joinable.push((machine.clone(), interconnect));
        }
        if self.input.nodes.is_some_and(|nodes| nodes.least > 1) {
            return;
        }
        let part = slice.or_else(|| {
            let share = machine.count.decimal();
            is_fraction.then(|| DevicePart::fraction(catalog, id, share, offer.memory_mib))
        });
        let outcome = self.size(machine, part.as_ref(), 1, None, 0);
        match outcome {
            Ok(model) => {
                let choice = self.choice(machine, part, model, usd, None, 0);
                self.choices.push(choice);
            }
            Err(why) => self.rejected.push(Rejected {
                machine: machine.clone(),
                part,
                usd,
                why,
            }),
        }
    }

    /// Sizes the model in a precision on some machines, from the cache if possible.
    pub fn size(
        &mut self,
        machine: &Match,
        part: Option<&DevicePart>,
        nodes: u32,
        interconnect: Option<&Interconnect>,
        precision: usize,
    ) -> Result<Rc<ModelFit>, NoFitReason> {
        let (catalog, work) = (self.catalog, self.input.work_in(precision));
        let requirements = self.input.requirements;
        let id = machine.accelerator;
        let offer = catalog.offer(machine.offer);
        let network = interconnect.map(|joined| joined.bytes_per_s);
        let key = FitKey {
            accelerator: id,
            count: machine.count.0,
            profile: (offer.mig_profile.start, offer.mig_profile.len),
            memory: part.and(offer.memory_mib).map(f64::to_bits),
            nodes,
            network: network.map(f64::to_bits),
            precision,
        };
        let is_named = self.input.on.is_some();
        let is_known = nodes == 1 || is_measured(catalog, id, work.run.engine);
        let reader = &mut self.device_reader;
        let (devices_so_far, sizers) = (&mut self.devices, &mut self.sizers);
        let fit = self.fits.entry(key).or_insert_with(|| {
            let device = || {
                let new_device = || Sizer::device_among(catalog, id, work, reader);
                *devices_so_far.entry(id).or_insert_with(new_device)
            };
            let new_sizer = || sizer(catalog, id, work, is_named, device);
            let sizer = sizers.entry((id, precision)).or_insert_with(new_sizer);
            let sizer = sizer.as_ref().map_err(Clone::clone)?;
            if !is_known {
                let engine = work.run.engine;
                let why = format!("{engine} on several such machines is not measured");
                return Err(NoFitReason::Unsupported(why));
            }
            let per_machine = devices(machine);
            let model = match (part, network) {
                (Some(part), _) => size(
                    work,
                    &sizer.clone().part(part),
                    (1, per_machine),
                    requirements,
                ),
                (None, Some(network)) => {
                    let joined = sizer.clone().machines(nodes, per_machine).network(network);
                    size(work, &joined, (nodes, per_machine * nodes), requirements)
                }
                (None, None) => size(work, sizer, (1, per_machine), requirements),
            };
            model.map(Rc::new)
        });
        match fit {
            Ok(model) if !model.has_host_memory(machine, catalog) => Err(NoFitReason::HostMemory {
                needed: model.host_gib(machine),
                has: machine.host_memory_gib(catalog).unwrap_or_default(),
            }),
            Ok(model) => Ok(Rc::clone(model)),
            Err(why) => Err(why.clone()),
        }
    }

    /// True for devices of data centers.
    pub fn is_for_data_centers(&self, machine: &Match) -> bool {
        let accelerator = self.catalog.accelerator(machine.accelerator);
        self.catalog.class(&accelerator) == Some(AcceleratorClass::Datacenter)
    }

    /// Combines a machine, its fit and its unmet requirements. `usd` is the price of one machine.
    pub fn choice(
        &self,
        machine: &Match,
        part: Option<DevicePart>,
        model: Rc<ModelFit>,
        usd: Usd,
        joined: Option<(u32, Option<Interconnect>)>,
        precision: usize,
    ) -> SizedMachine {
        let input = self.input;
        let (nodes, interconnect) = joined.unzip();
        let (nodes, interconnect) = (nodes.unwrap_or(1), interconnect.flatten());
        let usd_per_hour = Usd(usd.0.saturating_mul(nodes.into()));
        let quote = machine.ranking_quote(input.offers.capacity_filter);
        let amount = input.requirements.amount.zip(model.work_per_s());
        let offer = self.catalog.offer(machine.offer);
        let hours = amount.map(|(amount, rate)| {
            let taken = amount / rate / 3600.0;
            let billed = self.catalog.billed_hours(&offer, taken);
            // A deadline leaves no room for a run that is slower than expected.
            let slowness = match model.fitted.items {
                Some(speed) => speed.band.1,
                None => 1.0 / input.requirements.slow_share,
            };
            JobHours {
                taken,
                longest: taken * slowness,
                billed,
            }
        });
        let given = input.requirements.hours;
        let billed = match hours {
            Some(hours) => Some(hours.billed),
            None => given.map(|hours| self.catalog.billed_hours(&offer, hours)),
        };
        let (tier, tier_reason) = input.tier_of(self.catalog, machine);
        let trains = input.work.run.workload.is_training();
        SizedMachine {
            matches_device_class: !input.prefers_consumer_cards
                || !self.is_for_data_centers(machine),
            machine: machine.clone(),
            precision,
            part,
            nodes,
            interconnect,
            ranked_share: 1.0,
            ranking_factor: (input.requirements).machines_factor(nodes, usd_per_hour.decimal())
                * (input.requirements).named_link_factor(model.slowly_linked, model.speed)
                * (input.requirements).job_factor(
                    devices(machine) * nodes,
                    if trains { model.slowly_linked } else { 1 },
                    hours.map(|hours| hours.taken),
                ),
            price: quote.map_or(LikelyPrice::exactly(usd), |quote| quote.likely),
            usd_per_hour,
            hours,
            bill: None,
            tier,
            tier_reason,
            shortfalls: shortfalls(&model, usd_per_hour, (hours, billed), input.requirements),
            model,
        }
    }

    /// Forms clusters if no single machine is enough, if there is a deadline, or if several machines are requested. Of
    /// each machine type, the smallest sufficient cluster is kept, or a larger one while each step does the work for
    /// less money. If no cluster is sufficient, the largest is kept.
    fn join(&mut self) {
        let input = self.input;
        let is_sufficient = |choice: &SizedMachine| choice.shortfalls.is_empty();
        let is_needed =
            input.requirements.deadline_hours.is_some() || !self.choices.iter().any(is_sufficient);
        let default = match self.request_rate() {
            Some(_) => Nodes::UNASKED_FOR_RATE,
            None => Nodes::UNASKED,
        };
        let Some(nodes) = input.nodes.or(is_needed.then_some(default)) else {
            return;
        };
        let joinable = std::mem::take(&mut self.joinable);
        let mut clusters = Vec::new();
        let choices = std::mem::take(&mut self.choices);
        let capacity = CapacityEstimates::of(self.catalog, input, choices.iter());
        for (machine, interconnect) in &joinable {
            if input.engine.go_on().is_err() {
                return;
            }
            clusters.push(self.cluster(machine, interconnect, nodes, 0, &capacity));
        }
        let others = self.vary_clusters(&joinable, &clusters, nodes, &capacity);
        drop(capacity);
        self.choices = choices;
        self.choices.extend(clusters.into_iter().flatten());
        self.choices.extend(others);
    }

    /// The rate of requests to serve; `None` for other loads.
    fn request_rate(&self) -> Option<f64> {
        let load = self.input.requirements.load;
        load.and_then(|load| match load.arrival {
            Arrival::Rate(rate) => Some(rate),
            Arrival::Users(_) => None,
        })
    }

    /// The best cluster of a machine type with a number of machines within bounds.
    pub fn cluster(
        &mut self,
        machine: &Match,
        interconnect: &Interconnect,
        nodes: Nodes,
        precision: usize,
        capacity: &CapacityEstimates<'_, '_>,
    ) -> Option<SizedMachine> {
        let input = self.input;
        let is_sufficient = |choice: &SizedMachine| choice.shortfalls.is_empty();
        let is_too_small =
            |choice: &SizedMachine| !choice.shortfalls.iter().all(Shortfall::is_of_money);
        let request_rate = self.request_rate();
        let mut best: Option<SizedMachine> = None;
        let mut needed = 0.0;
        for n in nodes.several() {
            // The served rate grows about linearly with the number of machines.
            let is_last = n == nodes.most;
            let may_be_enough = f64::from(n) >= needed && capacity.may_serve(machine, n, precision);
            if !may_be_enough && !is_last {
                continue;
            }
            let Some(choice) = self.cluster_of(n, machine, interconnect, precision) else {
                continue;
            };
            let basis = input.requirements.basis;
            if best.as_ref().is_some_and(|fewer| {
                let is_cheaper = choice.weighed_cost(basis) < fewer.weighed_cost(basis);
                is_sufficient(fewer) && !(is_sufficient(&choice) && is_cheaper)
            }) {
                break;
            }
            // If the largest cluster is too small, those between are too.
            if best.is_none()
                && !is_last
                && is_too_small(&choice)
                && let largest = self.cluster_of(nodes.most, machine, interconnect, precision)
                && largest.as_ref().is_some_and(is_too_small)
            {
                return largest;
            }
            if let (Some(rate), [Shortfall::Rate(Some(served))]) =
                (request_rate, &choice.shortfalls[..])
            {
                needed = f64::from(n) * rate / served.max(1e-3) * NEAR_ENOUGH;
            }
            best = Some(choice);
        }
        best
    }

    /// A cluster of a number of machines; `None` if the model does not fit on it.
    fn cluster_of(
        &mut self,
        nodes: u32,
        machine: &Match,
        interconnect: &Interconnect,
        precision: usize,
    ) -> Option<SizedMachine> {
        let usd = machine.ranking_price(self.input.offers.capacity_filter)?;
        let model = self.size(machine, None, nodes, Some(interconnect), precision);
        let joined = Some((nodes, Some(interconnect.clone())));
        Some(self.choice(machine, None, model.ok()?, usd, joined, precision))
    }

    fn finish(self) -> SearchResult {
        SearchResult {
            sized: self.sized(),
            choices: self.choices,
            rejected: self.rejected,
            considered: self.considered + self.rest.skipped,
            rest: self.rest,
            largest: self.largest.map(|(_, id, count)| (id, count)),
        }
    }
}

/// The spec that finds a machine with `resolve`.
pub(super) fn spec_of(catalog: &Catalog<'_>, machine: &Match) -> String {
    spec_of_offer(catalog, machine.offer, machine.accelerator, machine.count)
}

/// The spec that finds a number of devices of an offer with `resolve`.
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
