//! Bounds and checks that the public backends share.

use std::time::Duration;

use serde::de::DeserializeOwned;

use crate::error::{ErrorKind, ProviderError};
use crate::feed::{Feed, FeedDocument};
use crate::offer::{DroppedBecause, Tally};

/// The time for which an answer with stock stays fresh.
pub(super) const KEEP_STOCK: Duration = Duration::from_secs(600);
/// The time for which a price list stays fresh.
pub(super) const KEEP_PRICES: Duration = Duration::from_secs(3600);
/// The maximum number of concurrent requests to a provider.
pub(super) const CONCURRENT: usize = 6;
/// The maximum number of pages of a list.
pub(crate) const MAX_PAGES: usize = 60;

/// Parses the JSON of a document.
pub(super) fn json<T: DeserializeOwned>(
    feed: &Feed<'_>,
    document: &FeedDocument,
) -> Result<T, ProviderError> {
    let unreadable = || feed.unreadable("not the documented JSON");
    // One UTF-8 check of the whole body is faster than a check of each string.
    let text = std::str::from_utf8(&document.body).map_err(|_| unreadable())?;
    serde_json::from_str(text).map_err(|_| unreadable())
}

/// Checks that at least one of the listed rows could be read.
pub(crate) fn check_readable(
    provider: &'static str,
    listed: usize,
    dropped: &Tally,
) -> Result<(), ProviderError> {
    if listed > 0 && dropped.because(DroppedBecause::Unreadable) == listed {
        return Err(ProviderError::unreadable(provider, listed));
    }
    Ok(())
}

/// Checks that at least one of the listed rows is a machine with GPUs. These providers always sell
/// GPUs, so a list without them is broken and does not mean that all are sold out.
pub(super) fn check_machines(
    provider: &'static str,
    listed: usize,
    machines: usize,
) -> Result<(), ProviderError> {
    if listed == 0 || machines > 0 {
        return Ok(());
    }
    let message = format!("none of the {listed} rows of its answer is a machine with GPUs");
    Err(ProviderError::new(provider, ErrorKind::Protocol, message))
}

/// Returns the error of a list without rows. Providers list types that are sold out too, so an
/// empty list is broken.
pub(super) fn nothing_listed(feed: &Feed<'_>) -> ProviderError {
    let message = format!("the answer lists nothing ({})", feed.operation);
    ProviderError::new(feed.provider, ErrorKind::Protocol, message)
}

/// Separates the answers of parts from the errors of failed parts.
///
/// # Errors
///
/// Fails with the first error if every part failed.
pub(crate) fn parts<T>(
    answers: Vec<Result<T, ProviderError>>,
) -> Result<(Vec<T>, Vec<ProviderError>), ProviderError> {
    let request_count = answers.len();
    let mut answered = Vec::new();
    let mut problems = Vec::new();
    for answer in answers {
        match answer {
            Ok(part) => answered.push(part),
            Err(error) => problems.push(error),
        }
    }
    if request_count > 0 && problems.len() == request_count {
        return Err(problems.swap_remove(0));
    }
    Ok((answered, problems))
}

/// Returns the address of the next page; `None` if it is on another server.
pub(crate) fn further_page(asked: &str, link: &str) -> Option<String> {
    let base = url::Url::parse(asked).ok()?;
    let link = base.join(link).ok()?;
    (base.origin() == link.origin()).then(|| link.into())
}

/// Returns the error of a list with too many pages.
pub(super) fn cut(feed: &Feed<'_>) -> ProviderError {
    let message = format!(
        "the list has more than {MAX_PAGES} pages ({})",
        feed.operation
    );
    ProviderError::new(feed.provider, ErrorKind::Incomplete, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_next_page_is_on_the_same_server() {
        let requested = "https://prices.example.com/api?a=1";
        let page = "https://prices.example.com/api?a=1&$skip=1000";
        assert_eq!(further_page(requested, page).as_deref(), Some(page));
        assert_eq!(
            further_page(requested, "/api?b=2").as_deref(),
            Some("https://prices.example.com/api?b=2")
        );
        for elsewhere in [
            "https://evil.example.com/api",
            "http://prices.example.com/api",
            "https://prices.example.com:8443/api",
            "file:///etc/passwd",
        ] {
            assert_eq!(further_page(requested, elsewhere), None, "{elsewhere}");
        }
    }
}
