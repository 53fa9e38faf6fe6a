//! Formats of weights: how many bits each kind of matrix takes.

use super::architecture::{Architecture, Parameters};

/// Bits of a stored weight, by where it is. What is small stays in 16 bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WeightFormat {
    /// Matrices of MLPs and experts.
    pub bits: f64,
    pub attention_bits: f64,
    pub embedding_bits: f64,
    pub head_bits: f64,
    /// Norms, biases and routers.
    pub small_bits: f64,
    /// Whether a head that is the embedding is stored once more.
    pub unties: bool,
    /// Bits of the format that products are computed in.
    pub compute_bits: f64,
}

impl WeightFormat {
    /// So many bits everywhere.
    pub const fn plain(bits: f64) -> Self {
        Self {
            bits,
            attention_bits: bits,
            embedding_bits: bits,
            head_bits: bits,
            small_bits: bits,
            unties: false,
            compute_bits: bits,
        }
    }

    pub fn is_quantized(&self) -> bool {
        self.bits < 16.0
    }

    /// Bytes of the weights by where they are.
    pub fn bytes(&self, model: &Architecture) -> WeightBytes {
        let own: Parameters = model.parameters();
        let head = if own.head > 0.0 {
            own.head
        } else if self.unties {
            own.embedding
        } else {
            0.0
        };
        WeightBytes {
            embedding: own.embedding * self.embedding_bits / 8.0,
            head: head * self.head_bits / 8.0,
            dense: (own.attention * self.attention_bits + own.mlp * self.bits) / 8.0,
            experts: own.experts * self.bits / 8.0,
            small: (own.small + own.routers) * self.small_bits / 8.0,
            extra: own.extra * self.small_bits / 8.0,
        }
    }
}

/// Bytes of the weights by where they are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WeightBytes {
    pub embedding: f64,
    pub head: f64,
    pub dense: f64,
    pub experts: f64,
    pub small: f64,
    pub extra: f64,
}

impl WeightBytes {
    pub fn total(&self) -> f64 {
        self.embedding + self.head + self.dense + self.experts + self.small + self.extra
    }

    /// What one step of so many tokens reads.
    pub fn read(&self, model: &Architecture, tokens: f64) -> f64 {
        let head = if self.head > 0.0 {
            self.head
        } else {
            self.embedding
        };
        head + self.dense + self.experts * model.active_share(tokens) + self.small
    }
}
