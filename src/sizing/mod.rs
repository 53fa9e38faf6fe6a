//! Sizing: from what people write to the core's model, run and layout, and back to the contract.

mod answer;
mod model;
mod request;

pub use answer::{FitOut, Fitted, MemoryOut, Part, Sizer, fit, out, unsupported};
pub use model::billions;
pub use request::{Asked, RequestOut, read, spread};
