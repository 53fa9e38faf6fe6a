//! Everything that continuous integration runs, in the release profile. The program is built once: the light engines are
//! shown plans of the program that the tests run.

use std::process::{Command, Stdio};
use std::thread;

use anyhow::{Context as _, Result};

use crate::process::cargo;
use crate::{TestArguments, ValidateArguments, engines, install, target_folder};

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
    BuildTests,
    ValidateLight,
    Tests {
        may_skip: bool,
    },
}

/// The parts of a test run, each list in its order.
#[derive(Debug, PartialEq, Eq)]
struct Steps {
    builds: Vec<Step>,
    /// They run beside the builds, and mostly wait for the network.
    installations: Vec<Step>,
    /// They run after all others.
    checks: Vec<Step>,
}

fn steps(arguments: TestArguments) -> Steps {
    let TestArguments { lint, install, .. } = arguments;
    let selected = |is_selected: bool, steps: &[Step]| -> Vec<Step> {
        if is_selected { steps } else { &[] }.to_vec()
    };
    let mut builds = selected(lint, &[Step::Format, Step::Lint]);
    builds.push(Step::BuildTests);
    Steps {
        builds,
        installations: selected(
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
    let has_nextest = has_nextest();
    let run_all = |steps: &[Step]| -> Result<()> {
        steps
            .iter()
            .try_for_each(|step| run(*step, arguments.no_aws, has_nextest))
    };
    thread::scope(|scope| {
        let installations = scope.spawn(|| run_all(&steps.installations));
        run_all(&steps.builds)?;
        let installed = installations.join().ok();
        installed.context("an installation panicked")?
    })?;
    run_all(&steps.checks)
}

/// Returns whether tests can be run by `cargo nextest`.
fn has_nextest() -> bool {
    let mut command = Command::new("cargo");
    command
        .args(["nextest", "--version"])
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

fn run(step: Step, no_aws: bool, has_nextest: bool) -> Result<()> {
    match step {
        Step::Format => cargo(&["fmt", "--all", "--check"], &[]),
        Step::Lint => {
            let lint = [&["clippy", "--release", "--all-targets"], packages(no_aws)].concat();
            cargo(&[&lint[..], &["--", "-D", "warnings"]].concat(), &[])
        }
        Step::InstallPrograms => install::programs(),
        Step::InstallVendors => install::vendors(),
        Step::InstallEngines => engines::install_light(),
        Step::BuildTests => {
            let build = [&["test", "--no-run", "--release"], packages(no_aws)].concat();
            cargo(&build, &[])
        }
        Step::ValidateLight => {
            let arguments = ValidateArguments {
                light: true,
                install: false,
                no_aws,
            };
            engines::validate(arguments, Some(target_folder().join("release/sky-accel")))
        }
        Step::Tests { may_skip } => {
            let runner: &[&str] = if has_nextest {
                &["nextest", "run", "--no-fail-fast", "--release"]
            } else {
                &["test", "--no-fail-fast", "--release"]
            };
            let strict = [(REQUIRE_TOOLS, "1")];
            let environment: &[(&str, &str)] = if may_skip { &[] } else { &strict };
            cargo(&[runner, packages(no_aws)].concat(), environment)
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
    fn installs_only_on_request() {
        for lint in [false, true] {
            let steps = steps(TestArguments { lint, ..PLAIN });
            assert_eq!(steps.installations, []);
            assert_eq!(steps.builds.contains(&Step::Lint), lint);
            assert_eq!(steps.builds.last(), Some(&Step::BuildTests));
            let checks = [Step::ValidateLight, Step::Tests { may_skip: true }];
            assert_eq!(steps.checks, checks);
        }
    }

    #[test]
    fn skips_no_test_after_an_installation() {
        let steps = steps(TestArguments {
            install: true,
            ..PLAIN
        });
        assert_eq!(steps.installations.len(), 3);
        let checks = [Step::ValidateLight, Step::Tests { may_skip: false }];
        assert_eq!(steps.checks, checks);
    }
}
