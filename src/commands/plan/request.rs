//! From the flags to what is planned and what is handed over.

use sky_accel_core::bind::Wanted;
use sky_accel_core::catalog::Catalog;
use sky_accel_core::money::Usd;
use sky_accel_core::plan::{Interconnect, Market, Request};
use sky_accel_core::resolve::Buying;
use sky_accel_targets::{Capacity, Job, Target};

use super::super::offers;
use crate::cli::{BuyingArg, InterconnectArg, OfferArgs, OutputFormat, PlanArgs, word_of};
use crate::error::CliError;
use crate::output::{Num, PlanRequest};
use crate::settings::Settings;

/// Candidates that are listed where no number is asked for.
const LIMIT: u32 = 15;

pub(super) struct Asked {
    pub request: Request,
    pub echo: PlanRequest,
    pub job: Job,
}

/// The engine that is meant. Formats that have no place for its document are refused.
pub(super) fn target(settings: &Settings, args: &PlanArgs) -> Result<Option<Target>, CliError> {
    let Some(target) = args.hand_over.to.as_deref().and_then(Target::named) else {
        return Ok(None);
    };
    if let OutputFormat::Csv | OutputFormat::Names | OutputFormat::Jsonl = settings.output {
        let message = format!(
            "--to {} prints a document of its own; -o json and -o yaml carry it in `render`",
            target.name()
        );
        return Err(CliError::usage("usage.format", message));
    }
    Ok(Some(target))
}

/// What the providers are asked for.
pub(super) fn live_offers(settings: &Settings, args: &PlanArgs) -> OfferArgs {
    let mut offers = args.offers.clone();
    if args.spot_first {
        offers.capacity_type = Some(BuyingArg::Any);
    }
    let bound = args.hand_over.to.as_deref().and_then(Target::named);
    if let Some(provider) = bound.and_then(Target::provider)
        && offers.provider.is_empty()
        && settings.offers.provider.is_empty()
    {
        offers.provider = vec![provider.to_owned()];
    }
    offers
}

pub(super) fn read(
    catalog: &Catalog<'_>,
    settings: &Settings,
    args: &PlanArgs,
    target: Option<Target>,
    wanted: &[Wanted],
) -> Result<Asked, CliError> {
    // Regions are those of all providers that are asked for, whichever of them a target takes.
    let (mut offers, echo) = offers::request(catalog, settings, &args.offers)?;
    if let Some((target, provider)) = target.and_then(|own| Some((own, own.provider()?))) {
        let bound: Vec<_> = catalog.provider_named(provider).into_iter().collect();
        if !offers.providers.is_empty() && !bound.iter().any(|id| offers.providers.contains(id)) {
            let message = format!(
                "--to {} rents from {provider} alone, and --provider leaves it out",
                target.name()
            );
            return Err(CliError::usage("usage.provider", message));
        }
        offers.providers = bound;
    }
    let market = if args.spot_first {
        Market::SpotFirst
    } else {
        match offers.buying {
            Buying::Unspecified | Buying::OnDemand => Market::OnDemand,
            Buying::Spot => Market::Spot,
            Buying::Any => Market::Any,
        }
    };
    let capacity = match (&args.work.reservation, &args.work.capacity_block) {
        (Some(id), _) => Some(Capacity::Reservation(id.clone())),
        (None, Some(id)) => Some(Capacity::Block(id.clone())),
        (None, None) => None,
    };
    if capacity.is_some() && market != Market::OnDemand {
        let message = "reserved capacity is launched into on demand, not as spot";
        return Err(CliError::usage("usage.capacity", message));
    }
    let positive = |name: &str, figure: Option<f64>| match figure {
        Some(figure) if !(figure.is_finite() && figure > 0.0 && figure < 1e9) => {
            let message = format!("--{name} takes a number above 0, not {figure}");
            Err(CliError::usage("usage.bad-value", message))
        }
        figure => Ok(figure),
    };
    let hours = positive("hours", args.hours)?;
    let budget = positive("budget", args.budget)?;
    let interconnect = args.interconnect.map(|own| match own {
        InterconnectArg::Efa => Interconnect::Efa,
        InterconnectArg::Infiniband => Interconnect::Infiniband,
        InterconnectArg::Nvlink => Interconnect::Nvlink,
        InterconnectArg::Any => Interconnect::Any,
    });
    let limit = echo.limit.unwrap_or(LIMIT);
    let specs: Vec<&str> = wanted.iter().map(|own| own.spec.as_str()).collect();
    let echo = PlanRequest {
        spec: specs.join("|"),
        providers: offers
            .providers
            .iter()
            .map(|id| catalog.provider_id(*id).to_owned())
            .collect(),
        regions: echo.regions,
        capacity_type: match market {
            Market::OnDemand => "on-demand",
            Market::Spot => "spot",
            Market::SpotFirst => "spot-first",
            Market::Any => "any",
        },
        max_price: echo.max_price,
        budget: budget.map(Num),
        hours: hours.map(Num),
        nodes: args.nodes,
        exact: args.exact,
        distinct: args.distinct.map(word_of),
        interconnect: args.interconnect.map(word_of),
        cuda: args.cuda.clone(),
        disk_gb: args.disk,
        reservation: args.work.reservation.clone(),
        capacity_block: args.work.capacity_block.clone(),
        limit,
        live: args.live.live,
        max_age_s: args.live.max_age.map(|age| age.as_secs()),
    };
    let job = Job {
        name: args.work.name.clone(),
        image: args.work.image.clone(),
        command: args.work.run.clone(),
        disk_gb: args.disk,
        nodes: args.nodes,
        market,
        max_price: offers.max_price,
        interconnect,
        cuda: args.cuda.clone(),
        capacity: capacity.clone(),
        slurm_types: args.work.slurm_map.clone(),
    };
    let request = Request {
        offers,
        market,
        exact: args.exact,
        distinct_regions: args.distinct.is_some(),
        nodes: args.nodes,
        hours,
        budget: budget.and_then(Usd::from_decimal),
        interconnect,
        cuda: args.cuda.clone(),
        has_block: matches!(capacity, Some(Capacity::Block(_))),
        limit: limit as usize,
    };
    Ok(Asked { request, echo, job })
}
