//! The backends, and where each finds its keys.

use sky_accel_core::catalog::{CapacityType, ProviderId};
#[cfg(feature = "aws")]
use sky_accel_providers::CacheMode;
use sky_accel_providers::runpod::RunPod;
use sky_accel_providers::vastai::VastAi;
use sky_accel_providers::verda::Verda;
use sky_accel_providers::{
    Context, Environment, ErrorKind, Listing, Provider, ProviderError, Timeouts,
};

use crate::identify::Identifier;
use crate::question::Question;
use crate::session;

/// A provider that can be asked.
#[derive(Clone, Copy)]
pub(crate) enum Source {
    #[cfg(feature = "aws")]
    Aws,
    RunPod,
    VastAi,
    Verda,
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
            _ => None,
        }
    }

    fn id(self) -> &'static str {
        match self {
            #[cfg(feature = "aws")]
            Self::Aws => sky_accel_aws::Aws::ID,
            Self::RunPod => RunPod::ID,
            Self::VastAi => VastAi::ID,
            Self::Verda => Verda::ID,
        }
    }

    pub(crate) fn too_late(self) -> ProviderError {
        ProviderError::new(self.id(), ErrorKind::Timeout, "no complete answer in time")
            .hint("try again, or allow more time with --timeout")
    }

    /// Finds the credentials and asks.
    pub(crate) async fn ask(
        self,
        question: &Question,
        identifier: &Identifier<'_>,
        provider: ProviderId,
        #[cfg_attr(
            not(feature = "aws"),
            expect(unused_variables, reason = "only the AWS SDK takes time limits itself")
        )]
        timeouts: Timeouts,
        context: &Context<'_>,
    ) -> Result<Listing, ProviderError> {
        let environment = Environment {
            variable: &session::variable,
            read: &session::read,
        };
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
            #[cfg(feature = "aws")]
            Self::Aws => {
                let offline = context.cache.mode == CacheMode::Only;
                let aws = sky_accel_aws::Aws::from_environment(
                    &environment,
                    context.http,
                    timeouts,
                    offline,
                )
                .await?;
                aws.listing(&query, context).await
            }
            Self::RunPod => {
                RunPod::from_environment(&environment)?
                    .listing(&query, context)
                    .await
            }
            Self::VastAi => {
                VastAi::from_environment(&environment)?
                    .listing(&query, context)
                    .await
            }
            Self::Verda => {
                Verda::from_environment(&environment)?
                    .listing(&query, context)
                    .await
            }
        }
    }
}
