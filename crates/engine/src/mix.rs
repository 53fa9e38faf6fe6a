//! `mix`: how much of a load with a base and peaks to reserve, to rent on demand, and to rent as spot.

use serde::Serialize;
use sky_accel_core::catalog::{
    Catalog, CommitmentBilling, CommitmentFilter, OfferKind, Quality, Status, Term, Upfront,
};
use sky_accel_core::load::{Load, MachinePrices, Mix, ProfileError};
use sky_accel_core::money::Usd;
use sky_accel_core::note::Note;
use sky_accel_core::resolve::{
    CapacityFilter, CommittedPrice, Match, Quote, Request, Setback, applies_in, matches,
    price_doubts, ranking_commitments,
};
use sky_accel_core::text::counted;

use crate::bill::host_cost;
use crate::code::ErrorCode;
use crate::commitments::days_of_term;
use crate::contract::{CommitmentOut, Envelope, Num, OfferOut, commitment_of};
use crate::engine::Engine;
use crate::error::{Error, Problem, Result, TextPosition};
use crate::filter::OfferFilter;
use crate::specs::{Spec, bind, canonical};
use crate::too_old::NewestPrice;

/// The hours of a month.
const MONTH: f64 = 730.0;
/// The least days of a term that can serve a load of months.
const MONTH_DAYS: u16 = 28;
/// The default term of commitments.
const TERM: &str = "1y";
/// The default number of rows.
const ROWS: usize = 10;

/// A load, and the machines that may serve it.
#[derive(Clone, Debug, Default)]
pub struct MixRequest {
    /// The machine, as a spec such as `H100:x8`.
    pub spec: String,
    /// The filter on offers. `commit` and `upfront` select the commitments.
    pub offers: OfferFilter,
    /// The weekly profile, such as `weekdays:9-18=8,else=2`.
    pub profile: Option<String>,
    /// The hours of a month for which each machine is needed, instead of a profile.
    pub base_hours: Vec<Num>,
    /// The maximum number of spot machines at once.
    pub spot: u32,
}

/// The request as it was understood.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MixEcho {
    /// The spec in canonical form.
    pub spec: String,
    /// The filter on offers, with the term and the payment of commitments.
    #[serde(flatten)]
    pub offers: OfferFilter,
    /// The weekly profile. Omitted without one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// The hours of a month for which each machine is needed. Omitted with a profile.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub base_hours: Vec<Num>,
    /// The greatest number of machines that are needed at once.
    pub machines: usize,
    /// The hours of all machines in a month of 730 hours.
    pub machine_hours: Num,
    /// The maximum number of spot machines at once.
    pub spot: u32,
}

/// Some machines of a mix.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MixPartOut {
    /// The number of machines: reserved, or the greatest number at once.
    pub machines: usize,
    /// Their hours of use in a month of 730 hours.
    pub hours: Num,
    /// The share of the time of these machines that is used.
    pub utilization: Num,
    /// US dollars in a month.
    pub usd_per_month: Num,
}

/// The cheapest mix of one kind of machine.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct MixOut<'a> {
    /// The machine, with its prices on demand and spot.
    #[serde(flatten)]
    pub offer: OfferOut<'a>,
    /// Machines that are reserved: they are paid in every hour.
    pub reserved: MixPartOut,
    /// The commitment of reserved machines; `null` if no price is known.
    pub commitment: Option<CommitmentOut<'a>>,
    /// Machines on demand.
    pub on_demand_machines: MixPartOut,
    /// Spot machines, which the provider may take back; used where they cost less than on demand.
    pub spot_machines: MixPartOut,
    /// The published rate at which spot machines are taken back. Omitted if it is not published.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interruption_rate: Option<&'a str>,
    /// US dollars per hour of a machine on demand that decide between the kinds of machines: the likely price of today
    /// or, with `price` stated, the price as last seen.
    pub on_demand_usd_per_hour: Num,
    /// US dollars per hour of a reserved machine; `null` if no price is known. A commitment that is
    /// a share of the price on demand is a share of `on_demand_usd_per_hour`.
    pub reserved_usd_per_hour: Option<Num>,
    /// The share of the time from which a reserved machine costs less than one on demand: `reserved_usd_per_hour` over
    /// `on_demand_usd_per_hour`. `null` if no price is known.
    pub break_even_utilization: Option<Num>,
    /// US dollars in a month of 730 hours for the whole load.
    pub usd_per_month: Num,
    /// The same with every machine on demand.
    pub usd_per_month_on_demand: Num,
    /// The same with every machine reserved; `null` if no price is known.
    pub usd_per_month_reserved: Option<Num>,
    /// US dollars that are paid at the start for all reserved machines; `null` if not known.
    pub upfront_usd: Option<Num>,
    /// True if a price is doubtful, so that the offer is after all others at any cost. Not serialized.
    #[serde(skip)]
    pub ranks_last: bool,
}

/// The mixes of the offers of a spec.
#[derive(Debug)]
pub struct MixAnswer<'c> {
    /// The JSON document.
    pub envelope: Envelope<'c, MixEcho, MixOut<'c>>,
    /// The error of an answer without offers because all prices are older than `max_age`.
    pub too_old: Option<Error>,
}

impl<'c> Engine<'c> {
    /// Finds the cheapest mix of reserved machines, machines on demand and spot machines for a load, for each offer of
    /// a spec; the cheapest offer is first, and offers with a doubtful price are last.
    ///
    /// # Errors
    ///
    /// [`ErrorCode::BadValue`] for a load that is not readable or missing, and for contradicting limits;
    /// [`ErrorCode::Spec`] for an invalid spec.
    pub fn mix(&self, request: &MixRequest) -> Result<MixAnswer<'c>> {
        let catalog = self.catalog();
        request.offers.check_live(false)?;
        let load = load(request)?;
        if request.offers.capacity_type != CapacityFilter::Unspecified {
            let message = format!(
                "`capacity_type` {} and a mix contradict each other: set the number of `spot` machines",
                request.offers.capacity_type
            );
            return Err(Error::new(ErrorCode::BadValue, message));
        }
        if request.offers.hours.is_some() {
            let message = "`hours` and a load contradict each other: the load states the hours";
            return Err(Error::new(ErrorCode::BadValue, message));
        }
        let term = request.offers.commit.clone().unwrap_or(TERM.to_owned());
        let filter = commitments(&catalog, &term, request)?;
        let on_demand = OfferFilter {
            commit: None,
            upfront: None,
            ..request.offers.clone()
        };
        let constraints = on_demand.request(&catalog, self.today())?;
        let asked = [Spec::from(request.spec.clone())];
        let specs = bind(&catalog, &asked)?;
        let wanted = specs
            .first()
            .map(std::borrow::Cow::as_ref)
            .unwrap_or_default();
        let found = matches(&catalog, wanted, &constraints);
        let mut unpriced = 0;
        let mut uncommitted = 0;
        let mut rows: Vec<(Setback, f64, MixOut<'c>)> = Vec::new();
        for machine in &found {
            self.go_on()?;
            let offer = catalog.offer(machine.offer);
            if offer.status == Status::Retired || offer.kind == OfferKind::Endpoint {
                continue;
            }
            let Some(machine_mix) =
                machine_mix(&catalog, (filter, &constraints), machine, &load, request)
            else {
                unpriced += 1;
                continue;
            };
            let choice = &wanted[machine.choice];
            let likely = constraints.likely.as_ref();
            let offer =
                crate::contract::offer(&catalog, likely, &choice.spec, machine, |_| true, false);
            let sold = catalog.offer(machine.offer);
            let of_prices = if machine_mix.is_weak {
                Setback::Price
            } else {
                Setback::None
            };
            let setback = Setback::of(&sold, machine.count, None, &machine.reasons).max(of_prices);
            uncommitted += usize::from(machine_mix.commitment.is_none());
            let usd_per_hour = machine_mix.usd_per_hour;
            let row = MixOut {
                ranks_last: setback != Setback::None,
                ..machine_mix.row(offer, &load)
            };
            rows.push((setback, usd_per_hour, row));
        }
        rows.sort_by(|(doubt, a, _), (other_doubt, b, _)| {
            doubt.cmp(other_doubt).then(a.total_cmp(b))
        });
        let limit = request.offers.limit.map_or(ROWS, |limit| limit as usize);
        let left_off = rows.len().saturating_sub(limit);
        let results: Vec<MixOut<'c>> = rows.into_iter().take(limit).map(|(.., row)| row).collect();
        let mut notes = notes(unpriced, uncommitted, &term);
        notes.extend(
            wanted
                .iter()
                .flat_map(|choice| choice.notes.iter().cloned()),
        );
        let understood = MixEcho {
            spec: canonical(wanted),
            offers: OfferFilter {
                commit: Some(term),
                upfront: request.offers.upfront,
                ..on_demand.understood(&catalog, &constraints)
            },
            profile: request.profile.clone(),
            base_hours: request.base_hours.clone(),
            machines: load.machines(),
            machine_hours: Num(load.share(0..load.machines()) * MONTH),
            spot: request.spot,
        };
        let envelope = Envelope::new("sky-accel.mix.v1", &catalog, understood, results);
        let envelope = envelope.with_overridden(self.overlaid(), None);
        let mut envelope = envelope.with_notes(notes);
        envelope.left_off = Some(left_off);
        let is_empty = envelope.results.is_empty();
        let newest = is_empty.then(|| NewestPrice::of(&catalog, wanted, &constraints));
        Ok(MixAnswer {
            envelope,
            too_old: newest.flatten().map(|newest| newest.error(false)),
        })
    }
}

/// Returns the commitments that a request asks for, which are for a month at least.
fn commitments(
    catalog: &Catalog<'_>,
    term: &str,
    request: &MixRequest,
) -> Result<CommitmentFilter> {
    let days = days_of_term(catalog, term)?;
    if days.is_some_and(|days| days < MONTH_DAYS) {
        let message = format!(
            "`commit` {term} is shorter than the month of the load: `resolve` and `bill` have prices of such terms"
        );
        return Err(Error::new(ErrorCode::BadValue, message));
    }
    Ok(CommitmentFilter {
        days,
        upfront: request.offers.upfront,
    })
}

/// Reads the load of a request.
fn load(request: &MixRequest) -> Result<Load> {
    let bad = |message: &str| Error::new(ErrorCode::BadValue, message);
    match (&request.profile, &request.base_hours[..]) {
        (Some(_), [_, ..]) => Err(bad(
            "`profile` and `base_hours` contradict each other: each states the whole load",
        )),
        (None, []) => Err(bad(
            "the load is missing: state it by the week with `profile`, such as weekdays:9-18=8,else=2, or by the hours of \
             a month of each machine with `base_hours`, such as 730,730,120",
        )),
        (Some(profile), []) => {
            Load::of_profile(profile).map_err(|error| of_profile(profile, error))
        }
        (None, hours) => {
            let hours: Vec<f64> = hours.iter().map(|hours| hours.0).collect();
            Load::of_monthly_hours(&hours).map_err(|hours| {
                bad(&format!(
                    "`base_hours` are hours of a month, above 0 and at most 730, not {hours}"
                ))
            })
        }
    }
}

/// Converts a fault of a profile to an error with its position.
fn of_profile(profile: &str, error: ProfileError) -> Error {
    let problem = Problem {
        place: Some(TextPosition {
            file: None,
            text: profile.to_owned(),
            span: error.span,
        }),
        ..Problem::new(ErrorCode::BadValue, format!("`profile`: {}", error.message))
    };
    Error::several(vec![problem])
}

/// The cheapest mix of one machine.
struct MachineMix<'c> {
    mix: Mix,
    prices: MachinePrices,
    commitment: Option<CommitmentOut<'c>>,
    interruption_rate: Option<&'c str>,
    usd_per_hour: f64,
    is_weak: bool,
}

/// Returns the cheapest mix; `None` without a price on demand.
fn machine_mix<'c>(
    catalog: &Catalog<'c>,
    (filter, constraints): (CommitmentFilter, &Request),
    machine: &Match,
    load: &Load,
    request: &MixRequest,
) -> Option<MachineMix<'c>> {
    let offer = catalog.offer(machine.offer);
    let quote = machine.on_demand?;
    // An attached accelerator is of no use without its host.
    let with_host = |quote: Quote| {
        let host = host_cost(catalog, machine, quote).and_then(|host| host.0);
        Usd(quote
            .likely
            .usd
            .0
            .saturating_add(host.map_or(0, |usd| usd.0)))
    };
    let host = with_host(quote).0 - quote.likely.usd.0;
    let on_demand = with_host(quote);
    let tier = catalog.price(quote.price).tier;
    let committed = ranking_commitments(catalog, &offer, filter)
        .into_iter()
        .filter(|price| {
            let program = catalog.program(&price.commitment);
            let term = price.commitment.term();
            let is_fixed = filter.days.is_some()
                || term.days().is_some_and(|days| days >= MONTH_DAYS)
                || term.until == Term::OPEN;
            applies_in(&price.commitment, quote.region)
                && price.commitment.tier.is_none_or(|of| of == tier)
                && program.billing == CommitmentBilling::WholeTerm
                && is_fixed
        })
        .filter_map(|price| {
            let usd = price.of_machine(machine.count, Some(quote.likely.usd))?;
            Some((Usd(usd.0.saturating_add(host)), price))
        })
        .min_by_key(|(usd, price)| (price.quality.is_weak(), *usd));
    let prices = MachinePrices {
        on_demand,
        committed: committed.as_ref().map(|(usd, _)| *usd),
        spot: machine.spot.map(with_host),
    };
    let mix = Mix::cheapest(load, &prices, request.spot as usize);
    let is_weak = |quality: Quality| quality.is_weak();
    let spot = machine.spot.filter(|_| mix.spot > 0);
    let spot_doubts =
        spot.map(|quote| price_doubts(catalog, constraints, &offer, machine.count, quote));
    let mut spot_doubts = spot_doubts.iter().flatten();
    let is_weak = is_weak(catalog.price(quote.price).quality)
        || spot_doubts.any(|reason| reason.is_doubt())
        || mix.reserved > 0
            && committed
                .as_ref()
                .is_some_and(|(_, price)| is_weak(price.quality));
    Some(MachineMix {
        mix,
        prices,
        usd_per_hour: mix.cost(load, &prices)?,
        commitment: committed.map(|(_, price): (Usd, CommittedPrice)| {
            commitment_of(
                catalog,
                constraints.likely.as_ref(),
                filter,
                machine,
                &price,
                &quote,
            )
        }),
        interruption_rate: catalog.text(offer.interruption_rate),
        is_weak,
    })
}

impl<'c> MachineMix<'c> {
    fn row(self, offer: OfferOut<'c>, load: &Load) -> MixOut<'c> {
        let Self { mix, prices, .. } = self;
        let machines = load.machines();
        let (reserved, until) = (mix.reserved, mix.reserved + mix.spot);
        let usd = |usd: Option<Usd>, share: f64| {
            let month = usd.map_or(0.0, |usd| usd.decimal() * share * MONTH);
            Num(cents(month))
        };
        let part = |of: std::ops::Range<usize>, usd_per_month: Num| {
            let share = load.share(of.clone());
            MixPartOut {
                machines: of.len(),
                hours: Num((share * MONTH * 10.0).round() / 10.0),
                utilization: match of.len() {
                    0 => Num(0.0),
                    count => Num((share / count as f64 * 1e4).round() / 1e4),
                },
                usd_per_month,
            }
        };
        let all_upfront = |row: &CommitmentOut<'_>| {
            let usd = row.upfront_usd?.0 * reserved as f64;
            Some(Num(cents(usd)))
        };
        MixOut {
            reserved: part(0..reserved, usd(prices.committed, reserved as f64)),
            spot_machines: part(
                reserved..until,
                usd(prices.spot, load.share(reserved..until)),
            ),
            on_demand_machines: part(
                until..machines,
                usd(Some(prices.on_demand), load.share(until..machines)),
            ),
            interruption_rate: self.interruption_rate.filter(|_| mix.spot > 0),
            on_demand_usd_per_hour: Num(prices.on_demand.decimal()),
            reserved_usd_per_hour: prices.committed.map(|usd| Num(usd.decimal())),
            break_even_utilization: prices
                .break_even()
                .map(|share| Num((share * 1e4).round() / 1e4)),
            usd_per_month: Num(cents(self.usd_per_hour * MONTH)),
            usd_per_month_on_demand: usd(Some(prices.on_demand), load.share(0..machines)),
            usd_per_month_reserved: prices
                .committed
                .map(|price| usd(Some(price), machines as f64)),
            upfront_usd: match &self.commitment {
                _ if reserved == 0 => Some(Num(0.0)),
                Some(row) => all_upfront(row),
                None => None,
            },
            commitment: self.commitment,
            ranks_last: false,
            offer,
        }
    }
}

/// Rounds an amount to cents.
fn cents(usd: f64) -> f64 {
    (usd * 100.0).round() / 100.0
}

fn notes(unpriced: usize, uncommitted: usize, term: &str) -> Vec<Note> {
    let mut notes = Vec::new();
    let term = match term {
        "any" => "any term",
        term => term,
    };
    if unpriced > 0 {
        let message = format!(
            "{} left out: no price on demand is known",
            counted(unpriced, "matching offer")
        );
        notes.push(Note::new("mix-unpriced", message));
    }
    if uncommitted > 0 {
        let message = format!(
            "for {}, no price of a commitment of {term} is known: nothing of them is reserved",
            counted(uncommitted, "offer")
        );
        notes.push(Note::new("commitment-unknown", message));
    }
    notes
}

/// The term and the payment of a commitment, for people.
impl CommitmentOut<'_> {
    /// Returns the term and the payment, then the name: a narrow table cuts only the name.
    pub fn title(&self) -> String {
        let lowest = if self.is_lowest { ", lowest rate" } else { "" };
        format!("{}: {}{lowest}", self.term_and_payment(), self.name)
    }

    /// Returns the term, and the payment unless every month is paid as it passes: `3y, all upfront`.
    pub fn term_and_payment(&self) -> String {
        let payment = match self.upfront {
            None | Some(Upfront::None) => "",
            Some(Upfront::Partial) => ", partial upfront",
            Some(Upfront::All) => ", all upfront",
        };
        format!("{}{payment}", self.term)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offers_with_fewer_doubts_come_first_as_in_resolve() {
        let engine = Engine::embedded();
        let catalog = engine.catalog();
        let mut before_cheaper = 0;
        for id in catalog.accelerator_ids() {
            let answer = engine.mix(&MixRequest {
                spec: catalog.accelerator_id(id).to_owned(),
                base_hours: vec![Num(100.0)],
                ..MixRequest::default()
            });
            let rows = answer.map_or_else(|_| Vec::new(), |answer| answer.envelope.results);
            let doubts = |row: &MixOut<'_>| Setback::of_reasons(&row.offer.reasons);
            for pair in rows.windows(2).filter(|pair| pair[1].ranks_last) {
                let (first, second) = (doubts(&pair[0]), doubts(&pair[1]));
                let is_cheaper = pair[1].usd_per_month < pair[0].usd_per_month;
                // A private host is less of a doubt than a price that no source confirms.
                let is_sorted = first == Setback::Host && second == Setback::Price;
                before_cheaper += usize::from(is_cheaper && is_sorted);
                assert!(!(first == Setback::Price && second == Setback::Host));
            }
        }
        assert!(before_cheaper > 0);
    }
}
