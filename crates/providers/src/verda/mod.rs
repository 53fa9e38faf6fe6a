//! Verda: instance types with a fixed number of GPUs, in stock or not per location.

mod response;

use std::cell::Cell;
use std::collections::HashMap;
use std::time::Duration;

use reqwest::StatusCode;

use crate::cache::{Answered, Key};
use crate::context::Context;
use crate::credentials::{Environment, ini_value, is_header_safe};
use crate::error::{ErrorKind, ProviderError};
use crate::feed::Feed;
use crate::http::Call;
use crate::offer::{Found, Listing, Reading};
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
const TYPES: &str = "/instance-types?currency=usd";
/// A list takes less than 1 MB.
const MAX_BODY: usize = 8 << 20;
/// How long an answer is kept: there is stock in it.
const KEEP: Duration = Duration::from_secs(600);

/// An account at Verda.
#[derive(Debug)]
pub struct Verda {
    base_url: String,
    client_id: String,
    client_secret: String,
    secrets: Secrets,
}

impl Verda {
    /// Creates an account with the credentials in `VERDA_CLIENT_ID` and `VERDA_CLIENT_SECRET`, or
    /// in a profile of Verda's credentials file.
    ///
    /// # Errors
    ///
    /// Fails with [`ErrorKind::CredentialsMissing`] if the id or the secret is missing, and with
    /// [`ErrorKind::Network`] if the variable for the base URL is not an HTTP URL.
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
        Ok(Self {
            base_url: base_url(environment)?,
            secrets: Secrets::new([client_secret.as_str()]),
            client_id,
            client_secret,
        })
    }

    /// Returns what Verda tells everybody: types and prices, but neither stock nor places.
    ///
    /// # Errors
    ///
    /// As [`Provider::listing`].
    pub async fn public_listing(
        environment: &Environment<'_>,
        query: &Query<'_>,
        context: &Context<'_>,
    ) -> Result<Listing, ProviderError> {
        let feed = Feed {
            provider: ID,
            operation: "listing instance types",
            url: format!("{}{TYPES}", base_url(environment)?),
            question: None,
            keep: KEEP,
        };
        let mut reading = Reading::default();
        let lists = context.document(&feed, &mut reading, |document| {
            response::types_alone(&document.body)
        });
        let (offers, dropped) = response::offers(query, lists.await?)?;
        let remark = format!(
            "stock and locations need a key: set {ID_VARIABLE} and {SECRET_VARIABLE}, or put them into ~/{FILE}"
        );
        Ok(Listing {
            remarks: vec![remark],
            ..Listing::public(offers, dropped, Vec::new(), reading)
        })
    }

    /// A token: it lives for minutes, so each run takes a new one.
    async fn token(&self, context: &Context<'_>) -> Result<String, ProviderError> {
        let url = format!("{}/oauth2/token", self.base_url);
        let login = [
            ("grant_type", "client_credentials"),
            ("client_id", &self.client_id),
            ("client_secret", &self.client_secret),
        ];
        let fields: HashMap<_, _> = login.into_iter().collect();
        let is_bad_request = Cell::new(false);
        let call = Call {
            provider: ID,
            operation: "logging in",
            secrets: &self.secrets,
            max_body: MAX_BODY,
            pace: None,
            explain: &|status, _| {
                is_bad_request.set(status == StatusCode::BAD_REQUEST);
                matches!(status.as_u16(), 401 | 403).then(credentials_refused)
            },
        };
        let reply = context
            .read(&call, |client| client.post(&url).json(&fields))
            .await;
        let reply = match reply {
            // Some versions of the service take forms only.
            Err(_) if is_bad_request.get() => {
                let form = Call {
                    explain: &|status, _| {
                        matches!(status.as_u16(), 400 | 401 | 403).then(credentials_refused)
                    },
                    ..call
                };
                context
                    .read(&form, |client| client.post(&url).form(&fields))
                    .await
            }
            reply => reply,
        };
        response::token(&reply?.body)
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
            max_body: MAX_BODY,
            pace: None,
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
    ) -> Result<(response::Lists, Vec<ProviderError>), ProviderError> {
        let get = |operation, path| self.get(context, token, operation, path);
        let (types, on_demand, spot, locations) = futures_util::future::join4(
            get("listing instance types", TYPES),
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
        .await;
        response::lists(types, on_demand, spot, locations)
    }

    async fn fetch(
        &self,
        query: &Query<'_>,
        context: &Context<'_>,
    ) -> Result<Answered<Found>, ProviderError> {
        let mut token = self.token(context).await?;
        let (lists, problems) = match self.lists(context, &token).await {
            // A token may expire at any moment; a second one refused is no accident.
            Err(error) if error.kind == ErrorKind::CredentialsRefused => {
                token = self.token(context).await?;
                self.lists(context, &token).await?
            }
            other => other?,
        };
        let (mut offers, dropped) = response::offers(query, lists)?;
        offer::strike(&mut offers, &self.secrets.and(&token));
        Ok(((offers, dropped.done()), problems))
    }
}

/// The address of the API.
fn base_url(environment: &Environment<'_>) -> Result<String, ProviderError> {
    let default = environment.public_url(ID, BASE_URL)?;
    environment.base_url(ID, BASE_URL_VARIABLE, &default)
}

/// Parses one body as every answer that is asked for.
pub(crate) fn parse_answers(query: &Query<'_>, body: &[u8]) {
    let _ = response::token(body);
    let answer = || Ok(body.to_vec());
    if let Ok((lists, _)) = response::lists(answer(), answer(), answer(), answer()) {
        let _ = response::offers(query, lists);
    }
}

impl Provider for Verda {
    const ID: &'static str = ID;

    async fn listing(
        &self,
        query: &Query<'_>,
        context: &Context<'_>,
    ) -> Result<Listing, ProviderError> {
        let account = format!("{} {}", self.client_id, self.client_secret);
        let key = Key::new(ID, "offers", &query.accelerators, &self.base_url, &account);
        let fetched = context
            .cached(&key, KEEP, || self.fetch(query, context))
            .await?;
        Ok(Listing::of(fetched))
    }
}

/// The failure that a status tells of: a refused token.
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
