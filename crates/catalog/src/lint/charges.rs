//! Charges in the wrong unit, and charges with a date in the future.

use std::ops::RangeInclusive;

use sky_accel_core::catalog::{ChargeItem, ChargeUnit};
use sky_accel_core::text::number;
use sky_accel_core::word::Word as _;

use super::Linter;
use crate::schema::ChargeEntry;
use crate::source::CatalogDocument;

/// Plausible prices of a GB for a month. Prices of a TB are higher, and prices of an hour lower.
const GB_MONTH: RangeInclusive<f64> = 0.001..=2.0;
/// Plausible prices of a GB of traffic.
const GB: RangeInclusive<f64> = 0.0001..=2.0;
/// Plausible prices of an address or a port for an hour. Prices of a month are higher.
const ADDRESS_HOUR: RangeInclusive<f64> = 0.0001..=0.1;

impl Linter<'_, '_> {
    /// Checks charges for prices in the wrong unit and for dates in the future.
    pub(super) fn charges(&mut self, document: &CatalogDocument) {
        for entry in &document.content.charge {
            self.check_not_in_future(document, &entry.as_of);
            let Some((range, what)) = plausible(entry) else {
                continue;
            };
            let tiers = entry.tiers.iter().map(|tier| &tier.price);
            for price in entry.price.iter().chain(tiers) {
                let value = *price.get_ref();
                // A free tier is usual.
                if value > 0.0 && !range.contains(&value) {
                    let message = format!("{} is not a plausible price of {what}", number(value));
                    self.report(document, price, message);
                }
            }
        }
    }
}

/// Returns the plausible prices of a charge, and the name of the unit; `None` for a unit without a usual price.
fn plausible(entry: &ChargeEntry) -> Option<(&'static RangeInclusive<f64>, &'static str)> {
    let unit = entry.per.as_ref()?;
    let item = ChargeItem::from_word(entry.item.get_ref())?;
    match ChargeUnit::from_word(unit.get_ref())? {
        ChargeUnit::GbMonth | ChargeUnit::GibMonth => Some((&GB_MONTH, "a GB for a month")),
        ChargeUnit::Gb | ChargeUnit::Gib => Some((&GB, "a GB of traffic")),
        ChargeUnit::Hour if matches!(item, ChargeItem::Ipv4 | ChargeItem::Port) => {
            Some((&ADDRESS_HOUR, "an address for an hour"))
        }
        _ => None,
    }
}
