//! The HTTP client that all providers share.

use std::cell::OnceCell;
use std::rc::Rc;
use std::time::Duration;

use url::Url;

use crate::address::is_this_machine;
use crate::error::{ErrorKind, ProviderError};
use crate::transport::{self, Client, HttpVersion, RequestBuilder};

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

/// The two clients of a program for a version of HTTP.
#[derive(Debug)]
pub(crate) struct Clients {
    /// The client that uses the proxies of the environment.
    proxied: Client,
    /// The client for servers on this machine. A proxy would get their keys without encryption.
    direct: Client,
}

impl Clients {
    /// Returns the client for the server of an address.
    fn of(&self, address: &Url) -> &Client {
        if is_this_machine(address.host_str().unwrap_or_default()) {
            &self.direct
        } else {
            &self.proxied
        }
    }

    /// Returns the client for a request, which `make` builds.
    pub(crate) fn for_request(&self, make: impl Fn(&Client) -> RequestBuilder) -> &Client {
        let request = make(&self.direct).build();
        // The error of an invalid request is the same for both clients.
        request.map_or(&self.direct, |request| self.of(request.url()))
    }
}

/// The HTTP client that all providers share. It is built at the first request, because loading
/// certificates takes time.
#[derive(Debug)]
pub struct Http {
    clients: Rc<OnceCell<Clients>>,
    /// The clients for gRPC.
    http2_clients: Rc<OnceCell<Clients>>,
    timeouts: Timeouts,
    user_agent: &'static str,
    allows_plain: bool,
}

impl Http {
    /// Creates a client, which is built at the first request.
    pub fn new(timeouts: Timeouts, user_agent: &'static str) -> Self {
        Self {
            clients: Rc::default(),
            http2_clients: Rc::default(),
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
            clients: Rc::clone(&self.clients),
            http2_clients: Rc::clone(&self.http2_clients),
            timeouts: self.timeouts,
            user_agent: self.user_agent,
            allows_plain: allows_plain_http,
        }
    }

    /// Returns true if a key may be sent to an address: with TLS, within this machine, or if plain
    /// HTTP is allowed.
    pub fn may_send_key(&self, address: &Url) -> bool {
        let is_here = is_this_machine(address.host_str().unwrap_or_default());
        address.scheme() == "https" || is_here || self.allows_plain
    }

    /// Returns true if keys may be sent without encryption to other machines.
    pub fn allows_plain_http(&self) -> bool {
        self.allows_plain
    }

    /// Returns the same client with other time limits.
    #[must_use]
    pub fn with_timeouts(&self, timeouts: Timeouts) -> Self {
        Self {
            clients: Rc::clone(&self.clients),
            http2_clients: Rc::clone(&self.http2_clients),
            timeouts,
            user_agent: self.user_agent,
            allows_plain: self.allows_plain,
        }
    }

    pub(crate) fn clients(
        &self,
        version: HttpVersion,
        provider: &'static str,
    ) -> Result<&Clients, ProviderError> {
        let made = match version {
            HttpVersion::One => &self.clients,
            HttpVersion::Two => &self.http2_clients,
        };
        if let Some(clients) = made.get() {
            return Ok(clients);
        }
        let failed = |reason: String| {
            let message = format!("cannot make an HTTPS client: {reason}");
            ProviderError::new(provider, ErrorKind::Network, message)
        };
        let clients = transport::clients(version, self.user_agent, self.timeouts.connect());
        let (proxied, direct) = clients.map_err(failed)?;
        let clients = Clients { proxied, direct };
        Ok(made.get_or_init(|| clients))
    }

    /// Returns the time limits of this client.
    pub fn timeouts(&self) -> Timeouts {
        self.timeouts
    }
}

/// Returns the error of a host to which a key would be sent without encryption.
pub fn unencrypted(provider: &'static str, host: &str) -> ProviderError {
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
            ("http://127.1", true),
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
        assert!(
            Http::new(timeouts, "test")
                .clients(HttpVersion::One, "test")
                .is_ok()
        );
        assert!(rustls::crypto::CryptoProvider::get_default().is_none());
    }
}
