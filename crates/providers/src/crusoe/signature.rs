//! Signatures of requests to Crusoe: an HMAC over path, query, method and time.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jiff::Timestamp;

use crate::signing::HmacKey;

/// The version of the signature.
const VERSION: &str = "1.0";

/// A secret key that signs requests.
pub(super) struct RequestSigner {
    id: String,
    key: HmacKey,
}

impl RequestSigner {
    /// Creates a signer; `None` if the secret is not in base64.
    pub(super) fn new(id: &str, secret: &str) -> Option<Self> {
        let secret = URL_SAFE_NO_PAD.decode(secret.trim_end_matches('=')).ok()?;
        Some(Self {
            id: id.to_owned(),
            key: HmacKey::new(&secret)?,
        })
    }

    /// Returns the time and the authorization of a GET request without a query.
    pub(super) fn headers(&self, path: &str, now: Timestamp) -> [String; 2] {
        let time = now.strftime("%Y-%m-%dT%H:%M:%SZ").to_string();
        let text = format!("{path}\n\nGET\n{time}\n");
        let signature = self.key.sign(text.as_bytes());
        let signature = URL_SAFE_NO_PAD.encode(signature);
        let authorization = format!("Bearer {VERSION}:{}:{signature}", self.id);
        [time, authorization]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_signed_as_documented() {
        let signer = RequestSigner::new("id", "c2VjcmV0MA==").unwrap();
        let now = Timestamp::from_second(1_646_114_400).unwrap();
        let [time, authorization] = signer.headers("/v1/capacities", now);
        assert_eq!(time, "2022-03-01T06:00:00Z");
        // As `openssl dgst -sha256 -hmac secret0` computes it.
        assert_eq!(
            authorization,
            "Bearer 1.0:id:QhFiw6K9pN24YZRpFinsx--U4xZRF66vQmf6fVy9jAc"
        );
        assert!(RequestSigner::new("id", "not base64!").is_none());
    }
}
