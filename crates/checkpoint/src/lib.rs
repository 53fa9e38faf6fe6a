//! Reads the shape of a model from its files: `config.json`, safetensors headers, GGUF metadata.
//!
//! Files are untrusted: every length is checked before memory is allocated for it, and only headers are read.
//! [`read_config`] parses a configuration, and [`describe_checkpoint`] derives the shape from it.

#![warn(missing_docs)]

mod config;
mod fields;
mod gguf;
mod json;
mod layers;
mod mlp;
mod parts;
mod quantization;
mod safetensors;
#[cfg(test)]
mod testing;
mod vision;
mod widths;

pub use config::{Description, describe, describe_checkpoint};
pub use fields::ConfigError;
pub use gguf::{GgufError, GgufModel, read_gguf};
pub use json::{MAX_CONFIG_BYTES, MAX_CONFIG_VALUES, read_config};
pub use safetensors::{HeaderError, MAX_HEADER_BYTES, Tensors, read_header};
