//! Converts the offers of a provider to rows of the catalog.

use std::collections::{HashMap, HashSet};

use sky_accel_catalog::{FreshOffer, UsualPrices};
use sky_accel_core::bind::form_stem;
use sky_accel_core::catalog::{
    AcceleratorId, CapacityType, Catalog, MAX_PER_MACHINE, Offer, Price, PriceKind, ProviderId,
    Quality, RegionId, Rows, Sells, Status, Str,
};
use sky_accel_core::memory::{Gigabytes, nearest_size};
use sky_accel_core::money::{Count, Usd};
use sky_accel_core::text::printable;
use sky_accel_providers::{self as live, Access, Listing};

use crate::answers::{Live, source_name};
use crate::clock::timestamp;
use crate::contract::with_contract;
use crate::identify::{Identifier, Identity};
use crate::plausible::{DevicePrices, KnownPrices};
use crate::skipped::SkippedRows;
use crate::stock::{PriceStock, availability, with_words_as_answers};

/// The maximum length of an unknown name in a note, in characters.
const MAX_UNKNOWN: usize = 40;

/// Builds the rows of one provider's offers.
pub(crate) struct OfferRowBuilder<'f, 'a> {
    identifier: &'f Identifier<'a>,
    live: &'f mut Live,
    provider: ProviderId,
    /// True if on-demand prices are missing.
    lacks_on_demand: bool,
    /// Set if the answer lists machine types without the ways in which they are sold.
    lists_types: Option<fn(&str) -> bool>,
    /// True for public data, which may lack regions and prices.
    is_feed: bool,
    /// True for the data of an aggregator, which ranks after the provider's own data.
    is_aggregated: bool,
    /// True if the provider charges in another currency than US dollars.
    charges_otherwise: bool,
    /// True if an id means one kind of machine, with one count.
    sells_machines: bool,
    /// The ids of machines that the answer lists with different counts.
    of_several_counts: HashSet<String>,
    quality: Quality,
    /// The source of the figures.
    source: Str,
    /// The regions of the provider, by name.
    regions: HashMap<String, RegionId>,
    /// The regions that were opened.
    open: HashSet<RegionId>,
    device_prices: DevicePrices,
    pub(crate) skipped: SkippedRows,
}

impl<'f, 'a> OfferRowBuilder<'f, 'a> {
    pub(crate) fn new(
        identifier: &'f Identifier<'a>,
        live: &'f mut Live,
        provider: ProviderId,
        listing: &Listing,
    ) -> Self {
        let sells = identifier.catalog.provider(provider).sells;
        let sells_machines = sells == Sells::InstanceTypes;
        let (quality, source) = match &listing.edition {
            None => {
                let name = identifier.catalog.provider(provider).name;
                let name = identifier.catalog.str(name);
                let mut offers = listing.offers.iter();
                let has_prices = offers.any(|offer| !offer.prices.is_empty());
                let access = if listing.has_public_prices && has_prices {
                    Access::Public
                } else {
                    listing.access
                };
                (Quality::Provider, source_name(name, access))
            }
            Some(edition) => (
                Quality::Aggregator,
                format!("{} {}", edition.name, edition.version),
            ),
        };
        Self {
            source: live.tables.intern(&source),
            identifier,
            live,
            provider,
            lacks_on_demand: listing.lacks_on_demand,
            lists_types: listing.lists_types,
            is_feed: listing.access == Access::Public || listing.has_public_prices,
            is_aggregated: listing.edition.is_some(),
            charges_otherwise: listing.edition.is_some() && charges_otherwise(identifier, provider),
            sells_machines,
            of_several_counts: if sells_machines {
                with_several_counts(&listing.offers)
            } else {
                HashSet::new()
            },
            quality,
            regions: regions_of(&identifier.catalog, provider),
            open: HashSet::new(),
            device_prices: DevicePrices::new(provider),
            skipped: SkippedRows::default(),
        }
    }

    pub(crate) fn offer(&mut self, offer: &live::Offer) -> Option<FreshOffer> {
        let offer = &*with_words_as_answers(offer, self.live.machines);
        let identity = self
            .identifier
            .identify(self.provider, &offer.id, offer.hardware.as_ref());
        let catalog = self.identifier.catalog;
        if self.is_aggregated && !self.is_credible(offer, &identity) {
            return None;
        }
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
        let stated = match offer.count {
            Some(count) => Some(Count::from_decimal(count)),
            None => base
                .and_then(|base| base.count)
                .or_else(|| self.counted(offer, &accelerators))
                .map(Some),
        };
        let Some(count) = stated else {
            self.count_unknown(offer);
            return None;
        };
        let known_count = base.and_then(|base| base.count);
        let is_possible = |count: &Count| *count <= MAX_PER_MACHINE || known_count == Some(*count);
        let Some(count) = count.filter(is_possible) else {
            self.skipped.impossible_counts += 1;
            return None;
        };
        // An instance type is one kind of machine: with another count, its price is of something
        // else.
        let is_contradictory = match known_count {
            Some(known) => self.sells_machines && known != count,
            None => self.of_several_counts.contains(&offer.id),
        };
        if is_contradictory {
            self.skipped.contradictory += 1;
            return None;
        }
        let regions = self.regions_of(offer, base.as_ref());
        let refused = self.skipped.refused_prices();
        let prices = self.prices(offer, base.as_ref(), count, &accelerators, &regions);
        if prices.is_empty() && self.skipped.refused_prices() > refused {
            return None;
        }
        let row = self.row(offer, base.as_ref(), *accelerators.first()?, count);
        self.extras(offer, count, row.status);
        Some(FreshOffer {
            row,
            accelerators,
            regions,
            prices,
        })
    }

    /// Returns true if the answer does not list such offers, whether they are sold or not.
    pub(crate) fn is_beyond_list(&self, id: &str) -> bool {
        self.lists_types.is_some_and(|is_listed| !is_listed(id))
    }

    /// Returns the catalog's offers that are missing from an incomplete answer: they may still be
    /// sold.
    pub(crate) fn unanswered(&self, answered: &[FreshOffer]) -> Vec<FreshOffer> {
        let (catalog, live) = (self.identifier.catalog, self.live.tables.catalog());
        let ids = answered.iter().map(|offer| live.str(offer.row.id));
        let ids: HashSet<&str> = ids.collect();
        let offers = catalog.offers.iter();
        let missing = offers.filter(|offer| {
            offer.provider == self.provider && !ids.contains(catalog.str(offer.id))
        });
        let carried = missing.map(|row| FreshOffer {
            row,
            accelerators: catalog.accelerators(row.accelerators).to_vec(),
            regions: catalog.regions(row.regions).to_vec(),
            prices: catalog.prices(&row).iter().collect(),
        });
        carried.collect()
    }

    /// Returns the number of accelerators, derived from the memory of all of them together.
    fn counted(&self, offer: &live::Offer, accelerators: &[AcceleratorId]) -> Option<Count> {
        let total = offer.total_memory_gb?;
        let [only] = accelerators else { return None };
        let memory_gb = self.identifier.catalog.accelerator(*only).memory_gb?;
        Count::from_decimal(total / memory_gb)
    }

    /// Returns true if an aggregator's offer is credible; counts the others.
    fn is_credible(&mut self, offer: &live::Offer, identity: &Identity) -> bool {
        let catalog = self.identifier.catalog;
        let reason = match identity {
            Identity::Unknown => return true,
            Identity::New(accelerators) => {
                let is_machine = catalog.provider(self.provider).sells == Sells::InstanceTypes;
                let is_sure =
                    matches!(accelerators[..], [only] if is_explicit(&catalog, only, offer));
                if !is_sure || !is_machine {
                    &mut self.skipped.ambiguous
                } else if self.charges_otherwise {
                    &mut self.skipped.of_other_currency
                } else {
                    return true;
                }
            }
            Identity::Listed(id) => {
                let known_offer = catalog.offer(*id);
                let accelerator = catalog.accelerator(known_offer.accelerator);
                let count = offer.count.and_then(Count::from_decimal);
                let is_same_count = known_offer.count.is_none() || known_offer.count == count;
                let memory = offer
                    .hardware
                    .as_ref()
                    .and_then(|hardware| hardware.memory_gb);
                let is_same_memory = memory
                    .is_none_or(|gb| nearest_size(Gigabytes(gb), accelerator.memory_gb).is_some());
                let has_tiers = catalog.provider(self.provider).tiers.len > 0;
                let lacks_tier = offer.prices.iter().any(|price| price.tier.is_none());
                if !is_same_count || !is_same_memory {
                    &mut self.skipped.contradictory
                } else if self.charges_otherwise {
                    &mut self.skipped.of_other_currency
                } else if has_tiers && lacks_tier {
                    &mut self.skipped.ambiguous
                } else {
                    return true;
                }
            }
        };
        *reason += 1;
        false
    }

    /// Counts an offer of an unknown device by the device's name.
    fn count_unknown(&mut self, offer: &live::Offer) {
        let hardware = offer.hardware.as_ref();
        let name = hardware.map_or(&offer.id, |hardware| &hardware.name);
        let size = hardware
            .and_then(|hardware| hardware.memory_mib)
            .map(|mib| format!(" ({mib:.0} MiB)"))
            .unwrap_or_default();
        let device = format!("{}{size}", printable(cut(name, MAX_UNKNOWN)));
        *self.skipped.unknown.entry(device).or_default() += 1;
    }

    /// Returns the prices of an offer. The catalog's prices replace missing and rejected live
    /// prices.
    fn prices(
        &mut self,
        offer: &live::Offer,
        base: Option<&Offer>,
        count: Count,
        accelerators: &[AcceleratorId],
        regions: &[RegionId],
    ) -> Vec<Price> {
        let catalog = &self.identifier.catalog;
        let known_prices = base
            .map(|base| KnownPrices::of(catalog, base, count).for_account(!self.is_feed))
            .unwrap_or_default();
        let usual = self.device_prices.of(catalog, accelerators);
        let references = (&known_prices, usual);
        let needed = (self.live.machines, count);
        let vcpu = || whole_vcpu(offer, base, count);
        let mut prices: Vec<Price> = Vec::new();
        let mut refused: Vec<(CapacityType, Option<RegionId>)> = Vec::new();
        for price in &offer.prices {
            let place = price.region.as_deref();
            if let Some(mut row) = self.price(price, count, references) {
                let stock = PriceStock {
                    capacity: price.capacity,
                    region: place,
                    zone: price.zone.as_deref(),
                    word: price.availability,
                };
                row.availability = availability(offer, stock, needed, vcpu);
                prices.push(row);
            } else {
                let region = place.and_then(|id| self.region(id, None));
                refused.push((price.capacity, region));
            }
        }
        // A list that has a type without a price does not prove that the type is not sold.
        if self.is_feed && !self.is_aggregated && offer.prices.is_empty() {
            refused.extend([CapacityType::OnDemand, CapacityType::Spot].map(|of| (of, None)));
        }
        let is_on_demand = |price: &Price| price.capacity == CapacityType::OnDemand;
        let mut listed = Vec::new();
        if let Some(base) = base {
            if self.lacks_on_demand && !prices.iter().any(is_on_demand) {
                listed = self.list_prices(base, regions);
            }
            for (capacity, region) in refused {
                listed.extend(self.known_prices(base, capacity, region));
            }
            if self.lists_types.is_some() {
                listed = self.prices_of_sale(base, regions, &prices);
            }
        }
        self.skipped.from_catalog |= !listed.is_empty();
        for price in &mut listed {
            let region = price.region.map(|region| catalog.region_id(region));
            let stock = PriceStock {
                capacity: price.capacity,
                region,
                zone: None,
                word: price.availability,
            };
            price.availability = availability(offer, stock, needed, vcpu);
        }
        prices.extend(listed);
        match base {
            Some(base) => with_contract(catalog.prices(base).iter(), count, prices),
            None => prices,
        }
    }

    /// Returns the row of an offer: the provider's data, on top of the catalog's data in `base`.
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
        let source = self.source;
        let known = base
            .copied()
            .unwrap_or_else(|| Offer::bare(self.provider, id, accelerator));
        let is_aggregated = self.is_aggregated;
        let live_or = |live: Option<f64>, known: Option<f64>, per_accelerator: bool| {
            let known = whole(known, per_accelerator, count);
            // For a known type, the catalog is more reliable than an aggregator.
            if is_aggregated {
                known.or(live)
            } else {
                live.or(known)
            }
        };
        let status = match known.status {
            _ if offer.reserved_only => Status::ReservedOnly,
            // Price lists do not state the status, but a type with a price is not retired.
            status if self.is_feed && (status != Status::Stale || offer.prices.is_empty()) => {
                status
            }
            // A list of machine types does not state how they are sold.
            status
                if self.lists_types.is_some()
                    && !matches!(status, Status::Stale | Status::Retired) =>
            {
                status
            }
            _ => Status::Offered,
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
            status,
            status_note: if status == Status::Offered {
                Str::default()
            } else {
                known.status_note
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

    /// Returns the regions of an offer: the provider's, or the catalog's if public data has none.
    fn regions_of(&mut self, offer: &live::Offer, base: Option<&Offer>) -> Vec<RegionId> {
        let mut regions: Vec<RegionId> = Vec::new();
        let mut seen = HashSet::new();
        for region in &offer.regions {
            let id = self.region(&region.id, region.country.as_deref());
            regions.extend(id.filter(|id| seen.insert(*id)));
        }
        let tells_none = offer.prices.iter().all(|price| price.region.is_none());
        if regions.is_empty() && self.is_feed && tells_none {
            let listed = base.map(|base| self.identifier.catalog.regions(base.regions));
            regions = listed.map(|listed| listed.to_vec()).unwrap_or_default();
        }
        regions
    }

    fn region(&mut self, id: &str, country: Option<&str>) -> Option<RegionId> {
        let tables = &mut self.live.tables;
        let region = match self.regions.get(id) {
            Some(known) => *known,
            None => tables.add_region(self.provider, id, country)?,
        };
        if self.open.insert(region) {
            tables.open_region(region);
            self.regions.insert(id.to_owned(), region);
        }
        Some(region)
    }

    /// Returns the amount in US dollars and in its currency; `None` if the rate is unknown.
    fn amount(&mut self, price: &live::Price) -> Option<(Usd, Str, u64)> {
        let charged = Usd::from_decimal(price.per_hour).filter(|amount| *amount > Usd(0));
        let Some(charged) = charged else {
            // A price of zero is missing. A fraction of a millionth of a dollar is wrong.
            self.skipped.unusual += u32::from(price.per_hour > 0.0);
            return None;
        };
        let Some(code) = &price.currency else {
            return Some((charged, Str::default(), 0));
        };
        let Some(currency) = self.identifier.catalog.currency(code) else {
            self.skipped.in_unknown_currency += 1;
            return None;
        };
        let usd = Usd::from_decimal(price.per_hour * currency.usd)?;
        Some((usd, self.live.tables.intern(code), charged.0))
    }

    fn price(
        &mut self,
        price: &live::Price,
        count: Count,
        (known, usual): (&KnownPrices, UsualPrices),
    ) -> Option<Price> {
        let (usd, currency, charged) = self.amount(price)?;
        if !usual.allow(usd.decimal(), count) {
            self.skipped.unusual += 1;
            return None;
        }
        if !known.allows(price.capacity, usd) {
            self.skipped.implausible += 1;
            return None;
        }
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
            currency,
            charged,
            quality: self.quality,
            sources: 1,
            source: self.source,
            as_of: tables.intern(&timestamp(price.as_of)),
            availability: price.availability,
            zone: tables.intern(zone),
            listing: tables.intern(listing),
        })
    }

    /// Adds the catalog's on-demand prices with their dates if the live prices are missing.
    fn list_prices(&self, base: &Offer, regions: &[RegionId]) -> Vec<Price> {
        let catalog = self.identifier.catalog;
        let listed = catalog.prices(base).iter().filter(|price| {
            price.capacity == CapacityType::OnDemand
                && price.region.is_none_or(|region| regions.contains(&region))
        });
        listed.collect()
    }

    /// Returns the catalog's prices in the regions of an offer where the answer has no live price of
    /// the same capacity type.
    fn prices_of_sale(&self, base: &Offer, regions: &[RegionId], live: &[Price]) -> Vec<Price> {
        let answered: HashSet<(CapacityType, Option<RegionId>)> = live
            .iter()
            .map(|price| (price.capacity, price.region))
            .collect();
        let listed = self.identifier.catalog.prices(base).iter();
        let missing = listed.filter(|price| {
            let is_there = price.region.is_none_or(|region| regions.contains(&region));
            is_there && !answered.contains(&(price.capacity, price.region))
        });
        missing.collect()
    }

    /// Adds the catalog's prices with their dates, in one region or in all.
    fn known_prices(
        &self,
        base: &Offer,
        capacity: CapacityType,
        region: Option<RegionId>,
    ) -> Vec<Price> {
        let prices = self.identifier.catalog.prices(base);
        let of_capacity = prices.iter().filter(|price| price.capacity == capacity);
        let Some(region) = region else {
            return of_capacity.collect();
        };
        let there: Vec<Price> = of_capacity
            .filter(|price| price.region.is_none_or(|place| place == region))
            .collect();
        // A price of the region takes precedence over a price of all regions.
        let exact = there.iter().any(|price| price.region == Some(region));
        let there = there.into_iter();
        let there = there.filter(|price| price.region.is_some() == exact);
        let there = there.map(|price| Price {
            region: Some(region),
            ..price
        });
        there.collect()
    }

    fn extras(&mut self, offer: &live::Offer, count: Count, status: Status) {
        let is_plain = offer.machines.is_none()
            && offer.spot_scores.is_empty()
            && offer.interruptions.is_empty()
            && offer.capacity_blocks.is_empty()
            && offer.quotas.is_empty()
            && offer.obtainability.is_empty();
        if is_plain {
            return;
        }
        let key = (self.provider, offer.id.clone());
        let extras = self.live.extras.entry(key).or_default();
        if let Some(machines) = offer.machines {
            *extras.machines.entry(count.0).or_default() += machines;
        }
        extras.spot_scores.clone_from(&offer.spot_scores);
        extras.interruptions.clone_from(&offer.interruptions);
        extras.capacity_blocks.clone_from(&offer.capacity_blocks);
        extras.quotas.clone_from(&offer.quotas);
        let stock = extras.obtainability.entry(count.0).or_default();
        // A list of machine types does not tell how they are sold.
        let is_reserved = matches!(status, Status::SpotOnly | Status::ReservedOnly);
        let is_sold = |record: &&live::Obtainability| {
            let is_on_demand = record.capacity == CapacityType::OnDemand;
            !(is_reserved && is_on_demand && record.state == live::StockState::Offered)
        };
        stock.extend(offer.obtainability.iter().filter(is_sold).cloned());
    }
}

/// Returns the ids that are listed with different counts.
fn with_several_counts(offers: &[live::Offer]) -> HashSet<String> {
    let mut counts: HashMap<&str, u64> = HashMap::new();
    let stated = offers
        .iter()
        .filter_map(|offer| Some((offer, offer.count?)));
    let other = stated.filter(|(offer, count)| {
        let first = counts.entry(&offer.id).or_insert(count.to_bits());
        *first != count.to_bits()
    });
    other.map(|(offer, _)| offer.id.clone()).collect()
}

/// Returns the regions of a provider, by name.
fn regions_of(catalog: &Catalog<'_>, provider: ProviderId) -> HashMap<String, RegionId> {
    let regions = catalog.regions.iter().enumerate();
    let of_provider = regions.filter(|(_, region)| region.provider == provider);
    of_provider
        .map(|(at, region)| (catalog.str(region.id).to_owned(), RegionId::of_index(at)))
        .collect()
}

/// Returns true if an offer states the form factor of its accelerators, if others with the same
/// memory exist. Aggregators drop it, and then list a PCIe card under the name of an SXM module.
fn is_explicit(catalog: &Catalog<'_>, id: AcceleratorId, offer: &live::Offer) -> bool {
    let accelerator = catalog.accelerator(id);
    let has_other_forms = catalog.accelerators.iter().any(|other| {
        catalog.str(other.family) == catalog.str(accelerator.family)
            && other.memory_gb == accelerator.memory_gb
            && catalog.str(other.form_factor) != catalog.str(accelerator.form_factor)
    });
    let form = form_stem(catalog.str(accelerator.form_factor));
    let name = offer
        .hardware
        .as_ref()
        .map_or("", |hardware| &hardware.name);
    !has_other_forms || name.to_uppercase().contains(&form.to_uppercase())
}

/// Returns true if any price of a provider is in another currency than US dollars.
fn charges_otherwise(identifier: &Identifier<'_>, provider: ProviderId) -> bool {
    let catalog = &identifier.catalog;
    let offers = catalog.offers.iter();
    let mut of_provider = offers.filter(|offer| offer.provider == provider);
    of_provider.any(|offer| {
        let mut prices = catalog.prices(&offer).iter();
        prices.any(|price| price.currency != Str::default())
    })
}

/// Returns the number of vCPUs of a machine, as the provider or else the catalog states it.
fn whole_vcpu(offer: &live::Offer, base: Option<&Offer>, count: Count) -> Option<f64> {
    let known = base.and_then(|base| whole(base.vcpu, base.vcpu_per_accelerator, count));
    offer.vcpu.or(known)
}

/// Returns a figure for the whole machine from the catalog's figure per device.
fn whole(figure: Option<f64>, per_accelerator: bool, count: Count) -> Option<f64> {
    figure.map(|n| {
        if per_accelerator {
            n * count.decimal()
        } else {
            n
        }
    })
}

/// Returns the beginning of a text.
fn cut(text: &str, characters: usize) -> &str {
    let end = text
        .char_indices()
        .nth(characters)
        .map_or(text.len(), |(at, _)| at);
    &text[..end]
}
