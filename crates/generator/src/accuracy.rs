//! How far predictions are from measurements: `docs/accuracy.md`.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use anyhow::{Context as _, Result};
use sky_accel_engine::Engine;

use crate::errors_of::Errors;
use crate::measurements::{at, measurements};

/// A kind of measurement: its name, what it is, and the most that its errors may be, in percent,
/// in the median and in nine of ten measurements.
pub const KINDS: [(&str, &str, f64, f64); 20] = [
    ("weights", "weights on a device, as loaded", 0.5, 3.0),
    (
        "kv-cache",
        "KV cache of N tokens, tokens that a server can hold",
        3.0,
        4.0,
    ),
    ("steady", "memory after generating, transformers", 0.5, 4.6),
    ("inference-peak", "peak of inference", 2.0, 12.0),
    ("lora-peak", "peak of LoRA", 9.0, 38.0),
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
        20.0,
    ),
    (
        "output",
        "tokens per second, prompts included, batch 1",
        9.5,
        40.0,
    ),
    ("prefill", "tokens per second, reading prompts", 12.0, 30.0),
    (
        "training-speed",
        "training tokens per second and device",
        11.0,
        40.0,
    ),
    (
        "served",
        "tokens per second of all users, each asking again when answered",
        11.5,
        36.0,
    ),
    (
        "served.tpot_ms",
        "time per output token of those",
        11.5,
        34.0,
    ),
    ("served.ttft_s", "time to first token of those", 30.0, 75.0),
    (
        "served-dp",
        "tokens per second, data-parallel attention with experts",
        18.0,
        30.0,
    ),
    (
        "few-users",
        "tokens per second, few users and static batches",
        10.0,
        32.0,
    ),
    (
        "burst",
        "tokens per second, all requests at once",
        22.5,
        95.0,
    ),
    ("full-load", "tokens per second at full load", 18.0, 70.0),
    (
        "disaggregated",
        "tokens per second, prompts read apart",
        29.0,
        68.0,
    ),
    (
        "cluster-training",
        "training tokens per second and device, 8 to 16,384 GPUs",
        8.0,
        32.0,
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
- **Servers with many users**: engines differ by 17% in the median on equal configurations, and by half in one of ten; a release may be
  a quarter faster than the one before. No formula gets below that. `--calibrate` takes a number that you measured.
- No figure is fitted to one measurement or one model: a coefficient is one number for an engine, an architecture or a kind of work.

The coefficients are from measured kernels, and some were then moved within narrow bounds by these measurements, so expect somewhat
larger errors elsewhere: we hold out no model here. Where prompts are read apart, times per token are too long by half in the median,
perhaps because the servers that were measured guess tokens ahead, which no field says; at full load, long answers are up to three times slower
than computed. The measurements do not cover TPUs, Neuron, Gaudi, or offloading; under load they cover no A10, L4 or consumer card.
",
        100.0 * inside as f64 / banded.max(1) as f64
    )?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use sky_accel_engine::catalog::EMBEDDED;

    use super::{KINDS, errors};

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
