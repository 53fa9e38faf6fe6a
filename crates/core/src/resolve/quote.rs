//! Which of an offer's prices applies.

use super::{Buying, Quote, RegionFilter};
use crate::catalog::{Availability, CapacityType, Catalog, Offer, Price, RegionId, Sells};
use crate::money::{Count, Usd};

/// What the prices of an offer are chosen for.
#[derive(Clone, Copy)]
pub(super) struct Pricing<'p, 'a> {
    pub catalog: &'p Catalog<'a>,
    pub offer: &'p Offer,
    pub count: Count,
    pub regions: Option<&'p RegionFilter>,
    /// For the whole machine.
    pub max: Option<Usd>,
}

impl Pricing<'_, '_> {
    /// The on-demand and the spot price.
    ///
    /// The price that ranks the machine is chosen first, and the other one in the same region, so
    /// that the two compare; of a provider without a default region elsewhere too, when it is not
    /// sold there. When either will do, each is its own best.
    pub(super) fn quotes(&self, buying: Buying) -> (Option<Quote>, Option<Quote>) {
        use CapacityType::{OnDemand, Spot};
        match buying {
            Buying::Unspecified | Buying::OnDemand => {
                let on_demand = self.best(OnDemand, None, false);
                (on_demand, self.beside(Spot, on_demand))
            }
            Buying::Spot => {
                let spot = self.best(Spot, None, true);
                (self.beside(OnDemand, spot), spot)
            }
            Buying::Any => (self.best(OnDemand, None, true), self.best(Spot, None, true)),
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
                let all: Vec<_> = self
                    .applicable(capacity, None)
                    .map(|quote| (quote.region, Some(quote)))
                    .collect();
                if all.is_empty() { everywhere() } else { all }
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
                let at = |region| (Some(region), self.best(capacity, Some(region), false));
                regions.into_iter().map(at).collect()
            }
        }
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

    /// What is in stock wins, then what is within the limit, then the provider's first tier. Among
    /// regions: with a filter the cheapest one; else, unless the lowest price of all is wanted, the
    /// provider's default region, so that prices of one provider are comparable.
    fn best(&self, capacity: CapacityType, only: Option<RegionId>, lowest: bool) -> Option<Quote> {
        let catalog = self.catalog;
        let home = catalog.provider(self.offer.provider).default_region;
        let prefer_home = self.regions.is_none() && !lowest;
        self.applicable(capacity, only).min_by_key(|quote| {
            let out_of_stock = quote.availability == Availability::Unavailable;
            let too_dear = self.max.is_some_and(|max| quote.usd > max);
            let low = quote.availability == Availability::Limited;
            // Without a default region, a price of some region tells more than one of anywhere.
            let away = home.map_or(quote.region.is_none(), |home| quote.region != Some(home));
            let home_first = prefer_home && home.is_some() && away;
            (
                out_of_stock,
                too_dear,
                catalog.prices[quote.price as usize].tier,
                home_first,
                // Regional figures differ in the last printed digit: a hundredth of a cent is a tie.
                quote.usd.0 / 100,
                low,
                away,
                quote.price,
            )
        })
    }

    /// The prices that hold for the count, in the regions that are asked for, or in one of them.
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
            ..
        } = *self;
        let sold_in = catalog.regions(offer.regions);
        let applies = move |price: &Price| {
            price.capacity == capacity
                && price.count.is_none_or(|c| c == count)
                && price.region.is_none_or(|r| {
                    only.is_none_or(|only| only == r)
                        && (sold_in.is_empty() || sold_in.contains(&r))
                        && regions.is_none_or(|f| f.allows(r))
                })
                && regions.is_none_or(|filter| {
                    let seen = catalog.regions(price.seen_in);
                    seen.is_empty() || seen.iter().any(|r| filter.allows(*r))
                })
        };
        let prices = catalog.prices(offer).iter().zip(offer.prices.start..);
        prices
            .filter(move |(price, _)| applies(price))
            .map(move |(price, at)| Quote {
                price: at,
                usd: total(price, count),
                region: price.region,
                availability: price.availability,
            })
    }
}

/// What a price comes to for so many accelerators.
pub fn total(price: &Price, count: Count) -> Usd {
    if price.per_accelerator {
        price.usd.times(count)
    } else {
        price.usd
    }
}
