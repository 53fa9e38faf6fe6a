//! Listings put into tables.

use std::collections::{BTreeMap, HashMap};

use jiff::Timestamp;
use sky_accel_catalog::{FreshOffer, Tables};
use sky_accel_core::catalog::{AcceleratorId, Catalog, ProviderId, Str};
use sky_accel_core::money::Count;
use sky_accel_core::note::Note;
use sky_accel_core::text::some_of;
use sky_accel_providers::{
    Access, CapacityBlock, ErrorKind, Interruptions, ProviderError, Quota, SpotScore,
};

use crate::ask::{Listings, LiveRequest};
use crate::identify::Identifier;
use crate::left_out::{not_asked, notes};
use crate::rows::Filler;

/// The answers of the providers.
pub struct Live {
    /// The catalog with what the providers say now.
    pub tables: Tables,
    /// Facts that only live answers have, by provider and instance type.
    pub extras: BTreeMap<(ProviderId, String), Extras>,
    /// In the order of the catalog.
    pub answers: Vec<Answer>,
    /// Remarks on the answers.
    pub notes: Vec<Note>,
}

/// How one provider answered.
pub struct Answer {
    /// The provider.
    pub provider: ProviderId,
    /// The outcome of asking it.
    pub outcome: Outcome,
    /// Parts that failed while the rest was answered.
    pub problems: Vec<ProviderError>,
    /// Whether nothing is missing in what was answered: each part, and each row with its price.
    pub is_whole: bool,
}

/// The outcome of asking a provider.
pub enum Outcome {
    /// It answered.
    Answered {
        /// When the oldest price was fetched, in seconds since 1970 (UTC).
        fetched_at: i64,
        /// True if the answer came from the cache.
        cached: bool,
        /// When the oldest list of instance types was fetched, in the same seconds; `None` where there is none.
        types_at: Option<i64>,
        /// Whether it was asked with a key.
        access: Access,
    },
    /// It failed, or refused.
    Failed(ProviderError),
    /// It was not asked, since it needs a key and there is none: what the catalog says of it stands.
    NotAsked(ProviderError),
    /// It has no API that is known here: what the catalog says of it stands.
    FromCatalog,
}

impl Live {
    /// The errors of all providers when every one of them failed or was not asked.
    pub fn all_failed(&self) -> Option<Vec<&ProviderError>> {
        self.answers
            .iter()
            .map(|answer| match &answer.outcome {
                Outcome::Failed(error) | Outcome::NotAsked(error) => Some(error),
                _ => None,
            })
            .collect()
    }

    /// Everything that failed: whole providers, and parts of the answers of others.
    pub fn failures(&self) -> impl Iterator<Item = &ProviderError> {
        self.answers.iter().flat_map(|answer| {
            let failed = match &answer.outcome {
                Outcome::Failed(error) => Some(error),
                _ => None,
            };
            failed.into_iter().chain(&answer.problems)
        })
    }
}

/// Facts that only live answers have.
#[derive(Clone, Debug, Default)]
pub struct Extras {
    /// Machines of a marketplace behind the offer, by the count of devices in thousandths.
    pub machines: BTreeMap<u32, u32>,
    /// Spot placement scores, by region.
    pub spot_scores: Vec<SpotScore>,
    /// How often spot machines are interrupted, by region.
    pub interruptions: Vec<Interruptions>,
    /// Capacity blocks on sale.
    pub capacity_blocks: Vec<CapacityBlock>,
    /// Quotas of the account.
    pub quotas: Vec<Quota>,
}

/// Replaces what the providers that answered sell. Those that failed or were not asked sell
/// nothing: an old price must not stand among new ones.
pub(crate) fn put_together(
    catalog: &Catalog<'_>,
    listings: Listings,
    request: &LiveRequest,
) -> Live {
    let mut live = Live {
        tables: Tables::copy_of(catalog),
        extras: BTreeMap::new(),
        answers: Vec::new(),
        notes: Vec::new(),
    };
    let identifier = Identifier::new(catalog);
    let mut from_catalog = Vec::new();
    let mut fresh = Vec::new();
    for (provider, listing) in listings {
        let (outcome, problems, is_whole) = match listing {
            None => {
                from_catalog.push(provider);
                (Outcome::FromCatalog, Vec::new(), true)
            }
            Some(Err(error))
                if error.kind == ErrorKind::CredentialsMissing
                    && !request.required.contains(&provider) =>
            {
                from_catalog.push(provider);
                live.notes.push(not_asked(&error));
                (Outcome::NotAsked(error), Vec::new(), true)
            }
            Some(Err(error)) => (Outcome::Failed(error), Vec::new(), true),
            Some(Ok(listing)) => {
                let outcome = Outcome::Answered {
                    fetched_at: listing.fetched_at,
                    cached: listing.cached,
                    types_at: listing.types_at,
                    access: listing.access,
                };
                let mut filler = Filler::new(&identifier, &mut live, provider, &listing);
                let offers: Vec<FreshOffer> = listing
                    .offers
                    .iter()
                    .filter_map(|offer| filler.offer(offer))
                    .collect();
                if !listing.problems.is_empty() && listing.is_feed() {
                    fresh.extend(filler.unanswered(&offers));
                }
                fresh.extend(merged(offers));
                let left = filler.left;
                let is_whole = listing.is_whole() && left.implausible == 0;
                notes(
                    catalog.provider_id(provider),
                    &listing,
                    &left,
                    &mut live.notes,
                );
                (outcome, listing.problems, is_whole)
            }
        };
        live.answers.push(Answer {
            provider,
            outcome,
            problems,
            is_whole,
        });
    }
    let catalog_only: Vec<&str> = live
        .answers
        .iter()
        .filter(|answer| matches!(answer.outcome, Outcome::FromCatalog))
        .map(|answer| catalog.provider_id(answer.provider))
        .collect();
    if let Some(aggregator) = request.aggregator {
        let is_required = |id: &&&str| {
            let provider = catalog.provider_named(id);
            provider.is_some_and(|provider| request.required.contains(&provider))
        };
        let missing: Vec<&str> = catalog_only.iter().filter(is_required).copied().collect();
        if !missing.is_empty() {
            let message = format!(
                "{} does not collect the prices of {}",
                aggregator.name(),
                some_of(&missing)
            );
            live.notes.push(Note::new("not-collected", message));
        }
    } else if !catalog_only.is_empty() {
        let message = format!(
            "this build cannot ask {}: the prices shown are from the catalog",
            some_of(&catalog_only)
        );
        live.notes.push(Note::new("no-live-source", message));
    }
    let replaced: Vec<ProviderId> = (0..catalog.providers.len() as u16)
        .map(ProviderId)
        .filter(|id| !from_catalog.contains(id))
        .collect();
    live.tables.replace_offers(&replaced, fresh);
    live
}

/// Machines that report a little more or less memory for the same card are one offer: all prices,
/// and the host of the one with the lowest.
fn merged(offers: Vec<FreshOffer>) -> Vec<FreshOffer> {
    let mut merged: Vec<FreshOffer> = Vec::new();
    let mut places: HashMap<(Str, Option<Count>, Vec<AcceleratorId>), usize> = HashMap::new();
    for offer in offers {
        let key = (offer.row.id, offer.row.count, offer.accelerators.clone());
        let Some(place) = places.get(&key) else {
            places.insert(key, merged.len());
            merged.push(offer);
            continue;
        };
        let known = &mut merged[*place];
        let lowest = |offer: &FreshOffer| offer.prices.iter().map(|price| price.usd).min();
        if lowest(&offer) < lowest(known) {
            known.row = offer.row;
        }
        known.prices.extend(offer.prices);
        known.regions.extend(offer.regions);
        known.regions.sort_unstable();
        known.regions.dedup();
    }
    merged
}

/// RFC 3339, in UTC.
pub fn timestamp(seconds: i64) -> String {
    Timestamp::from_second(seconds)
        .map(|at| at.to_string())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use sky_accel_core::catalog::{
        Availability, CapacityType, Offer, Price, PriceKind, Quality, RegionId, Rows,
    };
    use sky_accel_core::money::Usd;

    use super::*;

    fn offer(count: u32, vcpu: f64, usd: u64, region: u32) -> FreshOffer {
        let mut row = Offer::bare(ProviderId(0), Str { start: 3, len: 4 }, AcceleratorId(0));
        row.count = Some(Count::whole(count));
        row.vcpu = Some(vcpu);
        FreshOffer {
            row,
            accelerators: vec![AcceleratorId(1)],
            regions: vec![RegionId(region)],
            prices: vec![Price {
                capacity: CapacityType::OnDemand,
                kind: PriceKind::Live,
                tier: 0,
                statistic: None,
                count: None,
                region: None,
                seen_in: Rows::default(),
                usd: Usd(usd),
                per_accelerator: false,
                currency: Str::default(),
                charged: 0,
                quality: Quality::Provider,
                source: Str::default(),
                as_of: Str::default(),
                availability: Availability::Available,
                zone: Str::default(),
                listing: Str::default(),
            }],
        }
    }

    #[test]
    fn equal_machines_are_one_offer_with_the_host_of_the_cheapest() {
        let offers = merged(vec![
            offer(8, 64.0, 300, 2),
            offer(4, 32.0, 10, 1),
            offer(8, 96.0, 200, 1),
            offer(8, 48.0, 250, 2),
        ]);
        let shown: Vec<_> = offers
            .iter()
            .map(|offer| {
                let usd: Vec<u64> = offer.prices.iter().map(|price| price.usd.0).collect();
                let regions: Vec<u32> = offer.regions.iter().map(|region| region.0).collect();
                (offer.row.vcpu, usd, regions)
            })
            .collect();
        assert_eq!(
            shown,
            [
                (Some(96.0), vec![300, 200, 250], vec![1, 2]),
                (Some(32.0), vec![10], vec![1]),
            ]
        );
    }
}
