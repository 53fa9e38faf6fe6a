//! Files of models.

use sky_accel_checkpoint::{
    MAX_HEADER_BYTES, describe_checkpoint, read_config, read_gguf, read_header,
};
use sky_accel_core::sizing::Architecture;
use sky_accel_embedded::CATALOG;

/// Runs the computations on a shape.
fn figures(shape: &Architecture) {
    let _ = shape.parameters().total() + shape.active_parameters();
    let _ = shape.cache_values(1e6) + shape.active_share(7.0);
    let _ = shape.attended(1e6, 1.0).total() + shape.attended_entries(1e6);
    let _ = shape.index_bytes(1e6) + shape.index_flops(1e6) + shape.paired_layers();
}

/// Reads a `config.json`, alone and as the quantization of another.
pub(crate) fn config(bytes: &[u8]) {
    let Ok(fields) = read_config(bytes) else {
        return;
    };
    for (quantization, assume) in [(None, None), (Some(&fields), Some("llama"))] {
        if let Ok(found) = describe_checkpoint(&CATALOG, &fields, quantization, assume) {
            figures(&found.shape);
        }
    }
}

pub(crate) fn safetensors(bytes: &[u8]) {
    if let Ok(tensors) = read_header(bytes, bytes.len() as u64, MAX_HEADER_BYTES) {
        let _ = tensors.and(tensors);
    }
}

pub(crate) fn gguf(bytes: &[u8]) {
    if let Ok(model) = read_gguf(bytes) {
        let _ = model.format(&CATALOG);
        let _ = model.weight_format();
        figures(&model.shape);
    }
}
