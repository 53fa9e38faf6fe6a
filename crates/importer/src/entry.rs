//! Entries of new models.

use std::fmt::Write as _;

use sky_accel_catalog::shape_lines;
use sky_accel_checkpoint::Description;
use sky_accel_core::catalog::{Catalog, Model};
use sky_accel_core::sizing::Architecture;
use sky_accel_core::text::name_key;

use crate::exact::Exact;

/// Words at the end of a name that are not a part of the model's id.
const VARIANTS: [&str; 4] = ["-Instruct", "-it", "-Chat", "-BF16"];
/// The separators of words in a name.
const SEPARATORS: [char; 3] = ['-', '_', '.'];

/// A published checkpoint, and its format; `None` for bf16.
#[derive(Clone, Debug, PartialEq)]
pub struct NewCheckpoint {
    pub id: String,
    pub stored_as: Option<String>,
    /// The fields of its entry for its exact format; empty without any.
    pub exact: String,
}

/// A model that the catalog does not have, with one or more checkpoints.
#[derive(Clone, Debug)]
pub struct NewModel {
    /// The id: the name of the first checkpoint without its format.
    pub id: String,
    /// The checkpoints, ordered by file.
    pub checkpoints: Vec<NewCheckpoint>,
    /// The shape of its layers.
    pub shape: Architecture,
    /// True if the model is an encoder.
    pub is_encoder: bool,
    /// The model of the catalog with the same shape, if there is such a model.
    pub like: Option<String>,
}

impl NewModel {
    /// The model of a configuration.
    pub fn new(catalog: &Catalog<'_>, hub_id: &str, found: &Description<'_>) -> Self {
        let context = found.shape.context;
        let alike = catalog.models.iter().filter(|row| {
            let yarn = None;
            // A file and the catalog may describe the same tower in different ways.
            let vision = found.shape.vision;
            let shape = Architecture {
                context,
                yarn,
                vision,
                ..row.shape
            };
            shape == found.shape
        });
        // Of several models with the shape, the model is named after one of them.
        let key = name_key(hub_id.rsplit('/').next().unwrap_or(hub_id));
        let in_common = |row: &Model| {
            let other = name_key(catalog.str(row.id));
            let pairs = key.bytes().zip(other.bytes());
            pairs.take_while(|(a, b)| a == b).count()
        };
        let same = alike.max_by_key(in_common);
        Self {
            id: model_id(catalog, hub_id),
            checkpoints: vec![NewCheckpoint {
                id: hub_id.to_owned(),
                stored_as: found.stored_as.map(str::to_owned),
                exact: exact_fields(catalog, found),
            }],
            shape: found.shape,
            is_encoder: found.is_encoder,
            like: same.map(|row| catalog.str(row.id).to_owned()),
        }
    }

    /// The TOML entry.
    pub fn toml(&self) -> String {
        // Files without a quantization come first: the others are made from them.
        let main = self
            .checkpoints
            .iter()
            .find(|item| item.stored_as.is_none());
        let Some(main) = main.or(self.checkpoints.first()) else {
            return String::new();
        };
        let others = self.checkpoints.iter().filter(|item| item.id != main.id);
        let (same, differing): (Vec<_>, Vec<_>) =
            others.partition(|item| item.stored_as == main.stored_as);
        let names = std::iter::once(main).chain(same);
        let names: Vec<String> = names.map(|item| format!("\"{}\"", item.id)).collect();
        let table = if self.like.is_some() {
            "model_release"
        } else {
            "model"
        };
        let mut text = format!("[[{table}]]\nid = \"{}\"\n", self.id);
        if let Some(like) = &self.like {
            let _ = writeln!(text, "like = \"{like}\"");
        }
        let _ = writeln!(text, "names = [{}]", names.join(", "));
        if self.is_encoder && self.like.is_none() {
            text.push_str("kind = \"encoder\"\n");
        }
        match (&self.like, self.shape.context) {
            (None, _) => {
                text.push_str(&shape_lines(&self.shape));
                let _ = writeln!(text, "parameters = {}", self.shape.parameters().total());
            }
            (Some(_), Some(context)) => {
                let _ = writeln!(text, "context = {context}");
            }
            (Some(_), None) => {}
        }
        if let Some(format) = &main.stored_as {
            let _ = writeln!(text, "stored_as = \"{format}\"");
        }
        if !differing.is_empty() {
            let lines = differing.iter().map(|item| {
                let format = item.stored_as.as_deref().unwrap_or("bf16");
                format!(
                    "    {{ id = \"{}\", stored_as = \"{format}\"{} }},\n",
                    item.id, item.exact
                )
            });
            let _ = writeln!(text, "checkpoints = [\n{}]", lines.collect::<String>());
        }
        let _ = writeln!(text, "source = \"config.json of {}\"", main.id);
        text
    }
}

/// The fields of a checkpoint's entry for its exact format.
pub fn exact_fields(catalog: &Catalog<'_>, found: &Description<'_>) -> String {
    let usual = found.stored_as.and_then(|name| catalog.weight_format(name));
    usual.map_or(String::new(), |usual| {
        Exact::of(found, usual.format).toml(&usual.format)
    })
}

/// The id of a model: the name in its hub id, without a format.
pub fn model_id(catalog: &Catalog<'_>, hub_id: &str) -> String {
    let name = hub_id.rsplit('/').next().unwrap_or(hub_id);
    let short = without_variant(without_format(catalog, name));
    let is_free = !short.is_empty() && catalog.model(short).is_none();
    if is_free { short } else { name }.to_owned()
}

fn without_variant(name: &str) -> &str {
    let mut short = name;
    for variant in VARIANTS {
        let at = short.len().saturating_sub(variant.len());
        if short.is_char_boundary(at) && short[at..].eq_ignore_ascii_case(variant) {
            short = &short[..at];
        }
    }
    short
}

/// A name without the formats at its end.
pub fn without_format<'n>(catalog: &Catalog<'_>, name: &'n str) -> &'n str {
    let mut rest = name;
    loop {
        let lower = rest.to_ascii_lowercase();
        let mut formats = catalog.weight_formats.iter().flat_map(|row| {
            let name = std::iter::once(catalog.str(row.name));
            name.chain(catalog.strings(row.aliases))
        });
        let shorter = formats.find_map(|format| {
            let rest = lower.strip_suffix(&format.to_ascii_lowercase())?;
            let rest = rest.strip_suffix(SEPARATORS)?;
            (!rest.is_empty()).then_some(rest.len())
        });
        match shorter {
            Some(length) => rest = &rest[..length],
            None => return rest,
        }
    }
}

/// The key that the checkpoints of a model have in common.
pub fn stem(catalog: &Catalog<'_>, hub_id: &str) -> String {
    let name = hub_id.rsplit('/').next().unwrap_or(hub_id);
    name_key(without_variant(without_format(catalog, name)))
}
