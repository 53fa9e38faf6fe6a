//! The regions whose stock and quotas are read. No I/O.

use std::collections::HashMap;

use serde::Serialize;

use crate::offer::{Offer, Price};

/// The maximum number of regions: the spot scores of eight regions come in one answer.
const MAX_REGIONS: usize = 8;
/// The maximum number of sizes in a region.
const MAX_SIZES: usize = 20;

/// A region and the requested sizes that are sold there.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(super) struct AzurePlace {
    pub region: String,
    pub sizes: Vec<String>,
}

/// Returns the regions to ask, those with the lowest prices first, and the number of other regions.
pub(super) fn places(offers: &[Offer]) -> (Vec<AzurePlace>, usize) {
    let mut found: HashMap<&str, (f64, Vec<String>)> = HashMap::new();
    for offer in offers {
        for Price {
            region, per_hour, ..
        } in &offer.prices
        {
            // The region becomes a part of addresses.
            let Some(region) = region.as_deref().filter(|region| is_name(region)) else {
                continue;
            };
            let (lowest, sizes) = found
                .entry(region)
                .or_insert_with(|| (f64::INFINITY, Vec::new()));
            *lowest = lowest.min(*per_hour);
            if !sizes.contains(&offer.id) && sizes.len() < MAX_SIZES {
                sizes.push(offer.id.clone());
            }
        }
    }
    let mut found: Vec<_> = found.into_iter().collect();
    found.sort_by(|(a, (a_usd, _)), (b, (b_usd, _))| a_usd.total_cmp(b_usd).then(a.cmp(b)));
    let others = found.len().saturating_sub(MAX_REGIONS);
    let places = found.into_iter().take(MAX_REGIONS);
    let places = places.map(|(region, (_, sizes))| AzurePlace {
        region: region.to_owned(),
        sizes,
    });
    (places.collect(), others)
}

/// Returns true for the name of a region.
fn is_name(text: &str) -> bool {
    let is_part = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    !text.is_empty() && text.bytes().all(is_part)
}

#[cfg(test)]
mod tests {
    use sky_accel_core::catalog::CapacityType;

    use super::*;

    #[test]
    fn the_cheapest_regions_are_asked() {
        let price = |region: &str, usd| Price {
            region: Some(region.to_owned()),
            ..Price::new(CapacityType::OnDemand, usd)
        };
        let offer = |id: &str, prices| Offer {
            id: id.to_owned(),
            prices,
            ..Offer::default()
        };
        let many = (0..9).map(|at| price(&format!("r{at}"), 100.0 - f64::from(at)));
        let offers = [
            offer("a", many.collect()),
            offer(
                "b",
                vec![price("r3", 1.0), price("r3", 2.0), price("../x", 0.5)],
            ),
        ];
        let (places, others) = places(&offers);
        assert_eq!((places.len(), others), (8, 1));
        assert_eq!(
            (&*places[0].region, &*places[0].sizes),
            ("r3", &["a".to_owned(), "b".to_owned()][..])
        );
        assert_eq!(places[1].region, "r8");
        // The most expensive region is left out.
        assert!(places.iter().all(|place| place.region != "r0"));
    }
}
