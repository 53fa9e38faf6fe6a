//! Whether a machine may serve the load of a request in a precision: a roofline that leaves out what a server loses, so
//! that only machines that cannot be enough are ruled out. It is far cheaper than sizing.

use std::cell::RefCell;

use sky_accel_core::catalog::{AcceleratorId, Catalog};
use sky_accel_core::resolve::Match;
use sky_accel_core::sizing::{Arrival, CacheGrowth, Device, Peak};

use super::search::{SearchInput, SizedMachine, devices};
use crate::sizing::{MemorySettings, peak_on, weight_bytes};

/// The share of the memory that engines use, where no machine with the accelerator was sized.
const USABLE_SHARE: f64 = 0.95;
/// Windows and layers without a cache take less than the cache of all tokens: at least this share of it.
const LEAST_CACHE: f64 = 0.1;
/// The shares of the peaks that no server exceeds.
const BANDWIDTH_SHARE: f64 = 0.9;
const PRODUCTS_SHARE: f64 = 0.85;
/// Another precision may be closer to the roofline than the precision of the request, by this factor.
const CLOSER: f64 = 0.65;
/// The same for other numbers of devices in one precision.
const CLOSER_ALIKE: f64 = 0.85;
/// The high end of the estimate of a tight fit exceeds the usable memory by less than this share of it.
const TIGHT_EXCESS: f64 = 1.0;
/// Bytes that a device needs besides weights and cache, at least.
const LEAST_REST: f64 = 0.5e9;

/// The facts of a device, from the machines that were sized.
#[derive(Clone, Copy)]
struct DeviceFacts {
    /// Bytes.
    usable: f64,
    /// Bytes besides the weights and the cache, at the high end of the estimate.
    rest: f64,
}

/// The load of a request on one machine.
struct Demand {
    /// The sequences in flight.
    users: f64,
    /// The longest time of an output token, in seconds.
    token_s: f64,
    /// The longest time to the first token, in seconds.
    first_token_s: f64,
    /// Requests per second.
    requests: f64,
}

/// The bytes of the work in one precision.
struct Cost {
    weights: f64,
    /// The cache of one sequence.
    cache: f64,
}

/// The highest speed of one device; `None` if its peak is unknown.
#[derive(Clone, Copy)]
struct Peaks {
    bytes_per_s: Option<f64>,
    /// Seconds of a prompt.
    prompt_s: Option<f64>,
}

/// Estimates for the load of a request.
pub(super) struct CapacityEstimates<'m, 'q> {
    catalog: &'m Catalog<'m>,
    input: &'m SearchInput<'q>,
    demand: Option<Demand>,
    /// For each precision.
    costs: Vec<Cost>,
    /// Operations of a prompt.
    prompt_operations: f64,
    /// The share of the weights that one token reads.
    active: f64,
    /// For each accelerator so far: its peaks in each precision.
    peaks: RefCell<Vec<Option<Vec<Peaks>>>>,
    /// For each accelerator: its facts, if a machine with it was sized.
    devices: Vec<Option<DeviceFacts>>,
    /// For each accelerator and each precision: the time of a token relative to the roofline, at least.
    slowness: Vec<Option<f64>>,
    /// The settings of servers with too little memory by default.
    settings: Option<MemorySettings>,
}

impl<'m, 'q> CapacityEstimates<'m, 'q> {
    /// The estimates for a load, with what is known from sized machines.
    pub fn of(
        catalog: &'m Catalog<'m>,
        input: &'m SearchInput<'q>,
        sized: impl Iterator<Item = &'m SizedMachine>,
    ) -> Self {
        let sized: Vec<&SizedMachine> = sized.collect();
        let mut cache = f64::INFINITY;
        for choice in &sized {
            let fitted = &choice.model.fitted;
            let shared = f64::from(fitted.layout.tensor * fitted.layout.pipeline);
            cache = cache.min(fitted.cache_of_sequence(input.work) * shared);
        }
        let run = &input.work.run;
        if !cache.is_finite() {
            let tokens = run.context + run.generate;
            let growth = CacheGrowth::of(&input.work.model.shape, run);
            cache = growth.bytes_per_token * tokens * LEAST_CACHE;
        }
        let costs = (0..=input.others.len()).map(|precision| {
            let work = input.work_in(precision);
            let share = if work.run.cache == run.cache {
                1.0
            } else {
                0.5
            };
            Cost {
                weights: weight_bytes(work),
                cache: cache * share,
            }
        });
        let shape = &input.work.model.shape;
        let active = shape.active_parameters();
        let prompt = run.context * (1.0 - run.prefix_cached);
        let mut capacity = Self {
            prompt_operations: prompt * 2.0 * active,
            active: active / shape.parameters().total(),
            peaks: RefCell::new(vec![None; catalog.accelerators.len()]),
            catalog,
            input,
            demand: Demand::of(input),
            costs: costs.collect(),
            devices: vec![None; catalog.accelerators.len()],
            slowness: vec![None; catalog.accelerators.len() * (input.others.len() + 1)],
            settings: MemorySettings::of(input.work, input.requirements.load),
        };
        for choice in sized {
            capacity.learn(choice);
        }
        capacity
    }

    /// Learns from a sized machine.
    pub fn learn(&mut self, choice: &SizedMachine) {
        let id = choice.machine.accelerator;
        if let Some(slowness) = self.slowness_of(choice) {
            let at = self.place(id, choice.precision);
            let known = self.slowness[at].get_or_insert(slowness);
            *known = known.min(slowness);
        }
        if choice.precision > 0 {
            return;
        }
        let fitted = &choice.model.fitted;
        let taken = fitted.memory.weights + fitted.memory.kv_cache;
        let mut rest = fitted.high - taken;
        let mut usable = fitted.usable.unwrap_or_default();
        if let Some(settings) = self.settings.filter(|_| choice.model.settings.is_none()) {
            rest -= MemorySettings::most_saved(fitted);
            usable = settings.usable(&self.input.work.run, fitted);
        }
        let rest = rest.max(LEAST_REST);
        let known = self.devices[id.index()].get_or_insert(DeviceFacts { usable, rest });
        known.rest = known.rest.min(rest);
    }

    /// The position of an accelerator and a precision in `slowness`.
    fn place(&self, id: AcceleratorId, precision: usize) -> usize {
        id.index() * self.costs.len() + precision
    }

    /// The time of a token relative to the roofline, at least.
    fn slowness(&self, id: AcceleratorId, precision: usize) -> f64 {
        let alike = self.slowness[self.place(id, precision)];
        let alike = alike.map(|slowness| slowness * CLOSER_ALIKE);
        let own = || Some(self.slowness[self.place(id, 0)]? * CLOSER);
        alike.or_else(own).unwrap_or(1.0).max(1.0)
    }

    /// The time of a token on a sized machine relative to the roofline; `None` if users wait there, which takes other
    /// times.
    fn slowness_of(&self, choice: &SizedMachine) -> Option<f64> {
        let (model, demand) = (&choice.model, self.demand.as_ref()?);
        let layout = &model.fitted.layout;
        let (served, speed) = (model.served?, model.speed?);
        let replicas = f64::from(layout.data);
        let is_waiting = served.sequences * replicas < demand.users.floor();
        let users = (demand.users / replicas).max(1.0);
        let devices = f64::from(choice.devices()) / replicas;
        let requests = served.output / self.input.work.run.generate.max(1.0) / replicas;
        let cost = self.costs.get(choice.precision)?;
        let peaks = self.peaks(choice.machine.accelerator, choice.precision);
        let token_s = self.token_s(&peaks, cost, devices, users, requests)?;
        (!is_waiting && token_s.is_finite()).then(|| 1.0 / speed / token_s)
    }

    /// True unless some machines together certainly miss the load in a precision.
    pub fn may_serve(&self, machine: &Match, nodes: u32, precision: usize) -> bool {
        let Some(demand) = &self.demand else {
            return true;
        };
        let id = machine.accelerator;
        let Some(known) = self.known(id) else {
            return true;
        };
        let slowness = self.slowness(id, precision);
        let cost = &self.costs[precision];
        let shape = &self.input.work.model.shape;
        let peaks = self.peaks(id, precision);
        let all = devices(machine) * nodes;
        // Devices share the heads evenly, or only the experts.
        let shares = |devices: &u32| {
            let is_even = shape.experts.is_some() || shape.heads.is_multiple_of(*devices);
            is_even && all.is_multiple_of(*devices)
        };
        (1..=all).filter(shares).any(|devices| {
            let replicas = f64::from(all / devices);
            let devices = f64::from(devices);
            let requirements = self.input.requirements;
            let spare = if requirements.accepts_tight {
                -TIGHT_EXCESS
            } else {
                requirements.spare
            };
            let room = devices * (known.usable * (1.0 - spare) - known.rest);
            let users = (demand.users / replicas).max(1.0);
            let requests = demand.requests / replicas;
            let token_s = || self.token_s(&peaks, cost, devices, users, requests);
            let prompt_s = peaks.prompt_s.map(|seconds| seconds / devices);
            cost.weights + users * cost.cache <= room
                && prompt_s.is_none_or(|prompt_s| prompt_s <= demand.first_token_s)
                && token_s().is_none_or(|token_s| token_s * slowness <= demand.token_s)
        })
    }

    /// The facts of a device; `None` if its memory is unknown.
    fn known(&self, id: AcceleratorId) -> Option<DeviceFacts> {
        self.devices[id.index()].or_else(|| {
            let accelerator = self.catalog.accelerator(id);
            let bytes = Device::memory_of(self.catalog, &accelerator)?;
            Some(DeviceFacts {
                usable: bytes * USABLE_SHARE,
                rest: LEAST_REST,
            })
        })
    }

    /// Seconds between the tokens of a sequence on the devices of a replica, which reads the prompts of new requests
    /// between them; infinite if they take all of its time. `None` if a peak is unknown.
    fn token_s(
        &self,
        peaks: &Peaks,
        cost: &Cost,
        devices: f64,
        users: f64,
        requests: f64,
    ) -> Option<f64> {
        let step_s = self.step_s(cost, users, devices * peaks.bytes_per_s?);
        let reading = requests * peaks.prompt_s? / devices;
        Some(if reading < 1.0 {
            step_s / (1.0 - reading)
        } else {
            f64::INFINITY
        })
    }

    /// Seconds of a step at a speed in bytes per second.
    fn step_s(&self, cost: &Cost, users: f64, speed: f64) -> f64 {
        let read = cost.weights * (users * self.active).min(1.0) + users * cost.cache;
        read / speed
    }

    /// The highest speed of a device on the work in one precision.
    fn peaks(&self, id: AcceleratorId, precision: usize) -> Peaks {
        let mut known = self.peaks.borrow_mut();
        let of_device = known[id.index()].get_or_insert_with(|| {
            let accelerator = self.catalog.accelerator(id);
            let bandwidth = accelerator.memory_bandwidth_gb_s;
            let peak = Peak::of(self.catalog, &accelerator);
            let of_precision = |precision: usize| {
                let work = self.input.work_in(precision);
                let peak = peak_on(self.catalog, id, work, peak);
                let operations = peak.operations(peak.bits_of(&work.run.weights));
                Peaks {
                    bytes_per_s: bandwidth.map(|bandwidth| bandwidth * 1e9 * BANDWIDTH_SHARE),
                    prompt_s: operations
                        .map(|peak| self.prompt_operations / (peak * PRODUCTS_SHARE)),
                }
            };
            (0..self.costs.len()).map(of_precision).collect()
        });
        of_device[precision]
    }
}

impl Demand {
    fn of(input: &SearchInput<'_>) -> Option<Self> {
        let (requirements, run) = (input.requirements, &input.work.run);
        let load = requirements.load?;
        let longest = |seconds: Option<f64>| seconds.unwrap_or(f64::INFINITY);
        let first_token_s = longest(requirements.first_token_s.map(|limit| limit.value));
        let token_s = longest(requirements.speed.map(|limit| 1.0 / limit.value));
        // Texts that are only read are answered with what would be the first token, and only the texts of a pass are
        // held.
        let only_reads = run.generate < 1.0;
        let generating_s = if only_reads {
            0.0
        } else {
            run.generate * token_s
        };
        let duration_s = first_token_s + generating_s;
        Some(match load.arrival {
            Arrival::Users(users) if only_reads => Self {
                users: 1.0,
                token_s,
                first_token_s,
                requests: users / duration_s,
            },
            Arrival::Users(users) => Self {
                users: users.max(1.0),
                token_s,
                first_token_s,
                requests: users / duration_s,
            },
            // A fast server has few sequences in flight.
            Arrival::Rate(requests) => Self {
                users: 1.0,
                token_s,
                first_token_s,
                requests,
            },
        })
    }
}
