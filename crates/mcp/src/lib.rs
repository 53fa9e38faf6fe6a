//! A server of the Model Context Protocol, for agents: [`serve`] answers on standard input and output with the means of
//! a [`ServerContext`].
//!
//! `server` implements the protocol; `connection`, `lines` and `output` bound its messages; `tools` lists the tools and
//! answers their calls; `arguments` has the types of arguments, which the input schemas derive from; `pages` truncates
//! long answers; `untrusted` shortens texts of sellers and, with `overlay_texts`, the texts of overlays in sentences.
#![warn(missing_docs)]

mod arguments;
mod connection;
mod context;
#[doc(hidden)]
pub mod fuzzing;
mod lines;
mod output;
mod overlay_texts;
mod pages;
mod schema;
mod server;
mod tools;
mod untrusted;

pub use context::ServerContext;
pub use server::serve;
