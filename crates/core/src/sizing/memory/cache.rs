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
    let unwindowed = Architecture {
        window: None,
        ..*model
    };
    let beyond = match (model.window, model.compressed) {
        (Some(_), None) => (kept(&unwindowed) - ended).max(0.0),
        _ => 0.0,
    };
    let kept = ended + (calibration.window_cache_factor - 1.0).max(0.0) * beyond;
    // The index has a single key head, which is replicated on every rank.
    let index = model.index_bytes(tokens) * stage_share(model, layout) / f64::from(layout.context);
    run.batch * (kept * cache_share(model, layout) + index) * run.device_share(model)
}

#[cfg(test)]
mod tests {
    use super::super::super::architecture::{Mla, Sparse, Window};
    use super::super::super::format::WeightFormat;
    use super::super::super::testing::{assert_near, llama_3_8b, tiny};
    use super::super::super::words::{Engine, Workload};
    use super::*;

    #[test]
    fn an_engine_may_keep_tokens_outside_of_windows() {
        let unwindowed = llama_3_8b();
        let windowed = Architecture {
            window: Some(Window {
                tokens: 128,
                global_layers: 8,
                global_cache_width: None,
            }),
            ..unwindowed
        };
        let run = Run::new(Workload::Inference, WeightFormat::plain(16.0));
        let kept = |model: &Architecture, window_cache_factor: f64| {
            let calibration = Calibration {
                window_cache_factor,
                ..Calibration::default()
            };
            cache(model, &run, &Layout::default(), &calibration, 8192.0)
        };
        let all = kept(&unwindowed, 1.0);
        let share = (8.0 + 24.0 * 128.0 / 8192.0) / 32.0;
        assert!((kept(&windowed, 1.0) / all - share).abs() < 1e-9);
        assert!((kept(&windowed, 2.0) / all - 1.0).abs() < 1e-9);
    }

    #[test]
    fn tensor_parallelism_divides_key_heads_down_to_one_per_rank() {
        let share = |model: &Architecture, tensor, pipeline, context| {
            let layout = Layout {
                tensor,
                pipeline,
                context,
                ..Layout::default()
            };
            cache_share(model, &layout)
        };
        assert_near(share(&tiny(), 1, 1, 1), 1.0);
        assert_near(share(&tiny(), 2, 1, 1), 0.5);
        assert_near(share(&tiny(), 4, 1, 1), 0.5);
        assert_near(share(&tiny(), 2, 4, 2), 0.0625);
        let latent = Architecture {
            mla: Some(Mla {
                kv_rank: 4,
                q_rank: 0,
                nope_dim: 2,
                rope_dim: 2,
                value_dim: 2,
            }),
            ..tiny()
        };
        assert_near(share(&latent, 4, 1, 1), 1.0);
    }

    #[test]
    fn serving_engines_allocate_whole_blocks() {
        let bytes = |engine, tokens| {
            let run = Run {
                engine,
                batch: 3.0,
                ..Run::new(Workload::Inference, WeightFormat::plain(16.0))
            };
            let calibration = Calibration {
                cache_block: 16.0,
                ..Calibration::default()
            };
            cache(&tiny(), &run, &Layout::default(), &calibration, tokens)
        };
        assert_near(bytes(Engine::Vllm, 17.0), 3.0 * 32.0 * 64.0);
        assert_near(bytes(Engine::Vllm, 16.0), 3.0 * 16.0 * 64.0);
        assert_near(bytes(Engine::Transformers, 17.0), 3.0 * 17.0 * 64.0);
    }

    #[test]
    fn an_index_is_replicated_on_every_rank_of_a_stage() {
        let model = Architecture {
            sparse: Some(Sparse {
                top_k: 8,
                layers: 4,
                index_layers: 2,
                index_heads: 2,
                index_width: 12,
            }),
            ..tiny()
        };
        let run = Run::new(Workload::Inference, WeightFormat::plain(16.0));
        let layout = Layout {
            tensor: 2,
            pipeline: 2,
            ..Layout::default()
        };
        let calibration = Calibration::default();
        let index = cache(&model, &run, &layout, &calibration, 10.0)
            - cache(&tiny(), &run, &layout, &calibration, 10.0);
        // Two layers, of which a stage has one, with 12 bytes of key and 4 of scale.
        assert_near(index, 10.0 * 16.0);
        assert_near(cache_bytes_per_token(&model, &run), 64.0 + 32.0);
    }
}
