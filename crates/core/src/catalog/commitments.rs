//! Commitments: prices for a promise to pay for a term, such as reserved instances.

use std::cmp::Ordering;
use std::fmt;

use super::{Catalog, Offer, OfferId, Price, ProviderId, Quality, RegionId, Rows, Str, Table};
use crate::money::Usd;

crate::words! {
    /// How much of a commitment is paid at its start, from the least.
    pub enum Upfront {
        /// Nothing: every month is paid as it passes.
        None = "none",
        /// A part; the rest is paid by the hour.
        Partial = "partial",
        /// The whole term.
        All = "all",
    }
}

crate::words! {
    /// The hours that a commitment bills.
    pub enum CommitmentBilling {
        /// Every hour of the term, used or not.
        WholeTerm = "whole-term",
        /// The hours of use only.
        Used = "used",
    }
}

crate::words! {
    /// The meaning of the figure of a commitment.
    pub enum CommitmentBasis {
        /// US dollars per hour for the whole machine.
        Machine = "machine",
        /// US dollars per hour for one accelerator, with its share of the machine.
        Accelerator = "accelerator",
        /// US dollars per hour for one accelerator without the rest of the machine, which is billed apart.
        AcceleratorAlone = "accelerator-alone",
        /// The share of the price on demand, in millionths.
        Share = "share",
        /// No price is known.
        Unknown = "unknown",
    }
}

/// A length of time, or a range of lengths, in days.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Term {
    /// The least number of days; 0 for any time up to the end.
    pub from: u16,
    /// The greatest number of days; [`Term::OPEN`] without an end.
    pub until: u16,
}

/// The days of a year.
const YEAR: u32 = 365;
/// The months of the longest term.
const MOST_MONTHS: u32 = 120;

impl Term {
    /// The greatest number of days of a term without an end.
    pub const OPEN: u16 = u16::MAX;

    /// A term of one length.
    pub const fn of_days(days: u16) -> Self {
        Self {
            from: days,
            until: days,
        }
    }

    /// Reads `1y`, `3mo`, `2w`, `7d`, a range such as `1d-182d`, or `1mo+`. A month is a twelfth of a year, in whole
    /// days. No term ends on the day of its start.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        if let Some(from) = text.strip_suffix('+') {
            let from = days(from)?;
            return Some(Self {
                from,
                until: Self::OPEN,
            });
        }
        let Some((from, until)) = text.split_once('-') else {
            return days(text).filter(|days| *days > 0).map(Self::of_days);
        };
        let (from, until) = (days(from)?, days(until)?);
        (from <= until && until > 0).then_some(Self { from, until })
    }

    /// Returns the days of a term of one length.
    pub fn days(self) -> Option<u16> {
        (self.from == self.until).then_some(self.from)
    }

    /// Returns whether a number of days is in the range.
    pub fn contains(self, days: u16) -> bool {
        (self.from..=self.until).contains(&days)
    }
}

/// Reads a number of days, such as `1y` or `7d`.
fn days(text: &str) -> Option<u16> {
    let text = text.trim();
    let unit_at = text.find(|c: char| !c.is_ascii_digit())?;
    let (number, unit) = text.split_at(unit_at);
    let number: u32 = number.parse().ok().filter(|number| *number <= 10_000)?;
    let days = match unit {
        "d" => number,
        "w" => number * 7,
        "mo" => number * YEAR / 12,
        "y" => number * YEAR,
        _ => return None,
    };
    u16::try_from(days).ok().filter(|days| *days < Term::OPEN)
}

/// Writes a number of days in the largest unit that fits.
fn in_words(f: &mut fmt::Formatter<'_>, days: u16) -> fmt::Result {
    let days = u32::from(days);
    if days > 0 && days.is_multiple_of(YEAR) {
        return write!(f, "{}y", days / YEAR);
    }
    match (1..=MOST_MONTHS).find(|months| months * YEAR / 12 == days) {
        Some(months) => write!(f, "{months}mo"),
        None => write!(f, "{days}d"),
    }
}

impl CommitmentProgram {
    /// Returns whether terms of some days can be bought, if they are within the range of a commitment.
    pub fn has_length(&self, days: u16) -> bool {
        const WEEK: u16 = 7;
        let is_of_weeks = self.weeks_above_days > 0 && days > self.weeks_above_days;
        !is_of_weeks || days.is_multiple_of(WEEK)
    }
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self { from, until } if from == until => in_words(f, from),
            Self {
                from,
                until: Self::OPEN,
            } => {
                in_words(f, from)?;
                f.write_str("+")
            }
            Self { from: 0, until } => {
                f.write_str("up to ")?;
                in_words(f, until)
            }
            Self { from, until } => {
                write!(f, "{from}d-{until}d")
            }
        }
    }
}

crate::rows! {
    /// A kind of commitment that a provider sells.
    #[derive(Clone, Copy, Debug)]
    pub struct CommitmentProgram {
        /// The provider.
        pub provider: ProviderId,
        /// The id, such as `aws-standard-ri`.
        pub id: Str,
        /// The name, such as `standard reserved instance`.
        pub name: Str,
        /// The hours that it bills.
        pub billing: CommitmentBilling,
        /// The outcome at the end of the term; empty if unknown.
        pub at_end: Str,
        /// Whether the provider ends the machines at the end of the term.
        pub ends_machines: bool,
        /// The days above which terms are whole weeks; 0 if every length is sold.
        pub weeks_above_days: u16,
        /// A remark for users.
        pub note: Str,
        /// The source of these facts.
        pub source: Str,
        /// The date of the source.
        pub as_of: Str,
        /// The prices that follow from others: a run of [`Catalog::derived_payments`].
        pub derived: Rows,
    }

    /// A price that is a constant part of the price of the same commitment without upfront payment.
    #[derive(Clone, Copy, Debug)]
    pub struct DerivedPayment {
        /// The days of the term.
        pub days: u16,
        /// The payment.
        pub upfront: Upfront,
        /// The share of the price without upfront payment, in millionths.
        pub share: u32,
        /// The source of the share.
        pub source: Str,
        /// The date of the source.
        pub as_of: Str,
    }

    /// The price of an offer in one region under a commitment.
    #[derive(Clone, Copy, Debug)]
    pub struct Commitment {
        /// The provider.
        pub provider: ProviderId,
        /// The provider's id of the offer; empty for every offer of the provider.
        pub offer: Str,
        /// The index of the kind of commitment in [`Catalog::commitment_programs`].
        pub program: u16,
        /// The least days of the term.
        pub from_days: u16,
        /// The greatest days of the term.
        pub until_days: u16,
        /// The payment; `None` if it is not stated.
        pub upfront: Option<Upfront>,
        /// What `figure` is.
        pub basis: CommitmentBasis,
        /// US dollars or a share, both in millionths.
        pub figure: u64,
        /// True if the price is the lowest of several that the provider does not publish.
        pub is_lowest: bool,
        /// The greatest discount that the provider states, in millionths; 0 if it states none.
        pub up_to_discount: u32,
        /// The price tier that it is for; `None` for every tier.
        pub tier: Option<u8>,
        /// The region; `None` if the price names none.
        pub region: Option<RegionId>,
        /// The quality of the price.
        pub quality: Quality,
        /// A remark for users.
        pub note: Str,
        /// The source of the price.
        pub source: Str,
        /// The date of the price.
        pub as_of: Str,
    }

    /// The requested commitments. The default is every commitment.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct CommitmentFilter {
        /// The days of the term; `None` for any term.
        pub days: Option<u16>,
        /// The payment; `None` for the least upfront payment that each kind of commitment has.
        pub upfront: Option<Upfront>,
    }

    /// The prices of an offer that other prices replaced.
    #[derive(Clone, Copy, Debug)]
    pub struct ReplacedPrices {
        /// The offer.
        pub offer: OfferId,
        /// A run of [`Catalog::prices`].
        pub prices: Rows,
    }
}

/// The denominator of shares.
pub const MILLION: u64 = 1_000_000;

impl Commitment {
    /// Returns the term.
    pub fn term(&self) -> Term {
        Term {
            from: self.from_days,
            until: self.until_days,
        }
    }
}

impl CommitmentFilter {
    /// Returns whether a term is requested.
    pub fn admits(&self, term: Term) -> bool {
        self.days.is_none_or(|days| term.contains(days))
    }

    /// Returns whether a commitment has a price for exactly this request. The lowest price of several lengths may
    /// belong to another length.
    pub fn is_priced(&self, commitment: &Commitment) -> bool {
        self.days.is_none() || !commitment.is_lowest
    }
}

/// Returns a share of a price, to the nearest millionth of a dollar.
pub fn share_of(usd: Usd, millionths: u64) -> Usd {
    let product = u128::from(usd.0) * u128::from(millionths) + u128::from(MILLION / 2);
    Usd((product / u128::from(MILLION)).min(u64::MAX.into()) as u64)
}

impl<'a> Catalog<'a> {
    /// Returns the commitments for an offer: first its specific commitments, then the commitments for every offer of
    /// its provider.
    pub fn commitments(&self, offer: &Offer) -> impl Iterator<Item = Commitment> + use<'a> {
        let own = self.commitments_of(offer.provider, offer.id);
        own.iter()
            .chain(self.commitments_of(offer.provider, Str::default()).iter())
    }

    fn commitments_of(&self, provider: ProviderId, offer: Str) -> Table<'a, Commitment> {
        let id = self.pool.bytes_of(offer);
        let place = |row: &Commitment| -> Ordering {
            let by_offer = || self.pool.bytes_of(row.offer).cmp(id);
            row.provider.cmp(&provider).then_with(by_offer)
        };
        let from = self
            .commitments
            .partition_point(|row| place(&row) == Ordering::Less);
        let until = self
            .commitments
            .partition_point(|row| place(&row) != Ordering::Greater);
        self.commitments.run(Rows {
            start: from as u32,
            len: until.saturating_sub(from) as u32,
        })
    }

    /// Returns the kind of a commitment.
    pub fn program(&self, commitment: &Commitment) -> CommitmentProgram {
        self.commitment_programs.at(commitment.program.into())
    }

    /// Returns the commitments whose prices replace the prices on demand; `None` without a commitment.
    pub fn commitment_filter(&self) -> Option<CommitmentFilter> {
        self.commitment_request.first()
    }

    /// Returns an offer with the prices that committed prices replaced; the unchanged offer if no price was replaced.
    pub fn uncommitted(&self, id: OfferId) -> Offer {
        let prices = self.uncommitted_prices(id);
        Offer {
            prices,
            ..self.offer(id)
        }
    }

    fn uncommitted_prices(&self, id: OfferId) -> Rows {
        let replaced = self.replaced_prices.find(|row| row.offer.cmp(&id));
        replaced.map_or_else(|| self.offer(id).prices, |row| row.prices)
    }

    /// Returns the published prices of an offer that the prices of a contract replaced.
    pub fn displaced_prices(&self, id: OfferId) -> Table<'a, Price> {
        let displaced = self.displaced_prices.find(|row| row.offer.cmp(&id));
        self.prices
            .run(displaced.map_or_else(Rows::default, |row| row.prices))
    }

    /// Returns the prices on demand and spot that others pay for an offer, whatever the catalog's user pays.
    pub fn market_prices(&self, id: OfferId) -> impl Iterator<Item = Price> + use<'a> {
        let current = self.prices.run(self.uncommitted_prices(id));
        let prices = current.iter().chain(self.displaced_prices(id).iter());
        prices.filter(Price::is_of_market)
    }
}

impl Price {
    /// Returns whether the price is a committed price, and not one on demand.
    pub fn is_committed(&self) -> bool {
        self.kind == super::PriceKind::Committed
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_read_and_written() {
        for (text, from, until) in [
            ("1y", 365, 365),
            ("3y", 1095, 1095),
            ("12mo", 365, 365),
            ("6mo", 182, 182),
            ("1mo", 30, 30),
            ("2w", 14, 14),
            ("1d-182d", 1, 182),
            ("1mo+", 30, Term::OPEN),
        ] {
            let term = Term::parse(text).unwrap();
            assert_eq!((term.from, term.until), (from, until), "{text}");
            if text != "12mo" && text != "2w" {
                assert_eq!(term.to_string(), text);
            }
        }
        for text in [
            "", "y", "1", "1m", "3y-1y", "-1y", "400y", "1h", "1y+x", "٣y",
        ] {
            assert_eq!(Term::parse(text), None, "{text}");
        }
        assert_eq!(Term { from: 0, until: 7 }.to_string(), "up to 7d");
        assert_eq!(Term::parse("12mo"), Term::parse("1y"));
    }

    #[test]
    fn shares_round_to_the_nearest_millionth() {
        assert_eq!(share_of(Usd(1_000_001), 952_400), Usd(952_401));
        assert_eq!(share_of(Usd(u64::MAX), MILLION), Usd(u64::MAX));
    }
}
