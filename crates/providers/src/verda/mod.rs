//! Verda: instance types with a fixed number of GPUs, in stock or not per location.

mod response;

use std::time::Duration;

use reqwest::StatusCode;

use crate::cache::Key;
use crate::context::Context;
use crate::credentials::{Environment, ini_value, is_header_safe};
use crate::error::{ErrorKind, ProviderError};
use crate::http::Call;
use crate::offer::{Dropped, Listing, Offer};
use crate::query::Query;
use crate::secret::Secrets;
use crate::{Provider, offer};

const ID: &str = "verda";
const BASE_URL: &str = "https://api.verda.com/v1";
const BASE_URL_VARIABLE: &str = "VERDA_BASE_URL";
const ID_VARIABLE: &str = "VERDA_CLIENT_ID";
const SECRET_VARIABLE: &str = "VERDA_CLIENT_SECRET";
const FILE_VARIABLE: &str = "VERDA_SHARED_CREDENTIALS_FILE";
const HOME_VARIABLE: &str = "VERDA_HOME";
const PROFILE_VARIABLE: &str = "VERDA_PROFILE";
const FILE: &str = ".verda/credentials";
/// How long an answer is kept.
const KEEP: Duration = Duration::from_secs(3600);

/// An account at Verda.
#[derive(Debug)]
pub struct Verda {
    base_url: String,
    client_id: String,
    client_secret: String,
    secrets: Secrets,
}

impl Verda {
    pub fn from_environment(environment: &Environment<'_>) -> Result<Self, ProviderError> {
        let file = || {
            let path = match (
                environment.get(FILE_VARIABLE),
                environment.get(HOME_VARIABLE),
            ) {
                (Some(file), _) => Some(file.into()),
                (None, Some(home)) => Some(std::path::PathBuf::from(home).join("credentials")),
                (None, None) => environment.home(FILE),
            };
            environment.text(path)
        };
        let text = file();
        let profile = environment.get(PROFILE_VARIABLE);
        let profile = profile.as_deref().unwrap_or("default");
        let in_file = |key: &str| ini_value(text.as_deref()?, profile, key);
        let client_id = environment
            .get(ID_VARIABLE)
            .or_else(|| in_file("verda_client_id"));
        let secret = environment
            .get(SECRET_VARIABLE)
            .or_else(|| in_file("verda_client_secret"));
        let (Some(client_id), Some(client_secret)) = (client_id, secret) else {
            let message = format!(
                "no credentials: set {ID_VARIABLE} and {SECRET_VARIABLE}, or put them into ~/{FILE} (profile {profile})"
            );
            return Err(
                ProviderError::new(ID, ErrorKind::CredentialsMissing, message)
                    .hint("they are made at Keys > Cloud API credentials of the Verda console"),
            );
        };
        let base_url = environment.get(BASE_URL_VARIABLE);
        Ok(Self {
            base_url: base_url.map_or_else(
                || BASE_URL.to_owned(),
                |url| url.trim_end_matches('/').to_owned(),
            ),
            secrets: Secrets::new([client_secret.as_str()]),
            client_id,
            client_secret,
        })
    }

    /// A token: it lives for minutes, so each run takes a new one.
    async fn token(&self, context: &Context<'_>) -> Result<String, ProviderError> {
        let call = Call {
            provider: ID,
            operation: "logging in",
            secrets: &self.secrets,
            explain: &|status, _| {
                matches!(status.as_u16(), 400 | 401 | 403).then(credentials_refused)
            },
        };
        let url = format!("{}/oauth2/token", self.base_url);
        let body = serde_json::json!({
            "grant_type": "client_credentials",
            "client_id": self.client_id,
            "client_secret": self.client_secret,
        });
        let reply = context
            .read(&call, |client| client.post(&url).json(&body))
            .await?;
        response::token(&reply.body)
            .filter(|token| is_header_safe(token))
            .ok_or_else(|| {
                ProviderError::new(
                    ID,
                    ErrorKind::Protocol,
                    "the answer to the login has no token",
                )
            })
    }

    async fn get(
        &self,
        context: &Context<'_>,
        token: &str,
        operation: &str,
        path: &str,
    ) -> Result<Vec<u8>, ProviderError> {
        let secrets = self.secrets.and(token);
        let call = Call {
            provider: ID,
            operation,
            secrets: &secrets,
            explain: &explain,
        };
        let url = format!("{}{path}", self.base_url);
        let reply = context.read(&call, |client| client.get(&url).bearer_auth(token));
        Ok(reply.await?.body)
    }

    /// Types, stock both ways, and locations: all at once.
    async fn lists(
        &self,
        context: &Context<'_>,
        token: &str,
    ) -> Result<response::Lists, ProviderError> {
        let get = |operation, path| self.get(context, token, operation, path);
        let (types, on_demand, spot, locations) = futures_util::future::try_join4(
            get("listing instance types", "/instance-types?currency=usd"),
            get(
                "asking for on-demand stock",
                "/instance-availability?is_spot=false",
            ),
            get(
                "asking for spot stock",
                "/instance-availability?is_spot=true",
            ),
            get("listing locations", "/locations"),
        )
        .await?;
        response::lists(&types, &on_demand, &spot, &locations)
    }

    async fn fetch(
        &self,
        query: &Query<'_>,
        context: &Context<'_>,
    ) -> Result<(Vec<Offer>, Vec<Dropped>), ProviderError> {
        let token = self.token(context).await?;
        let lists = match self.lists(context, &token).await {
            // A token may expire at any moment; a second one refused is no accident.
            Err(error) if error.kind == ErrorKind::CredentialsRefused => {
                let token = self.token(context).await?;
                self.lists(context, &token).await?
            }
            other => other?,
        };
        response::offers(query, lists)
    }
}

impl Provider for Verda {
    const ID: &'static str = ID;

    async fn listing(
        &self,
        query: &Query<'_>,
        context: &Context<'_>,
    ) -> Result<Listing, ProviderError> {
        let question = (query.ids, query.on_demand, query.spot);
        let account = format!("{} {}", self.client_id, self.client_secret);
        let key = Key::new(ID, "offers", &question, &self.base_url, &account);
        let fetched = context
            .cached(&key, KEEP, || self.fetch(query, context))
            .await?;
        let (mut offers, dropped) = fetched.value;
        offer::stamp(&mut offers, fetched.at);
        Ok(Listing {
            offers,
            dropped,
            fetched_at: fetched.at,
            cached: fetched.cached,
            ..Listing::default()
        })
    }
}

/// What a refused token looks like.
fn explain(status: StatusCode, _body: &[u8]) -> Option<ProviderError> {
    match status.as_u16() {
        401 => Some(credentials_refused()),
        403 => Some(
            ProviderError::new(
                ID,
                ErrorKind::Permission,
                "the credentials may not list instance types and stock",
            )
            .hint("give the API credentials of the Verda console read access"),
        ),
        _ => None,
    }
}

fn credentials_refused() -> ProviderError {
    let message = format!(
        "the credentials are refused (from {ID_VARIABLE} and {SECRET_VARIABLE}, or ~/{FILE})"
    );
    ProviderError::new(ID, ErrorKind::CredentialsRefused, message)
        .hint("check that id and secret are of one pair and not revoked")
}
