//! The commands `plan` and `convert`.
#![allow(
    clippy::expect_used,
    clippy::panic,
    clippy::unwrap_used,
    reason = "a test fails that way"
)]

#[path = "../support/mod.rs"]
mod support;

mod candidates;
mod convert;
mod handover;
mod locks;
mod losses;
mod recipes;
mod rendering;
mod strings;
mod words;
