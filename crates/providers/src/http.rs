//! The HTTP client that all providers share.

use std::cell::OnceCell;
use std::net::IpAddr;
use std::rc::Rc;
use std::sync::Arc;
use std::time::Duration;

use reqwest::{Client, Url};
use rustls::ClientConfig;
use rustls_platform_verifier::BuilderVerifierExt as _;

use crate::error::{ErrorKind, ProviderError};

/// The time limits of requests.
#[derive(Clone, Copy, Debug)]
pub struct Timeouts {
    /// The limit for one provider's whole answer, with all attempts.
    pub total: Duration,
}

impl Timeouts {
    /// Returns the limit for one attempt, which leaves time for a second one.
    pub fn attempt(self) -> Duration {
        self.total.mul_f64(0.45)
    }

    /// Returns the limit for opening a connection.
    pub fn connect(self) -> Duration {
        self.attempt().min(Duration::from_secs(5))
    }
}

/// The HTTP client that all providers share. It is built at the first request, because loading
/// certificates takes time.
#[derive(Debug)]
pub struct Http {
    client: Rc<OnceCell<Client>>,
    timeouts: Timeouts,
    user_agent: &'static str,
    allows_plain: bool,
}

impl Http {
    /// Creates a client, which is built at the first request.
    pub fn new(timeouts: Timeouts, user_agent: &'static str) -> Self {
        Self {
            client: Rc::default(),
            timeouts,
            user_agent,
            allows_plain: false,
        }
    }

    /// Returns the same client, which sends keys without encryption to other machines if that is
    /// allowed.
    #[must_use]
    pub fn with_plain_http(&self, allows_plain_http: bool) -> Self {
        Self {
            client: Rc::clone(&self.client),
            timeouts: self.timeouts,
            user_agent: self.user_agent,
            allows_plain: allows_plain_http,
        }
    }

    /// Returns true if a key may be sent to an address: with TLS, within this machine, or if plain
    /// HTTP is allowed.
    pub fn may_send_key(&self, address: &Url) -> bool {
        let host = address.host_str().unwrap_or_default();
        let ip: Option<IpAddr> = host.trim_matches(['[', ']']).parse().ok();
        let is_here = ip.map_or(host == "localhost", |ip| ip.is_loopback());
        address.scheme() == "https" || is_here || self.allows_plain
    }

    /// Returns the same client with other time limits.
    #[must_use]
    pub fn with_timeouts(&self, timeouts: Timeouts) -> Self {
        Self {
            client: Rc::clone(&self.client),
            timeouts,
            user_agent: self.user_agent,
            allows_plain: self.allows_plain,
        }
    }

    pub(crate) fn client(&self, provider: &'static str) -> Result<&Client, ProviderError> {
        if let Some(client) = self.client.get() {
            return Ok(client);
        }
        let failed = |reason: String| {
            let message = format!("cannot make an HTTPS client: {reason}");
            ProviderError::new(provider, ErrorKind::Network, message)
        };
        let tls = tls_config().map_err(|error| failed(error.to_string()))?;
        let client = Client::builder()
            .user_agent(self.user_agent)
            .redirect(reqwest::redirect::Policy::none())
            .connect_timeout(self.timeouts.connect())
            .tls_backend_preconfigured(tls)
            .build()
            .map_err(|error| failed(error.without_url().to_string()))?;
        Ok(self.client.get_or_init(|| client))
    }

    /// Returns the time limits of this client.
    pub fn timeouts(&self) -> Timeouts {
        self.timeouts
    }
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

/// Returns the error of an address to which a key would be sent without encryption.
pub fn unencrypted(provider: &'static str, address: &Url) -> ProviderError {
    let host = address.host_str().unwrap_or_default();
    let message = format!("http://{host} would get your key without encryption");
    ProviderError::new(provider, ErrorKind::Network, message)
        .hint("use an https address, or allow plain HTTP with `insecure`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_sent_only_with_tls_or_locally() {
        let timeouts = Timeouts {
            total: Duration::from_secs(1),
        };
        let http = Http::new(timeouts, "test");
        for (address, may_send) in [
            ("https://example.com", true),
            ("http://127.0.0.1:8080", true),
            ("http://[::1]:8080", true),
            ("http://localhost", true),
            ("http://example.com", false),
            ("http://10.0.0.1", false),
            ("http://127.0.0.1.example.com", false),
            ("http://localhost.example.com", false),
        ] {
            let address = Url::parse(address).unwrap();
            assert_eq!(http.may_send_key(&address), may_send, "{address}");
        }
        let plain = Url::parse("http://example.com").unwrap();
        assert!(http.with_plain_http(true).may_send_key(&plain));
    }

    #[test]
    fn the_client_has_its_own_cryptography_provider() {
        let timeouts = Timeouts {
            total: Duration::from_secs(1),
        };
        assert!(Http::new(timeouts, "test").client("test").is_ok());
        assert!(rustls::crypto::CryptoProvider::get_default().is_none());
    }
}
