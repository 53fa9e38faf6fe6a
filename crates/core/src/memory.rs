//! Memory sizes: what people write, what drivers report, and which marketed size is meant.
//!
//! Vendors print sizes in "GB" that are mostly binary, drivers report a little less than that in
//! MiB (an L4 sold as 24 GB reports 22,888 MiB), and neighbouring products are close (94 and
//! 96 GB). So a size is never compared with a bare tolerance: it stands for the nearest size
//! that exists among the candidates, and only when that is near enough.

use std::fmt;

use crate::text::number;

/// The largest distance of a size below the marketed one, as a fraction of it: drivers hold some
/// memory back, 22,888 MiB of 24 GB is 6.9 %.
pub const BELOW: f64 = 0.07;
/// The largest distance of a size above the marketed one, as a fraction of it: one provider prints
/// 143 GB for 141.
pub const ABOVE: f64 = 0.02;

/// Marketed gigabytes; the vendors' GB and the binary GiB are the same number here.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Gigabytes(pub f64);

impl fmt::Display for Gigabytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}GB", number(self.0))
    }
}

/// Converts a number with its unit to gigabytes. GB, GiB and G are one unit, the marketed one; MB
/// and MiB are what drivers report, 1024 to a gigabyte. `None` for an unknown unit.
pub fn with_unit(value: f64, unit: &str) -> Option<Gigabytes> {
    let factor = match unit.to_ascii_lowercase().as_str() {
        "gb" | "gib" | "g" => 1.0,
        "mb" | "mib" | "m" => 1.0 / 1024.0,
        "tb" | "tib" | "t" => 1000.0,
        _ => return None,
    };
    Some(Gigabytes(value * factor))
}

/// Returns whether two sizes are the same number.
pub fn is_same(a: f64, b: f64) -> bool {
    (a - b).abs() < 0.005
}

/// Returns whether a size is the one that a driver or an API reports, in MiB.
pub fn is_reported(wanted: Gigabytes, reported_mib: f64) -> bool {
    (wanted.0 * 1024.0 - reported_mib).abs() <= reported_mib * 0.002
}

/// Returns the marketed size among `sizes` that `wanted` stands for: the nearest one within the
/// tolerance. `None` when there is no such size.
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
    fn driver_figures_find_the_marketed_size() {
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
    fn neighbours_do_not_pass_for_each_other() {
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
    fn units() {
        assert_eq!(with_unit(1.5, "TB"), Some(Gigabytes(1500.0)));
        assert_eq!(with_unit(80.0, "gib"), with_unit(80.0, "G"));
        assert_eq!(with_unit(80.0, "kb"), None);
    }
}
