//! The precision of a recommendation as text.

use sky_accel_core::sizing::CacheFormat;
use sky_accel_engine::contract::RecommendOut;

/// The formats of the weights and, if it has fewer than 16 bits, of the KV cache: `fp8, KV fp8`. `None` for the
/// precision of the request.
pub fn precision(row: &RecommendOut<'_>) -> Option<String> {
    let weights = row.precision.clone()?;
    Some(
        match row.kv_precision.filter(|cache| *cache != CacheFormat::Bf16) {
            Some(cache) => format!("{weights}, KV {cache}"),
            None => weights,
        },
    )
}
