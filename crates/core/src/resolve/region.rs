//! Which regions are asked for.

use crate::catalog::{Catalog, ProviderId, Region, RegionId};
use crate::suggest;

/// Regions by name, pattern or country.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegionFilter {
    /// The patterns as the request has them.
    pub patterns: Vec<String>,
    /// By [`RegionId`].
    allowed: Vec<bool>,
    /// By [`ProviderId`]: whether it has any of them.
    providers: Vec<bool>,
}

/// A pattern that matches no region of any requested provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownRegion {
    /// The pattern, as it was written.
    pub pattern: String,
    /// The ids of regions with similar names; may be empty.
    pub suggestions: Vec<String>,
}

impl RegionFilter {
    /// Reads patterns. Each must match a region of `providers`, where an empty list stands for
    /// every provider.
    ///
    /// # Errors
    ///
    /// Fails with [`UnknownRegion`] for the first pattern that matches no region.
    pub fn new(
        catalog: &Catalog<'_>,
        patterns: &[String],
        providers: &[ProviderId],
    ) -> Result<Self, UnknownRegion> {
        let asked = |provider: ProviderId| providers.is_empty() || providers.contains(&provider);
        let mut filter = Self {
            patterns: patterns.to_vec(),
            allowed: vec![false; catalog.regions.len()],
            providers: vec![false; catalog.providers.len()],
        };
        for pattern in patterns {
            let mut found = false;
            // Where one needs an account of its own nobody is sent by a pattern that means others.
            let is_wide = catalog.regions.iter().any(|region| {
                asked(region.provider) && !region.separate && is_meant(catalog, pattern, &region)
            });
            for (at, region) in catalog.regions.iter().enumerate() {
                if is_meant(catalog, pattern, &region) && asked(region.provider) {
                    found = true;
                    // Nothing is rented where no new machine is taken.
                    if region.open != Some(false) && !(region.separate && is_wide) {
                        filter.allowed[at] = true;
                        filter.providers[region.provider.0 as usize] = true;
                    }
                }
            }
            if !found {
                let ids = catalog
                    .regions
                    .iter()
                    .filter(|r| asked(r.provider))
                    .map(|r| catalog.str(r.id));
                return Err(UnknownRegion {
                    pattern: pattern.clone(),
                    suggestions: suggest::closest(pattern, ids),
                });
            }
        }
        Ok(filter)
    }

    /// Returns whether a region is among the requested ones.
    pub fn allows(&self, region: RegionId) -> bool {
        self.allowed
            .get(region.0 as usize)
            .copied()
            .unwrap_or(false)
    }

    /// Returns whether a provider has any of the requested regions.
    pub fn allows_provider(&self, provider: ProviderId) -> bool {
        self.providers
            .get(provider.0 as usize)
            .copied()
            .unwrap_or(false)
    }
}

/// Whether a word stands for a region: its id, a pattern of it, or its country.
fn is_meant(catalog: &Catalog<'_>, pattern: &str, region: &Region) -> bool {
    let country = catalog.text(region.country);
    glob(pattern, catalog.str(region.id))
        || country.is_some_and(|country| country.eq_ignore_ascii_case(pattern))
}

/// Returns whether a text matches a pattern, ignoring case; `*` stands for any text.
pub fn glob(pattern: &str, text: &str) -> bool {
    let (pattern, text) = (pattern.to_ascii_lowercase(), text.to_ascii_lowercase());
    let mut pieces = pattern.split('*');
    let first = pieces.next().unwrap_or_default();
    let Some(mut rest) = text.strip_prefix(first) else {
        return false;
    };
    let pieces: Vec<&str> = pieces.collect();
    let Some((last, middle)) = pieces.split_last() else {
        return rest.is_empty();
    };
    for piece in middle {
        let Some(at) = rest.find(piece) else {
            return false;
        };
        rest = &rest[at + piece.len()..];
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::glob;

    #[test]
    fn stars_stand_for_anything() {
        assert!(glob("eu-*", "eu-west-1"));
        assert!(glob("*-1", "EU-WEST-1"));
        assert!(glob("us-*-1", "us-gov-west-1"));
        assert!(glob("*", "x"));
        assert!(glob("us-east-1", "us-east-1"));
        assert!(!glob("us-east", "us-east-1"));
        assert!(!glob("eu-*", "us-east-1"));
        assert!(!glob("a*b*c", "acb"));
    }
}
