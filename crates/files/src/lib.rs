//! The files of the program: [`write`](mod@write) is the only code that writes a file, [`inputs`] knows which files a
//! command must not write, [`input`] opens files of unknown origin, and [`private`] opens files that only the user may
//! have written.

mod descriptor;
pub mod input;
pub mod inputs;
pub mod limits;
mod owner;
pub mod private;
mod removal;
mod system;
pub mod temporaries;
pub mod write;

pub use owner::{others_may_read, owner_fault};
pub use removal::remove;
