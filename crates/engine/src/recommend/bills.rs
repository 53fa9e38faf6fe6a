//! The whole bills of recommended machines.

use sky_accel_core::bill::Usage;
use sky_accel_core::catalog::Catalog;
use sky_accel_core::note::Note;

use super::search::{SearchInput, SizedMachine};
use crate::bill::{self, BillUse, UsedMachines};
use crate::contract::{Num, RecommendOut};
use crate::error::Result;
use crate::recommend_words::{Objective, Tier, TierOrder};

/// The number of machines, best by price, whose bills may change their order.
const MOST: usize = 100;

/// If cost ranks machines and the request has a use, ranks them by their whole bills within the groups that come before
/// the price: tiers, classes of devices and regions.
/// Returns a note if the order changes.
pub(super) fn rank(
    catalog: &Catalog<'_>,
    input: &SearchInput<'_>,
    of: Option<&BillUse>,
    tiers: TierOrder,
    choices: &mut Vec<SizedMachine>,
) -> Result<Option<Note>> {
    let Some(of) = of.filter(|_| input.objective == Objective::Cost) else {
        return Ok(None);
    };
    let names = |choices: &[SizedMachine]| -> Vec<String> {
        let names = choices.iter().map(|choice| choice.name(catalog));
        names.collect()
    };
    let by_price = names(choices);
    let rest = choices.split_off(choices.len().min(MOST));
    let filter = input.offers.capacity_filter;
    let mut used = Vec::with_capacity(choices.len());
    for choice in choices.iter() {
        let usage = usage(input, of, choice)?;
        let quote = choice.machine.ranking_quote(filter);
        used.push(quote.map(|quote| UsedMachines {
            found: &choice.machine,
            quote,
            machines: choice.nodes,
            usage,
        }));
    }
    let totals = bill::ranking_totals(catalog, &used);
    let group = |choice: &SizedMachine| {
        let is_below = tiers == TierOrder::List && choice.tier != Tier::List;
        let is_guess = choice.machine.is_region_unverified();
        (is_guess, !choice.matches_device_class, is_below)
    };
    for (choice, total) in choices.iter_mut().zip(totals) {
        choice.bill = total;
    }
    let cost = |choice: &SizedMachine| {
        choice.bill.map_or(f64::INFINITY, |bill| {
            bill.ranking.decimal() * choice.ranking_factor
        })
    };
    choices.sort_by(|a, b| {
        let groups = group(a).cmp(&group(b));
        groups.then_with(|| cost(a).total_cmp(&cost(b)))
    });
    choices.extend(rest);
    // The bill ranks them instead.
    for choice in choices.iter_mut() {
        choice.ranked_share = 1.0;
    }
    Ok(bill::reordered_note(&by_price, &names(choices)))
}

/// Adds the bill of the use to each row, with the download of the checkpoint.
pub(super) fn add<'c>(
    catalog: &Catalog<'c>,
    input: &SearchInput<'_>,
    of: &BillUse,
    (choices, listed): (&[SizedMachine], &[usize]),
    rows: &mut [RecommendOut<'c>],
) -> Result<()> {
    let filter = input.offers.capacity_filter;
    for (row, at) in rows.iter_mut().zip(listed) {
        let choice = &choices[*at];
        let usage = usage(input, of, choice)?;
        let nodes = choice.nodes;
        row.bill = bill::of_match(catalog, &choice.machine, filter, nodes, &usage).map(Box::new);
    }
    Ok(())
}

/// Returns the use of a machine. A job without stated hours takes the hours of the machine.
fn usage(input: &SearchInput<'_>, of: &BillUse, choice: &SizedMachine) -> Result<Usage> {
    let mut of = of.clone();
    if let Some(hours) = choice.hours.filter(|_| of.states_no_time()) {
        of.hours = Some(Num(hours.taken));
    }
    of.usage(Some(bill::checkpoint_of(input.work_in(choice.precision))))
}
