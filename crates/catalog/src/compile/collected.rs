//! Offers, prices and regions that the compiler has collected, before they become tables.

use std::collections::HashSet;

use hashbrown::HashMap;
use sky_accel_core::catalog::{
    AcceleratorId, CapacityType, Offer, Price, ProviderId, RegionId, Rows, Statistic, Str,
};
use sky_accel_core::money::Count;
use smallvec::SmallVec;

use crate::Layer;

/// An offer as it is known so far.
pub(super) struct CollectedOffer {
    /// Without accelerators, regions and prices.
    pub row: Offer,
    /// One for each memory size that the name covers.
    pub groups: OfferGroups,
    pub regions: SmallVec<[RegionId; 2]>,
    /// The last layer that described it, and whether that was a row of a table.
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

/// Nearly every offer has one group, of one accelerator.
pub(super) type OfferGroups = SmallVec<[OfferGroup; 1]>;
pub(super) type AcceleratorIds = SmallVec<[AcceleratorId; 2]>;

/// A price of a listed offer.
pub(super) struct CollectedPrice {
    pub listed: u32,
    /// The memory size that it is for, which counts where the offer has several.
    pub memory_gb: Option<f64>,
    /// The part of the sources and the item in it: a later price replaces an earlier one.
    pub at: (u32, u32),
    pub price: Price,
}

/// All offers and prices of the sources.
#[derive(Default)]
pub(super) struct CollectedOffers {
    pub offers: Vec<CollectedOffer>,
    pub by_id: HashMap<(ProviderId, Str), u32>,
    pub prices: Vec<CollectedPrice>,
    /// The prices whose offers were not known yet: part and item.
    pub waiting: HashSet<(u32, u32)>,
    /// The prices that lists of offers made so far.
    pub of_lists: usize,
}

/// The regions that are known so far, in the order in which they were first named.
#[derive(Default)]
pub(super) struct CollectedRegions {
    pub by_name: HashMap<(ProviderId, Str), RegionId>,
    pub of_provider: HashMap<ProviderId, usize>,
}

/// The prices of an offer that hold: one replaces the earlier ones for the same thing, and one without a
/// region holds everywhere, so it replaces those of all regions.
#[derive(Default)]
pub(super) struct CurrentPrices {
    places: HashMap<PriceKey, usize>,
    pub prices: Vec<Price>,
}

impl CurrentPrices {
    pub fn find(&mut self, prices: impl DoubleEndedIterator<Item = Price>) {
        let Self {
            places,
            prices: current,
        } = self;
        places.clear();
        current.clear();
        let of = |price: &Price, region| -> PriceKey {
            (price.capacity, price.tier, price.count, region)
        };
        for price in prices.rev() {
            // Where the lowest of several zones counts, each may have a price of its own.
            let is_zone = price.statistic == Some(Statistic::LowestZone);
            match places.get(&of(&price, price.region)) {
                Some(at) if is_zone && is_of_one_answer(&price, &current[*at]) => {
                    if price.usd < current[*at].usd {
                        (current[*at].usd, current[*at].charged) = (price.usd, price.charged);
                    }
                }
                Some(_) => {}
                None if places.contains_key(&of(&price, None)) => {}
                None => {
                    places.insert(of(&price, price.region), current.len());
                    current.push(price);
                }
            }
        }
        current.reverse();
    }
}

/// The subject of a price: capacity type, tier, count and region.
type PriceKey = (CapacityType, u8, Option<Count>, Option<RegionId>);

fn is_of_one_answer(a: &Price, b: &Price) -> bool {
    (a.statistic, a.as_of, a.source) == (b.statistic, b.as_of, b.source)
}
