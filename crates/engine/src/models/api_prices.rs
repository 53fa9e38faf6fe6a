//! The prices of a model behind APIs, in short.

use serde::Serialize;
use sky_accel_core::catalog::{Catalog, TokenPrice, TokenUnit};
use sky_accel_core::money::Usd;

use crate::contract::Num;

/// The prices of a model at sellers of tokens, images or audio.
#[derive(Clone, Copy, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct ApiPricesOut {
    /// The unit of the prices.
    pub unit: TokenUnit,
    /// The number of prices; some sellers have several.
    pub prices: usize,
    /// The lowest US dollars per million tokens of input. Missing for other units.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lowest_input_usd: Option<Num>,
    /// The median US dollars per million tokens of input. Missing for other units.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub median_input_usd: Option<Num>,
    /// The lowest US dollars per million tokens of output, or per unit. Missing for models without output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lowest_output_usd: Option<Num>,
    /// The median US dollars per million tokens of output, or per unit. Missing for models without output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub median_output_usd: Option<Num>,
}

impl ApiPricesOut {
    /// The prices of a model on a day such as `2026-11-20`; `None` without known prices.
    pub(super) fn of(catalog: &Catalog<'_>, model: &str, today: &str) -> Option<Self> {
        let mut prices = catalog.token_prices_of(model);
        prices.retain(|price| {
            let retires = catalog.text(price.retires);
            retires.is_none_or(|day| day > today)
        });
        // A model has prices of one unit.
        let unit = prices.first()?.unit;
        prices.retain(|price| price.unit == unit);
        let sorted = |of: fn(&TokenPrice) -> Option<Usd>| {
            let mut usd: Vec<Usd> = prices.iter().filter_map(of).collect();
            usd.sort_unstable();
            usd
        };
        let (input, output) = (sorted(|price| price.input), sorted(|price| price.output));
        let at = |usd: &[Usd], place: usize| usd.get(place).map(|usd| Num(usd.decimal()));
        Some(Self {
            unit,
            prices: prices.len(),
            lowest_input_usd: at(&input, 0),
            median_input_usd: at(&input, input.len() / 2),
            lowest_output_usd: at(&output, 0),
            median_output_usd: at(&output, output.len() / 2),
        })
    }
}
