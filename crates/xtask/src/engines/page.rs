//! `docs/validation.md`: the table of what every engine says of every plan.

use std::fmt::Write as _;

use super::ask::Case;
use super::{Answers, Engine, Outcome};
use crate::install::PythonEnvironment;

const HEAD: &str = "# What the engines say\n\n\
     Every plan below is rendered for every target and read by the engine's own code, with broken twins that it must refuse.\n\
     `cargo xtask validate` writes this page; the light engines are asked in every test run.\n\n\
     - **yes**: accepted, and understood as the plan says; what the target cannot say is named\n\
     - **refused**: by the engine, for the reason below\n\
     - not asked: the engine is not installed, or would need the network\n\
     - —: the target has no words for it, or its provider sells none\n\n";

/// The page as Markdown.
pub fn page(engines: &[&Engine], cases: &[Case], answers: &Answers) -> String {
    let mut page = HEAD.to_owned();
    let mut reasons = answers.reasons.clone();
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
            let outcome = answers.outcomes.get(&(engine.name, case.name.clone()));
            let _ = write!(page, " {} |", cell(engine, case, outcome, &mut reasons));
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
        let _ = writeln!(page, "- {}: {}", engine.name, pins(engine));
    }
    page
}

/// What an engine says of one case; a reason for less than yes is added to `reasons`.
fn cell(
    engine: &Engine,
    case: &Case,
    outcome: Option<&Outcome>,
    reasons: &mut Vec<String>,
) -> String {
    match outcome {
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
    }
}

/// The versions that an engine's requirements pin.
fn pins(engine: &Engine) -> String {
    let text = PythonEnvironment::of_engine(engine.name)
        .requirements()
        .unwrap_or_default();
    let pins: Vec<&str> = text
        .lines()
        .filter(|line| !line.starts_with('#') && !line.is_empty())
        .collect();
    if pins.is_empty() {
        "as installed".to_owned()
    } else {
        pins.join(", ")
    }
}
