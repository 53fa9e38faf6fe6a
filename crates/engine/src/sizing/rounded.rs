//! Figures rounded for output.

use sky_accel_core::sizing::GIB;

use crate::contract::Num;

/// Bytes in GiB, with four decimal places.
pub(super) fn gib(bytes: f64) -> Num {
    Num((bytes / GIB * 1e4).round() / 1e4)
}

/// Three significant digits: more would be more than is known.
pub fn rate(value: f64) -> Num {
    if value <= 0.0 || !value.is_finite() {
        return Num(0.0);
    }
    let scale = 10_f64.powf(2.0 - value.log10().floor());
    Num((value * scale).round() / scale)
}
