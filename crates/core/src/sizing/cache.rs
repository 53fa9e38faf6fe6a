//! The KV cache: values that a sequence keeps, and values that a new token attends to.
//!
//! Layers keep every token, the tokens of a window, or one entry for several tokens. In some layers, an index selects
//! the entries that a token attends to.

use super::architecture::{Architecture, MAX_FIGURE};

/// The minimum bytes of a value of a recurrent state: engines do not quantize states to 8 bits.
const STATE_BYTES: f64 = 2.0;
/// Bytes of the scale of an index entry, in addition to its key of one byte per value.
const INDEX_SCALE_BYTES: f64 = 4.0;

/// Bytes of the cache of a sequence, by kind of layer.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CacheBytes {
    /// Layers that keep every token.
    pub global: f64,
    /// Layers with a window, and compressed entries.
    pub windowed: f64,
    /// Recurrent states.
    pub state: f64,
}

impl CacheBytes {
    /// The sum of all kinds.
    pub fn total(&self) -> f64 {
        self.global + self.windowed + self.state
    }
}

impl Architecture {
    /// Checks the figures of caches, and of layers that consist of a single part.
    pub(super) fn check_cache(&self) -> Result<(), &'static str> {
        if self.mlp_layers.is_some_and(|n| n > self.layers) {
            return Err("the model has more MLP layers than layers");
        }
        let global = self.window.and_then(|window| window.global_cache_width);
        if self.cache_width.max(global).is_some_and(|n| n > MAX_FIGURE) {
            return Err("the cache width is too large");
        }
        let heads = |count: Option<u32>| count.is_none_or(|n| (1..=MAX_FIGURE).contains(&n));
        if let Some(window) = self.window
            && !(heads(window.global_kv_heads) && heads(window.kv_heads))
        {
            return Err("the key heads of layers with or without the window are 0 or too many");
        }
        if let Some(sparse) = self.sparse
            && (sparse.top_k == 0
                || sparse.top_k > MAX_FIGURE
                || sparse.layers.max(sparse.index_layers) > self.layers
                || sparse.index_heads.max(sparse.index_width) > MAX_FIGURE)
        {
            return Err("a figure of the sparse attention index is out of range");
        }
        if let Some(compressed) = self.compressed
            && (compressed.sparse_ratio.min(compressed.heavy_ratio) == 0
                || compressed.sparse_layers.max(compressed.heavy_layers) > self.layers
                || compressed.sparse_layers + compressed.heavy_layers > self.layers)
        {
            return Err("the compressed layers do not add up");
        }
        Ok(())
    }

    /// Values that a token adds to the cache of one layer.
    pub fn cache_width(&self) -> f64 {
        match (self.cache_width, self.mla) {
            (Some(width), _) => f64::from(width),
            (None, Some(mla)) => f64::from(mla.kv_rank + mla.rope_dim),
            (None, None) => 2.0 * self.key_width(),
        }
    }

    /// The number of layers whose cache keeps every token, and of layers whose cache ends at a window.
    pub fn cache_layers(&self) -> (f64, f64) {
        let layers = self.attention_layers.unwrap_or(self.layers);
        let Some(window) = self.window else {
            return (f64::from(layers), 0.0);
        };
        let global = window.global_layers.min(layers);
        (f64::from(global), f64::from(layers - global))
    }

    /// Values that a sequence of `tokens` tokens keeps in the cache.
    pub fn cache_values(&self, tokens: f64) -> f64 {
        self.token_values(tokens, f64::INFINITY) + self.state_values as f64
    }

    /// Whether any layer keeps tokens.
    pub fn has_cache(&self) -> bool {
        self.token_values(1.0, f64::INFINITY) > 0.0
    }

    /// The number of key heads of a layer that keeps every token, and of a layer with a window. A latent cache has a
    /// single head.
    pub fn cache_heads(&self) -> (u32, u32) {
        if self.mla.is_some() {
            return (1, 1);
        }
        let window = self.window;
        let heads = |count: Option<u32>| count.unwrap_or(self.kv_heads).max(1);
        (
            heads(window.and_then(|window| window.global_kv_heads)),
            heads(window.and_then(|window| window.kv_heads)),
        )
    }

    /// Values that each token beyond all windows adds to the cache, and values that do not grow beyond them: the windows.
    pub fn growing_and_window_values(&self) -> (f64, f64) {
        let from = self.windows_end();
        let full = self.token_values(from, f64::INFINITY);
        let growing = (self.token_values(2.0 * from, f64::INFINITY) - full) / from;
        (growing, full - from * growing)
    }

    /// The number of tokens that fills all windows.
    fn windows_end(&self) -> f64 {
        self.window
            .map_or(1.0, |window| f64::from(window.tokens.max(1)))
    }

    /// Bytes that a sequence of `tokens` tokens keeps with `value_bytes` bytes per value of the cache. Caches may have
    /// 8 bits, but states have at least 16.
    pub fn kept(&self, tokens: f64, value_bytes: f64) -> CacheBytes {
        self.bytes(tokens, f64::INFINITY, value_bytes)
    }

    /// The sum of [`Architecture::kept`].
    pub fn kept_bytes(&self, tokens: f64, value_bytes: f64) -> f64 {
        self.kept(tokens, value_bytes).total()
    }

    /// Bytes that a step reads and writes for a sequence of `tokens` tokens: it reads the cache entries that it attends
    /// to, and reads and writes the state.
    pub fn attended(&self, tokens: f64, value_bytes: f64) -> CacheBytes {
        let read = self.bytes(tokens, self.most_entries(), value_bytes);
        CacheBytes {
            state: 2.0 * read.state,
            ..read
        }
    }

    /// Bytes of `tokens` tokens and of the state, with at most `most` entries in layers with an index.
    fn bytes(&self, tokens: f64, most: f64, value_bytes: f64) -> CacheBytes {
        let (global, windowed) = self.values_by_layer(tokens, most);
        CacheBytes {
            global: global * value_bytes,
            windowed: windowed * value_bytes,
            state: self.state_bytes(value_bytes),
        }
    }

    /// Bytes of all recurrent states of a sequence.
    pub fn state_bytes(&self, value_bytes: f64) -> f64 {
        self.state_values as f64 * value_bytes.max(STATE_BYTES)
    }

    /// The maximum number of entries that layers with an index attend to.
    fn most_entries(&self) -> f64 {
        self.sparse
            .map_or(f64::INFINITY, |sparse| f64::from(sparse.top_k))
    }

    /// Values of `tokens` tokens, with at most `most` entries in layers with an index.
    fn token_values(&self, tokens: f64, most: f64) -> f64 {
        let (global, windowed) = self.values_by_layer(tokens, most);
        global + windowed
    }

    /// The same for layers that keep every token, and for windows and compressed entries.
    fn values_by_layer(&self, tokens: f64, most: f64) -> (f64, f64) {
        let seen = self.seen_entries(tokens, most);
        let width = self.cache_width();
        let global_width = self.window.and_then(|window| window.global_cache_width);
        (
            global_width.map_or(width, f64::from) * seen.global,
            width * (seen.windowed + seen.compressed),
        )
    }

    /// Values that layers with a window would keep of `tokens` tokens in addition if they kept every token. Layers that
    /// compress what is beyond the window keep no more.
    pub fn beyond_windows(&self, tokens: f64) -> f64 {
        let Some(window) = self.window.filter(|_| self.compressed.is_none()) else {
            return 0.0;
        };
        let (_, local) = self.cache_layers();
        local * self.cache_width() * (tokens - f64::from(window.tokens)).max(0.0)
    }

    /// Cache entries that a token sees over all layers, with `tokens` tokens before it and at most `most` entries in
    /// layers with an index.
    fn seen_entries(&self, tokens: f64, most: f64) -> SeenEntries {
        let (global, local) = self.cache_layers();
        let near = self
            .window
            .map_or(tokens, |window| tokens.min(f64::from(window.tokens)));
        let compressed = self.compressed.map_or(0.0, |compressed| {
            let entries = tokens / f64::from(compressed.sparse_ratio);
            f64::from(compressed.sparse_layers) * entries.min(most)
                + f64::from(compressed.heavy_layers) * tokens / f64::from(compressed.heavy_ratio)
        });
        let selecting = match (self.sparse, self.compressed) {
            (Some(sparse), None) => f64::from(sparse.layers).min(global),
            _ => 0.0,
        };
        SeenEntries {
            global: (global - selecting) * tokens + selecting * tokens.min(most),
            windowed: local * near,
            compressed,
        }
    }

    /// Cache entries that a token attends to over all layers, with `before` tokens before it.
    pub fn attended_entries(&self, before: f64) -> f64 {
        let seen = self.seen_entries(before, self.most_entries());
        seen.global + seen.windowed + seen.compressed
    }

    /// Entries of all indexes of a sequence of `tokens` tokens.
    fn index_entries(&self, tokens: f64) -> f64 {
        let ratio = self
            .compressed
            .map_or(1.0, |compressed| f64::from(compressed.sparse_ratio));
        self.sparse.map_or(0.0, |sparse| {
            f64::from(sparse.index_layers) * tokens / ratio
        })
    }

    /// Bytes of the indexes of a sequence of `tokens` tokens: fp8 keys with a scale each.
    pub fn index_bytes(&self, tokens: f64) -> f64 {
        let width = self
            .sparse
            .map_or(0.0, |sparse| f64::from(sparse.index_width));
        self.index_entries(tokens) * (width + INDEX_SCALE_BYTES)
    }

    /// Operations that one token needs to score the entries of all indexes, with `before` tokens before it.
    pub fn index_flops(&self, before: f64) -> f64 {
        let width = self.sparse.map_or(0.0, |sparse| {
            f64::from(sparse.index_heads) * f64::from(sparse.index_width)
        });
        2.0 * width * self.index_entries(before)
    }
}

/// Entries of a cache, by kind of layer.
#[derive(Clone, Copy, Debug)]
struct SeenEntries {
    global: f64,
    windowed: f64,
    compressed: f64,
}

#[cfg(test)]
mod tests {
    use super::super::architecture::{Compressed, Mla, Sparse, Window};
    use super::super::testing::llama_3_8b;
    use super::*;

    #[test]
    fn a_window_bounds_the_cache() {
        let model = Architecture {
            window: Some(Window {
                tokens: 1024,
                global_layers: 10,
                global_cache_width: None,
                global_kv_heads: None,
                kv_heads: None,
            }),
            layers: 60,
            ..llama_3_8b()
        };
        let full = model.cache_width() * 60.0 * 8192.0;
        let kept = model.cache_values(8192.0);
        assert!((kept / full - (10.0 + 50.0 / 8.0) / 60.0).abs() < 1e-9);
    }

    /// The cache of DeepSeek-V3.2, with fewer layers.
    fn selecting() -> Architecture {
        Architecture {
            layers: 10,
            heads: 128,
            kv_heads: 128,
            mla: Some(Mla {
                kv_rank: 512,
                q_rank: 1536,
                nope_dim: 128,
                rope_dim: 64,
                value_dim: 128,
            }),
            sparse: Some(Sparse {
                top_k: 2048,
                layers: 10,
                index_layers: 4,
                index_heads: 64,
                index_width: 128,
            }),
            ..llama_3_8b()
        }
    }

    #[test]
    fn an_index_limits_reads_but_not_the_cache() {
        let model = selecting();
        assert!((model.cache_values(8192.0) - 10.0 * 576.0 * 8192.0).abs() < 0.5);
        assert!((model.attended(8192.0, 2.0).total() - 2.0 * 10.0 * 576.0 * 2048.0).abs() < 0.5);
        assert!((model.attended(1024.0, 1.0).total() - 10.0 * 576.0 * 1024.0).abs() < 0.5);
        assert!((model.index_bytes(8192.0) - 4.0 * 132.0 * 8192.0).abs() < 0.5);
        assert!((model.index_flops(100.0) - 2.0 * 64.0 * 128.0 * 4.0 * 100.0).abs() < 0.5);
        assert!((llama_3_8b().index_bytes(8192.0)).abs() < 0.5);
    }

    #[test]
    fn a_state_keeps_16_bits_where_the_cache_has_fewer() {
        let model = Architecture {
            attention_layers: Some(8),
            state_values: 1_000_000,
            ..llama_3_8b()
        };
        let cache = 8.0 * 2048.0 * 100.0;
        assert!((model.kept_bytes(100.0, 1.0) - (cache + 2e6)).abs() < 0.5);
        assert!((model.kept_bytes(100.0, 2.0) - 2.0 * model.cache_values(100.0)).abs() < 0.5);
        assert!((model.attended(100.0, 1.0).total() - (cache + 4e6)).abs() < 0.5);
    }

    #[test]
    fn compressed_layers_keep_an_entry_for_several_tokens() {
        // DeepSeek-V4-Flash.
        let model = Architecture {
            layers: 43,
            cache_width: Some(512),
            window: Some(Window {
                tokens: 128,
                global_layers: 0,
                global_cache_width: None,
                global_kv_heads: None,
                kv_heads: None,
            }),
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
        let windows = 43.0 * 128.0;
        let kept = windows + 21.0 * 32768.0 / 4.0 + 20.0 * 256.0;
        assert!((model.cache_values(32768.0) - 512.0 * kept).abs() < 0.5);
        let read = windows + 21.0 * 512.0 + 20.0 * 256.0;
        assert!((model.attended_entries(32768.0) - read).abs() < 0.5);
        assert!((model.index_bytes(32768.0) - 21.0 * 8192.0 * 132.0).abs() < 0.5);
    }

    #[test]
    fn rejects_impossible_cache_figures() {
        let changed = |change: &dyn Fn(&mut Architecture)| {
            let mut shape = selecting();
            shape.compressed = Some(Compressed {
                sparse_layers: 4,
                sparse_ratio: 4,
                heavy_layers: 6,
                heavy_ratio: 128,
            });
            change(&mut shape);
            shape.check()
        };
        let sparse = |change: fn(&mut Sparse)| {
            changed(&|shape| {
                if let Some(sparse) = &mut shape.sparse {
                    change(sparse);
                }
            })
        };
        let compressed = |change: fn(&mut Compressed)| {
            changed(&|shape| {
                if let Some(compressed) = &mut shape.compressed {
                    change(compressed);
                }
            })
        };
        assert_eq!(changed(&|_| ()), Ok(()));
        assert_eq!(changed(&|shape| shape.mlp_layers = Some(10)), Ok(()));
        assert!(changed(&|shape| shape.mlp_layers = Some(11)).is_err());
        assert!(changed(&|shape| shape.cache_width = Some(MAX_FIGURE + 1)).is_err());
        let refused: [fn(&mut Sparse); 5] = [
            |sparse| sparse.top_k = 0,
            |sparse| sparse.layers = 11,
            |sparse| sparse.index_layers = 11,
            |sparse| sparse.index_heads = MAX_FIGURE + 1,
            |sparse| sparse.index_width = MAX_FIGURE + 1,
        ];
        for (at, change) in refused.into_iter().enumerate() {
            assert!(sparse(change).is_err(), "{at}");
        }
        let refused: [fn(&mut Compressed); 4] = [
            |compressed| compressed.sparse_ratio = 0,
            |compressed| compressed.heavy_ratio = 0,
            |compressed| compressed.heavy_layers = 7,
            |compressed| compressed.sparse_layers = u32::MAX,
        ];
        let heads = |global_kv_heads, kv_heads| {
            changed(&|shape| {
                shape.window = Some(Window {
                    tokens: 128,
                    global_layers: 1,
                    global_cache_width: None,
                    global_kv_heads,
                    kv_heads,
                });
            })
        };
        assert_eq!(heads(Some(2), Some(4)), Ok(()));
        assert!(heads(Some(0), None).is_err());
        assert!(heads(None, Some(MAX_FIGURE + 1)).is_err());
        for (at, change) in refused.into_iter().enumerate() {
            assert!(compressed(change).is_err(), "{at}");
        }
    }
}
