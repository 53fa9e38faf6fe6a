//! Tiers: the reliability of a machine's price and kind.

use sky_accel_core::catalog::{AcceleratorClass, Catalog, OfferKind, PriceKind, Sells};
use sky_accel_core::resolve::{CapacityFilter, Match, Reason};

use crate::recommend_words::Tier;

/// The group of providers that rent out machines of private hosts.
const MARKETPLACES: &str = "marketplaces";
/// The days after which a price is too old to lead.
const OLDEST_PRICE_DAYS: i32 = 365;
/// The length of a date with a month: shorter dates are too vague to judge their age.
const MONTH: usize = "2026-10".len();

/// The tier of a machine at the price that ranks it, and the reason why it is not a better tier; the reason is empty for
/// the first tier. `prefers_consumer_cards` keeps consumer cards in the first tier.
pub(super) fn tier_of(
    catalog: &Catalog<'_>,
    machine: &Match,
    capacity_filter: CapacityFilter,
    prefers_consumer_cards: bool,
) -> (Tier, &'static str) {
    let offer = catalog.offer(machine.offer);
    let provider = catalog.provider(offer.provider);
    let quote = machine.ranking_quote(capacity_filter);
    let price = quote.map(|quote| catalog.price(quote.price));
    let is_tier_of_others = price.is_some_and(|price| catalog.is_of_host(&offer, &price));
    let is_marketplace = provider.sells == Sells::Marketplace
        || provider.is_auction
        || catalog
            .strings(provider.groups)
            .any(|group| group == MARKETPLACES);
    let Some(price) = price else {
        return (Tier::Weak, "its price is unknown");
    };
    if price.kind == PriceKind::Contract {
        return (Tier::List, "");
    }
    let as_of = catalog.str(price.as_of);
    if is_marketplace || is_tier_of_others {
        return (
            Tier::Marketplace,
            "a private host's machine, rented through a marketplace",
        );
    }
    if offer.kind == OfferKind::Endpoint {
        return (Tier::Weak, "a managed service, not a machine");
    }
    match price.kind {
        PriceKind::Snapshot => {
            return (Tier::Marketplace, "the lowest price of a snapshot");
        }
        PriceKind::Estimate => return (Tier::Weak, "an estimated price"),
        PriceKind::Live | PriceKind::List | PriceKind::Contract | PriceKind::Committed => {}
    }
    if price.quality.is_weak() {
        return (Tier::Weak, "not a published price");
    }
    if as_of.len() < MONTH {
        return (Tier::Weak, "a price without a date");
    }
    if quote.and_then(|quote| quote.age_days) > Some(OLDEST_PRICE_DAYS) {
        return (Tier::Weak, "a price more than a year old");
    }
    for (doubt, words) in [
        (Reason::ImplausiblePrice, "a price far below all others"),
        (
            Reason::UnconfirmedPrice,
            "a price that one third party states",
        ),
        (
            Reason::SmallHost,
            "a host with little memory or few vCPUs for its devices",
        ),
        (
            Reason::MaxCountUnknown,
            "a number of devices that its provider does not state",
        ),
    ] {
        if machine.reasons.contains(&doubt) {
            return (Tier::Weak, words);
        }
    }
    let class = catalog.class(&catalog.accelerator(machine.accelerator));
    if class == Some(AcceleratorClass::Consumer) && !prefers_consumer_cards {
        return (Tier::Consumer, "a consumer card");
    }
    (Tier::List, "")
}
