//! Listings put into tables.

use std::collections::{BTreeMap, HashMap};

use jiff::Timestamp;
use sky_accel_catalog::{FreshOffer, Tables};
use sky_accel_core::catalog::{
    AcceleratorId, CapacityType, Catalog, Offer, Price, PriceKind, ProviderId, Quality, RegionId,
    Rows, Status, Str,
};
use sky_accel_core::money::{Count, Usd};
use sky_accel_core::note::Note;
use sky_accel_core::text::{printable, some_of};
use sky_accel_providers::{self as live, CapacityBlock, Listing, ProviderError, Quota, SpotScore};

use crate::ask::Listings;
use crate::identify::{Identifier, Identity};

/// The most characters of an unknown name that a note repeats.
const MAX_UNKNOWN: usize = 40;
/// The source that a live figure names.
const SOURCE: &str = "asked live";
/// Names of unknown devices that a note repeats.
const NAMED: usize = 3;

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
    },
    /// It failed, or refused.
    Failed(ProviderError),
    /// It has no API that is known here: what the catalog says of it stands.
    FromCatalog,
}

impl Live {
    /// The errors of all providers when every one of them failed.
    pub fn all_failed(&self) -> Option<Vec<&ProviderError>> {
        self.answers
            .iter()
            .map(|answer| match &answer.outcome {
                Outcome::Failed(error) => Some(error),
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
    /// Capacity blocks on sale.
    pub capacity_blocks: Vec<CapacityBlock>,
    /// Quotas of the account.
    pub quotas: Vec<Quota>,
}

/// Replaces what the providers that answered sell. Those that failed or were not asked sell
/// nothing: an old price must not stand among new ones.
pub(crate) fn put_together(catalog: &Catalog<'_>, listings: Listings) -> Live {
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
        let (outcome, problems) = match listing {
            None => {
                from_catalog.push(provider);
                (Outcome::FromCatalog, Vec::new())
            }
            Some(Err(error)) => (Outcome::Failed(error), Vec::new()),
            Some(Ok(listing)) => {
                let outcome = Outcome::Answered {
                    fetched_at: listing.fetched_at,
                    cached: listing.cached,
                    types_at: listing.types_at,
                };
                let mut filler = Filler {
                    identifier: &identifier,
                    live: &mut live,
                    provider,
                    lacks_on_demand: listing.lacks_on_demand,
                    from_catalog: false,
                    unknown: BTreeMap::new(),
                };
                let offers: Vec<FreshOffer> = listing
                    .offers
                    .iter()
                    .filter_map(|offer| filler.offer(offer))
                    .collect();
                fresh.extend(merged(offers));
                let (unknown, from_catalog) = (filler.unknown, filler.from_catalog);
                if from_catalog {
                    let id = catalog.provider_id(provider);
                    let message = format!(
                        "{id}: on-demand prices are the catalog's, with their dates: the live ones are missing"
                    );
                    live.notes.push(Note::new("catalog-prices", message));
                }
                notes(
                    catalog.provider_id(provider),
                    &listing,
                    &unknown,
                    &mut live.notes,
                );
                (outcome, listing.problems)
            }
        };
        live.answers.push(Answer {
            provider,
            outcome,
            problems,
        });
    }
    let catalog_only: Vec<&str> = live
        .answers
        .iter()
        .filter(|answer| matches!(answer.outcome, Outcome::FromCatalog))
        .map(|answer| catalog.provider_id(answer.provider))
        .collect();
    if !catalog_only.is_empty() {
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

/// Adds the notes about a listing.
fn notes(
    provider: &str,
    listing: &Listing,
    unknown: &BTreeMap<String, u32>,
    notes: &mut Vec<Note>,
) {
    for remark in &listing.remarks {
        notes.push(Note::new(
            "provider-remark",
            format!("{provider}: {remark}"),
        ));
    }
    if !listing.dropped.is_empty() {
        let parts = listing
            .dropped
            .iter()
            .map(|d| format!("{} {}", d.rows, d.because.words()));
        let message = format!(
            "{provider}: rows left out: {}",
            parts.collect::<Vec<_>>().join(", ")
        );
        notes.push(Note::new("rows-left-out", message));
    }
    if !unknown.is_empty() {
        let offers: u32 = unknown.values().sum();
        let mut names: Vec<String> = unknown
            .keys()
            .take(NAMED)
            .map(|name| format!("'{name}'"))
            .collect();
        if unknown.len() > NAMED {
            names.push(format!("{} more", unknown.len() - NAMED));
        }
        let message = format!(
            "{provider}: {offers} {} with accelerators that the catalog does not know: {}",
            if offers == 1 { "offer" } else { "offers" },
            names.join(", ")
        );
        notes.push(Note::new("unknown-accelerator", message));
    }
}

/// Turns the offers of one provider into rows.
struct Filler<'f, 'a> {
    identifier: &'f Identifier<'a>,
    live: &'f mut Live,
    provider: ProviderId,
    /// Whether on-demand prices are missing.
    lacks_on_demand: bool,
    /// Whether a price of the catalog stands where a live one is missing.
    from_catalog: bool,
    /// Names of devices that nobody knows, and how many offers have them.
    unknown: BTreeMap<String, u32>,
}

impl Filler<'_, '_> {
    fn offer(&mut self, offer: &live::Offer) -> Option<FreshOffer> {
        let identity = self
            .identifier
            .identify(self.provider, &offer.id, offer.hardware.as_ref());
        let catalog = self.identifier.catalog;
        let (base, accelerators) = match identity {
            Identity::Listed(id) => {
                let base = catalog.offer(id);
                let accelerators = catalog.accelerators(base.accelerators).to_vec();
                (Some(base), accelerators)
            }
            Identity::New(accelerators) => (None, accelerators),
            Identity::Unknown => {
                self.count_unknown(offer);
                return None;
            }
        };
        let count = match offer.count {
            Some(count) => Count::from_decimal(count)?,
            None => base?.count?,
        };
        let mut regions: Vec<RegionId> = Vec::new();
        for region in &offer.regions {
            let id = self.region(&region.id, region.country.as_deref());
            regions.extend(id.filter(|id| !regions.contains(id)));
        }
        let prices = self.prices(offer, base.as_ref(), &regions);
        let row = self.row(offer, base.as_ref(), *accelerators.first()?, count);
        self.extras(offer, count);
        Some(FreshOffer {
            row,
            accelerators,
            regions,
            prices,
        })
    }

    /// Counts an offer of a device that the catalog does not know, by the device's name.
    fn count_unknown(&mut self, offer: &live::Offer) {
        let hardware = offer.hardware.as_ref();
        let name = hardware.map_or(&offer.id, |hardware| &hardware.name);
        let size = hardware
            .and_then(|hardware| hardware.memory_mib)
            .map(|mib| format!(" ({mib:.0} MiB)"))
            .unwrap_or_default();
        let device = format!("{}{size}", printable(cut(name, MAX_UNKNOWN)));
        *self.unknown.entry(device).or_default() += 1;
    }

    /// The prices of an offer; on-demand prices of the catalog where the live ones are missing.
    fn prices(
        &mut self,
        offer: &live::Offer,
        base: Option<&Offer>,
        regions: &[RegionId],
    ) -> Vec<Price> {
        let mut prices: Vec<Price> = offer
            .prices
            .iter()
            .filter_map(|price| self.price(price))
            .collect();
        let is_on_demand = |price: &Price| price.capacity == CapacityType::OnDemand;
        if self.lacks_on_demand && !prices.iter().any(is_on_demand) {
            let listed = base
                .map(|base| self.list_prices(base, regions))
                .unwrap_or_default();
            self.from_catalog |= !listed.is_empty();
            prices.extend(listed);
        }
        prices
    }

    /// The row of an offer: what the provider says, over what the catalog says in `base`.
    fn row(
        &mut self,
        offer: &live::Offer,
        base: Option<&Offer>,
        accelerator: AcceleratorId,
        count: Count,
    ) -> Offer {
        let newest = offer.prices.iter().map(|price| price.as_of).max();
        let tables = &mut self.live.tables;
        let id = tables.intern(&offer.id);
        let as_of = tables.intern(&newest.map(timestamp).unwrap_or_default());
        let source = tables.intern(SOURCE);
        let known = base
            .copied()
            .unwrap_or_else(|| Offer::bare(self.provider, id, accelerator));
        let live_or = |live: Option<f64>, known: Option<f64>, per_accelerator: bool| {
            live.or_else(|| whole(known, per_accelerator, count))
        };
        let memory_mib = offer
            .hardware
            .as_ref()
            .and_then(|hardware| hardware.memory_mib);
        Offer {
            display_name: offer
                .display_name
                .as_deref()
                .map_or(known.display_name, |name| tables.intern(name)),
            count: Some(count),
            max_count: None,
            memory_mib: known.memory_mib.or(memory_mib),
            vcpu: live_or(offer.vcpu, known.vcpu, known.vcpu_per_accelerator),
            host_memory_gib: live_or(
                offer.host_memory_gib,
                known.host_memory_gib,
                known.host_memory_per_accelerator,
            ),
            vcpu_per_accelerator: false,
            host_memory_per_accelerator: false,
            host_arch: offer
                .host_arch
                .as_deref()
                .map_or(known.host_arch, |arch| tables.intern(arch)),
            status: if offer.reserved_only {
                Status::ReservedOnly
            } else {
                Status::Offered
            },
            status_note: if offer.reserved_only {
                known.status_note
            } else {
                Str::default()
            },
            source,
            as_of: if newest.is_some() || base.is_none() {
                as_of
            } else {
                known.as_of
            },
            ..known
        }
    }

    fn region(&mut self, id: &str, country: Option<&str>) -> Option<RegionId> {
        self.live.tables.open_region(self.provider, id, country)
    }

    fn price(&mut self, price: &live::Price) -> Option<Price> {
        let usd = Usd::from_decimal(price.usd).filter(|usd| *usd > Usd(0))?;
        let region = match &price.region {
            Some(id) => Some(self.region(id, None)?),
            None => None,
        };
        let tiers = self.identifier.catalog.provider(self.provider).tiers;
        let tier = price.tier.as_deref().and_then(|tier| {
            self.identifier
                .catalog
                .strings(tiers)
                .position(|known| known == tier)
        });
        let [zone, listing] =
            [&price.zone, &price.listing].map(|id| id.as_deref().unwrap_or_default());
        let tables = &mut self.live.tables;
        Some(Price {
            capacity: price.capacity,
            kind: PriceKind::Live,
            tier: tier.and_then(|tier| u8::try_from(tier).ok()).unwrap_or(0),
            statistic: price
                .zone
                .as_ref()
                .map(|_| sky_accel_core::catalog::Statistic::LowestZone),
            count: None,
            region,
            seen_in: Rows::default(),
            usd,
            per_accelerator: false,
            currency: Str::default(),
            charged: 0,
            quality: Quality::Provider,
            source: tables.intern(SOURCE),
            as_of: tables.intern(&timestamp(price.as_of)),
            availability: price.availability,
            zone: tables.intern(zone),
            listing: tables.intern(listing),
        })
    }

    /// The catalog's on-demand prices, dated as they are, where the live part is missing.
    fn list_prices(&self, base: &Offer, regions: &[RegionId]) -> Vec<Price> {
        let catalog = self.identifier.catalog;
        let listed = catalog.prices(base).iter().filter(|price| {
            price.capacity == CapacityType::OnDemand
                && price.region.is_none_or(|region| regions.contains(&region))
        });
        listed.collect()
    }

    fn extras(&mut self, offer: &live::Offer, count: Count) {
        let is_plain = offer.machines.is_none()
            && offer.spot_scores.is_empty()
            && offer.capacity_blocks.is_empty()
            && offer.quotas.is_empty();
        if is_plain {
            return;
        }
        let key = (self.provider, offer.id.clone());
        let extras = self.live.extras.entry(key).or_default();
        if let Some(machines) = offer.machines {
            *extras.machines.entry(count.0).or_default() += machines;
        }
        extras.spot_scores.clone_from(&offer.spot_scores);
        extras.capacity_blocks.clone_from(&offer.capacity_blocks);
        extras.quotas.clone_from(&offer.quotas);
    }
}

/// A figure for the machine where the catalog has it for one device.
fn whole(figure: Option<f64>, per_accelerator: bool, count: Count) -> Option<f64> {
    figure.map(|n| {
        if per_accelerator {
            n * count.decimal()
        } else {
            n
        }
    })
}

/// The beginning of a text.
fn cut(text: &str, characters: usize) -> &str {
    let end = text
        .char_indices()
        .nth(characters)
        .map_or(text.len(), |(at, _)| at);
    &text[..end]
}

/// RFC 3339, in UTC.
pub fn timestamp(seconds: i64) -> String {
    Timestamp::from_second(seconds)
        .map(|at| at.to_string())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use sky_accel_core::catalog::Availability;

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
