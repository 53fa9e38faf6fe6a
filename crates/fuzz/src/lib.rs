//! Fuzz targets: every parser of untrusted bytes, as a function that must not panic and must take
//! little time and memory.
//!
//! The tests run each target over its corpus and over mutations of it. The folder `fuzz/` in the
//! root of the repository has the same targets for `cargo fuzz`, with the same corpora: `cargo
//! +nightly fuzz run spec`.

#![warn(missing_docs)]

mod agents;
mod catalogs;
mod compiled;
mod devices;
mod input;
mod models;
mod plans;
mod shells;

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

/// Declares the targets, and lists them.
///
/// A target of `cargo fuzz` refers to its own constant, not to the list: the linker then leaves the
/// other parsers out, and the fuzzer looks through a few thousand counters after an input instead
/// of 400,000.
macro_rules! targets {
    ($($constant:ident = $name:literal, $run:path, $cases:literal;)*) => {
        $(
            #[doc = concat!("The target `", $name, "`.")]
            pub const $constant: FuzzTarget = FuzzTarget {
                name: $name,
                run: $run,
                cases: $cases,
            };
        )*

        /// All targets.
        pub const TARGETS: &[FuzzTarget] = &[$($constant),*];
    };
}

targets! {
    SPEC = "spec", plans::spec, 4000;
    OVERLAY = "overlay", catalogs::overlay, 3000;
    TABLE = "table", catalogs::table, 3000;
    COMPILED_CATALOG = "compiled-catalog", compiled::compiled, 300;
    TOML = "toml", catalogs::toml, 1000;
    CONFIG = "config", models::config, 3000;
    SAFETENSORS = "safetensors", models::safetensors, 3000;
    GGUF = "gguf", models::gguf, 3000;
    FIT = "fit", plans::fit, 500;
    PLAN_INPUT = "plan-input", plans::input, 2000;
    PLAN_DIFF = "plan-diff", plans::diff, 1000;
    MIG_LISTING = "mig-listing", plans::listing, 1000;
    NVIDIA_SMI = "nvidia-smi", devices::nvidia_smi, 1000;
    ROCM_SMI = "rocm-smi", devices::rocm_smi, 1000;
    AMD_SMI = "amd-smi", devices::amd_smi, 1000;
    NEURON_LS = "neuron-ls", devices::neuron_ls, 1000;
    HL_SMI = "hl-smi", devices::hl_smi, 1000;
    RUNPOD = "runpod", fuzzing::runpod, 2000;
    VASTAI = "vastai", fuzzing::vastai, 2000;
    VERDA = "verda", fuzzing::verda, 2000;
    AWS_ON_DEMAND = "aws-on-demand", fuzzing::aws_on_demand, 1000;
    AWS_SPOT = "aws-spot", fuzzing::aws_spot, 1000;
    AZURE = "azure", fuzzing::azure, 1000;
    CLOUDRIFT = "cloudrift", fuzzing::cloudrift, 1000;
    CRUSOE = "crusoe", fuzzing::crusoe, 1000;
    GCP = "gcp", fuzzing::gcp, 1000;
    LINODE = "linode", fuzzing::linode, 1000;
    LIUM = "lium", fuzzing::lium, 1000;
    OCI = "oci", fuzzing::oci, 1000;
    OVHCLOUD = "ovhcloud", fuzzing::ovhcloud, 1000;
    SCALEWAY = "scaleway", fuzzing::scaleway, 1000;
    SFCOMPUTE = "sfcompute", fuzzing::sfcompute, 1000;
    VULTR = "vultr", fuzzing::vultr, 1000;
    DIGITALOCEAN = "digitalocean", fuzzing::digitalocean, 1000;
    HYPERSTACK = "hyperstack", fuzzing::hyperstack, 1000;
    JARVISLABS = "jarvislabs", fuzzing::jarvislabs, 1000;
    LAMBDA = "lambda", fuzzing::lambda, 1000;
    LATITUDE = "latitude", fuzzing::latitude, 1000;
    MITHRIL = "mithril", fuzzing::mithril, 1000;
    NEBIUS = "nebius", fuzzing::nebius, 1000;
    PRIMEINTELLECT = "primeintellect", fuzzing::primeintellect, 1000;
    GPUHUNT = "gpuhunt", fuzzing::gpuhunt, 1000;
    GPUHUNT_ARCHIVE = "gpuhunt-archive", fuzzing::gpuhunt_archive, 1000;
    SKYPILOT = "skypilot", fuzzing::skypilot, 1000;
    TOKEN_PRICES = "token-prices", fuzzing::token_prices, 1000;
    CACHE = "cache", fuzzing::cache, 2000;
    MCP = "mcp", agents::message, 300;
    COMPLETION = "completion", shells::completion, 300;
}
