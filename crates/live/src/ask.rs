//! All providers are asked at once.

use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use sky_accel_core::bind::Wanted;
use sky_accel_core::catalog::{Catalog, ProviderId};
use sky_accel_core::resolve::CapacityFilter;
use sky_accel_providers::aggregator::Aggregator;
use sky_accel_providers::{Cache, Context, Event, Http, Listing, ProviderError, Timeouts};
use tokio::time::{Instant, timeout_at};

use crate::identify::Identifier;
use crate::question;
use crate::sources::{Asking, Source};

/// The disk space in decimal GB that marketplace prices include unless another one is given.
pub const DEFAULT_DISK_GB: u32 = 10;

/// The options of a live question, beside the specs.
#[derive(Clone, Debug)]
pub struct LiveRequest {
    /// The capacity type whose prices are asked for; unspecified asks for every price.
    pub capacity_filter: CapacityFilter,
    /// True if machines with more accelerators than the spec asks for are asked for too.
    pub at_least: bool,
    /// True to ask for every count in every region, for alternatives when nothing matches.
    pub widely: bool,
    /// Regions as the user gave them: names, patterns such as `eu-*`, or countries. Empty means
    /// every region.
    pub regions: Vec<String>,
    /// Disk space in decimal GB that the prices of a marketplace include.
    pub disk_gb: f64,
    /// True to ask for spot placement scores.
    pub spot_scores: bool,
    /// The length in hours of capacity blocks to ask for; `None` asks for none.
    pub capacity_block_hours: Option<u32>,
    /// True to ask for the quotas of the account.
    pub check_quota: bool,
    /// The time for all providers together; one that has not answered by then has failed.
    pub timeout: Duration,
    /// The cache of answers, and its use.
    pub cache: Cache,
    /// Ids of providers that are asked without a key although their terms are unclear about it
    /// ([`NEEDS_CONSENT`](crate::NEEDS_CONSENT)), where there is no key.
    pub public: Vec<String>,
    /// Providers that have to be asked. Others are left out, with a note, where they need a key
    /// and there is none.
    pub required: Vec<ProviderId>,
    /// The aggregator that is asked in place of the providers; `None` for the providers themselves.
    pub aggregator: Option<Aggregator>,
}

impl Default for LiveRequest {
    /// Any price of the machines that are asked for, within 30 seconds, without a cache.
    fn default() -> Self {
        Self {
            capacity_filter: CapacityFilter::Unspecified,
            at_least: false,
            widely: false,
            regions: Vec::new(),
            disk_gb: f64::from(DEFAULT_DISK_GB),
            spot_scores: false,
            capacity_block_hours: None,
            check_quota: false,
            timeout: Duration::from_secs(30),
            cache: Cache {
                folder: None,
                mode: sky_accel_providers::CacheMode::Prefer,
                max_age: None,
            },
            public: Vec::new(),
            required: Vec::new(),
            aggregator: None,
        }
    }
}

/// An event while providers are asked.
#[derive(Clone, Copy, Debug)]
pub enum Progress<'p> {
    /// The ids of the providers that have not answered yet; empty at the end.
    Waiting(&'p [&'p str]),
    /// A request, or an answer from the cache.
    Event(Event<'p>),
}

/// Tells if this build can ask a provider, given by its id in the catalog.
pub fn can_ask(provider: &str) -> bool {
    Source::named(provider).is_some()
}

pub(crate) type Listings = Vec<(ProviderId, Option<Result<Listing, ProviderError>>)>;

pub(crate) async fn ask_all(
    catalog: &Catalog<'_>,
    wanted: &[&Wanted],
    providers: &[ProviderId],
    request: &LiveRequest,
    http: &Http,
    progress: &dyn Fn(Progress<'_>),
) -> Listings {
    let timeouts = Timeouts {
        total: request.timeout,
    };
    let deadline = Instant::now() + request.timeout;
    let events = |event: Event<'_>| progress(Progress::Event(event));
    let context = Context {
        http,
        cache: &request.cache,
        deadline,
        events: &events,
    };
    let identifier = Identifier::new(catalog);
    let mut waiting: Vec<&str> = Vec::new();
    let mut asked = FuturesUnordered::new();
    let mut listings: Listings = Vec::new();
    for provider in providers {
        let id = catalog.provider_id(*provider);
        let source = match request.aggregator {
            Some(aggregator) => Source::aggregated(aggregator, catalog, *provider),
            None => Source::named(id),
        };
        let Some(source) = source else {
            listings.push((*provider, None));
            continue;
        };
        waiting.push(id);
        let (identifier, context) = (&identifier, &context);
        asked.push(async move {
            let question = question::of(catalog, *provider, wanted, request);
            let asking = Asking {
                identifier,
                provider: *provider,
                timeouts,
                is_public_allowed: request.public.iter().any(|public| public == id),
                context,
            };
            // The SDK of AWS makes it large.
            let answer = Box::pin(source.ask(&question, &asking));
            // The backends keep to the deadline by themselves; this is for what they cannot
            // interrupt.
            let late = deadline + Duration::from_millis(500);
            let too_late = source.too_late();
            let answer = timeout_at(late, answer).await.unwrap_or(Err(too_late));
            (*provider, answer)
        });
    }
    progress(Progress::Waiting(&waiting));
    while let Some((provider, answer)) = asked.next().await {
        let id = catalog.provider_id(provider);
        waiting.retain(|other| *other != id);
        progress(Progress::Waiting(&waiting));
        listings.push((provider, Some(answer)));
    }
    listings.sort_by_key(|(provider, _)| *provider);
    listings
}
