//! `live doctor`: the credentials for live answers, and their problems.

use std::time::Duration;

use sky_accel_core::bind::{BoundChoice, interpret};
use sky_accel_core::catalog::{AcceleratorId, Catalog, ProviderId};
use sky_accel_core::resolve::CapacityFilter;
use sky_accel_core::text::printable;
use sky_accel_live::{
    Access, Cache, CacheMode, Diagnosis, ErrorKind as ProviderErrorKind, KeySource, LiveRequest,
    Progress, ProviderAnswer, ProviderApi, ProviderError, QueryOutcome, Session, diagnosis,
    providers,
};

use crate::contract::{
    CheckOutcome, CredentialCheckOut, CredentialKind, CredentialSourceOut, CredentialState,
    CredentialsOut, DoctorEcho, Envelope,
};
use crate::engine::Engine;
use crate::error::{ErrorKind, Result};
use crate::filter::OfferFilter;

/// A request for the state of credentials.
#[derive(Clone, Debug, Default)]
pub struct DoctorRequest {
    /// The filter with the providers. Other filters do not apply.
    pub offers: OfferFilter,
    /// The time limit of a query to each provider with credentials; `None` to send no request.
    pub check: Option<Duration>,
}

/// The state of credentials.
#[derive(Debug)]
pub struct DoctorAnswer<'c> {
    /// The JSON document, ordered by provider.
    pub envelope: Envelope<'c, DoctorEcho, CredentialsOut>,
    /// The fault: unusable credentials, or providers that did not answer. `None` without a fault.
    pub fault: Option<ErrorKind>,
}

impl<'c> Engine<'c> {
    /// Returns the state of the credentials of providers. Without `check`, no request is sent.
    ///
    /// # Errors
    ///
    /// The errors of [`OfferFilter::providers_or_all`], and those of a session.
    pub fn doctor(
        &self,
        session: &Session,
        request: &DoctorRequest,
        progress: &dyn Fn(Progress<'_>),
    ) -> Result<DoctorAnswer<'c>> {
        let catalog = self.catalog();
        let chosen = request.offers.providers_or_all(&catalog)?;
        let named = request.offers.providers_by_name(&catalog);
        let mut results = Vec::new();
        for api in providers() {
            let Some(provider) = catalog.provider_named(api.id) else {
                continue;
            };
            if !chosen.contains(&provider) {
                continue;
            }
            let mut found = diagnosis(api);
            let asked = Asked {
                session,
                catalog,
                provider,
                progress,
            };
            if api.takes_key() {
                let unreadable = asked.without_network()?.filter(|_| found.is_usable);
                found.is_usable &= unreadable.is_none();
                found.faults.extend(unreadable);
            }
            let check = match request.check {
                Some(limit) if found.is_usable || named.contains(&provider) => {
                    Some(asked.check(limit)?)
                }
                _ => None,
            };
            results.push(row(api, found, check));
        }
        let fault = fault(&results, |id| {
            catalog
                .provider_named(id)
                .is_some_and(|id| named.contains(&id))
        });
        let ids = request.offers.providers(&catalog)?;
        let echo = DoctorEcho {
            providers: ids
                .iter()
                .map(|id| catalog.provider_id(*id).to_owned())
                .collect(),
            check: request.check.is_some(),
        };
        Ok(DoctorAnswer {
            envelope: Envelope::new("sky-accel.live-doctor.v1", &catalog, echo, results),
            fault,
        })
    }
}

/// A provider that is asked about its credentials.
struct Asked<'a> {
    session: &'a Session,
    catalog: Catalog<'a>,
    provider: ProviderId,
    progress: &'a dyn Fn(Progress<'_>),
}

impl Asked<'_> {
    /// Lets the provider's client read the credentials without sending a request. Returns the reason why it
    /// cannot use them.
    fn without_network(&self) -> Result<Option<String>> {
        let answer = self.ask(&[], CacheMode::Only, Duration::from_secs(1), &|_| {})?;
        Ok(answer.and_then(|answer| match answer.outcome {
            QueryOutcome::Failed(error) | QueryOutcome::NotAsked(error)
                if error.kind.is_about_credentials() =>
            {
                Some(error.message)
            }
            _ => None,
        }))
    }

    /// Queries the offers of one accelerator in one region.
    fn check(&self, limit: Duration) -> Result<CredentialCheckOut> {
        let rarest = rarest(&self.catalog, self.provider);
        let choices =
            rarest.and_then(|id| interpret(&self.catalog, self.catalog.accelerator_id(id)).ok());
        let choices = choices.unwrap_or_default();
        let wanted: Vec<&BoundChoice> = choices.iter().collect();
        let answer = self.ask(&wanted, CacheMode::Refresh, limit, self.progress)?;
        Ok(match answer {
            Some(answer) => outcome(&answer),
            None => CredentialCheckOut {
                outcome: CheckOutcome::Failed,
                errors: Vec::new(),
            },
        })
    }

    fn ask(
        &self,
        wanted: &[&BoundChoice],
        mode: CacheMode,
        timeout: Duration,
        progress: &dyn Fn(Progress<'_>),
    ) -> Result<Option<ProviderAnswer>> {
        let region = self.catalog.provider(self.provider).default_region;
        let request = LiveRequest {
            capacity_filter: CapacityFilter::OnDemand,
            regions: region
                .map(|region| self.catalog.region_id(region).to_owned())
                .into_iter()
                .collect(),
            stock: false,
            credentials_only: true,
            timeout,
            cache: Cache {
                folder: None,
                mode,
                max_age: None,
            },
            required: vec![self.provider],
            ..LiveRequest::default()
        };
        let providers = [self.provider];
        let live = self
            .session
            .ask(&self.catalog, wanted, &providers, &request, progress)?;
        Ok(live.answers.into_iter().next())
    }
}

/// Returns the accelerator of a provider with the fewest offers, for a small answer.
fn rarest(catalog: &Catalog<'_>, provider: ProviderId) -> Option<AcceleratorId> {
    let offers = catalog
        .offers
        .iter()
        .filter(|offer| offer.provider == provider);
    let mut counts = std::collections::BTreeMap::new();
    for offer in offers {
        for id in &catalog.accelerators(offer.accelerators) {
            *counts.entry(id).or_insert(0_u32) += 1;
        }
    }
    let rarest = counts.into_iter().min_by_key(|(id, count)| (*count, *id));
    rarest.map(|(id, _)| id)
}

fn outcome(answer: &ProviderAnswer) -> CredentialCheckOut {
    use ProviderErrorKind::{Network, Timeout};

    let failure = match &answer.outcome {
        QueryOutcome::Failed(error) | QueryOutcome::NotAsked(error) => Some(error),
        QueryOutcome::Answered { .. } | QueryOutcome::FromCatalog => None,
    };
    let lacks_right = |error: &ProviderError| error.kind.is_about_credentials();
    let outcome = match (failure, &answer.outcome) {
        (Some(error), _) if lacks_right(error) => CheckOutcome::Refused,
        (Some(error), _) if matches!(error.kind, Network | Timeout) => CheckOutcome::Unreachable,
        (Some(_), _) => CheckOutcome::Failed,
        (None, QueryOutcome::Answered { access, .. }) if *access == Access::Public => {
            CheckOutcome::WithoutKey
        }
        (None, _) if answer.problems.iter().any(lacks_right) => CheckOutcome::Refused,
        (None, _) => CheckOutcome::Accepted,
    };
    let errors = failure.into_iter().chain(&answer.problems);
    CredentialCheckOut {
        outcome,
        errors: errors.map(|error| printable(&error.message)).collect(),
    }
}

fn row(api: &ProviderApi, found: Diagnosis, check: Option<CredentialCheckOut>) -> CredentialsOut {
    let state = if !api.takes_key() {
        CredentialState::NotNeeded
    } else if !found.faults.is_empty() {
        CredentialState::Faulty
    } else if found.is_usable {
        CredentialState::Ready
    } else {
        CredentialState::Missing
    };
    let told = |text: &'static str| (!text.is_empty()).then_some(text);
    let sources = found.sources.iter().map(|source| {
        let (kind, name) = match source {
            KeySource::Variable(name) => (CredentialKind::Variable, *name),
            KeySource::File(name) => (CredentialKind::File, *name),
        };
        CredentialSourceOut { kind, name }
    });
    let texts = |texts: &[String]| texts.iter().map(|text| printable(text)).collect();
    CredentialsOut {
        provider: api.id,
        state,
        sources: sources.collect(),
        faults: texts(&found.faults),
        warnings: texts(&found.warnings),
        overrides: found.overrides,
        variables: api.credential_variables().collect(),
        files: api.key_files.to_vec(),
        rights: told(api.key_rights),
        hint: told(api.key_hint),
        without_key: told(api.published),
        terms: api.restrictive_terms,
        only_with_key: told(api.unpublished),
        check,
    }
}

/// Returns the problem of the credentials as a whole.
fn fault(rows: &[CredentialsOut], is_named: impl Fn(&str) -> bool) -> Option<ErrorKind> {
    let is_unusable = |row: &CredentialsOut| {
        let is_refused = row.check.as_ref().is_some_and(|check| {
            let refused = [CheckOutcome::Refused, CheckOutcome::WithoutKey];
            row.state != CredentialState::NotNeeded && refused.contains(&check.outcome)
        });
        match row.state {
            CredentialState::Faulty => true,
            CredentialState::Missing => is_named(row.provider),
            CredentialState::Ready | CredentialState::NotNeeded => is_refused,
        }
    };
    if rows.iter().any(is_unusable) {
        return Some(ErrorKind::Credentials);
    }
    let is_silent = |check: &&CredentialCheckOut| {
        matches!(
            check.outcome,
            CheckOutcome::Unreachable | CheckOutcome::Failed
        )
    };
    let checks = || rows.iter().filter_map(|row| row.check.as_ref());
    match checks().filter(is_silent).count() {
        0 => None,
        silent if silent == checks().count() => Some(ErrorKind::Provider),
        _ => Some(ErrorKind::Partial),
    }
}
