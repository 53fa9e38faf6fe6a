//! The time of reading memory and computing together.

/// The ratio of the cubes below which two terms of the series are exact to 1e-10.
const SERIES_BOUND: f64 = 1e-3;

/// Seconds that reading and computing take together: the norm with exponent 3 of both.
///
/// Kernels overlap the two only in part. The measured times of matrix products (aiconfigurator's kernel tables)
/// lie near this norm: near the larger of both, and a quarter above it where both are equal.
pub(super) fn overlapped(reading: f64, computing: f64) -> f64 {
    let (longer, shorter) = if reading > computing {
        (reading, computing)
    } else {
        (computing, reading)
    };
    let cube = (shorter / longer.max(f64::MIN_POSITIVE)).powi(3);
    // Most steps are clearly bound by one of both. The series of the cube root is faster there and as exact.
    if cube < SERIES_BOUND {
        longer * (1.0 + cube / 3.0 - cube * cube / 9.0)
    } else {
        longer * (1.0 + cube).cbrt()
    }
}

#[cfg(test)]
mod tests {
    use super::overlapped;

    #[test]
    fn is_the_cubic_norm_of_both_times() {
        for (reading, computing) in [(1.0, 1.0), (2.0, 1.0), (1.0, 2.0), (0.5, 0.05), (3.0, 0.0)] {
            let expected = (f64::powi(reading, 3) + f64::powi(computing, 3)).cbrt();
            let time = overlapped(reading, computing);
            assert!(
                (time / expected - 1.0).abs() < 1e-9,
                "{reading} {computing} {time}"
            );
        }
        assert!(overlapped(0.0, 0.0).abs() < 1e-300);
    }

    #[test]
    fn the_series_and_the_root_agree_at_their_boundary() {
        let (below, above) = (overlapped(1.0, 0.099_999), overlapped(1.0, 0.100_001));
        assert!((above / below - 1.0).abs() < 1e-7, "{below} {above}");
    }
}
