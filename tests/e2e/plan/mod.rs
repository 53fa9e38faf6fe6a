//! `plan` and `convert` from the outside.

mod candidates;
mod convert;
mod handover;
mod locks;
mod recipes;
mod words;
