//! The choice of the price that applies, among those of an offer.

use super::answer::{Match, Quote};
use super::region::RegionFilter;
use super::request::{CapacityFilter, Request};
use super::tier::PriceTier;
use crate::catalog::{
    AcceleratorId, Availability, CapacityType, Catalog, Offer, OfferId, Price, RegionId, Sells,
};
use crate::money::{Count, Usd};

/// So many places at one price are candidates of their own; of more, the provider chooses.
const MOST_PLACES: u32 = 4;

/// Among so many places, one is looked for without putting them in order.
const FEW_PLACES: usize = 32;

/// The conditions for which prices of an offer are chosen.
#[derive(Clone, Copy)]
pub(super) struct Pricing<'p, 'a> {
    pub catalog: &'p Catalog<'a>,
    pub offer: &'p Offer,
    pub count: Count,
    pub regions: Option<&'p RegionFilter>,
    pub tier: Option<&'p PriceTier>,
}

impl Pricing<'_, '_> {
    /// The on-demand and the spot price.
    ///
    /// The price that ranks the machine is chosen first, and the other one in the same region, so
    /// that the two compare; of a provider without a default region elsewhere too, when it is not
    /// sold there. When either will do, each is its own best.
    pub(super) fn quotes(&self, capacity_filter: CapacityFilter) -> (Option<Quote>, Option<Quote>) {
        use CapacityType::{OnDemand, Spot};
        match capacity_filter {
            CapacityFilter::Unspecified | CapacityFilter::OnDemand => {
                let on_demand = self.best(OnDemand, None, false);
                (on_demand, self.beside(Spot, on_demand))
            }
            CapacityFilter::Spot => {
                let spot = self.best(Spot, None, true);
                (self.beside(OnDemand, spot), spot)
            }
            CapacityFilter::Any => (self.best(OnDemand, None, true), self.best(Spot, None, true)),
        }
    }

    /// The places where it is sold, each with its price: one where the place is the provider's choice.
    pub(super) fn ways(&self, capacity: CapacityType) -> Vec<(Option<RegionId>, Option<Quote>)> {
        let catalog = self.catalog;
        let everywhere = || {
            let quote = self.best(capacity, None, true);
            vec![(quote.and_then(|quote| quote.region), quote)]
        };
        match catalog.provider(self.offer.provider).sells {
            Sells::AnyCount => everywhere(),
            // Every machine is one of its own.
            Sells::Marketplace => {
                let machines: Vec<_> = self
                    .applicable(capacity, None)
                    .map(|quote| (quote.region, Some(quote)))
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
                    priced.filter_map(|quote| quote.region).collect()
                } else {
                    sold_in.to_vec()
                };
                // Where one needs an account of its own nobody goes unasked.
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
                let mut priced: Vec<Quote> = self.applicable(capacity, None).collect();
                priced.sort_by_key(|quote| quote.region);
                let anywhere = priced.partition_point(|quote| quote.region.is_none());
                let (anywhere, local) = priced.split_at(anywhere);
                let at = |region: RegionId| {
                    let first = local.partition_point(|quote| quote.region < Some(region));
                    let here = local[first..].iter();
                    let here = here.take_while(|quote| quote.region == Some(region));
                    let quotes = anywhere.iter().chain(here).copied();
                    (Some(region), self.best_of(quotes, false))
                };
                regions.into_iter().map(at).collect()
            }
        }
    }

    /// The price in a region, which holds there whether or not it names it.
    pub(super) fn at(&self, capacity: CapacityType, region: RegionId) -> Option<Quote> {
        let quote = self.best(capacity, Some(region), false)?;
        Some(Quote {
            region: Some(region),
            ..quote
        })
    }

    /// Whether it is sold in many places at one price, so that none is better than another.
    fn has_one_price(&self, capacity: CapacityType) -> bool {
        let provider = self.catalog.provider(self.offer.provider);
        let mut prices = self.applicable(capacity, None).peekable();
        provider.default_region.is_none()
            && self.offer.regions.len > MOST_PLACES
            && prices.peek().is_some()
            && prices.all(|quote| quote.region.is_none())
    }

    fn beside(&self, capacity: CapacityType, other: Option<Quote>) -> Option<Quote> {
        let region = other.and_then(|quote| quote.region);
        let here = region.and_then(|_| self.best(capacity, region, false));
        let has_home = self
            .catalog
            .provider(self.offer.provider)
            .default_region
            .is_some();
        match here {
            _ if has_home && region.is_some() => here,
            Some(quote) if quote.availability != Availability::Unavailable => here,
            _ => {
                let anywhere = self.best(capacity, None, true);
                let in_stock = |quote: &Quote| quote.availability != Availability::Unavailable;
                anywhere.filter(in_stock).or(here).or(anywhere)
            }
        }
    }

    /// The price that applies: one in stock if there is any, then the cheapest, of equal prices that
    /// of the provider's first tier. Among regions: with a filter the cheapest one; else, unless
    /// `lowest` is asked for, the provider's default region, so that its prices compare.
    ///
    /// No limit has a say here: it could only hide a price, and must not show another one.
    fn best(&self, capacity: CapacityType, only: Option<RegionId>, lowest: bool) -> Option<Quote> {
        self.best_of(self.applicable(capacity, only), lowest)
    }

    fn best_of(&self, quotes: impl Iterator<Item = Quote>, lowest: bool) -> Option<Quote> {
        let catalog = self.catalog;
        let home = catalog.provider(self.offer.provider).default_region;
        let prefer_home = self.regions.is_none() && !lowest;
        quotes.min_by_key(|quote| {
            let out_of_stock = quote.availability == Availability::Unavailable;
            let low = quote.availability == Availability::Limited;
            // Without a default region, a price of some region tells more than one of anywhere.
            let away = home.map_or(quote.region.is_none(), |home| quote.region != Some(home));
            let home_first = prefer_home && home.is_some() && away;
            (
                out_of_stock,
                home_first,
                // Regional figures differ in the last printed digit: a hundredth of a cent is a tie.
                quote.usd.0 / 100,
                catalog.price(quote.price).tier,
                low,
                away,
                quote.price,
            )
        })
    }

    /// Whether the provider's prices leave none in the tier that is asked for; where it publishes no
    /// price at all its tiers are not known either.
    pub(super) fn lacks_tier(&self) -> bool {
        let Some(tier) = self.tier else { return false };
        let prices = self.catalog.prices(self.offer);
        let is_asked = |price: Price| tier.allows(self.offer.provider, price.tier);
        !tier.is_sold_by(self.offer.provider) || !prices.is_empty() && !prices.iter().any(is_asked)
    }

    /// The prices that hold for the count and the tier, in the regions that are asked for or, with
    /// `only`, in that one.
    fn applicable(
        &self,
        capacity: CapacityType,
        only: Option<RegionId>,
    ) -> impl Iterator<Item = Quote> {
        let Self {
            catalog,
            offer,
            count,
            regions,
            tier,
        } = *self;
        let sold_in = catalog.regions(offer.regions);
        // Among many, a region is found by halves: a type may be sold in thousands.
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
        prices
            .filter(move |(price, _)| applies(price))
            .map(move |(price, at)| Quote {
                price: at,
                usd: total(&price, count),
                region: price.region,
                availability: price.availability,
            })
    }
}

/// Returns the places where a match can be bought with a capacity type, each with its price. The
/// region is `None` where the provider chooses it, the price where it is unknown.
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
    };
    pricing.ways(capacity)
}

/// Prices a match in one region.
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
    };
    Match {
        on_demand: pricing.at(CapacityType::OnDemand, region),
        spot: pricing.at(CapacityType::Spot, region),
        ..found.clone()
    }
}

/// Prices an offer at a count without any other condition, as `show` lists it.
pub fn offer_at(
    catalog: &Catalog<'_>,
    id: OfferId,
    accelerator: AcceleratorId,
    count: Count,
) -> Match {
    let pricing = Pricing {
        catalog,
        offer: &catalog.offer(id),
        count,
        regions: None,
        tier: None,
    };
    let (on_demand, spot) = pricing.quotes(CapacityFilter::default());
    Match {
        choice: 0,
        offer: id,
        accelerator,
        count,
        on_demand,
        spot,
        gpus_needed: 1,
        reasons: Vec::new(),
    }
}

/// Returns the price of a whole machine in USD per hour, from a price for the machine or for one of
/// its `count` accelerators.
pub fn total(price: &Price, count: Count) -> Usd {
    if price.per_accelerator {
        price.usd.times(count)
    } else {
        price.usd
    }
}
