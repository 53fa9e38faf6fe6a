//! The verdict about one offer.

use std::collections::BTreeSet;

use super::answer::{Considered, Match, Quote, ranking_quote};
use super::host::{HostLimits, missed_minimum};
use super::likely::LikelyPrices;
use super::quote::{Pricing, Quotes};
use super::request::{CapacityFilter, Request};
use super::verdict::{DropCode, Reason, Stage};
use crate::bind::{BoundChoice, Candidate};
use crate::catalog::{
    AcceleratorId, Availability, Catalog, MAX_PER_MACHINE, Offer, OfferId, PriceKind, Sells,
    SoldAccelerator, Status,
};
use crate::mig::{self, ProfileRef};
use crate::money::Count;
use crate::spec::CountRange;

/// The assumed maximum of GPUs in one machine, for providers that do not publish it.
const ASSUMED_MAX_COUNT: u32 = 8;
/// The maximum of GPUs in one machine on a marketplace that is assumed to exist without a listing
/// of that size.
const MARKET_MAX_COUNT: Count = Count::whole(32);

pub(crate) type Verdict = Result<Match, DropCode>;

/// Decides whether offers match one bound choice.
#[derive(Clone, Copy)]
pub(crate) struct Judge<'r, 'c, 'a> {
    pub catalog: &'c Catalog<'a>,
    pub wanted: &'r BoundChoice,
    pub request: &'r Request,
    pub choice: usize,
    /// The condition that is not checked, to find the nearest alternatives.
    pub relaxed: Option<Stage>,
    pub(super) host_limits: HostLimits,
}

impl<'r, 'c, 'a> Judge<'r, 'c, 'a> {
    /// Makes a judge that checks every condition.
    pub(super) fn new(
        catalog: &'c Catalog<'a>,
        wanted: &'r BoundChoice,
        request: &'r Request,
        choice: usize,
    ) -> Self {
        Self {
            catalog,
            wanted,
            request,
            choice,
            relaxed: None,
            host_limits: HostLimits::of(catalog),
        }
    }
}

impl Judge<'_, '_, '_> {
    fn strict(&self, stage: Stage) -> bool {
        self.relaxed != Some(stage)
    }

    /// Returns the rows of the index whose offers may match, each with its candidate.
    pub(crate) fn sold(&self) -> impl Iterator<Item = (&Self, Candidate, SoldAccelerator)> {
        self.wanted.candidates.iter().flat_map(move |candidate| {
            let sold = self.catalog.sold(candidate.accelerator).iter();
            let sold = sold.filter(|sold| self.may_match(*candidate, sold));
            sold.map(move |sold| (self, *candidate, sold))
        })
    }

    /// Returns whether the offer of a row of the index may match.
    pub(super) fn may_match(&self, candidate: Candidate, sold: &SoldAccelerator) -> bool {
        let providers = &self.request.providers;
        (providers.is_empty() || providers.contains(&sold.provider))
            && sold
                .count
                .is_none_or(|count| self.count_range(candidate).contains(count))
    }

    /// Returns a lower bound of the counts of an offer's matches.
    pub(crate) fn least_count(&self, candidate: Candidate, sold: &SoldAccelerator) -> Count {
        sold.count.unwrap_or_else(|| match self.wanted.mig {
            // Each device of a ready-made slice is one slice, so its count may be below the number
            // of GPUs.
            Some(_) => Count(0),
            None => self.count_range(candidate).min,
        })
    }

    /// Returns the requested counts of whole devices.
    fn count_range(&self, candidate: Candidate) -> CountRange {
        let range = self.wanted.count_for(candidate);
        if self.request.at_least {
            CountRange::at_least(range.min)
        } else {
            range
        }
    }

    /// Emits the verdicts on an offer that may have a candidate: one for each count on sale. An
    /// offer that may have several candidates is judged only for the first of them, so that it is
    /// not listed twice.
    pub(crate) fn offer(&self, candidate: Candidate, id: OfferId, emit: &mut impl FnMut(Verdict)) {
        let catalog = self.catalog;
        let offer = catalog.offer(id);
        let mut accelerator = candidate.accelerator;
        if offer.accelerators.len > 1 {
            let may_be = catalog.accelerators(offer.accelerators);
            let is_wanted =
                |id: AcceleratorId| self.wanted.candidates.iter().any(|c| c.accelerator == id);
            let first = self
                .wanted
                .candidates
                .iter()
                .find(|c| may_be.contains(&c.accelerator));
            if first.is_some_and(|first| first.accelerator != candidate.accelerator) {
                return;
            }
            if is_wanted(offer.accelerator) {
                accelerator = offer.accelerator;
            }
        }
        if let Err(dropped) = self.before_count(&offer) {
            return emit(Err(dropped));
        }
        let range = self.counts_wanted(candidate, &offer);
        let mut any = false;
        self.counts(&offer, accelerator, range, &mut |count, assumed| {
            any = true;
            emit(self.with_count(candidate, (id, &offer), accelerator, count, assumed));
        });
        if !any {
            emit(Err(DropCode::CountDiffers));
        }
    }

    fn before_count(&self, offer: &Offer) -> Result<(), DropCode> {
        let catalog = self.catalog;
        let request = self.request;
        if self.strict(Stage::Provider)
            && !request.providers.is_empty()
            && !request.providers.contains(&offer.provider)
        {
            return Err(DropCode::ProviderNotAsked);
        }
        match (catalog.text(offer.mig_profile), &self.wanted.mig) {
            (Some(_), None) => return Err(DropCode::SliceNotWholeGpu),
            (Some(profile), Some(list)) => {
                let [slice] = &list.slices[..] else {
                    return Err(DropCode::OtherSlice);
                };
                let is_same_profile = matches!(slice.profile, ProfileRef::Name(name) if mig::parse_profile(profile) == Some(name));
                if !is_same_profile {
                    return Err(DropCode::OtherSlice);
                }
            }
            (None, Some(_)) if catalog.provider(offer.provider).tenant_mig == Some(false) => {
                return Err(DropCode::MigNotPermitted);
            }
            (None, _) => {}
        }
        Ok(())
    }

    fn counts_wanted(&self, candidate: Candidate, offer: &Offer) -> CountRange {
        if offer.mig_profile.len > 0 {
            // Each device of a ready-made slice is one slice.
            let slices: u32 = self
                .wanted
                .mig
                .iter()
                .flat_map(|list| &list.slices)
                .map(|s| s.count)
                .sum();
            let gpus = if self.wanted.count_given {
                self.wanted.count.min.decimal()
            } else {
                1.0
            };
            return CountRange::exactly(
                Count::from_decimal(f64::from(slices) * gpus).unwrap_or(Count::MAX),
            );
        }
        self.count_range(candidate)
    }

    /// Emits the counts of an offer within a range. The flag means that the provider's maximum is
    /// assumed.
    fn counts(
        &self,
        offer: &Offer,
        accelerator: AcceleratorId,
        range: CountRange,
        emit: &mut impl FnMut(Count, bool),
    ) {
        let strict = self.strict(Stage::Count);
        if let Some(count) = offer.count {
            if !strict || range.contains(count) {
                emit(count, false);
            }
            return;
        }
        // Any whole number is sold. Beyond the requested counts, only the smallest count is listed:
        // more devices only cost more.
        let smallest = Count::whole(range.min.0.div_ceil(1000));
        let smallest_only = self.wanted.mig.is_some();
        let requested = if self.request.at_least && !smallest_only {
            self.wanted.count
        } else {
            range
        };
        let market = self.catalog.provider(offer.provider).sells == Sells::Marketplace;
        if market {
            let mut priced: Vec<Count> = self
                .catalog
                .prices(offer)
                .iter()
                .filter_map(|price| price.count)
                .filter(|count| !strict || requested.contains(*count))
                .collect();
            priced.sort_unstable();
            priced.dedup();
            if !smallest_only && (requested.single().is_none() || !strict) {
                for count in &priced {
                    emit(*count, false);
                }
                if !priced.is_empty() || !strict {
                    return;
                }
            }
            if range.contains(smallest) && smallest <= MARKET_MAX_COUNT {
                emit(smallest, false);
            }
            return;
        }
        let published_max = offer.max_count;
        let assumed = self.catalog.accelerator(accelerator).max_per_node;
        let max = published_max.unwrap_or(Count::whole(
            assumed.map_or(ASSUMED_MAX_COUNT, |max| max as u32),
        ));
        // A catalog file from elsewhere may hold any number, and the loop below runs up to it.
        let max = max.min(MAX_PER_MACHINE);
        if !strict {
            return emit(max.min(smallest), published_max.is_none());
        }
        let last = if smallest_only {
            smallest
        } else {
            requested.max.unwrap_or(max)
        };
        // Collected once: a catalog file from elsewhere may list many counts.
        let listed: BTreeSet<u8> = self.catalog.sold_counts.run(offer.counts).iter().collect();
        let is_sold = |count: Count| {
            listed.is_empty() || listed.iter().any(|n| Count::whole(u32::from(*n)) == count)
        };
        let mut count = smallest;
        while count <= last.min(max) {
            if is_sold(count) {
                emit(count, published_max.is_none() && count > Count::ONE);
            }
            count = Count(count.0 + Count::ONE.0);
        }
    }

    fn with_count(
        &self,
        candidate: Candidate,
        (id, offer): (OfferId, &Offer),
        accelerator: AcceleratorId,
        count: Count,
        assumed_max: bool,
    ) -> Verdict {
        let catalog = self.catalog;
        let request = self.request;
        if self.strict(Stage::Host)
            && let Some(code) = missed_minimum(request, offer, count)
        {
            return Err(code);
        }
        if let Some(interconnect) = request.interconnect
            && self.strict(Stage::Interconnect)
            && !interconnect.joins(catalog, offer, accelerator, count)
        {
            return Err(DropCode::NotJoined);
        }
        let mut reasons = self.hardware_reasons(offer, count, assumed_max);
        let regions = request
            .regions
            .as_ref()
            .filter(|_| self.strict(Stage::Region));
        if let Some(filter) = regions {
            let sold_in = catalog.regions(offer.regions);
            if !filter.allows_provider(offer.provider)
                || !sold_in.is_empty() && !sold_in.iter().any(|r| filter.allows(r))
            {
                return Err(DropCode::RegionNotSold);
            }
            if sold_in.is_empty() {
                reasons.push(Reason::RegionUnverified);
            }
        }
        if self.strict(Stage::Capacity) && request.capacity_filter == CapacityFilter::OnDemand {
            match offer.status {
                Status::ReservedOnly => return Err(DropCode::ReservedOnly),
                Status::SpotOnly => return Err(DropCode::SpotOnly),
                _ => {}
            }
        }
        let tier = request.price_tier.as_ref();
        let pricing = Pricing {
            catalog,
            offer,
            count,
            regions,
            tier: tier.filter(|_| self.strict(Stage::Capacity)),
            hosts_are_equal: request.hosts_are_equal,
            likely: request.likely.as_ref(),
            by_stock: request.is_by_stock(),
        };
        if pricing.lacks_tier() {
            return Err(DropCode::TierNotSold);
        }
        let filter = request.capacity_filter;
        let quotes = pricing.ranking_quotes(filter);
        if let Some(code) = self.missed_limit(quotes) {
            return Err(code);
        }
        let quotes = pricing.with_other(filter, quotes);
        let (on_demand, spot) = self.without_doubtful(offer, count, quotes);
        let ruling = filter.ranking_quote(on_demand, spot, |quote| quote.likely.usd);
        if let Some(quote) = ruling {
            reasons.extend(price_doubts(catalog, request, offer, count, quote));
        }
        // The customer of a contract knows the host.
        let is_agreed =
            ruling.is_some_and(|quote| catalog.price(quote.price).kind == PriceKind::Contract);
        let limits = self.host_limits;
        if !is_agreed && limits.is_too_small(catalog, offer, accelerator, count) {
            reasons.push(Reason::SmallHost);
        }
        Ok(Match {
            choice: self.choice,
            offer: id,
            accelerator,
            count,
            on_demand,
            spot,
            gpus_needed: candidate.gpus_needed,
            reasons,
        })
    }

    /// Returns the reasons about the hardware of an offer and its count.
    fn hardware_reasons(&self, offer: &Offer, count: Count, assumed_max: bool) -> Vec<Reason> {
        let catalog = self.catalog;
        let mut reasons = Vec::new();
        if assumed_max {
            reasons.push(Reason::MaxCountUnknown);
        }
        if offer.accelerators.len > 1
            && catalog
                .accelerators(offer.accelerators)
                .iter()
                .any(|a| !self.wanted.candidates.iter().any(|c| c.accelerator == a))
        {
            reasons.push(Reason::MayBeAnother);
        }
        if self.wanted.mig.is_some()
            && offer.mig_profile.len == 0
            && catalog.provider(offer.provider).tenant_mig.is_none()
        {
            reasons.push(Reason::MigUnverified);
        }
        if self.request.at_least
            && self.wanted.mig.is_none()
            && count > self.wanted.count.max.unwrap_or(count)
        {
            reasons.push(Reason::Larger);
        }
        reasons
    }

    /// Returns the prices of an offer. If either may rank it, a doubtful price does not replace a confirmed one.
    fn without_doubtful(&self, offer: &Offer, count: Count, quotes: Quotes) -> Quotes {
        let (Some(on_demand), Some(spot)) = quotes else {
            return quotes;
        };
        if self.request.capacity_filter != CapacityFilter::Any {
            return quotes;
        }
        let doubts = |quote| price_doubts(self.catalog, self.request, offer, count, quote);
        let is_certain = |quote| !doubts(quote).iter().any(|reason| reason.is_doubt());
        match (is_certain(on_demand), is_certain(spot)) {
            (true, false) => (Some(on_demand), None),
            (false, true) => (None, Some(spot)),
            _ => quotes,
        }
    }

    /// Returns the limit on prices or the requirement of stock that the prices of a match miss.
    fn missed_limit(&self, (on_demand, spot): Quotes) -> Option<DropCode> {
        let request = self.request;
        let is_spot = request.capacity_filter == CapacityFilter::Spot;
        if is_spot && spot.is_none() && self.strict(Stage::Capacity) {
            return Some(DropCode::NoSpotPrice);
        }
        let ranking = ranking_quote(request.capacity_filter, on_demand, spot);
        let is_out = |quote: Quote| quote.availability == Availability::Unavailable;
        if request.available && ranking.is_some_and(is_out) {
            return Some(DropCode::OutOfStock);
        }
        if !self.strict(Stage::Price) {
            return None;
        }
        let likely = request.likely.as_ref();
        match (ranking.map(|quote| quote.likely.usd), request.max_price) {
            (None, _) if likely.is_some_and(LikelyPrices::has_max_age) => {
                Some(DropCode::PriceTooOld)
            }
            (None, Some(_)) => Some(DropCode::PriceUnknown),
            (Some(usd), Some(max)) if usd > max => Some(DropCode::PriceAboveMax),
            _ => None,
        }
    }

    /// Emits the verdict on every offer of the candidates' families, without the matches.
    pub(super) fn explain_family_offers(&self, emit: &mut impl FnMut(Considered)) {
        let catalog = self.catalog;
        self.verdicts(&mut |id, verdict| {
            let offer = catalog.offer(id);
            emit(match verdict {
                Ok(found) => Considered {
                    choice: self.choice,
                    offer: id,
                    accelerator: found.accelerator,
                    count: Some(found.count),
                    dropped: None,
                },
                Err(code) => Considered {
                    choice: self.choice,
                    offer: id,
                    accelerator: offer.accelerator,
                    count: offer.count,
                    dropped: Some(code),
                },
            });
        });
    }

    /// Emits the verdict on every offer of the candidates' families.
    pub(super) fn verdicts(&self, emit: &mut impl FnMut(OfferId, Verdict)) {
        let catalog = self.catalog;
        for id in self.of_families() {
            let offer = catalog.offer(id);
            let may_be = catalog.accelerators(offer.accelerators);
            let candidate = self
                .wanted
                .candidates
                .iter()
                .find(|c| may_be.contains(&c.accelerator));
            let Some(candidate) = candidate else {
                if let Some(dropped) = self.other_variant(offer.accelerator) {
                    emit(id, Err(dropped));
                }
                continue;
            };
            self.offer(*candidate, id, &mut |verdict| emit(id, verdict));
        }
    }

    /// Returns the offers that may have an accelerator of the candidates' families, sorted.
    fn of_families(&self) -> Vec<OfferId> {
        let catalog = self.catalog;
        let family = |id| catalog.str(catalog.accelerator(id).family);
        let candidates = self.wanted.candidates.iter();
        let families: BTreeSet<&str> = candidates.map(|c| family(c.accelerator)).collect();
        let relatives = catalog
            .accelerator_ids()
            .filter(|id| families.contains(family(*id)));
        let mut offers: Vec<OfferId> = relatives.flat_map(|id| catalog.offers_of(id)).collect();
        offers.sort_unstable();
        offers.dedup();
        offers
    }

    /// Returns the reason why an accelerator of a candidate's family is not a candidate; `None` for
    /// other families.
    fn other_variant(&self, accelerator: AcceleratorId) -> Option<DropCode> {
        let catalog = self.catalog;
        // This runs for every offer, so it reads single columns instead of whole rows.
        let family = |id| catalog.str(catalog.accelerator(id).family);
        let memory = |id| catalog.accelerator(id).memory_gb;
        let candidates = self.wanted.candidates.iter().map(|c| c.accelerator);
        let mut relatives = candidates
            .filter(|id| family(*id) == family(accelerator))
            .peekable();
        relatives.peek()?;
        let same_memory = relatives.any(|id| memory(id) == memory(accelerator));
        Some(if same_memory {
            DropCode::OtherVariant
        } else {
            DropCode::OtherMemory
        })
    }
}

/// Returns the reasons to doubt a price of an offer.
pub fn price_doubts(
    catalog: &Catalog<'_>,
    request: &Request,
    offer: &Offer,
    count: Count,
    quote: Quote,
) -> Vec<Reason> {
    let price = catalog.price(quote.price);
    let likely = request.likely.as_ref();
    let of_price = likely.map(|likely| likely.doubts(catalog, offer, &price, count, quote.usd));
    let mut doubts: Vec<Reason> = of_price.into_iter().flatten().collect();
    let is_preferred = request.hosts_are_equal || request.price_tier.is_some();
    if !is_preferred && catalog.is_of_host(offer, &price) {
        doubts.push(Reason::PrivateHost);
    }
    doubts
}
