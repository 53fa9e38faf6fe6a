//! The parts of a bill, and the use that it is for.

use crate::catalog::{Catalog, Charge, ChargeItem, ChargeRule, Offer, RegionId};
use crate::money::Usd;

/// Billionths of a dollar in a millionth.
const NANO_PER_MICRO: u128 = 1000;

crate::words! {
    /// A line of a bill.
    pub enum LineItem {
        /// The machine while it works.
        Machine = "machine",
        /// The machine while it starts.
        Start = "start",
        /// The machine while it downloads the checkpoint.
        Download = "download",
        /// The machine while it waits for the end of a session.
        Idle = "idle",
        /// Time that is billed because billing units are billed as a whole, or because of a minimum for each start.
        Rounding = "rounding",
        /// Time that is billed because a rental has a minimum.
        MinimumRental = "minimum-rental",
        /// The machine that separately priced accelerators are attached to, for all time that they are billed.
        Host = "host",
        /// The fee for each new machine.
        SetUp = "set-up",
        /// The disk while the machine runs.
        Disk = "disk",
        /// The disk while the machine is stopped or deleted.
        StoppedDisk = "stopped-disk",
        /// Traffic to the internet.
        Egress = "egress",
        /// Traffic from the internet, including the download of the checkpoint.
        Ingress = "ingress",
        /// Public IPv4 addresses while the machine runs.
        Ipv4 = "ipv4",
        /// Processors and host memory that are billed besides the accelerator.
        Processors = "processors",
        /// Money that must be paid in before the first machine starts. It pays this bill, so it is not in the total.
        Prepaid = "prepaid",
        /// The payment at the start of a commitment. It pays the machine for the term, so it is not in the total.
        Upfront = "upfront",
    }
}

crate::words! {
    /// Why the total leaves a line out.
    pub enum OmissionReason {
        /// The catalog has no price.
        NotKnown = "not-known",
        /// Each host of a marketplace sets its own price.
        ByHost = "by-host",
        /// An allowance that depends on the type of the machine may cover the amount.
        Allowance = "allowance",
        /// The catalog has no rate of the currency.
        NoRate = "no-rate",
        /// The price is known, but not the amount that is used.
        AmountNotKnown = "amount-not-known",
        /// It is paid in and pays the other lines.
        Credit = "credit",
    }
}

impl OmissionReason {
    /// Returns whether the total is too low because of the line.
    pub fn is_missing(self) -> bool {
        self != Self::Credit
    }
}

/// An amount in billionths of a US dollar.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Nano(pub u128);

impl Nano {
    /// Returns the amount in millionths, to the nearest one.
    pub fn rounded(self) -> Usd {
        let micro = self.0.saturating_add(NANO_PER_MICRO / 2) / NANO_PER_MICRO;
        Usd(u64::try_from(micro).unwrap_or(u64::MAX))
    }
}

/// The use of a machine that a bill is for.
#[derive(Clone, Copy, Debug)]
pub struct Usage {
    /// The number of sessions. A machine starts once in each.
    pub sessions: u32,
    /// The seconds of work in each session.
    pub session_s: u64,
    /// True if starts, downloads and idle time are part of `session_s`, as for a machine that runs all the time.
    pub includes_start: bool,
    /// The seconds without work at the end of each session.
    pub idle_s: u64,
    /// The seconds of each start; `None` for the time that the catalog has for the provider.
    pub start_s: Option<u64>,
    /// The seconds for which the disk is kept. A shorter period than the sessions take counts as long as they do.
    pub period_s: u64,
    /// The bytes of the disk that each machine keeps.
    pub storage_bytes: u64,
    /// The bytes to the internet in the whole period.
    pub egress_bytes: u64,
    /// The bytes from the internet in the whole period, without the checkpoint.
    pub ingress_bytes: u64,
    /// The checkpoint that is downloaded.
    pub download: Option<Download>,
    /// The public IPv4 addresses.
    pub ipv4: u32,
}

impl Usage {
    /// Returns the use of a machine that its provider ends after a number of seconds.
    #[must_use]
    pub(super) fn until(self, seconds: u64) -> Self {
        Self {
            session_s: self.session_s.min(seconds),
            ..self
        }
    }

    /// Returns the number of downloads of the checkpoint. A disk that is kept has it in all later sessions.
    pub fn downloads(&self) -> u32 {
        match self.download {
            None => 0,
            Some(_) if self.storage_bytes > 0 => 1,
            Some(_) => self.sessions,
        }
    }

    /// Returns the seconds that all sessions take with the starts that the use states: a start of the time that the
    /// catalog has for a provider is not part of them.
    pub fn stated_s(&self) -> u64 {
        let of_one = self.idle_s.saturating_add(self.start_s.unwrap_or(0));
        let downloads = u64::from(self.downloads());
        let downloading = downloads.saturating_mul(self.download.map_or(0, Download::seconds));
        let beside = u64::from(self.sessions).saturating_mul(of_one);
        let beside = beside.saturating_add(downloading);
        let work = u64::from(self.sessions).saturating_mul(self.session_s);
        if self.includes_start {
            work.max(beside)
        } else {
            work.saturating_add(beside)
        }
    }
}

/// The download of a checkpoint.
#[derive(Clone, Copy, Debug)]
pub struct Download {
    /// The bytes of the files.
    pub bytes: u64,
    /// The bytes per second.
    pub bytes_per_s: u64,
}

impl Download {
    /// Returns the seconds of one download, rounded up.
    pub fn seconds(self) -> u64 {
        self.bytes.div_ceil(self.bytes_per_s.max(1))
    }
}

/// The machines that a bill is for.
#[derive(Clone, Copy, Debug)]
pub struct Rented {
    /// The offer.
    pub offer: Offer,
    /// The region of the machines; `None` if unknown.
    pub region: Option<RegionId>,
    /// The price of one machine for an hour.
    pub usd_per_hour: Usd,
    /// The price of the host of attached accelerators; `None` for whole machines.
    pub host: Option<HostCost>,
    /// The number of machines.
    pub machines: u32,
    /// The term that the price is committed for; `None` for a price on demand or spot.
    pub term: Option<CommittedTerm>,
}

/// The price of the host of attached accelerators for an hour; `None` if it is unknown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HostCost(pub Option<Usd>);

/// The term of a committed price.
#[derive(Clone, Copy, Debug)]
pub struct CommittedTerm {
    /// The seconds of the term.
    pub seconds: u64,
    /// The cost of machines after it.
    pub after: AfterTerm,
}

/// The end of a term.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterTerm {
    /// The provider ends the machines.
    Ended,
    /// The machines go on at a price for an hour; `None` if it is unknown.
    OnDemand(Option<Usd>),
}

/// The amount of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Amount {
    /// The amount is known.
    Known(Nano),
    /// The amount is not part of the total.
    LeftOut {
        /// The reason.
        why: OmissionReason,
        /// The amount at most, or the credit; `None` if unknown.
        at_most: Option<Nano>,
    },
}

impl Amount {
    /// The amount of a line without a price.
    pub const UNKNOWN: Self = Self::LeftOut {
        why: OmissionReason::NotKnown,
        at_most: None,
    };

    /// Returns the amount; `None` if it is not part of the total.
    pub fn known(self) -> Option<Nano> {
        match self {
            Self::Known(nano) => Some(nano),
            Self::LeftOut { .. } => None,
        }
    }
}

/// The quantity that a line bills.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Seconds of all machines together; `None` if unknown.
    Seconds(Option<u64>),
    /// Bytes for a number of seconds.
    Stored {
        /// The bytes.
        bytes: u64,
        /// The seconds.
        seconds: u64,
    },
    /// Bytes of traffic in a number of months.
    Traffic {
        /// The bytes.
        bytes: u64,
        /// The months in which they are spread equally.
        months: u64,
    },
    /// Addresses for a number of seconds.
    Addresses {
        /// The addresses.
        count: u32,
        /// The seconds.
        seconds: u64,
    },
    /// One payment.
    Once,
}

/// A line of a bill.
#[derive(Clone, Copy, Debug)]
pub struct BillLine {
    /// The item.
    pub item: LineItem,
    /// The quantity.
    pub quantity: Quantity,
    /// The amount.
    pub amount: Amount,
    /// The charge of the catalog that the line follows from; `None` for machine time, and if the catalog has none.
    pub charge: Option<Charge>,
}

/// A trap of a provider's bill that applies to the use.
#[derive(Clone, Copy, Debug)]
pub struct Trap {
    /// The charge that describes the trap.
    pub charge: Charge,
    /// The amount that it adds if it is not avoided; `None` if it has none.
    pub adds: Option<Nano>,
}

/// The seconds of each machine, all sessions together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Spans {
    /// Work.
    pub work_s: u64,
    /// Starts that are billed; `None` if unknown.
    pub start_s: Option<u64>,
    /// Starts that are not billed.
    pub free_start_s: u64,
    /// Downloads.
    pub download_s: u64,
    /// The number of downloads.
    pub downloads: u32,
    /// Idle time.
    pub idle_s: u64,
    /// Time that only the billing unit and the minimum of a start add.
    pub rounding_s: u64,
    /// Time that only the minimum of a rental adds.
    pub rental_s: u64,
    /// The time that the machine runs.
    pub on_s: u64,
    /// The rest of the period.
    pub off_s: u64,
    /// True if the machine is stopped between sessions, and false if it is deleted.
    pub stops: bool,
    /// True if the machine runs for parts of hours, for which the billing unit matters.
    pub has_part_hours: bool,
    /// The last seconds of work, which are after the term of a committed price.
    pub after_term_s: u64,
}

/// A bill.
#[derive(Clone, Debug)]
pub struct Bill {
    /// The lines. Only items of the use are listed.
    pub lines: Vec<BillLine>,
    /// The traps that apply.
    pub traps: Vec<Trap>,
    /// The sum of the known amounts.
    pub total: Nano,
    /// The spans of time.
    pub spans: Spans,
}

impl Bill {
    /// Returns the lines that the total lacks.
    pub fn missing(&self) -> impl Iterator<Item = &BillLine> {
        self.lines.iter().filter(|line| match line.amount {
            Amount::Known(_) => false,
            Amount::LeftOut { why, .. } => why.is_missing(),
        })
    }
}

impl Spans {
    /// Returns the known seconds of each machine that are billed.
    pub fn billed_s(&self) -> u64 {
        let parts = [
            self.work_s,
            self.start_s.unwrap_or(0),
            self.download_s,
            self.idle_s,
            self.rounding_s,
            self.rental_s,
        ];
        parts.into_iter().fold(0, u64::saturating_add)
    }
}

impl Rented {
    /// Returns the charge of the provider where the machines are; `None` if unknown.
    pub(super) fn charge(&self, catalog: &Catalog<'_>, item: ChargeItem) -> Option<Charge> {
        let charge = catalog.charge(self.offer.provider, item, self.region)?;
        let except = catalog.str(charge.except);
        let is_excepted = !except.is_empty() && catalog.str(self.offer.id).starts_with(except);
        Some(if is_excepted {
            Charge {
                rule: ChargeRule::Free,
                ..charge
            }
        } else {
            charge
        })
    }

    /// Returns the cost of all machines for a number of seconds of each.
    pub(super) fn cost(&self, seconds: u64) -> Nano {
        self.cost_at(self.usd_per_hour, seconds)
    }

    /// Returns the cost of work, the last seconds of which are after the term.
    pub(super) fn cost_of_work(&self, work_s: u64, after_s: u64) -> Nano {
        let Some(AfterTerm::OnDemand(Some(usd))) = self.term.map(|term| term.after) else {
            return self.cost(work_s);
        };
        let within = self.cost(work_s.saturating_sub(after_s));
        let after = self.cost_at(usd, after_s.min(work_s));
        Nano(within.0.saturating_add(after.0))
    }

    /// Returns the cost at a price for an hour of each machine.
    pub(super) fn cost_at(&self, usd: Usd, seconds: u64) -> Nano {
        let nano = u128::from(usd.0) * NANO_PER_MICRO;
        let product = nano
            .saturating_mul(u128::from(seconds))
            .saturating_mul(u128::from(self.machines));
        Nano(divided(product, 3600))
    }
}

/// Divides to the nearest whole number.
pub(super) fn divided(product: u128, by: u128) -> u128 {
    product.saturating_add(by / 2) / by.max(1)
}
