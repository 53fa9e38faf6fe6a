//! Memory terms of a model in stacking order.

use sky_accel_engine::contract::{MemoryOut, Num};

/// Returns each term with its name.
pub fn terms(memory: &MemoryOut) -> [(&'static str, Num); 9] {
    [
        ("weights", memory.weights),
        ("KV cache", memory.kv_cache),
        ("gradients", memory.gradients),
        ("optimizer", memory.optimizer),
        ("adapters", memory.adapters),
        ("activations", memory.activations),
        ("logits", memory.logits),
        ("framework", memory.framework),
        ("frozen model", memory.frozen.unwrap_or(Num(0.0))),
    ]
}
