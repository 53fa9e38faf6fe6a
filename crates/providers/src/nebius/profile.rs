//! The token, the tenant and the project in the variables and files of Nebius' tools.

use super::answers::ID;
use crate::api::key_file_path;
use crate::clock::now;
use crate::credentials::{Environment, yaml_entry_value, yaml_value};
use crate::error::{ErrorKind, ProviderError};

/// The variable with the domain of the API, in place of the profile's.
pub(super) const ENDPOINT_VARIABLE: &str = "NEBIUS_ENDPOINT";
/// The variable with the id of the tenant.
pub(super) const TENANT_VARIABLE: &str = "NEBIUS_TENANT_ID";
/// The variable with the id of the project whose prices are read.
pub(super) const PROJECT_VARIABLE: &str = "NEBIUS_PROJECT_ID";
/// The variable with the name of a profile.
const PROFILE_VARIABLE: &str = "NEBIUS_PROFILE";

/// The configuration of the command line.
const CONFIG_FILE: &str = "~/.nebius/config.yaml";
/// The tokens that the command line got for users.
const TOKENS_FILE: &str = "~/.nebius/credentials.yaml";
/// The file that SkyPilot reads.
const TOKEN_FILE: &str = "~/.nebius/NEBIUS_IAM_TOKEN.txt";
/// The files with keys, which the declaration lists.
pub(super) const FILES: &[&str] = &[CONFIG_FILE, TOKENS_FILE, TOKEN_FILE];

/// The selected profile of the configuration file.
pub(super) struct NebiusProfile {
    name: String,
    config: String,
}

impl NebiusProfile {
    /// Reads the selected profile; `None` without a file or a selected profile.
    fn read(environment: &Environment<'_>) -> Option<Self> {
        let config = file(environment, CONFIG_FILE)?;
        let selected = environment
            .get(PROFILE_VARIABLE)
            .or_else(|| yaml_value(&config, "default"))
            .or_else(|| yaml_value(&config, "current-profile"))?;
        let name = selected.trim().to_owned();
        Some(Self { name, config })
    }

    fn value(&self, key: &str) -> Option<String> {
        yaml_entry_value(&self.config, "profiles", &self.name, key)
    }

    /// Returns the token that the command line got for this profile, unless it has expired.
    fn user_token(&self, environment: &Environment<'_>) -> Option<String> {
        let (endpoint, id) = (
            self.value("federation-endpoint")?,
            self.value("federation-id")?,
        );
        let entry = format!("federation/{endpoint}/{id}/{}", self.name);
        let tokens = file(environment, TOKENS_FILE)?;
        let value = |key| yaml_entry_value(&tokens, "tokens", &entry, key);
        let expires_at = value("expires_at").and_then(|at| at.parse::<i64>().ok());
        // Zero means that it does not expire.
        let is_current = expires_at.is_none_or(|at| at == 0 || at > now());
        value("token").filter(|_| is_current)
    }
}

fn file(environment: &Environment<'_>, name: &str) -> Option<String> {
    environment.text(key_file_path(name, environment))
}

/// Finds the token in the files: the profile's token, otherwise SkyPilot's.
pub(super) fn token(environment: &Environment<'_>) -> Option<String> {
    let profile = NebiusProfile::read(environment);
    let of_profile = profile.and_then(|profile| {
        let in_file = profile.value("token-file").and_then(|path| {
            let path = match path.strip_prefix("~/") {
                Some(rest) => environment.home(rest),
                None => Some(path.into()),
            };
            environment.text(path)
        });
        in_file.or_else(|| profile.user_token(environment))
    });
    of_profile.or_else(|| file(environment, TOKEN_FILE))
}

/// Returns the id of the tenant; `None` if it is not set.
///
/// # Errors
///
/// Fails if it is not an id.
pub(super) fn tenant(environment: &Environment<'_>) -> Result<Option<String>, ProviderError> {
    id(environment, TENANT_VARIABLE, "tenant-id")
}

/// Returns the id of the project; `None` if it is not set.
///
/// # Errors
///
/// Same as [`tenant`].
pub(super) fn project(environment: &Environment<'_>) -> Result<Option<String>, ProviderError> {
    id(environment, PROJECT_VARIABLE, "parent-id")
}

fn id(
    environment: &Environment<'_>,
    variable: &str,
    key: &str,
) -> Result<Option<String>, ProviderError> {
    let set = environment.get(variable);
    let set = set.or_else(|| NebiusProfile::read(environment)?.value(key));
    let Some(set) = set else { return Ok(None) };
    let is_id = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    let set = set.trim();
    if set.is_empty() || set.len() > 128 || !set.bytes().all(is_id) {
        // Another account would answer without it.
        let message = format!("{variable} or the profile's `{key}` is not an id");
        return Err(ProviderError::new(ID, ErrorKind::Permission, message));
    }
    Ok(Some(set.to_owned()))
}

/// Returns the domain of the API that the tools are set to; `None` for the usual domain.
pub(super) fn domain(environment: &Environment<'_>) -> Option<String> {
    let set = environment.get(ENDPOINT_VARIABLE);
    let set = set.or_else(|| NebiusProfile::read(environment)?.value("endpoint"))?;
    Some(set.trim().trim_end_matches(":443").to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFIG: &str = "default: work
profiles:
  home:
    endpoint: api.nebius.cloud
    tenant-id: tenant-home
  work:
    endpoint: api.example.com:443
    auth-type: federation
    federation-endpoint: auth.nebius.com
    federation-id: federation-e00
    parent-id: project-work
    tenant-id: tenant-work
  file:
    token-file: ~/token
";

    fn with<T>(
        variables: &[(&str, &str)],
        tokens: &str,
        find: impl Fn(&Environment<'_>) -> T,
    ) -> T {
        let variable = |name: &str| {
            let home = ("HOME", "/home/me");
            let mut set = variables.iter().chain([&home]);
            let (_, value) = set.find(|(other, _)| *other == name)?;
            Some((*value).to_owned())
        };
        let read = |path: &std::path::Path| {
            let text = match path.to_str()? {
                "/home/me/.nebius/config.yaml" => CONFIG,
                "/home/me/.nebius/credentials.yaml" => tokens,
                "/home/me/.nebius/NEBIUS_IAM_TOKEN.txt" => "skypilots",
                "/home/me/token" => "in-a-file\n",
                _ => return None,
            };
            Some(text.to_owned())
        };
        let (variable, read) = (&variable, &read);
        find(&Environment { variable, read })
    }

    fn tokens(expires_at: i64) -> String {
        format!(
            "tokens:\n  federation/auth.nebius.com/federation-e00/home:\n    token: other\n  \
             federation/auth.nebius.com/federation-e00/work:\n    expires_at: {expires_at}\n    token: users\n"
        )
    }

    #[test]
    fn tokens_are_those_of_the_profile() {
        let token = |variables: &[(&str, &str)], tokens: &str| with(variables, tokens, token);
        let later = tokens(now() + 600);
        assert_eq!(token(&[], &later).as_deref(), Some("users"));
        assert_eq!(token(&[], &tokens(0)).as_deref(), Some("users"));
        // An expired token would only be refused.
        assert_eq!(token(&[], &tokens(now() - 1)).as_deref(), Some("skypilots"));
        let in_file = [(PROFILE_VARIABLE, "file")];
        assert_eq!(token(&in_file, &later).as_deref(), Some("in-a-file"));
        let unknown = [(PROFILE_VARIABLE, "none")];
        assert_eq!(token(&unknown, &later).as_deref(), Some("skypilots"));
    }

    #[test]
    fn tenant_project_and_domain_are_settings_of_the_profile() {
        let settings = |variables: &[(&str, &str)]| {
            let find = |environment: &Environment<'_>| {
                [
                    tenant(environment).unwrap(),
                    project(environment).unwrap(),
                    domain(environment),
                ]
            };
            with(variables, "", find).map(Option::unwrap_or_default)
        };
        assert_eq!(
            settings(&[]),
            ["tenant-work", "project-work", "api.example.com"]
        );
        let other = [(PROFILE_VARIABLE, "home"), (PROJECT_VARIABLE, "project-x")];
        assert_eq!(
            settings(&other),
            ["tenant-home", "project-x", "api.nebius.cloud"]
        );
        let moved = [(ENDPOINT_VARIABLE, "a.b")];
        assert_eq!(settings(&moved), ["tenant-work", "project-work", "a.b"]);
        // The answer for the tenant of the profile would be wrong.
        let bad = [(TENANT_VARIABLE, "tenant/../x")];
        assert!(with(&bad, "", tenant).is_err());
    }
}
