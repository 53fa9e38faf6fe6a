//! The error of an answer without offers because all prices are older than `max_age`.

use sky_accel_core::bind::BoundChoice;
use sky_accel_core::catalog::{AcceleratorId, Catalog, OfferId, OfferKind, ProviderId};
use sky_accel_core::resolve::{LikelyPrices, Request, resolve};
use sky_accel_core::text::counted;

use crate::code::ErrorCode;
use crate::error::Error;

/// Returns the error of an answer of which only prices are missing, because all prices of these accelerators at these
/// providers are older than `max_age`.
pub(crate) fn no_price_left(
    catalog: &Catalog<'_>,
    likely: &LikelyPrices,
    accelerators: impl IntoIterator<Item = AcceleratorId>,
    sells: impl Fn(ProviderId) -> bool,
) -> Error {
    let accelerators = accelerators.into_iter();
    let offers = accelerators.flat_map(|id| catalog.offers_of(id));
    let sold = offers.filter(|id| sells(catalog.offer(*id).provider));
    no_price_of(catalog, likely, sold)
}

/// Returns the same error for these offers.
pub(crate) fn no_price_of(
    catalog: &Catalog<'_>,
    likely: &LikelyPrices,
    offers: impl Iterator<Item = OfferId>,
) -> Error {
    let offers: Vec<OfferId> = offers.collect();
    // Prices of shares and of managed services are not those of a machine.
    let is_machine = |id: &OfferId| {
        let kind = catalog.offer(*id).kind;
        let is_part = matches!(kind, OfferKind::Share | OfferKind::Attached);
        !is_part && kind != OfferKind::Endpoint
    };
    let newest = |offers: &mut dyn Iterator<Item = OfferId>| {
        let aged = offers.flat_map(|id| {
            let prices = catalog.prices(&catalog.offer(id)).iter();
            prices.filter_map(move |price| Some((likely.age_days(catalog, &price)?, id)))
        });
        AgedPrice::newest(catalog, aged)
    };
    let of_machines = newest(&mut offers.iter().copied().filter(is_machine));
    NewestPrice(of_machines.or_else(|| newest(&mut offers.into_iter()))).error(false)
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
        let (days, offer) = aged.min()?;
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
    use super::*;
    use crate::Engine;

    #[test]
    fn the_newest_price_is_of_a_machine_where_there_is_one() {
        let engine = Engine::embedded();
        let (catalog, likely) = (engine.catalog(), engine.likely_prices());
        let is_other = |id: &OfferId| {
            let kind = catalog.offer(*id).kind;
            matches!(
                kind,
                OfferKind::Share | OfferKind::Attached | OfferKind::Endpoint
            )
        };
        let newest = |offers: &[OfferId]| {
            let offers = offers.iter().copied();
            no_price_of(&catalog, &likely, offers).to_string()
        };
        let mut with_others = 0;
        for accelerator in catalog.accelerator_ids() {
            let all: Vec<OfferId> = catalog.offers_of(accelerator).collect();
            let (others, machines): (Vec<_>, Vec<_>) = all.iter().copied().partition(is_other);
            let has_age = !newest(&machines).contains("no price has a known age");
            let expected = if has_age { &machines } else { &others };
            let id = catalog.accelerator_id(accelerator);
            assert_eq!(newest(&all), newest(expected), "{id}");
            with_others += usize::from(has_age && newest(&others) < newest(&machines));
        }
        assert!(with_others > 0);
    }
}
