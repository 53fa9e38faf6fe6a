//! A catalog as it was on a day: of each provider the last price that had been seen.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};
use jiff::ToSpan as _;
use jiff::civil::Date;
use sky_accel_catalog::{FreshOffer, Tables};
use sky_accel_core::catalog::{
    AcceleratorId, Availability, Catalog, Day, MarketKind, Offer, Price, PriceKind, ProviderId,
    Quality, Rows, Str,
};
use sky_accel_core::market::SeenPrice;
use sky_accel_core::money::{Count, Usd};

/// The maximum age in days of a price in the catalog of a day.
const KEPT_DAYS: i64 = 60;

/// The prices of one accelerator, by provider and kind of market.
pub type Seen = BTreeMap<AcceleratorId, Vec<SeenPrice>>;

/// A price in the catalog of a day.
#[derive(Clone, Copy, Debug)]
pub struct FrozenPrice {
    pub accelerator: AcceleratorId,
    pub provider: ProviderId,
    pub kind: MarketKind,
    /// The last day on which it had been seen.
    pub as_of: Day,
    pub usd: Usd,
}

/// The catalog of a day.
pub struct Frozen {
    pub prices: Vec<FrozenPrice>,
    tables: Tables,
}

impl Frozen {
    /// Returns the catalog of a day, with the coefficients of `catalog`.
    pub fn on(catalog: &Catalog<'_>, seen: &Seen, date: Date) -> Result<Self> {
        let (day, first) = (day(date)?, day(date.checked_sub(KEPT_DAYS.days())?)?);
        let mut prices = Vec::new();
        for (accelerator, seen) in seen {
            let mut last: BTreeMap<(ProviderId, MarketKind), FrozenPrice> = BTreeMap::new();
            for price in seen
                .iter()
                .filter(|price| price.from <= day && price.until >= first)
            {
                let frozen = FrozenPrice {
                    accelerator: *accelerator,
                    provider: price.provider,
                    kind: price.kind,
                    as_of: price.until.min(day),
                    usd: price.usd,
                };
                let known = last.entry((price.provider, price.kind)).or_insert(frozen);
                if (frozen.as_of, known.usd) > (known.as_of, frozen.usd) {
                    *known = frozen;
                }
            }
            prices.extend(last.into_values());
        }
        let tables = tables(catalog, &prices);
        Ok(Self { prices, tables })
    }

    pub fn catalog(&self) -> Catalog<'_> {
        self.tables.catalog()
    }

    /// Returns a price of this catalog with its offer.
    pub fn offer(&self, price: &FrozenPrice) -> Result<(Offer, Price)> {
        let catalog = self.catalog();
        let offers = catalog.offers_of(price.accelerator);
        let mut offers = offers.map(|id| catalog.offer(id));
        let offer = offers.find(|offer| {
            offer.provider == price.provider && catalog.str(offer.id) == price.kind.word()
        });
        let offer = offer.context("an offer of each price")?;
        let price = catalog.prices(&offer).first();
        Ok((offer, price.context("a price of each offer")?))
    }
}

/// Returns the tables of `catalog` with an offer for each price instead of its offers.
fn tables(catalog: &Catalog<'_>, prices: &[FrozenPrice]) -> Tables {
    let mut tables = Tables::copy_of(catalog);
    let providers: Vec<ProviderId> = (0..catalog.providers.len())
        .map(ProviderId::of_index)
        .collect();
    let fresh = prices.iter().map(|price| {
        let id = tables.intern(price.kind.word());
        let as_of = tables.intern(&price.as_of.to_string());
        FreshOffer {
            row: Offer {
                count: Some(Count::ONE),
                ..Offer::bare(price.provider, id, price.accelerator)
            },
            accelerators: vec![price.accelerator],
            regions: Vec::new(),
            prices: vec![Price {
                capacity: price.kind.capacity(),
                kind: match price.kind {
                    MarketKind::Marketplace => PriceKind::Snapshot,
                    _ => PriceKind::List,
                },
                tier: 0,
                statistic: None,
                count: None,
                region: None,
                seen_in: Rows::default(),
                usd: price.usd,
                per_accelerator: true,
                currency: Str::default(),
                charged: 0,
                quality: Quality::Provider,
                sources: 1,
                source: Str::default(),
                as_of,
                availability: Availability::Unknown,
                zone: Str::default(),
                listing: Str::default(),
            }],
        }
    });
    let fresh: Vec<FreshOffer> = fresh.collect();
    tables.replace_offers(&providers, fresh);
    tables
}

/// Returns the number of a date.
pub fn day(date: Date) -> Result<Day> {
    Day::of_text(&date.to_string()).context("a date after the year 0")
}

/// Returns the date of a number.
pub fn date(day: Day) -> Result<Date> {
    Ok(day.to_string().parse()?)
}
