//! Currency of the tables.

use sky_accel_engine::{Money, OfferFilter};

use crate::context::{Context, Result};

/// Returns the currency of the tables.
pub fn money<'c>(context: &Context<'c>, offers: &OfferFilter) -> Result<Money<'c>> {
    Ok(offers.money(&context.engine.catalog())?)
}
