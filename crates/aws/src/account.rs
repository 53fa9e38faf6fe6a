//! An account: credentials, settings and clients.

use std::time::Duration;

use aws_config::default_provider::credentials::DefaultCredentialsChain;
use aws_config::environment::EnvironmentVariableRegionProvider;
use aws_config::meta::region::RegionProviderChain;
use aws_config::profile::ProfileFileRegionProvider;
use aws_config::provider_config::ProviderConfig;
use aws_config::retry::RetryConfig;
use aws_config::timeout::TimeoutConfig;
use aws_config::{BehaviorVersion, Region, SdkConfig, imds};
use aws_credential_types::provider::error::CredentialsError;
use aws_credential_types::provider::{ProvideCredentials, SharedCredentialsProvider};
use sky_accel_providers::{
    Environment, ErrorKind, Http, ProviderError, Secrets, Url, check_root_certificates, quote,
    unencrypted, without_password,
};

use crate::api::{ENDPOINT_VARIABLES, ID};
use crate::files::{PROFILE_FILES, check_files};
use crate::retries::RetryAfter;
use crate::transport::{self, Unencrypted};

/// A fixed version: an update of the SDK must not change retries or the search for credentials.
const BEHAVIOR: fn() -> BehaviorVersion = BehaviorVersion::v2026_01_12;
/// The region of the price service, which only few regions have.
const PRICING_REGION: &str = "us-east-1";
/// The region whose service lists the other regions, if the user has set no region.
const FIRST_REGION: &str = "us-east-1";
/// Outside of AWS, requests for instance metadata are never answered.
const METADATA_TIMEOUT: Duration = Duration::from_millis(500);

/// An account at AWS.
#[derive(Debug)]
pub struct Aws {
    config: SdkConfig,
    /// The region of the user's settings, or the default.
    pub(crate) home: String,
    pub(crate) secrets: Secrets,
    /// The part of the cache key that differs between accounts.
    pub(crate) account: String,
    /// The part of the cache key that differs between endpoints.
    pub(crate) endpoints: String,
}

impl Aws {
    /// Finds credentials in the places of AWS's tools. With `offline`, loads none: then only
    /// cached answers are available.
    ///
    /// # Errors
    ///
    /// Fails with [`ErrorKind::CredentialsMissing`] if no source has credentials, and with
    /// [`ErrorKind::Network`] if an endpoint would get a signature without encryption.
    pub async fn from_environment(
        environment: &Environment<'_>,
        http: &Http,
        offline: bool,
    ) -> Result<Self, ProviderError> {
        let endpoints: Vec<String> = ENDPOINT_VARIABLES
            .iter()
            .map(|name| environment.get(name).unwrap_or_default())
            .collect();
        let timeouts = http.timeouts();
        let mut account = Self {
            config: SdkConfig::builder().behavior_version(BEHAVIOR()).build(),
            home: FIRST_REGION.to_owned(),
            secrets: Secrets::default(),
            account: identity(environment),
            endpoints: endpoints
                .iter()
                .map(|url| without_password(url) + " ")
                .collect(),
        };
        if offline {
            return Ok(account);
        }
        // The SDK refuses an invalid URL.
        for url in endpoints.iter().filter_map(|url| Url::parse(url).ok()) {
            if !http.may_send_key(&url) {
                return Err(unencrypted(ID, url.host_str().unwrap_or_default()));
            }
        }
        check_files(environment)?;
        check_root_certificates().map_err(|error| {
            let message = format!("cannot make an HTTPS client: {error}");
            ProviderError::new(ID, ErrorKind::Network, message)
        })?;
        let region = RegionProviderChain::first_try(EnvironmentVariableRegionProvider::new())
            .or_else(ProfileFileRegionProvider::new())
            .or_else(FIRST_REGION)
            .region()
            .await;
        // The SDK is built without an HTTP client, so the sources of credentials need ours.
        let http_client = transport::bounded(http.allows_plain_http());
        let provider_config = ProviderConfig::default().with_http_client(http_client.clone());
        let metadata = imds::Client::builder()
            .configure(&provider_config)
            .max_attempts(1)
            .connect_timeout(METADATA_TIMEOUT)
            .read_timeout(METADATA_TIMEOUT)
            .build();
        let chain = DefaultCredentialsChain::builder()
            .configure(provider_config)
            // Without a region, the chain would look for it in instance metadata.
            .region(region.clone())
            .imds_client(metadata)
            .build()
            .await;
        let provider = SharedCredentialsProvider::new(chain);
        let credentials = provider
            .provide_credentials()
            .await
            .map_err(|error| credentials_missing(&error))?;
        let timeout = TimeoutConfig::builder()
            .connect_timeout(timeouts.connect())
            .operation_attempt_timeout(timeouts.attempt())
            .build();
        account.config = aws_config::defaults(BEHAVIOR())
            .credentials_provider(provider)
            .http_client(http_client)
            .retry_config(RetryConfig::standard().with_max_attempts(3))
            .timeout_config(timeout)
            .region(region)
            .load()
            .await;
        if let Some(region) = account.config.region() {
            region.as_ref().clone_into(&mut account.home);
        }
        let keys = [
            Some(credentials.access_key_id()),
            Some(credentials.secret_access_key()),
            credentials.session_token(),
        ];
        let secrets = Secrets::new(keys.into_iter().flatten());
        account.secrets = endpoints
            .iter()
            .fold(secrets, |secrets, url| secrets.and_password_of(url));
        Ok(account)
    }

    /// Returns true if a variable or a file on this machine has credentials, or refers to them.
    pub(crate) fn has_credentials(environment: &Environment<'_>) -> bool {
        !identity(environment).trim().is_empty()
    }

    pub(crate) fn ec2(&self, region: &str) -> aws_sdk_ec2::Client {
        let config = aws_sdk_ec2::config::Builder::from(&self.config)
            .retry_classifier(RetryAfter)
            .region(Region::new(region.to_owned()));
        aws_sdk_ec2::Client::from_conf(config.build())
    }

    pub(crate) fn quotas(&self, region: &str) -> aws_sdk_servicequotas::Client {
        let config = aws_sdk_servicequotas::config::Builder::from(&self.config)
            .retry_classifier(RetryAfter)
            .region(Region::new(region.to_owned()));
        aws_sdk_servicequotas::Client::from_conf(config.build())
    }

    pub(crate) fn pricing(&self) -> aws_sdk_pricing::Client {
        let config = aws_sdk_pricing::config::Builder::from(&self.config)
            .retry_classifier(RetryAfter)
            .region(Region::new(PRICING_REGION));
        aws_sdk_pricing::Client::from_conf(config.build())
    }
}

/// Returns the variables and files that credentials depend on, as an identity of the account. It
/// needs no network, so that cached answers are found offline.
fn identity(environment: &Environment<'_>) -> String {
    let variables = [
        "AWS_ACCESS_KEY_ID",
        "AWS_PROFILE",
        "AWS_ROLE_ARN",
        "AWS_WEB_IDENTITY_TOKEN_FILE",
    ];
    let variables = variables.map(|name| environment.get(name).unwrap_or_default());
    let files = PROFILE_FILES.map(|(name, path)| {
        let named = environment.get(name).map(Into::into);
        environment
            .text(named.or_else(|| environment.home(path)))
            .unwrap_or_default()
    });
    [variables.join("\n"), files.join("\n")].join("\n")
}

fn credentials_missing(error: &CredentialsError) -> ProviderError {
    if let Some(refused) = Unencrypted::cause_of(error) {
        return unencrypted(ID, &refused.host);
    }
    let sources = "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_PROFILE, ~/.aws/credentials and \
                   instance metadata";
    let message = match error {
        CredentialsError::CredentialsNotLoaded(_) => format!("no credentials (searched {sources})"),
        error => {
            let mut why = error.to_string();
            let mut source = std::error::Error::source(error);
            while let Some(cause) = source {
                why = cause.to_string();
                source = cause.source();
            }
            let why = quote(&why)
                .map(|why| format!(": {why}"))
                .unwrap_or_default();
            format!("cannot load credentials{why} (searched {sources})")
        }
    };
    ProviderError::new(ID, ErrorKind::CredentialsMissing, message)
        .hint(sky_accel_providers::AWS.key_hint)
}
