//! Number formats for people, shared by all user interfaces.

use sky_accel_core::sizing::GIB;
use sky_accel_core::text::number;
pub use sky_accel_core::text::{grouped, grouped_to};

use crate::num::Num;

/// Formats US dollars: to the cent, or to a tenth of a cent below one dollar.
pub fn dollars(usd: Num) -> String {
    if usd.0 < 1.0 {
        format!("${:.3}", usd.0)
    } else {
        format!("${}", grouped_to(usd.0, 2))
    }
}

/// Rounds a number for people: to an integer with groups of digits from 100, to one decimal place from 1, to three
/// below.
pub fn figure(value: f64) -> String {
    if value >= 100.0 {
        grouped(value.round())
    } else if value >= 1.0 {
        // JSON has three digits, and tables round the same three: rounding twice keeps sentences consistent
        // with them.
        let three_digits = if value < 10.0 {
            (value * 100.0).round() / 100.0
        } else {
            value
        };
        number((three_digits * 10.0).round() / 10.0)
    } else {
        number((value * 1000.0).round() / 1000.0)
    }
}

/// Parses an integer from `min` to `max`; a `max` of at least `u32::MAX` means no upper bound.
///
/// # Errors
///
/// A phrase with the bounds, such as `expected a whole number from 1 to 600`.
pub fn whole_number<T: TryFrom<i64>>(text: &str, min: i64, max: i64) -> Result<T, String> {
    let number: Option<i64> = text.parse().ok();
    let number = number.filter(|number| (min..=max).contains(number));
    number
        .and_then(|number| T::try_from(number).ok())
        .ok_or_else(|| {
            if max < i64::from(u32::MAX) {
                format!("expected a whole number from {min} to {max}")
            } else {
                format!("expected a whole number of at least {min}")
            }
        })
}

/// Parses a number such as `4096`, `32k` or `10M`, with the units of [`billions`]; `None` for other text and for
/// infinite numbers. The caller checks the bounds.
pub fn quantity(text: &str) -> Option<f64> {
    let plain = text.trim().parse::<f64>().ok();
    let number = plain.or_else(|| {
        let (value, unit) = with_unit(text)?;
        Some((value * unit).round())
    });
    number.filter(|number| number.is_finite())
}

/// Parses the size of a host memory such as `256GB`, `238GiB` or `1TB`, in GiB; a number without a unit is in GB.
/// `None` for other text.
pub fn gibibytes(text: &str) -> Option<f64> {
    let text = text.trim();
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == ' ');
    let unit = text.get(digits.len()..)?.trim().to_ascii_lowercase();
    let bytes = match unit.as_str() {
        "" | "g" | "gb" => 1e9,
        "gib" => GIB,
        "t" | "tb" => 1e12,
        "tib" => 1024.0 * GIB,
        "m" | "mb" => 1e6,
        "mib" => GIB / 1024.0,
        _ => return None,
    };
    let size = digits.parse::<f64>().ok()? * bytes / GIB;
    (size.is_finite() && size > 0.0).then_some(size)
}

/// Splits a positive number with unit K, M, B or T into the number and the unit.
fn with_unit(text: &str) -> Option<(f64, f64)> {
    let text = text.trim();
    let last = text.chars().last()?;
    let unit = match last.to_ascii_uppercase() {
        'K' => 1e3,
        'M' => 1e6,
        'B' => 1e9,
        'T' => 1e12,
        _ => return None,
    };
    let digits = &text[..text.len() - last.len_utf8()];
    let is_plain = !digits.is_empty() && digits.bytes().all(|b| b.is_ascii_digit() || b == b'.');
    let value = digits.parse().ok();
    let value = value.filter(|value| is_plain && *value > 0.0)?;
    Some((value, unit))
}

/// Parses a number of parameters such as `13B`, `350M` or `1.5T`, in billions.
///
/// Returns `None` unless the text is a positive number with unit K, M, B or T, at most a million billions.
pub fn billions(size: &str) -> Option<f64> {
    let (value, unit) = with_unit(size)?;
    let value = value * (unit / 1e9);
    (value <= 1e6).then(|| number(value).parse().unwrap_or(value))
}

#[cfg(test)]
mod tests {
    use super::{billions, dollars, figure, gibibytes, quantity, whole_number};
    use crate::num::Num;

    #[test]
    fn formats_small_amounts_with_more_digits() {
        assert_eq!(dollars(Num(0.5)), "$0.500");
        assert_eq!(dollars(Num(12.346)), "$12.35");
        assert_eq!(figure(1234.5), "1,235");
        assert_eq!(figure(12.34), "12.3");
        assert_eq!(figure(0.12345), "0.123");
    }

    #[test]
    fn rounding_changes_at_one_ten_and_a_hundred() {
        for (usd, text) in [
            (0.0, "$0.000"),
            (0.9994, "$0.999"),
            (0.9996, "$1.000"),
            (1.0, "$1.00"),
            (1234.5, "$1,234.50"),
        ] {
            assert_eq!(dollars(Num(usd)), text);
        }
        for (value, text) in [
            (0.0, "0"),
            (0.9994, "0.999"),
            (1.0, "1"),
            (1.04, "1"),
            (2.25, "2.3"),
            (2.245, "2.3"),
            (9.96, "10"),
            (10.049, "10"),
            (12.36, "12.4"),
            (99.96, "100"),
            (100.0, "100"),
            (100.5, "101"),
            (99_999.4, "99,999"),
        ] {
            assert_eq!(figure(value), text, "{value}");
        }
    }

    #[test]
    fn whole_numbers_state_their_bounds() {
        assert_eq!(whole_number::<u32>("600", 1, 600), Ok(600));
        let bounded = Err("expected a whole number from 0 to 3".to_owned());
        for bad in ["x", "", "-1", "4", "1.5", "99999999999999999999"] {
            assert_eq!(whole_number::<u8>(bad, 0, 3), bounded, "{bad}");
        }
        let open = Err("expected a whole number of at least 1".to_owned());
        for bad in ["0", "4294967296", "ten"] {
            assert_eq!(whole_number::<u32>(bad, 1, u32::MAX.into()), open, "{bad}");
        }
    }

    #[test]
    fn quantities_may_have_units() {
        for (text, number) in [
            ("4096", 4096.0),
            ("1.5", 1.5),
            ("32k", 32_000.0),
            ("128K", 128_000.0),
            ("1.5k", 1500.0),
            ("10M", 1e7),
            ("2B", 2e9),
            ("15T", 1.5e13),
            ("-1", -1.0),
        ] {
            assert_eq!(quantity(text), Some(number), "{text}");
        }
        for bad in ["", "k", "32kb", "1e999", "NaN", "inf", "32 thousand"] {
            assert_eq!(quantity(bad), None, "{bad}");
        }
    }

    #[test]
    fn sizes_of_models() {
        assert_eq!(billions("13B"), Some(13.0));
        assert_eq!(billions("350m"), Some(0.35));
        assert_eq!(billions("1.5T"), Some(1500.0));
        assert_eq!(billions("500k"), Some(0.0005));
        assert_eq!(billions("1000T"), Some(1e6));
        assert_eq!(billions("1001T"), None);
        assert_eq!(billions("0B"), None);
        for bad in ["13", "B", "-7B", "7.0.0B", "big", "1e9B", "∞", "", "13X"] {
            assert_eq!(billions(bad), None, "{bad}");
        }
    }

    #[test]
    fn host_memory_is_in_gib() {
        let near = |text: &str, gib: f64| {
            let read = gibibytes(text);
            assert!(
                read.is_some_and(|read| (read - gib).abs() < 0.01),
                "{text}: {read:?}"
            );
        };
        near("256GB", 238.42);
        near("256", 238.42);
        near("256 GiB", 256.0);
        near("1TB", 931.32);
        near("2tib", 2048.0);
        for unit in ["", "g", "gb", "GB"] {
            near(&format!("107.3741824{unit}"), 100.0);
        }
        for unit in ["t", "TB"] {
            near(&format!("0.1073741824{unit}"), 100.0);
        }
        for unit in ["m", "MB"] {
            near(&format!("107374.1824{unit}"), 100.0);
        }
        near("102400 MiB", 100.0);
        near("1.5 TiB", 1536.0);
        assert_eq!(gibibytes("0GB"), None);
        for text in ["", "GB", "256KB", "-1GB", "x", "1e999GB"] {
            assert_eq!(gibibytes(text), None, "{text}");
        }
    }
}
