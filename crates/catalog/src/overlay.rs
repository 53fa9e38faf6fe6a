//! Overlays generated from the answers of providers, for `catalog update`.

mod fresh;
mod published;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use serde::Serialize;
use sky_accel_core::catalog::{
    AcceleratorId, CapacityType, Catalog, Offer, Price, PriceKind, ProviderId, Quality, Sells,
    Statistic, Status,
};
use sky_accel_core::money::{Count, Usd};
use sky_accel_core::text::is_unprintable;

use crate::bounds::MAX_COUNT;
use crate::bounds::{self, Bounds};

use fresh::OverlayEntry;
pub use fresh::{Fresh, LeftOut};
pub use published::overlay_of_published;

/// The provider of an overlay, and the source and date of its rows.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'o> {
    /// The provider that answered.
    pub provider: ProviderId,
    /// The `source` of the rows, which identifies rows of an earlier overlay.
    pub source: &'o str,
    /// The date of the answer, such as `2026-11-20`.
    pub day: &'o str,
    /// True if the answer is complete. Otherwise, rows of the earlier overlay that the answer does not replace are
    /// kept.
    pub is_complete: bool,
    /// The prices that take precedence over prices of an aggregator; `None` for the answer of the provider.
    pub precedence: Option<Precedence<'o>>,
}

/// The prices that take precedence over an aggregator's prices: prices of the provider, and of an aggregator with a
/// higher rank.
#[derive(Clone, Copy, Debug)]
pub struct Precedence<'o> {
    /// The catalog with these prices.
    pub catalog: &'o Catalog<'o>,
    /// The beginning of the source of prices of the aggregator with a higher rank; `None` without one.
    pub aggregator: Option<&'o str>,
    /// The first day of recent prices, such as `2026-11-13`. Older prices take no precedence.
    pub since: &'o str,
}

/// The terms of a price: the capacity type, the tier, and the region unless it holds in all regions.
type PriceTerms<'p> = (CapacityType, u8, Option<&'p str>);

impl<'o> Precedence<'o> {
    /// Returns the terms of the recent prices of an offer.
    fn places(&self, provider: ProviderId, id: &str) -> HashSet<PriceTerms<'o>> {
        let catalog = self.catalog;
        let counts = |known: &Price| {
            let as_of = catalog.str(known.as_of);
            let is_better = self
                .aggregator
                .is_some_and(|name| catalog.str(known.source).starts_with(name));
            (known.quality == Quality::Provider || is_better)
                // A date without a day has unknown age.
                && as_of.len() >= self.since.len()
                && as_of >= self.since
        };
        let offers = catalog.offers_with_id(provider, id);
        let offers = offers.map(|offer| catalog.offer(offer));
        let prices = offers
            .flat_map(|offer| catalog.prices(&offer))
            .filter(counts);
        let place = |price: Price| {
            let region = price.region.map(|region| catalog.region_id(region));
            (price.capacity, price.tier, region)
        };
        prices.map(place).collect()
    }
}

/// Returns an overlay for `known` with the offers and prices of one provider in `live`. `earlier` is `known` with the
/// earlier overlay.
pub fn overlay(
    known: &Catalog<'_>,
    earlier: &Catalog<'_>,
    live: &Catalog<'_>,
    origin: Origin<'_>,
) -> Fresh {
    let answered = live
        .offers
        .iter()
        .filter(|offer| offer.provider == origin.provider);
    let regions = answered
        .clone()
        .flat_map(|offer| live.regions(offer.regions));
    let mut writer = OverlayWriter {
        known,
        live,
        origin,
        mentioned: regions.map(|id| live.region_id(id)).collect(),
        types: BTreeMap::new(),
        rows: BTreeMap::new(),
        missing: BTreeSet::new(),
        fresh: Fresh::default(),
    };
    for offer in answered {
        writer.offer(&offer);
    }
    writer.everywhere();
    writer.without_odd_spot();
    writer.keep(earlier);
    writer.finish()
}

/// The key of a price: offer, memory if the name of the offer covers several sizes, count, capacity type
/// and tier.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct PricedItem {
    offer: String,
    memory_gb: Option<u64>,
    count: Option<u32>,
    capacity: CapacityType,
    tier: u8,
}

/// The amount of a price, with its origin.
#[derive(Clone, Debug)]
struct PricedRow {
    usd: Usd,
    per_accelerator: bool,
    kind: &'static str,
    statistic: Option<&'static str>,
    /// The code of another currency, and the amount in it.
    charged: Option<(String, Usd)>,
    seen_in: Vec<String>,
    as_of: String,
}

impl PricedRow {
    /// The amount in the currency that the provider charges.
    fn amount(&self) -> f64 {
        let charged = self.charged.as_ref().map(|(_, amount)| *amount);
        charged.unwrap_or(self.usd).decimal()
    }
}

/// One `[[offer]]` of a file.
#[derive(Serialize)]
struct OfferSection<'s> {
    offer: [&'s OverlayOffer; 1],
}

/// One `[[price]]` of a file.
#[derive(Serialize)]
struct PriceSection<'s, 'p> {
    price: [&'s OverlayPrice<'p>; 1],
}

#[derive(Clone, Debug, Default, Serialize)]
struct OverlayOffer {
    id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    accelerator: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    any_of: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    max_count: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    vcpu: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    host_memory_gib: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    host_arch: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<&'static str>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    regions: Vec<String>,
    source: String,
    as_of: String,
}

#[derive(Serialize)]
struct OverlayPrice<'p> {
    offer: &'p str,
    #[serde(skip_serializing_if = "Option::is_none")]
    memory_gb: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    count: Option<f64>,
    capacity_type: &'static str,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    tier: Option<&'p str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    statistic: Option<&'static str>,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    regions: &'p [String],
    source: &'p str,
    as_of: &'p str,
    #[serde(skip_serializing_if = "Option::is_none")]
    quality: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    currency: Option<&'p str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    per_hour: Option<OverlayAmount>,
    #[serde(skip_serializing_if = "Option::is_none")]
    per_accelerator_hour: Option<OverlayAmount>,
    #[serde(skip_serializing_if = "Option::is_none")]
    usd_per_hour: Option<OverlayAmount>,
    #[serde(skip_serializing_if = "Option::is_none")]
    usd_per_accelerator_hour: Option<OverlayAmount>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum OverlayAmount {
    Everywhere(f64),
    ByRegion(BTreeMap<String, f64>),
}

struct OverlayWriter<'w, 'a, 'b> {
    known: &'w Catalog<'a>,
    live: &'w Catalog<'b>,
    origin: Origin<'w>,
    /// The regions that are named anywhere in the answer.
    mentioned: HashSet<&'b str>,
    types: BTreeMap<String, OverlayOffer>,
    /// Amounts by region; `None` is any region.
    rows: BTreeMap<PricedItem, BTreeMap<Option<String>, PricedRow>>,
    /// Prices of the catalog that the answer lacks: offer, capacity type, tier and region.
    missing: BTreeSet<(String, CapacityType, u8, Option<String>)>,
    fresh: Fresh,
}

impl OverlayWriter<'_, '_, '_> {
    fn sells(&self) -> Sells {
        self.known.provider(self.origin.provider).sells
    }

    /// Returns the known offers with an id.
    fn known_by(&self, id: &str) -> Vec<Offer> {
        let catalog = self.known;
        let offers = catalog.offers_with_id(self.origin.provider, id);
        offers.map(|offer| catalog.offer(offer)).collect()
    }

    fn offer(&mut self, offer: &Offer) {
        let live = self.live;
        let id = live.str(offer.id);
        let is_countable = offer.count.is_none_or(|count| count.decimal() <= MAX_COUNT);
        if id.is_empty() || id.trim() != id || id.chars().any(is_unprintable) {
            self.fresh.left_out.add("offers with unprintable names", 1);
            return;
        }
        if !is_countable {
            self.fresh.left_out.add("offers with too many devices", 1);
            return;
        }
        let known_offers = self.known_by(id);
        // A price of such a machine would be of either size.
        if known_offers.is_empty()
            && self.sells() == Sells::InstanceTypes
            && self.has_several_sizes(offer)
        {
            let reason = "offers whose device has several memory sizes";
            self.fresh.left_out.add(reason, 1);
            return;
        }
        let mut prices = live.prices(offer).iter();
        // Skip known offers without a new price or region, and offers that only an earlier answer listed.
        let has_price = prices.any(|price| price.kind == PriceKind::Live);
        let is_earlier = live.str(offer.source) == self.origin.source;
        if has_price || !is_earlier && !self.is_sold_as_known(offer, &known_offers) {
            self.describe(offer, id, &known_offers);
        }
        let count = match self.sells() {
            Sells::Marketplace => offer.count,
            Sells::InstanceTypes | Sells::AnyCount => None,
        };
        let is_one_of_several = {
            let of_live = live.offers_with_id(offer.provider, id);
            let of_live = of_live.map(|other| live.offer(other));
            let size = |catalog: &Catalog<'_>, id: AcceleratorId| {
                catalog.accelerator(id).memory_gb.map(f64::to_bits)
            };
            let mut sizes: Vec<_> = of_live.map(|other| size(live, other.accelerator)).collect();
            sizes.extend(
                known_offers
                    .iter()
                    .map(|other| size(self.known, other.accelerator)),
            );
            sizes.sort_unstable();
            sizes.dedup();
            sizes.len() > 1
        };
        let memory = live.accelerator(offer.accelerator).memory_gb;
        let precedence = self.origin.precedence;
        let precede = precedence.map(|prices| prices.places(offer.provider, id));
        let precede = precede.unwrap_or_default();
        for price in live.prices(offer) {
            let region = price.region.map(|id| live.region_id(id));
            // A price of the catalog that replaces a missing one keeps its region and its date.
            if price.kind != PriceKind::Live {
                let place = region.map(str::to_owned);
                self.missing
                    .insert((id.to_owned(), price.capacity, price.tier, place));
                continue;
            }
            let is_superseded = |region| precede.contains(&(price.capacity, price.tier, region));
            if is_superseded(None) || is_superseded(region) {
                self.fresh.superseded += 1;
                continue;
            }
            let key = PricedItem {
                offer: id.to_owned(),
                memory_gb: memory.filter(|_| is_one_of_several).map(f64::to_bits),
                count: count.map(|count| count.0),
                capacity: price.capacity,
                tier: price.tier,
            };
            self.price(offer, &price, key);
        }
    }

    /// Returns whether the accelerators that an offer may have differ in memory.
    fn has_several_sizes(&self, offer: &Offer) -> bool {
        let live = self.live;
        let accelerators = live.accelerators(offer.accelerators).iter();
        let sizes = accelerators.map(|id| live.accelerator(id).memory_gb.map(f64::to_bits));
        sizes.collect::<BTreeSet<_>>().len() > 1
    }

    /// Returns whether an offer is known with the same regions.
    fn is_sold_as_known(&self, offer: &Offer, known: &[Offer]) -> bool {
        let regions = self.live.regions(offer.regions).iter();
        let now: BTreeSet<&str> = regions.map(|id| self.live.region_id(id)).collect();
        let mut offers = known.iter();
        offers.any(|offer| {
            let regions = self.known.regions(offer.regions).iter();
            let before: BTreeSet<&str> = regions.map(|id| self.known.region_id(id)).collect();
            before == now
        })
    }

    fn price(&mut self, offer: &Offer, price: &Price, key: PricedItem) {
        let live = self.live;
        let region = price.region.map(|id| live.region_id(id).to_owned());
        let is_named = |name: &str| !name.chars().any(is_unprintable);
        let charged = [price.usd, Usd(price.charged)];
        let is_price = charged
            .iter()
            .all(|amount| *amount == Usd(0) || bounds::USD_PER_HOUR.contains(amount.decimal()));
        if !region.as_deref().is_none_or(is_named) {
            self.fresh
                .left_out
                .add("prices in regions with unprintable names", 1);
            return;
        }
        if !is_price {
            self.fresh
                .left_out
                .add("prices that are too low or too high", 1);
            return;
        }
        let is_market = self.sells() == Sells::Marketplace;
        let any_count = self.sells() == Sells::AnyCount;
        let devices = offer.count.unwrap_or(Count::ONE);
        let row = PricedRow {
            usd: if any_count && !price.per_accelerator {
                price.usd.per(devices)
            } else {
                price.usd
            },
            per_accelerator: any_count || price.per_accelerator,
            kind: if is_market || price.statistic.is_some() {
                "snapshot"
            } else {
                "list"
            },
            statistic: price.statistic.map(Statistic::word),
            charged: live
                .text(price.currency)
                .map(|code| (code.to_owned(), Usd(price.charged))),
            seen_in: Vec::new(),
            as_of: live
                .str(price.as_of)
                .get(..10)
                .unwrap_or(self.origin.day)
                .to_owned(),
        };
        let regions = self.rows.entry(key).or_default();
        match regions.get_mut(&region) {
            Some(other) if other.usd <= row.usd => {}
            Some(other) => *other = row,
            None => {
                regions.insert(region, row);
            }
        }
    }

    /// Describes an offer: every field of a new offer, or the fields of a known offer that can change.
    fn describe(&mut self, offer: &Offer, id: &str, known: &[Offer]) {
        // An aggregator only adds prices to a known offer.
        if self.origin.precedence.is_some() && !known.is_empty() {
            return;
        }
        let (live, origin) = (self.live, self.origin);
        let text = |name: &str| (!name.is_empty()).then(|| name.to_owned());
        let sold_in = live.regions(offer.regions).iter();
        let mut regions: Vec<String> = sold_in
            .map(|region| live.region_id(region).to_owned())
            .filter(|region| !region.chars().any(is_unprintable))
            .collect();
        // An account may lack access to regions that the answer never mentions, so they are kept.
        if !regions.is_empty() && self.sells() == Sells::InstanceTypes {
            let before = known
                .iter()
                .flat_map(|offer| self.known.regions(offer.regions));
            for region in before {
                let name = self.known.region_id(region);
                if !self.mentioned.contains(name) {
                    regions.push(name.to_owned());
                }
            }
        }
        let machine = self.sells() == Sells::InstanceTypes;
        let names: Vec<String> = live
            .accelerators(offer.accelerators)
            .iter()
            .map(|id| live.accelerator_id(id).to_owned())
            .collect();
        let described = self
            .types
            .entry(id.to_owned())
            .or_insert_with(|| OverlayOffer {
                id: id.to_owned(),
                source: origin.source.to_owned(),
                as_of: origin.day.to_owned(),
                ..OverlayOffer::default()
            });
        described.regions.extend(regions);
        described.regions.sort_unstable();
        described.regions.dedup();
        if machine {
            let within = |figure: Option<f64>, bounds: &Bounds| {
                figure.filter(|figure| bounds.contains(*figure))
            };
            described.vcpu = within(offer.vcpu, &bounds::VCPU);
            described.host_memory_gib = within(offer.host_memory_gib, &bounds::HOST_GIB);
            described.status = Some(match offer.status {
                Status::Stale => Status::Offered.word(),
                status => status.word(),
            });
        }
        if !known.is_empty() {
            return;
        }
        // The first accelerator is the likeliest one, in live answers too.
        for name in names {
            if !described.any_of.contains(&name) {
                described.any_of.push(name);
            }
        }
        described.host_arch = text(live.str(offer.host_arch));
        let count = offer.count.map(Count::decimal);
        if machine {
            described.count = count;
        } else if self.known.provider(origin.provider).sells == Sells::AnyCount {
            described.max_count = described
                .max_count
                .into_iter()
                .chain(count)
                .reduce(f64::max);
        }
    }

    /// Merges prices of all regions to one price without a region, if the catalog has such a price already or if the
    /// provider has no fixed machines. Otherwise the old price without a region would stay next to the new prices.
    fn everywhere(&mut self) {
        let sells = self.sells();
        let keys: Vec<PricedItem> = self.rows.keys().cloned().collect();
        for key in keys {
            let known_offers = self.known_by(&key.offer);
            let is_known_everywhere = known_offers.iter().any(|offer| {
                let mut prices = self.known.prices(offer).iter();
                prices.any(|price| {
                    price.region.is_none()
                        && (price.capacity, price.tier) == (key.capacity, key.tier)
                })
            });
            if sells == Sells::InstanceTypes && !is_known_everywhere {
                continue;
            }
            let Some(rows) = self.rows.get_mut(&key) else {
                continue;
            };
            let places: Vec<String> = rows.keys().flatten().cloned().collect();
            let pick = |a: &&PricedRow, b: &&PricedRow| a.usd.cmp(&b.usd);
            let one = if sells == Sells::InstanceTypes {
                rows.values().max_by(pick)
            } else {
                rows.values().min_by(pick)
            };
            let Some(mut one) = one.cloned() else {
                continue;
            };
            let are_equal = rows.values().all(|row| row.usd == one.usd);
            if sells == Sells::Marketplace {
                one.seen_in = places;
            }
            if sells != Sells::InstanceTypes || are_equal {
                rows.clear();
            }
            rows.insert(None, one);
        }
    }

    /// Removes spot prices above the on-demand price, because they are never the better choice.
    fn without_odd_spot(&mut self) {
        let mut odd = Vec::new();
        for (key, rows) in &self.rows {
            if key.capacity != CapacityType::Spot {
                continue;
            }
            let on_demand = PricedItem {
                capacity: CapacityType::OnDemand,
                ..key.clone()
            };
            let Some(others) = self.rows.get(&on_demand) else {
                continue;
            };
            for (region, row) in rows {
                let other = others.get(region).or_else(|| others.get(&None));
                if other.is_some_and(|other| row.usd > other.usd) {
                    odd.push((key.clone(), region.clone()));
                }
            }
        }
        let left_out = &mut self.fresh.left_out;
        left_out.add("spot prices above the on-demand price", odd.len());
        for (key, region) in odd {
            if let Some(rows) = self.rows.get_mut(&key) {
                rows.remove(&region);
            }
        }
    }

    /// Keeps the rows of an earlier overlay that this answer does not replace. After a complete answer, only prices
    /// that it lacks are kept.
    fn keep(&mut self, known: &Catalog<'_>) {
        let earlier: Vec<Offer> = known
            .offers
            .iter()
            .filter(|offer| offer.provider == self.origin.provider)
            .collect();
        let mut by_id: HashMap<&str, usize> = HashMap::new();
        for offer in &earlier {
            *by_id.entry(known.str(offer.id)).or_default() += 1;
        }
        for offer in &earlier {
            let id = known.str(offer.id);
            let is_gone = !self.types.contains_key(id) && !self.origin.is_complete;
            if known.str(offer.source) == self.origin.source && is_gone {
                let carried = known.accelerators(offer.accelerators).iter();
                let carried = carried.map(|id| known.accelerator_id(id).to_owned());
                let regions = known.regions(offer.regions).iter();
                let out = OverlayOffer {
                    id: id.to_owned(),
                    any_of: carried.collect(),
                    count: offer.count.map(Count::decimal),
                    max_count: offer.max_count.map(Count::decimal),
                    vcpu: offer.vcpu.filter(|_| !offer.vcpu_per_accelerator),
                    host_memory_gib: offer
                        .host_memory_gib
                        .filter(|_| !offer.host_memory_per_accelerator),
                    host_arch: known.text(offer.host_arch).map(str::to_owned),
                    status: None,
                    regions: regions.map(|id| known.region_id(id).to_owned()).collect(),
                    source: self.origin.source.to_owned(),
                    as_of: known.str(offer.as_of).to_owned(),
                    ..OverlayOffer::default()
                };
                self.types.insert(id.to_owned(), out);
            }
            let several = by_id.get(id).is_some_and(|offers| *offers > 1);
            let memory = known.accelerator(offer.accelerator).memory_gb;
            for price in known.prices(offer) {
                if known.str(price.source) != self.origin.source {
                    continue;
                }
                let key = PricedItem {
                    offer: id.to_owned(),
                    memory_gb: memory.filter(|_| several).map(f64::to_bits),
                    count: price.count.map(|count| count.0),
                    capacity: price.capacity,
                    tier: price.tier,
                };
                let region = price.region.map(|id| known.region_id(id).to_owned());
                let place = (id.to_owned(), price.capacity, price.tier, region.clone());
                if self.origin.is_complete && !self.missing.contains(&place) {
                    continue;
                }
                let rows = self.rows.entry(key).or_default();
                if rows.contains_key(&region) || rows.contains_key(&None) {
                    continue;
                }
                let seen = known.regions(price.seen_in).iter();
                let row = PricedRow {
                    usd: price.usd,
                    per_accelerator: price.per_accelerator,
                    kind: if price.kind == PriceKind::Snapshot {
                        "snapshot"
                    } else {
                        "list"
                    },
                    statistic: price.statistic.map(Statistic::word),
                    charged: known
                        .text(price.currency)
                        .map(|code| (code.to_owned(), Usd(price.charged))),
                    seen_in: seen.map(|id| known.region_id(id).to_owned()).collect(),
                    as_of: known.str(price.as_of).to_owned(),
                };
                rows.insert(region, row);
                self.fresh.kept += 1;
            }
        }
    }

    /// Returns the overlay of the collected offers and prices.
    fn finish(mut self) -> Fresh {
        let catalog = self.known;
        let provider = catalog.provider(self.origin.provider);
        let mut prices = Vec::new();
        for (key, rows) in &self.rows {
            // A price for any region replaces all earlier prices, so it comes first.
            if let Some(row) = rows.get(&None) {
                prices.push(price_out(catalog, &provider, &self.origin, key, row, None));
            }
            let mut groups: BTreeMap<_, (&PricedRow, BTreeMap<String, f64>)> = BTreeMap::new();
            for (region, row) in rows {
                let Some(region) = region else { continue };
                let currency = row.charged.as_ref().map(|(code, _)| code);
                let group = (row.as_of.as_str(), row.kind, row.per_accelerator, currency);
                let (_, amounts) = groups
                    .entry(group)
                    .or_insert_with(|| (row, BTreeMap::new()));
                amounts.insert(region.clone(), row.amount());
            }
            for (row, amounts) in groups.into_values() {
                let amounts = Some(amounts);
                prices.push(price_out(
                    catalog,
                    &provider,
                    &self.origin,
                    key,
                    row,
                    amounts,
                ));
            }
        }
        for described in self.types.values_mut() {
            if described.any_of.len() == 1 {
                described.accelerator = described.any_of.pop();
            }
        }
        let (id, day) = (catalog.str(provider.id), self.origin.day);
        let source = match self.origin.precedence {
            None => format!("{id} answered"),
            Some(_) => format!("an aggregator listed {id}"),
        };
        let mut fresh = self.fresh;
        fresh.heading = format!(
            "# Offers and prices: {source} on {day}. `sky-accel catalog update` wrote this file, and replaces it on the next\n\
             # update. Delete it to use the embedded prices.\n\nsold_by = \"{id}\"\n"
        );
        fresh.types = self.types.len();
        fresh.prices = self.rows.values().map(BTreeMap::len).sum();
        let offers = self.types.values().map(|offer| OverlayEntry {
            offer: offer.id.clone(),
            is_price: false,
            text: section(&OfferSection { offer: [offer] }),
        });
        let prices = prices.iter().map(|price| OverlayEntry {
            offer: price.offer.to_owned(),
            is_price: true,
            text: section(&PriceSection { price: [price] }),
        });
        fresh.entries = offers.chain(prices).collect();
        fresh.write();
        fresh
    }
}

/// Returns the lines of an entry, after an empty line.
fn section(entry: &impl Serialize) -> String {
    // TOML can express every text and figure, so this does not fail.
    format!("\n{}", toml::to_string(entry).unwrap_or_default())
}

fn price_out<'p>(
    known: &Catalog<'p>,
    provider: &sky_accel_core::catalog::Provider,
    origin: &Origin<'p>,
    key: &'p PricedItem,
    row: &'p PricedRow,
    by_region: Option<BTreeMap<String, f64>>,
) -> OverlayPrice<'p> {
    let amount = match by_region {
        Some(amounts) => OverlayAmount::ByRegion(amounts),
        None => OverlayAmount::Everywhere(row.amount()),
    };
    let mut amounts = [None, None, None, None];
    let place = usize::from(row.per_accelerator) + 2 * usize::from(row.charged.is_some());
    amounts[place] = Some(amount);
    let [
        usd_per_hour,
        usd_per_accelerator_hour,
        per_hour,
        per_accelerator_hour,
    ] = amounts;
    OverlayPrice {
        offer: &key.offer,
        memory_gb: key.memory_gb.map(f64::from_bits),
        count: key.count.map(|count| Count(count).decimal()),
        capacity_type: match key.capacity {
            CapacityType::OnDemand => "on-demand",
            CapacityType::Spot => "spot",
        },
        kind: row.kind,
        tier: known.strings(provider.tiers).nth(key.tier.into()),
        statistic: row.statistic,
        regions: &row.seen_in,
        source: origin.source,
        as_of: &row.as_of,
        quality: origin.precedence.map(|_| Quality::Aggregator.word()),
        currency: row.charged.as_ref().map(|(code, _)| code.as_str()),
        per_hour,
        per_accelerator_hour,
        usd_per_hour,
        usd_per_accelerator_hour,
    }
}

#[cfg(test)]
mod tests;
