//! Signatures of requests to Oracle Cloud: RSA with SHA-256 over some headers.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use jiff::Timestamp;
use sha2::{Digest as _, Sha256};
use url::Url;

use crate::signing::RsaKey;

/// A private key that signs requests.
pub(super) struct RequestSigner {
    key: RsaKey,
    /// The name of the key: tenancy, user and fingerprint.
    key_id: String,
}

/// The headers of a signed request.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SignedHeaders(pub Vec<(&'static str, String)>);

impl RequestSigner {
    /// Creates a signer; `None` if [`RsaKey::from_pem`] cannot read the key.
    pub(super) fn new(pem: &str, key_id: String) -> Option<Self> {
        let key = RsaKey::from_pem(pem)?;
        Some(Self { key, key_id })
    }

    /// Returns the headers of a request, without `host` and `content-length`, which the HTTP client
    /// adds. `body` is the body of a POST request. `None` if the signature cannot be made.
    pub(super) fn headers(
        &self,
        url: &Url,
        body: Option<&[u8]>,
        now: Timestamp,
    ) -> Option<SignedHeaders> {
        let date = jiff::fmt::rfc2822::DateTimePrinter::new()
            .timestamp_to_rfc9110_string(&now)
            .ok()?;
        let method = if body.is_some() { "post" } else { "get" };
        let query = url.query().map(|query| format!("?{query}"));
        let target = format!("{method} {}{}", url.path(), query.unwrap_or_default());
        let host = match (url.host_str()?, url.port()) {
            (host, Some(port)) => format!("{host}:{port}"),
            (host, None) => host.to_owned(),
        };
        let mut signed = vec![
            ("date", date.clone()),
            ("(request-target)", target),
            ("host", host),
        ];
        let mut sent = vec![("date", date)];
        if let Some(body) = body {
            let digest = STANDARD.encode(Sha256::digest(body));
            let kind = "application/json".to_owned();
            signed.extend([
                ("content-length", body.len().to_string()),
                ("content-type", kind.clone()),
                ("x-content-sha256", digest.clone()),
            ]);
            sent.extend([("content-type", kind), ("x-content-sha256", digest)]);
        }
        let names: Vec<&str> = signed.iter().map(|(name, _)| *name).collect();
        let lines: Vec<String> = signed
            .iter()
            .map(|(name, value)| format!("{name}: {value}"))
            .collect();
        let signature = self.key.sign(lines.join("\n").as_bytes())?;
        let authorization = format!(
            r#"Signature algorithm="rsa-sha256",headers="{}",keyId="{}",signature="{}",version="1""#,
            names.join(" "),
            self.key_id,
            STANDARD.encode(signature)
        );
        sent.push(("authorization", authorization));
        Some(SignedHeaders(sent))
    }
}

#[cfg(test)]
mod tests {
    use ring::signature::{RSA_PKCS1_2048_8192_SHA256, UnparsedPublicKey};

    use super::*;

    /// A key for tests, which is used nowhere else.
    const KEY: &str = include_str!("../../../../standin/src/services/oci_key.pem");

    fn verify(signer: &RequestSigner, headers: &SignedHeaders, message: &str) -> bool {
        let authorization = &headers.0.last().unwrap().1;
        let signature = authorization.split("signature=\"").nth(1).unwrap();
        let signature = STANDARD
            .decode(signature.split('"').next().unwrap())
            .unwrap();
        let public = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, signer.key.public());
        public.verify(message.as_bytes(), &signature).is_ok()
    }

    #[test]
    fn requests_are_signed_as_documented() {
        let signer = RequestSigner::new(KEY, "t/u/f".to_owned()).unwrap();
        let now = Timestamp::from_second(1_388_957_500).unwrap();
        let url = Url::parse("https://iaas.us-ashburn-1.oraclecloud.com/20160918/shapes?a=b%20c")
            .unwrap();
        let headers = signer.headers(&url, None, now).unwrap();
        let message = "date: Sun, 05 Jan 2014 21:31:40 GMT\n\
            (request-target): get /20160918/shapes?a=b%20c\n\
            host: iaas.us-ashburn-1.oraclecloud.com";
        assert!(verify(&signer, &headers, message), "{headers:?}");
        let authorization = &headers.0.last().unwrap().1;
        assert!(authorization.starts_with(
            r#"Signature algorithm="rsa-sha256",headers="date (request-target) host",keyId="t/u/f","#
        ));
        let url = Url::parse("http://127.0.0.1:8080/20160918/computeCapacityReports").unwrap();
        let headers = signer.headers(&url, Some(b"{}"), now).unwrap();
        let message = "date: Sun, 05 Jan 2014 21:31:40 GMT\n\
            (request-target): post /20160918/computeCapacityReports\n\
            host: 127.0.0.1:8080\n\
            content-length: 2\n\
            content-type: application/json\n\
            x-content-sha256: RBNvo1WzZ4oRRq0W9+hknpT7T8If536DEMBg9hyq/4o=";
        assert!(verify(&signer, &headers, message), "{headers:?}");
    }

    #[test]
    fn unusable_keys_are_refused() {
        let label = format!("{KEY}OCI_API_KEY\n");
        assert!(RequestSigner::new(&label, String::new()).is_some());
        let encrypted = KEY.replace("PRIVATE KEY", "ENCRYPTED PRIVATE KEY");
        for key in ["", "key", &KEY[..200], &encrypted] {
            assert!(RequestSigner::new(key, String::new()).is_none());
        }
    }
}
