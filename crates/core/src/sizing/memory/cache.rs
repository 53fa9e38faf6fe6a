//! The KV cache of one device.

use super::super::architecture::Architecture;
use super::super::calibration::Calibration;
use super::super::run::{Layout, Run};
use super::weights::stage_share;

/// Bytes that one token adds to the cache on all devices together, before any window is full.
pub fn cache_bytes_per_token(model: &Architecture, run: &Run) -> f64 {
    (model.cache_values(1.0) - model.state_values as f64) * run.cache.bytes()
        + model.index_bytes(1.0)
}

/// The share of a cache that one device holds, between 0 and 1.
///
/// Tensor parallelism divides the key heads, at most down to one per rank. A latent cache is replicated on every rank.
pub fn cache_share(model: &Architecture, layout: &Layout) -> f64 {
    let heads = if model.mla.is_some() {
        1
    } else {
        layout.tensor.min(model.kv_heads.max(1))
    };
    stage_share(model, layout) / f64::from(heads) / f64::from(layout.context)
}

/// Bytes of the cache of all sequences of a run with `tokens` tokens each.
pub(super) fn cache(
    model: &Architecture,
    run: &Run,
    layout: &Layout,
    calibration: &Calibration,
    tokens: f64,
) -> f64 {
    // Serving engines allocate the cache in whole blocks.
    let tokens = if run.engine.serves() && calibration.cache_block > 0.0 {
        (tokens / calibration.cache_block).ceil() * calibration.cache_block
    } else {
        tokens
    };
    let kept = |model: &Architecture| model.kept_bytes(tokens, run.cache.bytes());
    let ended = kept(model);
    let whole = Architecture {
        window: None,
        ..*model
    };
    let beyond = match (model.window, model.compressed) {
        (Some(_), None) => (kept(&whole) - ended).max(0.0),
        _ => 0.0,
    };
    let kept = ended + (calibration.window_cache_factor - 1.0).max(0.0) * beyond;
    // The index has a single key head, which is replicated on every rank.
    let index = model.index_bytes(tokens) * stage_share(model, layout) / f64::from(layout.context);
    run.batch * (kept * cache_share(model, layout) + index) * run.device_share(model)
}

#[cfg(test)]
mod tests {
    use super::super::super::architecture::Window;
    use super::super::super::format::WeightFormat;
    use super::super::super::testing::llama_3_8b;
    use super::super::super::words::Workload;
    use super::*;

    #[test]
    fn an_engine_may_keep_tokens_outside_of_windows() {
        let whole = llama_3_8b();
        let windowed = Architecture {
            window: Some(Window {
                tokens: 128,
                global_layers: 8,
                global_cache_width: None,
            }),
            ..whole
        };
        let run = Run::new(Workload::Inference, WeightFormat::plain(16.0));
        let kept = |model: &Architecture, window_cache_factor: f64| {
            let calibration = Calibration {
                window_cache_factor,
                ..Calibration::default()
            };
            cache(model, &run, &Layout::default(), &calibration, 8192.0)
        };
        let all = kept(&whole, 1.0);
        let share = (8.0 + 24.0 * 128.0 / 8192.0) / 32.0;
        assert!((kept(&windowed, 1.0) / all - share).abs() < 1e-9);
        assert!((kept(&windowed, 2.0) / all - 1.0).abs() < 1e-9);
    }
}
