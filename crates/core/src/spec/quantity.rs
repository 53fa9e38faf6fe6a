//! Counts and memory sizes of a spec, and their ranges.

use std::fmt;

use super::code::SpecErrorCode;
use super::error::UnplacedError;
use super::op::Op;
use crate::memory::{self, Gigabytes};
use crate::money::Count;
use crate::text::number;

/// A range of device counts, both bounds inclusive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CountRange {
    /// The lower bound.
    pub min: Count,
    /// The upper bound; `None` without one.
    pub max: Option<Count>,
}

impl CountRange {
    /// Returns the range of one count.
    pub const fn exactly(count: Count) -> Self {
        Self {
            min: count,
            max: Some(count),
        }
    }

    /// Returns the range of a count and all larger ones.
    pub const fn at_least(count: Count) -> Self {
        Self {
            min: count,
            max: None,
        }
    }

    /// Returns the count of a range with exactly one count.
    pub fn single(self) -> Option<Count> {
        (self.max == Some(self.min)).then_some(self.min)
    }

    /// Returns whether a count is in the range.
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

/// A condition on the memory of one device, in marketed GB.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MemoryRange {
    /// A size, which means the nearest marketed size.
    Size(Gigabytes),
    /// Bounds, both inclusive.
    Between {
        /// The lower bound; `None` without one.
        min: Option<Gigabytes>,
        /// The upper bound; `None` without one.
        max: Option<Gigabytes>,
    },
    /// One strict or inclusive bound.
    Compare(Op, Gigabytes),
}

impl MemoryRange {
    /// Returns whether a marketed size in GB is in the range. A plain size must match exactly here;
    /// [`crate::memory::nearest_size`] finds the marketed size that it means.
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

/// Reads `8`, `x8`, `x0.5`, `x2..8` or `x4+`.
///
/// # Errors
///
/// Fails when the text is not a count, when a count is not above zero or is above a million, and
/// when the range is backward.
pub(crate) fn count_range(text: &str) -> Result<CountRange, UnplacedError> {
    let body = strip_times(text.trim());
    if let Some(from) = body.strip_suffix('+') {
        return Ok(CountRange::at_least(count(from, text)?));
    }
    if let Some((from, to)) = body.split_once("..") {
        let to = strip_times(to.trim());
        let min = count(from, text)?;
        if to.is_empty() {
            return Ok(CountRange::at_least(min));
        }
        let max = count(to, text)?;
        if max < min {
            let message = format!("the range '{}' runs backwards", text.trim());
            return Err(UnplacedError::new(SpecErrorCode::BadCount, message));
        }
        return Ok(CountRange {
            min,
            max: Some(max),
        });
    }
    Ok(CountRange::exactly(count(body, text)?))
}

fn count(digits: &str, part: &str) -> Result<Count, UnplacedError> {
    let (digits, part) = (digits.trim(), part.trim());
    let error = |code, message: String| Err(UnplacedError::new(code, message));
    let value: f64 = match digits.parse() {
        Ok(value) if is_number(digits.trim_start_matches('-')) => value,
        _ => {
            let message = format!("'{part}' is not a count such as x8, x0.5 or x2..8");
            return error(SpecErrorCode::BadCount, message);
        }
    };
    if value <= 0.0 {
        let message = format!("the count '{part}' is not above zero");
        return error(SpecErrorCode::ZeroCount, message);
    }
    Count::from_decimal(value).map_or_else(
        || {
            let message = format!("the count '{part}' is out of range (0.001 to 1000000)");
            error(SpecErrorCode::BadCount, message)
        },
        Ok,
    )
}

/// Reads `40GB`, `40GB+`, `24GB..80GB`, `..80GB` or `>=40GB`.
///
/// # Errors
///
/// Fails when the text is not a size, when a size is out of range, and when the range is backward
/// or empty.
pub(crate) fn memory_range(text: &str) -> Result<MemoryRange, UnplacedError> {
    let text = text.trim();
    if let Some((op, rest)) = Op::strip(text) {
        return bound(op, rest, text);
    }
    if let Some(from) = text.strip_suffix('+') {
        return Ok(MemoryRange::Between {
            min: Some(size(from, None, text)?),
            max: None,
        });
    }
    if let Some((from, to)) = text.split_once("..") {
        let (from, to) = (from.trim(), to.trim());
        // In `24..80GB`, the unit of the upper bound applies to both.
        let unit = to
            .trim_start_matches(|c: char| c.is_ascii_digit() || c == '.')
            .trim();
        let given = |side: &str, unit| {
            let is_given = !side.is_empty();
            is_given.then(|| size(side, unit, text)).transpose()
        };
        let (max, min) = (given(to, None)?, given(from, Some(unit))?);
        let wrong = match (min, max) {
            (Some(min), Some(max)) if max < min => "runs backwards",
            (None, None) => "has no bound",
            _ => return Ok(MemoryRange::Between { min, max }),
        };
        let message = format!("the range '{text}' {wrong}");
        return Err(UnplacedError::new(SpecErrorCode::BadMemory, message));
    }
    Ok(MemoryRange::Size(size(text, None, text)?))
}

/// Reads the value of `memory op value`; after `=`, it may be a range.
///
/// # Errors
///
/// Same as [`memory_range`], and [`SpecErrorCode::BadMemory`] for `!=`.
pub(crate) fn memory_bound(op: Op, value: &str) -> Result<MemoryRange, UnplacedError> {
    if op == Op::Equal {
        return memory_range(value);
    }
    bound(op, value, value)
}

fn bound(op: Op, text: &str, part: &str) -> Result<MemoryRange, UnplacedError> {
    let gigabytes = size(text, None, part)?;
    Ok(match op {
        Op::Equal => MemoryRange::Size(gigabytes),
        Op::NotEqual => {
            let message = "memory compares with =, >=, >, <= or <";
            return Err(UnplacedError::new(SpecErrorCode::BadMemory, message));
        }
        Op::AtLeast => MemoryRange::Between {
            min: Some(gigabytes),
            max: None,
        },
        op => MemoryRange::Compare(op, gigabytes),
    })
}

fn size(text: &str, unit_of_range: Option<&str>, part: &str) -> Result<Gigabytes, UnplacedError> {
    let text = text.trim();
    let digits = text
        .bytes()
        .take_while(|b| b.is_ascii_digit() || *b == b'.')
        .count();
    let (number, unit) = (&text[..digits], text[digits..].trim());
    let unit = if unit.is_empty() {
        unit_of_range.unwrap_or_default()
    } else {
        unit
    };
    let bad = |message: String| UnplacedError::new(SpecErrorCode::BadMemory, message);
    let unread = || {
        bad(format!(
            "'{part}' is not a memory size such as 80GB, 24GB..80GB or >=40GB"
        ))
    };
    let value: f64 = number.parse().map_err(|_| unread())?;
    let gigabytes = memory::with_unit(value, unit).ok_or_else(unread)?;
    if gigabytes.0 > 0.0 && gigabytes.0 <= 1e6 {
        Ok(gigabytes)
    } else {
        Err(bad(format!("the memory size '{part}' is out of range")))
    }
}

/// Returns a count without its leading `x`.
pub(super) fn strip_times(text: &str) -> &str {
    ["x", "X", "×"]
        .into_iter()
        .find_map(|times| text.strip_prefix(times))
        .unwrap_or(text)
}

fn is_number(text: &str) -> bool {
    !text.is_empty()
        && text.bytes().all(|b| b.is_ascii_digit() || b == b'.')
        && text.bytes().filter(|b| *b == b'.').count() <= 1
        && text.bytes().any(|b| b.is_ascii_digit())
}
