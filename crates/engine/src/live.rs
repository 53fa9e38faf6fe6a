//! Converts live answers to the contract.

use sky_accel_core::catalog::Catalog;
use sky_accel_core::money::Count;
use sky_accel_core::note::Note;
use sky_accel_core::resolve::{Match, Reason};
use sky_accel_live::{
    Access, Live, ProviderAnswer, ProviderError, QueryOutcome, QuotaUnit, now, timestamp,
};

use crate::contract::{
    AnswerAccess, AnswerOut, AnswerSource, CapacityBlockOut, NoteOut, Num, OfferOut, QuotaOut,
    SpotScoreOut,
};
use crate::obtainability;

/// The notes of the providers' answers.
pub(crate) fn notes(live: Option<&Live>) -> Vec<Note> {
    live.map(|live| live.notes.clone()).unwrap_or_default()
}

/// The answers of the providers, for the envelope.
pub(crate) fn answers(catalog: &Catalog<'_>, live: Option<&Live>) -> Vec<AnswerOut> {
    let answers = live.into_iter().flat_map(|live| &live.answers);
    let answers = answers.map(|answer| {
        let (source, fetched_at, types_at, access) = match &answer.outcome {
            QueryOutcome::Answered {
                fetched_at,
                cached,
                types_at,
                access,
            } => (
                if *cached {
                    AnswerSource::Cache
                } else {
                    AnswerSource::Live
                },
                Some(*fetched_at),
                *types_at,
                Some(match access {
                    Access::Key => AnswerAccess::Key,
                    Access::Public => AnswerAccess::Public,
                }),
            ),
            QueryOutcome::Failed(_) => (AnswerSource::Failed, None, None, None),
            QueryOutcome::NotAsked(_) | QueryOutcome::FromCatalog => {
                (AnswerSource::Catalog, None, None, None)
            }
        };
        let errors = problems(answer);
        AnswerOut {
            provider: catalog.provider_id(answer.provider).to_owned(),
            source,
            access,
            as_of: fetched_at.map(timestamp),
            age_s: fetched_at.map(|at| (now() - at).max(0)),
            types_as_of: types_at.map(timestamp),
            complete: errors.is_empty(),
            errors,
        }
    });
    answers.collect()
}

/// The errors in a provider's answer.
pub(crate) fn problems(answer: &ProviderAnswer) -> Vec<NoteOut> {
    let failure = match &answer.outcome {
        QueryOutcome::Failed(error) | QueryOutcome::NotAsked(error) => Some(error),
        QueryOutcome::Answered { .. } | QueryOutcome::FromCatalog => None,
    };
    let errors = failure.into_iter().chain(&answer.problems);
    let note = |error: &ProviderError| NoteOut {
        code: error.kind.word().to_owned(),
        message: error.message.clone(),
        quoted: error.quoted.as_deref().map(str::to_owned),
        is_detail: false,
    };
    errors.map(note).collect()
}

/// Returns true if the live query did not reach an offer, given by the ids of its provider and type.
pub(crate) fn is_unreached(
    live: Option<&Live>,
    catalog: &Catalog<'_>,
    provider: &str,
    instance_type: &str,
) -> bool {
    live.is_some_and(|live| {
        let provider = catalog.provider_named(provider);
        provider.is_some_and(|provider| live.is_unreached(provider, instance_type))
    })
}

/// Marks an offer that the live query did not reach.
pub(crate) fn mark_unreached(live: Option<&Live>, catalog: &Catalog<'_>, out: &mut OfferOut<'_>) {
    if is_unreached(live, catalog, out.provider, out.instance_type) {
        out.reasons.push(Reason::NotReached);
    }
}

/// Adds data that only live answers have.
pub(crate) fn add_extras<'c>(
    live: &'c Live,
    catalog: &Catalog<'_>,
    found: &Match,
    out: &mut OfferOut<'c>,
) {
    let offer = catalog.offer(found.offer);
    let vcpu = out.vcpu.map(|vcpu| vcpu.0);
    out.obtainability = obtainability::of_offer(live, catalog, &offer, found.count, vcpu);
    let provider = offer.provider;
    let Some(extras) = live.extras.get(&(provider, out.instance_type.to_owned())) else {
        return;
    };
    let Count(count) = found.count;
    out.machines = extras.machines.get(&count).copied();
    if let Some(spot) = &mut out.spot
        && let Some(region) = spot.region
        && let Some(of_region) = extras.interruptions.iter().find(|row| row.region == region)
    {
        spot.interruption_rate = Some(&of_region.rate);
    }
    out.spot_placement_scores = extras
        .spot_scores
        .iter()
        .map(|score| SpotScoreOut {
            region: score.region.clone(),
            score: score.score,
            instance_types: score.instance_types.clone(),
            machines: score.machines,
        })
        .collect();
    out.capacity_blocks = extras
        .capacity_blocks
        .iter()
        .map(|block| CapacityBlockOut {
            region: block.region.clone(),
            zone: block.zone.clone(),
            starts_at: block.starts_at.clone(),
            hours: block.hours,
            machines: block.machines,
            upfront_usd: Num(block.upfront_usd),
            usd_per_hour: Num(block.upfront_usd / f64::from(block.hours.max(1))),
        })
        .collect();
    out.quotas = extras
        .quotas
        .iter()
        .filter_map(|quota| {
            let left = quota.left().filter(|_| quota.unit == QuotaUnit::Vcpus)?;
            Some(QuotaOut {
                region: quota.region.clone()?,
                capacity_type: quota.capacity,
                code: quota.code.clone(),
                name: quota.name.clone(),
                limit_vcpu: Num(quota.limit?),
                used_vcpu: quota.used.map(Num),
                left_vcpu: quota.used.map(|_| Num(left)),
                needed_vcpu: out.vcpu,
                machines_asked: live.machines,
                allows: out
                    .vcpu
                    .map(|needed| needed.0 * f64::from(live.machines) <= left),
            })
        })
        .collect();
}
