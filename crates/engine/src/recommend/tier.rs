//! How much a machine's price and kind can be relied on.

use sky_accel_core::catalog::{Catalog, PriceKind, Sells};
use sky_accel_core::resolve::{CapacityFilter, Match};

/// The group of providers that sell what others own.
const MARKETPLACES: &str = "marketplaces";
/// The class of cards that are made for people's own computers.
const CONSUMER: &str = "consumer";
/// A date with a month has at least so many characters: `2026-10`.
const MONTH: usize = "2026-10".len();

sky_accel_core::words! {
    /// How much the price and the kind of a machine can be relied on.
    pub enum Tier {
        /// A machine that anybody can rent, at a price that its provider published on a known day.
        List = "list",
        /// A machine of somebody else's, at the lowest price that was seen.
        Marketplace = "marketplace",
        /// A consumer card in a data center.
        Consumer = "consumer",
        /// A price without a day, of more than a year ago, or not from a price list.
        Weak = "weak",
    }
}

sky_accel_core::words! {
    /// How machines of the lower tiers are ranked.
    #[derive(Default)]
    pub enum TierOrder {
        /// Below all those with list prices.
        #[default]
        List = "list",
        /// Together with them.
        Any = "any",
    }
}

/// The tier of a machine at the price that ranks it, and why it is not a better one; the reason is empty
/// for the first tier. Prices before `first_day` are too old to rely on. `at_home` is true where consumer
/// cards are what is asked for.
pub(super) fn tier_of(
    catalog: &Catalog<'_>,
    machine: &Match,
    capacity_filter: CapacityFilter,
    first_day: &str,
    at_home: bool,
) -> (Tier, &'static str) {
    let offer = catalog.offer(machine.offer);
    let provider = catalog.provider(offer.provider);
    let quote = machine.leading(capacity_filter);
    let price = quote.map(|quote| catalog.price(quote.price));
    let is_tier_of_others = price.is_some_and(|price| {
        let name = catalog.strings(provider.tiers).nth(price.tier.into());
        name.is_some_and(|name| {
            catalog
                .strings(provider.marketplace_tiers)
                .any(|of| of == name)
        })
    });
    let is_marketplace = provider.sells == Sells::Marketplace
        || provider.is_auction
        || catalog
            .strings(provider.groups)
            .any(|group| group == MARKETPLACES);
    let Some(price) = price else {
        return (Tier::Weak, "its price is not known");
    };
    let as_of = catalog.str(price.as_of);
    if is_marketplace || is_tier_of_others {
        return (
            Tier::Marketplace,
            "a private host's machine, rented through a marketplace",
        );
    }
    match price.kind {
        PriceKind::Snapshot => {
            return (Tier::Marketplace, "the lowest price that was seen on a day");
        }
        PriceKind::Estimate => return (Tier::Weak, "an estimated price"),
        PriceKind::Live | PriceKind::List => {}
    }
    if price.quality.is_weak() {
        return (Tier::Weak, "not a published price");
    }
    if as_of.len() < MONTH {
        return (Tier::Weak, "a price without a date");
    }
    let len = as_of.len().min(first_day.len());
    if as_of.get(..len) < first_day.get(..len) {
        return (Tier::Weak, "a price of more than a year ago");
    }
    let class = catalog.str(catalog.accelerator(machine.accelerator).class);
    if class == CONSUMER && !at_home {
        return (Tier::Consumer, "a consumer card");
    }
    (Tier::List, "")
}
