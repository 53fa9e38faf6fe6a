//! Compares predictions with measurements: `docs/accuracy.md`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::{Context as _, Result};
use sky_accel_engine::Engine;

use crate::anchors::Anchors;
use crate::errors_of::Errors;
use crate::hold_out::{self, HeldOut, KindErrors};
use crate::measurements::{at, measurements};

/// A kind of measurement: its name, its title, and the limits of its errors in percent, of the median and of the 90th
/// percentile.
pub const KINDS: [(&str, &str, f64, f64); 36] = [
    ("weights", "weights on a device", 0.5, 3.0),
    (
        "kv-cache",
        "KV cache of N tokens, cache capacity of a server",
        3.0,
        4.0,
    ),
    ("steady", "memory after generating, transformers", 0.5, 4.6),
    ("inference-peak", "peak of inference", 2.0, 12.0),
    ("lora-peak", "peak of LoRA", 9.0, 35.0),
    ("qlora-peak", "peak of QLoRA", 10.0, 33.0),
    (
        "training-peak",
        "peak of full fine-tuning and pre-training",
        6.0,
        24.0,
    ),
    (
        "tuning-peak",
        "peak in use, fine-tuning with transformers 5 on H200",
        1.5,
        6.0,
    ),
    (
        "tuning-peak.reserved",
        "peak reserved, the same runs with sequences of one length",
        6.0,
        16.0,
    ),
    (
        "tuning-peak.train_tokens_per_s_per_device",
        "training tokens per second, the same runs with 8,192 tokens or more at once",
        13.0,
        30.0,
    ),
    (
        "decode",
        "decode tokens per second, batch 1 and small",
        8.0,
        18.0,
    ),
    (
        "output",
        "output tokens per second with prefill, batch 1",
        8.0,
        26.0,
    ),
    ("prefill", "prefill tokens per second", 12.0, 26.0),
    (
        "training-speed",
        "training tokens per second and device",
        10.0,
        32.0,
    ),
    ("served", "tokens per second, closed loop", 8.0, 20.0),
    (
        "served.tpot_ms",
        "time per output token, closed loop",
        8.0,
        20.0,
    ),
    (
        "served.ttft_s",
        "time to first token, closed loop",
        20.0,
        52.0,
    ),
    (
        "unseen",
        "tokens per second, closed loop, runs not used for fitting",
        9.5,
        29.0,
    ),
    (
        "unseen.tpot_ms",
        "time per output token, runs not used for fitting",
        9.5,
        29.0,
    ),
    (
        "unseen.ttft_s",
        "time to first token, runs not used for fitting",
        20.0,
        58.0,
    ),
    (
        "people",
        "tokens per second, closed loop, prompts of people",
        12.5,
        27.0,
    ),
    (
        "unseen-people",
        "tokens per second, prompts of people, models not used for fitting",
        11.0,
        31.0,
    ),
    (
        "unseen-images",
        "tokens per second, prompts with an image or a video",
        9.5,
        24.0,
    ),
    (
        "served-dp",
        "tokens per second, data-parallel attention with expert parallelism",
        18.0,
        28.0,
    ),
    (
        "few-users",
        "tokens per second, few users and static batches",
        7.5,
        28.0,
    ),
    (
        "burst",
        "tokens per second, all requests at once",
        19.0,
        72.0,
    ),
    ("full-load", "tokens per second at full load", 13.5, 26.0),
    (
        "disaggregated",
        "tokens per second, disaggregated prefill",
        12.0,
        34.0,
    ),
    (
        "disaggregated.tpot_ms",
        "time per output token, disaggregated prefill",
        17.0,
        44.0,
    ),
    (
        "cluster-training",
        "training tokens per second and device, 8 to 16,384 GPUs",
        6.5,
        28.0,
    ),
    (
        "rollout-training",
        "training tokens per second and device, GRPO",
        40.0,
        60.0,
    ),
    ("pictures", "seconds per image or video", 7.0, 23.0),
    (
        "pictures.watts_per_device",
        "watts of a device, images and videos",
        9.0,
        22.0,
    ),
    (
        "pictures-elsewhere",
        "seconds per image or video, runs and devices not used for fitting",
        12.0,
        33.0,
    ),
    ("speech", "seconds per hour of speech", 11.0, 22.0),
    ("power", "watts of a device, servers under load", 10.0, 28.0),
];

/// Predicts every measurement of the repository and collects the errors by kind.
pub fn errors() -> Result<BTreeMap<String, Errors>> {
    let mut errors: BTreeMap<String, Errors> = BTreeMap::new();
    let engine = Engine::embedded();
    for measurement in measurements()? {
        let answer = measurement.answer(&engine)?;
        for figure in &measurement.figures {
            let (path, measured) = (figure.path.as_str(), figure.measured);
            let predicted = measurement.predicted(&answer, figure)?;
            let of_kind = errors.entry(figure.kind.clone()).or_default();
            of_kind.percent.push((predicted / measured - 1.0) * 100.0);
            let (group, field) = path.rsplit_once('.').unwrap_or(("", path));
            let (low, high) = if figure.kind.ends_with("-peak") {
                let of_device = |end: &str| at(&answer, &format!("per_device_gib.{end}"));
                (of_device("low"), of_device("high"))
            } else {
                // The bands of all speeds are with those in tokens.
                let group = if group.is_empty() {
                    "throughput"
                } else {
                    group
                };
                let end = |end: &str| at(&answer, &format!("{group}.{end}.{field}"));
                (end("low"), end("high"))
            };
            if let Some((low, high)) = low.zip(high) {
                of_kind.banded += 1;
                of_kind.inside += usize::from((low..=high).contains(&measured));
            }
        }
    }
    Ok(errors)
}

/// Renders `docs/accuracy.md`.
pub fn page() -> Result<String> {
    let errors = errors()?;
    let mut text = String::from(
        "# Accuracy

This page compares the predictions of `fit` and `recommend` with published measurements. The measurements and their
sources are in [`measurements/`](../measurements/README.md). `cargo xtask generate` computes this page from them, and a
test fails if an error exceeds its limit. Errors are absolute except for the bias, which is the median signed error.

| quantity | measurements | median error | 90th percentile | bias | in the band |
|---|---|---|---|---|---|
",
    );
    let (mut banded, mut inside) = (0, 0);
    for (kind, title, _, _) in KINDS {
        let of_kind = errors
            .get(kind)
            .with_context(|| format!("no measurement is of the kind {kind}"))?;
        let band = if of_kind.banded > 0 {
            banded += of_kind.banded;
            inside += of_kind.inside;
            format!(
                "{:.0}%",
                100.0 * of_kind.inside as f64 / of_kind.banded as f64
            )
        } else {
            String::new()
        };
        writeln!(
            text,
            "| {title} | {} | {:.1}% | {:.1}% | {:+.1}% | {band} |",
            of_kind.percent.len(),
            of_kind.within(0.5),
            of_kind.within(0.9),
            of_kind.bias()
        )?;
    }
    write!(
        text,
        "
The band from `low` to `high` should contain 80% of the measured figures: peaks by any counter, and speeds. It contains
{inside} of {banded} ({:.0}%).

## Exact and estimated figures

- **Weights and KV cache** are computed from the shape of the model and the format. The remaining errors come from other
  tensors in the files: a head that is stored twice, a vision tower, or a layer for multi-token prediction.
- **Peaks of inference** also include intermediate results. We counted these with the modelling code of transformers on
  fake tensors, and they agree with the measurements. `logits` and `attention` describe old versions that compute all
  logits, and eager attention.
- **Peaks of training** mainly depend on settings outside the model: the optimizer state (`optimizer`,
  `parameter_precision`, `master_weights`), recomputed activations (`checkpointing`), and varying lengths. The defaults
  follow common recipes; use your own settings for accurate results. With transformers, the peak in use follows from the
  tensors that autograd saves. Gemma 2 takes 5 to 10% more, because its capped logits are not modeled.
- **Speed** is a roofline: bytes over bandwidth and operations over peak, times an efficiency for the kind of work and
  device, plus a cost per layer and step, and the communication between devices. [sizing.md](sizing.md) has the formulas,
  and [`catalog/sizing.toml`](../catalog/sizing.toml) has the coefficients with their sources.
- **Servers under load**: serving engines have separate coefficients, because they differ by 17% in the median on equal
  configurations, and by half in one of ten. A release may be 25% faster than the previous one. Use `--calibrate` with a
  number that you measured.
- A coefficient is never fitted to a single measurement or a single model. It is one number for a serving engine, an
  architecture, or a kind of work.
- Unpublished settings of a benchmark remain as errors. For example, the interval at which a serving engine streams tokens
  delays the first token by up to 30 steps. Of 141 runs of DeepSeek-R1 and V3 with SGLang, 25 have a TTFT of more than 5
  seconds, some with short prompts or only four users, and no field explains it.

The 288 runs of Qwen3.5, Kimi K2.5 and GLM-5 in `measurements/unseen.jsonl` were not used for fitting, so they show the
accuracy for new models. Qwen3.5 is in no other file; other files have other runs of Kimi K2.5 and GLM-5, or of models with
the same shape. Runs with speculative decoding are excluded, because no source states their acceptance rate. At full load,
DeepSeek-R1 in NVFP4 is 20% faster than predicted, and gpt-oss on H100 with prompts of 1,024 tokens is 1.4 times slower.
The runs with prompts of people are from another laboratory (ML.ENERGY), with vLLM 0.11 and penalties on repetition. Only
costs of sampling, of the host and of split experts were fitted to them. Nemotron Nano 9B v2, whose prompts pass through
recurrent layers without graphs, is 1.2 (H100) to 1.9 times (B200) slower than predicted: it is the only such model, so no
coefficient was fitted to it. Mixtures with more than 256 users on B200 are a third slower than predicted.
The runs with an image or a video in each prompt are from the same laboratory. One coefficient was chosen with them. Small models
with videos are up to 1.4 times faster (H100) and 1.7 times slower (B200) than predicted, because the time depends on the host.
The measurements do not cover TPUs, Neuron, Gaudi, offloading, or Poisson arrivals. Under load, they do not cover A10, L4 or
consumer cards.
",
        100.0 * inside as f64 / banded.max(1) as f64
    )?;
    text.push_str(&held_out_section(&hold_out::read()?)?);
    let engine = Engine::embedded();
    let mut anchors = Anchors::read()?;
    for measurement in measurements()? {
        anchors.add(&engine, &measurement, &measurement.answer(&engine)?)?;
    }
    text.push_str(&anchors.section(&KINDS.map(|(kind, title, ..)| (kind, title)))?);
    Ok(text)
}

/// Renders the section on held-out models and releases.
fn held_out_section(held_out: &HeldOut) -> Result<String> {
    let mut text = String::from(
        "
## Held-out models and releases

The errors above are on the rows that were used for fitting. `cargo xtask hold-out` holds out one model after another, and
one release of a serving engine after another, and predicts the held-out rows:

| quantity | models | median error | 90th percentile | bias | releases | median error | 90th percentile | bias |
|---|---|---|---|---|---|---|---|---|
",
    );
    for (kind, title, _, _) in KINDS {
        let cells = |all: &[KindErrors]| match all.iter().find(|of_kind| of_kind.kind == kind) {
            Some(of_kind) => format!(
                "{} | {:.1}% | {:.1}% | {:+.1}%",
                of_kind.folds, of_kind.median, of_kind.nine_of_ten, of_kind.bias
            ),
            None => " | | |".to_owned(),
        };
        let (models, releases) = (cells(&held_out.models), cells(&held_out.releases));
        // Memory has no fitted coefficients.
        if held_out.models.iter().any(|of_kind| of_kind.kind == kind) {
            writeln!(text, "| {title} | {models} | {releases} |")?;
        }
    }
    write!(
        text,
        "
- **Fitted coefficients** are those with a `prior` in [`catalog/sizing.toml`](../catalog/sizing.toml). A prior has the value
  that was expected before any run was measured, from kernels or from similar engines, and a width, which is its
  uncertainty. The fit is a ridge regression of logarithms in which outliers count less (Cauchy weights). It starts at the
  priors and uses no held-out row. `cargo xtask fit` does the same with all rows. Some coefficients compensate for each
  other, so single coefficients differ between equally good fits, and the errors here differ by a point or two.
- **Folds** are all rows of models with the same shape (DeepSeek-R1 and V3, Llama 3 and 3.1), or all rows of a release. A
  release has a fold if other releases with the same coefficients were measured; rows without a version count as one
  release.
- Predictions use the fitted coefficients. Linearized predictions would differ by {:.1}% in the median and {:.1}% in the
  90th percentile.
- A coefficient that was measured with only one model falls back to its prior if that model is held out. This is the case
  for prefill with llama.cpp, and for GRPO.
- `[[link]]` rows are not fitted. All-reduces on MI300X were chosen from its static batches and bursts, so their errors are
  slightly too small here.
- **Bands** of speeds are the 10th and the 90th percentile of these rows, from the table with the wider band. Full load and
  disaggregated prefill have separate bands, which are not narrower than the band of a closed loop. Poisson arrivals were
  not measured, so their predictions use the band of a closed loop. Bands of memory come from the rows of memory.
",
        held_out.linearised_within[0], held_out.linearised_within[1]
    )?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use sky_accel_engine::catalog::EMBEDDED;

    use super::{KINDS, errors};
    use crate::hold_out;

    #[test]
    fn errors_are_within_their_limits() -> anyhow::Result<()> {
        let errors = errors()?;
        for (kind, _, median, nine_of_ten) in KINDS {
            let of_kind = &errors[kind];
            assert!(
                of_kind.within(0.5) <= median,
                "{kind}: median {:.2}",
                of_kind.within(0.5)
            );
            assert!(
                of_kind.within(0.9) <= nine_of_ten,
                "{kind}: p90 {:.2}",
                of_kind.within(0.9)
            );
        }
        assert_eq!(errors.len(), KINDS.len());
        let (banded, inside) = errors.values().fold((0, 0), |(banded, inside), of_kind| {
            (banded + of_kind.banded, inside + of_kind.inside)
        });
        assert!(inside * 10 >= banded * 8, "{inside} of {banded}");
        Ok(())
    }

    /// New measurements of speed also have to be held out.
    #[test]
    fn every_speed_measurement_was_held_out() -> anyhow::Result<()> {
        let errors = errors()?;
        let models = hold_out::read()?.models;
        for of_kind in &models {
            let rows = errors[&of_kind.kind].percent.len();
            let message = "run `cargo xtask hold-out`";
            assert_eq!(of_kind.rows, rows, "{}: {message}", of_kind.kind);
        }
        assert!(models.len() >= 12);
        Ok(())
    }

    /// `fit` reports the errors of the catalog with its predictions.
    #[test]
    fn the_catalog_has_the_current_errors() -> anyhow::Result<()> {
        let errors = errors()?;
        for (workload, kind) in [
            ("inference", "inference-peak"),
            ("lora", "lora-peak"),
            ("qlora", "qlora-peak"),
            ("full", "training-peak"),
            ("pretrain", "training-peak"),
        ] {
            for (name, share) in [("median-error-percent", 0.5), ("p90-error-percent", 0.9)] {
                let stated = EMBEDDED.coefficient(name, workload).unwrap_or_default();
                let actual = errors[kind].within(share);
                assert!(
                    (stated - actual).abs() < 0.6,
                    "{name} of {workload}: the catalog has {stated}, but it is {actual:.1}"
                );
            }
        }
        Ok(())
    }
}
