//! Prices in currencies other than the US dollar.

use serde::Serialize;

use super::{Num, OfferOut, PriceOut};
use crate::money::Money;

/// The currency that a provider charges, if it is not the US dollar.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct CurrencyOut<'a> {
    /// The ISO 4217 code, such as `EUR`.
    pub code: &'a str,
    /// The price per hour for the whole offer in this currency.
    pub per_hour: Num,
    /// The exchange rate of `usd_per_hour`: US dollars for one unit.
    pub usd_rate: Num,
    /// The date of the exchange rate.
    pub rate_as_of: &'a str,
}

impl<'a> Money<'a> {
    /// The price of an offer in this currency. An amount charged in this currency is not converted.
    fn of_price(&self, price: &PriceOut<'a>) -> CurrencyOut<'a> {
        let charged = price.currency.as_ref();
        charged
            .filter(|charged| charged.code == self.code)
            .cloned()
            .unwrap_or_else(|| CurrencyOut {
                code: self.code,
                per_hour: Num((self.from_usd(price.usd_per_hour).0 * 1e6).round() / 1e6),
                usd_rate: Num(self.usd_rate),
                rate_as_of: self.rate_as_of,
            })
    }

    /// Adds this currency to a price.
    pub(crate) fn restate_price(&self, price: &mut PriceOut<'a>) {
        if !self.is_dollars() {
            price.currency = Some(self.of_price(price));
        }
    }

    /// Adds this currency to all prices of an offer.
    pub(crate) fn restate(&self, offer: &mut OfferOut<'a>) {
        let prices = [&mut offer.on_demand, &mut offer.spot, &mut offer.committed];
        for price in prices.into_iter().flatten().chain(&mut offer.other_prices) {
            self.restate_price(price);
        }
        if !self.is_dollars() {
            let leading = offer.on_demand.as_ref().or(offer.spot.as_ref());
            offer.currency = leading.and_then(|price| price.currency.clone());
        }
    }
}
