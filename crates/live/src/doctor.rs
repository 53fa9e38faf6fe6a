//! Examines the credentials of the process's environment without any request.

use std::fs;
use std::io;
use std::path::Path;

use sky_accel_files::input::read_regular;
use sky_accel_files::others_may_read;
use sky_accel_providers::{
    Diagnosis, Environment, KeyFileFacts, KeyFileState, ProviderApi, diagnose,
};

use crate::environment::{self, MAX_CREDENTIALS};

/// Returns the credentials of a provider as this machine has them.
pub fn diagnosis(api: &ProviderApi) -> Diagnosis {
    let environment = Environment {
        variable: &environment::variable,
        read: &environment::read,
    };
    diagnose(api, &environment, &look)
}

fn look(path: &Path) -> KeyFileFacts {
    let is_shared = fs::metadata(path).is_ok_and(|metadata| others_may_read(&metadata));
    let state = match read_regular(path, MAX_CREDENTIALS) {
        Ok(text) if text.trim().is_empty() => KeyFileState::Empty,
        Ok(_) => KeyFileState::Text,
        Err(error) if error.kind() == io::ErrorKind::NotFound => KeyFileState::Missing,
        Err(error) if error.kind() == io::ErrorKind::NotADirectory => KeyFileState::Missing,
        Err(error) => KeyFileState::Unreadable(error.to_string()),
    };
    KeyFileFacts { state, is_shared }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_within_limits_and_shared_files_are_noticed() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        assert_eq!(look(&path).state, KeyFileState::Missing);
        fs::write(&path, "\n").unwrap();
        assert_eq!(look(&path).state, KeyFileState::Empty);
        fs::write(&path, "key").unwrap();
        assert_eq!(look(&path).state, KeyFileState::Text);
        assert_eq!(look(&path.join("below")).state, KeyFileState::Missing);
        let reason = |path: &Path| match look(path).state {
            KeyFileState::Unreadable(reason) => reason,
            state => panic!("{state:?}"),
        };
        assert_eq!(reason(folder.path()), "it is not a regular file");
        fs::File::create(&path)
            .unwrap()
            .set_len(MAX_CREDENTIALS + 1)
            .unwrap();
        assert_eq!(reason(&path), "it is larger than 1 MiB");
    }

    #[cfg(unix)]
    #[test]
    fn the_permissions_of_others_count() {
        use std::os::unix::fs::PermissionsExt as _;

        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        fs::write(&path, "key").unwrap();
        for (mode, is_shared) in [(0o600, false), (0o604, true)] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(look(&path).is_shared, is_shared, "{mode:o}");
        }
    }
}
