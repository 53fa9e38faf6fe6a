//! Requirements of the request that a target may be unable to state: the price limit and the regions.

use sky_accel_core::catalog::{PriceKind, Sells};
use sky_accel_core::plan::Candidate;

use crate::job::{Handover, is_spot};
use crate::{LossCode, Rendered};

impl Handover<'_, '_> {
    /// Returns whether the machine of a candidate always costs the provider's own list price, so that a file with the
    /// machine type holds it to the price limit. The prices of spot machines and of marketplaces change.
    pub(crate) fn has_list_price(&self, candidate: &Candidate) -> bool {
        let offer = self.offer(candidate);
        let price = candidate.quote.map(|quote| self.catalog.price(quote.price));
        let is_listed = price.is_some_and(|price| {
            price.kind != PriceKind::Snapshot && !self.catalog.is_of_host(&offer, &price)
        });
        let sells_for_others = self.catalog.provider(offer.provider).sells == Sells::Marketplace;
        is_listed && !is_spot(candidate) && !sells_for_others
    }

    /// Adds the loss of the price limit for files that name machine types and cannot state a limit, unless list prices
    /// hold it.
    pub(crate) fn lose_price_limit(&self, message: &str, out: &mut Rendered) {
        let is_held = || self.candidates.iter().all(|way| self.has_list_price(way));
        if self.job.max_price.is_some() && !is_held() {
            out.lose(LossCode::MaxPrice, message);
        }
    }

    /// Adds the loss of the requested regions for a file whose region the user fills in, because it is unknown which
    /// regions have the machine.
    pub(crate) fn lose_unknown_region(&self, candidate: &Candidate, out: &mut Rendered) {
        out.lose_given(
            LossCode::Region,
            self.regions.is_some() && self.region(candidate).is_none(),
            "the region of the machine is unknown, so it may be outside the requested regions",
        );
    }
}
