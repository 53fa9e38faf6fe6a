//! Plans before the engines that take them: each engine's own code reads what was rendered for it,
//! and must understand what the plan says. Every engine is also seen to refuse broken twins.

mod ask;
mod compare;
mod page;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;

use crate::{ValidateArguments, root, target_folder};
use ask::{Case, ask, cases, environment, program, render, subfolders};

/// An engine: the name of its target.
struct Engine {
    name: &'static str,
    /// Whether every test run asks it: it is small, quick and needs nothing that is not on PyPI.
    is_light: bool,
    /// Whether the order of its candidates is that of the plan.
    keeps_order: bool,
}

const fn engine(name: &'static str, is_light: bool, keeps_order: bool) -> Engine {
    Engine {
        name,
        is_light,
        keeps_order,
    }
}

const ENGINES: [Engine; 22] = [
    engine("skypilot", false, true),
    engine("dstack", false, false),
    engine("kubernetes", true, false),
    engine("dra", true, false),
    engine("gke", false, true),
    engine("aks", false, true),
    engine("karpenter", true, false),
    engine("terraform", false, true),
    engine("cloudformation", true, true),
    engine("ec2-fleet", true, false),
    engine("aws-cli", true, true),
    engine("runpod", true, true),
    engine("vastai", true, true),
    engine("verda", true, true),
    engine("flyte", true, false),
    engine("slurm", false, false),
    engine("ray", false, true),
    engine("compose", true, false),
    engine("docker", false, false),
    engine("mig-parted", true, false),
    engine("modal", false, false),
    engine("skyward", false, true),
];

/// The outcome of a case with an engine.
enum Outcome {
    /// The plan cannot be said, or there is none for this provider.
    NotRendered(String),
    Accepted {
        lossy: Vec<String>,
    },
    Refused(String),
    /// It is not installed, or would need the network.
    NotAsked,
}

/// Everything that the engines answered.
#[derive(Default)]
struct Answers {
    /// By engine and case.
    outcomes: BTreeMap<(&'static str, String), Outcome>,
    /// Deviations from the expected result, one per line.
    wrong: Vec<String>,
    /// Why a question was not asked, a line each.
    reasons: Vec<String>,
    /// Plans that were shown to an engine.
    shown: usize,
}

/// Installs the engines of every test run where they are missing or are not the pinned ones.
///
/// # Errors
///
/// When Python is missing or pip fails.
pub fn install_light() -> Result<()> {
    ENGINES
        .iter()
        .filter(|engine| engine.is_light)
        .try_for_each(|engine| environment(engine, true).map(drop))
}

/// Asks the engines; with `light` those of every test run. The program is built first, unless `built` is where it lies.
///
/// # Errors
///
/// When an engine refuses a plan or understands something else, when it takes a broken twin, and
/// when one is missing that neither may be installed nor left out.
#[expect(
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "it takes a while: say what it does, and what came of it"
)]
pub fn validate(arguments: ValidateArguments, built: Option<PathBuf>) -> Result<()> {
    let engines = engines(arguments)?;
    if engines.is_empty() {
        return Ok(());
    }
    let program = built.map_or_else(|| program(arguments.no_aws), Ok)?;
    let cases = cases()?;
    let mut answers = Answers::default();
    for (asked, (engine, _)) in ask_each(&program, &engines, &cases)?.iter().zip(&engines) {
        answers.add(engine, &cases, asked);
    }
    let engines: Vec<&Engine> = engines.iter().map(|(engine, _)| *engine).collect();
    let page = page::page(&engines, &cases, &answers);
    if !arguments.light {
        fs::write(root().join("docs/validation.md"), &page)?;
    }
    for line in page.lines().filter(|line| line.starts_with('|')) {
        println!("{line}");
    }
    ensure!(answers.wrong.is_empty(), "{}", answers.wrong.join("\n"));
    eprintln!("{} engines took {} plans", engines.len(), answers.shown);
    Ok(())
}

/// The plans that an engine was given, and its answers.
struct Asked {
    /// Files that are as they should be, and files that are not.
    good: Vec<PathBuf>,
    broken: Vec<PathBuf>,
    /// By the name of the case: what `plan -o json` printed, or why there is no plan.
    plans: BTreeMap<String, std::result::Result<Value, String>>,
    /// For the good files, the broken ones and the plans, in their order.
    answers: Vec<Value>,
}

/// Asks each engine, as many at a time as there are cores: most of them wait for Python to start.
fn ask_each(program: &Path, engines: &[(&Engine, PathBuf)], cases: &[Case]) -> Result<Vec<Asked>> {
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let at = next.fetch_add(1, Ordering::Relaxed);
            let Some((engine, python)) = engines.get(at) else {
                return done;
            };
            done.push((at, ask_one(program, engine, python, cases)));
        }
    };
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let mut asked = thread::scope(|scope| {
        let workers: Vec<_> = (0..workers).map(|_| scope.spawn(work)).collect();
        let mut asked = Vec::new();
        for worker in workers {
            asked.extend(worker.join().ok().context("a check panicked")?);
        }
        anyhow::Ok(asked)
    })?;
    asked.sort_by_key(|(at, _)| *at);
    asked.into_iter().map(|(_, asked)| asked).collect()
}

#[expect(clippy::print_stderr, reason = "it takes a while: say what it does")]
fn ask_one(program: &Path, engine: &Engine, python: &Path, cases: &[Case]) -> Result<Asked> {
    eprintln!("asking {}", engine.name);
    let renders = target_folder().join("renders").join(engine.name);
    if renders.exists() {
        fs::remove_dir_all(&renders)?;
    }
    let mut plans = BTreeMap::new();
    for case in cases {
        let plan = render(program, engine, case, &renders)?;
        plans.insert(case.name.clone(), plan);
    }
    let folder = root().join("tests/engines").join(engine.name);
    let good = subfolders(&folder.join("good"))?;
    let broken = subfolders(&folder.join("broken"))?;
    let rendered = plans
        .iter()
        .filter(|(_, plan)| plan.is_ok())
        .map(|(case, _)| renders.join(case));
    let files = good.iter().chain(&broken).cloned().chain(rendered);
    let answers = ask(python, &folder, &files.collect::<Vec<_>>())?;
    Ok(Asked {
        good,
        broken,
        plans,
        answers,
    })
}

/// The engines to ask, each with the interpreter of its environment.
///
/// The light ones that are not there are left out with a word; the page of all engines must not
/// lose one in silence.
#[expect(clippy::print_stderr, reason = "what is left out has to be said")]
fn engines(arguments: ValidateArguments) -> Result<Vec<(&'static Engine, PathBuf)>> {
    let mut found = Vec::new();
    for engine in ENGINES
        .iter()
        .filter(|engine| engine.is_light || !arguments.light)
    {
        match environment(engine, arguments.install)? {
            Some(python) => found.push((engine, python)),
            None if arguments.light => {
                eprintln!(
                    "skipped: the check of {} is not installed (`cargo xtask test --install` does that)",
                    engine.name
                );
            }
            None => bail!(
                "the check of {} is not installed: `cargo xtask validate --install` does that",
                engine.name
            ),
        }
    }
    Ok(found)
}

impl Answers {
    /// Checks the answers of an engine.
    fn add(&mut self, engine: &Engine, cases: &[Case], asked: &Asked) {
        let mut answers = asked.answers.iter();
        for (twins, is_good) in [(&asked.good, true), (&asked.broken, false)] {
            for (twin, answer) in twins.iter().zip(answers.by_ref()) {
                self.twin(engine, &twin.display().to_string(), is_good, answer);
            }
        }
        for (name, plan) in &asked.plans {
            match plan {
                Ok(plan) => {
                    let case = cases.iter().find(|case| case.name == *name);
                    if let Some(answer) = answers.next() {
                        self.plan(engine, name, case, plan, answer);
                    }
                }
                Err(why) => {
                    let key = (engine.name, name.clone());
                    self.outcomes.insert(key, Outcome::NotRendered(why.clone()));
                }
            }
        }
    }

    /// Checks an engine's answer to a twin: it must accept good ones and refuse broken ones.
    fn twin(&mut self, engine: &Engine, twin: &str, is_good: bool, answer: &Value) {
        if answer["accepted"].is_boolean() && answer["accepted"] != is_good {
            let message = &answer["message"];
            self.wrong
                .push(format!("{}: {twin}: {message}", engine.name));
        }
    }

    /// Checks an engine's answer to a plan that was rendered for it.
    fn plan(
        &mut self,
        engine: &Engine,
        name: &str,
        case: Option<&Case>,
        plan: &Value,
        answer: &Value,
    ) {
        self.shown += 1;
        let message = answer["message"].as_str().unwrap_or_default().to_owned();
        let outcome = match answer["accepted"].as_bool() {
            None => {
                self.reasons.push(format!(
                    "- {} was not asked about {name}: {message}",
                    engine.name
                ));
                Outcome::NotAsked
            }
            Some(false) => {
                // Odd strings are no image that could be pulled.
                let is_about_image = message.contains("reference") || message.contains("image");
                if !(case.is_some_and(|case| case.is_odd) && is_about_image) {
                    self.wrong
                        .push(format!("{} refuses {name}: {message}", engine.name));
                }
                Outcome::Refused(message)
            }
            Some(true) => {
                let lossy = lossy(plan);
                let parsed = &answer["parsed"];
                let candidates = compare::candidates(engine, plan, parsed, &lossy);
                let strings = case.map_or(Ok(()), |case| compare::strings(case, parsed, &lossy));
                for why in [candidates, strings].into_iter().filter_map(Result::err) {
                    self.wrong.push(format!(
                        "{} understands {name} otherwise: {why}",
                        engine.name
                    ));
                }
                Outcome::Accepted { lossy }
            }
        };
        self.outcomes
            .insert((engine.name, name.to_owned()), outcome);
    }
}

/// The codes of what a plan loses in an engine's words, each once.
fn lossy(plan: &Value) -> Vec<String> {
    let mut lossy: Vec<String> = plan["render"]["lossy"]
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|loss| loss["code"].as_str().map(str::to_owned))
        .collect();
    lossy.sort();
    lossy.dedup();
    lossy
}
