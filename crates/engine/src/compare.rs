//! Figures of several accelerators side by side.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::contract::{self, AcceleratorOut, Envelope, Num};
use crate::engine::Engine;
use crate::error::Result;
use crate::show::NamesRequest;
use crate::specs::{read_accelerators, unless_one};

/// An accelerator, with its figures relative to the first accelerator.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CompareOut<'a> {
    /// The figures of the accelerator.
    #[serde(flatten)]
    pub accelerator: AcceleratorOut<'a>,
    /// Each figure divided by the figure of the first result, by field name. Omitted if either is unknown.
    pub ratios: BTreeMap<&'static str, Num>,
}

impl<'c> Engine<'c> {
    /// Compares the first reading of each name with the first name.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::Spec`](crate::ErrorCode::Spec) for an unknown name.
    pub fn compare(
        &self,
        request: &NamesRequest,
    ) -> Result<Envelope<'c, NamesRequest, CompareOut<'c>>> {
        let catalog = self.catalog();
        let mut rows: Vec<AcceleratorOut<'c>> = Vec::new();
        let mut notes = Vec::new();
        for name in &request.names {
            let (ids, more) = read_accelerators(&catalog, name)
                .map_err(|error| unless_one(&catalog, &request.names, error))?;
            rows.extend(ids.first().map(|id| contract::accelerator(&catalog, *id)));
            notes.extend(more);
        }
        let first = rows.first().cloned();
        let results = rows.into_iter().zip(first.iter().cycle());
        let results = results.map(|(accelerator, first)| CompareOut {
            ratios: ratios(&accelerator, first),
            accelerator,
        });
        let results: Vec<CompareOut<'c>> = results.collect();
        let envelope = Envelope::new("sky-accel.compare.v1", &catalog, request.clone(), results);
        Ok(envelope
            .with_overridden(self.overlaid(), None)
            .with_notes(notes))
    }
}

fn ratios(of: &AcceleratorOut, against: &AcceleratorOut<'_>) -> BTreeMap<&'static str, Num> {
    let pairs = [
        ("memory_gb", of.memory_gb, against.memory_gb),
        (
            "memory_bandwidth_gb_s",
            of.memory_bandwidth_gb_s,
            against.memory_bandwidth_gb_s,
        ),
        ("fp64_tflops", of.fp64_tflops, against.fp64_tflops),
        ("fp32_tflops", of.fp32_tflops, against.fp32_tflops),
        ("tf32_tflops", of.tf32_tflops, against.tf32_tflops),
        ("fp16_tflops", of.fp16_tflops, against.fp16_tflops),
        ("bf16_tflops", of.bf16_tflops, against.bf16_tflops),
        ("fp8_tflops", of.fp8_tflops, against.fp8_tflops),
        ("fp4_tflops", of.fp4_tflops, against.fp4_tflops),
        ("int8_tops", of.int8_tops, against.int8_tops),
        ("tdp_w", of.tdp_w, against.tdp_w),
        (
            "interconnect_gb_s",
            of.interconnect_gb_s,
            against.interconnect_gb_s,
        ),
    ];
    let ratio = |(name, figure, first): (&'static str, Option<Num>, Option<Num>)| {
        Some((name, Num((figure?.0 / first?.0 * 1000.0).round() / 1000.0)))
    };
    pairs.into_iter().filter_map(ratio).collect()
}
