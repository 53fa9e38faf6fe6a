//! Parsers of numbers. Each error states the permitted numbers; clap adds the flag and the value.

use sky_accel_engine::text::{gibibytes, whole_number};

/// Parses an integer from `MIN` to `MAX`; `u32::MAX` means no upper bound.
pub fn whole<const MIN: u32, const MAX: u32>(text: &str) -> Result<u32, String> {
    whole_number(text, MIN.into(), MAX.into())
}

/// Parses an integer of at least 1.
pub fn from_one(text: &str) -> Result<u32, String> {
    whole::<1, { u32::MAX }>(text)
}

/// Parses a number. The engine checks its bounds.
pub fn positive(text: &str) -> Result<f64, String> {
    text.parse()
        .map_err(|_| "expected a number above zero".to_owned())
}

/// Parses the size of a host memory, in GiB.
pub fn host_memory(text: &str) -> Result<f64, String> {
    gibibytes(text).ok_or_else(|| "write a memory size such as 256GB or 238GiB".to_owned())
}

/// Parses an amount of data, in GB.
pub fn gigabytes(text: &str) -> Result<f64, String> {
    const GB_PER_GIB: f64 = 1.073_741_824;
    let unit = text.trim_start_matches(|letter: char| letter.is_ascii_digit() || letter == '.');
    let is_zero = text[..text.len() - unit.len()].parse() == Ok(0.0);
    if is_zero && gibibytes(&format!("1{unit}")).is_some() {
        return Ok(0.0);
    }
    let gb = gibibytes(text).map(|gib| {
        // A whole number of bytes, so that 200GB is not 199.99 GB.
        (gib * GB_PER_GIB * 1e9).round() / 1e9
    });
    gb.ok_or_else(|| "write an amount of data such as 200GB, 186GiB or 1TB".to_owned())
}

/// Parses US dollars per hour. The engine rejects negative amounts.
pub fn usd(text: &str) -> Result<f64, String> {
    let wrong = |_| {
        "write US dollars per hour as a number without a currency sign, such as 2.50".to_owned()
    };
    text.parse().map_err(wrong)
}
