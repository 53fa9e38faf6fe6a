//! The answer put together: types, then everything about the wanted ones at once.

use std::collections::{BTreeMap, BTreeSet};
use std::future::Future;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::stream::iter;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sky_accel_providers::{
    Availability, Capacity, Context, ErrorKind, Event, Fetched, Interest, Key, Listing, Offer,
    Price, Provider, ProviderError, Query, Region,
};
use tokio::time::{Instant, timeout_at};

use crate::account::Aws;
use crate::instance_types::InstanceType;
use crate::{ID, blocks, instance_types, offerings, on_demand, quotas, regions, spot, spot_scores};

/// How long parts of an answer are kept.
const KEEP_TYPES: Duration = Duration::from_hours(7 * 24);
const KEEP_PRICES: Duration = Duration::from_hours(24);
const KEEP_SPOT: Duration = Duration::from_hours(1);
/// Requests under way at once: more than there are regions, fewer than AWS would throttle.
const CONCURRENT: usize = 48;

/// Awaits a call and tells what became of it. The SDK tries again by itself.
pub(crate) async fn traced<T, E>(
    context: &Context<'_>,
    operation: &str,
    call: impl Future<Output = Result<T, E>>,
) -> Result<T, E> {
    let started = Instant::now();
    let outcome = call.await;
    (context.events)(Event::Call {
        provider: ID,
        operation,
        outcome: if outcome.is_ok() { "ok" } else { "failed" },
        milliseconds: started.elapsed().as_millis(),
        attempt: 1,
    });
    outcome
}

/// The parts of an answer as they come in.
#[derive(Default)]
struct Parts {
    /// When the oldest part was fetched.
    oldest: Option<i64>,
    cached: bool,
    problems: Vec<ProviderError>,
}

impl Parts {
    fn add<T>(&mut self, fetched: Fetched<T>) -> (T, i64) {
        self.oldest = Some(
            self.oldest
                .map_or(fetched.at, |oldest| oldest.min(fetched.at)),
        );
        self.cached |= fetched.cached;
        (fetched.value, fetched.at)
    }

    /// A part that failed; the same failure of many parts is said once.
    fn fail(&mut self, error: ProviderError) {
        if self
            .problems
            .iter()
            .all(|known| known.kind != error.kind || known.hint != error.hint)
        {
            self.problems.push(error);
        }
    }
}

/// Everything that is asked about wanted types.
enum Part {
    Sold(String, Result<Fetched<Vec<String>>, ProviderError>),
    Spot(String, Result<Fetched<Vec<spot::ZonePrice>>, ProviderError>),
    OnDemand(
        String,
        Result<Fetched<BTreeMap<String, f64>>, ProviderError>,
    ),
    Scores(
        String,
        Result<Vec<sky_accel_providers::SpotScore>, ProviderError>,
    ),
    Blocks(
        String,
        Result<Vec<sky_accel_providers::CapacityBlock>, ProviderError>,
    ),
    Quota(
        &'static str,
        Result<Option<sky_accel_providers::Quota>, ProviderError>,
    ),
}

impl Aws {
    fn key(&self, operation: &str, region: &str, question: &impl Serialize) -> Key {
        Key::new(
            ID,
            format!("{operation} in {region}"),
            question,
            &self.endpoints,
            &self.account,
        )
    }

    async fn kept<T, F>(
        &self,
        context: &Context<'_>,
        key: Key,
        keep: Duration,
        until: Instant,
        fetch: impl FnOnce() -> F,
    ) -> Result<Fetched<T>, ProviderError>
    where
        T: Serialize + DeserializeOwned,
        F: Future<Output = Result<T, ProviderError>>,
    {
        in_time(until, &key.operation, context.cached(&key, keep, fetch)).await
    }

    /// The types of every region that answers, and the regions that are not this account's.
    async fn types(
        &self,
        context: &Context<'_>,
        regions: &[String],
        key_is_good: bool,
        parts: &mut Parts,
    ) -> Result<(BTreeMap<String, Vec<InstanceType>>, Vec<String>), ProviderError> {
        // What the slowest region may take; the rest of the time is for what follows.
        let until = part_of(context, 0.55);
        let asked = regions.iter().map(async |region| {
            let key = self.key("instance types", region, &());
            let fetch = || instance_types::instance_types(self, context, region, key_is_good);
            (
                region.clone(),
                self.kept(context, key, KEEP_TYPES, until, fetch).await,
            )
        });
        let mut answers: Vec<_> = iter(asked).buffer_unordered(CONCURRENT).collect().await;
        answers.sort_by(|a, b| a.0.cmp(&b.0));
        let mut types = BTreeMap::new();
        let (mut closed, mut failed) = (Vec::new(), Vec::new());
        for (region, answer) in answers {
            match answer.map(|fetched| parts.add(fetched).0) {
                Ok(Some(own)) => {
                    types.insert(region, own);
                }
                Ok(None) => closed.push(region),
                Err(error) => failed.push(error),
            }
        }
        if types.is_empty() && !failed.is_empty() {
            return Err(failed.swap_remove(0));
        }
        for error in failed {
            parts.fail(error);
        }
        Ok((types, closed))
    }

    async fn details(
        &self,
        query: &Query<'_>,
        context: &Context<'_>,
        types: &BTreeMap<String, Vec<InstanceType>>,
        wanted: &BTreeMap<&str, &InstanceType>,
    ) -> Vec<Part> {
        let until = part_of(context, 0.95);
        let ids: Vec<String> = wanted.keys().map(|id| (*id).to_owned()).collect();
        let regions: Vec<String> = types.keys().cloned().collect();
        let mut asked: Vec<futures_util::future::LocalBoxFuture<'_, Part>> = Vec::new();
        let (ids, all) = (&ids, &regions);
        for region in types.keys() {
            asked.push(Box::pin(async move {
                let key = self.key("offerings", region, ids);
                let fetch = || offerings::offered(self, context, region, ids);
                Part::Sold(
                    region.clone(),
                    self.kept(context, key, KEEP_TYPES, until, fetch).await,
                )
            }));
            if query.spot {
                asked.push(Box::pin(async move {
                    let key = self.key("spot prices", region, ids);
                    let fetch = || spot::spot_prices(self, context, region, ids);
                    Part::Spot(
                        region.clone(),
                        self.kept(context, key, KEEP_SPOT, until, fetch).await,
                    )
                }));
            }
        }
        // Of one region only its price is asked, of several all prices at once.
        let only = match &regions[..] {
            [region] => Some(region.as_str()),
            _ => None,
        };
        for id in wanted
            .values()
            .filter(|info| info.on_demand)
            .map(|info| info.id.as_str())
        {
            if query.on_demand {
                asked.push(Box::pin(async move {
                    let key = self.key("on-demand prices", only.unwrap_or("every region"), &id);
                    let fetch = || on_demand::prices(self, context, id, only);
                    Part::OnDemand(
                        id.to_owned(),
                        self.kept(context, key, KEEP_PRICES, until, fetch).await,
                    )
                }));
            }
        }
        for info in wanted.values() {
            let id = info.id.as_str();
            if query.spot_scores && info.spot {
                asked.push(Box::pin(async move {
                    let scores = spot_scores::scores(self, context, id, all);
                    Part::Scores(
                        id.to_owned(),
                        in_time(until, "spot scores", Box::pin(scores)).await,
                    )
                }));
            }
            if let Some(hours) = query.capacity_block_hours.filter(|_| info.capacity_block) {
                for region in types.keys() {
                    asked.push(Box::pin(async move {
                        let blocks = blocks::blocks(self, context, region, id, hours);
                        Part::Blocks(
                            id.to_owned(),
                            in_time(until, "capacity blocks", Box::pin(blocks)).await,
                        )
                    }));
                }
            }
        }
        if query.check_quota {
            let capacities = [
                (query.on_demand, Capacity::OnDemand),
                (query.spot, Capacity::Spot),
            ];
            let codes: BTreeSet<(&str, bool)> = capacities
                .into_iter()
                .filter(|(asked, _)| *asked)
                .flat_map(|(_, capacity)| {
                    ids.iter().filter_map(move |id| {
                        Some((quotas::code(id, capacity)?, capacity == Capacity::Spot))
                    })
                })
                .collect();
            for (code, spot) in codes {
                let capacity = if spot {
                    Capacity::Spot
                } else {
                    Capacity::OnDemand
                };
                for region in types.keys() {
                    asked.push(Box::pin(async move {
                        let quota = quotas::quota(self, context, region, code, capacity);
                        Part::Quota(code, in_time(until, "quotas", Box::pin(quota)).await)
                    }));
                }
            }
        }
        iter(asked).buffer_unordered(CONCURRENT).collect().await
    }
}

/// A share of the time that is left.
fn part_of(context: &Context<'_>, share: f64) -> Instant {
    let now = Instant::now();
    now + context
        .deadline
        .saturating_duration_since(now)
        .mul_f64(share)
}

async fn in_time<T>(
    until: Instant,
    what: &str,
    answer: impl Future<Output = Result<T, ProviderError>>,
) -> Result<T, ProviderError> {
    timeout_at(until, answer).await.unwrap_or_else(|_| {
        let message = format!("no complete answer in time ({what})");
        Err(ProviderError::new(ID, ErrorKind::Timeout, message)
            .hint("try again, or allow more time with --timeout"))
    })
}

impl Provider for Aws {
    const ID: &'static str = ID;

    async fn listing(
        &self,
        query: &Query<'_>,
        context: &Context<'_>,
    ) -> Result<Listing, ProviderError> {
        let mut parts = Parts::default();
        let asked_for = regions::named(query.places);
        // A key that lists regions is good.
        let key_is_good = asked_for.is_none();
        let names = if let Some(names) = asked_for {
            names
        } else {
            let key = self.key("regions", &self.home, &query.places);
            let fetch = || regions::enabled(self, context, query.places);
            let until = part_of(context, 0.5);
            let names = Box::pin(self.kept(context, key, KEEP_TYPES, until, fetch)).await?;
            parts.add(names).0
        };
        let (types, closed) = self.types(context, &names, key_is_good, &mut parts).await?;

        let mut known: BTreeMap<&str, &InstanceType> = BTreeMap::new();
        for info in types.values().flatten() {
            known.entry(&info.id).or_insert(info);
        }
        let interest = |info: &InstanceType| (query.interest)(&info.id, info.hardware.as_ref());
        let mut offers: BTreeMap<&str, Offer> = BTreeMap::new();
        let mut wanted: BTreeMap<&str, &InstanceType> = BTreeMap::new();
        for (id, info) in known {
            match interest(info) {
                Interest::Wanted => {
                    wanted.insert(id, info);
                }
                Interest::Unknown => {}
                Interest::Unwanted => continue,
            }
            offers.insert(id, offer(info));
        }
        let details = if wanted.is_empty() {
            Vec::new()
        } else {
            self.details(query, context, &types, &wanted).await
        };

        let mut on_demand: BTreeMap<String, (BTreeMap<String, f64>, i64)> = BTreeMap::new();
        let mut spot: BTreeMap<String, (Vec<spot::ZonePrice>, i64)> = BTreeMap::new();
        let (mut limits, mut unsold) = (BTreeMap::<&str, Vec<_>>::new(), 0);
        for part in details {
            match part {
                Part::Sold(region, Ok(fetched)) => {
                    for id in parts.add(fetched).0 {
                        if let Some(offer) = offers.get_mut(id.as_str()) {
                            offer.regions.push(Region {
                                id: region.clone(),
                                country: None,
                            });
                        }
                    }
                }
                Part::Spot(region, Ok(fetched)) => {
                    spot.insert(region, parts.add(fetched));
                }
                Part::OnDemand(id, Ok(fetched)) => {
                    on_demand.insert(id, parts.add(fetched));
                }
                Part::Scores(id, Ok(scores)) => {
                    if let Some(offer) = offers.get_mut(id.as_str()) {
                        offer.spot_scores = scores;
                    }
                }
                Part::Blocks(id, Ok(blocks)) => {
                    if let Some(offer) = offers.get_mut(id.as_str()) {
                        offer.capacity_blocks.extend(blocks);
                    }
                }
                Part::Quota(code, Ok(quota)) => limits.entry(code).or_default().extend(quota),
                Part::Sold(_, Err(error)) => {
                    unsold += 1;
                    // Nowhere is it known what is sold: there is no answer.
                    if unsold == types.len() {
                        return Err(error);
                    }
                    parts.fail(error);
                }
                Part::Spot(_, Err(error))
                | Part::OnDemand(_, Err(error))
                | Part::Scores(_, Err(error))
                | Part::Blocks(_, Err(error))
                | Part::Quota(_, Err(error)) => parts.fail(error),
            }
        }
        let offers = offers.into_values().filter_map(|mut offer| {
            offer.regions.sort_by(|a, b| a.id.cmp(&b.id));
            offer.prices = prices(&offer, &on_demand, &spot);
            offer.capacity_blocks.sort_by(|a, b| {
                a.upfront_usd
                    .total_cmp(&b.upfront_usd)
                    .then_with(|| (&a.region, &a.starts_at).cmp(&(&b.region, &b.starts_at)))
            });
            for capacity in [Capacity::OnDemand, Capacity::Spot] {
                let own = quotas::code(&offer.id, capacity).and_then(|code| limits.get(code));
                let sold = |region: &str| offer.regions.iter().any(|own| own.id == region);
                let own = own
                    .into_iter()
                    .flatten()
                    .filter(|q| q.capacity == capacity && sold(&q.region));
                let own: Vec<_> = own.cloned().collect();
                offer.quotas.extend(own);
            }
            // A type that a region describes and does not sell is not for sale.
            let is_unknown = !wanted.contains_key(offer.id.as_str());
            (is_unknown || !offer.regions.is_empty()).then_some(offer)
        });
        let mut remarks = Vec::new();
        if !closed.is_empty() {
            remarks.push(format!(
                "not enabled for this account: {}",
                closed.join(", ")
            ));
        }
        Ok(Listing {
            offers: offers.collect(),
            dropped: Vec::new(),
            problems: parts.problems,
            remarks,
            fetched_at: parts.oldest.unwrap_or_else(sky_accel_providers::now),
            cached: parts.cached,
        })
    }
}

fn offer(info: &InstanceType) -> Offer {
    Offer {
        id: info.id.clone(),
        hardware: info.hardware.clone(),
        count: info.count,
        vcpu: info.vcpu,
        host_memory_gib: info.host_memory_gib,
        host_arch: info.host_arch.clone(),
        reserved_only: !info.on_demand && !info.spot,
        ..Offer::default()
    }
}

/// The prices of a type in the regions that sell it.
fn prices(
    offer: &Offer,
    on_demand: &BTreeMap<String, (BTreeMap<String, f64>, i64)>,
    spot: &BTreeMap<String, (Vec<spot::ZonePrice>, i64)>,
) -> Vec<Price> {
    let price = |capacity, usd, region: &str, zone, as_of| Price {
        capacity,
        usd,
        region: Some(region.to_owned()),
        tier: None,
        zone,
        listing: None,
        // Whether a machine is free, only a launch tells.
        availability: Availability::Unknown,
        as_of,
    };
    let mut prices = Vec::new();
    for region in offer.regions.iter().map(|region| region.id.as_str()) {
        if let Some((by_region, as_of)) = on_demand.get(&offer.id)
            && let Some(usd) = by_region.get(region)
        {
            prices.push(price(Capacity::OnDemand, *usd, region, None, *as_of));
        }
        if let Some((zones, as_of)) = spot.get(region) {
            let own = zones.iter().filter(|zone| zone.id == offer.id);
            prices.extend(own.map(|zone| {
                price(
                    Capacity::Spot,
                    zone.usd,
                    region,
                    Some(zone.zone.clone()),
                    *as_of,
                )
            }));
        }
    }
    prices
}
