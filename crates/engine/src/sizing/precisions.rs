//! The precisions that a model can be served in: the source of weights in a format, and the loss of quality.

use sky_accel_core::catalog::{
    AcceleratorId, Catalog, Computed, Execution, ModelName, QuantizedPart,
};
use sky_accel_core::sizing::{
    CacheFormat, ModelKind, Run, ServingEngine, Support, WeightFormat, supports,
};
use sky_accel_core::text::name_key;

use super::execution::execution;
use super::model_facts::ModelFacts;
use super::run::ModelRun;
use crate::contract::{Num, QualityLossOut};

/// 16-bit formats, between which serving engines convert while loading weights.
const HALVES: [&str; 2] = ["bf16", "fp16"];
/// Formats that serving engines quantize 16-bit weights to while loading, and these serving engines.
const QUANTIZED_ON_LOAD: [(&str, &[ServingEngine]); 2] = [
    ("fp8", &[ServingEngine::Vllm, ServingEngine::Sglang]),
    ("nf4", &[ServingEngine::Vllm]),
];
/// The greatest measured loss of GGUF formats to search, in percent: llama.cpp can convert models to formats of any
/// size.
const MOST_GGUF_LOSS: f64 = 2.0;
/// The words after the name of a checkpoint that was trained in another way.
const TRAINED: [&str; 5] = ["instruct", "chat", "it", "base", "pt"];

/// The source of weights in the format of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WeightSource<'c> {
    /// The files of the model have the format.
    Files,
    /// A published checkpoint, by its hub id.
    Checkpoint(&'c str),
    /// The serving engine quantizes the files of the model while it loads them.
    OnLoad,
}

/// True for formats with 16 bits.
fn is_half(format: &str) -> bool {
    HALVES.contains(&format)
}

/// The format of the model's files.
fn stored(model: &ModelFacts) -> &str {
    model.stored_as.as_deref().unwrap_or(HALVES[0])
}

/// A run in another precision than the request has, and the sources of its weights.
#[derive(Clone, Debug)]
pub(crate) struct Precision<'c> {
    /// The run.
    pub work: ModelRun,
    /// The published checkpoints, the best first.
    checkpoints: Vec<&'c str>,
    /// True if the serving engine or its tools make the weights from the files of the model, or if these have the
    /// format.
    is_made: bool,
}

impl<'c> Precision<'c> {
    /// The source of the weights on a device; `None` if no source is known.
    pub fn source(&self, catalog: &Catalog<'c>, device: AcceleratorId) -> Option<WeightSource<'c>> {
        source_among(catalog, &self.work, &self.checkpoints, Some(device))
    }

    /// True if the serving engine is known to run it on a device, and the weights have a source.
    pub fn runs(&self, catalog: &Catalog<'_>, device: AcceleratorId) -> bool {
        let work = &self.work;
        let runs = match execution(catalog, device, work) {
            Execution::Runs(how) => how != Computed::None,
            // Entries of llama.cpp name only the formats that it does not run.
            Execution::Unknown => work.run.engine == ServingEngine::LlamaCpp,
            Execution::Refused(_) => false,
        };
        let mut checkpoints = self.checkpoints.iter();
        runs && (self.is_made || checkpoints.any(|id| is_for(catalog, work, id, Some(device))))
            && (work.run.cache != CacheFormat::Fp8
                || supports(catalog, device, "fp8") == Support::Yes)
    }

    /// The same with the KV cache in fp8; `None` for engines without it, and if it has another format already.
    pub fn with_fp8_cache(&self) -> Option<Self> {
        let work = with_fp8_cache(&self.work)?;
        Some(Self {
            work,
            ..self.clone()
        })
    }
}

/// The source of the weights of a run on a device; `None` if no source is known. A published checkpoint is better than
/// quantizing on load: it was calibrated, and its files are smaller.
pub(crate) fn weight_source<'c>(
    catalog: &Catalog<'c>,
    work: &ModelRun,
    device: Option<AcceleratorId>,
) -> Option<WeightSource<'c>> {
    source_among(catalog, work, &known_checkpoints(catalog, work), device)
}

/// The source of the weights of a run with these published checkpoints.
fn source_among<'c>(
    catalog: &Catalog<'c>,
    work: &ModelRun,
    checkpoints: &[&'c str],
    device: Option<AcceleratorId>,
) -> Option<WeightSource<'c>> {
    if is_in_files(work) {
        return Some(WeightSource::Files);
    }
    let mut checkpoints = checkpoints.iter();
    if let Some(id) = checkpoints.find(|id| is_for(catalog, work, id, device)) {
        return Some(WeightSource::Checkpoint(id));
    }
    is_made_on_load(work, &work.precision).then_some(WeightSource::OnLoad)
}

/// True if the files of the model have the format of a run, or another format with 16 bits.
fn is_in_files(work: &ModelRun) -> bool {
    let (stored, precision) = (stored(&work.model), work.precision.as_str());
    stored == precision || is_half(stored) && is_half(precision)
}

/// The published checkpoints in the format of a run, unless the files of the model have it.
fn known_checkpoints<'c>(catalog: &Catalog<'c>, work: &ModelRun) -> Vec<&'c str> {
    if is_in_files(work) {
        return Vec::new();
    }
    checkpoints(work, &published(catalog, &work.model))
}

/// The published checkpoint of a run whose model was named with a format, such as `Llama-3.3-70B-FP8`, and without
/// files.
pub(crate) fn published_checkpoint<'c>(
    catalog: &Catalog<'c>,
    work: &ModelRun,
    device: Option<AcceleratorId>,
) -> Option<&'c str> {
    let mut work = work.clone();
    work.model.checkpoint = Some(work.model.original.take()?);
    let ids = checkpoints(&work, &published(catalog, &work.model));
    ids.into_iter()
        .find(|id| is_for(catalog, &work, id, device))
}

/// True if the serving engine quantizes the files of the model to a format while it loads them.
fn is_made_on_load(work: &ModelRun, format: &str) -> bool {
    let engine = work.run.engine;
    let mut on_load = QUANTIZED_ON_LOAD.iter();
    is_half(stored(&work.model))
        && on_load.any(|(name, engines)| *name == format && engines.contains(&engine))
}

/// The organization of a hub id.
fn owner(id: &str) -> &str {
    id.split_once('/').map_or("", |(owner, _)| owner)
}

/// The organization that published the model.
fn maker(model: &ModelFacts) -> &str {
    model.checkpoint.as_deref().map_or("", owner)
}

/// The published checkpoints in the format of a run; those of the maker of the model come first.
fn checkpoints<'c>(work: &ModelRun, published: &[(&'c str, &'c str)]) -> Vec<&'c str> {
    let in_format = published
        .iter()
        .filter(|(format, _)| *format == work.precision);
    let mut ids: Vec<&str> = in_format.map(|(_, id)| *id).collect();
    ids.sort_by_key(|id| owner(id) != maker(&work.model));
    ids
}

/// True if a checkpoint is for a device. Vendors of devices quantize with their own tools, whose files engines read on
/// the devices of the vendor.
fn is_for(catalog: &Catalog<'_>, work: &ModelRun, id: &str, device: Option<AcceleratorId>) -> bool {
    let owner = owner(id);
    let vendor = device.map(|device| catalog.accelerator(device).vendor);
    owner == maker(&work.model)
        || catalog.vendors.iter().all(|other| {
            let is_owner = catalog.str(other.name).eq_ignore_ascii_case(owner);
            !is_owner || Some(other.name) == vendor
        })
}

/// The published checkpoints of a model in other formats: format and hub id.
fn published<'c>(catalog: &Catalog<'c>, model: &ModelFacts) -> Vec<(&'c str, &'c str)> {
    let tail = |id: &str| name_key(id.rsplit('/').next().unwrap_or(id));
    let Some(own) = model.checkpoint.as_deref().map(tail) else {
        return Vec::new();
    };
    let mut halves = HALVES.iter();
    let original = halves
        .find_map(|half| own.strip_suffix(half))
        .unwrap_or(&own);
    let Some(named) = catalog.model_name(&model.name) else {
        return Vec::new();
    };
    let is_other = |row: &ModelName| row.model == named.model && row.stored_as.len > 0;
    let rows = catalog.model_names.iter().filter(is_other);
    let ids = rows.map(|row| (catalog.str(row.stored_as), catalog.str(row.text)));
    // Checkpoints of another variant of the model have another name, not only another format.
    let is_same = |(_, id): &(&str, &str)| {
        let key = tail(id);
        key.find(original).is_some_and(|at| {
            let rest = &key[at + original.len()..];
            let is_number = rest.starts_with(|c: char| c.is_ascii_digit());
            !rest.is_empty() && !is_number && !TRAINED.iter().any(|word| rest.starts_with(word))
        })
    };
    ids.filter(is_same).collect()
}

/// The same work in the other formats that exist: as a published checkpoint, or made by the serving engine. Formats
/// with fewer bits than the files come first, the largest of them first.
pub(crate) fn in_other_formats<'c>(catalog: &Catalog<'c>, work: &ModelRun) -> Vec<Precision<'c>> {
    let is_text = work.model.kind == ModelKind::Text && work.model.media.is_none();
    let is_llama_cpp = work.run.engine == ServingEngine::LlamaCpp;
    let is_server = work.run.engine.serves() || is_llama_cpp;
    if !is_text || work.run.workload.is_training() || !is_server {
        return Vec::new();
    }
    let published = published(catalog, &work.model);
    let is_half_stored = is_half(stored(&work.model));
    let rows = catalog.weight_formats.iter().filter_map(|row| {
        let name = catalog.str(row.name);
        let is_same = name == work.precision || is_half(name) && is_half(&work.precision);
        let is_gguf = catalog.engine_of(&row) == Some(ServingEngine::LlamaCpp);
        if is_same || is_gguf != is_llama_cpp {
            return None;
        }
        let is_converted = || {
            let loss = catalog.quality_loss(QuantizedPart::Weights, name);
            is_half_stored && row.is_common && loss.is_some_and(|loss| loss.high <= MOST_GGUF_LOSS)
        };
        let is_published = published.iter().any(|(format, _)| *format == name);
        let is_made =
            is_made_on_load(work, name) || name == stored(&work.model) || is_gguf && is_converted();
        if !is_made && !is_published {
            return None;
        }
        let mut work = work.with_precision(catalog, name)?;
        let checkpoints = checkpoints(&work, &published);
        let first = checkpoints.first().filter(|_| !is_made);
        let exact = first.and_then(|id| catalog.checkpoint_format(&catalog.model_name(id)?));
        if let Some(exact) = exact {
            work.run.weights = exact.applied_to(work.run.weights);
        }
        Some(Precision {
            work,
            checkpoints,
            is_made,
        })
    });
    let mut others: Vec<Precision<'c>> = rows.collect();
    let published: Vec<WeightFormat> = others
        .iter()
        .filter(|other| !other.checkpoints.is_empty())
        .map(|other| other.work.run.weights)
        .collect();
    others.retain(|other| {
        let replaces = |format: &WeightFormat| replaces(format, &other.work.run.weights);
        !other.checkpoints.is_empty() || !published.iter().any(replaces)
    });
    let own = weight_bytes(work);
    others.sort_by(|a, b| {
        let (a, b) = (weight_bytes(&a.work), weight_bytes(&b.work));
        (a > own).cmp(&(b > own)).then_with(|| b.total_cmp(&a))
    });
    others
}

/// True if a published format replaces a format that the engine makes on load: the made format is dequantized for each
/// product, and the published format has no more bits and runs on the same devices without dequantizing.
fn replaces(published: &WeightFormat, made: &WeightFormat) -> bool {
    let is_unpacked = published.compute_bits >= 16.0 && !published.dequantizes;
    made.dequantizes && is_unpacked && published.bits <= made.bits
}

/// The bytes of the weights of a run, over all devices.
pub(crate) fn weight_bytes(work: &ModelRun) -> f64 {
    work.run.weights.bytes(&work.model.shape).total()
}

/// The same work with the KV cache in fp8; `None` for engines without it, for other work, and if it has another format
/// already.
fn with_fp8_cache(work: &ModelRun) -> Option<ModelRun> {
    let run = &work.run;
    let is_possible = matches!(run.engine, ServingEngine::Vllm | ServingEngine::Sglang)
        && run.cache == CacheFormat::Bf16
        && !run.workload.is_training()
        && work.model.shape.has_cache();
    is_possible.then(|| ModelRun {
        run: Run {
            cache: CacheFormat::Fp8,
            ..*run
        },
        ..work.clone()
    })
}

/// The work in the format of the request.
pub(crate) fn own<'c>(catalog: &Catalog<'c>, work: &ModelRun) -> Precision<'c> {
    Precision {
        checkpoints: known_checkpoints(catalog, work),
        work: work.clone(),
        is_made: true,
    }
}

/// The losses of quality of a run against the original run, one for each part with another precision.
pub(crate) fn losses(
    catalog: &Catalog<'_>,
    work: &ModelRun,
    original: &ModelRun,
) -> Vec<QualityLossOut> {
    let mut parts = Vec::new();
    if work.precision != original.precision {
        parts.push((QuantizedPart::Weights, work.precision.clone()));
    }
    if work.run.cache != original.run.cache {
        parts.push((QuantizedPart::KvCache, work.run.cache.to_string()));
    }
    let losses = parts.into_iter().map(|(part, format)| {
        let measured = catalog.quality_loss(part, &format);
        let text = |text| catalog.str(text).to_owned();
        QualityLossOut {
            part,
            format,
            low_percent: measured.map(|loss| Num(loss.low)),
            high_percent: measured.map(|loss| Num(loss.high)),
            measure: measured.map(|loss| loss.measure),
            source: measured.map(|loss| text(loss.source)),
            as_of: measured.map(|loss| text(loss.as_of)),
        }
    });
    losses.collect()
}

#[cfg(test)]
mod tests {
    use sky_accel_catalog::{Layer, Source, Tables, compile};
    use sky_accel_embedded::test_catalog::files;

    use super::*;
    use crate::sizing::{ModelSource, RunRequest, read};
    use crate::specs::read_spec;

    /// The test catalog, and a model with checkpoints in other formats.
    fn tables() -> Tables {
        const MODEL: &str = r#"
[[model]]
id = "Tiny-1B"
names = ["acme/Tiny-1B", "tiny"]
layers = 2
hidden = 64
heads = 4
head_dim = 16
ffn = 128
vocab = 1000
checkpoints = [
    { id = "AMD/Tiny-1B-FP8", stored_as = "fp8" },
    { id = "nvidia/Tiny-1B-FP8", stored_as = "fp8" },
    { id = "somebody/Tiny-1B-FP8-dynamic", stored_as = "fp8" },
    { id = "anybody/Tiny-1B-AWQ", stored_as = "awq" },
    { id = "acme/Tiny-1B-AWQ", stored_as = "awq" },
    { id = "acme/Tiny-1B-Instruct-GPTQ-Int4", stored_as = "gptq-int4" },
    { id = "acme/Tiny-1B-2507-NVFP4", stored_as = "nvfp4" },
]
source = "config.json of acme/Tiny-1B"
"#;
        let mut sources: Vec<Source> = files()
            .iter()
            .map(|file| Source::toml(Layer::EMBEDDED, file.path, file.text))
            .collect();
        sources.push(Source::toml(Layer::EMBEDDED, "more.toml", MODEL));
        compile(&sources).unwrap()
    }

    fn work(catalog: &Catalog<'_>, precision: Option<&str>, engine: ServingEngine) -> ModelRun {
        let request = RunRequest {
            model: Some(ModelSource::read("Tiny-1B")),
            precision: precision.map(str::to_owned),
            engine: Some(engine),
            ..RunRequest::default()
        };
        read(catalog, &request, None).unwrap()
    }

    fn device(catalog: &Catalog<'_>, name: &str) -> AcceleratorId {
        read_spec(catalog, name).unwrap()[0].candidates[0].accelerator
    }

    #[test]
    fn a_name_with_a_format_means_the_published_checkpoint() {
        let tables = tables();
        let catalog = tables.catalog();
        let named = |name, on| {
            let request = RunRequest {
                model: Some(ModelSource::read(name)),
                ..RunRequest::default()
            };
            let work = read(&catalog, &request, None).unwrap();
            published_checkpoint(&catalog, &work, Some(device(&catalog, on)))
        };
        assert_eq!(named("tiny-fp8", "H100"), Some("nvidia/Tiny-1B-FP8"));
        assert_eq!(named("tiny-fp8", "MI300X"), Some("AMD/Tiny-1B-FP8"));
        assert_eq!(named("tiny-awq", "H100"), Some("acme/Tiny-1B-AWQ"));
        // No file of this format is published, and these names are of files.
        for name in ["tiny-nf4", "tiny", "acme/Tiny-1B-FP8"] {
            assert_eq!(named(name, "H100"), None, "{name}");
        }
    }

    #[test]
    fn a_published_checkpoint_of_the_same_model_is_preferred() {
        let tables = tables();
        let catalog = tables.catalog();
        let source = |precision, engine, name| {
            let work = work(&catalog, Some(precision), engine);
            weight_source(&catalog, &work, Some(device(&catalog, name)))
        };
        let checkpoint = |id| Some(WeightSource::Checkpoint(id));
        for (precision, engine, name, expected) in [
            (
                "bf16",
                ServingEngine::Vllm,
                "H100",
                Some(WeightSource::Files),
            ),
            (
                "fp16",
                ServingEngine::Vllm,
                "H100",
                Some(WeightSource::Files),
            ),
            (
                "fp8",
                ServingEngine::Vllm,
                "H100",
                checkpoint("nvidia/Tiny-1B-FP8"),
            ),
            (
                "fp8",
                ServingEngine::Vllm,
                "MI300X",
                checkpoint("AMD/Tiny-1B-FP8"),
            ),
            (
                "awq",
                ServingEngine::Vllm,
                "H100",
                checkpoint("acme/Tiny-1B-AWQ"),
            ),
            (
                "nf4",
                ServingEngine::Vllm,
                "H100",
                Some(WeightSource::OnLoad),
            ),
            ("nf4", ServingEngine::Sglang, "H100", None),
            // Checkpoints of another variant, and of a later version.
            ("gptq-int4", ServingEngine::Vllm, "H100", None),
            ("nvfp4", ServingEngine::Vllm, "B200", None),
        ] {
            let found = source(precision, engine, name);
            assert_eq!(found, expected, "{precision} {engine} {name}");
        }
    }

    #[test]
    fn other_formats_have_a_source() {
        let tables = tables();
        let catalog = tables.catalog();
        let h100 = device(&catalog, "H100");
        for precision in [None, Some("fp8")] {
            let work = work(&catalog, precision, ServingEngine::Vllm);
            let others = in_other_formats(&catalog, &work);
            for format in others.iter().chain([&own(&catalog, &work)]) {
                let source = weight_source(&catalog, &format.work, Some(h100));
                assert_eq!(format.source(&catalog, h100), source);
                assert!(source.is_some(), "{}", format.work.precision);
            }
        }
        let names = |work: &ModelRun| -> Vec<String> {
            let others = in_other_formats(&catalog, work).into_iter();
            others.map(|other| other.work.precision).collect()
        };
        let vllm = work(&catalog, None, ServingEngine::Vllm);
        // nf4, which vLLM makes on load and dequantizes, gives way to a published checkpoint.
        assert_eq!(names(&vllm), ["fp8", "awq"]);
        let fp8 = work(&catalog, Some("fp8"), ServingEngine::Vllm);
        assert_eq!(names(&fp8), ["awq", "bf16"]);
        let llama_cpp = names(&work(&catalog, None, ServingEngine::LlamaCpp));
        let usual = ["gguf:Q8_0", "gguf:Q4_K_M"].map(str::to_owned);
        assert!(usual.iter().all(|name| llama_cpp.contains(name)));
        // Formats whose loss is large or unknown.
        assert!(
            !llama_cpp
                .iter()
                .any(|name| name.contains("Q2") || name.contains("IQ"))
        );
    }
}
