//! Keys that sign requests: a program in WebAssembly sends none, and has no keys.

use std::convert::Infallible;

/// A private RSA key.
pub(crate) struct RsaKey(Infallible);

impl RsaKey {
    pub(crate) fn from_pem(_: &str) -> Option<Self> {
        None
    }

    pub(crate) fn sign(&self, _: &[u8]) -> Option<Vec<u8>> {
        match self.0 {}
    }
}

/// A secret key of an HMAC with SHA-256.
pub(crate) struct HmacKey(Infallible);

impl HmacKey {
    pub(crate) fn new(_: &[u8]) -> Option<Self> {
        None
    }

    pub(crate) fn sign(&self, _: &[u8]) -> [u8; 32] {
        match self.0 {}
    }
}
