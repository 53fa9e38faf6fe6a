//! The likely price of today, from a stated price, its age, and the market.
//!
//! The cheapest of many old prices is the most wrong of them. A price therefore moves toward the median of recent
//! prices of the same accelerator as it gets older: `likely = stated^w × median^(1 - w)`. The catalog has the
//! coefficients, with their sources.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::BTreeMap;
use std::sync::Arc;

use super::drift::{Constants, Drift};
use super::verdict::Reason;
use crate::catalog::{
    AcceleratorId, CapacityType, Catalog, Offer, OfferId, Price, PriceKind, ProviderId, Quality,
    Status, Str,
};
use crate::money::{Count, Usd};

/// A price of today may have the date of tomorrow in another time zone.
const TIME_ZONE_DAYS: i32 = 1;
/// The number of offers of an accelerator from which its median is computed. More do not change it much, and an
/// overlay may have millions.
const SAMPLE: usize = 4096;

/// The mean length of a month in days.
const MONTH: f64 = 30.44;

/// The number of days that a price counts as evidence of plausible prices.
const YEAR: f64 = 365.0;

crate::words! {
    /// The price that ranks and limits machines.
    #[derive(Default)]
    pub enum PriceBasis {
        /// The likely price of today.
        #[default]
        Likely = "likely",
        /// The price as its source states it, whatever its age.
        Stated = "stated",
    }
}

/// The likely price of today, in USD per hour for the whole machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LikelyPrice {
    /// The best estimate.
    pub usd: Usd,
    /// The width of the band around it, in millionths of the estimate.
    band: u32,
}

impl LikelyPrice {
    /// A price that is certain.
    pub fn exactly(usd: Usd) -> Self {
        Self { usd, band: 0 }
    }

    /// The lower end of the band that holds four of five prices.
    pub fn low(self) -> Usd {
        self.scaled(1.0 / self.width())
    }

    /// The upper end of the band.
    pub fn high(self) -> Usd {
        self.scaled(self.width())
    }

    fn width(self) -> f64 {
        1.0 + f64::from(self.band) / 1e6
    }

    fn scaled(self, factor: f64) -> Usd {
        match self.band {
            0 => self.usd,
            _ => Usd::from_decimal(rounded(self.usd.decimal() * factor)).unwrap_or(self.usd),
        }
    }
}

/// Estimates the prices of today of one catalog.
#[derive(Clone, Debug, Default)]
pub struct LikelyPrices {
    /// The number of the day of the estimated prices.
    today: i32,
    basis: PriceBasis,
    /// The maximum age of a price in days.
    max_age_days: Option<i32>,
    constants: OnceCell<Constants>,
    /// The last date, since the prices of an offer are often of one day.
    last_day: Cell<Option<(Str, Option<i32>)>>,
    /// The last provider, since a search goes through the offers of one after another.
    last_seller: Cell<Option<Seller>>,
    /// The last estimate, since the prices of an offer often differ in nothing but the region.
    last_estimate: Cell<Option<(EstimateKey, Estimate)>>,
    markets: RefCell<BTreeMap<AcceleratorId, Arc<Markets>>>,
}

/// The properties of a provider that its prices depend on.
#[derive(Clone, Copy, Debug)]
struct Seller {
    id: ProviderId,
    is_hyperscaler: bool,
    /// The maximum age in days of a price that counts as the price of today.
    keep_days: i32,
}

/// The properties of a price that its estimate depends on, besides the amount.
#[derive(Clone, Copy, Debug, PartialEq)]
struct EstimateKey {
    provider: ProviderId,
    accelerator: AcceleratorId,
    has_whole_devices: bool,
    as_of: Str,
    kind: PriceKind,
    capacity: CapacityType,
    /// The offer of a spot price, whose host the estimate depends on, by the first row of its prices.
    spot_prices: Option<u32>,
}

/// How far the price of today may be from a stated price.
#[derive(Clone, Copy, Debug)]
struct Estimate {
    /// The weight of the stated price against the median, if it moves.
    weight: f64,
    /// The median toward which it moves, in USD per hour for one device.
    median: Option<f64>,
    /// The width of the band, in millionths of the estimate.
    band: u32,
}

impl Estimate {
    /// The estimate of a price that is certain.
    const CERTAIN: Self = Self {
        weight: 1.0,
        median: None,
        band: 0,
    };
}

/// The recent prices of an accelerator, in USD per hour for one device.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Market {
    /// The median without hyperscalers, which charge several times the price of other clouds.
    median: Option<f64>,
    /// The median of hyperscalers.
    median_of_hyperscalers: Option<f64>,
    /// The median of all providers.
    median_of_all: Option<f64>,
    /// The lowest price of the last twelve months without hyperscalers, with its provider.
    lowest: Option<(f64, ProviderId)>,
    /// The lowest price of the last twelve months of another provider.
    second: Option<f64>,
}

/// The markets of an accelerator.
#[derive(Clone, Debug)]
struct Markets {
    /// On demand and spot.
    of_capacity: [Market; 2],
    /// The lowest price on demand of each provider, in USD per hour for one device; ordered by provider.
    lowest_on_demand: Vec<(ProviderId, f64)>,
}

impl Markets {
    fn of(sellers: &[SellerPrices]) -> Self {
        let on_demand = sellers.iter().map(|seller| {
            let lowest = seller.lowest[CapacityType::OnDemand as usize];
            (seller.id, lowest.all)
        });
        Self {
            of_capacity: [CapacityType::OnDemand, CapacityType::Spot]
                .map(|capacity| Market::of(sellers, capacity)),
            lowest_on_demand: on_demand.filter(|(_, usd)| usd.is_finite()).collect(),
        }
    }

    /// Returns how many times the provider's lowest price on demand an offer costs: more than 1 for machines whose
    /// hosts are larger than its accelerators need.
    fn host_premium(&self, catalog: &Catalog<'_>, offer: &Offer) -> f64 {
        let lowest = &self.lowest_on_demand;
        let at = lowest.binary_search_by_key(&offer.provider, |(id, _)| *id);
        let lowest = at.ok().map(|at| lowest[at].1);
        // Under a commitment, the offer has no price on demand any more.
        let is_it = |id: &OfferId| catalog.offer(*id).prices.start == offer.prices.start;
        let replaced = catalog
            .commitment_filter()
            .and_then(|_| catalog.offers_of(offer.accelerator).find(is_it));
        let offer = &replaced.map_or(*offer, |id| catalog.uncommitted(id));
        let prices = catalog.prices(offer).iter();
        let on_demand =
            prices.filter(|price| price.capacity == CapacityType::OnDemand && price.is_of_market());
        let on_demand = on_demand.map(|price| price.of_one(offer.count).decimal());
        let own = on_demand.filter(|usd| *usd > 0.0).min_by(f64::total_cmp);
        own.zip(lowest)
            .map_or(1.0, |(own, lowest)| (own / lowest).max(1.0))
    }
}

/// The lowest prices of a provider, on demand and spot.
struct SellerPrices {
    id: ProviderId,
    is_hyperscaler: bool,
    lowest: [LowestPrices; 2],
}

/// The lowest prices of one kind, in USD per hour for one device.
#[derive(Clone, Copy)]
struct LowestPrices {
    recent: f64,
    of_a_year: f64,
    all: f64,
}

impl LikelyPrices {
    /// Makes an estimator for a day, such as `2026-11-26`. An unreadable day estimates the prices as stated.
    pub fn on(today: &str) -> Self {
        Self {
            today: day_number(today.as_bytes()).unwrap_or(i32::MIN),
            ..Self::default()
        }
    }

    /// Sets whether stated prices are taken as the prices of today.
    #[must_use]
    pub fn with_basis(self, basis: PriceBasis) -> Self {
        Self { basis, ..self }
    }

    /// Sets the maximum age of prices. Prices that are older or have no date do not apply.
    #[must_use]
    pub fn not_older_than(self, days: Option<i32>) -> Self {
        Self {
            max_age_days: days,
            ..self
        }
    }

    /// Returns whether a price is older than the maximum age. A contract holds until it is changed.
    pub fn is_too_old(&self, catalog: &Catalog<'_>, price: &Price) -> bool {
        self.max_age_days.is_some_and(|max| {
            // A date in the future says nothing about the age.
            !matches!(price.kind, PriceKind::Live | PriceKind::Contract)
                && self
                    .age_days(catalog, price)
                    .is_none_or(|days| !(-TIME_ZONE_DAYS..=max).contains(&days))
        })
    }

    /// Returns whether prices have a maximum age.
    pub fn has_max_age(&self) -> bool {
        self.max_age_days.is_some()
    }

    /// Returns the age of a price in days; `None` if its date is unknown. A month or a year without a day counts
    /// from its first day.
    pub fn age_days(&self, catalog: &Catalog<'_>, price: &Price) -> Option<i32> {
        let day = match self.last_day.get() {
            Some((date, day)) if date == price.as_of => day,
            _ => {
                let day = day_number(catalog.pool.bytes_of(price.as_of));
                self.last_day.set(Some((price.as_of, day)));
                day
            }
        };
        self.today.checked_sub(day?)
    }

    fn seller(&self, catalog: &Catalog<'_>, id: ProviderId) -> Seller {
        if let Some(seller) = self.last_seller.get().filter(|seller| seller.id == id) {
            return seller;
        }
        let provider = catalog.provider(id);
        let seller = Seller {
            id,
            is_hyperscaler: catalog.is_hyperscaler(&provider),
            keep_days: provider.price_max_age_days.into(),
        };
        self.last_seller.set(Some(seller));
        seller
    }

    /// Estimates the price of today of `count` accelerators of an offer, from a stated price.
    pub fn of(
        &self,
        catalog: &Catalog<'_>,
        offer: &Offer,
        price: &Price,
        count: Count,
    ) -> LikelyPrice {
        let stated = price.of_machine(count);
        let estimate = self.estimate(catalog, offer, price);
        let median = estimate.median.map(|median| median * count.decimal());
        let least = self.constants(catalog).least_move;
        let moved = moved(stated.decimal(), median, estimate.weight, least);
        let moved = moved.and_then(|usd| Usd::from_decimal(rounded(usd)));
        LikelyPrice {
            usd: moved.unwrap_or(stated),
            band: estimate.band,
        }
    }

    fn estimate(&self, catalog: &Catalog<'_>, offer: &Offer, price: &Price) -> Estimate {
        let key = EstimateKey {
            provider: offer.provider,
            accelerator: offer.accelerator,
            has_whole_devices: offer.has_whole_devices(),
            as_of: price.as_of,
            kind: price.kind,
            capacity: price.capacity,
            spot_prices: (price.capacity == CapacityType::Spot).then_some(offer.prices.start),
        };
        match self.last_estimate.get() {
            Some((last, estimate)) if last == key => estimate,
            _ => {
                let estimate = self.new_estimate(catalog, key, offer, price);
                let estimate = estimate.unwrap_or(Estimate::CERTAIN);
                self.last_estimate.set(Some((key, estimate)));
                estimate
            }
        }
    }

    /// Returns `None` if the stated price is the price of today.
    fn new_estimate(
        &self,
        catalog: &Catalog<'_>,
        key: EstimateKey,
        offer: &Offer,
        price: &Price,
    ) -> Option<Estimate> {
        if self.basis == PriceBasis::Stated {
            return None;
        }
        let days = self.age_days(catalog, price)?;
        let seller = self.seller(catalog, key.provider);
        let drift = Drift::of(price, seller.is_hyperscaler)?;
        let constants = &self.constants(catalog).drifts[drift as usize];
        let months = f64::from(days.max(0)) / MONTH;
        let has_moved = days > seller.keep_days && constants.moves() && key.has_whole_devices;
        let median = || {
            let median = self.market(catalog, key.accelerator, key.capacity);
            let median = median.median_for(drift)?;
            // The market's prices are of machines with small hosts.
            let premium = match key.capacity {
                CapacityType::OnDemand => 1.0,
                CapacityType::Spot => self
                    .markets(catalog, key.accelerator)
                    .host_premium(catalog, offer),
            };
            Some(median * premium)
        };
        Some(Estimate {
            weight: constants.weight(months),
            median: has_moved.then(median).flatten(),
            band: (constants.band(months) * 1e6) as u32,
        })
    }

    /// Returns the reasons to doubt a price.
    pub fn doubts(
        &self,
        catalog: &Catalog<'_>,
        offer: &Offer,
        price: &Price,
        count: Count,
        stated: Usd,
    ) -> impl Iterator<Item = Reason> + use<> {
        let seller = self.seller(catalog, offer.provider);
        let is_certain = matches!(
            price.kind,
            PriceKind::Live | PriceKind::Contract | PriceKind::Committed
        );
        let age = self.age_days(catalog, price);
        let constants = self.constants(catalog);
        let is_after = |limit: Option<f64>| {
            let days = age.map(f64::from);
            days.zip(limit).is_some_and(|(days, limit)| days > limit)
        };
        let (third_party, outdated) = (constants.third_party_days, constants.outdated_days);
        let is_old = age.is_some_and(|days| days > seller.keep_days);
        // The lowest offer of a marketplace is one machine, which may be gone soon.
        let is_past_offer = price.kind == PriceKind::Snapshot;
        // Even what a provider said says little after so long, and an estimate was never a price. Lists of hyperscalers
        // hardly move.
        let is_steady = seller.is_hyperscaler && price.kind == PriceKind::List;
        // Third parties copy each other: two of them confirm a price only for some months.
        let is_hearsay = price.quality != Quality::Provider
            && (price.sources < 2 || !is_steady && is_after(third_party));
        let has_one_source = price.kind == PriceKind::Estimate || price.sources < 2;
        let is_outdated = is_after(outdated) && has_one_source && !is_steady;
        // A year alone hides up to twelve months of changes.
        let has_no_month = catalog.pool.bytes_of(price.as_of).len() < "2026-01".len();
        let is_from_past = age.is_some_and(|days| days >= -TIME_ZONE_DAYS);
        // The clock that dates live prices is not the one of this machine.
        let is_future =
            price.kind != PriceKind::Live && age.is_some_and(|days| days < -TIME_ZONE_DAYS);
        let is_unconfirmed =
            !is_from_past || is_old && (is_past_offer || is_hearsay || has_no_month || is_outdated);
        let is_contract = price.kind == PriceKind::Contract;
        let market = self.market(catalog, offer.accelerator, price.capacity);
        let others = match market.lowest {
            Some((_, cheapest)) if cheapest == offer.provider => market.second,
            lowest => lowest.map(|(usd, _)| usd),
        };
        let plausible = self.constants(catalog).implausible_below;
        let floor = others.zip(plausible).map(|(usd, share)| usd * share);
        let is_implausible = offer.has_whole_devices()
            && count.0 > 0
            && floor.is_some_and(|floor| stated.per(count).decimal() < floor);
        [
            (is_old && !is_certain, Reason::OldPrice),
            (
                is_future
                    || is_unconfirmed && !is_certain
                    || price.quality.is_weak() && !is_contract,
                Reason::UnconfirmedPrice,
            ),
            (
                is_implausible && !is_contract && price.kind != PriceKind::Committed,
                Reason::ImplausiblePrice,
            ),
        ]
        .into_iter()
        .filter_map(|(applies, reason)| applies.then_some(reason))
    }

    /// Returns a lower bound of the likely prices of an accelerator's machines at this or a higher stated price.
    pub(super) fn at_least(
        &self,
        catalog: &Catalog<'_>,
        accelerator: AcceleratorId,
        capacity: CapacityType,
        count: Count,
        stated: Usd,
    ) -> Usd {
        let market = self.market(catalog, accelerator, capacity);
        let medians = [
            market.median,
            market.median_of_hyperscalers,
            market.median_of_all,
        ];
        let of_all = medians.into_iter().flatten();
        let of_all = of_all.filter_map(|median| Usd::from_decimal(median * count.decimal()));
        // The estimate lies between the stated price and a median.
        of_all.min().map_or(stated, |median| median.min(stated))
    }

    fn constants(&self, catalog: &Catalog<'_>) -> &Constants {
        self.constants.get_or_init(|| Constants::of(catalog))
    }

    /// Returns the median of recent prices of one accelerator, toward which a price moves; `None` without prices.
    pub fn median(&self, catalog: &Catalog<'_>, offer: &Offer, price: &Price) -> Option<f64> {
        let drift = Drift::of(price, self.seller(catalog, offer.provider).is_hyperscaler)?;
        let market = self.market(catalog, offer.accelerator, price.capacity);
        market.median_for(drift)
    }

    fn market(
        &self,
        catalog: &Catalog<'_>,
        accelerator: AcceleratorId,
        capacity: CapacityType,
    ) -> Market {
        self.markets(catalog, accelerator).of_capacity[capacity as usize]
    }

    fn markets(&self, catalog: &Catalog<'_>, accelerator: AcceleratorId) -> Arc<Markets> {
        if let Some(markets) = self.markets.borrow().get(&accelerator) {
            return Arc::clone(markets);
        }
        let markets = Arc::new(self.observed(catalog, accelerator));
        let entry = Arc::clone(&markets);
        self.markets.borrow_mut().insert(accelerator, entry);
        markets
    }

    /// Computes the medians and the lowest prices.
    fn observed(&self, catalog: &Catalog<'_>, accelerator: AcceleratorId) -> Markets {
        let recent_days = self.constants(catalog).recent_days;
        // Ordered by provider. Most offers of a provider follow one another.
        let mut sellers: Vec<SellerPrices> = Vec::new();
        for sold in catalog.sold(accelerator).iter().take(SAMPLE) {
            let offer = catalog.offer(sold.offer);
            // A name that covers several accelerators has the price of the cheapest.
            let has_one_name = offer.accelerators.len == 1;
            if !has_one_name || !offer.has_whole_devices() || offer.status == Status::Retired {
                continue;
            }
            let place = match sellers.last() {
                Some(last) if last.id == offer.provider => Ok(sellers.len() - 1),
                _ => sellers.binary_search_by_key(&offer.provider, |seller| seller.id),
            };
            let at = place.unwrap_or_else(|at| {
                sellers.insert(at, SellerPrices::of(self.seller(catalog, offer.provider)));
                at
            });
            // The market is the same for requests with a commitment.
            for price in catalog.market_prices(sold.offer) {
                let each = price.of_one(offer.count).decimal();
                if each > 0.0 {
                    let days = self.age_days(catalog, &price).map(f64::from);
                    sellers[at].lowest[price.capacity as usize].add(each, days, recent_days);
                }
            }
        }
        Markets::of(&sellers)
    }
}

impl SellerPrices {
    fn of(seller: Seller) -> Self {
        Self {
            id: seller.id,
            is_hyperscaler: seller.is_hyperscaler,
            lowest: [LowestPrices::NONE; 2],
        }
    }
}

impl LowestPrices {
    const NONE: Self = Self {
        recent: f64::INFINITY,
        of_a_year: f64::INFINITY,
        all: f64::INFINITY,
    };

    /// Adds a price of an age in days.
    fn add(&mut self, each: f64, days: Option<f64>, recent_days: f64) {
        self.all = self.all.min(each);
        if days.is_some_and(|days| days <= YEAR) {
            self.of_a_year = self.of_a_year.min(each);
        }
        if days.is_some_and(|days| days <= recent_days) {
            self.recent = self.recent.min(each);
        }
    }
}

impl Market {
    /// Returns the market in which sellers have these lowest prices.
    fn of(sellers: &[SellerPrices], capacity: CapacityType) -> Self {
        let of_kind = |is_meant: &dyn Fn(bool) -> bool| {
            let sellers = sellers.iter();
            let prices = sellers.filter(|seller| is_meant(seller.is_hyperscaler));
            let prices = prices.map(|seller| (seller.id, seller.lowest[capacity as usize]));
            let prices = prices.filter(|(_, lowest)| lowest.all.is_finite());
            prices.collect::<Vec<_>>()
        };
        let (of_hyperscalers, of_others) = (
            of_kind(&|is_hyperscaler| is_hyperscaler),
            of_kind(&|is_hyperscaler| !is_hyperscaler),
        );
        let median_of_all = center(&[&of_hyperscalers, &of_others]);
        let median = |of: &[(ProviderId, LowestPrices)]| match of {
            [] | [_] => median_of_all,
            of => center(&[of]),
        };
        let (mut lowest, mut second) = (None, None);
        for (id, LowestPrices { of_a_year: usd, .. }) in &of_others {
            if !usd.is_finite() {
                continue;
            }
            match lowest {
                Some((least, _)) if *usd >= least => {
                    second = Some(second.map_or(*usd, |second: f64| second.min(*usd)));
                }
                _ => {
                    second = lowest.map(|(least, _)| least);
                    lowest = Some((*usd, *id));
                }
            }
        }
        Self {
            median: median(&of_others),
            median_of_hyperscalers: median(&of_hyperscalers),
            median_of_all,
            lowest,
            second,
        }
    }

    /// Returns the median that prices of a kind move toward. The weights of marketplaces are fitted to the median of
    /// all providers, the others to providers of the same kind.
    fn median_for(&self, drift: Drift) -> Option<f64> {
        match drift {
            Drift::HyperscalerList | Drift::HyperscalerSpot => self.median_of_hyperscalers,
            Drift::List => self.median,
            Drift::Snapshot => self.median_of_all,
        }
    }
}

/// Returns the median of the recent prices or, if fewer than two providers have any, of those of the last year; `None` if
/// fewer than two have these. Older prices say nothing about the market of today.
fn center(lowest: &[&[(ProviderId, LowestPrices)]]) -> Option<f64> {
    let lowest = || lowest.iter().copied().flatten().map(|(_, lowest)| lowest);
    let known = |usd: fn(&LowestPrices) -> f64| {
        let prices = lowest().map(usd).filter(|usd| usd.is_finite());
        let prices: Vec<f64> = prices.collect();
        (prices.len() > 1).then_some(prices)
    };
    let prices = known(|of| of.recent).or_else(|| known(|of| of.of_a_year));
    median(prices?)
}

/// Rounds an estimate to four significant digits.
fn rounded(usd: f64) -> f64 {
    if usd <= 0.0 {
        return usd;
    }
    let scale = 10_f64.powf(3.0 - usd.log10().floor());
    (usd * scale).round() / scale
}

/// Moves a price toward the median of the market; `None` if the market or the price is unknown, or the move is too small.
fn moved(stated: f64, median: Option<f64>, weight: f64, least_move: f64) -> Option<f64> {
    let median = median.filter(|median| weight < 1.0 && stated > 0.0 && *median > 0.0)?;
    let likely = stated.powf(weight) * median.powf(1.0 - weight);
    ((likely / stated - 1.0).abs() >= least_move).then_some(likely)
}

/// Returns the median; `None` of nothing.
fn median(mut values: Vec<f64>) -> Option<f64> {
    let middle = values.len() / 2;
    let is_even = values.len().is_multiple_of(2);
    if values.is_empty() {
        return None;
    }
    let (below, upper, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    let lower = below.iter().copied().max_by(f64::total_cmp);
    let lower = lower.filter(|_| is_even).unwrap_or(*upper);
    Some(f64::midpoint(lower, *upper))
}

/// Returns the number of the day of a date, from an arbitrary origin. A missing month or day is the first, and a time
/// after the day is ignored. `None` if the text is not a date.
fn day_number(date: &[u8]) -> Option<i32> {
    let number = |from: usize, to: usize| -> Option<i32> {
        let digits = date.get(from..to)?;
        digits.iter().try_fold(0, |number, digit| {
            digit
                .is_ascii_digit()
                .then(|| number * 10 + i32::from(digit - b'0'))
        })
    };
    let year = number(0, 4)?;
    let month = if date.len() >= 7 { number(5, 7)? } else { 1 };
    let day = if date.len() >= 10 { number(8, 10)? } else { 1 };
    // Years begin in March, so that the leap day is the last day.
    let (year, month) = if month > 2 {
        (year, month - 3)
    } else {
        (year - 1, month + 9)
    };
    let leap_days = year.div_euclid(4) - year.div_euclid(100) + year.div_euclid(400);
    Some(year * 365 + leap_days + (153 * month + 2) / 5 + day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_days_between_dates() {
        let days = |a: &str, b: &str| {
            day_number(b.as_bytes()).unwrap() - day_number(a.as_bytes()).unwrap()
        };
        assert_eq!(days("2026-11-26", "2026-11-27"), 1);
        assert_eq!(days("2024-02-28", "2024-03-01"), 2);
        assert_eq!(days("2023-02-28", "2023-03-01"), 1);
        assert_eq!(days("2026", "2026-11-27"), 330);
        assert_eq!(days("2026-11", "2026-11-27T10:00:00Z"), 26);
        assert_eq!(day_number(b"soon"), None);
        assert_eq!(day_number(b""), None);
    }

    #[test]
    fn small_moves_do_not_count() {
        let moved = |least_move| moved(1.0, Some(1.0201), 0.5, least_move);
        assert!(moved(0.009).is_some_and(|likely| (likely - 1.01).abs() < 1e-9));
        assert_eq!(moved(0.011), None);
    }

    #[test]
    fn takes_the_middle_of_an_even_number_of_prices() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), Some(2.0));
        assert_eq!(median(vec![4.0, 1.0]), Some(2.5));
        assert_eq!(median(vec![]), None);
    }

    #[test]
    fn prices_older_than_a_year_are_no_market() {
        let seller = |id, ages: &[(f64, f64)]| {
            let mut lowest = LowestPrices::NONE;
            for (usd, days) in ages {
                lowest.add(*usd, Some(*days), 92.0);
            }
            (ProviderId(id), lowest)
        };
        let center = |sellers: &[(ProviderId, LowestPrices)]| center(&[sellers]);
        let (old, older) = (seller(0, &[(0.4, 480.0)]), seller(1, &[(0.5, 730.0)]));
        let of_a_year = seller(2, &[(3.0, 300.0)]);
        let recent = seller(3, &[(2.0, 92.0), (1.0, 93.0)]);
        assert_eq!(center(&[old, older]), None);
        assert_eq!(center(&[old, recent]), None);
        assert_eq!(center(&[old, of_a_year, recent]), Some(2.0));
        assert_eq!(center(&[recent, seller(4, &[(4.0, 0.0)])]), Some(3.0));
    }

    #[test]
    fn estimates_have_four_digits() {
        assert!((rounded(16.027_335) - 16.03).abs() < 1e-9);
        assert!((rounded(0.322_798) - 0.3228).abs() < 1e-9);
        assert!((rounded(113.932_8) - 113.9).abs() < 1e-9);
        assert!(rounded(0.0).abs() < 1e-9);
    }
}
