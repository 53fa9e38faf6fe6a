//! `models`: the models of the catalog, and which of them run on some hardware.

mod api_prices;
mod candidates;
mod hardware;
mod names;
mod on;

use std::borrow::Cow;
use std::sync::Arc;

use serde::Serialize;
use sky_accel_core::catalog::{Catalog, MediaModel, Model, ModelScore, Str};
use sky_accel_core::sizing::{
    Architecture, CacheGrowth, ModelKind, Parameters, Run, WeightFormat, Workload,
};
use sky_accel_core::suggest;
use sky_accel_core::text::same_name;

use crate::contract::{Envelope, Num};
use crate::engine::Engine;
use crate::price_policy::PricePolicy;
use crate::sizing::{draft_reason, is_model};

pub use self::api_prices::ApiPricesOut;
pub use self::hardware::{NO_DEVICE, OnHardwareOut, THIS_MACHINE};
use self::names::{ListOfModel, NamesByModel};
pub use self::on::{ModelRunOut, ModelsParts};

/// Bytes of a GB.
const GB: f64 = 1e9;

/// A filter of models.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelsRequest {
    /// A full name, a part of a name, or a kind such as `encoder`. Missing for every model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter: Option<String>,
    /// The spec of the hardware that models have to run on, such as `RTX4090:x2`. An answer has the canonical form.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on: Option<String>,
    /// The number of users who wait for answers at once; one by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub concurrency: Option<Num>,
    /// Tokens of a prompt. Missing for the default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<Num>,
    /// Tokens of an answer. Missing for the default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub generate: Option<Num>,
    /// The maximum US dollars per hour of the hardware. Missing for any price.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget_usd_per_hour: Option<Num>,
    /// The maximum number of models that run on the hardware. Missing without `on`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub limit: Option<u32>,
    /// The price of the hardware that counts.
    #[serde(flatten)]
    pub prices: PricePolicy,
}

impl ModelsRequest {
    /// True if the models have to run on this machine.
    pub fn is_on_this_machine(&self) -> bool {
        self.on.as_deref() == Some(THIS_MACHINE)
    }
}

/// A model of the catalog.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KnownModelOut<'a> {
    /// The catalog's id.
    pub id: &'a str,
    /// The kind of output.
    pub kind: ModelKind,
    /// The number of parameters of all parts that are loaded. Missing for a model that cannot be sized.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parameters: Option<Num>,
    /// The number of parameters that are active for each token: all of a dense model. For a mixture of experts, the
    /// routed experts that a token chooses, all other matrices, and the head, but not the embedding. Missing for models
    /// without tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_parameters: Option<Num>,
    /// The number of parameters of the embedding of a mixture, which some publishers count as active. Missing if it is
    /// also the head, and for other models.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub embedding_parameters: Option<Num>,
    /// The context length in tokens. Missing if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<u32>,
    /// The context length without YaRN, which extends it to `context`. Missing for other models.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub native_context: Option<u32>,
    /// Bytes that each token adds to a 16-bit KV cache once all windows are full; 0 if every layer has a window.
    /// Missing for models without a KV cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_bytes_per_token: Option<Num>,
    /// Bytes that a sequence keeps in addition, whatever its length: full windows and recurrent states. Missing for
    /// models without them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_fixed_bytes: Option<Num>,
    /// The format of the published files. With the name of a checkpoint as the filter, the format of that checkpoint.
    /// Missing for a model that cannot be sized.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stored_as: Option<&'a str>,
    /// The size of all weights in that format, in GB. Missing if the format is unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weights_gb: Option<Num>,
    /// The first version of vLLM that serves it, or `nightly` if no release does. Missing if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_vllm: Option<&'a str>,
    /// The checkpoints whose format or first version of vLLM differs from the model's. Missing without such
    /// checkpoints.
    #[serde(skip_serializing_if = "ListOfModel::is_empty")]
    #[cfg_attr(feature = "schema", schemars(with = "Vec<CheckpointOut<'a>>"))]
    pub checkpoints: ListOfModel<'a, CheckpointOut<'a>>,
    /// The unit of work that activations are sized for, such as one image. Missing for text models.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<&'a str>,
    /// The reason why it cannot be sized. Missing for all other models.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refused: Option<Cow<'a, str>>,
    /// The quality on a public leaderboard. Missing if it is not rated there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quality: Option<QualityOut<'a>>,
    /// The prices behind APIs. Missing without known prices, and if several models match.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub api_prices: Option<Box<ApiPricesOut>>,
    /// The model on the hardware of the request. Missing without `on`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<Box<ModelRunOut>>,
    /// Other names, including hub ids.
    #[cfg_attr(feature = "schema", schemars(with = "Vec<&'a str>"))]
    pub names: ListOfModel<'a, &'a str>,
    /// The source of the facts.
    pub source: &'a str,
}

/// The quality of a model on a public leaderboard.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct QualityOut<'a> {
    /// The score; more is better. Scores of quantized weights are lower.
    pub score: Num,
    /// The leaderboard.
    pub leaderboard: &'a str,
    /// The source of the score.
    pub source: &'a str,
    /// The date of the score.
    pub as_of: &'a str,
}

/// A checkpoint of a model.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CheckpointOut<'a> {
    /// The hub id.
    pub id: &'a str,
    /// The format of its files.
    pub stored_as: &'a str,
    /// The first version of vLLM that serves it, or `nightly` if no release does. Missing if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min_vllm: Option<&'a str>,
}

/// A list of models.
#[derive(Debug)]
pub struct ModelsAnswer<'c> {
    /// The JSON document, ordered by kind and size.
    pub envelope: Envelope<'c, ModelsRequest, KnownModelOut<'c>, ModelsParts<'c>>,
    /// The nearest names, if no model matches the filter.
    pub near: Vec<String>,
    /// The number of models that match the filter, whether they run on the hardware or not.
    pub matching: usize,
}

impl<'c> Engine<'c> {
    /// Returns true for the name of a model of the catalog, or of a model that is sized as one of them.
    pub fn names_model(&self, name: &str) -> bool {
        let catalog = self.catalog();
        catalog.media_model(name).is_some() || is_model(&catalog, name)
    }

    /// Lists the models of the catalog that match the filter.
    pub fn models(&self, request: &ModelsRequest) -> ModelsAnswer<'c> {
        let catalog = self.catalog();
        let (mut results, near) = self.matching(request.filter.as_deref());
        if let [model] = &mut results[..] {
            let name = request.filter.as_deref().unwrap_or(model.id);
            let today = self.today().to_string();
            model.api_prices = ApiPricesOut::of(&catalog, name, &today).map(Box::new);
        }
        let matching = results.len();
        let envelope = Envelope::new("sky-accel.models.v1", &catalog, request.clone(), results);
        ModelsAnswer {
            envelope: envelope.with_more(ModelsParts::default()),
            near,
            matching,
        }
    }

    /// The models that match a filter, by kind and size. If no model matches, the nearest names.
    fn matching(&self, filter: Option<&str>) -> (Vec<KnownModelOut<'c>>, Vec<String>) {
        let catalog = self.catalog();
        let mut results = all_models(&catalog);
        if let Some(filter) = filter {
            keep_matching(&catalog, filter, &mut results);
        }
        // Models are large: their keys are sorted, and then each model moves once.
        results.sort_by_cached_key(|model| (kind_and_size(model), model.id));
        let near = match (filter, results.is_empty()) {
            (Some(filter), true) => {
                let text_models = catalog.models.iter().map(|row| row.id);
                let media_models = catalog.media_models.iter().map(|row| row.id);
                let ids = text_models.chain(media_models);
                suggest::closest(filter, ids.map(|id| catalog.str(id)))
            }
            _ => Vec::new(),
        };
        (results, near)
    }
}

/// Every model of the catalog, in the catalog's order.
fn all_models<'c>(catalog: &Catalog<'c>) -> Vec<KnownModelOut<'c>> {
    let facts = ModelTables {
        catalog,
        names: Arc::new(NamesByModel::new(catalog)),
        run: Run::new(Workload::Inference, WeightFormat::plain(16.0)),
    };
    let mut scores = Scores(catalog.model_scores.iter().peekable());
    let mut models = Vec::with_capacity(catalog.models.len() + catalog.media_models.len());
    for number in 0..catalog.models.len() {
        let quality = scores.of(catalog, number);
        models.push(facts.of_text(&catalog.models.at(number), number, quality));
    }
    for (row, number) in catalog.media_models.iter().zip(catalog.models.len()..) {
        models.push(facts.of_media(&row, number));
    }
    models
}

/// Keeps the models that match a filter. If the filter is the name of a checkpoint, the model has its format.
fn keep_matching<'c>(catalog: &Catalog<'c>, filter: &str, models: &mut Vec<KnownModelOut<'c>>) {
    // A full id means only that model, even if it is a part of other names.
    let is_id = |id: &str| same_name(id, filter) || filter.contains('/');
    let named = catalog.model(filter);
    let of_text = named.as_ref().map(|row| catalog.str(row.id));
    let of_media = || Some(catalog.str(catalog.media_model(filter)?.id));
    let Some(exact) = of_text.or_else(of_media).filter(|id| is_id(id)) else {
        let part = filter.to_lowercase();
        let has = |name: &str| name.to_lowercase().contains(&part);
        models.retain(|model| {
            model.kind.word() == part || has(model.id) || model.names.iter().any(|name| has(name))
        });
        return;
    };
    models.retain(|model| model.id == exact);
    if let Some(checkpoint) = named {
        for model in models {
            give_checkpoint(catalog, &checkpoint, model);
        }
    }
}

/// The size of a model, as a number with the same order: the bits of a float that is not negative.
fn bits_of_size(model: &KnownModelOut<'_>) -> u64 {
    model.parameters.map_or(0.0, |n| n.0).to_bits()
}

/// The kind and the size of a model, as a number with the same order, which is compared in one step.
fn kind_and_size(model: &KnownModelOut<'_>) -> u128 {
    u128::from(model.kind as u8) << 64 | u128::from(bits_of_size(model))
}

/// The scores, sorted by model.
struct Scores<I: Iterator<Item = ModelScore>>(std::iter::Peekable<I>);

impl<I: Iterator<Item = ModelScore>> Scores<I> {
    /// The score of the next model.
    fn of<'c>(&mut self, catalog: &Catalog<'c>, model: usize) -> Option<QualityOut<'c>> {
        let row = self.0.next_if(|row| usize::from(row.model) == model)?;
        Some(QualityOut {
            score: Num(row.score),
            leaderboard: catalog.str(row.leaderboard),
            source: catalog.str(row.source),
            as_of: catalog.str(row.as_of),
        })
    }
}

/// Gives a model the format and the version of one of its checkpoints.
fn give_checkpoint<'c>(catalog: &Catalog<'c>, row: &Model, model: &mut KnownModelOut<'c>) {
    let shape = &row.shape;
    model.stored_as = Some(stored_as(catalog, row.stored_as));
    model.weights_gb = weights_gb(catalog, row.stored_as, (shape, &shape.parameters()));
    model.min_vllm = catalog.text(row.min_vllm);
}

/// The word for a format of files.
fn stored_as<'c>(catalog: &Catalog<'c>, format: Str) -> &'c str {
    catalog.text(format).unwrap_or("bf16")
}

/// The tables that the facts of models are read from.
struct ModelTables<'s, 'c> {
    catalog: &'s Catalog<'c>,
    names: Arc<NamesByModel<'c>>,
    /// A run whose cache has 16 bits, as the figures of caches are given.
    run: Run,
}

impl<'c> ModelTables<'_, 'c> {
    fn of_text(
        &self,
        row: &Model,
        number: usize,
        quality: Option<QualityOut<'c>>,
    ) -> KnownModelOut<'c> {
        let catalog = self.catalog;
        let shape = &row.shape;
        let counted = shape.parameters();
        let cache = CacheGrowth::of(shape, &self.run);
        let embedding = shape.inactive_embedding();
        KnownModelOut {
            id: catalog.str(row.id),
            kind: row.kind,
            parameters: Some(Num(counted.total() + shape.image_parameters as f64)),
            active_parameters: Some(Num(shape.active_of(&counted) - embedding)),
            embedding_parameters: (embedding > 0.0).then_some(Num(embedding)),
            context: shape.context,
            native_context: shape.yarn.map(|yarn| yarn.native_context),
            cache_bytes_per_token: shape.has_cache().then_some(Num(cache.bytes_per_token)),
            cache_fixed_bytes: (cache.fixed_bytes > 0.0).then_some(Num(cache.fixed_bytes)),
            refused: None,
            weights_gb: weights_gb(catalog, row.stored_as, (shape, &counted)),
            stored_as: Some(stored_as(catalog, row.stored_as)),
            min_vllm: catalog.text(row.min_vllm),
            checkpoints: NamesByModel::checkpoints(&self.names, number),
            unit: None,
            quality,
            api_prices: None,
            run: None,
            names: NamesByModel::names(&self.names, number),
            source: catalog.str(row.source),
        }
    }

    fn of_media(&self, row: &MediaModel, number: usize) -> KnownModelOut<'c> {
        let catalog = self.catalog;
        let draft_of = catalog.text(row.draft_of);
        let refused = catalog.text(row.refused).map(Cow::Borrowed);
        let refused = refused.or_else(|| draft_of.map(|model| draft_reason(model).into()));
        let is_sized = refused.is_none();
        KnownModelOut {
            id: catalog.str(row.id),
            kind: row.kind,
            parameters: is_sized.then_some(Num(row.parameters)),
            active_parameters: None,
            embedding_parameters: None,
            context: None,
            native_context: None,
            cache_bytes_per_token: None,
            cache_fixed_bytes: None,
            stored_as: is_sized.then_some("bf16"),
            min_vllm: catalog.text(row.min_vllm),
            checkpoints: NamesByModel::checkpoints(&self.names, number),
            weights_gb: (row.parameters > 0.0).then(|| Num(2.0 * row.parameters / GB)),
            refused,
            unit: catalog
                .text(row.unit)
                .filter(|_| row.kind != ModelKind::Text),
            quality: None,
            api_prices: None,
            run: None,
            names: NamesByModel::names(&self.names, number),
            source: catalog.str(row.source),
        }
    }
}

/// The size of all weights in a format, by default in 16 bits, with the tower for images.
fn weights_gb(
    catalog: &Catalog<'_>,
    format: Str,
    (shape, counted): (&Architecture, &Parameters),
) -> Option<Num> {
    let format = match catalog.text(format) {
        None => WeightFormat::plain(16.0),
        Some(name) => catalog.weight_format(name)?.format,
    };
    let tower = shape.image_parameters as f64 * format.small_bits / 8.0;
    Some(Num((format.bytes_of(counted).total() + tower) / GB))
}

#[cfg(test)]
mod tests;
