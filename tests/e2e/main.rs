//! All tests that run the program, in one binary, so that shared code is compiled and linked once.
//!
//! Tests of this binary run in parallel, in threads of one process or, by nextest, in processes. So no test changes
//! the variables or the working directory of the process, and each test has separate folders and ports.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails that way"
)]

mod bad_input;
mod bill;
#[cfg(unix)]
mod browse;
mod browser;
mod catalog;
mod clouds;
mod commitments;
mod compiled;
#[cfg(unix)]
mod detect;
#[cfg(target_os = "linux")]
mod disk_faults;
mod fit;
mod golden;
mod help;
mod hostile_files;
mod hostile_text;
mod lines;
mod live;
mod many_offers;
mod mcp;
mod mcp_texts;
mod mig;
mod output;
mod overlay;
mod overlay_prices;
mod plan;
mod prices;
mod published;
mod readme;
mod refusals;
#[cfg(unix)]
mod release;
mod resolve;
mod settings;
#[cfg(unix)]
mod shells;
mod shipped;
mod stated;
mod supply_chain;
mod support;
mod surroundings;
mod totals;
mod trust;
mod vendors;
mod web;
mod web_file;
#[cfg(unix)]
mod written_files;
