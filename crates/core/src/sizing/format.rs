//! Formats of weights: the bits of each kind of matrix.

use super::architecture::{Architecture, Parameters};

crate::rows! {
    /// Bits per stored weight, by module, including the scales of groups.
    #[derive(Clone, Copy, Debug, PartialEq)]
    pub struct WeightFormat {
        /// The nominal bits of the format: those of routed experts or, in a dense model, of MLPs. Bytes of dense
        /// MLPs follow from `mlp_bits`.
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
        /// Whether a tied head is stored as a copy of the embedding.
        pub unties: bool,
        /// Whether a product with several tokens first writes the matrix in 16 bits and then reads it.
        pub dequantizes: bool,
        /// Bits of the format that products are computed in.
        pub compute_bits: f64,
    }
}

impl WeightFormat {
    /// The format with the same number of bits in all modules.
    pub const fn plain(bits: f64) -> Self {
        Self {
            bits,
            attention_bits: bits,
            mlp_bits: bits,
            embedding_bits: bits,
            head_bits: bits,
            small_bits: bits,
            unties: false,
            dequantizes: false,
            compute_bits: bits,
        }
    }

    /// The minimum bits of products with matrices outside of experts and MLPs.
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

    /// Bytes of the 16-bit copies of dequantized matrices, which a product with several tokens writes and then reads.
    pub fn copied_bytes(&self, parameters: f64) -> f64 {
        if self.dequantizes {
            2.0 * parameters * 16.0 / 8.0
        } else {
            0.0
        }
    }

    /// Bytes of the stored weights, by module.
    pub fn bytes(&self, model: &Architecture) -> WeightBytes {
        self.bytes_of(&model.parameters())
    }

    /// Same as [`Self::bytes`], for parameters that are counted already.
    pub fn bytes_of(&self, counted: &Parameters) -> WeightBytes {
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
            image_experts: counted.image_experts * self.bits / 8.0,
            small: (counted.small + counted.routers) * self.small_bits / 8.0,
            extra: counted.extra * self.small_bits / 8.0,
        }
    }
}

/// Bytes of the weights, by module.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WeightBytes {
    /// The embedding.
    pub embedding: f64,
    /// The head; 0 if it is tied and not stored as a copy.
    pub head: f64,
    /// Matrices of attention, dense MLPs and shared experts.
    pub dense: f64,
    /// Routed experts.
    pub experts: f64,
    /// Experts that only tokens of images choose: stored as the others, and never read for text.
    pub image_experts: f64,
    /// Norms, biases and routers.
    pub small: f64,
    /// Modules other than the decoder, such as vision towers.
    pub extra: f64,
}

impl WeightBytes {
    /// The sum of all parts.
    pub fn total(&self) -> f64 {
        let experts = self.experts + self.image_experts;
        self.embedding + self.head + self.dense + experts + self.small + self.extra
    }

    /// Bytes that a step of `tokens` tokens reads: all of the dense weights, and the experts that the tokens touch.
    pub fn read(&self, model: &Architecture, tokens: f64) -> f64 {
        let head = if self.head > 0.0 {
            self.head
        } else {
            self.embedding
        };
        head + self.dense + self.experts * model.active_share(tokens) + self.small
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::tiny_mixture;
    use super::*;

    #[test]
    fn dequantized_matrices_move_more_bytes_than_matrices_of_16_bits() {
        let parameters = tiny_mixture().parameters().mlp;
        let four = WeightFormat::plain(4.0);
        let moved = |format: &WeightFormat| {
            parameters * format.bits / 8.0 + format.copied_bytes(parameters)
        };
        let dequantized = WeightFormat {
            dequantizes: true,
            ..four
        };
        let wide = moved(&WeightFormat::plain(16.0));
        assert!((moved(&four) / wide - 0.25).abs() < 1e-9);
        assert!((moved(&dequantized) / wide - 2.25).abs() < 1e-9);
    }
}
