//! Figures for people.

use sky_accel_core::text::number;

use crate::contract::Num;

/// An amount in US dollars with a dollar sign: to the cent, or to a tenth of a cent below one
/// dollar.
pub fn dollars(usd: Num) -> String {
    if usd.0 < 1.0 {
        format!("${:.3}", usd.0)
    } else {
        format!("${:.2}", usd.0)
    }
}

/// A number rounded for people: to an integer from 100, to one decimal place from 1, to three
/// below.
pub fn figure(value: f64) -> String {
    if value >= 100.0 {
        number(value.round())
    } else if value >= 1.0 {
        number((value * 10.0).round() / 10.0)
    } else {
        number((value * 1000.0).round() / 1000.0)
    }
}

#[cfg(test)]
mod tests {
    use super::{dollars, figure};
    use crate::contract::Num;

    #[test]
    fn small_amounts_have_more_digits() {
        assert_eq!(dollars(Num(0.5)), "$0.500");
        assert_eq!(dollars(Num(12.346)), "$12.35");
        assert_eq!(figure(1234.5), "1235");
        assert_eq!(figure(12.34), "12.3");
        assert_eq!(figure(0.12345), "0.123");
    }
}
