//! The signed JWT assertion for the login of a service account, with RS256.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Value, json};

use crate::signing::RsaKey;

/// The time for which an assertion is valid, in seconds: the longest that Google accepts.
const VALID_S: i64 = 3600;

/// The JWT assertion of a service account, before it is signed.
pub(super) struct JwtAssertion<'s> {
    pub email: &'s str,
    pub key_id: Option<&'s str>,
    /// The rights that the token will have, separated by spaces.
    pub scope: &'s str,
    /// The address of the token server.
    pub audience: &'s str,
    /// The current time in seconds since 1970.
    pub at: i64,
}

impl JwtAssertion<'_> {
    /// Returns the assertion with a signature by a private key in PEM form; `None` if that is not an
    /// RSA key.
    pub(super) fn signed(&self, private_key: &str) -> Option<String> {
        let key = RsaKey::from_pem(private_key)?;
        let mut header = json!({ "alg": "RS256", "typ": "JWT" });
        if let Some(id) = self.key_id {
            header["kid"] = json!(id);
        }
        let claims = json!({
            "iss": self.email,
            "scope": self.scope,
            "aud": self.audience,
            "iat": self.at,
            "exp": self.at + VALID_S,
        });
        let part = |value: &Value| URL_SAFE_NO_PAD.encode(value.to_string());
        let text = format!("{}.{}", part(&header), part(&claims));
        let signature = key.sign(text.as_bytes())?;
        Some(format!("{text}.{}", URL_SAFE_NO_PAD.encode(signature)))
    }
}

#[cfg(test)]
mod tests {
    use rustls::SignatureScheme;

    use super::*;

    /// A key for tests only.
    const TEST_KEY: &str = include_str!("test-key.pem");
    const PUBLIC_KEY: &[u8] = include_bytes!("test-key.der");

    #[test]
    fn assertions_are_signed_as_openssl_verifies_them() {
        let assertion = JwtAssertion {
            email: "a@b.example",
            key_id: Some("k1"),
            scope: "read",
            audience: "https://token.example",
            at: 1_000,
        };
        let signed = assertion.signed(TEST_KEY).unwrap();
        let parts: Vec<&str> = signed.split('.').collect();
        let read = |text: &str| URL_SAFE_NO_PAD.decode(text).unwrap();
        let value = |text: &str| serde_json::from_slice::<Value>(&read(text)).unwrap();
        assert_eq!(value(parts[0])["kid"], "k1");
        assert_eq!(value(parts[1])["exp"], 4_600);
        let text = format!("{}.{}", parts[0], parts[1]);
        let algorithms = rustls::crypto::ring::default_provider().signature_verification_algorithms;
        let mut schemes = algorithms.mapping.iter();
        let (_, algorithms) = schemes
            .find(|(scheme, _)| *scheme == SignatureScheme::RSA_PKCS1_SHA256)
            .unwrap();
        let verified = algorithms[0].verify_signature(PUBLIC_KEY, text.as_bytes(), &read(parts[2]));
        verified.unwrap();
        for bad in [
            "",
            "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n",
        ] {
            assert_eq!(assertion.signed(bad), None);
        }
    }
}
