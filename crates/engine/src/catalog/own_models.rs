//! Models that a user keeps: a file with one `[[model]]` for each in the user's own catalog.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::Value;
use sky_accel_catalog::{Layer, compile, shape_lines};
use sky_accel_core::catalog::Catalog;
use sky_accel_core::note::Note;
use sky_accel_core::sizing::ModelKind;
use sky_accel_core::text::printable;
use sky_accel_live::is_hub_name;

use super::accept::replace;
use super::{Loaded, has_files, invalid, overlay_files, sources};
use crate::code::ErrorCode;
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::sizing::{ModelFacts, ModelHub, ModelSize, read_files};

/// The start of the names of the files.
const PREFIX: &str = "model-";
/// The maximum length of a name. Hubs allow about as many characters.
const MAX_NAME: usize = 100;
/// Bytes of a parameter in files without a quantization.
const PLAIN_BYTES: f64 = 2.0;

/// A model to keep.
#[derive(Clone, Debug, Default, Serialize)]
pub struct OwnModelRequest {
    /// The path of a config.json, a folder or a GGUF file, or the name of a model of a hub.
    pub model: String,
    /// The name in the catalog. Missing for the name that the hub has.
    #[serde(rename = "as", skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The architecture to assume instead of the file's `model_type`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assume: Option<String>,
}

/// A model, ready to be kept.
pub struct OwnModel {
    /// Its id in the catalog.
    pub id: String,
    /// The path of its file.
    pub path: PathBuf,
    /// The contents of its file.
    pub text: String,
    /// True if a model of the same name is replaced.
    pub replaces: bool,
    /// Facts of the files that the catalog cannot keep.
    pub notes: Vec<Note>,
    /// The catalog with the model.
    pub loaded: Loaded,
}

impl OwnModel {
    /// Reads the model of a request and checks that the catalog accepts it. Nothing is written.
    ///
    /// # Errors
    ///
    /// The errors of reading a model, [`ErrorCode::BadValue`] for a name that cannot be used, and
    /// [`ErrorCode::CatalogInvalid`] if the catalog with the model is invalid.
    pub fn read(
        engine: &Engine<'_>,
        request: &OwnModelRequest,
        folder: &Path,
        overlays: &[PathBuf],
        hub: Option<&ModelHub<'_>>,
    ) -> Result<Self> {
        let catalog = engine.catalog();
        let hub_id = hub_id(&request.model);
        let id = id(request, hub_id)?;
        let path = path(folder, &id);
        let replaces = path.exists();
        if !replaces {
            check_new(&catalog, &id)?;
        }
        let found = read_files(&catalog, &request.model, request.assume.as_deref(), hub)?;
        if found.media.is_some() {
            let message = format!(
                "{} is a model of images, video or speech, whose files do not state the memory of its activations: `fit` and `recommend` take its folder",
                printable(&request.model)
            );
            return Err(Error::new(ErrorCode::ModelFile, message));
        }
        // The hub's name is another name of the model, unless another model has it.
        let other_name = hub_id.filter(|name| {
            let known = catalog.model(name).map(|row| catalog.str(row.id));
            *name != id && known.is_none_or(|known| known == id)
        });
        let text = entry(&id, other_name, hub_id, &found);
        let loaded = with_file(folder, overlays, &path, &text)?;
        let kept = loaded.catalog().model(&id).map(|row| row.shape);
        if kept != Some(found.shape) {
            let message = format!("{id} has a figure that no field of the catalog states");
            return Err(Error::new(ErrorCode::ModelConfig, message));
        }
        Ok(Self {
            id,
            path,
            text,
            replaces,
            notes: notes(&found),
            loaded,
        })
    }

    /// Checks again that the catalog accepts the model, because files of the folder may have changed.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::CatalogInvalid`] if the catalog with the model is invalid.
    pub fn check(&mut self, folder: &Path, overlays: &[PathBuf]) -> Result<()> {
        self.loaded = with_file(folder, overlays, &self.path, &self.text)?;
        Ok(())
    }

    /// Finds the file of a model that was kept.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::ModelUnknown`] if the folder has no such file.
    pub fn file(engine: &Engine<'_>, name: &str, folder: &Path) -> Result<PathBuf> {
        let catalog = engine.catalog();
        let known = catalog.model(name).map(|row| catalog.str(row.id));
        let path = path(folder, known.unwrap_or(name));
        if path.is_file() {
            return Ok(path);
        }
        let name = printable(name);
        let message = match known {
            Some(id) => {
                format!(
                    "{id} is not a model that `models add` keeps in {}",
                    folder.display()
                )
            }
            None => format!("no model '{name}'"),
        };
        let kept = kept(folder);
        let advice = if kept.is_empty() {
            "no model was added to your catalog".to_owned()
        } else {
            format!("your catalog has {}", kept.join(", "))
        };
        Err(Error::new(ErrorCode::ModelUnknown, message).advise(advice))
    }
}

/// The hub's name of a model; `None` for a path.
fn hub_id(model: &str) -> Option<&str> {
    match model.strip_prefix("hf:") {
        Some(id) => Some(id),
        None => Some(model).filter(|model| is_hub_name(model) && !Path::new(model).exists()),
    }
    .map(|id| id.split_once('@').map_or(id, |(name, _)| name))
}

/// The id of a model in the catalog.
fn id(request: &OwnModelRequest, hub_id: Option<&str>) -> Result<String> {
    let wrong = |message: String| Err(Error::new(ErrorCode::BadValue, message));
    let of_hub = hub_id.and_then(|id| id.rsplit('/').next());
    let Some(id) = request.name.as_deref().or(of_hub) else {
        return wrong("a model of files needs a name: use `as`".to_owned());
    };
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"._:/-".contains(&byte);
    let starts = id.starts_with(|c: char| c.is_ascii_alphanumeric());
    if !starts || id.len() > MAX_NAME || !id.bytes().all(fits) || id.starts_with("hf:") {
        return wrong(format!(
            "'{}' is not a name: it has at most {MAX_NAME} letters, digits and the characters . _ : / -, and starts with a letter or a digit",
            printable(id)
        ));
    }
    if ModelSize::parse(id).is_ok() {
        return wrong(format!("'{id}' is a size: `as` gives the model a name"));
    }
    Ok(id.to_owned())
}

/// Fails if the catalog has a model of this name.
fn check_new(catalog: &Catalog<'_>, id: &str) -> Result<()> {
    let text_model = catalog.model(id).map(|row| catalog.str(row.id));
    let media_model = catalog.media_model(id).map(|row| catalog.str(row.id));
    let Some(known) = text_model.or(media_model) else {
        return Ok(());
    };
    let message = format!("the catalog already has {known}");
    Err(Error::new(ErrorCode::BadValue, message).advise(
        "`as` gives the model another name; an overlay with the same id changes the catalog's model",
    ))
}

/// The path of the file of a model.
fn path(folder: &Path, id: &str) -> PathBuf {
    let id = id.to_ascii_lowercase().replace(['/', ':'], "--");
    folder.join(format!(
        "{PREFIX}{}.toml",
        printable(&id).replace(['/', '\\'], "-")
    ))
}

/// The names in the names of the files of a folder.
fn kept(folder: &Path) -> Vec<String> {
    let files = overlay_files(folder).unwrap_or_default();
    let names = files.iter().filter_map(|path| {
        let stem = path.file_stem()?.to_str()?;
        stem.strip_prefix(PREFIX).map(printable)
    });
    names.collect()
}

/// The text of the file of a model.
fn entry(id: &str, other_name: Option<&str>, hub_id: Option<&str>, found: &ModelFacts) -> String {
    // A JSON string without control characters is a TOML string.
    let quoted = |text: &str| Value::from(printable(text)).to_string();
    let mut text = format!(
        "# Written by `sky-accel models add`; `sky-accel models remove {id}` removes it.\n[[model]]\nid = {}\n",
        quoted(id)
    );
    let mut line = |name: &str, value: String| {
        let _ = writeln!(text, "{name} = {value}");
    };
    if let Some(name) = other_name {
        line("names", format!("[{}]", quoted(name)));
    }
    if found.kind == ModelKind::Encoder {
        line("kind", quoted("encoder"));
    }
    let stored_as = found
        .stored_as
        .as_deref()
        .filter(|format| *format != "bf16");
    if let Some(format) = stored_as {
        line("stored_as", quoted(format));
    } else if let Some(bytes) = found.checkpoint_bytes {
        line(
            "checkpoint_parameters",
            (bytes / PLAIN_BYTES).round().to_string(),
        );
    }
    if let Some(width) = found.fp8_block {
        line("fp8_block", width.to_string());
    }
    let source = hub_id.map_or_else(
        || found.source.clone(),
        |hub_id| format!("config.json of {hub_id}"),
    );
    line("source", quoted(&source));
    text + &shape_lines(&found.shape)
}

/// Facts of the files that the catalog cannot keep.
fn notes(found: &ModelFacts) -> Vec<Note> {
    let unknown = found.unknown_quantization.as_ref();
    let note = unknown.map(|words| {
        let message = format!(
            "the files are quantized with {words}, which is not in the catalog: the model is kept in 16 bits, and `precision` overrides it"
        );
        Note::new("unknown-quantization", message)
    });
    note.into_iter().collect()
}

/// Compiles the catalog with a file of the user's own folder.
fn with_file(folder: &Path, overlays: &[PathBuf], path: &Path, text: &str) -> Result<Loaded> {
    let mut overlays = overlays.to_vec();
    if has_files(folder) && !overlays.iter().any(|overlay| overlay == folder) {
        overlays.push(folder.to_owned());
    }
    let at = overlays.iter().position(|overlay| overlay == folder);
    let layer = Layer::overlay(at.unwrap_or(overlays.len()));
    let mut sources = sources::with_embedded(&overlays)?;
    replace(&mut sources, layer, path, text);
    let tables = compile(&sources).map_err(|errors| invalid(&errors))?;
    Ok(tables.into())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::json;

    use super::*;

    fn config(changes: &Value) -> String {
        let mut config = json!({"model_type": "gemma4_text", "hidden_size": 1024, "num_hidden_layers": 6,
            "num_attention_heads": 8, "num_key_value_heads": 4, "head_dim": 64, "global_head_dim": 128,
            "num_global_key_value_heads": 2, "attention_k_eq_v": true, "intermediate_size": 3072,
            "vocab_size": 32000, "sliding_window": 512, "max_position_embeddings": 40960,
            "layer_types": ["sliding_attention", "sliding_attention", "sliding_attention", "sliding_attention",
                "sliding_attention", "full_attention"]});
        for (name, value) in changes.as_object().unwrap() {
            config[name] = value.clone();
        }
        config.to_string()
    }

    fn read(folder: &Path, changes: &Value, name: Option<&str>) -> Result<OwnModel> {
        let file = folder.join("config.json");
        fs::write(&file, config(changes)).unwrap();
        let request = OwnModelRequest {
            model: file.display().to_string(),
            name: name.map(str::to_owned),
            assume: None,
        };
        let own = folder.join("catalog");
        OwnModel::read(&Engine::embedded(), &request, &own, &[], None)
    }

    #[test]
    fn a_kept_model_has_the_shape_of_its_files() {
        let home = tempfile::tempdir().unwrap();
        let own = read(home.path(), &json!({}), Some("acme/New-7B")).unwrap();
        assert_eq!(own.id, "acme/New-7B");
        let name = own.path.file_name().unwrap().to_str().unwrap();
        assert_eq!(name, "model-acme--new-7b.toml");
        let catalog = own.loaded.catalog();
        let window = catalog.model("ACME/new_7b").unwrap().shape.window.unwrap();
        assert_eq!(window.global_kv_heads, Some(2));
        assert!(!own.path.exists() && !own.replaces);
    }

    #[test]
    fn names_and_shapes_that_cannot_be_are_refused() {
        let home = tempfile::tempdir().unwrap();
        for (name, words) in [
            (None, "`as`"),
            (Some("7B"), "is a size"),
            (Some("Llama-3.1-8B"), "already has Llama-3.1-8B"),
            (Some("-x"), "is not a name"),
            (Some("../x"), "is not a name"),
            (Some("a b"), "is not a name"),
            (Some("hf:a/b"), "is not a name"),
            (Some("\u{1b}[2J"), "is not a name"),
        ] {
            let error = read(home.path(), &json!({}), name).err().unwrap();
            let message = &error.problems[0].message;
            assert!(message.contains(words), "{name:?}: {message}");
        }
        let changes = json!({"hidden_size": 0, "num_hidden_layers": 5000, "vocab_size": null});
        let error = read(home.path(), &changes, Some("x-1")).err().unwrap();
        let message = &error.problems[0].message;
        for words in [
            "`hidden_size` is 0, not a number between 1 and 4194304",
            "`num_hidden_layers` is 5000, not a number between 0 and 4096",
            "`vocab_size` is missing",
        ] {
            assert!(message.contains(words), "{message}");
        }
        assert!(!home.path().join("catalog").exists());
    }

    #[test]
    fn only_kept_models_can_be_removed() {
        let home = tempfile::tempdir().unwrap();
        let engine = Engine::embedded();
        fs::write(home.path().join("model-x-1.toml"), "").unwrap();
        assert!(OwnModel::file(&engine, "X-1", home.path()).is_ok());
        for name in ["Llama-3.1-8B", "x-2", "../model-x-1"] {
            let error = OwnModel::file(&engine, name, home.path()).err().unwrap();
            assert_eq!(error.problems[0].code, ErrorCode::ModelUnknown, "{name}");
            let advice = error.problems[0].advice.as_deref();
            assert_eq!(advice, Some("your catalog has x-1"), "{name}");
        }
    }
}
