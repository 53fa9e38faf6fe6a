//! Groups the rows of `resolve` by accelerator, provider, region or count.

use std::collections::HashMap;

use serde::Serialize;
use sky_accel_core::catalog::{Catalog, OfferKind, RegionId};
use sky_accel_core::money::Usd;
use sky_accel_core::resolve::{Match, Request, in_region, rank_before_price};

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
    /// The lowest ranking price in US dollars per hour for the whole offer, of the offers without a doubt if there are any;
    /// `null` if no price is known.
    pub usd_per_hour_min: Option<Num>,
    /// The highest ranking price.
    pub usd_per_hour_max: Option<Num>,
}

/// The best match of each group, in match order, with a summary of the group.
pub(crate) fn fold(
    catalog: &Catalog<'_>,
    matches: &[Match],
    request: &Request,
    by: GroupBy,
) -> Vec<(Match, GroupOut)> {
    let mut groups = Groups {
        request,
        by,
        is_weak: false,
        places: HashMap::new(),
        rows: Vec::new(),
    };
    for found in matches {
        let offer = catalog.offer(found.offer);
        groups.is_weak = offer.is_part(found.count)
            || offer.kind == OfferKind::Endpoint
            || found.reasons.iter().any(|reason| reason.is_doubt());
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

struct Groups<'r> {
    request: &'r Request,
    by: GroupBy,
    /// Whether the match that is added ranks after ordinary machines with confirmed prices.
    is_weak: bool,
    /// The index of the group with a key.
    places: HashMap<Option<String>, usize>,
    rows: Vec<(Match, GroupOut)>,
}

impl Groups<'_> {
    /// Adds a match to its group. Of equally good matches, the first stays the best.
    fn add(&mut self, key: Option<String>, found: Match) {
        let usd = found.ranking_price(self.request.capacity_filter);
        let at = *self.places.entry(key.clone()).or_insert(self.rows.len());
        let Some((best, group)) = self.rows.get_mut(at) else {
            let group = GroupOut {
                by: self.by,
                key,
                offers: 1,
                usd_per_hour_min: amount(usd),
                usd_per_hour_max: amount(usd),
            };
            return self.rows.push((found, group));
        };
        group.offers += 1;
        let is_best_weak = best.reasons.iter().any(|reason| reason.is_doubt());
        // The range is of prices that people can count on, if there are any.
        let Some(usd) = usd.filter(|_| !self.is_weak || is_best_weak) else {
            return;
        };
        let best_usd = best.ranking_price(self.request.capacity_filter);
        if self.by == GroupBy::Region && best_usd.is_none_or(|known| usd < known) {
            *best = found;
        }
        let usd = usd.decimal();
        let min = group.usd_per_hour_min.map_or(usd, |min| min.0.min(usd));
        let max = group.usd_per_hour_max.map_or(usd, |max| max.0.max(usd));
        (group.usd_per_hour_min, group.usd_per_hour_max) = (Some(Num(min)), Some(Num(max)));
    }
}

fn amount(usd: Option<Usd>) -> Option<Num> {
    usd.map(|usd| Num(usd.decimal()))
}
