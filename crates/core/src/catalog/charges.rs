//! Charges of providers besides machines, and the rules of their bills.

use super::{Catalog, ProviderId, RegionId, Rows, Str, Table};

crate::words! {
    /// A thing that a provider bills besides machines, or a rule of its bill.
    pub enum ChargeItem {
        /// The disk that stays when a machine is stopped or deleted, while the machine runs.
        Disk = "disk",
        /// The same disk while the machine is stopped, if its price differs.
        StoppedDisk = "stopped-disk",
        /// Disk space in the price of a machine.
        IncludedDisk = "included-disk",
        /// A disk in the machine that is lost when it stops.
        LocalDisk = "local-disk",
        /// A volume that several machines can use, or that outlives its machine at another price.
        NetworkVolume = "network-volume",
        /// A fast network disk.
        FastDisk = "fast-disk",
        /// A hard disk.
        HardDisk = "hard-disk",
        /// Snapshots of disks.
        Snapshot = "snapshot",
        /// Object storage.
        ObjectStorage = "object-storage",
        /// Traffic to the internet.
        Egress = "egress",
        /// Traffic to another region.
        RegionEgress = "region-egress",
        /// Traffic from the internet.
        Ingress = "ingress",
        /// Traffic through address translation.
        Nat = "nat",
        /// A public IPv4 address.
        Ipv4 = "ipv4",
        /// Whether the same address is billed while the machine is stopped.
        StoppedIpv4 = "stopped-ipv4",
        /// A port that is open to the internet.
        Port = "port",
        /// Processors that are billed besides the accelerator.
        Processors = "processors",
        /// Host memory that is billed besides the accelerator.
        HostMemory = "host-memory",
        /// Whether a stopped machine is billed.
        StoppedMachine = "stopped-machine",
        /// The time until a machine can be used.
        Start = "start",
        /// A fee for each new machine.
        SetUp = "set-up",
        /// Money that must be paid in before the first machine starts.
        Prepaid = "prepaid",
        /// The time that a rental is billed at least.
        MinimumRental = "minimum-rental",
        /// A rule of spot prices.
        Spot = "spot",
        /// A rule of reserved capacity.
        Reservation = "reservation",
    }
}

impl ChargeItem {
    /// Returns the units in which a price of the item can be stated; none for a rule of a bill, which has no price.
    pub const fn units(self) -> &'static [ChargeUnit] {
        match self {
            Self::Disk
            | Self::StoppedDisk
            | Self::IncludedDisk
            | Self::LocalDisk
            | Self::NetworkVolume
            | Self::FastDisk
            | Self::HardDisk
            | Self::Snapshot
            | Self::ObjectStorage => &[ChargeUnit::GbMonth, ChargeUnit::GibMonth],
            Self::Egress | Self::RegionEgress | Self::Ingress | Self::Nat => {
                &[ChargeUnit::Gb, ChargeUnit::Gib]
            }
            Self::Ipv4 | Self::Port => &[ChargeUnit::Hour],
            Self::Processors => &[ChargeUnit::VcpuHour, ChargeUnit::CoreHour],
            Self::HostMemory => &[ChargeUnit::GbHour, ChargeUnit::GibHour],
            Self::SetUp | Self::Prepaid => &[ChargeUnit::Once],
            Self::StoppedMachine
            | Self::StoppedIpv4
            | Self::Start
            | Self::MinimumRental
            | Self::Spot
            | Self::Reservation => &[],
        }
    }
}

crate::words! {
    /// The rule of a charge.
    pub enum ChargeRule {
        /// The price holds.
        Priced = "priced",
        /// Nothing is billed.
        Free = "free",
        /// It is billed as if the machine ran.
        Billed = "billed",
        /// It is free under the condition of the note.
        Conditional = "conditional",
        /// Machines cannot be stopped.
        NoStop = "no-stop",
        /// Each host of a marketplace sets its own price.
        ByHost = "by-host",
        /// The price holds above an allowance that depends on the type of the machine.
        Allowance = "allowance",
    }
}

crate::words! {
    /// The unit of the price of a charge.
    pub enum ChargeUnit {
        /// A gigabyte (10⁹ bytes) for a month.
        GbMonth = "GB-month",
        /// A gibibyte (2³⁰ bytes) for a month.
        GibMonth = "GiB-month",
        /// A gigabyte (10⁹ bytes).
        Gb = "GB",
        /// A gibibyte (2³⁰ bytes).
        Gib = "GiB",
        /// An hour.
        Hour = "hour",
        /// A vCPU for an hour.
        VcpuHour = "vCPU-hour",
        /// A core for an hour.
        CoreHour = "core-hour",
        /// A gigabyte for an hour.
        GbHour = "GB-hour",
        /// A gibibyte for an hour.
        GibHour = "GiB-hour",
        /// One payment.
        Once = "payment",
    }
}

impl ChargeUnit {
    /// Returns the bytes of a unit of storage or traffic.
    pub const fn bytes(self) -> u64 {
        match self {
            Self::GibMonth | Self::Gib | Self::GibHour => 1 << 30,
            _ => 1_000_000_000,
        }
    }

    /// Returns the unit without its time, such as `GB`.
    pub const fn size(self) -> &'static str {
        match self {
            Self::GibMonth | Self::Gib | Self::GibHour => "GiB",
            _ => "GB",
        }
    }
}

crate::words! {
    /// How certain a fact is.
    pub enum Certainty {
        /// The provider's own list or page, or two independent sources that agree.
        High = "high",
        /// A copy of the provider's list, or documentation without a date.
        Medium = "medium",
        /// One weak source.
        Low = "low",
    }
}

crate::rows! {
    /// A charge of a provider, or a rule of its bill.
    #[derive(Clone, Copy, Debug)]
    pub struct Charge {
        /// The provider.
        pub provider: ProviderId,
        /// The thing that is billed.
        pub item: ChargeItem,
        /// The region where it holds; `None` for all regions without a separate charge.
        pub region: Option<RegionId>,
        /// The rule.
        pub rule: ChargeRule,
        /// The start of the ids of offers for which it is free; empty if it holds for all.
        pub except: Str,
        /// The unit of the price.
        pub unit: ChargeUnit,
        /// The code of the currency; empty for US dollars.
        pub currency: Str,
        /// The price of a unit in billionths of the currency; `None` if a rule takes its place.
        pub price: Option<u64>,
        /// The units of each month that cost nothing; of addresses, the number on each machine.
        pub free: u64,
        /// The prices of larger amounts: a run of [`field@Catalog::charge_tiers`], the smallest amount first.
        pub tiers: Rows,
        /// The seconds of a start or of a rental at least.
        pub least_s: u32,
        /// The seconds of a start at most.
        pub most_s: u32,
        /// A remark, or empty.
        pub note: Str,
        /// The source.
        pub source: Str,
        /// The date of the source: a day, a month or a year.
        pub as_of: Str,
        /// The certainty.
        pub sure: Certainty,
    }

    /// The price of the part of an amount that is above a bound.
    #[derive(Clone, Copy, Debug)]
    pub struct ChargeTier {
        /// The bound in units of each month, counted after the free units.
        pub above: u64,
        /// The price of a unit in billionths of the currency.
        pub price: u64,
    }
}

impl<'a> Catalog<'a> {
    /// Returns the charge of a provider in a region, or else its charge for all regions; `None` if unknown.
    pub fn charge(
        &self,
        provider: ProviderId,
        item: ChargeItem,
        region: Option<RegionId>,
    ) -> Option<Charge> {
        let at = |region: Option<RegionId>| {
            let key = (provider, item, region);
            self.charges
                .find(|row| (row.provider, row.item, row.region).cmp(&key))
        };
        region.and_then(|id| at(Some(id))).or_else(|| at(None))
    }

    /// Returns all charges of a provider.
    pub fn charges_of(&self, provider: ProviderId) -> Table<'a, Charge> {
        self.charges.equal_range(&provider, |row| row.provider)
    }

    /// Returns the prices of larger amounts of a charge.
    pub fn tiers_of(&self, charge: &Charge) -> Table<'a, ChargeTier> {
        self.charge_tiers.run(charge.tiers)
    }
}
