//! Models by name: models of the catalog, and derivatives whose names contain the base model and the format.
//!
//! Converted models are usually named after the base model: `TheBloke/Llama-2-13B-GPTQ` is Llama-2-13B in gptq-int4.
//! Such names are read from the end, word by word.

use std::ops::Range;

use sky_accel_core::catalog::{Catalog, Model, ModelName, NamedFormat, Str};
use sky_accel_core::note::Note;
use sky_accel_core::sizing::CacheFormat;
use sky_accel_core::text::{name_key, printable, same_name};
use sky_accel_core::word::Word as _;

use super::model_facts::ModelFacts;

/// The separators of words in a name.
const SEPARATORS: [char; 5] = ['-', '_', '.', ' ', ':'];
/// The word for GGUF files, which have one of many formats.
const GGUF: &str = "gguf";
/// The most common format of published GGUF files.
pub(crate) const USUAL_GGUF: &str = "gguf:Q4_K_M";
/// The word for 4-bit weights of MLX, their publisher, and their format.
const FOUR_BITS: (&str, &str, &str) = ("4bit", "mlx-community/", "mlx-4bit");
/// The maximum length of a name in bytes: hubs allow about one hundred.
const LONGEST: usize = 200;
/// The words in the names of draft models for speculative decoding. Their files have a few layers, and the name of the
/// model for which they draft tokens.
const DRAFTS: [&str; 9] = [
    "dflash",
    "draft",
    "drafter",
    "dspark",
    "eagle",
    "eagle2",
    "eagle3",
    "medusa",
    "speculator",
];
/// The letters before the bits of a format: `int3`, `q6`.
const LETTERS_OF_BITS: [&str; 12] = [
    "int", "uint", "fp", "bf", "nf", "float", "mxfp", "mxint", "nvfp", "q", "iq", "tq",
];
/// The words after the bits of a format: `3bit`, `4.0bpw`.
const UNITS_OF_BITS: [&str; 3] = ["bit", "bits", "bpw"];
/// Methods of quantization with formats of many sizes.
const METHODS: [&str; 11] = [
    "aqlm",
    "bnb",
    "eetq",
    "exl2",
    "exl3",
    "higgs",
    "hqq",
    "quantized",
    "quip",
    "spqr",
    "vptq",
];
/// The word in the names of files whose weights were converted back.
const CONVERTED_BACK: [&str; 2] = ["unquantized", "dequantized"];
/// The minimum length of a model name that is found within another name: shorter names match by accident.
const LEAST_KEY: usize = 6;

/// The repository with GGUF files of a model of the catalog, and the format of these files; `None` if the catalog has
/// none.
pub(crate) fn published_gguf<'c>(catalog: &Catalog<'c>, model: &str) -> Option<(&'c str, &'c str)> {
    let at = catalog.model_name(model)?.model;
    catalog
        .models
        .get(at.into())
        .filter(|row| catalog.str(row.id) == model)?;
    let mut names = catalog.model_names.iter().filter_map(|row| {
        let format = catalog.text(row.stored_as).filter(|_| row.model == at)?;
        let kind = format.strip_prefix(GGUF)?;
        kind.starts_with(':')
            .then(|| (catalog.str(row.text), format))
    });
    names.next()
}

/// A model of the catalog. A suffix of the name may be the format of the files: `Qwen2.5-7B-Instruct-AWQ`. The
/// catalog's format of a checkpoint takes precedence over its name.
pub(super) fn of_catalog(catalog: &Catalog<'_>, name: &str) -> Option<ModelFacts> {
    let exact = catalog.model_name(name);
    if exact.is_some_and(|named| named.stored_as.len > 0) {
        return Some(facts(catalog, &catalog.model(name)?, name, None));
    }
    let suffix = suffix(catalog, name);
    let row = match exact {
        Some(_) => catalog.model(name),
        None => catalog.model(suffix.as_ref()?.1),
    }?;
    let format = suffix.map(|(format, _)| format);
    Some(facts(catalog, &row, name, format))
}

/// Whether a name is of a text model of the catalog, or of a derivative.
pub(crate) fn is_model(catalog: &Catalog<'_>, name: &str) -> bool {
    of_catalog(catalog, name).is_some() || derivative(catalog, name).is_some()
}

/// A derivative of a model of the catalog, recognized by its name.
pub(super) fn of_derivative(
    catalog: &Catalog<'_>,
    name: &str,
    notes: &mut Vec<Note>,
) -> Option<ModelFacts> {
    let Derivative {
        row,
        format,
        unknown_format,
        ..
    } = derivative(catalog, name)?;
    let is_itself = is_itself(catalog, name);
    let mut found = facts(catalog, &row, name, format);
    found.unknown_quantization = unknown_format;
    let format = found.stored_as.as_deref().unwrap_or("bf16");
    // A note about the unknown quantization states the format.
    let format = match found.unknown_quantization {
        Some(_) => String::new(),
        None => format!(" in {format}"),
    };
    let sized = format!("sized as {}{format}, because of its name", found.name);
    let message = if is_itself || name.contains('/') {
        format!(
            "{sized}: if its files differ, give their path, or hf:organization/name with `live`"
        )
    } else {
        found.checkpoint = None;
        found.shape_of = Some(printable(name));
        format!(
            "{sized}: only the shape is shared, so no command loads the files of {}; to start it, give its path or organization/name",
            found.name
        )
    };
    notes.push(Note::new("by-name", message));
    Some(found)
}

/// True if a name without the words of formats and of training is a name of a model: its files are the files of the
/// model.
fn is_itself(catalog: &Catalog<'_>, name: &str) -> bool {
    let lower = name.to_ascii_lowercase();
    let mut rest = lower.as_str();
    loop {
        if catalog.model_name(rest).is_some() {
            return true;
        }
        let without_gguf = rest.strip_suffix(GGUF);
        let without_gguf = without_gguf.map(|rest| rest.trim_end_matches(SEPARATORS));
        let mut trained = TRAINED.iter();
        let shorter = without_gguf
            .or_else(|| trained.find_map(|word| rest.strip_suffix(word)))
            .or_else(|| suffix(catalog, rest).map(|(_, base)| base));
        match shorter.filter(|shorter| shorter.len() < rest.len()) {
            Some(shorter) => rest = shorter,
            None => return false,
        }
    }
}

/// The format at the end of a name, and the name without it.
fn suffix<'n>(catalog: &Catalog<'_>, name: &'n str) -> Option<(NamedFormat, &'n str)> {
    let lower = name.to_ascii_lowercase();
    let mut found: Option<(NamedFormat, usize)> = None;
    for row in catalog.weight_formats {
        let names = std::iter::once(catalog.str(row.name)).chain(catalog.strings(row.aliases));
        for format in names {
            let rest = lower
                .strip_suffix(&format.to_ascii_lowercase())
                .and_then(|rest| rest.strip_suffix(SEPARATORS));
            // Prefer the longest format name: `gptq-int4` over `int4`.
            if let Some(rest) = rest
                && found.is_none_or(|(_, length)| rest.len() < length)
            {
                found = Some((row, rest.len()));
            }
        }
    }
    found.map(|(row, length)| (row, &name[..length]))
}

/// A derivative of a model of the catalog, as its name describes it.
pub(super) struct Derivative {
    /// The base model.
    pub row: Model,
    /// The format of the files.
    pub format: Option<NamedFormat>,
    /// A word of the name that says that the files are in a format of which nothing is known.
    pub unknown_format: Option<String>,
    /// Whether it drafts tokens for the base model: it has the name of the base model, but not its shape.
    pub is_draft: bool,
}

/// The base model and the format in the name of a derivative.
pub(super) fn derivative(catalog: &Catalog<'_>, name: &str) -> Option<Derivative> {
    if name.len() > LONGEST {
        return None;
    }
    let is_file = std::path::Path::new(name)
        .extension()
        .is_some_and(|end| end.eq_ignore_ascii_case(GGUF));
    // The owner is not a part of the model name.
    let (owner, mut rest) = name.rsplit_once('/').unwrap_or(("", name));
    if is_file {
        return None;
    }
    let mut format: Option<NamedFormat> = None;
    let of_name = |name: &str| catalog.weight_format(name);
    loop {
        let lower = rest.to_ascii_lowercase();
        let without = |word: &str| {
            let rest = lower.strip_suffix(word)?.strip_suffix(SEPARATORS)?;
            Some(rest.len())
        };
        if let Some(length) = without(GGUF) {
            format = format.or(of_name(USUAL_GGUF));
            rest = &rest[..length];
            if let Some((row, base)) = suffix(catalog, rest) {
                (format, rest) = (Some(row), base);
            }
        } else if let Some((row, base)) = suffix(catalog, rest) {
            (format, rest) = (Some(row), base);
        } else if let Some(length) =
            without(FOUR_BITS.0).filter(|_| format!("{owner}/").eq_ignore_ascii_case(FOUR_BITS.1))
        {
            (format, rest) = (of_name(FOUR_BITS.2), &rest[..length]);
        } else {
            break;
        }
    }
    // Words around a name are not a part of it.
    if rest.contains(char::is_whitespace) {
        let row = catalog.model(rest)?;
        return Some(Derivative {
            row,
            format,
            unknown_format: None,
            is_draft: false,
        });
    }
    let (named, run) = within(catalog, rest)?;
    let row = catalog.models.get(named.model.into())?;
    let (before, after) = (&rest[..run.start], &rest[run.end..]);
    // The run may be the name of a checkpoint in a format.
    let format = format.or_else(|| of_name(catalog.text(named.stored_as)?));
    let (format, unknown_format) = match format {
        Some(_) => (format, None),
        None => format_within(catalog, after),
    };
    Some(Derivative {
        row,
        format,
        unknown_format,
        is_draft: is_draft(before) || is_draft(after),
    })
}

/// The format that a word after the name of a model states, or else the words for an unknown format: other words may
/// follow, as in `-FP8-KV`.
fn format_within(catalog: &Catalog<'_>, rest: &str) -> (Option<NamedFormat>, Option<String>) {
    let mut words = rest.split(SEPARATORS);
    let is_converted_back = |word: &str| {
        let mut converted = CONVERTED_BACK.iter();
        converted.any(|back| word.eq_ignore_ascii_case(back))
    };
    if words.clone().any(is_converted_back) {
        return (None, None);
    }
    let usual = |word: &str| {
        let is_gguf = word.eq_ignore_ascii_case(GGUF);
        catalog.weight_format(if is_gguf { USUAL_GGUF } else { word })
    };
    if let Some(named) = words.find_map(usual) {
        return (Some(named), None);
    }
    // A period may be a decimal point.
    let mut groups = rest.split(|c| c != '.' && SEPARATORS.contains(&c));
    let unknown = groups.find(|group| group.split('.').any(is_format));
    (None, unknown.map(printable))
}

/// True if a word of a name states bits per weight, such as `int3`, `W4A8`, `6bit` and `e4m3`, or is a method of
/// quantization.
fn is_format(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    let is_figure = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let are_figures = |first: char, second: char| {
        let rest = lower.strip_prefix(first);
        let parts = rest.and_then(|rest| rest.split_once(second));
        parts.is_some_and(|(one, other)| is_figure(one) && is_figure(other))
    };
    METHODS.contains(&&lower[..])
        || are_figures('w', 'a')
        || are_figures('e', 'm')
        || LETTERS_OF_BITS
            .iter()
            .any(|letters| lower.strip_prefix(letters).is_some_and(is_figure))
        || UNITS_OF_BITS
            .iter()
            .any(|unit| lower.strip_suffix(unit).is_some_and(is_figure))
}

/// True if a word of the rest of a name says that the model is a draft model.
fn is_draft(rest: &str) -> bool {
    rest.split(SEPARATORS)
        .any(|word| DRAFTS.iter().any(|draft| word.eq_ignore_ascii_case(draft)))
}

/// The name in the catalog that is the longest run of words of a name, and the run. The run must include a size: without
/// it, unrelated models of a family would match.
fn within(catalog: &Catalog<'_>, name: &str) -> Option<(ModelName, Range<usize>)> {
    let mut starts: Vec<usize> = vec![0];
    starts.extend(name.match_indices(SEPARATORS).map(|(at, _)| at + 1));
    let ends: Vec<usize> = name
        .match_indices(SEPARATORS)
        .map(|(at, _)| at)
        .chain([name.len()])
        .collect();
    let mut best: Option<(usize, ModelName, Range<usize>)> = None;
    for start in &starts {
        for end in ends.iter().filter(|end| *end > start) {
            let run = &name[*start..*end];
            let run_key = name_key(run);
            let length = run_key.len();
            if length < LEAST_KEY
                || !has_size(run)
                || best
                    .as_ref()
                    .is_some_and(|(longest, ..)| *longest >= length)
            {
                continue;
            }
            if let Some(named) = by_key(catalog, &run_key) {
                best = Some((length, named, *start..*end));
            }
        }
    }
    best.map(|(_, named, run)| (named, run))
}

/// True if a word of the name is a number of parameters, such as `13B` or `8x7B`.
fn has_size(name: &str) -> bool {
    name.split(['-', '_', ' ', ':']).any(|word| {
        let lower = word.to_ascii_lowercase();
        let figure = lower.strip_suffix(['b', 'm']).unwrap_or_default();
        figure.ends_with(|c: char| c.is_ascii_digit())
    })
}

/// The name with this key, without its owner.
fn by_key(catalog: &Catalog<'_>, key: &str) -> Option<ModelName> {
    let mut names = catalog.model_names.iter();
    names.find(|row| {
        let name = catalog.str(row.key);
        name.rsplit('/').next().unwrap_or(name) == key
    })
}

/// The words at the end of a hub id that say how a checkpoint of a model was trained.
const TRAINED: [&str; 5] = ["-instruct", "-chat", "-it", "-base", "-pt"];

/// The hub id of a model by one of its names: the checkpoint with this name, or else the instruction-tuned variant of
/// the checkpoint that the facts are from, or else that checkpoint.
fn published<'c>(catalog: &Catalog<'c>, row: &Model, name: &str) -> Option<&'c str> {
    const INSTRUCTION_TUNED: [&str; 3] = ["instruct", "-it", "chat"];
    // A row of a model is large, so it is found once, and not for each of two thousand names.
    let at = catalog.models.iter().position(|other| other.id == row.id);
    let is_of_model = |index: u16| at == Some(usize::from(index));
    let names = catalog.model_names.iter();
    // The model's name does not mean a checkpoint in another format.
    let names = names.filter(|named| named.stored_as.len == 0 && is_of_model(named.model));
    let ids: Vec<&'c str> = names
        .map(|named| catalog.str(named.text))
        .filter(|text| text.contains('/'))
        .collect();
    if !same_name(catalog.str(row.id), name) {
        let tail = |id: &'c str| id.rsplit('/').next().unwrap_or(id);
        if let Some(named) = ids.iter().find(|id| same_name(tail(id), name)) {
            return Some(named);
        }
    }
    let base = catalog.str(row.source).strip_prefix("config.json of ");
    let base = base.and_then(|rest| rest.split([' ', ';', ',']).next());
    let is_in_another_format = |id: &str| {
        let checkpoint = catalog.model_name(id);
        checkpoint.is_some_and(|checkpoint| checkpoint.stored_as.len > 0)
    };
    let base = base.filter(|id| id.contains('/') && !is_in_another_format(id));
    let Some(base) = base else {
        return ids.first().copied();
    };
    let stem = |id: &str| {
        let mut lower = id.to_ascii_lowercase();
        for word in TRAINED {
            lower = lower.replacen(word, "", 1);
        }
        name_key(&lower)
    };
    let tuned = ids.iter().find(|id| {
        let lower = id.to_ascii_lowercase();
        INSTRUCTION_TUNED.iter().any(|word| lower.contains(word)) && stem(id) == stem(base)
    });
    Some(tuned.copied().unwrap_or(base))
}

fn facts(
    catalog: &Catalog<'_>,
    row: &Model,
    name: &str,
    format: Option<NamedFormat>,
) -> ModelFacts {
    let stored_as = format.map_or(row.stored_as, |format| format.name);
    // The name of a checkpoint in another format may be given without its organization.
    let in_format = || {
        let named = catalog.model_name(name)?;
        let text = catalog.str(named.text);
        (named.stored_as.len > 0 && text.contains('/')).then(|| text.to_owned())
    };
    // The original id would load the unconverted files.
    let of_hub = || {
        published(catalog, row, name)
            .filter(|_| format.is_none())
            .map(str::to_owned)
    };
    let named = catalog.model_name(name);
    let named = named.filter(|_| format.is_none());
    let exact = named.and_then(|named| catalog.checkpoint_format(&named));
    let usual = catalog.weight_format(catalog.str(stored_as));
    // Serving engines would read a leading dash as an option.
    let is_id = name.contains('/') && !name.starts_with('-');
    let itself = is_id.then(|| name.to_owned());
    let checkpoint = itself.or_else(in_format).or_else(of_hub);
    let base = || suffix(catalog, name).map(|(_, base)| base);
    let base = checkpoint.is_none().then(base).flatten();
    let original = base.and_then(|base| published(catalog, row, base));
    ModelFacts {
        checkpoint,
        original: original.map(str::to_owned),
        format: exact
            .zip(usual)
            .map(|(exact, usual)| exact.applied_to(usual.format)),
        kv_cache: exact.and_then(|exact| CacheFormat::from_word(catalog.str(exact.kv_cache))),
        ..facts_of_row(catalog, row, stored_as)
    }
}

/// The facts of a model of the catalog in a format, without a checkpoint, which takes longer to find than all others.
pub(crate) fn facts_of_row(catalog: &Catalog<'_>, row: &Model, stored_as: Str) -> ModelFacts {
    let (name, source) = (catalog.str(row.id), catalog.str(row.source));
    ModelFacts {
        kind: row.kind,
        checkpoint_bytes: row
            .checkpoint_parameters
            .filter(|_| stored_as.len == 0)
            .map(|n| n * 2.0),
        stored_as: catalog.text(stored_as).map(str::to_owned),
        min_vllm: catalog.text(row.min_vllm).map(str::to_owned),
        fp8_block: row.fp8_block,
        no_fp16: row.no_fp16,
        ..ModelFacts::of_shape(name.to_owned(), &row.shape, source.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use sky_accel_catalog::{Layer, Source, Tables, compile};
    use sky_accel_embedded::test_catalog::files;

    use super::*;
    use crate::catalog::EMBEDDED;

    fn read(name: &str) -> Option<(String, String)> {
        let found = of_catalog(&EMBEDDED, name);
        let found = found.or_else(|| of_derivative(&EMBEDDED, name, &mut Vec::new()))?;
        let format = found.stored_as.unwrap_or_else(|| "bf16".to_owned());
        Some((found.name, format))
    }

    #[test]
    fn a_name_never_starts_another_model() {
        for row in EMBEDDED.model_names {
            let name = EMBEDDED.str(row.text);
            let found = of_catalog(&EMBEDDED, name).expect(name);
            let Some(checkpoint) = found.checkpoint else {
                continue;
            };
            // The checkpoint that the facts are from may have no name in the catalog.
            let is_source = found.source.contains(&checkpoint);
            let started = EMBEDDED.model_name(&checkpoint).map(|named| named.model);
            let is_own = started.map_or(is_source, |model| model == row.model);
            assert!(is_own, "{name} starts {checkpoint}");
        }
    }

    #[test]
    fn derivatives_are_named_after_base_and_format() {
        for (name, base, format) in [
            ("TheBloke/Llama-2-13B-GPTQ", "Llama-2-13B", "gptq-int4"),
            (
                "unsloth/Llama-3.3-70B-Instruct-bnb-4bit",
                "Llama-3.3-70B",
                "nf4",
            ),
            ("unsloth/Qwen3-14B-unsloth-bnb-4bit", "Qwen3-14B", "nf4"),
            ("unsloth/Qwen3-32B-GGUF", "Qwen3-32B", "gguf:Q4_K_M"),
            (
                "bartowski/Llama-3.3-70B-Instruct-Q5_K_M-GGUF",
                "Llama-3.3-70B",
                "gguf:Q5_K_M",
            ),
            ("Qwen/Qwen2.5-72B-Instruct-AWQ", "Qwen2.5-72B", "awq"),
            (
                "neuralmagic/Meta-Llama-3.1-70B-Instruct-FP8",
                "Llama-3.1-70B",
                "fp8",
            ),
            (
                "RedHatAI/Llama-3.3-70B-Instruct-FP8-dynamic",
                "Llama-3.3-70B",
                "fp8",
            ),
            (
                "RedHatAI/Llama-3.3-70B-Instruct-quantized.w4a16",
                "Llama-3.3-70B",
                "gptq-int4",
            ),
            (
                "RedHatAI/Llama-3.3-70B-Instruct-quantized.w8a8",
                "Llama-3.3-70B",
                "int8",
            ),
            (
                "nvidia/Llama-3.3-70B-Instruct-FP4",
                "Llama-3.3-70B",
                "nvfp4",
            ),
            (
                "hugging-quants/Meta-Llama-3.1-8B-Instruct-AWQ-INT4",
                "Llama-3.1-8B",
                "awq",
            ),
            ("mlx-community/Qwen3-8B-4bit", "Qwen3-8B", "mlx-4bit"),
            ("NousResearch/Hermes-3-Llama-3.1-8B", "Llama-3.1-8B", "bf16"),
        ] {
            let expected = (base.to_owned(), format.to_owned());
            assert_eq!(read(name), Some(expected), "{name}");
        }
    }

    #[test]
    fn a_format_that_is_not_known_is_stated() {
        let read = |name: &str| {
            let mut notes = Vec::new();
            let found = of_derivative(&EMBEDDED, name, &mut notes).expect(name);
            (found.stored_as, found.unknown_quantization, notes)
        };
        for (name, word) in [
            ("foo/Qwen3-8B-int3", "int3"),
            ("foo/Qwen3-8B-W4A8-g128", "W4A8"),
            ("mlx-community/Qwen3-8B-6bit", "6bit"),
            ("foo/Qwen3-8B-4.25bpw-exl2", "4.25bpw"),
            ("foo/Qwen3-8B-Instruct-hqq", "hqq"),
            ("foo/Llama-3.1-8B-Instruct-MXFP6-e2m3", "MXFP6"),
        ] {
            let (format, unknown, notes) = read(name);
            assert_eq!((format, unknown.as_deref()), (None, Some(word)), "{name}");
            let note = &notes[0].message;
            assert!(note.contains("8B, because of its name"), "{note}");
        }
        // Words that follow the format, and words that state no format.
        for (name, format) in [
            ("amd/Llama-3.1-8B-Instruct-FP8-KV", Some("fp8")),
            ("foo/Qwen3-8B-AWQ-v2", Some("awq")),
            ("foo/Qwen3-8B-GGUF-v2", Some("gguf:Q4_K_M")),
            ("foo/Qwen3-8B-qat-int4-unquantized", None),
            ("foo/Qwen3-8B-Q-128k-e3-w7-1000steps", None),
        ] {
            let (found, unknown, _) = read(name);
            assert_eq!((found.as_deref(), unknown), (format, None), "{name}");
        }
    }

    #[test]
    fn unknown_names_match_no_model() {
        for name in [
            "",
            "GPTQ",
            "-GGUF",
            "acme/unheard-of-7B-AWQ",
            "Qwen9-32B",
            "70B-GGUF",
            "models/Llama-2-13B.gguf",
            &format!("x/{}Llama-2-13B", "ab-".repeat(100)),
        ] {
            assert_eq!(read(name), None, "{name}");
        }
    }

    /// The test catalog and more models.
    fn with(models: &'static str) -> Tables {
        let mut sources: Vec<Source> = files()
            .iter()
            .map(|file| Source::toml(Layer::EMBEDDED, file.path, file.text))
            .collect();
        sources.push(Source::toml(Layer::EMBEDDED, "more.toml", models));
        compile(&sources).unwrap()
    }

    const MODELS: &str = r#"
[[model]]
id = "Tiny-1B"
names = ["acme/Tiny-1B", "acme/Tiny-1B-Instruct", "acme/Tiny-Coder-1B-Instruct", "tiny:1b", "acme/Tiny-1B-0925"]
layers = 2
hidden = 64
heads = 4
head_dim = 16
ffn = 128
vocab = 1000
checkpoints = [
  { id = "acme/Tiny-1B-w-mxfp4-a-fp8", stored_as = "mxfp4", min_vllm = "0.11.0" },
  { id = "acme/Tiny-1B-NVFP4", stored_as = "nvfp4", bits = { attention = 16 }, kv_cache = "fp8" },
]
source = "config.json of acme/Tiny-1B"

[[model_release]]
id = "Tiny-1.1-1B"
like = "Tiny-1B"
names = ["acme/Tiny-1.1-1B", "acme/Tiny-1.1-1B-DSpark"]
stored_as = "fp8"
source = "config.json of acme/Tiny-1.1-1B"
"#;

    #[test]
    fn a_name_never_means_another_checkpoint() {
        let tables = with(MODELS);
        let catalog = tables.catalog();
        for (name, checkpoint, format) in [
            ("Tiny-1B", "acme/Tiny-1B-Instruct", None),
            ("tiny:1b", "acme/Tiny-1B-Instruct", None),
            ("acme/Tiny-1B", "acme/Tiny-1B", None),
            // Without the organization.
            (
                "Tiny-Coder-1B-Instruct",
                "acme/Tiny-Coder-1B-Instruct",
                None,
            ),
            ("tiny-1b-0925", "acme/Tiny-1B-0925", None),
            ("Tiny-1.1-1B", "acme/Tiny-1.1-1B", Some("fp8")),
            // The catalog knows better than the name.
            (
                "acme/Tiny-1B-w-mxfp4-a-fp8",
                "acme/Tiny-1B-w-mxfp4-a-fp8",
                Some("mxfp4"),
            ),
            (
                "Tiny-1B-w-mxfp4-a-fp8",
                "acme/Tiny-1B-w-mxfp4-a-fp8",
                Some("mxfp4"),
            ),
        ] {
            let found = of_catalog(&catalog, name).unwrap();
            assert_eq!(found.checkpoint.as_deref(), Some(checkpoint), "{name}");
            assert_eq!(found.stored_as.as_deref(), format, "{name}");
        }
        let found = of_catalog(&catalog, "acme/Tiny-1B-w-mxfp4-a-fp8").unwrap();
        assert_eq!(found.min_vllm.as_deref(), Some("0.11.0"));
    }

    #[test]
    fn the_files_of_a_checkpoint_may_have_their_own_bits_and_cache() {
        let tables = with(MODELS);
        let catalog = tables.catalog();
        let found = of_catalog(&catalog, "acme/Tiny-1B-NVFP4").unwrap();
        let bits = found
            .format
            .map(|format| (format.bits, format.attention_bits));
        assert_eq!(bits, Some((4.5, 16.0)));
        assert_eq!(found.kv_cache, Some(CacheFormat::Fp8));
        // The same format in files of which nothing is known has its usual bits.
        for name in ["Tiny-1B-FP8", "acme/Tiny-1B-w-mxfp4-a-fp8"] {
            let found = of_catalog(&catalog, name).unwrap();
            assert_eq!((found.format, found.kv_cache), (None, None), "{name}");
        }
    }

    #[test]
    fn draft_models_are_recognized_by_their_names() {
        let tables = with(MODELS);
        let catalog = tables.catalog();
        let is_draft = |name: &str| derivative(&catalog, name).unwrap().is_draft;
        for name in [
            "acme/Tiny-1B-Instruct-speculator.eagle3",
            "pirates/EAGLE3-Tiny-1B",
            "pirates/Tiny-1B-NVFP4-DFlash",
            "pirates/tiny-1b-dspark-AWQ",
        ] {
            assert!(is_draft(name), "{name}");
        }
        // Files of the model with a draft model among them have its name.
        for name in [
            "pirates/Tiny-1.1-1B-DSpark-AWQ",
            "pirates/Tiny-1B-beagle3",
            "pirates/Tiny-1B-AWQ",
        ] {
            assert!(!is_draft(name), "{name}");
        }
    }

    #[test]
    fn only_the_shape_of_a_derivative_is_shared() {
        let tables = with(MODELS);
        let catalog = tables.catalog();
        let read = |name: &str| {
            let mut notes = Vec::new();
            let found = of_derivative(&catalog, name, &mut notes).expect(name);
            (found, notes[0].message.clone())
        };
        for name in ["Tiny-1B-Pirate", "Pirate-Tiny-1B-AWQ"] {
            let (found, note) = read(name);
            assert_eq!(found.checkpoint, None, "{name}");
            assert_eq!(found.shape_of.as_deref(), Some(name));
            assert!(note.contains("only the shape is shared"), "{note}");
        }
        // With its organization, the name is the name of the files.
        let (found, note) = read("pirates/Tiny-1B-Pirate");
        assert_eq!(found.checkpoint.as_deref(), Some("pirates/Tiny-1B-Pirate"));
        assert!(found.shape_of.is_none() && !note.contains("only the shape"));
        // Words of formats and of training do not make another model.
        for name in ["Tiny-1B-Instruct-Q5_K_M-GGUF", "tiny:1b-instruct-q4_K_M"] {
            assert!(read(name).0.shape_of.is_none(), "{name}");
        }
    }
}
