//! Sizes a model with one engine on one kind of device.

use std::collections::BTreeMap;

use sky_accel_core::catalog::{AcceleratorId, Axis, Catalog, Computed, Execution};
use sky_accel_core::mig::Chip;
use sky_accel_core::sizing::{
    Arrival, Calibration, Device, DeviceReader, Float, GIB, GivenLayout, Indivisible, Layout,
    LayoutScore, Limits, Load, MasterWeights, Memory, ModelKind, Profiles, Run, Served,
    ServingEngine, Speed, Support, Workload, divides, goodput, layout_score, layouts, memory,
    served, speed, supports,
};

use sky_accel_targets::launch::PassLimits;

use super::blocks::keep_whole_blocks;
use super::execution::{TRAINER, execution, peak_on};
use super::fitted::Fitted;
use super::load::UsualService;
use super::media;
use super::media_fit::MediaShares;
use super::run::ModelRun;

/// The maximum pipeline stages of a server over several machines: every stage adds to the latency of each token.
const MOST_STAGES: u32 = 8;

/// True if the number of pipeline stages per machine is a power of two, which servers support.
pub(crate) fn has_usual_stages(layout: &Layout, machines: u32) -> bool {
    layout.pipeline.div_ceil(machines.max(1)).is_power_of_two()
}

/// The run for memory: the KV cache of outputs is counted at its average during generation.
fn reserved(work: &ModelRun, run: &Run) -> Run {
    Run {
        generate: run.generate * work.measured.coefficients.reserved_answer,
        ..*run
    }
}

/// A part of a device that is used like a whole device.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DevicePart {
    /// Bytes; `None` if unknown.
    pub memory: Option<f64>,
    /// The fractions of the compute and of the bandwidth of the device.
    pub compute: f64,
    pub bandwidth: f64,
}

impl DevicePart {
    /// A MIG slice.
    pub fn slice(chip: &Chip<'_>, kind: usize) -> Self {
        let profile = chip.kinds[kind].profile;
        let compute = f64::from(profile.compute_slices) / f64::from(chip.compute.max(1));
        let units = chip.units.zip(profile.size);
        Self {
            memory: profile.memory_mib.map(|mib| f64::from(mib) * GIB / 1024.0),
            compute,
            bandwidth: units.map_or(compute, |(units, size)| f64::from(size) / f64::from(units)),
        }
    }

    /// A fraction of a device, with the memory that its provider reports.
    pub fn fraction(
        catalog: &Catalog<'_>,
        id: AcceleratorId,
        share: f64,
        mib: Option<f64>,
    ) -> Self {
        let device = Device::memory_of(catalog, &catalog.accelerator(id));
        let memory = mib.map(|mib| mib * GIB / 1024.0);
        Self {
            memory: memory.or(device.map(|bytes| bytes * share)),
            compute: share,
            bandwidth: share,
        }
    }
}

/// Sizes runs with one engine on one kind of device.
#[derive(Clone)]
pub struct Sizer {
    pub device: Device,
    /// The coefficients of the engine on the device.
    pub(super) calibration: Calibration,
    /// The pass that the engine profiles on the device, or on a part of it.
    profiles: Profiles,
    /// Axes of parallelism that the engine does not support.
    lacks: Vec<Axis>,
    /// True for parts of devices, which cannot communicate: each holds a whole model.
    pub(crate) is_part: bool,
    /// The high end of the memory of generation, relative to the computed sum.
    pub(super) generating_high: f64,
    /// True if trained weights in 16 bits need a copy in 32 bits: the device has no bf16, and gradients in fp16 are
    /// scaled.
    copies_weights: bool,
    /// The service that decides between layouts without limits of the request.
    usual: UsualService,
    /// How much faster training must be on layouts that divide the model, as a fraction.
    divided_margin: f64,
    /// The efficiencies of work without tokens.
    pub(super) media: MediaShares,
}

impl Sizer {
    pub fn new(catalog: &Catalog<'_>, accelerator: AcceleratorId, work: &ModelRun) -> Self {
        Self::on(
            catalog,
            accelerator,
            &Self::device(catalog, accelerator, work),
            work,
        )
    }

    /// The figures of a device with the engine of a run. They do not depend on the precision.
    pub fn device(catalog: &Catalog<'_>, accelerator: AcceleratorId, work: &ModelRun) -> Device {
        Self::device_among(catalog, accelerator, work, &mut Self::devices(work))
    }

    /// A reader of devices for some work.
    pub fn devices(work: &ModelRun) -> DeviceReader {
        DeviceReader::new(work.run.engine, work.engine_version.as_deref())
    }

    /// The figures of one of many accelerators.
    pub fn device_among(
        catalog: &Catalog<'_>,
        accelerator: AcceleratorId,
        work: &ModelRun,
        devices: &mut DeviceReader,
    ) -> Device {
        let device = devices.read(catalog, accelerator);
        if work.run.workload.is_training() {
            device.for_training(catalog, accelerator)
        } else {
            device
        }
    }

    /// Sizes for an accelerator with these figures.
    pub fn on(
        catalog: &Catalog<'_>,
        accelerator: AcceleratorId,
        device: &Device,
        work: &ModelRun,
    ) -> Self {
        let mut device = *device;
        if execution(catalog, accelerator, work) == Execution::Runs(Computed::Unpacked) {
            device.peak = device.peak.unpacked();
            let limit = catalog.coefficient("unpacked-expert-bandwidth-share", "");
            device.shares.experts = device.shares.experts.min(limit.unwrap_or(f64::INFINITY));
        }
        device.peak = peak_on(catalog, accelerator, work, device.peak);
        let run = &work.run;
        let (calibration, profiles) = work.measured.coefficients.served_on(
            catalog,
            &catalog.accelerator(accelerator),
            (run.engine, work.engine_version.as_deref()),
            &work.precision,
        );
        // With rollouts, a separate engine trains.
        let (engine, trains) = match run.rollouts {
            Some(_) => (TRAINER, true),
            None => (run.engine.platform(), run.workload.is_training()),
        };
        let lacks = catalog.lacks(engine, &work.precision, trains).collect();
        let generating = catalog.coefficient("band-high", Workload::Inference.word());
        Self {
            calibration: calibration.profiled(profiles.of(device.memory)),
            profiles,
            device,
            lacks,
            is_part: false,
            generating_high: generating.unwrap_or(1.0),
            copies_weights: run.workload.is_training()
                && !run.adapters
                && run.master_weights.is_none()
                && supports(catalog, accelerator, "bf16") == Support::No,
            usual: UsualService::of(catalog, run),
            divided_margin: catalog
                .coefficient("divided-training-margin", "")
                .unwrap_or(0.0),
            media: MediaShares::of(catalog, accelerator, work),
        }
    }

    /// Sizes for the processors of a host, with llama.cpp.
    pub(crate) fn host(catalog: &Catalog<'_>, device: &Device, work: &ModelRun) -> Self {
        let run = &work.run;
        Self {
            device: *device,
            calibration: work.measured.coefficients,
            profiles: Profiles::default(),
            lacks: catalog.lacks(run.engine, &work.precision, false).collect(),
            is_part: false,
            generating_high: 1.0,
            copies_weights: false,
            usual: UsualService::of(catalog, run),
            divided_margin: 0.0,
            media: MediaShares::default(),
        }
    }

    /// Sizes for several machines with `each` devices. A link domain that is larger than a machine connects machines
    /// too.
    #[must_use]
    pub fn machines(mut self, nodes: u32, each: u32) -> Self {
        let per_machine = f64::from(each);
        if nodes > 1 {
            if self.device.links.domain <= self.device.per_machine {
                self.device.links.domain = self.device.links.domain.min(per_machine);
            }
            self.device.per_machine = per_machine;
        }
        self
    }

    /// Sets the bandwidth between machines, in bytes per second and device in one direction.
    #[must_use]
    pub fn network(mut self, bytes_per_s: f64) -> Self {
        self.device.links.network = bytes_per_s;
        self
    }

    /// Sizes for a part of a device: a MIG slice, or a rented fraction.
    #[must_use]
    pub fn part(self, part: &DevicePart) -> Self {
        Self {
            device: self.device.part(part.memory, part.compute, part.bandwidth),
            calibration: self.calibration.profiled(self.profiles.of(part.memory)),
            is_part: true,
            ..self
        }
    }

    /// The memory of a device that the engine may use.
    pub(super) fn usable(&self, run: &Run, memory: &Memory) -> Option<f64> {
        let memory_of_device = self.device.memory?;
        if !run.engine.serves() || run.workload.is_training() {
            return Some(memory_of_device);
        }
        let shared = if run.engine.memory_fraction_excludes_weights() {
            (memory_of_device - (memory.device - memory.kv_cache)).max(0.0)
        } else {
            memory_of_device
        };
        Some(memory_of_device - shared * (1.0 - run.gpu_memory_utilization))
    }

    /// The fraction of a device that weights and the KV cache take.
    pub fn static_share(&self, work: &ModelRun, layout: &Layout) -> Option<f64> {
        let one = Run {
            batch: 1.0,
            load: None,
            ..work.run
        };
        let memory = memory(&work.model.shape, &one, layout, &self.calibration);
        let beside = memory.device - memory.kv_cache;
        let cache = (self.usable(&one, &memory)? - beside).max(0.0);
        Some((memory.weights + cache) / self.device.memory?)
    }

    /// The limits of a step with the defaults of a server; `None` if the engine has no such limits.
    pub fn pass_limits(&self, work: &ModelRun) -> Option<PassLimits> {
        let sequences = self.device.engine.most_sequences;
        let tokens = self.calibration.profiled_tokens;
        let has_limits = sequences.is_finite() && tokens > 0.0;
        let limits = PassLimits { sequences, tokens };
        has_limits
            .then_some(limits)
            .filter(|_| work.run.engine.serves())
    }

    /// Sizes a run with one layout. Under a load, the engine admits as many sequences as its KV cache holds.
    pub fn fitted(&self, work: &ModelRun, run: &Run, layout: &Layout) -> Fitted {
        let Some(load) = run.load else {
            return self.batched(work, run, layout);
        };
        let one = Run {
            batch: 1.0,
            load: None,
            ..*run
        };
        let least = self.batched(work, &one, layout);
        let Some(mut served) = self.served(work, run, layout, load, &least) else {
            return least;
        };
        served.is_met &= least.fits() != Some(false);
        let admitted = Run {
            batch: served.sequences,
            ..one
        };
        let speed = self.batched(work, &admitted, layout).speed;
        // Separate prefill replicas do not decode, and the others do not prefill.
        let prefill_share = served.prompt_replicas / f64::from(layout.data);
        let part = |rate: Option<f64>, share: f64| rate.map(|rate| rate * share);
        let fitted = Fitted {
            speed: if prefill_share > 0.0 {
                Speed {
                    prefill: part(speed.prefill, prefill_share),
                    decode: part(speed.decode, 1.0 - prefill_share),
                    ..speed
                }
            } else {
                speed
            },
            ..self.batched(work, &reserved(work, &admitted), layout)
        };
        // The engine fills its share of the memory but no more, so only one sequence has to fit.
        let limit = least.usable.filter(|usable| least.high <= *usable);
        Fitted {
            low: fitted.low.min(limit.unwrap_or(f64::INFINITY)),
            high: fitted.high.min(limit.unwrap_or(f64::INFINITY)),
            served: Some(served),
            ..fitted
        }
    }

    /// The service under a load; `one` is the run with one sequence.
    pub(super) fn served(
        &self,
        work: &ModelRun,
        run: &Run,
        layout: &Layout,
        load: Load,
        one: &Fitted,
    ) -> Option<Served> {
        let capacity = one.sequence_capacity(work, run, &self.calibration)?;
        let run = Run {
            load: Some(load),
            ..*run
        };
        let calibration = &self.calibration;
        let shape = &work.model.shape;
        served(shape, &run, layout, &self.device, calibration, capacity)
    }

    /// The maximum rate of Poisson arrivals within the limits of a load, in requests per second; `one` is as for
    /// [`Self::served`].
    pub(super) fn goodput(
        &self,
        work: &ModelRun,
        layout: &Layout,
        load: Load,
        one: &Fitted,
    ) -> Option<f64> {
        let capacity = one.sequence_capacity(work, &work.run, &self.calibration)?;
        let run = Run {
            load: Some(load),
            ..work.run
        };
        let calibration = &self.calibration;
        let shape = &work.model.shape;
        goodput(shape, &run, layout, &self.device, calibration, capacity)
    }

    /// Completes the service of a run in a closed loop with its goodput.
    pub fn with_goodput(&self, work: &ModelRun, fitted: Fitted) -> Fitted {
        let (Some(served), Some(load)) = (fitted.served, work.run.load) else {
            return fitted;
        };
        let one = Run {
            batch: 1.0,
            load: None,
            ..work.run
        };
        let rate = || {
            self.goodput(
                work,
                &fitted.layout,
                load,
                &self.batched(work, &one, &fitted.layout),
            )
        };
        Fitted {
            served: Some(Served {
                goodput: served.goodput.or_else(rate),
                ..served
            }),
            ..fitted
        }
    }

    /// True if the memory of a run fits; `None` if the memory of the device is unknown.
    fn holds(&self, work: &ModelRun, run: &Run, layout: &Layout) -> Option<bool> {
        let measured = &work.measured;
        let run = &self.trained(run);
        let memory = memory(&work.model.shape, run, layout, &self.calibration);
        Some(measured.highest(&memory, work) <= self.usable(run, &memory)?)
    }

    /// The run as the device trains it.
    fn trained(&self, run: &Run) -> Run {
        let copy = self.copies_weights && run.parameters == Float::Bf16;
        Run {
            master_weights: copy.then_some(MasterWeights::Fp32).or(run.master_weights),
            ..*run
        }
    }

    /// Sizes a static batch: its sequences start and end together.
    pub(super) fn batched(&self, work: &ModelRun, run: &Run, layout: &Layout) -> Fitted {
        let shape = &work.model.shape;
        let run = &self.trained(run);
        let measured = &work.measured;
        let memory = memory(shape, run, layout, &self.calibration);
        Fitted {
            layout: *layout,
            low: measured.lowest(&memory, work),
            high: measured.highest(&memory, work),
            usable: self.usable(run, &memory),
            speed: if work.model.kind == ModelKind::Text || run.workload.is_training() {
                speed(shape, run, layout, &self.device, &self.calibration)
            } else {
                let speed = speed(shape, run, layout, &self.device, &self.calibration);
                media::reading(speed)
            },
            served: None,
            step: None,
            items: None,
            memory,
        }
    }

    /// The score of a layout under the load of the run, and whether it keeps the default limits with memory to spare;
    /// `one` is the run with one sequence.
    fn layout_score(&self, work: &ModelRun, one: &Fitted) -> Option<(bool, LayoutScore)> {
        let mut load = work.run.load;
        // No user waits for the answers of a batch job.
        let expected = (!work.is_batch_job).then_some(Limits {
            first_token_s: Some(self.usual.first_token_s),
            token_s: Some(1.0 / self.usual.speed),
        });
        let expected = expected.unwrap_or_default();
        let (shape, layout) = (&work.model.shape, &one.layout);
        let capacity = one.sequence_capacity(work, &work.run, &self.calibration)?;
        if work.is_batch_job {
            load = load.or(Some(self.full(layout, capacity)));
        }
        let run = &Run {
            load: Some(load?),
            ..work.run
        };
        let calibration = &self.calibration;
        let device = &self.device;
        let layout_score =
            layout_score(shape, run, layout, device, calibration, capacity, &expected)?;
        let admitted = Run {
            batch: layout_score.sequences,
            ..*run
        };
        // A job fills the cache on purpose.
        let has_spare = || {
            if work.is_batch_job {
                return true;
            }
            let memory = memory(shape, &reserved(work, &admitted), layout, calibration);
            self.has_spare(one.usable, work.measured.highest(&memory, work))
        };
        Some((layout_score.is_expected && has_spare(), layout_score))
    }

    /// A load that keeps a server full.
    fn full(&self, layout: &Layout, capacity: f64) -> Load {
        let sequences = capacity.min(self.device.engine.most_sequences);
        let users = (sequences * f64::from(layout.data)).floor().max(1.0);
        Load {
            arrival: Arrival::Users(users),
            limits: Limits::default(),
            is_disaggregated: false,
            requests: None,
        }
    }

    /// True if the high end of a fit leaves the default fraction of the usable memory free.
    pub fn is_roomy(&self, fitted: &Fitted) -> bool {
        self.has_spare(fitted.usable, fitted.high)
    }

    /// True if `bytes` leave the default fraction of the usable memory free.
    fn has_spare(&self, usable: Option<f64>, bytes: f64) -> bool {
        usable.is_none_or(|usable| bytes <= usable * (1.0 - self.usual.spare))
    }

    /// The possible layouts, in order of preference.
    pub fn layouts(&self, work: &ModelRun, devices: u32) -> Result<Vec<Layout>, Indivisible> {
        let given = if self.is_part {
            GivenLayout {
                tensor: work.given.tensor.or(Some(1)),
                pipeline: work.given.pipeline.or(Some(1)),
                ..work.given
            }
        } else if work.run.engine == ServingEngine::LlamaCpp && !work.run.workload.is_training() {
            // By default, llama.cpp divides layers between devices, not matrices (`-sm row`), and it has no replicas.
            GivenLayout {
                tensor: work.given.tensor.or(Some(1)),
                data: work.given.data.or(Some(1)),
                ..work.given
            }
        } else {
            work.given
        };
        let is_apart = work.run.load.is_some_and(|load| load.is_disaggregated);
        // With disaggregation, the given data-parallel ranks are ranks of each of at least two replicas.
        let given = GivenLayout {
            data: given.data.filter(|_| !is_apart),
            ..given
        };
        let given = given.without(self.lacks.iter().copied())?;
        let mut layouts = layouts(&work.model.shape, &work.run, &given, devices)?;
        if f64::from(devices) > self.device.per_machine {
            layouts = self.over_machines(work, &given, layouts);
        }
        if given.pipeline.is_none() && !work.run.workload.is_training() {
            self.without_stages(&mut layouts);
        }
        // Trainers with rollouts (TRL, veRL with FSDP) shard the model and have no pipeline stages.
        let is_whole = |layout: &Layout| layout.pipeline == 1;
        if given.pipeline.is_none() && work.run.rollouts.is_some() && layouts.iter().any(is_whole) {
            layouts.retain(is_whole);
        }
        if given.expert.is_none() {
            self.spread_experts(work, &given, devices, &mut layouts);
        }
        layouts = keep_whole_blocks(work, &given, layouts)?;
        if self.lacks.contains(&Axis::AttentionGroup) {
            let is_group = |layout: &Layout| layout.tensor > 1 && layout.expert > layout.tensor;
            let group = layouts.iter().find(|layout| is_group(layout)).copied();
            layouts.retain(|layout| !is_group(layout));
            if let Some(Layout { tensor, expert, .. }) = group.filter(|_| layouts.is_empty()) {
                return Err(Indivisible::AttentionGroup { tensor, expert });
            }
        }
        if is_apart {
            let ranks = work.given.data.unwrap_or(1);
            let is_given = work.given.expert.is_some();
            layouts.retain(|layout| {
                let is_several = layout.data > ranks && layout.data.is_multiple_of(ranks);
                // Prefill replicas do not share experts with decode replicas.
                is_several && (is_given || layout.expert <= layout.tensor.saturating_mul(ranks))
            });
            if layouts.is_empty() {
                let replica = work.given.tensor.unwrap_or(1).saturating_mul(ranks);
                let needed = replica.saturating_mul(2);
                return Err(Indivisible::Devices { needed, devices });
            }
        }
        let joined = |layout: &Layout| layout.tensor > 1 || layout.pipeline > 1;
        if self.is_part && layouts.iter().any(joined) {
            return Err(Indivisible::Devices { needed: 1, devices });
        }
        Ok(layouts)
    }

    /// Removes pipeline stages where more devices with fast links can share every matrix. In published measurements,
    /// such stages reach 37 to 70 % of the speed of tensor parallelism, because they wait for each other.
    fn without_stages(&self, layouts: &mut Vec<Layout>) {
        if !self.device.links.is_fabric {
            return;
        }
        let joined = self.device.links.domain.max(self.device.per_machine);
        let mut widest: BTreeMap<u32, u32> = BTreeMap::new();
        for layout in layouts.iter() {
            if f64::from(layout.tensor) <= joined {
                let tensor = widest.entry(layout.data).or_default();
                *tensor = (*tensor).max(layout.tensor);
            }
        }
        layouts.retain(|layout| {
            let widest = widest.get(&layout.data).copied().unwrap_or_default();
            layout.pipeline == 1 || layout.tensor >= widest
        });
    }

    /// Restricts layouts on several machines: tensor parallelism needs a fast link.
    fn over_machines(
        &self,
        work: &ModelRun,
        given: &GivenLayout,
        mut layouts: Vec<Layout>,
    ) -> Vec<Layout> {
        let joined = self.device.per_machine.max(self.device.links.domain);
        let is_within = |layout: &Layout| f64::from(layout.tensor) <= joined;
        if given.tensor.is_none() && layouts.iter().any(is_within) {
            layouts.retain(is_within);
        }
        // Engines start replicas on whole machines, or several replicas in one.
        let whole = self.device.per_machine;
        let is_aligned = |layout: &Layout| {
            let replica = f64::from(layout.tensor.saturating_mul(layout.pipeline));
            whole % replica == 0.0 || replica % whole == 0.0
        };
        if given.tensor.is_none() && given.pipeline.is_none() && layouts.iter().any(is_aligned) {
            layouts.retain(is_aligned);
        }
        let serves = !work.run.workload.is_training();
        let is_short = |layout: &Layout| layout.pipeline <= MOST_STAGES;
        if serves && given.pipeline.is_none() && layouts.iter().any(is_short) {
            layouts.retain(is_short);
        }
        layouts
    }

    /// Adds layouts with expert parallelism over all devices of a replica.
    fn spread_experts(
        &self,
        work: &ModelRun,
        given: &GivenLayout,
        devices: u32,
        layouts: &mut Vec<Layout>,
    ) {
        let Some(experts) = work.model.shape.experts else {
            return;
        };
        if work.run.workload.is_training() {
            // Training of adapters does not support expert parallelism.
            if given.tensor.is_none() && !work.run.adapters {
                let shared: Vec<Layout> = layouts
                    .iter()
                    .filter_map(|layout| self.shared_in_training(experts.count, layout))
                    .collect();
                layouts.extend(shared);
            }
            return;
        }
        let is_apart = work.run.load.is_some_and(|load| load.is_disaggregated);
        let is_several = f64::from(devices) > self.device.per_machine;
        // A load decides between these and the other layouts. A request with only tensor parallelism means the same
        // parallelism for experts.
        let has_load = work.run.load.is_some() || work.is_batch_job;
        let is_decided = has_load && given.tensor.is_none();
        if !is_decided && (is_apart || !is_several) {
            return;
        }
        let spread = layouts.iter().filter_map(|layout| {
            let ranks = if is_apart {
                work.given.data.unwrap_or(1)
            } else {
                layout.data
            };
            let layout = Layout {
                expert: layout.tensor.saturating_mul(ranks),
                ..*layout
            };
            // Pipeline stages do not share experts with other replicas.
            let is_whole = layout.expert > 1 && layout.pipeline == 1;
            (is_whole && divides(&work.model.shape, &layout).is_ok()).then_some(layout)
        });
        let spread: Vec<Layout> = spread.collect();
        layouts.extend(spread);
    }

    /// The layout with expert parallelism over as many devices as a fast link connects; `None` if that is impossible.
    fn shared_in_training(&self, experts: u32, layout: &Layout) -> Option<Layout> {
        let among = layout.tensor.saturating_mul(layout.data);
        let joined = self.device.per_machine.max(self.device.links.domain) as u32;
        let shares =
            |expert: &u32| among.is_multiple_of(*expert) && experts.is_multiple_of(*expert);
        let expert = (2..=among.min(joined)).rev().find(shares)?;
        Some(Layout { expert, ..*layout })
    }

    /// The speed that decides between layouts for training. A layout that divides the model needs separate code, so it
    /// has to be clearly faster than copies of the model.
    fn training_score(&self, fitted: &Fitted) -> Option<f64> {
        let Layout {
            tensor, pipeline, ..
        } = fitted.layout;
        let needed = if tensor > 1 || pipeline > 1 {
            1.0 + self.divided_margin
        } else {
            1.0
        };
        fitted.speed.train.map(|speed| speed / needed)
    }

    /// The best layout that fits: the fastest for training, the layout that serves the load best, or the first for
    /// inference without a load. If none fits, the layout that needs the least memory.
    pub(super) fn best_layout(&self, work: &ModelRun, devices: u32) -> Result<Fitted, Indivisible> {
        let mut layouts = self.layouts(work, devices)?;
        self.without_needless_cuts(work, devices, &mut layouts);
        self.without_needless_stages(work, devices, &mut layouts);
        let mut fastest: Option<(Fitted, Option<(bool, LayoutScore)>)> = None;
        let is_roomy = |fitted: &Fitted| self.is_roomy(fitted);
        let machines = (f64::from(devices) / self.device.per_machine).ceil() as u32;
        let is_usual = |fitted: &Fitted| {
            work.run.workload.is_training() || has_usual_stages(&fitted.layout, machines)
        };
        let is_met = |layout_score: &Option<(bool, LayoutScore)>| {
            layout_score.is_some_and(|(_, layout_score)| layout_score.is_met)
        };
        let by_latency = |(keeps, layout_score): &(bool, LayoutScore)| {
            (
                *keeps,
                layout_score.is_met,
                layout_score.is_expected,
                layout_score.quickness,
            )
        };
        let mut least: Option<Fitted> = None;
        // Under a load, only one sequence has to fit.
        let run = Run {
            load: None,
            ..work.run
        };
        for layout in &layouts {
            let fitted = self.batched(work, &run, layout);
            if fitted.fits() == Some(false) {
                if least.as_ref().is_none_or(|least| fitted.high < least.high) {
                    least = Some(fitted);
                }
                continue;
            }
            let layout_score = self.layout_score(work, &fitted);
            let is_better = match &fastest {
                None => true,
                // Prefer serving the load, then memory to spare, then a supported number of stages, then speed.
                Some((_, best)) if is_met(best) != is_met(&layout_score) => is_met(&layout_score),
                Some((best, _)) if is_roomy(best) != is_roomy(&fitted) => is_roomy(&fitted),
                Some((best, _)) if is_usual(best) != is_usual(&fitted) => is_usual(&fitted),
                Some((best, _)) if work.run.workload.is_training() => {
                    self.training_score(&fitted) > self.training_score(best)
                }
                Some((_, best)) => layout_score.zip(*best).is_some_and(|(new, best)| {
                    if work.is_for_latency {
                        return by_latency(&new) > by_latency(&best);
                    }
                    new > best
                }),
            };
            if is_better {
                fastest = Some((fitted, layout_score));
            }
            let is_ordered =
                work.run.load.is_none() && !work.is_batch_job && !work.run.workload.is_training();
            if is_ordered && fastest.as_ref().is_some_and(|(best, _)| is_roomy(best)) {
                break;
            }
        }
        let best = fastest
            .map(|(best, _)| best)
            .or(least)
            .ok_or(Indivisible::Devices {
                needed: devices,
                devices,
            })?;
        Ok(if work.run.load.is_some() {
            self.fitted(work, &work.run, &best.layout)
        } else {
            best
        })
    }

    /// The maximum number of sequences that fit, up to `limit`.
    pub fn largest_batch(&self, work: &ModelRun, layout: &Layout, limit: f64) -> Option<f64> {
        let run = &work.run;
        self.largest(work, layout, limit, |batch| Run { batch, ..*run })
    }

    /// The largest integer up to `limit` that fits, by bisection.
    pub fn largest(
        &self,
        work: &ModelRun,
        layout: &Layout,
        limit: f64,
        with: impl Fn(f64) -> Run,
    ) -> Option<f64> {
        if limit < 1.0 {
            return None;
        }
        let fits = |n: f64| self.holds(work, &with(n), layout);
        if fits(1.0)? {
            let (mut low, mut high) = (1.0, limit);
            if fits(high)? {
                return Some(high);
            }
            while high - low > 1.0 {
                let middle = f64::midpoint(low, high).floor();
                if fits(middle)? {
                    low = middle;
                } else {
                    high = middle;
                }
            }
            Some(low)
        } else {
            None
        }
    }
}
