//! The answers of the targets' own code, and their deviations from the expected result.

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;
use sky_accel_targets::Target;

use super::cases::ValidationCase;
use super::compare;

/// The outcome of a case for a target.
pub enum CaseOutcome {
    /// The target cannot express the plan, or its provider has no offer. The text is the reason.
    NotRendered(String),
    /// The target reads the plan as intended, except for the losses.
    Accepted {
        /// The codes of the losses, each once.
        lossy: Vec<String>,
    },
    /// The target rejects the plan. The text is its complaint.
    Rejected(String),
    /// The program is not installed, or the check would need the network.
    NotChecked,
}

/// The answers of all checks.
#[derive(Default)]
pub struct Answers {
    /// The outcomes by the names of the target and the case.
    pub outcomes: BTreeMap<(&'static str, String), CaseOutcome>,
    /// Deviations from the expected result, one per line.
    pub wrong: Vec<String>,
    /// Reasons for checks that did not run, one per line.
    pub reasons: Vec<String>,
    /// The number of plans that the checks read.
    pub shown: usize,
}

/// A run of one check.
pub struct CheckRun {
    /// Folders with plans that the check must accept.
    pub good: Vec<PathBuf>,
    /// Folders with plans that the check must reject.
    pub broken: Vec<PathBuf>,
    /// The output of `plan -o json` by the name of the case, or the reason for a missing plan.
    pub plans: BTreeMap<String, std::result::Result<Value, String>>,
    /// The answers to `good`, `broken` and the rendered `plans`, in this order.
    pub answers: Vec<Value>,
}

impl Answers {
    /// Adds the answers of a target's check, with their deviations.
    pub fn add(&mut self, target: Target, cases: &[ValidationCase], run: &CheckRun) {
        let mut answers = run.answers.iter();
        for (folders, is_good) in [(&run.good, true), (&run.broken, false)] {
            for (folder, answer) in folders.iter().zip(answers.by_ref()) {
                self.fixture(target, &folder.display().to_string(), is_good, answer);
            }
        }
        for (name, plan) in &run.plans {
            match plan {
                Ok(plan) => {
                    let case = cases.iter().find(|case| case.name == *name);
                    if let Some(answer) = answers.next() {
                        self.plan(target, name, case, plan, answer);
                    }
                }
                Err(why) => {
                    let key = (target.name(), name.clone());
                    self.outcomes
                        .insert(key, CaseOutcome::NotRendered(why.clone()));
                }
            }
        }
    }

    /// Checks the answer to a plan in the folder of the check.
    fn fixture(&mut self, target: Target, folder: &str, is_good: bool, answer: &Value) {
        if answer["accepted"].is_boolean() && answer["accepted"] != is_good {
            let message = &answer["message"];
            self.wrong
                .push(format!("{}: {folder}: {message}", target.name()));
        }
    }

    /// Checks the answer to a rendered plan.
    fn plan(
        &mut self,
        target: Target,
        name: &str,
        case: Option<&ValidationCase>,
        plan: &Value,
        answer: &Value,
    ) {
        self.shown += 1;
        let message = answer["message"].as_str().unwrap_or_default().to_owned();
        let outcome = match answer["accepted"].as_bool() {
            None => {
                self.reasons.push(format!(
                    "- {} did not check {name}: {message}",
                    target.name()
                ));
                CaseOutcome::NotChecked
            }
            Some(false) => {
                // The strings of odd cases do not name an image that could be pulled.
                let is_about_image = message.contains("reference") || message.contains("image");
                if !(case.is_some_and(|case| case.is_odd) && is_about_image) {
                    self.wrong
                        .push(format!("{} rejects {name}: {message}", target.name()));
                }
                CaseOutcome::Rejected(message)
            }
            Some(true) => {
                let lossy = lossy(plan);
                let parsed = &answer["parsed"];
                let candidates = compare::candidates(target, plan, parsed, &lossy);
                let strings = case.map_or(Ok(()), |case| compare::strings(case, parsed, &lossy));
                for why in [candidates, strings].into_iter().filter_map(Result::err) {
                    self.wrong
                        .push(format!("{} reads {name} differently: {why}", target.name()));
                }
                CaseOutcome::Accepted { lossy }
            }
        };
        self.outcomes
            .insert((target.name(), name.to_owned()), outcome);
    }
}

/// Returns the codes of a plan's losses, each once.
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
