//! Warnings: signs of wrong or missing data that may be right, found by comparing the providers of a catalog with each
//! other.

use std::collections::{BTreeMap, BTreeSet};

use sky_accel_core::catalog::{
    AcceleratorClass, AcceleratorId, CapacityType, Catalog, Offer, OfferKind, PriceKind, Provider,
    ProviderId, RegionId, Status,
};
use sky_accel_core::money::Count;
use sky_accel_core::resolve::{LikelyPrices, Reason};
use sky_accel_core::text::{counted, number};

/// The minimum difference in days between the newest price of a provider and the newest prices of its siblings.
const OLDER_DAYS: i32 = 120;
/// The minimum number of siblings to compare with.
const MIN_SIBLINGS: usize = 3;
/// The minimum number of types, and of their regions, for which one list of regions looks copied.
const MIN_COPIES: usize = 4;
/// The minimum number of prices in another currency for each price in dollars, and in total, for which the dollars look
/// like an amount in that currency.
const MIN_FOREIGN: usize = 4;
/// The currency of prices that state none.
const DOLLARS: &str = "USD";
/// The maximum number of warnings. An overlay may have millions of offers.
const MAX_WARNINGS: usize = 1000;

sky_accel_core::words! {
    /// The kind of a warning.
    pub enum WarningKind {
        /// All prices of a provider are months older than the prices of its siblings.
        OldPrices = "old-prices",
        /// A price is far below every other provider's price of the same device.
        LowPrice = "low-price",
        /// All types of a provider have one list of many regions.
        CopiedRegions = "copied-regions",
        /// Another list of the catalog names a type that no offer has.
        MissingType = "missing-type",
        /// A device has no rate of products, so its speed is unknown.
        MissingRate = "missing-rate",
        /// Some prices of a provider are in dollars, and nearly all others in one other currency.
        MixedCurrency = "mixed-currency",
    }
}

/// A sign of wrong or missing data.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Warning {
    /// The id of the provider; empty for a device that no provider sells.
    pub provider: String,
    /// The kind.
    pub kind: WarningKind,
    /// A sentence that begins in lower case, without a period.
    pub message: String,
}

/// Compares the providers of a catalog with each other, and returns what looks wrong, sorted by provider. Ages are
/// relative to `today`, such as `2026-11-26`.
pub fn warnings(catalog: &Catalog<'_>, today: &str) -> Vec<Warning> {
    let comparison = Comparison {
        catalog,
        prices: LikelyPrices::on(today),
    };
    let mut found = BTreeSet::new();
    comparison.old_prices(&mut found);
    comparison.low_prices(&mut found);
    comparison.copied_regions(&mut found);
    comparison.missing_types(&mut found);
    comparison.missing_rates(&mut found);
    comparison.mixed_currencies(&mut found);
    found.into_iter().collect()
}

struct Comparison<'c, 'a> {
    catalog: &'c Catalog<'a>,
    prices: LikelyPrices,
}

impl Comparison<'_, '_> {
    fn warn(
        &self,
        found: &mut BTreeSet<Warning>,
        provider: &Provider,
        kind: WarningKind,
        message: String,
    ) {
        if found.len() < MAX_WARNINGS {
            found.insert(Warning {
                provider: self.catalog.str(provider.id).to_owned(),
                kind,
                message,
            });
        }
    }

    /// Returns the offers that the catalog lists as rentable now.
    fn current_offers(&self) -> impl Iterator<Item = Offer> {
        let is_current = |offer: &Offer| !matches!(offer.status, Status::Retired | Status::Stale);
        self.catalog.offers.iter().filter(is_current)
    }

    /// Warns of providers whose newest price is months older than the median of their siblings' newest prices.
    fn old_prices(&self, found: &mut BTreeSet<Warning>) {
        let mut newest: BTreeMap<ProviderId, i32> = BTreeMap::new();
        for offer in self.current_offers() {
            let prices = self.catalog.prices(&offer).iter();
            let published = prices.filter(|price| {
                !matches!(
                    price.kind,
                    PriceKind::Live | PriceKind::Contract | PriceKind::Estimate
                )
            });
            let ages = published.filter_map(|price| self.prices.age_days(self.catalog, &price));
            if let Some(days) = ages.min() {
                let known = newest.entry(offer.provider).or_insert(days);
                *known = days.min(*known);
            }
        }
        for (id, days) in &newest {
            let provider = self.catalog.provider(*id);
            let (of_siblings, siblings) = self.ages_of_siblings(*id, &provider, &newest);
            let Some(median) = median(of_siblings).filter(|median| days - median >= OLDER_DAYS)
            else {
                continue;
            };
            let message = format!(
                "the newest price is {days} days old, and half of {siblings} have a price of the last {}",
                counted(median, "day")
            );
            self.warn(found, &provider, WarningKind::OldPrices, message);
        }
    }

    /// Returns the ages of the newest prices of the other providers in the first group that has several, or of all
    /// other providers, and the words for these providers.
    fn ages_of_siblings(
        &self,
        id: ProviderId,
        provider: &Provider,
        newest: &BTreeMap<ProviderId, i32>,
    ) -> (Vec<i32>, String) {
        let others = || newest.iter().filter(|(other, _)| **other != id);
        for group in self.catalog.strings(provider.groups) {
            let is_in_group = |other: ProviderId| {
                let groups = self.catalog.provider(other).groups;
                self.catalog.strings(groups).any(|name| name == group)
            };
            let ages: Vec<i32> = others()
                .filter(|(other, _)| is_in_group(**other))
                .map(|(_, days)| *days)
                .collect();
            if ages.len() >= MIN_SIBLINGS {
                return (ages, format!("the other {group}"));
            }
        }
        let ages = others().map(|(_, days)| *days).collect();
        (ages, "all other providers".to_owned())
    }

    /// Warns of list prices on demand far below every other provider's price of the same device. The lowest offer of a
    /// marketplace is one machine, which may well be that cheap.
    fn low_prices(&self, found: &mut BTreeSet<Warning>) {
        let catalog = self.catalog;
        let Some(share) = catalog.coefficient("price-implausible-below", "") else {
            return;
        };
        for offer in self.current_offers() {
            for price in catalog.prices(&offer) {
                if price.capacity != CapacityType::OnDemand || price.kind != PriceKind::List {
                    continue;
                }
                let count = price.count.or(offer.count).unwrap_or(Count::ONE);
                let usd = price.of_machine(count);
                let mut doubts = self.prices.doubts(catalog, &offer, &price, count, usd);
                if doubts.all(|reason| reason != Reason::ImplausiblePrice) {
                    continue;
                }
                let place = price
                    .region
                    .map(|id| format!(" in {}", catalog.region_id(id)));
                let message = format!(
                    "{}: {} for one {}{} is below {} % of every other provider's price of the last twelve months",
                    catalog.str(offer.id),
                    number(usd.per(count).decimal()),
                    catalog.accelerator_id(offer.accelerator),
                    place.unwrap_or_default(),
                    number(share * 100.0),
                );
                let provider = catalog.provider(offer.provider);
                self.warn(found, &provider, WarningKind::LowPrice, message);
            }
        }
    }

    /// Warns of providers whose types all have one list of many regions.
    fn copied_regions(&self, found: &mut BTreeSet<Warning>) {
        let mut lists: BTreeMap<ProviderId, Vec<BTreeSet<RegionId>>> = BTreeMap::new();
        for offer in self.current_offers().filter(|offer| offer.regions.len > 0) {
            let regions = self.catalog.regions(offer.regions).iter().collect();
            lists.entry(offer.provider).or_default().push(regions);
        }
        for (id, lists) in lists {
            let provider = self.catalog.provider(id);
            let is_long = lists.len() >= MIN_COPIES && lists[0].len() >= MIN_COPIES;
            let is_equal = lists.windows(2).all(|pair| pair[0] == pair[1]);
            if is_long && is_equal && !provider.has_all_types_everywhere {
                let message = format!(
                    "all {} types have the same {} regions: state the regions of each type, none if they are unknown, or `all_types_everywhere = true`",
                    lists.len(),
                    lists[0].len()
                );
                self.warn(found, &provider, WarningKind::CopiedRegions, message);
            }
        }
    }

    /// Warns of devices whose speed is unknown: for each provider that sells them, or without a provider.
    fn missing_rates(&self, found: &mut BTreeSet<Warning>) {
        let catalog = self.catalog;
        let is_unknown = |id: AcceleratorId| {
            let device = catalog.accelerator(id);
            let rates = [device.bf16_tflops, device.fp16_tflops, device.fp32_tflops];
            rates.iter().all(Option::is_none)
                && catalog.class(&device) != Some(AcceleratorClass::Media)
        };
        let message = |id: AcceleratorId| {
            let name = catalog.accelerator_id(id);
            format!("{name} has no rate of products: its speed is unknown")
        };
        let mut sold = BTreeSet::new();
        for offer in self.current_offers() {
            let id = offer.accelerator;
            sold.insert(id);
            if is_unknown(id) {
                let provider = catalog.provider(offer.provider);
                self.warn(found, &provider, WarningKind::MissingRate, message(id));
            }
        }
        let unsold = catalog.accelerator_ids().filter(|id| !sold.contains(id));
        for id in unsold.filter(|id| is_unknown(*id)) {
            if found.len() < MAX_WARNINGS {
                found.insert(Warning {
                    provider: String::new(),
                    kind: WarningKind::MissingRate,
                    message: message(id),
                });
            }
        }
    }

    /// Warns of amounts in dollars of providers that charge in one other currency: an amount in euros is a plausible
    /// amount in dollars.
    fn mixed_currencies(&self, found: &mut BTreeSet<Warning>) {
        let catalog = self.catalog;
        let mut charged: BTreeMap<ProviderId, BTreeMap<&str, BTreeSet<&str>>> = BTreeMap::new();
        for offer in self.current_offers() {
            for price in catalog.prices(&offer) {
                if price.kind == PriceKind::List {
                    let code = catalog.text(price.currency).unwrap_or(DOLLARS);
                    let codes = charged.entry(offer.provider).or_default();
                    codes.entry(code).or_default().insert(catalog.str(offer.id));
                }
            }
        }
        for (id, mut codes) in charged {
            let Some(in_dollars) = codes.remove(DOLLARS) else {
                continue;
            };
            let mut others = codes.into_iter();
            let (Some((code, others)), None) = (others.next(), others.next()) else {
                continue;
            };
            if others.len() < MIN_FOREIGN * in_dollars.len() {
                continue;
            }
            let provider = catalog.provider(id);
            for offer in in_dollars {
                let message = format!(
                    "{offer}: its price is in dollars, and the prices of {} are in {code}: if it is in {code} too, set `currency = \"{code}\"` and `per_hour`",
                    counted(others.len(), "other offer")
                );
                self.warn(found, &provider, WarningKind::MixedCurrency, message);
            }
        }
    }

    /// Warns of types that networks and slices name, and that no offer has.
    fn missing_types(&self, found: &mut BTreeSet<Warning>) {
        let catalog = self.catalog;
        let networks = catalog.networks.iter();
        let of_networks = networks.map(|row| (row.provider, row.instance_type, "a network"));
        let slices = catalog.offers.iter();
        let slices =
            slices.filter(|offer| offer.kind == OfferKind::Slice && offer.display_name.len > 0);
        let of_slices = slices.map(|offer| (offer.provider, offer.display_name, "a slice"));
        for (provider, id, list) in of_networks.chain(of_slices) {
            let name = catalog.str(id);
            if catalog.offers_with_id(provider, name).next().is_none() {
                let message = format!("{name}: {list} names this type, and no offer has its id");
                let provider = catalog.provider(provider);
                self.warn(found, &provider, WarningKind::MissingType, message);
            }
        }
    }
}

/// Returns the median; of an even number, the lower of the two in the middle.
fn median(mut values: Vec<i32>) -> Option<i32> {
    values.sort_unstable();
    let middle = values.len().checked_sub(1)? / 2;
    values.get(middle).copied()
}

#[cfg(test)]
mod tests {
    use super::{WarningKind, median, warnings};
    use crate::fixture::compiled;

    const TODAY: &str = "2026-11-26";

    /// Returns the warnings about the small catalog with an overlay, as `provider: message`.
    fn found(overlay: &str, kind: WarningKind) -> Vec<String> {
        let tables = compiled(&[overlay]).unwrap();
        let found = warnings(&tables.catalog(), TODAY).into_iter();
        let found = found.filter(|warning| warning.kind == kind);
        found
            .map(|warning| format!("{}: {}", warning.provider, warning.message))
            .collect()
    }

    /// A provider with one machine and its price.
    fn provider(id: &str, group: &str, usd: f64, as_of: &str) -> String {
        format!(
            "[[provider]]\nid = \"{id}\"\nsells = \"instance-types\"\ngroups = [\"{group}\"]\n\
             [[offer]]\nprovider = \"{id}\"\nid = \"m1\"\naccelerator = \"G-80GB\"\ncount = 1\nsource = \"s\"\nas_of = \"2026-11-01\"\n\
             [[price]]\nprovider = \"{id}\"\noffer = \"m1\"\nsource = \"s\"\nas_of = \"{as_of}\"\nusd_per_hour = {usd}\n"
        )
    }

    #[test]
    fn the_small_catalog_has_no_warnings() {
        let tables = compiled(&[]).unwrap();
        let found = warnings(&tables.catalog(), TODAY);
        let found: Vec<&str> = found.iter().map(|it| &it.message[..]).collect();
        assert_eq!(
            found,
            ["G-40GB has no rate of products: its speed is unknown"]
        );
    }

    #[test]
    fn devices_without_rates_have_an_unknown_speed() {
        let offer = |device: &str| {
            format!(
                "[[offer]]\nprovider = \"acme\"\nid = \"new\"\naccelerator = \"{device}\"\ncount = 1\nsource = \"s\"\nas_of = \"2026-11-01\"\n"
            )
        };
        // Only the smaller device of the catalog has no rates. It is without a provider until one sells it.
        assert_eq!(
            found(&offer("G-80GB"), WarningKind::MissingRate),
            [": G-40GB has no rate of products: its speed is unknown"]
        );
        assert_eq!(
            found(&offer("G-40GB"), WarningKind::MissingRate),
            ["acme: G-40GB has no rate of products: its speed is unknown"]
        );
    }

    #[test]
    fn dollars_among_euros_are_suspect() {
        let of = |euros: usize, dollars: &str| {
            let mut overlay = "sold_by = \"paris\"\n[[currency]]\ncode = \"EUR\"\nusd = 1.1\nsource = \"s\"\nas_of = \"2026\"\n\
                 [[provider]]\nid = \"paris\"\nsells = \"instance-types\"\n"
                .to_owned();
            overlay.extend((0..=euros).map(|at| {
                let price = if at < euros {
                    "currency = \"EUR\"\nper_hour = 2.4"
                } else {
                    dollars
                };
                format!(
                    "[[offer]]\nid = \"m{at}\"\naccelerator = \"G-80GB\"\ncount = 1\nsource = \"s\"\nas_of = \"2026-11-01\"\n\
                     [[price]]\noffer = \"m{at}\"\nsource = \"s\"\nas_of = \"2026-11-01\"\n{price}\n"
                )
            }));
            found(&overlay, WarningKind::MixedCurrency)
        };
        assert_eq!(
            of(4, "usd_per_hour = 2.4"),
            [
                "paris: m4: its price is in dollars, and the prices of 4 other offers are in EUR: if it is in EUR too, set \
                 `currency = \"EUR\"` and `per_hour`"
            ]
        );
        assert_eq!(of(3, "usd_per_hour = 2.4"), [""; 0]);
        assert_eq!(of(4, "currency = \"EUR\"\nper_hour = 2.5"), [""; 0]);
    }

    #[test]
    fn old_prices_are_compared_with_the_prices_of_siblings() {
        let of = |old: &str| {
            [
                provider("one", "small", 2.5, "2026-11-20"),
                provider("two", "small", 2.5, "2026-10-27"),
                provider("three", "small", 2.5, "2026-09-01"),
                provider("late", "small", 2.5, old),
                // Another group, with prices of last year, and too few of them to compare with.
                provider("alone", "large", 2.5, "2025-11-01"),
            ]
            .concat()
        };
        assert_eq!(
            found(&of("2026-05-01"), WarningKind::OldPrices),
            [
                "alone: the newest price is 390 days old, and half of all other providers have a price of the last 30 days",
                "late: the newest price is 209 days old, and half of the other small have a price of the last 30 days",
            ]
        );
        // One price of the provider is recent enough.
        let recent = "[[price]]\nprovider = \"late\"\noffer = \"m1\"\ncapacity_type = \"spot\"\nsource = \"s\"\n\
                      as_of = \"2026-09-10\"\nusd_per_hour = 1.0\n";
        let found = found(
            &format!("{}{recent}", of("2026-05-01")),
            WarningKind::OldPrices,
        );
        assert_eq!(found.len(), 1, "{found:?}");
    }

    #[test]
    fn a_price_far_below_all_others_is_suspect() {
        let share = "[[coefficient]]\nname = \"price-implausible-below\"\nvalue = 0.55\nsource = \"s\"\nas_of = \"2026\"\n";
        let of = |usd: f64| {
            let low = provider("low", "small", usd, "2026-11-20");
            found(&format!("{share}{low}"), WarningKind::LowPrice)
        };
        // The lowest price of the other provider is 2.0 for one device.
        assert_eq!(of(1.2), [""; 0]);
        assert_eq!(
            of(1.0),
            [
                "low: m1: 1 for one G-80GB is below 55 % of every other provider's price of the last twelve months"
            ]
        );
    }

    #[test]
    fn one_list_of_regions_at_all_types_looks_copied() {
        let of = |provider: &str, regions: [&str; 4]| {
            let mut overlay = format!(
                "sold_by = \"far\"\n[[provider]]\nid = \"far\"\nsells = \"instance-types\"\n{provider}\n"
            );
            let offers = regions.iter().enumerate().map(|(at, regions)| {
                format!(
                    "[[offer]]\nid = \"m{at}\"\naccelerator = \"G-80GB\"\ncount = 1\nregions = {regions}\nsource = \"s\"\nas_of = \"2026\"\n"
                )
            });
            overlay.extend(offers);
            found(&overlay, WarningKind::CopiedRegions)
        };
        let all = "[\"a\", \"b\", \"c\", \"d\"]";
        let other_order = "[\"d\", \"c\", \"b\", \"a\"]";
        assert_eq!(
            of("", [all, all, other_order, all]),
            [
                "far: all 4 types have the same 4 regions: state the regions of each type, none if they are unknown, or \
                 `all_types_everywhere = true`"
            ]
        );
        assert_eq!(
            of("all_types_everywhere = true", [all, all, all, all]),
            [""; 0]
        );
        assert_eq!(of("", [all, all, all, "[\"a\"]"]), [""; 0]);
        // A provider with few regions may have all types in all of them, and unknown regions are not a list.
        let few = "[\"a\", \"b\"]";
        assert_eq!(of("", [few, few, few, few]), [""; 0]);
        assert_eq!(of("", [all, "[]", "[]", "[]"]), [""; 0]);
    }

    #[test]
    fn types_of_other_lists_are_offers() {
        let network = "[[network]]\nprovider = \"acme\"\ninstance_types = [\"g8\", \"g9\"]\nfabric = \"efa\"\ngbit_per_s = 400\n\
                       source = \"s\"\nas_of = \"2026\"\n";
        let slice = "[[offer]]\nprovider = \"acme\"\nid = \"s4\"\naccelerator = \"G-80GB\"\ncount = 4\nkind = \"slice\"\n\
                     topology = \"2x2\"\ndisplay_name = \"host-4\"\nsource = \"s\"\nas_of = \"2026\"\n";
        assert_eq!(
            found(&format!("{network}{slice}"), WarningKind::MissingType),
            [
                "acme: g9: a network names this type, and no offer has its id",
                "acme: host-4: a slice names this type, and no offer has its id",
            ]
        );
    }

    #[test]
    fn the_median_of_an_even_number_is_the_lower_one() {
        assert_eq!(median(vec![]), None);
        assert_eq!(median(vec![9, 1]), Some(1));
        assert_eq!(median(vec![5, 9, 1]), Some(5));
    }
}
