//! The schema of catalog files, their checks, and the compiler that turns them into tables.
//!
//! The build script, overlays and `catalog verify` use the same code: [`compile()`] reads
//! [`Source`]s part by part and returns [`Tables`]. The build script writes their bytes to a file that the
//! program includes.

mod bounds;
mod committed;
mod compile;
mod csv;
mod diagnostic;
mod diff;
mod facts;
#[cfg(test)]
mod fixture;
mod lint;
mod overlay;
mod parallel;
mod replace;
mod rows;
mod schema;
mod shape_text;
mod source;
mod tables;
pub mod token_csv;
mod toml_file;

pub use compile::compile;
pub use diagnostic::Diagnostic;
pub use diff::{Change, OfferKey, diff, diff_facts, diff_offers, overrides};
pub use lint::{UsualPrices, Warning, WarningKind, lint, warnings};
pub use overlay::{Fresh, LeftOut, Origin, Precedence, overlay, overlay_of_published};
pub use replace::FreshOffer;
pub use schema::Layer;
pub use shape_text::{shape_lines, shape_tables};
pub use source::Source;
pub use tables::Tables;
