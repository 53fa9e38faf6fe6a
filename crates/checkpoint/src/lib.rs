//! The shape of a model, from the files that people have of it.
//!
//! Files are untrusted: every length is checked before memory is taken for it, and nothing is
//! read but headers.

mod config;
mod gguf;
mod safetensors;

pub use config::{ConfigError, Description, describe};
pub use gguf::{GgufError, GgufModel, read_gguf};
pub use safetensors::{HeaderError, Tensors, read_header};
