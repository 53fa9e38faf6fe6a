//! The coefficients that are fitted to measured runs: those with a `prior` in the catalog.

use std::fs;

use anyhow::{Context as _, Result, ensure};
use serde::Deserialize;
use sky_accel_core::catalog::{Catalog, Column as _, Table};
use sky_accel_engine::Engine;
use sky_accel_engine::catalog::EMBEDDED;

use crate::paths::root;
use crate::ridge::Expected;

const FILE: &str = "catalog/sizing.toml";

/// The part of the file that this task reads.
#[derive(Deserialize)]
struct Sizing {
    coefficient: Vec<CoefficientEntry>,
}

#[derive(Deserialize)]
struct CoefficientEntry {
    name: String,
    #[serde(default)]
    scope: String,
    #[serde(default)]
    before: String,
    value: f64,
    prior: Option<Prior>,
}

#[derive(Deserialize)]
struct Prior {
    value: f64,
    width: f64,
}

/// A coefficient that is fitted.
#[derive(Clone, Debug)]
pub struct Fitted {
    /// The index of its row in the catalog.
    row: usize,
    /// The name with the scope and the version limit.
    pub name: String,
    /// The value in the catalog.
    pub value: f64,
    /// The expected logarithm of the ratio of the fitted value to the value in the catalog.
    pub expected: Expected,
}

/// Reads all coefficients that are fitted.
pub fn fitted() -> Result<Vec<Fitted>> {
    let text = fs::read_to_string(root().join(FILE)).with_context(|| FILE.to_owned())?;
    let sizing: Sizing = toml::from_str(&text).with_context(|| FILE.to_owned())?;
    let catalog = &*EMBEDDED;
    let mut all = Vec::new();
    for entry in sizing.coefficient {
        let Some(prior) = entry.prior else { continue };
        let row = catalog.coefficients.iter().position(|row| {
            catalog.str(row.name) == entry.name
                && catalog.str(row.scope) == entry.scope
                && catalog.str(row.before) == entry.before
        });
        let limit = if entry.before.is_empty() {
            String::new()
        } else {
            format!(" before {}", entry.before)
        };
        let name = format!("{} {}{limit}", entry.name, entry.scope);
        let row = row.with_context(|| format!("{name} is not in the catalog"))?;
        let built = catalog.coefficients.get(row).map(|row| row.value);
        ensure!(
            built == Some(entry.value),
            "{FILE} has changed since this program was built"
        );
        all.push(Fitted {
            row,
            name,
            value: entry.value,
            expected: Expected {
                value: (prior.value / entry.value).ln(),
                width: prior.width,
            },
        });
    }
    Ok(all)
}

/// Returns the coefficients of the catalog as bytes of its table, with the fitted ones multiplied by the exponential of
/// their shift.
pub fn shifted(fitted: &[Fitted], shifts: &[f64]) -> Vec<u8> {
    let mut rows = EMBEDDED.coefficients.to_vec();
    for (fitted, shift) in fitted.iter().zip(shifts) {
        rows[fitted.row].value *= shift.exp();
    }
    let mut bytes = Vec::new();
    for row in rows {
        row.write(&mut bytes);
    }
    bytes
}

/// Creates an engine with other coefficients in the embedded catalog.
pub fn engine_with(coefficients: &[u8]) -> Engine<'_> {
    let engine = Engine::embedded();
    let catalog = Catalog {
        coefficients: Table::new(coefficients),
        ..engine.catalog()
    };
    Engine::new(catalog, engine.today())
}
