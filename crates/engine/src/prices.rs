//! `prices`: today's range of prices of an accelerator, and the range in each quarter of the past.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use jiff::ToSpan as _;
use jiff::civil::Date;
use serde::Serialize;
use sky_accel_core::catalog::{
    AcceleratorId, CapacityType, Catalog, Day, MarketKind, Offer, Price, PriceKind, ProviderId,
    Quarter,
};
use sky_accel_core::market::{
    PriceSpread, SeenPrice, Standing, by_quarter, is_comparable, seen_prices, standing,
};
use sky_accel_core::money::{Count, Usd};
use sky_accel_core::note::Note;
use sky_accel_core::resolve::{CapacityFilter, Reason, Setback, has_small_host};
use sky_accel_core::word::Word as _;

use crate::age;
use crate::catalog::EMBEDDED;
use crate::code::ErrorCode;
use crate::contract::{
    CheapestOut, ComparisonOut, Envelope, MarketOut, Num, OfferOut, PastPriceOut, PricesParts,
    QuarterOut, RateOut, link_of,
};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::filter::OfferFilter;
use crate::money::Money;
use crate::overridden::{Cited, Cites};
use crate::specs::{Spec, bind};
use crate::too_old::no_price_left;

/// The number of days that a price counts in a comparison.
const RECENT_DAYS: i64 = 182;

/// The first quarter that is shown: 2023-Q1.
const FIRST_QUARTER: Quarter = Quarter(2023 * 4);

/// A request for the prices of accelerators.
#[derive(Clone, Debug, Default)]
pub struct PricesRequest {
    /// The specs. Counts and slices do not matter, because prices are for one accelerator.
    pub specs: Vec<Spec>,
    /// The providers, the capacity type, the currency, and the maximum age of prices of today. Other filters do not
    /// apply.
    pub offers: OfferFilter,
}

/// The request as it was understood.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PricesEcho {
    /// The specs in canonical form.
    pub specs: Vec<String>,
    /// The ids of the providers; empty for every provider.
    pub providers: Vec<String>,
    /// The capacity type: `any` for both.
    pub capacity_type: CapacityFilter,
    /// The maximum age of prices of today in seconds; omitted without a limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_age_s: Option<u64>,
}

/// The prices of accelerators.
#[derive(Debug)]
pub struct PricesAnswer<'c, Row> {
    /// The JSON document. If it has no results, the notes say why.
    pub envelope: Envelope<'c, PricesEcho, Row, PricesParts<'c>>,
    /// The currency for amounts in texts.
    pub money: Money<'c>,
}

/// A request that is bound to the catalog.
struct Asked<'c> {
    accelerators: Vec<AcceleratorId>,
    providers: Vec<ProviderId>,
    money: Money<'c>,
    echo: PricesEcho,
    notes: Vec<Note>,
}

/// A price of today for one accelerator.
struct OfferedPrice {
    kind: MarketKind,
    offer: Offer,
    price: Price,
    usd: Usd,
    likely: Usd,
    low: Usd,
    high: Usd,
    /// A price of a contract replaced the price: others pay it.
    is_displaced: bool,
    /// The day of the price: of equal prices, the newest counts.
    day: Option<Day>,
    reasons: Vec<Reason>,
}

impl OfferedPrice {
    /// The key that sorts offers as `resolve` does, the first to try first.
    fn rank(&self) -> (Setback, bool, Usd, Usd, Reverse<Option<Day>>) {
        let is_of_hosts =
            self.kind == MarketKind::Marketplace && self.price.kind != PriceKind::Contract;
        (
            Setback::of_reasons(&self.reasons),
            is_of_hosts,
            self.likely,
            self.usd,
            Reverse(self.day),
        )
    }
}

impl<'c> Engine<'c> {
    /// Returns the range of today's prices and of each quarter, by accelerator and kind of market.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::Spec`](crate::ErrorCode::Spec) for an unknown accelerator,
    /// [`ErrorCode::DataTooOld`](crate::ErrorCode::DataTooOld) if `max_age` leaves no price, and the errors of
    /// [`OfferFilter::request`].
    pub fn prices(&self, request: &PricesRequest) -> Result<PricesAnswer<'c, MarketOut<'c>>> {
        let catalog = self.catalog();
        let asked = self.asked(request)?;
        let mut results = Vec::new();
        let mut has_older = false;
        for id in &asked.accelerators {
            let (markets, hides_older) = self.markets(*id, &asked);
            results.extend(markets);
            has_older |= hides_older;
        }
        let is_empty = |market: &MarketOut<'_>| market.today.is_none() && market.cheapest.is_none();
        if has_older && results.iter().all(is_empty) {
            let counts = |offer: &Offer| is_comparable(offer) && asked.sells(offer.provider);
            let accelerators = asked.accelerators.iter().copied();
            let likely = self.likely_prices();
            return Err(no_price_left(&catalog, &likely, accelerators, counts));
        }
        Ok(self.answered("sky-accel.prices.v1", asked, results))
    }

    /// Returns the past prices of accelerators, by provider, then by day.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::Spec`](crate::ErrorCode::Spec) for an unknown accelerator, and the errors of
    /// [`OfferFilter::request`].
    pub fn price_history(
        &self,
        request: &PricesRequest,
    ) -> Result<PricesAnswer<'c, PastPriceOut<'c>>> {
        let catalog = self.catalog();
        let asked = self.asked(request)?;
        let (today, mut results) = (self.day(), Vec::new());
        for id in &asked.accelerators {
            let rows = catalog.past_prices(*id).iter();
            let wanted = rows.filter(|row| {
                asked.sells(row.provider) && asked.wants(row.capacity) && row.from <= today
            });
            results.extend(wanted.map(|row| PastPriceOut {
                accelerator: catalog.accelerator_id(*id),
                kind: MarketKind::of(
                    &catalog,
                    &catalog.provider(row.provider),
                    row.kind,
                    row.capacity,
                ),
                capacity_type: row.capacity,
                price_kind: row.kind,
                provider: catalog.provider_id(row.provider),
                from: row.from.to_string(),
                until: row.until.to_string(),
                usd: Num(row.usd.decimal()),
                median_usd: Num(row.median.decimal()),
                high_usd: Num(row.high.decimal()),
                source: catalog.str(row.source),
            }));
        }
        Ok(self.answered("sky-accel.price-history.v1", asked, results))
    }

    /// Compares the likely price that ranks an offer with the newest prices of other lists, of other marketplaces or of
    /// other spot machines in the last six months, as
    /// in `18 % below the median of 23 sources`. `None` if fewer than three providers have any, and for parts of
    /// devices.
    pub fn standing_of(
        &self,
        offer: &OfferOut<'_>,
        capacity_filter: CapacityFilter,
    ) -> Option<Standing> {
        let price = offer.ranking_quote(capacity_filter)?;
        // Others pay prices on demand: the discount of a commitment is shown beside its price.
        if price.kind == PriceKind::Committed {
            return None;
        }
        let mut spot = offer.spot.iter();
        let is_spot = spot.any(|spot| std::ptr::eq(spot, price));
        let capacity = if is_spot {
            CapacityType::Spot
        } else {
            CapacityType::OnDemand
        };
        let catalog = self.catalog();
        let provider = catalog.provider(catalog.provider_named(offer.provider)?);
        let kind = match MarketKind::of(&catalog, &provider, price.kind, capacity) {
            MarketKind::List if offer.reasons.contains(&Reason::PrivateHost) => {
                MarketKind::Marketplace
            }
            kind => kind,
        };
        let is_whole = offer.mig.is_none() && offer.count.0 >= 1.0;
        let usd = Usd::from_decimal(price.likely_usd_per_hour.0 / offer.count.0)?;
        is_whole
            .then(|| self.standing(offer.accelerator_id, kind, usd))
            .flatten()
    }

    fn standing(&self, accelerator: AcceleratorId, kind: MarketKind, usd: Usd) -> Option<Standing> {
        let seen = seen_prices(&self.catalog(), accelerator, self.day());
        standing(&seen, kind, self.recent(), usd)
    }

    /// Returns the range of today's prices and of each quarter of one accelerator, by kind of market.
    pub(crate) fn markets_of(
        &self,
        accelerator: AcceleratorId,
        max_age_s: Option<u64>,
    ) -> Vec<MarketOut<'c>> {
        let mut asked = Asked::all();
        asked.echo.max_age_s = max_age_s;
        self.markets(accelerator, &asked).0
    }

    /// Returns the markets of one accelerator, and whether offers with older prices than the maximum are left out.
    fn markets(&self, accelerator: AcceleratorId, asked: &Asked<'_>) -> (Vec<MarketOut<'c>>, bool) {
        let all = seen_prices(&self.catalog(), accelerator, self.day());
        let mut offered = self.offered(accelerator, asked);
        let known = offered.len();
        offered.retain(|found| self.is_young(&found.price, asked.echo.max_age_s));
        let of_providers = |price: &&SeenPrice| asked.sells(price.provider);
        let seen: Vec<SeenPrice> = all.iter().filter(of_providers).copied().collect();
        let kinds = MarketKind::ALL.iter().map(|(_, kind)| *kind);
        let markets = kinds
            .filter(|kind| asked.wants(kind.capacity()))
            .filter_map(|kind| {
                let of_kind = offered.iter().filter(|found| found.kind == kind);
                let of_kind: Vec<&OfferedPrice> = of_kind.collect();
                self.market(accelerator, kind, &of_kind, &seen, &all)
            });
        (markets.collect(), offered.len() < known)
    }

    /// Returns one sentence on the prices of an accelerator: today's cheapest offer, and how it compares. `None`
    /// without a price on demand.
    pub(crate) fn price_summary(
        &self,
        accelerator: AcceleratorId,
        max_age_s: Option<u64>,
    ) -> Option<String> {
        let catalog = self.catalog();
        let asked = Asked::all();
        let offered = self.offered(accelerator, &asked);
        let on_demand = offered.iter().filter(|found| {
            !found.is_displaced
                && found.price.capacity == CapacityType::OnDemand
                && self.is_young(&found.price, max_age_s)
        });
        let cheapest = on_demand.min_by_key(|found| found.rank())?;
        let likely = Money::DOLLARS.text(Num(cheapest.likely.decimal()));
        let provider = catalog.provider_id(cheapest.offer.provider);
        let first =
            format!("The cheapest likely price is {likely} per hour for one, at {provider}");
        let compared = self.standing(accelerator, cheapest.kind, cheapest.likely);
        Some(match compared {
            Some(compared) => format!("{first}: {compared} in the last six months"),
            None => first,
        })
    }

    fn asked(&self, request: &PricesRequest) -> Result<Asked<'c>> {
        self.check_history()?;
        let catalog = self.catalog();
        let bound = bind(&catalog, &request.specs)?;
        let choices = || bound.iter().flat_map(|choices| choices.iter());
        let mut accelerators = Vec::new();
        for candidate in choices().flat_map(|choice| &choice.candidates) {
            if !accelerators.contains(&candidate.accelerator) {
                accelerators.push(candidate.accelerator);
            }
        }
        let providers = request.offers.providers(&catalog)?;
        let ids = providers
            .iter()
            .map(|id| catalog.provider_id(*id).to_owned());
        Ok(Asked {
            accelerators,
            money: request.offers.money(&catalog)?,
            echo: PricesEcho {
                specs: choices().map(|choice| choice.spec.clone()).collect(),
                providers: ids.collect(),
                capacity_type: match request.offers.capacity_type {
                    CapacityFilter::Unspecified => CapacityFilter::Any,
                    given => given,
                },
                max_age_s: request.offers.max_age_s,
            },
            notes: choices().flat_map(|choice| choice.notes.clone()).collect(),
            providers,
        })
    }

    /// Refuses past prices with a date in the future. The last day of the embedded history is never one: the clock of
    /// the machine may be slow.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::CatalogInvalid`](crate::ErrorCode::CatalogInvalid) with the accelerator and the provider of the
    /// row.
    pub fn check_history(&self) -> Result<()> {
        let Some(catalog) = self.overlaid() else {
            return Ok(());
        };
        // A stated day of today may be in the past, and updates have the day of the clock.
        let today = self.today().max(age::today());
        let tomorrow = today.checked_add(1.day()).unwrap_or(Date::MAX);
        let tomorrow = Day::of_text(&tomorrow.to_string()).unwrap_or_default();
        let Some(row) = catalog
            .past_prices
            .iter()
            .filter(|row| row.until > tomorrow)
            .max_by_key(|row| row.until)
        else {
            return Ok(());
        };
        if EMBEDDED
            .past_prices
            .iter()
            .any(|known| known.until >= row.until)
        {
            return Ok(());
        }
        let message = format!(
            "the history of {} at {} has a price of {}, which is in the future",
            catalog.accelerator_id(row.accelerator),
            catalog.provider_id(row.provider),
            row.until
        );
        Err(Error::new(ErrorCode::CatalogInvalid, message)
            .advise("`sky-accel catalog verify` shows its place"))
    }

    /// Returns the prices of today of one accelerator.
    fn offered(&self, accelerator: AcceleratorId, asked: &Asked<'_>) -> Vec<OfferedPrice> {
        let catalog = self.catalog();
        let estimate = self.likely_prices();
        let mut found = Vec::new();
        for id in catalog.offers_of(accelerator) {
            let offer = catalog.offer(id);
            if !is_comparable(&offer) || !asked.sells(offer.provider) {
                continue;
            }
            let provider = catalog.provider(offer.provider);
            let current = catalog.prices(&offer).iter().map(|price| (price, false));
            let displaced = catalog.displaced_prices(id).iter();
            let displaced = displaced.map(|price| (price, true));
            for (price, is_displaced) in current.chain(displaced) {
                let usd = price.of_one(offer.count);
                let is_believed = price.is_of_market() || price.kind == PriceKind::Contract;
                if usd == Usd(0) || !is_believed || !asked.wants(price.capacity) {
                    continue;
                }
                let count = price.count.or(offer.count).unwrap_or(Count::ONE);
                let likely = estimate.of(&catalog, &offer, &price, count);
                let doubts = estimate.doubts(&catalog, &offer, &price, count, usd.times(count));
                let small_host = has_small_host(&catalog, &offer, accelerator, count);
                // Its customer knows the machine of a contract.
                let is_open = price.kind != PriceKind::Contract;
                let small_host = (small_host && is_open).then_some(Reason::SmallHost);
                let private_host =
                    (catalog.is_of_host(&offer, &price) && is_open).then_some(Reason::PrivateHost);
                found.push(OfferedPrice {
                    kind: MarketKind::of_price(&catalog, &provider, &offer, &price),
                    offer,
                    price,
                    usd,
                    likely: likely.usd.per(count),
                    low: likely.low().per(count),
                    high: likely.high().per(count),
                    is_displaced,
                    day: Day::of_text(catalog.str(price.as_of)),
                    reasons: doubts.chain(private_host).chain(small_host).collect(),
                });
            }
        }
        found
    }

    fn is_young(&self, price: &Price, max_age_s: Option<u64>) -> bool {
        let days = age::days(self.today(), self.catalog().str(price.as_of));
        price.kind == PriceKind::Contract
            || max_age_s.is_none_or(|max| days.is_some_and(|days| days <= age::whole_days(max)))
    }

    /// Returns the prices of one kind; `None` if there never were any.
    fn market(
        &self,
        accelerator: AcceleratorId,
        kind: MarketKind,
        offered: &[&OfferedPrice],
        seen: &[SeenPrice],
        all: &[SeenPrice],
    ) -> Option<MarketOut<'c>> {
        let catalog = self.catalog();
        // A contract is for its customer alone, so it is not a price of the market. Doubtful prices count only if all
        // are, but every offer of a marketplace is of the past and of a private host.
        let of_market = offered.iter().filter(|found| found.price.is_of_market());
        let soundest = of_market.clone().map(|found| found.rank().0).min();
        let recent = self.recent();
        let is_usual = |found: &&&OfferedPrice| {
            let setback = found.rank().0;
            let is_of_marketplace = kind == MarketKind::Marketplace
                && setback <= Setback::Price
                && found.day.is_some_and(|day| day >= recent);
            Some(setback) == soundest || is_of_marketplace
        };
        let mut lowest: BTreeMap<ProviderId, Usd> = BTreeMap::new();
        for found in of_market.filter(is_usual) {
            let usd = lowest.entry(found.offer.provider).or_insert(found.likely);
            *usd = found.likely.min(*usd);
        }
        let today = PriceSpread::of(lowest.into_values().map(Usd::decimal).collect());
        let obtainable = offered.iter().filter(|found| !found.is_displaced);
        let cheapest = obtainable.min_by_key(|found| found.rank());
        let quarters = by_quarter(seen, kind, FIRST_QUARTER);
        if cheapest.is_none() && quarters.is_empty() {
            return None;
        }
        Some(MarketOut {
            accelerator: catalog.accelerator_id(accelerator),
            kind,
            capacity_type: kind.capacity(),
            today: today.map(Into::into),
            cheapest: cheapest.map(|found| self.cheapest(found, all)),
            quarters: quarters
                .into_iter()
                .map(|(quarter, spread)| QuarterOut {
                    quarter: quarter.to_string(),
                    prices: spread.into(),
                })
                .collect(),
        })
    }

    fn cheapest(&self, found: &OfferedPrice, all: &[SeenPrice]) -> CheapestOut<'c> {
        let catalog = self.catalog();
        let price = &found.price;
        let compared = standing(all, found.kind, self.recent(), found.likely);
        CheapestOut {
            provider: catalog.provider_id(found.offer.provider),
            instance_type: catalog.str(found.offer.id),
            region: price.region.map(|region| catalog.region_id(region)),
            usd: Num(found.usd.decimal()),
            likely_usd: Num(found.likely.decimal()),
            low_usd: Num(found.low.decimal()),
            high_usd: Num(found.high.decimal()),
            url: link_of(&catalog, &found.offer, price.region),
            kind: price.kind,
            as_of: catalog.str(price.as_of),
            sources: price.sources,
            quality: price.quality,
            age_days: age::days(self.today(), catalog.str(price.as_of)),
            source: catalog.str(price.source),
            reasons: found.reasons.clone(),
            comparison: compared.map(ComparisonOut::from),
        }
    }

    fn answered<Row: Cites>(
        &self,
        schema: &'static str,
        asked: Asked<'c>,
        results: Vec<Row>,
    ) -> PricesAnswer<'c, Row> {
        let catalog: Catalog<'c> = self.catalog();
        let money = asked.money;
        let currency = (!money.is_dollars()).then_some(RateOut {
            code: money.code,
            usd_rate: Num(money.usd_rate),
            rate_as_of: money.rate_as_of,
        });
        let mut notes = asked.notes;
        if results.is_empty() {
            let ids = asked.accelerators.iter();
            let ids: Vec<&str> = ids.map(|id| catalog.accelerator_id(*id)).collect();
            let what = sky_accel_core::text::some_of(&ids);
            let message = format!("the catalog has no dated price of {what} with these filters");
            notes.push(Note::new("no-price", message));
        }
        let envelope = Envelope::new(schema, &catalog, asked.echo, results);
        PricesAnswer {
            envelope: envelope
                .with_overridden(self.overlaid(), None)
                .with_notes(notes)
                .with_more(PricesParts { currency }),
            money,
        }
    }

    /// Today.
    fn day(&self) -> Day {
        Day::of_text(&self.today().to_string()).unwrap_or_default()
    }

    /// The first day of prices that count in a comparison.
    fn recent(&self) -> Day {
        let first = self.today().checked_sub(RECENT_DAYS.days());
        Day::of_text(&first.unwrap_or(Date::MIN).to_string()).unwrap_or_default()
    }
}

impl Cites for MarketOut<'_> {
    fn cite<'r>(&'r self, cited: &mut Cited<'r>) {
        cited.accelerators.insert(self.accelerator);
    }
}

impl Cites for PastPriceOut<'_> {
    fn cite<'r>(&'r self, cited: &mut Cited<'r>) {
        cited.accelerators.insert(self.accelerator);
    }
}

impl Asked<'_> {
    /// Every price of accelerators that are given elsewhere.
    fn all() -> Self {
        Self {
            accelerators: Vec::new(),
            providers: Vec::new(),
            money: Money::DOLLARS,
            echo: PricesEcho {
                specs: Vec::new(),
                providers: Vec::new(),
                capacity_type: CapacityFilter::Any,
                max_age_s: None,
            },
            notes: Vec::new(),
        }
    }

    fn sells(&self, provider: ProviderId) -> bool {
        self.providers.is_empty() || self.providers.contains(&provider)
    }

    fn wants(&self, capacity: CapacityType) -> bool {
        match self.echo.capacity_type {
            CapacityFilter::Any | CapacityFilter::Unspecified => true,
            CapacityFilter::OnDemand => capacity == CapacityType::OnDemand,
            CapacityFilter::Spot => capacity == CapacityType::Spot,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_range_of_marketplaces_has_their_offers_of_six_months() {
        let request = PricesRequest {
            specs: vec!["RTX4090".into()],
            ..PricesRequest::default()
        };
        let engine = Engine::embedded();
        let answer = engine.prices(&request).unwrap();
        let mut markets = answer.envelope.results.iter();
        let market = markets.find(|market| market.kind == MarketKind::Marketplace);
        let sources = market.unwrap().today.as_ref().unwrap().sources;
        let asked = Asked::all();
        let bound = bind(&engine.catalog(), &request.specs).unwrap();
        let offered = engine.offered(bound[0][0].candidates[0].accelerator, &asked);
        let recent = offered.iter().filter(|found| {
            found.kind == MarketKind::Marketplace
                && found.rank().0 < Setback::Product
                && found.price.is_of_market()
                && found.day.is_some_and(|day| day >= engine.recent())
        });
        let sellers: std::collections::BTreeSet<ProviderId> =
            recent.map(|found| found.offer.provider).collect();
        assert!(
            sellers.len() > 1 && sources >= sellers.len(),
            "{sources} of {sellers:?}"
        );
    }

    #[test]
    fn the_offer_to_try_first_is_in_the_range_of_today() {
        let request = PricesRequest {
            specs: vec!["nvidia".into()],
            ..PricesRequest::default()
        };
        let answer = Engine::embedded().prices(&request).unwrap();
        let markets = answer.envelope.results.iter();
        let priced = markets.filter_map(|market| Some((market.today.as_ref()?, market)));
        let mut compared = 0;
        for (today, market) in priced {
            let cheapest = market.cheapest.as_ref().unwrap().likely_usd.0;
            let (low, high) = (today.low_usd.0, today.high_usd.0);
            let id = market.accelerator;
            let band = market.cheapest.as_ref().unwrap();
            assert!(
                band.low_usd.0 <= cheapest && cheapest <= band.high_usd.0,
                "{id}"
            );
            assert!(
                cheapest >= low && cheapest <= high,
                "{id}: {cheapest} in {low} to {high}"
            );
            compared += 1;
        }
        assert!(compared > 10, "{compared}");
    }
}
