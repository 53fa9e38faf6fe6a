//! `plan` and `convert` from the outside.

mod candidates;
mod convert;
mod handover;
mod locks;
mod losses;
mod recipes;
mod rendering;
mod strings;
mod words;
