//! Answers on disk, so that the same question within an hour needs no request.
//!
//! There is one file for each question, account and base URL. A file is replaced as a whole or not
//! at all; one that is torn, foreign, of another version or from the future is ignored. Only parsed
//! offers are written, never a request, so a file contains no key.

use std::fmt::Write as _;
use std::fs;
use std::future::Future;
use std::io::{self, Read as _};
use std::path::PathBuf;
use std::time::Duration;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use crate::context::{Context, Event};
use crate::error::{ErrorKind, ProviderError};
use crate::offer::now;
use crate::temporaries;

/// Changes whenever the shape of what is written does.
const FORMAT: u32 = 2;
/// The largest file that is read.
const MAX_LEN: u64 = 64 << 20;

/// The cache of one user: its folder, and how it is used.
#[derive(Clone, Debug)]
pub struct Cache {
    /// The folder of the files; `None` if nothing is cached.
    pub folder: Option<PathBuf>,
    /// The order in which the cache and the provider are asked.
    pub mode: CacheMode,
    /// The greatest age of a cached answer that is used; `None` for no further limit.
    pub max_age: Option<Duration>,
}

/// The order in which the cache and the provider are asked.
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

/// The question that a cached answer belongs to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Key {
    /// The id of the provider, as in [`Provider::ID`](crate::Provider::ID).
    pub provider: &'static str,
    /// The requested data in words for people, such as `prices in us-east-1`.
    pub operation: String,
    /// Everything that the answer depends on, as JSON after a digest of the base URL.
    pub question: String,
    /// A digest of the account.
    account: String,
}

impl Key {
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
            // There may be a password in a URL.
            question: format!("{} {question}", digest(base_url)),
            account: digest(account),
        }
    }

    fn file_name(&self) -> String {
        let whole = format!("{}\n{}\n{}", self.operation, self.question, self.account);
        format!("{}-{}.json", self.provider, digest(&whole))
    }
}

/// Sixteen hexadecimal digits.
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
pub(crate) struct File<T> {
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

    fn read<T: DeserializeOwned>(&self, key: &Key) -> Option<Fetched<T>> {
        let path = self.folder.as_ref()?.join(key.file_name());
        let mut text = Vec::new();
        fs::File::open(path)
            .ok()?
            .take(MAX_LEN)
            .read_to_end(&mut text)
            .ok()?;
        let file: File<T> = parse_file(&text)?;
        let is_ours = file.format == FORMAT
            && file.provider == key.provider
            && file.operation == key.operation
            && file.question == key.question
            && file.account == key.account;
        // A clock that was wrong when it was written says nothing about its age.
        (is_ours && file.fetched_at <= now()).then_some(Fetched {
            value: file.answer,
            at: file.fetched_at,
            cached: true,
            problems: Vec::new(),
        })
    }

    fn write<T: Serialize>(&self, key: &Key, answer: &T, fetched_at: i64) -> io::Result<()> {
        let Some(folder) = &self.folder else {
            return Ok(());
        };
        let file = File {
            format: FORMAT,
            provider: key.provider.to_owned(),
            operation: key.operation.clone(),
            question: key.question.clone(),
            account: key.account.clone(),
            fetched_at,
            answer,
        };
        temporaries::write_into(folder, &key.file_name(), &[&serde_json::to_vec(&file)?])
    }
}

/// Reads the text of a file; `None` for one that is not of this program.
pub(crate) fn parse_file<T: DeserializeOwned>(text: &[u8]) -> Option<File<T>> {
    serde_json::from_slice(text).ok()
}

impl Context<'_> {
    /// Returns the cached answer if it is at most `keep` old, otherwise the answer of `fetch`. A
    /// complete answer of the provider is cached; if it cannot be written, that is an [`Event`] and
    /// no error.
    ///
    /// # Errors
    ///
    /// Returns the error of `fetch`. With [`CacheMode::Only`], fails with [`ErrorKind::NotCached`]
    /// if nothing is cached, and with [`ErrorKind::TooOld`] if the answer is older than
    /// [`Cache::max_age`].
    pub async fn cached<T, F>(
        &self,
        key: &Key,
        keep: Duration,
        fetch: impl FnOnce() -> F,
    ) -> Result<Fetched<T>, ProviderError>
    where
        T: Serialize + DeserializeOwned,
        F: Future<Output = Result<Answered<T>, ProviderError>>,
    {
        let cache = self.cache;
        if cache.mode != CacheMode::Refresh
            && let Some(found) = cache.read::<T>(key)
        {
            let age_s = now().saturating_sub(found.at);
            let within = |limit: Duration| age_s.unsigned_abs() <= limit.as_secs();
            let allowed = cache.max_age.is_none_or(within);
            if cache.mode == CacheMode::Only && !allowed {
                let message = format!("the cached {} are older than allowed", key.operation);
                return Err(ProviderError::new(key.provider, ErrorKind::TooOld, message));
            }
            if allowed && (cache.mode == CacheMode::Only || within(keep)) {
                (self.events)(Event::Cached {
                    provider: key.provider,
                    operation: &key.operation,
                    age_s,
                });
                return Ok(found);
            }
        }
        if cache.mode == CacheMode::Only {
            let message = format!(
                "no {} are cached, and --offline allows no request",
                key.operation
            );
            return Err(ProviderError::new(
                key.provider,
                ErrorKind::NotCached,
                message,
            ));
        }
        // The moment before asking: an answer is never called fresher than it is.
        let at = now();
        let (value, problems) = fetch().await?;
        if problems.is_empty()
            && let Err(error) = cache.write(key, &value, at)
        {
            (self.events)(Event::CacheUnwritable {
                reason: &error.to_string(),
            });
        }
        Ok(Fetched {
            value,
            at,
            cached: false,
            problems,
        })
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn cache(folder: &Path) -> Cache {
        Cache {
            folder: Some(folder.join("sky-accel")),
            mode: CacheMode::Prefer,
            max_age: None,
        }
    }

    fn key(question: &str, account: &str) -> Key {
        Key::new("vastai", "offers", &question, "http://127.0.0.1", account)
    }

    #[test]
    fn what_is_written_is_read_by_the_same_account_only() {
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
        // Another shape of answer is no answer.
        assert_eq!(cache.read::<Vec<String>>(&key("a", "me")), None);
    }

    #[test]
    fn torn_foreign_and_future_files_are_ignored() {
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
    fn keys_hold_no_account() {
        let key = key("a", "very-secret-key");
        assert!(!format!("{key:?} {}", key.file_name()).contains("very-secret-key"));
    }
}
