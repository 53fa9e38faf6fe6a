//! Finds the model of a request: a name of the catalog, a size, or files.

use std::fmt::Display;
use std::fs;
use std::io::{self, BufReader, Read as _};
use std::path::Path;

use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use sky_accel_checkpoint::{
    ConfigError, Description, HeaderError, MAX_CONFIG_BYTES, MAX_HEADER_BYTES, Tensors, describe,
    describe_checkpoint, read_config, read_gguf, read_header,
};
use sky_accel_core::catalog::Catalog;
use sky_accel_core::note::Note;
use sky_accel_core::sizing::{Architecture, GIB, ModelKind};
use sky_accel_core::suggest;
use sky_accel_core::text::printable;
use sky_accel_files::input::open_regular;
use sky_accel_live::is_hub_name;

use super::hub::ModelHub;
use super::media;
use super::model_facts::{Media, ModelFacts};
use super::model_size::ModelSize;
use super::model_source::{ModelSource, without_hub_address};
use super::names::{Derivative, derivative, of_catalog, of_derivative};
use super::options::RunRequest;
use crate::code::ErrorCode;
use crate::error::{Error, ErrorKind, Result};
use crate::specs::read_spec;

/// The minimum context length of models that count as recent.
const MODERN_CONTEXT: u32 = 32_768;
/// The relative uncertainty of the number of parameters where only a size is given.
const SIZE_BAND: f64 = 0.08;

/// Reads the model of a request.
pub(super) fn read_model(
    catalog: &Catalog<'_>,
    request: &RunRequest,
    hub: Option<&ModelHub<'_>>,
    notes: &mut Vec<Note>,
) -> Result<ModelFacts> {
    let assume = request.assume.as_deref();
    match &request.source()? {
        None => Err(Error::new(
            ErrorCode::NoModel,
            "no model: give `model`, such as Llama-3.1-8B or ./config.json, or `model_size`, such as 13B",
        )),
        Some(ModelSource::Size(size)) => of_size(catalog, size, notes),
        Some(ModelSource::Config(config)) => {
            let found = describe(catalog, config, assume)
                .map_err(|error| wrong_config(catalog, "the configuration", &error))?;
            Ok(described("config", &found, "the configuration given"))
        }
        Some(ModelSource::Name(name)) => {
            let name = without_hub_address(name);
            if let Some(found) = of_catalog(catalog, name) {
                return Ok(found);
            }
            if let Some(found) = media::of_catalog(catalog, name)? {
                return Ok(found);
            }
            let folders = hub.and_then(|hub| hub.folders);
            let live = hub.filter(|hub| hub.is_live);
            if let Some(id) = name.strip_prefix("hf:") {
                return of_live_hub(catalog, id, live, assume);
            }
            let path = Path::new(name);
            match folders {
                None if path.exists() => of_path(catalog, name, assume),
                Some(folders) if folders.allows(path) => {
                    of_path(catalog, name, assume).map_err(|error| unquoted(name, &error))
                }
                // The same for files that are missing, and for files elsewhere.
                _ => of_other_name(catalog, name, hub, assume, notes),
            }
        }
    }
}

/// A model that is neither in the catalog nor a file: a model of a hub, or a derivative of a model of the catalog.
fn of_other_name(
    catalog: &Catalog<'_>,
    name: &str,
    hub: Option<&ModelHub<'_>>,
    assume: Option<&str>,
    notes: &mut Vec<Note>,
) -> Result<ModelFacts> {
    let live = hub.filter(|hub| hub.is_live && is_hub_name(name));
    let missing = match live.map(|hub| of_hub(catalog, name, hub, assume)) {
        Some(Ok(found)) => return Ok(found),
        Some(Err(error)) => Some(error),
        None => None,
    };
    if let Some(error) = missing
        .as_ref()
        .filter(|error| error.kind == ErrorKind::Interrupted)
    {
        return Err(error.clone());
    }
    if let Some(base) = derivative(catalog, name).filter(|found| found.is_draft) {
        return Err(media::is_draft(name, catalog.str(base.row.id)));
    }
    let has_folders = hub.is_some_and(|hub| hub.folders.is_some());
    let found = of_derivative(catalog, name, notes);
    found.ok_or_else(|| missing.unwrap_or_else(|| unknown(catalog, name, has_folders)))
}

/// Reads a model that a user keeps under another name: files, or a model of a hub.
pub(crate) fn read_files(
    catalog: &Catalog<'_>,
    name: &str,
    assume: Option<&str>,
    hub: Option<&ModelHub<'_>>,
) -> Result<ModelFacts> {
    let id = name.strip_prefix("hf:");
    if id.is_none() && Path::new(name).exists() {
        return of_path(catalog, name, assume);
    }
    match id.or(Some(name).filter(|name| is_hub_name(name))) {
        Some(id) => of_live_hub(catalog, id, hub.filter(|hub| hub.is_live), assume),
        None => Err(unknown(catalog, name, false)),
    }
}

fn described(name: &str, found: &Description<'_>, source: &str) -> ModelFacts {
    ModelFacts {
        kind: if found.is_encoder {
            ModelKind::Encoder
        } else {
            ModelKind::Text
        },
        stored_as: found.stored_as.map(str::to_owned),
        format: found.format,
        kv_cache: found.kv_cache,
        unknown_quantization: found.unknown_quantization.as_deref().map(printable),
        fp8_block: found.fp8_block,
        ..ModelFacts::of_shape(name.to_owned(), &found.shape, source.to_owned())
    }
}

fn wrong_config(catalog: &Catalog<'_>, what: &str, error: &ConfigError) -> Error {
    let message = printable(&format!("{what}: {error}"));
    let unusable = Error::new(ErrorCode::ModelConfig, message);
    let ConfigError::UnknownModelType(name) = error else {
        return unusable;
    };
    let model_types = catalog
        .families
        .iter()
        .flat_map(|row| catalog.strings(row.model_types));
    unusable
        .hint(suggest::closest(name, model_types))
        .advise("`assume` llama, or another known type, reads it as that architecture")
}

fn of_path(catalog: &Catalog<'_>, name: &str, assume: Option<&str>) -> Result<ModelFacts> {
    let path = Path::new(name);
    let wrong =
        |why: String| Error::new(ErrorCode::ModelFile, printable(&format!("{name}: {why}")));
    let meta = fs::metadata(path).map_err(|error| wrong(error.to_string()))?;
    if meta.is_dir() {
        return of_folder(catalog, path, name, assume);
    }
    if !meta.is_file() {
        return Err(wrong("neither a file nor a folder".to_owned()));
    }
    let ends = |end: &str| name.to_ascii_lowercase().ends_with(end);
    if ends(".gguf") {
        let file = open_regular(path).map_err(|error| wrong(error.to_string()))?;
        let model = read_gguf(BufReader::new(file)).map_err(|error| wrong(error.to_string()))?;
        if model.bytes > meta.len() as f64 {
            return Err(wrong(
                "it is shorter than its tensors: the rest is missing".to_owned(),
            ));
        }
        let source = format!("{name} (GGUF, {})", printable(&model.architecture));
        let name_of_file = printable(model.name.as_deref().unwrap_or(name));
        return Ok(ModelFacts {
            checkpoint: Some(name.to_owned()),
            checkpoint_bytes: Some(model.bytes),
            stored_as: model
                .format(catalog)
                .map(|row| catalog.str(row.name).to_owned()),
            format: Some(model.weight_format()),
            ..ModelFacts::of_shape(name_of_file, &model.shape, source)
        });
    }
    if ends(".safetensors") {
        let tensors = tensors(path, MAX_HEADER_BYTES).map_err(|error| wrong(error.to_string()))?;
        let folder = path.parent().unwrap_or(Path::new("."));
        let mut found = of_config(catalog, &folder.join("config.json"), name, assume)?;
        found.checkpoint = Some(folder.display().to_string());
        found.checkpoint_bytes = Some(tensors.bytes as f64);
        return Ok(by_bytes(found, &tensors));
    }
    of_config(catalog, path, name, assume)
}

/// The reason and the advice for an unknown model, where any file may be read.
const ANY_PATH: (&str, &str) = (
    "no file or folder has that name",
    "give a size such as 13B, a config.json, a folder, a GGUF file, or organization/name with `live`; `sky-accel models` lists the names",
);
/// The same where only files below some folders may be read.
const PATHS_BELOW: (&str, &str) = (
    "it is not the path of a model below an allowed folder",
    "give a name, a size such as 13B, or organization/name with `live`; the option `allow` of the server names a folder with models",
);

/// Hides the texts of a file from the sender of a request.
fn unquoted(name: &str, error: &Error) -> Error {
    let code = error.problems.first().map(|problem| problem.code);
    let message = format!("{}: no model can be read from it", printable(name));
    Error::new(code.unwrap_or(ErrorCode::ModelFile), message)
        .advise("`sky-accel fit` in a terminal shows the reason")
}

/// The error for an unknown model. `has_folders` is true if only files below some folders may be read.
fn unknown(catalog: &Catalog<'_>, name: &str, has_folders: bool) -> Error {
    if read_spec(catalog, name).is_ok() {
        let message = format!("'{}' is hardware, not a model", printable(name));
        return Error::new(ErrorCode::ModelUnknown, message).advise(
            "`sky-accel models --on HARDWARE` lists the models that it runs, `sky-accel fit HARDWARE MODEL` sizes a model on it, and `sky-accel resolve HARDWARE` finds its prices",
        );
    }
    let ids = catalog.models.iter().map(|row| catalog.str(row.id));
    let near = suggest::closest(name, ids);
    let (reason, advice) = if has_folders { PATHS_BELOW } else { ANY_PATH };
    let message = format!("unknown model '{}', and {reason}", printable(name));
    let file = name.strip_suffix(".gguf").unwrap_or_default();
    if let Some(Derivative {
        row,
        format: Some(format),
        is_draft: false,
        ..
    }) = derivative(catalog, file)
    {
        let (model, format) = (catalog.str(row.id), catalog.str(format.name));
        return Error::new(ErrorCode::ModelUnknown, message).advise(format!(
            "without the file, `{model}` with `precision` {format} sizes the same weights"
        ));
    }
    let advice = if is_hub_name(name) {
        format!("{}; or give {OTHER_FILES}", downloads(name))
    } else {
        advice.to_owned()
    };
    Error::new(ErrorCode::ModelUnknown, message)
        .hint(near)
        .advise(advice)
}

/// The other ways to describe a model of a hub.
const OTHER_FILES: &str = "the path of its config.json, or a size such as 13B";

/// The commands that download the configuration of a model of a hub.
fn downloads(id: &str) -> String {
    format!(
        "`sky-accel models add {id} --live` downloads its config.json and keeps it in your catalog; with `live`, this command reads it without keeping it"
    )
}

/// A model of a hub, if downloads are allowed.
fn of_live_hub(
    catalog: &Catalog<'_>,
    id: &str,
    live: Option<&ModelHub<'_>>,
    assume: Option<&str>,
) -> Result<ModelFacts> {
    let Some(hub) = live else {
        let message = format!("{} must be downloaded: use `live`", printable(id));
        let error = Error::new(ErrorCode::NotLive, message);
        return Err(if is_hub_name(id) {
            error.advise(downloads(id))
        } else {
            error
        });
    };
    of_hub(catalog, id, hub, assume)
}

/// A model of a hub, from its configuration and the size of its files.
fn of_hub(
    catalog: &Catalog<'_>,
    name: &str,
    hub: &ModelHub<'_>,
    assume: Option<&str>,
) -> Result<ModelFacts> {
    let files = hub.files(name)?;
    let wrong =
        |why: String| Error::new(ErrorCode::ModelFile, printable(&format!("{name}: {why}")));
    let read = |bytes: &[u8]| read_config(bytes).map_err(|error| wrong(error.to_string()));
    let config = read(&files.config)?;
    let quantization = files.quantization.as_deref().map(read).transpose()?;
    let found = describe_checkpoint(catalog, &config, quantization.as_ref(), assume)
        .map_err(|error| wrong_config(catalog, &format!("{name}: config.json"), &error))?;
    let mut found = described(
        &printable(name),
        &found,
        &format!("config.json of {}", printable(name)),
    );
    found.checkpoint = Some(name.to_owned());
    found.checkpoint_bytes = match files.index.as_deref() {
        Some(index) => total_size(index)
            .map_err(|why| wrong(format!("model.safetensors.index.json: {why}")))?,
        None => None,
    };
    Ok(found)
}

fn of_config(
    catalog: &Catalog<'_>,
    path: &Path,
    name: &str,
    assume: Option<&str>,
) -> Result<ModelFacts> {
    let wrong = |why: &dyn Display| {
        let message = format!("{}: {why}", path.display());
        Error::new(ErrorCode::ModelFile, printable(&message))
    };
    let config = read_config_file(path).map_err(|error| wrong(&error))?;
    let beside = path.with_file_name("hf_quant_config.json");
    let quantization = if beside.exists() {
        let in_file = |why: Unreadable| wrong(&format!("{}: {why}", beside.display()));
        Some(read_config_file(&beside).map_err(in_file)?)
    } else {
        None
    };
    let found = describe_checkpoint(catalog, &config, quantization.as_ref(), assume)
        .map_err(|error| wrong_config(catalog, &path.display().to_string(), &error))?;
    Ok(described(
        &printable(name),
        &found,
        &printable(&path.display().to_string()),
    ))
}

/// The reason why a file of a model cannot be read.
#[derive(Debug, thiserror::Error)]
enum Unreadable {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error(transparent)]
    Config(#[from] ConfigError),
    #[error(transparent)]
    Header(#[from] HeaderError),
    #[error("it is larger than the limit of {MAX_INDEX_BYTES} bytes")]
    LongIndex,
    #[error("it is not an index: {0}")]
    Index(#[from] serde_json::Error),
}

/// The fields of a configuration file.
fn read_config_file(path: &Path) -> std::result::Result<Map<String, Value>, Unreadable> {
    let mut text = Vec::new();
    let file = open_regular(path)?;
    file.take(MAX_CONFIG_BYTES + 1).read_to_end(&mut text)?;
    Ok(read_config(&text)?)
}

/// A model of a folder with a `config.json` and, optionally, weights.
fn of_folder(
    catalog: &Catalog<'_>,
    folder: &Path,
    name: &str,
    assume: Option<&str>,
) -> Result<ModelFacts> {
    if folder.join(PIPELINE).exists() {
        return of_pipeline(catalog, folder, name);
    }
    let mut found = of_config(catalog, &folder.join("config.json"), name, assume)?;
    found.checkpoint = Some(name.to_owned());
    let wrong =
        |why: String| Error::new(ErrorCode::ModelFile, printable(&format!("{name}: {why}")));
    let entries = fs::read_dir(folder).map_err(|error| wrong(error.to_string()))?;
    let mut paths: Vec<_> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|end| end == "safetensors"))
        .collect();
    paths.sort();
    let mut weights = Tensors::default();
    for path in &paths {
        let before = weights.header_bytes;
        let read = tensors(path, MAX_HEADER_BYTES - before).map_err(|why| match why {
            Unreadable::Header(HeaderError::TooLong { .. }) if before > 0 => wrong(format!(
                "the headers of its safetensors files exceed the limit of {MAX_HEADER_BYTES} bytes"
            )),
            why => wrong(format!("{}: {why}", path.display())),
        })?;
        weights = weights.and(read);
    }
    let index = folder.join("model.safetensors.index.json");
    let stated = stated_size(&index).map_err(|why| wrong(format!("{}: {why}", index.display())))?;
    if weights.count > 0 {
        found.checkpoint_bytes = Some(weights.bytes as f64);
        if let Some(stated) =
            stated.filter(|stated| (*stated - weights.bytes as f64).abs() > stated * 0.001)
        {
            let message = format!(
                "its index lists {stated} bytes, but the files have {}: a file is missing",
                weights.bytes
            );
            return Err(wrong(message));
        }
    } else {
        found.checkpoint_bytes = stated;
    }
    Ok(by_bytes(found, &weights))
}

/// The file that lists the parts of an image or video model; each part has a folder.
const PIPELINE: &str = "model_index.json";
/// The maximum number of parts: models have a handful.
const MOST_PARTS: usize = 64;

/// A model of a folder with parts. The files do not tell the memory of activations, so the catalog has a typical value.
fn of_pipeline(catalog: &Catalog<'_>, folder: &Path, name: &str) -> Result<ModelFacts> {
    let wrong =
        |why: String| Error::new(ErrorCode::ModelFile, printable(&format!("{name}: {why}")));
    let mut weights = Tensors::default();
    let mut parts: Vec<_> = fs::read_dir(folder)
        .map_err(|error| wrong(error.to_string()))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.is_dir())
        .collect();
    parts.sort();
    if parts.len() > MOST_PARTS {
        return Err(wrong(format!(
            "it has more than the limit of {MOST_PARTS} folders"
        )));
    }
    for part in &parts {
        for path in files_of_part(part).map_err(|error| wrong(error.to_string()))? {
            let limit = MAX_HEADER_BYTES.saturating_sub(weights.header_bytes);
            let read =
                tensors(&path, limit).map_err(|why| wrong(format!("{}: {why}", path.display())))?;
            weights = weights.and(read);
        }
    }
    if weights.count == 0 {
        return Err(wrong(format!(
            "it has {PIPELINE}, but no weights in its folders"
        )));
    }
    let activations = catalog.coefficient("media-activations-gib", "");
    let media = Media {
        parameters: weights.values as f64,
        activations: activations.unwrap_or_default() * GIB,
        unit: "an image of 1024 × 1024".to_owned(),
        diffusion: None,
        transcriber: None,
    };
    Ok(ModelFacts {
        source: printable(&format!("the files of {name}")),
        checkpoint: Some(name.to_owned()),
        checkpoint_bytes: Some(weights.bytes as f64),
        ..media::of_parts(printable(name), ModelKind::Image, media)
    })
}

/// The weight files of a part, without copies in half precision.
fn files_of_part(part: &Path) -> io::Result<Vec<std::path::PathBuf>> {
    let mut paths: Vec<_> = fs::read_dir(part)?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|end| end == "safetensors"))
        .collect();
    paths.sort();
    let is_copy = |path: &Path| path.to_string_lossy().contains(".fp16");
    if paths.iter().any(|path| !is_copy(path)) {
        paths.retain(|path| !is_copy(path));
    }
    Ok(paths)
}

/// The maximum size of an index. The largest models have about 20 MB.
const MAX_INDEX_BYTES: u64 = 32 << 20;

/// The head of the index of a folder with several weight files. Other fields are skipped without keeping them.
#[derive(Deserialize)]
struct Index {
    metadata: Option<IndexMetadata>,
}

#[derive(Deserialize)]
struct IndexMetadata {
    #[serde(default)]
    total_size: OptionalNumber,
}

/// A number; other values count as missing, since some tools write text here.
#[derive(Default)]
struct OptionalNumber(Option<f64>);

impl<'de> Deserialize<'de> for OptionalNumber {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> std::result::Result<Self, D::Error> {
        deserializer.deserialize_any(Anything)
    }
}

/// Accepts a number, and skips everything else without keeping it.
struct Anything;

impl<'de> Visitor<'de> for Anything {
    type Value = OptionalNumber;

    fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("a number")
    }

    fn visit_f64<E>(self, number: f64) -> std::result::Result<OptionalNumber, E> {
        Ok(OptionalNumber(Some(number)))
    }

    fn visit_u64<E>(self, number: u64) -> std::result::Result<OptionalNumber, E> {
        Ok(OptionalNumber(Some(number as f64)))
    }

    fn visit_i64<E>(self, _: i64) -> std::result::Result<OptionalNumber, E> {
        Ok(OptionalNumber(None))
    }

    fn visit_bool<E>(self, _: bool) -> std::result::Result<OptionalNumber, E> {
        Ok(OptionalNumber(None))
    }

    fn visit_str<E>(self, _: &str) -> std::result::Result<OptionalNumber, E> {
        Ok(OptionalNumber(None))
    }

    fn visit_unit<E>(self) -> std::result::Result<OptionalNumber, E> {
        Ok(OptionalNumber(None))
    }

    fn visit_seq<A: SeqAccess<'de>>(
        self,
        mut values: A,
    ) -> std::result::Result<OptionalNumber, A::Error> {
        while values.next_element::<IgnoredAny>()?.is_some() {}
        Ok(OptionalNumber(None))
    }

    fn visit_map<A: MapAccess<'de>>(
        self,
        mut fields: A,
    ) -> std::result::Result<OptionalNumber, A::Error> {
        while fields.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(OptionalNumber(None))
    }
}

/// The total size of the weight files in bytes, from an index.
fn total_size(index: impl io::Read) -> serde_json::Result<Option<f64>> {
    let index: Index = serde_json::from_reader(index)?;
    let bytes = index.metadata.and_then(|metadata| metadata.total_size.0);
    Ok(bytes.filter(|bytes| *bytes > 0.0))
}

/// The total size of the weight files of a folder, from its index; `None` without an index.
fn stated_size(index: &Path) -> std::result::Result<Option<f64>, Unreadable> {
    let file = match open_regular(index) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(error.into()),
    };
    if file.metadata()?.len() > MAX_INDEX_BYTES {
        return Err(Unreadable::LongIndex);
    }
    Ok(total_size(BufReader::new(file.take(MAX_INDEX_BYTES)))?)
}

/// Infers the format of files that do not state it, 32 or 16 bits, from their size.
fn by_bytes(mut found: ModelFacts, tensors: &Tensors) -> ModelFacts {
    let parameters = found.shape.parameters().total();
    if found.stored_as.is_none() && tensors.values as f64 > 0.9 * parameters {
        let bits = tensors.bytes as f64 * 8.0 / tensors.values as f64;
        if bits > 24.0 {
            found.stored_as = Some("fp32".to_owned());
        }
    }
    found
}

/// Reads the tensors of a file whose header has at most `max_header` bytes.
fn tensors(path: &Path, max_header: u64) -> std::result::Result<Tensors, Unreadable> {
    let file = open_regular(path)?;
    let length = file.metadata()?.len();
    Ok(read_header(BufReader::new(file), length, max_header)?)
}

/// A model of which only the size is known: the shape of the nearest recent model, scaled.
fn of_size(catalog: &Catalog<'_>, size: &ModelSize, notes: &mut Vec<Note>) -> Result<ModelFacts> {
    let target = size.parameters();
    // Recent models are recognized by grouped-query attention and a long context. An unnamed model generates text and
    // reads no images.
    let dense = catalog.models.iter().filter(|row| {
        let shape = &row.shape;
        row.kind == ModelKind::Text
            && shape.image_parameters == 0
            && shape.extra_parameters == 0
            && shape.experts.is_none()
            && shape.window.is_none()
            && shape.attention_layers.is_none()
            && shape.kv_heads < shape.heads
            && shape.context.is_some_and(|tokens| tokens >= MODERN_CONTEXT)
    });
    let nearest = dense.min_by(|a, b| {
        let distance = |shape: &Architecture| (shape.parameters().total() / target).ln().abs();
        distance(&a.shape).total_cmp(&distance(&b.shape))
    });
    let Some(row) = nearest else {
        return Err(Error::new(
            ErrorCode::BadModelSize,
            "the catalog has no models to compare with",
        ));
    };
    let mut shape = Architecture {
        extra_parameters: 0,
        context: None,
        ..row.shape
    };
    let parameters = shape.parameters().total();
    let layers = (f64::from(shape.layers) * target / parameters)
        .round()
        .clamp(1.0, 4096.0);
    shape.layers = layers as u32;
    shape.other_matrices += (target - shape.parameters().total()) as i64;
    if shape.check().is_err() {
        shape.other_matrices = 0;
    }
    notes.push(Note::new(
        "size-only",
        format!(
            "estimated from the shape of {}, ±{:.0}%; another model of this size may need half or several times the KV cache",
            catalog.str(row.id),
            SIZE_BAND * 100.0
        ),
    ));
    let source = format!("the shape of {}, scaled", catalog.str(row.id));
    Ok(ModelFacts {
        size_band: SIZE_BAND,
        ..ModelFacts::of_shape(size.as_str().to_owned(), &shape, source)
    })
}

#[cfg(test)]
mod tests {
    use super::Index;

    #[test]
    fn the_size_in_an_index_is_a_number() {
        let size = |value: &str| {
            let text =
                format!(r#"{{"metadata":{{"total_size":{value}}},"weight_map":{{"a":"b"}}}}"#);
            let index: Index = serde_json::from_str(&text).unwrap();
            index.metadata.unwrap().total_size.0
        };
        assert_eq!(size("16060522496"), Some(16_060_522_496.0));
        assert_eq!(size("1.5e9"), Some(1.5e9));
        for other in [
            "-1",
            "null",
            "true",
            r#""16060522496""#,
            "[1, [2]]",
            r#"{"a": 1}"#,
        ] {
            assert_eq!(size(other), None, "{other}");
        }
        let bare: Index = serde_json::from_str(r#"{"metadata":{}}"#).unwrap();
        assert_eq!(bare.metadata.unwrap().total_size.0, None);
        let none: Index = serde_json::from_str("{}").unwrap();
        assert!(none.metadata.is_none());
    }
}
