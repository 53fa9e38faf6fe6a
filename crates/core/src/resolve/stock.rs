//! The order of machines by their stock.

use crate::catalog::Availability;

/// Stock as it orders machines. Unknown stock is not "no": it precedes only machines that cannot be had.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum StockClass {
    /// In stock.
    Available,
    /// Few are left.
    Limited,
    /// Unknown, or sold with unreported stock.
    #[default]
    Unknown,
    /// Out of stock, excluded by a quota, or not sold there.
    Out,
}

impl From<Availability> for StockClass {
    fn from(availability: Availability) -> Self {
        match availability {
            Availability::Available => Self::Available,
            Availability::Limited => Self::Limited,
            Availability::Unknown => Self::Unknown,
            Availability::Unavailable => Self::Out,
        }
    }
}

impl StockClass {
    /// Returns the class that orders prices and matches: with `by_stock` every class counts, otherwise only whether the
    /// machine can be had.
    pub(super) fn ordering(availability: Availability, by_stock: bool) -> Self {
        match Self::from(availability) {
            Self::Out => Self::Out,
            class if by_stock => class,
            _ => Self::Available,
        }
    }
}
