//! Public documents: requests for them carry no key, and a cached document is downloaded again only
//! if it has changed.
//!
//! The cache keeps a document as it was received, with the validators (`ETag`, `Last-Modified`)
//! that detect changes.

use std::io::{self, BufRead as _, BufReader, Read};
use std::time::Duration;

use flate2::read::GzDecoder;
use http::StatusCode;
use http::header::{
    ACCEPT_ENCODING, ETAG, HeaderMap, HeaderName, IF_MODIFIED_SINCE, IF_NONE_MATCH, LAST_MODIFIED,
};
use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::address::without_password;
use crate::budget::Resource;
use crate::cache::{CacheMode, digest};
use crate::cache_folder;
use crate::clock::now;
use crate::context::{Context, Event};
use crate::error::{ErrorKind, ProviderError};
use crate::read_call::ReadCall;
use crate::reading::DocumentAge;
use crate::secret::Secrets;
use crate::transport::{Client, RequestBuilder};

/// The version of the file format.
const FORMAT: u32 = 1;
/// The magic bytes of gzip.
const GZIP: [u8; 2] = [0x1f, 0x8b];
/// The maximum size of the header line of a cached document.
const MAX_HEAD: u64 = 16 << 10;
/// The maximum size of a document. The largest today has 8 MB.
pub(crate) const MAX_BODY: usize = 24 << 20;
const DAY: i64 = 86_400;

/// A requested document.
pub(crate) struct Feed<'f> {
    pub provider: &'static str,
    /// The operation, such as `listing instance types`.
    pub operation: &'f str,
    pub url: String,
    /// The JSON of a POST request; `None` for a GET request.
    pub question: Option<Value>,
    /// The time for which the document stays fresh.
    pub keep: Duration,
}

/// A document as it was received.
#[derive(Debug)]
pub(crate) struct FeedDocument {
    pub body: Vec<u8>,
    /// The time at which the server sent the document or confirmed it as unchanged, in seconds since 1970.
    pub at: i64,
    /// True if the document is from the cache.
    pub cached: bool,
    /// The time of the last change according to the server, in seconds since 1970.
    pub modified: Option<i64>,
}

/// The header line of a cached document.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
struct CachedHead {
    format: u32,
    url: String,
    question: Option<Value>,
    etag: Option<String>,
    last_modified: Option<String>,
    fetched_at: i64,
    /// The number of bytes that follow.
    len: usize,
}

/// A document in the cache.
struct CachedDocument {
    head: CachedHead,
    body: Vec<u8>,
}

/// Appends a path to a base URL that may already contain the start of the path, such as `/v1`.
pub(crate) fn join(base: &str, path: &str) -> String {
    let ends = path.match_indices('/').map(|(at, _)| at).skip(1);
    let shared_end = ends.filter(|end| base.ends_with(&path[..*end])).last();
    format!("{base}{}", &path[shared_end.unwrap_or(0)..])
}

impl Feed<'_> {
    /// Returns the address for the cache, without a password.
    fn stored_url(&self) -> String {
        without_password(&self.url)
    }

    fn file_name(&self) -> String {
        let question = self.question.as_ref().map(Value::to_string);
        let text = format!("{}\n{}", self.stored_url(), question.unwrap_or_default());
        format!("feed-{}-{}", self.provider, digest(&text))
    }

    fn request(&self, client: &Client, kept: Option<&CachedHead>) -> RequestBuilder {
        let request = match &self.question {
            Some(question) => client.post(&self.url).json(question),
            None => client.get(&self.url),
        };
        let marks: [(HeaderName, Option<&String>); 2] = [
            (IF_NONE_MATCH, kept.and_then(|head| head.etag.as_ref())),
            (
                IF_MODIFIED_SINCE,
                kept.and_then(|head| head.last_modified.as_ref()),
            ),
        ];
        let request = request.header(ACCEPT_ENCODING, "gzip");
        marks
            .into_iter()
            .filter_map(|(name, mark)| Some((name, mark?)))
            .fold(request, |request, (name, mark)| request.header(name, mark))
    }

    /// Returns the error of a document that cannot be parsed.
    pub(crate) fn unreadable(&self, why: &str) -> ProviderError {
        let message = format!("the answer is {why} ({})", self.operation);
        ProviderError::new(self.provider, ErrorKind::Protocol, message)
    }

    /// Decompresses a body.
    fn inflated(&self, body: &[u8]) -> Result<Vec<u8>, ProviderError> {
        if !body.starts_with(&GZIP) {
            return Ok(body.to_vec());
        }
        let mut text = Vec::new();
        let read = GzDecoder::new(body)
            .take(MAX_BODY as u64 + 1)
            .read_to_end(&mut text);
        match read {
            Ok(_) if text.len() > MAX_BODY => {
                Err(self.unreadable(&format!("larger than {} MB", MAX_BODY >> 20)))
            }
            Ok(_) => Ok(text),
            Err(_) => Err(self.unreadable("damaged compressed data")),
        }
    }
}

impl FeedDocument {
    /// Returns the date of the prices in the document: its own date, but never later than its
    /// download.
    ///
    /// # Errors
    ///
    /// Fails with [`ErrorKind::Frozen`] if the document states a date that is too old for a
    /// maintained feed, or in the future.
    pub(crate) fn date(
        &self,
        provider: &'static str,
        operation: &str,
        stated: Option<i64>,
        most_days: i64,
    ) -> Result<i64, ProviderError> {
        is_not_from_the_future(provider, operation, stated)?;
        let date = stated.map_or(self.at, |stated| stated.min(self.at));
        if now().saturating_sub(date) <= most_days * DAY {
            return Ok(date);
        }
        let message = format!(
            "the feed has not been updated since {} ({operation})",
            day(date)
        );
        Err(frozen(provider, message))
    }
}

/// Fails if a feed states a date that is more than a day ahead: clocks differ by less.
fn is_not_from_the_future(
    provider: &'static str,
    operation: &str,
    stated: Option<i64>,
) -> Result<(), ProviderError> {
    let Some(date) = stated.filter(|date| date.saturating_sub(now()) > DAY) else {
        return Ok(());
    };
    let message = format!(
        "the date of the feed is in the future: {} ({operation})",
        day(date)
    );
    Err(frozen(provider, message))
}

fn frozen(provider: &'static str, message: String) -> ProviderError {
    ProviderError::new(provider, ErrorKind::Frozen, message)
        .hint("its prices are not used; earlier prices remain")
}

/// Returns the day of a time in seconds since 1970.
fn day(at: i64) -> String {
    let at = Timestamp::from_second(at).map_or_else(|_| "1970".to_owned(), |at| at.to_string());
    at.get(..10).unwrap_or(&at).to_owned()
}

fn http_date(text: &str) -> Option<i64> {
    let date = jiff::fmt::rfc2822::parse(text).ok()?;
    Some(date.timestamp().as_second())
}

impl Context<'_> {
    /// Returns a document: the cached document if it is fresh or unchanged on the server, otherwise
    /// a new one. Only a document that can be parsed is cached.
    ///
    /// # Errors
    ///
    /// Fails like [`Context::cached`], and with the error of `parse`. [`ProviderError::is_absent`]
    /// is true if the document does not exist.
    pub(crate) async fn document<T>(
        &self,
        feed: &Feed<'_>,
        reading: &mut DocumentAge,
        parse: impl Fn(&FeedDocument) -> Result<T, ProviderError>,
    ) -> Result<T, ProviderError> {
        let kept = self.kept(feed);
        let parse = |document: &FeedDocument| self.parsed(feed.operation, || parse(document));
        if let Some(document) = self.kept_and_fresh(feed, kept.as_ref())?
            && let Ok(parsed) = parse(&document)
        {
            reading.note(document.at, document.cached);
            (self.events)(Event::Cached {
                provider: feed.provider,
                operation: feed.operation,
                age_s: now().saturating_sub(document.at),
            });
            return Ok(parsed);
        }
        if self.cache.mode == CacheMode::Only {
            let message = format!(
                "no answer is cached, and `offline` forbids requests ({})",
                feed.operation
            );
            return Err(ProviderError::new(
                feed.provider,
                ErrorKind::NotCached,
                message,
            ));
        }
        let (head, raw) = self.asked(feed, kept).await?;
        let document = document(&head, self.inflated(feed, &raw)?, false);
        is_not_from_the_future(feed.provider, feed.operation, document.modified)?;
        let parsed = parse(&document)?;
        reading.note(document.at, document.cached);
        self.keep(feed, &head, &raw);
        Ok(parsed)
    }

    /// Decompresses a body, which counts against the budget.
    fn inflated(&self, feed: &Feed<'_>, body: &[u8]) -> Result<Vec<u8>, ProviderError> {
        let text = feed.inflated(body)?;
        self.budget.take(Resource::Bytes, text.len() as u64)?;
        Ok(text)
    }

    /// Requests a document. Returns the cached document if the server confirms it as unchanged.
    async fn asked(
        &self,
        feed: &Feed<'_>,
        kept: Option<CachedDocument>,
    ) -> Result<(CachedHead, Vec<u8>), ProviderError> {
        let secrets = Secrets::default().and_password_of(&feed.url);
        let (provider, operation) = (feed.provider, feed.operation);
        let call = ReadCall {
            provider,
            operation,
            secrets: &secrets,
            max_body: MAX_BODY,
            pace: None,
            explain: &|status, _| {
                let is_refused = matches!(status.as_u16(), 401 | 403);
                is_refused.then(|| ProviderError::refused_without_key(provider, status, operation))
            },
        };
        // The time before the request, so that a document never counts as fresher than it is.
        let at = now();
        let head = kept.as_ref().map(|kept| &kept.head);
        let reply = self
            .read(&call, |client| feed.request(client, head))
            .await?;
        match (reply.status, kept) {
            (StatusCode::NOT_MODIFIED, Some(kept)) => {
                let head = CachedHead {
                    fetched_at: at,
                    ..kept.head
                };
                Ok((head, kept.body))
            }
            (StatusCode::NOT_MODIFIED, None) => Err(feed.unreadable("an unexpected HTTP 304")),
            _ => {
                let head = new_head(feed, &reply.headers, at, reply.body.len());
                Ok((head, reply.body))
            }
        }
    }

    /// Returns the cached document if it may be used without a request.
    fn kept_and_fresh(
        &self,
        feed: &Feed<'_>,
        kept: Option<&CachedDocument>,
    ) -> Result<Option<FeedDocument>, ProviderError> {
        let cache = self.cache;
        let Some(kept) = kept.filter(|_| cache.mode != CacheMode::Refresh) else {
            return Ok(None);
        };
        let is_only = cache.mode == CacheMode::Only;
        let age_s = now().saturating_sub(kept.head.fetched_at);
        let within = |limit: Duration| age_s.unsigned_abs() <= limit.as_secs();
        let is_allowed = cache.max_age.is_none_or(within);
        if is_only && !is_allowed {
            let message = format!(
                "the cached answer is older than allowed ({})",
                feed.operation
            );
            return Err(ProviderError::new(
                feed.provider,
                ErrorKind::TooOld,
                message,
            ));
        }
        if !is_allowed || !(is_only || within(feed.keep)) {
            return Ok(None);
        }
        let body = self.inflated(feed, &kept.body).ok();
        Ok(body.map(|body| document(&kept.head, body, true)))
    }

    /// Reads the document in the cache; `None` if it is truncated, of another program or version,
    /// from the future, or perhaps written by another user.
    fn kept(&self, feed: &Feed<'_>) -> Option<CachedDocument> {
        let file = cache_folder::open(self.cache.folder.as_ref()?, &feed.file_name())?;
        let CachedDocument { head, body } = read_kept(file)?;
        let is_ours = head.format == FORMAT
            && head.url == feed.stored_url()
            && head.question == feed.question
            && head.len == body.len()
            && head.fetched_at <= now();
        is_ours.then_some(CachedDocument { head, body })
    }

    /// Caches a document. A failure to write is only an event.
    fn keep(&self, feed: &Feed<'_>, head: &CachedHead, body: &[u8]) {
        let Some(folder) = &self.cache.folder else {
            return;
        };
        let written = serde_json::to_vec(head)
            .map_err(io::Error::from)
            .and_then(|head| cache_folder::write(folder, &feed.file_name(), &[&head, b"\n", body]));
        if let Err(error) = written {
            (self.events)(Event::CacheUnwritable {
                reason: &error.to_string(),
            });
        }
    }
}

/// Reads a cached document.
fn read_kept(file: impl Read) -> Option<CachedDocument> {
    let mut file = BufReader::new(file);
    let mut line = String::new();
    (&mut file).take(MAX_HEAD).read_line(&mut line).ok()?;
    let head: CachedHead = serde_json::from_str(&line).ok()?;
    let mut body = Vec::new();
    file.take(MAX_BODY as u64 + 1).read_to_end(&mut body).ok()?;
    Some(CachedDocument { head, body })
}

/// Parses a file of the cache.
pub(crate) fn parse_file(bytes: &[u8]) {
    let _ = read_kept(bytes);
}

fn new_head(feed: &Feed<'_>, headers: &HeaderMap, fetched_at: i64, len: usize) -> CachedHead {
    let mark = |name: HeaderName| {
        let mark = headers.get(name)?.to_str().ok()?;
        (mark.len() <= 256).then(|| mark.to_owned())
    };
    CachedHead {
        format: FORMAT,
        url: feed.stored_url(),
        question: feed.question.clone(),
        etag: mark(ETAG),
        last_modified: mark(LAST_MODIFIED),
        fetched_at,
        len,
    }
}

fn document(head: &CachedHead, body: Vec<u8>, cached: bool) -> FeedDocument {
    FeedDocument {
        body,
        at: head.fetched_at,
        cached,
        modified: head.last_modified.as_deref().and_then(http_date),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::*;

    fn feed() -> Feed<'static> {
        Feed {
            provider: "test",
            operation: "testing",
            url: "http://127.0.0.1/a".to_owned(),
            question: None,
            keep: Duration::from_secs(60),
        }
    }

    #[test]
    fn a_base_url_may_contain_the_start_of_the_path() {
        for (base, path, url) in [
            ("https://a", "/v2/plans", "https://a/v2/plans"),
            ("https://a/v2", "/v2/plans", "https://a/v2/plans"),
            (
                "https://a/x/v2",
                "/v2/plans?a=/v2/",
                "https://a/x/v2/plans?a=/v2/",
            ),
            ("https://a/x", "/v2/plans", "https://a/x/v2/plans"),
            ("https://a/api/v1", "/api/v1/b/c", "https://a/api/v1/b/c"),
        ] {
            assert_eq!(join(base, path), url);
        }
    }

    #[test]
    fn decompresses_gzip_without_a_header() {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
        packed.write_all(b"{\"a\":1}").unwrap();
        let packed = packed.finish().unwrap();
        assert_eq!(feed().inflated(&packed).unwrap(), b"{\"a\":1}");
        assert_eq!(feed().inflated(b"{}").unwrap(), b"{}");
        let torn = packed[..packed.len() - 9].to_vec();
        assert_eq!(
            feed().inflated(&torn).unwrap_err().kind,
            ErrorKind::Protocol
        );
        // A small body that inflates beyond the limit.
        let mut bomb = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        bomb.write_all(&vec![b' '; MAX_BODY + 1]).unwrap();
        let error = feed().inflated(&bomb.finish().unwrap()).unwrap_err();
        assert!(error.message.contains("larger than"), "{error}");
    }

    #[test]
    fn the_cache_has_no_password() {
        let open = feed();
        let closed = Feed {
            url: open.url.replace("://", "://user:hunter2pass@"),
            ..feed()
        };
        assert_eq!(closed.file_name(), open.file_name());
        assert_eq!(new_head(&closed, &HeaderMap::new(), 0, 0).url, open.url);
    }

    #[test]
    fn rejects_abandoned_and_future_feeds() {
        let document = FeedDocument {
            body: Vec::new(),
            at: now(),
            cached: false,
            modified: None,
        };
        let date = |stated| document.date("test", "testing", stated, 2);
        assert_eq!(date(None), Ok(document.at));
        assert_eq!(date(Some(document.at - 3600)), Ok(document.at - 3600));
        // A clock that is ahead by less than a day.
        assert_eq!(date(Some(document.at + 3600)), Ok(document.at));
        let error = date(Some(1_715_558_400)).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Frozen);
        assert!(error.message.contains("2024-05-13"), "{error}");
        assert!(date(Some(i64::MIN)).is_err());
        for future in [now() + 2 * DAY, i64::MAX] {
            let error = date(Some(future)).unwrap_err();
            assert_eq!(error.kind, ErrorKind::Frozen);
            assert!(error.message.contains("in the future"), "{error}");
        }
    }

    #[test]
    fn parses_http_dates() {
        assert_eq!(http_date("Fri, 02 Jan 1970 00:00:00 GMT"), Some(DAY));
        assert_eq!(http_date("yesterday"), None);
    }
}
