//! Keys that requests carry as bearer tokens.

use reqwest::RequestBuilder;
use secrecy::{ExposeSecret, SecretString};

use crate::access::Access;
use crate::credentials::is_header_safe;
use crate::secret::Secrets;

/// The key that requests carry as a bearer token; none by default.
#[derive(Debug, Default)]
pub(crate) struct Bearer {
    key: Option<SecretString>,
    secrets: Secrets,
}

impl Bearer {
    /// Creates a key, without the white space around it; `None` if a header cannot contain it.
    pub(crate) fn new(key: &str) -> Option<Self> {
        let key = key.trim();
        is_header_safe(key).then(|| Self {
            key: Some(key.into()),
            secrets: Secrets::new([key]),
        })
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
        match &self.key {
            Some(key) => request.bearer_auth(key.expose_secret()),
            None => request,
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
    use super::*;

    #[test]
    fn trims_keys() {
        let key = Bearer::new(" 0123456789\n").unwrap();
        assert_eq!((key.access(), key.account()), (Access::Key, "0123456789"));
        let none = Bearer::default();
        assert_eq!((none.access(), none.account()), (Access::Public, ""));
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
