//! The part of an answer that needs an account, for providers whose prices are public: stock and
//! quotas, by the provider's id of an offer.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use sky_accel_core::catalog::{Availability, CapacityType};

use crate::access::Access;
use crate::cache::Fetched;
use crate::error::{ErrorKind, ProviderError};
use crate::listing::Listing;
use crate::obtainability::{Obtainability, StockState};
use crate::offer::{Offer, Quota};
use crate::query::Query;

/// Stock and quotas of an account.
#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct AccountAnswer {
    offers: BTreeMap<String, AccountOffer>,
    /// Remarks about the answer, for people.
    pub remarks: Vec<String>,
}

/// Stock and quotas of an offer.
#[derive(Debug, Default, Serialize, Deserialize)]
struct AccountOffer {
    stock: Vec<Obtainability>,
    quotas: Vec<Quota>,
}

impl AccountAnswer {
    /// Adds an answer on the stock of an offer.
    pub(super) fn add_stock(&mut self, id: &str, mut record: Obtainability) {
        record.is_account_specific = true;
        self.offers
            .entry(id.to_owned())
            .or_default()
            .stock
            .push(record);
    }

    /// Adds a quota that an offer counts against, unless it is there.
    pub(super) fn add_quota(&mut self, id: &str, quota: Quota) {
        let quotas = &mut self.offers.entry(id.to_owned()).or_default().quotas;
        if !quotas.contains(&quota) {
            quotas.push(quota);
        }
    }

    /// Adds a remark, unless it is there.
    pub(super) fn add_remark(&mut self, remark: &str) {
        if !self.remarks.iter().any(|other| other == remark) {
            self.remarks.push(remark.to_owned());
        }
    }

    #[cfg(test)]
    pub(super) fn stock(&self, id: &str) -> &[Obtainability] {
        self.offers.get(id).map_or(&[], |offer| &offer.stock)
    }

    #[cfg(test)]
    pub(super) fn quotas(&self, id: &str) -> &[Quota] {
        self.offers.get(id).map_or(&[], |offer| &offer.quotas)
    }
}

/// Adds the account's part to a public listing, with its quotas only if they are requested. Its failure
/// is a problem of the answer, not a failure: the prices are known, and stock is unknown.
pub(super) fn with_account(
    query: &Query<'_>,
    mut listing: Listing,
    answer: Result<Fetched<AccountAnswer>, ProviderError>,
) -> Listing {
    let mut fetched = match answer {
        Ok(fetched) => fetched,
        // The user asked for cached data only, and prices are cached.
        Err(error) if matches!(error.kind, ErrorKind::NotCached | ErrorKind::TooOld) => {
            return listing;
        }
        Err(error) => {
            listing.account_problems.push(error);
            return listing;
        }
    };
    for offer in &mut listing.offers {
        let Some(AccountOffer { stock, quotas }) = fetched.value.offers.remove(&offer.id) else {
            continue;
        };
        if query.quota.is_some() {
            offer.quotas.extend(quotas);
        }
        offer.obtainability.extend(stock.into_iter().map(|record| {
            let fetched_at = fetched.at;
            Obtainability {
                fetched_at,
                ..record
            }
        }));
        set_availability(offer);
    }
    listing.access = Access::Key;
    listing.remarks.append(&mut fetched.value.remarks);
    listing.account_problems.append(&mut fetched.problems);
    listing
}

/// Sets the availability of the prices of an offer by its answers on stock.
fn set_availability(offer: &mut Offer) {
    let Offer {
        prices,
        obtainability,
        ..
    } = offer;
    for price in prices {
        let region = price.region.as_deref();
        let of_price = obtainability.iter().filter(|record| {
            record.capacity == price.capacity
                && (region.is_none() || record.place.region.as_deref() == region)
        });
        let best = of_price.map(availability).min_by_key(|found| rank(*found));
        // A price for all regions is not out of stock because some regions are.
        let is_told =
            |found: &Availability| region.is_some() || *found != Availability::Unavailable;
        price.availability = best.filter(is_told).unwrap_or(price.availability);
    }
}

fn availability(record: &Obtainability) -> Availability {
    match record.state {
        StockState::Available => Availability::Available,
        StockState::Limited => Availability::Limited,
        StockState::Unavailable => Availability::Unavailable,
        StockState::Blocked
        | StockState::Offered
        | StockState::NotOffered
        | StockState::Unknown => Availability::Unknown,
    }
}

/// Orders availability from the best to the worst.
fn rank(availability: Availability) -> u8 {
    match availability {
        Availability::Available => 0,
        Availability::Limited => 1,
        Availability::Unknown => 2,
        Availability::Unavailable => 3,
    }
}

/// Adds errors of equal parts, each once: many regions refuse a request for one reason.
pub(super) fn add_problems(
    problems: &mut Vec<ProviderError>,
    more: impl IntoIterator<Item = ProviderError>,
) {
    for error in more {
        if !problems.contains(&error) {
            problems.push(error);
        }
    }
}

/// Returns the requested capacity types.
pub(super) fn capacities(on_demand: bool, spot: bool) -> impl Iterator<Item = CapacityType> {
    let on_demand = on_demand.then_some(CapacityType::OnDemand);
    on_demand
        .into_iter()
        .chain(spot.then_some(CapacityType::Spot))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::offer::{Price, QuotaUnit};
    use crate::query::Counts;

    fn query() -> Query<'static> {
        Query::everything(Counts {
            min: 1.0,
            max: None,
        })
    }

    fn listing(region: Option<&str>) -> Listing {
        let price = Price {
            region: region.map(str::to_owned),
            ..Price::new(CapacityType::OnDemand, 1.0)
        };
        Listing {
            offers: vec![Offer {
                id: "a".to_owned(),
                prices: vec![price],
                ..Offer::default()
            }],
            access: Access::Public,
            ..Listing::default()
        }
    }

    fn fetched(states: &[(&str, StockState)]) -> Fetched<AccountAnswer> {
        let mut value = AccountAnswer::default();
        for (region, state) in states {
            let record = Obtainability {
                state: *state,
                ..Obtainability::new(CapacityType::OnDemand, 4, "test").in_region(region)
            };
            value.add_stock("a", record);
        }
        Fetched {
            value,
            at: 7,
            cached: false,
            problems: Vec::new(),
        }
    }

    #[test]
    fn stock_is_added_to_public_prices() {
        use StockState::{Available, Blocked, Unavailable};
        for (region, states, wanted) in [
            (Some("x"), vec![("x", Available)], Availability::Available),
            (Some("x"), vec![("y", Available)], Availability::Unknown),
            (
                Some("x"),
                vec![("x", Unavailable)],
                Availability::Unavailable,
            ),
            // A quota says nothing about stock.
            (Some("x"), vec![("x", Blocked)], Availability::Unknown),
            (
                None,
                vec![("x", Unavailable), ("y", Available)],
                Availability::Available,
            ),
            (None, vec![("x", Unavailable)], Availability::Unknown),
        ] {
            let listing = with_account(&query(), listing(region), Ok(fetched(&states)));
            let offer = &listing.offers[0];
            assert_eq!(
                offer.prices[0].availability, wanted,
                "{region:?} {states:?}"
            );
            let record = &offer.obtainability[0];
            assert!(record.is_account_specific);
            assert_eq!((record.machines, record.fetched_at), (4, 7));
            assert_eq!(listing.access, Access::Key);
        }
    }

    #[test]
    fn quotas_are_added_on_request() {
        let quota = Quota {
            region: None,
            capacity: CapacityType::OnDemand,
            code: "cores".to_owned(),
            name: None,
            unit: QuotaUnit::Vcpus,
            limit: Some(8.0),
            used: None,
            is_adjustable: None,
        };
        let quotas = |query: &Query<'_>| {
            let mut answer = fetched(&[]);
            answer.value.add_quota("a", quota.clone());
            answer.value.add_quota("a", quota.clone());
            let listing = with_account(query, listing(None), Ok(answer));
            listing.offers[0].quotas.len()
        };
        assert_eq!(quotas(&query()), 0);
        let code = |_: &str, _: CapacityType| None;
        let with_quota = Query {
            quota: Some(&code),
            ..query()
        };
        assert_eq!(quotas(&with_quota), 1);
    }

    #[test]
    fn a_failure_leaves_the_prices_and_is_reported() {
        let failed = |kind| {
            let error = ProviderError::new("test", kind, "no");
            let listing = with_account(&query(), listing(None), Err(error));
            (
                listing.access,
                listing.offers.len(),
                listing.account_problems.len(),
            )
        };
        assert_eq!(failed(ErrorKind::Permission), (Access::Public, 1, 1));
        assert_eq!(failed(ErrorKind::NotCached), (Access::Public, 1, 0));
    }
}
