//! Parsing and resolving specs in process, on one core: `cargo bench --bench throughput`.
//!
//! The goal is 200,000 specs per second, which is at most 5 µs per spec of the mix. `names` is the
//! name lookup, for comparison.

use divan::{Bencher, black_box, counter::ItemsCount};
use sky_accel_core::bind::interpret;
use sky_accel_core::resolve::{Request, resolve};
use sky_accel_engine::catalog::EMBEDDED;

/// Specs as typed by people and scripts.
const MIX: &[&str] = &[
    "H100:x8",
    "A100:80GB:x8",
    "A100-80GB:4",
    "L4",
    "NVIDIA GeForce RTX 4090",
    "p4de.24xlarge",
    "H100:SXM:80GB:x8",
    "nvidia-tesla-t4:x4",
    "RTX_4070_Ti",
    "gpu:h100:8",
    "MI300X:x8",
    "tpu-v5p-8",
    "L40S:x2..8",
    "A100(memory=\"40GB\", count=8)",
    "V100:32GB",
    "T4G",
];

fn main() {
    divan::main();
}

#[divan::bench]
fn parse_and_resolve(bencher: Bencher<'_, '_>) {
    bencher.counter(ItemsCount::new(MIX.len())).bench(|| {
        let request = Request::default();
        for spec in MIX {
            let wanted = interpret(&EMBEDDED, black_box(spec)).unwrap_or_default();
            black_box(resolve(&EMBEDDED, &wanted, &request));
        }
    });
}

#[divan::bench]
fn parse_and_resolve_one_provider(bencher: Bencher<'_, '_>) {
    bencher.counter(ItemsCount::new(1_usize)).bench(|| {
        let request = Request {
            providers: EMBEDDED.provider_named("aws").into_iter().collect(),
            ..Request::default()
        };
        let wanted = interpret(&EMBEDDED, black_box("H100:x8")).unwrap_or_default();
        black_box(resolve(&EMBEDDED, &wanted, &request))
    });
}

#[divan::bench]
fn names(bencher: Bencher<'_, '_>) {
    bencher.counter(ItemsCount::new(MIX.len())).bench(|| {
        for spec in MIX {
            black_box(EMBEDDED.name(black_box(spec)));
        }
    });
}
