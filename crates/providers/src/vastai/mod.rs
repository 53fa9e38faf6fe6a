//! Vast.ai: a marketplace of single machines, found by search.

mod request;
mod response;
mod walk;

use std::cell::Cell;
use std::time::Duration;

use reqwest::StatusCode;
use sky_accel_core::catalog::CapacityType;
use tokio::time::{Instant, sleep_until};

use crate::bearer::Bearer;
use crate::cache::{Answered, Key};
use crate::context::Context;
use crate::credentials::Environment;
use crate::error::{ErrorKind, ProviderError};
use crate::http::Call;
use crate::offer::{Found, Listing};
use crate::query::Query;
use crate::{Provider, offer};

use request::Start;
use walk::{Next, Stopped, Walk, Walked};

const ID: &str = "vastai";
const BASE_URL: &str = "https://console.vast.ai";
const BASE_URL_VARIABLE: &str = "VAST_URL";
const KEY_VARIABLE: &str = "VAST_API_KEY";
const KEY_FILE: &str = "vastai/vast_api_key";
const OLD_KEY_FILE: &str = ".vast_api_key";
/// Ten thousand offers take about 25 MB.
const MAX_BODY: usize = 64 << 20;
/// How long a marketplace's answer is kept.
const KEEP: Duration = Duration::from_secs(3600);

/// Searches are to be at least this far apart. Two at once are usually let through; one that is
/// not waits so long.
const PACE: Duration = Duration::from_millis(1600);

/// An account at Vast.ai.
#[derive(Debug)]
pub struct VastAi {
    base_url: String,
    bearer: Bearer,
}

impl VastAi {
    /// Creates an account with the key in `VAST_API_KEY` or in the files of Vast.ai's tool.
    ///
    /// # Errors
    ///
    /// Fails with [`ErrorKind::CredentialsMissing`] if there is no usable key, and with
    /// [`ErrorKind::Network`] if the variable for the base URL is not an HTTP URL.
    pub fn from_environment(environment: &Environment<'_>) -> Result<Self, ProviderError> {
        let key = environment
            .get(KEY_VARIABLE)
            .or_else(|| environment.text(environment.config(KEY_FILE)))
            .or_else(|| environment.text(environment.home(OLD_KEY_FILE)));
        let Some(bearer) = key.as_deref().and_then(Bearer::new) else {
            let message =
                format!("no API key: set {KEY_VARIABLE}, or put it into ~/.config/{KEY_FILE}");
            return Err(ProviderError::new(ID, ErrorKind::CredentialsMissing, message)
                .hint("keys are made at Keys in the Vast.ai console; reading instances and offers is enough. --public asks without a key: Vast.ai's terms forbid automated access without its agreement, so that is for you to decide"));
        };
        Ok(Self {
            base_url: base_url(environment)?,
            bearer,
        })
    }

    /// Creates a client that sends no key, whatever the environment has.
    ///
    /// # Errors
    ///
    /// Fails with [`ErrorKind::Network`] if the variable for the base URL is not an HTTP URL.
    pub fn without_key(environment: &Environment<'_>) -> Result<Self, ProviderError> {
        Ok(Self {
            base_url: base_url(environment)?,
            bearer: Bearer::default(),
        })
    }

    /// All pages of a search.
    async fn search(
        &self,
        query: &Query<'_>,
        context: &Context<'_>,
        capacity: CapacityType,
        pace: &Pace,
    ) -> Result<Walked, ProviderError> {
        let mut walk = Walk::new(capacity, query.disk_gb);
        loop {
            match self.page(query, context, capacity, walk.start()).await {
                Ok(answer) => match walk.take(answer) {
                    Next::Ask => {}
                    Next::Done => return walk.finish(None),
                    Next::Stop(stopped) => return walk.finish(Some(stopped)),
                },
                Err(error) if walk.is_at_the_start() => return Err(error),
                Err(error) => return walk.finish(Some(Stopped::Failed(error))),
            }
            if !pace.wait(context.deadline).await {
                return walk.finish(Some(Stopped::Time));
            }
        }
    }

    async fn page(
        &self,
        query: &Query<'_>,
        context: &Context<'_>,
        capacity: CapacityType,
        start: Start,
    ) -> Result<response::Page, ProviderError> {
        let call = Call {
            provider: ID,
            operation: match capacity {
                CapacityType::OnDemand => "searching on-demand offers",
                CapacityType::Spot => "searching interruptible offers",
            },
            secrets: self.bearer.secrets(),
            max_body: MAX_BODY,
            pace: Some(PACE),
            explain: &explain,
        };
        let url = format!("{}/api/v0/bundles/", self.base_url);
        let body = request::search(query, capacity, start);
        let reply = context
            .read(&call, |client| {
                self.bearer.sign(client.post(&url)).json(&body)
            })
            .await?;
        response::Page::parse(&reply.body)
    }

    async fn fetch(
        &self,
        query: &Query<'_>,
        context: &Context<'_>,
    ) -> Result<Answered<Found>, ProviderError> {
        let pace = Pace::new();
        let one = async |wanted: bool, capacity| {
            if wanted {
                Some(self.search(query, context, capacity, &pace).await)
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
                    problems.extend(problem.map(|error| error.struck(self.bearer.secrets())));
                }
                Err(error) => problems.push(error.struck(self.bearer.secrets())),
            }
        }
        // One search is half an answer, none is none; and a key is refused as a whole.
        let refused = problems
            .iter()
            .position(|error| error.kind.is_about_credentials());
        if let Some(fatal) = refused.or((found.is_empty() && !problems.is_empty()).then_some(0)) {
            return Err(problems.swap_remove(fatal));
        }
        let (mut offers, dropped) = response::offers(found);
        offer::strike(&mut offers, self.bearer.secrets());
        Ok(((offers, dropped), problems))
    }
}

/// The address of the API.
fn base_url(environment: &Environment<'_>) -> Result<String, ProviderError> {
    let default = environment.public_url(ID, BASE_URL)?;
    environment.base_url(ID, BASE_URL_VARIABLE, &default)
}

/// Parses a page, and puts its machines together.
pub(crate) fn parse_page(body: &[u8], capacity: CapacityType) {
    let Ok(page) = response::Page::parse(body) else {
        return;
    };
    let _ = page.is_cut();
    let rows = page.rows.into_iter();
    let machines = rows.filter_map(|row| response::machine(row, capacity, 32.0).ok());
    let found = response::Found {
        capacity,
        machines: machines.collect(),
        dropped: crate::offer::Tally::default(),
    };
    let _ = response::offers([found]);
}

impl Provider for VastAi {
    const ID: &'static str = ID;

    async fn listing(
        &self,
        query: &Query<'_>,
        context: &Context<'_>,
    ) -> Result<Listing, ProviderError> {
        let search = request::search(query, CapacityType::OnDemand, Start::Lowest);
        let question = (search, query.on_demand, query.spot);
        let account = self.bearer.account();
        let key = Key::new(ID, "offers", &question, &self.base_url, account);
        let fetched = context
            .cached(&key, KEEP, || self.fetch(query, context))
            .await
            .map_err(|error| error.of(self.bearer.access()))?;
        let mut listing = Listing {
            access: self.bearer.access(),
            ..Listing::of(fetched)
        };
        let is_cut = |problem: &ProviderError| problem.kind == ErrorKind::Incomplete;
        if listing.problems.iter().any(is_cut) {
            let remark =
                "its answers were cut, and some machines are missing; the cheapest are listed";
            listing.remarks.push(remark.to_owned());
        }
        Ok(listing)
    }
}

/// Keeps the further questions of one listing apart.
struct Pace {
    /// When the next one may be sent.
    next: Cell<Instant>,
}

impl Pace {
    /// Begins with the first question of each search, which are sent at once.
    fn new() -> Self {
        Self {
            next: Cell::new(Instant::now() + PACE),
        }
    }

    /// Waits until a question may be sent; `false` at once where that is after the deadline.
    async fn wait(&self, deadline: Instant) -> bool {
        let slot = self.next.get().max(Instant::now());
        if slot >= deadline {
            return false;
        }
        self.next.set(slot + PACE);
        sleep_until(slot).await;
        true
    }
}

/// Refused keys, and the search quota of the day.
fn explain(status: StatusCode, body: &[u8]) -> Option<ProviderError> {
    let contains = |words: &str| memchr::memmem::find(body, words.as_bytes()).is_some();
    match status.as_u16() {
        401 | 403 => Some(key_refused()),
        404 if contains("user key") => Some(key_refused()),
        429 if contains("search_quota_exceeded") => {
            let message = "the searches of this day are used up";
            Some(
                ProviderError::new(ID, ErrorKind::DailyQuota, message)
                    .hint("they come back at 00:00 UTC"),
            )
        }
        _ => None,
    }
}

fn key_refused() -> ProviderError {
    let message = format!(
        "the API key is refused (from {KEY_VARIABLE}, ~/.config/{KEY_FILE} or ~/{OLD_KEY_FILE})"
    );
    ProviderError::new(ID, ErrorKind::CredentialsRefused, message)
        .hint("check that it is whole and not revoked, and that it may search offers")
}
