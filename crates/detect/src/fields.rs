//! Readers of values that tools print.

use serde_json::Value;
use sky_accel_core::text::{MAX_JSON_VALUES, count_json_values};

/// The vendor of the devices that NVML and `nvidia-smi` report.
pub(crate) const NVIDIA: &str = "NVIDIA";

/// Parses the JSON output of a tool, which may follow warnings. Documents with too many values are
/// ignored.
pub(crate) fn json(text: &str) -> Option<Value> {
    let starts = text.match_indices(['{', '[']).map(|(at, _)| at).take(16);
    starts
        .filter(|at| *at == 0 || text[..*at].ends_with('\n'))
        .find_map(|at| {
            let text = &text[at..];
            if count_json_values(text.as_bytes()) > MAX_JSON_VALUES {
                return None;
            }
            let mut values = serde_json::Deserializer::from_str(text).into_iter();
            values.next()?.ok()
        })
}

/// Returns the profile in the name of an instance such as `NVIDIA H100 MIG 1g.10gb`.
pub(crate) fn profile_in(name: &str) -> Option<String> {
    let mut words = name.split_whitespace();
    words.find(|word| *word == "MIG")?;
    let profile = words.next().filter(|word| word.contains("g."));
    profile.map(str::to_owned)
}

/// Reads a number with a unit and converts it to MiB; `None` for words such as `N/A`.
pub(crate) fn mib(text: &str) -> Option<f64> {
    let text = text.trim().trim_matches(['[', ']']);
    let (number, unit) = text.split_once(' ').unwrap_or((text, "MiB"));
    let number: f64 = number
        .parse()
        .ok()
        .filter(|n: &f64| n.is_finite() && *n >= 0.0)?;
    Some(match unit.trim() {
        "MiB" | "MB" => number,
        "GiB" | "GB" => number * 1024.0,
        "KiB" => number / 1024.0,
        _ => return None,
    })
}

/// Reads a number of bytes and converts it to MiB.
pub(crate) fn bytes(text: &str) -> Option<f64> {
    let bytes: f64 = text.trim().parse().ok()?;
    (bytes.is_finite() && bytes > 0.0).then_some(bytes / f64::from(1 << 20))
}
