//! The shape of a language model, which determines its size.
//!
//! Parameters are counted as the modelling code of transformers creates them. All widths are numbers of values, not
//! bytes.

use super::vision::Vision;

crate::rows! {
    /// The shape of a decoder.
    #[derive(Clone, Copy, Debug, Default, PartialEq)]
    pub struct Architecture {
        /// Width of the hidden state.
        pub hidden: u32,
        /// Layers of the decoder.
        pub layers: u32,
        /// Query heads of a layer.
        pub heads: u32,
        /// Key heads of a layer; equal to the query heads in latent attention.
        pub kv_heads: u32,
        /// Width of a head.
        pub head_dim: u32,
        /// Width of the dense MLP.
        pub ffn: u32,
        /// Tokens of the vocabulary, padding included.
        pub vocab: u32,
        /// Whether the head is tied to the embedding.
        pub tied: bool,
        /// Whether the MLP has a gate: three matrices instead of two.
        pub gated: bool,
        /// Modules with biases.
        pub biases: Biases,
        /// Norms of queries and keys.
        pub qk_norm: Option<QkNorm>,
        /// Norms with weights in a layer; 0 if norms have no weights.
        pub norms_per_layer: u32,
        /// Rows of the table of learned positions; 0 without one.
        pub positions: u32,
        /// Sliding window attention in some layers.
        pub window: Option<Window>,
        /// Mixture of experts.
        pub experts: Option<Experts>,
        /// Latent attention.
        pub mla: Option<Mla>,
        /// Attention to the tokens that an index selects, in some layers.
        pub sparse: Option<Sparse>,
        /// Layers that keep one entry in the cache for several tokens.
        pub compressed: Option<Compressed>,
        /// Values that a token adds to the cache of a layer, if they do not follow from the heads: keys and values of
        /// different widths, or layers that share a cache.
        pub cache_width: Option<u32>,
        /// Layers that are an MLP or a mixture, in models whose layers are either attention, a recurrence or an MLP.
        /// `None` for models with an MLP in every layer.
        pub mlp_layers: Option<u32>,
        /// Layers with attention; `None` for all layers.
        pub attention_layers: Option<u32>,
        /// Values of the recurrent state of a sequence in all layers, which does not depend on its length.
        pub state_values: u64,
        /// Parameters of other matrices: recurrent layers, gates of attention. Negative as a correction.
        pub other_matrices: i64,
        /// Other parameters: vision towers, sinks, biases of experts. Negative as a correction.
        pub extra_parameters: i64,
        /// Parameters of the tower for images, in addition to all others, which servers load; 0 for models of text.
        pub image_parameters: u64,
        /// The shape of that tower; `None` for models of text, and if it is unknown.
        pub vision: Option<Vision>,
        /// The maximum context.
        pub context: Option<u32>,
        /// How positions reach the maximum context if the files state a shorter one.
        pub yarn: Option<Yarn>,
    }

    /// YaRN, which extends the context.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Yarn {
        /// The context without YaRN, as in the files.
        pub native_context: u32,
        /// The context that the positions were trained with, which YaRN multiplies.
        pub original_context: u32,
        /// The base of the rotary positions.
        pub rope_theta: u32,
    }

    /// Modules that have biases.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
    pub struct Biases {
        /// Queries, keys and values.
        pub qkv: bool,
        /// The output of attention.
        pub out: bool,
        /// The matrices of the MLP.
        pub mlp: bool,
        /// Norms.
        pub norm: bool,
        /// The head.
        pub head: bool,
    }
}

crate::catalog::table::choice! {
    /// Norms of queries and keys.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum QkNorm {
        /// One weight vector for all heads.
        Head,
        /// One weight vector for each head.
        Full,
        /// One norm over all heads together, whose squares tensor-parallel ranks have to sum.
        Joint,
    }
}

crate::rows! {
    /// Sliding window attention.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Window {
        /// Tokens of the window.
        pub tokens: u32,
        /// Layers without a window.
        pub global_layers: u32,
        /// Values that a token adds to the cache of a layer without a window, if that differs.
        pub global_cache_width: Option<u32>,
        /// Key heads of a layer without a window, if their number is not `kv_heads` of the model.
        pub global_kv_heads: Option<u32>,
        /// Key heads of a layer with the window, if their number is not `kv_heads` of the model.
        pub kv_heads: Option<u32>,
    }

    /// Mixture of experts.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Experts {
        /// Routed experts of a layer.
        pub count: u32,
        /// Routed experts that each token chooses.
        pub active: u32,
        /// Inner width of an expert.
        pub width: u32,
        /// Inner width of the shared experts, which process all tokens.
        pub shared_width: u32,
        /// Dense layers before the first mixture.
        pub dense_first: u32,
        /// The interval between mixtures: 1 if every layer is one.
        pub every: u32,
        /// Width of the projected hidden state that routed experts read; 0 without projections.
        pub latent_width: u32,
        /// Inner width of experts for images, as many as `count`, that tokens of text never choose; 0 without them.
        pub image_width: u32,
    }

    /// Multi-head latent attention (DeepSeek-V2, arXiv 2405.04434, section 2.1).
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Mla {
        /// Width of compressed keys and values.
        pub kv_rank: u32,
        /// Width of compressed queries; 0 if queries are not compressed.
        pub q_rank: u32,
        /// Width of the part of a query or key head without positions.
        pub nope_dim: u32,
        /// Width of the part of a head with rotary positions, which all key heads share.
        pub rope_dim: u32,
        /// Width of a value head.
        pub value_dim: u32,
    }
}

crate::rows! {
    /// Attention to the tokens that an index selects (DeepSeek-V3.2, arXiv 2512.02556, section 2.1).
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Sparse {
        /// The maximum number of cache entries that a token attends to.
        pub top_k: u32,
        /// Layers that attend to selected entries.
        pub layers: u32,
        /// Layers with an index; the others of `layers` use the selection of a previous layer.
        pub index_layers: u32,
        /// Query heads of the index.
        pub index_heads: u32,
        /// Width of a head of the index, and of the key of an entry.
        pub index_width: u32,
    }

    /// Layers that keep one cache entry for several tokens, in addition to the window of all layers
    /// (DeepSeek-V4: compressed sparse and heavily compressed attention).
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub struct Compressed {
        /// Layers that attend to selected entries.
        pub sparse_layers: u32,
        /// Tokens per entry in these layers.
        pub sparse_ratio: u32,
        /// Layers that attend to all entries.
        pub heavy_layers: u32,
        /// Tokens per entry in these layers.
        pub heavy_ratio: u32,
    }
}

/// Numbers of parameters, by module.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Parameters {
    /// The embedding.
    pub embedding: f64,
    /// The head; 0 if it is tied.
    pub head: f64,
    /// Matrices of attention, of all layers.
    pub attention: f64,
    /// Matrices of dense MLPs and shared experts, of all layers.
    pub mlp: f64,
    /// Matrices of experts, of all layers.
    pub experts: f64,
    /// Matrices of experts that only tokens of images choose, of all layers.
    pub image_experts: f64,
    /// Norms, biases and positions, which no format quantizes.
    pub small: f64,
    /// Routers, which no format quantizes either.
    pub routers: f64,
    /// Towers in addition to the decoder.
    pub extra: f64,
}

impl Parameters {
    /// The sum of all parts.
    pub fn total(&self) -> f64 {
        self.embedding + self.head + self.layers() + self.small + self.routers + self.extra
    }

    /// The matrices of all layers.
    pub fn layers(&self) -> f64 {
        self.attention + self.mlp + self.experts + self.image_experts
    }
}

/// The maximum of any figure of a shape, and of the number of layers. Both are far beyond existing models and keep sums
/// from overflowing. Products are computed as floats.
pub(super) const MAX_FIGURE: u32 = 1 << 22;
const MAX_LAYERS: u32 = 1 << 12;

impl Architecture {
    /// Checks that this can be the shape of a model.
    ///
    /// # Errors
    ///
    /// A sentence about the first impossible figure: layers or widths out of bounds, heads that the key heads do not
    /// divide, inconsistent experts, or a negative number of parameters.
    pub fn check(&self) -> Result<(), &'static str> {
        let figures = [
            self.hidden,
            self.heads,
            self.kv_heads,
            self.head_dim,
            self.vocab,
        ];
        if self.layers == 0 || self.layers > MAX_LAYERS {
            return Err("the number of layers is not between 1 and 4096");
        }
        if figures.iter().any(|n| *n == 0 || *n > MAX_FIGURE) || self.ffn > MAX_FIGURE {
            return Err("a figure of the shape is 0 or too large");
        }
        if let Some(mla) = self.mla
            && [
                mla.q_rank,
                mla.kv_rank,
                mla.nope_dim,
                mla.rope_dim,
                mla.value_dim,
            ]
            .iter()
            .any(|n| *n > MAX_FIGURE)
        {
            return Err("a width of the latent attention is too large");
        }
        if self.mla.is_none() && !self.heads.is_multiple_of(self.kv_heads) {
            return Err("the number of heads is not a multiple of the key heads");
        }
        if self.attention_layers.is_some_and(|n| n > self.layers) {
            return Err("the model has more attention layers than layers");
        }
        self.check_cache()?;
        if let Some(experts) = self.experts
            && (experts.count == 0
                || experts.active > experts.count
                || experts.count > MAX_LAYERS
                || experts.width.max(experts.shared_width) > MAX_FIGURE
                || experts.latent_width.max(experts.image_width) > MAX_FIGURE
                || experts.dense_first > self.layers)
        {
            return Err(
                "the experts are inconsistent: more active experts than experts, or more dense layers than layers",
            );
        }
        let counted = self.parameters();
        let parts = [
            counted.attention,
            counted.mlp,
            counted.small + counted.extra,
        ];
        if parts.iter().any(|part| *part < 0.0) || counted.total() <= 0.0 {
            return Err("the number of parameters is negative");
        }
        Ok(())
    }

    /// Width of all queries.
    pub fn query_width(&self) -> f64 {
        match self.mla {
            Some(mla) => f64::from(self.heads) * f64::from(mla.nope_dim + mla.rope_dim),
            None => f64::from(self.heads) * f64::from(self.head_dim),
        }
    }

    /// Width of all keys, as attention sees them.
    pub fn key_width(&self) -> f64 {
        match self.mla {
            Some(_) => self.query_width(),
            None => f64::from(self.kv_heads) * f64::from(self.head_dim),
        }
    }

    /// Layers that are mixtures of experts.
    pub fn expert_layers(&self) -> u32 {
        self.experts.map_or(0, |experts| {
            let layers = self.mlp_layers.unwrap_or(self.layers);
            let rest = layers.saturating_sub(experts.dense_first);
            rest / experts.every.max(1)
        })
    }

    /// The mixtures of experts among the first layers.
    pub fn expert_layers_among(&self, first: u32) -> u32 {
        self.experts.map_or(0, |experts| {
            let before = match self.mlp_layers {
                // Layers of other kinds are spread evenly between the layers with an MLP.
                Some(layers) => first.min(self.layers) * layers / self.layers.max(1),
                None => first,
            };
            let mixtures = before.saturating_sub(experts.dense_first) / experts.every.max(1);
            mixtures.min(self.expert_layers())
        })
    }

    /// Pairs of a token mixer and an MLP, which are layers in most models.
    pub fn paired_layers(&self) -> f64 {
        let layers = f64::from(self.layers);
        if self.mlp_layers.is_some() {
            layers / 2.0
        } else {
            layers
        }
    }

    /// Parameters of the matrices of attention in one layer.
    pub fn attention_parameters(&self) -> f64 {
        let hidden = f64::from(self.hidden);
        let heads = f64::from(self.heads);
        let Some(mla) = self.mla else {
            return 2.0 * hidden * (self.query_width() + self.key_width());
        };
        let query = f64::from(mla.nope_dim + mla.rope_dim) * heads;
        let q_rank = f64::from(mla.q_rank);
        let queries = if mla.q_rank == 0 {
            hidden * query
        } else {
            hidden * q_rank + q_rank * query
        };
        let kv_rank = f64::from(mla.kv_rank);
        queries
            + hidden * (kv_rank + f64::from(mla.rope_dim))
            + kv_rank * heads * f64::from(mla.nope_dim + mla.value_dim)
            + heads * f64::from(mla.value_dim) * hidden
    }

    fn mlp_parameters(&self, width: u32) -> f64 {
        let matrices = if self.gated { 3.0 } else { 2.0 };
        matrices * f64::from(self.hidden) * f64::from(width)
    }

    /// Input width of routed experts.
    pub fn expert_input(&self) -> u32 {
        let latent = self.experts.map_or(0, |experts| experts.latent_width);
        if latent > 0 { latent } else { self.hidden }
    }

    /// Parameters by module. A tied head has none.
    pub fn parameters(&self) -> Parameters {
        let hidden = f64::from(self.hidden);
        let layers = f64::from(self.layers);
        let attention_layers = f64::from(self.attention_layers.unwrap_or(self.layers));
        let vocabulary = f64::from(self.vocab) * hidden;
        let expert_layers = f64::from(self.expert_layers());
        let mlp_layers = f64::from(self.mlp_layers.unwrap_or(self.layers));
        let mut mlp = (mlp_layers - expert_layers) * self.mlp_parameters(self.ffn);
        let mut routed = 0.0;
        let mut image_experts = 0.0;
        let mut small = f64::from(self.positions) * hidden;
        let mut routers = 0.0;
        if let Some(experts) = self.experts {
            let count = f64::from(experts.count);
            let narrower = f64::from(self.expert_input()) / hidden;
            routed = expert_layers * count * self.mlp_parameters(experts.width) * narrower;
            image_experts = expert_layers * count * self.mlp_parameters(experts.image_width);
            let projections = 2.0 * hidden * f64::from(experts.latent_width);
            mlp += expert_layers * (self.mlp_parameters(experts.shared_width) + projections);
            routers = expert_layers * count * hidden;
        }
        let norm = if self.biases.norm { 2.0 } else { 1.0 } * hidden;
        if self.norms_per_layer > 0 {
            small += norm * (layers * f64::from(self.norms_per_layer) + 1.0);
        }
        let head_dim = f64::from(self.head_dim);
        small += attention_layers
            * match self.qk_norm {
                None => 0.0,
                Some(QkNorm::Head) => 2.0 * head_dim,
                Some(QkNorm::Full | QkNorm::Joint) => self.query_width() + self.key_width(),
            };
        if let Some(mla) = self.mla {
            small += attention_layers * f64::from(mla.q_rank + mla.kv_rank);
        }
        if self.biases.qkv {
            small += attention_layers * (self.query_width() + 2.0 * self.key_width());
        }
        if self.biases.out {
            small += attention_layers * hidden;
        }
        if self.biases.mlp {
            let inner = if self.gated { 2.0 } else { 1.0 } * f64::from(self.ffn);
            small += (mlp_layers - expert_layers) * (inner + hidden);
        }
        if self.biases.head {
            small += f64::from(self.vocab);
        }
        Parameters {
            embedding: vocabulary,
            head: if self.tied { 0.0 } else { vocabulary },
            attention: attention_layers * self.attention_parameters() + self.other_matrices as f64,
            mlp,
            experts: routed,
            image_experts,
            small,
            routers,
            extra: self.extra_parameters as f64,
        }
    }

    /// Parameters that a text token is multiplied with, without towers and additional tables.
    ///
    /// A separate embedding of a mixture is not counted: a token looks up one row of it. The head is counted, even if
    /// it is tied to the embedding. OpenAI (gpt-oss) and NVIDIA (Nemotron 3) publish this figure. Some makers count the
    /// embedding too (Qwen, Ling), others neither of them (GLM-4.5): over 48 published figures, the mean difference of
    /// this rule is 5 %, as with the embedding, and 10 % without the head. All makers call all parameters of a model
    /// without experts active.
    pub fn active_parameters(&self) -> f64 {
        self.active_with_embedding() - self.inactive_embedding()
    }

    /// The active parameters and the embedding, which the published speeds of training count.
    pub fn active_with_embedding(&self) -> f64 {
        self.active_of(&self.parameters())
    }

    /// Same as [`Self::active_with_embedding`], for parameters that are counted already. Text chooses no experts for
    /// images.
    pub fn active_of(&self, counted: &Parameters) -> f64 {
        let routed = counted.experts + counted.routers;
        let other = counted.extra.max(0.0) + counted.image_experts;
        counted.total() - other - routed * (1.0 - self.active_share(1.0))
    }

    /// Parameters of the embedding of a mixture, unless the head is tied to it.
    pub fn inactive_embedding(&self) -> f64 {
        if self.tied || self.experts.is_none() {
            0.0
        } else {
            f64::from(self.vocab) * f64::from(self.hidden)
        }
    }

    /// The share of the experts that `tokens` tokens touch together, between 0 and 1, if they choose evenly.
    pub fn active_share(&self, tokens: f64) -> f64 {
        let Some(experts) = self.experts else {
            return 1.0;
        };
        let one = f64::from(experts.active) / f64::from(experts.count);
        if tokens <= 1.0 {
            return one;
        }
        1.0 - (1.0 - one).powf(tokens)
    }

    /// The same if some experts are chosen more often than others. The frequency follows a gamma distribution of this
    /// shape; an infinite shape is an even choice.
    pub fn touched_share(&self, tokens: f64, shape: f64) -> f64 {
        let one = self.active_share(1.0);
        if one >= 1.0 || tokens <= 1.0 {
            return one;
        }
        let chosen = -(1.0 - one).ln() * (tokens - 1.0);
        1.0 - (1.0 - one) * (1.0 + chosen / shape).powf(-shape)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::llama_3_8b;
    use super::*;

    #[test]
    fn counts_the_parameters_of_a_dense_model() {
        let model = llama_3_8b();
        assert!((model.parameters().total() - 8_030_261_248.0).abs() < 0.5);
        assert!((model.cache_values(1.0) * 2.0 - 131_072.0).abs() < 0.5);
    }

    #[test]
    fn unequal_choices_touch_fewer_experts() {
        let model = Architecture {
            experts: Some(EXPERTS),
            ..llama_3_8b()
        };
        assert!((model.touched_share(1.0, 0.5) - 0.25).abs() < 1e-12);
        for tokens in [2.0, 8.0, 64.0] {
            let even = model.active_share(tokens);
            assert!((model.touched_share(tokens, 1e9) - even).abs() < 1e-6);
            let (less, least) = (
                model.touched_share(tokens, 2.0),
                model.touched_share(tokens, 0.5),
            );
            assert!(0.25 < least && least < less && less < even, "{tokens}");
        }
        assert!((llama_3_8b().touched_share(9.0, 0.5) - 1.0).abs() < 1e-12);
    }

    type ShapeChange<'c> = &'c dyn Fn(&mut Architecture);

    #[test]
    fn each_part_has_its_parameters() {
        let base = llama_3_8b().parameters().total();
        let changes: [(ShapeChange<'_>, f64); 11] = [
            (&|shape| shape.qk_norm = Some(QkNorm::Head), 8192.0),
            (&|shape| shape.qk_norm = Some(QkNorm::Full), 163_840.0),
            (&|shape| shape.qk_norm = Some(QkNorm::Joint), 163_840.0),
            (&|shape| shape.positions = 512, 2_097_152.0),
            (&|shape| shape.biases.qkv = true, 196_608.0),
            (&|shape| shape.biases.out = true, 131_072.0),
            (&|shape| shape.biases.mlp = true, 1_048_576.0),
            (&|shape| shape.biases.norm = true, 266_240.0),
            (&|shape| shape.biases.head = true, 128_256.0),
            (&|shape| shape.norms_per_layer = 4, 262_144.0),
            (&|shape| shape.norms_per_layer = 0, -266_240.0),
        ];
        for (at, (change, wanted)) in changes.into_iter().enumerate() {
            let mut shape = llama_3_8b();
            change(&mut shape);
            let more = shape.parameters().total() - base;
            assert!((more - wanted).abs() < 0.5, "{at}: {more}");
        }
    }

    #[test]
    fn widths_and_layers_follow_from_the_shape() {
        let is_near = |value: f64, wanted: f64| (value - wanted).abs() < 1e-9;
        let dense = llama_3_8b();
        let latent = Architecture {
            mla: Some(LATENT),
            ..dense
        };
        assert!(is_near(dense.query_width(), 4096.0) && is_near(dense.key_width(), 1024.0));
        assert!(is_near(latent.query_width(), 6144.0) && is_near(latent.key_width(), 6144.0));
        let mixture = |dense_first, every, latent_width, mlp_layers| Architecture {
            experts: Some(Experts {
                dense_first,
                every,
                latent_width,
                ..EXPERTS
            }),
            mlp_layers,
            ..dense
        };
        let (all, some) = (mixture(0, 1, 0, None), mixture(3, 2, 1024, None));
        let half = mixture(0, 1, 0, Some(16));
        assert_eq!(dense.expert_layers(), 0);
        assert_eq!(
            [all, some, half].map(|shape| shape.expert_layers()),
            [32, 14, 16]
        );
        let among = |first| [dense, all, some, half].map(|shape| shape.expert_layers_among(first));
        assert_eq!(among(0), [0, 0, 0, 0]);
        assert_eq!(among(3), [0, 3, 0, 1]);
        assert_eq!(among(10), [0, 10, 3, 5]);
        assert_eq!(among(99), [0, 32, 14, 16]);
        assert!(is_near(all.paired_layers(), 32.0) && is_near(half.paired_layers(), 16.0));
        assert_eq!(
            [dense, all, some].map(|shape| shape.expert_input()),
            [4096, 4096, 1024]
        );
    }

    const EXPERTS: Experts = Experts {
        count: 8,
        active: 2,
        width: 1024,
        shared_width: 0,
        dense_first: 0,
        every: 1,
        latent_width: 0,
        image_width: 0,
    };
    const LATENT: Mla = Mla {
        kv_rank: 512,
        q_rank: 0,
        nope_dim: 128,
        rope_dim: 64,
        value_dim: 128,
    };

    #[test]
    fn rejects_shapes_with_impossible_figures() {
        let base = llama_3_8b();
        let (experts, mla) = (EXPERTS, LATENT);
        let check = |change: ShapeChange<'_>| {
            let mut shape = Architecture {
                experts: Some(experts),
                ..base
            };
            change(&mut shape);
            shape.check()
        };
        let with_experts = |change: fn(&mut Experts)| {
            let mut changed = experts;
            change(&mut changed);
            check(&|shape| shape.experts = Some(changed))
        };
        let with_mla = |change: fn(&mut Mla)| {
            let mut changed = mla;
            change(&mut changed);
            check(&|shape| {
                shape.mla = Some(changed);
                shape.kv_heads = 5;
            })
        };
        let bounds: [ShapeChange<'_>; 9] = [
            &|_| (),
            &|shape| shape.layers = MAX_LAYERS,
            &|shape| shape.ffn = 0,
            &|shape| shape.ffn = MAX_FIGURE,
            &|shape| shape.hidden = MAX_FIGURE,
            &|shape| shape.attention_layers = Some(32),
            &|shape| shape.heads = 16,
            &|shape| shape.extra_parameters = -1_000,
            &|shape| shape.other_matrices = -1_000,
        ];
        for (at, change) in bounds.into_iter().enumerate() {
            assert_eq!(check(change), Ok(()), "{at}");
        }
        assert_eq!(with_experts(|e| e.active = 8), Ok(()));
        assert_eq!(with_experts(|e| e.count = MAX_LAYERS), Ok(()));
        assert_eq!(with_experts(|e| e.shared_width = MAX_FIGURE), Ok(()));
        assert_eq!(with_experts(|e| e.dense_first = 32), Ok(()));
        // With latent attention every query head has a key head.
        assert_eq!(with_mla(|_| ()), Ok(()));
        assert_eq!(with_mla(|mla| mla.q_rank = MAX_FIGURE), Ok(()));

        let refused: [ShapeChange<'_>; 12] = [
            &|shape| shape.layers = 0,
            &|shape| shape.layers = MAX_LAYERS + 1,
            &|shape| shape.hidden = 0,
            &|shape| shape.hidden = MAX_FIGURE + 1,
            &|shape| shape.heads = 0,
            &|shape| shape.kv_heads = 0,
            &|shape| shape.head_dim = 0,
            &|shape| shape.vocab = 0,
            &|shape| shape.ffn = MAX_FIGURE + 1,
            &|shape| shape.kv_heads = 5,
            &|shape| shape.attention_layers = Some(33),
            &|shape| shape.extra_parameters = -1_000_000_000_000,
        ];
        for (at, change) in refused.into_iter().enumerate() {
            assert!(check(change).is_err(), "{at}");
        }
        let experts: [fn(&mut Experts); 7] = [
            |e| e.latent_width = MAX_FIGURE + 1,
            |e| (e.count, e.active) = (0, 0),
            |e| e.active = 9,
            |e| e.count = MAX_LAYERS + 1,
            |e| e.width = MAX_FIGURE + 1,
            |e| e.shared_width = MAX_FIGURE + 1,
            |e| e.dense_first = 33,
        ];
        for (at, change) in experts.into_iter().enumerate() {
            assert!(with_experts(change).is_err(), "{at}");
        }
        let latent: [fn(&mut Mla); 5] = [
            |mla| mla.q_rank = MAX_FIGURE + 1,
            |mla| mla.kv_rank = MAX_FIGURE + 1,
            |mla| mla.nope_dim = MAX_FIGURE + 1,
            |mla| mla.rope_dim = MAX_FIGURE + 1,
            |mla| mla.value_dim = MAX_FIGURE + 1,
        ];
        for (at, change) in latent.into_iter().enumerate() {
            assert!(with_mla(change).is_err(), "{at}");
        }
    }

    #[test]
    fn active_parameters_count_the_head_but_not_the_embedding() {
        // gpt-oss: OpenAI publishes 20.91 and 3.61 billion, and 116.83 and 5.13 billion.
        let gpt_oss = |layers, count| Architecture {
            hidden: 2880,
            layers,
            heads: 64,
            kv_heads: 8,
            head_dim: 64,
            ffn: 2880,
            vocab: 201_088,
            gated: true,
            biases: Biases {
                qkv: true,
                out: true,
                ..Biases::default()
            },
            norms_per_layer: 2,
            experts: Some(Experts {
                count,
                active: 4,
                width: 2880,
                ..EXPERTS
            }),
            ..Architecture::default()
        };
        for (layers, count, total, active) in
            [(24, 32, 20.91e9, 3.61e9), (36, 128, 116.8e9, 5.13e9)]
        {
            let model = gpt_oss(layers, count);
            assert!((model.parameters().total() / total - 1.0).abs() < 2e-3);
            assert!((model.active_parameters() / active - 1.0).abs() < 4e-3);
            let tied = Architecture {
                tied: true,
                ..model
            };
            assert!((tied.active_parameters() - model.active_parameters()).abs() < 1.0);
            assert!(tied.inactive_embedding().abs() < 0.5);
        }
        let dense = llama_3_8b();
        assert!((dense.active_parameters() - dense.parameters().total()).abs() < 0.5);
    }

    #[test]
    fn counts_latent_attention_and_experts() {
        let model = Architecture {
            hidden: 7168,
            layers: 61,
            heads: 128,
            kv_heads: 128,
            head_dim: 192,
            ffn: 18432,
            vocab: 129_280,
            gated: true,
            norms_per_layer: 2,
            mla: Some(Mla {
                kv_rank: 512,
                q_rank: 1536,
                nope_dim: 128,
                rope_dim: 64,
                value_dim: 128,
            }),
            experts: Some(Experts {
                count: 256,
                active: 8,
                width: 2048,
                shared_width: 2048,
                dense_first: 3,
                every: 1,
                latent_width: 0,
                image_width: 0,
            }),
            ..Architecture::default()
        };
        assert!((model.parameters().total() / 671_026_419_200.0 - 1.0).abs() < 1e-6);
        assert!((model.cache_values(1.0) * 2.0 - 70_272.0).abs() < 0.5);
        assert!((model.active_with_embedding() / 37.45e9 - 1.0).abs() < 1e-3);
        assert!((model.active_parameters() / 36.52e9 - 1.0).abs() < 1e-3);
    }
}
