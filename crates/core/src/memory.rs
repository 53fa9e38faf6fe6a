//! Memory sizes as users write them, as drivers report them, and the marketed sizes they mean.
//!
//! Vendors print sizes in "GB" that are mostly binary, drivers report a little less than that in
//! MiB (an L4 sold as 24 GB reports 22,888 MiB), and neighboring products are close (94 and 96
//! GB). For this reason a size is never compared with a fixed tolerance: it means the nearest size
//! among the candidates, if that size is within [`BELOW`] and [`ABOVE`].

use std::fmt;

use crate::text::number;

/// The largest distance of a size below the marketed size, as a fraction of the marketed size.
/// Drivers reserve memory: 22,888 MiB of 24 GB is 6.9 % less.
pub const BELOW: f64 = 0.07;
/// The largest distance of a size above the marketed size, as a fraction of the marketed size. One
/// provider prints 143 GB for 141 GB, 1.4 % more; the next larger sizes on sale, such as 94 and 96
/// GB, are 2.1 % apart and must stay distinct.
pub const ABOVE: f64 = 0.02;

/// Marketed gigabytes. Vendors write GB for binary GiB, so the two are the same number here.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Gigabytes(pub f64);

impl fmt::Display for Gigabytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}GB", number(self.0))
    }
}

/// Converts a number with its unit to marketed gigabytes. GB, GiB and G are the same unit; MB and
/// MiB, which drivers report, are 1/1024 of it. Returns `None` for an unknown unit.
pub fn with_unit(value: f64, unit: &str) -> Option<Gigabytes> {
    let factor = match unit.to_ascii_lowercase().as_str() {
        "gb" | "gib" | "g" => 1.0,
        "mb" | "mib" | "m" => 1.0 / 1024.0,
        "tb" | "tib" | "t" => 1000.0,
        _ => return None,
    };
    Some(Gigabytes(value * factor))
}

/// Returns whether two sizes in GB are equal, apart from rounding.
pub fn is_same(a: f64, b: f64) -> bool {
    (a - b).abs() < 0.005
}

/// Returns whether a size matches the size in MiB that a driver or an API reports, within 0.2 %.
pub fn is_reported(wanted: Gigabytes, reported_mib: f64) -> bool {
    (wanted.0 * 1024.0 - reported_mib).abs() <= reported_mib * 0.002
}

/// Returns the nearest marketed size in `sizes` that is within [`BELOW`] and [`ABOVE`] of `wanted`;
/// `None` when there is no such size.
pub fn nearest_size(wanted: Gigabytes, sizes: impl IntoIterator<Item = f64>) -> Option<f64> {
    let distance = |size: f64| (size - wanted.0).abs() / size;
    sizes
        .into_iter()
        .filter(|size| wanted.0 >= size * (1.0 - BELOW) && wanted.0 <= size * (1.0 + ABOVE))
        .min_by(|a, b| distance(*a).total_cmp(&distance(*b)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mib(value: f64) -> Gigabytes {
        with_unit(value, "MiB").unwrap()
    }

    #[test]
    fn reads_sizes_of_drivers_as_marketed_sizes() {
        assert_eq!(nearest_size(mib(22_888.0), [24.0]), Some(24.0));
        assert_eq!(nearest_size(mib(45_776.0), [48.0]), Some(48.0));
        assert_eq!(nearest_size(mib(183_359.0), [180.0, 168.0]), Some(180.0));
        assert_eq!(nearest_size(mib(275_040.0), [288.0]), Some(288.0));
        assert_eq!(
            nearest_size(mib(81_559.0), [64.0, 80.0, 94.0, 96.0]),
            Some(80.0)
        );
        assert_eq!(
            nearest_size(mib(95_830.0), [64.0, 80.0, 94.0, 96.0]),
            Some(94.0)
        );
    }

    #[test]
    fn distinguishes_neighboring_sizes() {
        assert_eq!(nearest_size(Gigabytes(94.0), [80.0]), None);
        assert_eq!(nearest_size(Gigabytes(80.0), [94.0]), None);
        assert_eq!(
            nearest_size(Gigabytes(96.0), [80.0, 94.0, 96.0]),
            Some(96.0)
        );
        assert_eq!(nearest_size(Gigabytes(99.0), [80.0, 94.0, 96.0]), None);
        assert_eq!(nearest_size(Gigabytes(143.0), [141.0]), Some(141.0));
        assert_eq!(
            nearest_size(Gigabytes(40.0), [64.0, 80.0, 94.0, 96.0]),
            None
        );
    }

    #[test]
    fn converts_units() {
        assert_eq!(with_unit(1.5, "TB"), Some(Gigabytes(1500.0)));
        assert_eq!(with_unit(80.0, "gib"), with_unit(80.0, "G"));
        assert_eq!(with_unit(80.0, "kb"), None);
    }

    #[test]
    fn compares_reported_and_equal_sizes() {
        assert!(is_same(80.0, 80.004) && !is_same(80.0, 80.006));
        assert!(is_reported(mib(81_559.0), 81_559.0));
        assert!(is_reported(mib(81_700.0), 81_559.0));
        assert!(!is_reported(mib(81_800.0), 81_559.0));
        assert!(!is_reported(mib(81_300.0), 81_559.0));
    }

    #[test]
    fn the_window_is_7_percent_below_and_2_percent_above() {
        assert_eq!(nearest_size(Gigabytes(93.0), [100.0]), Some(100.0));
        assert_eq!(nearest_size(Gigabytes(92.9), [100.0]), None);
        assert_eq!(nearest_size(Gigabytes(102.0), [100.0]), Some(100.0));
        assert_eq!(nearest_size(Gigabytes(102.1), [100.0]), None);
    }
}
