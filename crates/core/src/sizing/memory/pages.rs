//! The pages of vLLM's cache in models with several kinds of layers.
//!
//! vLLM divides such layers into groups of equal size, each with layers of one kind. Groups share the memory of the
//! cache: a block of it is a page for each layer of one group, and all pages have the same size. So a layer with
//! smaller entries has more tokens per page, a recurrent state fills a page, and short groups are padded. (vLLM,
//! `v1/core/kv_cache_utils.py`.)

use super::super::architecture::Architecture;
use super::super::calibration::Calibration;
use super::super::run::{Layout, Run};
use super::super::words::ServingEngine;
use super::weights::stage_share;

/// Kinds of which one has more layers than another by less than this factor get groups of the larger size.
const PADDED_RATIO: f64 = 1.5;

/// The blocks of the cache on one device.
#[derive(Clone, Copy, Debug)]
pub struct Pages {
    /// Bytes of a block.
    block: f64,
    /// Layers that keep every token, layers with a window, and recurrent states.
    global: Kind,
    windowed: Kind,
    states: Kind,
    /// Tokens of the window.
    window: f64,
    /// Blocks of a sequence in each group of states.
    state_blocks: f64,
}

/// Layers of one kind.
#[derive(Clone, Copy, Debug, Default)]
struct Kind {
    layers: f64,
    /// Bytes that a token adds in one layer.
    token: f64,
    groups: f64,
    /// Tokens of a page.
    tokens: f64,
}

impl Kind {
    fn paged(self, page: f64, group: f64) -> Self {
        Self {
            groups: (self.layers / group).ceil(),
            tokens: if self.token > 0.0 {
                (page / self.token).floor()
            } else {
                0.0
            },
            ..self
        }
    }

    /// The blocks for `tokens` tokens.
    fn blocks(&self, tokens: f64) -> f64 {
        self.groups * (tokens / self.tokens.max(1.0)).ceil()
    }
}

impl Pages {
    /// The pages of a run; `None` if all layers are of one kind, or the engine has no such groups.
    pub fn of(
        model: &Architecture,
        run: &Run,
        layout: &Layout,
        calibration: &Calibration,
    ) -> Option<Self> {
        // A version without groups keeps all tokens in layers with a window too.
        let has_groups = run.engine == ServingEngine::Vllm
            && calibration.window_cache_factor < 2.0
            && calibration.cache_block > 0.0;
        if !has_groups || model.compressed.is_some() || model.sparse.is_some() {
            return None;
        }
        let bytes = run.cache.bytes();
        let (global_layers, window_layers) = model.cache_layers();
        let attention = global_layers + window_layers;
        let of_others = f64::from(model.mlp_layers.unwrap_or_default());
        let layers = f64::from(model.layers);
        let state_layers = match layers - attention - of_others {
            _ if model.state_values == 0 => 0.0,
            // Each layer has attention and a state.
            rest if rest < 1.0 => layers,
            rest => rest,
        };
        let kinds = [global_layers, window_layers, state_layers];
        let kinds = kinds.into_iter().filter(|layers| *layers > 0.0);
        if kinds.clone().count() < 2 {
            return None;
        }
        let (global_heads, window_heads) = model.cache_heads();
        let window = model.window;
        let of_rank = |width: f64, heads: u32| {
            width * bytes / f64::from(layout.tensor.min(heads)) / f64::from(layout.context)
        };
        let width = model.cache_width();
        let global_width = window.and_then(|window| window.global_cache_width);
        let global = Kind {
            layers: global_layers,
            token: of_rank(global_width.map_or(width, f64::from), global_heads),
            ..Kind::default()
        };
        let windowed = Kind {
            layers: window_layers,
            token: of_rank(width, window_heads),
            ..Kind::default()
        };
        let states = Kind {
            layers: state_layers,
            ..Kind::default()
        };
        let widest = if window_layers > 0.0 {
            global.token.max(windowed.token)
        } else {
            global.token
        };
        let state = model.state_values as f64 * calibration.state_value_bytes
            / state_layers.max(1.0)
            / f64::from(layout.tensor);
        // The page of a state is as large as a whole number of blocks of attention.
        let block = calibration.cache_block * widest;
        let page = block * (state / block).ceil().max(1.0);
        let (least, most) = kinds.fold((f64::INFINITY, 0.0_f64), |(least, most), layers| {
            (least.min(layers), most.max(layers))
        });
        let group = if most < least * PADDED_RATIO {
            most
        } else {
            least
        };
        Some(Self {
            block: page * group * stage_share(model, layout),
            global: global.paged(page, group),
            windowed: windowed.paged(page, group),
            states: states.paged(page, group),
            window: window.map_or(0.0, |window| f64::from(window.tokens)),
            state_blocks: calibration.state_blocks,
        })
    }

    /// Bytes of a sequence of `tokens` tokens while it is decoded.
    pub fn sequence(&self, tokens: f64) -> f64 {
        self.with_window(tokens, self.window) * self.block
    }

    /// The blocks of a sequence of `tokens` tokens, with up to `near` of them in layers with a window.
    fn with_window(&self, tokens: f64, near: f64) -> f64 {
        // The first block of a window is seldom full.
        let windowed = if tokens > near {
            self.windowed.blocks(near) + self.windowed.groups
        } else {
            self.windowed.blocks(tokens)
        };
        let states = self.states.groups * self.state_blocks;
        self.global.blocks(tokens) + windowed + states
    }

    /// The tokens that the engine reports for a cache of `bytes` bytes.
    ///
    /// It counts sequences of the maximum length of `longest` tokens, whose windows also have the `batched` tokens of a
    /// pass. Older versions divide the tokens of all blocks by the number of groups, as if all layers kept all tokens.
    pub fn reported(&self, bytes: f64, longest: f64, batched: f64, by_groups: bool) -> f64 {
        let blocks = (bytes / self.block).floor().max(0.0);
        if by_groups {
            let kinds = [self.global, self.windowed];
            let groups = self.global.groups + self.windowed.groups + self.states.groups;
            let tokens = kinds.into_iter().filter(|kind| kind.groups > 0.0);
            let tokens = tokens.map(|kind| kind.tokens).fold(f64::INFINITY, f64::min);
            return (blocks / groups).floor() * tokens;
        }
        let near = (self.window - 1.0 + batched).min(longest);
        let windowed = self.windowed.blocks(near) + self.windowed.groups;
        let states = self.states.groups * self.state_blocks;
        let needed = self.global.blocks(longest) + windowed + states;
        (blocks / needed * longest).floor()
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::architecture::Window;
    use super::super::super::format::WeightFormat;
    use super::super::super::testing::{assert_near, llama_3_8b};
    use super::super::super::units::GIB;
    use super::super::super::words::{CacheFormat, Workload};
    use super::*;

    fn calibration() -> Calibration {
        Calibration {
            cache_block: 16.0,
            window_cache_factor: 1.0,
            state_blocks: 2.0,
            state_value_bytes: 3.92,
            ..Calibration::default()
        }
    }

    fn run() -> Run {
        Run::new(Workload::Inference, WeightFormat::plain(16.0))
    }

    fn pages(model: &Architecture, run: &Run, tensor: u32) -> Option<Pages> {
        let layout = Layout {
            tensor,
            ..Layout::default()
        };
        Pages::of(model, run, &layout, &calibration())
    }

    fn window(tokens: u32, global_layers: u32) -> Window {
        Window {
            tokens,
            global_layers,
            global_cache_width: None,
            global_kv_heads: None,
            kv_heads: None,
        }
    }

    fn gemma_4_31b() -> Architecture {
        Architecture {
            layers: 60,
            heads: 32,
            kv_heads: 16,
            head_dim: 256,
            window: Some(Window {
                global_cache_width: Some(4096),
                global_kv_heads: Some(4),
                ..window(1024, 10)
            }),
            ..llama_3_8b()
        }
    }

    /// The layers of Qwen3.5 27B: 16 with attention, and 48 with a state of 48 heads of 128 by 128 values.
    fn qwen_3_5_27b() -> Architecture {
        Architecture {
            layers: 64,
            heads: 24,
            kv_heads: 4,
            head_dim: 256,
            attention_layers: Some(16),
            state_values: 48 * (48 * 128 * 128 + 3 * 10_240),
            ..llama_3_8b()
        }
    }

    #[test]
    fn layers_of_one_kind_have_no_groups() {
        assert!(pages(&llama_3_8b(), &run(), 1).is_none());
        let windowed = Architecture {
            window: Some(window(4096, 0)),
            ..llama_3_8b()
        };
        assert!(pages(&windowed, &run(), 1).is_none());
        let other = Run {
            engine: ServingEngine::Sglang,
            ..run()
        };
        assert!(pages(&gemma_4_31b(), &other, 1).is_none());
    }

    #[test]
    fn wide_and_narrow_layers_share_a_page() {
        // Logged by vLLM 0.24 for Gemma 4 31B on one H200: 626,949 tokens in 64.68 GiB, with passes of 8,192 tokens.
        let pages = pages(&gemma_4_31b(), &run(), 1).unwrap();
        let tokens = pages.reported(64.68 * GIB, 262_144.0, 8192.0, false);
        assert!((tokens / 626_949.0 - 1.0).abs() < 0.001, "{tokens}");
        // The same in NVFP4: 1,007,303 tokens in 103.92 GiB.
        let tokens = pages.reported(103.92 * GIB, 262_144.0, 8192.0, false);
        assert!((tokens / 1_007_303.0 - 1.0).abs() < 0.001, "{tokens}");
        // vLLM 0.20 reported about 55,000 tokens in about 50 GiB, and 0.21 about 525,000.
        let tokens = pages.reported(50.0 * GIB, 262_144.0, 2048.0, true);
        assert!((tokens / 55_000.0 - 1.0).abs() < 0.02, "{tokens}");
        let tokens = pages.reported(46.6 * GIB, 262_144.0, 2048.0, false);
        assert!((tokens / 525_000.0 - 1.0).abs() < 0.05, "{tokens}");
    }

    #[test]
    fn a_state_fills_pages() {
        // Logged by vLLM for Qwen3.8 27B on two RTX 3090 with a cache in fp8: 302,921 tokens in 4.99 GiB of each.
        let narrow = Run {
            cache: CacheFormat::Fp8,
            ..run()
        };
        let divided = pages(&qwen_3_5_27b(), &narrow, 2).unwrap();
        let tokens = divided.reported(4.99 * GIB, 131_072.0, 8192.0, false);
        assert!((tokens / 302_921.0 - 1.0).abs() < 0.005, "{tokens}");
        // A block of attention has 784 tokens in 16 bits on one device, as logged.
        let alone = pages(&qwen_3_5_27b(), &run(), 1).unwrap();
        assert_near(alone.global.tokens, 784.0);
        // The layers are in groups of 16: one with attention, and three with states of two blocks each.
        assert_near(alone.sequence(784.0), 7.0 * alone.block);
        assert_near(alone.sequence(785.0), 8.0 * alone.block);
    }

    #[test]
    fn layers_may_have_both_attention_and_a_state() {
        let both = Architecture {
            attention_layers: None,
            ..qwen_3_5_27b()
        };
        let pages = pages(&both, &run(), 1).unwrap();
        assert_eq!((pages.global.groups, pages.states.groups), (1.0, 1.0));
    }

    #[test]
    fn kinds_of_similar_size_are_padded() {
        let model = |global_layers, layers| Architecture {
            layers,
            window: Some(window(128, global_layers)),
            ..llama_3_8b()
        };
        let groups = |model: &Architecture| {
            let pages = pages(model, &run(), 1).unwrap();
            (pages.global.groups, pages.windowed.groups)
        };
        // gpt-oss-20b has 12 of each; with 13 and 12 layers there are two groups of 13.
        assert_eq!(groups(&model(12, 24)), (1.0, 1.0));
        assert_eq!(groups(&model(13, 25)), (1.0, 1.0));
        // Gemma 3 27B: 52 layers with a window are six groups of ten.
        assert_eq!(groups(&model(10, 62)), (1.0, 6.0));
    }

    #[test]
    fn a_decoded_sequence_keeps_windows() {
        let pages = pages(&gemma_4_31b(), &run(), 1).unwrap();
        // Ten layers of 32 tokens with 4,096 values, or of 16 tokens with 8,192, in 2 bytes.
        let block = 10.0 * 262_144.0;
        assert_near(pages.sequence(512.0), (16.0 + 5.0 * 32.0) * block);
        assert_near(pages.sequence(8192.0), (256.0 + 5.0 * 65.0) * block);
    }
}
