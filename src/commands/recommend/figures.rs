//! Figures in the tables of recommendations.

use sky_accel_engine::contract::Num;
use sky_accel_engine::text::{figure, grouped_to};

/// The price of an image or video. Images cost fractions of a cent.
pub(super) fn per_item(price: f64) -> String {
    if price < 0.1 {
        format!("{price:.5}")
    } else {
        grouped_to(price, 3)
    }
}

pub(super) fn unknown() -> String {
    "?".to_owned()
}

pub(super) fn or_unknown(value: Option<Num>) -> String {
    value.map_or_else(unknown, |value| figure(value.0))
}
