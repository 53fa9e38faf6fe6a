//! Conditional requests: a client that has the current document gets status 304.

use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use bytes::Bytes;
use jiff::Timestamp;
use jiff::fmt::rfc2822::{DateTimeParser, DateTimePrinter};

use crate::reply::{Content, Reply};
use crate::service::Recorded;

/// Returns the response with its validators, or 304 if the client has the same document. The validators
/// are computed after faults have changed the document, so that they never match an unchanged copy.
pub(crate) fn settle(reply: Reply, request: &Recorded) -> Reply {
    let (200, Some(modified)) = (reply.status, reply.modified) else {
        return reply;
    };
    let body = reply.body();
    let tag = tag(&body);
    let is_current = match request.header("if-none-match") {
        Some(tags) => tags
            .split(',')
            .map(|known| known.trim().trim_start_matches("W/"))
            .any(|known| known == tag || known == "*"),
        None => request
            .header("if-modified-since")
            .and_then(since)
            .is_some_and(|since| modified.as_second() <= since.as_second()),
    };
    let settled = if is_current {
        Reply::bytes(304, reply.content_type, Bytes::new())
    } else {
        Reply {
            content: Content::Bytes(body),
            ..reply
        }
    };
    settled
        .header("etag", tag)
        .header("last-modified", http_date(modified))
}

fn tag(body: &[u8]) -> String {
    let mut hasher = DefaultHasher::new();
    body.hash(&mut hasher);
    format!("\"{:016x}\"", hasher.finish())
}

fn since(text: &str) -> Option<Timestamp> {
    DateTimeParser::new().parse_timestamp(text).ok()
}

fn http_date(at: Timestamp) -> String {
    DateTimePrinter::new()
        .timestamp_to_rfc9110_string(&at)
        .expect("a date of this era")
}
