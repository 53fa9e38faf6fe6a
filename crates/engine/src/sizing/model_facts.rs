//! Facts about a model.

use sky_accel_core::sizing::{Architecture, CacheFormat, ModelKind, WeightFormat};

/// The known facts about a model.
#[derive(Clone, Debug)]
pub struct ModelFacts {
    /// The name of the model.
    pub name: String,
    /// The kind of output.
    pub kind: ModelKind,
    /// Set where only the sum of its parts is known: images, video and speech.
    pub media: Option<Media>,
    /// The architecture: layers, heads, sizes and vocabulary.
    pub shape: Architecture,
    /// The source of the shape.
    pub source: String,
    /// The path of its files or its id at a hub, as an engine loads it; `None` where neither is known.
    pub checkpoint: Option<String>,
    /// The size of the model's files in bytes; `None` where it is unknown.
    pub checkpoint_bytes: Option<f64>,
    /// The catalog's name for the format of the files; `None` where it is not stated.
    pub stored_as: Option<String>,
    /// The exact format of the weights in the files; `None` where they do not tell.
    pub format: Option<WeightFormat>,
    /// The format that the files prescribe for the KV cache; `None` where they prescribe none.
    pub kv_cache: Option<CacheFormat>,
    /// The name of a quantization in the files that is not supported; `None` where there is none.
    pub unknown_quantization: Option<String>,
    /// The uncertainty of the number of parameters, as a fraction: 0 for a model that is known.
    pub size_band: f64,
}

/// A model of images, video or speech.
#[derive(Clone, Debug, PartialEq)]
pub struct Media {
    /// Parameters of all parts that are loaded.
    pub parameters: f64,
    /// Bytes of activations.
    pub activations: f64,
    /// The run that they are for: `an image of 1024 × 1024`.
    pub unit: String,
}
