//! Binding: what a spec means in a catalog.
//!
//! A name stands for candidates; every part narrows them. What is left are the accelerators that
//! may be rented, how many of them, and what to say about the reading. A wish that no
//! accelerator can fulfil is an error here, not an empty answer later.

mod binder;
mod bound;
mod filter;
mod names;
mod narrowing;
mod programmatic;
mod slices;
mod suggestions;
mod vocabulary;

pub use binder::{bind, interpret};
pub use bound::{Candidate, Wanted};
pub use filter::AcceleratorFilter;
pub use names::{NameMeaning, Scope, look_up};
pub use vocabulary::form_stem;
