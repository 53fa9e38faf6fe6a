//! Small files of models from Hugging Face or a compatible hub: the configuration, the quantization
//! and the index of the weights.

use http::StatusCode;

use crate::bearer::Bearer;
use crate::context::Context;
use crate::credentials::Environment;
use crate::error::{ErrorKind, ProviderError};
use crate::read_call::ReadCall;

const ID: &str = "huggingface";
const BASE_URL: &str = "https://huggingface.co";
const TOKEN_VARIABLE: &str = "HF_TOKEN";
const TOKEN_FILE: &str = ".cache/huggingface/token";
/// A configuration is small; an index has a line for each tensor.
const MAX_BODY: usize = 16 << 20;
const MAX_NAME: usize = 200;

/// A model hub, with or without an account.
#[derive(Debug)]
pub struct Hub {
    base_url: String,
    bearer: Bearer,
}

/// The raw bytes of a model's files on a hub, at most 16 MiB each.
#[derive(Clone, Debug)]
pub struct HubFiles {
    /// The contents of `config.json`.
    pub config: Vec<u8>,
    /// The contents of `model.safetensors.index.json`; `None` if the weights are in one file.
    pub index: Option<Vec<u8>>,
    /// The contents of `hf_quant_config.json`, which NVIDIA ModelOpt writes; `None` if there is
    /// none.
    pub quantization: Option<Vec<u8>>,
}

/// Returns true for `organization/name`, with or without `@revision`, as a hub accepts it.
pub fn is_hub_name(text: &str) -> bool {
    let (name, revision) = text.split_once('@').unwrap_or((text, "main"));
    let is_part = |part: &str| {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        !part.is_empty() && !part.starts_with('.') && part.bytes().all(fits)
    };
    let parts: Vec<&str> = name.split('/').collect();
    text.len() <= MAX_NAME
        && parts.len() == 2
        && parts.iter().all(|part| is_part(part))
        && is_part(revision)
}

impl Hub {
    /// The id of the hub in errors.
    pub const ID: &str = ID;

    /// The variable with the URL of the hub.
    pub const URL_VARIABLE: &str = "HF_ENDPOINT";

    /// The variables that lead to a token.
    pub const KEY_VARIABLES: [&str; 1] = [TOKEN_VARIABLE];

    /// Creates a hub at the URL in `HF_ENDPOINT`, by default Hugging Face, with the token in
    /// `HF_TOKEN` or in the token file if there is one.
    ///
    /// # Errors
    ///
    /// Fails with [`ErrorKind::Network`] if `HF_ENDPOINT` is not an HTTP URL.
    pub fn from_environment(environment: &Environment<'_>) -> Result<Self, ProviderError> {
        let token = environment
            .get(TOKEN_VARIABLE)
            .or_else(|| environment.text(environment.home(TOKEN_FILE)));
        let base_url = environment.base_url(ID, Self::URL_VARIABLE, BASE_URL)?;
        let bearer = token.as_deref().and_then(Bearer::new).unwrap_or_default();
        Ok(Self {
            bearer: bearer.with_password_of(&base_url),
            base_url,
        })
    }

    /// Returns the files of a model, `organization/name` or `organization/name@revision`.
    ///
    /// # Errors
    ///
    /// Fails with [`ErrorKind::Protocol`] if `model` is not such a name or the hub has no
    /// `config.json` for it, and with [`ErrorKind::CredentialsRefused`] if its license must be
    /// accepted first. Other errors are those of any request: no connection, a timeout, too many
    /// requests, a failure of the hub.
    pub async fn files(
        &self,
        model: &str,
        context: &Context<'_>,
    ) -> Result<HubFiles, ProviderError> {
        if !is_hub_name(model) {
            let message =
                "expected a model such as organization/name or organization/name@revision";
            return Err(ProviderError::new(ID, ErrorKind::Protocol, message));
        }
        let config = self.file(model, "config.json", context).await?;
        let Some(config) = config else {
            let message = format!("no model {model} with a config.json");
            return Err(ProviderError::new(ID, ErrorKind::Protocol, message)
                .hint("gated models are hidden without HF_TOKEN"));
        };
        let index = self
            .file(model, "model.safetensors.index.json", context)
            .await?;
        let quantization = self.file(model, "hf_quant_config.json", context).await?;
        Ok(HubFiles {
            config,
            index,
            quantization,
        })
    }

    /// Returns the contents of a file; `None` if it does not exist.
    async fn file(
        &self,
        model: &str,
        file: &str,
        context: &Context<'_>,
    ) -> Result<Option<Vec<u8>>, ProviderError> {
        let (name, revision) = model.split_once('@').unwrap_or((model, "main"));
        let operation = format!("reading {file} of {name}");
        let call = ReadCall {
            provider: ID,
            operation: &operation,
            secrets: self.bearer.secrets(),
            max_body: MAX_BODY,
            pace: None,
            explain: &|status, _| explain(status, model),
        };
        let url = format!("{}/{name}/raw/{revision}/{file}", self.base_url);
        let answer = context
            .read(&call, |client| self.bearer.sign(client.get(&url)))
            .await;
        match answer {
            Ok(reply) => Ok(Some(reply.body)),
            Err(error) if error.kind == ErrorKind::NotCached => Ok(None),
            Err(error) => Err(error),
        }
    }
}

fn explain(status: StatusCode, model: &str) -> Option<ProviderError> {
    match status.as_u16() {
        // `Hub::file` converts this kind to a missing file.
        404 => Some(ProviderError::new(
            ID,
            ErrorKind::NotCached,
            "there is no such file",
        )),
        401 | 403 => {
            let message =
                format!("{model} is gated: accept its license on the hub, and set HF_TOKEN");
            Some(ProviderError::new(
                ID,
                ErrorKind::CredentialsRefused,
                message,
            ))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Hub, HubFiles, is_hub_name};
    use crate::bearer::Bearer;
    use crate::error::ProviderError;
    use crate::testing::{run, serve};

    /// Reads the files of `org/model` from a local hub with these files.
    fn files_of(files: &'static [(&str, &str)]) -> Result<HubFiles, ProviderError> {
        let base_url = serve(|path| {
            let name = path.strip_prefix("/org/model/raw/main/");
            let found = files.iter().find(|(file, _)| Some(*file) == name);
            let (status, body) = found.map_or(("404 Not Found", ""), |(_, body)| ("200 OK", body));
            let length = body.len();
            format!("{status}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}")
        });
        let hub = Hub {
            base_url,
            bearer: Bearer::default(),
        };
        run(super::ID, async |context| {
            hub.files("org/model", context).await
        })
    }

    #[test]
    fn reads_optional_files_if_they_exist() {
        let found = files_of(&[
            ("config.json", "{}"),
            ("model.safetensors.index.json", "[]"),
            ("hf_quant_config.json", "{\"quantization\": {}}"),
        ]);
        let found = found.unwrap();
        assert_eq!(found.config, b"{}");
        assert_eq!(found.index.as_deref(), Some(b"[]".as_slice()));
        let quantization = b"{\"quantization\": {}}".as_slice();
        assert_eq!(found.quantization.as_deref(), Some(quantization));

        let found = files_of(&[("config.json", "{}")]).unwrap();
        assert_eq!((found.index, found.quantization), (None, None));
    }

    #[test]
    fn rejects_names_that_leave_the_path() {
        for good in [
            "Qwen/Qwen3-8B",
            "a/b.c_d",
            "org/name@refs-1",
            "o/n@0123abcd",
        ] {
            assert!(is_hub_name(good), "{good}");
        }
        for bad in [
            "", "a", "a/b/c", "../b", "a/..", "a/b?x", "a/b#", "a b/c", "a/b@../x", "a/b@", "a/%2e",
        ] {
            assert!(!is_hub_name(bad), "{bad}");
        }
    }
}
