//! Keys that sign requests.

use ring::hmac;
use ring::rand::SystemRandom;
use ring::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use rustls::pki_types::PrivateKeyDer;
use rustls::pki_types::pem::PemObject as _;

/// A private RSA key.
pub(crate) struct RsaKey(RsaKeyPair);

impl RsaKey {
    /// Reads a key in PEM form; `None` if it is not a readable RSA key of at least 2048 bits, or is
    /// encrypted.
    pub(crate) fn from_pem(pem: &str) -> Option<Self> {
        let key = PrivateKeyDer::from_pem_slice(pem.as_bytes()).ok()?;
        let pair = match &key {
            PrivateKeyDer::Pkcs1(der) => RsaKeyPair::from_der(der.secret_pkcs1_der()),
            PrivateKeyDer::Pkcs8(der) => RsaKeyPair::from_pkcs8(der.secret_pkcs8_der()),
            _ => return None,
        };
        pair.ok().map(Self)
    }

    /// Signs a text with PKCS #1 v1.5 and SHA-256; `None` if the signature cannot be made.
    pub(crate) fn sign(&self, text: &[u8]) -> Option<Vec<u8>> {
        let mut signature = vec![0; self.0.public().modulus_len()];
        let random = SystemRandom::new();
        let signed = self
            .0
            .sign(&RSA_PKCS1_SHA256, &random, text, &mut signature);
        signed.ok().map(|()| signature)
    }

    #[cfg(test)]
    pub(crate) fn public(&self) -> &ring::rsa::PublicKey {
        self.0.public()
    }
}

/// A secret key of an HMAC with SHA-256.
pub(crate) struct HmacKey(hmac::Key);

impl HmacKey {
    #[expect(
        clippy::unnecessary_wraps,
        reason = "without a network there are no keys"
    )]
    pub(crate) fn new(secret: &[u8]) -> Option<Self> {
        Some(Self(hmac::Key::new(hmac::HMAC_SHA256, secret)))
    }

    pub(crate) fn sign(&self, text: &[u8]) -> impl AsRef<[u8]> + use<> {
        hmac::sign(&self.0, text)
    }
}
