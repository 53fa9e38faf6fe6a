//! Plans before the engines that take them: each engine's own code reads what was rendered for it,
//! and must understand what the plan says. Every engine is also seen to refuse broken twins.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;
use sky_accel_core::bind::interpret;
use sky_accel_engine::catalog::EMBEDDED;

use crate::{root, run, target_folder};

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

const ENGINES: [Engine; 20] = [
    engine("skypilot", false, true),
    engine("dstack", false, false),
    engine("kubernetes", true, false),
    engine("dra", true, false),
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

/// Candidates of each plan: some engines are asked about each by itself.
const CANDIDATES: &str = "5";

/// A plan to render.
struct Case {
    name: String,
    args: Vec<String>,
    /// Its strings are none that an engine would take, but for their form.
    is_odd: bool,
}

/// What came of a case with an engine.
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

/// Asks the engines; with `light` those of every test run.
#[expect(
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "it takes a while: say what it does, and what came of it"
)]
pub fn validate(light: bool) -> Result<()> {
    let program = program()?;
    let cases = cases()?;
    let engines: Vec<&Engine> = ENGINES
        .iter()
        .filter(|engine| engine.is_light || !light)
        .collect();
    let mut table: BTreeMap<(&str, &str), Outcome> = BTreeMap::new();
    let mut wrong = Vec::new();
    let mut reasons = Vec::new();
    let mut checked = 0;
    for engine in &engines {
        let Some(python) = environment(engine)? else {
            bail!("{} needs Python 3.12, which is not there", engine.name);
        };
        eprintln!("asking {}", engine.name);
        let folder = root().join("tests/engines").join(engine.name);
        let renders = target_folder().join("renders").join(engine.name);
        if renders.exists() {
            fs::remove_dir_all(&renders)?;
        }
        let mut plans: BTreeMap<&str, Value> = BTreeMap::new();
        for case in &cases {
            match render(&program, engine, case, &renders)? {
                Ok(plan) => {
                    plans.insert(&case.name, plan);
                }
                Err(why) => {
                    table.insert((engine.name, &case.name), Outcome::NotRendered(why));
                }
            }
        }
        let mut folders = subfolders(&folder.join("good"))?;
        let good = folders.len();
        folders.extend(subfolders(&folder.join("broken"))?);
        let twins = folders.len();
        folders.extend(plans.keys().map(|case| renders.join(case)));
        let answers = ask(&python, &folder, &folders)?;
        for (at, (path, answer)) in folders[..twins].iter().zip(&answers).enumerate() {
            if answer["accepted"].is_boolean() && answer["accepted"] != (at < good) {
                wrong.push(format!(
                    "{}: {}: {}",
                    engine.name,
                    path.display(),
                    answer["message"]
                ));
            }
        }
        for ((name, plan), answer) in plans.iter().zip(&answers[twins..]) {
            checked += 1;
            let case = cases.iter().find(|case| case.name == *name);
            let is_odd = case.is_some_and(|case| case.is_odd);
            let message = answer["message"].as_str().unwrap_or_default().to_owned();
            let mut lossy: Vec<String> = plan["render"]["lossy"]
                .as_array()
                .into_iter()
                .flatten()
                .filter_map(|loss| loss["code"].as_str().map(str::to_owned))
                .collect();
            lossy.sort();
            lossy.dedup();
            let outcome = match answer["accepted"].as_bool() {
                None => {
                    reasons.push(format!(
                        "- {} was not asked about {name}: {message}",
                        engine.name
                    ));
                    Outcome::NotAsked
                }
                Some(false) => {
                    // Odd strings are no image that could be pulled.
                    let is_about_image = message.contains("reference") || message.contains("image");
                    if !(is_odd && is_about_image) {
                        wrong.push(format!("{} refuses {name}: {message}", engine.name));
                    }
                    Outcome::Refused(message)
                }
                Some(true) => {
                    let differs = compare(engine, plan, &answer["parsed"], &lossy);
                    let strings =
                        case.map_or(Ok(()), |case| same_strings(case, &answer["parsed"], &lossy));
                    for why in [differs, strings].into_iter().filter_map(Result::err) {
                        wrong.push(format!(
                            "{} understands {name} otherwise: {why}",
                            engine.name
                        ));
                    }
                    Outcome::Accepted { lossy }
                }
            };
            table.insert((engine.name, name), outcome);
        }
    }
    let page = page(&engines, &cases, &table, reasons);
    if !light {
        fs::write(root().join("docs/validation.md"), &page)?;
    }
    for line in page.lines().filter(|line| line.starts_with('|')) {
        println!("{line}");
    }
    ensure!(wrong.is_empty(), "{}", wrong.join("\n"));
    eprintln!("{} engines took {checked} plans", engines.len());
    Ok(())
}

fn program() -> Result<PathBuf> {
    let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    run(Command::new(cargo)
        .args(["build", "--quiet", "--locked"])
        .current_dir(root()))?;
    Ok(target_folder().join("debug/sky-accel"))
}

fn cases() -> Result<Vec<Case>> {
    let text = fs::read_to_string(root().join("tests/engines/cases.toml"))?;
    let table: toml::Table = text.parse()?;
    let all = table["case"].as_array().context("there are no cases")?;
    let one = |row: &toml::Value| {
        let args = row["args"].as_array().context("a case has args")?;
        Ok(Case {
            name: row["name"]
                .as_str()
                .context("a case has a name")?
                .to_owned(),
            args: args
                .iter()
                .filter_map(|arg| arg.as_str().map(str::to_owned))
                .collect(),
            is_odd: row.get("odd").is_some(),
        })
    };
    all.iter().map(one).collect()
}

/// The interpreter of an engine's own environment, installed where that is still to be done.
#[expect(
    clippy::print_stderr,
    reason = "an installation takes a while: say which"
)]
fn environment(engine: &Engine) -> Result<Option<PathBuf>> {
    let list = root()
        .join("tests/engines")
        .join(engine.name)
        .join("requirements.txt");
    let wanted = fs::read_to_string(&list)?;
    let home = target_folder().join("engines").join(engine.name);
    let python = home.join("bin/python");
    let installed = home.join("installed.txt");
    if fs::read_to_string(&installed).is_ok_and(|text| text == wanted) {
        return Ok(Some(python));
    }
    let interpreter = if wanted.starts_with("# python3.12") {
        let Some(newer) = python_3_12() else {
            return Ok(None);
        };
        newer
    } else {
        "python3".into()
    };
    eprintln!("installing {}", engine.name);
    if home.exists() {
        fs::remove_dir_all(&home)?;
    }
    run(Command::new(interpreter).args(["-m", "venv"]).arg(&home))?;
    run(Command::new(&python)
        .args([
            "-m",
            "pip",
            "install",
            "--quiet",
            "--disable-pip-version-check",
            "-r",
        ])
        .arg(&list))?;
    fs::write(installed, wanted)?;
    Ok(Some(python))
}

/// A newer Python, by its name or where pyenv keeps it.
fn python_3_12() -> Option<PathBuf> {
    let by_name = PathBuf::from("python3.12");
    let works = |path: &Path| {
        Command::new(path)
            .arg("--version")
            .output()
            .is_ok_and(|out| out.status.success())
    };
    if works(&by_name) {
        return Some(by_name);
    }
    let versions = Path::new(&env::var_os("HOME")?).join(".pyenv/versions");
    let mut all: Vec<PathBuf> = fs::read_dir(versions)
        .ok()?
        .flatten()
        .map(|entry| entry.path())
        .collect();
    all.sort();
    all.into_iter()
        .filter(|path| {
            path.file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with("3.12"))
        })
        .map(|path| path.join("bin/python"))
        .find(|path| works(path))
}

/// Renders a case into a folder of its own and returns the plan, or why there is none.
fn render(
    program: &Path,
    engine: &Engine,
    case: &Case,
    renders: &Path,
) -> Result<std::result::Result<Value, String>> {
    let folder = renders.join(&case.name);
    let output = Command::new(program)
        .args(["--no-config", "plan"])
        .args(&case.args)
        .args([
            "--limit",
            CANDIDATES,
            "--to",
            engine.name,
            "-o",
            "json",
            "--out",
        ])
        .arg(&folder)
        .current_dir(root())
        .output()?;
    let stderr = String::from_utf8_lossy(&output.stderr);
    match output.status.code() {
        Some(0) => Ok(Ok(serde_json::from_slice(&output.stdout)?)),
        Some(1) => Ok(Err("no offer".to_owned())),
        Some(2) => {
            fs::remove_dir_all(&folder).ok();
            let error: Value = serde_json::from_str(&stderr).unwrap_or_default();
            let message = error["error"]["message"].as_str().unwrap_or(&stderr);
            Ok(Err(message.to_owned()))
        }
        code => bail!("{} for {}: {code:?}: {stderr}", case.name, engine.name),
    }
}

fn subfolders(folder: &Path) -> Result<Vec<PathBuf>> {
    let mut all: Vec<PathBuf> = fs::read_dir(folder)?
        .flatten()
        .map(|entry| entry.path())
        .collect();
    all.sort();
    Ok(all)
}

/// The engine's answers, one for each folder.
fn ask(python: &Path, folder: &Path, folders: &[PathBuf]) -> Result<Vec<Value>> {
    let output = Command::new(python)
        .arg("-B")
        .arg(folder.join("check.py"))
        .args(folders)
        // What a script asks its user for.
        .env("IMAGE", "python:3.12")
        .output()?;
    let stdout = String::from_utf8_lossy(&output.stdout);
    let answers: Vec<Value> = stdout
        .lines()
        .map(serde_json::from_str)
        .collect::<serde_json::Result<_>>()?;
    let stderr = String::from_utf8_lossy(&output.stderr);
    ensure!(
        answers.len() == folders.len(),
        "{}: {} answers to {} questions: {stderr}",
        folder.display(),
        answers.len(),
        folders.len()
    );
    Ok(answers)
}

/// Whether what an engine understood is what the plan says.
fn compare(engine: &Engine, plan: &Value, parsed: &Value, lossy: &[String]) -> Result<()> {
    let rows = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let (planned, understood) = (rows(&plan["results"]), rows(&parsed["candidates"]));
    ensure!(!understood.is_empty(), "it understood nothing");
    let mut last = 0;
    for own in &understood {
        if own["mig_enabled"] == false {
            continue;
        }
        let found = planned
            .iter()
            .enumerate()
            .skip(if engine.keeps_order { last } else { 0 })
            .find(|(_, planned)| is_same(planned, own, lossy));
        let Some((at, _)) = found else {
            bail!("no candidate of the plan is {own}");
        };
        last = at;
    }
    Ok(())
}

fn is_same(planned: &Value, own: &Value, lossy: &[String]) -> bool {
    let loses = |code: &str| lossy.iter().any(|loss| loss == code);
    let words = |value: &Value| -> Vec<String> {
        match value {
            Value::String(text) => vec![text.clone()],
            Value::Array(all) => all
                .iter()
                .filter_map(|own| own.as_str().map(str::to_owned))
                .collect(),
            _ => Vec::new(),
        }
    };
    let number = |value: &Value| -> Option<f64> {
        let first = value
            .as_array()
            .and_then(|all| all.first())
            .unwrap_or(value);
        let text = first.as_str().and_then(|text| text.parse().ok());
        first.as_f64().or(text)
    };
    let types = words(&own["instance_type"]);
    if !types.is_empty() && !types.iter().any(|own| *own == planned["instance_type"]) {
        return false;
    }
    let regions = words(&own["region"]);
    if let Some(region) = planned["region"].as_str()
        && !regions.is_empty()
        && !regions.iter().any(|own| own == region)
    {
        return false;
    }
    let spot = own["spot"]
        .as_bool()
        .or_else(|| match own["spot"].as_str() {
            Some("spot") => Some(true),
            Some("on-demand") => Some(false),
            _ => None,
        });
    if let Some(spot) = spot
        && !loses("spot")
        && spot != (planned["capacity_type"] == "spot")
    {
        return false;
    }
    let slices = planned["mig"]["placements"].as_array().map(Vec::len);
    // A slice of a pod is one thing.
    let is_pod = own["device_class"] == "GOOGLE_TPU" || own["vendor"] == "google";
    let pod = is_pod.then_some(1.0);
    let counts = [
        pod,
        planned["count"].as_f64(),
        slices.map(|n| n as f64),
        planned["mig"]["gpus_needed"].as_f64(),
    ];
    // Ray counts the cores of Neuron devices.
    let counts_cores = !own["resources"]["neuron_cores"].is_null();
    if let Some(count) = number(&own["count"]).filter(|_| !counts_cores)
        && !counts.contains(&Some(count))
    {
        return false;
    }
    let memory = [&own["memory_gb"], &planned["memory_gb"]].map(number);
    if memory[0].is_some() && memory[0] != memory[1] {
        return false;
    }
    let nodes = [&own["nodes"], &planned["nodes"]].map(number);
    if nodes[0].is_some() && !loses("nodes") && nodes[0] != nodes[1] {
        return false;
    }
    let names = words(&own["accelerator"]);
    let id = planned["accelerator"].as_str().unwrap_or_default();
    // An engine's word may carry what is no part of the name: Modal's `!`.
    let means = |name: &String| {
        interpret(&EMBEDDED, name.trim_end_matches('!')).is_ok_and(|read| {
            let mut all = read.iter().flat_map(|own| &own.candidates);
            all.any(|own| EMBEDDED.accelerator_id(own.accelerator) == id)
        })
    };
    names.is_empty() || loses("accelerator") || names.iter().any(means) || is_family(id, &names)
}

/// Words that no spec knows: a site's own types, `Trn2`, `TPU-V5P`.
fn is_family(id: &str, names: &[String]) -> bool {
    let family = EMBEDDED
        .accelerator_ids()
        .find(|own| EMBEDDED.accelerator_id(*own) == id);
    let family = family.map(|own| {
        EMBEDDED
            .str(EMBEDDED.accelerator(own).family)
            .to_ascii_lowercase()
    });
    let family = family.unwrap_or_default();
    let plain = |name: &String| name.to_ascii_lowercase().replace(['-', '_', ' '], "");
    let known = EMBEDDED
        .tools
        .iter()
        .flat_map(|tool| EMBEDDED.tool_words(tool))
        .filter(|word| {
            let mut all = EMBEDDED.accelerators(word.accelerators).iter();
            all.any(|own| EMBEDDED.accelerator_id(*own) == id)
        });
    let known: Vec<&str> = known.map(|word| EMBEDDED.str(word.word)).collect();
    names.iter().any(|name| {
        plain(name).contains(&family) || known.iter().any(|word| word.eq_ignore_ascii_case(name))
    })
}

/// Strings that an engine gives back are those that went in.
fn same_strings(case: &Case, parsed: &Value, lossy: &[String]) -> Result<()> {
    let loses_image = lossy.iter().any(|loss| loss == "image");
    let given = |flag: &str| {
        let mut all = case.args.iter().skip_while(|arg| *arg != flag);
        all.nth(1).map(String::as_str)
    };
    let first = &parsed["candidates"][0];
    let name = given("--name").unwrap_or("sky-accel");
    if let Some(read) = parsed["name"].as_str() {
        let is_told = lossy.iter().any(|loss| loss == "name");
        ensure!(
            read == name || is_told,
            "the name {name:?} came back as {read:?}"
        );
    }
    if let (Some(image), Some(read)) = (
        given("--image"),
        first["image"].as_str().or(parsed["image"].as_str()),
    ) {
        // Machines have an image of their own; Modal shows the line of a Dockerfile.
        let is_machine = read.starts_with("ami-") || read.contains("Image(");
        ensure!(
            is_machine || loses_image || read == image || read.contains('\\'),
            "the image {image:?} came back as {read:?}"
        );
    }
    let command = &first["command"];
    let read = command
        .as_array()
        .and_then(|all| all.last())
        .or(Some(command));
    let read = read
        .and_then(Value::as_str)
        .or(parsed["run"].as_str())
        .or(parsed["commands"][0].as_str());
    if let (Some(command), Some(read)) = (given("--run"), read) {
        ensure!(
            read == command,
            "the command {command:?} came back as {read:?}"
        );
    }
    Ok(())
}

/// The table of all answers.
fn page(
    engines: &[&Engine],
    cases: &[Case],
    table: &BTreeMap<(&str, &str), Outcome>,
    mut reasons: Vec<String>,
) -> String {
    let mut page = String::from(
        "# What the engines say\n\n\
         Every plan below is rendered for every target and read by the engine's own code, with broken twins that it must refuse.\n\
         `cargo xtask validate` writes this page; the light engines are asked in every test run.\n\n\
         - **yes**: accepted, and understood as the plan says; what the target cannot say is named\n\
         - **refused**: by the engine, for the reason below\n\
         - not asked: the engine is not installed, or would need the network\n\
         - —: the target has no words for it, or its provider sells none\n\n",
    );
    page.push_str("| case |");
    for engine in engines {
        let _ = write!(page, " {} |", engine.name);
    }
    page.push_str("\n|-|");
    page.push_str(&"-|".repeat(engines.len()));
    page.push('\n');
    for case in cases {
        let _ = write!(page, "| {} |", case.name);
        for engine in engines {
            let cell = match table.get(&(engine.name, case.name.as_str())) {
                Some(Outcome::Accepted { lossy }) if lossy.is_empty() => "yes".to_owned(),
                Some(Outcome::Accepted { lossy }) => format!("yes, without {}", lossy.join(", ")),
                Some(Outcome::Refused(why)) => {
                    reasons.push(format!("- {} refuses {}: {why}", engine.name, case.name));
                    "refused".to_owned()
                }
                Some(Outcome::NotAsked) => "not asked".to_owned(),
                Some(Outcome::NotRendered(why)) => {
                    if engine.name != "mig-parted" && why != "no offer" {
                        reasons.push(format!("- {} and {}: {why}", engine.name, case.name));
                    }
                    "—".to_owned()
                }
                None => String::new(),
            };
            let _ = write!(page, " {cell} |");
        }
        page.push('\n');
    }
    page.push_str("\n## The cases\n\n");
    for case in cases {
        let args: Vec<String> = case.args.iter().map(|arg| format!("{arg:?}")).collect();
        let _ = writeln!(page, "- {}: `sky-accel plan {}`", case.name, args.join(" "));
    }
    if !reasons.is_empty() {
        let _ = write!(page, "\n## Why not\n\n{}\n", reasons.join("\n"));
    }
    page.push_str("\n## The engines\n\n");
    for engine in engines {
        let list = root()
            .join("tests/engines")
            .join(engine.name)
            .join("requirements.txt");
        let text = fs::read_to_string(list).unwrap_or_default();
        let pins: Vec<&str> = text
            .lines()
            .filter(|line| !line.starts_with('#') && !line.is_empty())
            .collect();
        let _ = writeln!(
            page,
            "- {}: {}",
            engine.name,
            if pins.is_empty() {
                "as installed".to_owned()
            } else {
                pins.join(", ")
            }
        );
    }
    page
}
