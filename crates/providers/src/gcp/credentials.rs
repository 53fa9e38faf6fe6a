//! Credentials and the project, as Google's own tools find them.

use std::path::PathBuf;

use serde::Deserialize;

use super::names::{
    FILE_VARIABLE, ID, PROJECT_VARIABLE, QUOTA_PROJECT_VARIABLE, TOKEN_FILE_VARIABLE,
    TOKEN_VARIABLE,
};
use crate::credentials::{Environment, is_header_safe};
use crate::error::{ErrorKind, ProviderError};
use crate::json::{LongText, Maybe};
use crate::secret::Secrets;

/// The variable with the folder of gcloud's settings.
pub(super) const FOLDER_VARIABLE: &str = "CLOUDSDK_CONFIG";
/// The variable with gcloud's project.
const GCLOUD_PROJECT_VARIABLE: &str = "CLOUDSDK_CORE_PROJECT";
const DEFAULT_FOLDER: &str = ".config/gcloud";
const FILE_NAME: &str = "application_default_credentials.json";
/// The token server of Google, and its older addresses, which old files name.
pub(super) const TOKEN_URL: &str = "https://oauth2.googleapis.com/token";
const OLD_TOKEN_URLS: &[&str] = &[
    "https://accounts.google.com/o/oauth2/token",
    "https://www.googleapis.com/oauth2/v4/token",
];
const TOKEN_COMMAND: &str = "`gcloud auth print-access-token`";

/// The credentials of an account, and the project that its requests are for.
pub(super) struct GoogleAccount {
    pub login: GoogleLogin,
    pub project: String,
    /// The project that pays for the requests of a user; `None` for the default.
    pub quota_project: Option<String>,
    /// The address of the token server.
    pub token_url: String,
}

/// The way to an access token.
pub(super) enum GoogleLogin {
    /// The user has an access token already.
    Token(String),
    /// The login of a user, which `gcloud auth application-default login` writes.
    User {
        client_id: String,
        client_secret: String,
        refresh_token: String,
    },
    /// The key of a service account.
    Service {
        email: String,
        key_id: Option<String>,
        private_key: String,
        /// The address of the token server, which the key's signature is for.
        audience: String,
    },
}

/// The parts of a credentials file.
#[derive(Default, Deserialize)]
#[serde(default)]
struct CredentialsFile {
    #[serde(rename = "type")]
    kind: Maybe<String>,
    project_id: Maybe<String>,
    quota_project_id: Maybe<String>,
    client_id: Maybe<String>,
    client_secret: Maybe<LongText>,
    refresh_token: Maybe<LongText>,
    client_email: Maybe<String>,
    private_key_id: Maybe<String>,
    private_key: Maybe<LongText>,
    token_uri: Maybe<LongText>,
}

impl GoogleAccount {
    /// Finds the credentials: an access token in gcloud's variables, otherwise the application default
    /// credentials. `server` is the address that replaces all of Google's, if there is one.
    ///
    /// # Errors
    ///
    /// Fails with [`ErrorKind::CredentialsMissing`] without usable credentials or without a project,
    /// and with [`ErrorKind::CredentialsRefused`] if a file names a token server that is not
    /// Google's.
    pub(super) fn find(
        environment: &Environment<'_>,
        server: Option<&str>,
    ) -> Result<Self, ProviderError> {
        let token = environment.get(TOKEN_VARIABLE).or_else(|| {
            let file = environment.get(TOKEN_FILE_VARIABLE)?;
            environment.text(Some(file.into()))
        });
        let found = match token {
            Some(token) => {
                let token = token.trim().to_owned();
                if !is_header_safe(&token) {
                    let message = format!("{TOKEN_VARIABLE} is not an access token");
                    let error = ProviderError::new(ID, ErrorKind::CredentialsRefused, message);
                    return Err(error.hint(format!("set it to the output of {TOKEN_COMMAND}")));
                }
                FoundInFile {
                    login: GoogleLogin::Token(token),
                    project: None,
                    quota_project: None,
                    token_url: TOKEN_URL.to_owned(),
                }
            }
            None => from_file(environment, server)?,
        };
        let quota_project = environment.get(QUOTA_PROJECT_VARIABLE);
        let quota_project = quota_project.or(found.quota_project);
        let project = environment
            .get(PROJECT_VARIABLE)
            .or_else(|| environment.get(GCLOUD_PROJECT_VARIABLE))
            .map(|project| project.trim().to_owned())
            .or(found.project)
            .or_else(|| quota_project.clone());
        let Some(project) = project else {
            let message = format!("no project: set {PROJECT_VARIABLE}");
            return Err(ProviderError::new(
                ID,
                ErrorKind::CredentialsMissing,
                message,
            ));
        };
        if !is_project(&project) {
            let message = format!("{PROJECT_VARIABLE} is not the id of a project: {project}");
            let error = ProviderError::new(ID, ErrorKind::CredentialsMissing, message);
            return Err(error.hint("`gcloud projects list` lists the ids"));
        }
        Ok(Self {
            login: found.login,
            project,
            quota_project: quota_project.filter(|id| is_project(id)),
            token_url: found.token_url,
        })
    }

    /// Returns the secrets of the credentials.
    pub(super) fn secrets(&self) -> Secrets {
        match &self.login {
            GoogleLogin::Token(token) => Secrets::new([token.as_str()]),
            GoogleLogin::User {
                client_secret,
                refresh_token,
                ..
            } => Secrets::new([client_secret.as_str(), refresh_token.as_str()]),
            GoogleLogin::Service { private_key, .. } => Secrets::new([private_key.as_str()]),
        }
    }

    /// Returns the part of the cache key that differs between accounts.
    pub(super) fn identity(&self) -> String {
        let who = match &self.login {
            GoogleLogin::Token(token) => token,
            GoogleLogin::User { refresh_token, .. } => refresh_token,
            GoogleLogin::Service { email, .. } => email,
        };
        format!("{} {who}", self.project)
    }
}

/// Returns true for an id or a number of a project, which a path can contain.
fn is_project(text: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"-.:_".contains(&byte);
    !text.is_empty()
        && text.len() <= 100
        && text.bytes().all(fits)
        && text.bytes().any(|byte| byte.is_ascii_alphanumeric())
}

/// The credentials in a file or a variable.
struct FoundInFile {
    login: GoogleLogin,
    project: Option<String>,
    quota_project: Option<String>,
    token_url: String,
}

/// Returns the application default credentials.
fn from_file(
    environment: &Environment<'_>,
    server: Option<&str>,
) -> Result<FoundInFile, ProviderError> {
    let named = environment.get(FILE_VARIABLE).map(PathBuf::from);
    let is_named = named.is_some();
    let path = named.or_else(|| match environment.get(FOLDER_VARIABLE) {
        Some(folder) => Some(PathBuf::from(folder).join(FILE_NAME)),
        None if cfg!(windows) => {
            let folder = environment.get("APPDATA").map(PathBuf::from);
            folder.map(|folder| folder.join("gcloud").join(FILE_NAME))
        }
        None => environment.home(&format!("{DEFAULT_FOLDER}/{FILE_NAME}")),
    });
    let Some(text) = environment.text(path.clone()) else {
        return Err(match path {
            Some(path) if is_named => {
                let message = format!("{FILE_VARIABLE} names {}", path.display());
                missing(&format!("{message}, which cannot be read or is empty"))
            }
            _ => missing("no credentials"),
        });
    };
    let place = path.unwrap_or_default();
    let place = place.display();
    let Ok(file) = serde_json::from_str::<CredentialsFile>(&text) else {
        return Err(missing(&format!("{place} is not a credentials file")));
    };
    let named_server = file.token_uri.0.as_ref().map(|uri| uri.0.as_str());
    let lacks = |field: &str| missing(&format!("{place} has no `{field}`"));
    let kind = file.kind.0.unwrap_or_default();
    let login = match kind.as_str() {
        "authorized_user" => GoogleLogin::User {
            client_id: file.client_id.0.ok_or_else(|| lacks("client_id"))?,
            client_secret: file
                .client_secret
                .0
                .ok_or_else(|| lacks("client_secret"))?
                .0,
            refresh_token: file
                .refresh_token
                .0
                .ok_or_else(|| lacks("refresh_token"))?
                .0,
        },
        "service_account" => GoogleLogin::Service {
            email: file.client_email.0.ok_or_else(|| lacks("client_email"))?,
            key_id: file.private_key_id.0,
            private_key: file.private_key.0.ok_or_else(|| lacks("private_key"))?.0,
            audience: named_server.unwrap_or(TOKEN_URL).to_owned(),
        },
        // These exchange a token at an address in the file, or run a program.
        other => {
            let message = format!("{place} has credentials of type {other:?}");
            return Err(missing(&format!(
                "{message}: only authorized_user and service_account are supported"
            )));
        }
    };
    let is_theirs = |uri: &&str| is_same_server(uri, server);
    if named_server.is_some_and(|uri| !is_google(uri) && !is_same_server(uri, server)) {
        let message = format!("{place} names a token server that is not Google's");
        return Err(
            ProviderError::new(ID, ErrorKind::CredentialsRefused, message).hint(format!(
                "nothing is sent to it: `token_uri` must be {TOKEN_URL}"
            )),
        );
    }
    let token_url = match (server, named_server.filter(is_theirs)) {
        (Some(_), Some(uri)) => uri.to_owned(),
        (Some(server), None) => format!("{server}/token"),
        (None, _) => TOKEN_URL.to_owned(),
    };
    Ok(FoundInFile {
        login,
        project: file.project_id.0,
        quota_project: file.quota_project_id.0,
        token_url,
    })
}

/// Returns true for the addresses of Google's token server.
fn is_google(uri: &str) -> bool {
    uri == TOKEN_URL || OLD_TOKEN_URLS.contains(&uri)
}

/// Returns true for an address on the server that replaces Google's.
fn is_same_server(uri: &str, server: Option<&str>) -> bool {
    let origin = |text: &str| url::Url::parse(text).ok().map(|url| url.origin());
    server.is_some_and(|server| {
        let theirs = origin(uri);
        theirs.is_some() && theirs == origin(server)
    })
}

fn missing(message: &str) -> ProviderError {
    ProviderError::new(ID, ErrorKind::CredentialsMissing, message).hint(format!(
        "run `gcloud auth application-default login`, name a file in {FILE_VARIABLE}, or set \
         {TOKEN_VARIABLE} to the output of {TOKEN_COMMAND}; instance metadata is not asked"
    ))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const FILE: &str = "/home/me/.config/gcloud/application_default_credentials.json";

    fn find(
        variables: &[(&str, &str)],
        files: &[(&str, serde_json::Value)],
    ) -> Result<GoogleAccount, ProviderError> {
        let variable = |name: &str| {
            let mut all = variables.iter().copied().chain([("HOME", "/home/me")]);
            all.find(|(other, _)| *other == name)
                .map(|(_, value)| value.to_owned())
        };
        let read = |path: &std::path::Path| {
            let mut all = files.iter();
            all.find(|(other, _)| std::path::Path::new(other) == path)
                .map(|(_, value)| value.to_string())
        };
        let environment = Environment {
            variable: &variable,
            read: &read,
        };
        GoogleAccount::find(&environment, None)
    }

    fn user() -> serde_json::Value {
        json!({"type": "authorized_user", "client_id": "id", "client_secret": "0123456789",
            "refresh_token": "1//refresh", "quota_project_id": "pays"})
    }

    fn service(token_uri: &str) -> serde_json::Value {
        json!({"type": "service_account", "project_id": "of-file", "client_email": "a@b.example",
            "private_key_id": "k", "private_key": "-----BEGIN", "token_uri": token_uri})
    }

    fn message<T>(found: Result<T, ProviderError>) -> (ErrorKind, String) {
        let error = found.err().expect("an error");
        (error.kind, error.message)
    }

    #[test]
    fn credentials_are_found_in_the_order_of_the_tools() {
        let project = (PROJECT_VARIABLE, "mine");
        let all = [(FILE, user()), ("/key.json", service(TOKEN_URL))];
        let found = find(&[(TOKEN_VARIABLE, " ya29.x \n"), project], &all).unwrap();
        assert!(matches!(&found.login, GoogleLogin::Token(token) if token == "ya29.x"));
        assert_eq!(found.project, "mine");
        let found = find(&[(FILE_VARIABLE, "/key.json")], &all).unwrap();
        assert!(
            matches!(&found.login, GoogleLogin::Service { email, .. } if email == "a@b.example")
        );
        assert_eq!((&*found.project, found.quota_project), ("of-file", None));
        let found = find(&[], &all).unwrap();
        assert!(matches!(found.login, GoogleLogin::User { .. }));
        assert_eq!(found.quota_project.as_deref(), Some("pays"));
        assert_eq!(found.project, "pays");
        let found = find(&[(QUOTA_PROJECT_VARIABLE, "other")], &all).unwrap();
        assert_eq!(found.quota_project.as_deref(), Some("other"));
        let found = find(&[(GCLOUD_PROJECT_VARIABLE, "other")], &all).unwrap();
        assert_eq!(found.project, "other");
        let moved = [("/etc/gcloud/application_default_credentials.json", user())];
        assert!(find(&[(FOLDER_VARIABLE, "/etc/gcloud")], &moved).is_ok());
        assert!(find(&[], &moved).is_err());
    }

    #[test]
    fn a_foreign_token_server_gets_nothing() {
        for uri in [
            "https://evil.example/token",
            "http://oauth2.googleapis.com/token",
            "https://oauth2.googleapis.com.evil.example/token",
            "https://oauth2.googleapis.com@evil.example/token",
            "not an address",
        ] {
            for file in [service(uri), {
                let mut file = user();
                file["token_uri"] = json!(uri);
                file
            }] {
                let project = (PROJECT_VARIABLE, "mine");
                let (kind, message) = message(find(&[project], &[(FILE, file)]));
                assert_eq!(kind, ErrorKind::CredentialsRefused, "{uri}");
                assert!(message.contains("that is not Google's"), "{message}");
            }
        }
        assert!(is_google(OLD_TOKEN_URLS[0]));
        let replaced = Some("http://127.0.0.1:9/gcp");
        assert!(is_same_server("http://127.0.0.1:9/token", replaced));
        assert!(!is_same_server("http://127.0.0.1:10/token", replaced));
        assert!(!is_same_server("nonsense", Some("nonsense")));
    }

    #[test]
    fn unusable_credentials_are_explained() {
        let file = |value: serde_json::Value| message(find(&[], &[(FILE, value)])).1;
        let external = file(json!({"type": "external_account", "credential_source": {}}));
        assert!(external.contains("\"external_account\""), "{external}");
        assert!(file(json!({"type": "authorized_user"})).contains("`client_id`"));
        assert!(file(json!("text")).contains("not a credentials file"));
        let (kind, text) = message(find(&[(FILE_VARIABLE, "/none.json")], &[]));
        assert_eq!(kind, ErrorKind::CredentialsMissing);
        assert!(text.contains("/none.json"), "{text}");
        assert!(message(find(&[], &[])).1.contains("no credentials"));
        let token = (TOKEN_VARIABLE, "ya29.x");
        assert!(message(find(&[token], &[])).1.contains("no project"));
        for project in ["../x", "a/b", "a b", "a?b", "."] {
            let found = find(&[token, (PROJECT_VARIABLE, project)], &[]);
            assert!(message(found).1.contains("not the id"), "{project}");
        }
    }
}
