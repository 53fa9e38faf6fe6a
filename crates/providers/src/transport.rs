//! The HTTP client, with TLS by ring and the root certificates of the platform.

use std::sync::Arc;
use std::time::Duration;

use reqwest::ClientBuilder;
use rustls::ClientConfig;
use rustls_platform_verifier::BuilderVerifierExt as _;

use crate::roots::check_root_certificates;

pub(crate) use reqwest::{Client, Error, RequestBuilder};

/// Returns a client that uses the proxies of the environment, and a client that uses none.
///
/// # Errors
///
/// Fails with the reason if no client can be made.
pub(crate) fn clients(
    user_agent: &str,
    connect_timeout: Duration,
) -> Result<(Client, Client), String> {
    check_root_certificates().map_err(|error| error.to_string())?;
    let tls = tls_config().map_err(|error| error.to_string())?;
    let builder = || {
        Client::builder()
            .user_agent(user_agent)
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(connect_timeout)
            .tls_backend_preconfigured(tls.clone())
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
fn tls_config() -> Result<ClientConfig, rustls::Error> {
    let cryptography = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(cryptography)
        .with_safe_default_protocol_versions()?
        .with_platform_verifier()?
        .with_no_client_auth();
    // The client does not speak HTTP/2.
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(config)
}
