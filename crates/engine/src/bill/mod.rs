//! `bill`: what the use of the machines of a spec costs, line by line.

mod lines;
mod usage;

use serde::Serialize;
use sky_accel_core::bill::{Rented, Usage, bill};
use sky_accel_core::bind::BoundChoice;
use sky_accel_core::catalog::{Catalog, Offer, Price};
use sky_accel_core::money::Usd;
use sky_accel_core::note::Note;
use sky_accel_core::resolve::{CapacityFilter, Match, Quote, Request, rank_before_price, resolve};
use sky_accel_core::text::counted;

use crate::contract::{BillOut, BilledOut, Envelope, Num};
use crate::engine::Engine;
use crate::error::Result;
use crate::filter::OfferFilter;
use crate::money::Money;
use crate::sizing::{self, ModelHub, ModelRun, RunRequest};
use crate::specs::{Spec, bind, canonical};

pub use usage::BillUse;

/// A request for bills.
#[derive(Clone, Debug, Default)]
pub struct BillRequest {
    /// The specs.
    pub specs: Vec<Spec>,
    /// The filter on offers. Its hours do not apply.
    pub offers: OfferFilter,
    /// The use.
    pub usage: BillUse,
    /// The model whose checkpoint is downloaded; `None` without a download.
    pub run: Option<RunRequest>,
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
}

/// The bills of the machines of all specs.
#[derive(Debug)]
pub struct BillAnswer<'c> {
    /// The JSON document.
    pub envelope: Envelope<'c, BillEcho, BilledOut<'c>>,
    /// The currency for people.
    pub money: Money<'c>,
}

/// A match with its bill, before it has its place.
struct Drafted<'c> {
    before_price: u64,
    likely_total: Usd,
    out: BilledOut<'c>,
}

impl<'c> Engine<'c> {
    /// Computes the bill of each machine that matches a spec, and ranks the machines by their likely totals.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::Spec`](crate::ErrorCode::Spec) for invalid specs, errors of the filter as for
    /// [`Engine::resolve`], and [`ErrorCode::BadValue`](crate::ErrorCode::BadValue) for a use whose fields contradict
    /// each other.
    pub fn bill(
        &self,
        request: &BillRequest,
        hub: Option<&ModelHub<'_>>,
    ) -> Result<BillAnswer<'c>> {
        let catalog = self.catalog();
        let specs = bind(&catalog, &request.specs)?;
        let checkpoint = match &request.run {
            Some(run) => Some(checkpoint_bytes(&catalog, run, hub)?),
            None => None,
        };
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
        };
        let mut results = Vec::new();
        let mut notes = Vec::new();
        let (mut unpriced, mut left_off) = (0, 0);
        for choices in &specs {
            self.go_on()?;
            notes.extend(choices.iter().flat_map(|choice| choice.notes.clone()));
            let (mut rows, without_price) = billed(&catalog, choices, &constraints, &usage);
            unpriced += without_price;
            notes.extend(order_note(&rows));
            let limit = request
                .offers
                .limit
                .map_or(rows.len(), |limit| limit as usize);
            left_off += rows.len().saturating_sub(limit);
            rows.truncate(limit);
            results.extend(rows);
        }
        notes.extend(unpriced_note(unpriced));
        let mut envelope = Envelope::new("sky-accel.bill.v1", &catalog, echo, results);
        envelope.left_off = request.offers.limit.map(|_| left_off);
        Ok(BillAnswer {
            envelope: envelope
                .with_overridden(self.overlaid(), None)
                .with_notes(notes),
            money: request.offers.money(&catalog)?,
        })
    }
}

/// Returns the bills of the matches of a spec, the lowest likely total first among machines that rank alike before their
/// price, and the number of matches without a price.
fn billed<'c>(
    catalog: &Catalog<'c>,
    choices: &[BoundChoice],
    constraints: &Request,
    usage: &Usage,
) -> (Vec<BilledOut<'c>>, usize) {
    let answer = resolve(catalog, choices, constraints);
    let mut drafts = Vec::with_capacity(answer.matches.len());
    let mut unpriced = 0;
    for found in &answer.matches {
        match drafted(
            catalog,
            choices,
            constraints,
            usage,
            found,
            drafts.len() + 1,
        ) {
            Some(draft) => drafts.push(draft),
            None => unpriced += 1,
        }
    }
    // The sort is stable: equal totals keep the order of prices.
    drafts.sort_by_key(|draft| (draft.before_price, draft.likely_total));
    (
        drafts.into_iter().map(|draft| draft.out).collect(),
        unpriced,
    )
}

fn drafted<'c>(
    catalog: &Catalog<'c>,
    choices: &[BoundChoice],
    constraints: &Request,
    usage: &Usage,
    found: &Match,
    price_rank: usize,
) -> Option<Drafted<'c>> {
    let quote = found.ranking_quote(constraints.capacity_filter)?;
    let price = catalog.price(quote.price);
    let offer = catalog.offer(found.offer);
    let likely = Rented {
        offer,
        usd_per_hour: quote.likely.usd,
        machines: 1,
    };
    let likely_total = bill(catalog, &likely, usage).total.rounded();
    let out = BilledOut {
        spec: choices[found.choice].spec.clone(),
        provider: catalog.provider_id(offer.provider),
        instance_type: catalog.str(offer.id),
        accelerator: catalog.accelerator_id(found.accelerator),
        count: Num(found.count.decimal()),
        region: quote.region.map(|region| catalog.region_id(region)),
        capacity_type: price.capacity,
        usd_per_hour: Num(quote.usd.decimal()),
        likely_usd_per_hour: Num(quote.likely.usd.decimal()),
        price_rank,
        usd_total_likely: Num(likely_total.decimal()),
        reasons: found.reasons.clone(),
        bill: bill_out(catalog, &offer, &price, quote.usd, 1, usage),
        may_be_overlaid: catalog.may_be_overlaid(found.offer),
    };
    Some(Drafted {
        before_price: rank_before_price(catalog, found, constraints),
        likely_total,
        out,
    })
}

/// Returns the bill for machines of an offer at a price per hour.
fn bill_out<'c>(
    catalog: &Catalog<'c>,
    offer: &Offer,
    price: &Price,
    usd_per_hour: Usd,
    machines: u32,
    usage: &Usage,
) -> BillOut<'c> {
    let rented = Rented {
        offer: *offer,
        usd_per_hour,
        machines,
    };
    let found = bill(catalog, &rented, usage);
    lines::out(catalog, &found, &rented, price)
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
    found: &Match,
    quote: Quote,
    machines: u32,
    usage: &Usage,
) -> BillOut<'c> {
    let offer = catalog.offer(found.offer);
    let price = catalog.price(quote.price);
    bill_out(catalog, &offer, &price, quote.usd, machines, usage)
}

/// Says which of ranked rows has the lowest total, if it is not the first. Each row has a name and its bill.
pub(crate) fn lowest_note<'b, 'c: 'b>(
    rows: impl Iterator<Item = (String, &'b BillOut<'c>)>,
) -> Option<Note> {
    let totals = rows
        .map(|(name, bill)| (name, bill.usd_total.0))
        .enumerate();
    let totals: Vec<_> = totals.collect();
    let (place, (name, _)) = totals
        .iter()
        .min_by(|(_, (_, a)), (_, (_, b))| a.total_cmp(b))?;
    (*place > 0).then(|| {
        let message = format!(
            "by the whole bill, number {} costs the least: {name}",
            place + 1
        );
        Note::new("bill-order", message)
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
    let first = rows.first().filter(|first| first.price_rank != 1)?;
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
