//! The engines and weight formats to try for models on a device, the best first.

use sky_accel_core::catalog::{
    AcceleratorClass, AcceleratorId, Catalog, Computed, Execution, NamedFormat,
};
use sky_accel_core::sizing::ServingEngine;

use crate::code::ErrorCode;
use crate::error::{Error, Result};
use crate::sizing::{self, ModelRun};

/// The minimum bits of a weight, and the smallest format of GGUF files with as many in all layers. With fewer, a
/// smaller model in more bits usually answers better.
const MIN_BITS: f64 = 4.0;
const SMALLEST_GGUF: &str = "gguf:IQ4_XS";
/// Bits that a format may have in addition to the published files: blocks have scales.
const SCALE_BITS: f64 = 1.0;
/// A format of published files, and the equal format of GGUF files.
const MXFP4: (&str, &str) = ("mxfp4", "gguf:MXFP4_MOE");

/// The engines to try on a device.
pub(super) struct Engines {
    /// The engine for the published files; `None` if no engine for them runs on the device.
    pub server: Option<ServingEngine>,
    /// True to convert models for that engine too.
    pub is_converted: bool,
    /// True to try llama.cpp.
    pub is_local: bool,
    /// True to try llama.cpp only if the server runs nothing on the device, as for cards of data centers.
    pub is_local_last: bool,
}

impl Engines {
    /// The engine for the processors of a host.
    ///
    /// # Errors
    ///
    /// For several users, whom llama.cpp does not serve.
    pub fn of_host(is_for_many: bool) -> Result<Self> {
        if is_for_many {
            return Err(only_llama_cpp("cpu"));
        }
        Ok(Self {
            server: None,
            is_converted: false,
            is_local: true,
            is_local_last: false,
        })
    }

    /// Chooses the engines: a server for many users, and llama.cpp for one user of a card for personal computers.
    ///
    /// # Errors
    ///
    /// If no modeled engine runs on the device, or only llama.cpp, which does not serve several users.
    pub fn of(catalog: &Catalog<'_>, id: AcceleratorId, is_for_many: bool) -> Result<Self> {
        let device = catalog.accelerator(id);
        let runs = |engine| sizing::runs_on(catalog, id, engine, None);
        let server = [
            ServingEngine::Vllm,
            ServingEngine::Sglang,
            ServingEngine::TensorRtLlm,
        ];
        let server = server.into_iter().find(|engine| runs(*engine));
        let is_local = runs(ServingEngine::LlamaCpp) && !is_for_many;
        let class = catalog.class(&device);
        let is_consumer = class == Some(AcceleratorClass::Consumer);
        if server.is_none() && !is_local {
            let name = catalog.accelerator_id(id);
            if runs(ServingEngine::LlamaCpp) {
                return Err(only_llama_cpp(name));
            }
            let message = format!("no serving engine that is modeled runs on {name}");
            return Err(Error::new(ErrorCode::BadValue, message));
        }
        Ok(Self {
            server,
            is_converted: is_for_many || !is_consumer,
            is_local,
            is_local_last: class == Some(AcceleratorClass::Datacenter) && server.is_some(),
        })
    }
}

/// The error for several users on hardware that only llama.cpp runs on.
fn only_llama_cpp(name: &str) -> Error {
    let engine = ServingEngine::LlamaCpp;
    let message = format!(
        "on {name}, only {engine} runs, which serves one user at a time: leave out `concurrency`"
    );
    Error::new(ErrorCode::BadValue, message)
}

/// A weight format that an engine runs on a device.
pub(super) struct Conversion {
    pub name: String,
    bits: f64,
    is_native: bool,
}

/// The common formats that an engine runs on a device, or without one on a host, the most bits first.
pub(super) fn conversions(
    catalog: &Catalog<'_>,
    id: Option<AcceleratorId>,
    work: &ModelRun,
) -> Vec<Conversion> {
    let engine = work.run.engine;
    let is_local = engine == ServingEngine::LlamaCpp;
    let smallest = catalog.weight_format(SMALLEST_GGUF).filter(|_| is_local);
    let min_bits = smallest.map_or(MIN_BITS, |row| row.format.bits);
    let is_meant = |row: &NamedFormat| {
        let made_for = catalog.engine_of(row) == is_local.then_some(engine);
        made_for && row.is_common && row.format.bits >= min_bits
    };
    let rows = catalog.weight_formats.iter().filter(is_meant);
    let converted = rows.filter_map(|row| {
        let name = catalog.str(row.name);
        // The formats are those of all models, not of this one.
        let work = work.in_any_format(catalog, name)?;
        let is_native = match id.map(|id| sizing::execution(catalog, id, &work)) {
            Some(Execution::Runs(how)) => how == Computed::Native,
            Some(Execution::Unknown) if is_local => true,
            Some(Execution::Unknown | Execution::Refused(_)) => return None,
            None => true,
        };
        Some(Conversion {
            name: name.to_owned(),
            bits: row.format.bits,
            is_native,
        })
    });
    let mut converted: Vec<Conversion> = converted.collect();
    converted.sort_by(|a, b| {
        // Formats that differ only in their scales are equally good: the faster one is first.
        let whole = |format: &Conversion| format.bits.floor();
        let by_width = whole(b).total_cmp(&whole(a));
        let by_speed = b.is_native.cmp(&a.is_native);
        if is_local {
            b.bits.total_cmp(&a.bits)
        } else {
            by_width.then(by_speed).then(a.bits.total_cmp(&b.bits))
        }
    });
    converted
}

/// The names of the conversions that are worth while for the files of a model, in order. `checkpoints` are the formats
/// of its published conversions, which come before others of their width.
pub(super) fn for_model<'f>(
    conversions: &'f [Conversion],
    work: &ModelRun,
    checkpoints: &[&str],
) -> Vec<&'f str> {
    let published = work.run.weights.bits;
    let is_local = work.run.engine == ServingEngine::LlamaCpp;
    let is_smaller = |format: &&Conversion| {
        if is_local {
            format.bits <= published + SCALE_BITS
        } else {
            format.bits.floor() < published.floor()
        }
    };
    let mut formats: Vec<&Conversion> = conversions.iter().filter(is_smaller).collect();
    if !is_local {
        formats.sort_by_key(|format| {
            let is_published = checkpoints.contains(&format.name.as_str());
            (-(format.bits.floor() as i64), !is_published)
        });
    }
    let own = (is_local && work.model.stored_as.as_deref() == Some(MXFP4.0)).then_some(MXFP4.1);
    let names = formats.into_iter().map(|format| format.name.as_str());
    own.into_iter().chain(names).collect()
}
