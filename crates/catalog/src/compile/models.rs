//! `[[model]]`, `[[weight_format]]`, `[[coefficient]]` and other tables for sizing.

use sky_accel_core::catalog::{
    Arrangement, Coefficient, Family, Link, Model, NamedFormat, Recurrence, Str,
};
use sky_accel_core::sizing::{
    Architecture, Biases, Calibration, Compressed, Experts, Mla, ModelKind, QkNorm, ServingEngine,
    Sparse, Vision, WeightFormat, Window, Yarn,
};
use sky_accel_core::spec::{KeyKind, find_key};
use sky_accel_core::word::Word as _;

use super::Compiler;
use super::model_names::{EntryNames, NamesByKey};
use crate::bounds;
use crate::schema;
use crate::schema::{Spanned, SpannedText};
use crate::source::CatalogDocument;

/// The prefix of the coefficients of likely prices.
const PRICE_PREFIX: &str = "price-";

const RECURRENCES: [(&str, Recurrence); 6] = [
    ("mamba", Recurrence::Mamba),
    ("mamba2", Recurrence::Mamba2),
    ("short-convolution", Recurrence::ShortConvolution),
    ("gated-delta", Recurrence::GatedDelta),
    ("kimi-delta", Recurrence::KimiDelta),
    ("lightning", Recurrence::Lightning),
];
const ARRANGEMENTS: [(&str, Arrangement); 4] = [
    ("either", Arrangement::EitherWithMlp),
    ("both", Arrangement::BothWithMlp),
    ("one-part", Arrangement::OnePart),
    ("alone", Arrangement::RecurrenceOnly),
];
const QK_NORMS: [(&str, QkNorm); 3] = [
    ("head", QkNorm::Head),
    ("full", QkNorm::Full),
    ("joint", QkNorm::Joint),
];
const MODEL_KINDS: [(&str, ModelKind); 2] =
    [("text", ModelKind::Text), ("encoder", ModelKind::Encoder)];
/// The maximum relative difference between the computed and the published number of parameters.
const MISCOUNT: f64 = 1e-4;

/// Returns whether a text is a compute capability.
pub(super) fn is_capability(text: &str) -> bool {
    let mut parts = text.split('.');
    let is_number = |part: &str| part.parse::<u16>().is_ok();
    parts.next().is_some_and(is_number)
        && parts.next().is_some_and(is_number)
        && parts.next().is_none()
}

impl Compiler<'_> {
    pub(super) fn models(&mut self) {
        let items = self.layered(
            |document| &document.content.model,
            |_, item| (item.id.get_ref().to_ascii_lowercase(), &item.id),
            |under, over| {
                // A corrected shape keeps its names and checkpoints, unless the overlay gives new ones.
                let before = std::mem::replace(under, over.clone());
                if under.names.is_empty() {
                    under.names = before.names;
                }
                if under.checkpoints.is_empty() {
                    under.checkpoints = before.checkpoints;
                }
            },
        );
        let mut names = NamesByKey::new();
        for (document, item) in &items {
            let shape = self.shape(document, item);
            let kind = item.kind.as_ref();
            let kind = kind.and_then(|word| self.one_of(document, word, &MODEL_KINDS));
            let row = Model {
                id: self.text(document, Some(&item.id)),
                kind: kind.unwrap_or_default(),
                shape,
                checkpoint_parameters: self.figure(
                    document,
                    item.checkpoint_parameters.as_ref(),
                    &bounds::PARAMETERS,
                ),
                stored_as: self.text(document, item.stored_as.as_ref()),
                min_vllm: self.first_version(document, item.min_vllm.as_ref()),
                fp8_block: self.fp8_block(document, &item.id, item.fp8_block),
                no_fp16: item.no_fp16,
                source: self.text(document, Some(&item.source)),
            };
            let model = self.tables.models.len() as u16;
            self.tables.models.push(row);
            self.name_model(document, &EntryNames::from(&**item), model, &mut names);
        }
        self.model_releases(&items, &mut names);
        self.model_names(names);
        self.media_models();
        self.families();
        self.weight_formats();
        self.check_stored_formats();
        self.quality_losses();
        self.model_scores();
        self.coefficients();
        self.links();
        self.engine_formats();
        self.engine_lacks();
        self.recipes();
        self.engine_images();
    }

    /// Returns the parts with biases.
    fn biases(&mut self, document: &CatalogDocument, parts: &[Spanned<String>]) -> Biases {
        let mut biases = Biases::default();
        for part in parts {
            match part.get_ref().as_str() {
                "qkv" => biases.qkv = true,
                "out" => biases.out = true,
                "mlp" => biases.mlp = true,
                "norm" => biases.norm = true,
                "head" => biases.head = true,
                _ => self.fail(
                    document,
                    part,
                    "unknown value: it is one of qkv, out, mlp, norm, head",
                ),
            }
        }
        biases
    }

    fn families(&mut self) {
        let documents = self.documents;
        for document in documents {
            for item in &document.content.family {
                for name in &item.model_types {
                    if self.tables.catalog().family_of(name.get_ref()).is_some() {
                        self.fail(document, name, "another family has this model type");
                    }
                }
                let qk_norm = item.qk_norm.as_ref();
                let qk_norm = qk_norm.and_then(|word| self.one_of(document, word, &QK_NORMS));
                let recurrence = item.recurrence.as_ref();
                let recurrence =
                    recurrence.and_then(|word| self.one_of(document, word, &RECURRENCES));
                let arrangement = item.arrangement.as_ref();
                let arrangement =
                    arrangement.and_then(|word| self.one_of(document, word, &ARRANGEMENTS));
                let defaults: Vec<(Str, u32)> = item
                    .defaults
                    .iter()
                    .map(|(field, value)| (self.tables.intern(field), *value))
                    .collect();
                let row = Family {
                    defaults: self.tables.family_defaults.append(defaults),
                    model_types: self.texts(document, &item.model_types),
                    gated: item.gated.unwrap_or(true),
                    tied: item.tied,
                    norms_per_layer: item.norms_per_layer.unwrap_or(2),
                    parallel: item.parallel,
                    both_halves: item.both_halves,
                    biases: self.biases(document, &item.biases),
                    attention_bias: self.biases(document, &item.attention_bias),
                    one_bias: item.one_bias,
                    qk_norm,
                    qk_norm_by_default: item.qk_norm_by_default.unwrap_or(qk_norm.is_some()),
                    positions: item.positions,
                    window_pattern: item.window_pattern,
                    encoder: item.encoder,
                    embedding_norm: item.embedding_norm,
                    expert_biases: item.expert_biases,
                    router_bias: item.router_bias,
                    shared_gate: item.shared_gate,
                    sinks: item.sinks,
                    recurrence,
                    arrangement: arrangement.unwrap_or(Arrangement::EitherWithMlp),
                    recurrence_norm: item.recurrence_norm,
                    head_gates: item.head_gates,
                    layer_scales: item.layer_scales,
                };
                self.tables.families.push(row);
            }
        }
    }

    fn shape(&mut self, document: &CatalogDocument, item: &schema::ModelEntry) -> Architecture {
        let biases = self.biases(document, &item.biases);
        let qk_norm = item.qk_norm.as_ref();
        let qk_norm = qk_norm.and_then(|word| self.one_of(document, word, &QK_NORMS));
        let shape = Architecture {
            hidden: item.hidden,
            layers: item.layers,
            heads: item.heads,
            kv_heads: item.kv_heads.unwrap_or(item.heads),
            head_dim: item.head_dim,
            ffn: item.ffn,
            vocab: item.vocab,
            tied: item.tied,
            gated: item.gated.unwrap_or(true),
            biases,
            qk_norm,
            norms_per_layer: item.norms_per_layer.unwrap_or(2),
            positions: item.positions,
            window: item.window.map(|window| Window {
                tokens: window.tokens,
                global_layers: match (window.global_layers, window.local_per_global) {
                    (Some(layers), _) => layers,
                    (None, 0) => 0,
                    (None, local) => item.layers / local.saturating_add(1),
                },
                global_cache_width: window.global_cache_width,
                global_kv_heads: window.global_kv_heads,
                kv_heads: window.kv_heads,
            }),
            experts: item.experts.map(|experts| Experts {
                count: experts.count,
                active: experts.active,
                width: experts.width,
                shared_width: experts.shared_width,
                dense_first: experts.dense_first,
                every: experts.every.unwrap_or(1),
                latent_width: experts.latent_width,
                image_width: experts.image_width,
            }),
            mla: item.mla.map(|mla| Mla {
                kv_rank: mla.kv_rank,
                q_rank: mla.q_rank,
                nope_dim: mla.nope_dim,
                rope_dim: mla.rope_dim,
                value_dim: mla.value_dim,
            }),
            sparse: item.sparse.map(|sparse| Sparse {
                top_k: sparse.top_k,
                layers: sparse.layers.unwrap_or(item.layers),
                index_layers: sparse.index_layers.or(sparse.layers).unwrap_or(item.layers),
                index_heads: sparse.index_heads,
                index_width: sparse.index_width,
            }),
            compressed: item.compressed.map(|compressed| Compressed {
                sparse_layers: compressed.sparse_layers,
                sparse_ratio: compressed.sparse_ratio,
                heavy_layers: compressed.heavy_layers,
                heavy_ratio: compressed.heavy_ratio,
            }),
            cache_width: item.cache_width,
            mlp_layers: item.mlp_layers,
            attention_layers: item.attention_layers,
            state_values: item.state_values,
            other_matrices: item.other_matrices,
            extra_parameters: item.extra_parameters,
            image_parameters: item.image_parameters,
            vision: item
                .vision
                .map(|vision| vision.tower(item.image_parameters)),
            context: item.context,
            yarn: item.yarn.map(|yarn| Yarn {
                native_context: yarn.native_context,
                original_context: yarn.original_context,
                rope_theta: yarn.rope_theta,
            }),
        };
        self.check_shape(document, item, &shape);
        shape
    }

    /// Checks that a shape is possible, and that it has the published number of parameters.
    fn check_shape(
        &mut self,
        document: &CatalogDocument,
        item: &schema::ModelEntry,
        shape: &Architecture,
    ) {
        for (figure, bounds) in [
            (item.other_matrices as f64, &bounds::OTHER_PARAMETERS),
            (item.extra_parameters as f64, &bounds::OTHER_PARAMETERS),
            (item.image_parameters as f64, &bounds::OTHER_PARAMETERS),
            (item.state_values as f64, &bounds::STATE_VALUES),
            (f64::from(item.context.unwrap_or(1)), &bounds::TOKENS),
            (
                item.window.map_or(1.0, |window| f64::from(window.tokens)),
                &bounds::TOKENS,
            ),
        ] {
            self.within(document, &item.id, figure, bounds);
        }
        if let Some(vision) = &shape.vision {
            self.check_vision(document, &item.id, vision);
        }
        if let Some(yarn) = &shape.yarn {
            let max_context = shape.context.unwrap_or(0);
            let lengths = [1, yarn.original_context, yarn.native_context, max_context];
            if !lengths.is_sorted() || max_context == yarn.native_context || yarn.rope_theta == 0 {
                let message =
                    "yarn takes original_context <= native_context < context, and a rope_theta";
                self.fail(document, &item.id, message);
            }
        }
        if let Err(why) = shape.check() {
            self.fail(document, &item.id, why);
        } else if let Some(published) = &item.parameters {
            let counted = shape.parameters().total();
            if (counted / published.get_ref() - 1.0).abs() > MISCOUNT {
                let message = format!("this shape has {counted} parameters");
                self.fail(document, published, message);
            }
        }
    }

    /// Checks that a tower for images is possible.
    pub(super) fn check_vision(
        &mut self,
        document: &CatalogDocument,
        id: &SpannedText,
        vision: &Vision,
    ) {
        let figures = [
            (vision.parameters as f64, &bounds::OTHER_PARAMETERS),
            (f64::from(vision.hidden), &bounds::WIDTH),
            (f64::from(vision.layers), &bounds::LAYERS),
            (f64::from(vision.patches), &bounds::IMAGE_PATCHES),
            (f64::from(vision.values), &bounds::PATCH_VALUES),
            (f64::from(vision.tokens), &bounds::PROMPT_TOKENS),
        ];
        for (figure, bounds) in figures {
            self.within(document, id, figure, bounds);
        }
        if vision.global_layers > vision.layers || vision.parameters == 0 {
            let message = "vision takes `parameters` or `image_parameters`, and at most `layers` global layers";
            self.fail(document, id, message);
        }
    }

    fn weight_formats(&mut self) {
        let items = self.layered(
            |document| &document.content.weight_format,
            |_, item| (item.name.get_ref().to_ascii_lowercase(), &item.name),
            |under, over| *under = over.clone(),
        );
        for (document, item) in &items {
            let bits = *item.bits.get_ref();
            let parts = [
                item.attention_bits,
                item.embedding_bits,
                item.head_bits,
                item.small_bits,
                item.compute_bits,
            ];
            for bits in parts.into_iter().flatten().chain([bits]) {
                self.within(document, &item.bits, bits, &bounds::BITS);
            }
            for figure in [item.group_bits, item.group_size].into_iter().flatten() {
                self.within(document, &item.name, figure, &bounds::GROUP);
            }
            let wide = bits.max(16.0);
            let format = WeightFormat {
                bits,
                attention_bits: item.attention_bits.unwrap_or(bits),
                mlp_bits: bits,
                embedding_bits: item.embedding_bits.unwrap_or(bits),
                head_bits: item.head_bits.unwrap_or(bits),
                small_bits: item.small_bits.unwrap_or(wide),
                unties: item.unties,
                dequantizes: item.dequantizes,
                compute_bits: item.compute_bits.unwrap_or(16.0),
            };
            self.check_format(document, item);
            let row = NamedFormat {
                name: self.text(document, Some(&item.name)),
                aliases: self.texts(document, &item.aliases),
                format,
                group: item.group_bits.zip(item.group_size),
                engine: self.text(document, item.engine.as_ref()),
                is_common: item.common,
                file_type: item.file_type,
                quantized_as: self.texts(document, &item.quantized_as),
                rate: self.text(document, item.rate.as_ref()),
                min_compute_capability: self.text(document, item.min_compute_capability.as_ref()),
                computed_on: self.texts(document, &item.computed_on),
                not_computed_on: self.texts(document, &item.not_computed_on),
                source: self.text(document, Some(&item.source)),
            };
            self.tables.weight_formats.push(row);
        }
    }

    /// Checks that the engine, rate and compute capability of a format exist, and that no other format has its words
    /// for files.
    fn check_format(&mut self, document: &CatalogDocument, item: &schema::WeightFormatEntry) {
        let bad_engine = item
            .engine
            .as_ref()
            .filter(|engine| ServingEngine::from_word(engine.get_ref()).is_none());
        if let Some(engine) = bad_engine {
            self.fail(document, engine, "unknown serving engine");
        }
        let is_rate =
            |name: &str| find_key(name).is_some_and(|key| matches!(key.kind, KeyKind::Number(..)));
        if let Some(rate) = item.rate.as_ref().filter(|rate| !is_rate(rate.get_ref())) {
            self.fail(
                document,
                rate,
                "unknown rate: it is a key of specs such as fp8",
            );
        }
        let version = item.min_compute_capability.as_ref();
        if let Some(version) = version.filter(|version| !is_capability(version.get_ref())) {
            self.fail(
                document,
                version,
                "a compute capability is written like 8.9",
            );
        }
        let catalog = self.tables.catalog();
        let same_type = item
            .file_type
            .and_then(|number| catalog.format_of_file_type(number))
            .map(|other| catalog.str(other.name).to_owned());
        if let Some(other) = same_type {
            self.fail(
                document,
                &item.name,
                format!("{other} already has this file_type"),
            );
        }
        for word in &item.quantized_as {
            let catalog = self.tables.catalog();
            let other = catalog.format_quantized_as(word.get_ref());
            if let Some(other) = other.map(|other| catalog.str(other.name).to_owned()) {
                self.fail(
                    document,
                    word,
                    format!("{other} already has this value of quantized_as"),
                );
            }
        }
    }

    fn links(&mut self) {
        let items = self.layered(
            |document| &document.content.link,
            |_, item| {
                let key = format!("{}\0{}", item.name.get_ref(), item.devices.get_ref());
                (key, &item.name)
            },
            |under, over| *under = over.clone(),
        );
        let mut rows = Vec::new();
        for (document, item) in &items {
            for figure in [item.latency_us, item.sum_share, item.exchange_share] {
                self.within(document, &item.name, figure, &bounds::COEFFICIENT);
            }
            rows.push(Link {
                name: self.text(document, Some(&item.name)),
                kinds: self.texts(document, &item.kinds),
                devices: *item.devices.get_ref(),
                latency_us: item.latency_us,
                sum_share: item.sum_share,
                exchange_share: item.exchange_share,
                source: self.text(document, Some(&item.source)),
                as_of: self.date(document, &item.as_of),
            });
        }
        rows.sort_by_key(|row| row.devices);
        self.tables.links = rows.into_iter().collect();
    }

    fn coefficients(&mut self) {
        let items = self.layered(
            |document| &document.content.coefficient,
            |_, item| {
                let scope = item.scope.as_ref().map_or("", |scope| scope.get_ref());
                let before = item.before.as_ref().map_or("", |before| before.get_ref());
                let key = format!("{}\0{scope}\0{before}", item.name.get_ref());
                (key, &item.name)
            },
            |under, over| *under = over.clone(),
        );
        let mut rows = Vec::new();
        for (document, item) in &items {
            let row = Coefficient {
                name: self.text(document, Some(&item.name)),
                scope: self.text(document, item.scope.as_ref()),
                before: self.text(document, item.before.as_ref()),
                value: item.value,
                source: self.text(document, Some(&item.source)),
                as_of: self.date(document, &item.as_of),
            };
            self.within(document, &item.name, item.value, &bounds::COEFFICIENT);
            if let Some(prior) = item.prior {
                self.within(document, &item.name, prior.value, &bounds::COEFFICIENT);
                self.within(document, &item.name, prior.width, &bounds::PRIOR_WIDTH);
            }
            rows.push(row);
        }
        let catalog = self.tables.catalog();
        rows.sort_by_key(|row| catalog.str(row.name));
        self.tables.coefficients = rows.into_iter().collect();
        let catalog = self.tables.catalog();
        let missing = Calibration::NAMES
            .iter()
            .find(|name| catalog.coefficient(name, "").is_none());
        // A catalog without any coefficient of sizing is for tests and needs none.
        let of_sizing = items
            .iter()
            .find(|(_, item)| !item.name.get_ref().starts_with(PRICE_PREFIX));
        if let (Some(missing), Some((document, item))) = (missing, of_sizing) {
            let message = format!("sizing needs a coefficient '{missing}' too");
            self.fail(document, &item.name, message);
        }
    }
}
