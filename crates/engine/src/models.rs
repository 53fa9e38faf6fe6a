//! `models`: the models of the catalog.

use serde::Serialize;
use sky_accel_core::catalog::{Catalog, MediaModel, Model};
use sky_accel_core::sizing::{ModelKind, Run, WeightFormat, Workload, cache_bytes_per_token};
use sky_accel_core::suggest;
use sky_accel_core::text::same_name;

use crate::contract::{Envelope, Num};
use crate::engine::Engine;
use crate::sizing::is_model;

/// A filter of models.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelsRequest {
    /// A full name, a part of a name, or a kind such as `encoder`. Missing for every model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter: Option<String>,
}

/// A model of the catalog.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KnownModelOut<'a> {
    /// The catalog's id.
    pub id: &'a str,
    /// The kind of output.
    pub kind: ModelKind,
    /// The number of parameters of all parts that are loaded.
    pub parameters: Num,
    /// The number of parameters that are active for each token, which is less than `parameters` for a mixture of experts.
    /// Missing for models without tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_parameters: Option<Num>,
    /// The context length in tokens. Missing if unknown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<u32>,
    /// The context length without YaRN, which extends it to `context`. Missing for other models.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub native_context: Option<u32>,
    /// Bytes per token of a 16-bit KV cache. Missing for models without a KV cache.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_bytes_per_token: Option<Num>,
    /// The format of the published files.
    pub stored_as: &'a str,
    /// The unit of work that activations are sized for, such as one image. Missing for text models.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<&'a str>,
    /// Other names, including hub ids.
    pub names: Vec<&'a str>,
    /// The source of the facts.
    pub source: &'a str,
}

/// A list of models.
#[derive(Debug)]
pub struct ModelsAnswer<'c> {
    /// The JSON document, ordered by kind and size.
    pub envelope: Envelope<'c, ModelsRequest, KnownModelOut<'c>>,
    /// The nearest names, for an empty list.
    pub near: Vec<String>,
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
        let all_models = || {
            let text_models = catalog.models.iter().enumerate();
            let text_models = text_models.map(|(at, row)| of_text(&catalog, at, &row));
            text_models.chain(
                catalog
                    .media_models
                    .iter()
                    .map(|row| of_media(&catalog, &row)),
            )
        };
        let mut results: Vec<KnownModelOut<'c>> = match request.filter.as_deref() {
            None => all_models().collect(),
            Some(filter) => {
                // A full id means only that model, even if it is a part of other names.
                let is_id = |id: &str| same_name(id, filter) || filter.contains('/');
                let of_text = catalog.model(filter).map(|row| catalog.str(row.id));
                let of_media = catalog.media_model(filter).map(|row| catalog.str(row.id));
                let exact = of_text.or(of_media).filter(|id| is_id(id));
                let part = filter.to_lowercase();
                let has = |name: &str| name.to_lowercase().contains(&part);
                let is_match = |model: &KnownModelOut<'_>| match exact {
                    Some(id) => model.id == id,
                    None => {
                        model.kind.to_string() == part
                            || has(model.id)
                            || model.names.iter().any(|name| has(name))
                    }
                };
                all_models().filter(is_match).collect()
            }
        };
        results.sort_by(|a, b| {
            let by_size = a.parameters.0.total_cmp(&b.parameters.0);
            a.kind
                .cmp(&b.kind)
                .then(by_size)
                .then_with(|| a.id.cmp(b.id))
        });
        let near = match (&request.filter, results.is_empty()) {
            (Some(filter), true) => {
                let ids: Vec<&str> = all_models().map(|model| model.id).collect();
                suggest::closest(filter, ids.iter().copied())
            }
            _ => Vec::new(),
        };
        let envelope = Envelope::new("sky-accel.models.v1", &catalog, request.clone(), results);
        ModelsAnswer { envelope, near }
    }
}

fn of_text<'c>(catalog: &Catalog<'c>, at: usize, row: &Model) -> KnownModelOut<'c> {
    let shape = &row.shape;
    let run = Run::new(Workload::Inference, WeightFormat::plain(16.0));
    let cached = cache_bytes_per_token(shape, &run);
    let names = catalog.model_names.iter();
    let names = names.filter(|name| usize::from(name.model) == at);
    let id = catalog.str(row.id);
    KnownModelOut {
        id,
        kind: row.kind,
        parameters: Num(shape.parameters().total()),
        active_parameters: Some(Num(shape.active_parameters())),
        context: shape.context,
        native_context: shape.yarn.map(|yarn| yarn.native_context),
        cache_bytes_per_token: (cached > 0.0).then_some(Num(cached)),
        stored_as: catalog.text(row.stored_as).unwrap_or("bf16"),
        unit: None,
        names: names
            .map(|name| catalog.str(name.text))
            .filter(|name| *name != id)
            .collect(),
        source: catalog.str(row.source),
    }
}

fn of_media<'c>(catalog: &Catalog<'c>, row: &MediaModel) -> KnownModelOut<'c> {
    KnownModelOut {
        id: catalog.str(row.id),
        kind: row.kind,
        parameters: Num(row.parameters),
        active_parameters: None,
        context: None,
        native_context: None,
        cache_bytes_per_token: None,
        stored_as: "bf16",
        unit: catalog.text(row.unit),
        names: catalog.strings(row.names).collect(),
        source: catalog.str(row.source),
    }
}
