//! Groups the rows of `resolve` by accelerator, provider, region or count.

use std::collections::HashMap;

use serde::Serialize;
use sky_accel_core::catalog::{Catalog, OfferKind, PriceKind, RegionId};
use sky_accel_core::resolve::{Match, Quote, Request, in_region, rank_before_price};

use crate::num::Num;

sky_accel_core::words! {
    /// The property that the offers of a group share.
    pub enum GroupBy {
        /// The accelerator.
        Accelerator = "accelerator",
        /// The provider.
        Provider = "provider",
        /// The region of a provider.
        Region = "region",
        /// The number of accelerators in one machine.
        Count = "count",
    }
}

/// The offers that a row represents, with `group_by`.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GroupOut {
    /// The shared property.
    pub by: GroupBy,
    /// The accelerator, the provider, the region after its provider (`aws/us-east-1`) or the count; `null`
    /// for offers in unknown regions.
    pub key: Option<String>,
    /// The number of offers.
    pub offers: usize,
    /// The lowest ranking price in US dollars per hour for the whole offer, of the offers without a doubt if there are
    /// any; `null` if no price is known.
    pub usd_per_hour_min: Option<Num>,
    /// The highest ranking price.
    pub usd_per_hour_max: Option<Num>,
    /// True if the lowest price is an estimate. Not serialized.
    #[serde(skip)]
    pub is_min_estimated: bool,
    /// True if the highest price is an estimate. Not serialized.
    #[serde(skip)]
    pub is_max_estimated: bool,
}

/// Why a match does not count beside others of its group.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Weakness {
    /// A part of a device, or an endpoint, which is another product than a machine.
    is_other_product: bool,
    /// Its price or its machine is in doubt.
    is_doubtful: bool,
}

impl Weakness {
    /// Returns whether a match counts in the range of a group with this best match.
    fn counts_beside(self, best: Self) -> bool {
        self.is_other_product <= best.is_other_product && self.is_doubtful <= best.is_doubtful
    }
}

/// The best match of each group, in match order, with a summary of the group.
pub(crate) fn fold(
    catalog: &Catalog<'_>,
    matches: &[Match],
    request: &Request,
    by: GroupBy,
) -> Vec<(Match, GroupOut)> {
    let mut groups = Groups {
        catalog,
        request,
        by,
        weakness: Weakness::default(),
        of_best: Vec::new(),
        places: HashMap::new(),
        rows: Vec::new(),
    };
    for found in matches {
        let offer = catalog.offer(found.offer);
        groups.weakness = Weakness {
            is_other_product: offer.is_part(found.count) || offer.kind == OfferKind::Endpoint,
            is_doubtful: found.reasons.iter().any(|reason| reason.is_doubt()),
        };
        match by {
            GroupBy::Accelerator => {
                groups.add(
                    Some(catalog.accelerator_id(found.accelerator).to_owned()),
                    found.clone(),
                );
            }
            GroupBy::Provider => {
                groups.add(
                    Some(catalog.provider_id(offer.provider).to_owned()),
                    found.clone(),
                );
            }
            GroupBy::Count => groups.add(Some(found.count.to_string()), found.clone()),
            GroupBy::Region => {
                let regions = regions(catalog, found, request);
                for region in &regions {
                    let key = format!(
                        "{}/{}",
                        catalog.provider_id(offer.provider),
                        catalog.region_id(*region)
                    );
                    groups.add(Some(key), in_region(catalog, found, *region, request));
                }
                if regions.is_empty() {
                    groups.add(None, found.clone());
                }
            }
        }
    }
    let mut groups = groups.rows;
    if by == GroupBy::Region {
        // The best offer of a region can rank elsewhere than among all offers, so sort again.
        groups.sort_by_key(|(found, _)| {
            let usd = found.ranking_price(request.capacity_filter);
            (rank_before_price(catalog, found, request), usd)
        });
    }
    groups
}

/// The known, requested regions where a match is sold.
fn regions(catalog: &Catalog<'_>, found: &Match, request: &Request) -> Vec<RegionId> {
    let offer = catalog.offer(found.offer);
    let mut regions = catalog.regions(offer.regions).to_vec();
    if regions.is_empty() {
        for price in catalog.prices(&offer) {
            regions.extend(price.region);
            // For a marketplace, the regions where its machines were observed.
            regions.extend(catalog.regions(price.seen_in).iter());
        }
    }
    let filter = request.regions.as_ref();
    regions.retain(|region| filter.is_none_or(|filter| filter.allows(*region)));
    regions.sort_unstable();
    regions.dedup();
    regions
}

struct Groups<'r, 'c> {
    catalog: &'r Catalog<'c>,
    request: &'r Request,
    by: GroupBy,
    /// The weakness of the match that is added.
    weakness: Weakness,
    /// The weakness of the best match of each group.
    of_best: Vec<Weakness>,
    /// The index of the group with a key.
    places: HashMap<Option<String>, usize>,
    rows: Vec<(Match, GroupOut)>,
}

impl Groups<'_, '_> {
    /// Adds a match to its group. Of equally good matches, the first stays the best.
    fn add(&mut self, key: Option<String>, found: Match) {
        let quote = found.ranking_quote(self.request.capacity_filter);
        let usd = quote.map(|quote| quote.likely.usd);
        let is_estimated = quote.is_some_and(|quote| is_estimated(self.catalog, &quote));
        let at = *self.places.entry(key.clone()).or_insert(self.rows.len());
        let Some((best, group)) = self.rows.get_mut(at) else {
            let amount = usd.map(|usd| Num(usd.decimal()));
            let group = GroupOut {
                by: self.by,
                key,
                offers: 1,
                usd_per_hour_min: amount,
                usd_per_hour_max: amount,
                is_min_estimated: is_estimated,
                is_max_estimated: is_estimated,
            };
            self.of_best.push(self.weakness);
            return self.rows.push((found, group));
        };
        group.offers += 1;
        let of_best = &mut self.of_best[at];
        // The range is of prices that people can count on, if there are any, and of one product.
        let Some(usd) = usd.filter(|_| self.weakness.counts_beside(*of_best)) else {
            return;
        };
        let best_usd = best.ranking_price(self.request.capacity_filter);
        if self.by == GroupBy::Region && best_usd.is_none_or(|known| usd < known) {
            *best = found;
            *of_best = self.weakness;
        }
        let usd = usd.decimal();
        if group.usd_per_hour_min.is_none_or(|min| usd < min.0) {
            group.usd_per_hour_min = Some(Num(usd));
            group.is_min_estimated = is_estimated;
        }
        if group.usd_per_hour_max.is_none_or(|max| usd > max.0) {
            group.usd_per_hour_max = Some(Num(usd));
            group.is_max_estimated = is_estimated;
        }
    }
}

/// Returns whether a likely price differs from the stated one, or the stated one is a hint.
fn is_estimated(catalog: &Catalog<'_>, quote: &Quote) -> bool {
    let price = catalog.price(quote.price);
    quote.likely.usd != quote.usd || price.kind == PriceKind::Estimate || price.quality.is_weak()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::contract::OfferOut;
    use crate::{Engine, ResolveRequest};

    #[test]
    fn the_range_of_a_group_is_of_one_product_and_marks_estimates() {
        let request = |group_by| ResolveRequest {
            specs: vec!["H100".into()],
            group_by,
            ..ResolveRequest::default()
        };
        let engine = Engine::embedded();
        let all = engine.resolve(&request(None)).unwrap().envelope.results;
        let is_machine = |offer: &&OfferOut<'_>| {
            !matches!(offer.sells, OfferKind::Share | OfferKind::Endpoint) && offer.count.0 >= 1.0
        };
        // By provider and price, whether it is an estimate.
        let prices: BTreeSet<(&str, String, bool)> = all
            .iter()
            .filter(is_machine)
            .filter_map(|offer| {
                let price = offer.on_demand.as_ref()?;
                let usd = price.likely_usd_per_hour;
                let is_estimated = usd != price.usd_per_hour
                    || price.kind == PriceKind::Estimate
                    || price.quality.is_weak();
                Some((offer.provider, usd.0.to_string(), is_estimated))
            })
            .collect();
        let grouped = engine.resolve(&request(Some(GroupBy::Provider))).unwrap();
        let mut compared = 0;
        for best in grouped.envelope.results.iter().filter(is_machine) {
            let group = best.group.as_ref().unwrap();
            for (usd, is_estimated) in [
                (group.usd_per_hour_min, group.is_min_estimated),
                (group.usd_per_hour_max, group.is_max_estimated),
            ] {
                let Some(usd) = usd else { continue };
                let end = (best.provider, usd.0.to_string(), is_estimated);
                assert!(prices.contains(&end), "{end:?}");
                compared += 1;
            }
        }
        assert!(compared > 10);
    }

    #[test]
    fn regions_are_ordered_by_soundness_and_then_by_price() {
        let request = ResolveRequest {
            specs: vec!["A100-80GB".into()],
            group_by: Some(GroupBy::Region),
            ..ResolveRequest::default()
        };
        let answer = Engine::embedded().resolve(&request).unwrap();
        let rows = answer.envelope.results.iter().map(|offer| {
            let group = offer.group.as_ref().unwrap();
            let usd = |usd: Option<Num>| usd.map(|usd| (usd.0 * 100.0).round() / 100.0);
            (
                group.key.as_deref().unwrap_or_default(),
                group.offers,
                usd(group.usd_per_hour_min),
                usd(group.usd_per_hour_max),
            )
        });
        let rows: Vec<_> = rows.collect();
        let one = |key, usd| (key, 1, usd, usd);
        assert_eq!(
            rows,
            [
                // Unconfirmed prices do not count beside others of the group.
                ("", 14, Some(2.5), Some(2.5)),
                one("gcp/us-central1", Some(5.07)),
                one("gcp/us-east5", Some(5.56)),
                one("gcp/europe-west4", Some(5.58)),
                one("gcp/us-east4", Some(5.71)),
                one("gcp/asia-southeast1", Some(6.25)),
                // Unconfirmed prices, however low, then regions without a price, and a machine that is no longer sold.
                one("denvr/Hou1", Some(1.48)),
                one("mithril/us-central3-a", Some(1.5)),
                one("verda/FIN-01", Some(1.53)),
                one("verda/FIN-03", Some(1.53)),
                one("vastai/CZ", Some(1.55)),
                one("paperspace/East Coast (NY2)", Some(2.65)),
                one("massedcompute/us-central-2", None),
                one("massedcompute/us-central-3", None),
                one("vastai/US", None),
                one("scp/KOREA-WEST-1-SCP-B001", Some(2.67)),
            ]
        );
    }
}
