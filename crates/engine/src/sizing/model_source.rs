//! The model of a request, before it is looked up.

use std::path::Path;

use serde_json::{Map, Value};

use super::model_size::ModelSize;

/// The model of a request.
#[derive(Clone, Debug, PartialEq)]
pub enum ModelSource {
    /// A name of the catalog, a file, a folder, or `hf:organization/name`.
    Name(String),
    /// The fields of a `config.json`.
    Config(Map<String, Value>),
    /// A number of parameters: the shape is typical of recent models of that size.
    Size(ModelSize),
}

impl ModelSource {
    /// Reads a word: a size such as `13B`, unless a file or folder has that name, else a name or path.
    pub fn read(word: &str) -> Self {
        match ModelSize::parse(word) {
            Ok(size) if !Path::new(word).exists() => Self::Size(size),
            _ => Self::Name(word.to_owned()),
        }
    }
}
