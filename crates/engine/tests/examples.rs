//! Runs the examples of the crate documentation.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test fails that way"
)]

use std::process::Command;

use sky_accel_standin::{Shop, Standin};

macro_rules! program {
    ($name:ident, $file:literal) => {
        mod $name {
            include!($file);

            pub fn run() {
                main().expect("the example");
            }
        }
    };
}

program!(live, "../examples/live.rs");
program!(recommend, "../examples/recommend.rs");
program!(resolve, "../examples/resolve.rs");

/// Set in the child process that queries the stand-in: a test must not change its environment.
const CHILD: &str = "SKY_ACCEL_TEST_CHILD";

#[test]
fn resolve_example() {
    resolve::run();
}

#[test]
fn recommend_example() {
    recommend::run();
}

#[test]
fn live_example() {
    if std::env::var_os(CHILD).is_some() {
        live::run();
        return;
    }
    let standin = Standin::with(Shop::default());
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "live_example", "--nocapture"])
        .env(CHILD, "1")
        .envs(standin.environment())
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{output:?}");
    assert!(text.contains("1H100.80S.30V: Available"), "{text}");
}
