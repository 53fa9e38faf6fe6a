//! The lines of a bill.

use crate::catalog::{Catalog, Charge, ChargeItem, ChargeRule};

use super::parts::{
    Amount, BillLine, LineItem, Nano, OmissionReason, Quantity, Rented, Spans, Usage, divided,
};
use super::time::MONTH_S;

/// The seconds of an hour.
const HOUR_S: u128 = 3600;
/// Rates of currencies count in millionths.
const MILLION: u128 = 1_000_000;

/// Builds the lines of a bill.
pub(super) struct LineWriter<'b, 'a> {
    pub catalog: &'b Catalog<'a>,
    pub rented: &'b Rented,
    pub usage: &'b Usage,
    pub spans: Spans,
}

impl LineWriter<'_, '_> {
    /// Returns all lines: machine time, then disks and traffic, then the rest.
    pub fn all(&self) -> Vec<BillLine> {
        let mut lines = self.machine_time();
        lines.extend(self.host());
        lines.extend(self.set_up());
        lines.extend(self.disks());
        lines.extend(self.egress());
        lines.extend(self.ingress());
        lines.extend(self.ipv4());
        lines.extend(self.processors());
        lines.extend(self.prepaid());
        lines
    }

    fn charge(&self, item: ChargeItem) -> Option<Charge> {
        self.rented.charge(self.catalog, item)
    }

    fn machine_time(&self) -> Vec<BillLine> {
        let spans = self.spans;
        let rental = self.charge(ChargeItem::MinimumRental);
        // Without a known billing unit, parts of hours may be billed as hours.
        let provider = self.catalog.provider(self.rented.offer.provider);
        let is_unit_known = provider.billing_unit_s > 0 || spans.rental_s > 0;
        let rounding_s = (is_unit_known || !spans.has_part_hours).then_some(spans.rounding_s);
        let times = [
            (LineItem::Machine, Some(spans.work_s), None),
            (
                LineItem::Start,
                spans.start_s,
                // A stated time does not follow from the catalog.
                self.charge(ChargeItem::Start)
                    .filter(|_| self.usage.start_s.is_none()),
            ),
            (LineItem::Download, Some(spans.download_s), None),
            (LineItem::Idle, Some(spans.idle_s), None),
            (LineItem::Rounding, rounding_s, None),
            (LineItem::MinimumRental, Some(spans.rental_s), rental),
        ];
        let machines = u64::from(self.rented.machines);
        let lines = times.into_iter().filter_map(|(item, seconds, charge)| {
            let is_listed = item == LineItem::Machine || seconds != Some(0);
            is_listed.then(|| BillLine {
                item,
                quantity: Quantity::Seconds(
                    seconds.map(|seconds| seconds.saturating_mul(machines)),
                ),
                amount: seconds.map_or(Amount::UNKNOWN, |seconds| {
                    Amount::Known(match item {
                        LineItem::Machine => self.rented.cost_of_work(seconds, spans.after_term_s),
                        _ => self.rented.cost(seconds),
                    })
                }),
                charge,
            })
        });
        lines.collect()
    }

    /// Returns the line of the host of attached accelerators.
    fn host(&self) -> Option<BillLine> {
        let host = self.rented.host?;
        let seconds = self.spans.billed_s();
        Some(BillLine {
            item: LineItem::Host,
            quantity: Quantity::Seconds(Some(seconds.saturating_mul(self.rented.machines.into()))),
            amount: host.0.map_or(Amount::UNKNOWN, |usd| {
                Amount::Known(self.rented.cost_at(usd, seconds))
            }),
            charge: None,
        })
    }

    /// Returns the fee for each new machine. A machine that is deleted between sessions is a new machine in the next.
    fn set_up(&self) -> Option<BillLine> {
        let charge = self.charge(ChargeItem::SetUp)?;
        let rentals = if self.spans.stops {
            1
        } else {
            self.usage.sessions
        };
        let amount = match one_price(&charge) {
            Ok(price) => {
                let machines = u128::from(rentals) * u128::from(self.rented.machines);
                self.in_dollars(&charge, price.saturating_mul(machines))
            }
            Err(amount) => amount,
        };
        Some(BillLine {
            item: LineItem::SetUp,
            quantity: Quantity::Once,
            amount,
            charge: Some(charge),
        })
    }

    /// Returns the lines of the disks, one for each machine.
    fn disks(&self) -> Vec<BillLine> {
        let bytes = self.usage.storage_bytes;
        let machines = self.rented.machines;
        if bytes == 0 {
            return Vec::new();
        }
        let running = self.charge(ChargeItem::Disk);
        let stopped = self.charge(ChargeItem::StoppedDisk).or(running);
        let spans = [
            (LineItem::Disk, self.spans.on_s, running),
            (LineItem::StoppedDisk, self.spans.off_s, stopped),
        ];
        let lines = spans.into_iter().filter(|(_, seconds, _)| *seconds > 0);
        lines
            .map(|(item, seconds, charge)| BillLine {
                item,
                quantity: Quantity::Stored {
                    bytes: bytes.saturating_mul(machines.into()),
                    seconds,
                },
                amount: charge.map_or(Amount::UNKNOWN, |charge| {
                    self.priced(&charge, bytes, |whole| {
                        let whole = whole.saturating_mul(machines.into());
                        divided(whole.saturating_mul(seconds.into()), MONTH_S.into())
                    })
                }),
                charge,
            })
            .collect()
    }

    fn egress(&self) -> Option<BillLine> {
        self.traffic(
            LineItem::Egress,
            ChargeItem::Egress,
            self.usage.egress_bytes,
        )
    }

    fn ingress(&self) -> Option<BillLine> {
        let of_one = self.usage.download.map_or(0, |download| download.bytes);
        let downloads = u64::from(self.spans.downloads);
        let machines = u64::from(self.rented.machines);
        let downloaded = of_one.saturating_mul(downloads).saturating_mul(machines);
        let bytes = self.usage.ingress_bytes.saturating_add(downloaded);
        self.traffic(LineItem::Ingress, ChargeItem::Ingress, bytes)
    }

    /// Returns the line of traffic that is spread equally over the months of the period.
    fn traffic(&self, item: LineItem, of: ChargeItem, bytes: u64) -> Option<BillLine> {
        if bytes == 0 {
            return None;
        }
        let period = self.usage.period_s.max(self.spans.on_s);
        // A started month counts with the month before it: with a separate free amount, one hour more would lower the
        // bill.
        let months = (period / MONTH_S).max(1);
        let charge = self.charge(of);
        let amount = charge.map_or(Amount::UNKNOWN, |charge| {
            self.priced(&charge, bytes / months, |month| {
                month.saturating_mul(months.into())
            })
        });
        Some(BillLine {
            item,
            quantity: Quantity::Traffic { bytes, months },
            amount,
            charge,
        })
    }

    fn ipv4(&self) -> Option<BillLine> {
        let machines = self.rented.machines;
        let count = self.usage.ipv4.saturating_mul(machines);
        if count == 0 {
            return None;
        }
        let charge = self.charge(ChargeItem::Ipv4);
        let free = charge.map_or(0, |charge| charge.free);
        let paid = u64::from(self.usage.ipv4).saturating_sub(free);
        let paid = paid.saturating_mul(machines.into());
        let stopped = self.charge(ChargeItem::StoppedIpv4);
        let is_kept = self.spans.stops && stopped.is_some_and(|it| it.rule == ChargeRule::Billed);
        let kept_s = if is_kept { self.spans.off_s } else { 0 };
        let seconds = self.spans.on_s.saturating_add(kept_s);
        let amount = charge.map_or(Amount::UNKNOWN, |charge| match one_price(&charge) {
            Ok(price) => {
                let of_all = price.saturating_mul(u128::from(paid));
                self.in_dollars(
                    &charge,
                    divided(of_all.saturating_mul(seconds.into()), HOUR_S),
                )
            }
            Err(amount) => amount,
        });
        Some(BillLine {
            item: LineItem::Ipv4,
            quantity: Quantity::Addresses { count, seconds },
            amount,
            charge,
        })
    }

    /// Returns a line without an amount if processors or host memory are billed besides the accelerator.
    fn processors(&self) -> Option<BillLine> {
        let charge = self
            .charge(ChargeItem::Processors)
            .or_else(|| self.charge(ChargeItem::HostMemory))?;
        Some(BillLine {
            item: LineItem::Processors,
            quantity: Quantity::Seconds(Some(
                self.spans.on_s.saturating_mul(self.rented.machines.into()),
            )),
            amount: Amount::LeftOut {
                why: OmissionReason::AmountNotKnown,
                at_most: None,
            },
            charge: Some(charge),
        })
    }

    fn prepaid(&self) -> Option<BillLine> {
        let charge = self.charge(ChargeItem::Prepaid)?;
        let credit = charge.price.and_then(|price| {
            let amount = self.in_dollars(&charge, price.into());
            amount.known()
        });
        Some(BillLine {
            item: LineItem::Prepaid,
            quantity: Quantity::Once,
            amount: Amount::LeftOut {
                why: OmissionReason::Credit,
                at_most: credit,
            },
            charge: Some(charge),
        })
    }

    /// Returns the amount for bytes by the tiers of a charge. `scale` turns the sum of the tiers into the amount of the
    /// whole period.
    fn priced(&self, charge: &Charge, bytes: u64, scale: impl Fn(u128) -> u128) -> Amount {
        let price = match one_price(charge) {
            Ok(price) => price,
            Err(amount) if charge.rule != ChargeRule::Allowance => return amount,
            Err(_) => charge.price.unwrap_or(0).into(),
        };
        let unit = u128::from(charge.unit.bytes());
        let free = u128::from(charge.free).saturating_mul(unit);
        let paid = u128::from(bytes).saturating_sub(free);
        if paid == 0 {
            return Amount::Known(Nano(0));
        }
        let mut sum = 0_u128;
        let (mut from, mut rate) = (0_u128, price);
        for tier in self.catalog.tiers_of(charge) {
            let until = u128::from(tier.above).saturating_mul(unit);
            let part = paid.min(until).saturating_sub(from);
            sum = sum.saturating_add(part.saturating_mul(rate));
            (from, rate) = (until, tier.price.into());
        }
        let rest = paid.saturating_sub(from);
        sum = sum.saturating_add(rest.saturating_mul(rate));
        let amount = self.in_dollars(charge, scale(divided(sum, unit)));
        match charge.rule {
            ChargeRule::Allowance => Amount::LeftOut {
                why: OmissionReason::Allowance,
                at_most: amount.known(),
            },
            _ => amount,
        }
    }

    /// Returns an amount in billionths of the currency of a charge in dollars.
    fn in_dollars(&self, charge: &Charge, nano: u128) -> Amount {
        let Some(code) = self.catalog.text(charge.currency) else {
            return Amount::Known(Nano(nano));
        };
        let Some(currency) = self.catalog.currency(code) else {
            return Amount::LeftOut {
                why: OmissionReason::NoRate,
                at_most: None,
            };
        };
        let rate = (currency.usd * MILLION as f64).round() as u128;
        Amount::Known(Nano(divided(nano.saturating_mul(rate), MILLION)))
    }
}

/// Returns the price of a unit, or the amount of the line if its price is unknown.
fn one_price(charge: &Charge) -> Result<u128, Amount> {
    let left_out = |why| Amount::LeftOut { why, at_most: None };
    match (charge.rule, charge.price) {
        (ChargeRule::Free, _) => Ok(0),
        (ChargeRule::ByHost, _) => Err(left_out(OmissionReason::ByHost)),
        (ChargeRule::Allowance, _) => Err(left_out(OmissionReason::Allowance)),
        (_, Some(price)) => Ok(price.into()),
        (_, None) => Err(Amount::UNKNOWN),
    }
}
