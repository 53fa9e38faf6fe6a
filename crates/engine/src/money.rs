//! Amounts in a requested currency.

use sky_accel_core::catalog::Catalog;
use sky_accel_core::suggest;
use sky_accel_core::text::{grouped_to, list_and, number};

use crate::code::ErrorCode;
use crate::error::{Error, Result};
use crate::num::Num;
use crate::text::dollars;

/// The code of the US dollar.
const USD: &str = "USD";

/// A currency for output.
#[derive(Clone, Debug, PartialEq)]
pub struct Money<'a> {
    /// The ISO 4217 code, such as `EUR`.
    pub code: &'a str,
    /// US dollars per unit.
    pub usd_rate: f64,
    /// The date of the rate; empty for US dollars.
    pub rate_as_of: &'a str,
}

impl<'a> Money<'a> {
    /// US dollars, the currency of stored prices.
    pub const DOLLARS: Self = Self {
        code: USD,
        usd_rate: 1.0,
        rate_as_of: "",
    };

    /// The currency with a code, in upper or lower case; US dollars without a code.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::BadValue`] for a currency whose rate the catalog does not have.
    pub fn of(catalog: &Catalog<'a>, code: Option<&str>) -> Result<Self> {
        let Some(code) = code.filter(|code| !code.eq_ignore_ascii_case(USD)) else {
            return Ok(Self::DOLLARS);
        };
        let row = catalog
            .currencies
            .iter()
            .find(|row| catalog.str(row.code).eq_ignore_ascii_case(code));
        let row = row.ok_or_else(|| {
            let rows = catalog.currencies.iter();
            let mut codes: Vec<&str> = rows.map(|row| catalog.str(row.code)).collect();
            codes.push(USD);
            codes.sort_unstable();
            let near = suggest::closest(code, codes.iter().copied());
            let currencies = list_and(&codes);
            let message = format!("no rate of '{code}' is known: the catalog has {currencies}");
            Error::new(ErrorCode::BadValue, message).hint(near)
        })?;
        Ok(Self {
            code: catalog.str(row.code),
            usd_rate: row.usd,
            rate_as_of: catalog.str(row.as_of),
        })
    }

    /// Returns true if no conversion is needed.
    pub fn is_dollars(&self) -> bool {
        self.code == USD
    }

    /// Converts US dollars to this currency.
    pub fn from_usd(&self, usd: Num) -> Num {
        Num(usd.0 / self.usd_rate)
    }

    /// Formats an amount of US dollars in this currency: `$4.20`, or `3.75 EUR`.
    pub fn text(&self, usd: Num) -> String {
        if self.is_dollars() {
            return dollars(usd);
        }
        let amount = self.from_usd(usd).0;
        let places = if amount < 1.0 { 3 } else { 2 };
        format!("{} {}", grouped_to(amount, places), self.code)
    }

    /// The exchange rate as a sentence: `1 EUR is $1.1206, the rate of 2026-10-09`; `None` for US dollars.
    pub fn rate(&self) -> Option<String> {
        let Self {
            code, rate_as_of, ..
        } = self;
        let rate = number(self.usd_rate);
        (!self.is_dollars()).then(|| format!("1 {code} is ${rate}, the rate of {rate_as_of}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::EMBEDDED;

    #[test]
    fn converts_with_the_exchange_rate() {
        let euros = Money::of(&EMBEDDED, Some("eur")).unwrap();
        assert_eq!(euros.code, "EUR");
        let usd = Num(4.2 * euros.usd_rate);
        assert_eq!(euros.text(usd), "4.20 EUR");
        assert_eq!(Money::DOLLARS.text(Num(4.2)), "$4.20");
        assert_eq!(Money::of(&EMBEDDED, None).unwrap(), Money::DOLLARS);
        let error = Money::of(&EMBEDDED, Some("EURO")).unwrap_err();
        assert_eq!(error.problems[0].hints, ["EUR"]);
    }
}
