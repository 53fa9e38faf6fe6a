//! The error of an answer without offers because all prices are older than `max_age`.

use sky_accel_core::bind::BoundChoice;
use sky_accel_core::catalog::{AcceleratorId, Catalog, Offer, OfferId};
use sky_accel_core::resolve::{LikelyPrices, Request, resolve};
use sky_accel_core::text::counted;

use crate::code::ErrorCode;
use crate::error::Error;

/// Returns the error of an answer of which only prices are missing, because all prices of the offers of these
/// accelerators that count are older than `max_age`.
pub(crate) fn no_price_left(
    catalog: &Catalog<'_>,
    likely: &LikelyPrices,
    accelerators: impl IntoIterator<Item = AcceleratorId>,
    counts: impl Fn(&Offer) -> bool,
) -> Error {
    let accelerators = accelerators.into_iter();
    let offers = accelerators.flat_map(|id| catalog.offers_of(id));
    let counted = offers.filter(|id| counts(&catalog.offer(*id)));
    no_price_of(catalog, likely, counted)
}

/// Returns the same error for these offers.
pub(crate) fn no_price_of(
    catalog: &Catalog<'_>,
    likely: &LikelyPrices,
    offers: impl Iterator<Item = OfferId>,
) -> Error {
    let aged = offers.flat_map(|id| {
        let prices = catalog.prices(&catalog.offer(id)).iter();
        prices.filter_map(move |price| Some((likely.age_days(catalog, &price)?, id)))
    });
    NewestPrice(AgedPrice::newest(catalog, aged)).error(false)
}

/// The newest of the prices that are too old; `None` if no price has a known age.
#[derive(Clone, Debug)]
pub(crate) struct NewestPrice(Option<AgedPrice>);

/// The age of the price of an offer.
#[derive(Clone, Debug)]
struct AgedPrice {
    days: i32,
    offer: String,
}

impl AgedPrice {
    /// Returns the newest of prices, each with its age in days and its offer.
    fn newest(catalog: &Catalog<'_>, aged: impl Iterator<Item = (i32, OfferId)>) -> Option<Self> {
        // A date in the future says nothing about the age.
        let (days, offer) = aged.filter(|(days, _)| *days >= 0).min()?;
        let offer = catalog.offer(offer);
        let provider = catalog.provider_id(offer.provider);
        Some(Self {
            days,
            offer: format!("{provider} {}", catalog.str(offer.id)),
        })
    }
}

impl NewestPrice {
    /// Returns the newest price of offers that match but for the age of their prices; `None` without a maximum age, and
    /// without such offers.
    pub fn of(catalog: &Catalog<'_>, wanted: &[BoundChoice], request: &Request) -> Option<Self> {
        let likely = request.likely.as_ref();
        let likely = likely.filter(|likely| likely.has_max_age())?;
        let of_any_age = Request {
            likely: Some(likely.clone().not_older_than(None)),
            limit: None,
            ..request.clone()
        };
        let old = resolve(catalog, wanted, &of_any_age).matches;
        let filter = request.capacity_filter;
        let aged = old.iter().filter_map(|found| {
            let days = found.ranking_quote(filter)?.age_days?;
            Some((days, found.offer))
        });
        let newest = AgedPrice::newest(catalog, aged);
        (!old.is_empty()).then_some(Self(newest))
    }

    /// Returns the error. `can_be_live` says whether the command can query providers.
    pub fn error(&self, can_be_live: bool) -> Error {
        let message = match &self.0 {
            Some(AgedPrice { days, offer }) => {
                let age = counted(days, "day");
                format!(
                    "every price is older than `max_age` allows: the newest, of {offer}, is {age} old"
                )
            }
            None => "no price has a known age, which `max_age` needs".to_owned(),
        };
        Error::new(ErrorCode::DataTooOld, message).advise(if can_be_live {
            "query providers for current prices with `live`"
        } else {
            "allow older prices, or refresh them: `sky-accel catalog update --public`"
        })
    }
}

#[cfg(test)]
mod tests {
    use sky_accel_core::catalog::OfferKind;

    use super::*;
    use crate::Engine;

    #[test]
    fn the_newest_price_is_of_an_offer_that_counts() {
        let engine = Engine::embedded();
        let (catalog, likely) = (engine.catalog(), engine.likely_prices());
        let is_machine = |offer: &Offer| offer.kind == OfferKind::Machine;
        let mut differing = 0;
        for id in catalog.accelerator_ids() {
            let newest = |counts: &dyn Fn(&Offer) -> bool| {
                let offers = catalog.offers_of(id);
                let offers = offers.map(|offer| catalog.offer(offer)).filter(counts);
                let prices = offers.flat_map(|offer| catalog.prices(&offer).iter());
                let ages = prices.filter_map(|price| likely.age_days(&catalog, &price));
                let message = no_price_left(&catalog, &likely, [id], counts).to_string();
                (ages.min(), message)
            };
            for (age, message) in [newest(&|_| true), newest(&is_machine)] {
                let expected = match age {
                    Some(1) => ", is 1 day old".to_owned(),
                    Some(days) => format!(", is {days} days old"),
                    None => "no price has a known age".to_owned(),
                };
                assert!(message.contains(&expected), "{message}: {age:?}");
            }
            differing += usize::from(newest(&|_| true) != newest(&is_machine));
        }
        assert!(differing > 0);
    }
}
