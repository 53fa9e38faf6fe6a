//! Files that targets render from plans, and commands that start engines.

#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "a test fails that way"
)]

mod convert;
mod dstack;
mod launch;
mod losses;
mod planned;
mod servers;
mod snapshots;
mod strings;
