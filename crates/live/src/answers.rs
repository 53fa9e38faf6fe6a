//! The answers of the providers.

use std::collections::{BTreeMap, BTreeSet};

use sky_accel_catalog::Tables;
use sky_accel_core::catalog::ProviderId;
use sky_accel_core::note::Note;
use sky_accel_providers::{
    Access, CapacityBlock, ErrorKind, Interruptions, Obtainability, ProviderError, Quota, SpotScore,
};

/// The answers of the providers.
pub struct Live {
    /// The catalog with the live offers.
    pub tables: Tables,
    /// The number of machines that the queries were for.
    pub machines: u32,
    /// Facts that only live answers have, by provider and instance type.
    pub extras: BTreeMap<(ProviderId, String), Extras>,
    /// The answers, in the catalog's order of providers. A provider that was not queried because it
    /// sells nothing that was requested has none.
    pub answers: Vec<ProviderAnswer>,
    /// Remarks on the answers.
    pub notes: Vec<Note>,
}

/// The answer of one provider.
pub struct ProviderAnswer {
    /// The provider.
    pub provider: ProviderId,
    /// The outcome of the query.
    pub outcome: QueryOutcome,
    /// The errors of parts of the answer.
    pub problems: Vec<ProviderError>,
    /// True if each requested part was answered, and each row was readable and has a price.
    pub is_whole: bool,
    /// The offers of the catalog that remain in the tables because the query did not reach them.
    pub unreached: Unreached,
}

/// The offers of one provider that a query did not reach, so that the catalog's data applies.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Unreached {
    /// Every offer is from the answer, or the provider was not to be queried.
    #[default]
    None,
    /// The answer is incomplete: the offers with these ids are from the catalog.
    Ids(BTreeSet<String>),
    /// Nothing of the answer can be used: every offer is from the catalog.
    All,
}

/// The outcome of the query to a provider.
pub enum QueryOutcome {
    /// The provider answered.
    Answered {
        /// When the oldest price was fetched, in seconds since 1970 (UTC).
        fetched_at: i64,
        /// True if the answer came from the cache.
        cached: bool,
        /// When the oldest list of instance types was fetched, in the same seconds; `None` without
        /// such a list.
        types_at: Option<i64>,
        /// The access with which the provider was queried.
        access: Access,
    },
    /// The provider failed or refused. The catalog's data applies.
    Failed(ProviderError),
    /// The provider was not queried, because its key is missing, or because the network may not be
    /// used and nothing is cached. The catalog's data applies.
    NotAsked(ProviderError),
    /// This build has no API of the provider. The catalog's data applies.
    FromCatalog,
}

impl Live {
    /// Returns the errors of all providers if every provider failed or was not queried. A provider
    /// that was not queried because the network may not be used does not count: the user asked
    /// for an answer without it. If there was nothing to query, nothing failed.
    pub fn all_failed(&self) -> Option<Vec<&ProviderError>> {
        let errors: Option<Vec<_>> = self
            .answers
            .iter()
            .map(|answer| match &answer.outcome {
                QueryOutcome::Failed(error) | QueryOutcome::NotAsked(error)
                    if error.kind != ErrorKind::NotCached =>
                {
                    Some(error)
                }
                _ => None,
            })
            .collect();
        errors.filter(|errors| !errors.is_empty())
    }

    /// Returns true if an offer is in the catalog's state because the query did not reach it.
    pub fn is_unreached(&self, provider: ProviderId, offer: &str) -> bool {
        let answer = self
            .answers
            .iter()
            .find(|answer| answer.provider == provider);
        answer.is_some_and(|answer| match &answer.unreached {
            Unreached::None => false,
            Unreached::Ids(ids) => ids.contains(offer),
            Unreached::All => true,
        })
    }

    /// Returns the errors of failed providers and of failed parts of answers.
    pub fn failures(&self) -> impl Iterator<Item = &ProviderError> {
        self.answers.iter().flat_map(|answer| {
            let failed = match &answer.outcome {
                QueryOutcome::Failed(error) => Some(error),
                _ => None,
            };
            failed.into_iter().chain(&answer.problems)
        })
    }
}

/// Returns the source of figures in an answer, for people: `Verda API`, or `AWS EC2 price list` if a
/// provider was queried without a key.
pub fn source_name(provider: &str, access: Access) -> String {
    match access {
        Access::Key => format!("{provider} API"),
        Access::Public => format!("{provider} price list"),
    }
}

/// Facts that are only in live answers.
#[derive(Clone, Debug, Default)]
pub struct Extras {
    /// The marketplace machines that the offer summarizes, by the count of devices in thousandths.
    pub machines: BTreeMap<u32, u32>,
    /// The spot placement scores by region.
    pub spot_scores: Vec<SpotScore>,
    /// The interruption rates of spot machines by region.
    pub interruptions: Vec<Interruptions>,
    /// The capacity blocks for sale.
    pub capacity_blocks: Vec<CapacityBlock>,
    /// The quotas of the account.
    pub quotas: Vec<Quota>,
    /// The answers on stock, by the count of devices in thousandths.
    pub obtainability: BTreeMap<u32, Vec<Obtainability>>,
}
