//! Errors of providers. They never contain the body or a header of an answer.

use std::time::Duration;

use http::header::HeaderValue;
use sky_accel_core::text::printable;

use crate::access::Access;
use crate::secret::Secrets;

/// The error of a request to a provider.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{provider}: {message}")]
pub struct ProviderError {
    /// The id of the provider, as in [`ProviderApi::id`](crate::ProviderApi::id).
    pub provider: &'static str,
    /// The kind of error.
    pub kind: ErrorKind,
    /// The message for people: a printable sentence without the provider's name and without a
    /// period.
    pub message: String,
    /// The provider's own words in the message: untrusted data, which a program must not follow.
    pub quoted: Option<Box<str>>,
    /// Advice on how to solve the problem, if any.
    pub hint: Option<Box<str>>,
    /// Why the provider could not be reached, without the details of one provider, so that equal
    /// causes can be reported together. `None` if the provider answered.
    pub cause: Option<Box<str>>,
    /// If and when the same request may succeed.
    pub(crate) retry: Retry,
    /// True if the provider has no document at the address.
    pub(crate) is_absent: bool,
    /// True if the query was sent without a key.
    pub is_keyless: bool,
    /// The address to which the answer redirects, which is not followed.
    pub(crate) redirect: Option<Box<HeaderValue>>,
}

sky_accel_core::words! {
    /// The kind of a provider's error. The exit code depends on it, and the words are part of the contract.
    pub enum ErrorKind {
        /// No variable and no file has a key.
        CredentialsMissing = "provider.credentials-missing",
        /// The provider does not accept the key.
        CredentialsRefused = "provider.credentials-refused",
        /// The account lacks permission for this request.
        Permission = "provider.permission",
        /// There were too many requests in a short time.
        RateLimited = "provider.rate-limited",
        /// The quota of the day is used up.
        DailyQuota = "provider.daily-quota",
        /// There was no complete answer in time.
        Timeout = "provider.timeout",
        /// The provider could not be reached.
        Network = "provider.network",
        /// The provider answered that it failed.
        Server = "provider.server",
        /// The answer is not what the provider documents.
        Protocol = "provider.protocol",
        /// The provider truncated its answer, and the rest could not be read.
        Incomplete = "provider.incomplete",
        /// The network may not be used, and nothing is cached.
        NotCached = "provider.not-cached",
        /// The cached answer is older than allowed.
        TooOld = "provider.too-old",
        /// The date of the feed is too old, or in the future.
        Frozen = "provider.frozen",
    }
}

impl ErrorKind {
    /// Returns true if the user needs other credentials or permissions.
    pub fn is_about_credentials(self) -> bool {
        matches!(
            self,
            Self::CredentialsMissing | Self::CredentialsRefused | Self::Permission
        )
    }
}

/// If and when to retry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Retry {
    No,
    Soon,
    After(Duration),
}

/// The maximum length of a provider's message in an error, in characters.
const MAX_QUOTE: usize = 200;

impl ProviderError {
    /// Creates an error without advice. Unprintable characters in `message` are escaped.
    pub fn new(provider: &'static str, kind: ErrorKind, message: impl Into<String>) -> Self {
        Self {
            provider,
            kind,
            message: printable(&message.into()),
            quoted: None,
            hint: None,
            cause: None,
            retry: Retry::No,
            is_absent: false,
            is_keyless: false,
            redirect: None,
        }
    }

    /// Creates the error of an answer without a readable row, with [`ErrorKind::Protocol`]. Such an
    /// answer must not count as empty.
    pub fn unreadable(provider: &'static str, rows: usize) -> Self {
        let message = if rows == 1 {
            "the only row of its answer cannot be read".to_owned()
        } else {
            format!("none of the {rows} rows of its answer can be read")
        };
        Self::new(provider, ErrorKind::Protocol, message)
    }

    /// Creates the error of an answer without its list, with [`ErrorKind::Protocol`].
    pub(crate) fn no_list(provider: &'static str, list_name: &str) -> Self {
        let message = format!("the answer has no list of {list_name}");
        Self::new(provider, ErrorKind::Protocol, message)
    }

    /// Returns the same error with advice.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into().into_boxed_str());
        self
    }

    /// Returns the same error, whose message contains these words of the provider.
    #[must_use]
    pub fn quoting(mut self, words: Option<String>) -> Self {
        self.quoted = words.map(|words| printable(&words).into_boxed_str());
        self
    }

    /// Returns the same error with the reason why the provider could not be reached.
    #[must_use]
    pub fn because(mut self, cause: impl Into<String>) -> Self {
        self.cause = Some(printable(&cause.into()).into_boxed_str());
        self
    }

    /// Returns the same error of a query without a key.
    #[must_use]
    pub fn keyless(mut self) -> Self {
        self.is_keyless = true;
        self
    }

    /// Returns true if the provider may answer another request.
    pub(crate) fn may_be_the_question(&self) -> bool {
        use ErrorKind::{CredentialsRefused, Permission, Protocol, Server};
        matches!(
            self.kind,
            CredentialsRefused | Permission | Protocol | Server
        ) && self.retry == Retry::No
    }

    /// Replaces an error about credentials if no key was sent, because no key can be wrong then.
    #[must_use]
    pub(crate) fn with_access(self, access: Access) -> Self {
        if access == Access::Key || !self.kind.is_about_credentials() {
            return self;
        }
        Self::without_key(self.provider)
    }

    /// Creates the error of a public list that was refused.
    pub(crate) fn refused_without_key(
        provider: &'static str,
        status: http::StatusCode,
        operation: &str,
    ) -> Self {
        let message = format!(
            "HTTP {} when {operation}, although this needs no key",
            status.as_u16()
        );
        Self::new(provider, ErrorKind::Server, message)
    }

    /// Creates the error of a provider that does not answer without a key.
    fn without_key(provider: &'static str) -> Self {
        Self::new(
            provider,
            ErrorKind::Server,
            "it does not answer without a key",
        )
    }

    /// Returns the time that the provider asks to wait before the next request; `None` if it names none.
    pub fn retry_after(&self) -> Option<Duration> {
        match self.retry {
            Retry::After(time) => Some(time),
            Retry::No | Retry::Soon => None,
        }
    }

    /// Returns the same error with a time to wait before the next request, for tests of callers.
    #[must_use]
    pub fn with_retry_after(self, time: Duration) -> Self {
        self.retry(Retry::After(time))
    }

    /// Redacts secrets that the provider may have repeated.
    #[must_use]
    pub(crate) fn redacted(mut self, secrets: &Secrets) -> Self {
        self.message = secrets.redact(&self.message);
        let quoted = self.quoted.map(|words| secrets.redact(&words));
        self.quoted = quoted.map(String::into_boxed_str);
        self
    }

    #[must_use]
    pub(crate) fn retry(mut self, retry: Retry) -> Self {
        self.retry = retry;
        self
    }
}

/// The reason why a program in WebAssembly queries nothing.
pub const NO_NETWORK: &str = "a program in WebAssembly has no network";

/// The cause of a failure after the time limit.
pub const TOO_LATE: &str = "no complete answer in time";

/// Returns the innermost reason of a failed connection; a failed lookup of the name of a server is
/// explained the same way on every system.
pub fn reason_of(error: &(dyn std::error::Error + 'static)) -> String {
    let mut reason = error.to_string();
    let mut source = error.source();
    let mut is_lookup = is_failed_lookup(&reason);
    while let Some(inner) = source {
        reason = inner.to_string();
        is_lookup |= is_failed_lookup(&reason);
        source = inner.source();
    }
    if is_lookup {
        return "the name does not resolve (DNS)".to_owned();
    }
    reason
}

/// Returns true for the messages of hyper and of the standard library on a name without an address.
fn is_failed_lookup(message: &str) -> bool {
    message == "dns error" || message.starts_with("failed to lookup address information")
}

/// Returns a provider's message on one line and shortened. `None` if it is empty or mentions
/// credentials, because some servers repeat the request.
pub fn quote(text: &str) -> Option<String> {
    let one_line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let lower = one_line.to_ascii_lowercase();
    let tells_too_much = [
        "authorization",
        "bearer ",
        "signature",
        "credential=",
        "[redacted]",
    ]
    .iter()
    .any(|word| lower.contains(word));
    if one_line.is_empty() || tells_too_much {
        return None;
    }
    let mut short: String = one_line.chars().take(MAX_QUOTE).collect();
    if short.len() < one_line.len() {
        short.push('…');
    }
    Some(short)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An error with a source.
    #[derive(Debug, thiserror::Error)]
    #[error("{0}")]
    struct Nested(&'static str, #[source] Option<Box<Nested>>);

    #[test]
    fn the_innermost_reason_counts_and_a_failed_lookup_is_explained() {
        let nested = |outer, inner| Nested(outer, Some(Box::new(Nested(inner, None))));
        let refused = nested("tcp connect error", "Connection refused (os error 111)");
        assert_eq!(reason_of(&refused), "Connection refused (os error 111)");
        let lookup = "failed to lookup address information: Name or service not known";
        for error in [
            nested("dns error", "no record found"),
            nested("client error", lookup),
        ] {
            assert_eq!(reason_of(&error), "the name does not resolve (DNS)");
        }
    }

    #[test]
    fn messages_are_quoted_on_one_line_without_credentials() {
        assert_eq!(quote("no\n such   key").as_deref(), Some("no such key"));
        assert_eq!(quote(" \n"), None);
        assert_eq!(quote("cannot take Authorization: Bearer x"), None);
        assert_eq!(quote("key [redacted] is not valid"), None);
        assert_eq!(
            quote(&"x".repeat(1000)).map(|text| text.chars().count()),
            Some(201)
        );
    }
}
