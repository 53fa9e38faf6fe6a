//! The backends, and where each finds its keys.

use sky_accel_core::catalog::{CapacityType, Catalog, ProviderId};
#[cfg(feature = "aws")]
use sky_accel_providers::CacheMode;
#[cfg(feature = "aws")]
use sky_accel_providers::Query;
use sky_accel_providers::aggregator::Aggregator;
use sky_accel_providers::public::PublicProvider;
use sky_accel_providers::runpod::RunPod;
use sky_accel_providers::vastai::VastAi;
use sky_accel_providers::verda::Verda;
use sky_accel_providers::{
    Context, Environment, ErrorKind, Listing, Provider, ProviderError, Timeouts,
};

use crate::identify::Identifier;
use crate::question::Question;
use crate::session;

/// Providers that answer without a key, and whose terms restrict automated access: they are asked
/// without one only on the user's word.
pub const NEEDS_CONSENT: [&str; 2] = [RunPod::ID, VastAi::ID];

/// A provider that can be asked.
pub(crate) enum Source {
    /// With a key, or without one for a part.
    #[cfg(feature = "aws")]
    Aws,
    RunPod,
    VastAi,
    Verda,
    /// Without a key.
    Public(PublicProvider),
    /// By way of an aggregator, with its word for the provider.
    Aggregated(Aggregator, String),
}

/// The context of a question.
#[derive(Clone, Copy)]
pub(crate) struct Asking<'q, 'a> {
    pub identifier: &'q Identifier<'a>,
    pub provider: ProviderId,
    #[cfg_attr(
        not(feature = "aws"),
        expect(dead_code, reason = "only the AWS SDK takes time limits itself")
    )]
    pub timeouts: Timeouts,
    /// Whether it may be asked without a key although its terms are unclear about that.
    pub is_public_allowed: bool,
    pub context: &'q Context<'q>,
}

impl Source {
    /// The backend for a provider of the catalog.
    pub(crate) fn named(id: &str) -> Option<Self> {
        match id {
            #[cfg(feature = "aws")]
            sky_accel_aws::Aws::ID => Some(Self::Aws),
            RunPod::ID => Some(Self::RunPod),
            VastAi::ID => Some(Self::VastAi),
            Verda::ID => Some(Self::Verda),
            id => PublicProvider::named(id).map(Self::Public),
        }
    }

    /// The aggregator as the source for a provider; `None` if it does not list its offers.
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

    fn id(&self) -> &'static str {
        match self {
            #[cfg(feature = "aws")]
            Self::Aws => sky_accel_aws::Aws::ID,
            Self::RunPod => RunPod::ID,
            Self::VastAi => VastAi::ID,
            Self::Verda => Verda::ID,
            Self::Public(provider) => provider.id(),
            Self::Aggregated(aggregator, _) => aggregator.name(),
        }
    }

    pub(crate) fn too_late(&self) -> ProviderError {
        ProviderError::new(self.id(), ErrorKind::Timeout, "no complete answer in time")
            .hint("try again, or allow more time with --timeout")
    }

    /// Finds the credentials and asks; without credentials, asks for what everybody may know.
    pub(crate) async fn ask(
        &self,
        question: &Question,
        asking: &Asking<'_, '_>,
    ) -> Result<Listing, ProviderError> {
        let environment = Environment {
            variable: &session::variable,
            read: &session::read,
        };
        let (identifier, provider) = (asking.identifier, asking.provider);
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
        let context = asking.context;
        let is_keyless = |error: &ProviderError| error.kind == ErrorKind::CredentialsMissing;
        match self {
            #[cfg(feature = "aws")]
            Self::Aws => Box::pin(aws(&environment, &query, asking)).await,
            Self::RunPod => {
                let client = match RunPod::from_environment(&environment) {
                    Err(error) if is_keyless(&error) && asking.is_public_allowed => {
                        RunPod::without_key(&environment)
                    }
                    client => client,
                };
                client?.listing(&query, context).await
            }
            Self::VastAi => {
                let client = match VastAi::from_environment(&environment) {
                    Err(error) if is_keyless(&error) && asking.is_public_allowed => {
                        VastAi::without_key(&environment)
                    }
                    client => client,
                };
                client?.listing(&query, context).await
            }
            Self::Verda => match Verda::from_environment(&environment) {
                Ok(client) => client.listing(&query, context).await,
                Err(error) if is_keyless(&error) => {
                    Verda::public_listing(&environment, &query, context).await
                }
                Err(error) => Err(error),
            },
            Self::Public(provider) => provider.listing(&environment, &query, context).await,
            Self::Aggregated(aggregator, word) => {
                let id = identifier.catalog.provider_id(provider);
                aggregator
                    .listing(id, word, &environment, &query, context)
                    .await
            }
        }
    }
}

/// Asks AWS with the credentials of its own tools, without them by its price pages.
#[cfg(feature = "aws")]
async fn aws(
    environment: &Environment<'_>,
    query: &Query<'_>,
    asking: &Asking<'_, '_>,
) -> Result<Listing, ProviderError> {
    use sky_accel_aws::Aws;

    let context = asking.context;
    let is_offline = context.cache.mode == CacheMode::Only;
    let public = async || {
        let mut listing = PublicProvider::Aws
            .listing(environment, query, context)
            .await?;
        if query.needs_account() {
            let remark =
                "placement scores, capacity blocks and quotas need a key: see `aws configure`";
            listing.remarks.push(remark.to_owned());
        }
        Ok(listing)
    };
    let account = Box::pin(Aws::from_environment(
        environment,
        context.http,
        asking.timeouts,
        is_offline,
    ));
    // Where nothing on this machine has credentials, only the machine itself may: the price pages
    // need not wait for its answer.
    let (account, early) = if Aws::has_credentials(environment) || is_offline {
        (account.await, None)
    } else {
        let (account, early) = futures_util::future::join(account, Box::pin(public())).await;
        (account, Some(early))
    };
    match account {
        Ok(account) => match account.listing(query, context).await {
            // What was kept may be what everybody may know.
            Err(error) if error.kind == ErrorKind::NotCached => public().await.map_err(|_| error),
            answer => answer,
        },
        Err(error) if error.kind == ErrorKind::CredentialsMissing => match early {
            Some(answer) => answer,
            None => public().await,
        },
        Err(error) => Err(error),
    }
}
