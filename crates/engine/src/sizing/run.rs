//! A run of a model with every option chosen.

use sky_accel_core::catalog::Catalog;
use sky_accel_core::note::Note;
use sky_accel_core::sizing::{
    Attention, Calibration, GivenLayout, Memory, Run, ServingEngine, WeightFormat, Workload,
};

use super::formats::{keeps_its_format, precision, quantizes_on_load};
use super::media_items::MediaItems;
use super::model_facts::ModelFacts;
use super::options::{EchoInput, RunOut, RunRequest};

/// A model and its run, with every option chosen.
#[derive(Clone, Debug)]
pub struct ModelRun {
    /// The model.
    pub model: ModelFacts,
    /// The catalog's name for the format of the weights.
    pub precision: String,
    /// The number of weights that share a scale; `None` for formats without groups.
    pub group_size: Option<f64>,
    /// The work.
    pub run: Run,
    /// The version of the engine; `None` for the newest version.
    pub engine_version: Option<String>,
    /// Measured tokens per second; all speeds are scaled to it.
    pub measured_tokens_per_s: Option<f64>,
    /// The images or videos of a diffusion model; `None` for other models.
    pub items: Option<MediaItems>,
    /// The part of the layout that the request fixes; the rest is searched.
    pub given: GivenLayout,
    /// True to choose the layout with the lowest latency instead of the highest throughput.
    pub is_for_latency: bool,
    /// True for a job of independent requests: no user waits for an answer, so the layout is chosen for the throughput
    /// with as many sequences in flight as the engine admits.
    pub is_batch_job: bool,
    /// True for a job whose requests are all known when it starts, so that it needs no server.
    pub is_offline: bool,
    /// True if the request, or the format that it names, determines the engine; else the device may.
    pub(crate) has_engine: bool,
    /// True if the request names the weight format.
    pub(crate) has_precision: bool,
    /// True if the request sets the memory of the serving engine: its share of a device, the sequences at
    /// once, or the tokens of a pass.
    pub(crate) has_memory_settings: bool,
    /// Calibration from measurements of this kind of work.
    pub(crate) measured: Measured,
    /// Notes on the chosen options.
    pub notes: Vec<Note>,
}

/// Calibration from measurements of a kind of work: coefficients, and the low and high end of memory relative to the
/// computed sum.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Measured {
    pub coefficients: Calibration,
    pub(super) low: f64,
    high: f64,
}

impl Measured {
    /// The high end of the memory of a device.
    pub(super) fn highest(&self, memory: &Memory, work: &ModelRun) -> f64 {
        let known = Self::known(memory, work);
        (known + (memory.device - known) * self.high) * (1.0 + work.model.size_band)
    }

    /// The low end of the memory in use.
    pub(super) fn lowest(&self, memory: &Memory, work: &ModelRun) -> f64 {
        let known = Self::known(memory, work);
        (known + (memory.allocated - known) * self.low) * (1.0 - work.model.size_band)
    }

    /// The memory that follows from the shape of the model, which the band of training does not apply to. Weights are
    /// most of the memory of adapters, and only the rest depends on the trainer and its allocator.
    fn known(memory: &Memory, work: &ModelRun) -> f64 {
        let run = &work.run;
        match (run.workload.is_training(), run.adapters) {
            (true, true) => memory.steady,
            (true, false) => memory.weights,
            (false, _) => 0.0,
        }
    }

    /// The calibration of a kind of work with an engine.
    pub fn of(catalog: &Catalog<'_>, workload: Workload, engine: ServingEngine) -> Self {
        let of_engine = format!("{} {}", workload.word(), engine.word());
        let factor = |name: &str| {
            let scopes = [of_engine.as_str(), workload.word()];
            let value = catalog.coefficient_among(name, &scopes, None);
            value.unwrap_or(1.0)
        };
        Self {
            coefficients: Calibration::of(catalog, workload, engine),
            low: factor("band-low"),
            high: factor("band-high"),
        }
    }
}

/// The calibrations of the kinds of work so far: each takes more than a hundred lookups, which many models share.
#[derive(Default)]
pub(crate) struct MeasuredWork(Vec<(Workload, ServingEngine, Measured)>);

impl MeasuredWork {
    /// The calibration of a kind of work with an engine.
    pub(super) fn of(
        &mut self,
        catalog: &Catalog<'_>,
        workload: Workload,
        engine: ServingEngine,
    ) -> Measured {
        let mut known = self.0.iter();
        let known = known.find(|(work, by, _)| (*work, *by) == (workload, engine));
        if let Some((.., measured)) = known {
            return *measured;
        }
        let measured = Measured::of(catalog, workload, engine);
        self.0.push((workload, engine, measured));
        measured
    }
}

impl ModelRun {
    /// Returns the notes on options that an engine ignores which the request does not name.
    pub(crate) fn ignored(&self) -> impl Iterator<Item = Note> {
        let engine = self.run.engine;
        let ignores_attention = engine.serves() && !self.run.workload.is_training();
        let attention = self.run.attention == Attention::Eager && ignores_attention;
        let bandwidth = self.run.host_bandwidth.is_some() && engine != ServingEngine::LlamaCpp;
        let options = [(attention, "attention"), (bandwidth, "host_bandwidth")];
        let ignored = options.into_iter().filter(|(is_ignored, _)| *is_ignored);
        ignored.map(move |(_, option)| {
            let message = format!("`{option}` has no effect with {engine}");
            Note::new("no-effect", message)
        })
    }

    /// The same work with the newest version of another engine.
    #[must_use]
    pub(crate) fn with_engine(&self, catalog: &Catalog<'_>, engine: ServingEngine) -> Self {
        let run = Run { engine, ..self.run };
        Self {
            run,
            engine_version: None,
            measured: Measured::of(catalog, run.measured_as(), engine),
            ..self.clone()
        }
    }

    /// The same work with another weight format; `None` for a format that is unknown or that the model cannot have.
    #[must_use]
    pub(crate) fn with_precision(&self, catalog: &Catalog<'_>, name: &str) -> Option<Self> {
        let (precision, weights) = precision(catalog, name, None).ok()?;
        let is_kept = keeps_its_format(&self.model, &precision, &weights);
        (!is_kept).then(|| self.in_format(catalog, precision, weights))
    }

    /// The same work with another weight format, whether the model can have it or not; `None` for an unknown format.
    pub(crate) fn in_any_format(&self, catalog: &Catalog<'_>, name: &str) -> Option<Self> {
        let (precision, weights) = precision(catalog, name, None).ok()?;
        Some(self.in_format(catalog, precision, weights))
    }

    fn in_format(&self, catalog: &Catalog<'_>, precision: String, weights: WeightFormat) -> Self {
        Self {
            group_size: None,
            run: Run {
                weights,
                quantizes_on_load: quantizes_on_load(catalog, &precision),
                ..self.run
            },
            precision,
            ..self.clone()
        }
    }

    /// The request with every default filled in.
    pub(crate) fn understood(&self, request: &RunRequest, spec: Option<&str>) -> RunOut {
        let input = EchoInput {
            request,
            run: &self.run,
            precision: &self.precision,
            group_size: self.group_size,
            engine_version: self.engine_version.as_deref(),
            measured_tokens_per_s: self.measured_tokens_per_s,
            items: self.items.as_ref(),
            given: self.given,
        };
        RunOut::new(&input, spec)
    }
}
