//! Everything that continuous integration runs, in the release profile. The program is built once: the light checks of
//! plan targets use the program that the tests run.

use std::process::{Command, Stdio};
use std::thread;

use anyhow::{Context as _, Result};

use crate::arguments::{TestArguments, ValidateArguments};
use crate::paths::{WEB_PAGE, WEB_PAGE_VARIABLE, root, target_folder};
use crate::process::{self, cargo};
use crate::{install, validate, web};

/// The variable that makes tests fail instead of skip when a program is missing. It is set after an
/// installation.
const REQUIRE_TOOLS: &str = "SKY_ACCEL_REQUIRE_TOOLS";

/// A part of a test run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TestStep {
    Format,
    Lint,
    /// Installs packages on the machine.
    InstallPrograms,
    /// Writes `target/vendors`.
    InstallVendors,
    /// Writes `target/engines`.
    InstallChecks,
    BuildTests,
    ValidateLight,
    /// The scripts of the page of questions, in Node.
    PageScripts,
    /// Writes `target/web`.
    WebModule,
    Tests {
        may_skip: bool,
    },
}

/// The parts of a test run, each list sorted by execution.
#[derive(Debug, PartialEq, Eq)]
struct TestSteps {
    builds: Vec<TestStep>,
    /// They run in parallel with the builds, and mostly wait for the network.
    installations: Vec<TestStep>,
    /// They run last.
    checks: Vec<TestStep>,
}

fn steps(arguments: TestArguments) -> TestSteps {
    let TestArguments { lint, install, .. } = arguments;
    let wanted = |is_wanted: bool, steps: &[TestStep]| -> Vec<TestStep> {
        if is_wanted { steps } else { &[] }.to_vec()
    };
    let mut builds = wanted(lint, &[TestStep::Format, TestStep::Lint]);
    builds.push(TestStep::BuildTests);
    TestSteps {
        builds,
        installations: wanted(
            install,
            &[
                TestStep::InstallPrograms,
                TestStep::InstallVendors,
                TestStep::InstallChecks,
            ],
        ),
        checks: vec![
            TestStep::ValidateLight,
            TestStep::PageScripts,
            TestStep::WebModule,
            TestStep::Tests { may_skip: !install },
        ],
    }
}

/// Runs all tests.
///
/// # Errors
///
/// Fails with the first failed step and skips the steps after it.
pub fn test(arguments: TestArguments) -> Result<()> {
    let steps = steps(arguments);
    let has_nextest = has_nextest();
    let run_all = |steps: &[TestStep]| -> Result<()> {
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

/// Returns whether `cargo nextest` is installed.
fn has_nextest() -> bool {
    let mut command = Command::new("cargo");
    command
        .args(["nextest", "--version"])
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

fn run(step: TestStep, no_aws: bool, has_nextest: bool) -> Result<()> {
    match step {
        TestStep::Format => cargo(&["fmt", "--all", "--check"], &[]),
        TestStep::Lint => {
            let lint = [&["clippy", "--release", "--all-targets"], packages(no_aws)].concat();
            cargo(&[&lint[..], &["--", "-D", "warnings"]].concat(), &[])
        }
        TestStep::InstallPrograms => install::programs(),
        TestStep::InstallVendors => install::vendors(),
        TestStep::InstallChecks => validate::install_light(),
        TestStep::BuildTests => {
            let build = [&["test", "--no-run", "--release"], packages(no_aws)].concat();
            cargo(&build, &[])
        }
        TestStep::ValidateLight => {
            let arguments = ValidateArguments {
                light: true,
                install: false,
                no_aws,
            };
            validate::validate(arguments, Some(target_folder().join("release/sky-accel")))
        }
        TestStep::PageScripts => page_scripts(),
        TestStep::WebModule => web::test(&target_folder().join("release/sky-accel")),
        TestStep::Tests { may_skip } => {
            let runner: &[&str] = if has_nextest {
                &["nextest", "run", "--no-fail-fast", "--release"]
            } else {
                &["test", "--no-fail-fast", "--release"]
            };
            let page = target_folder().join(WEB_PAGE);
            let page_text = page.to_string_lossy();
            let mut environment = Vec::new();
            if !may_skip {
                environment.push((REQUIRE_TOOLS, "1"));
            }
            if page.is_file() {
                environment.push((WEB_PAGE_VARIABLE, &page_text));
            }
            cargo(&[runner, packages(no_aws)].concat(), &environment)
        }
    }
}

/// Runs the tests of the page's scripts, where Node is installed.
#[expect(clippy::print_stderr, reason = "a skipped test must be seen")]
fn page_scripts() -> Result<()> {
    let Some(node) = process::find("node") else {
        eprintln!("skipped: the tests of the page's scripts, because Node is missing");
        return Ok(());
    };
    process::run(
        Command::new(node)
            .args(["--test", "test/"])
            .current_dir(root().join("web")),
    )
}

/// Returns the arguments of cargo that select the packages to build.
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
            assert_eq!(steps.builds.contains(&TestStep::Lint), lint);
            assert_eq!(steps.builds.last(), Some(&TestStep::BuildTests));
            let checks = [
                TestStep::ValidateLight,
                TestStep::PageScripts,
                TestStep::WebModule,
                TestStep::Tests { may_skip: true },
            ];
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
        let checks = [
            TestStep::ValidateLight,
            TestStep::PageScripts,
            TestStep::WebModule,
            TestStep::Tests { may_skip: false },
        ];
        assert_eq!(steps.checks, checks);
    }
}
