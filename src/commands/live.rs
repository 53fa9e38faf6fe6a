//! What commands with `--live` share: the request from the arguments, and how answers are shown.

use std::time::Duration;

use sky_accel_core::bind::Wanted;
use sky_accel_core::catalog::{Catalog, ProviderId};
use sky_accel_core::money::Count;
use sky_accel_core::resolve::{Match, Request, resolve};
use sky_accel_providers::{Cache, CacheMode, Capacity, now};

use super::offers;
use crate::cli::{LiveArgs, OfferArgs, OutputFormat};
use crate::error::CliError;
use crate::live::{self, Live, LiveRequest, Outcome, Text, timestamp};
use crate::output::{AnswerOut, CapacityBlockOut, NoteOut, Num, OfferOut, QuotaOut, SpotScoreOut};
use crate::settings::{Settings, cache_folder};
use crate::ui::{Ui, duration};

/// Which machines are meant, beside the specs.
#[derive(Clone, Copy)]
pub struct Machines {
    /// Larger ones too.
    pub at_least: bool,
    /// Disk that a marketplace prices in.
    pub disk_gb: u32,
}

/// Asks the providers that are meant, all where none is named. When nothing matches, and nothing of
/// what was answered is near it either, they are asked once more, for every count everywhere.
pub fn ask(
    catalog: &Catalog<'_>,
    settings: &Settings,
    ui: &mut Ui,
    args: &LiveArgs,
    offers: &OfferArgs,
    machines: Machines,
    specs: &[Vec<Wanted>],
) -> Result<Live, CliError> {
    let Machines { at_least, disk_gb } = machines;
    let defaults = &settings.offers;
    let names = offers::or_default(&offers.provider, &defaults.provider);
    let mut providers = offers::providers_named(catalog, names)?;
    if providers.is_empty() {
        providers = (0..catalog.providers.len() as u16)
            .map(ProviderId)
            .collect();
    }
    let mut request = LiveRequest {
        buying: offers::buying(offers.capacity_type.or(defaults.capacity_type)),
        at_least,
        widely: false,
        regions: offers::or_default(&offers.region, &defaults.region).to_vec(),
        disk_gb: f64::from(disk_gb),
        spot_scores: args.spot_scores,
        capacity_block_hours: args.capacity_blocks,
        check_quota: args.check_quota,
        timeout: Duration::from_secs(args.timeout.into()),
        cache: Cache {
            folder: cache_folder(),
            mode: match (settings.offline, args.refresh) {
                (true, _) => CacheMode::Only,
                (false, true) => CacheMode::Refresh,
                (false, false) => CacheMode::Prefer,
            },
            max_age: args.max_age,
        },
        text: match settings.output {
            // Their writer escapes what is unprintable.
            OutputFormat::Json | OutputFormat::Jsonl => Text::Verbatim,
            _ => Text::ForPeople,
        },
    };
    let wanted: Vec<&Wanted> = specs.iter().flatten().collect();
    let mut live = live::ask(catalog, &wanted, &providers, &request, ui)?;
    if let Some(error) = live.error() {
        return Err(error);
    }
    let is_complete = live.failures().next().is_none();
    if is_complete && !knows_anything_near(&live, settings, offers, at_least, specs)? {
        request.widely = true;
        let wide = live::ask(catalog, &wanted, &providers, &request, ui)?;
        if wide.failures().next().is_none() {
            live = wide;
        }
    }
    Ok(live)
}

/// Whether an answer has a match or an alternative for any of the specs.
fn knows_anything_near(
    live: &Live,
    settings: &Settings,
    offers: &OfferArgs,
    at_least: bool,
    specs: &[Vec<Wanted>],
) -> Result<bool, CliError> {
    let catalog = live.tables.catalog();
    let (request, _) = offers::request(&catalog, settings, offers)?;
    let request = Request {
        at_least,
        ..request
    };
    Ok(specs.iter().any(|wanted| {
        let answer = resolve(&catalog, wanted, &request);
        !answer.matches.is_empty() || !answer.nearest.is_empty()
    }))
}

/// How the providers answered, for the envelope.
pub fn answers(catalog: &Catalog<'_>, live: &Live) -> Vec<AnswerOut> {
    let answers = live.answers.iter().map(|answer| {
        let (source, fetched_at, types_at, failure) = match &answer.outcome {
            Outcome::Answered {
                fetched_at,
                cached,
                types_at,
            } => (
                if *cached { "cache" } else { "live" },
                Some(*fetched_at),
                *types_at,
                None,
            ),
            Outcome::Failed(error) => ("failed", None, None, Some(error)),
            Outcome::FromCatalog => ("catalog", None, None, None),
        };
        let errors = failure
            .into_iter()
            .chain(&answer.problems)
            .map(|error| NoteOut {
                code: error.kind.code().to_owned(),
                message: error.message.clone(),
            });
        let errors: Vec<NoteOut> = errors.collect();
        AnswerOut {
            provider: catalog.provider_id(answer.provider).to_owned(),
            source,
            as_of: fetched_at.map(timestamp),
            age_s: fetched_at.map(|at| (now() - at).max(0)),
            types_as_of: types_at.map(timestamp),
            complete: errors.is_empty(),
            errors,
        }
    });
    answers.collect()
}

/// `live: aws now (types 5 d old), vastai cached 12 min ago, verda failed`.
pub fn summary(catalog: &Catalog<'_>, live: &Live) -> String {
    let parts = live.answers.iter().filter_map(|answer| {
        let id = catalog.provider_id(answer.provider);
        let age = |at: i64| duration((now() - at).max(0));
        match &answer.outcome {
            Outcome::Answered {
                fetched_at,
                cached,
                types_at,
            } => {
                let prices = if *cached {
                    format!("cached {} ago", age(*fetched_at))
                } else {
                    "now".to_owned()
                };
                let types = types_at.filter(|at| *at + TYPES_ARE_OLD < *fetched_at);
                let types = types.map(|at| format!(" (types {} old)", age(at)));
                Some(format!("{id} {prices}{}", types.unwrap_or_default()))
            }
            Outcome::Failed(_) => Some(format!("{id} failed")),
            Outcome::FromCatalog => None,
        }
    });
    format!("live: {}", parts.collect::<Vec<_>>().join(", "))
}

/// Lists of types that are so many seconds older than the prices beside them are told of.
const TYPES_ARE_OLD: i64 = 3600;

/// Adds what only live answers have.
pub fn add_extras(live: &Live, catalog: &Catalog<'_>, found: &Match, out: &mut OfferOut<'_>) {
    let provider = catalog.offer(found.offer).provider;
    let Some(extras) = live.extras.get(&(provider, out.instance_type.to_owned())) else {
        return;
    };
    let Count(count) = found.count;
    out.machines = extras.machines.get(&count).copied();
    out.spot_placement_scores = extras
        .spot_scores
        .iter()
        .map(|score| SpotScoreOut {
            region: score.region.clone(),
            score: score.score,
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
        .map(|quota| QuotaOut {
            region: quota.region.clone(),
            capacity_type: match quota.capacity {
                Capacity::OnDemand => "on-demand",
                Capacity::Spot => "spot",
            },
            code: quota.code.clone(),
            name: quota.name.clone(),
            limit_vcpu: Num(quota.limit),
            needed_vcpu: out.vcpu,
            allows: out.vcpu.map(|needed| needed.0 <= quota.limit),
        })
        .collect();
}
