//! The requested price tier.

use crate::catalog::{Catalog, ProviderId};

/// The word that allows every tier.
const ANY: &str = "any";

/// One price tier, by the name that a provider gives it: RunPod's `secure` or `community`.
///
/// Every tier allows the prices of a provider without tiers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PriceTier {
    /// The name, in the spelling of the catalog.
    pub name: String,
    /// By [`ProviderId`].
    providers: Vec<TierPosition>,
}

/// The index of a tier in the tiers of one provider.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TierPosition {
    /// The provider has no tiers.
    Untiered,
    /// The provider has tiers, but not this tier.
    Missing,
    At(u8),
}

/// A tier that no provider has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no provider has a price tier '{tier}' (tiers: {})", .known.join(", "))]
pub struct UnknownTier {
    /// The name as it was written. May hold any character: print it with
    /// [`crate::text::printable`].
    pub tier: String,
    /// Every tier of the catalog, and `any`.
    pub known: Vec<String>,
}

impl PriceTier {
    /// Reads the name of a tier, ignoring case; returns `None` for `any`, which allows every tier.
    ///
    /// # Errors
    ///
    /// Fails when no provider of the catalog has a tier of that name.
    pub fn parse(catalog: &Catalog<'_>, name: &str) -> Result<Option<Self>, UnknownTier> {
        if name.eq_ignore_ascii_case(ANY) {
            return Ok(None);
        }
        let mut spelling = None;
        let place = |provider: crate::catalog::Provider| {
            if provider.tiers.len == 0 {
                return TierPosition::Untiered;
            }
            let mut tiers = catalog.strings(provider.tiers).zip(0..);
            let found = tiers.find(|(tier, _)| tier.eq_ignore_ascii_case(name));
            found.map_or(TierPosition::Missing, |(tier, at)| {
                spelling = Some(tier.to_owned());
                TierPosition::At(at)
            })
        };
        let providers = catalog.providers.iter().map(place).collect();
        match spelling {
            Some(name) => Ok(Some(Self { name, providers })),
            None => Err(UnknownTier {
                tier: name.to_owned(),
                known: Self::names(catalog)
                    .into_iter()
                    .chain([ANY])
                    .map(str::to_owned)
                    .collect(),
            }),
        }
    }

    /// Returns the tiers of all providers, each name once, in catalog order.
    pub fn names<'a>(catalog: &Catalog<'a>) -> Vec<&'a str> {
        let mut names = Vec::new();
        for name in catalog
            .providers
            .iter()
            .flat_map(|provider| catalog.strings(provider.tiers))
        {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names
    }

    /// Returns whether a provider's price is of this tier, or the provider has no tiers; `tier` is
    /// the index of the price's tier among the provider's.
    pub fn allows(&self, provider: ProviderId, tier: u8) -> bool {
        match self.place(provider) {
            TierPosition::Untiered => true,
            TierPosition::Missing => false,
            TierPosition::At(at) => at == tier,
        }
    }

    /// Returns whether a provider sells in this tier, or has no tiers.
    pub fn is_sold_by(&self, provider: ProviderId) -> bool {
        self.place(provider) != TierPosition::Missing
    }

    fn place(&self, provider: ProviderId) -> TierPosition {
        // Providers added after the tier was parsed are not known to have it.
        let place = self.providers.get(provider.0 as usize).copied();
        place.unwrap_or(TierPosition::Missing)
    }
}
