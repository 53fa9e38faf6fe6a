//! Addresses of servers: which servers run on this machine, and passwords in addresses.

use std::net::IpAddr;

use percent_encoding::percent_decode_str;
use url::Url;

/// Returns true if a host is this machine: `localhost` or a loopback address. Brackets around an
/// IPv6 address are ignored.
pub fn is_this_machine(host: &str) -> bool {
    let ip: Option<IpAddr> = host.trim_matches(['[', ']']).parse().ok();
    ip.map_or_else(
        || host.eq_ignore_ascii_case("localhost"),
        |ip| ip.to_canonical().is_loopback(),
    )
}

/// Returns an address without its user name and password.
pub fn without_password(address: &str) -> String {
    let Ok(mut url) = Url::parse(address) else {
        return address.to_owned();
    };
    if url.username().is_empty() && url.password().is_none() {
        return address.to_owned();
    }
    // An address with a host accepts both.
    let _ = url.set_password(None);
    let _ = url.set_username("");
    url.into()
}

/// Returns the secrets in an address: the password, as written and without percent-encoding. A
/// user name without a password is a token.
pub(crate) fn secrets_of(address: &str) -> Vec<String> {
    let Ok(url) = Url::parse(address) else {
        return Vec::new();
    };
    let secret = url.password().unwrap_or_else(|| url.username());
    if secret.is_empty() {
        return Vec::new();
    }
    let decoded = percent_decode_str(secret).decode_utf8_lossy().into_owned();
    let mut secrets = vec![secret.to_owned()];
    if decoded != secret {
        secrets.push(decoded);
    }
    secrets
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognizes_this_machine() {
        for host in [
            "localhost",
            "LocalHost",
            "127.0.0.1",
            "127.1.2.3",
            "::1",
            "[::1]",
            "[::ffff:127.0.0.1]",
        ] {
            assert!(is_this_machine(host), "{host}");
        }
        for host in [
            "",
            "example.com",
            "10.0.0.1",
            "0.0.0.0",
            "127.0.0.1.example.com",
            "localhost.example.com",
        ] {
            assert!(!is_this_machine(host), "{host}");
        }
    }

    #[test]
    fn removes_passwords() {
        for (address, clean) in [
            ("https://a.example/v1", "https://a.example/v1"),
            ("https://user:pass@a.example/v1", "https://a.example/v1"),
            ("http://token@[::1]:8080/", "http://[::1]:8080/"),
            ("https://a.example/v1?b=c@d", "https://a.example/v1?b=c@d"),
            ("no address", "no address"),
        ] {
            assert_eq!(without_password(address), clean);
        }
    }

    #[test]
    fn finds_secrets() {
        assert_eq!(
            secrets_of("https://user:p%40ss@a.example"),
            ["p%40ss", "p@ss"]
        );
        assert_eq!(secrets_of("https://token@a.example"), ["token"]);
        assert!(secrets_of("https://a.example/x@y").is_empty());
    }
}
