//! Machines for a model: everything that is sold, computed.

use sky_accel_core::catalog::{Catalog, Sells};
use sky_accel_core::guide::size_row;
use sky_accel_core::money::Usd;
use sky_accel_core::note::Note;
use sky_accel_core::resolve::Request;
use sky_accel_core::sizing::{GIB, Support, supports};
use sky_accel_core::text::number;

use super::rank::{pareto, rank};
use super::search::{Choice, Limits, ModelFit, search, spec_of};
use super::{Point, RecommendRequest, Recommendation};
use crate::code::ErrorCode;
use crate::contract::{self, Envelope, Num, OfferOut, RecommendEcho, RecommendOut};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::money::Money;
use crate::sizing::{self, ModelHub, ModelRun, Sizer, rate, spread};
use crate::text::figure;

/// Rows, when no limit is given.
const ROWS: usize = 10;
/// Rejected machines that a note is made of.
const REJECTED: usize = 3;

impl<'c> Engine<'c> {
    /// Sizes a model on every machine that is sold, and ranks those on which it fits.
    ///
    /// `hub` is asked when the model is one of a hub. No machine is an answer, not an error.
    ///
    /// # Errors
    ///
    /// A model that is unknown or unreadable, a value out of its bounds, an unknown provider or
    /// region.
    pub fn recommend(
        &self,
        request: &RecommendRequest,
        hub: Option<&ModelHub<'_>>,
    ) -> Result<Recommendation<'c>> {
        let catalog = self.catalog();
        let work = sizing::read(&catalog, &request.run, hub)?;
        if work.measured_tokens_per_s.is_some() {
            let message = "a measured speed is that of one machine: calibrate is for fit";
            return Err(Error::new(ErrorCode::BadValue, message));
        }
        let limits = limits(request)?;
        let constraints = request.offers.request(&catalog)?;
        let money = request.offers.money(&catalog)?;
        let mut found = search(&catalog, &work, limits, &constraints);
        let by_total = limits.tokens.is_some();
        rank(&catalog, &mut found.choices, request.objective, by_total);
        let costs: Vec<(Usd, Option<f64>)> = found
            .choices
            .iter()
            .map(|choice| (choice.cost(by_total), choice.model.tokens_per_s))
            .collect();
        let front = pareto(&costs);
        let points = points(&catalog, &found.choices, &front, by_total);
        let has_verified = found
            .choices
            .iter()
            .any(|choice| !choice.machine.is_region_unverified());
        let limit = constraints.limit.unwrap_or(ROWS);
        let left_off = found.choices.len().saturating_sub(limit);
        let rows = (1..).zip(found.choices.into_iter().zip(front)).take(limit);
        let results: Vec<RecommendOut<'c>> = rows
            .map(|(rank, (choice, is_pareto))| {
                let mut row = row(&catalog, &work, &constraints, rank, &choice, is_pareto);
                money.restate(&mut row.offer);
                row
            })
            .collect();
        let mut notes = work.notes.clone();
        notes.extend(guide_note(&catalog, &work, results.first()));
        let rejected = found.rejected.into_iter().take(REJECTED);
        notes.extend(rejected.map(|line| Note::new("rejected", line)));
        let summary = results
            .first()
            .map(|best| summary(&catalog, &work, best, &money));
        let understood = understood(&catalog, request, &work, &constraints);
        let envelope = Envelope::new("sky-accel.recommend.v1", &catalog, understood, results);
        let mut envelope = envelope
            .with_overridden(self.overlaid(), Some(&work.model.name))
            .with_notes(notes);
        envelope.left_off = Some(left_off);
        Ok(Recommendation {
            envelope,
            summary,
            points,
            by_total,
            considered: found.considered,
            two_machines: found.largest.map(|(id, count)| {
                let name = catalog.accelerator_id(id);
                format!("{name}:x{}", 2 * count.whole_devices().max(1))
            }),
            has_verified,
        })
    }
}

fn understood(
    catalog: &Catalog<'_>,
    request: &RecommendRequest,
    work: &ModelRun,
    constraints: &Request,
) -> RecommendEcho {
    RecommendEcho {
        run: Some(work.understood(&request.run, None)),
        workload: None,
        objective: Some(request.objective),
        tokens: request.tokens.map(Num),
        deadline_hours: request.deadline_hours.map(Num),
        budget_usd: request.budget_usd.map(Num),
        offers: request.offers.understood(catalog, constraints),
    }
}

fn limits(request: &RecommendRequest) -> Result<Limits> {
    for (flag, value) in [
        ("--tokens", request.tokens),
        ("--deadline", request.deadline_hours),
        ("--budget", request.budget_usd),
    ] {
        if value.is_some_and(|value| !(value.is_finite() && value > 0.0)) {
            let message = format!("{flag} is above zero");
            return Err(Error::new(ErrorCode::BadValue, message));
        }
    }
    if request.tokens.is_none() && (request.deadline_hours.or(request.budget_usd)).is_some() {
        let message = "a deadline and a budget are for a number of tokens: give --tokens";
        return Err(Error::new(ErrorCode::BadValue, message));
    }
    Ok(Limits {
        tokens: request.tokens,
        deadline_hours: request.deadline_hours,
        budget: request
            .budget_usd
            .map(|usd| Usd::from_decimal(usd).unwrap_or(Usd(u64::MAX))),
    })
}

fn points(
    catalog: &Catalog<'_>,
    choices: &[Choice],
    front: &[Option<bool>],
    by_total: bool,
) -> Vec<Point> {
    let known = choices.iter().zip(front).filter_map(|(choice, is_pareto)| {
        let offer = catalog.offer(choice.machine.offer);
        Some(Point {
            usd: choice.cost(by_total).decimal(),
            tokens_per_s: choice.model.tokens_per_s?,
            is_pareto: *is_pareto == Some(true),
            spec: spec_of(catalog, &choice.machine),
            provider: catalog
                .str(catalog.provider(offer.provider).name)
                .to_owned(),
        })
    });
    known.collect()
}

fn row<'c>(
    catalog: &Catalog<'c>,
    work: &ModelRun,
    constraints: &Request,
    rank: usize,
    choice: &Choice,
    is_pareto: Option<bool>,
) -> RecommendOut<'c> {
    let machine = &choice.machine;
    let is_asked = |region| {
        let filter = constraints.regions.as_ref();
        filter.is_none_or(|filter| filter.allows(region))
    };
    let spec = spec_of(catalog, machine);
    let count = machine.count.whole_devices().max(1);
    let mut sizer = Sizer::new(catalog, machine.accelerator, work);
    if let Some(part) = &choice.part {
        sizer = sizer.part(part);
    }
    let ModelFit {
        fitted,
        tokens_per_s,
        ..
    } = &choice.model;
    let fit = sizing::out(catalog, machine.accelerator, count, work, &sizer, fitted);
    let rounded = |usd: f64| Num((usd * 1e4).round() / 1e4);
    let usd = choice.usd_per_hour.decimal();
    RecommendOut {
        rank,
        offer: contract::offer(catalog, &spec, machine, is_asked, false),
        spec,
        usd_per_hour: Some(Num(usd)),
        usd_per_million_tokens: tokens_per_s.map(|rate| rounded(usd / rate / 3600.0 * 1e6)),
        tokens_per_s: tokens_per_s.map(rate),
        hours: choice.hours.map(rounded),
        usd_total: choice.usd_total().map(|usd| rounded(usd.decimal())),
        pareto: is_pareto,
        fit: Some(fit),
        why: why(catalog, work, choice),
    }
}

/// The reasons for a machine: memory, layout, speed, and warnings.
fn why(catalog: &Catalog<'_>, work: &ModelRun, choice: &Choice) -> Vec<String> {
    let ModelFit {
        fitted,
        sequences,
        tokens_per_s,
    } = &choice.model;
    let each = if choice.machine.count.0 < 2000 {
        ""
    } else {
        " on each"
    };
    let mut why = vec![format!(
        "takes {:.1} to {:.1} GiB{each} of {:.1} usable",
        fitted.low / GIB,
        fitted.high / GIB,
        fitted.usable.unwrap_or_default() / GIB
    )];
    let host = choice.model.host_gib(&choice.machine);
    if host > 0.0 {
        let unknown = choice.machine.host_memory_gib(catalog).is_none();
        let remark = if unknown {
            ", which is unknown here"
        } else {
            ""
        };
        why.push(format!("needs {host:.0} GiB of host memory{remark}"));
    }
    let layout = spread(&fitted.layout);
    if !layout.is_empty() {
        why.push(layout);
    }
    if let Some(tokens_per_s) = tokens_per_s {
        let rate = number(rate(*tokens_per_s).0);
        why.push(if work.run.workload.is_training() {
            format!("trains on about {rate} tokens/s")
        } else {
            let plural = if *sequences > 1.0 { "s" } else { "" };
            let sequences = number(*sequences);
            format!("serves about {rate} tokens/s in total to {sequences} sequence{plural} at once")
        });
    }
    let support = |format: &str| supports(catalog, choice.machine.accelerator, format);
    if work.precision == "bf16" && support("bf16") == Support::No && support("fp16") == Support::Yes
    {
        why.push("as fp16: it has no bf16".to_owned());
    }
    if choice.machine.is_region_unverified() {
        why.push("its region is not known".to_owned());
    }
    if let Some(bound) = fitted.speed.bound {
        why.push(format!("bound by {}", bound.word()));
    }
    why
}

/// The rule of thumb for a model of that size, and how the computed answer differs.
fn guide_note(
    catalog: &Catalog<'_>,
    work: &ModelRun,
    best: Option<&RecommendOut<'_>>,
) -> Option<Note> {
    let parameters = work.model.shape.parameters().total() / 1e9;
    let (row, _) = size_row(catalog, parameters)?;
    let (minimum, recommended) = (catalog.str(row.minimum), catalog.str(row.recommended));
    let message = format!(
        "the rule of thumb for {} is at least {minimum}, better {recommended}, whatever the model and the work; for {}, the computed first choice is {}",
        catalog.str(row.title),
        work.model.name,
        best?.spec
    );
    Some(Note::new("guide", message))
}

/// `inference of 13B in bf16: 2 × RTX 3090 on Vast.ai, $0.30 per hour`.
fn summary(
    catalog: &Catalog<'_>,
    work: &ModelRun,
    best: &RecommendOut<'_>,
    money: &Money<'_>,
) -> String {
    let cost = match (best.usd_total, best.hours) {
        (Some(usd), Some(hours)) => {
            format!("{} in total, {} hours", money.text(usd), figure(hours.0))
        }
        _ => best
            .usd_per_hour
            .map_or_else(String::new, |usd| format!("{} per hour", money.text(usd))),
    };
    format!(
        "{} of {} in {}: {}, {cost}",
        work.run.workload.word(),
        work.model.name,
        work.precision,
        machine_in_words(catalog, &best.offer)
    )
}

/// `8 × RTX 3090 on Vast.ai`, or `p5.48xlarge (8 × H100-80GB-SXM) on AWS`.
fn machine_in_words(catalog: &Catalog<'_>, offer: &OfferOut<'_>) -> String {
    let provider = catalog
        .provider_named(offer.provider)
        .map(|id| catalog.provider(id));
    let seller = provider.map_or(offer.provider, |row| catalog.str(row.name));
    let count = number(offer.count.0);
    match provider.map(|row| row.sells) {
        Some(Sells::InstanceTypes) => format!(
            "{} ({count} × {}) on {seller}",
            offer.instance_type, offer.accelerator
        ),
        _ => format!("{count} × {} on {seller}", offer.instance_type),
    }
}

#[cfg(test)]
mod tests {
    use super::super::Objective;
    use super::*;
    use crate::sizing::{ModelSize, ModelSource, RunRequest};

    fn ask(size: &str, objective: Objective) -> Recommendation<'static> {
        let request = RecommendRequest {
            run: RunRequest {
                model: Some(ModelSource::Size(ModelSize::parse(size).unwrap())),
                ..RunRequest::default()
            },
            objective,
            ..RecommendRequest::default()
        };
        Engine::embedded().recommend(&request, None).unwrap()
    }

    #[test]
    fn the_objective_decides_the_order() {
        let cost = ask("13B", Objective::Cost);
        let usd: Vec<f64> = cost
            .envelope
            .results
            .iter()
            .filter_map(|row| Some(row.usd_per_hour?.0))
            .collect();
        assert!(usd.is_sorted() && usd.len() == ROWS, "{usd:?}");
        let speed = ask("13B", Objective::Speed);
        let rates: Vec<f64> = speed
            .envelope
            .results
            .iter()
            .filter_map(|row| Some(-row.tokens_per_s?.0))
            .collect();
        assert!(rates.is_sorted() && rates.len() == ROWS, "{rates:?}");
    }

    #[test]
    fn points_begin_with_the_results_and_mark_the_front() {
        let found = ask("8B", Objective::Cost);
        for (row, point) in found.envelope.results.iter().zip(&found.points) {
            assert_eq!(row.spec, point.spec);
            assert_eq!(row.pareto, Some(point.is_pareto));
        }
        assert!(found.points.len() > found.envelope.results.len());
        assert!(found.summary.is_some_and(|text| text.contains(" × ")));
    }

    #[test]
    fn what_cannot_be_is_refused() {
        let request = RecommendRequest {
            deadline_hours: Some(-1.0),
            run: RunRequest {
                model: Some(ModelSource::Name("Llama-3.1-8B".to_owned())),
                ..RunRequest::default()
            },
            ..RecommendRequest::default()
        };
        let error = Engine::embedded().recommend(&request, None).unwrap_err();
        assert_eq!(error.problems[0].code, ErrorCode::BadValue);
    }
}
