//! What to rent for a kind of work, from the rules of thumb.

use sky_accel_core::catalog::{Catalog, Status};
use sky_accel_core::guide::workload_rows;
use sky_accel_core::note::Note;
use sky_accel_core::resolve::{Match, Request, resolve};
use sky_accel_core::suggest;

use super::super::offers::{self, OfferTable};
use super::super::{Context, Result, read_spec};
use super::{RecommendOut, RecommendRequest};
use crate::cli::RecommendArgs;
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::output::{self, Envelope, Num};
use crate::render::{Block, Page, Report, print};

/// Offers of one pick, when no limit is given.
const OFFERS_PER_PICK: usize = 3;

const CSV: &[&str] = &[
    "rank",
    "spec",
    "usd_per_hour",
    "offer.provider",
    "offer.instance_type",
    "offer.accelerator",
    "offer.count",
    "offer.total_memory_gb",
    "offer.on_demand.region",
    "offer.on_demand.kind",
    "offer.on_demand.as_of",
    "offer.spot.usd_per_hour",
    "offer.spot.kind",
    "why",
];

/// A spec of the guide, and why it is there.
struct Pick {
    spec: String,
    why: String,
}

pub fn run(context: &mut Context<'_>, args: &RecommendArgs, workload: &str) -> Result<ExitCode> {
    let catalog = context.catalog;
    let mut notes = vec![Note::new(
        "rule-of-thumb",
        "answered from the rule-of-thumb guide (recommend --guide): it knows the kind of work, not the model",
    )];
    let picks = for_workload(&catalog, workload)?;
    let (request, echo) = offers::request(&catalog, context.settings, &args.search.offers)?;
    let (results, matches, left_off) = collect(&catalog, &picks, &request, &mut notes)?;
    let nothing = results.is_empty();
    if nothing {
        let specs: Vec<&str> = picks.iter().map(|pick| pick.spec.as_str()).collect();
        context.ui.always(&format!(
            "no offer for {} within the limits given",
            specs.join(", ")
        ))?;
    }
    let request_out = RecommendRequest {
        run: None,
        workload: Some(workload.to_owned()),
        objective: None,
        tokens: None,
        deadline_hours: None,
        budget_usd: None,
        offers: echo,
    };
    let names = offers::names(results.iter().map(|row| &row.offer));
    let mut envelope =
        Envelope::new("sky-accel.recommend.v1", &catalog, request_out, results).with_notes(notes);
    envelope.left_off = Some(left_off);
    let heading = format!("For {workload}");
    let report = Report {
        names,
        envelope,
        csv: CSV,
        page: Box::new(|rows: &[RecommendOut<'_>], wide| {
            if rows.is_empty() {
                return Page::default();
            }
            let table = OfferTable {
                lead: Some(("SPEC", rows.iter().map(|row| row.spec.clone()).collect())),
                offers: rows.iter().map(|row| &row.offer).collect(),
                buying: request.buying,
                wide,
            };
            Page {
                blocks: vec![Block::Heading(heading), Block::Table(table.build())],
            }
        }),
        footer: offers::footer(&catalog, context.settings, &matches, request.buying, None),
        exit_code: if nothing {
            ExitCode::NothingMatches
        } else {
            ExitCode::Found
        },
    };
    Ok(print(context.ui, context.settings.output, report)?)
}

/// The offers of all picks, the cheapest first.
fn collect<'a>(
    catalog: &Catalog<'a>,
    picks: &[Pick],
    request: &Request,
    notes: &mut Vec<Note>,
) -> std::result::Result<(Vec<RecommendOut<'a>>, Vec<Match>, usize), CliError> {
    let per_pick = request.limit.unwrap_or(OFFERS_PER_PICK);
    let mut left_off = 0;
    let mut found: Vec<(Match, RecommendOut<'a>)> = Vec::new();
    for pick in picks {
        let wanted = read_spec(catalog, &pick.spec)?;
        let answer = resolve(
            catalog,
            &wanted,
            &Request {
                limit: None,
                ..request.clone()
            },
        );
        let mut rentable = answer.matches;
        rentable.retain(|m| {
            catalog.offer(m.offer).status == Status::Offered && m.ruling(request.buying).is_some()
        });
        left_off += rentable.len().saturating_sub(per_pick);
        rentable.truncate(per_pick);
        let before = found.len();
        found.extend(rentable.into_iter().map(|m| {
            let is_asked = |region| {
                request
                    .regions
                    .as_ref()
                    .is_none_or(|filter| filter.allows(region))
            };
            let row = RecommendOut {
                rank: 0,
                spec: pick.spec.clone(),
                offer: output::offer(catalog, &wanted[m.choice].spec, &m, is_asked, false),
                usd_per_hour: m.ruling(request.buying).map(|usd| Num(usd.decimal())),
                usd_per_million_tokens: None,
                tokens_per_s: None,
                hours: None,
                usd_total: None,
                pareto: None,
                fit: None,
                why: vec![pick.why.clone()],
            };
            (m, row)
        }));
        if found.len() == before {
            notes.push(Note::new(
                "unsold",
                format!("no priced offer for {} within the limits", pick.spec),
            ));
        }
    }
    found.sort_by_key(|(m, _)| m.ruling(request.buying));
    if let Some(limit) = request.limit {
        left_off += found.len().saturating_sub(limit);
        found.truncate(limit);
    }
    for (at, (_, row)) in found.iter_mut().enumerate() {
        row.rank = at + 1;
    }
    let (matches, rows): (Vec<Match>, Vec<RecommendOut<'_>>) = found.into_iter().unzip();
    Ok((rows, matches, left_off))
}

fn for_workload(catalog: &Catalog<'_>, workload: &str) -> std::result::Result<Vec<Pick>, CliError> {
    let rows = workload_rows(catalog, workload);
    if rows.is_empty() {
        let mut known: Vec<&str> = Vec::new();
        for flag in catalog
            .guide_workloads
            .iter()
            .flat_map(|row| catalog.strings(row.flags))
        {
            if !known.contains(&flag) {
                known.push(flag);
            }
        }
        let near = suggest::closest(workload, known.iter().copied());
        let error = CliError::usage(
            "usage.unknown-workload",
            format!("unknown workload '{workload}'"),
        );
        return Err(error.hint(if near.is_empty() {
            known.into_iter().map(str::to_owned).collect()
        } else {
            near
        }));
    }
    let picks = rows.iter().flat_map(|row| {
        catalog.strings(row.pick).map(|spec| Pick {
            spec: spec.to_owned(),
            why: format!("{}: {}", catalog.str(row.title), catalog.str(row.because)),
        })
    });
    Ok(picks.collect())
}
