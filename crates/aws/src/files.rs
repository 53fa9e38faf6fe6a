//! The files that the SDK reads. It reads them whole and without limits, so they are checked
//! before: a pipe or a device may never end.

use std::path::{Path, PathBuf};

use sky_accel_providers::{
    Environment, ErrorKind, ProviderError, check_named_file, read_named_file,
};

use crate::api::ID;

/// The maximum size of a file.
const MAX_FILE: u64 = 1 << 20;

/// The files of the AWS tools: the variable that names each, and its path in the home folder.
pub(crate) const PROFILE_FILES: [(&str, &str); 2] = [
    ("AWS_SHARED_CREDENTIALS_FILE", ".aws/credentials"),
    ("AWS_CONFIG_FILE", ".aws/config"),
];

/// The variables with the path of a file that has a token.
const TOKEN_FILES: [&str; 2] = [
    "AWS_WEB_IDENTITY_TOKEN_FILE",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
];

/// The key of a profile with the path of a file that has a token.
const TOKEN_FILE_KEY: &str = "web_identity_token_file";

/// Checks the files that variables and profiles name. Missing files are left to the SDK.
///
/// # Errors
///
/// Fails with [`ErrorKind::Network`] if a file is not a regular file, or is larger than
/// 1 MiB.
pub(crate) fn check_files(environment: &Environment<'_>) -> Result<(), ProviderError> {
    for variable in TOKEN_FILES {
        if let Some(path) = environment.get(variable) {
            check(variable, Path::new(&path))?;
        }
    }
    for (variable, default) in PROFILE_FILES {
        let named = environment.get(variable);
        let origin = if named.is_some() { variable } else { default };
        let Some(path) = named
            .map(|path| in_home(environment, &path))
            .or_else(|| environment.home(default))
        else {
            continue;
        };
        check(origin, &path)?;
        let text = read_named_file(&path, MAX_FILE).unwrap_or_default();
        for token in token_files(&String::from_utf8_lossy(&text)) {
            check(TOKEN_FILE_KEY, &in_home(environment, token))?;
        }
    }
    Ok(())
}

fn check(origin: &str, path: &Path) -> Result<(), ProviderError> {
    if !path.exists() {
        return Ok(());
    }
    check_named_file(path, MAX_FILE).map(drop).map_err(|error| {
        let message = format!("{origin} is {}: {error}", path.display());
        ProviderError::new(ID, ErrorKind::Network, message)
    })
}

/// Returns a path with the home folder in place of `~`, as the SDK reads it.
fn in_home(environment: &Environment<'_>, path: &str) -> PathBuf {
    let rest = path.strip_prefix("~/");
    rest.and_then(|rest| environment.home(rest))
        .unwrap_or_else(|| PathBuf::from(path))
}

/// Returns the paths of files with tokens in the text of a profile file.
fn token_files(text: &str) -> impl Iterator<Item = &str> {
    text.lines().filter_map(|line| {
        let (key, path) = line.split_once('=')?;
        (key.trim().eq_ignore_ascii_case(TOKEN_FILE_KEY)).then(|| path.trim())
    })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn reason(variables: &[(&str, &str)]) -> Option<String> {
        let variable = |name: &str| {
            let set = variables.iter().find(|(other, _)| *other == name);
            set.map(|(_, value)| (*value).to_owned())
        };
        let checked = check_files(&Environment {
            variable: &variable,
            read: &|_| None,
        });
        checked.err().map(|error| error.message)
    }

    #[test]
    fn only_small_regular_files_reach_the_sdk() {
        let home = tempfile::tempdir().unwrap();
        fs::create_dir(home.path().join(".aws")).unwrap();
        let config = home.path().join(".aws/config");
        let text = format!(
            "[default]\nweb_identity_token_file = {}\n",
            home.path().display()
        );
        let path = home.path().to_str().unwrap();
        assert_eq!(reason(&[("HOME", path)]), None);
        for variable in TOKEN_FILES {
            let message = reason(&[(variable, path)]).unwrap();
            let wanted = format!("{variable} is {path}: it is not a regular file");
            assert_eq!(message, wanted);
        }
        for (variable, _) in PROFILE_FILES {
            let message = reason(&[("HOME", path), (variable, "~/")]).unwrap();
            assert!(message.starts_with(variable), "{message}");
        }
        fs::write(&config, &text).unwrap();
        let message = reason(&[("HOME", path)]).unwrap();
        assert!(message.starts_with(TOKEN_FILE_KEY), "{message}");
        fs::write(&config, vec![b'#'; (1 << 20) + 1]).unwrap();
        let message = reason(&[("HOME", path)]).unwrap();
        assert!(message.ends_with("it is larger than 1 MiB"), "{message}");
    }
}
