//! The time of work, by cause.

use std::ops::Add;

/// Seconds of work by cause, or the shares of its time.
///
/// Matrix products read and compute at the same time. Their time is divided in proportion to both, so that the parts
/// add up to the whole.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct TimeParts {
    /// Reading weights and cache from device memory.
    pub reading: f64,
    /// Computing.
    pub computing: f64,
    /// Sending data between devices.
    pub sending: f64,
    /// Launching kernels, and kernels that take their minimum time.
    pub launching: f64,
    /// Choosing tokens.
    pub sampling: f64,
    /// Waiting for the host: its work between two steps, and layers that it computes.
    pub waiting: f64,
}

impl TimeParts {
    /// The sum of all parts.
    pub fn total(&self) -> f64 {
        self.reading + self.computing + self.sending + self.launching + self.sampling + self.waiting
    }

    /// All parts multiplied by a number.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        Self {
            reading: self.reading * factor,
            computing: self.computing * factor,
            sending: self.sending * factor,
            launching: self.launching * factor,
            sampling: self.sampling * factor,
            waiting: self.waiting * factor,
        }
    }

    /// The share of each part in the sum; all 0 without any time.
    #[must_use]
    pub fn shares(self) -> Self {
        self.times(1.0 / self.total().max(f64::MIN_POSITIVE))
    }

    /// Parts whose reading and computing take `both` seconds together.
    #[must_use]
    pub(super) fn overlapping(reading: f64, computing: f64, both: f64) -> Self {
        let factor = both / (reading + computing).max(f64::MIN_POSITIVE);
        Self {
            reading: reading * factor,
            computing: computing * factor,
            ..Self::default()
        }
    }
}

impl Add for TimeParts {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self {
            reading: self.reading + other.reading,
            computing: self.computing + other.computing,
            sending: self.sending + other.sending,
            launching: self.launching + other.launching,
            sampling: self.sampling + other.sampling,
            waiting: self.waiting + other.waiting,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_that_overlap_add_up_to_the_time_of_both() {
        let parts = TimeParts::overlapping(3.0, 1.0, 3.2);
        assert!((parts.total() - 3.2).abs() < 1e-12);
        assert!((parts.reading / parts.computing - 3.0).abs() < 1e-12);
    }

    #[test]
    fn shares_add_up_to_one() {
        let parts = TimeParts {
            reading: 2.0,
            sampling: 1.0,
            waiting: 1.0,
            ..TimeParts::default()
        };
        let shares = parts.times(3.0).shares();
        assert!((shares.total() - 1.0).abs() < 1e-12 && (shares.reading - 0.5).abs() < 1e-12);
        assert!(TimeParts::default().shares().total().abs() < 1e-12);
    }
}
