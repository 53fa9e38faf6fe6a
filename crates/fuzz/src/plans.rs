//! Specs, requests, plans and listings.

use sky_accel_core::bind::interpret;
use sky_accel_embedded::CATALOG;
use sky_accel_engine::contract::PackRequest;
use sky_accel_engine::{Engine, PlanInput};

use crate::input::text;

/// Parses and binds a spec, and formats its errors.
pub(crate) fn spec(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    if let Err(errors) = interpret(&CATALOG, text) {
        for error in errors {
            let _ = error.sentence();
        }
    }
}

/// Reads a line of `fit -`.
pub(crate) fn fit(bytes: &[u8]) {
    let _ = Engine::embedded().fit_json(bytes);
}

/// Reads the standard input of `plan -`.
pub(crate) fn input(bytes: &[u8]) {
    if let Some(text) = text(bytes) {
        let _ = PlanInput::parse(text);
    }
}

/// Compares plans or lock files.
pub(crate) fn diff(bytes: &[u8]) {
    if let Some(text) = text(bytes) {
        let _ = Engine::embedded().plan_diff(("before", text), ("after", text));
    }
}

/// Reads the slices of GPUs, as JSON or as the table of `nvidia-smi mig -lgi`.
pub(crate) fn listing(bytes: &[u8]) {
    let Some(text) = text(bytes) else { return };
    let request = PackRequest {
        gpu: "H100".to_owned(),
        slices: "1g.10gb*3+3g.40gb".to_owned(),
        onto: Some("listing".to_owned()),
        existing: Some(text.to_owned()),
        ..PackRequest::default()
    };
    let _ = Engine::embedded().mig_pack(&request);
}
