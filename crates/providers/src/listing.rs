//! The answer of a provider.

use std::collections::HashSet;

use crate::access::Access;
use crate::budget::{MAX_OFFERS, MAX_PRICES, MAX_REGIONS};
use crate::cache::Fetched;
use crate::clock::now;
use crate::error::{ErrorKind, ProviderError};
use crate::offer::{Dropped, DroppedBecause, Offer, Tally};
use crate::reading::DocumentAge;

/// The answer of one provider.
#[derive(Clone, Debug, Default)]
pub struct Listing {
    /// The readable offers, in arbitrary order.
    pub offers: Vec<Offer>,
    /// The numbers of rows that were left out, by reason.
    pub dropped: Vec<Dropped>,
    /// The errors of parts of the answer; empty if the listing is complete.
    pub problems: Vec<ProviderError>,
    /// The errors of the account's part of the answer: stock or quotas are missing, and the offers and
    /// prices are complete without them.
    pub account_problems: Vec<ProviderError>,
    /// Remarks about the answer, for people.
    pub remarks: Vec<String>,
    /// The time when the oldest price was fetched, in seconds since 1970.
    pub fetched_at: i64,
    /// True if any price is from the cache.
    pub cached: bool,
    /// The time when the oldest list of types and regions was fetched, in seconds since 1970;
    /// `None` if such lists are not cached separately.
    pub types_at: Option<i64>,
    /// True if on-demand prices were requested but are missing.
    pub lacks_on_demand: bool,
    /// Set if the answer lists machine types without the ways in which they are sold: the catalog's
    /// prices and statuses hold where the answer has none. The function returns true for the id of a
    /// type that such a list always has; other offers of the catalog are not affected.
    pub lists_types: Option<fn(&str) -> bool>,
    /// The access with which the provider was queried.
    pub access: Access,
    /// True if the prices are public, also if a key gave access to other data. Without any price in the
    /// answer, the prices of the catalog hold.
    pub has_public_prices: bool,
    /// The edition of an aggregator's data that the answer is from; `None` for the provider itself.
    pub edition: Option<Edition>,
    /// True if no request was sent, because the provider sells no machine that was requested.
    pub asked_nothing: bool,
}

/// The version of an aggregator's data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edition {
    /// The name of the aggregator: `gpuhunt` or `skypilot`.
    pub name: &'static str,
    /// The version or the date of its data.
    pub version: String,
}

/// The cached form of an answer: the offers and the dropped rows.
pub(crate) type ParsedOffers = (Vec<Offer>, Vec<Dropped>);

impl Listing {
    /// Creates the answer to a query for credentials only, which the provider accepted.
    pub fn accepted() -> Self {
        Self {
            fetched_at: now(),
            ..Self::default()
        }
    }

    /// Returns true for the public data of the provider itself.
    pub fn is_feed(&self) -> bool {
        self.access == Access::Public && self.edition.is_none()
    }

    /// Checks that the answer is not larger than any real answer of a provider.
    ///
    /// # Errors
    ///
    /// Fails with [`ErrorKind::Protocol`] if there are too many offers, prices or regions.
    pub fn check_size(&self, provider: &'static str) -> Result<(), ProviderError> {
        let prices = || self.offers.iter().flat_map(|offer| &offer.prices);
        let regions = self.offers.iter().flat_map(|offer| &offer.regions);
        let regions = regions.map(|region| Some(region.id.as_str()));
        let regions: HashSet<_> = regions
            .chain(prices().map(|price| price.region.as_deref()))
            .flatten()
            .collect();
        for (count, most, what) in [
            (self.offers.len(), MAX_OFFERS, "offers"),
            (regions.len(), MAX_REGIONS, "regions"),
            (prices().count(), MAX_PRICES, "prices"),
        ] {
            if count > most {
                let message =
                    format!("it lists {count} {what}, more than the {most} that are read");
                return Err(ProviderError::new(provider, ErrorKind::Protocol, message));
            }
        }
        Ok(())
    }

    /// Returns true if nothing is missing: each part was answered, and each row was readable and
    /// has a price.
    pub fn is_whole(&self) -> bool {
        let is_fault = |dropped: &Dropped| {
            matches!(
                dropped.because,
                DroppedBecause::NoPrice | DroppedBecause::Unreadable
            )
        };
        let all = [&self.problems, &self.account_problems];
        all.iter().all(|problems| problems.is_empty()) && !self.dropped.iter().any(is_fault)
    }

    /// Creates the listing of a provider that was queried without a key, from its documents.
    pub(crate) fn public(
        mut offers: Vec<Offer>,
        dropped: Tally,
        problems: Vec<ProviderError>,
        read: DocumentAge,
    ) -> Self {
        let at = read.oldest.unwrap_or_else(now);
        for price in offers.iter_mut().flat_map(|offer| &mut offer.prices) {
            if price.as_of == 0 {
                price.as_of = at;
            }
        }
        date_stock(&mut offers, at);
        Self {
            offers,
            dropped: dropped.done(),
            problems,
            fetched_at: at,
            cached: read.any_cached,
            access: Access::Public,
            has_public_prices: true,
            ..Self::default()
        }
    }

    /// Creates the listing of a provider that answers with all offers at once.
    pub(crate) fn of(fetched: Fetched<ParsedOffers>) -> Self {
        let (mut offers, dropped) = fetched.value;
        for price in offers.iter_mut().flat_map(|offer| &mut offer.prices) {
            price.as_of = fetched.at;
        }
        date_stock(&mut offers, fetched.at);
        Self {
            offers,
            dropped,
            problems: fetched.problems,
            fetched_at: fetched.at,
            cached: fetched.cached,
            ..Self::default()
        }
    }
}

/// Sets the time of answers on stock that have none.
fn date_stock(offers: &mut [Offer], at: i64) {
    for record in offers.iter_mut().flat_map(|offer| &mut offer.obtainability) {
        if record.fetched_at == 0 {
            record.fetched_at = at;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offer::{Price, Region};
    use sky_accel_core::catalog::CapacityType;

    fn region(id: usize) -> Region {
        Region {
            id: id.to_string(),
            country: None,
        }
    }

    #[test]
    fn answers_larger_than_any_provider_are_errors() {
        let check = |offers: Vec<Offer>| {
            let listing = Listing {
                offers,
                ..Listing::default()
            };
            listing.check_size("test").map_err(|error| error.message)
        };
        assert_eq!(check(vec![Offer::default(); MAX_OFFERS]), Ok(()));
        let error = check(vec![Offer::default(); MAX_OFFERS + 1]).unwrap_err();
        assert_eq!(
            error,
            "it lists 20001 offers, more than the 20000 that are read"
        );
        let in_regions = |regions: usize| Offer {
            regions: (0..regions).map(region).collect(),
            ..Offer::default()
        };
        assert_eq!(check(vec![in_regions(MAX_REGIONS); 2]), Ok(()));
        assert!(check(vec![in_regions(MAX_REGIONS + 1)]).is_err());
        let priced = |prices: usize| Offer {
            prices: vec![Price::new(CapacityType::OnDemand, 1.0); prices],
            ..Offer::default()
        };
        assert_eq!(check(vec![priced(MAX_PRICES)]), Ok(()));
        assert!(check(vec![priced(MAX_PRICES), priced(1)]).is_err());
    }
}
