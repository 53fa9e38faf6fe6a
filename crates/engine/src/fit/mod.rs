//! `fit`: the memory of a model on some hardware, term by term, and its speed.

mod formats;
mod hardware;
mod remedies;

use serde_json::{Map, Value};
use sky_accel_core::catalog::{AcceleratorId, Catalog, Computed, Execution};
use sky_accel_core::note::Note;
use sky_accel_core::sizing::{Indivisible, Layout, Workload};
use sky_accel_core::text::counted;
use sky_accel_detect::Report;

use crate::code::ErrorCode;
use crate::contract::{Envelope, FitOut, RunOut};
use crate::detect;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::launch::launch;
use crate::sizing::{self, ModelHub, ModelRun, RunRequest, Sizer, run_from_json};
use crate::specs::read_spec;

use self::formats::formats;
use self::hardware::MAX_NODES;
use self::remedies::Unfit;

pub(crate) use self::hardware::{MAX_DEVICES, SizedHardware, hardware};
pub use self::remedies::RemedyKind;

/// A model, the work, and the hardware to size it for.
#[derive(Clone, Debug)]
pub struct FitRequest<'m> {
    /// The hardware.
    pub hardware: FitHardware<'m>,
    /// The number of machines of that kind, which their network connects.
    pub nodes: u32,
    /// The model and the work. The model is required.
    pub run: RunRequest,
}

/// The hardware of a [`FitRequest`].
#[derive(Clone, Debug)]
pub enum FitHardware<'m> {
    /// A spec such as `A100:80GB:x2`; each choice is sized.
    Spec(String),
    /// The accelerators of a machine, from [`Engine::read_machine`].
    Machine(&'m [Report]),
}

/// The memory and the speed of a model on some hardware.
#[derive(Debug)]
pub struct FitAnswer<'c> {
    /// The JSON document, with a result for each choice of the spec.
    pub envelope: Envelope<'c, RunOut, FitOut>,
    /// True if the model fits on at least one choice of the spec, and that choice serves the load.
    pub fits: bool,
    /// The kind of work whose measurements give the accuracy.
    pub measured_as: Workload,
}

impl<'c> Engine<'c> {
    /// Sizes a model on some hardware: memory and speed.
    ///
    /// `hub` downloads the configuration of a model that is named by its hub id. A model that does not fit is an answer,
    /// not an error.
    ///
    /// # Errors
    ///
    /// An invalid spec, an unknown or unreadable model, a value out of its bounds, an impossible layout, or a machine
    /// without exactly one usable kind of accelerator.
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
            let message = format!(
                "`nodes` must be between 1 and {MAX_NODES}, not {}",
                request.nodes
            );
            return Err(Error::new(ErrorCode::BadValue, message));
        }
        let mut results = Vec::new();
        let is_cache_open = request.run.kv_precision.is_none();
        for (hardware, mut result) in size(self, &spec, request.nodes, &work, &mut notes)? {
            result.formats = formats(&catalog, &hardware, request.nodes, &work, is_cache_open);
            results.push(result);
        }
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

    /// Sizes a model for a JSON request, as [`Engine::fit`] does: an object with a `spec` and the options of a run, like a
    /// line of `fit -`.
    ///
    /// # Errors
    ///
    /// Same as [`Engine::fit`], and [`ErrorCode::Request`] if the text is not such an object.
    pub fn fit_json(&self, text: &[u8]) -> Result<FitAnswer<'c>> {
        let wrong = |message: String| Error::new(ErrorCode::Request, message);
        let mut fields: Map<String, Value> = serde_json::from_slice(text)
            .map_err(|error| wrong(format!("not a JSON object: {error}")))?;
        let spec = match fields.remove("spec") {
            Some(Value::String(spec)) => spec,
            Some(_) => {
                return Err(wrong(
                    "`spec` must be a string such as A100:80GB:x2".to_owned(),
                ));
            }
            None => return Err(wrong("`spec` is missing".to_owned())),
        };
        let nodes = match fields.remove("nodes") {
            None => 1,
            Some(nodes) => whole_number(&nodes).ok_or_else(|| {
                wrong(format!(
                    "`nodes` must be an integer number of machines, not {nodes}"
                ))
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

/// Reads an integer, which JSON may write with a decimal point.
fn whole_number(value: &Value) -> Option<u32> {
    let number = value.as_f64().filter(|number| number.fract() == 0.0)?;
    (0.0..=f64::from(u32::MAX))
        .contains(&number)
        .then_some(number as u32)
}

/// Sizes a model on each choice of a spec.
fn size(
    engine: &Engine<'_>,
    spec: &str,
    machines: u32,
    work: &ModelRun,
    notes: &mut Vec<Note>,
) -> Result<Vec<(SizedHardware, FitOut)>> {
    let catalog = &engine.catalog();
    let mut results = Vec::new();
    for wanted in read_spec(catalog, spec)? {
        engine.go_on()?;
        let hardware = hardware(catalog, &wanted, notes)?;
        let SizedHardware {
            accelerator,
            count,
            part,
        } = hardware;
        if machines > 1 && part.is_some() {
            let message = "parts of devices cannot be used across machines: leave out `nodes`";
            return Err(Error::new(ErrorCode::BadValue, message));
        }
        let mut sizer = Sizer::new(catalog, accelerator, work).machines(machines, count);
        if let Some(part) = part {
            sizer = sizer.part(&part);
        }
        let count = count.saturating_mul(machines);
        if count > MAX_DEVICES {
            let message = format!("{count} devices are more than the supported {MAX_DEVICES}");
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
            let unfit = Unfit {
                engine,
                catalog,
                hardware: &hardware,
                machines,
                work,
            };
            result.would_fit = unfit.remedies(&result);
            engine.go_on()?;
        }
        if result.fits == Some(true) {
            let layout = Layout::from(&result.parallelism);
            result.launch =
                launch(catalog, work, accelerator, &sizer, &layout, machines).map(Into::into);
        }
        if result.fits.is_none() {
            let message = format!("the memory of {} is unknown", result.accelerator);
            notes.push(Note::new("unknown-memory", message));
        }
        result.spec = Some(wanted.spec.clone());
        results.push((hardware, result));
        notes.extend(wanted.notes);
    }
    Ok(results)
}

/// The note that a serving engine computes in another format than the weights have.
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
            "{engine} unpacks {format} to 16 bits on {name}: this saves memory and bandwidth, but computes no faster"
        ),
        _ => return None,
    };
    Some(Note::new("falls-back", message))
}

/// The spec of a machine with a single kind of accelerator, and the free memory of each device in GiB.
pub(crate) fn one_kind(catalog: &Catalog<'_>, machine: &[Report]) -> Result<(String, Option<f64>)> {
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
            let message = "this machine has no whole accelerator for a model";
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
                "this machine has several kinds of accelerators: give a spec to choose one";
            Err(Error::new(ErrorCode::DetectSeveral, message).hint(specs))
        }
    }
}

/// The note that other programs use memory that the model needs.
fn memory_in_use(results: &[FitOut], free_gib: f64) -> Option<Note> {
    let fitting = results.iter().filter(|result| result.fits == Some(true));
    let needed = fitting
        .map(|result| result.per_device_gib.high.0)
        .fold(f64::NAN, f64::max);
    (needed > free_gib).then(|| {
        let message = format!(
            "only {free_gib:.1} GiB are free on a device now, but up to {needed:.1} GiB are needed: other programs use the rest"
        );
        Note::new("memory-in-use", message)
    })
}

/// The error for a model that cannot be split over `count` devices.
fn cannot(work: &ModelRun, count: u32, why: Indivisible) -> Error {
    let name = &work.model.name;
    let message = match why {
        Indivisible::Heads { heads, tensor } => {
            let (heads, devices) = (counted(heads, "head"), counted(tensor, "device"));
            format!("{name} has {heads}, which cannot be split evenly over {devices}")
        }
        Indivisible::Layers { layers, pipeline } => {
            let (layers, stages) = (counted(layers, "layer"), counted(pipeline, "stage"));
            format!("{name} has {layers}, which cannot be split over {stages}")
        }
        Indivisible::Experts {
            experts,
            expert,
            among,
        } => {
            if experts <= 1 {
                let devices = counted(expert, "device");
                format!("{name} has no experts that {devices} could share")
            } else if experts.is_multiple_of(expert) {
                format!(
                    "{expert} devices cannot share the experts of {name}: the layers are on {}, which is not a multiple of {expert}",
                    counted(among, "device")
                )
            } else {
                format!(
                    "the {experts} experts of {name} cannot be split evenly over {expert} devices"
                )
            }
        }
        Indivisible::GlobalBatch { sequences, at_once } => {
            format!(
                "`global_batch` {sequences} is not a multiple of the {} that all ranks process at once",
                counted(at_once, "sequence")
            )
        }
        Indivisible::AttentionGroup { tensor, expert } => {
            let engine = work.run.engine;
            format!(
                "{engine} does not split attention over {tensor} devices where {expert} share the experts: use `tensor_parallel` 1, or `expert_parallel` of at most {tensor}"
            )
        }
        Indivisible::Lacks(axis) => {
            let (engine, format) = (work.run.engine, &work.precision);
            format!(
                "{engine} does not support {axis} parallelism with {format}: leave out `{axis}_parallel`"
            )
        }
        Indivisible::ShardGroups { ranks, groups } => {
            format!(
                "data and context parallelism have {}, which cannot be divided into {groups} `shard_groups`",
                counted(ranks, "rank")
            )
        }
        Indivisible::Unsharded { stage, devices } => {
            format!(
                "`zero_stage` {stage} shards over data-parallel devices, but a layout of {} has none: use more devices or a smaller `tensor_parallel`, or leave out `zero_stage`",
                counted(devices, "device")
            )
        }
        Indivisible::Parts { layers, parts } => {
            format!(
                "{name} has {}, which cannot be split into {} of pipeline stages",
                counted(layers, "layer"),
                counted(parts, "part")
            )
        }
        Indivisible::Devices { needed, .. } => {
            format!(
                "tensor, pipeline, data and context parallelism need {}, but the hardware has {count}",
                counted(needed, "device")
            )
        }
    };
    Error::new(ErrorCode::Layout, message)
}
