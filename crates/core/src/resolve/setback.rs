//! The rank of matches by the doubts about them.

use super::verdict::Reason;
use crate::catalog::{Offer, OfferKind, Price};
use crate::money::Count;

/// The doubts about a match, the smallest first: matches with smaller doubts rank first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Setback {
    /// A machine with a confirmed price.
    #[default]
    None,
    /// The price is confirmed; the host is small or private, or its number of accelerators is unknown.
    Host,
    /// No recent source confirms the price.
    Price,
    /// The price is implausible, or buys something else than a machine with the accelerators.
    Product,
}

impl Setback {
    /// The number of bits of its value.
    pub const BITS: u32 = 2;

    /// Returns the setback of an offer at a count and a price.
    pub fn of(offer: &Offer, count: Count, price: Option<&Price>, reasons: &[Reason]) -> Self {
        if offer.is_part(count) || offer.kind == OfferKind::Endpoint {
            return Self::Product;
        }
        let of_price = match price {
            Some(price) if price.quality.is_weak() => Self::Price,
            _ => Self::None,
        };
        of_price.max(Self::of_reasons(reasons))
    }

    /// Returns the setback by reasons alone.
    pub fn of_reasons(reasons: &[Reason]) -> Self {
        let setbacks = reasons.iter().map(|reason| match reason {
            Reason::ImplausiblePrice => Self::Product,
            Reason::UnconfirmedPrice => Self::Price,
            reason if reason.is_doubt() => Self::Host,
            _ => Self::None,
        });
        setbacks.max().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubts_about_the_host_set_back_less_than_doubts_about_the_price() {
        let of = Setback::of_reasons;
        assert_eq!(of(&[]), Setback::None);
        assert_eq!(of(&[Reason::OldPrice, Reason::Larger]), Setback::None);
        assert_eq!(of(&[Reason::PrivateHost]), Setback::Host);
        assert_eq!(
            of(&[Reason::SmallHost, Reason::UnconfirmedPrice]),
            Setback::Price
        );
        assert_eq!(
            of(&[Reason::ImplausiblePrice, Reason::UnconfirmedPrice]),
            Setback::Product
        );
        assert!(Setback::Product as u32 >> Setback::BITS == 0);
    }
}
