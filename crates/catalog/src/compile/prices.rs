//! `[[price]]`: the prices of offers.

use sky_accel_core::catalog::{
    Availability, CapacityType, Price, PriceKind, ProviderId, Quality, RegionId, Sells, Statistic,
    Str,
};
use sky_accel_core::memory;
use sky_accel_core::money::{Count, Usd};
use sky_accel_core::word::Word;

use super::Compiler;
use super::collected::{CollectedOffers, CollectedPrice, OfferGroup};
use crate::bounds;
use crate::schema::{HourlyAmount, PriceEntry, Spanned, StatedAmount};
use crate::source::CatalogDocument;

/// The kinds of price that a file may state. Only answers of providers are live.
const KIND: [(&str, PriceKind); 4] = [
    ("list", PriceKind::List),
    ("contract", PriceKind::Contract),
    ("snapshot", PriceKind::Snapshot),
    ("estimate", PriceKind::Estimate),
];

/// The maximum number of prices from lists of offers. A list makes a price for each of its offers in each region, so a
/// short text could make very many.
const MAX_OF_LISTS: usize = 1_000_000;

impl Compiler<'_> {
    /// Adds a price. Returns `false` if an offer is unknown, which is an error only after all files are read.
    pub(super) fn price(
        &mut self,
        document: &CatalogDocument,
        item: &PriceEntry,
        at: (u32, u32),
        listing: &mut CollectedOffers,
        is_end: bool,
    ) -> bool {
        let of_one = item.offer.is_some();
        if of_one != item.offers.is_empty() {
            let stated = item.stated().map(|stated| stated.amount.span());
            let span = item.offer_ids().next().map(Spanned::span);
            let message = "a price has either `offer` or `offers`";
            self.report(document.error(span.or(stated.ok()).unwrap_or(0..0), message));
            return true;
        }
        let mut are_known = true;
        for offer in item.offer_ids() {
            if listing.of_lists >= MAX_OF_LISTS {
                let message =
                    format!("lists of `offers` have more than {MAX_OF_LISTS} prices in total");
                self.fail(document, offer, message);
                return true;
            }
            are_known &= self.price_of(document, item, offer, at, listing, is_end);
            if !of_one {
                listing.of_lists += item.places();
            }
        }
        are_known
    }

    fn price_of(
        &mut self,
        document: &CatalogDocument,
        item: &PriceEntry,
        of: &Spanned<String>,
        at: (u32, u32),
        listing: &mut CollectedOffers,
        is_end: bool,
    ) -> bool {
        let Some(provider) = self.provider_of(document, item.provider.as_ref(), of) else {
            return true;
        };
        let id = self.tables.intern(of.get_ref());
        let Some(place) = listing.by_id.get(&(provider, id)).copied() else {
            // The offer of a CSV row was left out, or is an error already.
            if is_end && !document.has_rows {
                let message = format!("no offer has the id '{}'", of.get_ref());
                self.fail(document, of, message);
            }
            return document.has_rows;
        };
        let listed = &listing.offers[place as usize];
        let Some(group) = self.priced(document, item, of, &listed.groups) else {
            return true;
        };
        let Some((row, amount)) = self.price_row(document, item, of, provider, listed.row.count)
        else {
            return true;
        };
        let rate = match amount.currency {
            Some(code) => match self.rate(document, code) {
                Some(rate) => rate,
                // Without a rate, the offer is listed without a price.
                None => return true,
            },
            None => 1.0,
        };
        let StatedAmount {
            amount, currency, ..
        } = amount;
        let places = self.places_of(document, provider, item);
        for (region, charged) in self.by_region(document, provider, amount, &places) {
            let usd = charged * rate;
            self.within(document, amount, usd, &bounds::USD_PER_HOUR);
            let (Some(usd), Some(charged)) = (Usd::from_decimal(usd), Usd::from_decimal(charged))
            else {
                continue;
            };
            let charged = currency.map_or(0, |_| charged.0);
            listing.prices.push(CollectedPrice {
                listed: place,
                memory_gb: group.memory_gb,
                at,
                price: Price {
                    region,
                    usd,
                    charged,
                    ..row
                },
            });
        }
        true
    }

    /// Returns the dollars for one unit of a currency; `None` if no rate is known.
    fn rate(&mut self, document: &CatalogDocument, code: &Spanned<String>) -> Option<f64> {
        let word = code.get_ref();
        if word == "USD" {
            return Some(1.0);
        }
        self.currency_code(document, code);
        self.tables.catalog().currency(word).map(|row| row.usd)
    }

    /// Returns the row of a price without its region and amount, and the stated amount.
    fn price_row<'i>(
        &mut self,
        document: &CatalogDocument,
        item: &'i PriceEntry,
        of: &Spanned<String>,
        provider: ProviderId,
        sold_count: Option<Count>,
    ) -> Option<(Price, StatedAmount<'i>)> {
        let capacity = self.one_of(document, &item.capacity_type, CapacityType::ALL);
        let kind = match &item.kind {
            Some(kind) => self.one_of(document, kind, &KIND),
            None => Some(PriceKind::List),
        };
        let statistic = item
            .statistic
            .as_ref()
            .and_then(|s| self.one_of(document, s, Statistic::ALL));
        if item.source.is_none() && document.layer.is_embedded() {
            self.fail(document, of, "a price has a `source`");
        }
        if item.as_of.is_none() {
            self.fail(document, of, "a price has an `as_of` date");
        }
        let amount = match item.stated() {
            Ok(amount) => amount,
            Err(message) => {
                self.fail(document, of, message);
                return None;
            }
        };
        let quality = match &item.quality {
            Some(quality) => self.one_of(document, quality, Quality::ALL)?,
            None => Quality::default(),
        };
        // The count in a CSV row is for the offer or for the price, not for both.
        let stated = item.count.as_ref();
        let stated = stated.filter(|_| !(document.has_rows && sold_count.is_some()));
        let count = self.count(document, stated);
        if count.is_none() && !amount.is_each && sold_count.is_none() {
            self.fail(
                document,
                of,
                "set `count`: the number of accelerators that the price is for",
            );
        }
        if document.layer.is_embedded()
            && kind == Some(PriceKind::Contract)
            && let Some(word) = &item.kind
        {
            self.fail(document, word, "only an overlay has prices of a contract");
        }
        let seen_in = if self.is_seen(provider, item) {
            self.listed_regions(document, provider, item)
        } else {
            Vec::new()
        };
        let row = Price {
            capacity: capacity?,
            kind: kind?,
            tier: self.tier(document, provider, item.tier.as_ref()),
            statistic,
            count,
            region: None,
            seen_in: self.tables.region_lists.append(seen_in),
            usd: Usd(0),
            per_accelerator: amount.is_each,
            source: self.source(document, item.source.as_ref()),
            as_of: item.as_of.as_ref().map(|date| self.date(document, date))?,
            currency: amount
                .currency
                .map_or(Str::default(), |code| self.text(document, Some(code))),
            charged: 0,
            quality,
            sources: 1,
            availability: Availability::Unknown,
            zone: Str::default(),
            listing: Str::default(),
        };
        Some((row, amount))
    }

    /// Returns the group of `groups` that a price belongs to.
    fn priced(
        &mut self,
        document: &CatalogDocument,
        item: &PriceEntry,
        of: &Spanned<String>,
        groups: &[OfferGroup],
    ) -> Option<OfferGroup> {
        let wanted = item.memory_gb.as_ref().map(|gb| *gb.get_ref());
        let message = match (groups, wanted) {
            ([only], None) => return Some(*only),
            (_, None) => "the offer covers several memory sizes: set `memory_gb`",
            (groups, Some(wanted)) => {
                let size = |group: &&OfferGroup| group.memory_gb;
                let is_wanted =
                    |group: &&OfferGroup| size(group).is_some_and(|gb| memory::is_same(gb, wanted));
                if let Some(found) = groups.iter().find(is_wanted) {
                    return Some(*found);
                }
                "the offer does not cover that memory size"
            }
        };
        self.fail(document, of, message);
        None
    }

    /// Returns whether the `regions` of a price are those where a marketplace's machines were seen. The price of
    /// any other provider, and of a contract, is the price in these regions.
    fn is_seen(&self, provider: ProviderId, item: &PriceEntry) -> bool {
        let sells = self.tables.providers.at(provider.index()).sells;
        let kind = item.kind.as_ref().map(|kind| kind.get_ref().as_str());
        sells == Sells::Marketplace && kind != Some(PriceKind::Contract.word())
    }

    /// Returns the `regions` that a price is limited to; empty for any region.
    fn places_of(
        &mut self,
        document: &CatalogDocument,
        provider: ProviderId,
        item: &PriceEntry,
    ) -> Vec<RegionId> {
        if self.is_seen(provider, item) {
            return Vec::new();
        }
        if let Some(first) = item.regions.as_ref().and_then(|names| names.first())
            && item.is_by_region()
        {
            let message = "a price with an amount for each region has no `regions`";
            self.fail(document, first, message);
            return Vec::new();
        }
        self.listed_regions(document, provider, item)
    }

    /// Returns the `regions` of a price.
    fn listed_regions(
        &mut self,
        document: &CatalogDocument,
        provider: ProviderId,
        item: &PriceEntry,
    ) -> Vec<RegionId> {
        let names = item.regions.as_deref().unwrap_or_default();
        let mut regions = Vec::with_capacity(names.len());
        for name in names {
            self.checked(document, name);
            regions.extend(self.region(document, provider, name.get_ref(), name));
        }
        regions
    }

    /// Returns the amounts by region; `None` is any region. An amount without a region is the price in `places`, or
    /// in any region without `places`.
    fn by_region(
        &mut self,
        document: &CatalogDocument,
        provider: ProviderId,
        amount: &Spanned<HourlyAmount>,
        places: &[RegionId],
    ) -> Vec<(Option<RegionId>, f64)> {
        let by_region = match amount.get_ref() {
            HourlyAmount::Everywhere(usd) if places.is_empty() => return vec![(None, *usd)],
            HourlyAmount::Everywhere(usd) => {
                return places.iter().map(|place| (Some(*place), *usd)).collect();
            }
            HourlyAmount::ByRegion(by_region) => by_region,
        };
        let unprintable = |name: &String| name.chars().any(sky_accel_core::text::is_unprintable);
        if by_region.keys().any(unprintable) {
            self.fail(document, amount, "a region cannot have control characters");
        }
        let mut prices = Vec::with_capacity(by_region.len());
        for (name, usd) in by_region {
            if let Some(region) = self.region(document, provider, name, amount) {
                prices.push((Some(region), *usd));
            }
        }
        prices
    }

    pub(super) fn tier(
        &mut self,
        document: &CatalogDocument,
        provider: ProviderId,
        tier: Option<&Spanned<String>>,
    ) -> u8 {
        let Some(tier) = tier else { return 0 };
        let tiers = self.tables.providers.at(provider.index()).tiers;
        let found = self
            .tables
            .catalog()
            .strings(tiers)
            .position(|known| known == tier.get_ref());
        if found.is_none() {
            self.fail(document, tier, "the provider has no such tier");
        }
        found.and_then(|tier| u8::try_from(tier).ok()).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use crate::fixture::compiled;

    /// The prices of the offer `g8` with a price in an overlay, in dollars by region.
    fn prices(head: &str, price: &str) -> Vec<(Option<String>, u64)> {
        let overlay = format!(
            "sold_by = \"acme\"\n{head}\n[[price]]\noffer = \"g8\"\nsource = \"s\"\nas_of = \"2026-11-02\"\n{price}\n"
        );
        let tables = compiled(&[&overlay]).unwrap();
        let catalog = tables.catalog();
        let mut offers = catalog.offers.iter();
        let offer = offers.find(|offer| catalog.str(offer.id) == "g8").unwrap();
        let mut prices: Vec<_> = catalog
            .prices(&offer)
            .iter()
            .map(|price| {
                let region = price.region.map(|id| catalog.region_id(id).to_owned());
                (region, price.usd.0 / 1_000_000)
            })
            .collect();
        prices.sort();
        prices
    }

    #[test]
    fn the_regions_of_an_overlay_limit_its_prices() {
        let defaults = "[defaults]\nregions = [\"east\"]";
        let one = "usd_per_hour = 14.0";
        let of = |region: &str, usd| (Some(region.to_owned()), usd);
        assert_eq!(prices("", one), [(None, 14)]);
        assert_eq!(prices(defaults, one), [of("east", 14), of("west", 18)]);
        // A price that states its regions, or an amount for each, needs none.
        let stated = "usd_per_hour = 14.0\nregions = [\"west\"]";
        assert_eq!(prices(defaults, stated), [of("east", 16), of("west", 14)]);
        let each = "usd_per_hour = { west = 15.0 }";
        assert_eq!(prices(defaults, each), [of("east", 16), of("west", 15)]);
    }
}
