//! The measurements of the repository, and the predictions for them.

use std::fs;

use anyhow::{Context as _, Result};
use serde_json::{Map, Value};
use sky_accel_engine::Engine;

use crate::paths::root;

/// The files of `measurements/` with measurements, without their extension.
const FILES: [&str; 11] = [
    "memory",
    "h200",
    "speed",
    "serving",
    "clusters",
    "unseen",
    "mlenergy",
    "images",
    "diffusion",
    "speech",
    "power",
];
/// The prefix of kinds of measurements to which no coefficient is fitted.
pub const UNSEEN: &str = "unseen";

/// A measured run.
#[derive(Clone, Debug)]
pub struct Measurement {
    pub id: String,
    /// The software that ran, with its version if it is known.
    pub engine: String,
    /// The run as a request of `fit -`.
    pub request: Value,
    pub figures: Vec<MeasuredFigure>,
}

/// A measured figure of a run.
#[derive(Clone, Debug)]
pub struct MeasuredFigure {
    /// The kind of the measurement, followed by the field for all but the first figure.
    pub kind: String,
    /// The dotted path of the field in the result.
    pub path: String,
    pub measured: f64,
}

/// Reads all measurements.
pub fn measurements() -> Result<Vec<Measurement>> {
    let mut all = Vec::new();
    for file in FILES {
        let path = root().join(format!("measurements/{file}.jsonl"));
        let text = fs::read_to_string(&path).with_context(|| path.display().to_string())?;
        for line in text.lines() {
            all.push(measurement(serde_json::from_str(line)?)?);
        }
    }
    Ok(all)
}

fn measurement(mut line: Value) -> Result<Measurement> {
    let text = |field: &str| line[field].as_str().unwrap_or_default().to_owned();
    let (id, kind, engine, quantity) = (text("id"), text("kind"), text("engine"), text("quantity"));
    let mut figures = Vec::new();
    let mut add = |kind: String, path: &str, value: &Value| -> Result<()> {
        let measured = value.as_f64().with_context(|| format!("{id}: no value"))?;
        figures.push(MeasuredFigure {
            kind,
            path: path.to_owned(),
            measured,
        });
        Ok(())
    };
    add(kind.clone(), &quantity, &line["value"])?;
    for (path, value) in line["also"].as_object().into_iter().flatten() {
        let field = path.rsplit('.').next().unwrap_or(path);
        add(format!("{kind}.{field}"), path, value)?;
    }
    let mut request = line["request"].take();
    // Benchmarks with random tokens decode greedily, and their rows do not repeat it.
    let fields = request.as_object_mut();
    let is_inference = |fields: &Map<String, Value>| {
        fields.get("workload").and_then(Value::as_str) == Some("inference")
    };
    if let Some(fields) = fields.filter(|fields| is_inference(fields)) {
        fields
            .entry("sampling")
            .or_insert_with(|| Value::from("greedy"));
    }
    Ok(Measurement {
        id,
        engine,
        request,
        figures,
    })
}

impl Measurement {
    /// Returns the result of `fit` for the run.
    pub fn answer(&self, engine: &Engine<'_>) -> Result<Value> {
        let answer = engine
            .fit_json(self.request.to_string().as_bytes())
            .with_context(|| self.id.clone())?;
        let first = answer.envelope.results.first();
        let first = first.with_context(|| format!("{}: no result", self.id))?;
        Ok(serde_json::to_value(first)?)
    }

    /// Returns the prediction for a figure.
    pub fn predicted(&self, answer: &Value, figure: &MeasuredFigure) -> Result<f64> {
        at(answer, &figure.path).with_context(|| format!("{}: no prediction", self.id))
    }
}

/// Returns the number at a path of a result; `None` without one.
pub fn at(answer: &Value, path: &str) -> Option<f64> {
    let pointer = format!("/{}", path.replace('.', "/"));
    answer.pointer(&pointer).and_then(Value::as_f64)
}
