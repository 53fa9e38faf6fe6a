//! Everything that continuous integration runs, in the release profile: so the AWS SDK, which takes
//! minutes, is not built twice.

use std::thread;

use anyhow::{Context as _, Result};

use crate::process::cargo;
use crate::{TestArguments, ValidateArguments, engines, install};

/// Set for the tests when everything that they need was installed: then none of them may be skipped.
const REQUIRE_TOOLS: &str = "SKY_ACCEL_REQUIRE_TOOLS";

/// A part of a test run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    Format,
    Lint,
    /// Changes the machine.
    InstallPrograms,
    /// Changes `target/vendors`.
    InstallVendors,
    /// Changes `target/engines`.
    InstallEngines,
    ValidateLight,
    Tests {
        may_skip: bool,
    },
}

/// The parts of a test run, each list in its order.
#[derive(Debug, PartialEq, Eq)]
struct Steps {
    lints: Vec<Step>,
    /// They run beside the lints: those mostly wait for one core, and these for the network.
    installations: Vec<Step>,
    /// They run after all others.
    checks: Vec<Step>,
}

fn steps(arguments: TestArguments) -> Steps {
    let TestArguments { lint, install, .. } = arguments;
    let wanted = |is_wanted: bool, steps: &[Step]| -> Vec<Step> {
        if is_wanted { steps } else { &[] }.to_vec()
    };
    Steps {
        lints: wanted(lint, &[Step::Format, Step::Lint]),
        installations: wanted(
            install,
            &[
                Step::InstallPrograms,
                Step::InstallVendors,
                Step::InstallEngines,
            ],
        ),
        checks: vec![Step::ValidateLight, Step::Tests { may_skip: !install }],
    }
}

/// Runs all tests.
///
/// # Errors
///
/// When a step fails; those after it are not run.
pub fn test(arguments: TestArguments) -> Result<()> {
    let steps = steps(arguments);
    let run_all = |steps: &[Step]| -> Result<()> {
        steps
            .iter()
            .try_for_each(|step| run(*step, arguments.no_aws))
    };
    thread::scope(|scope| {
        let installations = scope.spawn(|| run_all(&steps.installations));
        run_all(&steps.lints)?;
        let installed = installations.join().ok();
        installed.context("an installation panicked")?
    })?;
    run_all(&steps.checks)
}

fn run(step: Step, no_aws: bool) -> Result<()> {
    match step {
        Step::Format => cargo(&["fmt", "--all", "--check"], &[]),
        Step::Lint => {
            let lint = [&["clippy", "--release", "--all-targets"], packages(no_aws)].concat();
            cargo(&[&lint[..], &["--", "-D", "warnings"]].concat(), &[])
        }
        Step::InstallPrograms => install::programs(),
        Step::InstallVendors => install::vendors(),
        Step::InstallEngines => engines::install_light(),
        Step::ValidateLight => engines::validate(ValidateArguments {
            light: true,
            install: false,
            no_aws,
        }),
        Step::Tests { may_skip } => {
            let test = [&["test", "--release"], packages(no_aws)].concat();
            let strict = [(REQUIRE_TOOLS, "1")];
            cargo(&test, if may_skip { &[] } else { &strict })
        }
    }
}

/// The packages that are built, as arguments of cargo.
fn packages(no_aws: bool) -> &'static [&'static str] {
    if no_aws {
        &[
            "--locked",
            "--workspace",
            "--exclude",
            "sky-accel-aws",
            "--no-default-features",
        ]
    } else {
        &["--locked", "--workspace"]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: TestArguments = TestArguments {
        lint: false,
        install: false,
        no_aws: false,
    };

    #[test]
    fn nothing_is_installed_unless_asked_for() {
        for lint in [false, true] {
            let steps = steps(TestArguments { lint, ..PLAIN });
            assert_eq!(steps.installations, []);
            assert_eq!(steps.lints.is_empty(), !lint);
            let checks = [Step::ValidateLight, Step::Tests { may_skip: true }];
            assert_eq!(steps.checks, checks);
        }
    }

    #[test]
    fn what_was_installed_is_not_skipped() {
        let steps = steps(TestArguments {
            install: true,
            ..PLAIN
        });
        assert_eq!(steps.installations.len(), 3);
        let checks = [Step::ValidateLight, Step::Tests { may_skip: false }];
        assert_eq!(steps.checks, checks);
    }
}
