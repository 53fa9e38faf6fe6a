//! Prices that other lists have for something else: a bid, another currency, another system.

use sky_accel_core::catalog::{CapacityType, Price, RegionId};
use sky_accel_core::text::number;

use super::Linter;
use super::prices::Stated;
use crate::schema;

/// How near two figures are that were computed the same way.
const EXACT: f64 = 0.002;

impl Linter<'_, '_> {
    /// Says that the price of an auction is stated as a list price.
    pub(super) fn bid(&self, stated: &Stated<'_>) -> Option<String> {
        let offer = self.catalog.offer(stated.id);
        let provider = self.catalog.provider(offer.provider);
        let kind = stated.item.kind.as_ref().map(|kind| &kind.get_ref()[..]);
        (provider.is_auction && !matches!(kind, Some("snapshot" | "estimate"))).then(|| {
            format!(
                "{} sells by auction, where a bid is no price: what was paid is of kind \"snapshot\"",
                self.catalog.str(provider.name)
            )
        })
    }

    /// Says that an amount in another currency is stated as one in dollars.
    pub(super) fn other_currency(&self, stated: &Stated<'_>) -> Option<String> {
        // The currency of the file's defaults may stand beside an amount in dollars.
        let is_foreign = |amount: schema::StatedAmount<'_>| amount.currency.is_some();
        if stated.item.stated().is_ok_and(is_foreign) {
            return None;
        }
        Self::before(stated).find_map(|price| {
            let code = self.shipped.text(price.currency)?;
            let charged = price.charged as f64 / 1e6;
            let charged = if price.per_accelerator {
                charged * stated.count
            } else {
                charged
            };
            is_near(stated.total, charged).then(|| {
                format!(
                    "{} is the amount in {code}: say `currency = \"{code}\"` and `per_hour`",
                    number(stated.usd)
                )
            })
        })
    }

    /// Says that a price is the one with Windows.
    pub(super) fn windows(&self, stated: &Stated<'_>) -> Option<String> {
        let offer = self.catalog.offer(stated.id);
        let each = self.catalog.provider(offer.provider).windows_usd_per_vcpu?;
        let license = each * offer.vcpu.filter(|_| !offer.vcpu_per_accelerator)?;
        let region = |price: &Price| {
            let region = price.region.map(|id: RegionId| self.shipped.region_id(id));
            region.is_none() || stated.region.is_none_or(|name| region == Some(name))
        };
        let mut linux = Self::before(stated).filter(|price| region(price));
        linux
            .any(|price| {
                let usd = stated.whole(price);
                usd < stated.total && is_near(stated.total, usd + license)
            })
            .then(|| {
                format!(
                    "{}{} is the price with Windows: {} USD per vCPU more than that of Linux",
                    number(stated.usd),
                    stated.place,
                    number(each)
                )
            })
    }

    /// The prices of the same capacity type that an offer has without the user's files.
    fn before<'p>(stated: &Stated<'p>) -> impl Iterator<Item = &'p Price> {
        let is_spot = stated.item.capacity_type.get_ref() == CapacityType::Spot.word();
        let prices = stated.peers.shipped.iter();
        prices.filter(move |price| (price.capacity == CapacityType::Spot) == is_spot)
    }
}

fn is_near(a: f64, b: f64) -> bool {
    (a - b).abs() <= b * EXACT
}
