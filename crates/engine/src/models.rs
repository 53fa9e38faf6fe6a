//! The models that are known by name.

use serde::Serialize;
use sky_accel_core::catalog::{Catalog, MediaModel, Model};
use sky_accel_core::sizing::{ModelKind, Run, WeightFormat, Workload, cache_bytes_per_token};
use sky_accel_core::suggest;
use sky_accel_core::text::same_name;

use crate::contract::{Envelope, Num};
use crate::engine::Engine;

/// Which models to list.
#[derive(Clone, Debug, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ModelsRequest {
    /// A whole name, a part of one, or a kind such as `encoder`. Missing: every model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter: Option<String>,
}

/// A model that is known by name.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct KnownModelOut<'a> {
    /// The catalog's id.
    pub id: &'a str,
    /// What it makes.
    pub kind: ModelKind,
    /// The number of parameters, of all parts that are loaded.
    pub parameters: Num,
    /// The number of parameters that take part in each token; for a mixture of experts less than `parameters`.
    /// Missing for models without tokens.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub active_parameters: Option<Num>,
    /// The tokens of a sequence that it was made for. Missing where they are not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<u32>,
    /// The tokens of a sequence that its files allow, where YaRN takes it to `context`. Missing otherwise.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub native_context: Option<u32>,
    /// Bytes that a token leaves in a cache of 16 bits. Missing where it leaves none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cache_bytes_per_token: Option<Num>,
    /// The format of the published files.
    pub stored_as: &'a str,
    /// What its activations are computed for, in words. Missing for models that read or write text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unit: Option<&'a str>,
    /// Names that it goes by, ids of hubs among them.
    pub names: Vec<&'a str>,
    /// The source of the facts.
    pub source: &'a str,
}

/// The models that are listed.
#[derive(Debug)]
pub struct ModelsAnswer<'c> {
    /// The JSON document, by kind and size.
    pub envelope: Envelope<'c, ModelsRequest, KnownModelOut<'c>>,
    /// Where there is no result: names that are near.
    pub near: Vec<String>,
}

impl<'c> Engine<'c> {
    /// The models of the catalog: all, one, or those whose names have a text in them.
    pub fn models(&self, request: &ModelsRequest) -> ModelsAnswer<'c> {
        let catalog = self.catalog();
        let every = || {
            let written = catalog.models.iter().enumerate();
            let written = written.map(|(at, row)| of_text(&catalog, at, &row));
            written.chain(
                catalog
                    .media_models
                    .iter()
                    .map(|row| of_media(&catalog, &row)),
            )
        };
        let mut results: Vec<KnownModelOut<'c>> = match request.filter.as_deref() {
            None => every().collect(),
            Some(filter) => {
                // An id, or one of a hub, is that model alone.
                let is_whole = |id: &str| same_name(id, filter) || filter.contains('/');
                let of_text = catalog.model(filter).map(|row| catalog.str(row.id));
                let of_media = catalog.media_model(filter).map(|row| catalog.str(row.id));
                let whole = of_text.or(of_media).filter(|id| is_whole(id));
                let part = filter.to_lowercase();
                let has = |name: &str| name.to_lowercase().contains(&part);
                let is_meant = |model: &KnownModelOut<'_>| match whole {
                    Some(id) => model.id == id,
                    None => {
                        model.kind.to_string() == part
                            || has(model.id)
                            || model.names.iter().any(|name| has(name))
                    }
                };
                every().filter(is_meant).collect()
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
                let ids: Vec<&str> = every().map(|model| model.id).collect();
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
