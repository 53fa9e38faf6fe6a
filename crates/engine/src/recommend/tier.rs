//! Tiers: the reliability of a machine's price and kind.

use sky_accel_core::catalog::{AcceleratorClass, Catalog, OfferKind, PriceKind, Quality, Sells};
use sky_accel_core::resolve::{CapacityFilter, Match, Reason};

use super::search::SearchInput;
use crate::recommend_words::Tier;
use crate::sizing::narrows_range;

/// The group of providers that rent out machines of private hosts.
const MARKETPLACES: &str = "marketplaces";
/// The days after which a price is too old to lead.
const OLDEST_PRICE_DAYS: i32 = 365;
/// The length of a date with a month: shorter dates are too vague to judge their age.
const MONTH: usize = "2026-10".len();

impl SearchInput<'_> {
    /// The tier of a machine for the work, and the reason why it is not a better tier; the reason is empty for the
    /// first tier.
    pub fn tier_of(&self, catalog: &Catalog<'_>, machine: &Match) -> (Tier, &'static str) {
        let filter = self.offers.capacity_filter;
        let (tier, reason) = tier_of(catalog, machine, filter, self.prefers_consumer_cards);
        let is_doubtful = tier == Tier::List
            && !self.requirements.is_hardware_named
            && narrows_range(catalog, machine.accelerator, self.work);
        if is_doubtful {
            return (Tier::Weak, "it trains in fp16, which may diverge");
        }
        (tier, reason)
    }
}

/// The tier of a machine at the price that ranks it, and the reason why it is not a better tier; the reason is empty
/// for the first tier. `prefers_consumer_cards` keeps consumer cards in the first tier.
fn tier_of(
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
        || catalog.is_in_group(&provider, MARKETPLACES);
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
    if offer.kind == OfferKind::Share {
        return (Tier::Weak, "a share of a GPU, not a whole one");
    }
    match price.kind {
        PriceKind::Snapshot => {
            return (Tier::Marketplace, "the lowest price of a snapshot");
        }
        PriceKind::Estimate => return (Tier::Weak, "an estimated price"),
        PriceKind::Live | PriceKind::List | PriceKind::Contract | PriceKind::Committed => {}
    }
    match price.quality {
        Quality::Pattern => return (Tier::Weak, "a price that follows from others of its list"),
        Quality::Documentation => {
            return (Tier::Weak, "a price from documentation, not from a list");
        }
        Quality::Provider | Quality::Aggregator => {}
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recommend::RecommendRequest;
    use crate::sizing::{ModelSource, RunRequest, WorkKind};
    use crate::{Engine, OfferFilter};
    use sky_accel_core::sizing::Workload;

    /// The specs of the rows of a LoRA, with their tiers.
    fn lora(on: Option<&str>) -> Vec<(String, Option<Tier>)> {
        let request = RecommendRequest {
            run: RunRequest {
                model: Some(ModelSource::read("Qwen3-32B")),
                workload: Some(WorkKind::Computed(Workload::Lora)),
                context: Some(4096.0),
                ..RunRequest::default()
            },
            on: on.map(str::to_owned),
            offers: OfferFilter {
                limit: Some(100),
                ..OfferFilter::default()
            },
            ..RecommendRequest::default()
        };
        let answer = Engine::embedded().recommend(&request, None).unwrap();
        let rows = answer.envelope.results.iter();
        rows.map(|row| (row.spec.clone(), row.tier)).collect()
    }

    #[test]
    fn a_share_of_a_gpu_is_below_whole_gpus() {
        let request = |on: &str| RecommendRequest {
            run: RunRequest {
                model: Some(ModelSource::read("Qwen3-0.6B")),
                ..RunRequest::default()
            },
            on: Some(on.to_owned()),
            ..RecommendRequest::default()
        };
        let mut shares = 0;
        for on in ["L4", "A10"] {
            let answer = Engine::embedded().recommend(&request(on), None).unwrap();
            let rows = answer.envelope.results;
            let is_share: Vec<bool> = rows
                .iter()
                .map(|row| row.offer.sells == OfferKind::Share)
                .collect();
            assert!(!is_share[0], "{on}: {is_share:?}");
            let of_shares = rows
                .iter()
                .zip(&is_share)
                .filter(|(_, is_share)| **is_share);
            assert!(
                of_shares
                    .clone()
                    .all(|(row, _)| row.tier == Some(Tier::Weak))
            );
            shares += of_shares.count();
        }
        assert!(shares > 0);
    }

    #[test]
    fn training_in_fp16_is_below_training_in_bf16() {
        let is_volta = |(spec, _): &&(String, Option<Tier>)| spec.starts_with("V100");
        let open = lora(None);
        let first = open.first().filter(|row| !is_volta(row));
        assert!(first.is_some(), "{open:?}");
        let volta: Vec<_> = open.iter().filter(is_volta).collect();
        assert!(volta.iter().all(|(_, tier)| *tier != Some(Tier::List)));
        // A card that the request names is as good as its price.
        let named = lora(Some("V100"));
        assert!(
            named.iter().any(|(_, tier)| *tier == Some(Tier::List)),
            "{named:?}"
        );
    }
}
