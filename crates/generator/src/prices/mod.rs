//! The back-test of likely prices: `docs/prices-accuracy.md`, and `cargo xtask prices`.

mod cases;
mod frozen;
mod page;
mod refit;

pub use page::{check, page};
pub use refit::refit;
