//! Reference predictions for the same rows: a plain roofline, and tools whose predictions are in
//! `measurements/anchors.json`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use anyhow::{Context as _, Result};
use serde::Deserialize;
use serde_json::Value;
use sky_accel_core::sizing::{Device, DeviceReader, GIB, ServingEngine};
use sky_accel_engine::Engine;

use crate::errors_of::Errors;
use crate::measurements::{Measurement, at};
use crate::paths::root;

const FILE: &str = "measurements/anchors.json";

/// The predictions of a tool.
#[derive(Debug, Deserialize)]
pub struct AnchorTool {
    name: String,
    version: String,
    as_of: String,
    /// How the tool was run, and on which rows.
    method: String,
    /// Predictions in the units of the measurements, by figure and `id` of the measurement.
    predicted: BTreeMap<String, BTreeMap<String, f64>>,
}

/// The errors of an anchor for a figure, and our errors on the same rows.
#[derive(Debug, Default)]
struct Compared {
    anchor: Errors,
    ours: Errors,
}

impl Compared {
    fn add(&mut self, anchor: f64, ours: f64, measured: f64) {
        let percent = |predicted: f64| (predicted / measured - 1.0) * 100.0;
        self.anchor.percent.push(percent(anchor));
        self.ours.percent.push(percent(ours));
    }
}

/// Anchors in comparison with our predictions.
#[derive(Debug, Default)]
pub struct Anchors {
    roofline: BTreeMap<String, Compared>,
    tools: Vec<(AnchorTool, BTreeMap<String, Compared>)>,
}

impl Anchors {
    /// Reads the predictions of the tools.
    pub fn read() -> Result<Self> {
        let text = fs::read_to_string(root().join(FILE)).with_context(|| FILE.to_owned())?;
        let tools: Vec<AnchorTool> =
            serde_json::from_str(&text).with_context(|| FILE.to_owned())?;
        Ok(Self {
            tools: tools
                .into_iter()
                .map(|tool| (tool, BTreeMap::new()))
                .collect(),
            ..Self::default()
        })
    }

    /// Compares the predictions of the anchors for a run with our result.
    pub fn add(&mut self, engine: &Engine<'_>, run: &Measurement, answer: &Value) -> Result<()> {
        let roofline = Roofline::of(engine, run, answer);
        for figure in &run.figures {
            let ours = run.predicted(answer, figure)?;
            if let Some(plain) = roofline.as_ref().and_then(|line| line.figure(&figure.path)) {
                let compared = self.roofline.entry(figure.kind.clone()).or_default();
                compared.add(plain, ours, figure.measured);
            }
            for (tool, kinds) in &mut self.tools {
                let of_figure = tool.predicted.get(&figure.path);
                if let Some(predicted) = of_figure.and_then(|rows| rows.get(&run.id)) {
                    let compared = kinds.entry(figure.kind.clone()).or_default();
                    compared.add(*predicted, ours, figure.measured);
                }
            }
        }
        Ok(())
    }

    /// Renders the section of the page. `kinds` are the kinds of measurements with their titles.
    pub fn section(&self, kinds: &[(&str, &str)]) -> Result<String> {
        let mut text = String::from(
            "
## Anchors

This section compares reference predictions for the same rows. A plain roofline reads the cache and the weights that its
tokens choose at the full bandwidth, and computes at the dense peak: 2 operations per active parameter and token of a
prompt, 6 in training. It has no efficiencies, and splits the work among devices at no cost.

| anchor | quantity | rows | its median error | its 90th percentile | its bias | our median error | our 90th percentile |
|---|---|---|---|---|---|---|---|
",
        );
        rows(&mut text, "roofline", &self.roofline, kinds)?;
        for (tool, compared) in &self.tools {
            let name = format!("{} {}", tool.name, tool.version);
            rows(&mut text, &name, compared, kinds)?;
        }
        text.push('\n');
        for (tool, _) in &self.tools {
            writeln!(
                text,
                "- {} {}, {}: {}",
                tool.name, tool.version, tool.as_of, tool.method
            )?;
        }
        writeln!(
            text,
            "\nOur errors in this section are errors of the first table, on the rows that the anchor predicts."
        )?;
        Ok(text)
    }
}

/// Appends the rows of an anchor, ordered by kind.
fn rows(
    text: &mut String,
    name: &str,
    compared: &BTreeMap<String, Compared>,
    kinds: &[(&str, &str)],
) -> Result<()> {
    for (kind, title) in kinds {
        let Some(Compared { anchor, ours }) = compared.get(*kind) else {
            continue;
        };
        writeln!(
            text,
            "| {name} | {title} | {} | {:.0}% | {:.0}% | {:+.0}% | {:.0}% | {:.0}% |",
            anchor.percent.len(),
            anchor.within(0.5),
            anchor.within(0.9),
            anchor.bias(),
            ours.within(0.5),
            ours.within(0.9)
        )?;
    }
    Ok(())
}

/// The times of a plain roofline in seconds.
#[derive(Debug)]
struct Roofline {
    sequences: f64,
    output: f64,
    context: f64,
    replicas: f64,
    /// A decode step with the sequences of a replica.
    step: f64,
    /// A prefill of one prompt.
    prompt: f64,
    /// A training token on one device.
    trained: f64,
}

impl Roofline {
    /// Returns `None` if a figure of the device is unknown.
    fn of(engine: &Engine<'_>, run: &Measurement, answer: &Value) -> Option<Self> {
        let catalog = engine.catalog();
        let name = answer["accelerator"].as_str()?;
        let id = catalog
            .accelerator_ids()
            .find(|id| catalog.accelerator_id(*id) == name)?;
        let device = DeviceReader::new(ServingEngine::None, None).read(&catalog, id);
        let request_number = |field: &str| run.request[field].as_f64();
        let layout = |field: &str| at(answer, &format!("parallelism.{field}")).unwrap_or(1.0);
        let count = at(answer, "count")?;
        // A replica has each weight once, so ranks that share experts are one replica.
        let replicas = if layout("expert") > 1.0 {
            1.0
        } else {
            layout("data")
        };
        let sequences = request_number("concurrency")
            .or(request_number("batch"))
            .unwrap_or(1.0);
        // A single sequence passes through the pipeline stages one after another.
        let stages = layout("pipeline").min(1.0_f64.max(count / sequences));
        let devices = count / replicas / stages;
        let precision = run.request["precision"].as_str().unwrap_or("bf16");
        let bits = catalog.weight_format(precision)?.format.compute_bits;
        let peak = peak(&device, bits)?;
        let bandwidth = device.bandwidth? * devices;
        let active = at(answer, "model.active_parameters")?;
        let context = request_number("context")?;
        let output = request_number("generate").unwrap_or_default();
        let per_replica = (sequences / replicas).max(1.0);
        // The share of experts that the tokens of a step touch, if they choose evenly.
        let touched = 1.0 - (1.0 - active / at(answer, "model.parameters")?).powf(per_replica);
        let cached = at(answer, "kv_cache.bytes_per_token").unwrap_or_default();
        let fixed = at(answer, "kv_cache.fixed_bytes").unwrap_or_default();
        let weights = at(answer, "model.weights_gib")? * GIB * touched;
        let cache = per_replica * (cached * (context + output / 2.0) + fixed);
        Some(Self {
            sequences,
            output,
            context,
            step: (weights + cache) / bandwidth,
            prompt: 2.0 * active * context / (peak * devices),
            replicas,
            trained: 6.0 * active / peak,
        })
    }

    /// The prediction for a field of the result.
    fn figure(&self, path: &str) -> Option<f64> {
        let all = self.sequences / self.replicas * self.prompt + self.output * self.step;
        Some(match path {
            "throughput.decode_tokens_per_s" => self.sequences / self.step,
            "throughput.prefill_tokens_per_s" => self.replicas * self.context / self.prompt,
            "throughput.output_tokens_per_s" => self.sequences * self.output / all,
            "throughput.tpot_ms" => self.step * 1e3,
            "throughput.ttft_s" => self.prompt + self.step,
            "throughput.train_tokens_per_s_per_device" => 1.0 / self.trained,
            _ => return None,
        })
    }
}

/// The dense peak for operands of `bits` bits. Formats that a device lacks are computed with more bits.
fn peak(device: &Device, bits: f64) -> Option<f64> {
    let eight = device.peak.bits_8.filter(|_| bits <= 8.0);
    let four = device.peak.bits_4.filter(|_| bits <= 4.0);
    four.or(eight).or(device.peak.bits_16)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_roofline_reads_and_computes() {
        let line = Roofline {
            sequences: 4.0,
            replicas: 1.0,
            output: 100.0,
            context: 1000.0,
            step: 0.01,
            prompt: 0.25,
            trained: 1e-4,
        };
        let figure = |field: &str| line.figure(&format!("throughput.{field}"));
        assert_eq!(figure("decode_tokens_per_s"), Some(400.0));
        assert_eq!(figure("prefill_tokens_per_s"), Some(4000.0));
        // One second of prefill and one second of decode steps.
        assert_eq!(figure("output_tokens_per_s"), Some(200.0));
        assert_eq!(figure("mfu"), None);
    }
}
