//! The bill for the use of a machine, line by line.
//!
//! Amounts are whole billionths of a dollar. An amount in another currency is converted at the catalog's rate, so a
//! total has one currency. A line whose price is unknown has no amount, and the total leaves it out.

mod lines;
mod parts;
mod time;

use crate::catalog::{Catalog, ChargeItem, ChargeRule};

pub use self::parts::{
    AfterTerm, Amount, Bill, BillLine, CommittedTerm, Download, HostCost, LineItem, Nano,
    OmissionReason, Quantity, Rented, Spans, Trap, Usage,
};
pub use self::time::MONTH_S;

/// Returns the bill for the use of machines.
pub fn bill(catalog: &Catalog<'_>, rented: &Rented, usage: &Usage) -> Bill {
    let usage = &match rented.term {
        Some(term) if term.after == AfterTerm::Ended => usage.until(term.seconds),
        _ => *usage,
    };
    let spans = Spans::of(catalog, rented, usage);
    let found = lines::LineWriter {
        catalog,
        rented,
        usage,
        spans,
    };
    let lines = found.all();
    let known = lines.iter().filter_map(|line| line.amount.known());
    let total = known.fold(0_u128, |sum, nano| sum.saturating_add(nano.0));
    Bill {
        traps: traps(catalog, rented, usage, spans),
        lines,
        total: Nano(total),
        spans,
    }
}

/// Returns the traps: what the bill would add for a machine that is stopped instead of deleted, or whose stop does not
/// meet its condition, and disks that cost more while the machine is stopped.
fn traps(catalog: &Catalog<'_>, rented: &Rented, usage: &Usage, spans: Spans) -> Vec<Trap> {
    let is_ended = rented
        .term
        .is_some_and(|term| term.after == AfterTerm::Ended);
    if spans.off_s == 0 || is_ended {
        return Vec::new();
    }
    // Time that a minimum or a billing unit bills is in the bill already.
    let unbilled_s = spans.off_s.saturating_sub(spans.rental_s);
    let unbilled_s = unbilled_s.saturating_sub(spans.rounding_s);
    let stop = rented.charge(catalog, ChargeItem::StoppedMachine);
    let stop = stop.and_then(|charge| {
        let adds = match charge.rule {
            ChargeRule::Billed | ChargeRule::Conditional => Some(rented.cost(unbilled_s)),
            ChargeRule::NoStop => None,
            _ => return None,
        };
        Some(Trap { charge, adds })
    });
    let disk = || {
        let running = rented.charge(catalog, ChargeItem::Disk)?;
        let stopped = rented.charge(catalog, ChargeItem::StoppedDisk)?;
        let is_dearer = usage.storage_bytes > 0 && stopped.price? > running.price?;
        is_dearer.then_some(Trap {
            charge: stopped,
            adds: None,
        })
    };
    stop.into_iter().chain(disk()).collect()
}
