//! The order of bills. A bill that lacks a line would seem cheap, so the line counts as in the bills that have it.

use sky_accel_core::bill::LineItem;
use sky_accel_core::money::Usd;

use crate::contract::BillOut;

/// The lines that depend on the use, and not on the price of the machine.
const OF_USE: [LineItem; 5] = [
    LineItem::Disk,
    LineItem::StoppedDisk,
    LineItem::Egress,
    LineItem::Ingress,
    LineItem::Ipv4,
];

/// The median amount of each line in the bills that have it, in US dollars; 0 if none has.
pub(super) struct UsualAmounts([f64; OF_USE.len()]);

impl UsualAmounts {
    pub fn of(bills: &[&BillOut<'_>]) -> Self {
        Self(OF_USE.map(|item| {
            let mut amounts: Vec<f64> = bills
                .iter()
                .flat_map(|bill| &bill.lines)
                .filter(|line| line.item == item)
                .filter_map(|line| Some(line.usd?.0))
                .collect();
            amounts.sort_by(f64::total_cmp);
            amounts.get(amounts.len() / 2).copied().unwrap_or_default()
        }))
    }

    /// The total that ranks a bill: the likely total, with the usual amounts of lines that are not known.
    pub fn compared(&self, bill: &BillOut<'_>) -> Usd {
        let unknown = bill.lines.iter().filter(|line| line.usd.is_none());
        let usual = unknown.filter_map(|line| {
            let at = OF_USE.iter().position(|item| *item == line.item)?;
            Some(self.0[at])
        });
        let total = bill.usd_total_likely.0 + usual.sum::<f64>();
        Usd::from_decimal(total).unwrap_or(Usd(u64::MAX))
    }
}
