//! Requests to Azure Resource Manager with the credentials of a service principal.

use std::fmt::Write as _;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::future::join3;
use futures_util::stream::iter;
use http::StatusCode;
use serde_json::{Value, json};

use crate::api::ProviderApi;
use crate::cache::{Answered, CacheKey, Fetched};
use crate::context::Context;
use crate::credentials::is_header_safe;
use crate::error::{ErrorKind, ProviderError};
use crate::feed::join as join_path;
use crate::public::account::{AccountAnswer, add_problems};
use crate::public::shared::{CONCURRENT, further_page};
use crate::query::Query;
use crate::read_call::ReadCall;
use crate::secret::Secrets;

use super::answers::{self, ID, LimitsByName, ScoresByPlace, SkusByName, UsagesByCode};
use super::credentials::{AzureCredentials, AzureLogin};
use super::evictions::{self, EvictionsByPlace};
use super::places::AzurePlace;
use super::stock::{self, RegionAnswers, SpotAnswers};

/// Azure asks for a pause of 15 to 30 minutes between two requests for scores.
const KEEP: Duration = Duration::from_secs(900);
/// The list of the sizes of a region has about 4 MB.
const MAX_BODY: usize = 16 << 20;
/// The maximum number of pages of a list of a region.
const MAX_LIST_PAGES: usize = 10;
/// The maximum number of sizes in a request for scores.
const SIZES_PER_CALL: usize = 5;
/// The maximum number of machines in a request for scores.
const MOST_MACHINES: u32 = 10_000;
/// The region whose quotas are read to check a token. Every subscription has it.
const CHECKED_REGION: &str = "eastus";
const LOGIN: &str = "logging in";

/// An account of Azure.
pub(super) struct AzureAccount {
    pub api: &'static ProviderApi,
    pub login_url: String,
    pub management_url: String,
    pub credentials: AzureCredentials,
    pub secrets: Secrets,
}

/// The answers for a region, and the errors of missing answers.
struct RegionPart {
    answers: RegionAnswers,
    problems: Vec<ProviderError>,
    /// True if the preview of on-demand capacity does not answer.
    lacks_limits: bool,
}

impl AzureAccount {
    /// Returns the cached or fetched stock and quotas in some regions.
    pub(super) async fn answer(
        &self,
        query: &Query<'_>,
        places: &[AzurePlace],
        context: &Context<'_>,
    ) -> Result<Fetched<AccountAnswer>, ProviderError> {
        let AzureCredentials {
            login,
            subscription,
        } = &self.credentials;
        let account = format!("{} {subscription}", login.account());
        let question = (query.machines, query.on_demand, query.spot, places);
        let url = &self.management_url;
        let key = CacheKey::new(ID, "stock and quotas", &question, url, &account);
        let fetch = || self.fetch(query, places, context);
        let fetched = context.cached(&key, KEEP, fetch).await;
        fetched.map_err(|error| error.redacted(&self.secrets))
    }

    /// Checks the credentials with a login, or with a request if there is a token.
    ///
    /// # Errors
    ///
    /// Fails if the credentials are refused, or without an answer.
    pub(super) async fn check(&self, context: &Context<'_>) -> Result<(), ProviderError> {
        let check = async {
            let token = self.token(context).await?;
            if matches!(self.credentials.login, AzureLogin::User(_)) {
                let session = self.session(&token, context);
                session.usages(CHECKED_REGION).await?;
            }
            Ok(())
        };
        check
            .await
            .map_err(|error: ProviderError| error.redacted(&self.secrets))
    }

    fn session<'a>(&'a self, token: &'a str, context: &'a Context<'a>) -> AzureSession<'a> {
        AzureSession {
            account: self,
            token,
            secrets: self.secrets.and(token),
            context,
        }
    }

    async fn fetch(
        &self,
        query: &Query<'_>,
        places: &[AzurePlace],
        context: &Context<'_>,
    ) -> Result<Answered<AccountAnswer>, ProviderError> {
        let token = self.token(context).await?;
        match self.ask(&token, query, places, context).await {
            // A token may expire between two requests. A refusal of a second token means that the
            // credentials are refused.
            Err(error)
                if error.kind == ErrorKind::CredentialsRefused
                    && matches!(self.credentials.login, AzureLogin::ServicePrincipal { .. }) =>
            {
                let token = self.token(context).await?;
                self.ask(&token, query, places, context).await
            }
            answer => answer,
        }
    }

    async fn token(&self, context: &Context<'_>) -> Result<String, ProviderError> {
        let (tenant, client_id, client_secret) = match &self.credentials.login {
            AzureLogin::User(token) => return Ok(token.clone()),
            AzureLogin::ServicePrincipal {
                tenant,
                client_id,
                client_secret,
            } => (tenant, client_id, client_secret),
        };
        let path = format!("/{tenant}/oauth2/v2.0/token");
        let url = join_path(&self.login_url, &path);
        let scope = "https://management.azure.com/.default";
        let fields = [
            ("grant_type", "client_credentials"),
            ("client_id", client_id),
            ("client_secret", client_secret),
            ("scope", scope),
        ];
        let call = ReadCall {
            provider: ID,
            operation: LOGIN,
            secrets: &self.secrets,
            max_body: MAX_BODY,
            pace: None,
            explain: &|status, _| {
                matches!(status.as_u16(), 400 | 401 | 403).then(|| {
                    self.api.key_refused("check that the tenant, the client and the secret belong together, and that the secret has not expired")
                })
            },
        };
        let reply = context.read(&call, |client| client.post(&url).form(&fields));
        let body = reply.await?.body;
        let token = context.parsed(LOGIN, || Ok(answers::token(&body)))?;
        token.filter(|token| is_header_safe(token)).ok_or_else(|| {
            let message = "the answer to the login has no token";
            ProviderError::new(ID, ErrorKind::Protocol, message)
        })
    }

    /// Requests everything with a token.
    ///
    /// # Errors
    ///
    /// Fails only if the token is refused. The errors of other parts are problems.
    async fn ask(
        &self,
        token: &str,
        query: &Query<'_>,
        places: &[AzurePlace],
        context: &Context<'_>,
    ) -> Result<Answered<AccountAnswer>, ProviderError> {
        let session = self.session(token, context);
        let reads = places.iter().map(|place| session.region(query, place));
        let regions = iter(reads).buffered(CONCURRENT).collect::<Vec<_>>();
        let (regions, scores, evictions) = join3(
            regions,
            session.scores(query, places),
            session.evictions(query, places),
        )
        .await;
        let mut answer = AccountAnswer::default();
        let mut problems = Vec::new();
        let scores = scores.unwrap_or_else(|error| {
            if error.kind == ErrorKind::Permission {
                answer
                    .add_remark("spot placement scores need the role Compute Recommendations Role");
            } else {
                problems.push(error);
            }
            ScoresByPlace::new()
        });
        let evictions = evictions.unwrap_or_else(|error| {
            add_problems(&mut problems, [error]);
            EvictionsByPlace::new()
        });
        let spot = SpotAnswers { scores, evictions };
        for part in regions {
            if part.lacks_limits {
                answer.add_remark(
                    "its preview of on-demand capacity did not answer: on-demand stock is unknown",
                );
            }
            add_problems(&mut problems, part.problems);
            stock::add(&mut answer, query, &part.answers, &spot);
        }
        let refused = ErrorKind::CredentialsRefused;
        match problems.iter().position(|error| error.kind == refused) {
            Some(at) => Err(problems.swap_remove(at)),
            None => Ok((answer, problems)),
        }
    }

    /// Returns the error of a refused token or a missing role.
    fn refusal(&self, status: StatusCode, operation: &str) -> Option<ProviderError> {
        match status.as_u16() {
            401 => Some(
                self.api
                    .key_refused("log in again with `az login`, or create another secret"),
            ),
            403 => Some(
                ProviderError::new(
                    ID,
                    ErrorKind::Permission,
                    format!("the account may not read this ({operation})"),
                )
                .hint("assign it the role Reader of the subscription"),
            ),
            _ => None,
        }
    }
}

/// Requests with one token.
struct AzureSession<'a> {
    account: &'a AzureAccount,
    token: &'a str,
    secrets: Secrets,
    context: &'a Context<'a>,
}

impl AzureSession<'_> {
    /// Returns the address of a path below a location of the subscription.
    fn url(&self, path: &str, version: &str) -> String {
        let subscription = &self.account.credentials.subscription;
        let mut path = format!("/subscriptions/{subscription}/providers/Microsoft.Compute{path}");
        let _ = write!(path, "?api-version={version}");
        join_path(&self.account.management_url, &path)
    }

    async fn send(
        &self,
        operation: &str,
        url: &str,
        question: Option<&Value>,
    ) -> Result<Vec<u8>, ProviderError> {
        let call = ReadCall {
            provider: ID,
            operation,
            secrets: &self.secrets,
            max_body: MAX_BODY,
            pace: None,
            explain: &|status, _| self.account.refusal(status, operation),
        };
        let reply = self.context.read(&call, |client| {
            let request = match question {
                Some(question) => client.post(url).json(question),
                None => client.get(url),
            };
            request.bearer_auth(self.token)
        });
        Ok(reply.await?.body)
    }

    /// Reads all pages of a list. `parse` adds a page and returns the address of the next page.
    async fn pages(
        &self,
        operation: &str,
        first: String,
        mut parse: impl FnMut(&[u8]) -> Result<Option<String>, ProviderError>,
    ) -> Result<(), ProviderError> {
        let protocol = |message: &str| {
            let message = format!("{message} ({operation})");
            ProviderError::new(ID, ErrorKind::Protocol, message)
        };
        let mut url = first.clone();
        for _ in 0..MAX_LIST_PAGES {
            let body = self.send(operation, &url, None).await?;
            let Some(next) = self.context.parsed(operation, || parse(&body))? else {
                return Ok(());
            };
            // The token must not reach another server.
            url = further_page(&first, &next)
                .ok_or_else(|| protocol("the answer is continued on another server"))?;
        }
        let message = format!("the list has more than {MAX_LIST_PAGES} pages ({operation})");
        Err(ProviderError::new(ID, ErrorKind::Incomplete, message))
    }

    /// Requests the sizes, the quotas and the on-demand stock of a region.
    async fn region(&self, query: &Query<'_>, place: &AzurePlace) -> RegionPart {
        let limits = async {
            if query.on_demand {
                self.limits(query.machines, place).await.map(Some)
            } else {
                Ok(None)
            }
        };
        let (skus, usages, limits) =
            join3(self.skus(&place.region), self.usages(&place.region), limits).await;
        let mut problems = Vec::new();
        let mut lacks_limits = false;
        let limits = limits.unwrap_or_else(|error| {
            // A preview may be closed to an account, or change.
            if matches!(error.kind, ErrorKind::Permission | ErrorKind::Protocol) {
                lacks_limits = true;
            } else {
                problems.push(error);
            }
            None
        });
        let skus = skus.map_err(|error| problems.push(error)).ok();
        let usages = usages.map_err(|error| problems.push(error)).ok();
        RegionPart {
            answers: RegionAnswers {
                region: place.region.clone(),
                sizes: place.sizes.clone(),
                skus,
                usages,
                limits,
            },
            problems,
            lacks_limits,
        }
    }

    async fn skus(&self, region: &str) -> Result<SkusByName, ProviderError> {
        const OPERATION: &str = "listing the sizes of a region";
        let filter = format!("&$filter=location%20eq%20'{region}'");
        let first = self.url("/skus", "2021-07-01") + &filter;
        let mut skus = SkusByName::new();
        let read = self.pages(OPERATION, first, |body| {
            let (page, next) = answers::skus(body)?;
            skus.extend(page);
            Ok(next)
        });
        read.await?;
        if skus.is_empty() {
            let message = format!("the answer lists nothing ({OPERATION})");
            return Err(ProviderError::new(ID, ErrorKind::Protocol, message));
        }
        Ok(skus)
    }

    async fn usages(&self, region: &str) -> Result<UsagesByCode, ProviderError> {
        let path = format!("/locations/{region}/usages");
        let first = self.url(&path, "2026-04-01");
        let mut usages = UsagesByCode::new();
        let read = self.pages("reading quotas", first, |body| {
            let (page, next) = answers::usages(body)?;
            usages.extend(page);
            Ok(next)
        });
        read.await?;
        Ok(usages)
    }

    /// Requests the on-demand stock of the sizes of a region.
    async fn limits(
        &self,
        machines: u32,
        place: &AzurePlace,
    ) -> Result<LimitsByName, ProviderError> {
        const OPERATION: &str = "requesting on-demand capacity";
        let path = format!(
            "/locations/{}/skuMixPlacementScores/recommendations/generate",
            place.region
        );
        let url = self.url(&path, "2026-09-05-preview");
        let mut limits = LimitsByName::new();
        for sizes in place.sizes.chunks(SIZES_PER_CALL) {
            let sizes: Vec<Value> = sizes.iter().map(|size| json!({ "name": size })).collect();
            let question = json!({
                "capacityProfile": {
                    "capacity": machines.clamp(1, MOST_MACHINES),
                    "capacityType": "VM",
                    "priority": "Regular",
                },
                "instanceDescription": { "vmSizes": sizes },
            });
            let body = self.send(OPERATION, &url, Some(&question)).await?;
            limits.extend(self.context.parsed(OPERATION, || answers::mix(&body))?);
        }
        Ok(limits)
    }

    /// Requests the spot scores of all sizes in all regions.
    async fn scores(
        &self,
        query: &Query<'_>,
        places: &[AzurePlace],
    ) -> Result<ScoresByPlace, ProviderError> {
        const OPERATION: &str = "requesting spot placement scores";
        let (Some(first), true) = (places.first(), query.spot) else {
            return Ok(ScoresByPlace::new());
        };
        let path = format!("/locations/{}/placementScores/spot/generate", first.region);
        let url = self.url(&path, "2025-06-05");
        let regions: Vec<&str> = places.iter().map(|place| place.region.as_str()).collect();
        let mut sizes: Vec<&String> = places.iter().flat_map(|place| &place.sizes).collect();
        sizes.sort_unstable();
        sizes.dedup();
        let mut scores = ScoresByPlace::new();
        for sizes in sizes.chunks(SIZES_PER_CALL) {
            let sizes: Vec<Value> = sizes.iter().map(|size| json!({ "sku": size })).collect();
            let question = json!({
                "desiredLocations": regions,
                "desiredSizes": sizes,
                "desiredCount": query.machines.clamp(1, MOST_MACHINES),
                "availabilityZones": false,
            });
            let body = self.send(OPERATION, &url, Some(&question)).await?;
            scores.extend(self.context.parsed(OPERATION, || answers::scores(&body))?);
        }
        Ok(scores)
    }

    /// Requests the eviction rates of all sizes in all regions.
    async fn evictions(
        &self,
        query: &Query<'_>,
        places: &[AzurePlace],
    ) -> Result<EvictionsByPlace, ProviderError> {
        const OPERATION: &str = "requesting eviction rates";
        const PATH: &str = "/providers/Microsoft.ResourceGraph/resources?api-version=2021-03-01";
        if !query.spot {
            return Ok(EvictionsByPlace::new());
        }
        let subscription = &self.account.credentials.subscription;
        let Some(question) = evictions::question(subscription, places) else {
            return Ok(EvictionsByPlace::new());
        };
        let url = join_path(&self.account.management_url, PATH);
        let body = self.send(OPERATION, &url, Some(&question)).await?;
        self.context
            .parsed(OPERATION, || evictions::evictions(&body))
    }
}
