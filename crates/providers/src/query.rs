//! The query to a provider.

use std::fmt;

use serde::Serialize;
use sky_accel_core::catalog::CapacityType;
use sky_accel_core::resolve::glob;

use crate::cache::CacheMode;
use crate::offer::Hardware;

/// A request for offers. The answer may include offers that do not match, but must include every
/// matching offer.
#[derive(Clone, Copy)]
pub struct Query<'q> {
    /// The provider's ids of offers that may have a requested accelerator; empty for all offers.
    pub ids: &'q [String],
    /// The provider's ids of all its regions in the catalog.
    pub regions: &'q [String],
    /// The catalog ids of the requested accelerators, which are part of the cache key.
    pub accelerators: &'q [String],
    /// Decides by the id and hardware of an offer if its device is requested.
    pub interest: &'q dyn Fn(&str, Option<&Hardware>) -> Interest,
    /// The requested numbers of devices in one machine.
    pub counts: Counts,
    /// The requested regions; `None` for all regions.
    pub places: Option<&'q Places>,
    /// True if on-demand prices are requested.
    pub on_demand: bool,
    /// True if spot prices are requested.
    pub spot: bool,
    /// The disk space in GB that a marketplace includes in the price.
    pub disk_gb: f64,
    /// The number of machines that are needed together. Scores and blocks for one machine say nothing
    /// about four.
    pub machines: u32,
    /// True if stock that costs further requests is requested.
    pub stock: bool,
    /// True if only the credentials matter: then an answer without offers is complete.
    pub credentials_only: bool,
    /// True if spot scores that cost further requests are requested.
    pub spot_scores: bool,
    /// The duration in hours of requested capacity blocks; `None` if not requested.
    pub capacity_block_hours: Option<u32>,
    /// Returns quota codes of the catalog, if the account's quotas are requested.
    pub quota: Option<&'q QuotaCode<'q>>,
}

impl Query<'static> {
    /// Creates a query for every offer with this number of devices.
    pub(crate) fn everything(counts: Counts) -> Self {
        Self {
            ids: &[],
            regions: &[],
            accelerators: &[],
            interest: &|_, _| Interest::Requested,
            counts,
            places: None,
            on_demand: true,
            spot: true,
            disk_gb: 0.0,
            machines: 1,
            stock: true,
            credentials_only: false,
            spot_scores: false,
            capacity_block_hours: None,
            quota: None,
        }
    }
}

impl Query<'_> {
    /// Returns true if the stock or the quotas of an account are requested.
    pub(crate) fn asks_account(&self) -> bool {
        self.stock || self.quota.is_some()
    }

    /// Returns true if one request is enough, which shows whether the provider accepts the credentials.
    pub fn checks_credentials(&self, mode: CacheMode) -> bool {
        self.credentials_only && mode != CacheMode::Only
    }

    /// Returns true if something is requested that needs an account.
    pub fn needs_account(&self) -> bool {
        self.spot_scores || self.capacity_block_hours.is_some() || self.quota.is_some()
    }
}

/// A function that returns the code of the quota that an instance type counts against; `None` if
/// not known.
pub type QuotaCode<'q> = dyn Fn(&str, CapacityType) -> Option<String> + 'q;

/// The decision if further requests are made for an offer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interest {
    /// The device is requested: make further requests.
    Requested,
    /// The device is not requested: leave the offer out without counting it.
    NotRequested,
    /// The device is unknown: list the offer so that it is counted, without further requests.
    Unknown,
}

impl fmt::Debug for Query<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Query")
            .field("ids", &self.ids)
            .field("counts", &self.counts)
            .field("places", &self.places)
            .finish_non_exhaustive()
    }
}

/// A range of numbers of devices in one machine.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Counts {
    /// The lowest number, a fraction if a part of a device is enough.
    pub min: f64,
    /// The highest number; `None` for no upper bound.
    pub max: Option<f64>,
}

impl Counts {
    /// Returns the whole numbers in the range, up to `limit`.
    pub fn whole(self, limit: u32) -> impl Iterator<Item = u32> {
        let first = self.min.ceil().max(1.0) as u32;
        let last = self.max.map_or(limit, |max| (max as u32).min(limit));
        first..=last
    }
}

/// Regions by name, pattern or country.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Places {
    /// The requested regions as the user wrote them: `eu-west-1`, `eu-*`, `SE`.
    pub patterns: Vec<String>,
    /// The countries of the catalog's regions, as pairs of region and country code.
    pub countries: Vec<(String, String)>,
}

impl Places {
    /// Returns true if a region is requested by its name or its country.
    pub fn include(&self, region: &str, country: Option<&str>) -> bool {
        let entry = self.countries.iter().find(|(id, _)| id == region);
        let country = country.or(entry.map(|(_, country)| country.as_str()));
        self.patterns.iter().any(|pattern| {
            glob(pattern, region) || country.is_some_and(|c| c.eq_ignore_ascii_case(pattern))
        })
    }

    /// Returns the patterns that look like country codes, in upper case.
    pub fn countries(&self) -> impl Iterator<Item = String> {
        self.patterns
            .iter()
            .filter(|p| p.len() == 2 && p.bytes().all(|b| b.is_ascii_alphabetic()))
            .map(|pattern| pattern.to_ascii_uppercase())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_counts_are_bounded() {
        let counts = |min, max, limit| Counts { min, max }.whole(limit).collect::<Vec<_>>();
        assert_eq!(counts(2.0, Some(4.0), 8), [2, 3, 4]);
        assert_eq!(counts(0.5, Some(0.5), 8), Vec::<u32>::new());
        assert_eq!(counts(6.0, None, 8), [6, 7, 8]);
        assert_eq!(counts(9.0, None, 8), Vec::<u32>::new());
    }

    #[test]
    fn scores_blocks_and_quotas_need_an_account() {
        let any = Counts {
            min: 1.0,
            max: None,
        };
        let plain = || Query {
            stock: false,
            ..Query::everything(any)
        };
        let account = |query: &Query<'_>| (query.needs_account(), query.asks_account());
        assert_eq!(account(&plain()), (false, false));
        let stock = Query::everything(any);
        assert_eq!(account(&stock), (false, true));
        let scores = Query {
            spot_scores: true,
            ..plain()
        };
        assert_eq!(account(&scores), (true, false));
        let blocks = Query {
            capacity_block_hours: Some(24),
            ..plain()
        };
        assert_eq!(account(&blocks), (true, false));
        let code = |_: &str, _: CapacityType| None;
        let quota = Query {
            quota: Some(&code),
            ..plain()
        };
        assert_eq!(account(&quota), (true, true));
        let check = Query {
            credentials_only: true,
            ..plain()
        };
        assert!(check.checks_credentials(CacheMode::Prefer));
        assert!(!check.checks_credentials(CacheMode::Only));
        assert!(!plain().checks_credentials(CacheMode::Prefer));
    }

    #[test]
    fn places_match_names_patterns_and_countries() {
        let places = Places {
            patterns: vec!["EU-*".to_owned(), "ca".to_owned()],
            countries: vec![("CA-MTL-1".to_owned(), "CA".to_owned())],
        };
        assert!(places.include("EU-RO-1", None));
        assert!(places.include("CA-MTL-1", None));
        assert!(places.include("new-1", Some("CA")));
        assert!(!places.include("US-TX-3", Some("US")));
        assert_eq!(places.countries().collect::<Vec<_>>(), ["CA"]);
    }
}
