//! Requests to Oracle Cloud with the API key of a user.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::future::join;
use futures_util::stream::iter;
use http::StatusCode;
use jiff::Timestamp;
use serde_json::{Value, json};
use url::Url;

use crate::api::ProviderApi;
use crate::cache::{Answered, CacheKey, Fetched};
use crate::context::Context;
use crate::error::{ErrorKind, ProviderError};
use crate::feed::join as join_path;
use crate::public::account::{AccountAnswer, add_problems};
use crate::public::shared::CONCURRENT;
use crate::query::Query;
use crate::read_call::ReadCall;
use crate::requests::HttpReply;
use crate::secret::Secrets;

use super::answers::{self, ID, LimitNames, OciLimit, OciStock};
use super::credentials::OciCredentials;
use super::signature::RequestSigner;
use super::stock::{self, OciShapeSize, RegionAnswers};

/// Reports have counts of machines, which change within minutes.
const KEEP: Duration = Duration::from_secs(60);
/// A page of shapes has about 200 kB.
const MAX_BODY: usize = 4 << 20;
/// The maximum number of shapes in a report. Longer requests are refused.
const SHAPES_PER_REPORT: usize = 10;
/// The maximum number of regions.
const MAX_REGIONS: usize = 4;
/// The maximum number of availability domains in a region. There are three at most.
const MAX_DOMAINS: usize = 4;
/// The maximum number of shapes, and of the limits that they count against.
const MAX_SHAPES: usize = 40;
const MAX_LIMITS: usize = 8;
/// The number of shapes on a page, and the maximum number of pages.
const PAGE: usize = 100;
const MAX_LIST_PAGES: usize = 10;

/// An account of Oracle Cloud.
pub(super) struct OciAccount {
    pub api: &'static ProviderApi,
    pub credentials: OciCredentials,
    pub signer: RequestSigner,
    pub secrets: Secrets,
    /// The address that replaces those of all services and regions; `None` for the documented ones.
    pub replacement_url: Option<String>,
}

/// A service of Oracle Cloud.
#[derive(Clone, Copy)]
enum OciService {
    Compute,
    Identity,
    Limits,
}

impl OciService {
    fn url(self, region: &str) -> String {
        match self {
            Self::Compute => format!("https://iaas.{region}.oraclecloud.com"),
            Self::Identity => format!("https://identity.{region}.oci.oraclecloud.com"),
            Self::Limits => format!("https://limits.{region}.oci.oraclecloud.com"),
        }
    }
}

impl OciAccount {
    /// Returns the cached or fetched stock and limits of shapes.
    pub(super) async fn answer(
        &self,
        query: &Query<'_>,
        shapes: &[OciShapeSize],
        context: &Context<'_>,
    ) -> Result<Fetched<AccountAnswer>, ProviderError> {
        let shapes = &shapes[..shapes.len().min(MAX_SHAPES)];
        let OciCredentials {
            tenancy,
            user,
            fingerprint,
            region,
            key,
        } = &self.credentials;
        let account = format!("{tenancy} {user} {fingerprint} {key}");
        let question = (query.machines, region, query.places, shapes);
        let url = self.replacement_url.as_deref().unwrap_or_default();
        let key = CacheKey::new(ID, "stock and limits", &question, url, &account);
        let fetch = || self.fetch(query, shapes, context);
        let fetched = context.cached(&key, KEEP, fetch).await;
        fetched.map_err(|error| error.redacted(&self.secrets))
    }

    /// Checks the credentials with the list of regions.
    ///
    /// # Errors
    ///
    /// Fails if the key is refused, or without an answer.
    pub(super) async fn check(&self, context: &Context<'_>) -> Result<(), ProviderError> {
        let session = OciSession {
            account: self,
            context,
        };
        let listed = session.subscriptions().await;
        listed
            .map(drop)
            .map_err(|error| error.redacted(&self.secrets))
    }

    async fn fetch(
        &self,
        query: &Query<'_>,
        shapes: &[OciShapeSize],
        context: &Context<'_>,
    ) -> Result<Answered<AccountAnswer>, ProviderError> {
        let session = OciSession {
            account: self,
            context,
        };
        let mut answer = AccountAnswer::default();
        let mut problems = Vec::new();
        let regions = session.regions(query, &mut answer, &mut problems).await?;
        let reads = regions.iter().map(|region| session.region(region, shapes));
        let parts: Vec<_> = iter(reads).buffered(CONCURRENT).collect().await;
        for (answers, errors) in parts {
            add_problems(&mut problems, errors);
            stock::add(&mut answer, &answers, shapes, query.machines);
        }
        Ok((answer, problems))
    }

    /// Returns the error of a refused signature or a missing policy.
    fn refusal(&self, status: StatusCode, operation: &str) -> Option<ProviderError> {
        match status.as_u16() {
            401 => Some(self.api.key_refused(
                "check tenancy, user, fingerprint and key; the clock may differ by five minutes at most",
            )),
            // The answer to a request without a policy is the same as to a resource that does not exist.
            403 | 404 => Some(
                ProviderError::new(
                    ID,
                    ErrorKind::Permission,
                    format!("the user may not read this ({operation})"),
                )
                .hint(
                    "add a policy: `manage compute-capacity-reports in tenancy` for stock, and `read \
                     resource-availability in tenancy` for limits",
                ),
            ),
            _ => None,
        }
    }
}

/// Signed requests.
struct OciSession<'a> {
    account: &'a OciAccount,
    context: &'a Context<'a>,
}

impl OciSession<'_> {
    /// Returns the address of a path with parameters.
    fn url(
        &self,
        service: OciService,
        region: &str,
        path: &str,
        parameters: &[(&str, &str)],
    ) -> Result<Url, ProviderError> {
        let base = match &self.account.replacement_url {
            Some(url) => url.clone(),
            None => service.url(region),
        };
        let url = join_path(&base, path);
        let url = Url::parse_with_params(&url, parameters);
        url.map_err(|error| ProviderError::new(ID, ErrorKind::Network, error.to_string()))
    }

    async fn send(
        &self,
        operation: &str,
        url: Url,
        question: Option<&Value>,
    ) -> Result<HttpReply, ProviderError> {
        let body = question.map(Value::to_string);
        let bytes = body.as_deref().map(str::as_bytes);
        let headers = self.account.signer.headers(&url, bytes, Timestamp::now());
        let headers = headers.ok_or_else(|| {
            ProviderError::new(
                ID,
                ErrorKind::CredentialsRefused,
                "the API key cannot sign requests",
            )
        })?;
        let call = ReadCall {
            provider: ID,
            operation,
            secrets: &self.account.secrets,
            max_body: MAX_BODY,
            pace: None,
            explain: &|status, _| self.account.refusal(status, operation),
        };
        let reply = self.context.read(&call, |client| {
            let request = match &body {
                Some(body) => client.post(url.clone()).body(body.clone()),
                None => client.get(url.clone()),
            };
            let headers = headers.0.iter();
            headers.fold(request, |request, (name, value)| {
                request.header(*name, value)
            })
        });
        reply.await
    }

    async fn get<T>(
        &self,
        operation: &str,
        url: Url,
        parse: impl Fn(&[u8]) -> Result<T, ProviderError>,
    ) -> Result<T, ProviderError> {
        let body = self.send(operation, url, None).await?.body;
        self.context.parsed(operation, || parse(&body))
    }

    /// Returns the regions of the tenancy.
    async fn subscriptions(&self) -> Result<Vec<String>, ProviderError> {
        let credentials = &self.account.credentials;
        let path = format!(
            "/20160918/tenancies/{}/regionSubscriptions",
            credentials.tenancy
        );
        let url = self.url(OciService::Identity, &credentials.region, &path, &[])?;
        self.get("listing regions", url, answers::regions).await
    }

    /// Returns the regions to ask: the configured one first.
    async fn regions(
        &self,
        query: &Query<'_>,
        answer: &mut AccountAnswer,
        problems: &mut Vec<ProviderError>,
    ) -> Result<Vec<String>, ProviderError> {
        let home = &self.account.credentials.region;
        let mut regions = vec![home.clone()];
        match self.subscriptions().await {
            Ok(listed) => regions.extend(listed.into_iter().filter(|region| region != home)),
            Err(error) if error.kind == ErrorKind::CredentialsRefused => return Err(error),
            Err(error) => problems.push(error),
        }
        if let Some(places) = query.places {
            regions.retain(|region| places.include(region, None));
        }
        if regions.len() > MAX_REGIONS {
            regions.truncate(MAX_REGIONS);
            answer.add_remark(&format!(
                "stock and limits are of {}; `region` selects other regions",
                regions.join(", ")
            ));
        }
        Ok(regions)
    }

    /// Requests the stock and the limits of shapes in a region.
    async fn region(
        &self,
        region: &str,
        shapes: &[OciShapeSize],
    ) -> (RegionAnswers, Vec<ProviderError>) {
        let mut answers = RegionAnswers {
            region: region.to_owned(),
            ..RegionAnswers::default()
        };
        let tenancy = [("compartmentId", self.account.credentials.tenancy.as_str())];
        let domains = async {
            let path = "/20160918/availabilityDomains";
            let url = self.url(OciService::Identity, region, path, &tenancy)?;
            let domains = self.get("listing availability domains", url, answers::domains);
            domains.await
        };
        let (domains, names) = join(domains, self.limit_names(region)).await;
        let mut problems = Vec::new();
        let domains = domains
            .map_err(|error| problems.push(error))
            .unwrap_or_default();
        answers.names = names
            .map_err(|error| problems.push(error))
            .unwrap_or_default();
        let wanted = shapes
            .iter()
            .filter_map(|shape| answers.names.get(&shape.id));
        let wanted: BTreeSet<&String> = wanted.flatten().take(MAX_LIMITS).collect();
        let limits = wanted.iter().map(|name| self.limits(region, name));
        let limits = iter(limits).buffered(CONCURRENT).collect::<Vec<_>>();
        let domains = domains.into_iter().take(MAX_DOMAINS);
        let reports = domains.map(|domain| self.report(region, domain, shapes));
        let reports = iter(reports).buffered(CONCURRENT).collect::<Vec<_>>();
        let (limits, reports) = join(limits, reports).await;
        let mut found: BTreeMap<String, Vec<OciLimit>> = BTreeMap::new();
        for (name, limits) in wanted.into_iter().zip(limits) {
            match limits {
                Ok((limits, errors)) => {
                    found.insert(name.clone(), limits);
                    add_problems(&mut problems, errors);
                }
                Err(error) => add_problems(&mut problems, [error]),
            }
        }
        answers.limits = found;
        for (domain, report) in reports {
            let report = report.map_err(|error| add_problems(&mut problems, [error]));
            answers.stock.push((domain, report.ok()));
        }
        (answers, problems)
    }

    /// Returns the names of the limits of all shapes in a region.
    async fn limit_names(&self, region: &str) -> Result<LimitNames, ProviderError> {
        const OPERATION: &str = "listing shapes of the tenancy";
        let tenancy = &self.account.credentials.tenancy;
        let limit = PAGE.to_string();
        let mut names = LimitNames::new();
        let mut page: Option<String> = None;
        for _ in 0..MAX_LIST_PAGES {
            let mut parameters = vec![("compartmentId", tenancy.as_str()), ("limit", &limit)];
            parameters.extend(page.as_deref().map(|page| ("page", page)));
            let url = self.url(OciService::Compute, region, "/20160918/shapes", &parameters)?;
            let reply = self.send(OPERATION, url, None).await?;
            let listed = self
                .context
                .parsed(OPERATION, || answers::shapes(&reply.body))?;
            names.extend(listed);
            // A page without rows may have a next page.
            let next = reply.headers.get("opc-next-page");
            let next = next.and_then(|next| next.to_str().ok()).map(str::to_owned);
            if next.is_none() {
                return Ok(names);
            }
            page = next;
        }
        let message = format!("the list has more than {MAX_LIST_PAGES} pages ({OPERATION})");
        Err(ProviderError::new(ID, ErrorKind::Incomplete, message))
    }

    /// Returns the values of a limit with their use, and the errors of unknown uses.
    async fn limits(
        &self,
        region: &str,
        name: &str,
    ) -> Result<Answered<Vec<OciLimit>>, ProviderError> {
        let tenancy = self.account.credentials.tenancy.as_str();
        let parameters = [
            ("compartmentId", tenancy),
            ("serviceName", "compute"),
            ("name", name),
        ];
        let url = self.url(
            OciService::Limits,
            region,
            "/20190729/limitValues",
            &parameters,
        )?;
        let mut limits = self.get("reading limits", url, answers::limits).await?;
        limits.truncate(MAX_DOMAINS);
        let mut problems = Vec::new();
        for limit in &mut limits {
            let path = format!("/20190729/services/compute/limits/{name}/resourceAvailability");
            let mut parameters = vec![("compartmentId", tenancy)];
            parameters.extend(
                limit
                    .domain
                    .as_deref()
                    .map(|name| ("availabilityDomain", name)),
            );
            let url = self.url(OciService::Limits, region, &path, &parameters)?;
            match self.get("reading used limits", url, answers::usage).await {
                Ok((used, left)) => (limit.used, limit.left) = (used, left),
                Err(error) => add_problems(&mut problems, [error]),
            }
        }
        Ok((limits, problems))
    }

    /// Requests the stock of shapes in an availability domain.
    async fn report(
        &self,
        region: &str,
        domain: String,
        shapes: &[OciShapeSize],
    ) -> (String, Result<BTreeMap<String, OciStock>, ProviderError>) {
        let stock = self.stock(region, &domain, shapes).await;
        (domain, stock)
    }

    async fn stock(
        &self,
        region: &str,
        domain: &str,
        shapes: &[OciShapeSize],
    ) -> Result<BTreeMap<String, OciStock>, ProviderError> {
        const OPERATION: &str = "requesting a capacity report";
        let mut stock = BTreeMap::new();
        for shapes in shapes.chunks(SHAPES_PER_REPORT) {
            let shapes = shapes.iter();
            let shapes: Vec<Value> = shapes
                .map(|shape| json!({ "instanceShape": shape.id }))
                .collect();
            let question = json!({
                "compartmentId": self.account.credentials.tenancy,
                "availabilityDomain": domain,
                "shapeAvailabilities": shapes,
            });
            let path = "/20160918/computeCapacityReports";
            let url = self.url(OciService::Compute, region, path, &[])?;
            let body = self.send(OPERATION, url, Some(&question)).await?.body;
            stock.extend(self.context.parsed(OPERATION, || answers::report(&body))?);
        }
        Ok(stock)
    }
}
