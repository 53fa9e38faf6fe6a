//! Unary calls of gRPC: one message in a `POST` request over HTTP/2, one message in the answer, and a status in the
//! trailers.

use http::{HeaderMap, HeaderName, StatusCode};
use prost::Message;
use serde_json::json;

use crate::error::{ErrorKind, ProviderError, Retry, quote};
use crate::read_call::{ReadCall, refused};

/// The media type of requests and answers.
pub(crate) const MEDIA_TYPE: &str = "application/grpc";

/// The bytes before a message: whether it is compressed, and its length.
const PREFIX: usize = 5;

const STATUS: HeaderName = HeaderName::from_static("grpc-status");
const MESSAGE: HeaderName = HeaderName::from_static("grpc-message");

/// Returns the body of a request with a message.
pub(crate) fn framed(message: &impl Message) -> Vec<u8> {
    let message = message.encode_to_vec();
    let length = u32::try_from(message.len()).unwrap_or(u32::MAX);
    let mut body = vec![0];
    body.extend(length.to_be_bytes());
    body.extend(message);
    body
}

/// Returns the bytes of the message in the body of an answer; `None` for another body. Requests accept no compression.
pub(crate) fn message(body: &[u8]) -> Option<&[u8]> {
    let (prefix, message) = body.split_at_checked(PREFIX)?;
    let (&[0], length) = prefix.split_at(1) else {
        return None;
    };
    let length = u32::from_be_bytes(length.try_into().ok()?);
    (usize::try_from(length) == Ok(message.len())).then_some(message)
}

/// A failed call.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct GrpcFailure {
    /// The code of the status; `None` if the answer ends without a status.
    code: Option<u16>,
    /// The server's words.
    words: Option<String>,
}

/// Returns the failure of a call; `None` if it succeeded, or if the answer is not of gRPC. An answer without a message
/// has its status in the headers.
pub(crate) fn failure(
    status: StatusCode,
    headers: &HeaderMap,
    trailers: &HeaderMap,
) -> Option<GrpcFailure> {
    let media_type = headers.get(http::header::CONTENT_TYPE)?.to_str().ok()?;
    if status != StatusCode::OK || !media_type.starts_with(MEDIA_TYPE) {
        return None;
    }
    let value = |name: HeaderName| trailers.get(&name).or_else(|| headers.get(&name));
    let code = value(STATUS).and_then(|code| code.to_str().ok()?.parse().ok());
    let words = value(MESSAGE).map(|words| {
        let words = percent_encoding::percent_decode(words.as_bytes());
        words.decode_utf8_lossy().into_owned()
    });
    (code != Some(0)).then_some(GrpcFailure { code, words })
}

impl GrpcFailure {
    /// Returns the error of a call.
    pub(crate) fn error(&self, call: &ReadCall<'_>, headers: &HeaderMap) -> ProviderError {
        let words = self.words.as_deref().unwrap_or_default();
        let words = call.secrets.redact(words);
        let failed = |kind, summary: &str| {
            let words = quote(&words);
            let reason = words.as_ref().map(|words| format!(": {words}"));
            let reason = reason.unwrap_or_default();
            let message = format!("{summary}{reason} ({})", call.operation);
            ProviderError::new(call.provider, kind, message).quoting(words)
        };
        match self.code {
            None => failed(ErrorKind::Protocol, "did not finish its answer"),
            Some(UNAVAILABLE) => {
                let error = failed(ErrorKind::Network, "is unavailable");
                error.because("is unavailable").retry(Retry::Soon)
            }
            // Like the JSON of a gateway to HTTP, so that a refusal is explained in one place.
            Some(code) => {
                let body = json!({ "message": words }).to_string();
                refused(call, http_status(code), headers, body.as_bytes())
            }
        }
    }
}

const UNAVAILABLE: u16 = 14;

/// Returns the status that gateways of gRPC send over HTTP for a code.
fn http_status(code: u16) -> StatusCode {
    match code {
        // An invalid argument, a failed precondition, a value out of range.
        3 | 9 | 11 => StatusCode::BAD_REQUEST,
        4 => StatusCode::GATEWAY_TIMEOUT,
        5 => StatusCode::NOT_FOUND,
        7 => StatusCode::FORBIDDEN,
        8 => StatusCode::TOO_MANY_REQUESTS,
        12 => StatusCode::NOT_IMPLEMENTED,
        16 => StatusCode::UNAUTHORIZED,
        _ => StatusCode::INTERNAL_SERVER_ERROR,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secret::Secrets;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        let pairs = pairs
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), value.parse().unwrap()));
        pairs.collect()
    }

    #[test]
    fn messages_have_a_prefix_with_their_length() {
        let body = framed(&"abc".to_owned());
        assert_eq!(body, *b"\0\0\0\0\x05\x0a\x03abc");
        assert_eq!(message(&body), Some(&b"\x0a\x03abc"[..]));
        let compressed = [&[1], &body[1..]].concat();
        let cut = &body[..7];
        for other in [&compressed[..], cut, b"\0\0\0", b"", b"<html></html>"] {
            assert_eq!(message(other), None, "{other:?}");
        }
        assert_eq!(message(&framed(&String::new())), Some(&b""[..]));
    }

    #[test]
    fn the_status_is_in_the_trailers_or_in_the_headers() {
        let of = |in_headers: &[(&'static str, &str)], in_trailers| {
            let mut all = headers(in_headers);
            all.insert("content-type", "application/grpc+proto".parse().unwrap());
            failure(StatusCode::OK, &all, &headers(in_trailers))
        };
        let failed = |code, words: Option<&str>| {
            let words = words.map(str::to_owned);
            Some(GrpcFailure { code, words })
        };
        assert_eq!(of(&[], &[("grpc-status", "0")]), None);
        assert_eq!(of(&[], &[("grpc-status", "16")]), failed(Some(16), None));
        let in_headers = [("grpc-status", "7"), ("grpc-message", "not%20yours")];
        assert_eq!(of(&in_headers, &[]), failed(Some(7), Some("not yours")));
        assert_eq!(of(&[], &[]), failed(None, None));
        assert_eq!(of(&[], &[("grpc-status", "fine")]), failed(None, None));
        let html = headers(&[("content-type", "text/html")]);
        assert_eq!(failure(StatusCode::OK, &html, &HeaderMap::new()), None);
    }

    #[test]
    fn codes_are_errors_as_over_http() {
        let secrets = Secrets::new(["0123456789"]);
        let call = ReadCall {
            provider: "test",
            operation: "testing",
            secrets: &secrets,
            max_body: 100,
            pace: None,
            explain: &|_, _| None,
        };
        for (code, kind, retry) in [
            (Some(16), ErrorKind::CredentialsRefused, Retry::No),
            (Some(7), ErrorKind::CredentialsRefused, Retry::No),
            (Some(8), ErrorKind::RateLimited, Retry::Soon),
            (Some(14), ErrorKind::Network, Retry::Soon),
            (Some(13), ErrorKind::Server, Retry::Soon),
            (Some(3), ErrorKind::Protocol, Retry::No),
            (None, ErrorKind::Protocol, Retry::No),
        ] {
            let words = Some("no such key 0123456789".to_owned());
            let error = GrpcFailure { code, words }.error(&call, &HeaderMap::new());
            assert_eq!((error.kind, error.retry), (kind, retry), "{code:?}");
            assert!(!error.message.contains("0123456789"), "{}", error.message);
        }
    }
}
