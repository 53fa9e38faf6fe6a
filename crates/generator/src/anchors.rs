//! Predictions of others for the same rows: a plain roofline, and tools whose predictions stand in
//! `measurements/anchors.json`.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use anyhow::{Context as _, Result};
use serde::Deserialize;
use serde_json::Value;
use sky_accel_core::sizing::{Device, Engine as Software};
use sky_accel_engine::Engine;

use crate::errors_of::Errors;
use crate::measurements::{Measurement, at};
use crate::root;

const FILE: &str = "measurements/anchors.json";
const GIB: f64 = 1_073_741_824.0;

/// The predictions of a tool.
#[derive(Debug, Deserialize)]
pub struct Tool {
    name: String,
    version: String,
    as_of: String,
    /// The question, and how it was asked.
    method: String,
    /// Predictions in the units of the measurements, by figure and by the `id` of the measurement.
    predicted: BTreeMap<String, BTreeMap<String, f64>>,
}

/// The errors of an anchor for one figure, and ours on the same rows.
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

/// Anchors beside our own predictions.
#[derive(Debug, Default)]
pub struct Anchors {
    roofline: BTreeMap<String, Compared>,
    tools: Vec<(Tool, BTreeMap<String, Compared>)>,
}

impl Anchors {
    /// Reads the predictions of the tools.
    pub fn read() -> Result<Self> {
        let text = fs::read_to_string(root().join(FILE)).with_context(|| FILE.to_owned())?;
        let tools: Vec<Tool> = serde_json::from_str(&text).with_context(|| FILE.to_owned())?;
        Ok(Self {
            tools: tools
                .into_iter()
                .map(|tool| (tool, BTreeMap::new()))
                .collect(),
            ..Self::default()
        })
    }

    /// Compares what anchors say of one run with our answer.
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

    /// The tables of the page: titles are those of the kinds.
    pub fn section(&self, kinds: &[(&str, &str)]) -> Result<String> {
        let mut text = String::from(
            "
## Anchors

Others predict the same rows. A plain roofline reads the cache and the weights that its tokens choose at the full bandwidth, and computes at the
dense peak: 2 operations for an active parameter and token of a prompt, 6 in training. It has no efficiencies, and splits the work
among devices at no cost.

| anchor | quantity | rows | its median error | its nine of ten | its bias | our median error | our nine of ten |
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
            "\nOur errors here are those of the first table, on rows that the anchor answers."
        )?;
        Ok(text)
    }
}

/// The rows of one anchor, in the order of the kinds.
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

/// The times of a plain roofline, in seconds.
#[derive(Debug)]
struct Roofline {
    sequences: f64,
    output: f64,
    context: f64,
    replicas: f64,
    /// Of one step for the sequences of a replica, and of one prompt.
    step: f64,
    prompt: f64,
    /// Of one token in training, on one device.
    trained: f64,
}

impl Roofline {
    /// `None` where a figure of the device is not known.
    fn of(engine: &Engine<'_>, run: &Measurement, answer: &Value) -> Option<Self> {
        let catalog = engine.catalog();
        let name = answer["accelerator"].as_str()?;
        let id = catalog
            .accelerator_ids()
            .find(|id| catalog.accelerator_id(*id) == name)?;
        let device = Device::of(&catalog, id, Software::None, None);
        let asked = |field: &str| run.request[field].as_f64();
        let layout = |field: &str| at(answer, &format!("parallelism.{field}")).unwrap_or(1.0);
        let count = at(answer, "count")?;
        // A replica has each weight once; ranks that share experts are one replica.
        let replicas = if layout("expert") > 1.0 {
            1.0
        } else {
            layout("data")
        };
        let sequences = asked("concurrency").or(asked("batch")).unwrap_or(1.0);
        // One sequence goes through the stages of a pipeline one after another.
        let stages = layout("pipeline").min(1.0_f64.max(count / sequences));
        let devices = count / replicas / stages;
        let precision = run.request["precision"].as_str().unwrap_or("bf16");
        let bits = catalog.weight_format(precision)?.format.compute_bits;
        let peak = peak(&device, bits)?;
        let bandwidth = device.bandwidth? * devices;
        let active = at(answer, "model.active_parameters")?;
        let context = asked("context")?;
        let output = asked("generate").unwrap_or_default();
        let each = (sequences / replicas).max(1.0);
        // Of experts those that the tokens of a step choose, if they choose evenly.
        let touched = 1.0 - (1.0 - active / at(answer, "model.parameters")?).powf(each);
        let cached = at(answer, "kv_cache.bytes_per_token").unwrap_or_default();
        let weights = at(answer, "model.weights_gib")? * GIB * touched;
        let cache = each * cached * (context + output / 2.0);
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

    /// The figure of an answer, by its field.
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

/// The dense peak for operands of so many bits; formats that a device lacks are computed in more.
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
        // A second of prompts and a second of steps.
        assert_eq!(figure("output_tokens_per_s"), Some(200.0));
        assert_eq!(figure("mfu"), None);
    }
}
