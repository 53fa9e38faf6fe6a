//! From the flags to what is planned and what is handed over.

use sky_accel_core::bind::Wanted;
use sky_accel_core::catalog::{Catalog, ProviderId};
use sky_accel_core::money::Usd;
use sky_accel_core::note::Note;
use sky_accel_core::plan::{Interconnect, Market, Request, Reserved};
use sky_accel_core::resolve::Buying;
use sky_accel_core::text::list_and;
use sky_accel_targets::{Capacity, Job, Target};

use super::super::offers;
use crate::cli::{BuyingArg, InterconnectArg, OfferArgs, OutputFormat, PlanArgs, word_of};
use crate::error::CliError;
use crate::output::{Num, PlanRequest};
use crate::settings::Settings;

/// Who sells reservations and blocks that can be launched into.
const RESERVES: &str = "aws";
/// Candidates that are listed where no number is asked for.
const LIMIT: u32 = 15;

pub(super) struct Asked {
    pub request: Request,
    pub echo: PlanRequest,
    pub job: Job,
    /// What the target leaves out.
    pub note: Option<Note>,
}

/// What one machine may cost an hour, by its own limit and by its share of the budget.
fn limit_of_one(
    max_price: Option<Usd>,
    budget: Option<f64>,
    hours: Option<f64>,
    nodes: u32,
) -> Option<Usd> {
    let share = budget.map(|budget| budget / hours.unwrap_or(1.0) / f64::from(nodes));
    // Rounded down to a cent: no machine within the limit is over the budget.
    let share = share.and_then(|usd| Usd::from_decimal((usd * 100.0).floor() / 100.0));
    match (max_price, share) {
        (Some(max), Some(share)) => Some(max.min(share)),
        (max, share) => max.or(share),
    }
}

/// What an engine must be able to do at a provider.
fn needs(args: &PlanArgs) -> Vec<&'static str> {
    let is_machine =
        |image: &String| image.starts_with("ami-") || image.starts_with("resolve:ssm:");
    let fabric = args
        .interconnect
        .is_some_and(|own| own != InterconnectArg::Nvlink);
    [
        (
            "image",
            args.work
                .image
                .as_ref()
                .is_some_and(|image| !is_machine(image)),
        ),
        ("nodes", args.nodes > 1),
        ("interconnect", fabric),
    ]
    .into_iter()
    .filter_map(|(need, is_needed)| is_needed.then_some(need))
    .collect()
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
    let mut left_out = Vec::new();
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
    if let Some(tool) = target
        .and_then(Target::tool)
        .and_then(|id| catalog.tool(id))
    {
        // What it cannot use takes no place of what it can.
        let needs = needs(args);
        let usable = |id: &ProviderId| needs.iter().all(|need| catalog.tool_can(tool, *id, need));
        let all = (0..catalog.providers.len() as u16).map(ProviderId);
        let asked = |id: &ProviderId| offers.providers.is_empty() || offers.providers.contains(id);
        let (known, left): (Vec<_>, Vec<_>) = all.filter(asked).partition(usable);
        if !known.is_empty() {
            left_out = left;
            offers.providers = known;
        }
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
    // What is reserved is AWS's, and paid for: no limit leaves it out.
    if capacity.is_some() {
        let aws: Vec<_> = catalog.provider_named(RESERVES).into_iter().collect();
        if !offers.providers.is_empty() && !aws.iter().any(|id| offers.providers.contains(id)) {
            let message =
                format!("reserved capacity is {RESERVES}'s, and --provider or --to leaves it out");
            return Err(CliError::usage("usage.capacity", message));
        }
        offers.providers = aws;
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
        max_price: limit_of_one(offers.max_price, budget, hours, args.nodes),
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
        reserved: capacity.as_ref().map(|own| match own {
            Capacity::Reservation(_) => Reserved::Reservation,
            Capacity::Block(_) => Reserved::Block,
        }),
        limit: limit as usize,
    };
    let left_out = left_out
        .iter()
        .map(|id| catalog.provider_id(*id))
        .collect::<Vec<_>>();
    let note = target.filter(|_| !left_out.is_empty()).map(|target| {
        let message = format!(
            "{} cannot do what is asked at {}",
            target.name(),
            list_and(&left_out)
        );
        Note::new("target-cannot", message)
    });
    Ok(Asked {
        request,
        echo,
        job,
        note,
    })
}
