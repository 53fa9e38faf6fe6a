//! The specs that a search of machines matches with offers.

use std::collections::BTreeSet;

use sky_accel_core::bind::{BoundChoice, Candidate};
use sky_accel_core::catalog::{
    AcceleratorId, Catalog, MAX_PER_MACHINE, ProviderId, SoldAccelerator, Status,
};
use sky_accel_core::money::Count;
use sky_accel_core::resolve::{PriceTier, Request};
use sky_accel_core::spec::CountRange;

use super::search::SearchInput;

/// The bound specs to search: first all offers with a fixed number of devices, then, for each number of devices that
/// machines have, the accelerators that are sold in any number. The flag is true for the first spec. Also the rows of the
/// index to search.
pub(super) fn bound_specs_to_search(
    catalog: &Catalog<'_>,
    input: &SearchInput<'_>,
) -> (Vec<(BoundChoice, bool)>, RowsToSearch) {
    let request = input.offers;
    let any = BoundChoice::any_with_memory(catalog, CountRange::exactly(Count::ONE));
    let is_asked = |id| request.providers.is_empty() || request.providers.contains(&id);
    let mut counts: BTreeSet<Count> = [1, 2, 4, 8].map(Count::whole).into();
    let (mut fixed, mut flexible) = (Vec::new(), Vec::new());
    let mut rows = RowsToSearch::default();
    for candidate in &any.candidates {
        let (mut has_fixed, mut has_flexible) = (false, false);
        for row in catalog.sold(candidate.accelerator) {
            rows.add(catalog, request, *candidate, row);
            let is_machine = |count: &Count| count.is_whole() && *count <= MAX_PER_MACHINE;
            counts.extend(row.count.filter(is_machine));
            has_fixed |= row.count.is_some() && is_asked(row.provider);
            has_flexible |= row.count.is_none() && is_asked(row.provider);
        }
        fixed.extend(has_fixed.then_some(*candidate));
        flexible.extend(has_flexible.then_some(*candidate));
    }
    let in_any_number = CountRange {
        min: Count(1),
        max: None,
    };
    let fixed_counts = BoundChoice {
        candidates: fixed,
        count: in_any_number,
        ..any.clone()
    };
    let with_count = |count: Count| {
        let is_allowed = |candidate: &Candidate| {
            let on = input.on;
            on.is_none_or(|on| on.allows(candidate.accelerator, count))
        };
        let candidates = flexible
            .iter()
            .copied()
            .filter(|candidate| is_allowed(candidate));
        let wanted = BoundChoice {
            candidates: candidates.collect(),
            count: CountRange::exactly(count),
            ..any.clone()
        };
        (wanted, false)
    };
    let wanted = std::iter::once((fixed_counts, true)).chain(counts.into_iter().map(with_count));
    let wanted = wanted.filter(|(wanted, _)| !wanted.candidates.is_empty());
    (wanted.collect(), rows)
}

/// A row of the index, with its accelerator as a candidate.
type Row = (Candidate, SoldAccelerator);

/// The rows of the index whose machines may be sized. The index is read once for all specs.
#[derive(Default)]
pub(super) struct RowsToSearch {
    /// Machines with a fixed number of devices.
    pub fixed: Vec<Row>,
    /// Machines in any number of devices.
    pub in_any_number: Vec<Row>,
    /// The number of rows without a fixed number of devices, whether their machines may be sized or not.
    pub without_count: usize,
}

impl RowsToSearch {
    fn add(
        &mut self,
        catalog: &Catalog<'_>,
        request: &Request,
        candidate: Candidate,
        sold: SoldAccelerator,
    ) {
        self.without_count += usize::from(sold.count.is_none());
        if !may_be_sized(catalog, request, &sold) {
            return;
        }
        let rows = match sold.count {
            Some(_) => &mut self.fixed,
            None => &mut self.in_any_number,
        };
        rows.push((candidate, sold));
    }
}

/// True if the machines of a row may be sized: on offer today, at a price that ranks them, and neither slices nor parts
/// of machines. Others are not judged, which takes longer.
pub(super) fn may_be_sized(
    catalog: &Catalog<'_>,
    request: &Request,
    sold: &SoldAccelerator,
) -> bool {
    let price = request
        .capacity_filter
        .ranking_quote(sold.on_demand, sold.spot, |usd| *usd);
    if sold.status != Status::Offered || price.is_none() {
        return false;
    }
    let offer = catalog.offer(sold.offer);
    let count = sold.count.unwrap_or(Count::ONE);
    offer.mig_profile.len == 0 && !offer.is_part(count)
}

/// A request for the first-party machines of a provider with several price tiers, and the accelerators that it sells.
pub(super) struct FirstParty {
    pub request: Request,
    pub sells: BTreeSet<AcceleratorId>,
}

/// The requests for first-party machines. They cost more than machines of private hosts, but rank above them.
pub(super) fn first_party_requests(catalog: &Catalog<'_>, request: &Request) -> Vec<FirstParty> {
    if request.price_tier.is_some() {
        return Vec::new();
    }
    let rows = catalog.providers.iter().zip((0..).map(ProviderId));
    let tiered = rows.filter(|(row, id)| {
        let is_asked = request.providers.is_empty() || request.providers.contains(id);
        row.marketplace_tiers.len > 0 && is_asked
    });
    let first_party = tiered.filter_map(|(row, id)| {
        let is_first_party = |tier: &&str| {
            !catalog
                .strings(row.marketplace_tiers)
                .any(|marketplace| marketplace == *tier)
        };
        let tier = catalog.strings(row.tiers).find(is_first_party)?;
        let offers = catalog.provider_offers(id).iter();
        Some(FirstParty {
            request: Request {
                providers: vec![id],
                price_tier: PriceTier::parse(catalog, tier).ok()?,
                ..request.clone()
            },
            sells: offers
                .flat_map(|offer| catalog.accelerators(offer.accelerators))
                .collect(),
        })
    });
    first_party.collect()
}
