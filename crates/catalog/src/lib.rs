//! The catalog's TOML: its schema, its checks, and the tables that are compiled from it.
//!
//! The build script, overlays and `catalog verify` use the same code: [`parse()`], then
//! [`compile()`], which returns [`Tables`]. The build script writes their bytes to a file that the
//! program includes.

mod bounds;
mod compile;
mod diagnostic;
mod diff;
mod facts;
mod lint;
mod overlay;
mod replace;
mod schema;
mod tables;

pub use compile::compile;
pub use diagnostic::Diagnostic;
pub use diff::{Change, ChangeKind, diff};
pub use lint::lint;
pub use overlay::{Fresh, Origin, overlay};
pub use replace::FreshOffer;
pub use schema::{Document, Layer, MAX_VALUES, count_values, parse};
pub use tables::Tables;
