//! The price that ranks and limits machines, and its maximum age.

use jiff::civil::Date;
use serde::Serialize;
use sky_accel_core::resolve::{LikelyPrices, PriceBasis};

use crate::age;
use crate::filter::{OfferFilter, is_likely};

/// The price that ranks and limits machines, and its maximum age: the part of an [`OfferFilter`] that commands without
/// its other fields have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PricePolicy {
    /// The price that ranks and limits machines. Omitted for the likely price of today.
    #[serde(rename = "price", skip_serializing_if = "is_likely")]
    pub basis: PriceBasis,
    /// The maximum age of a price in seconds: older prices are left out. Omitted without a limit.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max_age_s: Option<u64>,
}

impl PricePolicy {
    /// A filter with this policy and no other limit.
    pub(crate) fn filter(self) -> OfferFilter {
        OfferFilter {
            max_age_s: self.max_age_s,
            price: self.basis,
            ..OfferFilter::default()
        }
    }

    /// The estimator of the prices of a day under this policy.
    pub(crate) fn likely_prices(self, today: Date) -> LikelyPrices {
        LikelyPrices::on(&today.to_string())
            .with_basis(self.basis)
            .not_older_than(self.max_age_s.map(age::whole_days))
    }
}
