//! Capacity blocks that a provider sells for the machines of a plan.

use std::collections::BTreeSet;

use sky_accel_core::catalog::Catalog;
use sky_accel_core::note::Note;
use sky_accel_core::plan::Plan;
use sky_accel_core::text::counted;
use sky_accel_live::{CapacityBlock, Live};

/// The most blocks that a plan names.
const MOST: usize = 3;

/// Names the blocks for the machines of a plan, cheapest first. A plan cannot buy a block, which is paid in advance.
pub(super) fn blocks_for_sale(
    live: Option<&Live>,
    catalog: &Catalog<'_>,
    plan: &Plan,
) -> Vec<Note> {
    let Some(live) = live else {
        return Vec::new();
    };
    let mut seen = BTreeSet::new();
    let mut found: Vec<(String, &CapacityBlock)> = Vec::new();
    for candidate in &plan.candidates {
        let offer = catalog.offer(candidate.found.offer);
        let key = (offer.provider, catalog.str(offer.id).to_owned());
        let Some(extras) = live.extras.get(&key).filter(|_| seen.insert(key.clone())) else {
            continue;
        };
        let machine = format!("{} {}", catalog.provider_id(offer.provider), key.1);
        let blocks = extras.capacity_blocks.iter();
        found.extend(blocks.map(|block| (machine.clone(), block)));
    }
    found.sort_by(|(_, a), (_, b)| hourly(a).total_cmp(&hourly(b)));
    let note = |(machine, block): (String, &CapacityBlock)| {
        let machines = counted(block.machines, "machine");
        let place = block.zone.as_deref().unwrap_or(&block.region);
        let start = block.starts_at.as_ref();
        let start = start.map_or_else(String::new, |start| format!(" from {start}"));
        let message = format!(
            "{machine}: a block of {machines} in {place}{start} for {} h costs ${:.2} an hour, paid in advance; buy it, \
             then name it in `capacity_block`",
            block.hours,
            hourly(block),
        );
        Note::new("capacity-block", message)
    };
    found.into_iter().take(MOST).map(note).collect()
}

/// The price of all machines of a block in USD per hour.
fn hourly(block: &CapacityBlock) -> f64 {
    block.upfront_usd / f64::from(block.hours.max(1))
}
