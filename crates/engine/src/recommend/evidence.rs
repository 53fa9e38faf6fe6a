//! Bounds on the figures of machines in other precisions, from the machines that were sized in the precision of the
//! request.

use std::collections::{HashMap, HashSet};

use sky_accel_core::catalog::{AcceleratorId, Catalog};
use sky_accel_core::money::Usd;
use sky_accel_core::resolve::Match;
use sky_accel_core::sizing::{Arrival, ByWidth, Device, Peak, Shares};

use super::improvement::may_be_met_by;
use super::no_fit::NoFitReason;
use super::search::{Rejected, SearchInput, SizedMachine, devices};
use crate::recommend_words::{Basis, Objective};
use crate::sizing::{DevicePart, ModelRun, may_multiply_integers, peak_on, weight_bytes};

/// The figures of an accelerator in two precisions have about the same ratio with other numbers of devices: at least
/// this fraction of it.
const ALIKE: f64 = 0.8;
/// The sequences in a KV cache in fp8, relative to 16 bits.
pub(super) const SMALL_CACHE: f64 = 2.0;

/// The figure that ranks a machine, ascending; infinite if unknown.
pub(super) fn figure(choice: &SizedMachine, input: &SearchInput<'_>) -> f64 {
    let model = &choice.model;
    let inverse = |rate: Option<f64>| rate.map_or(f64::INFINITY, |rate| 1.0 / rate);
    match input.objective {
        Objective::Cost => choice.weighed_cost(input.requirements.basis),
        Objective::Speed => inverse(model.work_per_s()),
        Objective::Latency => inverse(model.speed),
        Objective::Memory => model.fitted.usable.unwrap_or_default() * f64::from(choice.devices()),
    }
}

/// True if the figure of a machine is the same in every precision.
pub(super) fn is_fixed(input: &SearchInput<'_>) -> bool {
    match input.objective {
        Objective::Cost => input.requirements.basis == Basis::Hour,
        Objective::Memory => true,
        Objective::Speed | Objective::Latency => false,
    }
}

/// The known facts of a machine in the precision of the request.
pub(super) enum Known<'m> {
    Fits(&'m SizedMachine),
    /// Bytes per device.
    TooSmall {
        needed: f64,
        usable: f64,
    },
    /// The engine does not run the format.
    Refused,
}

/// A machine to size in other precisions.
pub(super) struct Trial<'m> {
    pub machine: &'m Match,
    pub part: Option<&'m DevicePart>,
    pub usd: Usd,
    pub known: Known<'m>,
}

impl<'m> Trial<'m> {
    pub fn of_choice(choice: &'m SizedMachine) -> Self {
        Self {
            machine: &choice.machine,
            part: choice.part.as_ref(),
            usd: choice.usd_per_hour,
            known: Known::Fits(choice),
        }
    }

    /// The figure that ranks the machine, if it is the same in every precision.
    pub fn fixed_figure(&self, input: &SearchInput<'_>) -> f64 {
        match (input.objective, &self.known) {
            (Objective::Memory, Known::Fits(choice)) => figure(choice, input),
            (Objective::Memory, Known::TooSmall { usable, .. }) => {
                usable * f64::from(devices(self.machine))
            }
            (Objective::Memory, Known::Refused) => 0.0,
            _ => self.usd.decimal(),
        }
    }

    /// A machine that the model does not fit on; `None` if it fits in no precision.
    pub fn of_rejected(
        catalog: &Catalog<'_>,
        input: &SearchInput<'_>,
        rejected: &'m Rejected,
    ) -> Option<Self> {
        let known = match rejected.why {
            NoFitReason::Memory { needed, usable, .. } => Known::TooSmall { needed, usable },
            NoFitReason::Unsupported(_) => Known::Refused,
            // Smaller weights may fit on as many devices as can share them evenly.
            NoFitReason::Indivisible { .. } | NoFitReason::Stages(_) => {
                let machine = &rejected.machine;
                let shared = 1_u32 << devices(machine).trailing_zeros();
                let device = catalog.accelerator(machine.accelerator);
                Known::TooSmall {
                    needed: weight_bytes(input.work) / f64::from(shared),
                    usable: Device::memory_of(catalog, &device)?,
                }
            }
            NoFitReason::MemoryUnknown | NoFitReason::HostMemory { .. } => return None,
        };
        Some(Self {
            machine: &rejected.machine,
            part: rejected.part.as_ref(),
            usd: rejected.usd,
            known,
        })
    }
}

/// A precision relative to the precision of the request.
struct Scale {
    /// The bytes of the weights.
    bytes: f64,
    /// The factor that the speed grows by at most, if the number of sequences is the same and reading limits it.
    reading: f64,
    /// The bits of products: of the request and of the precision.
    bits: (f64, f64),
}

impl Scale {
    /// The factor that the speed on a device grows by at most, if the number of sequences is the same. `products` has
    /// the share of the peak that the device reaches.
    fn gain(&self, products: Option<&ByWidth>) -> f64 {
        let (own, other) = self.bits;
        let share = products.map_or(1.0, |products| products.gain(own, other));
        self.reading.max(own / other * share).max(1.0)
    }
}

/// Estimates for other precisions from the machines that were sized in the precision of the request.
pub(super) struct Evidence<'m, 'q> {
    catalog: &'m Catalog<'m>,
    input: &'m SearchInput<'q>,
    /// The minimum operations per second for the load; `None` if unlimited.
    operations: Option<f64>,
    /// For each precision.
    scales: Vec<Scale>,
    /// The share of the peak that products reach on each accelerator.
    products: HashMap<AcceleratorId, ByWidth>,
    /// For each accelerator: the best figure, and the number of devices with the most speed of each user for a
    /// device, and that speed.
    known: HashMap<AcceleratorId, (f64, Option<(u32, f64)>)>,
    /// The accelerators on which the request leaves open a KV cache in fp8.
    small_caches: HashSet<AcceleratorId>,
    /// For each accelerator and precision that was sized: the least figure relative to the precision of the request.
    ratios: HashMap<(AcceleratorId, usize), f64>,
}

/// The minimum operations per second for a load; `None` without limits.
fn operations(input: &SearchInput<'_>) -> Option<f64> {
    let (requirements, run) = (input.requirements, &input.work.run);
    let requests = match requirements.load?.arrival {
        Arrival::Rate(rate) => rate,
        // The longest time that a request may take.
        Arrival::Users(users) => {
            let first = requirements.first_token_s?;
            let generating = match requirements.speed {
                Some(speed) => run.generate / speed.value,
                None if run.generate < 1.0 => 0.0,
                None => return None,
            };
            users / (first.value + generating)
        }
    };
    let tokens = run.context * (1.0 - run.prefix_cached) + run.generate;
    Some(requests * tokens * 2.0 * input.work.model.shape.active_parameters())
}

impl<'m, 'q> Evidence<'m, 'q> {
    pub fn of(
        catalog: &'m Catalog<'m>,
        input: &'m SearchInput<'q>,
        choices: impl Iterator<Item = &'m SizedMachine>,
    ) -> Self {
        let own = weight_bytes(input.work);
        let bits = |work: &ModelRun| -> f64 {
            match work.run.weights.compute_bits {
                bits if bits >= 16.0 => 16.0,
                bits if bits >= 8.0 => 8.0,
                _ => 4.0,
            }
        };
        let scales = (0..=input.others.len()).map(|precision| {
            let work = input.work_in(precision);
            let scale = weight_bytes(work) / own;
            // The devices that multiply integers gain the most, so the bound of a gain is theirs.
            let least_bits = if may_multiply_integers(catalog, work) {
                bits(work).min(8.0)
            } else {
                bits(work)
            };
            let is_small_cache = work.run.cache != input.work.run.cache;
            let cache = if is_small_cache { 2.0 } else { 1.0 };
            Scale {
                bytes: scale,
                reading: (1.0 / scale).max(cache),
                bits: (bits(input.work), least_bits),
            }
        });
        let scales: Vec<Scale> = scales.collect();
        let mut known: HashMap<AcceleratorId, (f64, Option<(u32, f64)>)> = HashMap::new();
        for choice in choices {
            let figure = figure(choice, input);
            let speed = choice.model.speed.map(|speed| (choice.devices(), speed));
            let best = known
                .entry(choice.machine.accelerator)
                .or_insert((figure, speed));
            best.0 = best.0.min(figure);
            let share = |(devices, speed): (u32, f64)| speed / f64::from(devices.max(1));
            if speed.is_some_and(|speed| best.1.is_none_or(|most| share(speed) > share(most))) {
                best.1 = speed;
            }
        }
        let small = input.with_small_cache();
        let ids = known.keys().copied();
        let small_caches = ids
            .filter(|id| small.is_some_and(|small| input.runs(catalog, small, *id)))
            .collect();
        let has_narrower = scales.iter().any(|scale| scale.bits.0 > scale.bits.1);
        let products = |id: &AcceleratorId| {
            let (engine, version) = (input.work.run.engine, input.work.engine_version.as_deref());
            let accelerator = catalog.accelerator(*id);
            let shares = Shares::dense_of(catalog, &accelerator, engine, version);
            (*id, shares)
        };
        Self {
            catalog,
            input,
            operations: operations(input),
            scales,
            products: known
                .keys()
                .filter(|_| has_narrower)
                .map(products)
                .collect(),
            known,
            small_caches,
            ratios: HashMap::new(),
        }
    }

    /// The factor that the speed of an accelerator grows by at most in a precision.
    fn gain(&self, accelerator: AcceleratorId, precision: usize) -> f64 {
        self.scales[precision].gain(self.products.get(&accelerator))
    }

    /// The figure of a machine in the precision of the request, or else the best of its accelerator.
    fn figure(&self, trial: &Trial<'_>) -> Option<f64> {
        match trial.known {
            Known::Fits(choice) => Some(figure(choice, self.input)),
            Known::TooSmall { .. } | Known::Refused => self
                .known
                .get(&trial.machine.accelerator)
                .map(|(figure, _)| *figure),
        }
    }

    /// Learns from a machine that was sized in another precision.
    pub fn learn(&mut self, trial: &Trial<'_>, choice: &SizedMachine) {
        let ratio = self
            .figure(trial)
            .map(|own| figure(choice, self.input) / own);
        if let Some(ratio) = ratio.filter(|ratio| ratio.is_finite()) {
            let kind = (trial.machine.accelerator, choice.precision);
            let least = self.ratios.entry(kind).or_insert(ratio);
            *least = least.min(ratio);
        }
    }

    /// The lowest figure that a machine may have in a precision; `None` if it cannot meet the requirements. `slack` is
    /// a factor on the speed.
    pub fn bound(&self, trial: &Trial<'_>, precision: usize, slack: f64) -> Option<f64> {
        let input = self.input;
        let scale = self.scales[precision].bytes;
        let gain = self.gain(trial.machine.accelerator, precision) * slack;
        let of_kind = self.known.get(&trial.machine.accelerator);
        let is_possible = match trial.known {
            Known::Fits(choice) => {
                let is_smaller = self.small_caches.contains(&trial.machine.accelerator);
                let cache = if is_smaller { SMALL_CACHE } else { 1.0 };
                let requirements = input.requirements;
                let mut open = choice.shortfalls.iter();
                open.all(|open| may_be_met_by(open, choice, (scale, cache), gain, requirements))
            }
            Known::TooSmall { needed, usable } => {
                let speed = of_kind.and_then(|(_, speed)| *speed);
                let limit = input.requirements.speed;
                let is_fast = speed.zip(limit).is_none_or(|((other, speed), limit)| {
                    // More devices share the users.
                    let share = f64::from(devices(trial.machine)) / f64::from(other.max(1));
                    speed * share * gain >= limit.value
                });
                needed * scale <= usable && is_fast && self.has_peak(trial.machine, precision)
            }
            Known::Refused => self.has_peak(trial.machine, precision),
        };
        if !is_possible {
            return None;
        }
        Some(self.scaled(trial, precision, slack))
    }

    /// True if the devices of a machine can do the operations of the load at their peak.
    fn has_peak(&self, machine: &Match, precision: usize) -> bool {
        let accelerator = self.catalog.accelerator(machine.accelerator);
        let work = self.input.work_in(precision);
        let peak = Peak::of(self.catalog, &accelerator);
        let peak = peak_on(self.catalog, machine.accelerator, work, peak);
        let peak = peak.operations(peak.bits_of(&work.run.weights));
        let all = peak.map(|peak| peak * f64::from(devices(machine)));
        all.zip(self.operations)
            .is_none_or(|(all, needed)| all >= needed)
    }

    /// The lowest figure that a machine may have in a precision, from its figure in the precision of the request.
    pub fn scaled(&self, trial: &Trial<'_>, precision: usize, slack: f64) -> f64 {
        let own = self.figure(trial).unwrap_or_default();
        let kind = (trial.machine.accelerator, precision);
        let ratio = self.ratios.get(&kind).map(|ratio| ratio * ALIKE);
        let gain = self.gain(trial.machine.accelerator, precision);
        own * ratio.unwrap_or_default().max(1.0 / (gain * slack))
    }
}
