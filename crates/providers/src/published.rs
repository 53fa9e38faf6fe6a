//! A published catalog: one file at an address that the user names. No key is sent.

use url::Url;

use crate::address::{is_this_machine, secrets_of};
use crate::context::Context;
use crate::error::{ErrorKind, ProviderError};
use crate::read_call::ReadCall;
use crate::secret::Secrets;

/// The id of the source in errors.
pub const PUBLISHED: &str = "published";
const OPERATION: &str = "downloading the catalog";
/// A compiled catalog has about 3 MB.
const MAX_BODY: usize = 64 << 20;
/// Hosts of releases redirect once, to their storage.
const MAX_REDIRECTS: usize = 3;

/// Downloads the file at an address. Redirects are followed: the file is checked, whichever server sends it.
///
/// # Errors
///
/// Fails with [`ErrorKind::Network`] if the address, or an address that it redirects to, is not an HTTPS URL without a
/// password, with [`ErrorKind::Protocol`] if the file is too large or does not exist, and like any request.
pub async fn published_file(
    address: &str,
    context: &Context<'_>,
) -> Result<Vec<u8>, ProviderError> {
    let mut address = url(address, None, context)?;
    let secrets = Secrets::default();
    for _ in 0..=MAX_REDIRECTS {
        let call = ReadCall {
            provider: PUBLISHED,
            operation: OPERATION,
            secrets: &secrets,
            max_body: MAX_BODY,
            pace: None,
            explain: &|_, _| None,
        };
        let reply = context.read(&call, |client| client.get(address.clone()));
        let error = match reply.await {
            Ok(reply) => return Ok(reply.body),
            Err(error) => error,
        };
        let next = error.redirect.as_ref().and_then(|next| next.to_str().ok());
        let Some(next) = next else {
            return Err(error);
        };
        address = url(next, Some(&address), context)?;
    }
    let message = format!("more than {MAX_REDIRECTS} redirects ({OPERATION})");
    Err(ProviderError::new(PUBLISHED, ErrorKind::Protocol, message))
}

/// Parses an address, which may be relative to another. HTTP is allowed within this machine only, unless the user
/// allows it.
fn url(address: &str, base: Option<&Url>, context: &Context<'_>) -> Result<Url, ProviderError> {
    let failed = |message: String| ProviderError::new(PUBLISHED, ErrorKind::Network, message);
    let parsed = match base {
        Some(base) => base.join(address),
        None => Url::parse(address),
    };
    let parsed = parsed.map_err(|error| failed(format!("the address is not a URL: {error}")))?;
    if !secrets_of(parsed.as_str()).is_empty() {
        let message = "the address has a password: download the file, and name it instead";
        return Err(failed(message.to_owned()));
    }
    let host = parsed.host_str().unwrap_or_default();
    // A server elsewhere must not make the program read from this machine.
    let is_from_here = base.is_none_or(|base| is_this_machine(base.host_str().unwrap_or_default()));
    let is_encrypted = parsed.scheme() == "https";
    let is_plain = parsed.scheme() == "http";
    let allows_plain = is_this_machine(host) || context.http.allows_plain_http();
    if host.is_empty() || !(is_encrypted || is_plain && allows_plain) {
        let message = format!("expected an address that begins with https://, not {parsed}");
        return Err(failed(message));
    }
    if is_this_machine(host) && !is_from_here {
        return Err(failed(
            "the answer is a redirect to this machine".to_owned(),
        ));
    }
    Ok(parsed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{run, serve};

    /// Serves `/file`, `/moved`, which redirects there, and `/loop`, which redirects to itself; everything else
    /// redirects to the address in its path.
    fn server() -> String {
        serve(|path| match path {
            "/file" => "200 OK\r\ncontent-length: 4\r\n\r\nfile".to_owned(),
            "/none" => "404 Not Found\r\ncontent-length: 0\r\n\r\n".to_owned(),
            other => {
                let to = match other {
                    "/moved" => "/file",
                    "/loop" => "/loop",
                    other => other.trim_start_matches('/'),
                };
                format!("302 Found\r\nlocation: {to}\r\ncontent-length: 0\r\n\r\n")
            }
        })
    }

    fn download(address: &str) -> Result<Vec<u8>, String> {
        let file = run(PUBLISHED, async |context| {
            published_file(address, context).await
        });
        file.map_err(|error| error.message)
    }

    #[test]
    fn follows_redirects_to_the_file() {
        let base = server();
        for path in ["file", "moved"] {
            assert_eq!(download(&format!("{base}/{path}")).unwrap(), b"file");
        }
        let error = download(&format!("{base}/loop")).unwrap_err();
        assert_eq!(error, "more than 3 redirects (downloading the catalog)");
        let error = download(&format!("{base}/none")).unwrap_err();
        assert_eq!(error, "HTTP 404 when downloading the catalog");
    }

    #[test]
    fn other_addresses_are_refused() {
        let base = server();
        for (address, why) in [
            ("here", "the address is not a URL"),
            ("file:///etc/passwd", "begins with https://"),
            ("http://example.com/x", "begins with https://"),
            ("https://me:secret@example.com/x", "has a password"),
            (
                &format!("{base}/file:///etc/passwd"),
                "begins with https://",
            ),
            (
                &format!("{base}/http://example.com"),
                "begins with https://",
            ),
        ] {
            let error = download(address).unwrap_err();
            assert!(error.contains(why), "{address}: {error}");
            assert!(!error.contains("secret"), "{error}");
        }
    }
}
