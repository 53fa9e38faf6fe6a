//! The API key of a user: variables of the CLI of Oracle Cloud, or its configuration file.

use std::path::PathBuf;

use crate::credentials::{Environment, has_ini_section, ini_value};

pub(super) const KEY_VARIABLE: &str = "OCI_CLI_KEY_CONTENT";
pub(super) const TENANCY_VARIABLE: &str = "OCI_CLI_TENANCY";
pub(super) const USER_VARIABLE: &str = "OCI_CLI_USER";
pub(super) const FINGERPRINT_VARIABLE: &str = "OCI_CLI_FINGERPRINT";
pub(super) const REGION_VARIABLE: &str = "OCI_CLI_REGION";
const PROFILE_VARIABLE: &str = "OCI_CLI_PROFILE";
pub(super) const KEY_FILE_VARIABLE: &str = "OCI_CLI_KEY_FILE";
/// The configuration file: for the CLI, and for the SDKs.
pub(super) const FILE_VARIABLES: [&str; 2] = ["OCI_CLI_CONFIG_FILE", "OCI_CONFIG_FILE"];
const FILE: &str = ".oci/config";
/// The profile whose values hold for all others too.
const DEFAULT: &str = "DEFAULT";

/// The API key of a user.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct OciCredentials {
    pub tenancy: String,
    pub user: String,
    pub fingerprint: String,
    pub region: String,
    /// The private key in PEM format.
    pub key: String,
}

/// Finds the credentials.
///
/// # Errors
///
/// Fails with the names of what is missing if there is a key without the rest, or the reverse.
pub(super) fn credentials(
    environment: &Environment<'_>,
) -> Result<Option<OciCredentials>, Vec<&'static str>> {
    let file = FILE_VARIABLES
        .iter()
        .find_map(|variable| environment.get(variable));
    let file = match file {
        Some(path) => expanded(environment, &path),
        None => environment.home(FILE),
    };
    let text = environment.text(file).unwrap_or_default();
    let profile = environment.get(PROFILE_VARIABLE);
    let profile = profile.as_deref().unwrap_or(DEFAULT);
    // The values of another profile may be those of another tenancy.
    let text = if has_ini_section(&text, profile) {
        text
    } else {
        String::new()
    };
    let value = |variable: &str, key: &str| {
        let in_file = || ini_value(&text, profile, key).or_else(|| ini_value(&text, DEFAULT, key));
        let value = environment.get(variable).or_else(in_file)?;
        Some(value.trim().to_owned())
    };
    let key = environment.get(KEY_VARIABLE).or_else(|| {
        let path = value(KEY_FILE_VARIABLE, "key_file")?;
        environment.text(expanded(environment, &path))
    });
    let found = [
        (TENANCY_VARIABLE, value(TENANCY_VARIABLE, "tenancy")),
        (USER_VARIABLE, value(USER_VARIABLE, "user")),
        (
            FINGERPRINT_VARIABLE,
            value(FINGERPRINT_VARIABLE, "fingerprint"),
        ),
        (REGION_VARIABLE, value(REGION_VARIABLE, "region")),
    ];
    if key.is_none() && found.iter().all(|(_, value)| value.is_none()) {
        return Ok(None);
    }
    let mut missing: Vec<&'static str> = found
        .iter()
        .filter(|(_, value)| !value.as_deref().is_some_and(is_id))
        .map(|(name, _)| *name)
        .collect();
    if key.is_none() {
        missing.push(KEY_FILE_VARIABLE);
    }
    let [tenancy, user, fingerprint, region] = found.map(|(_, value)| value);
    match (tenancy, user, fingerprint, region, key) {
        (Some(tenancy), Some(user), Some(fingerprint), Some(region), Some(key))
            if missing.is_empty() =>
        {
            Ok(Some(OciCredentials {
                tenancy,
                user,
                fingerprint,
                region,
                key,
            }))
        }
        _ => Err(missing),
    }
}

/// Returns a path, of which `~` is the home folder.
fn expanded(environment: &Environment<'_>, path: &str) -> Option<PathBuf> {
    match path.strip_prefix("~/") {
        Some(rest) => environment.home(rest),
        None => Some(PathBuf::from(path)),
    }
}

/// Returns true for an id, a fingerprint or a region, which become parts of headers and addresses.
pub(super) fn is_id(text: &str) -> bool {
    let is_part =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b':');
    !text.is_empty() && text.bytes().all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CONFIG: &str = "[DEFAULT]\nuser=ocid1.user.oc1..a\nfingerprint=20:3b\ntenancy=ocid1.tenancy.oc1..a\n\
        region=us-ashburn-1\nkey_file=~/.oci/key.pem\n[work]\nregion=eu-frankfurt-1\n";

    fn found(
        variables: &[(&str, &str)],
        files: &[(&str, &str)],
    ) -> Result<Option<OciCredentials>, Vec<&'static str>> {
        let value = |values: &[(&str, &str)], name: &str| {
            let found = values.iter().find(|(other, _)| *other == name);
            found.map(|(_, value)| (*value).to_owned())
        };
        credentials(&Environment {
            variable: &|name| value(variables, name),
            read: &|path| value(files, &path.display().to_string()),
        })
    }

    #[test]
    fn profiles_inherit_and_variables_take_precedence() {
        let files = [
            ("/home/me/.oci/config", CONFIG),
            ("/home/me/.oci/key.pem", "pem"),
        ];
        let of = |variables: &[(&str, &str)]| {
            let found = found(variables, &files).ok().flatten().unwrap();
            (found.region, found.key)
        };
        let home = ("HOME", "/home/me");
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(of(&[home]), pair("us-ashburn-1", "pem"));
        assert_eq!(
            of(&[home, (PROFILE_VARIABLE, "work")]),
            pair("eu-frankfurt-1", "pem")
        );
        // A missing profile is not replaced by the default profile.
        let missing = found(&[home, (PROFILE_VARIABLE, "wrok")], &files);
        assert!(missing.unwrap().is_none());
        let both = [
            home,
            (REGION_VARIABLE, "uk-london-1"),
            (KEY_VARIABLE, "other"),
        ];
        assert_eq!(of(&both), pair("uk-london-1", "other"));
    }

    #[test]
    fn missing_parts_are_named() {
        let home = ("HOME", "/home/me");
        assert!(found(&[home], &[]).unwrap().is_none());
        let config = ("/home/me/.oci/config", CONFIG);
        assert_eq!(
            found(&[home], &[config]).err(),
            Some(vec![KEY_FILE_VARIABLE])
        );
        let bad = [
            home,
            (KEY_VARIABLE, "pem"),
            (REGION_VARIABLE, "evil.example/x"),
        ];
        assert_eq!(found(&bad, &[config]).err(), Some(vec![REGION_VARIABLE]));
    }
}
