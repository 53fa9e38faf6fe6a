//! Verda: instance types with a fixed number of GPUs, in stock or not per location.

mod response;

use std::cell::Cell;
use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use http::StatusCode;

use crate::api::{ListingFuture, ProviderApi, ProviderCall};
use crate::cache::{Answered, CacheKey};
use crate::client::cached_listing;
use crate::context::Context;
use crate::credentials::{Environment, ini_value, is_header_safe};
use crate::error::{ErrorKind, ProviderError};
use crate::feed::Feed;
use crate::listing::{Listing, ParsedOffers};
use crate::offer::redact_offers;
use crate::query::Query;
use crate::read_call::ReadCall;
use crate::reading::DocumentAge;
use crate::secret::Secrets;

use response::ID;

const ID_VARIABLE: &str = "VERDA_CLIENT_ID";
const SECRET_VARIABLE: &str = "VERDA_CLIENT_SECRET";
const FILE_VARIABLE: &str = "VERDA_SHARED_CREDENTIALS_FILE";
const HOME_VARIABLE: &str = "VERDA_HOME";
const PROFILE_VARIABLE: &str = "VERDA_PROFILE";

/// Verda.
pub(crate) const API: ProviderApi = ProviderApi {
    published: "on-demand and spot prices",
    unpublished: "stock and locations, which need a key",
    url_variables: &["VERDA_BASE_URL"],
    secret_variables: &[SECRET_VARIABLE],
    account_variables: &[ID_VARIABLE],
    key_file_variables: &[FILE_VARIABLE],
    key_files: &["~/.verda/credentials"],
    key_hint: "create credentials at Keys > Cloud API credentials in the Verda console",
    key_rights: "reading instance types, availability and locations",
    ..ProviderApi::new(ID, &["https://api.verda.com/v1"], query)
};

const TYPES: &str = "/instance-types?currency=usd";
/// A list takes less than 1 MB.
const MAX_BODY: usize = 8 << 20;
/// The time for which an answer stays fresh. It includes stock, so the time is short.
const KEEP: Duration = Duration::from_secs(600);

/// A client of Verda with credentials.
struct Verda {
    base_url: String,
    client_id: String,
    client_secret: String,
    secrets: Secrets,
}

fn query(call: ProviderCall<'_>) -> ListingFuture<'_> {
    Box::pin(async move {
        let (query, context) = (call.query, call.context);
        let base_url = API.base_url(call.environment)?;
        let Some((client_id, client_secret)) = credentials(call.environment) else {
            return public_listing(&base_url, query, context).await;
        };
        let verda = Verda {
            secrets: Secrets::new([client_secret.as_str()]).and_password_of(&base_url),
            base_url,
            client_id,
            client_secret,
        };
        let account = format!("{} {}", verda.client_id, verda.client_secret);
        let url = &verda.base_url;
        let key = CacheKey::new(ID, "offers", &query.accelerators, url, &account);
        let fetch = || verda.fetch(query, context);
        cached_listing(context, &key, KEEP, &verda.secrets, fetch).await
    })
}

/// Finds the id and the secret in the variables, or in a profile of the credentials file.
fn credentials(environment: &Environment<'_>) -> Option<(String, String)> {
    let path = match (
        environment.get(FILE_VARIABLE),
        environment.get(HOME_VARIABLE),
    ) {
        (Some(file), _) => Some(file.into()),
        (None, Some(home)) => Some(PathBuf::from(home).join("credentials")),
        (None, None) => None,
    };
    let text = match path {
        Some(path) => environment.text(Some(path)),
        None => API.key_file_texts(environment).next(),
    };
    let profile = environment.get(PROFILE_VARIABLE);
    let profile = profile.as_deref().unwrap_or("default");
    let in_file = |key: &str| ini_value(text.as_deref()?, profile, key);
    let client_id = environment
        .get(ID_VARIABLE)
        .or_else(|| in_file("verda_client_id"))?;
    let client_secret = environment
        .get(SECRET_VARIABLE)
        .or_else(|| in_file("verda_client_secret"))?;
    Some((client_id, client_secret))
}

/// Returns the public part: types and prices, but neither stock nor locations.
async fn public_listing(
    base_url: &str,
    query: &Query<'_>,
    context: &Context<'_>,
) -> Result<Listing, ProviderError> {
    let feed = Feed {
        provider: ID,
        operation: "listing instance types",
        url: format!("{base_url}{TYPES}"),
        question: None,
        keep: KEEP,
    };
    let mut reading = DocumentAge::default();
    let lists = context.document(&feed, &mut reading, |document| {
        response::types_alone(&document.body)
    });
    let (offers, dropped) = response::offers(query, lists.await?)?;
    let remark = format!(
        "stock and locations need a key: set {}, or write them to {}",
        API.credentials(),
        API.key_files[0]
    );
    Ok(Listing {
        remarks: vec![remark],
        ..Listing::public(offers, dropped, Vec::new(), reading)
    })
}

impl Verda {
    /// Logs in. A token expires after minutes, so each run requests a new token.
    async fn token(&self, context: &Context<'_>) -> Result<String, ProviderError> {
        let url = format!("{}/oauth2/token", self.base_url);
        let login = [
            ("grant_type", "client_credentials"),
            ("client_id", &self.client_id),
            ("client_secret", &self.client_secret),
        ];
        let fields: HashMap<_, _> = login.into_iter().collect();
        let is_bad_request = Cell::new(false);
        let call = ReadCall {
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
            // Some versions of the service accept only forms.
            Err(_) if is_bad_request.get() => {
                let form = ReadCall {
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
        let body = reply?.body;
        let token = context.parsed("logging in", || Ok(response::token(&body)))?;
        token.filter(|token| is_header_safe(token)).ok_or_else(|| {
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
        let call = ReadCall {
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

    /// Requests types, both kinds of stock, and locations concurrently.
    async fn lists(
        &self,
        context: &Context<'_>,
        token: &str,
    ) -> Result<(response::VerdaLists, Vec<ProviderError>), ProviderError> {
        let get = |operation, path| self.get(context, token, operation, path);
        let (types, on_demand, spot, locations) = futures_util::future::join4(
            get("listing instance types", TYPES),
            get(
                "requesting on-demand stock",
                "/instance-availability?is_spot=false",
            ),
            get(
                "requesting spot stock",
                "/instance-availability?is_spot=true",
            ),
            get("listing locations", "/locations"),
        )
        .await;
        context.parsed("reading the lists", || {
            response::lists(types, on_demand, spot, locations)
        })
    }

    async fn fetch(
        &self,
        query: &Query<'_>,
        context: &Context<'_>,
    ) -> Result<Answered<ParsedOffers>, ProviderError> {
        let mut token = self.token(context).await?;
        let (lists, problems) = match self.lists(context, &token).await {
            // A token may expire between two requests. A refusal of a second token means that the
            // credentials are refused.
            Err(error) if error.kind == ErrorKind::CredentialsRefused => {
                token = self.token(context).await?;
                self.lists(context, &token).await?
            }
            other => other?,
        };
        let (mut offers, dropped) = response::offers(query, lists)?;
        redact_offers(&mut offers, &self.secrets.and(&token));
        Ok(((offers, dropped.done()), problems))
    }
}

/// Parses a body as the answer to each request.
pub(crate) fn parse_answers(query: &Query<'_>, body: &[u8]) {
    let _ = response::token(body);
    let answer = || Ok(body.to_vec());
    if let Ok((lists, _)) = response::lists(answer(), answer(), answer(), answer()) {
        let _ = response::offers(query, lists);
    }
}

/// Returns the error of a refused token or a missing permission.
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
    API.key_refused("check that id and secret belong together and are not revoked")
}
