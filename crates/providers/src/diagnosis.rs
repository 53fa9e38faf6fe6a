//! The state of the credentials of a provider, by the variables and files of this machine.
//!
//! A diagnosis names variables and files, and never has a value.

use std::path::Path;

use crate::api::ProviderApi;
use crate::credentials::{Environment, is_header_safe};

/// The start of a private key in a variable, which has several lines and is in no header.
const PEM: &str = "-----BEGIN ";

/// The credentials of a provider as this machine has them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Diagnosis {
    /// The variables and files that have credentials or refer to them.
    pub sources: Vec<KeySource>,
    /// The faults that make credentials unusable, as sentences without a period.
    pub faults: Vec<String>,
    /// The remarks on usable credentials, as sentences without a period.
    pub warnings: Vec<String>,
    /// The variables that replace the provider's servers.
    pub overrides: Vec<String>,
    /// True if a source has a key or leads to it, and no fault makes it unusable.
    pub is_usable: bool,
}

/// A source of credentials.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeySource {
    /// The name of a variable.
    Variable(&'static str),
    /// A file of the provider's tools, such as `~/.verda/credentials`, or the variable that names it.
    File(&'static str),
}

/// A file that may have credentials.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeyFileFacts {
    /// The state of the file.
    pub state: KeyFileState,
    /// True if other users may read the file.
    pub is_shared: bool,
}

/// The state of a file that may have credentials.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyFileState {
    /// There is no such file.
    Missing,
    /// The file cannot be read, for this reason.
    Unreadable(String),
    /// The file has no text.
    Empty,
    /// The file has text.
    Text,
}

/// Examines the variables and files of a provider. `look` returns the state of a file.
pub fn diagnose(
    api: &ProviderApi,
    environment: &Environment<'_>,
    look: &dyn Fn(&Path) -> KeyFileFacts,
) -> Diagnosis {
    let mut found = Diagnosis::default();
    for name in api.account_variables.iter().chain(api.secret_variables) {
        found.add_variable(name, environment);
    }
    for name in api.key_file_variables {
        if let Some(path) = environment.get(name) {
            let file = look(&in_home(&path, environment));
            if file.state == KeyFileState::Missing {
                let fault = format!("{name} names a file that does not exist");
                found.faults.push(fault);
            }
            found.add_file(name, &file);
        }
    }
    for name in api.key_files {
        if let Some((shown, path)) = api.key_file(name, environment) {
            found.add_file(shown, &look(&path));
        }
    }
    let is_key = |source: &KeySource| match source {
        KeySource::Variable(name) => api.secret_variables.contains(name),
        KeySource::File(_) => true,
    };
    let has_key = found.sources.iter().any(is_key);
    found.add_missing_parts(api, environment);
    found.add_overrides(api, environment);
    found.is_usable = has_key && found.faults.is_empty();
    found
}

/// Returns a path with the home folder in place of `~`.
fn in_home(path: &str, environment: &Environment<'_>) -> std::path::PathBuf {
    let rest = path.strip_prefix("~/");
    rest.and_then(|rest| environment.home(rest))
        .unwrap_or_else(|| path.into())
}

impl Diagnosis {
    fn add_variable(&mut self, name: &'static str, environment: &Environment<'_>) {
        let Some(value) = (environment.variable)(name) else {
            return;
        };
        let value = value.trim();
        if value.is_empty() {
            self.warnings.push(format!("{name} is set, but empty"));
        } else if is_header_safe(value) || value.starts_with(PEM) {
            self.sources.push(KeySource::Variable(name));
        } else {
            let fault = format!("{name} has a space or a character that no key has");
            self.faults.push(fault);
        }
    }

    fn add_file(&mut self, name: &'static str, file: &KeyFileFacts) {
        match &file.state {
            KeyFileState::Missing => return,
            KeyFileState::Unreadable(why) => {
                self.faults.push(format!("{name} cannot be read: {why}"));
                return;
            }
            KeyFileState::Empty => self.warnings.push(format!("{name} is empty")),
            KeyFileState::Text => self.sources.push(KeySource::File(name)),
        }
        if file.is_shared {
            let warning = format!("other users may read {name}: run `chmod 600` on it");
            self.warnings.push(warning);
        }
    }

    /// Adds a remark if only some of the variables that belong together are set, and no file has the
    /// rest, or if a file lacks a part. A key without its account is a fault; an account without a key may be meant for
    /// other tools.
    fn add_missing_parts(&mut self, api: &ProviderApi, environment: &Environment<'_>) {
        let has_file = |source: &KeySource| matches!(source, KeySource::File(_));
        if self.sources.iter().any(has_file) {
            self.faults.extend((api.gap)(environment));
            return;
        }
        let (set, missing): (Vec<&str>, Vec<&str>) = api
            .credential_variables()
            .partition(|name| environment.get(name).is_some());
        if !set.is_empty() && !missing.is_empty() {
            let (set, missing) = (set.join(" and "), missing.join(" and "));
            let remark = format!("{set} is set without {missing}");
            let first_secret = api.secret_variables.first().copied();
            if first_secret.is_some_and(|secret| environment.get(secret).is_some()) {
                self.faults.push(remark);
            } else {
                self.warnings.push(remark);
            }
        }
    }

    fn add_overrides(&mut self, api: &ProviderApi, environment: &Environment<'_>) {
        let own = api.public_url_variable();
        let names = api.url_variables.iter().copied().chain([own.as_str()]);
        for name in names.filter(|name| environment.get(name).is_some()) {
            self.overrides.push(name.to_owned());
            let default = api.base_urls.first().copied().unwrap_or_default();
            if let Err(error) = environment.base_url(api.id, name, default) {
                self.faults.push(error.message);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;

    use super::*;
    use crate::api::KeyFolder;

    const API: ProviderApi = ProviderApi {
        url_variables: &["ACME_URL"],
        secret_variables: &["ACME_SECRET"],
        account_variables: &["ACME_ID"],
        key_file_variables: &["ACME_FILE"],
        key_files: &["~/.config/acme/key", "~/.acme"],
        key_folders: &[KeyFolder {
            variable: "ACME_FOLDER",
            folder: "~/.config/acme",
        }],
        ..ProviderApi::new("acme", &["https://acme.example"], |_| unreachable!())
    };

    fn found(variables: &[(&str, &str)], files: &[(&str, KeyFileState, bool)]) -> Diagnosis {
        let variable = |name: &str| {
            let home = ("HOME", "/home/me");
            let set = variables
                .iter()
                .chain([&home])
                .find(|(other, _)| *other == name);
            set.map(|(_, value)| (*value).to_owned())
        };
        let environment = Environment {
            variable: &variable,
            read: &|_| unreachable!("a diagnosis reads no file itself"),
        };
        diagnose(&API, &environment, &|path| {
            let file = files.iter().find(|(name, ..)| Path::new(name) == path);
            let missing = ("", KeyFileState::Missing, false);
            let (_, state, is_shared) = file.cloned().unwrap_or(missing);
            KeyFileFacts { state, is_shared }
        })
    }

    #[test]
    fn sources_are_variables_and_files_with_text() {
        assert_eq!(found(&[], &[]), Diagnosis::default());
        let set = found(&[("ACME_ID", "a"), ("ACME_SECRET", "b")], &[]);
        let variables = ["ACME_ID", "ACME_SECRET"].map(KeySource::Variable);
        assert_eq!(set.sources, variables);
        assert!(set.is_usable && set.faults.is_empty() && set.warnings.is_empty());
        let pem = "-----BEGIN PRIVATE KEY-----\nMII=\n-----END PRIVATE KEY-----";
        let private = found(&[("ACME_ID", "a"), ("ACME_SECRET", pem)], &[]);
        assert_eq!(private, set);
        let files = found(
            &[("ACME_FILE", "~/work")],
            &[
                ("/home/me/work", KeyFileState::Text, false),
                ("/home/me/.config/acme/key", KeyFileState::Text, true),
                ("/home/me/.acme", KeyFileState::Empty, false),
            ],
        );
        let names = ["ACME_FILE", "~/.config/acme/key"].map(KeySource::File);
        assert_eq!(files.sources, names);
        assert!(files.is_usable);
        assert_eq!(
            files.warnings,
            [
                "other users may read ~/.config/acme/key: run `chmod 600` on it",
                "~/.acme is empty"
            ]
        );
    }

    #[test]
    fn folders_of_key_files_may_be_elsewhere() {
        let text = KeyFileState::Text;
        let files = [
            ("/etc/acme/key", text.clone(), false),
            ("/home/me/.config/acme/key", text, true),
        ];
        let moved = found(&[("ACME_FOLDER", "/etc/acme")], &files);
        assert_eq!(moved.sources, [KeySource::File("ACME_FOLDER")]);
        assert!(moved.is_usable && moved.warnings.is_empty(), "{moved:?}");
        // A folder without the file is not a fault: no key was stored.
        let empty = found(&[("ACME_FOLDER", "/nowhere")], &files);
        assert_eq!(empty, Diagnosis::default());
    }

    #[test]
    fn malformed_credentials_are_faults_without_their_values() {
        for (variables, fault) in [
            (
                &[("ACME_SECRET", "a")][..],
                "ACME_SECRET is set without ACME_ID",
            ),
            (
                &[("ACME_SECRET", "b"), ("ACME_ID", "hunter 2")],
                "ACME_ID has a space or a character that no key has",
            ),
            (
                &[("ACME_FILE", "/nowhere")],
                "ACME_FILE names a file that does not exist",
            ),
            (
                &[("ACME_URL", "hunter2")],
                "ACME_URL is not an HTTP URL: an example is https://acme.example",
            ),
        ] {
            let found = found(variables, &[]);
            assert_eq!(found.faults, [fault]);
            assert!(!found.is_usable, "{fault}");
            assert!(!format!("{found:?}").contains("hunter"), "{found:?}");
        }
        let unreadable = KeyFileState::Unreadable("it is not a regular file".to_owned());
        let found = found(&[], &[("/home/me/.acme", unreadable, false)]);
        assert_eq!(
            found.faults,
            ["~/.acme cannot be read: it is not a regular file"]
        );
    }

    #[test]
    fn blank_variables_and_overrides_are_no_faults() {
        let account = found(&[("ACME_ID", "a")], &[]);
        assert_eq!(account.warnings, ["ACME_ID is set without ACME_SECRET"]);
        assert!(account.faults.is_empty() && !account.is_usable);
        let found = found(
            &[
                ("ACME_ID", " "),
                ("SKY_ACCEL_URL_ACME", "http://127.0.0.1:1"),
            ],
            &[],
        );
        assert_eq!(found.warnings, ["ACME_ID is set, but empty"]);
        assert_eq!(found.overrides, ["SKY_ACCEL_URL_ACME"]);
        assert!(found.faults.is_empty() && found.sources.is_empty());
    }

    #[test]
    fn a_file_completes_a_variable() {
        let file = [("/home/me/.acme", KeyFileState::Text, false)];
        assert!(found(&[("ACME_ID", "a")], &file).is_usable);
        // Files are looked at, each once.
        let looked = RefCell::new(Vec::new());
        let environment = Environment {
            variable: &|name| (name == "HOME").then(|| "/h".to_owned()),
            read: &|_| None,
        };
        diagnose(&API, &environment, &|path| {
            looked.borrow_mut().push(path.display().to_string());
            KeyFileFacts {
                state: KeyFileState::Missing,
                is_shared: false,
            }
        });
        assert_eq!(looked.into_inner(), ["/h/.config/acme/key", "/h/.acme"]);
    }
}
