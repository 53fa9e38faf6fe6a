//! Models that write no text: what is asked of them, and the memory of those of images, video and speech.
//!
//! Of the latter only the parameters of their parts are known, and what a run takes beside them. They have no
//! speed in tokens.

use sky_accel_core::catalog::Catalog;
use sky_accel_core::note::Note;
use sky_accel_core::sizing::{
    Architecture, Engine, GIB, Layout, Logits, Memory, ModelKind, Run, Speed, Workload,
};

use sky_accel_core::text;

use super::model::ModelFacts;
use super::request::{MAX_BATCH, ModelRun, RunRequest, number, wrong};
use super::sizer::Fitted;
use crate::error::Result;

/// How far the memory of such a model may be from what is computed, as a fraction: libraries differ in what
/// they keep at once.
const BAND: f64 = 0.1;

/// The most tokens that a server of embeddings reads at once: the default of text-embeddings-inference.
const TOKENS_AT_ONCE: f64 = 16_384.0;

/// A model of images, video or speech.
#[derive(Clone, Debug, PartialEq)]
pub struct Media {
    /// Parameters of all parts that are loaded.
    pub parameters: f64,
    /// Bytes of activations.
    pub activations: f64,
    /// The run that they are for: `an image of 1024 × 1024`.
    pub unit: String,
}

/// A model of the catalog, by its name.
pub(super) fn of_catalog(catalog: &Catalog<'_>, name: &str) -> Option<ModelFacts> {
    let row = catalog.media_model(name)?;
    let published = catalog.strings(row.names).find(|name| name.contains('/'));
    let media = Media {
        parameters: row.parameters,
        activations: row.activations,
        unit: catalog.str(row.unit).to_owned(),
    };
    Some(ModelFacts {
        checkpoint: published.map(str::to_owned),
        source: catalog.str(row.source).to_owned(),
        ..of_parts(catalog.str(row.id).to_owned(), row.kind, media)
    })
}

/// The facts of a model of which the parts are known.
pub(super) fn of_parts(name: String, kind: ModelKind, media: Media) -> ModelFacts {
    ModelFacts {
        name,
        kind,
        // It has no layers that anything is computed of.
        shape: Architecture {
            hidden: 1,
            layers: 1,
            heads: 1,
            kv_heads: 1,
            head_dim: 1,
            vocab: 1,
            extra_parameters: media.parameters as i64,
            ..Architecture::default()
        },
        media: Some(media),
        source: String::new(),
        checkpoint: None,
        checkpoint_bytes: None,
        stored_as: None,
        format: None,
        kv_cache: None,
        unknown_quantization: None,
        size_band: BAND,
    }
}

/// Refuses what cannot be asked of a model that writes no text.
pub(super) fn check(request: &RunRequest, model: &ModelFacts) -> Result<()> {
    if model.kind == ModelKind::Text {
        return Ok(());
    }
    let name = &model.name;
    let load = &request.load;
    number("concurrency", load.concurrency, 1.0..=MAX_BATCH)?;
    if request.workload.is_some_and(Workload::is_training) {
        return match model.media {
            None => Ok(()),
            Some(_) => Err(wrong(format!("the training of {name} is not computed"))),
        };
    }
    let is_written = [
        ("generate", request.generate.filter(|tokens| *tokens > 0.0)),
        ("request_rate", load.request_rate),
        ("requests", load.requests),
        ("max_ttft", load.max_ttft_s),
        ("min_speed", load.min_speed),
        ("max_tpot", load.max_tpot_ms),
    ];
    if let Some((field, _)) = is_written.iter().find(|(_, value)| value.is_some()) {
        return Err(wrong(format!(
            "{name} writes no text: {field} is about tokens that are written"
        )));
    }
    if model.media.is_none() {
        return Ok(());
    }
    let is_read = [
        ("context", request.context.is_some()),
        ("concurrency", load.concurrency.is_some()),
        ("batch", request.batch.is_some()),
        ("gpu_layers", request.gpu_layers.is_some()),
        ("tensor_parallel", request.tensor_parallel.is_some()),
        ("pipeline_parallel", request.pipeline_parallel.is_some()),
        ("prefix_cache", load.prefix_cache.is_some()),
        ("speculative", load.speculative.is_some()),
    ];
    if let Some((field, _)) = is_read.iter().find(|(_, is_given)| *is_given) {
        return Err(wrong(format!(
            "{name} reads no tokens: {field} is about a model of text"
        )));
    }
    if let Some(engine) = request.engine.filter(|engine| *engine != Engine::None) {
        return Err(wrong(format!(
            "{name} is not computed with {engine}: leave out the engine"
        )));
    }
    Ok(())
}

/// The run of a model that writes no text.
pub(super) fn adapt(run: &mut Run, request: &RunRequest, model: &ModelFacts) -> Option<Note> {
    if model.kind == ModelKind::Text || run.workload.is_training() {
        return None;
    }
    run.generate = 0.0;
    run.logits = Logits::None;
    if model.media.is_some() {
        run.engine = Engine::None;
        run.context = 0.0;
        None
    } else {
        run.engine = request.engine.unwrap_or(Engine::Transformers);
        // Requests that are in flight are read together, as many as a server of embeddings takes at once.
        let load_users = request.load.concurrency;
        let users = load_users.map(|users| {
            let at_once = (TOKENS_AT_ONCE / run.context).floor();
            users.min(at_once).max(1.0)
        });
        run.batch = request.batch.or(users).unwrap_or(1.0);
        let users = load_users?;
        let message = format!(
            "texts of {} users are read {} at a time, since a server of embeddings reads {TOKENS_AT_ONCE} tokens at once",
            text::number(users),
            text::number(run.batch)
        );
        Some(Note::new("users-in-batches", message))
    }
}

/// The speed of a model that writes no text: it reads.
pub(super) fn reading(speed: Speed) -> Speed {
    Speed {
        prefill: speed.prefill,
        mfu: speed.mfu,
        ..Speed::default()
    }
}

/// The memory of a model on devices that each hold all of it; `usable` is in bytes of one.
pub(super) fn fitted(work: &ModelRun, media: &Media, devices: u32, usable: Option<f64>) -> Fitted {
    let known = &work.measured.coefficients;
    let weights = media.parameters * work.run.weights.bits / 8.0;
    let allocated = weights + media.activations;
    let framework = (known.context_gib + known.workspace_gib) * GIB;
    let device = allocated + framework;
    Fitted {
        layout: Layout {
            data: devices,
            ..Layout::default()
        },
        low: allocated * (1.0 - work.model.size_band),
        high: device * (1.0 + work.model.size_band),
        usable,
        memory: Memory {
            weights,
            activations: media.activations,
            framework,
            steady: weights,
            allocated,
            reserved: allocated,
            device,
            ..Memory::default()
        },
        speed: Speed::default(),
        served: None,
        step: None,
    }
}
