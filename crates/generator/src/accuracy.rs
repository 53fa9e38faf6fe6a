//! How far predictions are from measurements: `docs/accuracy.md`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::{Context as _, Result};
use sky_accel_engine::Engine;

use crate::anchors::Anchors;
use crate::errors_of::Errors;
use crate::hold_out::{self, HeldOut, OfKind};
use crate::measurements::{at, measurements};

/// A kind of measurement: its name, what it is, and the most that its errors may be, in percent,
/// in the median and in nine of ten measurements.
pub const KINDS: [(&str, &str, f64, f64); 25] = [
    ("weights", "weights on a device, as loaded", 0.5, 3.0),
    (
        "kv-cache",
        "KV cache of N tokens, tokens that a server can hold",
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
        "decode",
        "tokens per second, generating, batch 1 and small",
        8.0,
        18.0,
    ),
    (
        "output",
        "tokens per second, prompts included, batch 1",
        8.0,
        26.0,
    ),
    ("prefill", "tokens per second, reading prompts", 12.0, 26.0),
    (
        "training-speed",
        "training tokens per second and device",
        10.0,
        32.0,
    ),
    (
        "served",
        "tokens per second of all users, each asking again when answered",
        8.0,
        20.0,
    ),
    (
        "served.tpot_ms",
        "time per output token of those",
        8.0,
        20.0,
    ),
    ("served.ttft_s", "time to first token of those", 20.0, 52.0),
    (
        "unseen",
        "the same, runs with which no coefficient was chosen",
        9.5,
        29.0,
    ),
    (
        "unseen.tpot_ms",
        "time per output token of those",
        9.5,
        29.0,
    ),
    ("unseen.ttft_s", "time to first token of those", 20.0, 58.0),
    (
        "served-dp",
        "tokens per second, data-parallel attention with experts",
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
        "tokens per second, prompts read apart",
        12.0,
        34.0,
    ),
    (
        "disaggregated.tpot_ms",
        "time per output token of those",
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
        "training tokens per second and device, steps of GRPO",
        40.0,
        60.0,
    ),
];

/// Predicts every measurement of the repository.
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

/// `docs/accuracy.md`.
pub fn page() -> Result<String> {
    let errors = errors()?;
    let mut text = String::from(
        "# Accuracy

This page compares the predictions of `fit` and `recommend` with published measurements. The measurements and their sources are in
[`measurements/`](../measurements/README.md). `cargo xtask generate` computes this page from them, and a test fails if an error grows
beyond its bound.

| quantity | measurements | median error | nine of ten within | bias | in the band |
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
The band from `low` to `high` should contain eight of ten measured figures: of peaks, whichever counter was read, and of speeds. It contains
{inside} of {banded} ({:.0}%).

## What is exact and what is not

- **Weights and KV cache are arithmetic** over the shape of the model and the format. The remaining errors come from other parts
  of the files: a head that is stored twice, a vision tower, a layer for multi-token prediction.
- **Peaks of inference** also include the intermediate results. We counted these with the modelling code of transformers on shapes without
  data; they agree with measurements. `logits` and `attention` describe old versions that compute all logits, and eager attention.
- **Peaks of training** depend most on settings outside the model: the state that the optimizer keeps (`optimizer`, `parameter_precision`,
  `master_weights`), the activations that are recomputed (`checkpointing`), and varying lengths. Give your settings; the defaults are
  those of common recipes.
- **Speed** is a roofline: bytes over bandwidth and operations over peak, times an efficiency for the kind of work and device, plus a cost for
  each layer and each step, and the communication between devices. [sizing.md](sizing.md) has the formulas, and
  [`catalog/sizing.toml`](../catalog/sizing.toml) the coefficients with their sources.
- **Servers with many users**: engines differ by 17% in the median on equal configurations, and by half in one of ten, so each has
  coefficients of its own. A release may be a quarter faster than the one before. `--calibrate` takes a number that you measured.
- No figure is fitted to one measurement or one model: a coefficient is one number for an engine, an architecture or a kind of work.
- Settings of a benchmark that its rows do not say remain as errors. How often an engine sends what it has moves the first token by up to
  30 steps. Of 141 runs of DeepSeek-R1 and V3 with SGLang, 25 have a first token after more than 5 seconds, some with short prompts,
  some with four users; no field says why.

The 288 runs of Qwen3.5, Kimi K2.5 and GLM-5 in `measurements/unseen.jsonl` were not used to fit a coefficient, and show what to expect of a new
model. Qwen3.5 is in no other file; of the others, or of models with the same shape, other runs are. Runs that guess tokens
ahead are left out: no source says how many of their guesses hold. At full load, DeepSeek-R1 in NVFP4 is a fifth faster than computed, and gpt-oss on H100 with
prompts of 1,024 tokens 1.4 times slower. The measurements do not cover TPUs, Neuron, Gaudi, offloading, or requests that arrive at random; under load they cover no A10, L4 or consumer card.
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

/// The part of the page on models and releases that were left out.
fn held_out_section(held_out: &HeldOut) -> Result<String> {
    let mut text = String::from(
        "
## Models and releases that were held out

The errors above are on the rows that coefficients were fitted to. `cargo xtask hold-out` leaves out one model after another, and one
release of an engine after another, and predicts what was left out:

| quantity | models | median error | nine of ten within | bias | releases | median error | nine of ten within | bias |
|---|---|---|---|---|---|---|---|---|
",
    );
    for (kind, title, _, _) in KINDS {
        let cells = |all: &[OfKind]| match all.iter().find(|of_kind| of_kind.kind == kind) {
            Some(of_kind) => format!(
                "{} | {:.1}% | {:.1}% | {:+.1}%",
                of_kind.folds, of_kind.median, of_kind.nine_of_ten, of_kind.bias
            ),
            None => " | | |".to_owned(),
        };
        let (models, releases) = (cells(&held_out.models), cells(&held_out.releases));
        // Memory has no coefficient that is fitted anew.
        if held_out.models.iter().any(|of_kind| of_kind.kind == kind) {
            writeln!(text, "| {title} | {models} | {releases} |")?;
        }
    }
    write!(
        text,
        "
- What is fitted: the coefficients with a `prior` in [`catalog/sizing.toml`](../catalog/sizing.toml). A prior has the value that was expected before
  any run was measured, from kernels or from similar engines, and a width: how far off it may be. The fit is a ridge regression of logarithms, in
  which rows that are far off count less (Cauchy's weights). It begins at the priors, and sees no row of what is left out. `cargo xtask fit` does the
  same with all rows. Some coefficients make up for each other, so single ones differ between fits that are as
  good, and so do the errors here, by a point or two.
- What is left out together: all rows of models with one shape (DeepSeek-R1 and V3, Llama 3 and 3.1), or all rows of a release. A release
  counts if others with the same coefficients were measured; rows without a version are one release.
- Predictions are computed with the fitted coefficients. Derivatives alone would be {:.1}% away from them in the median, and within {:.1}% in nine of ten.
- A coefficient of an engine that was measured with one model alone falls back to its prior when that model is left out: reading prompts with
  llama.cpp is such a case. Steps of GRPO were measured with one model, so nothing is left to fit when it is left out.
- `[[link]]` rows are not fitted anew. Sums on MI300X were chosen with its static batches and bursts, whose errors are therefore a little too small here.
- **Bands**: `low` and `high` of speeds are where one in ten of these rows is below and above, the wider of both tables. Full load, and prompts that are
  read apart, have bands of their own, which are no narrower than that of users who ask again. Requests that arrive at random
  were not measured: their predictions use the band of users. Memory has bands from its own rows.
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
    fn errors_are_within_their_bounds() -> anyhow::Result<()> {
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

    /// Whoever adds a measurement of speed holds it out, too.
    #[test]
    fn every_measurement_of_speed_was_held_out() -> anyhow::Result<()> {
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

    /// The errors that `fit` states for its own predictions.
    #[test]
    fn the_catalog_states_the_errors_as_they_are() -> anyhow::Result<()> {
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
                    "{name} of {workload}: {stated}, and it is {actual:.1}"
                );
            }
        }
        Ok(())
    }
}
