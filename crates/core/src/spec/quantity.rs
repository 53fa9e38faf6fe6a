//! Quantities of a spec: counts and memory sizes, with their ranges.

use std::fmt;

use super::Op;
use crate::memory::Gigabytes;
use crate::money::Count;
use crate::text::number;

/// How many devices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountRange {
    pub min: Count,
    /// `None` is no upper bound.
    pub max: Option<Count>,
}

impl CountRange {
    /// Exactly so many.
    pub const fn exactly(count: Count) -> Self {
        Self {
            min: count,
            max: Some(count),
        }
    }

    /// So many or more.
    pub const fn at_least(count: Count) -> Self {
        Self {
            min: count,
            max: None,
        }
    }

    /// The one count that it is, if it is one.
    pub fn single(self) -> Option<Count> {
        (self.max == Some(self.min)).then_some(self.min)
    }

    pub fn contains(self, count: Count) -> bool {
        count >= self.min && self.max.is_none_or(|max| count <= max)
    }
}

impl fmt::Display for CountRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.max {
            Some(max) if max == self.min => write!(f, "x{}", self.min),
            Some(max) => write!(f, "x{}..{max}", self.min),
            None => write!(f, "x{}+", self.min),
        }
    }
}

/// How much memory one device has, in marketed gigabytes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MemoryRange {
    /// A size: whichever marketed size it stands for.
    Size(Gigabytes),
    /// Bounds, both inclusive.
    Between {
        min: Option<Gigabytes>,
        max: Option<Gigabytes>,
    },
    /// One strict or inclusive bound.
    Compare(Op, Gigabytes),
}

impl MemoryRange {
    /// Whether a marketed size is in the range. A plain size is settled by
    /// [`crate::memory::nearest_size`] instead and matches here only exactly.
    pub fn contains(self, memory_gb: f64) -> bool {
        match self {
            Self::Size(size) => crate::memory::is_same(memory_gb, size.0),
            Self::Between { min, max } => {
                min.is_none_or(|min| memory_gb >= min.0) && max.is_none_or(|max| memory_gb <= max.0)
            }
            Self::Compare(op, bound) => op.holds(memory_gb.total_cmp(&bound.0)),
        }
    }
}

impl fmt::Display for MemoryRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Size(size) => write!(f, "{size}"),
            Self::Between { min, max } => {
                if let Some(min) = min {
                    write!(f, "{}", number(min.0))?;
                    if max.is_none() {
                        return write!(f, "GB+");
                    }
                }
                f.write_str("..")?;
                if let Some(max) = max {
                    write!(f, "{max}")
                } else {
                    Ok(())
                }
            }
            Self::Compare(op, bound) => write!(f, "{}{bound}", op.spelling()),
        }
    }
}
