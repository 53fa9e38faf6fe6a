//! A bill in the form of the contract.

use sky_accel_core::bill::{
    AfterTerm, Amount, Bill, BillLine, LineItem, MONTH_S, Nano, OmissionReason, Quantity, Rented,
    Spans, Trap, Usage,
};
use sky_accel_core::catalog::{
    AttachedHost, Catalog, Charge, ChargeRule, ChargeUnit, Price, Upfront,
};
use sky_accel_core::text::{counted, grouped};

use crate::contract::{BillLineOut, BillOut, BillTrapOut, BillUnit, CommitmentOut, Num, OffState};
use crate::money::Money;
use crate::text::dollars;

/// The seconds of an hour.
const HOUR_S: f64 = 3600.0;
/// The seconds of a day.
const DAY_S: u64 = 86_400;
/// Billionths of a unit of a currency.
const NANO: f64 = 1e9;

/// Converts a bill with the total at the likely price of its machine.
pub(super) fn out<'a>(writer: &Writer<'_, 'a>, bill: &Bill, likely_total: Nano) -> BillOut<'a> {
    let off = if bill.spans.stops {
        OffState::Stopped
    } else {
        OffState::Deleted
    };
    BillOut {
        usd_total: num(bill.total),
        usd_total_likely: num(likely_total),
        lines_not_known: bill.missing().count(),
        between_sessions: (bill.spans.off_s > 0).then_some(off),
        lines: bill
            .lines
            .iter()
            .map(|line| writer.line(line, &bill.spans))
            .chain(writer.upfront())
            .collect(),
        traps: bill.traps.iter().map(|trap| writer.trap(trap)).collect(),
    }
}

fn num(nano: Nano) -> Num {
    Num(nano.rounded().decimal())
}

/// The machines of a bill.
pub(super) struct Writer<'w, 'a> {
    pub catalog: &'w Catalog<'a>,
    pub rented: &'w Rented,
    /// The use.
    pub usage: &'w Usage,
    /// The price of the machine.
    pub price: &'w Price,
    /// The commitment that the price is of.
    pub commitment: Option<&'w CommitmentOut<'a>>,
    /// The host of attached accelerators; `None` for whole machines.
    pub host: Option<AttachedHost>,
}

impl<'a> Writer<'_, 'a> {
    /// Returns the payment at the start of a term, which pays the machine for the term.
    fn upfront(&self) -> Option<BillLineOut<'a>> {
        let commitment = self.commitment?;
        let is_paid = matches!(commitment.upfront, Some(Upfront::Partial | Upfront::All));
        let machines = f64::from(self.rented.machines);
        let usd = commitment.upfront_usd.map(|usd| Num(usd.0 * machines));
        let usd = usd.filter(|usd| usd.0 > 0.0);
        if !is_paid && usd.is_none() {
            return None;
        }
        let term = self.rented.term.map_or_else(
            || commitment.term.clone(),
            |term| counted(term.seconds / DAY_S, "day"),
        );
        let basis = match usd {
            Some(usd) => format!(
                "{} at the start, which pays the machine for {term}",
                dollars(usd)
            ),
            None => format!(
                "amount not known; it is paid at the start and is part of the price for {term}"
            ),
        };
        Some(BillLineOut {
            item: LineItem::Upfront,
            quantity: Some(Num(machines)),
            unit: BillUnit::Payment,
            known: false,
            usd: None,
            left_out: Some(OmissionReason::Credit),
            at_most_usd: usd,
            basis,
            note: None,
            source: Some(commitment.source),
            as_of: Some(commitment.as_of),
            sure: None,
        })
    }

    /// Returns whether the provider ends the machine before its work is done.
    fn is_cut_short(&self) -> bool {
        let term = self.rented.term;
        term.is_some_and(|term| {
            term.after == AfterTerm::Ended && self.usage.session_s > term.seconds
        })
    }

    fn line(&self, line: &BillLine, spans: &Spans) -> BillLineOut<'a> {
        let (usd, left_out, at_most) = match line.amount {
            Amount::Known(nano) => (Some(num(nano)), None, None),
            Amount::LeftOut { why, at_most } => (None, Some(why), at_most.map(num)),
        };
        let (source, as_of) = self.source(line);
        let text = |text| self.catalog.text(text);
        let (quantity, unit) = counted_in(line.quantity);
        BillLineOut {
            item: line.item,
            quantity,
            unit,
            known: usd.is_some(),
            usd,
            left_out,
            at_most_usd: at_most,
            basis: self.basis(line, at_most, spans),
            note: match line.item {
                LineItem::Machine => self.commitment.and_then(|commitment| commitment.at_end),
                LineItem::Start if self.usage.start_s.is_some() => Some("as stated"),
                _ => line.charge.and_then(|charge| text(charge.note)),
            },
            source,
            as_of,
            sure: line.charge.map(|charge| charge.sure),
        }
    }

    /// Returns the source of a line and its date.
    fn source(&self, line: &BillLine) -> (Option<&'a str>, Option<&'a str>) {
        let text = |text| self.catalog.text(text);
        if let Some(charge) = &line.charge {
            return (text(charge.source), text(charge.as_of));
        }
        let provider = self.catalog.provider(self.rented.offer.provider);
        match line.item {
            LineItem::Start if line.amount == Amount::UNKNOWN => (None, None),
            LineItem::Machine | LineItem::Start | LineItem::Download | LineItem::Idle => {
                (text(self.price.source), text(self.price.as_of))
            }
            LineItem::Host => {
                let host = self.host.map(|host| host.family);
                host.map_or((None, None), |host| (text(host.source), text(host.as_of)))
            }
            LineItem::Rounding => (text(provider.billing_source), text(provider.billing_as_of)),
            LineItem::MinimumRental => {
                let offer = &self.rented.offer;
                (text(offer.source), text(offer.as_of))
            }
            _ => (None, None),
        }
    }

    fn trap(&self, trap: &Trap) -> BillTrapOut<'a> {
        let charge = &trap.charge;
        BillTrapOut {
            text: self.catalog.str(charge.note),
            adds_usd: trap.adds.map(num),
            source: self.catalog.str(charge.source),
            as_of: self.catalog.str(charge.as_of),
            sure: charge.sure,
        }
    }

    /// Returns the quantity and the price of a line: `100 h × $55.04`.
    fn basis(&self, line: &BillLine, at_most: Option<Num>, spans: &Spans) -> String {
        let quantity = Self::quantity(line);
        let price = match line.amount {
            Amount::Known(_) if line.item == LineItem::Download => {
                format!("{}{}", self.price_of(line, spans), self.download())
            }
            Amount::Known(_) if line.item == LineItem::Host => self.of_host(),
            Amount::Known(_) => self.price_of(line, spans),
            Amount::LeftOut { why, .. } => self.reason(line, why, at_most),
        };
        match (quantity.is_empty(), price.is_empty()) {
            (true, _) => price,
            (false, true) => quantity,
            (false, false) if matches!(line.amount, Amount::Known(_)) => {
                format!("{quantity} {price}")
            }
            (false, false) => format!("{quantity}, {price}"),
        }
    }

    fn quantity(line: &BillLine) -> String {
        let unit = line.charge.map_or(ChargeUnit::Gb, |charge| charge.unit);
        match line.quantity {
            Quantity::Seconds(None) | Quantity::Once => String::new(),
            Quantity::Stored { bytes, seconds } if seconds == MONTH_S => {
                format!("{} for a month", size(bytes, unit))
            }
            Quantity::Stored { bytes, seconds } => {
                format!("{} for {}", size(bytes, unit), hours(seconds))
            }
            Quantity::Traffic { bytes, months: 1 } => size(bytes, unit),
            Quantity::Traffic { bytes, months } => {
                format!("{} in {}", size(bytes, unit), counted(months, "month"))
            }
            Quantity::Seconds(Some(seconds)) | Quantity::Addresses { count: 1, seconds } => {
                hours(seconds)
            }
            Quantity::Addresses { count, seconds } => {
                format!("{count} × {}", hours(seconds))
            }
        }
    }

    /// Returns the price of a line with an amount.
    fn price_of(&self, line: &BillLine, spans: &Spans) -> String {
        let Some(charge) = line.charge.filter(|charge| charge.price.is_some()) else {
            let rule = line.charge.map(|charge| charge.rule);
            return if rule == Some(ChargeRule::Free) {
                "free".to_owned()
            } else {
                self.hourly(line, spans)
            };
        };
        let Some(price) = charge.price.filter(|_| charge.rule != ChargeRule::Free) else {
            return "free".to_owned();
        };
        let amount = self.amount(&charge, price);
        let free = match (charge.free, charge.unit) {
            (0, _) => String::new(),
            (1, ChargeUnit::Hour) => ", the first free".to_owned(),
            (free, ChargeUnit::Hour) => format!(", the first {free} free"),
            (free, unit) => format!(", {} {} free", grouped(free as f64), unit.size()),
        };
        let tiers = if charge.tiers.len > 0 {
            ", less for more"
        } else {
            ""
        };
        let per = match charge.unit {
            ChargeUnit::Hour => String::new(),
            unit => format!(" per {unit}"),
        };
        format!("× {amount}{per}{free}{tiers}")
    }

    /// Returns the size and the bandwidth of the download of the checkpoint: `, 141 GB at 1 Gbit/s`.
    fn download(&self) -> String {
        self.usage.download.map_or_else(String::new, |download| {
            let gigabits = download.bytes_per_s as f64 * 8.0 / 1e9;
            let size = size(download.bytes, ChargeUnit::Gb);
            format!(", {size} at {} Gbit/s", grouped(gigabits))
        })
    }

    /// Returns the price of an hour of the machine, and what it goes on at after the term of a commitment.
    fn hourly(&self, line: &BillLine, spans: &Spans) -> String {
        let price = format!("× {}", dollars(Num(self.rented.usd_per_hour.decimal())));
        let after = self.rented.term.map(|term| term.after);
        let is_after = |term: AfterTerm| match term {
            AfterTerm::OnDemand(_) => spans.after_term_s > 0,
            AfterTerm::Ended => self.is_cut_short(),
        };
        match after.filter(|term| line.item == LineItem::Machine && is_after(*term)) {
            Some(AfterTerm::OnDemand(Some(usd))) => format!(
                "{price}, the last {} × {}",
                hours(
                    spans
                        .after_term_s
                        .saturating_mul(self.rented.machines.into())
                ),
                dollars(Num(usd.decimal()))
            ),
            Some(AfterTerm::Ended) => format!("{price}, until the provider ends the machine"),
            _ => price,
        }
    }

    /// Returns the price of an hour of the host of attached accelerators: `× $0.19 for n1-standard-4`.
    fn of_host(&self) -> String {
        let usd = self.rented.host.and_then(|host| host.0);
        let usd = usd.map(|usd| dollars(Num(usd.decimal())));
        let id = self.host.map(|host| host.id(self.catalog));
        let (usd, id) = (usd.unwrap_or_default(), id.unwrap_or_default());
        format!("× {usd} for {id}")
    }

    /// Returns why a line has no amount.
    fn reason(&self, line: &BillLine, why: OmissionReason, at_most: Option<Num>) -> String {
        let usd = at_most.map(dollars);
        match why {
            OmissionReason::NotKnown => "not known".to_owned(),
            OmissionReason::ByHost => "each host sets the price".to_owned(),
            OmissionReason::Allowance => {
                let most = usd.map(|usd| format!("; otherwise {usd} at most"));
                format!(
                    "not known: the allowance of the plan may cover it{}",
                    most.unwrap_or_default()
                )
            }
            OmissionReason::NoRate => "the catalog has no rate of the currency".to_owned(),
            OmissionReason::AmountNotKnown => {
                let price = line.charge.and_then(|charge| {
                    let amount = self.amount(&charge, charge.price?);
                    Some(format!("{amount} per {}, not counted", charge.unit))
                });
                price.unwrap_or_else(|| "not counted".to_owned())
            }
            OmissionReason::Credit => usd.map_or_else(
                || "credit, which pays the other lines".to_owned(),
                |usd| format!("{usd} in advance, which pays the other lines"),
            ),
        }
    }

    /// Returns a price in billionths in the currency of a charge.
    fn amount(&self, charge: &Charge, price: u64) -> String {
        let amount = price as f64 / NANO;
        let text = grouped(amount);
        match self.catalog.text(charge.currency) {
            Some(code) => format!("{text} {code}"),
            None if amount >= 1.0 => Money::DOLLARS.text(Num(amount)),
            None => format!("${text}"),
        }
    }
}

/// Returns seconds in hours: `100 h`, or `0.03 h`.
fn hours(seconds: u64) -> String {
    let hours = seconds as f64 / HOUR_S;
    let rounded = (hours * 100.0).round() / 100.0;
    if rounded > 0.0 || seconds == 0 {
        format!("{} h", grouped(rounded))
    } else {
        format!("{seconds} s")
    }
}

/// Returns bytes in the unit of a charge: `200 GB`, or `186.3 GiB`.
fn size(bytes: u64, unit: ChargeUnit) -> String {
    let units = bytes as f64 / unit.bytes() as f64;
    let rounded = if units >= 10.0 {
        (units * 10.0).round() / 10.0
    } else {
        (units * 1000.0).round() / 1000.0
    };
    format!("{} {}", grouped(rounded), unit.size())
}

/// Returns a quantity in the unit of a contract; `None` if it is unknown.
fn counted_in(quantity: Quantity) -> (Option<Num>, BillUnit) {
    const GB: f64 = 1e9;
    let hours = |seconds: u64| seconds as f64 / HOUR_S;
    let rounded = |figure: f64| Some(Num((figure * 1e6).round() / 1e6));
    match quantity {
        Quantity::Seconds(seconds) => (seconds.and_then(|s| rounded(hours(s))), BillUnit::Hour),
        Quantity::Stored { bytes, seconds } => {
            let months = seconds as f64 / MONTH_S as f64;
            (rounded(bytes as f64 / GB * months), BillUnit::GbMonth)
        }
        Quantity::Traffic { bytes, .. } => (rounded(bytes as f64 / GB), BillUnit::Gb),
        Quantity::Addresses { count, seconds } => {
            let hours = f64::from(count) * hours(seconds);
            (rounded(hours), BillUnit::AddressHour)
        }
        Quantity::Once => (Some(Num(1.0)), BillUnit::Payment),
    }
}
