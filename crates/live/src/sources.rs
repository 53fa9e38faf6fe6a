//! The providers and aggregators that this build can query.

use sky_accel_core::catalog::{CapacityType, Catalog, ProviderId};
use sky_accel_providers::aggregator::Aggregator;
use sky_accel_providers::{
    Context, Environment, ErrorKind, Hub, Listing, PROVIDERS, ProviderApi, ProviderCall,
    ProviderError, TOO_LATE, TokenFeed, public_url_variable,
};

use crate::environment;
use crate::identify::Identifier;
use crate::question::ProviderQuestion;

/// The source of a provider's offers.
pub(crate) enum OfferSource {
    /// The provider.
    Provider(&'static ProviderApi),
    /// An aggregator, with its name for the provider.
    Aggregated(Aggregator, String),
}

/// The context of a question to a source.
#[derive(Clone, Copy)]
pub(crate) struct SourceContext<'q, 'a> {
    pub identifier: &'q Identifier<'a>,
    pub provider: ProviderId,
    /// True if the user consents to a query without a key despite restrictive terms.
    pub consents: bool,
    pub context: &'q Context<'q>,
}

/// Returns the providers that this build can query.
pub fn providers() -> impl Iterator<Item = &'static ProviderApi> {
    PROVIDERS.iter().map(|api| with_account(api))
}

/// Returns the ids of the providers that answer without a key but restrict automated access in
/// their terms: they are queried without a key only with the user's consent.
pub fn providers_needing_consent() -> Vec<&'static str> {
    let restricted = providers().filter(|api| api.restrictive_terms.is_some());
    restricted.map(|api| api.id).collect()
}

/// Returns true if a provider, given by its id, answers without a key and without the user's consent.
pub fn is_public(provider: &str) -> bool {
    let mut public = providers().filter(|api| api.is_public() && api.restrictive_terms.is_none());
    public.any(|api| api.id == provider)
}

/// Returns the environment variables that lead to keys of providers and hubs. A program that runs
/// on the user's behalf must not inherit them.
pub fn key_variables() -> impl Iterator<Item = &'static str> {
    let providers = PROVIDERS.iter().flat_map(|api| api.key_variables());
    providers.chain(Hub::KEY_VARIABLES)
}

/// Returns all environment variables with the URL of a server. A URL may contain a password.
pub fn url_variables() -> impl Iterator<Item = String> {
    let providers = PROVIDERS.iter().flat_map(|api| api.url_variables);
    let own = providers.copied().chain([Hub::URL_VARIABLE]);
    own.map(str::to_owned).chain(public_url_variables())
}

/// Returns the environment variables that replace the servers of providers and aggregators that
/// are queried without a key.
pub fn public_url_variables() -> impl Iterator<Item = String> {
    let providers = PROVIDERS.iter().map(|api| api.id);
    let aggregators = Aggregator::ALL.iter().map(|aggregator| aggregator.name());
    let feeds = TokenFeed::ALL.iter().map(|feed| feed.name());
    providers
        .chain(aggregators)
        .chain(feeds)
        .map(public_url_variable)
}

/// Replaces the public price pages of AWS by the client that also uses an account, if this build
/// has it.
fn with_account(api: &'static ProviderApi) -> &'static ProviderApi {
    #[cfg(feature = "aws")]
    if api.id == sky_accel_aws::API.id {
        return &sky_accel_aws::API;
    }
    api
}

impl OfferSource {
    /// The API of a provider of the catalog; `None` if this build has none.
    pub(crate) fn of_provider(id: &str) -> Option<Self> {
        providers().find(|api| api.id == id).map(Self::Provider)
    }

    /// The aggregator as the source for a provider; `None` if it does not collect its offers.
    pub(crate) fn aggregated(
        aggregator: Aggregator,
        catalog: &Catalog<'_>,
        provider: ProviderId,
    ) -> Option<Self> {
        let skypilot = catalog.tool("skypilot");
        let skypilot = skypilot.and_then(|tool| catalog.tool_provider(&tool, provider));
        let word = aggregator.word(catalog.provider_id(provider), skypilot)?;
        Some(Self::Aggregated(aggregator, word))
    }

    pub(crate) fn id(&self) -> &'static str {
        match self {
            Self::Provider(api) => api.id,
            Self::Aggregated(aggregator, _) => aggregator.name(),
        }
    }

    pub(crate) fn too_late(&self) -> ProviderError {
        ProviderError::new(self.id(), ErrorKind::Timeout, TOO_LATE)
            .hint("try again, or allow more time with `timeout`")
            .because(TOO_LATE)
    }

    /// Queries the source with the credentials that it finds. Without credentials, requests public
    /// data only. An answer that exceeds its budget is an error, whatever was read of it.
    pub(crate) async fn query(
        &self,
        question: &ProviderQuestion,
        source: &SourceContext<'_, '_>,
    ) -> Result<Listing, ProviderError> {
        let answer = self.answer(question, source).await;
        if let Some(error) = source.context.budget.exceeded() {
            return Err(error);
        }
        let listing = answer?;
        listing.check_size(self.id())?;
        Ok(listing)
    }

    async fn answer(
        &self,
        question: &ProviderQuestion,
        source: &SourceContext<'_, '_>,
    ) -> Result<Listing, ProviderError> {
        let environment = Environment {
            variable: &environment::variable,
            read: &environment::read,
        };
        let (identifier, provider) = (source.identifier, source.provider);
        let interest = |id: &str, hardware: Option<&_>| {
            identifier.interest(provider, id, hardware, &question.accelerators)
        };
        let quota = |id: &str, capacity: CapacityType| {
            let catalog = &identifier.catalog;
            let pool = catalog.quota_of(provider, id)?;
            let code = match capacity {
                CapacityType::OnDemand => pool.on_demand,
                CapacityType::Spot => pool.spot,
            };
            Some(catalog.str(code).to_owned())
        };
        let query = question.query(&interest, &quota);
        match self {
            Self::Provider(api) => {
                let call = ProviderCall {
                    environment: &environment,
                    query: &query,
                    context: source.context,
                    consents: source.consents && api.restrictive_terms.is_some(),
                };
                (api.query)(call).await
            }
            Self::Aggregated(aggregator, word) => {
                let id = identifier.catalog.provider_id(provider);
                aggregator
                    .listing(id, word, &environment, &query, source.context)
                    .await
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_provider_is_in_the_catalog() {
        for api in providers() {
            let provider = sky_accel_embedded::CATALOG.provider_named(api.id);
            assert!(provider.is_some(), "{}", api.id);
        }
    }

    #[test]
    fn keys_of_every_source_are_hidden() {
        let hidden: BTreeSet<&str> = key_variables().collect();
        for api in providers() {
            for variable in api.key_variables() {
                assert!(hidden.contains(variable), "{variable}");
            }
        }
        for variable in [
            "AWS_CONTAINER_AUTHORIZATION_TOKEN",
            "AWS_SESSION_TOKEN",
            "HF_TOKEN",
            "VERDA_CLIENT_SECRET",
        ] {
            assert!(hidden.contains(variable), "{variable}");
        }
    }
}
