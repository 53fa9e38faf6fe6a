//! A model for unit tests.

use super::architecture::Architecture;

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
