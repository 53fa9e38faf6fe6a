//! The cache of parsed answers.
//!
//! There is one file for each question, account and base URL. Files are replaced atomically. A file
//! that is truncated, of another program or version, from the future, or perhaps written by another
//! user is ignored. Only parsed offers are written, never a request, so a file contains no key.

use std::fmt::Write as _;
use std::io::{self, Read as _};
use std::path::PathBuf;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::address::without_password;
use crate::cache_folder;
use crate::clock::now;
use crate::error::ProviderError;

/// The version of the file format.
const FORMAT: u32 = 2;
/// The maximum size of a file in bytes.
const MAX_LEN: u64 = 64 << 20;

/// The cache of one user: its folder, and how it is used.
#[derive(Clone, Debug)]
pub struct Cache {
    /// The folder of the files; `None` if nothing is cached.
    pub folder: Option<PathBuf>,
    /// Whether the cache or the provider is used first.
    pub mode: CacheMode,
    /// The maximum age of a cached answer; `None` for no further limit.
    pub max_age: Option<Duration>,
}

/// Whether the cache or the provider is used first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CacheMode {
    /// The cache while its answer is fresh, otherwise the provider.
    #[default]
    Prefer,
    /// The provider; its answer is cached.
    Refresh,
    /// The cache alone, however old its answer is.
    Only,
}

/// The question of a cached answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheKey {
    /// The id of the provider, as in [`ProviderApi::id`](crate::ProviderApi::id).
    pub provider: &'static str,
    /// The requested data, such as `prices in us-east-1`.
    pub operation: String,
    /// Everything that the answer depends on, as JSON after a digest of the base URL.
    pub question: String,
    /// A digest of the account.
    account: String,
}

impl CacheKey {
    /// Creates a key. `question` has everything that the answer depends on; `account` is a secret
    /// or id that differs between accounts, of which only a digest is stored.
    pub fn new(
        provider: &'static str,
        operation: impl Into<String>,
        question: &impl Serialize,
        base_url: &str,
        account: &str,
    ) -> Self {
        let question = serde_json::to_string(question).unwrap_or_default();
        Self {
            provider,
            operation: operation.into(),
            // A short password could be guessed from its digest.
            question: format!("{} {question}", digest(&without_password(base_url))),
            account: digest(account),
        }
    }

    fn file_name(&self) -> String {
        let text = format!("{}\n{}\n{}", self.operation, self.question, self.account);
        format!("{}-{}.json", self.provider, digest(&text))
    }
}

/// Returns the first sixteen hexadecimal digits of a SHA-256 digest.
pub(crate) fn digest(text: &str) -> String {
    let hash = Sha256::digest(text.as_bytes());
    let first = hash.iter().take(8);
    let mut digits = String::new();
    for byte in first {
        let _ = write!(digits, "{byte:02x}");
    }
    digits
}

/// An answer and the time when it was fetched.
#[derive(Clone, Debug, PartialEq)]
pub struct Fetched<T> {
    /// The answer.
    pub value: T,
    /// The time of the request, in seconds since 1970.
    pub at: i64,
    /// True if the answer is from the cache.
    pub cached: bool,
    /// The errors of parts of the answer. Only a complete answer is cached.
    pub problems: Vec<ProviderError>,
}

/// An answer with the errors of its missing parts.
pub type Answered<T> = (T, Vec<ProviderError>);

#[derive(Serialize, Deserialize)]
pub(crate) struct CacheFile<T> {
    format: u32,
    provider: String,
    operation: String,
    question: String,
    account: String,
    fetched_at: i64,
    answer: T,
}

impl Cache {
    /// A cache that stores nothing.
    pub const OFF: Self = Self {
        folder: None,
        mode: CacheMode::Refresh,
        max_age: None,
    };

    pub(crate) fn read<T: DeserializeOwned>(&self, key: &CacheKey) -> Option<Fetched<T>> {
        let mut text = Vec::new();
        cache_folder::open(self.folder.as_ref()?, &key.file_name())?
            .take(MAX_LEN)
            .read_to_end(&mut text)
            .ok()?;
        let file: CacheFile<T> = parse_file(&text)?;
        let is_ours = file.format == FORMAT
            && file.provider == key.provider
            && file.operation == key.operation
            && file.question == key.question
            && file.account == key.account;
        // A time in the future means a wrong clock: the age is unknown.
        (is_ours && file.fetched_at <= now()).then_some(Fetched {
            value: file.answer,
            at: file.fetched_at,
            cached: true,
            problems: Vec::new(),
        })
    }

    pub(crate) fn write<T: Serialize>(
        &self,
        key: &CacheKey,
        answer: &T,
        fetched_at: i64,
    ) -> io::Result<()> {
        let Some(folder) = &self.folder else {
            return Ok(());
        };
        let file = CacheFile {
            format: FORMAT,
            provider: key.provider.to_owned(),
            operation: key.operation.clone(),
            question: key.question.clone(),
            account: key.account.clone(),
            fetched_at,
            answer,
        };
        cache_folder::write(folder, &key.file_name(), &[&serde_json::to_vec(&file)?])
    }
}

/// Parses a cache file; `None` if it is not a file of this program.
pub(crate) fn parse_file<T: DeserializeOwned>(text: &[u8]) -> Option<CacheFile<T>> {
    serde_json::from_slice(text).ok()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    fn cache(folder: &Path) -> Cache {
        Cache {
            folder: Some(folder.join("sky-accel")),
            mode: CacheMode::Prefer,
            max_age: None,
        }
    }

    fn key(question: &str, account: &str) -> CacheKey {
        CacheKey::new("vastai", "offers", &question, "http://127.0.0.1", account)
    }

    #[test]
    fn only_the_same_account_reads_an_answer() {
        let folder = tempfile::tempdir().unwrap();
        let cache = cache(folder.path());
        cache.write(&key("a", "me"), &vec![1, 2], 100).unwrap();
        let found: Fetched<Vec<i32>> = cache.read(&key("a", "me")).unwrap();
        assert_eq!(
            (found.value, found.at, found.cached),
            (vec![1, 2], 100, true)
        );
        assert_eq!(cache.read::<Vec<i32>>(&key("a", "you")), None);
        assert_eq!(cache.read::<Vec<i32>>(&key("b", "me")), None);
        // An answer of another type is ignored.
        assert_eq!(cache.read::<Vec<String>>(&key("a", "me")), None);
    }

    #[test]
    fn truncated_foreign_and_future_files_are_ignored() {
        let folder = tempfile::tempdir().unwrap();
        let cache = cache(folder.path());
        let key = key("a", "me");
        cache.write(&key, &vec![1], 100).unwrap();
        let path = cache.folder.clone().unwrap().join(key.file_name());
        let text = fs::read_to_string(&path).unwrap();
        for broken in [
            String::new(),
            text[..text.len() / 2].to_owned(),
            "{}".to_owned(),
            "\u{0}\u{1}".to_owned(),
            text.replace("\"format\":2", "\"format\":999"),
            text.replace("\"provider\":\"vastai\"", "\"provider\":\"runpod\""),
            text.replace("\"fetched_at\":100", "\"fetched_at\":99999999999"),
        ] {
            assert_ne!(broken, text);
            fs::write(&path, &broken).unwrap();
            assert_eq!(cache.read::<Vec<i32>>(&key), None, "{broken}");
        }
        fs::write(&path, &text).unwrap();
        assert!(cache.read::<Vec<i32>>(&key).is_some());
    }

    #[test]
    fn keys_do_not_depend_on_passwords_in_addresses() {
        let key = |address| CacheKey::new("vastai", "offers", &(), address, "me");
        let closed = key("http://user:hunter2pass@127.0.0.1/");
        assert_eq!(closed, key("http://127.0.0.1/"));
    }

    #[test]
    fn keys_contain_no_account() {
        let key = key("a", "very-secret-key");
        assert!(!format!("{key:?} {}", key.file_name()).contains("very-secret-key"));
    }
}
