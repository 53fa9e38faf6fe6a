//! Instruction counts of whole runs under callgrind, against their budgets.
//!
//! `cargo bench --profile dist --bench instructions` (needs valgrind). The budgets are those of the program that
//! packages contain, so any other profile is rejected. About 0.45 million of each count are relocations
//! of the linked AWS SDK, which no offline command uses.
//!
//! Counts are the same on all machines of an architecture; exceeding a budget fails the run.

#![allow(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "a benchmark prints what it measures"
)]

use std::path::Path;
use std::process::{Command, ExitCode};

/// A command line, its maximum instructions in thousands, and its description.
const BUDGETS: &[(&str, u64, &str)] = &[
    (
        "resolve H100:x8 --provider aws -o json",
        2_000,
        "one spec, one provider, for a script",
    ),
    ("--help", 2_000, "the first thing that people type"),
    ("list --limit 40", 3_000, "a 40-row table"),
    (
        "list --limit 40 -o json",
        2_500,
        "the same rows for a script",
    ),
    (
        "mig fit H100 3g.40gb 2g.20gb 1g.10gb+me",
        2_000,
        "three slices on one GPU",
    ),
    (
        "fit A100:80GB --model Llama-3.1-8B -o json",
        3_000,
        "whether a model fits",
    ),
    (
        "fit H100:80GB:SXM:x4 --model Llama-3.3-70B --precision fp8 --users 50 --max-ttft 2s -o json",
        3_500,
        "whether a server serves a load",
    ),
    (
        "fit H100:80GB:SXM:x8 --model Llama-3.1-8B --workload grpo -o json",
        3_500,
        "a training step with several phases",
    ),
    (
        "recommend --model-size 13B",
        80_000,
        "everything that is sold, computed",
    ),
    (
        "recommend Llama-3.1-8B --users 30",
        100_000,
        "the same at a load",
    ),
    (
        "recommend Llama-3.1-405B --workload full",
        100_000,
        "several machines of each kind",
    ),
    (
        "recommend Llama-3.1-8B --users 50 --precision any",
        150_000,
        "the same in every format",
    ),
    ("models", 5_200, "a table of seven hundred models"),
    ("models --on RTX4090", 60_000, "every model on one device"),
    (
        "plan H100:x8 --spot-first --limit 500 -o json",
        25_000,
        "a plan over all providers and regions",
    ),
    ("plan L4:x4 --to skypilot", 4_000, "the same for an engine"),
    (
        "plan H100:x8 --provider aws --limit 5 --to terraform",
        3_000,
        "a document of another",
    ),
    (
        "convert A100:40GB --to skypilot",
        2_500,
        "a spec in other words",
    ),
    (
        "resolve H100",
        2_500,
        "one spec, every provider, for a person",
    ),
    ("list --vendor amd", 4_000, "a table of one maker"),
    // The first screen.
    ("resolve H100:x8", 4_000, "its name and price everywhere"),
    (
        "resolve any:24GB --max-price 0.5",
        2_500,
        "any accelerator below a price",
    ),
    (
        "recommend --model Llama-3.1-8B",
        85_000,
        "machines for a model",
    ),
    (
        "fit L4 --model Llama-3.1-8B",
        2_500,
        "a model on one device",
    ),
    (
        "mig fit H100 3g.40gb 2g.20gb",
        2_000,
        "two slices on one GPU",
    ),
    ("plan H100:x8 --to skypilot", 4_000, "a task for SkyPilot"),
    // The README.
    (
        "resolve H100 --provider aws",
        2_000,
        "the first command of all",
    ),
    ("resolve A100:80GB:x8", 2_500, "offers in a table"),
    (
        "resolve any:24GB --max-price 0.3 --limit 3",
        2_500,
        "filters and a limit",
    ),
    (
        "recommend --model Llama-3.1-8B --provider aws,verda --limit 3",
        20_000,
        "a recommendation of two providers",
    ),
    (
        "fit L4 --model Llama-3.1-8B --precision awq",
        2_500,
        "a quantized model on one device",
    ),
    (
        "plan A100:80GB:x8 --spot-first --limit 3 --to skypilot",
        3_000,
        "spot first",
    ),
    (
        "mig pack A100:80GB 3g.40gb=4 2g.20gb=3 1g.10gb=6",
        2_500,
        "the fewest GPUs for 13 slices",
    ),
];

/// Words typed before Tab, and the maximum instructions of the completion in thousands.
const COMPLETIONS: &[(&str, u64)] = &[
    ("resolve h1", 2_000),
    ("resolve H100:80GB:mig=1g.10gb+", 2_000),
    ("resolve H100 --provider aws --region us", 2_000),
    ("mig fit A100:40GB 1", 2_000),
    ("plan H100 --to s", 2_000),
];

/// Peak memory of the first command line, in MiB.
const MEMORY_BUDGET: f64 = 8.0;

/// The profile of the budgets, and its output folder.
const PROFILE: &str = "dist";

fn main() -> ExitCode {
    if !Path::new(program())
        .components()
        .any(|part| part.as_os_str() == PROFILE)
    {
        eprintln!(
            "the budgets are for another profile: cargo bench --profile {PROFILE} --bench instructions"
        );
        return ExitCode::FAILURE;
    }
    let mut kept = true;
    println!("{:<44} {:>12} {:>12}", "command", "instructions", "budget");
    let runs = BUDGETS.iter().map(|(line, thousands, what)| {
        let words = line.split_whitespace().map(str::to_owned).collect();
        (*line, *thousands, *what, words, None)
    });
    let completions = COMPLETIONS.iter().map(|(line, thousands)| {
        let typed: Vec<String> = ["--", "sky-accel"]
            .into_iter()
            .chain(line.split_whitespace())
            .map(str::to_owned)
            .collect();
        let index = typed.len() - 2;
        (*line, *thousands, "Tab pressed", typed, Some(index))
    });
    for (line, thousands, what, words, completes) in runs.chain(completions) {
        match instructions(&words, completes) {
            Ok(count) => {
                let budget = thousands * 1000;
                let verdict = if count <= budget { "" } else { "  OVER" };
                kept &= count <= budget;
                println!("{line:<44} {count:>12} {budget:>12}  {what}{verdict}");
            }
            Err(error) => {
                eprintln!("{line}: {error}");
                return ExitCode::FAILURE;
            }
        }
    }
    match peak_memory(BUDGETS[0].0) {
        Some(mib) => {
            kept &= mib <= MEMORY_BUDGET;
            println!("peak memory of the first: {mib:.1} MiB, budget {MEMORY_BUDGET} MiB");
        }
        None => println!("peak memory: not measured (no GNU time here)"),
    }
    if kept {
        ExitCode::SUCCESS
    } else {
        ExitCode::FAILURE
    }
}

fn program() -> &'static str {
    env!("CARGO_BIN_EXE_sky-accel")
}

/// Counts the instructions of a run, or of the completion of the word with an index.
fn instructions(words: &[String], completes: Option<usize>) -> Result<u64, String> {
    let mut command = Command::new("valgrind");
    command
        .args([
            "--tool=callgrind",
            "--callgrind-out-file=/dev/null",
            program(),
        ])
        .args(words)
        // The environment is copied at start and counted: keep it the same everywhere.
        .env_clear()
        .env("HOME", "/nonexistent");
    if let Some(index) = completes {
        command
            .env("SKY_ACCEL_COMPLETE", "bash")
            .env("_CLAP_IFS", "\n")
            .env("_CLAP_COMPLETE_INDEX", index.to_string());
    }
    let output = command
        .output()
        .map_err(|error| format!("valgrind does not start: {error}"))?;
    let report = String::from_utf8_lossy(&output.stderr);
    let collected = report
        .lines()
        .find_map(|line| line.split("Collected :").nth(1));
    collected
        .and_then(|count| count.trim().parse().ok())
        .ok_or_else(|| report.into_owned())
}

fn peak_memory(line: &str) -> Option<f64> {
    let output = Command::new("/usr/bin/time")
        .args(["-f", "%M", program()])
        .args(line.split_whitespace())
        .output()
        .ok()?;
    let report = String::from_utf8_lossy(&output.stderr);
    let kib: f64 = report.lines().last()?.trim().parse().ok()?;
    Some(kib / 1024.0)
}
