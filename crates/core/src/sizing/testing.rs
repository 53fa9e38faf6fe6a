//! A model for unit tests.

use super::architecture::{Architecture, Experts};

/// The shape of Llama 3 8B.
pub(super) fn llama_3_8b() -> Architecture {
    Architecture {
        hidden: 4096,
        layers: 32,
        heads: 32,
        kv_heads: 8,
        head_dim: 128,
        ffn: 14336,
        vocab: 128_256,
        gated: true,
        norms_per_layer: 2,
        ..Architecture::default()
    }
}

/// A model whose sizes can be computed manually.
///
/// Embedding and head have 256 parameters each, attention 192 and the MLP 384 per layer, and norms 72 in all: 2,888
/// parameters. A token adds 32 values to the cache.
pub(super) fn tiny() -> Architecture {
    Architecture {
        hidden: 8,
        layers: 4,
        heads: 4,
        kv_heads: 2,
        head_dim: 2,
        ffn: 16,
        vocab: 32,
        gated: true,
        norms_per_layer: 2,
        ..Architecture::default()
    }
}

/// The tiny model with a mixture of experts in three of four layers.
pub(super) fn tiny_mixture() -> Architecture {
    Architecture {
        experts: Some(Experts {
            count: 4,
            active: 2,
            width: 4,
            shared_width: 2,
            dense_first: 1,
            every: 1,
            latent_width: 0,
            image_width: 0,
        }),
        ..tiny()
    }
}

/// Asserts that a figure has the expected value.
#[track_caller]
pub(super) fn assert_near(figure: f64, expected: f64) {
    let scale = expected.abs().max(1.0);
    assert!(
        ((figure - expected) / scale).abs() < 1e-9,
        "{figure} instead of {expected}"
    );
}
