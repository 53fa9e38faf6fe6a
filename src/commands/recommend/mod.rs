//! `recommend`: what to rent for a model or a kind of work, from the rules of thumb.

mod guide;

use serde::Serialize;
use sky_accel_core::catalog::{Catalog, GuideSize, Status};
use sky_accel_core::guide::{size_row, workload_rows};
use sky_accel_core::note::Note;
use sky_accel_core::resolve::{Match, Request, resolve};
use sky_accel_core::suggest;
use sky_accel_core::text::number;

use super::offers::{self, OfferTable};
use super::{Context, Result, read_spec};
use crate::cli::RecommendArgs;
use crate::error::CliError;
use crate::exit_code::ExitCode;
use crate::output::{self, Envelope, Num, OfferOut, OfferRequest};
use crate::render::{Block, Page, Report, print};

#[cfg(feature = "schema")]
pub use guide::{GuideOut, GuideRequest};

/// Offers of one pick, when no limit is given.
const OFFERS_PER_PICK: usize = 3;

/// The role of a spec that the guide gives no role.
const PICK: &str = "pick";

/// The request as it was understood.
#[derive(Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecommendRequest {
    /// As written: 13B, 350M.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model_size: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub workload: Option<String>,
    #[serde(flatten)]
    pub offers: OfferRequest,
}

/// One way to do it.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct RecommendOut<'a> {
    /// 1 is the cheapest.
    pub rank: usize,
    /// `minimum`, `recommended` or `pick`: the column of the guide.
    pub role: &'static str,
    /// Feeds `resolve`.
    pub spec: String,
    pub offer: OfferOut<'a>,
    /// For the whole machine; by default on demand.
    pub usd_per_hour: Option<Num>,
    pub why: Vec<String>,
}

const CSV: &[&str] = &[
    "rank",
    "role",
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
    role: &'static str,
    spec: String,
    why: String,
}

pub fn run(context: &mut Context<'_>, args: RecommendArgs) -> Result<ExitCode> {
    if args.guide {
        return guide::run(context);
    }
    let catalog = context.catalog;
    let mut notes = vec![Note::new(
        "rule-of-thumb",
        "answered from the rule-of-thumb guide (recommend --guide): it knows the number of parameters, not the model",
    )];
    let (heading, picks) = match (&args.model_size, &args.workload) {
        (Some(size), workload) => {
            if let Some(workload) = workload {
                let rows = for_workload(&catalog, workload)?;
                notes.extend(rows.into_iter().map(|pick| {
                    Note::new(
                        "workload",
                        format!(
                            "for the work itself the guide picks {}: {}",
                            pick.spec, pick.why
                        ),
                    )
                }));
            }
            for_size(&catalog, size, &mut notes)?
        }
        (None, Some(workload)) => (format!("For {workload}"), for_workload(&catalog, workload)?),
        (None, None) => {
            let message = "say --model-size 13B, --workload inference, or --guide";
            return Err(CliError::usage("usage.nothing-asked", message).into());
        }
    };

    let (request, echo) = offers::request(&catalog, context.settings, &args.offers)?;
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
        model_size: args.model_size,
        workload: args.workload,
        offers: echo,
    };
    let names = offers::names(results.iter().map(|row| &row.offer));
    let mut envelope =
        Envelope::new("sky-accel.recommend.v1", &catalog, request_out, results).with_notes(notes);
    envelope.left_off = Some(left_off);
    let report = Report {
        names,
        envelope,
        csv: CSV,
        page: Box::new(|rows: &[RecommendOut<'_>], wide| {
            if rows.is_empty() {
                return Page::default();
            }
            let by_role = rows.iter().any(|row| row.role != PICK);
            let lead = |row: &RecommendOut<'_>| {
                if by_role {
                    row.role.to_owned()
                } else {
                    row.spec.clone()
                }
            };
            let title = if by_role { "GUIDE" } else { "SPEC" };
            let leads = rows.iter().map(lead).collect();
            let offers = rows.iter().map(|row| &row.offer).collect();
            let table = OfferTable {
                lead: Some((title, leads)),
                offers,
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
                role: pick.role,
                spec: pick.spec.clone(),
                offer: output::offer(catalog, &wanted[m.choice].spec, &m, is_asked, false),
                usd_per_hour: m.ruling(request.buying).map(|usd| Num(usd.decimal())),
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

fn for_size(
    catalog: &Catalog<'_>,
    size: &str,
    notes: &mut Vec<Note>,
) -> std::result::Result<(String, Vec<Pick>), CliError> {
    let billions = billions(size).ok_or_else(|| {
        CliError::usage(
            "usage.bad-model-size",
            format!("'{size}' is not a model size such as 13B, 1.5B or 350M"),
        )
    })?;
    let (row, next) = size_row(catalog, billions).ok_or_else(|| {
        CliError::usage(
            "usage.bad-model-size",
            "the catalog has no rule of thumb for that size",
        )
    })?;
    let describe = |row: &GuideSize| {
        let (minimum, recommended) = (catalog.str(row.minimum), catalog.str(row.recommended));
        format!(
            "{}: at least {minimum}, better {recommended}",
            catalog.str(row.title)
        )
    };
    if let Some(next) = next {
        let message = format!(
            "{size} is on the boundary; the next row is {}",
            describe(next)
        );
        notes.push(Note::new("boundary", message));
    }
    let title = catalog.str(row.title);
    let mut picks = Vec::new();
    for (role, spec) in [("minimum", row.minimum), ("recommended", row.recommended)] {
        let spec = catalog.str(spec).to_owned();
        if !picks.iter().any(|pick: &Pick| pick.spec == spec) {
            picks.push(Pick {
                role,
                why: format!("{role} for {title} parameters by rule of thumb"),
                spec,
            });
        }
    }
    Ok((
        format!("{size} parameters are in the row {}", describe(row)),
        picks,
    ))
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
            role: PICK,
            spec: spec.to_owned(),
            why: format!("{}: {}", catalog.str(row.title), catalog.str(row.because)),
        })
    });
    Ok(picks.collect())
}

/// `13B`, `350M`, `1.5T` in billions.
fn billions(size: &str) -> Option<f64> {
    let size = size.trim();
    let unit = size.chars().last()?;
    let factor = match unit.to_ascii_uppercase() {
        'K' => 1e-6,
        'M' => 1e-3,
        'B' => 1.0,
        'T' => 1e3,
        _ => return None,
    };
    let digits = &size[..size.len() - unit.len_utf8()];
    let plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let value = digits
        .parse::<f64>()
        .ok()
        .filter(|value| plain && *value > 0.0)?
        * factor;
    (value <= 1e6).then(|| number(value).parse().unwrap_or(value))
}

#[cfg(test)]
mod tests {
    use super::billions;

    #[test]
    fn sizes_of_models() {
        assert_eq!(billions("13B"), Some(13.0));
        assert_eq!(billions("350m"), Some(0.35));
        assert_eq!(billions("1.5T"), Some(1500.0));
        for bad in ["13", "B", "-7B", "7.0.0B", "big", "1e9B", "∞", ""] {
            assert_eq!(billions(bad), None, "{bad}");
        }
    }
}
