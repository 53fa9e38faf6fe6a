//! Attention of a decode step to the KV cache.

use super::super::architecture::Architecture;
use super::super::device::{CacheShares, Device, Shares};
use super::super::memory::cache_of_device;
use super::super::run::{Layout, Run};
use super::super::words::CacheFormat;
use super::overlap::overlapped;

/// Bytes of the cache of one sequence that a rank reads in a decode step.
///
/// `tokens` are those of a sequence in flight.
pub(super) fn cache_bytes(model: &Architecture, run: &Run, layout: &Layout, tokens: f64) -> f64 {
    let attended = model.attended(tokens, run.cache.bytes());
    // `cache_of_device` is for one pipeline stage, but a token passes through all stages.
    cache_of_device(model, layout, &attended) * f64::from(layout.pipeline)
        + model.index_bytes(tokens)
}

/// Seconds that a rank takes to attend to the cache of one sequence on the device.
///
/// `device_share` is the share of the layers that the device computes. Kernels convert an fp8 cache while they read
/// it, so it has separate shares of the bandwidth (`fp8-cache-bandwidth-share`).
pub(super) fn cache_read_s(
    model: &Architecture,
    run: &Run,
    layout: &Layout,
    device: &Device,
    device_share: f64,
    tokens: f64,
) -> f64 {
    let shares = cache_shares(run, &device.shares);
    let bandwidth_share = match model.mla {
        Some(_) => shares.latent,
        None => shares.heads,
    };
    let bytes = device_share * cache_bytes(model, run, layout, tokens);
    let reading = device
        .bandwidth
        .map_or(0.0, |bandwidth| bytes / (bandwidth * bandwidth_share));
    overlapped(
        reading,
        latent_compute_s(model, run, layout, device, tokens),
    )
}

/// The shares of the peaks that attention to the cache of a run reaches.
fn cache_shares(run: &Run, shares: &Shares) -> CacheShares {
    match run.cache {
        CacheFormat::Fp8 => shares.fp8_cache,
        _ => shares.cache,
    }
}

/// Seconds that a rank takes to compute the attention of one sequence to a latent cache; 0 for other caches.
///
/// Every head multiplies with the whole latent cache, so with many heads on one rank computing takes longer than
/// reading (`latent-compute-share`, from kernels with 8 to 128 heads). Other caches are always bound by reading.
fn latent_compute_s(
    model: &Architecture,
    run: &Run,
    layout: &Layout,
    device: &Device,
    tokens: f64,
) -> f64 {
    let peak = device.peak.bits_16.filter(|_| model.mla.is_some());
    peak.map_or(0.0, |peak| {
        let operations = latent_operations(model, tokens);
        let ranks = f64::from(layout.tensor) * f64::from(layout.context);
        operations / ranks / (peak * cache_shares(run, &device.shares).latent_compute)
    })
}

/// Operations for one token that attends to `tokens` tokens of a latent cache, over all heads and layers.
///
/// Scores use the latent keys and the rotated part, and the weighted sum uses the latent part again.
fn latent_operations(model: &Architecture, tokens: f64) -> f64 {
    let Some(mla) = model.mla else {
        return 0.0;
    };
    let widths = 2.0 * f64::from(mla.kv_rank) + f64::from(mla.rope_dim);
    2.0 * f64::from(model.heads) * widths * model.attended_entries(tokens)
}
