//! Every parser of bytes that strangers wrote, as a function of bytes that must not panic, and
//! takes little time and memory.
//!
//! The tests run each one over its corpus and over inputs that are made from it. `fuzz/` in the
//! root of the repository has the same functions as targets of `cargo fuzz`, whose corpora these
//! are: `cargo +nightly fuzz run spec`.

#![warn(missing_docs)]

mod catalogs;
mod compiled;
mod devices;
mod input;
mod models;
mod plans;

use sky_accel_providers::fuzzing;

/// A parser under test.
pub struct Target {
    /// The name, which is also that of its corpus.
    pub name: &'static str,
    /// The parser with everything behind it that the same bytes reach.
    pub run: fn(&[u8]),
    /// The number of inputs that the tests make: fewer where one takes long.
    pub cases: u32,
}

const fn target(name: &'static str, run: fn(&[u8]), cases: u32) -> Target {
    Target { name, run, cases }
}

/// All of them.
pub const TARGETS: &[Target] = &[
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

/// Runs a target by its name.
pub fn run(name: &str, bytes: &[u8]) {
    if let Some(target) = TARGETS.iter().find(|target| target.name == name) {
        (target.run)(bytes);
    }
}
