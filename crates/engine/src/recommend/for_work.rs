//! Recommendations for a kind of work, from the rules of thumb.

use sky_accel_core::catalog::{Catalog, Status};
use sky_accel_core::guide::workload_rows;
use sky_accel_core::note::Note;
use sky_accel_core::resolve::{Match, Request, resolve};
use sky_accel_core::suggest;

use super::{Recommendation, WorkRequest};
use crate::code::ErrorCode;
use crate::contract::{
    self, Envelope, HourlyPriceOut, Num, RecommendEcho, RecommendOut, RecommendParts,
};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::recommend_words::Basis;
use crate::specs::read_spec;

/// The default limit of offers per pick.
const OFFERS_PER_PICK: usize = 3;

/// A spec of the guide, with its reason.
struct GuidePick {
    spec: String,
    why: String,
}

impl<'c> Engine<'c> {
    /// Offers of the accelerators that the guide picks for a kind of work, the cheapest first.
    ///
    /// # Errors
    ///
    /// A kind of work that the guide does not have, or an unknown provider or region.
    pub fn recommend_for_work(&self, request: &WorkRequest) -> Result<Recommendation<'c>> {
        let catalog = self.catalog();
        request.offers.check_live(false)?;
        let mut notes = vec![Note::new(
            "rule-of-thumb",
            "from the rule-of-thumb guide (recommend --guide), which considers the kind of work but not the model",
        )];
        let picks = for_workload(&catalog, &request.work)?;
        let constraints = request.offers.request(&catalog, self.today())?;
        let money = request.offers.money(&catalog)?;
        let (mut results, left_off, has_verified) = collect(
            &catalog,
            &picks,
            (&constraints, request.offers.hours),
            &mut notes,
        )?;
        for row in &mut results {
            money.restate(&mut row.offer);
        }
        let understood = RecommendEcho {
            run: None,
            workload: Some(request.work.clone()),
            objective: None,
            basis: None,
            limits: None,
            on: None,
            nodes: None,
            tier: None,
            accept_tight: None,
            tokens: None,
            deadline_hours: None,
            budget_usd: None,
            compared_with: None,
            own: None,
            bill: None,
            offers: request.offers.understood(&catalog, &constraints),
        };
        let considered = results.len() + left_off;
        let summary = (!results.is_empty()).then(|| format!("For {}", request.work));
        let envelope = Envelope::new("sky-accel.recommend.v1", &catalog, understood, results);
        let mut envelope = envelope
            .with_overridden(self.overlaid(), None)
            .with_notes(notes)
            .with_notes(self.commitment_notes());
        envelope.left_off = Some(left_off);
        Ok(Recommendation {
            envelope: envelope.with_more(RecommendParts::default()),
            summary,
            service: None,
            below: Vec::new(),
            points: Vec::new(),
            basis: Basis::Hour,
            considered,
            sized: 0,
            two_machines: None,
            has_verified,
        })
    }
}

/// The offers of all picks, the cheapest first.
fn collect<'a>(
    catalog: &Catalog<'a>,
    picks: &[GuidePick],
    (request, hours): (&Request, Option<Num>),
    notes: &mut Vec<Note>,
) -> Result<(Vec<RecommendOut<'a>>, usize, bool)> {
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
            catalog.offer(m.offer).status == Status::Offered
                && m.ranking_price(request.capacity_filter).is_some()
        });
        left_off += rentable.len().saturating_sub(per_pick);
        rentable.truncate(per_pick);
        let before = found.len();
        found.extend(rentable.into_iter().map(|machine| {
            let spec = &wanted[machine.choice].spec;
            let row = guide_row(catalog, pick, (request, hours), spec, &machine);
            (machine, row)
        }));
        if found.len() == before {
            notes.push(Note::new(
                "unsold",
                format!("no priced offer for {} within the limits", pick.spec),
            ));
        }
    }
    // Offers break ties, so that the order is total.
    found.sort_by_key(|(machine, _)| {
        let usd = machine.ranking_price(request.capacity_filter);
        (
            machine.is_region_unverified(),
            usd,
            machine.offer,
            machine.count,
            machine.accelerator,
        )
    });
    if let Some(limit) = request.limit {
        left_off += found.len().saturating_sub(limit);
        found.truncate(limit);
    }
    for (at, (_, row)) in found.iter_mut().enumerate() {
        row.rank = at + 1;
    }
    let has_verified = found.iter().any(|(m, _)| !m.is_region_unverified());
    let rows = found.into_iter().map(|(_, row)| row);
    Ok((rows.collect(), left_off, has_verified))
}

/// Returns the row of a machine that the guide picks. The guide sizes nothing, so the row has no figures of a fit.
fn guide_row<'a>(
    catalog: &Catalog<'a>,
    pick: &GuidePick,
    (request, hours): (&Request, Option<Num>),
    spec: &str,
    machine: &Match,
) -> RecommendOut<'a> {
    let is_asked = |region| {
        request
            .regions
            .as_ref()
            .is_none_or(|filter| filter.allows(region))
    };
    let mut offer = contract::offer(
        catalog,
        request.likely.as_ref(),
        spec,
        machine,
        is_asked,
        false,
    );
    offer.add_total(catalog, machine, request.capacity_filter, hours);
    let quote = machine.ranking_quote(request.capacity_filter);
    let price = quote.map(|quote| HourlyPriceOut::of(quote.likely, 1));
    RecommendOut {
        rank: 0,
        spec: pick.spec.clone(),
        precision: None,
        kv_precision: None,
        max_num_seqs: None,
        max_batched_tokens: None,
        gpu_memory_utilization: None,
        checkpoint: None,
        quality_losses: Vec::new(),
        nodes: None,
        interconnect: None,
        tier: None,
        hours: offer.hours,
        bill: None,
        billed_hours: offer.billed_hours,
        usd_total: offer.usd_total,
        offer,
        usd_per_hour: price.map(|price| price.usd_per_hour),
        low: price.map(|price| price.low),
        high: price.map(|price| price.high),
        ranking_cost: None,
        usd_per_million_tokens: None,
        usd_per_item: None,
        seconds_per_item: None,
        tokens_per_s: None,
        tokens_per_s_per_user: None,
        ttft_s: None,
        max_users: None,
        pareto: None,
        fit: None,
        why: vec![pick.why.clone()],
    }
}

fn for_workload(catalog: &Catalog<'_>, workload: &str) -> Result<Vec<GuidePick>> {
    let rows = workload_rows(catalog, workload);
    if rows.is_empty() {
        let mut words: Vec<&str> = Vec::new();
        for flag in catalog
            .guide_workloads
            .iter()
            .flat_map(|row| catalog.strings(row.flags))
        {
            if !words.contains(&flag) {
                words.push(flag);
            }
        }
        let near = suggest::closest(workload, words.iter().copied());
        let message = format!("unknown `workload` '{workload}'");
        let error = Error::new(ErrorCode::UnknownWorkload, message);
        return Err(error.hint(if near.is_empty() {
            words.into_iter().map(str::to_owned).collect()
        } else {
            near
        }));
    }
    let picks = rows.iter().flat_map(|row| {
        catalog.strings(row.pick).map(|spec| GuidePick {
            spec: spec.to_owned(),
            why: format!("{}: {}", catalog.str(row.title), catalog.str(row.because)),
        })
    });
    Ok(picks.collect())
}
