//! Checks of rendered plans by the code of the plan targets themselves: each target's own parser
//! reads the plans rendered for it, and the result must match the plan. Each check must also
//! accept the good plans and reject the broken plans in its folder of `tests/engines`.

mod answers;
mod cases;
mod compare;
mod page;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyhow::{Context as _, Result, bail, ensure};
use sky_accel_targets::{Target, Validation};

use crate::arguments::ValidateArguments;
use crate::paths::{root, target_folder};
use answers::{Answers, CheckRun};
use cases::{ValidationCase, ask, environment, program, read_cases, render, subfolders};

/// Returns whether every test run includes the check of a target.
fn is_light(target: Target) -> bool {
    target.descriptor().validation == Validation::EveryRun
}

/// Installs the checks of every test run where they are missing or outdated.
///
/// # Errors
///
/// Fails if Python is missing or pip fails.
pub fn install_light() -> Result<()> {
    Target::ALL
        .into_iter()
        .filter(|target| is_light(*target))
        .try_for_each(|target| environment(target, true).map(drop))
}

/// Runs the checks of all targets, or with `light` the checks of every test run. Builds the program first, unless
/// `built` is its path.
///
/// # Errors
///
/// Fails if a check rejects a plan or reads something else in it, if it accepts a broken plan, and
/// if a check is not installed but may neither be installed nor skipped.
#[expect(
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "the checks take minutes: progress and results go to the terminal"
)]
pub fn validate(arguments: ValidateArguments, built: Option<PathBuf>) -> Result<()> {
    let checks = checks(arguments)?;
    if checks.is_empty() {
        return Ok(());
    }
    let program = built.map_or_else(|| program(arguments.no_aws), Ok)?;
    let cases = read_cases()?;
    let mut answers = Answers::default();
    for (run, (target, _)) in run_all(&program, &checks, &cases)?.iter().zip(&checks) {
        answers.add(*target, &cases, run);
    }
    let targets: Vec<Target> = checks.iter().map(|(target, _)| *target).collect();
    let page = page::page(&targets, &cases, &answers);
    if !arguments.light {
        fs::write(root().join("docs/validation.md"), &page)?;
    }
    for line in page.lines().filter(|line| line.starts_with('|')) {
        println!("{line}");
    }
    ensure!(answers.wrong.is_empty(), "{}", answers.wrong.join("\n"));
    eprintln!("{} checks read {} plans", targets.len(), answers.shown);
    Ok(())
}

/// Runs the checks in parallel, one per core: most of their time is the start of Python.
fn run_all(
    program: &Path,
    checks: &[(Target, PathBuf)],
    cases: &[ValidationCase],
) -> Result<Vec<CheckRun>> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let index = next.fetch_add(1, Ordering::Relaxed);
            let Some((target, python)) = checks.get(index) else {
                return done;
            };
            done.push((index, run_one(program, *target, python, cases)));
        }
    };
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let mut runs = thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        let mut runs = Vec::new();
        for worker in workers {
            runs.extend(worker.join().ok().context("a check panicked")?);
        }
        anyhow::Ok(runs)
    })?;
    runs.sort_by_key(|(index, _)| *index);
    runs.into_iter().map(|(_, run)| run).collect()
}

/// Renders all cases for a target, and runs its check on them and on the plans in its folder.
#[expect(
    clippy::print_stderr,
    reason = "the checks take minutes: progress goes to the terminal"
)]
fn run_one(
    program: &Path,
    target: Target,
    python: &Path,
    cases: &[ValidationCase],
) -> Result<CheckRun> {
    eprintln!("checking {}", target.name());
    let renders = target_folder().join("renders").join(target.name());
    if renders.exists() {
        fs::remove_dir_all(&renders)?;
    }
    let mut plans = BTreeMap::new();
    for case in cases {
        let plan = render(program, target, case, &renders)?;
        plans.insert(case.name.clone(), plan);
    }
    let folder = root().join("tests/engines").join(target.name());
    let good = subfolders(&folder.join("good"))?;
    let broken = subfolders(&folder.join("broken"))?;
    let rendered = plans
        .iter()
        .filter(|(_, plan)| plan.is_ok())
        .map(|(case, _)| renders.join(case));
    let folders = good.iter().chain(&broken).cloned().chain(rendered);
    let answers = ask(python, &folder, &folders.collect::<Vec<_>>())?;
    Ok(CheckRun {
        good,
        broken,
        plans,
        answers,
    })
}

/// The checks to run, each with the interpreter of its environment.
///
/// A test run skips a light check that is not installed, with a note. The page lists all targets, so
/// `validate` fails instead.
#[expect(clippy::print_stderr, reason = "a skipped check must be visible")]
fn checks(arguments: ValidateArguments) -> Result<Vec<(Target, PathBuf)>> {
    let mut checks = Vec::new();
    for target in Target::ALL
        .into_iter()
        .filter(|target| is_light(*target) || !arguments.light)
    {
        let name = target.name();
        match environment(target, arguments.install)? {
            Some(python) => checks.push((target, python)),
            None if arguments.light => eprintln!(
                "skipped: the check of {name} is not installed (`cargo xtask test --install` installs it)"
            ),
            None => bail!(
                "the check of {name} is not installed: `cargo xtask validate --install` installs it"
            ),
        }
    }
    Ok(checks)
}
