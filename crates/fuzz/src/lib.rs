//! Fuzz targets: every parser of untrusted bytes, as a function that must not panic and must take
//! little time and memory.
//!
//! The tests run each target over its corpus and over mutations of it. The folder `fuzz/` in the
//! root of the repository has the same targets for `cargo fuzz`, with the same corpora: `cargo
//! +nightly fuzz run spec`.

#![warn(missing_docs)]

mod catalogs;
mod compiled;
mod devices;
mod input;
mod models;
mod plans;

use sky_accel_providers::fuzzing;

/// A parser under test.
pub struct FuzzTarget {
    /// The name of the target and of its corpus.
    pub name: &'static str,
    /// The parser, and the code that its output reaches.
    pub run: fn(&[u8]),
    /// The number of mutated inputs in the tests: fewer for slow targets.
    pub cases: u32,
}

const fn target(name: &'static str, run: fn(&[u8]), cases: u32) -> FuzzTarget {
    FuzzTarget { name, run, cases }
}

/// All targets.
pub const TARGETS: &[FuzzTarget] = &[
    target("spec", plans::spec, 4000),
    target("overlay", catalogs::overlay, 30),
    target("table", catalogs::table, 30),
    target("compiled-catalog", compiled::compiled, 300),
    target("toml", catalogs::toml, 1000),
    target("config", models::config, 3000),
    target("safetensors", models::safetensors, 3000),
    target("gguf", models::gguf, 3000),
    target("fit", plans::fit, 500),
    target("plan-input", plans::input, 2000),
    target("plan-diff", plans::diff, 1000),
    target("mig-listing", plans::listing, 1000),
    target("nvidia-smi", devices::nvidia_smi, 1000),
    target("rocm-smi", devices::rocm_smi, 1000),
    target("amd-smi", devices::amd_smi, 1000),
    target("neuron-ls", devices::neuron_ls, 1000),
    target("hl-smi", devices::hl_smi, 1000),
    target("runpod", fuzzing::runpod, 2000),
    target("vastai", fuzzing::vastai, 2000),
    target("verda", fuzzing::verda, 2000),
    target("public", fuzzing::public, 2000),
    target("aggregators", fuzzing::aggregators, 1000),
    target("cache", fuzzing::cache, 2000),
];

/// Runs a target by name.
pub fn run(name: &str, bytes: &[u8]) {
    if let Some(target) = TARGETS.iter().find(|target| target.name == name) {
        (target.run)(bytes);
    }
}
