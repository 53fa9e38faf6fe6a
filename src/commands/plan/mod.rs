//! `plan`: where to try, in which order, and the plan for the engine that applies it.

mod cut;
mod diff;
mod handover;
mod input;
mod lock;
mod now;
mod page;
mod request;

use sky_accel_core::bind::Wanted;
use sky_accel_core::catalog::{Catalog, PriceKind};
use sky_accel_core::note::Note;
use sky_accel_core::plan::{Candidate, Plan, Reject, Rejected, Request, plan};
use sky_accel_core::resolve::{Buying, Match, resolve};
use sky_accel_targets::Handover;

use self::cut::Cut;
use self::handover::{hand_over, lossy_error, steps};
use self::now::Now;
use self::page::{rejection, rejections, table};
use self::request::Asked;
use super::{Context, Result, live, offers};
use crate::cli::{OutputFormat, PlanArgs, PlanCommand};
use crate::digest::sha256;
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::files;
use crate::live::Live;
use crate::output::{self, CandidateOut, Envelope, PlanParts};
use crate::render::{Page, Report, print};
use crate::wants_json;

#[cfg(feature = "schema")]
pub use self::diff::{ChangeOut, DiffRequest};

const CSV: &[&str] = &[
    "rank",
    "spec",
    "provider",
    "instance_type",
    "accelerator",
    "count",
    "nodes",
    "capacity_type",
    "region",
    "fit",
    "usd_per_hour",
    "usd_total",
    "price.usd_per_hour",
    "price.kind",
    "price.as_of",
    "price.source",
    "warnings",
];

pub fn run(context: &mut Context<'_>, args: &PlanArgs) -> Result<ExitCode> {
    if let Some(PlanCommand::Diff(args)) = &args.command {
        return diff::run(context, args);
    }
    let target = request::target(context.settings, args)?;
    // What cannot be written to, or read, is known before any work is done.
    let folder = args
        .hand_over
        .out
        .as_deref()
        .map(files::Folder::open)
        .transpose()?;
    let lock = match (&args.hand_over.lock, args.hand_over.locked) {
        (Some(path), true) => Some(lock::read(path)?),
        (Some(path), false) => {
            files::probe(path)?;
            None
        }
        (None, _) => None,
    };
    let (wanted, mut notes) = input::read(&context.catalog, args.spec.as_deref().unwrap_or("-"))?;
    let live = if args.live.live {
        let asked = request::live_offers(context.settings, args);
        Some(live::ask(
            &context.catalog,
            context.settings,
            context.ui,
            &args.live,
            &asked,
            live::Machines {
                at_least: !args.exact,
                disk_gb: args.disk.unwrap_or(10),
            },
            std::slice::from_ref(&wanted),
        )?)
    } else {
        None
    };
    let catalog = live
        .as_ref()
        .map_or(context.catalog, |live| live.tables.catalog());
    let Asked {
        request,
        echo,
        job,
        note,
    } = request::read(&catalog, context.settings, args, target, &wanted)?;
    let world = Now {
        catalog: &catalog,
        settings: context.settings,
        live: live.as_ref(),
        nodes: request.nodes,
        max_age_s: args
            .live
            .max_age
            .filter(|_| live.is_none())
            .map(|age| age.as_secs()),
    };
    let plan = plan(&catalog, &wanted, &request, &world);
    notes.extend(wanted.iter().flat_map(|own| own.notes.iter().cloned()));
    notes.extend(note);
    notes.extend(mixed(&catalog, &plan));
    notes.extend(oversized(&catalog, &plan));
    if let Some(live) = &live {
        notes.extend(live.notes.iter().cloned());
    }
    if plan.candidates.is_empty() {
        return nothing(
            context,
            &catalog,
            &wanted,
            &request,
            &plan,
            echo,
            notes,
            live.as_ref(),
        );
    }
    let results: Vec<CandidateOut<'_>> = (1_u32..)
        .zip(&plan.candidates)
        .map(|(rank, own)| candidate(&catalog, &wanted, own, rank, &request))
        .collect();
    let cut = Cut::of(&catalog, &wanted, &plan.candidates[0]);
    let rendered = match target {
        None => None,
        Some(target) => {
            let handover = Handover {
                catalog,
                wanted: &wanted,
                candidates: &plan.candidates,
                job: &job,
                layout: cut.as_ref().map(Cut::layout),
                regions: request.offers.regions.as_ref(),
            };
            let rendered = sky_accel_targets::render(&handover, target)
                .map_err(|why| CliError::usage("plan.cannot-say", why.to_string()))?;
            Some((target, rendered))
        }
    };
    if args.hand_over.strict
        && let Some((target, rendered)) = &rendered
        && !rendered.lossy.is_empty()
    {
        return Err(lossy_error(*target, rendered).into());
    }
    let parts = PlanParts {
        id: id(&echo, &results),
        rejected: plan
            .rejected
            .iter()
            .map(|own| output::rejected(&catalog, &wanted, own))
            .collect(),
        totals: output::totals(&plan.candidates),
        steps: steps(
            cut.as_ref(),
            target,
            rendered.as_ref().map(|(_, rendered)| rendered),
        ),
        render: rendered
            .as_ref()
            .map(|(target, rendered)| output::render(*target, rendered)),
    };
    if let Some(lock) = &lock {
        let now = lock::Now {
            catalog: &catalog,
            overlays: &context.settings.overlays,
            request: &echo,
            results: &results,
        };
        lock::hold(lock, &now)?;
    }
    // A plan without a single price is none that one could decide by.
    let is_priced = plan.candidates.iter().any(|own| own.quote.is_some());
    let nearest: Vec<_> = if is_priced {
        Vec::new()
    } else {
        let answer = resolve(&catalog, &wanted, &request.offers);
        let near = answer.nearest.iter();
        near.map(|near| output::nearest(&catalog, &wanted, near))
            .collect()
    };
    let unpriced = (!nearest.is_empty()).then(|| {
        let heading = format!("no price is known for {}; nearest:", echo.spec);
        let mut lines = offers::nearest_lines(&heading, &nearest, request.offers.buying);
        let prices = offers::nearest_prices(&nearest, request.offers.buying);
        lines.extend(offers::ages(&catalog, context.settings, prices));
        lines
    });
    let mut envelope =
        Envelope::new("sky-accel.plan.v1", &catalog, echo, results).with_notes(notes);
    envelope.nearest = nearest;
    envelope.left_off = (plan.left_off > 0).then_some(plan.left_off);
    if let Some(live) = &live {
        envelope.live = live::answers(&catalog, live);
    }
    let mut exit_code = ExitCode::Found;
    if let Some(partial) = live.as_ref().and_then(Live::partial) {
        context
            .ui
            .error(&partial, wants_json(Some(context.settings.output)))?;
        exit_code = partial.exit_code;
    }
    if let (Some(path), None) = (&args.hand_over.lock, &lock) {
        let now = lock::Now {
            catalog: &catalog,
            overlays: &context.settings.overlays,
            request: &envelope.request,
            results: &envelope.results,
        };
        lock::write(path, &now)?;
    }
    let written = match (&folder, &rendered) {
        (Some(folder), Some((_, rendered))) => folder.write(&rendered.files)?,
        _ => Vec::new(),
    };
    let speaks = !matches!(
        context.settings.output,
        OutputFormat::Json | OutputFormat::Yaml
    );
    if context.settings.explain && speaks {
        for own in &parts.rejected {
            context.ui.always(&rejection(own))?;
        }
    }
    let prints_document = matches!(
        context.settings.output,
        OutputFormat::Table | OutputFormat::Wide
    );
    if let Some((target, rendered)) = &rendered
        && prints_document
    {
        hand_over(context, *target, rendered, &written)?;
        context.ui.notes(&envelope.notes)?;
        if let Some(more) = envelope.left_off {
            context
                .ui
                .footer(&format!("{more} more candidates: raise --limit"))?;
        }
        return Ok(exit_code);
    }
    let matches: Vec<Match> = plan.candidates.iter().map(output::priced).collect();
    let mut footer = offers::footer(
        &catalog,
        context.settings,
        &matches,
        Buying::Any,
        live.as_ref().map(|live| live::summary(&catalog, live)),
    );
    footer.extend(unpriced.into_iter().flatten());
    footer.extend(rejections(&plan));
    let mut names: Vec<String> = Vec::new();
    for own in &envelope.results {
        if !names.iter().any(|name| name == own.instance_type) {
            names.push(own.instance_type.to_owned());
        }
    }
    let machines = request.nodes;
    let report = Report {
        envelope: envelope.with_more(parts),
        csv: CSV,
        names,
        page: Box::new(move |results, wide| Page::table(table(results, machines, wide))),
        footer,
        exit_code,
    };
    Ok(print(context.ui, context.settings.output, report)?)
}

fn candidate<'a>(
    catalog: &Catalog<'a>,
    wanted: &[Wanted],
    own: &Candidate,
    rank: u32,
    request: &Request,
) -> CandidateOut<'a> {
    output::CandidateOut {
        mig: Cut::of(catalog, wanted, own).map(|cut| cut.out()),
        ..output::candidate(catalog, wanted, own, rank, request)
    }
}

/// The same for equal plans.
fn id(request: &output::PlanRequest, results: &[CandidateOut<'_>]) -> String {
    let text = serde_json::to_vec(&(request, results)).unwrap_or_default();
    format!("pl_{}", &sha256([&text[..]])[..16])
}

/// More is rented than is asked for, and paid.
fn oversized(catalog: &Catalog<'_>, plan: &Plan) -> Option<Note> {
    let first = plan.candidates.first().filter(|own| !own.is_exact)?;
    let id = catalog.str(catalog.offer(first.found.offer).id);
    let message = format!(
        "{id} has {} devices, more than are asked for: the whole machine is paid",
        first.found.count
    );
    Some(Note::new("oversized", message))
}

/// Prices of this minute beside those of a catalog do not compare.
fn mixed(catalog: &Catalog<'_>, plan: &Plan) -> Option<Note> {
    let is_live = |own: &Candidate| {
        let quote = own.quote?;
        Some(catalog.prices[quote.price as usize].kind == PriceKind::Live)
    };
    let has = |live| plan.candidates.iter().any(|own| is_live(own) == Some(live));
    (has(true) && has(false)).then(|| {
        Note::new(
            "mixed-provenance",
            "prices of this minute are ranked beside those of the catalog",
        )
    })
}

/// When there is no candidate: what was left out, the funnel, and what is near.
#[expect(clippy::too_many_arguments, reason = "all that an answer is made of")]
fn nothing(
    context: &mut Context<'_>,
    catalog: &Catalog<'_>,
    wanted: &[Wanted],
    request: &Request,
    plan: &Plan,
    echo: output::PlanRequest,
    notes: Vec<Note>,
    live: Option<&Live>,
) -> Result<ExitCode> {
    let answer = resolve(catalog, wanted, &request.offers);
    let spec = echo.spec.clone();
    let nearest: Vec<_> = answer
        .nearest
        .iter()
        .map(|near| output::nearest(catalog, wanted, near))
        .collect();
    let only_stale = !plan.rejected.is_empty()
        && plan.rejected.iter().any(|own| own.reason == Reject::Stale)
        && plan
            .rejected
            .iter()
            .filter(|own| own.capacity.is_some())
            .all(|own| own.reason == Reject::Stale);
    let mut exit_code = ExitCode::NothingMatches;
    if only_stale {
        let message = "every price is older than --max-age allows";
        let error = CliError::new(ExitCode::TooOld, "data.too-old", message)
            .advise("ask the providers with --live");
        context
            .ui
            .error(&error, wants_json(Some(context.settings.output)))?;
        exit_code = error.exit_code;
    } else if !matches!(
        context.settings.output,
        OutputFormat::Json | OutputFormat::Yaml
    ) {
        if answer.matches.is_empty() {
            let buying = request.offers.buying;
            let prices = offers::nearest_prices(&nearest, buying);
            let ages = offers::ages(catalog, context.settings, prices);
            for line in offers::nothing_lines(&spec, &answer, &nearest, buying, ages) {
                context.ui.always(&line)?;
            }
        } else {
            context
                .ui
                .always(&format!("nothing that matches {spec} can be used"))?;
            let usable = |own: &&Rejected| own.capacity.is_some();
            for own in plan.rejected.iter().filter(usable) {
                let own = output::rejected(catalog, wanted, own);
                context.ui.always(&rejection(&own))?;
            }
        }
    }
    let mut envelope = Envelope::new(
        "sky-accel.plan.v1",
        catalog,
        echo,
        Vec::<CandidateOut<'_>>::new(),
    )
    .with_notes(notes);
    envelope.funnel = output::funnel(wanted, &answer);
    envelope.nearest = nearest;
    if let Some(live) = live {
        envelope.live = live::answers(catalog, live);
        if let Some(partial) = live.partial() {
            context
                .ui
                .error(&partial, wants_json(Some(context.settings.output)))?;
            exit_code = partial.exit_code;
        }
    }
    let parts = PlanParts {
        id: id(&envelope.request, &[]),
        rejected: plan
            .rejected
            .iter()
            .map(|own| output::rejected(catalog, wanted, own))
            .collect(),
        totals: output::totals(&[]),
        steps: Vec::new(),
        render: None,
    };
    let report = Report {
        envelope: envelope.with_more(parts),
        csv: CSV,
        names: Vec::new(),
        page: Box::new(|_, _| Page::default()),
        footer: Vec::new(),
        exit_code,
    };
    Ok(print(context.ui, context.settings.output, report)?)
}
