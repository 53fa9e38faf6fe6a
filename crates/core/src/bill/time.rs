//! The spans of time of a bill.

use crate::catalog::{Catalog, ChargeItem, ChargeRule};

use super::parts::{Download, Rented, Spans, Usage};

/// The seconds of an hour.
const HOUR_S: u64 = 3600;

/// The seconds of a month of 730 hours, a twelfth of a year, as providers count.
pub const MONTH_S: u64 = 730 * HOUR_S;

impl Spans {
    /// Returns the spans of a use.
    pub fn of(catalog: &Catalog<'_>, rented: &Rented, usage: &Usage) -> Self {
        let sessions = u64::from(usage.sessions);
        let (start_s, free_start_s) = start(catalog, rented, usage);
        let downloads = usage.downloads();
        let download_of_one = usage.download.map_or(0, Download::seconds);
        let start_of_one = start_s.unwrap_or(0);
        let work_of_one = if usage.includes_start {
            let of_others = start_of_one
                .saturating_add(free_start_s)
                .saturating_add(download_of_one)
                .saturating_add(usage.idle_s);
            usage.session_s.saturating_sub(of_others)
        } else {
            usage.session_s
        };
        let base = start_of_one.saturating_add(work_of_one);
        let base = base.saturating_add(usage.idle_s);
        let billed = |seconds: u64| {
            let hours = catalog.billed_hours_of_start(&rented.offer, seconds as f64 / 3600.0);
            ((hours * 3600.0).round() as u64).max(seconds)
        };
        let loading_starts = u64::from(downloads);
        let other_starts = sessions.saturating_sub(loading_starts);
        let of_starts = [
            (loading_starts, base.saturating_add(download_of_one)),
            (other_starts, base),
        ];
        let sum = |of: &dyn Fn(u64) -> u64| {
            of_starts
                .iter()
                .map(|(count, seconds)| count.saturating_mul(of(*seconds)))
                .fold(0, u64::saturating_add)
        };
        let used_s = sum(&|seconds| seconds);
        let billed_s = sum(&billed);
        let stops = stops(catalog, rented);
        let least_s = rental_minimum(catalog, rented);
        let rented_least = |seconds: u64| billed(seconds).max(least_s);
        let rental_s = if stops {
            // A machine that is stopped and started again is one rental.
            least_s.saturating_sub(billed_s)
        } else {
            // One rental may be kept for all sessions, where that costs less than a rental for each.
            let kept_s = usage.period_s.max(least_s).max(billed_s);
            sum(&rented_least).min(kept_s).saturating_sub(billed_s)
        };
        let on_s = used_s.saturating_add(free_start_s);
        let term_s = rented.term.map_or(u64::MAX, |term| term.seconds);
        Self {
            work_s: sessions.saturating_mul(work_of_one),
            has_part_hours: of_starts
                .iter()
                .any(|(count, seconds)| *count > 0 && seconds % HOUR_S != 0),
            after_term_s: used_s.saturating_sub(term_s),
            start_s: start_s.map(|seconds| sessions.saturating_mul(seconds)),
            free_start_s,
            download_s: loading_starts.saturating_mul(download_of_one),
            downloads,
            idle_s: sessions.saturating_mul(usage.idle_s),
            rounding_s: billed_s.saturating_sub(used_s),
            rental_s,
            on_s,
            off_s: usage.period_s.saturating_sub(on_s),
            stops,
        }
    }
}

/// Returns the billed seconds of one start, and the seconds of all starts that are not billed.
fn start(catalog: &Catalog<'_>, rented: &Rented, usage: &Usage) -> (Option<u64>, u64) {
    let charge = rented.charge(catalog, ChargeItem::Start);
    let known = charge.map(|charge| {
        let (least, most) = (u64::from(charge.least_s), u64::from(charge.most_s));
        least.midpoint(most)
    });
    let seconds = usage.start_s.or(known);
    if charge.is_some_and(|charge| charge.rule == ChargeRule::Free) {
        let of_all = u64::from(usage.sessions).saturating_mul(seconds.unwrap_or(0));
        return (Some(0), of_all);
    }
    (seconds, 0)
}

/// Returns whether machines are stopped between sessions. If a stopped machine is billed, or if the rule is unknown,
/// the machine is deleted instead.
fn stops(catalog: &Catalog<'_>, rented: &Rented) -> bool {
    let stop = rented.charge(catalog, ChargeItem::StoppedMachine);
    stop.is_some_and(|stop| matches!(stop.rule, ChargeRule::Free | ChargeRule::Conditional))
}

/// Returns the seconds that a rental is billed at least.
fn rental_minimum(catalog: &Catalog<'_>, rented: &Rented) -> u64 {
    let of_offer = rented.offer.minimum_hours.unwrap_or(0.0) * 3600.0;
    let of_provider = rented.charge(catalog, ChargeItem::MinimumRental);
    (of_offer.round() as u64).max(of_provider.map_or(0, |charge| charge.least_s.into()))
}
