//! Redaction of secrets in texts and answers.

use secrecy::{ExposeSecret, SecretString};

use crate::address::secrets_of;

/// The text that replaces a secret.
const REDACTED: &str = "[redacted]";
/// The minimum length of a secret: redacting shorter texts would garble ordinary text.
const MIN_LEN: usize = 6;

/// The secrets of one provider.
#[derive(Clone, Debug, Default)]
pub struct Secrets {
    /// The secrets that are long enough for redaction.
    long: Vec<SecretString>,
    is_any: bool,
}

impl Secrets {
    /// Collects secrets. Only secrets of at least six bytes are redacted, because redacting shorter
    /// ones would garble ordinary text.
    pub fn new<'s>(secrets: impl IntoIterator<Item = &'s str>) -> Self {
        let mut collected = Self::default();
        for secret in secrets {
            collected.is_any = true;
            if secret.len() >= MIN_LEN {
                collected.long.push(SecretString::from(secret));
            }
        }
        collected
    }

    /// Returns true without secrets.
    pub fn is_empty(&self) -> bool {
        !self.is_any
    }

    /// Adds a secret.
    #[must_use]
    pub fn and(&self, secret: &str) -> Self {
        let mut secrets = self.clone();
        secrets.add(Self::new([secret]));
        secrets
    }

    /// Adds the password in an address, if there is one.
    #[must_use]
    pub fn and_password_of(&self, address: &str) -> Self {
        let mut secrets = self.clone();
        let passwords = secrets_of(address);
        secrets.add(Self::new(passwords.iter().map(String::as_str)));
        secrets
    }

    fn add(&mut self, other: Self) {
        self.long.extend(other.long);
        self.is_any |= other.is_any;
    }

    /// Returns a text with the secrets replaced by `[redacted]`. JSON escapes are not decoded:
    /// bodies go through [`Self::redact_bytes`] before they are parsed.
    pub fn redact(&self, text: &str) -> String {
        self.long.iter().fold(text.to_owned(), |text, secret| {
            text.replace(secret.expose_secret(), REDACTED)
        })
    }

    /// Returns a body with the secrets replaced by `[redacted]`, also if JSON escapes some of their
    /// characters. A provider may repeat the request in its answer.
    pub fn redact_bytes(&self, mut body: Vec<u8>) -> Vec<u8> {
        for secret in &self.long {
            if let Some(clean) = without(&body, secret.expose_secret().as_bytes()) {
                body = clean;
            }
        }
        body
    }
}

/// Removes a secret from a body; `None` if it is not in it.
fn without(body: &[u8], secret: &[u8]) -> Option<Vec<u8>> {
    let first = *secret.first()?;
    let mut clean = Vec::new();
    let (mut kept, mut at) = (0, 0);
    while let Some(found) = memchr::memchr2(first, b'\\', &body[at..]) {
        let start = at + found;
        match written_len(&body[start..], secret) {
            Some(len) => {
                clean.extend_from_slice(&body[kept..start]);
                clean.extend_from_slice(REDACTED.as_bytes());
                kept = start + len;
                at = kept;
            }
            None => at = start + 1,
        }
    }
    clean.extend_from_slice(&body[kept..]);
    (kept > 0).then_some(clean)
}

/// Returns the length of a secret at the start of a text, with JSON escapes; `None` if the text
/// does not start with it.
fn written_len(text: &[u8], secret: &[u8]) -> Option<usize> {
    if text.starts_with(secret) {
        return Some(secret.len());
    }
    let mut rest = text;
    for byte in secret {
        let (read, after) = match rest {
            [b'\\', b'u', b'0', b'0', high, low, after @ ..] => {
                let digit = |hex: &u8| char::from(*hex).to_digit(16);
                (digit(high)? * 16 + digit(low)?, after)
            }
            [b'\\', escaped @ (b'/' | b'"' | b'\\'), after @ ..] => (u32::from(*escaped), after),
            [plain, after @ ..] => (u32::from(*plain), after),
            [] => return None,
        };
        if read != u32::from(*byte) {
            return None;
        }
        rest = after;
    }
    Some(text.len() - rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn redacts_secrets() {
        let secrets = Secrets::new(["hunter22", "x"]).and("s3cr3t-token");
        assert_eq!(
            secrets.redact("key hunter22, token s3cr3t-token, x"),
            "key [redacted], token [redacted], x"
        );
        assert_eq!(
            secrets.redact_bytes(b"a hunter22 hunter22 b".to_vec()),
            b"a [redacted] [redacted] b"
        );
        assert!(!format!("{secrets:?}").contains("hunter22"));
    }

    #[test]
    fn short_secrets_are_secrets_too() {
        assert!(!Secrets::new(["x"]).is_empty());
        assert!(Secrets::default().is_empty());
    }

    #[test]
    fn redacts_passwords_of_addresses() {
        let secrets = Secrets::default().and_password_of("https://user:hunter%4022@a.example");
        assert_eq!(
            secrets.redact("hunter@22 or hunter%4022"),
            "[redacted] or [redacted]"
        );
        assert!(
            Secrets::default()
                .and_password_of("https://a.example")
                .is_empty()
        );
    }

    #[test]
    fn redacts_escaped_secrets() {
        let secrets = Secrets::new(["key/\\+\"1", "hunter22"]);
        for (body, clean) in [
            (
                r#"{"m":"key\/\\+\"1 is wrong"}"#,
                r#"{"m":"[redacted] is wrong"}"#,
            ),
            (
                r#"{"m":"\u006bey/\u005C\u002b\u00221"}"#,
                r#"{"m":"[redacted]"}"#,
            ),
            (r"hunter22\u0068unter22\", r"[redacted][redacted]\"),
            ("key/\\+\"1", "[redacted]"),
            (r"\u0068unter2\u0033 \u00zz", r"\u0068unter2\u0033 \u00zz"),
        ] {
            let redacted = secrets.redact_bytes(body.as_bytes().to_vec());
            assert_eq!(String::from_utf8_lossy(&redacted), clean);
        }
    }
}
