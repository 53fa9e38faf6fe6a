//! `docs/validation.md`: the table of the answers to every plan.

use std::fmt::Write as _;

use sky_accel_targets::{Step, Target};

use super::answers::{Answers, CaseOutcome};
use super::cases::ValidationCase;
use crate::install::PythonEnvironment;

const HEAD: &str = "# Plans, checked by their targets\n\n\
     This page shows whether each target's own code accepts our plans. Every case is rendered for every\n\
     target, and the target's own parser reads the result. Its check must also reject broken plans.\n\
     `cargo xtask validate` writes this page. Every test run includes the checks that are quick to\n\
     install.\n\n\
     - **yes**: the target accepts the plan and reads it as intended; losses follow after \"without\"\n\
     - **rejected**: the target rejects the plan, for the reason below\n\
     - not checked: the program is not installed, or the check would need the network\n\
     - —: the target cannot express the case, or its provider does not sell such a machine\n\n";

/// Formats the page as Markdown.
pub fn page(targets: &[Target], cases: &[ValidationCase], answers: &Answers) -> String {
    let mut page = HEAD.to_owned();
    let mut reasons = answers.reasons.clone();
    page.push_str("| case |");
    for target in targets {
        let _ = write!(page, " {} |", target.name());
    }
    page.push_str("\n|-|");
    page.push_str(&"-|".repeat(targets.len()));
    page.push('\n');
    for case in cases {
        let _ = write!(page, "| {} |", case.name);
        for target in targets {
            let outcome = answers.outcomes.get(&(target.name(), case.name.clone()));
            let _ = write!(page, " {} |", cell(*target, case, outcome, &mut reasons));
        }
        page.push('\n');
    }
    page.push_str("\n## Cases\n\n");
    for case in cases {
        let args: Vec<String> = case.args.iter().map(|arg| format!("{arg:?}")).collect();
        let _ = writeln!(page, "- {}: `sky-accel plan {}`", case.name, args.join(" "));
    }
    if !reasons.is_empty() {
        let _ = write!(page, "\n## Reasons\n\n{}\n", reasons.join("\n"));
    }
    page.push_str("\n## Versions\n\n");
    for target in targets {
        let _ = writeln!(page, "- {}: {}", target.name(), pins(*target));
    }
    page
}

/// Formats the outcome of one case. The reason of a rejected or missing plan is added to `reasons`.
fn cell(
    target: Target,
    case: &ValidationCase,
    outcome: Option<&CaseOutcome>,
    reasons: &mut Vec<String>,
) -> String {
    match outcome {
        Some(CaseOutcome::Accepted { lossy }) if lossy.is_empty() => "yes".to_owned(),
        Some(CaseOutcome::Accepted { lossy }) => format!("yes, without {}", lossy.join(", ")),
        Some(CaseOutcome::Rejected(why)) => {
            reasons.push(format!("- {} rejects {}: {why}", target.name(), case.name));
            "rejected".to_owned()
        }
        Some(CaseOutcome::NotChecked) => "not checked".to_owned(),
        Some(CaseOutcome::NotRendered(why)) => {
            // Most cases have no slices, so a target that only partitions GPUs would fill the list.
            if target.step() != Step::Partition && why != "no offer" {
                reasons.push(format!("- {} and {}: {why}", target.name(), case.name));
            }
            "—".to_owned()
        }
        None => String::new(),
    }
}

/// Returns the versions that the requirements of a check pin.
fn pins(target: Target) -> String {
    let text = PythonEnvironment::of_target(target.name())
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
