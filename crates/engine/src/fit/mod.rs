//! `fit`: the memory of a model on some hardware, term by term, and its speed.

mod choice;
mod formats;
mod hardware;
mod host;
mod host_remedies;
mod price;
mod refusal;
mod remedies;

use serde_json::{Map, Value};
use sky_accel_core::catalog::Catalog;
use sky_accel_core::note::Note;
use sky_accel_core::sizing::{Layout, Workload};
use sky_accel_detect::Report;

use crate::code::ErrorCode;
use crate::contract::{Envelope, FitEcho, FitOut, FitVerdict, ParallelismOut, RunOut};
use crate::detect;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::price_policy::PricePolicy;
use crate::sizing::{self, Fitted, ModelHub, ModelRun, RunRequest, Sizer, rate, run_from_json};
use crate::specs::read_spec;
use crate::text::grouped;

use self::choice::SizedChoice;
use self::formats::formats;
use self::hardware::MAX_NODES;
pub(crate) use self::host::HostSpec;
use self::price::{Pricer, prices_from_json};

pub(crate) use self::hardware::{MAX_DEVICES, SizedHardware, hardware};
pub use self::remedies::RemedyKind;

/// A server on fewer devices is faster than on all of them by at least this factor, where that is worth a note.
const CLEARLY_FASTER: f64 = 1.1;

/// A model, the work, and the hardware to size it for.
#[derive(Clone, Debug)]
pub struct FitRequest<'m> {
    /// The hardware.
    pub hardware: FitHardware<'m>,
    /// The number of machines of that kind, which their network connects.
    pub nodes: u32,
    /// The model and the work. The model is required.
    pub run: RunRequest,
    /// The prices of the hardware to state; `None` for an answer without prices.
    pub prices: Option<PricePolicy>,
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
    pub envelope: Envelope<'c, FitEcho, FitOut>,
    /// True if the model fits on at least one choice of the spec, and that choice serves the load.
    pub fits: bool,
    /// True if `fits` is true, or the verdict on such a choice is [`FitVerdict::Tight`].
    pub may_fit: bool,
    /// The kind of work whose measurements give the accuracy.
    pub measured_as: Workload,
}

impl<'c> Engine<'c> {
    /// Sizes a model on some hardware: memory and speed.
    ///
    /// `hub` downloads the configuration of a model that is named by its hub id. A model that does not fit is an
    /// answer, not an error.
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
        let is_cache_open = request.run.kv_precision.is_none();
        let is_offered = matches!(request.hardware, FitHardware::Spec(_));
        let mut pricer = match request.prices {
            Some(_) if !is_offered || HostSpec::read(&spec)?.is_some() => return Err(not_offered()),
            prices => prices.map(|prices| Pricer::new(self, prices)).transpose()?,
        };
        let sized = size(
            self,
            &spec,
            request.nodes,
            (&work, is_cache_open),
            pricer.as_mut(),
            &mut notes,
        )?;
        let (results, first) = sized;
        if let Some(pricer) = &pricer {
            pricer.check()?;
        }
        let work = first.unwrap_or(work);
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
        let any = |verdicts: &[FitVerdict]| {
            let mut results = results.iter();
            results.any(|result| {
                result
                    .verdict
                    .is_some_and(|verdict| verdicts.contains(&verdict))
                    && serves(result)
            })
        };
        let fits = any(&[FitVerdict::Fits]);
        let may_fit = any(&[FitVerdict::Fits, FitVerdict::Tight]);
        let understood = FitEcho {
            run: RunOut {
                nodes: (request.nodes > 1).then_some(request.nodes),
                ..work.understood(&request.run, Some(&spec))
            },
            price: request.prices.map(|prices| prices.basis),
            max_age_s: request.prices.and_then(|prices| prices.max_age_s),
        };
        let envelope = Envelope::new("sky-accel.fit.v1", &catalog, understood, results);
        Ok(FitAnswer {
            envelope: envelope
                .with_overridden(self.overlaid(), Some(&work.model.name))
                .with_notes(notes),
            fits,
            may_fit,
            measured_as: work.run.measured_as(),
        })
    }

    /// Sizes a model for a JSON request, as [`Engine::fit`] does: an object with a `spec` and the options of a run,
    /// like a line of `fit -`.
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
            prices: prices_from_json(&mut fields)?,
            run: run_from_json(fields)?,
        };
        self.fit(&request, None)
    }
}

/// The error of prices for hardware that no provider sells.
fn not_offered() -> Error {
    let message =
        "prices are of hardware on offer, given as a spec: leave out `price` and `max_age`";
    Error::new(ErrorCode::BadValue, message)
}

/// Reads an integer, which JSON may write with a decimal point.
fn whole_number(value: &Value) -> Option<u32> {
    let number = value.as_f64().filter(|number| number.fract() == 0.0)?;
    (0.0..=f64::from(u32::MAX))
        .contains(&number)
        .then_some(number as u32)
}

/// Sizes a model on each choice of a spec. The returned work is the work of the first choice, with the engine of its
/// device.
fn size(
    engine: &Engine<'_>,
    spec: &str,
    machines: u32,
    (work, is_cache_open): (&ModelRun, bool),
    mut pricer: Option<&mut Pricer<'_>>,
    notes: &mut Vec<Note>,
) -> Result<(Vec<FitOut>, Option<ModelRun>)> {
    let catalog = &engine.catalog();
    if let Some(host) = HostSpec::read(spec)? {
        if machines > 1 {
            let message = "a host is one machine: leave out `nodes`";
            return Err(Error::new(ErrorCode::BadValue, message));
        }
        let (result, work) = host.size(catalog, work, notes)?;
        return Ok((vec![result], Some(work)));
    }
    let mut results = Vec::new();
    let mut first: Option<ModelRun> = None;
    for wanted in read_spec(catalog, spec)? {
        engine.go_on()?;
        let hardware = hardware(catalog, &wanted, notes)?;
        if machines > 1 && hardware.part.is_some() {
            let message = "parts of devices cannot be used across machines: leave out `nodes`";
            return Err(Error::new(ErrorCode::BadValue, message));
        }
        let count = hardware.count.saturating_mul(machines);
        if count > MAX_DEVICES {
            let message = format!("{count} devices are more than the supported {MAX_DEVICES}");
            return Err(Error::new(ErrorCode::Count, message));
        }
        let choice = SizedChoice {
            engine,
            catalog,
            hardware: &hardware,
            machines,
        };
        let (mut result, work) = choice.size(work, notes)?;
        result.spec = Some(wanted.spec.clone());
        if let Some(pricer) = &mut pricer {
            result.price = pricer.price(&wanted, &hardware, machines);
        }
        result.formats = formats(catalog, &hardware, machines, &work, is_cache_open);
        notes.extend(idle_devices(catalog, &hardware, machines, &work));
        notes.extend(sizing::other_trainer(
            &work,
            &Layout::from(&result.parallelism),
        ));
        if let Some(first) = &first {
            let (run, other) = (&work.run, &first.run);
            result.engine = (run.engine != other.engine).then_some(run.engine);
            let is_other = work.precision != first.precision;
            result.precision = is_other.then(|| work.precision.clone());
        } else {
            first = Some(work.into_owned());
        }
        results.push(result);
        notes.extend(wanted.notes);
    }
    Ok((results, first))
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
                    "run `sky-accel detect` to see what was found; `cpu:32GB` is a host without accelerators"
                        .to_owned()
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

/// The note that a server is faster on fewer devices, whose number divides its heads.
fn idle_devices(
    catalog: &Catalog<'_>,
    hardware: &SizedHardware,
    machines: u32,
    work: &ModelRun,
) -> Option<Note> {
    let count = hardware.count;
    let is_server = work.run.engine.serves() && !work.run.workload.is_training();
    if !is_server || machines > 1 || count < 3 || count.is_power_of_two() {
        return None;
    }
    let fewer = 1 << count.ilog2();
    let sizer = Sizer::new(catalog, hardware.accelerator, work);
    let output = |fitted: &Fitted| {
        fitted
            .served
            .map(|served| served.output)
            .or(fitted.speed.decode)
    };
    let [all, some] = [count, fewer].map(|count| sizer.best(work, count).ok());
    let some = some.filter(|some| some.fits() == Some(true))?;
    let (slow, fast) = (all.as_ref().and_then(output)?, output(&some)?);
    (fast > slow * CLEARLY_FASTER).then(|| {
        let layout = ParallelismOut::from(&some.layout).words();
        let rate = grouped(rate(fast).0);
        let message = format!(
            "{fewer} of the {count} devices are faster than all of them: {layout}, {rate} tokens/s"
        );
        Note::new("idle-devices", message)
    })
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
