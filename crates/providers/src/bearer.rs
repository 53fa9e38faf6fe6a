//! Keys that requests carry in a header.

use http::header::HeaderValue;
use secrecy::{ExposeSecret, SecretString};

use crate::access::Access;
use crate::credentials::is_header_safe;
use crate::secret::Secrets;
use crate::transport::RequestBuilder;

/// The header that carries a key.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) enum KeyHeader {
    /// `Authorization` with the scheme `Bearer`.
    #[default]
    Bearer,
    /// A header with this name, whose value is the key alone.
    Plain(&'static str),
}

/// The key that requests carry as a bearer token or in another header; none by default.
#[derive(Debug, Default)]
pub(crate) struct Bearer {
    key: Option<SecretString>,
    header: KeyHeader,
    secrets: Secrets,
}

impl Bearer {
    /// Creates a key, without the white space around it; `None` if a header cannot contain it.
    pub(crate) fn new(key: &str) -> Option<Self> {
        let key = key.trim();
        is_header_safe(key).then(|| Self {
            key: Some(key.into()),
            header: KeyHeader::Bearer,
            secrets: Secrets::new([key]),
        })
    }

    /// Sends the key in a header.
    pub(crate) fn in_header(self, header: KeyHeader) -> Self {
        Self { header, ..self }
    }

    /// Redacts the password in the address of the server too.
    pub(crate) fn with_password_of(mut self, address: &str) -> Self {
        self.secrets = self.secrets.and_password_of(address);
        self
    }

    pub(crate) fn is_present(&self) -> bool {
        self.key.is_some()
    }

    pub(crate) fn access(&self) -> Access {
        match self.key {
            Some(_) => Access::Key,
            None => Access::Public,
        }
    }

    /// Adds the key, if there is one, to a request.
    pub(crate) fn sign(&self, request: RequestBuilder) -> RequestBuilder {
        let Some(key) = &self.key else {
            return request;
        };
        let key = key.expose_secret();
        match (self.header, HeaderValue::from_str(key)) {
            (KeyHeader::Plain(name), Ok(mut value)) => {
                value.set_sensitive(true);
                request.header(name, value)
            }
            _ => request.bearer_auth(key),
        }
    }

    /// Returns the key as the account of a [`CacheKey`](crate::cache::CacheKey); empty without a
    /// key.
    pub(crate) fn account(&self) -> &str {
        self.key.as_ref().map_or("", ExposeSecret::expose_secret)
    }

    /// Returns the key for redaction.
    pub(crate) fn secrets(&self) -> &Secrets {
        &self.secrets
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::http::{Http, Timeouts};
    use crate::transport::HttpVersion;

    #[test]
    fn trims_keys() {
        let key = Bearer::new(" 0123456789\n").unwrap();
        assert_eq!((key.access(), key.account()), (Access::Key, "0123456789"));
        let none = Bearer::default();
        assert_eq!((none.access(), none.account()), (Access::Public, ""));
    }

    #[test]
    fn a_key_is_in_the_header_of_its_provider() {
        let sent = |header: KeyHeader, name: &str| {
            let key = Bearer::new("0123456789").unwrap().in_header(header);
            let timeouts = Timeouts {
                total: Duration::from_secs(1),
            };
            let http = Http::new(timeouts, "test");
            let signed =
                |client: &crate::transport::Client| key.sign(client.get("http://127.0.0.1"));
            let client = http
                .clients(HttpVersion::One, "test")
                .unwrap()
                .for_request(signed);
            let request = signed(client).build().unwrap();
            let value = request.headers().get(name)?;
            assert!(value.is_sensitive());
            Some(value.to_str().unwrap().to_owned())
        };
        let bearer = sent(KeyHeader::Bearer, "authorization");
        assert_eq!(bearer.as_deref(), Some("Bearer 0123456789"));
        let plain = sent(KeyHeader::Plain("api_key"), "api_key");
        assert_eq!(plain.as_deref(), Some("0123456789"));
        assert_eq!(sent(KeyHeader::Plain("api_key"), "authorization"), None);
    }

    #[test]
    fn rejects_keys_that_a_header_cannot_contain() {
        for text in ["", " ", "two words", "line\nbreak", "caf\u{e9}"] {
            assert!(Bearer::new(text).is_none(), "{text:?}");
        }
    }

    #[test]
    fn debug_output_shows_no_key() {
        let key = Bearer::new("0123456789").unwrap();
        assert!(!format!("{key:?}").contains("0123456789"));
    }
}
