//! Tables in which committed prices replace the prices on demand, so that all other code ranks them.

use sky_accel_core::catalog::{
    Availability, CapacityType, Catalog, CommitmentBasis, CommitmentFilter, Offer, OfferId, Price,
    PriceKind, ReplacedPrices, Rows, Str, share_of,
};
use sky_accel_core::money::Usd;
use sky_accel_core::resolve::{CommittedPrice, ranking_commitments};

use crate::Tables;

impl Tables {
    /// Returns a copy of a catalog in which the prices of each offer are those of the requested commitments. Spot prices
    /// stay. An offer without a known committed price has no price on demand; [`Catalog::uncommitted`] finds the old prices.
    pub fn committed(catalog: &Catalog<'_>, filter: CommitmentFilter) -> Self {
        let mut tables = Self::copy_of(catalog);
        let mut replaced = Vec::with_capacity(catalog.offers.len());
        for (at, offer) in catalog.offers.iter().enumerate() {
            let rows = prices(catalog, &offer, filter);
            let old = offer.prices;
            let prices = tables.prices.append(rows);
            tables.offers.set(at, Offer { prices, ..offer });
            replaced.push(ReplacedPrices {
                offer: OfferId::of_index(at),
                prices: old,
            });
        }
        tables.replaced_prices.extend(replaced);
        tables.commitment_request.push(filter);
        tables.index_offers();
        tables
    }
}

/// Returns the committed prices of an offer and its spot prices.
fn prices(catalog: &Catalog<'_>, offer: &Offer, filter: CommitmentFilter) -> Vec<Price> {
    let old = catalog.prices(offer);
    let mut rows: Vec<Price> = Vec::new();
    for committed in ranking_commitments(catalog, offer, filter) {
        let basis = committed.commitment.basis;
        if basis == CommitmentBasis::Share {
            let on_demand = old.iter().filter(|price| {
                let tier = committed.commitment.tier;
                price.capacity == CapacityType::OnDemand
                    && tier.is_none_or(|tier| tier == price.tier)
            });
            rows.extend(on_demand.map(|price| share(&committed, &price)));
        } else {
            rows.push(price(&committed));
        }
    }
    rows.extend(
        old.iter()
            .filter(|price| price.capacity == CapacityType::Spot),
    );
    rows
}

/// A price that is a share of a price on demand.
fn share(committed: &CommittedPrice, on_demand: &Price) -> Price {
    let millionths = share_of(Usd(committed.commitment.figure), committed.share).0;
    Price {
        kind: PriceKind::Committed,
        usd: share_of(on_demand.usd, millionths),
        currency: Str::default(),
        charged: 0,
        quality: committed.quality.max(on_demand.quality),
        ..*on_demand
    }
}

fn price(committed: &CommittedPrice) -> Price {
    let CommittedPrice {
        commitment,
        share,
        quality,
        source,
        as_of,
        ..
    } = *committed;
    Price {
        capacity: CapacityType::OnDemand,
        kind: PriceKind::Committed,
        tier: commitment.tier.unwrap_or(0),
        statistic: None,
        count: None,
        region: commitment.region,
        seen_in: Rows::default(),
        usd: share_of(Usd(commitment.figure), share),
        per_accelerator: commitment.basis == CommitmentBasis::Accelerator,
        currency: Str::default(),
        charged: 0,
        quality,
        sources: 1,
        source,
        as_of,
        availability: Availability::Unknown,
        zone: Str::default(),
        listing: Str::default(),
    }
}
