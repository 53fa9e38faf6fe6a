//! The keys of `key op value`. A new key is a new row here.

use crate::catalog::{Accelerator, Str};

/// A key of `key op value`.
#[derive(Clone, Copy, Debug)]
pub struct SpecKey {
    /// The canonical name.
    pub name: &'static str,
    /// Other names of the key.
    pub aliases: &'static [&'static str],
    /// The kind of figure or word that it compares.
    pub kind: KeyKind,
    /// An example of use, for messages and docs.
    pub example: &'static str,
}

/// The kind of figure or word that a key compares.
#[derive(Clone, Copy, Debug)]
pub enum KeyKind {
    /// The same as a memory part.
    Memory,
    /// The same as a count part.
    Count,
    /// The same as a form-factor part.
    Form,
    /// The vendor, by any of its names.
    Vendor,
    /// A word of the catalog, or its first words: `blackwell` includes Blackwell Ultra.
    Text(fn(&Accelerator) -> Str),
    /// A dotted version.
    Version(fn(&Accelerator) -> Str),
    /// A number with an optional unit. Units are pairs of suffix and factor; the first matching
    /// suffix wins, so `kw` comes before `w`.
    Number(
        fn(&Accelerator) -> Option<f64>,
        &'static [(&'static str, f64)],
    ),
}

const BANDWIDTH: &[(&str, f64)] = &[
    ("tb/s", 1000.0),
    ("gb/s", 1.0),
    ("tbps", 1000.0),
    ("gbps", 1.0),
];
const TFLOPS: &[(&str, f64)] = &[("pflops", 1000.0), ("tflops", 1.0), ("tops", 1.0)];
const WATT: &[(&str, f64)] = &[("kw", 1000.0), ("w", 1.0)];

/// All keys, ordered as in `docs/grammar.md`.
pub const KEYS: &[SpecKey] = &[
    SpecKey {
        name: "vendor",
        aliases: &["maker"],
        kind: KeyKind::Vendor,
        example: "vendor=amd",
    },
    SpecKey {
        name: "class",
        aliases: &[],
        kind: KeyKind::Text(|a| a.class),
        example: "class=consumer",
    },
    SpecKey {
        name: "arch",
        aliases: &["architecture"],
        kind: KeyKind::Text(|a| a.architecture),
        example: "arch=hopper",
    },
    SpecKey {
        name: "line",
        aliases: &[],
        kind: KeyKind::Text(|a| a.line),
        example: "line=instinct",
    },
    SpecKey {
        name: "sdk",
        aliases: &[],
        kind: KeyKind::Text(|a| a.sdk),
        example: "sdk=rocm",
    },
    SpecKey {
        name: "form",
        aliases: &["formfactor", "form_factor"],
        kind: KeyKind::Form,
        example: "form=SXM",
    },
    SpecKey {
        name: "memory",
        aliases: &["mem", "vram"],
        kind: KeyKind::Memory,
        example: "memory>=80GB",
    },
    SpecKey {
        name: "memory_type",
        aliases: &[],
        kind: KeyKind::Text(|a| a.memory_type),
        example: "memory_type=HBM3",
    },
    SpecKey {
        name: "count",
        aliases: &[],
        kind: KeyKind::Count,
        example: "count=8",
    },
    SpecKey {
        name: "cc",
        aliases: &["compute_capability"],
        kind: KeyKind::Version(|a| a.compute_capability),
        example: "cc>=8.9",
    },
    SpecKey {
        name: "bandwidth",
        aliases: &["memory_bandwidth"],
        kind: KeyKind::Number(|a| a.memory_bandwidth_gb_s, BANDWIDTH),
        example: "bandwidth>=2TB/s",
    },
    SpecKey {
        name: "interconnect",
        aliases: &[],
        kind: KeyKind::Number(|a| a.interconnect_gb_s, BANDWIDTH),
        example: "interconnect>=600GB/s",
    },
    SpecKey {
        name: "fp64",
        aliases: &[],
        kind: KeyKind::Number(|a| a.fp64_tflops, TFLOPS),
        example: "fp64>=30",
    },
    SpecKey {
        name: "fp32",
        aliases: &[],
        kind: KeyKind::Number(|a| a.fp32_tflops, TFLOPS),
        example: "fp32>=60",
    },
    SpecKey {
        name: "tf32",
        aliases: &[],
        kind: KeyKind::Number(|a| a.tf32_tflops, TFLOPS),
        example: "tf32>=100",
    },
    SpecKey {
        name: "fp16",
        aliases: &[],
        kind: KeyKind::Number(|a| a.fp16_tflops, TFLOPS),
        example: "fp16>=300",
    },
    SpecKey {
        name: "bf16",
        aliases: &[],
        kind: KeyKind::Number(|a| a.bf16_tflops, TFLOPS),
        example: "bf16>=300",
    },
    SpecKey {
        name: "fp8",
        aliases: &[],
        kind: KeyKind::Number(|a| a.fp8_tflops, TFLOPS),
        example: "fp8>=1000",
    },
    SpecKey {
        name: "fp4",
        aliases: &[],
        kind: KeyKind::Number(|a| a.fp4_tflops, TFLOPS),
        example: "fp4>=5000",
    },
    SpecKey {
        name: "int8",
        aliases: &[],
        kind: KeyKind::Number(|a| a.int8_tops, TFLOPS),
        example: "int8>=600",
    },
    SpecKey {
        name: "tdp",
        aliases: &["power"],
        kind: KeyKind::Number(|a| a.tdp_w, WATT),
        example: "tdp<=350W",
    },
    SpecKey {
        name: "year",
        aliases: &["release_year"],
        kind: KeyKind::Number(|a| a.release_year, &[]),
        example: "year>=2022",
    },
];

/// Returns the key with a name or alias, ignoring case.
pub fn find_key(name: &str) -> Option<&'static SpecKey> {
    KEYS.iter().find(|key| {
        key.name.eq_ignore_ascii_case(name)
            || key.aliases.iter().any(|a| a.eq_ignore_ascii_case(name))
    })
}
