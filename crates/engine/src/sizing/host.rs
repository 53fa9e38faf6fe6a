//! The memory of a host, which llama.cpp reads for each token.

use sky_accel_core::catalog::Catalog;
use sky_accel_core::note::Note;

use crate::text::figure;

/// The peak bandwidth of the memory of a host in bytes per second: the given bandwidth, or the bandwidth of the usual
/// host.
pub(crate) fn peak_bandwidth(catalog: &Catalog<'_>, given: Option<f64>) -> f64 {
    let coefficient = |name: &str| catalog.coefficient(name, "").unwrap_or_default();
    let share = coefficient("host-bandwidth-share").max(0.01);
    given.unwrap_or(coefficient("host-read-gb-per-s") * 1e9 / share)
}

/// The bandwidth of the memory of the usual host as a sentence.
pub(crate) fn usual_host(catalog: &Catalog<'_>) -> Note {
    let read = catalog.coefficient("host-read-gb-per-s", "");
    let message = format!(
        "the host is assumed to read {} GB/s, as two channels of DDR4-3200 do",
        figure(read.unwrap_or_default())
    );
    Note::new("host-memory", message)
}

/// The note on the memory of the host that a speed assumes.
pub(crate) fn host_memory(catalog: &Catalog<'_>, given: Option<f64>) -> Note {
    let share = catalog.coefficient("host-bandwidth-share", "");
    let peak = peak_bandwidth(catalog, given) / 1e9;
    let read = figure(peak * share.unwrap_or(1.0));
    let peak = figure(peak);
    let message = match given {
        Some(_) => format!("the host reads {read} GB/s of its memory's peak of {peak} GB/s"),
        None => format!(
            "the host is assumed to read {read} GB/s: two channels of DDR4-3200 have a peak of {peak} GB/s, and `host_bandwidth` sets another"
        ),
    };
    Note::new("host-memory", message)
}
