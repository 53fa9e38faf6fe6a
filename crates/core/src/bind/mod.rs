//! Binding: the meaning of a spec in a catalog.
//!
//! A name means a set of candidate accelerators, and every part narrows the set. The result holds
//! the remaining accelerators, their count, and notes on how the name was read. A spec that no
//! accelerator satisfies is an error here, rather than an empty result later.

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
pub use bound::{BoundChoice, Candidate};
pub use filter::AcceleratorFilter;
pub use names::{NameMeaning, Scope, look_up};
pub use vocabulary::form_stem;
