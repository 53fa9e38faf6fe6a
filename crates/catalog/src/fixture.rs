//! A small catalog for tests.

use crate::{Change, Diagnostic, Layer, Source, Tables, compile, diff};

/// The entry of a small dense model; more fields may follow.
macro_rules! tiny_model {
    () => {
        r#"
[[model]]
id = "Tiny-1B"
names = ["acme/Tiny-1B"]
layers = 2
hidden = 64
heads = 4
head_dim = 16
ffn = 128
vocab = 1000
context = 4096
source = "config.json of acme/Tiny-1B"
"#
    };
}

pub(crate) use tiny_model;

/// Two accelerators, and a provider with two offers.
pub(crate) const BASE: &str = r#"
sold_by = "acme"

[[vendor]]
name = "NVIDIA"
aliases = ["nv"]

[[geometry]]
id = "g80"
title = "G 80 GB"
units = 8
source = "s"
as_of = "2026"
profiles = [
  { name = "1g.10gb", id = 19, max = 7, compute_slices = 1, memory_mib = 9856, size = 1, starts = [0, 1, 2] },
]

[[accelerator]]
id = "G-80GB"
family = "G"
vendor = "NVIDIA"
class = "datacenter"
form_factor = "SXM5"
memory_gb = 80
memory_mib = 81559
memory_bandwidth_gb_s = 3350
fp32_tflops = 67
fp16_tflops = 990
bf16_tflops = 990
mig = true
sources = ["https://example.com"]
names.common = ["big G"]

[[accelerator]]
id = "G-40GB"
family = "G"
vendor = "NVIDIA"
class = "datacenter"
form_factor = "PCIe"
memory_gb = 40
sources = ["https://example.com"]

[[name]]
default = "G-80GB"
any_of = ["G-80GB", "G-40GB"]
names.common = ["G"]

[[provider]]
id = "acme"
sells = "instance-types"
tiers = ["secure", "community"]

[[offer]]
id = "g8"
accelerator = "G-80GB"
count = 8
vcpu = 96
host_memory_gib = 1024
regions = ["east", "west"]
source = "s"
as_of = "2026-11-01"

[[offer]]
id = "g1"
accelerator = "G-80GB"
count = 1
source = "s"
as_of = "2026-11-01"

[[price]]
offer = "g8"
source = "s"
as_of = "2026-11-01"
usd_per_hour = { east = 16.0, west = 18.0 }

[[price]]
offer = "g1"
source = "s"
as_of = "2026-11-01"
usd_per_hour = 2.5
"#;

/// Returns the base catalog and overlays as sources. A text without a `[[` is a CSV file of the provider `acme`.
pub(crate) fn sources(overlays: &[&str]) -> Vec<Source> {
    let overlays = overlays.iter().enumerate().map(|(at, text)| {
        let layer = Layer::overlay(at);
        if text.contains("[[") {
            Source::toml(layer, &format!("{at}.toml"), (*text).to_owned())
        } else {
            Source {
                day: "2026-11-02".to_owned(),
                ..Source::toml(layer, "acme.csv", (*text).to_owned())
            }
        }
    });
    let base = Source::toml(Layer::EMBEDDED, "base.toml", BASE);
    std::iter::once(base).chain(overlays).collect()
}

/// Compiles the base catalog with overlays.
pub(crate) fn compiled(overlays: &[&str]) -> Result<Tables, Vec<Diagnostic>> {
    compile(&sources(overlays))
}

/// Returns the messages of the errors in overlays.
pub(crate) fn errors(overlays: &[&str]) -> Vec<String> {
    let errors = compiled(overlays).map(|_| ()).err();
    let errors = errors.unwrap_or_default().into_iter();
    errors.map(|error| error.message).collect()
}

/// Returns the changes that overlays make to the base catalog.
pub(crate) fn changes(overlays: &[&str]) -> Vec<Change> {
    let (before, after) = (compiled(&[]).unwrap(), compiled(overlays).unwrap());
    diff(&before.catalog(), &after.catalog())
}
