//! Whether a model fits on some hardware, term by term.

mod remedies;

use serde_json::{Map, Value};
use sky_accel_core::bind::Wanted;
use sky_accel_core::catalog::{AcceleratorId, Catalog, Computed, Execution};
use sky_accel_core::mig::{Chip, Demand};
use sky_accel_core::note::Note;
use sky_accel_core::sizing::{Indivisible, Layout, Workload};
use sky_accel_detect::Report;

use crate::code::ErrorCode;
use crate::contract::{Envelope, FitOut, RunOut};
use crate::detect;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::launch::launch;
use crate::sizing::{self, ModelHub, ModelRun, Part, RunRequest, Sizer, run_from_json};
use crate::specs::read_spec;

use self::remedies::Misfit;
pub use self::remedies::RemedyKind;

/// The most machines that are computed together.
const MAX_NODES: u32 = 4096;
/// The most devices of all machines.
pub(crate) const MAX_DEVICES: u32 = 1 << 17;

/// A model, the work, and the hardware that it is to run on.
#[derive(Clone, Debug)]
pub struct FitRequest<'m> {
    /// The hardware to compute for.
    pub hardware: FitHardware<'m>,
    /// Machines of that kind, joined by their network; 1 for a single one.
    pub nodes: u32,
    /// The model and the work. The model is required.
    pub run: RunRequest,
}

/// The hardware of a [`FitRequest`].
#[derive(Clone, Debug)]
pub enum FitHardware<'m> {
    /// A spec such as `A100:80GB:x2`; each choice is computed.
    Spec(String),
    /// The accelerators of a machine, from [`read_machine`](crate::read_machine).
    Machine(&'m [Report]),
}

/// The memory and the speed of a model on some hardware.
#[derive(Debug)]
pub struct FitAnswer<'c> {
    /// The JSON document: a result for each choice of the spec.
    pub envelope: Envelope<'c, RunOut, FitOut>,
    /// True if the model fits on at least one choice of the spec, which serves the load too.
    pub fits: bool,
    /// The kind of work by whose measurements the accuracy is known.
    pub measured_as: Workload,
}

impl<'c> Engine<'c> {
    /// Computes the memory and the speed of a model on some hardware.
    ///
    /// `hub` is asked when the model is one of a hub. A model that does not fit is an answer.
    ///
    /// # Errors
    ///
    /// A spec that is wrong, a model that is unknown or unreadable, a value out of its bounds, a
    /// layout that cannot be, or a machine without one usable kind of accelerator.
    pub fn fit(
        &self,
        request: &FitRequest<'_>,
        hub: Option<&ModelHub<'_>>,
    ) -> Result<FitAnswer<'c>> {
        let catalog = self.catalog();
        let (spec, free) = match &request.hardware {
            FitHardware::Spec(spec) => (spec.clone(), None),
            FitHardware::Machine(reports) => one_kind(&catalog, reports)?,
        };
        let work = sizing::read(&catalog, &request.run, hub)?;
        let mut notes = work.notes.clone();
        if !(1..=MAX_NODES).contains(&request.nodes) {
            let message = format!("nodes is between 1 and {MAX_NODES}, not {}", request.nodes);
            return Err(Error::new(ErrorCode::BadValue, message));
        }
        let results = size(&catalog, &spec, request.nodes, &work, &mut notes)?;
        if let FitHardware::Machine(reports) = &request.hardware {
            let problems = reports.iter().flat_map(|report| &report.problems);
            notes.extend(problems.map(|problem| Note::new("source-failed", problem.clone())));
            for group in detect::groups(&catalog, reports) {
                notes.extend(detect::remarks(&catalog, &group));
            }
        }
        notes.extend(free.and_then(|free| memory_in_use(&results, free)));
        let serves = |result: &FitOut| {
            let load = result.throughput.load.as_ref();
            work.run.load.is_none() || load.is_some_and(|load| load.serves)
        };
        let fits = results
            .iter()
            .any(|result| result.fits == Some(true) && serves(result));
        let understood = RunOut {
            nodes: (request.nodes > 1).then_some(request.nodes),
            ..work.understood(&request.run, Some(&spec))
        };
        let envelope = Envelope::new("sky-accel.fit.v1", &catalog, understood, results);
        Ok(FitAnswer {
            envelope: envelope
                .with_overridden(self.overlaid(), Some(&work.model.name))
                .with_notes(notes),
            fits,
            measured_as: work.run.measured_as(),
        })
    }

    /// As [`Engine::fit`], for a request that is a JSON object with a `spec` and the fields of a
    /// run: the form of a line of `fit -`.
    ///
    /// # Errors
    ///
    /// As [`Engine::fit`]; [`ErrorCode::Request`] when the text is no such object.
    pub fn fit_json(&self, text: &[u8]) -> Result<FitAnswer<'c>> {
        let wrong = |message: String| Error::new(ErrorCode::Request, message);
        let mut fields: Map<String, Value> = serde_json::from_slice(text)
            .map_err(|error| wrong(format!("no JSON object: {error}")))?;
        let spec = match fields.remove("spec") {
            Some(Value::String(spec)) => spec,
            Some(_) => return Err(wrong("spec is a string such as A100:80GB:x2".to_owned())),
            None => return Err(wrong("spec is missing".to_owned())),
        };
        let nodes = match fields.remove("nodes") {
            None => 1,
            Some(nodes) => whole_number(&nodes).ok_or_else(|| {
                wrong(format!("nodes is a whole number of machines, not {nodes}"))
            })?,
        };
        let request = FitRequest {
            hardware: FitHardware::Spec(spec),
            nodes,
            run: run_from_json(fields)?,
        };
        self.fit(&request, None)
    }
}

/// A count, in JSON perhaps with a point.
fn whole_number(value: &Value) -> Option<u32> {
    let number = value.as_f64().filter(|number| number.fract() == 0.0)?;
    (0.0..=f64::from(u32::MAX))
        .contains(&number)
        .then_some(number as u32)
}

/// Sizes a model on each choice of a spec.
fn size(
    catalog: &Catalog<'_>,
    spec: &str,
    machines: u32,
    work: &ModelRun,
    notes: &mut Vec<Note>,
) -> Result<Vec<FitOut>> {
    let mut results = Vec::new();
    for wanted in read_spec(catalog, spec)? {
        let hardware = hardware(catalog, &wanted, notes)?;
        let Hardware {
            accelerator,
            count,
            part,
        } = hardware;
        if machines > 1 && part.is_some() {
            let message = "parts of devices are not joined over several machines: leave out nodes";
            return Err(Error::new(ErrorCode::BadValue, message));
        }
        let mut sizer = Sizer::new(catalog, accelerator, work).machines(machines, count);
        if let Some(part) = part {
            sizer = sizer.part(&part);
        }
        let count = count.saturating_mul(machines);
        if count > MAX_DEVICES {
            let message =
                format!("{count} devices are more than the {MAX_DEVICES} that are computed");
            return Err(Error::new(ErrorCode::Count, message));
        }
        let (mut result, overload) = sizing::fit(catalog, accelerator, count, &sizer, work)
            .map_err(|why| cannot(work, count, why))?;
        result.nodes = (machines > 1).then_some(machines);
        if let Some(why) = overload {
            let message = format!("{} × {}: {why}", result.count, result.accelerator);
            notes.push(Note::new("overload", message));
        }
        if let Some(why) = sizing::unsupported(catalog, accelerator, work) {
            let message = format!("{}: {why}", result.accelerator);
            notes.push(Note::new("unsupported", message));
        }
        match sizing::execution(catalog, accelerator, work) {
            Execution::Refused(why) => {
                let message = format!("{}: {why}", result.accelerator);
                notes.push(Note::new("refused", message));
                result.fits = Some(false);
                result.refused = Some(why);
            }
            Execution::Runs(how @ (Computed::Unpacked | Computed::Half)) => {
                notes.extend(falls_back(catalog, accelerator, work, how));
            }
            Execution::Runs(_) | Execution::Unknown => {}
        }
        if result.fits == Some(false) && result.refused.is_none() {
            let misfit = Misfit {
                catalog,
                hardware: &hardware,
                machines,
                work,
            };
            result.would_fit = misfit.remedies(&result);
        }
        if result.fits == Some(true) {
            let layout = Layout::from(&result.parallelism);
            result.launch =
                launch(catalog, work, accelerator, &sizer, &layout, machines).map(Into::into);
        }
        if result.fits.is_none() {
            let message = format!("the memory of {} is not known", result.accelerator);
            notes.push(Note::new("unknown-memory", message));
        }
        result.spec = Some(wanted.spec.clone());
        results.push(result);
        notes.extend(wanted.notes);
    }
    Ok(results)
}

/// Says so where an engine computes in another format than the device could, or than was asked.
fn falls_back(
    catalog: &Catalog<'_>,
    id: AcceleratorId,
    work: &ModelRun,
    how: Computed,
) -> Option<Note> {
    let (engine, format) = (work.run.engine, &work.precision);
    let name = catalog.accelerator_id(id);
    let is_narrow = work.run.weights.compute_bits < 16.0;
    let message = match how {
        Computed::Half => format!("{engine} computes {format} in fp16 on {name}"),
        Computed::Unpacked if is_narrow => format!(
            "{engine} unpacks {format} to 16 bits on {name}: this saves memory and bandwidth, but no computation"
        ),
        _ => return None,
    };
    Some(Note::new("falls-back", message))
}

/// The one kind of accelerator of a machine as a spec, and the memory that is free on each device
/// in GiB.
fn one_kind(catalog: &Catalog<'_>, machine: &[Report]) -> Result<(String, Option<f64>)> {
    let groups = detect::groups(catalog, machine);
    let usable: Vec<&detect::DeviceGroup<'_>> =
        groups.iter().filter(|group| group.is_usable()).collect();
    let specs: Vec<String> = usable
        .iter()
        .filter_map(|group| group.spec(catalog))
        .collect();
    match (&specs[..], &usable[..]) {
        ([spec], [group]) => Ok((spec.clone(), group.free_mib().map(|mib| mib / 1024.0))),
        ([], _) => {
            let message = "this machine has no accelerator that a model can be put on as a whole";
            let problems = machine.iter().flat_map(|report| report.problems.clone());
            let remarks = groups
                .iter()
                .flat_map(|group| detect::remarks(catalog, group));
            let why: Vec<String> = problems.chain(remarks.map(|note| note.message)).collect();
            Err(
                Error::new(ErrorCode::DetectNothing, message).advise(if why.is_empty() {
                    "run `sky-accel detect` to see what was found".to_owned()
                } else {
                    why.join("; ")
                }),
            )
        }
        _ => {
            let message =
                "this machine has several kinds of accelerators: name the one that is meant";
            Err(Error::new(ErrorCode::DetectSeveral, message).hint(specs))
        }
    }
}

/// Other programs may hold memory that the model needs.
fn memory_in_use(results: &[FitOut], free_gib: f64) -> Option<Note> {
    let fitting = results.iter().filter(|result| result.fits == Some(true));
    let needed = fitting
        .map(|result| result.per_device_gib.high.0)
        .fold(f64::NAN, f64::max);
    (needed > free_gib).then(|| {
        let message = format!(
            "only {free_gib:.1} GiB are free on a device now, and up to {needed:.1} are needed: other programs hold the rest"
        );
        Note::new("memory-in-use", message)
    })
}

/// The hardware that a choice is computed for.
#[derive(Clone, Copy, Debug)]
struct Hardware {
    accelerator: AcceleratorId,
    count: u32,
    /// The part of a device that each one is; `None` for whole devices.
    part: Option<Part>,
}

/// The accelerator that a choice is computed for, and how many of it.
fn hardware(catalog: &Catalog<'_>, wanted: &Wanted, notes: &mut Vec<Note>) -> Result<Hardware> {
    let Some(first) = wanted.candidates.first() else {
        return Err(Error::new(ErrorCode::Count, "no accelerator is meant"));
    };
    if let Some(list) = &wanted.mig {
        let geometry = catalog.geometry(&catalog.accelerator(first.accelerator));
        let demand = geometry.and_then(|geometry| {
            let chip = Chip::new(catalog, geometry);
            let demand = Demand::new(&chip, list)?;
            Some((chip, demand))
        });
        let Some((chip, demand)) = demand else {
            let message = format!("the slices of {} are not known", wanted.name);
            return Err(Error::new(ErrorCode::Mig, message));
        };
        let mut kinds = (0..chip.kinds.len()).filter(|kind| demand.counts[*kind] > 0);
        let (Some(kind), None, true) = (kinds.next(), kinds.next(), demand.cuts.is_empty()) else {
            let message = "a model is spread over equal slices: ask for slices of one kind";
            return Err(Error::new(ErrorCode::Mig, message));
        };
        return Ok(Hardware {
            accelerator: first.accelerator,
            count: demand.counts[kind],
            part: Some(Part::slice(&chip, kind)),
        });
    }
    let devices = wanted.count.min;
    if !devices.is_whole() {
        let share = f64::from(devices.0) / 1000.0;
        if share > 1.0 {
            let message = format!("{} is no whole number of devices", wanted.spec);
            return Err(Error::new(ErrorCode::Count, message));
        }
        let sold = catalog
            .offers_of(first.accelerator)
            .map(|id| catalog.offer(id));
        let mut sold = sold.filter(|offer| offer.count == Some(devices));
        let mib = sold.find_map(|offer| offer.memory_mib);
        return Ok(Hardware {
            accelerator: first.accelerator,
            count: 1,
            part: Some(Part::fraction(catalog, first.accelerator, share, mib)),
        });
    }
    notes.extend(one_of_several(catalog, wanted, first.accelerator));
    Ok(Hardware {
        accelerator: first.accelerator,
        count: devices.whole_devices(),
        part: None,
    })
}

/// Says so where a choice also matches accelerators with another result.
fn one_of_several(catalog: &Catalog<'_>, wanted: &Wanted, id: AcceleratorId) -> Option<Note> {
    let first = catalog.accelerator(id);
    let name = catalog.accelerator_id(id);
    let mut ids = wanted.candidates.iter().map(|one| one.accelerator);
    if ids
        .clone()
        .any(|other| catalog.accelerator(other).family != first.family)
    {
        let (spec, n) = (&wanted.spec, wanted.candidates.len());
        let message = format!("computed for {name}, one of {n} accelerators that {spec} matches");
        return Some(Note::new("several-accelerators", message));
    }
    let memory = |id| (catalog.accelerator(id).memory_gb.unwrap_or(0.0) * 10.0) as u64;
    let other = catalog.accelerator_id(ids.find(|other| memory(*other) != memory(id))?);
    let message = format!("computed for {name}; {other} has a different memory size");
    Some(Note::new("several-sizes", message))
}

/// The error of a model that cannot be spread over so many devices.
fn cannot(work: &ModelRun, count: u32, why: Indivisible) -> Error {
    let name = &work.model.name;
    let message = match why {
        Indivisible::Heads { heads, tensor } => {
            format!("the {heads} heads of {name} cannot be split evenly over {tensor} devices")
        }
        Indivisible::Layers { layers, pipeline } => {
            format!("the {layers} layers of {name} cannot be split over {pipeline} stages")
        }
        Indivisible::Experts {
            experts,
            expert,
            among,
        } => {
            if experts <= 1 {
                format!("{name} has no experts that {expert} devices could share")
            } else if experts.is_multiple_of(expert) {
                format!(
                    "{expert} devices cannot share the experts of {name}: {among} have the same layers, which is no multiple of {expert}"
                )
            } else {
                format!(
                    "the {experts} experts of {name} cannot be split evenly over {expert} devices"
                )
            }
        }
        Indivisible::GlobalBatch { sequences, at_once } => {
            format!(
                "a step of {sequences} sequences is no multiple of the {at_once} that all ranks compute at once"
            )
        }
        Indivisible::AttentionGroup { tensor, expert } => {
            let engine = work.run.engine;
            format!(
                "{engine} does not split attention over {tensor} devices where {expert} share the experts: use tensor_parallel 1, or an expert_parallel of at most {tensor}"
            )
        }
        Indivisible::Lacks(axis) => {
            let (engine, format) = (work.run.engine, &work.precision);
            format!(
                "{engine} does not support {axis} parallelism with {format}: leave out {axis}_parallel"
            )
        }
        Indivisible::ShardGroups { ranks, groups } => {
            format!(
                "data and context parallel make {ranks} ranks, which cannot be divided into {groups} shard groups"
            )
        }
        Indivisible::Parts { layers, parts } => {
            format!(
                "the {layers} layers of {name} cannot be cut into {parts} parts of pipeline stages"
            )
        }
        Indivisible::Devices { needed, .. } => {
            format!(
                "tensor, pipeline, data and context parallel take {needed} devices, and there are {count}"
            )
        }
    };
    Error::new(ErrorCode::Layout, message)
}
