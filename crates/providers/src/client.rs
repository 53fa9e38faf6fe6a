//! The client of providers whose requests carry a key, and the cached listing that they share.

use std::future::Future;
use std::time::Duration;

use http::StatusCode;
use http::header::{ACCEPT, CONTENT_TYPE, TE};
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::api::{ProviderApi, ProviderCall};
use crate::bearer::{Bearer, KeyHeader};
use crate::cache::{Answered, CacheKey, Fetched};
use crate::context::Context;
use crate::credentials::Environment;
use crate::error::{ErrorKind, ProviderError};
use crate::grpc;
use crate::listing::{Listing, ParsedOffers};
use crate::offer::redact_offers;
use crate::read_call::{ReadCall, error_message};
use crate::secret::Secrets;
use crate::transport::HttpVersion;

/// The maximum size of a list in bytes. The lists take less than 1 MB.
const MAX_LIST: usize = 8 << 20;
/// The maximum size of a message of gRPC in bytes. An empty row takes 2 bytes there, and 32 in memory.
const MAX_MESSAGE: usize = 1 << 20;

/// A client whose requests carry a key as a bearer token, or none.
pub(crate) struct ApiClient {
    pub api: &'static ProviderApi,
    pub base_url: String,
    pub bearer: Bearer,
    /// The media type of answers.
    accept: &'static str,
}

impl ApiClient {
    /// Creates a client with the key in one of the provider's variables, otherwise in one of its
    /// files. Without a key, creates a client that sends none if the provider answers without a key
    /// and the user consents.
    ///
    /// # Errors
    ///
    /// Fails with [`ErrorKind::CredentialsMissing`](crate::ErrorKind::CredentialsMissing) without
    /// a usable key and without consent, and with
    /// [`ErrorKind::Network`](crate::ErrorKind::Network) if the variable for the base URL is not
    /// an HTTP URL.
    pub(crate) fn new(
        api: &'static ProviderApi,
        call: &ProviderCall<'_>,
        key_in_file: impl FnOnce(&Environment<'_>) -> Option<String>,
    ) -> Result<Self, ProviderError> {
        let environment = call.environment;
        let mut variables = api.secret_variables.iter();
        let key = variables
            .find_map(|name| environment.get(name))
            .or_else(|| key_in_file(environment));
        let bearer = match key.as_deref().and_then(Bearer::new) {
            Some(bearer) => bearer,
            None if call.consents && api.restrictive_terms.is_some() => Bearer::default(),
            None => return Err(api.key_missing()),
        };
        let base_url = api.base_url(environment)?;
        Ok(Self {
            api,
            bearer: bearer.with_password_of(&base_url),
            base_url,
            accept: "application/json",
        })
    }

    /// Creates a client of a provider whose prices need no key; `None` without a key.
    ///
    /// # Errors
    ///
    /// Fails with [`ErrorKind::Network`](crate::ErrorKind::Network) if the variable for the base URL is not an HTTP
    /// URL.
    pub(crate) fn with_key(
        api: &'static ProviderApi,
        call: &ProviderCall<'_>,
        key_in_file: impl FnOnce(&Environment<'_>) -> Option<String>,
    ) -> Result<Option<Self>, ProviderError> {
        match Self::new(api, call, key_in_file) {
            Err(error) if error.kind == ErrorKind::CredentialsMissing => Ok(None),
            client => client.map(Some),
        }
    }

    /// Sends the key in a header.
    pub(crate) fn with_key_in(self, header: KeyHeader) -> Self {
        Self {
            bearer: self.bearer.in_header(header),
            ..self
        }
    }

    /// Requests answers in another form of JSON than plain.
    pub(crate) fn accepting(self, accept: &'static str) -> Self {
        Self { accept, ..self }
    }

    /// Requests the JSON at a path below the base URL.
    ///
    /// # Errors
    ///
    /// Fails like [`Context::read`]. A refusal by a server in front of the API, which answers
    /// without JSON, does not blame the key.
    pub(crate) async fn get(
        &self,
        context: &Context<'_>,
        operation: &str,
        path: &str,
    ) -> Result<Vec<u8>, ProviderError> {
        self.get_address(context, operation, &format!("{}{path}", self.base_url))
            .await
    }

    /// Requests the JSON at an address of the provider, which gets the key.
    ///
    /// # Errors
    ///
    /// Same as [`Self::get`].
    pub(crate) async fn get_address(
        &self,
        context: &Context<'_>,
        operation: &str,
        address: &str,
    ) -> Result<Vec<u8>, ProviderError> {
        let call = ReadCall {
            provider: self.api.id,
            operation,
            secrets: self.bearer.secrets(),
            max_body: MAX_LIST,
            pace: None,
            explain: &|status, body| self.refusal(operation, status, body),
        };
        let reply = context.read(&call, |client| {
            let request = client.get(address).header(ACCEPT, self.accept);
            self.bearer.sign(request)
        });
        Ok(reply.await?.body)
    }

    /// Calls a method of gRPC, and returns the body of the answer.
    ///
    /// # Errors
    ///
    /// Same as [`Self::get`].
    pub(crate) async fn unary(
        &self,
        context: &Context<'_>,
        operation: &str,
        address: &str,
        message: &impl prost::Message,
    ) -> Result<Vec<u8>, ProviderError> {
        let call = ReadCall {
            provider: self.api.id,
            operation,
            secrets: self.bearer.secrets(),
            max_body: MAX_MESSAGE,
            pace: None,
            explain: &|status, body| self.refusal(operation, status, body),
        };
        let body = grpc::framed(message);
        let reply = context.read_over(HttpVersion::Two, &call, |client| {
            let request = client.post(address).header(TE, "trailers");
            let request = request.header(CONTENT_TYPE, grpc::MEDIA_TYPE);
            self.bearer.sign(request.body(body.clone()))
        });
        Ok(reply.await?.body)
    }

    /// The error of a refusal; `None` for the default error of the status.
    fn refusal(&self, operation: &str, status: StatusCode, body: &[u8]) -> Option<ProviderError> {
        let id = self.api.id;
        let code = status.as_u16();
        let is_json = serde_json::from_slice::<serde::de::IgnoredAny>(body).is_ok();
        match code {
            401 => Some(
                self.api
                    .key_refused("check that it is complete, not revoked and not expired"),
            ),
            403 if !is_json => {
                let message = format!(
                    "a server in front of its API refused the request, not the key \
                     (HTTP 403 without JSON when {operation})"
                );
                let error = ProviderError::new(id, ErrorKind::Server, message);
                Some(error.hint("try again later or from another network"))
            }
            402 | 403 => {
                let words = error_message(body);
                let reason = words.as_ref().map(|text| format!(": {text}"));
                let message = format!(
                    "the account lacks permission for this (HTTP {code} when {operation}){}",
                    reason.unwrap_or_default()
                );
                let error = ProviderError::new(id, ErrorKind::Permission, message).quoting(words);
                Some(error.hint(format!("required rights: {}", self.api.key_rights)))
            }
            _ => None,
        }
    }

    /// Returns the cached or fetched value of an operation.
    ///
    /// # Errors
    ///
    /// Fails like `fetch`, and without a cached value if only the cache may be used.
    pub(crate) async fn kept<T, F>(
        &self,
        context: &Context<'_>,
        operation: &str,
        question: &impl Serialize,
        keep: Duration,
        fetch: impl FnOnce() -> F,
    ) -> Result<Fetched<T>, ProviderError>
    where
        T: Serialize + DeserializeOwned,
        F: Future<Output = Result<Answered<T>, ProviderError>>,
    {
        let account = self.bearer.account();
        let key = CacheKey::new(self.api.id, operation, question, &self.base_url, account);
        let secrets = self.bearer.secrets();
        let fetched = context.cached(&key, keep, fetch).await;
        fetched.map_err(|error| error.redacted(secrets))
    }

    /// Returns the cached or fetched answer to `question`.
    ///
    /// # Errors
    ///
    /// Same as [`cached_listing`].
    pub(crate) async fn listing<F>(
        &self,
        context: &Context<'_>,
        question: &impl Serialize,
        keep: Duration,
        fetch: impl FnOnce() -> F,
    ) -> Result<Listing, ProviderError>
    where
        F: Future<Output = Result<Answered<ParsedOffers>, ProviderError>>,
    {
        let account = self.bearer.account();
        let key = CacheKey::new(self.api.id, "offers", question, &self.base_url, account);
        let listing = cached_listing(context, &key, keep, self.bearer.secrets(), fetch).await;
        let access = self.bearer.access();
        let mut listing = listing.map_err(|error| error.with_access(access))?;
        let problems = listing.problems.into_iter();
        listing.problems = problems.map(|error| error.with_access(access)).collect();
        listing.access = access;
        Ok(listing)
    }
}

/// Returns the cached or fetched offers. Secrets are redacted from everything before it is cached
/// or returned.
///
/// # Errors
///
/// Same as [`ProviderApi::query`].
pub(crate) async fn cached_listing<F>(
    context: &Context<'_>,
    key: &CacheKey,
    keep: Duration,
    secrets: &Secrets,
    fetch: impl FnOnce() -> F,
) -> Result<Listing, ProviderError>
where
    F: Future<Output = Result<Answered<ParsedOffers>, ProviderError>>,
{
    let redacted_fetch = || async {
        let ((mut offers, dropped), problems) = fetch().await?;
        redact_offers(&mut offers, secrets);
        Ok(((offers, dropped), problems))
    };
    let fetched = context.cached(key, keep, redacted_fetch).await;
    let mut fetched = fetched.map_err(|error| error.redacted(secrets))?;
    let problems = fetched.problems.into_iter();
    fetched.problems = problems.map(|error| error.redacted(secrets)).collect();
    Ok(Listing::of(fetched))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::access::Access;
    use crate::budget::RunBudget;
    use crate::cache::Cache;
    use crate::http::{Http, Timeouts};
    use crate::offer::Offer;
    use crate::query::{Counts, Query};

    const API: ProviderApi = ProviderApi {
        secret_variables: &["ACME_KEY"],
        restrictive_terms: Some("its terms are restrictive"),
        ..ProviderApi::new("acme", &["https://acme.example"], |_| unreachable!())
    };

    fn with_context<T>(run: impl AsyncFnOnce(&Context<'_>) -> T) -> T {
        let timeouts = Timeouts {
            total: Duration::from_secs(1),
        };
        let http = Http::new(timeouts, "test");
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .unwrap();
        let run_budget = RunBudget::default();
        runtime.block_on(async {
            let context = Context {
                http: &http,
                cache: &Cache::OFF,
                deadline: tokio::time::Instant::now(),
                budget: &run_budget.of_provider("acme"),
                events: &|_| {},
            };
            run(&context).await
        })
    }

    fn client(
        variable: Option<&str>,
        file: Option<&str>,
        consents: bool,
    ) -> Result<ApiClient, ProviderError> {
        let environment = Environment {
            variable: &|name| variable.filter(|_| name == "ACME_KEY").map(str::to_owned),
            read: &|_| None,
        };
        let query = Query::everything(Counts {
            min: 1.0,
            max: None,
        });
        with_context(async |context| {
            let call = ProviderCall {
                environment: &environment,
                query: &query,
                context,
                consents,
            };
            ApiClient::new(&API, &call, |_| file.map(str::to_owned))
        })
    }

    #[test]
    fn the_key_of_the_variable_takes_precedence_over_the_file() {
        let account = |variable, file| {
            let client = client(variable, file, false).unwrap();
            client.bearer.account().to_owned()
        };
        assert_eq!(account(Some("variable"), Some("file")), "variable");
        assert_eq!(account(None, Some("file")), "file");
    }

    #[test]
    fn without_a_key_the_user_must_consent() {
        let error = client(None, None, false).err().unwrap();
        assert_eq!(error.kind, ErrorKind::CredentialsMissing);
        // A key that no header can contain is not replaced by a public query without consent.
        assert!(client(Some("two words"), None, false).is_err());
        let public = client(None, None, true).ok().unwrap();
        assert_eq!(public.bearer.access(), Access::Public);
    }

    #[test]
    fn secrets_are_redacted_from_offers_and_problems() {
        let client = client(Some("0123456789"), None, false).ok().unwrap();
        let listing = with_context(async |context| {
            let fetch = || async {
                let offer = Offer {
                    id: "GPU 0123456789".to_owned(),
                    ..Offer::default()
                };
                let problem = ProviderError::new("acme", ErrorKind::Server, "key 0123456789");
                Ok(((vec![offer], Vec::new()), vec![problem]))
            };
            client.listing(context, &(), Duration::ZERO, fetch).await
        });
        let listing = listing.unwrap();
        assert_eq!(listing.access, Access::Key);
        assert_eq!(listing.offers[0].id, "GPU [redacted]");
        assert_eq!(listing.problems[0].message, "key [redacted]");
    }

    #[test]
    fn consent_is_for_providers_that_answer_without_a_key() {
        const KEYED: ProviderApi = ProviderApi {
            secret_variables: &["ACME_KEY"],
            ..ProviderApi::new("acme", &["https://acme.example"], |_| unreachable!())
        };
        let environment = Environment {
            variable: &|_| None,
            read: &|_| None,
        };
        let query = Query::everything(Counts {
            min: 1.0,
            max: None,
        });
        with_context(async |context| {
            let call = ProviderCall {
                environment: &environment,
                query: &query,
                context,
                consents: true,
            };
            let error = ApiClient::new(&KEYED, &call, |_| None).err().unwrap();
            assert_eq!(error.kind, ErrorKind::CredentialsMissing);
        });
    }

    #[test]
    fn refusals_blame_the_key_only_if_the_api_refuses_it() {
        let client = client(Some("0123456789"), None, false).ok().unwrap();
        let kind = |status: u16, body: &str| {
            let status = StatusCode::from_u16(status).unwrap();
            let error = client.refusal("listing", status, body.as_bytes());
            error.map(|error| error.kind)
        };
        let html = "<html>error code: 1010</html>";
        assert_eq!(kind(401, html), Some(ErrorKind::CredentialsRefused));
        assert_eq!(kind(401, "{}"), Some(ErrorKind::CredentialsRefused));
        assert_eq!(kind(403, html), Some(ErrorKind::Server));
        assert_eq!(kind(403, ""), Some(ErrorKind::Server));
        assert_eq!(kind(403, "{}"), Some(ErrorKind::Permission));
        assert_eq!(kind(402, "{}"), Some(ErrorKind::Permission));
        assert_eq!(kind(429, "{}"), None);
    }

    #[test]
    fn an_error_without_a_key_does_not_blame_the_key() {
        let client = client(None, None, true).ok().unwrap();
        let listing = with_context(async |context| {
            let fetch = || async {
                let refused = ErrorKind::CredentialsRefused;
                Err(ProviderError::new("acme", refused, "the key is refused"))
            };
            client.listing(context, &(), Duration::ZERO, fetch).await
        });
        let error = listing.unwrap_err();
        assert_eq!(error.kind, ErrorKind::Server);
        assert_eq!(error.message, "it does not answer without a key");
    }
}
