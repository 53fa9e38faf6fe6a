//! Packing MIG slices: `cargo bench --bench packing`.
//!
//! Random mixes, from few slices to many, against first-fit-decreasing and against the integer
//! programming solver of a crate: the packer may never use more GPUs than either.
//! The goal is a second of CPU and 64 MiB for 10,000 slices, as a whole process.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a benchmark ends that way, and talks"
)]

use std::collections::BTreeSet;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use microlp::{ComparisonOp, OptimizationDirection, Problem};
use sky_accel_core::mig::{Chip, Fleet, pack, place};
use sky_accel_engine::catalog::EMBEDDED;

const GEOMETRIES: [&str; 4] = ["h100-80gb-sxm", "a100-40gb", "a30-24gb", "rtxpro6000-96gb"];
const SIZES: [u32; 3] = [100, 1_000, 10_000];
const MIXES: u64 = 12;
const MOST_CPU: Duration = Duration::from_secs(1);
const MOST_MIB: u64 = 64;

fn main() -> ExitCode {
    println!(
        "{:<24}{:>8}{:>12}{:>12}{:>12}",
        "slices", "GPUs", "packer", "first-fit", "package"
    );
    let mut is_best = true;
    for slices in SIZES {
        for geometry in GEOMETRIES {
            is_best &= mixes(geometry, slices);
        }
    }
    let is_quick = whole_process();
    if is_best && is_quick {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

/// Packs mixes of this number of slices on one kind of GPU, and returns the sums over all mixes.
fn mixes(geometry: &str, slices: u32) -> bool {
    let row = EMBEDDED
        .geometries
        .iter()
        .find(|row| EMBEDDED.str(row.id) == geometry);
    let chip = Chip::new(&EMBEDDED, row.expect("a geometry of the catalog"));
    let ways = ways(&chip);
    let mut gpus = [0_u64; 3];
    let mut times = [Duration::ZERO; 3];
    let (mut proved, mut is_best) = (0, true);
    for seed in 0..MIXES {
        let wanted = mix(&chip, slices, seed);
        let start = Instant::now();
        let packing = pack(&chip, &wanted, &Fleet::default()).expect("every slice fits");
        times[0] += start.elapsed();
        proved += u64::from(packing.is_proved());
        let start = Instant::now();
        let first_fit = first_fit_decreasing(&chip, &wanted);
        times[1] += start.elapsed();
        let start = Instant::now();
        let package = by_package(&ways, &wanted);
        times[2] += start.elapsed();
        is_best &= packing.gpus <= first_fit && packing.gpus <= package;
        for (sum, gpus_needed) in gpus.iter_mut().zip([packing.gpus, first_fit, package]) {
            *sum += u64::from(gpus_needed);
        }
    }
    println!(
        "{:<24}{:>8}{:>12}{:>12}{:>12}",
        format!("{slices} {geometry}"),
        "sum",
        gpus[0],
        gpus[1],
        gpus[2]
    );
    let ms = |time: Duration| format!("{:.2} ms", time.as_secs_f64() * 1000.0 / MIXES as f64);
    println!(
        "{:<24}{:>8}{:>12}{:>12}{:>12}",
        format!("  {proved} of {MIXES} proved"),
        "each",
        ms(times[0]),
        ms(times[1]),
        ms(times[2])
    );
    is_best
}

/// A reproducible mix, with the share of each kind from a multiplicative congruential generator.
fn mix(chip: &Chip<'_>, slices: u32, seed: u64) -> Vec<u32> {
    let mut state = seed * 2 + 1;
    let mut next = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as u32
    };
    let shares: Vec<u32> = chip.kinds.iter().map(|_| next() % 100).collect();
    let sum: u32 = shares.iter().sum::<u32>().max(1);
    shares.iter().map(|share| slices * share / sum).collect()
}

/// All ways to partition one GPU, found by adding one slice at a time.
fn ways(chip: &Chip<'_>) -> BTreeSet<Vec<u32>> {
    let mut multisets = BTreeSet::new();
    let mut open = vec![chip.none()];
    while let Some(way) = open.pop() {
        for kind in 0..chip.kinds.len() {
            let mut more = way.clone();
            more[kind] += 1;
            if place(chip, &[], &more).is_ok() && multisets.insert(more.clone()) {
                open.push(more);
            }
        }
    }
    multisets
}

/// Solves the covering problem with the solver.
fn by_package(ways: &BTreeSet<Vec<u32>>, wanted: &[u32]) -> u32 {
    let mut problem = Problem::new(OptimizationDirection::Minimize);
    let total = wanted.iter().sum::<u32>().cast_signed();
    let times: Vec<_> = ways
        .iter()
        .map(|_| problem.add_integer_var(1.0, (0, total)))
        .collect();
    for (kind, n) in wanted.iter().enumerate() {
        let row: Vec<_> = ways
            .iter()
            .zip(&times)
            .filter(|(way, _)| way[kind] > 0)
            .map(|(way, times)| (*times, f64::from(way[kind])))
            .collect();
        problem.add_constraint(&row, ComparisonOp::Ge, f64::from(*n));
    }
    let solved = problem.solve().expect("a cover exists");
    let solution = solved.into_solution().expect("it has no time limit");
    solution.objective().round() as u32
}

/// First-fit decreasing: largest slices first, each on the first GPU with space. Equal GPUs are grouped.
fn first_fit_decreasing(chip: &Chip<'_>, wanted: &[u32]) -> u32 {
    let mut order: Vec<usize> = (0..wanted.len()).collect();
    order.sort_by_key(|kind| std::cmp::Reverse((chip.kinds[*kind].size(), *kind)));
    let mut gpus: Vec<Vec<u32>> = Vec::new();
    for kind in order {
        // GPUs without space for a slice have no space for the next equal slice either.
        let mut from = 0;
        for _ in 0..wanted[kind] {
            let takes = |gpu: &Vec<u32>| {
                let mut more = gpu.clone();
                more[kind] += 1;
                place(chip, &[], &more).is_ok()
            };
            if let Some(at) = gpus[from..].iter().position(takes) {
                from += at;
                gpus[from][kind] += 1;
            } else {
                let mut gpu = chip.none();
                gpu[kind] = 1;
                from = gpus.len();
                gpus.push(gpu);
            }
        }
    }
    gpus.len() as u32
}

/// A command with 10,000 slices of seven kinds: CPU time and peak memory of the whole process.
fn whole_process() -> bool {
    const LINE: &str = "mig pack H100-80GB-SXM 1g.10gb=2801 1g.10gb+me=299 1g.20gb=1703 \
        2g.20gb=2207 3g.40gb=1903 4g.40gb=787 7g.80gb=300 -o json";
    const SCRIPT: &str = "import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss)";
    let mut command = Command::new("python3");
    command.args(["-c", SCRIPT, env!("CARGO_BIN_EXE_sky-accel")]);
    let output = command.args(LINE.split_whitespace()).output();
    let report = String::from_utf8_lossy(&output.expect("python3 starts").stdout).into_owned();
    let (cpu, kib) = report.trim().split_once(' ').expect("the command succeeds");
    let cpu = Duration::from_secs_f64(cpu.parse().expect("seconds"));
    let mib = kib.parse::<u64>().expect("KiB") >> 10;
    println!(
        "10000 slices, asked for and printed: {:.0} ms of CPU (goal {:.0}), {mib} MiB (goal {MOST_MIB})",
        cpu.as_secs_f64() * 1000.0,
        MOST_CPU.as_secs_f64() * 1000.0,
    );
    cpu <= MOST_CPU && mib <= MOST_MIB
}
