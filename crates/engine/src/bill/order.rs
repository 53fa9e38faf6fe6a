//! The order of bills. A bill that lacks a line would seem cheap, so the line counts as in the bills that have it.

use sky_accel_core::bill::{Bill, LineItem, Nano};
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

/// The parts of a bill that its order needs.
pub(super) struct Sums {
    /// The likely total in US dollars.
    total: f64,
    /// The lines, each with its amount if it is known.
    lines: Vec<(LineItem, Option<f64>)>,
}

impl From<&BillOut<'_>> for Sums {
    fn from(bill: &BillOut<'_>) -> Self {
        let lines = bill.lines.iter();
        let lines = lines.map(|line| (line.item, line.usd.map(|usd| usd.0)));
        Self {
            total: bill.usd_total_likely.0,
            lines: lines.collect(),
        }
    }
}

impl From<&Bill> for Sums {
    fn from(bill: &Bill) -> Self {
        let usd = |nano: Nano| nano.rounded().decimal();
        let lines = bill.lines.iter();
        let lines = lines.map(|line| (line.item, line.amount.known().map(usd)));
        Self {
            total: usd(bill.total),
            lines: lines.collect(),
        }
    }
}

impl UsualAmounts {
    pub fn of<'s>(bills: &(impl Iterator<Item = &'s Sums> + Clone)) -> Self {
        Self(OF_USE.map(|item| {
            let lines = bills.clone().flat_map(|bill| &bill.lines);
            let of_item = lines.filter(|(of, _)| *of == item);
            let mut amounts: Vec<f64> = of_item.filter_map(|(_, usd)| *usd).collect();
            amounts.sort_by(f64::total_cmp);
            amounts.get(amounts.len() / 2).copied().unwrap_or_default()
        }))
    }

    /// The total that ranks a bill: the likely total, with the usual amounts of lines that are not known.
    pub fn compared(&self, bill: &Sums) -> Usd {
        let unknown = bill.lines.iter().filter(|(_, usd)| usd.is_none());
        let usual = unknown.filter_map(|(item, _)| {
            let at = OF_USE.iter().position(|of| of == item)?;
            Some(self.0[at])
        });
        let total = bill.total + usual.sum::<f64>();
        Usd::from_decimal(total).unwrap_or(Usd(u64::MAX))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::contract::{BillLineOut, BillUnit, Num};

    /// A bill with a disk and traffic, of which `None` is not known.
    fn bill(total: f64, amounts: [Option<f64>; 2]) -> BillOut<'static> {
        let items = [LineItem::Disk, LineItem::Egress];
        let line = |(item, usd): (LineItem, Option<f64>)| BillLineOut {
            item,
            quantity: None,
            unit: BillUnit::GbMonth,
            known: usd.is_some(),
            usd: usd.map(Num),
            left_out: None,
            at_most_usd: None,
            basis: String::new(),
            note: None,
            source: None,
            as_of: None,
            sure: None,
        };
        BillOut {
            usd_total: Num(total),
            usd_total_likely: Num(total),
            lines_not_known: amounts.iter().filter(|usd| usd.is_none()).count(),
            between_sessions: None,
            lines: items.into_iter().zip(amounts).map(line).collect(),
            traps: Vec::new(),
        }
    }

    #[test]
    fn a_line_that_is_not_known_counts_as_in_other_bills() {
        let complete = bill(110.0, [Some(10.0), Some(1.0)]);
        let costly_disk = bill(150.0, [Some(50.0), None]);
        let cheap_disk = bill(104.0, [Some(4.0), None]);
        let no_disk = bill(101.0, [None, Some(0.0)]);
        let sums = [&complete, &costly_disk, &cheap_disk, &no_disk].map(Sums::from);
        let usual = UsualAmounts::of(&sums.iter());
        let totals = sums.map(|bill| usual.compared(&bill).decimal().to_string());
        assert_eq!(totals, ["110", "151", "105", "111"]);
    }
}
