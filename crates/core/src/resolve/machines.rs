//! The cheapest equal machines that have so many accelerators together.

use super::{Match, offer_at};
use crate::catalog::{AcceleratorId, Catalog, Sells, Status};
use crate::money::{Count, Usd};

/// Equal machines.
#[derive(Clone, Debug)]
pub struct Machines {
    pub machine: Match,
    pub machines: u32,
    /// On demand, for all of them.
    pub usd: Usd,
}

/// The cheapest ones whose GPUs a tenant may cut, as far as is known, with known on-demand prices.
pub fn cheapest_to_cut(
    catalog: &Catalog<'_>,
    accelerator: AcceleratorId,
    gpus: u32,
) -> Option<Machines> {
    let mut best: Option<Machines> = None;
    for id in catalog.offers_of(accelerator) {
        let offer = catalog.offer(id);
        let provider = catalog.provider(offer.provider);
        let is_whole = offer.status == Status::Offered && offer.mig_profile.len == 0;
        if !is_whole || provider.tenant_mig == Some(false) || provider.sells == Sells::Marketplace {
            continue;
        }
        let most = offer.max_count.map_or(1, |max| max.0 / 1000);
        let counts = match offer.count {
            Some(count) => vec![count],
            None => (1..=most).map(Count::whole).collect(),
        };
        for count in counts
            .into_iter()
            .filter(|count| *count >= Count::ONE && count.is_whole())
        {
            let machines = (gpus * 1000).div_ceil(count.0);
            let machine = offer_at(catalog, id, accelerator, count);
            let Some(quote) = machine.on_demand else {
                continue;
            };
            let usd = quote.usd.times(Count::whole(machines));
            if best.as_ref().is_none_or(|best| usd < best.usd) {
                best = Some(Machines {
                    machine,
                    machines,
                    usd,
                });
            }
        }
    }
    best
}
