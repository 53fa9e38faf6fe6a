//! Models without text output: embeddings, images, video and speech.
//!
//! For images, video and speech, the catalog has the parameters of the parts and the activations of one run. The speed
//! is computed for diffusion transformers and for models that write down speech, whose shape it has too.

use sky_accel_core::catalog::Catalog;
use sky_accel_core::note::Note;
use sky_accel_core::sizing::{
    Architecture, Logits, ModelKind, Run, ServingEngine, Speed, TOKENS_OF_A_PASS,
};
use sky_accel_core::text;

use super::bounds::{MAX_BATCH, number, wrong};
use super::model_facts::{Media, ModelFacts};
use super::options::RunRequest;
use super::scope;
use crate::code::ErrorCode;
use crate::error::{Error, Result};

/// The uncertainty of the memory of such a model, as a fraction: libraries keep different parts loaded at once.
const BAND: f64 = 0.1;

/// The condition of the speed of models that write down speech.
const FILLED_BATCHES: &str = "the speed is for a server that fills its batches, such as TensorRT-LLM, vLLM or NeMo; pipelines of Transformers take 3 to 10 times as long";

/// Finds a model of the catalog by its name.
///
/// # Errors
///
/// [`ErrorCode::ModelUnsized`] if the catalog has the model but not its size.
pub(super) fn of_catalog(catalog: &Catalog<'_>, name: &str) -> Result<Option<ModelFacts>> {
    let Some(row) = catalog.media_model(name) else {
        return Ok(None);
    };
    let published = catalog.strings(row.names).find(|name| name.contains('/'));
    if let Some(reason) = catalog.text(row.refused) {
        let message = format!("{} cannot be sized: {reason}", catalog.str(row.id));
        let by_hub = published.filter(|_| row.kind == ModelKind::Text);
        let advice = by_hub.map(|id| {
            format!("`sky-accel models add {id} --live` reads its config.json from the hub")
        });
        let by_memory = "`sky-accel resolve any:96GB` finds machines by the memory of a GPU";
        return Err(Error::new(ErrorCode::ModelUnsized, message)
            .advise(advice.unwrap_or_else(|| by_memory.to_owned())));
    }
    if let Some(model) = catalog.text(row.draft_of) {
        return Err(is_draft(name, model));
    }
    let media = Media {
        parameters: row.parameters,
        activations: row.activations,
        unit: catalog.str(row.unit).to_owned(),
        diffusion: row.diffusion,
        transcriber: row.transcriber,
    };
    Ok(Some(ModelFacts {
        checkpoint: published.map(str::to_owned),
        min_vllm: catalog.text(row.min_vllm).map(str::to_owned),
        source: catalog.str(row.source).to_owned(),
        ..of_parts(catalog.str(row.id).to_owned(), row.kind, media)
    }))
}

/// The facts of a model of images, video or speech of the catalog; `None` if it is unknown or not sized.
pub(crate) fn facts_of_media(catalog: &Catalog<'_>, name: &str) -> Option<ModelFacts> {
    of_catalog(catalog, name).ok().flatten()
}

/// Why a draft model of a model is not sized.
pub(crate) fn draft_reason(model: &str) -> String {
    format!("it drafts tokens for {model} in speculative decoding, and is not served alone")
}

/// The error for a draft model of a model.
pub(super) fn is_draft(name: &str, model: &str) -> Error {
    let message = format!(
        "{} cannot be sized: {}",
        text::printable(name),
        draft_reason(model)
    );
    let advice = format!("size {model}: the memory of the draft model comes in addition");
    Error::new(ErrorCode::ModelUnsized, message).advise(advice)
}

/// The facts of a model whose parts are known.
pub(super) fn of_parts(name: String, kind: ModelKind, media: Media) -> ModelFacts {
    // A placeholder: nothing is computed from it.
    let shape = Architecture {
        hidden: 1,
        layers: 1,
        heads: 1,
        kv_heads: 1,
        head_dim: 1,
        vocab: 1,
        extra_parameters: media.parameters as i64,
        ..Architecture::default()
    };
    ModelFacts {
        kind,
        media: Some(media),
        size_band: BAND,
        ..ModelFacts::of_shape(name, &shape, String::new())
    }
}

/// Rejects options that do not apply to a model without text output.
pub(super) fn check(request: &RunRequest, model: &ModelFacts) -> Result<()> {
    if model.kind == ModelKind::Text {
        return Ok(());
    }
    let name = &model.name;
    number("concurrency", request.concurrency, 1.0..=MAX_BATCH)?;
    if request.trains() {
        return match model.media {
            None => Ok(()),
            Some(_) => Err(wrong(format!("training of {name} is not supported"))),
        };
    }
    scope::check_model(request, model)?;
    if model.media.is_none() {
        return Ok(());
    }
    let has_pictures = model
        .media
        .as_ref()
        .is_some_and(|media| media.diffusion.is_some());
    let for_pictures = [
        ("batch", request.batch.is_some()),
        ("context_parallel", request.context_parallel.is_some()),
    ];
    let mut given = for_pictures.into_iter().filter(|(_, is_given)| *is_given);
    if let Some((field, _)) = given.next().filter(|_| !has_pictures) {
        return Err(wrong(format!(
            "`{field}` does not apply to {name}, which processes no tokens"
        )));
    }
    if let Some(engine) = request
        .engine
        .filter(|engine| *engine != ServingEngine::None)
    {
        return Err(wrong(format!(
            "{name} cannot be sized for {engine}: leave out `engine`"
        )));
    }
    Ok(())
}

/// Adapts the run to a model without text output.
pub(super) fn adapt(run: &mut Run, request: &RunRequest, model: &ModelFacts) -> Option<Note> {
    if model.kind == ModelKind::Text || run.workload.is_training() {
        return None;
    }
    run.generate = 0.0;
    run.logits = Logits::None;
    if let Some(media) = &model.media {
        run.engine = ServingEngine::None;
        run.context = 0.0;
        media
            .transcriber
            .map(|_| Note::new("filled-batches", FILLED_BATCHES.to_owned()))
    } else {
        // Its scheduler fills batches with texts of any length, which Transformers pads.
        run.engine = request.engine.unwrap_or(ServingEngine::Vllm);
        // An embedding server batches the requests in flight.
        let users = request.concurrency;
        let batch = users.map(|users| {
            let at_once = (TOKENS_OF_A_PASS / run.context).floor();
            users.min(at_once).max(1.0)
        });
        run.batch = request.batch.or(batch).unwrap_or(1.0);
        let users = users?;
        let message = format!(
            "the texts of {} are processed in batches of up to {}: an embedding server processes {TOKENS_OF_A_PASS} tokens at once",
            text::counted(text::number(users), "user"),
            text::number(run.batch)
        );
        Some(Note::new("users-in-batches", message))
    }
}

/// The speed of a model without text output: prefill only.
pub(super) fn reading(speed: Speed) -> Speed {
    Speed {
        prefill: speed.prefill,
        mfu: speed.mfu,
        ..Speed::default()
    }
}

#[cfg(test)]
mod tests {
    use crate::Engine;
    use crate::error::Result;
    use crate::sizing::{ModelSource, RunRequest, read};

    fn sized(name: &str) -> Result<String> {
        let run = RunRequest {
            model: Some(ModelSource::Name(name.to_owned())),
            ..RunRequest::default()
        };
        let work = read(&Engine::embedded().catalog(), &run, None)?;
        Ok(work.model.name)
    }

    #[test]
    fn a_draft_model_is_not_sized_as_the_model_for_which_it_drafts() {
        for name in [
            "RedHatAI/Llama-3.1-8B-Instruct-speculator.eagle3",
            "yuhuili/EAGLE3-Llama-3.1-8B",
        ] {
            let error = sized(name).unwrap_err().to_string();
            let expected = format!(
                "{name} cannot be sized: it drafts tokens for Llama-3.1-8B in speculative decoding, and is not served alone"
            );
            assert!(error.contains(&expected), "{error}");
        }
        assert_eq!(
            sized("NousResearch/Hermes-3-Llama-3.1-8B").unwrap(),
            "Llama-3.1-8B"
        );
    }
}
