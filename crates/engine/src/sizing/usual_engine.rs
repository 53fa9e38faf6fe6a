//! The engine of a device, where a request names none.
//!
//! Work starts with the usual engine of its kind. Devices on which that engine does not run, such as Apple's, get the
//! first engine that the catalog lists for them.

use std::borrow::Cow;

use sky_accel_core::catalog::{AcceleratorId, Catalog, Execution};
use sky_accel_core::note::Note;
use sky_accel_core::sizing::{CacheFormat, ServingEngine};

use super::execution::{engines_on, execution, runs_on};
use super::names::{USUAL_GGUF, published_gguf};
use super::run::ModelRun;

/// The GGUF format instead of formats with 8 bits or more.
const WIDE_GGUF: &str = "gguf:Q8_0";

impl ModelRun {
    /// The same work with an engine that runs on a device. It differs from this work only if the request names no
    /// engine.
    pub(crate) fn on(&self, catalog: &Catalog<'_>, id: AcceleratorId) -> Cow<'_, Self> {
        let usual = self.run.engine;
        let is_open = !self.has_engine && self.model.media.is_none() && usual.answers();
        if !is_open || runs_on(catalog, id, usual, self.engine_version.as_deref()) {
            return Cow::Borrowed(self);
        }
        let device = catalog.accelerator_id(id);
        let mut others = engines_on(catalog, id).filter(|engine| engine.answers());
        let Some(engine) = others.find(|engine| runs_on(catalog, id, *engine, None)) else {
            // A load needs a server.
            if self.run.load.is_some() {
                return Cow::Borrowed(self);
            }
            let mut work = self.with_engine(catalog, ServingEngine::None);
            let message = format!(
                "no engine that answers requests is modeled on {device}: memory and speed are those of the arithmetic alone"
            );
            work.notes = vec![Note::new("engine", message)];
            return Cow::Owned(work);
        };
        let mut work = self.with_open_engine(catalog, id, engine);
        let message = format!("{usual} does not run on {device}, so {engine} is used");
        work.notes.insert(0, Note::new("engine", message));
        Cow::Owned(work)
    }

    /// The same work with another engine on a device. Notes are only those on the change.
    ///
    /// Formats and caches that the engine does not run are replaced, unless the request names them.
    pub(crate) fn with_open_engine(
        &self,
        catalog: &Catalog<'_>,
        id: AcceleratorId,
        engine: ServingEngine,
    ) -> Self {
        if engine == ServingEngine::LlamaCpp {
            return self.with_llama_cpp(catalog, |work| {
                matches!(execution(catalog, id, work), Execution::Refused(_))
            });
        }
        Self {
            notes: Vec::new(),
            ..self.with_engine(catalog, engine)
        }
    }

    /// The same work on the processors of a host, with llama.cpp.
    pub(crate) fn on_host(&self, catalog: &Catalog<'_>) -> Self {
        self.with_llama_cpp(catalog, |work| {
            let row = catalog.weight_format(&work.precision);
            let is_gguf =
                row.is_some_and(|row| catalog.engine_of(&row) == Some(ServingEngine::LlamaCpp));
            work.run.weights.is_quantized() && !is_gguf
        })
    }

    /// The same work with llama.cpp. `is_refused` is true if it does not run the format of the weights.
    fn with_llama_cpp(&self, catalog: &Catalog<'_>, is_refused: impl Fn(&Self) -> bool) -> Self {
        let engine = ServingEngine::LlamaCpp;
        let mut work = self.with_engine(catalog, engine);
        work.notes = Vec::new();
        // llama.cpp has no cache in fp8.
        if work.run.cache == CacheFormat::Fp8 {
            work.run.cache = CacheFormat::Bf16;
        }
        if self.has_precision {
            return work;
        }
        let published = published_gguf(catalog, &self.model.name);
        let published = published.filter(|_| self.run.weights.is_quantized());
        if let Some((_, format)) = published
            && let Some(published) = work.with_precision(catalog, format)
        {
            return published;
        }
        if !is_refused(&work) {
            return work;
        }
        let name = if self.run.weights.bits < 8.0 {
            USUAL_GGUF
        } else {
            WIDE_GGUF
        };
        let Some(mut converted) = work.with_precision(catalog, name) else {
            return work;
        };
        let message = format!(
            "{engine} does not run {}: sized in {name}, and `precision` names another format",
            self.precision
        );
        converted.notes.push(Note::new("converted", message));
        converted
    }
}
