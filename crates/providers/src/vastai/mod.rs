//! Vast.ai: a marketplace of single machines, found by search.

mod request;
mod response;
mod walk;

use std::cell::Cell;
use std::time::Duration;

use http::StatusCode;
use sky_accel_core::catalog::CapacityType;
use tokio::time::{Instant, sleep_until};

use crate::api::{ListingFuture, ProviderApi, ProviderCall};
use crate::cache::Answered;
use crate::client::ApiClient;
use crate::context::Context;
use crate::credentials::Environment;
use crate::error::{ErrorKind, ProviderError};
use crate::listing::{Listing, ParsedOffers};
use crate::query::Query;
use crate::read_call::ReadCall;

use request::{ID, StartPrice};
use walk::{NextStep, PagedSearch, SearchOutcome, StopReason};

/// Vast.ai.
pub(crate) const API: ProviderApi = ProviderApi {
    published: "the offers of the marketplace",
    url_variables: &["VAST_URL"],
    secret_variables: &["VAST_API_KEY"],
    // The second file is of older versions of the command-line tool.
    key_files: &["~/.config/vastai/vast_api_key", "~/.vast_api_key"],
    key_hint: "create a key at Keys in the Vast.ai console; the rights to read instances and \
               offers are enough",
    key_rights: "reading instances and offers",
    restrictive_terms: Some("Vast.ai's terms forbid automated access without its agreement"),
    ..ProviderApi::new(ID, &["https://console.vast.ai"], query)
};

/// Ten thousand offers take about 25 MB.
const MAX_BODY: usize = 64 << 20;
/// The time for which a marketplace's answer stays fresh.
const KEEP: Duration = Duration::from_secs(3600);
/// The interval between searches. Vast.ai usually lets two searches through at once, and refuses
/// more for about this long.
const SEARCH_INTERVAL: Duration = Duration::from_millis(1600);

/// A client of Vast.ai.
struct VastAi(ApiClient);

fn query(call: ProviderCall<'_>) -> ListingFuture<'_> {
    Box::pin(async move {
        let vastai = VastAi(ApiClient::new(&API, &call, key_in_file)?);
        vastai.listing(call.query, call.context).await
    })
}

fn key_in_file(environment: &Environment<'_>) -> Option<String> {
    API.key_file_texts(environment).next()
}

impl VastAi {
    async fn listing(
        &self,
        query: &Query<'_>,
        context: &Context<'_>,
    ) -> Result<Listing, ProviderError> {
        let search = request::search(query, CapacityType::OnDemand, StartPrice::Lowest);
        let question = (search, query.on_demand, query.spot);
        let fetch = || self.fetch(query, context);
        let mut listing = self.0.listing(context, &question, KEEP, fetch).await?;
        let is_truncated = |problem: &ProviderError| problem.kind == ErrorKind::Incomplete;
        if listing.problems.iter().any(is_truncated) {
            let remark = "its answers were truncated: the cheapest machines are listed, and some \
                          others are missing";
            listing.remarks.push(remark.to_owned());
        }
        Ok(listing)
    }

    /// Reads all pages of a search.
    async fn search(
        &self,
        query: &Query<'_>,
        context: &Context<'_>,
        capacity: CapacityType,
        limiter: &RateLimiter,
    ) -> Result<SearchOutcome, ProviderError> {
        let mut walk = PagedSearch::new(capacity, query.disk_gb);
        loop {
            match self.page(query, context, capacity, walk.start()).await {
                Ok(answer) => match walk.take(answer) {
                    NextStep::Ask => {}
                    NextStep::Done => return walk.finish(None),
                    NextStep::Stop(stopped) => return walk.finish(Some(stopped)),
                },
                Err(error) if walk.is_at_the_start() => return Err(error),
                Err(error) => return walk.finish(Some(StopReason::Failed(error))),
            }
            if !limiter.wait(context.deadline).await {
                return walk.finish(Some(StopReason::Time));
            }
        }
    }

    async fn page(
        &self,
        query: &Query<'_>,
        context: &Context<'_>,
        capacity: CapacityType,
        start: StartPrice,
    ) -> Result<response::SearchPage, ProviderError> {
        let call = ReadCall {
            provider: ID,
            operation: match capacity {
                CapacityType::OnDemand => "searching on-demand offers",
                CapacityType::Spot => "searching interruptible offers",
            },
            secrets: self.0.bearer.secrets(),
            max_body: MAX_BODY,
            pace: Some(SEARCH_INTERVAL),
            explain: &explain,
        };
        let url = format!("{}/api/v0/bundles/", self.0.base_url);
        let body = request::search(query, capacity, start);
        let reply = context
            .read(&call, |client| {
                self.0.bearer.sign(client.post(&url)).json(&body)
            })
            .await?;
        context.parsed(call.operation, || response::SearchPage::parse(&reply.body))
    }

    async fn fetch(
        &self,
        query: &Query<'_>,
        context: &Context<'_>,
    ) -> Result<Answered<ParsedOffers>, ProviderError> {
        let limiter = RateLimiter::new();
        let one = async |wanted: bool, capacity| {
            if wanted {
                Some(self.search(query, context, capacity, &limiter).await)
            } else {
                None
            }
        };
        let searches = futures_util::future::join(
            one(query.on_demand, CapacityType::OnDemand),
            one(query.spot, CapacityType::Spot),
        );
        let (on_demand, spot) = searches.await;
        let mut found = Vec::new();
        let mut problems = Vec::new();
        for answer in [on_demand, spot].into_iter().flatten() {
            match answer {
                Ok((machines, problem)) => {
                    found.push(machines);
                    problems.extend(problem);
                }
                Err(error) => problems.push(error),
            }
        }
        // The answer of one search is a partial answer. A refused key fails the whole listing.
        let refused = problems
            .iter()
            .position(|error| error.kind.is_about_credentials());
        if let Some(fatal) = refused.or((found.is_empty() && !problems.is_empty()).then_some(0)) {
            return Err(problems.swap_remove(fatal));
        }
        let (offers, dropped) = response::offers(found);
        Ok(((offers, dropped), problems))
    }
}

/// Parses a page and combines its machines.
pub(crate) fn parse_page(body: &[u8], capacity: CapacityType) {
    let Ok(page) = response::SearchPage::parse(body) else {
        return;
    };
    let _ = page.is_cut();
    let rows = page.rows.into_iter();
    let machines = rows.filter_map(|row| response::machine(row, capacity, 32.0).ok());
    let found = response::VastSearchResult {
        capacity,
        machines: machines.collect(),
        dropped: crate::offer::Tally::default(),
    };
    let _ = response::offers([found]);
}

/// Spaces the follow-up searches of a listing.
struct RateLimiter {
    /// The earliest time of the next search.
    next: Cell<Instant>,
}

impl RateLimiter {
    /// Starts with an interval, because the first page of each search is requested at once.
    fn new() -> Self {
        Self {
            next: Cell::new(Instant::now() + SEARCH_INTERVAL),
        }
    }

    /// Waits until a search may be sent. Returns false at once if that is after the deadline.
    async fn wait(&self, deadline: Instant) -> bool {
        let slot = self.next.get().max(Instant::now());
        if slot >= deadline {
            return false;
        }
        self.next.set(slot + SEARCH_INTERVAL);
        sleep_until(slot).await;
        true
    }
}

/// Returns the error of a refused key or of a used-up daily quota.
fn explain(status: StatusCode, body: &[u8]) -> Option<ProviderError> {
    let contains = |words: &str| memchr::memmem::find(body, words.as_bytes()).is_some();
    match status.as_u16() {
        401 | 403 => Some(key_refused()),
        404 if contains("user key") => Some(key_refused()),
        429 if contains("search_quota_exceeded") => {
            let message = "the daily limit of searches is used up";
            Some(
                ProviderError::new(ID, ErrorKind::DailyQuota, message)
                    .hint("the limit resets at 00:00 UTC"),
            )
        }
        _ => None,
    }
}

fn key_refused() -> ProviderError {
    API.key_refused("check that it is complete and not revoked, and that it may search offers")
}
