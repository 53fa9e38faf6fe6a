//! Queries all providers concurrently.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use sky_accel_core::bind::BoundChoice;
use sky_accel_core::catalog::{Catalog, ProviderId};
use sky_accel_providers::{Context, Event, Http, Listing, ProviderError, RunBudget};
use tokio::time::{Instant, timeout_at};

use crate::identify::Identifier;
use crate::question;
use crate::request::LiveRequest;
use crate::sources::{OfferSource, SourceContext};

/// An event while providers are queried.
#[derive(Clone, Copy, Debug)]
pub enum Progress<'p> {
    /// The ids of the providers that have not answered yet; empty at the end.
    Waiting(&'p [&'p str]),
    /// A request, or an answer from the cache.
    Event(Event<'p>),
}

/// Returns true if this build can query a provider, given by its id in the catalog.
pub fn can_ask(provider: &str) -> bool {
    OfferSource::of_provider(provider).is_some()
}

pub(crate) type Listings = Vec<(ProviderId, Option<Result<Listing, ProviderError>>)>;

/// Queries providers. Ends before all of them have answered if `is_enough` is true for the answer of
/// one provider; the others are then missing in the result.
pub(crate) async fn ask_all(
    (catalog, providers): (&Catalog<'_>, &[ProviderId]),
    wanted: &[&BoundChoice],
    request: &LiveRequest,
    http: &Http,
    stop: &Arc<AtomicBool>,
    progress: &dyn Fn(Progress<'_>),
    is_enough: &dyn Fn(ProviderId, &Listing) -> bool,
) -> Listings {
    let deadline = Instant::now() + request.timeout;
    let events = |event: Event<'_>| progress(Progress::Event(event));
    let run_budget = RunBudget::new(Arc::clone(stop));
    let identifier = Identifier::new(catalog);
    let mut waiting: Vec<&str> = Vec::new();
    let mut pending = FuturesUnordered::new();
    let mut listings: Listings = Vec::new();
    for provider in providers {
        let id = catalog.provider_id(*provider);
        let source = match request.aggregator {
            Some(aggregator) => OfferSource::aggregated(aggregator, catalog, *provider),
            None => OfferSource::of_provider(id),
        };
        let Some(source) = source else {
            listings.push((*provider, None));
            continue;
        };
        waiting.push(id);
        let (identifier, events, run_budget) = (&identifier, &events, &run_budget);
        pending.push(async move {
            let context = Context {
                http,
                cache: &request.cache,
                deadline,
                budget: &run_budget.of_provider(source.id()),
                events,
            };
            let question = question::of(catalog, *provider, wanted, request);
            let source_context = SourceContext {
                identifier,
                provider: *provider,
                consents: request.public.iter().any(|public| public == id),
                context: &context,
            };
            // The future of the AWS SDK is large.
            let answer = Box::pin(source.query(&question, &source_context));
            // The backends respect the deadline; this limit is for code that they cannot interrupt.
            let late = deadline + Duration::from_millis(500);
            let too_late = source.too_late();
            let answer = timeout_at(late, answer).await.unwrap_or(Err(too_late));
            (*provider, answer)
        });
    }
    progress(Progress::Waiting(&waiting));
    while let Some((provider, answer)) = pending.next().await {
        let id = catalog.provider_id(provider);
        waiting.retain(|other| *other != id);
        let is_last =
            pending.is_empty() || matches!(&answer, Ok(listing) if is_enough(provider, listing));
        listings.push((provider, Some(answer)));
        if is_last {
            waiting.clear();
        }
        progress(Progress::Waiting(&waiting));
        if is_last {
            break;
        }
    }
    listings.sort_by_key(|(provider, _)| *provider);
    listings
}
