//! The cheapest set of equal machines with a number of accelerators.

use super::answer::Match;
use super::likely::LikelyPrices;
use super::quote::offer_at;
use super::setback::Setback;
use crate::catalog::{AcceleratorId, Catalog, Offer, OfferKind, Sells, Status};
use crate::money::{Count, Usd};

/// Several equal machines, with their total price.
#[derive(Clone, Debug)]
pub struct Machines {
    /// One of the machines.
    pub machine: Match,
    /// The number of machines.
    pub machines: u32,
    /// The likely price of today of all machines, on demand, in USD per hour.
    pub usd: Usd,
}

/// Returns whether tenants may partition the GPUs of an offer, of which equal machines can be had: whole GPUs of
/// providers that are not known to forbid MIG, but not of marketplaces and managed services.
pub fn is_to_cut(catalog: &Catalog<'_>, offer: &Offer) -> bool {
    let provider = catalog.provider(offer.provider);
    // A managed service does not let its users partition GPUs, nor does the host of a container unless its provider
    // says so, and a share is partitioned already.
    let is_machine = match offer.kind {
        OfferKind::Endpoint | OfferKind::Share => false,
        OfferKind::Container => provider.tenant_mig == Some(true),
        OfferKind::Machine | OfferKind::Attached | OfferKind::Slice => true,
    };
    is_machine
        && offer.status == Status::Offered
        && offer.mig_profile.len == 0
        && provider.tenant_mig != Some(false)
        && provider.sells != Sells::Marketplace
}

/// Returns the cheapest set of equal machines with `gpus` GPUs in all, of [offers that tenants may
/// partition](is_to_cut) and with a known on-demand price. It prefers prices without doubts. `None` without such an
/// offer.
pub fn cheapest_to_cut(
    catalog: &Catalog<'_>,
    accelerator: AcceleratorId,
    gpus: u32,
    likely: Option<&LikelyPrices>,
) -> Option<Machines> {
    let mut best: Option<(Setback, Machines)> = None;
    for id in catalog.offers_of(accelerator) {
        let offer = catalog.offer(id);
        if !is_to_cut(catalog, &offer) {
            continue;
        }
        let max_count = offer.max_count.map_or(1, |max| max.0 / 1000);
        let counts = match offer.count {
            Some(count) => vec![count],
            None => (1..=max_count).map(Count::whole).collect(),
        };
        for count in counts
            .into_iter()
            .filter(|count| *count >= Count::ONE && count.is_whole())
        {
            let machines = (gpus * 1000).div_ceil(count.0);
            let machine = offer_at(catalog, id, accelerator, count, likely);
            let Some(quote) = machine.on_demand else {
                continue;
            };
            let setback = Setback::of_reasons(&machine.reasons);
            let usd = quote.likely.usd.times(Count::whole(machines));
            let key = (setback, usd);
            if best
                .as_ref()
                .is_none_or(|(setback, best)| key < (*setback, best.usd))
            {
                let found = Machines {
                    machine,
                    machines,
                    usd,
                };
                best = Some((setback, found));
            }
        }
    }
    best.map(|(_, best)| best)
}
