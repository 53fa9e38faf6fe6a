//! Selection of the price that applies to an offer.

use super::answer::{Match, Quote};
use super::host::has_small_host;
use super::likely::{LikelyPrice, LikelyPrices};
use super::region::RegionFilter;
use super::request::{CapacityFilter, Request};
use super::stock::StockClass;
use super::tier::PriceTier;
use super::verdict::Reason;
use crate::catalog::{
    AcceleratorId, Availability, CapacityType, Catalog, Offer, OfferId, Price, PriceKind, RegionId,
    Sells,
};
use crate::money::Count;

/// The maximum number of regions at one price that become separate candidates. With more regions,
/// the plan leaves the choice to the provider.
const MOST_PLACES: u32 = 4;

/// The maximum number of regions for a linear search, which is faster than sorting.
const FEW_PLACES: usize = 32;

/// The order of prices in different regions, without a region filter.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Preference {
    /// A price in the provider's default region wins over a cheaper price elsewhere.
    DefaultRegion,
    /// The cheapest price of all regions wins.
    LowestPrice,
}

/// The on-demand and the spot price.
pub(super) type Quotes = (Option<Quote>, Option<Quote>);

/// The conditions that select the prices of an offer.
#[derive(Clone, Copy)]
pub(super) struct Pricing<'p, 'a> {
    pub catalog: &'p Catalog<'a>,
    pub offer: &'p Offer,
    pub count: Count,
    pub regions: Option<&'p RegionFilter>,
    pub tier: Option<&'p PriceTier>,
    /// Whether prices for machines of private hosts count as much as prices for the provider's own machines.
    pub hosts_are_equal: bool,
    pub likely: Option<&'p LikelyPrices>,
    /// Whether a price with better stock wins over a lower price.
    pub by_stock: bool,
}

impl Pricing<'_, '_> {
    /// Returns the on-demand and the spot price.
    ///
    /// The price that ranks the machine is selected first, and the other price in the same region,
    /// so that the two compare. Without a default region, the other price may be of another region
    /// if the first region does not sell it. With [`CapacityFilter::Any`], both are the lowest
    /// anywhere.
    pub(super) fn quotes(&self, capacity_filter: CapacityFilter) -> Quotes {
        let ranking = self.ranking_quotes(capacity_filter);
        self.with_other(capacity_filter, ranking)
    }

    /// Returns the prices without a price that does not rank the machine.
    pub(super) fn ranking_quotes(&self, capacity_filter: CapacityFilter) -> Quotes {
        use CapacityType::{OnDemand, Spot};
        match capacity_filter {
            CapacityFilter::Unspecified | CapacityFilter::OnDemand => {
                (self.best(OnDemand, None, Preference::DefaultRegion), None)
            }
            CapacityFilter::Spot => (None, self.best(Spot, None, Preference::LowestPrice)),
            CapacityFilter::Any => (
                self.best(OnDemand, None, Preference::LowestPrice),
                self.best(Spot, None, Preference::LowestPrice),
            ),
        }
    }

    /// Adds the price that does not rank the machine to the price that does.
    pub(super) fn with_other(
        &self,
        capacity_filter: CapacityFilter,
        (on_demand, spot): Quotes,
    ) -> Quotes {
        match capacity_filter {
            CapacityFilter::Unspecified | CapacityFilter::OnDemand => {
                (on_demand, self.beside(CapacityType::Spot, on_demand))
            }
            CapacityFilter::Spot => (self.beside(CapacityType::OnDemand, spot), spot),
            CapacityFilter::Any => (on_demand, spot),
        }
    }

    /// Returns the regions of the offer, each with its price. A single entry means that the
    /// provider chooses the region.
    pub(super) fn ways(&self, capacity: CapacityType) -> Vec<(Option<RegionId>, Option<Quote>)> {
        let catalog = self.catalog;
        let everywhere = || {
            let quote = self.best(capacity, None, Preference::LowestPrice);
            vec![(quote.and_then(|quote| quote.region), quote)]
        };
        match catalog.provider(self.offer.provider).sells {
            Sells::AnyCount => everywhere(),
            // Every listing of a marketplace is a separate machine.
            Sells::Marketplace => {
                let machines: Vec<_> = self
                    .applicable(capacity, None)
                    .map(|(price, at)| (price.region, Some(self.quote(&price, at))))
                    .collect();
                if machines.is_empty() {
                    everywhere()
                } else {
                    machines
                }
            }
            Sells::InstanceTypes if self.regions.is_none() && self.has_one_price(capacity) => {
                everywhere()
            }
            Sells::InstanceTypes => {
                let sold_in = catalog.regions(self.offer.regions);
                let mut regions: Vec<RegionId> = if sold_in.is_empty() {
                    let priced = self.applicable(capacity, None);
                    priced.filter_map(|(price, _)| price.region).collect()
                } else {
                    sold_in.to_vec()
                };
                // Regions that need a separate account are used only on request.
                regions.retain(|region| {
                    let row = catalog.region(*region);
                    let is_asked = match self.regions {
                        Some(filter) => filter.allows(*region),
                        None => !row.separate,
                    };
                    is_asked && row.open != Some(false)
                });
                regions.sort_unstable();
                regions.dedup();
                if regions.is_empty() {
                    return everywhere();
                }
                let mut rows: Vec<_> = self.applicable(capacity, None).collect();
                rows.sort_by_key(|(price, _)| price.region);
                let anywhere = rows.partition_point(|(price, _)| price.region.is_none());
                let (anywhere, local) = rows.split_at(anywhere);
                let at = |region: RegionId| {
                    let first = local.partition_point(|(price, _)| price.region < Some(region));
                    let regional = local[first..].iter();
                    let regional = regional.take_while(|(price, _)| price.region == Some(region));
                    let prices = anywhere.iter().chain(regional).copied();
                    (
                        Some(region),
                        self.best_of(prices, Preference::DefaultRegion),
                    )
                };
                regions.into_iter().map(at).collect()
            }
        }
    }

    /// Returns the price in a region, including prices that apply to every region.
    pub(super) fn at(&self, capacity: CapacityType, region: RegionId) -> Option<Quote> {
        let quote = self.best(capacity, Some(region), Preference::DefaultRegion)?;
        Some(Quote {
            region: Some(region),
            ..quote
        })
    }

    /// Returns whether the offer has one price in many regions, so that no region is better than
    /// another.
    fn has_one_price(&self, capacity: CapacityType) -> bool {
        let provider = self.catalog.provider(self.offer.provider);
        let mut prices = self.applicable(capacity, None).peekable();
        provider.default_region.is_none()
            && self.offer.regions.len > MOST_PLACES
            && prices.peek().is_some()
            && prices.all(|(price, _)| price.region.is_none())
    }

    fn beside(&self, capacity: CapacityType, other: Option<Quote>) -> Option<Quote> {
        // Most offers have prices of one capacity type.
        let mut prices = self.catalog.prices(self.offer).iter();
        if !prices.any(|price| price.capacity == capacity) {
            return None;
        }
        let region = other.and_then(|quote| quote.region);
        let here = region.and_then(|_| self.best(capacity, region, Preference::DefaultRegion));
        let has_home = self
            .catalog
            .provider(self.offer.provider)
            .default_region
            .is_some();
        match here {
            _ if has_home && region.is_some() => here,
            Some(quote) if quote.availability != Availability::Unavailable => here,
            _ => {
                let anywhere = self.best(capacity, None, Preference::LowestPrice);
                let in_stock = |quote: &Quote| quote.availability != Availability::Unavailable;
                anywhere.filter(in_stock).or(here).or(anywhere)
            }
        }
    }

    /// Returns the price that applies: in stock if possible, then for the provider's own machines, then the cheapest,
    /// then the provider's first tier. Without a region filter and with [`Preference::DefaultRegion`], a price in the
    /// provider's default region wins over a cheaper price elsewhere, so that prices of different machines compare.
    ///
    /// The price limit is not considered: it hides machines, and must not select another price.
    fn best(
        &self,
        capacity: CapacityType,
        only: Option<RegionId>,
        preference: Preference,
    ) -> Option<Quote> {
        self.best_of(self.applicable(capacity, only), preference)
    }

    fn best_of(
        &self,
        prices: impl Iterator<Item = (Price, u32)>,
        preference: Preference,
    ) -> Option<Quote> {
        let catalog = self.catalog;
        let home = catalog.provider(self.offer.provider).default_region;
        let prefer_home =
            self.regions.is_none() && preference == Preference::DefaultRegion && home.is_some();
        // Without a default region, a price of a known region is more useful than a price
        // without a region.
        let is_away =
            |region: Option<RegionId>| home.map_or(region.is_none(), |home| region != Some(home));
        let has_hosts = catalog.provider(self.offer.provider).marketplace_tiers.len > 0;
        let by_host = has_hosts && !self.hosts_are_equal && self.tier.is_none();
        // The provider's own machines come first, but not at a doubtful price.
        let host_rank = |price: &Price| {
            if !by_host {
                return 0;
            }
            let usd = price.of_machine(self.count);
            let is_doubtful = self.likely.is_some_and(|likely| {
                let mut doubts = likely.doubts(catalog, self.offer, price, self.count, usd);
                doubts.any(Reason::is_doubt)
            });
            u8::from(catalog.is_of_host(self.offer, price)) + 2 * u8::from(is_doubtful)
        };
        let mut best: Option<(_, _, Quote)> = None;
        for (price, at) in prices {
            let stock = StockClass::ordering(price.availability, self.by_stock);
            let away = is_away(price.region);
            // A contract is for the regions that it names.
            let is_elsewhere = prefer_home && away && price.kind != PriceKind::Contract;
            let first = (stock, host_rank(&price), is_elsewhere);
            // Most prices are of other regions, and need no estimate.
            if best.as_ref().is_some_and(|(known, ..)| *known < first) {
                continue;
            }
            let quote = self.quote(&price, at);
            let low = price.availability == Availability::Limited;
            // Regional prices differ in the last printed digit, so prices within a hundredth of
            // a cent are tied.
            let usd = quote.likely.usd.0 / 100;
            let then = (usd, price.tier, low, away, at);
            let is_better = best
                .as_ref()
                .is_none_or(|(known, last, _)| (first, then) < (*known, *last));
            if is_better {
                best = Some((first, then, quote));
            }
        }
        best.map(|(.., quote)| quote)
    }

    fn quote(&self, price: &Price, at: u32) -> Quote {
        quote(self.catalog, self.likely, self.offer, price, at, self.count)
    }

    /// Returns whether the provider has no price in the requested tier. Without any published
    /// price, its tiers are unknown too.
    pub(super) fn lacks_tier(&self) -> bool {
        let Some(tier) = self.tier else { return false };
        let prices = self.catalog.prices(self.offer);
        let is_asked = |price: Price| tier.allows(self.offer.provider, price.tier);
        !tier.is_sold_by(self.offer.provider) || !prices.is_empty() && !prices.iter().any(is_asked)
    }

    /// Returns the prices for the count and the tier in the requested regions or, with `only`, in
    /// one region, with their rows.
    fn applicable(
        &self,
        capacity: CapacityType,
        only: Option<RegionId>,
    ) -> impl Iterator<Item = (Price, u32)> {
        let Self {
            catalog,
            offer,
            count,
            regions,
            tier,
            likely,
            by_stock: _,
            hosts_are_equal: _,
        } = *self;
        let sold_in = catalog.regions(offer.regions);
        // Binary search for long lists: an instance type may be sold in thousands of regions.
        let mut sorted = Vec::new();
        if sold_in.len() > FEW_PLACES {
            sorted = sold_in.to_vec();
            sorted.sort_unstable();
        }
        let is_sold_in = move |region: RegionId| {
            if sorted.is_empty() {
                sold_in.is_empty() || sold_in.contains(&region)
            } else {
                sorted.binary_search(&region).is_ok()
            }
        };
        let applies = move |price: &Price| {
            price.capacity == capacity
                && likely.is_none_or(|likely| !likely.is_too_old(catalog, price))
                && tier.is_none_or(|tier| tier.allows(offer.provider, price.tier))
                && price.count.is_none_or(|c| c == count)
                && price.region.is_none_or(|r| {
                    only.is_none_or(|only| only == r)
                        && is_sold_in(r)
                        && regions.is_none_or(|f| f.allows(r))
                })
                && (regions.is_none() && only.is_none() || {
                    let is_asked = |r| {
                        regions.is_none_or(|filter| filter.allows(r))
                            && only.is_none_or(|only| only == r)
                    };
                    let seen = catalog.regions(price.seen_in);
                    seen.is_empty() || seen.iter().any(is_asked)
                })
        };
        let prices = catalog.prices(offer).iter().zip(offer.prices.start..);
        prices.filter(move |(price, _)| applies(price))
    }
}

/// Returns the quote of `count` accelerators of an offer at a row of its prices.
pub fn quote(
    catalog: &Catalog<'_>,
    likely: Option<&LikelyPrices>,
    offer: &Offer,
    price: &Price,
    at: u32,
    count: Count,
) -> Quote {
    let usd = price.of_machine(count);
    Quote {
        price: at,
        usd,
        likely: likely.map_or(LikelyPrice::exactly(usd), |likely| {
            likely.of(catalog, offer, price, count)
        }),
        region: price.region,
        age_days: likely.and_then(|likely| likely.age_days(catalog, price)),
        availability: price.availability,
    }
}

/// Returns the regions where a match can be bought with a capacity type, each with its price. The
/// region is `None` when the provider chooses it, the price when it is unknown.
pub fn ways(
    catalog: &Catalog<'_>,
    found: &Match,
    capacity: CapacityType,
    request: &Request,
) -> Vec<(Option<RegionId>, Option<Quote>)> {
    let pricing = Pricing {
        catalog,
        offer: &catalog.offer(found.offer),
        count: found.count,
        regions: request.regions.as_ref(),
        tier: request.price_tier.as_ref(),
        hosts_are_equal: request.hosts_are_equal,
        likely: request.likely.as_ref(),
        by_stock: request.is_by_stock(),
    };
    pricing.ways(capacity)
}

/// Returns a match with its prices in one region.
pub fn in_region(
    catalog: &Catalog<'_>,
    found: &Match,
    region: RegionId,
    request: &Request,
) -> Match {
    let pricing = Pricing {
        catalog,
        offer: &catalog.offer(found.offer),
        count: found.count,
        regions: None,
        tier: request.price_tier.as_ref(),
        hosts_are_equal: request.hosts_are_equal,
        likely: request.likely.as_ref(),
        by_stock: request.is_by_stock(),
    };
    Match {
        on_demand: pricing.at(CapacityType::OnDemand, region),
        spot: pricing.at(CapacityType::Spot, region),
        ..found.clone()
    }
}

/// Returns the price on demand of a match that has a committed price instead, in the same region if it has one there.
pub fn uncommitted(
    catalog: &Catalog<'_>,
    likely: Option<&LikelyPrices>,
    found: &Match,
) -> Option<Quote> {
    let offer = catalog.uncommitted(found.offer);
    let pricing = Pricing {
        catalog,
        offer: &offer,
        count: found.count,
        regions: None,
        tier: None,
        hosts_are_equal: false,
        by_stock: false,
        likely,
    };
    let region = found.on_demand.and_then(|quote| quote.region);
    let here = region.and_then(|region| pricing.at(CapacityType::OnDemand, region));
    let anywhere = || pricing.best(CapacityType::OnDemand, None, Preference::DefaultRegion);
    here.or_else(anywhere)
}

/// Returns an offer at a count with its prices and the reasons to doubt its price on demand, without any other
/// condition, or its host.
pub fn offer_at(
    catalog: &Catalog<'_>,
    id: OfferId,
    accelerator: AcceleratorId,
    count: Count,
    likely: Option<&LikelyPrices>,
) -> Match {
    let offer = catalog.offer(id);
    let pricing = Pricing {
        catalog,
        offer: &offer,
        count,
        regions: None,
        tier: None,
        hosts_are_equal: false,
        likely,
        by_stock: false,
    };
    let (on_demand, spot) = pricing.quotes(CapacityFilter::default());
    let doubts = likely.zip(on_demand).map(|(likely, quote)| {
        let price = catalog.price(quote.price);
        let private_host = catalog
            .is_of_host(&offer, &price)
            .then_some(Reason::PrivateHost);
        let doubts = likely.doubts(catalog, &offer, &price, count, quote.usd);
        doubts.chain(private_host)
    });
    let small_host = has_small_host(catalog, &offer, accelerator, count);
    let small_host = small_host.then_some(Reason::SmallHost);
    Match {
        choice: 0,
        offer: id,
        accelerator,
        count,
        on_demand,
        spot,
        gpus_needed: 1,
        reasons: doubts.into_iter().flatten().chain(small_host).collect(),
    }
}
