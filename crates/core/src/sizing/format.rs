//! Formats of weights: how many bits each kind of matrix takes.

use super::architecture::{Architecture, Parameters};

crate::rows! {
    /// Bits of a stored weight, by where it is. Bits of groups are counted in.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct WeightFormat {
        /// Matrices of routed experts, and of MLPs where there are none.
        pub bits: f64,
        /// Matrices of attention and of recurrent layers.
        pub attention_bits: f64,
        /// Matrices of dense MLPs and shared experts.
        pub mlp_bits: f64,
        /// The embedding.
        pub embedding_bits: f64,
        /// The head.
        pub head_bits: f64,
        /// Norms, biases and routers.
        pub small_bits: f64,
        /// Whether a head that is the embedding is stored once more.
        pub unties: bool,
        /// Bits of the format that products are computed in.
        pub compute_bits: f64,
    }
}

impl WeightFormat {
    /// So many bits everywhere.
    pub const fn plain(bits: f64) -> Self {
        Self {
            bits,
            attention_bits: bits,
            mlp_bits: bits,
            embedding_bits: bits,
            head_bits: bits,
            small_bits: bits,
            unties: false,
            compute_bits: bits,
        }
    }

    /// Bits of the format that matrices outside of experts and MLPs are computed in, at least.
    pub(super) fn dense_compute_bits(&self) -> f64 {
        match self.attention_bits {
            bits if bits >= 16.0 => 16.0,
            bits if bits >= 8.0 => 8.0,
            _ => 0.0,
        }
    }

    /// Whether weights have fewer than 16 bits.
    pub fn is_quantized(&self) -> bool {
        self.bits < 16.0
    }

    /// Bytes of the weights by where they are.
    pub fn bytes(&self, model: &Architecture) -> WeightBytes {
        let counted: Parameters = model.parameters();
        let head = if counted.head > 0.0 {
            counted.head
        } else if self.unties {
            counted.embedding
        } else {
            0.0
        };
        WeightBytes {
            embedding: counted.embedding * self.embedding_bits / 8.0,
            head: head * self.head_bits / 8.0,
            dense: (counted.attention * self.attention_bits + counted.mlp * self.mlp_bits) / 8.0,
            experts: counted.experts * self.bits / 8.0,
            small: (counted.small + counted.routers) * self.small_bits / 8.0,
            extra: counted.extra * self.small_bits / 8.0,
        }
    }
}

/// Bytes of the weights by where they are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WeightBytes {
    /// The embedding.
    pub embedding: f64,
    /// The head; 0 where it is the embedding and not stored once more.
    pub head: f64,
    /// Matrices of attention, dense MLPs and shared experts.
    pub dense: f64,
    /// Routed experts.
    pub experts: f64,
    /// Norms, biases and routers.
    pub small: f64,
    /// Towers beside the decoder.
    pub extra: f64,
}

impl WeightBytes {
    /// All of them.
    pub fn total(&self) -> f64 {
        self.embedding + self.head + self.dense + self.experts + self.small + self.extra
    }

    /// Bytes that one step of so many tokens reads: of the experts, those that they touch.
    pub fn read(&self, model: &Architecture, tokens: f64) -> f64 {
        let head = if self.head > 0.0 {
            self.head
        } else {
            self.embedding
        };
        head + self.dense + self.experts * model.active_share(tokens) + self.small
    }
}
