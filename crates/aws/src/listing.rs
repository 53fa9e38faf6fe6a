//! The listing: instance types first, then all details of the requested types concurrently.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use futures_util::StreamExt as _;
use futures_util::future::LocalBoxFuture;
use futures_util::stream::iter;
use sky_accel_providers::{
    CacheKey, CapacityBlock, CapacityType, Context, Dropped, DroppedBecause, ErrorKind, Fetched,
    Interest, Listing, Obtainability, Offer, Price, ProviderError, Query, Quota, Region,
    StockState, now,
};

use crate::account::Aws;
use crate::api::ID;
use crate::calls::{CallKind, CallOutcome, TypeDetail, answered, in_time, part_of};
use crate::instance_types::InstanceType;
use crate::{hints, instance_types, offerings, on_demand, regions, spot};

/// The times for which parts of an answer stay fresh.
const KEEP_TYPES: Duration = Duration::from_hours(7 * 24);
const KEEP_PRICES: Duration = Duration::from_hours(24);
const KEEP_SPOT: Duration = Duration::from_hours(1);
/// The maximum number of concurrent requests: more than there are regions, fewer than AWS
/// throttles.
const CONCURRENT: usize = 48;

/// The dates and failures of the parts received so far.
#[derive(Default)]
struct ListingProgress {
    /// The time at which the oldest price was fetched, in seconds since 1970.
    prices_at: Option<i64>,
    /// The time at which the oldest list of types or regions was fetched, in seconds since 1970.
    types_at: Option<i64>,
    /// True if any price is from the cache.
    cached: bool,
    /// The failures, and the regions of each.
    problems: Vec<(ProviderError, Vec<String>)>,
}

impl ListingProgress {
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

    /// Adds the problems of an incomplete answer.
    fn cut(&mut self, region: Option<&str>, problems: Vec<ProviderError>) {
        for problem in problems {
            self.fail(region, problem);
        }
    }

    /// Adds a failure. Equal failures of several regions are reported once.
    fn fail(&mut self, region: Option<&str>, error: ProviderError) {
        let existing = self
            .problems
            .iter_mut()
            .find(|(existing, _)| *existing == error);
        match existing {
            Some((_, regions)) => regions.extend(region.map(str::to_owned)),
            None => self
                .problems
                .push((error, region.into_iter().map(str::to_owned).collect())),
        }
    }

    /// Returns the failures with their regions.
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

impl Aws {
    /// Returns the regions to query, and true if the list proves that the key is valid.
    async fn regions(
        &self,
        query: &Query<'_>,
        context: &Context<'_>,
        parts: &mut ListingProgress,
    ) -> Result<(Vec<String>, bool), ProviderError> {
        if let Some(names) = regions::named(query.places) {
            return Ok((names, false));
        }
        let key = CacheKey::new(ID, "regions", &query.places, &self.endpoints, &self.account);
        let fetch = || async {
            let enabled = regions::enabled(self, context, query.places).await?;
            Ok((enabled, Vec::new()))
        };
        let until = part_of(context, 0.5);
        let names = Box::pin(self.kept(context, key, KEEP_TYPES, until, fetch)).await?;
        // A cached list proves nothing about today's key.
        let key_is_good = !names.cached;
        Ok((parts.types(None, names), key_is_good))
    }

    /// Returns the types of every region that answers, and the regions that are not enabled for the
    /// account.
    async fn types(
        &self,
        context: &Context<'_>,
        regions: &[String],
        key_is_good: bool,
        parts: &mut ListingProgress,
    ) -> Result<(BTreeMap<String, Vec<InstanceType>>, Vec<String>), ProviderError> {
        // A slow region must leave time for the details.
        let until = part_of(context, 0.55);
        let calls = regions.iter().map(async |region| {
            let key = self.key("instance types", region, &());
            let fetch = || instance_types::instance_types(self, context, region, key_is_good);
            (
                region,
                self.kept(context, key, KEEP_TYPES, until, fetch).await,
            )
        });
        let mut answers: Vec<_> = iter(calls).buffer_unordered(CONCURRENT).collect().await;
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
                // The key works in another region: this region is not enabled.
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
            // AWS answers alike for an invalid key and for a region that is not enabled.
            let may_be_closed = error.kind == ErrorKind::CredentialsRefused && !is_good;
            return Err(if may_be_closed && !key_is_good {
                error.hint(
                    "run `aws sts get-caller-identity` to check the keys; if they are valid, the \
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

    /// Fetches all details of the requested types concurrently.
    async fn details(
        &self,
        query: &Query<'_>,
        context: &Context<'_>,
        regions: &[&str],
        wanted: &BTreeMap<&str, &InstanceType>,
    ) -> Vec<CallOutcome> {
        let until = part_of(context, 0.95);
        let ids: Vec<String> = wanted.keys().map(|id| (*id).to_owned()).collect();
        let ids = &ids;
        let mut calls: Vec<LocalBoxFuture<'_, CallOutcome>> = Vec::new();
        for region in regions {
            calls.push(Box::pin(async move {
                let key = self.key("offerings", region, ids);
                let fetch = || offerings::offered(self, context, region, ids);
                let answer = self.kept(context, key, KEEP_TYPES, until, fetch).await;
                answered(Some(region), CallKind::Offerings, answer, |sold, _| {
                    TypeDetail::Sold(sold)
                })
            }));
            if query.spot {
                calls.push(Box::pin(async move {
                    let key = self.key("spot prices", region, ids);
                    let fetch = || spot::spot_prices(self, context, region, ids);
                    let answer = self.kept(context, key, KEEP_SPOT, until, fetch).await;
                    answered(Some(region), CallKind::SpotPrices, answer, TypeDetail::Spot)
                }));
            }
        }
        // The price service filters by one region, or answers for all regions at once.
        let only = match regions {
            [region] => Some(*region),
            _ => None,
        };
        let priced = wanted
            .values()
            .filter(|info| query.on_demand && info.on_demand);
        for id in priced.map(|info| info.id.as_str()) {
            calls.push(Box::pin(async move {
                let place = only.unwrap_or("every region");
                let key = self.key("on-demand prices", place, &id);
                let fetch = || on_demand::prices(self, context, id, only);
                let answer = self.kept(context, key, KEEP_PRICES, until, fetch).await;
                answered(None, CallKind::OnDemandPrices, answer, |prices, at| {
                    TypeDetail::OnDemand(id.to_owned(), prices, at)
                })
            }));
        }
        calls.extend(self.hints(query, context, regions, wanted, until));
        iter(calls).buffer_unordered(CONCURRENT).collect().await
    }
}

impl Aws {
    /// Returns all offers that may match, from the APIs of the account.
    ///
    /// # Errors
    ///
    /// Same as [`ProviderApi::query`](sky_accel_providers::ProviderApi::query).
    pub(crate) async fn listing(
        &self,
        query: &Query<'_>,
        context: &Context<'_>,
    ) -> Result<Listing, ProviderError> {
        if query.checks_credentials(context.cache.mode) {
            let until = part_of(context, 0.95);
            let answer = regions::enabled(self, context, None);
            let _ = Box::pin(in_time(until, "listing regions", answer)).await?;
            return Ok(Listing::accepted());
        }
        let mut parts = ListingProgress::default();
        let (names, key_is_good) = self.regions(query, context, &mut parts).await?;
        let (types, closed) = self.types(context, &names, key_is_good, &mut parts).await?;
        let regions: Vec<&str> = types.keys().map(String::as_str).collect();
        let (mut offers, wanted) = initial_offers(query, &types);
        let ids: BTreeSet<&str> = types.values().flatten().map(|info| &*info.id).collect();
        let known = ids.len() - offers.len() + wanted.len();
        let answers = if wanted.is_empty() {
            Vec::new()
        } else {
            self.details(query, context, &regions, &wanted).await
        };
        let details = collect_details(answers, regions.len(), &mut offers, &mut parts)?;
        let offers = offers
            .into_values()
            .map(|offer| complete_offer(offer, query, &details))
            // Regions describe some types that they do not sell.
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
        remarks.extend(hints::remarks(query, &wanted));
        Ok(Listing {
            offers,
            dropped: not_requested(known),
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

/// Returns the number of types that are known although they may not be offers.
fn not_requested(types: usize) -> Vec<Dropped> {
    let rows = u32::try_from(types).unwrap_or(u32::MAX);
    let because = DroppedBecause::NotRequested;
    (rows > 0)
        .then_some(Dropped {
            because,
            rows,
            line: None,
        })
        .into_iter()
        .collect()
}

/// Returns offers without prices for requested and unknown types, and the requested types, by id.
fn initial_offers<'t>(
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
            Interest::Requested => {
                wanted.insert(id, info);
            }
            Interest::Unknown => {}
            Interest::NotRequested => continue,
        }
        offers.insert(id, offer(info));
    }
    (offers, wanted)
}

/// Prices and limits of the requested types.
#[derive(Default)]
struct PricesAndQuotas {
    /// On-demand prices by type and region, and the time of the request.
    on_demand: BTreeMap<String, (BTreeMap<String, f64>, i64)>,
    /// Spot prices by region, and the time of the request.
    spot: BTreeMap<String, (Vec<spot::ZonePrice>, i64)>,
    /// Limits by the code of their quota.
    limits: BTreeMap<String, Vec<Quota>>,
    lacks_on_demand: bool,
}

/// Collects prices and limits, and adds the other details to the offers of their types.
///
/// # Errors
///
/// Fails if no region reports the types that it sells, with the failure of the last region.
fn collect_details(
    answers: Vec<CallOutcome>,
    regions: usize,
    offers: &mut BTreeMap<&str, Offer>,
    parts: &mut ListingProgress,
) -> Result<PricesAndQuotas, ProviderError> {
    let mut details = PricesAndQuotas::default();
    let mut failed_regions = 0;
    for CallOutcome {
        region,
        kind,
        outcome,
    } in answers
    {
        let fetched = match outcome {
            Ok(fetched) => fetched,
            Err(error) => {
                failed_regions += usize::from(kind == CallKind::Offerings);
                // Without any list of sold types, the answer would be empty.
                if failed_regions == regions {
                    return Err(error);
                }
                details.lacks_on_demand |= kind == CallKind::OnDemandPrices;
                parts.fail(region.as_deref(), error);
                continue;
            }
        };
        let part = match kind {
            CallKind::Offerings => parts.types(region.as_deref(), fetched),
            CallKind::SpotPrices | CallKind::OnDemandPrices => {
                parts.prices(region.as_deref(), fetched)
            }
            CallKind::Hints => {
                parts.cut(region.as_deref(), fetched.problems);
                fetched.value
            }
        };
        let region = region.unwrap_or_default();
        match part {
            TypeDetail::Sold(ids) => {
                for id in ids {
                    if let Some(offer) = offers.get_mut(id.as_str()) {
                        let id = region.clone();
                        offer.regions.push(Region { id, country: None });
                    }
                }
            }
            TypeDetail::Spot(prices, at) => {
                details.spot.insert(region, (prices, at));
            }
            TypeDetail::OnDemand(id, prices, at) => {
                details.on_demand.insert(id, (prices, at));
            }
            TypeDetail::Scores(scores) => {
                for score in scores {
                    for id in &score.instance_types {
                        if let Some(offer) = offers.get_mut(id.as_str()) {
                            offer.spot_scores.push(score.clone());
                        }
                    }
                }
            }
            TypeDetail::Blocks(id, blocks) => {
                if let Some(offer) = offers.get_mut(id.as_str()) {
                    offer.capacity_blocks.extend(blocks);
                }
            }
            TypeDetail::Quotas(quotas) => {
                for quota in quotas {
                    let limits = details.limits.entry(quota.code.clone()).or_default();
                    limits.push(quota);
                }
            }
        }
    }
    Ok(details)
}

/// Adds prices and limits to an offer, and sorts its lists.
fn complete_offer(mut offer: Offer, query: &Query<'_>, details: &PricesAndQuotas) -> Offer {
    offer.regions.sort_by(|a, b| a.id.cmp(&b.id));
    offer.prices = prices(&offer, details);
    offer
        .spot_scores
        .sort_by(|a, b| b.score.cmp(&a.score).then_with(|| a.region.cmp(&b.region)));
    offer.capacity_blocks.sort_by(|a, b| {
        let place = |block: &CapacityBlock| (block.region.clone(), block.starts_at.clone());
        a.upfront_usd
            .total_cmp(&b.upfront_usd)
            .then_with(|| place(a).cmp(&place(b)))
    });
    offer.quotas = quotas_of(&offer, query, &details.limits);
    // AWS reports no stock: the quotas alone show that the account is allowed to start machines there.
    offer.obtainability = offer
        .quotas
        .iter()
        .filter_map(|quota| {
            let record = Obtainability::new(quota.capacity, query.machines, "service quotas");
            let mut record = record.in_region(quota.region.as_deref()?);
            record.state = StockState::Offered;
            record.is_account_specific = true;
            // Quotas are never cached.
            record.fetched_at = now();
            Some(record)
        })
        .collect();
    offer
}

/// Returns the limits of the regions that sell a type.
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
            limits.iter().filter(move |quota| {
                quota.capacity == capacity && quota.region.as_deref().is_some_and(is_sold)
            })
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

/// Returns the prices of a type in the regions that sell it.
fn prices(offer: &Offer, details: &PricesAndQuotas) -> Vec<Price> {
    // AWS publishes no stock: only a launch shows if a machine is available.
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
