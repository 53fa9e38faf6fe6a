//! The models of the catalog that run on some hardware: their formats, speeds and contexts.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::rc::Rc;

use serde::Serialize;
use sky_accel_core::catalog::{AcceleratorId, Catalog, Execution, Model};
use sky_accel_core::sizing::{
    Architecture, Arrival, GIB, ModelKind, Run, ServingEngine, WeightFormat,
};
use sky_accel_detect::Report;

use super::candidates::{Conversion, Engines, conversions, for_model};
use super::hardware::{OnHardware, OnHardwareOut};
use super::{KnownModelOut, ModelsAnswer, ModelsRequest, bits_of_size};
use crate::contract::{Envelope, Num};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::sizing::{
    self, Fitted, MeasuredWork, ModelRun, ModelSource, RunRequest, Sizer, UsualService, rate,
};

/// The default limit of results.
const ROWS: usize = 15;
/// The upper bound of the longest prompt of a model without a known context length.
const MOST_TOKENS: f64 = 16_777_216.0;

/// A model on the hardware of the request.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelRunOut {
    /// The serving engine.
    pub engine: ServingEngine,
    /// The format of the weights: the format of the published files if it fits, else the format with the most bits that
    /// the engine runs there and that fits.
    pub precision: String,
    /// The hub id of a published checkpoint in that format. Missing if the catalog knows none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<String>,
    /// The memory that it takes on each device at the high end of the estimate, in GiB.
    pub high_gib: Num,
    /// The memory of each device that the engine may use, in GiB.
    pub usable_gib: Num,
    /// Output tokens per second of one user; tokens read per second for embeddings. Missing if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_per_s_per_user: Option<Num>,
    /// Output tokens per second of all users together. Missing without several users.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_per_s: Option<Num>,
    /// Seconds to the first token. Missing if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ttft_s: Option<Num>,
    /// The longest prompt of one user that fits, in tokens. Missing for models without text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_context: Option<Num>,
    /// True if it writes at the default minimum speed and, for several users, begins within the default time. Models
    /// that do not come last.
    pub is_usual_speed: bool,
}

/// The additional fields of a list of models.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelsParts<'c> {
    /// The hardware that the models were sized for. Missing without `on`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hardware: Option<OnHardwareOut<'c>>,
}

impl<'c> Engine<'c> {
    /// Lists the models of the catalog that run on some hardware, the most useful first: by kind, and models at a usual
    /// speed before others. The better half of the catalog's leaderboard comes first, by score. Then come models
    /// without a score that vLLM has a recipe for, by size, the other half of the leaderboard, and all others by size.
    ///
    /// The hardware is `machine`, from [`Engine::read_machine`], or else `on` of the request.
    ///
    /// # Errors
    ///
    /// An invalid spec, several kinds of hardware, a value out of its bounds, or hardware on which no modeled engine
    /// runs.
    pub fn models_on(
        &self,
        request: &ModelsRequest,
        machine: Option<&[Report]>,
    ) -> Result<ModelsAnswer<'c>> {
        let catalog = self.catalog();
        let mut notes = Vec::new();
        let hardware = OnHardware::read(self, request, machine, &mut notes)?;
        let (models, near) = self.matching(request.filter.as_deref());
        let matching = models.len();
        let found = if hardware.is_within_budget() {
            ranked(self, &catalog, request, &hardware, models)?
        } else {
            FoundModels::default()
        };
        let understood = ModelsRequest {
            on: Some(hardware.spec.clone()),
            limit: Some(request.limit.unwrap_or(ROWS as u32)),
            ..request.clone()
        };
        let envelope = Envelope::new("sky-accel.models.v1", &catalog, understood, found.results);
        let mut envelope = envelope.with_notes(notes);
        envelope.left_off = Some(found.left_off);
        let parts = ModelsParts {
            hardware: Some(hardware.out(&catalog)),
        };
        Ok(ModelsAnswer {
            envelope: envelope.with_more(parts),
            near,
            matching,
        })
    }
}

/// The score that three quarters of the models of the leaderboard exceed; 0 without scores.
fn low_score(catalog: &Catalog<'_>) -> f64 {
    let mut scores: Vec<f64> = catalog.model_scores.iter().map(|row| row.score).collect();
    scores.sort_by(f64::total_cmp);
    scores.get(scores.len() / 4).copied().unwrap_or_default()
}

/// True if vLLM has a recipe for the model or one of its checkpoints.
fn has_recipe(model: &KnownModelOut<'_>) -> bool {
    let mut checkpoints = model.checkpoints.iter();
    model.min_vllm.is_some() || checkpoints.any(|checkpoint| checkpoint.min_vllm.is_some())
}

/// The models that run on the hardware.
#[derive(Default)]
struct FoundModels<'c> {
    results: Vec<KnownModelOut<'c>>,
    left_off: usize,
}

/// Sizes models, and ranks the models that run.
fn ranked<'c>(
    engine: &Engine<'_>,
    catalog: &Catalog<'c>,
    request: &ModelsRequest,
    hardware: &OnHardware<'c>,
    mut models: Vec<KnownModelOut<'c>>,
) -> Result<FoundModels<'c>> {
    let low = low_score(catalog);
    // The bits of scores are ordered like the scores, which are not negative.
    let score = |model: &KnownModelOut<'_>| {
        let score = model.quality.map_or(0.0, |quality| quality.score.0);
        score.to_bits()
    };
    // A model with a recipe of vLLM is in use. Its quality is unknown, which is more than a low score says.
    let group = |model: &KnownModelOut<'_>| match model.quality {
        Some(quality) if quality.score.0 >= low => 0,
        None if has_recipe(model) => 1,
        Some(_) => 2,
        None => 3,
    };
    models.sort_by_cached_key(|model| {
        (
            model.kind,
            group(model),
            Reverse((score(model), bits_of_size(model))),
            model.id,
        )
    });
    let limit = request.limit.map_or(ROWS, |limit| limit as usize);
    let mut sizing = HardwareSizing::new(catalog, request, hardware)?;
    let (mut usual, mut slow) = (Vec::new(), Vec::new());
    let mut left_off = 0;
    for model in models {
        engine.go_on()?;
        let Some(tried) = sizing.first_fit(&model) else {
            continue;
        };
        // Models beyond the limit are only counted: under a load, the speed takes most of the time.
        if usual.len() >= limit {
            left_off += 1;
            continue;
        }
        let Some(run) = sizing.served(&tried) else {
            continue;
        };
        let is_usual = run.is_usual_speed;
        let model = KnownModelOut {
            run: Some(Box::new(run)),
            ..model
        };
        if is_usual {
            usual.push(model);
        } else {
            slow.push(model);
        }
    }
    if let Some(error) = sizing.refusal.filter(|_| !sizing.is_any_read) {
        return Err(error);
    }
    let room = limit - usual.len();
    left_off += slow.len().saturating_sub(room);
    usual.extend(slow.into_iter().take(room));
    usual.sort_by_key(|model| model.kind);
    Ok(FoundModels {
        results: usual,
        left_off,
    })
}

/// A run to try. It is made when it is tried: a model has a dozen formats, of which one or two are tried.
struct RunToTry {
    /// The run in the format of the files.
    own: Rc<ModelRun>,
    /// The name of another format; `None` for the format of the files.
    format: Option<String>,
}

/// A model in the best format that fits.
struct TriedModel {
    work: Rc<ModelRun>,
    fitted: Fitted,
    /// Runs in smaller formats, which are sized only if the load needs them.
    smaller: Vec<RunToTry>,
    checkpoints: Vec<(String, String)>,
}

/// Sizes models on the hardware of a request.
struct HardwareSizing<'s, 'c> {
    catalog: &'s Catalog<'c>,
    hardware: &'s OnHardware<'c>,
    /// The accelerator; `None` for a host.
    id: Option<AcceleratorId>,
    engines: Engines,
    request: RunRequest,
    /// The first error of a model that does not take the request.
    refusal: Option<Error>,
    /// True if some model takes the request.
    is_any_read: bool,
    /// The formats of each engine, once they are known.
    conversions: Vec<(ServingEngine, Vec<Conversion>)>,
    /// The calibrations of all models.
    measured: MeasuredWork,
    /// The sizers by engine, format and length of the prompt: coefficients are read once for all models.
    sizers: HashMap<(ServingEngine, String, u64), Option<Rc<Sizer>>>,
}

impl<'s, 'c> HardwareSizing<'s, 'c> {
    fn new(
        catalog: &'s Catalog<'c>,
        request: &ModelsRequest,
        hardware: &'s OnHardware<'c>,
    ) -> Result<Self> {
        let id = hardware.accelerator();
        let users = request.concurrency.map(|users| users.0);
        let is_for_many = users.is_some_and(|users| users > 1.0);
        Ok(Self {
            catalog,
            hardware,
            id,
            engines: match id {
                Some(id) => Engines::of(catalog, id, is_for_many)?,
                None => Engines::of_host(is_for_many)?,
            },
            request: RunRequest {
                context: request.context.map(|tokens| tokens.0),
                generate: request.generate.map(|tokens| tokens.0),
                concurrency: users.filter(|_| is_for_many),
                ..RunRequest::default()
            },
            refusal: None,
            is_any_read: false,
            conversions: Vec::new(),
            measured: MeasuredWork::default(),
            sizers: HashMap::new(),
        })
    }

    /// The best format of a model that fits; `None` if none does.
    fn first_fit(&mut self, model: &KnownModelOut<'_>) -> Option<TriedModel> {
        let catalog = self.catalog;
        let Some(row) = catalog.model_with_id(model.id) else {
            return self.media(model);
        };
        let checkpoints: Vec<(String, String)> = model
            .checkpoints
            .iter()
            .map(|checkpoint| (checkpoint.stored_as.to_owned(), checkpoint.id.to_owned()))
            .collect();
        let formats: Vec<&str> = checkpoints
            .iter()
            .map(|(format, _)| format.as_str())
            .collect();
        let mut runs = self.runs(&row, model, &formats).into_iter();
        while let Some(run) = runs.next() {
            if let Some((work, fitted)) = self.tried(&run) {
                return Some(TriedModel {
                    work,
                    fitted,
                    smaller: runs.collect(),
                    checkpoints,
                });
            }
        }
        None
    }

    /// The runs of a model to try, the best first.
    fn runs(
        &mut self,
        row: &Model,
        model: &KnownModelOut<'_>,
        checkpoints: &[&str],
    ) -> Vec<RunToTry> {
        let catalog = self.catalog;
        let mut runs = Vec::new();
        let engines = [
            self.engines.server,
            Some(ServingEngine::LlamaCpp).filter(|_| self.engines.is_local),
        ];
        for engine in engines.into_iter().flatten() {
            let is_local = engine == ServingEngine::LlamaCpp;
            let mut known = self.conversions.iter();
            let is_served = known.any(|(of, formats)| *of != engine && !formats.is_empty());
            if is_local && self.engines.is_local_last && is_served {
                continue;
            }
            let request = RunRequest {
                engine: Some(engine),
                // Embeddings have no users who wait for tokens.
                concurrency: self
                    .request
                    .concurrency
                    .filter(|_| row.kind == ModelKind::Text),
                generate: self
                    .request
                    .generate
                    .filter(|_| row.kind == ModelKind::Text),
                ..self.request.clone()
            };
            let facts = sizing::facts_of_row(catalog, row, row.stored_as);
            // The answer needs room in the context of the model too.
            let answer = match row.kind {
                ModelKind::Text => request.generate.unwrap_or_default().max(1.0),
                _ => 0.0,
            };
            let is_longer = |most: u32| {
                let prompt = request.context;
                prompt.is_some_and(|tokens| tokens + answer > f64::from(most))
            };
            if model.context.is_some_and(is_longer) {
                continue;
            }
            // A model without room for the request is left out. If every model is, the request is wrong.
            let work = match sizing::read_known(catalog, &request, facts, &mut self.measured) {
                Ok(work) => work,
                Err(error) => {
                    self.refusal.get_or_insert(error);
                    continue;
                }
            };
            self.is_any_read = true;
            if !self.conversions.iter().any(|(known, _)| *known == engine) {
                let found = conversions(catalog, self.id, &work);
                self.conversions.push((engine, found));
            }
            let known = self.conversions.iter().find(|(known, _)| *known == engine);
            let names = known.map_or(&[][..], |(_, formats)| formats);
            let is_tried = is_local || self.engines.is_converted;
            let names = if is_tried {
                for_model(names, &work, checkpoints)
            } else {
                Vec::new()
            };
            let own = Rc::new(work);
            let in_format = |format: Option<&str>| RunToTry {
                own: Rc::clone(&own),
                format: format.map(str::to_owned),
            };
            runs.extend((!is_local).then(|| in_format(None)));
            runs.extend(names.into_iter().map(|name| in_format(Some(name))));
        }
        runs
    }

    /// A model of images, video or speech, in its published format.
    fn media(&mut self, model: &KnownModelOut<'_>) -> Option<TriedModel> {
        let request = RunRequest {
            model: Some(ModelSource::Name(model.id.to_owned())),
            ..RunRequest::default()
        };
        // Only llama.cpp is modeled on a host, which writes text.
        self.id?;
        let facts = sizing::facts_of_media(self.catalog, model.id)?;
        let work = sizing::read_known(self.catalog, &request, facts, &mut self.measured).ok()?;
        let fitted = self.fitted(&work)?;
        Some(TriedModel {
            work: Rc::new(work),
            fitted,
            smaller: Vec::new(),
            checkpoints: Vec::new(),
        })
    }

    /// The sizer of a run; `None` if the engine does not run it on the device.
    fn sizer(&mut self, work: &ModelRun) -> Option<Rc<Sizer>> {
        let (catalog, id) = (self.catalog, self.id);
        let key = (
            work.run.engine,
            work.precision.clone(),
            work.run.context.to_bits(),
        );
        let hardware = self.hardware;
        let sizer = self.sizers.entry(key).or_insert_with(|| {
            let is_refused = |id| {
                let how = sizing::execution(catalog, id, work);
                matches!(how, Execution::Refused(_))
            };
            (!id.is_some_and(is_refused)).then(|| Rc::new(hardware.sizer(catalog, work)))
        });
        let sizer = sizer.clone()?;
        // Whether an engine runs a model depends on its kind too.
        let is_unsupported = |id| {
            sizing::without_fp16(catalog, id, work).is_some()
                || sizing::unsupported(catalog, id, work).is_some()
        };
        (!id.is_some_and(is_unsupported)).then_some(sizer)
    }

    /// A run to try, if the model fits in its format.
    fn tried(&mut self, run: &RunToTry) -> Option<(Rc<ModelRun>, Fitted)> {
        let own = &run.own;
        let work = match &run.format {
            None => Rc::clone(own),
            Some(name) => {
                // The weights alone rule out most formats of a large model.
                let weights = sizing::weights_in(self.catalog, name)?;
                if !self.holds(&weights, &own.model.shape) {
                    return None;
                }
                Rc::new(own.with_precision(self.catalog, name)?)
            }
        };
        let fitted = self.fitted(&work)?;
        Some((work, fitted))
    }

    /// True if the weights alone do not exceed the memory of all devices.
    fn holds(&self, weights: &WeightFormat, shape: &Architecture) -> bool {
        let devices = f64::from(self.hardware.count());
        let memory = self.hardware.memory.unwrap_or(f64::INFINITY) * devices;
        weights.bytes(shape).total() <= memory
    }

    /// The run of one sequence, if it fits with memory to spare.
    fn fitted(&mut self, work: &ModelRun) -> Option<Fitted> {
        let devices = self.hardware.count();
        let is_media = work.model.media.is_some();
        if !is_media && !self.holds(&work.run.weights, &work.model.shape) {
            return None;
        }
        let sizer = self.sizer(work)?;
        let one = match work.run.load {
            None => Cow::Borrowed(work),
            Some(_) => Cow::Owned(ModelRun {
                run: Run {
                    load: None,
                    ..work.run
                },
                ..work.clone()
            }),
        };
        let fitted = sizer.best(&one, devices).ok()?;
        // Servers leave a share of the device free in any case.
        let is_roomy = work.run.engine.serves() && !is_media || sizer.is_roomy(&fitted);
        (fitted.fits() == Some(true) && is_roomy).then_some(fitted)
    }

    /// The model under the load of the request; `None` if it does not serve the load.
    fn served(&mut self, tried: &TriedModel) -> Option<ModelRunOut> {
        let mut served = self.under_load(&tried.work, &tried.fitted);
        if served.is_none() {
            served = tried.smaller.iter().find_map(|run| {
                let (work, one) = self.tried(run)?;
                self.under_load(&work, &one)
            });
        }
        // On a host, fewer bits decide between a model that answers at a usual speed and a slow model.
        if self.id.is_none() && served.as_ref().is_some_and(|run| !run.is_usual_speed) {
            let mut faster = tried.smaller.iter().filter_map(|run| {
                let (work, one) = self.tried(run)?;
                self.under_load(&work, &one)
            });
            served = faster.find(|run| run.is_usual_speed).or(served);
        }
        let mut out = served?;
        let checkpoint = tried
            .checkpoints
            .iter()
            .find(|(format, _)| *format == out.precision);
        out.checkpoint = checkpoint.map(|(_, id)| id.clone());
        Some(out)
    }

    /// A run that fits, under its load; `None` if it does not serve the load.
    fn under_load(&mut self, work: &ModelRun, one: &Fitted) -> Option<ModelRunOut> {
        let sizer = self.sizer(work)?;
        let usual = UsualService::of(self.catalog, &work.run);
        let (fitted, users) = match work.run.load.map(|load| load.arrival) {
            Some(Arrival::Users(users)) => {
                (sizer.best(work, self.hardware.count()).ok()?, Some(users))
            }
            _ => (one.clone(), None),
        };
        let served = fitted.served.filter(|_| users.is_some());
        if users.is_some() && !served.is_some_and(|served| served.is_met) {
            return None;
        }
        let speed = &fitted.speed;
        let per_user = match served {
            Some(served) => Some(served.per_user),
            None => speed.decode.or(speed.output).or(speed.prefill),
        };
        let first_token_s = served
            .map(|served| served.first_token_s)
            .or(speed.first_token_s);
        let is_text = work.model.kind == ModelKind::Text;
        let is_usual_speed = !is_text
            || per_user.is_some_and(|speed| speed >= usual.speed)
                // One person may wait for a long prompt; many who wait for each other do not.
                && (users.is_none()
                    || first_token_s.is_none_or(|seconds| seconds <= usual.first_token_s));
        let run = Run {
            load: None,
            ..work.run
        };
        let most = work.model.shape.context.map_or(MOST_TOKENS, f64::from) - run.generate;
        let max_context =
            sizer.largest(work, &fitted.layout, most, |context| Run { context, ..run });
        let gib = |bytes: f64| Num((bytes / GIB * 10.0).round() / 10.0);
        Some(ModelRunOut {
            engine: run.engine,
            precision: work.precision.clone(),
            checkpoint: None,
            high_gib: gib(one.high),
            usable_gib: gib(one.usable.unwrap_or_default()),
            tokens_per_s_per_user: per_user.map(rate),
            tokens_per_s: served.map(|served| rate(served.output)),
            ttft_s: first_token_s.map(rate),
            max_context: max_context.filter(|_| work.model.media.is_none()).map(Num),
            is_usual_speed,
        })
    }
}
