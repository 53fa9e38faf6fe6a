//! `docs/validation.md`: the table of what every engine says of every plan.

use std::fmt::Write as _;

use super::ask::Case;
use super::{Answers, Engine, Outcome};
use crate::install::PythonEnvironment;

const HEAD: &str = "# Plans, checked by the engines\n\n\
     This page shows whether each engine's own code accepts our plans. Every case is rendered for every target and read by the engine. The\n\
     engine must also refuse broken versions of the plan.\n\
     `cargo xtask validate` writes this page. Every test run checks the engines that are quick to install.\n\n\
     - **yes**: the engine accepts the plan and reads it as intended; losses follow after \"without\"\n\
     - **refused**: the engine refuses the plan, for the reason below\n\
     - not asked: the engine is not installed, or it would need the network\n\
     - —: the target cannot express the case, or its provider sells no such machine\n\n";

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
        let _ = write!(page, "\n## Reasons\n\n{}\n", reasons.join("\n"));
    }
    page.push_str("\n## The engines\n\n");
    for engine in engines {
        let _ = writeln!(page, "- {}: {}", engine.name, pins(engine));
    }
    page
}

/// An engine's answer to one case; a reason for less than yes is added to `reasons`.
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
