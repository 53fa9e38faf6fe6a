//! `bill`: what the use of the machines of a spec costs, line by line.

mod lines;
mod order;
mod usage;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

use serde::Serialize;
use sky_accel_core::bill::{AfterTerm, Bill, CommittedTerm, HostCost, Rented, Usage, bill};
use sky_accel_core::bind::BoundChoice;
use sky_accel_core::catalog::{CapacityType, Catalog, Term};
use sky_accel_core::money::Usd;
use sky_accel_core::note::Note;
use sky_accel_core::resolve::{CapacityFilter, Match, Quote, Request, rank_before_price, resolve};
use sky_accel_core::text::{counted, some_of};

use order::{Sums, UsualAmounts};

use crate::code::ErrorCode;
use crate::commitments;
use crate::contract::{self, BillOut, BilledOut, CommitmentOut, Envelope, Num};
use crate::engine::Engine;
use crate::error::{Error, Result};
use crate::filter::{MAX_NODES, OfferFilter};
use crate::money::Money;
use crate::resolve::{MAX_ROWS, too_many_rows};
use crate::sizing::{self, ModelHub, ModelRun, RunRequest};
use crate::specs::{Spec, bind, canonical};
use crate::too_old::NewestPrice;

pub use usage::BillUse;

/// The seconds of a day.
const DAY_S: u64 = 86_400;

/// A request for bills.
#[derive(Clone, Debug, Default)]
pub struct BillRequest {
    /// The specs.
    pub specs: Vec<Spec>,
    /// The filter on offers. Its hours do not apply. With `commit`, machines are billed at the prices of commitments.
    pub offers: OfferFilter,
    /// The use.
    pub usage: BillUse,
    /// The model whose checkpoint is downloaded; `None` without a download.
    pub run: Option<RunRequest>,
    /// The number of machines; `None` for one.
    pub nodes: Option<u32>,
    /// The notes on the answer that the specs were read from.
    pub notes: Vec<Note>,
}

/// The request as it was understood.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct BillEcho {
    /// The specs in canonical form.
    pub specs: Vec<String>,
    /// The filter on offers.
    #[serde(flatten)]
    pub offers: OfferFilter,
    /// The use.
    #[serde(rename = "use")]
    pub usage: BillUse,
    /// The bytes of the checkpoint that is downloaded. Omitted without a download.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub checkpoint_bytes: Option<u64>,
    /// The number of machines. Omitted for one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nodes: Option<u32>,
}

/// The bills of the machines of all specs.
#[derive(Debug)]
pub struct BillAnswer<'c> {
    /// The JSON document.
    pub envelope: Envelope<'c, BillEcho, BilledOut<'c>>,
    /// The bills of each spec, as a range of the results.
    pub of_specs: Vec<Range<usize>>,
    /// The error of an answer without bills because all prices are older than `max_age`.
    pub too_old: Option<Error>,
    /// The currency for people.
    pub money: Money<'c>,
}

/// A match with its bill, before it has its place.
struct Drafted<'c> {
    before_price: u64,
    /// The total that ranks it.
    compared: Usd,
    out: BilledOut<'c>,
}

impl<'c> Engine<'c> {
    /// Computes the bill of each machine that matches a spec, and ranks the machines by their likely totals.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::Spec`](crate::ErrorCode::Spec) for invalid specs, errors of the filter as for [`Engine::resolve`],
    /// and [`ErrorCode::BadValue`](crate::ErrorCode::BadValue) for a use whose fields contradict each other or are
    /// shorter than the term of a commitment; [`ErrorCode::TooManyRows`](crate::ErrorCode::TooManyRows) if the bills of
    /// several specs have more than 200,000 rows and lines.
    pub fn bill(
        &self,
        request: &BillRequest,
        hub: Option<&ModelHub<'_>>,
    ) -> Result<BillAnswer<'c>> {
        self.bill_within(request, hub, MAX_ROWS)
    }

    fn bill_within(
        &self,
        request: &BillRequest,
        hub: Option<&ModelHub<'_>>,
        max_rows: usize,
    ) -> Result<BillAnswer<'c>> {
        let catalog = self.catalog();
        request.offers.check_live(false)?;
        if let Some(nodes) = request
            .nodes
            .filter(|nodes| !(1..=MAX_NODES).contains(nodes))
        {
            let message = format!("a bill is for 1 to {MAX_NODES} machines, not {nodes}");
            return Err(Error::new(ErrorCode::BadValue, message));
        }
        let (specs, repeated) = without_repeats(bind(&catalog, &request.specs)?);
        let checkpoint = match &request.run {
            Some(run) => Some(checkpoint_bytes(&catalog, run, hub)?),
            None => None,
        };
        commitments::check_use(&catalog, &request.usage)?;
        let usage = request.usage.usage(checkpoint)?;
        let filter = OfferFilter {
            hours: None,
            limit: None,
            ..request.offers.clone()
        };
        let constraints = filter.request(&catalog, self.today())?;
        let echo = BillEcho {
            specs: specs.iter().map(|choices| canonical(choices)).collect(),
            offers: OfferFilter {
                limit: request.offers.limit,
                ..filter.understood(&catalog, &constraints)
            },
            usage: request.usage.clone(),
            checkpoint_bytes: usage.download.map(|download| download.bytes),
            nodes: request.nodes,
        };
        let mut results = Vec::new();
        let mut notes = request.notes.clone();
        notes.extend(repeated);
        let mut of_specs = Vec::with_capacity(specs.len());
        let (mut unpriced, mut left_off, mut count) = (Vec::new(), 0, 0);
        let mut newest_old = None;
        for choices in &specs {
            self.go_on()?;
            notes.extend(choices.iter().flat_map(|choice| choice.notes.clone()));
            let mut rows = billed(
                &catalog,
                choices,
                &constraints,
                (&usage, request.nodes),
                &mut unpriced,
            );
            if rows.is_empty() {
                newest_old =
                    newest_old.or_else(|| NewestPrice::of(&catalog, choices, &constraints));
            }
            notes.extend(order_note(&rows));
            let limit = request
                .offers
                .limit
                .map_or(rows.len(), |limit| limit as usize);
            left_off += rows.len().saturating_sub(limit);
            rows.truncate(limit);
            let start = results.len();
            results.extend(rows);
            of_specs.push(start..results.len());
            // The lines of a bill are rows too.
            count += results[start..]
                .iter()
                .map(|row| 1 + row.bill.lines.len())
                .sum::<usize>();
            if specs.len() > 1 && count > max_rows {
                return Err(too_many_rows(of_specs.len(), max_rows));
            }
        }
        if catalog.commitment_filter().is_some() {
            notes.extend(self.uncommitted_note(&unpriced));
            notes.extend(self.commitment_notes());
        } else {
            notes.extend(unpriced_note(unpriced.len()));
        }
        let too_old = newest_old.filter(|_| results.is_empty());
        let mut envelope = Envelope::new("sky-accel.bill.v1", &catalog, echo, results);
        envelope.left_off = request.offers.limit.map(|_| left_off);
        Ok(BillAnswer {
            envelope: envelope
                .with_overridden(self.overlaid(), None)
                .with_notes(notes),
            of_specs,
            too_old: too_old.map(|newest| newest.error(false)),
            money: request.offers.money(&catalog)?,
        })
    }
}

/// Returns each spec once, and a note on repeated specs.
fn without_repeats(
    specs: Vec<Cow<'_, [BoundChoice]>>,
) -> (Vec<Cow<'_, [BoundChoice]>>, Option<Note>) {
    let mut given: BTreeMap<String, usize> = BTreeMap::new();
    let mut kept = Vec::with_capacity(specs.len());
    for choices in specs {
        let times = given.entry(canonical(&choices)).or_default();
        *times += 1;
        if *times == 1 {
            kept.push(choices);
        }
    }
    given.retain(|_, times| *times > 1);
    let repeated: Vec<String> = given
        .iter()
        .map(|(spec, times)| format!("{spec} ({times} times)"))
        .collect();
    let note = (!repeated.is_empty()).then(|| {
        let repeated: Vec<&str> = repeated.iter().map(String::as_str).collect();
        let message = format!("listed once: {}", some_of(&repeated));
        Note::new("spec-repeated", message)
    });
    (kept, note)
}

/// Returns the bills of the matches of a spec, the lowest compared total first among machines that rank alike before
/// their price. Matches without a price are added to `unpriced`.
fn billed<'c>(
    catalog: &Catalog<'c>,
    choices: &[BoundChoice],
    constraints: &Request,
    usage: (&Usage, Option<u32>),
    unpriced: &mut Vec<Match>,
) -> Vec<BilledOut<'c>> {
    let answer = resolve(catalog, choices, constraints);
    let mut drafts = Vec::with_capacity(answer.matches.len());
    for found in answer.matches {
        match drafted(
            catalog,
            choices,
            constraints,
            usage,
            &found,
            drafts.len() + 1,
        ) {
            Some(draft) => drafts.push(draft),
            None => unpriced.push(found),
        }
    }
    let sums: Vec<Sums> = drafts
        .iter()
        .map(|draft| Sums::from(&draft.out.bill))
        .collect();
    let usual = UsualAmounts::of(&sums.iter());
    for (draft, sums) in drafts.iter_mut().zip(&sums) {
        draft.compared = usual.compared(sums);
        let total = Num(draft.compared.decimal());
        draft.out.ranking_cost =
            Some(total).filter(|total| *total != draft.out.bill.usd_total_likely);
    }
    // The sort is stable: equal totals keep the order of prices.
    drafts.sort_by_key(|draft| (draft.before_price, draft.compared));
    drafts.into_iter().map(|draft| draft.out).collect()
}

fn drafted<'c>(
    catalog: &Catalog<'c>,
    choices: &[BoundChoice],
    constraints: &Request,
    (usage, nodes): (&Usage, Option<u32>),
    found: &Match,
    price_rank: usize,
) -> Option<Drafted<'c>> {
    let quote = found.ranking_quote(constraints.capacity_filter)?;
    let price = catalog.price(quote.price);
    let offer = catalog.offer(found.offer);
    let bill = of_quote(catalog, found, quote, nodes.unwrap_or(1), usage);
    let out = BilledOut {
        spec: choices[found.choice].spec.clone(),
        provider: catalog.provider_id(offer.provider),
        instance_type: catalog.str(offer.id),
        url: contract::link_of(catalog, &offer, quote.region),
        accelerator: catalog.accelerator_id(found.accelerator),
        count: Num(found.count.decimal()),
        nodes,
        region: quote.region.map(|region| catalog.region_id(region)),
        capacity_type: price.capacity,
        usd_per_hour: Num(quote.usd.decimal()),
        likely_usd_per_hour: Num(quote.likely.usd.decimal()),
        low: Num(quote.likely.low().decimal()),
        high: Num(quote.likely.high().decimal()),
        sources: price.sources,
        tier: catalog.tier(&offer, &price),
        price_kind: price.kind,
        price_quality: price.quality,
        as_of: catalog.str(price.as_of),
        age_days: quote.age_days,
        price_rank,
        commitment: contract::ranking_commitment(catalog, constraints.likely.as_ref(), found),
        sells: offer.kind,
        status: offer.status,
        reasons: found.reasons.clone(),
        ranking_cost: None,
        bill,
        may_be_overlaid: catalog.may_be_overlaid(found.offer),
    };
    Some(Drafted {
        before_price: rank_before_price(catalog, found, constraints),
        compared: Usd::default(),
        out,
    })
}

/// Returns the bill of machines of a match, at the price that ranks it; `None` without a price.
pub(crate) fn of_match<'c>(
    catalog: &Catalog<'c>,
    found: &Match,
    filter: CapacityFilter,
    machines: u32,
    usage: &Usage,
) -> Option<BillOut<'c>> {
    let quote = found.ranking_quote(filter)?;
    Some(of_quote(catalog, found, quote, machines, usage))
}

/// Returns the bill of machines of a match at a price.
pub(crate) fn of_quote<'c>(
    catalog: &Catalog<'c>,
    machine: &Match,
    quote: Quote,
    machines: u32,
    usage: &Usage,
) -> BillOut<'c> {
    let commitment = contract::ranking_commitment(catalog, None, machine);
    let rented = rented(catalog, machine, quote, machines, commitment.as_deref());
    let likely = Rented {
        usd_per_hour: quote.likely.usd,
        ..rented
    };
    let found = bill(catalog, &rented, usage);
    let likely_total = if quote.likely.usd == quote.usd {
        found.total
    } else {
        bill(catalog, &likely, usage).total
    };
    lines::out(
        &lines::Writer {
            catalog,
            rented: &rented,
            usage,
            price: &catalog.price(quote.price),
            commitment: commitment.as_deref(),
            host: catalog.host_of(&rented.offer, machine.accelerator, machine.count),
        },
        &found,
        likely_total,
    )
}

/// Returns machines of a match at the stated price of a quote.
fn rented(
    catalog: &Catalog<'_>,
    found: &Match,
    quote: Quote,
    machines: u32,
    commitment: Option<&CommitmentOut<'_>>,
) -> Rented {
    Rented {
        offer: catalog.offer(found.offer),
        region: quote.region,
        usd_per_hour: quote.usd,
        host: host_cost(catalog, found, quote),
        machines,
        term: commitment.and_then(|commitment| committed_term(catalog, commitment)),
    }
}

/// Returns the price of the host of attached accelerators where the accelerators are; `None` for whole machines.
pub(crate) fn host_cost(catalog: &Catalog<'_>, found: &Match, quote: Quote) -> Option<HostCost> {
    let offer = catalog.offer(found.offer);
    let host = catalog.host_of(&offer, found.accelerator, found.count)?;
    let price = host.price(catalog, quote.region);
    let is_spot = catalog.price(quote.price).capacity == CapacityType::Spot;
    let usd = price.and_then(|price| {
        if is_spot {
            price.spot_usd_per_vcpu
        } else {
            Some(price.usd_per_vcpu)
        }
    });
    Some(HostCost(
        usd.map(|usd| Usd(usd.0.saturating_mul(host.vcpu.into()))),
    ))
}

/// Machines of a match at a price, and their use.
pub(crate) struct UsedMachines<'m> {
    pub found: &'m Match,
    pub quote: Quote,
    pub machines: u32,
    pub usage: Usage,
}

/// The total of a bill at likely prices.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BillTotal {
    /// The total that ranks it: lines that are not known count as in other bills.
    pub ranking: Usd,
    /// The total of the known lines.
    pub known: Usd,
    /// False if a line is not known.
    pub is_complete: bool,
}

/// Returns the totals of bills that rank machines; `None` for machines without a price.
pub(crate) fn ranking_totals(
    catalog: &Catalog<'_>,
    machines: &[Option<UsedMachines<'_>>],
) -> Vec<Option<BillTotal>> {
    let sums = machines.iter().map(|machines| {
        let of = machines.as_ref()?;
        let commitment = contract::ranking_commitment(catalog, None, of.found);
        let rented = Rented {
            usd_per_hour: of.quote.likely.usd,
            ..rented(
                catalog,
                of.found,
                of.quote,
                of.machines,
                commitment.as_deref(),
            )
        };
        let bill = bill(catalog, &rented, &of.usage);
        Some((Sums::from(&bill), bill))
    });
    let bills: Vec<Option<(Sums, Bill)>> = sums.collect();
    let usual = UsualAmounts::of(&bills.iter().flatten().map(|(sums, _)| sums));
    let totals = bills.iter().map(|of| {
        let (sums, bill) = of.as_ref()?;
        Some(BillTotal {
            ranking: usual.compared(sums),
            known: bill.total.rounded(),
            is_complete: bill.missing().next().is_none(),
        })
    });
    totals.collect()
}

/// Says how bills change the order of machines by their price. Both have the names of all machines.
pub(crate) fn reordered_note(by_price: &[String], by_bill: &[String]) -> Option<Note> {
    let mut pairs = by_price.iter().zip(by_bill);
    let at = pairs.position(|(by_price, by_bill)| by_price != by_bill)?;
    let message = if at == 0 {
        format!(
            "ranked by the whole bill, which changes the order: by its price, {} is first",
            by_price[0]
        )
    } else {
        let before = by_price.iter().position(|name| *name == by_bill[at])?;
        format!(
            "ranked by the whole bill, which changes the order below the first: by its price, {} is number {}",
            by_bill[at],
            before + 1
        )
    };
    Some(Note::new("bill-order", message))
}

/// Returns the term of a commitment; `None` for an open one.
fn committed_term(catalog: &Catalog<'_>, commitment: &CommitmentOut<'_>) -> Option<CommittedTerm> {
    let stated = Term::parse(&commitment.term).and_then(Term::days);
    let days = stated.or(catalog.commitment_filter()?.days)?;
    let usd = commitment.on_demand_usd_per_hour;
    Some(CommittedTerm {
        seconds: u64::from(days) * DAY_S,
        after: if commitment.ends_machines {
            AfterTerm::Ended
        } else {
            AfterTerm::OnDemand(usd.and_then(|usd| Usd::from_decimal(usd.0)))
        },
    })
}

/// Returns the bytes of the checkpoint of a model: of its files or, if they are not known, of its weights.
fn checkpoint_bytes(
    catalog: &Catalog<'_>,
    run: &RunRequest,
    hub: Option<&ModelHub<'_>>,
) -> Result<f64> {
    Ok(checkpoint_of(&sizing::read(catalog, run, hub)?))
}

/// Returns the bytes of the checkpoint of a run.
pub(crate) fn checkpoint_of(work: &ModelRun) -> f64 {
    let of_files = work.model.checkpoint_bytes;
    of_files.unwrap_or_else(|| sizing::weight_bytes(work))
}

/// Says how the bill changes the order of prices.
fn order_note(rows: &[BilledOut<'_>]) -> Option<Note> {
    let first = rows.first()?;
    if first.price_rank == 1 {
        let other = rows
            .windows(2)
            .find(|pair| pair[0].price_rank > pair[1].price_rank)?;
        let message = format!(
            "the bill changes the order below the first: {} {} is number {} by its price",
            other[0].provider, other[0].instance_type, other[0].price_rank
        );
        return Some(Note::new("bill-order", message));
    }
    let cheapest = rows.iter().position(|row| row.price_rank == 1)?;
    let name = |row: &BilledOut<'_>| format!("{} {}", row.provider, row.instance_type);
    let message = format!(
        "the bill changes the order: {} has the lowest price per hour and is number {} by its total; {} is number {} by its price",
        name(&rows[cheapest]),
        cheapest + 1,
        name(first),
        first.price_rank
    );
    Some(Note::new("bill-order", message))
}

fn unpriced_note(unpriced: usize) -> Option<Note> {
    (unpriced > 0).then(|| {
        let message = format!("{} without a price left out", counted(unpriced, "offer"));
        Note::new("bill-without-price", message)
    })
}

#[cfg(test)]
mod tests {
    use sky_accel_core::catalog::{OfferKind, Status};

    use super::*;

    #[test]
    fn bills_of_several_specs_have_a_maximum_number_of_rows() {
        let engine = Engine::embedded();
        let mut request = BillRequest {
            specs: vec!["H100".into()],
            usage: BillUse {
                hours: Some(contract::Num(10.0)),
                ..BillUse::default()
            },
            ..BillRequest::default()
        };
        // The catalog bounds the bills of one spec.
        let answer = engine.bill_within(&request, None, 10).unwrap();
        let rows = answer.envelope.results.len();
        assert!(rows > 10, "{rows}");
        request.specs.push("L4".into());
        let error = engine.bill_within(&request, None, 10).unwrap_err();
        assert_eq!(error.problems[0].code, ErrorCode::TooManyRows);
        assert!(engine.bill(&request, None).is_ok());
        // Lines count too.
        assert!(engine.bill_within(&request, None, 2 * rows).is_err());
    }

    #[test]
    fn bills_are_in_the_order_of_the_cost_that_they_show() {
        let request = BillRequest {
            specs: vec!["H100".into()],
            usage: BillUse {
                month: true,
                storage_gb: Some(contract::Num(5_000.0)),
                ..BillUse::default()
            },
            ..BillRequest::default()
        };
        let answer = Engine::embedded().bill(&request, None).unwrap();
        let rows = &answer.envelope.results;
        let is_sure = |row: &&BilledOut<'_>| {
            !row.reasons.iter().any(|reason| reason.is_doubt())
                && row.status == Status::Offered
                && row.sells == OfferKind::Machine
        };
        let costs: Vec<f64> = rows
            .iter()
            .filter(is_sure)
            .map(|row| row.ranking_cost.unwrap_or(row.bill.usd_total_likely).0)
            .collect();
        assert!(costs.len() > 5 && costs.is_sorted(), "{costs:?}");
        let (known, unknown): (Vec<_>, Vec<_>) =
            rows.iter().partition(|row| row.bill.lines_not_known == 0);
        assert!(known.iter().all(|row| row.ranking_cost.is_none()));
        let adds = |row: &&BilledOut<'_>| {
            row.ranking_cost
                .is_some_and(|cost| cost.0 > row.bill.usd_total_likely.0)
        };
        assert!(unknown.iter().any(adds));
    }
}
