//! The answer put together: types, then everything about the wanted ones at once.

use std::collections::BTreeMap;
use std::future::Future;
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::future::LocalBoxFuture;
use futures_util::stream::iter;
use serde::Serialize;
use serde::de::DeserializeOwned;
use sky_accel_providers::{
    Answered, CapacityBlock, CapacityType, Context, ErrorKind, Event, Fetched, Interest, Key,
    Listing, Offer, Price, Provider, ProviderError, Query, Quota, QuotaCode, Region, SpotScore,
    now,
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
    /// When the oldest price was fetched, and the oldest list of types or regions.
    prices_at: Option<i64>,
    types_at: Option<i64>,
    /// Whether any price is from the cache.
    cached: bool,
    /// The failures, and the regions of each.
    problems: Vec<(ProviderError, Vec<String>)>,
}

impl Parts {
    fn types<T>(&mut self, region: Option<&str>, fetched: Fetched<T>) -> T {
        self.cut(region, fetched.problems);
        let oldest = self.types_at.map_or(fetched.at, |at| at.min(fetched.at));
        self.types_at = Some(oldest);
        fetched.value
    }

    fn prices<T>(&mut self, region: Option<&str>, fetched: Fetched<T>) -> T {
        self.cut(region, fetched.problems);
        let oldest = self.prices_at.map_or(fetched.at, |at| at.min(fetched.at));
        self.prices_at = Some(oldest);
        self.cached |= fetched.cached;
        fetched.value
    }

    /// Keeps what an answer lacks.
    fn cut(&mut self, region: Option<&str>, problems: Vec<ProviderError>) {
        for problem in problems {
            self.fail(region, problem);
        }
    }

    /// A part that failed; the same failure in many regions is said once.
    fn fail(&mut self, region: Option<&str>, error: ProviderError) {
        let known = self.problems.iter_mut().find(|(known, _)| *known == error);
        match known {
            Some((_, regions)) => regions.extend(region.map(str::to_owned)),
            None => self
                .problems
                .push((error, region.into_iter().map(str::to_owned).collect())),
        }
    }

    /// The failures with their regions.
    fn problems(&mut self) -> Vec<ProviderError> {
        const NAMED: usize = 3;
        let mut problems = Vec::new();
        for (mut error, mut regions) in std::mem::take(&mut self.problems) {
            regions.sort_unstable();
            let more = regions.len().saturating_sub(NAMED);
            regions.truncate(NAMED);
            if !regions.is_empty() {
                let more = if more > 0 {
                    format!(" and {more} more")
                } else {
                    String::new()
                };
                error.message = format!("{} in {}{more}", error.message, regions.join(", "));
            }
            problems.push(error);
        }
        problems.sort_by(|a, b| a.message.cmp(&b.message));
        problems
    }
}

/// Everything that is asked about wanted types.
enum Part {
    Sold(Vec<String>),
    Spot(Vec<spot::ZonePrice>, i64),
    OnDemand(String, BTreeMap<String, f64>, i64),
    Scores(String, Vec<SpotScore>),
    Blocks(String, Vec<CapacityBlock>),
    Quota(String, Option<Quota>),
}

/// The answer to a question, and the region that it was about.
struct Answer {
    region: Option<String>,
    question: Question,
    outcome: Result<Fetched<Part>, ProviderError>,
}

/// The kinds of questions.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Question {
    Offerings,
    SpotPrices,
    OnDemandPrices,
    Hints,
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

    /// An answer from the cache, or one that comes in time. Only a complete one is kept.
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
        F: Future<Output = Result<Answered<T>, ProviderError>>,
    {
        // The region is named with the failure: the same one in many regions is one.
        let operation = key
            .operation
            .rsplit_once(" in ")
            .map_or(key.operation.as_str(), |(what, _)| what);
        in_time(until, operation, context.cached(&key, keep, fetch)).await
    }

    /// The regions to ask, and whether their list proves that the key is good.
    async fn regions(
        &self,
        query: &Query<'_>,
        context: &Context<'_>,
        parts: &mut Parts,
    ) -> Result<(Vec<String>, bool), ProviderError> {
        if let Some(names) = regions::named(query.places) {
            return Ok((names, false));
        }
        let key = Key::new(ID, "regions", &query.places, &self.endpoints, &self.account);
        let fetch = || async {
            let enabled = regions::enabled(self, context, query.places).await?;
            Ok((enabled, Vec::new()))
        };
        let until = part_of(context, 0.5);
        let names = Box::pin(self.kept(context, key, KEEP_TYPES, until, fetch)).await?;
        // A key that lists regions now is good.
        let key_is_good = !names.cached;
        Ok((parts.types(None, names), key_is_good))
    }

    /// The types of every region that answers, and the regions that are not this account's.
    async fn types(
        &self,
        context: &Context<'_>,
        regions: &[String],
        key_is_good: bool,
        parts: &mut Parts,
    ) -> Result<(BTreeMap<String, Vec<InstanceType>>, Vec<String>), ProviderError> {
        // The slowest region may take this long; the rest of the time is for what follows.
        let until = part_of(context, 0.55);
        let asked = regions.iter().map(async |region| {
            let key = self.key("instance types", region, &());
            let fetch = || instance_types::instance_types(self, context, region, key_is_good);
            (
                region,
                self.kept(context, key, KEEP_TYPES, until, fetch).await,
            )
        });
        let mut answers: Vec<_> = iter(asked).buffer_unordered(CONCURRENT).collect().await;
        answers.sort_by_key(|(region, _)| *region);
        let is_proof = |answer: &Result<Fetched<Option<Vec<InstanceType>>>, ProviderError>| {
            answer
                .as_ref()
                .is_ok_and(|fetched| !fetched.cached && fetched.value.is_some())
        };
        let is_good = key_is_good || answers.iter().any(|(_, answer)| is_proof(answer));
        let mut types = BTreeMap::new();
        let (mut closed, mut failed) = (Vec::new(), Vec::new());
        for (region, answer) in answers {
            match answer.map(|fetched| parts.types(Some(region), fetched)) {
                Ok(Some(described)) => {
                    types.insert(region.clone(), described);
                }
                Ok(None) => closed.push(region.clone()),
                // A key that is good elsewhere is not what is wrong here.
                Err(error) if is_good && error.kind == ErrorKind::CredentialsRefused => {
                    closed.push(region.clone());
                }
                Err(error) => failed.push((region, error)),
            }
        }
        if types.is_empty()
            && let Some((_, error)) = failed.first()
        {
            let error = error.clone();
            // Of some regions nobody knows whether the key or the region is the reason.
            let may_be_closed = error.kind == ErrorKind::CredentialsRefused && !is_good;
            return Err(if may_be_closed && !key_is_good {
                error.hint(
                    "`aws sts get-caller-identity` tells whether they are still valid; or the \
                     region is not enabled for this account",
                )
            } else {
                error
            });
        }
        for (region, error) in failed {
            parts.fail(Some(region), error);
        }
        Ok((types, closed))
    }

    /// Asks everything about the wanted types, all at once.
    async fn details(
        &self,
        query: &Query<'_>,
        context: &Context<'_>,
        regions: &[&str],
        wanted: &BTreeMap<&str, &InstanceType>,
    ) -> Vec<Answer> {
        let until = part_of(context, 0.95);
        let ids: Vec<String> = wanted.keys().map(|id| (*id).to_owned()).collect();
        let names: Vec<String> = regions.iter().map(|region| (*region).to_owned()).collect();
        let (ids, names) = (&ids, &names);
        let mut asked: Vec<LocalBoxFuture<'_, Answer>> = Vec::new();
        for region in regions {
            asked.push(Box::pin(async move {
                let key = self.key("offerings", region, ids);
                let fetch = || offerings::offered(self, context, region, ids);
                let answer = self.kept(context, key, KEEP_TYPES, until, fetch).await;
                answered(Some(region), Question::Offerings, answer, |sold, _| {
                    Part::Sold(sold)
                })
            }));
            if query.spot {
                asked.push(Box::pin(async move {
                    let key = self.key("spot prices", region, ids);
                    let fetch = || spot::spot_prices(self, context, region, ids);
                    let answer = self.kept(context, key, KEEP_SPOT, until, fetch).await;
                    answered(Some(region), Question::SpotPrices, answer, Part::Spot)
                }));
            }
        }
        // Of one region only its price is asked, of several all prices at once.
        let only = match regions {
            [region] => Some(*region),
            _ => None,
        };
        let priced = wanted
            .values()
            .filter(|info| query.on_demand && info.on_demand);
        for id in priced.map(|info| info.id.as_str()) {
            asked.push(Box::pin(async move {
                let place = only.unwrap_or("every region");
                let key = self.key("on-demand prices", place, &id);
                let fetch = || on_demand::prices(self, context, id, only);
                let answer = self.kept(context, key, KEEP_PRICES, until, fetch).await;
                answered(None, Question::OnDemandPrices, answer, |prices, at| {
                    Part::OnDemand(id.to_owned(), prices, at)
                })
            }));
        }
        for info in wanted.values() {
            let id = info.id.as_str();
            if query.spot_scores && info.spot {
                asked.push(Box::pin(async move {
                    let scores = Box::pin(async {
                        let scores = spot_scores::scores(self, context, id, names).await?;
                        Ok((scores, Vec::new()))
                    });
                    let answer = fresh(until, "spot scores", scores).await;
                    answered(None, Question::Hints, answer, |scores, _| {
                        Part::Scores(id.to_owned(), scores)
                    })
                }));
            }
            for region in regions {
                if let Some(hours) = query.capacity_block_hours.filter(|_| info.capacity_block) {
                    asked.push(Box::pin(async move {
                        let blocks = Box::pin(blocks::blocks(self, context, region, id, hours));
                        let answer = fresh(until, "capacity blocks", blocks).await;
                        answered(Some(region), Question::Hints, answer, |blocks, _| {
                            Part::Blocks(id.to_owned(), blocks)
                        })
                    }));
                }
            }
        }
        if let Some(quota) = query.quota {
            for (code, capacity) in pools(query, quota, ids) {
                for region in regions {
                    let code = code.clone();
                    asked.push(Box::pin(async move {
                        let quota = Box::pin(async {
                            let quota = quotas::quota(self, context, region, &code, capacity);
                            Ok((quota.await?, Vec::new()))
                        });
                        let answer = fresh(until, "quotas", quota).await;
                        answered(Some(region), Question::Hints, answer, |quota, _| {
                            Part::Quota(code, quota)
                        })
                    }));
                }
            }
        }
        iter(asked).buffer_unordered(CONCURRENT).collect().await
    }
}

/// An answer with its value as a part of the listing.
fn answered<T>(
    region: Option<&str>,
    question: Question,
    outcome: Result<Fetched<T>, ProviderError>,
    part: impl FnOnce(T, i64) -> Part,
) -> Answer {
    Answer {
        region: region.map(str::to_owned),
        question,
        outcome: outcome.map(|fetched| Fetched {
            value: part(fetched.value, fetched.at),
            at: fetched.at,
            cached: fetched.cached,
            problems: fetched.problems,
        }),
    }
}

/// An answer that is never kept.
async fn fresh<T>(
    until: Instant,
    what: &str,
    answer: impl Future<Output = Result<Answered<T>, ProviderError>>,
) -> Result<Fetched<T>, ProviderError> {
    let (value, problems) = in_time(until, what, answer).await?;
    Ok(Fetched {
        value,
        at: now(),
        cached: false,
        problems,
    })
}

/// The pools that types count against, as far as they are asked about.
fn pools(query: &Query<'_>, quota: &QuotaCode<'_>, ids: &[String]) -> Vec<(String, CapacityType)> {
    let mut pools = Vec::new();
    let capacities = [
        (query.on_demand, CapacityType::OnDemand),
        (query.spot, CapacityType::Spot),
    ];
    for (_, capacity) in capacities.into_iter().filter(|(asked, _)| *asked) {
        for code in ids.iter().filter_map(|id| quota(id, capacity)) {
            let pool = (code, capacity);
            if !pools.contains(&pool) {
                pools.push(pool);
            }
        }
    }
    pools
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
        let (names, key_is_good) = self.regions(query, context, &mut parts).await?;
        let (types, closed) = self.types(context, &names, key_is_good, &mut parts).await?;
        let regions: Vec<&str> = types.keys().map(String::as_str).collect();
        let (mut offers, wanted) = of_interest(query, &types);
        let answers = if wanted.is_empty() {
            Vec::new()
        } else {
            self.details(query, context, &regions, &wanted).await
        };
        let details = gathered(answers, regions.len(), &mut offers, &mut parts)?;
        let offers = offers
            .into_values()
            .map(|offer| completed(offer, query, &details))
            // A type that a region describes and does not sell is not for sale.
            .filter(|offer| {
                let is_unknown = !wanted.contains_key(offer.id.as_str());
                is_unknown || !offer.regions.is_empty()
            })
            .collect();
        let mut remarks = Vec::new();
        if !closed.is_empty() {
            remarks.push(format!(
                "not enabled for this account: {}",
                closed.join(", ")
            ));
        }
        Ok(Listing {
            offers,
            dropped: Vec::new(),
            problems: parts.problems(),
            remarks,
            fetched_at: parts.prices_at.or(parts.types_at).unwrap_or_else(now),
            cached: parts.cached,
            types_at: parts.types_at,
            lacks_on_demand: details.lacks_on_demand,
            ..Listing::default()
        })
    }
}

/// An offer for each type that is not unwanted, still without prices, and the wanted types, by id.
fn of_interest<'t>(
    query: &Query<'_>,
    types: &'t BTreeMap<String, Vec<InstanceType>>,
) -> (
    BTreeMap<&'t str, Offer>,
    BTreeMap<&'t str, &'t InstanceType>,
) {
    let mut offers: BTreeMap<&str, Offer> = BTreeMap::new();
    let mut wanted: BTreeMap<&str, &InstanceType> = BTreeMap::new();
    for info in types.values().flatten() {
        let id = info.id.as_str();
        if offers.contains_key(id) {
            continue;
        }
        match (query.interest)(id, info.hardware.as_ref()) {
            Interest::Wanted => {
                wanted.insert(id, info);
            }
            Interest::Unknown => {}
            Interest::Unwanted => continue,
        }
        offers.insert(id, offer(info));
    }
    (offers, wanted)
}

/// Prices and limits of the wanted types.
#[derive(Default)]
struct Details {
    /// On-demand prices by region and their second, by type.
    on_demand: BTreeMap<String, (BTreeMap<String, f64>, i64)>,
    /// Spot prices and their second, by region.
    spot: BTreeMap<String, (Vec<spot::ZonePrice>, i64)>,
    /// Limits by the code of their quota.
    limits: BTreeMap<String, Vec<Quota>>,
    lacks_on_demand: bool,
}

/// The details from the answers of so many regions. Those that belong to one type are put into its
/// offer.
///
/// # Errors
///
/// The failure of the last region where none answers which types it sells.
fn gathered(
    answers: Vec<Answer>,
    regions: usize,
    offers: &mut BTreeMap<&str, Offer>,
    parts: &mut Parts,
) -> Result<Details, ProviderError> {
    let mut details = Details::default();
    let mut unsold = 0;
    for Answer {
        region,
        question,
        outcome,
    } in answers
    {
        let fetched = match outcome {
            Ok(fetched) => fetched,
            Err(error) => {
                unsold += usize::from(question == Question::Offerings);
                // Nowhere is it known what is sold: there is no answer.
                if unsold == regions {
                    return Err(error);
                }
                details.lacks_on_demand |= question == Question::OnDemandPrices;
                parts.fail(region.as_deref(), error);
                continue;
            }
        };
        let part = match question {
            Question::Offerings => parts.types(region.as_deref(), fetched),
            Question::SpotPrices | Question::OnDemandPrices => {
                parts.prices(region.as_deref(), fetched)
            }
            Question::Hints => {
                parts.cut(region.as_deref(), fetched.problems);
                fetched.value
            }
        };
        let region = region.unwrap_or_default();
        match part {
            Part::Sold(ids) => {
                for id in ids {
                    if let Some(offer) = offers.get_mut(id.as_str()) {
                        let id = region.clone();
                        offer.regions.push(Region { id, country: None });
                    }
                }
            }
            Part::Spot(prices, at) => {
                details.spot.insert(region, (prices, at));
            }
            Part::OnDemand(id, prices, at) => {
                details.on_demand.insert(id, (prices, at));
            }
            Part::Scores(id, scores) => {
                if let Some(offer) = offers.get_mut(id.as_str()) {
                    offer.spot_scores = scores;
                }
            }
            Part::Blocks(id, blocks) => {
                if let Some(offer) = offers.get_mut(id.as_str()) {
                    offer.capacity_blocks.extend(blocks);
                }
            }
            Part::Quota(code, quota) => details.limits.entry(code).or_default().extend(quota),
        }
    }
    Ok(details)
}

/// An offer with its prices and limits, and every list of it in order.
fn completed(mut offer: Offer, query: &Query<'_>, details: &Details) -> Offer {
    offer.regions.sort_by(|a, b| a.id.cmp(&b.id));
    offer.prices = prices(&offer, details);
    offer.capacity_blocks.sort_by(|a, b| {
        let place = |block: &CapacityBlock| (block.region.clone(), block.starts_at.clone());
        a.upfront_usd
            .total_cmp(&b.upfront_usd)
            .then_with(|| place(a).cmp(&place(b)))
    });
    offer.quotas = quotas_of(&offer, query, &details.limits);
    offer
}

/// The limits of the regions that sell a type.
fn quotas_of(
    offer: &Offer,
    query: &Query<'_>,
    limits: &BTreeMap<String, Vec<Quota>>,
) -> Vec<Quota> {
    let Some(code) = query.quota else {
        return Vec::new();
    };
    let is_sold = |name: &str| offer.regions.iter().any(|region| region.id == name);
    let mut quotas: Vec<Quota> = [CapacityType::OnDemand, CapacityType::Spot]
        .into_iter()
        .filter_map(|capacity| Some((capacity, limits.get(&code(&offer.id, capacity)?)?)))
        .flat_map(|(capacity, limits)| {
            limits
                .iter()
                .filter(move |quota| quota.capacity == capacity && is_sold(&quota.region))
        })
        .cloned()
        .collect();
    quotas.sort_by(|a, b| a.region.cmp(&b.region));
    quotas
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
fn prices(offer: &Offer, details: &Details) -> Vec<Price> {
    // Whether a machine is free, only a launch tells.
    let price = |capacity, usd, region: &str, zone, as_of| Price {
        region: Some(region.to_owned()),
        zone,
        as_of,
        ..Price::new(capacity, usd)
    };
    let mut prices = Vec::new();
    for region in offer.regions.iter().map(|region| region.id.as_str()) {
        if let Some((by_region, as_of)) = details.on_demand.get(&offer.id)
            && let Some(usd) = by_region.get(region)
        {
            prices.push(price(CapacityType::OnDemand, *usd, region, None, *as_of));
        }
        if let Some((zones, as_of)) = details.spot.get(region) {
            let of_type = zones.iter().filter(|zone| zone.id == offer.id);
            prices.extend(of_type.map(|zone| {
                price(
                    CapacityType::Spot,
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
