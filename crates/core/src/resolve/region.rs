//! The requested regions.

use crate::catalog::{Catalog, ProviderId, Region, RegionId};
use crate::suggest;
use crate::text::name_key;

/// A filter of regions by name, pattern or country.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegionFilter {
    /// The patterns as written in the request.
    pub patterns: Vec<String>,
    /// By [`RegionId`].
    allowed: Vec<bool>,
    /// By [`ProviderId`]: whether the provider has an allowed region.
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
    /// Reads patterns. Each must match a region of `providers`, or be a country; an empty list means every provider.
    ///
    /// # Errors
    ///
    /// Fails with [`UnknownRegion`] for the first pattern that matches no region, unless it is a country and another
    /// pattern matches one.
    pub fn new(
        catalog: &Catalog<'_>,
        patterns: &[String],
        providers: &[ProviderId],
    ) -> Result<Self, UnknownRegion> {
        let is_requested =
            |provider: ProviderId| providers.is_empty() || providers.contains(&provider);
        let mut filter = Self {
            patterns: patterns.to_vec(),
            allowed: vec![false; catalog.regions.len()],
            providers: vec![false; catalog.providers.len()],
        };
        let mut without_region: Option<UnknownRegion> = None;
        for pattern in patterns {
            let mut found = false;
            let pattern = &RegionPattern::read(catalog, pattern);
            // A region that needs a separate account only matches a pattern that matches no other
            // region.
            let is_wide = catalog.regions.iter().any(|region| {
                is_requested(region.provider)
                    && !region.separate
                    && pattern.is_meant(catalog, &region)
            });
            for (at, region) in catalog.regions.iter().enumerate() {
                if pattern.is_meant(catalog, &region) && is_requested(region.provider) {
                    found = true;
                    // Regions closed to new machines match a pattern but are never allowed.
                    if region.open != Some(false) && !(region.separate && is_wide) {
                        filter.allowed[at] = true;
                        filter.providers[region.provider.0 as usize] = true;
                    }
                }
            }
            if !found {
                let unknown = UnknownRegion {
                    pattern: pattern.word.to_owned(),
                    suggestions: suggestions(catalog, pattern.word, &is_requested),
                };
                if !pattern.is_place(catalog) {
                    return Err(unknown);
                }
                without_region.get_or_insert(unknown);
            }
        }
        match without_region {
            Some(unknown) if !filter.providers.contains(&true) => Err(unknown),
            _ => Ok(filter),
        }
    }

    /// Returns whether a region is among the requested ones.
    pub fn allows(&self, region: RegionId) -> bool {
        self.allowed
            .get(region.0 as usize)
            .copied()
            .unwrap_or(false)
    }

    /// Returns whether a provider has a requested region.
    pub fn allows_provider(&self, provider: ProviderId) -> bool {
        self.providers
            .get(provider.0 as usize)
            .copied()
            .unwrap_or(false)
    }
}

/// The maximum number of suggested regions whose ids contain a word.
const MOST_NAMED: usize = 3;
/// The minimum length of a word that is looked up within ids.
const SHORTEST_PLACE: usize = 4;

/// Returns what an unknown region may mean. Ids name cities, as in `eu-frankfurt-1`, so a city means the country of
/// such regions, and the regions themselves.
fn suggestions(
    catalog: &Catalog<'_>,
    word: &str,
    is_requested: &dyn Fn(ProviderId) -> bool,
) -> Vec<String> {
    let place = name_key(word);
    let is_place = place.len() >= SHORTEST_PLACE && place.chars().all(char::is_alphabetic);
    let names_it = |region: &Region| is_place && name_key(catalog.str(region.id)).contains(&place);
    let named = || catalog.regions.iter().filter(names_it);
    let mut found: Vec<String> = Vec::new();
    let countries = named().filter_map(|region| catalog.text(region.country));
    let ids = named()
        .filter(|region| is_requested(region.provider))
        .map(|region| catalog.str(region.id));
    for name in countries
        .take(1)
        .map(|code| country_name(catalog, code))
        .chain(ids.take(MOST_NAMED))
    {
        if !found.iter().any(|other| other == name) {
            found.push(name.to_owned());
        }
    }
    if !found.is_empty() {
        return found;
    }
    let regions = catalog.regions.iter();
    let ids = regions
        .filter(|region| is_requested(region.provider))
        .map(|region| catalog.str(region.id));
    let groups = catalog.region_groups.iter();
    let groups = groups.map(|group| catalog.str(group.name));
    suggest::closest(word, ids.chain(groups))
}

/// Returns the name of a country; its code where the catalog has no name.
fn country_name<'a>(catalog: &Catalog<'a>, code: &'a str) -> &'a str {
    let mut groups = catalog.region_groups.iter();
    let named = groups.find(|group| catalog.strings(group.countries).eq([code]));
    named.map_or(code, |group| catalog.str(group.name))
}

/// A pattern of regions: an id, a pattern of ids, a country, or a group of countries.
struct RegionPattern<'p, 'a> {
    word: &'p str,
    /// The countries of the group with this name.
    countries: Vec<&'a str>,
}

impl<'p, 'a> RegionPattern<'p, 'a> {
    fn read(catalog: &Catalog<'a>, word: &'p str) -> Self {
        let is_name = |name: &str| name.eq_ignore_ascii_case(word);
        let group = catalog.region_groups.iter().find(|group| {
            is_name(catalog.str(group.name)) || catalog.strings(group.aliases).any(is_name)
        });
        let countries = group.map(|group| catalog.strings(group.countries).collect());
        Self {
            word,
            countries: countries.unwrap_or_default(),
        }
    }

    /// Returns whether the word is a country or a group of countries.
    fn is_place(&self, catalog: &Catalog<'_>) -> bool {
        let is_code = |code: &str| code.eq_ignore_ascii_case(self.word);
        let mut groups = catalog.region_groups.iter();
        !self.countries.is_empty()
            || groups.any(|group| catalog.strings(group.countries).any(is_code))
    }

    fn is_meant(&self, catalog: &Catalog<'_>, region: &Region) -> bool {
        let country = catalog.text(region.country);
        glob(self.word, catalog.str(region.id))
            || country.is_some_and(|country| {
                country.eq_ignore_ascii_case(self.word) || self.countries.contains(&country)
            })
    }
}

/// Returns whether a text matches a pattern, ignoring case; `*` matches any text.
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
    fn a_star_matches_any_text() {
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
