//! Nebius: the machines that can be launched in each fabric, quotas of a tenant and prices of an account, by gRPC.

mod answers;
mod messages;
mod profile;

use std::time::Duration;

use futures_util::future::{join, join_all};
use prost::Message;
use prost::bytes::Bytes;
use serde::Serialize;
use sky_accel_core::catalog::CapacityType;

use crate::api::{ListingFuture, ProviderApi, ProviderCall};
use crate::budget::MAX_LIST_ROWS;
use crate::cache::Answered;
use crate::client::ApiClient;
use crate::context::Context;
use crate::credentials::Environment;
use crate::error::{ErrorKind, ProviderError};
use crate::listing::{Listing, ParsedOffers};
use crate::offer::{Offer, Price};
use crate::query::{Interest, Query};
use crate::raise::RaiseHelp;

use answers::{ID, QuotasByName};
use messages::{
    EstimateAnswer, EstimateRequest, ListPage, MachineRequest, MachineSize, MachineSpec, Metadata,
    PageRequest, Preemptible, ResourceSpec, TenantsRequest,
};
use profile::{ENDPOINT_VARIABLE, PROJECT_VARIABLE, TENANT_VARIABLE};

/// Nebius. Each service has a server.
pub(crate) const API: ProviderApi = ProviderApi {
    unpublished: "stock by region and fabric, quotas, and the prices of an account",
    secret_variables: &["NEBIUS_IAM_TOKEN"],
    key_files: profile::FILES,
    key_hint: "`nebius iam get-access-token` prints a token, which expires after 12 hours",
    key_rights: "the role `viewer` in the tenant",
    raise: Some(RaiseHelp::on("https://docs.nebius.com/overview/quotas")),
    ..ProviderApi::new(
        ID,
        &[
            "https://capacity-advisor.billing-cpl.api.nebius.cloud",
            "https://quota-dispatcher.billing-cpl.api.nebius.cloud",
            "https://cpl.iam.api.nebius.cloud",
            "https://api.calculator.billing-data-plane.api.nebius.cloud",
        ],
        query,
    )
};

/// The domain of the servers.
const DOMAIN: &str = "api.nebius.cloud";
/// The number of rows on a page of quotas, of which the API allows 1,000.
const PAGE_SIZE: i64 = 1_000;
/// The maximum number of types whose prices are read. Each needs a request for each way to buy it.
const MAX_PRICED: usize = 16;
/// Capacity changes within minutes.
const KEEP: Duration = Duration::from_secs(60);

/// A method of the API, and the start of the name of its server.
struct Method {
    server: &'static str,
    path: &'static str,
    operation: &'static str,
}

const TENANTS: Method = Method {
    server: "cpl.iam",
    path: "/nebius.iam.v1.TenantService/List",
    operation: "listing tenants",
};
const ADVICE: Method = Method {
    server: "capacity-advisor.billing-cpl",
    path: "/nebius.capacity.v1.ResourceAdviceService/List",
    operation: "reading the capacity",
};
const QUOTAS: Method = Method {
    server: "quota-dispatcher.billing-cpl",
    path: "/nebius.quotas.v1.QuotaAllowanceService/List",
    operation: "reading quotas",
};
const ESTIMATE: Method = Method {
    server: "api.calculator.billing-data-plane",
    path: "/nebius.billing.v1alpha1.CalculatorService/Estimate",
    operation: "reading prices",
};

/// A client with a token, and the tenant and project that it reads.
struct Nebius {
    client: ApiClient,
    servers: NebiusServers,
    tenant: Option<String>,
    project: Option<String>,
}

/// The servers of the API.
enum NebiusServers {
    /// One server for all services.
    Replaced(String),
    /// A server for each service below this domain.
    Below(String),
}

impl NebiusServers {
    /// Returns the servers that the environment names, by default Nebius'.
    fn new(environment: &Environment<'_>) -> Result<Self, ProviderError> {
        let replaced = environment.public_url(ID, "")?;
        if !replaced.is_empty() {
            return Ok(Self::Replaced(replaced));
        }
        let domain = profile::domain(environment).unwrap_or_else(|| DOMAIN.to_owned());
        let is_host = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b':');
        if domain.is_empty() || !domain.bytes().all(is_host) {
            let message = format!(
                "{ENDPOINT_VARIABLE} or the profile's endpoint is not a domain: an example is {DOMAIN}"
            );
            return Err(ProviderError::new(ID, ErrorKind::Network, message));
        }
        Ok(Self::Below(domain))
    }

    fn address(&self, method: &Method) -> String {
        let Method { server, path, .. } = method;
        match self {
            Self::Replaced(url) => format!("{url}{path}"),
            Self::Below(domain) => format!("https://{server}.{domain}{path}"),
        }
    }
}

/// The part of a query that decides about the answer.
#[derive(Serialize)]
struct NebiusQuestion<'q> {
    accelerators: &'q [String],
    ways: (bool, bool),
    quotas: bool,
    server: String,
    tenant: Option<&'q str>,
    project: Option<&'q str>,
}

fn query(call: ProviderCall<'_>) -> ListingFuture<'_> {
    Box::pin(async move {
        let (query, context) = (call.query, call.context);
        let nebius = Nebius {
            client: ApiClient::new(&API, &call, profile::token)?,
            servers: NebiusServers::new(call.environment)?,
            tenant: profile::tenant(call.environment)?,
            project: profile::project(call.environment)?,
        };
        if query.checks_credentials(context.cache.mode) {
            nebius.tenants(context).await?;
            return Ok(Listing::accepted());
        }
        let question = NebiusQuestion {
            accelerators: query.accelerators,
            ways: (query.on_demand, query.spot),
            quotas: query.quota.is_some(),
            server: nebius.servers.address(&ADVICE),
            tenant: nebius.tenant.as_deref(),
            project: nebius.project.as_deref(),
        };
        let fetch = || nebius.fetch(query, context);
        let client = &nebius.client;
        let listing = client.listing(context, &question, KEEP, fetch).await?;
        let is_unpriced = |offer: &Offer| offer.prices.is_empty();
        let has_no_price = listing.offers.iter().all(is_unpriced);
        let mut remarks = Vec::new();
        if nebius.project.is_none() {
            remarks.push(format!(
                "the account's prices need a project: set {PROJECT_VARIABLE}, or `parent-id` in {}",
                API.key_files[0]
            ));
        }
        Ok(Listing {
            // Without an account's price, the catalog's price applies.
            has_public_prices: has_no_price,
            lacks_on_demand: query.on_demand
                && !has_no_price
                && listing.offers.iter().any(is_unpriced),
            remarks,
            ..listing
        })
    })
}

impl Nebius {
    /// Calls a method, and returns its message.
    async fn call<M: Message + Default>(
        &self,
        context: &Context<'_>,
        method: &Method,
        message: &impl Message,
    ) -> Result<M, ProviderError> {
        let address = self.servers.address(method);
        let operation = method.operation;
        let body = self.client.unary(context, operation, &address, message);
        let body = body.await?;
        context.parsed(operation, || answers::message(&body))
    }

    /// Returns the ids of the user's tenants.
    async fn tenants(&self, context: &Context<'_>) -> Result<Vec<String>, ProviderError> {
        let request = TenantsRequest { page_size: 100 };
        let page: ListPage = self.call(context, &TENANTS, &request).await?;
        context.parsed(TENANTS.operation, || answers::tenants(&page))
    }

    /// Returns the tenant of the settings, otherwise the only one of the user.
    async fn tenant(&self, context: &Context<'_>) -> Result<String, ProviderError> {
        if let Some(tenant) = &self.tenant {
            return Ok(tenant.clone());
        }
        let mut tenants = self.tenants(context).await?;
        if let (Some(tenant), []) = (tenants.pop(), &tenants[..]) {
            return Ok(tenant);
        }
        let message = "the token does not belong to exactly one tenant";
        let error = ProviderError::new(ID, ErrorKind::Permission, message);
        Err(error.hint(format!(
            "set {TENANT_VARIABLE}, or `tenant-id` in {}",
            API.key_files[0]
        )))
    }

    /// Returns the rows of a list of the tenant. If a page after the first one fails, its error is a problem.
    async fn list(
        &self,
        context: &Context<'_>,
        method: &Method,
        tenant: &str,
    ) -> Result<(Vec<Bytes>, Option<ProviderError>), ProviderError> {
        let mut request = PageRequest {
            parent_id: tenant.to_owned(),
            page_size: PAGE_SIZE,
            page_token: String::new(),
        };
        let mut items = Vec::new();
        loop {
            let page: ListPage = match self.call(context, method, &request).await {
                Ok(page) => page,
                Err(error) if items.is_empty() => return Err(error),
                Err(error) => return Ok((items, Some(error))),
            };
            items.extend(page.items);
            if items.len() > MAX_LIST_ROWS {
                let message = format!(
                    "a list has more than {MAX_LIST_ROWS} rows ({})",
                    method.operation
                );
                return Err(ProviderError::new(ID, ErrorKind::Protocol, message));
            }
            if page.next_page_token.is_empty() {
                return Ok((items, None));
            }
            request.page_token = page.next_page_token;
        }
    }

    async fn fetch(
        &self,
        query: &Query<'_>,
        context: &Context<'_>,
    ) -> Result<Answered<ParsedOffers>, ProviderError> {
        let tenant = self.tenant(context).await?;
        let (advice, quotas) = join(
            self.list(context, &ADVICE, &tenant),
            self.quotas(query, context, &tenant),
        )
        .await;
        let (advice, problem) = advice?;
        let mut problems = Vec::from_iter(problem);
        // Without quotas, the stock is complete.
        let quotas = quotas.unwrap_or_else(|error| {
            problems.push(error);
            QuotasByName::new()
        });
        let (mut offers, dropped) = context.parsed(ADVICE.operation, || {
            answers::offers(query, &advice, &quotas)
        })?;
        problems.extend(self.add_prices(query, context, &mut offers).await);
        Ok(((offers, dropped.done()), problems))
    }

    async fn quotas(
        &self,
        query: &Query<'_>,
        context: &Context<'_>,
        tenant: &str,
    ) -> Result<QuotasByName, ProviderError> {
        if query.quota.is_none() {
            return Ok(QuotasByName::new());
        }
        let (items, problem) = self.list(context, &QUOTAS, tenant).await?;
        match problem {
            // A missing row would look like a quota that does not exist.
            Some(problem) => Err(problem),
            None => context.parsed(QUOTAS.operation, || answers::quotas(&items)),
        }
    }

    /// Adds the account's prices to the requested offers. Returns the first error.
    async fn add_prices(
        &self,
        query: &Query<'_>,
        context: &Context<'_>,
        offers: &mut [Offer],
    ) -> Option<ProviderError> {
        let project = self.project.as_deref()?;
        let is_requested = |offer: &&mut Offer| {
            let interest = (query.interest)(&offer.id, offer.hardware.as_ref());
            interest == Interest::Requested
        };
        let ways = [
            (CapacityType::OnDemand, query.on_demand),
            (CapacityType::Spot, query.spot),
        ];
        let ways = ways
            .into_iter()
            .filter_map(|(way, asked)| asked.then_some(way));
        let requested = offers.iter_mut().filter(is_requested).take(MAX_PRICED);
        let priced = join_all(requested.map(async |offer| {
            let prices = ways
                .clone()
                .map(|way| self.price(context, project, &offer.id, way));
            let (mut problem, mut found) = (None, Vec::new());
            for price in join_all(prices).await {
                match price {
                    Ok(price) => found.extend(price),
                    Err(error) => problem = problem.or(Some(error)),
                }
            }
            offer.prices = found;
            problem
        }));
        priced.await.into_iter().flatten().next()
    }

    /// Returns the account's price of a type; `None` if the answer has none.
    async fn price(
        &self,
        context: &Context<'_>,
        project: &str,
        id: &str,
        way: CapacityType,
    ) -> Result<Option<Price>, ProviderError> {
        let Some((platform, preset)) = id.split_once('_') else {
            return Ok(None);
        };
        let machine = MachineRequest {
            metadata: Some(Metadata {
                parent_id: project.to_owned(),
                ..Metadata::default()
            }),
            spec: Some(MachineSpec {
                size: Some(MachineSize {
                    platform: platform.to_owned(),
                    preset: preset.to_owned(),
                }),
                preemptible: (way == CapacityType::Spot)
                    .then_some(Preemptible { on_preemption: 1 }),
            }),
        };
        let request = EstimateRequest {
            resource: Some(ResourceSpec {
                machine: Some(machine),
            }),
        };
        let answer: EstimateAnswer = self.call(context, &ESTIMATE, &request).await?;
        Ok(answers::price(way, &answer))
    }
}

/// Parses a message as each of the answers.
pub(crate) fn parse_answers(query: &Query<'_>, body: &[u8]) {
    let page: Result<ListPage, _> = answers::message(body);
    if let Ok(page) = page {
        let _ = answers::tenants(&page);
        let quotas = answers::quotas(&page.items).unwrap_or_default();
        let _ = answers::offers(query, &page.items, &quotas);
    }
    if let Ok(answer) = answers::message(body) {
        let _ = answers::price(CapacityType::Spot, &answer);
    }
}
