//! The HTTP client, with TLS by ring and the root certificates of the platform.

use std::sync::Arc;
use std::time::Duration;

use http::HeaderMap;
use http_body_util::BodyExt as _;
use prost::bytes::Bytes;
use reqwest::{Body, ClientBuilder, Response};
use rustls::ClientConfig;
use rustls_platform_verifier::BuilderVerifierExt as _;

use crate::roots::check_root_certificates;

pub(crate) use reqwest::{Client, Error, RequestBuilder};

/// The version of HTTP that a client speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum HttpVersion {
    /// HTTP/1.1.
    One,
    /// HTTP/2, without an offer of another version.
    Two,
}

/// A part of the body of an answer.
pub(crate) enum BodyPart {
    Data(Bytes),
    /// The headers after the body.
    Trailers(HeaderMap),
}

/// The body of an answer, which arrives in parts.
pub(crate) struct AnswerBody(Body);

impl AnswerBody {
    pub(crate) fn new(response: Response) -> Self {
        let response: http::Response<Body> = response.into();
        Self(response.into_body())
    }

    /// Returns the next part; `None` after the last one.
    ///
    /// # Errors
    ///
    /// Fails if the connection breaks.
    pub(crate) async fn part(&mut self) -> Result<Option<BodyPart>, Error> {
        let Some(frame) = self.0.frame().await.transpose()? else {
            return Ok(None);
        };
        Ok(Some(match frame.into_data() {
            Ok(data) => BodyPart::Data(data),
            Err(frame) => BodyPart::Trailers(frame.into_trailers().unwrap_or_default()),
        }))
    }
}

/// Returns a client that uses the proxies of the environment, and a client that uses none.
///
/// # Errors
///
/// Fails with the reason if no client can be made.
pub(crate) fn clients(
    version: HttpVersion,
    user_agent: &str,
    connect_timeout: Duration,
) -> Result<(Client, Client), String> {
    check_root_certificates().map_err(|error| error.to_string())?;
    let tls = tls_config(version).map_err(|error| error.to_string())?;
    let builder = || {
        let builder = Client::builder()
            .user_agent(user_agent)
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(connect_timeout)
            .tls_backend_preconfigured(tls.clone());
        match version {
            HttpVersion::One => builder.http1_only(),
            HttpVersion::Two => builder.http2_prior_knowledge(),
        }
    };
    let built = |builder: ClientBuilder| {
        let client = builder.build();
        client.map_err(|error| error.without_url().to_string())
    };
    Ok((built(builder())?, built(builder().no_proxy())?))
}

/// The TLS configuration: ring, and the platform's root certificates.
///
/// The cryptography provider is set for this client alone. The process-wide default of rustls stays
/// unset, because other crates of the process may rely on it.
fn tls_config(version: HttpVersion) -> Result<ClientConfig, rustls::Error> {
    let cryptography = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(cryptography)
        .with_safe_default_protocol_versions()?
        .with_platform_verifier()?
        .with_no_client_auth();
    config.alpn_protocols = vec![match version {
        HttpVersion::One => b"http/1.1".to_vec(),
        HttpVersion::Two => b"h2".to_vec(),
    }];
    Ok(config)
}
