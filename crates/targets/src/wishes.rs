//! Demands of the request that a target may be unable to hold: providers and the price limit.

use sky_accel_core::catalog::{PriceKind, Sells};
use sky_accel_core::plan::Candidate;

use crate::job::{Handover, is_spot};
use crate::{LossCode, Rendered};

impl Handover<'_, '_> {
    /// Returns whether the machine of a candidate always costs the provider's own list price, so that a file with the
    /// machine type holds it to the price limit. The prices of spot machines and of marketplaces change.
    pub(crate) fn has_list_price(&self, candidate: &Candidate) -> bool {
        let provider = self.catalog.provider(self.offer(candidate).provider);
        let is_listed = candidate
            .quote
            .is_some_and(|quote| self.catalog.price(quote.price).kind != PriceKind::Snapshot);
        let mut marketplace_tiers = self.catalog.strings(provider.marketplace_tiers);
        let tier = self.tier(candidate);
        let is_of_others = provider.sells == Sells::Marketplace
            || marketplace_tiers.any(|name| Some(name) == tier);
        is_listed && !is_spot(candidate) && !is_of_others
    }

    /// Adds the loss of the price limit for files that name machine types and cannot state a limit, unless list prices
    /// hold it.
    pub(crate) fn lose_price_limit(&self, message: &str, out: &mut Rendered) {
        let is_held = || self.candidates.iter().all(|way| self.has_list_price(way));
        if self.job.max_price.is_some() && !is_held() {
            out.lose(LossCode::MaxPrice, message);
        }
    }
}
