//! Runs every fuzz target for its share of a stated time, and counts the executions.
//!
//! The folder of `--found` holds the inputs that the targets found so far and the executions of all runs, so that
//! a later run goes on from there: `TARGET/` is a corpus and `executions.json` has the counts.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use anyhow::{Context as _, Result, bail};

use crate::arguments::FuzzArguments;
use crate::paths::root;
use crate::process;

/// The triple that `cargo fuzz` builds for.
const TRIPLE: &str = "x86_64-unknown-linux-gnu";
/// The limits of one input: a parser must take little time and memory.
const LIMITS: [&str; 2] = ["-timeout=10", "-rss_limit_mb=512"];
/// The line with which the fuzzer ends its output.
const EXECUTIONS: &str = "stat::number_of_executed_units:";

/// Executions by target.
type Executions = BTreeMap<String, u64>;

/// The result of one target.
struct TargetRun {
    executions: u64,
    /// True if no input failed.
    is_sound: bool,
}

/// Fuzzes all targets, prints a table of the executions, and fails if an input failed.
pub fn fuzz(arguments: &FuzzArguments) -> Result<()> {
    let names = names(&root().join("fuzz/fuzz_targets"))?;
    let found = root().join(&arguments.found);
    fs::create_dir_all(&found)?;
    // `cargo xtask` runs with the toolchain of the repository, whose cargo starts no other one.
    process::run(
        Command::new("rustup")
            .args(["run", "nightly", "cargo", "fuzz", "build"])
            .args(["--sanitizer", "none", "--debug-assertions"])
            .current_dir(root()),
    )?;
    let jobs = arguments.jobs.max(1).min(names.len());
    let time = share(arguments.seconds, names.len(), jobs);
    let next = AtomicUsize::new(0);
    let done = Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for _ in 0..jobs {
            scope.spawn(|| {
                while let Some(name) = names.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let run = run(name, &found, time).and_then(|run| {
                        if arguments.minimize {
                            minimize(name, &found)?;
                        }
                        Ok(run)
                    });
                    if let Ok(mut done) = done.lock() {
                        done.push((name.clone(), run));
                    }
                }
            });
        }
    });
    let done = done.into_inner().unwrap_or_default();
    let counts = found.join("executions.json");
    let mut all = read_counts(&counts)?;
    let mut now = Executions::new();
    let mut failed = Vec::new();
    for (name, run) in done {
        let run = run.with_context(|| name.clone())?;
        if !run.is_sound {
            failed.push(name.clone());
        }
        *all.entry(name.clone()).or_default() += run.executions;
        now.insert(name, run.executions);
    }
    fs::write(&counts, serde_json::to_vec_pretty(&all)?)?;
    io::stdout().write_all(table(&now, &all).as_bytes())?;
    if !failed.is_empty() {
        bail!("inputs failed: {} (see fuzz/artifacts)", failed.join(", "));
    }
    Ok(())
}

/// Returns the names of the targets, sorted.
fn names(folder: &Path) -> Result<Vec<String>> {
    let mut names = Vec::new();
    for file in fs::read_dir(folder)? {
        let path = file?.path();
        let name = path.file_stem().and_then(|name| name.to_str());
        names.extend(name.map(str::to_owned));
    }
    names.sort();
    Ok(names)
}

/// Returns the time of each target if `jobs` of them run at once.
fn share(seconds: u64, targets: usize, jobs: usize) -> Duration {
    let turns = targets.div_ceil(jobs).max(1);
    Duration::from_secs((seconds / turns as u64).max(1))
}

/// Runs a target over its corpora, and keeps the inputs that reach new code.
fn run(name: &str, found: &Path, time: Duration) -> Result<TargetRun> {
    let (own, artifacts) = (found.join(name), root().join("fuzz/artifacts").join(name));
    fs::create_dir_all(&own)?;
    fs::create_dir_all(&artifacts)?;
    let seeds = root().join("fuzz/corpus").join(name);
    let program = program(name);
    let log = found.join(format!("{name}.log"));
    let status = Command::new(&program)
        .args([&own, &seeds])
        .args(LIMITS)
        .arg(format!("-max_total_time={}", time.as_secs()))
        .arg("-print_final_stats=1")
        .arg(format!("-artifact_prefix={}/", artifacts.display()))
        .stderr(File::create(&log)?)
        .current_dir(root().join("fuzz"))
        .status()
        .with_context(|| program.display().to_string())?;
    let lines = BufReader::new(File::open(&log)?).split(b'\n');
    let lines = lines.map_while(Result::ok);
    let executions = lines.filter_map(|line| executions(&String::from_utf8_lossy(&line)));
    let executions = executions
        .last()
        .with_context(|| format!("{} has no count of executions", log.display()))?;
    Ok(TargetRun {
        executions,
        is_sound: status.success(),
    })
}

/// Keeps the smallest inputs that reach the code that all inputs of a target reach.
fn minimize(name: &str, found: &Path) -> Result<()> {
    let (own, smallest) = (found.join(name), found.join(format!("{name}.smallest")));
    if smallest.exists() {
        fs::remove_dir_all(&smallest)?;
    }
    fs::create_dir(&smallest)?;
    let log = File::create(found.join(format!("{name}.minimize.log")))?;
    process::run(
        Command::new(program(name))
            .args(["-merge=1", "-timeout=10"])
            .args([&smallest, &own])
            .stderr(log)
            .current_dir(root().join("fuzz")),
    )?;
    fs::remove_dir_all(&own)?;
    fs::rename(smallest, own)?;
    Ok(())
}

fn program(name: &str) -> PathBuf {
    root().join(format!("fuzz/target/{TRIPLE}/release/{name}"))
}

/// Reads the number of executions from a line of the fuzzer's output.
fn executions(line: &str) -> Option<u64> {
    line.strip_prefix(EXECUTIONS)?.trim().parse().ok()
}

/// Reads the executions of earlier runs; none without a file.
fn read_counts(path: &PathBuf) -> Result<Executions> {
    if !path.exists() {
        return Ok(Executions::new());
    }
    let text = fs::read(path)?;
    serde_json::from_slice(&text).with_context(|| path.display().to_string())
}

/// Returns a Markdown table of the executions of this run and of all runs.
fn table(now: &Executions, all: &Executions) -> String {
    let mut lines = vec![
        "| target | executions in this run | in all runs |".to_owned(),
        "|---|---:|---:|".to_owned(),
    ];
    let count = |counts: &Executions, name: &str| counts.get(name).copied().unwrap_or_default();
    for name in all.keys() {
        let (now, all) = (count(now, name), count(all, name));
        lines.push(format!("| {name} | {now} | {all} |"));
    }
    let (now, all): (u64, u64) = (now.values().sum(), all.values().sum());
    lines.push(format!("| all targets | {now} | {all} |"));
    lines.join("\n") + "\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn targets_share_the_time_of_their_job() {
        assert_eq!(share(3600, 36, 4), Duration::from_secs(400));
        assert_eq!(share(3600, 37, 4), Duration::from_secs(360));
        assert_eq!(share(1, 37, 1), Duration::from_secs(1));
    }

    #[test]
    fn the_last_lines_of_the_fuzzer_have_the_count() {
        assert_eq!(
            executions("stat::number_of_executed_units: 1593309"),
            Some(1_593_309)
        );
        assert_eq!(executions("#1593309\tDONE   cov: 864"), None);
        assert_eq!(executions("stat::number_of_executed_units: ?"), None);
    }

    #[test]
    fn the_table_adds_up_all_targets_and_runs() {
        let now = Executions::from([("spec".to_owned(), 7)]);
        let all = Executions::from([("spec".to_owned(), 10), ("toml".to_owned(), 5)]);
        assert_eq!(
            table(&now, &all),
            "| target | executions in this run | in all runs |\n|---|---:|---:|\n\
             | spec | 7 | 10 |\n| toml | 0 | 5 |\n| all targets | 7 | 15 |\n"
        );
    }

    #[test]
    fn every_target_has_a_file() {
        let names = names(&root().join("fuzz/fuzz_targets")).unwrap();
        assert!(names.iter().any(|name| name == "spec"), "{names:?}");
    }
}
