//! The HTTP client of a program in WebAssembly, which has no connections. The types have no values, so that code for
//! requests compiles but is never reached. Only this module knows that, so the compiler does not warn elsewhere.

use std::convert::Infallible;
use std::fmt::Display;
use std::time::Duration;

use http::{HeaderMap, StatusCode};
use serde::Serialize;
use url::Url;

use crate::error::NO_NETWORK;

/// The version of HTTP that a client speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HttpVersion {
    One,
    Two,
}

/// Fails, because no client can be made.
///
/// # Errors
///
/// Always.
pub(crate) fn clients(_: HttpVersion, _: &str, _: Duration) -> Result<(Client, Client), String> {
    Err(NO_NETWORK.to_owned())
}

/// A client.
#[derive(Clone, Debug)]
pub(crate) struct Client(Infallible);

impl Client {
    pub(crate) fn get(&self, _: impl Address) -> RequestBuilder {
        match self.0 {}
    }

    pub(crate) fn post(&self, _: impl Address) -> RequestBuilder {
        match self.0 {}
    }
}

/// An address as text or parsed.
pub(crate) trait Address {}

impl Address for &str {}
impl Address for &String {}
impl Address for Url {}

/// A request that is being built.
#[derive(Debug)]
pub(crate) struct RequestBuilder(Infallible);

impl RequestBuilder {
    pub(crate) fn header<N, V>(self, _: N, _: V) -> Self {
        self
    }

    pub(crate) fn bearer_auth(self, _: impl Display) -> Self {
        self
    }

    pub(crate) fn body(self, _: impl Into<Vec<u8>>) -> Self {
        self
    }

    pub(crate) fn json(self, _: &(impl Serialize + ?Sized)) -> Self {
        self
    }

    pub(crate) fn form(self, _: &(impl Serialize + ?Sized)) -> Self {
        self
    }

    pub(crate) fn build(self) -> Result<NoRequest, Error> {
        match self.0 {}
    }

    #[allow(clippy::unused_async, reason = "as the method of the real client")]
    pub(crate) async fn send(self) -> Result<Response, Error> {
        match self.0 {}
    }
}

/// A request.
#[derive(Debug)]
pub(crate) struct NoRequest(Infallible);

impl NoRequest {
    pub(crate) fn url(&self) -> &Url {
        match self.0 {}
    }

    pub(crate) fn headers(&self) -> &HeaderMap {
        match self.0 {}
    }
}

/// A response.
#[derive(Debug)]
pub(crate) struct Response(Infallible);

impl Response {
    pub(crate) fn status(&self) -> StatusCode {
        match self.0 {}
    }

    pub(crate) fn headers(&self) -> &HeaderMap {
        match self.0 {}
    }

    pub(crate) fn content_length(&self) -> Option<u64> {
        match self.0 {}
    }
}

/// A part of the body of an answer.
pub(crate) enum BodyPart {
    Data(Vec<u8>),
    Trailers(HeaderMap),
}

/// The body of an answer.
pub(crate) struct AnswerBody(Infallible);

impl AnswerBody {
    pub(crate) fn new(response: Response) -> Self {
        match response.0 {}
    }

    #[allow(clippy::unused_async, reason = "as the method of the real client")]
    pub(crate) async fn part(&mut self) -> Result<Option<BodyPart>, Error> {
        match self.0 {}
    }
}

/// The error of a request.
#[derive(Debug, thiserror::Error)]
#[error("{NO_NETWORK}")]
pub(crate) struct Error(Infallible);

impl Error {
    pub(crate) fn is_connect(&self) -> bool {
        match self.0 {}
    }

    pub(crate) fn is_timeout(&self) -> bool {
        match self.0 {}
    }
}
