//! The SDK's HTTP client, with a size limit for answers. Every client and every source of
//! credentials of the SDK uses it, whatever variable or file names the server.

use std::net::IpAddr;

use aws_smithy_http_client::proxy::ProxyConfig;
use aws_smithy_http_client::tls::rustls_provider::CryptoMode;
use aws_smithy_http_client::{Builder, Connector, tls};
use aws_smithy_runtime_api::client::http::{
    HttpClient, HttpConnector, HttpConnectorFuture, HttpConnectorSettings, SharedHttpClient,
    SharedHttpConnector,
};
use aws_smithy_runtime_api::client::orchestrator::HttpRequest;
use aws_smithy_runtime_api::client::result::ConnectorError;
use aws_smithy_runtime_api::client::runtime_components::RuntimeComponents;
use aws_smithy_types::body::SdkBody;
use http_body_util::Limited;
use sky_accel_providers::{Url, is_this_machine};
use thiserror::Error;

/// The maximum size of an answer. A page of instance types takes less than 1 MB.
const MAX_BODY: usize = 4 << 20;

/// The addresses at which the host of a machine or a container hands out credentials: instance
/// metadata, Amazon ECS, and Amazon EKS. Their packets do not leave the host, and they have no
/// certificates.
const HOSTS_OF_CREDENTIALS: [&str; 5] = [
    "169.254.169.254",
    "fd00:ec2::254",
    "169.254.170.2",
    "169.254.170.23",
    "fd00:ec2::23",
];

/// The error of a request that would carry credentials without encryption.
#[derive(Debug, Error)]
#[error("http://{host} would get your key without encryption")]
pub(crate) struct Unencrypted {
    /// The host of the server.
    pub host: String,
}

impl Unencrypted {
    /// Finds this error among the causes of an error.
    pub(crate) fn cause_of<'e>(error: &'e (dyn std::error::Error + 'static)) -> Option<&'e Self> {
        let mut cause = Some(error);
        while let Some(error) = cause {
            if let Some(found) = error.downcast_ref() {
                return Some(found);
            }
            cause = error.source();
        }
        None
    }
}

/// Creates a client that aborts endless answers, and refuses requests without encryption to other
/// machines unless `allows_plain_http`. It uses the proxies of the environment, but not for
/// servers on this machine, and trusts the platform's root certificates.
pub(crate) fn bounded(allows_plain_http: bool) -> SharedHttpClient {
    SharedHttpClient::new(Guarded {
        proxied: client(ProxyConfig::from_env),
        direct: client(ProxyConfig::disabled),
        allows_plain_http,
    })
}

fn client(proxies: fn() -> ProxyConfig) -> SharedHttpClient {
    let client = Builder::new().build_with_connector_fn(move |settings, components| {
        let mut connector = Connector::builder()
            .proxy_config(proxies())
            .tls_provider(tls::Provider::Rustls(CryptoMode::Ring));
        connector.set_connector_settings(settings.cloned());
        connector.set_sleep_impl(components.and_then(RuntimeComponents::sleep_impl));
        connector.build()
    });
    SharedHttpClient::new(client)
}

/// A client, or the connectors that it makes.
#[derive(Debug)]
struct Guarded<T> {
    proxied: T,
    /// For servers on this machine. A proxy would get their requests without encryption.
    direct: T,
    allows_plain_http: bool,
}

impl HttpClient for Guarded<SharedHttpClient> {
    fn http_connector(
        &self,
        settings: &HttpConnectorSettings,
        components: &RuntimeComponents,
    ) -> SharedHttpConnector {
        SharedHttpConnector::new(Guarded {
            proxied: self.proxied.http_connector(settings, components),
            direct: self.direct.http_connector(settings, components),
            allows_plain_http: self.allows_plain_http,
        })
    }
}

impl HttpConnector for Guarded<SharedHttpConnector> {
    fn call(&self, request: HttpRequest) -> HttpConnectorFuture {
        let destination = Destination::of(request.uri());
        if !destination.is_encrypted && !destination.is_near && !self.allows_plain_http {
            let error = Unencrypted {
                host: destination.host,
            };
            return HttpConnectorFuture::ready(Err(ConnectorError::user(error.into())));
        }
        let connector = if destination.is_near {
            &self.direct
        } else {
            &self.proxied
        };
        let answer = connector.call(request);
        HttpConnectorFuture::new(async move {
            let mut response = answer.await?;
            let body = std::mem::replace(response.body_mut(), SdkBody::taken());
            *response.body_mut() = SdkBody::from_body_1_x(Limited::new(body, MAX_BODY));
            Ok(response)
        })
    }
}

/// The server of a request, and the way to it.
struct Destination {
    host: String,
    is_encrypted: bool,
    /// True if packets for it do not leave this machine.
    is_near: bool,
}

impl Destination {
    fn of(address: &str) -> Self {
        let url = Url::parse(address).ok();
        let host = url.as_ref().and_then(Url::host_str).unwrap_or_default();
        let ip: Option<IpAddr> = host.trim_matches(['[', ']']).parse().ok();
        let hands_out_credentials = |ip: IpAddr| {
            HOSTS_OF_CREDENTIALS
                .iter()
                .any(|host| host.parse() == Ok(ip))
        };
        Self {
            is_encrypted: url.as_ref().is_some_and(|url| url.scheme() == "https"),
            is_near: is_this_machine(host) || ip.is_some_and(hands_out_credentials),
            host: host.to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_addresses_of_credentials_and_this_machine_are_near() {
        for (address, is_near, is_encrypted) in [
            ("http://127.0.0.1:8080/", true, false),
            ("https://localhost/", true, true),
            ("http://169.254.169.254/latest/api/token", true, false),
            ("http://[fd00:ec2::254]/latest/api/token", true, false),
            ("http://169.254.170.2/credentials", true, false),
            ("http://169.254.170.23/v1/credentials", true, false),
            ("http://169.254.1.1/", false, false),
            ("http://169.254.169.254.example.com/", false, false),
            ("http://10.0.0.1/", false, false),
            ("https://sts.amazonaws.com/", false, true),
            ("no address", false, false),
        ] {
            let destination = Destination::of(address);
            let found = (destination.is_near, destination.is_encrypted);
            assert_eq!(found, (is_near, is_encrypted), "{address}");
        }
    }
}
