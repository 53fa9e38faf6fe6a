//! Everything that continuous integration runs, in the release profile: so the AWS SDK, which takes
//! minutes, is not built twice.

use anyhow::Result;

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
    /// Changes `target/engines` when it may install.
    ValidateLight {
        install: bool,
    },
    Tests {
        may_skip: bool,
    },
}

/// The parts of a test run, in their order.
fn steps(arguments: TestArguments) -> Vec<Step> {
    let TestArguments { lint, install, .. } = arguments;
    let mut steps = Vec::new();
    if lint {
        steps.extend([Step::Format, Step::Lint]);
    }
    if install {
        steps.extend([Step::InstallPrograms, Step::InstallVendors]);
    }
    steps.push(Step::ValidateLight { install });
    steps.push(Step::Tests { may_skip: !install });
    steps
}

/// Runs all tests.
///
/// # Errors
///
/// When a step fails; those after it are not run.
pub fn test(arguments: TestArguments) -> Result<()> {
    steps(arguments)
        .into_iter()
        .try_for_each(|step| run(step, arguments.no_aws))
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
        Step::ValidateLight { install } => engines::validate(ValidateArguments {
            light: true,
            install,
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
            assert!(!steps.contains(&Step::InstallPrograms), "{steps:?}");
            assert!(!steps.contains(&Step::InstallVendors), "{steps:?}");
            assert!(steps.contains(&Step::ValidateLight { install: false }));
            assert!(steps.contains(&Step::Tests { may_skip: true }));
        }
    }

    #[test]
    fn what_was_installed_is_not_skipped() {
        let steps = steps(TestArguments {
            install: true,
            ..PLAIN
        });
        let last = [
            Step::InstallPrograms,
            Step::InstallVendors,
            Step::ValidateLight { install: true },
            Step::Tests { may_skip: false },
        ];
        assert_eq!(steps, last);
    }
}
