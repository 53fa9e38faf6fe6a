//! The client of providers whose requests carry a key, and the cached listing that they share.

use std::future::Future;
use std::time::Duration;

use serde::Serialize;

use crate::api::{ProviderApi, ProviderCall};
use crate::bearer::Bearer;
use crate::cache::{Answered, CacheKey};
use crate::context::Context;
use crate::credentials::Environment;
use crate::error::ProviderError;
use crate::listing::{Listing, ParsedOffers};
use crate::offer::redact_offers;
use crate::secret::Secrets;

/// A client whose requests carry a key as a bearer token, or none.
pub(crate) struct ApiClient {
    pub api: &'static ProviderApi,
    pub base_url: String,
    pub bearer: Bearer,
}

impl ApiClient {
    /// Creates a client with the key in the provider's variable, otherwise in one of its files.
    /// Without a key, creates a client that sends none if the user consents.
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
        let variable = api.secret_variables.first();
        let key = variable
            .and_then(|name| environment.get(name))
            .or_else(|| key_in_file(environment));
        let bearer = match key.as_deref().and_then(Bearer::new) {
            Some(bearer) => bearer,
            None if call.consents => Bearer::default(),
            None => return Err(api.key_missing()),
        };
        let base_url = api.base_url(environment)?;
        Ok(Self {
            api,
            bearer: bearer.with_password_of(&base_url),
            base_url,
        })
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
    use crate::error::ErrorKind;
    use crate::http::{Http, Timeouts};
    use crate::offer::Offer;
    use crate::query::{Counts, Query};

    const API: ProviderApi = ProviderApi {
        secret_variables: &["ACME_KEY"],
        restrictive_terms: Some("its terms are restrictive"),
        ..ProviderApi::keyless("acme", &["https://acme.example"], |_| unreachable!())
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
