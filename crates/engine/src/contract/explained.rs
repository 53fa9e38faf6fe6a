//! How an answer selected its offers.

use serde::Serialize;
use sky_accel_core::bind::BoundChoice;
use sky_accel_core::catalog::Catalog;
use sky_accel_core::resolve::{DropCode, FunnelStep, Resolution, Stage};

use super::Num;

/// One step of the funnel: a condition, and the number of offers that remain after it.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct FunnelOut {
    /// The alternative of the spec that the step belongs to, in canonical form.
    pub spec: String,
    /// The condition.
    pub stage: Stage,
    /// A description of the condition.
    pub label: String,
    /// The number of offers that meet this condition and all earlier ones.
    pub remaining: usize,
}

/// The verdict on one offer that was considered.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ExplainOut<'a> {
    /// The alternative of the spec that the offer was checked against, in canonical form.
    pub spec: String,
    /// The id of the provider.
    pub provider: &'a str,
    /// The provider's id: an instance type, a GPU type id, or a marketplace's GPU name.
    pub instance_type: &'a str,
    /// The catalog's id of the accelerator.
    pub accelerator: &'a str,
    /// The number of accelerators; `null` if any number can be rented.
    pub count: Option<Num>,
    /// True if the offer matches.
    pub kept: bool,
    /// `exact`, or the stable code of the first condition that failed.
    pub code: &'static str,
    /// The meaning of the code.
    pub message: &'static str,
}

/// Converts the funnel of an answer to its contract form.
pub fn funnel(wanted: &[BoundChoice], answer: &Resolution) -> Vec<FunnelOut> {
    let step = |step: &FunnelStep| FunnelOut {
        spec: spec_of(wanted, step.choice),
        stage: step.stage,
        label: step.label.clone(),
        remaining: step.remaining,
    };
    answer.funnel.iter().map(step).collect()
}

pub(super) fn spec_of(wanted: &[BoundChoice], choice: usize) -> String {
    wanted
        .get(choice)
        .map(|w| w.spec.clone())
        .unwrap_or_default()
}

/// Converts the verdicts of an answer to their contract form.
pub fn explain<'a>(
    catalog: &Catalog<'a>,
    wanted: &[BoundChoice],
    answer: &Resolution,
) -> Vec<ExplainOut<'a>> {
    let verdict = |considered: &sky_accel_core::resolve::Considered| {
        let row = catalog.offer(considered.offer);
        ExplainOut {
            spec: spec_of(wanted, considered.choice),
            provider: catalog.provider_id(row.provider),
            instance_type: catalog.str(row.id),
            accelerator: catalog.accelerator_id(considered.accelerator),
            count: considered.count.map(|count| Num(count.decimal())),
            kept: considered.dropped.is_none(),
            code: considered.dropped.map_or("exact", DropCode::word),
            message: considered.dropped.map_or("matches", |code| code.meaning()),
        }
    };
    answer.considered.iter().map(verdict).collect()
}
