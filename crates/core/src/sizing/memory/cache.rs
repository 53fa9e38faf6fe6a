//! The KV cache of one device.

use super::super::architecture::Architecture;
use super::super::cache::CacheBytes;
use super::super::calibration::Calibration;
use super::super::run::{Layout, Run};
use super::pages::Pages;
use super::profile::profiled_tokens;
use super::weights::stage_share;

/// The growth of the cache of one sequence, on all devices together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CacheGrowth {
    /// Bytes that each token adds once all windows are full. They decide how many tokens fit, because windows are
    /// short.
    pub bytes_per_token: f64,
    /// Bytes that do not grow with the length: full windows and recurrent states.
    pub fixed_bytes: f64,
}

impl CacheGrowth {
    /// Computes the growth in the format of the cache of a run.
    pub fn of(model: &Architecture, run: &Run) -> Self {
        let bytes = run.cache.bytes();
        let (growing, windows) = model.growing_and_window_values();
        Self {
            bytes_per_token: growing * bytes + model.index_bytes(1.0),
            fixed_bytes: windows * bytes + model.state_bytes(bytes),
        }
    }
}

/// The bytes of a cache on one device.
///
/// Tensor parallelism divides the key heads of each kind of layer, at most down to one per rank. A latent cache is
/// replicated on every rank. Recurrent states have many heads, so each rank has its part of them. Context parallelism
/// divides tokens, but not states.
pub fn cache_of_device(model: &Architecture, layout: &Layout, bytes: &CacheBytes) -> f64 {
    let (global_heads, window_heads) = model.cache_heads();
    let of_rank = |bytes: f64, heads: u32| {
        bytes / f64::from(layout.tensor.min(heads)) / f64::from(layout.context)
    };
    let tokens = of_rank(bytes.global, global_heads) + of_rank(bytes.windowed, window_heads);
    stage_share(model, layout) * (tokens + bytes.state / f64::from(layout.tensor))
}

/// Bytes of the cache of all sequences of a run with `tokens` tokens each.
pub(super) fn cache(
    model: &Architecture,
    run: &Run,
    layout: &Layout,
    calibration: &Calibration,
    tokens: f64,
) -> f64 {
    if let Some(pages) = Pages::of(model, run, layout, calibration) {
        return run.batch * pages.sequence(tokens);
    }
    // Serving engines allocate the cache in whole blocks.
    let tokens = if run.engine.serves() && calibration.cache_block > 0.0 {
        (tokens / calibration.cache_block).ceil() * calibration.cache_block
    } else {
        tokens
    };
    let mut kept = model.kept(tokens, run.cache.bytes());
    let beyond = model.beyond_windows(tokens) * run.cache.bytes();
    kept.windowed += (calibration.window_cache_factor - 1.0).max(0.0) * beyond;
    // The index has a single key head, which is replicated on every rank.
    let index = model.index_bytes(tokens) * stage_share(model, layout) / f64::from(layout.context);
    run.batch * (cache_of_device(model, layout, &kept) + index) * run.device_share(model)
}

/// The tokens that an engine reports for a cache of `bytes` bytes on each device; `None` if that is the number of
/// sequences of the run that fit, times their length.
pub fn reported_tokens(
    model: &Architecture,
    run: &Run,
    layout: &Layout,
    calibration: &Calibration,
    bytes: f64,
) -> Option<f64> {
    let pages = Pages::of(model, run, layout, calibration)?;
    let batched = profiled_tokens(run, calibration);
    let by_groups = calibration.cache_log_by_groups > 0.0;
    Some(pages.reported(bytes, run.longest(), batched, by_groups))
}

#[cfg(test)]
mod tests {
    use super::super::super::architecture::{Compressed, Mla, Sparse, Window};
    use super::super::super::format::WeightFormat;
    use super::super::super::testing::{assert_near, llama_3_8b, tiny};
    use super::super::super::words::{ServingEngine, Workload};
    use super::*;

    #[test]
    fn an_engine_may_keep_tokens_outside_of_windows() {
        let unwindowed = llama_3_8b();
        let windowed = Architecture {
            window: Some(Window {
                tokens: 128,
                global_layers: 8,
                global_cache_width: None,
                global_kv_heads: None,
                kv_heads: None,
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
            let kept = model.kept(1.0, 2.0);
            cache_of_device(model, &layout, &kept) / kept.total()
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

    /// The attention of Gemma 4 26B A4B: 25 layers with a window, and 5 layers with fewer and wider heads.
    fn gemma_4_26b() -> Architecture {
        Architecture {
            layers: 30,
            hidden: 2816,
            heads: 16,
            kv_heads: 8,
            head_dim: 256,
            window: Some(Window {
                tokens: 1024,
                global_layers: 5,
                global_cache_width: Some(2048),
                global_kv_heads: Some(2),
                kv_heads: None,
            }),
            ..llama_3_8b()
        }
    }

    /// Bytes that a token beyond all windows adds on each device.
    fn growth_of_device(model: &Architecture, tensor: u32) -> f64 {
        let run = Run::new(Workload::Inference, WeightFormat::plain(16.0));
        let layout = Layout {
            tensor,
            ..Layout::default()
        };
        let bytes = |tokens| cache(model, &run, &layout, &Calibration::default(), tokens);
        (bytes(8192.0) - bytes(4096.0)) / 4096.0
    }

    #[test]
    fn a_rank_holds_at_least_one_key_head_of_each_kind_of_layer() {
        let model = gemma_4_26b();
        assert_near(growth_of_device(&model, 1), 20_480.0);
        // One of two heads of 512 values: keys and values of 2 bytes in five layers.
        for tensor in [2, 4, 8] {
            assert_near(growth_of_device(&model, tensor), 10_240.0);
        }
        // Gemma 4 31B has four such heads in ten layers.
        let large = Architecture {
            layers: 60,
            heads: 32,
            kv_heads: 16,
            window: model.window.map(|window| Window {
                global_layers: 10,
                global_cache_width: Some(4096),
                global_kv_heads: Some(4),
                ..window
            }),
            ..model
        };
        assert_near(growth_of_device(&large, 8), 20_480.0);
        // The layers with a window still have a head for each of eight ranks.
        let window = large.kept(1024.0, 2.0).windowed;
        let layout = Layout {
            tensor: 8,
            ..Layout::default()
        };
        let windows = CacheBytes {
            windowed: window,
            ..CacheBytes::default()
        };
        assert_near(cache_of_device(&large, &layout, &windows), window / 8.0);
    }

    #[test]
    fn layers_with_a_window_may_have_more_key_heads_than_others() {
        let model = Architecture {
            window: Some(Window {
                tokens: 128,
                global_layers: 8,
                global_cache_width: Some(1024),
                global_kv_heads: None,
                kv_heads: Some(16),
            }),
            cache_width: Some(4096),
            ..llama_3_8b()
        };
        let layout = Layout {
            tensor: 16,
            ..Layout::default()
        };
        let of_device = |bytes: CacheBytes| cache_of_device(&model, &layout, &bytes);
        let windows = CacheBytes {
            windowed: 1600.0,
            ..CacheBytes::default()
        };
        assert_near(of_device(windows), 100.0);
        let global = CacheBytes {
            global: 1600.0,
            ..CacheBytes::default()
        };
        assert_near(of_device(global), 200.0);
    }

    #[test]
    fn ranks_divide_states_whatever_the_number_of_key_heads() {
        let state = CacheBytes {
            state: 800.0,
            ..CacheBytes::default()
        };
        let layout = Layout {
            tensor: 8,
            ..Layout::default()
        };
        assert_near(cache_of_device(&tiny(), &layout, &state), 100.0);
    }

    #[test]
    fn tokens_beyond_windows_grow_the_cache_only_in_other_layers() {
        let run = Run::new(Workload::Inference, WeightFormat::plain(16.0));
        let gemma = gemma_4_26b();
        assert_near(CacheGrowth::of(&gemma, &run).bytes_per_token, 20_480.0);
        assert_near(
            CacheGrowth::of(&gemma, &run).fixed_bytes,
            25.0 * 4096.0 * 1024.0 * 2.0,
        );
        let gpt_oss = |layers| Architecture {
            layers,
            heads: 64,
            kv_heads: 8,
            head_dim: 64,
            window: Some(Window {
                tokens: 128,
                global_layers: layers / 2,
                global_cache_width: None,
                global_kv_heads: None,
                kv_heads: None,
            }),
            ..llama_3_8b()
        };
        assert_near(
            CacheGrowth::of(&gpt_oss(36), &run).bytes_per_token,
            36_864.0,
        );
        assert_near(
            CacheGrowth::of(&gpt_oss(24), &run).bytes_per_token,
            24_576.0,
        );
        // DeepSeek-V4-Flash: windows, an entry for 4 or 128 tokens, and an index.
        let compressed = Architecture {
            layers: 43,
            kv_heads: 1,
            cache_width: Some(512),
            window: gpt_oss(0).window,
            sparse: Some(Sparse {
                top_k: 512,
                layers: 21,
                index_layers: 21,
                index_heads: 64,
                index_width: 128,
            }),
            compressed: Some(Compressed {
                sparse_layers: 21,
                sparse_ratio: 4,
                heavy_layers: 20,
                heavy_ratio: 128,
            }),
            ..llama_3_8b()
        };
        assert_near(
            CacheGrowth::of(&compressed, &run).bytes_per_token,
            5536.0 + 693.0,
        );
        assert_near(
            CacheGrowth::of(&compressed, &run).fixed_bytes,
            43.0 * 512.0 * 128.0 * 2.0,
        );
        // All layers of Mistral 7B have a window.
        let windowed = Architecture {
            window: Some(Window {
                tokens: 4096,
                global_layers: 0,
                global_cache_width: None,
                global_kv_heads: None,
                kv_heads: None,
            }),
            ..llama_3_8b()
        };
        assert!(windowed.has_cache());
        assert_near(CacheGrowth::of(&windowed, &run).bytes_per_token, 0.0);
        assert_near(
            CacheGrowth::of(&windowed, &run).fixed_bytes,
            131_072.0 * 4096.0,
        );
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
        assert_near(bytes(ServingEngine::Vllm, 17.0), 3.0 * 32.0 * 64.0);
        assert_near(bytes(ServingEngine::Vllm, 16.0), 3.0 * 16.0 * 64.0);
        assert_near(bytes(ServingEngine::Transformers, 17.0), 3.0 * 17.0 * 64.0);
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
        assert_near(CacheGrowth::of(&model, &run).bytes_per_token, 64.0 + 32.0);
    }
}
