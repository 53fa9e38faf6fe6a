//! Secrets are kept out of everything that is read, by people or by us.

use secrecy::{ExposeSecret, SecretString};

/// The text that replaces a secret.
const REDACTED: &str = "[redacted]";
/// Nothing shorter is taken for a secret: replacing it would garble ordinary text.
const MIN_LEN: usize = 6;

/// The secrets of one provider, to be struck out wherever they turn up.
#[derive(Clone, Debug, Default)]
pub struct Secrets(Vec<SecretString>);

impl Secrets {
    /// Secrets of at least six bytes; shorter ones are left out, since replacing them would garble
    /// ordinary text.
    pub fn new<'s>(secrets: impl IntoIterator<Item = &'s str>) -> Self {
        let long = secrets.into_iter().filter(|secret| secret.len() >= MIN_LEN);
        Self(long.map(SecretString::from).collect())
    }

    /// The same and one more.
    #[must_use]
    pub fn and(&self, secret: &str) -> Self {
        let mut secrets = self.clone();
        secrets.0.extend(Self::new([secret]).0);
        secrets
    }

    /// A text without them.
    pub fn strike(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, secret| {
            text.replace(secret.expose_secret(), REDACTED)
        })
    }

    /// A body without them: a provider may repeat what it was sent.
    pub fn strike_bytes(&self, mut body: Vec<u8>) -> Vec<u8> {
        for secret in &self.0 {
            let secret = secret.expose_secret().as_bytes();
            if memchr::memmem::find(&body, secret).is_none() {
                continue;
            }
            let mut clean = Vec::with_capacity(body.len());
            let mut from = 0;
            for at in memchr::memmem::find_iter(&body, secret) {
                clean.extend_from_slice(&body[from..at]);
                clean.extend_from_slice(REDACTED.as_bytes());
                from = at + secret.len();
            }
            clean.extend_from_slice(&body[from..]);
            body = clean;
        }
        body
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_struck_out() {
        let secrets = Secrets::new(["hunter22", "x"]).and("s3cr3t-token");
        assert_eq!(
            secrets.strike("key hunter22, token s3cr3t-token, x"),
            "key [redacted], token [redacted], x"
        );
        assert_eq!(
            secrets.strike_bytes(b"a hunter22 hunter22 b".to_vec()),
            b"a [redacted] [redacted] b"
        );
        assert!(!format!("{secrets:?}").contains("hunter22"));
    }
}
