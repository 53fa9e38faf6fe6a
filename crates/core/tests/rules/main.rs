//! The rules of binding, matching, ranking and planning, on a small catalog with made-up facts,
//! and properties of the spec language, of MIG packing and of facts on the catalog of `tests/catalog`. Names that
//! people type are checked on the shipped catalog.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "tests fail by panicking"
)]

mod bill;
mod bind;
mod facts;
mod language;
mod layouts;
mod mig;
mod names;
mod packing;
mod physics;
mod plan;
mod resolve;

use std::sync::LazyLock;

use sky_accel_catalog::{Layer, Source, Tables, compile};
use sky_accel_core::bind::{BoundChoice, interpret};
use sky_accel_core::catalog::Catalog;

static TABLES: LazyLock<Tables> = LazyLock::new(|| {
    let sources = [
        Source::toml(
            Layer::EMBEDDED,
            "catalog.toml",
            include_str!("catalog.toml"),
        ),
        Source::toml(Layer::EMBEDDED, "mig.toml", include_str!("mig.toml")),
    ];
    compile(&sources).unwrap_or_else(|errors| {
        let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
        panic!("{}", errors.join("\n"))
    })
});

fn catalog() -> Catalog<'static> {
    TABLES.catalog()
}

#[track_caller]
fn bound(spec: &str) -> Vec<BoundChoice> {
    interpret(&catalog(), spec).unwrap_or_else(|errors| panic!("{spec}: {errors:?}"))
}

#[track_caller]
fn one(spec: &str) -> BoundChoice {
    let mut choices = bound(spec);
    assert_eq!(choices.len(), 1, "{spec}");
    choices.remove(0)
}
