//! The whole bills of recommended machines.

use sky_accel_core::catalog::Catalog;
use sky_accel_core::note::Note;

use super::search::{SearchInput, SizedMachine};
use crate::bill::{self, BillUse};
use crate::contract::{Num, RecommendOut};
use crate::error::Result;

/// Adds the bill of the use to each row, with the download of the checkpoint. A job without stated hours takes the hours
/// of the row. Returns a note if the bills change the order.
pub(super) fn add<'c>(
    catalog: &Catalog<'c>,
    input: &SearchInput<'_>,
    of: &BillUse,
    (choices, listed): (&[SizedMachine], &[usize]),
    rows: &mut [RecommendOut<'c>],
) -> Result<Option<Note>> {
    let filter = input.offers.capacity_filter;
    for (row, at) in rows.iter_mut().zip(listed) {
        let choice = &choices[*at];
        let mut of = of.clone();
        if let Some(hours) = choice.hours.filter(|_| of.states_no_time()) {
            of.hours = Some(Num(hours.taken));
        }
        let checkpoint = bill::checkpoint_of(input.work_in(choice.precision));
        let usage = of.usage(Some(checkpoint))?;
        let nodes = choice.nodes;
        row.bill = bill::of_match(catalog, &choice.machine, filter, nodes, &usage).map(Box::new);
    }
    let named = rows.iter().filter_map(|row| {
        let bill = row.bill.as_deref()?;
        let name = format!("{} {}", row.offer.provider, row.offer.instance_type);
        Some((name, bill))
    });
    Ok(bill::lowest_note(named))
}
