//! The model of a request, before it is looked up.

use std::path::Path;

use serde_json::{Map, Value};

use super::model_size::ModelSize;

/// The hosts of the hub's pages.
const HUB_HOSTS: [&str; 2] = ["huggingface.co/", "hf.co/"];

/// Removes the address of the hub from the address of a model's page: engines load `organization/name`.
pub(super) fn without_hub_address(name: &str) -> &str {
    let address = name
        .strip_prefix("https://")
        .or_else(|| name.strip_prefix("http://"))
        .unwrap_or(name);
    let mut hosts = HUB_HOSTS.iter();
    let Some(path) = hosts.find_map(|host| address.strip_prefix(host)) else {
        return name;
    };
    let path = path.split(['?', '#']).next().unwrap_or(path);
    // The pages of files and branches follow the name of the model.
    let end = path
        .match_indices('/')
        .nth(1)
        .map_or(path.len(), |(at, _)| at);
    &path[..end]
}

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

#[cfg(test)]
mod tests {
    use super::{ModelSource, without_hub_address};
    use crate::sizing::RunRequest;

    #[test]
    fn the_address_of_a_page_is_the_name_of_its_model() {
        for address in [
            "https://huggingface.co/Qwen/Qwen3-8B",
            "https://huggingface.co/Qwen/Qwen3-8B/tree/main",
            "http://hf.co/Qwen/Qwen3-8B/",
            "hf.co/Qwen/Qwen3-8B?library=vllm",
            "Qwen/Qwen3-8B",
        ] {
            assert_eq!(without_hub_address(address), "Qwen/Qwen3-8B");
            let run = RunRequest {
                model: Some(ModelSource::read(address)),
                ..RunRequest::default()
            };
            let catalog = crate::Engine::embedded().catalog();
            let work = crate::sizing::read(&catalog, &run, None).unwrap();
            assert_eq!(work.model.checkpoint.as_deref(), Some("Qwen/Qwen3-8B"));
        }
        assert_eq!(
            without_hub_address("./hf.co/config.json"),
            "./hf.co/config.json"
        );
    }
}
