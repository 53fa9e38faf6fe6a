//! The weight format of a run.

use sky_accel_core::catalog::{Catalog, NamedFormat};
use sky_accel_core::note::Note;
use sky_accel_core::sizing::{Run, WeightFormat, Workload};
use sky_accel_core::suggest;

use super::bounds::wrong;
use super::model_facts::ModelFacts;
use super::options::RunRequest;
use crate::error::Result;

/// The word for a search over all precisions.
pub(crate) const ANY: &str = "any";
/// Words for several precisions, where a request has one.
const SEVERAL: [&str; 2] = [ANY, "all"];
/// The prefix of GGUF formats.
const GGUF: &str = "gguf:";
/// The prefix of the methods that quantize weights while they are loaded.
const ON_LOAD: &str = "bitsandbytes";

/// The name of a format without the GGUF prefix.
fn plain(name: &str) -> &str {
    name.strip_prefix(GGUF).unwrap_or(name)
}

/// Finds a weight format; returns its canonical name too.
pub(super) fn precision(
    catalog: &Catalog<'_>,
    name: &str,
    group: Option<f64>,
) -> Result<(String, WeightFormat)> {
    let Some(row) = catalog.weight_format(name) else {
        if SEVERAL.iter().any(|word| name.eq_ignore_ascii_case(word)) {
            let message = format!(
                "`precision` {ANY} is a search of `recommend`: name a format, or leave it out for the format of the files"
            );
            return Err(wrong(message));
        }
        let names: Vec<&str> = catalog
            .weight_formats
            .iter()
            .map(|row| catalog.str(row.name))
            .collect();
        // The beginning of a name, such as Q4, means the common formats that begin so.
        let lower = plain(name).to_ascii_lowercase();
        let begun = |row: &NamedFormat| {
            let format = plain(catalog.str(row.name)).to_ascii_lowercase();
            row.is_common && !lower.is_empty() && format.starts_with(&lower)
        };
        let begun: Vec<String> = catalog
            .weight_formats
            .iter()
            .filter(begun)
            .map(|row| plain(catalog.str(row.name)).to_owned())
            .collect();
        let near = if begun.is_empty() {
            suggest::closest(plain(name), names.iter().map(|name| plain(name)))
        } else {
            begun
        };
        let error = wrong(format!("unknown `precision` '{name}'"));
        // Dozens of GGUF formats would bury the others.
        let (gguf, others): (Vec<&str>, Vec<&str>) =
            names.iter().partition(|name| name.starts_with(GGUF));
        return Err(match (near.is_empty(), gguf.first()) {
            (true, Some(first)) => error.advise(format!(
                "known formats are {}, and GGUF types such as {first}",
                others.join(", ")
            )),
            _ => error.hint(near),
        });
    };
    let mut format = row.format;
    if let Some((bits, size)) = row.group {
        let size = group.unwrap_or(size);
        format.bits += bits / size;
        format.mlp_bits += bits / size;
        if format.attention_bits < 16.0 {
            format.attention_bits += bits / size;
        }
    } else if group.is_some() {
        let message = format!(
            "`group_size` does not apply to {}, which has no groups",
            catalog.str(row.name)
        );
        return Err(wrong(message));
    }
    Ok((catalog.str(row.name).to_owned(), format))
}

/// The weights in a format, by its name; `None` if it is unknown.
pub(crate) fn weights_in(catalog: &Catalog<'_>, name: &str) -> Option<WeightFormat> {
    let (_, weights) = precision(catalog, name, None).ok()?;
    Some(weights)
}

/// The format of weights under the adapters of QLoRA (Dettmers et al., arXiv 2305.14314).
pub(crate) const QLORA: &str = "nf4";

/// The format of weights without quantization.
const UNPACKED: &str = "bf16";

/// True if quantized files are unpacked before training. Workloads that can train adapters do so instead on formats
/// that devices do not multiply: products of the others have no gradients (`is_trainable` of transformers' quantizers).
fn is_unpacked_to_train(
    catalog: &Catalog<'_>,
    request: &RunRequest,
    workload: Workload,
    stored: &str,
) -> bool {
    let has_adapter_options = request.lora_rank.is_some() || request.lora_targets.is_some();
    let max_compute_bits = match workload {
        Workload::Full | Workload::Pretrain => f64::INFINITY,
        Workload::Lora => {
            let multiplied = precision(catalog, stored, None);
            let is_multiplied = multiplied.is_ok_and(|(_, weights)| weights.compute_bits <= 8.0);
            return is_multiplied && !quantizes_on_load(catalog, stored);
        }
        Workload::Dpo | Workload::Grpo | Workload::Ppo | Workload::Distill
            if !has_adapter_options =>
        {
            8.0
        }
        _ => return false,
    };
    let format = precision(catalog, stored, None);
    format.is_ok_and(|(_, weights)| weights.bits < 8.0 && weights.compute_bits <= max_compute_bits)
}

/// Returns the note on quantized files that are unpacked before training; `None` if they are not, or if the request
/// names the format.
pub(super) fn unpacked(
    catalog: &Catalog<'_>,
    request: &RunRequest,
    model: &ModelFacts,
    run: &Run,
) -> Option<Note> {
    let stored = model.stored_as.as_deref()?;
    let is_chosen = request.precision.is_some() || !run.workload.is_training();
    let (_, weights) = precision(catalog, stored, None).ok()?;
    if is_chosen || run.weights.is_quantized() || !weights.is_quantized() {
        return None;
    }
    let message = format!(
        "{} is stored in {stored}, which cannot be trained: its weights are unpacked to {UNPACKED}",
        model.name
    );
    Some(Note::new("unpacked", message))
}

/// The format of experts that llama.cpp copies without quantizing them again, and its name in GGUF files.
const KEPT: (&str, &str) = ("mxfp4", "gguf:MXFP4_MOE");

/// True if no GGUF file of a model has this format: its experts keep their stored format, so the file does not shrink.
pub(super) fn keeps_its_format(model: &ModelFacts, name: &str, weights: &WeightFormat) -> bool {
    let (stored, in_gguf) = KEPT;
    model.stored_as.as_deref() == Some(stored)
        && name.starts_with(GGUF)
        && name != in_gguf
        && weights.bits < 16.0
}

/// True if weights in a format are quantized while they are loaded, by its name.
pub(super) fn quantizes_on_load(catalog: &Catalog<'_>, precision: &str) -> bool {
    catalog.weight_format(precision).is_some_and(|row| {
        let mut methods = catalog.strings(row.quantized_as);
        methods.any(|method| method.starts_with(ON_LOAD))
    })
}

/// The weight format of the request; by default, `published`, the format of the files, or the usual format of the work.
pub(super) fn weights(
    catalog: &Catalog<'_>,
    request: &RunRequest,
    model: &ModelFacts,
    workload: Workload,
    group_size: Option<f64>,
    published: Option<&str>,
) -> Result<(String, WeightFormat)> {
    let trains_all = matches!(workload, Workload::Full | Workload::Pretrain);
    let stored = model.stored_as.as_deref().unwrap_or(UNPACKED);
    let default = match workload {
        Workload::Qlora => QLORA,
        _ if is_unpacked_to_train(catalog, request, workload, stored) => UNPACKED,
        _ => published.unwrap_or(stored),
    };
    let name = request.precision.as_deref().unwrap_or(default);
    let (precision, mut weights) = precision(catalog, name, group_size)?;
    let is_as_stored = default == stored || workload == Workload::Qlora;
    if let Some(format) = model.format.filter(|_| name == default && is_as_stored) {
        weights = format;
    }
    if keeps_its_format(model, &precision, &weights) {
        let (stored, in_gguf) = KEPT;
        return Err(wrong(format!(
            "the experts of {} are stored in {stored}, which llama.cpp keeps: `precision` is {in_gguf}, not {precision}",
            model.name
        )));
    }
    if workload == Workload::Qlora && !weights.is_quantized() {
        return Err(wrong(format!(
            "qlora needs a quantized `precision` such as nf4, not {precision}"
        )));
    }
    if trains_all && weights.bits < 16.0 && weights.compute_bits > 8.0 {
        return Err(wrong(format!(
            "weights in {precision} cannot be trained; use qlora to train adapters on them"
        )));
    }
    Ok((precision, weights))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Engine;
    use crate::sizing::ModelSource;

    #[test]
    fn experts_in_four_bits_are_not_quantized_again() {
        let engine = Engine::embedded();
        let fit = |precision: &str| {
            let request = RunRequest {
                model: Some(ModelSource::read("gpt-oss-120B")),
                precision: Some(precision.to_owned()),
                ..RunRequest::default()
            };
            crate::sizing::read(&engine.catalog(), &request, None)
        };
        let error = fit("gguf:Q2_K").unwrap_err().to_string();
        assert!(error.contains("`precision` is gguf:MXFP4_MOE"), "{error}");
        let run = fit("gguf:MXFP4_MOE").unwrap();
        assert!(run.with_precision(&engine.catalog(), "gguf:Q2_K").is_none());
        assert!(run.with_precision(&engine.catalog(), "nf4").is_some());
    }

    #[test]
    fn files_whose_products_have_no_gradients_are_unpacked_to_train_adapters() {
        let engine = Engine::embedded();
        let read = |model: &str, workload: Workload, precision: Option<&str>| {
            let request = RunRequest {
                model: Some(ModelSource::read(model)),
                workload: Some(workload.into()),
                precision: precision.map(str::to_owned),
                ..RunRequest::default()
            };
            let run = crate::sizing::read(&engine.catalog(), &request, None).unwrap();
            let is_unpacked = run.notes.iter().any(|note| note.code == "unpacked");
            (run.precision.clone(), is_unpacked)
        };
        let of = |precision: &str, is_unpacked| (precision.to_owned(), is_unpacked);
        let lora = Workload::Lora;
        assert_eq!(read("gpt-oss-20B", lora, None), of("bf16", true));
        assert_eq!(read("DeepSeek-V3", lora, None), of("bf16", true));
        assert_eq!(read("DeepSeek-V3", lora, Some("fp8")), of("fp8", false));
        assert_eq!(read("gpt-oss-20B", Workload::Qlora, None), of("nf4", false));
        assert_eq!(read("Llama-3.1-8B", lora, None), of("bf16", false));
        let inference = Workload::Inference;
        assert_eq!(read("gpt-oss-20B", inference, None), of("mxfp4", false));
    }

    #[test]
    fn the_beginning_of_a_format_means_the_common_formats_that_begin_so() {
        let catalog = Engine::embedded().catalog();
        let hints = |name: &str| {
            let error = precision(&catalog, name, None).unwrap_err();
            error.problems[0].hints.clone()
        };
        for name in ["Q4", "q4_k", "gguf:Q4"] {
            assert!(
                hints(name).contains(&"Q4_K_M".to_owned()),
                "{name}: {:?}",
                hints(name)
            );
        }
        assert!(!hints("fp9").is_empty());
    }
}
