//! Implausible prices, duplicate prices, and prices that are too old.

use std::hash::{DefaultHasher, Hash, Hasher};

use sky_accel_core::catalog::{OfferId, Price, PriceKind, Quality, Sells};
use sky_accel_core::money::Count;
use sky_accel_core::suggest;
use sky_accel_core::text::number;

use super::peers::{Peers, whole};
use super::usual::is_price;
use super::{Linter, SAME, is_missing};
use crate::Layer;
use crate::schema::{self, HourlyAmount, Spanned};
use crate::source::CatalogDocument;

/// The words of sources whose figures were made for tests, or copied for them on some day.
const MADE_UP: [&str; 9] = [
    "fixture", "fixtures", "mock", "mocks", "mocked", "stub", "stubs", "dummy", "fake",
];

/// The factor above the median of other providers from which a price of one device looks like the price of its machine.
const FAR_ABOVE: f64 = 4.0;
/// The same above the highest price of the provider itself.
const FAR_ABOVE_OWN: f64 = 1.5;
/// The minimum number of devices of a machine whose price is that far above the price of one.
const MIN_DEVICES: f64 = 4.0;

impl Linter<'_, '_> {
    pub(super) fn prices(&mut self, document: &CatalogDocument) {
        for item in &document.content.price {
            for of in item.offer_ids() {
                self.price(document, item, of);
            }
        }
    }

    fn price(
        &mut self,
        document: &CatalogDocument,
        item: &schema::PriceEntry,
        of: &Spanned<String>,
    ) {
        let memory_gb = item.memory_gb.as_ref().map(|gb| *gb.get_ref());
        let provider = item.provider.as_ref();
        let Some(id) = self.offer(document, provider, of, memory_gb) else {
            return;
        };
        if !document.layer.is_embedded() && is_missing(item.source.as_ref()) {
            self.report(document, of, "`source` is missing");
        }
        self.made_up(document, item);
        if let Some(date) = &item.as_of {
            self.check_not_in_future(document, date);
        }
        let Ok(schema::StatedAmount {
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
            HourlyAmount::Everywhere(usd) => {
                for region in self.places_of(item, id) {
                    self.amount(document, item, id, amount, is_each, region, usd * rate);
                }
            }
            HourlyAmount::ByRegion(by_region) => {
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
        if !document.layer.is_embedded() {
            self.unsold_regions(document, item, id);
        }
        self.stale(document, item, id);
    }

    /// Reports a price that is said to be the provider's own, from a source that names figures made for tests.
    fn made_up(&mut self, document: &CatalogDocument, item: &schema::PriceEntry) {
        let quality = item.quality.as_ref();
        let is_of_provider = quality.is_none_or(|word| word.get_ref() == Quality::Provider.word());
        if document.layer.is_embedded() || !is_of_provider {
            return;
        }
        let Some(source) = &item.source else { return };
        let lower = source.get_ref().to_lowercase();
        let mut words = lower.split(|c: char| !c.is_alphanumeric());
        if let Some(word) = words.find(|word| MADE_UP.contains(word)) {
            let message = format!(
                "this source says '{word}', so it is not the provider's price list: state the provider's page, or another `quality`"
            );
            self.report(document, source, message);
        }
    }

    /// Reports the regions of a price in which its machine is not sold: such a price would never apply.
    fn unsold_regions(
        &mut self,
        document: &CatalogDocument,
        item: &schema::PriceEntry,
        id: OfferId,
    ) {
        let catalog = self.catalog;
        let offer = catalog.offer(id);
        let sold_in = catalog.regions(offer.regions);
        let is_marketplace = catalog.provider(offer.provider).sells == Sells::Marketplace;
        if is_marketplace || sold_in.is_empty() {
            return;
        }
        let sold_in = sold_in.iter();
        let sold_in: Vec<&str> = sold_in.map(|region| catalog.region_id(region)).collect();
        let machine = catalog.str(offer.id);
        let fault = |name: &str| {
            if sold_in.contains(&name) {
                return None;
            }
            let hint = suggest::closest(name, sold_in.iter().copied());
            let hint = hint.first().map(|first| format!(": did you mean {first}?"));
            let hint = hint.unwrap_or_default();
            Some(format!("{machine} is not sold in {name}{hint}"))
        };
        for region in item.regions.iter().flatten() {
            if let Some(message) = fault(region.get_ref()) {
                self.report(document, region, message);
            }
        }
        if let Ok(schema::StatedAmount { amount, .. }) = item.stated()
            && let HourlyAmount::ByRegion(by_region) = amount.get_ref()
        {
            for message in by_region.keys().filter_map(|name| fault(name)) {
                self.report(document, amount, message);
            }
        }
    }

    /// Returns the regions of a price with one amount: each of its `regions`, unless these are where a marketplace's
    /// machines were seen; `None` is any region.
    fn places_of<'i>(&self, item: &'i schema::PriceEntry, id: OfferId) -> Vec<Option<&'i String>> {
        let provider = self.catalog.provider(self.catalog.offer(id).provider);
        let is_seen = provider.sells == Sells::Marketplace && !is_contract(item);
        let names = item.regions.as_deref().filter(|_| !is_seen);
        let names = names.unwrap_or_default();
        if names.is_empty() {
            return vec![None];
        }
        names.iter().map(|name| Some(name.get_ref())).collect()
    }

    /// Returns the dollars for one unit of a price's currency.
    fn rate(
        &mut self,
        document: &CatalogDocument,
        currency: Option<&Spanned<String>>,
    ) -> Option<f64> {
        let Some(code) = currency.filter(|code| code.get_ref() != "USD") else {
            return Some(1.0);
        };
        let row = self.catalog.currency(code.get_ref());
        if row.is_none() {
            let message = format!(
                "no [[currency]] has a rate for {}: the offer is listed without a price",
                code.get_ref()
            );
            self.report(document, code, message);
        }
        row.map(|row| row.usd)
    }

    fn stale(&mut self, document: &CatalogDocument, item: &schema::PriceEntry, id: OfferId) {
        if document.layer.is_embedded() || is_contract(item) {
            return;
        }
        // A price that a later one replaced is history, which may be old.
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
            let message = format!("{days} days old: prices of {name} are current for {limit} days");
            self.report(document, date, message);
        }
    }

    #[expect(clippy::too_many_arguments, reason = "one price of many")]
    fn amount(
        &mut self,
        document: &CatalogDocument,
        item: &schema::PriceEntry,
        id: OfferId,
        at: &Spanned<HourlyAmount>,
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
        let peers = self.peers(id);
        let stated = LintedAmount {
            item,
            id,
            peers: &peers,
            region,
            place: region.map(|name| format!(" in {name}")).unwrap_or_default(),
            count,
            usd,
            total,
            per_device,
        };
        let place = &stated.place;
        if !is_contract(item) && !is_price(usd, per_device) {
            let message = format!(
                "{}{place} looks like a placeholder, not a price per hour",
                number(usd)
            );
            self.report(document, at, message);
            return;
        }
        // Prices of several days are history. Without a day, two prices may be of different days.
        let has_day = item.date().len() > 7;
        // A CSV file has a row for each zone.
        if has_day && !document.has_rows && !self.stated.insert(stated.key(document.layer)) {
            let message = format!("the price{place} on this day is stated twice");
            self.report(document, at, message);
        }
        if let Some(newer) = self.newer(document.layer, &stated) {
            let message = format!(
                "the price{place} of {newer} stands before this older one, which replaces it: state prices oldest first"
            );
            self.report(document, at, message);
        }
        // Prices of a contract may be far from any published price.
        if is_contract(item) {
            return;
        }
        let message = self.bid(&stated).or_else(|| self.other_currency(&stated));
        let message = message.or_else(|| {
            if item.capacity_type.get_ref() == "spot" {
                self.above_on_demand(&stated)
            } else {
                self.windows(&stated)
                    .or_else(|| Self::far_from_usual(&stated))
                    .or_else(|| Self::of_other_count(&stated))
                    .or_else(|| Self::of_whole_machine(document.layer, &stated))
                    .or_else(|| self.far_from_before(document.layer, &stated))
            }
        });
        if let Some(message) = message {
            self.report(document, at, message);
        }
    }

    /// Returns the date of a newer price that stands before an older one of the same kind and quality, if there is one.
    fn newer(&mut self, layer: Layer, stated: &LintedAmount<'_>) -> Option<String> {
        let date = stated.item.date().as_bytes();
        let key = hashed(&(stated.undated_key(layer), kind_of(stated.item)));
        let newest = self.newest.entry(key).or_insert_with(|| date.into());
        // A month contains its days.
        let length = newest.len().min(date.len());
        if newest.get(..length) > date.get(..length) {
            return Some(String::from_utf8_lossy(newest).into_owned());
        }
        if newest.as_slice() != date {
            *newest = date.into();
        }
        None
    }

    /// Reports a spot price above the on-demand price.
    fn above_on_demand(&self, stated: &LintedAmount<'_>) -> Option<String> {
        let catalog = self.catalog;
        let offer = catalog.offer(stated.id);
        let item = stated.item;
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
        let there = stated.peers.on_demand(stated.region.map(String::as_str));
        // A contract may well cost less than the market: its price says nothing about a bid.
        let on_demand = there
            .filter(|price| price.kind != PriceKind::Contract)
            .filter(|price| is_same_tier(price))
            .filter(|price| is_same_count(price));
        // A market charges the on-demand price if there is no other bid, so equal amounts are fine.
        let highest = on_demand
            .map(|price| stated.whole(price))
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

    /// Reports a price of a device far from the usual prices.
    fn far_from_usual(stated: &LintedAmount<'_>) -> Option<String> {
        let (low, high) = stated.peers.usual.far_from(stated.per_device)?;
        Some(format!(
            "{}{} for one device is far from the usual prices, {} to {}: it may be a placeholder or have another unit",
            number(stated.per_device),
            stated.place,
            number(low),
            number(high)
        ))
    }

    /// Reports the price of a machine in an overlay that is stated as the price of one device: far above the prices of
    /// other providers, and plausible as a price of all devices. A provider with such prices in the catalog may be that
    /// expensive.
    fn of_whole_machine(layer: Layer, stated: &LintedAmount<'_>) -> Option<String> {
        let (each, count) = (stated.per_device, stated.count);
        let others = stated.peers.others?;
        let is_each = stated.item.stated().is_ok_and(|amount| amount.is_each);
        let is_usual =
            each <= others.median * FAR_ABOVE || each <= others.highest_of_provider * FAR_ABOVE_OWN;
        let is_plausible_of_all = each / count >= others.median / FAR_ABOVE;
        if layer.is_embedded() || !is_each || count < MIN_DEVICES || is_usual {
            return None;
        }
        is_plausible_of_all.then(|| {
            format!(
                "{}{} for one device is {} times the median of other providers, {}: if it is the price of all {}, state it as `usd_per_hour`",
                number(each),
                stated.place,
                number((each / others.median * 10.0).round() / 10.0),
                number(others.median),
                number(count)
            )
        })
    }

    /// Reports the price of one device stated as the price of the whole machine, or vice versa.
    fn of_other_count(stated: &LintedAmount<'_>) -> Option<String> {
        let LintedAmount {
            place,
            count,
            usd,
            total,
            ..
        } = stated;
        // A marketplace has a separate price for each count.
        if *count <= 1.0 || stated.item.count.is_some() {
            return None;
        }
        let is_stated_about = |factor: f64| {
            let (low, high) = (total / factor / (1.0 + SAME), total / factor / (1.0 - SAME));
            if *count > 2.0 {
                stated.peers.costs_between(low, high)
            } else {
                // Twice the price of another region is plausible.
                let region = stated.region.map(String::as_str);
                stated.peers.costs_between_in(region, low, high)
            }
        };
        if is_stated_about(*count) {
            Some(format!(
                "{}{place} is the price of the whole machine, not of one of its {}",
                number(*usd),
                number(*count)
            ))
        } else if is_stated_about(1.0 / count) {
            Some(format!(
                "{}{place} is the price of one device: `usd_per_accelerator_hour`",
                number(*usd)
            ))
        } else {
            None
        }
    }
}

/// Returns true for a price that the user agreed on with the provider.
fn is_contract(item: &schema::PriceEntry) -> bool {
    kind_of(item) == PriceKind::Contract.word()
}

/// Returns the word for the kind of a price.
fn kind_of(item: &schema::PriceEntry) -> &str {
    let kind = item.kind.as_ref();
    kind.map_or(PriceKind::List.word(), |kind| kind.get_ref())
}

/// A short form of a key, since a file may have millions of prices.
fn hashed(key: &impl Hash) -> u64 {
    let mut hasher = DefaultHasher::new();
    key.hash(&mut hasher);
    hasher.finish()
}

/// One amount of a price, of one region or of all of them.
pub(super) struct LintedAmount<'p> {
    pub item: &'p schema::PriceEntry,
    pub id: OfferId,
    pub peers: &'p Peers<'p>,
    pub region: Option<&'p String>,
    /// The region as ` in REGION`, or empty.
    pub place: String,
    /// The devices that the price is for.
    pub count: f64,
    /// The amount in US dollars per hour: as stated, for all devices, and for one device.
    pub usd: f64,
    pub total: f64,
    pub per_device: f64,
}

impl LintedAmount<'_> {
    /// Returns a key that is equal for duplicate prices only.
    fn key(&self, layer: Layer) -> String {
        format!("{} {}", self.undated_key(layer), self.item.date())
    }

    /// Returns a key that is equal for prices of several days of the same terms.
    fn undated_key(&self, layer: Layer) -> String {
        let Self {
            item, id, region, ..
        } = self;
        format!(
            "{} {id:?} {} {} {} {:?} {region:?} {:?}",
            layer.number(),
            // A price of an aggregator does not duplicate a price of the provider.
            item.quality.as_ref().map_or("", |word| word.get_ref()),
            item.capacity_type.get_ref(),
            item.tier.as_ref().map_or("", |tier| tier.get_ref()),
            item.count.as_ref().map(|count| *count.get_ref()),
            item.statistic.as_ref().map(Spanned::get_ref),
        )
    }

    /// Returns a price of the same offer for the same number of devices, in US dollars per hour.
    pub(super) fn whole(&self, price: &Price) -> f64 {
        whole(price, self.count)
    }
}
