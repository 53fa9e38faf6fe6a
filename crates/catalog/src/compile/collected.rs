//! Offers, prices and regions that the compiler has collected, before they become tables.

use std::collections::HashSet;

use hashbrown::HashMap;
use sky_accel_core::catalog::{
    AcceleratorId, CapacityType, Offer, Price, PriceKind, ProviderId, RegionId, Rows, Statistic,
    Str,
};
use sky_accel_core::money::Count;
use smallvec::SmallVec;

use crate::Layer;

/// An offer, merged from the layers so far.
pub(super) struct CollectedOffer {
    /// Without accelerators, regions and prices.
    pub row: Offer,
    /// One group for each memory size that the name covers.
    pub groups: OfferGroups,
    pub regions: SmallVec<[RegionId; 2]>,
    /// The last layer that described the offer, and whether it was a row of a CSV file.
    pub layer: Layer,
    pub is_row: bool,
}

/// The accelerators of one memory size that an offer may have.
#[derive(Clone, Copy)]
pub(super) struct OfferGroup {
    pub memory_gb: Option<f64>,
    pub accelerator: AcceleratorId,
    pub accelerators: Rows,
}

/// The groups of an offer. Nearly every offer has one group of one accelerator.
pub(super) type OfferGroups = SmallVec<[OfferGroup; 1]>;
pub(super) type AcceleratorIds = SmallVec<[AcceleratorId; 2]>;

/// A price of a collected offer.
pub(super) struct CollectedPrice {
    pub listed: u32,
    /// The memory size that the price is for, if the offer has several.
    pub memory_gb: Option<f64>,
    /// The part of the sources and the item in it, because a later price replaces an earlier one.
    pub at: (u32, u32),
    pub price: Price,
}

/// All offers and prices of the sources.
#[derive(Default)]
pub(super) struct CollectedOffers {
    pub offers: Vec<CollectedOffer>,
    pub by_id: HashMap<(ProviderId, Str), u32>,
    pub prices: Vec<CollectedPrice>,
    /// The prices before their offers, by part and item. They are read again at the end.
    pub waiting: HashSet<(u32, u32)>,
    /// The number of prices from lists of offers so far.
    pub of_lists: usize,
}

/// The regions so far, ordered by first mention.
#[derive(Default)]
pub(super) struct CollectedRegions {
    pub by_name: HashMap<(ProviderId, Str), RegionId>,
    pub of_provider: HashMap<ProviderId, usize>,
}

/// The maximum number of sources of an offer that are counted: an overlay may name another source for each price.
const MAX_SOURCES: usize = 16;

/// The factor within which two prices of an offer confirm each other. A price at a third of what others state is not
/// confirmed by their number.
const AGREEMENT: f64 = 2.0;

/// The prices that a source states for a capacity type and a tier.
struct StatedPrices {
    capacity: CapacityType,
    tier: u8,
    source: Str,
    /// The lowest and the highest price, in US dollars for one unit.
    lowest: f64,
    highest: f64,
}

impl StatedPrices {
    /// The price of one accelerator, or of an offer whose prices are all for the same number of accelerators.
    fn unit(price: &Price) -> f64 {
        let count = price.count.filter(|_| !price.per_accelerator);
        price.usd.decimal() / count.map_or(1.0, Count::decimal)
    }

    fn of(price: &Price) -> Self {
        let unit = Self::unit(price);
        Self {
            capacity: price.capacity,
            tier: price.tier,
            source: price.source,
            lowest: unit,
            highest: unit,
        }
    }

    fn is_of(&self, price: &Price) -> bool {
        (self.capacity, self.tier) == (price.capacity, price.tier)
    }

    fn confirms(&self, price: &Price) -> bool {
        let unit = Self::unit(price);
        self.is_of(price) && (self.lowest / AGREEMENT..=self.highest * AGREEMENT).contains(&unit)
    }
}

/// The current prices of an offer. A price replaces earlier prices with the same key, and a price without a region
/// replaces the earlier prices of all regions. Prices of a contract count as the last ones.
#[derive(Default)]
pub(super) struct CurrentPrices {
    /// The sources of the prices, the replaced ones included.
    sources: Vec<StatedPrices>,
    contracts: NewestPrices,
    published: NewestPrices,
    pub prices: Vec<Price>,
    /// The published prices that the prices of a contract replace: other customers pay them.
    pub displaced: Vec<Price>,
}

impl CurrentPrices {
    pub fn find(&mut self, prices: impl DoubleEndedIterator<Item = Price> + Clone) {
        self.sources.clear();
        for price in prices.clone() {
            let mut known = self.sources.iter_mut();
            let same = known.find(|known| known.is_of(&price) && known.source == price.source);
            if let Some(known) = same {
                let unit = StatedPrices::unit(&price);
                known.lowest = known.lowest.min(unit);
                known.highest = known.highest.max(unit);
            } else if self.sources.len() < MAX_SOURCES {
                self.sources.push(StatedPrices::of(&price));
            }
        }
        let is_agreed = |price: &Price| price.kind == PriceKind::Contract;
        self.contracts.find(prices.clone().filter(is_agreed));
        self.published
            .find(prices.filter(|price| !is_agreed(price)));
        let sources = &self.sources;
        let confirmed = |price: &Price| {
            let confirming = sources.iter().filter(|stated| stated.confirms(price));
            // Sources of the list price do not confirm a contract.
            let sources = if is_agreed(price) {
                1
            } else {
                u8::try_from(confirming.count()).unwrap_or(u8::MAX)
            };
            Price { sources, ..*price }
        };
        let contracts = &self.contracts;
        let is_displaced = |price: &Price| {
            contracts.contains(price, price.region) || contracts.contains(price, None)
        };
        let published = self.published.prices.iter().map(confirmed);
        (self.displaced, self.prices) = published.partition(is_displaced);
        let agreed = contracts.prices.iter().map(confirmed);
        self.prices.extend(agreed);
    }
}

/// The newest price of each key, the newest last.
#[derive(Default)]
struct NewestPrices {
    places: HashMap<PriceKey, usize>,
    prices: Vec<Price>,
}

impl NewestPrices {
    fn find(&mut self, prices: impl DoubleEndedIterator<Item = Price>) {
        self.places.clear();
        self.prices.clear();
        for price in prices.rev() {
            // Zones of a region may have separate prices, of which the lowest is the price of the region.
            let is_zone = price.statistic == Some(Statistic::LowestZone);
            match self.places.get(&key_of(&price, price.region)) {
                Some(at) if is_zone && is_of_one_answer(&price, &self.prices[*at]) => {
                    let lowest = &mut self.prices[*at];
                    if price.usd < lowest.usd {
                        (lowest.usd, lowest.charged) = (price.usd, price.charged);
                    }
                }
                Some(_) => {}
                None if self.contains(&price, None) => {}
                None => {
                    let key = key_of(&price, price.region);
                    self.places.insert(key, self.prices.len());
                    self.prices.push(price);
                }
            }
        }
        self.prices.reverse();
    }

    /// Returns whether there is a price with the key of `price` in a region.
    fn contains(&self, price: &Price, region: Option<RegionId>) -> bool {
        self.places.contains_key(&key_of(price, region))
    }
}

/// The key of a price: capacity type, tier, count and region.
type PriceKey = (CapacityType, u8, Option<Count>, Option<RegionId>);

fn key_of(price: &Price, region: Option<RegionId>) -> PriceKey {
    (price.capacity, price.tier, price.count, region)
}

fn is_of_one_answer(a: &Price, b: &Price) -> bool {
    (a.statistic, a.as_of, a.source) == (b.statistic, b.as_of, b.source)
}

#[cfg(test)]
mod tests {
    use sky_accel_core::catalog::Price;

    use crate::fixture::compiled;

    /// Returns the current prices of the fixture's offer `g8` and the prices that others pay, in USD per hour.
    fn prices(overlays: &[&str]) -> [Vec<f64>; 2] {
        let tables = compiled(overlays).unwrap();
        let catalog = tables.catalog();
        let provider = catalog.provider_named("acme").unwrap();
        let id = catalog.offers_with_id(provider, "g8").next().unwrap();
        let usd = |prices: Vec<Price>| prices.iter().map(|price| price.usd.decimal()).collect();
        let current = catalog.prices(&catalog.offer(id)).to_vec();
        [usd(current), usd(catalog.market_prices(id).collect())]
    }

    #[test]
    fn a_contract_does_not_change_what_others_pay() {
        let contract = |usd: &str| {
            format!(
                "[[price]]\nprovider = \"acme\"\noffer = \"g8\"\nkind = \"contract\"\nsource = \"s\"\n\
                 as_of = \"2026-11-02\"\nusd_per_hour = {usd}\n"
            )
        };
        assert_eq!(prices(&[]), [[16.0, 18.0], [16.0, 18.0]]);
        assert_eq!(prices(&[&contract("5.0")]), [vec![5.0], vec![16.0, 18.0]]);
        assert_eq!(
            prices(&[&contract("{ east = 5.0 }")]),
            [[18.0, 5.0], [18.0, 16.0]]
        );
        let list = contract("16.0")
            .replace("\"contract\"", "\"list\"")
            .replace("\"s\"", "\"other\"");
        let sources = |overlays: &[&str]| {
            let tables = compiled(overlays).unwrap();
            let catalog = tables.catalog();
            let offers = catalog.offers.iter();
            let g8 = offers
                .clone()
                .find(|offer| catalog.str(offer.id) == "g8")
                .unwrap();
            catalog.prices(&g8).iter().next().unwrap().sources
        };
        assert_eq!(
            (sources(&[&list]), sources(&[&list, &contract("16.0")])),
            (2, 1)
        );
    }
}
