//! The prices of an offer under commitments.

use std::collections::BTreeSet;

use super::likely::LikelyPrices;
use crate::catalog::{
    CapacityType, Catalog, Commitment, CommitmentBasis, CommitmentFilter, MILLION, Offer, Price,
    Quality, RegionId, Str, Upfront, share_of,
};
use crate::money::{Count, Usd};

/// A price of an offer under a commitment.
#[derive(Clone, Copy, Debug)]
pub struct CommittedPrice {
    /// The commitment, with the figure of the payment without upfront part.
    pub commitment: Commitment,
    /// The payment; `None` if it is not stated.
    pub upfront: Option<Upfront>,
    /// The share of the stated figure, in millionths.
    pub share: u64,
    /// The quality of the price.
    pub quality: Quality,
    /// The source of the price, or of its share.
    pub source: Str,
    /// The date of the price.
    pub as_of: Str,
}

impl CommittedPrice {
    /// Returns the price in US dollars per hour of `count` accelerators with their machine; `None` if it is unknown.
    /// `on_demand` is the price on demand of the same machine.
    pub fn of_machine(&self, count: Count, on_demand: Option<Usd>) -> Option<Usd> {
        let figure = share_of(Usd(self.commitment.figure), self.share);
        match self.commitment.basis {
            CommitmentBasis::Machine => Some(figure),
            CommitmentBasis::Accelerator => Some(figure.times(count)),
            CommitmentBasis::Share => on_demand.map(|usd| share_of(usd, figure.0)),
            CommitmentBasis::AcceleratorAlone | CommitmentBasis::Unknown => None,
        }
    }

    /// Returns the price in US dollars per hour of one accelerator without the rest of its machine; `None` if the price
    /// is not of that kind.
    pub fn of_accelerator_alone(&self) -> Option<Usd> {
        (self.commitment.basis == CommitmentBasis::AcceleratorAlone)
            .then(|| share_of(Usd(self.commitment.figure), self.share))
    }

    /// Returns the share of the price that is paid at the start of the term; `None` if it is not known.
    pub fn upfront_share(&self) -> Option<f64> {
        match self.upfront? {
            Upfront::None => Some(0.0),
            Upfront::Partial => None,
            Upfront::All => Some(1.0),
        }
    }
}

/// Returns the prices of an offer under the requested commitments, including prices derived from other prices.
pub fn committed_prices(
    catalog: &Catalog<'_>,
    offer: &Offer,
    filter: CommitmentFilter,
) -> Vec<CommittedPrice> {
    let mut found: Vec<CommittedPrice> = Vec::new();
    for commitment in catalog.commitments(offer) {
        let is_length = filter
            .days
            .is_none_or(|days| catalog.program(&commitment).has_length(days));
        if !filter.admits(commitment.term()) || !is_length {
            continue;
        }
        found.push(CommittedPrice {
            commitment,
            upfront: commitment.upfront,
            share: MILLION,
            quality: commitment.quality,
            source: commitment.source,
            as_of: commitment.as_of,
        });
    }
    let stated = found.clone();
    for base in stated {
        let commitment = base.commitment;
        if commitment.upfront != Some(Upfront::None) || commitment.basis == CommitmentBasis::Unknown
        {
            continue;
        }
        let program = catalog.program(&commitment);
        let days = commitment.term().days();
        for payment in catalog.derived_payments.run(program.derived) {
            let is_stated = |other: &CommittedPrice| {
                let other = &other.commitment;
                (other.program, other.term(), other.region)
                    == (commitment.program, commitment.term(), commitment.region)
                    && other.upfront == Some(payment.upfront)
            };
            if Some(payment.days) != days || found.iter().any(is_stated) {
                continue;
            }
            // The same price by documentation is as good as the price that it is equal to.
            let is_same = u64::from(payment.share) == MILLION;
            found.push(CommittedPrice {
                commitment,
                upfront: Some(payment.upfront),
                share: payment.share.into(),
                quality: if is_same {
                    base.quality
                } else {
                    Quality::Pattern
                },
                source: if is_same { base.source } else { payment.source },
                as_of: base.as_of,
            });
        }
    }
    found.retain(|price| filter.upfront.is_none() || price.upfront == filter.upfront);
    found
}

/// Returns the prices that rank an offer: those of [`committed_prices`] for the whole machine, with the least upfront
/// payment of each kind, term and region unless a payment is requested.
pub fn ranking_commitments(
    catalog: &Catalog<'_>,
    offer: &Offer,
    filter: CommitmentFilter,
) -> Vec<CommittedPrice> {
    let all = committed_prices(catalog, offer, filter);
    let ranks = |price: &CommittedPrice| {
        let basis = price.commitment.basis;
        let has_price = !matches!(
            basis,
            CommitmentBasis::AcceleratorAlone | CommitmentBasis::Unknown
        );
        let is_least = all.iter().all(|other| {
            let (one, two) = (&price.commitment, &other.commitment);
            let is_same =
                (one.program, one.term(), one.region) == (two.program, two.term(), two.region);
            !is_same || price.upfront <= other.upfront
        });
        has_price && is_least && filter.is_priced(&price.commitment)
    };
    all.iter().copied().filter(ranks).collect()
}

/// Returns whether a commitment applies in a region.
pub fn applies_in(commitment: &Commitment, region: Option<RegionId>) -> bool {
    commitment.region.is_none() || region.is_none() || commitment.region == region
}

/// A machine with a price on demand.
#[derive(Clone, Copy, Debug)]
pub struct PricedMachine<'o> {
    /// The offer.
    pub offer: &'o Offer,
    /// The number of accelerators.
    pub count: Count,
    /// The region; `None` for any.
    pub region: Option<RegionId>,
}

impl PricedMachine<'_> {
    /// Returns the stated prices on demand.
    fn prices<'c>(self, catalog: &Catalog<'c>) -> impl Iterator<Item = Price> + use<'c> {
        let Self {
            offer,
            count,
            region,
        } = self;
        catalog.prices(offer).iter().filter(move |price| {
            price.capacity == CapacityType::OnDemand
                && !price.is_committed()
                && price.count.is_none_or(|known| known == count)
                && (price.region.is_none() || region.is_none() || price.region == region)
        })
    }

    /// Returns the lowest stated price on demand, in a price tier if one is named.
    pub fn on_demand(self, catalog: &Catalog<'_>, tier: Option<u8>) -> Option<Usd> {
        let price = self.lowest(catalog, tier)?;
        Some(price.of_machine(self.count))
    }

    /// Returns the likely price of today for the price that [`Self::on_demand`] returns.
    pub fn likely_on_demand(
        self,
        catalog: &Catalog<'_>,
        likely: &LikelyPrices,
        tier: Option<u8>,
    ) -> Option<Usd> {
        let price = self.lowest(catalog, tier)?;
        Some(likely.of(catalog, self.offer, &price, self.count).usd)
    }

    fn lowest(self, catalog: &Catalog<'_>, tier: Option<u8>) -> Option<Price> {
        let prices = self.prices(catalog);
        let of_tier = prices.filter(|price| tier.is_none_or(|tier| price.tier == tier));
        of_tier.min_by_key(|price| price.of_machine(self.count))
    }

    /// Returns the price tiers in which the machine has a price on demand.
    pub fn tiers(self, catalog: &Catalog<'_>) -> BTreeSet<u8> {
        self.prices(catalog).map(|price| price.tier).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::ProviderId;

    #[test]
    fn figures_are_of_machines_accelerators_or_shares() {
        let priced = |basis, share| CommittedPrice {
            commitment: Commitment {
                provider: ProviderId(0),
                offer: Str::default(),
                program: 0,
                from_days: 365,
                until_days: 365,
                upfront: None,
                basis,
                figure: 400_000,
                is_lowest: false,
                up_to_discount: 0,
                tier: None,
                region: None,
                quality: Quality::default(),
                note: Str::default(),
                source: Str::default(),
                as_of: Str::default(),
            },
            upfront: None,
            share,
            quality: Quality::default(),
            source: Str::default(),
            as_of: Str::default(),
        };
        let on_demand = Some(Usd(10_000_000));
        for (basis, of_machine, alone) in [
            (CommitmentBasis::Machine, Some(400_000), None),
            (CommitmentBasis::Accelerator, Some(3_200_000), None),
            (CommitmentBasis::Share, Some(4_000_000), None),
            (CommitmentBasis::AcceleratorAlone, None, Some(400_000)),
            (CommitmentBasis::Unknown, None, None),
        ] {
            let of = |share: u64| {
                let price = priced(basis, share);
                let machine = price.of_machine(Count::whole(8), on_demand);
                (machine, price.of_accelerator_alone())
            };
            assert_eq!(
                of(MILLION),
                (of_machine.map(Usd), alone.map(Usd)),
                "{basis:?}"
            );
            // Another payment is a share of the figure.
            let half = |usd: Option<u64>| usd.map(|usd| Usd(usd / 2));
            assert_eq!(
                of(MILLION / 2),
                (half(of_machine), half(alone)),
                "{basis:?}"
            );
        }
        let share = priced(CommitmentBasis::Share, MILLION);
        assert_eq!(share.of_machine(Count::whole(8), None), None);
    }
}
