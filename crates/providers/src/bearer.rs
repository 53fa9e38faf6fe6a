//! Keys that requests carry as bearer tokens.

use reqwest::RequestBuilder;
use secrecy::{ExposeSecret, SecretString};

use crate::credentials::is_header_safe;
use crate::offer::Access;
use crate::secret::Secrets;

/// The key that requests carry as a bearer token; by default they carry none.
#[derive(Debug, Default)]
pub(crate) struct Bearer {
    key: Option<SecretString>,
    secrets: Secrets,
}

impl Bearer {
    /// Takes a key, with or without white space around it. `None` if no header can hold it.
    pub(crate) fn new(key: &str) -> Option<Self> {
        let key = key.trim();
        is_header_safe(key).then(|| Self {
            key: Some(key.into()),
            secrets: Secrets::new([key]),
        })
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

    /// The key as the account of a [`cache::Key`](crate::cache::Key), empty without one.
    pub(crate) fn account(&self) -> &str {
        self.key.as_ref().map_or("", ExposeSecret::expose_secret)
    }

    /// The key, for removal from texts and answers.
    pub(crate) fn secrets(&self) -> &Secrets {
        &self.secrets
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_around_a_key_is_not_part_of_it() {
        let key = Bearer::new(" 0123456789\n").unwrap();
        assert_eq!((key.access(), key.account()), (Access::Key, "0123456789"));
        let none = Bearer::default();
        assert_eq!((none.access(), none.account()), (Access::Public, ""));
    }

    #[test]
    fn a_key_that_no_header_can_hold_is_no_key() {
        for text in ["", " ", "two words", "line\nbreak", "caf\u{e9}"] {
            assert!(Bearer::new(text).is_none(), "{text:?}");
        }
    }

    #[test]
    fn debugging_shows_no_key() {
        let key = Bearer::new("0123456789").unwrap();
        assert!(!format!("{key:?}").contains("0123456789"));
    }
}
