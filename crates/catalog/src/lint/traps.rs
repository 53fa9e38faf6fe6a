//! Amounts that are not list prices in dollars: a bid, an amount in another currency, a price that includes Windows.

use sky_accel_core::catalog::{CapacityType, Price, RegionId};
use sky_accel_core::text::number;

use super::Linter;
use super::prices::LintedAmount;
use crate::schema;

/// The maximum relative difference between two computed figures that count as equal.
const EXACT: f64 = 0.002;

impl Linter<'_, '_> {
    /// Reports a list price of a provider that sells by auction.
    pub(super) fn bid(&self, stated: &LintedAmount<'_>) -> Option<String> {
        let offer = self.catalog.offer(stated.id);
        let provider = self.catalog.provider(offer.provider);
        let kind = stated.item.kind.as_ref().map(|kind| &kind.get_ref()[..]);
        (provider.is_auction && !matches!(kind, Some("snapshot" | "estimate"))).then(|| {
            format!(
                "{} sells by auction, and a bid is not a list price: use kind \"snapshot\" for a price that was paid",
                self.catalog.str(provider.name)
            )
        })
    }

    /// Reports an amount in another currency that is stated in dollars.
    pub(super) fn other_currency(&self, stated: &LintedAmount<'_>) -> Option<String> {
        // The currency of the file's defaults does not apply to an amount in dollars.
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
                    "{} is the amount in {code}: set `currency = \"{code}\"` and `per_hour`",
                    number(stated.usd)
                )
            })
        })
    }

    /// Reports a price that includes Windows.
    pub(super) fn windows(&self, stated: &LintedAmount<'_>) -> Option<String> {
        let offer = self.catalog.offer(stated.id);
        let per_vcpu = self.catalog.provider(offer.provider).windows_usd_per_vcpu?;
        let license = per_vcpu * offer.vcpu.filter(|_| !offer.vcpu_per_accelerator)?;
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
                    "{}{} is the price with Windows: {} USD per vCPU more than with Linux",
                    number(stated.usd),
                    stated.place,
                    number(per_vcpu)
                )
            })
    }

    /// Returns the prices of the same capacity type without the user's files.
    fn before<'p>(stated: &LintedAmount<'p>) -> impl Iterator<Item = &'p Price> {
        let is_spot = stated.item.capacity_type.get_ref() == CapacityType::Spot.word();
        let prices = stated.peers.shipped.iter();
        prices.filter(move |price| (price.capacity == CapacityType::Spot) == is_spot)
    }
}

fn is_near(a: f64, b: f64) -> bool {
    (a - b).abs() <= b * EXACT
}
