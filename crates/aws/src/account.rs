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
    Environment, ErrorKind, Http, ProviderError, Secrets, Timeouts, Url, quote, unencrypted,
};

use crate::retries::RetryAfter;
use crate::{ID, transport};

/// A dated behaviour: an update of the SDK must not change retries or credentials on its own.
const BEHAVIOR: fn() -> BehaviorVersion = BehaviorVersion::v2026_01_12;
/// Where on-demand prices are published; the service is in few regions.
const PRICING_REGION: &str = "us-east-1";
/// Asked for its regions where the user has set none.
const FIRST_REGION: &str = "us-east-1";
/// Instance metadata answer at once or not at all.
const METADATA_TIMEOUT: Duration = Duration::from_millis(500);

/// An account at AWS.
#[derive(Debug)]
pub struct Aws {
    config: SdkConfig,
    /// Its region, or the first one.
    pub(crate) home: String,
    pub(crate) secrets: Secrets,
    /// Tells accounts apart in the cache.
    pub(crate) account: String,
    /// Tells endpoints apart in the cache.
    pub(crate) endpoints: String,
}

/// Variables with addresses to ask in place of AWS's.
const ENDPOINTS: [&str; 4] = [
    "AWS_ENDPOINT_URL",
    "AWS_ENDPOINT_URL_EC2",
    "AWS_ENDPOINT_URL_PRICING",
    "AWS_ENDPOINT_URL_SERVICE_QUOTAS",
];

impl Aws {
    /// Credentials from wherever AWS's own tools look for them. With `offline`, none: then only
    /// what is cached can be asked for.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::CredentialsMissing`](sky_accel_providers::ErrorKind::CredentialsMissing) where no
    /// source has credentials.
    pub async fn from_environment(
        environment: &Environment<'_>,
        http: &Http,
        timeouts: Timeouts,
        offline: bool,
    ) -> Result<Self, ProviderError> {
        let endpoints = ENDPOINTS.map(|name| environment.get(name).unwrap_or_default());
        let mut account = Self {
            config: SdkConfig::builder().behavior_version(BEHAVIOR()).build(),
            home: FIRST_REGION.to_owned(),
            secrets: Secrets::default(),
            account: identity(environment),
            endpoints: endpoints.join(" "),
        };
        if offline {
            return Ok(account);
        }
        for url in ENDPOINTS.iter().filter_map(|name| environment.get(name)) {
            // What is no address is for the SDK to refuse.
            if let Ok(url) = Url::parse(&url)
                && !http.may_send_key(&url)
            {
                return Err(unencrypted(ID, &url));
            }
        }
        let region = RegionProviderChain::first_try(EnvironmentVariableRegionProvider::new())
            .or_else(ProfileFileRegionProvider::new())
            .or_else(FIRST_REGION)
            .region()
            .await;
        // The SDK is built without an HTTP client: whatever looks for credentials needs ours.
        let http_client = transport::bounded();
        let provider_config = ProviderConfig::default().with_http_client(http_client.clone());
        let metadata = imds::Client::builder()
            .configure(&provider_config)
            .max_attempts(1)
            .connect_timeout(METADATA_TIMEOUT)
            .read_timeout(METADATA_TIMEOUT)
            .build();
        let chain = DefaultCredentialsChain::builder()
            .configure(provider_config)
            // Or it looks for the region in instance metadata.
            .region(region.clone())
            .imds_client(metadata)
            .build()
            .await;
        let provider = SharedCredentialsProvider::new(chain);
        let credentials = provider
            .provide_credentials()
            .await
            .map_err(|error| missing(&error))?;
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
        account.secrets = Secrets::new(
            [
                Some(credentials.access_key_id()),
                Some(credentials.secret_access_key()),
                credentials.session_token(),
            ]
            .into_iter()
            .flatten(),
        );
        Ok(account)
    }

    /// Returns true if a variable or a file on this machine has credentials, or says where they are.
    pub fn has_credentials(environment: &Environment<'_>) -> bool {
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

/// Whose credentials they are, from what is on this machine: the same with and without a network.
fn identity(environment: &Environment<'_>) -> String {
    let variables = [
        "AWS_ACCESS_KEY_ID",
        "AWS_PROFILE",
        "AWS_ROLE_ARN",
        "AWS_WEB_IDENTITY_TOKEN_FILE",
    ];
    let files = [
        ("AWS_SHARED_CREDENTIALS_FILE", ".aws/credentials"),
        ("AWS_CONFIG_FILE", ".aws/config"),
    ];
    let variables = variables.map(|name| environment.get(name).unwrap_or_default());
    let files = files.map(|(name, path)| {
        let named = environment.get(name).map(Into::into);
        environment
            .text(named.or_else(|| environment.home(path)))
            .unwrap_or_default()
    });
    [variables.join("\n"), files.join("\n")].join("\n")
}

fn missing(error: &CredentialsError) -> ProviderError {
    let hint = "run `aws configure` or `aws sso login`, or set the variables; docs/prices.md lists the required rights";
    let sources = "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, AWS_PROFILE, ~/.aws/credentials and \
                   instance metadata";
    let message = match error {
        CredentialsError::CredentialsNotLoaded(_) => format!("no credentials: looked at {sources}"),
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
            format!("no credentials could be loaded{why}; looked at {sources}")
        }
    };
    ProviderError::new(ID, ErrorKind::CredentialsMissing, message).hint(hint)
}
