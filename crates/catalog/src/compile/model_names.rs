//! `[[model_release]]`, names of models, and checkpoints.

use std::borrow::Cow;
use std::collections::BTreeMap;

use sky_accel_core::catalog::{CheckpointFormat, Model, ModelName, Str};
use sky_accel_core::sizing::CacheFormat;
use sky_accel_core::text::NameKey;
use sky_accel_core::word::Word as _;

use super::Compiler;
use crate::bounds;
use crate::schema::{
    CheckpointBits, CheckpointEntry, ModelEntry, ModelReleaseEntry, Spanned, SpannedText,
};
use crate::source::CatalogDocument;

/// The version of vLLM that serves models which no release serves yet.
const NIGHTLY: &str = "nightly";

/// Names of models: the key, the model, and the rest of the row.
pub(super) type NamesByKey = BTreeMap<Vec<u8>, NamedCheckpoint>;

/// The model with a name, and the facts of its checkpoint.
#[derive(Clone, Copy)]
pub(super) struct NamedCheckpoint {
    model: u16,
    text: Str,
    stored_as: Str,
    exact: Option<u16>,
    min_vllm: Str,
}

/// The names of one entry.
pub(super) struct EntryNames<'e> {
    pub id: &'e Spanned<String>,
    pub names: &'e [Spanned<String>],
    pub bits: Option<&'e CheckpointBits>,
    pub checkpoints: &'e [CheckpointEntry],
}

impl<'e> From<&'e ModelEntry> for EntryNames<'e> {
    fn from(item: &'e ModelEntry) -> Self {
        Self {
            id: &item.id,
            names: &item.names,
            bits: item.bits.as_ref(),
            checkpoints: &item.checkpoints,
        }
    }
}

impl<'e> From<&'e ModelReleaseEntry> for EntryNames<'e> {
    fn from(item: &'e ModelReleaseEntry) -> Self {
        Self {
            id: &item.id,
            names: &item.names,
            bits: item.bits.as_ref(),
            checkpoints: &item.checkpoints,
        }
    }
}

impl Compiler<'_> {
    /// Adds the models that have the shape of another model.
    pub(super) fn model_releases(
        &mut self,
        models: &[(&CatalogDocument, Cow<'_, ModelEntry>)],
        names: &mut NamesByKey,
    ) {
        let mut items = self.layered(
            |document| &document.content.model_release,
            |_, item| (item.id.get_ref().to_ascii_lowercase(), &item.id),
            |under, over| {
                // A corrected entry keeps its names and checkpoints, unless the overlay gives new ones.
                let before = std::mem::replace(under, over.clone());
                if under.names.is_empty() {
                    under.names = before.names;
                }
                if under.checkpoints.is_empty() {
                    under.checkpoints = before.checkpoints;
                }
            },
        );
        // A later layer may give the model a separate shape.
        items.retain(|(document, item)| {
            !models.iter().any(|(other, model)| {
                other.layer > document.layer
                    && model.id.get_ref().eq_ignore_ascii_case(item.id.get_ref())
            })
        });
        for (document, item) in &items {
            let like = item.like.get_ref();
            let mut ids = models.iter();
            let at = ids.position(|(_, model)| model.id.get_ref().eq_ignore_ascii_case(like));
            let Some(base) = at.and_then(|at| self.tables.catalog().models.get(at)) else {
                let message = "no [[model]] has this id";
                self.fail(document, &item.like, message);
                continue;
            };
            let mut shape = base.shape;
            let extra = item.extra_parameters;
            self.within(document, &item.id, extra as f64, &bounds::OTHER_PARAMETERS);
            shape.extra_parameters = shape.extra_parameters.saturating_add(extra);
            if let Some(parameters) = item.image_parameters {
                let bounds = &bounds::OTHER_PARAMETERS;
                self.within(document, &item.id, parameters as f64, bounds);
                shape.image_parameters = parameters;
            }
            if let Some(vision) = &item.vision {
                let tower = vision.tower(shape.image_parameters);
                self.check_vision(document, &item.id, &tower);
                shape.vision = Some(tower);
            }
            if let Err(why) = shape.check() {
                self.fail(document, &item.id, why);
            }
            if let Some(context) = item.context {
                self.within(document, &item.id, f64::from(context), &bounds::TOKENS);
                shape.context = Some(context);
                shape.yarn = None;
            }
            let row = Model {
                id: self.text(document, Some(&item.id)),
                kind: base.kind,
                shape,
                checkpoint_parameters: self.figure(
                    document,
                    item.checkpoint_parameters.as_ref(),
                    &bounds::PARAMETERS,
                ),
                stored_as: self.text(document, item.stored_as.as_ref()),
                min_vllm: self.first_version(document, item.min_vllm.as_ref()),
                fp8_block: self
                    .fp8_block(document, &item.id, item.fp8_block)
                    .or(base.fp8_block),
                no_fp16: base.no_fp16,
                source: self.text(document, Some(&item.source)),
            };
            let model = self.tables.models.len() as u16;
            self.tables.models.push(row);
            self.name_model(document, &EntryNames::from(&**item), model, names);
        }
    }

    /// The width of the blocks of FP8 files, within bounds.
    pub(super) fn fp8_block(
        &mut self,
        document: &CatalogDocument,
        id: &SpannedText,
        width: Option<u32>,
    ) -> Option<u32> {
        let width = width?;
        self.within(document, id, f64::from(width), &bounds::GROUP);
        Some(width)
    }

    /// Adds the names of a model, which must not be the names of another model.
    pub(super) fn name_model(
        &mut self,
        document: &CatalogDocument,
        entry: &EntryNames<'_>,
        model: u16,
        names: &mut NamesByKey,
    ) {
        let exact_by_default = self.exact_format(document, entry.bits, None);
        let plain = std::iter::once(entry.id).chain(entry.names);
        let plain = plain.map(|name| (name, None));
        let checkpoints = entry.checkpoints.iter();
        let checkpoints = checkpoints.map(|checkpoint| (&checkpoint.id, Some(checkpoint)));
        for (name, checkpoint) in plain.chain(checkpoints) {
            self.checked(document, name);
            let Some(key) = NameKey::new(name.get_ref()) else {
                self.fail(document, name, "a name has letters or digits");
                continue;
            };
            let stored_as = checkpoint.and_then(|checkpoint| checkpoint.stored_as.as_ref());
            let min_vllm = checkpoint.and_then(|checkpoint| checkpoint.min_vllm.as_ref());
            let row = NamedCheckpoint {
                model,
                text: self.tables.intern(name.get_ref()),
                stored_as: self.text(document, stored_as),
                min_vllm: self.first_version(document, min_vllm),
                exact: checkpoint.map_or(exact_by_default, |checkpoint| {
                    let cache = checkpoint.kv_cache.as_ref();
                    self.exact_format(document, checkpoint.bits.as_ref(), cache)
                }),
            };
            let other = names.insert(key.as_bytes().to_vec(), row);
            let Some(other) = other else {
                continue;
            };
            if other.model != model {
                let catalog = self.tables.catalog();
                let row = catalog.models.get(other.model.into());
                let other = row.map_or("", |row| catalog.str(row.id)).to_owned();
                self.fail(document, name, format!("{other} already has this name"));
            } else if checkpoint.is_some() {
                self.fail(document, name, "this model already has this name");
            }
        }
    }

    /// Writes the names, ordered by key.
    pub(super) fn model_names(&mut self, names: NamesByKey) {
        for (key, row) in names {
            let key = self.tables.intern(&String::from_utf8_lossy(&key));
            self.tables.model_names.push(ModelName {
                key,
                text: row.text,
                model: row.model,
                stored_as: row.stored_as,
                min_vllm: row.min_vllm,
                exact: row.exact,
            });
        }
    }

    /// Adds the bits and KV cache format of a checkpoint that differ from its format; `None` if nothing differs.
    fn exact_format(
        &mut self,
        document: &CatalogDocument,
        bits: Option<&CheckpointBits>,
        cache: Option<&SpannedText>,
    ) -> Option<u16> {
        if bits.is_none() && cache.is_none() {
            return None;
        }
        if let Some(cache) = cache
            && CacheFormat::from_word(cache.get_ref()).is_none()
        {
            let known: Vec<_> = CacheFormat::ALL.iter().map(|(word, _)| *word).collect();
            let message = format!("a format of the cache is one of {}", known.join(", "));
            self.fail(document, cache, message);
        }
        let mut figure = |bits: Option<&Spanned<f64>>| self.figure(document, bits, &bounds::BITS);
        let row = CheckpointFormat {
            bits: figure(bits.and_then(|bits| bits.experts.as_ref())),
            attention_bits: figure(bits.and_then(|bits| bits.attention.as_ref())),
            mlp_bits: figure(bits.and_then(|bits| bits.mlp.as_ref())),
            kv_cache: self.text(document, cache),
        };
        let index = u16::try_from(self.tables.checkpoint_formats.len()).ok()?;
        self.tables.checkpoint_formats.push(row);
        Some(index)
    }

    /// Checks that the formats of models and checkpoints exist, after the formats are compiled.
    pub(super) fn check_stored_formats(&mut self) {
        for document in self.documents {
            let content = &document.content;
            let models = content.model.iter();
            let models = models.map(|item| (&item.stored_as, &item.checkpoints));
            let releases = content.model_release.iter();
            let releases = releases.map(|item| (&item.stored_as, &item.checkpoints));
            for (stored_as, checkpoints) in models.chain(releases) {
                let formats = checkpoints.iter().map(|item| &item.stored_as);
                for name in formats.chain([stored_as]).flatten() {
                    if self
                        .tables
                        .catalog()
                        .weight_format(name.get_ref())
                        .is_none()
                    {
                        self.fail(document, name, "no weight_format has this name");
                    }
                }
            }
        }
    }

    /// Returns the first version of vLLM that serves a model.
    pub(super) fn first_version(
        &mut self,
        document: &CatalogDocument,
        version: Option<&Spanned<String>>,
    ) -> Str {
        if let Some(version) = version {
            let text = version.get_ref();
            let mut parts = text.split('.');
            let is_number = |part: &str| part.parse::<u16>().is_ok();
            if text != NIGHTLY && (parts.clone().count() < 2 || !parts.all(is_number)) {
                let message = "a version is written like 0.12.0, or nightly";
                self.fail(document, version, message);
            }
        }
        self.text(document, version)
    }
}

#[cfg(test)]
mod tests {
    use sky_accel_core::catalog::Catalog;

    use crate::fixture::{compiled, errors, tiny_model};

    const FORMATS: &str = r#"
[[weight_format]]
name = "fp8"
bits = 8.0
source = "s"

[[weight_format]]
name = "nvfp4"
bits = 4.5
source = "s"
"#;

    const MODEL: &str = concat!(
        tiny_model!(),
        r#"
min_vllm = "0.9.0"
checkpoints = [
  { id = "acme/Tiny-1B-w-nvfp4-a-fp8", stored_as = "nvfp4" },
  { id = "acme/Tiny-1B-FP8", stored_as = "fp8", min_vllm = "0.10.1" },
]

[[model_release]]
id = "Tiny-1.1-1B"
like = "tiny-1b"
names = ["acme/Tiny-1.1-1B"]
context = 8192
extra_parameters = 1000
stored_as = "fp8"
min_vllm = "nightly"
source = "config.json of acme/Tiny-1.1-1B"
"#
    );

    fn model(catalog: &Catalog<'_>, name: &str) -> (String, String, String) {
        let row = catalog.model(name).unwrap();
        let text = |text| catalog.str(text).to_owned();
        (text(row.id), text(row.stored_as), text(row.min_vllm))
    }

    #[test]
    fn a_checkpoint_has_its_own_format_and_version() {
        let tables = compiled(&[FORMATS, MODEL]).unwrap();
        let catalog = tables.catalog();
        for (name, id, format, version) in [
            ("Tiny-1B", "Tiny-1B", "", "0.9.0"),
            ("acme/Tiny-1B", "Tiny-1B", "", "0.9.0"),
            ("acme/tiny-1b-w-nvfp4-a-fp8", "Tiny-1B", "nvfp4", "0.9.0"),
            ("acme/Tiny-1B-FP8", "Tiny-1B", "fp8", "0.10.1"),
            // Without the organization.
            ("Tiny-1B-FP8", "Tiny-1B", "fp8", "0.10.1"),
            ("acme/Tiny-1.1-1B", "Tiny-1.1-1B", "fp8", "nightly"),
        ] {
            let expected = (id.to_owned(), format.to_owned(), version.to_owned());
            assert_eq!(model(&catalog, name), expected, "{name}");
        }
        assert!(catalog.model("other/Tiny-1B-FP8").is_none());
    }

    #[test]
    fn a_release_may_read_images() {
        let tower = "image_parameters = 500\nvision = { hidden = 8, layers = 2, patches = 4, values = 588, tokens = 256 }\n";
        let text = MODEL.replace(
            "stored_as = \"fp8\"\nmin",
            &format!("{tower}stored_as = \"fp8\"\nmin"),
        );
        let tables = compiled(&[FORMATS, &text]).unwrap();
        let catalog = tables.catalog();
        let shape = |name: &str| catalog.model(name).unwrap().shape;
        let (base, release) = (shape("Tiny-1B"), shape("Tiny-1.1-1B"));
        assert_eq!((base.image_parameters, base.vision), (0, None));
        assert_eq!(release.image_parameters, 500);
        let vision = release.vision.unwrap();
        assert_eq!((vision.parameters, vision.global_layers), (500, 2));
        // Without the parameters of the tower.
        let unknown = text.replace("image_parameters = 500\n", "");
        let found = errors(&[FORMATS, &unknown]);
        assert!(
            found.iter().any(|error| error.contains("vision takes")),
            "{found:?}"
        );
    }

    #[test]
    fn a_checkpoint_may_have_its_own_bits_and_cache() {
        let text = MODEL
            .replace(
                "stored_as = \"nvfp4\" }",
                "stored_as = \"nvfp4\", bits = { attention = 16 }, kv_cache = \"fp8\" }",
            )
            .replace(
                "stored_as = \"fp8\"\nmin_vllm = \"nightly\"",
                "stored_as = \"fp8\"\nbits = { mlp = 12.5, experts = 4 }",
            );
        let tables = compiled(&[FORMATS, &text]).unwrap();
        let catalog = tables.catalog();
        let exact = |name: &str, format: &str| {
            let exact = catalog.checkpoint_format(&catalog.model_name(name).unwrap())?;
            let usual = catalog.weight_format(format).unwrap().format;
            let format = exact.applied_to(usual);
            let cache = catalog.str(exact.kv_cache).to_owned();
            Some(([format.bits, format.attention_bits, format.mlp_bits], cache))
        };
        let nvfp4 = ([4.5, 16.0, 4.5], "fp8".to_owned());
        assert_eq!(exact("acme/Tiny-1B-w-nvfp4-a-fp8", "nvfp4"), Some(nvfp4));
        assert_eq!(exact("acme/Tiny-1B-FP8", "fp8"), None);
        // The bits of a model are those of all its names.
        let release = ([4.0, 8.0, 12.5], String::new());
        for name in ["Tiny-1.1-1B", "acme/Tiny-1.1-1B"] {
            assert_eq!(exact(name, "fp8"), Some(release.clone()), "{name}");
        }
        let wrong = text.replace("kv_cache = \"fp8\"", "kv_cache = \"fp9\"");
        let message = "a format of the cache is one of bf16, fp8, int8, q8_0, q4_0";
        assert_eq!(errors(&[FORMATS, &wrong]), [message]);
        let wrong = text.replace("attention = 16", "attention = 160");
        assert_eq!(errors(&[FORMATS, &wrong]).len(), 1);
    }

    #[test]
    fn a_text_model_that_cannot_be_sized_has_a_reason_unless_an_overlay_has_its_shape() {
        const REFUSED: &str = r#"
[[media_model]]
id = "Tiny-9B"
names = ["acme/Tiny-9B"]
kind = "text"
unit = "a sequence"
parts = {}
activations_gib = 0.0
min_vllm = "0.21.0"
refused = "its shape is not published"
source = "s"
as_of = "2026-11"
"#;
        let tables = compiled(&[FORMATS, MODEL, REFUSED]).unwrap();
        let row = tables.catalog().media_model("acme/Tiny-9B").unwrap();
        assert_eq!(
            tables.catalog().str(row.refused),
            "its shape is not published"
        );
        assert_eq!(tables.catalog().str(row.min_vllm), "0.21.0");
        let added = MODEL
            .replace("Tiny-1B", "Tiny-9B")
            .replace("tiny-1b", "Tiny-9B");
        let tables = compiled(&[FORMATS, REFUSED, &added]).unwrap();
        assert!(tables.catalog().media_model("Tiny-9B").is_none());
        assert!(tables.catalog().model("Tiny-9B").is_some());
        let sized = REFUSED.replace("refused = \"its shape is not published\"\n", "");
        let message = "a text model that can be sized is a [[model]]";
        assert_eq!(errors(&[FORMATS, MODEL, &sized]), [message]);
        // A draft model names the model for which it drafts.
        let of = |model: &str| {
            let reason = format!("draft_of = \"{model}\"\n");
            REFUSED.replace("refused = \"its shape is not published\"\n", &reason)
        };
        let tables = compiled(&[FORMATS, MODEL, &of("acme/tiny-1b")]).unwrap();
        let row = tables.catalog().media_model("acme/Tiny-9B").unwrap();
        assert_eq!(tables.catalog().str(row.draft_of), "Tiny-1B");
        let message = "no [[model]] has this name";
        assert_eq!(errors(&[FORMATS, MODEL, &of("Tiny-8B")]), [message]);
        let both = format!("{}refused = \"no\"\n", of("Tiny-1B"));
        let message = "`draft_of` is the reason why it is not sized: leave out `refused`";
        assert_eq!(errors(&[FORMATS, MODEL, &both]), [message]);
    }

    #[test]
    fn a_release_has_the_shape_of_its_model_and_its_own_context() {
        let tables = compiled(&[FORMATS, MODEL]).unwrap();
        let catalog = tables.catalog();
        let [before, after] = ["Tiny-1B", "Tiny-1.1-1B"].map(|id| catalog.model(id).unwrap().shape);
        assert_eq!((before.context, after.context), (Some(4096), Some(8192)));
        let totals = [before, after].map(|shape| shape.parameters().total());
        assert!((totals[1] - totals[0] - 1000.0).abs() < 0.5, "{totals:?}");
        assert_eq!(before.layers, after.layers);
    }

    #[test]
    fn a_later_layer_may_give_a_release_its_own_shape() {
        let own = MODEL
            .split("[[model_release]]")
            .next()
            .unwrap()
            .replace("Tiny-1B", "Tiny-1.1-1B")
            .replace("layers = 2", "layers = 3");
        let tables = compiled(&[FORMATS, MODEL, &own]).unwrap();
        let catalog = tables.catalog();
        assert_eq!(catalog.model("Tiny-1.1-1B").unwrap().shape.layers, 3);
        assert_eq!(catalog.model("acme/Tiny-1.1-1B").unwrap().shape.layers, 3);
    }

    #[test]
    fn wrong_entries_are_errors() {
        for (from, to, expected) in [
            (
                "like = \"tiny-1b\"",
                "like = \"Tiny-9B\"",
                "no [[model]] has this id",
            ),
            (
                "\"nightly\"",
                "\"soon\"",
                "a version is written like 0.12.0, or nightly",
            ),
            (
                "\"0.9.0\"",
                "\"1\"",
                "a version is written like 0.12.0, or nightly",
            ),
            (
                "stored_as = \"nvfp4\"",
                "stored_as = \"fp9\"",
                "no weight_format has this name",
            ),
            (
                "names = [\"acme/Tiny-1.1-1B\"]",
                "names = [\"acme/Tiny-1B\"]",
                "Tiny-1B already has this name",
            ),
            (
                "names = [\"acme/Tiny-1B\"]",
                "names = [\"acme/Tiny-1B-FP8\"]",
                "this model already has this name",
            ),
        ] {
            let text = MODEL.replace(from, to);
            assert_ne!(text, MODEL, "{from}");
            assert_eq!(errors(&[FORMATS, &text]), [expected], "{to}");
        }
    }
}
