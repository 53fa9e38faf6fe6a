//! Prices that nobody charges, prices stated twice, and prices that are too old.

use sky_accel_core::catalog::{CapacityType, Offer, OfferId, Price, RegionId, Status};
use sky_accel_core::money::Count;
use sky_accel_core::text::number;

use super::{Linter, SAME, is_missing};
use crate::Layer;
use crate::schema::{self, Amount, Spanned};
use crate::source::Document;

/// US dollars for one accelerator and hour.
const PRICE: std::ops::RangeInclusive<f64> = 0.005..=150.0;
/// Nobody charges so many times more, or less, than everybody else.
const FAR: f64 = 20.0;
/// The most other machines that a price is compared with.
const MAX_SIBLINGS: usize = 64;

impl Linter<'_, '_> {
    pub(super) fn prices(&mut self, document: &Document) {
        for item in &document.content.price {
            for of in item.of() {
                self.price(document, item, of);
            }
        }
    }

    fn price(&mut self, document: &Document, item: &schema::Price, of: &Spanned<String>) {
        let memory_gb = item.memory_gb.as_ref().map(|gb| *gb.get_ref());
        let provider = item.provider.as_ref();
        let Some(id) = self.offer(document, provider, of, memory_gb) else {
            return;
        };
        if document.layer != Layer::EMBEDDED && is_missing(item.source.as_ref()) {
            self.say(document, of, "there is no `source`");
        }
        if let Some(date) = &item.as_of {
            self.future(document, date);
        }
        let Ok(schema::Stated {
            amount,
            is_each,
            currency,
        }) = item.stated()
        else {
            return;
        };
        let Some(rate) = self.rate(document, currency) else {
            return;
        };
        match amount.get_ref() {
            Amount::Everywhere(usd) => {
                self.amount(document, item, id, amount, is_each, None, usd * rate);
            }
            Amount::ByRegion(by_region) => {
                for (region, usd) in by_region {
                    self.amount(
                        document,
                        item,
                        id,
                        amount,
                        is_each,
                        Some(region),
                        usd * rate,
                    );
                }
            }
        }
        self.stale(document, item, id);
    }

    /// The dollars for one unit of a price's currency.
    fn rate(&mut self, document: &Document, currency: Option<&Spanned<String>>) -> Option<f64> {
        let Some(code) = currency.filter(|code| code.get_ref() != "USD") else {
            return Some(1.0);
        };
        let row = self.catalog.currency(code.get_ref());
        if row.is_none() {
            let message = format!(
                "no [[currency]] has a rate for {}: it is listed without a price",
                code.get_ref()
            );
            self.say(document, code, message);
        }
        row.map(|row| row.usd)
    }

    fn stale(&mut self, document: &Document, item: &schema::Price, id: OfferId) {
        if document.layer == Layer::EMBEDDED {
            return;
        }
        // A later price makes it history.
        let offer = self.catalog.offer(id);
        let Some(date) = &item.as_of else { return };
        let as_of = date.get_ref().as_str();
        let mut current = self.catalog.prices(&offer).iter();
        if !current.any(|price| self.catalog.str(price.as_of) == as_of) {
            return;
        }
        let provider = self.catalog.provider(offer.provider);
        let limit = i32::from(provider.price_max_age_days);
        if let Some(days) = (self.age)(as_of).filter(|days| *days > limit) {
            let name = self.catalog.str(provider.id);
            let message = format!("{days} days old: prices of {name} keep {limit} days");
            self.say(document, date, message);
        }
    }

    /// The prices that an offer has without the user's files.
    pub(super) fn shipped(&self, offer: &Offer) -> Vec<Price> {
        let (catalog, shipped) = (self.catalog, self.shipped);
        let (provider, id) = (catalog.provider_id(offer.provider), catalog.str(offer.id));
        let accelerator = catalog.accelerator_id(offer.accelerator);
        let Some(provider) = shipped.provider_named(provider) else {
            return Vec::new();
        };
        let same = shipped
            .offers_with_id(provider, id)
            .map(|id| shipped.offer(id));
        let same = same.filter(|other| shipped.accelerator_id(other.accelerator) == accelerator);
        same.flat_map(|other| shipped.prices(&other)).collect()
    }

    #[expect(clippy::too_many_arguments, reason = "one price of many")]
    fn amount(
        &mut self,
        document: &Document,
        item: &schema::Price,
        id: OfferId,
        at: &Spanned<Amount>,
        each: bool,
        region: Option<&String>,
        usd: f64,
    ) {
        let count = item
            .count
            .as_ref()
            .map(|count| *count.get_ref())
            .or(self.catalog.offer(id).count.map(Count::decimal))
            .unwrap_or(1.0);
        let (total, per_device) = if each {
            (usd * count, usd)
        } else {
            (usd, usd / count)
        };
        let stated = Stated {
            item,
            id,
            region,
            place: region.map(|name| format!(" in {name}")).unwrap_or_default(),
            count,
            usd,
            total,
            per_device,
        };
        let place = &stated.place;
        if is_placeholder(usd) || !PRICE.contains(&per_device) {
            let message = format!(
                "{}{place} looks like a placeholder, not like a price per hour",
                number(usd)
            );
            self.say(document, at, message);
            return;
        }
        // History is prices of several days; by its year alone a day is not known.
        let has_day = item.date().len() > 7;
        // A table has a row for each zone.
        if has_day && !document.has_rows && !self.stated.insert(stated.key(document.layer)) {
            let message = format!("the price{place} of that day is stated twice");
            self.say(document, at, message);
        }
        let message = self.bid(&stated).or_else(|| self.other_currency(&stated));
        let message = message.or_else(|| {
            if item.capacity_type.get_ref() == "spot" {
                self.above_on_demand(&stated)
            } else {
                self.windows(&stated)
                    .or_else(|| self.far_from_usual(&stated))
                    .or_else(|| self.of_other_count(&stated))
                    .or_else(|| self.far_from_before(&stated))
            }
        });
        if let Some(message) = message {
            self.say(document, at, message);
        }
    }

    /// Says that a spot price is above the on-demand price.
    fn above_on_demand(&self, stated: &Stated<'_>) -> Option<String> {
        let catalog = self.catalog;
        let offer = catalog.offer(stated.id);
        let item = stated.item;
        let is_same_place = |price: &Price| {
            let region = price.region.map(|id: RegionId| catalog.region_id(id));
            let stated = stated.region;
            region.is_none() || stated.is_none_or(|name| region == Some(name))
        };
        let is_same_tier = |price: &Price| {
            let stated = item.tier.as_ref().map_or("", |tier| tier.get_ref());
            let tiers = catalog.provider(offer.provider).tiers;
            let tier = catalog.strings(tiers).nth(price.tier.into()).unwrap_or("");
            stated.is_empty() || tier == stated
        };
        let is_same_count = |price: &Price| {
            item.count.is_none()
                || price
                    .count
                    .is_some_and(|count| (count.decimal() - stated.count).abs() < 1e-6)
        };
        let on_demand = catalog
            .prices(&offer)
            .iter()
            .filter(|price| price.capacity == CapacityType::OnDemand)
            .filter(is_same_place)
            .filter(is_same_tier)
            .filter(is_same_count);
        // The same amount is what a market charges when nobody else bids.
        let highest = on_demand
            .map(|price| stated.whole(&price))
            .fold(f64::NAN, f64::max);
        (stated.total > highest * (1.0 + SAME)).then(|| {
            format!(
                "spot{} for {} is above on-demand for {}",
                stated.place,
                number(stated.total),
                number(highest)
            )
        })
    }

    /// Whether the program has the provider of an offer without the user's files.
    pub(super) fn is_known(&self, offer: &Offer) -> bool {
        let provider = self.catalog.provider_id(offer.provider);
        self.shipped.provider_named(provider).is_some()
    }

    /// Says that nobody charges so much, or so little, for a device.
    fn far_from_usual(&self, stated: &Stated<'_>) -> Option<String> {
        let offer = self.catalog.offer(stated.id);
        // What a private machine costs is its owner's business.
        if !self.is_known(&offer) {
            return None;
        }
        let (low, high) = self.usual(&offer)?;
        (!(low / FAR..=high * FAR).contains(&stated.per_device)).then(|| {
            format!(
                "{}{} for one device is far from what others charge, {} to {}: a placeholder, or another unit",
                number(stated.per_device),
                stated.place,
                number(low),
                number(high)
            )
        })
    }

    /// Says that a price of one device is stated as that of the whole machine, or the other way.
    fn of_other_count(&self, stated: &Stated<'_>) -> Option<String> {
        let Stated {
            place, count, usd, ..
        } = stated;
        // Of a market each count has a price of its own.
        if *count <= 1.0 || stated.item.count.is_some() {
            return None;
        }
        let offer = self.catalog.offer(stated.id);
        let others = self
            .catalog
            .prices(&offer)
            .iter()
            .chain(self.shipped(&offer));
        // Twice the price of another region is not unheard of.
        let is_here = |price: &Price| {
            let region = price.region.map(|id: RegionId| self.catalog.region_id(id));
            *count > 2.0 || stated.region.map(String::as_str) == region
        };
        let others = others
            .filter(|price| price.capacity == CapacityType::OnDemand && price.count.is_none())
            .filter(is_here)
            .map(|price| stated.whole(&price))
            .filter(|other| (other - stated.total).abs() > stated.total * SAME);
        let siblings = if self.is_known(&offer) {
            Vec::new()
        } else {
            self.siblings(stated.id)
        };
        let siblings = siblings.into_iter().map(|each| each * count);
        others.chain(siblings).find_map(|other| {
            let ratio = stated.total / other;
            if (ratio - count).abs() <= count * SAME {
                Some(format!(
                    "{}{place} is the price of the whole machine, not of one of its {}",
                    number(*usd),
                    number(*count)
                ))
            } else if (ratio * count - 1.0).abs() <= SAME {
                Some(format!(
                    "{}{place} is the price of one device: `usd_per_accelerator_hour`",
                    number(*usd)
                ))
            } else {
                None
            }
        })
    }

    /// The on-demand prices of one device in other machines of the same provider.
    pub(super) fn siblings(&self, id: OfferId) -> Vec<f64> {
        let catalog = self.catalog;
        let offer = catalog.offer(id);
        let is_sibling = |other: &Offer| {
            other.provider == offer.provider
                && other.accelerator == offer.accelerator
                && other.status != Status::Retired
        };
        let each = |other: Offer| -> Vec<f64> {
            let Some(count) = other.count else {
                return Vec::new();
            };
            let prices = catalog.prices(&other).iter();
            prices
                .filter(|price| price.capacity == CapacityType::OnDemand && price.count.is_none())
                .map(|price| {
                    let usd = price.usd.decimal();
                    if price.per_accelerator {
                        usd
                    } else {
                        usd / count.decimal()
                    }
                })
                .collect()
        };
        let others = catalog
            .offers_of(offer.accelerator)
            .filter(|other| *other != id);
        let others = others.map(|other| catalog.offer(other)).filter(is_sibling);
        others.take(MAX_SIBLINGS).flat_map(each).collect()
    }

    /// The lowest and the highest that one device of an offer costs on demand, as shipped.
    pub(super) fn usual(&self, offer: &Offer) -> Option<(f64, f64)> {
        let shipped = self.shipped;
        let name = self.catalog.accelerator_id(offer.accelerator);
        let device = shipped
            .accelerator_ids()
            .find(|id| shipped.accelerator_id(*id) == name)?;
        let of_device = |other: &Offer| {
            let is_same_provider =
                shipped.provider_id(other.provider) == self.catalog.provider_id(offer.provider);
            (other.status != Status::Retired || is_same_provider) && other.accelerator == device
        };
        let each = |other: &Offer, price: &Price| {
            let count = price.count.or(other.count).unwrap_or(Count::ONE);
            let usd = price.usd.decimal();
            if price.per_accelerator {
                usd
            } else {
                usd / count.decimal()
            }
        };
        let mut range: Option<(f64, f64)> = None;
        let others = shipped.offers_of(device).map(|id| shipped.offer(id));
        for other in others.filter(of_device) {
            let prices = shipped.prices(&other).iter();
            for price in prices.filter(|price| price.capacity == CapacityType::OnDemand) {
                let usd = each(&other, &price);
                range = Some(range.map_or((usd, usd), |(low, high)| (low.min(usd), high.max(usd))));
            }
        }
        range
    }
}

/// One amount of a price, of one region or of all of them.
pub(super) struct Stated<'p> {
    pub item: &'p schema::Price,
    pub id: OfferId,
    pub region: Option<&'p String>,
    /// The region in words, empty without one.
    pub place: String,
    /// The devices that the price is for.
    pub count: f64,
    /// As the file has it, for all devices, and for one of them, in US dollars per hour.
    pub usd: f64,
    pub total: f64,
    pub per_device: f64,
}

impl Stated<'_> {
    /// Tells prices apart that may stand beside each other.
    fn key(&self, layer: Layer) -> String {
        let Self {
            item, id, region, ..
        } = self;
        format!(
            "{} {id:?} {} {} {} {:?} {region:?} {:?} {}",
            layer.0,
            // What an aggregator says stands beside the provider's own word.
            item.quality.as_ref().map_or("", |word| word.get_ref()),
            item.capacity_type.get_ref(),
            item.tier.as_ref().map_or("", |tier| tier.get_ref()),
            item.count.as_ref().map(|count| *count.get_ref()),
            item.statistic.as_ref().map(Spanned::get_ref),
            item.date(),
        )
    }

    /// A price of the same offer, in US dollars per hour for as many devices.
    pub(super) fn whole(&self, price: &Price) -> f64 {
        let usd = price.usd.decimal();
        if price.per_accelerator {
            usd * self.count
        } else {
            usd
        }
    }
}

/// Numbers that people type where they know none: 700, 999, 9999, 1234.
fn is_placeholder(usd: f64) -> bool {
    if (500.0..1000.0).contains(&usd) && usd % 100.0 == 0.0 {
        return true;
    }
    let digits: String = number(usd).chars().filter(char::is_ascii_digit).collect();
    let nines = digits.len() >= 3 && digits.bytes().all(|b| b == b'9');
    usd >= 900.0 && (nines || matches!(digits.as_str(), "1234" | "12345" | "123456"))
}

#[cfg(test)]
mod tests {
    use super::is_placeholder;

    #[test]
    fn a_placeholder_is_large_and_has_the_digits_of_one() {
        for usd in [700.0, 999.0, 9999.0, 999.99, 1234.0, 12_345.0, 1234.56] {
            assert!(is_placeholder(usd), "{usd}");
        }
        for usd in [0.99, 9.99, 99.99, 990.0, 1000.0, 1235.0, 9998.0, 123.4] {
            assert!(!is_placeholder(usd), "{usd}");
        }
    }
}
