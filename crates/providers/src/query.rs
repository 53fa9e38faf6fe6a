//! The question to a provider, in its own ids.

use std::fmt;

use serde::Serialize;
use sky_accel_core::catalog::CapacityType;
use sky_accel_core::resolve::glob;

use crate::offer::Hardware;

/// A request for offers. It may be answered too widely, never too narrowly.
#[derive(Clone, Copy)]
pub struct Query<'q> {
    /// The provider's ids that may carry what is wanted; empty is all.
    pub ids: &'q [String],
    /// The wanted accelerators in the catalog's words: they keep answers to different wishes apart.
    pub accelerators: &'q [String],
    /// Whether a device is wanted, by the provider's id and by what it says of the hardware.
    pub interest: &'q dyn Fn(&str, Option<&Hardware>) -> Interest,
    /// Devices in one machine.
    pub counts: Counts,
    /// `None` is everywhere.
    pub places: Option<&'q Places>,
    /// Whether on-demand prices are asked for.
    pub on_demand: bool,
    /// Whether spot prices are asked for.
    pub spot: bool,
    /// The disk that a marketplace prices in with the machine, in GB.
    pub disk_gb: f64,
    /// AWS: how likely spot capacity is.
    pub spot_scores: bool,
    /// AWS: reserved blocks of so many hours.
    pub capacity_block_hours: Option<u32>,
    /// AWS: the account's limits are asked for, by the codes that types count against.
    pub quota: Option<&'q QuotaCode<'q>>,
}

/// The code of the limit that a type counts against.
pub type QuotaCode<'q> = dyn Fn(&str, CapacityType) -> Option<String> + 'q;

/// Whether something is worth a further question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Interest {
    /// It is asked about further.
    Wanted,
    /// It is left out, without being counted.
    Unwanted,
    /// Nobody here knows the device: it is listed, to be counted, but not asked about further.
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

/// Devices in one machine.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Counts {
    /// The lowest number; a fraction where a part of a device is enough.
    pub min: f64,
    /// `None` has no upper bound.
    pub max: Option<f64>,
}

impl Counts {
    /// The whole numbers in the range, none above `limit`.
    pub fn whole(self, limit: u32) -> impl Iterator<Item = u32> {
        let first = self.min.ceil().max(1.0) as u32;
        let last = self.max.map_or(limit, |max| (max as u32).min(limit));
        first..=last
    }
}

/// Regions by name, pattern or country.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Places {
    /// As asked: `eu-west-1`, `eu-*`, `SE`.
    pub patterns: Vec<String>,
    /// (region, country) as the catalog knows them.
    pub countries: Vec<(String, String)>,
}

impl Places {
    /// Whether a region is asked for, by its name or the country that it is in.
    pub fn include(&self, region: &str, country: Option<&str>) -> bool {
        let known = self.countries.iter().find(|(id, _)| id == region);
        let country = country.or(known.map(|(_, country)| country.as_str()));
        self.patterns.iter().any(|pattern| {
            glob(pattern, region) || country.is_some_and(|c| c.eq_ignore_ascii_case(pattern))
        })
    }

    /// The patterns that are country codes.
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
    fn counts_are_whole_and_bounded() {
        let whole = |min, max, limit| Counts { min, max }.whole(limit).collect::<Vec<_>>();
        assert_eq!(whole(2.0, Some(4.0), 8), [2, 3, 4]);
        assert_eq!(whole(0.5, Some(0.5), 8), Vec::<u32>::new());
        assert_eq!(whole(6.0, None, 8), [6, 7, 8]);
        assert_eq!(whole(9.0, None, 8), Vec::<u32>::new());
    }

    #[test]
    fn places_are_names_patterns_or_countries() {
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
